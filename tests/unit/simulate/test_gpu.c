/* SPDX-License-Identifier: Apache-2.0 */
/* Launches as blocks on SMs: executions worked out by hand, and that every execution is a legal one. */
#include "base/number.h"
#include "simulate/gpu.h"
#include "support/stage.h"

#include <stdio.h>
#include <string.h>

enum { LAUNCHES = 12 };

/* A plan by hand. The kernels do not matter here: there is one. */
struct hand {
    struct weir_gpu_plan plan;
    struct weir_gpu_launch launches[LAUNCHES];
    uint32_t after[LAUNCHES][LAUNCHES];
};

static struct weir_pipeline *device(uint32_t sms, int64_t overhead, uint32_t places)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_gpu_spec gpu = {.sms = sms, .launch_overhead = overhead, .max_concurrent = places};
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(p, &gpu, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = "k", .worst = 1}, NULL, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

static void plan_on(struct hand *h, const struct weir_pipeline *pipeline)
{
    *h = (struct hand){.plan = {.pipeline = pipeline, .sms = weir_pipeline_gpu(pipeline).sms}};
    h->plan.launches = h->launches;
}

/* so many blocks of numerator / denominator ticks, after launches given by the bits of a mask */
static void add(struct hand *h, uint32_t sms, int64_t numerator, int64_t denominator, uint32_t after)
{
    uint32_t v = (uint32_t)h->plan.launch_count++;
    struct weir_gpu_launch *launch = &h->launches[v];
    *launch = (struct weir_gpu_launch){.part = 1, .parts = 1, .sms = sms, .time = {numerator, denominator}, .after = h->after[v]};
    for (uint32_t i = 0; i < LAUNCHES; i++)
        if (after >> i & 1)
            h->after[v][launch->after_count++] = i;
}

/* ---- by hand ---- */

/* The latest of many orders, at worst times, in ticks. */
static struct weir_ratio latest(const struct hand *h, enum weir_gpu_dispatch dispatch)
{
    struct weir_gpu_stage stage;
    int64_t end;
    assert_int_equal(weir_gpu_stage_open(&stage, &h->plan, NULL), WEIR_OK);
    struct weir_gpu_climb climb = {.dispatch = dispatch, .seed = 1, .runs = 600, .worst_only = true};
    assert_int_equal(weir_gpu_climb_late(&stage, &climb, &end, NULL), WEIR_OK);
    struct weir_ratio result = weir_ratio_reduce((struct weir_ratio){end, stage.scale});
    weir_gpu_stage_close(&stage);
    return result;
}

#define assert_latest(hand, dispatch, n, d)                                                                                        \
    do {                                                                                                                           \
        struct weir_ratio found_ = latest(hand, dispatch);                                                                         \
        assert_int_equal(found_.numerator, n);                                                                                     \
        assert_int_equal(found_.denominator, d);                                                                                   \
    } while (0)

TEST(chains_take_their_overhead)
{
    struct weir_pipeline *p = device(4, 2, 0);
    struct hand h;
    plan_on(&h, p);
    add(&h, 4, 5, 2, 0);
    add(&h, 2, 10, 3, 1);
    add(&h, 2, 1, 1, 1);
    add(&h, 4, 7, 6, 6);
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++)
        assert_latest(&h, (enum weir_gpu_dispatch)i, 13, 1); /* 2 + 5/2 + 2 + 10/3 + 2 + 7/6 */
    weir_pipeline_free(p);
}

/* Where both orders are possible the latest is what is worse. */
TEST(dispatches_differ)
{
    struct weir_pipeline *p = device(3, 0, 0);
    struct hand h;
    plan_on(&h, p);
    add(&h, 2, 4, 1, 0);
    add(&h, 2, 3, 1, 0);
    add(&h, 1, 5, 1, 0);
    assert_latest(&h, WEIR_GPU_GANG, 7, 1);        /* 2 or 3 wait for SMs: 4 + 3 */
    assert_latest(&h, WEIR_GPU_FIFO, 9, 1);        /* both of two, then the last begins at 4 or 3 */
    assert_latest(&h, WEIR_GPU_INTERLEAVED, 9, 1); /* one of the first behind the other: 4, and then 5 */
    weir_pipeline_free(p);
}

