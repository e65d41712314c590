/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of operators that share threads: what the engine says holds, and nothing that says more does. */
#include "check/workers/sharing.h"
#include "check/workers/waits.h"
#include "engine/workers/workers.h"
#include "model/pipeline.h"
#include "support/stage.h"

#define GREEDY "platform: {scheduler: greedy}\n"
#define WORK UINT64_C(100000000)

/* Answered with everything checked. */
static struct weir_workers_analysis *answer(const struct weir_pipeline *p)
{
    struct weir_workers_analysis *analysis;
    struct weir_error error = {0};
    if (weir_workers_analyze(p, &(struct weir_workers_options){.verify = true}, &analysis, &error))
        fail_msg("%s", error.message);
    for (size_t i = 0; i < analysis->latency_count; i++)
        if (!analysis->latencies[i].verified)
            fail_msg("%s", analysis->latencies[i].why ? analysis->latencies[i].why : "not verified");
    return analysis;
}

/* ---- rounds without periods ---- */

static const char *const without_periods[] = {
    GREEDY
    "operators: {a: [1, 5], b: 2, c: [0, 7]}\nqueues: [a -> b, {from: b, to: c, capacity: 3}, {from: a, to: c, capacity: 2}]",
    GREEDY "operators: {c: [1, 5], b: [2, 4], a: [0, 7]}\nqueue: 2\nqueues: [a -> b -> c]",
    GREEDY "operators: {a: [1, 5], b: {time: [2, 4], receive: [3, 4]}}\nqueues: [{from: a, to: b, capacity: 3, initial: 2}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4]}\nqueues: [{from: a, to: b, capacity: 2}]\n"
           "measure: [{from: b, to: a, offset: 1}, {from: a, to: b, offset: -1}, {from: a, to: b, offset: 2}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: 3}\nqueues: [{from: a, to: b, capacity: 3, consume: 3}, b -> c]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\n"
           "queues: [{from: a, to: b, capacity: 2, consume: 2}, {from: a, to: c, latest: true}, b -> c]",
    GREEDY "operators: {c: [1, 5], a: [2, 4], b: [3, 6]}\n"
           "queues: [{from: a, to: b, capacity: 2, optional: true}, {from: b, to: c, latest: true}, {from: a, to: c, capacity: 2}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6], d: 1}\n"
           "queues: [{from: a, to: c, port: in, capacity: 3}, {from: b, to: c, port: in, capacity: 3}, c -> d]",
    GREEDY
    "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\n"
    "queues: [{from: a, to: b, capacity: 1, blocking: false, full: reject}, b -> c, {from: c, to: b, capacity: 2, initial: 1}]",
};

static enum weir_checked check_rounds(const struct weir_pipeline *p, uint32_t chain, int64_t worst, int64_t best)
{
    enum weir_checked checked;
    assert_int_equal(weir_rounds_check(&(struct weir_rounds_claim){p, chain, worst, best, WORK}, &checked), WEIR_OK);
    return checked;
}

TEST(test_rounds)
{
    for (size_t m = 0; m < sizeof without_periods / sizeof *without_periods; m++) {
        struct weir_pipeline *p = stage_read(without_periods[m]);
        struct weir_workers_analysis *analysis = answer(p);
        for (uint32_t i = 0; i < analysis->latency_count; i++) {
            const struct weir_workers_latency *l = &analysis->latencies[i];
            assert_int_equal(l->outcome, WEIR_WORKERS_EXACT);
            assert_int_equal(check_rounds(p, i, l->worst, l->best), WEIR_CHECKED_HOLDS);
            for (int64_t change = -1; change <= 1; change += 2) {
                assert_int_equal(check_rounds(p, i, l->worst + change, l->best), WEIR_CHECKED_FAILS);
                assert_int_equal(check_rounds(p, i, l->worst, l->best + change), WEIR_CHECKED_FAILS);
            }
        }
        weir_workers_analysis_free(analysis);
        weir_pipeline_free(p);
    }
}

