/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every key of the table goes round: from a model of each platform, values of keys are drawn at random; where the pipeline accepts
 * one, it is written as YAML and as JSON, the text says something new, and what is read from it is the same pipeline. No row can be
 * without an effect.
 */
#include "base/random.h"
#include "model/pipeline.h"
#include "model/schema.h"
#include "support/again.h"
#include "support/runner.h"
#include "support/same.h"

#include <stdlib.h>
#include <string.h>

static const char *const models[] = {
    [WEIR_PLATFORM_THREADS] = "unit: us\n"
                              "operators: {a: {time: [2, 9], gpu: {time: [1, 4]}, observed: {max: 9, from: log}}, b: [1, 7], c: "
                              "30, d: 5, e: 1, f: 1, g: 1}\n"
                              "queues:\n  - {from: a, to: b, capacity: 3}\n  - b -> c\n  - {from: c, to: d, capacity: 4}\n"
                              "  - {from: a, to: e, capacity: 6}\n  - e -> f\n  - e -> g\n  - {from: f, to: g, capacity: 2}\n"
                              "sources: [{operator: a, period: 50}]\n"
                              "deadlines: [{from: a, to: d, within: 900}]\nmeasure: [{from: b, to: d}]\n",
    [WEIR_PLATFORM_PROCESSORS] =
        "unit: us\nplatform: {scheduler: fixed-priority}\n"
        "processors: {p: {}, q: {preemptive: false}, r: {scheduler: tdm, frame: 30}}\n"
        "operators: {a: {time: 1, on: p, priority: 1}, b: {time: 2, on: q, priority: 2}, c: {time: 1, on: r, slot: 9}}\n"
        "queues:\n  - a -> b\n  - {from: b, to: c, capacity: auto}\n  - {from: c, to: a, initial: 1}\n"
        "sources: [{operator: a, period: 90}]\ndeadlines: [{from: a, to: c, within: 500}]\n",
    [WEIR_PLATFORM_CORES] = "unit: us\nplatform: {cores: 2}\n"
                            "operators: {a: {cost: {init: 1, per-sample: 0.5}}, b: 3, c: [1, 2]}\n"
                            "queues: [a -> b, b -> c]\n"
                            "sources: [{operator: a, period: 100}]\ndeadlines: [{from: a, to: c, within: 500}]\n",
    [WEIR_PLATFORM_GPU] = ("unit: us\nplatform: {gpu: {sms: 8}}\nkernels: {a: 20, b: {load: 30}, c: {times: {1: 9, 2: 5}}}\n"
                           "dependencies: [a -> b, a -> c]\n"),
};

/* Below `count`. */
static int64_t draw(struct weir_random *random, size_t count)
{
    return weir_random_between(random, 0, (int64_t)count - 1);
}

static int64_t draw_value(const struct weir_key *key, const struct weir_pipeline *p, struct weir_random *random)
{
    int64_t words = 0;
    while (key->words && key->words[words])
        words++;
    switch (key->type) {
    case WEIR_VALUE_TIME:
        return draw(random, 60);
    case WEIR_VALUE_COUNT:
        return 1 + draw(random, 6);
    case WEIR_VALUE_NUMBER:
        return draw(random, 3);
    case WEIR_VALUE_INTEGER:
        return draw(random, 9) - 4;
    case WEIR_VALUE_CAPACITY:
        return draw(random, 4) ? 1 + draw(random, 6) : draw(random, 2) ? WEIR_UNBOUNDED : WEIR_AUTO;
    case WEIR_VALUE_FLAG:
        return draw(random, 2);
    case WEIR_VALUE_CHOICE:
        return draw(random, (size_t)words);
    case WEIR_VALUE_PROCESSOR:
        return draw(random, p->processor_count);
    default:
        return -1; /* the ends of queues are what the model is */
    }
}

static void set_random(const struct weir_key *key, void *spec, const struct weir_pipeline *p, struct weir_random *random)
{
    static const char *const names[] = {"plain", "with \"quotes\" -> and: {all}", "\xe5\x9b\xbe", "true"};
    int64_t numbers[2] = {draw_value(key, p, random), 0};
    if (key->type == WEIR_VALUE_NAME)
        weir_key_set_name(key, spec, names[draw(random, 4)]);
    if (key->type == WEIR_VALUE_INTERVAL) {
        numbers[0] = draw(random, 9);
        numbers[1] = numbers[0] + draw(random, 9);
    }
    if (numbers[0] >= 0 || key->type == WEIR_VALUE_INTEGER)
        weir_key_set(key, spec, numbers);
}

