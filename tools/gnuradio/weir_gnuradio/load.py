# SPDX-License-Identifier: Apache-2.0
"""Makes flowgraphs of files, again and again, and finds out what is in them."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from .flowgraph import Flowgraph, Node, ask_needs, fail, find_rates, fit_parts, import_gnuradio
from .needs import Need, Unknown, find
from .packets import Packet, listen
from .probe import Probe


def compile_grc(path: Path, folder: Path | None = None) -> Path:
    """The Python file that grcc makes of a .grc file, in a folder or in one that goes away."""
    try:
        start = path.read_bytes()[:200]
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    if b"<?xml" in start or b"<flow_graph" in start:
        fail(f"{path} is from before GNU Radio 3.8; 'weir-gnuradio upgrade {path} -o new.grc' makes a new one of it")
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="weir-grc-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        result = subprocess.run(["grcc", "-o", str(folder), str(path)], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        fail("grcc, GNU Radio's compiler of .grc files, is not on the path")
    made = sorted(folder.glob("*.py"), key=lambda p: p.stat().st_mtime)
    if result.returncode != 0 or not made:
        fail(f"grcc cannot compile {path}: {why(result.stderr + result.stdout)}")
    return made[-1]


def why(text: str) -> str:
    """What grcc complains of, without what it says in any case."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not set(line) <= {"*"} and not line.startswith((">>>", "log :", "Compilation error"))]
    return "; ".join(lines[:6]) or "no reason is given"


