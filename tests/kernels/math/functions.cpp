// SPDX-License-Identifier: MIT
// Compiled several times with other flags; FOXHUNT_TEST_FUNCTIONS names the function to define.
#include "tests/kernels/math/functions.h"

#include "kernels/math/elementary.h"

namespace foxhunt::test {

std::span<const Function> FOXHUNT_TEST_FUNCTIONS() {
#define FOXHUNT_TEST_FUNCTION(name)              \
  Function {                                     \
#name, [](float x) { return math::name(x); } \
  }
  static const Function functions[] = {
      FOXHUNT_TEST_FUNCTION(exp),    FOXHUNT_TEST_FUNCTION(expm1),
      FOXHUNT_TEST_FUNCTION(log),    FOXHUNT_TEST_FUNCTION(log1p),
      FOXHUNT_TEST_FUNCTION(tanh),   FOXHUNT_TEST_FUNCTION(sigmoid),
      FOXHUNT_TEST_FUNCTION(silu),   FOXHUNT_TEST_FUNCTION(softplus),
      FOXHUNT_TEST_FUNCTION(rsqrt),  FOXHUNT_TEST_FUNCTION(sin_pi),
      FOXHUNT_TEST_FUNCTION(cos_pi),
  };
#undef FOXHUNT_TEST_FUNCTION
  return functions;
}

}  // namespace foxhunt::test
