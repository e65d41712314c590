# SPDX-License-Identifier: Apache-2.0
# Models from what a Holoscan application leaves behind: applications of GXF, descriptions of operators, fragments.

# ---- an application of GXF: every semantic rule that its file can say
cat >app.yaml <<'END_OF_APP'
%YAML 1.2
---
name: camera
components:
- name: frames
  type: nvidia::gxf::DoubleBufferTransmitter
- name: preview
  type: nvidia::gxf::DoubleBufferTransmitter
- name: pose
  type: nvidia::gxf::AsyncBufferTransmitter
- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm
  parameters: {transmitter: frames, min_size: 2}
- type: nvidia::gxf::PeriodicSchedulingTerm
  parameters: {recess_period: 20ms, policy: NoCatchUpMissedTicks}
---
name: batch
components:
- name: in
  type: nvidia::gxf::DoubleBufferReceiver
  parameters: {capacity: 8}
- name: out
  type: nvidia::gxf::DoubleBufferTransmitter
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters: {receiver: in, min_size: 4}
- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm
  parameters: {transmitter: out, min_size: 1}
---
name: screen
components:
- name: in
  type: nvidia::gxf::DoubleBufferReceiver
  parameters: {capacity: 3, policy: 0}
- type: nvidia::gxf::PeriodicSchedulingTerm
  parameters: {recess_period: 60Hz, policy: MinTimeBetweenTicks}
- name: pose
  type: nvidia::gxf::AsyncBufferReceiver
---
name: archive
components:
- name: in
  type: nvidia::gxf::DoubleBufferReceiver
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters: {receiver: in}
---
components:
- type: nvidia::gxf::Connection
  parameters: {source: camera/frames, target: batch/in}
- type: nvidia::gxf::Connection
  parameters: {source: camera/preview, target: screen/in}
- type: nvidia::gxf::Connection
  parameters: {source: camera/pose, target: screen/pose}
- type: nvidia::gxf::Connection
  parameters: {source: batch/out, target: archive/in}
---
components:
- type: nvidia::gxf::EventBasedScheduler
  parameters: {worker_thread_number: 6}
END_OF_APP
cat >jobs.json <<'END_OF_JOBS'
{"entities": [
  {"name": "camera", "count": 4000, "execution_time_max_ms": 3},
  {"name": "batch", "count": 1000, "execution_time_max_ms": 9},
  {"name": "screen", "count": 4000, "execution_time_max_ms": 5},
  {"name": "archive", "count": 1000, "execution_time_max_ms": 2}]}
END_OF_JOBS
expect 0 weir convert --from app.yaml --times jobs.json -o model.yaml
has stderr '"batch" waits for 4 messages at port "in"'
has model.yaml "platform: {scheduler: event-based, workers: 6}"
lacks stderr "which scheduler"
sed '/EventBasedScheduler/,$d' app.yaml | sed '$d' | sed '$d' >unscheduled.yaml
expect 0 weir convert --from unscheduled.yaml --times jobs.json -o unscheduled-model.yaml
has stderr "note: no file says which scheduler runs the application, so the model gives each operator a thread of its own"
has stderr 'if the application uses it, add "platform: {scheduler: greedy}" to the model'
lacks unscheduled-model.yaml platform
has model.yaml "{from: camera, to: batch, consume: 4, capacity: 7}" # waits for 2 of 8 places: as for 1 of 7
has model.yaml "{from: camera, to: screen, capacity: 3, blocking: false, full: pop, optional: true}"
has model.yaml "{from: camera, to: screen, latest: true}"
has model.yaml "{from: batch, to: archive, capacity: 1}"
has model.yaml "{operator: camera, period: 20, arrivals: skip}"
has model.yaml "{operator: screen, period: 16.666666}"
expect 0 weir convert model.yaml -o again.yaml
cmp -s model.yaml again.yaml || complain "the model does not come back as it was written"

