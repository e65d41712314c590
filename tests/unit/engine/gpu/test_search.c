/* SPDX-License-Identifier: Apache-2.0 */
/* The search: what it makes is legal, never longer than what it was given, near the lower bound where that can be told, the same
 * every time, and ends when it is told to. */
#include "engine/gpu/plan.h"
#include "engine/gpu/search.h"
#include "graph.h"
#include "support/random/kernels.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

static struct weir_gpu_system open_system(const struct weir_pipeline *p, uint64_t work_limit)
{
    struct weir_gpu_system s;
    assert_int_equal(weir_gpu_system_open(p, &(struct weir_gpu_options){.work_limit = work_limit}, &s, NULL), WEIR_OK);
    return s;
}

static int64_t lower_of(const struct weir_gpu_system *s)
{
    struct weir_gpu_lower lower;
    assert_int_equal(weir_gpu_lower_find(s, &lower), WEIR_OK);
    return lower.fine;
}

/* One kernel after the other. */
static struct weir_gpu_draft in_turn(const struct weir_gpu_system *s)
{
    struct weir_gpu_draft draft = {0};
    for (uint32_t i = 0; i < s->kernels->count; i++) {
        uint32_t v = s->kernels->order[i];
        struct weir_gpu_piece piece = {v, weir_gpu_widest(s, v, s->load[v], s->sms), i, s->load[v]};
        assert_true(weir_gpu_draft_add(&draft, &piece));
    }
    return draft;
}

static int64_t length_of(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft)
{
    struct weir_gpu_flow flow;
    assert_int_equal(weir_gpu_flow_make(s, draft, WEIR_GPU_HANDED, &flow), WEIR_OK);
    int64_t length = flow.length;
    weir_gpu_flow_free(&flow);
    return length;
}

/* By group: no more SMs and places than there are. By kernel: done whole, in later groups than what it depends on. */
static void check_legal(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft)
{
    const struct weir_kernels *k = s->kernels;
    struct {
        int64_t left;
        uint32_t first, last, parts;
    } *seen = calloc(k->count, sizeof *seen);
    assert_non_null(seen);
    uint32_t group = 0, sms = 0, places = 0;
    for (uint32_t v = 0; v < k->count; v++)
        seen[v].left = s->load[v];
    for (size_t i = 0; i < draft->count; i++) {
        const struct weir_gpu_piece *piece = &draft->pieces[i];
        uint32_t v = piece->kernel;
        assert_true(piece->group == group || (i > 0 && piece->group == group + 1));
        if (piece->group != group)
            sms = places = 0;
        group = piece->group;
        sms += piece->sms;
        assert_true(piece->sms > 0 && sms <= s->sms && ++places <= s->places);
        assert_true(weir_gpu_time(s, v, piece->load, piece->sms) != WEIR_GPU_NEVER);
        assert_true(piece->load == s->load[v] || weir_gpu_splittable(s, v));
        assert_true(piece->load > 0 && piece->load <= seen[v].left);
        seen[v].left -= piece->load;
        assert_true(seen[v].left == 0 || s->granularity[v] == 0 || piece->load % s->granularity[v] == 0);
        assert_true(seen[v].parts == 0 || seen[v].last < group);
        if (seen[v].parts++ == 0)
            seen[v].first = group;
        seen[v].last = group;
    }
    assert_int_equal(draft->groups, group + 1);
    for (uint32_t v = 0; v < k->count; v++) {
        assert_int_equal(seen[v].left, 0);
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            assert_true(seen[k->before[j]].last < seen[v].first);
    }
    free(seen);
}

