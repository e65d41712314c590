# SPDX-License-Identifier: Apache-2.0
"""How late sinks are whatever the order in which threads get the cores, as long as no core is idle while one could run: as under
SCHED_FIFO with one priority. docs/concepts/pool-of-cores.md has the proof ("In any order")."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Step:
    """The target waits for the source: for samples, execution j for execution j + shift; or for room."""

    source: str
    target: str
    shift: int = 0
    room: bool = False


def steps_of(flowgraph: Any, batch: int) -> list[Step]:
    """Of a flowgraph.Flowgraph. What is not behind the block that sets the pace runs ahead of it: it waits for room, not for samples."""
    paced = {pace.name for pace in flowgraph.paces().values()}
    while True:
        more = {target for source, _, target, _ in flowgraph.connections if source in paced} - paced
        if not more:
            break
        paced |= more
    steps = []
    for source, _, target, port in flowgraph.connections:
        node = flowgraph.nodes[target]
        if source not in paced:
            steps.append(Step(target, source, room=True))
            continue
        waited = node.thresholds[port] if port < len(node.thresholds) else node.decimation
        size = node.samples(batch)
        steps.append(Step(source, target, -(-(size - node.decimation + waited) // size) - 1))
    return steps


def bounds(costs: dict[str, Fraction], steps: list[Step], cores: int, period: Fraction) -> dict[str, Fraction] | None:
    """By node, from when a batch is full to the end of the execution that takes what came of it; None where rounds may overlap."""
    order = sort(list(costs), steps)
    if order is None:
        return None
    rounds = rounds_of(order, steps)
    longest: dict[str, Fraction] = {}  # chain of executions in a round that ends here
    for name in order:
        longest[name] = costs[name] + max((longest[step.source] for step in steps if step.target == name), default=Fraction(0))
    later = {name: {name} for name in costs}  # those that cannot run in a round before this one has
    for name in reversed(order):
        for step in steps:
            if step.source == name and not step.room and rounds[step.target] == rounds[name] + step.shift:
                later[name] |= later[step.target]
    found, parts = {}, parts_of(list(costs), steps)
    for name in order:
        others = sum(cost * (1 if parts[other] == parts[name] else 2) for other, cost in costs.items() if other not in later[name])
        others += costs[name] - longest[name]
        found[name] = longest[name] + max(others, Fraction(0)) / cores
    if max(found.values()) > period:
        return None
    return {name: found[name] + rounds[name] * period for name in costs}


def rounds_of(order: list[str], steps: list[Step]) -> dict[str, int]:
    """By node: execution j is in round j + this, which begins when batch j + this is full."""
    rounds: dict[str, int] = {}
    for name in order:
        rounds[name] = max((rounds[step.source] + step.shift for step in steps if step.target == name), default=0)
    return rounds


def parts_of(names: list[str], steps: list[Step]) -> dict[str, int]:
    """Those that steps connect: the batches of others are full at other moments."""
    part = {name: number for number, name in enumerate(names)}
    for step in steps:
        old, new = part[step.source], part[step.target]
        part = {name: new if number == old else number for name, number in part.items()}
    return part


def sort(names: list[str], steps: list[Step]) -> list[str] | None:
    """So that each follows those that it waits for."""
    order: list[str] = []
    left = {name: {step.source for step in steps if step.target == name} for name in names}
    while left:
        ready = [name for name, waited in left.items() if not waited & left.keys()]
        if not ready:
            return None
        order += ready
        for name in ready:
            del left[name]
    return order
