/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical scaling factor. A latency never falls as worst cases grow, so the factors that keep every deadline are those up to
 * some greatest one. From a factor at which a deadline is missed the search goes down: a path that makes the latency too long is,
 * at other factors, still at least as long as its lowest line, so every factor above the one where that line meets the deadline
 * misses it. If the deadline is kept there, that is the answer, exactly; else it goes on from there. Where a backlog builds up for
 * ever so slowly there is no such line; the answer is then closed in by halving, with the shortest fraction there as a guess, since
 * it is where two rates meet. A factor p/q is tried by multiplying the worst cases by p and everything else by q, so that all
 * numbers stay whole.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "explore/margins/margin.h"

enum { FACTOR_MAX = 1 << 20, HALVINGS = 40, GUESS_AFTER = 14 };

struct scale {
    const struct weir_pipeline *pipeline;
    const struct weir_margins_options *options;
    struct weir_scaling *answer;
    struct weir_slack_lines lines;
    int64_t *rise;           /* by actor: worst times that grow */
    struct weir_ratio least; /* the factor below which a worst case has no room for what must stay */
    struct weir_error *error;
};

/* At one factor. */
struct point {
    struct weir_ratio factor;
    enum weir_deadline_state state;
    struct weir_breach breach;
    struct weir_ratio next; /* broken: every factor above this is, too; denominator 0: not known */
    bool hopeless;          /* ... and so is every factor */
};

/* ---- the pipeline at a factor ---- */

static bool grow(int64_t *time, int64_t by)
{
    return weir_multiply(*time, by, time) && *time < WEIR_TIME_MAX;
}

static enum weir_status stretch_operator(struct weir_pipeline *copy, uint32_t index, struct weir_ratio factor,
                                         struct weir_error *error)
{
    struct weir_operator_spec spec = copy->operators[index];
    int64_t p = factor.numerator, q = factor.denominator;
    bool fits = grow(&spec.worst, p) && grow(&spec.best, q) && grow(&spec.receive_min, q) && grow(&spec.receive_max, q);
    struct weir_launch launch;
    if (spec.launch) {
        launch = *spec.launch;
        fits =
            fits && grow(&launch.worst, p) && grow(&launch.best, q) && grow(&launch.after_worst, p) && grow(&launch.after_best, q);
        spec.launch = &launch;
    }
    if (!fits)
        return WEIR_OVERFLOW;
    spec.observed = NULL;
    return weir_pipeline_change_operator(copy, (struct weir_operator){index}, &spec, error);
}

/* Sealed, or NULL with WEIR_OVERFLOW where its times cannot be counted. */
static enum weir_status stretch(const struct scale *s, struct weir_ratio factor, struct weir_pipeline **stretched)
{
    struct weir_pipeline *copy = weir_pipeline_copy(s->pipeline, s->error);
    *stretched = NULL;
    if (!copy)
        return WEIR_MEMORY;
    int64_t q = factor.denominator;
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < copy->operator_count && !status; i++)
        status = stretch_operator(copy, i, factor, s->error);
    for (size_t i = 0; i < copy->queue_count && !status; i++)
        if (!grow(&copy->queues[i].transfer_min, q) || !grow(&copy->queues[i].transfer_max, q))
            status = WEIR_OVERFLOW;
    for (size_t i = 0; i < copy->source_count && !status; i++)
        if (!grow(&copy->sources[i].period, q) || !grow(&copy->sources[i].jitter, q) || !grow(&copy->sources[i].phase, q) ||
            !grow(&copy->sources[i].phase_max, q))
            status = WEIR_OVERFLOW;
    if (!status)
        status = weir_pipeline_seal_alone(copy, s->error);
    if (status) {
        weir_pipeline_free(copy);
        return status;
    }
    *stretched = copy;
    return WEIR_OK;
}

/* ---- trying a factor ---- */

/* A ratio of wide numbers, in lowest terms; denominator 0 when it does not fit. */
static struct weir_ratio reduce(weir_wide numerator, weir_wide denominator)
{
    struct weir_ratio ratio = {0, 0};
    if (numerator || denominator)
        weir_ratio_make(numerator, denominator, WEIR_TIME_MAX, &ratio);
    return ratio;
}

/* Where the lowest line meets the deadline: with line = value + slope * (x - p/q) * q, at (p * slope - (value - deadline)) / (q *
 * slope), all in q-ths of a tick. */
