# SPDX-License-Identifier: Apache-2.0
"""What the tools beside this file need of a GNU Radio flowgraph: its blocks, its rates, its batches, its threads."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from .needs import Need, Unknown, required_multiple

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
            f"GNU Radio is not installed for {sys.executable} ({error}). Install it (Debian: apt install gnuradio), "
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
    packets: bool = False  # it does packets of a tagged stream one by one, and is not asked to do several at once
    unknown: str = ""  # why needs are not known

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
    owners: dict[str, Any] = field(default_factory=dict)  # of blocks: what connects their outputs

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

    def before(self, name: str) -> set[str]:
        """Those that lead to it."""
        found, waiting = {name}, [name]
        while waiting:
            more = set(self.nodes[waiting.pop()].inputs) - found
            found |= more
            waiting.extend(more)
        return found - {name}

    def behind(self, name: str) -> set[str]:
        """Those that it leads to."""
        return {other for other in self.nodes if name in self.before(other)}

    def doubtful(self, sink: str) -> str:
        """A block of its part whose needs are not known, and which may hold up all others of it; empty: there is none. One before it first."""
        before = {sink} | self.before(sink)
        found = sorted(node.name for node in self.nodes.values() if node.unknown and node.part == self.nodes[sink].part)
        return next((name for name in found if name in before), found[0] if found else "")

    def takers(self, node: Node) -> list[Node]:
        return [self.nodes[target] for source, _, target, _ in self.connections if source == node.name]

    def output(self, node: Node, batch: int) -> int:
        """Items that an execution makes (a sink: takes) when the source does `batch` at once."""
        return max(1, int(batch * node.made))

    def forced(self, node: Node, batch: int) -> int | None:
        """Items that it has to make at once, no less and no more."""
        return None if node.packets else self.output(node, batch)

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
            set_batch(node.block, self.forced(node, batch), self.room(node, batch) if self.takers(node) else None)

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


def set_batch(block: Any, size: int | None, room: int | None) -> None:
    """So many items at once, out of a buffer for so many. A sink takes what comes: some take less at once than they are given, and would
    leave the rest for the next batch. A largest size makes buffers smaller, and GNU Radio forgets the least one then."""
    if size is not None:
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


def ask_needs(nodes: dict[str, Node], needs: dict[str, Need | Unknown]) -> None:
    """What executions make, take and wait for: as was found, or as the block tells."""
    for node in nodes.values():
        need = needs.get(node.name)
        if isinstance(need, Need):
            node.interpolation, node.decimation, node.thresholds, node.packets = need.produce, need.consume, need.thresholds, need.packets
            node.unknown = need.doubt
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
            fail(f"how many samples a second does {source} make? No throttle determines it: give --rate {source}=...")
        first = first or min(found)
        for node in nodes:
            node.taken, node.made = node.taken * min(found) / first, node.made * min(found) / first
