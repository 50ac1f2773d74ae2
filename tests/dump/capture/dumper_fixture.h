// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "dump/capture/dumper.h"
#include "tests/dump/capture/scoped_environment.h"
#include "tests/dump/capture/written_run.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt::test {

// A dumper in this process, armed for a fresh directory, with its messages kept.
//
// The profile: samples g/x [B,4] f32 and g/tokens i32 [6], heads h/y f32 [3], gradients i/z bf16
// [2,N] with N bound to nothing, m/params f32 [5] made once a step, and m/params_in, which carries
// params into a window.
class DumperTest : public testing::Test {
 protected:
  DumperTest();

  static Profile profile();

  // Sets FOXHUNT_DETERMINISM_<name>.
  void set(const std::string& name, const std::string& value);
  Dumper open(DumperOptions options = {});
  std::filesystem::path path() const { return directory_ / "run"; }
  WrittenRun run() const { return read_written_run(path()); }

  std::vector<std::string> messages() const;
  // The messages but for the one that names the directory, in one text.
  std::string trouble() const;

  ScopedEnvironment environment_;
  TemporaryDirectory directory_;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

// Notes one buffer of `bytes` bytes, each of them `fill`.
void note(StepScope& step, const std::string& name, std::uint64_t bytes, char fill = 'x');

}  // namespace foxhunt::test
