/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator and the exhaustive oracle share nothing: one plays messages, the other solves a recurrence. On random small
 * pipelines, with every combination of best and worst times, they must agree on every extreme.
 */
#include "base/random.h"
#include "support/oracle/brute.h"
#include "support/stage.h"

#include <string.h>

#define BITS_MAX 8

struct choice {
    const struct weir_pipeline *pipeline;
    int64_t iterations;
    uint32_t mask;
    uint32_t first_bit[STAGE_OPERATORS];
    struct stage_trace trace;
};

static int64_t choose(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const struct choice *c = context;
    struct weir_operator_spec spec = weir_pipeline_operator(c->pipeline, op);
    assert_int_equal(part, WEIR_PART_EXECUTION);
    return spec.best < spec.worst && c->mask >> (c->first_bit[op.index] + iteration) & 1 ? spec.worst : spec.best;
}

static void watch(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    stage_observe(&((struct choice *)context)->trace, op, moment, iteration, time);
}

static void extremes(struct choice *c, const struct weir_query *query, struct weir_brute *result)
{
    for (int64_t i = 0; i < c->iterations; i++) {
        int64_t j = i + query->shift;
        if (j < 0 || j >= c->iterations)
            continue;
        int64_t separation =
            c->trace.at[query->to.moment][query->to.op.index][j] - c->trace.at[query->from.moment][query->from.op.index][i];
        result->max = !result->any || separation > result->max ? separation : result->max;
        result->min = !result->any || separation < result->min ? separation : result->min;
        result->any = true;
    }
}

static struct weir_brute play_all(const struct weir_pipeline *p, const struct weir_query *query, uint32_t iterations)
{
    static struct choice c;
    struct weir_brute result = {.any = false};
    c.pipeline = p;
    c.iterations = iterations;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        c.first_bit[i] = bits;
        bits += spec.best < spec.worst ? iterations : 0;
    }
    for (c.mask = 0; c.mask >> bits == 0; c.mask++) {
        memset(&c.trace, 0, sizeof c.trace);
        static const int64_t together[STAGE_OPERATORS] = {0};
        struct weir_simulation_options options = {.iterations = iterations,
                                                  .times = WEIR_TIMES_GIVEN,
                                                  .given = choose,
                                                  .observe = watch,
                                                  .context = &c,
                                                  .phases = together};
        assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
        assert_false(c.trace.disordered);
        extremes(&c, query, &result);
    }
    return result;
}

static uint32_t below(struct weir_random *random, uint32_t n)
{
    return (uint32_t)weir_random_between(random, 0, n - 1);
}

/* Anything goes: loops, self-queues, parallel queues. What cannot be sealed is dropped. */
static struct weir_pipeline *random_pipeline(struct weir_random *random)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    uint32_t n = 1 + below(random, 4), queues = n - 1 + below(random, 3);
    for (uint32_t i = 0; i < n; i++) {
        char name[2] = {(char)('A' + i), 0};
        int64_t worst = below(random, 10), best = below(random, 2) ? worst : below(random, (uint32_t)worst + 1);
        stage_operator(p, name, best, worst);
    }
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec spec = {.from = {below(random, n)}, .to = {below(random, n)}, .capacity = 1 + below(random, 3)};
        if (i + 1 < n)
            spec.from.index = below(random, i + 1), spec.to.index = i + 1;
        if (below(random, 3) == 0 || spec.from.index >= spec.to.index)
            spec.initial = below(random, spec.capacity + 1);
        spec.nonblocking = below(random, 8) == 0;
        if (below(random, 8) == 0)
            spec.capacity = WEIR_UNBOUNDED;
        assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i < n; i++)
        if (below(random, 6) == 0)
            stage_period(p, (struct weir_operator){i}, 1 + below(random, 12), (enum weir_arrivals)below(random, 2));
    if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
        return p;
    weir_pipeline_free(p);
    return NULL;
}

static struct weir_event random_event(struct weir_random *random, const struct weir_pipeline *p)
{
    struct weir_event event = {{below(random, weir_pipeline_operator_count(p))}, below(random, 2) ? WEIR_START : WEIR_FINISH, 0};
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.arrivals == WEIR_ARRIVALS_EXACT && source.op.index == event.op.index)
            event.moment = WEIR_ARRIVAL;
    }
    return event;
}

TEST(played_equals_computed)
{
    struct weir_random random;
    weir_random_seed(&random, 2);
    int compared = 0, loops = 0, paced = 0;
    for (int round = 0; round < 1500; round++) {
        struct weir_pipeline *p = random_pipeline(&random);
        if (!p)
            continue;
        struct weir_query query = {
            .from = random_event(&random, p), .to = random_event(&random, p), .shift = weir_random_between(&random, -1, 2)};
        uint32_t iterations = 8;
        while (weir_brute_bits(p, &query, iterations) > BITS_MAX)
            iterations--;
        struct weir_brute computed, played = play_all(p, &query, iterations);
        assert_true(weir_brute_separation(p, &query, iterations, &computed));
        assert_int_equal(computed.any, played.any);
        if (computed.any) {
            assert_int_equal(computed.max, played.max);
            assert_int_equal(computed.min, played.min);
            compared++;
            paced += weir_pipeline_source_count(p) > 0;
            for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
                struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){i});
                if (spec.from.index >= spec.to.index) {
                    loops++;
                    break;
                }
            }
        }
        weir_pipeline_free(p);
    }
    assert_true(compared > 600);
    assert_true(loops > 100);
    assert_true(paced > 100);
}

TEST(what_the_oracle_refuses)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){1, 2, 3}, 1);
    struct weir_query query = {.from = {{0}, WEIR_START, 0}, .to = {{2}, WEIR_FINISH, 0}};
    struct weir_brute result;
    assert_int_equal(weir_brute_bits(p, &query, 7), 21);
    assert_false(weir_brute_separation(p, &query, 7, &result));
    assert_true(weir_brute_separation(p, &query, 6, &result));
    query.shift = 6;
    assert_true(weir_brute_separation(p, &query, 6, &result));
    assert_false(result.any);
    weir_pipeline_free(p);
}

/* Two operators and a queue of one: the second is what the first waits for. */
TEST(a_chain_by_hand)
{
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){4, 9}, 1);
    struct weir_query query = {.from = {{0}, WEIR_START, 0}, .to = {{1}, WEIR_FINISH, 0}};
    struct weir_brute result;
    assert_true(weir_brute_separation(p, &query, 5, &result));
    assert_int_equal(result.max, 9 + 9); /* A starts when B starts the iteration before, and B then runs twice */
    assert_int_equal(result.min, 0);
    weir_pipeline_free(p);
}