# Without times there is a skeleton of a model, which nothing analyses before it is filled in.
expect 0 weir convert --from app.yaml -o skeleton.yaml
has stderr 'no file has a time of operator "camera": the model has "time: TODO"'
equal "operators to be timed" "$(grep -c 'time: TODO' skeleton.yaml)" 4
has skeleton.yaml "{from: camera, to: batch, consume: 4, capacity: 7}"
expect 3 weir analyze skeleton.yaml
has stderr 'skeleton.yaml:5:18: "time" is still to be filled in'
sed 's/TODO/3/' skeleton.yaml >filled.yaml
expect 0 weir analyze filled.yaml
expect 0 weir convert --from app.yaml -o skeleton.json
has skeleton.json '"time": "TODO"'
expect 3 weir convert --from app.yaml -o skeleton.tck
has stderr "times of operators are missing: TChecker cannot hold that; YAML and JSON can (time: TODO)"
[ ! -e skeleton.tck ] || complain "half a model was written"

sed 's/EventBasedScheduler/MultiThreadScheduler/; s/worker_thread_number: 6/check_recession_period_ms: 0.25/' app.yaml >polled.yaml
expect 0 weir convert --from polled.yaml --times jobs.json -o model.yaml
has stderr "the number of worker threads is not given; the default is 1"
has model.yaml "platform: {scheduler: multi-thread, workers: 1, polling: 0.25}"
# A batch that may lose messages is refused by name.
sed '$!N; /DownstreamReceptive.*\n.*transmitter: frames/d; P; D' app.yaml >lossy.yaml
expect 3 weir convert --from lossy.yaml --times jobs.json -o model.yaml
has stderr '"batch" takes 4 messages at once at port "in", and nobody waits for room there, so that one may be lost: that is not modelled'
sed 's/min_size: 2/min_size: 9/' app.yaml >never.yaml
expect 3 weir convert --from never.yaml --times jobs.json -o model.yaml
has stderr '"camera" waits for 9 slots at port "frames", but the queue behind it has 8'

# ---- descriptions of operators beside a port map
cat >ports.yaml <<'END_OF_PORTS'
output_to_input:
  tx.out: [rx.in]
  tx.fast: [rx.fast]
END_OF_PORTS
cat >described.txt <<'END_OF_TEXT'
id: -1
name: tx
fragment: ""
args:
  []
type: kNative
conditions:
  - id: -1
    name: every
    fragment: ""
    args:
      - name: recess_period
        type: std::string
        value: 10ms
    gxf_typename: nvidia::gxf::PeriodicSchedulingTerm
resources:
  []
spec:
  fragment: ""
  inputs:
    []
  outputs:
    - name: out
      io_type: kOutput
      connector_type: kDefault
      conditions:
        - type: kNone
    - name: fast
      io_type: kOutput
      connector_type: kAsyncBuffer
      conditions:
        []
id: -1
name: rx
fragment: ""
args:
  []
type: kNative
conditions:
  []
resources:
  []
spec:
  fragment: ""
  inputs:
    - name: in
      io_type: kInput
      connector_type: kDoubleBuffer
      connector:
        name: receiver
        args:
          - name: capacity
            type: int32_t
            value: 5
          - name: policy
            type: int32_t
            value: 1
      conditions:
        - name: available
          args:
            - name: min_size
              type: uint64_t
              value: 1
          type: kMessageAvailable
  outputs:
    []
END_OF_TEXT
printf '{"entities": [{"name": "tx", "count": 9, "execution_time_max_ms": 3},{"name": "rx", "count": 9, "execution_time_max_ms": 4}]}' >jobs.json
expect 0 weir convert --from ports.yaml --from described.txt --times jobs.json -o model.yaml
has model.yaml "{from: tx, to: rx, capacity: 5, blocking: false, full: reject}"
has model.yaml "{from: tx, to: rx, latest: true}"
has model.yaml "{operator: tx, period: 10, arrivals: catch-up}"

