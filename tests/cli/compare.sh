# SPDX-License-Identifier: Apache-2.0
# From logs to models and back: the runs of all applications stay within the bounds of the models made of them.
applications=0
while "$WRITE_FLOW_LOG" $applications 7 300 >log; do
    applications=$((applications + 1))
    expect 0 weir convert --from log --skip-first 0 -o made.yaml
    has stderr "from receive() to emit()"
    lacks stderr "fewer than 100 times"
    lacks stderr "cannot be read"
    expect 0 weir compare made.yaml log --skip-first 0
    has stdout "  observed  300 messages"
    lacks stdout "exceeded"
    expect 0 weir compare made.yaml log --skip-first 0 --json
    json stdout paths.0.bound >bound
    json stdout paths.0.max >seen
    awk "BEGIN { exit !($(cat seen) <= $(cat bound)) }" || complain "application $applications: $(cat seen) is above $(cat bound)"
done
equal "the number of applications" $applications 8

# An operator that takes longer than the model says is found, in the message where it did.
cat >log <<'END_OF_LOG'
1:
(camera,1000,3000) -> (filter,3000,8000) -> (display,8000,9000) 

2:
(camera,11000,13000) -> (filter,13000,48000) -> (display,48000,49000) 

3:
(camera,21000,23000) -> (filter,48000,53000) -> (display,53000,54000) 

END_OF_LOG
cat >model.yaml <<'END_OF_MODEL'
weir: 1
unit: ms
operators:
  camera: {time: 2}
  filter: {time: [4, 6]}
  display: {time: 1}
queues:
  - camera -> filter
  - filter -> display
END_OF_MODEL
expect 1 weir compare model.yaml log
has stdout "exceeded by 2 of them"
has stdout "message 2 (line 5): 38 ms"
has stdout "filter took 35 ms; its worst case in the model is 6 ms"
has stdout "message 3 (line 8): 33 ms"
has stdout "before it, in message 2, filter took 35 ms"
has stdout "it waited longest between camera and filter: 25 ms"
has stdout "filter took longer than its worst case in 1 of 3 sightings"
lacks stdout "What the application may have"
expect 1 weir compare model.yaml log --json
equal "the bound" "$(json stdout paths.0.bound)" 13
equal "observations above it" "$(json stdout paths.0.above)" 2
equal "who is to blame" "$(json stdout paths.0.worst.0.excess.operator)" '"filter"'
equal "in which message" "$(json stdout paths.0.worst.0.message)" 2

# Where operators share workers, it is the bound for that.
sed 's/^unit: ms$/&\nplatform: {scheduler: greedy}/' model.yaml >greedy.yaml
expect 1 weir compare greedy.yaml log --json
json stdout paths.0.bound >bound
equal "the bound on one worker" "$(cat bound)" "$(weir analyze greedy.yaml | grep -oE 'worst +[0-9.]+' | grep -oE '[0-9.]+' | head -n 1)"

# A model made of the log covers it; a margin widens what was seen, and what was seen stays in the model.
expect 0 weir convert --from log --margin 20% -o made.yaml
has stderr "fewer than 100 times"
has made.yaml "filter: {time: [4, 42], observed: {count: 3, min: 5, max: 35, from: log}}"
expect 0 weir analyze made.yaml
has stderr "were observed, not proven"
expect 0 weir compare made.yaml log
expect 0 weir convert made.yaml -o again.json
json again.json operators.filter.observed.count >count
equal "the count" "$(cat count)" 3
expect 0 weir convert again.json -o again.yaml
cmp -s again.yaml made.yaml || complain "what was observed is lost on the way through JSON"

# Paths that the model does not have, names with the application's before them, messages read once more.
sed 's/(\([a-z]*\),/(Depth App.\1,/g' log >long
expect 1 weir compare model.yaml long
has stdout "filter took 35 ms"
sed 's/ -> (filter[^)]*)//' log >shorter
expect 1 weir compare model.yaml shorter
has stdout "the model does not have this path"
sed '2s/(camera/(camera_old/; 5d; 8d' log >old
expect 1 weir compare model.yaml old
has stdout "1 that were read once more (_old), which no queue of the model allows"
has stdout "paths that read a queue of the model again: 1"

