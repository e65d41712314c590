# SPDX-License-Identifier: Apache-2.0
# weir simulate for graphs of kernels on a GPU.
cat >worked.yaml <<'MODEL'
name: worked
unit: us
platform: {gpu: {sms: 6, min-time: 1}}
defaults: {splittable: true}
kernels: {v1: 1, v2: 4, v3: 2, v4: 2, v5: 4, v6: 4, v7: 1}
dependencies: [v1 -> v2 -> v7, v1 -> v3 -> v5 -> v7, v1 -> v4 -> v5, v4 -> v6 -> v7]
MODEL
expect 0 weir simulate worked.yaml
[ -s stderr ] && complain "talk on stderr"
grep -q ' $' stdout && complain "lines end in spaces"
has stdout "worked: 1,000 runs on 6 SMs, method best, mixed times, mixed dispatch, seed 1"
has stdout "bounds: worst 5 us; the bound was reached"
has stdout "interleaved       5         100 %   333"
lacks stdout EXCEEDED
cp stdout first
expect 0 weir simulate worked.yaml
cmp -s stdout first || complain "other bytes the second time"
expect 0 weir simulate worked.yaml --json --method safe --times worst --dispatch gang --runs 9
equal engine "$(json stdout engine)" '"gpu"'
equal method "$(json stdout method)" '"safe"'
equal runs "$(json stdout runs)" 9
equal safe "$(json stdout safe)" true
equal exceeded "$(json stdout exceeded)" 0
equal bound "$(json stdout bound)" 5
equal max "$(json stdout makespan.max)" 5
equal dispatch "$(json stdout latest.dispatch)" '"gang"'
expect 0 weir simulate worked.yaml --json --sms 1 --times worst --runs 3
equal "on one SM" "$(json stdout makespan.max)" 18

# A bound that is not safe is exceeded, loudly, and the run can be had again.
cat >rounded.yaml <<'MODEL'
name: rounded
platform: {gpu: {sms: 3, min-time: 1}}
kernels: {v1: 1, v2: 2, v3: 2, v4: 1}
dependencies: [v1 -> v2 -> v4, v1 -> v3 -> v4]
MODEL
expect 1 weir simulate rounded.yaml --method paper
has stdout "THE BOUND IS EXCEEDED"
has stdout "by up to 33.4 %: the method paper is not safe"
has stderr "a bound that is not safe is exceeded: 4, and it is 3"
again=$(sed -n 's/^ *the latest again: //p' stdout)
[ -n "$again" ] || complain "not how to have it again"
# shellcheck disable=SC2086 # several words
expect 1 weir simulate rounded.yaml $again --json
equal "again" "$(json stdout makespan.max)" 4
equal exceeded "$(json stdout exceeded)" 1
expect 0 weir simulate rounded.yaml --method safe
expect 1 weir simulate rounded.yaml worked.yaml --method paper --json
equal "first of two" "$(json stdout 0.model)" '"rounded"'
equal "second of two" "$(json stdout 1.model)" '"worked"'

# What does not go together.
expect 2 weir simulate worked.yaml --method beest
has stderr "did you mean 'best'?"
expect 2 weir simulate worked.yaml --dispatch ganng
has stderr "did you mean 'gang'?"
for option in "--iterations 5" "--search 5" "--releases burst" "--cores 2" "--times best" "--runs 20000000"; do
    # shellcheck disable=SC2086
    expect 2 weir simulate worked.yaml $option
done
printf 'v1,0,1\n' >times.csv
expect 2 weir simulate worked.yaml --times-file times.csv
for option in "--method best" "--dispatch gang" "--sms 3"; do
    # shellcheck disable=SC2086
    expect 2 weir simulate "$models/receiver.yaml" $option
    has stderr "the option is for graphs of kernels on a GPU"
done
printf 'platform: {gpu: {sms: 2}}\nkernels: {a: 3}\n' >bare.yaml
expect 3 weir simulate bare.yaml --method graham

# Two SMs for each of three kernels, one after the other: 3, and Graham's bound is 8/3.
printf 'platform: {gpu: {sms: 3, min-time: 1}}\nkernels: {a: 2, b: 2, c: 2}\n' >gangs.yaml
expect 0 weir simulate gangs.yaml --method graham --dispatch fifo
expect 1 weir simulate gangs.yaml --method graham --dispatch gang
has stderr "a bound that is not safe is exceeded"
has stdout "not safe: it holds only where a free SM takes a ready block at once"
