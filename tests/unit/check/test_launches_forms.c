/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of other forms: with barriers, Graham's (which are refused), chains whose lengths fit no word, dependencies kept by way of
 * others. */
#include "base/number.h"
#include "support/runner.h"
#include "test_launches_plans.h"

static struct draft draft;

static struct weir_ratio whole(int64_t value)
{
    return (struct weir_ratio){value, 1};
}

/* The worked example of the paper: seven kernels on 6 SMs, the second in two parts, in four groups; it takes 5. */
static void open_worked(struct draft *d)
{
    static const struct plan_kernel kernels[] = {
        {.name = "v1", .worst = 1}, {.name = "v2", .worst = 4, .splittable = true},
        {.name = "v3", .worst = 2}, {.name = "v4", .worst = 2},
        {.name = "v5", .worst = 4}, {.name = "v6", .worst = 4},
        {.name = "v7", .worst = 1},
    };
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {0, 3}, {2, 4}, {3, 4}, {3, 5}, {1, 6}, {4, 6}, {5, 6}};
    static const struct weir_gpu_spec gpu = {.sms = 6, .min_time = 1};
    static const uint32_t sms[] = {1, 2, 2, 2, 1, 2, 2, 1}, kernel[] = {0, 1, 2, 3, 1, 4, 5, 6};
    static const int after[][4] = {{-1}, {0, -1}, {0, -1}, {0, -1}, {1, 2, 3, -1}, {1, 2, 3, -1}, {1, 2, 3, -1}, {4, 5, 6, -1}};
    static const int64_t time[] = {1, 1, 1, 1, 2, 2, 2, 1}, start[] = {0, 1, 1, 1, 2, 2, 2, 4};
    static const uint32_t group[] = {0, 1, 1, 1, 2, 2, 2, 3};
    draft_open(d, plan_graph(&gpu, kernels, 7, edges, 9));
    for (uint32_t i = 0; i < 8; i++) {
        struct weir_gpu_launch *l = draft_launch(d, kernel[i], sms[i], whole(time[i]), after[i]);
        l->group = group[i];
        l->start = whole(start[i]);
        if (kernel[i] == 1) {
            l->part = i == 1 ? 1 : 2;
            l->parts = 2;
            l->load = whole(2);
        }
    }
    draft_token(d, WEIR_GPU_BEGIN, 0, 6, 0);
    for (uint32_t i = 1; i <= 3; i++) {
        draft_token(d, 0, i, 2, 0);
        draft_token(d, i, i + 3, 2, 0);
    }
    draft_token(d, 5, 7, 1, 0);
    draft_add(d, 1, 5); /* v2.1 -> v5 and v6 */
    draft_add(d, 1, 6);
    draft_add(d, 2, 4); /* v3 and v4 -> v2.2 */
    draft_add(d, 3, 4);
    draft_add(d, 2, 6); /* v3 -> v6 */
    d->plan.bound = whole(5);
    d->plan.lower = (struct weir_ratio){14, 3};
    d->plan.barriers = true;
    d->plan.method = WEIR_GPU_SAFE;
    d->plan.group_count = 4;
    d->plan.split_count = 1;
}

TEST(test_barriers)
{
    open_worked(&draft);
    assert_proven(&draft);
    draft.plan.lower = (struct weir_ratio){14000001, 3000000};
    assert_flaw(&draft, "the lower bound does not follow from chains and areas");
    draft.plan.lower = (struct weir_ratio){14, 3};
    draft.tokens[3].places = 1;
    assert_flaw(&draft, "a token has places, and the model none");
    draft.tokens[3].places = 0;
    draft.after[4][2] = 2;
    draft.launches[4].after_count = 2;
    assert_flaw(&draft, "a launch does not wait for all of the group before");
    draft_close(&draft);
}

/* The published form of the same plan: v2.1 -> v5 and v3 -> v2.2 are all that is added, so v6 and v2.2 may run with v2.1 and v3
 * not ended, and no tokens show that there is room. */
