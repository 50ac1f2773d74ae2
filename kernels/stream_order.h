// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Makes what is queued on `waiter` from now on wait for what is on `stream` now. The host does not
// wait.
inline void wait_for(cudaStream_t waiter, cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(waiter, event, 0);
  cudaEventDestroy(event);  // once it is not needed any more
}

}  // namespace foxhunt
