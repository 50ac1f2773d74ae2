// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <vector>

#include "dump/format/error.h"
#include "kernels/simt/arena.h"
#include "kernels/simt/streams.h"

// Copies and fills run as kernels do, a thread for each of a few chunks, and can be torn like them.

namespace foxhunt::simt {
namespace {

constexpr std::size_t kChunks = 8;
constexpr std::size_t kPiece = 64;      // bytes that appear together
constexpr std::size_t kMaxPieces = 64;  // in a chunk; large copies have larger pieces

struct Copy final : Invocation {
  char* to = nullptr;
  const char* from = nullptr;  // null: a fill
  int value = 0;
  std::size_t bytes = 0;
  std::size_t chunk = 0;
  std::vector<char> staged;  // of pageable memory, as it was at the call

  static void run_chunk(const void* self) {
    const Copy& copy = *static_cast<const Copy*>(self);
    const std::size_t begin = current->block->index.x * copy.chunk;
    const std::size_t end = std::min(copy.bytes, begin + copy.chunk);
    const std::size_t piece = std::max(kPiece, copy.chunk / kMaxPieces);
    for (std::size_t at = begin; at < end; at += piece) {
      preemption_point(Point::access);
      ++progress;
      const std::size_t n = std::min(piece, end - at);
      if (copy.from != nullptr) {
        std::memmove(copy.to + at, copy.from + at, n);
      } else {
        std::memset(copy.to + at, copy.value, n);
      }
    }
  }
};

void enqueue_copy(std::unique_ptr<Copy> copy, cudaStream_t stream) {
  copy->run = &Copy::run_chunk;
  copy->chunk = std::max(kPiece, (copy->bytes / kChunks + kPiece - 1) / kPiece * kPiece);
  auto grid = std::make_unique<Grid>();
  grid->grid = dim3(static_cast<unsigned>((copy->bytes + copy->chunk - 1) / copy->chunk));
  grid->block = dim3(1);
  grid->kernel = std::move(copy);
  enqueue(stream, std::move(grid));
}

// Whether the host may name these bytes: anything outside the arena, or all inside one allocation.
bool names_memory(const void* address, std::size_t bytes) {
  return !in_arena(address) || bytes_from(address) >= bytes;
}

cudaError_t outside(const char* call, const void* address, std::size_t bytes) {
  return refuse(DiagnosticKind::memory_misuse, cudaErrorInvalidValue,
                fmt::format("{} of {} bytes, but the allocation has {} from there on", call, bytes,
                            bytes_from(address)));
}

struct Direction {
  bool from_device, to_device;
};

bool fits(cudaMemcpyKind kind, Direction is) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !is.from_device && !is.to_device;
    case cudaMemcpyHostToDevice:
      return !is.from_device && is.to_device;
    case cudaMemcpyDeviceToHost:
      return is.from_device && !is.to_device;
    case cudaMemcpyDeviceToDevice:
      return is.from_device && is.to_device;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

}  // namespace
}  // namespace foxhunt::simt

using namespace foxhunt::simt;  // NOLINT: the functions below are CUDA's, the rest ours

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (!check_stream(stream, "cudaMemcpyAsync")) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  if (!names_memory(to, bytes)) return outside("cudaMemcpyAsync to", to, bytes);
  if (!names_memory(from, bytes)) return outside("cudaMemcpyAsync from", from, bytes);
  const Direction is{is_device_memory(from), is_device_memory(to)};
  if (!fits(kind, is)) {
    return refuse(
        DiagnosticKind::memory_misuse, cudaErrorInvalidValue,
        fmt::format("cudaMemcpyAsync of kind {} from {} to {} memory", static_cast<int>(kind),
                    is.from_device ? "device" : "host", is.to_device ? "device" : "host"));
  }
  auto copy = std::make_unique<Copy>();
  copy->to = static_cast<char*>(to);
  copy->from = static_cast<const char*>(from);
  copy->bytes = bytes;
  if (!in_arena(from) && is.to_device) {
    copy->staged.assign(copy->from, copy->from + bytes);
    copy->from = copy->staged.data();
  }
  enqueue_copy(std::move(copy), stream);
  const bool to_pageable = !in_arena(to);
  return to_pageable ? cudaStreamSynchronize(stream) : cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (!check_stream(stream, "cudaMemsetAsync")) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (!in_arena(to) || !names_memory(to, bytes)) return outside("cudaMemset", to, bytes);
  auto copy = std::make_unique<Copy>();
  copy->to = static_cast<char*>(to);
  copy->value = value;
  copy->bytes = bytes;
  enqueue_copy(std::move(copy), stream);
  return cudaSuccess;
}

// As in CUDA this does not wait for a fill of device memory.
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}
