#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a GNU Radio flowgraph as a plan says: the JSON of `weir analyze --json` for the batched model, whose operators are the blocks.

Every block does the samples of one of its periods at once, and its thread is scheduled by deadline with its cost and period. Where the
kernel refuses that, or a period is shorter than it takes, threads get fixed priorities, the shorter the period the higher; where it
refuses those, they stay normal. Then what came out is held against the plan: exit status 1 where a block was too slow."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import scheduling
from flowgraph import Flowgraph, Loader, fail, thread_ns
from watch import Seen, Watch

NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
PRIORITY_MAX = 50  # below what kernels give their own threads
SETTLE_S = 0.2
SLACK = 0.01  # of a rate: clocks, and what is under way at both ends


@dataclass(frozen=True)
class Task:
    cost_ns: float
    period_ns: Fraction


@dataclass(frozen=True)
class Plan:
    tasks: dict[str, Task]
    bounds: dict[str, Fraction]  # by sink: of the latency from where a batch is full, in ns


def read_plan(path: str) -> Plan:
    try:
        with open(path, encoding="utf-8") as text:
            plan = json.load(text, parse_float=Fraction)
        if plan["engine"] != "global-edf" or not plan["schedulable"]:
            fail(f"{path}: this is no plan of a pool of cores, or it is not schedulable")
        scale = NS[plan["unit"]]
        tasks = {o["name"]: Task(float(o["cost"] * scale), Fraction(o["period"]) * scale) for o in plan["operators"]}
        bounds: dict[str, Fraction] = {}
        for latency in plan["latency"]:
            if latency["worst"] is not None:
                bound = (Fraction(latency["worst"]) - Fraction(latency.get("gathering") or 0)) * scale
                bounds[latency["to"]] = max(bound, bounds.get(latency["to"], Fraction(0)))
        return Plan(tasks, bounds)
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
    choice = arguments.policy
    shortest = min(float(plan[name].period_ns) for name in threads) if threads else scheduling.PERIOD_MIN_NS
    if choice == "auto":
        choice = "deadline" if shortest >= scheduling.PERIOD_MIN_NS else "fifo"
        if choice == "fifo":
            reasons.append(
                f"deadline scheduling is left out: Linux takes periods from {scheduling.PERIOD_MIN_NS / 1000:g} us on, and the shortest "
                f"here is {shortest / 1000:.4g} us; several put together would be later than the plan says"
            )
    for policy in list(ways)[["deadline", "fifo", "normal"].index(choice) :]:
        try:
            ways[policy]()
            return policy, reasons
        except OSError as error:
            reasons.append(f"{policy} scheduling is refused: {error.strerror}")
            for tid in threads.values():
                scheduling.set_normal(tid)
    return "normal", reasons


def describe(seen: Seen) -> dict[str, int]:
    return {
        "low_ns": seen.low,
        "high_ns": seen.high,
        "batches": seen.count,
        "undisturbed_ns": seen.undisturbed,
        "disturbed": seen.disturbed,
    }


class Overruns:
    """How often the kernel held back a thread that had used up its runtime."""

    def __init__(self) -> None:
        self.count = 0
        signal.signal(signal.SIGXCPU, self.note)

    def note(self, _number: int, _frame: Any) -> None:
        self.count += 1


def tell_latency(report: dict[str, Any], name: str, bound: Fraction | None) -> str:
    seen = report["latency"][name]
    text = f"{report['pace']} -> {name}: the longest of {seen['batches']} batches took {seen['low_ns'] / 1000:.4g} to {seen['high_ns'] / 1000:.4g} us"
    text += f", the bound from a full batch on is {float(bound) / 1000:.4g} us" if bound is not None else ", and there is no bound"
    if seen["disturbed"]:
        text += (
            f"; while {seen['disturbed']} of them were under way the whole machine stood still, for up to {report['stood_still_ns'] / 1000:.4g} us: "
            f"the longest of the others took {seen['undisturbed_ns'] / 1000:.4g} us or more"
        )
    return text


