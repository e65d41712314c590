# SPDX-License-Identifier: Apache-2.0
# A narrowband FM receiver in GNU Radio from end to end: profile, fit, model, batches, plan, apply, run.
tools=$here/../../tools/gnuradio
export PYTHONPYCACHEPREFIX=$PWD/cache
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'from gnuradio import gr, analog, blocks, filter' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || skip "GNU Radio is not installed for python3 or /usr/bin/python3"
[ -d /proc/self/task ] || skip "threads are not found without /proc"
export HOME=$PWD # GNU Radio keeps settings there

expect 0 timeout -k 10 1200 "$python" "$tools/profile.py" "$tools/nbfm.py" -o profile.json --sizes 48,192,768,3072 --seconds 0.5 --repeat 2
equal "rate" "$(json profile.json rate)" 576000.0
[ "$(grep -c '"samples"' profile.json)" -ge 40 ] || complain "$(grep -c '"samples"' profile.json) observations, expected 48"
expect 0 weir fit profile.json -o costs.csv --svg cost.svg --json
equal "blocks" "$(grep -c '^[a-z]*,[0-9.]*,[0-9.]*$' costs.csv)" 6
has cost-demodulate.svg "<svg"

# Batches that leave a good part of a core free, whatever else runs here.
expect 0 "$python" "$tools/model.py" profile.json costs.csv -o flow.yaml --cores 2
expect 0 weir explore flow.yaml --batch rate --utilization 0.6 -o batched.yaml
expect 0 weir analyze batched.yaml --json
cp stdout plan.json

expect 0 timeout -k 10 1200 "$python" "$tools/apply.py" "$tools/nbfm.py" plan.json --seconds 3 --json report.json
cat stdout
has stdout "samples of the source at once"
policy=$(json report.json policy)
case $policy in
'"deadline"') equal "threads by deadline" "$(grep -c 'DEADLINE runtime' stdout)" 6 ;;
'"fifo"') has stdout "deadline scheduling is refused" ;;
'"normal"') has stdout "fifo scheduling is refused" ;;
*) complain "policy $policy" ;;
esac
# Real time would be 1,728,000 samples in and 144,000 out; a busy machine may be slower.
carrier=$(json report.json samples.carrier) sink=$(json report.json samples.sink)
[ "$carrier" -gt 100000 ] && [ "$carrier" -lt 2500000 ] || complain "$carrier samples in"
[ "$sink" -gt 8000 ] && [ "$sink" -lt 210000 ] || complain "$sink samples out"

# Plain policies on request.
expect 0 timeout -k 10 1200 "$python" "$tools/apply.py" "$tools/nbfm.py" plan.json --seconds 0.5 --policy normal
has stdout "policy: normal"
lacks stdout "refused"

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
    expect 0 timeout -k 10 1200 "$python" "$tools/profile.py" tone.grc -o tone.json --sizes 16,128,1024 --seconds 0.2 --repeat 2
    equal "rate of the .grc" "$(json tone.json rate)" 96000.0
    has tone.json '"decimation": 4'
    expect 0 weir fit tone.json -o tone.csv
    weir analyze tone.grc --costs tone.csv --cores 2 --json >tone-plan.json 2>stderr
    has tone-plan.json '"name": "keep"'
fi
