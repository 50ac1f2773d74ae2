// SPDX-License-Identifier: MIT
#pragma once

namespace foxhunt::simt {
struct Stream;
struct Event;
}  // namespace foxhunt::simt

using cudaStream_t = foxhunt::simt::Stream*;  // null: the legacy default stream
using cudaEvent_t = foxhunt::simt::Event*;
