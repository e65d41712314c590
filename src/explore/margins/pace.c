/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shortest period. More time between inputs need not shorten a latency (it delays what another source waits for), so periods
 * are gone through from the shortest on, and none is excluded without proof. When a deadline is missed, look at a path that
 * reaches the latency: with a period longer by x each slack on it rises by x for every period on the rest of the path, and falls by
 * at most x for every iteration between its node and the reference, because no way has more periods than tokens. So all periods
 * miss the deadline until the first slack can have come down to it. If none can, no longer period will do.
 *
 * A latency without bound has no such path. But where it begins at the source itself, a longer period never makes it unbounded: the
 * period is a rate of the reference, so it only takes away (docs/concepts/exactness.md, "unbounded"). Then halving finds the first
 * period with a bound.
 */
#include "base/error.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "explore/margins/margin.h"

struct pace {
    struct weir_evaluator *evaluator;
    const struct weir_margins_options *options;
    struct weir_pacing *answer;
    struct weir_slack_lines lines;
    uint32_t source;
    int64_t most; /* the longest period that can be counted */
    struct weir_error *error;
};

static enum weir_status try_period(struct pace *p, int64_t period, enum weir_deadline_state *state, struct weir_breach *breach)
{
    enum weir_status status = weir_evaluator_set_period(p->evaluator, p->source, period, p->error);
    return status ? status : weir_deadlines_check(p->evaluator, 1, state, breach, &p->answer->searches, p->error);
}

/* How much longer the period must be at least; 0: no period will do. */
static int64_t first_chance(const struct pace *p, int64_t deadline)
{
    int64_t nearest = 0;
    for (size_t i = 0; i < p->lines.count; i++) {
        const struct weir_slack_line *line = &p->lines.items[i];
        int64_t falls = line->depth - line->periods, above = line->value - deadline;
        if (falls <= 0)
            continue;
        int64_t chance = above / falls + (above % falls != 0);
        nearest = nearest == 0 || chance < nearest ? chance : nearest;
    }
    return nearest;
}

/* Whether the pair has a bound at that period. */
static enum weir_status is_bounded(struct pace *p, uint32_t chain, int64_t period, bool *bounded)
{
    struct weir_separation latency;
    enum weir_status status = weir_evaluator_set_period(p->evaluator, p->source, period, p->error);
    if (!status)
        status = weir_evaluator_latency(p->evaluator, chain, &latency, p->error);
    p->answer->searches += !status;
    *bounded = !status && latency.outcome != WEIR_NO_BOUND;
    return status;
}

/* The first period from `period` on with a bound for the pair, which has none at `period`; 0: there is none. */
static enum weir_status first_bounded(struct pace *p, uint32_t chain, int64_t period, int64_t *first)
{
    int64_t low = period, high = period;
    bool bounded = false;
    enum weir_status status = WEIR_OK;
    while (!status && !bounded && high < p->most && !weir_margins_stopped(p->options)) {
        low = high;
        high = high > p->most / 2 ? p->most : high * 2;
        status = is_bounded(p, chain, high, &bounded);
    }
    *first = 0;
    if (status || !bounded)
        return status;
    while (!status && high - low > 1 && !weir_margins_stopped(p->options)) {
        int64_t half = low + (high - low) / 2;
        status = is_bounded(p, chain, half, &bounded);
        *(bounded ? &high : &low) = half;
    }
    *first = high;
    return status;
}

/* The next period that may keep the deadline which is missed at `period`: 0: none. */
static enum weir_status advance(struct pace *p, int64_t period, const struct weir_breach *breach, int64_t *next)
{
    const struct weir_pipeline *pipeline = p->evaluator->pipeline;
    const struct weir_chain_spec *chain = &pipeline->chains[breach->chain];
    uint32_t op = pipeline->sources[p->source].op.index;
    *next = period + 1;
    if (breach->latency.outcome == WEIR_NO_EVENTS) {
        *next = 0; /* a deadlock: no period helps */
        return WEIR_OK;
    }
    if (breach->latency.outcome == WEIR_NO_BOUND)
        return chain->from.index == op ? first_bounded(p, breach->chain, period, next) : WEIR_OK;
    if (breach->latency.outcome != WEIR_EXACT)
        return WEIR_OK;
    const struct weir_graph *g = p->evaluator->in_place ? &p->evaluator->graph : p->evaluator->copy->graph;
    struct weir_slack_lines_step step = {.clock = g->arrival_of[op] == WEIR_NO_ACTOR ? g->start_of[op] : g->arrival_of[op]};
    enum weir_status status = weir_evaluator_lines(p->evaluator, breach->chain, breach->latency.value, &step, &p->lines, p->error);
    if (status || p->lines.count == 0)
        return status;
    int64_t chance = first_chance(p, chain->deadline);
    *next = chance == 0 ? 0 : chance > p->most - period ? p->most + 1 : period + chance;
    return WEIR_OK;
}

