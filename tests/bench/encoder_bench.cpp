// SPDX-License-Identifier: MIT
// What the products and the encoder's kernels cost on the CPU executor, in order, plain build: time
// of the processor, so that what else runs on the machine does not count.
#include <fmt/format.h>

#include <cstring>

#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/cfc_step.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/variable_selection.h"
#include "kernels/gemm/gemm.h"
#include "tests/bench/kernel_timing.h"
#include "tests/bench/row.h"

namespace foxhunt::bench {
namespace {

void measure_gemm(int m, int n, int k, bool transpose_a, bool transpose_b, bool judged) {
  Memory memory;
  const Gemm problem{"bench",
                     m,
                     n,
                     k,
                     {memory.floats(m, k), transpose_a ? m : k, transpose_a},
                     {memory.floats(k, n), transpose_b ? k : n, transpose_b},
                     memory.floats(m, n),
                     n};
  const double s = seconds([&] { own_gemm(problem, nullptr); });
  Row row{fmt::format("own_gemm {}x{}x{}{}{}", m, n, k, transpose_a ? " A'" : "",
                      transpose_b ? " B'" : ""),
          1e-9 * m * n * k / s,
          "GMAC/s",
          {},
          {}};
  if (judged) {
    row.hold = 1.0;
    row.goal = 1.9;
  }
  print(row);
}

void measure_encoder(int batch, int window, int hidden) {
  const int features = 8, width = hidden;
  fmt::print("batch {}, window {}, features {}, width and hidden {}:\n", batch, window, features,
             hidden);
  Memory memory;
  float* x = memory.floats(batch, window, width);
  float* wide = memory.floats(batch, window, hidden);
  float* narrow = memory.floats(batch, hidden);

  float* observed = memory.floats(batch, window, features);
  float* vsn_w = memory.floats(features, features + 2 * width);
  float* vsn_b = memory.floats(features, 1 + 2 * width);
  float* grad_w = memory.floats(batch, features, features + 2 * width);
  float* grad_b = memory.floats(batch, features, 1 + 2 * width);
  tell("variable_selection_fwd", [&] {
    variable_selection_fwd(observed, vsn_w, vsn_b, batch, window, features, width, wide, nullptr);
  });
  tell("variable_selection_bwd", [&] {
    variable_selection_bwd(observed, vsn_w, vsn_b, x, batch, window, features, width, grad_w,
                           grad_b, nullptr);
  });

  const Mamba2Shape shape{batch, window, width, hidden, 16, 4};
  const int k = shape.channels(), projected = shape.projected();
  const Mamba2Parameters mamba{memory.floats(width, projected),
                               memory.floats(4, k),
                               memory.floats(k),
                               memory.floats(4),
                               memory.floats(4),
                               memory.floats(4),
                               memory.floats(hidden, width)};
  const Mamba2Activations kept{
      memory.floats(batch, window, projected), memory.floats(batch, window, k),
      memory.floats(batch, window, hidden), memory.floats(batch, window, hidden)};
  const Mamba2Gradients to{memory.floats(batch, window, width),
                           memory.floats(width, projected),
                           memory.floats(4, k),
                           memory.floats(k),
                           memory.floats(4),
                           memory.floats(4),
                           memory.floats(4),
                           memory.floats(hidden, width),
                           memory.floats(batch, window, hidden),
                           memory.floats(batch, window, k),
                           memory.floats(batch, window, projected),
                           memory.floats(batch, shape.item_scratch())};
  tell("mamba2_block_fwd", [&] { mamba2_block_fwd(x, mamba, shape, kept, wide, nullptr); });
  tell("mamba2_block_bwd", [&] { mamba2_block_bwd(x, mamba, shape, kept, wide, to, nullptr); });

  const CfcParameters cfc{memory.floats(width, 3, hidden), memory.floats(hidden, 3, hidden),
                          memory.floats(3, hidden), memory.floats(hidden)};
  float* gates = memory.floats(batch, window, 3, hidden);
  float* out = memory.floats(batch, window, hidden);
  const CfcGradients grad{memory.floats(batch, window, width),
                          memory.floats(batch, width, 3, hidden),
                          memory.floats(batch, hidden, 3, hidden),
                          memory.floats(batch, 3, hidden),
                          memory.floats(batch, hidden),
                          memory.floats(batch, window, 3, hidden)};
  tell("cfc_step_forward_batched", [&] {
    cfc_step_forward_batched(x, narrow, cfc, batch, window, width, hidden, out, gates, nullptr);
  });
  tell("cfc_step_backward_batched", [&] {
    cfc_step_backward_batched(x, narrow, cfc, out, gates, wide, batch, window, width, hidden, grad,
                              nullptr);
  });

  float* q = memory.floats(hidden);
  float* pooled = memory.floats(batch, hidden);
  tell("attention_pool_fwd",
       [&] { attention_pool_fwd(out, q, batch, window, hidden, pooled, nullptr); });
  tell("attention_pool_bwd",
       [&] { attention_pool_bwd(out, q, pooled, batch, window, hidden, wide, narrow, nullptr); });
}

}  // namespace
}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  using namespace foxhunt::bench;
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  if (quick) {
    repetitions = 1;
    measure_gemm(20, 20, 20, false, false, false);
    measure_encoder(2, 3, 8);
    return 0;
  }
  measure_gemm(1024, 192, 64, false, false, true);
  measure_gemm(256, 256, 256, false, false, true);
  measure_gemm(1024, 64, 192, false, true, true);  // a gradient at the input
  measure_gemm(64, 192, 1024, true, false, true);  // a gradient at the weights
  measure_gemm(8, 192, 64, false, false, false);   // few rows
  measure_gemm(16, 192, 64, false, false, false);
  measure_gemm(1024, 196, 64, false, false, false);
  measure_encoder(64, 16, 64);
  measure_encoder(8, 4, 16);
}
