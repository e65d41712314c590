# SPDX-License-Identifier: Apache-2.0
"""What the tools beside this file need of a GNU Radio flowgraph: its blocks, its rates, its batches, its threads."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib.util
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from .needs import Need, Unknown, find, required_multiple
from .probe import Probe

COMM_BYTES = 15  # of a thread's name, in Linux


COMPUTED = ("analog", "blocks", "channels", "digital", "dtv", "fec", "fft", "filter", "pdu", "trellis", "vocoder")  # modules without devices
BUFFER_BYTES = 65536  # of GNU Radio's buffers unless asked for


def fail(message: str) -> NoReturn:
    """Ends the program with a message and status 3, as weir does for bad input."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(3)


def parse_rates(words: list[str] | None) -> dict[str, float]:
    """Of --rate: samples a second by block; of the only source without a name by ''."""
    rates = {}
    for word in words or []:
        name, _, number = word.rpartition("=")
        try:
            rates[name] = float(number)
        except ValueError:
            rates[name] = 0
        if not 0 < rates[name] < 1e12:
            fail(f"--rate: expected samples a second, such as 48000 or source=48e3, not '{word}'")
    return rates


def import_gnuradio() -> Any:
    """gnuradio.gr, with performance counters of threads' own time; a word about it where there is none."""
    os.environ.setdefault("GR_CONF_PERFCOUNTERS_ON", "True")
    os.environ.setdefault("GR_CONF_PERFCOUNTERS_CLOCK", "thread")
    os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "error")
    try:
        from gnuradio import gr
    except ImportError as error:
        fail(
            f"GNU Radio is not there for {sys.executable} ({error}). Install it (Debian: apt install gnuradio), "
            "or run this with the Python it was installed for, often /usr/bin/python3"
        )
    return gr


@dataclass
class Node:
    """A block of the flowgraph, and how many items it takes and makes for one of the first source's."""

    name: str
    block: Any
    interpolation: int = 1
    decimation: int = 1
    taken: Fraction = Fraction(1)
    made: Fraction = Fraction(1)
    inputs: list[str] = field(default_factory=list)
    part: int = 0  # of the flowgraph: parts that nothing but messages connects
    thresholds: tuple[int, ...] = ()  # by input: the items that have to be there for one execution
    unknown: str = ""  # why these are not known

    @property
    def is_throttle(self) -> bool:
        return "throttle" in self.block.name()

    @property
    def waits(self) -> bool:
        """For a device or another program, so that it has a pace of its own."""
        return type(self.block).__module__.split(".")[1:2] not in [[module] for module in COMPUTED]

    @property
    def is_source(self) -> bool:
        return not self.inputs

    def samples(self, batch: int) -> int:
        """Taken by an execution when the source does `batch` at once; a source's own."""
        return int(batch * (self.made if self.is_source else self.taken))

    def items(self) -> int:
        """Taken so far; by a source, made."""
        return int(self.block.nitems_written(0) if self.is_source else self.block.nitems_read(0))


