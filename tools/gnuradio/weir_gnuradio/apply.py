# SPDX-License-Identifier: Apache-2.0
"""Runs a GNU Radio flowgraph as a plan says: the JSON of `weir analyze --json` for the batched model, whose operators are the blocks.

Every block does the samples of one of its periods at once, out of buffers that are no larger than that takes, and its thread is scheduled
first come, first served, or by deadline. Then what came out is held against the plan: exit status 1 where it was not as planned, 4 where
the machine stood still for so long that nothing can be said."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from . import scheduling, settings
from .costs import Quiet, thread_ns
from .flowgraph import Flowgraph, Loader, fail, parse_rates
from .stops import Stop, Stops, long
from .watch import Watch

NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
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


class Overruns:
    """How often the kernel held back a thread that had used up its runtime."""

    def __init__(self) -> None:
        self.count = 0
        signal.signal(signal.SIGXCPU, self.note)

    def note(self, _number: int, _frame: Any) -> None:
        self.count += 1


def tell_latency(report: dict[str, Any], name: str, bound: Fraction | None) -> str:
    seen = report["latency"][name]
    text = f"{report['pace']} -> {name}: the longest of {seen['count']} batches took {us(seen['low'])} to {us(seen['high'])}"
    text += f", the bound from a full batch on is {us(bound)}" if bound is not None else ", and there is no bound"
    if seen["disturbed"]:
        text += (
            f"; {seen['disturbed']} of them were under way when a core stood still, for up to {us(report['stood_still_ns'])}, or soon after: "
            f"the longest of the others took {us(seen['undisturbed'])} to {us(seen['undisturbed_high'])}"
        )
    return text


def us(ns: float | Fraction) -> str:
    return f"{float(ns) / 1000:.4g} us" if ns < 1e6 else f"{float(ns) / 1e6:.4g} ms"


def judge(flowgraph: Flowgraph, whole: Plan, report: dict[str, Any], rate: float) -> list[str]:
    """What contradicts the plan, in words."""
    found, plan = [], whole.tasks
    for name, seen in report["latency"].items():
        if seen["above_undisturbed"]:
            found.append(tell_latency(report, name, whole.bounds[name]) + f"; {seen['above_undisturbed']} of these took longer than the bound")
    stood = sum(stop["end"] - stop["begin"] for stop in report["stops"]) / NS["s"]
    for name, node in flowgraph.nodes.items():
        seconds, flowed = report["seconds"], report["samples"][name]
        wanted = rate * float(node.made if node.is_source else node.taken) * (seconds - min(stood, seconds))
        if flowed + 2 * node.samples(report["batch"]) < (1 - SLACK) * wanted:
            found.append(f"{name} did {flowed} samples in {seconds:.3g} s, {100 * flowed / wanted:.3g} % of its rate")
    for name, spent in report["spent_ns"].items():
        if spent > plan[name].cost_ns:
            found.append(f"{name} took {us(spent)} for an execution on average, and the plan has {us(plan[name].cost_ns)}")
    if report["overruns"]:
        found.append(
            f"the kernel held back threads {report['overruns']} times, when they had used up their runtime: a larger --margin, or --policy fifo"
        )
    return found


def run(loader: Loader, flowgraph: Flowgraph, plan: Plan, arguments: argparse.Namespace) -> dict[str, Any]:
    overruns, rate = Overruns(), loader.rate(flowgraph)
    batch = source_batch(flowgraph, plan.tasks, rate)
    wanted = settings.make(flowgraph, batch, plan.tasks, arguments.policy, arguments.margin)
    settings.set_batches(wanted, {name: node.block for name, node in flowgraph.nodes.items()})
    flowgraph.start()
    stops = Stops()
    found: list[Stop] = []
    try:
        loader.pause(SETTLE_S)
        threads = flowgraph.threads()
        lost = [name for name in flowgraph.nodes if name not in threads]
        if lost:
            print(f"no thread is found for {', '.join(lost)}: their scheduling stays as it is")
        policy, reasons = settings.schedule(wanted, threads)
        for reason in reasons:
            print(reason)
        print(f"policy: {policy}; {batch} samples of the source at once, {us(batch / rate * NS['s'])} of them")
        attributes = {name: scheduling.describe(scheduling.read_back(tid)) for name, tid in threads.items()}
        for name, text in attributes.items():
            node = flowgraph.nodes[name]
            print(f"  {name}: {node.samples(batch)} samples, output multiple {node.block.output_multiple()}, thread {threads[name]}, {text}")
        pace, sinks = flowgraph.pace(), flowgraph.sinks()
        ratios = {name: node.taken / pace.made for name, node in sinks.items()}
        watch = Watch(pace.block, {name: node.block for name, node in sinks.items()}, ratios, float(min(plan.bounds.values(), default=Fraction(0))))
        overruns.count = 0
        quiet = Quiet()
        watch.start()
        begin = time.monotonic_ns()
        before = {name: node.items() for name, node in flowgraph.nodes.items()}
        cpu = {name: thread_ns(tid) for name, tid in threads.items()}
        loader.pause(arguments.seconds)
        flowed = {name: node.items() - before[name] for name, node in flowgraph.nodes.items()}
        cpu = {name: thread_ns(tid) - cpu[name] for name, tid in threads.items()}
        end = time.monotonic_ns()
        found = [stop for stop in long(stops.finish()) if stop.end > begin and stop.begin < end]
        latency = watch.finish(found, plan.bounds)
        disturbance, _ = quiet.disturbance(found)
    finally:  # threads end as they are: only so the kernel gets back what it reserved
        flowgraph.top.stop()
        flowgraph.top.wait()
        stops.finish()
    seconds = (end - begin) / NS["s"]
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
        "cpu": round(sum(cpu.values()) / (end - begin), 5),
        "overruns": overruns.count,
        "pace": pace.name,
        "ahead_ns": {name: float(samples) / rate * NS["s"] for name, samples in flowgraph.ahead(batch).items()},
        "latency": {name: asdict(seen) for name, seen in latency.items()},
        "bounds_ns": {name: float(bound) for name, bound in plan.bounds.items()},
        "disturbance": disturbance,
        "stops": [asdict(stop) for stop in found],
        "stood_still_ns": max((stop.length for stop in found), default=0),
        "settings": wanted,
    }


def conclude(plan: Plan, report: dict[str, Any]) -> int:
    """Says what came of it; the exit status."""
    for sentence in report["verdict"]:
        print(f"NOT AS PLANNED: {sentence}")
    if report["verdict"]:
        return 1
    latencies = report["latency"].items()
    blind = [name for name, seen in latencies if seen["disturbed"] * 2 > seen["count"]]
    if blind:
        print(f"not decided: the machine stood still so often that most of what went to {', '.join(blind)} was disturbed")
        return 4
    above = sum(seen["above"] for _, seen in latencies)
    sure = all(seen["undisturbed_high"] <= plan.bounds.get(name, -1) for name, seen in latencies)
    text = "as planned: every block kept its rate and its cost"
    text += ", and every latency its bound" if sure else ", and no latency was certainly above its bound"
    if above:
        text += f", save for {above} batches when the machine stood still"
    print(text)
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio apply", description=__doc__)
    parser.add_argument("flowgraph", help="a Python file with a top_block class, or a .grc file")
    parser.add_argument("plan", help="what 'weir analyze --json' printed for the batched model")
    parser.add_argument("--class", dest="class_name", help="the top_block class, where there are several")
    parser.add_argument("--rate", action="append", metavar="[BLOCK=]RATE", help="samples a second of a source, where no throttle says it")
    parser.add_argument("--seconds", type=float, default=5.0, help="to run; 5 unless given")
    parser.add_argument("--policy", choices=["auto", "deadline", "fifo", "normal"], default="auto", help="the best to try")
    parser.add_argument("--margin", type=float, default=0.5, help="share of the cost that a thread gets on top; 0.5 unless given")
    parser.add_argument("--json", help="a file for what was applied and what flowed")
    parser.add_argument("--settings", help="a file for what was set, which 'weir-gnuradio run' gives to an application")
    arguments = parser.parse_args()
    if arguments.seconds <= 0 or arguments.margin < 0:
        fail("--seconds is above 0, --margin not below")
    plan = read_plan(arguments.plan)
    loader = Loader(arguments.flowgraph, arguments.class_name, parse_rates(arguments.rate))
    flowgraph = loader.flowgraph()
    report = run(loader, flowgraph, plan, arguments)
    for name in report["latency"]:
        print(tell_latency(report, name, plan.bounds.get(name)))
    for name, ahead in report["ahead_ns"].items():
        print(f"{name} makes samples up to {us(ahead)} before {report['pace']} lets them through: that is in no latency here")
    if report["disturbance"]:
        print(f"meanwhile {report['disturbance']}")
    report["verdict"] = judge(flowgraph, plan, report, loader.rate(flowgraph))
    status = conclude(plan, report)
    for path, what in ((arguments.json, report), (arguments.settings, report["settings"])):
        if path:
            settings.write(path, what)
    sys.exit(status)
