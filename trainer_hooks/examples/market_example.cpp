// SPDX-License-Identifier: MIT
// A small trainer that shows how to use the dumper from C++: it declares what it computes, opens a
// step, and notes each buffer right after the kernel that made it.
//
// It fits tomorrow's log-return of one stock index, linearly, to the last days' returns of four, by
// gradient descent. With --arrival-order its gradient reduction has a real and common defect:
// several threads add their rows to one sum as they arrive. Float addition is not associative, so
// two runs of the same program on the same data end in different bits.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <latch>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dump/capture/dumper.h"

namespace {

constexpr std::size_t kSeries = 4;                // DAX, SMI, CAC, FTSE
constexpr std::size_t kDays = 16;                 // a window
constexpr std::size_t kInputs = kDays * kSeries;  // one row of the batch
constexpr std::size_t kParams = kInputs + 1;      // weights, then the bias
constexpr std::size_t kBatch = 512;               // windows a step
constexpr std::size_t kTarget = 0;                // the series to foretell: DAX
constexpr unsigned kThreads = 8;                  // of the reduction with the defect
constexpr float kLearningRate = 0.02f;

struct Options {
  std::string data = FOXHUNT_EXAMPLE_DATA;
  std::uint64_t steps = 4;
  bool arrival_order = false;
};

// Everything one step computes, row-major.
struct Buffers {
  std::vector<float> window = std::vector<float>(kBatch * kInputs);
  std::vector<float> target = std::vector<float>(kBatch);
  std::vector<float> row_mean = std::vector<float>(kBatch);
  std::vector<float> row_rstd = std::vector<float>(kBatch);
  std::vector<float> normed = std::vector<float>(kBatch * kInputs);
  std::vector<float> prediction = std::vector<float>(kBatch);
  std::vector<float> grad_per_row = std::vector<float>(kBatch * kParams);
  std::vector<float> grad = std::vector<float>(kParams);
  std::vector<float> params = std::vector<float>(kParams);
};

// What the trainer computes, as a graph. A verdict can only be as sharp as this: "inputs equal,
// output differs" needs every input of a kernel to be named here and noted below.
foxhunt::Profile make_profile() {
  using enum foxhunt::DType;
  using enum foxhunt::Determinism;
  foxhunt::ProfileBuilder p("market-example");
  p.bind("B", kBatch).bind("D", kInputs).bind("P", kParams);
  p.group('g', "sampled windows").group('e', "row statistics").group('h', "model outputs");
  p.group('i', "gradient scratch, one row a sample").group('l', "gradients").group('m', "update");

  p.maker("sample_windows", foxhunt::MakerKind::host, run_to_run, "the seed, or the data file");
  p.buffer("window", 'g', f32, {"B", "D"}).buffer("target", 'g', f32, {"B"});
  p.launch("sample_windows").makes("window").makes("target");

  p.kernel("row_statistics", gpu_to_gpu);
  p.buffer("row_mean", 'e', f32, {"B"}).buffer("row_rstd", 'e', f32, {"B"});
  p.launch("row_statistics").reads("window").makes("row_mean").makes("row_rstd");

  p.kernel("normalise", gpu_to_gpu);
  p.buffer("normed", 'e', f32, {"B", "D"});
  p.launch("normalise").reads("window").reads("row_mean").reads("row_rstd").makes("normed");

  p.kernel("linear_forward", gpu_to_gpu);
  p.buffer("prediction", 'h', f32, {"B"});
  p.launch("linear_forward").reads("normed").reads("params", 1).makes("prediction");

  p.kernel("linear_backward", gpu_to_gpu);
  p.buffer("grad_per_row", 'i', f32, {"B", "P"}).meaning(foxhunt::Meaning::partial);
  p.launch("linear_backward")
      .reads("prediction")
      .reads("target")
      .reads("normed")
      .makes("grad_per_row");

  p.kernel("reduce_rows", not_guaranteed, "add the rows in index order, one writer per element");
  p.buffer("grad", 'l', f32, {"P"}).meaning(foxhunt::Meaning::reduced);
  p.launch("reduce_rows").reads("grad_per_row").makes("grad");

  p.kernel("sgd_step", gpu_to_gpu);
  p.buffer("params", 'm', f32, {"P"});
  p.buffer("params_in", 'm', f32, {"P"}).carries("params");  // what a window of steps starts from
  p.launch("sgd_step").reads("grad").reads("params", 1).makes("params");
  return p.build();
}

// Daily log-returns [days][kSeries] of the prices in the file: a time, then one price a series.
std::vector<float> read_log_returns(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  std::vector<double> prices;
  while (std::getline(file, line)) {
    const char* at = line.c_str();
    for (std::size_t s = 0; s < kSeries; ++s) {
      at = std::strchr(at, ',');
      if (at == nullptr) throw std::runtime_error("too few columns in " + path + ": " + line);
      prices.push_back(std::strtod(++at, nullptr));
    }
  }
  std::vector<float> returns;
  for (std::size_t i = kSeries; i < prices.size(); ++i) {
    returns.push_back(static_cast<float>(std::log(prices[i] / prices[i - kSeries])));
  }
  if (returns.size() < (kDays + 1) * kSeries) throw std::runtime_error("too few days in " + path);
  return returns;
}

void sample_windows(std::span<const float> returns, std::mt19937_64& rng, Buffers& b) {
  const std::size_t starts = returns.size() / kSeries - kDays;
  for (std::size_t row = 0; row < kBatch; ++row) {
    const float* from = &returns[rng() % starts * kSeries];
    std::copy_n(from, kInputs, &b.window[row * kInputs]);
    b.target[row] = 100 * from[kInputs + kTarget];  // in percent
  }
}

void row_statistics(Buffers& b) {
  for (std::size_t row = 0; row < kBatch; ++row) {
    const std::span x(&b.window[row * kInputs], kInputs);
    float sum = 0, squares = 0;
    for (const float v : x) sum += v;
    const float mean = sum / kInputs;
    for (const float v : x) squares += (v - mean) * (v - mean);
    b.row_mean[row] = mean;
    b.row_rstd[row] = 1 / std::sqrt(squares / kInputs + 1e-12f);
  }
}

void normalise(Buffers& b) {
  for (std::size_t i = 0; i < b.normed.size(); ++i) {
    b.normed[i] = (b.window[i] - b.row_mean[i / kInputs]) * b.row_rstd[i / kInputs];
  }
}

void linear_forward(Buffers& b) {
  for (std::size_t row = 0; row < kBatch; ++row) {
    float y = b.params[kInputs];
    for (std::size_t i = 0; i < kInputs; ++i) y += b.params[i] * b.normed[row * kInputs + i];
    b.prediction[row] = y;
  }
}

// d(mean squared error / 2) / d params, one row a sample.
void linear_backward(Buffers& b) {
  for (std::size_t row = 0; row < kBatch; ++row) {
    const float error = (b.prediction[row] - b.target[row]) / kBatch;
    float* grad = &b.grad_per_row[row * kParams];
    for (std::size_t i = 0; i < kInputs; ++i) grad[i] = error * b.normed[row * kInputs + i];
    grad[kInputs] = error;
  }
}

void reduce_rows(Buffers& b) {
  std::fill(b.grad.begin(), b.grad.end(), 0.0f);
  for (std::size_t row = 0; row < kBatch; ++row) {
    for (std::size_t i = 0; i < kParams; ++i) b.grad[i] += b.grad_per_row[row * kParams + i];
  }
}

// The defect: as a GPU kernel with atomicAdd does, each thread adds its rows whenever it gets
// there. Every single addition is atomic, none is lost; only their order is left to the scheduler.
void reduce_rows_in_arrival_order(Buffers& b) {
  std::fill(b.grad.begin(), b.grad.end(), 0.0f);
  std::latch start(kThreads);
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&b, &start, t] {
      start.arrive_and_wait();
      for (std::size_t row = t; row < kBatch; row += kThreads) {
        for (std::size_t i = 0; i < kParams; ++i) {
          std::atomic_ref(b.grad[i]).fetch_add(b.grad_per_row[row * kParams + i]);
        }
      }
    });
  }
}

