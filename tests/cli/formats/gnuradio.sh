# SPDX-License-Identifier: Apache-2.0
# A narrowband FM receiver in GNU Radio from end to end: profile, fit, model, batches, plan, apply, run.
. "$here/formats/gnuradio_python"
[ -d /proc/self/task ] || skip "threads are not found without /proc"

expect 0 timeout -k 10 1200 "$python" "$tools/weir-gnuradio" profile "$examples/nbfm.py" -o profile.json --sizes 48,192,768,3072 --seconds 0.3 --repeat 2
equal "rate" "$(json profile.json rate)" 576000.0
[ "$(grep -c '"samples"' profile.json)" -ge 40 ] || complain "$(grep -c '"samples"' profile.json) observations, expected 48"
expect 0 weir fit profile.json -o costs.csv --svg cost.svg --json
equal "blocks" "$(grep -c '^[a-z]*,[0-9.]*,[0-9.]*$' costs.csv)" 6
has cost-demodulate.svg "<svg"

# Batches that leave a good part of a core free, whatever else runs here.
expect 0 "$python" "$tools/weir-gnuradio" model profile.json costs.csv -o flow.yaml --cores 2
expect 0 weir explore flow.yaml --batch rate --utilization 0.6 -o batched.yaml
expect 0 weir analyze batched.yaml --json
cp stdout plan.json

# What came out is held against the plan: on a busy machine it may not be as planned, and is told so.
applied() { # applied ARGUMENT...
    timeout -k 10 1200 "$python" "$tools/weir-gnuradio" apply "$examples/nbfm.py" plan.json "$@" >stdout 2>stderr
    case $? in
    0) has stdout "as planned: every block kept its rate" ;;
    1) has stdout "NOT AS PLANNED: " ;;
    4) has stdout "not decided: the machine stood still" ;;
    *) complain "$(tail -n 1 stderr)" ;;
    esac
}
applied --seconds 3 --json report.json
cat stdout
has stdout "throttle -> sink: the longest of "
has stdout "samples of the source at once"
policy=$(json report.json policy)
case $policy in
'"fifo"') equal "threads of a priority" "$(grep -c 'FIFO priority 50' stdout)" 6 ;;
'"normal"') has stdout "fifo scheduling is refused" ;;
*) complain "policy $policy" ;;
esac
# Real time would be 1,728,000 samples in and 144,000 out; a busy machine may be slower.
carrier=$(json report.json samples.carrier) sink=$(json report.json samples.sink)
[ "$carrier" -gt 100000 ] && [ "$carrier" -lt 2500000 ] || complain "$carrier samples in"
[ "$sink" -gt 8000 ] && [ "$sink" -lt 210000 ] || complain "$sink samples out"

# A tenth of the rate that was wanted is no success.
expect 1 timeout -k 10 1200 "$python" "$tools/weir-gnuradio" apply "$examples/nbfm.py" plan.json --seconds 0.5 --rate 5760000
grep -qE 'NOT AS PLANNED: sink did [0-9]+ samples in .* s, [0-9.]+ % of its rate' stdout || complain "$(cat stdout)"

# Other policies on request; runtimes are above every cost that was measured.
applied --seconds 0.5 --policy deadline
grep -q 'DEADLINE runtime' stdout || has stdout "deadline scheduling is refused"
applied --seconds 0.5 --policy normal
has stdout "policy: normal"
lacks stdout "refused"

# A resampler waits for more than it takes, a decimating filter does not; a block that does not tell its rate is found out. There are
# two sources, and a hierarchical block.
cat >resampled.py <<'END'
from gnuradio import gr, analog, blocks, filter

class Louder(gr.hier_block2):
    def __init__(self):
        signature = gr.io_signature(1, 1, gr.sizeof_float)
        gr.hier_block2.__init__(self, "louder", signature, signature)
        self.once, self.twice = blocks.multiply_const_ff(2), blocks.multiply_const_ff(2)
        self.connect(self, self.once, self.twice, self)

