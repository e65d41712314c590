/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CUDA driver without a device, as far as the programs that weir writes need one: graphs run in time that is made up, on SMs that
 * are numbers. FAKE in the environment makes it break a promise: "shared" puts two blocks on an SM, "early" begins a launch before
 * what it waits for has ended, "late" takes a millisecond more, "varied" a tenth in one of 13 launches, "small" has one SM, "roomy"
 * has room for two blocks on each.
 *
 * Kernels of libraries run in time that their names make up (fake_kernels.h); FAKE_SMS says how many SMs there are. With
 * FAKE_OLD defined it is a driver from before there were green contexts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SMS = 16, NODES = 4096, KERNEL_SPIN, KERNEL_GATE };

struct kernel;

struct record {
    uint64_t begin_ns, end_ns, begin_cycle, end_cycle;
    uint32_t sm, steps_low;
};

struct parameters {
    void *function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
    void **arguments, **extra;
    struct kernel *own; /* of a library, with the context it runs in */
    void *context;
};

struct node {
    struct kernel *own;
    uint64_t mask, blocks_all; /* SMs it may have */
    double left;               /* work, in ns on its SMs alone */
    uint64_t begin;
    unsigned width;
    int state, context_all;
    int kernel; /* 0: an empty node */
    unsigned blocks;
    uint64_t arguments[5], end;
    size_t after_count;
    struct node **after;
};

struct graph {
    size_t count;
    int own;
    struct node *nodes[NODES];
};

static uint64_t now = UINT64_C(1700000000000000000), free_at[SMS];

static int fakes(const char *what)
{
    const char *wanted = getenv("FAKE");
    return wanted && strcmp(wanted, what) == 0;
}

static uint64_t block_steps(const uint64_t arguments[5], uint64_t block, uint64_t blocks)
{
    uint64_t all = arguments[2] - arguments[1], grain = arguments[3], least = arguments[4], steps;
    if (grain)
        steps = ((all + grain - 1) / grain + blocks - 1 - block) / blocks * grain;
    else
        steps = all * (block + 1) / blocks - all * block / blocks;
    return steps > least ? steps : least;
}

static void run_blocks(struct node *node, uint64_t ready)
{
    struct record *records = (struct record *)(uintptr_t)node->arguments[node->kernel == KERNEL_GATE];
    node->end = ready;
    for (unsigned i = 0; i < node->blocks; i++) {
        unsigned sm = 0;
        for (unsigned k = 1; k < SMS; k++)
            sm = free_at[k] < free_at[sm] ? k : sm;
        uint64_t begin = free_at[sm] > ready ? free_at[sm] : ready, steps = 0;
        if (node->kernel == KERNEL_SPIN)
            steps = block_steps(node->arguments, i, node->blocks);
        uint64_t end = begin + 64 + steps * 10 + (fakes("late") && steps ? 1000000 : 0);
        free_at[sm] = end;
        node->end = end > node->end ? end : node->end;
        records[i] = (struct record){begin, end, 2 * begin, 2 * end, fakes("shared") ? 0 : sm, 0};
    }
}

static void run_node(struct node *node, uint64_t begin)
{
    uint64_t ready = begin;
    for (size_t i = 0; i < node->after_count; i++)
        ready = node->after[i]->end > ready ? node->after[i]->end : ready;
    node->end = ready;
    if (node->kernel)
        run_blocks(node, fakes("early") && node->after_count ? ready - 2000 : ready + 992);
    now = node->end > now ? node->end : now;
}

static struct node *add_node(struct graph *graph, struct node *const *after, size_t count)
{
    struct node *node = calloc(1, sizeof *node);
    node->after = calloc(count + 1, sizeof *node->after);
    node->after_count = count;
    for (size_t i = 0; i < count; i++)
        node->after[i] = after[i];
    graph->nodes[graph->count++] = node;
    return node;
}

