/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps: every point against the model that a change makes of it, for any number of threads; anomalies. */
#include "support/random/pipeline.h"
#include "support/stage.h"
#include "unit/explore/exploring.h"

#include <stdlib.h>
#include <string.h>

static const char chain[] = "operators: {grab: 100, two: 500, merge: 100, show: 400}\n"
                            "queues: [grab -> two -> merge -> show]\n"
                            "deadlines: [{from: grab, to: show, within: 1550}]\n";

static struct weir_sweep *sweep_over(const struct weir_pipeline *p, const char *first, const char *second, unsigned threads)
{
    const struct weir_change axes[] = {{WEIR_CHANGE_SET, first, NULL}, {WEIR_CHANGE_SET, second, NULL}};
    struct weir_sweep_options options = {.axes = axes, .axis_count = second ? 2 : 1, .threads = threads, .work_limit = 200000};
    struct weir_errors *errors = weir_errors_new();
    struct weir_sweep *sweep = NULL;
    enum weir_status status = weir_sweep_run(p, &options, &sweep, errors);
    if (status)
        fail_msg("%s: %s", first, weir_errors_count(errors) ? weir_errors_at(errors, 0)->message : "no reason");
    weir_errors_free(errors);
    return sweep;
}

/* A faster operator makes the pipeline slower: the example of examples/timing-anomaly.yaml. */
TEST(anomaly_is_found)
{
    struct weir_pipeline *p = stage_read(chain);
    struct weir_sweep *s = sweep_over(p, "two.time=100:500:100", NULL, 2);
    assert_int_equal(s->point_count, 5);
    assert_int_equal(s->done, 5);
    assert_string_equal(s->engine, "exact");
    assert_int_equal(s->cells[0].worst.numerator, 1600);
    assert_int_equal(s->cells[4].worst.numerator, 1500);
    assert_false(s->points[0].met);
    assert_true(s->points[4].met);
    assert_int_equal(s->anomaly_count, 1);
    assert_int_equal(s->anomalies[0].axis, 0);
    assert_int_equal(s->anomalies[0].latency, 0);
    assert_int_equal(s->anomalies[0].to + 1, s->anomalies[0].from);
    assert_true(s->cells[s->anomalies[0].to].worst.numerator > s->cells[s->anomalies[0].from].worst.numerator);
    weir_sweep_free(s);
    weir_pipeline_free(p);
}

TEST(values_and_their_texts)
{
    struct weir_pipeline *p = stage_read(chain);
    struct weir_sweep *s = sweep_over(p, "two.time,merge.time=[0, 5],7.5,10:12:1", "queue.capacity=1,3:5,unbounded", 1);
    static const char *const times[] = {"[0, 5]", "7.5", "10", "11", "12"}, *const counts[] = {"1", "3", "4", "5", "unbounded"};
    assert_int_equal(s->point_count, 25);
    assert_int_equal(s->axes[0].values, WEIR_SWEEP_TIMES);
    assert_int_equal(s->axes[1].values, WEIR_SWEEP_COUNTS);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(s->axes[0].texts[i], times[i]);
        assert_string_equal(s->axes[1].texts[i], counts[i]);
    }
    assert_int_equal(weir_sweep_value(s, 13, 0), 2);
    assert_int_equal(weir_sweep_value(s, 13, 1), 3);
    weir_sweep_free(s);
    weir_pipeline_free(p);
}

