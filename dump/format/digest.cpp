// SPDX-License-Identifier: MIT
#include "dump/format/digest.h"

#define XXH_STATIC_LINKING_ONLY  // for the size of XXH3_state_t
#include <xxhash.h>
#if defined(__x86_64__)
// Picks SSE2, AVX2 or AVX-512 at run time; the same digests.
#include <xxh_x86dispatch.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "dump/format/error.h"

namespace foxhunt {

static_assert(std::endian::native == std::endian::little, "run directories are little-endian");

namespace {

// Hashing a chunk is faster than the memory behind it, so that the prefetcher of the processor,
// which stops at each page, leaves a quarter of the bandwidth unused: run ahead of it by this much.
constexpr std::size_t kPrefetchAhead = 4 * 1024;
constexpr std::size_t kStride = 1024;

void prefetch(const std::byte* from, const std::byte* end) noexcept {
  for (const std::byte* p = from; p < from + kStride && p < end; p += 64) __builtin_prefetch(p);
}

std::uint64_t hash_chunk(XXH3_state_t* state, const std::byte* chunk,
                         const std::byte* end) noexcept {
  XXH3_64bits_reset(state);
  for (std::size_t at = 0; at < kChunkBytes; at += kStride) {
    if (end - (chunk + at) > static_cast<std::ptrdiff_t>(kPrefetchAhead)) {
      prefetch(chunk + at + kPrefetchAhead, end);
    }
    XXH3_64bits_update(state, chunk + at, kStride);
  }
  return XXH3_64bits_digest(state);
}

std::uint64_t hash_last_chunk(std::span<const std::byte> rest) noexcept {
  std::array<std::byte, kChunkBytes> padded;
  const std::size_t size = (rest.size() + kChunkPadding - 1) / kChunkPadding * kChunkPadding;
  std::memcpy(padded.data(), rest.data(), rest.size());
  std::memset(padded.data() + rest.size(), 0, size - rest.size());
  return XXH3_64bits(padded.data(), size);
}

// XXH3_state_t wants 64-byte alignment, which plain members and the library's allocator both give.
struct HashState {
  XXH3_state_t state;
};

// Eight lower-case hex digits at once, one in each byte of a word; nothing if one is none.
std::optional<std::uint32_t> parse_eight(const char* digits) noexcept {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t text;
  std::memcpy(&text, digits, sizeof text);
  const std::uint64_t is_letter = (text >> 6) & kEach;
  std::uint64_t value = (text & (kEach * 0x0f)) + is_letter * 9;
  // Spelled again, the values must give the same text.
  const std::uint64_t over_nine = ((value + kEach * 0x76) >> 7) & kEach;
  const std::uint64_t spelled = value + kEach * '0' + over_nine * ('a' - '0' - 10);
  if (spelled != text || (value & (kEach * 0xf0)) != 0) return std::nullopt;
  value = __builtin_bswap64(value);  // the first digit is the highest
  value = (value | value >> 4) & 0x00ff00ff00ff00ff;
  value = (value | value >> 8) & 0x0000ffff0000ffff;
  return static_cast<std::uint32_t>(value | value >> 16);
}

}  // namespace

std::string format_digest(const Digest128& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

std::optional<std::uint64_t> parse_hex64(std::string_view hex) noexcept {
  if (hex.size() != 16) return std::nullopt;
  const auto high = parse_eight(hex.data()), low = parse_eight(hex.data() + 8);
  if (!high || !low) return std::nullopt;
  return std::uint64_t{*high} << 32 | *low;
}

std::optional<Digest128> parse_digest(std::string_view hex) noexcept {
  if (hex.size() != 32) return std::nullopt;
  const auto high = parse_hex64(hex.substr(0, 16));
  const auto low = parse_hex64(hex.substr(16));
  if (!high || !low) return std::nullopt;
  return Digest128{*high, *low};
}

Digest128 payload_digest(std::span<const std::byte> bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

void chunk_words(std::span<const std::byte> bytes, std::span<std::uint64_t> words) noexcept {
  FOXHUNT_ASSERT(words.size() == chunk_count(bytes.size()));
  HashState hash;
  const std::byte* const end = bytes.data() + bytes.size();
  std::size_t next = 0;
  while (bytes.size() >= kChunkBytes) {
    words[next++] = hash_chunk(&hash.state, bytes.data(), end);
    bytes = bytes.subspan(kChunkBytes);
  }
  if (!bytes.empty()) words[next] = hash_last_chunk(bytes);
}

Digest128 chunked_digest(std::span<const std::uint64_t> words, std::uint64_t bytes) noexcept {
  HashState hash;
  XXH3_128bits_reset(&hash.state);
  XXH3_128bits_update(&hash.state, words.data(), words.size_bytes());
  XXH3_128bits_update(&hash.state, &bytes, sizeof bytes);
  const XXH128_hash_t result = XXH3_128bits_digest(&hash.state);
  return {result.high64, result.low64};
}

std::uint64_t check_word(std::string_view text) noexcept {
  return XXH3_64bits(text.data(), text.size());
}

struct RunningCheck::State : HashState {};

RunningCheck::RunningCheck() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->state);
}
RunningCheck::~RunningCheck() = default;
RunningCheck::RunningCheck(RunningCheck&&) noexcept = default;
RunningCheck& RunningCheck::operator=(RunningCheck&&) noexcept = default;

void RunningCheck::update(std::string_view text) noexcept {
  XXH3_64bits_update(&state_->state, text.data(), text.size());
}

std::uint64_t RunningCheck::value() const noexcept { return XXH3_64bits_digest(&state_->state); }

struct BufferHasher::State {
  HashState payload;
  bool with_payload = false;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> words;
  // The beginning of a chunk whose rest has not arrived yet.
  std::array<std::byte, kChunkBytes> open_chunk;
  std::size_t open_bytes = 0;
};

BufferHasher::BufferHasher(bool with_payload_digest) : state_(std::make_unique<State>()) {
  reset(with_payload_digest);
}
BufferHasher::~BufferHasher() = default;

void BufferHasher::reset(bool with_payload_digest) {
  state_->with_payload = with_payload_digest;
  if (with_payload_digest) XXH3_128bits_reset(&state_->payload.state);
  state_->bytes = 0;
  state_->words.clear();
  state_->open_bytes = 0;
}

void BufferHasher::update(std::span<const std::byte> piece) {
  // In steps that stay in the cache, so that the second hash does not read memory again.
  constexpr std::size_t kCacheStep = 16 * kChunkBytes;
  while (!piece.empty()) {
    std::size_t take = std::min(piece.size(), kCacheStep);
    if (state_->open_bytes > 0 || take < kChunkBytes) {
      take = std::min(take, kChunkBytes - state_->open_bytes);
      std::memcpy(state_->open_chunk.data() + state_->open_bytes, piece.data(), take);
      state_->open_bytes += take;
      if (state_->open_bytes == kChunkBytes) {
        chunk_words(state_->open_chunk, std::span(&state_->words.emplace_back(), 1));
        state_->open_bytes = 0;
      }
    } else {
      take -= take % kChunkBytes;
      const std::size_t before = state_->words.size();
      state_->words.resize(before + take / kChunkBytes);
      chunk_words(piece.first(take), std::span(state_->words).subspan(before));
    }
    if (state_->with_payload) XXH3_128bits_update(&state_->payload.state, piece.data(), take);
    state_->bytes += take;
    piece = piece.subspan(take);
  }
}

BufferHasher::Result BufferHasher::finish() {
  Result result;
  result.bytes = state_->bytes;
  if (state_->open_bytes > 0) {
    state_->words.push_back(
        hash_last_chunk(std::span(state_->open_chunk).first(state_->open_bytes)));
  }
  if (state_->with_payload) {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->payload.state);
    result.payload = Digest128{hash.high64, hash.low64};
  }
  result.chunked = chunked_digest(state_->words, state_->bytes);
  result.words = std::move(state_->words);
  state_->words.clear();
  return result;
}

}  // namespace foxhunt
