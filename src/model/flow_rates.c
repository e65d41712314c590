/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Periods and repetitions. The period of a source is that of its samples times its batch; that of any other node is the period of
 * each node it reads from, times consume / produce. All nodes of a part are where they were after the least common multiple of
 * their periods.
 */
#include "model/flow_rates.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

bool weir_rate_scale(struct weir_ratio ratio, int64_t up, int64_t down, struct weir_ratio *result)
{
    int64_t d = weir_greatest_divisor(up, down);
    up /= d, down /= d;
    d = weir_greatest_divisor(ratio.numerator, down);
    ratio.numerator /= d, down /= d;
    d = weir_greatest_divisor(up, ratio.denominator);
    ratio.denominator /= d, up /= d;
    return weir_multiply(ratio.numerator, up, &result->numerator) && weir_multiply(ratio.denominator, down, &result->denominator) &&
           result->numerator < WEIR_TIME_MAX && result->denominator < WEIR_TIME_MAX;
}

static bool source_period(const struct weir_source_spec *s, struct weir_ratio *period)
{
    int64_t count = s->count ? s->count : 1, batch = s->batch ? s->batch : 1;
    return weir_rate_scale((struct weir_ratio){s->period, 1}, batch, count, period);
}

static enum weir_status fail_range(const struct weir_pipeline *p, uint32_t v, const char *file, struct weir_errors *errors)
{
    char quoted[WEIR_QUOTED];
    return weir_errors_add(errors, WEIR_OVERFLOW, file, p->operators[v].place,
                           "the period of operator \"%s\" cannot be represented: rates or units are too far apart",
                           weir_quote(p->operators[v].name, quoted));
}

static enum weir_status find_period(const struct weir_pipeline *p, struct weir_flow *f, uint32_t v, const char *file,
                                    struct weir_errors *errors)
{
    struct weir_flow_node *node = &f->nodes[v];
    if (node->source != WEIR_NO_SOURCE)
        return source_period(&p->sources[node->source], &node->period) ? WEIR_OK : fail_range(p, v, file, errors);
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        struct weir_ratio period;
        if (!weir_rate_scale(f->nodes[e->from].period, e->consume, e->produce, &period))
            return fail_range(p, v, file, errors);
        if (i == f->first_input[v])
            node->period = period;
        else if (weir_ratio_compare(node->period, period) != 0) {
            char from[WEIR_QUOTED], to[WEIR_QUOTED];
            return weir_errors_add(errors, WEIR_INVALID, file, p->queues[f->inputs[i]].place,
                                   "rates do not agree: \"%s\" would execute more or less often for the input from \"%s\" than for "
                                   "its other inputs",
                                   weir_quote(p->operators[v].name, to), weir_quote(p->operators[e->from].name, from));
        }
    }
    return WEIR_OK;
}

static enum weir_status fail_round(const struct weir_pipeline *p, uint32_t v, const char *file, struct weir_errors *errors)
{
    char quoted[WEIR_QUOTED];
    return weir_errors_add(errors, WEIR_OVERFLOW, file, p->operators[v].place,
                           "with operator \"%s\", the time until the graph is back in its initial state cannot be represented: "
                           "rates have too few common factors",
                           weir_quote(p->operators[v].name, quoted));
}

/* The root of v's part, while parts are still being joined. */
static uint32_t root_of(struct weir_flow *f, uint32_t v)
{
    while (f->nodes[v].part != v) {
        f->nodes[v].part = f->nodes[f->nodes[v].part].part;
        v = f->nodes[v].part;
    }
    return v;
}

static void find_parts(struct weir_flow *f, uint32_t *number)
{
    for (uint32_t v = 0; v < f->node_count; v++)
        f->nodes[v].part = v;
    for (uint32_t i = 0; i < f->edge_count; i++) {
        uint32_t a = root_of(f, f->edges[i].from), b = root_of(f, f->edges[i].to);
        f->nodes[a > b ? a : b].part = a > b ? b : a;
    }
    for (uint32_t v = 0; v < f->node_count; v++) /* a root comes before the rest of its part */
        number[v] = root_of(f, v) == v ? f->part_count++ : number[root_of(f, v)];
    for (uint32_t v = 0; v < f->node_count; v++)
        f->nodes[v].part = number[v];
}

/* The least common multiple of a / b and c / d in lowest terms is lcm(a, c) / gcd(b, d). */
static enum weir_status find_repetitions(const struct weir_pipeline *p, struct weir_flow *f, struct weir_ratio *all,
                                         const char *file, struct weir_errors *errors)
{
    for (uint32_t g = 0; g < f->part_count; g++)
        all[g] = (struct weir_ratio){0, 0};
    for (uint32_t v = 0; v < f->node_count; v++) {
        struct weir_ratio *h = &all[f->nodes[v].part], period = f->nodes[v].period;
        if (h->denominator == 0)
            *h = period;
        else if (!weir_multiply(h->numerator / weir_greatest_divisor(h->numerator, period.numerator), period.numerator,
                                &h->numerator))
            return fail_round(p, v, file, errors);
        h->denominator = weir_greatest_divisor(h->denominator, period.denominator);
    }
    for (uint32_t v = 0; v < f->node_count; v++) {
        const struct weir_ratio *h = &all[f->nodes[v].part], *period = &f->nodes[v].period;
        if (!weir_multiply(h->numerator / period->numerator, period->denominator / h->denominator, &f->nodes[v].repetitions))
            return fail_round(p, v, file, errors);
    }
    return WEIR_OK;
}

enum weir_status weir_flow_rates(const struct weir_pipeline *p, struct weir_flow *f, const char *file, struct weir_errors *errors)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t k = 0; k < f->node_count && !status; k++)
        status = find_period(p, f, f->order[k], file, errors);
    if (status)
        return status;
    uint32_t *number = weir_array(f->node_count, sizeof *number);
    struct weir_ratio *all = weir_array(f->node_count, sizeof *all);
    if (number && all) {
        find_parts(f, number);
        status = find_repetitions(p, f, all, file, errors);
    } else {
        status = WEIR_MEMORY;
    }
    weir_free(number);
    weir_free(all);
    return status;
}
