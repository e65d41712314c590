/* SPDX-License-Identifier: Apache-2.0 */
/* What a YAML model says of a pool of cores. What it must not say is in tests/bad. */
#include "reading.h"
#include "support/runner.h"

TEST(a_whole_model)
{
    struct weir_pipeline *p = reading("unit: us\n"
                                      "platform: {cores: 4, scheduler: global-edf}\n"
                                      "operators:\n"
                                      "  src: {cost: {init: 1, per-sample: 0.5ns}}\n"
                                      "  fir: {cost: {init: 2.2us, per-sample: 17.3ns}}\n"
                                      "  a: [1, 3]\n"
                                      "  b: {time: 2}\n"
                                      "  c: {cost: {per-sample: 1}}\n"
                                      "queues:\n"
                                      "  - {from: src, to: fir, produce: 4, consume: 6, threshold: 9, initial: 2, capacity: 100}\n"
                                      "  - fir -> [a, b]\n"
                                      "  - {from: a, to: c, consume: 3, capacity: unbounded}\n"
                                      "  - {from: b, to: c, consume: 3, capacity: auto}\n"
                                      "source: {operator: src, rate: 576kHz, batch: 8, jitter: 3, phase: 5}\n"
                                      "deadlines: [{from: src, to: c, within: 1ms}]\n",
                                      NULL);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_CORES);
    assert_int_equal(weir_pipeline_cores(p), 4);
    assert_int_equal(weir_pipeline_digits(p), 4);
    assert_int_equal(weir_pipeline_operator_count(p), 5); /* nothing is inserted for [a, b] */

    struct weir_operator_spec o = operator_named(p, "src");
    assert_true(o.has_cost && o.cost_init == 10000 && o.cost_sample == 5);
    assert_times(p, "src", 0, 10000 + 8 * 5); /* its batch */
    o = operator_named(p, "fir");
    assert_true(o.has_cost && o.cost_init == 22000 && o.cost_sample == 173);
    assert_times(p, "fir", 0, 22000 + 6 * 173); /* what it consumes */
    assert_false(operator_named(p, "a").has_cost);
    assert_times(p, "a", 10000, 30000);
    assert_times(p, "b", 20000, 20000);
    assert_times(p, "c", 0, 30000);

    struct weir_queue_spec q = assert_queue(p, 0, "src", "fir");
    assert_true(q.produce == 4 && q.consume == 6 && q.threshold == 9 && q.initial == 2 && q.capacity == 100);
    q = assert_queue(p, 1, "fir", "a");
    assert_true(q.produce <= 1 && q.consume <= 1 && q.threshold <= 1 && q.capacity == WEIR_AUTO);
    assert_int_equal(assert_queue(p, 2, "fir", "b").capacity, WEIR_AUTO);
    q = assert_queue(p, 3, "a", "c");
    assert_true(q.consume == 3 && q.threshold == 0 && q.capacity == WEIR_UNBOUNDED);
    assert_int_equal(assert_queue(p, 4, "b", "c").capacity, WEIR_AUTO);

    struct weir_source_spec s = weir_pipeline_source(p, 0);
    assert_true(s.period == 156250 && s.count == 9); /* 576,000 in 10^10 ticks */
    assert_true(s.batch == 8 && s.jitter == 30000 && s.has_phase && s.phase == 50000);
    assert_false(s.bursty || s.sporadic);
    assert_int_equal(weir_pipeline_chain(p, 0).deadline, 10000000);
    weir_pipeline_free(p);
}

/* One operator with that source, in microseconds. */
static struct weir_source_spec source_of(const char *words)
{
    char text[256];
    snprintf(text, sizeof text, "unit: us\nplatform: {cores: 1}\noperators: {a: 1}\nsource: {operator: a, %s}\n", words);
    struct weir_pipeline *p = reading(text, NULL);
    struct weir_source_spec spec = weir_pipeline_source(p, 0);
    assert_null(spec.name);
    weir_pipeline_free(p);
    return spec;
}

TEST(rates_are_exact)
{
    static const struct {
        const char *text;
        int64_t period, count; /* in us */
    } rates[] = {
        {"1Hz", 1000000, 1},
        {"1kHz", 1000, 1},
        {"1MHz", 1, 1},
        {"1GHz", 1, 1000},
        {"44.1kHz", 10000, 441},
        {"48 kHz", 125, 6},
        {"0.5Hz", 2000000, 1},
        {"1e-3Hz", 1000000000, 1},
        {"29.97Hz", 100000000, 2997},
        {"2.4GHz", 1, 2400},
        {"'3Hz'", 1000000, 3},
        {"1.152e6Hz", 125, 144},
        {"+7kHz", 1000, 7},
        {"0.000001Hz", 1000000000000, 1},
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        char words[64];
        snprintf(words, sizeof words, "rate: %s", rates[i].text);
        struct weir_source_spec s = source_of(words);
        if (s.period != rates[i].period || s.count != rates[i].count)
            fail_msg("%s: %lld in %lld", rates[i].text, (long long)s.count, (long long)s.period);
        assert_false(s.bursty || s.sporadic || s.has_phase || s.jitter);
    }
}

