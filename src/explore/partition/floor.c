/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/partition/floor.h"

#include "base/number.h"

#include <string.h>

enum { PRICE_STEPS = 24, PRICE_DIGITS = 512 };

/* ---- rows ---- */

static uint32_t size_of(const struct weir_floor *b)
{
    return b->begin[b->arrangement->parts];
}

/* What a form of a row says of a choice: of all operators of the partition. */
static int64_t cost_of(const struct weir_floor *b, const struct weir_partition_row *row, uint32_t form, uint32_t part,
                       const struct weir_part_choice *choice)
{
    size_t profiles = b->study->options->profile_count;
    int64_t cost = 0;
    for (size_t i = 0; i < profiles; i++)
        if (b->arrangement->part[i] == part)
            cost += weir_row_effect(&row->pieces[form * profiles + i], choice->worst[i] - row->worst[i],
                                    choice->best[i] - row->best[i]);
    return cost;
}

bool weir_floor_renew(struct weir_floor *b)
{
    for (; b->made_count < b->rows->count; b->made_count++) {
        const struct weir_partition_row *row = &b->rows->items[b->made_count];
        struct weir_floor_row *r = &b->made[b->made_count];
        r->of = row;
        r->costs = weir_array((size_t)row->forms * size_of(b), sizeof *r->costs);
        r->plain = weir_array(size_of(b), sizeof *r->plain);
        if (!r->costs || !r->plain) {
            weir_free(r->costs);
            weir_free(r->plain);
            return false;
        }
        int64_t *at = r->costs;
        for (uint32_t form = 0; form < row->forms; form++)
            for (uint32_t part = 0; part < b->arrangement->parts; part++)
                for (size_t k = 0; k < b->choices[part].count; k++)
                    *at++ = cost_of(b, row, form, part, &b->choices[part].items[k]);
    }
    return true;
}

enum weir_status weir_floor_begin(struct weir_floor *b, const struct weir_partition_study *s, uint32_t arrangement,
                                  const struct weir_part_choices *choices, const struct weir_partition_rows *rows)
{
    *b = (struct weir_floor){.study = s, .rows = rows, .arrangement = &s->arrangements[arrangement], .choices = choices};
    for (uint32_t part = 0; part < b->arrangement->parts; part++)
        b->begin[part + 1] = b->begin[part] + (uint32_t)choices[part].count;
    b->sms = weir_array(size_of(b), sizeof *b->sms);
    b->mix = weir_array(size_of(b), sizeof *b->mix);
    b->best_mix = weir_array(size_of(b), sizeof *b->best_mix);
    b->endless = weir_array_zeroed(weir_pipeline_chain_count(s->pipeline), sizeof *b->endless);
    if (!b->sms || !b->mix || !b->best_mix || !b->endless)
        return WEIR_MEMORY;
    for (uint32_t part = 0; part < b->arrangement->parts; part++)
        for (size_t k = 0; k < choices[part].count; k++)
            b->sms[b->begin[part] + k] = choices[part].items[k].sms;
    return weir_floor_renew(b) ? WEIR_OK : WEIR_MEMORY;
}

void weir_floor_end(struct weir_floor *b)
{
    for (size_t i = 0; i < b->made_count; i++) {
        weir_free(b->made[i].costs);
        weir_free(b->made[i].plain);
    }
    void *taken[] = {b->sms, b->mix, b->best_mix, b->endless};
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        weir_free(taken[k]);
    memset(b, 0, sizeof *b);
}

void weir_floor_leave_out(struct weir_floor *b, const bool *endless)
{
    b->unbounded = b->missed = 0;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(b->study->pipeline); i++) {
        b->endless[i] = endless[i];
        b->unbounded += endless[i];
        b->missed += endless[i] && weir_pipeline_chain(b->study->pipeline, i).has_deadline;
    }
}

