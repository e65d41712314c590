# SPDX-License-Identifier: Apache-2.0
# weir explore --partition-sms: the table by hand, what is wrong with profiles, any number of threads.
cat >chain.yaml <<'END'
unit: ms
operators: {a: [0, 8], b: [0, 9]}
queues: [a -> b]
deadlines: [{from: a, to: b, within: 15}]
END
cat >profile.csv <<'END'
# a starts when b has taken the message before: the worst case is max(a, b) + b
operator,sms,time,best
a,1,8
a,2,5
b,1,9ms
b,2,5000us,0
END

expect 1 weir explore chain.yaml --partition-sms 2 --profile profile.csv # 9 + 9
has stdout "chain.yaml: 2 of 2 SMs in 2 partitions"
has stdout "missed"
expect 0 weir explore chain.yaml --partition-sms 3 --profile profile.csv -o best.yaml --csv shares.csv --json # 8 + 5
equal total "$(json stdout total)" 13
equal "the least" "$(json stdout total_least)" 13
equal complete "$(json stdout complete)" true
equal SMs "$(json stdout partition.1.sms)" 2
equal "the table" "$(sed -n 3p shares.csv)" "b,2,2,0,5"
expect 0 weir analyze best.yaml --json
equal "the written model" "$(json stdout latency.0.worst)" 13
expect 1 weir explore chain.yaml --partition-sms 1 --profile profile.csv
has stdout "too few for any division"
expect 1 weir explore chain.yaml --partition-sms 1 --profile profile.csv --json
equal "no division" "$(json stdout partition)" null
expect 1 weir explore chain.yaml --partition-sms 1 --profile profile.csv --share --json # each may wait for the other: 17 + 17
equal shared "$(json stdout total)" 34
equal together "$(json stdout partitions)" 1

expect 2 weir explore chain.yaml --partition-sms 3
has stderr "needs --profile"
expect 2 weir explore chain.yaml --partition-sms 0 --profile profile.csv
expect 3 weir explore chain.yaml --partition-sms 3 --profile nowhere.csv
wrong() { # wrong 'LINES' 'MESSAGE'
    printf "$1" >wrong.csv
    expect 3 weir explore chain.yaml --partition-sms 3 --profile wrong.csv
    has stderr "wrong.csv:$2"
}
wrong '' '1:1: expected a heading'
wrong 'operator,sms,time\n' '1:1: there is nothing behind the heading'
wrong 'operator,sms\na,1\n' '1:1: the heading has no column "time"'
wrong 'operator,sms,tim\na,1,2\n' '1:14: unknown column "tim"; did you mean "time"?'
wrong 'operator,sms,time,sms\na,1,2,1\n' '1:19: column "sms" is there twice'
wrong 'operator,sms,time\nc,1,2\n' '2:1: the model has no operator "c"'
wrong 'operator,sms,time\na,0,2\n' '2:3: "sms" is a number'
wrong 'operator,sms,time\na,1,-2\n' '2:5: "time" is a time'
wrong 'operator,sms,time\na,1,2parsec\n' '2:5: "time" has a unit'
wrong 'operator,sms,time\na,1,9e300\n' '2:5: "time" is longer than can be represented'
wrong 'operator,sms,time,best\na,1,2,3\n' '2:1: the best case is above the worst'
wrong 'operator,sms,time\na,1\n' '2:1: this line has no "time"'
wrong 'operator,sms,time\na,1,2\na,1,3\n' '3:1: the same operator has two times on as many SMs'
expect 3 weir explore "$models/wlan.yaml" --partition-sms 3 --profile profile.csv

# ---- the same for any number of threads ----
application=$models/../../../examples/published/multi-ai-ultrasound.yaml
for op in plax_cham_pre aortic_ste_pre b_mode_pers_pre multiai_inference; do
    for sms in $(seq 4 4 132); do
        echo "$op,$sms,$((200 + 9000 / sms + ${#op}))"
    done
done | sed '1i operator,sms,time' >measured.csv
for threads in 1 2 7; do
    expect 0 weir explore "$application" --partition-sms 132 --profile measured.csv --share --threads $threads
    cp stdout $threads.txt
    cmp -s 1.txt $threads.txt || complain "$threads threads say something else"
done