def load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("weir_flowgraph", path)
    if not path.is_file() or spec is None or spec.loader is None:
        fail(f"{path}: expected a Python file with a top_block class, or a .grc file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (ImportError, SyntaxError) as error:
        fail(f"{path}: {error}")
    return module


class Loader:
    """Makes a flowgraph anew as often as it is asked for."""

    def __init__(self, file: str, class_name: str | None, rates: dict[str, float] | None = None, profile: str | None = None) -> None:
        """With what a profile says of the blocks' needs, where there is one."""
        self.probe = Probe()
        self.gr = import_gnuradio()
        self.probe.attach(self.gr)
        self.rates = rates or {}
        self.paced: list[str] = []  # sources behind which a throttle was put
        path = Path(file)
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # no window is opened
        gc.disable()  # it stops the threads that watch, for milliseconds
        module = load_module(compile_grc(path) if path.suffix == ".grc" else path)
        self.application = module.Qt.QApplication(sys.argv[:1]) if hasattr(module, "Qt") else None
        classes = {
            name: value
            for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, self.gr.top_block) and value is not self.gr.top_block
        }
        if class_name is not None and class_name not in classes:
            fail(f"{file}: no top_block class {class_name}; there are: {', '.join(classes) or 'none'}")
        if class_name is None and len(classes) != 1:
            fail(f"{file}: which class? --class takes one of: {', '.join(classes) or 'none is there'}")
        self.make = classes[class_name] if class_name is not None else next(iter(classes.values()))
        self.needs = read_needs(profile) if profile else None

    def pause(self, seconds: float) -> None:
        """While the flowgraph runs; what has a display draws on."""
        end = time.monotonic() + seconds
        while self.application is not None and time.monotonic() < end:
            self.application.processEvents()
            time.sleep(max(0, min(0.05, end - time.monotonic())))
        time.sleep(max(0, end - time.monotonic()))

    def rate(self, flowgraph: Flowgraph) -> float:
        """Samples a second at the first source, which somebody must have said."""
        rate = flowgraph.rate(self.rates)
        if not rate:
            sources = [node.name for node in flowgraph.nodes.values() if node.is_source]
            fail(f"how many samples a second does {sources[0]} make? No throttle determines it: give --rate {sources[0]}=...")
        return rate

    def flowgraph(self) -> Flowgraph:
        """A new instance, with its rates."""
        new = self.instance()
        if self.needs is None or not {name for name, node in new.nodes.items() if not node.is_source} <= self.needs.keys():
            self.needs = {name: self.need(node) for name, node in new.nodes.items() if not node.is_source}
            self.ask_packets(new)
        ask_needs(new.nodes, self.needs)
        parts = find_rates(new.nodes, new.connections)
        fit_parts(new, parts, self.rates)
        return new

    def need(self, node: Node, packets: dict[int, Packet] | None = None) -> Need | Unknown:
        try:
            return find(self.gr, lambda: node.block, len(node.inputs), packets)
        except Unknown as error:
            return error

    def ask_packets(self, flowgraph: Flowgraph) -> None:
        """Blocks that want packets do nothing without."""
        assert self.needs is not None
        inputs: dict[str, dict[int, tuple[str, int]]] = {}  # of those whose needs are not known
        for source, source_port, target, port in flowgraph.connections:
            if isinstance(self.needs.get(target), Unknown):
                inputs.setdefault(target, {})[port] = (source, source_port)
        if not inputs:
            return
        found = listen(self.gr, self.instance(), {end for ends in inputs.values() for end in ends.values()})
        for name, ends in inputs.items():
            packets = {port: found[end] for port, end in ends.items() if end in found}
            if packets:
                self.needs[name] = self.need(flowgraph.nodes[name], packets)

    def instance(self) -> Flowgraph:
        """A new instance, with what it connects, hierarchical blocks taken apart."""
        seen: list[tuple[Any, Any, Any]] = []
        messages: list[tuple[Any, Any]] = []
        connect, msg_connect = self.gr.hier_block2.connect, self.gr.hier_block2.msg_connect

        def record(parent: Any, *points: Any) -> Any:
            ends = [point if isinstance(point, tuple) else (point, 0) for point in points]
            seen.extend((parent, a, b) for a, b in zip(ends, ends[1:]))
            return connect(parent, *points)

        def record_messages(parent: Any, *arguments: Any) -> Any:
            ends = [argument[0] if isinstance(argument, tuple) else argument for argument in arguments]
            messages.append((ends[0], ends[1] if isinstance(arguments[0], tuple) else ends[2]))
            return msg_connect(parent, *arguments)

        self.gr.hier_block2.connect = record
        self.gr.hier_block2.msg_connect = record_messages
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # some blocks tell what they are made of
                top = self.make()
        except (AttributeError, OSError, RuntimeError, TypeError) as error:
            fail(f"the flowgraph cannot be made: {error}. A device or a file that is not here?")
        finally:
            self.gr.hier_block2.connect = connect
            self.gr.hier_block2.msg_connect = msg_connect
        new = describe(top, seen, messages)
        missing = [name for name in self.rates if name and name not in new.nodes]
        if missing:
            fail(f"--rate: there is no block {', '.join(missing)}; sources are {', '.join(n.name for n in new.nodes.values() if n.is_source)}")
        if self.rates:
            self.put_throttles(new, seen)
            new = describe(top, seen, messages)
        return new

    def put_throttles(self, flowgraph: Flowgraph, seen: list[tuple[Any, Any, Any]]) -> None:
        """Behind sources that would else make samples as fast as they can."""
        from gnuradio import blocks

        self.paced = []
        for name, rate in self.rates.items():
            node = flowgraph.nodes[name] if name else next(node for node in flowgraph.nodes.values() if node.is_source)
            if node.waits or not node.is_source or any(flowgraph.nodes[other].is_throttle for other in flowgraph.connected(node.name)):
                continue
            self.paced.append(node.name)
            block = node.block
            for port in sorted({a[1] for _, a, _ in seen if a[0] is block}):
                throttle = blocks.throttle(block.output_signature().sizeof_stream_item(int(port)), rate)
                setattr(flowgraph.top, f"{node.name.replace('.', '_')}_pace{port or ''}", throttle)
                behind = [edge for edge in seen if edge[1][0] is block and edge[1][1] == port]
                for parent, a, b in behind:
                    parent.disconnect(a, b)
                    parent.connect((throttle, 0), b)
                    seen[seen.index((parent, a, b))] = (parent, (throttle, 0), b)
                behind[0][0].connect((block, port), (throttle, 0))
                seen.append((behind[0][0], (block, port), (throttle, 0)))


