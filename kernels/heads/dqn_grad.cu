// SPDX-License-Identifier: MIT
#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/softmax_row.h"
#include "kernels/heads/tile_product.h"

namespace foxhunt {
namespace heads {

// One thread a row.
__global__ void dqn_loss(DqnGradInputs in, int batch, int actions, int atoms, DqnGradOutputs out) {
  const int b = thread_number();
  if (b >= batch) return;
  const float* logits = in.q_logits + (b * actions + in.actions[b]) * atoms;
  const float* target = in.bellman_target + b * atoms;
  const SoftmaxRow softmax = softmax_of(logits, atoms);
  const float weight = in.is_weight[b];
  const float scale = math::div(weight, static_cast<float>(batch));
  float sum = 0.0f;
  for (int z = 0; z < atoms; ++z) {
    sum = math::fma(target[z], softmax.log_probability(logits[z]), sum);
    out.grad_q_taken[b * atoms + z] =
        math::mul(scale, math::add(softmax.probability(logits[z]), -target[z]));
  }
  out.loss_rows[b] = math::mul(-weight, sum);
}

// Four neighbouring elements of grad_noisy_hidden[b,:] a thread.
__global__ void dqn_grad_noisy_hidden(DqnGradInputs in, int batch, int actions, int atoms,
                                      DqnGradOutputs out) {
  const int width = in.layer.out, across = (width + 3) / 4;
  const int b = thread_number() / across, first = thread_number() % across * 4;
  if (b >= batch) return;
  const float* grad = out.grad_q_taken + b * atoms;
  const float* w = in.w + in.actions[b] * atoms;  // w[o, action, :] starts o rows further on
  for (int o = first; o < width && o < first + 4; ++o) {
    float sum = 0.0f;
    for (int z = 0; z < atoms; ++z) sum = math::fma(grad[z], w[o * actions * atoms + z], sum);
    out.grad_noisy_hidden[b * width + o] = sum;
  }
}

__global__ void dqn_grad_h(DqnGradInputs in, int batch, DqnGradOutputs out, bool aligned) {
  const int width = in.layer.out, hidden = in.layer.in;
  tile_product(
      batch, hidden, width, [=](int r, int p) { return out.grad_noisy_hidden[r * width + p]; },
      [=](int p, int c, int valid) {
        const auto weight = [=](int i) {
          const int at = (c + i) * width + p;
          return math::fma(in.layer.w_sigma[at], math::mul(in.eps[c + i], in.eps[hidden + p]),
                           in.layer.w_mu[at]);
        };
        return four_from(weight, valid);
      },
      [=](int r, int c, float4 sum, int valid) {
        const int at = r * hidden + c;
        if (in.iqn_grad_hadamard != nullptr) {
          sum = add_four(sum, four_of(in.iqn_grad_hadamard + at, valid, aligned));
        }
        put_four(out.grad_h + at, sum, valid, aligned);
      });
}

// grad_w[o0..o0+3, action, z0..z0+3] from the rows of the batch in this block's slice that took the
// action; row O of w is the bias's, whose input is always 1.
template <DqnGradVariant kVariant>
__global__ void dqn_grad_w_b(DqnGradInputs in, int batch, int slice, int actions, int atoms,
                             DqnGradOutputs out) {
  const int width = in.layer.out, across = (atoms + 3) / 4;
  const int tile = thread_number();
  const int o0 = tile / (actions * across) * 4, action = tile / across % actions;
  const int z0 = tile % across * 4;
  if (o0 > width) return;
  const int begin = static_cast<int>(blockIdx.y) * slice;
  const int end = begin + slice < batch ? begin + slice : batch;
  float sum[4][4] = {};
  for (int b = begin; b < end; ++b) {
    if (in.actions[b] != action) continue;
    for (int i = 0; i < 4 && o0 + i <= width; ++i) {
      const float x = o0 + i < width ? in.noisy_hidden[b * width + o0 + i] : 1.0f;
      for (int j = 0; j < 4 && z0 + j < atoms; ++j) {
        sum[i][j] = math::fma(x, out.grad_q_taken[b * atoms + z0 + j], sum[i][j]);
      }
    }
  }
  for (int i = 0; i < 4 && o0 + i <= width; ++i) {
    float* row = o0 + i < width ? out.grad_w + (o0 + i) * actions * atoms : out.grad_b;
    for (int j = 0; j < 4 && z0 + j < atoms; ++j) {
      float& element = row[action * atoms + z0 + j];
      if constexpr (kVariant == DqnGradVariant::accumulate_racing) {
        // Wrong: one block for each slice of the batch, and all add to the same element. Blocks
        // that read before another wrote lose its part; the rest round in order of arrival.
        element = math::add(element, sum[i][j]);
      } else {
        element = sum[i][j];
      }
    }
  }
}

__global__ void dqn_grad_noisy_layer(const float* h, const float* grad_y, NoisyLinear layer,
                                     const float* eps, int batch, float* grad_w_mu,
                                     float* grad_w_sigma, float* grad_b_mu, float* grad_b_sigma,
                                     bool aligned) {
  const int in = layer.in, out = layer.out;
  tile_product(
      in + 1, out, batch, [=](int r, int p) { return r < in ? h[p * in + r] : 1.0f; },
      [=](int p, int c, int valid) { return four_of(grad_y + p * out + c, valid, aligned); },
      [=](int r, int c, float4 sum, int valid) {
        const float4 eps_out = four_of(eps + in + c, valid, aligned);
        const float4 noise = r < in ? scale_four(eps[r], eps_out) : eps_out;
        const int at = r < in ? r * out + c : c;
        put_four((r < in ? grad_w_mu : grad_b_mu) + at, sum, valid, aligned);
        put_four((r < in ? grad_w_sigma : grad_b_sigma) + at, mul_each(sum, noise), valid, aligned);
      });
}

constexpr int kRacingSlices = 8;

void queue_grad_w_b(const DqnGradInputs& in, int batch, int actions, int atoms,
                    const DqnGradOutputs& out, cudaStream_t stream, DqnGradVariant variant) {
  const int width = in.layer.out;
  const unsigned blocks = blocks_for((width / 4 + 1) * actions * ((atoms + 3) / 4));
  if (blocks == 0) return;
  if (variant == DqnGradVariant::accumulate_racing) {
    const auto columns = static_cast<std::size_t>(actions) * static_cast<std::size_t>(atoms);
    cudaMemsetAsync(out.grad_w, 0, static_cast<std::size_t>(width) * columns * sizeof(float),
                    stream);
    cudaMemsetAsync(out.grad_b, 0, columns * sizeof(float), stream);
    launch(dqn_grad_w_b<DqnGradVariant::accumulate_racing>, dim3(blocks, kRacingSlices), kThreads,
           0, stream, in, batch, (batch + kRacingSlices - 1) / kRacingSlices, actions, atoms, out);
  } else {
    launch(dqn_grad_w_b<DqnGradVariant::deterministic>, blocks, kThreads, 0, stream, in, batch,
           batch, actions, atoms, out);
  }
}

}  // namespace heads

void dqn_grad_w_b_h_t(const DqnGradInputs& in, int batch, int actions, int atoms,
                      const DqnGradOutputs& out, cudaStream_t stream, DqnGradVariant variant) {
  if (batch > 0) {
    launch(heads::dqn_loss, heads::blocks_for(batch), heads::kThreads, 0, stream, in, batch,
           actions, atoms, out);
    launch(heads::dqn_grad_noisy_hidden, heads::blocks_for(batch * ((in.layer.out + 3) / 4)),
           heads::kThreads, 0, stream, in, batch, actions, atoms, out);
    launch(heads::dqn_grad_h, heads::blocks_for(heads::tile_threads(batch, in.layer.in)),
           heads::kThreads, 0, stream, in, batch, out,
           allows_four(out.grad_h, in.layer.in) && allows_four(in.iqn_grad_hadamard, in.layer.in));
  }
  heads::queue_grad_w_b(in, batch, actions, atoms, out, stream, variant);
}

void dqn_grad_noisy(const float* h, const float* grad_noisy_hidden, const NoisyLinear& layer,
                    const float* eps, int batch, float* grad_w_mu, float* grad_w_sigma,
                    float* grad_b_mu, float* grad_b_sigma, cudaStream_t stream) {
  const unsigned blocks = heads::blocks_for(heads::tile_threads(layer.in + 1, layer.out));
  if (blocks == 0) return;
  const int width = layer.out;
  const bool aligned = allows_four(grad_noisy_hidden, width) &&
                       allows_four(eps + layer.in, width) && allows_four(grad_w_mu, width) &&
                       allows_four(grad_w_sigma, width) && allows_four(grad_b_mu, width) &&
                       allows_four(grad_b_sigma, width);
  launch(heads::dqn_grad_noisy_layer, blocks, heads::kThreads, 0, stream, h, grad_noisy_hidden,
         layer, eps, batch, grad_w_mu, grad_w_sigma, grad_b_mu, grad_b_sigma, aligned);
}

}  // namespace foxhunt