@dataclass
class Flowgraph:
    top: Any
    nodes: dict[str, Node]
    connections: list[tuple[str, int, str, int]]
    messages: list[tuple[str, str]] = field(default_factory=list)  # between blocks: no part of the streams

    def unit(self) -> int:
        """The least batch of the source with which every block does whole executions."""
        return math.lcm(*(Fraction(node.taken, node.decimation).denominator for node in self.nodes.values()))

    def rate(self, rates: dict[str, float] | None = None) -> float | None:
        """Samples a second at the first source: what was asked for, or else what the slowest throttle lets through."""
        found = [Fraction(node.block.sample_rate()) / node.taken for node in self.nodes.values() if node.is_throttle and not rates]
        for name, rate in (rates or {}).items():
            node = self.nodes[name] if name else next(node for node in self.nodes.values() if node.is_source)
            found.append(Fraction(rate) / node.made)
        return float(min(found)) if found else None

    def pace(self, part: int) -> Node:
        """The block that lets samples of a part through as time goes by: the slowest throttle, or else the source."""
        nodes = [node for node in self.nodes.values() if node.part == part]
        throttles = [node for node in nodes if node.is_throttle]
        if throttles:
            return min(throttles, key=lambda node: Fraction(node.block.sample_rate()) / node.taken)
        return next(node for node in nodes if node.is_source)

    def paces(self) -> dict[int, Node]:
        return {part: self.pace(part) for part in sorted({node.part for node in self.nodes.values()})}

    def sinks(self) -> dict[str, Node]:
        feeding = {source for source, *_ in self.connections}
        return {name: node for name, node in self.nodes.items() if name not in feeding}

    def connected(self, name: str) -> set[str]:
        """All blocks of its part."""
        found, waiting = {name}, [name]
        while waiting:
            here = waiting.pop()
            near = {end for source, _, target, _ in self.connections if here in (source, target) for end in (source, target)} - found
            found |= near
            waiting.extend(near)
        return found

    def takers(self, node: Node) -> list[Node]:
        return [self.nodes[target] for source, _, target, _ in self.connections if source == node.name]

    def output(self, node: Node, batch: int) -> int:
        """Items that an execution makes (a sink: takes) when the source does `batch` at once."""
        return max(1, int(batch * node.made))

    def moved(self, node: Node, batch: int) -> int:
        """Items that the probe sees of an execution: those that it makes, or else those that it takes."""
        return self.output(node, batch) if self.takers(node) else node.samples(batch)

    def room(self, node: Node, batch: int) -> int:
        """Items in the block's buffer: as many batches as nobody waits for, and what those behind it want to see at once."""
        size = self.output(node, batch)
        wanted = [4 * size]
        for taker in self.takers(node):
            wanted.append(2 * (taker.samples(batch) + max(taker.thresholds, default=0) + int(taker.block.history()) - 1))
        return -(-max(wanted) // size) * size

    def set_batch(self, batch: int) -> None:
        """Exactly this many of the source's samples at once, in every block, and buffers no larger than that takes. Before the start."""
        for node in self.nodes.values():
            set_batch(node.block, self.output(node, batch), self.room(node, batch) if self.takers(node) else None)

    def ahead(self, batch: int) -> dict[str, Fraction]:
        """Sources that run ahead of the block that sets the pace, by how many of the first source's samples at most: as many as there is
        room for in the buffers on the way, and one batch in each block. Once it runs."""
        found = {}
        for source in (node for node in self.nodes.values() if node.is_source and node is not self.pace(node.part)):
            pace = self.pace(source.part)
            waiting, most = [(source, Fraction(0))], Fraction(0)
            while waiting:
                node, so_far = waiting.pop()
                if node is pace:
                    most = max(most, so_far)
                elif self.takers(node):
                    here = so_far + Fraction(int(node.block.max_output_buffer(0)) + self.output(node, batch)) / node.made
                    waiting.extend((taker, here) for taker in self.takers(node))
            if most:
                found[source.name] = most
        return found

    def start(self) -> None:
        try:
            self.top.start()
        except RuntimeError as error:
            fail(f"GNU Radio cannot start the flowgraph: {error}")

    def threads(self) -> dict[str, int]:
        return find_threads({name: node.block for name, node in self.nodes.items()})


def set_batch(block: Any, size: int, room: int | None) -> None:
    """So many items at once, out of a buffer for so many. A sink takes what comes: some take less at once than they are given, and would
    leave the rest for the next batch. A largest size makes buffers smaller, and GNU Radio forgets the least one then."""
    block.set_max_noutput_items(size)
    block.set_output_multiple(required_multiple(block) if room is None else size)
    if room is None:
        return
    if room * int(block.output_signature().sizeof_stream_item(0)) < BUFFER_BYTES:
        block.set_max_output_buffer(room)
    else:
        block.set_min_output_buffer(room)


def find_threads(blocks: dict[str, Any]) -> dict[str, int]:
    """The thread of each block, once it runs. Threads are called after blocks, but names are cut short."""
    by_comm: dict[str, list[int]] = {}
    for entry in os.listdir("/proc/self/task"):
        try:
            comm = Path(f"/proc/self/task/{entry}/comm").read_text().rstrip("\n")
        except OSError:
            continue
        by_comm.setdefault(comm, []).append(int(entry))
    found = {}
    for name, block in blocks.items():
        candidates = by_comm.get(thread_name(block), [])
        if len(candidates) > 1:
            candidates = moved_thread(block, candidates)
        if len(candidates) == 1:
            found[name] = candidates[0]
    return found


def thread_name(block: Any) -> str:
    """GNU Radio cuts the block's name so that its number would fit into 16 bytes; Linux keeps one less."""
    number = str(block.unique_id())
    return (block.name()[: COMM_BYTES + 1 - len(number)] + number)[:COMM_BYTES]


def moved_thread(block: Any, candidates: list[int]) -> list[int]:
    """Of threads with one name, the one that goes where the block is sent."""
    before = {tid: os.sched_getaffinity(tid) for tid in candidates}
    cpu = min(os.sched_getaffinity(0))
    block.set_processor_affinity([cpu])
    moved = [tid for tid in candidates if os.sched_getaffinity(tid) == {cpu} != before[tid]]
    block.unset_processor_affinity()
    for tid in moved:
        os.sched_setaffinity(tid, before[tid])
    return moved


# ---- from a file


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
            fail(f"how many samples a second does {sources[0]} make? No throttle says it, so --rate {sources[0]}=... must")
        return rate

    def flowgraph(self) -> Flowgraph:
        """A new instance, with its rates."""
        new = self.instance()
        if self.needs is None or not {name for name, node in new.nodes.items() if not node.is_source} <= self.needs.keys():
            self.needs = {name: self.need(node) for name, node in new.nodes.items() if not node.is_source}
        ask_needs(new.nodes, self.needs)
        parts = find_rates(new.nodes, new.connections)
        fit_parts(new, parts, self.rates)
        return new

    def need(self, node: Node) -> Need | Unknown:
        try:
            return find(self.gr, lambda: node.block, len(node.inputs))
        except Unknown as error:
            return error

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
            else Need(block["interpolation"], block["decimation"], tuple(block["thresholds"]))
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
    return Flowgraph(top, nodes, connections, sorted({(called[id(a)], called[id(b)]) for a, b in messages}))


def ask_needs(nodes: dict[str, Node], needs: dict[str, Need | Unknown]) -> None:
    """What executions make, take and wait for: as was found, or as the block tells."""
    for node in nodes.values():
        need = needs.get(node.name)
        if isinstance(need, Need):
            node.interpolation, node.decimation, node.thresholds = need.produce, need.consume, need.thresholds
        elif node.is_source:
            node.interpolation = node.decimation = required_multiple(node.block)
        else:
            node.interpolation, node.decimation = int(node.block.relative_rate_i()), int(node.block.relative_rate_d())
            node.unknown = str(need)


def find_rates(nodes: dict[str, Node], connections: list[tuple[str, int, str, int]]) -> int:
    """What each block takes and makes for one sample of the first source of its part: whatever leads from it or to it, on and on. How many
    parts there are."""
    known: set[str] = set()
    for part in range(len(nodes)):
        first = next((node for node in nodes.values() if node.is_source and node.name not in known), None)
        if first is None:
            if len(known) < len(nodes):
                fail(f"there is no source: {', '.join(sorted(set(nodes) - known))} are a loop")
            return part
        first.part = part
        known.add(first.name)
        spread_rates(nodes, connections, first, known)
    return len(nodes)


def spread_rates(nodes: dict[str, Node], connections: list[tuple[str, int, str, int]], first: Node, known: set[str]) -> None:
    waiting = [first]
    while waiting:
        here = waiting.pop()
        for source, _, target, _ in connections:
            if here.name not in (source, target):
                continue
            other = nodes[target if here.name == source else source]
            made = here.made if here.name == source else here.taken
            taken = made if here.name == source else made if other.is_source else made * other.decimation / other.interpolation
            if other.name not in known:
                other.taken, other.part = taken, first.part
                other.made = taken * other.interpolation / other.decimation
                known.add(other.name)
                waiting.append(other)
            elif other.taken != taken:
                fail(f"{source} makes samples for {target} faster or slower than it takes them: samples pile up, or it waits for others")


def fit_parts(flowgraph: Flowgraph, parts: int, rates: dict[str, float]) -> None:
    """What blocks of other parts take and make for one sample of the first source of all: by the rates of the parts."""
    first: Fraction | None = None
    for part in range(parts if parts > 1 else 0):
        nodes = [node for node in flowgraph.nodes.values() if node.part == part]
        found = [Fraction(rate) / flowgraph.nodes[name].made for name, rate in rates.items() if name and flowgraph.nodes[name].part == part]
        if not found:
            found = [Fraction(node.block.sample_rate()) / node.taken for node in nodes if node.is_throttle]
        if not found:
            source = next(node.name for node in nodes if node.is_source)
            fail(f"how many samples a second does {source} make? No throttle says it, so --rate {source}=... must")
        first = first or min(found)
        for node in nodes:
            node.taken, node.made = node.taken * min(found) / first, node.made * min(found) / first
