// SPDX-License-Identifier: MIT
// Things that end up where, or as, they arrived.
#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kThreads = 32;
constexpr unsigned kBlocks = 4;
constexpr unsigned kElements = kBlocks * kThreads;

__device__ unsigned global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void push_by_counter(const float* in, unsigned* head, float* ring) {
  const unsigned i = global_index();
  if (in[i] > 0) ring[atomicAdd(head, 1u) % kElements] = in[i];
}
// One thread goes over all: the order of the elements is that of their indices.
__global__ void push_in_order(const float* in, unsigned* head, float* ring) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  for (unsigned i = 0; i < kElements; ++i) {
    if (in[i] > 0) ring[(*head)++ % kElements] = in[i];
  }
}

constexpr unsigned kEmpty = 0xffffffffu;
constexpr unsigned kSlots = 256;

__global__ void insert_by_cas(const unsigned* keys, unsigned* table) {
  const unsigned key = keys[global_index()];
  for (unsigned slot = key % kSlots;; slot = (slot + 1) % kSlots) {
    const unsigned found = atomicCAS(&table[slot], kEmpty, key);
    if (found == kEmpty || found == key) return;
  }
}
// Ordered probing: a slot keeps the smaller of two keys and the larger moves on, so that the table
// is the same whatever came first.
__global__ void insert_ordered(const unsigned* keys, unsigned* table) {
  unsigned key = keys[global_index()];
  for (unsigned slot = key % kSlots; key != kEmpty; slot = (slot + 1) % kSlots) {
    const unsigned found = atomicMin(&table[slot], key);
    if (found == key) return;
    key = found < key ? key : found;
  }
}

__global__ void first_of_the_largest(const unsigned* in, unsigned* best) {
  const unsigned i = global_index();
  unsigned seen = atomicAdd(best, 0u);
  while (seen == kEmpty || in[seen] < in[i]) {  // ties: who came first stays
    const unsigned found = atomicCAS(best, seen, i);
    if (found == seen) return;
    seen = found;
  }
}
__global__ void lowest_of_the_largest(const unsigned* in, unsigned* best) {
  const unsigned i = global_index();
  unsigned seen = atomicAdd(best, 0u);
  while (seen == kEmpty || in[seen] < in[i] || (in[seen] == in[i] && i < seen)) {
    const unsigned found = atomicCAS(best, seen, i);
    if (found == seen) return;
    seen = found;
  }
}

__device__ unsigned hash(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
template <bool kFixed>
__global__ void draw(unsigned* position, unsigned* out) {
  const unsigned i = global_index();
  out[i] = hash(kFixed ? i : atomicAdd(position, 1u));
}

__global__ void scatter(const float* in, const unsigned* to, float* out) {
  const unsigned i = global_index();
  out[to[i]] = in[i];
}
// Of several that go to one place the one with the largest index.
__global__ void choose_owner(const unsigned* to, unsigned* owner) {
  const unsigned i = global_index();
  atomicMax(&owner[to[i]], i + 1);
}
__global__ void scatter_by_owner(const float* in, const unsigned* to, const unsigned* owner,
                                 float* out) {
  const unsigned i = global_index();
  if (owner[to[i]] == i + 1) out[to[i]] = in[i];
}

// Edges hung into a list per node, each at its front; 0 ends a list.
__global__ void link_edges(const unsigned* nodes, unsigned* heads, unsigned* next) {
  const unsigned i = global_index();
  next[i] = atomicExch(&heads[nodes[i]], i + 1);
}
// Of two neighbours in a list the one with the larger index stands in front.
__global__ void link_edges_in_order(const unsigned* nodes, unsigned* heads, unsigned* next) {
  const unsigned i = global_index();
  unsigned before = 0;
  for (unsigned j = 0; j < i; ++j) {
    if (nodes[j] == nodes[i]) before = j + 1;
  }
  next[i] = before;
  atomicMax(&heads[nodes[i]], i + 1);
}

// Stops as soon as enough were found: which, depends on who looked first.
template <bool kFixed>
__global__ void find_some(const float* in, unsigned wanted, unsigned* found, unsigned* marks) {
  const unsigned i = global_index();
  if constexpr (kFixed) {
    unsigned before = 0;
    for (unsigned j = 0; j < i; ++j) before += in[j] > 0 ? 1 : 0;
    marks[i] = in[i] > 0 && before < wanted ? 1 : 0;
  } else {
    marks[i] = in[i] > 0 && atomicAdd(found, 1u) < wanted ? 1 : 0;
  }
}

// Each block takes a free page for its rows.
template <bool kFixed>
__global__ void take_pages(const float* in, unsigned* taken, float* pages) {
  FOXHUNT_SHARED(unsigned, page);
  const unsigned t = threadIdx.x;
  if (t == 0) page = kFixed ? blockIdx.x : atomicAdd(taken, 1u);
  __syncthreads();
  pages[page * kThreads + t] = in[blockIdx.x * kThreads + t];
}

// A flag that all may set, read by threads that may come before or after.
template <bool kFixed>
__global__ void halve_if_overflown(const float* in, unsigned* overflow, float* out) {
  const unsigned i = global_index();
  if (in[i] > 50.0f) atomicExch(overflow, 1u);
  if constexpr (!kFixed) out[i] = atomicOr(overflow, 0u) != 0 ? in[i] / 2 : in[i];
}
__global__ void halve(const float* in, const unsigned* overflow, float* out) {
  const unsigned i = global_index();
  out[i] = *overflow != 0 ? in[i] / 2 : in[i];
}

}  // namespace