static int64_t form_at(const struct weir_floor *b, const struct weir_floor_row *r, uint32_t form, const uint32_t *x)
{
    const int64_t *costs = r->costs + (size_t)form * size_of(b);
    int64_t sum = r->of->base[form];
    for (uint32_t part = 0; part < b->arrangement->parts; part++)
        sum += costs[b->begin[part] + x[part]];
    return sum;
}

/* The least of the forms that are not dropped. */
static int64_t least_form_at(const struct weir_floor *b, const struct weir_floor_row *r, uint64_t dropped, const uint32_t *x,
                             uint32_t *which)
{
    int64_t least = INT64_MAX;
    for (uint32_t form = 0; form < r->of->forms; form++) {
        int64_t here = dropped >> form & 1 ? INT64_MAX : form_at(b, r, form, x);
        if (here < least) {
            least = here;
            *which = form;
        }
    }
    return least;
}

int64_t weir_floor_at(const struct weir_floor *b, const uint32_t x[PARTS_MAX])
{
    int64_t sum = 0;
    for (uint32_t chain = 0; chain < weir_pipeline_chain_count(b->study->pipeline); chain++) {
        int64_t most = 0;
        for (size_t i = 0; i < b->made_count; i++) {
            uint32_t which;
            bool counts = b->made[i].of->chain == chain && !b->endless[chain];
            int64_t here = counts ? least_form_at(b, &b->made[i], 0, x, &which) : 0;
            most = here > most ? here : most;
        }
        sum += most;
    }
    return sum;
}

/* ---- a row on a node ---- */

/* Of a form that is higher than `lowest` at x by `excess`: its part in `plain`. True: it is nowhere below. */
static bool join(const struct weir_floor *b, const struct weir_node *node, struct weir_floor_row *r, const uint32_t forms[2],
                 int64_t excess)
{
    const int64_t *lowest = r->costs + (size_t)forms[0] * size_of(b), *other = r->costs + (size_t)forms[1] * size_of(b);
    int64_t need[PARTS_MAX], sum = 0;
    for (uint32_t part = 0; part < b->arrangement->parts; part++) {
        uint32_t at = b->begin[part] + node->at[part];
        need[part] = 0;
        for (uint32_t k = b->begin[part] + node->first[part]; k <= b->begin[part] + node->last[part]; k++) {
            int64_t fall = (lowest[k] - other[k]) - (lowest[at] - other[at]);
            need[part] = fall > need[part] ? fall : need[part];
        }
        sum += need[part];
    }
    if (sum <= excess)
        return true;
    for (uint32_t part = 0; part < b->arrangement->parts; part++) {
        uint32_t at = b->begin[part] + node->at[part];
        int64_t moved = lowest[at] - other[at] + (int64_t)((weir_wide)excess * need[part] / sum);
        for (uint32_t k = b->begin[part] + node->first[part]; k <= b->begin[part] + node->last[part]; k++)
            r->plain[k] = other[k] + moved < r->plain[k] ? other[k] + moved : r->plain[k];
    }
    return false;
}

/* Makes `plain` of a row, and drops forms that are nowhere the least. */
static void flatten(struct weir_floor *b, struct weir_node *node, size_t row)
{
    struct weir_floor_row *r = &b->made[row];
    uint32_t forms[2] = {0, 0};
    int64_t least = least_form_at(b, r, node->dropped[row], node->at, &forms[0]);
    const int64_t *lowest = r->costs + (size_t)forms[0] * size_of(b);
    r->fixed = r->of->base[forms[0]];
    for (uint32_t part = 0; part < b->arrangement->parts; part++)
        for (uint32_t k = b->begin[part] + node->first[part]; k <= b->begin[part] + node->last[part]; k++)
            r->plain[k] = lowest[k];
    for (forms[1] = 0; forms[1] < r->of->forms; forms[1]++)
        if (forms[1] != forms[0] && !(node->dropped[row] >> forms[1] & 1) &&
            join(b, node, r, forms, form_at(b, r, forms[1], node->at) - least))
            node->dropped[row] |= UINT64_C(1) << forms[1];
}

