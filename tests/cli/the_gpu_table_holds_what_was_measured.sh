#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/gpu_check with every tool it calls replaced by one that says what a device would: what the
# table holds, and that a part which fails or is cut short keeps what it had printed.
#
#   the_gpu_table_holds_what_was_measured.sh SCRIPT
. "$(dirname "$0")/scenario.sh"
check=$1
mkdir tools
PATH=$work/tools:$PATH
export FOXHUNT_GPU_RESULTS=$work/results FOXHUNT_GPU_BUILD=$work/build

tool() { { echo '#!/bin/bash'; cat; } > "tools/$1"; chmod +x "tools/$1"; }
tool nvidia-smi << 'END'
case $1 in
  *=name) echo 'NVIDIA H200 (test)' ;;
  *=driver_version) echo 575.1 ;;
  *) echo 9.0 ;;
esac
END
tool nvcc <<< 'echo "Cuda compilation tools, release 13.0, V13.0.1"'
tool ninja <<< 'exit 0'
tool cmake <<< 'echo "cmake $*" >> "$(dirname "$0")/../calls"'
tool ctest << 'END'
echo "ctest $* require=${FOXHUNT_REQUIRE_GPU-}" >> "$(dirname "$0")/../calls"
case $* in
  *-R*twins*)
    echo '7: twin lost_update: 3 of 400 runs differ, 2 outcomes, the usual one is another: an increment that is: none'
    echo '1/1 Test #7: cuda.twins_on_device_test_cuda ........   Passed   20.10 sec' ;;
  *-R*bandwidth*)
    echo '8: bandwidth of copy: 268.4 MB in 70.0 us, 3834.3 GB/s, 100 % of a copy'
    echo '8: bandwidth of adam_step: 268.4 MB in 71.2 us, 3769.7 GB/s, 98 % of a copy'
    if [ -e "$(dirname "$0")/../cut" ]; then echo '1/1 Test #8: cuda.bandwidth_test_cuda ...***Timeout  48.00 sec'; exit 8; fi
    echo '1/1 Test #8: cuda.bandwidth_test_cuda ..............   Passed    9.00 sec' ;;
  *)
    echo '5: reduce_axis0=float_atomics: on this device, seen in 20 of 20 trials of 32 runs'
    echo ' 1/2 Test  #5: cuda.reduce_test ................   Passed    1.25 sec' ;;
esac
END

expect 0 bash "$check"
table=results/nvidia-h200-test.md
[ -s $table ] || fail 'no table'
says $table '# NVIDIA H200 (test)'
says $table 'driver 575.1, compute capability 9.0, nvcc release 13.0'
says $table '| cuda.reduce_test | Passed | 1.25 |'
says $table '| cuda.bandwidth_test_cuda | Passed | 9.00 |'
says $table '| reduce_axis0=float_atomics | seen in 20 of 20 trials of 32 runs |'
says $table '| lost_update | 3 of 400 runs differ, 2 outcomes, the usual one is another | an increment that is: none |'
says $table '| kernel | MB | us | GB/s | % of a copy |'
says $table '|---|---|---|---|---|'
says $table '| adam_step | 268.4 | 71.2 | 3769.7 | 98 |'
says $table 'All passed.'
says calls 'DCMAKE_CUDA_ARCHITECTURES=native'
[ "$(grep -c 'ctest.*require=1' calls)" = 3 ] || fail "not three parts that require a device: $(cat calls)"

# Time runs out in the last part: its rows stay, and the run has failed.
touch cut
expect 1 bash "$check"
says $table '| adam_step | 268.4 | 71.2 | 3769.7 | 98 |'
says $table '| cuda.bandwidth_test_cuda | Timeout | 48.00 |'
says $table '**Not all passed.**'
says_not $table 'All passed.'
rm cut

# A rehearsal asks for no device, and leaves the committed tables alone.
rm -r results calls
expect 0 bash "$check" --dry-run
says build/no-gpu.md 'A dry run: no test had a device.'
says calls 'DCMAKE_CUDA_ARCHITECTURES=90'
says_not calls 'require=1'
[ ! -e results ] || fail 'a dry run wrote a result'

tool nvidia-smi <<< 'exit 9'
expect 2 bash "$check"
says err 'no GPU here'
expect 2 bash "$check" --wet-run
expect 0 bash "$check" --help
says out 'at most four minutes'
