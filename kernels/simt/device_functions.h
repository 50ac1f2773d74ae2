// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/simt/atomics.h"
#include "kernels/simt/executor.h"
#include "kernels/simt/warp_functions.h"

// CUDA's keywords and the functions of device code that are no atomics and no warp collectives.

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict

namespace foxhunt::simt {

// A thread's own constants, so that a compiler need not ask twice within a kernel.
#if defined(FOXHUNT_SIMT_TSAN_CODE)
#define FOXHUNT_SIMT_CONSTANT FOXHUNT_SIMT_RUNTIME __attribute__((const))
#else
#define FOXHUNT_SIMT_CONSTANT __attribute__((always_inline))
#endif
FOXHUNT_SIMT_CONSTANT inline uint3 thread_index() { return current->index; }
FOXHUNT_SIMT_CONSTANT inline uint3 block_index() { return current->block->index; }
FOXHUNT_SIMT_CONSTANT inline uint3 block_dim() { return current->block->block_dim; }
FOXHUNT_SIMT_CONSTANT inline uint3 grid_dim() { return current->block->grid_dim; }
#undef FOXHUNT_SIMT_CONSTANT

FOXHUNT_SIMT_RUNTIME inline char* dynamic_shared() { return current->block->dynamic; }

}  // namespace foxhunt::simt

#define threadIdx (::foxhunt::simt::thread_index())
#define blockIdx (::foxhunt::simt::block_index())
#define blockDim (::foxhunt::simt::block_dim())
#define gridDim (::foxhunt::simt::grid_dim())
constexpr int warpSize = 32;

#define FOXHUNT_SHARED(T, name, ...)                                                    \
  using name##_foxhunt_type = ::foxhunt::simt::ArrayType<T __VA_OPT__(, ) __VA_ARGS__>; \
  static constinit ::foxhunt::simt::SharedVariable name##_foxhunt_variable{             \
      sizeof(name##_foxhunt_type), alignof(name##_foxhunt_type)};                       \
  name##_foxhunt_type& name = *reinterpret_cast<name##_foxhunt_type*>(                  \
      ::foxhunt::simt::shared_address(name##_foxhunt_variable))

#define FOXHUNT_DYNAMIC_SHARED(T, name) \
  T* name = reinterpret_cast<T*>(::foxhunt::simt::dynamic_shared())

// The executor names the place of a barrier in what it reports.
inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  foxhunt::simt::barrier(foxhunt::simt::BarrierKind::plain, 0, file, line);
}
inline int __syncthreads_or(int predicate, const char* file = __builtin_FILE(),
                            int line = __builtin_LINE()) {
  return foxhunt::simt::barrier(foxhunt::simt::BarrierKind::any, predicate, file, line);
}
inline int __syncthreads_and(int predicate, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  return foxhunt::simt::barrier(foxhunt::simt::BarrierKind::all, predicate, file, line);
}
inline int __syncthreads_count(int predicate, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
  return foxhunt::simt::barrier(foxhunt::simt::BarrierKind::count, predicate, file, line);
}

inline void __threadfence_block() { foxhunt::simt::fence(foxhunt::simt::FenceScope::block); }
inline void __threadfence() { foxhunt::simt::fence(foxhunt::simt::FenceScope::device); }
inline void __threadfence_system() { foxhunt::simt::fence(foxhunt::simt::FenceScope::system); }

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
void __stcg(T* address, T value) {
  *address = value;
}

inline int __popc(unsigned v) { return std::popcount(v); }
inline int __popcll(unsigned long long v) { return std::popcount(v); }
inline int __clz(int v) { return std::countl_zero(static_cast<unsigned>(v)); }
inline int __clzll(long long v) { return std::countl_zero(static_cast<unsigned long long>(v)); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned __brev(unsigned v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(v);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<std::uint64_t>(high) << 32 | low) << (shift & 31)) >>
                               32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (shift & 31));
}

inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }
inline long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }

// To the nearest, ties to even, as in the default rounding mode of both machines.
inline int __float2int_rn(float v) { return static_cast<int>(__builtin_rintf(v)); }
inline int __float2int_rz(float v) { return static_cast<int>(v); }
inline int __float2int_rd(float v) { return static_cast<int>(__builtin_floorf(v)); }
inline int __float2int_ru(float v) { return static_cast<int>(__builtin_ceilf(v)); }
inline unsigned __float2uint_rn(float v) { return static_cast<unsigned>(__builtin_rintf(v)); }
inline unsigned __float2uint_rz(float v) { return static_cast<unsigned>(v); }
inline float __int2float_rn(int v) { return static_cast<float>(v); }
inline float __uint2float_rn(unsigned v) { return static_cast<float>(v); }
inline float __ull2float_rn(unsigned long long v) { return static_cast<float>(v); }
inline float __double2float_rn(double v) { return static_cast<float>(v); }

// CUDA's overloads of min and max for the types that kernels mix.
using std::max;
using std::min;
inline unsigned min(unsigned a, int b) { return std::min(a, static_cast<unsigned>(b)); }
inline unsigned min(int a, unsigned b) { return std::min(static_cast<unsigned>(a), b); }
inline unsigned max(unsigned a, int b) { return std::max(a, static_cast<unsigned>(b)); }
inline unsigned max(int a, unsigned b) { return std::max(static_cast<unsigned>(a), b); }

inline long long clock64() { return static_cast<long long>(foxhunt::simt::clock_ticks()); }
inline void __nanosleep(unsigned) { foxhunt::simt::preemption_point(foxhunt::simt::Point::fence); }
inline void __trap(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  foxhunt::simt::kernel_trap("__trap", file, line);
}
