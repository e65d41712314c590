# SPDX-License-Identifier: Apache-2.0
"""Answers: bounds, verdicts, text, JSON, pictures."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterator, Mapping, Optional

from . import _library
from ._call import owned, written
from ._library import library
from ._pipeline import Pipeline
from ._time import Time

VERDICTS = ("good", "open", "bad")
_NUMBERS = ("exact", "safe", "bracket", "unsafe")  # claims that come with a number


@dataclass(frozen=True)
class Quantity:
    """A time and how much it says: `claim` is "exact" (reached, never passed), "safe" (never passed), "bracket" (between `low` and
    `high`), "unsafe" (a published number that can be exceeded), "unknown", "unbounded" or "none"."""

    claim: str
    low: Optional[Time]
    high: Optional[Time]


@dataclass(frozen=True)
class Bin:
    """Of a histogram: `count` values from `start` on and below `end` (in the last bin up to it)."""

    start: Time
    end: Time
    count: int


@dataclass(frozen=True)
class Distribution:
    """What was observed of a latency."""

    count: int
    min: Optional[Time]
    median: Optional[Time]
    p99: Optional[Time]
    max: Optional[Time]
    kept: int
    beyond: int
    bins: tuple[Bin, ...]
    note: Optional[str]

    def histogram(self) -> tuple[Any, Any]:
        """NumPy arrays as numpy.histogram() returns them: how many are in each bin, and the edges, in the pipeline's unit."""
        from ._numpy import numpy

        edges = [float(bin.start) for bin in self.bins] + [float(bin.end) for bin in self.bins[-1:]]
        return numpy().array([bin.count for bin in self.bins], dtype="int64"), numpy().array(edges, dtype="float64")


@dataclass(frozen=True)
class Bound:
    """The bounds of one latency, from the start (or the arrival) of `start` to the finish of `end`; on a GPU of the whole plan, where
    both are None."""

    start: Optional[str]
    end: Optional[str]
    worst_case: Quantity
    best_case: Quantity
    gap_case: Quantity
    deadline: Optional[Time]
    state: str
    holds: bool
    why: Optional[str]
    path: Optional[str]
    terms: tuple[tuple[str, Time], ...]
    verified: bool
    since: Optional[str]
    observed: Optional[Distribution]

    @property
    def worst(self) -> Optional[Time]:
        """The worst case: of a bracket the upper end; None where there is no number."""
        return self.worst_case.high if self.worst_case.claim in _NUMBERS else None

    @property
    def best(self) -> Optional[Time]:
        """The best case: of a bracket the lower end."""
        return self.best_case.low if self.best_case.claim in _NUMBERS else None

    @property
    def gap(self) -> Optional[Time]:
        """The longest time between two successive ends."""
        return self.gap_case.high if self.gap_case.claim in _NUMBERS else None

    @property
    def jitter(self) -> Optional[Time]:
        """Between the best and the worst case."""
        if self.worst is None or self.best is None:
            return None
        return Time(Fraction(self.worst) - Fraction(self.best), self.worst.unit)

    @property
    def exact(self) -> bool:
        """Whether the worst case is reached, and never passed."""
        return self.worst_case.claim == "exact"

    @property
    def met(self) -> Optional[bool]:
        """Whether the deadline is kept; None where there is none, and where it is not decided."""
        return {"met": True, "missed": False}.get(self.state)

    @property
    def name(self) -> str:
        """"camera -> display"."""
        return "whole" if self.start is None else f"{self.start} -> {self.end}"


def _decoded(text: Optional[bytes]) -> Optional[str]:
    return None if text is None else text.decode()


def _distribution(pipeline: Pipeline, raw: _library.Distribution) -> Distribution:
    bins = []
    for bin in raw.bins[: raw.bin_count]:
        start, end = pipeline._of_ratio(bin.from_), pipeline._of_ratio(bin.to)
        assert start is not None and end is not None
        bins.append(Bin(start, end, bin.count))
    low, median, p99, high = (pipeline._of_ratio(value) for value in (raw.min, raw.median, raw.p99, raw.max))
    return Distribution(raw.count, low, median, p99, high, raw.kept, raw.beyond, tuple(bins), _decoded(raw.note))


def _quantity(pipeline: Pipeline, raw: _library.Quantity) -> Quantity:
    claim: str = library.weir_claim_name(raw.claim).decode()
    return Quantity(claim, pipeline._of_ratio(raw.low), pipeline._of_ratio(raw.high))


