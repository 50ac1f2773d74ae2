// SPDX-License-Identifier: MIT
#include "compare/runs/payload_pair.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "compare/runs/fault_guard.h"
#include "compare/runs/second_look.h"
#include "compare/runs/window.h"
#include "dump/format/digest.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

// Statistics and digests go over a window in steps that stay in the cache between them.
constexpr std::size_t kStepBytes = 256 * 1024;
constexpr std::size_t kWordsPerWindow = kWindowBytes / kChunkBytes;
static_assert(kStepBytes % kChunkBytes == 0 && kWindowBytes % kStepBytes == 0);

struct Scratch {
  std::vector<std::byte> a, b;
  std::uint64_t words_a[kWordsPerWindow], words_b[kWordsPerWindow];
};

Scratch& scratch() {
  thread_local Scratch buffers;
  return buffers;
}

bool is_all_zero(std::span<const std::byte> bytes) noexcept {
  return bytes.empty() || (bytes[0] == std::byte{0} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// A part that is equal on both sides. Its bit sums would be equal too and so tell nothing.
Difference equal_part(std::uint64_t elements, bool all_zero) noexcept {
  Difference part;
  part.elements = elements;
  part.a_all_zero = part.b_all_zero = all_zero;
  return part;
}

// Whole chunks at the front of `bytes`, or all of them where they end the file.
std::size_t hashable(std::size_t bytes, bool ends_file) noexcept {
  return ends_file ? bytes : bytes / kChunkBytes * kChunkBytes;
}

}  // namespace

PayloadPair::PayloadPair(PayloadSide a, PayloadSide b, const Contract& contract, SecondLook look,
                         BufferResult& result)
    : shape_(contract.shape),
      look_(std::move(look)),
      result_(result),
      dtype_(contract.dtype.value_or(DType::u8)) {
  a_.side = a, a_.file = &file_a_, a_.label = 'a';
  b_.side = b, b_.file = &file_b_, b_.label = 'b';
}

void PayloadPair::fail(const char* code, const SideState& side, std::string message) noexcept {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  const std::string path = (side.side.directory->path() / side.side.entry->payload_name()).string();
  if (!message.starts_with(path)) message = path + ": " + message;
  if (result_.note.empty()) result_.note = message;
  problems_.push_back({code, path, std::move(message)});
}

bool PayloadPair::open_side(SideState& side) {
  const Entry& entry = *side.side.entry;
  if (entry.form == Form::digest) return true;
  try {
    *side.file = RunFile(*side.side.directory, entry.payload_name());
  } catch (const Error& e) {
    const bool is_missing = e.code() == Errc::missing;
    fail(is_missing ? "missing_file" : "unreadable_file", side,
         is_missing ? std::string("is gone, though the run's log has a record of it")
                    : std::string(e.what()));
    if (is_missing) {
      result_.status = side.label == 'a' ? Status::missing_in_a : Status::missing_in_b;
    }
    return false;
  }
  if (entry.logged && side.file->size() != entry.bytes) {
    fail("size_mismatch", side,
         fmt::format("is {} bytes long, but its record says {}: it was cut or changed after it was "
                     "written; record the run again",
                     side.file->size(), entry.bytes));
    return false;
  }
  return true;
}

void PayloadPair::open() noexcept try {
  result_.status = Status::unreadable;
  const bool opened_a = open_side(a_), opened_b = open_side(b_);
  if (!opened_a || !opened_b) return;
  const bool by_digest = a_.side.entry->form == Form::digest || b_.side.entry->form == Form::digest;
  if (by_digest) {
    windows_ = 1;
    return;
  }
  if (file_a_.device() == file_b_.device() && file_a_.inode() == file_b_.inode()) {
    fail("same_run", a_,
         "is the same file in both runs (a hard link): one run was given twice, or files of one "
         "were linked into the other");
    return;
  }
  const std::uint64_t size = dtype_size(dtype_);
  result_.elements_a = file_a_.size() / size;
  result_.elements_b = file_b_.size() / size;
  result_.elements = std::min(result_.elements_a, result_.elements_b);
  lengths_differ_ = result_.elements_a != result_.elements_b;
  if (shape_ && element_count(*shape_) != result_.elements_a &&
      element_count(*shape_) != result_.elements_b) {
    shape_.reset();  // a profile's, and not that of these files
    result_.shape.reset();
  }
  for (SideState* side : {&a_, &b_}) {
    if (side->file->size() % size == 0) continue;
    partial_ = true;
    fail("partial_element", *side,
         fmt::format("is {} bytes long, which is no whole number of {} elements: it was cut while "
                     "being written or copied",
                     side->file->size(), dtype_name(dtype_)));
  }
  failed_ = false;  // whole elements before the cut can still prove a difference
  common_ = result_.elements * size;
  windows_ = static_cast<std::size_t>((common_ + kWindowBytes - 1) / kWindowBytes);
} catch (const std::exception& e) {
  fail("unreadable_file", a_, e.what());
}

void PayloadPair::judge(std::size_t window) noexcept try {
  if (failed_) return;
  if (a_.side.entry->form == Form::digest) {
    judge_digest(b_, a_);
  } else if (b_.side.entry->form == Form::digest) {
    judge_digest(a_, b_);
  } else {
    judge_bytes(window);
  }
} catch (const std::exception& e) {
  fail("unreadable_file", a_, e.what());
}

void PayloadPair::judge_bytes(std::size_t window) {
  const std::uint64_t offset = window * kWindowBytes;
  const std::size_t bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes, common_ - offset));
  const std::uint64_t element = dtype_size(dtype_);
  const auto both_are_holes = [&](const RunFile& a, const RunFile& b) {
    return a.is_sparse() && b.is_sparse() && a.is_hole(offset, bytes) && b.is_hole(offset, bytes);
  };
  if (both_are_holes(file_a_, file_b_)) {
    join(window, equal_part(bytes / element, true));
    return;
  }
  Scratch& mine = scratch();
  const Window a(file_a_, offset, bytes, mine.a), b(file_b_, offset, bytes, mine.b);
  const std::byte* const pa = a.bytes().data();
  const std::byte* const pb = b.bytes().data();
  const std::size_t hash_a =
      a_.side.entry->logged ? hashable(bytes, offset + bytes == file_a_.size()) : 0;
  const std::size_t hash_b =
      b_.side.entry->logged ? hashable(bytes, offset + bytes == file_b_.size()) : 0;
  bool equal = false;
  Difference part;
  const bool whole = guarded([&] {
    equal = std::memcmp(pa, pb, bytes) == 0;
    if (equal) {
      part = equal_part(bytes / element, is_all_zero(a.bytes()));
      return;
    }
    for (std::size_t at = 0; at < bytes; at += kStepBytes) {
      const std::size_t take = std::min(kStepBytes, bytes - at);
      const Difference piece =
          measure(dtype_, pa + at, pb + at, take / element, (offset + at) / element);
      if (at == 0) {
        part = piece;
      } else {
        merge(part, piece);
      }
      const auto hash = [at, take](const std::byte* p, std::size_t limit, std::uint64_t* words) {
        if (at >= limit) return;
        const std::size_t n = std::min(take, limit - at);
        chunk_words({p + at, n}, {words + at / kChunkBytes, chunk_count(n)});
      };
      hash(pa, hash_a, mine.words_a);
      hash(pb, hash_b, mine.words_b);
    }
  });
  if (!whole) {
    fail("changed_while_read", file_a_.unchanged() ? b_ : a_,
         "became shorter while it was read; compare again when nobody writes to it");
    return;
  }
  if (!equal) {
    diverged_ = true;
    if (!check_words(a_, offset, {mine.words_a, chunk_count(hash_a)}) ||
        !check_words(b_, offset, {mine.words_b, chunk_count(hash_b)})) {
      return;
    }
  }
  join(window, part);
}

