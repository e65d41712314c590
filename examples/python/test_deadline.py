# SPDX-License-Identifier: Apache-2.0
"""A test that fails when a deadline breaks: put the fixture into conftest.py, and the models beside the code."""
import pathlib

import pytest
import weir

MODELS = pathlib.Path(__file__).resolve().parents[1]


@pytest.fixture
def in_time():
    """Checks every deadline of a model; the failure shows the bound and how it comes about."""

    def check(path, **options):
        answer = weir.load(path, **options).analyze(verify=True)
        if not answer.ok:
            pytest.fail(answer.text(), pytrace=False)
        return answer

    return check


def test_camera(in_time):
    assert in_time(MODELS / "camera.yaml").latency["capture", "display"].jitter < 30


def test_camera_is_exactly_fast_enough(in_time):
    in_time(MODELS / "camera.yaml", deadline="46.75ms")
    with pytest.raises(pytest.fail.Exception, match="MISSED"):
        in_time(MODELS / "camera.yaml", deadline="46.74ms")
