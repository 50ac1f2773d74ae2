// SPDX-License-Identifier: MIT
#include "kernels/simt/races.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "dump/format/error.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/symbols.h"

namespace foxhunt::simt {
namespace {

std::vector<Race> found;

std::string text_of(const Race::Access& access) {
  return fmt::format("{}{} of {} bytes", access.atomic ? "atomic " : "",
                     access.write ? "write" : "read", access.bytes);
}

}  // namespace

std::string Race::text() const {
  return fmt::format("{}:{}: {} races with {} at {}:{} ({})", first.file, first.line,
                     text_of(first), text_of(second), second.file, second.line, kernel);
}

bool detects_races() { return kDetectsRaces; }

std::vector<Race> take_races() { return std::exchange(found, {}); }

#if defined(FOXHUNT_SIMT_RACE_RUNTIME)

constexpr std::size_t kFrames = 12;
constexpr std::size_t kMaxRaw = 1000;   // of one launch; more say nothing new
constexpr unsigned kMaxRepeats = 100;   // in a row, as a loop's
constexpr std::ptrdiff_t kInALoop = 8;  // places of one loop, perhaps unrolled, that take turns

struct RawAccess {
  int size, write, atomic;
  void* trace[kFrames];
};
struct RawReport {
  RawAccess access[2];
};
RawReport raw_reports[kMaxRaw];
std::size_t raw_count = 0;
unsigned repeats = 0;  // of the last ones

// Whether the newest report says what one of the few before it does.
bool told_just_before(const RawReport& newest) {
  const RawReport* const last = &newest - std::min<std::ptrdiff_t>(kInALoop, &newest - raw_reports);
  return std::any_of(last, &newest, [&](const RawReport& other) {
    return std::memcmp(&newest, &other, sizeof newest) == 0;
  });
}

namespace {

// Nothing, if it is the executor's own. An access that ThreadSanitizer saw too long ago to know
// from where has no place: line 0.
std::optional<Race::Access> kernel_access(const RawAccess& raw) {
  if (raw.trace[0] == nullptr) {
    return Race::Access{
        raw.write != 0, raw.atomic != 0, static_cast<std::size_t>(raw.size), "", "", 0};
  }
  for (void* const pc : raw.trace) {
    if (pc == nullptr) break;
    const void* const call = static_cast<const char*>(pc) - 1;  // these are return addresses
    const CodePlace place = place_of_code(call);
    if (!place.file.empty()) {
      return Race::Access{raw.write != 0, raw.atomic != 0, static_cast<std::size_t>(raw.size),
                          place.function, place.file,      place.line};
    }
    if (is_executor_code(call)) break;
  }
  return std::nullopt;
}

bool known(const Race& race) {
  const auto key = [](const Race& r) {
    const auto side = [](const Race::Access& a) { return std::tuple(a.file, a.line, a.write); };
    return std::minmax({side(r.first), side(r.second)});
  };
  return std::any_of(found.begin(), found.end(),
                     [&](const Race& other) { return key(other) == key(race); });
}

}  // namespace

void race_take_reports() {
  for (std::size_t i = 0; i < raw_count; ++i) {
    const auto first = kernel_access(raw_reports[i].access[0]);
    const auto second = kernel_access(raw_reports[i].access[1]);
    if (!first || !second) continue;
    Race race{*first, *second, running_kernel()};
    if (!known(race)) found.push_back(std::move(race));
  }
  raw_count = 0;
}

#endif

}  // namespace foxhunt::simt

#if defined(FOXHUNT_SIMT_RACE_RUNTIME)

extern "C" {

int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count,
                           int* mop_count, int* loc_count, int* mutex_count, int* thread_count,
                           int* unique_tid_count, void** sleep_trace, unsigned long trace_size);
int __tsan_get_report_mop(void* report, unsigned long idx, int* tid, void** addr, int* size,
                          int* write, int* atomic, void** trace, unsigned long trace_size);
void __sanitizer_set_report_fd(void* fd);

// Reports are taken apart below, and leave the program's exit code alone: what a race means is for
// whoever asked. An access that was reported once is reported again in the next run.
const char* __tsan_default_options();
const char* __tsan_default_options() {
  return "exitcode=0:symbolize=0:suppress_equal_stacks=0:suppress_equal_addresses=0:report_thread_"
         "leaks=0:"
         "report_signal_unsafe=0:report_destroy_locked=0:history_size=5:"
         "print_suppressions=0";
}

// Called in the middle of an access: no memory may be allocated here.
void __tsan_on_report(void* report);
void __tsan_on_report(void* report) {
  const char* description = nullptr;
  int count, stacks, accesses, locations, mutexes, threads, tids;
  void* sleep[1] = {};
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes,
                         &threads, &tids, sleep, 1);
  if (foxhunt::simt::raw_count == foxhunt::simt::kMaxRaw) {
    foxhunt::simt::race_ignore_begin();  // nothing new comes of this thread, and each report takes
                                         // long
    return;
  }
  if (accesses < 2) return;
  ++foxhunt::simt::progress;  // a report takes longer than what it is about
  foxhunt::simt::RawReport& raw = foxhunt::simt::raw_reports[foxhunt::simt::raw_count++];
  for (unsigned long i = 0; i < 2; ++i) {
    foxhunt::simt::RawAccess& access = raw.access[i];
    int tid = 0;
    void* address = nullptr;
    for (void*& frame : access.trace) frame = nullptr;  // it fills in those that it knows
    __tsan_get_report_mop(report, i, &tid, &address, &access.size, &access.write, &access.atomic,
                          access.trace, foxhunt::simt::kFrames);
  }
  using foxhunt::simt::raw_count;
  if (foxhunt::simt::told_just_before(raw)) {
    --raw_count;
    if (++foxhunt::simt::repeats == foxhunt::simt::kMaxRepeats) foxhunt::simt::race_ignore_begin();
  } else {
    foxhunt::simt::repeats = 0;
  }
}

int __tsan_on_finalize(int failed);
int __tsan_on_finalize(int) { return 0; }  // who wants to fail for a race asks take_races()

}  // extern "C"

namespace {

// ThreadSanitizer's own text would drown the result; FOXHUNT_SIMT_RACE_VERBOSE=1 shows it.
[[maybe_unused]] const bool quiet = [] {
  if (std::getenv("FOXHUNT_SIMT_RACE_VERBOSE") != nullptr) return false;
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(nowhere)));
  }
  return true;
}();

}  // namespace

#endif
