# SPDX-License-Identifier: Apache-2.0
"""Sweeps and simulations, as sequences and as arrays."""

import pytest

import weir


def test_sweep(camera):
    sweep = camera.sweep("infer.worst=20:40:10", "debayer->infer.capacity=1,2", sets=["display.worst=8.5"])
    assert len(sweep) == 6 and len(list(sweep)) == 6
    assert sweep.axes == {"infer.worst": ("20", "30", "40"), "debayer->infer.capacity": ("1", "2")}
    assert sweep.latencies == (("capture", "display"),)
    point = sweep[-1]
    assert point == sweep[5] and point.values == {"infer.worst": "40", "debayer->infer.capacity": "2"}
    assert point.state == "done"
    for point in sweep[:2]:
        changed = camera.change("display.worst=8.5", *(f"{key}={value}" for key, value in point.values.items()))
        assert point.worst["capture", "display"] == changed.analyze().worst.worst
    assert sweep.answer().charts()
    with pytest.raises(IndexError):
        sweep[6]
    with pytest.raises(ValueError):
        camera.sweep()


def test_sweep_array(camera):
    numpy = pytest.importorskip("numpy")
    sweep = camera.sweep("infer.worst=20:40:10", "debayer->infer.capacity=1,2")
    worst = sweep.array()
    assert worst.shape == (3, 2, 1)
    assert worst.ravel().tolist() == [float(point.worst["capture", "display"] or "nan") for point in sweep] or numpy.isnan(worst).any()
    for value, point in zip(worst.ravel(), sweep):
        bound = point.worst["capture", "display"]
        assert (numpy.isnan(value) and bound is None) or value == pytest.approx(float(bound))
    assert sweep.values("infer.worst").tolist() == [20, 30, 40]
    assert sweep.values("debayer->infer.capacity").tolist() == [1, 2]


def test_simulate(camera):
    bound = camera.simulate(runs=4, iterations=50, seed=1).latency["capture", "display"]
    seen = bound.observed
    assert seen.count == 200 and bound.best <= seen.min <= seen.median <= seen.p99 <= seen.max <= bound.worst
    assert sum(bin.count for bin in seen.bins) == 200 and seen.bins[-1].end == bound.worst
    assert camera.simulate(runs=4, iterations=50, seed=1).to_dict() == camera.simulate(runs=4, iterations=50, seed=1).to_dict()


def test_histogram(camera):
    pytest.importorskip("numpy")
    counts, edges = camera.simulate(runs=4, iterations=50).worst.observed.histogram()
    assert counts.sum() == 200 and len(edges) == len(counts) + 1


def test_events(camera):
    events = camera.events(iterations=20, seed=7)
    assert events[0] == weir.Event(weir.Time(0, "ms"), "capture", "arrival", 0)
    assert len(list(events)) == len(events) and events[-1] == events[len(events) - 1]
    assert [event.time for event in events] == sorted(event.time for event in events)
    assert sum(event.operator == "infer" and event.moment == "finish" for event in events) == 20
    with pytest.raises(IndexError):
        events[len(events)]


def test_latencies(camera):
    pytest.importorskip("numpy")
    events, bound = camera.events(iterations=300, seed=7), camera.analyze().worst
    latencies = events.latencies("capture", "display")
    assert len(latencies) == 300
    assert float(bound.best) <= latencies.min() and latencies.max() <= float(bound.worst)
    assert events.array()["moment"][0] == 2
    with pytest.raises(KeyError):
        events.latencies("display", "capture")
