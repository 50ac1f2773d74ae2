// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "dump/format/error.h"
#include "kernels/gemm/gemm_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/running_error.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

using oracle::Rounded;

struct Shape {
  int m, n, k;
  bool transpose_a = false, transpose_b = false;
};

std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << s.m << "x" << s.n << "x" << s.k << (s.transpose_a ? ", A'" : "")
             << (s.transpose_b ? ", B'" : "");
}

std::size_t area(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

// Random operands of a shape, without gaps, and a product of them.
struct Product {
  explicit Product(const Shape& s)
      : shape(s),
        host_a(random_floats(area(s.m, s.k), 1)),
        host_b(random_floats(area(s.k, s.n), 2)),
        host_c(random_floats(area(s.m, s.n), 3)),
        a(host_a),
        b(host_b),
        c(host_c) {}

  Gemm problem() {
    return {"test",
            shape.m,
            shape.n,
            shape.k,
            {a.get(), shape.transpose_a ? shape.m : shape.k, shape.transpose_a},
            {b.get(), shape.transpose_b ? shape.k : shape.n, shape.transpose_b},
            c.get(),
            shape.n};
  }

  std::vector<Rounded> oracle_c(double alpha = 1.0, double beta = 0.0,
                                const std::vector<float>* bias = nullptr) const {
    const auto exact_a = exactly<Rounded>(host_a), exact_b = exactly<Rounded>(host_b);
    const auto exact_c = exactly<Rounded>(host_c);
    const auto exact_bias = exactly<Rounded>(bias == nullptr ? std::vector<float>() : *bias);
    return oracle::gemm<Rounded>(shape.m, shape.n, shape.k, {exact_a.data(), shape.transpose_a},
                                 {exact_b.data(), shape.transpose_b}, alpha, beta,
                                 beta != 0.0 ? exact_c.data() : nullptr,
                                 bias == nullptr ? nullptr : exact_bias.data());
  }

  Shape shape;
  std::vector<float> host_a, host_b, host_c;
  DeviceArray<float> a, b, c;
};

class OwnGemm : public testing::TestWithParam<Shape> {};

TEST_P(OwnGemm, IsWithinTheRunningErrorOfTheOracle) {
  Product product(GetParam());
  own_gemm(product.problem(), nullptr);
  expect_within_running_error("gemm", product.c.read(), product.oracle_c());
}

TEST_P(OwnGemm, ScalesAddsAndBiases) {
  Product product(GetParam());
  const auto host_bias = random_floats(static_cast<std::size_t>(product.shape.n), 4);
  DeviceArray<float> bias(host_bias);
  Gemm problem = product.problem();
  problem.alpha = 0.75f;
  problem.beta = -1.5f;
  problem.bias = bias.get();
  own_gemm(problem, nullptr);
  expect_within_running_error("gemm", product.c.read(), product.oracle_c(0.75, -1.5, &host_bias));
}

// Products of an element are added one by one in index order: so says the header, to the last bit.
TEST_P(OwnGemm, AddsInIndexOrderByFusedMultiplyAdds) {
  Product product(GetParam());
  own_gemm(product.problem(), nullptr);
  const auto [m, n, k, transpose_a, transpose_b] = product.shape;
  std::vector<float> expected;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int p = 0; p < k; p++) {
        sum = std::fma(product.host_a[area(transpose_a ? p : i, transpose_a ? m : k) +
                                      static_cast<std::size_t>(transpose_a ? i : p)],
                       product.host_b[area(transpose_b ? j : p, transpose_b ? k : n) +
                                      static_cast<std::size_t>(transpose_b ? p : j)],
                       sum);
      }
      expected.push_back(sum);
    }
  }
  EXPECT_EQ(product.c.read(), expected);
}

