// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt::test {

// What goes on around a program on a busy device: other programs have left their data in the memory
// that it is given, and kernels in other streams run beside its own. A bug that trusts either shows
// now and then instead of never.
class Disturbance {
 public:
  Disturbance();
  ~Disturbance();
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

  // Before run `number`: leaves finite garbage of that number in shared memory and, every third
  // time because allocating is slow, in freed device memory. Every second time a kernel is still
  // busy, for up to about 0.2 ms, when it returns.
  void before_run(unsigned number);

 private:
  cudaStream_t stream_ = nullptr;
  unsigned* sink_ = nullptr;
};

}  // namespace foxhunt::test
