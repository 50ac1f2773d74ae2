// SPDX-License-Identifier: MIT
#include "kernels/encoder/mamba2_block_oracle.h"

#include "kernels/encoder/oracle_parts.h"
#include "kernels/gemm/gemm_oracle.h"

namespace foxhunt::oracle {
namespace {

constexpr int kTaps = 4;

template <class Real>
Real silu(const Real& x) {
  return x * sigmoid(x);
}

template <class Real>
Real silu_slope(const Real& x) {
  const Real open = sigmoid(x);
  return open * (Real(1.0) + x * (Real(1.0) - open));
}

// The block's stages before the scan, and indices into them.
template <class Real>
struct Stages {
  const Mamba2<Real>& in;
  int channels, columns;        // K; E + K + heads
  std::vector<Real> projected;  // [B,T,columns]: z, u, r
  std::vector<Real> before;     // [B,T,K]: the convolution before silu
  std::vector<Real> convolved;  // [B,T,K]: v, B, C

  explicit Stages(const Mamba2<Real>& block)
      : in(block),
        channels(in.inner + 2 * in.state),
        columns(in.inner + channels + in.heads),
        projected(gemm<Real>(in.batch * in.window, columns, in.width, {in.x.data()},
                             {in.in_proj.data()})) {
    for (int row = 0; row < in.batch * in.window; row++) {
      for (int c = 0; c < channels; c++) {
        Real sum = in.conv_b[at(c)];
        for (int i = 0; i < kTaps; i++) {
          const int back = kTaps - 1 - i;
          if (back > row % in.window) continue;
          sum += in.conv_w[at(i, channels) + at(c)] * projected[u(row - back, c)];
        }
        before.push_back(sum);
        convolved.push_back(silu(sum));
      }
    }
  }

  int head_width() const { return in.inner / in.heads; }
  // Indices; a row is item * window + t.
  std::size_t z(int row, int e) const { return at(row, columns) + at(e); }
  std::size_t u(int row, int c) const { return at(row, columns) + at(in.inner + c); }
  std::size_t r(int row, int head) const { return u(row, channels + head); }
  std::size_t v(int row, int e) const { return at(row, channels) + at(e); }
  std::size_t b(int row, int n) const { return v(row, in.inner + n); }
  std::size_t c(int row, int n) const { return v(row, in.inner + in.state + n); }

