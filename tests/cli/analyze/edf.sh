# SPDX-License-Identifier: Apache-2.0
# weir analyze for flows on a pool of cores.
receiver=$models/receiver.yaml
expect 0 weir analyze "$receiver" --verify --explain
[ -s stderr ] && complain "talk on stderr"
grep -q ' $' stdout && complain "lines end in spaces"
awk 'length > 150 { print "too wide: " $0; bad = 1 } END { exit bad }' stdout || complain "too wide"
same stdout receiver.txt
expect 0 weir analyze "$receiver" --verify --json
same stdout receiver.json
equal engine "$(json stdout engine)" '"global-edf"'
equal gathering "$(json stdout latency.0.gathering)" 164.930556

# Bounds, one by one: with a core for each operator, with one core, and where the no-miss test fails.
expect 0 weir analyze "$receiver" --cores 6 --explain
has stdout "6 operators, 4 queues, 6 cores"
has stdout "yes: 6 operators, 6 cores"
expect 0 weir analyze "$receiver" --cores 6 --json
equal "response alone" "$(json stdout operators.0.response)" "$(json stdout operators.0.cost)"
equal bound "$(json stdout operators.0.bound)" '"alone"'
expect 0 weir analyze "$receiver" --cores 1 --explain
has stdout "yes: one core"
cat >heavy.yaml <<'EOF'
name: heavy
platform: {cores: 2}
operators: {a: {time: 9}, b: {time: 6}, c: {time: 3}}
queues: [a -> b -> c]
source: {operator: a, period: 10}
EOF
expect 0 weir analyze heavy.yaml --explain --verify
has stdout "no: 3 operators, 2 cores"
has stdout "no: utilization 1.8 is above 2 - 1 x 0.9, the largest of an operator"
has stdout "utilization: 1.8 of 2 cores, 90 %"
has stdout "operator  devi-anderson  compliant  window  the least" # nothing of bounds that do not apply

# Deadlines, of the command line too; whole ticks or not.
expect 0 weir analyze "$receiver" --deadline 100ms
has stdout "all deadlines met"
expect 4 weir analyze "$receiver" --deadline 300us
has stdout "Receiver: DEADLINE NOT PROVED: source -> scope is bounded by" # the latest of all
has stdout "not proved: the bound is"
equal "instead of the model's" "$(grep -c 'deadline 300 us: met' stdout)" 2
expect 4 weir analyze "$receiver" --deadline 300us --json
equal "met" "$(json stdout latency.0.met)" true
equal "not proved" "$(json stdout latency.1.met)" null
equal "not proved" "$(json stdout latency.1.state)" '"not proved"'
expect 2 weir analyze "$receiver" --deadline soon
expect 2 weir analyze "$receiver" --deadline -1ms
cat >third.yaml <<'EOF'
name: third
unit: ms
platform: {cores: 1}
operators: {a: {time: 1}, b: {time: 1}}
queues: [{from: a, to: b, produce: 1, consume: 3}]
source: {operator: a, period: 7, burst: 3}
EOF
sed 's/, burst: 3/, batch: 1/; s/period: 7/rate: 300Hz/; s/time: 1/time: 1.5/g' third.yaml >rate.yaml
expect 0 weir analyze rate.yaml
has stdout "3.33334"
lacks stdout "3.33333 "
expect 0 weir analyze rate.yaml --json
equal "period rounded up" "$(json stdout operators.0.period)" 3.333334
equal "period of b" "$(json stdout operators.1.period)" 10
expect 0 weir analyze third.yaml
has stdout "from the last arrival that an execution needs"
has stdout "After sources that are not even"