/* The numbers are those of the model: with any time, capacity or message changed they are others, or the check says no. */
TEST(test_rounds_of_another_model)
{
    struct weir_pipeline *p = stage_read(without_periods[0]), *other;
    struct weir_workers_analysis *analysis = answer(p);
    const struct weir_workers_latency *l = &analysis->latencies[0];
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        spec.worst++;
        other = weir_pipeline_copy(p, NULL);
        assert_int_equal(weir_pipeline_change_operator(other, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
        stage_seal(other);
        assert_int_equal(check_rounds(other, 0, l->worst, l->best), WEIR_CHECKED_FAILS);
        weir_pipeline_free(other);
    }
    other = stage_read("operators: {a: [1, 5], b: 2, c: [0, 7]}\nqueues: [a -> b -> c]"); /* a thread each: it is not about that */
    assert_int_equal(check_rounds(other, 0, 1000, 0), WEIR_CHECKED_OPEN);
    weir_pipeline_free(other);
    weir_workers_analysis_free(analysis);
    weir_pipeline_free(p);
}

/* Too much to look at is no reason to say yes; and a queue that gets full ends the matter. */
TEST(test_rounds_that_do_not_end)
{
    struct weir_pipeline *p = stage_read(without_periods[1]);
    enum weir_checked checked;
    assert_int_equal(weir_rounds_check(&(struct weir_rounds_claim){p, 0, 1000, 0, 1}, &checked), WEIR_OK);
    assert_int_equal(checked, WEIR_CHECKED_OPEN);
    weir_pipeline_free(p);
    p = stage_read(GREEDY "operators: {a: 1, b: 2, c: 3}\nqueues: [{from: a, to: b, capacity: 1, blocking: false, full: fault}, "
                          "{from: c, to: b, capacity: 1, initial: 1}, {from: b, to: c, capacity: 1}]\n"
                          "measure: [{from: a, to: b}]");
    struct weir_rounds_claim claim = {p, 0, 1000, 0, WORK};
    assert_int_equal(weir_rounds_check(&claim, &checked), WEIR_OK);
    assert_int_not_equal(checked, WEIR_CHECKED_HOLDS);
    weir_pipeline_free(p);
}

/* ---- rounds with periods ---- */

static const char *const with_periods[] = {
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\nqueues: [a -> b -> c]\nsource: {operator: a, period: 40}",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\nqueue: 2\nqueues: [a -> b -> c]\nsource: {operator: a, period: 10}",
};

static enum weir_checked check_table(const struct weir_pipeline *p, const struct weir_rounds_table *table, int64_t worst)
{
    enum weir_checked checked;
    assert_int_equal(weir_rounds_table_check(p, 0, table, worst, &checked), WEIR_OK);
    return checked;
}

TEST(test_tables)
{
    for (size_t m = 0; m < sizeof with_periods / sizeof *with_periods; m++) {
        struct weir_pipeline *p = stage_read(with_periods[m]);
        struct weir_rounds_table table;
        int64_t worst;
        weir_workers_analysis_free(answer(p));
        assert_int_equal(weir_greedy_periods(p, &p->chains[0], &worst, &table, NULL), WEIR_OK);
        assert_true(worst > 0);
        assert_int_equal(check_table(p, &table, worst), WEIR_CHECKED_HOLDS);
        assert_int_equal(check_table(p, &table, worst - 1), WEIR_CHECKED_FAILS);
        for (size_t node = 0; node < table.count * table.ends; node++) {
            if (!table.needed[node])
                continue;
            table.longest[node]--;
            assert_int_equal(check_table(p, &table, worst), WEIR_CHECKED_FAILS);
            table.longest[node] += 2; /* more than it is: what leads there claims too little */
            enum weir_checked checked = check_table(p, &table, worst);
            assert_true(checked == WEIR_CHECKED_FAILS || check_table(p, &table, worst - 1) == WEIR_CHECKED_FAILS);
            table.longest[node]--;
            table.needed[node] = false;
            assert_int_equal(check_table(p, &table, worst), WEIR_CHECKED_FAILS);
            table.needed[node] = true;
        }
        for (size_t i = 0; i < table.count * p->queue_count; i++) { /* what a queue holds that it cannot, or no longer */
            table.messages[i]++;
            assert_int_equal(check_table(p, &table, worst), WEIR_CHECKED_FAILS);
            table.messages[i]--;
        }
        table.count--;
        assert_int_not_equal(check_table(p, &table, worst), WEIR_CHECKED_HOLDS);
        table.count++;
        weir_rounds_table_free(&table);
        weir_pipeline_free(p);
    }
}

/* ---- shares of workers and lanes ---- */

static const struct {
    const char *model;
    uint32_t workers;
    struct weir_ratio least; /* of the first latency, by shares; what waits come to may be less */
} shared[] = {
    {"operators: {a: [1, 5], b: 2, c: [0, 7]}\nqueues: [a -> b -> c]\nplatform: {scheduler: event-based, workers: 1}", 1, {26, 1}},
    {"operators: {a: [1, 5], b: 2, c: [0, 7], d: 4}\nqueues: [a -> b -> c, {from: a, to: d, capacity: 2}, d -> c]\n"
     "platform: {scheduler: event-based, workers: 2}",
     2,
     {31, 1}},
    {"operators: {a: [1, 5], b: 2, c: [0, 7], free: 9, sink: 1}\nqueues: [a -> b -> c, free -> sink]\n"
     "platform: {scheduler: multi-thread, workers: 4, polling: 2}\nsource: {operator: a, period: 30}",
     4,
     {32, 1}},
};

static enum weir_checked check_shares(const struct weir_pipeline *p, unsigned apart, int64_t shares, struct weir_ratio bound)
{
    bool list[8] = {false};
    enum weir_checked checked;
    for (uint32_t o = 0; o < p->operator_count; o++)
        list[o] = apart >> o & 1;
    assert_int_equal(weir_sharing_check(&(struct weir_sharing_claim){p, 0, bound, list, shares, WORK}, &checked), WEIR_OK);
    return checked;
}

static unsigned bits(unsigned set)
{
    return set ? 1 + bits(set & (set - 1)) : 0;
}

/* Each set U and each k have a least bound; the least of all is one of them, to a share of a tick. */
TEST(test_shares)
{
    for (size_t m = 0; m < sizeof shared / sizeof *shared; m++) {
        struct weir_pipeline *p = stage_read(shared[m].model);
        struct weir_ratio bound = shared[m].least, less = {bound.numerator * 12 - 12 / shared[m].workers, 12};
        bool found = false;
        for (unsigned apart = 0; apart < 1u << p->operator_count; apart++)
            for (int64_t k = 1; k <= 3; k++) {
                bool counts = k + bits(apart) <= shared[m].workers;
                found |= check_shares(p, apart, k, bound) == WEIR_CHECKED_HOLDS;
                assert_int_equal(check_shares(p, apart, k, less), WEIR_CHECKED_FAILS);
                if (!counts)
                    assert_int_equal(check_shares(p, apart, k, (struct weir_ratio){1000000, 1}), WEIR_CHECKED_FAILS);
            }
        assert_true(found);
        assert_int_equal(check_shares(p, 0, 0, (struct weir_ratio){1000000, 1}), WEIR_CHECKED_FAILS);
        weir_pipeline_free(p);
    }
}

/* Of lanes, whose work counts in full whatever k is; what their waits come to is less. */
TEST(test_shares_of_lanes)
{
    struct weir_pipeline *p =
        stage_read("operators: {a: {time: [1, 5], lane: x}, b: 2, c: {time: [0, 7], lane: x}, "
                   "d: {time: 3, lane: y}, e: {time: 1, lane: y}}\nqueue: 2\nqueues: [a -> b -> c -> d -> e]");
    struct weir_workers_analysis *analysis;
    assert_int_equal(weir_workers_analyze(p, NULL, &analysis, NULL), WEIR_OK);
    for (int64_t k = 1; k <= 3; k++) {
        assert_int_equal(check_shares(p, 0, k, (struct weir_ratio){1000, 1}), WEIR_CHECKED_HOLDS);
        assert_int_equal(check_shares(p, 0, k, (struct weir_ratio){analysis->latencies[0].worst - 1, 1}), WEIR_CHECKED_FAILS);
    }
    weir_workers_analysis_free(analysis);
    weir_pipeline_free(p);
}

TEST(test_best)
{
    for (size_t m = 0; m < sizeof shared / sizeof *shared; m++) {
        struct weir_pipeline *p = stage_read(shared[m].model);
        struct weir_workers_analysis *analysis = answer(p);
        const struct weir_workers_latency *l = &analysis->latencies[0];
        enum weir_checked checked;
        assert_true(l->has_best);
        assert_int_equal(weir_sharing_check_best(p, 0, l->best, WORK, &checked), WEIR_OK);
        assert_int_equal(checked, WEIR_CHECKED_HOLDS);
        assert_int_equal(weir_sharing_check_best(p, 0, l->best + 1, WORK, &checked), WEIR_OK);
        assert_int_equal(checked, WEIR_CHECKED_FAILS);
        weir_workers_analysis_free(analysis);
        weir_pipeline_free(p);
    }
}

/* ---- waits ---- */

static const char *const waiting[] = {
    "operators: {a: [1, 5], b: 2, c: [0, 7], d: 4}\nqueues: [{from: a, to: b, latest: true}, b -> c, {from: a, to: d, capacity: "
    "2}]\n"
    "sources: [{operator: a, period: 30}, {operator: b, period: 20}]\nplatform: {scheduler: event-based, workers: 2}",
    "operators: {a: [1, 5], b: 2, c: [0, 7], d: 4}\nqueues: [{from: a, to: b, latest: true}, b -> c, {from: a, to: d, capacity: "
    "2}]\n"
    "sources: [{operator: a, period: 30}, {operator: b, period: 20}]\n"
    "platform: {scheduler: multi-thread, workers: 3, polling: 3}",
    GREEDY "operators: {a: [1, 5], b: 2, c: [0, 7], d: 4}\n"
           "queues: [{from: a, to: b, latest: true}, b -> c, {from: a, to: d, capacity: 2}]\n"
           "sources: [{operator: b, period: 20}, {operator: d, period: 30}]",
};

static enum weir_checked check_spread(const struct weir_pipeline *p, const struct weir_pipeline *spread, bool in_order)
{
    enum weir_checked checked;
    assert_int_equal(weir_spread_check(p, spread, in_order, NULL, &checked), WEIR_OK);
    return checked;
}

#define REFUSED(change, back)                                                                                                      \
    do {                                                                                                                           \
        (change);                                                                                                                  \
        assert_int_equal(check_spread(p, spread, ordered), WEIR_CHECKED_FAILS);                                                    \
        (back);                                                                                                                    \
    } while (0)

/* In order, of each of the first models: two workers are never both at work on others for longer, nor three, which look every 3. */
static const int64_t waits_in_order[][4] = {{6, 8, 4, 7}, {5, 7, 3, 5}};

static struct weir_pipeline *spread_in_order(const struct weir_pipeline *p, const int64_t *waits)
{
    static const struct weir_workers_spec plenty;
    struct weir_pipeline *spread = weir_pipeline_copy(p, NULL);
    assert_int_equal(weir_pipeline_set_workers(spread, &plenty, NULL), WEIR_OK);
    for (uint32_t o = 0; o < p->operator_count; o++)
        assert_true(weir_pipeline_set_lateness(spread, o, (struct weir_lateness){.most = waits[o]}));
    assert_int_equal(weir_pipeline_seal_alone(spread, NULL), WEIR_OK);
    return spread;
}

TEST(test_waits)
{
    for (size_t m = 0; m < sizeof waiting / sizeof *waiting; m++) {
        struct weir_pipeline *p = stage_read(waiting[m]), *spread = NULL;
        bool greedy = p->workers.dispatch == WEIR_DISPATCH_GREEDY, ordered = !greedy;
        if (ordered)
            spread = spread_in_order(p, waits_in_order[m]);
        else
            assert_int_equal(weir_workers_spread(p, &spread, &ordered, NULL), WEIR_OK);
        assert_int_equal(check_spread(p, spread, ordered), WEIR_CHECKED_HOLDS);
        assert_true(ordered != greedy);
        if (ordered)
            assert_int_equal(check_spread(p, spread, false), WEIR_CHECKED_FAILS);
        for (uint32_t o = 0; o < p->operator_count; o++) {
            struct weir_lateness *wait = &spread->lateness[o];
            REFUSED(wait->most--, wait->most++);
            if (wait->early)
                REFUSED(wait->early--, wait->early++);
            REFUSED(spread->operators[o].worst--, spread->operators[o].worst++);
        }
        for (uint32_t i = 0; i < p->queue_count; i++) {
            if (weir_pipeline_reaction(spread, i) > 0)
                REFUSED(spread->reactions[i]--, spread->reactions[i]++);
            REFUSED(spread->queues[i].latest ^= 1, spread->queues[i].latest ^= 1);
            REFUSED(spread->queues[i].capacity++, spread->queues[i].capacity--);
            REFUSED(spread->queues[i].initial++, spread->queues[i].initial--);
        }
        REFUSED(spread->sources[0].period++, spread->sources[0].period--);
        REFUSED(spread->source_count--, spread->source_count++);
        REFUSED(spread->queue_count--, spread->queue_count++);
        REFUSED(spread->workers.workers = 1, spread->workers.workers = 0);
        assert_int_equal(check_spread(p, spread, ordered), WEIR_CHECKED_HOLDS);
        weir_pipeline_free(spread);
        weir_pipeline_free(p);
    }
}

/* ---- memory ---- */

static enum weir_status verify_all(void *context)
{
    struct weir_workers_analysis *analysis;
    enum weir_status status = weir_workers_analyze(context, &(struct weir_workers_options){.verify = true}, &analysis, NULL);
    weir_workers_analysis_free(status ? NULL : analysis);
    return status;
}

static enum weir_status verify_spread(void *context)
{
    struct weir_pipeline **both = context;
    enum weir_checked checked;
    return weir_spread_check(both[0], both[1], true, NULL, &checked);
}

TEST(test_memory)
{
    const char *const models[] = {without_periods[3], without_periods[5], with_periods[0], shared[1].model};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct weir_pipeline *p = stage_read(models[m]);
        stage_fail_each_allocation(verify_all, p);
        weir_pipeline_free(p);
    }
    struct weir_pipeline *both[2] = {stage_read(waiting[0]), NULL};
    both[1] = spread_in_order(both[0], waits_in_order[0]);
    stage_fail_each_allocation(verify_spread, both);
    weir_pipeline_free(both[0]);
    weir_pipeline_free(both[1]);
}
