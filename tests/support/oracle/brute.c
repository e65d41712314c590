/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/brute.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* start_i(to) >= start_{i-back}(from) + offset, or finish_{i-back}(from) + offset. */
struct rule {
    uint32_t from, to;
    int64_t back, offset;
    bool finish;
};

struct brute {
    const struct weir_pipeline *pipeline;
    const struct weir_query *query;
    uint32_t operators, iterations, rule_count;
    struct rule *rules;
    int64_t *best, *worst, *arrival_period;
    uint32_t *order;      /* operators; rules with back == 0 lead forwards */
    uint32_t *first_rule; /* by place in the order; rules are sorted by it */
    uint32_t *bit_place;  /* the operators with a choice, the last in the order first */
    uint32_t choices;
    int64_t *start, *time; /* [iteration * operators + op] */
};

static void *array(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    assert(block);
    return block;
}

static void read_rules(struct brute *b)
{
    const struct weir_pipeline *p = b->pipeline;
    for (uint32_t i = 0; i < b->operators; i++)
        b->rules[b->rule_count++] = (struct rule){i, i, 1, 0, !weir_pipeline_operator(p, (struct weir_operator){i}).reentrant};
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        b->rules[b->rule_count++] = (struct rule){q.from.index, q.to.index, q.initial, 0, true};
        if (!q.nonblocking && q.capacity != WEIR_UNBOUNDED)
            b->rules[b->rule_count++] = (struct rule){q.to.index, q.from.index, (int64_t)q.capacity - q.initial, 0, false};
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec s = weir_pipeline_source(p, i);
        if (s.arrivals != WEIR_ARRIVALS_AT_MOST) /* nor does catching up start earlier */
            b->arrival_period[s.op.index] = s.period;
        else
            b->rules[b->rule_count++] = (struct rule){s.op.index, s.op.index, 1, s.period, false};
    }
}

/* Takes, again and again, an operator that no other one left has to precede within the iteration; false if there is none. */
static bool find_order(struct brute *b)
{
    bool *placed = array(b->operators, sizeof *placed);
    uint32_t count = 0;
    for (bool found = true; found && count < b->operators;) {
        found = false;
        for (uint32_t i = 0; i < b->operators; i++) {
            bool free_to_go = !placed[i];
            for (uint32_t r = 0; r < b->rule_count && free_to_go; r++)
                free_to_go = b->rules[r].to != i || b->rules[r].back > 0 || placed[b->rules[r].from];
            if (free_to_go) {
                placed[i] = found = true;
                b->order[count++] = i;
            }
        }
    }
    free(placed);
    return count == b->operators;
}

static void sort_rules(struct brute *b)
{
    struct rule *sorted = array(b->rule_count, sizeof *sorted);
    uint32_t count = 0;
    for (uint32_t k = 0; k < b->operators; k++) {
        b->first_rule[k] = count;
        for (uint32_t r = 0; r < b->rule_count; r++)
            if (b->rules[r].to == b->order[k])
                sorted[count++] = b->rules[r];
    }
    b->first_rule[b->operators] = count;
    memcpy(b->rules, sorted, b->rule_count * sizeof *sorted);
    free(sorted);
}

/* Start times from iteration `from` on, there from `place` in the order on. */
static void schedule(struct brute *b, int64_t from, uint32_t place)
{
    for (int64_t i = from; i < b->iterations; i++, place = 0)
        for (uint32_t k = place; k < b->operators; k++) {
            uint32_t op = b->order[k];
            int64_t start = i * b->arrival_period[op];
            for (uint32_t r = b->first_rule[k]; r < b->first_rule[k + 1]; r++) {
                const struct rule *rule = &b->rules[r];
                if (rule->back > i)
                    continue;
                int64_t before = (i - rule->back) * b->operators + rule->from;
                int64_t allowed = b->start[before] + (rule->finish ? b->time[before] : 0) + rule->offset;
                start = allowed > start ? allowed : start;
            }
            b->start[i * b->operators + op] = start;
        }
}

static int64_t time_of(const struct brute *b, struct weir_event event, int64_t iteration)
{
    int64_t at = iteration * b->operators + event.op.index;
    if (event.moment == WEIR_ARRIVAL)
        return iteration * b->arrival_period[event.op.index];
    return b->start[at] + (event.moment == WEIR_FINISH ? b->time[at] : 0);
}

