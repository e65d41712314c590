/* SPDX-License-Identifier: Apache-2.0 */
/* What a latency depends on: against asking the engine about the changed model, on hand-made and random pipelines. */
#include "base/number.h"
#include "support/random/pipeline.h"
#include "support/stage.h"

static struct weir_sensitivity *find(const struct weir_pipeline *p, uint32_t chain)
{
    struct weir_sensitivity *s;
    struct weir_error error = {0};
    if (weir_sensitivity_find(p, chain, NULL, &s, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    return s;
}

/* 100 -> 500 -> 100 -> 400 with queues of one: the critical path goes through the slow one more than once. */
TEST(chain_by_hand)
{
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){100, 500, 100, 400}, 1);
    struct weir_sensitivity *s = find(p, 0);
    assert_int_equal(s->now.worst.outcome, WEIR_EXACT);
    assert_int_equal(s->now.worst.value, 1600);
    assert_int_equal(s->now.period.numerator, 500);
    const int64_t worst[] = {100, 500, 100, 400}, slower[] = {1600, 1600, 1600, 1604};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(s->operators[i].worst, worst[i] * 9 / 10);
        assert_int_equal(s->operators[i].slower.worst.value, slower[i]);
    }
    assert_int_equal(s->operators[1].faster.period.numerator, 450);
    assert_int_equal(s->operators[3].faster.worst.value, 1460);
    assert_true(s->queues[0].has_more);
    assert_false(s->queues[0].has_less);
    assert_true(s->queues[0].more.worst.value > 1600);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

/* ---- against the analysis of the changed model ---- */

static void same_as(const struct weir_pipeline *changed, uint32_t chain, const struct weir_effect *effect)
{
    struct weir_analysis *a;
    assert_int_equal(weir_analyze(changed, NULL, &a, NULL), WEIR_OK);
    const struct weir_separation *worst = &a->latencies[chain].worst;
    assert_int_equal(effect->worst.outcome, worst->outcome);
    if (worst->outcome == WEIR_EXACT)
        assert_int_equal(effect->worst.value, worst->value);
    assert_int_equal(effect->period.numerator, a->throughput.period.numerator);
    assert_int_equal(effect->period.denominator, a->throughput.period.denominator);
    weir_analysis_free(a);
}

static void check_times(const struct weir_pipeline *p, uint32_t chain, struct weir_operator op,
                        const struct weir_operator_effect *e)
{
    struct weir_operator_spec spec = weir_pipeline_operator(p, op), changed = spec;
    struct weir_pipeline *copy = weir_pipeline_copy(p, NULL);
    changed.worst++;
    assert_int_equal(weir_pipeline_change_operator(copy, op, &changed, NULL), WEIR_OK);
    stage_seal(copy);
    same_as(copy, chain, &e->slower);
    weir_pipeline_free(copy);

    assert_int_equal(e->worst, spec.worst - (spec.worst + 9) / 10);
    assert_true(e->best <= spec.best && e->best <= e->worst);
    changed.best = e->best;
    changed.worst = e->worst;
    changed.receive_max = changed.receive_max < e->worst ? changed.receive_max : e->worst;
    changed.receive_min = changed.receive_min < e->worst ? changed.receive_min : e->worst;
    copy = weir_pipeline_copy(p, NULL);
    assert_int_equal(weir_pipeline_change_operator(copy, op, &changed, NULL), WEIR_OK);
    stage_seal(copy);
    same_as(copy, chain, &e->faster);
    weir_pipeline_free(copy);
}

/* Less room may be a deadlock, which has no events. */
static void check_capacity(const struct weir_pipeline *p, uint32_t chain, struct weir_queue queue, int by,
                           const struct weir_effect *effect)
{
    struct weir_queue_spec spec = weir_pipeline_queue(p, queue);
    struct weir_pipeline *copy = weir_pipeline_copy(p, NULL);
    struct weir_errors *errors = weir_errors_new();
    spec.capacity = (uint32_t)((int64_t)spec.capacity + by);
    assert_int_equal(weir_pipeline_change_queue(copy, queue, &spec, NULL), WEIR_OK);
    if (weir_pipeline_seal(copy, NULL, errors) == WEIR_OK) {
        same_as(copy, chain, effect);
    } else {
        assert_true(by < 0);
        assert_int_equal(effect->worst.outcome, WEIR_NO_EVENTS);
    }
    weir_errors_free(errors);
    weir_pipeline_free(copy);
}

