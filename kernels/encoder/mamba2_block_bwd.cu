// SPDX-License-Identifier: MIT
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/mamba2_parts.cuh"

namespace foxhunt {
namespace {

using namespace mamba2;

__device__ float silu_slope(float x) {
  const float open = math::sigmoid(x);
  return open * math::fma(x, 1.0f - open, 1.0f);
}

// What a block keeps of one head in shared memory.
struct Scan {
  float* dt;        // [T]
  float* at_y;      // [T,P]: the gradient at y
  float* mixing;    // [T,T]: (C[t] . B[s]) L[t,s] dt[s], for s <= t as the next two
  float* at_cb;     // [T,T]: the gradient at C[t] . B[s]
  float* at_decay;  // [T,T]: the gradient at L[t,s] times L[t,s], dt[s] left out
  float* by_row;    // [3,T]: shares of the gradients at dt_bias, a_log and d
  __device__ Scan(float* shared, const Mamba2Shape& shape)
      : dt(shared),
        at_y(dt + shape.window),
        mixing(at_y + shape.window * shape.head()),
        at_cb(mixing + shape.window * shape.window),
        at_decay(at_cb + shape.window * shape.window),
        by_row(at_decay + shape.window * shape.window) {}
};

// dt, and through the gate: the gradients at y and at z.
__device__ void gate_backward(const Mamba2Shape& shape, const Head& head, const float* scanned,
                              const float* at_gated, const Scan& scan, float* at_z) {
  const int window = shape.window, width = shape.head();
  for (int t = static_cast<int>(threadIdx.x); t < window; t += kThreads) {
    scan.dt[t] = step_size(shape, head, t);
  }
  for (int e = static_cast<int>(threadIdx.x); e < window * width; e += kThreads) {
    const int t = e / width, p = e % width;
    const float z = head.z[t * shape.projected() + p], g = at_gated[t * shape.inner + p];
    scan.at_y[e] = g * math::silu(z);
    at_z[t * shape.projected() + p] = g * scanned[t * shape.inner + p] * silu_slope(z);
  }
}

// The three matrices over pairs of rows.
__device__ void pairs_backward(const Mamba2Shape& shape, const Head& head, const Scan& scan) {
  const int window = shape.window, width = shape.head();
  for (int e = static_cast<int>(threadIdx.x); e < window * window; e += kThreads) {
    const int t = e / window, s = e % window;
    if (s > t) continue;
    float at_mixing = 0.0f;
    for (int p = 0; p < width; p++) {
      at_mixing = math::fma(scan.at_y[t * width + p], head.v[s * shape.channels() + p], at_mixing);
    }
    const float cb = similarity(shape, head, t, s), l = decay(head, scan.dt, t, s);
    scan.mixing[e] = cb * l * scan.dt[s];
    scan.at_cb[e] = at_mixing * (l * scan.dt[s]);
    scan.at_decay[e] = at_mixing * (cb * l);
  }
}

// The gradients at v (this head's columns of at_convolved), and at B and C, which all heads share:
// the first head starts them, the others add to them.
__device__ void operands_backward(const Mamba2Shape& shape, const Head& head, const Scan& scan,
                                  bool first_head, float* at_v, float* at_b, float* at_c) {
  const int window = shape.window, width = shape.head(), stride = shape.channels();
  for (int e = static_cast<int>(threadIdx.x); e < window * width; e += kThreads) {
    const int s = e / width, p = e % width;
    float sum = head.d * scan.at_y[e];
    for (int t = s; t < window; t++) {
      sum = math::fma(scan.mixing[t * window + s], scan.at_y[t * width + p], sum);
    }
    at_v[s * stride + p] = sum;
  }
  for (int e = static_cast<int>(threadIdx.x); e < window * shape.state; e += kThreads) {
    const int row = e / shape.state, n = e % shape.state;
    float of_b = first_head ? 0.0f : at_b[row * stride + n];
    for (int t = row; t < window; t++) {
      of_b = math::fma(scan.at_cb[t * window + row], head.c[t * stride + n], of_b);
    }
    at_b[row * stride + n] = of_b;
    float of_c = first_head ? 0.0f : at_c[row * stride + n];
    for (int s = 0; s <= row; s++) {
      of_c = math::fma(scan.at_cb[row * window + s], head.b[s * stride + n], of_c);
    }
    at_c[row * stride + n] = of_c;
  }
}

// The gradient at r, and each row's share of those at the head's three scalars.
__device__ void steps_backward(const Mamba2Shape& shape, const Head& head, const Scan& scan,
                               float* at_r) {
  const int window = shape.window, width = shape.head();
  for (int row = static_cast<int>(threadIdx.x); row < window; row += kThreads) {
    float at_dt = 0.0f;  // as a factor of v[row]
    for (int t = row; t < window; t++) at_dt += scan.at_decay[t * window + row];
    float at_exponent = 0.0f;  // of all decays that step over this row
    for (int t = row; t < window; t++) {
      for (int s = 0; s < row; s++) {
        at_exponent = math::fma(scan.at_decay[t * window + s], scan.dt[s], at_exponent);
      }
    }
    at_dt = math::fma(head.rate, at_exponent, at_dt);
    const float slope = math::sigmoid(head.r[row * shape.projected()] + head.dt_bias);
    at_r[row * shape.projected()] = at_dt * slope;
    float of_d = 0.0f;
    for (int p = 0; p < width; p++) {
      of_d = math::fma(scan.at_y[row * width + p], head.v[row * shape.channels() + p], of_d);
    }
    scan.by_row[row] = at_dt * slope;
    scan.by_row[window + row] = scan.dt[row] * at_exponent * head.rate;
    scan.by_row[2 * window + row] = of_d;
  }
}

// A block owns a batch item and takes its heads one after the other.
__global__ void __launch_bounds__(kThreads)
    mamba2_scan_bwd_kernel(Mamba2Shape shape, Mamba2Parameters parameters,
                           Mamba2Activations activations, Mamba2Gradients grad) {
  FOXHUNT_DYNAMIC_SHARED(float, shared);
  const Scan scan(shared, shape);
  const int item = static_cast<int>(blockIdx.x), window = shape.window;
  const std::ptrdiff_t inner = item_at(shape, item, shape.inner);
  float* at_projected = grad.projected + item_at(shape, item, shape.projected());
  float* at_convolved = grad.convolved + item_at(shape, item, shape.channels());
  float* of_scalars = grad.item_scratch + static_cast<std::ptrdiff_t>(item) * shape.item_scratch() +
                      5 * shape.channels();
  for (int h = 0; h < shape.heads; h++) {
    const Head head = head_of(shape, parameters, activations, item, h);
    const int offset = h * shape.head();
    gate_backward(shape, head, activations.scanned + inner + offset, grad.gated + inner + offset,
                  scan, at_projected + offset);
    __syncthreads();
    pairs_backward(shape, head, scan);
    __syncthreads();
    operands_backward(shape, head, scan, h == 0, at_convolved + offset, at_convolved + shape.inner,
                      at_convolved + shape.inner + shape.state);
    steps_backward(shape, head, scan, at_projected + shape.inner + shape.channels() + h);
    __syncthreads();
    // Meanwhile other threads may start the next head, which leaves by_row alone for two barriers.
    for (int i = static_cast<int>(threadIdx.x); i < 3; i += kThreads) {
      float sum = 0.0f;
      for (int t = 0; t < window; t++) sum += scan.by_row[i * window + t];
      of_scalars[i * shape.heads + h] = sum;
    }
  }
}

// A thread owns a channel of a batch item and walks its rows from the last: a row's input takes
// part in that row and the three after it, whose gradients the thread still holds.
__global__ void __launch_bounds__(kThreads)
    mamba2_convolve_bwd_kernel(Mamba2Shape shape, Mamba2Parameters parameters,
                               const float* projected, Mamba2Gradients grad) {
  const int channels = shape.channels(), item = static_cast<int>(blockIdx.y);
  const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (c >= channels) return;
  const float* u = projected + item_at(shape, item, shape.projected());
  const float* at_out = grad.convolved + item_at(shape, item, channels) + c;
  float* at_u = grad.projected + item_at(shape, item, shape.projected()) + shape.inner + c;
  float after[kTaps] = {};  // the gradients before silu at rows t, t + 1, t + 2, t + 3
  float of_w[kTaps] = {}, of_b = 0.0f;
  for (int t = shape.window - 1; t >= 0; t--) {
    for (int i = kTaps - 1; i > 0; i--) after[i] = after[i - 1];
    after[0] = at_out[t * channels] *
               silu_slope(convolve(shape, parameters.conv_w, parameters.conv_b, u, t, c));
    float sum = 0.0f;
    for (int i = 0; i < kTaps; i++) {
      const int tap = kTaps - 1 - i;  // by which row t reaches row t + i
      sum = math::fma(parameters.conv_w[tap * channels + c], after[i], sum);
      of_w[tap] = math::fma(u[t * shape.projected() + shape.inner + c], after[i], of_w[tap]);
    }
    at_u[t * shape.projected()] = sum;
    of_b += after[0];
  }
  float* own = grad.item_scratch + static_cast<std::ptrdiff_t>(item) * shape.item_scratch();
  for (int i = 0; i < kTaps; i++) own[i * channels + c] = of_w[i];
  own[kTaps * channels + c] = of_b;
}

// out[j] = the sum of column j over the items, in index order.
__global__ void __launch_bounds__(kThreads)
    mamba2_sum_items_kernel(const float* scratch, int items, int stride, int columns, float* out) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= columns) return;
  float sum = 0.0f;
  for (int i = 0; i < items; i++) sum += scratch[static_cast<std::ptrdiff_t>(i) * stride + j];
  out[j] = sum;
}

