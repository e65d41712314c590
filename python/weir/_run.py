# SPDX-License-Identifier: Apache-2.0
"""Pipelines on real threads, with functions of Python or synthetic work, held against their bounds."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Callable, Mapping, Optional

from . import _library
from ._call import Stop, call, owned, written
from ._errors import by, check, new_error
from ._library import library
from ._pipeline import Pipeline

WORK = ("spin", "memory", "sleep", "none")
TIMES = ("random", "best", "worst", "bang-bang", "witness")
POLICIES = ("other", "fifo", "deadline")
VERDICT_GOOD = 0


def _number(names: tuple[str, ...], what: str, name: str) -> int:
    if name not in names:
        raise ValueError(f"{what}: expected one of {', '.join(names)}, not {name!r}")
    return names.index(name)


class _Functions:
    """Functions of Python as functions of a run. A message of the run's pool stands for an object; the object is kept until the
    message is had again."""

    def __init__(self, functions: Mapping[str, Callable[..., object]]) -> None:
        self.error: Optional[BaseException] = None
        self.objects: dict[int, object] = {}
        self.callbacks = [_library.RUN_FUNCTION(self._callback(function)) for function in functions.values()]
        self.array = (_library.TrialFunction * len(self.callbacks))(
            *(_library.TrialFunction(name.encode(), callback, None) for name, callback in zip(functions, self.callbacks)))

    def _callback(self, function: Callable[..., object]) -> Callable[[Optional[int], Any], int]:
        def one(_: Optional[int], call_pointer: Any) -> int:
            try:
                run_call = call_pointer.contents
                taken = [run_call.inputs[i] for i in range(run_call.input_count)]
                messages = [self.objects.get(one.messages[0] or 0) if one.count else None for one in taken]
                result = function(*messages)
                if run_call.output_count == 0:
                    return 0
                message = library.weir_run_message(call_pointer)
                if not message:
                    raise MemoryError("weir")
                self.objects[message] = result
                return int(library.weir_run_send(call_pointer, message))
            except BaseException as error:  # whoever called run() raises it
                self.error = self.error or error
                return 1

        return one


class _Stop(Stop):
    """Ends the run."""

    handle: Optional[int] = None

    def set(self) -> None:
        super().set()
        if self.handle:
            library.weir_trial_stop(self.handle)


class Trial:
    """What a run came to. `data` is what `weir run --json` prints."""

    def __init__(self, pipeline: Pipeline, handle: int) -> None:
        self.pipeline, self._handle = pipeline, handle
        owned(self, library.weir_trial_free, handle)
        answer = library.weir_trial_answer(handle)
        self.ok: bool = library.weir_answer_verdict(answer) == VERDICT_GOOD
        """Whether every latency is within its bound and its deadline."""
        self.data: dict[str, Any] = json.loads(written(library.weir_answer_write_json, answer))

    def __str__(self) -> str:
        return written(library.weir_answer_write_text, library.weir_trial_answer(self._handle), None)

    @property
    def causes(self) -> list[dict[str, Any]]:
        """What made latencies late, the one with the most victims first."""
        made: list[dict[str, Any]] = self.data["causes"]
        return made

    def model(self, *, margin: float = 0, tail: int = 0, wake_ups: bool = False) -> Pipeline:
        """The pipeline with the times that were measured. Worst cases are the longest seen, or with `tail` what one execution in so
        many takes; longer by the part `margin`. With `wake_ups`, from the moment that nothing held an execution back."""
        times = _library.TrialTimes(tail=tail, margin_permille=round(margin * 1000), wake_ups=wake_ups)
        handle, error = ctypes.c_void_p(), new_error()
        check(library.weir_trial_model(self._handle, by(times), by(handle), by(error)), error)
        assert handle.value
        return Pipeline(handle.value, self.pipeline.file)

    def trace(self) -> str:
        """Executions, messages and queues for Perfetto and chrome://tracing."""
        return written(library.weir_run_write_trace, library.weir_trial_run_of(self._handle))

    def log(self) -> str:
        """A Data Flow Tracking log, in times of the model."""
        return written(library.weir_run_write_log, library.weir_trial_run_of(self._handle))


def run(pipeline: Pipeline, options: _library.TrialOptions, functions: Mapping[str, Callable[..., object]]) -> Trial:
    """Runs it; an exception of a function ends it and is raised."""
    bound, stop = _Functions(functions), _Stop()
    options.functions, options.function_count = bound.array, len(bound.array)
    if functions:
        options.run.message_bytes = 8

    def execute() -> Trial:
        handle, error = ctypes.c_void_p(), new_error()
        status = library.weir_trial_new(pipeline._handle, by(options), by(handle), by(error))
        check(status, error)
        assert handle.value
        stop.handle = handle.value
        status = library.weir_trial_run(handle.value, by(error))
        stop.handle = None
        if bound.error or not library.weir_trial_answer(handle.value):
            library.weir_trial_free(handle.value)
        if bound.error:
            raise bound.error
        check(status, error)
        return Trial(pipeline, handle.value)

    return call(execute, stop)
