/* SPDX-License-Identifier: Apache-2.0 */
/* Time passes: what is known about the differences between clocks, before and after. */
#include "engine/priority/reach.h"

#include <string.h>

static int64_t at_least(const struct weir_reach *r, uint32_t clock)
{
    return -r->zone[clock];
}

/* Nothing that runs may go beyond its longest time; of several that share a processor one goes on at every moment. */
int64_t weir_reach_patience(struct weir_reach *r)
{
    const struct weir_taskset *set = r->s->set;
    int64_t patience = r->view.urgent ? 0 : WEIR_PRIORITY_FAR;
    for (uint32_t c = 1; c < r->view.count; c++) {
        struct weir_reach_clock *clock = &r->view.clocks[c];
        clock->left = clock->most - at_least(r, c);
        if (clock->pace == WEIR_PACE_RUNS && clock->left < patience)
            patience = clock->left;
        if (clock->pace == WEIR_PACE_SHARES)
            r->urgency[set->tasks[clock->of].processor].left += clock->left;
    }
    for (uint32_t c = 1; c < r->view.count; c++) {
        struct weir_reach_clock *clock = &r->view.clocks[c];
        if (clock->pace != WEIR_PACE_SHARES)
            continue;
        int64_t all = r->urgency[set->tasks[clock->of].processor].left;
        clock->others = all - clock->left;
        patience = all < patience ? all : patience;
    }
    return patience;
}

/* The sharpest differences that follow from those there are; false: they contradict each other. */
static bool sharpen(int64_t *z, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++) {
            int64_t there = z[i * n + k];
            if (i == k)
                continue;
            for (uint32_t j = 0; j < n; j++)
                if (there + z[k * n + j] < z[i * n + j])
                    z[i * n + j] = there + z[k * n + j];
        }
    for (uint32_t i = 0; i < n; i++)
        if (z[i * n + i] < 0)
            return false;
    return true;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How much clock a can gain on clock b while between `least` and `most` passes. What shares goes on by at most what it has left,
 * and by all that passes but for what the others have left. */
static int64_t gain(const struct weir_reach_clock *a, const struct weir_reach_clock *b, int64_t least, int64_t most)
{
    int64_t at_least = b->pace == WEIR_PACE_SHARES && least > b->others ? least - b->others : 0;
    if (a->pace == WEIR_PACE_RUNS)
        return b->pace == WEIR_PACE_RUNS ? 0 : b->pace == WEIR_PACE_STANDS ? most : smaller(most, b->others);
    if (a->pace == WEIR_PACE_STANDS)
        return b->pace == WEIR_PACE_RUNS ? -least : -at_least;
    return b->pace == WEIR_PACE_RUNS ? smaller(0, a->left - least) : smaller(most, a->left) - at_least;
}

bool weir_reach_pass(struct weir_reach *r, const struct weir_reach_event *event)
{
    const struct weir_reach_clock *clocks = r->view.clocks;
    uint32_t n = r->view.count, due = event->clock;
    int64_t *z = r->moved, need = 0, least = 0, most = r->patience;
    memcpy(z, r->zone, (size_t)n * n * sizeof *z);
    if (event->what == WEIR_HAPPENS_MOMENT)
        need = r->s->set->graphs[event->of].period;
    if (event->what == WEIR_HAPPENS_END)
        need = r->s->set->tasks[event->of].best;
    if (due > 0 && need > z[due * n])
        least = need - z[due * n];
    if (least > most)
        return false;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (a != b)
                z[a * n + b] += gain(&clocks[a], &clocks[b], least, most);
    for (uint32_t c = 1; c < n; c++)
        if (z[c * n] > clocks[c].most)
            z[c * n] = clocks[c].most;
    if (due > 0 && z[due] > -need)
        z[due] = -need;
    return sharpen(z, n);
}
