// SPDX-License-Identifier: MIT
#pragma once

// CUDA's small vector types, under CUDA's names, with its alignments.

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#define FOXHUNT_SIMT_VECTOR_TYPES(T, name)                          \
  struct name##1 {                                                  \
    T x;                                                            \
  };                                                                \
  struct alignas(2 * sizeof(T)) name##2 {                           \
    T x, y;                                                         \
  };                                                                \
  struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) name##4 { \
    T x, y, z, w;                                                   \
  };                                                                \
  constexpr name##1 make_##name##1(T x) { return {x}; }             \
  constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }     \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

FOXHUNT_SIMT_VECTOR_TYPES(float, float)
FOXHUNT_SIMT_VECTOR_TYPES(double, double)
FOXHUNT_SIMT_VECTOR_TYPES(int, int)
FOXHUNT_SIMT_VECTOR_TYPES(unsigned, uint)
FOXHUNT_SIMT_VECTOR_TYPES(unsigned char, uchar)
FOXHUNT_SIMT_VECTOR_TYPES(short, short)
FOXHUNT_SIMT_VECTOR_TYPES(unsigned short, ushort)
FOXHUNT_SIMT_VECTOR_TYPES(long long, longlong)
FOXHUNT_SIMT_VECTOR_TYPES(unsigned long long, ulonglong)
#undef FOXHUNT_SIMT_VECTOR_TYPES

struct float3 {
  float x, y, z;
};
struct int3 {
  int x, y, z;
};
constexpr float3 make_float3(float x, float y, float z) { return {x, y, z}; }
constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
