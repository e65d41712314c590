/* SPDX-License-Identifier: Apache-2.0 */
/* Flows: what launches wait for and hand on, against what the words of flow.h say, on random graphs. */
#include "engine/gpu/plan.h"
#include "graph.h"
#include "support/random/kernels.h"
#include "support/runner.h"

#include <stdlib.h>

static void open_system(const struct weir_pipeline *p, struct weir_gpu_system *s)
{
    assert_int_equal(weir_gpu_system_open(p, &(struct weir_gpu_options){0}, s, NULL), WEIR_OK);
}

/* A kernel is put into the current group where it may be and fits; half of those that may be split are, over two groups. */
static struct weir_gpu_draft random_draft(const struct weir_gpu_system *s, struct weir_random *dice)
{
    const struct weir_kernels *k = s->kernels;
    struct weir_gpu_draft draft = {0};
    uint32_t group = 0, sms = 0, places = 0, *last = calloc(k->count, sizeof *last);
    assert_non_null(last);
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t v = k->order[i], width = weir_gpu_widest(s, v, s->load[v], (uint32_t)weir_random_between(dice, 1, s->sms));
        width = width ? width : weir_gpu_widest(s, v, s->load[v], s->sms);
        bool fits = draft.count > 0 && sms + width <= s->sms && places < s->places;
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            fits = fits && last[k->before[j]] < group;
        if (!fits) {
            group += draft.count > 0;
            sms = places = 0;
        }
        int64_t grain = s->granularity[v], part = s->load[v] / 2;
        part -= grain ? part % grain : 0;
        if (part && weir_gpu_splittable(s, v) && weir_random_between(dice, 0, 1)) {
            assert_true(weir_gpu_draft_add(&draft, &(struct weir_gpu_piece){v, width, group++, part}));
            sms = places = 0;
        } else {
            part = 0;
        }
        assert_true(weir_gpu_draft_add(&draft, &(struct weir_gpu_piece){v, width, group, s->load[v] - part}));
        last[v] = group;
        sms += width;
        places++;
    }
    free(last);
    return draft;
}

static bool waits(const struct weir_gpu_flow *f, size_t launch, uint32_t from)
{
    for (size_t i = f->first_after[launch]; i < f->first_after[launch + 1]; i++)
        if (f->after[i] == from)
            return true;
    return false;
}

/* Every launch has the tokens it needs, nobody hands on what it has not, and who hands is waited for. */
static void check_tokens(const struct weir_gpu_system *s, const struct weir_gpu_flow *f)
{
    bool places = s->places != UINT32_MAX;
    int64_t begin_sms = s->sms, begin_places = places ? s->places : 0;
    int64_t *sms = calloc(f->count, sizeof *sms), *rooms = calloc(f->count, sizeof *rooms);
    assert_non_null(sms);
    assert_non_null(rooms);
    size_t next = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t last = 0;
        for (size_t first = next; next < f->token_count && f->tokens[next].to == i; next++) {
            const struct weir_gpu_token *t = &f->tokens[next];
            assert_true(t->sms || t->places);
            assert_true(next == first || t->from > last);
            last = t->from;
            sms[i] += t->sms;
            rooms[i] += t->places;
            if (t->from == WEIR_GPU_BEGIN) {
                begin_sms -= t->sms;
                begin_places -= t->places;
                continue;
            }
            assert_true(t->from < i && waits(f, i, t->from));
            sms[t->from] -= t->sms;
            rooms[t->from] -= t->places;
            assert_true(sms[t->from] >= 0 && rooms[t->from] >= 0);
        }
        assert_true(sms[i] >= f->launches[i].sms && rooms[i] >= places);
    }
    assert_true(next == f->token_count && begin_sms >= 0 && begin_places >= 0);
    free(sms);
    free(rooms);
}

/* Starts are the ends of what is waited for; the length is that of the longest chain. */
static void check_times(const struct weir_gpu_system *s, const struct weir_gpu_flow *f)
{
    int64_t length = 0;
    for (size_t i = 0; i < f->count; i++) {
        int64_t start = 0;
        for (size_t j = f->first_after[i]; j < f->first_after[i + 1]; j++) {
            uint32_t from = f->after[j];
            assert_true(from < i && (j == f->first_after[i] || f->after[j - 1] < from));
            int64_t end = f->start[from] + f->time[from];
            start = end > start ? end : start;
        }
        assert_int_equal(f->start[i], start + s->overhead);
        assert_int_equal(f->time[i], weir_gpu_time(s, f->launches[i].kernel, f->launches[i].load, f->launches[i].sms));
        length = f->start[i] + f->time[i] > length ? f->start[i] + f->time[i] : length;
    }
    assert_int_equal(f->length, length);
}

