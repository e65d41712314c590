/* SPDX-License-Identifier: Apache-2.0 */
/* Margins against asking for every number there is. */
#include "base/number.h"
#include "support/random/pipeline.h"
#include "support/stage.h"
#include "unit/explore/exploring.h"

/* ---- one number at a time ---- */

static struct weir_margins *find(const struct weir_pipeline *p, uint32_t chain, const struct weir_margins_options *options)
{
    struct weir_margins *margins;
    struct weir_error error = {0};
    if (weir_margins_find(p, chain, options, &margins, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    return margins;
}

static const struct weir_margin *margin_of(const struct weir_margins *margins, enum weir_parameter parameter, uint32_t index)
{
    for (size_t i = 0; i < margins->count; i++)
        if (margins->items[i].parameter == parameter && margins->items[i].index == index)
            return &margins->items[i];
    return NULL;
}

/* 100 -> 500 -> 100 -> 400 with queues of one. */
static void chain_by_hand(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    const int64_t worst[] = {100, 500, 100, 400};
    static const char *const names[] = {"a", "b", "c", "d"};
    for (uint32_t i = 0; i < 4; i++)
        stage_operator(p, names[i], 0, worst[i]);
    for (uint32_t i = 0; i < 3; i++)
        stage_queue(p, (struct weir_operator){i}, (struct weir_operator){i + 1}, 1, 0);
    weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = {0}, .to = {3}, .has_deadline = true, .deadline = 2000}, NULL);
    stage_seal(p);
    struct weir_margins *m = find(p, 0, NULL);
    assert_true(m->complete);
    assert_int_equal(m->now.value, 1600);
    const struct weir_margin *d = margin_of(m, WEIR_PARAMETER_WORST, 3);
    assert_true(d->proved && d->has_limit);
    assert_int_equal(d->limit, 500); /* four times 500 is 2000 */
    const struct weir_margin *a = margin_of(m, WEIR_PARAMETER_WORST, 0);
    assert_int_equal(a->at_less.value, 1600);
    weir_margins_free(m);
    weir_pipeline_free(p);
}

/* The latency of a number by the vertices around it; false where they do not say. */
static bool read_off(const struct weir_margin *m, int64_t at, struct weir_separation *latency)
{
    for (size_t i = 0; i < m->vertex_count; i++) {
        const struct weir_vertex *v = &m->vertices[i];
        *latency = v->latency;
        if (v->at == at)
            return v->latency.outcome != WEIR_BRACKET;
        if (i + 1 == m->vertex_count || at < v->at || at > v[1].at)
            continue;
        if (at == v[1].at || v->proof == WEIR_PROOF_NONE)
            continue;
        assert_int_not_equal(v->proof, WEIR_PROOF_NEXT);
        assert_int_equal(v->latency.outcome, v[1].latency.outcome);
        int64_t rise = v[1].latency.value - v->latency.value, run = v[1].at - v->at;
        if (v->latency.outcome == WEIR_EXACT) {
            assert_int_equal(rise * (at - v->at) % run, 0);
            latency->value = v->latency.value + rise * (at - v->at) / run;
        }
        return true;
    }
    return false;
}

static int64_t evaluate(struct weir_evaluator *e, const struct weir_pipeline *p, const struct weir_margin *m, int64_t at,
                        struct weir_separation *latency)
{
    weir_evaluator_reset(e);
    struct weir_operator_spec spec = {0};
    if (m->parameter != WEIR_PARAMETER_CAPACITY)
        spec = weir_pipeline_operator(p, (struct weir_operator){m->index});
    enum weir_status status = m->parameter == WEIR_PARAMETER_CAPACITY
                                  ? weir_evaluator_set_capacity(e, (struct weir_queue){m->index}, (uint32_t)at, NULL)
                              : m->parameter == WEIR_PARAMETER_WORST
                                  ? weir_evaluator_set_times(e, (struct weir_operator){m->index}, spec.best, at, NULL)
                                  : weir_evaluator_set_times(e, (struct weir_operator){m->index}, at, spec.worst, NULL);
    assert_int_equal(status, WEIR_OK);
    return weir_evaluator_latency(e, 0, latency, NULL);
}

static void check_limit(const struct weir_margin *m, struct weir_evaluator *e, const struct weir_pipeline *p, int64_t deadline)
{
    struct weir_separation s;
    for (int64_t at = m->low; at <= m->high && m->has_limit; at++) {
        if (m->parameter == WEIR_PARAMETER_CAPACITY && (at < m->now || at > m->limit + 1))
            continue;
        assert_int_equal(evaluate(e, p, m, at, &s), WEIR_OK);
        bool kept = s.outcome == WEIR_EXACT && s.value <= deadline;
        bool within = m->parameter == WEIR_PARAMETER_BEST ? m->limit >= 0 && at >= m->limit : at <= m->limit;
        if (s.outcome != WEIR_BRACKET)
            assert_int_equal(kept, within);
    }
}

