# SPDX-License-Identifier: Apache-2.0
root=$here/../..

expect 2 weir --schema
expect 2 weir --schema nothing
has stderr "model, answer or keys"
expect 0 weir --schema keys
has stdout "<!-- keys operator -->"
expect 0 "$root/scripts/model-reference" --check "$weir_program"
expect 0 weir --schema model
cp stdout model.schema.json
equal "title" "$(json model.schema.json title)" '"weir model, version 1"'
expect 0 weir --schema answer
cp stdout answer.schema.json
equal "title" "$(json answer.schema.json title)" '"weir answer, version 1"'

python=
for each in python3 /usr/bin/python3; do
    "$each" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null && python=$each && break
done
[ -n "$python" ] || skip "python3 has no jsonschema that knows draft 2020-12 (Debian: python3-jsonschema)"

expect 0 "$python" -W ignore -c 'import json, jsonschema
jsonschema.Draft202012Validator.check_schema(json.load(open("answer.schema.json")))'

# Keys that no other model has.
cat >every-key.yaml <<'MODEL'
weir: 1
name: Every key
unit: ms
platform: {scheduler: multi-thread, workers: 9, polling: 1}
operators:
  camera: {time: [1, 2], observed: {count: 1140, tail: 1000000, min: 1.2, max: 1.9, from: flow.log}}
  infer: {time: 1, gpu: {time: [2, 4], waits: true, after: [0, 1], stream: main}}
  detect: {time: {gpu: every-kernel.yaml, method: safe, best: 0.01, device: other}}
  screen: 1
  log: {time: 1, lane: side, start-within: 9}
queues:
  - camera -> infer -> detect
  - {from: detect, to: screen, latest: true, within: 90}
  - {from: camera, to: log, capacity: 2, blocking: false, full: pop, optional: true}
source: {operator: camera, period: 40, arrivals: catch-up}
MODEL
cat >every-kernel.yaml <<'MODEL'
unit: us
platform: {gpu: {sms: 4, min-time: 1, launch-overhead: 2, max-concurrent: 8, deadline: 900}}
defaults: {splittable: true, granularity: 2, min-time: 3}
kernels: {load: 40, blur: {load: 60, splittable: false}, match: {times: {1: 30, 2: 16}}}
dependencies: [load -> blur, {from: load, to: match}]
MODEL

# Every model here that weir can read, as it is written and as JSON.
files=()
for model in "$root"/examples/*.yaml "$root"/tests/cases/*/*.yaml "$models"/*.yaml every-*.yaml; do
    name=${model#"$root"/} && name=${name//\//-} && name=${name%.yaml}
    weir convert "$model" --to json -o "$name.json" 2>/dev/null || continue
    files+=("$model" "$name.json")
done
[ ${#files[@]} -gt 200 ] || complain "only ${#files[@]} files"
validate() {
    "$python" -W ignore "$here/formats/schema.py" model.schema.json "${files[@]}"
}
expect 0 validate