TEST(interleaving_is_worse_than_turns)
{
    struct weir_pipeline *p = device(2, 0, 0);
    struct hand h;
    plan_on(&h, p);
    add(&h, 2, 1, 1, 0);
    add(&h, 2, 2, 1, 0);
    assert_latest(&h, WEIR_GPU_GANG, 3, 1);
    assert_latest(&h, WEIR_GPU_FIFO, 3, 1);
    assert_latest(&h, WEIR_GPU_INTERLEAVED, 4, 1);
    weir_pipeline_free(p);
}

TEST(wide_launches_come_in_waves)
{
    struct weir_pipeline *p = device(2, 1, 0);
    struct hand h;
    plan_on(&h, p);
    add(&h, 5, 3, 1, 0);
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++)
        assert_latest(&h, (enum weir_gpu_dispatch)i, 10, 1);
    add(&h, 1, 4, 1, 0);
    assert_latest(&h, WEIR_GPU_FIFO, 11, 1); /* its last block leaves an SM at 7 */
    assert_latest(&h, WEIR_GPU_GANG, 11, 1);
    weir_pipeline_free(p);
}

/* Who has no place waits, and is late again by the overhead. */
TEST(places_hold_back)
{
    struct weir_pipeline *p = device(10, 1, 2);
    struct hand h;
    plan_on(&h, p);
    add(&h, 1, 3, 1, 0);
    add(&h, 1, 3, 1, 0);
    assert_latest(&h, WEIR_GPU_FIFO, 4, 1);
    add(&h, 1, 3, 1, 0);
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++)
        assert_latest(&h, (enum weir_gpu_dispatch)i, 8, 1);
    weir_pipeline_free(p);
}

/* A kernel of 10 beside one that copies for 3 and one that reads for 8: 3 / 1.5 of it is done, then 5 / 1.25, then the rest. */
TEST(neighbours_slow_down)
{
    static const struct weir_operator_spec kernels[] = {
        {.name = "victim", .worst = 1, .disturbs = WEIR_DISTURBS_NONE, .suffers_read = 25, .suffers_copy = 50},
        {.name = "copy", .worst = 1},
        {.name = "read", .worst = 1, .disturbs = WEIR_DISTURBS_READ, .suffers_copy = 0},
    };
    static const int64_t times[] = {10, 3, 8};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct hand h;
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(p, &(struct weir_gpu_spec){.sms = 3}, NULL), WEIR_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(weir_pipeline_add_operator(p, &kernels[i], NULL, NULL), WEIR_OK);
    stage_seal(p);
    plan_on(&h, p);
    for (uint32_t i = 0; i < 3; i++) {
        add(&h, 1, times[i], 1, 0);
        h.launches[i].kernel.index = i;
    }
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++)
        assert_latest(&h, (enum weir_gpu_dispatch)i, 12, 1);
    h.launches[0].kernel.index = 1; /* what copies suffers from nobody */
    assert_latest(&h, WEIR_GPU_FIFO, 10, 1);
    weir_pipeline_free(p);
}

TEST(nothing_at_all)
{
    struct weir_pipeline *p = device(2, 1, 0);
    struct hand h;
    plan_on(&h, p);
    assert_latest(&h, WEIR_GPU_GANG, 0, 1);
    weir_pipeline_free(p);
}

/* v2 and v3 of the fourth counterexample end early, and v7 is begun before v5: 299/50 in place of 5. */
TEST(early_ends_break_published_plans)
{
    static const uint32_t sms[] = {1, 3, 2, 2, 3, 1, 3, 1}, after[] = {0, 1, 2 | 8, 1, 2 | 8, 4 | 16, 1 | 2 | 4, 32 | 64};
    struct weir_pipeline *p = device(5, 0, 0);
    struct weir_gpu_stage stage;
    struct hand h;
    int64_t end;
    plan_on(&h, p);
    for (uint32_t v = 0; v < 8; v++)
        add(&h, sms[v], 1, 1, v == 2 ? 2 : v == 4 ? 8 : after[v]);
    assert_int_equal(weir_gpu_stage_open(&stage, &h.plan, NULL), WEIR_OK);
    assert_true(stage.exact && stage.scale % 100 == 0);
    weir_gpu_script_draw(&stage, WEIR_GPU_GANG, WEIR_TIMES_WORST, 1);
    stage.script.length[1] = stage.script.length[2] = stage.scale / 100 * 49;
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        stage.script.dispatch = (enum weir_gpu_dispatch)i;
        stage.script.order = WEIR_GPU_AS_THEY_COME;
        assert_int_equal(weir_gpu_stage_run(&stage, &stage.script, &end, NULL), WEIR_OK);
        assert_int_equal(end * 50, 299 * stage.scale);
    }
    weir_gpu_stage_close(&stage);
    weir_pipeline_free(p);
}

