// SPDX-License-Identifier: MIT
#include <vector>

#include "dump/capture/dumper.h"

// Buffers, and which kernel makes which from what: a verdict is as sharp as this graph.
foxhunt::Profile make_profile() {
  foxhunt::ProfileBuilder p("my-trainer");
  p.bind("B", 4).bind("N", 8);
  p.group('i', "gradient scratch").group('l', "gradients");
  p.buffer("grad_scratch", 'i', foxhunt::DType::f32, {"B", "N"});
  p.buffer("grad", 'l', foxhunt::DType::f32, {"N"});
  p.kernel("linear_backward", foxhunt::Determinism::gpu_to_gpu);
  p.kernel("reduce_rows", foxhunt::Determinism::gpu_to_gpu, "add the rows in index order");
  p.launch("linear_backward").makes("grad_scratch");
  p.launch("reduce_rows").reads("grad_scratch").makes("grad");
  return p.build();
}

int main() {
  std::vector<float> scratch(4 * 8), grad(8);
  foxhunt::Dumper dumper = foxhunt::Dumper::from_environment(make_profile);
  for (std::uint64_t n = 0; n < 10; ++n) {
    foxhunt::StepScope step = dumper.step(n);
    // … linear_backward …
    FOXHUNT_HOOK(step.note_host("grad_scratch", scratch.data(), scratch.size() * sizeof(float)));
    // … reduce_rows …
    FOXHUNT_HOOK(step.note_host("grad", grad.data(), grad.size() * sizeof(float)));
  }  // the scope commits the step
  // Device buffers: step.note_device(name, pointer, bytes, stream), right after the launch.
}
