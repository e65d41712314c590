# SPDX-License-Identifier: Apache-2.0
"""Pipelines: read, built, looked at, and asked."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from . import _library
from ._call import call, written
from ._errors import Mistake, by, check, mistakes, new_error
from ._library import library
from ._time import Time, TimeLike, time_text

if TYPE_CHECKING:
    from ._answer import Answer
    from ._explore import Sweep, WhatIf
    from ._run import Trial
    from ._simulate import Events

_PORTS = ("default", "shared", "separate", "unknown")


def _text(value: Optional[str]) -> Optional[bytes]:
    return None if value is None else value.encode()


def _time(value: Optional[TimeLike]) -> Optional[bytes]:
    return None if value is None else time_text(value).encode()


def _list(items: Iterable[str]) -> tuple[Any, int]:
    texts = [item.encode() for item in items]
    return (ctypes.c_char_p * len(texts))(*texts), len(texts)


def _pairs(items: Optional[Mapping[str, object]]) -> Iterable[str]:
    return (f"{name}={value}" for name, value in (items or {}).items())


def read_options(*, queue: int = 0, force_queue: bool = False, deadline: Optional[TimeLike] = None, ports: str = "default",
                 extra_times: Sequence[TimeLike] = (), cores: int = 0, rates: Optional[Mapping[str, str]] = None,
                 source_rates: Optional[Mapping[str, str]] = None, costs: Optional[Mapping[str, str]] = None,
                 costs_path: Optional[str] = None, kernel_times: Optional[str] = None, sms: int = 0, max_concurrent: int = 0,
                 min_time: Optional[TimeLike] = None, launch_overhead: Optional[TimeLike] = None,
                 no_files: bool = False) -> _library.ReadOptions:
    """The options of load() as a struct."""
    if ports not in _PORTS:
        raise ValueError(f"ports: expected one of {', '.join(_PORTS)}, not {ports!r}")
    times = [time_text(value) for value in extra_times] + ([time_text(deadline)] if deadline is not None else [])
    options = _library.ReadOptions(
        queue=queue, force_queue=force_queue, deadline=_time(deadline), extra_times=_text(",".join(times)) if times else None,
        cores=cores, costs_path=_text(costs_path), kernel_times=_text(kernel_times), sms=sms, max_concurrent=max_concurrent,
        min_time=_time(min_time), launch_overhead=_time(launch_overhead), no_files=no_files, ports=_PORTS.index(ports))
    options.rates, options.rate_count = _list(_pairs(rates))
    options.source_rates, options.source_rate_count = _list(_pairs(source_rates))
    options.costs, options.cost_count = _list(_pairs(costs))
    return options


def name_of(handle: int, operator: int) -> str:
    """The name of an operator."""
    name: str = library.weir_pipeline_operator(handle, operator).name.decode()
    return name


def latencies_of(handle: int) -> tuple[tuple[str, str], ...]:
    """From where to where a pipeline reports latencies."""
    chains = (library.weir_pipeline_chain(handle, i) for i in range(library.weir_pipeline_chain_count(handle)))
    return tuple((name_of(handle, chain.from_), name_of(handle, chain.to)) for chain in chains)


class Pipeline:
    """A pipeline, checked and unchangeable: load(), loads() and Builder.build() make one; any number of threads may use it.

    `name`, `unit` and `engine` say what it is, `file` where it was read, `notes` what whoever reads it should know.
    """

    def __init__(self, handle: int, file: Optional[str] = None, notes: Sequence[Mistake] = ()) -> None:
        self._handle = handle
        self._finalizer = weakref.finalize(self, library.weir_pipeline_free, handle)
        self.file = file
        self.notes: tuple[Mistake, ...] = tuple(notes)
        self.unit: str = library.weir_unit_name(library.weir_pipeline_unit(handle)).decode()
        self._ticks: int = 10 ** library.weir_pipeline_digits(handle)
        self.name: str = (library.weir_pipeline_name(handle) or b"").decode()
        self.engine: str = library.weir_engine_of(handle).decode()
        self.operators: tuple[str, ...] = tuple(
            name_of(handle, i) for i in range(library.weir_pipeline_operator_count(handle)))

    def __repr__(self) -> str:
        return f"<weir.Pipeline {self.title!r}: {len(self.operators)} operators, {self.engine}>"

    @property
    def title(self) -> str:
        """Its name, or else its file."""
        return self.name or self.file or ""

    @property
    def latencies(self) -> tuple[tuple[str, str], ...]:
        """From where to where latencies are reported."""
        return latencies_of(self._handle)

    # -------- times

    def _of_ticks(self, ticks: Fraction) -> Time:
        return Time(ticks / self._ticks, self.unit)

    def _of_ratio(self, ratio: _library.Ratio) -> Optional[Time]:
        return self._of_ticks(Fraction(ratio.numerator, ratio.denominator)) if ratio.denominator else None

    def _to_ticks(self, value: TimeLike) -> int:
        ticks, error = ctypes.c_int64(), new_error()
        check(library.weir_time_parse(self._handle, time_text(value).encode(), by(ticks), by(error)), error)
        return ticks.value

    # -------- written

    def write(self, format: str = "yaml") -> str:
        """The model in a format that weir convert knows: "yaml", "json", "dot", "sdf3", "uppaal" ..."""
        number: int = library.weir_model_format_named(format.encode())
        return written(library.weir_pipeline_write, self._handle, number, 0)

    def to_dict(self) -> dict[str, Any]:
        """The model as a dictionary, in the words of the model file; from_dict() reads it."""
        made: dict[str, Any] = json.loads(self.write("json"))
        return made

    def draw(self) -> str:
        """Operators and queues as SVG, laid out by Graphviz."""
        return written(library.weir_pipeline_write_drawing, self._handle, None, 0)

    def _repr_html_(self) -> str:
        from ._html import pipeline_html

        return pipeline_html(self)

    # -------- asked

    def analyze(self, *, method: Optional[str] = None, verify: bool = False, explain: bool = False, brief: bool = False,
                limit: int = 0, memory: int = 0, latency_limit: Optional[TimeLike] = None, cores: int = 0, sms: int = 0,
                no_split: bool = False, threads: int = 0) -> Answer:
        """Bounds of every latency: what `weir analyze` says. `limit` and `memory` (bytes) end a search with a bracket; with `verify`
        witnesses are replayed and certificates checked; `brief` leaves out all but the bounds."""
        from ._answer import Answer

        options = _library.AnswerOptions(
            method=_text(method), verify=verify, explain=explain, brief=brief, work_limit=limit, memory_limit=memory, cores=cores,
            latency_limit=0 if latency_limit is None else self._to_ticks(latency_limit), sms=sms, no_split=no_split, threads=threads)

        def ask() -> Answer:
            handle, error = ctypes.c_void_p(), new_error()
            check(library.weir_answer_find(self._handle, by(options), by(handle), by(error)), error)
            assert handle.value
            return Answer(self, handle.value)

        return call(ask)

    def simulate(self, *, runs: int = 0, iterations: int = 0, seed: int = 0, times: Optional[str] = None,
                 releases: Optional[str] = None, search: Optional[int] = None, cores: int = 0, sms: int = 0,
                 method: Optional[str] = None, dispatch: Optional[str] = None) -> Answer:
        """Many runs: the answer has, in `observed` of each bound, the latencies that were seen. `weir simulate` says the same."""
        from ._simulate import simulate

        return simulate(self, _library.SimulateOptions(
            seed=seed, runs=runs, iterations=iterations, times=_text(times), releases=_text(releases), search=search or 0,
            no_search=search == 0, cores=cores, sms=sms, method=_text(method), dispatch=_text(dispatch), title=_text(self.title)))

    def events(self, *, iterations: int = 100, seed: int = 0, times: str = "random") -> Events:
        """One run of a pipeline whose operators have threads of their own: every arrival, start and finish, in order of time. `times`
        is "random", "best", "worst" or "bang-bang"."""
        from ._simulate import Events

        return Events(self, iterations, seed, times)

    def run(self, functions: Optional[Mapping[str, Callable[..., object]]] = None, *, iterations: int = 0, duration: float = 0,
            policy: str = "other", work: str = "spin", times: str = "random", seed: int = 0, tolerance: float = 0,
            lock: bool = False) -> Trial:
        """Runs it on real threads, and holds the latencies against the bound: what `weir run` does. `functions` are called by the
        name of their operator, with a message from each input, and return what is sent to every output; operators without one do
        synthetic work. `duration` and `tolerance` are seconds. Times that are measured are rounded to the unit's digits: load
        with extra_times=["1 ns"]."""
        from . import _run

        options = _library.TrialOptions(title=_text(self.title), policy=_run._number(_run.POLICIES, "policy", policy))
        options.run.iterations, options.run.duration_ns = iterations, round(duration * 1e9)
        options.run.work = _run._number(_run.WORK, "work", work)
        options.run.times = _run._number(_run.TIMES, "times", times)
        options.run.seed, options.run.lock_memory, options.run.tolerance_ns = seed, lock, round(tolerance * 1e9)
        if iterations <= 0 and duration <= 0:
            raise ValueError("iterations or duration: how long is it to run?")
        return _run.run(self, options, functions or {})

    def change(self, *sets: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Pipeline:
        """A changed copy: `sets` are TARGET.KEY=VALUE, as in `weir explore --what-if`, `add` and `remove` as there."""
        from ._explore import change

        return change(self, sets, add, remove)[1]

    def what_if(self, *sets: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> WhatIf:
        """Both sides of a change: what `weir explore --what-if` says."""
        from ._explore import what_if

        return what_if(self, sets, add, remove)

    def sweep(self, *axes: str, sets: Sequence[str] = (), points_max: int = 0, limit: int = 0, threads: int = 0) -> Sweep:
        """All values of all axes together. An axis is TARGET.KEY=VALUES, where values are a list, with commas, of values and of
        ranges LOW:HIGH:STEP; `sets` are changes that are made first."""
        from ._explore import Sweep

        return Sweep(self, axes, sets, points_max, limit, threads)


def _read(function: Any, arguments: tuple[Any, ...], file: Optional[str], options: _library.ReadOptions) -> Pipeline:
    with mistakes() as found, mistakes() as notes:
        options.notes = notes.handle
        handle = ctypes.c_void_p()
        found.check(function(*arguments, by(options), by(handle), found.handle))
        assert handle.value
        return Pipeline(handle.value, file, notes.all())


def load(path: Union[str, os.PathLike[str]], **options: Any) -> Pipeline:
    """Reads a model: YAML, JSON, DOT, SDF3, a flowgraph of GNU Radio or a graph that CUDA wrote, told apart by their content.

    Options, as those of `weir analyze`: queue, force_queue, deadline, ports, extra_times (times that will be asked of the model);
    of flowgraphs cores, rates, source_rates, costs (each {block: text}) and costs_path; of kernels kernel_times, sms, max_concurrent,
    min_time, launch_overhead; no_files, for models of strangers. Every mistake in the file is in the exception.
    """
    file = os.fspath(path)
    return call(lambda: _read(library.weir_read_file, (os.fsencode(file),), file, read_options(**options)))


def loads(text: str, *, file: str = "<string>", **options: Any) -> Pipeline:
    """Reads a model from text; `file` is what messages call it. Options as those of load()."""
    data = text.encode()
    return call(lambda: _read(library.weir_read_memory, (data, len(data), file.encode()), file, read_options(**options)))


def _plain(value: object) -> object:
    """A value of a model as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return time_text(value)  # type: ignore[arg-type]


