/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What measures the latencies. Where every message on the ways between two operators is kept and taken one by one, iteration n of
 * one belongs to iteration n - shift of the other: a gauge looks up when that one started. Everywhere else messages carry the
 * oldest start that they are made of.
 */
#include "base/error.h"
#include "measure/run/run.h"
#include "measure/run/shared.h"

#include <string.h>

/* Starts that are kept to be looked up; a queue without limit is read as so many. */
#define STAMPS_LEAST 256
#define STAMPS_ENDLESS 65536
#define STAMPS_MOST (UINT64_C(1) << 20)

struct scratch {
    uint8_t *seen;
    uint32_t *stack;
};

static bool plain(const struct weir_channel *c)
{
    return !c->irregular && c->produce == 1 && c->consume == 1 && c->threshold == 1;
}

/* Marks with `bit` all operators on a path from (down) or to (up) one. */
static void spread(const struct weir_run *run, uint8_t *seen, uint32_t *stack, uint32_t first, bool down)
{
    uint8_t bit = down ? 1 : 2;
    size_t depth = 0;
    seen[first] |= bit;
    stack[depth++] = first;
    while (depth > 0) {
        const struct weir_operator_thread *s = &run->threads[stack[--depth]];
        uint32_t count = down ? s->output_count : s->input_count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t next = down ? s->outputs[i]->to : s->inputs[i]->from;
            if (seen[next] & bit)
                continue;
            seen[next] |= bit;
            stack[depth++] = next;
        }
    }
}

/* Whether all paths from one to the other are plain; *ahead: by how many iterations the one may be ahead of the other. */
static bool has_plain_paths(const struct weir_run *run, const struct weir_chain_spec *chain, struct scratch *scratch,
                            uint64_t *ahead)
{
    uint8_t *seen = scratch->seen;
    memset(seen, 0, run->thread_count);
    spread(run, seen, scratch->stack, chain->from.index, true);
    spread(run, seen, scratch->stack, chain->to.index, false);
    *ahead = STAMPS_LEAST;
    for (uint32_t i = 0; i < run->channel_count; i++) {
        const struct weir_channel *c = &run->channels[i];
        if (seen[c->from] != 3 || seen[c->to] != 3)
            continue;
        if (!plain(c))
            return false;
        *ahead += c->capacity < STAMPS_ENDLESS ? c->capacity + 1 : STAMPS_ENDLESS;
    }
    return true;
}

static bool make_stamps(const struct weir_run *run, struct weir_operator_thread *s, uint64_t ahead)
{
    uint64_t size = STAMPS_LEAST;
    while (size < ahead && size < STAMPS_MOST)
        size *= 2;
    if (s->stamps && s->stamp_mask + 1 >= size)
        return true;
    weir_shared_free(run->shared, s->stamps);
    s->stamps = weir_shared_array(run->shared, size, sizeof *s->stamps);
    s->stamp_mask = size - 1;
    for (size_t i = 0; s->stamps && i < size; i++) {
        atomic_init(&s->stamps[i].iteration, -1);
        atomic_init(&s->stamps[i].time, 0);
    }
    return s->stamps != NULL;
}

static bool add_gauge(struct weir_run *run, uint32_t index, struct scratch *scratch)
{
    uint64_t ahead;
    struct weir_chain_spec chain = weir_pipeline_chain(run->pipeline, index);
    bool carried = !has_plain_paths(run, &chain, scratch, &ahead);
    struct weir_operator_thread *from = &run->threads[chain.from.index], *to = &run->threads[chain.to.index];
    struct weir_gauge *g = &to->gauges[to->gauge_count++];
    g->chain = index;
    g->from = chain.from.index;
    g->carried = carried;
    g->shift = chain.shift;
    g->limit = run->options.limits && run->options.limits[index] >= 0 ? run->options.limits[index] : INT64_MAX;
    run->gauges[index] = g;
    if (carried) {
        if (from->origin < 0)
            from->origin = (int)run->origin_count++;
        g->origin = (uint32_t)from->origin;
        return true;
    }
    return make_stamps(run, from, ahead);
}

/* Where in one array the gauges of each operator thread are. */
static bool make_room(struct weir_run *run)
{
    run->gauges = weir_array_zeroed(run->chain_count, sizeof *run->gauges);
    run->gauge_block = weir_shared_array(run->shared, run->chain_count, sizeof *run->gauge_block);
    if (!run->gauges || !run->gauge_block)
        return false;
    for (uint32_t i = 0; i < run->chain_count; i++)
        run->threads[weir_pipeline_chain(run->pipeline, i).to.index].gauge_count++;
    size_t at = 0;
    for (uint32_t i = 0; i < run->thread_count; i++) {
        struct weir_operator_thread *s = &run->threads[i];
        s->gauges = &run->gauge_block[at];
        at += s->gauge_count;
        s->gauge_count = 0;
    }
    return true;
}

enum weir_status weir_run_gauge(struct weir_run *run, struct weir_error *error)
{
    run->chain_count = weir_pipeline_chain_count(run->pipeline);
    struct scratch scratch = {.seen = weir_array(run->thread_count, 1),
                              .stack = weir_array(run->thread_count, sizeof *scratch.stack)};
    bool fits = make_room(run) && scratch.seen && scratch.stack;
    for (uint32_t i = 0; i < run->chain_count && fits; i++)
        fits = add_gauge(run, i, &scratch);
    weir_free(scratch.seen);
    weir_free(scratch.stack);
    return fits ? WEIR_OK : weir_fail_memory(error);
}
