# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys


class Arg:
    def __init__(self, name, value):
        self.name, self.value = name, value


def arg_to_py_object(arg):
    return arg.value


class DataFlowTracker:
    def __init__(self, **options):
        self.options, self.log, self.file, self.count, self.buffered = options, None, None, 0, []

    def enable_logging(self, filename="logger.log", num_buffered_messages=100):
        self.log, self.count = filename, 0

    def write(self, paths):
        if not self.log:
            return
        self.file = self.file or open(self.log, "w", encoding="utf-8")
        self.count += 1
        steps = [" -> ".join(f"({name},{receive},{publish})" for name, receive, publish in path) for path in paths]
        self.buffered.append(f"{self.count}:\n" + "".join(f"{line} \n" for line in steps) + "\n")

    def end_logging(self):
        if self.file:
            self.file.write("".join(self.buffered))
            self.file.close()
            self.file = None


class Operator:
    """time: of compute(), in microseconds. inputs: name -> size; none: names of ports without a condition."""

    def __init__(self, fragment, *conditions, name, time=0, inputs=None, outputs=(), none=()):
        self.fragment, self.name, self.time = fragment, name, time
        self.inputs, self.outputs, self.none = inputs or {}, outputs, none
        self.conditions, self.initialized = {c.name: c for c in conditions}, False

    def initialize(self):
        self.initialized = True
        for condition in self.conditions.values():
            condition.initialize()

    @property
    def qualified_name(self):
        return f"{self.fragment.name}.{self.name}" if self.fragment.name else self.name

    @property
    def description(self):
        text = f"id: -1\nname: {self.name}\nfragment: {json.dumps(self.fragment.name)}\nargs:\n  []\ntype: kNative\nconditions:\n"
        for c in self.conditions.values():
            text += f"  - id: -1\n    name: {c.name}\n    fragment: \"\"\n    args:\n      []\n    gxf_typename: {c.typename}\n"
        if self.initialized:
            text += "  - id: 7\n    name: _internal_async_condition\n    gxf_typename: nvidia::gxf::AsynchronousSchedulingTerm\n"
        text += "" if self.conditions or self.initialized else "  []\n"
        text += "resources:\n  []\nspec:\n  fragment: \"\"\n  params:\n    []\n"
        for key, ports in (("inputs", self.inputs), ("outputs", self.outputs)):
            text += f"  {key}:\n" + ("" if ports else "    []\n")
            for port in ports:
                text += self.describe_port(port, key == "inputs")
        return text.rstrip("\n")

    def describe_port(self, port, is_input):
        kind, condition = ("kInput", "kMessageAvailable") if is_input else ("kOutput", "kDownstreamMessageAffordable")
        size = self.inputs[port] if is_input else 1
        text = f"    - name: {port}\n      io_type: {kind}\n      typeinfo_name: N8holoscan\n      connector_type: kDefault\n"
        if self.initialized:
            text += f"      connector:\n        args:\n          - name: capacity\n            type: uint64_t\n            value: {size}\n"
        if port in self.none:
            return text + "      conditions:\n        - type: kNone\n"
        if not self.initialized:
            return text + "      conditions:\n        []\n"
        return text + f"      conditions:\n        - type: {condition}\n          args:\n            - {{name: min_size, value: {size}}}\n"


class Graph:
    def __init__(self):
        self.nodes, self.edges = [], []

    def get_nodes(self):
        return list(self.nodes)

    def port_map_description(self):
        text = ""
        for key, from_, to in (("input_to_output", 1, 0), ("output_to_input", 0, 1)):
            text += f"{key}:\n"
            for port in sorted({edge[from_] for edge in self.edges}):
                text += f"  {port}:\n" + "".join(f"    - {e[to]}\n" for e in sorted(self.edges) if e[from_] == port)
        return text.rstrip("\n")


