# SPDX-License-Identifier: Apache-2.0
# The output for a person, the same bytes for the same seed.
expect 0 weir simulate "$models/ultrasound.yaml"
[ -s stderr ] && complain "talk on stderr"
same stdout ultrasound-simulated.txt
cp stdout first
expect 0 weir simulate "$models/ultrasound.yaml" --seed 1 --runs 100 --iterations 1000
cmp -s stdout first || complain "the defaults are not what the help says"
expect 0 weir simulate "$models/ultrasound.yaml" --seed 2
cmp -s stdout first && complain "another seed changes nothing"
grep -q ' $' first && complain "lines end in spaces"
awk 'length > 80 { print "too wide: " $0; bad = 1 } END { exit bad }' first || complain "too wide"

# No simulation leaves the exact bounds, and both ends are the ones of analyze.
for model in ultrasound camera overload backlog pairs late; do
    expect 0 weir simulate "$models/$model.yaml" --runs 20 --json
    cp stdout simulated
    weir analyze "$models/$model.yaml" --json >analyzed
    pairs=$(grep -c '"samples"' simulated)
    for ((i = 0; i < pairs; i++)); do
        for key in from to worst best; do
            equal "$model $key" "$(json simulated latency.$i.$key)" "$(json analyzed latency.$i.$key)"
        done
        equal "$model samples" "$(($(json simulated latency.$i.samples) + 20 * $(json simulated latency.$i.shift)))" 20000
    done
done

# One kind of times; a run at worst times is what the paper's simulation does.
for times in random best worst bang-bang; do
    expect 0 weir simulate "$models/ultrasound.yaml" --times $times --runs 2 --iterations 50 --json
    equal times "$(json stdout times)" "\"$times\""
    equal samples "$(json stdout latency.0.samples)" 100
done
expect 0 weir simulate "$models/ultrasound.yaml" --times worst --iterations 1
has stdout "100 runs of 1 iteration, worst times, seed 1"
has stdout "100 latencies"

# Unbounded: no verdict, only what was seen.
cat >flood.yaml <<END
operators: {camera: {time: 1}, slow: {time: [1, 3]}}
queues: [{from: camera, to: slow, capacity: unbounded}]
END
expect 0 weir simulate flood.yaml --runs 4
has stdout "worst no bound"
expect 0 weir simulate flood.yaml --runs 4 --json
equal worst "$(json stdout latency.0.worst)" null
equal unbounded "$(json stdout latency.0.unbounded)" true
equal exact "$(json stdout latency.0.exact)" false

# Several models.
expect 0 weir simulate "$models/ultrasound.yaml" "$models/pairs.yaml" --runs 2 --json
equal "second model" "$(json stdout 1.model)" '"crossing"'
expect 3 weir simulate no-such.yaml "$models/pairs.yaml" --runs 2 --json
equal "a model that is not there" "$(json stdout 0.file)" '"no-such.yaml"'
equal "the other" "$(json stdout 1.model)" '"crossing"'
weir generate holoscan --nodes 5 | weir simulate - --runs 2 >stdout || complain "from standard input"
has stdout "A -> E"
expect 0 weir simulate "$models/graph.dot" --queue 3 --runs 2
expect 2 weir simulate
has stderr "which model?"
expect 2 weir simulate - -
expect 2 weir simulate "$models/pairs.yaml" --times bangbang
has stderr "did you mean 'bang-bang'?"
expect 2 weir simulate "$models/pairs.yaml" --iterations 0
expect 2 weir simulate "$models/pairs.yaml" --runs -1

