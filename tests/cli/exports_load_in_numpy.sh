#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# inspect-run export: NumPy reads every dtype and shape back, bit for bit.
. "$(dirname "$0")/scenario.sh"

make-run a full <<'END'
0 g f16 f16 2x2 0x3c00 0xbc00 0x7e01 0x8000
0 g bf16 bf16 3 0x3f80 0x7fc1 0x0001
0 g f32 f32 2x3x1 1 2 3 4 5 0x7fc00001
0 g f64 f64 - 0x7ff0000000000001
0 g i8 i8 2 -1 127
0 g u8 u8 2 255 0
0 g i16 i16 2 -32768 1
0 g u16 u16 2 65535 1
0 g i32 i32 2 -2147483648 1
0 g u32 u32 2 4294967295 1
0 g i64 i64 2 -9223372036854775808 1
0 g u64 u64 2 0xffffffffffffffff 1
0 g bool bool 3 1 0 1
0 g f8e4m3 f8e4m3 2 0x7f 0x01
0 g f8e5m2 f8e5m2 2 0x7f 0x01
0 g empty f32 0x5 0
END
for name in f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64 bool f8e4m3 f8e5m2 empty; do
  expect 0 inspect-run a export 0 $name $name.npy
  case $name in
    bf16 | f8*) says out 'its bits as unsigned integers' ;;
    *) says_not out 'integers' ;;
  esac
done
/usr/bin/python3 - <<'END' || fail 'NumPy reads something else'
import numpy as np
types = dict(f16="<f2", bf16="<u2", f32="<f4", f64="<f8", i8="|i1", u8="|u1", i16="<i2", u16="<u2",
             i32="<i4", u32="<u4", i64="<i8", u64="<u8", bool="|b1", f8e4m3="|u1", f8e5m2="|u1",
             empty="<f4")
shapes = dict(f16=(2, 2), bf16=(3,), f32=(2, 3, 1), f64=(), bool=(3,), empty=(0, 5))
for name, descr in types.items():
    array = np.load(name + ".npy", allow_pickle=False)
    assert array.dtype.str == descr, (name, array.dtype.str)
    assert array.shape == shapes.get(name, (2,)), (name, array.shape)
    assert array.flags.c_contiguous
    with open("a/step_0_g_%s.bin" % name, "rb") as f:
        assert array.tobytes() == f.read(), name
END

expect 2 inspect-run a export 0 f32 f32.npy
says err 'already there'
expect 0 inspect-run a export 0 f32 f32.npy --force
expect 2 inspect-run a export 0 f32 a/f32.npy
says err 'inside the run directory'
printf X | dd of=a/step_0_g_i32.bin bs=1 conv=notrunc 2> /dev/null
expect 2 inspect-run a export 0 i32 changed.npy
says err 'other bytes than its record says'
[ ! -e changed.npy ] || fail 'a damaged buffer was exported'