static void check_all(const struct weir_pipeline *p, uint32_t chain)
{
    struct weir_sensitivity *s = find(p, chain);
    assert_ptr_equal(s->pipeline, p);
    assert_int_equal(s->chain, chain);
    assert_int_equal(s->permille, 100);
    same_as(p, chain, &s->now);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++)
        check_times(p, chain, (struct weir_operator){i}, &s->operators[i]);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){i});
        bool sized = spec.capacity != WEIR_UNBOUNDED && !spec.nonblocking;
        assert_int_equal(s->queues[i].has_more, sized);
        assert_int_equal(s->queues[i].has_less, sized && spec.capacity > 1 && spec.capacity > spec.initial);
        if (s->queues[i].has_more)
            check_capacity(p, chain, (struct weir_queue){i}, 1, &s->queues[i].more);
        if (s->queues[i].has_less)
            check_capacity(p, chain, (struct weir_queue){i}, -1, &s->queues[i].less);
    }
    weir_sensitivity_free(s);
}

TEST(random_papers)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct weir_generate_options options = {
            .nodes = 6, .seed = seed, .density_permille = 300, .best_permille = 500, .queue = 2};
        struct weir_pipeline *p;
        assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
        check_all(p, 0);
        weir_pipeline_free(p);
    }
}

/* Loops, several sources and sinks, periods and arrivals, late receives, reentrant operators, queues that do not block; with and
 * without a bound. Every latency of some. */
TEST(random_everything)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOUR_SLOW));
        uint32_t chains = weir_pipeline_chain_count(p);
        for (uint32_t i = 0; i < chains && i < 2; i++)
            check_all(p, i ? chains - 1 : 0);
        weir_pipeline_free(p);
    }
}

/* ---- special ones ---- */

/* The input comes every 10 and waits: the bound counts from its arrival, and faster operators cannot make results come more often
 * than inputs. */
TEST(sources)
{
    for (int exact = 0; exact < 2; exact++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator a = stage_operator(p, "a", 1, 4), b = stage_operator(p, "b", 2, 9);
        stage_queue(p, a, b, 1, 0);
        stage_period(p, a, 10, exact ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST);
        stage_seal(p);
        struct weir_sensitivity *s = find(p, 0);
        assert_int_equal(s->now.worst.value, 13);
        assert_int_equal(s->now.period.numerator, 10);
        assert_int_equal(s->operators[1].faster.worst.value, 12);
        assert_int_equal(s->operators[1].faster.period.numerator, 10);
        weir_sensitivity_free(s);
        check_all(p, 0);
        weir_pipeline_free(p);
    }
}

/* Inputs come as fast as they are handled: no bound, and one tick less gives one. */
TEST(without_a_bound)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 1), b = stage_operator(p, "b", 1, 11);
    stage_queue(p, a, b, WEIR_UNBOUNDED, 0);
    stage_period(p, a, 10, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    struct weir_sensitivity *s = find(p, 0);
    assert_int_equal(s->now.worst.outcome, WEIR_NO_BOUND);
    assert_int_equal(s->operators[0].faster.worst.outcome, WEIR_NO_BOUND);
    assert_int_equal(s->operators[1].worst, 9);
    assert_int_equal(s->operators[1].faster.worst.outcome, WEIR_EXACT);
    assert_false(s->queues[0].has_more || s->queues[0].has_less);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

static void is_unknown(const struct weir_effect *effect)
{
    assert_int_equal(effect->worst.outcome, WEIR_BRACKET);
    assert_true(effect->worst.lower == INT64_MIN && effect->worst.upper == INT64_MAX);
    assert_int_equal(effect->period.denominator, 0);
}

/* Times at the end of what can be counted: one that is as long as can be, and a sum that no longer fits when it grows. */
TEST(at_the_end_of_time)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "a", 0, WEIR_TIME_MAX - 1);
    stage_seal(p);
    struct weir_sensitivity *s = find(p, 0);
    assert_int_equal(s->now.worst.value, WEIR_TIME_MAX - 1);
    is_unknown(&s->operators[0].slower);
    assert_int_equal(s->operators[0].faster.worst.value, s->operators[0].worst);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
    for (int64_t long_time = WEIR_TIME_MAX - 1; long_time > 0; long_time--) { /* the longest that can be analysed */
        p = weir_pipeline_new(NULL);
        struct weir_operator a = stage_operator(p, "a", 0, 1), b = stage_operator(p, "b", 0, long_time);
        stage_queue(p, a, b, 1, 0);
        if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
            break;
        weir_pipeline_free(p);
    }
    s = find(p, 0);
    is_unknown(&s->operators[0].slower);
    is_unknown(&s->operators[1].slower);
    assert_int_equal(s->operators[1].faster.worst.outcome, s->now.worst.outcome);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

