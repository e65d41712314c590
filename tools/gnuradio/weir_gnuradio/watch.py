# SPDX-License-Identifier: Apache-2.0
"""How long samples take through a running flowgraph: from when a block has written them to when a sink has taken what came of them.

The probe knows these moments. Where it is not to be had, a thread reads GNU Radio's counters of items again and again: between two
readings it is not known when a counter moved, so that of each latency a lower and an upper limit are known. Both are true, whatever
the readings were disturbed by."""

from __future__ import annotations

import bisect
import os
import threading
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterable

from .probe import Execution
from .stops import Stop, long

PAUSE_S = (50e-6, 300e-6)  # the least and the most
CATCH_UP = 2  # times as long as it stood still: blocks are twice as fast as their rate at least, or the plan is none
PRIORITY = 60  # above the threads that are watched


@dataclass
class Seen:
    """The longest latency is at least `low` and at most `high`, in ns."""

    low: int = 0
    high: int = 0
    count: int = 0
    calm: int = 0  # how many of them there were during which no core stood still, or had just done so
    calm_low: int = 0  # the longest of these
    calm_high: int = 0
    above: int = 0  # how many certainly took longer than the bound
    unexplained: int = 0  # and more than cores that stood still explain
    stood: int = 0  # how many were under way when a core stood still for so long that little can be said


@dataclass(frozen=True)
class Move:
    """Of a counter to so many items: not before `first`, not after `last`, in ns."""

    items: int
    first: int
    last: int


def exact(executions: Iterable[Execution]) -> list[Move]:
    return [Move(execution.items, execution.time, execution.time) for execution in executions]


class Watch(threading.Thread):
    """Where there is no probe."""

    def __init__(self, starts: list[Any], ends: list[Any], bound_ns: float) -> None:
        """Blocks where latencies start and end; and the least that matters."""
        super().__init__(daemon=True)
        self.pause_s = min(max(bound_ns / 20e9, PAUSE_S[0]), PAUSE_S[1])
        self.counters = [block.nitems_written for block in starts] + [block.nitems_read for block in ends]
        self.moves: list[list[Move]] = [[] for _ in self.counters]
        self.ended = False

    def run(self) -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        except OSError:
            pass  # readings are further apart then, and say less
        last, before = [int(counter(0)) for counter in self.counters], time.monotonic_ns()
        while not self.ended:
            began = time.monotonic_ns()
            counts = [int(counter(0)) for counter in self.counters]
            ended = time.monotonic_ns()
            for moves, old, new in zip(self.moves, last, counts):
                if new != old:
                    moves.append(Move(new, before, ended))
            last, before = counts, began
            time.sleep(self.pause_s)

    def finish(self) -> list[list[Move]]:
        """Of each start, and of each end."""
        self.ended = True
        self.join()
        return self.moves


class Disturbance:
    """When cores stood still, or had done so just before and the blocks caught up."""

    def __init__(self, stops: list[Stop]) -> None:
        self.stops = sorted((Stop(stop.begin, stop.end + CATCH_UP * stop.length) for stop in stops), key=lambda stop: stop.begin)
        self.longest = max((stop.length for stop in self.stops), default=0)

    def between(self, begin: int, end: int) -> int:
        """How much longer a latency can be for it, in ns. Stops may overlap, since they were made longer; none is longer than the longest."""
        total, at = 0, bisect.bisect_left(self.stops, end, key=lambda stop: stop.begin)
        while at > 0 and self.stops[at - 1].begin > begin - self.longest:
            at -= 1
            if self.stops[at].end > begin:
                total += self.stops[at].length
        return total


def longest(writes: list[Move], takes: list[Move], ratio: Fraction, stops: list[Stop], bound: Fraction | None) -> Seen:
    """From what was written to when so many items for each of it were taken."""
    seen, at, all_stops, long_stops = Seen(), 0, Disturbance(stops), Disturbance(long(stops))
    for write in writes:
        due = int(write.items * ratio)
        while at < len(takes) and takes[at].items < due:
            at += 1
        if at == len(takes):
            break
        low, high = max(0, takes[at].first - write.last), max(0, takes[at].last - write.first)
        more = all_stops.between(write.first, takes[at].last)
        seen.low, seen.high = max(seen.low, low), max(seen.high, high)
        seen.count += 1
        seen.stood += long_stops.between(write.first, takes[at].last) > 0
        if not more:
            seen.calm += 1
            seen.calm_low, seen.calm_high = max(seen.calm_low, low), max(seen.calm_high, high)
        if bound is not None and low > bound:
            seen.above += 1
            seen.unexplained += low > bound + more
    return seen
