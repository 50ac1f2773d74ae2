// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/noisy_linear.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

struct NoisyLinearCase {
  NoisyLinearCase(int batch_, int in_, int out_) : batch(batch_), in(in_), out(out_) {
    RandomInputs random(105);
    x = random.normal(count(batch, in));
    w_mu = random.normal(count(in, out), 0.3f);
    w_sigma = random.normal(count(in, out), 0.1f);
    b_mu = random.normal(count(out));
    b_sigma = random.normal(count(out), 0.1f);
  }

  Outputs run(NoisyLinearVariant variant = NoisyLinearVariant::deterministic) const {
    Floats d_x(x), d_w_mu(w_mu), d_w_sigma(w_sigma), d_b_mu(b_mu), d_b_sigma(b_sigma),
        eps(count(in + out)), y(count(batch, out));
    test::DeviceArray<std::uint64_t> d_rng(rng);
    cudaStream_t stream, side;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    rl_noisy_reset_noise(d_rng.get(), in + out, eps.get(), stream);
    std::vector<float> drawn;
    if (variant == NoisyLinearVariant::deterministic) drawn = eps.read();
    cudaStreamSynchronize(stream);
    rl_noisy_linear_forward(d_x.get(),
                            {d_w_mu.get(), d_w_sigma.get(), d_b_mu.get(), d_b_sigma.get(), in, out},
                            eps.get(), batch, y.get(), stream, variant, {d_rng.get(), side});
    Outputs outputs{{"y", y.read()}, {"eps", drawn}};
    cudaStreamDestroy(stream);
    cudaStreamDestroy(side);
    return outputs;
  }

  int batch, in, out;
  std::vector<float> x, w_mu, w_sigma, b_mu, b_sigma;
  std::vector<std::uint64_t> rng = {test::test_seed(), 3};
};

}  // namespace foxhunt::heads_test
