/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules worked out by hand, one kind of processor after the other. */
#include "crew.h"
#include "simulate/processors.h"
#include "support/runner.h"

#include <string.h>

static struct crew_log log_;

#define WORST .times = WEIR_TIMES_WORST, .releases = WEIR_RELEASES_NOMINAL

/* Two or three operators of their own sources, period 100, on one processor. */
static struct weir_pipeline *sharers(enum weir_sharing sharing, const struct crew_task *tasks, int count)
{
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, sharing, 0);
    for (int i = 0; i < count; i++) {
        struct crew_task task = tasks[i];
        task.on = cpu;
        crew_feed(p, crew_add(p, task), (struct weir_source_spec){.period = 100});
    }
    stage_seal(p);
    return p;
}

static void expect_schedule(struct weir_pipeline *p, const int64_t *phases, const char *schedule)
{
    crew_run(p, (struct weir_processors_options){.iterations = 1, WORST, .phases = phases}, &log_);
    assert_string_equal(log_.text, schedule);
}

/* ---- priorities ---- */

TEST(urgent_interrupts)
{
    const struct crew_task tasks[] = {{.name = "l", .worst = 5, .priority = 1},
                                      {.name = "m", .worst = 3, .priority = 5},
                                      {.name = "h", .worst = 2, .priority = 9}};
    struct weir_pipeline *p = sharers(WEIR_PREEMPTIVE, tasks, 3);
    expect_schedule(p, (const int64_t[]){0, 2, 3}, "l0 0-2, m0 2-3, h0 3-5, m0 5-7, l0 7-10");
    assert_times(&log_.trace, WEIR_START, ((struct weir_operator){0}), 0);
    assert_times(&log_.trace, WEIR_FINISH, ((struct weir_operator){0}), 10);
    expect_schedule(p, (const int64_t[]){0, 0, 0}, "h0 0-2, m0 2-5, l0 5-10");
    expect_schedule(p, (const int64_t[]){0, 5, 5}, "l0 0-5, h0 5-7, m0 7-10"); /* ends as the others arrive */
    weir_pipeline_free(p);
}

TEST(what_has_begun_is_finished)
{
    const struct crew_task tasks[] = {{.name = "l", .worst = 5, .priority = -1},
                                      {.name = "m", .worst = 3, .priority = 0},
                                      {.name = "h", .worst = 2, .priority = 1}};
    struct weir_pipeline *p = sharers(WEIR_NONPREEMPTIVE, tasks, 3);
    expect_schedule(p, (const int64_t[]){0, 2, 3}, "l0 0-5, h0 5-7, m0 7-10");
    expect_schedule(p, (const int64_t[]){0, 0, 0}, "h0 0-2, m0 2-5, l0 5-10"); /* all arrive before anyone chooses */
    expect_schedule(p, (const int64_t[]){0, 1, 8}, "l0 0-5, m0 5-8, h0 8-10");
    weir_pipeline_free(p);
}

TEST(equals_in_any_order)
{
    const struct crew_task tasks[] = {{.name = "a", .worst = 4, .priority = 3}, {.name = "b", .worst = 4, .priority = 3}};
    for (enum weir_sharing sharing = WEIR_PREEMPTIVE; sharing <= WEIR_NONPREEMPTIVE; sharing++) {
        struct weir_pipeline *p = sharers(sharing, tasks, 2);
        int first[2] = {0, 0}, changed = 0;
        for (uint64_t seed = 0; seed < 64; seed++) {
            crew_run(p, (struct weir_processors_options){.iterations = 1, WORST, .phases = (const int64_t[]){0, 2}, .seed = seed},
                     &log_);
            changed += strcmp(log_.text, "a0 0-4, b0 4-8") != 0;
            crew_run(p, (struct weir_processors_options){.iterations = 1, WORST, .phases = (const int64_t[]){0, 0}, .seed = seed},
                     &log_);
            first[log_.text[0] == 'b']++;
        }
        assert_true(first[0] > 10 && first[1] > 10);
        assert_int_equal(changed > 10 && changed < 54, sharing == WEIR_PREEMPTIVE);
        assert_int_equal(changed > 0, sharing == WEIR_PREEMPTIVE);
        weir_pipeline_free(p);
    }
}

