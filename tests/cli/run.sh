# SPDX-License-Identifier: Apache-2.0
# Pipelines on real threads. Nothing here expects anything of how fast the machine is: a run that measures may end with 0 or with 1,
# and a policy may be refused, but then the answer says why.

cat >chain.yaml <<'END'
unit: us
operators: {a: [20, 40], b: [20, 60], c: [10, 20]}
queues: [a -> b, {from: b, to: c, capacity: 2}]
END

# ran COMMAND...: it was executed, whatever the latencies came to.
ran() {
    "$@" >stdout 2>stderr </dev/null
    local got=$?
    [ $got = 0 ] || [ $got = 1 ] || {
        complain "exit status $got: $*"
        sed 's/^/  stderr: /' stderr | head -n 20
    }
}

# word PATH: a text of the answer in JSON, without its quotes.
word() {
    json stdout "$1" | tr -d '"'
}

# judged STATUS: the exit status is that of the answer in JSON.
judged() {
    local over pending
    over=$(json stdout latency.0.above.count)
    pending=$(json stdout latency.0.pending_above)
    if [ $((over + pending)) -gt 0 ]; then equal "the exit status" "$1" 1; else equal "the exit status" "$1" 0; fi
}

# ---- the command line ----

expect 0 weir run --help
has stdout "Usage: weir run"
awk 'length > 120 { print "too wide: " $0; bad = 1 } END { exit bad }' stdout || complain "weir run --help is too wide"
expect 2 weir run
has stderr "which model?"
expect 2 weir run chain.yaml chain.yaml
has stderr "one model at a time"
expect 2 weir run chain.yaml --sched dedline
has stderr "did you mean 'deadline'?"
expect 2 weir run chain.yaml --times slow
has stderr "expected random, best, worst, bang-bang or witness"
expect 2 weir run chain.yaml --duration 5
has stderr "--duration: expected a time with its unit"
for speed in 0 1/0 x 1/ /2 10x 99999999999; do
    expect 2 weir run chain.yaml --speed $speed
    has stderr "--speed"
done
for cpus in x ',' '1,' 3-2 1-x 99999 -- ''; do
    expect 2 weir run chain.yaml "--cpus=$cpus"
    has stderr "--cpus"
done
expect 2 weir run chain.yaml --cpus 1023
has stderr "there is no CPU 1023"
for margin in x 5 -1% %; do
    expect 2 weir run chain.yaml "--margin=$margin"
    has stderr "--margin"
done
expect 2 weir run chain.yaml --trace -
has stderr "standard output is for the answer"
expect 74 weir run chain.yaml --iterations 1 --trace no/such/folder
expect 74 weir run chain.yaml --iterations 1 --log no/such/folder
[ -s stdout ] && complain "it ran before it looked whether the log can be written"

# ---- what cannot be executed ----

expect 3 weir run "$models/bad.yaml"
expect 3 weir run "$models/kernels.yaml"
has stderr "graphs of kernels are not executed"
expect 3 weir run - # nothing is there
cat >again.yaml <<'END'
operators: {a: {time: 1, reentrant: true}, b: 1}
queues: [a -> b]
END
expect 3 weir run again.yaml --tick 1us
has stderr "is reentrant"
cat >ticks.yaml <<'END'
operators: {a: 20, b: 30}
queues: [a -> b]
END
expect 2 weir run ticks.yaml
has stderr "how long is a tick? Give --tick 1us"

# ---- numbers ----

expect 0 weir analyze chain.yaml --json
bound=$(json stdout latency.0.worst)000
expect 0 weir analyze ticks.yaml --json
ticks=$(json stdout latency.0.worst)
for times in random best worst bang-bang witness; do
    weir run chain.yaml --iterations 50 --times $times --json >stdout 2>stderr
    judged $?
    [ -s stderr ] && complain "talk on stderr: $(head -n 1 stderr)"
    equal "executions" "$(json stdout executions)" 150
    equal "the end" "$(word end)" complete
    equal "messages" "$(json stdout latency.0.messages)" 50
    equal "the bound" "$(json stdout latency.0.bound)" "$bound"
    equal "times" "$(word times)" $times
    equal "the last queue" "$(json stdout queues.1.taken)" 50
    [ "$(json stdout queues.1.peak)" -le 2 ] || complain "a queue of 2 held $(json stdout queues.1.peak)"
    [ "$(json stdout latency.0.bound_observed)" -gt 0 ] || complain "no bound with the times seen"
    above=$(json stdout latency.0.above.count)
    sum=0
    for reason in operator blocked no-cpu quota stopped wake-up machine unknown; do
        sum=$((sum + $(json stdout latency.0.above.$reason)))
    done
    equal "latencies above the bound that are explained" $sum "$above"
    equal "unexplained ones" "$(json stdout latency.0.above.unknown)" 0
done
for work in memory sleep none; do
    ran weir run chain.yaml --iterations 50 --work $work --json
    equal "executions" "$(json stdout executions)" 150
    equal "work" "$(word work)" $work
