# SPDX-License-Identifier: Apache-2.0
# weir analyze for kernels on a GPU.
worked=$models/kernels.yaml
expect 0 weir analyze "$worked" --method safe --verify --explain
[ -s stderr ] && complain "talk on stderr"
grep -q ' $' stdout && complain "lines end in spaces"
awk 'length > 120 { print "too wide: " $0; bad = 1 } END { exit bad }' stdout || complain "too wide"
same stdout kernels.txt
expect 0 weir analyze "$worked" --method safe --json --verify
same stdout kernels.json

# The paper's bound, and what it adds; not a promise.
expect 0 weir analyze "$worked" --method paper --explain
has stdout "6 SMs, UNSAFE"
has stdout "1  v3 x 2, v4 x 2, v2[1/2] x 2"
grep -q "^  v2\[2/2\]  *2  *1  *2$" stdout || complain "the parts of v2"
has stdout "v2[1/2] -> v5"
has stdout "v3 -> v2[2/2]"
has stdout "worst 5 us, which can be exceeded"
for bound in best:5:true safe:5:true paper:5:false greedy:7:false greedy-unaware:7:false graham:6.333334:false; do
    IFS=: read -r method worst safe <<<"$bound"
    expect 0 weir analyze "$worked" --method "$method" --json
    equal "$method bound" "$(json stdout bound)" "$worst"
    equal "$method safe" "$(json stdout safe)" "$safe"
    equal "$method lower" "$(json stdout lower)" 4.666666
    equal "$method name" "$(json stdout method)" "\"$method\""
done
equal "exact bound of Graham" "$(json stdout bound_exact.0)/$(json stdout bound_exact.1)" 19/3
expect 0 weir analyze "$worked" --method all
equal "lines of the table" "$(sed -n '/^Methods/,/^$/p' stdout | grep -c ' yes$\| no$')" 6
grep -q "^  paper  *5  *7.15 %  *8  *1  *2  no$" stdout || complain "the line of the paper"
expect 0 weir analyze "$worked" --method all --json
equal "the paper's method" "$(json stdout methods.2.method) $(json stdout methods.2.bound) $(json stdout methods.2.safe)" '"paper" 5 false'

# Deadlines. A number that is not safe meets none.
expect 0 weir analyze "$worked" --deadline 5us
has stdout "Worked example: deadline met, 7 kernels"
has stdout "deadline 5 us: met, 0 us to spare"
expect 4 weir analyze "$worked" --deadline 4.9
has stdout "DEADLINE NOT PROVED: the whole is bounded by 5 us, 0.1 us above it"
expect 1 weir analyze "$worked" --deadline 4.6
has stdout "DEADLINE MISSED by at least 0.0666666 us: the whole can take 4.66666 us or more"
expect 4 weir analyze "$worked" --deadline 4.9 --json
equal met "$(json stdout met)" null
equal state "$(json stdout state)" '"not proved"'
equal slack "$(json stdout slack)" -0.1
expect 4 weir analyze "$worked" --deadline 6 --method paper
has stdout "NOT DECIDED: the whole: worst 5 us, which can be exceeded"
lacks stdout "at most"
expect 4 weir analyze "$worked" --deadline 6 --method paper --json
equal met "$(json stdout met)" null
expect 4 weir analyze "$worked" --deadline 6 --method greedy # a number that can be exceeded proves nothing, above it or not
lacks stdout "at most"
expect 3 weir analyze "$worked" --deadline 0
has stderr "longer than 0 on a GPU"
sed 's/min-time: 1/min-time: 1, deadline: 8/' "$worked" >own.yaml
expect 1 weir analyze own.yaml --deadline 1 # in place of the model's own
has stdout "deadline 1 us: MISSED"

# What the command line says in place of the model.
expect 0 weir analyze "$worked" --sms 3 --json --verify
equal sms "$(json stdout sms)" 3
equal "exact bound" "$(json stdout bound_exact.0)/$(json stdout bound_exact.1)" 22/3
expect 0 weir analyze "$worked" --sms 3 --no-split --json --verify
equal splits "$(json stdout splits)" "[]"
expect 0 weir analyze "$worked" --launch-overhead 0.5us --json --verify
equal "with overhead" "$(json stdout bound)" 7
expect 0 weir analyze "$worked" --min-time 2 --json --verify
equal "with a longer least time" "$(json stdout bound)" 8
expect 0 weir analyze "$worked" --max-concurrent 1 --json --verify
equal "one at a time" "$(json stdout bound)" 7
equal "places" "$(json stdout tokens.0.places)" 1
expect 0 weir analyze "$worked" --limit 1 --verify

