// SPDX-License-Identifier: MIT
#include <boost/context/detail/fcontext.hpp>

#include "kernels/simt/fiber.h"

// The portable switch.

namespace foxhunt::simt {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::transfer_t;

// Who was left learns where to come back to from whoever arrives.
void store_departed(transfer_t arrival) {
  static_cast<Fiber*>(arrival.data)->context = arrival.fctx;
}

void (*fiber_entry)();

void begin(transfer_t arrival) {
  store_departed(arrival);
  fiber_entry();
}

}  // namespace

void prepare_switch(Fiber& fiber, void (*entry)()) {
  fiber_entry = entry;  // one for all
  const auto bytes = static_cast<std::size_t>(fiber.top - fiber.low);
  fiber.context = boost::context::detail::make_fcontext(fiber.top, bytes, begin);
}

void switch_stack(Fiber& from, Fiber& to) {
  store_departed(boost::context::detail::jump_fcontext(static_cast<fcontext_t>(to.context), &from));
}

}  // namespace foxhunt::simt
