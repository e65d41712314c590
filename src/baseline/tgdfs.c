/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TG-DFS, the algorithm of RTSS 2025: a depth-first search backwards over the trace graph (tgdfs.h) that keeps, for each place, the
 * set of symbolic expressions of all paths from an ancestor of the source's start to it, and in the end evaluates every expression
 * of the sink. Exponential, as published; sets are made once per place and kept.
 *
 * An expression is a list of terms, each an execution, ending in that nearest to the ancestor. The expressions of a place extend
 * those of the places it waits for by one term, so they share their tails: an expression is one cell. The set of a place is a run
 * of cells. Sets are concatenated, not merged: two paths with the same terms are two expressions, as in the published counts.
 */
#include "baseline/tgdfs.h"

#include <string.h>

#define DEFAULT_LIMIT UINT64_C(10000000)
#define NONE UINT32_MAX /* no term, no rest */
#define CLOCK_EVERY 0xffff

struct cell {
    uint32_t term; /* the place whose execution counts */
    uint32_t rest; /* a cell */
};

struct place {
    uint32_t node;
    uint32_t first, count; /* its set; count 0: not made yet */
};

struct frame {
    uint32_t place;
    uint32_t ordinal; /* of the arc that is looked at */
};

struct search {
    const struct weir_trace *trace;
    const struct weir_method_options *options;
    struct weir_error *error;
    struct weir_clock clock;
    uint64_t limit;
    struct place *places;
    struct cell *cells;
    uint32_t cell_count, cell_capacity, cells_max;
    struct frame *stack;
    size_t depth, stack_capacity, depth_max;
    const char *stopped; /* why the search is over before its time */
};

static int64_t depth_of(const struct search *s, uint32_t place)
{
    return (int64_t)(place - s->trace->row[s->places[place].node]);
}

static uint32_t place_of(const struct search *s, const struct weir_trace_arc *arc)
{
    return (uint32_t)(s->trace->row[arc->node] + (uint64_t)arc->depth);
}

static bool next_arc(const struct search *s, const struct frame *frame, struct weir_trace_arc *arc)
{
    return weir_trace_arc(s->trace, s->places[frame->place].node, depth_of(s, frame->place), frame->ordinal, arc);
}

/* ---- making the sets ---- */

/* False when the search has to end, be it for an error or for a limit. */
static bool add_cell(struct search *s, struct place *place, struct cell cell, enum weir_status *status)
{
    if (place->count >= s->limit)
        s->stopped = "the limit of expressions was reached";
    else if (s->cell_count >= s->cells_max)
        s->stopped = "the memory for expressions was used up";
    else if ((s->cell_count & CLOCK_EVERY) == 0 && weir_clock_over(&s->clock))
        s->stopped = "the time was up";
    if (s->stopped)
        return false;
    if ((s->cell_count & CLOCK_EVERY) == 0)
        weir_method_progress(s->options, s->cell_count, (uint64_t)s->cells_max + 1);
    if (s->cell_count == s->cell_capacity) {
        uint64_t wanted = s->cell_capacity ? 2 * (uint64_t)s->cell_capacity : 1024;
        uint32_t capacity = wanted < s->cells_max ? (uint32_t)wanted : s->cells_max;
        struct cell *cells = weir_resize(s->cells, capacity * sizeof *cells);
        if (!cells) {
            *status = weir_fail_memory(s->error);
            return false;
        }
        s->cells = cells;
        s->cell_capacity = capacity;
    }
    s->cells[s->cell_count++] = cell;
    place->count++;
    return true;
}

/* Line 19 of the published algorithm: what the places ahead have, each with the weight of the arc. */
static bool unite(struct search *s, uint32_t target, enum weir_status *status)
{
    struct place *place = &s->places[target];
    struct frame frame = {.place = target};
    struct weir_trace_arc arc;
    place->first = s->cell_count;
    for (; next_arc(s, &frame, &arc); frame.ordinal++) {
        uint32_t term = arc.counts ? place_of(s, &arc) : NONE;
        if (arc.ancestor) {
            if (!add_cell(s, place, (struct cell){term, NONE}, status))
                return false;
            continue;
        }
        const struct place *ahead = &s->places[place_of(s, &arc)];
        for (uint32_t i = ahead->first; i < ahead->first + ahead->count; i++) {
            struct cell cell = arc.weighted ? (struct cell){term, i} : s->cells[i];
            if (!add_cell(s, place, cell, status))
                return false;
        }
    }
    return true;
}

