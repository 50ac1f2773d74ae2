// SPDX-License-Identifier: MIT
#include "tests/kernels/encoder/encoder_chain.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/kernels/support/device_array.h"

namespace foxhunt::test {
namespace {

// Device memory of the chain, by the order in which it is asked for. Inputs come from integers, so
// that every compiler and library makes the same.
class ChainMemory {
 public:
  float* input(std::size_t size, float scale = 1.0f) {
    std::vector<float> values(size);
    for (float& v : values) {
      state_ = state_ * 1664525u + 1013904223u;
      v = (static_cast<float>(state_ >> 8) * 0x1p-23f - 1.0f) * scale;
    }
    arrays_.push_back(std::make_unique<DeviceArray<float>>(values));
    return arrays_.back()->get();
  }
  float* output(std::size_t size) {
    outputs_.push_back(arrays_.size());
    arrays_.push_back(std::make_unique<DeviceArray<float>>(size));
    return arrays_.back()->get();
  }
  Bytes bytes_of_outputs() {
    Bytes bytes;
    for (const std::size_t i : outputs_) append(bytes, arrays_[i]->read());
    return bytes;
  }

 private:
  std::uint32_t state_ = 1;
  std::vector<std::unique_ptr<DeviceArray<float>>> arrays_;
  std::vector<std::size_t> outputs_;
};

}  // namespace

Bytes run_encoder_chain(const EncoderSizes& s, const EncoderVariants& variants) {
  const auto [batch, window, features, width, hidden, state, heads] = s;
  const std::size_t rows = count(batch, window);
  ChainMemory m;

  float* observed = m.input(rows * count(features));
  float* vsn_w = m.input(count(features, features + 2 * width));
  float* vsn_b = m.input(count(features, 1 + 2 * width));
  float* vsn_out = m.output(rows * count(width));
  variable_selection_fwd(observed, vsn_w, vsn_b, batch, window, features, width, vsn_out, nullptr);

  const Mamba2Shape shape{batch, window, width, hidden, state, heads};
  const Mamba2Parameters mamba{m.input(count(width, shape.projected()), 0.5f),
                               m.input(count(4, shape.channels())),
                               m.input(count(shape.channels())),
                               m.input(count(heads)),
                               m.input(count(heads)),
                               m.input(count(heads)),
                               m.input(count(hidden, width), 0.5f)};
  const Mamba2Activations kept{m.output(rows * count(shape.projected())),
                               m.output(rows * count(shape.channels())),
                               m.output(rows * count(hidden)), m.output(rows * count(hidden))};
  float* mamba2_out = m.output(rows * count(width));
  mamba2_block_fwd(vsn_out, mamba, shape, kept, mamba2_out, nullptr, variants.mamba2);

  const CfcParameters cfc{m.input(count(width, 3, hidden), 0.5f),
                          m.input(count(hidden, 3, hidden), 0.5f), m.input(count(3, hidden)),
                          m.input(count(hidden))};
  float* h_t = m.input(count(batch, hidden));
  float* cfc_out = m.output(rows * count(hidden));
  float* cfc_gates = m.output(rows * count(3, hidden));
  cfc_step_forward_batched(mamba2_out, h_t, cfc, batch, window, width, hidden, cfc_out, cfc_gates,
                           nullptr);

  float* q = m.input(count(hidden));
  float* pooled = m.output(count(batch, hidden));
  attention_pool_fwd(cfc_out, q, batch, window, hidden, pooled, nullptr);

  float* grad_pooled = m.input(count(batch, hidden));
  float* grad_cfc_out = m.output(rows * count(hidden));
  attention_pool_bwd(cfc_out, q, grad_pooled, batch, window, hidden, grad_cfc_out,
                     m.output(count(batch, hidden)), nullptr, variants.attention_pool);

  float* grad_mamba2_out = m.output(rows * count(width));
  cfc_step_backward_batched(
      mamba2_out, h_t, cfc, cfc_out, cfc_gates, grad_cfc_out, batch, window, width, hidden,
      {grad_mamba2_out, m.output(count(batch, width, 3, hidden)),
       m.output(count(batch, hidden, 3, hidden)), m.output(count(batch, 3, hidden)),
       m.output(count(batch, hidden)), m.output(rows * count(3, hidden))},
      nullptr, variants.cfc);

  float* grad_vsn_out = m.output(rows * count(width));
  mamba2_block_bwd(
      vsn_out, mamba, shape, kept, grad_mamba2_out,
      {grad_vsn_out, m.output(count(width, shape.projected())),
       m.output(count(4, shape.channels())), m.output(count(shape.channels())),
       m.output(count(heads)), m.output(count(heads)), m.output(count(heads)),
       m.output(count(hidden, width)), m.output(rows * count(hidden)),
       m.output(rows * count(shape.channels())), m.output(rows * count(shape.projected())),
       m.output(count(batch, shape.item_scratch()))},
      nullptr, variants.mamba2);

  // One after the other: a call's arguments are evaluated in any order.
  float* grad_vsn_w = m.output(count(batch, features, features + 2 * width));
  float* grad_vsn_b = m.output(count(batch, features, 1 + 2 * width));
  variable_selection_bwd(observed, vsn_w, vsn_b, grad_vsn_out, batch, window, features, width,
                         grad_vsn_w, grad_vsn_b, nullptr, variants.variable_selection);
  return m.bytes_of_outputs();
}

}  // namespace foxhunt::test
