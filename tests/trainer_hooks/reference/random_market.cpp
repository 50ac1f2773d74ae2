// SPDX-License-Identifier: MIT
#include "tests/trainer_hooks/reference/random_market.h"

#include <random>

#include "tests/support/test_seed.h"

namespace foxhunt::test {

std::vector<double> random_prices(int days, std::uint64_t stream) {
  std::mt19937_64 rng = test_rng(stream);
  std::uniform_real_distribution<double> factor(0.97, 1.0304);
  std::vector<double> prices;
  for (int i = 0; i < days * Market::kIndices; ++i) {
    const double before =
        i < Market::kIndices ? 1000 : prices[static_cast<std::size_t>(i - Market::kIndices)];
    prices.push_back(before * factor(rng));
  }
  return prices;
}

}  // namespace foxhunt::test
