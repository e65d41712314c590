/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run instead of a worst case: where a bound is safe rather than reached, or where there is none, what happens when every
 * execution takes its worst time. Without a bound it shows why: messages pile up, and each is later than the one before it.
 */
#include "answer/number.h"
#include "answer/timeline/timeline.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

enum { ITERATIONS = 10, TOLD = 3 };

struct run {
    struct weir_timeline *t;
    const struct weir_pipeline *pipeline;
    const struct weir_bound *bound;
    const struct weir_timeline_lane *from, *to;
    int64_t period; /* of inputs that wait, from whose arrival the latency counts; 0: from the start */
    int64_t first;  /* when the first of them arrives; -1: when it is taken */
};

static const struct weir_timeline_lane *lane_of(const struct run *run, struct weir_operator op)
{
    const char *name = weir_pipeline_operator(run->pipeline, op).name;
    for (size_t i = 0; i < run->t->lane_count; i++)
        if (strcmp(run->t->lanes[i].name, name) == 0)
            return &run->t->lanes[i];
    return NULL;
}

/* Where it was interrupted, the first or the last part of it. */
static const struct weir_timeline_span *execution_of(const struct run *run, const struct weir_timeline_lane *lane,
                                                     int64_t iteration, bool last)
{
    const struct weir_timeline_span *found = NULL;
    for (size_t i = 0; i < lane->span_count && (last || !found); i++) {
        const struct weir_timeline_span *span = &run->t->spans[lane->first_span + i];
        if (span->kind <= WEIR_SPAN_EXCESS && span->iteration == iteration)
            found = span;
    }
    return found;
}

/* From where to where the message of an iteration counts; false: it is not over in this run. */
static bool measure(const struct run *run, int64_t iteration, int64_t *begin, int64_t *end)
{
    const struct weir_timeline_span *first = execution_of(run, run->from, run->period ? 0 : iteration, false),
                                    *last = execution_of(run, run->to, iteration + run->bound->chain.shift, true);
    if (!first || !last || last->open)
        return false;
    *begin = (run->first < 0 ? first->from.numerator : run->first) + run->period * iteration;
    *end = last->to.numerator;
    return *end >= *begin;
}

static void add_ruler(const struct run *run, enum weir_ruler_kind kind, int64_t from, int64_t to, const char *text)
{
    weir_timeline_add_ruler(
        run->t, (struct weir_timeline_ruler){.kind = kind,
                                             .from = weir_ticks(from),
                                             .to = weir_ticks(to),
                                             .text = text,
                                             .state = kind == WEIR_RULER_DEADLINE ? run->bound->state : WEIR_DEADLINE_NONE});
}

static const char *amount(const struct run *run, int64_t ticks, char text[WEIR_AMOUNT_TEXT])
{
    return weir_timeline_amount(run->t, weir_ticks(ticks), true, text);
}

static void add_frame(const struct run *run, int64_t iteration)
{
    int64_t begin, end;
    char text[WEIR_AMOUNT_TEXT];
    if (measure(run, iteration, &begin, &end))
        add_ruler(run, WEIR_RULER_LATENCY, begin, end,
                  weir_timeline_text(run->t, "frame %lld: %s", (long long)iteration, amount(run, end - begin, text)));
}

enum growth { SOME, LATER, EACH }; /* no frame takes longer than those before; the last one does; each does */

/* Some of them, from the first to the last that is over. */
static enum growth add_growth(const struct run *run)
{
    int64_t last = ITERATIONS - 1, begin = 0, end = 0, before = -1, longest = -1;
    bool each = true;
    while (last > 0 && !measure(run, last, &begin, &end))
        last--;
    for (int64_t i = 0; i < last; i++) {
        each &= measure(run, i, &begin, &end) && end - begin > before;
        before = end - begin;
        longest = before > longest ? before : longest;
    }
    bool later = last > 0 && measure(run, last, &begin, &end) && end - begin > longest;
    if (!later)
        return SOME; /* this run does not show it: lengths would say the contrary */
    for (int64_t i = 0; i < TOLD; i++)
        if (i == 0 || last * i / (TOLD - 1) > last * (i - 1) / (TOLD - 1))
            add_frame(run, last * i / (TOLD - 1));
    return each ? EACH : LATER;
}

