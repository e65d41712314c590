/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths from one operator to another, and the longest of them. A path stops at the consumers of the cuts that it crosses; what
 * happens between two stops does not depend on how the first was come to, so that one label for each stop is enough.
 */
#include "engine/async/async.h"

#include "base/error.h"
#include "base/number.h"

#include <string.h>

struct stop {
    bool known; /* crossings are there */
    struct weir_crossing *crossings;
    uint32_t count;
    size_t capacity;
};

struct label {
    bool open, done, reached; /* of the search: on the stack; left; there is a path to it */
    uint32_t next;            /* the next crossing to look at */
    int64_t worst, best;
    bool has_best;
    uint32_t before; /* the stop before, and the crossing from there; WEIR_NO_INDEX: the first */
    const struct weir_crossing *by;
};

struct weir_paths {
    struct weir_arena arena;
    struct weir_sampler *sampler;
    struct stop *stops; /* by operator; then by operator, from its arrivals */
    struct label *labels;
    uint32_t *order, *stack;
    uint32_t order_count;
    uint8_t *ahead, *behind; /* by operator: `from` leads to it; it leads to `to` */
};

struct weir_paths *weir_paths_new(struct weir_sampler *s)
{
    size_t count = s->pipeline->operator_count;
    struct weir_paths *w = weir_array_zeroed(1, sizeof *w);
    if (!w)
        return NULL;
    w->sampler = s;
    w->stops = weir_arena_array(&w->arena, 2 * count, sizeof *w->stops);
    w->labels = weir_arena_array(&w->arena, 2 * count, sizeof *w->labels);
    w->order = weir_arena_array(&w->arena, 2 * count, sizeof *w->order);
    w->stack = weir_arena_array(&w->arena, 2 * count, sizeof *w->stack);
    w->ahead = weir_arena_array(&w->arena, count, sizeof *w->ahead);
    w->behind = weir_arena_array(&w->arena, count, sizeof *w->behind);
    if (!w->arena.failed)
        return w;
    weir_paths_free(w);
    return NULL;
}

void weir_paths_free(struct weir_paths *w)
{
    if (!w)
        return;
    for (size_t i = 0; w->stops && i < 2 * w->sampler->pipeline->operator_count; i++)
        weir_free(w->stops[i].crossings);
    weir_arena_free(&w->arena);
    weir_free(w);
}

static uint32_t operators(const struct weir_paths *w)
{
    return (uint32_t)w->sampler->pipeline->operator_count;
}

static bool arrives(const struct weir_pipeline *p, uint32_t op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op && p->sources[i].arrivals == WEIR_ARRIVALS_EXACT)
            return true;
    return false;
}

/* ---- segments, each found once ---- */

static enum weir_status find_crossings(struct weir_paths *w, uint32_t index)
{
    struct weir_sampler *s = w->sampler;
    struct stop *stop = &w->stops[index];
    struct weir_stop from = {index % operators(w), index >= operators(w)};
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->cut_count && !stop->known && !status; i++) {
        bool reaches;
        if (s->cuts[i].joined || s->cuts[i].strange)
            continue;
        status = weir_async_reaches(s, from.op, s->cuts[i].from, &reaches);
        if (status || !reaches)
            continue;
        if (!weir_reserve(&stop->crossings, &stop->capacity, stop->count + (size_t)1, sizeof *stop->crossings))
            return weir_fail_memory(s->error);
        status = weir_segment_cross(s, from, i, &stop->crossings[stop->count]);
        stop->count += !status;
    }
    if (status)
        stop->count = 0;
    stop->known = !status;
    return status;
}

/* ---- the order of the stops ---- */

static bool useful(const struct weir_paths *w, uint32_t op)
{
    return w->ahead[op] && w->behind[op];
}

static enum weir_status look_around(struct weir_paths *w, const struct weir_chain_spec *chain)
{
    memset(w->ahead, 0, operators(w) * sizeof *w->ahead);
    memset(w->behind, 0, operators(w) * sizeof *w->behind);
    w->ahead[chain->from.index] = w->behind[chain->to.index] = 1;
    enum weir_status status = weir_async_flood(w->sampler, w->ahead, false);
    return status ? status : weir_async_flood(w->sampler, w->behind, true);
}