# Not schedulable: an operator, the sum, a queue.
sed 's/time: 9/time: 12/' heavy.yaml >over.yaml
expect 1 weir analyze over.yaml
same stdout receiver-over.txt
expect 1 weir analyze over.yaml --json
equal schedulable "$(json stdout schedulable)" false
equal worst "$(json stdout latency.0.worst)" null
equal unbounded "$(json stdout latency.0.unbounded)" true
equal response "$(json stdout operators.0.response)" null
equal bound "$(json stdout operators.0.bound)" null
equal total "$(json stdout buffer_total)" null
equal load "$(json stdout operators.0.utilization)" 1.2
[ "$(json stdout why)" = "$(json stdout latency.0.why)" ] || complain "two reasons"
expect 1 weir analyze heavy.yaml --cores 1
has stdout "heavy: NOT SCHEDULABLE: the operators need 1.8 cores in all, 0.8 more than the 1 there is"
has stdout "weir explore MODEL --batch rate"
sed 's/queues: .*/queues: [{from: a, to: b, capacity: 1}, b -> c]/' heavy.yaml >small.yaml
expect 4 weir analyze small.yaml # nothing is proved
has stdout 'NO BOUND FOUND: the queue from "a" to "b" holds 1'
has stdout '`capacity: auto` leaves its size to the analysis'
lacks stdout "more cores"

# A join of sources that may be silent has no bound.
cat >join.yaml <<'EOF'
name: join
platform: {cores: 2}
operators: {a: {time: 1}, b: {time: 1}, c: {time: 1}}
queues: [a -> c, b -> c]
sources: [{operator: a, period: 9, sporadic: true}, {operator: b, period: 9, sporadic: true}]
EOF
expect 1 weir analyze join.yaml
has stdout "join: NO BOUND: a -> c: it also waits for another source"
has stdout "a -> c   worst no bound"
expect 1 weir analyze join.yaml --json
equal schedulable "$(json stdout schedulable)" true
equal unbounded "$(json stdout latency.0.unbounded)" true
expect 1 weir analyze join.yaml --deadline 5
has stdout "deadline 5: MISSED"

# Several models at once, of several platforms.
expect 1 weir analyze "$receiver" over.yaml "$models/drone.yaml"
has stdout "3 models: 2 fine, 1 late"
expect 1 weir analyze "$receiver" over.yaml --json
equal "second of an array" "$(json stdout 1.schedulable)" false

# Many: cut short, unless --full.
{
    echo "name: many"
    echo "platform: {cores: 3}"
    echo "operators:"
    echo "  s: {time: 1}"
    for i in $(seq 60); do echo "  n$i: {time: 1}"; done
    echo "queues:"
    for i in $(seq 60); do echo "  - s -> n$i"; done
    echo "source: {operator: s, period: 100}"
} >many.yaml
expect 0 weir analyze many.yaml --explain
has stdout "... and 48 more, none of them worse (--full lists all)"
equal "cut short" "$(grep -c "and 21 more (--full lists all)" stdout)" 2
has stdout "and 40 more (--full lists all)"
expect 0 weir analyze many.yaml --explain --full
lacks stdout "--full lists all"
has stdout "n60"
expect 4 weir analyze many.yaml --deadline 3 --full
equal "every deadline" "$(grep -c 'deadline 3: not proved' stdout)" "$(grep -c 'deadline 3: ' stdout)"

# What does not go with a pool of cores, and what only goes with one.
expect 3 weir analyze "$receiver" --method best
has stderr "the method best is for operators that share processors or kernels on a GPU, and those of this model run on a pool of cores"
for method in EI CIX; do
    expect 3 weir analyze "$receiver" --method $method
    has stderr "the method $method is for operators that share processors, and those of this model run on a pool of cores"
done
for method in exact tgdfs statespace; do
    expect 3 weir analyze "$receiver" --method $method
    has stderr "the method $method is for operators with a thread each, and those of this model run on a pool of cores"
done
expect 2 weir analyze "$receiver" --latency-limit 3ms
expect 2 weir analyze "$receiver" --limit 3
expect 2 weir analyze "$receiver" --force-queue 3
for model in ultrasound drone; do
    for option in "--cores 2" --explain; do
        expect 2 weir analyze "$models/$model.yaml" $option
        has stderr "the option is for a pool of cores"
    done
done
for cores in 0 65537 two -1; do
    expect 2 weir analyze "$receiver" --cores $cores
done
expect 0 weir analyze "$receiver" --cores 65536
