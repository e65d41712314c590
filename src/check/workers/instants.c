/* SPDX-License-Identifier: Apache-2.0 */
#include "check/workers/instants.h"

#include "base/number.h"

void weir_instants_begin(struct weir_instants *s, int count)
{
    s->count = count;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            s->later[i][j] = i == j ? 0 : WEIR_ANY_TIME;
}

/* All that follows from two limits: the least path between any two moments. */
static bool conclude(struct weir_instants *s)
{
    for (int k = 0; k < s->count; k++)
        for (int i = 0; i < s->count; i++)
            for (int j = 0; j < s->count; j++) {
                int64_t sum;
                if (s->later[i][k] != WEIR_ANY_TIME && s->later[k][j] != WEIR_ANY_TIME &&
                    weir_add(s->later[i][k], s->later[k][j], &sum) && sum < s->later[i][j])
                    s->later[i][j] = sum;
            }
    for (int i = 0; i < s->count; i++)
        if (s->later[i][i] < 0)
            return false;
    return true;
}

bool weir_instants_limit(struct weir_instants *s, int i, int j, int64_t most)
{
    if (most >= s->later[i][j])
        return true;
    s->later[i][j] = most;
    return conclude(s);
}

/* What is longer than can be represented is not limited: a larger set. */
static int64_t longer(int64_t limit, int64_t by)
{
    int64_t sum;
    return limit != WEIR_ANY_TIME && by != WEIR_ANY_TIME && weir_add(limit, by, &sum) ? sum : WEIR_ANY_TIME;
}

void weir_instants_move(struct weir_instants *s, int i, int j, int64_t least, int64_t most)
{
    int64_t row[WEIR_INSTANTS_MAX], column[WEIR_INSTANTS_MAX];
    for (int k = 0; k < s->count; k++) {
        row[k] = longer(s->later[j][k], most);
        column[k] = longer(s->later[k][j], -least);
    }
    for (int k = 0; k < s->count; k++) {
        s->later[i][k] = row[k];
        s->later[k][i] = column[k];
    }
    if (i != j) {
        s->later[i][j] = most;
        s->later[j][i] = -least;
    }
    s->later[i][i] = 0;
}

void weir_instants_set(struct weir_instants *s, int i, int j, int64_t later)
{
    weir_instants_move(s, i, j, later, later);
}
