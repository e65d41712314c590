#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a GNU Radio flowgraph as a plan says: the JSON of `weir analyze --json` for the batched model, whose operators are the blocks.

Every block does the samples of one of its periods at once, and its thread is scheduled by deadline with its cost and period. Where the
kernel refuses that, threads get fixed priorities, the shorter the period the higher; where it refuses those, they stay normal."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import scheduling
from flowgraph import Flowgraph, Loader, fail

NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
PRIORITY_MAX = 50  # below what kernels give their own threads
SETTLE_S = 0.2


@dataclass(frozen=True)
class Task:
    cost_ns: float
    period_ns: Fraction


def read_plan(path: str) -> dict[str, Task]:
    try:
        with open(path, encoding="utf-8") as text:
            plan = json.load(text, parse_float=Fraction)
        if plan["engine"] != "global-edf" or not plan["schedulable"]:
            fail(f"{path}: this is no plan of a pool of cores, or it is not schedulable")
        scale = NS[plan["unit"]]
        return {o["name"]: Task(float(o["cost"] * scale), Fraction(o["period"]) * scale) for o in plan["operators"]}
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    except ValueError as error:
        fail(f"{path}: {error}")
    except (KeyError, TypeError):
        fail(f"{path}: expected what 'weir analyze --json' prints for a model with a pool of cores and a unit of time")


def source_batch(flowgraph: Flowgraph, plan: dict[str, Task], rate: float) -> int:
    """The source's samples in one period, which every block must have: rate batching."""
    for here, there in ((set(plan), set(flowgraph.nodes)), (set(flowgraph.nodes), set(plan))):
        if here - there:
            where = "flowgraph" if here == set(plan) else "plan"
            fail(f"{', '.join(sorted(here - there))}: not in the {where}; merged operators cannot be applied")
    sizes = {round(task.period_ns * Fraction(rate) / NS["s"]) for task in plan.values()}
    if len(sizes) != 1:
        fail("the blocks have different periods: make the plan with 'weir explore --batch rate'")
    size = sizes.pop()
    if size < 1 or size % flowgraph.unit():
        fail(f"the plan has {size} samples of the source at once, which is no multiple of {flowgraph.unit()}")
    return size


def try_deadlines(threads: dict[str, int], plan: dict[str, Task], margin: float) -> None:
    reservations = {n: scheduling.reserve(plan[n].cost_ns, float(plan[n].period_ns), margin) for n in threads}
    scheduling.rehearse(list(reservations.values()))
    for name, tid in threads.items():
        scheduling.insist(tid, reservations[name])


def try_priorities(threads: dict[str, int], plan: dict[str, Task]) -> None:
    periods = sorted({plan[name].period_ns for name in threads})
    for name, tid in threads.items():
        scheduling.set_fifo(tid, max(1, PRIORITY_MAX - periods.index(plan[name].period_ns)))


def schedule(threads: dict[str, int], plan: dict[str, Task], arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """The policy that all threads now have, and why it is no better one."""
    ways = {
        "deadline": lambda: try_deadlines(threads, plan, arguments.margin),
        "fifo": lambda: try_priorities(threads, plan),
    }
    reasons = []
    for policy in list(ways)[["deadline", "fifo", "normal"].index(arguments.policy) :]:
        try:
            ways[policy]()
            return policy, reasons
        except OSError as error:
            reasons.append(f"{policy} scheduling is refused: {error.strerror}")
            for tid in threads.values():
                scheduling.set_normal(tid)
    return "normal", reasons


def run(flowgraph: Flowgraph, plan: dict[str, Task], batch: int, arguments: argparse.Namespace) -> dict[str, Any]:
    flowgraph.set_batch(batch)
    flowgraph.start()
    try:
        time.sleep(SETTLE_S)
        threads = flowgraph.threads()
        lost = [name for name in flowgraph.nodes if name not in threads]
        if lost:
            print(f"no thread is found for {', '.join(lost)}: their scheduling stays as it is")
        policy, reasons = schedule(threads, plan, arguments)
        for reason in reasons:
            print(reason)
        print(f"policy: {policy}; {batch} samples of the source at once")
        attributes = {name: scheduling.describe(scheduling.read_back(tid)) for name, tid in threads.items()}
        for name, text in attributes.items():
            node = flowgraph.nodes[name]
            print(f"  {name}: {node.samples(batch)} samples, output multiple {node.block.output_multiple()}, thread {threads[name]}, {text}")
        before = {name: node.items() for name, node in flowgraph.nodes.items()}
        time.sleep(arguments.seconds)
        flowed = {name: node.items() - before[name] for name, node in flowgraph.nodes.items()}
    finally:  # threads end as they are: only so the kernel gets back what it reserved
        flowgraph.top.stop()
        flowgraph.top.wait()
    print(f"ran {arguments.seconds:g} s: " + ", ".join(f"{name} {count}" for name, count in flowed.items()) + " samples")
    return {"policy": policy, "reasons": reasons, "batch": batch, "threads": attributes, "samples": flowed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flowgraph", help="a Python file with a top_block class, or a .grc file")
    parser.add_argument("plan", help="what 'weir analyze --json' printed for the batched model")
    parser.add_argument("--class", dest="class_name", help="the top_block class, where there are several")
    parser.add_argument("--rate", type=float, help="samples a second at the source, where no throttle says it")
    parser.add_argument("--seconds", type=float, default=5.0, help="to run; 5 unless given")
    parser.add_argument("--policy", choices=["deadline", "fifo", "normal"], default="deadline", help="the best to try")
    parser.add_argument("--margin", type=float, default=0.5, help="share of the cost that a thread gets on top; 0.5 unless given")
    parser.add_argument("--json", help="a file for what was applied and what flowed")
    arguments = parser.parse_args()
    if arguments.seconds <= 0 or arguments.margin < 0:
        fail("--seconds is above 0, --margin not below")
    plan = read_plan(arguments.plan)
    flowgraph = Loader(arguments.flowgraph, arguments.class_name).flowgraph()
    rate = arguments.rate or flowgraph.rate()
    if not rate:
        fail("how many samples a second? No throttle says it, so --rate must")
    report = run(flowgraph, plan, source_batch(flowgraph, plan, rate), arguments)
    if arguments.json:
        try:
            with open(arguments.json, "w", encoding="utf-8") as out:
                json.dump(report, out, indent=2)
                out.write("\n")
        except OSError as error:
            fail(f"cannot write {arguments.json}: {error.strerror}")


if __name__ == "__main__":
    main()
