// SPDX-License-Identifier: MIT
#include "kernels/encoder/mamba2_block.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/encoder/mamba2_block_oracle.h"
#include "tests/kernels/encoder/sizes.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/running_error.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

// Inputs on both sides, and the op run on them.
struct MambaRun {
  explicit MambaRun(const EncoderSizes& s)
      : shape{s.batch, s.window, s.width, s.hidden, s.state, s.heads},
        x(random_normals(count(s.batch, s.window, s.width), 1)),
        in_proj(scaled(random_normals(count(s.width, shape.projected()), 2), s.width)),
        conv_w(scaled(random_normals(count(4, shape.channels()), 3), 4)),
        conv_b(random_normals(count(shape.channels()), 4)),
        dt_bias(random_normals(count(s.heads), 5)),
        a_log(random_normals(count(s.heads), 6)),
        d(random_normals(count(s.heads), 7)),
        out_proj(scaled(random_normals(count(s.hidden, s.width), 8), s.hidden)),
        grad_out(random_normals(x.size(), 9)) {}

  struct Outputs {
    std::vector<float> out, scanned, x, in_proj, conv_w, conv_b, dt_bias, a_log, d, out_proj;
    Bytes bytes() const {
      Bytes all;
      for (const auto* part :
           {&out, &scanned, &x, &in_proj, &conv_w, &conv_b, &dt_bias, &a_log, &d, &out_proj}) {
        append(all, *part);
      }
      return all;
    }
  };
  // Forward and backward.
  Outputs run(Mamba2Variant variant = Mamba2Variant::deterministic) const {
    const std::size_t rows = count(shape.batch, shape.window);
    const std::size_t inner = rows * count(shape.inner), channels = rows * count(shape.channels());
    const std::size_t projected = rows * count(shape.projected());
    DeviceArray<float> x_(x), in_proj_(in_proj), conv_w_(conv_w), conv_b_(conv_b),
        dt_bias_(dt_bias), a_log_(a_log), d_(d), out_proj_(out_proj), grad_out_(grad_out);
    DeviceArray<float> saved_projected(projected), convolved(channels), scanned(inner),
        gated(inner), out(x.size());
    DeviceArray<float> to_x(x.size()), to_in_proj(in_proj.size()), to_conv_w(conv_w.size()),
        to_conv_b(conv_b.size()), to_dt_bias(d.size()), to_a_log(d.size()), to_d(d.size()),
        to_out_proj(out_proj.size()), to_gated(inner), to_convolved(channels),
        to_projected(projected), items(count(shape.batch, shape.item_scratch()));
    const Mamba2Parameters parameters{in_proj_.get(), conv_w_.get(), conv_b_.get(),  dt_bias_.get(),
                                      a_log_.get(),   d_.get(),      out_proj_.get()};
    const Mamba2Activations activations{saved_projected.get(), convolved.get(), scanned.get(),
                                        gated.get()};
    mamba2_block_fwd(x_.get(), parameters, shape, activations, out.get(), nullptr, variant);
    mamba2_block_bwd(x_.get(), parameters, shape, activations, grad_out_.get(),
                     {to_x.get(), to_in_proj.get(), to_conv_w.get(), to_conv_b.get(),
                      to_dt_bias.get(), to_a_log.get(), to_d.get(), to_out_proj.get(),
                      to_gated.get(), to_convolved.get(), to_projected.get(), items.get()},
                     nullptr, variant);
    return {out.read(),       scanned.read(),    to_x.read(),       to_in_proj.read(),
            to_conv_w.read(), to_conv_b.read(),  to_dt_bias.read(), to_a_log.read(),
            to_d.read(),      to_out_proj.read()};
  }

  oracle::Mamba2<oracle::Rounded> exact() const {
    using oracle::Rounded;
    return {shape.batch,
            shape.window,
            shape.width,
            shape.inner,
            shape.state,
            shape.heads,
            exactly<Rounded>(x),
            exactly<Rounded>(in_proj),
            exactly<Rounded>(conv_w),
            exactly<Rounded>(conv_b),
            exactly<Rounded>(dt_bias),
            exactly<Rounded>(a_log),
            exactly<Rounded>(d),
            exactly<Rounded>(out_proj)};
  }

  Mamba2Shape shape;
  std::vector<float> x, in_proj, conv_w, conv_b, dt_bias, a_log, d, out_proj, grad_out;
};

class Mamba2 : public testing::TestWithParam<EncoderSizes> {};

TEST_P(Mamba2, IsWithinTheRunningErrorOfTheOracle) {
  const MambaRun mamba(GetParam());
  const auto got = mamba.run();
  const auto exact = mamba.exact();
  expect_within_running_error("mamba2_block_fwd", got.out, oracle::mamba2_forward(exact));
  const auto expected = oracle::mamba2_backward(exact, exactly<oracle::Rounded>(mamba.grad_out));
  expect_within_running_error("mamba2_block_bwd x", got.x, expected.x);
  expect_within_running_error("mamba2_block_bwd in_proj", got.in_proj, expected.in_proj);
  expect_within_running_error("mamba2_block_bwd conv_w", got.conv_w, expected.conv_w);
  expect_within_running_error("mamba2_block_bwd conv_b", got.conv_b, expected.conv_b);
  expect_within_running_error("mamba2_block_bwd dt_bias", got.dt_bias, expected.dt_bias);
  expect_within_running_error("mamba2_block_bwd a_log", got.a_log, expected.a_log);
  expect_within_running_error("mamba2_block_bwd d", got.d, expected.d);
  expect_within_running_error("mamba2_block_bwd out_proj", got.out_proj, expected.out_proj);
}

TEST_P(Mamba2, IsTheSameUnderEverySchedule) {
  const MambaRun mamba(GetParam());
  expect_schedule_invariant([&] { return mamba.run().bytes(); }, schedules_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Mamba2, testing::ValuesIn(encoder_sizes()));

TEST(Mamba2Block, SplitKAtomicDependsOnTheSchedule) {
  const MambaRun mamba(small_encoder());
  expect_schedule_dependent("mamba2_block=split_k_atomic",
                            [&] { return mamba.run(Mamba2Variant::split_k_atomic).bytes(); });
}

// What a row gives must not depend on rows after it.
TEST(Mamba2Block, IsCausal) {
  MambaRun mamba(small_encoder());
  const auto before = mamba.run().out;
  const auto width = count(mamba.shape.width), window = count(mamba.shape.window);
  for (std::size_t i = 0; i < width; i++) mamba.x[(window - 1) * width + i] += 1.0f;
  const auto after = mamba.run().out;
  for (std::size_t i = 0; i < before.size(); i++) {
    const bool is_last_row_of_first_item = i / width == window - 1;
    EXPECT_EQ(before[i] == after[i], !is_last_row_of_first_item) << "element " << i;
  }
}

}  // namespace
}  // namespace foxhunt::test
