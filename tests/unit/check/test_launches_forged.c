/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that the engine made, spoiled at random: what the checker lets through is as it says, by trying everything. */
#include "base/number.h"
#include "base/random.h"
#include "check/gpu/launches.h"
#include "support/random/kernels.h"
#include "support/stage.h"
#include "test_launches_truth.h"

#include <stdlib.h>
#include <string.h>

#define GRAPHS 1000
#define FORGERIES 50
#define ROOM (8 * TRUTH_LAUNCHES)

/* A copy of a plan that can be written to. */
struct copy {
    struct weir_gpu_plan plan;
    struct weir_gpu_launch launches[TRUTH_LAUNCHES];
    uint32_t after[TRUTH_LAUNCHES][TRUTH_LAUNCHES + 1];
    struct weir_gpu_token tokens[ROOM];
    struct weir_gpu_edge added[ROOM];
};

static bool copy_plan(const struct weir_gpu_plan *from, struct copy *to)
{
    if (from->launch_count > TRUTH_LAUNCHES || from->token_count >= ROOM || from->added_count >= ROOM)
        return false;
    memset(to, 0, sizeof *to);
    to->plan = *from;
    for (size_t i = 0; i < from->launch_count; i++) {
        to->launches[i] = from->launches[i];
        if (from->launches[i].after_count)
            memcpy(to->after[i], from->launches[i].after, from->launches[i].after_count * sizeof **to->after);
        to->launches[i].after = to->after[i];
    }
    if (from->token_count)
        memcpy(to->tokens, from->tokens, from->token_count * sizeof *to->tokens);
    if (from->added_count)
        memcpy(to->added, from->added, from->added_count * sizeof *to->added);
    to->plan.launches = to->launches;
    to->plan.tokens = to->tokens;
    to->plan.added = to->added;
    return true;
}

static uint32_t pick(struct weir_random *random, size_t count)
{
    return count ? (uint32_t)weir_random_between(random, 0, (int64_t)count - 1) : 0;
}

/* Part of a tick more or less, or a little, or next to nothing. */
static void nudge(struct weir_random *random, struct weir_ratio *r)
{
    int64_t fine = (int64_t[]){1, 2, 1024}[pick(random, 3)];
    *r = (struct weir_ratio){r->numerator * fine + (pick(random, 3) ? -1 : 1), r->denominator * fine};
}

static void nudge_count(struct weir_random *random, uint32_t *count)
{
    *count += pick(random, 2) ? 1 : UINT32_MAX;
}

/* What the list of added dependencies should then be. */
static void list_added(struct copy *c)
{
    const struct weir_pipeline *p = c->plan.pipeline;
    c->plan.added_count = 0;
    for (uint32_t i = 0; i < c->plan.launch_count; i++)
        for (size_t j = 0; j < c->launches[i].after_count; j++) {
            uint32_t from = c->after[i][j];
            bool added = from < i && c->launches[from].kernel.index != c->launches[i].kernel.index;
            for (uint32_t q = 0; added && q < weir_pipeline_queue_count(p); q++) {
                struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){q});
                added = spec.from.index != c->launches[from].kernel.index || spec.to.index != c->launches[i].kernel.index;
            }
            if (added && c->plan.added_count < ROOM)
                c->added[c->plan.added_count++] = (struct weir_gpu_edge){from, i};
        }
}

static void forge_after(struct weir_random *random, struct copy *c)
{
    uint32_t i = pick(random, c->plan.launch_count), j = pick(random, c->launches[i].after_count);
    struct weir_gpu_launch *l = &c->launches[i];
    if (l->after_count && pick(random, 3)) { /* one less, or another */
        uint32_t from = c->after[i][j];
        l->after_count--;
        memmove(&c->after[i][j], &c->after[i][j + 1], (l->after_count - j) * sizeof **c->after);
        if (pick(random, 2)) /* ... and none that gives it tokens */
            for (size_t t = 0; t < c->plan.token_count; t++)
                if (c->tokens[t].from == from && c->tokens[t].to == i)
                    c->tokens[t].from = l->after_count ? c->after[i][pick(random, l->after_count)] : WEIR_GPU_BEGIN;
    } else if (l->after_count < i) { /* one more, in its place */
        uint32_t from = pick(random, i);
        size_t at = 0;
        while (at < l->after_count && c->after[i][at] < from)
            at++;
        memmove(&c->after[i][at + 1], &c->after[i][at], (l->after_count - at) * sizeof **c->after);
        c->after[i][at] = from;
        l->after_count++;
    }
    if (pick(random, 4))
        list_added(c);
}

