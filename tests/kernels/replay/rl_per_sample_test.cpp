// SPDX-License-Identifier: MIT
#include "kernels/replay/rl_per_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/math/philox.h"
#include "kernels/replay/replay_oracle.h"
#include "kernels/replay/rl_per_tree_rebuild.h"
#include "tests/kernels/replay/replay_fixture.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"

namespace foxhunt::test {
namespace {

struct Sampling {
  int batch, capacity, filled;
  SampleOptions options{123, 7, 0.6f, 0};
  ReplayShape shape{6, 11};

  Sampling(int batch_, int capacity_, int filled_)
      : batch(batch_), capacity(capacity_), filled(filled_) {
    options.filled = filled;
  }

  std::vector<float> priorities() const {
    auto values = random_floats(static_cast<std::size_t>(capacity), 101, 4);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = i < static_cast<std::size_t>(filled) ? std::fabs(values[i]) : 0.0f;
    }
    return values;
  }
  HostTransitions ring() const { return HostTransitions::random(capacity, shape, 102); }

  struct Results {
    std::vector<int> index;
    std::vector<float> weight;
    HostTransitions sampled;
  };
  Results run(SampleVariant variant = SampleVariant::deterministic) const {
    DeviceArray<float> priorities_(priorities());
    DeviceArray<float> tree(2 * static_cast<std::size_t>(capacity));
    DeviceTransitions ring_(ring());
    const std::vector<int> none(static_cast<std::size_t>(batch), -1);
    DeviceTransitions sampled(ring().rows(none, shape));
    DeviceArray<int> index(static_cast<std::size_t>(batch));
    DeviceArray<float> weight(static_cast<std::size_t>(batch));
    DeviceArray<unsigned> counter(1);
    rl_per_tree_rebuild(priorities_.get(), capacity, tree.get(), nullptr);
    rl_per_sample(tree.get(), capacity, options, batch, read_only(ring_.rows()), shape, index.get(),
                  weight.get(), sampled.rows(), counter.get(), nullptr, variant);
    return {index.read(), weight.read(), sampled.read()};
  }

  Bytes bytes(SampleVariant variant) const {
    const Results results = run(variant);
    Bytes bytes;
    append(bytes, results.index);
    append(bytes, results.weight);
    append(bytes, results.sampled);
    return bytes;
  }

  // What draw b looks for, in double.
  double target(int b) const {
    double sum = 0;
    for (const float p : priorities()) sum += p;
    const auto words = math::philox(options.seed, math::RngPurpose::replay_sample, options.step,
                                    static_cast<std::uint64_t>(b));
    return (b + static_cast<double>(math::uniform(words.x))) * sum / batch;
  }
};

class Sample : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  const Sampling sampling_{std::get<0>(GetParam()), std::get<1>(GetParam()),
                           std::get<2>(GetParam())};
};

// In float the target and the running sums are off by a few roundings of the whole sum, so a target
// that close to a leaf's border may fall on either side of it.
TEST_P(Sample, FindsTheLeafThatHoldsTheTarget) {
  const auto results = sampling_.run();
  const auto priorities = to_double(sampling_.priorities());
  double sum = 0;
  for (const double p : priorities) sum += p;
  const double slack = 2 * (std::log2(sampling_.capacity) + 4) * sum / (1 << 24);
  for (int b = 0; b < sampling_.batch; ++b) {
    const double target = sampling_.target(b);
    const auto leaves =
        oracle::find_leaves(priorities, {std::max(target - slack, 0.0), target, target + slack});
    const int leaf = results.index[static_cast<std::size_t>(b)];
    EXPECT_GE(leaf, leaves[0]) << b;
    EXPECT_LE(leaf, leaves[2]) << b;
    EXPECT_GT(priorities[static_cast<std::size_t>(leaf)], 0.0) << b;
  }
}

TEST_P(Sample, GathersTheRowsItDrew) {
  const auto results = sampling_.run();
  EXPECT_EQ(results.sampled, sampling_.ring().rows(results.index, sampling_.shape));
}

// exp(-beta log x): the logarithm's error, of an ULP and the rounded root of the tree, is amplified
// by beta and |log x|; both weights of the quotient have it.
TEST_P(Sample, WeighsWhatItDrew) {
  const auto results = sampling_.run();
  const auto oracle =
      oracle::importance_weights(to_double(sampling_.priorities()), results.index, sampling_.filled,
                                 static_cast<double>(sampling_.options.beta));
  expect_near_oracle(results.weight, oracle, oracle, 2 * (std::log2(sampling_.capacity) + 12));
  EXPECT_EQ(*std::max_element(results.weight.begin(), results.weight.end()), 1.0f);
}

TEST_P(Sample, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant([&] { return sampling_.bytes(SampleVariant::deterministic); });
}

// {batch, capacity, filled}
INSTANTIATE_TEST_SUITE_P(Sizes, Sample,
                         testing::Values(std::tuple(1, 1, 1), std::tuple(3, 16, 1),
                                         std::tuple(8, 256, 200), std::tuple(64, 1024, 1024),
                                         std::tuple(100, 1024, 700)));

TEST(Sample, OfEqualPrioritiesIsEven) {
  std::vector<int> count(64);
  DeviceArray<float> priorities(std::vector<float>(64, 0.5f)), tree(128);
  Sampling sampling(64, 64, 64);
  DeviceTransitions ring(sampling.ring()), sampled(sampling.ring());
  DeviceArray<int> index(64);
  DeviceArray<float> weight(64);
  rl_per_tree_rebuild(priorities.get(), 64, tree.get(), nullptr);
  rl_per_sample(tree.get(), 64, sampling.options, 64, read_only(ring.rows()), sampling.shape,
                index.get(), weight.get(), sampled.rows(), nullptr, nullptr);
  for (const int leaf : index.read()) ++count[static_cast<std::size_t>(leaf)];
  EXPECT_EQ(count, std::vector<int>(64, 1));  // one from each part
  EXPECT_EQ(weight.read(), std::vector<float>(64, 1.0f));
}

TEST(Sample, DrawsAnewEveryStep) {
  Sampling sampling(16, 1024, 1024);
  const auto before = sampling.run().index;
  ++sampling.options.step;
  EXPECT_NE(sampling.run().index, before);
}

TEST(Sample, WithASharedRngCounterDependsOnTheSchedule) {
  const Sampling sampling(32, 256, 256);
  expect_schedule_dependent("rl_per_sample=shared_rng_counter",
                            [&] { return sampling.bytes(SampleVariant::shared_rng_counter); });
}

}  // namespace
}  // namespace foxhunt::test
