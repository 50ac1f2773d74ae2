// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dump/format/dtype.h"
#include "dump/format/shape.h"

namespace foxhunt {

// What a trainer computes, as a graph: buffers are nodes; a launch of a maker (a kernel, a copy, a
// view, or the host) makes some of them from others. It is data: `compare` knows no buffer by name.
//
// Order matters: launches stand in execution order, and a bare run's order is the profile's.

enum class MakerKind : std::uint8_t {
  kernel,
  copy,  // moves bytes; cannot invent any by itself
  view,  // another name for bytes of its input
  host,  // CPU code outside the graph: what it makes comes from outside
};

// Determinism a maker promises, in CUB's words.
enum class Determinism : std::uint8_t { unknown, not_guaranteed, run_to_run, gpu_to_gpu };

enum class Meaning : std::uint8_t {
  value,
  partial,  // not yet reduced: one contribution a row
  reduced,  // the sum of partials
};

enum class Cadence : std::uint8_t {
  update,  // made once per occurrence (K-loop update)
  step,    // made once per step, at occurrence 0
};

struct ProfileGroup {
  char letter = 'a';
  std::string title;
};

// One extent: a number, or a symbol that the trainer binds ("B").
struct Extent {
  std::string symbol;  // empty: `size` holds
  std::uint64_t size = 0;

  bool operator==(const Extent&) const = default;
};

struct ProfileBuffer {
  std::string name;
  char group = 'a';
  DType dtype = DType::f32;
  std::vector<Extent> shape;         // row-major, outermost first
  std::vector<Extent> valid_extent;  // empty: all of it; else as long as `shape`: what lies beyond
                                     // these extents is padding, perhaps never read
  bool order_free = false;           // rows (outermost extent) may come in any order
  Meaning meaning = Meaning::value;
  Cadence cadence = Cadence::update;
  std::string carries;  // non-empty: this is the state of that buffer carried into a window

  // Index into Profile::launches, filled by validate(); -1: nobody says who makes it.
  int launch = -1;

  // The shape where every extent is a number; nothing where one is still a symbol.
  std::optional<Shape> bound_shape() const;
};

struct Maker {
  std::string name;
  MakerKind kind = MakerKind::kernel;
  Determinism determinism = Determinism::unknown;
  std::string advice;  // what to look at when it is the origin
};

// `lag` 0: as it stands now; 1: the previous occurrence, or the last one of the previous step
// (written `name[-1]`).
struct Input {
  int buffer = -1;
  int lag = 0;

  bool operator==(const Input&) const = default;
};

struct Launch {
  int maker = -1;
  std::string site;  // which of the maker's launches; empty where it has one
  std::vector<Input> inputs;
  std::vector<int> outputs;
};

// What experience says when whole groups diverge together at the first divergent step. It applies
// when every group in `diverged` diverged, none in `not_diverged` did (equal or not dumped), every
// group in `equal` was dumped and equal, with `only` no other group diverged, some buffer of
// `any_of` diverged (where it names any), and no buffer of `none_of` did.
struct Pattern {
  std::string diverged, not_diverged, equal;  // group letters
  bool only = false;
  std::vector<std::string> any_of, none_of;  // buffers
  std::string advice;
};

// What a profile may hold; far above any trainer, so that a hostile one costs little.
inline constexpr std::size_t kMaxProfileBytes = std::size_t{4} << 20;  // as JSON
inline constexpr std::size_t kMaxProfileBuffers = 8192;                // and launches, and makers
inline constexpr std::size_t kMaxProfileInputs = 65536;                // of all launches together
inline constexpr std::size_t kMaxProfilePatterns = 256;
inline constexpr std::size_t kMaxProfileName = 180;  // bytes of a maker's, site's or profile's name
inline constexpr std::size_t kMaxProfileText = 4096;  // bytes of an advice or a title

struct Profile {
  std::string name;
  std::vector<ProfileGroup> groups;
  std::vector<ProfileBuffer> buffers;
  std::vector<Maker> makers;
  std::vector<Launch> launches;
  std::vector<Pattern> patterns;

