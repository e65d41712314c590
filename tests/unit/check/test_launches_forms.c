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
    assert_flaw(&draft, "a token has places, but the model has none");
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

/* ---- neighbours ---- */

/* Two kernels that nothing orders, the first on 3 SMs and the second on 1, with these times. The bound is the longer. */
static void open_pair(struct draft *d, const struct plan_kernel kernels[2], struct weir_ratio first, struct weir_ratio second)
{
    static const struct weir_gpu_spec gpu = {.sms = 4};
    draft_open(d, plan_graph(&gpu, kernels, 2, NULL, 0));
    draft_launch(d, 0, 3, first, (const int[]){-1});
    draft_launch(d, 1, 1, second, (const int[]){-1});
    for (uint32_t i = 0; i < 2; i++) {
        d->launches[i].alone = (struct weir_ratio){kernels[i].worst, i ? 1 : 3};
        draft_token(d, WEIR_GPU_BEGIN, i, i ? 1 : 3, 0);
    }
    d->plan.group_count = 1;
    d->plan.bound = weir_ratio_compare(first, second) > 0 ? first : second;
}

static const char slowed_flaw[] = "a launch takes less than it can beside those that slow it down";

/* `enough` is accepted for kernel `victim`, and a hair less is not. */
static void check_victim(const struct plan_kernel kernels[2], uint32_t victim, struct weir_ratio enough, struct weir_ratio other)
{
    for (int less = 0; less < 2; less++) {
        struct weir_ratio time = {enough.numerator * 1000000 - less, enough.denominator * 1000000};
        open_pair(&draft, kernels, victim ? other : time, victim ? time : other);
        if (less)
            assert_flaw(&draft, slowed_flaw);
        else
            assert_proven(&draft);
        draft_close(&draft);
    }
}

/* Of all percent, or of what the neighbour's time costs: whichever is less is enough, for the first launch and for the second. */
TEST(test_neighbours)
{
    const enum weir_disturbance copy = WEIR_DISTURBS_COPY, read = WEIR_DISTURBS_READ, none = WEIR_DISTURBS_NONE;
    static const struct weir_ratio long_time = {100, 1};
    const struct plan_kernel copied[] = {{.name = "a", .worst = 6, .disturbs = none, .suffers_read = 10, .suffers_copy = 50},
                                         {.name = "b", .worst = 100, .disturbs = copy}};
    const struct plan_kernel read_beside[] = {copied[0], {.name = "b", .worst = 100, .disturbs = read}};
    const struct plan_kernel beside_none[] = {copied[0], {.name = "b", .worst = 100, .disturbs = none}};
    const struct plan_kernel reads_hurt[] = {{.name = "a", .worst = 6, .disturbs = none, .suffers_read = 30, .suffers_copy = 20},
                                             {.name = "b", .worst = 100, .disturbs = copy}};
    const struct plan_kernel later[] = {{.name = "a", .worst = 300, .disturbs = copy},
                                        {.name = "b", .worst = 2, .disturbs = none, .suffers_copy = 50}};
    const struct plan_kernel brief[] = {{.name = "a", .worst = 60, .disturbs = none, .suffers_copy = 50},
                                        {.name = "b", .worst = 3, .disturbs = copy}};
    check_victim(copied, 0, whole(3), long_time);
    check_victim(read_beside, 0, (struct weir_ratio){22, 10}, long_time);
    check_victim(reads_hurt, 0, (struct weir_ratio){26, 10}, long_time); /* copying is no better than reading */
    check_victim(later, 1, whole(3), long_time);
    check_victim(brief, 0, whole(21), whole(3)); /* 20 + 3 / 3 */
    open_pair(&draft, beside_none, whole(2), long_time);
    assert_proven(&draft);
    draft_close(&draft);
}

/* Both slow each other down: what the other costs is a part of how long it takes then, and not of how long alone. */
TEST(test_neighbours_of_each_other)
{
    const struct plan_kernel both[] = {{.name = "a", .worst = 60, .suffers_copy = 100},
                                       {.name = "b", .worst = 3, .suffers_copy = 100}};
    open_pair(&draft, both, whole(23), whole(6));
    assert_proven(&draft);
    draft.launches[0].time = draft.plan.bound = (struct weir_ratio){43, 2}; /* 20 + 3 / 2 */
    assert_flaw(&draft, slowed_flaw);
    draft_close(&draft);
}

/* Where fractions of a tick, or of the 2^-24 of it that are counted, are rounded. */
TEST(test_neighbours_rounded)
{
    const int64_t fine = INT64_C(1) << 40;
    const struct plan_kernel one[] = {{.name = "a", .worst = 3, .disturbs = WEIR_DISTURBS_NONE, .suffers_copy = 1},
                                      {.name = "b", .worst = 1}};
    const struct plan_kernel third[] = {{.name = "a", .worst = 4, .disturbs = WEIR_DISTURBS_NONE, .suffers_copy = 100},
                                        {.name = "b", .worst = 1}};
    open_pair(&draft, one, (struct weir_ratio){102 * fine / 101, fine}, whole(1)); /* below 1 + 1 / 101 */
    assert_flaw(&draft, slowed_flaw);
    draft_close(&draft);
    open_pair(&draft, third, (struct weir_ratio){11 * fine / 6, fine}, whole(1)); /* below 4 / 3 + 1 / 2 */
    assert_flaw(&draft, slowed_flaw);
    draft_close(&draft);
    open_pair(&draft, one, (struct weir_ratio){150, 149}, whole(1)); /* below 1.01, and 1 + 1 / 101 */
    assert_flaw(&draft, slowed_flaw);
    draft_close(&draft);
    open_pair(&draft, third, (struct weir_ratio){(INT64_C(11) << 24) / 6 * 4 + 1, INT64_C(1) << 26},
              whole(1)); /* by parts of 2^-24 */
    assert_flaw(&draft, slowed_flaw);
    draft_close(&draft);
}

/* Without anyone who suffers, too, a launch takes as long as alone. */
TEST(test_alone)
{
    const struct plan_kernel kernels[] = {{.name = "a", .worst = 6}, {.name = "b", .worst = 2}};
    open_pair(&draft, kernels, whole(2), whole(2));
    assert_proven(&draft);
    draft.launches[0].alone = whole(3);
    assert_flaw(&draft, "a launch takes longer alone than beside others");
    draft_close(&draft);
}

/* SMs in steps. */
TEST(test_steps)
{
    const struct plan_kernel kernels[] = {{.name = "a", .worst = 6}};
    static const struct weir_gpu_spec gpu = {.sms = 4, .sm_step = 2};
    for (uint32_t sms = 2; sms <= 3; sms++) {
        draft_open(&draft, plan_graph(&gpu, kernels, 1, NULL, 0));
        draft_launch(&draft, 0, sms, whole(3), (const int[]){-1});
        draft_token(&draft, WEIR_GPU_BEGIN, 0, 4, 0);
        draft.plan.group_count = 1;
        draft.plan.bound = whole(3);
        if (sms == 2)
            assert_proven(&draft);
        else
            assert_flaw(&draft, "the SMs of a launch are not a multiple of the step");
        draft_close(&draft);
    }
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
