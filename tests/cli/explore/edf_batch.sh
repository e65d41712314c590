# SPDX-License-Identifier: Apache-2.0
# weir explore --batch: how many executions at once.
cat >radio.yaml <<'EOF'
name: radio
unit: us
platform: {cores: 2}
operators:
  source:     {cost: {init: 1.883, per-sample: 0.000466}}
  demodulate: {cost: {init: 2.176, per-sample: 0.017336}}
  deemphasis: {cost: {init: 1.808, per-sample: 0.005902}}
  decimate:   {cost: {init: 2.321, per-sample: 0.020225}}
  sink:       {cost: {init: 1.883, per-sample: 0.000466}}
queues:
  - source -> demodulate -> deemphasis
  - {from: deemphasis, to: decimate, produce: 1, consume: 12}
  - decimate -> sink
source: {operator: source, rate: 576kHz}
EOF
expect 1 weir analyze radio.yaml
for kind in uniform rate edge; do
    expect 0 weir explore radio.yaml --batch $kind --verify -o $kind.yaml
    [ -s stderr ] && complain "talk on stderr"
    grep -q ' $' stdout && complain "lines end in spaces"
    awk 'length > 120 { print "too wide: " $0; bad = 1 } END { exit bad }' stdout || complain "too wide"
    head -n 1 stdout >first
    has first "radio: $kind batches, factor "
    has stdout "verified: the certificate was checked"
    has stdout "The changed model is in $kind.yaml."
    # What is written is what was said.
    expect 0 weir explore radio.yaml --batch $kind --json
    latency=$(json stdout chosen.latency)
    expect 0 weir analyze $kind.yaml --verify --json
    equal "latency of $kind.yaml" "$(json stdout latency.0.worst | cut -c1-7)" "$(echo "$latency" | cut -c1-7)"
    equal "$kind.yaml is schedulable" "$(json stdout schedulable)" true
done
expect 0 weir explore radio.yaml --batch rate
same stdout radio-batch.txt

# The factors, by hand: of 1/N times the init costs and a rest, below 2 cores and each operator below one.
expect 0 weir explore radio.yaml --batch uniform --json
equal smallest "$(json stdout smallest)" 2
equal "first point" "$(json stdout points.0.schedulable)" false
equal "no latency" "$(json stdout points.0.latency)" null
equal "no limit on latencies" "$(json stdout lowest_utilization)" null
expect 0 weir explore radio.yaml --batch rate --json
equal smallest "$(json stdout smallest)" 1
equal "samples at once" "$(json stdout points.0.samples)" 12
expect 0 weir explore radio.yaml --batch rate --cores 1 --json
equal cores "$(json stdout cores)" 1
expect 1 weir explore radio.yaml --batch uniform --factor-max 1
has stdout "radio: NO BATCH is schedulable"
expect 1 weir explore radio.yaml --batch uniform --factor-max 1 --json -o none.yaml
equal chosen "$(json stdout chosen)" null
has stderr "none.yaml is not written"
[ -e none.yaml ] && complain "written although there is nothing"

# Limits: the smallest batch within a utilisation, then the largest within a latency.
expect 0 weir explore radio.yaml --batch rate --utilization 0.1 --json
smallest=$(json stdout smallest)
[ "$smallest" -gt 1 ] || complain "no larger batch"
equal "lowest is the smallest" "$(json stdout lowest_latency)" "$smallest"
expect 0 weir explore radio.yaml --batch rate --factor-max "$smallest" --utilization 0.1
expect 1 weir explore radio.yaml --batch rate --factor-max $((smallest - 1)) --utilization 0.1
has stdout "NO BATCH keeps the utilization"
expect 0 weir explore radio.yaml --batch rate --within 1ms --json
largest=$(json stdout lowest_utilization)
expect 0 weir explore radio.yaml --batch rate --within 1ms
has stdout "the lowest utilization within the limits"
has stdout "beyond a limit"
has stdout "limits: latency 1000 us"
expect 1 weir explore radio.yaml --batch rate --within 1ms --utilization 0.03
has stdout "NO BATCH keeps every limit"
expect 0 weir explore radio.yaml --batch rate --within 1ms --utilization 1 --factor-max "$largest" --json
equal "largest within" "$(json stdout lowest_utilization)" "$largest"
expect 1 weir explore radio.yaml --batch rate --within 1us # ends, too
cp radio.yaml deadline.yaml
echo "deadlines: [{from: source, to: sink, within: 78us}]" >>deadline.yaml
expect 0 weir explore deadline.yaml --batch rate
has stdout "limits: 1 deadline"
has stdout "78  met"
expect 1 weir explore deadline.yaml --batch uniform
sed -i 's/within: 78us/within: 1us/' deadline.yaml
expect 1 weir explore deadline.yaml --batch rate
sed 's/rate: 576kHz/period: 2, sporadic: true/' radio.yaml >sporadic.yaml
expect 0 weir explore sporadic.yaml --batch rate

