# SPDX-License-Identifier: Apache-2.0
"""Tagged streams: where packets begin is told by tags with their length. Packets of one length are batches like others; which tags say so,
and which length, is seen while the flowgraph runs."""

from __future__ import annotations

import time
from typing import Any

RUN_S = 0.5
PACKETS_MIN = 3

Packet = tuple[str, int]  # the tag's key, and the length that it has every time


def make_listener(gr: Any, item: int) -> Any:
    """A sink that remembers whole numbers in tags: by key, where they stand and what they are."""
    import numpy
    import pmt

    class Listener(gr.sync_block):
        def __init__(self) -> None:
            gr.sync_block.__init__(self, "listener", [numpy.uint8 if item == 1 else (numpy.uint8, item)], None)
            self.tags: dict[str, list[tuple[int, int]]] = {}

        def work(self, input_items: Any, output_items: Any) -> int:
            for tag in self.get_tags_in_window(0, 0, len(input_items[0])):
                if pmt.is_integer(tag.value):
                    self.tags.setdefault(pmt.symbol_to_string(tag.key), []).append((tag.offset, pmt.to_long(tag.value)))
            return len(input_items[0])

    return Listener()


def of(tags: dict[str, list[tuple[int, int]]]) -> Packet | None:
    """The length of packets that follow one another, all of one length."""
    for key, seen in sorted(tags.items()):
        lengths = {length for _, length in seen}
        ends = {offset + length for offset, length in seen[:-1]}
        if len(seen) >= PACKETS_MIN and len(lengths) == 1 and min(lengths) > 0 and ends == {offset for offset, _ in seen[1:]}:
            return key, lengths.pop()
    return None


def listen(gr: Any, flowgraph: Any, ends: set[tuple[str, int]]) -> dict[tuple[str, int], Packet]:
    """Packets at outputs of blocks of a flowgraph.Flowgraph that has not run, by name and port. It cannot be used again."""
    listeners = {}
    for name, port in ends:
        block = flowgraph.nodes[name].block
        listeners[name, port] = make_listener(gr, block.output_signature().sizeof_stream_item(port))
        flowgraph.owners[name].connect((block, port), listeners[name, port])
    flowgraph.top.start()
    time.sleep(RUN_S)
    flowgraph.top.stop()
    flowgraph.top.wait()
    found = {end: of(listener.tags) for end, listener in listeners.items()}
    return {end: packet for end, packet in found.items() if packet}