class Resampled(gr.top_block):
    def __init__(self):
        gr.top_block.__init__(self, "resampled")
        self.carrier = analog.sig_source_f(240000, analog.GR_COS_WAVE, 1000, 1)
        self.throttle = blocks.throttle(gr.sizeof_float, 240000)
        self.filter = filter.fir_filter_fff(5, [1.0] * 57)
        self.resample = filter.rational_resampler_fff(3, 2, [1.0] * 57, 0.4)
        self.keep = blocks.keep_one_in_n(gr.sizeof_float, 4)
        self.louder = Louder()
        self.sink = blocks.null_sink(gr.sizeof_float)
        self.connect(self.carrier, (sum := blocks.add_ff(), 0))
        self.connect(analog.noise_source_f(analog.GR_GAUSSIAN, 0.1), (sum, 1))
        self.connect(sum, self.throttle, self.filter, self.resample, self.keep, self.louder, self.sink)
END
expect 0 timeout -k 10 1200 "$python" "$tools/weir-gnuradio" profile resampled.py -o resampled.json --sizes 320,1280,5120 --seconds 0.3 --repeat 1
expect 0 weir fit resampled.json -o resampled.csv
expect 0 "$python" "$tools/weir-gnuradio" model resampled.json resampled.csv -o resampled.yaml --cores 2
has resampled.yaml 'from: "throttle", to: "filter", produce: 1, consume: 5}'
has resampled.yaml 'from: "filter", to: "resample", produce: 1, consume: 2, threshold: 20}'
has resampled.yaml 'from: "resample", to: "keep", produce: 3, consume: 4}'
has resampled.yaml 'from: "louder.once", to: "louder.twice", produce: 1, consume: 1}'
has resampled.yaml 'from: "keep", to: "louder.once"'
has resampled.yaml 'from: "louder.twice", to: "sink"'
has resampled.yaml '{operator: "carrier", rate: 240000Hz}'
equal "sources" "$(grep -c 'rate: 240000Hz' resampled.yaml)" 2

# A file that is not there is said to be missing.
cat >device.py <<'END'
from gnuradio import gr, blocks

class Device(gr.top_block):
    def __init__(self):
        gr.top_block.__init__(self, "device")
        self.source, self.sink = blocks.file_source(4, "nowhere.bin"), blocks.null_sink(4)
        self.connect(self.source, self.sink)
END
expect 3 timeout -k 10 1200 "$python" "$tools/weir-gnuradio" profile device.py -o device.json
has stderr "the flowgraph cannot be made: can't open file"
lacks stderr Traceback

# The same for a .grc file, whose reader takes the costs.
cat >tone.grc <<'END'
options:
  parameters: {id: mini, generate_options: no_gui, category: '[GRC Hier Blocks]', title: mini}
  states: {coordinate: [8, 8], rotation: 0, state: enabled}
blocks:
- {name: samp_rate, id: variable, parameters: {value: '96000'}, states: {coordinate: [8, 100], rotation: 0, state: enabled}}
- {name: tone, id: analog_sig_source_x, parameters: {type: float, samp_rate: samp_rate, waveform: analog.GR_COS_WAVE, freq: '1000', amp: '1', offset: '0', phase: '0'}, states: {coordinate: [100, 100], rotation: 0, state: enabled}}
- {name: pace, id: blocks_throttle, parameters: {type: float, samples_per_second: samp_rate, vlen: '1', ignoretag: 'True'}, states: {coordinate: [200, 100], rotation: 0, state: enabled}}
- {name: keep, id: fir_filter_xxx, parameters: {type: fff, decim: '4', taps: '[1.0]', samp_delay: '0'}, states: {coordinate: [300, 100], rotation: 0, state: enabled}}
- {name: end, id: blocks_null_sink, parameters: {type: float, vlen: '1', num_inputs: '1'}, states: {coordinate: [400, 100], rotation: 0, state: enabled}}
connections:
- [tone, '0', pace, '0']
- [pace, '0', keep, '0']
- [keep, '0', end, '0']
metadata: {file_format: 1}
END
if command -v grcc >/dev/null; then
    expect 0 timeout -k 10 1200 "$python" "$tools/weir-gnuradio" profile tone.grc -o tone.json --sizes 16,128,1024 --seconds 0.2 --repeat 2
    equal "rate of the .grc" "$(json tone.json rate)" 96000.0
    has tone.json '"decimation": 4'
    expect 0 weir fit tone.json -o tone.csv
    weir analyze tone.grc --costs tone.csv --cores 2 --json >tone-plan.json 2>stderr
    has tone-plan.json '"name": "keep"'
fi