static void descend(struct scale *s, struct point *at, int64_t deadline)
{
    int64_t p = at->factor.numerator, q = at->factor.denominator;
    bool any = false;
    at->hopeless = s->lines.count > 0;
    at->next = (struct weir_ratio){0, 0};
    for (size_t i = 0; i < s->lines.count; i++) {
        const struct weir_slack_line *line = &s->lines.items[i];
        weir_wide above = (weir_wide)line->value - (weir_wide)deadline * q;
        if (line->slope == 0)
            continue;
        weir_wide numerator = (weir_wide)p * line->slope - above;
        if (numerator < 0)
            continue; /* below 0: no factor is */
        struct weir_ratio root = reduce(numerator, (weir_wide)q * line->slope);
        at->hopeless = false;
        if (root.denominator == 0) {
            at->next = root;
            return;
        }
        if (!any || weir_ratio_compare(root, at->next) > 0)
            at->next = root;
        any = true;
    }
}

/* Too long to be counted is not known. */
static enum weir_status try_factor(struct scale *s, struct weir_ratio factor, struct point *at)
{
    struct weir_pipeline *stretched;
    *at = (struct point){.factor = factor, .state = WEIR_DEADLINE_NOT_DECIDED};
    enum weir_status status = stretch(s, factor, &stretched);
    if (status == WEIR_OVERFLOW)
        return WEIR_OK;
    if (status)
        return status;
    struct weir_evaluator *e = weir_evaluator_new(stretched, s->error);
    if (!e) {
        weir_pipeline_free(stretched);
        return s->error && s->error->status ? s->error->status : WEIR_MEMORY;
    }
    weir_evaluator_limit(e, s->options->work_limit ? s->options->work_limit : WEIR_MARGIN_WORK);
    status = weir_deadlines_check(e, factor.denominator, &at->state, &at->breach, &s->answer->searches, s->error);
    if (!status && at->state == WEIR_DEADLINE_MISSED && at->breach.latency.outcome == WEIR_EXACT) {
        struct weir_slack_lines_step step = {.rise = s->rise, .clock = WEIR_NO_ACTOR};
        status = weir_evaluator_lines(e, at->breach.chain, at->breach.latency.value, &step, &s->lines, s->error);
        if (!status)
            descend(s, at, s->pipeline->chains[at->breach.chain].deadline);
    }
    weir_evaluator_free(e);
    weir_pipeline_free(stretched);
    return status;
}

/* ---- the search ---- */

static void lift_least(struct weir_ratio *least, int64_t inside, int64_t worst)
{
    struct weir_ratio ratio = {inside, worst};
    if (worst > 0 && weir_ratio_compare(ratio, *least) > 0)
        *least = weir_ratio_reduce(ratio);
}

static bool prepare(struct scale *s)
{
    const struct weir_graph *g = s->pipeline->graph;
    s->rise = weir_array(g->actor_count, sizeof *s->rise);
    if (!s->rise)
        return false;
    for (uint32_t a = 0; a < g->actor_count; a++) {
        uint32_t part = g->actors[a].part;
        s->rise[a] = part == WEIR_PART_EXECUTION || part == WEIR_PART_GPU || part == WEIR_PART_AFTER ? g->hi[a] : 0;
    }
    s->least = (struct weir_ratio){0, 1};
    for (size_t i = 0; i < s->pipeline->operator_count; i++) {
        const struct weir_operator_spec *o = &s->pipeline->operators[i];
        lift_least(&s->least, o->best > o->receive_max ? o->best : o->receive_max, o->worst);
        if (o->launch) {
            lift_least(&s->least, o->launch->best, o->launch->worst);
            lift_least(&s->least, o->launch->after_best, o->launch->after_worst);
        }
    }
    return true;
}

/* From 1 upwards until a deadline is missed; *at is the first factor where one is, or is not known to be kept. */
static enum weir_status climb(struct scale *s, struct point *at)
{
    enum weir_status status = WEIR_OK;
    for (int64_t factor = 1; factor <= FACTOR_MAX && !status; factor *= 2) {
        status = try_factor(s, (struct weir_ratio){factor, 1}, at);
        if (weir_margins_stopped(s->options)) {
            at->state = WEIR_DEADLINE_NOT_DECIDED; /* it may have been left halfway */
            return WEIR_OK;
        }
        if (status || at->state != WEIR_DEADLINE_MET)
            break;
        s->answer->lower = at->factor;
    }
    return status;
}