# ---- fragments: operators are FRAGMENT.NAME; what goes from one to another has a transfer
printf 'output_to_input:\n  camera.out: [filter.in]\n' >left.yaml
printf 'output_to_input:\n  filter.out: [screen.in]\n' >right.yaml
printf 'output_to_input:\n  left.filter.out: [right.filter.in]\n' >fragments.yaml
cat >flow.log <<'END_OF_LOG'
1:
(left.camera,1000,3000) -> (left.filter,3000,8000) -> (right.filter,9500,11500) -> (right.screen,11500,12000) 

2:
(left.camera,11000,13000) -> (left.filter,13000,17000) -> (right.filter,19100,21100) -> (right.screen,21100,22000) 

END_OF_LOG
expect 0 weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --times flow.log -o model.yaml
has model.yaml "left.camera: {time: 2"
has model.yaml "{from: left.camera, to: left.filter, capacity: 1}"
has model.yaml "{from: left.filter, to: right.filter, capacity: 1, blocking: false, full: fault, transfer: [0, 2.1]}"
has stderr 'over UCX "left.filter" does not wait for room at "right.filter", another fragment'
has stderr 'messages were in transit for 1.5 to 2.1 ms, waiting included'
lacks stderr "is taken for"
expect 0 weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --times flow.log --margin 10% -o wide.yaml
has wide.yaml "transfer: [0, 2.31]"
expect 0 weir compare model.yaml flow.log
has stdout "  observed  2 messages"
# GXF has the fragment and the operator divided by two underscores.
cat >both.json <<'END_OF_JOBS'
{"entities": [
  {"name": "left__camera", "count": 40, "execution_time_max_ms": 3},
  {"name": "left__filter", "count": 40, "execution_time_max_ms": 9},
  {"name": "right__filter", "count": 40, "execution_time_max_ms": 5},
  {"name": "right__screen", "count": 40, "execution_time_max_ms": 1}]}
END_OF_JOBS
expect 0 weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --times both.json -o model.yaml
has stderr '"left__filter" is taken for "left.filter" of left.yaml'
has model.yaml "left.filter: {time: [0, 9]"
has model.yaml "right.filter: {time: [0, 5]"
lacks model.yaml "TODO"

# Names of a fragment's own files may have the fragment before them or not; so may job statistics.
printf '{"entities": [{"name": "filter", "count": 9, "execution_time_max_ms": 7}]}' >jobs.json
expect 0 weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --times flow.log --times right=jobs.json -o model.yaml
has model.yaml "right.filter: {time: [2, 7]"
has model.yaml "left.filter: {time: [4, 5]"
# Without a log nobody knows how long a message is under way; with clocks that differ it is told.
printf '{"entities": [{"name": "camera", "count": 9, "execution_time_max_ms": 7},{"name": "filter", "count": 9, "execution_time_max_ms": 7},{"name": "screen", "count": 9, "execution_time_max_ms": 7}]}' >jobs.json
expect 0 weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --times left=jobs.json --times right=jobs.json -o model.yaml
has stderr "no log says how long a message is in transit"
lacks model.yaml "transfer"
sed 's/right.filter,9500/right.filter,7500/' flow.log >skewed.log
expect 0 weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --times skewed.log -o model.yaml
has stderr "the clocks of the fragments differ"

# ---- messages that are read once more: an async buffer
cat >old.log <<'END_OF_LOG'
1:
(camera,1000,3000) -> (screen,3000,4000) 

2:
(camera_old,1000,3000) -> (screen,6000,7000) 

END_OF_LOG
expect 0 weir convert --from old.log -o model.yaml
has stderr "once more (_old), so an async buffer joins them"
has model.yaml "{from: camera, to: screen, latest: true}"

