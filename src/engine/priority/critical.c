/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CIX: critical instants. Let t0 be the moment the processor last became busy with task i or its rivals before the end of
 * iteration n, and n0 the first iteration of i from then on; z = (latest enabling of n0) - t0 >= 0. What executes from t0 on was
 * enabled from t0 on. For rivals of the same graph that is a condition on their iterations, z being known; tasks of another graph
 * stand in a fixed relation to one another, so that the worst common phase counts. With the window W from t0,
 *
 *     finish_i - enable_i >= W(z, q) - z - (q - 1) P   for all z >= 0.
 *
 * W only grows with z where z lets one more iteration of a same-graph rival in: when its latest enabling is t0. So the z to look
 * at are 0 and (enable_i - enable_j) mod P + k P. Moreover (z + P, q) is covered by (z, q + 1): the window that begins at the same
 * t0, counts the iteration of i before n0 as well, and ends with the same n. That leaves z < P, and all q for which the window can
 * be part of one busy time of the processor; q <= repeat suffices here, too (window.h).
 *
 * With a sporadic source the iterations before n0 may have been as early as they like, so that no moment of enabling keeps those of
 * rivals out of a window. For (z, q) to cover (z + P, q - 1), (z + 2 P, q - 2), ... it must not keep out the first q - 1 from n0 on
 * either, which are before the n0 of one of them.
 *
 * No W(z, q) is longer than the window in which all rivals show all of their jitter: most q need not be looked at.
 */
#include "engine/priority/window.h"

struct instants {
    struct weir_priority_system *s;
    uint32_t task;
    uint32_t same; /* rivals of the same graph: those before this one */
    struct weir_window_interest interest;
    size_t offset_count;
    int64_t executions; /* q beyond this is not to be looked at */
    int64_t jitter;     /* the window of q executions in which all rivals show all of their jitter is not shorter */
    uint32_t *groups;   /* where the rivals of each periodic graph with several of them begin and end */
    size_t group_count;
};

/* The processor is busy with i and its rivals for no longer than this; WEIR_PRIORITY_FAR if that is beyond the limit. */
static bool busy_time(const struct instants *c, int64_t *longest)
{
    struct weir_priority_system *s = c->s;
    uint32_t i = c->task;
    int64_t worst = s->set->tasks[i].worst, jitter = s->enable[i] - s->enable_min[i], w = worst;
    int64_t most = 4 * (s->latency_limit + s->period[i]);
    weir_terms_fill(s, WEIR_PRIORITY_RULE_PJ0, i);
    for (size_t k = 0; k < s->term_count; k++)
        w += s->terms[k].cost;
    while (w <= most) {
        int64_t need = weir_ceil_divide(jitter + w, s->period[i]) * worst + weir_terms_sum(s, w, 1);
        if (weir_priority_spent(s))
            return false;
        if (need <= w) {
            *longest = w;
            return true;
        }
        w = need;
    }
    *longest = WEIR_PRIORITY_FAR;
    return true;
}

/* The z to look at, in order, none twice; no window of more executions is shorter than the one before. */
static void find_offsets(struct instants *c)
{
    struct weir_priority_system *s = c->s;
    int64_t period = s->period[c->task];
    size_t count = 1;
    s->offsets[0] = 0;
    for (uint32_t r = s->first[c->task]; r < c->same; r++) {
        int64_t offset = weir_split_of(s->enable[c->task] - s->enable[s->rivals[r].task], period).rest;
        size_t at = count;
        while (s->offsets[at - 1] > offset)
            at--;
        if (s->offsets[at - 1] == offset)
            continue;
        for (size_t k = count++; k > at; k--)
            s->offsets[k] = s->offsets[k - 1];
        s->offsets[at] = offset;
    }
    c->offset_count = count;
    for (size_t k = 0; k < count; k++)
        s->reached[k] = 0;
}

/* ---- tasks of another graph, together ---- */