done
ran weir run ticks.yaml --iterations 20 --tick 1us --json
equal "the bound in ticks" "$(json stdout latency.0.bound)" "${ticks}000"
ran weir run ticks.yaml --iterations 20 --tick 3us --speed 2 --json
equal "the bound at another speed" "$(json stdout latency.0.bound)" $((ticks * 1500))
ran weir run ticks.yaml --iterations 20 --work none --json
equal "a bound in ticks without length" "$(json stdout latency.0.bound)" null
ran weir run chain.yaml --iterations 50
has stdout "a -> c"
has stdout "policy other"
has stdout "every operator has done all it had to do"
lacks stdout "nan"

# Rates, rounds, connections that do not wait, shared processors.
ran weir run "$models/receiver.yaml" --iterations 3 --speed 1/5 --json
equal "the engine" "$(word engine)" global-edf
ran weir run "$models/wlan.yaml" --iterations 5 --speed 1/50 --json
equal "the engine" "$(word engine)" fixed-priority
cat >rounds.yaml <<'END'
unit: us
operators: {a: 20, b: 30, c: {time: 40, receive: [10, 20]}}
queues: [{from: a, to: b, capacity: 2, initial: 1}, {from: b, to: c, capacity: 4, consume: 2}]
END
ran weir run rounds.yaml --iterations 10 --json
equal "executions in rounds" "$(json stdout executions)" 50
cat >latest.yaml <<'END'
unit: us
operators: {a: 50, b: 20, c: 20}
queues: [{from: a, to: b, latest: true}, {from: b, to: c, capacity: 1, blocking: false, full: pop}]
sources: [{operator: a, period: 500}, {operator: b, period: 300}]
END
ran weir run latest.yaml --iterations 20 --json
equal "the engine" "$(word engine)" sampling

# What sleeps needs no CPU, but takes its time: the bound with the times seen knows of it.
cat >asleep.yaml <<'END'
unit: ms
platform: {scheduler: fixed-priority}
operators: {a: {time: 2, on: shared, priority: 1}, b: {time: 2, on: shared, priority: 2}}
queue: auto
queues: [a -> b]
source: {operator: a, period: 100}
END
ran weir run asleep.yaml --work sleep --iterations 3 --json
seen=$(json stdout latency.0.bound_observed)
[ "$seen" = null ] || [ "$seen" -ge 4000000 ] || complain "two operators slept for 2 ms each, and the bound seen is $seen ns"

# ---- ends ----

cat >fault.yaml <<'END'
unit: us
operators: {a: 10, b: 5000}
queues: [{from: a, to: b, capacity: 1, blocking: false, full: fault}]
END
expect 1 weir run fault.yaml --duration 20s --json
equal "the end" "$(word end)" fault
has stderr 'a message of "a" found the queue to "b" full'
cat >still.yaml <<'END'
unit: ms
platform: {cores: 2, scheduler: global-edf}
operators: {a: 0.1, b: 0.1}
queues: [{from: a, to: b, produce: 3, consume: 2, capacity: 3}]
source: {operator: a, period: 1}
END
expect 1 weir run still.yaml --duration 20s --json
equal "the end" "$(word end)" standstill
has stderr "the pipeline is stuck"

for signal in INT TERM; do
    stopped $signal run chain.yaml --duration 1000s --json
    status=$?
    equal "the end" "$(word end)" stopped
    judged $status
done
ran weir run chain.yaml --duration 200ms --json
equal "the end" "$(word end)" stopped

# ---- policies ----

# policed ASKED: the policy, or why not.
policed() {
    local got
    equal "the policy asked for" "$(word scheduling.asked)" "$1"
    got=$(word scheduling.policy)
    for operator in 0 1 2; do
        equal "the policy of operator $operator" "$(word operators.$operator.policy)" "$got"
    done
    case $1.$got in
    other.other | fifo.fifo | deadline.deadline) ;;
    fifo.other) [ "$(json stdout scheduling.not_fifo)" != null ] || complain "not fifo, and it does not say why" ;;
    deadline.fifo | deadline.other)
        [ "$(json stdout scheduling.not_deadline)" != null ] || complain "not deadline, and it does not say why"
        [ $got = fifo ] || [ "$(json stdout scheduling.not_fifo)" != null ] || complain "not fifo, and it does not say why"
        ;;
    *) complain "asked for $1, and got $got" ;;
    esac
}
cat >slow.yaml <<'END'
unit: ms
operators: {a: 0.1, b: 0.2, c: 0.1}
queues: [a -> b, b -> c]
source: {operator: a, period: 5}
END

