/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/capacities.h"

#include "base/number.h"

#include <stdlib.h>

struct capacities *capacities_new(const struct weir_pipeline *p, struct weir_random *random, uint32_t queues, uint32_t most)
{
    struct capacities *t = calloc(1, sizeof *t);
    uint32_t count = weir_pipeline_queue_count(p);
    bool fits = t && count <= CAPACITIES_WIDE && weir_pipeline_chain_count(p) <= CAPACITIES_CHAINS;
    for (uint32_t o = 0; fits && o < weir_pipeline_operator_count(p); o++)
        fits = weir_pipeline_firings(p, (struct weir_operator){o}) <= 1;
    bool weighted = weir_random_between(random, 0, 2) == 0;
    size_t vectors = 1;
    for (uint32_t i = 0; fits && i < count; i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){i});
        t->weights[i] = weighted ? weir_random_between(random, 1, 9) : 1;
        if (queue.nonblocking || queue.latest || t->count == queues || vectors * most > CAPACITIES_VECTORS ||
            weir_random_between(random, 0, 4) == 0)
            continue;
        t->sized[i] = true;
        t->weight[t->count] = t->weights[i];
        t->queue[t->count++] = i;
        vectors *= most;
    }
    if (!fits || t->count == 0) {
        free(t);
        return NULL;
    }
    t->pipeline = p;
    t->most = most;
    return t;
}

/* ---- measuring ---- */

/* The period of the slowest output: what nobody takes messages of, or a latency ends at. */
static bool ask_period(const struct weir_pipeline *p, struct weir_ratio *slowest)
{
    *slowest = (struct weir_ratio){0, 1};
    for (uint32_t o = 0; o < weir_pipeline_operator_count(p); o++) {
        bool sink = true, measured = false;
        for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++)
            sink &= weir_pipeline_queue(p, (struct weir_queue){i}).from.index != o;
        for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++)
            measured |= weir_pipeline_chain(p, i).to.index == o;
        struct weir_ratio period;
        if (!sink && !measured)
            continue;
        if (weir_throughput(p, (struct weir_operator){o}, true, &period, NULL, NULL, NULL))
            return false;
        *slowest = weir_ratio_compare(period, *slowest) > 0 ? period : *slowest;
    }
    return true;
}

static bool ask(struct capacities *t, struct weir_solver *solver, const struct weir_pipeline *p, struct capacities_outcome *o)
{
    for (uint32_t i = 0; i < weir_pipeline_chain_count(t->pipeline); i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, i);
        struct weir_query query = {.from = {.op = chain.from},
                                   .to = {.op = chain.to, .moment = WEIR_FINISH},
                                   .shift = chain.shift,
                                   .work_limit = 20000000};
        for (uint32_t k = 0; k < weir_pipeline_source_count(p); k++) {
            struct weir_source_spec source = weir_pipeline_source(p, k);
            if (source.op.index == chain.from.index && source.arrivals == WEIR_ARRIVALS_EXACT)
                query.from.moment = WEIR_ARRIVAL;
        }
        struct weir_separation worst;
        if (weir_separation_worst(solver, &query, &worst, NULL))
            return false;
        t->doubtful |= worst.outcome == WEIR_BRACKET;
        o->latencies[i] = worst.outcome == WEIR_EXACT ? worst.value : worst.outcome == WEIR_NO_EVENTS ? 0 : INT64_MAX;
        o->latency = o->latencies[i] > o->latency ? o->latencies[i] : o->latency;
    }
    return ask_period(p, &o->period);
}

static bool measure(struct capacities *t, struct capacities_outcome *o)
{
    struct weir_pipeline *p = weir_pipeline_copy(t->pipeline, NULL);
    bool fine = p != NULL;
    for (uint32_t i = 0; i < t->count && fine; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(t->pipeline, (struct weir_queue){t->queue[i]});
        spec.capacity = o->capacity[i];
        o->cost += t->weight[i] * o->capacity[i];
        fine = weir_pipeline_change_queue(p, (struct weir_queue){t->queue[i]}, &spec, NULL) == WEIR_OK;
    }
    if (fine)
        o->stuck = weir_pipeline_seal(p, NULL, NULL) != WEIR_OK;
    struct weir_solver *solver = fine && !o->stuck ? weir_solver_new(p, NULL) : NULL;
    if (fine && !o->stuck)
        fine = solver && ask(t, solver, p, o);
    weir_solver_free(solver);
    weir_pipeline_free(p);
    return fine;
}

bool capacities_measure(struct capacities *t)
{
    uint32_t least[CAPACITIES_QUEUES], many[CAPACITIES_QUEUES];
    t->vectors = 1;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t initial = weir_pipeline_queue(t->pipeline, (struct weir_queue){t->queue[i]}).initial;
        least[i] = initial > 1 ? initial : 1;
        many[i] = least[i] > t->most ? 1 : t->most - least[i] + 1;
        t->vectors *= many[i];
    }
    for (size_t v = 0; v < t->vectors; v++) {
        size_t rest = v;
        for (uint32_t i = t->count; i-- > 0;) {
            t->all[v].capacity[i] = least[i] + (uint32_t)(rest % many[i]);
            rest /= many[i];
        }
        if (!measure(t, &t->all[v]))
            return false;
    }
    return true;
}

int64_t capacities_some_latency(const struct capacities *t, struct weir_random *random)
{
    const struct capacities_outcome *o = &t->all[weir_random_between(random, 0, (int64_t)t->vectors - 1)];
    int64_t less = weir_random_between(random, 0, 2) ? 0 : weir_random_between(random, 1, 9);
    return o->stuck || o->latency == INT64_MAX || o->latency <= less ? 50 : o->latency - less;
}

