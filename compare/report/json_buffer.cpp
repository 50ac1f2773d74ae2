// SPDX-License-Identifier: MIT
#include "compare/report/json_buffer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "compare/numerics/format_value.h"
#include "dump/format/digest.h"

namespace foxhunt {
namespace {

using Layout = JsonWriter::Layout;

// A double that may be out of JSON's reach: then null, and its text beside it.
void number_member(JsonWriter& json, const std::string& name, double value) {
  json.member(name, value);
  if (!std::isfinite(value)) json.member(name + "_text", fmt::format("{}", value));
}

std::optional<std::uint64_t> index_or_none(std::uint64_t index) {
  if (index == Difference::kNone) return std::nullopt;
  return index;
}

void coordinates_member(JsonWriter& json, std::string_view name, const BufferResult& result,
                        std::uint64_t index) {
  if (result.shape && index < element_count(*result.shape).value_or(0)) {
    json.member(name, coordinates(*result.shape, index));
  }
}

void max_abs_member(JsonWriter& json, const BufferResult& result) {
  const auto& difference = result.difference;
  json.key("max_abs");
  if (!difference || difference->measured == 0) {
    json.null();
  } else if (result.dtype && !is_float(*result.dtype)) {
    json.value(difference->max_abs_integer);
  } else {
    json.value(difference->max_abs);
    if (!std::isfinite(difference->max_abs)) {
      json.member("max_abs_text", fmt::format("{}", difference->max_abs));
    }
  }
}

void samples_member(JsonWriter& json, const BufferResult& result, const Difference& difference) {
  json.key("samples");
  json.begin_array();
  const DType dtype = result.dtype.value_or(DType::u8);
  const int digits = static_cast<int>(2 * dtype_size(dtype));
  for (const auto& sample :
       {difference.sample_first, difference.sample_max, difference.sample_last}) {
    if (sample.index == Difference::kNone) break;
    json.begin_object();
    json.member("index", sample.index);
    coordinates_member(json, "at", result, sample.index);
    json.member("a", format_value(dtype, sample.a_bits));
    json.member("b", format_value(dtype, sample.b_bits));
    json.member("a_bits", fmt::format("{:0{}x}", sample.a_bits, digits));
    json.member("b_bits", fmt::format("{:0{}x}", sample.b_bits, digits));
    json.end();
  }
  json.end();
}

void difference_members(JsonWriter& json, const BufferResult& result) {
  const Difference& d = *result.difference;
  if (d.elements > 0) {
    json.member("share", static_cast<double>(d.differing) / static_cast<double>(d.elements));
  }
  if (d.differing == 0) return;
  coordinates_member(json, "first_at", result, d.first_index);
  json.member("last_index", d.last_index);
  coordinates_member(json, "last_at", result, d.last_index);
  if (d.measured > 0) json.member("max_abs_index", d.max_abs_index);
  if (d.ulp_measured > 0) {
    static constexpr std::array<std::string_view, 4> kBins = {"1", "4", "64", "more"};
    json.key("ulp_histogram");
    json.begin_object();
    for (std::size_t i = 0; i < kBins.size(); ++i) json.member(kBins[i], d.ulp_histogram[i]);
    json.end();
  }
  json.member("nan_payload_only", d.nan_payload_only);
  json.member("sign_of_zero_only", d.sign_of_zero_only);
  json.member("non_finite", d.non_finite);
  json.member("ranges", d.runs);
  json.member("contiguous", d.contiguous());
  json.member("tile_aligned", d.tile_aligned());
  samples_member(json, result, d);
}

void tolerance_member(JsonWriter& json, const ToleranceResult& tolerance) {
  json.key("tolerance");
  json.begin_object();
  json.member("rtol", tolerance.rtol);
  json.member("atol", tolerance.atol);
  json.member("within", tolerance.within);
  json.member("outside", tolerance.outside);
  number_member(json, "smallest_rtol", tolerance.smallest_rtol);
  number_member(json, "smallest_atol", tolerance.smallest_atol);
  json.end();
}

}  // namespace

std::string buffer_json(const BufferResult& result, std::string_view extra) {
  std::string out;
  JsonWriter json(out);
  json.begin_object(Layout::one_line);
  out += extra;
  json.member("rank", result.rank);
  json.member("step", result.step);
  json.member("occurrence", result.occurrence);
  json.member("group", std::string_view(&result.group, 1));
  json.member("name", result.name);
  json.member("status", status_name(result.status));
  json.member("elements", result.elements);

  const auto& difference = result.difference;
  std::optional<std::uint64_t> differing, first_index, max_ulp;
  if (result.status == Status::equal) differing = 0;
  if (difference) {
    differing = difference->differing;
    first_index = index_or_none(difference->first_index);
    if (difference->ulp_measured > 0) max_ulp = difference->max_ulp;
  }
  json.member("differing", differing);
  json.member("first_index", first_index);
  max_abs_member(json, result);
  json.member("max_ulp", max_ulp);

  if (result.dtype) json.member("dtype", dtype_name(*result.dtype));
  if (result.shape) json.member("shape", *result.shape);
  if (result.elements_a != result.elements_b) {
    json.member("elements_a", result.elements_a);
    json.member("elements_b", result.elements_b);
  }
  if (result.status == Status::diverged) {
    if (difference) difference_members(json, result);
    if (result.by_digest) {
      json.member("by_digest", true);
      json.member("chunk_bytes", std::uint64_t{kChunkBytes});
      json.member("differing_chunks", result.differing_chunks);
      json.member("first_chunks", result.first_chunks);
    }
    json.member("permuted_rows", result.permuted_rows);
    if (result.permuted_rows) json.member("order_free", result.order_free);
    json.member("tail_only", result.tail_only);
    json.member("zero_on_one_side", result.zero_on_one_side);
  }
  if (result.tolerance) tolerance_member(json, *result.tolerance);
  if (!result.note.empty()) json.member("note", result.note);
  json.end();
  return out;
}

}  // namespace foxhunt
