# SPDX-License-Identifier: Apache-2.0
# Converting keeps the answers.
answer() { # answer MODEL: what the analysis says, without names and paths
    weir analyze "$1" --json | grep -v '"model"'
}
for model in ultrasound camera overload backlog pairs; do
    expect 0 weir convert "$models/$model.yaml" -o $model.yaml
    [ -s stdout ] && complain "talk on stdout"
    answer "$models/$model.yaml" >want
    answer $model.yaml >got
    cmp -s want got || complain "$model.yaml has other answers"
    expect 0 weir convert $model.yaml -o again.yaml
    cmp -s again.yaml $model.yaml || complain "$model.yaml changes when it is converted again"
done
for model in ultrasound backlog pairs; do
    expect 0 weir convert "$models/$model.yaml" -o $model.dot
    answer "$models/$model.yaml" >want
    answer $model.dot >got
    cmp -s want got || complain "$model.dot has other answers"
done
expect 0 weir convert "$models/camera.yaml" -o camera.dot
has camera.dot "// not in this file: when operators call receive()"
has camera.dot "// not in this file: the latencies"
has camera.dot "period=9, arrivals=exact"
same camera.dot camera.dot
expect 0 weir convert "$models/graph.dot" -o graph.yaml
same graph.yaml graph.yaml

# JSON is the model file; of an SDF3 graph the operators have other names, and the same times.
for model in ultrasound camera overload backlog pairs; do
    expect 0 weir convert "$models/$model.yaml" -o $model.json
    answer "$models/$model.yaml" | sort >want
    answer $model.json | sort >got
    cmp -s want got || complain "$model.json has other answers"
done
numbers() { # numbers MODEL: the answers without names
    weir analyze "$1" --json | grep -E '^ *"(worst|best|jitter|gap|deadline|period|best_period)"'
}
for model in ultrasound camera overload pairs; do
    expect 0 weir convert "$models/$model.yaml" -o $model.sdf3.xml
    numbers "$models/$model.yaml" >want
    numbers $model.sdf3.xml >got
    [ -s want ] || complain "$model.yaml has no numbers"
    cmp -s want got || complain "$model.sdf3.xml has other answers"
done

# Automata, and what to ask of them.
expect 0 weir convert "$models/ultrasound.yaml" -o ultrasound.xml
has ultrasound.xml "<nta>"
has ultrasound.xml.q "A[] Latency.measuring imply Latency.y <= 4029"
expect 0 weir convert "$models/ultrasound.yaml" -o ultrasound.xta
has ultrasound.xta "process Observer()"
cmp -s ultrasound.xml.q ultrasound.xta.q || complain "the queries differ"
expect 0 weir convert "$models/ultrasound.yaml" -o ultrasound.tck
has ultrasound.tck "provided: y>4029"
expect 0 weir convert "$models/ultrasound.yaml" --to uppaal -o -
cmp -s stdout ultrasound.xml || complain "stdout differs from the file"
[ -e ./-.q ] && complain "queries beside standard output"
expect 3 weir convert "$models/ultrasound.yaml" -o more.xml --latency 2
has stderr "no latency number 2: the pipeline has 1"
expect 3 weir analyze ultrasound.xml
has stderr "ultrasound.xml:3:1: this is XML, but not an SDF3 graph"
printf 'operators: {a: 1, b: 2}\nqueues: [{from: a, to: b, capacity: unbounded}]\n' >endless.yaml
expect 3 weir convert endless.yaml -o endless.tck
has stderr "nothing limits how far"
[ -e endless.tck ] && complain "a file that could not be written"

# Where to.
expect 0 weir convert "$models/graph.dot" --to yaml -o -
cmp -s stdout graph.yaml || complain "stdout differs"
weir convert - --to yaml --output=in.txt <"$models/graph.dot" || complain "from standard input"
cmp -s in.txt graph.yaml || complain "in.txt differs"
expect 2 weir convert "$models/graph.dot"
has stderr "-o OUT"
expect 2 weir convert "$models/graph.dot" -o out.txt
has stderr "out.txt"
expect 2 weir convert "$models/graph.dot" -o out.txt --to svg
has stderr "unknown format 'svg'"
expect 2 weir convert "$models/graph.dot" -o out.q
expect 2 weir convert -o out.yaml
expect 2 weir convert a b -o out.yaml
[ -e out.yaml ] && complain "wrong usage made a file"

# Nothing half-written, nothing left behind.
expect 74 weir convert "$models/graph.dot" -o no-such-folder/out.yaml
has stderr "no-such-folder/out.yaml"
mkdir folder.yaml
expect 74 weir convert "$models/graph.dot" -o folder.yaml
echo old >kept.yaml
ulimit_convert() {
    (
        ulimit -f 0
        trap '' XFSZ
        weir convert "$models/graph.dot" -o kept.yaml
    )
}
ulimit_convert >/dev/null 2>stderr
equal "status when nothing may be written" $? 74
equal "the old file" "$(cat kept.yaml)" old
ls -A | grep tmp && complain "a temporary file is left"

# An existing file keeps its permissions, a link stays a link.
echo old >target.yaml
chmod 640 target.yaml
ln -s target.yaml link.yaml
expect 0 weir convert "$models/graph.dot" -o link.yaml
[ -L link.yaml ] || complain "the link is gone"
cmp -s target.yaml graph.yaml || complain "the target is not written"
equal permissions "$(stat -c %a target.yaml)" 640
(umask 027 && weir convert "$models/graph.dot" -o new.yaml)
equal "permissions of a new file" "$(stat -c %a new.yaml)" 640

# In place.
cp "$models/ultrasound.yaml" self.yaml
expect 0 weir convert self.yaml -o self.yaml
expect 0 weir analyze self.yaml
has stdout "worst 4029 us"

# A device is written to, not replaced.
expect 0 weir convert "$models/graph.dot" --to dot -o /dev/null
[ -c /dev/null ] || complain "/dev/null is replaced"