/* ---- every execution is legal ---- */

struct watch {
    const struct hand *hand;
    int64_t last, scale, overhead;
    uint32_t blocks, places;
    int64_t busy[16];                       /* by SM: until when */
    int64_t begin[LAUNCHES], end[LAUNCHES]; /* by launch: its first block, its last */
    uint32_t ended[LAUNCHES];
};

static void watch_block(void *context, uint32_t launch, uint32_t sm, const int64_t begin_end[2], int64_t scale)
{
    struct watch *w = context;
    const struct weir_gpu_launch *l = &w->hand->launches[launch];
    int64_t begin = begin_end[0], end = begin_end[1];
    assert_true(begin <= end && end >= w->last && sm < w->hand->plan.sms && begin >= w->busy[sm]);
    assert_true((weir_wide)(end - begin) * l->time.denominator <= (weir_wide)l->time.numerator * scale);
    for (size_t i = 0; i < l->after_count; i++)
        assert_true(w->ended[l->after[i]] == w->hand->launches[l->after[i]].sms && w->end[l->after[i]] <= begin);
    if (w->ended[launch] == 0 || begin < w->begin[launch])
        w->begin[launch] = begin;
    w->busy[sm] = w->last = w->end[launch] = end;
    w->scale = scale;
    w->ended[launch]++;
    w->blocks++;
}

static void check_places(const struct watch *w)
{
    for (size_t v = 0; v < w->hand->plan.launch_count && w->places; v++) {
        uint32_t together = 0;
        for (size_t u = 0; u < w->hand->plan.launch_count; u++)
            together += w->begin[u] <= w->begin[v] && w->begin[v] < w->end[u];
        assert_true(together <= w->places);
    }
}

static void random_plan(struct hand *h, const struct weir_pipeline *p, struct weir_random *random)
{
    plan_on(h, p);
    uint32_t count = (uint32_t)weir_random_between(random, 1, LAUNCHES), sms = h->plan.sms;
    for (uint32_t v = 0; v < count; v++) {
        uint32_t after = (uint32_t)weir_random_next(random) & (uint32_t)weir_random_next(random) & ((1U << v) - 1);
        add(h, (uint32_t)weir_random_between(random, 1, weir_random_between(random, 0, 5) ? sms : 3 * sms),
            weir_random_between(random, 0, 20), weir_random_between(random, 1, 7), after);
    }
}

TEST(every_execution_is_legal)
{
    struct weir_random random;
    weir_random_seed(&random, 5);
    for (int round = 0; round < 400; round++) {
        struct hand h;
        uint32_t places = (uint32_t)weir_random_between(&random, 0, 3);
        struct weir_pipeline *p = device((uint32_t)weir_random_between(&random, 1, 16), weir_random_between(&random, 0, 2), places);
        random_plan(&h, p, &random);
        static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG};
        for (unsigned run = 0; run < 18; run++) {
            struct watch w = {.hand = &h, .places = places};
            struct weir_gpu_simulation_options options = {.dispatch = (enum weir_gpu_dispatch)(run % 3),
                                                          .times = times[run / 3 % 3],
                                                          .seed = weir_random_next(&random),
                                                          .observe = watch_block,
                                                          .context = &w};
            struct weir_ratio makespan, again;
            uint32_t blocks = 0;
            for (size_t v = 0; v < h.plan.launch_count; v++)
                blocks += h.launches[v].sms;
            assert_int_equal(weir_gpu_simulate(&h.plan, &options, &makespan, NULL), WEIR_OK);
            assert_int_equal(w.blocks, blocks);
            assert_true((weir_wide)w.last * makespan.denominator == (weir_wide)makespan.numerator * w.scale);
            check_places(&w);
            options.observe = NULL;
            assert_int_equal(weir_gpu_simulate(&h.plan, &options, &again, NULL), WEIR_OK);
            assert_true(again.numerator == makespan.numerator && again.denominator == makespan.denominator);
        }
        weir_pipeline_free(p);
    }
}