# ---- a path that comes back: some input in the circle has no condition, which a log does not tell and descriptions do
cat >round.log <<'END_OF_LOG'
1:
(camera,1000,2000) -> (track,2000,3000) -> (predict,3000,4000) -> (track,12000,13000) 

END_OF_LOG
expect 3 weir convert --from round.log -o model.yaml
has stderr 'round.log:2: note: this path comes back to "track", so an input on the way does not wait'

# ---- start-up and end: of what a log has 100 of, the first 10 and the last 10 do not count, unless it is said otherwise
startup() { # EXECUTIONS: the first takes 900 ms, the last 800 ms, all others 5 ms
    awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) { d = i == 1 ? 900000 : i == n ? 800000 : 5000;
        printf "%d:\n(a,%d,%d) -> (b,%d,%d) \n\n", i, i * 2000000, i * 2000000 + d, i * 2000000 + d, i * 2000000 + d + 1000 } }'
}
startup 100 >long.log
expect 0 weir convert --from long.log -o model.yaml
has model.yaml "a: {time: 5, observed: {count: 80,"
has stderr "the times of the first 10 and the last 10 executions of each operator were left out, where there are at least 100"
expect 0 weir convert --from long.log --skip-first 0 -o model.yaml
has model.yaml "a: {time: [5, 900], observed: {count: 100,"
lacks stderr "left out"
expect 0 weir convert --from long.log --skip-first 1 -o model.yaml
has model.yaml "a: {time: [5, 800], observed: {count: 99,"
expect 0 weir convert --from long.log --skip-last 1 -o model.yaml
has model.yaml "a: {time: [5, 900], observed: {count: 99,"
for few in 99 20 15 10 5 1; do
    startup $few >few.log
    expect 0 weir convert --from few.log -o model.yaml
    has model.yaml "observed: {count: $few,"
    lacks stderr "left out"
done

# ---- a tail that goes on: the longest seen are not the longest there are
awk 'BEGIN { srand(3); for (i = 1; i <= 5000; i++) { d = 5000 - 700 * log(1 - rand()); printf "%d:\n(a,%d,%d) -> (b,%d,%d) \n\n", i, i * 90000, i * 90000 + d, i * 90000 + d, i * 90000 + d + 1000 } }' >long.log
expect 0 weir convert --from long.log -o model.yaml
has stderr 'one execution in a million of "a" takes more than'
margin=$(grep -oE 'margin [0-9]+%' stderr | head -n 1 | cut -d' ' -f2)
expect 0 weir convert --from long.log --margin "$margin" -o model.yaml
lacks stderr "one execution in a million"
expect 0 weir convert --from long.log --tail 1000000 -o tail.yaml
has stderr "with 95 % confidence no more than one execution in 1000000 takes longer"
has tail.yaml "tail: 1000000, from: long.log"
expect 0 weir analyze tail.yaml --json
has stdout '"tail": 1000000'
expect 0 weir report tail.yaml -o tail.html
has tail.html "<td>tail, 1 in 1000000</td>"
expect 3 weir convert --from flow.log --tail 1000000 -o few.yaml
has stderr "80 are needed"
expect 2 weir convert --from long.log --tail 10 -o few.yaml

# Start-up and end: the times of so many executions do not count. One log, cut in awk, says what is left.
awk 'BEGIN { srand(5); for (i = 1; i <= 60; i++) { a = i <= 3 || i > 58 ? 90000 : 1000 + int(rand() * 500); b = i <= 3 ? 7 : 2000 + int(rand() * 500)
    t = i * 200000; printf "%d:\n(a,%d,%d) -> (b,%d,%d)\n\n", i, t, t + a, t + a + 10, t + a + 10 + b } }' >start.log