void sgd_step(Buffers& b) {
  for (std::size_t i = 0; i < kParams; ++i) b.params[i] -= kLearningRate * b.grad[i];
}

void train(const Options& options) {
  const std::vector<float> returns = read_log_returns(options.data);
  std::mt19937_64 rng(1991);
  Buffers b;
  foxhunt::Dumper dumper = foxhunt::Dumper::from_environment(make_profile);
  for (std::uint64_t n = 0; n < options.steps; ++n) {
    foxhunt::StepScope step = dumper.step(n);
    // Right after a buffer's producer, before anything else can write to it. Costs one predictable
    // branch while the dumper is not armed.
    const auto note = [&step](std::string_view name, const std::vector<float>& values) {
      FOXHUNT_HOOK(step.note_host(name, values.data(), values.size() * sizeof(float)));
    };
    if (step.starts_window()) note("params_in", b.params);
    sample_windows(returns, rng, b);
    note("window", b.window);
    note("target", b.target);
    row_statistics(b);
    note("row_mean", b.row_mean);
    note("row_rstd", b.row_rstd);
    normalise(b);
    note("normed", b.normed);
    linear_forward(b);
    note("prediction", b.prediction);
    linear_backward(b);
    note("grad_per_row", b.grad_per_row);
    if (options.arrival_order) {
      reduce_rows_in_arrival_order(b);
    } else {
      reduce_rows(b);
    }
    note("grad", b.grad);
    sgd_step(b);
    note("params", b.params);

    double loss = 0;
    for (std::size_t row = 0; row < kBatch; ++row) {
      const double error = double{b.prediction[row]} - double{b.target[row]};
      loss += error * error / kBatch;
    }
    std::printf("step %llu  loss %.17g\n", static_cast<unsigned long long>(n), loss);
  }  // the scope commits the step
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--arrival-order") {
      options.arrival_order = true;
    } else if (argument == "--steps" && i + 1 < arguments.size()) {
      options.steps = std::stoull(arguments[++i]);
    } else if (argument == "--data" && i + 1 < arguments.size()) {
      options.data = arguments[++i];
    } else {
      throw std::invalid_argument(
          "usage: foxhunt-market-example [--arrival-order] [--steps N] [--data prices.csv]");
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    train(parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "foxhunt-market-example: %s\n", error.what());
    return 2;
  }
}
