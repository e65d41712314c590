/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/partition/floor.h"

#include "base/error.h"
#include "base/number.h"

#include <string.h>

enum { BUDGETS_MAX = 2048 };
#define SCALE_MAX ((int64_t)TURNS_MAX * (TURNS_MAX + 1) / 2)

/* ---- rows ---- */

void weir_rows_free(struct weir_partition_rows *rows)
{
    for (size_t i = rows ? rows->borrowed : 0; rows && i < rows->count; i++)
        weir_free(rows->items[i].costs);
    weir_free(rows);
}

/* The farthest from 0 that a profile's part of a row can be. INT64_MAX: too far. */
static int64_t farthest(const struct weir_partition_study *s, const struct weir_partition_row *row, size_t profile)
{
    const struct weir_profile *p = &s->options->profiles[profile];
    int64_t most = 0;
    for (size_t k = 0; k < p->point_count; k++) {
        int64_t here = row->costs ? row->costs[s->first_point[profile] + k] : p->points[k].worst;
        here = here < 0 ? -here : here;
        most = here > most ? here : most;
    }
    return row->costs || weir_multiply(most, row->counts[profile], &most) ? most : INT64_MAX;
}

/* Whether it can be weighted. A partition that is shared takes as long as all in it. */
static bool can_be_weighted(const struct weir_partition_study *s, const struct weir_partition_row *row)
{
    int64_t most = row->fixed < 0 ? -row->fixed : row->fixed, all = 0;
    for (size_t i = 0; i < s->options->profile_count; i++) {
        struct weir_partition_row one = {.counts = {0}};
        one.counts[i] = 1;
        if (!weir_add(all, farthest(s, &one, i), &all))
            return false;
    }
    for (size_t i = 0; i < s->options->profile_count; i++) {
        int64_t here = farthest(s, row, i);
        if (s->options->share && !weir_multiply(all, row->counts[i], &here))
            return false;
        if (!weir_add(most, here, &most))
            return false;
    }
    return most <= INT64_MAX / 4 / SCALE_MAX / (int64_t)(weir_pipeline_chain_count(s->pipeline) + 1);
}

static bool same_row(const struct weir_partition_study *s, const struct weir_partition_row *a, const struct weir_partition_row *b)
{
    return a->chain == b->chain && a->fixed == b->fixed && memcmp(a->counts, b->counts, sizeof a->counts) == 0 &&
           !a->costs == !b->costs &&
           (!a->costs || memcmp(a->costs, b->costs, s->first_point[s->options->profile_count] * sizeof *a->costs) == 0);
}

bool weir_rows_add(const struct weir_partition_study *s, struct weir_partition_rows *rows, const struct weir_partition_row *row)
{
    for (size_t k = 0; k < rows->count; k++)
        if (same_row(s, &rows->items[k], row))
            return false;
    if (rows->count == ROWS_MAX || !can_be_weighted(s, row))
        return false;
    rows->items[rows->count++] = *row;
    return true;
}

/* ---- the order ---- */

