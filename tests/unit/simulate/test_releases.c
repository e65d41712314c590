/* SPDX-License-Identifier: Apache-2.0 */
/* Arrivals of jittered and sporadic sources; seeds; what is refused. */
#include "crew.h"
#include "support/runner.h"

#include <string.h>

static struct crew_log log_;
static const struct weir_operator A = {0}, B = {1};

/* One operator of its own, quick enough for any burst. */
static struct weir_pipeline *fed(struct weir_source_spec source)
{
    struct weir_pipeline *p = crew_new();
    crew_feed(p, crew_add(p, (struct crew_task){.name = "a", .alone = true, .worst = 1}), source);
    stage_seal(p);
    return p;
}

static int64_t arrival(int i)
{
    return log_.trace.at[WEIR_ARRIVAL][0][i];
}

static void simulate(const struct weir_pipeline *p, enum weir_releases releases, uint64_t seed)
{
    struct weir_processors_options options = {
        .iterations = 40, .times = WEIR_TIMES_WORST, .releases = releases, .seed = seed, .phases = (const int64_t[]){7}};
    crew_run(p, options, &log_);
    for (int i = 0; i < 40; i++)
        assert_true(i == 0 || arrival(i) >= arrival(i - 1));
}

TEST(ways_to_arrive)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 10, .jitter = 25});
    bool between = false, early = false, late = false;
    simulate(p, WEIR_RELEASES_NOMINAL, 1);
    for (int i = 0; i < 40; i++)
        assert_int_equal(arrival(i), 7 + 10 * i);
    simulate(p, WEIR_RELEASES_LATE, 1);
    for (int i = 0; i < 40; i++)
        assert_int_equal(arrival(i), 7 + 10 * i + 25);
    simulate(p, WEIR_RELEASES_RANDOM, 1);
    for (int i = 0; i < 40; i++) {
        int64_t offset = arrival(i) - 7 - 10 * i;
        assert_true(offset >= 0 && offset <= 25);
        between |= offset > 0 && offset < 25;
    }
    simulate(p, WEIR_RELEASES_EXTREME, 1);
    for (int i = 0; i < 40; i++) {
        int64_t offset = arrival(i) - 7 - 10 * i;
        bool pushed = i > 0 && arrival(i) == arrival(i - 1);
        assert_true(offset == 0 || offset == 25 || pushed);
        early |= offset == 0;
        late |= offset == 25;
    }
    assert_true(between && early && late);
    weir_pipeline_free(p);
}

/* A burst has three inputs: that of 25 ago, and those of 15 and of 5 ago. Then it goes on at the nominal moments. */
TEST(bursts)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 10, .jitter = 25});
    simulate(p, WEIR_RELEASES_QUIET, 1);
    for (int i = 0; i < 40; i++)
        assert_int_equal(arrival(i), i >= 20 && i < 23 ? 7 + 225 : 7 + 10 * i);
    for (uint64_t seed = 0; seed < 8; seed++) {
        simulate(p, WEIR_RELEASES_BURST, seed);
        int count = 0;
        for (int i = 0; i + 2 < 40; i++)
            if (arrival(i) == arrival(i + 2)) {
                assert_int_equal(arrival(i), 7 + 10 * i + 25);
                count++;
            }
        assert_true(count >= 4);
    }
    weir_pipeline_free(p);
}

/* ---- sporadic sources ---- */

static int64_t given(void *context, uint32_t source, int64_t iteration, int64_t *spread)
{
    (void)context;
    (void)source;
    static const int64_t spreads[] = {99, 0, 5, 0};
    static const int64_t offsets[] = {3, 0, 1, 2};
    *spread = spreads[iteration];
    return offsets[iteration];
}

TEST(given_arrivals)
{
    struct weir_processors_options options = {.iterations = 4,
                                              .times = WEIR_TIMES_WORST,
                                              .releases = WEIR_RELEASES_GIVEN,
                                              .given_release = given,
                                              .phases = (const int64_t[]){7}};
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 2, .jitter = 4, .sporadic = true});
    crew_run(p, options, &log_);
    assert_times(&log_.trace, WEIR_ARRIVAL, A, 10, 10, 17, 20); /* the second would overtake; nobody is before the first */
    assert_int_equal(log_.nominal[0][2], 16);
    assert_int_equal(log_.nominal[0][3], 18);
    weir_pipeline_free(p);
    p = fed((struct weir_source_spec){.period = 2, .jitter = 4}); /* strictly periodic: no spread */
    crew_run(p, options, &log_);
    assert_times(&log_.trace, WEIR_ARRIVAL, A, 10, 10, 12, 15);
    weir_pipeline_free(p);
}

