# SPDX-License-Identifier: Apache-2.0
# The tools for GNU Radio, as far as they go without it.
tools=$here/../../tools/gnuradio
python=$(command -v /usr/bin/python3 python3 | head -n 1)
[ -n "$python" ] || skip "there is no python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "$python is older than 3.9"
export PYTHONPYCACHEPREFIX=$PWD/cache
export WEIR_PYTHON=$python # so that no other is looked for
radio() { # radio ARGUMENT...: the tool, in a Python without site packages, where there is no GNU Radio
    "$python" -S "$tools/weir-gnuradio" "$@"
}
expect 0 "$python" -W error -m py_compile "$tools"/weir_gnuradio/*.py "$tools/weir-gnuradio" "$here"/../../examples/gnuradio/*.py
for tool in profile apply model upgrade run; do
    expect 0 radio $tool --help
    has stdout "usage: weir-gnuradio $tool"
done
expect 0 radio flow.grc --help
has stdout "usage: weir-gnuradio"
expect 0 radio --help
has stdout "weir-gnuradio FILE.grc"
expect 2 radio
expect 0 radio path
equal "path" "$(cat stdout)" "$(realpath "$tools")"

# Without site packages there is no GNU Radio: a sentence, not a traceback.
expect 3 radio profile nbfm.py -o profile.json
has stderr "GNU Radio is not there"
lacks stderr "Traceback"
expect 3 radio flow.grc
has stderr "GNU Radio is not there"
expect 3 radio flow.grc --rate source=fast
has stderr "--rate: expected samples a second"

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
expect 0 radio model profile.json costs.csv -o flow.yaml --cores 2
has flow.yaml "rate: 576000Hz"
has flow.yaml "consume: 12"
expect 0 weir explore flow.yaml --batch rate --utilization 0.3 -o batched.yaml
expect 0 weir analyze batched.yaml --json
cp stdout plan.json
equal "engine" "$(json plan.json engine)" '"global-edf"'
expect 3 radio apply nbfm.py plan.json
has stderr "GNU Radio is not there"
echo '{}' >no-plan.json
expect 3 radio apply nbfm.py no-plan.json
has stderr "no-plan.json: expected what"
expect 3 radio model profile.json missing.csv -o none.yaml
has stderr "cannot read missing.csv"
printf 'block,init_ns,per_sample_ns\nsource,1,1\n' >half.csv
expect 3 radio model profile.json half.csv -o none.yaml
has stderr "no cost of decimate"

# What is asked of the kernel lies within its limits, and is the same share of a core.
cat >limits.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from weir_gnuradio.scheduling import Reservation, reserve
assert reserve(200_000, 1_000_000, 0.5) == Reservation(300_001, 1_000_000, 1_000_000)
assert reserve(10_000, 1_000_000, 0.5) == Reservation(60_001, 1_000_000, 1_000_000)  # what a wake-up takes
short = reserve(2_000, 20_833, 0)
assert short.period == 5 * 20_833 and short.runtime == 10_001, short
assert reserve(1, 1_000_000, 0).runtime == 1024
assert reserve(5e9, 60e9, 0).period == 4_000_000_000
full = reserve(300_000, 200_000, 1)
assert full.runtime == full.period == 200_000, full
END
expect 0 "$python" limits.py "$tools"

# Costs: of executions between two readings all but one cost what they do on average; what a stop disturbed does not count.
cat >costs.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from weir_gnuradio.costs import judge
from weir_gnuradio.stops import Stop
events = [(0, 0, 0), (100, 10, 20), (200, 20, 40), (300, 40, 90), (400, 50, 200), (500, 60, 220)]
cost = judge(events, 10, [])
assert (cost.executions, cost.largest) == (6, 110), cost
assert abs(cost.mean - 220 / 6) < 1e-9, cost
assert judge(events, 10, [Stop(350, 360)]).largest == cost.mean
assert judge(events[:1], 10, []) is None
END
expect 0 "$python" costs.py "$tools"

# Latencies: from both sides, and those apart that were under way when the machine stood still or caught up.
cat >watch.py <<'END'
import sys
from fractions import Fraction
sys.path.insert(0, sys.argv[1])
from weir_gnuradio.stops import Stop
from weir_gnuradio.watch import State, Watch
watch = Watch(None, {"sink": None}, {"sink": Fraction(1, 2)}, 0)
watch.states = [State(0, 90, 0, [0]), State(100, 190, 10, [0]), State(200, 290, 20, [5]), State(300, 690, 20, [10]), State(700, 790, 30, [10]),
                State(1500, 1600, 30, [15])]
watch.run = lambda: None
watch.start()
seen = watch.finish([], {"sink": Fraction(300)})["sink"]
assert (seen.low, seen.high, seen.count, seen.above, seen.above_undisturbed) == (90, 810, 3, 0, 0), seen
watch = Watch(None, {"sink": None}, {"sink": Fraction(1)}, 0)
watch.states = [State(0, 90, 0, [0]), State(100, 190, 10, [0]), State(1000, 1090, 10, [10]), State(1100, 4000, 20, [10]), State(4100, 4200, 20, [20])]
watch.run = lambda: None
watch.start()
seen = watch.finish([Stop(2000, 2900)], {"sink": Fraction(500)})["sink"]
assert (seen.low, seen.disturbed, seen.above, seen.above_undisturbed, seen.undisturbed) == (2900, 1, 1, 0, 90), seen
assert not watch.stood_still(0, 2000) and watch.stood_still(4000, 4100) and not watch.stood_still(5000, 5100)
END
expect 0 "$python" watch.py "$tools"

# An application whose plan is missing or another flowgraph's runs as it is, and that is said.
cat >application.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import weir_gnuradio

class Top:
    pass

weir_gnuradio.apply(Top(), sys.argv[2] if len(sys.argv) > 2 else None)
END
expect 0 "$python" -S application.py "$tools"
has stderr "WEIR_PLAN is not set"
expect 0 "$python" -S application.py "$tools" nowhere
has stderr "cannot read nowhere"
expect 0 "$python" -S application.py "$tools" plan.json
has stderr "is no plan that weir-gnuradio wrote"
echo '{"blocks": {"source": {}}}' >settings.json
expect 0 "$python" -S application.py "$tools" .
has stderr "there is no source; the flowgraph runs as it is"
expect 7 radio run . -- "$python" -c 'import os, sys; sys.exit(7 if os.environ["WEIR_PLAN"] == os.getcwd() else 1)'
expect 127 radio run . -- ./nowhere
