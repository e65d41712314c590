/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/priority/level.h"

/* A less urgent task l that began before the latest enabling of iteration n0 of i and is not over then: some iteration n0 + m with
 * enable_min_l + m P < enable_i < finish_l + m P and m < D, as it needs iteration n0 + m - D of i, which is not over if it is n0
 * or a later one. Where i can be enabled in the middle of a moment, l can also have begun in that very moment. */
static bool straddles(const struct weir_priority_system *s, uint32_t i, const struct weir_rival *rival)
{
    uint32_t l = rival->task;
    if (!rival->same)
        return true;
    int64_t period = s->period[i], first = weir_floor_divide(s->enable[i] - s->finish[l], period) + 1;
    int64_t end = weir_ceil_divide(s->enable[i] - s->enable_min[l] + s->ready_late[i], period);
    if (s->set->graphs[s->set->tasks[i].graph].sporadic) {
        first = first < 1 ? first : 1;
        end = end > 0 ? end : 0;
    }
    return first < (end < rival->distance ? end : rival->distance);
}

/* What a less urgent task may still have to do when a task without preemption is enabled; *dominant: its rival, or UINT32_MAX. */
static int64_t blocking(const struct weir_priority_system *s, uint32_t i, uint32_t *dominant)
{
    int64_t longest = 0;
    *dominant = UINT32_MAX;
    for (uint32_t r = s->lower[i]; r < s->first[i + 1]; r++) {
        int64_t time = s->set->tasks[s->rivals[r].task].worst;
        if (time > longest && straddles(s, i, &s->rivals[r])) {
            longest = time;
            *dominant = r;
        }
    }
    return longest;
}

/* Keeps the window if its executions end later than those of the longest so far. */
static void keep(struct weir_window *window, int64_t q, int64_t length, int64_t period)
{
    int64_t duration = length - (q - 1) * period;
    if (window->iterations > 0 && duration <= window->duration)
        return;
    window->iterations = q;
    window->length = length;
    window->duration = duration;
}

#define TURNS_TRIED 64

/* Turns of round robin are not shared out by periods, so that with them q = repeat is no reason to stop. Most often windows end
 * before long all the same; if not, they are looked at without turns, which makes them no shorter. */
static bool enough(struct weir_priority_system *s, uint32_t i, int64_t *q, struct weir_window *window)
{
    if (*q < s->repeat[i] || (s->turns > 0 && *q < TURNS_TRIED))
        return false;
    if (s->turns == 0)
        return true;
    s->turns = 0;
    *q = 0;
    window->iterations = 0;
    return false;
}

/* Windows for which the terms are filled. One more execution makes them longer by its time at least, so that each begins where the
 * one before ended. */
static enum weir_window_end counted(struct weir_priority_system *s, enum weir_priority_rule rule, uint32_t i, int64_t below,
                                    struct weir_window *window)
{
    const struct weir_task *task = &s->set->tasks[i];
    bool whole = s->sharing[i] == WEIR_NONPREEMPTIVE; /* once begun, an execution is not interrupted */
    bool turns = s->sharing[i] == WEIR_ROUND_ROBIN;
    uint32_t dominant;
    int64_t period = s->period[i], tail = whole ? task->worst : 0, w = 0;
    int64_t before = whole ? blocking(s, i, &dominant) - tail : 0;
    *window = (struct weir_window){.by = rule};
    for (int64_t q = 1;; q++) {
        int64_t most = weir_window_most(s, i, q, below);
        if (most == WEIR_PRIORITY_FAR)
            return WEIR_WINDOW_WORK;
        if (turns)
            s->turns = weir_ceil_divide(q * task->worst, task->slot);
        w = q == 1 ? before + task->worst : w + task->worst;
        if (!weir_terms_close(s, before + q * task->worst, q, most - tail, &w))
            return WEIR_WINDOW_WORK;
        if (w + tail > most)
            return WEIR_WINDOW_BEYOND;
        keep(window, q, w + tail, period);
        if (w + tail <= q * period || enough(s, i, &q, window))
            return WEIR_WINDOW_FOUND;
        turns = s->turns > 0;
    }
}

/* A slot of S in every frame of F: x units of work take x and, before each of the ceil(x / S) slots they need, all that is not
 * the slot, at most. With g = gcd(C, S), ceil(q C / S) <= (q C + S - g) / S, so that from q on w(q) - (q - 1) P is at most
 * P + ((S - g) (F - S) - q (S P - C F)) / S: no need to look further once that is not more than what was found. */
static bool no_more(const struct weir_priority_system *s, uint32_t i, int64_t q, int64_t duration)
{
    const struct weir_task *task = &s->set->tasks[i];
    weir_wide slot = task->slot, frame = s->set->processors[task->processor].frame, period = s->period[i], fall;
    int64_t g = task->slot;
    for (int64_t rest = task->worst; rest;) {
        int64_t less = g % rest;
        g = rest;
        rest = less;
    }
    if (__builtin_mul_overflow((weir_wide)q, slot * period - task->worst * frame, &fall))
        return true;
    return slot * (period - duration) + (slot - g) * (frame - slot) <= fall;
}

