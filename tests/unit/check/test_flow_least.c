/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of the engine about random flows, each made a tick less, one at a time: the checker refuses. It is finer than the engine
 * here and there; how often, at these seeds, is held to a number, so that a checker that gets more lenient is noticed.
 */
#include "../engine/edf/pool.h"
#include "base/number.h"
#include "base/random.h"
#include "check/edf/flow.h"
#include "model/flow.h"
#include "model/pipeline.h"
#include "support/random/flow.h"
#include "support/stage.h"

#include <string.h>

enum { FLOWS = 300, NODES = 32, CLAIMS = 64 };
enum kind { RESPONSE, WINDOW, OFFSET, LATENCY, CAPACITY, KINDS };

struct forgery {
    struct weir_edf_analysis analysis;
    struct weir_edf_operator operators[NODES];
    struct weir_edf_latency latencies[CLAIMS];
    struct weir_buffer buffers[CLAIMS];
    uint32_t groups[NODES];
    struct weir_flow_proof proof;
};

static long asked[KINDS], accepted[KINDS];

static struct weir_ratio sum(struct weir_ratio a, int sign, struct weir_ratio b)
{
    weir_wide n = (weir_wide)a.numerator * b.denominator + sign * (weir_wide)b.numerator * a.denominator;
    weir_wide d = (weir_wide)a.denominator * b.denominator, common = weir_wide_divisor(n < 0 ? -n : n, d);
    assert_true(n / common < INT64_MAX && n / common > -INT64_MAX && d / common < INT64_MAX);
    return (struct weir_ratio){(int64_t)(n / common), (int64_t)(d / common)};
}

/* x and s, back from the responses that rest on them. */
static void find_parameters(struct forgery *f, uint32_t n)
{
    struct weir_ratio shortest = f->operators[0].period;
    for (uint32_t v = 1; v < n; v++)
        if (weir_ratio_compare(f->operators[v].period, shortest) < 0)
            shortest = f->operators[v].period;
    f->proof.x = f->proof.s = (struct weir_ratio){-1, 1};
    for (uint32_t v = 0; v < n; v++) {
        const struct weir_edf_operator *o = &f->operators[v];
        struct weir_ratio cost = {o->cost, 1}, part = {o->cost, f->analysis.cores};
        if (o->applies[WEIR_EDF_DEVI_ANDERSON])
            f->proof.x = sum(sum(o->responses[WEIR_EDF_DEVI_ANDERSON], -1, o->period), -1, cost);
        if (!o->applies[WEIR_EDF_COMPLIANT])
            continue;
        struct weir_ratio s = sum(sum(o->responses[WEIR_EDF_COMPLIANT], -1, o->period), 1, shortest);
        s = sum(sum(s, -1, cost), 1, part);
        if (f->proof.s.numerator < 0 || weir_ratio_compare(s, f->proof.s) < 0)
            f->proof.s = s;
    }
}

static bool holds(const struct forgery *f, char why[160])
{
    bool answer = true;
    enum weir_status status = weir_flow_check(&f->proof, &answer, why);
    assert_true(status == WEIR_OK || status == WEIR_OVERFLOW);
    return answer;
}

/* Each joins the first group, in the order of the graph, that the checker lets it join. */
static void find_groups(struct forgery *f, const struct weir_flow *flow)
{
    char why[160];
    for (uint32_t v = 0; v < flow->node_count; v++)
        f->groups[v] = v;
    for (uint32_t at = 0; at < flow->node_count; at++) {
        uint32_t v = flow->order[at];
        for (uint32_t k = 0; k < at && f->groups[v] == v; k++) {
            uint32_t lead = flow->order[k];
            if (f->groups[lead] != lead)
                continue;
            f->groups[v] = lead;
            if (!holds(f, why) && strncmp(why, "operators ", 10) == 0)
                f->groups[v] = v;
        }
    }
}

static void ask(const struct forgery *f, enum kind kind)
{
    asked[kind]++;
    accepted[kind] += holds(f, NULL);
}

static bool lower(struct weir_ratio *r)
{
    r->numerator -= r->denominator;
    return r->numerator >= 0;
}

static void lower_operator(struct forgery *f, uint32_t v)
{
    struct weir_edf_operator *o = &f->operators[v], honest = *o;
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++) {
        *o = honest;
        if (!o->applies[b] || !lower(&o->responses[b]))
            continue;
        if (o->by == b)
            o->response = o->responses[b];
        ask(f, b == WEIR_EDF_WINDOW ? WINDOW : RESPONSE);
    }
    *o = honest;
    if (lower(&o->offset))
        ask(f, OFFSET);
    *o = honest;
}

static void lower_all(struct forgery *f, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        lower_operator(f, v);
    for (size_t i = 0; i < f->analysis.latency_count; i++) {
        struct weir_ratio honest = f->latencies[i].worst;
        if (f->latencies[i].bounded && lower(&f->latencies[i].worst))
            ask(f, LATENCY);
        f->latencies[i].worst = honest;
    }
    for (size_t i = 0; i < f->analysis.buffer_count; i++) {
        struct weir_buffer *b = &f->buffers[i];
        if (!b->chosen || b->capacity == WEIR_UNBOUNDED || b->capacity == 0)
            continue;
        b->capacity--;
        f->analysis.buffer_total--;
        ask(f, CAPACITY);
        b->capacity++;
        f->analysis.buffer_total++;
    }
}

