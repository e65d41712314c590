/* SPDX-License-Identifier: Apache-2.0 */
/* The times that the critical path of a worst case tells are those of the simulator, step by step. */
#include "cli/cli.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 3, PARTS = 2 };

/* An execution: which parts run at their worst, and when everything happens. */
struct replay {
    const struct weir_pipeline *pipeline;
    size_t iterations;
    bool *worst;    /* [operator][part][iteration] */
    int64_t *times; /* [operator][moment][iteration], -1: not seen */
};

static size_t slot(const struct replay *replay, uint32_t op, size_t kinds, size_t kind, int64_t iteration)
{
    assert_in_range(iteration, 0, replay->iterations - 1);
    return (op * kinds + kind) * replay->iterations + (size_t)iteration;
}

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const struct replay *replay = context;
    struct weir_operator_spec spec = weir_pipeline_operator(replay->pipeline, op);
    bool worst = replay->worst[slot(replay, op.index, PARTS, part == WEIR_PART_RECEIVE, iteration)];
    if (part == WEIR_PART_RECEIVE)
        return worst ? spec.receive_max : spec.receive_min;
    return worst ? spec.worst : spec.best;
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    const struct replay *replay = context;
    if (moment == WEIR_START || moment == WEIR_FINISH)
        replay->times[slot(replay, op.index, MOMENTS, moment, iteration)] = time;
}

static void replay_begin(struct replay *replay, const struct weir_pipeline *pipeline, const struct weir_witness *witness)
{
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    int64_t last = witness->iteration + llabs(witness->query.shift);
    for (size_t i = 0; i < witness->segment_count; i++) {
        const struct weir_segment *segment = &witness->segments[i];
        for (size_t k = 0; k < segment->step_count; k++) {
            int64_t end = segment->steps[k].iteration + (segment->repeat - 1) * segment->iterations;
            last = end > last ? end : last;
        }
    }
    replay->pipeline = pipeline;
    replay->iterations = (size_t)last + 1;
    replay->worst = calloc(operators * PARTS * replay->iterations, sizeof *replay->worst);
    replay->times = malloc(operators * MOMENTS * replay->iterations * sizeof *replay->times);
    for (size_t i = 0; i < operators * MOMENTS * replay->iterations; i++)
        replay->times[i] = -1;
    for (size_t i = 0; i < witness->segment_count; i++)
        for (int64_t r = 0; r < witness->segments[i].repeat; r++)
            for (size_t k = 0; k < witness->segments[i].step_count; k++) {
                const struct weir_step *step = &witness->segments[i].steps[k];
                int64_t iteration = step->iteration + r * witness->segments[i].iterations;
                if (step->counts && step->part <= WEIR_PART_RECEIVE)
                    replay->worst[slot(replay, step->op.index, PARTS, step->part == WEIR_PART_RECEIVE, iteration)] = true;
            }
    struct weir_simulation_options options = {
        .iterations = last + 1, .times = WEIR_TIMES_GIVEN, .given = given, .observe = observe, .context = replay};
    assert_int_equal(weir_simulate(pipeline, &options, NULL), WEIR_OK);
}

static void replay_end(struct replay *replay)
{
    free(replay->worst);
    free(replay->times);
}

static int64_t period_of(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++)
        if (weir_pipeline_source(pipeline, i).op.index == op.index)
            return weir_pipeline_source(pipeline, i).period;
    return 0;
}

/* When the latency begins to count, in the simulator's time. */
static int64_t origin_of(const struct replay *replay, const struct weir_witness *witness)
{
    const struct weir_event *from = &witness->query.from;
    if (from->moment == WEIR_ARRIVAL)
        return witness->iteration * period_of(replay->pipeline, from->op);
    return replay->times[slot(replay, from->op.index, MOMENTS, WEIR_START, witness->iteration)];
}

