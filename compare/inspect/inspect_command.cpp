// SPDX-License-Identifier: MIT
#include "compare/inspect/inspect_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compare/inspect/npy.h"
#include "compare/inspect/show.h"
#include "compare/inspect/verify.h"
#include "compare/report/page.h"
#include "dump/format/error.h"
#include "dump/format/numbers.h"

namespace foxhunt {
namespace {

struct Command {
  std::string_view name;
  std::string_view arguments;  // after RUN
  std::size_t count;
};
constexpr std::array<Command, 4> kCommands = {{
    {"list", "", 0},
    {"verify", "", 0},
    {"show", " STEP NAME", 2},
    {"export", " STEP NAME OUT.npy", 3},
}};

const Command* find_command(std::string_view word) {
  const auto* const found = std::find_if(kCommands.begin(), kCommands.end(),
                                         [word](const Command& c) { return c.name == word; });
  return found == kCommands.end() ? nullptr : found;
}

int list(const std::string& run, const InspectCommand& command, const TextSink& out,
         const TextSink& err) {
  bool damaged = false;
  for (const Problem& problem : list_run(run, command.selection, out)) {
    err(fmt::format("[{}] {}\n", problem.code, printable(problem.message)));
    // A listing says what is there; that a run is not whole does not make it wrong.
    damaged |= problem.code != "open_run" && problem.code != "cut_run";
  }
  return damaged ? 2 : 0;
}

int verify(const std::string& run, const InspectCommand& command, const TextSink& out) {
  const Verification verification = verify_run(run, command.selection);
  out(verification_text(verification, run));
  return static_cast<int>(verification.outcome);
}

FoundBuffer find(const std::string& run, const std::string& step, const std::string& name,
                 const InspectCommand& command) {
  BufferAddress address;
  const auto number = parse_decimal(step);
  if (!number) throw Error(Errc::bad_argument, "step \"{}\": expected a number", step);
  address.step = *number;
  address.name = name;
  address.occurrence = command.occurrence;
  if (!command.dtype.empty()) {
    address.dtype = parse_dtype(command.dtype);
    if (!address.dtype) {
      throw Error(Errc::bad_argument,
                  "dtype \"{}\": expected one of f16, bf16, f32, f64, i8, u8, "
                  "i16, u16, i32, u32, i64, u64, bool, f8e4m3, f8e5m2",
                  command.dtype);
    }
  }
  return find_buffer(run, command.selection, address);
}

}  // namespace

int inspect_command(const InspectCommand& command, const TextSink& out, const TextSink& err) {
  std::vector<std::string> words = command.words;
  if (words.size() >= 2 && find_command(words[0]) != nullptr && find_command(words[1]) == nullptr) {
    std::swap(words[0], words[1]);
  }
  if (words.size() == 1) words.push_back("list");
  if (words.empty()) throw Error(Errc::bad_argument, "name a run directory");
  const Command* const chosen = find_command(words[1]);
  if (chosen == nullptr) {
    throw Error(Errc::bad_argument, "command \"{}\": expected list, verify, show or export",
                words[1]);
  }
  if (words.size() != chosen->count + 2) {
    throw Error(Errc::bad_argument, "expected RUN {}{}, found {} words more than RUN {}",
                chosen->name, chosen->arguments, words.size() - 2, chosen->name);
  }
  const std::string& run = words[0];
  if (chosen->name == "list") return list(run, command, out, err);
  if (chosen->name == "verify") return verify(run, command, out);
  const FoundBuffer buffer = find(run, words[2], words[3], command);
  if (chosen->name == "show") {
    show_buffer(buffer, command.limit, out);
  } else {
    out(export_npy(buffer, words[4], command.force) + "\n");
  }
  return 0;
}

}  // namespace foxhunt
