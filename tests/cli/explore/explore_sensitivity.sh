# SPDX-License-Identifier: Apache-2.0
# weir explore --sensitivity, --scale and --assign-period.

cat >chain.yaml <<'END'
weir: 1
name: chain
unit: ms
operators:
  camera: {time: [1, 3]}
  infer:  {time: [4, 9]}
  track:  {time: [2, 6]}
  show:   {time: [1, 2]}
queues:
  - {from: camera, to: infer, capacity: 3}
  - {from: infer, to: track, capacity: 2}
  - {from: track, to: show, capacity: 2}
source: {operator: camera, period: 8}
deadlines:
  - {from: camera, to: show, within: 30}
END

# ---- sensitivity ----
expect 1 weir explore chain.yaml --sensitivity
has stdout "camera -> show"
has stdout "up to 8 ms"
has stdout "none will do"
has stdout "Do not matter for camera -> show: camera worst"
expect 1 weir explore chain.yaml --sensitivity --json
equal latency "$(json stdout sensitivity.0.worst)" 44
equal complete "$(json stdout complete)" true
equal "first number" "$(json stdout sensitivity.0.numbers.1.operator)" '"infer"'
equal "its limit" "$(json stdout sensitivity.0.numbers.1.limit)" 8
equal "its proof" "$(json stdout sensitivity.0.numbers.1.proved)" true
cp stdout first
expect 1 weir explore chain.yaml --sensitivity --json --threads 1
equal "for any number of threads" "$(cmp first stdout && echo same)" same
expect 1 weir explore chain.yaml --sensitivity --csv bends.csv --svg chart.svg
has bends.csv "camera,show,worst,infer,9,44,exact"
has chart.svg "What moves the latency"
expect 2 weir explore chain.yaml --sensitivity --scale
expect 2 weir explore chain.yaml --sensitivity --by 0
expect 2 weir explore chain.yaml --sensitivity --svg chart.png

# The published application, whose best cases are 0: convex functions.
app=$here/../../examples/published/multi-ai-ultrasound.yaml
expect 0 weir explore "$app" --sensitivity
has stdout "up to 1851 us"
has stdout "Every function is exact"

# ---- scaling ----
expect 0 weir explore "$app" --scale
has stdout "5000/4029"
expect 0 weir explore "$app" --scale --json
equal numerator "$(json stdout scale.factor.numerator)" 5000
expect 1 weir explore chain.yaml --scale
has stdout "8/9"
sed '/^deadlines/,$d' chain.yaml >free.yaml
expect 3 weir explore free.yaml --scale
has stderr "no latency has a deadline"

# ---- periods ----
expect 0 weir explore chain.yaml --assign-period -o paced.yaml
has stdout "every 9 ms"
has paced.yaml "period: 9"
expect 0 weir analyze paced.yaml
sed 's/period: 9/period: 8/' paced.yaml >early.yaml
expect 1 weir analyze early.yaml
expect 0 weir explore "$app" --assign-period
has stdout "replayer: any"
sed 's/within: 30/within: 5/' chain.yaml >never.yaml
expect 1 weir explore never.yaml --assign-period
has stdout "none"
expect 2 weir explore chain.yaml --assign-period --source nobody
has stderr "there is no operator 'nobody'"