static enum weir_window_end slots(struct weir_priority_system *s, uint32_t i, int64_t below, struct weir_window *window)
{
    const struct weir_task *task = &s->set->tasks[i];
    int64_t others = s->set->processors[task->processor].frame - task->slot;
    *window = (struct weir_window){.by = WEIR_PRIORITY_RULE_EI};
    s->windows++;
    for (int64_t q = 1;; q++) {
        int64_t most = weir_window_most(s, i, q, below), work = q * task->worst;
        if (most == WEIR_PRIORITY_FAR || weir_priority_spent(s))
            return WEIR_WINDOW_WORK;
        weir_wide length = (weir_wide)weir_ceil_divide(work, task->slot) * others + work;
        if (length > most)
            return WEIR_WINDOW_BEYOND;
        keep(window, q, (int64_t)length, s->period[i]);
        if (length <= (weir_wide)q * s->period[i] || no_more(s, i, q + 1, window->duration))
            return WEIR_WINDOW_FOUND;
    }
}

/* The smaller of what two rules find. The second is tried only where it can matter. */
static enum weir_window_end best(struct weir_priority_system *s, uint32_t i, struct weir_window_interest interest,
                                 struct weir_window *window)
{
    struct weir_window other;
    weir_terms_fill(s, WEIR_PRIORITY_RULE_EIC, i);
    enum weir_window_end end = counted(s, WEIR_PRIORITY_RULE_EIC, i, interest.below, window);
    if (end == WEIR_WINDOW_WORK)
        return end;
    if (end == WEIR_WINDOW_FOUND) {
        if (window->duration <= interest.above || window->duration <= s->set->tasks[i].worst)
            return end;
        interest.below = window->duration;
    }
    enum weir_window_end second = weir_window_critical(s, i, interest, &other);
    if (second == WEIR_WINDOW_FOUND)
        *window = other;
    return second == WEIR_WINDOW_BEYOND ? end : second;
}

/* Whether no other task on the processor can delay it. */
static bool is_alone(const struct weir_priority_system *s, uint32_t i)
{
    return (s->sharing[i] == WEIR_PREEMPTIVE ? s->lower[i] : s->first[i + 1]) == s->first[i];
}

/* ... and of the busy times of levels. */
static enum weir_window_end least(struct weir_priority_system *s, uint32_t i, struct weir_window_interest interest,
                                  struct weir_window *window)
{
    struct weir_window other;
    enum weir_window_end end = weir_window_longest(s, WEIR_PRIORITY_RULE_BEST, i, interest, window);
    int64_t most = weir_window_most(s, i, 1, end == WEIR_WINDOW_FOUND ? window->duration : interest.below);
    if (end == WEIR_WINDOW_WORK)
        return end;
    enum weir_window_end second = weir_window_level(s, i, most, &other);
    if (second == WEIR_WINDOW_FOUND) {
        *window = other;
        most = other.duration - 1;
        end = second;
    }
    if (!s->across || second == WEIR_WINDOW_WORK)
        return second == WEIR_WINDOW_BEYOND ? end : second;
    second = weir_window_region(s, i, most, &other);
    if (second == WEIR_WINDOW_FOUND)
        *window = other;
    return second == WEIR_WINDOW_BEYOND ? end : second;
}

enum weir_window_end weir_window_longest(struct weir_priority_system *s, enum weir_priority_rule rule, uint32_t i,
                                         struct weir_window_interest interest, struct weir_window *window)
{
    if (rule == WEIR_PRIORITY_RULE_LEVEL)
        return least(s, i, interest, window);
    if (s->sharing[i] == WEIR_TDM)
        return slots(s, i, interest.below, window);
    if (is_alone(s, i)) {
        int64_t worst = s->set->tasks[i].worst;
        *window = (struct weir_window){.iterations = 1, .length = worst, .duration = worst, .by = rule};
        return worst > weir_window_most(s, i, 1, interest.below) ? WEIR_WINDOW_BEYOND : WEIR_WINDOW_FOUND;
    }
    if (s->sharing[i] == WEIR_PREEMPTIVE && rule == WEIR_PRIORITY_RULE_BEST)
        return best(s, i, interest, window);
    if (s->sharing[i] == WEIR_PREEMPTIVE && rule == WEIR_PRIORITY_RULE_CIX)
        return weir_window_critical(s, i, interest, window);
    weir_terms_fill(s, rule, i);
    return counted(s, rule, i, interest.below, window);
}

void weir_window_counts(struct weir_priority_system *s, uint32_t i, const struct weir_window *window, int64_t *counts)
{
    uint32_t dominant;
    bool whole = s->sharing[i] == WEIR_NONPREEMPTIVE;
    for (uint32_t r = s->first[i]; r < s->first[i + 1]; r++)
        counts[r - s->first[i]] = 0;
    if (s->sharing[i] == WEIR_TDM || s->first[i] == s->first[i + 1])
        return;
    if (window->by == WEIR_PRIORITY_RULE_LEVEL) {
        weir_level_counts(s, i, window, counts);
        return;
    }
    if (is_alone(s, i))
        return;
    if (s->sharing[i] == WEIR_PREEMPTIVE && window->by == WEIR_PRIORITY_RULE_CIX) {
        weir_critical_counts(s, i, window, counts);
        return;
    }
    weir_terms_fill(s, window->by, i);
    int64_t w = whole ? window->length - s->set->tasks[i].worst : window->length;
    for (size_t k = 0; k < s->term_count; k++)
        counts[k] = weir_term_count(&s->terms[k], weir_split_of(w, s->terms[k].period), window->iterations);
    if (whole && blocking(s, i, &dominant) > 0)
        counts[dominant - s->first[i]] = 1;
}