TEST(what_is_refused)
{
    static const char *const texts[] = {"two.time=1:20",
                                        "two.time=20:1:1",
                                        "two.time=1:20:0",
                                        "two.time=0:9:0.000001",
                                        "two.time=[1,2]:[3,4]:1",
                                        "queue.capacity=1:unbounded",
                                        "two.reentrant=true:false:1",
                                        "two.time=1,,3",
                                        "two.time=",
                                        "two.tme=1:5:1",
                                        "queue.capacity=0:3",
                                        "two.time=1:2:3:4"};
    struct weir_pipeline *p = stage_read(chain);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct weir_errors *errors = weir_errors_new();
        struct weir_sweep *sweep;
        struct weir_sweep_options options = {.axes = &(struct weir_change){WEIR_CHANGE_SET, texts[i], "--sweep"}, .axis_count = 1};
        if (weir_sweep_run(p, &options, &sweep, errors) != WEIR_INVALID)
            fail_msg("%s is not refused", texts[i]);
        assert_null(sweep);
        assert_int_equal(weir_errors_count(errors), 1);
        assert_string_equal(weir_errors_at(errors, 0)->file, "--sweep");
        weir_errors_free(errors);
    }
    weir_pipeline_free(p);
}

/* Values that make no pipeline are points of which that is known. */
TEST(impossible_points)
{
    struct weir_pipeline *p = stage_read("operators: {a: 5, b: 7}\n"
                                         "queues: [{from: a, to: b, capacity: 2, initial: 1}, {from: b, to: a, capacity: 2, "
                                         "initial: 1}]\nmeasure: [{from: a, to: b}]\n");
    struct weir_sweep *fast = sweep_over(p, "queue.capacity=1:3", NULL, 1), *slow = sweep_over(p, "a->b.initial=0:3", NULL, 1);
    assert_int_equal(fast->points[0].state, WEIR_SWEEP_IMPOSSIBLE);
    assert_int_equal(fast->points[1].state, WEIR_SWEEP_DONE);
    assert_int_equal(slow->points[1].state, WEIR_SWEEP_DONE);
    assert_int_equal(slow->points[3].state, WEIR_SWEEP_IMPOSSIBLE);
    weir_sweep_free(fast);
    weir_sweep_free(slow);
    weir_pipeline_free(p);
}

static bool is_same(const struct weir_sweep *a, const struct weir_sweep *b)
{
    if (a->point_count != b->point_count || a->anomaly_count != b->anomaly_count || a->done != b->done)
        return false;
    for (size_t i = 0; i < a->point_count; i++)
        if (a->points[i].state != b->points[i].state || a->points[i].met != b->points[i].met)
            return false;
    for (size_t i = 0; i < a->point_count * a->latency_count; i++)
        if (a->cells[i].claim != b->cells[i].claim || a->cells[i].worst.numerator != b->cells[i].worst.numerator)
            return false;
    return a->anomaly_count == 0 || memcmp(a->anomalies, b->anomalies, a->anomaly_count * sizeof *a->anomalies) == 0;
}

/* One point against the model with the same values. */
static void expect_point(const struct weir_pipeline *p, const struct weir_sweep *s, size_t point)
{
    char texts[2][128];
    struct weir_change changes[2];
    struct weir_changed changed = {.notes = NULL};
    for (size_t i = 0; i < 2; i++) {
        snprintf(texts[i], sizeof texts[i], "%s=%s", s->axes[i].label, s->axes[i].texts[weir_sweep_value(s, point, i)]);
        changes[i] = (struct weir_change){WEIR_CHANGE_SET, texts[i], NULL};
    }
    enum weir_status status = weir_change_apply(p, changes, 2, &changed, NULL);
    assert_int_equal(s->points[point].state, status ? WEIR_SWEEP_IMPOSSIBLE : WEIR_SWEEP_DONE);
    if (status)
        return;
    struct weir_answer_options options = {.brief = true, .work_limit = 200000};
    struct weir_answer *v;
    assert_int_equal(weir_answer_find(changed.after, &options, &v, NULL), WEIR_OK);
    assert_int_equal(weir_answer_bound_count(v), s->latency_count);
    for (size_t i = 0; i < weir_answer_bound_count(v); i++) {
        const struct weir_sweep_cell *cell = &s->cells[point * s->latency_count + i];
        const struct weir_bound *bound = weir_answer_bound(v, i);
        /* Limits of work count other things in an evaluator. */
        if (bound->worst.claim != WEIR_CLAIM_EXACT && bound->worst.claim != WEIR_CLAIM_UNBOUNDED)
            continue;
        assert_int_equal(cell->claim, bound->worst.claim);
        if (bound->worst.claim == WEIR_CLAIM_EXACT)
            assert_int_equal(cell->worst.numerator, bound->worst.high.numerator);
    }
    struct weir_ratio period = weir_answer_period(v);
    assert_int_equal(s->points[point].period.numerator * period.denominator,
                     period.numerator * s->points[point].period.denominator);
    weir_answer_free(v);
    weir_changed_free(&changed);
}

