// SPDX-License-Identifier: MIT
#include "compare/inspect/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/inspect/show.h"
#include "dump/format/error.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using test::bytes_of;
using test::RunFixture;
using test::TemporaryDirectory;
using testing::HasSubstr;

TEST(NpyHeader, IsAlignedAndEndsInANewline) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape(kMaxRank, ~std::uint64_t{0})}) {
    for (const DType dtype : kAllDTypes) {
      const std::string header = npy_header(dtype, shape);
      EXPECT_EQ(header.size() % 64, 0u);
      EXPECT_EQ(header.back(), '\n');
      EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
      const std::size_t length =
          static_cast<unsigned char>(header[8]) + 256u * static_cast<unsigned char>(header[9]);
      EXPECT_EQ(length + 10, header.size());
    }
  }
}

TEST(NpyHeader, WritesShapesAsPythonDoes) {
  EXPECT_THAT(npy_header(DType::f32, {}), HasSubstr("'shape': ()"));
  EXPECT_THAT(npy_header(DType::f32, {3}), HasSubstr("'shape': (3,)"));
  EXPECT_THAT(npy_header(DType::f32, {2, 0, 5}), HasSubstr("'shape': (2, 0, 5)"));
}

class OneBuffer : public testing::Test {
 protected:
  OneBuffer() : run_(directory_ / "run", RunFixture::Kind::full) {
    std::vector<float> values;
    for (int i = 0; i < 40'000; ++i) values.push_back(static_cast<float>(i));
    run_.step(1, {{"x", 'g', bytes_of(values), DType::f32, Shape{4000, 10}}});
    run_.finish();
  }
  FoundBuffer find(const BufferAddress& address = {1, "x", 0, std::nullopt}) {
    return find_buffer(run_.path(), {}, address);
  }
  std::string show(std::uint64_t limit) {
    std::string text;
    show_buffer(find(), limit, [&](std::string_view piece) { text += piece; });
    return text;
  }

  TemporaryDirectory directory_;
  RunFixture run_;
};

TEST_F(OneBuffer, IsShownEightToALineWithinItsRows) {
  EXPECT_THAT(show(12), HasSubstr("\n[0,0] 0 1 2 3 4 5 6 7\n[0,8] 8 9\n[1,0] 10 11\n..."));
}

TEST_F(OneBuffer, IsShownWholeAcrossBlocks) {
  const std::string text = show(0);
  EXPECT_THAT(text, HasSubstr("[1638,0] 16380 16381 16382 16383 16384 16385 16386 16387\n"));
  EXPECT_THAT(text, HasSubstr("[3999,8] 39998 39999\n"));
}

TEST_F(OneBuffer, SaysWhatThereIsInstead) {
  const auto message = [this](const BufferAddress& address) -> std::string {
    try {
      find(address);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({1, "y", 0, std::nullopt}), HasSubstr("that step has x"));
  EXPECT_THAT(message({2, "x", 0, std::nullopt}), HasSubstr("x is in step 1"));
  EXPECT_THAT(message({1, "x", 3, std::nullopt}), HasSubstr("occurrence 0"));
}

TEST_F(OneBuffer, IsNotExportedWhenDamaged) {
  const std::filesystem::path payload = run_.path() / "step_1_g_x.bin";
  std::string bytes = test::read_file(payload);
  bytes[70'000] ^= 1;
  test::write_file(payload, bytes);
  EXPECT_THROW(export_npy(find(), directory_ / "x.npy", false), Error);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "x.npy"));
}

}  // namespace
}  // namespace foxhunt
