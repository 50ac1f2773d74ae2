// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/heads/linear_head_oracle.h"
#include "kernels/math/philox.h"

namespace foxhunt::oracle {

// From Philox's words; how words make a normal is written in kernels/math/philox.h.
template <class Real>
Values<Real> reset_noise(std::uint64_t seed, std::uint64_t step, math::RngPurpose purpose,
                         std::size_t count) {
  using std::abs;
  using std::log;
  using std::sqrt;
  Values<Real> eps;
  for (std::size_t quad = 0; eps.size() < count; ++quad) {
    const math::PhiloxWords words = math::philox(seed, purpose, step, quad);
    for (const auto& [radius, angle] : {std::pair(words.x, words.y), std::pair(words.z, words.w)}) {
      // Both uniforms are rounded to a float before they are used.
      const Real u = Real(radius) * Real(0x1p-32) + Real(0x1p-33);
      const Real length = sqrt(Real(-2.0) * log(u));
      const Real turn = Real(2.0) * Real(double{math::uniform(angle)});
      for (const Real normal : {length * cos_pi(turn), length * cos_pi(turn - Real(0.5))}) {
        const Real root = sqrt(abs(normal));
        eps.push_back(value_of(normal) < 0 ? -root : root);
      }
    }
  }
  eps.resize(count);
  return eps;
}

template <class Real>
struct NoisyLinear {
  Values<Real> w_mu, w_sigma, b_mu, b_sigma;  // [in,out] twice, [out] twice
};

// The layer's weights under one draw of noise, eps[in + out].
template <class Real>
NoisyLinear<Real> noisy_weights(const NoisyLinear<Real>& layer, const Values<Real>& eps) {
  const std::size_t out = layer.b_mu.size(), in = eps.size() - out;
  NoisyLinear<Real> result = layer;
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) {
      const std::size_t at = i * out + o;
      result.w_mu[at] = layer.w_mu[at] + layer.w_sigma[at] * (eps[i] * eps[in + o]);
    }
    result.b_mu[o] = layer.b_mu[o] + layer.b_sigma[o] * eps[in + o];
  }
  return result;  // w_mu and b_mu are the sums; the sigmas are as they were
}

template <class Real>
Values<Real> noisy_linear(const Values<Real>& x, const NoisyLinear<Real>& layer,
                          const Values<Real>& eps, std::size_t rows) {
  const NoisyLinear<Real> noisy = noisy_weights(layer, eps);
  return linear(x, noisy.w_mu, noisy.b_mu, rows);
}

template <class Real>
struct NoisyGradients {
  Values<Real> x;
  NoisyLinear<Real> layer;
};

template <class Real>
NoisyGradients<Real> noisy_linear_backward(const Values<Real>& x, const NoisyLinear<Real>& layer,
                                           const Values<Real>& eps, const Values<Real>& grad_y,
                                           std::size_t rows) {
  const std::size_t out = layer.b_mu.size(), in = eps.size() - out;
  const auto g = linear_backward(x, noisy_weights(layer, eps).w_mu, grad_y, rows, out);
  NoisyGradients<Real> result{g.x, {g.w, g.w, g.b, g.b}};
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) {
      Real& sigma = result.layer.w_sigma[i * out + o];
      sigma = sigma * (eps[i] * eps[in + o]);
    }
    result.layer.b_sigma[o] = result.layer.b_sigma[o] * eps[in + o];
  }
  return result;
}

}  // namespace foxhunt::oracle
