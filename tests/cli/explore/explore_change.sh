# SPDX-License-Identifier: Apache-2.0
# weir explore --what-if, --add, --remove and --sweep.
cat >camera.yaml <<'END'
name: camera
unit: us
operators:
  camera: {time: [100, 500]}
  filter: {time: [10, 20]}
  "Depth App.viz": {time: [0, 331]}
queues: [camera -> filter -> Depth App.viz]
deadlines: [{from: camera, to: Depth App.viz, within: 1ms}]
END

# ---- before and after ----
expect 1 weir explore camera.yaml --what-if 'Depth App.viz.time=[0.2ms,0.9505ms]' -o slower.yaml --verify
has stdout "camera, changed: 1 deadline missed"
has stdout " 993 "
has stdout "+"
has stdout "met -> missed"
has stdout "Critical paths"
has stdout "slower.yaml"
has slower.yaml 'time: [200, 950.5]'
expect 1 weir analyze slower.yaml --json
worst=$(json stdout latency.0.worst)
expect 1 weir explore camera.yaml --what-if 'Depth App.viz.time=[0.2ms,0.9505ms]' --json
equal "worst after" "$(json stdout after.latency.0.worst)" "$worst"
equal "worst before" "$(json stdout before.latency.0.worst)" 993
equal engine "$(json stdout after.engine)" '"exact"'
equal change "$(json stdout changes.0.set)" '"Depth App.viz.time=[0.2ms,0.9505ms]"'
expect 0 weir explore camera.yaml --what-if 'camera->filter.capacity=3' --what-if=camera.period=33ms
has stdout "held back by"
expect 1 weir explore camera.yaml --what-if filter.start-within=0 -o prompt.yaml # it waits for room
has prompt.yaml 'start-within: 0'
head -n 1 stdout >first
has first "CAN START LATE"
lacks first "met"
expect 1 weir analyze prompt.yaml --json
equal "a start at once" "$(json stdout starts.0.within)" 0
weir explore - --what-if 'filter.time=3' <camera.yaml >stdout 2>&1 || complain "a model on standard input"

# ---- parts ----
expect 1 weir explore camera.yaml --remove 'camera->filter' --add 'denoise: {time: [1us, 30]}' \
    --add 'camera -> denoise -> filter' --what-if 'denoise->filter.capacity=2' -o longer.yaml
has stdout "+ denoise: {time: [1us, 30]}"
has stdout "- camera->filter"
has longer.yaml "denoise: {time: [1, 30]}"
expect 0 weir explore camera.yaml --remove filter --add 'camera -> Depth App.viz'
has stderr 'note: with "filter" go the queue camera -> filter, the queue filter -> Depth App.viz'
expect 2 weir explore camera.yaml --remove filter
has stderr "camera, changed: "

# ---- mistakes ----
expect 2 weir explore camera.yaml --what-if 'filtr.time=3' --add 'log: {tme: 3}' --remove screen
has stderr "--what-if 'filtr.time=3': column 1: there is no operator \"filtr\"; did you mean \"filter\"?"
has stderr "--add 'log: {tme: 3}': column 7:"
has stderr "--remove 'screen': column 1:"
[ -s stdout ] && complain "a mistake on stdout"
expect 2 weir explore camera.yaml --what-if 'filter.time'
expect 2 weir explore camera.yaml --what-if
expect 2 weir explore --what-if 'filter.time=3'
has stderr "exactly one model"
expect 2 weir explore camera.yaml --what-if 'filter.time=3' -o -
expect 2 weir explore camera.yaml --what-if 'filter.time=3' -o changed.txt
expect 2 weir explore camera.yaml --what-if 'filter.time=3' --priorities
expect 2 weir explore camera.yaml --sweep 'filter.time=1:3:1' --priorities
has stderr "one kind of change at a time"
expect 3 weir explore missing.yaml --what-if 'filter.time=3'

# ---- every platform ----
weir generate priority --system wlan -o wlan.yaml
expect 0 weir explore wlan.yaml --what-if 'FLT.period=50us' --json
equal engine "$(json stdout after.engine)" '"fixed-priority"'
cat >receiver.yaml <<'END'
unit: us
platform: {cores: 2}
operators: {radio: {cost: {init: 2, per-sample: 0.5}}, audio: {time: [1, 4]}}
queues: [{from: radio, to: audio, produce: 2, consume: 4}]
source: {operator: radio, period: 20}
END
expect 0 weir explore receiver.yaml --what-if 'radio.cost.init=3' --what-if 'platform.cores=1'
has stdout "cores in use"
cat >kernels.yaml <<'END'
unit: us
platform: {gpu: {sms: 8, min-time: 1}}
kernels: {a: {load: 20}, b: {load: 30}}
dependencies: [a -> b]
END
expect 0 weir explore kernels.yaml --what-if 'platform.sms=16' --add 'c: {load: 5}' --add 'b -> c'
has stdout "the whole"
expect 0 weir explore camera.yaml --what-if 'platform.workers=2' --what-if 'camera->Depth App.viz.within=9ms'

# ---- sweeps ----
expect 0 weir explore camera.yaml --sweep 'filter.time=0.1ms:0.5ms:0.1ms' --csv one.csv --svg one.svg
has stdout "camera: 5 points; deadlines met at "
has stdout "Smallest and largest"
has stdout "filter.time=100 us; filter.time=500 us"
equal "lines of the table" "$(wc -l <one.csv)" 6
has one.csv 'filter.time,camera -> Depth App.viz,period,met,state'
has one.svg "<svg"
expect 0 weir explore camera.yaml --what-if 'camera.period=0.5ms' --sweep 'filter.time=100:500:200' --sweep 'queue.capacity=1:3' \
    --json
equal points "$(json stdout points.8.state)" '"done"'
equal axis "$(json stdout axes.1.values.2)" '"3"'
for threads in 1 2 5; do
    weir explore camera.yaml --sweep 'filter.time=0:400:7' --sweep 'camera.worst=100:500:50' --threads $threads --full >"$threads.txt" \
        2>&1
    cmp -s 1.txt $threads.txt || complain "$threads threads say something else"
done
cat >anomaly.yaml <<'END'
operators: {grab: 100, two_ais: 500, merge: 100, show: 400}
queues: [grab -> two_ais -> merge -> show]
END
expect 0 weir explore anomaly.yaml --sweep 'two_ais.time=100:500:100'
has stdout "Timing anomalies"
has stdout "less of two_ais.time"
expect 2 weir explore camera.yaml --sweep 'filter.time=0:1s:1ns'
has stderr "too many points: 1000000 are the most"
expect 2 weir explore camera.yaml --sweep 'filter.time=0:100:1' --points 100
expect 2 weir explore camera.yaml --sweep 'filter.time=1:20'
has stderr "needs a step"
expect 2 weir explore camera.yaml --sweep 'filter.time=1:3:1' --svg plot.png
expect 2 weir explore camera.yaml --sweep 'filter.time=1:3:1' -o x.yaml
expect 1 weir explore camera.yaml --sweep 'filter.time=1ms:3ms:1ms'
expect 0 weir explore wlan.yaml --sweep 'FLT.period=40us,50us'

# ---- an interrupt, of a sweep that would take minutes ----
weir generate holoscan --nodes 400 -o large.yaml
stopped INT explore large.yaml --sweep 'queue.capacity=1:10' --sweep 'A.worst=1:1000:1' --json
status=$?
[ $status = 0 ] || [ $status = 4 ] || complain "an interrupt ends it with $status"
equal interrupted "$(json stdout interrupted)" true