/* What is proved, and what is asked for, from that moment on: it is where pictures count from. What was seen is over at `over`. */
static void add_limits(const struct run *run, int64_t begin, int64_t over)
{
    const struct weir_ratio high = run->bound->worst.high;
    char text[WEIR_AMOUNT_TEXT];
    int64_t end;
    run->t->origin = begin;
    if (high.denominator > 0 && weir_add(begin, weir_ratio_ceiling(high), &end))
        add_ruler(run, WEIR_RULER_BOUND, begin, end,
                  weir_timeline_text(run->t, "never more than %s", amount(run, end - begin, text)));
    if (run->bound->has_deadline && weir_add(begin, run->bound->deadline, &end))
        add_ruler(run, WEIR_RULER_DEADLINE, begin, end, weir_timeline_deadline(run->t, run->bound));
    if (run->bound->has_deadline && over - begin > run->bound->deadline && run->t->ruler_count)
        run->t->rulers[run->t->ruler_count - 1].over = weir_ticks(over);
}

/* The longest of the run, against what is proved. */
static void add_longest(const struct run *run)
{
    int64_t longest = -1, at = 0, begin, end;
    for (int64_t i = 0; i < ITERATIONS; i++)
        if (measure(run, i, &begin, &end) && end - begin > longest) {
            longest = end - begin;
            at = i;
        }
    if (longest < 0 || !measure(run, at, &begin, &end))
        return;
    add_frame(run, at);
    add_limits(run, begin, end);
    struct weir_timeline *t = run->t;
    if (t->leg_count && t->legs[0].from.numerator == begin && t->legs[t->leg_count - 1].to.numerator == end)
        weir_timeline_sum_legs(t);
    else
        t->leg_count = 0;
}

/* Where data is lost or read again: how old it gets before the chain ends. */
static void add_oldest(const struct run *run)
{
    struct weir_timeline *t = run->t;
    char text[WEIR_AMOUNT_TEXT];
    if (!t->leg_count)
        return;
    int64_t begin = t->legs[0].from.numerator, end = t->legs[t->leg_count - 1].to.numerator;
    const struct weir_ratio high = run->bound->worst.high;
    if (high.denominator > 0 && weir_ratio_compare(weir_ticks(end - begin), high) > 0) { /* the bound counts other data */
        t->leg_count = 0;
        return;
    }
    add_ruler(run, WEIR_RULER_LATENCY, begin, end, weir_timeline_text(t, "the oldest data: %s", amount(run, end - begin, text)));
    add_limits(run, begin, end);
    weir_timeline_sum_legs(t);
}

/* Inputs that wait. */
static void find_source(struct run *run)
{
    const struct weir_pipeline *p = run->pipeline;
    bool shared = p->platform == WEIR_PLATFORM_PROCESSORS;
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.op.index != run->bound->chain.from.index || (!shared && source.arrivals != WEIR_ARRIVALS_EXACT))
            continue;
        run->period = source.period;
        run->first = !shared ? -1 : source.has_phase ? source.phase : 0;
        return;
    }
}

static bool has_cuts(const struct weir_pipeline *p)
{
    bool cut = false;
    for (size_t i = 0; i < p->queue_count; i++)
        cut |= weir_queue_is_cut(&p->queues[i]);
    return cut;
}

/* Whether the number of an execution tells what it executes. */
static bool is_numbered(const struct weir_pipeline *p)
{
    bool numbered = p->firings == NULL;
    for (size_t i = 0; i < p->queue_count; i++)
        numbered &= p->queues[i].consume <= 1;
    return numbered;
}

