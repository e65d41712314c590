# SPDX-License-Identifier: Apache-2.0
graph=graph.dot
cp "$models/$graph" .

# Unknown options are met with the nearest one.
expect 2 weir analyze $graph --jsno
has stderr "unknown option '--jsno'; did you mean '--json'?"
has stderr "Try 'weir analyze --help'."
[ -s stdout ] && complain "an answer in spite of wrong usage"
expect 2 weir analyze $graph --dead=5
has stderr "did you mean '--deadline'?"
expect 2 weir analyze $graph --xyzzy=1
has stderr "unknown option '--xyzzy'"
lacks stderr "did you mean"
expect 2 weir analyze $graph -q
has stderr "unknown option '-q'"

# Values.
expect 2 weir analyze $graph --queue
has stderr "--queue needs a value"
for wrong in 0 -1 x 1.5 "" 99999999999999999999 4294967296 "3 "; do
    expect 2 weir analyze $graph --queue "$wrong"
    has stderr "--queue takes a whole number"
done
expect 2 weir analyze $graph --json=yes
has stderr "--json takes no value"
expect 2 weir analyze $graph --queue 2 --force-queue 3
has stderr "exclude each other"
for wrong in soon 5parsecs -1 -3ms "" 1..2; do
    expect 2 weir analyze $graph --deadline "$wrong"
    has stderr "--deadline"
done

# Options before, behind and between operands; both ways to give a value; the last one counts.
expect 0 weir analyze $graph --json --queue 2
cp stdout reference
for order in "--json --queue=2 $graph" "--queue 2 $graph --json" "--json $graph --queue 1 --queue 2" "--queue 2 --json -- $graph"; do
    expect 0 weir analyze $order
    cmp -s stdout reference || complain "differs: $order"
done

# Behind "--" everything is an operand.
cp $graph ./--json
expect 0 weir analyze -- --json
has stdout "worst 2710"
lacks stdout '"worst"'

expect 2 weir analyze
has stderr "which model?"

# --queue is a default, --force-queue is not.
printf 'operators: {a: 10, b: 20, c: 5}\nqueues:\n  - a -> b\n  - {from: b, to: c, capacity: 1}\n' >chain.yaml
worst() {
    expect 0 weir analyze chain.yaml --json "$@"
    json stdout latency.0.worst
}
equal "worst with queue 1" "$(worst)" 45
equal "worst with --queue 3" "$(worst --queue 3)" 85
equal "worst with --queue 1" "$(worst --queue 1)" 45
expect 0 weir convert chain.yaml --queue 3 -o q.yaml
has q.yaml "{from: a, to: b, capacity: 3}"
has q.yaml "{from: b, to: c, capacity: 1}"
has stderr "keep the capacity that the model gives them"
expect 0 weir convert chain.yaml --force-queue 3 -o q.yaml
has q.yaml "{from: b, to: c, capacity: 3}"
# What would be ignored is refused.
printf 'operators: {a: 10, b: 20}\nqueues:\n  - {from: a, to: b, capacity: 1}\n' >own.yaml
expect 3 weir analyze own.yaml --queue 3
has stderr "every queue of the model gives its own; --force-queue changes them"
# ... by every verb that takes it; what it advises is taken by the same verb, one wins over the model, and both at once are refused.
printf '(a,1000,3000) -> (b,3000,29000)\n' >flow.log
for verb in analyze "report -o x.html" "simulate --runs 1" "run --work none --tick 1us --iterations 2" "convert -o q.yaml" compare; do
    log=$([ "$verb" = compare ] && echo flow.log)
    # shellcheck disable=SC2086
    expect 3 weir $verb own.yaml $log --queue 3
    has stderr "every queue of the model gives its own; --force-queue changes them"
    # shellcheck disable=SC2086
    expect 2 weir $verb own.yaml $log --queue 3 --force-queue 3
    has stderr "--queue and --force-queue exclude each other"
    # shellcheck disable=SC2086
    weir $verb own.yaml $log --force-queue 3 >stdout 2>stderr
    [ $? != 2 ] || complain "--force-queue: $verb" # a run on a busy machine may be late, a log may be short
    lacks stderr "--force-queue"
    # shellcheck disable=SC2086
    weir $verb chain.yaml $log --queue 3 >stdout 2>stderr
    has stderr "some queues keep the capacity that the model gives them; --force-queue changes them, too"
done
for verb in analyze "report -o x.html" simulate "convert -o q.yaml"; do
    for option in queue force-queue; do
        # shellcheck disable=SC2086
        expect 2 weir $verb "$models/kernels.yaml" --$option 3
        has stderr "--$option: $models/kernels.yaml has kernels on a GPU; dependencies have no capacity"
    done
done
