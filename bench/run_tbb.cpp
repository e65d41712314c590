// SPDX-License-Identifier: Apache-2.0
// oneTBB's flow graph: nodes of concurrency 1 that its worker threads execute, as many of them as there are CPUs. Its own queues have
// no limit, so a limiter lets as many messages in as the chain of queues would hold. Messages may overtake each other (a sequencer node
// would mend that, at a price): only that all arrive is held.
#include "run_peers.h"

#include <sched.h>

#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <vector>

namespace flow_graph = oneapi::tbb::flow;

double run_tbb(const struct flow *flow)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return -1;
    oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<size_t>(CPU_COUNT(&set)));
    using node = flow_graph::function_node<intptr_t, intptr_t>;
    flow_graph::graph graph;
    intptr_t sent = 0, seen = 0, left = 0;
    flow_graph::input_node<intptr_t> source(graph, [&](oneapi::tbb::flow_control &control) -> intptr_t {
        if (sent == flow->messages)
            control.stop();
        return ++sent;
    });
    flow_graph::limiter_node<intptr_t> limiter(graph, static_cast<size_t>(flow->capacity) * (flow->operators - 1));
    std::vector<std::unique_ptr<node>> nodes;
    for (uint32_t i = 1; i + 1 < flow->operators; i++)
        nodes.push_back(std::make_unique<node>(graph, flow_graph::serial, [](intptr_t message) { return message; }));
    flow_graph::function_node<intptr_t, flow_graph::continue_msg> sink(graph, flow_graph::serial, [&](intptr_t message) {
        left += ++seen - message;
        return flow_graph::continue_msg();
    });
    flow_graph::make_edge(source, limiter);
    flow_graph::sender<intptr_t> *last = &limiter;
    for (auto &each : nodes) {
        flow_graph::make_edge(*last, *each);
        last = each.get();
    }
    flow_graph::make_edge(*last, sink);
    flow_graph::make_edge(sink, limiter.decrementer());
    double began = run_clock_ns();
    source.activate();
    graph.wait_for_all();
    return left != 0 || seen != flow->messages ? -1 : run_clock_ns() - began;
}
