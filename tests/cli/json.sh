# SPDX-License-Identifier: Apache-2.0
# The contract of docs/reference/json.md, on answers of the engine.
expect 0 weir analyze "$models/ultrasound.yaml" --json --verify
same stdout ultrasound.json
if command -v python3 >/dev/null 2>&1 && python3 -c '' 2>/dev/null; then
    python3 -m json.tool <stdout >/dev/null || complain "python does not read it"
fi
for key in weir model unit engine latency.0.from latency.0.to latency.0.worst latency.0.best latency.0.jitter latency.0.exact \
    latency.0.deadline latency.0.met latency.0.slack latency.0.gap latency.0.shift latency.0.witness.iteration \
    latency.0.witness.critical.0.operator latency.0.witness.critical.0.iteration latency.0.witness.critical.0.time \
    latency.0.witness.critical.0.wait throughput.period throughput.best_period throughput.bottleneck.0; do
    json stdout $key >value
    [ -s value ] || complain "$key is missing"
done
equal verified "$(json stdout latency.0.verified)" true
equal period "$(json stdout throughput.period)" 1463.5
equal "exact period" "$(json stdout throughput.period_exact)" "[2927, 2]"

# Decimals are exact, however long.
printf 'unit: s\noperators: {a: [0.000000001, 0.10000000000000001]}\n' >fine.yaml
expect 0 weir analyze fine.yaml --json
equal worst "$(json stdout latency.0.worst)" 0.10000000000000001

# Names are text, whatever is in them.
printf 'name: "tab\\\\ \\" \xc2\xb5"\noperators: {"a \\"b\\" \\\\": 1}\n' >names.yaml
expect 0 weir analyze names.yaml --json
equal model "$(json stdout model)" '"tab\\ \" µ"'
equal from "$(json stdout latency.0.from)" '"a \"b\" \\"'

# A long build-up has segments, and lists its steps only when they are few.
expect 0 weir analyze "$models/backlog.yaml" --json --verify
json stdout latency.0.witness.segments.1.repeat >repeat
[ "$(cat repeat)" -gt 100000 ] || complain "a build-up of $(cat repeat)"
lacks stdout '"critical"'
