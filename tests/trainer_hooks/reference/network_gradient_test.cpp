// SPDX-License-Identifier: MIT
// The gradients that the trainer computes in float, kernel by kernel, are those of its losses: of
// one function in double, by central differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "tests/support/test_seed.h"
#include "tests/trainer_hooks/reference/network_update.h"

namespace foxhunt::test {
namespace {

using Direction = std::vector<double>;  // in the space of one parameter's elements

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> to_double(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

// How far float arithmetic may carry a result. To first order its error is a sum over all elements
// that kernels make: the error that a kernel made there, times its effect on the result. A draw of
// network_oracle.h moves each of them by its bound, up or down, so the root mean square over draws
// is the root of the sum of the terms' squares, S, and for errors that are independent and 0 in the
// mean Hoeffding's inequality says that they exceed 6 S in one of 30 million cases. This is the
// probabilistic model of Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis"
// (SIAM J. Sci. Comput. 41, 2019); bounds for the worst case grow by the number of terms in each of
// the network's layers, and are millions of times what is seen.
constexpr int kDraws = 24;
constexpr double kDeviations = 6;

// A result by the oracle: in double, and as float arithmetic may leave it.
struct Expected {
  Tensors<double> exact;
  std::vector<Tensors<double>> draws;

  template <class Compute>
  explicit Expected(Compute compute) : exact(compute(nullptr)) {
    std::mt19937_64 random(test_seed());
    for (int n = 0; n < kDraws; ++n) draws.push_back(compute(&random));
  }

  // For the component of `name` in a direction.
  double allowed(const std::string& name, const Direction& d) const {
    double squares = 0;
    for (const auto& draw : draws) {
      const double moved = dot(draw.at(name), d) - dot(exact.at(name), d);
      squares += moved * moved;
    }
    return kDeviations * std::sqrt(squares / kDraws);
  }
  double allowed(const std::string& name, std::size_t element) const {
    double squares = 0;
    for (const auto& draw : draws) {
      const double moved = draw.at(name)[element] - exact.at(name)[element];
      squares += moved * moved;
    }
    return kDeviations * std::sqrt(squares / kDraws);
  }
};

// The largest of differences in units of what is allowed, which NaN exceeds.
struct Worst {
  double quotient = 0;
  void add(double difference, double allowed) {
    if (difference == 0) return;
    const double q = std::abs(difference) / allowed;
    quotient = std::isnan(q) ? HUGE_VAL : std::max(quotient, q);
  }
};

struct Slope {
  double value = 0;
  double error = 0;  // about how far `value` is from the derivative
};

class NetworkGradient : public testing::TestWithParam<int> {
 protected:
  static const NetworkUpdate& update() {
    static std::map<int, NetworkUpdate> updates;
    const auto [at, fresh] = updates.try_emplace(GetParam());
    if (fresh) at->second = update_after(GetParam());
    return at->second;
  }
  static const Expected& expected() {
    static std::map<int, Expected> all;
    return all
        .try_emplace(GetParam(),
                     [](std::mt19937_64* draws) {
                       return network_gradients(update().parameters, update().sample, draws);
                     })
        .first->second;
  }

  // EXPECTs each element within what float arithmetic may change.
  static void expect_allowed(const std::string& name, const std::vector<float>& values,
                             const Expected& wanted) {
    const std::vector<double>& exact = wanted.exact.at(name);
    ASSERT_FALSE(values.empty()) << name;
    ASSERT_EQ(values.size(), exact.size()) << name;
    Worst worst;
    for (std::size_t i = 0; i < values.size(); ++i) {
      worst.add(double{values[i]} - exact[i], wanted.allowed(name, i));
    }
    EXPECT_LE(worst.quotient, 1) << name;
    std::cout << name << ": " << values.size() << " elements, at worst " << worst.quotient
              << " of what is allowed\n";
  }

  // Whether every kink is on the same side as where the parameters are.
  bool on_the_same_sides(const NetworkOutputs& moved) const {
    for (std::size_t i = 0; i < moved.kinks.size(); ++i) {
      if ((moved.kinks[i] > 0) != (here_.kinks[i] > 0)) return false;
    }
    return true;
  }

  // The loss's slope at the parameters along d, of length 1: by central differences with steps h
  // and h / 2, from which Richardson's extrapolation takes the h^2 term. h becomes shorter until no
  // kink lies between the points: the loss is smooth there.
  Slope slope(const std::string& parameter, const Direction& d) {
    for (double h = 1e-3; h > 1e-6; h /= 4) {
      const double by[] = {h, -h, h / 2, -h / 2};
      double loss[4];
      bool smooth = true;
      for (int i = 0; smooth && i < 4; ++i) {
        Tensors<double> moved = update().parameters;
        for (std::size_t e = 0; e < d.size(); ++e) moved[parameter][e] += by[i] * d[e];
        const NetworkOutputs out = head_of(parameter).empty()
                                       ? network_forward(moved, update().sample)
                                       : heads_forward(moved, update().sample, here_);
        smooth = on_the_same_sides(out);
        loss[i] = loss_of(parameter, out, update().sample);
      }
      if (!smooth) continue;
      if (loss[0] == loss[1] && loss[2] == loss[3]) return {};
      const double whole = (loss[0] - loss[1]) / (2 * h), half = (loss[2] - loss[3]) / h;
      const double value = (4 * half - whole) / 3;
      // The h^2 term, of which there was as much as that in `half`, times more than h^2 / 4; and
      // the rounding of the losses.
      return {value, std::abs(value - half) * 1e-3 + 4e-16 * std::abs(loss[0]) / h};
    }
    ADD_FAILURE() << parameter << ": a kink is too near";
    return {};
  }

  const NetworkOutputs here_ = network_forward(update().parameters, update().sample);
};

TEST_P(NetworkGradient, BelongsToAForwardAndLossesThatAreTheOracles) {
  Tensors<float> trainers = update().loss_rows;
  const Expected wanted([](std::mt19937_64* draws) {
    NetworkOutputs out = network_forward(update().parameters, update().sample, draws);
    Tensors<double> all = out.buffers;
    all["kinks"] = out.kinks;
    for (const auto& [head, rows] : out.loss_rows) {
      all[head] = rows;
      double sum = 0;
      for (const double loss : rows) sum += loss;
      all["mean " + head] = {sum / static_cast<double>(rows.size())};
    }
    return all;
  });
  for (const auto& [name, values] : here_.buffers) {
    trainers[name] = update().sample.floats.at(name);
  }
  const TrainerProgress& p = update().progress;
  for (const auto& [head, loss] : {std::pair("q", p.q),
                                   {"iqn", p.iqn},
                                   {"pi", p.pi},
                                   {"v", p.v},
                                   {"frd", p.frd},
                                   {"outcome", p.outcome}}) {
    trainers[std::string("mean ") + head] = {loss};
  }
  for (const auto& [name, values] : trainers) expect_allowed(name, values, wanted);
  // So the trainer is on the same side of every kink.
  for (std::size_t i = 0; i < here_.kinks.size(); ++i) {
    EXPECT_GT(std::abs(here_.kinks[i]), wanted.allowed("kinks", i)) << "kink " << i;
  }
}

TEST_P(NetworkGradient, IsTheOraclesInEveryElement) {
  ASSERT_EQ(update().gradients.size(), expected().exact.size());
  for (const auto& [name, values] : update().gradients) expect_allowed(name, values, expected());
}

// Every element of small parameters and some of the others, along the gradient itself, and in
// directions across all elements.
std::vector<Direction> directions(const std::vector<double>& gradient, std::mt19937_64& random) {
  const std::size_t size = gradient.size();
  const double length = std::sqrt(dot(gradient, gradient));
  std::vector<Direction> all(1);
  for (const double g : gradient) all[0].push_back(g / length);
  for (int n = 0; n < 2; ++n) {
    Direction& d = all.emplace_back(size);
    for (double& e : d) e = (random() >> 63 ? 1 : -1) / std::sqrt(static_cast<double>(size));
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (size > 64 && random() % size >= 12) continue;
    all.emplace_back(size)[i] = 1;
  }
  return all;
}

TEST_P(NetworkGradient, IsTheSlopeOfTheLoss) {
  std::mt19937_64 random(test_seed());
  for (const auto& [name, values] : update().gradients) {
    const std::vector<double> gradient = to_double(values);
    const std::vector<Direction> along = directions(gradient, random);
    Worst worst, worst_error;
    for (const Direction& d : along) {
      const Slope s = slope(name, d);
      const double allowed = expected().allowed(name, d);
      worst.add(dot(gradient, d) - s.value, allowed);
      worst_error.add(s.error, allowed);
    }
    EXPECT_LE(worst.quotient, 1) << name;
    EXPECT_LE(worst_error.quotient, 0.1) << name << ": the differences are not sharp enough";
    // Nor is what is allowed too much to see a gradient that is half a percent too long.
    const double seen = expected().allowed(name, along[0]) / dot(gradient, along[0]);
    EXPECT_LE(seen, 0.005) << name;
    std::cout << name << ": " << along.size() << " directions, at worst " << worst.quotient
              << " of what is allowed, which is " << seen << " of the gradient; differences err by "
              << worst_error.quotient << "\n";
  }
}

INSTANTIATE_TEST_SUITE_P(AfterSteps, NetworkGradient, testing::Values(1, 40));

}  // namespace
}  // namespace foxhunt::test
