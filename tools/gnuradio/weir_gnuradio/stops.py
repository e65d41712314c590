# SPDX-License-Identifier: Apache-2.0
"""Times at which a core did nothing at all, as those of virtual machines do when their host has other things to do.

On every core a thread of the highest priority looks at the clock again and again (probe.c). When it was not let run for longer than it
wanted to sleep, then nobody was, save for the kernel itself."""

from __future__ import annotations

from dataclasses import dataclass

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


def together(stops: list[Stop]) -> list[Stop]:
    """In the order of their begin, those that overlap put together."""
    found: list[Stop] = []
    for stop in sorted(stops, key=lambda s: s.begin):
        if found and stop.begin <= found[-1].end:
            found[-1] = Stop(found[-1].begin, max(found[-1].end, stop.end))
        else:
            found.append(stop)
    return found


def long(stops: list[Stop]) -> list[Stop]:
    """Those that count as standing still."""
    return [stop for stop in stops if stop.length >= int(PAUSE_S * 1e9) + STOP_NS]
