// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compare/verdict/walk.h"
#include "dump/format/profile_json.h"
#include "tests/compare/verdict/plain_walk.h"
#include "tests/compare/verdict/step_dump.h"
#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using test::PlainWalk;
using test::StepDump;
using Rng = std::mt19937_64;

bool chance(Rng& rng, int percent) { return static_cast<int>(rng() % 100) < percent; }
std::uint64_t up_to(Rng& rng, std::uint64_t most) { return rng() % (most + 1); }

std::string told(const std::optional<FirstDivergence>& first) {
  if (!first) return "nothing diverged";
  std::string text = fmt::format("step {} occurrence {} groups {}\n", first->step,
                                 first->occurrence, first->groups);
  for (const Origin& o : first->origins) {
    text += fmt::format("{} {} k{} {}({}) kind {} {}: {} / {}\n", o.group, o.buffer, o.occurrence,
                        o.kernel, o.site, static_cast<int>(o.kind), claim_name(o.claim),
                        fmt::join(o.undumped_inputs, " "), o.undumped_groups);
  }
  return text + fmt::format("common {} of {}\n", first->common_undumped_ancestor,
                            fmt::join(first->sharing, " "));
}

std::string told(std::uint64_t step, const StepDump& dump) {
  std::string text = fmt::format("dump of step {}:", step);
  for (const Instance& i : dump.instances()) {
    text += fmt::format(" {}{}k{}", i.name, "=!?"[static_cast<int>(i.evidence)], i.occurrence);
  }
  return text + "\n";
}

using Steps = std::vector<std::pair<std::uint64_t, StepDump>>;

// Returns whether anything diverged.
bool expect_agreement(const Profile& profile, const Steps& steps) {
  Walk walk(profile);
  PlainWalk plain(profile);
  for (const auto& [step, dump] : steps) {
    walk.add_step(step, dump.instances());
    plain.add_step(step, dump.instances());
  }
  const auto expected = plain.first_divergence();
  if (told(walk.first_divergence()) != told(expected)) {
    std::string dumps;
    for (const auto& [step, dump] : steps) dumps += told(step, dump);
    ADD_FAILURE() << "walk says\n"
                  << told(walk.first_divergence()) << "plainly\n"
                  << told(expected) << dumps << profile_to_json(profile);
  }
  return expected.has_value();
}

// Steps from 0 or later, sometimes with a gap, as a trainer with a K-loop would dump them.
template <class MakeStep>
Steps random_steps(Rng& rng, MakeStep make_step) {
  Steps steps;
  std::uint64_t number = up_to(rng, 2);
  const auto count = 1 + up_to(rng, 2);
  for (std::uint64_t i = 0; i < count; ++i, number += chance(rng, 15) ? 2 : 1) {
    steps.emplace_back(number, make_step(i == 0, i + 1 == count));
  }
  return steps;
}

void disturb(Rng& rng, const Profile& profile, StepDump& dump, std::uint32_t occurrences,
             int percent) {
  for (const ProfileBuffer& buffer : profile.buffers) {
    const auto occurrence = static_cast<std::uint32_t>(up_to(rng, occurrences - 1));
    if (chance(rng, percent)) dump.diverge(buffer.name, occurrence, up_to(rng, 3));
    if (chance(rng, percent)) dump.unknown(buffer.name, occurrence);
    if (chance(rng, percent)) dump.drop(buffer.name);
    if (chance(rng, percent)) dump.equal(buffer.name, occurrence);
  }
  if (chance(rng, 5)) dump.equal("late_stranger", occurrences + 1);
  if (chance(rng, percent)) dump.diverge("stranger", 0).diverge("another", occurrences - 1);
}

constexpr std::string_view kAllGroups = "arpgehtkjdilm";

std::string random_groups(Rng& rng) {
  std::string groups;
  for (const char letter : kAllGroups) {
    if (chance(rng, 50)) groups += letter;
  }
  return groups;
}

void check_subset(Rng& rng, const std::string& diverging) {
  const Profile& profile = builtin_profile();
  for (const std::string& dumped :
       {std::string("ghijk"), std::string(kAllGroups), random_groups(rng)}) {
    for (const int disturbance : {0, 2}) {
      const auto occurrences = static_cast<std::uint32_t>(1 + up_to(rng, 2));
      expect_agreement(profile, random_steps(rng, [&](bool first, bool last) {
                         StepDump dump(profile, dumped, occurrences);
                         if (first && chance(rng, 50)) dump.carried_in(kAllGroups);
                         if (last) dump.diverge_groups(diverging);
                         disturb(rng, profile, dump, occurrences, last ? disturbance : 0);
                         return dump;
                       }));
    }
  }
}

