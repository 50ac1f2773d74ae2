#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/spills on two small kernels: one keeps its values in registers and one cannot.
#
#   registers_and_spills_are_listed.sh SCRIPT
. "$(dirname "$0")/scenario.sh"
spills=$1
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc > /dev/null || { echo "no nvcc on PATH: nothing to compile with" >&2; exit 77; }
# With one GPU the test takes a second.
export FOXHUNT_CUDA_ARCHITECTURES=80

cat > kernels.cu << 'END'
namespace foxhunt {
namespace {
enum class Way { there, back };

// 64 values at once, where a thread may have 32 registers.
template <Way kWay>
__global__ void __launch_bounds__(1024, 2) turn(const float* in, float* out) {
  float held[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) held[i] = in[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) out[threadIdx.x * 64 + (kWay == Way::back ? 63 - i : i)] = held[i];
}
template __global__ void turn<Way::back>(const float*, float*);

__global__ void reverse(float* values) {
  __shared__ float tile[256];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[255 - threadIdx.x];
}
void launch_reverse(float* values) { reverse<<<1, 256>>>(values); }
}  // namespace
void launch(float* values) { launch_reverse(values); }
}  // namespace foxhunt
END

expect 0 bash "$spills" kernels.cu
says out 'sm_80'
says out 'kernels.cu'
says out '2 kernels, 1 spill'
# regs, spill, stack, shared, kernel
grep -qE '^ +[0-9]+ +0/0 +0 +1024 +reverse$' out || fail "reverse: $(cat out)"
grep -qE '^ +32 +[1-9][0-9]*/[1-9][0-9]* +[1-9][0-9]* +0 +turn<\(Way\)1>$' out || fail "turn: $(cat out)"
is_empty err

echo 'int x = ;' > broken.cu
expect 1 bash "$spills" broken.cu kernels.cu
says err 'broken.cu does not compile'
says err 'expected an expression'
says out '2 kernels, 1 spill'

expect 0 bash "$spills" --help
says out 'registers'