TEST(arrivals)
{
    struct weir_source_spec s = source_of("period: 1ms, burst: 4");
    assert_true(s.period == 1000 && s.count == 4 && s.bursty && !s.sporadic);
    s = source_of("period: 10");
    assert_true(s.period == 10 && s.count <= 1 && !s.bursty && s.batch <= 1);
    assert_int_equal(s.arrivals, WEIR_ARRIVALS_EXACT);
    s = source_of("period: 10, sporadic: true, batch: 3, arrivals: exact");
    assert_true(s.period == 10 && s.sporadic && s.batch == 3);
    s = source_of("rate: 3kHz, sporadic: true");
    assert_true(s.period == 1000 && s.count == 3 && s.sporadic);
    s = source_of("period: 10, jitter: 25, sporadic: false");
    assert_true(s.jitter == 25 && !s.sporadic);
}

/* Without `unit` the finest unit behind a time counts seconds, too. */
TEST(rate_without_a_unit_at_the_top)
{
    struct weir_pipeline *p = reading("platform: {cores: 1}\noperators: {a: 3us}\nsource: {operator: a, rate: 10kHz}\n", NULL);
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_US);
    assert_int_equal(weir_pipeline_source(p, 0).period, 100);
    weir_pipeline_free(p);
}

/* So fine a tick that a second has more of them than can be counted; the period has not. */
TEST(rate_with_fine_ticks)
{
    struct weir_pipeline *p =
        reading("unit: ns\nplatform: {cores: 1}\noperators: {a: 0.000000000001}\nsource: {operator: a, rate: 1MHz}\n", NULL);
    assert_int_equal(weir_pipeline_digits(p), 12);
    assert_int_equal(weir_pipeline_source(p, 0).period, INT64_C(1000000000000000));
    assert_true(weir_pipeline_source(p, 0).count <= 1);
    weir_pipeline_free(p);
}

TEST(how_a_pool_is_named)
{
    static const char *const platforms[] = {"{cores: 3}", "{cores: 3, scheduler: global-edf}", "{scheduler: Global-EDF, cores: 3}",
                                            "{\"cores\": 3, \"scheduler\": \"global-edf\"}"};
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        char text[256];
        snprintf(text, sizeof text, "platform: %s\nprocessors:\noperators: {a: 1}\nsource: {operator: a, period: 2}\n",
                 platforms[i]);
        struct weir_pipeline *p = reading(text, NULL);
        assert_int_equal(weir_pipeline_cores(p), 3);
        weir_pipeline_free(p);
    }
}

TEST(capacities)
{
    static const char text[] = "platform: {cores: 3}\n%soperators: {a: 1, b: 1}\nqueues: [a -> b, {from: a, to: b, capacity: 9}]\n"
                               "source: {operator: a, period: 2}\n";
    static const struct {
        const char *line;
        struct weir_read_options options;
        uint32_t first, second;
    } cases[] = {
        {"", {0}, WEIR_AUTO, 9},
        {"queue: 5\n", {0}, 5, 9},
        {"queue: unbounded\n", {0}, WEIR_UNBOUNDED, 9},
        {"queue: 5\n", {.queue = 7}, 7, 9},
        {"queue: 5\n", {.queue = 7, .force_queue = true}, 7, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[256];
        snprintf(model, sizeof model, text, cases[i].line);
        assert_capacities(model, &cases[i].options, cases[i].first, cases[i].second);
    }
}

/* Kinds of queues are remembered by what they say, rates included. */
TEST(many_kinds_of_queues)
{
    char text[65536];
    size_t used = (size_t)snprintf(text, sizeof text, "platform: {cores: 3}\noperators: {a: 1, b: 1}\nqueues:\n");
    for (unsigned i = 0; i < 500; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  - {from: a, to: b, produce: %u, consume: %u, threshold: %u}\n",
                                 1 + i % 7, 1 + i % 7, 8 + i % 3);
    snprintf(text + used, sizeof text - used, "source: {operator: a, period: 2}\n");
    struct weir_pipeline *p = reading(text, NULL);
    for (unsigned i = 0; i < 500; i++) {
        struct weir_queue_spec q = assert_queue(p, i, "a", "b");
        assert_true(q.produce == 1 + i % 7 && q.consume == 1 + i % 7 && q.threshold == 8 + i % 3);
    }
    weir_pipeline_free(p);
}
