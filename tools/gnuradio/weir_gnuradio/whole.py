# SPDX-License-Identifier: Apache-2.0
"""From a flowgraph to a verdict: measures its blocks, fits their costs, models it, chooses batches, runs it with them, and reports whether it
kept its rates and its bounds. All intermediate results are kept in a folder."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from .flowgraph import fail, import_gnuradio, parse_rates
from .load import compile_grc

ROUNDS = 4  # of choosing a batch and measuring it
MORE = 0.8  # of the cores, where the utilization that is wanted is not enough


class Folder:
    """Where everything is written, and what runs on it."""

    def __init__(self, path: Path, program: str) -> None:
        self.path, self.program = path, program
        self.weir = find_weir(program)
        self.flowgraph = ""
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            print(f"weir-gnuradio: cannot make {path}: {error.strerror}", file=sys.stderr)
            sys.exit(74)

    def file(self, name: str) -> str:
        return str(self.path / name)

    def read(self, name: str) -> Any:
        with open(self.path / name, encoding="utf-8") as text:
            return json.load(text)

    def step(self, *words: str) -> int:
        """One of weir-gnuradio's own: the exit status."""
        status = subprocess.run([sys.executable, self.program, *words], check=False).returncode
        if status < 0:
            fail(f"GNU Radio broke down in '{words[0]}': {signal.Signals(-status).name}")
        return status

    def ask(self, *words: str, out: str) -> int:
        """weir's exit status, and what it said in a file."""
        with open(self.path / out, "w", encoding="utf-8") as text:
            status = subprocess.run([self.weir, *words], stdout=text, check=False).returncode
        if status not in (0, 1, 4):
            stop(status)
        return status


def stop(status: int) -> NoReturn:
    sys.exit(status if status > 0 else 70)


def find_weir(program: str) -> str:
    beside = Path(program).parent / "weir"
    found = str(beside) if os.access(beside, os.X_OK) and beside.is_file() else shutil.which("weir")
    if not found:
        fail("weir is neither beside this program nor on the PATH")
    return found


def measure(folder: Folder, arguments: argparse.Namespace, sizes: list[int] | None) -> None:
    words = ["profile", folder.flowgraph, "-o", folder.file("profile.json"), "--seconds", str(arguments.measure)]
    words += common(arguments)
    if sizes:
        words += ["--add", "--sizes", ",".join(str(size) for size in sizes)]
    status = folder.step(*words)
    if status:
        stop(status)


def common(arguments: argparse.Namespace) -> list[str]:
    words = [word for rate in arguments.rate or [] for word in ("--rate", rate)]
    return words + (["--class", arguments.class_name] if arguments.class_name else [])


def choose(folder: Folder, arguments: argparse.Namespace) -> int:
    """The batch, in samples of the source; ends the program where none is possible."""
    if folder.ask("fit", folder.file("profile.json"), "-o", folder.file("costs.csv"), out="fit.txt"):
        stop(1)
    words = ["model", folder.file("profile.json"), folder.file("costs.csv"), "--cores", str(arguments.cores), "--margin", str(arguments.margin)]
    status = folder.step(*words, "-o", folder.file("model.yaml"))
    if status:
        stop(status)
    words = ["explore", folder.file("model.yaml"), "--batch", "rate", "-o", folder.file("batched.yaml")]
    words += ["--within", arguments.within] if arguments.within else []
    limits = [arguments.utilization or arguments.cores / 4] + ([] if arguments.utilization else [MORE * arguments.cores])
    for limit in limits:
        status = folder.ask(*words, "--utilization", f"{limit:g}", out="explore.txt")
        if status == 0:
            break
        print(f"no batch keeps the utilization below {limit:g} of {arguments.cores} cores", file=sys.stderr)
    else:
        print(f"NOT POSSIBLE: no batch is within the limits; {folder.file('explore.txt')} has those that were tried")
        stop(1)
    if folder.ask("analyze", folder.file("batched.yaml"), "--json", out="plan.json"):
        print(f"NOT POSSIBLE: {folder.file('plan.json')} has no bound for every latency, or misses a deadline")
        stop(1)
    plan, profile = folder.read("plan.json"), folder.read("profile.json")
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[plan["unit"]]
    return round(plan["operators"][0]["period"] * scale * profile["rate"])