/* Kernels are launched whole, in parts that are counted, after what they depend on. */
static void check_kernels(const struct weir_gpu_system *s, const struct weir_gpu_flow *f, bool barriers)
{
    const struct weir_kernels *k = s->kernels;
    int64_t *left = malloc(k->count * sizeof *left);
    uint32_t *last = malloc(k->count * sizeof *last);
    assert_non_null(left);
    assert_non_null(last);
    for (uint32_t v = 0; v < k->count; v++) {
        left[v] = s->load[v];
        last[v] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t v = f->launches[i].kernel, group = f->launches[i].group;
        assert_true(group == (i ? f->launches[i - 1].group : 0) || (i && group == f->launches[i - 1].group + 1));
        assert_int_equal(f->part[i], last[v] == UINT32_MAX ? 1 : f->part[last[v]] + 1);
        if (last[v] != UINT32_MAX)
            assert_true(barriers || waits(f, i, last[v]));
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1] && last[v] == UINT32_MAX; j++) {
            uint32_t from = last[k->before[j]];
            assert_true(left[k->before[j]] == 0 && f->launches[from].group < group);
            assert_true(barriers || waits(f, i, from));
        }
        left[v] -= f->launches[i].load;
        last[v] = i;
        assert_true(f->launches[i].load > 0 && left[v] >= 0);
        assert_int_equal(f->part[i] == f->parts[i], left[v] == 0);
    }
    for (uint32_t v = 0; v < k->count; v++)
        assert_int_equal(left[v], 0);
    assert_int_equal(f->groups, f->launches[f->count - 1].group + 1);
    free(left);
    free(last);
}

static void check_barriers(const struct weir_gpu_flow *f)
{
    for (size_t i = 0; i < f->count; i++)
        for (uint32_t j = 0; j < f->count; j++)
            assert_int_equal(waits(f, i, j), f->launches[j].group + 1 == f->launches[i].group);
}

TEST(test_random)
{
    struct weir_random dice;
    weir_random_seed(&dice, 8);
    int merged = 0, shorter = 0;
    for (int trial = 0; trial < 400; trial++) {
        struct weir_pipeline *p = weir_random_kernels(&dice, trial % 4 == 0);
        assert_non_null(p);
        struct weir_gpu_system s;
        open_system(p, &s);
        struct weir_gpu_draft draft = random_draft(&s, &dice);
        struct weir_gpu_flow flows[2];
        for (int form = 0; form < 2; form++) {
            assert_int_equal(weir_gpu_flow_make(&s, &draft, (enum weir_gpu_form)form, &flows[form]), WEIR_OK);
            check_kernels(&s, &flows[form], form == WEIR_GPU_BARRIERS);
            check_times(&s, &flows[form]);
            check_tokens(&s, &flows[form]);
        }
        check_barriers(&flows[0]);
        assert_int_equal(flows[0].count, draft.count);
        assert_int_equal(flows[0].length, weir_gpu_draft_length(&s, &draft));
        assert_true(flows[1].length <= flows[0].length);
        merged += flows[1].count < draft.count;
        shorter += flows[1].length < flows[0].length;
        weir_gpu_flow_free(&flows[0]);
        weir_gpu_flow_free(&flows[1]);
        weir_gpu_draft_free(&draft);
        weir_gpu_system_close(&s);
        weir_pipeline_free(p);
    }
    assert_true(merged > 50 && shorter > 50);
}

/* Two chains beside each other, long and short in turn: barriers cost, handed tokens do not. */
TEST(test_chains)
{
    static const int64_t loads[] = {6, 2, 2, 6};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 2}, 4, loads, (uint32_t[]){1, 3, 2, 4, 0});
    struct weir_gpu_system s;
    open_system(p, &s);
    struct weir_gpu_draft draft = {0};
    for (uint32_t v = 0; v < 4; v++)
        assert_true(weir_gpu_draft_add(&draft, &(struct weir_gpu_piece){v, 1, v / 2, s.load[v]}));
    struct weir_gpu_flow flow;
    assert_int_equal(weir_gpu_flow_make(&s, &draft, WEIR_GPU_BARRIERS, &flow), WEIR_OK);
    assert_int_equal(flow.length, 12 * s.scale);
    assert_int_equal(flow.first_after[4], 4);
    weir_gpu_flow_free(&flow);
    assert_int_equal(weir_gpu_flow_make(&s, &draft, WEIR_GPU_HANDED, &flow), WEIR_OK);
    assert_int_equal(flow.length, 8 * s.scale);
    assert_int_equal(flow.first_after[4], 2); /* each hands its SM to the one behind it: nothing is added */
    assert_int_equal(flow.start[3], 2 * s.scale);
    weir_gpu_flow_free(&flow);
    weir_gpu_draft_free(&draft);
    weir_gpu_system_close(&s);
    weir_pipeline_free(p);
}

struct trial {
    const struct weir_gpu_system *system;
    const struct weir_gpu_draft *draft;
    enum weir_gpu_form form;
};

static enum weir_status act(void *context)
{
    const struct trial *t = context;
    struct weir_gpu_flow flow;
    enum weir_status status = weir_gpu_flow_make(t->system, t->draft, t->form, &flow);
    weir_gpu_flow_free(&flow);
    return status;
}

TEST(test_memory)
{
    struct weir_random dice;
    weir_random_seed(&dice, 3);
    struct weir_pipeline *p = weir_random_kernels(&dice, false);
    assert_non_null(p);
    struct weir_gpu_system s;
    open_system(p, &s);
    struct weir_gpu_draft draft = random_draft(&s, &dice);
    for (int form = 0; form < 2; form++)
        assert_true(stage_fail_each_allocation(act, &(struct trial){&s, &draft, (enum weir_gpu_form)form}) >= 10);
    weir_gpu_draft_free(&draft);
    weir_gpu_system_close(&s);
    weir_pipeline_free(p);
}
