// SPDX-License-Identifier: MIT
#include "dump/capture/posix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

struct Pipe {
  int ends[2];
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
};

std::string blocked_signals() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::string text;
  for (int signal = 1; signal < 65; ++signal) text += sigismember(&mask, signal) == 1 ? '1' : '0';
  return text;
}

TEST(WriteAll, GoesOnAfterShortWritesAndInterruptions) {
  struct sigaction interrupting = {}, before = {};
  interrupting.sa_handler = [](int) {};  // and no SA_RESTART
  sigaction(SIGALRM, &interrupting, &before);
  const itimerval every_millisecond{{0, 1000}, {0, 1000}}, never{};

  Pipe pipe;
  std::string sent(1 << 20, '\0'), received;
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7);
  std::thread reader([&] {
    const AllSignalsBlocked blocked;
    std::string block(10'000, '\0');
    while (received.size() < sent.size()) {
      usleep(100);
      received.append(block.data(),
                      static_cast<std::size_t>(::read(pipe.ends[0], block.data(), block.size())));
    }
  });
  setitimer(ITIMER_REAL, &every_millisecond, nullptr);
  write_all(pipe.ends[1], sent, "pipe");
  setitimer(ITIMER_REAL, &never, nullptr);
  reader.join();
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(sent == received);
}

TEST(WriteAll, SaysWhichFileWasRefusedAndWhy) {
  try {
    write_all(-1, "x", "the-file");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::io);
    EXPECT_THAT(e.what(), testing::HasSubstr("the-file: cannot be written: Bad file descriptor"));
  }
}

TEST(WriteSignalGuard, TurnsTheSignalOfAClosedPipeIntoAnError) {
  Pipe pipe;
  close(pipe.ends[0]);
  const std::string before = blocked_signals();
  {
    const WriteSignalGuard guard;
    EXPECT_THROW(write_all(pipe.ends[1], "x", "pipe"), Error);
  }
  EXPECT_EQ(blocked_signals(), before);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  pipe.ends[0] = -1;
}

TEST(AllSignalsBlocked, LeavesFaultsAloneAndPutsTheMaskBack) {
  const std::string before = blocked_signals();
  {
    const AllSignalsBlocked blocked;
    EXPECT_EQ(blocked_signals()[SIGINT - 1], '1');
    EXPECT_EQ(blocked_signals()[SIGSEGV - 1], '0');
  }
  EXPECT_EQ(blocked_signals(), before);
}

}  // namespace
}  // namespace foxhunt