  // Index into `buffers`, or -1. Works after validate(), as does carried_in().
  int find(std::string_view buffer_name) const;
  // The same for a buffer that was dumped under a group's letter: a known name under another letter
  // is another trainer's buffer. nullptr if there is none.
  const ProfileBuffer* find(std::string_view buffer_name, char group) const;
  // The carried-in capture of buffer `buffer`, or -1.
  int carried_in(int buffer) const;
  std::string_view group_title(char letter) const;  // "" where none was given

  // Makes every extent that this symbol stands for a number.
  void bind(std::string_view symbol, std::uint64_t size);

  // Everything that is wrong with names, indices, extents and edges, one sentence each (the first
  // few, where there are many). A launch may read with lag 0 only what an earlier launch makes, so
  // such edges have no cycle.
  std::vector<std::string> mistakes() const;
  // Throws Error format with the mistakes, if there are any; fills ProfileBuffer::launch and the
  // look-ups of find() and carried_in(). Call it after the last change.
  void validate();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> by_name_;
  std::vector<int> carried_in_;
};

// Puts a profile together. Each call returns the builder; mistakes are reported by build().
//
//   ProfileBuilder p("my-trainer");
//   p.group('g', "samples").bind("B", 64).bind("H", 128);
//   p.buffer("sampled_h_t", 'g', DType::f32, {"B", "H"});
//   p.kernel("layer_norm_fwd", Determinism::gpu_to_gpu, "one block a row; look at …");
//   p.launch("layer_norm_fwd", "a").reads("sampled_h_t").reads("params", 1).makes("ln_a_out");
//   Profile profile = p.build();
class ProfileBuilder {
 public:
  struct Dim {  // an extent given as a number or as a symbol
    Extent extent;
    Dim(const char* symbol) : extent{symbol, 0} {}                   // NOLINT: implicit
    Dim(std::string symbol) : extent{std::move(symbol), 0} {}        // NOLINT: implicit
    Dim(std::uint64_t size) : extent{"", size} {}                    // NOLINT: implicit
    Dim(int size) : extent{"", static_cast<std::uint64_t>(size)} {}  // NOLINT: implicit
  };

  // One launch being described.
  class LaunchBuilder {
   public:
    LaunchBuilder& reads(std::string_view buffer, int lag = 0);
    LaunchBuilder& makes(std::string_view buffer);

   private:
    friend class ProfileBuilder;
    LaunchBuilder(ProfileBuilder& owner, std::size_t index) : owner_(&owner), index_(index) {}
    ProfileBuilder* owner_;
    std::size_t index_;
  };

  explicit ProfileBuilder(std::string name);

  ProfileBuilder& bind(std::string symbol, std::uint64_t size);
  ProfileBuilder& group(char letter, std::string title);
  ProfileBuilder& buffer(std::string name, char group, DType dtype, std::vector<Dim> shape);
  // These three speak of the buffer declared last.
  ProfileBuilder& valid_extent(std::vector<Dim> extents);
  ProfileBuilder& order_free();
  ProfileBuilder& meaning(Meaning meaning);
  ProfileBuilder& once_per_step();
  ProfileBuilder& carries(std::string buffer);

  ProfileBuilder& maker(std::string name, MakerKind kind, Determinism determinism,
                        std::string advice);
  ProfileBuilder& kernel(std::string name, Determinism determinism = Determinism::unknown,
                         std::string advice = "");
  // A maker not declared before is taken for a kernel of unknown determinism.
  LaunchBuilder launch(std::string_view maker, std::string site = "");
  ProfileBuilder& pattern(Pattern pattern);

  // Names resolved, symbols bound, validated. Throws Error bad_argument listing the mistakes.
  Profile build() const;

 private:
  struct NamedLaunch {
    std::string maker, site;
    std::vector<std::pair<std::string, int>> reads;
    std::vector<std::string> makes;
  };
  ProfileBuffer* last_buffer(const char* what);  // null, and a mistake noted, before the first

  Profile draft_;
  std::vector<NamedLaunch> launches_;
  std::vector<std::pair<std::string, std::uint64_t>> bound_;
  std::vector<std::string> mistakes_;
};

}  // namespace foxhunt
