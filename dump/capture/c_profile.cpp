// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dump/capture/c_abi.h"
#include "dump/format/profile_json.h"

using foxhunt::c_guarded;
using foxhunt::Errc;
using foxhunt::Error;
using foxhunt::Profile;
using foxhunt::ProfileBuilder;
using foxhunt::required;

struct foxhunt_profile {
  explicit foxhunt_profile(std::string name) : builder(std::move(name)) {}

  ProfileBuilder builder;
  std::optional<ProfileBuilder::LaunchBuilder> last_launch;
  std::optional<Profile> parsed;  // from JSON: the builder is not used
};

namespace foxhunt {

Profile profile_behind(const foxhunt_profile& profile) {
  return profile.parsed ? *profile.parsed : profile.builder.build();
}

}  // namespace foxhunt

namespace {

std::string or_empty(const char* text) { return text == nullptr ? "" : text; }

std::vector<ProfileBuilder::Dim> dims_of(std::size_t rank, const foxhunt_extent* extents) {
  if (rank > foxhunt::kMaxRank || (rank > 0 && extents == nullptr)) {
    throw Error(Errc::bad_argument, "a shape has up to {} extents, and they must be given; {} here",
                foxhunt::kMaxRank, extents == nullptr ? "NULL" : std::to_string(rank));
  }
  std::vector<ProfileBuilder::Dim> dims;
  for (std::size_t i = 0; i < rank; ++i) {
    if (extents[i].symbol != nullptr) {
      dims.emplace_back(extents[i].symbol);
    } else {
      dims.emplace_back(extents[i].size);
    }
  }
  return dims;
}

// Runs `add` on the profile's builder.
template <class Add>
foxhunt_status add_to(foxhunt_profile* profile, const Add& add) noexcept {
  if (profile == nullptr) return FOXHUNT_OK;
  return c_guarded([&] {
    if (profile->parsed) {
      throw Error(Errc::bad_argument, "a profile from JSON is complete; nothing can be added");
    }
    add(profile->builder);
  });
}

void check_number(int32_t value, int32_t last, const char* what) {
  if (value < 0 || value > last) {
    throw Error(Errc::bad_argument, "{} {} is none of this library's", what, value);
  }
}

}  // namespace

extern "C" {

foxhunt_profile* foxhunt_profile_create(const char* name) {
  foxhunt_profile* created = nullptr;
  c_guarded([&] { created = new foxhunt_profile(required(name, "the profile's name")); });
  return created;
}

foxhunt_status foxhunt_profile_from_json(const char* json, size_t length, foxhunt_profile** out) {
  if (out == nullptr) return foxhunt::c_misuse("there is no place for the profile: out is NULL");
  *out = nullptr;
  return c_guarded([&] {
    const std::string_view text(required(json, "the JSON text"), length);
    Profile parsed = foxhunt::profile_from_json(text, "profile");
    auto profile = std::make_unique<foxhunt_profile>(parsed.name);
    profile->parsed = std::move(parsed);
    *out = profile.release();
  });
}

void foxhunt_profile_destroy(foxhunt_profile* profile) { delete profile; }

foxhunt_status foxhunt_profile_bind(foxhunt_profile* profile, const char* symbol, uint64_t size) {
  return add_to(profile, [&](ProfileBuilder& b) { b.bind(required(symbol, "the symbol"), size); });
}

foxhunt_status foxhunt_profile_group(foxhunt_profile* profile, char letter, const char* title) {
  return add_to(profile, [&](ProfileBuilder& b) { b.group(letter, or_empty(title)); });
}

foxhunt_status foxhunt_profile_buffer(foxhunt_profile* profile, const char* name, char group,
                                      foxhunt_dtype dtype, size_t rank,
                                      const foxhunt_extent* shape) {
  return add_to(profile, [&](ProfileBuilder& b) {
    b.buffer(required(name, "the buffer's name"), group, foxhunt::dtype_of(dtype),
             dims_of(rank, shape));
  });
}

foxhunt_status foxhunt_profile_valid_extent(foxhunt_profile* profile, size_t rank,
                                            const foxhunt_extent* extents) {
  return add_to(profile, [&](ProfileBuilder& b) { b.valid_extent(dims_of(rank, extents)); });
}

foxhunt_status foxhunt_profile_order_free(foxhunt_profile* profile) {
  return add_to(profile, [](ProfileBuilder& b) { b.order_free(); });
}

foxhunt_status foxhunt_profile_meaning(foxhunt_profile* profile, foxhunt_meaning meaning) {
  return add_to(profile, [&](ProfileBuilder& b) {
    check_number(meaning, FOXHUNT_REDUCED, "meaning");
    b.meaning(static_cast<foxhunt::Meaning>(meaning));
  });
}

foxhunt_status foxhunt_profile_once_per_step(foxhunt_profile* profile) {
  return add_to(profile, [](ProfileBuilder& b) { b.once_per_step(); });
}

foxhunt_status foxhunt_profile_carries(foxhunt_profile* profile, const char* buffer) {
  return add_to(profile, [&](ProfileBuilder& b) { b.carries(required(buffer, "the buffer")); });
}

foxhunt_status foxhunt_profile_maker(foxhunt_profile* profile, const char* name,
                                     foxhunt_maker_kind kind, foxhunt_determinism determinism,
                                     const char* advice) {
  return add_to(profile, [&](ProfileBuilder& b) {
    check_number(kind, FOXHUNT_HOST, "maker kind");
    check_number(determinism, FOXHUNT_GPU_TO_GPU, "determinism");
    b.maker(required(name, "the maker's name"), static_cast<foxhunt::MakerKind>(kind),
            static_cast<foxhunt::Determinism>(determinism), or_empty(advice));
  });
}

foxhunt_status foxhunt_profile_launch(foxhunt_profile* profile, const char* maker,
                                      const char* site) {
  return add_to(profile, [&](ProfileBuilder& b) {
    profile->last_launch = b.launch(required(maker, "the maker"), or_empty(site));
  });
}

foxhunt_status foxhunt_profile_reads(foxhunt_profile* profile, const char* buffer, int lag) {
  return add_to(profile, [&](ProfileBuilder&) {
    if (!profile->last_launch) throw Error(Errc::bad_argument, "no launch was declared yet");
    profile->last_launch->reads(required(buffer, "the buffer"), lag);
  });
}

foxhunt_status foxhunt_profile_makes(foxhunt_profile* profile, const char* buffer) {
  return add_to(profile, [&](ProfileBuilder&) {
    if (!profile->last_launch) throw Error(Errc::bad_argument, "no launch was declared yet");
    profile->last_launch->makes(required(buffer, "the buffer"));
  });
}

foxhunt_status foxhunt_profile_check(const foxhunt_profile* profile) {
  if (profile == nullptr) return FOXHUNT_OK;
  return c_guarded([&] { foxhunt::profile_behind(*profile); });
}

}  // extern "C"
