/* SPDX-License-Identifier: Apache-2.0 */
/* weir_explore as a whole: any number of threads, stopping, limits, memory, what it refuses. */
#include "support/runner.h"
#include "unit/explore/exploring.h"

#include <string.h>

static const enum weir_explore_goal goals[] = {WEIR_EXPLORE_PRIORITIES, WEIR_EXPLORE_MAPPING, WEIR_EXPLORE_SPACING,
                                               WEIR_EXPLORE_BUFFERS};
enum { GOALS = sizeof goals / sizeof *goals };

/* ---- the WLAN decoder with a burst of three ---- */

/* 30 us, from the arrival of a symbol to its decoding. */
static int64_t thirty(const struct weir_pipeline *p)
{
    int64_t ticks = 0;
    assert_int_equal(weir_time_parse(p, "30us", &ticks, NULL), WEIR_OK);
    return ticks;
}

TEST(test_wlan_spacing)
{
    struct weir_pipeline *p = NULL;
    /* 80 kHz and 25 us of jitter. */
    assert_int_equal(weir_generate_priority_system("wlan", 25, 50, &p, NULL), WEIR_OK);
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_SPACING, .verify = true};
    struct weir_exploration *e = exploring_run(p, &options);
    assert_non_null(e->pipeline);
    assert_true(e->complete);
    assert_true(e->after->verified);
    assert_int_equal(e->delay, 2 * e->spacing);
    assert_true(e->after->latencies[0].worst + e->delay <= thirty(p));
    assert_true(e->before->latencies[0].worst > thirty(p));
    assert_true(weir_pipeline_source(e->pipeline, e->source).sporadic);
    weir_exploration_free(e);
    weir_pipeline_free(p);
}

/* Finer ticks than can all be tried: the same spacing is found. */
TEST(test_spacing_in_fine_ticks)
{
    struct weir_pipeline *coarse = NULL;
    assert_int_equal(weir_generate_priority_system("wlan", 25, 50, &coarse, NULL), WEIR_OK);
    struct weir_pipeline *fine = weir_pipeline_copy(coarse, NULL);
    enum { FINER = 100000 };
    for (uint32_t i = 0; i < weir_pipeline_operator_count(fine); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(fine, (struct weir_operator){i});
        spec.best *= FINER;
        spec.worst *= FINER;
        assert_int_equal(weir_pipeline_change_operator(fine, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(fine); i++) {
        struct weir_source_spec spec = weir_pipeline_source(fine, i);
        spec.period *= FINER;
        spec.jitter *= FINER;
        assert_int_equal(weir_pipeline_change_source(fine, i, &spec, NULL), WEIR_OK);
    }
    assert_int_equal(weir_pipeline_seal(fine, NULL, NULL), WEIR_OK);
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_SPACING};
    struct weir_exploration *e = exploring_run(fine, &options);
    assert_non_null(e->pipeline);
    assert_false(e->complete);
    assert_true(e->after->latencies[0].worst + e->delay <= thirty(coarse) * FINER);
    weir_exploration_free(e);
    weir_pipeline_free(fine);
    weir_pipeline_free(coarse);
}

/* Symbols that arrive with jitter, pass the regulator and are decoded: none takes longer than was promised. */
struct regulated {
    int64_t arrival[STAGE_ITERATIONS], passed[STAGE_ITERATIONS], spacing, longest, held;
    uint32_t sink;
};

static int64_t release(void *context, uint32_t source, int64_t iteration, int64_t *spread)
{
    const struct regulated *r = context;
    (void)source;
    *spread = iteration == 0 ? 0 : r->passed[iteration] - r->passed[iteration - 1] - r->spacing;
    return 0;
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal)
{
    struct regulated *r = context;
    assert_int_equal(nominal, r->passed[iteration]);
    if (op.index == r->sink && moment == WEIR_FINISH && time - r->arrival[iteration] > r->longest)
        r->longest = time - r->arrival[iteration];
}

TEST(test_regulator_in_simulation)
{
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_generate_priority_system("wlan", 25, 50, &p, NULL), WEIR_OK);
    struct weir_source_spec source = weir_pipeline_source(p, 0);
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_SPACING};
    struct weir_exploration *e = exploring_run(p, &options);
    struct regulated r = {.spacing = e->spacing, .sink = weir_pipeline_chain(p, 0).to.index};
    for (int64_t burst = 1; burst <= 4; burst++) {
        for (int64_t i = 0; i < STAGE_ITERATIONS; i++) {
            /* As late as can be up to a moment, then as early as can be: `burst` of them at once, if there are as many. */
            int64_t first = i - i % burst, late = first * source.period + source.jitter, early = i * source.period;
            int64_t last = i ? r.arrival[i - 1] : 0, passed = i ? r.passed[i - 1] + r.spacing : 0;
            r.arrival[i] = early > late ? early : late;
            r.arrival[i] = r.arrival[i] > last ? r.arrival[i] : last;
            assert_true(r.arrival[i] >= early && r.arrival[i] <= early + source.jitter);
            r.passed[i] = r.arrival[i] > passed ? r.arrival[i] : passed;
            r.held = r.passed[i] - r.arrival[i] > r.held ? r.passed[i] - r.arrival[i] : r.held;
        }
        struct weir_processors_options simulation = {.iterations = STAGE_ITERATIONS,
                                                     .times = WEIR_TIMES_WORST,
                                                     .releases = WEIR_RELEASES_GIVEN,
                                                     .phases = r.passed,
                                                     .given_release = release,
                                                     .observe = observe,
                                                     .context = &r};
        assert_int_equal(weir_processors_simulate(e->pipeline, &simulation, NULL), WEIR_OK);
    }
    assert_int_equal(r.held, e->delay);
    assert_true(r.longest <= e->after->latencies[0].worst + e->delay);
    assert_true(r.longest > e->after->latencies[0].worst);
    weir_exploration_free(e);
    weir_pipeline_free(p);
}

