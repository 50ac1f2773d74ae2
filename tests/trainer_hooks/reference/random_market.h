// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "trainer_hooks/reference/market.h"

namespace foxhunt::test {

// Prices [days, 4] of random walks, a percent a day.
std::vector<double> random_prices(int days, std::uint64_t stream);

}  // namespace foxhunt::test
