// SPDX-License-Identifier: MIT
// The graph that the profile declares is the one that the trainer computes: no launch reads what is
// not declared as its input, and every declared input makes a difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "dump/format/error.h"
#include "tests/trainer_hooks/reference/tiny_trainer.h"

namespace foxhunt::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr int kSteps = 2, kLoop = 2;

Bytes read(const TrainerBuffers::Place& place) {
  Bytes bytes(place.bytes);
  check_cuda(cudaMemcpy(bytes.data(), place.data, bytes.size(),
                        place.on_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost),
             "reading a buffer");
  return bytes;
}

void write(const TrainerBuffers::Place& place, const Bytes& bytes) {
  check_cuda(cudaMemcpy(place.data, bytes.data(), bytes.size(),
                        place.on_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice),
             "writing a buffer");
}

std::string name_of(const Profile& profile, int launch) {
  const Launch& l = profile.launches[static_cast<std::size_t>(launch)];
  return profile.makers[static_cast<std::size_t>(l.maker)].name + " " + l.site;
}

const std::string& buffer_name(const Profile& profile, int buffer) {
  return profile.buffers[static_cast<std::size_t>(buffer)].name;
}

// A buffer that the host makes, and its copy on the device, which kernels read.
std::vector<TrainerBuffers::Place> places_of(TrainerBuffers& buffers, int buffer) {
  std::vector<TrainerBuffers::Place> places = {buffers.place(buffer)};
  const std::string& name = buffer_name(buffers.profile(), buffer);
  for (const char* copied : {"rng_counters", "act_window", "act_reward", "act_done"}) {
    if (name != copied) continue;
    const std::size_t bytes = places[0].bytes;
    places.push_back({buffers.scratch("device " + name, bytes / sizeof(float)), bytes, false});
  }
  return places;
}

// What each launch leaves, one after the other.
class Recorder : public LaunchListener {
 public:
  void after(const TrainerLaunch& launch) override {
    check_cuda(cudaDeviceSynchronize(), "recording");
    std::vector<Bytes> outputs;
    for (const int output : launches(launch)[static_cast<std::size_t>(launch.index)].outputs) {
      outputs.push_back(read(launch.buffers.place(output)));
    }
    made.push_back({launch.index, std::move(outputs)});
  }

  struct Made {
    int launch;
    std::vector<Bytes> outputs;
  };
  std::vector<Made> made;

 protected:
  static const std::vector<Launch>& launches(const TrainerLaunch& launch) {
    return launch.buffers.profile().launches;
  }
};

// Overwrites all that the launch does not declare as an input with ones, and puts it back.
class Poisoner : public Recorder {
 public:
  void before(const TrainerLaunch& launch) override {
    check_cuda(cudaDeviceSynchronize(), "poisoning");
    TrainerBuffers& b = launch.buffers;
    const Launch& declared = launches(launch)[static_cast<std::size_t>(launch.index)];
    std::vector<TrainerBuffers::Place> kept;
    for (const Input& input : declared.inputs) {
      for (const auto& place : places_of(b, input.buffer)) kept.push_back(place);
    }
    for (std::size_t i = 0; i < b.profile().buffers.size(); ++i) {
      const ProfileBuffer& buffer = b.profile().buffers[i];
      // Captures and views are other names for what is among the others.
      if (!buffer.carries.empty() || buffer.name == "outcome_w" || buffer.name == "outcome_b") {
        continue;
      }
      for (const auto& place : places_of(b, static_cast<int>(i))) {
        const Bytes old = read(place);
        saved_.emplace_back(place, old);
        Bytes poison(old.size(), std::byte{0xff});
        for (const auto& keep : kept) keep_overlap(place, keep, old, poison);
        write(place, poison);
      }
    }
  }

  void after(const TrainerLaunch& launch) override {
    Recorder::after(launch);
    std::set<const void*> made_here;
    for (const int output : launches(launch)[static_cast<std::size_t>(launch.index)].outputs) {
      made_here.insert(launch.buffers.place(output).data);
    }
    for (const auto& [place, old] : saved_) {
      if (!made_here.contains(place.data)) write(place, old);
    }
    saved_.clear();
  }

 private:
  static void keep_overlap(const TrainerBuffers::Place& place, const TrainerBuffers::Place& keep,
                           const Bytes& old, Bytes& poison) {
    const auto* const begin = static_cast<const std::byte*>(place.data);
    const auto* const from = static_cast<const std::byte*>(keep.data);
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (begin + i >= from && begin + i < from + keep.bytes) poison[i] = old[i];
    }
  }

  std::vector<std::pair<TrainerBuffers::Place, Bytes>> saved_;
};

