// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/math/philox.h"
#include "tests/kernels/chain/chain.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {

// Device buffers by name; what is asked for first is made then.
class ChainBuffers {
 public:
  // One that a kernel overwrites and the chain returns.
  float* out(const std::string& name, int size) {
    if (!floats_.contains(name)) written_.push_back(name);
    return scratch(name, size);
  }
  int* out_ints(const std::string& name, int size) {
    if (!ints_.contains(name)) written_.push_back(name);
    return make(ints_, name, size);
  }
  // One that belongs to a kernel alone, or to the host.
  float* scratch(const std::string& name, int size) { return make(floats_, name, size); }
  int* ints(const std::string& name, int size) { return make(ints_, name, size); }

  // Values from the host: these, or draws of a step between two numbers.
  float* fill(const std::string& name, const std::vector<float>& values) {
    float* const to = scratch(name, static_cast<int>(values.size()));
    floats_.at(name)->write(values);
    return to;
  }
  int* fill(const std::string& name, const std::vector<int>& values) {
    int* const to = ints(name, static_cast<int>(values.size()));
    ints_.at(name)->write(values);
    return to;
  }
  float* fill(const std::string& name, int size, std::uint64_t step, float low, float high) {
    std::vector<float> values(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto draw = math::philox(stream_of(name), math::RngPurpose::test_input, step, i);
      values[i] = math::fma(math::add(high, -low), math::uniform(draw.x), low);
    }
    return fill(name, values);
  }

  // What has been made so far is carried from step to step, and stands last among the outputs.
  void carry() { carried_.swap(written_); }

  // All that kernels wrote, as it stands now.
  void append_outputs(const std::string& prefix, std::vector<ChainOutput>& outputs) {
    std::vector<std::string> names = written_;
    names.insert(names.end(), carried_.begin(), carried_.end());
    for (const std::string& name : names) {
      ChainOutput output{prefix + name, {}};
      if (floats_.contains(name)) {
        append(output.bytes, floats_.at(name)->read());
      } else {
        append(output.bytes, ints_.at(name)->read());
      }
      outputs.push_back(std::move(output));
    }
  }

 private:
  template <class T>
  using Arrays = std::map<std::string, std::unique_ptr<DeviceArray<T>>>;

  template <class T>
  static T* make(Arrays<T>& arrays, const std::string& name, int size) {
    auto& array = arrays[name];
    if (array == nullptr) array = std::make_unique<DeviceArray<T>>(static_cast<std::size_t>(size));
    EXPECT_EQ(array->size(), static_cast<std::size_t>(size)) << name;
    return array->get();
  }

  static std::uint64_t stream_of(const std::string& name) {
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
  }

  Arrays<float> floats_;
  Arrays<int> ints_;
  std::vector<std::string> written_, carried_;
};

}  // namespace foxhunt::test
