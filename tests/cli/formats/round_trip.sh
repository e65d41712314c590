# SPDX-License-Identifier: Apache-2.0
# From a model to a run, to its log, to a model, to bounds, and back to the log: nothing that was seen is above a bound, neither of
# the model that was simulated nor of the one that the log makes; and that one has the graph and the times of the run.

edges() { # FILE: its connections, sorted
    sed -n '/^queues:/,/^[a-pr-z]/p' "$1" | grep -oE 'from: [^,}]*, to: [^,}]*' | grep -v broadcast | sort
}

# Names with spaces and dots, lines twice, ends of lines as on Windows, lines that are none, a last line without an end.
spoil() {
    awk -v seed="$1" 'BEGIN { srand(seed) }
        { gsub(/\(/, "(Depth App 1.5."); print $0 "\r"; if (/->/ && rand() < 0.2) print $0 "\r"
          if (rand() < 0.02) print "(half,1685129\r"; if (rand() < 0.02) print "[info] a line of something else\r" }
        END { printf "%s", "99999:\n(Depth App 1.5.cut,170000" }'
}

applications=0
for model in "$here"/../../examples/*.yaml "$here"/../../examples/published/*.yaml; do
    case "$model" in
    */camera.yaml | */feedback-loop.yaml | */jitter.yaml | */nbfm* | */radar* | */sdr* | */timing* | */wlan*) continue ;;
    esac
    if grep -q "optional: true" "$model"; then
        expect 3 weir simulate "$model" --log run.log --runs 1
        has stderr "there is no log of this"
        continue
    fi
    applications=$((applications + 1))
    ports=separate
    grep -q -e '-> \[' "$model" && ports=shared
    expect 0 weir convert "$model" -o plain.yaml
    for times in random bang-bang worst; do
        for queue in 1 3; do
            expect 0 weir simulate "$model" --log run.log --runs 1 --iterations 300 --times $times --seed $applications \
                --queue $queue
            expect 0 weir compare "$model" run.log --queue $queue
            lacks stdout "exceeded"
            expect 0 weir convert --from run.log --queue $queue -o open.yaml # which holds for all ports
            expect 0 weir compare open.yaml run.log
            expect 0 weir convert --from run.log --queue $queue --ports $ports -o made.yaml
            expect 0 weir compare made.yaml run.log
            edges plain.yaml >before
            edges made.yaml >after
            cmp -s before after || complain "$model: the graph is not that of the model: $(diff before after)"
            spoil $applications <run.log >spoilt.log
            expect 0 weir convert --from spoilt.log --queue $queue --ports $ports -o spoilt.yaml
            has stderr "cannot be read and were left out"
            has stderr "ends in the middle of a line"
            sed 's/Depth App 1.5.//g; s/"//g; s/spoilt.log/run.log/' spoilt.yaml | diff made.yaml - >difference ||
                complain "$model: another model from the log with a rough surface: $(cat difference)"
            expect 0 weir compare "$model" spoilt.log --queue $queue
        done
    done
    # Fewer workers than operators: the bounds are those for that.
    sed 's/^unit: .*/&\nplatform: {scheduler: event-based, workers: 2}/' "$model" >two.yaml
    expect 0 weir simulate two.yaml --log run.log --runs 1 --iterations 300 --times random
    expect 0 weir compare two.yaml run.log
    lacks stdout "exceeded"
done
equal "the number of applications" $applications 15

# What the applications do not have: batches, messages at the beginning, transfers, an async buffer, a broadcast, several roots.
cat >mixed.yaml <<'END_OF_MODEL'
weir: 1
unit: us
operators:
  left.camera: {time: [100, 900]}
  left.microphone: {time: [50, 400]}
  left.mix: {time: [10, 500]}
  right.batch: {time: [300, 2500]}
  right.show: {time: [100, 700]}
  right.keep: {time: [20, 3000]}
  right.panel: {time: [5, 600]}
queues:
  - left.camera -> left.mix
  - {from: left.microphone, to: left.mix, capacity: 3, initial: 2}
  - {from: left.mix, to: right.batch, consume: 3, capacity: 5, transfer: [10, 800]}
  - right.batch -> [right.show, right.keep]
  - {from: right.show, to: right.panel, latest: true}
END_OF_MODEL
for seed in 1 2 3 4 5 6 7 8; do
    "$WRITE_FLOW_LOG" mixed.yaml $seed 200 >run.log || complain "no log with seed $seed"
    expect 0 weir compare mixed.yaml run.log
    lacks stdout "exceeded"
    lacks stdout "the model does not have this path"
done
has run.log "right.show_old"

# The same application by what it leaves behind: port maps of both fragments and between them, the description of the port that
# batches, and the log. What nobody can know from these, messages at the beginning, is not in it.
sed 's/capacity: 3, initial: 2/capacity: 3/' mixed.yaml >known.yaml
printf 'output_to_input:\n  camera.out: [mix.one]\n  microphone.out: [mix.two]\n' >left.yaml
printf 'output_to_input:\n  batch.out: [show.in, keep.in]\n  show.out: [panel.in]\n' >right.yaml
printf 'output_to_input:\n  left.mix.out: [right.batch.in]\n' >fragments.yaml
printf '%s\n' 'id: -1' 'name: batch' 'fragment: right' 'conditions: []' 'resources: []' 'spec:' '  inputs:' '    - name: in' \
    '      connector_type: kDoubleBuffer' '      connector: {args: [{name: capacity, value: 5}]}' \
    '      conditions: [{type: kMessageAvailable, args: [{name: min_size, value: 3}]}]' 'id: -1' 'name: mix' 'fragment: left' \
    'conditions: []' 'resources: []' 'spec:' '  inputs:' '    - name: two' '      connector_type: kDoubleBuffer' \
    '      connector: {args: [{name: capacity, value: 3}]}' >described.txt
for seed in 1 2 3 4 5 6 7 8; do
    "$WRITE_FLOW_LOG" known.yaml $seed 200 >run.log || complain "no log with seed $seed"
    expect 0 weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --from described.txt --times run.log \
        -o made.yaml
    has made.yaml "{from: left.mix, to: right.batch, consume: 3, capacity: 5, transfer: [0, "
    has made.yaml "{from: left.microphone, to: left.mix, capacity: 3}"
    has made.yaml "{from: right.show, to: right.panel, latest: true}"
    has made.yaml "{from: right.batch.broadcast, to: right.keep, capacity: 1}"
    lacks stderr "contradiction"
    expect 0 weir compare made.yaml run.log
    lacks stdout "exceeded"
    lacks stdout "does not have this path"
done
