/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a rival j of task i executes in a window that begins with the latest enabling of iteration n0 of i and lasts w. Its
 * iteration n0 + m does only if
 *
 *     finish_j + m P > enable_i                 it is not over before the window begins
 *     enable_min_j + m P < enable_i + w         it is enabled before the window ends
 *     m < D + q - 1                             the last of the q executions, which it would need, is not over before that
 *
 * With a sporadic source, iterations before n0 are as early and those after it as late as they like: the first condition then tells
 * nothing about m > 0, the second nothing about m < 0. Rivals of another graph stand in no relation to n0, so that only the length
 * from enable_min_j to finish_j counts. Without preemption a rival that is enabled at the very end of the wait goes first, too; for
 * those of another graph that makes no difference, as no more than ceil(x) of their moments lie in a window of x periods that is
 * open at one end.
 */
#include "engine/priority/window.h"

#define WORK_BETWEEN_REPORTS (UINT64_C(1) << 22)

static bool sporadic(const struct weir_priority_system *s, uint32_t task)
{
    return s->set->graphs[s->set->tasks[task].graph].sporadic;
}

static struct weir_term term_of(const struct weir_priority_system *s, uint32_t rival)
{
    uint32_t j = s->rivals[rival].task;
    return (struct weir_term){.period = s->period[j],
                              .least = -WEIR_PRIORITY_FAR,
                              .cap = WEIR_PRIORITY_FAR,
                              .cost = s->set->tasks[j].worst,
                              .slot = s->set->tasks[j].slot,
                              .rival = rival};
}

struct weir_term weir_term_jitter(const struct weir_priority_system *s, uint32_t rival)
{
    struct weir_term term = term_of(s, rival);
    uint32_t j = s->rivals[rival].task;
    term.ahead = weir_split_of(s->enable[j] - s->enable_min[j], term.period);
    return term;
}

static struct weir_term term_interval(const struct weir_priority_system *s, uint32_t i, uint32_t rival)
{
    bool late = s->sharing[i] == WEIR_NONPREEMPTIVE;
    struct weir_term term = term_of(s, rival);
    uint32_t j = s->rivals[rival].task;
    if (!s->rivals[rival].same) {
        term.ahead = weir_split_of(s->finish[j] - s->enable_min[j], term.period);
        return term;
    }
    int64_t earlier = weir_ceil_divide(s->finish[j] - s->enable[i], term.period);
    if (sporadic(s, i)) {
        earlier = earlier > 0 ? earlier : 0;
        term.least = 0;
    }
    term.ahead = weir_split_of(s->enable[i] - s->enable_min[j] + late, term.period);
    term.cap = s->rivals[rival].distance;
    term.extra = earlier - 1;
    return term;
}

struct weir_term weir_term_critical(const struct weir_priority_system *s, uint32_t i, uint32_t rival, int64_t before)
{
    struct weir_term term = term_of(s, rival);
    uint32_t j = s->rivals[rival].task;
    int64_t begin = s->enable[i] - before, first = weir_ceil_divide(begin - s->enable[j], term.period);
    if (sporadic(s, i)) {
        first = first < 1 ? first : 1;
        term.least = 0;
        term.grows = true;
    }
    term.ahead = weir_split_of(begin - s->enable_min[j], term.period);
    term.cap = s->rivals[rival].distance;
    term.extra = -first;
    return term;
}

static struct weir_term term_published(const struct weir_priority_system *s, uint32_t rival)
{
    struct weir_term term = weir_term_jitter(s, rival);
    const struct weir_rival *r = &s->rivals[rival];
    if (r->same && r->distance < WEIR_PRIORITY_FAR && r->back < WEIR_PRIORITY_FAR)
        term.cap = r->distance + r->back - 1;
    return term;
}

/* ---- clips ---- */

/*
 * EIC: executions that are over by y after the beginning of the window took at most y of it, all of them together. So, in the order
 * of these y, what they take is  T = min(T + cost, y).  Which are counted changes with the window, their order does not. Those that
 * may end late are not worth looking at one by one: from three periods on they are counted in full.
 */
#define PERIODS 3

static void insert(struct weir_priority_system *s, struct weir_clip clip)
{
    size_t at = s->clip_count++;
    for (; at > 0 && s->clips[at - 1].end > clip.end; at--)
        s->clips[at] = s->clips[at - 1];
    s->clips[at] = clip;
    s->work += s->clip_count - at;
}

static void fill_clips(struct weir_priority_system *s, uint32_t i)
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

static int64_t take_clips(struct weir_priority_system *s, int64_t w, int64_t q)
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

void weir_terms_fill(struct weir_priority_system *s, enum weir_priority_rule rule, uint32_t i)
{
    bool preemptive = s->sharing[i] == WEIR_PREEMPTIVE;
    s->term_count = 0;
    s->clipping = false;
    s->turns = 0;
    for (uint32_t r = s->first[i]; r < s->lower[i]; r++) {
        struct weir_term *term = &s->terms[s->term_count++];
        if (preemptive && rule == WEIR_PRIORITY_RULE_PJ0)
            *term = weir_term_jitter(s, r);
        else if (preemptive && rule == WEIR_PRIORITY_RULE_PJ)
            *term = term_published(s, r);
        else
            *term = term_interval(s, i, r);
    }
    if (preemptive && rule == WEIR_PRIORITY_RULE_EIC)
        fill_clips(s, i);
}

int64_t weir_terms_sum(struct weir_priority_system *s, int64_t w, int64_t q)
{
    int64_t sum = 0, period = 0;
    struct weir_split split = {0, 0};
    if (s->clipping)
        return take_clips(s, w, q);
    for (size_t k = 0; k < s->term_count; k++) {
        const struct weir_term *term = &s->terms[k];
        if (term->period != period) { /* rivals of one graph stand together */
            period = term->period;
            split = weir_split_of(w, period);
        }
        int64_t one = weir_term_count(term, split, q) * term->cost;
        if (s->turns > 0 && s->turns <= one / term->slot)
            one = s->turns * term->slot;
        sum += one;
    }
    s->work += s->term_count;
    return sum;
}

bool weir_terms_close(struct weir_priority_system *s, int64_t base, int64_t q, int64_t most, int64_t *w)
{
    s->windows++;
    if (s->work >= s->report_at) {
        s->report_at = s->work + WORK_BETWEEN_REPORTS;
        s->progress(s->context, s->work < s->work_limit ? (unsigned)((weir_wide)s->work * 1000 / s->work_limit) : 1000);
    }
    while (*w <= most) {
        int64_t need = base + weir_terms_sum(s, *w, q);
        if (need <= *w)
            return true;
        *w = need;
        if (weir_priority_spent(s))
            return false;
    }
    return true;
}
