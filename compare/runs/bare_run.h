// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compare/runs/run.h"

namespace foxhunt {

// A directory of dump files without a manifest, made by another trainer or an older dumper. Its
// order is the profile's: occurrence, then launch order; buffers that the profile does not know
// come last, by group and name.
class BareRun : public Run {
 public:
  explicit BareRun(std::unique_ptr<Directory> directory);

  void use_profile(const Profile& profile) override { profile_ = &profile; }
  std::optional<Step> next_step() override;

 private:
  struct File {
    std::uint64_t step;
    std::uint32_t occurrence;
    std::uint32_t buffer;  // index into buffers_
  };
  struct Buffer {
    char group = 'a';
    std::string name;
    std::uint32_t order = 0;
    std::optional<DType> dtype;
  };
  void sort_files();

  const Profile* profile_ = nullptr;
  std::vector<Buffer> buffers_;
  std::vector<File> files_;
  std::size_t next_ = 0;
  bool sorted_ = false;
  std::vector<Entry> entries_;
};

// Position of each buffer in execution order: the index of the launch that makes it, then its own
// place in the profile.
std::vector<std::uint32_t> execution_order(const Profile& profile);

}  // namespace foxhunt