static void check_margin(const struct weir_margin *m, struct weir_evaluator *e, const struct weir_pipeline *p)
{
    struct weir_separation mine, theirs;
    int64_t last = m->settled ? m->high + 12 : m->high;
    for (int64_t at = m->low; at <= last; at++) {
        int64_t seen = at > m->high ? m->high : at;
        if (!read_off(m, seen, &mine))
            continue;
        assert_int_equal(evaluate(e, p, m, at, &theirs), WEIR_OK);
        if (theirs.outcome == WEIR_BRACKET)
            continue;
        assert_int_equal(mine.outcome, theirs.outcome);
        if (mine.outcome == WEIR_EXACT)
            assert_int_equal(mine.value, theirs.value);
        if (m->flat)
            assert_int_equal(theirs.outcome, m->vertices[0].latency.outcome);
    }
    if (m->proved) /* nothing is left out */
        assert_int_equal(m->vertices[m->vertex_count - 1].at, m->high);
}

/* The same with a deadline on its first pair, near its latency. */
static struct weir_pipeline *with_deadline(const struct weir_pipeline *p, int64_t deadline)
{
    struct weir_pipeline *copy = weir_pipeline_copy(p, NULL);
    struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
    chain.has_deadline = true;
    chain.deadline = deadline;
    assert_int_equal(weir_pipeline_add_chain(copy, &chain, NULL), WEIR_OK);
    stage_seal(copy);
    return copy;
}

static struct weir_pipeline *random_with_deadline(struct weir_random *random, enum weir_flavour flavour)
{
    for (;;) {
        struct weir_pipeline *p = weir_random_pipeline(random, flavour);
        struct weir_evaluator *e = weir_evaluator_new(p, NULL);
        struct weir_separation s;
        struct weir_pipeline *copy = NULL;
        assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
        if (s.outcome == WEIR_EXACT && s.value >= 0)
            copy = with_deadline(p, s.value * weir_random_between(random, 6, 16) / 10);
        weir_evaluator_free(e);
        weir_pipeline_free(p);
        if (copy)
            return copy;
    }
}

static void every_number(void **state)
{
    enum weir_flavour flavour = *(enum weir_flavour *)*state;
    struct weir_random random;
    weir_random_seed(&random, 90 + flavour);
    for (int i = 0; i < (flavour == WEIR_FLAVOUR_SLOW ? 8 : 40); i++) {
        struct weir_pipeline *p = random_with_deadline(&random, flavour);
        struct weir_margins_options options = {.work_limit = 400000, .steps = 6, .threads = i % 2 ? 1 : 2};
        struct weir_margins *m = find(p, 0, &options);
        struct weir_evaluator *e = weir_evaluator_new(p, NULL);
        weir_evaluator_limit(e, 400000);
        assert_true(m->complete);
        for (size_t k = 0; k < m->count; k++) {
            check_margin(&m->items[k], e, p);
            check_limit(&m->items[k], e, p, weir_pipeline_chain(p, 0).deadline);
        }
        weir_evaluator_free(e);
        weir_margins_free(m);
        weir_pipeline_free(p);
    }
}

/* ---- all worst cases at once ---- */