const std::vector<Recorder::Made>& clean_run() {
  static const std::vector<Recorder::Made> made = [] {
    Recorder recorder;
    train(tiny_options(kLoop), kSteps, &recorder);
    return recorder.made;
  }();
  return made;
}

TEST(TrainerGraph, NoLaunchReadsWhatItDoesNotDeclare) {
  const Profile profile = trainer_profile(tiny_options().sizes);
  Poisoner poisoner;
  train(tiny_options(kLoop), kSteps, &poisoner);
  ASSERT_EQ(poisoner.made.size(), clean_run().size());
  for (std::size_t i = 0; i < poisoner.made.size(); ++i) {
    const auto& [launch, outputs] = poisoner.made[i];
    ASSERT_EQ(launch, clean_run()[i].launch);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const int buffer = profile.launches[static_cast<std::size_t>(launch)].outputs[o];
      ASSERT_TRUE(outputs[o] == clean_run()[i].outputs[o])
          << name_of(profile, launch) << " makes another " << buffer_name(profile, buffer)
          << " when what it does not declare is overwritten";
    }
  }
}

TEST(TrainerGraph, TheTrainerMakesEveryLaunchOfTheProfileInItsOrder) {
  const Profile profile = trainer_profile(tiny_options().sizes);
  std::vector<int> first, all;
  for (const auto& made : clean_run()) {
    if (first.size() == profile.launches.size()) break;
    first.push_back(made.launch);
  }
  for (int i = 0; i < static_cast<int>(profile.launches.size()); ++i) all.push_back(i);
  EXPECT_EQ(first, all);
}

// Another value of an input, which no kernel trips over: indices stay in range.
void change(const ProfileBuffer& buffer, Bytes& bytes) {
  const std::size_t n = bytes.size() / 4;
  for (std::size_t i = 0; i < n; ++i) {
    std::byte* const at = &bytes[4 * i];
    if (buffer.dtype == DType::f32) {
      // A staged record begins with its slot and its action.
      if (buffer.name == "push_staging" && i % (n / buffer.shape[0].size) < 2) continue;
      float value;
      std::memcpy(&value, at, sizeof value);
      value = 1.25f * value + 0.5f;
      std::memcpy(at, &value, sizeof value);
    } else if (buffer.name == "adam_state" && i > 0) {
      break;
    } else {
      std::uint32_t value;
      std::memcpy(&value, at, sizeof value);
      value = buffer.dtype == DType::u64 ? value + (i == 2) : (value + 1) % 3;
      std::memcpy(at, &value, sizeof value);
    }
  }
}

struct Enough {};

// Changes one declared input of one launch, at its `occurrence`, and compares what it leaves.
class Changer : public Recorder {
 public:
  Changer(int launch, int input, int occurrence)
      : launch_(launch), input_(input), occurrence_(occurrence) {}

  void before(const TrainerLaunch& launch) override {
    if (launch.index != launch_ || seen_ != occurrence_) return;
    check_cuda(cudaDeviceSynchronize(), "changing an input");
    for (const auto& place : places_of(launch.buffers, input_)) {
      Bytes bytes = read(place);
      change(launch.buffers.profile().buffers[static_cast<std::size_t>(input_)], bytes);
      write(place, bytes);
    }
  }
  void after(const TrainerLaunch& launch) override {
    if (launch.index != launch_) return;
    if (seen_++ < occurrence_) return;
    Recorder::after(launch);
    int skip = occurrence_;
    for (const auto& clean : clean_run()) {
      if (clean.launch != launch_ || skip-- > 0) continue;
      differs = clean.outputs != made.back().outputs;
      throw Enough{};
    }
  }

  bool differs = false;

 private:
  int launch_, input_, occurrence_;
  int seen_ = 0;
};

TEST(TrainerGraph, EveryDeclaredInputMakesADifference) {
  const Profile profile = trainer_profile(tiny_options().sizes);
  std::vector<std::string> unread;
  for (std::size_t l = 0; l < profile.launches.size(); ++l) {
    const Launch& launch = profile.launches[l];
    if (profile.makers[static_cast<std::size_t>(launch.maker)].kind == MakerKind::host) continue;
    const bool once_a_step =
        profile.buffers[static_cast<std::size_t>(launch.outputs[0])].cadence == Cadence::step;
    for (const Input& input : launch.inputs) {
      Changer changer(static_cast<int>(l), input.buffer, once_a_step ? 1 : kLoop);
      try {
        train(tiny_options(kLoop), kSteps, &changer);
      } catch (const Enough&) {
      }
      if (!changer.differs) {
        unread.push_back(name_of(profile, static_cast<int>(l)) + " <- " +
                         buffer_name(profile, input.buffer));
      }
    }
  }
  EXPECT_EQ(unread, std::vector<std::string>{});
}

}  // namespace
}  // namespace foxhunt::test
