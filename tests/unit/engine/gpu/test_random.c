/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs with everything in them: what is computed cleverly against what is computed plainly, and plans against the check.
 */
#include "base/number.h"
#include "base/random.h"
#include "engine/gpu/fill.h"
#include "engine/gpu/plan.h"
#include "graph.h"
#include "support/runner.h"

static struct weir_random dice;

static int64_t draw(int64_t low, int64_t high)
{
    return weir_random_between(&dice, low, high);
}

static void add_kernel(struct weir_pipeline *p)
{
    struct weir_gpu_time times[] = {{1, draw(20, 60)}, {2, draw(10, 40)}, {(uint32_t)draw(3, 5), draw(5, 30)}};
    struct weir_operator_spec spec = {.worst = draw(1, 60), .splittable = draw(0, 3) > 0};
    if (draw(0, 4) == 0)
        spec = (struct weir_operator_spec){.times = times, .time_count = 3};
    else if (draw(0, 2) == 0)
        spec.granularity = draw(1, 9);
    else if (draw(0, 3) == 0)
        spec.min_time = draw(1, 12);
    graph_kernel(p, &spec);
}

static struct weir_pipeline *random_graph(int64_t count, bool plain)
{
    struct weir_gpu_spec gpu = {.sms = (uint32_t)draw(1, 20), .min_time = draw(0, 3)};
    if (!plain) {
        gpu.launch_overhead = draw(0, 1) ? draw(0, 4) : 0;
        gpu.max_concurrent = draw(0, 1) ? (uint32_t)draw(1, 5) : 0;
    }
    struct weir_pipeline *p = graph_new(&gpu);
    for (int64_t i = 0; i < count; i++)
        add_kernel(p);
    for (uint32_t to = 1; to < count; to++)
        for (int64_t edges = draw(0, 3); edges > 0; edges--)
            graph_edge(p, (uint32_t)draw(to > 12 ? to - 12 : 0, to - 1), to);
    stage_seal(p);
    return p;
}

static void open(const struct weir_pipeline *p, struct weir_gpu_system *s)
{
    assert_int_equal(weir_gpu_system_open(p, &(struct weir_gpu_options){0}, s, NULL), WEIR_OK);
}

/* ---- pieces ---- */

/* The sets of predecessors, one by one; more kernels than columns are done at a time. */
TEST(test_work)
{
    enum { MOST = 700 };
    static bool before[MOST][MOST];
    static int64_t work[MOST];
    weir_random_seed(&dice, 1);
    for (int64_t count = 1; count < MOST; count += count / 2 + 1) {
        struct weir_pipeline *p = random_graph(count, true);
        struct weir_gpu_system s;
        open(p, &s);
        assert_true(weir_gpu_work_before(&s, work));
        for (uint32_t v = 0; v < count; v++) { /* edges go from lower numbers to higher */
            int64_t sum = s.load[v];
            for (uint32_t u = 0; u < v; u++) {
                before[v][u] = false;
                for (uint32_t j = s.kernels->first_before[v]; j < s.kernels->first_before[v + 1]; j++)
                    before[v][u] |= s.kernels->before[j] == u || (u < s.kernels->before[j] && before[s.kernels->before[j]][u]);
                sum += before[v][u] ? s.load[u] : 0;
            }
            assert_true(sum == work[v]);
        }
        weir_gpu_system_close(&s);
        weir_pipeline_free(p);
    }
}

/* Every pair of a head and a tail, with the areas summed up anew. The scale has the number of SMs as a divisor, so that the heads
 * of the system, rounded up, are exact. */