void weir_floor_order(const struct weir_partition_study *s, const struct weir_partition_arrangement *a,
                      const struct weir_part_choices *choices, uint32_t order[PARTS_MAX])
{
    int64_t matters[PARTS_MAX];
    for (uint32_t part = 0; part < a->parts; part++) {
        matters[part] = 0;
        for (size_t i = 0; i < s->options->profile_count && choices[part].count; i++) {
            const struct weir_part_choice *items = choices[part].items;
            if (a->part[i] == part)
                matters[part] += (items[0].worst[i] - items[choices[part].count - 1].worst[i]) / PARTS_MAX;
        }
        uint32_t at = part;
        for (; at > 0 && matters[part] > matters[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = part;
    }
}

/* ---- tables ---- */

static size_t rest_size(const struct weir_floor *f)
{
    return ((size_t)f->arrangement->parts + 1) * (f->budgets + 1);
}

/* The cost of a choice in a row. */
static int64_t cost_of(const struct weir_floor *f, const struct weir_partition_row *row, uint32_t position, uint32_t choice)
{
    const struct weir_part_choice *c = &f->choices[f->order[position]].items[choice];
    int64_t cost = 0;
    for (size_t i = 0; i < f->study->options->profile_count; i++) {
        if (f->arrangement->part[i] != f->order[position])
            continue;
        int64_t point = row->costs ? weir_profile_point_at(&f->study->options->profiles[i], c->sms) : 0;
        cost += row->costs ? row->costs[f->study->first_point[i] + (size_t)point] : row->counts[i] * c->worst[i];
    }
    return cost;
}

/* From the last position to `from`: cost by position and choice, rest by position and budget. */
static void fill_rest(const struct weir_floor *f, const int64_t *cost, uint32_t from, int64_t *rest)
{
    uint32_t parts = f->arrangement->parts, width = f->budgets + 1;
    memset(rest + (size_t)parts * width, 0, width * sizeof *rest);
    for (uint32_t at = parts; at-- > from;) {
        const struct weir_part_choices *list = &f->choices[f->order[at]];
        const int64_t *behind = rest + ((size_t)at + 1) * width, *costs = cost + f->first[at];
        int64_t *here = rest + (size_t)at * width;
        for (uint32_t s = 0; s < width; s++)
            here[s] = INT64_MAX;
        for (uint32_t k = 0; k < list->count; k++) {
            uint32_t units = list->items[k].sms / f->unit;
            for (uint32_t s = units; s < width; s++)
                if (behind[s - units] != INT64_MAX && behind[s - units] + costs[k] < here[s])
                    here[s] = behind[s - units] + costs[k];
        }
    }
}

/* The table at `at`, whose memory is there or not: of a row, or of these costs. */
static bool make_table(struct weir_floor *f, size_t at, const struct weir_partition_row *row, const int64_t *costs)
{
    struct weir_floor_table *t = &f->tables[at];
    uint32_t parts = f->arrangement->parts;
    if (!t->cost)
        t->cost = weir_array(f->first[parts], sizeof *t->cost);
    if (!t->rest)
        t->rest = weir_array(rest_size(f), sizeof *t->rest);
    if (!t->cost || !t->rest)
        return false;
    for (uint32_t position = 0; position < parts; position++)
        for (uint32_t k = 0; k < f->choices[f->order[position]].count; k++)
            t->cost[f->first[position] + k] = row ? cost_of(f, row, position, k) : costs[f->first[position] + k];
    fill_rest(f, t->cost, 0, t->rest);
    return true;
}

/* What is decided before `position`, in a table that is new. */
static void catch_up(struct weir_floor *f, size_t table, uint32_t position)
{
    f->reached[0][table] = f->tables[table].fixed;
    for (uint32_t at = 0; at < position; at++)
        f->reached[at + 1][table] = f->reached[at][table] + f->tables[table].cost[f->first[at] + f->chosen[at]];
}

enum weir_status weir_floor_renew(struct weir_floor *f, uint32_t position, struct weir_error *error)
{
    for (; f->rows_made < f->rows->count; f->rows_made++) {
        const struct weir_partition_row *row = &f->rows->items[f->rows_made];
        struct weir_floor_table *t = &f->tables[f->rows_made];
        t->chain = (uint32_t)row->chain;
        t->scale = 1;
        t->fixed = row->fixed;
        if (!make_table(f, f->rows_made, row, NULL))
            return weir_fail_memory(error);
        catch_up(f, f->rows_made, position);
    }
    return WEIR_OK;
}

enum weir_status weir_floor_begin(struct weir_floor *f, const struct weir_partition_study *s, uint32_t arrangement,
                                  const struct weir_part_choices *choices, const struct weir_partition_rows *rows,
                                  struct weir_error *error)
{
    *f = (struct weir_floor){
        .study = s, .rows = rows, .arrangement = &s->arrangements[arrangement], .choices = choices, .unit = s->options->sms};
    weir_floor_order(s, f->arrangement, choices, f->order);
    for (uint32_t at = 0; at < f->arrangement->parts; at++) {
        const struct weir_part_choices *list = &choices[f->order[at]];
        for (size_t k = 0; k < list->count; k++)
            f->unit = (uint32_t)weir_greatest_divisor(f->unit, list->items[k].sms);
        f->first[at + 1] = f->first[at] + (uint32_t)list->count;
    }
    while (s->options->sms / f->unit > BUDGETS_MAX) /* each partition then counts for no more than it has */
        f->unit *= 2;
    f->budgets = s->options->sms / f->unit;
    f->reached = weir_array(PARTS_MAX + 1, sizeof *f->reached);
    f->latency = weir_array(weir_pipeline_chain_count(s->pipeline), sizeof *f->latency);
    f->scratch = weir_array(rest_size(f), sizeof *f->scratch);
    if (!f->reached || !f->latency || !f->scratch)
        return weir_fail_memory(error);
    return weir_floor_renew(f, 0, error);
}

void weir_floor_end(struct weir_floor *f)
{
    for (size_t i = 0; i < TABLES_MAX; i++) {
        weir_free(f->tables[i].cost);
        weir_free(f->tables[i].rest);
    }
    weir_free(f->reached);
    weir_free(f->latency);
    weir_free(f->scratch);
    memset(f, 0, sizeof *f);
}

/* ---- asking ---- */

static size_t mixes_of(const struct weir_floor *f)
{
    return f->mixes_made < MIXES_MAX ? f->mixes_made : MIXES_MAX;
}

void weir_floor_choose(struct weir_floor *f, uint32_t position, uint32_t choice)
{
    const int64_t *before = f->reached[position];
    int64_t *after = f->reached[position + 1];
    uint32_t at = f->first[position] + choice;
    f->chosen[position] = choice;
    for (size_t k = 0; k < f->rows_made; k++)
        after[k] = before[k] + f->tables[k].cost[at];
    for (size_t k = ROWS_MAX; k < ROWS_MAX + mixes_of(f); k++)
        after[k] = before[k] + f->tables[k].cost[at];
}

void weir_floor_score(struct weir_floor *f, uint32_t position, uint32_t left, struct weir_partition_score *score)
{
    uint32_t chains = weir_pipeline_chain_count(f->study->pipeline);
    size_t at = (size_t)position * (f->budgets + 1) + left / f->unit;
    int64_t total = 0;
    *score = (struct weir_partition_score){.unbounded = f->unbounded};
    memset(f->latency, 0, chains * sizeof *f->latency);
    for (size_t k = 0; k < ROWS_MAX + mixes_of(f); k = k + 1 == f->rows_made ? ROWS_MAX : k + 1) {
        const struct weir_floor_table *t = &f->tables[k];
        if (k >= f->rows_made && k < ROWS_MAX)
            break; /* there are no rows */
        if (t->rest[at] == INT64_MAX) {
            *score = (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
            return;
        }
        int64_t least = (f->reached[position][k] + t->rest[at] + t->scale - 1) / t->scale;
        int64_t *most = t->chain == UINT32_MAX ? &total : &f->latency[t->chain];
        *most = least > *most ? least : *most;
    }
    for (uint32_t i = 0; i < chains; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(f->study->pipeline, i);
        score->missed += chain.has_deadline && f->latency[i] > chain.deadline;
        score->total += f->latency[i];
    }
    score->total = total > score->total ? total : score->total;
}

/* ---- weights ---- */

struct mix {
    int64_t *costs; /* by position and choice */
    int64_t fixed, scale;
};

/* The best division for a mix, behind `position`; false: there is none. *value: the mix of it. */
static bool respond(const struct weir_floor *f, const struct mix *m, uint32_t position, uint32_t left, uint32_t x[PARTS_MAX],
                    int64_t *value)
{
    uint32_t parts = f->arrangement->parts, width = f->budgets + 1, budget = left / f->unit;
    fill_rest(f, m->costs, position, f->scratch);
    if (f->scratch[(size_t)position * width + budget] == INT64_MAX)
        return false;
    *value = m->fixed + f->scratch[(size_t)position * width + budget];
    for (uint32_t at = 0; at < position; at++)
        *value += m->costs[f->first[at] + x[at]];
    for (uint32_t at = position; at < parts; at++) {
        const struct weir_part_choices *list = &f->choices[f->order[at]];
        int64_t here = f->scratch[(size_t)at * width + budget];
        const int64_t *behind = f->scratch + ((size_t)at + 1) * width;
        for (uint32_t k = 0; k < list->count; k++) {
            uint32_t units = list->items[k].sms / f->unit;
            if (units <= budget && behind[budget - units] != INT64_MAX &&
                behind[budget - units] + m->costs[f->first[at] + k] == here) {
                x[at] = k;
                budget -= units;
                break;
            }
        }
    }
    return true;
}

static int64_t row_at(const struct weir_floor *f, size_t row, const uint32_t x[PARTS_MAX])
{
    int64_t sum = f->tables[row].fixed;
    for (uint32_t at = 0; at < f->arrangement->parts; at++)
        sum += f->tables[row].cost[f->first[at] + x[at]];
    return sum;
}

/* The longest row of each latency at x gets more weight in the mix (may be NULL); returns the sum of those rows. */
static int64_t weigh(const struct weir_floor *f, const uint32_t x[PARTS_MAX], int64_t more, struct mix *m)
{
    int64_t total = 0;
    if (m)
        m->scale += more;
    for (uint32_t chain = 0; chain < weir_pipeline_chain_count(f->study->pipeline); chain++) {
        const struct weir_floor_table *longest = NULL;
        int64_t most = 0;
        for (size_t k = 0; k < f->rows_made; k++) {
            int64_t here = f->tables[k].chain == chain ? row_at(f, k, x) : -1;
            if (here >= 0 && (!longest || here > most)) {
                longest = &f->tables[k];
                most = here;
            }
        }
        if (!longest)
            continue;
        total += most;
        if (!m)
            continue;
        m->fixed += more * longest->fixed;
        for (uint32_t i = 0; i < f->first[f->arrangement->parts]; i++)
            m->costs[i] += more * longest->cost[i];
    }
    return total;
}

static bool keep_mix(struct weir_floor *f, uint32_t position, const struct mix *m)
{
    size_t at = ROWS_MAX + f->mixes_made % MIXES_MAX;
    struct weir_floor_table *t = &f->tables[at];
    t->chain = weir_pipeline_chain_count(f->study->pipeline) == 1 ? 0 : UINT32_MAX;
    t->scale = m->scale;
    t->fixed = m->fixed;
    if (!make_table(f, at, NULL, m->costs))
        return false;
    f->mixes_made++;
    catch_up(f, at, position);
    return true;
}

enum weir_status weir_floor_mix(struct weir_floor *f, uint32_t position, int turns, uint32_t candidate[PARTS_MAX], bool *found,
                                struct weir_error *error)
{
    size_t size = f->first[f->arrangement->parts];
    struct mix m = {.costs = weir_array_zeroed(size, sizeof *m.costs)}, best = {.costs = weir_array(size, sizeof *best.costs)};
    uint32_t x[PARTS_MAX] = {0}, left = f->study->options->sms;
    int64_t least = INT64_MAX, highest = 0;
    bool room = m.costs && best.costs;
    *found = false;
    for (uint32_t at = 0; at < f->arrangement->parts; at++)
        x[at] = at < position ? f->chosen[at] : (uint32_t)f->choices[f->order[at]].count - 1;
    for (uint32_t at = 0; at < position; at++)
        left -= f->choices[f->order[at]].items[x[at]].sms;
    for (int64_t turn = 1; room && turn <= turns && f->rows_made; turn++) {
        int64_t value;
        weigh(f, x, turn, &m);
        if (!respond(f, &m, position, left, x, &value))
            break;
        int64_t total = weigh(f, x, 0, NULL);
        if (total < least) {
            least = total;
            memcpy(candidate, x, sizeof x);
            *found = true;
        }
        if (best.scale == 0 || (weir_wide)value * best.scale > (weir_wide)highest * m.scale) {
            memcpy(best.costs, m.costs, size * sizeof *m.costs);
            best.fixed = m.fixed;
            best.scale = m.scale;
            highest = value;
        }
    }
    room = room && (best.scale == 0 || keep_mix(f, position, &best));
    weir_free(m.costs);
    weir_free(best.costs);
    return room ? WEIR_OK : weir_fail_memory(error);
}
