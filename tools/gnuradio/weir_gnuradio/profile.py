# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of executing the blocks of a GNU Radio flowgraph at several batch sizes, for `weir fit`.

The flowgraph runs once for each size, with every block processing exactly that many samples at once. An observation is the CPU time of a
block's thread for one execution, including GNU Radio's scheduler and wake-ups: the maximum and the mean are recorded."""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Iterable

from . import rounds, scheduling
from .costs import Costs, Quiet, judge
from .flowgraph import Flowgraph, Node, ask_needs, fail, parse_rates
from .load import Loader
from .needs import Need
from .probe import Log
from .watch import exact, longest

SETTLE_S = 0.2
BATCHES_MIN = 8  # in a measurement, if that does not take too long
LONG_S = 3.0
PATIENCE_S = 5.0  # for the least batch
LONGEST_S = 0.1  # of a batch that is measured unless asked for, if there are shorter ones
SHORTEST_S = 200e-6
PRIORITY = 40  # of the blocks, so that other programs disturb them less
ATTEMPTS = 2  # at a size, while the machine is disturbed
SIZES = 5
LATE = 0.2  # share of batches


def measure(loader: Loader, flowgraph: Flowgraph, batch: int, seconds: float) -> tuple[dict[str, dict[str, Any]], str, bool]:
    """One observation for each block whose thread is known and which did something, over `seconds` or as long as some batches take; what
    disturbed the machine meanwhile, and whether that is reason enough to measure again."""
    period = batch / loader.rate(flowgraph)
    seconds = max(seconds, min(BATCHES_MIN * period, LONG_S), 2.5 * period)
    flowgraph.set_batch(batch)
    loader.probe.begin()
    flowgraph.start()
    try:
        loader.pause(SETTLE_S)
        threads = flowgraph.threads()
        alone = give_priority(threads)
        for node in flowgraph.nodes.values():
            node.block.reset_perf_counters()
        before = read_counts(flowgraph, threads)
        quiet, costs = Quiet(), None if loader.probe.exact else Costs(flowgraph.nodes, threads)
        begin = time.monotonic_ns()
        if costs:
            costs.start()
        loader.pause(seconds)
        after = read_counts(flowgraph, threads)
        work = {name: node.block.pc_work_time_avg() for name, node in flowgraph.nodes.items()}
    finally:
        log = loader.probe.end()
    disturbance, serious = quiet.disturbance([stop for stop in log.stops if stop.end > begin])
    if costs:
        events = costs.finish()
    else:
        events = {name: [e for e in log.executions.get(tid, []) if e.time >= begin] for name, tid in threads.items()}
    flowgraph.top.stop()
    flowgraph.top.wait()
    check_rates(flowgraph, before, after, batch)
    observations: dict[str, dict[str, Any]] = {}
    for name in events:
        node = flowgraph.nodes[name]
        cost = judge(events[name], flowgraph.moved(node, batch) if loader.probe.exact else node.samples(batch), log.stops)
        if not cost:
            continue
        observations[name] = {
            "samples": node.samples(batch),
            "ns": round(cost.largest, 1),
            "mean_ns": round(cost.mean, 1),
            "weight": cost.executions,
            "work_ns": round(work[name], 1),
        }
    if loader.probe.exact and sum(one["ns"] for one in observations.values()) <= period * 1e9:
        find_late(loader, flowgraph, threads, batch, begin, log)
    return observations, disturbance, serious or bool(disturbance) and not alone


def find_late(loader: Loader, flowgraph: Flowgraph, threads: dict[str, int], batch: int, begin: int, log: Log) -> None:
    """Blocks that often had not done a batch when the next one was due to be done, though there was time for all: with the samples that flow
    here they wait for more than they do by themselves. The first of them are remembered."""
    steps = rounds.steps_of(flowgraph, batch)
    order = rounds.sort(list(flowgraph.nodes), steps)
    after, late = rounds.rounds_of(order, steps) if order else {}, set()
    period = batch / loader.rate(flowgraph) * 1e9
    for name in order or []:
        node = flowgraph.nodes[name]
        pace = flowgraph.pace(node.part)
        if node is pace or node.is_source or name not in flowgraph.behind(pace.name) or not {pace.name, name} <= threads.keys():
            continue
        writes = exact(event for event in log.executions.get(threads[pace.name], []) if event.time >= begin)
        takes = exact(log.executions.get(threads[name], []))
        ratio = (node.made if flowgraph.takers(node) else node.taken) / pace.made
        seen = longest(writes, takes, ratio, log.stops, Fraction((after[name] + 1) * period))
        if seen.count >= BATCHES_MIN and seen.unexplained > LATE * seen.count:
            late.add(name)
    for name in late:
        if not late & flowgraph.before(name) and loader.needs and isinstance(need := loader.needs.get(name), Need):
            loader.needs[name] = replace(need, doubt="with the samples that flow here it waits for more than by itself")


def give_priority(threads: dict[str, int]) -> bool:
    """Whether they have it."""
    for tid in threads.values():
        try:
            scheduling.set_fifo(tid, PRIORITY)
        except OSError:
            return False
    return True


@dataclass
class Counts:
    """Samples so far: of the source, before and after the others were looked at. On a busy machine much may flow in between."""

    first: int
    others: dict[str, int]
    last: int


def source_of(flowgraph: Flowgraph) -> Node:
    return next(node for node in flowgraph.nodes.values() if node.is_source)


def read_counts(flowgraph: Flowgraph, names: Iterable[str]) -> Counts:
    source = source_of(flowgraph)
    first = source.items()
    return Counts(first, {name: flowgraph.nodes[name].items() for name in names}, source.items())


def check_rates(flowgraph: Flowgraph, before: Counts, after: Counts, batch: int) -> None:
    """Not every block tells its rate; what flows does, if it is more than buffers can hold back."""
    held = sum(max(int(node.block.max_output_buffer(0)), 0) / float(node.made) for node in flowgraph.nodes.values() if flowgraph.takers(node))
    source, least, most = source_of(flowgraph), after.first - before.last, after.last - before.first
    if source.name in after.others and not most:
        fail(f"{source.name} makes nothing: has the flowgraph come to its end, or does it wait for something?")
    for name, count in after.others.items():
        node, count = flowgraph.nodes[name], count - before.others[name]
        low, high = float(least * node.taken), float(most * node.taken)
        aside = 2 * held * float(node.taken)
        enough = min(count, low) >= max(1000, BATCHES_MIN * node.samples(batch))
        if enough and (count > max(1.5 * high, high + aside) or count < min(low / 1.5, low - aside)):
            fail(
                f"{name} takes {count / most:.3g} samples for each of {source.name}'s where {float(node.taken):.3g} "
                "were expected: a block before it does not tell its rate"
            )


def observe(loader: Loader, sizes: list[int], arguments: argparse.Namespace) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    observations: dict[str, list[dict[str, Any]]] = {}
    disturbed = []
    for turn in range(arguments.repeat):
        for size in sizes:
            print(f"measuring {size} samples at once" + (f", run {turn + 1} of {arguments.repeat}" if arguments.repeat > 1 else ""), file=sys.stderr)
            for attempt in range(ATTEMPTS):
                found, disturbance, serious = measure(loader, loader.flowgraph(), size, arguments.seconds)
                again = serious and attempt + 1 < ATTEMPTS
                if disturbance:
                    print(f"  disturbed: {disturbance}" + ("; again" if again else "; taken as it is"), file=sys.stderr)
                if not again:
                    break
            if disturbance:
                disturbed.append(f"{size} samples at once: {disturbance}")
            for name, observation in found.items():
                observations.setdefault(name, []).append(observation)
    return observations, disturbed


def profile(loader: Loader, flowgraph: Flowgraph, sizes: list[int], arguments: argparse.Namespace) -> dict[str, Any]:
    observations, disturbed = observe(loader, sizes, arguments)
    ask_needs(flowgraph.nodes, loader.needs or {})  # what was learned
    for node in flowgraph.nodes.values():
        if node.unknown:
            print(
                f"what {node.name} waits for is not known ({node.unknown}): the model will let it begin when there is enough for one "
                "execution, and bounds may be too small",
                file=sys.stderr,
            )
    for source, target in flowgraph.messages:
        print(f"messages from {source} to {target} are no part of the model: nothing is said of what they bring about", file=sys.stderr)
    for name in loader.paced:
        print(f"nothing keeps {name} from making samples as fast as it can: a throttle is put behind it", file=sys.stderr)
    silent = [name for name in flowgraph.nodes if name not in observations]
    if len(silent) == len(flowgraph.nodes):
        fail("nothing flows: has the flowgraph come to its end, or does it wait for something?")
    if silent:
        print(f"nothing was measured of {', '.join(silent)}", file=sys.stderr)
    return {
        "flowgraph": arguments.flowgraph,
        "gnuradio": loader.gr.version(),
        "clock": "thread",
        "rate": loader.rate(flowgraph),
        "unit": flowgraph.unit(),
        "parts": len(flowgraph.paces()),
        "sizes": sizes,
        "disturbed": disturbed,
        "messages": flowgraph.messages,
        "blocks": [
            {
                "name": name,
                "type": node.block.name(),
                "interpolation": node.interpolation,
                "decimation": node.decimation,
                "made": str(node.made),
                "thresholds": list(node.thresholds) or None if not node.is_source else [],
                "packets": node.packets,
                "unknown": node.unknown,
                "observations": observations.get(name, []),
            }
            for name, node in flowgraph.nodes.items()
        ],
        "connections": flowgraph.connections,
    }


def add(result: dict[str, Any], path: str) -> None:
    """What was measured before, if it was of the same blocks."""
    try:
        with open(path, encoding="utf-8") as text:
            before = json.load(text)
        seen = {block["name"]: block["observations"] for block in before["blocks"]}
        if list(seen) != [block["name"] for block in result["blocks"]]:
            fail(f"{path}: other blocks were measured there")
        result["sizes"] = sorted({*before["sizes"], *result["sizes"]})
        result["disturbed"] = before["disturbed"] + result["disturbed"]
        for block in result["blocks"]:
            block["observations"] = seen[block["name"]] + block["observations"]
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    except (KeyError, TypeError, ValueError):
        fail(f"{path}: this is no profile to add to")


def write(result: dict[str, Any], path: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", newline="") as out:
            if not path.endswith(".csv"):
                json.dump(result, out, indent=2)
                out.write("\n")
                return
            lines = csv.writer(out, lineterminator="\n")
            lines.writerow(["block", "samples", "ns", "weight"])
            for block in result["blocks"]:
                lines.writerows([block["name"], o["samples"], o["ns"], o["weight"]] for o in block["observations"])
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}")


def chosen_sizes(text: str | None, unit: int, rate: float) -> list[int]:
    if unit > PATIENCE_S * rate:
        fail(f"the rates of the blocks fit together only every {unit} samples of the source, {unit / rate:.3g} s: that is no batch to wait for")
    if text is None:
        first = unit * max(1, round(SHORTEST_S * rate / unit))
        sizes = [first * 4**power for power in range(SIZES) if first * 4**power <= LONGEST_S * rate]
        return sizes if len(sizes) > 1 else [first, 2 * first]
    try:
        sizes = [int(word) for word in text.split(",")]
    except ValueError:
        fail(f"--sizes: expected numbers such as 48,192,768, not '{text}'")
    if any(size < 1 or size % unit for size in sizes):
        fail(f"--sizes: with the rates of this flowgraph, sizes are multiples of {unit}")
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio profile", description=__doc__)
    parser.add_argument("flowgraph", help="a Python file with a top_block class, or a .grc file")
    parser.add_argument("-o", "--output", required=True, help="the file to write: JSON, or CSV if its name ends in .csv")
    parser.add_argument("--class", dest="class_name", help="the top_block class, if there are several")
    parser.add_argument("--sizes", help="batch sizes at the source, in samples, such as 48,192,768")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to measure each size, in seconds (default 1)")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each size (default 1)")
    parser.add_argument("--rate", action="append", metavar="[BLOCK=]RATE", help="sample rate of a source, if no throttle gives it")
    parser.add_argument("--add", action="store_true", help="add the measurements to those already in the file")
    arguments = parser.parse_args()
    if arguments.seconds <= 0 or arguments.repeat < 1:
        fail("--seconds and --repeat are above 0")
    if arguments.add and not os.path.exists(arguments.output):
        fail(f"cannot read {arguments.output}: it is not there to add to")
    begin = time.monotonic()
    loader = Loader(arguments.flowgraph, arguments.class_name, parse_rates(arguments.rate), arguments.output if arguments.add else None)
    flowgraph = loader.flowgraph()
    sizes = chosen_sizes(arguments.sizes, flowgraph.unit(), loader.rate(flowgraph))
    result = profile(loader, flowgraph, sizes, arguments)
    if arguments.add:
        add(result, arguments.output)
    write(result, arguments.output)
    print(f"measured {len(result['blocks'])} blocks in {time.monotonic() - begin:.0f} s", file=sys.stderr)