def settle(folder: Folder, arguments: argparse.Namespace) -> int:
    """A batch that was measured itself, so that no cost is one of a quite different batch."""
    batch = choose(folder, arguments)
    for _ in range(ROUNDS):
        sizes = folder.read("profile.json")["sizes"]
        if batch in sizes:
            return batch
        measure(folder, arguments, [batch])
        last, batch = batch, choose(folder, arguments)
        if last * 3 <= batch * 4 and batch * 3 <= last * 4 and min(sizes) <= batch:
            measure(folder, arguments, [batch])
            return batch
    fail("the costs that are measured differ so much from run to run that no batch can be chosen; is the machine busy?")


def predicted_cpu(folder: Folder, batch: int) -> float:
    """Cores in use, by what executions of this very batch cost on average."""
    profile, total = folder.read("profile.json"), 0.0
    for block in profile["blocks"]:
        seen = [o for o in block["observations"] if o["samples"] == samples_of(profile, block, batch)]
        mean = sum(o["mean_ns"] * o["weight"] for o in seen) / max(1, sum(o["weight"] for o in seen))
        total += mean * 1e-9 * profile["rate"] / batch
    return total


def samples_of(profile: dict[str, Any], block: dict[str, Any], batch: int) -> int:
    """That an execution of the block takes; a source's own."""
    made = Fraction(block["made"]) * batch
    is_source = all(target != block["name"] for _, _, target, _ in profile["connections"])
    return int(made if is_source else made * block["decimation"] / block["interpolation"])


def conclude(folder: Folder, batch: int) -> None:
    report = folder.read("report.json")
    predicted, measured = predicted_cpu(folder, batch), report["cpu"]
    print(f"cores in use: {predicted:.3g} predicted, {measured:.3g} measured, {predicted / measured if measured else 0:.2f} of it")
    report["cpu_predicted"] = round(predicted, 5)
    disturbed = folder.read("profile.json")["disturbed"]
    if disturbed:
        print(f"the machine was disturbed in {len(disturbed)} measurements of costs, such as that of {disturbed[-1]}")
    for source, target in folder.read("profile.json")["messages"]:
        print(f"not covered: messages from {source} to {target}, and what they bring about")
    with open(folder.path / "report.json", "w", encoding="utf-8") as out:
        json.dump(report, out, indent=2)
        out.write("\n")
    print(f"everything is in {folder.path}")


def main(program: str) -> None:
    parser = argparse.ArgumentParser(prog="weir-gnuradio", description=__doc__)
    parser.add_argument("flowgraph", help="a .grc file, or a Python file with a top_block class")
    parser.add_argument("-o", "--output", help="the folder for the results (default: the file's name with .weir appended)")
    parser.add_argument("--class", dest="class_name", help="the top_block class, if there are several")
    parser.add_argument("--rate", action="append", metavar="[BLOCK=]RATE", help="sample rate of a source, if no throttle gives it")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="number of cores in the pool (default: all available)")
    parser.add_argument("--utilization", type=float, help="maximum utilization, in cores (default: a quarter of the pool)")
    parser.add_argument("--within", help="an acceptable latency, such as 5ms")
    parser.add_argument("--measure", type=float, default=0.7, help="how long to measure each batch size, in seconds (default 0.7)")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to run, in seconds (default 5)")
    parser.add_argument("--policy", choices=["auto", "deadline", "fifo", "normal"], default="auto", help="the strongest scheduling policy to try")
    parser.add_argument("--margin", type=float, default=0.5, help="extra share added to the largest measured cost (default 0.5)")
    arguments = parser.parse_args()
    parse_rates(arguments.rate)
    import_gnuradio()
    path = Path(arguments.flowgraph)
    if path.suffix not in (".grc", ".py"):
        fail(f"{path}: expected a .grc file, or a Python file with a top_block class")
    if not path.is_file():
        fail(f"cannot read {path}: there is no such file")
    folder = Folder(Path(arguments.output or path.with_suffix(".weir").name), program)
    folder.flowgraph = str(compile_grc(path, folder.path) if path.suffix == ".grc" else path)
    measure(folder, arguments, None)
    batch = settle(folder, arguments)
    words = ["apply", folder.flowgraph, folder.file("plan.json"), "--json", folder.file("report.json")]
    words += ["--settings", folder.file("settings.json"), "--seconds", str(arguments.seconds), "--policy", arguments.policy]
    status = folder.step(*words, "--profile", folder.file("profile.json"), *common(arguments))
    if status in (0, 1, 4):
        conclude(folder, batch)
    sys.exit(status)
