// SPDX-License-Identifier: MIT
#include "kernels/simt/store_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/simt/arena.h"
#include "kernels/simt/decisions.h"
#include "kernels/simt/line_table.h"
#include "kernels/simt/random.h"
#include "kernels/simt/sanitizers.h"

namespace foxhunt::simt {
namespace {

constexpr std::size_t kThreadLimit = 64;     // lines pending in one thread, as a write buffer has
constexpr std::uint32_t kBlocks = 1u << 30;  // owners from here on are slots
constexpr std::uint64_t kForEver = std::uint64_t{1} << 48;  // points
constexpr std::uint32_t kNobody = kNone;  // the owner of what finished blocks left

// Stores to one line that their owner sees and others do not.
struct Pending {
  std::uint32_t line;
  std::uint32_t next;       // pending at the same line
  std::uint32_t owner;      // a thread, a slot, or nobody
  std::uint32_t place;      // in the owner's list
  std::uint16_t mask = 0;   // of the bytes stored
  std::uint8_t joined = 0;  // bit w: words w and w + 1 were stored together
  bool shown = false;       // memory holds the stored bytes, and `bytes` what is beneath
  std::uint8_t bytes[16];
};

using List = std::vector<std::uint32_t>;

struct Patch {  // an old value that the running thread's next access reads
  char* line;
  std::uint16_t mask;
  std::uint8_t bytes[16];  // the current one
};

LineTable lines;
std::vector<Pending> pool;
List unused, left_over;
std::vector<List> of_thread, of_slot;
List shown_of_thread, shown_of_block;  // of the running one, in the order of showing
std::vector<Patch> patches;
std::vector<std::uint64_t> thread_view;  // the last step up to which it has synchronised
std::vector<std::uint64_t> slot_view, slot_next_view;
Thread* viewer = nullptr;
ResidentBlock* viewer_block = nullptr;
Random random_source{0};
// In half of the launches an old value is seen until a fence ends it, as a line is that stays in a
// multiprocessor's cache; in the others for a while, if at all.
bool stale_for_ever = false;

std::uint32_t index_of(const Thread& thread) {
  return static_cast<std::uint32_t>(&thread - engine().threads.data());
}

List& list_of(std::uint32_t owner) {
  if (owner == kNobody) return left_over;
  return owner >= kBlocks ? of_slot[owner - kBlocks] : of_thread[owner];
}

template <class Each>
void for_bytes(std::uint16_t mask, const Each& each) {
  for (unsigned left = mask; left != 0; left &= left - 1) {
    each(static_cast<unsigned>(std::countr_zero(left)));
  }
}

void swap_bytes(Pending& pending) {
  char* const memory = lines[pending.line].address();
  unsigned left = pending.mask;
  for (unsigned word = 0; word < 4; ++word) {
    const unsigned nibble = left >> (4 * word) & 15;
    if (nibble != 15) continue;
    std::uint32_t here, there;
    std::memcpy(&here, memory + 4 * word, 4);
    std::memcpy(&there, pending.bytes + 4 * word, 4);
    std::memcpy(memory + 4 * word, &there, 4);
    std::memcpy(pending.bytes + 4 * word, &here, 4);
    left &= ~(15u << (4 * word));
  }
  for_bytes(static_cast<std::uint16_t>(left), [&](unsigned b) {
    const auto here = static_cast<std::uint8_t>(memory[b]);
    memory[b] = static_cast<char>(pending.bytes[b]);
    pending.bytes[b] = here;
  });
}

void show(std::uint32_t p, List& shown) {
  if (pool[p].shown) return;
  swap_bytes(pool[p]);
  pool[p].shown = true;
  shown.push_back(p);
}

void hide_all(List& shown) {
  for (; !shown.empty(); shown.pop_back()) {
    swap_bytes(pool[shown.back()]);
    pool[shown.back()].shown = false;
  }
}

void take_patches_off() {
  for (; !patches.empty(); patches.pop_back()) {
    const Patch& patch = patches.back();
    for_bytes(patch.mask, [&](unsigned b) { patch.line[b] = static_cast<char>(patch.bytes[b]); });
  }
}

// Memory as everybody sees it.
void hide_views() {
  take_patches_off();
  hide_all(shown_of_thread);
  hide_all(shown_of_block);
}

std::uint32_t find_pending(std::uint32_t line, std::uint32_t owner) {
  std::uint32_t p = lines[line].pending;
  while (p != kNone && pool[p].owner != owner) p = pool[p].next;
  return p;
}

void give_to(std::uint32_t p, std::uint32_t owner) {
  List& list = list_of(owner);
  pool[p].owner = owner;
  pool[p].place = static_cast<std::uint32_t>(list.size());
  list.push_back(p);
}

void take_from_owner(std::uint32_t p) {
  List& list = list_of(pool[p].owner);
  const std::uint32_t last = list.back();
  list[pool[p].place] = last;
  pool[last].place = pool[p].place;
  list.pop_back();
}

std::uint32_t make_pending(std::uint32_t line, std::uint32_t owner) {
  std::uint32_t p;
  if (unused.empty()) {
    p = static_cast<std::uint32_t>(pool.size());
    pool.emplace_back();
  } else {
    p = unused.back();
    unused.pop_back();
    pool[p] = Pending{};
  }
  pool[p].line = line;
  pool[p].next = lines[line].pending;
  lines[line].pending = p;
  give_to(p, owner);
  return p;
}

// It is hidden.
void drop_pending(std::uint32_t p) {
  take_from_owner(p);
  std::uint32_t* link = &lines[pool[p].line].pending;
  while (*link != p) link = &pool[*link].next;
  *link = pool[p].next;
  unused.push_back(p);
}

// Bytes of a line became visible to all; before, they were `old`.
void note_visible(Line& line, std::uint16_t mask, const std::uint8_t* old, std::uint32_t writer) {
  std::uint64_t delay = 0;
  if (stale_for_ever) {
    delay = kForEver;
  } else if (random_source.below(2) != 0) {
    delay = 1 + random_source.below(1u << (4 + random_source.below(13)));
  }
  delay = decide(DecisionKind::stale, current_schedule().weak ? delay : 0);
  line.old_mask = mask;
  std::memcpy(line.old, old, 16);
  line.writer = writer;
  line.time = steps;
  line.until = steps + delay;
}

std::uint32_t epoch_of(std::uint32_t owner) {
  return owner == kNobody ? 0 : engine().blocks[owner - kBlocks].epoch;
}

// Lets all see `mask` of what is pending and hidden.
void commit(std::uint32_t p, std::uint16_t mask) {
  Pending& pending = pool[p];
  Line& line = lines[pending.line];
  std::uint8_t old[16];
  read_line(old, line.address());
  for_bytes(mask, [&](unsigned b) { line.address()[b] = static_cast<char>(pending.bytes[b]); });
  if (!is_shared_memory(line.address())) note_visible(line, mask, old, epoch_of(pending.owner));
  pending.mask = static_cast<std::uint16_t>(pending.mask & ~mask);
  if (pending.mask == 0) drop_pending(p);
}

// A word pending there, from `first` on, with those that were stored together with it.
std::uint16_t words_of_one_store(const Pending& pending, unsigned first) {
  const auto stores = [&](unsigned word) { return (pending.mask >> (4 * word) & 15) != 0; };
  while (!stores(first)) first = (first + 1) % 4;
  unsigned last = first;
  while (first > 0 && (pending.joined >> (first - 1) & 1) != 0) --first;
  while (last < 3 && (pending.joined >> last & 1) != 0) ++last;
  std::uint16_t mask = 0;
  for (unsigned word = first; word <= last; ++word) {
    mask = static_cast<std::uint16_t>(mask | 15u << (4 * word));
  }
  return static_cast<std::uint16_t>(mask & pending.mask);
}

// Hands what is pending in a thread, and hidden, on to its block, and returns where it is now;
// kNone if it ended there, in shared memory.
std::uint32_t hand_to_block(std::uint32_t p, std::uint32_t slot) {
  const std::uint32_t line = pool[p].line;
  if (is_shared_memory(lines[line].address())) {
    commit(p, pool[p].mask);
    return kNone;
  }
  const std::uint32_t q = find_pending(line, kBlocks + slot);
  if (q == kNone) {
    take_from_owner(p);
    give_to(p, kBlocks + slot);
    return p;
  }
  for_bytes(pool[p].mask, [&](unsigned b) { pool[q].bytes[b] = pool[p].bytes[b]; });
  pool[q].mask = static_cast<std::uint16_t>(pool[q].mask | pool[p].mask);
  pool[q].joined = static_cast<std::uint8_t>(pool[q].joined | pool[p].joined);
  drop_pending(p);
  return q;
}

void commit_all(List& list) {
  while (!list.empty()) commit(list.back(), pool[list.back()].mask);
}

// An opportunity for one pending store of a list to become visible.
void drain(List& list, std::uint32_t slot) {
  if (list.empty()) return;
  std::uint64_t which = 0;  // 4 * place + word, + 1
  if (random_source.chance(current_schedule().drain)) {
    which = 1 + random_source.below(4 * static_cast<std::uint32_t>(list.size()));
  }
  which = decide(DecisionKind::drain, which);
  if (which == 0 || which > 4 * list.size()) return;
  hide_views();
  std::uint32_t p = list[static_cast<std::size_t>((which - 1) / 4)];
  if (pool[p].owner < kBlocks) p = hand_to_block(p, slot);
  if (p != kNone) commit(p, words_of_one_store(pool[p], static_cast<unsigned>((which - 1) % 4)));
}

// Puts what the running thread's block and the thread itself have pending at a line into memory.
void show_own(std::uint32_t line, const Thread& me, std::uint32_t slot) {
  if (lines[line].pending == kNone) return;
  const std::uint32_t of_the_block = find_pending(line, kBlocks + slot);
  const std::uint32_t mine = find_pending(line, index_of(me));
  if (of_the_block != kNone && !pool[of_the_block].shown) {
    // Beneath the thread's own.
    if (mine != kNone && pool[mine].shown) hide_all(shown_of_thread);
    show(of_the_block, shown_of_block);
  }
  if (mine != kNone) show(mine, shown_of_thread);
}

// The running thread's last store, which its hook was told of and which may not have happened yet:
// for a struct copied as a whole, compilers announce the store, then the load, and then do both.
struct Announced {
  const Thread* by = nullptr;
  char* address;
  std::size_t bytes;
  char before[256];
} announced;

std::uint64_t view_of(const Thread& thread) {
  return std::max(thread_view[index_of(thread)], slot_view[resident(thread).slot]);
}

// Calls each(line number, mask) for the lines that an access touches.
template <class Each>
void for_lines(const void* address, std::size_t bytes, const Each& each) {
  auto at = reinterpret_cast<std::uintptr_t>(address);
  while (bytes != 0) {
    const std::size_t offset = at & 15, n = std::min<std::size_t>(16 - offset, bytes);
    each(at >> 4, static_cast<std::uint16_t>(((1u << n) - 1) << offset));
    at += n;
    bytes -= n;
  }
}

// Whether a load of `mask` by this thread could see the past.
bool may_see_the_past(const Line& line, std::uint16_t mask, const Thread& me) {
  return line.until > steps && (line.old_mask & mask) != 0 && line.writer != me.block->epoch &&
         line.time > view_of(me);
}

}  // namespace

void begin_weak_memory() {
  Engine& e = engine();
  lines.clear();
  pool.clear();
  unused.clear();
  of_thread.resize(std::max(of_thread.size(), e.threads.capacity()));
  of_slot.resize(e.blocks.size());
  thread_view.assign(e.threads.capacity(), 0);
  slot_view.assign(e.blocks.size(), 0);
  slot_next_view.assign(e.blocks.size(), 0);
  viewer = nullptr;
  viewer_block = nullptr;
  announced.by = nullptr;
  random_source = Random(mix(current_schedule().seed, 4 + executed_points()));
  stale_for_ever = random_source.below(2) != 0;
}

void end_weak_memory() {
  switch_view(nullptr);
  for (std::uint32_t i = 0; i < engine().threads.size(); ++i) {  // of a launch that was given up
    while (!of_thread[i].empty()) {
      hand_to_block(of_thread[i].back(), resident(engine().threads[i]).slot);
    }
  }
  for (List& list : of_slot) {
    while (!list.empty()) {
      const std::uint32_t p = list.back();
      take_from_owner(p);
      give_to(p, kNobody);
    }
  }
  while (!left_over.empty()) {
    const auto n = static_cast<std::uint32_t>(left_over.size());
    std::uint64_t which = current_schedule().weak ? random_source.below(n) : 0;
    which = decide(DecisionKind::order, which);
    const std::uint32_t p = left_over[static_cast<std::size_t>(which < n ? which : 0)];
    commit(p, pool[p].mask);
  }
}

bool store_is_to_come() {
  return std::exchange(announced.by, nullptr) == current &&
         std::memcmp(announced.address, announced.before, announced.bytes) == 0;
}

void load_before_store(const void* address, std::size_t bytes) {
  const std::uint32_t slot = resident(*current).slot;
  const auto show = [&](std::uintptr_t number, std::uint16_t) {
    const std::uint32_t index = lines.find(number);
    if (index != kNone) show_own(index, *current, slot);
  };
  for_lines(address, bytes, show);
  for_lines(announced.address, announced.bytes, show);  // showing may have hidden it
}

void weak_load(const void* address, std::size_t bytes, bool is_volatile) {
  if (lines.empty()) return;
  take_patches_off();
  const Thread& me = *current;
  const std::uint32_t slot = resident(me).slot;
  for_lines(address, bytes, [&](std::uintptr_t number, std::uint16_t mask) {
    const std::uint32_t index = lines.find(number);
    if (index == kNone) return;
    show_own(index, me, slot);
    Line& line = lines[index];
    if (!may_see_the_past(line, mask, me)) return;
    if (is_volatile) {  // it has seen the present, so later loads do as well
      line.until = 0;
      return;
    }
    auto past = static_cast<std::uint16_t>(mask & line.old_mask);
    for (const std::uint32_t owner : {kBlocks + slot, index_of(me)}) {
      const std::uint32_t own = find_pending(index, owner);
      if (own != kNone) past = static_cast<std::uint16_t>(past & ~pool[own].mask);
    }
    if (past == 0) return;
    Patch patch{line.address(), past, {}};
    read_line(patch.bytes, patch.line);
    for_bytes(past, [&](unsigned b) { patch.line[b] = static_cast<char>(line.old[b]); });
    patches.push_back(patch);
  });
}

void weak_store(void* address, std::size_t bytes) {
  take_patches_off();
  Thread& me = *current;
  const std::uint32_t owner = index_of(me), slot = resident(me).slot;
  List& list = of_thread[owner];
  drain(list, slot);
  if (list.size() >= kThreadLimit) publish_to_block(me);
  const bool stays = decide(DecisionKind::pend, current_schedule().weak ? 1 : 0) != 0;
  for_lines(address, bytes, [&](std::uintptr_t number, std::uint16_t mask) {
    const std::uint32_t index = lines.find_or_add(number);
    show_own(index, me, slot);
    std::uint32_t mine = find_pending(index, owner);
    char* const memory = lines[index].address();
    if (!stays) {
      // Visible at once: whatever is pending beneath is older.
      const bool beneath = lines[index].pending != kNone;
      if (beneath) hide_views();
      if (mine != kNone) mine = hand_to_block(mine, slot);
      const std::uint32_t ours = beneath ? find_pending(index, kBlocks + slot) : kNone;
      if (ours != kNone) commit(ours, pool[ours].mask);
      if (!is_shared_memory(address)) {
        note_visible(lines[index], mask, reinterpret_cast<const std::uint8_t*>(memory),
                     me.block->epoch);
      }
      return;
    }
    if (mine == kNone) {
      mine = make_pending(index, owner);
      pool[mine].shown = true;
      shown_of_thread.push_back(mine);
    }
    Pending& pending = pool[mine];
    for_bytes(static_cast<std::uint16_t>(mask & ~pending.mask),
              [&](unsigned b) { pending.bytes[b] = static_cast<std::uint8_t>(memory[b]); });
    pending.mask = static_cast<std::uint16_t>(pending.mask | mask);
    for (unsigned word = 0; word < 3; ++word) {
      if ((mask >> (4 * word) & 15) != 0 && (mask >> (4 * word + 4) & 15) != 0) {
        pending.joined = static_cast<std::uint8_t>(pending.joined | 1u << word);
      }
    }
  });
  // Showing a line may have hidden the one before it.
  if ((reinterpret_cast<std::uintptr_t>(address) & 15) + bytes > 16) {
    for_lines(address, bytes, [&](std::uintptr_t number, std::uint16_t) {
      show_own(lines.find(number), me, slot);
    });
  }
  announced.by = bytes <= sizeof announced.before ? &me : nullptr;
  announced.address = static_cast<char*>(address);
  announced.bytes = bytes;
  if (announced.by != nullptr) std::memcpy(announced.before, address, bytes);
}

void switch_view(Thread* next) {
  if (next == viewer && next != nullptr && next->block == viewer_block) return;
  take_patches_off();
  hide_all(shown_of_thread);
  viewer = next;
  ResidentBlock* const block = next == nullptr ? nullptr : &resident(*next);
  if (block == viewer_block) return;
  hide_all(shown_of_block);
  viewer_block = block;
  drain(left_over, kNone);
  const Engine& e = engine();
  const std::size_t slots = e.threads.size() / e.width;
  for (std::uint32_t slot = 0; slot < slots; ++slot) drain(of_slot[slot], slot);
}

void publish_to_block(Thread& thread) {
  take_patches_off();
  List& list = of_thread[index_of(thread)];
  if (list.empty()) return;
  hide_views();
  while (!list.empty()) hand_to_block(list.back(), resident(thread).slot);
}

void publish_to_device(Thread& thread) {
  publish_to_block(thread);
  List& list = of_slot[resident(thread).slot];
  if (!list.empty()) {
    hide_views();
    commit_all(list);
  }
  thread_view[index_of(thread)] = steps;
}

void begin_block_memory(const ResidentBlock& block) {
  slot_view[block.slot] = slot_next_view[block.slot] = 0;
  for (unsigned i = 0; i < block.count; ++i) thread_view[index_of(block.threads[i])] = 0;
}

void arrive_with_view(const Thread& thread) {
  std::uint64_t& view = slot_next_view[resident(thread).slot];
  view = std::max(view, view_of(thread));
}

void pass_with_view(const ResidentBlock& block) {
  slot_view[block.slot] = slot_next_view[block.slot];
}

void share_view(const ResidentBlock& block, unsigned warp, std::uint32_t lanes) {
  std::uint64_t view = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const Thread& thread = block.threads[warp * kWarp + lane];
      if (pass == 0) view = std::max(view, view_of(thread));
      if (pass == 1) thread_view[index_of(thread)] = view;
    }
  }
}

