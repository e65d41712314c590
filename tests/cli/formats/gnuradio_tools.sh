# SPDX-License-Identifier: Apache-2.0
# The tools for GNU Radio, as far as they go without it.
tools=$here/../../tools/gnuradio
python=$(command -v /usr/bin/python3 python3 | head -n 1)
[ -n "$python" ] || skip "there is no python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "$python is older than 3.9"
export PYTHONPYCACHEPREFIX=$PWD/cache
expect 0 "$python" -W error -m py_compile "$tools"/*.py
for tool in profile apply model; do
    expect 0 "$python" "$tools/$tool.py" --help
    has stdout "usage: $tool.py"
done

# Without site packages there is no GNU Radio: a sentence, not a traceback.
expect 3 "$python" -S "$tools/profile.py" "$tools/nbfm.py" -o profile.json
has stderr "GNU Radio is not there"
lacks stderr "Traceback"

# A model from a profile and its fits.
cat >profile.json <<'END'
{"rate": 576000.0, "blocks": [
  {"name": "source", "interpolation": 1, "decimation": 1, "observations": [
    {"samples": 12, "ns": 1888.6}, {"samples": 96, "ns": 1927.7}, {"samples": 768, "ns": 2240.9},
    {"samples": 3072, "ns": 3314.6}, {"samples": 6144, "ns": 4746.1}]},
  {"name": "decimate", "interpolation": 1, "decimation": 12, "observations": [
    {"samples": 12, "ns": 2563.7}, {"samples": 96, "ns": 4262.6}, {"samples": 768, "ns": 17853.8},
    {"samples": 3072, "ns": 64452.2}, {"samples": 6144, "ns": 126583.4}]}],
 "connections": [["source", 0, "decimate", 0]]}
END
expect 0 weir fit profile.json -o costs.csv
expect 0 "$python" "$tools/model.py" profile.json costs.csv -o flow.yaml --cores 2
has flow.yaml "rate: 576000Hz"
has flow.yaml "consume: 12"
expect 0 weir explore flow.yaml --batch rate --utilization 0.3 -o batched.yaml
expect 0 weir analyze batched.yaml --json
cp stdout plan.json
equal "engine" "$(json plan.json engine)" '"global-edf"'
expect 3 "$python" -S "$tools/apply.py" "$tools/nbfm.py" plan.json
has stderr "GNU Radio is not there"
echo '{}' >no-plan.json
expect 3 "$python" -S "$tools/apply.py" "$tools/nbfm.py" no-plan.json
has stderr "no-plan.json: expected what"
expect 3 "$python" "$tools/model.py" profile.json missing.csv -o none.yaml
has stderr "cannot read missing.csv"
printf 'block,init_ns,per_sample_ns\nsource,1,1\n' >half.csv
expect 3 "$python" "$tools/model.py" profile.json half.csv -o none.yaml
has stderr "no cost of decimate"

# What is asked of the kernel lies within its limits, and is the same share of a core.
cat >limits.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from scheduling import Reservation, reserve
assert reserve(10_000, 1_000_000, 0.5) == Reservation(15_001, 1_000_000, 1_000_000)
short = reserve(2_000, 20_833, 0)
assert short.period == 5 * 20_833 and short.runtime == 10_001, short
assert reserve(1, 1_000_000, 0).runtime == 1024
assert reserve(5e9, 60e9, 0).period == 4_000_000_000
full = reserve(300_000, 200_000, 1)
assert full.runtime == full.period == 200_000, full
END
expect 0 "$python" limits.py "$tools"