# Times from a file: a chain with a queue of one, worked out by hand.
cat >chain.yaml <<END
unit: ms
operators: {A: {time: [0, 10]}, "B, the second": {time: [0, 10]}}
queues: [{from: A, to: "B, the second", capacity: 1}]
END
printf 'operator,iteration,time\r\nA,0,1\n\n# slow once\n "B, the second" , 0 , 4.5\nA,1,250us\nA,2,1\n' >times.csv
expect 0 weir simulate chain.yaml --times-file times.csv --times best --json
# A runs 0..1, 1..1.25, 5.5..6.5; B 1..5.5, 5.5, 6.5.
equal iterations "$(json stdout iterations)" 3
equal min "$(json stdout latency.0.min)" 1
equal median "$(json stdout latency.0.median)" 4.5
equal max "$(json stdout latency.0.max)" 5.5
expect 0 weir simulate chain.yaml --times-file times.csv
has stdout "1 run of 3 iterations, times from times.csv, others worst"
expect 0 weir simulate chain.yaml --times-file times.csv --iterations 8
has stdout "8 latencies"
: >empty.csv
expect 0 weir simulate chain.yaml --times-file empty.csv --iterations 2
has stdout "2 latencies"

# What can be wrong with it, all at once, each with its line.
cat >bad.csv <<END
C,0,1
A,one,1
A,0,11
A,0,1ounce
A,3,1
A,18446744073709551616,1
END
expect 3 weir simulate chain.yaml --times-file bad.csv --iterations 3
[ -s stdout ] && complain "an answer in spite of mistakes"
has stderr 'bad.csv:1:1: unknown operator "C"'
has stderr 'bad.csv:2:3: an iteration must be a whole number from 0 on, not "one"'
has stderr 'bad.csv:3:5: "A" takes from 0 to 10 in the model, so not 11'
has stderr 'bad.csv:4:5: "1ounce"'
has stderr 'bad.csv:5:3: iteration 3 is not simulated'
has stderr 'bad.csv:6:3: an iteration must be'
printf 'A,0\nA,0,1,2\n"A"B,0,1\n"A,0,1\n' >bad.csv
expect 3 weir simulate chain.yaml --times-file bad.csv
has stderr 'bad.csv:1:1: expected operator,iteration,time, but found less'
has stderr 'bad.csv:2:1: expected operator,iteration,time, but found more'
has stderr 'bad.csv:3:4: expected a comma after the quote'
has stderr 'bad.csv:4:1: a quote is not closed'
printf 'A,0,1\nA,1,1\nA,0,2\n' >bad.csv
expect 3 weir simulate chain.yaml --times-file bad.csv
has stderr 'bad.csv:3:3: iteration 0 of "A" has a time in line 1 already'
head -c 1000 /dev/zero >bad.csv
expect 3 weir simulate chain.yaml --times-file bad.csv
has stderr "bad.csv:1:1: "
expect 3 weir simulate chain.yaml --times-file no-such.csv
has stderr "no-such.csv: cannot read this file"
expect 3 weir simulate chain.yaml --times-file .
expect 2 weir simulate chain.yaml --times-file times.csv --runs 2
expect 2 weir simulate chain.yaml --times-file times.csv --times random
expect 2 weir simulate chain.yaml chain.yaml --times-file times.csv

# Batches: each of the messages of a batch has a latency. A starts at 0, 1, 2, ...; B at 2, 4, ..., so 3 and 2 each time.
cat >batch.yaml <<END
operators: {A: 1, B: 1}
queues: [{from: A, to: B, consume: 2}]
END
expect 0 weir simulate batch.yaml --runs 1 --iterations 10 --times worst --json
equal batches "$(json stdout latency.0.samples)" 20
equal oldest "$(json stdout latency.0.max)" 3
equal newest "$(json stdout latency.0.min)" 2
equal exact "$(json stdout latency.0.exact)" true
equal ages "$(json stdout ages)" false

