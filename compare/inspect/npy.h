// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "compare/inspect/buffer.h"

namespace foxhunt {

// The head of a NumPy file (format 1.0) of C-ordered little-endian elements; the elements follow
// it. bf16 and the two f8, which NumPy does not have, become unsigned integers of their size.
std::string npy_header(DType dtype, const Shape& shape);

// Writes the buffer as a NumPy file, whole or not at all. Returns a sentence for the user: what was
// written, and whether the elements are raw integers.
//
// Throws Error: bad_argument for a place that will not do (within the run, or there already without
// `overwrite`), format for a payload that disagrees with its own record, io.
std::string export_npy(const FoundBuffer& buffer, const std::filesystem::path& to, bool overwrite);

}  // namespace foxhunt
