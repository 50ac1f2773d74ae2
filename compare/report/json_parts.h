// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "compare/report/json_writer.h"
#include "compare/runs/comparison.h"

// What the reports of two and of more runs have in common.
namespace foxhunt::json_parts {

// null for an empty text.
void text_or_null(JsonWriter& json, std::string_view name, std::string_view text);

// Opens the document and writes the members that come first.
void head(JsonWriter& json, Verdict verdict, int exit_code,
          const std::optional<bool>& within_tolerance);

// The members of each, into an open object.
void first_divergence_members(JsonWriter& json, std::uint32_t rank, const FirstDivergence& first);
void provenance_members(JsonWriter& json, const ProvenanceDifference& difference);
void problem_members(JsonWriter& json, const Problem& problem);

// An object, or null for nothing.
void first_divergence(JsonWriter& json, std::uint32_t rank,
                      const std::optional<FirstDivergence>& first);

}  // namespace foxhunt::json_parts