static bool push(struct search *s, uint32_t place, enum weir_status *status)
{
    if (s->depth >= s->depth_max) {
        s->stopped = "the memory for the search was used up";
        return false;
    }
    if (!weir_reserve(&s->stack, &s->stack_capacity, s->depth + 1, sizeof *s->stack)) {
        *status = weir_fail_memory(s->error);
        return false;
    }
    s->stack[s->depth++] = (struct frame){.place = place};
    return true;
}

/* Leaves the sink's place at the bottom of the stack, with its set complete unless the search was stopped. */
static enum weir_status visit(struct search *s, uint32_t root)
{
    enum weir_status status = WEIR_OK;
    bool going = push(s, root, &status);
    while (going) {
        struct frame *top = &s->stack[s->depth - 1];
        struct weir_trace_arc arc;
        if (!next_arc(s, top, &arc)) {
            going = unite(s, top->place, &status) && s->depth > 1;
            if (going)
                s->stack[--s->depth - 1].ordinal++;
        } else if (arc.ancestor || s->places[place_of(s, &arc)].count > 0) {
            top->ordinal++;
        } else {
            going = push(s, place_of(s, &arc), &status);
        }
    }
    return status;
}

/* ---- evaluating them ---- */

static void write_term(const struct search *s, FILE *out, uint32_t place, bool first)
{
    if (!first)
        fputs(" + ", out);
    fputs(s->trace->chart->names[s->places[place].node], out);
    long long back = depth_of(s, place);
    if (back)
        fprintf(out, "[i-%lld]", back);
    else
        fputs("[i]", out);
}

/* Writes the terms on the stack, from the sink to the topmost place, or adds up what they take. They begin every expression. */
static bool add_prefix(const struct search *s, FILE *out, int64_t *sum)
{
    const struct weir_classic_chart *chart = s->trace->chart;
    struct weir_trace_arc arc;
    *sum = chart->worst[chart->sink];
    if (out)
        write_term(s, out, s->stack[0].place, true);
    for (size_t i = 0; i + 1 < s->depth; i++) {
        if (!next_arc(s, &s->stack[i], &arc) || !arc.counts)
            continue;
        if (!weir_add(*sum, chart->worst[arc.node], sum))
            return false;
        if (out)
            write_term(s, out, place_of(s, &arc), false);
    }
    return true;
}

static bool add_terms(const struct search *s, uint32_t cell, FILE *out, int64_t *sum)
{
    const struct weir_classic_chart *chart = s->trace->chart;
    for (; cell != NONE; cell = s->cells[cell].rest) {
        uint32_t term = s->cells[cell].term;
        if (term == NONE)
            continue;
        if (!weir_add(*sum, chart->worst[s->places[term].node], sum))
            return false;
        if (out)
            write_term(s, out, term, false);
    }
    return true;
}

/* All expressions of the topmost place; where the search was stopped, that is a part of those of the sink. */
static enum weir_status evaluate_all(struct search *s, struct weir_method_result *result, int64_t *largest)
{
    const struct place *top = &s->places[s->stack[s->depth - 1].place];
    FILE *out = s->options->expressions;
    int64_t prefix, value;
    bool counted = add_prefix(s, NULL, &prefix);
    for (uint32_t i = 0; counted && i < top->count; i++) {
        if ((i & CLOCK_EVERY) == CLOCK_EVERY && weir_clock_over(&s->clock)) {
            s->stopped = "the time was up";
            break;
        }
        if (out)
            add_prefix(s, out, &value);
        value = prefix;
        counted = add_terms(s, top->first + i, out, &value);
        if (out)
            fputc('\n', out);
        *largest = value > *largest ? value : *largest;
        result->count++;
    }
    if (!counted)
        return weir_fail(s->error, WEIR_OVERFLOW, "the latency is larger than can be represented");
    if (out && ferror(out))
        return weir_fail(s->error, WEIR_IO, "the expressions could not be written");
    return WEIR_OK;
}

/* ---- the answer ---- */