  Real step(int row, int head) const {
    return softplus(projected[r(row, head)] + in.dt_bias[at(head)]);
  }
  // log L[t,s] for rows of one item
  Real log_decay(int t, int s, int head) const {
    Real sum = 0.0;
    for (int row = s + 1; row <= t; row++) sum += -exp(in.a_log[at(head)]) * step(row, head);
    return sum;
  }
  Real similarity(int t, int s) const {
    Real sum = 0.0;
    for (int n = 0; n < in.state; n++) sum += convolved[c(t, n)] * convolved[b(s, n)];
    return sum;
  }
  // y [B,T,E]
  std::vector<Real> scan() const {
    std::vector<Real> y;
    for (int t = 0; t < in.batch * in.window; t++) {
      const int first = t - t % in.window;
      for (int e = 0; e < in.inner; e++) {
        const int head = e / head_width();
        Real sum = 0.0;
        for (int s = first; s <= t; s++) {
          sum += similarity(t, s) * exp(log_decay(t, s, head)) * step(s, head) * convolved[v(s, e)];
        }
        y.push_back(sum + in.d[at(head)] * convolved[v(t, e)]);
      }
    }
    return y;
  }
  std::vector<Real> gate(const std::vector<Real>& y) const {
    std::vector<Real> gated;
    for (int row = 0; row < in.batch * in.window; row++) {
      for (int e = 0; e < in.inner; e++) {
        gated.push_back(y[at(row, in.inner) + at(e)] * silu(projected[z(row, e)]));
      }
    }
    return gated;
  }
  std::vector<Real> project_out(const std::vector<Real>& gated) const {
    return gemm<Real>(in.batch * in.window, in.width, in.inner, {gated.data()},
                      {in.out_proj.data()});
  }
};

// Adds the scan's part to the gradients at projected (r) and convolved, and at the heads' scalars.
template <class Real>
void scan_backward(const Stages<Real>& s, const std::vector<Real>& at_y,
                   std::vector<Real>& at_projected, std::vector<Real>& at_convolved,
                   Mamba2Gradients<Real>& grad) {
  const Mamba2<Real>& in = s.in;
  for (int row = 0; row < in.batch * in.window; row++) {
    const int first = row - row % in.window;
    for (int head = 0; head < in.heads; head++) {
      const int begin = head * s.head_width(), end = begin + s.head_width();
      for (int e = begin; e < end; e++) {
        const Real& g = at_y[at(row, in.inner) + at(e)];
        grad.d[at(head)] += g * s.convolved[s.v(row, e)];
        at_convolved[s.v(row, e)] += in.d[at(head)] * g;
      }
      for (int from = first; from <= row; from++) {
        const Real similarity = s.similarity(row, from), step = s.step(from, head);
        const Real decay = exp(s.log_decay(row, from, head));
        Real at_mixing = 0.0;
        for (int e = begin; e < end; e++) {
          const Real& g = at_y[at(row, in.inner) + at(e)];
          at_mixing += g * s.convolved[s.v(from, e)];
          at_convolved[s.v(from, e)] += similarity * decay * step * g;
        }
        for (int n = 0; n < in.state; n++) {
          const Real at_similarity = at_mixing * (decay * step);
          at_convolved[s.c(row, n)] += at_similarity * s.convolved[s.b(from, n)];
          at_convolved[s.b(from, n)] += at_similarity * s.convolved[s.c(row, n)];
        }
        const auto at_step = [&](int of_row, const Real& g) {
          const Real slope = sigmoid(s.projected[s.r(of_row, head)] + in.dt_bias[at(head)]);
          at_projected[s.r(of_row, head)] += g * slope;
          grad.dt_bias[at(head)] += g * slope;
        };
        at_step(from, at_mixing * (similarity * decay));
        const Real rate = -exp(in.a_log[at(head)]);
        const Real at_exponent = at_mixing * (similarity * decay) * step;
        for (int between = from + 1; between <= row; between++) {
          at_step(between, rate * at_exponent);
          grad.a_log[at(head)] += s.step(between, head) * at_exponent * rate;
        }
      }
    }
  }
}

// Adds the convolution's part to the gradient at projected (u), and at its parameters.
template <class Real>
void convolution_backward(const Stages<Real>& s, const std::vector<Real>& at_convolved,
                          std::vector<Real>& at_projected, Mamba2Gradients<Real>& grad) {
  for (int row = 0; row < s.in.batch * s.in.window; row++) {
    for (int c = 0; c < s.channels; c++) {
      const Real g = at_convolved[s.v(row, c)] * silu_slope(s.before[s.v(row, c)]);
      grad.conv_b[at(c)] += g;
      for (int i = 0; i < kTaps; i++) {
        const int back = kTaps - 1 - i;
        if (back > row % s.in.window) continue;
        grad.conv_w[at(i, s.channels) + at(c)] += g * s.projected[s.u(row - back, c)];
        at_projected[s.u(row - back, c)] += g * s.in.conv_w[at(i, s.channels) + at(c)];
      }
    }
  }
}

}  // namespace

template <class Real>
std::vector<Real> mamba2_forward(const Mamba2<Real>& in) {
  const Stages<Real> s(in);
  return s.project_out(s.gate(s.scan()));
}

std::vector<double> mamba2_forward_by_recurrence(const Mamba2<double>& in) {
  const Stages<double> s(in);
  std::vector<double> y(at(in.batch * in.window, in.inner));
  for (int e = 0; e < in.inner; e++) {
    const int head = e / s.head_width();
    std::vector<double> state;
    for (int row = 0; row < in.batch * in.window; row++) {
      if (row % in.window == 0) state.assign(at(in.state), 0.0);
      double& out = y[at(row, in.inner) + at(e)];
      for (int n = 0; n < in.state; n++) {
        const double keep = exp(-exp(in.a_log[at(head)]) * s.step(row, head));
        state[at(n)] = keep * state[at(n)] +
                       s.step(row, head) * s.convolved[s.b(row, n)] * s.convolved[s.v(row, e)];
        out += s.convolved[s.c(row, n)] * state[at(n)];
      }
      out += in.d[at(head)] * s.convolved[s.v(row, e)];
    }
  }
  return s.project_out(s.gate(y));
}

template <class Real>
Mamba2Gradients<Real> mamba2_backward(const Mamba2<Real>& in, const std::vector<Real>& grad_out) {
  const Stages<Real> s(in);
  const int rows = in.batch * in.window;
  const std::vector<Real> y = s.scan(), gated = s.gate(y);
  Mamba2Gradients<Real> grad;
  grad.conv_w.resize(in.conv_w.size());
  grad.conv_b.resize(in.conv_b.size());
  grad.dt_bias.resize(in.dt_bias.size());
  grad.a_log.resize(in.a_log.size());
  grad.d.resize(in.d.size());
  grad.out_proj = gemm<Real>(in.inner, in.width, rows, {gated.data(), true}, {grad_out.data()});
  const std::vector<Real> at_gated =
      gemm<Real>(rows, in.inner, in.width, {grad_out.data()}, {in.out_proj.data(), true});
  std::vector<Real> at_y, at_projected(s.projected.size()), at_convolved(s.convolved.size());
  for (int row = 0; row < rows; row++) {
    for (int e = 0; e < in.inner; e++) {
      const Real& z = s.projected[s.z(row, e)];
      const Real& g = at_gated[at(row, in.inner) + at(e)];
      at_y.push_back(g * silu(z));
      at_projected[s.z(row, e)] = g * y[at(row, in.inner) + at(e)] * silu_slope(z);
    }
  }
  scan_backward(s, at_y, at_projected, at_convolved, grad);
  convolution_backward(s, at_convolved, at_projected, grad);
  grad.x = gemm<Real>(rows, in.width, s.columns, {at_projected.data()}, {in.in_proj.data(), true});
  grad.in_proj = gemm<Real>(in.width, s.columns, rows, {in.x.data(), true}, {at_projected.data()});
  return grad;
}

template std::vector<double> mamba2_forward(const Mamba2<double>&);
template std::vector<Rounded> mamba2_forward(const Mamba2<Rounded>&);
template Mamba2Gradients<double> mamba2_backward(const Mamba2<double>&, const std::vector<double>&);
template Mamba2Gradients<Rounded> mamba2_backward(const Mamba2<Rounded>&,
                                                  const std::vector<Rounded>&);

}  // namespace foxhunt::oracle
