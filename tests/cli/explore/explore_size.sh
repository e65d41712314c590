# SPDX-License-Identifier: Apache-2.0
# weir explore --size-queues and --pareto: the answers by hand, what is wrong with arguments, any number of threads, an interrupt.
# The short way s -> t has to hold what a and b are working on, for full speed one message for each of s, a and b.
cat >diamond.yaml <<'END'
unit: ms
operators: {s: [0, 10], a: [0, 10], b: [0, 10], t: [0, 10]}
queues: [s -> a, a -> b, b -> t, s -> t]
END

expect 0 weir explore diamond.yaml --size-queues --period 10ms -o sized.yaml --csv sized.csv
has stdout "diamond.yaml: 6 slots in 4 queues"
has stdout "None with less keep the limits."
equal "the table" "$(sed -n 5p sized.csv)" "s -> t,1,3,1"
expect 0 weir analyze sized.yaml --json
equal "the written model" "$(json stdout throughput.period)" 10
expect 0 weir explore diamond.yaml --size-queues --period 15ms --json
equal places "$(json stdout cost)" 5
equal "the least" "$(json stdout cost_least)" 5
equal complete "$(json stdout complete)" true
equal deeper "$(json stdout queues.3.capacity)" 2
expect 0 weir explore diamond.yaml --size-queues --period 10ms --weight 's->t=100' --weight 'a -> b = 7' --json
equal weights "$(json stdout cost)" 309
expect 0 weir explore diamond.yaml --size-queues --within 1s --queues 's->t, a->b' --json
equal "two queues" "$(json stdout cost)" 2
expect 1 weir explore diamond.yaml --size-queues --period 10ms --queues 's->a,b->t' --json
equal "not with these" "$(json stdout cost)" null
expect 1 weir explore diamond.yaml --size-queues --period 9ms
has stdout "no capacities up to 64 keep the limits"
has stdout "the period is still 10 ms"
expect 1 weir explore diamond.yaml --size-queues --period 10ms --most 2
has stdout "the period is still 15 ms"
expect 1 weir explore diamond.yaml --size-queues --within 39ms # the operators alone take 40
expect 0 weir explore diamond.yaml --pareto --json --csv front.csv --svg front.svg
equal points "$(json stdout points.2.cost)" 6
equal faster "$(json stdout points.2.period)" 10
equal complete "$(json stdout complete)" true
equal "the heading" "$(sed -n 1p front.csv)" "slots,latency,period,met,s -> a,a -> b,b -> t,s -> t"
equal "the first point" "$(sed -n 2p front.csv | cut -d, -f1,3-)" "4,30,true,1,1,1,1"
has front.svg "<svg"
has front.svg "period 10 ms"
expect 0 weir explore diamond.yaml --pareto --period 15
has stdout "No other capacities up to 64"

# ---- deadlines, and a second queue ----
cat >two.yaml <<'END'
unit: ms
operators: {a: [0, 8], b: [0, 9]}
queues: [{from: a, to: b, capacity: 5}, {from: a, to: b, capacity: 4}]
deadlines: [{from: a, to: b, within: 20}]
END
expect 1 weir analyze two.yaml
expect 0 weir explore two.yaml --size-queues
has stdout "a -> b#2"
expect 1 weir explore two.yaml --size-queues --queues 'a->b#2' --within 10
expect 0 weir explore two.yaml --size-queues --queues 'a->b#2' --json
equal "one of two" "$(json stdout cost)" 1
# Messages that are received late: a place more in two queues is better in both than one in one of them.
cat >received.yaml <<'END'
operators: {a0: {time: 1, receive: 1}, a1: {time: 9, receive: 9}, a2: {time: 7, receive: 7}, a3: {time: 7, receive: 7}, a4: {time: 8, receive: 8}}
queues: [a0 -> a1 -> a2 -> a3, a2 -> a4]
END
expect 0 weir explore received.yaml --pareto --most 3 --json
has stdout '"complete": true'
has stdout '{"cost": 6, "latency": 41, "period": 14, '
expect 0 weir explore two.yaml --pareto
has stdout "met"

# ---- what is wrong ----
expect 2 weir explore diamond.yaml --size-queues
has stderr "needs --within, --period or a model with deadlines"
expect 2 weir explore diamond.yaml --size-queues --within 0
expect 2 weir explore diamond.yaml --size-queues --within soon
expect 2 weir explore diamond.yaml --size-queues --period -3
expect 2 weir explore diamond.yaml --size-queues --period 10ms --queues 's->b'
has stderr "the model has no queue 's->b'"
expect 2 weir explore diamond.yaml --size-queues --period 10ms --queues 's->a,'
expect 2 weir explore diamond.yaml --size-queues --period 10ms --weight 's->b=4'
expect 2 weir explore diamond.yaml --size-queues --period 10ms --weight 's->a=0'
has stderr "N being a number from 1 on"
expect 2 weir explore diamond.yaml --size-queues --period 10ms --weight 's->a'
expect 2 weir explore diamond.yaml --size-queues --period 10ms --weight 's->a=12345678901234567890'
expect 2 weir explore diamond.yaml --size-queues --period 10ms --most 0
expect 2 weir explore diamond.yaml --size-queues --period 10ms --svg front.svg
expect 2 weir explore diamond.yaml --pareto -o sized.yaml
expect 2 weir explore diamond.yaml --pareto --svg front.png
expect 2 weir explore diamond.yaml --pareto --sweep 'a.time=1:3:1'
expect 3 weir explore "$models/wlan.yaml" --size-queues --within 1s

# ---- the same for any number of threads ----
expect 0 weir generate holoscan --nodes 11 --seed 4 --best-ratio 0.5 -o random.yaml
for threads in 1 2 7; do
    expect 0 weir explore random.yaml --size-queues --period 874 --threads $threads
    cp stdout $threads.txt
    expect 0 weir explore random.yaml --pareto --most 4 --threads $threads
    cat stdout >>$threads.txt
    cmp -s 1.txt $threads.txt || complain "$threads threads say something else"
done

# ---- an interrupt ----
expect 0 weir generate holoscan --nodes 30 --seed 2 --density 0.3 --best-ratio 0.5 -o large.yaml
stopped TERM explore large.yaml --pareto --json
status=$?
[ $status = 0 ] || complain "SIGTERM ends it with $status"
stopped INT explore large.yaml --pareto --json
status=$?
[ $status = 0 ] || complain "an interrupt ends it with $status"
equal goal "$(json stdout goal)" '"pareto"'
json stdout points.0.latency >latency
stopped INT explore large.yaml --size-queues --period 996 --within 10597 --json
status=$?
[ $status = 0 ] || [ $status = 4 ] || complain "an interrupt ends it with $status"
[ "$(json stdout cost_least)" -ge 142 ] || complain "an interrupt ends it without a proved least"
