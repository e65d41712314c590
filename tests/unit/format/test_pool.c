/* SPDX-License-Identifier: Apache-2.0 */
/* Written models on a pool of cores: their text, that they read back as the same pipeline, and what cannot be written. */
#include "base/random.h"
#include "support/again.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

static void expect_both_return(const struct weir_pipeline *p)
{
    expect_returns(p, WEIR_MODEL_YAML);
    expect_returns(p, WEIR_MODEL_JSON);
}

/* ---- text ---- */

static void add_source(struct weir_pipeline *p, struct weir_source_spec spec)
{
    assert_int_equal(weir_pipeline_add_source(p, &spec, NULL), WEIR_OK);
}

static void add_queue(struct weir_pipeline *p, struct weir_queue_spec spec)
{
    assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
}

/* Something of everything. */
static struct weir_pipeline *rich(void)
{
    static const struct weir_operator_spec operators[] = {
        {.name = "a", .has_cost = true, .cost_init = 15, .cost_sample = 2},
        {.name = "b", .best = 20, .worst = 20},
        {.name = "c", .best = 1, .worst = 10},
        {.name = "d", .has_cost = true, .cost_init = 7},
        {.name = "e", .worst = 3},
        {.name = "f", .worst = 4},
    };
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL);
    weir_pipeline_set_cores(p, 12, NULL);
    weir_pipeline_set_name(p, "radio", NULL);
    weir_pipeline_set_unit(p, WEIR_UNIT_US, 1, NULL);
    for (int i = 0; i < 6; i++)
        assert_int_equal(weir_pipeline_add_operator(p, &operators[i], NULL, NULL), WEIR_OK);
    add_queue(p, (struct weir_queue_spec){
                     .from = {0}, .to = {1}, .capacity = WEIR_AUTO, .produce = 4, .consume = 6, .threshold = 9, .initial = 2});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {2}, .capacity = 50, .produce = 1, .consume = 1, .threshold = 3});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {3}, .capacity = WEIR_UNBOUNDED, .consume = 5, .threshold = 5});
    add_source(p, (struct weir_source_spec){.op = {0}, .period = 100000, .count = 441, .batch = 64, .jitter = 5});
    add_source(p, (struct weir_source_spec){.op = {4}, .period = 10000, .count = 4, .bursty = true, .has_phase = true});
    add_source(p, (struct weir_source_spec){.op = {5}, .period = 125, .sporadic = true, .has_phase = true, .phase = 31});
    stage_deadline(p, 0, 2, 999);
    stage_seal(p);
    return p;
}

TEST(yaml_text)
{
    expect_text(rich(), WEIR_MODEL_YAML,
                "weir: 1\n"
                "name: radio\n"
                "unit: us\n"
                "platform: {cores: 12, scheduler: global-edf}\n"
                "operators:\n"
                "  a: {cost: {init: 1.5, per-sample: 0.2}}\n"
                "  b: {time: 2}\n"
                "  c: {time: [0.1, 1]}\n"
                "  d: {cost: {init: 0.7, per-sample: 0}}\n"
                "  e: {time: [0, 0.3]}\n"
                "  f: {time: [0, 0.4]}\n"
                "queues:\n"
                "  - {from: a, to: b, produce: 4, consume: 6, threshold: 9, capacity: auto, initial: 2}\n"
                "  - {from: b, to: c, threshold: 3, capacity: 50}\n"
                "  - {from: b, to: d, consume: 5, capacity: unbounded}\n"
                "sources:\n"
                "  - {operator: a, rate: 44.1kHz, batch: 64, jitter: 0.5}\n"
                "  - {operator: e, period: 1000, burst: 4, phase: 0}\n"
                "  - {operator: f, period: 12.5, phase: 3.1, sporadic: true}\n"
                "deadlines:\n"
                "  - {from: a, to: c, within: 99.9}\n");
}

