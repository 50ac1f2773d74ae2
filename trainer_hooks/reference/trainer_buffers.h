// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/profile.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// Throws Error device if `error` is one, saying what was being done.
void check_cuda(cudaError_t error, const char* what);

// Memory for all of a trainer's buffers, by the profile's names. Those that the host makes are in
// host memory, all others in device memory. Fresh memory holds whatever it holds.
//
// Some names are parts of others: a gradient (group l) of the array `grads`, which is as long as
// `params` and in the same order; outcome_w and outcome_b of `params`; replay_priority_max is the
// element behind replay_priorities; grad_clip_scale the one behind grad_global_norm; a carried-in
// capture is the buffer that it captures.
class TrainerBuffers {
 public:
  // Every extent of `profile` is a number; it must outlive this.
  explicit TrainerBuffers(const Profile& profile);
  ~TrainerBuffers();
  TrainerBuffers(const TrainerBuffers&) = delete;
  TrainerBuffers& operator=(const TrainerBuffers&) = delete;

  struct Place {
    void* data = nullptr;
    std::size_t bytes = 0;
    bool on_host = false;
  };
  const Profile& profile() const { return profile_; }
  const Place& place(int buffer) const { return places_[static_cast<std::size_t>(buffer)]; }
  // An unknown name is a bug of the caller's and ends the program.
  const Place& place(std::string_view name) const;

  float* f32(std::string_view name) const { return static_cast<float*>(place(name).data); }
  int* i32(std::string_view name) const { return static_cast<int*>(place(name).data); }
  int size(std::string_view name) const {  // in elements of four bytes
    return static_cast<int>(place(name).bytes / sizeof(float));
  }

  // A parameter "pi_w" within `params`, within the target network, and its gradient.
  const float* parameter(std::string_view name) const;
  const float* target_parameter(std::string_view name) const;
  float* gradient(std::string_view name) const;
  float* grads() const { return grads_; }

  // Device memory that the profile does not know: what belongs to one kernel alone. Made when first
  // asked for.
  float* scratch(const std::string& name, std::size_t elements);
  int* int_scratch(const std::string& name, std::size_t elements) {
    return reinterpret_cast<int*>(scratch(name, elements));
  }

 private:
  std::size_t offset(std::string_view parameter) const;
  void* allocate(std::size_t bytes);
  Place slice(void* base, std::size_t offset_elements, std::size_t bytes) const;

  const Profile& profile_;
  std::vector<Place> places_;
  std::map<std::string, std::size_t, std::less<>> offsets_;  // of parameters, in elements
  float* grads_ = nullptr;
  std::map<std::string, std::pair<float*, std::size_t>> scratch_;
  std::vector<void*> device_;
  std::vector<std::vector<std::byte>> host_;
};

}  // namespace foxhunt