/* Fills `why` where something on a path cannot be known. */
static void find_unknown(const struct weir_paths *w, char why[WEIR_ASYNC_WHY])
{
    const struct weir_sampler *s = w->sampler;
    const struct weir_pipeline *p = s->pipeline;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (useful(w, o) && s->parts[s->part_of[o]].why) {
            snprintf(why, WEIR_ASYNC_WHY, "%s", s->parts[s->part_of[o]].why);
            return;
        }
    for (uint32_t i = 0; i < s->cut_count; i++)
        if (s->cuts[i].strange && useful(w, s->cuts[i].from) && useful(w, s->cuts[i].to)) {
            snprintf(why, WEIR_ASYNC_WHY,
                     "\"%s\" is reentrant and receives late: the order in which it takes messages from \"%s\" is not known",
                     weir_quote(p->operators[s->cuts[i].to].name, to), weir_quote(p->operators[s->cuts[i].from].name, from));
            return;
        }
}

/* Whether a path that began at a stop goes on to the consumer of a cut: what comes back to where it began is not counted again. */
static bool leads_on(const struct weir_paths *w, uint32_t first, uint32_t to)
{
    return useful(w, to) && to != first % operators(w);
}

/* Depth first, stops in the order they are left: against the paths. */
static enum weir_status sort_stops(struct weir_paths *w, uint32_t first, char why[WEIR_ASYNC_WHY])
{
    uint32_t depth = 0;
    memset(w->labels, 0, 2 * (size_t)operators(w) * sizeof *w->labels);
    w->order_count = 0;
    w->stack[depth++] = first;
    w->labels[first].open = true;
    enum weir_status status = find_crossings(w, first);
    while (depth > 0 && !status && !*why) {
        uint32_t at = w->stack[depth - 1];
        struct label *label = &w->labels[at];
        const struct stop *stop = &w->stops[at];
        if (label->next == stop->count) {
            label->open = false;
            label->done = true;
            w->order[w->order_count++] = at;
            depth--;
            continue;
        }
        const struct weir_crossing *crossing = &stop->crossings[label->next++];
        uint32_t to = w->sampler->cuts[crossing->cut].to;
        if (!leads_on(w, first, to) || w->labels[to].done)
            continue;
        if (w->labels[to].open) {
            snprintf(why, WEIR_ASYNC_WHY,
                     "data can go round in a circle of connections that do not wait, any number of times, so its age has no bound");
            break;
        }
        w->labels[to].open = true;
        w->stack[depth++] = to;
        status = find_crossings(w, to);
    }
    return status;
}

/* ---- the longest ---- */

static void relax(struct weir_paths *w, uint32_t first, uint32_t at, char why[WEIR_ASYNC_WHY])
{
    const struct label *from = &w->labels[at];
    for (uint32_t i = 0; i < w->stops[at].count && !*why; i++) {
        const struct weir_crossing *c = &w->stops[at].crossings[i];
        uint32_t to = w->sampler->cuts[c->cut].to;
        struct label *label = &w->labels[to];
        int64_t worst, best = 0;
        if (!leads_on(w, first, to))
            continue;
        if (c->why) {
            snprintf(why, WEIR_ASYNC_WHY, "%s", c->why);
            return;
        }
        if (!weir_add(from->worst, c->worst, &worst) || worst >= WEIR_TIME_MAX || !weir_add(from->best, c->best, &best)) {
            snprintf(why, WEIR_ASYNC_WHY, "times get too long to be represented");
            return;
        }
        label->best = label->reached && label->best < best ? label->best : best;
        label->has_best = (!label->reached || label->has_best) && from->has_best && c->has_best;
        if (!label->reached || worst > label->worst) {
            label->worst = worst;
            label->before = at;
            label->by = c;
        }
        label->reached = true;
    }
}

struct finding {
    bool found, plain; /* a path was found; one without cuts is all there is */
    uint32_t stop;     /* the last one of the longest */
    struct weir_arrival last;
    int64_t worst, best;
    bool has_best;
};