def read_needs(path: str) -> dict[str, Need | Unknown] | None:
    """What `weir-gnuradio profile` wrote of them."""
    try:
        blocks = json.loads(Path(path).read_text(encoding="utf-8"))["blocks"]
        return {
            block["name"]: Unknown(block["unknown"])
            if block["thresholds"] is None
            else Need(block["interpolation"], block["decimation"], tuple(block["thresholds"]), block["packets"], block["unknown"])
            for block in blocks
        }
    except (OSError, KeyError, TypeError, ValueError):
        return None


def is_single(block: Any) -> bool:
    return hasattr(block, "general_work") or hasattr(block, "pc_work_time_total")


class Inside:
    """What lies behind the ports of hierarchical blocks, by what these connect."""

    def __init__(self, seen: list[tuple[Any, Any, Any]]) -> None:
        self.seen = seen

    def behind(self, end: tuple[Any, Any], side: int) -> list[tuple[Any, int]]:
        """The ends at single blocks that make what comes out of this one (side 1), or take what goes into it (side 0)."""
        waiting, found = [end], []
        while waiting:
            block, port = waiting.pop()
            if is_single(block):
                found.append((block, int(port)))
                continue
            inner = [edge for edge in self.seen if edge[0] is block and edge[1 + side][0] is block and edge[1 + side][1] == port]
            if not inner:
                fail(f"{block!r} is neither a single block nor a hierarchical one in Python: what is in it is not known")
            waiting.extend(edge[2 - side] for edge in inner)
        return found


def name_blocks(top: Any, seen: list[tuple[Any, Any, Any]]) -> dict[int, tuple[str, Any]]:
    """Single blocks by their attributes, those of hierarchical blocks behind the names of these; others by what GNU Radio calls them."""
    names: dict[int, tuple[str, Any]] = {}
    parents = {id(parent): parent for parent, *_ in seen}
    waiting, done = [("", top)], {id(top)}
    while waiting:
        prefix, parent = waiting.pop(0)
        for name, value in vars(parent).items():
            if is_single(value):
                names.setdefault(id(value), (prefix + name, value))
            elif id(value) in parents and id(value) not in done:
                done.add(id(value))
                waiting.append((f"{prefix}{name}.", value))
    taken = {name for name, _ in names.values()}
    for parent, *ends in seen:
        for block, _ in ends:
            if is_single(block) and id(block) not in names:
                base = name = block.name()
                for number in range(2, len(taken) + 2):
                    if name not in taken:
                        break
                    name = f"{base}_{number}"
                taken.add(name)
                names[id(block)] = (name, block)
    return names


def describe(top: Any, seen: list[tuple[Any, Any, Any]], messages: list[tuple[Any, Any]]) -> Flowgraph:
    names, inside = name_blocks(top, seen), Inside(seen)
    nodes = {name: Node(name, block) for name, block in names.values()}
    connections = []
    owners = {names[id(a[0])][0]: parent for parent, a, _ in seen if id(a[0]) in names}
    for parent, a, b in seen:
        if a[0] is parent or b[0] is parent:
            continue  # a port of a hierarchical block, from inside
        for source, source_port in inside.behind(a, 1):
            for target, target_port in inside.behind(b, 0):
                source_name, target_name = names[id(source)][0], names[id(target)][0]
                connections.append((source_name, source_port, target_name, target_port))
                nodes[target_name].inputs.append(source_name)
    if not connections:
        fail("the flowgraph connects nothing")
    used = {end for source, _, target, _ in connections for end in (source, target)}
    nodes = {name: node for name, node in nodes.items() if name in used}
    called = {id(value): name for name, value in vars(top).items()}
    for block in (end for edge in messages for end in edge):
        called.setdefault(id(block), names.get(id(block), (block.name(), None))[0])
    return Flowgraph(top, nodes, connections, sorted({(called[id(a)], called[id(b)]) for a, b in messages}), owners)
