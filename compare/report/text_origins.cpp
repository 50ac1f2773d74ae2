// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "compare/report/text_buffer.h"
#include "compare/report/text_sections.h"
#include "compare/verdict/claims.h"

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

// What the claim is and why, with no more undumped inputs than a reader takes in.
std::string claim_text(const Origin& origin) {
  const std::size_t inputs = origin.undumped_inputs.size();
  if (inputs <= kMaxInputs) return describe_claim(origin);
  Origin shortened = origin;
  shortened.undumped_inputs.resize(kMaxInputs);
  shortened.undumped_inputs.push_back(fmt::format("and {} more", inputs - kMaxInputs));
  return describe_claim(shortened);
}

// `said` is what was said of the origin before, so that a thousand alike are not a thousand times
// the same sentence.
void print_origin(Page& page, std::size_t number, const Origin& origin, std::string& said) {
  std::string title = fmt::format("{} ({})", origin.buffer, origin.group);
  if (origin.occurrence > 0) title += fmt::format(" occurrence {}", origin.occurrence);
  const std::string claim = claim_text(origin) + ".";
  const std::string all = claim + origin.advice;
  page.line(fmt::format("  {}. {}  <-  {}{}", number, page.paint(title, ink_of(origin.claim)),
                        origin_maker(origin), all == said ? ": as above" : ""));
  if (all == said) return;
  said = all;
  page.paragraph(claim, 5, 5);
  if (!origin.advice.empty()) page.paragraph(printable(origin.advice), 5, 5);
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
  std::string said;
  for (std::size_t i = 0; i < listed; ++i) print_origin(page, i + 1, first.origins[i], said);
  const std::uint64_t all = first.origins.size() + first.origins_not_listed;
  if (listed < all) page.line("  " + more(all - listed));
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
