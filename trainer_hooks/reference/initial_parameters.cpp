// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/initial_parameters.h"

#include "dump/format/digest.h"
#include "kernels/math/elementary.h"
#include "kernels/math/philox.h"

namespace foxhunt {
namespace {

constexpr float kInverseSoftplusOfATenth = -2.2521685f;  // log(exp(0.1) - 1)

bool is_bias(std::string_view name) { return name.ends_with("_b") || name.ends_with("_bias"); }

}  // namespace

std::vector<float> initial_parameter(std::string_view name, const Shape& shape,
                                     std::uint64_t seed) {
  std::vector<float> values(element_count(shape).value());
  const auto fill = [&](float value) { values.assign(values.size(), value); };
  const float inputs = static_cast<float>(shape.empty() ? 1 : shape.front());
  if (name == "mamba2_a_log") {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = math::log(static_cast<float>(i + 1));
    }
  } else if (name == "mamba2_dt_bias") {
    fill(kInverseSoftplusOfATenth);
  } else if (name.ends_with("_gain") || name.ends_with("_tau") || name == "mamba2_d") {
    fill(1.0f);
  } else if (name.ends_with("_sigma")) {
    // A bias has the inputs of the units that it belongs to, which are as many here.
    fill(0.5f / math::sqrt(inputs));
  } else if (is_bias(name)) {
    fill(0.0f);
  } else {
    const float limit = 1.0f / math::sqrt(inputs);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto draw =
          math::philox(seed, math::RngPurpose::initial_weights, check_word(name) >> 8, i);
      values[i] = limit * math::fma(2.0f, math::uniform(draw.x), -1.0f);
    }
  }
  return values;
}

}  // namespace foxhunt
