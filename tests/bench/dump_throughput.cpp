// SPDX-License-Identifier: MIT
// What an armed dumper costs a trainer whose buffers are in host memory: full dumps against plain
// writes of the same bytes to fresh files of the same disk, turn by turn, and digest-only dumps.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "dump/capture/dumper.h"
#include "dump/format/error.h"
#include "tests/bench/row.h"

namespace foxhunt::bench {
namespace {

constexpr std::uint64_t kSteps = 4;

// The buffers of one step.
struct Buffers {
  std::vector<std::vector<std::uint64_t>> data;
  std::uint64_t bytes_each = 0;

  Buffers(std::size_t count, std::uint64_t bytes) : bytes_each(bytes) {
    std::uint64_t x = 1;
    for (std::size_t i = 0; i < count; ++i) {
      auto& buffer = data.emplace_back(bytes / 8);
      for (auto& word : buffer) word = x = x * 6364136223846793005u + 1442695040888963407u;
    }
  }
  std::uint64_t bytes_in_all() const { return bytes_each * data.size() * kSteps; }
};

std::string name_of(std::size_t i) { return fmt::format("buffer_{}", i); }

Profile profile_of(const Buffers& buffers) {
  ProfileBuilder profile("throughput");
  for (std::size_t i = 0; i < buffers.data.size(); ++i) {
    profile.buffer(name_of(i), 'g', DType::u64, {ProfileBuilder::Dim(buffers.bytes_each / 8)});
  }
  return profile.build();
}

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void write_plainly(const std::filesystem::path& directory, const Buffers& buffers) {
  std::filesystem::create_directories(directory);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < buffers.data.size(); ++i) {
      const std::string path = directory / fmt::format("step_{}_g_{}.bin", step, name_of(i));
      const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      const char* bytes = reinterpret_cast<const char*>(buffers.data[i].data());
      std::uint64_t left = buffers.bytes_each;
      while (left > 0) {
        const ssize_t written = write(fd, bytes, left);
        if (written <= 0) throw Error(Errc::io, "{}: {}", path, errno_text(errno));
        bytes += written;
        left -= static_cast<std::uint64_t>(written);
      }
      close(fd);
    }
  }
}

void dump(const std::filesystem::path& directory, const char* mode, const Buffers& buffers) {
  setenv("FOXHUNT_DETERMINISM_DEBUG_BACKWARD", "1", 1);
  setenv("FOXHUNT_DETERMINISM_DIR", directory.c_str(), 1);
  setenv("FOXHUNT_DETERMINISM_MODE", mode, 1);
  DumperOptions options;
  options.message = [](std::string_view) {};
  Dumper dumper = Dumper::from_environment([&] { return profile_of(buffers); }, options);
  for (std::uint64_t n = 0; n < kSteps; ++n) {
    StepScope step = dumper.step(n);
    for (std::size_t i = 0; i < buffers.data.size(); ++i) {
      FOXHUNT_HOOK(step.note_host(name_of(i), buffers.data[i].data(), buffers.bytes_each));
    }
  }
  dumper.close();
  if (const auto trouble = dumper.trouble(); trouble || !dumper.armed()) {
    throw Error(Errc::io, "{}", trouble ? trouble->what() : "the dumper did not open");
  }
}

// A file system that is still busy with the last turn's pages would slow the next one down.
void settle() { sync(); }

void measure(const std::filesystem::path& work, const std::string& what, const Buffers& buffers,
             int turns) {
  std::vector<double> ratios, full, digest;
  for (int turn = 0; turn <= turns; ++turn) {
    const auto fresh = [&](const char* kind) {
      return work / fmt::format("{}-{}-{}", what.substr(0, what.find(' ')), kind, turn);
    };
    double plain_s = 0, full_s = 0;
    const auto plain_turn = [&] {
      settle();
      plain_s = seconds([&] { write_plainly(fresh("plain"), buffers); });
    };
    const auto full_turn = [&] {
      settle();
      full_s = seconds([&] { dump(fresh("full"), "full", buffers); });
    };
    turn % 2 == 0 ? (plain_turn(), full_turn()) : (full_turn(), plain_turn());
    settle();
    const double digest_s = seconds([&] { dump(fresh("digest"), "digest", buffers); });
    if (turn == 0) continue;  // warms up
    const double gigabytes = static_cast<double>(buffers.bytes_in_all()) * 1e-9;
    ratios.push_back(plain_s / full_s);
    full.push_back(gigabytes / full_s);
    digest.push_back(gigabytes / digest_s);
  }
  print({fmt::format("dumper, full, {}: speed against plain write", what), median(ratios), "x", 0.8,
         0.95, false});
  print({fmt::format("dumper, full, {}", what), median(full), "GB/s", {}, {}, false});
  print({fmt::format("dumper, digest, {}", what), median(digest), "GB/s", {}, {}, false});
}

int run(bool quick) {
  const std::filesystem::path work =
      std::filesystem::absolute(fmt::format("dump_throughput-{}", getpid()));
  std::filesystem::create_directories(work);
  const std::uint64_t large = quick ? 1 << 20 : 16 << 20;
  measure(work, "large buffers (16 MiB)", Buffers(16, large), quick ? 1 : 5);
  measure(work, "small buffers (64 KiB)", Buffers(quick ? 4 : 124, 64 << 10), quick ? 1 : 21);
  std::filesystem::remove_all(work);
  return 0;
}

}  // namespace
}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  try {
    return foxhunt::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
  } catch (const std::exception& e) {
    fmt::print(stderr, "dump_throughput: {}\n", e.what());
    return 2;
  }
}