void sum_items(const Mamba2Shape& shape, const Mamba2Gradients& grad, cudaStream_t stream) {
  const int channels = shape.channels();
  const struct {
    int columns;
    float* out;
  } parts[] = {{kTaps * channels, grad.conv_w},
               {channels, grad.conv_b},
               {shape.heads, grad.dt_bias},
               {shape.heads, grad.a_log},
               {shape.heads, grad.d}};
  const float* scratch = grad.item_scratch;
  for (const auto& part : parts) {
    foxhunt::launch(mamba2_sum_items_kernel, blocks((part.columns + kThreads - 1) / kThreads),
                    dim3(kThreads), 0, stream, scratch, shape.batch, shape.item_scratch(),
                    part.columns, part.out);
    scratch += part.columns;
  }
}

}  // namespace

void mamba2_block_bwd(const float* x, const Mamba2Parameters& parameters, const Mamba2Shape& shape,
                      const Mamba2Activations& activations, const float* grad_out,
                      const Mamba2Gradients& grad, cudaStream_t stream, Mamba2Variant variant) {
  const int rows = shape.batch * shape.window, projected = shape.projected();
  if (rows <= 0) return;
  require_shape("mamba2_block_bwd", shape);
  gemm({"mamba2",
        rows,
        shape.inner,
        shape.width,
        {grad_out, shape.width},
        {parameters.out_proj, shape.width, true},
        grad.gated,
        shape.inner},
       stream, variant);
  gemm({"mamba2",
        shape.inner,
        shape.width,
        rows,
        {activations.gated, shape.inner, true},
        {grad_out, shape.width},
        grad.out_proj,
        shape.width},
       stream, variant);
  foxhunt::launch(mamba2_scan_bwd_kernel, blocks(shape.batch), dim3(kThreads),
                  static_cast<std::size_t>(scan_floats(shape)) * sizeof(float), stream, shape,
                  parameters, activations, grad);
  foxhunt::launch(mamba2_convolve_bwd_kernel,
                  dim3(static_cast<unsigned>((shape.channels() + kThreads - 1) / kThreads),
                       static_cast<unsigned>(shape.batch)),
                  dim3(kThreads), 0, stream, shape, parameters, activations.projected, grad);
  gemm({"mamba2",
        rows,
        shape.width,
        projected,
        {grad.projected, projected},
        {parameters.in_proj, projected, true},
        grad.x,
        shape.width},
       stream, variant);
  gemm({"mamba2",
        shape.width,
        projected,
        rows,
        {x, shape.width, true},
        {grad.projected, projected},
        grad.in_proj,
        projected},
       stream, variant);
  sum_items(shape, grad, stream);
}

}  // namespace foxhunt