static void find_groups(struct instants *c)
{
    struct weir_priority_system *s = c->s;
    const struct weir_task *tasks = s->set->tasks;
    c->groups = s->queue;
    c->group_count = 0;
    for (uint32_t r = c->same, end; r < s->lower[c->task]; r = end) {
        uint32_t graph = tasks[s->rivals[r].task].graph;
        for (end = r + 1; end < s->lower[c->task] && tasks[s->rivals[end].task].graph == graph;)
            end++;
        if (end - r < 2 || s->set->graphs[graph].sporadic)
            continue;
        c->groups[2 * c->group_count] = r;
        c->groups[2 * c->group_count++ + 1] = end;
        for (uint32_t k = r; k < end; k++) {
            uint32_t j = s->rivals[k].task;
            s->latest[k - s->first[c->task]] = weir_split_of(s->enable[j], s->period[j]);
            s->earliest[k - s->first[c->task]] = weir_split_of(s->enable_min[j], s->period[j]);
        }
    }
}

/* Executions of rival b in a window that begins with the latest enabling of rival a: ceil((w + enable_a - enable_min_b) / P) less
 * those that were enabled before it, ceil((enable_a - enable_b) / P). */
static inline int64_t count_led(const struct weir_split *latest, const struct weir_split *earliest, struct weir_split w,
                                int64_t period, int64_t lead)
{
    int64_t rest = w.rest + lead - earliest->rest;
    return w.periods + latest->periods - earliest->periods + (rest > 0) + (rest > period) - (lead > latest->rest);
}

/* What the tasks of a group can ask of a window of length w, with the latest enabling of one of them at its beginning; *leader gets
 * that one. */
static int64_t group_demand(const struct instants *c, size_t group, int64_t w, uint32_t *leader)
{
    struct weir_priority_system *s = c->s;
    uint32_t begin = c->groups[2 * group], count = c->groups[2 * group + 1] - begin;
    const struct weir_split *latest = s->latest + (begin - s->first[c->task]), *earliest = s->earliest + (latest - s->latest);
    int64_t most = 0, period = s->period[s->rivals[begin].task];
    struct weir_split split = weir_split_of(w, period);
    for (uint32_t a = 0; a < count; a++) {
        int64_t sum = 0;
        for (uint32_t b = 0; b < count; b++) {
            int64_t times = count_led(&latest[b], &earliest[b], split, period, latest[a].rest);
            sum += times > 0 ? times * s->set->tasks[s->rivals[begin + b].task].worst : 0;
        }
        if (sum > most) {
            most = sum;
            *leader = a;
        }
    }
    s->work += (uint64_t)count * count;
    return most;
}

/* ---- windows ---- */

/* Terms for the tasks that are in no group. */
static void fill(const struct instants *c, int64_t before)
{
    struct weir_priority_system *s = c->s;
    size_t group = 0;
    s->term_count = 0;
    s->clipping = false;
    s->turns = 0;
    for (uint32_t r = s->first[c->task]; r < c->same; r++)
        s->terms[s->term_count++] = weir_term_critical(s, c->task, r, before);
    for (uint32_t r = c->same; r < s->lower[c->task]; r++) {
        if (group < c->group_count && r == c->groups[2 * group])
            r = c->groups[2 * group++ + 1] - 1;
        else
            s->terms[s->term_count++] = weir_term_jitter(s, r);
    }
}

/* The least W for this z and q, or one beyond `most`, going up from *w. */
static bool close_window(const struct instants *c, int64_t q, int64_t most, int64_t *w)
{
    struct weir_priority_system *s = c->s;
    int64_t base = q * s->set->tasks[c->task].worst;
    uint32_t leader;
    s->windows++;
    while (*w <= most) {
        int64_t need = base + weir_terms_sum(s, *w, q);
        for (size_t group = 0; group < c->group_count; group++)
            need += group_demand(c, group, *w, &leader);
        if (need <= *w)
            return true;
        *w = need;
        if (weir_priority_spent(s))
            return false;
    }
    return true;
}

/* *cap: what no W(z, q) exceeds; WEIR_PRIORITY_FAR if that is far away. */
static bool jitter_window(struct instants *c, int64_t q, int64_t *cap)
{
    struct weir_priority_system *s = c->s;
    int64_t worst = s->set->tasks[c->task].worst, most = s->latency_limit + (q + 4) * s->period[c->task];
    weir_terms_fill(s, WEIR_PRIORITY_RULE_PJ0, c->task);
    c->jitter += worst;
    if (!weir_terms_close(s, q * worst, q, most, &c->jitter))
        return false;
    *cap = c->jitter > most ? WEIR_PRIORITY_FAR : c->jitter;
    return true;
}

