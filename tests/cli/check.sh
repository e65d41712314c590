# SPDX-License-Identifier: Apache-2.0
# Models against a baseline: what counts as worse, what is said to have caused it, and the files for CI systems.
root=$here/../..
field() { # field FILE PATH: a text of JSON without its quotes
    json "$1" "$2" | tr -d '"'
}
model() {
    cat >"${1:-line.yaml}" <<END
weir: 1
name: Inspection line
unit: ms
operators:
  camera:  {time: [8, 10]}
  detect:  {time: [20, ${DETECT:-30}]}
  display: {time: [1, ${DISPLAY_:-5}]}
queues:
  - camera -> detect -> display
deadlines:
  - {from: camera, to: display, within: ${WITHIN:-90}}
END
}

# ---- the baseline ----

model
expect 3 weir check line.yaml
has stderr "there is no baseline weir-baseline.json; make one"
expect 0 weir check line.yaml --update
has stdout "new: not in the baseline"
lacks stdout "--update"
sed 's/"version": "[^"]*"/"version": "..."/' weir-baseline.json >written.json
same written.json check-baseline.json
cp weir-baseline.json before.json
expect 0 weir check line.yaml
has stdout "Inspection line: as in the baseline"
expect 0 weir check line.yaml --json
equal "the change" "$(field stdout change)" same
equal "the verdict" "$(field stdout verdict)" good
cp "$models/wlan.yaml" "$models/kernels.yaml" .
expect 0 weir check wlan.yaml kernels.yaml line.yaml --update -b one.json
expect 0 weir check line.yaml wlan.yaml kernels.yaml --update -b other.json
cmp one.json other.json || complain "the order of the models is in the baseline"
expect 0 weir check line.yaml wlan.yaml kernels.yaml -b one.json --strict

# ---- worse, and by what ----

DETECT=40 DISPLAY_=5.5 model
expect 1 weir check line.yaml --tolerance 2%
same stdout check-worse.txt
expect 1 weir check line.yaml --json --tolerance 2%
equal "before" "$(json stdout latency.0.before)" 65
equal "after" "$(json stdout latency.0.after)" 85.5
equal "the first cause" "$(field stdout latency.0.causes.0.what)" "operator detect: time [20, 30] -> [20, 40]"
equal "its role" "$(field stdout latency.0.causes.0.role)" alone
equal "the other role" "$(field stdout latency.0.causes.1.role)" part
equal "the line" "$(json stdout latency.0.line)" 6
DISPLAY_=5.5 model
for tolerance in 1% 0.5ms 500us 0.5 '500 us'; do
    expect 0 weir check line.yaml --tolerance "$tolerance"
    has stdout "camera -> display: worst case 65 ms -> 65.5 ms, +0.5 ms"
done
for tolerance in 0.7% 499us 0.4999; do
    expect 1 weir check line.yaml --tolerance "$tolerance"
done
for tolerance in -1 2%% 3msx % '' 1ms% x; do
    expect 2 weir check line.yaml --tolerance="$tolerance"
done

# Neither is enough: only together do they pass the tolerance.
DETECT=31 DISPLAY_=5.5 model
expect 1 weir check line.yaml --tolerance 2ms
has stdout "no single change to the model causes it, but it does not occur without:"
has stdout "operator detect: time [20, 30] -> [20, 31]; without it 65.5 ms"
# Of three, any two are enough.
printf 'unit: ms\noperators: {a: 10, b: 10, c: 10}\nqueues: [a -> b -> c]\nsource: {operator: a, period: 100}\n' >sum.yaml
expect 0 weir check sum.yaml --update -b sum.json
sed -i 's/: 10\([,}]\)/: 12\1/g' sum.yaml
expect 1 weir check sum.yaml -b sum.json --tolerance 3ms
has stdout "none is necessary: several of the 3 together cause it:"
has stdout "operator b: time [10, 10] -> [12, 12]; alone 32 ms"

# A deadline that is not met any more, by a change of the deadline; and one that is missed as before.
WITHIN=60 model
expect 1 weir check line.yaml
has stdout "its deadline of 60 ms is missed"
has stdout "line.yaml:11: deadline of camera -> display: within 90 -> 60"
expect 0 weir check line.yaml --update -b missed.json
expect 1 weir check line.yaml -b missed.json
has stdout "missed, as in the baseline"
model

# Better, and it is said.
DETECT=29 model
expect 0 weir check line.yaml
has stdout "better: 1 of 1 latency"
has stdout "to keep this improvement"
model

