/* SPDX-License-Identifier: Apache-2.0 */
/* Sealing a pipeline on a GPU: its dependencies have no cycle, every kernel has a load or a table that some number of SMs fits. */
#include "model/kernels.h"

#include "base/error.h"
#include "base/heap.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

struct build {
    struct weir_sealing *sealing;
    struct weir_pipeline *pipeline;
    struct weir_kernels *kernels;
    uint32_t *waiting; /* by kernel: dependencies that are not ordered yet */
    uint32_t *heap;    /* kernels that could be next */
};

static void mistake(struct build *b, struct weir_place place, const char *format, const char *name)
{
    weir_sealing_mistake(b->sealing, place, format, name);
}

enum weir_status weir_kernel_check(const struct weir_operator_spec *spec, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    weir_quote(spec->name, quoted);
    if (spec->granularity < 0 || spec->granularity >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INVALID, "kernel \"%s\" has an invalid granularity", quoted);
    if (spec->min_time < 0 || spec->min_time >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INVALID, "kernel \"%s\" has an invalid least time", quoted);
    if (spec->suffers_read > WEIR_SUFFERS_MAX || spec->suffers_copy > WEIR_SUFFERS_MAX ||
        (unsigned)spec->disturbs > WEIR_DISTURBS_NONE)
        return weir_fail(error, WEIR_INVALID, "kernel \"%s\" suffers by more than %d percent, or disturbs in an unknown way",
                         quoted, WEIR_SUFFERS_MAX);
    if (spec->time_count > WEIR_SMS_MAX || (spec->time_count && !spec->times))
        return weir_fail(error, WEIR_INVALID, "the table of kernel \"%s\" can have at most %d entries", quoted, WEIR_SMS_MAX);
    for (size_t i = 0; i < spec->time_count; i++) {
        const struct weir_gpu_time *t = &spec->times[i];
        if (t->sms == 0 || t->sms > WEIR_SMS_MAX || (i && t->sms <= spec->times[i - 1].sms))
            return weir_fail(error, WEIR_INVALID, "the table of kernel \"%s\" must be ordered by SMs, from 1 to %d", quoted,
                             WEIR_SMS_MAX);
        if (t->time <= 0 || t->time >= WEIR_TIME_MAX / WEIR_SMS_MAX)
            return weir_fail(error, WEIR_INVALID, "the table of kernel \"%s\" has a time that is 0, negative or too long", quoted);
    }
    return WEIR_OK;
}

/* ---- what may be said on this platform ---- */

static void check_kernel(struct build *b, const struct weir_operator_spec *o)
{
    const struct weir_gpu_spec *gpu = &b->pipeline->gpu;
    if (o->best)
        mistake(b, o->place, "kernel \"%s\" has a best case; kernels may always end early", o->name);
    if (!o->time_count) {
        if (o->worst == 0)
            mistake(b, o->place, "kernel \"%s\" has no load; every kernel takes time", o->name);
        return;
    }
    if (o->splittable)
        mistake(b, o->place, "kernel \"%s\" has a table of times, so it cannot be split: the time of a part is not known", o->name);
    if (o->granularity || o->min_time)
        mistake(b, o->place, "kernel \"%s\" has a table of times: no granularity or least time", o->name);
    bool fits = false;
    for (size_t i = 0; i < o->time_count; i++)
        fits |= o->times[i].sms <= gpu->sms && (gpu->sm_step < 2 || o->times[i].sms % gpu->sm_step == 0);
    if (gpu->sms && o->times[0].sms > gpu->sms)
        mistake(b, o->place, "kernel \"%s\" needs more SMs than there are, whichever entry of its table is taken", o->name);
    else if (gpu->sms && !fits)
        mistake(b, o->place, "the table of kernel \"%s\" has no number of SMs that there are and that is a multiple of \"sm-step\"",
                o->name);
}

