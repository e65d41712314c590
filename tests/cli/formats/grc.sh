# SPDX-License-Identifier: Apache-2.0
# Flowgraphs of GNU Radio Companion.
receiver=$models/receiver.grc

# What has to be given is a list, one line to a block, each with the options.
expect 3 weir analyze "$receiver"
has stderr 'receiver.grc:4:3: the number of cores is not known (weir analyze and weir convert take it); give --cores N'
has stderr 'block "signal" (analog_sig_source_x): cost not known; give --cost signal=INIT,PER-SAMPLE'
has stderr 'block "sync" (digital_symbol_sync_xx): rate and cost not known; give --rate sync=OUT/IN --cost sync=INIT,PER-SAMPLE'
has stderr 'note: connections that carry messages are left out: 1, the first of them here'
lacks stderr "unused" # disabled
[ -s stdout ] && complain "an answer without a model"

# The list is what it takes: what it says, filled in, is a model.
options=$(grep -o 'give --.*' stderr | sed 's/^give//; s|OUT/IN|1/4|g; s/FREQUENCY/1kHz/g; s/INIT,PER-SAMPLE/300,4.5/g; s/cores N/cores 2/')
# shellcheck disable=SC2086 # several words
expect 0 weir analyze "$receiver" $options --verify
has stdout "signal -> display"
# shellcheck disable=SC2086
expect 0 weir analyze "$receiver" $options --json
json stdout latency.0.worst >/dev/null

# Costs of types, of blocks, and of a file. What is given for a block counts first.
cat >costs.csv <<'END'
block,init_ns,per_sample_ns
# a comment
blocks_throttle, 300, 1.00001
"sync",900,20
nowhere,1,1
low_pass_filter,500,-3
END
expect 0 weir convert "$receiver" -o receiver.yaml --cores 4 --rate sync=1/4 --costs costs.csv --cost signal=1us,2ns \
    --cost qtgui_time_sink_x=100,1 --cost sync=1000,21
sed -i 's/^ *//' receiver.yaml
has receiver.yaml "signal: {cost: {init: 1, per-sample: 0.002}}"
has receiver.yaml "pace: {cost: {init: 0.3, per-sample: 0.001001}}"
has receiver.yaml "sync: {cost: {init: 1, per-sample: 0.021}}"
has receiver.yaml "filter: {cost: {init: 0.5, per-sample: 0}}"
has receiver.yaml "{from: pace, to: filter, consume: 12, capacity: auto}"
has receiver.yaml "{from: filter, to: sync, consume: 4, capacity: auto}"
has receiver.yaml "{operator: signal, rate: 576kHz}"
has receiver.yaml "cores: 4"
cat >fits.json <<'END'
{"unit": "ns", "fits": [{"block": "sync", "init": 1, "per_sample": 1, "safe_init": 7.25, "safe_per_sample": 0.5},
 {"block": "signal", "init": 2.5, "per_sample": 3}]}
END
expect 0 weir convert "$receiver" -o receiver.yaml --cores 4 --rate sync=1/4 --costs fits.json --cost blocks_throttle=1,1 \
    --cost low_pass_filter=1,1 --cost display=1,1
has receiver.yaml "sync: {cost: {init: 0.00725, per-sample: 0.0005}}"
has receiver.yaml "signal: {cost: {init: 0.0025, per-sample: 0.003}}"

# Mistakes in what is given.
expect 3 weir analyze "$receiver" --cores 2 --rate synk=1/4
has stderr '--rate: there is no block "synk"; did you mean "sync"?'
expect 3 weir analyze "$receiver" --cores 2 --source-rate sync=1kHz
has stderr '--source-rate: block "sync" has inputs; its rate follows from them'
expect 3 weir analyze "$receiver" --cores 2 --cost sync=1
has stderr "--cost takes BLOCK=INIT,PER-SAMPLE"
printf 'block,1\n' >costs.csv
expect 3 weir analyze "$receiver" --cores 2 --costs costs.csv
has stderr "costs.csv:1:1: a line of costs is block,init_ns,per_sample_ns"
printf 'a,1,1\nb,1,x\na,2,2\n' >costs.csv
expect 3 weir analyze "$receiver" --cores 2 --costs costs.csv
has stderr 'costs.csv:2:1: a cost is a number of ns, not "x"'
has stderr 'costs.csv: the cost of "a" is given twice'
echo '{"fits": [{"block": "a", "init": 1}]}' >costs.json
expect 3 weir analyze "$receiver" --cores 2 --costs costs.json
has stderr 'a fit needs "block", "init" and "per_sample"'
expect 3 weir analyze "$receiver" --cores 2 --costs missing.csv
has stderr "missing.csv: cannot read this file"
expect 2 weir convert "$receiver" -o x.yaml --cores 0

# Flowgraphs from before GNU Radio 3.8.
printf "<?xml version='1.0'?>\n<flow_graph>\n</flow_graph>\n" >old.grc
expect 3 weir analyze old.grc
has stderr "open it in GNU Radio Companion and save it again"

# Those options are for flowgraphs.
printf 'operators: {a: 1}\n' >model.yaml
expect 3 weir analyze model.yaml --rate a=1/2
has stderr "model.yaml: --rate, --source-rate, --cost and --costs are for flowgraphs of GNU Radio"