/* The structure of an owner, of something in the pipeline that has one; NULL: nothing has. */
static void *choose_spec(enum weir_owner owner, struct weir_pipeline *p, struct weir_random *random)
{
    struct weir_operator_spec *o = &p->operators[draw(random, p->operator_count)];
    struct weir_launch *launch = weir_arena_take(&p->arena, sizeof *launch);
    struct weir_observed *observed = weir_arena_take(&p->arena, sizeof *observed);
    assert_true(launch && observed);
    switch (owner) {
    case WEIR_OF_OPERATOR:
    case WEIR_OF_KERNEL:
        return o;
    case WEIR_OF_COST:
        return o->has_cost ? o : NULL;
    case WEIR_OF_LAUNCH:
        *launch = o->launch ? *o->launch : (struct weir_launch){.best = 1, .worst = 2};
        o->launch = launch;
        return launch;
    case WEIR_OF_OBSERVED:
        *observed = o->observed ? *o->observed : (struct weir_observed){.min = -1, .max = 77, .from = "somewhere"};
        o->observed = observed;
        return observed;
    case WEIR_OF_QUEUE:
        return &p->queues[draw(random, p->queue_count)];
    case WEIR_OF_SOURCE:
        return p->source_count ? &p->sources[draw(random, p->source_count)] : NULL;
    case WEIR_OF_DEADLINE:
        return p->chain_count ? &p->chains[draw(random, p->chain_count)] : NULL;
    case WEIR_OF_PROCESSOR:
        return p->processor_count ? &p->processors[draw(random, p->processor_count)] : NULL;
    default:
        return NULL;
    }
}

/* All that lead to one port are one queue. */
static void share_port(struct weir_pipeline *p, const struct weir_queue_spec *queue)
{
    const char *port = queue->port;
    uint32_t to = queue->to.index;
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].to.index == to)
            p->queues[i] = (struct weir_queue_spec){.from = p->queues[i].from,
                                                    .to = {to},
                                                    .capacity = 3,
                                                    .nonblocking = p->queues[i].nonblocking,
                                                    .full = WEIR_FULL_FAULT,
                                                    .port = port,
                                                    .place = p->queues[i].place};
}

static bool change(struct weir_pipeline *p, enum weir_key_id id, struct weir_random *random)
{
    const struct weir_key *key = &weir_keys[id];
    struct weir_platform_spec platform = weir_platform_spec(p);
    bool of_platform = key->owner == WEIR_OF_PLATFORM || key->owner == WEIR_OF_GPU;
    void *spec = of_platform ? &platform : choose_spec(key->owner, p, random);
    if (!spec)
        return false;
    set_random(key, spec, p, random);
    if (id == WEIR_KEY_PORT)
        share_port(p, spec);
    if (key->owner == WEIR_OF_PLATFORM && p->platform == WEIR_PLATFORM_THREADS) {
        if (platform.workers.dispatch == WEIR_DISPATCH_GREEDY)
            platform.workers.workers = 1;
        if (platform.workers.dispatch != WEIR_DISPATCH_POLLED)
            platform.workers.polling = 0;
        return weir_pipeline_set_workers(p, &platform.workers, NULL) == WEIR_OK;
    }
    if (key->owner == WEIR_OF_GPU)
        return weir_pipeline_set_gpu(p, &platform.gpu, NULL) == WEIR_OK;
    if (of_platform)
        return p->platform == WEIR_PLATFORM_CORES ? weir_pipeline_set_cores(p, platform.cores, NULL) == WEIR_OK
                                                  : weir_pipeline_set_latency_limit(p, platform.latency_limit, NULL) == WEIR_OK;
    bool good = true;
    for (size_t i = 0; i < p->operator_count; i++)
        good &= weir_operator_check(p, &p->operators[i], NULL) == WEIR_OK;
    for (size_t i = 0; i < p->queue_count; i++)
        good &= weir_queue_check(p, &p->queues[i], NULL) == WEIR_OK;
    for (size_t i = 0; i < p->source_count; i++)
        good &= weir_source_check(p, &p->sources[i], NULL) == WEIR_OK;
    return good;
}

static void check_round_trip(const struct weir_pipeline *p, const char *text)
{
    struct weir_pipeline *again = read_back(text);
    const char *difference = find_difference(p, again, WEIR_MODEL_YAML);
    if (difference)
        fail_msg("%s\n%s", difference, text);
    weir_pipeline_free(again);
}