def _bound(pipeline: Pipeline, pointer: Any) -> Bound:
    raw = pointer.contents
    terms = tuple((term.text.decode(), pipeline._of_ratio(term.time) or Time(0, pipeline.unit)) for term in raw.terms[: raw.term_count])
    return Bound(
        start=None if raw.whole else pipeline.operators[raw.chain.from_],
        end=None if raw.whole else pipeline.operators[raw.chain.to],
        worst_case=_quantity(pipeline, raw.worst), best_case=_quantity(pipeline, raw.best), gap_case=_quantity(pipeline, raw.gap),
        deadline=pipeline._of_ticks(Fraction(raw.deadline)) if raw.has_deadline else None,
        state=library.weir_deadline_state_name(raw.state).decode(), holds=library.weir_bound_holds(pointer), why=_decoded(raw.why),
        path=_decoded(raw.path), terms=terms, verified=raw.verified, since=_decoded(raw.since),
        observed=_distribution(pipeline, raw.observed.contents) if raw.observed else None)


class Latencies(Mapping[tuple[str, str], Bound]):
    """The bounds by (start, end): answer.latency["camera", "display"]."""

    def __init__(self, bounds: tuple[Bound, ...]) -> None:
        self._bounds = {(bound.start, bound.end): bound for bound in bounds if bound.start is not None and bound.end is not None}

    def __getitem__(self, ends: tuple[str, str]) -> Bound:
        try:
            return self._bounds[ends]
        except KeyError:
            there = ", ".join(bound.name for bound in self._bounds.values())
            raise KeyError(f"no latency {ends!r}; there is {there or 'none'}") from None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._bounds)

    def __len__(self) -> int:
        return len(self._bounds)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{ends}: {bound.worst}" for ends, bound in self._bounds.items()) + "}"


class Answer:
    """What was found about a pipeline. `latency` has the bounds by their ends, `bounds` all of them in order."""

    def __init__(self, pipeline: Pipeline, handle: int, *kept: object) -> None:
        self.pipeline = pipeline
        self._handle = handle
        self._kept = kept  # what the library's answer points into
        owned(self, library.weir_answer_free, handle)
        self.bounds: tuple[Bound, ...] = tuple(
            _bound(pipeline, library.weir_answer_bound(handle, i)) for i in range(library.weir_answer_bound_count(handle)))
        self.latency = Latencies(self.bounds)
        self.engine: Optional[str] = _decoded(library.weir_answer_engine(handle))
        self.verdict: str = VERDICTS[library.weir_answer_verdict(handle)]

    @property
    def ok(self) -> bool:
        """Every deadline is met, and every latency has a bound."""
        return self.verdict == "good"

    @property
    def worst(self) -> Optional[Bound]:
        """The bound to speak of first: the one with the worst state, and of those the latest."""
        pointer = library.weir_answer_worst(self._handle)
        return _bound(self.pipeline, pointer) if pointer else None

    @property
    def period(self) -> Optional[Time]:
        """At worst times there is one result at least this often; None where the engine does not say."""
        return self.pipeline._of_ratio(library.weir_answer_period(self._handle))

    @property
    def bottleneck(self) -> tuple[str, ...]:
        """The operators that hold the throughput back."""
        count = ctypes.c_size_t()
        operators = library.weir_answer_bottleneck(self._handle, ctypes.byref(count))
        return tuple(self.pipeline.operators[operators[i]] for i in range(count.value))

    # -------- written

    def json(self) -> str:
        """What --json prints."""
        return written(library.weir_answer_write_json, self._handle)

    def to_dict(self) -> dict[str, Any]:
        """What --json prints, as a dictionary: docs/reference/json.md."""
        made: dict[str, Any] = json.loads(self.json())
        return made

    def text(self, *, full: bool = False) -> str:
        """What the program prints."""
        options = _library.TextOptions(title=self.pipeline.title.encode() or None, full=full)
        return written(library.weir_answer_write_text, self._handle, ctypes.byref(options))

    def csv(self, table: Optional[str] = None) -> str:
        """The table of that key, or that of a search, or else the bounds, as comma-separated values."""
        return written(library.weir_answer_write_csv, self._handle, None if table is None else table.encode())

    def svg(self, bound: int = 0) -> Optional[str]:
        """The picture of a bound: its worst case as it happens; None where there is only a bound."""
        if not library.weir_answer_has_picture(self._handle):
            return None
        return written(library.weir_answer_write_svg, self._handle, bound)

    def trace(self, bound: int = 0) -> str:
        """The worst case as a trace for Perfetto and chrome://tracing."""
        return written(library.weir_answer_write_trace, self._handle, bound)

    def charts(self) -> list[str]:
        """The charts that answers of searches have, as SVG."""
        count: int = library.weir_answer_chart_count(self._handle)
        return [written(library.weir_answer_write_chart, self._handle, i) for i in range(count)]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<weir.{type(self).__name__} {self.pipeline.title!r}: {self.verdict}, {self.latency!r}>"

    def _repr_html_(self) -> str:
        from ._html import answer_html

        return answer_html(self)
