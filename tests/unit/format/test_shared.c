/* SPDX-License-Identifier: Apache-2.0 */
/* Written models on shared processors: their text, that they read back as the same pipeline, and who refuses them. */
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

/* Something of everything. */
static struct weir_pipeline *rich(void)
{
    static const struct weir_processor_spec processors[] = {{"dsp0", WEIR_PREEMPTIVE, 0, {0, 0}},
                                                            {"no", WEIR_NONPREEMPTIVE, 0, {0, 0}},
                                                            {"frames", WEIR_TDM, 105, {0, 0}},
                                                            {"turns", WEIR_ROUND_ROBIN, 0, {0, 0}}};
    static const struct weir_operator_spec operators[] = {
        {.name = "a", .best = 15, .worst = 20, .mapped = true, .has_priority = true, .priority = -3},
        {.name = "b", .best = 20, .worst = 20, .mapped = true, .on = {1}, .has_priority = true, .priority = 2147483647},
        {.name = "c", .worst = 10, .mapped = true, .on = {2}, .slot = 25},
        {.name = "d", .worst = 10, .mapped = true, .on = {3}, .slot = 1},
        {.name = "e", .worst = 10, .mapped = true, .on = {1}, .has_priority = true},
        {.name = "f", .worst = 10},
    };
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL);
    weir_pipeline_set_unit(p, WEIR_UNIT_MS, 1, NULL);
    weir_pipeline_set_latency_limit(p, 5005, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(weir_pipeline_add_processor(p, &processors[i], NULL, NULL), WEIR_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(weir_pipeline_add_operator(p, &operators[i], NULL, NULL), WEIR_OK);
    struct weir_queue_spec queue = {.from = {0}, .to = {1}, .capacity = WEIR_AUTO};
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
    queue = (struct weir_queue_spec){.from = {1}, .to = {0}, .capacity = WEIR_AUTO, .initial = 2, .nonblocking = true};
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
    stage_queue(p, (struct weir_operator){1}, (struct weir_operator){2}, WEIR_UNBOUNDED, 0);
    struct weir_source_spec source = {.op = {3}, .period = 100, .name = "two words", .jitter = 5, .has_phase = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    source = (struct weir_source_spec){.op = {0}, .period = 125, .jitter = 250, .sporadic = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    source = (struct weir_source_spec){.op = {4}, .period = 100, .name = "two words", .jitter = 5, .has_phase = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    source = (struct weir_source_spec){.op = {5}, .period = 90};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_deadline(p, 0, 1, 999);
    stage_seal(p);
    return p;
}

TEST(yaml_text)
{
    expect_text(rich(), WEIR_MODEL_YAML,
                "weir: 1\n"
                "unit: ms\n"
                "platform: {scheduler: fixed-priority, latency-limit: 500.5}\n"
                "processors:\n"
                "  dsp0: {}\n"
                "  \"no\": {preemptive: false}\n"
                "  frames: {scheduler: tdm, frame: 10.5}\n"
                "  turns: {scheduler: round-robin}\n"
                "operators:\n"
                "  a: {time: [1.5, 2], on: dsp0, priority: -3}\n"
                "  b: {time: 2, on: \"no\", priority: 2147483647}\n"
                "  c: {time: [0, 1], on: frames, slot: 2.5}\n"
                "  d: {time: [0, 1], on: turns, slot: 0.1}\n"
                "  e: {time: [0, 1], on: \"no\", priority: 0}\n"
                "  f: {time: [0, 1]}\n"
                "queues:\n"
                "  - {from: a, to: b, capacity: auto}\n"
                "  - {from: b, to: a, capacity: auto, initial: 2, blocking: false}\n"
                "  - {from: b, to: c, capacity: unbounded}\n"
                "sources:\n"
                "  - {operator: d, period: 10, name: \"two words\", jitter: 0.5, phase: 0}\n"
                "  - {operator: a, period: 12.5, jitter: 25, sporadic: true}\n"
                "  - {operator: e, period: 10, name: \"two words\", jitter: 0.5, phase: 0}\n"
                "  - {operator: f, period: 9}\n"
                "deadlines:\n"
                "  - {from: a, to: b, within: 99.9}\n");
}

TEST(json_text)
{
    static const char *const parts[] = {
        "\"platform\": {\"scheduler\": \"fixed-priority\", \"latency-limit\": 500.5},\n",
        "    \"dsp0\": {\"scheduler\": \"fixed-priority\", \"preemptive\": true},\n",
        "    \"no\": {\"scheduler\": \"fixed-priority\", \"preemptive\": false},\n",
        "    \"frames\": {\"scheduler\": \"tdm\", \"frame\": 10.5},\n",
        "    \"turns\": {\"scheduler\": \"round-robin\"}\n",
        "    \"a\": {\"time\": [1.5, 2], \"on\": \"dsp0\", \"priority\": -3},\n",
        "    \"c\": {\"time\": [0, 1], \"on\": \"frames\", \"slot\": 2.5},\n",
        "{\"from\": \"b\", \"to\": \"a\", \"capacity\": \"auto\", \"initial\": 2, \"blocking\": false}",
        "\"name\": \"two words\", \"jitter\": 0.5, \"phase\": 0, \"sporadic\": false}",
        "{\"operator\": \"a\", \"period\": 12.5, \"jitter\": 25, \"phase\": \"unknown\", \"sporadic\": true}",
        NULL,
    };
    struct weir_pipeline *p = rich();
    char *text = write_as(p, WEIR_MODEL_JSON);
    assert_null(strstr(text, "arrivals"));
    free(text);
    expect_parts(p, WEIR_MODEL_JSON, parts);
}

/* A priority where none matters cannot be read, so it is not written. */
TEST(priorities_without_effect)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL);
    weir_pipeline_add_processor(p, &(struct weir_processor_spec){.name = "turns", .sharing = WEIR_ROUND_ROBIN}, NULL, NULL);
    struct weir_operator_spec spec = {.name = "a", .worst = 1, .mapped = true, .slot = 1, .has_priority = true, .priority = 5};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    spec = (struct weir_operator_spec){.name = "b", .worst = 1, .has_priority = true, .priority = 5};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    stage_queue(p, (struct weir_operator){0}, (struct weir_operator){1}, 1, 0);
    stage_period(p, (struct weir_operator){0}, 9, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    for (int format = WEIR_MODEL_YAML; format <= WEIR_MODEL_JSON; format++) {
        char *text = write_as(p, (enum weir_model_format)format);
        struct weir_pipeline *again = read_back(text);
        assert_false(weir_pipeline_operator(again, (struct weir_operator){0}).has_priority);
        assert_false(weir_pipeline_operator(again, (struct weir_operator){1}).has_priority);
        weir_pipeline_free(again);
        free(text);
    }
    weir_pipeline_free(p);
}

/* ---- names ---- */

static struct weir_pipeline *named(const char *processor, const char *source)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL);
    assert_int_equal(weir_pipeline_add_processor(p, &(struct weir_processor_spec){.name = processor}, NULL, NULL), WEIR_OK);
    struct weir_operator_spec spec = {.name = "a", .worst = 1, .mapped = true};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_source(p, &(struct weir_source_spec){.period = 5, .name = source}, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

TEST(names)
{
    static const char *const list[] = {"true", "No", "~",  "1",  "-", "a -> b", " led and trailed ", "[x]", "a: b", "#",
                                       "&a",   "?",  "\"", "\\", "%", "<<",     "caf\xc3\xa9",       "null"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct weir_pipeline *p = named(list[i], list[i]);
        expect_both_return(p);
        weir_pipeline_free(p);
    }
    char longest[2001];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    struct weir_pipeline *p = named(longest, longest);
    char *text = write_as(p, WEIR_MODEL_YAML);
    struct weir_pipeline *again = read_back(text);
    assert_string_equal(weir_pipeline_processor(again, (struct weir_processor){0}).name, longest);
    assert_string_equal(weir_pipeline_source(again, 0).name, longest);
    weir_pipeline_free(again);
    weir_pipeline_free(p);
    free(text);
}

TEST(names_that_cannot_be_written)
{
    char longest[600];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    expect_refusal(named("caf\xe9", NULL), WEIR_MODEL_YAML,
                   "processor \"caf?\" has a name that is not UTF-8 text: YAML cannot hold it");
    expect_refusal(named("x\ny", NULL), WEIR_MODEL_JSON,
                   "processor \"x?y\" has a name that is not UTF-8 text: JSON cannot hold it");
    expect_refusal(named("x", "caf\xe9"), WEIR_MODEL_YAML,
                   "source \"caf?\" has a name that is empty or not UTF-8 text: YAML cannot hold it");
    expect_refusal(named("x", ""), WEIR_MODEL_JSON, "source \"\" has a name that is empty or not UTF-8 text: JSON cannot hold it");
    expect_refusal(named(longest, NULL), WEIR_MODEL_JSON, "has a name too long to be read back as a key of JSON");
}

/* Better no file than one that forgets where operators run. */
static void expect_refused_by_others(struct weir_pipeline *(*make)(void), const char *what)
{
    static const char *const own[WEIR_MODEL_FORMATS] = {NULL, NULL, "DOT", "SDF3", "UPPAAL", "UPPAAL", "UPPAAL", "TChecker"};
    char words[128];
    for (int format = WEIR_MODEL_DOT; format < WEIR_MODEL_FORMATS; format++) {
        snprintf(words, sizeof words, "%s: %s cannot hold that; YAML and JSON can", what, own[format]);
        expect_refusal(make(), (enum weir_model_format)format, words);
    }
}

static struct weir_pipeline *on_cores(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_cores(p, 2, NULL), WEIR_OK);
    stage_period(p, stage_operator(p, "a", 1, 1), 5, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    return p;
}

TEST(formats_for_threads_alone)
{
    expect_refused_by_others(rich, "the operators share processors");
    expect_refused_by_others(on_cores, "the operators run on a pool of cores");
    struct weir_pipeline *p = rich();
    struct weir_error error = {0};
    assert_int_equal(weir_pipeline_write_dot(p, stdout, &error), WEIR_INVALID);
    assert_string_equal(error.message, "the operators share processors: DOT cannot hold that; YAML and JSON can");
    weir_pipeline_free(p);
}

/* ---- many ---- */

static int64_t some(struct weir_random *random, int64_t most)
{
    return weir_random_between(random, 0, most);
}

static void any_operator(struct weir_random *random, struct weir_pipeline *p, uint32_t number)
{
    char name[8] = {(char)('a' + number), 0};
    struct weir_operator_spec spec = {.name = name, .best = some(random, 100)};
    spec.worst = spec.best + 1 + some(random, 1) * some(random, 1000);
    spec.mapped = some(random, 3) > 0;
    if (spec.mapped) {
        spec.on.index = (uint32_t)some(random, 3);
        bool slots = spec.on.index > 1;
        spec.slot = slots ? 1 + some(random, 50) : 0;
        spec.has_priority = !slots;
        spec.priority = slots ? 0 : (int32_t)(some(random, 4) - 2);
    }
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
}

static struct weir_pipeline *any_pipeline(struct weir_random *random)
{
    static const enum weir_unit units[] = {WEIR_UNIT_TICK, WEIR_UNIT_NS, WEIR_UNIT_US, WEIR_UNIT_MS, WEIR_UNIT_S};
    static const char *const names[] = {NULL, "s", "t", "source", "source 2"};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL);
    weir_pipeline_set_unit(p, units[some(random, 4)], (unsigned)some(random, 5), NULL);
    weir_pipeline_set_latency_limit(p, some(random, 1) * some(random, 99999), NULL);
    for (uint32_t i = 0; i < 4; i++) {
        char name[8] = {'p', (char)('0' + i), 0};
        struct weir_processor_spec spec = {.name = name, .sharing = (enum weir_sharing)i, .frame = i == 2 ? 300 : 0};
        weir_pipeline_add_processor(p, &spec, NULL, NULL);
    }
    uint32_t count = (uint32_t)weir_random_between(random, 1, 7);
    for (uint32_t i = 0; i < count; i++)
        any_operator(random, p, i);
    for (uint32_t to = 1; to < count; to++)
        for (uint32_t from = 0; from < to; from++) {
            struct weir_queue_spec spec = {.from = {from}, .to = {to}, .capacity = (uint32_t)some(random, 3) + 1};
            spec.initial = some(random, 4) == 0 ? (uint32_t)some(random, spec.capacity) : 0;
            spec.nonblocking = some(random, 3) == 0;
            if (some(random, 1) == 0)
                spec.capacity = some(random, 2) ? WEIR_AUTO : WEIR_UNBOUNDED;
            if (some(random, 2) == 0)
                assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
        }
    for (uint32_t i = 0; i < count; i++) {
        struct weir_source_spec spec = {.op = {i}, .name = names[some(random, 4)], .arrivals = WEIR_ARRIVALS_EXACT};
        uint64_t hash = spec.name ? strlen(spec.name) : (uint64_t)some(random, 7);
        spec.period = 5000 + (int64_t)hash * 17;
        spec.jitter = hash % 2 ? (int64_t)hash * 777 : 0;
        spec.sporadic = hash % 3 == 0;
        spec.has_phase = hash % 4 == 0;
        spec.phase = spec.has_phase ? (int64_t)hash * 5 : 0;
        if (some(random, 2) == 0)
            assert_int_equal(weir_pipeline_add_source(p, &spec, NULL), WEIR_OK);
    }
    add_any_chains(p, random, count, 2);
    return p;
}

TEST(any)
{
    expect_any_return(any_pipeline, 11, 20000, WEIR_MODEL_YAML, WEIR_MODEL_JSON);
}

TEST(generated)
{
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct weir_generate_priority_options options = {.seed = seed,
                                                         .graphs = 1 + seed % 3,
                                                         .tasks = 1 + seed % 6,
                                                         .processors = 1 + seed % 4,
                                                         .load_permille = 600,
                                                         .best_permille = 500,
                                                         .jitter_permille = 1500,
                                                         .cyclic = seed % 2,
                                                         .sporadic = seed % 3 == 0,
                                                         .mixed = seed % 4 == 0,
                                                         .sized = seed % 5 == 0};
        struct weir_pipeline *p;
        struct weir_error error;
        if (weir_generate_priority(&options, &p, &error) != WEIR_OK)
            fail_msg("%s", error.message);
        expect_both_return(p);
        weir_pipeline_free(p);
    }
    for (size_t i = 0; i < weir_priority_system_count(); i++) {
        struct weir_pipeline *p;
        assert_int_equal(weir_generate_priority_system(weir_priority_system_name(i), 0, 0, &p, NULL), WEIR_OK);
        expect_both_return(p);
        weir_pipeline_free(p);
    }
}

TEST(out_of_memory)
{
    expect_memory_refused(rich(), WEIR_MODEL_YAML);
    expect_memory_refused(rich(), WEIR_MODEL_JSON);
}
