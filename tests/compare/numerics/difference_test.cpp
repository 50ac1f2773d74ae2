// SPDX-License-Identifier: MIT
#include "compare/numerics/difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <ostream>
#include <vector>

#include "compare/numerics/difference_kernels.h"
#include "compare/numerics/measure_with.h"
#include "tests/compare/numerics/naive_difference.h"
#include "tests/support/test_seed.h"

namespace foxhunt {

static void PrintTo(DType dtype, std::ostream* out) { *out << dtype_name(dtype); }

static void PrintTo(const Difference::Sample& s, std::ostream* out) {
  *out << "{" << s.index << " " << std::hex << s.a_bits << " " << s.b_bits << std::dec << "}";
}

static void PrintTo(const Difference& d, std::ostream* out) {
  *out << "elements " << d.elements << " differing " << d.differing << " first " << d.first_index
       << " last " << d.last_index << " measured " << d.measured << " max_abs " << std::hexfloat
       << d.max_abs << std::defaultfloat << " integer " << d.max_abs_integer << " at "
       << d.max_abs_index << " ulp_measured " << d.ulp_measured << " max_ulp " << d.max_ulp
       << " histogram";
  for (const auto count : d.ulp_histogram) *out << " " << count;
  *out << " nan " << d.nan_payload_only << " zero " << d.sign_of_zero_only << " non_finite "
       << d.non_finite << " runs " << d.runs << " tiles " << d.tiles_touched << " full "
       << d.tiles_full << " zero " << d.a_all_zero << d.b_all_zero << " sums " << d.a_bit_sum << " "
       << d.b_bit_sum << " samples ";
  for (const auto& s : {d.sample_first, d.sample_max, d.sample_last}) PrintTo(s, out);
}

namespace {

using Bytes = std::vector<std::byte>;

// Both sides of a buffer, at odd addresses so that nothing may rely on alignment.
class Pair {
 public:
  Pair(DType dtype, std::uint64_t elements)
      : size_(dtype_size(dtype)), elements_(elements), a_(bytes() + 1), b_(bytes() + 3) {}

  std::uint64_t elements() const { return elements_; }
  std::span<std::byte> a() { return std::span(a_).subspan(1); }
  std::span<std::byte> b() { return std::span(b_).subspan(3); }
  void set_a(std::uint64_t index, std::uint64_t bits) { set(a(), index, bits); }
  void set_b(std::uint64_t index, std::uint64_t bits) { set(b(), index, bits); }

 private:
  std::size_t bytes() const { return elements_ * size_; }
  void set(std::span<std::byte> side, std::uint64_t index, std::uint64_t bits) {
    std::memcpy(side.data() + index * size_, &bits, size_);
  }

