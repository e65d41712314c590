# SPDX-License-Identifier: Apache-2.0
# weir simulate for operators that share processors.
drone=$models/drone.yaml
expect 0 weir simulate "$drone"
[ -s stderr ] && complain "talk on stderr"
same stdout drone-simulated.txt
cp stdout first
expect 0 weir simulate "$drone" --seed 1 --runs 100 --iterations 1000
has stdout "of the bound" # climbs with as many iterations as the runs have
expect 0 weir simulate "$drone" --search 200
cmp -s stdout first || complain "the defaults are not what the help says"
expect 0 weir simulate "$drone" --seed 2
cmp -s stdout first && complain "another seed changes nothing"
grep -q ' $' first && complain "lines end in spaces"
awk 'length > 110 { print "too wide: " $0; bad = 1 } END { exit bad }' first || complain "too wide"

# The bounds are those of analyze, and nothing leaves them.
for model in drone kinds wlan; do
    expect 0 weir simulate "$models/$model.yaml" --runs 24 --iterations 100 --search 40 --json
    cp stdout simulated
    weir analyze "$models/$model.yaml" --json >analyzed
    equal "$model engine" "$(json simulated engine)" '"fixed-priority"'
    pairs=$(grep -c '"samples"' simulated)
    for ((i = 0; i < pairs; i++)); do
        for key in from to worst best exact; do
            equal "$model $key" "$(json simulated latency.$i.$key)" "$(json analyzed latency.$i.$key)"
        done
        awk -v min="$(json simulated latency.$i.min)" -v max="$(json simulated latency.$i.max)" \
            -v found="$(json simulated latency.$i.search_max)" -v least="$(json simulated latency.$i.search_min)" \
            -v best="$(json analyzed latency.$i.best)" -v worst="$(json analyzed latency.$i.worst)" \
            'BEGIN { exit !(best <= min && min <= max && max <= worst && best <= least && least <= found && found <= worst) }' ||
            complain "$model: latency $i leaves its bounds"
        equal "$model samples" "$(json simulated latency.$i.samples)" 2400
    done
    operators=$(grep -c finish_max_seen simulated)
    for ((i = 0; i < operators; i++)); do
        equal "$model finish" "$(json simulated operators.$i.finish_max)" "$(json analyzed operators.$i.finish_max)"
    done
done
equal "operators of the decoder" "$operators" 8

# Worked out by hand: two operators on one processor, all at once.
cat >two.yaml <<END
unit: ms
operators: {urgent: {time: 3, on: cpu, priority: 2}, slow: {time: [4, 5], on: cpu, priority: 1}}
queues: []
sources: [{name: x, operators: [urgent, slow], period: 10}]
END
expect 0 weir simulate two.yaml --times worst --releases nominal --runs 2 --iterations 5 --json
equal "urgent" "$(json stdout latency.0.max)" 3
equal "slow, after it" "$(json stdout latency.1.max)" 8
equal "always" "$(json stdout latency.1.min)" 8
equal releases "$(json stdout releases)" '"nominal"'
printf 'slow,0,4\nslow,1,4.5\n' >times.csv
expect 0 weir simulate two.yaml --times-file times.csv --json --search 0
equal "times of the file" "$(json stdout latency.1.min) $(json stdout latency.1.max)" "7 7.5"
lacks stdout search_max
lacks stdout '"operators"'

# A latency that does not begin at a source counts from the moment its operator is enabled.
cat >late.yaml <<END
operators: {a: {time: 2, on: p, priority: 1}, b: {time: 3, on: q, priority: 1}, c: {time: 4, on: q, priority: 2}}
queue: auto
queues: [a -> b, a -> c]
source: {operator: a, period: 20}
measure: [{from: b, to: b}]
END
expect 0 weir simulate late.yaml --runs 4 --iterations 10 --json
equal "behind c" "$(json stdout latency.0.min) $(json stdout latency.0.max)" "7 7"

# No bound: what is seen, and why there is none.
sed 's/\[4, 9\]/[4, 17]/' "$drone" >overload.yaml
expect 0 weir simulate overload.yaml --runs 4 --iterations 100 --search 10
has stdout 'no bound: processor "cpu0" is overloaded'
has stdout "worst no bound"
expect 0 weir simulate overload.yaml --runs 4 --iterations 100 --json
equal worst "$(json stdout latency.0.worst)" null
equal unbounded "$(json stdout latency.0.unbounded)" true
equal converged "$(json stdout converged)" false
equal finish "$(json stdout operators.0.finish_max)" null

# One latency without a bound among others that have one: the next input of a sporadic source may take any time.
cat >loop.yaml <<'END'
weir: 1
operators: {a: {time: [1, 2], on: c, priority: 1}, b: {time: [1, 3], on: c, priority: 2}}
queue: auto
queues: [a -> b, {from: b, to: a, initial: 2}]
sources: [{operator: a, period: 10, sporadic: true}]
measure: [{from: a, to: b}]
deadlines: [{from: b, to: a, within: 40}]
END
expect 0 weir simulate loop.yaml --runs 4 --iterations 100
has stdout "worst no bound"
has stdout "worst 5"
expect 1 weir analyze loop.yaml
has stdout "NO BOUND: b -> a: it ends with a later input"
has stdout "deadline 40: MISSED"
has stdout "at most 5"
lacks stdout "deadline met"
expect 1 weir analyze loop.yaml --json
equal "worst of b -> a" "$(json stdout latency.0.worst) $(json stdout latency.0.unbounded) $(json stdout latency.0.met)" "null true false"
equal "worst of a -> b" "$(json stdout latency.1.worst) $(json stdout latency.1.met)" "5 true"

# Mistakes.
expect 2 weir simulate "$drone" --releases brust
has stderr "expected nominal, late, random, extreme, burst or quiet, not 'brust'; did you mean 'burst'?"
expect 2 weir simulate "$models/ultrasound.yaml" --releases burst
has stderr "--releases: the option is for shared processors and a pool of cores; the engine of this model is exact"
expect 2 weir simulate "$models/ultrasound.yaml" --search 3 --json
has stdout "the option is for shared processors"
expect 2 weir simulate "$drone" --search -1
expect 2 weir simulate "$models/ultrasound.yaml" "$drone" --search 3 --json --runs 2
equal "the other" "$(json stdout 1.model)" '"Drone"'
