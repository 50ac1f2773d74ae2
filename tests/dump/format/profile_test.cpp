// SPDX-License-Identifier: MIT
#include "dump/format/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dump/format/error.h"
#include "dump/format/profile_json.h"

namespace foxhunt {
namespace {

using testing::HasSubstr;

// A small trainer with everything that a profile can say.
ProfileBuilder small_trainer() {
  ProfileBuilder p("small");
  p.group('g', "samples").group('m', "the update").bind("B", 64);
  p.buffer("sampled", 'g', DType::f32, {"B", "H"}).valid_extent({"B", "L"}).order_free();
  p.buffer("hidden", 'h', DType::bf16, {"B", 128});
  p.buffer("partials", 'i', DType::f32, {8, "H"}).meaning(Meaning::partial);
  p.buffer("action", 'a', DType::i32, {}).once_per_step();
  p.buffer("params", 'm', DType::f32, {"P"});
  p.buffer("params_in", 'm', DType::f32, {"P"}).carries("params");
  p.kernel("forward", Determinism::gpu_to_gpu, "one block a row");
  p.maker("host", MakerKind::host, Determinism::unknown, "");
  p.launch("host").makes("sampled");
  p.launch("host", "acting").makes("action");
  p.launch("forward", "a").reads("sampled").reads("params", 1).makes("hidden");
  p.launch("backward").reads("hidden").makes("partials");
  p.launch("update").reads("partials").reads("params", 1).makes("params");
  p.pattern({"h", "i", "g", true, {"hidden"}, {"partials"}, "look at the \"forward\""});
  return p;
}

void expect_same(const Profile& a, const Profile& b) {
  EXPECT_EQ(profile_to_json(a), profile_to_json(b));
  ASSERT_EQ(a.buffers.size(), b.buffers.size());
  for (std::size_t i = 0; i < a.buffers.size(); ++i) {
    EXPECT_EQ(a.buffers[i].shape, b.buffers[i].shape);
    EXPECT_EQ(a.buffers[i].valid_extent, b.buffers[i].valid_extent);
    EXPECT_EQ(a.buffers[i].launch, b.buffers[i].launch);
    EXPECT_EQ(a.buffers[i].cadence, b.buffers[i].cadence);
  }
  ASSERT_EQ(a.launches.size(), b.launches.size());
  for (std::size_t i = 0; i < a.launches.size(); ++i) {
    EXPECT_EQ(a.launches[i].inputs, b.launches[i].inputs);
    EXPECT_EQ(a.launches[i].outputs, b.launches[i].outputs);
  }
}

std::string mistake_of(const ProfileBuilder& builder) {
  try {
    builder.build();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_argument);
    return e.what();
  }
  return "";
}

TEST(Profile, AnswersByNameAndByLink) {
  const Profile p = small_trainer().build();
  const int params = p.find("params");
  EXPECT_EQ(p.buffers[static_cast<std::size_t>(params)].name, "params");
  EXPECT_EQ(p.carried_in(params), p.find("params_in"));
  EXPECT_EQ(p.carried_in(p.find("sampled")), -1);
  EXPECT_EQ(p.find("nobody"), -1);
  EXPECT_EQ(p.find(""), -1);
  EXPECT_EQ(p.group_title('m'), "the update");
  EXPECT_EQ(p.group_title('z'), "");
  EXPECT_EQ(p.buffers[static_cast<std::size_t>(params)].launch, 4);
  EXPECT_EQ(p.buffers[static_cast<std::size_t>(p.find("params_in"))].launch, -1);
}

TEST(ProfileBuilder, BindsSymbolsAndLeavesTheOthers) {
  const Profile p = small_trainer().build();
  const ProfileBuffer& sampled = p.buffers[0];
  EXPECT_EQ(sampled.shape, (std::vector<Extent>{{"", 64}, {"H", 0}}));
  EXPECT_EQ(sampled.valid_extent, (std::vector<Extent>{{"", 64}, {"L", 0}}));
}

TEST(ProfileBuilder, TakesAMakerThatWasNotDeclaredForAKernel) {
  const Profile p = small_trainer().build();
  EXPECT_EQ(p.makers.back().name, "update");
  EXPECT_EQ(p.makers.back().kind, MakerKind::kernel);
}

TEST(ProfileBuilder, ListsItsMistakesTogether) {
  ProfileBuilder p = small_trainer();
  p.launch("late").reads("nowhere").makes("nothing");
  p.bind("B", 65).buffer("sampled", 'g', DType::f32, {});
  const std::string text = mistake_of(p);
  EXPECT_THAT(text, HasSubstr("late reads nowhere, which is not declared"));
  EXPECT_THAT(text, HasSubstr("late makes nothing, which is not declared"));
  EXPECT_THAT(text, HasSubstr("B is bound to 64 and to 65"));
  EXPECT_THAT(text, HasSubstr("sampled is declared twice"));
}

TEST(ProfileBuilder, RefusesToSpeakOfABufferBeforeTheFirst) {
  ProfileBuilder p("empty");
  p.order_free();
  EXPECT_THAT(mistake_of(p), HasSubstr("order_free comes before any buffer"));
}

struct Mistake {
  const char* text;
  void (*make)(ProfileBuilder&);
};
void PrintTo(const Mistake& m, std::ostream* out) { *out << m.text; }
class MistakenProfile : public testing::TestWithParam<Mistake> {};

TEST_P(MistakenProfile, IsRefusedWithAReason) {
  ProfileBuilder p = small_trainer();
  GetParam().make(p);
  EXPECT_THAT(mistake_of(p), HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    All, MistakenProfile,
    testing::Values(
        Mistake{"is no buffer name",
                [](ProfileBuilder& p) { p.buffer("../x", 'g', DType::f32, {}); }},
        Mistake{"\"(unprintable)\" is no buffer name",
                [](ProfileBuilder& p) { p.buffer("\x01", 'g', DType::f32, {}); }},
        Mistake{"group of buffer x is not one of a to z",
                [](ProfileBuilder& p) { p.buffer("x", 'G', DType::f32, {}); }},
        Mistake{"x has 9 extents",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1});
                }},
        Mistake{"x holds more than 2^64 bytes",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f64, {std::uint64_t{1} << 40, std::uint64_t{1} << 30});
                }},
        Mistake{"x is neither a number nor a symbol",
                [](ProfileBuilder& p) { p.buffer("x", 'g', DType::f32, {"2B"}); }},
        Mistake{"x has 1 extents but 2 valid ones",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f32, {1}).valid_extent({1, 1});
                }},
        Mistake{"valid extent of buffer x is larger",
                [](ProfileBuilder& p) { p.buffer("x", 'g', DType::f32, {1}).valid_extent({2}); }},
        Mistake{"group g is declared twice", [](ProfileBuilder& p) { p.group('g', "again"); }},
        Mistake{"maker forward is declared twice", [](ProfileBuilder& p) { p.kernel("forward"); }},
        Mistake{"sampled is made twice",
                [](ProfileBuilder& p) { p.launch("forward").makes("sampled"); }},
        Mistake{"a launch of forward makes nothing",
                [](ProfileBuilder& p) { p.launch("forward").reads("sampled"); }},
        Mistake{"forward reads x before it is made; put the launches in execution order",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f32, {}).buffer("y", 'g', DType::f32, {});
                  p.launch("forward").reads("x").makes("y");
                  p.launch("backward").reads("y").makes("x");
                }},
        Mistake{"forward reads x before it is made",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f32, {});
                  p.launch("forward").reads("x").makes("x");
                }},
        Mistake{"reads params with lag 2",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f32, {});
                  p.launch("forward").reads("params", 2).makes("x");
                }},
        Mistake{"reads the carried-in capture params_in",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f32, {});
                  p.launch("forward").reads("params_in").makes("x");
                }},
        Mistake{"a carried-in capture has no maker",
                [](ProfileBuilder& p) { p.launch("forward").makes("params_in"); }},
        Mistake{"x carries a buffer that is not declared",
                [](ProfileBuilder& p) { p.buffer("x", 'g', DType::f32, {}).carries("gone"); }},
        Mistake{"params is carried by two captures",
                [](ProfileBuilder& p) { p.buffer("x", 'g', DType::f32, {}).carries("params"); }},
        Mistake{"itself a carried-in capture",
                [](ProfileBuilder& p) { p.buffer("x", 'g', DType::f32, {}).carries("params_in"); }},
        Mistake{"only one of them once per step",
                [](ProfileBuilder& p) {
                  p.buffer("x", 'g', DType::f32, {}).buffer("y", 'g', DType::f32, {});
                  p.once_per_step().launch("forward").makes("x").makes("y");
                }},
        Mistake{"a pattern names a group that is not one of a to z",
                [](ProfileBuilder& p) {
                  p.pattern({"G", "", "", false, {}, {}, ""});
                }},
        Mistake{"a pattern names a buffer that is not declared",
                [](ProfileBuilder& p) {
                  p.pattern({"g", "", "", false, {"gone"}, {}, ""});
                }},
        Mistake{"neither which group nor which buffer", [](ProfileBuilder& p) {
                  p.pattern({"", "g", "", false, {}, {}, ""});
                }}));

TEST(ProfileJson, ComesBackAsItWas) {
  const Profile p = small_trainer().build();
  expect_same(profile_from_json(profile_to_json(p), "here"), p);
  const Profile empty = ProfileBuilder("").build();
  expect_same(profile_from_json(profile_to_json(empty), "here"), empty);
}

TEST(ProfileJson, KeepsOneLineForEachLaunch) {
  EXPECT_THAT(profile_to_json(small_trainer().build()),
              HasSubstr("\n  {\"kernel\": \"forward\", \"site\": \"a\", \"reads\": [\"sampled\", "
                        "\"params[-1]\"], \"makes\": [\"hidden\"]},\n"));
}

TEST(ProfileJson, IgnoresKeysItDoesNotKnow) {
  std::string text = profile_to_json(small_trainer().build());
  const std::string plain = text;
  text.insert(1, "\"later\": {\"x\": [1, null]}, ");
  text.insert(text.find("{\"name\": \"hidden\"") + 1, "\"colour\": 3.5, ");
  EXPECT_EQ(profile_to_json(profile_from_json(text, "here")), plain);
}

}  // namespace
}  // namespace foxhunt
