/* SPDX-License-Identifier: Apache-2.0 */
/* Capacities that keep the limits, found quickly; how good they are is for the search to say. */
#include "base/error.h"
#include "explore/sizing/sizing.h"
#include "model/pipeline.h"

#include <string.h>

enum { TRIALS = 600 };

struct walk {
    struct weir_sizing_seeker *seeker;
    struct weir_box *box; /* its low end is where the walk is */
    unsigned trials;
};

static bool goes_on(const struct walk *w, unsigned trials)
{
    return w->trials < trials && !weir_study_stopped(w->seeker->study);
}

static enum weir_status try_here(struct walk *w, bool *keeps, int64_t *excess, struct weir_error *error)
{
    w->trials++;
    return weir_sizing_seeker_try(w->seeker, weir_box_low(w->box), keeps, excess, error);
}

/* Adds places where cuts miss them, until none does. *fast: they are all there. */
static enum weir_status speed_up(struct walk *w, bool *fast, struct weir_error *error)
{
    const struct weir_sizing_study *s = w->seeker->study;
    *fast = false;
    while (goes_on(w, TRIALS)) {
        uint32_t q;
        if (!weir_cuts_apply(s, &w->seeker->cuts, w->box, &q))
            return WEIR_OK;
        if (q != UINT32_MAX) {
            uint32_t low = ++weir_box_low(w->box)[q];
            weir_box_open(s, w->box)[q] = low < s->most[q];
            continue;
        }
        bool fine = false, added;
        w->trials++;
        enum weir_status status = weir_study_set(s, w->seeker->evaluator, weir_box_low(w->box), error);
        if (!status)
            status = weir_cuts_test(s, w->seeker->evaluator, &w->seeker->cuts, &fine, &added, error);
        *fast = fine;
        if (status || fine || !added)
            return status;
    }
    return WEIR_OK;
}

/* One place more or less where that brings latencies nearest to their limits; *any: there is such a step. */
static enum weir_status step(struct walk *w, int64_t *excess, bool *keeps, bool *any, struct weir_error *error)
{
    const struct weir_sizing_study *s = w->seeker->study;
    uint32_t *low = weir_box_low(w->box), best = 0, to = 0;
    int64_t nearest = *excess;
    *any = false;
    for (uint32_t q = 0; q < s->count && !*keeps && goes_on(w, TRIALS); q++) {
        uint32_t was = low[q];
        for (int up = 0; up < 2 && !*keeps; up++) {
            int64_t trial;
            if (up ? was >= s->most[q] : was <= s->least[q])
                continue;
            low[q] = up ? was + 1 : was - 1;
            enum weir_status status = try_here(w, keeps, &trial, error);
            if (status)
                return status;
            if (trial < nearest || *keeps) {
                nearest = trial;
                best = q;
                to = low[q];
                *any = true;
            }
        }
        low[q] = was;
    }
    if (*any)
        low[best] = to;
    *excess = nearest;
    return WEIR_OK;
}

/* Takes places away as long as the limits are kept, the dearest first. */
static enum weir_status shrink(struct walk *w, struct weir_error *error)
{
    const struct weir_sizing_study *s = w->seeker->study;
    uint32_t *low = weir_box_low(w->box);
    bool tried[WEIR_SIZING_QUEUES_MAX] = {false};
    for (uint32_t round = 0; round < s->count; round++) {
        uint32_t q = UINT32_MAX;
        for (uint32_t i = 0; i < s->count; i++)
            if (!tried[i] && (q == UINT32_MAX || s->weight[i] > s->weight[q]))
                q = i;
        tried[q] = true;
        for (bool keeps = true; keeps && low[q] > s->least[q] && goes_on(w, 2 * TRIALS);) {
            int64_t excess;
            low[q]--;
            enum weir_status status = try_here(w, &keeps, &excess, error);
            if (status)
                return status;
            low[q] += !keeps;
        }
    }
    return WEIR_OK;
}

/* From where the walk is. */
static enum weir_status wander(struct walk *w, struct weir_error *error)
{
    bool keeps, any = true;
    int64_t excess;
    enum weir_status status = try_here(w, &keeps, &excess, error);
    while (!status && !keeps && any && goes_on(w, TRIALS))
        status = step(w, &excess, &keeps, &any, error);
    return status || !keeps ? status : shrink(w, error);
}

/* The capacities of the model, where they are some that may be found. */
static bool go_to_model(struct walk *w)
{
    const struct weir_sizing_study *s = w->seeker->study;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t capacity = s->pipeline->queues[s->queue[i]].capacity;
        if (capacity < s->least[i] || capacity > s->most[i])
            return false;
        weir_box_low(w->box)[i] = capacity;
    }
    return true;
}

enum weir_status weir_sizing_seeker_begin(struct weir_sizing_seeker *k, struct weir_error *error)
{
    struct walk w = {.seeker = k, .box = weir_array_zeroed(1, weir_box_size(k->study))};
    bool fast;
    if (!w.box)
        return weir_fail_memory(error);
    weir_box_whole(k->study, w.box);
    enum weir_status status = speed_up(&w, &fast, error);
    if (!status && fast)
        status = wander(&w, error);
    w.trials = 0;
    if (!status && !k->best->found && go_to_model(&w))
        status = wander(&w, error);
    weir_free(w.box);
    return status;
}