/* Of operators with threads, or on processors; in turn for the period of the graph's source where another one begins the chain. */
static enum weir_status play(const struct run *run, bool cuts, struct weir_timeline **timeline, struct weir_error *error)
{
    const struct weir_pipeline *p = run->pipeline;
    struct weir_simulation_options options = {.iterations = ITERATIONS, .times = WEIR_TIMES_WORST, .seed = 1};
    if (p->platform != WEIR_PLATFORM_PROCESSORS)
        return weir_timeline_simulate(p, &options, &(struct weir_timeline_followed){&run->bound->chain, cuts, run->period},
                                      timeline, error);
    const struct weir_taskset *set = p->taskset;
    return weir_timeline_run_processors(p, set->graphs[set->tasks[run->bound->chain.to.index].graph].period, timeline, error);
}

/* What there is to say of the run. */
static const char *describe(const struct weir_bound *bound, enum growth growth, bool reached)
{
    switch (bound->worst.claim) {
    case WEIR_CLAIM_UNBOUNDED:
        return growth == EACH    ? "A colour is an iteration. Messages pile up: each is later than the one before it."
               : growth == LATER ? "A colour is an iteration. Messages pile up: later ones take longer."
                                 : "A colour is an iteration. One run at worst times: others can be worse.";
    case WEIR_CLAIM_UNKNOWN:
        return "A colour is an iteration. One run: nothing is proved about others.";
    default:
        return reached ? "A colour is an iteration. One run, which takes as long as any can."
                       : "A colour is an iteration. One run: what is proved holds for every run.";
    }
}

/* Whether a latency of the run is all that is proved. */
static bool is_reached(const struct weir_timeline *t, const struct weir_bound *bound)
{
    for (size_t i = 0; i < t->ruler_count; i++) {
        const struct weir_timeline_ruler *r = &t->rulers[i];
        if (r->kind == WEIR_RULER_LATENCY && bound->worst.high.denominator > 0 &&
            weir_ratio_compare(weir_ticks(r->to.numerator - r->from.numerator), bound->worst.high) == 0)
            return true;
    }
    return false;
}

enum weir_status weir_timeline_of_example(const struct weir_answer *answer, size_t index, struct weir_timeline **timeline,
                                          struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    const struct weir_bound *bound = &answer->bounds[index];
    struct run run = {.pipeline = p, .bound = bound, .first = -1};
    bool bounded = bound->worst.claim != WEIR_CLAIM_UNBOUNDED && bound->worst.claim != WEIR_CLAIM_UNKNOWN;
    bool cuts = has_cuts(p) && p->platform != WEIR_PLATFORM_PROCESSORS;
    enum growth growth = SOME;
    find_source(&run);
    enum weir_status status = play(&run, cuts, timeline, error);
    if (status)
        return status;
    struct weir_timeline *t = run.t = *timeline;
    const char *from = weir_pipeline_operator(p, bound->chain.from).name, *to = weir_pipeline_operator(p, bound->chain.to).name;
    run.from = lane_of(&run, bound->chain.from);
    run.to = lane_of(&run, bound->chain.to);
    t->title = t->summary = weir_timeline_text(t, "%s \342\206\222 %s: %sa run at worst times", from, to,
                                               bounded                                      ? ""
                                               : bound->worst.claim == WEIR_CLAIM_UNBOUNDED ? "no bound, "
                                                                                            : "no bound was found, ");
    t->account = !bounded && bound->why ? bound->why : NULL;
    bool known = run.period || p->platform != WEIR_PLATFORM_PROCESSORS; /* the beginning of the latency */
    bool numbered = run.from && run.to && is_numbered(p) && known;
    t->leg_count = cuts || (numbered && bounded) ? t->leg_count : 0;
    if (cuts)
        add_oldest(&run);
    else if (numbered && bound->worst.claim == WEIR_CLAIM_UNBOUNDED)
        growth = add_growth(&run);
    else if (numbered)
        add_longest(&run);
    t->subtitle = describe(bound, growth, is_reached(t, bound));
    return weir_timeline_end(t, WEIR_OK, timeline, error);
}