void end_block_memory(const ResidentBlock& block) {
  List& list = of_slot[block.slot];
  if (!list.empty()) hide_views();
  while (!list.empty()) {
    const std::uint32_t p = list.back();
    take_from_owner(p);
    give_to(p, kNobody);
  }
  viewer_block = nullptr;
  viewer = nullptr;
}

void publish_everything() {
  hide_views();
  for (std::uint32_t i = 0; i < engine().threads.size(); ++i) {
    while (!of_thread[i].empty()) {
      hand_to_block(of_thread[i].back(), resident(engine().threads[i]).slot);
    }
  }
  for (List& list : of_slot) commit_all(list);
  commit_all(left_over);
}

#if !defined(FOXHUNT_SIMT_RACE_RUNTIME)  // which has its own

namespace {
std::uint8_t before_bytes[16];
}

void before_atomic(void* address, std::size_t bytes) {
  take_patches_off();
  Thread& me = *current;
  const std::uint32_t owner = index_of(me), slot = resident(me).slot;
  for_lines(address, bytes, [&](std::uintptr_t number, std::uint16_t) {
    const std::uint32_t index = lines.find(number);
    if (index != kNone && lines[index].pending != kNone) {
      // Its own stores to the same place come first.
      const std::uint32_t mine = find_pending(index, owner);
      const std::uint32_t ours = find_pending(index, kBlocks + slot);
      if (mine != kNone || ours != kNone) hide_views();
      if (mine != kNone) hand_to_block(mine, slot);
      const std::uint32_t block_level = find_pending(index, kBlocks + slot);
      if (block_level != kNone) commit(block_level, pool[block_level].mask);
    }
    read_line(before_bytes, reinterpret_cast<const char*>(number << 4));
  });
}

void after_atomic(void* address, std::size_t bytes) {
  if (is_shared_memory(address) || !in_arena(address)) return;
  const Thread& me = *current;
  for_lines(address, bytes, [&](std::uintptr_t number, std::uint16_t mask) {
    const char* const memory = reinterpret_cast<const char*>(number << 4);
    std::uint8_t now[16];
    read_line(now, memory);
    if (std::memcmp(before_bytes, now, 16) != 0) {
      note_visible(lines[lines.find_or_add(number)], mask, before_bytes, me.block->epoch);
      return;
    }
    // It saw the present, so later loads do as well.
    const std::uint32_t index = lines.find(number);
    if (index != kNone && may_see_the_past(lines[index], mask, me)) lines[index].until = 0;
  });
}

#endif

}  // namespace foxhunt::simt
