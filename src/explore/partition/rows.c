/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/partition/rows.h"

#include "base/number.h"

#include <string.h>

void weir_row_free(struct weir_partition_row *row)
{
    weir_free(row->base);
    weir_free(row->pieces);
}

void weir_rows_free(struct weir_partition_rows *rows)
{
    for (size_t i = rows ? rows->borrowed : 0; rows && i < rows->count; i++)
        weir_row_free(&rows->items[i]);
    weir_free(rows);
}

bool weir_row_make(const struct weir_partition_study *s, uint32_t forms, struct weir_partition_row *row)
{
    *row = (struct weir_partition_row){.forms = forms};
    row->base = weir_array_zeroed(forms, sizeof *row->base);
    row->pieces = weir_array_zeroed(forms * s->options->profile_count, sizeof *row->pieces);
    if (row->base && row->pieces)
        return true;
    weir_row_free(row);
    return false;
}

int64_t weir_row_effect(const struct weir_row_piece *piece, int64_t longer, int64_t later)
{
    int64_t value = piece->worst * longer;
    value -= later > 0 ? piece->best * later : 0;
    return value - (!piece->own ? 0 : longer > -piece->ahead ? longer : -piece->ahead);
}

/* The longest that any operator takes; in a partition that is shared it takes as long as all in it. INT64_MAX: too long. */
static int64_t longest_time(const struct weir_partition_study *s)
{
    int64_t longest = 0, all = 0;
    for (size_t i = 0; i < s->options->profile_count; i++) {
        int64_t most = 0;
        for (size_t k = 0; k < s->options->profiles[i].point_count; k++) {
            int64_t worst = s->options->profiles[i].points[k].worst;
            most = worst > most ? worst : most;
        }
        longest = most > longest ? most : longest;
        if (!weir_add(all, most, &all))
            return INT64_MAX;
    }
    return s->options->share ? all : longest;
}

/* Whether sums of what it says, with weights, can be represented. */
static bool can_be_weighted(const struct weir_partition_study *s, const struct weir_partition_row *row)
{
    const int64_t limit = INT64_MAX / 16 / WEIR_WEIGHT_MAX / (int64_t)(weir_pipeline_chain_count(s->pipeline) + 1);
    size_t profiles = s->options->profile_count;
    int64_t longest = longest_time(s);
    for (uint32_t form = 0; form < row->forms; form++) {
        int64_t most = row->base[form] < 0 ? -row->base[form] : row->base[form];
        for (size_t i = 0; i < profiles; i++) {
            const struct weir_row_piece *p = &row->pieces[form * profiles + i];
            int64_t time, here;
            if (!weir_add(longest, row->worst[i], &time) || !weir_multiply(time, p->worst + p->best + p->own, &here) ||
                !weir_add(most, here, &most))
                return false;
        }
        if (most > limit)
            return false;
    }
    return true;
}

static bool same_row(const struct weir_partition_study *s, const struct weir_partition_row *a, const struct weir_partition_row *b)
{
    size_t profiles = s->options->profile_count;
    return a->chain == b->chain && a->forms == b->forms && memcmp(a->base, b->base, a->forms * sizeof *a->base) == 0 &&
           memcmp(a->best, b->best, sizeof a->best) == 0 && memcmp(a->worst, b->worst, sizeof a->worst) == 0 &&
           memcmp(a->pieces, b->pieces, a->forms * profiles * sizeof *a->pieces) == 0;
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
