// SPDX-License-Identifier: MIT
#include "dump/format/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dump/format/error.h"
#include "dump/format/profile_json.h"
#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using testing::HasSubstr;

Manifest some_manifest() {
  Manifest m;
  m.run_id = "0123456789abcdef0123456789abcdef";
  m.started_at = "2026-12-01T03:23:45Z";
  m.mode = DumpMode::digest;
  m.steps = "0-3,100,200-";
  m.groups = "g,h";
  m.include = {"^sampled", "\"quoted\\\""};
  m.exclude = {"_in$"};
  m.max_bytes = ~std::uint64_t{0};
  m.rank = 3;
  m.world_size = 4;
  m.provenance = {{"argv", "train --seed 1"}, {"env.CUBLAS_WORKSPACE_CONFIG", ":4096:8"}};
  ProfileBuilder p("small");
  p.buffer("profile", 'g', DType::f32, {"B"}).launch("host").makes("profile");
  m.profile = p.build();
  return m;
}

struct Refusal {
  Errc code{};
  std::string text;
};

template <class Read>
Refusal refusal_of(Read read, std::string_view text) {
  try {
    read(text, "run_a/file");
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {Errc::device, "(accepted)"};
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

TEST(Manifest, ComesBackAsItWas) {
  const Manifest a = some_manifest();
  const Manifest b = manifest_from_json(manifest_to_json(a), "here");
  EXPECT_EQ(b.version, kFormatVersion);
  EXPECT_EQ(b.run_id, a.run_id);
  EXPECT_EQ(b.started_at, a.started_at);
  EXPECT_EQ(b.mode, a.mode);
  EXPECT_EQ(b.steps, a.steps);
  EXPECT_EQ(b.groups, a.groups);
  EXPECT_EQ(b.include, a.include);
  EXPECT_EQ(b.exclude, a.exclude);
  EXPECT_EQ(b.max_bytes, a.max_bytes);
  EXPECT_EQ(b.rank, a.rank);
  EXPECT_EQ(b.world_size, a.world_size);
  EXPECT_EQ(b.provenance, a.provenance);
  EXPECT_EQ(profile_to_json(b.profile), profile_to_json(a.profile));
}

TEST(Manifest, HandsOutItsProfileAsTextWithoutParsingIt) {
  const std::string text = manifest_to_json(some_manifest());
  const ManifestHead head = manifest_head_from_json(text, "here");
  EXPECT_EQ(head.manifest.rank, 3u);
  EXPECT_TRUE(head.manifest.profile.buffers.empty());
  EXPECT_EQ(profile_to_json(profile_from_json(head.profile_text, "here")),
            profile_to_json(some_manifest().profile));
}

TEST(Manifest, FindsItsProfileWhereverItStands) {
  const std::string text = manifest_to_json(some_manifest());
  const std::string profile(manifest_head_from_json(text, "here").profile_text);
  const std::string without = with(text, ",\n\"profile\": " + profile, "");
  for (const std::string& moved :
       {with(without, "{", "{\"profile\" :" + profile + ","),
        with(without, "\"rank\"",
             "\"deep\": [{\"profile\": 1}], \"profile\":" + profile + ", \"rank\""),
        with(without, "\"rank\"",
             "\"note\": \"\\\"profile\\\": {\", \"profile\":\n" + profile + ", \"rank\"")}) {
    EXPECT_EQ(profile_to_json(manifest_from_json(moved, "here").profile),
              profile_to_json(some_manifest().profile));
  }
}

TEST(Manifest, ReplacesBytesThatAreNoUtf8WhenItIsWritten) {
  Manifest m = some_manifest();
  m.provenance["argv"] = "train \xff\n\x01";
  EXPECT_EQ(manifest_from_json(manifest_to_json(m), "here").provenance["argv"],
            "train \xef\xbf\xbd\n\x01");
}

TEST(Manifest, IgnoresKeysItDoesNotKnow) {
  const std::string text =
      with(manifest_to_json(some_manifest()), "{", "{\"later\": {\"a\": [1]}, ");
  EXPECT_EQ(manifest_from_json(text, "here").run_id, some_manifest().run_id);
}

TEST(Manifest, NamesTheVersionOfALaterFoxhunt) {
  const std::string text = manifest_to_json(some_manifest());
  const Refusal run =
      refusal_of(manifest_from_json, with(text, "\"version\": 1", "\"version\": 2"));
  EXPECT_EQ(run.code, Errc::version);
  EXPECT_THAT(run.text, HasSubstr("run_a/file: run format 2"));
  const Refusal profile =
      refusal_of(manifest_from_json, with(text, "\n \"version\": 1", "\n \"version\": 7"));
  EXPECT_EQ(profile.code, Errc::version);
  EXPECT_THAT(profile.text, HasSubstr("profile version 7"));
}

struct Damage {
  const char *from, *to, *message;
};
void PrintTo(const Damage& d, std::ostream* out) { *out << d.from << " -> " << d.to; }
class DamagedManifest : public testing::TestWithParam<Damage> {};

TEST_P(DamagedManifest, IsRefusedNamingTheKeyAndTheFile) {
  const Refusal refusal = refusal_of(
      manifest_from_json, with(manifest_to_json(some_manifest()), GetParam().from, GetParam().to));
  EXPECT_EQ(refusal.code, Errc::format);
  EXPECT_THAT(refusal.text, HasSubstr("run_a/file: "));
  EXPECT_THAT(refusal.text, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedManifest,
    testing::Values(
        Damage{"\"version\"", "\"vision\"", "has no \"version\""},
        Damage{"\"version\": 1", "\"version\": \"1\"", "at version"},
        Damage{"\"version\": 1", "\"version\": 1.0", "at version"},
        Damage{"\"version\": 1", "\"version\": -1", "at version"},
        Damage{"0123456789abcdef0", "0123456789ABCDEF0", "32 lower-case hex digits at run_id"},
        Damage{"0123456789abcdef0", "0", "32 lower-case hex digits at run_id"},
        Damage{"2026-12-01T", "2026-12-01 ", "at started_at"},
        Damage{"\"digest\"", "\"both\"", "at mode"}, Damage{"0-3,", "3-0,", "at steps"},
        Damage{"g,h", "g,H", "at groups"}, Damage{"\"^sampled\"", "3", "at include[0]"},
        Damage{"\"rank\": 3", "\"rank\": 4", "an integer from 0 to 3 at rank"},
        Damage{"\"world_size\": 4", "\"world_size\": 0", "at world_size"},
        Damage{"\"world_size\": 4", "\"world_size\": 99999999999", "at world_size"},
        Damage{"18446744073709551615", "18446744073709551616", "at max_bytes"},
        Damage{"\":4096:8\"", "{}", "at provenance.env.CUBLAS_WORKSPACE_CONFIG"},
        Damage{"\"profile\": {", "\"prefile\": {", "has no \"profile\""},
        Damage{"\"profile\": {", "\"profile\": null, \"rest\": {", "an object"},
        Damage{"\"rank\"", "\"profile\": {}, \"rank\"", "the key profile twice"},
        Damage{"\"rank\"", "rank", "not valid JSON near byte"},
        Damage{"\":4096:8\"", "\"\xff\"", "not valid JSON near byte"},
        Damage{"\"rank\": 3", "\"rank\": 1e999", "a number that no program can read"},
        Damage{"\"dtype\": \"f32\"", "\"dtype\": \"f31\"", "at buffers[0].dtype"},
        Damage{"[\"B\"]", "[-1]", "at buffers[0].shape[0]"},
        Damage{"[\"B\"]", "[\"\"]", "at buffers[0].shape[0]"},
        Damage{"[\"B\"]", "[1,1,1,1,1,1,1,1,1]", "at buffers[0].shape"},
        Damage{"\"kind\": \"kernel\"", "\"kind\": \"elf\"", "at makers[0].kind"},
        Damage{"\"kernel\": \"host\"", "\"kernel\": \"hist\"", "at launches[0].kernel"},
        Damage{"\"makes\": [\"profile\"]", "\"makes\": [\"prefile\"]", "at launches[0].makes[0]"},
        Damage{"\"reads\": []", "\"reads\": [\"profile[-2]\"]", "at launches[0].reads[0]"},
        Damage{"\"reads\": []", "\"reads\": [\"profile\"]", "host reads profile before it is made"},
        Damage{"\"launches\"", "\"lunches\"", "has no \"launches\""}));

TEST(Manifest, IsRefusedWhenCutAnywhere) {
  std::string text = manifest_to_json(some_manifest());
  text.pop_back();  // the newline at its end
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(refusal_of(manifest_from_json, std::string_view(text).substr(0, size)).code,
              Errc::format)
        << size;
  }
}

TEST(Manifest, NeverDoesWorseThanRefuseDamagedText) {
  auto rng = test::test_rng(7);
  const std::string good = manifest_to_json(some_manifest());
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (int flips = 0; flips < 3; ++flips) text[rng() % text.size()] = static_cast<char>(rng());
    try {
      const Manifest m = manifest_from_json(text, "here");
      EXPECT_LT(m.rank, m.world_size);
    } catch (const Error& e) {
      EXPECT_TRUE(e.code() == Errc::format || e.code() == Errc::version) << e.what();
    }
  }
}

TEST(Manifest, BoundsWhatHostileTextMayCost) {
  const auto read = manifest_from_json;
  const std::string deep = "{\"x\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}";
  EXPECT_THAT(refusal_of(read, deep).text, HasSubstr("nested over 16 deep"));
  std::string wide = "{\"x\": [0";
  for (int i = 0; i < 300000; ++i) wide += ",0";
  EXPECT_THAT(refusal_of(read, wide + "]}").text, HasSubstr("over 262144 values"));
  const std::string huge = "{\"x\": \"" + std::string(kMaxManifestBytes, 'x') + "\"}";
  EXPECT_THAT(refusal_of(read, huge).text, HasSubstr("at most 4194304 are read"));
  const auto read_profile = profile_from_json;
  EXPECT_THAT(refusal_of(read_profile, deep).text, HasSubstr("nested over 16 deep"));
}

EndMarker some_marker() {
  return {kFormatVersion,     some_manifest().run_id, EndState::cut, "20 GB were written", 12, 345,
          0x00ffeeddccbbaa99, "2026-12-01T04:00:00Z"};
}

TEST(EndMarker, ComesBackAsItWas) {
  const EndMarker a = some_marker();
  const EndMarker b = end_marker_from_json(end_marker_to_json(a), "here");
  EXPECT_EQ(b.run_id, a.run_id);
  EXPECT_EQ(b.state, a.state);
  EXPECT_EQ(b.reason, a.reason);
  EXPECT_EQ(b.committed_steps, a.committed_steps);
  EXPECT_EQ(b.records, a.records);
  EXPECT_EQ(b.running_check, a.running_check);
  EXPECT_EQ(b.finished_at, a.finished_at);
}

TEST(EndMarker, IsRefusedNamingTheKeyAndTheFile) {
  const std::string good = end_marker_to_json(some_marker());
  for (const auto& [from, to, message] :
       {Damage{"\"cut\"", "\"open\"", "at state"}, Damage{"00ffee", "00FFEE", "at running_check"},
        Damage{": 345", ": -345", "at records"}, Damage{"committed", "omitted", "committed_steps"},
        Damage{"}", "", "not valid JSON"}}) {
    const Refusal refusal = refusal_of(end_marker_from_json, with(good, from, to));
    EXPECT_EQ(refusal.code, Errc::format);
    EXPECT_THAT(refusal.text, HasSubstr(message));
    EXPECT_THAT(refusal.text, HasSubstr("run_a/file"));
  }
  EXPECT_EQ(refusal_of(end_marker_from_json, with(good, ": 1,", ": 9,")).code, Errc::version);
}

}  // namespace
}  // namespace foxhunt
