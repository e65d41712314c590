/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of kernels: collecting them, and what can be wrong with one. Everything that sealing such a graph could find is looked for
 * here, where the places in the file are known.
 */
#include "read/draft.h"

#include "model/kernels.h"
#include "model/pipeline.h"

#include <string.h>

#define CYCLES_MAX 20 /* reported */

void weir_draft_add_width(struct weir_draft *d, uint32_t op, struct weir_gpu_time width)
{
    if (d->width_count == WEIR_READ_WIDTHS_MAX) {
        if (!d->too_many_widths)
            weir_draft_mistake(d, d->operators[op].place, "the tables of all kernels have too many entries: %u are the most",
                               (unsigned)WEIR_READ_WIDTHS_MAX);
        d->too_many_widths = true;
        return;
    }
    if (!weir_draft_room(d, &d->widths, &d->width_capacity, d->width_count, sizeof *d->widths))
        return;
    struct weir_draft_rest *rest = weir_draft_rest(d, op);
    if (!rest)
        return;
    if (!rest->spec.time_count)
        rest->first_width = d->width_count;
    d->widths[d->width_count++] = width;
    rest->spec.time_count++;
}

/* ---- options ---- */

void weir_draft_take_gpu_options(struct weir_draft *d)
{
    const struct weir_read_options *o = d->options;
    struct weir_gpu_spec *gpu = &d->platform.gpu;
    const struct weir_place nowhere = {0, 0};
    if (!o->sms && !o->max_concurrent && !o->min_time && !o->launch_overhead)
        return;
    if (!d->gpu) {
        weir_draft_mistake(d, nowhere, "--sms, --min-time, --launch-overhead and --max-concurrent are for graphs of kernels");
        return;
    }
    if (o->sms > WEIR_SMS_MAX)
        weir_draft_mistake(d, nowhere, "\"--sms\" is out of range: at most %d SMs", WEIR_SMS_MAX);
    else if (o->sms)
        gpu->sms = o->sms;
    if (o->max_concurrent)
        gpu->max_concurrent = o->max_concurrent;
    if (o->min_time)
        gpu->min_time = weir_draft_time(d, o->min_time, nowhere, "--min-time");
    if (o->launch_overhead)
        gpu->launch_overhead = weir_draft_time(d, o->launch_overhead, nowhere, "--launch-overhead");
}

/* ---- kernels ---- */

static void check_table(struct weir_draft *d, const struct weir_operator_spec *o, const char *quoted)
{
    const struct weir_gpu_time *table = o->times;
    for (size_t i = 0; i < o->time_count; i++) {
        const struct weir_draft_time *time = &d->times[table[i].time];
        if (weir_draft_is_zero(d, table[i].time))
            weir_draft_mistake(d, time->place, "kernel \"%s\" takes no time on %u SMs; every kernel takes time", quoted,
                               table[i].sms);
        else if (time->ticks >= WEIR_TIME_MAX / WEIR_SMS_MAX)
            weir_draft_mistake(d, time->place,
                               "this time is out of range: the times of tables are below 2^44 ticks; use a coarser unit");
    }
    if (o->time_count && d->platform.gpu.sms && table->sms > d->platform.gpu.sms)
        weir_draft_mistake(d, o->place, "kernel \"%s\" needs at least %u SMs, but there are only %u", quoted, table->sms,
                           d->platform.gpu.sms);
}

static void check_kernel(struct weir_draft *d, uint32_t op)
{
    char quoted[WEIR_QUOTED];
    const struct weir_operator_spec o = weir_draft_operator(d, op);
    weir_quote(o.name, quoted);
    check_table(d, &o, quoted);
    if (weir_draft_is_zero(d, o.worst))
        weir_draft_mistake(d, d->times[o.worst].place, "kernel \"%s\" has a load of 0; every kernel takes time", quoted);
    if (weir_draft_is_zero(d, o.min_time))
        weir_draft_mistake(d, d->times[o.min_time].place,
                           "\"min-time\" of a kernel must be longer than 0; leave it out where it is the platform's");
}

