# SPDX-License-Identifier: Apache-2.0
# weir simulate for flows on a pool of cores.
receiver=$models/receiver.yaml
expect 0 weir simulate "$receiver" --runs 12 --iterations 50
[ -s stderr ] && complain "talk on stderr"
grep -q ' $' stdout && complain "lines end in spaces"
same stdout receiver-simulate.txt
expect 0 weir simulate "$receiver" --runs 12 --iterations 50
same stdout receiver-simulate.txt # the same bytes
expect 0 weir simulate "$receiver" --runs 12 --iterations 50 --json
equal engine "$(json stdout engine)" '"global-edf"'
equal rounds "$(json stdout rounds)" 50
bound=$(json stdout latency.0.worst)
expect 0 weir analyze "$receiver" --json
equal "bound of the analysis" "$(json stdout latency.0.worst)" "$bound"
expect 0 weir simulate "$receiver" --runs 12 --iterations 50 --json
peak=$(json stdout buffers.0.peak) capacity=$(json stdout buffers.0.capacity)
[ "$peak" -gt 0 ] && [ "$peak" -le "$capacity" ] || complain "peak $peak of $capacity"
expect 0 weir simulate "$receiver" --runs 2 --iterations 20 --json --seed 2
one=$(json stdout latency.1.samples)
[ "$one" -gt 0 ] || complain "no latencies"

# By hand: two operators, one core, worst costs: each sample takes 5.
cat >chain.yaml <<'EOF'
name: chain
unit: ms
platform: {cores: 1}
operators: {a: {time: [1, 2]}, b: {time: [2, 3]}}
queues: [a -> b]
source: {operator: a, period: 10}
EOF
expect 0 weir simulate chain.yaml --times worst --runs 1 --iterations 10 --json
equal samples "$(json stdout latency.0.samples)" 10
for key in min median max; do
    equal $key "$(json stdout latency.0.$key)" 5
done
equal "response of b" "$(json stdout operators.1.response_max)" 3
equal executions "$(json stdout operators.1.executions)" 10
expect 0 weir simulate chain.yaml --times best --runs 1 --iterations 10 --json
equal best "$(json stdout latency.0.max)" 3
# Batches of three: the first sample waits for two more.
sed 's/period: 10/period: 10, batch: 3/' chain.yaml >batch.yaml
expect 0 weir simulate batch.yaml --times worst --runs 1 --iterations 10 --json
equal "with gathering" "$(json stdout latency.0.max)" 25
# Three executions of a for one of b: the first of them waits for the third.
sed 's/a -> b/{from: a, to: b, consume: 3}/' chain.yaml >down.yaml
expect 0 weir simulate down.yaml --times worst --runs 1 --iterations 10 --json
equal "first of three" "$(json stdout latency.0.max)" 25
equal "last of three" "$(json stdout latency.0.min)" 5
equal samples "$(json stdout latency.0.samples)" 30
# Sporadic: one latency for each execution of b, from the third.
sed 's/period: 10/period: 10, sporadic: true/' down.yaml >sporadic.yaml
expect 0 weir simulate sporadic.yaml --times worst --runs 1 --iterations 10 --releases nominal --json
equal "from the last" "$(json stdout latency.0.max)" 5
equal samples "$(json stdout latency.0.samples)" 10
expect 0 weir simulate sporadic.yaml
has stdout "from the last arrival that an execution needs"
# A sample that waits behind one that is there from the beginning.
sed 's/a -> b/{from: a, to: b, initial: 1}/' chain.yaml >behind.yaml
expect 0 weir simulate behind.yaml --times worst --runs 1 --iterations 10 --json
equal "behind another sample" "$(json stdout latency.0.max)" 8 # an end of a, and two of b

# Jitter and bursts, all kinds of arrivals; nothing beyond the bounds.
for source in "period: 10, jitter: 25" "period: 30, burst: 3" "rate: 90Hz" "period: 10, sporadic: true, batch: 2"; do
    sed "s/period: 10/$source/" chain.yaml >one.yaml
    for releases in nominal random extreme; do
        expect 0 weir simulate one.yaml --releases $releases --runs 8 --iterations 30
        has stdout "$releases arrivals"
    done
    expect 0 weir simulate one.yaml --cores 2 --runs 8 --iterations 30
    has stdout "on 2 cores"
done

# Not schedulable: simulated, without bounds.
sed 's/\[2, 3\]/[9, 12]/' chain.yaml >over.yaml
expect 0 weir simulate over.yaml --runs 4
has stdout "no bound: operator \"b\""
expect 0 weir simulate over.yaml --runs 4 --json
equal schedulable "$(json stdout schedulable)" false
equal worst "$(json stdout latency.0.worst)" null
equal capacity "$(json stdout buffers.0.capacity)" null
[ "$(json stdout buffers.0.peak)" -gt 2 ] || complain "no backlog"

# What does not go with it.
echo "a,0,1" >times.csv
expect 2 weir simulate chain.yaml --times-file times.csv
has stderr "times-file: the option is for operators with threads or shared processors"
expect 2 weir simulate chain.yaml --search 5
has stderr "search: the option is for shared processors"
expect 2 weir simulate chain.yaml --releases burst
has stderr "releases: for a pool of cores there are nominal, random and extreme"
expect 2 weir simulate "$models/drone.yaml" --cores 2
expect 2 weir simulate "$models/ultrasound.yaml" --cores 2
expect 2 weir simulate chain.yaml --cores 0
expect 3 weir simulate chain.yaml --iterations 1000000000
has stderr "too many"
expect 0 weir simulate chain.yaml "$models/drone.yaml" --runs 2 --iterations 10 --json
equal "first of an array" "$(json stdout 0.engine)" '"global-edf"'