TEST_P(OwnGemm, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant([] {
    Product product(GetParam());
    own_gemm(product.problem(), nullptr);
    Bytes bytes;
    append(bytes, product.c.read());
    return bytes;
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, OwnGemm,
                         testing::Values(Shape{1, 1, 1}, Shape{1, 1, 0}, Shape{3, 5, 7},
                                         Shape{3, 5, 7, true, false}, Shape{3, 5, 7, false, true},
                                         Shape{16, 8, 31}, Shape{17, 64, 33}, Shape{64, 64, 32},
                                         Shape{64, 64, 32, true, true}, Shape{65, 63, 40, true},
                                         Shape{20, 72, 36, false, true}));

std::vector<float> product_of_rows(int rows, const std::vector<float>& a,
                                   const std::vector<float>& b, int n, int k, std::size_t shift) {
  DeviceArray<float> device_a(std::vector<float>(a.begin(), a.begin() + rows * k), shift);
  DeviceArray<float> device_b(b, shift), c(area(rows, n), shift);
  own_gemm({"test", rows, n, k, {device_a.get(), k}, {device_b.get(), n}, c.get(), n}, nullptr);
  return c.read();
}

TEST(OwnGemm, EdgesAndAlignmentChangeNoBit) {
  const int n = 64, k = 96;
  const auto a = random_floats(area(64, k), 1), b = random_floats(area(k, n), 2);
  const auto all = product_of_rows(64, a, b, n, k, 0);
  EXPECT_EQ(product_of_rows(64, a, b, n, k, 1), all);
  for (const int rows : {1, 8, 16, 17, 63}) {
    const std::vector<float> first(all.begin(), all.begin() + rows * n);
    EXPECT_EQ(product_of_rows(rows, a, b, n, k, 0), first) << rows << " rows";
  }
}

TEST(OwnGemm, LeavesGapsBetweenRowsAlone) {
  const int m = 20, n = 12, k = 9, gap = 5;
  const auto host_a = random_floats(area(m, k + gap), 1),
             host_b = random_floats(area(k, n + gap), 2);
  const auto before = random_floats(area(m, n + gap), 3);
  DeviceArray<float> a(host_a), b(host_b), c(before);
  own_gemm({"test", m, n, k, {a.get(), k + gap}, {b.get(), n + gap}, c.get(), n + gap}, nullptr);
  const auto after = c.read();
  std::vector<Rounded> dense_a, dense_b;
  for (int i = 0; i < m; i++) {
    for (int p = 0; p < k; p++) dense_a.emplace_back(host_a[area(i, k + gap) + area(p, 1)]);
  }
  for (int p = 0; p < k; p++) {
    for (int j = 0; j < n; j++) dense_b.emplace_back(host_b[area(p, n + gap) + area(j, 1)]);
  }
  std::vector<float> dense_c;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n + gap; j++) {
      const std::size_t at = area(i, n + gap) + area(j, 1);
      if (j < n) {
        dense_c.push_back(after[at]);
      } else {
        EXPECT_EQ(after[at], before[at]) << "gap of row " << i;
      }
    }
  }
  expect_within_running_error("gemm with gaps", dense_c,
                              oracle::gemm<Rounded>(m, n, k, {dense_a.data()}, {dense_b.data()}));
}

TEST(OwnGemm, ComputesABatchAsItsProductsOneByOne) {
  const int batch = 3, m = 18, n = 10, k = 6;
  const auto host_a = random_floats(area(batch * m, k), 1);
  const auto host_b = random_floats(area(batch * k, n), 2);
  DeviceArray<float> a(host_a), b(host_b), c(area(batch * m, n)), one_by_one(area(batch * m, n));
  Gemm all{"test", m, n, k, {a.get(), k}, {b.get(), n}, c.get(), n};
  all.batch = batch;
  all.a_batch = m * k;
  all.b_batch = k * n;
  all.c_batch = m * n;
  own_gemm(all, nullptr);
  for (int i = 0; i < batch; i++) {
    own_gemm({"test",
              m,
              n,
              k,
              {a.get() + i * m * k, k},
              {b.get() + i * k * n, n},
              one_by_one.get() + i * m * n,
              n},
             nullptr);
  }
  EXPECT_EQ(c.read(), one_by_one.read());
}

TEST(OwnGemm, DoesNotReadCWhenBetaIsZero) {
  Product product({17, 9, 4});
  product.c.write(std::vector<float>(area(17, 9), std::numeric_limits<float>::quiet_NaN()));
  own_gemm(product.problem(), nullptr);
  expect_within_running_error("gemm over NaN", product.c.read(), product.oracle_c());
}

TEST(OwnGemm, WithoutRowsWritesNothing) {
  DeviceArray<float> c(std::vector<float>{1.0f});
  own_gemm({"test", 0, 1, 1, {nullptr, 1}, {nullptr, 1}, c.get(), 1}, nullptr);
  own_gemm({"test", 1, 0, 1, {nullptr, 1}, {nullptr, 1}, c.get(), 1}, nullptr);
  EXPECT_EQ(c.read(), std::vector<float>{1.0f});
}

Bytes product_bytes(const Shape& shape, GemmVariant variant) {
  Product product(shape);
  gemm(product.problem(), nullptr, variant);
  Bytes bytes;
  append(bytes, product.c.read());
  return bytes;
}