# Start-up and end can be left out, which is said; an observation early on says that this is possible. Clocks have their tolerance.
expect 1 weir compare model.yaml log
has stderr "2 latencies above the bound are among the first 10 messages of a path"
expect 1 weir compare model.yaml log --skip-first 2 --json
has stderr "the first 2 and the last 0 messages of each path are left out"
lacks stderr "among the first 10"
equal "what is looked at" "$(json stdout paths.0.count)" 1
equal "what is left out" "$(json stdout paths.0.left_out)" 2
equal "executions in them" "$(json stdout operators.1.seen)" 1
expect 0 weir compare model.yaml log --skip-last 2
has stdout "observed  1 message"
has stdout "left out  2 at the start and end"
expect 0 weir compare model.yaml log --skip-first 2 --skip-last 2
has stdout "no message from its begin to its end"
expect 1 weir compare model.yaml log --tolerance 24ms
has stdout "exceeded by 1 of them"
has stdout "in 1 of 3 sightings"
expect 0 weir compare model.yaml log --tolerance 29ms
expect 2 weir compare model.yaml log --tolerance 24
has stderr "expected a time with its unit"

# Without either, the first 10 and the last 10 do not count where a path has at least 100.
starting() { # MESSAGES: the second and the last but one take longer than the bound
    awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) { d = i == 2 || i == n - 1 ? 90000 : 5000;
        printf "%d:\n(camera,%d,%d) -> (filter,%d,%d) -> (display,%d,%d)\n\n", i, i * 200000, i * 200000 + 1000, i * 200000 + 1000,
            i * 200000 + 1000 + d, i * 200000 + 1000 + d, i * 200000 + 2000 + d } }'
}
starting 100 >starting
expect 0 weir compare model.yaml starting --json
has stderr "the first 10 and the last 10 messages of each path are left out, where there are at least 100"
equal "what is looked at" "$(json stdout paths.0.count)" 80
equal "what is left out" "$(json stdout paths.0.left_out)" 20
equal "told" "$(json stdout log.skip_first)" 10
expect 1 weir compare model.yaml starting --skip-first 0 --json
equal "all" "$(json stdout paths.0.count)" 100
equal "above" "$(json stdout paths.0.above)" 2
starting 99 >starting
expect 1 weir compare model.yaml starting --json
lacks stderr "left out"
equal "of few all count" "$(json stdout paths.0.count)" 99

# Less than the best case proves the model wrong as well.
sed 's/48000,53000/48000,51000/; s/53000,54000/51000,51500/; s/23000) -> (filter,48000/46500) -> (filter,48000/; s/camera,21000/camera,45500/' log >quick
expect 1 weir compare model.yaml quick --json
equal "the best case" "$(json stdout paths.0.best)" 7
equal "what is below it" "$(json stdout paths.0.below)" 1
expect 1 weir compare model.yaml quick
has stdout "best      7 ms, but 1 of them took less; the least: message 3 (line 8)"
has stdout "latencies below their best: 1"

# Several files make one model; what they say differently is told.
cat >ports.yaml <<'END_OF_PORTS'
input_to_output:
  filter.in:
    - camera.out
  display.in:
    - filter.out
  recorder.in:
    - filter.out
output_to_input:
  camera.out:
    - filter.in
  filter.out:
    - display.in
    - recorder.in
END_OF_PORTS
expect 0 weir convert --from ports.yaml --times long -o made.yaml
has stderr 'no file has a time of operator "recorder": the model has "time: TODO"'
has made.yaml "recorder: {time: TODO}"
lacks made.yaml "filter: {time: TODO"
has stderr '"Depth App.camera" is taken for "camera" of ports.yaml'
has stderr 'no log has a message that went from "filter" to "recorder"'
sed -n '2s/display/recorder/p' log >more
expect 0 weir convert --from ports.yaml --times log --times more -o made.yaml
has made.yaml "filter.broadcast"
has made.yaml "{from: filter.broadcast, to: recorder, capacity: 1}"
lacks made.yaml "{from: filter, to: recorder"
sed -n '2s/(camera,1000,3000) -> //p' log >>more
sed -n '2s/filter/camera/; 2s/(display.*/(recorder,8000,9000)/p' log | sed 's/(camera,1000,3000) -> //' >>more
expect 0 weir convert --from ports.yaml --times log --times more -o made.yaml
has stderr 'contradiction: "camera" -> "recorder" is here, but in no file that gives the graph'

