// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/trainer_buffers.h"

#include <algorithm>

#include "dump/format/dtype.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr std::string_view kGradient = "grad_";

std::size_t bytes_of(const ProfileBuffer& buffer) {
  return element_count(buffer.bound_shape().value()).value() * dtype_size(buffer.dtype);
}

bool made_by_host(const Profile& profile, const ProfileBuffer& buffer) {
  if (buffer.launch < 0) return false;
  const Launch& launch = profile.launches[static_cast<std::size_t>(buffer.launch)];
  return profile.makers[static_cast<std::size_t>(launch.maker)].kind == MakerKind::host;
}

}  // namespace

void check_cuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw Error(Errc::device, "{}: {} ({})", what, cudaGetErrorString(error),
                cudaGetErrorName(error));
  }
}

TrainerBuffers::TrainerBuffers(const Profile& profile)
    : profile_(profile), places_(profile.buffers.size()) {
  std::size_t weights = 0;
  for (const ProfileBuffer& buffer : profile.buffers) {
    if (buffer.group != 'l') continue;
    offsets_[buffer.name.substr(kGradient.size())] = weights;
    weights += bytes_of(buffer) / sizeof(float);
  }
  grads_ = static_cast<float*>(allocate(weights * sizeof(float)));

  for (std::size_t b = 0; b < places_.size(); ++b) {
    const ProfileBuffer& buffer = profile.buffers[b];
    const std::size_t bytes = bytes_of(buffer);
    const bool part = buffer.name == "outcome_w" || buffer.name == "outcome_b" ||
                      buffer.name == "replay_priority_max" || buffer.name == "grad_clip_scale";
    if (!buffer.carries.empty() || part) continue;
    if (buffer.group == 'l') {
      places_[b] = slice(grads_, offset(buffer.name.substr(kGradient.size())), bytes);
    } else if (made_by_host(profile, buffer)) {
      host_.emplace_back(bytes);
      places_[b] = {host_.back().data(), bytes, true};
    } else {  // with room for the part behind it
      places_[b] = {allocate(bytes + sizeof(float)), bytes, false};
    }
  }
  const auto part_of = [&](std::string_view whole, std::string_view part, std::size_t at) {
    const int index = profile.find(part);
    FOXHUNT_ASSERT(index >= 0);
    const ProfileBuffer& buffer = profile.buffers[static_cast<std::size_t>(index)];
    places_[static_cast<std::size_t>(index)] = slice(place(whole).data, at, bytes_of(buffer));
  };
  part_of("params", "outcome_w", offset("outcome_w"));
  part_of("params", "outcome_b", offset("outcome_b"));
  part_of("replay_priorities", "replay_priority_max",
          place("replay_priorities").bytes / sizeof(float));
  part_of("grad_global_norm", "grad_clip_scale", 1);
  for (std::size_t b = 0; b < places_.size(); ++b) {
    const std::string& carries = profile.buffers[b].carries;
    if (!carries.empty()) places_[b] = place(carries);
  }
}

TrainerBuffers::~TrainerBuffers() {
  for (void* memory : device_) cudaFree(memory);
}

const TrainerBuffers::Place& TrainerBuffers::place(std::string_view name) const {
  const int buffer = profile_.find(name);
  FOXHUNT_ASSERT(buffer >= 0);
  return place(buffer);
}

const float* TrainerBuffers::parameter(std::string_view name) const {
  return f32("params") + offset(name);
}

const float* TrainerBuffers::target_parameter(std::string_view name) const {
  return f32("target_params") + offset(name);
}

float* TrainerBuffers::gradient(std::string_view name) const { return grads_ + offset(name); }

float* TrainerBuffers::scratch(const std::string& name, std::size_t elements) {
  auto& [data, size] = scratch_[name];
  if (data == nullptr) {
    size = elements;
    data = static_cast<float*>(allocate(elements * sizeof(float)));
  }
  FOXHUNT_ASSERT(size == elements);
  return data;
}

std::size_t TrainerBuffers::offset(std::string_view parameter) const {
  const auto found = offsets_.find(parameter);
  FOXHUNT_ASSERT(found != offsets_.end());
  return found->second;
}

void* TrainerBuffers::allocate(std::size_t bytes) {
  char* memory = nullptr;
  check_cuda(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "allocating device memory");
  device_.push_back(memory);
  return memory;
}

TrainerBuffers::Place TrainerBuffers::slice(void* base, std::size_t offset_elements,
                                            std::size_t bytes) const {
  return {static_cast<float*>(base) + offset_elements, bytes, false};
}

}  // namespace foxhunt
