# SPDX-License-Identifier: Apache-2.0
"""libweir, its structs and its functions, as include/weir/*.h declare them. tests/test_layout.py holds them against the headers."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, ClassVar

SONAME = "libweir.so.0.2"
NEEDED = ("libyaml-0.so.2", "libexpat.so.1")  # a wheel has these beside the library

OBSERVE = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, c_int, c_int64, c_int64)
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_uint)



class Error(Structure):
    _fields_ = [("status", c_int), ("line", c_uint32), ("column", c_uint32), ("file", c_char * 256), ("message", c_char * 512)]


class Ratio(Structure):
    numerator: int
    denominator: int
    _fields_ = [("numerator", c_int64), ("denominator", c_int64)]


class Place(Structure):
    _fields_ = [("line", c_uint32), ("column", c_uint32)]


class Quantity(Structure):
    claim: int
    low: Ratio
    high: Ratio
    _fields_ = [("claim", c_int), ("low", Ratio), ("high", Ratio)]


class ChainSpec(Structure):
    # `from` and `to` are structs of one index; so is the first member of each.
    _fields_ = [("from_", c_uint32), ("to", c_uint32), ("has_deadline", c_bool), ("deadline", c_int64), ("has_shift", c_bool),
                ("shift", c_int64), ("place", Place)]


class BoundTerm(Structure):
    _fields_ = [("text", c_char_p), ("time", Ratio)]


class Bin(Structure):
    _fields_ = [("from_", Ratio), ("to", Ratio), ("count", c_int64)]


class Distribution(Structure):
    _fields_ = [("count", c_int64), ("min", Ratio), ("median", Ratio), ("p99", Ratio), ("max", Ratio), ("kept", c_int64),
                ("beyond", c_int64), ("bin_width", c_int64), ("bins", POINTER(Bin)), ("bin_count", c_size_t), ("note", c_char_p)]


class Bound(Structure):
    _fields_ = [("whole", c_bool), ("chain", ChainSpec), ("worst", Quantity), ("best", Quantity), ("gap", Quantity),
                ("has_deadline", c_bool), ("deadline", c_int64), ("state", c_int), ("why", c_char_p), ("terms", POINTER(BoundTerm)),
                ("term_count", c_size_t), ("path", c_char_p), ("witness", c_void_p), ("details", c_void_p), ("detail_count", c_size_t),
                ("verified", c_bool), ("since", c_char_p), ("observed", POINTER(Distribution))]


class OperatorSpec(Structure):
    _fields_ = [("name", c_char_p), ("best", c_int64), ("worst", c_int64), ("receive_min", c_int64), ("receive_max", c_int64),
                ("reentrant", c_bool), ("broadcast", c_bool), ("assumed", c_bool), ("has_start_within", c_bool),
                ("place", Place), ("mapped", c_bool),
                ("on", c_uint32), ("has_priority", c_bool), ("priority", c_int32), ("slot", c_int64), ("has_cost", c_bool),
                ("cost_init", c_int64), ("cost_sample", c_int64), ("splittable", c_bool), ("granularity", c_int64),
                ("min_time", c_int64), ("times", c_void_p), ("time_count", c_size_t), ("disturbs", c_int),
                ("suffers_read", c_uint32), ("suffers_copy", c_uint32), ("observed", c_void_p), ("launch", c_void_p),
                ("lane", c_char_p), ("start_within", c_int64)]


class ReadOptions(Structure):
    _fields_ = [("queue", c_uint32), ("force_queue", c_bool), ("extra_times", c_char_p), ("deadline", c_char_p), ("cores", c_uint32),
                ("rates", POINTER(c_char_p)), ("source_rates", POINTER(c_char_p)), ("costs", POINTER(c_char_p)),
                ("rate_count", c_size_t), ("source_rate_count", c_size_t), ("cost_count", c_size_t), ("costs_path", c_char_p),
                ("notes", c_void_p), ("kernel_times", c_char_p), ("sms", c_uint32), ("max_concurrent", c_uint32),
                ("min_time", c_char_p), ("launch_overhead", c_char_p), ("no_files", c_bool), ("ports", c_int)]


class AnswerOptions(Structure):
    _fields_ = [("method", c_char_p), ("verify", c_bool), ("brief", c_bool), ("explain", c_bool), ("no_split", c_bool),
                ("work_limit", c_uint64), ("memory_limit", c_uint64), ("latency_limit", c_int64), ("cores", c_uint32),
                ("sms", c_uint32), ("threads", c_uint), ("progress", PROGRESS), ("context", c_void_p)]


class TextOptions(Structure):
    _fields_ = [("title", c_char_p), ("full", c_bool), ("color", c_bool), ("columns", c_uint)]


class SimulationOptions(Structure):
    _fields_ = [("iterations", c_int64), ("times", c_int), ("seed", c_uint64), ("given", c_void_p), ("observe", OBSERVE),
                ("context", c_void_p), ("phases", c_void_p)]


class SimulateOptions(Structure):
    _fields_ = [("seed", c_uint64), ("runs", c_int64), ("iterations", c_int64), ("times", c_char_p), ("given", c_void_p),
                ("given_by", c_char_p), ("releases", c_char_p), ("search", c_uint32), ("no_search", c_bool), ("cores", c_uint32),
                ("sms", c_uint32), ("method", c_char_p), ("dispatch", c_char_p), ("first", c_void_p), ("observe", c_void_p),
                ("progress", PROGRESS), ("context", c_void_p), ("title", c_char_p)]


class RunOptions(Structure):
    _fields_ = [("iterations", c_int64), ("duration_ns", c_int64), ("work", c_int), ("memory_bytes", c_size_t), ("times", c_int),
                ("seed", c_uint64), ("given", c_void_p), ("context", c_void_p), ("witness", c_void_p), ("tick_ns", c_int64),
                ("scale", Ratio), ("measure", c_bool), ("measure_cpu", c_bool), ("records", c_size_t), ("records_newest", c_bool),
                ("tolerance_ns", c_int64), ("limits", c_void_p), ("threads", c_void_p), ("fall_back", c_bool), ("lock_memory", c_bool),
                ("stack_bytes", c_size_t), ("message_bytes", c_size_t), ("spin_ns", c_int64),
                ("processes", c_void_p)]


class RunInput(Structure):
    _fields_ = [("queue", c_uint32), ("messages", POINTER(c_void_p)), ("count", c_uint32), ("again", c_bool)]


class RunCall(Structure):
    _fields_ = [("op", c_uint32), ("execution", c_int64), ("start", c_int64), ("inputs", POINTER(RunInput)), ("input_count", c_size_t),
                ("outputs", c_void_p), ("output_count", c_size_t), ("run", c_void_p)]


RUN_FUNCTION = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(RunCall))


class TrialFunction(Structure):
    _fields_ = [("name", c_char_p), ("function", RUN_FUNCTION), ("context", c_void_p)]


class TrialOptions(Structure):
    _fields_ = [("title", c_char_p), ("run", RunOptions), ("functions", POINTER(TrialFunction)), ("function_count", c_size_t),
                ("records", c_int64), ("policy", c_int), ("strict", c_bool), ("margin_ns", c_int64), ("margin_permille", c_uint32),
                ("cpus", c_void_p), ("cpu_count", c_size_t), ("pin", c_bool), ("watch", c_void_p), ("context", c_void_p)]


class TrialTimes(Structure):
    _fields_ = [("tail", c_uint64), ("margin_permille", c_uint32), ("iterations", c_int64), ("wake_ups", c_bool)]


class Change(Structure):
    _fields_ = [("kind", c_int), ("text", c_char_p), ("name", c_char_p)]


class Changed(Structure):
    _fields_ = [("notes", c_void_p), ("before", c_void_p), ("after", c_void_p)]


class SweepOptions(Structure):
    _fields_ = [("changes", POINTER(Change)), ("change_count", c_size_t), ("axes", POINTER(Change)), ("axis_count", c_size_t),
                ("points_max", c_uint64), ("work_limit", c_uint64), ("threads", c_uint), ("stop", POINTER(c_bool)),
                ("progress", PROGRESS), ("context", c_void_p)]


class SweepAxis(Structure):
    _fields_ = [("label", c_char_p), ("values", c_int), ("count", c_size_t), ("numbers", POINTER(c_int64)),
                ("texts", POINTER(c_char_p)), ("better", c_int)]


class SweepCell(Structure):
    _fields_ = [("claim", c_int), ("state", c_int), ("worst", Ratio)]


class SweepPoint(Structure):
    _fields_ = [("state", c_int), ("met", c_bool), ("period", Ratio)]


class Sweep(Structure):
    _fields_ = [("pipeline", c_void_p), ("engine", c_char_p), ("changes", c_void_p), ("change_count", c_size_t),
                ("axes", POINTER(SweepAxis)), ("axis_count", c_size_t), ("latency_count", c_size_t), ("point_count", c_size_t),
                ("points", POINTER(SweepPoint)), ("cells", POINTER(SweepCell)), ("done", c_size_t), ("anomalies", c_void_p),
                ("anomaly_count", c_size_t)]


# What the headers call them.
STRUCTS: dict[str, type[Structure]] = {
    "weir_error": Error, "weir_ratio": Ratio, "weir_place": Place, "weir_quantity": Quantity, "weir_chain_spec": ChainSpec,
    "weir_bound_term": BoundTerm, "weir_bin": Bin, "weir_distribution": Distribution, "weir_bound": Bound,
    "weir_operator_spec": OperatorSpec, "weir_read_options": ReadOptions, "weir_answer_options": AnswerOptions,
    "weir_text_options": TextOptions, "weir_simulation_options": SimulationOptions, "weir_simulate_options": SimulateOptions,
    "weir_change": Change, "weir_changed": Changed, "weir_sweep_options": SweepOptions, "weir_sweep_axis": SweepAxis,
    "weir_sweep_cell": SweepCell, "weir_sweep_point": SweepPoint, "weir_sweep": Sweep,
    "weir_run_options": RunOptions, "weir_run_input": RunInput, "weir_run_call": RunCall, "weir_trial_function": TrialFunction,
    "weir_trial_options": TrialOptions, "weir_trial_times": TrialTimes,
}


class Library:
    """The functions of libweir; each call releases the lock of the interpreter."""

    _ERROR: ClassVar[Any] = POINTER(Error)
    # name: (what it returns, what it takes); ids are structs of one uint32_t, which are passed as one.
    FUNCTIONS: ClassVar[dict[str, tuple[Any, tuple[Any, ...]]]] = {
        "weir_version": (c_char_p, ()),
        "weir_errors_new": (c_void_p, ()),
        "weir_errors_free": (None, (c_void_p,)),
        "weir_errors_count": (c_size_t, (c_void_p,)),
        "weir_errors_at": (POINTER(Error), (c_void_p, c_size_t)),
        "weir_interrupt_watch": (c_void_p, (c_void_p,)),
        "weir_read_file": (c_int, (c_char_p, POINTER(ReadOptions), POINTER(c_void_p), c_void_p)),
        "weir_read_memory": (c_int, (c_char_p, c_size_t, c_char_p, POINTER(ReadOptions), POINTER(c_void_p), c_void_p)),
        "weir_pipeline_free": (None, (c_void_p,)),
        "weir_pipeline_name": (c_char_p, (c_void_p,)),
        "weir_pipeline_unit": (c_int, (c_void_p,)),
        "weir_unit_name": (c_char_p, (c_int,)),
        "weir_pipeline_digits": (c_uint, (c_void_p,)),
        "weir_pipeline_operator_count": (c_uint32, (c_void_p,)),
        "weir_pipeline_operator": (OperatorSpec, (c_void_p, c_uint32)),
        "weir_pipeline_chain_count": (c_uint32, (c_void_p,)),
        "weir_pipeline_chain": (ChainSpec, (c_void_p, c_uint32)),
        "weir_pipeline_find": (c_bool, (c_void_p, c_char_p, POINTER(c_uint32))),
        "weir_pipeline_write": (c_int, (c_void_p, c_int, c_uint32, c_void_p, POINTER(Error))),
        "weir_pipeline_write_drawing": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, POINTER(Error))),
        "weir_model_format_named": (c_int, (c_char_p,)),
        "weir_time_parse": (c_int, (c_void_p, c_char_p, POINTER(c_int64), POINTER(Error))),
        "weir_engine_of": (c_char_p, (c_void_p,)),
        "weir_answer_find": (c_int, (c_void_p, POINTER(AnswerOptions), POINTER(c_void_p), POINTER(Error))),
        "weir_answer_simulate": (c_int, (c_void_p, POINTER(SimulateOptions), POINTER(c_void_p), POINTER(Error))),
        "weir_answer_free": (None, (c_void_p,)),
        "weir_answer_engine": (c_char_p, (c_void_p,)),
        "weir_answer_verdict": (c_int, (c_void_p,)),
        "weir_answer_bound_count": (c_size_t, (c_void_p,)),
        "weir_answer_bound": (POINTER(Bound), (c_void_p, c_size_t)),
        "weir_answer_worst": (POINTER(Bound), (c_void_p,)),
        "weir_answer_bottleneck": (POINTER(c_uint32), (c_void_p, POINTER(c_size_t))),
        "weir_answer_period": (Ratio, (c_void_p,)),
        "weir_answer_set_title": (None, (c_void_p, c_char_p)),
        "weir_answer_write_json": (c_int, (c_void_p, c_void_p, POINTER(Error))),
        "weir_answer_write_text": (c_int, (c_void_p, POINTER(TextOptions), c_void_p, POINTER(Error))),
        "weir_answer_write_csv": (c_int, (c_void_p, c_char_p, c_void_p, POINTER(Error))),
        "weir_answer_write_svg": (c_int, (c_void_p, c_size_t, c_void_p, POINTER(Error))),
        "weir_answer_write_trace": (c_int, (c_void_p, c_size_t, c_void_p, POINTER(Error))),
        "weir_answer_has_picture": (c_bool, (c_void_p,)),
        "weir_answer_chart_count": (c_size_t, (c_void_p,)),
        "weir_answer_write_chart": (c_int, (c_void_p, c_size_t, c_void_p, POINTER(Error))),
        "weir_bound_holds": (c_bool, (POINTER(Bound),)),
        "weir_claim_name": (c_char_p, (c_int,)),
        "weir_deadline_state_name": (c_char_p, (c_int,)),
        "weir_simulate": (c_int, (c_void_p, POINTER(SimulationOptions), POINTER(Error))),
        "weir_trial_new": (c_int, (c_void_p, POINTER(TrialOptions), POINTER(c_void_p), POINTER(Error))),
        "weir_trial_free": (None, (c_void_p,)),
        "weir_trial_run": (c_int, (c_void_p, POINTER(Error))),
        "weir_trial_stop": (None, (c_void_p,)),
        "weir_trial_answer": (c_void_p, (c_void_p,)),
        "weir_trial_run_of": (c_void_p, (c_void_p,)),
        "weir_trial_model": (c_int, (c_void_p, POINTER(TrialTimes), POINTER(c_void_p), POINTER(Error))),
        "weir_run_message": (c_void_p, (POINTER(RunCall),)),
        "weir_run_send": (c_int, (POINTER(RunCall), c_void_p)),
        "weir_run_write_trace": (c_int, (c_void_p, c_void_p, POINTER(Error))),
        "weir_run_write_log": (c_int, (c_void_p, c_void_p, POINTER(Error))),
        "weir_change_apply": (c_int, (c_void_p, POINTER(Change), c_size_t, POINTER(Changed), c_void_p)),
        "weir_what_if": (c_int, (POINTER(Changed), POINTER(Change), c_size_t, POINTER(AnswerOptions), POINTER(c_void_p),
                                 POINTER(Error))),
        "weir_sweep_run": (c_int, (c_void_p, POINTER(SweepOptions), POINTER(POINTER(Sweep)), c_void_p)),
        "weir_sweep_free": (None, (POINTER(Sweep),)),
        "weir_sweep_answer": (c_int, (POINTER(Sweep), c_bool, POINTER(c_void_p), POINTER(Error))),
        "weir_sweep_value": (c_size_t, (POINTER(Sweep), c_size_t, c_size_t)),
    }

    def __init__(self) -> None:
        self.path, library = _open()
        for name, (result, parameters) in self.FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise ImportError(f"{self.path} has no {name}: it is another version of weir than this package") from None
            function.restype, function.argtypes = result, parameters
            setattr(self, name, function)
        self.libc = ctypes.CDLL(None, use_errno=True)
        for name, result, parameters in (("open_memstream", c_void_p, (POINTER(c_void_p), POINTER(c_size_t))),
                                         ("fclose", c_int, (c_void_p,)), ("free", None, (c_void_p,))):
            function = getattr(self.libc, name)
            function.restype, function.argtypes = result, parameters

    def __getattr__(self, name: str) -> Any:  # for whoever checks types: all functions are attributes
        raise AttributeError(name)


def _open() -> tuple[str, ctypes.CDLL]:
    given = os.environ.get("WEIR_LIBRARY")
    if given:
        return given, ctypes.CDLL(given)
    beside = Path(__file__).parent / "lib"
    if not (beside / SONAME).exists():
        try:
            return SONAME, ctypes.CDLL(SONAME)
        except OSError as error:
            raise ImportError(f"{error}: install weir, or name its library in the environment variable WEIR_LIBRARY") from None
    for name in NEEDED:
        try:
            ctypes.CDLL(name)  # that of the system, if it has one
        except OSError:
            ctypes.CDLL(str(beside / name))  # then the loader has it under this name
    return str(beside / SONAME), ctypes.CDLL(str(beside / SONAME))


library = Library()
