// SPDX-License-Identifier: MIT
#include "compare/runs/chunk_words_file.h"

#include <exception>

#include "dump/format/digest.h"

namespace foxhunt {

ChunkWordsFile::ChunkWordsFile(const Run& run) noexcept {
  if (run.state() == RunState::bare) return;
  try {
    file_ = RunFile(run.directory(), kChunkWordsFile);
  } catch (const std::exception&) {
    // Whoever needs a word says so.
  }
}

std::optional<std::vector<std::uint64_t>> ChunkWordsFile::read(const Entry& entry) const noexcept
    try {
  const std::uint64_t words_in_file = file_.size() / sizeof(std::uint64_t);
  const std::uint64_t count = chunk_count(entry.bytes);
  // A damaged log may claim anything: allocate only what the file can hold.
  if (!file_.is_open() || !entry.logged || count > words_in_file ||
      entry.words_at > words_in_file - count) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> words(count);
  file_.read(entry.words_at * sizeof(std::uint64_t), std::as_writable_bytes(std::span(words)));
  if (chunked_digest(words, entry.bytes) != entry.chunked) return std::nullopt;
  return words;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace foxhunt
