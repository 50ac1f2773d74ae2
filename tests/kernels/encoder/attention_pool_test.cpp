// SPDX-License-Identifier: MIT
#include "kernels/encoder/attention_pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/encoder/attention_pool_oracle.h"
#include "tests/kernels/encoder/sizes.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/running_error.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

using oracle::Rounded;

// Inputs on both sides, and the op run on them.
struct Pooling {
  explicit Pooling(const EncoderSizes& s)
      : sizes(s),
        x(random_normals(count(s.batch, s.window, s.hidden), 1)),
        q(random_normals(count(s.hidden), 2)),
        grad_out(random_normals(count(s.batch, s.hidden), 3)) {}

  std::vector<float> forward() const {
    DeviceArray<float> device_x(x), device_q(q), out(count(sizes.batch, sizes.hidden));
    attention_pool_fwd(device_x.get(), device_q.get(), sizes.batch, sizes.window, sizes.hidden,
                       out.get(), nullptr);
    return out.read();
  }

  struct Gradients {
    std::vector<float> x, q;
    Bytes bytes() const {
      Bytes all;
      append(all, x);
      append(all, q);
      return all;
    }
  };
  Gradients backward(
      AttentionPoolBwdVariant variant = AttentionPoolBwdVariant::deterministic) const {
    DeviceArray<float> device_x(x), device_q(q), g(grad_out), grad_x(x.size()),
        grad_q(grad_out.size());
    attention_pool_bwd(device_x.get(), device_q.get(), g.get(), sizes.batch, sizes.window,
                       sizes.hidden, grad_x.get(), grad_q.get(), nullptr, variant);
    return {grad_x.read(), grad_q.read()};
  }

  EncoderSizes sizes;
  std::vector<float> x, q, grad_out;
};

class AttentionPool : public testing::TestWithParam<EncoderSizes> {};

TEST_P(AttentionPool, ForwardIsWithinTheRunningErrorOfTheOracle) {
  const Pooling pooling(GetParam());
  expect_within_running_error(
      "attention_pool_fwd", pooling.forward(),
      oracle::attention_pool_fwd(exactly<Rounded>(pooling.x), exactly<Rounded>(pooling.q),
                                 pooling.sizes.batch, pooling.sizes.window, pooling.sizes.hidden));
}

TEST_P(AttentionPool, BackwardIsWithinTheRunningErrorOfTheOracle) {
  const Pooling pooling(GetParam());
  const auto got = pooling.backward();
  const auto expected = oracle::attention_pool_bwd(
      exactly<Rounded>(pooling.x), exactly<Rounded>(pooling.q), exactly<Rounded>(pooling.grad_out),
      pooling.sizes.batch, pooling.sizes.window, pooling.sizes.hidden);
  expect_within_running_error("attention_pool_bwd x", got.x, expected.x);
  expect_within_running_error("attention_pool_bwd q", got.q, expected.q);
}

TEST_P(AttentionPool, IsTheSameUnderEverySchedule) {
  const Pooling pooling(GetParam());
  expect_schedule_invariant(
      [&] {
        Bytes bytes = pooling.backward().bytes();
        append(bytes, pooling.forward());
        return bytes;
      },
      schedules_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, AttentionPool, testing::ValuesIn(encoder_sizes()));

TEST(AttentionPoolBwd, WarpNoSyncDependsOnTheSchedule) {
  const Pooling pooling(small_encoder());
  expect_schedule_dependent("attention_pool_bwd=warp_no_sync", [&] {
    return pooling.backward(AttentionPoolBwdVariant::warp_no_sync).bytes();
  });
}

}  // namespace
}  // namespace foxhunt::test