/* Nominal moments stay known until the slowest operator is done with them. */
TEST(a_long_backlog)
{
    struct weir_pipeline *p = crew_new();
    struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .alone = true, .best = 1, .worst = 1});
    struct weir_operator b = crew_add(p, (struct crew_task){.name = "b", .alone = true, .best = 10, .worst = 10});
    crew_queue(p, a, b, WEIR_UNBOUNDED, 0);
    crew_feed(p, a, (struct weir_source_spec){.period = 3, .sporadic = true});
    stage_seal(p);
    struct weir_processors_options options = {
        .iterations = 5000, .times = WEIR_TIMES_WORST, .releases = WEIR_RELEASES_NOMINAL, .phases = (const int64_t[]){0}};
    crew_run(p, options, &log_);
    assert_int_equal(log_.late[a.index], 1);
    assert_int_equal(log_.late[b.index], 1 + 5000 * 10 - 4999 * 3);
    weir_pipeline_free(p);
}

TEST(sporadic_moments)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 10, .jitter = 3, .sporadic = true});
    int more = 0, exact = 0;
    simulate(p, WEIR_RELEASES_RANDOM, 5);
    for (int i = 1; i < 40; i++) {
        int64_t step = log_.nominal[0][i] - log_.nominal[0][i - 1];
        assert_true(step >= 10);
        more += step > 10;
        exact += step == 10;
    }
    assert_true(more >= 5 && exact >= 5);
    weir_pipeline_free(p);
}

/* One source that feeds two operators which nothing else joins. */
TEST(one_source_for_two)
{
    struct weir_pipeline *p = crew_new();
    struct weir_source_spec source = {.period = 10, .jitter = 25, .name = "s"};
    crew_feed(p, crew_add(p, (struct crew_task){.name = "a", .alone = true, .worst = 1}), source);
    crew_feed(p, crew_add(p, (struct crew_task){.name = "b", .alone = true, .worst = 1}), source);
    stage_seal(p);
    crew_run(p, (struct weir_processors_options){.iterations = 30, .releases = WEIR_RELEASES_RANDOM, .seed = 3}, &log_);
    for (int i = 0; i < 30; i++)
        assert_int_equal(log_.trace.at[WEIR_ARRIVAL][A.index][i], log_.trace.at[WEIR_ARRIVAL][B.index][i]);
    weir_pipeline_free(p);
}

/* ---- seeds ---- */

/* Two graphs on processors of all kinds. */
static struct weir_pipeline *everything(void)
{
    struct weir_pipeline *p = crew_new();
    struct weir_operator op[8];
    for (uint32_t i = 0; i < 8; i++) {
        char name[2] = {(char)('a' + i), 0};
        enum weir_sharing sharing = (enum weir_sharing)(i % 4);
        if (i < 4)
            crew_processor(p, sharing, sharing == WEIR_TDM ? 11 : 0);
        struct crew_task task = {.name = name, .on = {i % 4}, .best = i % 3, .worst = 3 + i, .priority = 4};
        task.slot = sharing >= WEIR_TDM ? 4 : 0;
        op[i] = crew_add(p, task);
        if (i != 0 && i != 4)
            crew_queue(p, op[i - 1], op[i], i % 3 ? WEIR_AUTO : 2, 0);
    }
    crew_queue(p, op[3], op[0], 3, 2);
    crew_feed(p, op[0], (struct weir_source_spec){.period = 20, .jitter = 30});
    crew_feed(p, op[4], (struct weir_source_spec){.period = 35, .sporadic = true});
    stage_seal(p);
    return p;
}

static uint64_t fingerprint(const struct weir_pipeline *p, enum weir_releases releases, uint64_t seed)
{
    crew_run(p,
             (struct weir_processors_options){.iterations = 60, .times = WEIR_TIMES_BANG_BANG, .releases = releases, .seed = seed},
             &log_);
    uint64_t hash = log_.trace.hash;
    for (size_t i = 0; i < log_.used; i++)
        hash = (hash ^ (uint64_t)log_.text[i]) * UINT64_C(1099511628211);
    return hash;
}

TEST(same_seed_same_run)
{
    struct weir_pipeline *p = everything();
    for (enum weir_releases releases = WEIR_RELEASES_NOMINAL; releases < WEIR_RELEASES_GIVEN; releases++) {
        assert_true(fingerprint(p, releases, 7) == fingerprint(p, releases, 7));
        assert_true(fingerprint(p, releases, 7) != fingerprint(p, releases, 8));
    }
    weir_pipeline_free(p);
}

/* ---- what is refused ---- */

static int64_t number; /* what the callbacks give */

static int64_t some_time(void *context, struct weir_operator op, int64_t iteration)
{
    (void)context;
    (void)op;
    (void)iteration;
    return number;
}

static int64_t some_release(void *context, uint32_t source, int64_t iteration, int64_t *spread)
{
    (void)context;
    (void)source;
    (void)iteration;
    *spread = number < 0 ? number : 0;
    return number < 0 ? 0 : number;
}

static void refused(const struct weir_pipeline *p, struct weir_processors_options options, enum weir_status status, const char *why)
{
    struct weir_error error = {0};
    assert_int_equal(weir_processors_simulate(p, &options, &error), status);
    if (!strstr(error.message, why))
        fail_msg("\"%s\" does not say \"%s\"", error.message, why);
}

