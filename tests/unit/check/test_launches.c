/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for a GPU: one that holds, and everything that can be wrong with it, one thing at a time. */
#include "test_launches_plans.h"

#include <string.h>

static struct draft honest, forged;

/* A fresh copy, to be spoiled. */
static struct draft *forge(void)
{
    forged = honest;
    forged.plan.launches = forged.launches;
    forged.plan.tokens = forged.tokens;
    forged.plan.added = forged.added;
    for (size_t i = 0; i < forged.plan.launch_count; i++)
        forged.launches[i].after = forged.after[i];
    return &forged;
}

/* Runs the statements on a copy, and expects that. */
#define FORGED(expected, ...)                                                                                                      \
    do {                                                                                                                           \
        struct draft *d = forge();                                                                                                 \
        struct weir_gpu_plan *p = &d->plan;                                                                                        \
        struct weir_gpu_launch *l = d->launches;                                                                                   \
        (void)p, (void)l;                                                                                                          \
        __VA_ARGS__;                                                                                                               \
        expected;                                                                                                                  \
    } while (0)
#define REFUSED(words, ...) FORGED(assert_flaw(d, words), __VA_ARGS__)
#define HOLDS(...) FORGED(assert_proven(d), __VA_ARGS__)

static int open_honest(void **state)
{
    (void)state;
    draft_handed(&honest);
    return 0;
}

static int close_honest(void **state)
{
    (void)state;
    draft_close(&honest);
    return 0;
}

static void test_honest(void **state)
{
    (void)state;
    assert_proven(&honest);
    HOLDS(p->bound = (struct weir_ratio){25, 2}); /* more than needed */
    HOLDS(l[0].time = (struct weir_ratio){1, 1}, l[0].load = (struct weir_ratio){6, 2});
    HOLDS(p->lower.numerator = 0);
    HOLDS(p->limited = true, p->verified = true);
}

static void test_shape(void **state)
{
    (void)state;
    struct weir_pipeline *other = weir_pipeline_new(NULL);
    REFUSED("the plan does not claim to be safe", p->safe = false);
    REFUSED("the plan is called safe, and says what can break it", p->why = "everything");
    REFUSED("the plan is not for a graph of kernels", p->pipeline = NULL);
    REFUSED("the plan is not for a graph of kernels", p->pipeline = other);
    REFUSED("the plan has no SMs", p->sms = 0);
    REFUSED("the plan has no SMs", p->sms = UINT32_MAX);
    REFUSED("the plan has no launches", p->launch_count = 0);
    REFUSED("the plan has no launches", p->launches = NULL);
    REFUSED("the plan has no launches", p->launch_count = (size_t)UINT32_MAX);
    REFUSED("a list of the plan is missing", p->tokens = NULL);
    REFUSED("a list of the plan is missing", p->added = NULL);
    REFUSED("the bound is not a time that can be represented", p->bound.denominator = 0);
    REFUSED("the bound is not a time that can be represented", p->bound.denominator = -1);
    REFUSED("the bound is not a time that can be represented", p->bound.numerator = -12);
    REFUSED("the bound is not a time that can be represented", p->bound.numerator = INT64_MAX);
    REFUSED("the lower bound is not a time", p->lower.denominator = 0);
    REFUSED("the lower bound is not a time", p->lower.numerator = INT64_MIN);
    REFUSED("a launch has no kernel", l[2].kernel.index = 5);
    REFUSED("a launch has no kernel", l[2].kernel.index = UINT32_MAX);
    REFUSED("a launch has an invalid load, time or start", l[2].load.denominator = 0);
    REFUSED("a launch has an invalid load, time or start", l[2].time.denominator = INT64_MIN);
    REFUSED("a launch has an invalid load, time or start", l[2].start.numerator = -1);
    REFUSED("a launch waits for more launches than stand before it", l[0].after_count = 1);
    REFUSED("a launch waits for more launches than stand before it", l[5].after_count = SIZE_MAX);
    REFUSED("a launch waits for more launches than stand before it", l[5].after = NULL);
    REFUSED("a launch waits for one that does not stand before it", d->after[1][0] = 1);
    REFUSED("a launch waits for one that does not stand before it", d->after[1][0] = UINT32_MAX);
    REFUSED("what a launch waits for is not in ascending order", d->after[5][0] = 3, d->after[5][1] = 2);
    REFUSED("what a launch waits for is not in ascending order", d->after[5][1] = 2);
    weir_pipeline_free(other);
}

static void swap_launches(struct draft *d, size_t a, size_t b)
{
    struct weir_gpu_launch kept = d->launches[a];
    d->launches[a] = d->launches[b];
    d->launches[b] = kept;
}