TEST(test_nothing_to_regulate)
{
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_generate_priority_system("wlan", 25, 0, &p, NULL), WEIR_OK);
    struct weir_pipeline *still = weir_pipeline_copy(p, NULL);
    for (uint32_t i = 0; i < weir_pipeline_source_count(still); i++) {
        struct weir_source_spec spec = weir_pipeline_source(still, i);
        spec.jitter = 0;
        assert_int_equal(weir_pipeline_change_source(still, i, &spec, NULL), WEIR_OK);
    }
    assert_int_equal(weir_pipeline_seal(still, NULL, NULL), WEIR_OK);
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_SPACING};
    struct weir_exploration *e = exploring_run(still, &options);
    assert_null(e->pipeline);
    assert_true(e->complete);
    assert_non_null(strstr(e->note, "jitter"));
    weir_exploration_free(e);
    /* Asked for by name it is a mistake. */
    struct weir_operator op = weir_pipeline_source(still, 0).op;
    options.source = &op;
    assert_int_equal(weir_explore(still, &options, &e, NULL), WEIR_INVALID);
    assert_null(e);
    weir_pipeline_free(still);
    weir_pipeline_free(p);
}

/* ---- an overloaded processor ---- */

/* p has more than it can do, q has nothing. */
TEST(test_mapping_relieves)
{
    struct weir_pipeline *p = stage_read("processors: [p, q]\noperators:\n"
                                         "  a: {time: 4, on: p, priority: 1}\n  b: {time: 4, on: p, priority: 2}\n"
                                         "  c: {time: 4, on: p, priority: 3}\n  d: {time: 4, on: p, priority: 4}\n"
                                         "queue: auto\nqueues: [a -> b -> c -> d]\nsource: {operator: a, period: 8}\n"
                                         "deadlines: [{from: a, to: d, within: 24}]\n");
    struct weir_operator pinned[] = {{1}};
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_MAPPING, .pinned = pinned, .pinned_count = 1};
    struct weir_exploration *e = exploring_run(p, &options);
    assert_int_equal(e->before->outcome, WEIR_PRIORITY_UNBOUNDED);
    assert_non_null(e->pipeline);
    assert_int_equal(e->after->outcome, WEIR_PRIORITY_CONVERGED);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < 4; i++)
        moved += weir_pipeline_operator(e->pipeline, (struct weir_operator){i}).on.index;
    assert_int_equal(moved, 2);
    assert_int_equal(weir_pipeline_operator(e->pipeline, (struct weir_operator){1}).on.index, 0);
    weir_exploration_free(e);
    weir_pipeline_free(p);
}

/* ---- threads ---- */

TEST(test_threads_do_not_show)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct weir_pipeline *p = exploring_random(seed, 1 + seed % 2, 6, 2);
        for (size_t g = 0; g < GOALS; g++) {
            struct weir_explore_options options = {
                .goal = goals[g], .method = WEIR_PRIORITY_EI, .seed = seed, .starts = 3, .evaluations = 700, .threads = 1};
            struct weir_exploration *one = exploring_run(p, &options);
            for (options.threads = 2; options.threads <= 4; options.threads += 2) {
                struct weir_exploration *many = exploring_run(p, &options);
                exploring_assert_same(one, many);
                weir_exploration_free(many);
            }
            weir_exploration_free(one);
        }
        weir_pipeline_free(p);
    }
}

/* ---- stopping ---- */

struct patience {
    bool stop;
    unsigned calls, last;
};

static void lose_patience(void *context, unsigned permille)
{
    struct patience *patience = context;
    assert_true(permille <= 1000);
    patience->last = permille;
    if (++patience->calls == 20)
        __atomic_store_n(&patience->stop, true, __ATOMIC_RELAXED);
}