/* Times whose denominators have no common multiple in range lose less than a tick, and never gain. */
TEST(odd_times_are_rounded_down)
{
    struct weir_pipeline *p = device(3, 0, 0);
    struct hand h;
    struct weir_ratio makespan;
    struct weir_gpu_simulation_options options = {.times = WEIR_TIMES_WORST};
    plan_on(&h, p);
    add(&h, 3, INT64_C(1000000007), INT64_C(999999937), 0);
    add(&h, 3, INT64_C(1000000009), INT64_C(999999929), 1);
    add(&h, 3, INT64_C(1000000021), INT64_C(999999893), 2);
    assert_int_equal(weir_gpu_simulate(&h.plan, &options, &makespan, NULL), WEIR_OK);
    assert_true(weir_ratio_compare(makespan, (struct weir_ratio){INT64_C(3000000277), 1000000000}) > 0);
    assert_true(weir_ratio_compare(makespan, (struct weir_ratio){INT64_C(3000000279), 1000000000}) < 0);
    weir_pipeline_free(p);
}

/* ---- what is no plan ---- */

static void refuse(const struct hand *h, enum weir_status status, const char *words)
{
    struct weir_gpu_simulation_options options = {.times = WEIR_TIMES_WORST};
    struct weir_ratio makespan;
    struct weir_error error = {0};
    assert_int_equal(weir_gpu_simulate(&h->plan, &options, &makespan, &error), status);
    if (!strstr(error.message, words))
        fail_msg("\"%s\"", error.message);
}

TEST(what_is_no_plan)
{
    struct weir_pipeline *p = device(2, 0, 0);
    struct hand h;
    plan_on(&h, p);
    add(&h, 1, 1, 1, 2);
    add(&h, 1, 1, 1, 1);
    refuse(&h, WEIR_INVALID, "wait for each other");
    h.after[0][0] = 7;
    refuse(&h, WEIR_INVALID, "does not exist");
    h.launches[0].after_count = 0;
    h.launches[1].sms = 0;
    refuse(&h, WEIR_INVALID, "no SMs");
    h.launches[1].sms = UINT32_MAX;
    refuse(&h, WEIR_INVALID, "too many");
    h.launches[1].sms = 1;
    h.launches[1].time.denominator = 0;
    refuse(&h, WEIR_INVALID, "no time");
    h.launches[1].time = (struct weir_ratio){INT64_MAX, 1};
    refuse(&h, WEIR_OVERFLOW, "too long");
    h.launches[1].time = (struct weir_ratio){1, 1};
    h.plan.sms = 0;
    refuse(&h, WEIR_INVALID, "SMs");
    weir_pipeline_free(p);
}

TEST(what_is_no_option)
{
    struct weir_pipeline *p = device(2, 0, 0);
    struct weir_ratio makespan;
    struct hand h;
    plan_on(&h, p);
    struct weir_gpu_simulation_options best = {.times = WEIR_TIMES_BEST};
    struct weir_gpu_simulation_options other = {.times = WEIR_TIMES_WORST, .dispatch = WEIR_GPU_DISPATCHES};
    assert_int_equal(weir_gpu_simulate(&h.plan, &best, &makespan, NULL), WEIR_INVALID);
    assert_int_equal(weir_gpu_simulate(&h.plan, &other, &makespan, NULL), WEIR_INVALID);
    weir_pipeline_free(p);
}

static enum weir_status run_it(void *context)
{
    struct weir_gpu_simulation_options options = {.times = WEIR_TIMES_RANDOM};
    struct weir_ratio makespan;
    return weir_gpu_simulate(context, &options, &makespan, NULL);
}

TEST(memory_runs_out)
{
    struct weir_pipeline *p = device(3, 1, 1);
    struct hand h;
    plan_on(&h, p);
    add(&h, 2, 5, 3, 0);
    add(&h, 2, 5, 3, 1);
    assert_true(stage_fail_each_allocation(run_it, &h.plan) > 5);
    weir_pipeline_free(p);
}
