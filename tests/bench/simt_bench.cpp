// SPDX-License-Identifier: MIT
// What kernels cost on the executor: the plain build against its marks, and what every access being
// a preemption point, and weak memory, cost besides.
//
//   simt_bench | simt_bench_instrumented [--quick]
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "kernels/simt/schedule.h"
#include "tests/bench/row.h"
#include "tests/bench/simt_bench_kernels.h"

namespace foxhunt::bench {
namespace {

int rounds = 15;
constexpr bool kInstrumented = std::string_view(FOXHUNT_BENCH_BUILD) == "instrumented";

double cpu_nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// Nanoseconds of this thread's CPU time that `run` takes, the median of several: the executor uses
// one thread and waits for nothing, and other programs' turns are not its cost.
template <class Run>
double time_of(const Run& run) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const double start = cpu_nanoseconds();
    run();
    cudaDeviceSynchronize();
    if (i > 0 || rounds == 1) times.push_back(cpu_nanoseconds() - start);
  }
  return median(times);
}

struct Buffers {
  explicit Buffers(int n) {
    for (float** p : {&a, &b, &c}) {
      cudaMalloc(p, static_cast<std::size_t>(n) * sizeof(float));
      cudaMemset(*p, 0, static_cast<std::size_t>(n) * sizeof(float));
    }
    cudaDeviceSynchronize();
  }
  ~Buffers() {
    for (float* p : {a, b, c}) cudaFree(p);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  float *a = nullptr, *b = nullptr, *c = nullptr;
};

constexpr int kElements = 1 << 17;
constexpr int kRows = 64, kColumns = 256;

void plain_rows() {
  const Buffers m(kElements);
  print({"element-wise, a thread each",
         time_of([&] { elementwise(m.a, kElements, m.b); }) / kElements, "ns/thread", 8, 5, true});
  print({"element-wise, grid-stride",
         time_of([&] { elementwise_strided(m.a, kElements, m.b); }) / kElements, "ns/element", 7, 5,
         true});
  print({"element-wise, 16-byte loads",
         time_of([&] { elementwise_by_four(m.a, kElements, m.b); }) / kElements,
         "ns/element",
         1.2,
         {},
         true});
  // Each thread walks over the whole array before the next one begins, in steps of 4 KiB that fall
  // on one set of the first cache: plain loops in that order take 1.6 ns as well.
  print({"element-wise, 16-byte loads, grid-stride",
         time_of([&] { elementwise_by_four_strided(m.a, kElements, m.b); }) / kElements,
         "ns/element",
         {},
         {},
         true});
  constexpr int kBlocks = 4, kTimes = 200;
  print({"barrier", time_of([&] { barriers(kBlocks, kTimes); }) / (256.0 * kBlocks * kTimes),
         "ns/thread", 62, 33, true});
  print({"layer norm backward, 8 lanes a row",
         time_of([&] { layer_norm_backward_by_lanes(m.a, m.b, m.a, kRows, kColumns, m.c); }) /
             (kRows * kColumns),
         "ns/element", 117, 55, true});
  print({"layer norm backward, 64 threads a row",
         time_of([&] { layer_norm_backward(m.a, m.b, m.a, kRows, kColumns, m.c); }) /
             (kRows * kColumns),
         "ns/element",
         {},
         {},
         true});
  constexpr int kSize = 256;
  print({"GEMM, 8 x 8 outputs a thread",
         double{kSize} * kSize * kSize / time_of([&] { gemm(m.a, m.b, kSize, m.c); }), "GMAC/s",
         1.0, 1.9, false});
  constexpr int kLaunches = 1000;
  print({"empty launch of 64 threads",
         time_of([&] {
           for (int i = 0; i < kLaunches; ++i) nothing(64);
         }) / kLaunches /
             1000,
         "us", 1.8, 1.1, true});
}

// The same work under the same schedules, with stores visible at once and weakly.
void instrumented_rows() {
  const Buffers m(kElements);
  struct Work {
    const char* name;
    void (*run)(const Buffers&);
  };
  constexpr int kSome = 1 << 14;
  const Work works[] = {
      {"element-wise", [](const Buffers& b) { elementwise(b.a, kSome, b.b); }},
      {"layer norm backward",
       [](const Buffers& b) { layer_norm_backward(b.a, b.b, b.a, 16, kColumns, b.c); }},
      {"GEMM", [](const Buffers& b) { gemm(b.a, b.b, 64, b.c); }},
  };
  for (const Work& work : works) {
    std::vector<double> ratios;
    for (const simt::Policy policy :
         {simt::Policy::permute, simt::Policy::walk, simt::Policy::swarm}) {
      for (std::uint64_t i = 1; i <= (rounds > 1 ? 4u : 1u); ++i) {
        simt::Schedule schedule =
            simt::schedule_for(i, 1, {.only = policy, .weak = true, .points = 1000});
        schedule.weak = false;
        simt::set_schedule(schedule);
        const double strong = time_of([&] { work.run(m); });
        schedule.weak = true;
        simt::set_schedule(schedule);
        const double weak = time_of([&] { work.run(m); });
        ratios.push_back(weak / strong);
      }
    }
    print({fmt::format("weak against instrumented: {}", work.name),
           median(ratios),
           "x",
           5,
           {},
           true});
    print({fmt::format("weak against instrumented, worst: {}", work.name),
           *std::max_element(ratios.begin(), ratios.end()),
           "x",
           {},
           {},
           true});
  }
  simt::set_schedule({});
  print({"instrumented, in order: element-wise",
         time_of([&] { elementwise(m.a, kElements, m.b); }) / kElements,
         "ns/thread",
         {},
         {},
         true});
}

}  // namespace
}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--quick") foxhunt::bench::rounds = 1;
  if (foxhunt::bench::kInstrumented) {
    foxhunt::bench::instrumented_rows();
  } else {
    foxhunt::bench::plain_rows();
  }
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