TEST(test_random)
{
    struct weir_random dice;
    weir_random_seed(&dice, 5);
    int better = 0;
    for (int trial = 0; trial < 300; trial++) {
        struct weir_pipeline *p = weir_random_kernels(&dice, trial % 4 == 0);
        assert_non_null(p);
        uint64_t limit = trial % 3 ? 20000 : (uint64_t)weir_random_between(&dice, 1, 3000);
        struct weir_gpu_system s = open_system(p, limit), again = open_system(p, limit);
        struct weir_gpu_draft draft = in_turn(&s), same = in_turn(&again);
        int64_t given = length_of(&s, &draft), lower = lower_of(&s);
        bool limited, limited_again;
        assert_int_equal(weir_gpu_search(&s, lower, &draft, &limited), WEIR_OK);
        check_legal(&s, &draft);
        int64_t length = length_of(&s, &draft);
        assert_true(length <= given && length >= lower);
        better += length < given;

        assert_int_equal(weir_gpu_search(&again, lower, &same, &limited_again), WEIR_OK);
        assert_true(draft.count == same.count && limited == limited_again && s.work == again.work);
        for (size_t i = 0; i < draft.count; i++) {
            const struct weir_gpu_piece *a = &draft.pieces[i], *b = &same.pieces[i];
            assert_true(a->kernel == b->kernel && a->sms == b->sms && a->group == b->group && a->load == b->load);
        }
        weir_gpu_draft_free(&draft);
        weir_gpu_draft_free(&same);
        weir_gpu_system_close(&s);
        weir_gpu_system_close(&again);
        weir_pipeline_free(p);
    }
    assert_true(better > 100);
}

static struct weir_pipeline *generate(const struct weir_generate_gpu_options *options)
{
    struct weir_pipeline *p;
    assert_int_equal(weir_generate_gpu(options, &p, NULL), WEIR_OK);
    return p;
}

/* The published setting: within 1.5 percent of the lower bound on average, whatever the number of SMs. */
TEST(test_near)
{
    for (uint32_t sms = 4; sms <= 256; sms *= 2) {
        int64_t gaps = 0;
        enum { GRAPHS = 10 };
        for (uint64_t seed = 0; seed < GRAPHS; seed++) {
            struct weir_pipeline *p = generate(&(struct weir_generate_gpu_options){.seed = 77 + seed, .sms = sms});
            struct weir_gpu_system s = open_system(p, 0);
            struct weir_gpu_draft draft = in_turn(&s);
            int64_t lower = lower_of(&s);
            bool limited;
            assert_int_equal(weir_gpu_search(&s, lower, &draft, &limited), WEIR_OK);
            gaps += (length_of(&s, &draft) - lower) / (lower / 10000);
            weir_gpu_draft_free(&draft);
            weir_gpu_system_close(&s);
            weir_pipeline_free(p);
        }
        assert_true(gaps <= 150 * GRAPHS);
    }
}

struct told {
    unsigned last, calls;
};

static void tell(void *context, unsigned permille)
{
    struct told *told = context;
    assert_true(permille <= 1000 && (told->calls == 0 || permille > told->last));
    told->last = permille;
    told->calls++;
}

/* A least time that is nothing beside the loads does not cut kernels to dust: steps are at least a share of the fastest time. */
TEST(test_no_dust)
{
    static const int64_t loads[] = {100000, 70000, 30000};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 3, .min_time = 1}, 3, loads, NULL);
    struct weir_gpu_system s = open_system(p, 0);
    struct weir_gpu_desk desk;
    struct weir_gpu_state now;
    int64_t length;
    assert_true(weir_gpu_desk_open(&s, &desk) && weir_gpu_state_open(&desk, &now));
    desk.bar = WEIR_GPU_NEVER;
    assert_true(weir_gpu_play(&desk, &now, (struct weir_gpu_policy){WEIR_GPU_LEVEL, WEIR_GPU_SHORTEST}, &length));
    assert_true(length < WEIR_GPU_NEVER && desk.log.count > 3 && desk.log.count < 100);
    weir_gpu_state_close(&now);
    weir_gpu_desk_close(&desk);
    weir_gpu_system_close(&s);
    weir_pipeline_free(p);
}

