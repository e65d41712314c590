# SPDX-License-Identifier: Apache-2.0
"""What-if and sweeps."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, Iterator, Mapping, Optional, Sequence, Union, overload

from . import _library
from ._answer import Answer
from ._call import Stop, call, owned
from ._errors import by, check, mistakes, new_error
from ._library import library
from ._pipeline import Pipeline, latencies_of
from ._time import Time

SET, ADD, REMOVE = range(3)


def _entitle(handle: int, pipeline: Pipeline) -> int:
    """Answers of searches call a model without a name by its file."""
    if pipeline.title:
        library.weir_answer_set_title(handle, pipeline.title.encode())
    return handle


def _changes(sets: Sequence[str], add: Sequence[str] = (), remove: Sequence[str] = ()) -> Any:
    items = list(chain(((SET, text) for text in sets), ((ADD, text) for text in add), ((REMOVE, text) for text in remove)))
    return (_library.Change * len(items))(*(_library.Change(kind=kind, text=text.encode()) for kind, text in items))


def change(pipeline: Pipeline, sets: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> tuple[Pipeline, Pipeline]:
    """Both sides of a change, on the same tick."""
    changes = _changes(sets, add, remove)

    def apply() -> tuple[Pipeline, Pipeline]:
        with mistakes() as found, mistakes() as notes:
            changed = _library.Changed(notes=notes.handle)
            found.check(library.weir_change_apply(pipeline._handle, changes, len(changes), by(changed), found.handle))
            return Pipeline(changed.before, pipeline.file), Pipeline(changed.after, pipeline.file, notes.all())

    return call(apply)


class WhatIf(Answer):
    """What a change comes to. `before` and `after` are the pipelines; to_dict() has what is said of both, side by side."""

    def __init__(self, before: Pipeline, after: Pipeline, handle: int, *kept: object) -> None:
        super().__init__(after, handle, before, *kept)
        self.before = before
        self.after = after


def what_if(pipeline: Pipeline, sets: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> WhatIf:
    """Both sides of a change, and what is said of them."""
    before, after = change(pipeline, sets, add, remove)
    changes = _changes(sets, add, remove)

    def ask() -> WhatIf:
        handle, error = ctypes.c_void_p(), new_error()
        changed = _library.Changed(before=before._handle, after=after._handle)
        check(library.weir_what_if(by(changed), changes, len(changes), None, by(handle), by(error)), error)
        assert handle.value
        return WhatIf(before, after, _entitle(handle.value, pipeline), changed, changes)

    return call(ask)


@dataclass(frozen=True)
class SweepPoint:
    """One pipeline of a sweep: `values` by axis, `worst` by latency (None: no bound). `state` is "done", "impossible" (there is no
    such pipeline) or "open"; `met` says whether every deadline is."""

    values: Mapping[str, str]
    worst: Mapping[tuple[str, str], Optional[Time]]
    state: str
    met: bool
    period: Optional[Time]


class Sweep:
    """All points of a sweep: a sequence, the last axis through its values first; array() and values() are NumPy arrays."""

    STATES = ("open", "done", "impossible")

    def __init__(self, pipeline: Pipeline, axes: Sequence[str], sets: Sequence[str], points_max: int, limit: int, threads: int) -> None:
        if not axes:
            raise ValueError("a sweep has at least one axis")
        stop = Stop()
        self._changes, self._axes = _changes(sets), _changes(axes)
        options = _library.SweepOptions(changes=self._changes, change_count=len(sets), axes=self._axes, axis_count=len(axes),
                                        points_max=points_max, work_limit=limit, threads=threads, stop=ctypes.pointer(stop.flag))
        pointer = ctypes.POINTER(_library.Sweep)()

        def run() -> None:
            with mistakes() as found:
                found.check(library.weir_sweep_run(pipeline._handle, by(options), by(pointer), found.handle))
            owned(self, library.weir_sweep_free, pointer)

        call(run, stop)
        self.pipeline = pipeline
        self._pointer = pointer
        self._raw = raw = pointer.contents
        # By label, the values as the model file writes them.
        self.axes: dict[str, tuple[str, ...]] = {
            axis.label.decode(): tuple(text.decode() for text in axis.texts[: axis.count]) for axis in raw.axes[: raw.axis_count]}
        self._unit = library.weir_unit_name(library.weir_pipeline_unit(raw.pipeline)).decode()
        self._ticks = 10 ** library.weir_pipeline_digits(raw.pipeline)
        # In the order of the last dimension of array(); of kernels on a GPU it is the whole.
        self.latencies: tuple[tuple[str, str], ...] = latencies_of(raw.pipeline) or (("", ""),)

    def _time(self, ratio: _library.Ratio) -> Optional[Time]:
        return Time(Fraction(ratio.numerator, ratio.denominator) / self._ticks, self._unit) if ratio.denominator else None

    def __len__(self) -> int:
        count: int = self._raw.point_count
        return count

    @overload
    def __getitem__(self, index: int) -> SweepPoint: ...

    @overload
    def __getitem__(self, index: slice) -> list[SweepPoint]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[SweepPoint, list[SweepPoint]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError("point out of range")
        index %= len(self)
        raw, labels = self._raw, list(self.axes)
        values = {labels[i]: self.axes[labels[i]][library.weir_sweep_value(self._pointer, index, i)] for i in range(raw.axis_count)}
        point, first = raw.points[index], index * raw.latency_count
        worst = {ends: self._time(raw.cells[first + i].worst) for i, ends in enumerate(self.latencies)}
        return SweepPoint(values, worst, self.STATES[point.state], point.met, self._time(point.period))

    def __iter__(self) -> Iterator[SweepPoint]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<weir.Sweep {self.pipeline.title!r}: {' x '.join(str(len(values)) for values in self.axes.values())}>"

    def array(self) -> Any:
        """The worst cases as a NumPy array, in the pipeline's unit: one dimension for each axis, then the latencies; NaN where there
        is no bound."""
        from ._numpy import numpy

        raw = self._raw
        count = raw.point_count * raw.latency_count
        cells = ctypes.cast(raw.cells, ctypes.POINTER(_library.SweepCell * count)).contents if count else ()
        form = {"names": ["n", "d"], "formats": ["i8", "i8"], "offsets": [_library.SweepCell.worst.offset,
                _library.SweepCell.worst.offset + 8], "itemsize": ctypes.sizeof(_library.SweepCell)}
        numbers = numpy().frombuffer(cells, dtype=form)
        with numpy().errstate(divide="ignore", invalid="ignore"):
            worst = numpy().where(numbers["d"] == 0, numpy().nan, numbers["n"] / numbers["d"] / self._ticks)
        return worst.reshape([len(values) for values in self.axes.values()] + [raw.latency_count])

    def values(self, axis: str) -> Any:
        """The numbers of an axis as a NumPy array: times in the pipeline's unit, counts as they are."""
        from ._numpy import numpy

        raw = next(raw for raw in self._raw.axes[: self._raw.axis_count] if raw.label.decode() == axis)
        if raw.values == 2:
            raise TypeError(f"the values of {axis} are words")
        numbers = numpy().array(raw.numbers[: raw.count])
        return numbers / self._ticks if raw.values == 0 else numbers

    def answer(self, *, full: bool = False) -> Answer:
        """What it comes to: text, JSON and charts, as `weir explore --sweep` has them."""
        handle, error = ctypes.c_void_p(), new_error()
        check(library.weir_sweep_answer(self._pointer, full, by(handle), by(error)), error)
        assert handle.value
        return Answer(self.pipeline, _entitle(handle.value, self.pipeline), self)

    def _repr_html_(self) -> str:
        from ._html import sweep_html

        return sweep_html(self)
