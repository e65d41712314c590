# SPDX-License-Identifier: Apache-2.0
# What cannot be read: a line per mistake that an editor can jump to, on stderr, status 3, nothing on stdout.
expect 3 weir analyze no-such-file.yaml
has stderr "no-such-file.yaml: "
equal "lines" "$(wc -l <stderr)" 1
[ -s stdout ] && complain "an answer without a model"

mkdir folder.yaml
expect 3 weir analyze folder.yaml
has stderr "folder.yaml: "

: >empty.yaml
expect 3 weir analyze empty.yaml
has stderr "empty.yaml:"

head -c 4096 /dev/zero >zeros
expect 3 weir analyze zeros
has stderr "zeros:"

cp "$models/bad.yaml" .
expect 3 weir analyze bad.yaml
has stderr 'bad.yaml:3:12: '
has stderr 'did you mean "time"?'
has stderr 'bad.yaml:4:'
has stderr 'bad.yaml:6:'
has stderr 'did you mean "debayer"?'
equal "lines" "$(wc -l <stderr)" 3
[ -s stdout ] && complain "an answer from a bad model"

expect 3 weir convert bad.yaml -o out.yaml
equal "lines" "$(wc -l <stderr)" 3
[ -e out.yaml ] && complain "a file from a bad model"

# A deadline that this model's unit does not know.
expect 3 weir analyze "$models/graph.dot" --deadline 5ms
has stderr 'graph.dot: '

# Standard input.
weir analyze - <"$models/graph.dot" >stdout 2>stderr || complain "standard input"
has stdout "worst 2710"
cat "$models/ultrasound.yaml" | weir analyze - --json >stdout 2>stderr || complain "a pipe"
equal worst "$(json stdout latency.0.worst)" 4029
printf 'operators: {a: [3, 1]}' | weir analyze - >stdout 2>stderr && complain "a bad model on standard input"
has stderr ":1:"
expect 2 weir analyze - -
has stderr "only once"
weir analyze - <&- >stdout 2>stderr
equal "status without standard input" $? 3
