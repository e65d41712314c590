# SPDX-License-Identifier: Apache-2.0
"""Reading, building, mistakes, times."""

import copy
import errno
import pickle
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

import weir


def test_mistakes_have_their_place(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("operators:\n  a: 5\n  b: -3\nqueues:\n  - a -> c\n")
    with pytest.raises(weir.InvalidError) as caught:
        weir.load(path)
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.file, error.line, error.column) == (str(path), 3, 6)
    assert len(error.mistakes) == 2 and error.mistakes[1].line == 5
    assert str(error).startswith(f"{path}:3:6: ")
    assert pickle.loads(pickle.dumps(error)).mistakes == error.mistakes


def test_no_file():
    with pytest.raises(FileNotFoundError) as caught:
        weir.load("there-is-no-such-file.yaml")
    assert isinstance(caught.value, weir.FileError) and caught.value.errno == errno.ENOENT
    assert caught.value.filename == "there-is-no-such-file.yaml"
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, FileNotFoundError) and again.mistakes == caught.value.mistakes
    with pytest.raises(weir.FileError) as caught:
        weir.load(".")
    assert not isinstance(caught.value, FileNotFoundError) and caught.value.errno == errno.EISDIR
    assert caught.value.file == "." and caught.value.line is None


def test_mistake_in_a_change(camera):
    with pytest.raises(weir.InvalidError, match="infre"):
        camera.change("infre.worst=3")
    with pytest.raises(weir.InvalidError):
        camera.sweep("infer.wrost=3,4")


def test_question_that_does_not_fit(camera):
    with pytest.raises(weir.InvalidError):
        camera.simulate(releases="burst")
    with pytest.raises(ValueError, match="expected one of random"):
        camera.events(times="wrost")
    with pytest.raises(ValueError, match="ports"):
        weir.loads("operators: {a: 1}", ports="many")


def test_builder():
    made = weir.Builder("Camera", unit="ms")
    made.operator("camera", (8, Decimal("10.5")), period=33).operator("detect", timedelta(milliseconds=30))
    made.operator("show", Fraction(1, 4), receive=(0, weir.Time(100, "us")))
    made.queue("camera", "detect", "show", capacity=2)
    made.latency("camera", "show", deadline="60ms").latency("detect", "show")
    pipeline = made.build()
    assert pipeline.name == pipeline.title == "Camera" and pipeline.unit == "ms" and pipeline.engine == "exact"
    assert pipeline.operators == ("camera", "detect", "show")
    assert str(pipeline.analyze().latency["camera", "show"].worst) == "40.75 ms"
    assert weir.from_dict(pipeline.to_dict()).analyze().to_dict() == pipeline.analyze().to_dict()
    assert weir.loads(pipeline.write()).to_dict() == pipeline.to_dict()
    assert "digraph" in pipeline.write("dot")


def test_builder_keys_of_other_platforms():
    made = weir.Builder(platform={"cores": 2}).operator("a", 2).operator("b", 3, start_within=None)
    made.source("a", 10, batch=2).queue("a", "b", consume=2)
    assert made.build().engine == "global-edf"
    with pytest.raises(weir.InvalidError) as caught:
        weir.Builder("X").operator("a", 2, colour="red").build()
    assert caught.value.file == "<X>" and caught.value.line


def test_options(root):
    slow = weir.load(root / "examples" / "camera.yaml", deadline=weir.Time(1, "s"), queue=3)
    assert slow.analyze().worst.deadline == 1000
    assert slow.analyze(latency_limit=None, limit=1000).worst.worst is not None


def test_notes():
    pipeline = weir.loads("unit: ms\noperators: {a: {time: 5, observed: {count: 7, max: 4, from: flow.log}}}")
    assert "observed, not proven" in pipeline.notes[0].message


def test_change(camera):
    changed = camera.change("infer.worst=20", remove=["display"])
    assert changed.operators == ("capture", "debayer", "infer")
    assert camera.analyze().worst.worst == 46.75
    what = camera.what_if("infer.worst=20.125")
    assert what.before.analyze().worst.worst == 46.75
    assert what.after.analyze().worst.worst == 35.875
    assert what.ok


def test_time():
    time = weir.Time("33.3", "ms")
    assert str(time) == "33.3 ms" and repr(time) == "Time('33.3', 'ms')" and f"{time:.2f}" == "33.30"
    assert time.to("us") == 33300 and time.seconds == 0.0333 and time.timedelta() == timedelta(microseconds=33300)
    assert time == Fraction(333, 10) and time + 1 == Fraction(343, 10) and time < 34
    assert time != weir.Time("33.3", "us")
    with pytest.raises(TypeError, match="convert"):
        assert time < weir.Time("33.3", "us")
    with pytest.raises(ValueError):
        weir.Time(3).to("ms")
    with pytest.raises(ValueError):
        weir.Time(3, "hours")
    third = weir.Time(Fraction(1, 3), "s")
    assert str(third) == "0.333334 s" and repr(third) == "Time('1/3', 's')"
    assert pickle.loads(pickle.dumps(third)) == third == copy.deepcopy(third)
    assert pickle.loads(pickle.dumps(third)).unit == "s"
    assert str(weir.Time(Fraction(-1, 8))) == "-0.125"
