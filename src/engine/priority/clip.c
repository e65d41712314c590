/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EIC: executions that are over by y after the beginning of the window took at most y of it, all of them together. So, in the order
 * of these y, what they take is  T = min(T + cost, y).  Which are counted changes with the window, their order does not. Those that
 * may end late are not worth looking at one by one: from three periods on they are counted in full.
 */
#include "engine/priority/window.h"

#define PERIODS 3

static void insert(struct weir_priority_system *s, struct weir_clip clip)
{
    size_t at = s->clip_count++;
    for (; at > 0 && s->clips[at - 1].end > clip.end; at--)
        s->clips[at] = s->clips[at - 1];
    s->clips[at] = clip;
    s->work += s->clip_count - at;
}

void weir_clips_fill(struct weir_priority_system *s, uint32_t i)
{
    bool sporadic = s->set->graphs[s->set->tasks[i].graph].sporadic;
    s->clip_count = 0;
    s->clipping = true;
    for (size_t k = 0; k < s->term_count; k++) {
        struct weir_term *term = &s->terms[k];
        uint32_t j = s->rivals[term->rival].task;
        if (!s->rivals[term->rival].same)
            continue;
        int64_t number = -term->extra, end = s->finish[j] + number * term->period - s->enable[i];
        /* A sporadic source may be late with what comes after, and then it ends later. */
        for (; end < PERIODS * term->period && !(sporadic && number > 0); number++, end += term->period)
            insert(s, (struct weir_clip){.end = end, .number = number, .cost = term->cost, .term = (uint32_t)k});
        term->plain = number;
    }
}

int64_t weir_clips_take(struct weir_priority_system *s, int64_t w, int64_t q)
{
    int64_t sum = 0, taken = 0, period = 0;
    struct weir_split split = {0, 0};
    for (size_t k = 0; k < s->term_count; k++) {
        const struct weir_term *term = &s->terms[k];
        if (term->period != period) {
            period = term->period;
            split = weir_split_of(w, period);
        }
        int64_t count = weir_term_count(term, split, q);
        if (s->rivals[term->rival].same) {
            s->ups[k] = count - term->extra; /* where none is counted, nothing before the first is */
            count = s->ups[k] > term->plain ? s->ups[k] - term->plain : 0;
        }
        sum += count * term->cost;
    }
    for (size_t k = 0; k < s->clip_count; k++) {
        const struct weir_clip *clip = &s->clips[k];
        if (clip->number >= s->ups[clip->term])
            continue;
        taken += clip->cost;
        taken = taken > clip->end ? clip->end : taken;
    }
    s->work += s->term_count + s->clip_count;
    return sum + taken;
}