// A payload that is not what its own record says proves nothing about the training run.
bool PayloadPair::check_words(SideState& side, std::uint64_t offset,
                              std::span<const std::uint64_t> words) {
  if (words.empty()) return true;
  std::call_once(side.words_loaded,
                 [&side] { side.words = side.side.words->read(*side.side.entry); });
  if (!side.words) {
    side.needs_whole_hash = true;
    return true;
  }
  const std::uint64_t first = offset / kChunkBytes;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == (*side.words)[first + i]) continue;
    fail("digest_mismatch", side,
         fmt::format("disagrees with its own record in the 16 KiB chunk at byte {}: it was changed "
                     "or damaged after it was written; record the run again",
                     (first + i) * kChunkBytes));
    return false;
  }
  return true;
}

bool PayloadPair::agrees(SideState& side, const BufferHasher::Result& digests) {
  const Entry& record = *side.side.entry;
  if (digests.payload == record.payload && digests.chunked == record.chunked) return true;
  fail("digest_mismatch", side,
       "disagrees with its own record: it was changed or damaged after it was written; record the "
       "run again");
  return false;
}

bool PayloadPair::verify_whole(SideState& side) {
  return agrees(side, hash_payload(*side.file, true));
}

void PayloadPair::judge_digest(SideState& full, SideState& digest) {
  const Entry& other = *digest.side.entry;
  const bool has_record = full.side.entry->logged;
  const auto digests = hash_payload(*full.file, has_record);
  if (has_record && !agrees(full, digests)) return;
  const std::uint64_t size = dtype_size(dtype_);
  if (digests.bytes % size != 0) {
    fail("partial_element", full,
         fmt::format("is {} bytes long, which is no whole number of {} elements", digests.bytes,
                     dtype_name(dtype_)));
    return;
  }
  (full.label == 'a' ? result_.elements_a : result_.elements_b) = digests.bytes / size;
  (full.label == 'a' ? result_.elements_b : result_.elements_a) = other.bytes / size;
  result_.elements = std::min(result_.elements_a, result_.elements_b);
  result_.by_digest = true;
  diverged_ = digests.chunked != other.chunked || digests.bytes != other.bytes;
  if (!diverged_ || digests.bytes != other.bytes) return;
  const auto words = digest.side.words->read(other);
  if (words) name_chunks(digests.words, *words, result_);
}