/* Ranks beyond the first word of bits. */
TEST(many_operators)
{
    enum { COUNT = 150 };
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, WEIR_PREEMPTIVE, 0);
    static int64_t finish[COUNT];
    struct weir_operator before = {0};
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%d", i);
        struct weir_operator op = crew_add(p, (struct crew_task){.name = name, .on = cpu, .worst = 1, .best = 1, .priority = i});
        if (i == 0)
            crew_feed(p, op, (struct weir_source_spec){.period = COUNT});
        else
            crew_queue(p, before, op, WEIR_AUTO, 0);
        before = op;
    }
    stage_seal(p);
    struct weir_processors_search_options options = {.runs = 1, .iterations = 3};
    struct weir_processors_observed *seen;
    assert_int_equal(weir_processors_search(p, &options, &seen, NULL), WEIR_OK);
    for (int i = 0; i < COUNT; i++) {
        finish[i] = seen->finish_max[i];
        assert_int_equal(finish[i], i + 1);
        assert_int_equal(seen->enable_min[i], i);
        assert_int_equal(seen->enable_max[i], i);
    }
    assert_int_equal(seen->executions, 3 * COUNT);
    weir_free(seen);
    weir_pipeline_free(p);
}

/* ---- round robin ---- */

TEST(firings)
{
    const struct crew_task tasks[] = {{.name = "a", .worst = 5, .slot = 2}, {.name = "b", .worst = 3, .slot = 1}};
    struct weir_pipeline *p = sharers(WEIR_ROUND_ROBIN, tasks, 2);
    expect_schedule(p, (const int64_t[]){0, 1}, "a0 0-2, b0 2-3, a0 3-5, b0 5-6, a0 6-7, b0 7-8");
    /* The second turn of one who is alone lasts from 2 to 4. */
    expect_schedule(p, (const int64_t[]){0, 3}, "a0 0-4, b0 4-5, a0 5-6, b0 6-8");
    expect_schedule(p, (const int64_t[]){0, 4}, "a0 0-4, b0 4-5, a0 5-6, b0 6-8");
    expect_schedule(p, (const int64_t[]){1, 0}, "b0 0-1, a0 1-3, b0 3-4, a0 4-6, b0 6-7, a0 7-8");
    expect_schedule(p, (const int64_t[]){0, 50}, "a0 0-5, b0 50-53");
    weir_pipeline_free(p);
}

static int64_t together(void *context, uint32_t source, int64_t iteration, int64_t *spread)
{
    (void)context;
    *spread = 0;
    return source == 0 && iteration < 3 ? 4 - 2 * iteration : 0;
}

/* Three inputs at 4: one after the other in one turn, until the slot is used up or nothing is left. */
TEST(turn_goes_on_with_the_next_iteration)
{
    for (int64_t slot = 2; slot <= 5; slot += 3) {
        struct weir_pipeline *p = crew_new();
        struct weir_processor cpu = crew_processor(p, WEIR_ROUND_ROBIN, 0);
        struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .on = cpu, .worst = 1, .slot = slot});
        struct weir_operator b = crew_add(p, (struct crew_task){.name = "b", .on = cpu, .worst = 2, .slot = 1});
        crew_feed(p, a, (struct weir_source_spec){.period = 2, .jitter = 4});
        crew_feed(p, b, (struct weir_source_spec){.period = 50});
        stage_seal(p);
        crew_run(p,
                 (struct weir_processors_options){.iterations = 3,
                                                  .times = WEIR_TIMES_WORST,
                                                  .releases = WEIR_RELEASES_GIVEN,
                                                  .given_release = together,
                                                  .phases = (const int64_t[]){0, 5}},
                 &log_);
        assert_string_equal(log_.text, slot == 2 ? "a0 4-5, a1 5-6, b0 6-7, a2 7-8, b0 8-9, b1 55-57, b2 105-107"
                                                 : "a0 4-5, a1 5-6, a2 6-7, b0 7-9, b1 55-57, b2 105-107");
        weir_pipeline_free(p);
    }
}

/* ---- TDM ---- */

static int64_t worst_of(void *context, struct weir_operator op, int64_t iteration)
{
    (void)iteration;
    const struct crew_log *log = context;
    return weir_pipeline_operator(log->pipeline, op).worst;
}