/* ---- turns ---- */

struct play {
    struct weir_floor *b;
    struct weir_node *node;
    uint32_t chain; /* UINT32_MAX: all */
    bool ahead;
    size_t rows[ROWS_MAX], row_count; /* those that are in play */
    int64_t fixed, scale, price;
    int64_t weight[ROWS_MAX];
    uint32_t x[PARTS_MAX], within[PARTS_MAX]; /* what was liked last, and within the budget */
    bool is_within;
    /* The best of all turns. */
    int64_t best, best_scale, best_price;
    int64_t best_weight[ROWS_MAX];
};

static void add_weight(struct play *p, size_t row, int64_t weight)
{
    const struct weir_floor_row *r = &p->b->made[row];
    p->weight[row] += weight;
    p->fixed += weight * r->fixed;
    for (uint32_t part = 0; part < p->b->arrangement->parts; part++)
        for (uint32_t k = p->b->begin[part] + p->node->first[part]; k <= p->b->begin[part] + p->node->last[part]; k++)
            p->b->mix[k] += weight * r->plain[k];
}

/* The best choices at this price, in x, and how many SMs they have. */
static int64_t respond(struct play *p, int64_t price, int64_t *sms)
{
    const struct weir_floor *b = p->b;
    int64_t value = p->fixed - price * p->node->budget;
    *sms = 0;
    for (uint32_t part = 0; part < b->arrangement->parts; part++) {
        const int64_t *mix = b->mix + b->begin[part], *width = b->sms + b->begin[part];
        uint32_t best = p->node->first[part];
        int64_t least = mix[best] + price * width[best];
        for (uint32_t k = best + 1; k <= p->node->last[part]; k++) {
            int64_t here = mix[k] + price * width[k];
            if (here < least) {
                least = here;
                best = k;
            }
        }
        p->x[part] = best;
        value += least;
        *sms += width[best];
    }
    return value;
}

/* The price at which the mix is worth most, about. */
static int64_t find_price(struct play *p)
{
    const int64_t price_max = INT64_MAX / 16 / PARTS_MAX / ((int64_t)p->b->study->options->sms + 1);
    int64_t low = -1, high = -1, best = INT64_MIN, best_price = 0;
    int64_t price = p->price < price_max ? p->price : price_max, step = price / 16 + p->scale;
    p->is_within = false;
    for (int i = 0; i < PRICE_STEPS; i++) {
        int64_t sms, value = respond(p, price, &sms);
        if (value > best) {
            best = value;
            best_price = price;
        }
        if (sms <= p->node->budget) {
            high = price;
            p->is_within = true;
            memcpy(p->within, p->x, sizeof p->x);
        } else {
            low = price;
        }
        if (sms == p->node->budget || (high == 0) || (low == price_max) ||
            (low >= 0 && high >= 0 && high - low <= high / PRICE_DIGITS + 1))
            break;
        if (low >= 0 && high >= 0) {
            price = low + (high - low) / 2;
            continue;
        }
        price = high < 0 ? (price_max - step > price ? price + step : price_max) : high > step ? high - step : 0;
        step = step > price_max / 2 ? step : 2 * step;
    }
    p->price = best_price;
    return best;
}

static int64_t plain_at(const struct weir_floor *b, size_t row, const uint32_t *x)
{
    int64_t sum = b->made[row].fixed;
    for (uint32_t part = 0; part < b->arrangement->parts; part++)
        sum += b->made[row].plain[b->begin[part] + x[part]];
    return sum;
}

/* The longest row of a latency at x, not below 0. ROWS_MAX: there is none. */
static size_t find_longest(const struct play *p, uint32_t chain, const uint32_t *x, int64_t *length)
{
    size_t longest = ROWS_MAX;
    *length = 0;
    for (size_t i = 0; i < p->row_count; i++) {
        if (p->b->made[p->rows[i]].of->chain != chain)
            continue;
        int64_t here = plain_at(p->b, p->rows[i], x);
        if (here > *length || (here == 0 && longest == ROWS_MAX)) {
            longest = p->rows[i];
            *length = here;
        }
    }
    return longest;
}

