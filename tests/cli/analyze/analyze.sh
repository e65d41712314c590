# SPDX-License-Identifier: Apache-2.0
# What a person sees, to the letter.
show() { # show NAME STATUS ARGUMENT...
    local name=$1 status=$2
    shift 2
    expect "$status" weir analyze "$@"
    same stdout "$name.txt"
    [ -s stderr ] && complain "diagnostics of $name: $(cat stderr)"
}
show ultrasound 0 "$models/ultrasound.yaml" --verify
show ultrasound-late 1 "$models/ultrasound.yaml" --deadline 4ms
show late 0 "$models/late.yaml" --verify
show camera 0 "$models/camera.yaml"
show overload 1 "$models/overload.yaml"
show backlog 0 "$models/backlog.yaml" --verify
show pairs 0 "$models/pairs.yaml" --verify
show pairs-full 0 "$models/pairs.yaml" --full
cp "$models/graph.dot" .
show graph 0 graph.dot --queue 2 --verify

# The same input gives the same bytes.
expect 0 weir analyze "$models/pairs.yaml" --json
cp stdout first
expect 0 weir analyze "$models/pairs.yaml" --json
cmp -s stdout first || complain "two runs differ"

# Without --verify nothing claims to be verified.
expect 0 weir analyze "$models/ultrasound.yaml"
lacks stdout verified

# A long path is folded, and told by --full. All of it, whatever the width.
long() {
    printf 'operators:\n'
    for i in $(seq 40); do printf '  operator_%d: [0, %d]\n' "$i" "$((100 - i))"; done
    printf 'queues:\n'
    for i in $(seq 39); do printf '  - operator_%d -> operator_%d\n' "$i" "$((i + 1))"; done
}
long >long.yaml
expect 0 weir analyze long.yaml
has stdout "more steps (--full tells all)"
[ "$(wc -l <stdout)" -le 30 ] || complain "$(wc -l <stdout) lines do not fit a screen"
expect 0 weir analyze long.yaml --full
lacks stdout "more steps"
[ "$(wc -l <stdout)" -ge 45 ] || complain "--full tells only $(wc -l <stdout) lines"

# Many pairs: the worst are shown.
many() {
    printf 'operators:\n  source: 1\n'
    for i in $(seq 30); do printf '  sink_%d: %d\n' "$i" "$i"; done
    printf 'queues:\n'
    for i in $(seq 30); do printf '  - source -> sink_%d\n' "$i"; done
}
many >many.yaml
expect 0 weir analyze many.yaml
has stdout "source -> sink_30"
lacks stdout "sink_1 "
has stdout "and 18 more, none of them worse"
expect 0 weir analyze many.yaml --full
has stdout "sink_1 "

# Of two queues between the same operators the one is named that the wait or the message concerns.
cat >parallel.yaml <<'END'
operators: {s: 1, a: 6, b: {time: 7, receive: 7}}
queues: [s -> a, {from: a, to: b, capacity: 4}, {from: a, to: b, capacity: 1}]
measure: [{from: s, to: b}]
END
expect 0 weir analyze parallel.yaml --verify
has stdout "backpressure: b takes frame 0, so there is room (a->b#2)"
expect 0 weir analyze parallel.yaml --json --trace parallel.json
has stdout '"wait": "backpressure", "queue": {"from": "a", "to": "b", "number": 2}, "counts"'
has parallel.json '"name": "a -> b#2"'
