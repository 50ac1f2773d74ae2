// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "kernels/registry/variants.h"
#include "trainer_hooks/reference/backend.h"
#include "trainer_hooks/reference/campaign.h"
#include "trainer_hooks/reference/campaign_pair.h"

namespace foxhunt {
namespace {

constexpr std::uint64_t kPart = 0, kSteps = 12;

// Large enough that the global norm has more than two or three chunks to add up.
TrainerOptions variant_options(std::uint64_t seed) {
  TrainerOptions options = campaign_options(seed, 1);
  options.sizes.width = 24;
  options.sizes.hidden = 24;
  return options;
}

// What became of a variant's pairs.
struct VariantRow {
  int pairs = 0, differ = 0, right = 0;
  std::map<std::string, int> named;  // kernel: pairs in which it is an origin
};

// Why the verdict is not the right one; empty if it is.
std::string objection(const KernelVariant& variant, const JudgedPair& judged, std::uint64_t step) {
  if (!judged.first || judged.verdict != Verdict::diverged) return judged.text();
  if (judged.first->step != step) {
    return fmt::format("{}, but step {} differs first", judged.text(), step);
  }
  for (const Origin& origin : judged.first->origins) {
    if (origin.kernel != variant.kernel || origin.claim != Claim::proven) return judged.text();
  }
  return judged.first->origins.empty() ? judged.text() : "";
}

VariantRow run_variant(Campaign& campaign, const KernelVariant& variant, std::uint64_t index,
                       int pairs) {
  const std::string chosen = fmt::format("{}={}", variant.kernel, variant.name);
  VariantRow row;
  CampaignRun a, b;
  for (; row.pairs < pairs; ++row.pairs) {
    const std::uint64_t i = index << 32 | static_cast<std::uint64_t>(row.pairs);
    a.trainer = variant_options(campaign.seed);
    a.trainer.variants.choose(chosen);
    a.steps = kSteps;
    b = a;
    a.schedule_seed = campaign.draw(kPart, i, 0);
    b.schedule_seed = campaign.draw(kPart, i, 1);
    try {
      const auto run_a = campaign.scratch.fresh("a"), run_b = campaign.scratch.fresh("b");
      a.record(campaign.market, run_a);
      b.record(campaign.market, run_b);
      const JudgedPair judged = judge(run_a, run_b);
      const auto step = first_differing_step(run_a, run_b);
      if (!step) {
        if (judged.verdict != Verdict::identical) campaign.miss(judged.text(), a, b);
        continue;
      }
      ++row.differ;
      if (judged.first) {
        std::map<std::string, int> here;
        for (const Origin& origin : judged.first->origins) here[origin.kernel] = 1;
        for (const auto& [kernel, one] : here) row.named[kernel] += one;
      }
      const std::string wrong = objection(variant, judged, *step);
      row.right += wrong.empty();
      if (!wrong.empty()) campaign.miss(chosen + ": " + wrong, a, b);
    } catch (const std::exception& error) {
      campaign.miss(fmt::format("{}: {}", chosen, error.what()), a, b);
    }
  }
  if (row.differ < row.pairs - std::max(1, row.pairs / 20)) {
    campaign.miss(fmt::format("{}: {} of {} pairs differ", chosen, row.differ, row.pairs), a, b);
  }
  return row;
}

}  // namespace

void run_variants(Campaign& campaign, int pairs) {
  const bool instrumented = std::string_view(backend_name()) == "simt-instrumented";
  fmt::print("{:<52} {:>8} {:>12}  named\n", "variant", "differ", "right of them");
  const auto variants = kernel_variants();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const KernelVariant& variant = variants[v];
    const bool mine = (variant.needs.instrumented || variant.needs.weak_memory) == instrumented;
    if (variant.needs.cuda || !mine) continue;
    campaign.show("variant", v, variants.size());
    const VariantRow row = run_variant(campaign, variant, v, pairs);
    std::string named;
    for (const auto& [kernel, times] : row.named) named += fmt::format("  {} {}", kernel, times);
    if (campaign.progress) fmt::print(stderr, "\r\033[K");
    fmt::print("{:<52} {:>5}/{:<2} {:>10}/{:<2}{}\n",
               fmt::format("{}={}", variant.kernel, variant.name), row.differ, row.pairs, row.right,
               row.differ, named);
    std::fflush(stdout);
  }
}

}  // namespace foxhunt