TEST(test_lower)
{
    weir_random_seed(&dice, 2);
    for (int trial = 0; trial < 200; trial++) {
        struct weir_pipeline *p = random_graph(draw(1, 25), false);
        struct weir_gpu_system s;
        struct weir_gpu_lower lower;
        open(p, &s);
        assert_int_equal(weir_gpu_lower_find(&s, &lower), WEIR_OK);
        uint32_t n = s.kernels->count;
        struct weir_ratio best = {0, 1};
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                weir_wide area = 0, placed = 0, ends = (weir_wide)s.head[a] + s.tail[b];
                for (uint32_t v = 0; v < n; v++) {
                    if (s.head[v] < s.head[a] || s.tail[v] < s.tail[b])
                        continue;
                    int64_t least = INT64_MAX;
                    for (uint32_t m = 1; m <= s.sms; m++) {
                        int64_t time = weir_gpu_time(&s, v, s.load[v], m);
                        if (time != WEIR_GPU_NEVER && time * m < least)
                            least = time * m;
                    }
                    area += least;
                    placed += s.overhead + s.fastest[v];
                }
                if (area == 0)
                    continue;
                struct weir_ratio one = weir_gpu_ticks_down(&s, (ends + s.overhead) * s.sms + area, s.sms);
                best = weir_ratio_compare(one, best) > 0 ? one : best;
                one = weir_gpu_ticks_down(&s, ends * s.places + placed, s.places);
                if (s.places != UINT32_MAX)
                    best = weir_ratio_compare(one, best) > 0 ? one : best;
            }
        for (uint32_t v = 0; v < n; v++) {
            struct weir_ratio one = weir_gpu_ticks_down(&s, s.head[v] + s.overhead + s.fastest[v] + s.tail[v], 1);
            best = weir_ratio_compare(one, best) > 0 ? one : best;
        }
        assert_ratio(lower.ratio, best.numerator, best.denominator);
        weir_gpu_system_close(&s);
        weir_pipeline_free(p);
    }
}

/* Sums of many small parts: exact while they fit, then never less, nor more than by a hair. */
TEST(test_sums)
{
    static const int64_t loads[] = {1000};
    struct weir_pipeline *p = graph_of(&graph_six, 1, loads, NULL);
    struct weir_gpu_system s;
    open(p, &s);
    struct weir_ratio sum = {0, 1};
    sum = weir_gpu_sum_up(&s, (struct weir_ratio){1, 6}, (struct weir_ratio){1, 3});
    assert_ratio(sum, 1, 2);
    sum = weir_gpu_sum_up(&s, (struct weir_ratio){5, 1}, (struct weir_ratio){0, 1});
    assert_ratio(sum, 5, 1);
    /* 1 / 2 + 1 / 6 + 1 / 12 + ... to 1 / (n (n - 1)) is 1 - 1 / n. */
    sum = (struct weir_ratio){0, 1};
    for (int64_t n = 2; n <= 20000; n++) {
        sum = weir_gpu_sum_up(&s, sum, (struct weir_ratio){1, n * (n - 1)});
        struct weir_ratio exact = {n - 1, n};
        assert_true(weir_ratio_compare(sum, exact) >= 0);
    }
    assert_ratio(sum, 19999, 20000);
    /* Harmonic numbers do not fit for long. */
    struct weir_ratio harmonic = {0, 1};
    double plain = 0;
    for (int64_t n = 1; n <= 2000; n++) {
        struct weir_ratio before = harmonic;
        harmonic = weir_gpu_sum_up(&s, harmonic, (struct weir_ratio){1, n});
        plain += 1 / (double)n;
        assert_true(weir_ratio_compare(harmonic, before) > 0);
    }
    double value = (double)harmonic.numerator / (double)harmonic.denominator;
    assert_true(value > plain - 1e-9 && value < plain + 1e-6);
    weir_gpu_system_close(&s);
    weir_pipeline_free(p);
}

/* ---- plans ---- */

TEST(test_plans)
{
    weir_random_seed(&dice, 3);
    for (int trial = 0; trial < 300; trial++) {
        struct weir_pipeline *p = random_graph(draw(1, 22), false);
        bool whole = draw(0, 3) == 0;
        struct weir_ratio safe = {0, 1};
        for (int m = WEIR_GPU_GREEDY; m >= WEIR_GPU_BEST; m--) {
            struct weir_gpu_options options = {.method = (enum weir_gpu_method)m, .no_split = whole, .work_limit = 3000};
            struct weir_gpu_plan *plan = graph_plan_with(p, &options);
            assert_int_equal(plan->safe, m <= WEIR_GPU_SAFE);
            if (m == WEIR_GPU_SAFE)
                safe = plan->bound;
            if (m == WEIR_GPU_BEST)
                assert_true(weir_ratio_compare(plan->bound, safe) <= 0);
            weir_gpu_plan_free(plan);
        }
        weir_pipeline_free(p);
    }
}
