// SPDX-License-Identifier: MIT
#include "kernels/simt/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <unordered_map>
#include <vector>

#include "dump/format/error.h"
#include "kernels/simt/decisions.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/sanitizers.h"

namespace foxhunt::simt {
namespace {

constexpr std::size_t kArenaBytes = std::size_t{64} << 30;
constexpr std::size_t kMargin = std::size_t{9} << 30;  // more than 2^31 floats
constexpr std::size_t kSharedBytes = 256 * 1024;       // of a slot
constexpr std::size_t kMaxSlots = 256;
constexpr std::size_t kAlignment = 256;
// Between allocations, so that those of a power of two bytes do not fight for the same cache sets.
constexpr std::size_t kStagger = 256;
constexpr std::size_t kSharedLimit = 227 * 1024;  // sm_90's
constexpr unsigned kMaxVariables = 4096;

Arena reserve() {
  void* const memory = mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(Errc::limit, "cannot reserve {} GiB of addresses for device memory: {}",
                kArenaBytes >> 30, errno_text(errno));
  }
  auto* const begin = static_cast<char*>(memory);
  return {begin, begin + kArenaBytes, begin + kSharedBytes * kMaxSlots};
}

struct Allocation {
  Memory kind;
  std::size_t asked;
  std::size_t taken;
  std::uint64_t number;  // of all allocations
};

struct DeviceMemory {
  char* top = arena.begin + kMargin;
  std::map<char*, Allocation> live;
  std::uint64_t allocations = 0;
  std::unordered_map<std::size_t, std::vector<char*>> free;  // by bytes taken
};

DeviceMemory& device() {
  static DeviceMemory one;
  return one;
}

// The allocation with this address in it.
std::map<char*, Allocation>::const_iterator holding(const void* address) {
  const auto& live = device().live;
  auto* const p = static_cast<char*>(const_cast<void*>(address));
  auto found = live.upper_bound(p);
  if (found == live.begin()) return live.end();
  --found;
  return static_cast<std::size_t>(p - found->first) < found->second.asked ? found : live.end();
}

// Of FOXHUNT_SHARED variables within one block.
struct SharedLayout {
  std::vector<SharedPlace> places;  // by variable
  std::size_t top = 0;
  std::size_t highest = 0;  // top of any block so far
};
std::vector<SharedLayout> layouts;  // by slot
std::uint32_t variables = 0;

std::uint64_t garbage_pieces = 0;

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

// Takes bytes of the block's shared memory and fills them.
std::size_t take_shared(ResidentBlock& block, std::size_t bytes, std::size_t alignment) {
  SharedLayout& layout = layouts[block.slot];
  const std::size_t offset = round_up(layout.top, std::max<std::size_t>(16, alignment));
  if (offset + bytes > kSharedLimit) {
    std::string said = fmt::format(
        "block {} uses {} bytes of shared memory, more than the {} of the "
        "largest GPU",
        text(block.index), offset + bytes, kSharedLimit);
    engine().fail(DiagnosticKind::trap, nullptr, 0, std::move(said));
  }
  layout.top = offset + bytes + kGap;
  layout.highest = std::max(layout.highest, layout.top);
  unpoison(block.shared + offset, bytes);
  fill_garbage(block.shared + offset, bytes, next_garbage_seed());
  poison(block.shared + offset + bytes, kGap);
  return offset;
}

}  // namespace

Arena arena = reserve();

void* allocate(Memory kind, std::size_t bytes) {
  DeviceMemory& d = device();
  const std::size_t taken = round_up(bytes + kGap, kAlignment) + kStagger;
  std::vector<char*>& free = d.free[taken];
  char* memory = d.top;
  if (!free.empty()) {
    memory = free.back();
    free.pop_back();
  } else {
    if (taken > static_cast<std::size_t>(arena.end - d.top) - kMargin) return nullptr;
    d.top += taken;
  }
  d.live[memory] = {kind, bytes, taken, d.allocations++};
  unpoison(memory, taken);
  fill_garbage(memory, taken, next_garbage_seed());
  poison(memory + bytes, taken - bytes);
  return memory;
}

bool release(Memory kind, void* pointer) {
  DeviceMemory& d = device();
  const auto found = d.live.find(static_cast<char*>(pointer));
  if (found == d.live.end() || found->second.kind != kind) return false;
  poison(pointer, found->second.taken);
  d.free[found->second.taken].push_back(found->first);
  d.live.erase(found);
  return true;
}

std::size_t bytes_from(const void* address) {
  const auto found = holding(address);
  if (found == device().live.end()) return 0;
  return found->second.asked -
         static_cast<std::size_t>(static_cast<const char*>(address) - found->first);
}

bool is_device_memory(const void* address) {
  const auto found = holding(address);
  return found != device().live.end() && found->second.kind == Memory::device;
}

void for_each_device_allocation(const std::function<void(const char*, std::size_t)>& visit) {
  struct Piece {
    std::uint64_t number;
    const char* memory;
    std::size_t bytes;
  };
  std::vector<Piece> pieces;  // addresses are used again, in any order
  for (const auto& [memory, allocation] : device().live) {
    if (allocation.kind == Memory::device) {
      pieces.push_back({allocation.number, memory, allocation.asked});
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.number < b.number; });
  for (const Piece& piece : pieces) visit(piece.memory, piece.bytes);
}

void give_shared_memory(ResidentBlock& block, unsigned slot) {
  FOXHUNT_ASSERT(slot < kMaxSlots);
  if (layouts.size() <= slot) layouts.resize(slot + 1);
  layouts[slot].places.resize(kMaxVariables);
  block.shared = arena.begin + slot * kSharedBytes;
  block.places = layouts[slot].places.data();
}

std::size_t shared_bytes_used(const ResidentBlock& block) { return layouts[block.slot].highest; }

void fill_dynamic_shared(ResidentBlock& block, std::size_t bytes) {
  layouts[block.slot].top = 0;
  block.dynamic = block.shared;
  if (bytes == 0) return;
  block.dynamic = block.shared + take_shared(block, bytes, 16);
}

char* place_shared(SharedVariable& variable) {
  const RaceIgnored ignored;
  auto& block = resident(*current);
  if (variable.id == 0) {
    FOXHUNT_ASSERT(variables + 1 < kMaxVariables);
    variable.id = ++variables;
  }
  SharedPlace& place = block.places[variable.id];
  if (place.epoch != block.epoch) {
    place.offset =
        static_cast<std::uint32_t>(take_shared(block, variable.bytes, variable.alignment));
    place.epoch = block.epoch;
  }
  return block.shared + place.offset;
}

std::uint64_t garbage_word(std::uint64_t random) {
  return 0x3f8000003f800000u | (random & 0x807fffff807fffffu);
}

void fill_garbage(void* memory, std::size_t bytes, std::uint64_t seed) {
  Random random(seed);
  auto* p = static_cast<char*>(memory);
  for (; bytes >= 8; bytes -= 8, p += 8) {
    const std::uint64_t word = garbage_word(random.next());
    std::memcpy(p, &word, 8);
  }
  // No call of memcpy: the race detector would take that for an access of the running thread.
  std::uint64_t word = garbage_word(random.next());
  for (; bytes > 0; --bytes, word >>= 8) *const_cast<volatile char*>(p++) = static_cast<char>(word);
}

std::uint64_t next_garbage_seed() {
  return mix(decide(DecisionKind::garbage, current_schedule().garbage), ++garbage_pieces);
}

void restart_garbage() { garbage_pieces = 0; }

}  // namespace foxhunt::simt
