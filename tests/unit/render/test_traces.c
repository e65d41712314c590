/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses and simulations as traces, read again by a strict reader. */
#include "support/random/pipeline.h"
#include "support/stage.h"
#include "support/timeline.h"
#include "support/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIPELINES = 200 };

static const enum weir_times ways[] = {WEIR_TIMES_RANDOM, WEIR_TIMES_BEST, WEIR_TIMES_WORST, WEIR_TIMES_BANG_BANG};

static char *witness_text(const struct weir_analysis *a, size_t latency)
{
    char *text;
    STAGE_WRITTEN(text, trace_latency(a, latency, out, NULL));
    return text;
}

static char *simulation_text(const struct weir_pipeline *p, const struct weir_simulation_options *options)
{
    char *text;
    STAGE_WRITTEN(text, trace_simulation(p, options, out, NULL));
    return text;
}

/* ---- simulations ---- */

/* What is traced is what the simulator does without: the same events in the same order. */
static void check_simulation(const struct weir_pipeline *p, enum weir_times times, uint64_t seed)
{
    enum { ITERATIONS = 20 };
    struct stage_trace plain = {0}, traced = {0};
    struct weir_simulation_options options = {
        .iterations = ITERATIONS, .times = times, .seed = seed, .observe = stage_observe, .context = &plain};
    struct trace_counts counts;
    uint32_t operators = weir_pipeline_operator_count(p), queues = weir_pipeline_queue_count(p);
    size_t messages = 0;
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
    options.context = &traced;
    char *text = simulation_text(p, &options);
    assert_int_equal(traced.hash, plain.hash);
    assert_int_equal(traced.last, plain.last);
    char *again = simulation_text(p, &options);
    trace_check(text, &counts);
    assert_true(plain.hash != 0);
    assert_int_equal(counts.slices, operators * ITERATIONS);
    assert_int_equal(counts.own, counts.slices); /* an execution has the name of its operator */
    assert_int_equal(counts.steps, 0);
    assert_true(queues == 0 || counts.end == counts.last);
    for (uint32_t i = 0; i < queues; i++) {
        uint32_t initial = weir_pipeline_queue(p, (struct weir_queue){i}).initial;
        messages += initial < ITERATIONS ? ITERATIONS - initial : 0;
    }
    assert_int_equal(counts.arrows, messages);
    assert_int_equal(counts.counters, queues);
    assert_int_equal(counts.marks, 0);
    assert_string_equal(text, again);
    free(text);
    free(again);
}

TEST(random_pipelines)
{
    struct weir_analyze_options limit = {.work_limit = 200000};
    for (uint64_t seed = 1; seed <= PIPELINES; seed++) {
        struct weir_random random;
        struct weir_analysis *a;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        assert_non_null(p);
        check_simulation(p, ways[seed / 4 % 4], seed);
        assert_int_equal(weir_analyze(p, &limit, &a, NULL), WEIR_OK);
        for (size_t i = 0; i < a->latency_count && i < 2; i++) {
            struct trace_counts counts;
            if (!a->latencies[i].witness || a->latencies[i].witness->iteration > 50)
                continue;
            char *text = witness_text(a, i);
            trace_check(text, &counts);
            assert_int_equal(counts.marks, 2);
            assert_true(counts.slices > 0 && counts.tracks >= weir_pipeline_operator_count(p));
            assert_int_equal(counts.own, counts.slices);
            assert_true(counts.steps > 0 || a->latencies[i].worst.value == 0);
            assert_int_equal(counts.counters, weir_pipeline_queue_count(p));
            free(text);
        }
        weir_analysis_free(a);
        weir_pipeline_free(p);
    }
}

/* ---- by hand ---- */

/* Three queues between the same operators, names that begin alike for longer than a line, no time at all. */
TEST(names)
{
    char first[300], second[300];
    memset(first, 'x', sizeof first);
    memcpy(second, first, sizeof first);
    snprintf(first + 280, 20, "\303\244\"1");
    snprintf(second + 280, 20, "\303\244\\2");
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, first, 0, 0), b = stage_operator(p, second, 0, 0);
    for (uint32_t i = 1; i <= 3; i++)
        stage_queue(p, a, b, i, 0);
    stage_seal(p);
    struct weir_simulation_options options = {.iterations = 5, .times = WEIR_TIMES_WORST};
    struct trace_counts counts;
    char *text = simulation_text(p, &options);
    trace_check(text, &counts);
    assert_int_equal(counts.slices, 10);
    assert_int_equal(counts.arrows, 15);
    assert_int_equal(counts.counters, 3);
    free(text);
    struct weir_analysis *analysis;
    assert_int_equal(weir_analyze(p, NULL, &analysis, NULL), WEIR_OK);
    text = witness_text(analysis, 0);
    trace_check(text, &counts);
    free(text);
    weir_analysis_free(analysis);
    weir_pipeline_free(p);
}