/* Some longer period that keeps every deadline; -1: none was found. */
static enum weir_status find_upper(struct pace *p, int64_t period)
{
    p->answer->upper = -1;
    for (; period <= p->most && p->answer->upper < 0 && !weir_margins_stopped(p->options);
         period = period > p->most / 2 ? p->most + 1 : period * 2) {
        enum weir_deadline_state state;
        struct weir_breach breach;
        enum weir_status status = try_period(p, period, &state, &breach);
        if (status)
            return status;
        if (state == WEIR_DEADLINE_MET)
            p->answer->upper = period;
    }
    return WEIR_OK;
}

static enum weir_status go_through(struct pace *p)
{
    struct weir_pacing *a = p->answer;
    uint64_t tries = p->options->tries ? p->options->tries : WEIR_MARGIN_TRIES;
    int64_t period = 1;
    for (a->chain = UINT32_MAX; tries > 0 && !weir_margins_stopped(p->options); tries--) {
        enum weir_deadline_state state;
        struct weir_breach breach;
        enum weir_status status = try_period(p, period, &state, &breach);
        if (status)
            return status;
        a->lower = period;
        if (state == WEIR_DEADLINE_MET) {
            a->outcome = WEIR_MARGIN_EXACT;
            a->period = a->upper = period;
            return WEIR_OK;
        }
        if (state == WEIR_DEADLINE_NOT_DECIDED)
            break;
        a->chain = breach.chain;
        status = advance(p, period, &breach, &period);
        if (weir_margins_stopped(p->options))
            break; /* it may have been left halfway */
        if (status)
            return status;
        if (period == 0 || period > p->most) {
            a->outcome = WEIR_MARGIN_NONE;
            return WEIR_OK;
        }
        if (p->options->progress)
            p->options->progress(p->options->context, 500);
    }
    a->outcome = WEIR_MARGIN_BRACKET;
    return find_upper(p, period);
}

enum weir_status weir_pacing_find(const struct weir_pipeline *pipeline, uint32_t source, const struct weir_margins_options *options,
                                  struct weir_pacing *pacing, struct weir_error *error)
{
    static const struct weir_margins_options defaults;
    struct pace p = {.options = options ? options : &defaults, .answer = pacing, .source = source, .error = error};
    *pacing = (struct weir_pacing){.lower = 1, .upper = -1, .chain = UINT32_MAX};
    struct weir_error own = {0};
    p.error = error ? error : &own;
    p.evaluator = weir_evaluator_new(pipeline, p.error);
    if (!p.evaluator)
        return p.error->status;
    enum weir_status status = WEIR_OK;
    if (source >= pipeline->source_count)
        status = weir_fail(error, WEIR_INVALID, "the pipeline has no source number %u", source);
    else if (pipeline->sources[source].arrivals != WEIR_ARRIVALS_AT_MOST &&
             pipeline->sources[source].arrivals != WEIR_ARRIVALS_EXACT)
        status = weir_fail(error, WEIR_INVALID, "a period is found for sources that keep a distance, not for those that catch up");
    else if (!weir_deadlines_given(pipeline))
        status = weir_fail(error, WEIR_INVALID, "no latency has a deadline, so any period will do");
    if (!status) {
        weir_evaluator_limit(p.evaluator, p.options->work_limit ? p.options->work_limit : WEIR_MARGIN_WORK);
        p.most = WEIR_TIME_MAX - 1 - (p.evaluator->total - p.evaluator->period[source]);
        p.most = p.most > WEIR_TIME_MAX / 1024 ? WEIR_TIME_MAX / 1024 : p.most;
        const bool *before = weir_interrupt_watch(p.options->stop);
        status = go_through(&p);
        weir_interrupt_watch(before);
    }
    weir_slack_lines_free(&p.lines);
    weir_evaluator_free(p.evaluator);
    return status;
}
