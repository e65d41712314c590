# SPDX-License-Identifier: Apache-2.0
# Pictures and traces of worst cases and of runs, drawings: what is written, what is refused, and that others can read it.

examples=$here/../../examples
weir generate holoscan --nodes 60 --density 0.2 --best-ratio 0.3 -o sixty.yaml

# An SVG is XML; where librsvg is at hand, it is also a picture of the size that it says.
picture() {
    local file=$1 width height
    [ -s "$file" ] || {
        complain "there is no $file"
        return
    }
    head -c 100 "$file" | grep -q '^<svg xmlns="http://www.w3.org/2000/svg"' || complain "$file does not begin as a picture"
    lacks "$file" 'nan'
    lacks "$file" 'http://www.w3.org/1999' # nothing is fetched
    command -v rsvg-convert >/dev/null || return
    width=$(sed -n '1s/.*viewBox="0 0 \([0-9]*\).*/\1/p' "$file")
    rsvg-convert "$file" -o picture.png 2>problems || complain "$file cannot be rendered: $(head -n 1 problems)"
    height=$(od -An -tu1 -j16 -N4 picture.png | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }')
    [ "$height" -ge "$width" ] && [ "$height" -le $((width + 1)) ] || complain "$file is $height wide, not $width"
}

command -v rsvg-convert >/dev/null || echo "not rendered: rsvg-convert is not installed"
drawings=true
weir analyze "$models/camera.yaml" --graph probe.svg >/dev/null 2>probe || drawings=false
$drawings || {
    has probe "Graphviz"
    echo "no drawings: $(cat probe)"
}

# ---- the worst case ----

for model in "$models/camera.yaml" "$models/ultrasound.yaml" sixty.yaml "$examples/feedback-loop.yaml"; do
    rm -f one.svg one.json
    expect 0 weir analyze "$model" --deadline 100000000 --gantt one.svg --trace one.json
    [ -s stderr ] && complain "talk on stderr"
    worst=$(sed -n '1s/.*: \([0-9.]*\) [a-z]*">$/\1/p' one.svg)
    picture one.svg
    has one.svg "prefers-color-scheme:dark"
    has one.svg "data-critical=\"1\""
    cp one.svg first.svg
    cp one.json first.json
    expect 0 weir analyze "$model" --deadline 100000000 --gantt one.svg --trace one.json --json
    cmp -s one.svg first.svg || complain "another picture of the same model"
    cmp -s one.json first.json || complain "another trace of the same model"
    equal "the ruler of $model" "$worst" "$(json stdout latency.0.worst)"
    equal "the trace of $model" "$(json one.json otherData.worst)" "$worst"
done

# Those of the documentation are what the program draws; scripts/pictures writes them anew.
expect 0 weir analyze "$examples/multi-ai-ultrasound.yaml" --gantt ultrasound.svg
cmp -s ultrasound.svg "$here/../../docs/pictures/ultrasound.svg" || complain "docs/pictures/ultrasound.svg is of another program"

# Of the latency that misses its deadline, not of the first.
cat >two.yaml <<'END'
unit: ms
operators: {a: 1, b: 2, c: 30}
queues: [a -> b, a -> c]
deadlines: [{from: a, to: b, within: 99}, {from: a, to: c, within: 20}]
END
expect 1 weir analyze two.yaml --gantt two.svg
has two.svg "Timeline of the worst case from a to c:"

# Of the one that misses it by most; without deadlines of the longest. The verdict and the steps are about the same one.
cat >three.yaml <<'END'
name: three
unit: ms
operators: {camera: [2, 4], left: [3, 9], right: [10, 31], join: [1, 3], display: [1, 5]}
queues: [camera -> left, camera -> right, left -> join, right -> join, join -> display]
deadlines: [{from: camera, to: left, within: 40}, {from: camera, to: join, within: 60}, {from: camera, to: display, within: 62}]
END
sed -e 's/^deadlines/measure/' -e 's/, within: [0-9]*//g' three.yaml >longest.yaml
for model in three.yaml longest.yaml; do
    weir analyze "$model" --gantt three.svg --trace three.json >stdout 2>stderr </dev/null
    has stdout "How the worst case happens (camera -> display,"
    has three.svg "Timeline of the worst case from camera to display: 70 ms"
    equal "the trace of $model" "$(json three.json otherData.worst)" 70
done
weir analyze three.yaml >stdout
has stdout "three: DEADLINE MISSED by 8 ms: camera -> display takes up to 70 ms"

# A limit before the answer: a run, as on the page.
expect 4 weir analyze "$models/camera.yaml" --limit 5 --deadline 100 --gantt limit.svg
has limit.svg "a run at worst times"

# Long before its end: as much as can be seen, and it says so.
expect 0 weir analyze "$here/../cases/threads/slow-build-up.yaml" --gantt slow.svg
picture slow.svg
has slow.svg "What led to this begins earlier."
has slow.svg "iteration 2000002"
cat >slower.yaml <<'END'
operators: {camera: 0, infer: [0, 30000001]}
queues: [{from: camera, to: infer, capacity: 2}]
source: {operator: camera, period: 30000000}
END
expect 74 weir analyze slower.yaml --gantt slower.svg --trace slower.json
has stdout "worst 90000003"
has stderr "slower.svg is not written: the worst case needs 60000002 iterations, which is too long to be played"
has stderr "slower.json is not written"
[ -e slower.svg ] && complain "half a picture"