# Merging: the init costs add up unless it is said that they do not.
expect 0 weir explore radio.yaml --batch uniform --merge --json -o merged.yaml
merges=$(json stdout chosen.merges)
[ "$merges" -gt 0 ] || complain "nothing merged"
safe=$(json stdout chosen.utilization)
expect 0 weir analyze merged.yaml --verify --json
equal "operators left" "$(grep -c '"name":' stdout)" $((5 - merges))
expect 0 weir explore radio.yaml --batch uniform --merge
has stdout "the larger init and 100 % of the other; for samples, both."
lacks stdout "measure the merged block"
expect 0 weir explore radio.yaml --batch uniform --merge --merged-init 0.2
has stdout "20 % of the other"
has stdout "measure the merged block"
expect 0 weir explore radio.yaml --batch uniform --merge --merged-init 0.2 --json
equal factor "$(json stdout merged_init)" 0.2
cheap=$(json stdout chosen.utilization)
[ "$cheap" != "$safe" ] || complain "merging saves nothing"

# Tables and plots: whole, the same bytes again, light and dark.
expect 0 weir explore radio.yaml --batch rate --csv one.csv --svg one.svg
expect 0 weir explore radio.yaml --batch rate --csv two.csv --svg two.svg --json
for pair in one.csv:two.csv one.svg:two.svg one-utilization.svg:two-utilization.svg; do
    cmp -s "${pair%:*}" "${pair#*:}" || complain "$pair differ"
done
equal header "$(head -n 1 one.csv)" "factor,samples,schedulable,within,utilization,latency_us"
has one.svg "radio: latency against batch size"
has one-utilization.svg "radio: utilization against batch size"
if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout one.svg one-utilization.svg || complain "bad SVG"
fi
expect 1 weir explore radio.yaml --batch uniform --factor-max 1 --svg none.svg --csv none.csv
equal "a table of what is not schedulable" "$(wc -l <none.csv)" 2

# Mistakes on the command line.
expect 2 weir explore radio.yaml --batch rates
has stderr "--batch: expected uniform, rate or edge, not 'rates'; did you mean 'rate'?"
for bad in "--utilization 0" "--utilization x" "--utilization -1" "--utilization 1.2.3" "--utilization ." "--utilization 12345678901"; do
    expect 2 weir explore radio.yaml --batch rate $bad
    has stderr "--utilization takes a number of cores above 0"
done
expect 2 weir explore radio.yaml --batch rate --merged-init 0.5
has stderr "--merged-init goes with --merge only"
for bad in -1 101 half 1e3; do
    expect 2 weir explore radio.yaml --batch rate --merge --merged-init $bad
    has stderr "--merged-init takes a number from 0 to 100"
done
expect 2 weir explore radio.yaml --batch rate --seed 2
has stderr "--seed does not go with --batch"
expect 2 weir explore radio.yaml --batch rate --within 0
expect 2 weir explore radio.yaml --batch rate --within soon
expect 2 weir explore radio.yaml --batch rate --svg picture.png
has stderr "let 'picture.png' end in .svg"
expect 2 weir explore radio.yaml --batch rate --svg -
expect 2 weir explore radio.yaml --batch rate --csv -
expect 2 weir explore radio.yaml --batch rate -o -
expect 2 weir explore radio.yaml --batch rate -o model.png
expect 2 weir explore radio.yaml --batch rate --factor-max 0
expect 2 weir explore radio.yaml --batch rate --cores 0
expect 2 weir explore radio.yaml --batch rate --priorities
has stderr "one kind of change at a time"
for option in "--method EI" "--resize" "--pin a" "--source a" "--threads 2" "--starts 2" "--evaluations 3" "--latency-limit 3"; do
    expect 2 weir explore radio.yaml --batch rate $option
    has stderr "does not go with --batch"
done
for option in "--cores 2" "--utilization 1" "--merge" "--merged-init 1" "--factor-max 3" "--csv x" "--svg x.svg"; do
    expect 2 weir explore "$models/drone.yaml" --buffers $option
    has stderr "goes with --batch only"
done
expect 2 weir explore "$models/drone.yaml" --batch rate
has stderr "has no pool of cores; batches are for flows on one"
expect 3 weir explore radio.yaml --buffers
expect 74 weir explore radio.yaml --batch rate -o /nowhere/x.yaml
expect 74 weir explore radio.yaml --batch rate --svg /nowhere/x.svg
expect 74 weir explore radio.yaml --batch rate --csv /nowhere/x.csv

# An interrupt ends the search; the best so far is the answer. Costs that do not grow with the batch: every larger one is better.
{
    echo "name: long"
    echo "platform: {cores: 2}"
    echo "operators:"
    for i in $(seq 1500); do echo "  n$i: {cost: {init: 1000, per-sample: 0}}"; done
    echo "queues: [$(seq -s ' -> ' -f 'n%g' 1500)]"
    echo "source: {operator: n1, period: 100, sporadic: true}"
} >long.yaml
stopped INT explore long.yaml --batch uniform --factor-max 1000000000 --json
status=$?
[ $status = 0 ] || [ $status = 4 ] || complain "an interrupt ends it with $status"
equal interrupted "$(json stdout interrupted)" true
