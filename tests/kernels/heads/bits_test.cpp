// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "tests/kernels/heads/act_sample_case.h"
#include "tests/kernels/heads/bellman_case.h"
#include "tests/kernels/heads/dqn_case.h"
#include "tests/kernels/heads/iqn_case.h"
#include "tests/kernels/heads/label_head_case.h"
#include "tests/kernels/heads/noisy_linear_case.h"
#include "tests/kernels/heads/pi_head_case.h"
#include "tests/kernels/heads/v_head_case.h"

namespace foxhunt::heads_test {
namespace {

// FNV-1a.
std::uint64_t hash_of(const Outputs& outputs) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte b : bytes_of(outputs)) {
    hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
  }
  return hash;
}

// What every build (plain, instrumented, sanitizers) by every compiler must give. A change of a
// kernel's arithmetic changes its hash here: rightly, if that was the intention.
TEST(HeadsBits, AreTheSameFromEveryBuildAndCompiler) {
  if (std::getenv("FOXHUNT_TEST_SEED") != nullptr) GTEST_SKIP() << "the hashes are of one seed";
  const DqnCase dqn(13, 12, 20, 3, 51);
  EXPECT_EQ(hash_of(LabelHeadCase(13, 20, 5).run(kFrdHead)), 0xc4e3d6391842b06eu);
  EXPECT_EQ(hash_of(VHeadCase(13, 20, 51).run()), 0x0ab5fe07bcd3f6e8u);
  EXPECT_EQ(hash_of(PiHeadCase(13, 20, 4, 0.01f).run()), 0xe596d0bc0678b62cu);
  EXPECT_EQ(hash_of(ActSampleCase(130, 4).run()), 0x436a47b6e77e371au);
  EXPECT_EQ(hash_of(NoisyLinearCase(13, 20, 24).run()), 0xe9a9d48625c1d361u);
  EXPECT_EQ(hash_of(BellmanCase(13, 3, 51).run()), 0x739ba1304d15a4a0u);
  EXPECT_EQ(hash_of(BellmanCase(13, 3, 51).compose()), 0xa972b0d75dd790f6u);
  EXPECT_EQ(hash_of(dqn.forward()), 0xcbec6038015c8607u);
  EXPECT_EQ(hash_of(dqn.backward(dqn.forward().at("q_logits"))), 0x5f35b395096078a0u);
  EXPECT_EQ(hash_of(IqnCase({5, 20, 3, 12, 9}, 51).run()), 0x48e932c7017d320fu);
}

}  // namespace
}  // namespace foxhunt::heads_test