TEST(json_text)
{
    static const char *const parts[] = {
        "\"platform\": {\"cores\": 12, \"scheduler\": \"global-edf\"},\n",
        "    \"a\": {\"cost\": {\"init\": 1.5, \"per-sample\": 0.2}},\n",
        "    \"b\": {\"time\": [2, 2]},\n",
        "\"to\": \"b\", \"produce\": 4, \"consume\": 6, \"threshold\": 9, \"capacity\": \"auto\", \"initial\": 2}",
        "{\"operator\": \"a\", \"rate\": \"44.1kHz\", \"batch\": 64, \"jitter\": 0.5, \"sporadic\": false}",
        "{\"operator\": \"e\", \"period\": 1000, \"burst\": 4, \"batch\": 1, \"phase\": 0}",
        "{\"operator\": \"f\", \"period\": 12.5, \"batch\": 1, \"phase\": 3.1, \"sporadic\": true}",
        NULL,
    };
    expect_parts(rich(), WEIR_MODEL_JSON, parts);
}

/* ---- rates ---- */

static struct weir_pipeline *rated(enum weir_unit unit, unsigned digits, struct weir_source_spec spec)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL);
    weir_pipeline_set_cores(p, 1, NULL);
    weir_pipeline_set_unit(p, unit, digits, NULL);
    stage_operator(p, "a", 1, 1);
    add_source(p, spec);
    stage_seal(p);
    return p;
}

