# SPDX-License-Identifier: Apache-2.0
# weir explore: what to change in a model on shared processors.

# ---- a regulator for the WLAN decoder with a burst of three: 37 -> 28 us ----
weir generate priority --system wlan --period 12.5us --jitter 25us -o wlan.yaml
expect 0 weir explore wlan.yaml --spacing
head -n 1 stdout >first
has first "a regulator helps"
has stdout " 28 "
has stdout "14 us"
has stdout "from the actual arrival"
expect 0 weir explore wlan.yaml --spacing --json -o regulated.yaml
equal after "$(json stdout latency.0.after)" 28
equal spacing "$(json stdout regulator.spacing)" 7
equal delay "$(json stdout regulator.delay)" 14
equal complete "$(json stdout complete)" true
has regulated.yaml "sporadic: true"
expect 0 weir analyze regulated.yaml --json
equal "latency behind the regulator" "$(json stdout latency.0.worst)" 14
expect 0 weir explore wlan.yaml --spacing --source control
expect 0 weir explore wlan.yaml --spacing --source FLT
expect 2 weir explore wlan.yaml --spacing --source EQ
has stderr "there is no source 'EQ'"

# A deadline counts from the actual arrival: 28 us is met, 27 not; in the written model it is shorter by the delay.
sed '/^measure:/,$d' wlan.yaml >met.yaml
cp met.yaml missed.yaml
echo 'deadlines: [{from: FLT, to: VIT, within: 28}]' >>met.yaml
echo 'deadlines: [{from: FLT, to: VIT, within: 27}]' >>missed.yaml
expect 0 weir explore met.yaml --spacing -o behind.yaml
has stdout "deadline met"
has behind.yaml "within: 14"
expect 4 weir explore missed.yaml --spacing
has stdout "1 deadline not proved"

# ---- priorities ----
cat >radio.yaml <<'END'
name: radio
unit: us
processors: [dsp, cpu]
operators:
  filter: {time: [3, 4], on: dsp, priority: 3}
  decode: {time: [4, 6], on: dsp, priority: 2}
  beep:   {time: 5, on: dsp, priority: 9}
  show:   {time: 2, on: cpu, priority: 1}
queue: auto
queues: [filter -> decode -> show]
sources:
  - {name: antenna, operators: [filter], period: 20}
  - {name: key, operators: [beep], period: 100}
deadlines:
  - {from: filter, to: show, within: 13}
  - {from: beep, to: beep, within: 60}
END
expect 4 weir analyze radio.yaml
expect 0 weir explore radio.yaml --priorities -o better.yaml
has stdout "better priorities, proved the best; all deadlines met"
has stdout "9 -> 2"
has stdout "Audsley"
has stdout "better.yaml"
[ -s stderr ] && complain "a result on stderr"
expect 0 weir analyze better.yaml
expect 0 weir explore better.yaml --priorities -o none.yaml
has stdout "no priorities are better than these"
has stderr "none.yaml is not written"
[ -e none.yaml ] && complain "written although nothing is better"
expect 0 weir explore radio.yaml --priorities --json
equal improved "$(json stdout improved)" true
equal "met before" "$(json stdout latency.0.met_before)" null
equal met "$(json stdout latency.0.met)" true
equal name "$(json stdout operators.0.name)" '"filter"'
equal goal "$(json stdout goal)" '"priorities"'
weir explore - --priorities <radio.yaml >stdout 2>&1 || complain "a model on standard input"
has stdout "better priorities"

# ---- mapping ----
expect 0 weir explore radio.yaml --mapping --pin filter,decode,show -o mapped.yaml
has stdout "a better mapping"
has stdout "dsp -> cpu"
expect 0 weir analyze mapped.yaml
expect 0 weir explore radio.yaml --mapping --pin beep --json
equal pinned "$(json stdout improved)" true
lacks stdout '"name": "beep", "processor'
expect 2 weir explore radio.yaml --mapping --pin bep
has stderr "there is no operator 'bep'; did you mean 'beep'?"
expect 2 weir explore radio.yaml --mapping --processors dsp,cpux
has stderr "there is no processor 'cpux'; did you mean 'cpu'?"
expect 2 weir explore radio.yaml --mapping --processors ""
expect 4 weir explore radio.yaml --mapping --processors dsp --pin filter,decode,beep --evaluations 1
has stdout "the limit: the best so far"

