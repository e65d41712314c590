/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/partition/tree.h"

#include "base/error.h"
#include "base/number.h"

#include <string.h>

/* The lowest of the open nodes comes first while there are no more than OPEN_MAX, else the newest. */
enum { OPEN_MAX = 4096, ROUNDS_FIRST = 40, ROUNDS = 3, VAIN = 3, WAYS_MAX = 4, ENOUGH = 2048 };

void weir_tree_end(struct weir_tree *t)
{
    for (size_t i = 0; i < t->open_count; i++)
        weir_free(t->open[i]);
    weir_free(t->open);
    weir_floor_end(&t->floor);
    weir_choices_free(t->choices);
    memset(t, 0, sizeof *t);
}

enum weir_status weir_tree_open(struct weir_tree *t, const struct weir_node *node, struct weir_error *error)
{
    struct weir_node *copy = weir_array(1, sizeof *copy);
    void *list = t->open;
    bool room = copy && weir_reserve(&list, &t->open_capacity, t->open_count + 1, sizeof(struct weir_node *));
    t->open = list;
    if (!room) {
        weir_free(copy);
        return weir_fail_memory(error);
    }
    *copy = *node;
    t->open[t->open_count++] = copy;
    return WEIR_OK;
}

struct weir_partition_score weir_tree_lower(const struct weir_tree *t)
{
    struct weir_partition_score lower = {UINT32_MAX, UINT32_MAX, INT64_MAX};
    for (size_t i = 0; i < t->open_count; i++)
        if (weir_division_score_compare(&t->open[i]->lower, &lower) < 0)
            lower = t->open[i]->lower;
    return lower;
}

/* ---- scores ---- */

/* With the best times among these choices of each partition. A narrower interval never has a larger worst case. */
static enum weir_status relax(const struct weir_partition_arrangement *a, const struct weir_part_choices *choices,
                              const struct weir_node *node, struct weir_partition_scorer *scorer,
                              struct weir_partition_score *lower, struct weir_error *error)
{
    enum weir_partition_asked asked = WEIR_ASKED_LOWER;
    for (uint32_t i = 0; i < scorer->study->options->profile_count; i++) {
        const struct weir_part_choice *items = choices[a->part[i]].items;
        int64_t best = -1, worst = INT64_MAX;
        for (uint32_t k = node->first[a->part[i]]; k <= node->last[a->part[i]]; k++) {
            best = items[k].best[i] > best ? items[k].best[i] : best;
            worst = items[k].worst[i] < worst ? items[k].worst[i] : worst;
        }
        if (best > worst)
            asked = WEIR_ASKED_PATHS;
        enum weir_status status = weir_scorer_set(scorer, i, best > worst ? worst : best, worst, error);
        if (status)
            return status;
    }
    return weir_scorer_ask(scorer, asked, lower, error);
}

static void set_all(const struct weir_partition_study *s, uint32_t arrangement, const struct weir_part_choices *choices,
                    struct weir_node *node)
{
    *node = (struct weir_node){.lower = s->least, .budget = s->options->sms};
    for (uint32_t part = 0; part < s->arrangements[arrangement].parts; part++) {
        node->last[part] = (uint32_t)choices[part].count - 1;
        node->at[part] = node->last[part] / 2;
    }
}

static bool have_choices(const struct weir_partition_arrangement *a, const struct weir_part_choices *choices)
{
    for (uint32_t part = 0; part < a->parts; part++)
        if (choices[part].count == 0)
            return false;
    return true;
}