static void fill_node(struct node *node, const struct parameters *p)
{
    node->kernel = (int)(uintptr_t)p->function;
    node->blocks = p->grid_x;
    for (int i = 0; i < (node->kernel == KERNEL_SPIN ? 5 : 3); i++)
        memcpy(&node->arguments[i], p->arguments[i], sizeof(uint64_t));
}

#include "fake_kernels.h"

EXPORT int cuInit(unsigned flags)
{
    return (int)flags;
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return ordinal ? 101 : 0;
}

EXPORT int cuDeviceGetName(char *name, int bytes, int device)
{
    strncpy(name, "fake", (size_t)bytes);
    return device;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 16 ? (fakes("small") ? 1 : SMS) : attribute == 38 ? 32 << 20 : 232448;
    return device;
}

EXPORT int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &now;
    return device;
}

EXPORT int cuCtxSetCurrent(void *context)
{
    return !context;
}

EXPORT int cuModuleLoadData(void **module, const void *image)
{
    *module = &now;
    return !image;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = (void *)(uintptr_t)(strcmp(name, "gate") == 0 ? KERNEL_GATE : KERNEL_SPIN);
    return !module;
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
    return !function || attribute != 8 || value > 232448;
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared)
{
    *blocks = fakes("roomy") || 2 * shared < 232448 ? 2 : 1;
    return !function || !threads;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    *address = (uint64_t)(uintptr_t)calloc(1, bytes);
    return *address ? 0 : 2;
}

EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

EXPORT int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    *memory = calloc(1, bytes);
    return !*memory || !flags;
}

EXPORT int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    *address = (uint64_t)(uintptr_t)memory;
    return (int)flags;
}

EXPORT int cuStreamCreate(void **stream, unsigned flags)
{
    *stream = calloc(1, sizeof(struct stream));
    return !flags;
}

EXPORT int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    *stream = calloc(1, sizeof(struct stream));
    return !flags || priority > 0;
}

EXPORT int cuStreamQuery(struct stream *stream)
{
    if (stream && stream->until > now)
        now = stream->until;
    return !stream;
}

EXPORT int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **arguments, void **extra)
{
    struct node node = {0};
    struct parameters p = {function, x, y, z, bx, by, bz, shared, arguments, extra, NULL, NULL};
    if ((uintptr_t)function > KERNEL_GATE)
        return start_neighbour((struct kernel *)function, x, (struct stream *)stream, arguments);
    fill_node(&node, &p);
    run_node(&node, now);
    return !stream;
}

EXPORT int cuGraphCreate(void **graph, unsigned flags)
{
    *graph = calloc(1, sizeof(struct graph));
    return (int)flags;
}

EXPORT int cuGraphAddKernelNode(struct node **node, struct graph *graph, struct node *const *after, size_t count,
                                const struct parameters *p)
{
    *node = add_node(graph, after, count);
    fill_node(*node, p);
    return graph->count == NODES || p->shared != 232448;
}

EXPORT int cuGraphAddEmptyNode(struct node **node, struct graph *graph, struct node *const *after, size_t count)
{
    *node = add_node(graph, after, count);
    return graph->count == NODES;
}

EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags)
{
    *executable = graph;
    return flags != 0;
}

EXPORT int cuGraphUpload(void *executable, void *stream)
{
    return !executable || !stream;
}

EXPORT int cuGraphLaunch(struct graph *executable, void *stream)
{
    uint64_t begin = now;
    if (executable->own)
        return run_graph(executable, (struct stream *)stream);
    for (size_t i = 0; i < executable->count; i++)
        run_node(executable->nodes[i], begin);
    return !stream;
}

EXPORT int cuGraphDestroy(void *graph)
{
    return !graph;
}

EXPORT int cuGraphExecDestroy(void *executable)
{
    return !executable;
}

EXPORT int cuGetErrorName(int result, const char **name)
{
    *name = result == 101 ? "CUDA_ERROR_INVALID_DEVICE" : "CUDA_ERROR";
    return 0;
}
