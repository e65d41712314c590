/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the made-up driver that knows libraries and green contexts. A kernel of a library does what its name says: one with
 * "copy" in it copies, one with "read" reads; "product" reads from L2, and everything else computes. A block takes 1 us on its SM,
 * a hundred times as many ns as the name has letters more. Beside each other kernels are slower: see slowdown(). Included by
 * fake_cuda.c alone.
 */
#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H

#include <stdio.h>

#ifdef FAKE_OLD /* a driver that does not know any of this */
#define NEWER __attribute__((visibility("hidden")))
#else
#define NEWER EXPORT
#endif

enum does { COMPUTES, READS, COPIES };
enum { WINDOWS = 64, GAP = 992, PARTS_MOST = 64 };

struct kernel {
    char name[128];
    unsigned parameters;
    size_t bytes[32];
    enum does does;
    int product, known; /* known: its parameters */
};

struct library {
    unsigned count;
    struct kernel kernels[64];
};

struct green {
    uint64_t mask;
};

struct stream {
    uint64_t until, mask;
};

struct resource {
    int type;
    unsigned char pad[4];
    uint64_t mask;
    unsigned char inside[80];
    unsigned sms, least, aligned;
    unsigned char oversize[36];
};

/* What was under way when, besides the graph at hand. */
static struct window {
    uint64_t begin, end, mask;
    enum does does;
} windows[WINDOWS];
static unsigned window_count;

static unsigned sms_of(void)
{
    const char *wanted = getenv("FAKE_SMS");
    return wanted ? (unsigned)atoi(wanted) : SMS;
}

static uint64_t all_sms(void)
{
    return sms_of() >= 64 ? UINT64_MAX : (UINT64_C(1) << sms_of()) - 1;
}

static unsigned count_bits(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

static void add_window(struct window window)
{
    windows[window_count++ % WINDOWS] = window;
}

/* Of one that computes, reads from L2 or memory, beside one that does that. */
static double slowdown(const struct kernel *kernel, enum does beside)
{
    static const double by_read[] = {1, 1.07, 1.07}, by_copy[] = {1, 1.3, 1.3};
    if (kernel->product)
        return beside == COPIES ? 1.5 : beside == READS ? 1.2 : 1;
    return beside == COPIES ? by_copy[kernel->does] : beside == READS ? by_read[kernel->does] : 1;
}

static double slowed_by_windows(const struct kernel *kernel, uint64_t mask, uint64_t at)
{
    double worst = 1;
    for (int i = 0; i < WINDOWS; i++)
        if (windows[i].begin <= at && at < windows[i].end && !(windows[i].mask & mask)) {
            double slow = slowdown(kernel, windows[i].does);
            worst = slow > worst ? slow : worst;
        }
    return worst;
}

/* ---- neighbours ---- */

static int start_neighbour(struct kernel *kernel, unsigned blocks, struct stream *stream, void **arguments)
{
    struct note {
        uint64_t begin, end, rounds, cycles;
    } * notes;
    uint64_t values[5], begin = (stream->until > now ? stream->until : now) + 500;
    struct kernel like = {"victim", 0, {0}, READS, 0, 0};
    if (strcmp(kernel->name, "weir_neighbour") != 0)
        return 1;
    for (int i = 0; i < 5; i++)
        memcpy(&values[i], arguments[i], sizeof *values);
    like.product = values[3] < (16 << 20); /* it stays within L2 */
    double slow = values[1] ? slowed_by_windows(&like, stream->mask, begin + 1) : 1;
    notes = (struct note *)(uintptr_t)values[0];
    for (unsigned i = 0; i < blocks; i++)
        notes[i] = (struct note){begin, begin + values[4], (uint64_t)((double)values[4] / slow), values[4] * 3 / 2};
    stream->until = begin + values[4];
    add_window((struct window){begin, stream->until, stream->mask,
                               !values[1] || like.product ? COMPUTES
                               : values[2]                ? COPIES
                                                          : READS});
    now += 10000;
    return 0;
}

/* ---- graphs ---- */

static double work_of(const struct node *node)
{
    if (strcmp(node->own->name, "weir_mark") == 0)
        return 64;
    static unsigned calls;
    uint64_t block = 1000 + 100 * strlen(node->own->name), waves = (node->blocks_all + node->width - 1) / node->width;
    uint64_t more = fakes("late") ? 1000000 : fakes("varied") && ++calls % 13 == 0 ? block * waves / 10 : 0;
    return (double)(block * waves + more);
}

static int may_begin(const struct graph *graph, struct node *node, uint64_t at, uint64_t *busy)
{
    uint64_t ready = 0;
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i]->state != 2)
            return 0;
        ready = node->after[i]->end > ready ? node->after[i]->end : ready;
    }
    node->begin = ready ? ready + GAP : node->begin;
    *busy = 0;
    for (size_t i = 0; i < graph->count; i++)
        *busy |= graph->nodes[i]->state == 1 ? graph->nodes[i]->mask : 0;
    return node->begin <= at && ((node->context_all ? (*busy & all_sms()) != all_sms() : !(*busy & node->mask)));
}