TEST(Walk, AgreesWithThePlainRuleForEverySubsetOfTheFieldsGroups) {
  Rng rng = test::test_rng(1);
  for (unsigned subset = 0; subset < 32; ++subset) {
    std::string diverging;
    for (unsigned bit = 0; bit < 5; ++bit) {
      if (subset >> bit & 1) diverging += "ghijk"[bit];
    }
    check_subset(rng, diverging);
  }
}

TEST(Walk, AgreesWithThePlainRuleForSubsetsOfAllGroups) {
  Rng rng = test::test_rng(2);
  for (int i = 0; i < 60; ++i) check_subset(rng, random_groups(rng));
}

// Up to 14 buffers with launches, captures, lags, cadences and kinds of all sorts.
Profile random_profile(Rng& rng) {
  ProfileBuilder p("random");
  const auto buffers = 2 + up_to(rng, 12);
  const auto name = [](std::uint64_t b) { return fmt::format("b{}", b); };
  std::vector<std::uint64_t> made;
  std::vector<bool> once(buffers);
  for (std::uint64_t b = 0; b < buffers; ++b) {
    p.buffer(name(b), static_cast<char>('g' + up_to(rng, 4)), DType::f32, {});
    once[b] = chance(rng, 20);
    if (once[b]) p.once_per_step();
  }
  for (const MakerKind kind :
       {MakerKind::kernel, MakerKind::copy, MakerKind::view, MakerKind::host}) {
    p.maker(fmt::format("maker{}", static_cast<int>(kind)), kind, Determinism::unknown, "");
  }
  for (std::uint64_t b = 0; b < buffers; ++b) {
    if (chance(rng, 10)) {  // nobody makes it
      made.push_back(b);
      continue;
    }
    const auto kind = chance(rng, 70) ? 0 : up_to(rng, 3);
    auto launch = p.launch(fmt::format("maker{}", kind), fmt::format("s{}", b));
    for (const std::uint64_t earlier : made) {
      if (chance(rng, 35)) launch.reads(name(earlier));
    }
    for (std::uint64_t any = 0; any < buffers; ++any) {
      if (chance(rng, 12)) launch.reads(name(any), 1);
    }
    std::vector<std::uint64_t> outputs = {b};
    while (b + 1 < buffers && once[b + 1] == once[b] && chance(rng, 30)) outputs.push_back(++b);
    for (const std::uint64_t output : outputs) launch.makes(name(output));
    made.insert(made.end(), outputs.begin(), outputs.end());
  }
  for (std::uint64_t b = 0; b < buffers; ++b) {
    if (chance(rng, 20)) {
      p.buffer(name(b) + "_in", 'm', DType::f32, {}).once_per_step().carries(name(b));
    }
  }
  return p.build();
}

TEST(Walk, AgreesWithThePlainRuleOnRandomGraphs) {
  Rng rng = test::test_rng(3);
  int diverged = 0;
  for (int i = 0; i < 4000; ++i) {
    const Profile profile = random_profile(rng);
    const auto occurrences = static_cast<std::uint32_t>(1 + up_to(rng, 2));
    const int missing = chance(rng, 50) ? 30 : 5;
    std::vector<bool> dumped;
    for (std::size_t b = 0; b < profile.buffers.size(); ++b) {
      dumped.push_back(!chance(rng, missing));
    }
    diverged += expect_agreement(
        profile, random_steps(rng, [&](bool first, bool last) {
          StepDump dump(profile, "ghijk", occurrences);
          if (first && chance(rng, 60)) dump.carried_in("m");
          for (std::size_t b = 0; b < dumped.size(); ++b) {
            if (!dumped[b]) dump.drop(profile.buffers[b].name);
          }
          disturb(rng, profile, dump, occurrences, last ? 12 : chance(rng, 30) ? 2 : 0);
          if (chance(rng, 15)) dump.spread(static_cast<std::uint32_t>(2 + up_to(rng, 2)));
          return dump;
        }));
    if (HasFailure()) break;
  }
  EXPECT_GT(diverged, 2000);
}

}  // namespace
}  // namespace foxhunt
