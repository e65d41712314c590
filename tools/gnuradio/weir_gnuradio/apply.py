# SPDX-License-Identifier: Apache-2.0
"""Runs a GNU Radio flowgraph according to a plan: the output of `weir analyze --json` for the batched model, whose operators are the blocks.

Every block processes the samples of one of its periods at once, from buffers just large enough for that, and its thread is scheduled in
FIFO order or by deadline. The measurements are then compared with the plan: exit status 1 if they differ from it, 4 if the machine stalled
for so long that nothing can be decided."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from . import rounds, scheduling, settings
from .costs import Cost, Quiet, judge as judge_costs, thread_ns
from .flowgraph import Flowgraph, Node, fail, parse_rates
from .load import Loader
from .probe import Log
from .stops import long
from .watch import Move, Seen, Watch, exact, longest

NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
SETTLE_S = 0.2
BATCHES_MIN = 5  # in a run
SLACK = 0.01  # of a rate: clocks, and what is under way at both ends


@dataclass(frozen=True)
class Task:
    cost_ns: float
    period_ns: Fraction


@dataclass(frozen=True)
class Plan:
    tasks: dict[str, Task]
    bounds: dict[str, Fraction]  # by sink: of the latency from where a batch is full, in ns, under global EDF
    cores: int


def read_plan(path: str) -> Plan:
    try:
        with open(path, encoding="utf-8") as text:
            plan = json.load(text, parse_float=Fraction)
        if plan["engine"] != "global-edf" or not plan["schedulable"]:
            fail(f"{path}: this is not a plan of a pool of cores, or it is not schedulable")
        scale = NS[plan["unit"]]
        tasks = {o["name"]: Task(float(o["cost"] * scale), Fraction(o["period"]) * scale) for o in plan["operators"]}
        bounds: dict[str, Fraction] = {}
        for latency in plan["latency"]:
            if latency["worst"] is not None:
                bound = (Fraction(latency["worst"]) - Fraction(latency.get("gathering") or 0)) * scale
                bounds[latency["to"]] = max(bound, bounds.get(latency["to"], Fraction(0)))
        return Plan(tasks, bounds, int(plan["cores"]))
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
        fail(f"the plan has {size} samples of the source at once, which is not a multiple of {flowgraph.unit()}")
    return size


class Overruns:
    """How often the kernel held back a thread that had used up its runtime."""

    def __init__(self) -> None:
        self.count = 0
        signal.signal(signal.SIGXCPU, self.note)

    def note(self, _number: int, _frame: Any) -> None:
        self.count += 1


def tell_latency(report: dict[str, Any], name: str) -> str:
    seen, bound = report["latency"][name], report["bounds_ns"].get(name)
    text = f"{report['pace'][name]} -> {name}: the longest of {seen['count']} batches took {span(seen['low'], seen['high'])}"
    text += f", the bound from a full batch on is {us(bound)}" if bound is not None else ", and there is no bound"
    if name in report["doubts"]:
        text += f", because what {report['doubts'][name]} waits for is not known"
    if seen["calm"] < seen["count"]:
        text += f"; {seen['calm']} of them met no core that stood still"
        text += f", the longest of which took {span(seen['calm_low'], seen['calm_high'])}" if seen["calm"] else ""
    if seen["above"] > seen["unexplained"]:
        text += f"; {were(seen['above'] - seen['unexplained'])} above it because a core stood still, for up to {us(report['stood_still_ns'])}"
    return text


def us(ns: float | Fraction) -> str:
    return f"{float(ns) / 1000:.4g} us" if ns < 1e6 else f"{float(ns) / 1e6:.4g} ms"


def were(count: int) -> str:
    return "1 was" if count == 1 else f"{count} were"


def span(low: float, high: float) -> str:
    return us(low) if low == high else f"{us(low)} to {us(high)}"


def tell_ahead(report: dict[str, Any]) -> None:
    """What sources make before it is let through."""
    for name, ahead in report["ahead_ns"].items():
        text = f"{name} makes samples up to {us(ahead)} before {report['pace'][name]} lets them through, which is in no bound"
        for sink, seen in report["latency_from"].get(name, {}).items():
            text += f"; from {name} to {sink} it took {us(seen['high'])} at most"
        print(text)


def tell_costs(plan: Plan, report: dict[str, Any]) -> None:
    """Executions beyond what the bounds rest on."""
    for name, largest in report["largest_ns"].items():
        if largest > plan.tasks[name].cost_ns:
            print(f"{name} took up to {us(largest)} for an execution, the plan has {us(plan.tasks[name].cost_ns)}: what the bounds rest on did not hold")


def judge(flowgraph: Flowgraph, plan: Plan, report: dict[str, Any], rate: float) -> list[str]:
    """What contradicts the plan, in words."""
    found = []
    for name, seen in report["latency"].items():
        if seen["unexplained"]:
            found.append(tell_latency(report, name) + f"; {were(seen['unexplained'])} above it, and no core that stood still explains that")
    stood = sum(stop["end"] - stop["begin"] for stop in report["stops"]) / NS["s"]
    for name, node in flowgraph.nodes.items():
        seconds, flowed = report["seconds"], report["samples"][name]
        wanted = rate * float(node.made if node.is_source else node.taken) * (seconds - min(stood, seconds))
        if flowed + 2 * node.samples(report["batch"]) < (1 - SLACK) * wanted:
            found.append(f"{name} did {flowed} samples in {seconds:.3g} s, {100 * flowed / wanted:.3g} % of its rate")
    for name, spent in report["spent_ns"].items():
        if spent > plan.tasks[name].cost_ns:
            found.append(f"{name} took {us(spent)} for an execution on average, and the plan has {us(plan.tasks[name].cost_ns)}")
    if report["overruns"]:
        found.append(
            f"the kernel held back threads {report['overruns']} times, when they had used up their runtime: a larger --margin, or --policy fifo"
        )
    return found


def tell_start(flowgraph: Flowgraph, threads: dict[str, int], batch: int) -> dict[str, str]:
    """How each thread is scheduled."""
    attributes = {name: scheduling.describe(scheduling.read_back(tid)) for name, tid in threads.items()}
    for name, text in attributes.items():
        node = flowgraph.nodes[name]
        print(f"  {name}: {node.samples(batch)} samples, output multiple {node.block.output_multiple()}, thread {threads[name]}, {text}")
    return attributes


@dataclass
class Measured:
    """What was seen of a run from `begin` to `end`, in ns."""

    begin: int
    end: int
    flowed: dict[str, int]  # samples by block
    spent: dict[str, int]  # CPU time of threads
    log: Log
    moves: dict[str, list[Move]]  # of the blocks where latencies begin and end
    disturbance: str


def observe(loader: Loader, flowgraph: Flowgraph, threads: dict[str, int], seconds: float, bound_ns: float) -> Measured:
    """The flowgraph, which runs already."""
    paces, sinks = list(flowgraph.paces().values()), list(flowgraph.sinks().values())
    ends = [node.name for node in paces + sinks]
    watch = None if loader.probe.exact else Watch([node.block for node in paces], [node.block for node in sinks], bound_ns)
    quiet = Quiet()
    if watch:
        watch.start()
    begin = time.monotonic_ns()
    before = {name: node.items() for name, node in flowgraph.nodes.items()}
    spent = {name: thread_ns(tid) for name, tid in threads.items()}
    loader.pause(seconds)
    flowed = {name: node.items() - before[name] for name, node in flowgraph.nodes.items()}
    spent = {name: thread_ns(tid) - spent[name] for name, tid in threads.items()}
    end = time.monotonic_ns()
    if watch:
        moves = dict(zip(ends, watch.finish()))
    log = loader.probe.end()
    if not watch:
        moves = {name: exact(log.executions.get(tid, [])) for name, tid in threads.items()}
        for name, tid in threads.items():  # this thread may have been late to look
            node, events = flowgraph.nodes[name], log.executions.get(tid, [])
            first, last = ([event for event in events if event.time <= moment][-1:] for moment in (begin, end))
            if first:
                moved = (last[0].items - first[0].items) * (1 if node.is_source or not flowgraph.takers(node) else node.taken / node.made)
                flowed[name], spent[name] = int(moved), last[0].cpu - first[0].cpu
    log.stops = [stop for stop in log.stops if stop.end > begin and stop.begin < end]
    return Measured(begin, end, flowed, spent, log, moves, quiet.disturbance(log.stops)[0])


def latencies(flowgraph: Flowgraph, start: Node, seen: Measured, bounds: dict[str, Fraction]) -> dict[str, Seen]:
    """From what a block has written, by sink of its part."""
    writes = [move for move in seen.moves.get(start.name, []) if seen.begin <= move.first and move.last <= seen.end]
    return {
        name: longest(writes, seen.moves.get(name, []), node.taken / start.made, seen.log.stops, bounds.get(name))
        for name, node in flowgraph.sinks().items()
        if node.part == start.part
    }


def costs_of(flowgraph: Flowgraph, threads: dict[str, int], batch: int, seen: Measured) -> dict[str, Cost]:
    """Of single executions, where they are known."""
    found = {}
    for name, tid in threads.items():
        events = [event for event in seen.log.executions.get(tid, []) if seen.begin <= event.time <= seen.end]
        cost = judge_costs(events, flowgraph.moved(flowgraph.nodes[name], batch), seen.log.stops)
        if cost:
            found[name] = cost
    return found


def run(loader: Loader, flowgraph: Flowgraph, plan: Plan, arguments: argparse.Namespace) -> dict[str, Any]:
    overruns, rate = Overruns(), loader.rate(flowgraph)
    batch = source_batch(flowgraph, plan.tasks, rate)
    steps, costs = rounds.steps_of(flowgraph, batch), {name: Fraction(task.cost_ns) for name, task in plan.tasks.items()}
    in_any_order = rounds.bounds(costs, steps, plan.cores, next(iter(plan.tasks.values())).period_ns)
    wanted = settings.make(flowgraph, batch, plan.tasks, arguments.policy, arguments.margin, in_any_order is not None)
    settings.set_batches(wanted, {name: node.block for name, node in flowgraph.nodes.items()})
    sure = loader.probe.begin()
    flowgraph.start()
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
        attributes = tell_start(flowgraph, threads, batch)
        bounds = plan.bounds if policy == "deadline" else {name: in_any_order[name] for name in plan.bounds} if in_any_order else {}
        doubts = {name: doubt for name in bounds if (doubt := flowgraph.doubtful(name))}
        bounds = {name: bound for name, bound in bounds.items() if name not in doubts}
        overruns.count = 0
        shortest = float(BATCHES_MIN * batch / rate + max(bounds.values(), default=Fraction(0)) / NS["s"])
        seen = observe(loader, flowgraph, threads, max(arguments.seconds, shortest), float(min(bounds.values(), default=Fraction(0))))
    finally:  # threads end as they are: only so the kernel gets back what it reserved
        flowgraph.top.stop()
        flowgraph.top.wait()
        loader.probe.end()
    seconds = (seen.end - seen.begin) / NS["s"]
    print(f"ran {seconds:.3g} s: " + ", ".join(f"{name} {count}" for name, count in seen.flowed.items()) + " samples")
    executions = {name: seen.flowed[name] // flowgraph.nodes[name].samples(batch) for name in threads}
    costs_seen = costs_of(flowgraph, threads, batch, seen)
    paces, ahead = flowgraph.paces(), flowgraph.ahead(batch)
    found = {name: one for pace in paces.values() for name, one in latencies(flowgraph, pace, seen, bounds).items()}
    stops = long(seen.log.stops)
    return {
        "policy": policy,
        "reasons": reasons,
        "batch": batch,
        "seconds": seconds,
        "threads": attributes,
        "samples": seen.flowed,
        "spent_ns": {name: round(cost.mean, 1) for name, cost in costs_seen.items()}
        if loader.probe.exact
        else {name: round(seen.spent[name] / executions[name], 1) for name in threads if executions[name]},
        "largest_ns": {name: round(cost.largest, 1) for name, cost in costs_seen.items()},
        "cpu": round(sum(seen.spent.values()) / (seen.end - seen.begin), 5),
        "overruns": overruns.count,
        "pace": {name: paces[node.part].name for name, node in flowgraph.nodes.items()},
        "ahead_ns": {name: float(samples) / rate * NS["s"] for name, samples in ahead.items()},
        "probe": loader.probe.exact,
        "latency": {name: asdict(one) for name, one in found.items()},
        "latency_from": {
            name: {sink: asdict(one) for sink, one in latencies(flowgraph, flowgraph.nodes[name], seen, {}).items()}
            for name in ahead
            if loader.probe.exact
        },
        "doubts": doubts,
        "bounds_ns": {name: float(bound) for name, bound in bounds.items()},
        "disturbance": seen.disturbance if sure else "nobody looked whether cores stood still" + (f"; {seen.disturbance}" if seen.disturbance else ""),
        "stops": [asdict(stop) for stop in stops],
        "stood_still_ns": max((stop.length for stop in seen.log.stops), default=0),
        "settings": wanted,
    }


def conclude(report: dict[str, Any]) -> int:
    """Says what came of it; the exit status."""
    for sentence in report["verdict"]:
        print(f"NOT AS PLANNED: {sentence}")
    if report["verdict"]:
        return 1
    latencies = report["latency"].items()
    silent = [name for name, seen in latencies if not seen["count"]]
    if silent:
        print(f"not decided: nothing came through to {', '.join(silent)} in {report['seconds']:.3g} s")
        return 4
    blind = [name for name, seen in latencies if seen["stood"] * 2 > seen["count"]]
    if blind:
        print(f"not decided: the machine stood still so often that most of what went to {', '.join(blind)} was disturbed")
        return 4
    above = sum(seen["above"] for _, seen in latencies)
    bounds = report["bounds_ns"]
    sure = all(seen["calm_high"] <= bounds[name] for name, seen in latencies if name in bounds)
    text = "as planned: every block kept its rate and, on average, its cost"
    text += ", and there is no bound" if not bounds else ", and every latency its bound" if sure else ", and no latency was certainly above its bound"
    if above:
        text += f", save for {above} {'batch' if above == 1 else 'batches'}, because a core stood still"
    print(text)
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio apply", description=__doc__)
    parser.add_argument("flowgraph", help="a Python file with a top_block class, or a .grc file")
    parser.add_argument("plan", help="the output of 'weir analyze --json' for the batched model")
    parser.add_argument("--class", dest="class_name", help="the top_block class, if there are several")
    parser.add_argument("--rate", action="append", metavar="[BLOCK=]RATE", help="sample rate of a source, if no throttle gives it")
    parser.add_argument("--profile", help="the output of 'weir-gnuradio profile', so that the blocks need not be measured again")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to run, in seconds (default 5)")
    parser.add_argument("--policy", choices=["auto", "deadline", "fifo", "normal"], default="auto", help="the strongest scheduling policy to try")
    parser.add_argument("--margin", type=float, default=0.5, help="extra share of its cost that a thread reserves under deadline scheduling (default 0.5)")
    parser.add_argument("--json", help="write the applied settings and the measurements to this file")
    parser.add_argument("--settings", help="write the settings to this file, for 'weir-gnuradio run'")
    arguments = parser.parse_args()
    if arguments.seconds <= 0 or arguments.margin < 0:
        fail("--seconds must be above 0, and --margin not below 0")
    plan = read_plan(arguments.plan)
    loader = Loader(arguments.flowgraph, arguments.class_name, parse_rates(arguments.rate), arguments.profile)
    flowgraph = loader.flowgraph()
    report = run(loader, flowgraph, plan, arguments)
    for name in report["latency"]:
        print(tell_latency(report, name))
    tell_ahead(report)
    tell_costs(plan, report)
    if report["disturbance"]:
        print(f"meanwhile {report['disturbance']}")
    report["verdict"] = judge(flowgraph, plan, report, loader.rate(flowgraph))
    status = conclude(report)
    for path, what in ((arguments.json, report), (arguments.settings, report["settings"])):
        if path:
            settings.write(path, what)
    sys.exit(status)