# Usage and input.
expect 2 weir convert --times log -o made.yaml
expect 2 weir convert --from log --margin 20 -o made.yaml
expect 2 weir convert --from log --margin 1001% -o made.yaml
expect 2 weir convert model.yaml --from log -o made.yaml
expect 2 weir compare model.yaml
expect 3 weir compare model.yaml missing.log
expect 3 weir compare log log
expect 3 weir convert --from missing.log -o made.yaml
expect 3 weir convert --from model.yaml -o made.yaml
: >empty
expect 3 weir convert --from empty -o made.yaml
expect 3 weir compare model.yaml empty
sed 's/^unit: ms$//' model.yaml >unitless.yaml
expect 3 weir compare unitless.yaml log
has stderr "have no unit"
head -c 100000 /dev/urandom >garbage
expect 3 weir compare model.yaml garbage
expect 3 weir convert --from garbage -o made.yaml
expect 3 weir convert --from / -o made.yaml

# What the tracker prints at the end: least, mean and greatest of each path, against the same bounds.
cat >summary.txt <<'END_OF_SUMMARY'
[info] done
Data Flow Tracking Results:
Total paths: 2

Path 1: camera,filter,display
Number of messages: 980
Max Latency Message No: 3
Max end-to-end Latency (ms): 12.75
Avg end-to-end Latency (ms): 9.1
Min end-to-end Latency (ms): 7.2

Path 2: camera,filter
No messages tracked for this path.

Number of source messages [format: source operator->transmitter name: number of messages]:
camera->out: 1000
END_OF_SUMMARY
expect 0 weir compare model.yaml summary.txt
has stdout "observed  980 messages, min 7.2, mean 9.1, max 12.75 ms"
has stdout "bound     13 ms; the greatest seen is 98.1 % of it"
has stderr "up to 0.31% of others may be later than the latest seen"
expect 0 weir compare model.yaml summary.txt --json
equal "the mean" "$(json stdout paths.0.mean)" 9.1
equal "the bound" "$(json stdout paths.0.bound)" 13
equal "its certainty" "$(json stdout paths.0.certainty)" '"exact"'
sed 's/12.75/13.0001/' summary.txt >rounded.txt # six digits
expect 0 weir compare model.yaml rounded.txt
sed 's/12.75/13.002/' summary.txt >late.txt
expect 1 weir compare model.yaml late.txt
has stdout "exceeded, by message 3"
sed 's/Path 1: camera,filter/Path 1: camera/' summary.txt >other.txt
expect 1 weir compare model.yaml other.txt
has stdout "the model does not have this path"
sed 's/12.75/slow/' summary.txt >broken.txt
expect 3 weir compare model.yaml broken.txt
has stderr "broken.txt:8:30: this latency must be a number"

# Stamps are whole microseconds: 6001 may have been 6000 and a little, so that it is not above 6000.5.
sed 's/\[4, 6\]/[4, 6.0005]/' model.yaml >finer.yaml
printf '1:\n(camera,0,2000) -> (filter,2000,8001) -> (display,8001,9001)\n' >fine.log
expect 0 weir compare finer.yaml fine.log
has stderr "1 message to \"display\" is too few to say how late others may be"
expect 1 weir compare model.yaml fine.log
has stdout "filter took longer than its worst case in 1 of 1 sightings"
printf '1:\n(camera,0,2000) -> (filter,2000,8000) -> (display,12001,13001)\n' >fine.log
expect 0 weir compare finer.yaml fine.log
has stdout "max 13.001 ms"
expect 1 weir compare model.yaml fine.log
has stdout "exceeded by 1 of them"
has stdout "What the application may have and the model does not: one port for several receivers"

# Batches: the bound over all messages of a batch. The first of two waits for the second, which comes 5 ms later: 5 + 5 + 2.
cat >batch.yaml <<'END_OF_MODEL'
weir: 1
unit: ms
operators:
  tx: {time: 5}
  rx: {time: 2}
queues:
  - {from: tx, to: rx, consume: 2}
