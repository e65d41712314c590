#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what executions of the blocks of a GNU Radio flowgraph cost at several batch sizes, for `weir fit`.

The flowgraph runs once for each size, every block doing exactly that many samples at once. An observation is the CPU time of a block's
thread, scheduler and wake-ups of GNU Radio included, divided by its executions."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import time
from typing import Any

from flowgraph import Flowgraph, Loader, fail, thread_ns

SETTLE_S = 0.2
BATCHES_MIN = 8  # in a measurement
LONGEST_S = 0.25  # of a batch that is measured unless asked for, if there are shorter ones


def measure(flowgraph: Flowgraph, batch: int, seconds: float) -> dict[str, dict[str, Any]]:
    """One observation for each block whose thread is known and which did something, over `seconds` or as long as some batches take."""
    seconds = max(seconds, BATCHES_MIN * batch / (flowgraph.rate() or math.inf))
    flowgraph.set_batch(batch)
    flowgraph.start()
    time.sleep(SETTLE_S)
    threads = flowgraph.threads()
    for node in flowgraph.nodes.values():
        node.block.reset_perf_counters()
    before = {name: (flowgraph.nodes[name].items(), thread_ns(tid)) for name, tid in threads.items()}
    time.sleep(seconds)
    after = {name: (flowgraph.nodes[name].items(), thread_ns(tid)) for name, tid in threads.items()}
    work = {name: node.block.pc_work_time_avg() for name, node in flowgraph.nodes.items()}
    flowgraph.top.stop()
    flowgraph.top.wait()
    check_rates(flowgraph, {name: after[name][0] - before[name][0] for name in threads}, batch)
    observations = {}
    for name in threads:
        samples = flowgraph.nodes[name].samples(batch)
        executions = (after[name][0] - before[name][0]) // samples
        if executions > 0:
            observations[name] = {
                "samples": samples,
                "ns": round((after[name][1] - before[name][1]) / executions, 1),
                "weight": executions,
                "work_ns": round(work[name], 1),
            }
    return observations


def check_rates(flowgraph: Flowgraph, flowed: dict[str, int], batch: int) -> None:
    """Not every block tells its rate; what flows does."""
    source = next(node for node in flowgraph.nodes.values() if node.is_source)
    for name, count in flowed.items():
        expected = flowed.get(source.name, 0) * flowgraph.nodes[name].taken
        enough = min(count, expected) >= max(1000, BATCHES_MIN * flowgraph.nodes[name].samples(batch))
        if enough and not 2 / 3 < count / expected < 3 / 2:
            fail(
                f"{name} takes {count / flowed[source.name]:.3g} samples for each of {source.name}'s where {float(expected / flowed[source.name]):.3g} "
                "were expected: a block before it does not tell its rate"
            )


def profile(loader: Loader, sizes: list[int], arguments: argparse.Namespace) -> dict[str, Any]:
    flowgraph = loader.flowgraph()
    observations: dict[str, list[dict[str, Any]]] = {name: [] for name in flowgraph.nodes}
    for turn in range(arguments.repeat):
        for size in sizes:
            print(f"run {turn + 1} of {arguments.repeat}: {size} samples at once", file=sys.stderr)
            for name, observation in measure(loader.flowgraph(), size, arguments.seconds).items():
                observations[name].append(observation)
    for node in flowgraph.nodes.values():
        if node.unknown:
            print(
                f"what {node.name} waits for is not known ({node.unknown}): the model will let it begin when there is enough for one "
                "execution, and bounds may be too small",
                file=sys.stderr,
            )
    silent = [name for name, seen in observations.items() if not seen]
    if silent:
        print(f"nothing was measured of {', '.join(silent)}", file=sys.stderr)
    return {
        "flowgraph": arguments.flowgraph,
        "gnuradio": loader.gr.version(),
        "clock": "thread",
        "rate": arguments.rate or flowgraph.rate(),
        "blocks": [
            {
                "name": name,
                "type": node.block.name(),
                "interpolation": node.interpolation,
                "decimation": node.decimation,
                "made": str(node.made),
                "thresholds": list(node.thresholds) if not node.unknown else None,
                "observations": observations[name],
            }
            for name, node in flowgraph.nodes.items()
        ],
        "connections": flowgraph.connections,
    }


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


def chosen_sizes(text: str | None, unit: int, rate: float | None) -> list[int]:
    if text is None:
        powers = range(1, 6) if unit > 4 else range(2, 7)
        sizes = [unit * 4**power for power in powers if rate is None or unit * 4**power <= LONGEST_S * rate]
        return sizes if len(sizes) > 1 else [unit, 2 * unit, 4 * unit]
    try:
        sizes = [int(word) for word in text.split(",")]
    except ValueError:
        fail(f"--sizes: expected numbers such as 48,192,768, not '{text}'")
    if any(size < 1 or size % unit for size in sizes):
        fail(f"--sizes: with the rates of this flowgraph, sizes are multiples of {unit}")
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flowgraph", help="a Python file with a top_block class, or a .grc file")
    parser.add_argument("-o", "--output", required=True, help="the file to write: JSON, or lines where it ends in .csv")
    parser.add_argument("--class", dest="class_name", help="the top_block class, where there are several")
    parser.add_argument("--sizes", help="samples of the source at once, such as 48,192,768")
    parser.add_argument("--seconds", type=float, default=1.0, help="to measure each size; 1 unless given")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each size; 2 unless given")
    parser.add_argument("--rate", type=float, help="samples a second at the source, where no throttle says it")
    arguments = parser.parse_args()
    if arguments.seconds <= 0 or arguments.repeat < 1:
        fail("--seconds and --repeat are above 0")
    loader = Loader(arguments.flowgraph, arguments.class_name)
    flowgraph = loader.flowgraph()
    sizes = chosen_sizes(arguments.sizes, flowgraph.unit(), arguments.rate or flowgraph.rate())
    write(profile(loader, sizes, arguments), arguments.output)


if __name__ == "__main__":
    main()