TEST(GemmSplitKAtomic, ComputesTheProductToo) {
  for (const Shape& shape : {Shape{24, 20, 100}, Shape{8, 20, 5, true, true}}) {
    Product product(shape);
    gemm(product.problem(), nullptr, GemmVariant::split_k_atomic);
    // Slices are summed in another order than the oracle's.
    expect_within_running_error("split k", product.c.read(), product.oracle_c(), 2.0);
  }
}

TEST(GemmSplitKAtomic, DependsOnTheSchedule) {
  for (const Shape& shape : {Shape{24, 20, 100}, Shape{8, 16, 64}}) {
    expect_schedule_dependent("gemm=split_k_atomic",
                              [&] { return product_bytes(shape, GemmVariant::split_k_atomic); });
  }
}

#ifdef FOXHUNT_SIMT

TEST(Gemm, OnTheExecutorIsOwnGemm) {
  Product own({20, 12, 40});
  own_gemm(own.problem(), nullptr);
  Bytes bytes;
  append(bytes, own.c.read());
  EXPECT_EQ(product_bytes({20, 12, 40}, GemmVariant::deterministic), bytes);
}

TEST(Gemm, RefusesVariantsOfCublasOnTheExecutor) {
  for (const auto variant :
       {GemmVariant::cublas_not_pedantic, GemmVariant::cublas_shared_workspace}) {
    try {
      product_bytes({1, 1, 1}, variant);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_argument);
      EXPECT_NE(std::string(error.what()).find("site test"), std::string::npos) << error.what();
    }
  }
}

#else

// What cuBLAS says about itself on stderr while it computes a product at this site.
std::string said_at(const char* site, GemmVariant variant) {
  Product product({20, 12, 40});
  Gemm problem = product.problem();
  problem.site = site;
  testing::internal::CaptureStderr();
  gemm(problem, nullptr, variant);
  cudaDeviceSynchronize();
  return testing::internal::GetCapturedStderr();
}

TEST(GemmOnCuda, IsCublasInPedanticModeAndSaysSoOnce) {
  EXPECT_EQ(said_at("once", GemmVariant::deterministic),
            "[cublas_determinism] site=once math_mode=CUBLAS_PEDANTIC_MATH "
            "workspace_bytes=33554432\n");
  EXPECT_EQ(said_at("once", GemmVariant::deterministic), "");
  EXPECT_EQ(said_at("once", GemmVariant::cublas_not_pedantic),
            "[cublas_determinism] site=once math_mode=CUBLAS_TF32_TENSOR_OP_MATH "
            "workspace_bytes=33554432\n");
}

TEST(GemmOnCuda, CublasIsWithinTheRunningErrorOfTheOracle) {
  for (const Shape& shape : {Shape{3, 5, 7}, Shape{65, 63, 40, true},
                             Shape{20, 72, 36, false, true}, Shape{256, 192, 64}}) {
    Product product(shape);
    const auto host_bias = random_floats(static_cast<std::size_t>(shape.n), 4);
    DeviceArray<float> bias(host_bias);
    Gemm problem = product.problem();
    problem.alpha = 0.75f;
    problem.beta = -1.5f;
    problem.bias = bias.get();
    gemm(problem, nullptr);
    // cuBLAS adds in an order of its own.
    expect_within_running_error("cublas", product.c.read(),
                                product.oracle_c(0.75, -1.5, &host_bias), 2.0);
  }
}

// Two products at once on two streams, deep enough for cuBLAS to split them in its workspace.
TEST(GemmOnCuda, SharedWorkspaceMayDependOnTheSchedule) {
  const Shape shape{64, 64, 1 << 16};
  Product first(shape), second(shape);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const auto both = [&](GemmVariant variant) {
    gemm(first.problem(), streams[0], variant);
    gemm(second.problem(), streams[1], variant);
    Bytes bytes;
    append(bytes, first.c.read());
    append(bytes, second.c.read());
    return bytes;
  };
  expect_schedule_invariant([&] { return both(GemmVariant::deterministic); });
  expect_schedule_dependent("gemm=cublas_shared_workspace",
                            [&] { return both(GemmVariant::cublas_shared_workspace); });
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
}

TEST(GemmOnCuda, IsOwnGemmIfAskedTo) {
  Product own({20, 12, 40});
  own_gemm(own.problem(), nullptr);
  Bytes bytes;
  append(bytes, own.c.read());
  use_own_gemm(true);
  EXPECT_EQ(product_bytes({20, 12, 40}, GemmVariant::deterministic), bytes);
  use_own_gemm(false);
}

#endif

}  // namespace
}  // namespace foxhunt::test
