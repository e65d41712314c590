# SPDX-License-Identifier: Apache-2.0
# Same seed, same bytes; the model reads back as it was written; options of other kinds are refused.
expect 0 weir generate flow --nodes 9 --heavy --rate 576000 --cores 3 --seed 5 -o model.yaml
[ -s stdout ] && complain "talk on stdout"
expect 0 weir generate flow --nodes 9 --heavy --rate 576000 --cores 3 --seed 5
same_file() { cmp -s "$1" "$2" || complain "$1 and $2 differ"; }
same_file stdout model.yaml
has model.yaml "platform: {cores: 3, scheduler: global-edf}"
has model.yaml "rate: 576kHz"
expect 0 weir convert model.yaml -o again.yaml
same_file again.yaml model.yaml
expect 0 weir convert model.yaml -o model.json
expect 0 weir convert model.json -o again.yaml
same_file again.yaml model.yaml
expect 0 weir generate flow --nodes 9 --heavy --rate 576000 --cores 3 --seed 6
cmp -s stdout model.yaml && complain "another seed changes nothing"
for seed in 1 2 3 4 5 6 7 8; do
    expect 0 weir generate flow --nodes 12 --seed $seed -o model.yaml
    expect 0 weir explore model.yaml --batch rate
    has stdout "at most"
done

expect 0 weir generate flow --system nbfm --cores 2 -o nbfm.yaml
expect 1 weir analyze nbfm.yaml
has stdout "NOT SCHEDULABLE"
expect 0 weir explore nbfm.yaml --batch rate -o batched.yaml
expect 0 weir analyze batched.yaml --verify

expect 2 weir generate flow --tasks 3
has stderr "--tasks is not an option of 'flow'"
expect 2 weir generate holoscan --nodes 3 --heavy
has stderr "--heavy is not an option of 'holoscan'"
expect 2 weir generate flow --system wlan
has stderr "there is only nbfm"
expect 2 weir generate flow --system nbfm --heavy
for wrong in "--nodes 1" "--rate 0" "--cores 0" "--rate 1e6" "--format dot"; do
    # shellcheck disable=SC2086 # words are meant to be split
    expect_not_ok() { weir generate flow $wrong >out 2>err && complain "an answer in spite of $wrong"; [ -s err ] || complain "no word about $wrong"; }
    expect_not_ok
done
