/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows from the release to the end once more, in shorter units. Rounding up bounds that depend on one another can add up to more
 * than one unit: where it did, the least bounds for which these windows close are looked for again, with what is there as a limit,
 * and offsets and groups as they are. No window needs more because others end sooner, so those at their limit still close. That
 * way the bounds are never larger than the ones of any iteration over windows of this kind from above, such as Bertogna and
 * Cirinei's, in these units.
 */
#include "engine/edf/window.h"

#include "base/interrupt.h"

#define FINER 210                   /* with the parts of a unit that there are: 2520, which many numbers divide */
#define FINE_END (INT64_C(1) << 40) /* of the longest time */
#define ROUNDS_MAX 400

static int64_t longest_time(const struct weir_edf_window *i)
{
    const int64_t times[] = {i->limit,  i->ahead, i->offset, i->early, -i->early, i->held,
                             i->source, i->most,  -i->most,  i->least, -i->least};
    int64_t longest = i->period;
    for (size_t t = 0; t < sizeof times / sizeof *times; t++)
        longest = times[t] > longest ? times[t] : longest;
    return longest;
}

static void multiply(struct weir_edf_window *i)
{
    int64_t *const times[] = {&i->period, &i->cost,  &i->limit, &i->bound,  &i->exact, &i->ahead,
                              &i->offset, &i->early, &i->held,  &i->source, &i->most,  &i->least};
    for (size_t t = 0; t < sizeof times / sizeof *times; t++)
        *times[t] *= FINER;
}

/* False where times get too long. */
static bool make_finer(struct weir_edf_look *w)
{
    size_t n = w->system->flow->node_count;
    for (size_t v = 0; v < n; v++)
        if (longest_time(&w->nodes[v]) >= FINE_END / FINER)
            return false;
    for (size_t v = 0; v < n; v++)
        multiply(&w->nodes[v]);
    for (size_t i = 0; w->related && i < n * n; i++)
        w->system->gaps[i] *= w->system->gaps[i] == INT64_MAX ? 1 : FINER;
    w->scale *= FINER;
    return true;
}

/* One look at every window; false where there is too much to look at. */
static bool look(struct weir_edf_look *w, bool *grown)
{
    uint32_t n = w->system->flow->node_count;
    *grown = false;
    w->steps += (int64_t)n * n;
    for (uint32_t k = 0; k < n; k++) {
        struct weir_edf_window *own = &w->nodes[k];
        int64_t end = own->bound < own->limit ? weir_edf_close_turn(w, k) : 0;
        if (end < 0)
            return false;
        if (end <= own->bound)
            continue;
        own->bound = end < own->limit ? end : own->limit;
        *grown = true;
    }
    return w->steps <= WEIR_EDF_STEPS_MAX && !weir_interrupted();
}

void weir_edf_refine(struct weir_edf_look *w)
{
    uint32_t n = w->system->flow->node_count;
    bool grown = true, fits = make_finer(w);
    if (!fits)
        return;
    w->busy = false;
    w->turn = w->steps = 0;
    for (uint32_t v = 0; v < n; v++) {
        w->nodes[v].limit = w->nodes[v].bound;
        w->nodes[v].bound = w->nodes[v].exact < w->nodes[v].limit ? w->nodes[v].exact : w->nodes[v].limit;
    }
    for (int round = 0; grown && fits; round++)
        fits = round < ROUNDS_MAX && look(w, &grown);
    for (uint32_t v = 0; v < n && !fits; v++)
        w->nodes[v].bound = w->nodes[v].limit;
}