/* ---- cycles ---- */

/* A search in depth through the dependencies; one that leads back to where it is under path closes a cycle. */
struct search {
    struct weir_draft *draft;
    struct weir_groups queues; /* by the kernel they come from, in the order of the file */
    uint32_t *stack;           /* the path to where it is */
    uint32_t *at;              /* by kernel on the path: the next of its dependencies */
    uint8_t *state;            /* by kernel: 0 new, 1 on the path, 2 done */
    size_t depth, cycles;
};

static bool begin_search(struct search *s)
{
    size_t n = s->draft->operator_count;
    s->stack = weir_array(n, sizeof *s->stack);
    s->at = weir_array(n, sizeof *s->at);
    s->state = weir_array_zeroed(n, sizeof *s->state);
    return s->stack && s->at && s->state && weir_draft_group_queues(s->draft, &s->queues);
}

/* The names on the path from `from` to its end, and `from` again. */
static void report_cycle(struct search *s, const struct weir_draft_queue *closing)
{
    struct weir_draft *d = s->draft;
    char path[320], quoted[WEIR_QUOTED];
    size_t used = 0, i = s->depth;
    if (++s->cycles > CYCLES_MAX)
        return;
    if (closing->from == closing->to) {
        weir_draft_mistake(d, closing->place, "kernel \"%s\" cannot depend on itself",
                           weir_quote(d->operators[closing->to].name, quoted));
        return;
    }
    while (s->stack[i - 1] != closing->to)
        i--;
    for (; i <= s->depth && used < sizeof path - 2 * WEIR_QUOTED - 16; i++)
        used += (size_t)snprintf(path + used, sizeof path - used, "%s -> ", weir_quote(d->operators[s->stack[i - 1]].name, quoted));
    if (i <= s->depth)
        used += (size_t)snprintf(path + used, sizeof path - used, "... -> ");
    snprintf(path + used, sizeof path - used, "%s", weir_quote(d->operators[closing->to].name, quoted));
    weir_draft_mistake(d, closing->place, "this dependency closes a cycle: %s", path);
}

static void search_from(struct search *s, uint32_t root)
{
    s->stack[s->depth++] = root;
    s->at[root] = s->queues.first[root];
    s->state[root] = 1;
    while (s->depth) {
        uint32_t v = s->stack[s->depth - 1];
        if (s->at[v] == s->queues.first[v + 1]) {
            s->state[v] = 2;
            s->depth--;
            continue;
        }
        const struct weir_draft_queue *q = weir_draft_queue(s->draft, s->queues.item[s->at[v]++]);
        if (s->state[q->to] == 1) {
            report_cycle(s, q);
        } else if (s->state[q->to] == 0) {
            s->stack[s->depth++] = q->to;
            s->at[q->to] = s->queues.first[q->to];
            s->state[q->to] = 1;
        }
    }
}

void weir_draft_check_cycles(struct weir_draft *d)
{
    struct search s = {.draft = d};
    if (begin_search(&s)) {
        for (uint32_t v = 0; v < d->operator_count; v++)
            if (s.state[v] == 0)
                search_from(&s, v);
    } else {
        d->out_of_memory = true;
    }
    weir_groups_free(&s.queues);
    weir_free(s.stack);
    weir_free(s.at);
    weir_free(s.state);
}

void weir_draft_check_kernels(struct weir_draft *d)
{
    if (d->out_of_memory)
        return;
    if (weir_draft_is_zero(d, d->platform.gpu.deadline))
        weir_draft_mistake(d, d->times[d->platform.gpu.deadline].place, "\"deadline\" must be longer than 0");
    for (uint32_t op = 0; op < d->operator_count; op++)
        check_kernel(d, op);
    weir_draft_check_cycles(d);
}