spans() { # spans FIRST LAST: the shortest and longest times of a and b, in microseconds, without these executions
    awk -F '[,()]' -v first="$1" -v last="$2" '/^\(/ { n++; a[n] = $4 - $3; b[n] = $8 - $7 }
        END { for (i = first + 1; i <= n - last; i++) { if (!k++) { la = ha = a[i]; lb = hb = b[i] }
            if (a[i] < la) la = a[i]; if (a[i] > ha) ha = a[i]; if (b[i] < lb) lb = b[i]; if (b[i] > hb) hb = b[i] }
            print la, ha, lb, hb, k }' start.log
}
for skip in "0 0" "3 0" "0 2" "3 2" "20 30" "2 17" "29 30"; do
    read -r first last <<<"$skip"
    expect 0 weir convert --from start.log --skip-first "$first" --skip-last "$last" -o start.yaml
    equal "times without $first and $last executions" "$(tr -d '{},' <start.yaml | awk '/^unit:/ { scale = $2 == "us" ? 1 : 1000 }
        /observed:/ { for (i = 1; i < NF; i++) v[$i] = $(i + 1); low[$1] = v["min:"]; high[$1] = v["max:"]; count = v["count:"] }
        END { printf "%.0f %.0f %.0f %.0f %d", low["a:"] * scale, high["a:"] * scale, low["b:"] * scale, high["b:"] * scale, count }')" \
        "$(spans "$first" "$last")"
    [ "$skip" = "0 0" ] || has stderr "the times of the first $first and the last $last executions of each operator were left out"
done
expect 0 weir convert --from start.log --skip-first 40 --skip-last 20 -o none.yaml
has stderr "2 operators have no more executions than that"
has none.yaml "TODO"
expect 2 weir convert start.yaml --skip-first 3 -o none.yaml
has stderr "go with --from"
expect 2 weir convert --from start.log --skip-last 100001 -o none.yaml

# ---- executions that a log and statistics both saw count once; those of two logs are of two runs
printf '{"entities": [{"name": "camera", "count": 3, "execution_time_max_ms": 2.5},{"name": "screen", "count": 9, "execution_time_max_ms": 4}]}' >jobs.json
expect 0 weir convert --from old.log --times jobs.json -o model.yaml
has model.yaml 'camera: {time: [2, 2.5], observed: {count: 3, min: 2, max: 2.5, from: "old.log, jobs.json"}}'
has model.yaml "screen: {time: [1, 4], observed: {count: 9, "
cp old.log second.log
expect 0 weir convert --from old.log --times second.log -o model.yaml
has model.yaml "screen: {time: 1, observed: {count: 4, "

# ---- graphs with WCET: alone a model; with other files what they say, if it has a unit
printf 'digraph { camera [WCET=2100]; screen [WCET=1500]; camera -> screen; }' >wcet.dot
expect 0 weir analyze wcet.dot
expect 3 weir convert --from wcet.dot --times old.log -o model.yaml
has stderr "wcet.dot:1:24: this time has no unit, as those of an application have"
sed -i 's/{/{ unit=us;/' wcet.dot
expect 0 weir convert --from wcet.dot --times old.log -o model.yaml
has model.yaml 'camera: {time: [2, 2.1], observed: {count: 1, min: 2, max: 2.1, from: "wcet.dot, old.log"}}'
sed -i 's/WCET=2100/WCET=1900/' wcet.dot
expect 0 weir convert --from wcet.dot --times old.log -o model.yaml
has stderr 'contradiction: "camera" took 2 ms from receive() to emit(), but wcet.dot says that no execution took more than 1.9 ms'
# Work on a GPU as nodes of their own is not what it seems.
printf 'digraph { infer [type=syncpre, WCET=2]; "GPU-infer" [type=GPU, WCET=9]; infer -> "GPU-infer"; }' >typed.dot
expect 0 weir analyze typed.dot
has stderr 'typed.dot:1:23: note: types of nodes are not read'
# A model is no file of an application.
expect 3 weir convert --from model.yaml -o again.yaml
has stderr "a model is given without --from"

