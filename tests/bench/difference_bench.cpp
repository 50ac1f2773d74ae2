// SPDX-License-Identifier: MIT
// How fast two arrays are measured, rows are hashed and chunks are digested. Bytes count on both
// sides; buffers are much larger than the caches near a core. The number after the last slash is
// that of a DType, or the bytes of a row.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "compare/numerics/difference.h"
#include "compare/numerics/rows.h"
#include "dump/format/digest.h"

namespace foxhunt {
namespace {

constexpr std::uint64_t kBufferBytes = std::uint64_t{32} << 20;
// As the comparer reads: one window after the other.
constexpr std::uint64_t kWindowBytes = std::uint64_t{4} << 20;

using Bytes = std::vector<std::byte>;

// Values as training leaves them: a bell curve around 0, many binades.
Bytes values(DType dtype, std::uint64_t seed) {
  Bytes bytes(kWindowBytes / 4);
  std::mt19937_64 rng(seed);
  std::normal_distribution<float> bell;
  const std::uint32_t size = dtype_size(dtype);
  for (std::uint64_t at = 0; at < bytes.size(); at += size) {
    std::uint64_t bits = rng();
    const float value = bell(rng);
    if (dtype == DType::f64) {
      const double wide = value;
      std::memcpy(&bits, &wide, 8);
    } else if (dtype == DType::f32 || dtype == DType::bf16) {
      std::memcpy(&bits, &value, 4);
      if (dtype == DType::bf16) bits = (bits & 0xffffffff) >> 16;
    } else if (dtype == DType::f16) {
      bits = (rng() & 0x83ff) | ((8 + rng() % 10) << 10);
    } else if (is_float(dtype)) {
      bits &= 0xbb;  // finite
    }
    std::memcpy(bytes.data() + at, &bits, size);
  }
  Bytes repeated;
  while (repeated.size() < kBufferBytes) {
    repeated.insert(repeated.end(), bytes.begin(), bytes.end());
  }
  return repeated;
}

// Another rounding: one element in `one_in` moves to a neighbour.
Bytes rounded_otherwise(DType dtype, const Bytes& values, std::uint64_t one_in) {
  Bytes other = values;
  const std::uint32_t size = dtype_size(dtype);
  for (std::uint64_t at = 0; at < kBufferBytes; at += size * one_in) other[at] ^= std::byte{1};
  return other;
}

void measure_windows(benchmark::State& state, DType dtype, const Bytes& a, const Bytes& b) {
  const std::uint64_t size = dtype_size(dtype);
  for (auto _ : state) {
    Difference total;
    for (std::uint64_t at = 0; at < kBufferBytes; at += kWindowBytes) {
      merge(total, measure(dtype, a.data() + at, b.data() + at, kWindowBytes / size, at / size));
    }
    benchmark::DoNotOptimize(total.max_ulp);
  }
  state.SetLabel(std::string(dtype_name(dtype)));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * kBufferBytes));
}

void unrelated(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  measure_windows(state, dtype, values(dtype, 1), values(dtype, 2));
}

template <std::uint64_t kOneIn>
void neighbours(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const Bytes a = values(dtype, 1);
  measure_windows(state, dtype, a, rounded_otherwise(dtype, a, kOneIn));
}

void equal(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const Bytes a = values(dtype, 1), b = a;
  measure_windows(state, dtype, a, b);
}

void every_dtype(benchmark::internal::Benchmark* bench) {
  for (const DType dtype : kAllDTypes) bench->Arg(static_cast<int>(dtype));
  bench->UseRealTime();
}

// The held figure is for two threads.
void floats_on_two_threads(benchmark::internal::Benchmark* bench) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
    bench->Arg(static_cast<int>(dtype));
  }
  bench->Threads(2)->UseRealTime();
}

BENCHMARK(unrelated)->Name("every_element_unrelated")->Apply(every_dtype);
BENCHMARK(unrelated)->Name("every_element_unrelated")->Apply(floats_on_two_threads);
BENCHMARK(neighbours<1>)->Name("every_element_a_neighbour")->Apply(every_dtype);
BENCHMARK(neighbours<1>)->Name("every_element_a_neighbour")->Apply(floats_on_two_threads);
BENCHMARK(neighbours<1000>)->Name("one_in_1000_a_neighbour")->Apply(every_dtype);
BENCHMARK(equal)->Name("equal")->Apply(every_dtype);

void hash_rows(benchmark::State& state) {
  const auto row_bytes = static_cast<std::uint64_t>(state.range(0));
  Bytes a = values(DType::f32, 1);
  a.resize(a.size() / row_bytes * row_bytes);
  for (auto _ : state) {
    RowMultiset rows;
    rows.add(a, row_bytes);
    benchmark::DoNotOptimize(rows);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(a.size()));
}
BENCHMARK(hash_rows)
    ->Arg(1)
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Arg(64)
    ->Arg(256)
    ->Arg(4096)
    ->UseRealTime();

void digest_chunks(benchmark::State& state) {
  // Larger than the last-level cache of most machines.
  Bytes bytes(std::uint64_t{1} << 29);
  std::mt19937_64 rng(1);
  for (std::uint64_t at = 0; at < bytes.size(); at += 64) bytes[at] = std::byte(rng());
  std::vector<std::uint64_t> words(chunk_count(bytes.size()));
  for (auto _ : state) {
    chunk_words(bytes, words);
    benchmark::DoNotOptimize(words.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(digest_chunks)->UseRealTime();

}  // namespace
}  // namespace foxhunt
