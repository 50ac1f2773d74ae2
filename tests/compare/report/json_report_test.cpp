// SPDX-License-Identifier: MIT
#include "compare/report/json_report.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "compare/report/json_buffer.h"
#include "dump/format/error.h"
#include "tests/compare/report/sample.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using nlohmann::json;

template <class Result>
json document(const JsonReport& report, const Result& result, std::vector<std::string> runs,
              int exit_code) {
  test::TemporaryDirectory directory;
  const int fd = ::open((directory / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  report.write(fd, "out", result, runs, exit_code);
  ::close(fd);
  return json::parse(test::read_file(directory / "out"));
}

json buffer(const BufferResult& result) { return json::parse(buffer_json(result)); }

TEST(JsonReport, HasTheKeysThatProgramsRelyOn) {
  JsonReport report;
  report.buffer(test::diverged_buffer());
  Comparison comparison = test::diverged_comparison();
  comparison.provenance_differences = {{"driver", "550", ""}};
  comparison.problems = {{"open_run", "b", "let it finish"}};
  const json all = document(report, comparison, {"a", "b"}, 1);
  EXPECT_EQ(all["format"], "foxhunt-verdict/1");
  EXPECT_EQ(all["verdict"], "diverged");
  EXPECT_EQ(all["exit_code"], 1);
  EXPECT_EQ(all["provenance_differences"],
            json::parse(R"([{"key": "driver", "a": "550", "b": ""}])"));
  EXPECT_EQ(all["problems"],
            json::parse(R"([{"code": "open_run", "path": "b", "message": "let it finish"}])"));
  EXPECT_EQ(all["healed"][0]["buffer"], "q_logits");
  EXPECT_EQ(all["runs"], json({"a", "b"}));

  const json& first = all["first_divergence"];
  EXPECT_EQ(first["step"], 2);
  EXPECT_EQ(first["occurrence"], 0);
  EXPECT_EQ(first["rank"], 0);
  EXPECT_EQ(first["groups"], json({"h"}));
  EXPECT_TRUE(first["common_undumped_ancestor"].is_null());
  ASSERT_EQ(first["origins"].size(), 1u);
  const json& origin = first["origins"][0];
  EXPECT_EQ(origin["buffer"], "q_logits");
  EXPECT_EQ(origin["group"], "h");
  EXPECT_EQ(origin["kernel"], "dqn_head_fwd");
  EXPECT_TRUE(origin["site"].is_null());
  EXPECT_EQ(origin["claim"], "proven");
  EXPECT_EQ(origin["undumped_inputs"], json::array());

  ASSERT_EQ(all["buffers"].size(), 1u);
  for (const char* key : {"rank", "step", "occurrence", "group", "name", "status", "elements",
                          "differing", "first_index", "max_abs", "max_ulp"}) {
    EXPECT_TRUE(all["buffers"][0].contains(key)) << key;
  }
}

TEST(JsonReport, HasTheVerdictBeforeTheBuffers) {
  JsonReport report;
  test::TemporaryDirectory directory;
  const int fd = ::open((directory / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  report.write(fd, "out", test::identical_comparison(), {"a", "b"}, 0);
  ::close(fd);
  const std::string text = test::read_file(directory / "out");
  EXPECT_LT(text.find("\"verdict\""), text.find("\"buffers\""));
  EXPECT_LT(text.find("\"verdict\""), 200u);
}

TEST(JsonReport, KnowsNoFirstDivergenceWhereNothingDiverged) {
  for (const Comparison& comparison :
       {test::identical_comparison(), test::unverified_comparison(), Comparison()}) {
    const json all = document(JsonReport(), comparison, {"a", "b"}, 2);
    EXPECT_TRUE(all["first_divergence"].is_null());
    EXPECT_EQ(all["buffers"], json::array());
  }
}

TEST(JsonReport, SaysNullForAKernelThatNobodyKnows) {
  Comparison comparison = test::diverged_comparison();
  comparison.ranks[0].first_divergence->origins[0].kernel.clear();
  const json all = document(JsonReport(), comparison, {"a", "b"}, 1);
  EXPECT_TRUE(all["first_divergence"]["origins"][0]["kernel"].is_null());
}

TEST(JsonReport, ListsAnyNumberOfBuffersThroughItsSpool) {
  JsonReport report;
  constexpr std::size_t kMany = 20'000;
  for (std::size_t i = 0; i < kMany; ++i) {
    report.buffer(test::equal_buffer("buffer_" + std::to_string(i), i));
  }
  const json all = document(report, test::identical_comparison(), {"a", "b"}, 0);
  ASSERT_EQ(all["buffers"].size(), kMany);
  EXPECT_EQ(all["buffers"][kMany - 1]["name"], "buffer_19999");
}

TEST(JsonReport, StaysWholeWhenItsSpoolCannotGrow) {
  ::setenv("TMPDIR", "/nowhere-at-all", 1);
  JsonReport report;
  constexpr std::uint64_t kMany = 20'000;
  for (std::uint64_t i = 0; i < kMany; ++i) report.buffer(test::equal_buffer("x", i));
  ::unsetenv("TMPDIR");
  const json all = document(report, test::identical_comparison(), {"a", "b"}, 0);
  EXPECT_EQ(all["verdict"], "identical");
  EXPECT_EQ(all["buffers"].size() + all["buffers_not_listed"].get<std::size_t>(), kMany);
  EXPECT_GT(all["buffers_not_listed"], 0);
  EXPECT_TRUE(all["buffers_trouble"].is_string());
}

TEST(JsonReport, TakesHostileTextInItsStride) {
  Comparison comparison = test::diverged_comparison();
  comparison.problems = {{"bad_name", "a/step_\xff\"\n", "\x01\xc3"}};
  comparison.provenance_differences = {{"argv", "\xed\xa0\x80", "\\u0000"}};
  EXPECT_NO_THROW(document(JsonReport(), comparison, {"a\n\"", "\xff"}, 1));
}

TEST(JsonReport, DescribesClusters) {
  JsonReport report;
  const Clustering clustering = cluster_runs(3, [&](std::size_t a, std::size_t b) {
    report.set_pair(a, b);
    if (b == 1) return test::identical_comparison();
    report.buffer(test::diverged_buffer());
    return test::diverged_comparison();
  });
  const json all = document(report, clustering, {"a", "b", "c"}, 1);
  EXPECT_EQ(all["verdict"], "diverged");
  EXPECT_EQ(all["clusters"][0]["members"], json({0, 1}));
  EXPECT_EQ(all["clusters"][1]["members"], json({2}));
  EXPECT_EQ(all["first_divergence"]["runs"], json({0, 2}));
  EXPECT_EQ(all["first_divergence"]["step"], 2);
  EXPECT_EQ(all["buffers"][0]["runs"], json({0, 2}));
  EXPECT_EQ(all["pairs"].size(), 2u);
}

TEST(BufferJson, GivesIndicesAsCoordinatesToo) {
  const json all = buffer(test::diverged_buffer());
  EXPECT_EQ(all["first_index"], 1);
  EXPECT_EQ(all["first_at"], json({0, 1}));
  EXPECT_EQ(all["last_at"], json({1, 1}));
  EXPECT_EQ(all["max_abs"], 0.5);
  EXPECT_EQ(all["max_ulp"], 4194304);
  EXPECT_EQ(all["samples"].size(), 2u);
  EXPECT_EQ(all["samples"][0]["a_bits"], "3f800000");
  EXPECT_EQ(all["ulp_histogram"]["1"], 1);
  EXPECT_EQ(all["ulp_histogram"]["more"], 1);
}

TEST(BufferJson, KeepsAnExactIntegerDifference) {
  BufferResult result = test::diverged_buffer();
  result.dtype = DType::u64;
  result.difference->max_abs_integer = 9007199254740993u;  // no double
  result.difference->ulp_measured = 0;
  const json all = buffer(result);
  EXPECT_EQ(all["max_abs"].get<std::uint64_t>(), 9007199254740993u);
  EXPECT_TRUE(all["max_ulp"].is_null());
}

TEST(BufferJson, SaysInWordsWhatJsonCannotHold) {
  BufferResult result = test::diverged_buffer();
  result.difference->max_abs = std::numeric_limits<double>::infinity();
  result.tolerance = ToleranceResult{0.1, 0, false, std::numeric_limits<double>::infinity(), 2, 1};
  const json all = buffer(result);
  EXPECT_TRUE(all["max_abs"].is_null());
  EXPECT_EQ(all["max_abs_text"], "inf");
  EXPECT_TRUE(all["tolerance"]["smallest_rtol"].is_null());
  EXPECT_EQ(all["tolerance"]["smallest_rtol_text"], "inf");
  EXPECT_EQ(all["tolerance"]["smallest_atol"], 2);
}

TEST(BufferJson, HasNothingMeasuredWhereNothingWas) {
  BufferResult result = test::diverged_buffer();
  result.difference.reset();
  result.status = Status::missing_in_b;
  const json all = buffer(result);
  EXPECT_EQ(all["status"], "missing_in_b");
  for (const char* key : {"differing", "first_index", "max_abs", "max_ulp"}) {
    EXPECT_TRUE(all[key].is_null()) << key;
  }
}

TEST(BufferJson, NamesTheChunksOfADigest) {
  BufferResult result = test::diverged_buffer();
  result.difference.reset();
  result.by_digest = true;
  result.differing_chunks = 2;
  result.first_chunks = {3, 7};
  const json all = buffer(result);
  EXPECT_EQ(all["by_digest"], true);
  EXPECT_EQ(all["first_chunks"], json({3, 7}));
  EXPECT_EQ(all["chunk_bytes"], 16384);
}

}  // namespace
}  // namespace foxhunt