# ---- statistics have the broadcasts: with two receivers, and no ports known, it must be theirs
cat >fan.log <<'END_OF_LOG'
1:
(App.camera,1000,3000) -> (App.filter,3000,8000) -> (App.screen,8000,9000) 
(App.camera,1000,3000) -> (App.screen,8000,9000) 

END_OF_LOG
cat >fan.json <<'END_OF_JOBS'
{"entities": [{"name": "camera", "count": 1, "execution_time_max_ms": 2}, {"name": "filter", "count": 1, "execution_time_max_ms": 5},
  {"name": "screen", "count": 1, "execution_time_max_ms": 1}, {"name": "App_broadcast_camera_out", "count": 1, "execution_time_max_ms": 0.5}]}
END_OF_JOBS
expect 0 weir convert --from fan.log --times fan.json -o model.yaml
has stderr 'fan.json:2: note: "App_broadcast_camera_out": so both receivers of "App.camera" share a port'
lacks stderr "several receivers"
lacks stderr "left out"
has model.yaml "App.camera.broadcast: {time: [0, 0.5], "
has model.yaml "{from: App.camera.broadcast, to: App.screen, capacity: 1}"
# With three it may be any two of them.
sed '3s/.*/&\n(App.camera,1000,3000) -> (App.disk,8000,9000) /' fan.log >three.log
sed 's/"entities": \[/&{"name": "disk", "count": 1, "execution_time_max_ms": 1},/' fan.json >three.json
expect 0 weir convert --from three.log --times three.json -o model.yaml
has stderr 'so some of the 3 receivers of "App.camera" share a port, but not which ones: a port map does'
has stderr "1 operator has several receivers"
has model.yaml "App.camera.broadcast: {time: [0, 0.5], observed: {count: 1, max: 0.5, from: three.json}, assumed: true}"
# ---- ports that nobody names: the bound of both, unless it is said
expect 0 weir analyze model.yaml
has stdout "one port "
has stdout "a port each "
for ports in shared separate; do
    expect 0 weir convert --from three.log --times three.json --ports $ports -o $ports.yaml
    has stderr "as --ports says, the model has"
    lacks $ports.yaml assumed
    lacks stdout "Ports"
done
has shared.yaml "App.camera.broadcast"
lacks separate.yaml "broadcast"
expect 2 weir convert --from three.log --ports some -o some.yaml
has stderr "--ports is shared, separate or unknown, not 'some'"
expect 3 weir explore model.yaml --sensitivity
has stderr '"App.camera.broadcast" is assumed: say whether its receivers have one port or one each, with --ports shared or'

# ---- several outputs into one input port: one queue with several producers
printf 'output_to_input:\n  camera.out: [mix.in]\n  radar.out:\n    - mix.in\n  mix.out: [screen.in]\n' >merged.yaml
cat >merged.json <<'END_OF_JOBS'
{"entities": [{"name": "camera", "count": 5, "execution_time_max_ms": 1}, {"name": "radar", "count": 5, "execution_time_max_ms": 1},
  {"name": "mix", "count": 5, "execution_time_max_ms": 1}, {"name": "screen", "count": 5, "execution_time_max_ms": 1}]}
