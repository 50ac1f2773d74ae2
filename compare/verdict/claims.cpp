// SPDX-License-Identifier: MIT
#include "compare/verdict/claims.h"

#include <fmt/format.h>

namespace foxhunt {
namespace {

constexpr char kNoInvention[] =
    "cannot invent bits by itself: its source changed while it ran, or was not captured";

// A carried-in capture is the one external origin without a maker.
bool is_carried_in(const Origin& origin) {
  return origin.claim == Claim::external && origin.kernel.empty();
}

const char* kind_name(MakerKind kind) { return kind == MakerKind::copy ? "copy" : "view"; }

bool moves_only(MakerKind kind) { return kind == MakerKind::copy || kind == MakerKind::view; }

}  // namespace

const char* claim_name(Claim claim) noexcept {
  switch (claim) {
    case Claim::proven:
      return "proven";
    case Claim::suspected:
      return "suspected";
    case Claim::external:
      return "external";
  }
  return "unknown";
}

std::string origin_advice(const Maker* maker, bool carried_in) {
  if (carried_in) {
    return "It was different before this window began: dump the steps before it, or look at how "
           "the "
           "state was restored.";
  }
  if (maker == nullptr) {
    return "No profile says which kernel makes it: declare it in the trainer's profile, with its "
           "inputs, to know more.";
  }
  std::string text;
  if (moves_only(maker->kind)) text = fmt::format("A {} {}.", kind_name(maker->kind), kNoInvention);
  if (!text.empty() && !maker->advice.empty()) text += ' ';
  return text + maker->advice;
}

std::string origin_maker(const Origin& origin) {
  if (is_carried_in(origin)) return "carried in";
  if (origin.kernel.empty()) return "unknown kernel";
  return origin.site.empty() ? origin.kernel : fmt::format("{} ({})", origin.kernel, origin.site);
}

std::string describe_claim(const Origin& origin) {
  switch (origin.claim) {
    case Claim::external:
      return is_carried_in(origin) ? "external: it was different before this window began"
                                   : "external: the host made it from outside the graph";
    case Claim::proven:
      if (moves_only(origin.kind)) {
        return fmt::format("proven: its source was dumped and is equal, and a {} {}",
                           kind_name(origin.kind), kNoInvention);
      }
      return fmt::format(
          "proven: every input was dumped and is equal, so {} made different bits "
          "from equal bits{}",
          origin_maker(origin),
          origin.determinism == Determinism::run_to_run ||
                  origin.determinism == Determinism::gpu_to_gpu
              ? ", against what it promises"
              : "");
    case Claim::suspected:
      break;
  }
  if (origin.kernel.empty()) return "suspected: no profile says which kernel makes it";
  return fmt::format(
      "suspected: {}, or what makes one of the buffers that were not dumped: {}; dump group{} {} "
      "too",
      origin_maker(origin), fmt::join(origin.undumped_inputs, ", "),
      origin.undumped_groups.size() == 1 ? "" : "s",
      fmt::join(origin.undumped_groups.begin(), origin.undumped_groups.end(), ", "));
}

}  // namespace foxhunt
