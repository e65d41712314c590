# SPDX-License-Identifier: Apache-2.0
"""Simulated runs: their distributions, and their events one by one."""

from __future__ import annotations

import ctypes
from array import array
from fractions import Fraction
from typing import Any, Iterator, NamedTuple, Optional, Union, overload

from . import _library
from ._answer import Answer
from ._call import Stop, call
from ._errors import by, check, new_error
from ._library import library
from ._pipeline import Pipeline
from ._time import Time

TIMES = ("random", "best", "worst", "bang-bang")
MOMENTS = ("start", "finish", "arrival")


def simulate(pipeline: Pipeline, options: _library.SimulateOptions) -> Answer:
    """Runs of any pipeline, held against its bounds."""

    def run() -> Answer:
        handle, error = ctypes.c_void_p(), new_error()
        check(library.weir_answer_simulate(pipeline._handle, by(options), by(handle), by(error)), error)
        assert handle.value
        return Answer(pipeline, handle.value)

    return call(run)


class Event(NamedTuple):
    """`moment` is "arrival", "start" or "finish"; iterations count from 0."""

    time: Time
    operator: str
    moment: str
    iteration: int


class Events:
    """The events of one run, in order of time: a sequence, and with array() and latencies() NumPy arrays."""

    def __init__(self, pipeline: Pipeline, iterations: int, seed: int, times: str) -> None:
        if times not in TIMES:
            raise ValueError(f"times: expected one of {', '.join(TIMES)}, not {times!r}")
        self.pipeline = pipeline
        # Four numbers for each: time in ticks, operator, moment, iteration.
        self._numbers = array("q")
        extend = self._numbers.extend

        def observe(_context: Optional[int], operator: int, moment: int, iteration: int, time: int) -> None:
            extend((time, operator, moment, iteration))

        options = _library.SimulationOptions(iterations=iterations, times=TIMES.index(times), seed=seed,
                                             observe=_library.OBSERVE(observe))

        def run() -> None:
            error = new_error()
            check(library.weir_simulate(pipeline._handle, by(options), by(error)), error)

        call(run, Stop())

    def __len__(self) -> int:
        return len(self._numbers) // 4

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Event, list[Event]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError("event out of range")
        time, operator, moment, iteration = self._numbers[4 * (index % len(self)) : 4 * (index % len(self)) + 4]
        return Event(self.pipeline._of_ticks(Fraction(time)), self.pipeline.operators[operator], MOMENTS[moment], iteration)

    def __iter__(self) -> Iterator[Event]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<weir.Events {self.pipeline.title!r}: {len(self)}>"

    def array(self) -> Any:
        """A structured NumPy array: time (in the pipeline's unit), operator (its place in pipeline.operators), moment (0 start, 1
        finish, 2 arrival), iteration."""
        from ._numpy import numpy

        rows = numpy().frombuffer(self._numbers, dtype="int64").reshape(-1, 4)
        made = numpy().empty(len(rows), dtype=[("time", "f8"), ("operator", "i4"), ("moment", "i1"), ("iteration", "i8")])
        made["time"] = rows[:, 0] / self.pipeline._ticks
        for column, name in enumerate(("operator", "moment", "iteration"), 1):
            made[name] = rows[:, column]
        return made

    def latencies(self, start: str, end: str) -> Any:
        """The latency of each iteration, in order, as a NumPy array: from the start (or arrival) of one operator to the finish of
        another, as the pipeline reports it."""
        from ._numpy import numpy

        np, pipeline = numpy(), self.pipeline
        if (start, end) not in pipeline.latencies:
            raise KeyError(f"no latency {(start, end)!r}")
        shift = library.weir_pipeline_chain(pipeline._handle, pipeline.latencies.index((start, end))).shift
        rows = np.frombuffer(self._numbers, dtype="int64").reshape(-1, 4)

        def times(operator: str, moment: str) -> Any:
            those = rows[(rows[:, 1] == pipeline.operators.index(operator)) & (rows[:, 2] == MOMENTS.index(moment))]
            return those[np.argsort(those[:, 3], kind="stable"), 0]

        begins = times(start, "arrival")
        begins = begins if len(begins) else times(start, "start")
        ends = times(end, "finish")
        begins, ends = (begins, ends[shift:]) if shift >= 0 else (begins[-shift:], ends)
        count = min(len(begins), len(ends))
        return (ends[:count] - begins[:count]) / pipeline._ticks