class Fragment:
    def __init__(self, app=None, name=""):
        self.name, self._graph, self._scheduler, self._tracker = name, Graph(), None, None
        self._composed = False

    @property
    def graph(self):
        return self._graph

    def add_operator(self, op):
        if op not in self._graph.nodes:
            self._graph.nodes.append(op)

    def add_flow(self, upstream, downstream, port_pairs):
        self.add_operator(upstream)
        self.add_operator(downstream)
        for out, in_ in port_pairs:
            self._graph.edges.append((f"{upstream.name}.{out}", f"{downstream.name}.{in_}"))

    def scheduler(self, scheduler=None):
        from ..schedulers import GreedyScheduler

        self._scheduler = scheduler or self._scheduler or GreedyScheduler(self)
        return self._scheduler

    def track(self, num_start_messages_to_skip=10, num_last_messages_to_discard=10, latency_threshold=0):
        self._tracker = self._tracker or DataFlowTracker(skip=num_start_messages_to_skip)
        return self._tracker

    def data_flow_tracker(self):
        return self._tracker

    def _compose_once(self):
        if not self._composed:
            self._composed = True
            self.compose()

    def _execute(self, rounds):
        """All operators one after the other; the last one writes the paths that begin at the first."""
        clock = 1_000_000
        for op in self._graph.nodes:
            op.initialize()
        for _ in range(rounds):
            times = {}
            for op in self._graph.nodes:
                times[op.name] = (clock, clock + op.time)
                clock += op.time
            if self._tracker:
                self._tracker.write([[(op.qualified_name, *times[op.name]) for op in path] for path in self._paths()])

    def _paths(self):
        ops, done = {op.name: op for op in self._graph.nodes}, []
        paths = [[self._graph.nodes[0]]]
        while paths:
            path = paths.pop(0)
            after = [e[1].rsplit(".", 1)[0] for e in self._graph.edges if e[0].rsplit(".", 1)[0] == path[-1].name]
            done += [] if after else [path]
            paths += [path + [ops[name]] for name in after]
        return done


class _Application(Fragment):
    rounds = 20

    @property
    def fragment_graph(self):
        if not hasattr(self, "_fragments"):
            self._fragments = Graph()
        return self._fragments

    def add_fragment_flow(self, upstream, downstream, port_pairs):
        graph = self.fragment_graph
        graph.nodes += [f for f in (upstream, downstream) if f not in graph.nodes]
        graph.edges += [(f"{upstream.name}.{out}", f"{downstream.name}.{in_}") for out, in_ in port_pairs]

    def compose_graph(self):
        self._compose_once()

    def track_distributed(self, **options):
        return {f.name: f.track(**options) for f in self.fragment_graph.nodes}

    def run(self):
        # What pybind11 does: a Python override is called, unless it is the caller, which it knows by name and object.
        caller = sys._getframe(1)
        first = caller.f_code.co_varnames[:1] if caller.f_code.co_argcount else ()
        calls_back = caller.f_code.co_name == "run" and first and caller.f_locals.get(first[0]) is self
        if type(self).run is not _Application.run and not calls_back:
            raise RecursionError("run() would be called for ever")
        self._compose_once()
        for fragment in self.fragment_graph.nodes or [self]:
            fragment._compose_once()
            fragment._execute(self.rounds)
        if os.environ.get("HOLOSCAN_ENABLE_GXF_JOB_STATISTICS") == "1":
            entities = [
                {"name": (f.name + "__" if f is not self else "") + op.name, "count": self.rounds, "execution_time_max_ms": op.time / 1000 + 0.25}
                for f in self.fragment_graph.nodes or [self]
                for op in f.graph.nodes
            ]
            with open(os.environ["HOLOSCAN_GXF_JOB_STATISTICS_PATH"], "w", encoding="utf-8") as file:
                json.dump({"entities": entities}, file)


class Application(_Application):
    pass


class Tracker:
    def __init__(self, app, *, filename=None):
        self.app, self.filename = app, filename

    def __enter__(self):
        self.tracker = self.app.track()
        if self.filename:
            self.tracker.enable_logging(self.filename, num_buffered_messages=100)
        return self.tracker

    def __exit__(self, *_):
        self.tracker.end_logging()
