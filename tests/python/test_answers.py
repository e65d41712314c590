# SPDX-License-Identifier: Apache-2.0
"""Answers are those of the program, for every example and case."""

import json
import os
import pickle
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

import weir

PROGRAM = os.environ.get("WEIR_PROGRAM")


def models(root):
    patterns = ("examples/*.yaml", "examples/gpu/*.yaml", "examples/sdf3/*.xml", "tests/cases/*/*.yaml", "tests/cases/*/*.dot")
    return sorted(str(path.relative_to(root)) for pattern in patterns for path in root.glob(pattern))


@pytest.mark.skipif(not PROGRAM, reason="WEIR_PROGRAM does not say where the program is")
def test_to_dict_is_json(root, monkeypatch):
    monkeypatch.chdir(root)
    paths = models(root)
    assert len(paths) > 100

    def ask(path):
        return subprocess.run([PROGRAM, "analyze", path, "--json"], capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(2) as pool:
        for path, said in zip(paths, pool.map(ask, paths)):
            try:
                answer = weir.load(path).analyze()
            except weir.WeirError as error:
                assert said.returncode == 3, path
                assert error.message in said.stdout + said.stderr, path
                continue
            assert answer.to_dict() == json.loads(said.stdout), path
            assert {"good": 0, "open": 4, "bad": 1}[answer.verdict] == said.returncode, path


@pytest.mark.skipif(not PROGRAM, reason="WEIR_PROGRAM does not say where the program is")
@pytest.mark.parametrize("arguments, ask", [
    (["explore", "--what-if", "infer.worst=20"], lambda p: p.what_if("infer.worst=20")),
    (["explore", "--sweep", "infer.worst=20:40:5"], lambda p: p.sweep("infer.worst=20:40:5").answer()),
    (["simulate", "--runs", "7", "--seed", "3"], lambda p: p.simulate(runs=7, seed=3)),
])
@pytest.mark.parametrize("name", ["Camera", None])
def test_other_questions_are_those_of_the_program(root, tmp_path, monkeypatch, arguments, ask, name):
    monkeypatch.chdir(tmp_path)
    text = (root / "examples" / "camera.yaml").read_text()
    (tmp_path / "camera.yaml").write_text(text if name else text.replace("name:", "# name:"))
    verb, *options = arguments
    said = subprocess.run([PROGRAM, verb, "camera.yaml", "--json", *options], capture_output=True, text=True, check=False)
    assert ask(weir.load("camera.yaml")).to_dict() == json.loads(said.stdout)


def test_latency(camera):
    bound = camera.analyze().latency["capture", "display"]
    assert str(bound.worst) == "46.75 ms"
    assert bound.worst == 46.75
    assert bound.exact and bound.holds and bound.met is True
    assert bound.deadline == 100
    assert str(bound.jitter) == "22.55 ms"
    assert bound.path == "capture > debayer > infer > display"
    assert pickle.loads(pickle.dumps(bound)) == bound
    with pytest.raises(KeyError, match="capture -> display"):
        camera.analyze().latency["display", "capture"]


def test_answer(camera):
    answer = camera.analyze(verify=True)
    assert answer.ok and answer.verdict == "good" and answer.engine == "exact"
    assert answer.worst == answer.bounds[0]
    assert answer.worst.verified
    assert list(answer.latency) == [("capture", "display")] == list(camera.latencies)
    assert str(answer.period) == "33.3 ms"
    assert answer.bottleneck == ("capture",)
    assert "46.75 ms" in str(answer)
    assert "capture" in answer.csv()
    assert json.loads(answer.trace())


def test_late(root):
    answer = weir.load(root / "examples" / "camera.yaml", deadline="40ms").analyze()
    assert not answer.ok and answer.verdict == "bad"
    assert answer.latency["capture", "display"].state == "missed"
    assert answer.latency["capture", "display"].met is False


def test_unbounded():
    bound = weir.loads("operators: {a: 5, b: 9}\nqueues: [{from: a, to: b, capacity: unbounded}]").analyze().worst
    assert bound.worst is None and bound.worst_case.claim == "unbounded" and not bound.holds


def test_whole(root):
    answer = weir.load(next((root / "examples" / "gpu").glob("*.yaml"))).analyze()
    assert answer.bounds[0].start is None and answer.bounds[0].name == "whole"
    assert len(answer.latency) == 0
    assert answer.worst.worst is not None


def test_html(camera):
    html = camera.analyze()._repr_html_()
    assert "<table>" in html and "46.75 ms (exact)" in html and "deadline met, 4 operators" in html
    assert "met" not in weir.loads("operators: {a: 5, b: 9}\nqueues: [a -> b]").analyze()._repr_html_().split("<img")[0]  # no deadline
    assert "data:image/svg+xml;base64," in html
    assert "<svg" in camera.analyze().svg()
    assert "Camera at 30 Hz" in camera._repr_html_()
    assert "observed at most" in camera.simulate(runs=2)._repr_html_()
    assert "infer.worst" in camera.sweep("infer.worst=20,30")._repr_html_()
    assert "infer.worst" in camera.what_if("infer.worst=20")._repr_html_()
