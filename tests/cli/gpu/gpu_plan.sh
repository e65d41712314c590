# SPDX-License-Identifier: Apache-2.0
# Kernels of an object: measured, planned, and run in green contexts, on a driver that is made up (formats/fake_cuda.c).
tools=$here/../../tools/gpu
compiler=$(command -v cc gcc clang | head -n 1)
cat >k.ptx <<'END'
.version 6.3
.target sm_70
.address_size 64
.visible .entry debayer_read(.param .u64 a, .param .u64 b, .param .u32 c) { ret; }
.visible .entry blur5(.param .u64 a, .param .f32 b) { ret; }
.visible .entry product(.param .u64 a) { ret; }
.visible .entry _Z8copy_outPKfPf(.param .u64 a, .param .u64 b) { ret; }
.visible .entry _Z5twiceIfEvPT_(.param .u64 a) { ret; }
.visible .entry _Z5twiceIdEvPT_(.param .u64 a) { ret; }
END
cat >launches.yaml <<'END'
name: Camera
object: k.ptx
buffers:
  raw: 8MiB
  rgb: {bytes: 64 KiB, fill: floats}
kernels:
  debayer: {entry: debayer_read, grid: [64, 32], block: 256, arguments: [raw, rgb, {int: 1920}]}
  blur: {entry: blur5, grid: 100, block: [16, 16], shared: 65536, arguments: [rgb, {float: 0.5}]}
  product: {grid: 1024, block: 128, arguments: [rgb]}
  store: {entry: copy_out, grid: 512, block: 128, arguments: [rgb, raw], memory: 16MiB}
dependencies:
  - debayer -> [blur, product, store]
END

# What is wrong with a file of launches is said with its place.
wrong() { # wrong PLACE TEXT: of what stdin says
    cat >wrong.yaml
    expect 3 weir gpu profile wrong.yaml --check
    has stderr "wrong.yaml:$1: $2"
}
expect 0 weir gpu profile launches.yaml --check
expect 3 weir gpu profile nowhere.yaml --check
wrong 1:1 'a file of launches needs "object"' <<<'kernels: {a: {grid: 1, block: 1}}'
wrong 1:1 'a file of launches has no key "objct"; did you mean "object"?' <<<'objct: a'
wrong 1:14 'a kernel needs "block"' <<<'kernels: {a: {grid: 1}}'
wrong 1:39 'there is no buffer "x"' <<<'kernels: {a: {grid: 1, arguments: [1, x]}}'
wrong 1:42 '"1.5" is not a valid int in C' <<<'kernels: {a: {grid: 1, arguments: [{int: 1.5}]}}'
wrong 1:43 '"-1" is not a valid uint in C' <<<'kernels: {a: {grid: 1, arguments: [{uint: -1}]}}'
wrong 1:21 '"grid" needs one to three numbers' <<<'kernels: {a: {grid: [1, 1, 1, 1], block: 1}}'
wrong 1:31 '"block" must be a whole number from 1 to 1024, not "2048"' <<<'kernels: {a: {grid: 1, block: 2048}}'
wrong 1:32 '"memory" must be a whole number from 1' <<<'kernels: {a: {grid: 1, memory: 0}}'
wrong 1:14 '"bytes" must be a whole number' <<<'buffers: {a: 5 MB}'
wrong 1:31 '"fill" must be zeros, bytes or floats, not "ones"' <<<'buffers: {a: {bytes: 8, fill: ones}}'
wrong 1:11 '"a b" is not the name of a function; say which in "entry"' <<<'kernels: {a b: {grid: 1, block: 1}}'
expect 2 weir gpu launches.yaml
expect 2 weir gpu profile launches.yaml --widths 16,8
expect 2 weir gpu profile launches.yaml --margin 2

# Without a driver.
expect 3 env LD_LIBRARY_PATH=/nonexistent "$weir_program" gpu profile launches.yaml -o x.yaml
has stderr "there is no CUDA driver here"
[ -e x.yaml ] && complain "a model of nothing"

