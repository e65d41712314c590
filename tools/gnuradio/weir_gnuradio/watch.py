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

from .stops import Stop

PAUSE_S = (50e-6, 300e-6)  # the least and the most
CATCH_UP = 2  # times as long as it stood still: blocks are twice as fast as their rate at least, or the plan is none
PRIORITY = 60  # above the threads that are watched


@dataclass
class Seen:
    """The longest latency is at least `low` and at most `high`, in ns."""

    low: int = 0
    high: int = 0
    count: int = 0
    undisturbed: int = 0  # `low` of those during which the machine did not stand still
    undisturbed_high: int = 0  # and `high`
    above: int = 0  # how many certainly took longer than the bound
    above_undisturbed: int = 0
    disturbed: int = 0  # how many others there were


@dataclass
class State:
    """Of the counters: all of it was true from `first` at the latest to `last` at least, in ns."""

    first: int
    last: int
    written: int
    taken: list[int]


class Watch(threading.Thread):
    def __init__(self, start: Any, ends: dict[str, Any], ratios: dict[str, Fraction], bound_ns: float) -> None:
        """Blocks; the items that an end takes for one that the start writes; and the least latency that matters."""
        super().__init__(daemon=True)
        self.pause_s = min(max(bound_ns / 20e9, PAUSE_S[0]), PAUSE_S[1])
        self.start_block, self.ends, self.ratios = start, ends, ratios
        self.states: list[State] = []
        self.stops: list[Stop] = []
        self.ended = False

    def run(self) -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        except OSError:
            pass  # readings are further apart then, and say less
        while not self.ended:
            before = time.monotonic_ns()
            written = int(self.start_block.nitems_written(0))
            taken = [int(block.nitems_read(0)) for block in self.ends.values()]
            after = time.monotonic_ns()
            if self.states and self.states[-1].written == written and self.states[-1].taken == taken:
                self.states[-1].last = before
            else:
                self.states.append(State(after, before, written, taken))
            time.sleep(self.pause_s)

    def finish(self, stops: list[Stop], bounds: dict[str, Fraction]) -> dict[str, Seen]:
        """By end, with the bounds of some; what was under way while the machine stood still, or so soon after that it had to catch up, is told apart."""
        self.ended = True
        self.join()
        self.stops = [Stop(stop.begin, stop.end + CATCH_UP * stop.length) for stop in stops]
        return {name: self.longest(index, self.ratios[name], bounds.get(name)) for index, name in enumerate(self.ends)}

    def longest(self, end: int, ratio: Fraction, bound: Fraction | None) -> Seen:
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
            high = self.states[at].first - before.last
            seen.low, seen.high = max(seen.low, low), max(seen.high, high)
            seen.count += 1
            above = bound is not None and low > bound
            seen.above += above
            if self.stood_still(before.last, self.states[at].first):
                seen.disturbed += 1
            else:
                seen.undisturbed, seen.undisturbed_high = max(seen.undisturbed, low), max(seen.undisturbed_high, high)
                seen.above_undisturbed += above
        return seen

    def stood_still(self, begin: int, end: int) -> bool:
        """Stops may overlap, since they were made longer; none is longer than the longest."""
        at = bisect.bisect_left(self.stops, end, key=lambda stop: stop.begin)
        longest = max((stop.length for stop in self.stops), default=0)
        while at > 0 and self.stops[at - 1].begin > begin - longest:
            at -= 1
            if self.stops[at].end > begin:
                return True
        return False
