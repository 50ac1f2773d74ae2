// SPDX-License-Identifier: MIT
#include "kernels/encoder/cfc_step_oracle.h"

#include "kernels/encoder/oracle_parts.h"

namespace foxhunt::oracle {
namespace {

// One step of one batch item, all [H].
template <class Real>
struct Step {
  std::vector<Real> f, s, tanh_g, tanh_c, h;
};

template <class Real>
Step<Real> step(const Cfc<Real>& in, const Real* x, const Real* h) {
  const auto linear = [&](int column) {
    Real sum = 0.0;
    for (int k = 0; k < in.inputs; k++) sum += x[k] * in.w_in[at(k, 3 * in.hidden) + at(column)];
    sum += in.b[at(column)];
    for (int k = 0; k < in.hidden; k++) sum += h[k] * in.w_rec[at(k, 3 * in.hidden) + at(column)];
    return sum;
  };
  Step<Real> out;
  for (int j = 0; j < in.hidden; j++) {
    out.f.push_back(linear(j));
    out.s.push_back(sigmoid(-(out.f.back() * in.tau[at(j)])));
    out.tanh_g.push_back(tanh(linear(in.hidden + j)));
    out.tanh_c.push_back(tanh(linear(2 * in.hidden + j)));
    out.h.push_back(out.s.back() * out.tanh_g.back() +
                    (Real(1.0) - out.s.back()) * out.tanh_c.back());
  }
  return out;
}

template <class Real>
std::vector<Step<Real>> steps_of(const Cfc<Real>& in, int item) {
  std::vector<Step<Real>> steps;
  for (int t = 0; t < in.window; t++) {
    const Real* h = t == 0 ? in.h_t.data() + at(item, in.hidden) : steps.back().h.data();
    steps.push_back(step(in, in.x.data() + at(item * in.window + t, in.inputs), h));
  }
  return steps;
}

}  // namespace

template <class Real>
std::vector<Real> cfc_forward(const Cfc<Real>& in) {
  std::vector<Real> out;
  for (int item = 0; item < in.batch; item++) {
    for (const Step<Real>& s : steps_of(in, item)) out.insert(out.end(), s.h.begin(), s.h.end());
  }
  return out;
}

template <class Real>
CfcGradients<Real> cfc_backward(const Cfc<Real>& in, const std::vector<Real>& grad_out) {
  const int width = 3 * in.hidden;
  CfcGradients<Real> grad;
  grad.x.resize(in.x.size());
  grad.w_in.resize(at(in.batch, in.inputs * width));
  grad.w_rec.resize(at(in.batch, in.hidden * width));
  grad.b.resize(at(in.batch, width));
  grad.tau.resize(at(in.batch, in.hidden));
  for (int item = 0; item < in.batch; item++) {
    const std::vector<Step<Real>> steps = steps_of(in, item);
    std::vector<Real> at_h(at(in.hidden));
    for (int t = in.window - 1; t >= 0; t--) {
      const Step<Real>& s = steps[at(t)];
      const int row = item * in.window + t;
      std::vector<Real> at_gates(at(width));
      for (int j = 0; j < in.hidden; j++) {
        const Real dh = at_h[at(j)] + grad_out[at(row, in.hidden) + at(j)];
        const Real open = s.s[at(j)], g = s.tanh_g[at(j)], c = s.tanh_c[at(j)];
        const Real at_exponent = dh * (g - c) * (open * (Real(1.0) - open));
        at_gates[at(j)] = -(at_exponent * in.tau[at(j)]);
        at_gates[at(in.hidden + j)] = dh * open * (Real(1.0) - g * g);
        at_gates[at(2 * in.hidden + j)] = dh * (Real(1.0) - open) * (Real(1.0) - c * c);
        grad.tau[at(item, in.hidden) + at(j)] -= at_exponent * s.f[at(j)];
      }
      const Real* x = in.x.data() + at(row, in.inputs);
      const Real* h = t == 0 ? in.h_t.data() + at(item, in.hidden) : steps[at(t - 1)].h.data();
      for (int j = 0; j < width; j++) {
        grad.b[at(item, width) + at(j)] += at_gates[at(j)];
        for (int k = 0; k < in.inputs; k++) {
          grad.w_in[at(item * in.inputs + k, width) + at(j)] += x[k] * at_gates[at(j)];
          grad.x[at(row, in.inputs) + at(k)] += at_gates[at(j)] * in.w_in[at(k, width) + at(j)];
        }
        for (int k = 0; k < in.hidden; k++) {
          grad.w_rec[at(item * in.hidden + k, width) + at(j)] += h[k] * at_gates[at(j)];
        }
      }
      for (int k = 0; k < in.hidden; k++) {
        at_h[at(k)] = 0.0;
        for (int j = 0; j < width; j++) {
          at_h[at(k)] += at_gates[at(j)] * in.w_rec[at(k, width) + at(j)];
        }
      }
    }
  }
  return grad;
}

template std::vector<double> cfc_forward(const Cfc<double>&);
template std::vector<Rounded> cfc_forward(const Cfc<Rounded>&);
template CfcGradients<double> cfc_backward(const Cfc<double>&, const std::vector<double>&);
template CfcGradients<Rounded> cfc_backward(const Cfc<Rounded>&, const std::vector<Rounded>&);

}  // namespace foxhunt::oracle
