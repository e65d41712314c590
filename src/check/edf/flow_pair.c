/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one operator may have to do with a window of another one (docs/concepts/pool-of-cores.md, section 3): executions behind even
 * sources of one part keep to lines on one clock, and an operator that needs another one waits for it.
 */
#include "check/edf/flow_pair.h"

/* How many periods of i are ahead of how many of k, as a time, for executions that may have to do with each other: above `after`
 * and below `before`, and from `low` to `high`, a multiple of `tick`. The execution of i has no more than its distance from `after`
 * and from `before` for itself. */
struct meeting {
    int64_t tick, after, before, low, high;
};

static bool follow_one_clock(const struct weir_flow_task *i, const struct weir_flow_task *k)
{
    return i->even && k->even && i->part == k->part;
}

/* Each from when it can be ready at the earliest until it is over at the latest; that of k is over after `until`. */
static struct meeting meet(const struct weir_flow_task *i, const struct weir_flow_task *k, int64_t until)
{
    struct meeting m = {.tick = weir_greatest_divisor(k->period, i->period)};
    m.after = i->period - i->offset - i->response - k->early;
    m.before = k->offset + until + i->early - k->period;
    m.low = m.after + 1;
    m.high = m.before - 1;
    if (i->ancestor != WEIR_FLOW_APART && i->period - i->ancestor > m.low)
        m.low = i->period - i->ancestor;
    if (i->descendant != WEIR_FLOW_APART && i->descendant - k->period < m.high)
        m.high = i->descendant - k->period;
    while (m.tick > 1 && m.low <= m.high && m.low % m.tick != 0) /* to the first that there is */
        m.low += m.low > 0 ? m.tick - m.low % m.tick : -(m.low % m.tick);
    return m;
}

/* Whether executions of b, which needs a, are over when a begins with those that they do not need; gap: as `ancestor` of a. */
static bool is_over(const struct weir_flow_task *b, const struct weir_flow_task *a, int64_t gap)
{
    return b->offset + b->response + gap + a->held + a->high + b->low <= a->period;
}

bool weir_flow_pair_apart(const struct weir_flow_task *i, const struct weir_flow_task *k)
{
    if (follow_one_clock(i, k)) {
        struct meeting m = meet(i, k, k->response);
        return m.low > m.high;
    }
    return i->ancestor != WEIR_FLOW_APART ? is_over(k, i, i->ancestor)
                                          : i->descendant != WEIR_FLOW_APART && is_over(i, k, i->descendant);
}

/* Executions of i, which k needs, that have not ended when an execution of k is ready, but count in its window. */
static int64_t ahead_of(const struct weir_flow_task *i, const struct weir_flow_task *k)
{
    int64_t until = k->period - i->period < k->claimed ? k->period - i->period : k->claimed;
    int64_t reach = i->held + k->offset + until;
    return weir_floor_divide((reach > 0 ? reach : 0) + i->high + k->low + i->ancestor, i->period);
}

/* What executions of i run whose periods are ahead of k's by `start`, by a period more, and so on. */
static int64_t sum_of(const struct weir_flow_task *i, const struct meeting *m, int64_t start)
{
    int64_t sum = 0, end = start <= m->high ? start + (m->high - start) / i->period * i->period : start - 1;
    if (end > start + i->period)
        sum = ((end - start) / i->period - 1) * i->cost; /* between the first and the last */
    for (int64_t at = start; at <= end; at = at < end ? end : end + 1) {
        int64_t time = at - m->after < m->before - at ? at - m->after : m->before - at;
        sum += time < i->cost ? time : i->cost;
    }
    return sum;
}

/* ... and execution number `turn` of k is the one at hand. */
static int64_t sum_in(const struct weir_flow_task *i, const struct weir_flow_task *k, const struct meeting *m, int64_t turn)
{
    int64_t rest = (int64_t)((m->low + (weir_wide)turn * k->period) % i->period);
    return sum_of(i, m, rest > 0 ? m->low - rest + i->period : m->low - rest);
}

/* Only those that are due by then. */
static void limit_to_due(struct meeting *m, const struct weir_flow_task *i, const struct weir_flow_task *k)
{
    int64_t due = k->offset + i->early - i->period;
    m->high = m->high < due ? m->high : due;
}

/* The most that executions of i may run in the window of k, or of its execution `turn`. */
static int64_t meetings(const struct weir_flow_task *i, const struct weir_flow_task *k, int64_t turn)
{
    struct meeting m = meet(i, k, k->claimed);
    int64_t most = 0;
    limit_to_due(&m, i, k);
    if (turn > 0)
        return sum_in(i, k, &m, turn);
    if (i->period / m.tick > 64) {
        int64_t early = weir_flow_fading(i, m.high - m.after), late = weir_flow_fading(i, m.before - m.low);
        return early < late ? early : late;
    }
    for (int64_t start = m.low; start <= m.high && start < m.low + i->period; start += m.tick) {
        int64_t sum = sum_of(i, &m, start);
        most = sum > most ? sum : most;
    }
    return most;
}

int64_t weir_flow_pair_since(const struct weir_flow_task *i, const struct weir_flow_task *k, int64_t turn, int64_t sooner,
                             bool left)
{
    if (turn == 0 || !follow_one_clock(i, k))
        return INT64_MAX;
    struct meeting m = meet(i, k, k->claimed);
    m.after -= sooner;
    if (!left)
        m.after += i->response;
    m.low = m.after + 1;
    if (!left)
        m.after -= i->cost; /* it has all of its time */
    limit_to_due(&m, i, k);
    return sum_in(i, k, &m, turn);
}

int64_t weir_flow_pair_step(const struct weir_flow_task *i, const struct weir_flow_task *k, int64_t turn)
{
    if (follow_one_clock(i, k))
        return meetings(i, k, turn);
    if (i->ancestor != WEIR_FLOW_APART) {
        int64_t ahead = ahead_of(i, k);
        return ahead > 0 ? ahead * i->cost : 0;
    }
    /* not if it may need an arrival behind those that k needs */
    if (i->descendant == WEIR_FLOW_APART || i->descendant - k->period + k->high + i->low >= k->source)
        return INT64_MAX;
    return weir_flow_fading(i, i->offset + i->response + i->descendant - k->period + i->held + k->high + i->low);
}