TEST(the_same_as_changes)
{
    struct weir_random random;
    weir_random_seed(&random, 7);
    for (int i = 0; i < 120; i++) {
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(i % WEIR_FLAVOURS));
        char first[64], second[64];
        int64_t op = weir_random_between(&random, 0, (int64_t)weir_pipeline_operator_count(p) - 1);
        static const char *const keys[] = {"time", "worst", "best"};
        snprintf(first, sizeof first, "o%lld.%s=0:6:2", (long long)op, keys[i % 3]);
        snprintf(second, sizeof second, i % 2 && weir_pipeline_queue_count(p) ? "queue.capacity=1:3" : "o0.worst=3,1,9");
        struct weir_sweep *s = sweep_over(p, first, second, 1), *again = sweep_over(p, first, second, 3);
        assert_true(is_same(s, again));
        for (size_t point = 0; point < s->point_count; point++)
            expect_point(p, s, point);
        weir_sweep_free(s);
        weir_sweep_free(again);
        weir_pipeline_free(p);
    }
}

/* Several executions in a round, which an evaluator does not have. */
TEST(rates)
{
    struct weir_pipeline *p = stage_read("operators: {a: 5, b: [3, 7]}\nqueues: [{from: a, to: b, capacity: 3, consume: 2}]\n");
    struct weir_sweep *s = sweep_over(p, "a.worst=4:9:1", "queue.capacity=2:4", 1);
    for (size_t point = 0; point < s->point_count; point++)
        expect_point(p, s, point);
    weir_sweep_free(s);
    weir_pipeline_free(p);
}

TEST(stopped_sweeps_keep_what_they_have)
{
    bool stop = true;
    struct weir_pipeline *p = stage_read(chain);
    struct weir_sweep *sweep;
    struct weir_sweep_options options = {
        .axes = &(struct weir_change){WEIR_CHANGE_SET, "two.time=1:500:1", NULL}, .axis_count = 1, .stop = &stop};
    assert_int_equal(weir_sweep_run(p, &options, &sweep, NULL), WEIR_OK);
    assert_true(sweep->done < sweep->point_count);
    assert_int_equal(sweep->points[499].state, WEIR_SWEEP_OPEN);
    weir_sweep_free(sweep);
    weir_pipeline_free(p);
}

static enum weir_status sweep_once(void *context)
{
    const struct weir_change axes[] = {{WEIR_CHANGE_SET, "two.time=1:3:1", NULL}, {WEIR_CHANGE_SET, "merge.receive=0,1", NULL}};
    struct weir_sweep_options options = {.axes = axes, .axis_count = 2, .threads = 1};
    struct weir_sweep *sweep;
    struct weir_answer *answer = NULL;
    enum weir_status status = weir_sweep_run(context, &options, &sweep, NULL);
    status = status ? status : weir_sweep_answer(sweep, true, &answer, NULL);
    status = status ? status : exploring_write(answer);
    weir_sweep_free(sweep);
    return status;
}

TEST(memory_that_does_not_suffice)
{
    struct weir_pipeline *p = stage_read(chain);
    assert_true(stage_fail_each_allocation(sweep_once, p) > 50);
    weir_pipeline_free(p);
}