# A bound that is lost, and one that is not exact any more.
cat >pace.yaml <<'END'
unit: ms
operators: {a: [1, 4], b: [1, 4]}
queues: [{from: a, to: b, capacity: unbounded}]
sources: [{operator: a, period: 5, arrivals: exact}]
END
expect 0 weir check pace.yaml --update -b pace.json
sed -i 's/period: 5/period: 3/' pace.yaml
expect 1 weir check pace.yaml -b pace.json
has stdout "the bound is lost"
has stdout "source of a: period 5 -> 3; alone no bound"
expect 0 weir check pace.yaml --update -b lost.json # what was known to have none need not have one
expect 0 weir check pace.yaml -b lost.json
sed -i 's/period: 3/period: 5/' pace.yaml
expect 0 weir check pace.yaml -b lost.json
has stdout "better: 1 of 1 latency"
sed -i 's/^unit: ms/&\nplatform: {scheduler: event-based, workers: 2}/' line.yaml
expect 1 weir check line.yaml
has stdout "it was exact and is now only a safe bound"
has stdout "platform workers: 2, was not given"
model

# An operator in between comes with its queues.
sed 's/-> detect ->/-> detect -> blur ->/; s/^queues/  blur: 7\nqueues/' line.yaml >longer.yaml && mv longer.yaml line.yaml
expect 1 weir check line.yaml
has stdout "operator blur: new; queue detect -> blur: new; queue blur -> display: new"
model

# ---- other engines ----

cp "$models/wlan.yaml" "$models/kernels.yaml" "$models/receiver.yaml" "$models/two-producers.yaml" "$models/lossy-join.yaml" .
cp "$root/examples/camera.yaml" .
engines=(wlan kernels receiver two-producers lossy-join camera)
for each in "${engines[@]}"; do
    expect 0 weir convert $each.yaml -o $each.json
    weir check $each.json -b engines.json --update >stdout 2>stderr || complain "$each: $(cat stderr)"
    weir check $each.json -b engines.json >stdout 2>stderr
    status=$?
    weir analyze $each.json >/dev/null 2>&1
    analyzed=$?
    equal "the status of $each" $status $analyzed
    has stdout "Worst latencies"
done
sed 's/"load": \([0-9]*\)/"load": 9\1/; s/"time": \[\([0-9.]*\), \([0-9.]*\)\]/"time": [\1, 9\2]/; s/"init": \([0-9.]*\)/"init": 9\1/' \
    -i wlan.json kernels.json receiver.json camera.json
for each in wlan kernels receiver camera; do
    expect 0 weir convert $each.yaml -o was.json
    cp $each.json now.json
    cp was.json model.json
    expect 0 weir check model.json --update -b each.json
    cp now.json model.json
    expect 1 weir check model.json -b each.json --json --tolerance 1%
    [ "$(json stdout latency.0.change)" = '"worse"' ] || complain "$each: $(json stdout latency.0.change)"
    json stdout latency.0.because >because
    [ -s because ] || complain "$each: no reason"
done

# A model that is the same with an answer that is not: that is weir's, and it is said.
sed 's/"worst": 65/"worst": 64/; s/"version": "[^"]*"/"version": "0.0.9"/' before.json >other.json
expect 1 weir check line.yaml -b other.json
has stdout "the model in the baseline itself now gives 65 ms: the baseline is of weir 0.0.9"
# Another unit can be compared; but for one without seconds.
sed 's/unit: ms/unit: us/' line.yaml >us.yaml && mv us.yaml line.yaml
expect 0 weir check line.yaml
has stdout "better: 1 of 1 latency"
sed -i '/^unit/d' line.yaml
expect 4 weir check line.yaml
has stdout "nothing can be compared"
model
# A limit leaves it open.
cp "$models/backlog.yaml" .
expect 0 weir check backlog.yaml --update -b limit.json
expect 4 weir check backlog.yaml -b limit.json --limit 10
has stdout "a limit was reached"

# ---- new and gone ----

sed 's/detect/find/g' line.yaml >two.yaml
expect 0 weir check line.yaml two.yaml --update -b two.json
expect 0 weir check line.yaml -b two.json
has stdout "only in the baseline"
expect 1 weir check line.yaml -b two.json --strict
expect 0 weir check line.yaml two.yaml
has stdout "new: not in the baseline"
expect 1 weir check line.yaml two.yaml --strict
sed -i 's/within: 90}/&\n  - {from: detect, to: display, within: 90}/' line.yaml
expect 0 weir check line.yaml
has stdout "detect -> display: new"
expect 0 weir check line.yaml --update -b gone.json
model
expect 0 weir check line.yaml -b gone.json --junit gone.xml
has stdout "detect -> display: gone"
has gone.xml "<skipped"

# ---- mistakes ----

