// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/injection.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "dump/format/error.h"
#include "kernels/math/philox.h"
#include "trainer_hooks/reference/trainer_buffers.h"

namespace foxhunt {
namespace {

constexpr std::size_t kTile = 32, kTail = 8;

// Numbers of one injection, one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  std::uint32_t word() { return math::philox(seed_, math::RngPurpose::test_input, 0, index_++).x; }
  std::size_t below(std::size_t limit) { return word() % limit; }

 private:
  std::uint64_t seed_, index_ = 0;
};

template <class Bits>
std::vector<Bits> to_elements(const std::vector<std::byte>& bytes) {
  std::vector<Bits> elements(bytes.size() / sizeof(Bits));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::memcpy(&elements[i], &bytes[i * sizeof(Bits)], sizeof(Bits));
  }
  return elements;
}

template <class Bits>
void to_bytes(const std::vector<Bits>& elements, std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::memcpy(&bytes[i * sizeof(Bits)], &elements[i], sizeof(Bits));
  }
}

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// Finite, of about the size of what stood there.
std::uint32_t garbage(std::uint32_t old, Draws& draws) {
  const std::uint32_t exponent = std::clamp(old & 0x7f800000u, 0x3c000000u, 0x43000000u);
  return (draws.word() & 0x807fffffu) | exponent;
}

template <class Bits>
void alter_places(std::vector<Bits>& values, std::size_t row, InjectionKind kind, Draws& draws) {
  const std::size_t n = values.size();
  if (kind == InjectionKind::shift) {
    std::rotate(values.begin(), values.end() - 1, values.end());
  } else {  // two rows change places
    const std::size_t rows = n / row, a = draws.below(rows), b = draws.below(rows);
    std::swap_ranges(values.begin() + static_cast<std::ptrdiff_t>(a * row),
                     values.begin() + static_cast<std::ptrdiff_t>((a + 1) * row),
                     values.begin() + static_cast<std::ptrdiff_t>(b * row));
  }
}

// Elements [first, first + count) each take the value of another element.
template <class Bits>
void exchange_values(std::vector<Bits>& values, std::size_t first, std::size_t count,
                     Draws& draws) {
  const std::vector<Bits> old = values;
  if (old.size() == 1) {
    values[0] ^= 1;  // the ring's head: its capacity is a power of two
    return;
  }
  for (std::size_t i = first; i < first + count; ++i) {
    std::vector<Bits> others;
    std::copy_if(old.begin(), old.end(), std::back_inserter(others),
                 [&](Bits v) { return v != old[i]; });
    if (!others.empty()) values[i] = others[draws.below(others.size())];
  }
}

template <class Bits>
void alter_indices(std::vector<Bits>& values, const Injection& injection, Draws& draws) {
  const std::size_t n = values.size();
  const bool many = injection.kind == InjectionKind::tile ||
                    injection.kind == InjectionKind::tail ||
                    injection.kind == InjectionKind::reorder;
  const std::size_t count = many ? std::min(n, kTail) : 1;
  const std::size_t first =
      injection.kind == InjectionKind::tail ? n - count : draws.below(n - count + 1);
  exchange_values(values, first, count, draws);
}

void alter_floats(std::vector<std::uint32_t>& v, std::size_t row, const Injection& injection,
                  Draws& draws) {
  const std::size_t n = v.size(), at = draws.below(n);
  switch (injection.kind) {
    case InjectionKind::bit:
      v[at] ^= 1u << draws.below(32);
      break;
    case InjectionKind::ulp:
      v[at] += static_cast<std::uint32_t>(injection.magnitude);
      break;
    case InjectionKind::reorder:
      // Adding and taking away a number of its own size rounds the element as another partial sum
      // would have.
      for (std::uint32_t& bits : v) {
        const float x = as_float(bits), y = x * (1.0f + 3.0f * math::uniform(draws.word()));
        volatile float sum = x + y;
        bits = as_bits(sum - y);
      }
      break;
    case InjectionKind::drop:
      v[at] = as_bits(as_float(v[at]) - as_float(v[draws.below(n)]) / static_cast<float>(row + 1));
      break;
    case InjectionKind::tile:
      for (std::size_t i = at / kTile * kTile; i < std::min(n, at / kTile * kTile + kTile); ++i) {
        v[i] = garbage(v[i], draws);
      }
      break;
    case InjectionKind::nan:
      v[at] = 0x7fc00000u | (draws.word() & 0x3fffffu);
      break;
    case InjectionKind::zero_sign:
      for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t& bits = v[(at + i) % n];
        if ((bits & 0x7fffffffu) != 0) continue;
        bits ^= 0x80000000u;
        break;
      }
      break;
    case InjectionKind::tail:
      for (std::size_t i = n - std::min(n, kTail); i < n; ++i) v[i] = garbage(v[i], draws);
      break;
    case InjectionKind::stale:
    case InjectionKind::shift:
    case InjectionKind::permute:
      break;
  }
}