# Connections that do not wait: B takes every other message, then fails instead.
cat >lossy.yaml <<END
operators: {A: 10, B: 23}
queues: [{from: A, to: B, blocking: false, full: pop}]
END
expect 0 weir simulate lossy.yaml --runs 2 --iterations 4
has stdout "latencies are ages"
has stdout "Messages lost, or replaced"
expect 0 weir simulate lossy.yaml --runs 2 --iterations 4 --json
equal lost "$(json stdout lost.0.from)" '"A"'
equal faults "$(json stdout faults)" 0
sed 's/pop/fault/' lossy.yaml >fault.yaml
expect 0 weir simulate fault.yaml --runs 2 --iterations 4
has stdout "the application failed in 2 runs, first at 30: A -> B was full"

# ... with times of a file: what it does not give of work on a GPU and of transfers is at its worst, or best.
cat >gpu.yaml <<END
operators: {A: [0, 1], B: {time: [0, 1], gpu: {time: [1, 2], waits: true, after: [1, 3]}}}
queues: [{from: A, to: B, transfer: [1, 4]}]
END
expect 0 weir simulate gpu.yaml --times-file empty.csv --iterations 1 --json
equal worst "$(json stdout latency.0.max)" 11
expect 0 weir simulate gpu.yaml --times-file empty.csv --times best --iterations 1 --json
equal best "$(json stdout latency.0.min)" 3

# Too many to keep: a selection, and it says so.
expect 0 weir simulate chain.yaml --runs 11 --iterations 1000000 --times random --json
equal samples "$(json stdout latency.0.samples)" 11000000
equal percentiles "$(json stdout latency.0.percentiles_exact)" false

# Operators that share worker threads: two for four operators, one thread, and a worker for each after all.
fork_of_four() {
    cat >workers.yaml <<END
weir: 1
platform: {scheduler: $1}
operators: {A: {time: [5, 10]}, B: {time: [1, 7]}, C: {time: [2, 4]}, D: {time: [1, 3]}}
queues:
  - {from: A, to: B, capacity: $2}
  - {from: A, to: C, capacity: $2}
  - {from: B, to: D, capacity: $2}
  - {from: C, to: D, capacity: $2}
END
}
fork_of_four 'event-based, workers: 2' 1
expect 0 weir simulate workers.yaml --runs 20 --iterations 200
has stdout 'event-based scheduler, 2 workers; the next operator, in turn'
has stdout 'bounds: best 8, worst'
has stdout 'of it'
expect 0 weir simulate workers.yaml --runs 20 --iterations 200 --json
equal scheduler "$(json stdout scheduler)" '"event-based"'
equal workers "$(json stdout workers)" 2
equal exact "$(json stdout latency.0.exact)" false
cp stdout first
expect 0 weir simulate workers.yaml --runs 20 --iterations 200 --json
cmp -s first stdout || complain "the same seed, other latencies"
fork_of_four 'multi-thread, workers: 2, polling: 5' 1
expect 0 weir simulate workers.yaml --runs 20 --iterations 200
has stdout 'multi-thread scheduler, 2 workers, up to 5 until an operator is seen'
fork_of_four greedy 1 # A B C D: one message at a time
expect 0 weir simulate workers.yaml --runs 20 --iterations 200
has stdout 'greedy scheduler: one thread'
has stdout 'exact: best 9, worst 24; the worst case was seen'
expect 0 weir simulate workers.yaml --json
equal exact "$(json stdout latency.0.exact)" true
fork_of_four 'event-based, workers: 4' 1
expect 0 weir simulate workers.yaml
has stdout 'exact: best 8, worst 20; the worst case was seen'
fork_of_four 'event-based, workers: 2' unbounded
expect 0 weir simulate workers.yaml --runs 2 --iterations 20
has stdout 'worst not known'
has stdout 'no bound found: '
expect 0 weir simulate workers.yaml --runs 2 --iterations 20 --json
equal worst "$(json stdout latency.0.worst)" null
has stdout '"why": '
printf 'A,0,7\n' >given.csv
fork_of_four greedy 1
expect 0 weir simulate workers.yaml --times-file given.csv --iterations 1 --json # 7 + 7 + 4 + 3
equal max "$(json stdout latency.0.max)" 21
