/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CIX: critical instants. Let t0 be the moment the processor last became busy with task i or its rivals before the end of
 * iteration n, and n0 the first iteration of i from then on; z = (latest enabling of n0) - t0 >= 0. What executes from t0 on was
 * enabled from t0 on. For rivals of the same graph that is a condition on their iterations, z being known; tasks of another graph
 * stand in a fixed relation to one another, so that the worst common phase counts. With the window W from t0,
 *
 *     finish_i - enable_i >= W(z, q) - z - (q - 1) P   for all z >= 0.
 *
 * W only grows with z where z lets one more iteration of a same-graph rival in: when its latest enabling is t0. And W(z + H) <=
 * W(z) + H for a common multiple H of all periods, for the same reason as with q (window.h). So the z to look at are 0 and
 * (enable_i - enable_j) mod P + k P, below H and below the longest time the processor can be busy in a row. That also tells how
 * many executions of i there can be. Where no rival is as urgent as i, none waits when an execution ends, which may then count as
 * a new t0: q is large enough once all W(z, q) - z <= q P.
 *
 * No W(z, q) is longer than the window in which all rivals show all of their jitter: most z need not be looked at.
 */
#include "priority/window.h"

struct instants {
    struct weir_priority_system *s;
    uint32_t task;
    uint32_t same; /* rivals of the same graph: those before this one */
    bool equals;   /* some rival is as urgent as the task */
    struct weir_window_interest interest;
    size_t offset_count;
    bool zero_only_first; /* offset 0 is no rival's */
    int64_t longest;      /* z beyond this is not to be looked at */
    int64_t executions;   /* q neither */
    int64_t jitter;       /* the window of q executions in which all rivals show all of their jitter */
    uint32_t *groups;     /* where the rivals of each periodic graph with several of them begin and end */
    size_t group_count;
};

