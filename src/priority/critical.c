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
 * (enable_i - enable_j) mod P + k P, below H and below the longest time the processor can be busy in a row.
 */
#include "priority/window.h"

struct instants {
    struct weir_priority_system *s;
    uint32_t task;
    uint32_t same; /* rivals of the same graph: those before this one */
    size_t offset_count;
    bool zero_only_first; /* offset 0 is no rival's */
    int64_t longest;      /* z beyond this is not to be looked at */
    int64_t executions;   /* q neither */
};

/* The processor is busy with i and its rivals for no longer than this; WEIR_PRIORITY_FAR if that is beyond the limit. */
static bool busy_time(const struct instants *c, int64_t *longest)
{
    struct weir_priority_system *s = c->s;
    uint32_t i = c->task;
    int64_t worst = s->set->tasks[i].worst, jitter = s->enable[i] - s->enable_min[i], w = worst;
    int64_t most = s->latency_limit + 4 * s->period[i];
    s->term_count = 0;
    for (uint32_t r = s->first[i]; r < s->lower[i]; r++) {
        s->terms[s->term_count] = weir_term_jitter(s, r);
        w += s->terms[s->term_count++].cost;
    }
    while (w <= most) {
        int64_t need = weir_ceil_divide(jitter + w, s->period[i]) * worst;
        for (size_t k = 0; k < s->term_count; k++)
            need += weir_term_count(&s->terms[k], w, 1) * s->terms[k].cost;
        s->work += s->term_count + 1;
        if (s->work > s->work_limit)
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
        int64_t offset = (s->enable[c->task] - s->enable[s->rivals[r].task]) % period;
        offset += offset < 0 ? period : 0;
        if (offset == 0) {
            c->zero_only_first = false;
            continue;
        }
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
}

/* What tasks of one other graph can ask of a window of length w: rivals from r to `end`, with the latest enabling of one of them
 * at its beginning; *leader gets that one. */
static int64_t graph_demand(struct weir_priority_system *s, uint32_t r, uint32_t end, int64_t w, uint32_t *leader)
{
    int64_t most = 0, period = s->period[s->rivals[r].task];
    for (uint32_t a = r; a < end; a++) {
        int64_t phase = s->enable[s->rivals[a].task], sum = 0;
        for (uint32_t b = r; b < end; b++) {
            uint32_t j = s->rivals[b].task;
            int64_t count = weir_ceil_divide(w + phase - s->enable_min[j], period) - weir_ceil_divide(phase - s->enable[j], period);
            sum += count > 0 ? count * s->set->tasks[j].worst : 0;
        }
        if (sum > most) {
            most = sum;
            *leader = a;
        }
    }
    s->work += (uint64_t)(end - r) * (end - r);
    return most;
}

static uint32_t end_of_graph(const struct weir_priority_system *s, uint32_t r, uint32_t end)
{
    uint32_t graph = s->set->tasks[s->rivals[r].task].graph;
    while (r < end && s->set->tasks[s->rivals[r].task].graph == graph)
        r++;
    return r;
}

static bool together(const struct weir_priority_system *s, uint32_t r, uint32_t end)
{
    return end - r > 1 && !s->set->graphs[s->set->tasks[s->rivals[r].task].graph].sporadic;
}

/* Terms for everyone but the graphs whose tasks are looked at together; their rivals are left to graph_demand. */
static void fill(const struct instants *c, int64_t before)
{
    struct weir_priority_system *s = c->s;
    s->term_count = 0;
    s->clipping = false;
    s->turns = 0;
    for (uint32_t r = s->first[c->task]; r < c->same; r++)
        s->terms[s->term_count++] = weir_term_critical(s, c->task, r, before);
    for (uint32_t r = c->same, end; r < s->lower[c->task]; r = end) {
        end = end_of_graph(s, r, s->lower[c->task]);
        for (uint32_t k = r; k < end && !together(s, r, end); k++)
            s->terms[s->term_count++] = weir_term_jitter(s, k);
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
        int64_t need = base;
        for (size_t k = 0; k < s->term_count; k++)
            need += weir_term_count(&s->terms[k], *w, q) * s->terms[k].cost;
        for (uint32_t r = c->same, end; r < s->lower[c->task]; r = end) {
            end = end_of_graph(s, r, s->lower[c->task]);
            if (together(s, r, end))
                need += graph_demand(s, r, end, *w, &leader);
        }
        if (need <= *w)
            return true;
        *w = need;
        s->work += s->term_count + 1;
        if (s->work > s->work_limit)
            return false;
    }
    return true;
}

/* No window of q executions is longer than what jitter alone allows; WEIR_PRIORITY_FAR if that is beyond `most`. */
static bool jitter_window(const struct instants *c, int64_t q, int64_t most, int64_t *w)
{
    struct weir_priority_system *s = c->s;
    weir_terms_fill(s, WEIR_PRIORITY_RULE_PJ0, c->task);
    if (!weir_terms_close(s, q * s->set->tasks[c->task].worst, q, most, w))
        return false;
    if (*w > most)
        *w = WEIR_PRIORITY_FAR;
    return true;
}

/* All z for one q. */
static enum weir_window_end scan(const struct instants *c, int64_t q, int64_t enough, struct weir_window *window)
{
    struct weir_priority_system *s = c->s;
    int64_t period = s->period[c->task], most = weir_window_most(s, c->task, q), cap;
    if (most == WEIR_PRIORITY_FAR || !jitter_window(c, q, most, &cap))
        return WEIR_WINDOW_WORK;
    bool alone = c->zero_only_first && c->offset_count == 1; /* no rival of the same graph: z = 0 */
    for (int64_t turn = 0; turn == 0 || !alone; turn += period)
        for (size_t k = turn > 0 && c->zero_only_first; k < c->offset_count; k++) {
            int64_t z = turn + s->offsets[k], w;
            if (z > c->longest || (window->iterations > 0 && cap - z - (q - 1) * period <= window->duration))
                return WEIR_WINDOW_FOUND;
            fill(c, z);
            if (!close_window(c, q, most + z, &w))
                return WEIR_WINDOW_WORK;
            if (w > most + z)
                return WEIR_WINDOW_BEYOND;
            int64_t duration = w - z - (q - 1) * period;
            if (window->iterations == 0 || duration > window->duration)
                *window = (struct weir_window){
                    .iterations = q, .length = w - z, .duration = duration, .before = z, .by = WEIR_PRIORITY_RULE_CIX};
            if (duration >= enough)
                return WEIR_WINDOW_FOUND;
        }
    return WEIR_WINDOW_FOUND;
}

static struct instants begin(struct weir_priority_system *s, uint32_t i)
{
    struct instants c = {.s = s, .task = i, .same = s->first[i], .longest = WEIR_PRIORITY_FAR, .executions = s->repeat[i]};
    while (c.same < s->lower[i] && s->rivals[c.same].same)
        c.same++;
    if (s->repeat[i] < WEIR_TIME_MAX / s->period[i])
        c.longest = s->repeat[i] * s->period[i] - 1;
    return c;
}

enum weir_window_end weir_window_critical(struct weir_priority_system *s, uint32_t i, int64_t enough, bool *worse,
                                          struct weir_window *window)
{
    struct instants c = begin(s, i);
    *worse = false;
    *window = (struct weir_window){.by = WEIR_PRIORITY_RULE_CIX};
    if (c.executions > 1) {
        int64_t busy;
        if (!busy_time(&c, &busy))
            return WEIR_WINDOW_WORK;
        if (busy == WEIR_PRIORITY_FAR && c.longest == WEIR_PRIORITY_FAR)
            return WEIR_WINDOW_BEYOND;
        if (busy < WEIR_PRIORITY_FAR) {
            int64_t most = weir_ceil_divide(busy + s->enable[i] - s->enable_min[i], s->period[i]);
            c.longest = busy < c.longest ? busy : c.longest;
            c.executions = most < c.executions ? most : c.executions;
        }
    }
    find_offsets(&c);
    for (int64_t q = 1; q <= c.executions; q++) {
        enum weir_window_end end = scan(&c, q, enough, window);
        if (end != WEIR_WINDOW_FOUND)
            return end;
        if (window->duration >= enough) {
            *worse = true;
            return WEIR_WINDOW_FOUND;
        }
    }
    return WEIR_WINDOW_FOUND;
}

void weir_critical_counts(struct weir_priority_system *s, uint32_t i, const struct weir_window *window, int64_t *counts)
{
    struct instants c = begin(s, i);
    int64_t w = window->length + window->before;
    fill(&c, window->before);
    for (size_t k = 0; k < s->term_count; k++)
        counts[s->terms[k].rival - s->first[i]] = weir_term_count(&s->terms[k], w, window->iterations);
    for (uint32_t r = c.same, end; r < s->lower[i]; r = end) {
        uint32_t leader = r;
        end = end_of_graph(s, r, s->lower[i]);
        if (!together(s, r, end))
            continue;
        graph_demand(s, r, end, w, &leader);
        int64_t phase = s->enable[s->rivals[leader].task];
        for (uint32_t k = r; k < end; k++) {
            uint32_t j = s->rivals[k].task;
            int64_t count =
                weir_ceil_divide(w + phase - s->enable_min[j], s->period[j]) - weir_ceil_divide(phase - s->enable[j], s->period[j]);
            counts[k - s->first[i]] = count > 0 ? count : 0;
        }
    }
}