static double speed_of(const struct graph *graph, const struct node *node, uint64_t at)
{
    double worst = slowed_by_windows(node->own, node->mask, at);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i] != node && graph->nodes[i]->state == 1) {
            double slow = slowdown(node->own, graph->nodes[i]->own->does);
            worst = slow > worst ? slow : worst;
        }
    return 1 / worst;
}

static void end_node(struct node *node, uint64_t at)
{
    node->state = 2;
    node->end = at;
    if (strcmp(node->own->name, "weir_mark") == 0)
        *(uint64_t *)(uintptr_t)node->arguments[0] = at;
}

/* From one begin or end to the next. */
static uint64_t step_graph(struct graph *graph, uint64_t at)
{
    uint64_t next = UINT64_MAX, busy;
    for (size_t i = 0; i < graph->count; i++) {
        struct node *node = graph->nodes[i];
        if (node->state == 0 && may_begin(graph, node, at, &busy)) {
            if (node->context_all)
                node->mask = all_sms() & ~busy;
            node->width = count_bits(node->mask);
            node->state = 1;
            node->left = work_of(node);
        }
    }
    for (size_t i = 0; i < graph->count; i++) {
        struct node *node = graph->nodes[i];
        if (node->state == 1) {
            uint64_t end = at + (uint64_t)(node->left / speed_of(graph, node, at) + 0.999);
            next = end < next ? end : next;
        } else if (node->state == 0 && node->begin > at) {
            may_begin(graph, node, at, &busy);
            next = node->begin > at && node->begin < next ? node->begin : next;
        }
    }
    if (next == UINT64_MAX)
        return next;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->state == 1)
            graph->nodes[i]->left -= (double)(next - at) * speed_of(graph, graph->nodes[i], at);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->state == 1 && graph->nodes[i]->left < 0.5)
            end_node(graph->nodes[i], next);
    return next;
}

static int run_graph(struct graph *graph, struct stream *stream)
{
    uint64_t at = (stream->until > now ? stream->until : now) + 5000, begin = at, mask = 0;
    enum does does = COMPUTES;
    size_t ended = 0;
    for (size_t i = 0; i < graph->count; i++) {
        graph->nodes[i]->state = 0;
        graph->nodes[i]->begin = at;
    }
    while (ended < graph->count) {
        at = step_graph(graph, at);
        if (at == UINT64_MAX)
            return 700; /* it would never end */
        ended = 0;
        for (size_t i = 0; i < graph->count; i++)
            ended += graph->nodes[i]->state == 2;
    }
    for (size_t i = 0; i < graph->count; i++) {
        mask |= graph->nodes[i]->mask;
        does = graph->nodes[i]->own->does > does ? graph->nodes[i]->own->does : does;
    }
    add_window((struct window){begin, at, mask, does});
    stream->until = at;
    now += 10000;
    return 0;
}

NEWER int cuGraphAddKernelNode_v2(struct node **node, struct graph *graph, struct node *const *after, size_t count,
                                  const struct parameters *p)
{
    if (!p->own || graph->count + 1 >= NODES)
        return 1;
    *node = add_node(graph, after, count);
    graph->own = 1;
    (*node)->own = p->own;
    (*node)->context_all = !p->context;
    (*node)->mask = p->context ? ((struct green *)p->context)->mask : all_sms();
    (*node)->blocks_all = (uint64_t)p->grid_x * p->grid_y * p->grid_z;
    if (p->own->known && p->arguments)
        for (unsigned i = 0; i < p->own->parameters && i < 5; i++)
            memcpy(&(*node)->arguments[i], p->arguments[i], p->own->bytes[i] < 8 ? p->own->bytes[i] : 8);
    return p->block_x * p->block_y * p->block_z > 1024;
}

/* ---- libraries ---- */

static void name_kernel(struct kernel *kernel, const char *name, size_t length)
{
    snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)length, name);
    kernel->product = strstr(kernel->name, "product") != NULL;
    kernel->does = strstr(kernel->name, "copy") ? COPIES : strstr(kernel->name, "read") ? READS : COMPUTES;
}

/* .visible .entry NAME( .param .u64 a, .param .u32 b ) */
static void read_ptx(struct library *library, const char *text)
{
    while ((text = strstr(text, ".entry ")) && library->count < 64) {
        struct kernel *kernel = &library->kernels[library->count++];
        const char *name = text + 7, *end = name + strcspn(name, "( \n"), *close = strchr(end, ')'), *at = end;
        name_kernel(kernel, name, (size_t)(end - name));
        kernel->known = 1;
        while ((at = strstr(at, ".param ")) && at < close && kernel->parameters < 32) {
            size_t bits;
            at += 7;
            at += strspn(at, " ");
            while (strncmp(at, ".align", 6) == 0 || strncmp(at, ".ptr", 4) == 0)
                at += strcspn(at + 1, ".") + 1;
            bits = (size_t)strtoul(at + 1 + strcspn(at + 1, "0123456789"), NULL, 10);
            kernel->bytes[kernel->parameters++] = bits / 8;
        }
        text = end;
    }
}