constexpr std::pair<std::string_view, InjectionKind> kKinds[] = {
    {"bit", InjectionKind::bit},         {"ulp", InjectionKind::ulp},
    {"reorder", InjectionKind::reorder}, {"drop", InjectionKind::drop},
    {"stale", InjectionKind::stale},     {"shift", InjectionKind::shift},
    {"permute", InjectionKind::permute}, {"tile", InjectionKind::tile},
    {"nan", InjectionKind::nan},         {"zero_sign", InjectionKind::zero_sign},
    {"tail", InjectionKind::tail}};

InjectionKind kind_named(std::string_view text) {
  for (const auto& [known, kind] : kKinds) {
    if (known == text) return kind;
  }
  throw Error(Errc::bad_argument, "injection: no kind '{}'; known: {}", text,
              fmt::join(injection_kinds(), ", "));
}

template <class Number>
Number number(std::string_view key, std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(Errc::bad_argument, "injection: {} must be a number, not '{}'", key, text);
  }
  return value;
}

// A staged record begins with its slot and action, as floats, which the flush and later kernels
// look up.
void keep_slots(const std::vector<std::byte>& old, std::vector<std::byte>& bytes,
                std::size_t record) {
  for (std::size_t at = 0; at + record <= bytes.size(); at += record) {
    std::copy_n(&old[at], 2 * sizeof(float), &bytes[at]);
  }
}

int maker_index(const Profile& profile, std::string_view kernel) {
  for (std::size_t m = 0; m < profile.makers.size(); ++m) {
    if (profile.makers[m].name == kernel) return static_cast<int>(m);
  }
  return -1;
}

std::vector<int> outputs_of(const Profile& profile, std::string_view kernel) {
  std::vector<int> outputs;
  const int maker = maker_index(profile, kernel);
  for (const Launch& launch : profile.launches) {
    if (launch.maker == maker) {
      outputs.insert(outputs.end(), launch.outputs.begin(), launch.outputs.end());
    }
  }
  return outputs;
}

}  // namespace

const std::vector<std::string>& injection_kinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& kind : kKinds) all.emplace_back(kind.first);
    return all;
  }();
  return names;
}

std::string_view name(InjectionKind kind) {
  for (const auto& [known, value] : kKinds) {
    if (value == kind) return known;
  }
  return "";
}

std::string Injection::text() const {
  return fmt::format("{}={},step={},update={},kind={},magnitude={},seed={}",
                     buffer.empty() ? "kernel" : "buffer", buffer.empty() ? kernel : buffer, step,
                     update, name(kind), magnitude, seed);
}

Injection Injection::parse(std::string_view text, const Profile& profile) {
  Injection injection;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    if (key == "buffer") {
      injection.buffer = value;
    } else if (key == "kernel") {
      injection.kernel = value;
    } else if (key == "step") {
      injection.step = number<std::uint64_t>(key, value);
    } else if (key == "update") {
      injection.update = number<int>(key, value);
    } else if (key == "kind") {
      injection.kind = kind_named(value);
    } else if (key == "magnitude") {
      injection.magnitude = number<int>(key, value);
    } else if (key == "seed") {
      injection.seed = number<std::uint64_t>(key, value);
    } else {
      throw Error(Errc::bad_argument,
                  "injection: '{}' is none of buffer=, kernel=, step=, update=, kind=, magnitude=, "
                  "seed=",
                  item);
    }
  }
  if (injection.buffer.empty() == injection.kernel.empty()) {
    throw Error(Errc::bad_argument, "injection: give either buffer= or kernel=");
  }
  if (!injection.buffer.empty()) {
    const int buffer = profile.find(injection.buffer);
    if (buffer < 0 || profile.buffers[static_cast<std::size_t>(buffer)].launch < 0) {
      throw Error(Errc::bad_argument, "injection: no launch makes a buffer '{}'", injection.buffer);
    }
  } else if (outputs_of(profile, injection.kernel).empty()) {
    throw Error(Errc::bad_argument, "injection: no kernel '{}'", injection.kernel);
  }
  return injection;
}

