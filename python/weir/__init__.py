# SPDX-License-Identifier: Apache-2.0
"""weir: how late can a streaming pipeline be?

    import weir

    pipeline = weir.load("app.yaml")
    answer = pipeline.analyze()
    print(answer.latency["camera", "display"].worst)      # 46.75 ms: exact, never passed
    print(pipeline.change("infer.worst=20").analyze().ok)

Models are read by load() and loads(), or made by Builder and from_dict(). A Pipeline is asked with analyze(), simulate(), events(),
what_if() and sweep(), and run() on real threads. Everything is computed by the library libweir; calls release the interpreter's lock, and Ctrl-C ends them.
docs/guide/python.md is the guide.
"""

from ._answer import Answer, Bin, Bound, Distribution, Latencies, Quantity
from ._errors import FileError, InternalError, InvalidError, Mistake, TimeOverflowError, WeirError
from ._explore import Sweep, SweepPoint, WhatIf
from . import _library
from ._pipeline import Builder, Pipeline, from_dict, load, loads
from ._run import Trial
from ._simulate import Event, Events
from ._time import Time

__version__: str = _library.library.weir_version().decode()

__all__ = ["Answer", "Bin", "Bound", "Builder", "Distribution", "Event", "Events", "FileError", "InternalError", "InvalidError",
           "Latencies", "Mistake", "Pipeline", "Quantity", "Sweep", "SweepPoint", "Time", "TimeOverflowError", "Trial", "WeirError",
           "WhatIf",
           "from_dict", "load", "loads"]