static bool forge(const struct weir_pipeline *p, const struct weir_edf_analysis *a)
{
    struct forgery f = {.analysis = *a};
    uint32_t n = p->flow->node_count;
    assert_true(n <= NODES && a->latency_count <= CLAIMS && a->buffer_count <= CLAIMS);
    memcpy(f.operators, a->operators, n * sizeof *a->operators);
    for (size_t i = 0; i < a->latency_count; i++)
        f.latencies[i] = a->latencies[i];
    for (size_t i = 0; i < a->buffer_count; i++)
        f.buffers[i] = a->buffers[i];
    f.analysis.operators = f.operators;
    f.analysis.latencies = f.latencies;
    f.analysis.buffers = f.buffers;
    f.proof = (struct weir_flow_proof){.analysis = &f.analysis, .groups = f.groups};
    find_parameters(&f, n);
    find_groups(&f, p->flow);
    bool whole = holds(&f, NULL);
    if (whole)
        lower_all(&f, n);
    return whole;
}

TEST(test_a_tick_less)
{
    long whole = 0;
    for (uint64_t seed = 1; seed <= FLOWS; seed++) {
        struct weir_random random;
        struct weir_edf_analysis *analysis;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_flow(&random);
        assert_non_null(p);
        if (weir_edf_analyze(p, NULL, &analysis, NULL) == WEIR_OK) {
            whole += analysis->schedulable && forge(p, analysis);
            weir_edf_analysis_free(analysis);
        }
        weir_pipeline_free(p);
    }
    static const long all[KINDS] = {3168, 539, 886, 888, 972}, finer[KINDS] = {0, 50, 0, 0, 667};
    assert_int_equal(whole, 240);
    for (int k = 0; k < KINDS; k++) {
        assert_int_equal(asked[k], all[k]);
        assert_int_equal(accepted[k], finer[k]);
    }
}

/* ---- x and s ---- */

static void fails(const struct forgery *f, const char *words)
{
    char why[160] = "";
    if (holds(f, why) || strcmp(why, words) != 0)
        fail_msg("'%s', not '%s'", why, words);
}

static void shave(struct weir_ratio *r)
{
    for (int i = 0; i < 20 && r->numerator < INT64_MAX / 2 && r->denominator < INT64_MAX / 2; i++)
        *r = (struct weir_ratio){2 * r->numerator, 2 * r->denominator};
    r->numerator--;
}

/* Operators on their own, with periods that are no whole numbers: x and s are the least that the checker takes. */
TEST(test_parameters)
{
    long tried[2][4] = {{0}}; /* of x and s, by how many operators are carried in */
    struct weir_random random;
    weir_random_seed(&random, 1);
    for (int round = 0; round < 1500; round++) {
        uint32_t count = (uint32_t)weir_random_between(&random, 3, 9);
        struct weir_pipeline *p = pool_new((uint32_t)weir_random_between(&random, 2, 6));
        for (uint32_t i = 0; i < count; i++) {
            struct weir_source_spec source = {.op = {i}, .period = weir_random_between(&random, 20, 60)};
            source.count = (uint32_t)weir_random_between(&random, 1, 3);
            pool_add(p, weir_random_between(&random, 1, source.period / source.count));
            assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
        }
        stage_seal(p);
        struct weir_edf_analysis *a = pool_published(p, 0);
        struct forgery f = {.analysis = *a};
        memcpy(f.operators, a->operators, count * sizeof *a->operators);
        f.analysis.operators = f.operators;
        f.proof = (struct weir_flow_proof){.analysis = &f.analysis};
        int64_t carried = weir_ceil_divide(a->utilization.numerator, a->utilization.denominator) - 1;
        if (a->schedulable && carried > 0) { /* without, responses may not tell s */
            find_parameters(&f, count);
            assert_true(holds(&f, NULL));
            struct weir_ratio x = f.proof.x;
            bool needed = x.numerator > 0;
            shave(&f.proof.x);
            if (needed)
                fails(&f, "x is too small");
            tried[0][carried < 3 ? carried : 3] += needed;
            f.proof.x = x;
            shave(&f.proof.s);
            char why[160];
            if (holds(&f, why) || strncmp(why, "s is ", 5) != 0) {
                weir_pipeline_write_yaml(p, stdout, NULL);
                fail_msg("'%s' carried %ld s %ld/%ld", why, (long)carried, (long)f.proof.s.numerator, (long)f.proof.s.denominator);
            }
            tried[1][carried < 3 ? carried : 3]++;
        }
        weir_edf_analysis_free(a);
        weir_pipeline_free(p);
    }
    for (int k = 1; k < 4; k++)
        assert_true(tried[0][k] > 50 && tried[1][k] > 50);
}
