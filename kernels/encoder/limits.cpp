// SPDX-License-Identifier: MIT
#include "kernels/encoder/limits.h"

#include "dump/format/error.h"

namespace foxhunt {

void require_at_most(const char* op, const char* what, int value, int limit) {
  if (1 <= value && value <= limit) return;
  throw Error(Errc::bad_argument, "{}: {} is {}, but must be from 1 to {}", op, what, value, limit);
}

void require_multiple(const char* op, const char* what, int value, int of) {
  if (value % of == 0) return;
  throw Error(Errc::bad_argument, "{}: {} is {}, but must be a multiple of {}", op, what, value,
              of);
}

void require_shared_memory(const char* op, const char* of_what, int bytes) {
  constexpr int kOfABlock = 48 << 10;  // without asking CUDA for more
  if (bytes <= kOfABlock) return;
  throw Error(Errc::bad_argument, "{}: {} need {} bytes of shared memory, but a block has {}", op,
              of_what, bytes, kOfABlock);
}

}  // namespace foxhunt
