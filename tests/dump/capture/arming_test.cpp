// SPDX-License-Identifier: MIT
#include "dump/capture/arming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

GetEnv environment_of(const Variables& variables) {
  return [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

Arming read(const Variables& variables) { return read_arming(environment_of(variables)); }
bool armed(const Variables& variables) { return is_armed_by(environment_of(variables)); }
Rank rank(const Variables& variables) { return rank_of(environment_of(variables)); }

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_argument);
    return e.what();
  }
  ADD_FAILURE() << "was accepted";
  return "";
}

TEST(Gate, OnlyOneArms) {
  EXPECT_TRUE(armed({{"FOXHUNT_DETERMINISM_DEBUG_BACKWARD", "1"}}));
  EXPECT_FALSE(armed({}));
  EXPECT_FALSE(armed({{"FOXHUNT_DETERMINISM_DEBUG_BACKWARD", ""}}));
  EXPECT_FALSE(armed({{"FOXHUNT_DETERMINISM_DEBUG_BACKWARD", "0"}}));
}

TEST(Gate, AnythingElseIsAnErrorThatNamesTheVariable) {
  for (const std::string value : {"yes", "2", "01", "1 ", " 1", "true", "00"}) {
    const Variables variables{{"FOXHUNT_DETERMINISM_DEBUG_BACKWARD", value}};
    EXPECT_THAT(refusal([&] { armed(variables); }),
                AllOf(HasSubstr("FOXHUNT_DETERMINISM_DEBUG_BACKWARD"), HasSubstr(value)));
  }
}

