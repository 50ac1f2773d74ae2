// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/gemm/gemm.h"
#include "tests/kernels/encoder/encoder_chain.h"
#include "tests/kernels/encoder/sizes.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

std::uint64_t fnv1a(const Bytes& bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 1099511628211u;
  return hash;
}

// One number for plain, instrumented, sanitized and CUDA builds and for every compiler. It changes
// only when a kernel's arithmetic is changed on purpose; then write the new one here.
TEST(EncoderChain, HasTheSameBitsInEveryBuild) {
  use_own_gemm(true);  // cuBLAS has an order of its own
  EXPECT_EQ(fnv1a(run_encoder_chain(small_encoder())), 0x788c65ac4ff0c900u);
  EXPECT_EQ(fnv1a(run_encoder_chain({9, 17, 7, 67, 65, 5, 5})), 0x07206064e62bdbecu);
  use_own_gemm(false);
}

TEST(EncoderChain, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant([] { return run_encoder_chain(small_encoder()); });
}

}  // namespace
}  // namespace foxhunt::test
