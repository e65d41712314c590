# SPDX-License-Identifier: Apache-2.0
"""Pipelines on real threads: nothing here expects anything of how fast the machine is."""

import json

import pytest

import weir

MODEL = """
unit: us
operators: {a: [20, 4000], left: [20, 4000], right: [20, 4000], sum: [20, 4000]}
queues: [a -> left, a -> right, left -> sum, right -> sum]
"""


def test_synthetic_work():
    trial = weir.loads(MODEL).run(iterations=30, times="best", tolerance=10)
    assert trial.ok and trial.causes == []
    assert trial.data["end"] == "complete" and trial.data["executions"] == 120
    assert "a -> sum" in str(trial)
    assert len(json.loads(trial.trace())["traceEvents"]) > 120
    assert trial.log().count("(a,") == 60


def test_functions_and_the_model_that_they_make():
    seen = []
    numbers = iter(range(1000))

    def add(left, right):
        seen.append((left, right))

    functions = {"a": lambda: {"number": next(numbers)}, "left": lambda one: one["number"], "right": lambda one: -one["number"], "sum": add}
    trial = weir.loads(MODEL).run(functions, iterations=100, tolerance=10)
    assert seen == [(i, -i) for i in range(100)]
    model = trial.model(margin=0.5, tail=1000000)
    longest = {one["name"]: one["max"] for one in trial.data["operators"]}
    for name, spec in model.to_dict()["operators"].items():
        assert spec["time"][1] * 1000 >= 1.5 * longest[name]
    assert model.analyze().latency["a", "sum"].worst is not None
    with pytest.raises(weir.InvalidError):
        weir.loads(MODEL).run(iterations=5, tolerance=10).model(tail=1000)  # too few to estimate a tail


def test_mistakes():
    pipeline = weir.loads(MODEL)

    def fail(*_):
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        pipeline.run({"left": fail}, iterations=10)
    with pytest.raises(weir.InvalidError, match="did you mean"):
        pipeline.run({"lef": fail}, iterations=10)
    with pytest.raises(ValueError):
        pipeline.run()
    with pytest.raises(ValueError):
        pipeline.run(iterations=1, policy="idle")