enum weir_status weir_tree_least(const struct weir_partition_study *s, struct weir_partition_scorer *scorer, uint32_t arrangement,
                                 struct weir_partition_score *lower, struct weir_error *error)
{
    struct weir_part_choices choices[PARTS_MAX];
    struct weir_node node;
    *lower = (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
    enum weir_status status = weir_choices_list(s, &s->arrangements[arrangement], choices, error);
    if (!status && have_choices(&s->arrangements[arrangement], choices)) {
        set_all(s, arrangement, choices, &node);
        status = relax(&s->arrangements[arrangement], choices, &node, scorer, lower, error);
    }
    weir_choices_free(choices);
    return status;
}

enum weir_status weir_tree_begin(struct weir_tree *t, const struct weir_partition_study *s, struct weir_partition_scorer *scorer,
                                 uint32_t arrangement, struct weir_error *error)
{
    struct weir_node all;
    struct weir_partition_score lower;
    *t = (struct weir_tree){.study = s, .scorer = scorer, .arrangement = arrangement};
    enum weir_status status = weir_choices_list(s, &s->arrangements[arrangement], t->choices, error);
    if (!status && weir_floor_begin(&t->floor, s, arrangement, t->choices, scorer->rows))
        status = weir_fail_memory(error);
    if (status || !have_choices(t->floor.arrangement, t->choices))
        return status;
    set_all(s, arrangement, t->choices, &all);
    status = relax(t->floor.arrangement, t->choices, &all, scorer, &lower, error);
    if (!status)
        weir_floor_leave_out(&t->floor, scorer->endless);
    return status;
}

enum weir_status weir_tree_open_all(struct weir_tree *t, struct weir_error *error)
{
    struct weir_node node;
    if (!have_choices(t->floor.arrangement, t->choices))
        return WEIR_OK;
    set_all(t->study, t->arrangement, t->choices, &node);
    return weir_floor_trim(&t->floor, &node) ? weir_tree_open(t, &node, error) : WEIR_OK;
}

/* The score of a division, which is taken where it is the best; where rows say less of it, there are new ones. *more: there are. */
static enum weir_status try_division(struct weir_tree *t, const uint32_t x[PARTS_MAX], bool *more, struct weir_error *error)
{
    const struct weir_partition_arrangement *a = t->floor.arrangement;
    struct weir_division d = {.found = true, .arrangement = t->arrangement};
    enum weir_status status = WEIR_OK;
    *more = false;
    for (uint32_t part = 0; part < a->parts; part++) {
        d.part_sms[part] = t->choices[part].items[x[part]].sms;
        d.sms += d.part_sms[part];
    }
    for (uint32_t i = 0; i < t->study->options->profile_count && !status; i++) {
        const struct weir_part_choice *choice = &t->choices[a->part[i]].items[x[a->part[i]]];
        status = weir_scorer_set(t->scorer, i, choice->best[i], choice->worst[i], error);
    }
    if (!status)
        status = weir_scorer_ask(t->scorer, WEIR_ASKED_SCORE, &d.score, error);
    if (status)
        return status;
    if (weir_division_compare(&d, &t->best) < 0)
        t->best = d;
    size_t before = t->scorer->rows->count;
    int64_t said = before < ROWS_MAX ? weir_floor_at(&t->floor, x) : INT64_MAX;
    if (said > t->best.score.total || said >= d.score.total - d.score.total / ENOUGH)
        return WEIR_OK; /* they say enough */
    status = weir_scorer_ask(t->scorer, WEIR_ASKED_ROWS, &d.score, error);
    if (!status)
        status = weir_scorer_cut(t->scorer, error);
    *more = t->scorer->rows->count > before;
    return status ? status : weir_floor_renew(&t->floor) ? WEIR_OK : weir_fail_memory(error);
}

/* ---- a node ---- */

static bool is_division(const struct weir_tree *t, const struct weir_node *node)
{
    for (uint32_t part = 0; part < t->floor.arrangement->parts; part++)
        if (node->first[part] != node->last[part])
            return false;
    return true;
}

/* Whether the node may have something better: a lower score, or the same with no more SMs. */
static bool may_be_better(const struct weir_tree *t, struct weir_node *node)
{
    int order = t->best.found ? weir_division_score_compare(&node->lower, &t->best.score) : -1;
    if (order == 0 && node->budget > t->best.sms)
        node->budget = t->best.sms;
    return order <= 0 && weir_floor_trim(&t->floor, node);
}

static struct weir_partition_score most_of(const struct weir_tree *t)
{
    return t->best.found ? t->best.score : (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
}

/* Bounds it; *open: it is to be divided. */
static enum weir_status look_at(struct weir_tree *t, struct weir_node *node, bool *open, struct weir_error *error)
{
    struct weir_partition_score lower;
    bool root = !node->bounded, more = false;
    *open = false;
    node->bounded = true;
    if (!may_be_better(t, node))
        return WEIR_OK;
    enum weir_status status = relax(t->floor.arrangement, t->choices, node, t->scorer, &lower, error);
    if (!status && weir_division_score_compare(&lower, &node->lower) > 0)
        node->lower = lower;
    for (int round = 0, vain = 0; !status && round < (root ? ROUNDS_FIRST : ROUNDS) && vain < (root ? VAIN : 1); round++) {
        if (!may_be_better(t, node))
            return WEIR_OK;
        if (is_division(t, node))
            return try_division(t, node->first, &more, error);
        struct weir_partition_score most = most_of(t);
        weir_floor_play(&t->floor, node, root ? TURNS_MAX : TURNS_NODE, &most);
        if (t->floor.found && may_be_better(t, node))
            status = try_division(t, t->floor.candidate, &more, error);
        vain = more ? 0 : vain + 1;
        more = false;
        if (weir_partition_stopped(t->study))
            break;
    }
    *open = !status && may_be_better(t, node);
    return status;
}

/* ---- dividing it ---- */

struct way {
    bool by_row;
    uint32_t what; /* a row or a partition */
};

/* The partitions and rows that say most. */
static size_t list_ways(const struct weir_tree *t, const struct weir_node *node, struct way ways[2 * WAYS_MAX])
{
    const struct weir_floor *b = &t->floor;
    size_t count = 0;
    for (int by_row = 0; by_row < 2; by_row++) {
        size_t end = by_row ? b->made_count : b->arrangement->parts;
        int64_t below = INT64_MAX;
        for (int k = 0; k < WAYS_MAX; k++) {
            int64_t most = -1;
            uint32_t what = 0;
            for (uint32_t i = 0; i < end; i++) {
                int64_t at = node->at[by_row ? 0 : i] + 1;
                int64_t here = by_row ? b->loss[i] : (b->spread[i] * 1024 + 1) / (at * at);
                if ((by_row ? here > 0 : node->first[i] < node->last[i]) && here < below && here > most) {
                    most = here;
                    what = i;
                }
            }
            if (most < 0)
                break;
            ways[count++] = (struct way){by_row, what};
            below = most;
        }
    }
    return count;
}

static void divide(const struct weir_tree *t, const struct weir_node *node, struct way way, struct weir_node halves[2])
{
    halves[0] = halves[1] = *node;
    if (!way.by_row) {
        uint32_t at = node->at[way.what] < node->last[way.what] ? node->at[way.what] : node->last[way.what] - 1;
        halves[0].last[way.what] = at;
        halves[1].first[way.what] = at + 1;
        return;
    }
    uint32_t forms = t->floor.made[way.what].of->forms, left = 0, seen = 0;
    for (uint32_t form = 0; form < forms; form++)
        left += !(node->dropped[way.what] >> form & 1);
    for (uint32_t form = 0; form < forms; form++)
        if (!(node->dropped[way.what] >> form & 1))
            halves[seen++ < left / 2].dropped[way.what] |= UINT64_C(1) << form;
}

/* How much both bounds gain. A half that has nothing better gains all there is. */
static weir_wide gain_of(struct weir_tree *t, const struct weir_node *node, struct weir_node halves[2])
{
    struct weir_partition_score most = most_of(t);
    int64_t all = most.total - node->lower.total;
    weir_wide gain = 1;
    all = all > INT64_MAX / 2 ? INT64_MAX / 2 : all < 0 ? 1 : all + 1;
    for (int half = 0; half < 2; half++) {
        bool better = may_be_better(t, &halves[half]);
        if (better)
            weir_floor_play(&t->floor, &halves[half], TURNS_AHEAD, &most);
        int64_t here = better ? halves[half].lower.total - node->lower.total : all;
        gain *= (here > all ? all : here > 0 ? here : 0) + all / 1024 + 1;
    }
    return gain;
}

static enum weir_status divide_best(struct weir_tree *t, const struct weir_node *node, struct weir_error *error)
{
    struct way ways[2 * WAYS_MAX];
    struct weir_node halves[2], best[2] = {*node, *node};
    weir_wide most = 0;
    size_t count = list_ways(t, node, ways);
    for (size_t i = 0; i < count; i++) {
        divide(t, node, ways[i], halves);
        weir_wide gain = gain_of(t, node, halves);
        if (gain > most) {
            most = gain;
            memcpy(best, halves, sizeof best);
        }
    }
    enum weir_status status = WEIR_OK;
    for (int half = 0; half < 2 && !status && count; half++)
        if (may_be_better(t, &best[half]))
            status = weir_tree_open(t, &best[half], error);
    return status;
}

/* ---- all ---- */

static void take(struct weir_tree *t, struct weir_node *node)
{
    size_t at = t->open_count - 1;
    for (size_t i = 0; i < t->open_count && t->open_count <= OPEN_MAX; i++)
        if (weir_division_score_compare(&t->open[i]->lower, &t->open[at]->lower) < 0)
            at = i;
    *node = *t->open[at];
    weir_free(t->open[at]);
    t->open[at] = t->open[--t->open_count];
}

enum weir_status weir_tree_grow(struct weir_tree *t, size_t most, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    while (!status && t->open_count && t->open_count < most && !weir_partition_stopped(t->study)) {
        struct weir_node node, before;
        size_t count = t->open_count - 1;
        bool open;
        take(t, &node);
        before = node;
        status = look_at(t, &node, &open, error);
        if (!status && open)
            status = divide_best(t, &node, error);
        if (status || !weir_partition_stopped(t->study))
            continue;
        while (t->open_count > count) /* it may have been left halfway */
            weir_free(t->open[--t->open_count]);
        status = weir_tree_open(t, &before, error);
    }
    return status;
}