static void check_words(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    weir_platform_check(b->sealing, false);
    if (p->gpu.sms == 0)
        weir_sealing_fail(b->sealing, WEIR_INVALID, "a GPU needs to know how many SMs it has");
    else if (p->gpu.sm_step > p->gpu.sms)
        weir_sealing_fail(b->sealing, WEIR_INVALID, "\"sm-step\" is more than there are SMs: no launch could have any");
    for (size_t i = 0; i < p->operator_count; i++)
        check_kernel(b, &p->operators[i]);
    if (p->source_count)
        mistake(b, p->sources[0].place, "kernel \"%s\" has a source; a GPU runs its graph once, when it is launched",
                p->operators[p->sources[0].op.index].name);
    if (p->chain_count)
        mistake(b, p->chains[0].place, "the latency to \"%s\" has no meaning: on a GPU the whole graph is measured",
                p->operators[p->chains[0].to.index].name);
    if (p->processor_count || p->cores || p->latency_limit)
        weir_sealing_fail(b->sealing, WEIR_INVALID, "processors, cores and latency limits have no meaning on a GPU");
}

/* However long it takes, whichever the number of SMs and beside whomever; WEIR_TIME_MAX: longer than can be counted. */
static int64_t find_longest(const struct weir_operator_spec *o, const struct weir_kernel *k)
{
    int64_t longest = k->load + k->min_time + k->granularity, more; /* each below 2^60 */
    for (size_t j = 0; j < o->time_count; j++)
        longest = o->times[j].time > longest ? o->times[j].time : longest;
    return weir_multiply(longest / 100 + 1, k->suffers[WEIR_DISTURBS_COPY], &more) && more < WEIR_TIME_MAX - longest
               ? longest + more
               : WEIR_TIME_MAX;
}

/* Their sums and products must stay within what can be counted. */
static void fill_loads(struct build *b)
{
    struct weir_pipeline *p = b->pipeline;
    int64_t total = 0;
    for (size_t i = 0; i < p->operator_count; i++) {
        struct weir_operator_spec *o = &p->operators[i];
        bool table = o->time_count > 0;
        o->worst = table ? o->times[0].time * o->times[0].sms : o->worst;
        int64_t least = table ? 0 : o->min_time ? o->min_time : p->gpu.min_time;
        b->kernels->kernels[i] = (struct weir_kernel){.load = o->worst,
                                                      .min_time = least,
                                                      .granularity = o->granularity,
                                                      .splittable = o->splittable,
                                                      .times = table ? o->times : NULL,
                                                      .time_count = (uint32_t)o->time_count,
                                                      .disturbs = o->disturbs};
        struct weir_kernel *kernel = &b->kernels->kernels[i];
        uint32_t read = o->suffers_read, copy = o->suffers_copy;
        kernel->suffers[WEIR_DISTURBS_READ] = read;
        kernel->suffers[WEIR_DISTURBS_COPY] = copy > read ? copy : read;
        b->kernels->disturbed |= read || copy;
        int64_t longest = kernel->longest = find_longest(o, kernel);
        if (longest >= WEIR_TIME_MAX - p->gpu.launch_overhead || total >= WEIR_TIME_MAX - longest - p->gpu.launch_overhead) {
            mistake(b, o->place, "with kernel \"%s\" the loads add up to more than can be represented; use a coarser unit",
                    o->name);
            return;
        }
        total += longest + p->gpu.launch_overhead;
    }
}

/* ---- the graph ---- */

/* Sorted by both ends, each dependency once: first by the kernel that waits, then, dropping repeated ones, by the other. */
static void sort_dependencies(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    struct weir_kernels *k = b->kernels;
    uint32_t n = k->count, kept = 0;
    for (size_t i = 0; i < p->queue_count; i++)
        k->first_dependent[p->queues[i].from.index + 1]++;
    for (uint32_t v = 0; v < n; v++)
        k->first_dependent[v + 1] += k->first_dependent[v];
    for (size_t i = 0; i < p->queue_count; i++)
        k->dependents[k->first_dependent[p->queues[i].from.index]++] = p->queues[i].to.index;
    /* first_dependent[v] is now where v's end; going through the kernels in order makes each list of `before` ascending. */
    for (uint32_t v = 0, from = 0; v < n; from = k->first_dependent[v++])
        for (uint32_t i = from; i < k->first_dependent[v]; i++)
            k->first_before[k->dependents[i] + 1]++;
    for (uint32_t v = 0; v < n; v++)
        k->first_before[v + 1] += k->first_before[v];
    for (uint32_t v = 0; v < n; v++)
        b->waiting[v] = k->first_before[v];
    for (uint32_t v = 0, from = 0; v < n; from = k->first_dependent[v++])
        for (uint32_t i = from; i < k->first_dependent[v]; i++) {
            uint32_t to = k->dependents[i], at = b->waiting[to];
            if (at == k->first_before[to] || k->before[at - 1] != v)
                k->before[b->waiting[to]++] = v;
        }
    memset(k->first_dependent, 0, ((size_t)n + 1) * sizeof *k->first_dependent);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t from = k->first_before[v], end = b->waiting[v];
        k->first_before[v] = kept;
        for (uint32_t i = from; i < end; i++) {
            k->before[kept++] = k->before[i];
            k->first_dependent[k->before[kept - 1] + 1]++;
        }
    }
    k->first_before[n] = k->edge_count = kept;
    for (uint32_t v = 0; v < n; v++)
        k->first_dependent[v + 1] += k->first_dependent[v];
    memcpy(b->heap, k->first_dependent, n * sizeof *b->heap);
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = k->first_before[v]; i < k->first_before[v + 1]; i++)
            k->dependents[b->heap[k->before[i]]++] = v;
}

