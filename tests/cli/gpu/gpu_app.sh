# SPDX-License-Identifier: Apache-2.0
# The campaign for a device, bench/gpu/app, from compiling to the table, on the driver that is made up.
app=$here/../../bench/gpu/app
compiler=$(command -v cc gcc clang | head -n 1)
[ -n "$compiler" ] || skip "there is no C compiler"

expect 0 weir gpu profile "$app/launches.yaml" --check
kernels=$(sed -n 's/^GLOBAL \([a-z_]*\)(.*/\1/p' "$app/kernels.cu")
equal "kernels that are launched" "$(sed -n '/^kernels:/,/^dependencies:/s/^  \([a-z_]*\):.*/\1/p' "$app/launches.yaml")" "$kernels"

# The table: each promise is looked at.
head=plan,graph,sms,kernels,runs,bound_us,max_us,average_us,p50_us,p99_us,min_us,over
holds() { # holds STATUS NO... of lines on stdin; NO is a word of what does not hold
    local status=$1 word
    shift
    { echo $head && cat; } >runs.csv
    expect "$status" "$app/table" runs.csv
    equal "promises that do not hold" "$(grep -c 'NO$' stdout)" $#
    for word in "$@"; do
        grep -q "$word.*NO$" stdout || complain "nothing is said about: $word"
    done
}
good='model,plan,32,3,10,130,101,100,100,100,100,0
unrestricted,unrestricted,32,3,10,130,110,100,100,100,100,0
blind,plan,32,3,10,100,101,100,100,100,100,1'
holds 0 <<<"$good"
has stdout "1.287"
holds 1 "above its bound" < <(sed 's/130,101/100.9,101/' <<<"$good")
holds 1 "1.3 times" < <(sed 's/130,101/131.4,101/' <<<"$good")
holds 1 "5 %" < <(sed 's/101,100,100,100,100,0/109,105.1,100,100,100,0/' <<<"$good")
holds 1 "shorter" < <(sed 's/130,110/130,101/' <<<"$good")
holds 1 "interference" < <(sed 's/,1$/,0/' <<<"$good")
holds 1 "above its bound" "1.3 times" "5 %" "shorter" "interference" </dev/null

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || skip "the rest: there is no nvcc"
expect 0 "$nvcc" -arch=sm_90 -cubin -Werror all-warnings "$app/kernels.cu" -o kernels.cubin
mkdir driver
expect 0 "$compiler" -shared -fPIC -O1 "$here/formats/fake_cuda.c" -o driver/libcuda.so.1

# Kernels of a driver that is made up are as fast together as one after the other: what only a device can show does not hold.
expect 1 env LD_LIBRARY_PATH="$PWD/driver" FAKE_SMS=40 SMS="40 16" STEP=4 WIDTHS=8,16,40 RUNS=5 PROFILE_RUNS=16 \
    OBJECT=kernels.cubin bash "$app/run" "$weir_program" results
equal "rows of the table" "$(grep -cE '^ *(40|16) +(plan|no interference|unrestricted) ' stdout)" 6
cmp -s stdout results/table.txt || complain "the table is not kept"
for promise in "above its bound" "1.3 times" "5 %"; do
    grep -q "$promise.*yes$" stdout || complain "$(cat stdout)"
done
expect 0 weir analyze results/model.yaml --verify
has stdout "18 kernels"
has results/model.yaml "max-concurrent: 8" # the overhead was measured with as many
lacks results/blind.yaml 'suffers-[a-z]*: [1-9]'
has results/machine.txt "all in "
expect 3 env LD_LIBRARY_PATH=/nonexistent OBJECT=kernels.cubin bash "$app/run" "$weir_program" nothing
has stderr "there is no CUDA driver here"
