# SPDX-License-Identifier: Apache-2.0
"""Gives an application the settings that `weir-gnuradio` made for its flowgraph: by a line in it, weir_gnuradio.apply(top), before the
start; or with no change at all, by WEIR_PLAN in its environment, as `weir-gnuradio run` does."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

VARIABLE = "WEIR_PLAN"
FILE = "settings.json"  # in a folder that weir-gnuradio wrote
PATIENCE_S = 5.0
CONNECTIONS = "_weir_connections"  # of a flowgraph or hierarchical block, which has them: they end with it, and so do its buffers


def say(text: str) -> None:
    print(f"weir: {text}", file=sys.stderr, flush=True)


def apply(top: Any, plan: str | None = None) -> None:
    """Sets batches and buffers now, and the scheduling of threads when the flowgraph starts. The plan is the folder or the file that
    weir-gnuradio wrote; of the environment unless given. Where it does not fit, that is said, and the flowgraph runs without."""
    where = plan or os.environ.get(VARIABLE)
    if not where:
        say(f"no plan is given, and {VARIABLE} is not set: the flowgraph runs as it is")
        return
    try:
        file = Path(where) / FILE if Path(where).is_dir() else Path(where)
        wanted = json.loads(file.read_text(encoding="utf-8"))
        names = set(wanted["blocks"])
    except OSError as error:
        say(f"cannot read {where}: {error.strerror}; the flowgraph runs as it is")
        return
    except (KeyError, TypeError, ValueError):
        say(f"{where} is not a plan that weir-gnuradio wrote; the flowgraph runs as it is")
        return
    blocks = find(top, names)
    missing = sorted(names - set(blocks))
    if missing:
        say(f"the plan is of another flowgraph: there is no {', '.join(missing)}; the flowgraph runs as it is")
        return
    install(top, wanted, blocks)


def find(top: Any, names: set[str]) -> dict[str, Any]:
    """Blocks by what weir-gnuradio calls them."""
    from .load import name_blocks

    found = {name: block for name, block in name_blocks(top, of(top)).values() if name in names}
    for name in names - set(found):
        value = top
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is not None:
            found[name] = value
    return found


def of(top: Any) -> list[tuple[Any, Any, Any]]:
    """The connections of one flowgraph, those in its hierarchical blocks included."""
    found: list[tuple[Any, Any, Any]] = []
    parents, seen = [top], {id(top)}
    for parent in parents:
        for a, b in getattr(parent, CONNECTIONS, ()):
            found.append((parent, a, b))
            for block in (a[0], b[0]):
                if id(block) not in seen:
                    seen.add(id(block))
                    parents.append(block)
    return found


def install(top: Any, wanted: dict[str, Any], blocks: dict[str, Any]) -> None:
    from . import settings
    from .flowgraph import find_threads

    settings.set_batches(wanted, blocks)
    start = top.start

    def schedule() -> None:
        """Threads take their names a moment after the start."""
        end = time.monotonic() + PATIENCE_S
        threads = find_threads(blocks)
        while len(threads) < len(blocks) and time.monotonic() < end:
            time.sleep(0.02)
            threads = find_threads(blocks)
        policy, reasons = settings.schedule(wanted, threads)
        for reason in reasons:
            say(reason)
        say(f"{len(threads)} of {len(blocks)} blocks run as planned; policy: {policy}")

    def start_planned(*arguments: Any) -> None:
        start(*arguments)
        threading.Thread(target=schedule, daemon=True).start()

    top.start = start_planned


def record(gr: Any) -> None:
    """What flowgraphs connect: blocks that have no name are known by it."""
    connect = gr.hier_block2.connect

    def remember(parent: Any, *points: Any) -> Any:
        ends = [point if isinstance(point, tuple) else (point, 0) for point in points]
        parent.__dict__.setdefault(CONNECTIONS, []).extend(zip(ends, ends[1:]))
        return connect(parent, *points)

    gr.hier_block2.connect = remember


def replace_hidden(channels: Any) -> None:
    """Hierarchical blocks in C++ of which a plan has the inside."""
    from . import inside

    inside.replace(sys.modules["gnuradio.gr"], channels)


def when_loaded(name: str, then: Callable[[Any], None]) -> None:
    """Whether the module is there already, or not yet."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, Finder(name, then))


def prepare() -> None:
    """For flowgraphs that are made from now on."""
    when_loaded("gnuradio.gr", record)
    when_loaded("gnuradio.channels", replace_hidden)


def watch_starts(gr: Any) -> None:
    """Every flowgraph gets the plan when it starts."""
    start = gr.top_block.start

    def start_first(self: Any, *arguments: Any) -> None:
        gr.top_block.start = start
        if "start" not in vars(self):
            apply(self)
        gr.top_block.start = start_first
        vars(self).get("start", lambda *others: start(self, *others))(*arguments)

    gr.top_block.start = start_first


class Finder:
    """Looks for a module once, as if it were not there, and does something to it when it was."""

    def __init__(self, name: str, then: Callable[[Any], None]) -> None:
        self.name, self.then = name, then

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module if spec and spec.loader else None

        def exec_module(module: Any) -> None:
            execute(module)
            self.then(module)

        if execute:
            spec.loader.exec_module = exec_module
        return spec


def hook(path: str) -> None:
    """Called by the sitecustomize module in `path`, which then makes way for the one that it hides."""
    if path in sys.path:
        sys.path.remove(path)
    sys.modules.pop("sitecustomize", None)
    if os.environ.get(VARIABLE):
        sys.meta_path.insert(0, Finder("gnuradio.gr", watch_starts))
    if importlib.util.find_spec("sitecustomize"):
        __import__("sitecustomize")
