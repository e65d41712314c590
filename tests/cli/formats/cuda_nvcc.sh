# SPDX-License-Identifier: Apache-2.0
# Plans as programs for nvcc.
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || skip "there is no nvcc"
printf 'platform: {gpu: {sms: 4, min-time: 1}}\nkernels: {"a */ b": 4, c: {load: 6, splittable: true}, "d\\\\": 3}\ndependencies: ["a */ b -> c"]\n' >few.yaml
for method in best safe; do
    expect 0 weir convert few.yaml --method $method -o $method.cu
    expect 0 "$nvcc" -O1 -Xcompiler -Wall,-Wextra,-Werror $method.cu -o $method
done
expect 0 ./best --help
has stdout "Usage: ./best"
expect 2 ./best --module kernels.ptx
