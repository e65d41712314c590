# SPDX-License-Identifier: Apache-2.0
"""How long samples take through a running flowgraph, by its own counters of items.

A thread reads how many items the block that sets the pace has written, and how many each sink has taken, again and again. Between two
readings it is not known when a counter moved, so that of each latency a lower and an upper limit are known: both are true, whatever the
readings were disturbed by."""

from __future__ import annotations

import bisect
import os
import threading
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

PAUSE_S = 50e-6
PRIORITY = 60  # above the threads that are watched
STOP_NS = 500_000  # between two readings: the machine stood still, as virtual ones do


@dataclass
class Seen:
    """The longest latency is at least `low` and at most `high`, in ns."""

    low: int = 0
    high: int = 0
    count: int = 0
    undisturbed: int = 0  # `low` of those during which the machine did not stand still
    disturbed: int = 0  # how many others there were


@dataclass
class State:
    """Of the counters: all of it was true from `first` at the latest to `last` at least, in ns."""

    first: int
    last: int
    written: int
    taken: list[int]


class Watch(threading.Thread):
    def __init__(self, start: Any, ends: dict[str, Any], ratios: dict[str, Fraction]) -> None:
        """Blocks; and the items that an end takes for one that the start writes."""
        super().__init__(daemon=True)
        self.start_block, self.ends, self.ratios = start, ends, ratios
        self.states: list[State] = []
        self.stops: list[tuple[int, int]] = []  # when it began to stand still, and when it went on
        self.ended = False

    def run(self) -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        except OSError:
            pass  # readings are further apart then, and say less
        last = time.monotonic_ns()
        while not self.ended:
            before = time.monotonic_ns()
            if before - last > STOP_NS:
                self.stops.append((last, before))
            last = before
            written = int(self.start_block.nitems_written(0))
            taken = [int(block.nitems_read(0)) for block in self.ends.values()]
            after = time.monotonic_ns()
            if self.states and self.states[-1].written == written and self.states[-1].taken == taken:
                self.states[-1].last = before
            else:
                self.states.append(State(after, before, written, taken))
            time.sleep(PAUSE_S)

    def finish(self) -> dict[str, Seen]:
        """By end."""
        self.ended = True
        self.join()
        return {name: self.longest(index, self.ratios[name]) for index, name in enumerate(self.ends)}

    def longest(self, end: int, ratio: Fraction) -> Seen:
        seen, at = Seen(), 1
        for k in range(1, len(self.states)):
            before, now = self.states[k - 1], self.states[k]
            if now.written == before.written:
                continue
            due = int(now.written * ratio)
            while at < len(self.states) and self.states[at].taken[end] < due:
                at += 1
            if at == len(self.states):
                break
            low = self.states[at - 1].last - now.first
            seen.low = max(seen.low, low)
            seen.high = max(seen.high, self.states[at].first - before.last)
            seen.count += 1
            if self.stood_still(before.last, self.states[at].first):
                seen.disturbed += 1
            else:
                seen.undisturbed = max(seen.undisturbed, low)
        return seen

    def stood_still(self, begin: int, end: int) -> bool:
        at = bisect.bisect_right(self.stops, (begin, begin))
        return any(a < end and b > begin for a, b in self.stops[max(0, at - 1) : at + 1])
