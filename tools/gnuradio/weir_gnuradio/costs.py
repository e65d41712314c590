# SPDX-License-Identifier: Apache-2.0
"""What executions of blocks cost: the CPU time of their threads from one execution to the next, by Linux's clock for each thread. The probe
sees every one of them; where it is not to be had, a thread looks again and again."""

from __future__ import annotations

import bisect
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .probe import Execution
from .stops import Stop, long

PAUSE_S = 100e-6
PRIORITY = 60  # above the threads that are watched
BUSY = 0.20  # share of the cores that others may use, those that look included
STOLEN = 0.02  # share of the cores that the host may take


def thread_ns(tid: int) -> int:
    """CPU time of a thread of this process."""
    return time.clock_gettime_ns((~tid << 3) | 6)


@dataclass(frozen=True)
class Cost:
    """In ns, of one execution: on average, and the largest of those during which the machine did not stand still."""

    executions: int
    mean: float
    largest: float


class Costs(threading.Thread):
    """Where there is no probe."""

    def __init__(self, nodes: dict[str, Any], threads: dict[str, int]) -> None:
        """Blocks as flowgraph.Node, and the threads of some of them."""
        super().__init__(daemon=True)
        self.rows = [(nodes[name], tid) for name, tid in threads.items()]
        self.names = list(threads)
        self.events: list[list[Execution]] = [[] for _ in self.rows]
        self.ended = False

    def run(self) -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        except OSError:
            pass  # executions are not told apart as often then
        last = [-1] * len(self.rows)
        while not self.ended:
            for index, (node, tid) in enumerate(self.rows):
                items = node.items()
                if items != last[index]:
                    last[index] = items
                    try:
                        self.events[index].append(Execution(time.monotonic_ns(), items, thread_ns(tid)))
                    except OSError:
                        pass  # the thread has ended
            time.sleep(PAUSE_S)

    def finish(self) -> dict[str, list[Execution]]:
        self.ended = True
        self.join()
        return dict(zip(self.names, self.events))


def whole(events: list[Execution], size: int) -> list[Execution]:
    """Those at which all of an execution was done: some blocks do it piece by piece, packets for example."""
    found: list[Execution] = []
    for event in events:
        if not found or event.items // size > found[-1].items // size:
            found.append(event)
    return found


def judge(events: list[Execution], size: int, stops: list[Stop]) -> Cost | None:
    """Executions have so many items. Of several between two readings, all but one are taken to have cost as much as on average: what is above
    that, one did."""
    events = whole(events, size)
    if len(events) < 2:
        return None
    executions = (events[-1].items - events[0].items) // size
    if executions < 1:
        return None
    mean = (events[-1].cpu - events[0].cpu) / executions
    ends, largest = [stop.end for stop in stops], mean
    for one, other in zip(events, events[1:]):
        at = bisect.bisect_right(ends, one.time)
        if at < len(stops) and stops[at].begin < other.time:
            continue
        largest = max(largest, other.cpu - one.cpu - (max(1, (other.items - one.items) // size) - 1) * mean)
    return Cost(executions, mean, largest)


class Quiet:
    """How disturbed the machine is, from when this is made."""

    def __init__(self) -> None:
        self.begin = self.read()

    @staticmethod
    def read() -> tuple[float, float, float]:
        """In s of one core: the time, what others than this process used of it, what the host took."""
        try:
            words = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        except (OSError, ValueError):
            return time.monotonic(), 0, 0
        user, nice, system, _, _, irq, softirq, stolen = (word / os.sysconf("SC_CLK_TCK") for word in words)
        return time.monotonic(), user + nice + system + irq + softirq - time.process_time(), stolen

    def disturbance(self, stops: list[Stop]) -> tuple[str, bool]:
        """In words, empty where there was none to speak of; and whether it is more than other programs, which priorities keep away."""
        stops = long(stops)
        passed, others, stolen = (now - then for now, then in zip(self.read(), self.begin))
        cores, stood = passed * (os.cpu_count() or 1), sum(stop.length for stop in stops) / 1e9
        found = []
        if others > BUSY * cores:
            found.append(f"other programs used {100 * others / cores:.0f} % of the cores")
        if stolen > STOLEN * cores:
            found.append(f"the host took {100 * stolen / cores:.0f} % of them")
        if stood > STOLEN * passed:
            found.append(f"a core stood still {len(stops)} times, for {stood * 1000:.1f} ms together")
        return ", ".join(found), stolen > STOLEN * cores or stood > STOLEN * passed