[ -n "$compiler" ] || skip "there is no C compiler"
mkdir driver old
expect 0 "$compiler" -shared -fPIC -O1 "$here/formats/fake_cuda.c" -o driver/libcuda.so.1
expect 0 "$compiler" -shared -fPIC -O1 -DFAKE_OLD "$here/formats/fake_cuda.c" -o old/libcuda.so.1
export FAKE_SMS=40
driver=driver
on_fake() { env LD_LIBRARY_PATH="$PWD/$driver" "$@"; }
measure() { on_fake "$weir_program" gpu profile "$@" --runs 48; }
driver=old
expect 3 measure launches.yaml
has stderr "the driver is for CUDA 13.0, and green contexts need 12.5"
driver=driver
expect 3 measure launches.yaml --device 1
has stderr "CUDA_ERROR_INVALID_DEVICE"
expect 3 measure launches.yaml --widths 8,12
there cannot be has stderr "12 SMs: the device has 40, in steps of 8"
refused() { # refused CHANGE TEXT
    sed "$1" launches.yaml >changed.yaml
    expect 3 measure changed.yaml -o x.yaml
    has stderr "$2"
    [ -e x.yaml ] && complain "a model of nothing"
}
refused 's/k.ptx/none.ptx/' "cannot read none.ptx"
refused 's/k.ptx/launches.yaml/' "launches.yaml: the driver says"
refused 's/entry: blur5/entry: blur7/' 'kernel "blur": k.ptx has no "blur7"; it has debayer_read, blur5, product, _Z8copy_outPKfPf'
refused 's/entry: blur5/entry: twice/' '"twice" is ambiguous in k.ptx'
refused 's/arguments: \[rgb\]/arguments: []/' 'kernel "product" takes more than the 0 arguments given'
refused 's/arguments: \[rgb\]/arguments: [rgb, raw]/' 'kernel "product" takes 1 argument, and 2 are given'
refused 's/int: 1920/double: 1920/' 'kernel "debayer": argument 3 has 4 bytes, and 8 are given'
refused 's/raw: 8MiB/raw: {bytes: 8, file: nowhere}/' 'cannot read nowhere'

# The model: 2048 blocks of 2.2 us on 8 SMs are 256 waves, 2 % more.
expect 0 measure launches.yaml -o app.yaml
has app.yaml "platform: {gpu: {sms: 40, sm-step: 8, launch-overhead: 1.056}}"
has app.yaml "times: {8: 574.399, 16: 287.167, 32: 143.551, 40: 116.623}"
equal "what they do" "$(sed -n 's/ *disturbs: //p' app.yaml | tr '\n' ' ')" "read none none copy "
equal "what they suffer from reading" "$(sed -n 's/ *suffers-read: //p' app.yaml | tr '\n' ' ')" "8 0 21 8 "
equal "what they suffer from copying" "$(sed -n 's/ *suffers-copy: //p' app.yaml | tr '\n' ' ')" "31 0 51 31 "
lacks app.yaml "MORE THAN COPYING"
# 16 MiB in 512 / 8 waves of 2.6 us on 8 SMs, and so on; alone, in the mean.
has app.yaml "# memory, in GB/s: {8: 100.9, 16: 201.8, 32: 403.9, 40: 497.3}"
equal "kernels of which it is known" "$(grep -c '# memory' app.yaml)" 1
expect 0 weir analyze app.yaml --verify
FAKE=varied expect 0 measure launches.yaml --widths 8,40 -o varied.yaml
has varied.yaml "times: {8: 631.846, 40: 128.292}" # the longest, a tenth more
expect 0 measure launches.yaml --step 2 --widths 4,20 -o fine.yaml
has fine.yaml "sm-step: 2,"
has fine.yaml "times: {4: "

# The plan: launches that can be under way together share no SM.
disjoint() { # disjoint PLAN
    awk '
        $1 == "launch" {
            n = count++
            split($5, ranges, ",")
            for (i in ranges) {
                ends = split(ranges[i], end, "-")
                for (unit = end[1] + 0; unit <= end[ends] + 0; unit++)
                    held[n, unit] = 1
            }
            waits = $6 == "-" ? 0 : split($6, list, ",")
            for (i = 1; i <= waits; i++) {
                before[n, list[i]] = 1
                for (j = 0; j < n; j++)
                    if ((list[i], j) in before)
                        before[n, j] = 1
            }
        }
        END {
            for (a = 0; a < count; a++)
                for (b = 0; b < a; b++)
                    for (unit = 0; unit < 64; unit++)
                        if (!((a, b) in before) && (a, unit) in held && (b, unit) in held)
                            print "launches " b " and " a " share part " unit
        }' "$1" >shared.txt
    [ -s shared.txt ] && complain "$(head -n 3 shared.txt)"
}
for method in best safe; do
    expect 0 weir convert app.yaml --launches launches.yaml --method $method -o $method.plan
    disjoint $method.plan
    equal "launches" "$(grep -c '^launch' $method.plan)" 4
    equal "what they depend on" "$(awk '$1 == "launch" { print $7 }' $method.plan | tr '\n' ' ')" "- 0 0 0 "