END_OF_JOBS
expect 0 weir convert --from merged.yaml --times merged.json -o model.yaml
has stderr 'merged.yaml:4: note: "camera" and "radar" both lead to port "in" of "mix": one queue with several producers'
has model.yaml "{from: camera, to: mix, capacity: 1, full: fault, port: in}"
has model.yaml "{from: radar, to: mix, capacity: 1, full: fault, port: in}"
expect 4 weir analyze model.yaml
has stdout "others that may send as fast as messages are taken"
sed 's/\[0, 1\]/[0.5, 1]/' model.yaml >some.yaml
expect 4 weir analyze some.yaml --verify
has stdout "camera -> screen   at most 4 ms"
has stdout "not proved never to be full"
printf 'platform: {scheduler: greedy}\n' >>some.yaml
expect 0 weir analyze some.yaml
has stdout "radar -> screen    worst 5 ms"
# ... which takes several messages at once (IOSpec.PRECEDING_COUNT), is not modelled.
entity() { # NAME COMPONENTS
    printf -- '---\nname: %s\ncomponents:\n%b' "$1" "$2"
}
joined() { # SOURCE
    printf -- '---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters: {source: %s/out, target: mix/in}\n' "$1"
}
{
    for name in camera radar; do entity $name '- name: out\n  type: nvidia::gxf::DoubleBufferTransmitter\n'; done
    entity mix '- name: in\n  type: nvidia::gxf::DoubleBufferReceiver\n  parameters: {capacity: 2}\n- type: nvidia::gxf::MessageAvailableSchedulingTerm\n  parameters: {receiver: in, min_size: 2}\n'
    joined camera
    joined radar
} >count.yaml
expect 3 weir convert --from count.yaml --times merged.json -o model.yaml
has stderr 'several operators lead to port "in" of "mix", one of which several messages are taken at once: such a queue with several producers is not modelled'
sed 's/\[mix.in\]/["mix.in:0"]/; s/- mix.in$/- mix.in:1/' merged.yaml >apart.yaml
expect 0 weir convert --from apart.yaml --times merged.json -o model.yaml
has model.yaml "{from: radar, to: mix, capacity: 1}"

# ---- batches: several messages in one execution, always as many; what is sent through two ports is no batch
cat >batch.yaml <<'END_OF_MODEL'
unit: ms
operators: {camera: [8, 10], stack: [40, 60], screen: [5, 16]}
queues:
  - {from: camera, to: stack, consume: 4}
  - stack -> screen
source: {operator: camera, period: 33.3}
END_OF_MODEL
expect 0 weir simulate batch.yaml --runs 1 --times random --log batch.log
expect 0 weir convert --from batch.log -o model.yaml
has stderr 'each execution of "stack" takes 4 messages of "camera": a batch (consume: 4)'
has model.yaml "{from: camera, to: stack, consume: 4, capacity: 4}"
has model.yaml "{from: stack, to: screen, capacity: 1}"
expect 0 weir convert --from batch.log --queue 9 -o model.yaml
has model.yaml "{from: camera, to: stack, consume: 4, capacity: 9}"
cat >ports.log <<'END_OF_LOG'
1:
(camera,1000,3000) -> (screen,8000,9000) 
(camera,1000,3500) -> (screen,8100,9000) 

2:
(camera,4000,5000) -> (screen,9000,9900) 
(camera,4000,5500) -> (screen,9100,9900) 

END_OF_LOG
expect 0 weir convert --from ports.log -o model.yaml
lacks stderr "messages of"
has model.yaml "{from: camera, to: screen, capacity: 1}"
sed '6s/.*/(camera,4000,5000) -> (screen,9000,9900) \n(camera,6000,7000) -> (screen,9000,9900) /' ports.log >some.log
expect 0 weir convert --from some.log -o model.yaml
has stderr 'an execution of "screen" takes 1 to 2 messages of "camera": the model has one, and so its bounds may be too small'

# ---- a damaged line does not make an operator, and one that is connected with nothing does not spoil the rest
printf '1:\n(a,1000,2000) -> (b,3000,4000) \n(a,99999999999999999999,3) -> (b,1,2) \n(c,1000,2000) \n' >damaged.log
expect 0 weir convert --from damaged.log -o model.yaml
has stderr "damaged.log:3: note: 1 of 4 lines cannot be read"
has stderr 'note: "c" is not connected to anything here, and is left out'
lacks stderr "has times, but"
has model.yaml "{from: a, to: b, capacity: 1}"
lacks model.yaml "  c:"
printf '1:\n(c,1000,2000) \n' >alone.log
expect 0 weir convert --from alone.log -o model.yaml
has model.yaml "  c: {time: 1, "
