// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/campaign.h"

#include <fmt/format.h>

#include <cstdio>

#include "kernels/math/philox.h"
#include "trainer_hooks/reference/campaign_pair.h"

namespace foxhunt {

std::uint64_t Campaign::draw(std::uint64_t part, std::uint64_t i, std::uint64_t which) const {
  const auto words = math::philox(seed, math::RngPurpose::test_input, i, part << 32 | which);
  return std::uint64_t{words.x} << 16 ^ words.y;
}

void Campaign::miss(const std::string& what, const CampaignRun& a, const CampaignRun& b) {
  ++misses;
  if (progress) fmt::print(stderr, "\r\033[K");
  fmt::print("MISS {}: {}; {}; compare-backward-state a b\n", what, a.command("a"), b.command("b"));
  std::fflush(stdout);
}

void Campaign::show(const std::string& part, std::uint64_t done, std::uint64_t of) const {
  if (!progress) return;
  fmt::print(stderr, "\r\033[K{} {} of {}, {} missed", part, done, of, misses);
  if (done == of) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void run_clean_pairs(Campaign& campaign, std::uint64_t count) {
  constexpr std::uint64_t kPart = 2, kPairsASeed = 20, kSteps = 4;
  std::uint64_t alarms = 0;
  CampaignRun before;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Each run is compared with the one before it, of the same trainer.
    const std::uint64_t trainer = i / kPairsASeed;
    CampaignRun next;
    next.trainer = campaign_options(campaign.seed + trainer, 1 + static_cast<int>(trainer % 2));
    next.first = trainer % 3;
    next.steps = next.first + kSteps;
    next.schedule_seed = campaign.draw(kPart, i, 0);
    const auto b = campaign.scratch.fresh("b");
    try {
      if (i % kPairsASeed == 0) {
        before = next;
        before.schedule_seed = campaign.draw(kPart, i, 1);
        before.record(campaign.market, campaign.scratch.fresh("a"));
      }
      next.record(campaign.market, b);
      const auto a = b.parent_path() / "a";
      const JudgedPair judged = judge(a, b);
      if (judged.verdict != Verdict::identical) {
        ++alarms;
        campaign.miss("clean pair: " + judged.text(), before, next);
      }
      campaign.scratch.fresh("a");
      std::filesystem::rename(b, a);
    } catch (const std::exception& error) {
      ++alarms;
      campaign.miss(fmt::format("clean pair: {}", error.what()), before, next);
    }
    before = next;
    campaign.show("clean pairs", i + 1, count);
  }
  fmt::print("clean pairs: {}, false alarms {}\n", count, alarms);
}

}  // namespace foxhunt