done
for seed in 1 2 3 4 5 6; do
    weir generate gpu --seed $seed --sms 48 -o random.yaml
    sed -i 's/min-time: 1/min-time: 1, sm-step: 8/' random.yaml
    expect 0 weir convert random.yaml --no-split -o random.plan
    disjoint random.plan
done
echo '{unit: us, platform: {gpu: {sms: 3}}, kernels: {a: 10}}' >third.yaml
expect 0 weir convert third.yaml -o third.plan
has third.plan "bound-ns 3333.334 " # rounded up
weir generate gpu --seed 1 -o random.yaml
expect 3 weir convert random.yaml --method greedy --no-split -o x.plan
has stderr "only a safe plan says which SMs a launch has"
sed 's/  blur:/  blurred:/; s/\[blur,/[blurred,/' launches.yaml >other.yaml
expect 3 weir convert app.yaml --launches other.yaml -o x.c
has stderr 'kernel "blur" of the model is not among the launches of other.yaml'
expect 2 weir convert app.yaml --launches launches.yaml -o x.yaml

# The program.
expect 0 weir convert app.yaml --launches launches.yaml -o plan.c
expect 0 "$compiler" -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 plan.c -o plan -ldl
expect 0 on_fake ./plan --runs 20 --csv runs.csv
has stdout "within the bound (0 of 20 runs"
equal "lines of the runs" "$(wc -l <runs.csv)" 21
expect 0 ./plan --help
expect 2 ./plan --runs many
expect 0 on_fake ./plan --unrestricted --runs 5 --line
equal "fields of the line" "$(tr -cd , <stdout | wc -c)" "$(./plan --help | sed -n 's/.*in one line: //p' | tr -cd , | wc -c)"
FAKE=late expect 1 on_fake ./plan --runs 5
has stdout "EXCEEDED (5 of 5 runs"
expect 3 on_fake ./plan --object launches.yaml
FAKE_SMS=24 expect 3 on_fake ./plan
has stderr "the plan is for 40 SMs, and the device has 24"

# Without what neighbours cost the bound does not hold.
sed 's/suffers-\([a-z]*\): [0-9]*/suffers-\1: 0/; s/, 32: [0-9.]*, 40: [0-9.]*}$/}/' app.yaml >blind.yaml
expect 0 weir convert blind.yaml --launches launches.yaml -o blind.c
expect 0 "$compiler" -O1 blind.c -o blind -ldl
expect 1 on_fake ./blind --runs 5
has stdout "EXCEEDED"
sed 's/, 32: [0-9.]*, 40: [0-9.]*}$/}/' app.yaml >narrow.yaml
expect 0 weir convert narrow.yaml --launches launches.yaml -o narrow.c
expect 0 "$compiler" -O1 narrow.c -o narrow -ldl
expect 0 on_fake ./narrow --runs 5

# The same from an application, with the header alone; its own kernels in place of those of the plan.
expect 0 weir convert app.yaml -o app.plan
cat >application.c <<'END'
#include "weir_gpu_plan.h"
int main(int count, char **words)
{
    struct weir_plan plan;
    weir_cu_handle graph, stream;
    uint64_t address = 0;
    float half = 0.5F;
    int width = 1920;
    void *two[] = {&address, &half}, *three[] = {&address, &address, &width};
    struct weir_plan_work blur = {NULL, {100, 1, 1}, {16, 16, 1}, 0, two};
    struct weir_plan_work debayer = {NULL, {64, 32, 1}, {256, 1, 1}, 0, three};
    int failed = weir_plan_read_file(&plan, words[count - 1]) || weir_plan_open(&plan, 0) || weir_plan_load(&plan, "k.ptx");
    if (!failed) {
        blur.kernel = plan.kernels[1].kernel;
        debayer.kernel = plan.kernels[0].kernel;
        failed = weir_plan_set(&plan, "blur", &blur) || weir_plan_set(&plan, "debayer", &debayer) ||
                 weir_plan_build(&plan, &graph) || weir_plan_check(&plan, plan.cu.stream_create(&stream, 1), "a stream") ||
                 weir_plan_check(&plan, plan.cu.graph_launch(graph, stream), "running") || weir_plan_wait(&plan, stream, 5);
    }
    if (failed)
        puts(plan.error);
    else if (weir_plan_set(&plan, "sharpen", &blur))
        printf("%s\n%zu contexts\n", plan.error, plan.context_count);
    weir_plan_close(&plan);
    return failed ? 1 : 0;
}
END
expect 0 "$compiler" -std=gnu99 -Wall -Wextra -Werror -I "$tools" application.c -o application -ldl
expect 0 on_fake ./application best.plan
has stdout 'the plan has no kernel "sharpen"'
has stdout " contexts"
expect 1 on_fake ./application app.plan
has stdout 'k.ptx has no "-"'
sed 's/^launch 0.*/launch 9/' best.plan >bad.plan
expect 1 on_fake ./application bad.plan
has stdout 'of the plan is not one of a "weir-gpu-plan 1" file'

