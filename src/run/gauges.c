/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What measures the latencies. Where every message on the ways between two operators is kept and taken one by one, iteration n of
 * one belongs to iteration n - shift of the other: a gauge looks up when that one started. Everywhere else messages carry the
 * oldest start that they are made of.
 */
#include "base/error.h"
#include "run/run.h"

#include <string.h>

static bool plain(const struct weir_channel *c)
{
    return !c->irregular && c->produce == 1 && c->consume == 1 && c->threshold == 1;
}

/* Marks with `bit` all operators on a way from (down) or to (up) one. */
static void spread(const struct weir_run *run, uint8_t *seen, uint32_t *stack, uint32_t first, bool down)
{
    uint8_t bit = down ? 1 : 2;
    size_t depth = 0;
    seen[first] |= bit;
    stack[depth++] = first;
    while (depth > 0) {
        const struct weir_station *s = &run->stations[stack[--depth]];
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

static bool has_plain_ways(const struct weir_run *run, const struct weir_pair_spec *pair, uint8_t *seen, uint32_t *stack)
{
    memset(seen, 0, run->station_count);
    spread(run, seen, stack, pair->from.index, true);
    spread(run, seen, stack, pair->to.index, false);
    for (uint32_t i = 0; i < run->channel_count; i++) {
        const struct weir_channel *c = &run->channels[i];
        if (seen[c->from] == 3 && seen[c->to] == 3 && !plain(c))
            return false;
    }
    return true;
}

static bool all_plain(const struct weir_run *run)
{
    for (uint32_t i = 0; i < run->channel_count; i++)
        if (!plain(&run->channels[i]))
            return false;
    return true;
}

static bool add_gauge(struct weir_run *run, uint32_t index, bool carried)
{
    struct weir_pair_spec pair = weir_pipeline_pair(run->pipeline, index);
    struct weir_station *from = &run->stations[pair.from.index], *to = &run->stations[pair.to.index];
    struct weir_gauge *g = &to->gauges[to->gauge_count++];
    g->pair = index;
    g->from = pair.from.index;
    g->carried = carried;
    g->shift = pair.shift;
    run->gauges[index] = g;
    if (carried) {
        if (from->origin < 0)
            from->origin = (int)run->origin_count++;
        g->origin = (uint32_t)from->origin;
        return true;
    }
    if (from->stamps)
        return true;
    from->stamps = weir_array(WEIR_STAMPS, sizeof *from->stamps);
    for (size_t i = 0; from->stamps && i < WEIR_STAMPS; i++) {
        atomic_init(&from->stamps[i].iteration, -1);
        atomic_init(&from->stamps[i].time, 0);
    }
    return from->stamps != NULL;
}

/* Where in one array the gauges of each station are. */
static bool make_room(struct weir_run *run)
{
    run->gauges = weir_array_zeroed(run->pair_count, sizeof *run->gauges);
    run->gauge_block = weir_array_zeroed(run->pair_count, sizeof *run->gauge_block);
    if (!run->gauges || !run->gauge_block)
        return false;
    for (uint32_t i = 0; i < run->pair_count; i++)
        run->stations[weir_pipeline_pair(run->pipeline, i).to.index].gauge_count++;
    size_t at = 0;
    for (uint32_t i = 0; i < run->station_count; i++) {
        struct weir_station *s = &run->stations[i];
        s->gauges = &run->gauge_block[at];
        at += s->gauge_count;
        s->gauge_count = 0;
    }
    return true;
}

enum weir_status weir_run_gauge(struct weir_run *run, struct weir_error *error)
{
    run->pair_count = weir_pipeline_pair_count(run->pipeline);
    bool simple = all_plain(run), fits = make_room(run);
    uint8_t *seen = weir_array(run->station_count, 1);
    uint32_t *stack = weir_array(run->station_count, sizeof *stack);
    fits = fits && seen && stack;
    for (uint32_t i = 0; i < run->pair_count && fits; i++) {
        struct weir_pair_spec pair = weir_pipeline_pair(run->pipeline, i);
        fits = add_gauge(run, i, !simple && !has_plain_ways(run, &pair, seen, stack));
    }
    weir_free(seen);
    weir_free(stack);
    return fits ? WEIR_OK : weir_fail_memory(error);
}