TEST(test_published)
{
    static const int after[][4] = {{-1}, {0, -1}, {0, -1}, {0, -1}, {1, 2, -1}, {1, 2, 3, -1}, {3, -1}, {4, 5, 6, -1}};
    open_worked(&draft);
    for (size_t i = 0; i < 8; i++)
        for (draft.launches[i].after_count = 0; after[i][draft.launches[i].after_count] >= 0; draft.launches[i].after_count++)
            draft.after[i][draft.launches[i].after_count] = (uint32_t)after[i][draft.launches[i].after_count];
    draft.plan.barriers = false;
    draft.plan.added_count = 0;
    draft_add(&draft, 1, 5);
    draft_add(&draft, 2, 4);
    /* v6 then gets its two from v4, v5 its two from v3, and v2.2 the one it needs from v2.1: this plan is proven after all. */
    assert_proven(&draft);
    /* With v6 on 3 SMs it would not be. */
    draft.launches[6].sms = 3;
    assert_flaw(&draft, "a launch takes over fewer SMs than it uses");
    draft.tokens[6].sms = 3;
    assert_flaw(&draft, "a launch hands on more than it took over");
    draft_close(&draft);
}

/* a -> b -> c, where c waits for a token's giver that itself waits for b: kept by way of others. */
TEST(test_indirect)
{
    static const struct plan_kernel kernels[] = {
        {.name = "a", .worst = 1}, {.name = "b", .worst = 1}, {.name = "c", .worst = 1}, {.name = "x", .worst = 1}};
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {0, 2}};
    static const struct weir_gpu_spec gpu = {.sms = 1};
    static const uint32_t kernel[] = {0, 1, 3, 2};
    static const int after[][2] = {{-1}, {0, -1}, {1, -1}, {2, -1}};
    draft_open(&draft, plan_graph(&gpu, kernels, 4, edges, 3));
    for (uint32_t i = 0; i < 4; i++) {
        struct weir_gpu_launch *l = draft_launch(&draft, kernel[i], 1, whole(1), after[i]);
        l->group = i;
        l->start = whole(i);
        draft_token(&draft, i ? i - 1 : WEIR_GPU_BEGIN, i, 1, 0);
    }
    draft_add(&draft, 1, 2);
    draft_add(&draft, 2, 3);
    draft.plan.bound = draft.plan.lower = whole(4);
    draft.plan.group_count = 4;
    assert_proven(&draft);
    draft.after[2][0] = 0; /* x no longer waits for b, so neither does c */
    assert_flaw(&draft, "a launch does not wait for a kernel that its own depends on");
    draft_close(&draft);
}

/* ---- lengths that fit no word ---- */

static const int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83};

/* A chain of kernels of load 1 on as many SMs as the first primes say. */
static void open_primes(struct draft *d, uint32_t count)
{
    struct plan_kernel kernels[PLAN_LAUNCHES] = {0};
    uint32_t edges[PLAN_LAUNCHES][2] = {{0}};
    char names[PLAN_LAUNCHES][2];
    static const struct weir_gpu_spec gpu = {.sms = 100};
    for (uint32_t i = 0; i < count; i++) {
        names[i][0] = (char)('a' + i);
        names[i][1] = '\0';
        kernels[i] = (struct plan_kernel){.name = names[i], .worst = 1};
        edges[i][0] = i;
        edges[i][1] = i + 1;
    }
    draft_open(d, plan_graph(&gpu, kernels, count, (const uint32_t(*)[2])edges, count - 1));
    for (uint32_t i = 0; i < count; i++) {
        int after[] = {(int)i - 1, -1};
        draft_launch(d, i, (uint32_t)primes[i], (struct weir_ratio){1, primes[i]}, after)->group = i;
        draft_token(d, i ? i - 1 : WEIR_GPU_BEGIN, i, 100, 0);
    }
    d->plan.group_count = count;
}

TEST(test_exact)
{
    /* 15 primes: their product is below 2^63, and the sum of their inverses has it as its denominator. */
    struct weir_ratio sum = {0, 1};
    open_primes(&draft, 15);
    for (uint32_t i = 0; i < 15; i++) {
        draft.launches[i].start = sum;
        sum = (struct weir_ratio){sum.numerator * primes[i] + sum.denominator, sum.denominator * primes[i]};
    }
    draft.plan.bound = sum;
    assert_proven(&draft);
    draft.plan.bound.numerator--;
    assert_flaw(&draft, "the bound is less than the longest chain takes");
    draft.plan.bound.numerator++;
    draft.launches[14].start.numerator++;
    assert_flaw(&draft, "a launch is drawn to end after the bound");
    draft.launches[14].start.numerator -= 2;
    assert_flaw(&draft, "a launch is drawn to begin before it may");
    draft_close(&draft);
}

