// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/simt/diagnostics.h"
#include "kernels/simt/executor.h"
#include "kernels/simt/fiber.h"
#include "kernels/simt/launch.h"
#include "kernels/simt/random.h"
#include "kernels/simt/runnable_set.h"
#include "kernels/simt/runtime_api.h"
#include "kernels/simt/schedule.h"

namespace foxhunt::simt {

constexpr unsigned kWarp = 32;
constexpr unsigned kMaxBlockThreads = 1024;
constexpr unsigned kMaxResident = 64;

enum State : std::uint8_t { kNothing, kAtBarrier, kInWarp, kConverging };

// A kernel on its way through the executor.
struct Grid {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  std::unique_ptr<Invocation> kernel;
  std::uint64_t blocks = 0;
  std::uint64_t admitted = 0;
  std::uint64_t finished = 0;
  std::vector<std::uint32_t> order;      // of the blocks, if not ascending
  std::vector<std::uint32_t> remaining;  // not admitted yet; only where decisions are traced

  unsigned threads() const { return block.x * block.y * block.z; }
};

// Lanes of a warp that wait for each other.
struct WarpMeeting {
  std::uint32_t mask;
  std::uint32_t arrived;
  WarpOp op;
  const char* file;
  int line;
  unsigned number;  // of the warp's meetings
};

struct Warp {
  std::uint32_t alive;
  std::uint32_t converging;  // lanes inside __activemask
  unsigned meetings;
  unsigned began;  // meetings so far
  WarpMeeting meeting[kWarp];
};

struct ResidentBlock : Block {
  Grid* owner = nullptr;
  unsigned slot = 0;
  bool live = false;
  unsigned count = 0;  // threads
  unsigned alive = 0;
  unsigned arrived = 0;  // at the barrier
  int predicates = 0;    // of those, how many were true
  unsigned phase = 0;    // barriers passed
  const char* file = nullptr;
  int line = 0;
  Warp warps[kMaxBlockThreads / kWarp];
};

inline ResidentBlock& resident(const Thread& thread) {
  return *static_cast<ResidentBlock*>(thread.block);
}

// Runs grids. There is one; everything in it belongs to the launch that is running.
struct Engine {
  std::vector<Thread> threads;  // `width` for each slot
  std::vector<ResidentBlock> blocks;
  std::vector<Grid*> grids;
  RunnableSet runnable;
  unsigned width = 0;
  std::uint64_t live_threads = 0;
  std::uint32_t epoch = 0;  // of the block that became resident last
  Thread* batch = nullptr;  // the first of the running batch
  bool given_up = false;
  cudaError_t error = cudaSuccess;  // why
  Fiber host;
  Fiber* running = nullptr;  // the fiber that runs, inside a launch
  FiberPool pool;

  Engine();

  // Runs these to their ends, side by side. False: a fatal diagnostic says why it gave up.
  bool run(std::vector<Grid*> side_by_side);

  // --- the running thread ---
  // Writes down what the running batch has done; whoever looks at threads calls it first.
  void settle() {
    if (batch_end != nullptr) settle_batch();
  }
  Thread* pick();
  void switch_to(Thread& next);
  // Sleeps in `state` until wake().
  void wait(State state);
  void wake(Thread& thread) {
    thread.state = kNothing;
    runnable.insert(thread);
  }
  // Lets whom the schedule prefers run now.
  void yield();
  // Makes one more block resident than the schedule wants, for threads that wait for one; false if
  // that cannot be.
  bool admit_extra();
  // Ends the launch from inside a kernel.
  [[noreturn]] void give_up();
  // The same, and says why. What the caller holds is never destroyed: so build `text` in a
  // statement of its own.
  [[noreturn]] void fail(DiagnosticKind kind, const char* file, int line, std::string text);

 private:
  friend void thread_loop();
  std::uint64_t next_block(Grid& grid);
  Grid* grid_for(unsigned slot) const;
  void prepare_slot(unsigned slot);
  bool admit(unsigned slot);
  void place_threads(unsigned slots);
  void begin_batch(Thread& first);
  void settle_batch();
  void finish(Thread& thread);
  void report_deadlock();
};

extern FOXHUNT_SIMT_HIDDEN Engine the_engine;
inline Engine& engine() { return the_engine; }

// Warp and barrier: what a thread's end means to those who wait.
void leave_warp(Thread& thread);
void leave_barrier(ResidentBlock& block);
// Lets some lanes that wait in __activemask go on; false if there are none.
bool release_converging();

// "(3,0,0)"
std::string text(uint3 index);
// The name of the kernel that the running thread belongs to.
std::string running_kernel();
// "thread (5,0,0) of block (3,0,0)"
std::string place_of(const Thread& thread);

void report(Diagnostic diagnostic);

}  // namespace foxhunt::simt
