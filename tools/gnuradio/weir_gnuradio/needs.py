# SPDX-License-Identifier: Apache-2.0
"""How many items a block waits for, takes and makes. GNU Radio asks its forecast(), which Python cannot; so the block is run by itself, with
so many items and no more, and tells by what comes out."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable

from .packets import Packet

STEPS = (1, 2, 5, 16, 64, 96, 128)  # executions at once; the last three tell the rate, whatever the first items are like
TIMES = (1, 4)  # so many of these, one after the other
QUICK = ((1, 1), (16, 4))  # are enough where a block says that its rate is fixed, and it is
SOME = 8  # packets
LONG = 100  # times sixteen executions, to see the rate
ITEMS_MAX = 1 << 20  # to wait for
PATIENCE_S = 10.0  # for one run: of computing, or without any
LIMIT_S = 20.0  # of computing, for one block
WAIT_MAX_S = 200.0  # ... on a machine that has no time for it


class Unknown(Exception):
    """Why it cannot be told."""


@dataclass(frozen=True)
class Need:
    """Of one execution: the items that it makes, those that it takes of each input, and how many have to be there of it."""

    produce: int
    consume: int
    thresholds: tuple[int, ...]
    packets: bool = False  # it does them one by one
    doubt: str = ""  # why it may wait for more, with other data


def streams(signature: Any) -> int:
    """Ports that have to be connected; of a port that may be repeated, one."""
    return int(signature.min_streams()) or int(signature.max_streams() != 0)


def required_multiple(block: Any) -> int:
    """Of the items that it makes at once. Without output_multiple_set() the multiple is a wish, for the sake of speed."""
    return int(block.output_multiple()) if block.output_multiple_set() else 1


def spent() -> float:
    """CPU time of the processes that have run blocks."""
    times = os.times()
    return times.children_user + times.children_system


def comes_to_an_end(running: threading.Thread) -> bool:
    """Whether it does before it has computed for long, or has done nothing for long: a busy machine lets it wait."""
    begin = time.process_time()
    while running.is_alive():
        before = time.process_time()
        running.join(PATIENCE_S)
        now = time.process_time()
        if running.is_alive() and (now - begin > PATIENCE_S or now - before < PATIENCE_S / 100):
            return False
    return True


class Bench:
    """Runs a block by itself, as `make` gives it."""

    def __init__(self, gr: Any, make: Callable[[], Any], inputs: int | None = None, packets: dict[int, Packet] | None = None) -> None:
        """Inputs with packets get tags that say so."""
        from gnuradio import blocks

        self.gr, self.blocks, self.make, self.packets = gr, blocks, make, packets or {}
        first = make()
        self.inputs = streams(first.input_signature()) if inputs is None else inputs
        self.produce = math.lcm(int(first.relative_rate_i()), required_multiple(first))
        self.consume = int(first.relative_rate_d()) * self.produce // int(first.relative_rate_i())
        self.fixed = bool(first.fixed_rate())
        self.work_end, self.end = spent() + LIMIT_S, time.monotonic() + WAIT_MAX_S

    def packet(self) -> Need:
        """Packets one by one, each when all of it is there."""
        lengths = [self.packets[port][1] if port in self.packets else 0 for port in range(self.inputs)]
        if len(set(lengths)) != 1:
            raise Unknown(f"its inputs have packets of {', '.join(str(length) for length in lengths)} items")
        counts = [SOME * length for length in lengths]
        made, taken = self.run(0, counts)
        less, _ = self.run(0, [counts[0] - 1] * self.inputs)
        if taken != counts[0] or made % SOME or not made or less * SOME != made * (SOME - 1):
            raise Unknown(f"of {SOME} packets of {lengths[0]} items it takes {taken} items, and makes {made}; without the last item, {less}")
        return Need(made // SOME, lengths[0], tuple(lengths), True)

    def run(self, size: int, counts: list[int]) -> tuple[int, int]:
        """With output by `size` items at once, and so many items for each input: how many are made (by a sink, taken), and how many of
        the first input are taken. A block that is used in a way that it was not made for may crash, and one that ran is not what it was:
        so another process does it."""
        if spent() > self.work_end or time.monotonic() > self.end:
            raise Unknown("it takes too long to find out")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            answer: dict[str, Any] = {}
            for stream in (1, 2):  # what GNU Radio says of odd sizes
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            try:
                answer = {"counts": self.run_here(size, counts)}
            except Exception as error:
                answer = {"unknown": str(error)}
            os.write(writing, json.dumps(answer).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        if not text:
            raise Unknown("it crashes when it is run by itself")
        answer = json.loads(text)
        if "unknown" in answer:
            raise Unknown(answer["unknown"])
        return answer["counts"][0], answer["counts"][1]

    def run_here(self, size: int, counts: list[int]) -> tuple[int, int]:
        top, block = self.gr.top_block(), self.make()
        if size:
            block.set_output_multiple(size)
            block.set_max_noutput_items(size)
            block.set_min_output_buffer(4 * size)
        for port, count in enumerate(counts):
            item = block.input_signature().sizeof_stream_item(port)
            chain = [self.blocks.null_source(item), self.blocks.head(item, count)]
            if port in self.packets:
                key, length = self.packets[port]
                chain.append(self.blocks.stream_to_tagged_stream(item, 1, length, key))
            top.connect(*chain, (block, port))
        outputs = streams(block.output_signature())
        for port in range(outputs):
            item = block.output_signature().sizeof_stream_item(port)
            top.connect((block, port), self.blocks.null_sink(item))
        top.start()
        waiting = threading.Thread(target=top.wait, daemon=True)
        waiting.start()
        if not comes_to_an_end(waiting):
            top.stop()
            raise Unknown("it does not come to an end")
        taken = int(block.nitems_read(0))
        return (int(block.nitems_written(0)) if outputs else taken), taken

    def enough(self, step: tuple[int, int], port: int, count: int) -> bool:
        """Whether so many items at one input are enough for so many executions at once, and that several times, with plenty at the
        others."""
        executions, times = step
        size = executions * self.produce
        plenty = 4 * times * executions * self.consume + ITEMS_MAX // 16
        return count > 0 and self.run(size, [count if other == port else plenty for other in range(self.inputs)])[0] >= times * size

    def least_is(self, step: tuple[int, int], port: int, guess: int) -> bool:
        return self.enough(step, port, guess) and not self.enough(step, port, guess - 1)

    def least(self, step: tuple[int, int], port: int, guess: int) -> int:
        """The least count that is enough."""
        if self.least_is(step, port, guess):
            return guess
        low, high = 0, max(1, guess)
        while not self.enough(step, port, high):
            low, high = high, 2 * high
            if high > ITEMS_MAX:
                raise Unknown("with zeros at its inputs it makes nothing")
        while high - low > 1:
            middle = (low + high) // 2
            if self.enough(step, port, middle):
                high = middle
            else:
                low = middle
        return high

    def port(self, port: int) -> tuple[int, int]:
        """What an execution takes of it, and what it waits for."""
        if self.fixed and all(self.least_is(step, port, step[0] * step[1] * self.consume) for step in QUICK):
            return self.consume, self.consume
        found: dict[tuple[int, int], int] = {}
        guess = self.consume
        for step in ((executions, times) for executions in STEPS for times in TIMES):
            rest = (step[0] * step[1] - 1) * self.consume
            found[step] = self.least(step, port, guess + rest)
            guess = max(1, found[step] - rest)
        (a, b, c), once = STEPS[-3:], TIMES[0]
        more, executions = found[c, once] - found[a, once], c - a
        if more <= 0 or more % executions or (found[b, once] - found[a, once]) * executions != more * (b - a):
            raise Unknown(f"{executions} more executions take {more} more items")
        consume = more // executions
        size = 16 * self.produce
        made, taken = self.run(size, [LONG * 16 * consume] * self.inputs)
        if port == 0 and abs(taken * self.produce - made * consume) * 20 > taken * self.produce:
            raise Unknown(f"an execution seems to take {consume} items for {self.produce}, but {taken} make {made}")
        return consume, max(count - (executions * times - 1) * consume for (executions, times), count in found.items())


def find(gr: Any, make: Callable[[], Any], inputs: int | None = None, packets: dict[int, Packet] | None = None) -> Need:
    """Of a block with inputs, so many or as many as it must have, some of them with packets; raises Unknown."""
    bench = Bench(gr, make, inputs, packets)
    if packets:
        return bench.packet()
    ports = [bench.port(port) for port in range(bench.inputs)]
    consumes = {consume for consume, _ in ports}
    if len(consumes) != 1:
        raise Unknown(f"it takes {', '.join(str(consume) for consume, _ in ports)} items of its inputs")
    return Need(bench.produce, consumes.pop(), tuple(threshold for _, threshold in ports))