/* 23 primes: the sum fits no more. A bound is a ratio above it; the ratios to both sides of it tell them apart. */
TEST(test_rounded)
{
    const int64_t fine = INT64_C(1) << 59;
    weir_wide sum = 0; /* in 2^-118 of a tick, rounded down in all by less than 23 */
    open_primes(&draft, 23);
    for (uint32_t i = 0; i < 23; i++) {
        draft.launches[i].start = (struct weir_ratio){(int64_t)(sum / fine) + (i > 0), fine};
        sum += (weir_wide)fine * fine / primes[i];
    }
    draft.plan.bound = (struct weir_ratio){(int64_t)(sum / fine) + 1, fine};
    /* Each start was rounded up on its own, so that the picture is off by a hair; the bound is not. */
    assert_flaw(&draft, "a launch is drawn to begin before it may");
    draft.plan.bound.numerator--;
    assert_flaw(&draft, "the bound is less than the longest chain takes");
    /* Each rounded up from the one before: a picture again, and a bound that is not the least. */
    int64_t start = 0;
    for (uint32_t i = 0; i < 23; i++) {
        draft.launches[i].start = (struct weir_ratio){start, fine};
        start += fine / primes[i] + 1;
    }
    draft.plan.bound.numerator = start;
    assert_proven(&draft);
    draft_close(&draft);
}

/* 23 times of a hair above 1, whose denominators, near 2^58, have a product of 1,334 bits, beyond what is counted with. Bounds that
 * differ by less than 2^-100 are told apart nevertheless. */
TEST(test_lengthy)
{
    const int64_t large = INT64_C(1) << 58;
    open_primes(&draft, 23);
    for (uint32_t i = 0; i < 23; i++) {
        int64_t denominator = large + 1 + 2 * i;
        draft.launches[i].time = (struct weir_ratio){denominator + 1, denominator};
        draft.launches[i].start = (struct weir_ratio){i * large + i, large};
    }
    draft.plan.bound = (struct weir_ratio){23 * large + 23, large};
    assert_proven(&draft);
    int64_t larger = large + 47;
    draft.plan.bound = (struct weir_ratio){23 * larger + 23, larger};
    assert_flaw(&draft, "the bound is less than the longest chain takes");
    draft_close(&draft);
}

/* Graham's bound is exceeded where launches begin as a whole: a plan of his that is called safe has nothing to show for it. */
TEST(test_graham)
{
    static const struct plan_kernel kernels[] = {{.name = "a", .worst = 2}, {.name = "b", .worst = 2}, {.name = "c", .worst = 2}};
    static const struct weir_gpu_spec gpu = {.sms = 3, .min_time = 1};
    draft_open(&draft, plan_graph(&gpu, kernels, 3, NULL, 0));
    for (uint32_t i = 0; i < 3; i++)
        draft_launch(&draft, i, 2, whole(1), (const int[]){-1});
    draft.plan.group_count = 1;
    draft.plan.method = WEIR_GPU_GRAHAM;
    draft.plan.bound = (struct weir_ratio){8, 3};
    draft.plan.lower = whole(2);
    assert_flaw(&draft, "a launch takes over fewer SMs than it uses");
    draft_close(&draft);
}

/* ---- lower bounds ---- */

/* One after the other on one place, kernels that would fit side by side: 2 + 2 + 2 with their overheads. */
TEST(test_places)
{
    static const struct plan_kernel kernels[] = {{.name = "a", .worst = 1}, {.name = "b", .worst = 1}, {.name = "c", .worst = 1}};
    static const struct weir_gpu_spec gpu = {.sms = 3, .min_time = 1, .launch_overhead = 1, .max_concurrent = 1};
    draft_open(&draft, plan_graph(&gpu, kernels, 3, NULL, 0));
    for (uint32_t i = 0; i < 3; i++) {
        int after[] = {(int)i - 1, -1};
        struct weir_gpu_launch *l = draft_launch(&draft, i, 1, whole(1), after);
        l->group = i;
        l->start = whole(2 * i + 1);
        draft_token(&draft, i ? i - 1 : WEIR_GPU_BEGIN, i, 1, 1);
        if (i)
            draft_add(&draft, i - 1, i);
    }
    draft.plan.group_count = 3;
    draft.plan.bound = draft.plan.lower = whole(6);
    assert_proven(&draft);
    draft.launches[1].after_count = 0; /* all at once would fit on the SMs, but there is one place */
    draft.added[0] = draft.added[1];
    draft.plan.added_count = 1;
    draft.tokens[1].from = WEIR_GPU_BEGIN;
    assert_flaw(&draft, "more is handed out at the beginning than there is");
    draft_close(&draft);
}