static void forge_token(struct weir_random *random, struct copy *c)
{
    struct weir_gpu_token *t = &c->tokens[pick(random, c->plan.token_count)];
    switch (pick(random, 5)) {
    case 0:
        nudge_count(random, &t->sms);
        break;
    case 1:
        nudge_count(random, &t->places);
        break;
    case 2:
        t->from = pick(random, 2) ? WEIR_GPU_BEGIN : pick(random, c->plan.launch_count);
        break;
    case 3:
        t->to = pick(random, c->plan.launch_count);
        break;
    case 4: /* moved from one to another */
        if (t->sms) {
            t->sms--;
            c->tokens[pick(random, c->plan.token_count)].sms++;
        }
        break;
    default:
        c->tokens[c->plan.token_count++] = *t;
    }
}

static void forge_launch(struct weir_random *random, struct copy *c)
{
    uint32_t i = pick(random, c->plan.launch_count), j = pick(random, c->plan.launch_count);
    struct weir_gpu_launch *l = &c->launches[i], *other = &c->launches[j], kept;
    switch (pick(random, 9)) {
    case 0:
        nudge_count(random, &l->sms);
        break;
    case 1:
        nudge(random, &l->time);
        break;
    case 2:
        nudge(random, &l->load);
        break;
    case 3: /* from one to another, which is legal between parts */
        if (l->load.denominator == other->load.denominator && i != j) {
            l->load.numerator--;
            other->load.numerator++;
        }
        break;
    case 4:
        nudge_count(random, pick(random, 2) ? &l->part : &l->parts);
        break;
    case 5:
        l->kernel.index = pick(random, weir_pipeline_operator_count(c->plan.pipeline) + 1);
        break;
    case 6: /* in each other's place, all but what they wait for */
        kept = *l;
        *l = *other, l->after = kept.after, l->after_count = kept.after_count, l->group = kept.group, l->start = kept.start;
        kept.after = other->after, kept.after_count = other->after_count, kept.group = other->group, kept.start = other->start;
        *other = kept;
        break;
    case 7:
        nudge(random, &l->alone);
        break;
    default:
        if (c->plan.launch_count > 1)
            c->plan.launch_count--;
    }
}

static void forge_bound(struct weir_random *random, struct copy *c)
{
    switch (pick(random, 5)) {
    case 0:
    case 1:
        nudge(random, &c->plan.bound);
        break;
    case 2:
        nudge(random, &c->plan.lower);
        break;
    case 3:
        c->plan.lower = c->plan.bound;
        break;
    default:
        nudge_count(random, &c->plan.sms);
    }
}

/* a + b + c, while it fits. */
static bool sum(struct weir_ratio a, struct weir_ratio b, int64_t c, struct weir_ratio *total)
{
    int64_t left, right, more;
    if (a.denominator <= 0 || b.denominator <= 0 || !weir_multiply(a.denominator, b.denominator, &total->denominator) ||
        !weir_multiply(a.numerator, b.denominator, &left) || !weir_multiply(b.numerator, a.denominator, &right) ||
        !weir_multiply(c, total->denominator, &more) || !weir_add(left, right, &left) || !weir_add(left, more, &total->numerator))
        return false;
    *total = weir_ratio_reduce(*total);
    return true;
}

/* Starts are no part of the proof; with right ones more forgeries reach what is. */
static void draw_again(struct copy *c)
{
    int64_t overhead = weir_pipeline_gpu(c->plan.pipeline).launch_overhead;
    for (uint32_t i = 0; i < c->plan.launch_count; i++) {
        struct weir_gpu_launch *l = &c->launches[i];
        struct weir_ratio start = {overhead, 1}, end;
        for (size_t j = 0; j < l->after_count && l->after[j] < i; j++) {
            const struct weir_gpu_launch *from = &c->launches[l->after[j]];
            if (sum(from->start, from->time, overhead, &end) && weir_ratio_compare(end, start) > 0)
                start = end;
        }
        l->start = start;
    }
}

