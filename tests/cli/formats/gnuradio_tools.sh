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
has stderr "GNU Radio is not installed"
lacks stderr "Traceback"
expect 3 radio flow.grc
has stderr "GNU Radio is not installed"
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
has stderr "GNU Radio is not installed"
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
from weir_gnuradio.probe import Execution
from weir_gnuradio.stops import Stop
events = [Execution(*e) for e in ((0, 0, 0), (100, 10, 20), (200, 20, 40), (300, 40, 90), (400, 50, 200), (500, 60, 220))]
cost = judge(events, 10, [])
assert (cost.executions, cost.largest) == (6, 110), cost
assert abs(cost.mean - 220 / 6) < 1e-9, cost
assert judge(events, 10, [Stop(350, 360)]).largest == cost.mean
assert judge(events[:1], 10, []) is None
END
expect 0 "$python" costs.py "$tools"

# What the probe notes: by thread its first output, or else its first input; and cores that stood still, those that overlap put together.
cat >records.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from weir_gnuradio.probe import LATE, READ, RECORD, WRITE, Execution, sort
from weir_gnuradio.stops import Stop
rows = [(10, 1, 7, 4, 100, WRITE), (11, 2, 8, 4, 100, WRITE), (20, 3, 9, 2, 200, READ), (21, 4, 5, 2, 200, READ), (25, 3, 6, 1, 300, READ),
        (30, 5, 7, 4, 100, WRITE), (40, 6, 9, 2, 200, READ), (45, 7, 4, 3, 300, WRITE), (60, 50, 0, 0, 0, LATE), (65, 55, 0, 0, 1, LATE)]
log = sort(b"".join(RECORD.pack(*row, 0) for row in rows))
assert log.executions == {100: [Execution(10, 4, 1), Execution(30, 8, 5)], 200: [Execution(20, 2, 3), Execution(40, 4, 6)],
                          300: [Execution(45, 3, 7)]}, log
assert log.stops == [Stop(50, 65)], log
END
expect 0 "$python" records.py "$tools"

# Packets: of one length, each where the one before it ends.
cat >packets.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from weir_gnuradio.packets import of
assert of({"length": [(0, 96), (96, 96), (192, 96)], "id": [(0, 1), (96, 2), (192, 3)]}) == ("length", 96)
assert of({"length": [(0, 96), (96, 48), (144, 96)]}) is None
assert of({"length": [(0, 96), (100, 96), (196, 96)]}) is None
assert of({"length": [(0, 96), (96, 96)]}) is None and of({}) is None
END
expect 0 "$python" packets.py "$tools"

# Latencies: from both sides; those above their bound are excused by no more than cores that stood still explain.
cat >watch.py <<'END'
import sys
from fractions import Fraction
sys.path.insert(0, sys.argv[1])
from weir_gnuradio.stops import Stop
from weir_gnuradio.watch import Disturbance, Move, longest
writes = [Move(10, 90, 100), Move(20, 190, 200), Move(30, 690, 700)]
takes = [Move(5, 190, 200), Move(10, 290, 300), Move(15, 790, 1500)]
seen = longest(writes, takes, Fraction(1, 2), [], Fraction(300))
assert (seen.low, seen.high, seen.count, seen.calm, seen.above) == (90, 810, 3, 3, 0), seen
writes, takes = [Move(10, 0, 0), Move(20, 2000, 2000), Move(30, 9000, 9000)], [Move(10, 90, 90), Move(20, 4900, 4900), Move(30, 9600, 9600)]
seen = longest(writes, takes, Fraction(1), [Stop(2100, 2900)], Fraction(500))
assert (seen.low, seen.calm, seen.calm_low, seen.above, seen.unexplained) == (2900, 2, 600, 2, 1), seen
seen = longest(writes, takes, Fraction(1), [Stop(2100, 2600)], Fraction(500))
assert (seen.above, seen.unexplained) == (2, 2), seen  # a stop of 500 explains 1500, not 2400
disturbance = Disturbance([Stop(2000, 2900)])
assert not disturbance.between(0, 2000) and disturbance.between(4000, 4100) == 2700 and not disturbance.between(5000, 5100)
END
expect 0 "$python" watch.py "$tools"

# In any order: whoever runs next, as long as no core is idle while somebody could, nobody is later than that; and the bounds are reached.
cat >rounds.py <<'END'
import heapq, random, sys
from fractions import Fraction
sys.path.insert(0, sys.argv[1])
from weir_gnuradio.rounds import Step, bounds, parts_of
chain = bounds({"a": 2, "b": 3, "c": 5}, [Step("a", "b"), Step("b", "c", 1)], 2, Fraction(20))
assert chain == {"a": 2, "b": 5, "c": 30}, chain
assert bounds({"a": 2, "b": 3, "c": 5}, [Step("a", "b"), Step("b", "c")], 2, Fraction(9)) is None
assert bounds({"a": 1, "b": 1}, [Step("a", "b"), Step("b", "a")], 2, Fraction(9)) is None


def play(draw, costs, steps, cores, period, count):
    """The longest latency of each node, whatever is ready going next, at random. Execution n of a source is there at n periods, after a
    phase of its part."""
    done, latest, running, clock = dict.fromkeys(costs, 0), dict.fromkeys(costs, 0), [], 0
    sources, parts = set(costs) - {step.target for step in steps}, parts_of(list(costs), steps)
    phases = {part: draw.randrange(period) for part in sorted(set(parts.values()))}
    due = lambda name: phases[parts[name]] + done[name] * period
    while True:
        busy = {name for _, name in running}
        able = {name for name in costs if name not in busy and done[name] < count
                and all(done[step.source] > done[name] + step.shift for step in steps if step.target == name)}
        ready = sorted(name for name in able if name not in sources or due(name) <= clock)
        if ready and len(running) < cores:
            name = draw.choice(ready)
            heapq.heappush(running, (clock + (costs[name] if draw.random() < 0.8 else draw.randint(1, costs[name])), name))
            continue
        moments = [end for end, _ in running[:1]] + [due(name) for name in able & sources if due(name) > clock]
        if not moments:
            return latest
        clock = min(moments)
        while running and running[0][0] <= clock:
            end, name = heapq.heappop(running)
            latest[name] = max(latest[name], end - due(name))
            done[name] += 1


draw, reached, played = random.Random(20), 0, 0
for _ in range(1000):
    names = [f"n{i}" for i in range(draw.randint(2, 7))]
    costs = {name: draw.randint(1, 9) for name in names}
    steps = [Step(names[draw.randrange(i)], names[i], draw.choice((0, 0, 0, 1, 2))) for i in range(1, len(names)) for _ in range(draw.choice((0, 1, 1, 1, 2, 2)))]
    cores, period = draw.randint(1, 3), draw.randint(3, 45)
    found = bounds(costs, steps, cores, Fraction(period))
    if found is None:
        continue
    played += 1
    seen = play(draw, costs, steps, cores, period, 10)
    for name in names:
        assert seen[name] <= found[name], (costs, steps, cores, period, name, seen, found)
        reached += seen[name] == found[name]
assert played > 300 and reached > 300, (played, reached)
print(played, reached)
END
expect 0 "$python" rounds.py "$tools"

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
has stderr "is not a plan that weir-gnuradio wrote"
echo '{"blocks": {"source": {}}}' >settings.json
expect 0 "$python" -S application.py "$tools" .
has stderr "there is no source; the flowgraph runs as it is"
expect 7 radio run . -- "$python" -c 'import os, sys; sys.exit(7 if os.environ["WEIR_PLAN"] == os.getcwd() else 1)'
expect 127 radio run . -- ./nowhere