# No bound: a run that shows why.
printf 'operators: {a: 1, b: [0, 2]}\nqueue: unbounded\nqueues: [a -> b]\n' >unbounded.yaml
expect 1 weir analyze unbounded.yaml --gantt unbounded.svg
has unbounded.svg "no bound, a run at worst times"
has unbounded.svg "frame 9: "
has unbounded.svg "the backlog grows without bound"

# ---- drawings ----

if $drawings; then
    for model in "$models"/{camera,ultrasound,drone,kernels,receiver,wlan,pairs}.yaml "$models/graph.dot" sixty.yaml; do
        rm -f drawing.svg
        weir analyze "$model" --graph drawing.svg >stdout 2>stderr </dev/null
        picture drawing.svg
        [ -s stderr ] && complain "talk on stderr: $(cat stderr)"
    done
    weir generate holoscan --nodes 100 --density 1 -o hundred.yaml
    expect 0 weir analyze hundred.yaml --graph hundred.svg # in groups
    picture hundred.svg
    has hundred.svg "100 operators and 4950 queues"
fi

# ---- runs ----

camera=$models/camera.yaml
expect 0 weir simulate "$camera" --runs 3 --iterations 20
cp stdout plain
expect 0 weir simulate "$camera" --runs 3 --iterations 20 --trace run.json
cmp -s stdout plain || complain "a trace changes the runs"
json run.json otherData.model >/dev/null
operators=$(grep -c '"thread_name"' run.json)
equal executions "$(grep -c '"ph": "X"' run.json)" $((20 * operators))
cp run.json first.json
expect 0 weir simulate "$camera" --runs 1 --iterations 20 --trace run.json --json
cmp -s run.json first.json || complain "another first run"
expect 0 weir simulate "$camera" --times random --iterations 20 --seed 5 --trace random.json
cmp -s random.json first.json && complain "random times as the worst"
expect 3 weir simulate "$camera" --iterations 1000000 --trace large.json
has stderr "a trace has at most 1000000 executions"
[ -e large.json ] && complain "half a trace"
for other in drone receiver kernels; do
    expect 2 weir simulate "$models/$other.yaml" --trace other.json
    has stderr "the option is for a thread per operator"
done

# ---- what has no meaning ----

expect 2 weir simulate "$camera" "$camera" --trace run.json
has stderr "--trace goes with one model"
expect 2 weir simulate "$camera" --trace one --log one
has stderr "one cannot be two files at once"
expect 2 weir simulate "$camera" --trace -
has stderr "standard output is for the answer"
# Messages that are taken several at once: the journey adds up, with what it waits for; it is on the way only as long as that takes.
# No more results come than inputs, and that is no operator's doing.
cat >batches.yaml <<'END'
unit: ms
operators: {a: [2, 4], b: {time: [1, 3], gpu: {time: [4, 6], waits: true}}, c: [1, 5]}
queues: [{from: a, to: b, consume: 2, capacity: 4}, {from: b, to: c, transfer: [1, 2]}]
source: {operator: a, period: 20}
END
expect 0 weir analyze batches.yaml --gantt batches.svg
picture batches.svg
has batches.svg ">40 ms = 16 running + 22 waiting in b for the last message of its batch + 2 on the way from b<"
has stdout "bottleneck: the period of a"
sed 's/b: {.*}}/b: 3/; s/c: \[1, 5\]}/c: 9, d: 1}/; s/, transfer.*/, capacity: 3, transfer: [1, 2]}, c -> d]/; s/period: 20/period: 3/' batches.yaml >slow.yaml
expect 0 weir analyze slow.yaml --gantt slow.svg
has slow.svg " 1 on the way from b"
lacks stdout "bottleneck: the period"

# Launches whose times are no whole ticks add up, too.
cat >thirds.yaml <<'END'
unit: us
platform: {gpu: {sms: 6, deadline: 30}}
kernels: {load: 4, blur: {load: 120}, edge: {load: 60}, out: {load: 30}}
dependencies: [load -> blur, load -> edge, blur -> out, edge -> out]
END
expect 1 weir analyze thirds.yaml --gantt thirds.svg
picture thirds.svg
has thirds.svg ">35.666667 us = load 0.666667 + blur 20 + edge 10 + out 5<"
has thirds.svg "20.666667 us, takes 20 us, 6 SMs"

for option in gantt trace graph; do
    expect 2 weir analyze "$camera" --$option -
    has stderr "--$option: give a file; standard output is for the answer"
    expect 2 weir analyze "$camera" "$camera" --$option one
    has stderr "--$option goes with one model"
    expect 74 weir analyze "$camera" --$option nowhere/one
    has stderr "cannot write nowhere/one"
done
expect 2 weir analyze "$camera" --gantt one --graph one
has stderr "one cannot be two files at once"
expect 0 weir analyze "$models/receiver.yaml" --gantt pool.svg
has pool.svg "a run on a pool of cores, at worst times"
expect 0 weir analyze "$models/receiver.yaml" --trace pool.json
has pool.json '"cat": "execution"'
expect 2 weir analyze "$models/drone.yaml" --trace one.json
has stderr "there is no single run to trace"
