// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dump/format/error.h"
#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/cfc_step.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/variable_selection.h"

namespace foxhunt::test {
namespace {

// What a launcher says to sizes for which its kernels have no room; nothing is launched.
std::string refusal(const std::function<void()>& launch) {
  try {
    launch();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_argument);
    return error.what();
  }
  return "not refused";
}

std::string refusal_of_mamba2(const Mamba2Shape& shape) {
  return refusal([&] { mamba2_block_fwd(nullptr, {}, shape, {}, nullptr, nullptr); });
}

TEST(EncoderLimits, AreSaidWithTheValueThatBreaksThem) {
  EXPECT_EQ(refusal([] { attention_pool_fwd(nullptr, nullptr, 1, 5000, 8, nullptr, nullptr); }),
            "attention_pool_fwd: the window is 5000, but must be from 1 to 4096");
  EXPECT_EQ(refusal([] {
              attention_pool_bwd(nullptr, nullptr, nullptr, 1, 0, 8, nullptr, nullptr, nullptr);
            }),
            "attention_pool_bwd: the window is 0, but must be from 1 to 4096");
  EXPECT_EQ(refusal([] {
              variable_selection_fwd(nullptr, nullptr, nullptr, 1, 1, 65, 8, nullptr, nullptr);
            }),
            "variable_selection_fwd: the number of features is 65, but must be from 1 to 64");
  EXPECT_EQ(refusal([] {
              variable_selection_bwd(nullptr, nullptr, nullptr, nullptr, 1, 1, 4, 257, nullptr,
                                     nullptr, nullptr);
            }),
            "variable_selection_bwd: the width is 257, but must be from 1 to 256");
  EXPECT_EQ(refusal([] {
              cfc_step_forward_batched(nullptr, nullptr, {}, 1, 1, 8, 257, nullptr, nullptr,
                                       nullptr);
            }),
            "cfc_step_forward_batched: the hidden size is 257, but must be from 1 to 256");
  EXPECT_EQ(refusal([] {
              cfc_step_backward_batched(nullptr, nullptr, {}, nullptr, nullptr, nullptr, 1, 1, 8, 0,
                                        {}, nullptr);
            }),
            "cfc_step_backward_batched: the hidden size is 0, but must be from 1 to 256");
  EXPECT_EQ(refusal_of_mamba2({1, 4, 8, 10, 4, 3}),
            "mamba2_block_fwd: the inner width is 10, but must be a multiple of 3");
  EXPECT_EQ(refusal_of_mamba2({1, 65, 8, 16, 4, 1}),
            "mamba2_block_fwd: the window is 65, but must be from 1 to 64");
  EXPECT_EQ(
      refusal_of_mamba2({1, 60, 8, 64, 4, 1}),
      "mamba2_block_fwd: a window and heads of this length need 59520 bytes of shared memory, "
      "but a block has 49152");
}

}  // namespace
}  // namespace foxhunt::test
