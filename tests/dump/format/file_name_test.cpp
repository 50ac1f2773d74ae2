// SPDX-License-Identifier: MIT
#include "dump/format/file_name.h"

#include <gtest/gtest.h>

namespace foxhunt {
namespace {

TEST(DumpFileName, RoundTrips) {
  for (const DumpName& name : {DumpName{0, 0, 'g', "sampled_h_t"}, DumpName{3, 2, 'k', "k1"},
                               DumpName{~0ull, ~0u, 'z', "a.b-c"}, DumpName{5, 0, 'a', "_"}}) {
    EXPECT_EQ(parse_dump_file_name(dump_file_name(name)), name) << dump_file_name(name);
  }
}

TEST(DumpFileName, IsTheFieldsOwnSpelling) {
  EXPECT_EQ(dump_file_name(12, 0, 'g', "sampled_h_t"), "step_12_g_sampled_h_t.bin");
  EXPECT_EQ(dump_file_name(12, 1, 'k', "labels"), "step_12_k1_k_labels.bin");
}

TEST(DumpFileName, TakesALoneKForTheGroup) {
  const auto name = parse_dump_file_name("step_0_k_outcome_labels.bin");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->group, 'k');
  EXPECT_EQ(name->occurrence, 0u);
}

class MalformedDumpFileName : public testing::TestWithParam<const char*> {};

TEST_P(MalformedDumpFileName, IsRefusedWithAReason) {
  std::string why;
  EXPECT_TRUE(claims_to_be_dump(GetParam()));
  EXPECT_FALSE(parse_dump_file_name(GetParam(), &why));
  EXPECT_FALSE(why.empty());
}

INSTANTIATE_TEST_SUITE_P(All, MalformedDumpFileName,
                         testing::Values("step_", "step_.bin", "step_1.bin", "step_1_g.bin",
                                         "step_1_g_.bin", "step_01_g_x.bin", "step_-1_g_x.bin",
                                         "step_+1_g_x.bin", "step_1_G_x.bin", "step_1_gg_x.bin",
                                         "step_1_k0_g_x.bin", "step_1_k01_g_x.bin",
                                         "step_1_k1_x.bin", "step_18446744073709551616_g_x.bin",
                                         "step_1_k4294967296_g_x.bin", "step_1_g_x.bi",
                                         "step_1_g_a b.bin", "step_1_g_../x.bin", "step_1_g_.x.bin",
                                         "step_1_g_\xff.bin", "step_bin"));

TEST(BufferName, HasABoundedLength) {
  EXPECT_TRUE(is_buffer_name(std::string(kMaxBufferName, 'x')));
  EXPECT_FALSE(is_buffer_name(std::string(kMaxBufferName + 1, 'x')));
  EXPECT_FALSE(is_buffer_name(".."));
  EXPECT_FALSE(is_buffer_name(""));
}

}  // namespace
}  // namespace foxhunt