# Operators in other processes: the same answer; and a process that is killed ends the run, in words.
ran weir run slow.yaml --iterations 20 --processes b/c --json
equal "executions in three processes" "$(json stdout executions)" 60
equal "latencies across processes" "$(json stdout latency.0.messages)" 20
weir run slow.yaml --processes b,x >stdout 2>stderr </dev/null
equal "exit status for no such operator" $? 2
grep -q "'x' is no operator of the model" stderr || complain "an unknown operator of --processes is not named"
"$weir_program" run slow.yaml --duration 600s --processes b >stdout 2>stderr </dev/null &
background=$!
while ! child=$(cat /proc/$background/task/*/children 2>/dev/null) || [ -z "${child// /}" ] ||
    [ "$(find /proc/${child// /}/task -maxdepth 1 2>/dev/null | wc -l)" -lt 3 ]; do
    sleep 0.02
done
kill -KILL $child
wait $background
got=$?
[ $got = 1 ] || [ $got = 3 ] || complain "exit status $got after a process of the run was killed" # 3: it had only begun
grep -Eq 'the process of operator "b" was ended by a signal: Killed|a process of the run ended before it began' stderr ||
    complain "nothing is said about the process that was killed"

for policy in other fifo deadline; do
    ran weir run slow.yaml --iterations 20 --sched $policy --json
    policed $policy
    equal "executions with $policy" "$(json stdout executions)" 60
    ran weir run slow.yaml --iterations 20 --sched $policy --pin --json
    policed $policy
    equal "executions with $policy, pinned" "$(json stdout executions)" 60
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    nobody() {
        setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$weir_program" "$@"
    }
    if nobody --version >/dev/null 2>&1; then
        for policy in other fifo deadline; do
            nobody run - --iterations 20 --sched $policy --json <slow.yaml >stdout 2>stderr || [ $? = 1 ] ||
                complain "an unprivileged run fails: $(head -n 1 stderr)"
            policed $policy
            equal "executions without privileges" "$(json stdout executions)" 60
        done
        nobody run - --iterations 20 --sched deadline --strict <slow.yaml >stdout 2>stderr
        equal "the status of a policy that is refused" $? 1
        has stderr "Linux refuses deadline"
    else
        echo "not tried without privileges: others may not run the program"
    fi
fi

# What can never be admitted is not asked for.
ran weir run chain.yaml --iterations 20 --sched deadline --json
has stdout "Linux takes none below 100.0 us"
expect 1 weir run chain.yaml --iterations 20 --sched deadline --strict
has stderr "not admitted to SCHED_DEADLINE"
[ -s stdout ] && complain "it ran although it was not admitted"
ran weir run slow.yaml --iterations 5 --sched deadline --margin 6ms --json
has stdout "margin included, of every 5.000 ms"
cat >full.yaml <<'END'
unit: ms
platform: {cores: 1, scheduler: global-edf}
operators: {a: {time: 0.3}, b: {time: 0.8}}
queues: [{from: a, to: b}]
source: {operator: a, period: 1}
END
ran weir run full.yaml --iterations 5 --sched deadline --json
has stdout "the EDF test fails"
ran weir run "$models/drone.yaml" --iterations 5 --sched fifo --json # priorities of the model
if [ "$(word scheduling.policy)" = fifo ]; then
    sed -n 's/.*"priority": \([0-9]*\).*/\1/p' stdout | sort -u >priorities
    [ "$(wc -l <priorities)" -gt 1 ] || complain "all operators have the same priority"
fi

# ---- files ----

ran weir run chain.yaml --iterations 40 --speed 1/2 --trace run.json --log run.log --json
equal "tracks" "$(grep -c '"thread_name"' run.json)" 3
equal "executions in the trace" "$(grep -c '"ph": "X"' run.json)" 120
equal "arrows in the trace" "$(grep -c '"ph": "f"' run.json)" 80
[ "$(json run.json traceEvents.0.ph)" = '"M"' ] || complain "the trace does not begin with names"
equal "records of the log" "$(grep -c '^[0-9]*:$' run.log)" 40
weir compare chain.yaml run.log >stdout 2>stderr
status=$?
[ $status = 0 ] || [ $status = 1 ] || complain "weir compare ends with $status: $(head -n 1 stderr)"
has stdout "a -> b -> c"
has stdout "40 messages"
expect 0 weir convert --from run.log -o again.yaml
expect 0 weir analyze again.yaml
ran weir run chain.yaml --iterations 40 --records 10 --trace run.json
equal "executions in the trace" "$(grep -c '"ph": "X"' run.json)" 30
# A log without a message is not left in silence.
expect 0 weir run "$here/../../examples/camera.yaml" --duration 1us --log short.log
[ -s short.log ] && complain "a log of nothing is not empty"
has stderr "short.log is empty: the run ended before any message had passed through the pipeline"
expect 2 weir run chain.yaml --iterations 3 --records 0 --log none.log
has stderr "--log: --records 0 keeps no execution for it"
[ -e none.log ] && complain "a log of nothing is begun"

expect 3 weir run "$here/../../examples/feedback-loop.yaml" --iterations 5 --log run.log
has stderr "a loop leads through"
