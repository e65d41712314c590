# SPDX-License-Identifier: Apache-2.0
"""Builds and loads probe.c: when every block of a flowgraph executed, what it cost, and when cores stood still."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .stops import LATE_NS, PAUSE_S, Stop, together

RECORDS = 1 << 20
RECORD = struct.Struct("qqQiiii")  # as in probe.c
READ, WRITE, LATE = range(3)
NAMES = ("_ZN2gr6buffer20update_write_pointerEi", "_ZN2gr13buffer_reader19update_read_pointerEi")
COMPILERS = ("cc", "gcc", "clang")
OPTIONS = ("-std=gnu17", "-O2", "-shared", "-fPIC", "-pthread")


@dataclass(frozen=True)
class Execution:
    """When it ended, in ns; the items that its thread had moved by then, and the CPU time, in ns."""

    time: int
    items: int
    cpu: int


@dataclass
class Log:
    executions: dict[int, list[Execution]] = field(default_factory=dict)  # by thread: of its first output, or else its first input
    stops: list[Stop] = field(default_factory=list)


class Probe:
    def __init__(self) -> None:
        """Before GNU Radio is loaded."""
        self.exact = False  # whether executions are seen; else only cores that stand still
        self.library = load()

    def attach(self, gr: Any) -> None:
        """To GNU Radio, once that is loaded. Where its runtime is linked so that nobody can take the place of its functions, nothing is seen."""
        runtime = next((words[-1] for words in map(str.split, open("/proc/self/maps")) if "libgnuradio-runtime" in words[-1]), None)
        if self.library is None or runtime is None:
            return
        functions = ctypes.CDLL(runtime)
        if all(hasattr(functions, name) for name in NAMES):
            self.library.weir_probe_set(*(ctypes.cast(getattr(functions, name), ctypes.c_void_p) for name in NAMES))
            self.exact = self.sees(gr)

    def sees(self, gr: Any) -> bool:
        from gnuradio import blocks

        top = gr.top_block()
        top.connect(blocks.null_source(1), blocks.head(1, 10), blocks.null_sink(1))
        self.begin(look=False)
        top.run()
        return len(self.end().executions) == 3

    def begin(self, look: bool = True) -> bool:
        """Before the flowgraph starts; whether cores that stand still will be known."""
        if self.library is None or self.library.weir_probe_begin(RECORDS) != 0:
            return False
        return look and bool(self.library.weir_probe_look(int(PAUSE_S * 1e9), LATE_NS))

    def end(self) -> Log:
        """While the flowgraph still runs, or later."""
        if self.library is None:
            return Log()
        place = ctypes.c_void_p()
        count = min(self.library.weir_probe_end(ctypes.byref(place)), RECORDS)
        return sort(ctypes.string_at(place.value or 0, count * RECORD.size) if count else b"")


def sort(data: bytes) -> Log:
    log, stops = Log(), []
    first: dict[int, tuple[int, int]] = {}  # by thread: the kind of record that counts, and the buffer
    for time, cpu, buffer, items, thread, kind, _ in RECORD.iter_unpack(data):
        if kind == LATE:
            stops.append(Stop(cpu, time))
        elif time:
            if first.setdefault(thread, (kind, buffer))[0] < kind:
                first[thread] = (kind, buffer)  # it writes, after all
                log.executions[thread] = []
            if first[thread] == (kind, buffer):
                seen = log.executions.setdefault(thread, [])
                seen.append(Execution(time, items + (seen[-1].items if seen else 0), cpu))
    log.stops = together(stops)
    return log


def load() -> Any:
    """The library, or None where there is no compiler for it."""
    source = Path(__file__).with_name("probe.c")
    try:
        name = f"probe-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}-{os.uname().machine}.so"
        kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weir" / name
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            build(source, kept)
        library = ctypes.CDLL(str(kept), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"weir-gnuradio: the probe cannot be built ({error}): latencies are known less exactly, and a core that stands still is not seen", file=sys.stderr)
        return None
    library.weir_probe_set.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.weir_probe_begin.argtypes = [ctypes.c_size_t]
    library.weir_probe_look.argtypes = [ctypes.c_int64, ctypes.c_int64]
    library.weir_probe_end.argtypes, library.weir_probe_end.restype = [ctypes.c_void_p], ctypes.c_size_t
    return library


def build(source: Path, kept: Path) -> None:
    """Beside its place first: others may build it at the same time."""
    compiler = os.environ.get("CC") or next(filter(shutil.which, COMPILERS), None)
    if compiler is None:
        raise RuntimeError("there is no C compiler")
    descriptor, path = tempfile.mkstemp(suffix=".so", dir=kept.parent)
    os.close(descriptor)
    try:
        subprocess.run([compiler, *OPTIONS, "-o", path, str(source)], check=True)
        os.replace(path, kept)
    except BaseException:
        os.unlink(path)
        raise