/* It gets more weight. */
static void weigh(struct play *p, int64_t more)
{
    uint32_t chains = weir_pipeline_chain_count(p->b->study->pipeline), which;
    for (uint32_t chain = 0; chain < chains; chain++) {
        int64_t length;
        size_t row = find_longest(p, chain, p->x, &length);
        if (row == ROWS_MAX)
            continue;
        if (!p->ahead)
            p->b->loss[row] += more * (least_form_at(p->b, &p->b->made[row], p->node->dropped[row], p->x, &which) - length);
        add_weight(p, row, more);
    }
    p->scale += more;
}

/* What rows say of the division that is liked within the budget. */
static void consider(struct play *p, int64_t *least)
{
    int64_t sum = 0, length;
    for (uint32_t chain = 0; chain < weir_pipeline_chain_count(p->b->study->pipeline); chain++) {
        find_longest(p, chain, p->within, &length);
        sum += length;
    }
    if (sum >= *least)
        return;
    *least = sum;
    memcpy(p->b->candidate, p->within, sizeof p->within);
    p->b->found = true;
}

/* Weights as the node has them, as if of so many turns; returns that number, 0 where it has none. */
static int begin(struct play *p, int turns)
{
    const struct weir_floor *b = p->b;
    bool any = false;
    for (uint32_t part = 0; part < b->arrangement->parts; part++)
        memset(b->mix + b->begin[part] + p->node->first[part], 0,
               (p->node->last[part] - p->node->first[part] + 1) * sizeof *b->mix);
    memcpy(p->x, p->node->at, sizeof p->x);
    int64_t before = (int64_t)turns * (turns + 1) / 2;
    for (size_t i = 0; i < p->row_count && p->chain == UINT32_MAX; i++)
        if (p->node->weight[p->rows[i]]) {
            add_weight(p, p->rows[i], before * p->node->weight[p->rows[i]] / WEIGHT_ONE);
            any = true;
        }
    p->scale = any ? before : 0;
    return any ? turns : 0;
}

static bool keep_best(struct play *p, int64_t value)
{
    if (p->best_scale && (weir_wide)value * p->best_scale <= (weir_wide)p->best * p->scale)
        return false;
    p->best = value;
    p->best_scale = p->scale;
    p->best_price = p->price;
    memcpy(p->best_weight, p->weight, sizeof p->weight);
    memcpy(p->b->best_mix, p->b->mix, size_of(p->b) * sizeof *p->b->mix);
    return true;
}

/* Until the bound is above `enough`; returns it. */
static int64_t take_turns(struct play *p, int turns, int64_t enough)
{
    struct weir_floor *b = p->b;
    int64_t least = INT64_MAX, sum[PARTS_MAX] = {0}, squares[PARTS_MAX] = {0}, weights = 0, highest = 0;
    int from = begin(p, turns / 3);
    for (int64_t turn = from + 1; turn <= from + turns && highest <= enough; turn++) {
        if (turn == 1)
            weigh(p, turn);
        keep_best(p, find_price(p));
        highest = weir_ceil_divide(p->best, p->best_scale);
        for (uint32_t part = 0; part < b->arrangement->parts; part++) {
            sum[part] += turn * p->x[part];
            squares[part] += turn * p->x[part] * p->x[part];
        }
        weights += turn;
        if (!p->ahead && p->is_within)
            consider(p, &least);
        weigh(p, turn);
    }
    for (uint32_t part = 0; part < b->arrangement->parts && weights; part++) {
        int64_t mean = sum[part] / weights;
        b->spread[part] = 64 * (squares[part] - mean * sum[part]) / weights;
        p->node->at[part] = (uint32_t)mean;
    }
    return highest;
}

/* ---- a node ---- */

