/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often an operator executes in one round: the least numbers for which what is sent into a queue is what is taken out of it.
 * Found by walking over queues in either direction, one part of the graph after the other; where a message may be lost or may not
 * be waited for, there is no such equation, and two parts.
 */
#include "base/error.h"
#include "measure/run/run.h"

struct walk {
    struct weir_run *run;
    struct weir_ratio *rate; /* by operator, relative to the first of its part; denominator 0: not known yet */
    uint32_t *part;          /* in the order in which they were found */
    uint32_t found;
};

/* False: too large to be counted. */
static bool step(struct walk *w, const struct weir_channel *c, uint32_t at)
{
    uint32_t other = c->from == at ? c->to : c->from;
    uint64_t up = c->from == at ? c->produce : c->consume, down = c->from == at ? c->consume : c->produce;
    if (c->irregular || w->rate[other].denominator)
        return true;
    w->part[w->found++] = other;
    return weir_ratio_make((weir_wide)w->rate[at].numerator * (weir_wide)up, (weir_wide)w->rate[at].denominator * (weir_wide)down,
                           WEIR_TIME_MAX, &w->rate[other]);
}

static bool walk_part(struct walk *w, uint32_t first)
{
    w->found = 0;
    w->part[w->found++] = first;
    w->rate[first] = (struct weir_ratio){1, 1};
    for (uint32_t i = 0; i < w->found; i++) {
        const struct weir_operator_thread *s = &w->run->threads[w->part[i]];
        for (uint32_t k = 0; k < s->output_count; k++)
            if (!step(w, s->outputs[k], s->index))
                return false;
        for (uint32_t k = 0; k < s->input_count; k++)
            if (!step(w, s->inputs[k], s->index))
                return false;
    }
    int64_t common = 1, divisor = 0;
    for (uint32_t i = 0; i < w->found; i++) {
        int64_t below = w->rate[w->part[i]].denominator;
        if (!weir_multiply(common / weir_greatest_divisor(common, below), below, &common) || common >= WEIR_TIME_MAX)
            return false;
    }
    for (uint32_t i = 0; i < w->found; i++) {
        const struct weir_ratio *rate = &w->rate[w->part[i]];
        int64_t times;
        assert(rate->denominator > 0);
        if (!weir_multiply(rate->numerator, common / rate->denominator, &times))
            return false;
        w->run->threads[w->part[i]].repetitions = times;
        divisor = weir_greatest_divisor(divisor, times);
    }
    for (uint32_t i = 0; i < w->found; i++)
        w->run->threads[w->part[i]].repetitions /= divisor;
    return true;
}

enum weir_status weir_run_count(struct weir_run *run, struct weir_error *error)
{
    struct walk w = {.run = run,
                     .rate = weir_array_zeroed(run->thread_count, sizeof *w.rate),
                     .part = weir_array(run->thread_count, sizeof *w.part)};
    bool fits = true;
    if (!w.rate || !w.part) {
        weir_free(w.rate);
        weir_free(w.part);
        return weir_fail_memory(error);
    }
    for (uint32_t i = 0; i < run->thread_count && fits; i++)
        if (!w.rate[i].denominator)
            fits = walk_part(&w, i);
    for (uint32_t i = 0; i < run->thread_count && fits; i++) {
        struct weir_operator_thread *s = &run->threads[i];
        s->target = INT64_MAX;
        if (run->options.iterations > 0)
            fits = weir_multiply(s->repetitions, run->options.iterations, &s->target);
    }
    weir_free(w.rate);
    weir_free(w.part);
    return fits ? WEIR_OK : weir_fail(error, WEIR_OVERFLOW, "a round has more executions than can be represented");
}