static void forge(struct weir_random *random, struct copy *c)
{
    for (uint32_t times = 1 + pick(random, 3); times; times--)
        switch (pick(random, c->plan.token_count ? 5 : 3)) {
        case 0:
            forge_launch(random, c);
            break;
        case 1:
            forge_after(random, c);
            break;
        case 2:
            forge_bound(random, c);
            break;
        default:
            if (c->plan.token_count < ROOM - 4)
                forge_token(random, c);
        }
    if (pick(random, 2))
        draw_again(c);
}

static const char *flaw_of(const struct weir_gpu_plan *plan)
{
    const char *flaw = "not looked at";
    assert_int_equal(weir_launches_check(plan, &flaw, NULL), WEIR_OK);
    return flaw;
}

struct tally {
    unsigned plans, passed, refused, refused_legal;
};

static void try_plan(struct weir_random *random, const struct weir_gpu_plan *plan, struct tally *tally)
{
    static struct copy c;
    const char *flaw = flaw_of(plan);
    if (flaw)
        fail_msg("%s", flaw);
    tally->plans++;
    for (unsigned i = 0; i < FORGERIES && copy_plan(plan, &c); i++) {
        if (i)
            forge(random, &c);
        flaw = flaw_of(&c.plan);
        enum truth truth = truth_of(&c.plan);
        if (i == 0)
            assert_int_not_equal(truth, TRUTH_ILLEGAL);
        if (!flaw && truth == TRUTH_ILLEGAL)
            fail_msg("an illegal plan passes");
        tally->passed += !flaw && truth == TRUTH_LEGAL && i;
        tally->refused += flaw && truth == TRUTH_ILLEGAL;
        tally->refused_legal += flaw && truth == TRUTH_LEGAL;
    }
}

static void test_forged(void **state)
{
    (void)state;
    struct weir_random random;
    struct tally tally = {0};
    weir_random_seed(&random, 1966);
    for (unsigned i = 0; i < GRAPHS; i++) {
        struct weir_pipeline *p = weir_random_kernels(&random, i % 4 == 0);
        assert_non_null(p);
        static const enum weir_gpu_method methods[] = {WEIR_GPU_BEST, WEIR_GPU_SAFE};
        for (unsigned m = 0; m < 2; m++) {
            struct weir_gpu_options options = {.method = methods[m], .work_limit = 2000, .no_split = pick(&random, 4) == 0};
            struct weir_gpu_plan *plan;
            assert_int_equal(weir_gpu_analyze(p, &options, &plan, NULL), WEIR_OK);
            assert_true(plan->safe);
            try_plan(&random, plan, &tally);
            weir_gpu_plan_free(plan);
        }
        weir_pipeline_free(p);
    }
    if (getenv("WEIR_TALLY"))
        print_message("%u plans; forgeries: %u pass, %u illegal ones do not, nor %u others\n", tally.plans, tally.passed,
                      tally.refused, tally.refused_legal);
    assert_true(tally.plans > GRAPHS && tally.passed > GRAPHS && tally.refused > 10 * GRAPHS);
}

/* A plan of the published method that is called safe has nothing to show for it. */
static void test_paper(void **state)
{
    (void)state;
    struct weir_random random;
    unsigned tried = 0;
    weir_random_seed(&random, 3);
    for (unsigned i = 0; i < 50; i++) {
        struct weir_pipeline *p = weir_random_kernels(&random, true);
        assert_non_null(p);
        struct weir_gpu_options options = {.method = WEIR_GPU_PAPER};
        struct weir_gpu_plan *plan;
        if (!weir_gpu_analyze(p, &options, &plan, NULL)) {
            struct weir_gpu_plan claimed = *plan;
            assert_string_equal(flaw_of(plan), "the plan does not claim to be safe");
            claimed.safe = true;
            claimed.why = NULL;
            assert_non_null(flaw_of(&claimed));
            tried++;
            weir_gpu_plan_free(plan);
        }
        weir_pipeline_free(p);
    }
    assert_true(tried > 40);
}

int launches_forged_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forged), cmocka_unit_test(test_paper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