static bool is_too_long(const struct play *p, int64_t more, int64_t most)
{
    return weir_ceil_divide(p->best + more, p->best_scale) > most;
}

/* Choices that make the bound longer than so much are no part of what could be better. */
static void leave_out(const struct play *p, int64_t most)
{
    const struct weir_floor *b = p->b;
    for (uint32_t part = 0; part < b->arrangement->parts; part++) {
        const int64_t *mix = b->best_mix + b->begin[part], *width = b->sms + b->begin[part];
        uint32_t *first = &p->node->first[part], *last = &p->node->last[part];
        int64_t least = INT64_MAX;
        for (uint32_t k = *first; k <= *last; k++) {
            int64_t here = mix[k] + p->best_price * width[k];
            least = here < least ? here : least;
        }
        while (*first < *last && is_too_long(p, mix[*first] + p->best_price * width[*first] - least, most))
            ++*first;
        while (*first < *last && is_too_long(p, mix[*last] + p->best_price * width[*last] - least, most))
            --*last;
        p->node->at[part] = p->node->at[part] < *first ? *first : p->node->at[part] > *last ? *last : p->node->at[part];
    }
}

bool weir_floor_trim(const struct weir_floor *b, struct weir_node *node)
{
    int64_t least = 0;
    for (uint32_t part = 0; part < b->arrangement->parts; part++)
        least += b->sms[b->begin[part] + node->first[part]];
    for (uint32_t part = 0; part < b->arrangement->parts; part++) {
        const int64_t *width = b->sms + b->begin[part];
        while (node->last[part] > node->first[part] && least + width[node->last[part]] - width[node->first[part]] > node->budget)
            node->last[part]--;
        node->at[part] = node->at[part] > node->last[part] ? node->last[part] : node->at[part];
        node->at[part] = node->at[part] < node->first[part] ? node->first[part] : node->at[part];
    }
    return least <= node->budget;
}

/* How many deadlines are missed whatever is chosen. */
static uint32_t count_missed(struct weir_floor *b, struct weir_node *node)
{
    uint32_t missed = b->missed;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(b->study->pipeline); i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(b->study->pipeline, i);
        struct play p = {.b = b, .node = node, .chain = i, .ahead = true};
        for (size_t k = 0; k < b->made_count; k++)
            if (b->made[k].of->chain == i)
                p.rows[p.row_count++] = k;
        uint32_t at[PARTS_MAX];
        memcpy(at, node->at, sizeof at);
        missed += chain.has_deadline && !b->endless[i] && take_turns(&p, TURNS_AHEAD, chain.deadline) > chain.deadline;
        memcpy(node->at, at, sizeof at);
    }
    return missed;
}

void weir_floor_play(struct weir_floor *b, struct weir_node *node, int turns, const struct weir_partition_score *most)
{
    struct weir_partition_score lower = {.unbounded = b->unbounded};
    struct play p = {.b = b, .node = node, .chain = UINT32_MAX, .ahead = turns == TURNS_AHEAD};
    for (size_t i = 0; i < b->made_count; i++)
        if (!b->endless[b->made[i].of->chain] && (!p.ahead || node->weight[i])) {
            p.rows[p.row_count++] = i;
            flatten(b, node, i);
        }
    lower.missed = p.ahead ? node->lower.missed : count_missed(b, node);
    memset(b->loss, 0, sizeof b->loss);
    b->found = false;
    bool equal = lower.unbounded == most->unbounded && lower.missed == most->missed;
    lower.total = take_turns(&p, turns, equal ? most->total : INT64_MAX);
    memset(node->weight, 0, sizeof node->weight);
    for (size_t i = 0; i < b->made_count && p.best_scale; i++)
        node->weight[i] = (uint16_t)(p.best_weight[i] * WEIGHT_ONE / p.best_scale);
    if (equal && lower.total <= most->total && p.best_scale)
        leave_out(&p, most->total);
    if (weir_division_score_compare(&lower, &node->lower) > 0)
        node->lower = lower;
}