/* Whether every deadline is kept with worst cases times p/q. */
static bool kept_at(const struct weir_pipeline *pipeline, int64_t p, int64_t q)
{
    struct weir_pipeline *copy = weir_pipeline_copy(pipeline, NULL);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        spec.best *= q;
        spec.worst *= p;
        spec.receive_min *= q;
        spec.receive_max *= q;
        assert_int_equal(weir_pipeline_change_operator(copy, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec spec = weir_pipeline_source(pipeline, i);
        spec.period *= q;
        assert_int_equal(weir_pipeline_change_source(copy, i, &spec, NULL), WEIR_OK);
    }
    stage_seal(copy);
    struct weir_evaluator *e = weir_evaluator_new(copy, NULL);
    struct weir_separation s;
    assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
    weir_evaluator_free(e);
    weir_pipeline_free(copy);
    int64_t deadline = weir_pipeline_chain(pipeline, 0).deadline * q;
    return (s.outcome == WEIR_EXACT && s.value <= deadline) || (s.outcome == WEIR_BRACKET && s.upper <= deadline);
}

static void scaling(void **state)
{
    enum weir_flavour flavour = *(enum weir_flavour *)*state;
    struct weir_random random;
    weir_random_seed(&random, 70 + flavour);
    int exact = 0, none = 0;
    for (int i = 0; i < 150; i++) {
        struct weir_pipeline *p = random_with_deadline(&random, flavour);
        struct weir_scaling s;
        struct weir_error error = {0};
        if (weir_scaling_find(p, NULL, &s, &error) != WEIR_OK)
            fail_msg("%s", error.message);
        struct weir_ratio least = {0, 1};
        for (uint32_t o = 0; o < weir_pipeline_operator_count(p); o++) {
            struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){o});
            struct weir_ratio own = {spec.best > spec.receive_max ? spec.best : spec.receive_max, spec.worst};
            if (spec.worst > 0 && weir_ratio_compare(own, least) > 0)
                least = own;
        }
        if (s.outcome == WEIR_MARGIN_EXACT) {
            const int64_t fine = 100000;
            exact++;
            assert_true(weir_ratio_compare(s.factor, least) >= 0);
            assert_true(kept_at(p, s.factor.numerator, s.factor.denominator));
            assert_false(kept_at(p, s.factor.numerator * fine + 1, s.factor.denominator * fine));
        } else if (s.outcome == WEIR_MARGIN_NONE) {
            none++;
            assert_false(kept_at(p, least.numerator, least.denominator));
        } else if (s.outcome == WEIR_MARGIN_NO_END) {
            assert_true(kept_at(p, 1 << 20, 1));
        } else {
            assert_true(s.lower.numerator == 0 || kept_at(p, s.lower.numerator, s.lower.denominator));
        }
        weir_pipeline_free(p);
    }
    assert_true(exact > 60);
    assert_true(none >= 0);
}

/* With best cases of 0 and no periods everything grows alike. */
static void scaling_by_hand(void **state)
{
    (void)state;
    struct weir_pipeline *chain = stage_chain(4, (const int64_t[]){100, 500, 100, 400}, 1), *p = with_deadline(chain, 2500);
    struct weir_scaling s;
    assert_int_equal(weir_scaling_find(chain, NULL, &s, NULL), WEIR_INVALID);
    assert_int_equal(weir_scaling_find(p, NULL, &s, NULL), WEIR_OK);
    assert_int_equal(s.outcome, WEIR_MARGIN_EXACT);
    assert_int_equal(s.factor.numerator, 25);
    assert_int_equal(s.factor.denominator, 16);
    weir_pipeline_free(p);
    weir_pipeline_free(chain);
}

/* At 4/7, b waits until 5 for its period, and not until 24/7 for a alone: 8 are kept up to 3/8. */
static void scaling_beside_a_phase(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_read("operators: {a: [0, 6], b: [0, 8]}\n"
                                         "queues: [a -> b]\n"
                                         "sources: [{operator: a, period: 100, phase: 0}, {operator: b, period: 100, phase: 5}]\n"
                                         "deadlines: [{from: a, to: b, within: 8}]\n");
    struct weir_scaling s;
    assert_int_equal(weir_scaling_find(p, NULL, &s, NULL), WEIR_OK);
    assert_int_equal(s.outcome, WEIR_MARGIN_EXACT);
    assert_int_equal(s.factor.numerator, 3);
    assert_int_equal(s.factor.denominator, 8);
    weir_pipeline_free(p);
}

/* ---- periods ---- */

static void pacing(void **state)
{
    enum weir_flavour flavour = *(enum weir_flavour *)*state;
    struct weir_random random;
    weir_random_seed(&random, 60 + flavour);
    int exact = 0;
    for (int i = 0; i < (flavour == WEIR_FLAVOUR_SLOW ? 40 : 300); i++) {
        struct weir_pipeline *p = random_with_deadline(&random, flavour);
        struct weir_evaluator *e = weir_evaluator_new(p, NULL);
        weir_evaluator_limit(e, 400000);
        for (uint32_t source = 0; source < weir_pipeline_source_count(p); source++) {
            struct weir_pacing answer;
            struct weir_margins_options options = {.work_limit = 400000, .tries = 500};
            struct weir_error error = {0};
            if (weir_pacing_find(p, source, &options, &answer, &error) != WEIR_OK)
                fail_msg("%s", error.message);
            exact += answer.outcome == WEIR_MARGIN_EXACT;
            int64_t last = answer.outcome == WEIR_MARGIN_EXACT  ? answer.period
                           : answer.outcome == WEIR_MARGIN_NONE ? 300
                                                                : answer.lower - 1;
            weir_evaluator_reset(e);
            for (int64_t period = 1; period <= last && period < 400; period++) {
                struct weir_separation s;
                assert_int_equal(weir_evaluator_set_period(e, source, period, NULL), WEIR_OK);
                assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
                bool kept = s.outcome == WEIR_EXACT && s.value <= weir_pipeline_chain(p, 0).deadline;
                if (s.outcome != WEIR_BRACKET)
                    assert_int_equal(kept, answer.outcome == WEIR_MARGIN_EXACT && period == answer.period);
            }
        }
        weir_evaluator_free(e);
        weir_pipeline_free(p);
    }
    assert_true(exact > (flavour == WEIR_FLAVOUR_SLOW ? 3 : 30));
}

