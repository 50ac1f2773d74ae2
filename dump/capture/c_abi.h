// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <optional>
#include <string_view>

#include "dump/capture/foxhunt_dump.h"
#include "dump/format/dtype.h"
#include "dump/format/error.h"
#include "dump/format/profile.h"

// Shared by the sources of the C ABI.

namespace foxhunt {

// The code of an error, its text kept for foxhunt_last_message().
foxhunt_status c_error(const Error& error) noexcept;
foxhunt_status c_error(std::exception_ptr error) noexcept;
// FOXHUNT_ERROR_ARGUMENT.
foxhunt_status c_misuse(std::string_view text) noexcept;

// Runs `action`; nothing that it throws gets past.
template <class Action>
foxhunt_status c_guarded(const Action& action) noexcept {
  try {
    action();
    return FOXHUNT_OK;
  } catch (...) {
    return c_error(std::current_exception());
  }
}

// Throws Error bad_argument for a number that is no dtype.
DType dtype_of(foxhunt_dtype dtype);
// Throws Error bad_argument for NULL; `what` names the argument.
const char* required(const char* text, const char* what);

// The profile behind a handle. Throws as ProfileBuilder::build() does.
Profile profile_behind(const foxhunt_profile& profile);

}  // namespace foxhunt
