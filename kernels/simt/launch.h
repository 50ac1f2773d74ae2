// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/simt/executor.h"
#include "kernels/simt/stream_types.h"

namespace foxhunt::simt {

// A kernel with its arguments, copied at the launch as CUDA does. run() calls it for the running
// thread, and for those that follow in its batch.
struct Invocation {
  virtual ~Invocation() = default;
  void (*run)(const void* self) = nullptr;
  const void* entry = nullptr;  // the kernel's address, for its name
};

template <class... Parameters>
struct KernelInvocation final : Invocation {
  using Kernel = void (*)(Parameters...);

  KernelInvocation(Kernel kernel_, Parameters... values) : kernel(kernel_), arguments(values...) {
    run = &call;
    entry = reinterpret_cast<const void*>(kernel_);
  }

  FOXHUNT_SIMT_RUNTIME static void call(const void* self) {
    const auto& me = *static_cast<const KernelInvocation*>(self);
    for (Thread* thread = current; thread != nullptr; thread = begin_next_of_batch(thread)) {
      call_with(me, std::index_sequence_for<Parameters...>{});
    }
  }

  Kernel kernel;
  std::tuple<Parameters...> arguments;

 private:
  template <std::size_t... I>
  FOXHUNT_SIMT_RUNTIME static void call_with(const KernelInvocation& me,
                                             std::index_sequence<I...>) {
    me.kernel(std::get<I>(me.arguments)...);
  }
};

void enqueue_kernel(std::unique_ptr<Invocation> kernel, dim3 grid, dim3 block,
                    std::size_t shared_bytes, cudaStream_t stream);

}  // namespace foxhunt::simt

namespace foxhunt {

// Queues a kernel on a stream; the call returns without waiting for it. A configuration that CUDA
// would refuse sets the error that cudaGetLastError returns.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
  simt::enqueue_kernel(
      std::make_unique<simt::KernelInvocation<Parameters...>>(kernel, arguments...), grid, block,
      shared_bytes, stream);
}

}  // namespace foxhunt
