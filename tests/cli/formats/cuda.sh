# SPDX-License-Identifier: Apache-2.0
# Plans as programs: they compile, and on a driver that is made up they do what they say.
cat >worked.yaml <<'END'
name: worked
platform: {gpu: {sms: 6, min-time: 1}}
defaults: {splittable: true}
kernels: {v1: 1, v2: 4, v3: 2, v4: 2, v5: 4, v6: 4, v7: 1}
dependencies: [v1 -> v2, v1 -> v3, v1 -> v4, v3 -> v5, v4 -> v5, v4 -> v6, v2 -> v7, v5 -> v7, v6 -> v7]
END
for method in best safe paper greedy greedy-unaware graham; do
    expect 0 weir convert worked.yaml --method $method -o $method.c
    has $method.c "with the method $method."
    expect 0 weir convert worked.yaml --method $method -o $method.cu
    has $method.cu 'kernel_0_v1, work_of_kernel_0_v1'
done
has best.c "plan_bound = {INT64_C(5), INT64_C(1)};"
has best.c "BARRIERS = 0,"
has safe.c "BARRIERS = 1,"
has greedy.c "plan_bound = {INT64_C(7), INT64_C(1)};"
has paper.c "plan_why = \""
expect 0 weir convert worked.yaml --to cuda-c -o -
cmp -s stdout best.c || complain "stdout differs from the file"
expect 0 weir convert worked.yaml --to cuda -o plan.txt
cmp -s plan.txt best.cu || complain "plan.txt differs from best.cu"

# What cannot be.
expect 2 weir convert worked.yaml --method fastest -o x.c
has stderr "unknown method 'fastest'"
expect 2 weir convert worked.yaml --method safe -o x.yaml
has stderr "--method, --no-split and --launches are for plans"
expect 3 weir convert "$models/camera.yaml" -o x.c
has stderr "only graphs of kernels"
expect 74 weir convert worked.yaml -o no-such-folder/x.c
[ -e x.c ] && complain "a file that could not be written"

compiler=$(command -v cc gcc clang | head -n 1)
[ -n "$compiler" ] || skip "there is no C compiler"
warnings="-Wall -Wextra -Wpedantic -Werror"
for standard in c99 gnu17; do
    # shellcheck disable=SC2086 # several options
    expect 0 "$compiler" -std=$standard $warnings -fsyntax-only best.c
done
for method in best safe greedy graham; do
    # shellcheck disable=SC2086
    expect 0 "$compiler" -O1 $warnings $method.c -o $method -ldl
done
expect 0 ./best --help
has stdout "Usage: ./best"
expect 2 ./best --runs none
expect 2 ./best --barrier wall
expect 2 ./best --what

# The driver is looked for when the program runs.
mkdir driver
expect 0 "$compiler" -shared -fPIC -O1 "$here/formats/fake_cuda.c" -o driver/libcuda.so.1
quick="--warm-up 0 --warm 1 --runs 5 --overhead-runs 5"
on_fake() { # on_fake STATUS FAKE PROGRAM OPTION...
    local status=$1 fake=$2
    shift 2
    # shellcheck disable=SC2086
    expect "$status" env LD_LIBRARY_PATH="$PWD/driver" FAKE="$fake" "$@" $quick
}
for barrier in edges kernel empty; do
    on_fake 0 no ./safe --barrier $barrier
    has stdout "within the bound (0 of 5 runs"
    has stdout "blocks that shared an SM: 0; launches that began early: 0"
done
on_fake 0 no ./best --no-gate --csv runs.csv --records blocks.csv
has stdout "plan       worked, method best: 7 kernels, 7 launches"
has stdout "bound      50.000 us = the plan's, scaled;"
equal "lines of the runs" "$(wc -l <runs.csv)" 6
equal "lines of the blocks" "$(wc -l <blocks.csv)" "$(($(grep -o 'BLOCKS = [0-9]*' best.c | grep -o '[0-9]*$') + 1))"
on_fake 0 no ./greedy
has stdout "not proven: it holds only where"
on_fake 0 no ./graham
on_fake 0 no ./best --line
equal "fields of the line" "$(tr -cd , <stdout | wc -c)" "$(./best --help | sed -n 's/.*in one line: //p' | tr -cd , | wc -c)"
on_fake 1 shared ./best
has stdout "NOT AS PLANNED"
lacks stdout "shared an SM: 0;"
on_fake 1 early ./best
has stdout "NOT AS PLANNED"
lacks stdout "began early: 0"
on_fake 1 late ./best --overhead 1000
has stdout "EXCEEDED (5 of 5 runs above"
on_fake 0 late ./best --overhead 1000 --no-verdict
on_fake 3 small ./best
has stderr "the plan is for 6 SMs, and the device has 1"
on_fake 3 roomy ./best
has stderr "2 blocks would fit on an SM, not 1"
on_fake 3 no ./best --device 1
has stderr "CUDA_ERROR_INVALID_DEVICE"
on_fake 2 no ./best --module no-such-file
on_fake 0 no ./best --module best.c

# A model that knows of the overhead: the bound is the plan's alone.
sed 's/min-time: 1}/min-time: 1, launch-overhead: 0.2}/' worked.yaml >aware.yaml
expect 0 weir convert aware.yaml -o aware.c
expect 0 "$compiler" -O1 aware.c -o aware -ldl
on_fake 0 no ./aware
has stdout "within the bound"
sed 's/min-time: 1}/min-time: 1, launch-overhead: 0.05}/' worked.yaml >unaware.yaml
expect 0 weir convert unaware.yaml -o unaware.c
expect 0 "$compiler" -O1 unaware.c -o unaware -ldl
on_fake 1 no ./unaware
has stderr "note: a launch has up to"

# Granules, tables, names that are no identifiers.
cat >odd.yaml <<'END'
name: "odd */ \"names\""
unit: us
platform: {gpu: {sms: 4, min-time: 0.5}}
kernels:
  "a */ b": {load: 40, granularity: 8}
  "b\\": {times: {1: 30, 2: 16.5}}
  c: {load: 25, splittable: true, granularity: 2.5}
  d: 12
dependencies: ["a */ b -> c", "b\\ -> d"]
END
for method in best safe; do
    expect 0 weir convert odd.yaml --method $method -o odd.c
    # shellcheck disable=SC2086
    expect 0 "$compiler" $warnings odd.c -o odd -ldl
    on_fake 0 no ./odd
done

# The kernels.
if assembler=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null); then
    printf '#define main program\n#include "best.c"\n#undef main\nint main(void)\n{\n    fputs(kernels_ptx, stdout);\n}\n' >ptx.c
    expect 0 "$compiler" ptx.c -o ptx -ldl
    ./ptx >kernels.ptx
    expect 0 "$assembler" -arch sm_90 kernels.ptx -o kernels.cubin
fi
