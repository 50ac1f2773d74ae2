// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/audit.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "trainer_hooks/reference/backend.h"

namespace foxhunt {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<AuditLine> determinism_audit(const VariantSelection& variants) {
  std::vector<AuditLine> audit;
  const bool cuda = std::string_view(backend_name()) == "cuda";
  audit.push_back({"backend", backend_name(), true});
  audit.push_back({"schedule", schedule_text(), true});  // nothing of ours depends on it
  for (const auto& [site, kernel] : {std::pair("mamba2", "mamba2_block_fwd"),
                                     std::pair("dqn", "dqn_head_fwd"), std::pair("iqn", "")}) {
    const int variant = *kernel == '\0' ? 0 : variants.value(kernel);
    const bool pedantic = variant != 2;
    audit.push_back({std::string("math mode at ") + site,
                     !cuda      ? "own GEMM, float32, in index order"
                     : pedantic ? "CUBLAS_PEDANTIC_MATH"
                                : "CUBLAS_TF32_TENSOR_OP_MATH",
                     pedantic});
  }
  const std::string tf32 = variable("NVIDIA_TF32_OVERRIDE");
  audit.push_back({"NVIDIA_TF32_OVERRIDE", tf32.empty() ? "(not set)" : tf32, tf32 != "1"});
  const std::string workspace = variable("CUBLAS_WORKSPACE_CONFIG");
  // Ours has a workspace of its own for each stream, whatever this says.
  audit.push_back({"CUBLAS_WORKSPACE_CONFIG", workspace.empty() ? "(not set)" : workspace, true});
  std::string_view last;
  for (const KernelVariant& known : kernel_variants()) {
    if (known.kernel == last) continue;
    last = known.kernel;
    const int chosen = variants.value(known.kernel);
    std::string name = "deterministic";
    for (const KernelVariant& other : kernel_variants()) {
      if (other.kernel == known.kernel && other.value == chosen) name = other.name;
    }
    audit.push_back({std::string(known.kernel), name, chosen == 0});
  }
  return audit;
}

bool all_deterministic(const std::vector<AuditLine>& audit) {
  return std::all_of(audit.begin(), audit.end(),
                     [](const AuditLine& line) { return line.deterministic; });
}

}  // namespace foxhunt
