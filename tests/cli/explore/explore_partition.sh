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

# In steps of 4: 1 and 2 SMs are 4, with the times of 2; 8 are needed, and 11 are no better.
for sms in 8 11; do
    expect 0 weir explore chain.yaml --partition-sms $sms --profile profile.csv --sm-step 4 --json
    equal used "$(json stdout used)" 8
    equal total "$(json stdout total)" 10
    equal "SMs of the second" "$(json stdout green_contexts.1.sms)" 4
    equal "its place in the pool" "$(json stdout green_contexts.1.index)" 1
    equal "its operators" "$(json stdout green_contexts.1.operators)" '"b"'
done
expect 1 weir explore chain.yaml --partition-sms 7 --profile profile.csv --sm-step 4
has stdout "too few for any division"
expect 1 weir explore chain.yaml --partition-sms 7 --profile profile.csv --sm-step 4 --share --json # each may wait for the other: 10 + 10
equal shared "$(json stdout total)" 20
equal "what they share" "$(json stdout green_contexts.0.operators)" '"a, b"'
expect 0 weir explore chain.yaml --partition-sms 8 --profile profile.csv --sm-step 4
tr '\n' ' ' <stdout >one.txt
has one.txt 'pool = CudaGreenContextPool(self, dev_id=0, num_partitions=2, sms_per_partition=[4, 4], min_sm_size=4, name="pool")'
if command -v python3 >/dev/null; then # what it says to put into compose() is Python
    cat >program.py <<'END'
class CudaGreenContextPool:
    def __init__(self, fragment, **words):
        self.__dict__.update(words)
CudaGreenContext = CudaStreamPool = CudaGreenContextPool
self = None
END
    sed -n '/^pool = /,/^No division/p' stdout | sed '/^No division/d' >>program.py
    echo 'print(pool.sms_per_partition, [s.cuda_green_context.index for s in streams])' >>program.py
    equal "the pool in Python" "$(python3 program.py 2>&1)" "[4, 4] [0, 1]"
fi

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
wrong 'operator,sms,time\n' '1:1: there is nothing after the heading'
wrong 'operator,sms\na,1\n' '1:1: the heading has no column "time"'
wrong 'operator,sms,tim\na,1,2\n' '1:14: unknown column "tim"; did you mean "time"?'
wrong 'operator,sms,time,sms\na,1,2,1\n' '1:19: column "sms" is there twice'
wrong 'operator,sms,time\nc,1,2\n' '2:1: the model has no operator "c"'
wrong 'operator,sms,time\na,0,2\n' '2:3: "sms" must be a number'
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

# ---- work on the GPU: a published application, and its published optimum ----
# Multi AI Ultrasound with asynchronous operators, 142 SMs in steps of 2; microseconds, cut off below. Points that are no faster
# than one with fewer SMs are left out.
cat >ultrasound.yaml <<'END'
unit: us
operators:
  VideoSource: [0, 555]
  FCResize: [0, 69]
  FCPlaxCham:    {time: [0, 586],  gpu: {time: [0, 77]}}
  FCAorticSTE:   {time: [0, 1106], gpu: {time: [0, 75]}}
  FCBModePers:   {time: [0, 1123], gpu: {time: [0, 64]}}
  AIPlaxCham:    {time: [0, 4641], gpu: {time: [0, 40132]}}
  AIAorticSTE:   {time: [0, 6425], gpu: {time: [0, 37264]}}
  AIBModePers:   {time: [0, 6033], gpu: {time: [0, 32540]}}
  PostProcessor: {time: [0, 1768], gpu: {time: [0, 102]}}
  Visualizer: [0, 943]
  Holoviz: {time: 0, gpu: {time: 0, waits: true, after: [0, 2671]}}
queues:
  - VideoSource -> FCResize -> Holoviz
  - VideoSource -> FCPlaxCham -> AIPlaxCham -> PostProcessor
  - VideoSource -> FCAorticSTE -> AIAorticSTE -> PostProcessor
  - VideoSource -> FCBModePers -> AIBModePers -> PostProcessor
  - PostProcessor -> Visualizer -> Holoviz