/* A slow consumer behind a queue of one: from the second execution on the producer waits for room, the consumer for itself. */
TEST(waits)
{
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){2, 10}, 1);
    struct weir_simulation_options options = {.iterations = 6, .times = WEIR_TIMES_WORST};
    struct trace_counts counts;
    char *text = simulation_text(p, &options);
    trace_check(text, &counts);
    /* 0 to 2, 2 to 4 beside the consumer's first from 2 to 12, then always when that takes the next message */
    assert_int_equal(counts.rooms, 5);
    assert_int_equal(counts.arrows, 6);
    assert_non_null(strstr(text, "\"ts\": 12, \"dur\": 2, \"cname\": "));
    assert_non_null(strstr(text, "\"waited_for\": \"its own last iteration\""));
    free(text);
    struct weir_analysis *a;
    assert_int_equal(weir_analyze(p, NULL, &a, NULL), WEIR_OK);
    text = witness_text(a, 0);
    trace_check(text, &counts);
    assert_true(counts.steps >= 2 && counts.tracks == 3);
    assert_non_null(strstr(text, "\"name\": \"critical path\""));
    assert_non_null(strstr(text, "\"adds_up\": "));
    free(text);
    weir_analysis_free(a);
    weir_pipeline_free(p);
}

/* A trace of very many events leaves out what tells least, and says so. */
TEST(large)
{
    enum { OPERATORS = 2000, ITERATIONS = 60 };
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator before = {0};
    for (uint32_t i = 0; i < OPERATORS; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        struct weir_operator op = stage_operator(p, name, 1, 1 + i * 7 % 13);
        if (i)
            stage_queue(p, before, op, 2, 0);
        before = op;
    }
    stage_seal(p);
    struct weir_simulation_options options = {.iterations = ITERATIONS, .times = WEIR_TIMES_WORST};
    char *text = simulation_text(p, &options);
    assert_non_null(strstr(text, "\"left_out\": \"messages that nobody waited for"));
    assert_true(strlen(text) < 50000000);
    free(text);
    weir_pipeline_free(p);
}

/* Iterations of a reentrant operator that overlap are on tracks of their own. */
TEST(overlaps)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator_spec spec = {.name = "slow", .best = 10, .worst = 10, .reentrant = true};
    struct weir_operator source = stage_operator(p, "source", 0, 0), slow;
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &slow, NULL), WEIR_OK);
    stage_period(p, source, 3, WEIR_ARRIVALS_AT_MOST);
    stage_queue(p, source, slow, 8, 0);
    stage_seal(p);
    struct weir_simulation_options options = {.iterations = 12, .times = WEIR_TIMES_WORST};
    struct trace_counts counts;
    char *text = simulation_text(p, &options);
    trace_check(text, &counts);
    assert_int_equal(counts.tracks, 1 + 4); /* at 0, 3, 6 and 9; at 12 the first is over */
    free(text);
    weir_pipeline_free(p);
}

static int64_t give(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const int64_t *time = context;
    return part == WEIR_PART_RECEIVE ? 0 : time[op.index] + (iteration & 1);
}

TEST(given_times)
{
    int64_t times[] = {3, 5, -1};
    struct weir_error error = {0};
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){9, 9}, 2);
    struct weir_simulation_options options = {.iterations = 4, .times = WEIR_TIMES_GIVEN, .given = give, .context = times};
    struct trace_counts counts;
    char *text = simulation_text(p, &options);
    trace_check(text, &counts);
    assert_int_equal(counts.slices, 8);
    assert_non_null(strstr(text, "\"ts\": 3, \"dur\": 5"));
    free(text);
    times[0] = -2;
    assert_int_equal(trace_simulation(p, &options, stdout, &error), WEIR_INVALID);
    options.given = NULL;
    assert_int_equal(trace_simulation(p, &options, stdout, &error), WEIR_INVALID);
    options.times = (enum weir_times)99;
    assert_int_equal(trace_simulation(p, &options, stdout, &error), WEIR_INVALID);
    options = (struct weir_simulation_options){.iterations = 0};
    assert_int_equal(trace_simulation(p, &options, stdout, &error), WEIR_INVALID);
    options.iterations = 500001;
    assert_int_equal(trace_simulation(p, &options, stdout, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "at most 1000000 executions, and at least one: not 500001 of each of 2"));
    weir_pipeline_free(p);
}

/* ---- memory ---- */

static enum weir_status run(void *context)
{
    struct weir_simulation_options options = {.iterations = 3, .times = WEIR_TIMES_RANDOM};
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    enum weir_status status = trace_simulation(context, &options, out, NULL);
    fclose(out);
    return status;
}

TEST(memory)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){1, 2, 3}, 1);
    assert_true(stage_fail_each_allocation(run, p) > 8);
    weir_pipeline_free(p);
}