static int64_t nothing_of(void *context, struct weir_operator op, int64_t iteration)
{
    (void)context;
    (void)op;
    (void)iteration;
    return 0;
}

static struct weir_drawn_release nominal_release(void *context, uint32_t source, int64_t iteration)
{
    (void)context;
    (void)source;
    (void)iteration;
    return (struct weir_drawn_release){0, 0};
}

static void play_frame(const struct weir_pipeline *p, const int64_t phases[2], int64_t frame, bool nothing)
{
    struct weir_processors *processors;
    memset(&log_, 0, sizeof log_);
    log_.pipeline = p;
    assert_int_equal(weir_processors_new(p, NULL, &processors, NULL), WEIR_OK);
    struct weir_processors_rules rules = {.iterations = 1,
                                          .phases = phases,
                                          .frames = &frame,
                                          .time_of = nothing ? nothing_of : worst_of,
                                          .release = nominal_release,
                                          .observe = crew_observe,
                                          .ran = crew_ran,
                                          .context = &log_};
    assert_int_equal(weir_processors_play(processors, &rules, NULL), WEIR_OK);
    assert_false(log_.trace.disordered);
    weir_processors_free(processors);
}

/* Frames of 10 from 0 on: a has 0 to 3 of each, b 3 to 7. */
TEST(slots)
{
    const struct weir_operator A = {0}, B = {1};
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, WEIR_TDM, 10);
    crew_feed(p, crew_add(p, (struct crew_task){.name = "a", .on = cpu, .worst = 7, .slot = 3}),
              (struct weir_source_spec){.period = 100});
    crew_feed(p, crew_add(p, (struct crew_task){.name = "b", .on = cpu, .worst = 4, .slot = 4}),
              (struct weir_source_spec){.period = 100});
    stage_seal(p);
    play_frame(p, (const int64_t[]){0, 0}, 0, false);
    assert_string_equal(log_.text, "b0 3-7, a0 0-3, a0 10-13, a0 20-21"); /* told at the finish */
    assert_times(&log_.trace, WEIR_START, B, 3);
    play_frame(p, (const int64_t[]){2, 4}, 0, false);
    assert_string_equal(log_.text, "b0 4-7, b0 13-14, a0 2-3, a0 10-13, a0 20-23");
    play_frame(p, (const int64_t[]){3, 7}, 0, false);
    assert_string_equal(log_.text, "b0 13-17, a0 10-13, a0 20-23, a0 30-31");
    play_frame(p, (const int64_t[]){0, 0}, 8, false); /* a from 8 on, b from 1 */
    assert_string_equal(log_.text, "b0 1-5, a0 0-1, a0 8-11, a0 18-21");
    /* What takes no time needs its slot all the same. */
    play_frame(p, (const int64_t[]){3, 3}, 0, true);
    assert_string_equal(log_.text, "");
    assert_times(&log_.trace, WEIR_START, A, 10);
    assert_times(&log_.trace, WEIR_FINISH, A, 10);
    assert_times(&log_.trace, WEIR_FINISH, B, 3);
    weir_pipeline_free(p);
}

/* Without a word about frames, they begin anywhere. */
TEST(frames_from_the_seed)
{
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, WEIR_TDM, 10);
    crew_feed(p, crew_add(p, (struct crew_task){.name = "a", .on = cpu, .worst = 2, .slot = 2}),
              (struct weir_source_spec){.period = 100});
    stage_seal(p);
    bool seen[11] = {false};
    for (uint64_t seed = 0; seed < 200; seed++) {
        crew_run(p, (struct weir_processors_options){.iterations = 1, WORST, .phases = (const int64_t[]){0}, .seed = seed}, &log_);
        assert_true(log_.late[0] >= 2 && log_.late[0] <= 10);
        seen[log_.late[0]] = true;
    }
    for (int i = 2; i <= 10; i++)
        assert_true(seen[i]);
    weir_pipeline_free(p);
}

/* ---- queues ---- */

