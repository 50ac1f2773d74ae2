// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt {

// The two digests of a buffer. Method: XXH3 (Yann Collet, xxHash 0.8); not cryptographic: they find
// accidents, not forgeries.
//
//   payload   XXH3-128 of the bytes, as `xxhsum -H2` prints it.
//   chunked   the bytes in chunks of kChunkBytes, the last one zero-padded to a multiple of
//             kChunkPadding; a word = XXH3-64 of its chunk (`xxhsum -H3`); the digest = XXH3-128 of
//             the words followed by the byte length, all u64 little-endian. It can be computed
//             where the data is, chunk by chunk, and says which chunk differs.
struct Digest128 {
  std::uint64_t high = 0, low = 0;

  bool operator==(const Digest128&) const = default;
};

inline constexpr std::size_t kChunkBytes = 16 * 1024;
inline constexpr std::size_t kChunkPadding = 1024;

// 32 lower-case hex digits, the high half first.
std::string format_digest(const Digest128& digest);
std::optional<Digest128> parse_digest(std::string_view hex) noexcept;

// 16 lower-case hex digits.
std::optional<std::uint64_t> parse_hex64(std::string_view hex) noexcept;

// Chunks in a buffer: 0 for an empty one.
constexpr std::uint64_t chunk_count(std::uint64_t bytes) noexcept {
  return bytes / kChunkBytes + (bytes % kChunkBytes != 0);
}

Digest128 payload_digest(std::span<const std::byte> bytes) noexcept;

// The words of consecutive chunks. `bytes` starts at a chunk's start; only the last chunk may be
// short (it is then the buffer's last). `words` holds chunk_count(bytes.size()).
void chunk_words(std::span<const std::byte> bytes, std::span<std::uint64_t> words) noexcept;

// The digest of a buffer of `bytes` bytes whose words these are.
Digest128 chunked_digest(std::span<const std::uint64_t> words, std::uint64_t bytes) noexcept;

// XXH3-64, for check words.
std::uint64_t check_word(std::string_view text) noexcept;

// A running XXH3-64 over text that arrives in pieces: value() equals check_word of all of it.
class RunningCheck {
 public:
  RunningCheck();
  ~RunningCheck();
  RunningCheck(RunningCheck&&) noexcept;
  RunningCheck& operator=(RunningCheck&&) noexcept;
  void update(std::string_view text) noexcept;
  std::uint64_t value() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Both digests over bytes that arrive in pieces of any size, in order.
class BufferHasher {
 public:
  explicit BufferHasher(bool with_payload_digest);
  ~BufferHasher();
  BufferHasher(const BufferHasher&) = delete;
  BufferHasher& operator=(const BufferHasher&) = delete;

  // Forgets everything.
  void reset(bool with_payload_digest);
  void update(std::span<const std::byte> piece);

  // What has been seen so far, as if the buffer ended here; call once, then reset.
  struct Result {
    std::uint64_t bytes = 0;
    std::optional<Digest128> payload;  // when asked for
    Digest128 chunked;
    std::vector<std::uint64_t> words;
  };
  Result finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foxhunt
