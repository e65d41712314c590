/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of equal levels, and how long it takes from the end of one to the begin of the next. Included by probe.c alone. */
#ifndef WEIR_BENCH_GPU_LEVEL_H
#define WEIR_BENCH_GPU_LEVEL_H

#include "format/cuda/base.inc"
#include "format/cuda/records.inc"

#include "weir_gpu_driver.h"

#include "format/cuda/driver.inc"
#include "format/cuda/kernels_ptx.inc"

/* Between levels: an empty node; kernel i after kernel i; each after each; kernel i after its neighbours; a kernel of one block
 * that does nothing. */
enum joint { BARRIER, CHAINS, ALL, NEIGHBOURS, KERNEL, JOINTS };
/* What runs beside: nothing; blocks that hold the other SMs and look at a word of the host every so often, or at nothing; the
 * latter in a stream of the same priority as the graph's. */
enum beside { ALONE, HELD_LOOKING, HELD, HELD_SAME };

/* How a graph looks, and how it is launched. */
struct shape {
    unsigned levels, width, sms; /* kernels in a level, SMs of each */
    enum joint joint;
    int gated, upload;
    uint64_t steps; /* that each block spins */
    enum beside beside;
};

struct level_graph {
    struct shape shape;
    weir_cu_handle executable;
    weir_cu_address records; /* of the blocks, level by level, and of the gate behind them */
    size_t blocks;
};

static struct {
    int sms, shared, shared_per_sm, khz, version, major, minor;
    char name[256];
    weir_cu_handle spin, gate, hold, clocks, stream, hold_stream, same_stream;
    weir_cu_address gate_address, hold_address;
    volatile uint32_t *gate_open, *hold_open;
    double limit_s, ns_per_step;
} device;

static void device_wait(void)
{
    uint64_t begin = host_now_ns();
    weir_cu_result result;
    while ((result = cu.stream_query(device.stream)) == WEIR_CU_NOT_READY)
        if ((double)(host_now_ns() - begin) > device.limit_s * 1e9) {
            fprintf(stderr, "the device has not finished after %.1f s\n", device.limit_s);
            exit(3);
        }
    cu_check(result, "running");
}

static weir_cu_handle level_add(const struct level_graph *g, weir_cu_handle graph, unsigned index, weir_cu_handle *after,
                                size_t count)
{
    weir_cu_handle node = NULL;
    int barrier = index == g->shape.levels * g->shape.width;
    weir_cu_address records = g->records + ((weir_cu_address)index * g->shape.sms + (barrier != 0)) * sizeof(struct record);
    uint64_t zero = 0, steps = barrier ? 0 : g->shape.steps;
    void *arguments[] = {&records, &zero, &zero, &zero, &steps};
    struct weir_cu_node parameters = {device.spin, g->shape.sms, 1,    1,   THREADS, 1, 1, (unsigned)device.shared,
                                      arguments,   NULL,         NULL, NULL};
    cu_check(cu.graph_kernel(&node, graph, after, count, &parameters), "adding a launch");
    return node;
}

static weir_cu_handle level_gate(const struct level_graph *g, weir_cu_handle graph)
{
    weir_cu_handle node = NULL;
    weir_cu_address record = g->records + g->blocks * sizeof(struct record);
    uint64_t limit = GATE_LIMIT_NS;
    void *arguments[] = {&device.gate_address, &record, &limit};
    struct weir_cu_node parameters = {device.gate, 1, 1, 1, THREADS, 1, 1, (unsigned)device.shared, arguments, NULL, NULL, NULL};
    cu_check(cu.graph_kernel(&node, graph, NULL, 0, &parameters), "adding the gate");
    return node;
}

static void level_build(struct level_graph *g, const struct shape *shape, weir_cu_address records)
{
    unsigned width = shape->width;
    weir_cu_handle graph = NULL, gate = NULL, barrier = NULL,
                   *nodes = (weir_cu_handle *)take_memory((size_t)shape->levels * width, sizeof *nodes);
    *g = (struct level_graph){*shape, NULL, records, (size_t)shape->levels * width * shape->sms};
    cu_check(cu.graph_create(&graph, 0), "making a graph");
    if (shape->gated)
        gate = level_gate(g, graph);
    for (unsigned level = 0; level < shape->levels; level++) {
        weir_cu_handle *before = level ? nodes + (level - 1) * width : NULL;
        if (level && shape->joint == BARRIER)
            cu_check(cu.graph_empty(&barrier, graph, before, width), "adding a barrier");
        if (level && shape->joint == KERNEL)
            barrier = level_add(g, graph, shape->levels * width, before, width); /* the records of no level */
        for (unsigned i = 0; i < width; i++) {
            weir_cu_handle near[2] = {level ? before[i] : NULL, level ? before[(i + 1) % width] : NULL};
            weir_cu_handle *after = !level ? &gate : shape->joint == ALL ? before : near;
            size_t count = !level                                    ? shape->gated != 0
                           : shape->joint == ALL                     ? width
                           : shape->joint == NEIGHBOURS && width > 1 ? 2
                                                                     : 1;
            if (level && (shape->joint == BARRIER || shape->joint == KERNEL))
                after = &barrier;
            nodes[level * width + i] = level_add(g, graph, level * width + i, after, count);
        }
    }
    cu_check(cu.graph_instantiate(&g->executable, graph, 0), "instantiating the graph");
    cu_check(cu.graph_destroy(graph), "putting the graph away");
    if (shape->upload) {
        cu_check(cu.graph_upload(g->executable, device.stream), "uploading the graph");
        device_wait();
    }
    free(nodes);
}

