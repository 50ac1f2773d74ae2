// SPDX-License-Identifier: MIT
// compare-backward-state as a whole process against `diff -rq`, `cmp` and a memcmp of the same
// bytes in memory, warm cache.
//
//   compare_bench <compare-backward-state> [--quick]
//
// Works in a fresh directory beside the current one's files (the disk's file system matters: start
// it on ext4), about 4 GB of disk and 2 GB of memory; with --quick, a thousandth of it.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "dump/format/error.h"
#include "tests/bench/child.h"
#include "tests/bench/compare_bench_runs.h"
#include "tests/bench/row.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace foxhunt;
using namespace foxhunt::bench;
namespace fs = std::filesystem;

struct Sizes {
  std::size_t gigabyte = 1'000'000'000;
  std::uint64_t digest_steps = 1000;
  std::size_t digest_records = 1000;
  int repetitions = 9, starts = 200;
};

class CompareBench {
 public:
  CompareBench(std::string program, fs::path work, Sizes sizes)
      : program_(std::move(program)), work_(std::move(work)), sizes_(sizes) {}

  void run() {
    equal_gigabyte();
    small_files();
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) different(dtype);
    digests();
    print({"compare: memory at the most, all of these", double(max_rss_kib_) / 1024, "MiB", 64.0,
           32.0, true});
  }

 private:
  // One comparison in seconds.
  double compare(const RunPair& pair, int expected) {
    const ChildResult result = run_child({program_, pair.a, pair.b}, expected);
    max_rss_kib_ = std::max(max_rss_kib_, result.max_rss_kib);
    return result.seconds;
  }

  double diff(const RunPair& pair) {
    // Manifests differ: each run has an id of its own. 1 is what diff has to say then.
    return run_child({"diff", "-rq", pair.a, pair.b}, 1).seconds;
  }

  double cmp(const RunPair& pair) {
    double seconds = 0;
    for (const std::string& name : pair.dumps) {
      seconds += run_child({"cmp", pair.a / name, pair.b / name}, 0).seconds;
    }
    return seconds;
  }

  void equal_gigabyte() {
    constexpr std::size_t kFiles = 16;
    const RunPair pair =
        make_equal_pair(fresh("equal"), 1, kFiles, sizes_.gigabyte / kFiles / 8 * 8);
    const std::string a = contents(pair.a, pair), b = contents(pair.b, pair);
    settle(pair);
    std::vector<double> per_diff, per_cmp, per_memory, speed;
    for (int i = 0; i < sizes_.repetitions; ++i) {
      const double ours = compare(pair, 0);
      per_diff.push_back(diff(pair) / ours);
      per_cmp.push_back(cmp(pair) / ours);
      per_memory.push_back(memcmp_two_threads(a, b) / ours);
      speed.push_back(2e-9 * double(pair.bytes) / ours);
    }
    print(
        {"compare: equal runs, 1 GB: times as fast as diff -rq", median(per_diff), "x", 3.5, 4.0});
    print({"compare: equal runs, 1 GB: of a two-thread memcmp in memory", median(per_memory), "x",
           0.7, 0.9});
    print({"compare: equal runs, 1 GB: times as fast as cmp a file", median(per_cmp), "x", {}, {}});
    print({"compare: equal runs, 1 GB: both sides", median(speed), "GB/s", {}, {}});
    remove(pair);
  }

  void small_files() {
    const RunPair pair = make_equal_pair(fresh("small"), 4, 31, 16384);
    settle(pair);
    std::vector<double> ours, per_diff, per_cmp;
    for (int i = 0; i < sizes_.starts; ++i) {
      ours.push_back(compare(pair, 0));
      per_diff.push_back(diff(pair) / ours.back());
      if (i < sizes_.repetitions) per_cmp.push_back(cmp(pair) / ours.back());
    }
    print({"compare: start to exit on a four-step run of 124 files", 1e3 * median(ours), "ms", 10.0,
           4.0, true});
    print({"compare: 124 small files: times as fast as diff -rq", median(per_diff), "x", {}, {}});
    print({"compare: 124 small files: times as fast as cmp a file", median(per_cmp), "x", {}, {}});
    remove(pair);
  }

  void different(DType dtype) {
    const RunPair pair = make_different_pair(fresh("different"), dtype, sizes_.gigabyte);
    settle(pair);
    std::vector<double> speed;
    for (int i = 0; i < sizes_.repetitions; ++i) {
      speed.push_back(2e-9 * double(pair.bytes) / compare(pair, 1));
    }
    print({fmt::format("compare: every element different, {}: both sides", dtype_name(dtype)),
           median(speed), "GB/s", 5.0, 10.0});
    remove(pair);
  }

  void digests() {
    const RunPair pair =
        make_digest_pair(fresh("digests"), sizes_.digest_steps, sizes_.digest_records);
    settle(pair);
    const double records = double(sizes_.digest_steps) * double(sizes_.digest_records);
    std::vector<double> rate;
    for (int i = 0; i < sizes_.repetitions; ++i) {
      rate.push_back(1e-6 * records / compare(pair, 0));
    }
    print({fmt::format("compare: digest-only runs of {:.0f} records", records), median(rate),
           "million pairs/s", 1.0, 5.0});
    remove(pair);
  }

  fs::path fresh(std::string_view name) { return work_ / name; }

  // Everything written out, so that no write-back disturbs, and read once.
  void settle(const RunPair& pair) {
    sync();
    static_cast<void>(run_child({program_, pair.a, pair.b}));
  }

  static void remove(const RunPair& pair) { fs::remove_all(pair.a.parent_path()); }

  static std::string contents(const fs::path& run, const RunPair& pair) {
    std::string bytes;
    bytes.reserve(pair.bytes);
    for (const std::string& name : pair.dumps) bytes += test::read_file(run / name);
    return bytes;
  }

  static double memcmp_two_threads(std::string_view a, std::string_view b) {
    const std::size_t half = a.size() / 2;
    const auto start = std::chrono::steady_clock::now();
    int left = 1, right = 1;
    std::thread other(
        [&] { right = std::memcmp(a.data() + half, b.data() + half, a.size() - half); });
    left = std::memcmp(a.data(), b.data(), half);
    other.join();
    FOXHUNT_ASSERT(left == 0 && right == 0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::string program_;
  fs::path work_;
  Sizes sizes_;
  long max_rss_kib_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc == 3 && std::string_view(argv[2]) == "--quick";
  if (argc != 2 && !quick) {
    std::fputs("usage: compare_bench <compare-backward-state> [--quick]\n", stderr);
    return 2;
  }
  Sizes sizes;
  if (quick) sizes = {1'000'000, 10, 100, 1, 2};
  std::string work = "compare-bench-XXXXXX";
  if (mkdtemp(work.data()) == nullptr) {
    std::perror("compare_bench: mkdtemp");
    return 2;
  }
  int status = 0;
  try {
    CompareBench(argv[1], fs::absolute(work), sizes).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compare_bench: %s\n", error.what());
    status = 2;
  }
  fs::remove_all(work);
  return status;
}
