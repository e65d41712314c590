# SPDX-License-Identifier: Apache-2.0
"""How many of the installed flowgraphs run live: `weir-gnuradio FILE` for each of them, with a rate where it asks for one.

    gnuradio_installed.py WEIR-GNURADIO [FOLDER [PATTERN]]

Prints a line for each, then how many got a model and reached a verdict, and why the others did not. FOLDER keeps what is found; with a
PATTERN only those whose path it matches, and those that FOLDER has a verdict.json of are not run again. Sound goes to ALSA's null device, so that no sound card is needed. Takes about an hour for all."""

import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path("/usr/share/gnuradio/examples")
RATE = 32000
PATIENCE_S = 150
ALSA = """</usr/share/alsa/alsa.conf>
pcm.!default { type null }
"""
REASONS = (  # in the words of weir-gnuradio and GNU Radio: the first that fits
    ("from before GNU Radio 3.8", "is XML from before 3.8"),
    ("grcc cannot compile", "does not compile here"),
    ("class? --class takes one of: none", "is a hierarchical block, no flowgraph"),
    ("cannot be made", "wants a device, a file or a module that is not here"),
    ("connects nothing", "has no streams, only messages"),
    ("nor a hierarchical one in Python", "has a hierarchical block in C++"),
    ("faster or slower than it takes", "has rates that do not fit"),
    ("there is no cost of", "has blocks that nothing flows through"),
    ("fit together only every", "has a least batch that takes seconds"),
    ("nothing flows", "comes to its end, or waits for something"),
    ("makes nothing", "comes to its end, or waits for something"),
    ("does not tell its rate", "has a block whose rate depends on the data"),
    ("broke down", "crashes in GNU Radio"),
    ("cannot start", "cannot be started by GNU Radio"),
    ("is the machine busy?", "was measured too differently from run to run"),
    ("expected a Python file", "is a C++ flowgraph"),
)


def run(program, file, folder, options):
    command = [program, str(file), "-o", str(folder), "--seconds", "1", "--measure", "0.2", *options]
    Path(folder).mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        text, _ = process.communicate(timeout=PATIENCE_S)
        return process.returncode, text
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return 124, ""


def verdict(program, file, folder):
    """The exit status, and a word."""
    options = []
    for _ in range(6):
        status, text = run(program, file, folder, options)
        if "weir-gnuradio upgrade" in text:
            new = folder / "upgraded.grc"
            subprocess.run([program, "upgrade", str(file), "-o", str(new)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            if new.exists():
                file = new
                continue
        asked = re.search(r"how many samples a second does (\S+) make", text)
        if status != 3 or not asked:
            break
        options += ["--rate", f"{asked[1]}={RATE}"]
    if status in (0, 4):
        return status, "as planned" if status == 0 else "not decided"
    if status == 1:
        return status, "not possible" if "NOT POSSIBLE" in text else "not as planned"
    if status == 124:
        return status, f"takes more than {PATIENCE_S} s"
    return status, next((reason for words, reason in REASONS if words in text), "fails: " + (text.strip().splitlines() or ["?"])[-1][:120])


def kept_verdict(program, file, folder):
    """What is known of it from before, or found now."""
    kept = folder / "verdict.json"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        status, word = verdict(program, file, folder)
        report = folder / "report.json"
        live = status in (0, 1, 4) and report.exists()
        seen = json.loads(report.read_text()) if live else {}
        ratio = seen["cpu_predicted"] / seen["cpu"] if seen.get("cpu") else None
        kept.write_text(json.dumps({"word": word, "model": (folder / "model.yaml").exists(), "live": live, "ratio": ratio}) + "\n")
    return json.loads(kept.read_text())


def main():
    program = os.path.abspath(sys.argv[1])
    keep = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="weir-installed-"))
    pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    keep.mkdir(parents=True, exist_ok=True)
    (keep / "alsa.conf").write_text(ALSA)
    os.environ["ALSA_CONFIG_PATH"] = str((keep / "alsa.conf").absolute())
    files = [file for file in sorted(EXAMPLES.rglob("*.grc")) if pattern.search(str(file.relative_to(EXAMPLES)))]
    found = []
    for number, file in enumerate(files, 1):
        found.append(kept_verdict(program, file, (keep / f"{file.parent.name}-{file.stem}").absolute()))
        print(f"{number:3} {file.relative_to(EXAMPLES)}: {found[-1]['word']}", flush=True)
    print(f"{len(files)} flowgraphs, {sum(one['model'] for one in found)} models by measurement, {sum(one['live'] for one in found)} live")
    for word, count in collections.Counter(one["word"] for one in found).most_common():
        print(f"  {count:3} {word}")
    ratios = sorted(one["ratio"] for one in found if one["ratio"])
    if ratios:
        within = sum(1 / 1.3 <= ratio <= 1.3 for ratio in ratios)
        print(f"use of the cores: predicted within a factor of 1.3 in {within} of {len(ratios)}")
        print(f"  predicted divided by measured: {', '.join(f'{ratio:.2f}' for ratio in ratios)}")


main()