int64_t capacities_some_period(const struct capacities *t, struct weir_random *random)
{
    const struct capacities_outcome *o = &t->all[weir_random_between(random, 0, (int64_t)t->vectors - 1)];
    if (o->stuck)
        return 10;
    int64_t period = (o->period.numerator + o->period.denominator - 1) / o->period.denominator;
    return period < 1 ? 1 : period;
}

/* ---- the cheapest ---- */

static bool keeps(const struct capacities *t, const struct capacities_outcome *o, const struct weir_sizing_options *options)
{
    bool all = !o->stuck;
    if (options->period)
        all = all && weir_ratio_compare(o->period, (struct weir_ratio){options->period, 1}) <= 0;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(t->pipeline) && all; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, i);
        all =
            (!options->within || o->latencies[i] <= options->within) && (!chain.has_deadline || o->latencies[i] <= chain.deadline);
    }
    return all;
}

static const char *compare_cheapest(const struct capacities *t, const struct weir_sizing *found,
                                    const struct capacities_outcome *best)
{
    if (!found->complete)
        return "the search for the cheapest is not complete";
    if ((found->pipeline != NULL) != (best != NULL))
        return best ? "there are capacities that keep the limits" : "these capacities do not keep the limits";
    if (!best)
        return NULL;
    if (found->cost != best->cost || found->lower != best->cost)
        return "the cheapest capacities cost something else";
    if (weir_ratio_compare(found->period, best->period) != 0)
        return "the cheapest capacities have another period";
    for (uint32_t i = 0; i < t->count; i++)
        if (found->capacities[t->queue[i]] != best->capacity[i] ||
            weir_pipeline_queue(found->pipeline, (struct weir_queue){t->queue[i]}).capacity != best->capacity[i])
            return "of equally cheap capacities these are not the first";
    return NULL;
}

const char *capacities_check_cheapest(const struct capacities *t, const struct weir_sizing_options *options, bool *possible)
{
    const struct capacities_outcome *best = NULL;
    struct weir_sizing *found;
    for (size_t v = 0; v < t->vectors; v++)
        if (keeps(t, &t->all[v], options) && (!best || t->all[v].cost < best->cost))
            best = &t->all[v];
    *possible = best != NULL;
    if (weir_size_queues(t->pipeline, options, &found, NULL))
        return "the cheapest capacities could not be looked for";
    const char *wrong = compare_cheapest(t, found, best);
    weir_sizing_free(found);
    return wrong;
}

/* ---- the front ---- */

static bool is_point(const struct capacities_outcome *o, const struct weir_sizing_options *options)
{
    return !o->stuck && o->latency != INT64_MAX && (!options->within || o->latency <= options->within) &&
           (!options->period || weir_ratio_compare(o->period, (struct weir_ratio){options->period, 1}) <= 0);
}

/* Not beaten by any other; of equal ones the first. */
static bool on_front(const struct capacities *t, size_t v, const struct weir_sizing_options *options)
{
    const struct capacities_outcome *a = &t->all[v];
    if (!is_point(a, options))
        return false;
    for (size_t i = 0; i < t->vectors; i++) {
        const struct capacities_outcome *b = &t->all[i];
        if (i == v || !is_point(b, options) || b->cost > a->cost || b->latency > a->latency)
            continue;
        int order = weir_ratio_compare(b->period, a->period);
        if (order < 0 || (order == 0 && (b->cost < a->cost || b->latency < a->latency || i < v)))
            return false;
    }
    return true;
}

static const char *compare_point(const struct capacities *t, const struct weir_front *front, const struct capacities_outcome *o)
{
    const struct weir_front_point *point = NULL;
    for (size_t i = 0; i < front->point_count; i++)
        if (front->points[i].cost == o->cost && front->points[i].latency == o->latency)
            point = &front->points[i];
    if (!point)
        return "a point is missing in the front";
    if (weir_ratio_compare(point->period, o->period) != 0)
        return "a point of the front has another period";
    for (uint32_t i = 0; i < t->count; i++)
        if (point->capacities[t->queue[i]] != o->capacity[i])
            return "of equally good capacities these are not the first";
    return (point->state <= WEIR_DEADLINE_MET) == keeps(t, o, &(struct weir_sizing_options){0})
               ? NULL
               : "a point of the front meets other deadlines";
}

static const char *compare_front(const struct capacities *t, const struct weir_front *front,
                                 const struct weir_sizing_options *options, size_t *points)
{
    const char *wrong = front->complete ? NULL : "the front is not complete";
    *points = 0;
    for (size_t v = 0; v < t->vectors && !wrong; v++)
        if (on_front(t, v, options)) {
            wrong = compare_point(t, front, &t->all[v]);
            ++*points;
        }
    if (!wrong && front->point_count != *points)
        wrong = "the front has a point that another one beats";
    for (size_t i = 1; i < front->point_count && !wrong; i++)
        wrong = front->points[i].cost >= front->points[i - 1].cost ? NULL : "the points of the front are not in order";
    return wrong;
}

const char *capacities_check_front(const struct capacities *t, const struct weir_sizing_options *options, size_t *points)
{
    struct weir_front *front;
    *points = 0;
    if (weir_front_find(t->pipeline, options, &front, NULL))
        return "the front could not be looked for";
    const char *wrong = compare_front(t, front, options, points);
    weir_front_free(front);
    return wrong;
}