/* The place that b's input takes is free when b ends. */
TEST(back_pressure)
{
    for (int blocking = 1; blocking >= 0; blocking--) {
        struct weir_pipeline *p = crew_new();
        struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .alone = true, .worst = 1});
        struct weir_operator b = crew_add(p, (struct crew_task){.name = "b", .alone = true, .worst = 5});
        struct weir_queue_spec queue = {.from = a, .to = b, .capacity = 1, .nonblocking = !blocking};
        assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
        crew_feed(p, a, (struct weir_source_spec){.period = 2});
        stage_seal(p);
        struct weir_processors_options options = {.iterations = 3, WORST, .phases = (const int64_t[]){0}};
        crew_run(p, options, &log_);
        assert_string_equal(log_.text, blocking ? "a0 0-1, b0 1-6, a1 6-7, b1 7-12, a2 12-13, b2 13-18"
                                                : "a0 0-1, a1 2-3, a2 4-5, b0 1-6, b1 6-11, b2 11-16");
        assert_times(&log_.trace, WEIR_ARRIVAL, a, 0, 2, 4);
        options.capacities = (const uint32_t[]){2};
        crew_run(p, options, &log_);
        assert_string_equal(log_.text, blocking ? "a0 0-1, a1 2-3, b0 1-6, a2 6-7, b1 6-11, b2 11-16"
                                                : "a0 0-1, a1 2-3, a2 4-5, b0 1-6, b1 6-11, b2 11-16");
        weir_pipeline_free(p);
    }
}

/* A cycle of two messages: iteration n of a waits for n - 2 of b. */
TEST(initial_messages)
{
    struct weir_pipeline *p = crew_new();
    struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .alone = true, .worst = 1});
    struct weir_operator b = crew_add(p, (struct crew_task){.name = "b", .alone = true, .worst = 4});
    crew_queue(p, a, b, WEIR_AUTO, 0);
    crew_queue(p, b, a, WEIR_AUTO, 2);
    crew_feed(p, a, (struct weir_source_spec){.period = 1, .has_phase = true, .phase = 10});
    stage_seal(p);
    crew_run(p, (struct weir_processors_options){.iterations = 4, WORST}, &log_);
    assert_string_equal(log_.text, "a0 10-11, a1 11-12, b0 11-15, a2 15-16, b1 15-19, a3 19-20, b2 19-23, b3 23-27");
    assert_int_equal(log_.late[b.index], 27 - 13);
    /* No free slot behind the messages: b's iteration n waits for n of a. */
    crew_run(p, (struct weir_processors_options){.iterations = 4, WORST, .capacities = (const uint32_t[]){3, 2}}, &log_);
    assert_string_equal(log_.text, "a0 10-11, a1 11-12, b0 11-15, a2 15-16, b1 15-19, a3 19-20, b2 19-23, b3 23-27");
    weir_pipeline_free(p);
}

/* Executions of no time: a whole chain within one moment, on one processor or several. */
TEST(no_time_at_all)
{
    struct weir_pipeline *p = crew_new();
    struct weir_operator before = {0};
    for (enum weir_sharing sharing = WEIR_PREEMPTIVE; sharing <= WEIR_ROUND_ROBIN; sharing++) {
        if (sharing == WEIR_TDM)
            continue;
        struct weir_processor cpu = crew_processor(p, sharing, 0);
        for (int i = 0; i < 2; i++) {
            char name[2] = {(char)('a' + 2 * sharing + (unsigned)i), 0};
            struct crew_task task = {.name = name, .on = cpu, .worst = 9, .priority = i};
            task.slot = sharing == WEIR_ROUND_ROBIN ? 1 : 0;
            struct weir_operator op = crew_add(p, task);
            if (op.index == 0)
                crew_feed(p, op, (struct weir_source_spec){.period = 3});
            else
                crew_queue(p, before, op, 1, 0);
            before = op;
        }
    }
    stage_seal(p);
    crew_run(p,
             (struct weir_processors_options){
                 .iterations = 5, .times = WEIR_TIMES_BEST, .releases = WEIR_RELEASES_NOMINAL, .phases = (const int64_t[]){1}},
             &log_);
    for (uint32_t i = 0; i < 6; i++) {
        assert_times(&log_.trace, WEIR_START, ((struct weir_operator){i}), 1, 4, 7, 10, 13);
        assert_times(&log_.trace, WEIR_FINISH, ((struct weir_operator){i}), 1, 4, 7, 10, 13);
    }
    assert_string_equal(log_.text, "");
    weir_pipeline_free(p);
}
