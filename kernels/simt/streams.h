// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/simt/engine.h"
#include "kernels/simt/runtime_api.h"

namespace foxhunt::simt {

// The device's queues. Work waits in its stream until somebody waits for it, or until the schedule
// starts it early; the heads of several streams may run side by side.

// Queues a kernel, or a copy, which is one here. The stream must be known or null.
void enqueue(Stream* stream, std::unique_ptr<Grid> grid);
// Runs what this stream holds, and what it waits for.
void run_stream(Stream* stream);
// Does a part of what is ready; false if nothing is.
bool step_device();
// Runs all queued work.
void run_all_streams();

// Whether this is a stream that exists; if not, reports it as the misuse it is.
bool check_stream(Stream* stream, const char* call);

// The error of the last failed launch or refused call; the next cudaGetLastError clears it.
void set_last_error(cudaError_t error);
// Reports the host's mistake, and is the error.
cudaError_t refuse(DiagnosticKind kind, cudaError_t error, std::string text);

// A new seed for the draws that start work early.
void restart_streams();

}  // namespace foxhunt::simt
