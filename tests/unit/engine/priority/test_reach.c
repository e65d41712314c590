/* SPDX-License-Identifier: Apache-2.0 */
/* Situations that can be reached: bounds where all rules for one task after the other have none. */
#include "check/priority/bounds.h"
#include "plan.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

/* t0 and t1 take 32 a round, with one message, and what is more urgent than t1 on its processor takes up to 5: now and then a round
 * is longer than the period of 36, but not one after the other. */
#define GRAPHS "g 36 22\ng 20 11\n"
#define TASKS "t 0 1 56 29 29\nt 0 0 13 3 3\nt 1 0 40 2 2\nt 1 0 0 2 2\nt 1 0 73 1 1\nt 1 0 89 2 2\n"
#define QUEUES                                                                                                                     \
    "e -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 -1 1\ne 1 0 1 -1 1\ne 2 3 0 2 0\ne 3 4 0 -2 1\n"                                        \
    "e 2 5 0 -1 1\ne 4 2 3 -1 1\ne 5 4 3 1 1\n"
static const char cycle[] = GRAPHS TASKS QUEUES;

static void check_against_simulations(struct weir_pipeline *pipeline)
{
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    struct weir_processors_observed *seen;
    uint32_t capacities[128], queues = weir_pipeline_queue_count(pipeline);
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
    assert_string_equal(analysis->variant, "situations");
    assert_true(analysis->verified && queues <= 128);
    for (uint32_t i = 0; i < queues; i++)
        capacities[i] = analysis->buffers[i].capacity;
    struct weir_processors_search_options options = {
        .seed = 1, .runs = 200, .iterations = 40, .capacities = capacities, .chain = (uint32_t)weir_pipeline_chain_count(pipeline)};
    assert_int_equal(weir_processors_search(pipeline, &options, &seen, NULL), WEIR_OK);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        assert_true(seen->finish_max[i] <= analysis->operators[i].finish_max);
        assert_true(seen->enable_max[i] <= analysis->operators[i].enable_max);
    }
    weir_free(seen);
    weir_priority_analysis_free(analysis);
}

TEST(a_round_that_is_too_long_now_and_then)
{
    struct weir_pipeline *pipeline = plan_build(cycle);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_CIX, 1), -1);
    check_against_simulations(pipeline);
    weir_pipeline_free(pipeline);
}

/* What delays a path over three processors is counted once. */
TEST(a_long_graph)
{
    struct weir_generate_priority_options options = {
        .graphs = 1, .tasks = 50, .processors = 3, .load_permille = 500, .best_permille = 500, .seed = 6};
    struct weir_pipeline *pipeline;
    assert_int_equal(weir_generate_priority(&options, &pipeline, NULL), WEIR_OK);
    check_against_simulations(pipeline);
    weir_pipeline_free(pipeline);
}

/* At whatever moment the work is spent: a bound with a proof of it, or none. */
TEST(limits_of_work)
{
    struct weir_pipeline *pipeline = plan_build(cycle);
    bool none = false, found = false;
    for (uint64_t limit = 1; !found; limit += 1 + limit / 2) {
        struct weir_priority_options options = {.work_limit = limit, .verify = true};
        struct weir_priority_analysis *analysis;
        assert_int_equal(weir_priority_analyze(pipeline, &options, &analysis, NULL), WEIR_OK);
        found = analysis->outcome == WEIR_PRIORITY_CONVERGED;
        assert_true(found || limit < UINT64_C(1000000000));
        none = none || !found;
        assert_true(found ? analysis->verified : analysis->outcome != WEIR_PRIORITY_UNBOUNDED && analysis->why);
        weir_priority_analysis_free(analysis);
    }
    assert_true(none);
    weir_pipeline_free(pipeline);
}

static void *grant_small(void *context, void *old, size_t bytes)
{
    (void)context;
    if (bytes == 0)
        free(old);
    return bytes == 0 || bytes > (size_t)100 << 20 ? NULL : realloc(old, bytes);
}

/* Many clocks: they are not compared with each other at the price of all memory, and there is an answer. */
TEST(too_many_clocks)
{
    enum { FIRST = 6, END = 4000 };
    static const struct weir_allocator small = {.resize = grant_small};
    char *lines = NULL;
    size_t bytes;
    FILE *out = open_memstream(&lines, &bytes);
    fprintf(out, GRAPHS "g 1000 0\n" TASKS);
    for (int i = FIRST; i < END; i++)
        fprintf(out, "t 2 -1 0 1 1\n");
    fprintf(out, QUEUES "e -3 %d 0 -1 0\n", FIRST);
    for (int i = FIRST + 1; i < END; i++)
        fprintf(out, "e %d %d 0 -1 1\n", i - 1, i);
    fclose(out);
    struct weir_pipeline *pipeline = plan_build(lines);
    struct weir_priority_analysis *analysis;
    weir_set_allocator(&small);
    enum weir_status status = weir_priority_analyze(pipeline, NULL, &analysis, NULL);
    weir_set_allocator(NULL);
    assert_int_equal(status, WEIR_OK);
    assert_true(analysis->outcome != WEIR_PRIORITY_CONVERGED && analysis->why);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    free(lines);
}