expect 2 weir check
expect 2 weir check -
expect 2 weir check line.yaml line.yaml
expect 2 weir check line.yaml --json --github
expect 2 weir check line.yaml --junit a --sarif a
expect 3 weir check line.yaml -b line.yaml
has stderr "this is no baseline"
sed 's/"from": "camera", "to": "display", "shift"/"from": "camera", "to": "nobody", "shift"/' before.json >damaged.json
expect 3 weir check line.yaml -b damaged.json
has stderr "damaged.json:9:9: this baseline is damaged"
sed 's/"time": /"tme": /' before.json >damaged.json
expect 3 weir check line.yaml -b damaged.json
at=$(grep -n -m 1 '"tme"' damaged.json | cut -d : -f 1)
has stderr "damaged.json:$at:"
has stderr 'unknown key "tme"'
has stderr "the baseline's copy of line.yaml cannot be read"
grep -q '^line\.yaml:' stderr && complain "a mistake in the baseline is told of the model"
head -c 300 before.json >damaged.json
expect 3 weir check line.yaml -b damaged.json
printf 'operators: {a: 1}\nqueues: [a -> b]\n' >wrong.yaml
cp weir-baseline.json kept.json
expect 3 weir check line.yaml wrong.yaml --update
has stderr "weir-baseline.json is not written"
cmp weir-baseline.json kept.json || complain "the baseline was touched"
expect 3 weir check line.yaml wrong.yaml --json --junit wrong.xml --sarif wrong.sarif
equal "the file" "$(field stdout 1.file)" wrong.yaml
has wrong.xml 'errors="1"'
expect 74 weir check line.yaml --sarif no/such/folder
expect 74 weir check line.yaml --update -b no/such/folder

# ---- files for CI systems ----

cat >'odd & <"file">, 100%.yaml' <<'END'
name: "a | b & <c> \"d\" *e*"
operators:
  "x & <y>, \"z\"": 5
  "µ|_": 6
queues: [{from: "x & <y>, \"z\"", to: "µ|_"}]
END
DETECT=40 DISPLAY_=5.5 model
sed 's/: 6$/: 4/' 'odd & <"file">, 100%.yaml' >odd && cp 'odd & <"file">, 100%.yaml' now && cp odd 'odd & <"file">, 100%.yaml'
cp before.json weir-baseline.json
model was.yaml
cp line.yaml now.yaml && cp was.yaml line.yaml
expect 0 weir check line.yaml 'odd & <"file">, 100%.yaml' --update -b files.json
cp now.yaml line.yaml && cp now 'odd & <"file">, 100%.yaml'
expect 1 weir check line.yaml 'odd & <"file">, 100%.yaml' -b files.json --tolerance 2% --github --markdown weir.md --junit weir.xml --sarif weir.sarif
same weir.md check.md
has stdout "::error file=line.yaml,line=6,col=3,title=weir check::camera -> display: worst case 65 ms -> 85.5 ms, +20.5 ms (+31.6 %25); one of"
has stdout '::error file=odd & <"file">%2C 100%25.yaml,line=4,col=3'
has weir.xml 'name="odd &amp; &lt;&quot;file&quot;&gt;, 100%.yaml"'
has weir.sarif '"uri": "odd%20%26%20%3C%22file%22%3E%2C%20100%25.yaml"'
python3 -c '' 2>/dev/null || skip "there is no python3"
python3 "$here/check_files.py" weir.xml weir.sarif 2 'odd & <"file">, 100%.yaml' || complain "JUnit or SARIF is wrong"
python3 "$here/check_files.py" wrong.xml wrong.sarif 1 wrong.yaml || complain "JUnit or SARIF of a model that is wrong"
python3 "$here/check_files.py" gone.xml "" 0 line.yaml || complain "JUnit of what is gone"

# ---- the jobs of examples/ci ----

python3 -c 'import yaml' 2>/dev/null || skip "python3 has no yaml (Debian: python3-yaml)"
for system in github gitlab; do
    python3 "$here/check_files.py" --commands "$root/examples/ci/$system.yml" >commands.sh || complain "$system: $(cat commands.sh)"
    has commands.sh "weir check models/*.yaml"
    mkdir -p $system/models && cp was.yaml $system/models/line.yaml
    (cd $system && weir check models/*.yaml --update >/dev/null) || complain "$system: no baseline"
    for want in 0 1; do
        (cd $system && rm -f weir.md weir.xml weir.sarif && export GITHUB_STEP_SUMMARY=summary.md &&
            PATH=$(dirname "$weir_program"):$PATH bash -e ../commands.sh >out 2>err)
        equal "the status of the job of $system" $? $want
        for file in weir.md weir.xml weir.sarif; do
            [ -s $system/$file ] || complain "$system: no $file"
        done
        cp now.yaml $system/models/line.yaml
    done
done
has github/summary.md "1 of 1 worse than in the baseline"
