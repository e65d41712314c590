# SPDX-License-Identifier: Apache-2.0
"""NumPy, where it is there."""

from __future__ import annotations

import importlib
from typing import Any


def numpy() -> Any:
    """The module; an ImportError that says what to do where there is none."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        raise ImportError("arrays need NumPy, which weir does without otherwise; iterate instead, or install it") from None
