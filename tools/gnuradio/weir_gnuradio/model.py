# SPDX-License-Identifier: Apache-2.0
"""Creates a weir model of a profiled flowgraph, from the topology and rates that `weir-gnuradio profile` wrote and the costs that `weir fit -o`
wrote. Does not need GNU Radio."""

from __future__ import annotations

import argparse
import csv
import json
from fractions import Fraction
from typing import Any

from .flowgraph import fail


def read_costs(path: str) -> dict[str, tuple[str, str]]:
    try:
        with open(path, encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.reader(lines) if row]
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    if not rows or rows[0] != ["block", "init_ns", "per_sample_ns"] or any(len(row) != 3 for row in rows):
        fail(f"{path}: expected lines of block,init_ns,per_sample_ns, as 'weir fit -o' writes them")
    return {name: (init, slope) for name, init, slope in rows[1:]}


def read_profile(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as text:
            profile = json.load(text)
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    except ValueError as error:
        fail(f"{path}: {error}")
    missing = [key for key in ("blocks", "connections") if key not in profile] if isinstance(profile, dict) else ["blocks"]
    if missing:
        fail(f"{path}: there is no \"{missing[0]}\"; expected what 'weir-gnuradio profile' writes")
    return profile


def rate_text(rate: Fraction) -> str:
    if rate <= 0:
        fail("the rate of a source must be above 0")
    return f"{rate.numerator if rate.denominator == 1 else float(rate)}Hz"


def add_margin(costs: dict[str, tuple[str, str]], margin: Fraction) -> dict[str, tuple[str, str]]:
    """Of the largest costs that were measured: those of a longer time are larger still."""

    def more(number: str) -> str:
        return str(float(round(Fraction(number) * (1 + margin), 6)))

    try:
        return {name: (more(init), more(slope)) for name, (init, slope) in costs.items()}
    except ValueError as error:
        fail(f"costs are numbers: {error}")


def executions(profile: dict[str, Any], block: dict[str, Any]) -> int:
    """Of the block that are one of the model. Parts of a flowgraph that nothing connects are to have one period in the end: so an execution
    of the model is all that a block does in the time in which the rates of all blocks come round."""
    if profile.get("parts", 1) == 1:
        return 1
    made = Fraction(block["made"]) * profile["unit"]
    return int(made / block["interpolation"])


def model(profile: dict[str, Any], costs: dict[str, tuple[str, str]], cores: int, rate: float) -> str:
    blocks = {block["name"]: block for block in profile["blocks"]}
    without = [name for name in blocks if name not in costs]
    targets = {target for _, _, target, _ in profile["connections"]}
    sources = [name for name in blocks if name not in targets]
    if without:
        fail(f"there is no cost of {', '.join(without)}")
    if not sources:
        fail("there is no source")
    lines = ["weir: 1", "unit: us", f"platform: {{cores: {cores}, scheduler: global-edf}}", "operators:"]
    lines += [
        f"  {json.dumps(name)}: {{cost: {{init: {costs[name][0]}ns, per-sample: {costs[name][1]}ns}}}}" for name in blocks
    ]
    many = {name: executions(profile, block) for name, block in blocks.items()}
    lines.append("queues:")
    for source, _, target, port in profile["connections"]:
        once, waited = blocks[target]["decimation"], blocks[target].get("thresholds")
        consume = once * many[target]
        threshold = f", threshold: {waited[port] + consume - once}" if waited and waited[port] > once else ""
        unknown = "" if waited and not blocks[target].get("unknown") else "  # what it waits for is not known: more than it takes makes latencies longer"
        lines.append(
            f"  - {{from: {json.dumps(source)}, to: {json.dumps(target)}, produce: {blocks[source]['interpolation'] * many[source]}, "
            f"consume: {consume}{threshold}}}{unknown}"
        )
    lines.append("sources:")
    for name in sources:
        own, batch = Fraction(str(rate)) * Fraction(blocks[name].get("made", 1)), blocks[name]["interpolation"] * many[name]
        together = f", batch: {batch}" if batch > 1 else ""
        lines.append(f"  - {{operator: {json.dumps(name)}, rate: {rate_text(own)}{together}}}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio model", description=__doc__)
    parser.add_argument("profile", help="the JSON that 'weir-gnuradio profile' wrote")
    parser.add_argument("costs", help="the lines that 'weir fit -o' wrote")
    parser.add_argument("-o", "--output", required=True, help="the model to write")
    parser.add_argument("--cores", type=int, default=2, help="number of cores in the pool (default 2)")
    parser.add_argument("--rate", type=float, help="sample rate of the source, instead of the profile's")
    parser.add_argument("--margin", type=float, default=0.0, help="extra share added to the costs (default 0)")
    arguments = parser.parse_args()
    if not 0 <= arguments.margin <= 100:
        fail("--margin is 0 or more")
    profile = read_profile(arguments.profile)
    rate = arguments.rate or profile.get("rate")
    if not rate:
        fail("how many samples a second? Give --rate")
    costs = add_margin(read_costs(arguments.costs), Fraction(str(arguments.margin)))
    text = model(profile, costs, arguments.cores, rate)
    try:
        with open(arguments.output, "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        fail(f"cannot write {arguments.output}: {error.strerror}")
