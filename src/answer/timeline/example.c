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
};

static const struct weir_timeline_lane *lane_of(const struct run *run, struct weir_operator op)
{
    const char *name = weir_pipeline_operator(run->pipeline, op).name;
    for (size_t i = 0; i < run->t->lane_count; i++)
        if (strcmp(run->t->lanes[i].name, name) == 0)
            return &run->t->lanes[i];
    return NULL;
}

static const struct weir_timeline_span *execution_of(const struct run *run, const struct weir_timeline_lane *lane,
                                                     int64_t iteration)
{
    for (size_t i = 0; i < lane->span_count; i++) {
        const struct weir_timeline_span *span = &run->t->spans[lane->first_span + i];
        if (span->kind <= WEIR_SPAN_EXCESS && span->iteration == iteration)
            return span;
    }
    return NULL;
}

/* From where to where the message of an iteration counts; false: it is not over in this run. */
static bool measure(const struct run *run, int64_t iteration, int64_t *begin, int64_t *end)
{
    const struct weir_timeline_span *first = execution_of(run, run->from, run->period ? 0 : iteration),
                                    *last = execution_of(run, run->to, iteration + run->bound->chain.shift);
    if (!first || !last || last->open)
        return false;
    *begin = first->from.numerator + run->period * iteration;
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

/* Each later than the one before. */
static void add_growth(const struct run *run)
{
    int64_t last = ITERATIONS - 1, begin, end;
    while (last > 0 && !measure(run, last, &begin, &end))
        last--;
    for (int64_t i = 0; i < TOLD; i++)
        if (i == 0 || last * i / (TOLD - 1) > last * (i - 1) / (TOLD - 1))
            add_frame(run, last * i / (TOLD - 1));
}

/* What is proved, and what is asked for, from that moment on: it is where pictures count from. */
static void add_limits(const struct run *run, int64_t begin)
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
    add_limits(run, begin);
}

/* "44 ms = 32 running + 12 growing old between fuse and plan". */
static void add_account(const struct run *run, int64_t all)
{
    struct weir_timeline *t = run->t;
    char text[WEIR_AMOUNT_TEXT];
    int64_t running = all;
    const char *waits = "";
    for (size_t i = 0; i < t->leg_count; i++) {
        const struct weir_timeline_leg *leg = &t->legs[i];
        int64_t takes = leg->to.numerator - leg->from.numerator;
        if (leg->kind == WEIR_LEG_RUNNING)
            continue;
        running -= takes;
        waits = weir_timeline_text(t, "%s + %s %s", waits, weir_timeline_number(t, weir_ticks(takes), true, text), leg->text);
    }
    const char *sum = weir_timeline_text(t, "%s = ", amount(run, all, text));
    t->account = weir_timeline_text(t, "%s%s running%s", sum, weir_timeline_number(t, weir_ticks(running), true, text), waits);
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
    add_limits(run, begin);
    add_account(run, end - begin);
}

static int64_t period_of(const struct weir_pipeline *p, struct weir_operator op)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.op.index == op.index && source.arrivals == WEIR_ARRIVALS_EXACT)
            return source.period;
    }
    return 0;
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

enum weir_status weir_timeline_of_example(const struct weir_answer *answer, size_t index, struct weir_timeline **timeline,
                                          struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    const struct weir_bound *bound = &answer->bounds[index];
    struct weir_simulation_options options = {.iterations = ITERATIONS, .times = WEIR_TIMES_WORST, .seed = 1};
    bool unbounded = bound->worst.claim == WEIR_CLAIM_UNBOUNDED;
    bool cuts = has_cuts(p);
    enum weir_status status = weir_timeline_simulate(p, &options, cuts ? &bound->chain : NULL, timeline, error);
    if (status)
        return status;
    struct weir_timeline *t = *timeline;
    struct run run = {.t = t, .pipeline = p, .bound = bound, .period = period_of(p, bound->chain.from)};
    const char *from = weir_pipeline_operator(p, bound->chain.from).name, *to = weir_pipeline_operator(p, bound->chain.to).name;
    run.from = lane_of(&run, bound->chain.from);
    run.to = lane_of(&run, bound->chain.to);
    t->title = t->summary = weir_timeline_text(
        t, unbounded ? "%s \342\206\222 %s: no bound, a run at worst times" : "%s \342\206\222 %s: a run at worst times", from, to);
    t->subtitle = unbounded ? "A colour is an iteration. Messages pile up: each is later than the one before it."
                            : "A colour is an iteration. One run, not the worst case: what is proved holds for every run.";
    t->account = unbounded && bound->why ? bound->why : NULL;
    bool numbered = run.from && run.to && is_numbered(p);
    if (cuts)
        add_oldest(&run);
    else if (numbered && unbounded)
        add_growth(&run);
    else if (numbered)
        add_longest(&run);
    return weir_timeline_end(t, WEIR_OK, timeline, error);
}
