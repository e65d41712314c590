# SPDX-License-Identifier: Apache-2.0
# weir analyze for operators that share processors.
drone=$models/drone.yaml
for model in "$drone" "$models/kinds.yaml"; do
    expect 0 weir analyze "$model" --verify
    [ -s stderr ] && complain "talk on stderr"
    grep -q ' $' stdout && complain "lines end in spaces"
    awk 'length > 120 { print "too wide: " $0; bad = 1 } END { exit bad }' stdout || complain "too wide"
    same stdout "$(basename "$model" .yaml).txt"
done
expect 0 weir analyze "$drone" --verify --json
sed 's/"\(rounds\|windows\)": [1-9][0-9]*/"\1": N/' stdout >answer # what it takes may change
same answer drone.json
expect 0 weir analyze "$models/kinds.yaml" --full
has stdout " windows"

# Deadlines: by the bound of 28 ms.
for met in 28 28ms 0.028s 31.5; do
    sed '/deadlines/,$d' "$drone" >free.yaml
    expect 0 weir analyze free.yaml --deadline $met
    has stdout "all deadlines met"
done
expect 4 weir analyze free.yaml --deadline 27.9
has stdout "Drone: DEADLINE NOT PROVED: capture -> track is bounded by 28 ms, 0.1 ms above it"
has stdout "deadline 27.9 ms: not proved: the bound is 0.1 ms above it"
has stdout "deadline 27.9 ms: met, 20.9 ms to spare" # control -> log
expect 4 weir analyze free.yaml --deadline 27.9 --json
equal met "$(json stdout latency.0.met)" null
equal state "$(json stdout latency.0.state)" '"not proved"'
equal slack "$(json stdout latency.0.slack)" -0.1
equal "other met" "$(json stdout latency.1.met)" true
# What the times on a path come to is no less than the worst case: a deadline below that is missed, which is proved.
expect 1 weir analyze free.yaml --deadline 13.9
has stdout "Drone: DEADLINE MISSED by at least 0.1 ms: capture -> track can take 14 ms or more"
has stdout "deadline 13.9 ms: MISSED by at least 0.1 ms"
expect 4 weir analyze free.yaml --deadline 14
has stdout "deadline 14 ms: not proved"
expect 1 weir analyze "$drone" --deadline 1 # instead of the model's
lacks stdout "deadline 40 ms"
for seed in 1 2 3 4 5 6; do
    weir generate priority --graphs 2 --tasks 4 --load 0.5 --jitter 1.5 --seed $seed -o random.yaml
    weir analyze random.yaml --deadline 1 --json >analyzed
    weir simulate random.yaml --times worst --runs 5 --iterations 50 --json >simulated
    for ((i = 0; i < $(grep -c '"state"' analyzed); i++)); do
        [ "$(json analyzed latency.$i.state)" = '"missed"' ] || continue
        lower=$(json analyzed latency.$i.worst_lower) seen=$(json simulated latency.$i.max)
        [ "$seen" -ge "$lower" ] || complain "seed $seed: $seen seen, $lower said to be reached"
        proofs=$((${proofs:-0} + 1))
    done
done
[ "$proofs" -ge 6 ] || complain "only $proofs latencies are proved to be missed"

# Methods: any case; those that are not safe say so and meet no deadline.
for method in best BEST pj0 ei Ei+Ibs eic cix; do
    expect 0 weir analyze "$drone" --method $method --json --verify
    equal "$method is safe" "$(json stdout safe)" true
    equal "$method converged" "$(json stdout converged)" true
    equal "$method verified" "$(json stdout verified)" true
done
equal "name of the method" "$(json stdout method)" '"CIX"'
for method in PJ PJ+iBS; do
    expect 4 weir analyze "$drone" --method $method
    has stdout "not safe: legal executions can exceed it"
    has stdout "NOT DECIDED: "
    has stdout "which can be exceeded"
    lacks stdout "at most"
    lacks stdout "met,"
    expect 4 weir analyze "$drone" --method $method --json
    equal "$method safe" "$(json stdout safe)" false
    equal "$method latency safe" "$(json stdout latency.0.safe)" false
    equal "$method met" "$(json stdout latency.0.met)" null
    expect 0 weir analyze free.yaml --method $method
    expect 4 weir analyze free.yaml --method $method --deadline 1
    lacks stdout "is bounded by"
    expect 2 weir analyze "$drone" --method $method --verify
    has stderr "--verify: the method $method is not safe, so there is nothing to verify"
done
for method in exact tgdfs rtss24 statespace; do
    expect 3 weir analyze "$drone" --method $method
    has stderr "the method $method is for operators with a thread each, and the operators of this model share processors"
    has stderr "best, PJ0, PJ, PJ+iBS, EI, EI+iBS, EIC and CIX"
done
expect 3 weir analyze "$models/ultrasound.yaml" --method EI --json
has stderr "the method EI is for operators that share processors, and the operators of this model have a thread each"
has stderr "exact, tgdfs, rtss24, statespace and smt"
has stdout '"errors"'
expect 2 weir analyze "$drone" --method EI+iBX
has stderr "unknown method 'EI+iBX'; did you mean 'EI+iBS'?"
expect 2 weir analyze "$drone" --method quantum
has stderr "for shared processors best, PJ0"
expect 2 weir analyze "$drone" --method EI --expressions x
expect 2 weir analyze "$drone" --method EI --seconds 1