# Tables of times, which other methods do not cover; in their table they say so.
sed 's/v2: 4/v2: {times: {1: 4, 2: 2.5}, splittable: false}/' "$worked" >table.yaml
expect 0 weir analyze table.yaml --verify --json
expect 3 weir analyze table.yaml --method graham
[ -s stdout ] && complain "an answer nonetheless"
expect 3 weir analyze table.yaml --method graham --json
has stdout '"errors"'
expect 0 weir analyze table.yaml --method all
has stdout "graham"

# Pictures and traces: whole or not there; the same bytes.
expect 0 weir analyze "$worked" --gantt one.svg --trace one.json
expect 0 weir analyze "$worked" --gantt two.svg --trace two.json --json
cmp -s one.svg two.svg || complain "two pictures differ"
cmp -s one.json two.json || complain "two traces differ"
has one.svg "<title>v3: 1 to 2 us, takes 1 us, 2 SMs, group 1</title>"
has one.svg "prefers-color-scheme:dark"
json one.json traceEvents.0.ph >/dev/null
equal "name of a process" "$(json one.json traceEvents.0.args.name)" '"launches"'
has one.json '"name": "added"'
has one.json '"name": "SMs in use"'
if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout one.svg || complain "no XML"
fi
expect 74 weir analyze "$worked" --gantt no/such/folder.svg
expect 74 weir analyze "$worked" --trace no/such/folder.json
has stderr "cannot write no/such/folder.json"
for option in gantt trace; do
    expect 2 weir analyze "$worked" --$option -
    has stderr "--$option: give a file"
    expect 2 weir analyze "$worked" "$worked" --$option x
    has stderr "--$option goes with one model"
done
expect 2 weir analyze "$worked" --gantt x --trace x
[ -e x ] && complain "a file nonetheless"
weir generate gpu --sms 132 --layers 12..12 --parallelism 40 --seed 3 -o many.yaml || complain "no model"
expect 0 weir analyze many.yaml --gantt many.svg --trace many.json --limit 5000 --verify
has stdout "SMs; "
json many.json >/dev/null
expect 0 weir analyze many.yaml --full --limit 5000
lacks stdout "(--full lists all)"

# Options and methods of other platforms, and the other way round.
for option in "--cores 2" "--queue 2" "--force-queue 2" "--latency-limit 3"; do
    expect 2 weir analyze "$worked" $option
    has stderr "has kernels on a GPU"
done
for option in "--no-split" "--explain"; do
    expect 2 weir analyze "$models/ultrasound.yaml" $option
    has stderr "has a thread per operator; the option is for"
done
for model in ultrasound drone receiver; do
    expect 3 weir analyze "$models/$model.yaml" --sms 4
    has stderr "for graphs of kernels"
done
expect 2 weir analyze "$worked" --verify --method paper
has stderr "--verify: the method paper is not safe, so there is nothing to verify"
expect 2 weir analyze "$worked" --limit 3 --method graham
has stderr "--limit: the method graham always terminates"
for method in exact tgdfs EI; do
    expect 3 weir analyze "$worked" --method $method
    has stderr "this model is a graph of kernels on a GPU; for it there are best, safe, paper"
done
expect 3 weir analyze "$models/ultrasound.yaml" --method greedy
has stderr "the method greedy is for kernels on a GPU, and the operators of this model have a thread each; for them there are exact"
expect 3 weir analyze "$models/drone.yaml" --method all
has stderr "the method all is for kernels on a GPU, and the operators of this model share processors"
expect 3 weir analyze "$models/receiver.yaml" --method safe
has stderr "which has one analysis: leave --method out"
expect 0 weir analyze "$worked" "$models/drone.yaml" --method best
has stdout "2 models: 2 fine"
expect 2 weir analyze "$worked" --method papr
has stderr "did you mean 'paper'?"
expect 2 weir analyze "$worked" --sms 0
expect 1 weir analyze "$worked" "$models/drone.yaml" --deadline 0.004ms --json # missed by both
equal "deadline of the first" "$(json stdout 0.deadline)" 4
equal "engine of the second" "$(json stdout 1.engine)" '"fixed-priority"'
