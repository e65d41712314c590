# SPDX-License-Identifier: Apache-2.0
"""Times at which a core did nothing at all, as those of virtual machines do when their host has other things to do.

On every core a process of the highest priority looks at the clock again and again. When it was not let run for longer than it wanted to
sleep, then nobody was, save for the kernel itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

PAUSE_S = 300e-6
LATE_NS = 150_000  # that is noted
STOP_NS = 500_000  # that counts as standing still


@dataclass(frozen=True)
class Stop:
    """Times in ns, of the clock that Python calls monotonic."""

    begin: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.begin


class Stops:
    def __init__(self) -> None:
        """Begins to look. Without the right to priorities others that run are taken for the machine standing still."""
        command = [sys.executable, "-S", "-E", str(Path(__file__).resolve())]
        self.processes = [
            subprocess.Popen([*command, str(cpu)], stdout=subprocess.PIPE, text=True) for cpu in sorted(os.sched_getaffinity(0))
        ]
        self.sure = all([process.stdout.readline() == "sure\n" for process in self.processes if process.stdout])

    def finish(self) -> list[Stop]:
        """All that was noted, in the order of their begin, those that overlap put together."""
        found = []
        for process in self.processes:
            process.terminate()
            text, _ = process.communicate()
            found += [Stop(*(int(word) for word in line.split())) for line in text.splitlines()]
        together: list[Stop] = []
        for stop in sorted(found, key=lambda s: s.begin):
            if together and stop.begin <= together[-1].end:
                together[-1] = Stop(together[-1].begin, max(together[-1].end, stop.end))
            else:
                together.append(stop)
        self.processes = []
        return together


def long(stops: list[Stop]) -> list[Stop]:
    """Those that count as standing still."""
    return [stop for stop in stops if stop.length >= int(PAUSE_S * 1e9) + STOP_NS]


def look(cpu: int) -> None:
    """Until the process is told to end, or its parent has gone."""
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: ended.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    try:
        os.sched_setaffinity(0, {cpu})
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))
        print("sure", flush=True)
    except OSError:
        print("not sure", flush=True)
    late: list[tuple[int, int]] = []
    allowed = int(PAUSE_S * 1e9) + LATE_NS
    last = time.monotonic_ns()
    while not ended and os.getppid() == parent:
        time.sleep(PAUSE_S)
        now = time.monotonic_ns()
        if now - last > allowed:
            late.append((last, now))
        last = now
    for begin, end in late:
        print(begin, end)


if __name__ == "__main__":
    look(int(sys.argv[1]))
