// SPDX-License-Identifier: MIT
#include <cstddef>

#include "kernels/encoder/layer_norm.h"
#include "kernels/four.h"
#include "kernels/math/elementary.h"

namespace foxhunt {
namespace {

// Few threads to a row: they meet twice a row, and on the executor a meeting costs as much as a
// dozen elements.
constexpr int kLanes = 4, kRows = 16, kThreads = kLanes * kRows;
// One more than needed, so that rows lie in other banks.
constexpr int kPaddedLanes = kLanes + 1;

// The calling thread's place: its row, its lane of the row, and whether the row exists.
struct Place {
  int row, row_of_block, lane;
  bool exists;
  std::ptrdiff_t offset;  // of the row's first element
};

__device__ Place place(int rows, int cols) {
  const int thread = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.x) * kRows + thread / kLanes;
  return {row, thread / kLanes, thread % kLanes, row < rows,
          static_cast<std::ptrdiff_t>(row) * cols};
}

__device__ float sum_of_four(float4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ float sum_of_lanes(const float* partial) {
  return (partial[0] + partial[1]) + (partial[2] + partial[3]);
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    layer_norm_fwd_kernel(const float* x, const float* gain, const float* bias, int rows, int cols,
                          float epsilon, float* out, float* means, float* rstds) {
  FOXHUNT_SHARED(float, sums, kRows, kPaddedLanes);
  FOXHUNT_SHARED(float, squares, kRows, kPaddedLanes);
  const Place me = place(rows, cols);
  const int end = me.exists ? cols : 0;
  const auto width = static_cast<float>(cols);
  const float* in = x + me.offset;

  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int c = me.lane * 4; c < end; c += kLanes * 4) {
    sum = add_four(sum, load_four<kAligned>(in + c, cols - c));
  }
  sums[me.row_of_block][me.lane] = sum_of_four(sum);
  __syncthreads();
  const float mean = math::div(sum_of_lanes(sums[me.row_of_block]), width);

  float4 square = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int c = me.lane * 4; c < end; c += kLanes * 4) {
    const int valid = cols - c;
    const float4 v = load_four<kAligned>(in + c, valid);
    const auto add_square = [&](float value, float& to) {
      const float difference = math::add(value, -mean);
      to = math::fma(difference, difference, to);
    };
    add_square(v.x, square.x);
    if (valid >= 4) {
      add_square(v.y, square.y);
      add_square(v.z, square.z);
      add_square(v.w, square.w);
    } else {
      if (valid > 1) add_square(v.y, square.y);
      if (valid > 2) add_square(v.z, square.z);
    }
  }
  squares[me.row_of_block][me.lane] = sum_of_four(square);
  __syncthreads();
  const float variance = math::div(sum_of_lanes(squares[me.row_of_block]), width);
  const float rstd = math::rsqrt(math::add(variance, epsilon));

  for (int c = me.lane * 4; c < end; c += kLanes * 4) {
    const int valid = cols - c;
    const float4 v = load_four<kAligned>(in + c, valid);
    const float4 g = load_four<kAligned>(gain + c, valid);
    const float4 b = load_four<kAligned>(bias + c, valid);
    const auto normalised = [&](float value, float scale, float shift) {
      return math::fma(math::mul(math::add(value, -mean), rstd), scale, shift);
    };
    store_four<kAligned>(out + me.offset + c,
                         make_float4(normalised(v.x, g.x, b.x), normalised(v.y, g.y, b.y),
                                     normalised(v.z, g.z, b.z), normalised(v.w, g.w, b.w)),
                         valid);
  }
  if (me.exists && me.lane == 0) {
    means[me.row] = mean;
    rstds[me.row] = rstd;
  }
}

__device__ float4 normalised_four(float4 v, float mean, float rstd) {
  return make_float4(math::mul(math::add(v.x, -mean), rstd), math::mul(math::add(v.y, -mean), rstd),
                     math::mul(math::add(v.z, -mean), rstd),
                     math::mul(math::add(v.w, -mean), rstd));
}
__device__ float4 multiply_four(float4 a, float4 b) {
  return make_float4(math::mul(a.x, b.x), math::mul(a.y, b.y), math::mul(a.z, b.z),
                     math::mul(a.w, b.w));
}

// Wrong on purpose: the loop runs one lane too far, into the padding between rows, which nobody
// wrote. What is added is whatever an earlier block left in shared memory there.
__device__ float sum_of_lanes_and_padding(const float* partial) {
  float sum = 0.0f;
  for (int lane = 0; lane <= kLanes; ++lane) sum += partial[lane];
  return sum;
}

template <bool kAligned, LayerNormBwdVariant kVariant>
__global__ void __launch_bounds__(kThreads)
    layer_norm_bwd_kernel(const float* grad_out, const float* x, const float* gain,
                          const float* means, const float* rstds, int rows, int cols, float* grad_x,
                          float* gain_per_row, float* bias_per_row) {
  FOXHUNT_SHARED(float, sums, kRows, kPaddedLanes);
  FOXHUNT_SHARED(float, products, kRows, kPaddedLanes);
  const Place me = place(rows, cols);
  const int end = me.exists ? cols : 0;
  const auto width = static_cast<float>(cols);
  const float mean = me.exists ? means[me.row] : 0.0f, rstd = me.exists ? rstds[me.row] : 0.0f;
  const float* in = x + me.offset;
  const float* grad = grad_out + me.offset;

  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f), product = sum;
  for (int c = me.lane * 4; c < end; c += kLanes * 4) {
    const int valid = cols - c;
    const float4 n = normalised_four(load_four<kAligned>(in + c, valid), mean, rstd);
    const float4 d = load_four<kAligned>(grad + c, valid);
    const float4 g = multiply_four(d, load_four<kAligned>(gain + c, valid));
    store_four<kAligned>(gain_per_row + me.offset + c, multiply_four(d, n), valid);
    store_four<kAligned>(bias_per_row + me.offset + c, d, valid);
    sum = add_four(sum, g);  // beyond the row g is 0
    product = make_float4(math::fma(g.x, n.x, product.x), math::fma(g.y, n.y, product.y),
                          math::fma(g.z, n.z, product.z), math::fma(g.w, n.w, product.w));
  }
  sums[me.row_of_block][me.lane] = sum_of_four(sum);
  products[me.row_of_block][me.lane] = sum_of_four(product);
  __syncthreads();
  const auto total = [](const float* partial) {
    return kVariant == LayerNormBwdVariant::uninitialised_tail ? sum_of_lanes_and_padding(partial)
                                                               : sum_of_lanes(partial);
  };
  const float average_g = math::div(total(sums[me.row_of_block]), width);
  const float average_gn = math::div(total(products[me.row_of_block]), width);