/* Whether the table makes nobody else responsible for it. */
static bool is_drawn(const struct weir_key *key, enum weir_platform platform)
{
    return key->size && key->type != WEIR_VALUE_MAP && key->type != WEIR_VALUE_OPERATOR && key->owner != WEIR_OF_ENDS &&
           (key->platforms & weir_platform_bit(platform)) && !(key->owner == WEIR_OF_QUEUE && platform == WEIR_PLATFORM_GPU) &&
           !(key == &weir_keys[WEIR_KEY_SCHEDULER] && platform != WEIR_PLATFORM_THREADS) &&
           !(key == &weir_keys[WEIR_KEY_ARRIVALS] && platform != WEIR_PLATFORM_THREADS);
}

static void walk(enum weir_platform platform, uint64_t seed, unsigned *seen)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    struct weir_pipeline *p = read_back(models[platform]);
    char *text = write_as(p, WEIR_MODEL_YAML);
    for (int step = 0; step < 120; step++) {
        enum weir_key_id id = (enum weir_key_id)draw(&random, WEIR_KEY_COUNT);
        struct weir_pipeline *next = is_drawn(&weir_keys[id], platform) ? weir_pipeline_copy(p, NULL) : NULL;
        if (!next || !change(next, id, &random) || weir_pipeline_seal(next, NULL, NULL) != WEIR_OK) {
            weir_pipeline_free(next);
            continue;
        }
        char *yaml = write_as(next, WEIR_MODEL_YAML), *json = write_as(next, WEIR_MODEL_JSON);
        check_round_trip(next, yaml);
        check_round_trip(next, json);
        seen[id] += strcmp(yaml, text) != 0;
        free(json);
        free(text);
        weir_pipeline_free(p);
        text = yaml;
        p = next;
    }
    free(text);
    weir_pipeline_free(p);
}

/* The first key that is still missing; WEIR_KEY_COUNT: none. Some fit few models, and are not drawn often. */
static size_t never_seen(enum weir_platform platform, const unsigned *seen)
{
    size_t i = 0;
    while (i < WEIR_KEY_COUNT && (!is_drawn(&weir_keys[i], platform) || seen[i]))
        i++;
    return i;
}

TEST(every_key_goes_round)
{
    for (enum weir_platform platform = WEIR_PLATFORM_THREADS; platform <= WEIR_PLATFORM_GPU; platform++) {
        unsigned seen[WEIR_KEY_COUNT] = {0};
        for (uint64_t seed = 1; seed <= 150 || (seed <= 2000 && never_seen(platform, seen) < WEIR_KEY_COUNT); seed++)
            walk(platform, seed, seen);
        size_t i = never_seen(platform, seen);
        if (i < WEIR_KEY_COUNT)
            fail_msg("\"%s\" of %s was never written and read on platform %d", weir_keys[i].name,
                     weir_owner_words[weir_keys[i].owner].words, (int)platform);
    }
}

/* What a row says fits its field and the other rows. */
TEST(rows_are_sound)
{
    for (size_t i = 0; i < WEIR_KEY_COUNT; i++) {
        const struct weir_key *key = &weir_keys[i];
        size_t size = key->type == WEIR_VALUE_FLAG ? sizeof(bool) : key->type == WEIR_VALUE_CHOICE ? sizeof(enum weir_full) : 0;
        bool wide = key->type == WEIR_VALUE_TIME || key->type == WEIR_VALUE_INTERVAL;
        if (key->size && (size || wide))
            assert_int_equal(key->size, wide ? sizeof(int64_t) : size);
        assert_true(key->owner == WEIR_OF_ENDS || (key->text && *key->text));
        assert_true(key->type != WEIR_VALUE_OTHER || (key->json && *key->json));
        assert_true(key->type != WEIR_VALUE_CHOICE || key->words);
        assert_true(key->type != WEIR_VALUE_COUNT || (key->of && key->most));
        assert_true((key->platforms & WEIR_ON_GPU) || key->owner != WEIR_OF_TOP || key->not_gpu);
        for (size_t k = i + 1; k < WEIR_KEY_COUNT; k++)
            assert_false(weir_keys[k].owner == key->owner && strcmp(weir_keys[k].name, key->name) == 0);
    }
    assert_int_equal(weir_key_choice(&weir_keys[WEIR_KEY_FULL], "Reject"), WEIR_FULL_REJECT);
    assert_int_equal(weir_key_choice(&weir_keys[WEIR_KEY_FULL], ""), -1);
}