static void check_critical_path(const struct replay *replay, const struct weir_witness *witness, bool all)
{
    struct weir_critical_path critical;
    assert_int_equal(weir_critical_path_make(replay->pipeline, witness, all, &critical), WEIR_OK);
    assert_true(critical.count > 0);
    int64_t origin = origin_of(replay, witness), steps = 0, expected = 0;
    for (size_t i = 0; i < critical.count; i++) {
        const struct weir_critical_path_line *line = &critical.lines[i];
        if (i > 0)
            assert_true(line->start >= critical.lines[i - 1].end);
        if (!line->step) {
            assert_false(all);
            steps += (int64_t)line->steps * line->times;
            continue;
        }
        steps++;
        if (line->step->part == WEIR_PART_EXECUTION) {
            size_t at = slot(replay, line->step->op.index, MOMENTS, WEIR_START, line->iteration);
            assert_int_equal(line->start, replay->times[at] - origin);
        }
    }
    for (size_t i = 0; i < witness->segment_count; i++)
        expected += (int64_t)witness->segments[i].step_count * witness->segments[i].repeat;
    assert_int_equal(steps, expected); /* nothing is left out, nothing told twice */
    assert_int_equal(critical.lines[critical.count - 1].end, witness->separation);
    struct weir_operator op;
    int64_t time;
    if (weir_critical_path_dominant(replay->pipeline, &critical, &op, &time))
        assert_in_range(time, 1, witness->separation);
    weir_critical_path_free(&critical);
}

static void check_pipeline(const struct weir_pipeline *pipeline)
{
    struct weir_analysis *analysis = NULL;
    assert_int_equal(weir_analyze(pipeline, &(struct weir_analyze_options){0}, &analysis, NULL), WEIR_OK);
    for (size_t i = 0; i < analysis->latency_count; i++) {
        const struct weir_witness *witness = analysis->latencies[i].witness;
        struct replay replay;
        if (!witness)
            continue;
        replay_begin(&replay, pipeline, witness);
        check_critical_path(&replay, witness, true);
        check_critical_path(&replay, witness, false);
        replay_end(&replay);
    }
    weir_analysis_free(analysis);
}

TEST(random_applications)
{
    for (uint32_t seed = 0; seed < 400; seed++) {
        struct weir_generate_options options = {
            .nodes = 2 + seed % 9, .seed = seed, .density_permille = 300, .best_permille = seed % 4 * 300, .queue = 1 + seed % 5};
        struct weir_pipeline *pipeline = NULL;
        assert_int_equal(weir_generate_holoscan(&options, &pipeline, NULL), WEIR_OK);
        check_pipeline(pipeline);
        weir_pipeline_free(pipeline);
    }
}

static void check_text(const char *text)
{
    struct weir_pipeline *pipeline = NULL;
    assert_int_equal(weir_read_memory(text, strlen(text), "model", NULL, &pipeline, NULL), WEIR_OK);
    check_pipeline(pipeline);
    weir_pipeline_free(pipeline);
}

TEST(periods)
{
    const char *format = "operators: {a: [%d, %d], b: [3, %d], c: [1, 6]}\n"
                         "queues: [{from: a, to: b, capacity: 3}, {from: b, to: c, capacity: 2}]\n"
                         "source: {operator: a, period: %d, arrivals: %s}\n"
                         "measure: [{from: a, to: c}, {from: b, to: c, offset: 2}, {from: c, to: c, offset: 3}]\n";
    for (int best = 0; best < 9; best += 4)
        for (int worst = 8; worst < 12; worst++)
            for (int period = 7; period < 14; period++) {
                char text[512];
                snprintf(text, sizeof text, format, best, worst, worst - 1, period, "at-most");
                check_text(text);
                snprintf(text, sizeof text, format, best, worst, worst - 1, period, "exact");
                check_text(text);
            }
}

TEST(late_receives)
{
    const char *format = "operators: {a: [5, 10], b: {time: [%d, 60], receive: [%d, %d]}, c: {time: [30, 50], receive: [0, 50]}}\n"
                         "queues: [a -> b -> c, {from: c, to: a, capacity: 3, initial: 2}]\n"
                         "measure: [{from: a, to: c}, {from: b, to: c}, {from: a, to: b}]\n";
    for (int best = 0; best <= 60; best += 20)
        for (int low = 0; low <= 60; low += 15)
            for (int high = low; high <= 60; high += 15) {
                char text[512];
                snprintf(text, sizeof text, format, best, low, high);
                check_text(text);
            }
}

/* A build-up that repeats, and one that is folded for being long. */
TEST(repetitions)
{
    check_text("operators: {a: [900, 1000], b: [800, 1001], c: [10, 20]}\n"
               "queues: [{from: a, to: b, capacity: 20}, b -> c]\n"
               "source: {operator: a, period: 1000}\n");
    check_text("operators: {a: [9, 10], b: [8, 11], c: [1, 2]}\n"
               "queues: [{from: a, to: b, capacity: 60}, b -> c]\n");
}