  std::size_t size_;
  std::uint64_t elements_;
  Bytes a_, b_;
};

// Bit patterns at every edge of the dtype: zeros, the smallest and largest of each class, NaNs of
// several payloads, extremes of integers.
std::vector<std::uint64_t> edges(DType dtype) {
  const unsigned bits = 8 * dtype_size(dtype);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  std::vector<std::uint64_t> magnitudes = {0, 1, 2, 5, 64, sign - 1, sign - 2, sign / 2};
  unsigned mantissa_bits = 0;
  switch (dtype) {
    case DType::f16:
      mantissa_bits = 10;
      break;
    case DType::bf16:
      mantissa_bits = 7;
      break;
    case DType::f32:
      mantissa_bits = 23;
      break;
    case DType::f64:
      mantissa_bits = 52;
      break;
    case DType::f8e4m3:
      mantissa_bits = 3;
      break;
    default:
      mantissa_bits = 2;
  }
  const std::uint64_t ulp = 1;
  const std::uint64_t infinity = (sign - 1) & ~((ulp << mantissa_bits) - 1);
  for (const std::uint64_t m :
       {infinity, infinity - 1, infinity + 1, infinity + 2, infinity | (ulp << (mantissa_bits - 1)),
        ulp << mantissa_bits, (ulp << mantissa_bits) - 1, (ulp << mantissa_bits) + 1}) {
    magnitudes.push_back(m);
  }
  std::vector<std::uint64_t> patterns;
  for (const std::uint64_t m : magnitudes) {
    patterns.push_back(m & (sign - 1));
    patterns.push_back((m & (sign - 1)) | sign);
  }
  return patterns;
}

std::vector<const KernelSet*> all_kernels() {
  std::vector<const KernelSet*> sets = {&kBaselineKernels};
  if (x86_v3_kernels() != nullptr) sets.push_back(x86_v3_kernels());
  return sets;
}

bool same(const Difference::Sample& x, const Difference::Sample& y) {
  return x.index == y.index && x.a_bits == y.a_bits && x.b_bits == y.b_bits;
}

bool same(const Difference& x, const Difference& y) {
  return x.elements == y.elements && x.differing == y.differing && x.first_index == y.first_index &&
         x.last_index == y.last_index && x.measured == y.measured &&
         std::bit_cast<std::uint64_t>(x.max_abs) == std::bit_cast<std::uint64_t>(y.max_abs) &&
         x.max_abs_integer == y.max_abs_integer && x.max_abs_index == y.max_abs_index &&
         x.ulp_measured == y.ulp_measured && x.max_ulp == y.max_ulp &&
         x.ulp_histogram == y.ulp_histogram && x.nan_payload_only == y.nan_payload_only &&
         x.sign_of_zero_only == y.sign_of_zero_only && x.non_finite == y.non_finite &&
         x.runs == y.runs && x.tiles_touched == y.tiles_touched && x.tiles_full == y.tiles_full &&
         x.a_all_zero == y.a_all_zero && x.b_all_zero == y.b_all_zero &&
         x.a_bit_sum == y.a_bit_sum && x.b_bit_sum == y.b_bit_sum &&
         same(x.sample_first, y.sample_first) && same(x.sample_max, y.sample_max) &&
         same(x.sample_last, y.sample_last);
}

class DifferenceOf : public testing::TestWithParam<DType> {
 protected:
  // Every build agrees with the naive statement.
  void expect_naive(Pair& pair, const char* what) {
    const Difference expected = test::naive_difference(GetParam(), pair.a(), pair.b());
    for (const KernelSet* kernels : all_kernels()) {
      const Difference found =
          measure_with(*kernels, GetParam(), pair.a().data(), pair.b().data(), pair.elements(), 0);
      EXPECT_TRUE(same(found, expected))
          << what << ", " << pair.elements() << " elements, "
          << (kernels == &kBaselineKernels ? "baseline" : "x86-64-v3") << "\nfound    "
          << testing::PrintToString(found) << "\nexpected " << testing::PrintToString(expected);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Every, DifferenceOf, testing::ValuesIn(kAllDTypes),
                         [](const auto& of) { return std::string(dtype_name(of.param)); });

constexpr std::uint64_t kSizes[] = {0,    1,    2,    31,   32,   33,   63,   64,   65,
                                    2047, 2048, 2049, 2080, 4096, 4097, 6175, 10000};

TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnRandomBits) {
  auto rng = test::test_rng(1);
  for (const std::uint64_t elements : kSizes) {
    Pair pair(GetParam(), elements);
    for (std::uint64_t i = 0; i < elements; ++i) {
      pair.set_a(i, rng());
      pair.set_b(i, rng());
    }
    expect_naive(pair, "random bits");
  }
}

TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnEveryPairOfEdges) {
  const auto patterns = edges(GetParam());
  Pair pair(GetParam(), patterns.size() * patterns.size());
  for (std::uint64_t i = 0; i < pair.elements(); ++i) {
    pair.set_a(i, patterns[i / patterns.size()]);
    pair.set_b(i, patterns[i % patterns.size()]);
  }
  expect_naive(pair, "edges");
  // And each alone, in the middle of nothing else.
  for (std::uint64_t i = 0; i < pair.elements(); ++i) {
    Pair alone(GetParam(), 50);
    alone.set_a(37, patterns[i / patterns.size()]);
    alone.set_b(37, patterns[i % patterns.size()]);
    expect_naive(alone, "one pair of edges");
  }
}

TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnMixturesOfEdges) {
  const auto patterns = edges(GetParam());
  auto rng = test::test_rng(2);
  for (const unsigned one_in : {1u, 3u, 40u, 1000u, 5000u}) {
    for (const std::uint64_t elements : kSizes) {
      Pair pair(GetParam(), elements);
      for (std::uint64_t i = 0; i < elements; ++i) {
        const std::uint64_t bits = rng() % 4 == 0 ? patterns[rng() % patterns.size()] : rng();
        pair.set_a(i, bits);
        pair.set_b(i, rng() % one_in == 0 ? patterns[rng() % patterns.size()] : bits);
      }
      expect_naive(pair, "mixture");
    }
  }
}

// Whole blocks without infinities and NaNs take a path of their own; distances across zero may
// need all bits of an element.
TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnRandomFiniteValues) {
  if (!is_float(GetParam())) return;
  auto rng = test::test_rng(7);
  for (const bool mostly_near : {false, true}) {
    Pair pair(GetParam(), 9000);
    const auto finite = [&] {
      for (;;) {
        const std::uint64_t bits = rng() >> (64 - 8 * dtype_size(GetParam()));
        if (std::isfinite(test::naive_decode(GetParam(), bits))) return bits;
      }
    };
    for (std::uint64_t i = 0; i < pair.elements(); ++i) {
      const std::uint64_t bits = finite();
      pair.set_a(i, bits);
      pair.set_b(i, mostly_near && rng() % 1000 != 0 ? bits : finite());
    }
    expect_naive(pair, "finite values");
  }
}