# ---- buffers ----
expect 0 weir explore wlan.yaml --buffers --within 37us
has stdout "slots in the queues that are sized"
expect 1 weir explore wlan.yaml --buffers --within 30us
has stdout "no queues keep every limit"
expect 0 weir explore wlan.yaml --buffers --method EI --json -o sized.yaml
equal total "$(json stdout total)" "$(json stdout total_least)"
expect 0 weir analyze sized.yaml --json
cat >given.yaml <<'END'
unit: us
platform: {scheduler: fixed-priority}
operators: {a: 3, b: 3}
queues: [{from: a, to: b, capacity: 5}]
source: {operator: a, period: 10}
END
expect 0 weir explore given.yaml --buffers
has stdout "no queues to size"
expect 0 weir explore given.yaml --buffers --resize
has stdout "5 -> 1"

# ---- the same bytes for any number of threads ----
weir generate priority --graphs 2 --tasks 7 --processors 2 --seed 5 -o random.yaml
for goal in priorities mapping spacing buffers; do
    weir explore random.yaml --$goal --method EI --evaluations 900 --threads 1 >one 2>&1
    weir explore random.yaml --$goal --method EI --evaluations 900 --threads 4 >four 2>&1
    cmp -s one four || complain "--$goal: one thread and four say different things"
done

# ---- an interrupt ----
weir generate priority --graphs 4 --tasks 50 --processors 8 --seed 2 -o large.yaml
for goal in priorities mapping; do
    stopped TERM explore large.yaml --$goal --evaluations 1000000000 --starts 1000000 --json
    status=$?
    [ $status = 0 ] || [ $status = 1 ] || [ $status = 4 ] || complain "SIGTERM ends --$goal with $status"
    equal "$goal ended" "$(json stdout interrupted)" true
done
stopped INT explore large.yaml --priorities --evaluations 1000000000 --starts 1000000 --json
status=$?
[ $status = 0 ] || [ $status = 1 ] || [ $status = 4 ] || complain "an interrupt ends it with $status"
equal interrupted "$(json stdout interrupted)" true

# ---- wrong usage ----
expect 2 weir explore
expect 2 weir explore radio.yaml
has stderr "nothing to change was given"
expect 2 weir explore radio.yaml wlan.yaml --priorities
has stderr "exactly one model"
expect 2 weir explore radio.yaml --priorities --mapping
has stderr "one kind of change at a time"
expect 2 weir explore radio.yaml --priorities --pin beep
has stderr "--pin goes with --mapping only"
expect 2 weir explore radio.yaml --mapping --within 5
has stderr "--within goes with --buffers only"
expect 2 weir explore radio.yaml --buffers --within soon
has stderr "--within"
expect 2 weir explore radio.yaml --buffers --within 0
has stderr "longer than 0"
expect 2 weir explore radio.yaml --priorities --latency-limit -3
expect 2 weir explore radio.yaml --priorities --method PJ
has stderr "can be exceeded"
expect 2 weir explore radio.yaml --priorities --method fastest
has stderr "unknown method 'fastest'"
expect 2 weir explore radio.yaml --priorities -o -
expect 2 weir explore radio.yaml --priorities -o better.txt
has stderr "which format"
expect 2 weir explore radio.yaml --priorities --threads 0
expect 2 weir explore radio.yaml --prioritis
has stderr "did you mean '--priorities'?"
expect 3 weir explore nowhere.yaml --priorities
expect 3 weir explore "$models/camera.yaml" --priorities
has stderr "threads of their own"
expect 74 weir explore radio.yaml --priorities -o no/such/folder.yaml

# A regulator is held against latencies from the actual arrival, and is not praised where it gains nothing.
cat >jitter.yaml <<'END'
platform: {scheduler: fixed-priority}
operators: {a: {time: 1, on: cpu, priority: 1}}
source: {operator: a, period: 10, jitter: 50}
END
expect 0 weir analyze jitter.yaml --verify
has stdout "a -> a   at most 51"
grep -q 'a  *a  *51  *6$' stdout || complain "51 from the nominal arrival, 6 from the actual one"
expect 0 weir analyze jitter.yaml --json
has stdout '"worst_arrival": 6'
expect 0 weir explore jitter.yaml --spacing
has stdout "no regulator makes it better"