def judge(flowgraph: Flowgraph, whole: Plan, report: dict[str, Any], rate: float) -> list[str]:
    """What contradicts the plan, in words."""
    found, plan = [], whole.tasks
    for name, seen in report["latency"].items():
        if name in whole.bounds and seen["low_ns"] > whole.bounds[name]:
            found.append(tell_latency(report, name, whole.bounds[name]))
    for name, node in flowgraph.nodes.items():
        seconds, flowed = report["seconds"], report["samples"][name]
        wanted = rate * float(node.made if node.is_source else node.taken) * seconds
        if flowed + 2 * node.samples(report["batch"]) < (1 - SLACK) * wanted:
            found.append(f"{name} did {flowed} samples in {seconds:.3g} s, {100 * flowed / wanted:.3g} % of its rate")
    for name, spent in report["spent_ns"].items():
        if spent > plan[name].cost_ns:
            found.append(f"{name} took {spent / 1000:.4g} us for an execution on average, and the plan has {plan[name].cost_ns / 1000:.4g} us")
    if report["overruns"]:
        found.append(
            f"the kernel held back threads {report['overruns']} times, when they had used up their runtime: a larger --margin, or --policy fifo"
        )
    return found


def run(flowgraph: Flowgraph, plan: dict[str, Task], batch: int, arguments: argparse.Namespace) -> dict[str, Any]:
    overruns = Overruns()
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
        pace, sinks = flowgraph.pace(), flowgraph.sinks()
        ratios = {name: node.taken / pace.made for name, node in sinks.items()}
        watch = Watch(pace.block, {name: node.block for name, node in sinks.items()}, ratios)
        overruns.count = 0
        watch.start()
        begin = time.monotonic_ns()
        before = {name: node.items() for name, node in flowgraph.nodes.items()}
        cpu = {name: thread_ns(tid) for name, tid in threads.items()}
        time.sleep(arguments.seconds)
        flowed = {name: node.items() - before[name] for name, node in flowgraph.nodes.items()}
        cpu = {name: thread_ns(tid) - cpu[name] for name, tid in threads.items()}
        seconds = (time.monotonic_ns() - begin) / NS["s"]
        latency = watch.finish()
    finally:  # threads end as they are: only so the kernel gets back what it reserved
        flowgraph.top.stop()
        flowgraph.top.wait()
    print(f"ran {seconds:.3g} s: " + ", ".join(f"{name} {count}" for name, count in flowed.items()) + " samples")
    executions = {name: flowed[name] // flowgraph.nodes[name].samples(batch) for name in threads}
    return {
        "policy": policy,
        "reasons": reasons,
        "batch": batch,
        "seconds": seconds,
        "threads": attributes,
        "samples": flowed,
        "spent_ns": {name: round(cpu[name] / executions[name], 1) for name in threads if executions[name]},
        "overruns": overruns.count,
        "pace": pace.name,
        "latency": {name: describe(s) for name, s in latency.items()},
        "stood_still_ns": max((end - begin for begin, end in watch.stops), default=0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flowgraph", help="a Python file with a top_block class, or a .grc file")
    parser.add_argument("plan", help="what 'weir analyze --json' printed for the batched model")
    parser.add_argument("--class", dest="class_name", help="the top_block class, where there are several")
    parser.add_argument("--rate", type=float, help="samples a second at the source, where no throttle says it")
    parser.add_argument("--seconds", type=float, default=5.0, help="to run; 5 unless given")
    parser.add_argument("--policy", choices=["auto", "deadline", "fifo", "normal"], default="auto", help="the best to try")
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
    report = run(flowgraph, plan.tasks, source_batch(flowgraph, plan.tasks, rate), arguments)
    for name in report["latency"]:
        print(tell_latency(report, name, plan.bounds.get(name)))
    report["verdict"] = judge(flowgraph, plan, report, rate)
    for sentence in report["verdict"]:
        print(f"NOT AS PLANNED: {sentence}")
    if not report["verdict"]:
        sure = all(seen["high_ns"] <= plan.bounds.get(name, -1) for name, seen in report["latency"].items())
        print("as planned: every block kept its rate and its cost" + (", and every latency its bound" if sure else ""))
    if arguments.json:
        try:
            with open(arguments.json, "w", encoding="utf-8") as out:
                json.dump(report, out, indent=2)
                out.write("\n")
        except OSError as error:
            fail(f"cannot write {arguments.json}: {error.strerror}")
    sys.exit(1 if report["verdict"] else 0)


if __name__ == "__main__":
    main()
