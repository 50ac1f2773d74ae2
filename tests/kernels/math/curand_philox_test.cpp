// SPDX-License-Identifier: MIT
// cuRAND's own header, its device functions compiled for the host.
#include <gtest/gtest.h>
#include <vector_types.h>

#define QUALIFIERS [[maybe_unused]] static inline
#include <curand_philox4x32_x.h>

#include "kernels/math/philox.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

TEST(Philox, DrawsWhatCurandDraws) {
  auto rng = test_rng(1);
  const auto word = [&] { return static_cast<unsigned>(rng()); };
  for (int draw = 0; draw < 1000000; ++draw) {
    const uint4 counter{word(), word(), word(), word()};
    const uint2 key{word(), word()};
    const uint4 theirs = curand_Philox4x32_10(counter, key);
    const auto ours =
        math::philox4x32_10({counter.x, counter.y, counter.z, counter.w}, key.x, key.y);
    ASSERT_TRUE(ours.x == theirs.x && ours.y == theirs.y && ours.z == theirs.z &&
                ours.w == theirs.w)
        << "draw " << draw;
  }
}

}  // namespace
}  // namespace foxhunt::test