/* From each stop that leads on to `to` without more cuts. */
static enum weir_status finish_paths(struct weir_paths *w, uint32_t chain, struct finding *f, char why[WEIR_ASYNC_WHY])
{
    struct weir_sampler *s = w->sampler;
    const struct weir_chain_spec *spec = &s->pipeline->chains[chain];
    bool given = s->pipeline->shift_given && s->pipeline->shift_given[chain];
    enum weir_status status = WEIR_OK;
    for (uint32_t i = w->order_count; i-- > 0 && !status && !*why;) {
        uint32_t at = w->order[i], op = at % operators(w);
        const struct label *label = &w->labels[at];
        int64_t worst;
        bool first = label->before == WEIR_NO_INDEX, reaches;
        relax(w, w->order[w->order_count - 1], at, why);
        status = weir_async_reaches(s, op, spec->to.index, &reaches);
        if (status || *why || !reaches)
            continue;
        struct weir_arrival last;
        status = weir_segment_arrive(s, (struct weir_stop){op, at >= operators(w)}, spec->to.index,
                                     first && given ? &spec->shift : NULL, &last);
        if (status)
            continue;
        if (!last.known || !weir_add(label->worst, last.segment.worst, &worst) || worst >= WEIR_TIME_MAX) {
            snprintf(why, WEIR_ASYNC_WHY, "%s", last.known ? "times get too long to be represented" : s->why);
            continue;
        }
        int64_t best = label->best + last.segment.best;
        best = first || best > 0 ? best : 0; /* what crosses a cut does not arrive before it begins */
        f->best = f->found && f->best < best ? f->best : best;
        f->has_best = (!f->found || f->has_best) && label->has_best && last.has_best;
        if (!f->found || worst > f->worst) {
            f->worst = worst;
            f->stop = at;
            f->last = last;
        }
        f->plain = first;
        f->found = true;
    }
    return status;
}

static enum weir_status write_segments(struct weir_paths *w, const struct finding *f, struct weir_async_latency *latency)
{
    struct weir_sampler *s = w->sampler;
    size_t count = 1;
    for (uint32_t at = f->stop; w->labels[at].before != WEIR_NO_INDEX; at = w->labels[at].before)
        count += w->labels[at].by->segment_count;
    struct weir_async_segment *segments = weir_arena_take(&s->arena, count * sizeof *segments);
    if (!segments)
        return weir_fail_memory(s->error);
    latency->segments = segments;
    latency->segment_count = count;
    segments[--count] = f->last.segment;
    for (uint32_t at = f->stop; w->labels[at].before != WEIR_NO_INDEX; at = w->labels[at].before) {
        const struct weir_crossing *by = w->labels[at].by;
        count -= by->segment_count;
        memcpy(&segments[count], by->segments, by->segment_count * sizeof *segments);
    }
    return WEIR_OK;
}

static enum weir_status search(struct weir_paths *w, uint32_t chain, struct finding *f, char why[WEIR_ASYNC_WHY])
{
    struct weir_sampler *s = w->sampler;
    const struct weir_chain_spec *spec = &s->pipeline->chains[chain];
    uint32_t first = spec->from.index + (arrives(s->pipeline, spec->from.index) ? operators(w) : 0);
    enum weir_status status = look_around(w, spec);
    if (status || !useful(w, spec->from.index))
        return status; /* no path leads from one to the other */
    find_unknown(w, why);
    if (*why)
        return WEIR_OK;
    status = sort_stops(w, first, why);
    if (!status && !*why) {
        w->labels[first].reached = w->labels[first].has_best = true;
        w->labels[first].before = WEIR_NO_INDEX;
        if (w->order_count > 1 && s->pipeline->shift_given && s->pipeline->shift_given[chain])
            snprintf(why, WEIR_ASYNC_WHY, "an offset in iterations has no meaning across connections that do not wait");
        else
            status = finish_paths(w, chain, f, why);
    }
    return status;
}

enum weir_status weir_paths_latency(struct weir_paths *w, uint32_t chain, struct weir_async_latency *latency)
{
    struct weir_sampler *s = w->sampler;
    struct finding f = {0};
    char why[WEIR_ASYNC_WHY] = "";
    *latency = (struct weir_async_latency){.chain = s->pipeline->chains[chain], .outcome = WEIR_ASYNC_UNKNOWN};
    enum weir_status status = search(w, chain, &f, why);
    if (status)
        return status;
    if (!*why && !f.found)
        snprintf(why, sizeof why, "no path leads from one to the other");
    if (*why) {
        latency->why = weir_arena_text(&s->arena, why);
        return latency->why ? WEIR_OK : weir_fail_memory(s->error);
    }
    latency->outcome = f.plain && w->order_count == 1 && f.last.reached ? WEIR_ASYNC_EXACT : WEIR_ASYNC_SAFE;
    latency->worst = f.worst;
    latency->has_best = f.has_best;
    latency->best = f.has_best ? f.best : 0;
    return write_segments(w, &f, latency);
}