/* All z for one q. */
static enum weir_window_end scan(struct instants *c, int64_t q, struct weir_window *window)
{
    struct weir_priority_system *s = c->s;
    int64_t period = s->period[c->task], most = weir_window_most(s, c->task, q, c->interest.below), cap;
    if (most == WEIR_PRIORITY_FAR || !jitter_window(c, q, &cap))
        return WEIR_WINDOW_WORK;
    for (size_t k = 0; k < c->offset_count; k++) {
        int64_t z = s->offsets[k], known = window->duration > c->interest.above ? window->duration : c->interest.above;
        if (cap - z - (q - 1) * period <= known)
            break;
        int64_t *w = &s->reached[k], least = q * s->set->tasks[c->task].worst;
        *w = *w < least ? least : *w;
        fill(c, z);
        if (!close_window(c, q, most + z, w))
            return WEIR_WINDOW_WORK;
        if (*w > most + z)
            return WEIR_WINDOW_BEYOND;
        int64_t duration = *w - z - (q - 1) * period;
        if (duration > window->duration)
            *window = (struct weir_window){
                .iterations = q, .length = *w - z, .duration = duration, .before = z, .by = WEIR_PRIORITY_RULE_CIX};
    }
    return WEIR_WINDOW_FOUND;
}

static struct instants begin(struct weir_priority_system *s, uint32_t i, struct weir_window_interest interest)
{
    struct instants c = {.s = s, .task = i, .same = s->first[i], .interest = interest, .executions = s->repeat[i]};
    while (c.same < s->lower[i] && s->rivals[c.same].same)
        c.same++;
    find_groups(&c);
    return c;
}

enum weir_window_end weir_window_critical(struct weir_priority_system *s, uint32_t i, struct weir_window_interest interest,
                                          struct weir_window *window)
{
    struct instants c = begin(s, i, interest);
    int64_t busy = WEIR_PRIORITY_FAR;
    *window = (struct weir_window){.by = WEIR_PRIORITY_RULE_CIX};
    if (c.executions > 1 && !busy_time(&c, &busy))
        return WEIR_WINDOW_WORK;
    if (busy < WEIR_PRIORITY_FAR) {
        int64_t most = weir_ceil_divide(busy + s->enable[i] - s->enable_min[i], s->period[i]);
        c.executions = most < c.executions ? most : c.executions;
    }
    find_offsets(&c);
    enum weir_window_end end = c.executions < WEIR_PRIORITY_FAR ? WEIR_WINDOW_FOUND : WEIR_WINDOW_BEYOND;
    for (int64_t q = 1; q <= c.executions && end == WEIR_WINDOW_FOUND; q++)
        end = scan(&c, q, window);
    return end;
}

void weir_critical_counts(struct weir_priority_system *s, uint32_t i, const struct weir_window *window, int64_t *counts)
{
    struct instants c = begin(s, i, (struct weir_window_interest){0, WEIR_PRIORITY_FAR});
    int64_t w = window->length + window->before;
    fill(&c, window->before);
    for (size_t k = 0; k < s->term_count; k++)
        counts[s->terms[k].rival - s->first[i]] =
            weir_term_count(&s->terms[k], weir_split_of(w, s->terms[k].period), window->iterations);
    for (size_t group = 0; group < c.group_count; group++) {
        uint32_t first = c.groups[2 * group] - s->first[i], leader = 0;
        int64_t period = s->period[s->rivals[c.groups[2 * group]].task];
        group_demand(&c, group, w, &leader);
        for (uint32_t k = first; k < c.groups[2 * group + 1] - s->first[i]; k++) {
            int64_t count =
                count_led(&s->latest[k], &s->earliest[k], weir_split_of(w, period), period, s->latest[first + leader].rest);
            counts[k] = count > 0 ? count : 0;
        }
    }
}