static bool is_less(const struct build *b, const uint32_t *x, const uint32_t *y)
{
    (void)b;
    return *x < *y;
}

WEIR_HEAP(ready, uint32_t, const struct build *, is_less, WEIR_HEAP_STAYS);

static void order_kernels(struct build *b)
{
    struct weir_kernels *k = b->kernels;
    uint32_t count = 0;
    size_t ready = 0;
    for (uint32_t v = 0; v < k->count; v++) {
        b->waiting[v] = k->first_before[v + 1] - k->first_before[v];
        if (b->waiting[v] == 0)
            ready_push(b, b->heap, &ready, v);
    }
    while (ready) {
        uint32_t v = ready_pop(b, b->heap, &ready);
        k->order[count++] = v;
        for (uint32_t i = k->first_dependent[v]; i < k->first_dependent[v + 1]; i++)
            if (--b->waiting[k->dependents[i]] == 0)
                ready_push(b, b->heap, &ready, k->dependents[i]);
    }
    for (uint32_t v = 0; v < k->count && count < k->count; v++)
        if (b->waiting[v]) {
            mistake(b, b->pipeline->operators[v].place,
                    "kernel \"%s\" is on or downstream of a cycle of dependencies; a graph of kernels has none",
                    b->pipeline->operators[v].name);
            break;
        }
}

/* ---- the whole ---- */

static bool make_room(struct build *b)
{
    struct weir_pipeline *p = b->pipeline;
    struct weir_arena *scratch = &b->sealing->scratch, *kept = &p->sealed_arena;
    size_t n = p->operator_count, e = p->queue_count;
    struct weir_kernels *k = p->kernels = b->kernels = weir_arena_array(kept, 1, sizeof *k);
    b->waiting = weir_arena_array(scratch, n + 1, sizeof *b->waiting);
    b->heap = weir_arena_array(scratch, n + 1, sizeof *b->heap);
    if (!k)
        return false;
    k->count = (uint32_t)n;
    k->gpu = p->gpu;
    k->gpu.sm_step = p->gpu.sm_step ? p->gpu.sm_step : 1;
    k->kernels = weir_arena_array(kept, n, sizeof *k->kernels);
    k->order = weir_arena_array(kept, n, sizeof *k->order);
    k->first_before = weir_arena_array(kept, n + 1, sizeof *k->first_before);
    k->first_dependent = weir_arena_array(kept, n + 1, sizeof *k->first_dependent);
    k->before = weir_arena_array(kept, e, sizeof *k->before);
    k->dependents = weir_arena_array(kept, e, sizeof *k->dependents);
    return !scratch->failed && !kept->failed;
}

enum weir_status weir_kernels_build(struct weir_sealing *s)
{
    struct build b = {.sealing = s, .pipeline = s->pipeline};
    if (s->pipeline->operator_count == 0)
        return weir_sealing_fail(s, WEIR_INVALID, "the graph has no kernels");
    if (!make_room(&b))
        return weir_sealing_memory(s);
    check_words(&b);
    sort_dependencies(&b);
    order_kernels(&b);
    if (!s->status)
        fill_loads(&b);
    return s->status;
}
