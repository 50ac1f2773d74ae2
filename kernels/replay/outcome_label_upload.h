// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class LabelUploadVariant { deterministic, upload_overwritten };

// Copies labels to the device by way of a pinned buffer, so that neither the caller nor the device
// has to wait for the other: before a buffer is filled again, its copy has run.
//
// Determinism: gpu_to_gpu: a copy.
class OutcomeLabelUpload {
 public:
  // For up to `capacity` labels a call.
  explicit OutcomeLabelUpload(int capacity,
                              LabelUploadVariant variant = LabelUploadVariant::deterministic);
  // Nothing may be queued any more.
  ~OutcomeLabelUpload();
  OutcomeLabelUpload(const OutcomeLabelUpload&) = delete;
  OutcomeLabelUpload& operator=(const OutcomeLabelUpload&) = delete;

  // labels         host memory, i32 [count]; not needed any more when the call returns
  // device_labels  device, i32 [count], overwritten once `stream` gets there
  void upload(const int* labels, int count, int* device_labels, cudaStream_t stream);

 private:
  LabelUploadVariant variant_;
  int* pinned_ = nullptr;
  cudaEvent_t copied_ = nullptr;
};

}  // namespace foxhunt
