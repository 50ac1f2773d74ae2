// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/label_heads.h"
#include "kernels/heads/mean_of_rows.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

struct LabelHead {
  decltype(&frd_head_fwd) forward;
  decltype(&frd_head_bwd) backward;
  decltype(&frd_head_bwd_weights) backward_weights;
};
inline constexpr LabelHead kFrdHead{frd_head_fwd, frd_head_bwd, frd_head_bwd_weights};
inline constexpr LabelHead kOutcomeHead{outcome_head_fwd, outcome_head_bwd,
                                        outcome_head_bwd_weights};

struct LabelHeadCase {
  LabelHeadCase(int batch_, int hidden_, int classes_)
      : batch(batch_), hidden(hidden_), classes(classes_) {
    RandomInputs random(101);
    h = random.normal(count(batch, hidden));
    w = random.normal(count(hidden, classes), 0.3f);
    b = random.normal(count(classes));
    labels = random.integers(count(batch), -1, classes - 1);
    if (batch > 0) labels[0] = classes - 1;
  }

  Outputs run(const LabelHead& head) const {
    Floats d_h(h), d_w(w), d_b(b), logits(count(batch, classes)), loss(count(batch)),
        grad_logits(count(batch, classes)), grad_h(count(batch, hidden)),
        grad_w(count(hidden, classes)), grad_b(count(classes)), mean(1);
    test::DeviceArray<int> d_labels(labels);
    head.forward(d_h.get(), d_w.get(), d_b.get(), batch, hidden, classes, logits.get(), nullptr);
    head.backward(logits.get(), d_labels.get(), d_w.get(), batch, hidden, classes, loss.get(),
                  grad_logits.get(), grad_h.get(), nullptr);
    head.backward_weights(d_h.get(), grad_logits.get(), batch, hidden, classes, grad_w.get(),
                          grad_b.get(), nullptr);
    mean_of_rows(loss.get(), batch, mean.get(), nullptr);
    return {{"logits", logits.read()}, {"loss", loss.read()},
            {"grad_h", grad_h.read()}, {"grad_logits", grad_logits.read()},
            {"grad_w", grad_w.read()}, {"grad_b", grad_b.read()},
            {"mean_loss", mean.read()}};
  }

  int batch, hidden, classes;
  std::vector<float> h, w, b;
  std::vector<int> labels;
};

}  // namespace foxhunt::heads_test
