// SPDX-License-Identifier: MIT
#pragma once

// What benchmarks of kernels on the executor share: processor time and device memory.
#include <cstddef>
#include <ctime>
#include <vector>

#include "kernels/simt/dialect.h"
#include "tests/bench/row.h"

namespace foxhunt::bench {

inline int repetitions = 15;

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Median over the repetitions, each waited for.
template <class Work>
double seconds(const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; i++) {
    const double start = processor_seconds();
    work();
    cudaDeviceSynchronize();
    times.push_back(processor_seconds() - start);
  }
  return median(times);
}

// Device memory of any number of small floats, freed at the end of the scope.
class Memory {
 public:
  ~Memory() {
    for (float* p : all_) cudaFree(p);
  }
  template <class... Factors>
  float* floats(Factors... factors) {
    std::vector<float> values((std::size_t{1} * ... * static_cast<std::size_t>(factors)));
    unsigned state = 1;
    for (float& v : values) {
      state = state * 1664525u + 1013904223u;
      v = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    }
    float* p = nullptr;
    cudaMalloc(&p, values.size() * sizeof(float));
    cudaMemcpy(p, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    all_.push_back(p);
    return p;
  }

 private:
  std::vector<float*> all_;
};

template <class Work>
void tell(const char* what, const Work& work) {
  print({what, 1e3 * seconds(work), "ms", {}, {}});
}

}  // namespace foxhunt::bench