/* Almost no work for each search: brackets that contain the answer. */
TEST(brackets)
{
    struct weir_random random;
    weir_random_seed(&random, 7);
    struct weir_sensitivity_options options = {.work_limit = 1};
    struct weir_pipeline *p = weir_random_pipeline(&random, WEIR_FLAVOUR_INTERVALS);
    struct weir_sensitivity *little, *all = find(p, 0);
    assert_int_equal(weir_sensitivity_find(p, 0, &options, &little, NULL), WEIR_OK);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        const struct weir_separation *l = &little->operators[i].faster.worst, *a = &all->operators[i].faster.worst;
        assert_int_equal(a->outcome, WEIR_EXACT);
        assert_true(l->outcome == WEIR_EXACT ? l->value == a->value : l->lower <= a->value && a->value <= l->upper);
    }
    weir_sensitivity_free(all);
    weir_sensitivity_free(little);
    weir_pipeline_free(p);
}

static void count_progress(void *context, unsigned permille)
{
    unsigned *last = context;
    assert_true(permille >= *last && permille <= 1000);
    *last = permille;
}

TEST(progress)
{
    unsigned last = 0;
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){1, 2, 3, 4}, 2);
    struct weir_sensitivity *s;
    struct weir_sensitivity_options options = {.progress = count_progress, .context = &last, .permille = 1000};
    assert_int_equal(weir_sensitivity_find(p, 0, &options, &s, NULL), WEIR_OK);
    assert_true(last > 500);
    assert_int_equal(s->operators[3].worst, 0);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

/* A loop whose queue holds just its initial messages: with less room nothing would fit. */
TEST(queues_at_their_limits)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 5), b = stage_operator(p, "b", 1, 7);
    stage_queue(p, a, b, WEIR_UNBOUNDED, 0);
    stage_queue(p, b, a, 2, 2);
    struct weir_chain_spec chain = {.from = a, .to = b};
    assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_sensitivity *s = find(p, 0);
    assert_false(s->queues[0].has_more || s->queues[0].has_less);
    assert_true(s->queues[1].has_more);
    assert_false(s->queues[1].has_less);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

TEST(bad_questions)
{
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){1, 2}, 1);
    struct weir_sensitivity *s;
    struct weir_sensitivity_options options = {.permille = 1001};
    bool stop = true;
    assert_int_equal(weir_sensitivity_find(p, 1, NULL, &s, NULL), WEIR_INVALID);
    assert_int_equal(weir_sensitivity_find(p, 0, &options, &s, NULL), WEIR_INVALID);
    options = (struct weir_sensitivity_options){.stop = &stop};
    struct weir_error error = {0};
    assert_int_equal(weir_sensitivity_find(p, 0, &options, &s, &error), WEIR_INVALID);
    assert_string_equal(error.message, "interrupted");
    assert_null(s);
    weir_pipeline_free(p);
    p = weir_pipeline_new(NULL);
    stage_operator(p, "a", 1, 2);
    assert_int_equal(weir_sensitivity_find(p, 0, NULL, &s, NULL), WEIR_INVALID); /* not sealed */
    struct weir_operator b = stage_operator(p, "b", 1, 2);
    stage_queue(p, (struct weir_operator){0}, b, 1, 0);
    assert_int_equal(weir_pipeline_set_workers(p, &(struct weir_workers_spec){.workers = 1}, NULL), WEIR_OK);
    stage_seal(p);
    assert_int_equal(weir_sensitivity_find(p, 0, NULL, &s, NULL), WEIR_INVALID); /* no thread for each */
    weir_pipeline_free(p);
}

/* One operator, no queue. */
TEST(alone)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "a", 1, 2);
    stage_seal(p);
    check_all(p, 0);
    weir_pipeline_free(p);
}

static enum weir_status find_again(void *context)
{
    struct weir_sensitivity *s;
    enum weir_status status = weir_sensitivity_find(context, 0, NULL, &s, NULL);
    weir_sensitivity_free(s);
    return status;
}

TEST(memory)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){1, 2, 3}, 1);
    assert_true(stage_fail_each_allocation(find_again, p) > 20);
    weir_pipeline_free(p);
}