/* Events of the iterations from `from` on; those of two earlier ones are as they were. */
static void measure(const struct brute *b, int64_t from, struct weir_brute *result)
{
    int64_t shift = b->query->shift, first = from - (shift > 0 ? shift : 0);
    for (int64_t i = first > 0 ? first : 0; i < b->iterations; i++) {
        int64_t j = i + shift;
        if (j < 0 || j >= b->iterations)
            continue;
        int64_t separation = time_of(b, b->query->to, j) - time_of(b, b->query->from, i);
        if (!result->any || separation > result->max) {
            result->max = separation;
            result->iteration = i;
        }
        if (!result->any || separation < result->min)
            result->min = separation;
        result->any = true;
    }
}

/* Counts through the combinations with the choices of the last iteration in the lowest bits, and of these the last operator's in
 * the lowest, so that a step mostly changes late times, and only what comes after those is scheduled again. */
static void enumerate(struct brute *b, struct weir_brute *result)
{
    uint32_t bits = b->choices * b->iterations;
    schedule(b, 0, 0);
    measure(b, 0, result);
    for (uint64_t mask = 1; !(mask >> bits); mask++) {
        uint32_t top = (uint32_t)__builtin_ctzll(mask); /* the highest bit that changes: it is set, and those below are cleared */
        for (uint32_t bit = 0; bit <= top; bit++) {
            uint32_t op = b->order[b->bit_place[bit % b->choices]];
            b->time[(size_t)(b->iterations - 1 - bit / b->choices) * b->operators + op] = bit == top ? b->worst[op] : b->best[op];
        }
        schedule(b, b->iterations - 1 - top / b->choices, b->bit_place[top % b->choices]);
        measure(b, b->iterations - 1 - top / b->choices, result);
    }
}

static void find_choices(struct brute *b)
{
    for (uint32_t k = b->operators; k-- > 0;)
        if (b->best[b->order[k]] < b->worst[b->order[k]])
            b->bit_place[b->choices++] = k;
}

static bool solve(struct brute *b, struct weir_brute *result)
{
    for (uint32_t i = 0; i < b->operators; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(b->pipeline, (struct weir_operator){i});
        if (spec.receive_max)
            return false;
        b->best[i] = b->query->assume_zero_best ? 0 : spec.best;
        b->worst[i] = spec.worst;
    }
    if (weir_brute_bits(b->pipeline, b->query, b->iterations) > WEIR_BRUTE_BITS)
        return false;
    read_rules(b);
    if (!find_order(b))
        return false;
    find_choices(b);
    sort_rules(b);
    for (uint32_t i = 0; i < b->iterations; i++)
        memcpy(b->time + (size_t)i * b->operators, b->best, b->operators * sizeof *b->best);
    enumerate(b, result);
    return true;
}

uint64_t weir_brute_bits(const struct weir_pipeline *pipeline, const struct weir_query *query, uint32_t iterations)
{
    uint64_t choices = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        choices += (query->assume_zero_best ? 0 : spec.best) < spec.worst;
    }
    return choices * iterations;
}

bool weir_brute_separation(const struct weir_pipeline *pipeline, const struct weir_query *query, uint32_t iterations,
                           struct weir_brute *result)
{
    uint32_t n = weir_pipeline_operator_count(pipeline);
    struct brute b = {.pipeline = pipeline, .query = query, .operators = n, .iterations = iterations};
    *result = (struct weir_brute){.any = false};
    b.rules = array(n + 2 * (size_t)weir_pipeline_queue_count(pipeline) + weir_pipeline_source_count(pipeline), sizeof *b.rules);
    b.best = array(n, sizeof *b.best);
    b.worst = array(n, sizeof *b.worst);
    b.arrival_period = array(n, sizeof *b.arrival_period);
    b.order = array(n, sizeof *b.order);
    b.first_rule = array((size_t)n + 1, sizeof *b.first_rule);
    b.bit_place = array(n, sizeof *b.bit_place);
    b.start = array((size_t)n * iterations, sizeof *b.start);
    b.time = array((size_t)n * iterations, sizeof *b.time);
    bool solved = solve(&b, result);
    free(b.rules);
    free(b.best);
    free(b.worst);
    free(b.arrival_period);
    free(b.order);
    free(b.first_rule);
    free(b.bit_place);
    free(b.start);
    free(b.time);
    return solved;
}