/* The limit ends the search, give or take what is under way; its progress is told on the way. */
TEST(test_limit)
{
    static const uint64_t limits[] = {1, 200, 3000, 30000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct weir_pipeline *p =
            generate(&(struct weir_generate_gpu_options){.seed = 4, .sms = 64, .layers_min = 12, .layers_max = 12});
        struct weir_gpu_system s = open_system(p, limits[i]);
        struct told told = {0};
        s.progress = tell;
        s.context = &told;
        s.work_whole = limits[i];
        struct weir_gpu_draft draft = in_turn(&s);
        bool limited;
        assert_int_equal(weir_gpu_search(&s, lower_of(&s), &draft, &limited), WEIR_OK);
        assert_true(limited && s.work >= limits[i] / 2 && s.work <= limits[i] + UINT64_C(10) * s.kernels->count);
        check_legal(&s, &draft);
        assert_true(told.last < 1000 && (limits[i] < 30000 || told.calls > 10));
        weir_gpu_draft_free(&draft);
        weir_gpu_system_close(&s);
        /* With and without splitting, one after the other. */
        struct weir_gpu_plan *plan;
        told = (struct told){0};
        struct weir_gpu_options options = {.work_limit = limits[i], .progress = tell, .context = &told};
        assert_int_equal(weir_gpu_analyze(p, &options, &plan, NULL), WEIR_OK);
        assert_true(plan->limited && told.last == 1000 && (limits[i] < 30000 || told.calls > 100));
        weir_gpu_plan_free(plan);
        weir_pipeline_free(p);
    }
}

/* Nothing to search where the lower bound is met at once. */
TEST(test_met)
{
    static const int64_t loads[] = {4, 4, 4};
    struct weir_pipeline *p = graph_of(&graph_six, 3, loads, NULL);
    struct weir_gpu_system s = open_system(p, 0);
    struct weir_gpu_draft draft = in_turn(&s);
    bool limited;
    assert_int_equal(weir_gpu_search(&s, lower_of(&s), &draft, &limited), WEIR_OK);
    assert_int_equal(length_of(&s, &draft), 2 * s.scale); /* two SMs each */
    assert_true(!limited && s.work < 20);
    weir_gpu_draft_free(&draft);
    weir_gpu_system_close(&s);
    weir_pipeline_free(p);
}

/* Where beginning a launch costs much, nothing is split although everything may be. */
TEST(test_overhead)
{
    static const int64_t loads[] = {5, 7, 3, 9, 4};
    struct weir_gpu_spec gpu = {.sms = 3, .min_time = 1, .launch_overhead = 50};
    struct weir_pipeline *p = graph_of(&gpu, 5, loads, (uint32_t[]){1, 4, 2, 4, 2, 5, 0});
    struct weir_gpu_system s = open_system(p, 0);
    struct weir_gpu_draft draft = in_turn(&s);
    bool limited;
    assert_int_equal(weir_gpu_search(&s, lower_of(&s), &draft, &limited), WEIR_OK);
    assert_int_equal(draft.count, 5);
    assert_true(length_of(&s, &draft) < 116 * s.scale); /* two overheads deep, and not 15 */
    weir_gpu_draft_free(&draft);
    weir_gpu_system_close(&s);
    weir_pipeline_free(p);
}

static enum weir_status act(void *context)
{
    struct weir_gpu_system s = *(const struct weir_gpu_system *)context;
    struct weir_gpu_draft draft = {0};
    bool limited;
    for (uint32_t i = 0; i < s.kernels->count; i++) {
        uint32_t v = s.kernels->order[i];
        if (!weir_gpu_draft_add(&draft, &(struct weir_gpu_piece){v, weir_gpu_widest(&s, v, s.load[v], s.sms), i, s.load[v]})) {
            weir_gpu_draft_free(&draft);
            return WEIR_MEMORY;
        }
    }
    enum weir_status status = weir_gpu_search(&s, 1, &draft, &limited);
    weir_gpu_draft_free(&draft);
    return status;
}

TEST(test_memory)
{
    static const int64_t loads[] = {5, 7, 3, 9, 4, 6};
    struct weir_pipeline *p = graph_of(&graph_six, 6, loads, (uint32_t[]){1, 4, 2, 4, 2, 5, 3, 6, 0});
    struct weir_gpu_system s = open_system(p, 500);
    assert_true(stage_fail_each_allocation(act, &s) > 40);
    weir_gpu_system_close(&s);
    weir_pipeline_free(p);
}
