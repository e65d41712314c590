# SPDX-License-Identifier: Apache-2.0
"""weir for GNU Radio: measures a flowgraph, plans it, runs it as planned. `apply` gives an application its plan."""

from .hook import apply, prepare

prepare()
__all__ = ["apply"]
