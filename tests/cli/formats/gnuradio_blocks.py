# SPDX-License-Identifier: Apache-2.0
"""What needs.py finds of the blocks that are installed, as many as can be made with simple arguments: it must foretell how often a block
executes when it gets so many items and no more. Prints how many of them there were; ends with 1 where one does something else."""

import collections
import importlib
import multiprocessing
import os
import random
import re
import sys

sys.path.insert(0, sys.argv[1])
os.environ["GR_CONF_LOG_LOG_LEVEL"] = "error"
from weir_gnuradio.flowgraph import import_gnuradio  # noqa: E402

gr = import_gnuradio()
from weir_gnuradio.needs import Bench, Unknown, find  # noqa: E402

MODULES = ("analog", "blocks", "channels", "digital", "fec", "fft", "filter", "vocoder")
LEFT_OUT = re.compile(r"file|socket|tcp|udp|wav|message|pdu|tagged|annotator|probe|ctrlport|vector_source|sink|selector|copy|msg|stream_mux")
SIMPLE = {
    "int": (4, 2, 1),
    "float": (1.0, 0.5),
    "bool": (False,),
    "str": ("name",),
    "List[float]": ([1.0] * 9,),
    "List[complex]": ([1.0 + 0j] * 9,),
    "List[int]": ([1, 2],),
    "complex": (1 + 0j,),
}


def constructors():
    for module_name in MODULES:
        module = importlib.import_module(f"gnuradio.{module_name}")
        for name in sorted(dir(module)):
            made = getattr(module, name)
            if isinstance(made, type) and issubclass(made, gr.block) and not LEFT_OUT.search(name):
                yield module_name, name


def arguments(made, choice):
    """By the signature that Python knows; the choice picks among simple values."""
    text = (made.__init__.__doc__ or "").split("\n", 1)[0]
    types = re.findall(r"(\w+): ([\w\[\], .]+?)(?: = [^,)]+)?(?=[,)])", text.split("self", 1)[-1])
    values = []
    for name, kind in types:
        if name in ("self", "value_or_none"):
            continue
        if f"{name}: {kind} =" in text:
            break  # the rest has defaults
        if kind not in SIMPLE:
            return None
        values.append(SIMPLE[kind][choice % len(SIMPLE[kind])])
    return values


def check(make, draw):
    need = find(gr, make)
    bench = Bench(gr, make)
    for _ in range(4):
        executions, rounds = draw.randint(1, 30), draw.randint(1, 4)
        waited = (executions - 1) * need.consume + max(need.thresholds)
        count = max(1, waited + (rounds - 1) * executions * need.consume + draw.choice((-1, 0, 1)))
        size = executions * need.produce
        made, _ = bench.run(size, [count] * bench.inputs)
        foretold = 0 if count < waited else 1 + (count - waited) // (executions * need.consume)
        if made // size < foretold:
            return f"{need}: {count} items, {executions} at once: {made // size} executions, {foretold} were predicted"
    return None


def try_block(place):
    """What is to be printed of it, and whether its needs are known, not known, or wrong; None: it cannot be tried."""
    module_name, name = place
    made = getattr(importlib.import_module(f"gnuradio.{module_name}"), name)
    draw = random.Random(f"{module_name}.{name}")
    for choice in range(3):
        values = arguments(made, choice)
        if values is None:
            break

        def make():
            return made(*values)

        try:
            block = make()
        except Exception:
            continue
        if block.input_signature().max_streams() == 0:
            break
        called = f"{module_name}.{name}{tuple(values)}"
        try:
            bad = check(make, draw)
        except Unknown as error:
            return "unknown", f"  {called}: not known: {error}"
        return ("wrong", f"{called}: {bad}") if bad else ("known", None)
    return None


def main():
    # Most of the time is spent waiting for blocks that never end.
    with multiprocessing.get_context("fork").Pool(4) as pool:
        tried = [result for result in pool.imap(try_block, list(constructors()), chunksize=1) if result]
    counts = collections.Counter(kind for kind, _ in tried)
    for kind in ("unknown", "wrong"):
        print("".join(f"{text}\n" for found, text in tried if found == kind), end="")
    print(f"{counts['known'] + counts['wrong']} blocks, {counts['unknown']} of which it is not known, {counts['wrong']} wrong")
    sys.exit(1 if counts["wrong"] or counts["known"] < 100 else 0)


main()