/* A cubin has a section .text.NAME for each. */
static void read_cubin(struct library *library, const char *image)
{
    uint64_t table = *(const uint64_t *)(const void *)(image + 40);
    unsigned size = *(const uint16_t *)(const void *)(image + 58), count = *(const uint16_t *)(const void *)(image + 60);
    unsigned names = *(const uint16_t *)(const void *)(image + 62);
    const char *strings = image + *(const uint64_t *)(const void *)(image + table + (uint64_t)names * size + 24);
    for (unsigned i = 0; i < count && library->count < 64; i++) {
        const char *name = strings + *(const uint32_t *)(const void *)(image + table + (uint64_t)i * size);
        if (strncmp(name, ".text.", 6) == 0)
            name_kernel(&library->kernels[library->count++], name + 6, strlen(name + 6));
    }
}

NEWER int cuLibraryLoadData(struct library **library, const void *image, int *jit, void **jit_values, unsigned jit_count,
                            int *option, void **option_values, unsigned option_count)
{
    const char *text = (const char *)image;
    *library = calloc(1, sizeof **library);
    (void)jit, (void)jit_values, (void)jit_count, (void)option, (void)option_values, (void)option_count;
    if (memcmp(text, "\177ELF", 4) == 0)
        read_cubin(*library, text);
    else if (*(const uint32_t *)image == 0xBA55ED50U) /* a fatbin: what is in it is compressed, so it has one kernel by that name */
        name_kernel(&(*library)->kernels[(*library)->count++], "fatbin", 6);
    else if (strstr(text, ".version"))
        read_ptx(*library, text);
    else
        return 200;
    return 0;
}

NEWER int cuLibraryGetKernel(struct kernel **kernel, struct library *library, const char *name)
{
    for (unsigned i = 0; i < library->count; i++)
        if (strcmp(library->kernels[i].name, name) == 0) {
            *kernel = &library->kernels[i];
            return 0;
        }
    return 500;
}

NEWER int cuLibraryGetKernelCount(unsigned *count, struct library *library)
{
    *count = library->count;
    return 0;
}

NEWER int cuLibraryEnumerateKernels(struct kernel **kernels, unsigned count, struct library *library)
{
    for (unsigned i = 0; i < count && i < library->count; i++)
        kernels[i] = &library->kernels[i];
    return 0;
}

NEWER int cuKernelGetName(const char **name, struct kernel *kernel)
{
    *name = kernel->name;
    return 0;
}

NEWER int cuKernelSetAttribute(int attribute, int value, struct kernel *kernel, int device)
{
    return !kernel || attribute != 8 || value > 232448 || device;
}

NEWER int cuKernelGetParamInfo(struct kernel *kernel, size_t index, size_t *offset, size_t *bytes)
{
    if (!kernel->known)
        return 801;
    *offset = 8 * index;
    *bytes = index < kernel->parameters ? kernel->bytes[index] : 0;
    return index < kernel->parameters ? 0 : 1;
}

/* ---- green contexts ---- */

NEWER int cuDeviceGetDevResource(int device, struct resource *resource, int type)
{
    memset(resource, 0, sizeof *resource);
    *resource = (struct resource){.type = type, .mask = all_sms(), .sms = sms_of(), .least = 8, .aligned = 8};
    return device || type != 1;
}

NEWER int cuDevSmResourceSplitByCount(struct resource *groups, unsigned *count, const struct resource *input, struct resource *rest,
                                      unsigned flags, unsigned least)
{
    unsigned step = flags ? 2 : 8, size = (least + step - 1) / step * step, most = input->sms / size;
    (void)rest;
    if (!groups) {
        *count = most;
        return 0;
    }
    *count = *count < most ? *count : most;
    for (unsigned i = 0; i < *count; i++) {
        groups[i] = *input;
        groups[i].sms = size;
        groups[i].mask = ((UINT64_C(1) << size) - 1) << i * size;
    }
    return 0;
}

NEWER int cuDevResourceGenerateDesc(uint64_t **description, struct resource *resources, unsigned count)
{
    *description = calloc(1, sizeof **description);
    for (unsigned i = 0; i < count; i++)
        if (**description & resources[i].mask)
            return 914; /* twice the same */
        else
            **description |= resources[i].mask;
    return count == 0;
}

NEWER int cuGreenCtxCreate(struct green **green, uint64_t *description, int device, unsigned flags)
{
    *green = calloc(1, sizeof **green);
    (*green)->mask = *description;
    return device || flags != 1;
}

NEWER int cuCtxFromGreenCtx(void **context, struct green *green)
{
    *context = green;
    return 0;
}

NEWER int cuGreenCtxStreamCreate(struct stream **stream, struct green *green, unsigned flags, int priority)
{
    *stream = calloc(1, sizeof **stream);
    (*stream)->mask = green->mask;
    return priority || flags != 1;
}

/* ---- memory ---- */

NEWER int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

NEWER int cuMemFree_v2(uint64_t address)
{
    free((void *)(uintptr_t)address);
    return 0;
}

NEWER int cuMemGetInfo_v2(size_t *unused, size_t *all)
{
    *unused = *all = (size_t)256 << 20;
    return 0;
}

#endif