TEST(test_stop)
{
    struct weir_pipeline *p = exploring_random(3, 1, 12, 2);
    for (unsigned threads = 1; threads <= 3; threads += 2)
        for (size_t g = 0; g < GOALS; g++) {
            struct patience patience = {.stop = false};
            struct weir_explore_options options = {.goal = goals[g],
                                                   .method = WEIR_PRIORITY_EI,
                                                   .threads = threads,
                                                   .stop = &patience.stop,
                                                   .progress = lose_patience,
                                                   .context = &patience};
            struct weir_exploration *e = exploring_run(p, &options);
            if (patience.stop && !e->complete)
                assert_true(e->interrupted);
            weir_exploration_free(e);
            /* Stopped before it begins. */
            patience = (struct patience){.stop = true};
            e = exploring_run(p, &options);
            assert_int_equal(e->evaluations, 0);
            assert_null(e->pipeline);
            assert_true(e->complete || e->interrupted);
            weir_exploration_free(e);
        }
    weir_pipeline_free(p);
}

TEST(test_limit)
{
    struct weir_pipeline *p = exploring_random(5, 1, 12, 2);
    for (uint64_t limit = 1; limit <= 40; limit += 13)
        for (size_t g = 0; g < GOALS; g++) {
            struct weir_explore_options options = {.goal = goals[g], .method = WEIR_PRIORITY_EI, .evaluations = limit};
            struct weir_exploration *e = exploring_run(p, &options);
            assert_true(e->evaluations <= limit);
            assert_true(e->complete || e->interrupted);
            weir_exploration_free(e);
        }
    weir_pipeline_free(p);
}

/* ---- memory ---- */

struct attempt {
    struct weir_pipeline *model;
    struct weir_explore_options options;
};

static enum weir_status try_to_explore(void *context)
{
    struct attempt *attempt = context;
    struct weir_exploration *exploration;
    struct weir_error error;
    enum weir_status status = weir_explore(attempt->model, &attempt->options, &exploration, &error);
    assert_int_equal(status == WEIR_OK, exploration != NULL);
    struct weir_answer *answer = NULL;
    if (!status)
        status = weir_exploration_answer(attempt->model, &attempt->options, exploration, &answer, NULL);
    status = status ? status : exploring_write(answer);
    weir_exploration_free(exploration);
    return status;
}

TEST(test_memory)
{
    struct weir_pipeline *p = stage_read("processors: [p, q]\noperators:\n"
                                         "  a: {time: 2, on: p, priority: 2}\n  b: {time: 3, on: p, priority: 1}\n"
                                         "queue: auto\nqueues: [a -> b]\nsource: {operator: a, period: 8, jitter: 9}\n");
    for (size_t g = 0; g < GOALS; g++) {
        struct attempt attempt = {p, {.goal = goals[g], .method = WEIR_PRIORITY_EI, .threads = 1, .evaluations = 6}};
        assert_true(stage_fail_each_allocation(try_to_explore, &attempt) > 20);
    }
    /* Climbing, too. */
    struct attempt attempt = {
        p, {.goal = WEIR_EXPLORE_MAPPING, .method = WEIR_PRIORITY_EI, .threads = 1, .evaluations = 5, .starts = 3}};
    assert_true(stage_fail_each_allocation(try_to_explore, &attempt) > 20);
    weir_pipeline_free(p);
}

/* ---- refusing ---- */

static void assert_refused(const struct weir_pipeline *p, const struct weir_explore_options *options, const char *words)
{
    struct weir_exploration *e;
    struct weir_error error = {.message = ""};
    assert_int_equal(weir_explore(p, options, &e, &error), WEIR_INVALID);
    assert_null(e);
    if (!strstr(error.message, words))
        fail_msg("%s", error.message);
}

TEST(test_refused)
{
    struct weir_pipeline *threads = stage_read("operators: {a: 1, b: 2}\nqueues: [a -> b]\n");
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_PRIORITIES};
    assert_refused(threads, &options, "threads of their own");
    weir_pipeline_free(threads);

    struct weir_pipeline *p = stage_read("processors: {p: {}, t: {scheduler: tdm, frame: 10}}\noperators:\n"
                                         "  a: {time: 2, on: p, priority: 2}\n  b: {time: 3, on: t, slot: 6}\n"
                                         "queue: auto\nqueues: [a -> b]\nsource: {operator: a, period: 8}\n");
    options.method = WEIR_PRIORITY_PJ;
    assert_refused(p, &options, "never exceeded");
    struct weir_processor table = {1}, beyond = {2};
    options = (struct weir_explore_options){.goal = WEIR_EXPLORE_MAPPING, .processors = &table, .processor_count = 1};
    assert_refused(p, &options, "has slots");
    options.processors = &beyond;
    assert_refused(p, &options, "no processor");
    struct weir_operator nobody = {2};
    options = (struct weir_explore_options){.goal = WEIR_EXPLORE_MAPPING, .pinned = &nobody, .pinned_count = 1};
    assert_refused(p, &options, "no operator");
    /* Nobody shares anything. */
    options = (struct weir_explore_options){.goal = WEIR_EXPLORE_PRIORITIES};
    struct weir_exploration *e = exploring_run(p, &options);
    assert_null(e->pipeline);
    assert_true(e->complete);
    assert_int_equal(e->evaluations, 0);
    weir_exploration_free(e);
    weir_exploration_free(NULL);
    weir_pipeline_free(p);
}
