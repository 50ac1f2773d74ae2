// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "compare/verdict/walk.h"

namespace foxhunt {

// Every sentence that is said of an origin, in one place.

// Origin::advice: what to look at, with what the maker's kind implies. `maker` is null when no
// profile says who makes the buffer.
std::string origin_advice(const Maker* maker, bool carried_in);

// "layer_norm_fwd (b)", "unknown kernel", "carried in".
std::string origin_maker(const Origin& origin);

// How far the claim goes and why, in one sentence without its full stop, as in "suspected: reduce,
// or what makes one of the buffers that were not dumped: scratch, params[-1]; dump groups i, m
// too".
std::string describe_claim(const Origin& origin);

}  // namespace foxhunt
