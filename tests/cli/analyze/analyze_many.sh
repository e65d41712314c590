# SPDX-License-Identifier: Apache-2.0
# Several models: a block each, the worst status, a summary.
good=$models/camera.yaml late=$models/overload.yaml bad=$models/bad.yaml
expect 0 weir analyze "$good" "$models/graph.dot"
has stdout "camera: deadline met"
has stdout "2 models: 2 fine"
expect 1 weir analyze "$good" "$late" "$good"
has stdout "3 models: 2 fine, 1 late"
expect 3 weir analyze "$good" "$bad" "$late"
has stdout "3 models: 1 fine, 1 late, 1 not read"
has stdout "overload: NO BOUND"
has stderr "bad.yaml:3:"
expect 4 weir analyze "$models/backlog.yaml" "$late" --limit 10
has stdout "not decided"
expect 0 weir analyze "$models/batch-limit.yaml" --limit 10 # runs reach what is not exceeded, in one execution of the round
has stdout "worst 6"
expect 3 weir analyze no-such-file "$good"
has stdout "2 models: 1 fine, 1 not read"

expect 0 weir analyze --json "$good" "$models/graph.dot"
equal first "$(json stdout 0.model)" '"camera"'
equal second "$(json stdout 1.latency.0.worst)" 2710

# In JSON a model keeps its place when it cannot be read.
expect 3 weir analyze --json "$good" "$bad" "$late"
equal first "$(json stdout 0.latency.0.worst)" 16.5
equal line "$(json stdout 1.errors.0.line)" 3
equal column "$(json stdout 1.errors.0.column)" 12
equal third "$(json stdout 2.latency.0.worst)" null
expect 3 weir analyze --json "$bad"
equal mistakes "$(json stdout errors.2.line)" 6
has stderr "bad.yaml:3:12:"

# By several processes, which nobody can see: each model's block is what it says alone, in their order, however many there are.
many=("$models/camera.yaml" "$models/graph.dot" "$models/overload.yaml" "$models/bad.yaml" "$models/backlog.yaml")
: >alone.text
: >alone.complaints
for model in "${many[@]}"; do
    weir analyze "$model" >>alone.text 2>>alone.complaints
    echo >>alone.text
done
for i in $(seq 20); do
    again+=("${many[@]}")
    cat alone.text >>all.text
    cat alone.complaints >>all.complaints
done
echo "100 models: 40 fine, 20 late, 20 not decided, 20 not read" >>all.text
expect 3 weir analyze "${again[@]}"
sed -i 's/^100 models: .*/100 models/' all.text stdout
same() { cmp -s "$1" "$2" || complain "$1 and $2 differ: $(diff "$1" "$2" | head -n 5)"; }
same all.text stdout
same all.complaints stderr
