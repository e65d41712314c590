# SPDX-License-Identifier: Apache-2.0
"""The examples and the blocks of the guide do what they say."""

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys

import pytest


def test_guide(root, monkeypatch, tmp_path):
    """Every ```python block, in order, in one program; what a line prints stands behind it as a comment: # -> WORDS."""
    text = (root / "docs" / "guide" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) > 5
    (tmp_path / "examples").symlink_to(root / "examples")
    monkeypatch.chdir(tmp_path)
    space, compared = {}, 0
    for block in blocks:
        if "numpy" in block or ".array()" in block:
            pytest.importorskip("numpy")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "docs/guide/python.md", "exec"), space)
        expected = re.findall(r"# -> (.*)$", block, re.M)
        compared += len(expected)
        assert printed.getvalue().splitlines() == expected
    assert compared > 10


def test_study(root, capsys):
    runpy.run_path(str(root / "examples" / "python" / "study.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 17 and lines[-1].startswith("detect may take ")
    assert len((root / "examples" / "python" / "study.py").read_text().splitlines()) <= 20


def test_fixture(root):
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(root / "examples" / "python" / "test_deadline.py")]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert said.returncode == 0 and "2 passed" in said.stdout, said.stdout


def test_docstring():
    import weir

    for name in weir.__all__:
        assert getattr(weir, name).__doc__, name