static void test_kernels(void **state)
{
    (void)state;
    const char *numbers = "the parts of a kernel are not numbered in order, or one is there twice";
    REFUSED(numbers, l[1].part = 2, l[3].part = 1);
    REFUSED(numbers, l[1].part = 0);
    REFUSED(numbers, l[3].part = 3, l[1].parts = l[3].parts = 3);
    REFUSED(numbers, l[0].part = 2);
    REFUSED(numbers, l[3].parts = 3);
    REFUSED(numbers, l[1].parts = 1);
    REFUSED(numbers, l[4].kernel.index = 3); /* e twice, and no f */
    REFUSED(numbers, l[4].parts = 0);
    REFUSED("a kernel is not launched", p->launch_count = 5);
    REFUSED("a part of a kernel is not launched", l[1].parts = l[3].parts = 3);
    REFUSED("a kernel that may not be split is launched in parts", l[4].parts = 2);
    REFUSED("a kernel that may not be split is launched in parts", l[2].parts = 2);
    REFUSED("a launch has no SMs, no load or no time", l[4].sms = 0);
    REFUSED("a launch has no SMs, no load or no time", l[4].load.numerator = 0);
    REFUSED("a launch has no SMs, no load or no time", l[4].time.numerator = 0);
    REFUSED("a launch has more SMs than there are", l[5].sms = 5);
    REFUSED("a launch has more SMs than there are", p->sms = 3);
    REFUSED("the launches of a kernel do more than its load", l[0].load.numerator = 4);
    REFUSED("the launches of a kernel do more than its load", l[3].load.numerator = INT64_MAX);
    REFUSED("the launches of a kernel do less than its load", l[0].load.numerator = 2);
    REFUSED("the launches of a kernel do less than its load", l[3].load = (struct weir_ratio){INT64_MAX - 8, INT64_MAX / 6});
    REFUSED("the launches of a kernel do less than its load", l[3].load.numerator = 5);
    REFUSED("the loads of the parts of a kernel have no common unit", l[3].load = (struct weir_ratio){6, INT64_MAX});
    REFUSED("the number of kernels that are split is wrong", p->split_count = 0);
    REFUSED("the number of kernels that are split is wrong", p->split_count = 2);
    /* 5 and 5 of granules of 2: the first part is no whole number of them. */
    REFUSED("a part that is not the last is not a whole number of granules", l[1].load.numerator = l[3].load.numerator = 5,
            l[1].time.numerator = 4);
    HOLDS(l[1].load = (struct weir_ratio){28, 7}); /* 4 all the same */
}

static void test_times(void **state)
{
    (void)state;
    const char *least = "a launch takes less than the least time";
    REFUSED(least, l[4].time = (struct weir_ratio){INT64_MAX - 1, INT64_MAX});
    REFUSED("a launch takes less than its load on its SMs", l[0].sms = 2);
    REFUSED("a launch takes less than its load on its SMs", l[0].sms = 2, l[0].time = (struct weir_ratio){1499999999, 1000000000});
    REFUSED("a launch takes less than its fullest SM has granules", l[1].time = (struct weir_ratio){199, 100});
    REFUSED("a launch takes less than its fullest SM has granules", l[3].time.numerator = 3); /* 6 / 2, but 3 granules of 2 */
    REFUSED("a launch is faster than the table of its kernel says", l[2].time.numerator = 4);
    REFUSED("a launch is faster than the table of its kernel says", l[2].sms = 1);
    REFUSED("the table of a kernel does not have the number of SMs of a launch", l[2].sms = 3);
    REFUSED("the table of a kernel does not have the number of SMs of a launch", l[2].sms = 4);
}

static void test_order(void **state)
{
    (void)state;
    const char *groups = "the groups do not count from 0 in order";
    REFUSED(groups, l[0].group = 1);
    REFUSED(groups, l[5].group = 4, p->group_count = 5);
    REFUSED(groups, l[3].group = 0);
    REFUSED("the number of groups is wrong", p->group_count = 5);
    REFUSED("the number of groups is wrong", l[5].group = 2);
    REFUSED("a launch does not wait for all of the group before", p->barriers = true);
    const char *kept = "a launch does not wait for a kernel that its own depends on";
    REFUSED(kept, l[1].after_count = 0);
    REFUSED(kept, d->after[5][0] = 0, d->after[5][1] = 1);                       /* b's first part and a: neither b.2 nor c */
    REFUSED(kept, d->after[5][0] = 2, d->after[5][1] = 4, l[5].after_count = 2); /* b's second part is left out */
    REFUSED("a part does not wait for the part before", d->after[3][0] = 0);
    REFUSED("a part does not wait for the part before", l[3].after_count = 0);
    REFUSED("a launch waits for more launches than stand before it", swap_launches(d, 0, 1));
    /* e before all it depends on, which then follows it. */
    REFUSED(kept, swap_launches(d, 0, 5), l[0].after_count = 0, l[0].group = 0, l[5].group = 3);
}