/* The processor is busy with i and its rivals for no longer than this; WEIR_PRIORITY_FAR if that is beyond the limit. */
static bool busy_time(const struct instants *c, int64_t *longest)
{
    struct weir_priority_system *s = c->s;
    uint32_t i = c->task;
    int64_t worst = s->set->tasks[i].worst, jitter = s->enable[i] - s->enable_min[i], w = worst;
    int64_t most = s->latency_limit + 4 * s->period[i];
    weir_terms_fill(s, WEIR_PRIORITY_RULE_PJ0, i);
    for (size_t k = 0; k < s->term_count; k++)
        w += s->terms[k].cost;
    while (w <= most) {
        int64_t need = weir_ceil_divide(jitter + w, s->period[i]) * worst + weir_terms_sum(s, w, 1);
        if (++s->work > s->work_limit)
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

/* Where z begins within a period, in order, none twice. */
static void find_offsets(struct instants *c)
{
    struct weir_priority_system *s = c->s;
    int64_t period = s->period[c->task];
    size_t count = 1;
    s->offsets[0] = 0;
    c->zero_only_first = true;
    for (uint32_t r = s->first[c->task]; r < c->same; r++) {
        int64_t offset = weir_split_of(s->enable[c->task] - s->enable[s->rivals[r].task], period).rest;
        size_t at = count;
        if (offset == 0) {
            c->zero_only_first = false;
            continue;
        }
        while (s->offsets[at - 1] > offset)
            at--;
        if (s->offsets[at - 1] == offset)
            continue;
        for (size_t k = count++; k > at; k--)
            s->offsets[k] = s->offsets[k - 1];
        s->offsets[at] = offset;
    }
    c->offset_count = count;
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
    return w.turns + latest->turns - earliest->turns + (rest > 0) + (rest > period) - (lead > latest->rest);
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

/* Terms for everyone who is in no group. */
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

/* The least W for this z and q, or one beyond `most`. */
static bool close_window(const struct instants *c, int64_t q, int64_t most, int64_t *w)
{
    struct weir_priority_system *s = c->s;
    int64_t base = q * s->set->tasks[c->task].worst;
    uint32_t leader;
    s->windows++;
    *w = base;
    while (*w <= most) {
        int64_t need = base + weir_terms_sum(s, *w, q);
        for (size_t group = 0; group < c->group_count; group++)
            need += group_demand(c, group, *w, &leader);
        if (need <= *w)
            return true;
        *w = need;
        if (++s->work > s->work_limit)
            return false;
    }
    return true;
}

/* One more execution makes the window longer by its time at least. WEIR_PRIORITY_FAR: beyond `most`. */
static bool jitter_window(struct instants *c, int64_t q, int64_t most)
{
    struct weir_priority_system *s = c->s;
    int64_t worst = s->set->tasks[c->task].worst;
    if (c->jitter == WEIR_PRIORITY_FAR)
        return true;
    weir_terms_fill(s, WEIR_PRIORITY_RULE_PJ0, c->task);
    c->jitter += worst;
    if (!weir_terms_close(s, q * worst, q, most, &c->jitter))
        return false;
    if (c->jitter > most)
        c->jitter = WEIR_PRIORITY_FAR;
    return true;
}

/* All z for one q. *longest becomes what no W - z exceeds. */
static enum weir_window_end scan(struct instants *c, int64_t q, struct weir_window *window, int64_t *longest)
{
    struct weir_priority_system *s = c->s;
    int64_t period = s->period[c->task], most = weir_window_most(s, c->task, q, c->interest.below);
    bool alone = c->zero_only_first && c->offset_count == 1; /* no rival of the same graph: z = 0 */
    *longest = 0;
    if (most == WEIR_PRIORITY_FAR || !jitter_window(c, q, s->latency_limit + q * period))
        return WEIR_WINDOW_WORK;
    for (int64_t turn = 0; turn == 0 || !alone; turn += period)
        for (size_t k = turn > 0 && c->zero_only_first; k < c->offset_count; k++) {
            int64_t z = turn + s->offsets[k], w;
            int64_t known = window->duration > c->interest.above ? window->duration : c->interest.above;
            if (z > c->longest)
                return WEIR_WINDOW_FOUND;
            if (c->jitter - z - (q - 1) * period <= known) {
                *longest = c->jitter - z > *longest ? c->jitter - z : *longest;
                return WEIR_WINDOW_FOUND;
            }
            fill(c, z);
            if (!close_window(c, q, most + z, &w))
                return WEIR_WINDOW_WORK;
            if (w > most + z)
                return WEIR_WINDOW_BEYOND;
            *longest = w - z > *longest ? w - z : *longest;
            int64_t duration = w - z - (q - 1) * period;
            if (duration > window->duration)
                *window = (struct weir_window){
                    .iterations = q, .length = w - z, .duration = duration, .before = z, .by = WEIR_PRIORITY_RULE_CIX};
        }
    return WEIR_WINDOW_FOUND;
}

static struct instants begin(struct weir_priority_system *s, uint32_t i, struct weir_window_interest interest)
{
    struct instants c = {
        .s = s, .task = i, .same = s->first[i], .interest = interest, .longest = WEIR_PRIORITY_FAR, .executions = s->repeat[i]};
    for (uint32_t r = s->first[i]; r < s->lower[i]; r++) {
        c.same += s->rivals[r].same;
        c.equals = c.equals || s->set->tasks[s->rivals[r].task].priority == s->set->tasks[i].priority;
    }
    if (s->repeat[i] < WEIR_TIME_MAX / s->period[i])
        c.longest = s->repeat[i] * s->period[i] - 1;
    find_groups(&c);
    return c;
}

/* How far z and q have to go where they do not repeat soon. */
static enum weir_window_end measure(struct instants *c)
{
    struct weir_priority_system *s = c->s;
    uint32_t i = c->task;
    int64_t busy;
    if (!busy_time(c, &busy))
        return WEIR_WINDOW_WORK;
    if (busy == WEIR_PRIORITY_FAR)
        return c->longest == WEIR_PRIORITY_FAR ? WEIR_WINDOW_BEYOND : WEIR_WINDOW_FOUND;
    int64_t most = weir_ceil_divide(busy + s->enable[i] - s->enable_min[i], s->period[i]);
    c->longest = busy < c->longest ? busy : c->longest;
    c->executions = most < c->executions ? most : c->executions;
    return WEIR_WINDOW_FOUND;
}

enum weir_window_end weir_window_critical(struct weir_priority_system *s, uint32_t i, struct weir_window_interest interest,
                                          struct weir_window *window)
{
    struct instants c = begin(s, i, interest);
    enum weir_window_end end = c.executions > 1 ? measure(&c) : WEIR_WINDOW_FOUND;
    *window = (struct weir_window){.by = WEIR_PRIORITY_RULE_CIX};
    find_offsets(&c);
    for (int64_t q = 1, longest; q <= c.executions && end == WEIR_WINDOW_FOUND; q++) {
        end = scan(&c, q, window, &longest);
        if (!c.equals && longest <= q * s->period[i])
            break;
    }
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
