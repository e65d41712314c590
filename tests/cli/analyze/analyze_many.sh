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
