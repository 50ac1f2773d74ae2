// SPDX-License-Identifier: MIT
#include "dump/capture/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace foxhunt {
namespace {

using testing::HasSubstr;

TEST(Provenance, TakesTheFiveFamiliesOfVariables) {
  const char* const environment[] = {"FOXHUNT_KERNEL_VARIANT=x=y",
                                     "CUDA_VISIBLE_DEVICES=0",
                                     "CUBLAS_WORKSPACE_CONFIG=:4096:8",
                                     "NCCL_ALGO=Ring",
                                     "OMP_NUM_THREADS=",
                                     "HOME=/root",
                                     "XCUDA_=1",
                                     "FOXHUNT_DETERMINISM_DIR=/run",
                                     "no equals sign",
                                     nullptr};
  const auto found = find_provenance(environment);
  EXPECT_EQ(found.at("env.FOXHUNT_KERNEL_VARIANT"), "x=y");
  EXPECT_EQ(found.at("env.CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(found.at("env.CUBLAS_WORKSPACE_CONFIG"), ":4096:8");
  EXPECT_EQ(found.at("env.NCCL_ALGO"), "Ring");
  EXPECT_EQ(found.at("env.OMP_NUM_THREADS"), "");
  EXPECT_EQ(found.count("env.HOME"), 0u);
  EXPECT_EQ(found.count("env.XCUDA_"), 0u);
  EXPECT_EQ(found.count("env.FOXHUNT_DETERMINISM_DIR"), 0u);
  EXPECT_THAT(found.at("argv"), HasSubstr("test"));
  EXPECT_NE(found.at("host"), "");
  EXPECT_THAT(found.at("kernel"), HasSubstr("Linux"));
}

TEST(QuoteCommand, WritesWhatAShellReadsBack) {
  using namespace std::string_literals;
  EXPECT_EQ(quote_command("./train\0--lr=1e-3\0a b\0\0"s), "./train --lr=1e-3 'a b' ''");
  EXPECT_EQ(quote_command("a'b\0c\nd\0"s), "$'a\\x27b' $'c\\x0ad'");
  EXPECT_EQ(quote_command(""), "");
}

TEST(QuoteCommand, TurnsBytesThatAreNoUtf8IntoEscapes) {
  using namespace std::string_literals;
  EXPECT_EQ(quote_command("caf\xc3\xa9\0caf\xe9\0"s), "'caf\xc3\xa9' $'caf\\xe9'");
}

TEST(Printable, KeepsUtf8AndEscapesTheRest) {
  EXPECT_EQ(escape_controls("a \xe2\x82\xac \xf0\x9f\xa6\x8a"), "a \xe2\x82\xac \xf0\x9f\xa6\x8a");
  EXPECT_EQ(escape_controls("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(escape_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(escape_controls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(escape_controls("\xe2\x82"), "\\xe2\\x82");  // cut short
  EXPECT_EQ(escape_controls("a\x01\x7f"), "a\\x01\\x7f");
}

TEST(Provenance, EndsAVeryLongValueInItsDigest) {
  const std::string a = "OMP_X=" + std::string(100000, 'a'), b = a + "b";
  const char* const first[] = {a.c_str(), nullptr};
  const char* const second[] = {b.c_str(), nullptr};
  const std::string value = find_provenance(first).at("env.OMP_X");
  EXPECT_LT(value.size(), 40000u);
  EXPECT_NE(value, find_provenance(second).at("env.OMP_X"));
}

}  // namespace
}  // namespace foxhunt