/* What the very first message takes when everything runs at its worst: nothing is ahead of it. */
static bool first_latency(const struct weir_classic_chart *chart, int64_t *latency)
{
    int64_t *finish = weir_array(chart->node_count, sizeof *finish);
    if (!finish)
        return false;
    for (uint32_t v = 0; v < chart->node_count; v++) {
        int64_t start = 0;
        for (uint32_t i = chart->in_first[v]; i < chart->in_first[v + 1]; i++) {
            int64_t before = finish[chart->edges[chart->in_edges[i]].from];
            start = before > start ? before : start;
        }
        if (!weir_add(start, chart->worst[v], &finish[v]))
            finish[v] = INT64_MAX; /* the bound then says so */
    }
    *latency = finish[chart->sink];
    weir_free(finish);
    return true;
}

static enum weir_status answer(const struct search *s, int64_t largest, struct weir_method_result *result)
{
    const struct weir_classic_chart *chart = s->trace->chart;
    uint64_t bytes = s->options->bytes ? s->options->bytes : WEIR_METHOD_BYTES;
    result->safe = true;
    if (!chart->zero_best)
        weir_note_add(result, "Best cases are read as 0.");
    if (!s->stopped) {
        result->outcome = WEIR_EXACT;
        result->value = largest;
        result->exact = chart->zero_best;
        return WEIR_OK;
    }
    result->outcome = WEIR_BRACKET;
    enum weir_status status = weir_tgdfs_bound(s->trace, bytes, &result->upper, s->error);
    if (status)
        return status;
    if (!first_latency(chart, &result->lower))
        return weir_fail_memory(s->error);
    if (chart->zero_best && largest > result->lower) /* every expression is the latency of some execution */
        result->lower = largest;
    weir_note_add(result, "Not all expressions were made: %s.", s->stopped);
    if (result->upper != INT64_MAX)
        weir_note_add(result, "The upper end is the maximum over all of them, found without making them.");
    return WEIR_OK;
}

static enum weir_status prepare(struct search *s)
{
    uint64_t bytes = s->options->bytes ? s->options->bytes : WEIR_METHOD_BYTES;
    uint64_t places = s->trace->row[s->trace->chart->node_count];
    weir_clock_start(&s->clock, s->options);
    s->limit = s->options->limit ? s->options->limit : DEFAULT_LIMIT;
    if (places >= NONE || places > bytes / (2 * sizeof *s->places)) {
        s->stopped = "the trace graph alone takes more memory than is allowed";
        return WEIR_OK;
    }
    s->places = weir_array_zeroed(places, sizeof *s->places);
    if (!s->places)
        return weir_fail_memory(s->error);
    for (uint32_t v = 0; v < s->trace->chart->node_count; v++)
        for (uint64_t place = s->trace->row[v]; place < s->trace->row[v + 1]; place++)
            s->places[place].node = v;
    bytes -= places * sizeof *s->places;
    s->depth_max = bytes / 4 / sizeof *s->stack;
    bytes -= s->depth_max * sizeof *s->stack;
    s->cells_max = bytes / sizeof *s->cells < NONE ? (uint32_t)(bytes / sizeof *s->cells) : NONE - 1;
    return WEIR_OK;
}

static enum weir_status look_back(struct search *s, struct weir_method_result *result)
{
    const struct weir_classic_chart *chart = s->trace->chart;
    int64_t largest = 0;
    enum weir_status status = prepare(s);
    if (!status && !s->stopped)
        status = visit(s, (uint32_t)s->trace->row[chart->sink]);
    if (!status && s->depth > 0)
        status = evaluate_all(s, result, &largest);
    if (!status)
        status = answer(s, largest, result);
    weir_free(s->places);
    weir_free(s->cells);
    weir_free(s->stack);
    return status;
}

enum weir_status weir_tgdfs_run(const struct weir_classic_chart *chart, const struct weir_method_options *options,
                                struct weir_method_result *result, struct weir_error *error)
{
    struct weir_trace trace;
    enum weir_status status = weir_trace_build(chart, &trace, error);
    struct search search = {.trace = &trace, .options = options, .error = error};
    if (!status)
        status = look_back(&search, result);
    weir_arena_free(&trace.arena);
    return status;
}