def from_dict(model: Mapping[str, object], *, file: str = "<dict>", **options: Any) -> Pipeline:
    """A pipeline of a dictionary in the words of the model file (docs/reference/model.md). Lines in messages are those of the
    dictionary written as JSON with an indent of 2."""
    return loads(json.dumps(_plain(model), indent=2, ensure_ascii=False), file=file, **options)


class Builder:
    """Builds a pipeline piece by piece.

        made = weir.Builder("Camera", unit="ms")
        made.operator("camera", (8, 10), period=33)
        made.operator("detect", 30)
        made.queue("camera", "detect", capacity=2)
        made.latency("camera", "detect", deadline=60)
        pipeline = made.build()

    What else a call takes are the keys of the model file, with _ for -: docs/reference/model.md.
    """

    def __init__(self, name: str = "", *, unit: Optional[str] = None, **keys: object) -> None:
        self.model: dict[str, Any] = {"weir": 1}
        self._put(self.model, {"name": name or None, "unit": unit, **keys})

    @staticmethod
    def _put(where: dict[str, Any], keys: Mapping[str, object]) -> dict[str, Any]:
        where.update((key.replace("_", "-"), value) for key, value in keys.items() if value is not None)
        return where

    def operator(self, name: str, time: Union[TimeLike, tuple[TimeLike, TimeLike], None] = None, *,
                 period: Optional[TimeLike] = None, **keys: object) -> Builder:
        """An operator: how long it takes, (best, worst) or always the same; with a period it is a source."""
        self.model.setdefault("operators", {})[name] = self._put({}, {"time": time, **keys})
        return self if period is None else self.source(name, period)

    def queue(self, *path: Union[str, Sequence[str]], **keys: object) -> Builder:
        """A queue from each operator to the next; where one of them is a list, to all of these."""
        if len(path) < 2:
            raise ValueError("a queue has two ends")
        queues = self.model.setdefault("queues", [])
        for start, end in zip(path, path[1:]):
            queues.append(self._put({}, {"from": start, "to": end, **keys}))
        return self

    def source(self, operator: str, period: TimeLike, **keys: object) -> Builder:
        """An operator starts by itself, or its input arrives (arrivals="exact"), every period."""
        self.model.setdefault("sources", []).append(self._put({}, {"operator": operator, "period": period, **keys}))
        return self

    def latency(self, start: str, end: str, *, deadline: Optional[TimeLike] = None, **keys: object) -> Builder:
        """A latency to report, with or without a deadline."""
        item = self._put({}, {"from": start, "to": end, "within": deadline, **keys})
        self.model.setdefault("measure" if deadline is None else "deadlines", []).append(item)
        return self

    def build(self, **options: Any) -> Pipeline:
        """Checks the whole. Options as those of load()."""
        return from_dict(self.model, file=f"<{self.model.get('name', 'Builder')}>", **options)