/* What begins later than the rest counts with its phase: a period of 28 is the first that keeps the deadline. */
static void pacing_beside_a_phase(void **state)
{
    (void)state;
    struct weir_pipeline *p =
        stage_read("operators: {a: {time: [0, 7], receive: [0, 3]}, b: 10, c: [0, 12], d: [1, 20], "
                   "e: {time: [0, 10], receive: [1, 3], reentrant: true}, f: [4, 13]}\n"
                   "queues: [{from: a, to: b, capacity: 2}, {from: b, to: c, capacity: 2}, "
                   "{from: a, to: c, capacity: 3}, {from: a, to: d, capacity: 3}, {from: c, to: d, capacity: 1}, "
                   "{from: d, to: e, capacity: 2}, {from: e, to: f, capacity: 3, initial: 1}]\n"
                   "sources: [{operator: a, period: 16}, {operator: b, period: 18, phase: [13, 28]}]\n"
                   "deadlines: [{from: c, to: d, within: 37}]\n");
    struct weir_pacing answer;
    assert_int_equal(weir_pacing_find(p, 0, NULL, &answer, NULL), WEIR_OK);
    assert_int_equal(answer.outcome, WEIR_MARGIN_EXACT);
    assert_int_equal(answer.period, 28);
    weir_pipeline_free(p);
}

/* ---- memory ---- */

static enum weir_status find_everything(void *context)
{
    const struct weir_pipeline *p = context;
    struct weir_margins *margins;
    struct weir_margins_options options = {.threads = 1, .steps = 2};
    struct weir_scaling s;
    struct weir_source_pacing pace = {.source = 0};
    struct weir_answer *answer = NULL;
    struct weir_pipeline *paced = NULL;
    enum weir_status status = weir_margins_find(p, 0, &options, &margins, NULL);
    if (status)
        return status;
    status = weir_margins_answer(p, &options, (const struct weir_margins *const *)&margins, 1, &answer, NULL);
    status = status ? status : exploring_write(answer);
    weir_margins_free(margins);
    status = status ? status : weir_scaling_find(p, &options, &s, NULL);
    status = status ? status : weir_scaling_answer(p, &s, &answer, NULL);
    status = status ? status : exploring_write(answer);
    status = status ? status : weir_pacing_find(p, 0, &options, &pace.pacing, NULL);
    status = status ? status : weir_pacing_answer(p, &pace, 1, &answer, NULL);
    status = status ? status : exploring_write(answer);
    status = status ? status : weir_pacing_sources(p, NULL, &paced, NULL);
    weir_pipeline_free(paced);
    return status;
}

static void memory_runs_out(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 3), b = stage_operator(p, "b", 2, 4);
    stage_queue(p, a, b, 2, 0);
    stage_period(p, a, 5, WEIR_ARRIVALS_AT_MOST);
    weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = a, .to = b, .has_deadline = true, .deadline = 10}, NULL);
    stage_seal(p);
    assert_true(stage_fail_each_allocation(find_everything, p) > 50);
    weir_pipeline_free(p);
}

int margins_group(void)
{
    static enum weir_flavour flavours[] = {WEIR_FLAVOUR_ZERO_BEST, WEIR_FLAVOUR_INTERVALS, WEIR_FLAVOUR_EVERYTHING,
                                           WEIR_FLAVOUR_SLOW};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_by_hand),
        cmocka_unit_test(scaling_by_hand),
        cmocka_unit_test(scaling_beside_a_phase),
        cmocka_unit_test(pacing_beside_a_phase),
        cmocka_unit_test_prestate(every_number, &flavours[0]),
        cmocka_unit_test_prestate(every_number, &flavours[1]),
        cmocka_unit_test_prestate(every_number, &flavours[2]),
        cmocka_unit_test_prestate(every_number, &flavours[3]),
        cmocka_unit_test_prestate(pacing, &flavours[3]),
        cmocka_unit_test_prestate(scaling, &flavours[0]),
        cmocka_unit_test_prestate(scaling, &flavours[1]),
        cmocka_unit_test_prestate(scaling, &flavours[2]),
        cmocka_unit_test_prestate(pacing, &flavours[2]),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
