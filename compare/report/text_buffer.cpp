// SPDX-License-Identifier: MIT
#include "compare/report/text_buffer.h"

#include <fmt/format.h>

#include <vector>

#include "compare/numerics/format_value.h"
#include "compare/report/samples.h"
#include "dump/format/digest.h"

namespace foxhunt {
namespace {

// Never rounds something to nothing or to everything.
std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == whole) return "100 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.01) return "< 0.01 %";
  if (percent > 99.9) return "> 99.9 %";
  return fmt::format("{:.3g} %", percent);
}

std::string how_much(const BufferResult& result) {
  if (result.by_digest) {
    if (!result.differing_chunks)
      return "digests differ; neither values nor chunk words to look at";
    return fmt::format("{} of {} KiB {} (digests only, no values)",
                       count_of(*result.differing_chunks, "chunk"), kChunkBytes / 1024,
                       *result.differing_chunks == 1 ? "differs" : "differ");
  }
  if (!result.difference) return "differs";
  const Difference& d = *result.difference;
  if (d.differing == 0) return "the common part is equal";
  return fmt::format("{} of {} differ ({})", grouped(d.differing),
                     count_of(d.elements, result.dtype ? "element" : "byte"),
                     share_text(d.differing, d.elements));
}

std::string where(const BufferResult& result, const Difference& d) {
  std::string text = fmt::format("first {}, last {}: ", index_text(result, d.first_index),
                                 index_text(result, d.last_index));
  if (d.differing == 1) {
    text += "this element alone";
  } else if (d.differing == d.elements) {
    text += "every element";
  } else if (d.tile_aligned()) {
    text += fmt::format("{} of {} elements and nothing else (aligned as warps are){}",
                        count_of(d.tiles_full, "whole tile"), Difference::kTile,
                        d.contiguous() ? ", in one piece" : "");
  } else if (d.contiguous()) {
    text += "one contiguous range";
  } else {
    text += fmt::format("scattered over {}", count_of(d.runs, "range"));
  }
  return text;
}

std::string how_far(const BufferResult& result, const Difference& d) {
  const DType dtype = result.dtype.value_or(DType::u8);
  std::string text;
  if (d.measured > 0) {
    text = is_float(dtype) ? fmt::format("max |a-b| {}", d.max_abs)
                           : fmt::format("max |a-b| {}", d.max_abs_integer);
    text += " at " + index_text(result, d.max_abs_index);
  }
  if (d.ulp_measured > 0) {
    const auto& bins = d.ulp_histogram;
    text += fmt::format("{}max {} ULP (1: {}, 2-4: {}, 5-64: {}, more: {})",
                        text.empty() ? "" : "; ", grouped(d.max_ulp), grouped(bins[0]),
                        grouped(bins[1]), grouped(bins[2]), grouped(bins[3]));
  }
  return text;
}

std::string kinds(const Difference& d) {
  std::vector<std::string> parts;
  if (d.nan_payload_only > 0) {
    parts.push_back(grouped(d.nan_payload_only) + " NaN on both sides with other payloads");
  }
  if (d.sign_of_zero_only > 0) {
    parts.push_back(grouped(d.sign_of_zero_only) + " zero on both sides with other signs");
  }
  if (d.non_finite > 0) {
    parts.push_back(grouped(d.non_finite) + " with a NaN or an infinity on a side");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void print_samples(Page& page, const BufferResult& result, const Difference& d) {
  const DType dtype = result.dtype.value_or(DType::u8);
  const char* label = "samples";
  for (const Difference::Sample& sample : samples_of(d)) {
    page.labelled(
        label, fmt::format("{}: a {}, b {}", index_text(result, sample.index),
                           format_value(dtype, sample.a_bits), format_value(dtype, sample.b_bits)));
    label = "";
  }
}

void print_signs(Page& page, const BufferResult& result) {
  if (result.permuted_rows) {
    page.labelled("order",
                  result.order_free
                      ? "the same rows in another order; the profile declares that no "
                        "reader minds"
                      : "the same rows in another order: look for slots taken by an atomic "
                        "counter, or draws in arrival order");
  }
  if (result.tail_only) {
    page.labelled("tail",
                  "all of it lies beyond the valid extent: unknown whether anything reads it");
  }
  if (result.zero_on_one_side) {
    page.labelled("zero",
                  "one side holds nothing but zeros: suspected capture race, dumped before "
                  "its kernel had finished");
  }
}

void print_tolerance(Page& page, const ToleranceResult& t) {
  if (t.within) {
    page.labelled("tolerance", fmt::format("within rtol {}, atol {}", t.rtol, t.atol));
    return;
  }
  page.labelled("tolerance",
                fmt::format("{} outside rtol {}, atol {}; would pass with rtol {} or atol {}",
                            count_of(t.outside, "element"), t.rtol, t.atol, t.smallest_rtol,
                            t.smallest_atol));
}

}  // namespace

std::string index_text(const BufferResult& result, std::uint64_t index) {
  if (!result.shape || result.shape->empty() || index >= element_count(*result.shape).value_or(0)) {
    return fmt::format("{}", index);
  }
  return fmt::format("[{}]", fmt::join(coordinates(*result.shape, index), ","));
}

void print_buffer(Page& page, const BufferResult& result) {
  std::string title = fmt::format("{} ({})", result.name, result.group);
  if (result.occurrence > 0) title += fmt::format(" occurrence {}", result.occurrence);
  if (result.dtype) title += fmt::format(" {}", dtype_name(*result.dtype));
  if (result.shape) title += fmt::format(" {}", format_shape(*result.shape));
  page.line("  " + page.paint(title, Page::Ink::heading) + ": " + how_much(result));

  if (result.elements_a != result.elements_b) {
    page.labelled("length", fmt::format("a holds {}, b {}", count_of(result.elements_a, "element"),
                                        grouped(result.elements_b)));
  }
  if (result.by_digest && !result.first_chunks.empty()) {
    page.labelled("where",
                  fmt::format("chunk{} {}{}", result.first_chunks.size() == 1 ? "" : "s",
                              fmt::join(result.first_chunks, ", "),
                              result.differing_chunks > result.first_chunks.size() ? ", ..." : ""));
  }
  if (result.difference && result.difference->differing > 0) {
    const Difference& d = *result.difference;
    page.labelled("where", where(result, d));
    if (const std::string far = how_far(result, d); !far.empty()) page.labelled("how far", far);
    if (const std::string of = kinds(d); !of.empty()) page.labelled("of these", of);
    print_samples(page, result, d);
  }
  print_signs(page, result);
  if (result.tolerance) print_tolerance(page, *result.tolerance);
  if (!result.note.empty()) page.labelled("note", printable(result.note));
}

}  // namespace foxhunt