void alter(std::vector<std::byte>& bytes, DType dtype, std::size_t row,
           const std::vector<std::byte>& before, const Injection& injection) {
  if (bytes.empty()) return;
  if (injection.kind == InjectionKind::stale) {
    if (before.size() == bytes.size()) bytes = before;
    return;
  }
  Draws draws(injection.seed);
  const auto change = [&](auto values, auto alter_values) {
    if (injection.kind == InjectionKind::shift || injection.kind == InjectionKind::permute) {
      alter_places(values, std::max<std::size_t>(row, 1), injection.kind, draws);
    } else {
      alter_values(values);
    }
    to_bytes(values, bytes);
  };
  const auto indices = [&](auto& values) { alter_indices(values, injection, draws); };
  if (dtype == DType::f32) {
    change(to_elements<std::uint32_t>(bytes),
           [&](auto& values) { alter_floats(values, row, injection, draws); });
  } else if (dtype_size(dtype) == 8) {
    change(to_elements<std::uint64_t>(bytes), indices);
  } else {
    change(to_elements<std::uint32_t>(bytes), indices);
  }
}

Injector::Injector(Injection injection, const Profile& profile, int k_loop)
    : injection_(std::move(injection)), profile_(profile) {
  if (injection_.buffer.empty()) {
    const std::vector<int> outputs = outputs_of(profile, injection_.kernel);
    Draws draws(injection_.seed + 1);
    buffer_ = outputs.at(draws.below(outputs.size()));
  } else {
    buffer_ = profile.find(injection_.buffer);
  }
  const ProfileBuffer& buffer = profile.buffers.at(static_cast<std::size_t>(buffer_));
  launch_ = buffer.launch;
  at_ = buffer.cadence == Cadence::step ? injection_.step
                                        : injection_.step * static_cast<std::uint64_t>(k_loop) +
                                              static_cast<std::uint64_t>(injection_.update);
}

std::string Injector::maker() const {
  const Launch& launch = profile_.launches[static_cast<std::size_t>(launch_)];
  return profile_.makers[static_cast<std::size_t>(launch.maker)].name;
}

void Injector::after(const TrainerLaunch& launch) {
  if (launch.index != launch_ || changed_) return;
  const std::uint64_t occurrence = seen_++;
  const bool now = occurrence == at_;
  if (!now && (injection_.kind != InjectionKind::stale || occurrence + 1 != at_)) return;
  const TrainerBuffers::Place& place = launch.buffers.place(buffer_);
  std::vector<std::byte> bytes(place.bytes);
  if (place.on_host) {
    std::memcpy(bytes.data(), place.data, bytes.size());
  } else {
    check_cuda(cudaStreamSynchronize(launch.stream), "injecting");
    check_cuda(cudaMemcpy(bytes.data(), place.data, bytes.size(), cudaMemcpyDeviceToHost),
               "injecting");
  }
  if (!now) {
    before_ = std::move(bytes);
    return;
  }
  const ProfileBuffer& buffer = profile_.buffers[static_cast<std::size_t>(buffer_)];
  const Shape shape = buffer.bound_shape().value();
  const std::size_t elements = bytes.size() / dtype_size(buffer.dtype);
  const std::size_t row = shape.empty() || shape.front() == 0 ? 1 : elements / shape.front();
  const std::vector<std::byte> old = bytes;
  alter(bytes, buffer.dtype, row, before_, injection_);
  if (buffer.name == "push_staging") keep_slots(old, bytes, row * sizeof(float));
  changed_ = bytes != old;
  if (!*changed_) return;
  if (place.on_host) {
    std::memcpy(place.data, bytes.data(), bytes.size());
  } else {
    check_cuda(cudaMemcpy(place.data, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
               "injecting");
  }
}

}  // namespace foxhunt
