// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace foxhunt::simt {

struct CodePlace {
  std::string function;  // demangled; may be empty
  std::string file;      // may be empty
  int line = 0;
};

// Where in a kernel's source this address of code is; what was inlined from the dialect's own
// headers counts as its caller.
CodePlace place_of_code(const void* address);

// Whether this address is in the executor itself, and not in a header of it that a kernel includes.
bool is_executor_code(const void* address);

// Where in a kernel's source the running thread is: `address` if that is in one, or else its
// nearest caller that is.
CodePlace place_of_running_code(const void* address = nullptr);

// "scale_kernel<float>" for a kernel's address; "" if it is not known.
std::string function_name(const void* address);

}  // namespace foxhunt::simt