/* Half way between what is kept and what is not, where no line leads further. */
static struct weir_ratio middle(struct weir_ratio low, struct weir_ratio high)
{
    return reduce((weir_wide)low.numerator * high.denominator + (weir_wide)high.numerator * low.denominator,
                  (weir_wide)2 * low.denominator * high.denominator);
}

/* The fraction with the least denominator from low to high, low < high: where two rates meet it is mostly a short one. */
static struct weir_ratio simplest(struct weir_ratio low, struct weir_ratio high)
{
    int64_t a = low.numerator, b = low.denominator, c = high.numerator, d = high.denominator;
    int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0; /* convergents of what the two have in common */
    for (;;) {
        int64_t whole = a / b;
        bool last = a % b == 0 || whole < c / d;
        int64_t term = a % b == 0 ? whole : last ? whole + 1 : whole, p, q;
        if (!weir_multiply(term, p1, &p) || !weir_add(p, p0, &p) || !weir_multiply(term, q1, &q) || !weir_add(q, q0, &q))
            return (struct weir_ratio){0, 0};
        if (last)
            return (struct weir_ratio){p, q};
        p0 = p1, q0 = q1, p1 = p, q1 = q;
        /* 1 / (high - whole) .. 1 / (low - whole): the order turns round */
        int64_t rest = a - whole * b, other = c - whole * d;
        if (other == 0)
            return high;
        a = d, c = b, d = rest, b = other;
    }
}

/* Goes down from a point where a deadline is missed or nothing is known. */
static enum weir_status go_down(struct scale *s, struct point *at)
{
    struct weir_scaling *a = s->answer;
    int halvings = 0;
    bool proved = false;                    /* every factor above at->factor misses a deadline */
    struct weir_ratio ceiling = at->factor; /* the least that is not known to be kept */
    for (uint64_t tries = 0; tries < WEIR_MARGIN_TRIES && !weir_margins_stopped(s->options); tries++) {
        struct weir_ratio next = {0, 0};
        if (at->state == WEIR_DEADLINE_MET) {
            a->lower = at->factor;
            if (proved) {
                a->outcome = WEIR_MARGIN_EXACT;
                a->factor = at->factor;
                return WEIR_OK;
            }
        } else if (at->state == WEIR_DEADLINE_MISSED) {
            a->upper = ceiling = at->factor;
            a->chain = at->breach.chain;
            next = at->next;
            if (at->hopeless || (next.denominator && weir_ratio_compare(next, s->least) < 0)) {
                a->outcome = WEIR_MARGIN_NONE;
                return WEIR_OK;
            }
        } else {
            ceiling = at->factor;
        }
        proved = next.denominator != 0;
        if (!proved) {
            struct weir_ratio low = weir_ratio_compare(a->lower, s->least) > 0 ? a->lower : s->least;
            next = halvings == GUESS_AFTER ? simplest(low, ceiling) : middle(low, ceiling);
            if (halvings++ == HALVINGS || next.denominator == 0)
                break;
        }
        enum weir_status status = try_factor(s, next, at);
        if (weir_margins_stopped(s->options))
            break; /* it may have been left halfway */
        if (status)
            return status;
    }
    a->outcome = WEIR_MARGIN_BRACKET;
    return WEIR_OK;
}

enum weir_status weir_scaling_find(const struct weir_pipeline *pipeline, const struct weir_margins_options *options,
                                   struct weir_scaling *scaling, struct weir_error *error)
{
    static const struct weir_margins_options defaults;
    struct weir_error own = {0};
    struct scale s = {
        .pipeline = pipeline, .options = options ? options : &defaults, .answer = scaling, .error = error ? error : &own};
    *scaling = (struct weir_scaling){.lower = {0, 1}, .upper = {0, 0}};
    struct weir_evaluator *fit = weir_evaluator_new(pipeline, s.error); /* says what it cannot do */
    if (!fit)
        return s.error->status;
    weir_evaluator_free(fit);
    if (!weir_deadlines_given(pipeline))
        return weir_fail(error, WEIR_INVALID, "no latency has a deadline, so nothing limits the factor");
    struct point at = {.state = WEIR_DEADLINE_NOT_DECIDED};
    const bool *before = weir_interrupt_watch(s.options->stop);
    enum weir_status status = prepare(&s) ? climb(&s, &at) : weir_fail_memory(error);
    if (!status && at.state == WEIR_DEADLINE_MET)
        scaling->outcome = WEIR_MARGIN_NO_END;
    else if (!status)
        status = go_down(&s, &at);
    weir_interrupt_watch(before);
    weir_slack_lines_free(&s.lines);
    weir_free(s.rise);
    return status;
}
