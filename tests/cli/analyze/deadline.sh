# SPDX-License-Identifier: Apache-2.0
# Exit status and verdict. The latency is 4029 us.
model=$models/ultrasound.yaml
for met in 4029 4029us 4.029ms 0.004029s 4.02900000001ms 1e9; do
    expect 0 weir analyze "$model" --deadline $met
    has stdout "deadline met"
    has stdout "to spare"
    lacks stdout MISSED
done
for missed in 4028 4028.999999us 4.028ms 0 1ns; do
    expect 1 weir analyze "$model" --deadline $missed
    head -n 1 stdout >first
    has first "DEADLINE MISSED"
    has first "aortic_ste_pre"
    [ -s stderr ] && complain "a result on stderr"
done
has stdout "by 4028.999 us"

expect 0 weir analyze "$model" --deadline 5ms --json
equal deadline "$(json stdout latency.0.deadline)" 5000
equal met "$(json stdout latency.0.met)" true
equal slack "$(json stdout latency.0.slack)" 971
expect 1 weir analyze "$model" --deadline 4ms --json
equal met "$(json stdout latency.0.met)" false
equal slack "$(json stdout latency.0.slack)" -29

# What the command line says wins over the model, which has 20 ms, in both directions.
expect 0 weir analyze "$models/camera.yaml"
has stdout "deadline 20 ms: met"
expect 1 weir analyze "$models/camera.yaml" --deadline 1
has stdout "deadline 1 ms: MISSED"
expect 1 weir analyze "$models/camera.yaml" --deadline 1 --json
equal deadline "$(json stdout latency.0.deadline)" 1
equal state "$(json stdout latency.0.state)" '"missed"'
cat >first.yaml <<'END'
unit: ms
operators: {camera: {time: [8, 10]}, detect: {time: [20, 30]}, display: {time: [1, 5]}}
queues: [camera -> detect, detect -> display]
deadlines: [{from: camera, to: display, within: 80}]
END
expect 0 weir analyze first.yaml
expect 1 weir analyze first.yaml --deadline=40ms
has stdout "DEADLINE MISSED by 25 ms"
expect 0 weir analyze first.yaml --deadline=65ms

# No bound.
expect 1 weir analyze "$models/overload.yaml"
head -n 1 stdout >first
has first "NO BOUND"
has first left
expect 1 weir analyze "$models/overload.yaml" --json
equal worst "$(json stdout latency.0.worst)" null
equal unbounded "$(json stdout latency.0.unbounded)" true
equal met "$(json stdout latency.0.met)" false
has stdout '"why": '

# A limit.
expect 4 weir analyze "$models/backlog.yaml" --limit 10
has stdout "LIMIT REACHED"
expect 4 weir analyze "$models/backlog.yaml" --limit 10 --json
equal exact "$(json stdout latency.0.exact)" false
json stdout latency.0.worst_lower >lower
