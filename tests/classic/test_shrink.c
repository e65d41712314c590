/* SPDX-License-Identifier: Apache-2.0 */
/* That the campaign finds a wrong method, and what is left of the graph then. */
#include "support/stage.h"

#include "compare.h"
#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A method with a fault that shows where a queue of more than one place leads into an operator whose time is above 10. */
static enum weir_status faulty(const struct contestant *self, const struct weir_pipeline *p, struct weir_method_result *result,
                               struct weir_error *error)
{
    (void)self;
    enum weir_status status = weir_method_run(p, WEIR_METHOD_EXACT, 0, NULL, result, error);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p) && !status; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        if (q.capacity > 1 && weir_pipeline_operator(p, q.to).worst > 10)
            result->value--;
    }
    return status;
}

static enum weir_status broken(const struct contestant *self, const struct weir_pipeline *p, struct weir_method_result *result,
                               struct weir_error *error)
{
    (void)self;
    *result = (struct weir_method_result){.applicable = false};
    if (weir_pipeline_operator_count(p) < 3)
        return WEIR_OK;
    if (error)
        snprintf(error->message, sizeof error->message, "three is too many");
    return WEIR_INTERNAL;
}

/* Says 1 less than the truth, and that this is reached, or safe, or neither. */
static struct weir_method_result modest_flags;
static enum weir_status modest(const struct contestant *self, const struct weir_pipeline *p, struct weir_method_result *result,
                               struct weir_error *error)
{
    (void)self;
    enum weir_status status = weir_method_run(p, WEIR_METHOD_EXACT, 0, NULL, result, error);
    result->value += modest_flags.value;
    result->exact = modest_flags.exact;
    result->safe = modest_flags.safe;
    return status;
}

static void draw(struct sketch *sketch, uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    sketch_draw(sketch, &(struct sketch_shape){.operators = 9, .worst_max = 1000, .capacity_max = 3}, &random);
}

TEST(test_injected_fault)
{
    const struct contestant contestants[] = {{.name = "exact", .run = contestant_run, .method = WEIR_METHOD_EXACT},
                                             {.name = "faulty", .run = faulty}};
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct contest contest = {.contestants = contestants, .count = 2};
        struct sketch sketch;
        char path[64], line[256], expected[64];
        draw(&sketch, seed);
        assert_true(contest_contradicts(&contest, &sketch));
        assert_true(contest_report(&contest, &sketch, seed, path, sizeof path));

        /* The fault needs two operators, 11 ticks in the second, and a queue of 2; nothing else is left. */
        assert_int_equal(sketch.operator_count, 2);
        assert_int_equal(sketch.queue_count, 1);
        assert_int_equal(sketch.queues[0].capacity, 2);
        assert_int_equal(sketch.operators[0].worst, 0);
        assert_int_equal(sketch.operators[1].best, 0);
        assert_int_equal(sketch.operators[1].worst, 11);

        snprintf(expected, sizeof expected, "disagreement-%d.yaml", (int)seed);
        assert_string_equal(path, expected);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, "# exact says at least 33, faulty says at most 32\n");
        fclose(file);
        struct weir_pipeline *saved;
        struct weir_method_result result;
        assert_int_equal(weir_read_file(path, NULL, &saved, NULL), WEIR_OK);
        assert_int_equal(weir_pipeline_operator_count(saved), 2);
        assert_int_equal(weir_method_run(saved, WEIR_METHOD_EXACT, 0, NULL, &result, NULL), WEIR_OK);
        assert_int_equal(result.value, 33);
        weir_pipeline_free(saved);
        remove(path);
    }
}

TEST(test_failure)
{
    const struct contestant contestants[] = {{.name = "exact", .run = contestant_run, .method = WEIR_METHOD_EXACT},
                                             {.name = "broken", .run = broken}};
    struct contest contest = {.contestants = contestants, .count = 2};
    struct sketch sketch;
    char path[64];
    draw(&sketch, 1);
    assert_true(contest_contradicts(&contest, &sketch));
    assert_true(contest_report(&contest, &sketch, 999, path, sizeof path));
    assert_int_equal(sketch.operator_count, 3);
    assert_non_null(strstr(contest.words, "broken fails with status 5: three is too many"));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(sketch.operators[i].worst, 0);
    remove(path);
}

/* The rules of the contest: a value is only held to what it claims. */
TEST(test_claims)
{
    static const struct {
        int64_t off;
        bool exact, safe, reached, contradicts;
    } rules[] = {
        {0, true, true, false, false},  {1, true, true, false, true},    {-1, true, true, false, true},
        {1, false, true, false, false}, {-1, false, true, false, true},  {-1, false, false, true, false},
        {1, false, false, true, true},  {1, false, false, false, false}, {-1, false, false, false, false},
    };
    struct sketch sketch;
    draw(&sketch, 2);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct contestant contestants[] = {{.name = "exact", .run = contestant_run, .method = WEIR_METHOD_EXACT},
                                                 {.name = "modest", .run = modest, .reached = rules[i].reached}};
        struct contest contest = {.contestants = contestants, .count = 2};
        modest_flags = (struct weir_method_result){.value = rules[i].off, .exact = rules[i].exact, .safe = rules[i].safe};
        assert_int_equal(contest_contradicts(&contest, &sketch), rules[i].contradicts);
    }
}

/* A file that cannot be written is told apart from one that was. */
TEST(test_no_file)
{
    const struct contestant contestants[] = {{.name = "broken", .run = broken}};
    struct contest contest = {.contestants = contestants, .count = 1};
    struct sketch sketch;
    char path[64], folder[] = "/tmp/weir-test-XXXXXX", here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(rmdir(folder), 0); /* nobody can create a file in a folder that is gone, not even root */
    draw(&sketch, 1);
    assert_false(contest_report(&contest, &sketch, 1, path, sizeof path));
    assert_int_equal(chdir(here), 0);
}

static bool has_three_queues(void *context, const struct sketch *sketch)
{
    ++*(int *)context;
    return sketch->queue_count >= 3;
}

TEST(test_shrink_alone)
{
    struct sketch sketch;
    int tried = 0;
    draw(&sketch, 3);
    shrink(&sketch, has_three_queues, &tried);
    assert_int_equal(sketch.queue_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(sketch.queues[i].capacity, 1);
        assert_true(sketch.queues[i].from < sketch.operator_count && sketch.queues[i].to < sketch.operator_count);
    }
    for (uint32_t i = 0; i < sketch.operator_count; i++)
        assert_int_equal(sketch.operators[i].worst, 0);
    assert_true(tried > 0);
}
