# SPDX-License-Identifier: Apache-2.0
# Same seed, same bytes; the model reads back as it was written.
all="--graphs 2 --tasks 4 --processors 3 --load 0.6 --jitter 1.5 --best 0.5 --cyclic --sporadic --mixed --sized"
# shellcheck disable=SC2086 # words are meant to be split
expect 0 weir generate priority $all --seed 7
same stdout generated-priority.yaml
# shellcheck disable=SC2086
expect 0 weir generate priority $all --seed 7 --load .600 -o model.yaml
[ -s stdout ] && complain "talk on stdout"
same model.yaml generated-priority.yaml
expect 0 weir convert model.yaml -o again.yaml
same again.yaml generated-priority.yaml
# shellcheck disable=SC2086
expect 0 weir generate priority $all --seed 8
cmp -s stdout model.yaml && complain "another seed changes nothing"
# shellcheck disable=SC2086
expect 0 weir generate priority $all --seed 7 -o model.json
json model.json >/dev/null
equal "processor" "$(json model.json operators.A0.on)" '"cpu1"'
expect 0 weir convert model.json -o again.yaml
same again.yaml generated-priority.yaml

# What is not said: one graph of eight tasks on three preemptive processors, without jitter or feedback.
expect 0 weir generate priority
equal "tasks" "$(grep -c 'time:' stdout)" 8
has stdout "cpu2: {}"
lacks stdout "cpu3"
lacks stdout "jitter"
lacks stdout "initial"
lacks stdout "sporadic"
lacks stdout "slot"
lacks stdout "B0"
for seed in 1 2 3 4 5 6 7 8; do
    weir generate priority --seed $seed --graphs 2 --cyclic --jitter 0.5 --load 0.4 -o random.yaml || complain "seed $seed"
    weir analyze random.yaml >stdout 2>stderr
    case $? in
    0 | 1 | 4) ;;
    *) complain "seed $seed cannot be analysed: $(cat stderr)" ;;
    esac
done

# The systems of the paper.
expect 0 weir generate priority --system wlan --period 12.5us --jitter 25us
same stdout generated-wlan.yaml
expect 0 weir generate priority --system wlan --jitter 25
same stdout generated-wlan.yaml
expect 0 weir generate priority --system wlan-two
has stdout "DEMAP_1: {time: 1, on: cpu2, priority: 1}"
expect 0 weir generate priority --system jitter-reversed --period 11 --jitter 0.02s
has stdout "period: 11, name: control, jitter: 20"
expect 2 weir generate priority --system wlann
has stderr "did you mean \"wlan\"?"
expect 2 weir generate priority --system radar
has stderr "unknown system \"radar\""

# Wrong values.
for wrong in "--load 0" "--load 1" "--load 1.5" "--load x" "--load=" "--best 1.001" "--best -1" "--jitter 1001" "--jitter 1.2345" \
    "--jitter 5us" "--graphs 0" "--graphs 10001" "--tasks 0" "--tasks 10001" "--processors 0" "--processors 1025" \
    "--graphs 101 --tasks 100" "--period 5" "--nodes 5" "--queue 2" "--density 0.2" "--best-ratio 0.5" "--format svg" "x" \
    "--system wlan --tasks 4" "--system wlan --load 0.5" "--system wlan --mixed" "--system wlan --period 0" \
    "--system wlan --period -1us" "--system wlan --period 12.25us" "--system wlan --period x" "--system wlan --jitter -1us" \
    "--system="; do
    # shellcheck disable=SC2086 # words are meant to be split
    expect 2 weir generate priority $wrong
    [ -s stdout ] && complain "an answer in spite of $wrong"
done
expect 2 weir generate priority --nodes 5
has stderr "--nodes is not an option of 'priority'"
expect 2 weir generate holoscan --nodes 5 --mixed
has stderr "--mixed is not an option of 'holoscan'"
expect 2 weir generate prority
has stderr "did you mean 'priority'?"
expect 74 weir generate priority -o no-such-folder/model.yaml
