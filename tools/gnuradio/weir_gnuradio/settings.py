# SPDX-License-Identifier: Apache-2.0
"""What a plan sets of a flowgraph: the batches and buffers of its blocks, the scheduling of their threads. Kept as a file, for applications
that are to run with it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from . import scheduling
from .flowgraph import set_batch

PRIORITY_MAX = 50  # below what kernels give their own threads
POLICIES = ["deadline", "fifo", "normal"]


def make(flowgraph: Any, batch: int, tasks: dict[str, Any], policy: str, margin: float, any_order: bool) -> dict[str, Any]:
    """Of a flowgraph.Flowgraph, for tasks with a cost and one period; any_order: there are bounds that hold in whatever order threads run."""
    blocks = {}
    for name, node in flowgraph.nodes.items():
        reservation = scheduling.reserve(tasks[name].cost_ns, float(tasks[name].period_ns), margin)
        blocks[name] = {
            "output": flowgraph.forced(node, batch),
            "buffer": flowgraph.room(node, batch) if flowgraph.takers(node) else None,
            "priority": PRIORITY_MAX,
            **asdict(reservation),
        }
    shortest = min(float(task.period_ns) for task in tasks.values())
    reasons = []
    if policy == "auto":
        policy = "fifo" if any_order else "deadline"
        reasons.append(
            "first come, first served: a batch is through before the next one comes, so that the bounds hold in whatever order threads run; and "
            "no thread is held back when an execution costs more than the largest that was measured"
            if any_order
            else "by deadline: batches overlap, so that the order matters in which threads run"
        )
    if policy == "deadline" and shortest < scheduling.PERIOD_MIN_NS:
        reasons.append(
            f"Linux takes periods from {scheduling.PERIOD_MIN_NS / 1000:g} us on, and the shortest here is {shortest / 1000:.4g} us: several are "
            "put together, and blocks may be later than the plan says"
        )
    return {"weir": 1, "policy": policy, "reasons": reasons, "blocks": blocks}


def set_batches(wanted: dict[str, Any], blocks: dict[str, Any]) -> None:
    """Before the start."""
    for name, block in blocks.items():
        set_batch(block, wanted["blocks"][name]["output"], wanted["blocks"][name]["buffer"])


def try_deadlines(wanted: dict[str, Any], threads: dict[str, int]) -> None:
    reservations = {
        name: scheduling.Reservation(*(wanted["blocks"][name][key] for key in ("runtime", "deadline", "period"))) for name in threads
    }
    scheduling.rehearse(list(reservations.values()))
    for name, tid in threads.items():
        scheduling.insist(tid, reservations[name])


def try_priorities(wanted: dict[str, Any], threads: dict[str, int]) -> None:
    for name, tid in threads.items():
        scheduling.set_fifo(tid, wanted["blocks"][name]["priority"])


def schedule(wanted: dict[str, Any], threads: dict[str, int]) -> tuple[str, list[str]]:
    """The policy that all threads now have, and why it is this one."""
    ways = {"deadline": try_deadlines, "fifo": try_priorities}
    reasons = list(wanted["reasons"])
    for policy in POLICIES[POLICIES.index(wanted["policy"]) : -1]:
        try:
            ways[policy](wanted, threads)
            return policy, reasons
        except OSError as error:
            reasons.append(f"{policy} scheduling is refused: {error.strerror}")
            for tid in threads.values():
                scheduling.set_normal(tid)
    return "normal", reasons


def write(path: str, what: dict[str, Any]) -> None:
    try:
        with open(path, "w", encoding="utf-8") as out:
            json.dump(what, out, indent=2)
            out.write("\n")
    except OSError as error:
        print(f"cannot write {path}: {error.strerror}", file=sys.stderr)
        sys.exit(74)
