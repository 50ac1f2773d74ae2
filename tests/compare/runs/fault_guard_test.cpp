// SPDX-License-Identifier: MIT
#include "compare/runs/fault_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

// A mapping of a file that is then cut to nothing.
class CutMapping {
 public:
  CutMapping() {
    test::write_file(dir_ / "x", std::string(kBytes, 'x'));
    const int fd = ::open((dir_ / "x").c_str(), O_RDWR);
    bytes_ = static_cast<volatile char*>(::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd, 0));
    EXPECT_EQ(::ftruncate(fd, 0), 0);
    ::close(fd);
  }
  ~CutMapping() { ::munmap(const_cast<char*>(bytes_), kBytes); }
  void touch() const { static_cast<void>(bytes_[100]); }

 private:
  static constexpr std::size_t kBytes = 8192;
  test::TemporaryDirectory dir_;
  volatile char* bytes_;
};

TEST(FaultGuard, TurnsAFaultIntoFalse) {
  const CutMapping cut;
  const FaultGuard guard;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(guarded([&] { cut.touch(); }));
    EXPECT_TRUE(guarded([] {}));
  }
}

TEST(FaultGuard, WorksOnEveryThread) {
  const CutMapping cut;
  const FaultGuard guard;
  bool fine = true;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) fine &= !guarded([&] { cut.touch(); });
  });
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(guarded([&] { cut.touch(); }));
  other.join();
  EXPECT_TRUE(fine);
}

TEST(FaultGuardDeathTest, LeavesOtherFaultsAlone) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        const CutMapping cut;
        const FaultGuard guard;
        static_cast<void>(guarded([] {}));
        cut.touch();
      },
      "");
}

}  // namespace
}  // namespace foxhunt
