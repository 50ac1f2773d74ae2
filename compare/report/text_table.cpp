// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "compare/report/text_sections.h"

namespace foxhunt::sections {
namespace {

constexpr std::size_t kMaxRows = 24;
constexpr std::size_t kStepWidth = 16;

struct CellText {
  const char* word;
  const char* sign;
  Page::Ink ink;
};

CellText text_of(Cell cell) {
  switch (cell) {
    case Cell::not_dumped:
      return {"not dumped", "n", Page::Ink::quiet};
    case Cell::equal:
      return {"equal", "=", Page::Ink::good};
    case Cell::diverged:
      return {"DIFFERS", "X", Page::Ink::bad};
    case Cell::trouble:
      break;
  }
  return {"trouble", "!", Page::Ink::warn};
}

bool dumped_somewhere(const RankComparison& rank, char letter) {
  return std::any_of(rank.table.begin(), rank.table.end(), [letter](const TableRow& row) {
    return row.cells[letter - 'a'] != Cell::not_dumped;
  });
}

std::string steps_of(const TableRow& row) {
  if (row.first_step == row.last_step) return fmt::format("{}", row.first_step);
  const bool all = row.steps == row.last_step - row.first_step + 1;
  return fmt::format("{}-{}{}", row.first_step, row.last_step,
                     all ? "" : fmt::format(" ({})", row.steps));
}

}  // namespace

void table(Page& page, const RankComparison& rank, const std::vector<ProfileGroup>& groups,
           bool many_ranks) {
  if (rank.table.empty()) return;
  std::string letters;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    if (dumped_somewhere(rank, letter)) letters += letter;
  }

  // Words where they fit, else signs with a legend.
  const bool words = 2 + kStepWidth + letters.size() * 12 <= Page::kWidth;
  const std::size_t width = words ? 12 : 3;
  page.section(fmt::format("Steps and groups{}{}",
                           many_ranks ? fmt::format(" of rank {}", rank.rank) : "",
                           words ? "" : "   (= equal, X differs, ! trouble, n not dumped)"));
  std::string head = fmt::format("  {:<{}}", "step", kStepWidth);
  for (const char letter : letters) head += fmt::format("{:<{}}", letter, width);
  head.erase(head.find_last_not_of(' ') + 1);
  page.line(head);

  const std::size_t listed = std::min(rank.table.size(), kMaxRows);
  for (std::size_t i = 0; i < listed; ++i) {
    const TableRow& row = rank.table[i];
    std::string text = fmt::format("  {:<{}}", steps_of(row), kStepWidth);
    for (std::size_t k = 0; k < letters.size(); ++k) {
      const CellText cell = text_of(row.cells[letters[k] - 'a']);
      const std::string_view word = words ? cell.word : cell.sign;
      text += page.paint(word, cell.ink);
      if (k + 1 < letters.size()) text.append(width - word.size(), ' ');
    }
    page.line(text);
  }
  if (listed < rank.table.size()) page.line("  " + more(rank.table.size() - listed));

  std::string missing;
  for (const ProfileGroup& group : groups) {
    if (letters.find(group.letter) != std::string::npos) continue;
    missing += fmt::format("{}{}{}", missing.empty() ? "" : ", ", group.letter,
                           group.title.empty() ? "" : " (" + printable(group.title) + ")");
  }
  if (!missing.empty()) {
    page.paragraph("Not dumped at any step, so nothing is known of: " + missing + ".", 2, 2);
  }
}

}  // namespace foxhunt::sections