Bytes ring_slots_by_counter(bool fixed) {
  Device<float> in(values(kElements)), ring(kElements);
  Device<unsigned> head(1);
  ring.zero();
  head.zero();
  foxhunt::launch(fixed ? push_in_order : push_by_counter, kBlocks, kThreads, 0, nullptr, in.get(),
                  head.get(), ring.get());
  return ring.read();
}

Bytes hash_table_by_arrival(bool fixed) {
  Device<unsigned> keys(words(kElements)), table(kSlots);
  check(cudaMemset(table.get(), 0xff, table.bytes()));
  foxhunt::launch(fixed ? insert_ordered : insert_by_cas, kBlocks, kThreads, 0, nullptr, keys.get(),
                  table.get());
  return table.read();
}

Bytes argmax_with_ties(bool fixed) {
  std::vector<unsigned> keys = words(kElements);
  for (unsigned& key : keys) key %= 10;
  Device<unsigned> in(keys), best(1);
  check(cudaMemset(best.get(), 0xff, best.bytes()));
  foxhunt::launch(fixed ? lowest_of_the_largest : first_of_the_largest, kBlocks, kThreads, 0,
                  nullptr, in.get(), best.get());
  return best.read();
}

Bytes random_numbers_by_arrival(bool fixed) {
  Device<unsigned> position(1), out(kElements);
  position.zero();
  foxhunt::launch(fixed ? draw<true> : draw<false>, kBlocks, kThreads, 0, nullptr, position.get(),
                  out.get());
  return out.read();
}

Bytes scatter_to_equal_places(bool fixed) {
  std::vector<unsigned> places = words(kElements);
  for (unsigned& place : places) place %= kElements;
  Device<float> in(values(kElements)), out(kElements);
  Device<unsigned> to(places), owner(kElements);
  out.zero();
  owner.zero();
  if (fixed) {
    foxhunt::launch(choose_owner, kBlocks, kThreads, 0, nullptr, to.get(), owner.get());
    foxhunt::launch(scatter_by_owner, kBlocks, kThreads, 0, nullptr, in.get(), to.get(),
                    owner.get(), out.get());
  } else {
    foxhunt::launch(scatter, kBlocks, kThreads, 0, nullptr, in.get(), to.get(), out.get());
  }
  return out.read();
}

Bytes linked_list_by_arrival(bool fixed) {
  std::vector<unsigned> of = words(kElements);
  for (unsigned& node : of) node %= 32;
  Device<unsigned> nodes(of), heads(32), next(kElements);
  heads.zero();
  foxhunt::launch(fixed ? link_edges_in_order : link_edges, kBlocks, kThreads, 0, nullptr,
                  nodes.get(), heads.get(), next.get());
  return next.read();
}

Bytes early_stop_by_counter(bool fixed) {
  Device<float> in(values(kElements));
  Device<unsigned> found(1), marks(kElements);
  found.zero();
  foxhunt::launch(fixed ? find_some<true> : find_some<false>, kBlocks, kThreads, 0, nullptr,
                  in.get(), 20u, found.get(), marks.get());
  return marks.read();
}

Bytes pages_taken_by_counter(bool fixed) {
  Device<float> in(values(kElements)), pages(kElements);
  Device<unsigned> taken(1);
  taken.zero();
  foxhunt::launch(fixed ? take_pages<true> : take_pages<false>, kBlocks, kThreads, 0, nullptr,
                  in.get(), taken.get(), pages.get());
  return pages.read();
}

Bytes flag_read_while_others_set_it(bool fixed) {
  Device<float> in(values(kElements)), out(kElements);
  Device<unsigned> overflow(1);
  overflow.zero();
  foxhunt::launch(fixed ? halve_if_overflown<true> : halve_if_overflown<false>, kBlocks, kThreads,
                  0, nullptr, in.get(), overflow.get(), out.get());
  if (fixed) {
    foxhunt::launch(halve, kBlocks, kThreads, 0, nullptr, in.get(), overflow.get(), out.get());
  }
  return out.read();
}

}  // namespace foxhunt::twins
