// SPDX-License-Identifier: MIT
#include "compare/runs/run.h"

#include "compare/runs/bare_run.h"
#include "compare/runs/logged_run.h"
#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/profile_json.h"

namespace foxhunt {
namespace {
constexpr std::size_t kMaxProblemsOfARun = 1000;
}

const char* status_name(Status status) noexcept {
  switch (status) {
    case Status::equal:
      return "equal";
    case Status::diverged:
      return "diverged";
    case Status::missing_in_a:
      return "missing_in_a";
    case Status::missing_in_b:
      return "missing_in_b";
    case Status::incomparable:
      return "incomparable";
    case Status::unreadable:
      return "unreadable";
  }
  return "?";
}

const char* run_state_name(RunState state) noexcept {
  switch (state) {
    case RunState::bare:
      return "bare";
    case RunState::open:
      return "open";
    case RunState::cut:
      return "cut";
    case RunState::complete:
      return "complete";
  }
  return "?";
}

std::string Entry::payload_name() const { return dump_file_name(step, occurrence, group, name); }

void Run::add_problem(std::string code, std::string_view file, std::string message) {
  if (problems_.size() > kMaxProblemsOfARun) return;
  const std::filesystem::path path = file.empty() ? directory_->path() : directory_->path() / file;
  if (problems_.size() == kMaxProblemsOfARun) {
    problems_.push_back({"more_problems", directory_->path().string(),
                         fmt::format("{}: has more problems of this kind, not listed",
                                     directory_->path().string())});
    return;
  }
  problems_.push_back(
      {std::move(code), path.string(), fmt::format("{}: {}", path.string(), message)});
}

const Profile* Run::profile() {
  if (!manifest_) return nullptr;
  if (!profile_) {
    profile_ = profile_from_json(profile_text_, (directory_->path() / kManifestFile).string());
  }
  return &*profile_;
}

std::unique_ptr<Run> Run::open(std::unique_ptr<Directory> directory) {
  bool has_manifest = false, has_log = false, has_dumps = false;
  directory->for_each_name([&](std::string_view name) {
    has_manifest |= name == kManifestFile;
    has_log |= name == kStepLogFile || name == kMarkerFile;
    has_dumps |= claims_to_be_dump(name);
  });
  const std::string path = directory->path().string();
  if (has_manifest) return std::make_unique<LoggedRun>(std::move(directory));
  if (has_log) {
    throw Error(Errc::format,
                "{}: holds a step log or an end marker but no {}; the manifest was removed, and "
                "without it the run cannot be judged",
                path, kManifestFile);
  }
  if (!has_dumps) {
    throw Error(Errc::missing,
                "{}: is no run: it holds neither {} nor a file step_<N>_<g>_<name>.bin. Was the "
                "dumper armed (FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1), and is this its directory?",
                path, kManifestFile);
  }
  return std::make_unique<BareRun>(std::move(directory));
}

}  // namespace foxhunt
