// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "kernels/simt/diagnostics.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/simt/address_kernels.h"
#include "tests/kernels/simt/device_buffer.h"
#include "tests/kernels/simt/faulty_kernels.h"

namespace foxhunt::simt_test {
namespace {

std::string at_line(int line) { return "address_kernels.cu:" + std::to_string(line); }

void run(void (*kernel)(int*, int, cudaStream_t), int index) {
  DeviceBuffer<int> memory(10), behind(10);
  kernel(memory.data(), index, nullptr);
  cudaDeviceSynchronize();
}

TEST(AddressSanitizerDeathTest, NamesTheLineOfAStoreBehindAnAllocation) {
  EXPECT_EQ((run(store_at, 9), cudaGetLastError()), cudaSuccess);
  EXPECT_DEATH(run(store_at, 10), at_line(line_of_store_at()));
}

TEST(AddressSanitizerDeathTest, NamesTheLineOfAStoreBehindSharedMemory) {
  EXPECT_EQ((run(store_at_shared, 15), cudaGetLastError()), cudaSuccess);
  EXPECT_DEATH(run(store_at_shared, 16), at_line(line_of_store_at_shared()));
}

TEST(AddressSanitizerDeathTest, NamesTheLineOfAUseAfterFree) {
  EXPECT_DEATH(
      {
        int* memory = nullptr;
        cudaMalloc(&memory, 40);
        cudaFree(memory);
        store_at(memory, 0, nullptr);
        cudaDeviceSynchronize();
      },
      at_line(line_of_store_at()));
}

TEST(AddressSanitizerDeathTest, NamesTheLineOfUndefinedArithmetic) {
  EXPECT_EQ((run(shift_by, 3), cudaGetLastError()), cudaSuccess);
  EXPECT_DEATH(run(shift_by, 40), at_line(line_of_shift_by()));
}

// Stacks of launches that were given up hold no poison for the next ones.
TEST(AddressSanitizer, AcceptsLaunchesAfterOneThatWasGivenUp) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const simt::ScheduleScope scope(simt::schedule_for(i, 2));
    barrier_in_divergent_branch(nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    run(store_at, 3);
    run(store_at_shared, 3);
  }
}

}  // namespace
}  // namespace foxhunt::simt_test