static void level_free(struct level_graph *g)
{
    cu_check(cu.executable_destroy(g->executable), "putting the graph away");
}

/* Host times of one launch: the call begins, the call returns. */
struct host_times {
    uint64_t begin, end;
};

static struct host_times level_launch(const struct level_graph *g)
{
    struct host_times times;
    *device.gate_open = 0;
    __sync_synchronize();
    times.begin = host_now_ns();
    cu_check(cu.graph_launch(g->executable, device.stream), "launching the graph");
    times.end = host_now_ns();
    *device.gate_open = 1;
    __sync_synchronize();
    return times;
}

/* Holds the SMs that no level needs, until level_release. */
static void level_hold(const struct level_graph *g)
{
    unsigned spare = (unsigned)device.sms - g->shape.width * g->shape.sms;
    uint64_t limit = UINT64_C(60000000000), zero = 0, steps = (uint64_t)(3e9 / device.ns_per_step);
    weir_cu_address records = g->records + (g->blocks + 2) * sizeof(struct record);
    void *looking[] = {&device.hold_address, &limit}, *blind[] = {&records, &zero, &zero, &zero, &steps};
    if (g->shape.beside == ALONE || spare == 0)
        return;
    *device.hold_open = 0;
    int look = g->shape.beside == HELD_LOOKING;
    cu_check(cu.launch(look ? device.hold : device.spin, spare, 1, 1, THREADS, 1, 1, (unsigned)device.shared,
                       g->shape.beside == HELD_SAME ? device.same_stream : device.hold_stream, look ? looking : blind, NULL),
             "holding SMs");
    uint64_t begin = host_now_ns();
    while (host_now_ns() - begin < UINT64_C(20000000)) /* long enough for all of them to have begun */
        ;
}

static void level_release(void)
{
    *device.hold_open = 1;
    while (cu.stream_query(device.hold_stream) == WEIR_CU_NOT_READY || cu.stream_query(device.same_stream) == WEIR_CU_NOT_READY)
        ;
}

/* ---------------------------------------------------------------- gaps */

/* The longest from the end of what a kernel waits for to the begin of its last block, per level, in a run. */
struct gap {
    double ns;
    unsigned run, level;
    uint64_t until; /* the device's time at its end */
};

static void level_spans(const struct level_graph *g, const struct record *records, unsigned level, uint64_t span[3])
{
    size_t count = (size_t)g->shape.width * g->shape.sms;
    const struct record *block = records + level * count;
    span[0] = block->begin_ns;
    span[1] = block->begin_ns;
    span[2] = block->end_ns;
    for (size_t i = 1; i < count; i++) {
        span[0] = block[i].begin_ns < span[0] ? block[i].begin_ns : span[0];
        span[1] = block[i].begin_ns > span[1] ? block[i].begin_ns : span[1];
        span[2] = block[i].end_ns > span[2] ? block[i].end_ns : span[2];
    }
}

/* Kernel i of a level of chains waits for kernel i of the one before alone, or for that and the next. */
static double chain_gap(const struct level_graph *g, const struct record *records, unsigned level, uint64_t *until)
{
    unsigned sms = g->shape.sms, width = g->shape.width;
    double longest = 0;
    for (unsigned i = 0; i < width; i++) {
        const struct record *before = records + ((size_t)(level - 1) * width + i) * sms, *here = before + (size_t)width * sms;
        const struct record *next = records + ((size_t)(level - 1) * width + (i + 1) % width) * sms;
        uint64_t end = 0, begin = 0;
        for (unsigned k = 0; k < sms; k++) {
            end = before[k].end_ns > end ? before[k].end_ns : end;
            if (g->shape.joint == NEIGHBOURS && next[k].end_ns > end)
                end = next[k].end_ns;
            begin = here[k].begin_ns > begin ? here[k].begin_ns : begin;
        }
        if ((double)(int64_t)(begin - end) > longest) { /* each alone is more than a double holds to the nanosecond */
            longest = (double)(int64_t)(begin - end);
            *until = begin;
        }
    }
    return longest;
}

/* Appends a gap per level; the first level's is from the gate, where there is one. */
static size_t level_gaps(const struct level_graph *g, const struct record *records, unsigned run, struct gap *gaps)
{
    uint64_t before[3] = {0, 0, records[g->blocks].end_ns}, here[3];
    size_t count = 0;
    for (unsigned level = 0; level < g->shape.levels; level++) {
        level_spans(g, records, level, here);
        if (level || g->shape.gated) {
            uint64_t until = here[1];
            double ns = (double)(int64_t)(here[1] - before[2]);
            if (level && (g->shape.joint == CHAINS || g->shape.joint == NEIGHBOURS))
                ns = chain_gap(g, records, level, &until);
            gaps[count++] = (struct gap){ns, run, level, until};
        }
        memcpy(before, here, sizeof before);
    }
    return count;
}

#endif