END_OF_MODEL
printf '1:\n(tx,0,5000) -> (rx,10000,12000)\n(tx,5000,10000) -> (rx,10000,12000)\n' >batch.log
expect 0 weir compare batch.yaml batch.log --json
equal "the bound of a batch" "$(json stdout paths.0.bound)" 12
equal "its greatest" "$(json stdout paths.0.max)" 12

# A transfer between fragments is part of the bound; so is work on a GPU, which the tracker does not see the end of.
sed 's/  - camera -> filter/  - {from: camera, to: filter, transfer: [1, 3]}/; s/filter: {time: \[4, 6\]}/filter: {time: [1, 2], gpu: {time: [3, 4], waits: true}}/' \
    model.yaml >gpu.yaml
printf '1:\n(camera,0,2000) -> (filter,5000,11000) -> (display,11000,12000)\n' >gpu.log
expect 0 weir compare gpu.yaml gpu.log --json
equal "nothing is said of an operator that waits for its GPU" "$(json stdout operators.1.worst)" null

# Over an async buffer the latency is the age of the data, read once more or not. The value read at the start of the screen was
# sent less than the next would be: 10 (its own execution) + 10 (until the next is there) + 3.
cat >latest.yaml <<'END_OF_MODEL'
weir: 1
unit: ms
operators:
  camera: {time: 10}
  screen: {time: 3}
queues:
  - {from: camera, to: screen, latest: true}
END_OF_MODEL
cat >latest.log <<'END_OF_LOG'
1:
(camera,0,10000) -> (screen,10000,13000) 

2:
(camera_old,0,10000) -> (screen,13000,16000) 

3:
(camera_old,0,10000) -> (screen,19000,22000) 

END_OF_LOG
expect 0 weir compare latest.yaml latest.log --json
equal "the greatest age" "$(json stdout paths.1.max)" 22
equal "how many were read again" "$(json stdout paths.1.reread)" 2
equal "the bound of the age" "$(json stdout paths.1.bound)" 23
equal "... is" "$(json stdout paths.1.certainty)" '"safe"'
expect 0 weir compare latest.yaml latest.log
has stdout "of these  2 were read once more (_old): their latency is the age of the data"
has stdout "bound     at most 23 ms"
sed 's/19000,22000/29000,32000/' latest.log >older.log
expect 1 weir compare latest.yaml older.log
has stdout "exceeded by 1 of them"
# The model that the log makes has the buffer, and covers the log.
expect 0 weir convert --from latest.log -o made.yaml
has made.yaml "{from: camera, to: screen, latest: true}"
expect 0 weir compare made.yaml latest.log

# A clock that is set forward stretches all that is under way at the same moment: no operator is to blame. One operator that is slow is.
jumping() { # AT STEP SLOW: from then on the clock is so far ahead, and filter takes so much longer once; microseconds
    awk -v at="$1" -v step="$2" -v slow="$3" '
        function stamp(t) { return sprintf("%d", t >= at ? t + step : t) }
        BEGIN {
            for (i = 0; i < 120; i++) {
                a = i * 10000 + (i > 60 ? slow : 0); b = a + 3000; c = b + 8000 + (i == 60 ? slow : 0); d = c + 8000
                printf "%d:\n(camera,%s,%s) -> (filter,%s,%s) -> (infer,%s,%s)\n\n", i + 1, stamp(a), stamp(b), stamp(b), stamp(c),
                    stamp(c), stamp(d)
            }
        }'
}
jumping 605000 2500000 0 >log
expect 0 weir convert --from log -o jumped.yaml
has stderr "the clock was set forward, or the machine stood still"
has stderr "2 times were left out because the clock jumped meanwhile"
has jumped.yaml "filter: {time: 8,"
has jumped.yaml "infer: {time: 8,"
expect 0 weir compare jumped.yaml log
has stderr "the clock was set forward, or the machine stood still"
has stderr "2 messages were left out because the clock jumped meanwhile"
weir compare jumped.yaml - <log >stdout 2>stderr
equal "the status of standard input" $? 1
has stderr "from a file such times are left out, but not from standard input"
jumping 605000 500000 0 >log # of two operators alone more is asked
expect 0 weir convert --from log -o made.yaml
lacks stderr "the clock"
jumping 99999999 0 2500000 >log
expect 1 weir compare jumped.yaml log
lacks stderr "the clock"
has stdout "filter took 2508 ms; its worst case in the model is 8 ms"
