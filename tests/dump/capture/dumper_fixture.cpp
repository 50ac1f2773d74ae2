// SPDX-License-Identifier: MIT
#include "tests/dump/capture/dumper_fixture.h"

namespace foxhunt::test {

DumperTest::DumperTest() {
  environment_.clear();
  set("DEBUG_BACKWARD", "1");
  set("DIR", path());
}

Profile DumperTest::profile() {
  ProfileBuilder p("test-trainer");
  p.group('g', "samples").group('h', "heads");
  p.buffer("x", 'g', DType::f32, {"B", 4}).buffer("tokens", 'g', DType::i32, {6});
  p.buffer("y", 'h', DType::f32, {3}).buffer("z", 'i', DType::bf16, {2, "N"});
  p.buffer("params_in", 'm', DType::f32, {5}).carries("params");
  p.buffer("params", 'm', DType::f32, {5}).once_per_step();
  p.launch("head").reads("x").reads("params", 1).makes("y");
  p.launch("update").reads("y").reads("params", 1).makes("params");
  return p.build();
}

void DumperTest::set(const std::string& name, const std::string& value) {
  environment_.set("FOXHUNT_DETERMINISM_" + name, value);
}

Dumper DumperTest::open(DumperOptions options) {
  options.message = [this](std::string_view text) {
    const std::lock_guard lock(mutex_);
    messages_.emplace_back(text);
  };
  return Dumper::from_environment(profile, std::move(options));
}

std::vector<std::string> DumperTest::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

std::string DumperTest::trouble() const {
  std::string text;
  for (const std::string& message : messages()) {
    if (!message.starts_with("foxhunt: dumping ")) text += message;
  }
  return text;
}

void note(StepScope& step, const std::string& name, std::uint64_t bytes, char fill) {
  const std::vector<char> data(bytes, fill);
  step.note_host(name, data.data(), bytes);
}

}  // namespace foxhunt::test