// Neighbours, as rounding gives them: the largest distance ties in block after block.
TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnNeighbours) {
  auto rng = test::test_rng(3);
  for (const unsigned spread : {1u, 3u, 10u, 200u}) {
    Pair pair(GetParam(), 9000);
    const unsigned bits = 8 * dtype_size(GetParam());
    for (std::uint64_t i = 0; i < pair.elements(); ++i) {
      const std::uint64_t x = (rng() >> (65 - bits)) & ~(std::uint64_t{3} << (bits - 3));
      pair.set_a(i, x);
      pair.set_b(i, x + rng() % (spread + 1));
    }
    expect_naive(pair, "neighbours");
  }
}

// Each block beats the one before by less than f32 can tell.
TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnGrowingDistances) {
  if (!is_float(GetParam())) return;
  auto rng = test::test_rng(4);
  const unsigned bits = 8 * dtype_size(GetParam());
  const std::uint64_t large = std::uint64_t{0x5} << (bits - 4);
  Pair pair(GetParam(), 20000);
  for (std::uint64_t i = 0; i < pair.elements(); ++i) {
    pair.set_a(i, large);
    pair.set_b(i, 20000 - i + rng() % 3);
  }
  expect_naive(pair, "growing");
}

// Each block beats the one before by a step, in one pair of which one number is the least that is
// more than half of the distance before.
TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnDistancesAcrossZero) {
  if (!is_float(GetParam())) return;
  const std::uint64_t sign = std::uint64_t{1} << (8 * dtype_size(GetParam()) - 1);
  const std::uint64_t two = sign / 2;
  Pair pair(GetParam(), 5 * 2048);
  for (std::uint64_t i = 0; i < pair.elements(); ++i) {
    pair.set_a(i, i % 3);
    pair.set_b(i, sign | i % 2);
  }
  for (std::uint64_t block = 0; block < 5; ++block) {
    const std::uint64_t at = 2048 * block + 511 * block;
    pair.set_a(at, two + block / 2 + block % 2);
    pair.set_b(at, sign | (two + block / 2));
  }
  expect_naive(pair, "across zero");
}

TEST_P(DifferenceOf, AgreesWithTheNaiveStatementOnDifferencesAtSeams) {
  for (const std::uint64_t at : {0u, 31u, 32u, 63u, 64u, 2047u, 2048u, 4095u, 4096u, 4999u}) {
    for (const std::uint64_t length : {1u, 2u, 32u, 33u, 2048u}) {
      Pair pair(GetParam(), 5000);
      for (std::uint64_t i = 0; i < 5000; ++i) pair.set_a(i, i * 7), pair.set_b(i, i * 7);
      for (std::uint64_t i = at; i < std::min<std::uint64_t>(5000, at + length); ++i) {
        pair.set_b(i, i * 7 + 1);
      }
      expect_naive(pair, "seam");
    }
  }
}

