// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm.h"
#include "kernels/heads/iqn_grad.h"
#include "kernels/heads/tile_product.h"
#include "kernels/heads/value_atoms.h"

namespace foxhunt {
namespace heads {

struct LossAndGradient {
  float loss, gradient;  // at the quantile's value
};

// Of one quantile against a row of target probabilities, by ascending atom.
__device__ LossAndGradient quantile_huber(float tau, float value, const float* target,
                                          const Atoms& atoms, float kappa) {
  LossAndGradient sum{0.0f, 0.0f};
  for (int z = 0; z < atoms.count; ++z) {
    const float u = math::add(atoms.value(z), -value), size = math::absolute(u);
    const float tilt = math::absolute(u < 0.0f ? math::add(tau, -1.0f) : tau);
    const float clipped = size > kappa ? math::with_sign(kappa, u) : u;
    // clipped (u - clipped / 2) is u^2 / 2 inside and kappa (|u| - kappa / 2) outside.
    const float huber = math::mul(clipped, math::add(u, math::mul(-0.5f, clipped)));
    const float weight = math::mul(target[z], tilt);
    sum.loss = math::fma(weight, huber, sum.loss);
    sum.gradient = math::fma(-weight, clipped, sum.gradient);
  }
  return {math::div(sum.loss, kappa), math::div(sum.gradient, kappa)};
}

// One block a row.
template <IqnGradVariant kVariant>
__global__ void iqn_bwd_relu_hadamard_kernel(IqnGradInputs in, IqnShape s, IqnGradOutputs out) {
  FOXHUNT_DYNAMIC_SHARED(float, scratch);  // [2,N]
  float *losses = scratch, *grads = scratch + s.quantiles;
  const Atoms atoms(in.support);
  const int b = static_cast<int>(blockIdx.x), t = static_cast<int>(threadIdx.x);
  const int action = in.actions[b];
  const float* target = in.bellman_target + b * atoms.count;
  const float count = static_cast<float>(s.quantiles) * static_cast<float>(s.batch);
  for (int n = t; n < s.quantiles; n += kThreads) {
    const int at = b * s.quantiles + n;
    const float value = in.activations.quantile_values[at * s.actions + action];
    const LossAndGradient q =
        quantile_huber(in.activations.taus[at], value, target, atoms, in.kappa);
    losses[n] = q.loss;
    grads[n] = math::div(q.gradient, count);
    out.grad_quantile[at] = grads[n];
  }
  // Wrong in missing_barrier: threads go on to read what others have not yet written.
  if constexpr (kVariant != IqnGradVariant::missing_barrier) __syncthreads();
  for (int j = t; j < s.hidden; j += kThreads) {
    float sum = 0.0f;
    for (int n = 0; n < s.quantiles; ++n) {
      const float embedding = in.activations.embedding[(b * s.quantiles + n) * s.hidden + j];
      if (embedding > 0.0f) sum = math::fma(grads[n], embedding, sum);
    }
    out.row_embedding[b * s.hidden + j] = sum;
    out.grad_hadamard[b * s.hidden + j] = math::mul(sum, in.weights.w[j * s.actions + action]);
  }
  if (t == kThreads - 1) {
    float sum = 0.0f;
    for (int n = 0; n < s.quantiles; ++n) sum = math::add(sum, losses[n]);
    out.loss_rows[b] = math::div(sum, static_cast<float>(s.quantiles));
  }
}

// Four neighbouring elements of the embedding's gradient a thread.
__global__ void iqn_grad_embedding(IqnGradInputs in, IqnShape s, const float* grad_quantile,
                                   float* grad_embedding, bool aligned) {
  const int across = (s.hidden + 3) / 4;
  const int fraction = thread_number() / across, j = thread_number() % across * 4;
  const int b = fraction / s.quantiles, at = fraction * s.hidden + j, valid = s.hidden - j;
  if (b >= s.batch) return;
  const float* w = in.weights.w + j * s.actions + in.actions[b];
  const float4 column = four_from([=](int i) { return w[i * s.actions]; }, valid);
  const float4 through = mul_each(four_of(in.h + b * s.hidden + j, valid, aligned), column);
  const float4 gradient = scale_four(grad_quantile[fraction], through);
  const float4 e = four_of(in.activations.embedding + at, valid, aligned);
  put_four(grad_embedding + at,
           make_float4(e.x > 0.0f ? gradient.x : 0.0f, e.y > 0.0f ? gradient.y : 0.0f,
                       e.z > 0.0f ? gradient.z : 0.0f, e.w > 0.0f ? gradient.w : 0.0f),
           valid, aligned);
}

// One element of grad w[j,a] a thread; row H is the bias's, whose input is always 1.
__global__ void iqn_grad_w_b(IqnGradInputs in, IqnShape s, IqnGradOutputs from,
                             IqnWeightGradients out) {
  const int j = thread_number() / s.actions, a = thread_number() % s.actions;
  if (j > s.hidden) return;
  float sum = 0.0f;
  for (int b = 0; b < s.batch; ++b) {
    if (in.actions[b] != a) continue;
    if (j < s.hidden) {
      sum = math::fma(in.h[b * s.hidden + j], from.row_embedding[b * s.hidden + j], sum);
    } else {
      const float* row = from.grad_quantile + b * s.quantiles;
      for (int n = 0; n < s.quantiles; ++n) sum = math::add(sum, row[n]);
    }
  }
  (j < s.hidden ? out.w[j * s.actions + a] : out.b[a]) = sum;
}

}  // namespace heads

void iqn_bwd_relu_hadamard(const IqnGradInputs& in, const IqnShape& shape,
                           const IqnGradOutputs& out, cudaStream_t stream, IqnGradVariant variant) {
  if (shape.batch == 0) return;
  const auto kernel = variant == IqnGradVariant::missing_barrier
                          ? heads::iqn_bwd_relu_hadamard_kernel<IqnGradVariant::missing_barrier>
                          : heads::iqn_bwd_relu_hadamard_kernel<IqnGradVariant::deterministic>;
  const std::size_t shared = 2 * static_cast<std::size_t>(shape.quantiles) * sizeof(float);
  launch(kernel, static_cast<unsigned>(shape.batch), heads::kThreads, shared, stream, in, shape,
         out);
}

void iqn_bwd_weights(const IqnGradInputs& in, const IqnShape& shape, const IqnGradOutputs& from,
                     const IqnWeightGradients& out, cudaStream_t stream) {
  const int fractions = shape.batch * shape.quantiles;
  if (fractions > 0) {
    const int hidden = shape.hidden;
    const bool aligned = allows_four(in.h, hidden) &&
                         allows_four(in.activations.embedding, hidden) &&
                         allows_four(out.embedding, hidden);
    launch(heads::iqn_grad_embedding, heads::blocks_for(fractions * ((shape.hidden + 3) / 4)),
           heads::kThreads, 0, stream, in, shape, from.grad_quantile, out.embedding, aligned);
  }
  launch(heads::iqn_grad_w_b, heads::blocks_for((shape.hidden + 1) * shape.actions),
         heads::kThreads, 0, stream, in, shape, from, out);
  gemm({.site = "iqn",
        .m = shape.cosines,
        .n = shape.hidden,
        .k = fractions,
        .a = {in.activations.cosines, shape.cosines, true},
        .b = {out.embedding, shape.hidden},
        .c = out.tau_w,
        .c_stride = shape.hidden},
       stream);
  // cos(0) is 1 for every fraction, so row 0 of tau_w has the bias's gradient, sum for sum.
  cudaMemcpyAsync(out.tau_b, out.tau_w, static_cast<std::size_t>(shape.hidden) * sizeof(float),
                  cudaMemcpyDeviceToDevice, stream);
}

}  // namespace foxhunt
