# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture
def camera():  # type: ignore[no-untyped-def]
    import weir

    return weir.load(ROOT / "examples" / "camera.yaml")