TEST_P(DifferenceOf, IsTheSameHoweverTheBufferIsCut) {
  const auto patterns = edges(GetParam());
  auto rng = test::test_rng(5);
  const std::size_t size = dtype_size(GetParam());
  for (const unsigned one_in : {1u, 2u, 50u, 3000u}) {
    Pair pair(GetParam(), 6175);
    for (std::uint64_t i = 0; i < pair.elements(); ++i) {
      const std::uint64_t bits = rng();
      pair.set_a(i, bits);
      pair.set_b(i, rng() % one_in == 0 ? patterns[rng() % patterns.size()] : bits);
    }
    const Difference whole =
        measure(GetParam(), pair.a().data(), pair.b().data(), pair.elements(), 0);
    for (int cutting = 0; cutting < 60; ++cutting) {
      const std::uint64_t longest = std::uint64_t{1} << (rng() % 8);
      Difference joined;
      for (std::uint64_t at = 0; at < pair.elements();) {
        const std::uint64_t take = std::min(pair.elements() - at, rng() % (longest + 1) * 32);
        merge(joined, measure(GetParam(), pair.a().data() + at * size, pair.b().data() + at * size,
                              take, at));
        at += take;
      }
      EXPECT_TRUE(same(joined, whole)) << "found    " << testing::PrintToString(joined)
                                       << "\nexpected " << testing::PrintToString(whole);
    }
  }
}

template <class T>
Difference difference_of(DType dtype, std::vector<T> a, std::vector<T> b) {
  return measure(dtype, std::as_bytes(std::span(a)).data(), std::as_bytes(std::span(b)).data(),
                 a.size(), 0);
}

TEST(Difference, TakesEqualNaNsAsEqualAndZerosOfOtherSignAsDifferent) {
  const auto d = difference_of<std::uint32_t>(DType::f32, {0x7fc00001, 0x80000000, 0x7fc00001},
                                              {0x7fc00001, 0x00000000, 0x7fc00002});
  EXPECT_EQ(d.differing, 2u);
  EXPECT_EQ(d.first_index, 1u);
  EXPECT_EQ(d.sign_of_zero_only, 1u);
  EXPECT_EQ(d.nan_payload_only, 1u);
  EXPECT_EQ(d.measured, 1u);
  EXPECT_EQ(d.max_abs, 0);
  EXPECT_EQ(d.max_abs_index, 1u);
}

TEST(Difference, KeepsADistanceOfZeroFromTheRightPart) {
  std::vector<std::uint32_t> a(64), b(64);
  b[40] = 0x80000000;
  Difference left = measure(DType::f32, std::as_bytes(std::span(a)).data(),
                            std::as_bytes(std::span(b)).data(), 32, 0);
  merge(left, measure(DType::f32, std::as_bytes(std::span(a)).data() + 128,
                      std::as_bytes(std::span(b)).data() + 128, 32, 32));
  EXPECT_EQ(left.max_abs_index, 40u);
  EXPECT_EQ(left.sample_max.b_bits, 0x80000000u);
}

TEST(Difference, MeasuresIntegersExactlyToTheirExtremes) {
  const auto d =
      difference_of<std::int64_t>(DType::i64, {0, std::numeric_limits<std::int64_t>::min()},
                                  {1, std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(d.max_abs_integer, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(d.max_abs_index, 1u);
}

TEST(Difference, SeesDenormalsAsTheyAre) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(difference_of<float>(DType::f32, {0}, {tiny}).max_abs, 0x1p-149);
  const double tiny64 = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(difference_of<double>(DType::f64, {-tiny64}, {tiny64}).max_abs, 0x1p-1073);
}

TEST(Difference, CountsTilesThatHoldNothingElse) {
  std::vector<std::uint8_t> a(100, 7), b(100, 7);
  std::fill(b.begin() + 32, b.begin() + 64, 8);  // tile 1
  std::fill(b.begin() + 96, b.end(), 8);         // what there is of tile 3
  auto d = difference_of(DType::u8, a, b);
  EXPECT_EQ(d.tiles_touched, 2u);
  EXPECT_EQ(d.tiles_full, 2u);
  EXPECT_TRUE(d.tile_aligned());
  EXPECT_FALSE(d.contiguous());
  b[0] = 8;
  d = difference_of(DType::u8, a, b);
  EXPECT_EQ(d.tiles_touched, 3u);
  EXPECT_FALSE(d.tile_aligned());
}

TEST(Difference, KeepsTheBitSumsOfAPermutation) {
  std::vector<std::uint16_t> a(5000), b;
  auto rng = test::test_rng(6);
  for (auto& x : a) x = static_cast<std::uint16_t>(rng());
  b = a;
  std::shuffle(b.begin(), b.end(), rng);
  const auto d = difference_of(DType::bf16, a, b);
  EXPECT_GT(d.differing, 0u);
  EXPECT_EQ(d.a_bit_sum, d.b_bit_sum);
}

}  // namespace
}  // namespace foxhunt
