# SPDX-License-Identifier: Apache-2.0
"""Makes a weir model of a profiled flowgraph: the topology and rates that `weir-gnuradio profile` wrote, the costs that `weir fit -o` wrote. Needs no
GNU Radio."""

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
        fail("the rate of a source is above 0")
    return f"{rate.numerator if rate.denominator == 1 else float(rate)}Hz"


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
    lines.append("queues:")
    for source, _, target, port in profile["connections"]:
        consume, waited = blocks[target]["decimation"], blocks[target].get("thresholds")
        threshold = f", threshold: {waited[port]}" if waited and waited[port] > consume else ""
        unknown = "" if waited else "  # what it waits for is not known: more than it takes makes latencies longer"
        lines.append(
            f"  - {{from: {json.dumps(source)}, to: {json.dumps(target)}, produce: {blocks[source]['interpolation']}, "
            f"consume: {consume}{threshold}}}{unknown}"
        )
    lines.append("sources:")
    for name in sources:
        own = Fraction(str(rate)) * Fraction(blocks[name].get("made", 1))
        lines.append(f"  - {{operator: {json.dumps(name)}, rate: {rate_text(own)}}}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio model", description=__doc__)
    parser.add_argument("profile", help="the JSON that 'weir-gnuradio profile' wrote")
    parser.add_argument("costs", help="the lines that 'weir fit -o' wrote")
    parser.add_argument("-o", "--output", required=True, help="the model to write")
    parser.add_argument("--cores", type=int, default=2, help="of the pool; 2 unless given")
    parser.add_argument("--rate", type=float, help="samples a second at the source, instead of the profile's")
    arguments = parser.parse_args()
    profile = read_profile(arguments.profile)
    rate = arguments.rate or profile.get("rate")
    if not rate:
        fail("how many samples a second? --rate says it")
    text = model(profile, read_costs(arguments.costs), arguments.cores, rate)
    try:
        with open(arguments.output, "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        fail(f"cannot write {arguments.output}: {error.strerror}")