  for (int c = me.lane * 4; c < end; c += kLanes * 4) {
    const int valid = cols - c;
    const float4 n = normalised_four(load_four<kAligned>(in + c, valid), mean, rstd);
    const float4 d = load_four<kAligned>(grad + c, valid);
    const float4 g = multiply_four(d, load_four<kAligned>(gain + c, valid));
    const auto gradient = [&](float g_, float n_) {
      return math::mul(rstd, math::fma(-n_, average_gn, math::add(g_, -average_g)));
    };
    store_four<kAligned>(
        grad_x + me.offset + c,
        make_float4(gradient(g.x, n.x), gradient(g.y, n.y), gradient(g.z, n.z), gradient(g.w, n.w)),
        valid);
  }
}

dim3 grid_of(int rows) { return dim3(static_cast<unsigned>((rows + kRows - 1) / kRows)); }

}  // namespace

void layer_norm_fwd(const float* x, const float* gain, const float* bias, int rows, int cols,
                    float epsilon, float* out, float* mean, float* rstd, cudaStream_t stream) {
  if (rows == 0) return;
  bool aligned = true;
  for (const float* p : {x, gain, bias, static_cast<const float*>(out)}) {
    aligned = aligned && allows_four(p, cols);
  }
  launch(aligned ? layer_norm_fwd_kernel<true> : layer_norm_fwd_kernel<false>, grid_of(rows),
         dim3(kThreads), 0, stream, x, gain, bias, rows, cols, epsilon, out, mean, rstd);
}

void layer_norm_bwd(const float* grad_out, const float* x, const float* gain, const float* mean,
                    const float* rstd, int rows, int cols, float* grad_x, float* gain_per_row,
                    float* bias_per_row, cudaStream_t stream, LayerNormBwdVariant variant) {
  if (rows == 0) return;
  bool aligned = true;
  for (const float* p :
       {grad_out, x, gain, static_cast<const float*>(grad_x),
        static_cast<const float*>(gain_per_row), static_cast<const float*>(bias_per_row)}) {
    aligned = aligned && allows_four(p, cols);
  }
  constexpr auto kGood = LayerNormBwdVariant::deterministic;
  constexpr auto kBad = LayerNormBwdVariant::uninitialised_tail;
  const auto good =
      aligned ? layer_norm_bwd_kernel<true, kGood> : layer_norm_bwd_kernel<false, kGood>;
  const auto bad = aligned ? layer_norm_bwd_kernel<true, kBad> : layer_norm_bwd_kernel<false, kBad>;
  launch(variant == kGood ? good : bad, grid_of(rows), dim3(kThreads), 0, stream, grad_out, x, gain,
         mean, rstd, rows, cols, grad_x, gain_per_row, bias_per_row);
}

}  // namespace foxhunt