# No bound, proved: too much to do.
sed 's/\[4, 9\]/[4, 17]/' "$drone" >overload.yaml
expect 1 weir analyze overload.yaml
same stdout overload-shared.txt
expect 1 weir analyze overload.yaml --json
equal worst "$(json stdout latency.0.worst)" null
equal unbounded "$(json stdout latency.0.unbounded)" true
equal met "$(json stdout latency.0.met)" false
equal outcome "$(json stdout outcome)" '"unbounded"'
equal finish "$(json stdout operators.0.finish_max)" null
equal total "$(json stdout buffer_total)" null
has stdout "115"

# No bound found, which proves nothing: limits, and a method that is too simple.
expect 4 weir analyze "$drone" --latency-limit 10ms
has stdout "NO BOUND FOUND"
has stdout "does not prove that there is none"
has stdout "--latency-limit T"
has stdout "deadline 40 ms: not decided"
expect 4 weir analyze "$drone" --latency-limit 10 --json
equal outcome "$(json stdout outcome)" '"limit"'
equal converged "$(json stdout converged)" false
equal worst "$(json stdout latency.0.worst)" null
lacks stdout '"unbounded": true'
expect 0 weir analyze "$drone" --latency-limit 40.05
expect 4 weir analyze "$drone" --limit 1
has stdout "--limit N"
expect 4 weir analyze "$models/wlan.yaml" --method PJ0
has stdout "NO BOUND FOUND: by these bounds the cycle"
has stdout "another method: best"
expect 4 weir analyze "$models/wlan.yaml" --method PJ0 --json
equal outcome "$(json stdout outcome)" '"violated"'
expect 2 weir analyze "$drone" --latency-limit 0
has stderr "--latency-limit: a latency limit must be longer than 0"
expect 2 weir analyze "$drone" --latency-limit soon
has stderr '--latency-limit: "soon" is not a time'
expect 2 weir analyze "$drone" --latency-limit -3ms
expect 2 weir analyze "$models/ultrasound.yaml" --latency-limit 3ms
has stderr "has a thread per operator; the limit is for shared processors"

# The paper's decoder.
for bound in best:12:12 PJ:25:13 PJ+iBS:19:12 EI:12:12 EI+iBS:12:12; do
    IFS=: read -r method worst total <<<"$bound"
    expect 0 weir analyze "$models/wlan.yaml" --method "$method" --json
    equal "$method worst" "$(json stdout latency.0.worst)" "$worst"
    equal "$method buffers" "$(json stdout buffer_total)" "$total"
done

# A picture: whole or not there; light and dark; the same bytes.
expect 0 weir analyze "$drone" --gantt one.svg
expect 0 weir analyze "$drone" --gantt two.svg --json
json stdout latency.0.worst >/dev/null
cmp -s one.svg two.svg || complain "two pictures differ"
has one.svg "aria-label=\"Drone: execution intervals\""
has one.svg "detect: enabled from 1 to 9, ends by 20 ms"
has one.svg "prefers-color-scheme:dark"
if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout one.svg || complain "no XML"
fi
weir generate priority --graphs 3 --tasks 20 --processors 6 --load 0.4 --seed 3 --mixed -o sixty.yaml || complain "no model"
expect 0 weir analyze sixty.yaml --gantt sixty.svg
equal "rows of operators" "$(grep -c '<title>.*: enabled from' sixty.svg)" 60
expect 1 weir analyze overload.yaml --gantt piles.svg # without a bound, why: a run in which inputs pile up
has piles.svg "no bound, a run at worst times"
has piles.svg "Messages pile up: later ones take longer"
expect 74 weir analyze "$drone" --gantt no/such/folder.svg
has stderr "cannot write no/such/folder.svg"
expect 2 weir analyze "$drone" --gantt -
has stderr "--gantt: give a file"
expect 2 weir analyze "$drone" "$drone" --gantt x.svg
has stderr "--gantt goes with one model"
expect 2 weir analyze "$models/ultrasound.yaml" --method tgdfs --gantt x.svg
has stderr "published methods have no picture"
[ -e x.svg ] && complain "a picture of a published method"

# Several models, of both kinds.
expect 3 weir analyze "$drone" "$models/ultrasound.yaml" overload.yaml "$models/wlan.yaml" --method best # not for threads
has stdout "4 models: 2 fine, 1 late, 1 not read"
expect 1 weir analyze "$drone" "$models/ultrasound.yaml" overload.yaml
has stdout "3 models: 2 fine, 1 late"
expect 1 weir analyze "$drone" "$models/ultrasound.yaml" overload.yaml --json
equal first "$(json stdout 0.engine)" '"fixed-priority"'
equal second "$(json stdout 1.engine)" '"exact"'
equal third "$(json stdout 2.latency.0.unbounded)" true

# --queue is for queues that say nothing, --force-queue for all.
sed '/^queue:/d' "$drone" >plain.yaml
expect 0 weir analyze plain.yaml # queues of 1 do, if the sources keep to their periods
has stdout 'method: best, by situations'
sed 's/period: \([0-9]*\)/period: \1, sporadic: true/' plain.yaml >sporadic.yaml
expect 4 weir analyze sporadic.yaml
has stdout "capacity: auto"
expect 0 weir analyze plain.yaml --queue 3 --json
equal "given" "$(json stdout buffers.0.chosen)" false
equal "input" "$(json stdout buffers.3.input)" true
equal "capacity" "$(json stdout buffers.1.capacity)" 3
expect 0 weir analyze "$drone" --force-queue 4 --json
equal "capacity" "$(json stdout buffers.2.capacity)" 4