void PayloadPair::join(std::size_t window, const Difference& part) {
  const std::lock_guard lock(mutex_);
  if (window != next_to_join_) {
    early_.emplace(window, part);
    return;
  }
  const auto append = [this](const Difference& next) {
    if (next_to_join_++ == 0) {
      joined_ = next;
    } else {
      merge(joined_, next);
    }
  };
  append(part);
  while (!early_.empty() && early_.begin()->first == next_to_join_) {
    append(early_.begin()->second);
    early_.erase(early_.begin());
  }
}

void PayloadPair::look_again() {
  result_.difference = joined_;
  const Difference& d = joined_;
  result_.zero_on_one_side = d.elements > 0 && d.a_all_zero != d.b_all_zero;
  result_.order_free = look_.order_free;
  if (d.differing > 0 && !lengths_differ_ && shape_ && d.a_bit_sum == d.b_bit_sum) {
    result_.permuted_rows = are_permuted_rows(file_a_, file_b_, *shape_);
  }
  if (d.differing > 0 && !lengths_differ_ && shape_ && !look_.valid_extent.empty()) {
    result_.tail_only =
        differ_only_beyond(look_.valid_extent, *shape_, dtype_size(dtype_), file_a_, file_b_);
  }
  if (look_.tolerance) {
    result_.tolerance = tolerance_of_files(dtype_, file_a_, file_b_, common_,
                                           look_.tolerance->first, look_.tolerance->second);
    if (lengths_differ_) result_.tolerance->within = false;
  }
}

void PayloadPair::finish() noexcept try {
  if (result_.status != Status::unreadable || failed_) return;
  for (SideState* side : {&a_, &b_}) {
    if (side->file->is_open() && !side->file->unchanged()) {
      fail("changed_while_read", *side,
           "changed while it was read; compare again when nobody writes to it");
    }
    if (side->needs_whole_hash && !failed_) verify_whole(*side);
  }
  if (failed_) return;
  // A file that was cut in the middle of an element says nothing of the length it should have.
  if (diverged_ || (lengths_differ_ && !partial_)) {
    if (!result_.by_digest) look_again();
    result_.status = Status::diverged;
    return;
  }
  if (partial_) return;  // equal as far as whole elements go: unreadable
  const Entry &a = *a_.side.entry, &b = *b_.side.entry;
  const bool logs_disagree = !result_.by_digest && a.logged && b.logged &&
                             (a.payload != b.payload || a.chunked != b.chunked);
  // The bytes are equal but the records are not: one payload is not what was written.
  if (logs_disagree && verify_whole(a_) && verify_whole(b_)) {
    fail("digest_mismatch", a_, "equals its counterpart, though their records differ");
  }
  if (!failed_) result_.status = Status::equal;
} catch (const std::exception& e) {
  fail("unreadable_file", a_, e.what());
}

}  // namespace foxhunt