TEST(Arming, HasTheDefaultsOfTheDesign) {
  for (const Variables& variables :
       {Variables{}, Variables{{"FOXHUNT_DETERMINISM_DIR", ""},
                               {"FOXHUNT_DETERMINISM_STEPS", ""},
                               {"FOXHUNT_DETERMINISM_GROUPS", ""},
                               {"FOXHUNT_DETERMINISM_INCLUDE", ""},
                               {"FOXHUNT_DETERMINISM_EXCLUDE", ""},
                               {"FOXHUNT_DETERMINISM_MODE", ""},
                               {"FOXHUNT_DETERMINISM_MAX_BYTES", ""}}}) {
    const Arming arming = read(variables);
    EXPECT_EQ(arming.steps.to_string(), "0-3");
    EXPECT_TRUE(arming.filter.accepts_everything());
    EXPECT_EQ(arming.mode, DumpMode::full);
    EXPECT_EQ(arming.max_bytes, 20'000'000'000u);
    EXPECT_EQ(arming.rank.world_size, 1u);
    EXPECT_TRUE(arming.directory.is_absolute());
    EXPECT_THAT(arming.directory.string(),
                testing::ContainsRegex("/foxhunt_runs/[0-9]{8}T[0-9]{6}Z-[0-9]+$"));
  }
}

TEST(Arming, TakesWhatTheVariablesSay) {
  const Arming arming = read({{"FOXHUNT_DETERMINISM_DIR", "/data/run"},
                              {"FOXHUNT_DETERMINISM_STEPS", "5,0-1"},
                              {"FOXHUNT_DETERMINISM_GROUPS", "g,h"},
                              {"FOXHUNT_DETERMINISM_INCLUDE", "^q_"},
                              {"FOXHUNT_DETERMINISM_EXCLUDE", "x$"},
                              {"FOXHUNT_DETERMINISM_MODE", "digest"},
                              {"FOXHUNT_DETERMINISM_MAX_BYTES", "3M"}});
  EXPECT_EQ(arming.directory, "/data/run");
  EXPECT_EQ(arming.steps.to_string(), "0-1,5");
  EXPECT_TRUE(arming.filter.accepts('g', "q_a"));
  EXPECT_FALSE(arming.filter.accepts('i', "q_a"));
  EXPECT_FALSE(arming.filter.accepts('h', "v"));
  EXPECT_FALSE(arming.filter.accepts('h', "q_x"));
  EXPECT_EQ(arming.mode, DumpMode::digest);
  EXPECT_EQ(arming.max_bytes, 3'000'000u);
}

TEST(Arming, RefusesABadValueAndNamesItsVariable) {
  const Variables bad{
      {"FOXHUNT_DETERMINISM_STEPS", "3-1"}, {"FOXHUNT_DETERMINISM_GROUPS", "G"},
      {"FOXHUNT_DETERMINISM_INCLUDE", "("}, {"FOXHUNT_DETERMINISM_EXCLUDE", "["},
      {"FOXHUNT_DETERMINISM_MODE", "Full"}, {"FOXHUNT_DETERMINISM_MAX_BYTES", "20 GB"}};
  for (const auto& [name, value] : bad) {
    const Variables one{{name, value}};
    EXPECT_THAT(refusal([&] { read(one); }), AllOf(HasSubstr(name), HasSubstr(value)));
  }
  const Variables nothing{{"FOXHUNT_DETERMINISM_MAX_BYTES", "0"}};
  refusal([&] { read(nothing); });
}

TEST(ByteSize, IsDecimal) {
  EXPECT_EQ(parse_byte_size("7"), 7u);
  EXPECT_EQ(parse_byte_size("2k"), 2'000u);
  EXPECT_EQ(parse_byte_size("2M"), 2'000'000u);
  EXPECT_EQ(parse_byte_size("20G"), 20'000'000'000u);
  EXPECT_EQ(parse_byte_size("3T"), 3'000'000'000'000u);
  EXPECT_EQ(parse_byte_size("18446744073709551615"), 18446744073709551615u);
  for (const char* const text : {"", "G", "-1", "1.5G", "1g", "1GB", "1 G", "01", "99999999T",
                                 "18446744073709551616", "1kk"}) {
    EXPECT_FALSE(parse_byte_size(text)) << text;
  }
}

TEST(RankOf, ReadsEachLaunchersVariablesInTurn) {
  EXPECT_EQ(rank({}).world_size, 1u);
  const Variables all{{"RANK", "1"},
                      {"WORLD_SIZE", "2"},
                      {"OMPI_COMM_WORLD_RANK", "2"},
                      {"OMPI_COMM_WORLD_SIZE", "3"},
                      {"SLURM_PROCID", "3"},
                      {"SLURM_NTASKS", "4"},
                      {"PMI_RANK", "4"},
                      {"PMI_SIZE", "5"}};
  Variables left = all;
  std::uint32_t expected = 1;
  for (const char* const first : {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK"}) {
    EXPECT_EQ(rank(left).rank, expected);
    EXPECT_EQ(rank(left).world_size, expected + 1);
    left.erase(first);  // half a pair counts for nothing
    ++expected;
  }
  EXPECT_EQ(rank(left).world_size, 1u);
}

TEST(RankOf, RefusesAPairThatNamesNoRank) {
  for (const auto& [r, size] :
       {std::pair("2", "2"), {"a", "2"}, {"-1", "2"}, {"0", "4294967296"}}) {
    const Variables variables{{"RANK", r}, {"WORLD_SIZE", size}};
    EXPECT_THAT(refusal([&] { rank(variables); }), HasSubstr("WORLD_SIZE"));
  }
}

TEST(Arming, PutsEachRankIntoADirectoryOfItsOwn) {
  const Arming arming =
      read({{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"FOXHUNT_DETERMINISM_DIR", "/data/run"}});
  EXPECT_EQ(arming.directory, "/data/run/rank_3");
  EXPECT_EQ(arming.rank.rank, 3u);
}

TEST(Arming, TakesTheNameOfADistributedRunFromItsJob) {
  const auto directory = [](Variables variables) {
    variables["RANK"] = "0";
    variables["WORLD_SIZE"] = "2";
    return read(variables).directory.string();
  };
  EXPECT_THAT(directory({{"SLURM_JOB_ID", "77"}}), EndsWith("/foxhunt_runs/slurm-77/rank_0"));
  EXPECT_THAT(directory({{"SLURM_JOB_ID", "77"}, {"SLURM_STEP_ID", "1"}}),
              EndsWith("/foxhunt_runs/slurm-77.1/rank_0"));
  EXPECT_THAT(directory({{"TORCHELASTIC_RUN_ID", "../x y"}}),
              EndsWith("/foxhunt_runs/_._x_y/rank_0"));
  EXPECT_THAT(directory({{"TORCHELASTIC_RUN_ID", "id"}, {"TORCHELASTIC_RESTART_COUNT", "2"}}),
              EndsWith("/foxhunt_runs/id-restart2/rank_0"));
  EXPECT_THAT(directory({{"TORCHELASTIC_RUN_ID", "none"}, {"PMIX_NAMESPACE", "prterun-1@1"}}),
              EndsWith("/foxhunt_runs/prterun-1_1/rank_0"));
}

TEST(Arming, RefusesADistributedRunWithoutANameAndSaysWhy) {
  const Variables variables{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "none"}};
  EXPECT_THAT(refusal([&] { read(variables); }),
              AllOf(HasSubstr("rank 0 of 2"), HasSubstr("FOXHUNT_DETERMINISM_DIR"),
                    HasSubstr("SLURM_JOB_ID")));
}

}  // namespace
}  // namespace foxhunt