END
points() { # points OPERATOR SMS:TIME...
    op=$1
    shift
    for point; do
        echo "$op,${point%:*},${point#*:}"
    done
}
{
    echo operator,sms,time
    points FCPlaxCham 2:77 4:42 6:30 8:24 10:21 12:19 14:16 20:14 22:13 28:11 38:10 40:9 52:8 82:7
    points FCAorticSTE 2:75 4:41 6:30 8:24 10:21 12:17 16:16 20:14 24:13 26:12 28:11 38:9 66:8 74:7
    points FCBModePers 2:64 4:35 6:26 8:22 10:18 12:17 16:15 20:12 28:11 30:9 60:8 66:7
    points AIPlaxCham 2:40132 4:20642 6:13568 8:10323 10:9321 12:7876 14:6432 16:5605 18:5164 20:5075 22:4470 26:3923 28:3562 \
        30:3544 32:3226 34:3071 38:2888 40:2784 42:2662 46:2546 50:2475 56:2437 58:2086 62:2029 64:2016 66:1988 68:1968 72:1962 \
        74:1940 76:1912 78:1874 80:1857 82:1847 84:1554 86:1543 88:1514 90:1497 94:1492 96:1476 98:1443 100:1372 104:1341 106:1326 \
        110:1311 112:1276 114:1272 116:1271 120:1264 124:1254
    points AIAorticSTE 2:37264 4:25625 6:13116 8:10498 10:8390 12:8138 14:7304 16:5911 18:5260 20:4834 24:4697 26:4527 28:4076 \
        30:3713 38:3700 40:3265 44:3162 54:2995 60:2993 64:2953 66:2766 72:2740 74:2730 92:2723 98:2560 122:2553 124:2549 126:2516
    points AIBModePers 2:32540 4:17317 6:11489 8:8896 10:7435 12:6462 14:5777 16:5204 18:4807 22:4351 24:3998 26:3816 30:3590 \
        32:3411 38:3230 48:2893 50:2847 54:2810 58:2772 76:2603 90:2491 110:2372 116:2367 130:2349
    points PostProcessor 2:102 4:62 6:47 8:41 10:33 14:31 18:29 28:28 32:27 50:24 62:23 98:22
} >work.csv
expect 0 weir explore ultrasound.yaml --partition-sms 142 --profile work.csv --json
equal "the published optimum" "$(json stdout total)" 19498
equal proved "$(json stdout complete)" true
for i in 0 1 2 3 4 5 6; do json stdout partition.$i.sms; done | tr '\n' ' ' >sms
equal "the published division" "$(cat sms)" "2 2 2 22 66 38 10 "
# One port of the source feeds all four: a broadcast stands between.
sed 's/- VideoSource -> FCResize -> Holoviz/- VideoSource -> [FCResize, FCPlaxCham, FCAorticSTE, FCBModePers]\n  - FCResize -> Holoviz/
    s/- VideoSource -> FC/- FC/' ultrasound.yaml >port.yaml
expect 0 weir explore port.yaml --partition-sms 142 --profile work.csv --json -o divided.yaml
equal "with one port" "$(json stdout total)" 25923
expect 0 weir analyze divided.yaml --verify --json
equal "the divided model" "$(json stdout latency.0.worst)" 25923
expect 3 weir explore ultrasound.yaml --partition-sms 142 --profile work.csv --share
has stderr 'operator "FCPlaxCham" does not wait for its work on the GPU'

# ---- an interrupt: what would take hours ends with the best so far, and how far from it the best of all can be ----
{
    echo 'unit: us'
    echo 'operators: {'
    for i in $(seq 24); do echo "  o$i: [0, 1000],"; done
    echo '}'
    echo 'queues:'
    for i in $(seq 2 24); do echo "  - o$((i / 2)) -> o$i"; done
    for i in $(seq 3 3 24); do echo "  - o$((i / 3)) -> o$i"; done
} >large.yaml
for i in $(seq 24); do
    for sms in $(seq 132); do
        echo "o$i,$sms,$((100 + i * 13 + (20000 + i * 1777) / sms + (i * sms * 7919) % 97))"
    done
done | sed '1i operator,sms,time' >large.csv
for signal in INT TERM; do
    stopped $signal explore large.yaml --partition-sms 132 --profile large.csv --json
    status=$?
    [ $status = 0 ] || complain "an interrupt ends it with $status"
    equal proved "$(json stdout complete)" false
    [ "$(json stdout total_least)" -gt 0 ] && [ "$(json stdout total_least)" -le "$(json stdout total)" ] ||
        complain "an interrupt ends it without a least total"
done
