// SPDX-License-Identifier: MIT
#include "kernels/replay/outcome_label_upload.h"

#include <algorithm>
#include <cstddef>

namespace foxhunt {

OutcomeLabelUpload::OutcomeLabelUpload(int capacity, LabelUploadVariant variant)
    : variant_(variant) {
  cudaMallocHost(&pinned_, static_cast<std::size_t>(capacity) * sizeof(int));
  cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming);
}

OutcomeLabelUpload::~OutcomeLabelUpload() {
  cudaEventDestroy(copied_);
  cudaFreeHost(pinned_);
}

void OutcomeLabelUpload::upload(const int* labels, int count, int* device_labels,
                                cudaStream_t stream) {
  // Wrong on purpose in upload_overwritten: the buffer is filled again whether or not the copy of
  // what it held has run, and that copy then takes these labels.
  if (variant_ != LabelUploadVariant::upload_overwritten) cudaEventSynchronize(copied_);
  std::copy_n(labels, count, pinned_);
  cudaMemcpyAsync(device_labels, pinned_, static_cast<std::size_t>(count) * sizeof(int),
                  cudaMemcpyHostToDevice, stream);
  cudaEventRecord(copied_, stream);
}

}  // namespace foxhunt
