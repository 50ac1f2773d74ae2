// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/simt/dialect.h"
#include "kernels/simt/explore/outputs.h"

// What a user writes to have kernels explored, in a .cu file that foxhunt_add_exploration compiles:
//
//   #include "kernels/simt/explore/case.h"
//
//   FOXHUNT_EXPLORE(block_sum) {
//     float* sum = nullptr;
//     cudaMalloc(&sum, sizeof(float));
//     …
//     foxhunt::launch(block_sum_kernel, 8, 64, 0, nullptr, in, n, sum);
//     out.device("sum", sum, 1);
//     cudaFree(sum);
//   }
//
// The body runs once per schedule. It must do the same each time and free what it allocates; what
// it hands to `out` is what must not depend on the schedule. An exception out of it is a result,
// too. nvcc compiles such a file as well, and leaves the cases out of it.

namespace foxhunt {

// What one run of a case left, by name.
class ExploredOutputs {
 public:
  // Device memory, once all work that is queued has been done. Throws std::runtime_error if a
  // kernel failed.
  template <class T>
  void device(const char* name, const T* values, std::size_t count) {
    std::vector<std::byte>& copy = add<T>(name, count);
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) {
      error = cudaMemcpy(copy.data(), values, copy.size(), cudaMemcpyDeviceToHost);
    }
    if (error != cudaSuccess) {
      throw std::runtime_error(std::string(name) + ": " + cudaGetErrorString(error));
    }
  }

  // Host memory as it is now: this waits for nothing.
  template <class T>
  void host(const char* name, const T* values, std::size_t count) {
    std::vector<std::byte>& copy = add<T>(name, count);
    if (count > 0) std::memcpy(copy.data(), values, copy.size());
  }

  const std::vector<ExploredOutput>& all() const { return outputs_; }

 private:
  template <class T>
  std::vector<std::byte>& add(const char* name, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "outputs are compared byte by byte");
    outputs_.push_back({name, element_type<T>(), sizeof(T), {}});
    outputs_.back().values.resize(count * sizeof(T));
    return outputs_.back().values;
  }

  std::vector<ExploredOutput> outputs_;
};

struct ExploreCase {
  const char* name;
  const char* file;
  int line;
  void (*body)(ExploredOutputs& out);
};

// Adds a case to this program's. Called before main; names must be unique (the program says so).
bool register_explore_case(const ExploreCase& one);

// In the order of registration.
const std::vector<ExploreCase>& explore_cases();

}  // namespace foxhunt

#if defined(FOXHUNT_SIMT)
#define FOXHUNT_EXPLORE(name)                                                              \
  static void foxhunt_case_##name([[maybe_unused]] ::foxhunt::ExploredOutputs& out);       \
  [[maybe_unused]] static const bool foxhunt_registered_##name =                           \
      ::foxhunt::register_explore_case({#name, __FILE__, __LINE__, &foxhunt_case_##name}); \
  static void foxhunt_case_##name([[maybe_unused]] ::foxhunt::ExploredOutputs& out)
#else
#define FOXHUNT_EXPLORE(name) \
  [[maybe_unused]] static void foxhunt_case_##name([[maybe_unused]] ::foxhunt::ExploredOutputs& out)
#endif