static void test_added(void **state)
{
    (void)state;
    const char *number = "the number of added dependencies is wrong";
    const char *none = "a dependency listed as added is not an added one, or is listed twice";
    REFUSED(number, p->added_count = 1);
    REFUSED(number, p->added_count = 0);
    REFUSED(number, draft_add(d, 4, 5));
    REFUSED(none, d->added[1] = d->added[0]);
    REFUSED(none, d->added[1] = (struct weir_gpu_edge){0, 1}); /* a dependency of the graph */
    REFUSED(none, d->added[1] = (struct weir_gpu_edge){1, 3}); /* of two parts */
    REFUSED(none, d->added[1] = (struct weir_gpu_edge){0, 4}); /* nobody waits so */
    REFUSED(none, d->added[1] = (struct weir_gpu_edge){UINT32_MAX, 4});
    REFUSED("an added dependency does not belong to a launch", d->added[1].to = 6);
}

static void test_tokens(void **state)
{
    (void)state;
    const char *fewer = "a launch takes over fewer SMs than it uses", *more = "a launch hands on more than it took over";
    const char *begin = "more is handed out at the beginning than there is", *place = "a launch takes over no place";
    struct weir_gpu_token *t = forged.tokens;
    REFUSED("a token is for no launch", t[3].to = 6);
    REFUSED("a token is for no launch", t[3].to = UINT32_MAX);
    REFUSED("a token is from a launch that its taker does not wait for", t[3].from = 0);
    REFUSED("a token is from a launch that its taker does not wait for", t[3].from = 3);
    REFUSED("a token is from a launch that its taker does not wait for", t[3].from = UINT32_MAX - 1);
    REFUSED(fewer, p->token_count = 0);
    REFUSED(fewer, t[7].sms = 0);
    REFUSED(fewer, t[1].sms = 1);
    REFUSED(fewer, l[4].sms = 2); /* more SMs than it has tokens for */
    REFUSED(more, t[5].sms = 2);
    REFUSED(more, t[6].sms = 3);
    REFUSED(more, t[5].places = 1);
    REFUSED(more, draft_token(d, 4, 5, UINT32_MAX, 0));
    REFUSED(begin, t[0].sms = 5);
    REFUSED(begin, t[0].places = 3);
    REFUSED(begin, t[7].from = WEIR_GPU_BEGIN);
    REFUSED(place, t[4].places = 0);
    REFUSED(place, t[0].places = 0);
    HOLDS(draft_token(d, 4, 5, 0, 0));                                                   /* nothing, handed on */
    HOLDS(t[0].sms = 3, t[8] = t[0], t[8].sms = 1, t[8].places = 0, p->token_count = 9); /* in two */
    HOLDS(t[7].places = 0);
}

static void test_bounds(void **state)
{
    (void)state;
    const char *less = "the bound is less than the longest chain takes";
    REFUSED(less, p->bound.numerator = 11);
    REFUSED(less, p->bound = (struct weir_ratio){12 * (INT64_MAX / 12) - 1, INT64_MAX / 12});
    REFUSED(less, p->bound.numerator = 0);
    REFUSED(less, p->bound.numerator = 8); /* without the overheads of the longest chain */
    REFUSED(less, l[4].time.numerator = 3);
    REFUSED(less, l[4].time.numerator = INT64_MAX);
    REFUSED("a launch is drawn to end after the bound", l[5].start.numerator = 12);
    REFUSED("a launch is drawn to end after the bound", l[0].start.numerator = INT64_MAX);
    REFUSED("a launch is drawn to begin before it may", l[5].start.numerator = 10);
    REFUSED("a launch is drawn to begin before it may", l[0].start.numerator = 0);
    REFUSED("the lower bound is above the bound", p->lower = (struct weir_ratio){12000001, 1000000});
    REFUSED("the lower bound does not follow from chains and areas", p->lower = (struct weir_ratio){10000001, 1000000});
    REFUSED("the lower bound does not follow from chains and areas", p->lower.numerator = 12);
}

static enum weir_status check(void *context)
{
    const char *flaw;
    enum weir_status status = weir_launches_check(context, &flaw, NULL);
    assert_null(flaw);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(stage_fail_each_allocation(check, &honest.plan) > 15);
}

int launches_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest), cmocka_unit_test(test_shape),  cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_times),  cmocka_unit_test(test_order),  cmocka_unit_test(test_added),
        cmocka_unit_test(test_tokens), cmocka_unit_test(test_bounds), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, open_honest, close_honest);
}