# What is declared of the driver is what NVIDIA declares.
cuda=$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")
if [ -e "$cuda/../include/cuda.h" ]; then
    cat >same.c <<'END'
#include <cuda.h>
#include "weir_gpu_driver.h"
#define SAME(a, b) typedef char check_##a[(long)(WEIR_CU_##a) == (long)(b) ? 1 : -1]
SAME(SMS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(SHARED_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(FUNCTION_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(NOT_READY, CUDA_ERROR_NOT_READY);
SAME(HOST_MAPPED, CU_MEMHOSTALLOC_DEVICEMAP);
SAME(RESOURCE_SM, CU_DEV_RESOURCE_TYPE_SM);
SAME(SPLIT_SINGLE, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING);
SAME(GREEN_DEFAULT, CU_GREEN_CTX_DEFAULT_STREAM);
#define SIZE(a, b) typedef char size_##a[sizeof(struct weir_cu_##a) == sizeof(b) ? 1 : -1]
SIZE(node, CUDA_KERNEL_NODE_PARAMS_v2);
SIZE(resource, CUdevResource);
#define PLACE(a, x, b, y) typedef char place_##y[offsetof(struct weir_cu_##a, x) == offsetof(b, y) ? 1 : -1]
PLACE(node, arguments, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
PLACE(node, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);
PLACE(node, context, CUDA_KERNEL_NODE_PARAMS_v2, ctx);
PLACE(resource, of, CUdevResource, sm);
/* As many parameters as theirs, handed over in the same way: handles and addresses are as wide as pointers. */
#define CALL(name, symbol, parameters) int (*const name##_like) parameters = 0; (void)name##_like; (void)sizeof(&symbol);
int main(void)
{
    WEIR_CU_NEW(CALL)
    return 0;
}
END
    expect 0 "$compiler" -I "$cuda/../include" -I "$tools" -fsyntax-only same.c
fi
assembler=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
for which in neighbour:neighbour_ptx:$here/../../src/measure/gpu/probe.c mark:ptx:$tools/weir_gpu_plan.h; do
    IFS=: read -r name variable file <<<"$which"
    sed -n "/static const char $variable\[\] =/,/;\$/p" "$file" >$name.h
    printf '#include <stdio.h>\n#include "%s.h"\nint main(void)\n{\n    fputs(%s, stdout);\n}\n' $name $variable >print.c
    expect 0 "$compiler" print.c -o print
    ./print >$name.ptx
    [ -z "$assembler" ] || expect 0 "$assembler" -arch sm_90 $name.ptx -o $name.cubin
done

# What nvcc makes: a cubin, a fatbin, and a shared object that has one in it.
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || skip "the rest: there is no nvcc"
echo 'extern "C" __global__ void scale(float *a, float b) { a[blockIdx.x] *= b; } __global__ void plain(float *a) { *a = 1; }' >k.cu
expect 0 "$nvcc" -arch=sm_90 -cubin k.cu -o k.cubin
expect 0 "$nvcc" -arch=sm_90 -shared -Xcompiler -fPIC k.cu -o libk.so
expect 0 "$nvcc" -arch=sm_90 -fatbin k.cu -o k.fatbin
cat >made.yaml <<'END'
object: k.cubin
buffers: {a: 4KiB}
kernels:
  scale: {grid: 64, block: 32, arguments: [a, {float: 2}]}
  plain: {grid: 64, block: 32, arguments: [a]}
END
expect 0 measure made.yaml -o made-model.yaml
has made-model.yaml '"plain":'
for object in libk.so k.fatbin; do
    sed "s/k.cubin/$object/; /plain:/d; s/scale: {/scale: {entry: fatbin, /" made.yaml >from.yaml
    expect 0 measure from.yaml -o from-model.yaml
done
cp "$BASH" nothing
sed 's/k.cubin/nothing/' made.yaml >from.yaml
expect 3 measure from.yaml
has stderr "nothing holds no device code"
expect 0 weir convert made-model.yaml --launches made.yaml -o made.cu
expect 0 "$nvcc" -O1 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror made.cu -o made -ldl
expect 0 on_fake ./made --runs 5
