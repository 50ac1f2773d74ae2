// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "compare/report/text_buffer.h"
#include "compare/report/text_sections.h"
#include "compare/report/words.h"

namespace foxhunt::sections {
namespace {

constexpr std::size_t kMaxInputs = 12;

std::string letters(std::string_view groups) {
  std::string out;
  for (const char letter : groups) {
    if (!out.empty()) out += ' ';
    out += letter;
  }
  return out;
}

Page::Ink ink_of(Claim claim) { return claim == Claim::proven ? Page::Ink::bad : Page::Ink::warn; }

std::string maker(const Origin& origin) {
  if (origin.kernel.empty()) return "made by a kernel that no profile knows";
  const char* kind = words::kind(origin.kind);
  std::string text = fmt::format("made by {} {}", kind, origin.kernel);
  if (origin.kind == MakerKind::host) text = fmt::format("made by the host ({})", origin.kernel);
  if (!origin.site.empty()) text += fmt::format(", launch \"{}\"", origin.site);
  return text;
}

// What the claim means for this maker, in words.
std::string reason(const Origin& origin) {
  const bool moves = origin.kind == MakerKind::copy || origin.kind == MakerKind::view;
  switch (origin.claim) {
    case Claim::proven:
      if (moves) {
        return "Every input was dumped and is equal, yet its bits differ. It cannot invent bits: "
               "its "
               "source changed while it ran, or was not captured as it stood.";
      }
      return "Every input was dumped and is equal: it made different bits from equal bits.";
    case Claim::external:
      return "It came from outside the kernels that this window shows: the fault is in the "
             "program's own code, or before the first dumped step.";
    case Claim::suspected:
      break;
  }
  if (origin.undumped_inputs.empty()) {
    return "What it reads is not known, so this maker or anything before it may be at fault. "
           "Declare it in the profile (--profile FILE, or the dumper's own).";
  }
  return fmt::format(
      "Not proven: {} not dumped, so {} or whatever made {} may be at fault. Dump group{} {} too.",
      name_list(origin.undumped_inputs, kMaxInputs) +
          (origin.undumped_inputs.size() == 1 ? " was" : " were"),
      origin.kernel.empty() ? "its kernel" : origin.kernel,
      origin.undumped_inputs.size() == 1 ? "that" : "those",
      origin.undumped_groups.size() == 1 ? "" : "s", letters(origin.undumped_groups));
}

void print_origin(Page& page, std::size_t number, const Origin& origin) {
  std::string title = fmt::format("{} ({})", origin.buffer, origin.group);
  if (origin.occurrence > 0) title += fmt::format(" occurrence {}", origin.occurrence);
  page.line(fmt::format("  {}. {}, {}: {}", number, page.paint(title, Page::Ink::heading),
                        maker(origin), page.paint(claim_name(origin.claim), ink_of(origin.claim))));
  page.paragraph(reason(origin), 5, 5);
  if (!origin.kernel.empty() && origin.determinism != Determinism::unknown) {
    page.paragraph(
        fmt::format("Its declared determinism is {}.", words::determinism(origin.determinism)), 5,
        5);
  }
  if (!origin.advice.empty()) page.paragraph("Look at: " + printable(origin.advice), 5, 5);
}

}  // namespace

void origins(Page& page, const FirstDivergence& first) {
  page.section(fmt::format("Where it begins: step {}, occurrence {} (differing groups there: {})",
                           first.step, first.occurrence, letters(first.groups)));
  if (!first.common_undumped_ancestor.empty()) {
    page.paragraph(
        fmt::format("{} all depend on {}, which was not dumped: they may be one fault. "
                    "Look there first.",
                    name_list(first.sharing, kMaxInputs), first.common_undumped_ancestor));
  }
  const std::size_t listed = std::min(first.origins.size(), kMaxListed);
  for (std::size_t i = 0; i < listed; ++i) print_origin(page, i + 1, first.origins[i]);
  if (listed < first.origins.size()) page.line("  " + more(first.origins.size() - listed));
  for (const std::string& advice : first.advice) {
    page.paragraph("What usually does this: " + printable(advice));
  }
}

void buffers(Page& page, const Highlights& highlights, const FirstDivergence* first) {
  const auto& kept = highlights.first_step();
  if (!kept) return;
  page.section(fmt::format("{} {} at step {}", count_of(kept->diverged, "buffer"),
                           kept->diverged == 1 ? "differs" : "differ", kept->step));

  // Origins first, each in execution order.
  const auto is_origin = [first](const BufferResult& result) {
    return first != nullptr &&
           std::any_of(first->origins.begin(), first->origins.end(), [&](const Origin& origin) {
             return origin.buffer == result.name && origin.occurrence == result.occurrence;
           });
  };
  std::vector<const BufferResult*> order;
  for (const BufferResult& result : kept->buffers) order.push_back(&result);
  std::stable_partition(order.begin(), order.end(),
                        [&](const BufferResult* result) { return is_origin(*result); });

  const std::size_t listed = std::min(order.size(), kMaxListed);
  for (std::size_t i = 0; i < listed; ++i) print_buffer(page, *order[i]);
  if (listed < kept->diverged) page.line("  " + more(kept->diverged - listed));
}

}  // namespace foxhunt::sections
