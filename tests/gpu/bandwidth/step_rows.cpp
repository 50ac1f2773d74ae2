// SPDX-License-Identifier: MIT
#include <memory>

#include "kernels/gemm/gemm.h"
#include "kernels/reduce/global_norm_reduce.h"
#include "kernels/reduce/layer_norm_reduce_param_grads.h"
#include "kernels/reduce/reduce_axis0.h"
#include "kernels/replay/outcome_label_upload.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/replay/rl_per_push_ring.h"
#include "kernels/replay/rl_per_sample.h"
#include "kernels/replay/rl_per_tree_rebuild.h"
#include "kernels/replay/rl_per_update_priorities.h"
#include "kernels/update/adam_step.h"
#include "kernels/update/grad_h_accumulate_scaled.h"
#include "kernels/update/target_update.h"
#include "tests/gpu/bandwidth/traffic.h"

namespace foxhunt::test {
namespace {

using Call = std::function<void(cudaStream_t)>;

constexpr ReplayShape kTransition{64, 512};
constexpr int kFloats = 2 * kTransition.hidden + kTransition.window + 4;  // of a transition

// The largest power of two that is not above `n`.
int power_of_two(int n) {
  int power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

ReplayRows read_transitions(Traffic& t, int n) {
  return {t.reads(n, kTransition.hidden),
          t.reads(n, kTransition.hidden),
          t.reads(n, kTransition.window),
          t.reads_ints(n),
          t.reads(n),
          t.reads(n),
          t.reads(n)};
}
ReplayRows write_transitions(Traffic& t, int n) { return read_transitions(t, n); }

Call push(Traffic& t) {
  const int n = t.rows(kFloats + staging_width(kTransition));
  const ConstReplayRows from = read_only(read_transitions(t, n));
  float* staging = t.writes(n, staging_width(kTransition));
  int* head = t.reads_ints(1);
  return [=](cudaStream_t stream) {
    rl_per_push_ring(from, n, kTransition, n, staging, head, stream);
  };
}

Call flush(Traffic& t) {
  const int n = t.rows(kFloats + staging_width(kTransition));
  float* staging = t.reads(n, staging_width(kTransition));
  const ReplayRows ring = write_transitions(t, n);
  int* head = t.reads_ints(1);
  rl_per_push_ring(read_only(ring), n, kTransition, n, staging, head, nullptr);  // whose slots
  check_cuda(cudaDeviceSynchronize(), "the staged rows");
  const cudaStream_t other = t.other_stream();
  return
      [=](cudaStream_t stream) { rl_per_push_flush(staging, n, kTransition, ring, stream, other); };
}

Call rebuild(Traffic& t) {
  const int capacity = power_of_two(t.rows(3));
  const float* priorities = t.reads(capacity);
  float* tree = t.writes(capacity, 2);
  return [=](cudaStream_t stream) { rl_per_tree_rebuild(priorities, capacity, tree, stream); };
}

// A batch as large as the ring. The tree's nodes are counted once, whatever a descent reads again.
Call sample(Traffic& t) {
  const int n = power_of_two(t.rows(2 * kFloats + 4));
  float* tree = t.reads(n, 2);
  const ConstReplayRows ring = read_only(read_transitions(t, n));
  const ReplayRows sampled = write_transitions(t, n);
  int* index = t.writes_ints(n);
  float* weights = t.writes(n);
  rl_per_tree_rebuild(ring.rewards, n, tree, nullptr);
  return [=](cudaStream_t stream) {
    rl_per_sample(tree, n, {1, 2, 0.5f, n}, n, ring, kTransition, index, weights, sampled, nullptr,
                  stream);
  };
}

// A small batch, as in a trainer, and as many new transitions as there is room for.
Call update_priorities(Traffic& t) {
  constexpr int kBatch = 256;
  const int capacity = t.rows(1);
  const int *index = t.reads_ints(kBatch), *head = t.reads_ints(1);
  const float* errors = t.reads(kBatch);
  float* priorities = t.writes(capacity + 1);
  return [=](cudaStream_t stream) {
    rl_per_update_priorities(index, errors, kBatch, head, capacity, capacity, {0.6f, 1e-3f},
                             priorities, stream);
  };
}

// Host to device: the bus, not the memory.
Call upload_labels(Traffic& t) {
  const int n = t.rows(1);
  int* labels = t.writes_ints(n);
  auto host = std::make_shared<std::vector<int>>(static_cast<std::size_t>(n));
  auto upload = std::make_shared<OutcomeLabelUpload>(n);
  return [=](cudaStream_t stream) { upload->upload(host->data(), n, labels, stream); };
}

Call reduce_rows(Traffic& t) {
  constexpr int kRows = 512;
  const int cols = t.rows(kRows + 1);
  const float* scratch = t.reads(kRows, cols);
  float* grad = t.writes(cols);
  return [=](cudaStream_t stream) { reduce_axis0(scratch, kRows, cols, grad, nullptr, stream); };
}

Call reduce_norm_rows(Traffic& t) {
  constexpr int kRows = 512;
  const int cols = t.rows(2 * kRows + 2);
  const float *gain = t.reads(kRows, cols), *bias = t.reads(kRows, cols);
  float *grad_gain = t.writes(cols), *grad_bias = t.writes(cols);
  return [=](cudaStream_t stream) {
    layer_norm_reduce_param_grads(gain, bias, kRows, cols, grad_gain, grad_bias, nullptr, stream);
  };
}

Call global_norm_of(Traffic& t) {
  const int count = t.rows(1);
  const float* grads = t.reads(count);
  float* out = t.writes(2);
  void* workspace = t.scratch(static_cast<int>(global_norm_workspace(count) / sizeof(float)));
  return
      [=](cudaStream_t stream) { global_norm_reduce(grads, count, 0.5f, out, workspace, stream); };
}

Call adam(Traffic& t) {
  const int count = t.rows(7);
  float *params = t.updates(count), *m = t.updates(count), *v = t.updates(count);
  const float *grads = t.reads(count), *scale = t.reads(1);
  auto* state = reinterpret_cast<AdamState*>(t.reads_ints(3));
  return
      [=](cudaStream_t stream) { adam_step(params, m, v, grads, count, scale, state, {}, stream); };
}

Call combine_heads(Traffic& t) {
  const int count = t.rows(kGradHHeads + 1);
  HeadGradients heads{};
  for (auto& head : heads.head) head = t.reads(count);
  const float* host_lambda = t.pinned(kGradHHeads);
  float *lambda = t.writes(kGradHHeads), *combined = t.writes(count);
  const cudaStream_t other = t.other_stream();
  return [=](cudaStream_t stream) {
    grad_h_accumulate_scaled(heads, count, host_lambda, lambda, combined, stream, other);
  };
}

Call move_target(Traffic& t) {
  const int count = t.rows(3);
  const float* params = t.reads(count);
  float* target = t.updates(count);
  return [=](cudaStream_t stream) { target_update(params, target, count, 0.05f, stream); };
}

// The product of many rows by a small matrix, as a layer of the trainer is.
Gemm product(Traffic& t) {
  constexpr int kInner = 64, kCols = 64;
  const int rows = t.rows(kInner + kCols);
  return {"bandwidth",
          rows,
          kCols,
          kInner,
          {t.reads(rows, kInner), kInner},
          {t.reads(kInner, kCols), kCols},
          t.writes(rows, kCols),
          kCols};
}
Call product_by_library(Traffic& t) {
  return [problem = product(t)](cudaStream_t stream) { gemm(problem, stream); };
}
Call product_by_own_kernel(Traffic& t) {
  return [problem = product(t)](cudaStream_t stream) { own_gemm(problem, stream); };
}

}  // namespace

std::vector<BandwidthRow> step_rows() {
  return {{"rl_per_push_ring", push},
          {"rl_per_push_flush", flush},
          {"rl_per_tree_rebuild", rebuild},
          {"rl_per_sample", sample},
          {"rl_per_update_priorities", update_priorities},
          {"outcome_label_upload", upload_labels},
          {"reduce_axis0", reduce_rows},
          {"layer_norm_reduce_param_grads", reduce_norm_rows},
          {"global_norm_reduce", global_norm_of},
          {"adam_step", adam},
          {"grad_h_accumulate_scaled", combine_heads},
          {"target_update", move_target},
          {"gemm", product_by_library},
          {"own_gemm", product_by_own_kernel}};
}

}  // namespace foxhunt::test