TEST(bad_options)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 10, .jitter = 3, .sporadic = true});
    typedef struct weir_processors_options options;
    refused(p, (options){.iterations = 0}, WEIR_INVALID, "at least one iteration");
    refused(p, (options){.iterations = 1, .times = (enum weir_times)17}, WEIR_INVALID, "kind of times: 17");
    refused(p, (options){.iterations = 1, .releases = (enum weir_releases)17}, WEIR_INVALID, "draw arrivals: 17");
    refused(p, (options){.iterations = 1, .times = WEIR_TIMES_GIVEN}, WEIR_INVALID, "needs a function");
    refused(p, (options){.iterations = 1, .releases = WEIR_RELEASES_GIVEN}, WEIR_INVALID, "needs a function");
    refused(p, (options){.iterations = 1, .phases = (const int64_t[]){-1}}, WEIR_INVALID, "phase");
    number = -1;
    refused(p, (options){.iterations = 1, .times = WEIR_TIMES_GIVEN, .given_time = some_time}, WEIR_INVALID, "negative time");
    refused(p, (options){.iterations = 2, .releases = WEIR_RELEASES_GIVEN, .given_release = some_release}, WEIR_INVALID,
            "too close");
    number = 4;
    refused(p, (options){.iterations = 1, .releases = WEIR_RELEASES_GIVEN, .given_release = some_release}, WEIR_INVALID,
            "beyond its jitter");
    number = INT64_MAX;
    refused(p, (options){.iterations = 2, .times = WEIR_TIMES_GIVEN, .given_time = some_time, .phases = (const int64_t[]){1}},
            WEIR_OVERFLOW, "longer than can be represented");
    refused(p, (options){.iterations = INT64_MAX}, WEIR_OVERFLOW, "longer than can be represented");
    weir_pipeline_free(p);
}

TEST(bad_pipelines)
{
    struct weir_processors_options options = {.iterations = 3};
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){1, 2}, 1);
    struct weir_error error = {0};
    assert_int_equal(weir_processors_simulate(p, &options, &error), WEIR_INVALID);
    weir_pipeline_free(p);
    p = crew_new();
    assert_int_equal(weir_processors_simulate(p, &options, &error), WEIR_INVALID);
    weir_pipeline_free(p);
}

/* a writes to d directly, and over b; the direct queue begins with a message. Without another place, a waits for d, d for b, b
 * for a. */
TEST(bad_capacities)
{
    struct weir_pipeline *p = crew_new();
    struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .alone = true, .worst = 1});
    struct weir_operator b = crew_add(p, (struct crew_task){.name = "b", .alone = true, .worst = 1});
    struct weir_operator d = crew_add(p, (struct crew_task){.name = "d", .alone = true, .worst = 1});
    crew_queue(p, a, b, WEIR_AUTO, 0);
    crew_queue(p, b, d, WEIR_AUTO, 0);
    crew_queue(p, a, d, WEIR_AUTO, 1);
    crew_feed(p, a, (struct weir_source_spec){.period = 5});
    stage_seal(p);
    typedef struct weir_processors_options options;
    refused(p, (options){.iterations = 4, .capacities = (const uint32_t[]){1, 1, 1}}, WEIR_INVALID, "with these capacities");
    refused(p, (options){.iterations = 4, .capacities = (const uint32_t[]){1, 0, 2}}, WEIR_INVALID, "too small");
    refused(p, (options){.iterations = 4, .capacities = (const uint32_t[]){1, 1, 0}}, WEIR_INVALID, "too small");
    crew_run(p, (options){.iterations = 4, .capacities = (const uint32_t[]){1, 1, 2}}, &log_);
    crew_run(p, (options){.iterations = 4, .capacities = (const uint32_t[]){WEIR_UNBOUNDED, WEIR_AUTO, 9}}, &log_);
    weir_pipeline_free(p);
}

/* ---- memory ---- */

static enum weir_status run_it(void *pipeline)
{
    return weir_processors_simulate(
        pipeline, &(struct weir_processors_options){.iterations = 200, .releases = WEIR_RELEASES_BURST, .seed = 2}, NULL);
}

static enum weir_status search_it(void *pipeline)
{
    struct weir_processors_search_options options = {.iterations = 10, .runs = 4, .chain = weir_pipeline_chain_count(pipeline)};
    struct weir_processors_observed *seen;
    enum weir_status status = weir_processors_search(pipeline, &options, &seen, NULL);
    assert_true((status == WEIR_OK) == (seen != NULL));
    weir_free(seen);
    return status;
}

TEST(memory_runs_out)
{
    struct weir_pipeline *p = everything();
    assert_true(stage_fail_each_allocation(run_it, p) >= 20);
    assert_true(stage_fail_each_allocation(search_it, p) >= 30);
    weir_pipeline_free(p);
}
