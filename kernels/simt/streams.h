// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "kernels/simt/engine.h"
#include "kernels/simt/runtime_api.h"

namespace foxhunt::simt {

// Queues a kernel (or a copy, which is one for this purpose).
void enqueue(Stream* stream, std::unique_ptr<Grid> grid);

// Runs all queued work.
void drain_streams();

void set_last_error(cudaError_t error);

}  // namespace foxhunt::simt