TEST(rates)
{
    static const struct {
        enum weir_unit unit;
        unsigned digits;
        int64_t period, count;
        const char *rate;
    } list[] = {
        {WEIR_UNIT_US, 0, 1000000, 576000, "576kHz"},
        {WEIR_UNIT_NS, 3, 15625, 9, "576MHz"},
        {WEIR_UNIT_S, 0, 1, 3, "3Hz"},
        {WEIR_UNIT_S, 0, 1, 999, "999Hz"},
        {WEIR_UNIT_S, 0, 1, 1000, "1kHz"},
        {WEIR_UNIT_S, 0, 10, 3, "0.3Hz"},
        {WEIR_UNIT_MS, 0, 1, 5, "5kHz"},
        {WEIR_UNIT_US, 0, 1, 1000, "1GHz"},
        {WEIR_UNIT_US, 0, 16, 3, "187.5kHz"},
        {WEIR_UNIT_US, 0, 100000000, 2997, "29.97Hz"},
        {WEIR_UNIT_S, 0, 1, 1000000000000000, "1e6GHz"},
        {WEIR_UNIT_S, 0, 1000000000000000000, 3, "0.000000000000000003Hz"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct weir_source_spec spec = {.period = list[i].period, .count = list[i].count};
        struct weir_pipeline *p = rated(list[i].unit, list[i].digits, spec);
        char *text = write_as(p, WEIR_MODEL_YAML), *found = strstr(text, "rate: ");
        assert_non_null(found);
        found[strcspn(found, "}")] = 0;
        assert_string_equal(found + strlen("rate: "), list[i].rate);
        free(text);
        expect_both_return(p);
        weir_pipeline_free(p);
    }
}

TEST(sources_that_cannot_be_written)
{
    struct weir_source_spec third = {.period = 3, .count = 2}, half = {.period = 4, .count = 2};
    struct weir_source_spec digits = {.period = INT64_C(1) << 40, .count = 3}; /* 28 digits and more */
    struct weir_source_spec burst = {.period = 4, .count = INT64_C(1) << 31, .bursty = true};
    struct weir_source_spec fast = {.period = 1, .count = 7};
    struct weir_source_spec batch = {.period = 4, .batch = UINT32_MAX};
    expect_refusal(rated(WEIR_UNIT_US, 0, third), WEIR_MODEL_YAML,
                   "the source of operator \"a\" has several arrivals in a period, which is not a frequency: YAML cannot hold it");
    expect_refusal(rated(WEIR_UNIT_US, 0, digits), WEIR_MODEL_YAML,
                   "the source of operator \"a\" has several arrivals in a period, which is not a frequency: YAML cannot hold it");
    expect_refusal(rated(WEIR_UNIT_NS, 18, fast), WEIR_MODEL_YAML, /* 7e18 in a nanosecond */
                   "the source of operator \"a\" has several arrivals in a period, which is not a frequency: YAML cannot hold it");
    expect_refusal(rated(WEIR_UNIT_TICK, 0, half), WEIR_MODEL_JSON,
                   "the source of operator \"a\" has several arrivals in a period, which is not a frequency: JSON cannot hold it");
    expect_refusal(rated(WEIR_UNIT_TICK, 0, burst), WEIR_MODEL_YAML,
                   "the source of operator \"a\" has bursts or batches too large for YAML");
    expect_refusal(rated(WEIR_UNIT_TICK, 0, batch), WEIR_MODEL_JSON,
                   "the source of operator \"a\" has bursts or batches too large for JSON");
}

/* ---- many ---- */

static int64_t some(struct weir_random *random, int64_t most)
{
    return weir_random_between(random, 0, most);
}

static struct weir_source_spec any_source(struct weir_random *random, uint32_t op, bool seconds)
{
    struct weir_source_spec spec = {.op = {op}, .period = 1 + some(random, 1000), .batch = (uint32_t)some(random, 3)};
    spec.has_phase = some(random, 1);
    spec.phase = spec.has_phase ? some(random, 50) : 0;
    int64_t kind = some(random, 4);
    spec.bursty = kind == 0;
    spec.sporadic = kind == 1;
    spec.jitter = kind == 2 ? some(random, 3000) : 0;
    if (spec.bursty)
        spec.count = some(random, 9);
    else if (seconds && some(random, 1)) {
        static const int64_t periods[] = {1, 2, 4, 5, 8, 10, 16, 20, 25, 100, 125, 640, 1000, 1000000};
        spec.period = periods[some(random, 13)];
        spec.count = some(random, 100000);
    }
    return spec;
}

static void any_operator(struct weir_random *random, struct weir_pipeline *p, uint32_t number)
{
    char name[8] = {(char)('a' + number), 0};
    struct weir_operator_spec spec = {.name = name, .best = some(random, 100)};
    spec.worst = spec.best + 1 + some(random, 1) * some(random, 1000);
    if (some(random, 1))
        spec = (struct weir_operator_spec){
            .name = name, .has_cost = true, .cost_init = 1 + some(random, 100), .cost_sample = some(random, 20)};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
}

/* A forest, since the rates of a forest always agree: operator i reads from one before it, or has a source. */
static struct weir_pipeline *any_pipeline(struct weir_random *random)
{
    static const enum weir_unit units[] = {WEIR_UNIT_TICK, WEIR_UNIT_NS, WEIR_UNIT_US, WEIR_UNIT_MS, WEIR_UNIT_S};
    static const uint32_t capacities[] = {WEIR_AUTO, WEIR_UNBOUNDED, 1000};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    enum weir_unit unit = units[some(random, 4)];
    uint32_t count = 1 + (uint32_t)some(random, 7);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL);
    weir_pipeline_set_cores(p, 1 + (uint32_t)some(random, 100), NULL);
    weir_pipeline_set_unit(p, unit, unit == WEIR_UNIT_TICK ? 0 : (unsigned)some(random, 3), NULL);
    for (uint32_t i = 0; i < count; i++)
        any_operator(random, p, i);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || some(random, 4) == 0) {
            add_source(p, any_source(random, i, unit != WEIR_UNIT_TICK));
            continue;
        }
        struct weir_queue_spec spec = {.from = {(uint32_t)some(random, i - 1)}, .to = {i}, .capacity = capacities[some(random, 2)]};
        spec.produce = (uint32_t)some(random, 5);
        spec.consume = (uint32_t)some(random, 5);
        spec.threshold = some(random, 1) ? (spec.consume ? spec.consume : 1) + (uint32_t)some(random, 3) : 0;
        spec.initial = (uint32_t)some(random, 4);
        add_queue(p, spec);
    }
    if (some(random, 2) == 0) {
        struct weir_chain_spec chain = {.has_deadline = some(random, 1), .deadline = 1 + some(random, 99)};
        if (!chain.has_deadline)
            chain.deadline = 0;
        assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK); /* the first operator alone */
    }
    stage_seal(p);
    return p;
}

TEST(many)
{
    struct weir_random random;
    weir_random_seed(&random, 20260101);
    for (int i = 0; i < 3000; i++) {
        struct weir_pipeline *p = any_pipeline(&random);
        expect_both_return(p);
        weir_pipeline_free(p);
    }
}

TEST(memory)
{
    expect_memory_refused(rich(), WEIR_MODEL_YAML);
    expect_memory_refused(rich(), WEIR_MODEL_JSON);
}
