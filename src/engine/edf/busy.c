/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responses by windows that begin when cores get busy (docs/concepts/pool-of-cores.md, section 3). Let an execution of k with
 * deadline d be released at r, and t be the last moment until r just before which fewer than m operators have something to run with
 * a deadline until d. All the others begin anew at t: what they run is ready, and so released, at t or later. With a = r - t and
 * the window as long as l, the work of i in it is the least of
 *
 *     by time           the sum over n >= 0 of  min(e, l + G_i - n p)^+
 *     by deadlines      e floor((a + p_k) / p_i)
 *     in step           what window.c says of the time behind r, and a before it; for one execution of k of those until the part
 *                       comes round, of i those on its grid that are released at t or later
 *
 * and, for at most m - 1 of them, what window.c says of any operator in a window of this length. From t to r all cores are busy,
 *
 *     m a <= U (a + p_k) + (the m - 1 largest u_i R_i)
 *
 * so only so many a need a look; on one core, if nobody is taken to be in step with k, no more than until all periods have come
 * round together. They are cut into pieces, within which the counts of deadlines stay as they are.
 */
#include "engine/edf/window.h"

#include "base/interrupt.h"

#define CARRIED_MAX 16 /* of more cores all operators are taken to carry in work */
#define PIECES 4       /* of a response, on several cores */
#define PIECES_MAX 3000

struct piece {
    uint32_t k;
    int64_t from, to; /* from <= a < to */
    int64_t length;   /* of the window; on one core, to begin with, no more than that */
    int64_t bound;    /* on responses of k */
};

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Keeps the `count` largest, in falling order. */
static void keep(int64_t *largest, uint32_t count, int64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (value > largest[i]) {
            int64_t smaller = largest[i];
            largest[i] = value;
            value = smaller;
        }
}

static bool all_carried(const struct weir_edf_look *w)
{
    return w->system->cores > CARRIED_MAX;
}

/* No a is longer than this; negative where there is no end, or it does not fit. */
static int64_t last_start(const struct weir_edf_look *w, uint32_t k)
{
    const struct weir_edf_system *s = w->system;
    int64_t largest[CARRIED_MAX] = {0};
    weir_wide carried = 0, spare = (weir_wide)s->cores * s->grid - s->total;
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        const struct weir_edf_window *i = &w->nodes[v];
        weir_wide left = ((weir_wide)i->cost * i->bound + i->period - 1) / i->period;
        if (left >= WEIR_EDF_TIMES_END)
            return -1;
        if (all_carried(w))
            carried += left;
        else
            keep(largest, s->cores - 1, (int64_t)left);
    }
    for (uint32_t i = 0; i < CARRIED_MAX; i++)
        carried += largest[i];
    if (spare <= 0 || carried >= WEIR_EDF_TIMES_END)
        return -1;
    weir_wide last = (s->total * (weir_wide)w->nodes[k].period + s->grid * carried) / spare;
    return last < WEIR_EDF_TIMES_END / 2 ? (int64_t)last : -1;
}

/* Where the next piece begins: at the next a for which one deadline more counts, or sooner on several cores. */
static int64_t next_start(const struct weir_edf_look *w, const struct piece *p, int64_t from)
{
    int64_t end = from + w->nodes[p->k].period, next = INT64_MAX, fine = p->bound / PIECES + 1;
    for (uint32_t v = 0; v < w->system->flow->node_count; v++) {
        struct weir_edf_window *i = &w->nodes[v];
        if (i->due <= end && end - i->due < i->period) /* mostly it was looked for a little earlier the last time */
            i->due += i->period;
        else if (i->due <= end || i->due - end > i->period)
            i->due = (weir_edf_quotient(end, i->period) + 1) * i->period;
        next = lesser(i->due - end, next);
    }
    return from + (w->system->cores > 1 && fine < next ? fine : next);
}

/* Those that never run at the same time, as one, of whom as many carry in work as do at most; the sum of all work. */
static weir_wide join_groups(const struct weir_edf_look *w)
{
    uint32_t n = w->system->flow->node_count, carried = all_carried(w) ? CARRIED_MAX : w->system->cores - 1;
    weir_wide sum = 0;
    for (uint32_t v = 0; v < n; v++) {
        struct weir_edf_window *lead = &w->nodes[v];
        if (lead->group == v && lead->next < n) {
            int64_t largest[CARRIED_MAX] = {lead->work - lead->anew}, more = 0, all = largest[0];
            for (uint32_t k = lead->next; k < n; k = w->nodes[k].next) {
                struct weir_edf_window *i = &w->nodes[k];
                keep(largest, carried, i->work - i->anew);
                all += i->work - i->anew;
                lead->anew += i->anew;
                i->anew = i->work = 0;
            }
            for (uint32_t c = 0; c < carried; c++)
                more += largest[c];
            lead->work = lead->anew + (all_carried(w) ? all : more);
        }
        sum += lead->group == v ? lead->work : 0;
    }
    return sum;
}

/* The work of each operator in the window if it begins anew, and how much more it may be if it does not; the sum of both. */
static weir_wide fill(const struct weir_edf_look *w, const struct piece *p)
{
    const struct weir_edf_window *own = &w->nodes[p->k];
    weir_wide sum = 0;
    for (uint32_t v = 0; v < w->system->flow->node_count; v++) {
        struct weir_edf_window *i = &w->nodes[v];
        i->work = i->anew = 0;
        if (v == p->k || i->cost == 0)
            continue;
        int64_t step = i->step < INT64_MAX - p->to ? i->step + p->to : i->step;
        int64_t time = weir_edf_work_by_deadlines(i, p->length + i->ahead);
        weir_wide due = (weir_wide)weir_edf_quotient(p->to - 1 + own->period, i->period) * i->cost;
        i->anew = due < time ? (int64_t)due : time;
        i->anew = lesser(i->anew, lesser(step, weir_edf_work_in_turn(i, p->to, false)));
        i->work = i->anew;
        if (w->system->cores > 1) {
            time = weir_edf_work_in_time(i, p->length + i->bound + i->ahead);
            i->work = weir_edf_work_by_deadlines(i, p->to + own->period - i->period + i->bound);
            i->work = time < i->work ? time : i->work;
            i->work = lesser(i->work, lesser(step, weir_edf_work_in_turn(i, p->to, true)));
            i->work = i->anew > i->work ? i->anew : i->work;
        }
        sum += i->work;
    }
    return w->system->cores > 1 ? join_groups(w) : sum;
}

/* What others do of `wait` at most if cores - 1 of them carry in work; false where they may keep all cores busy for longer. */
static bool work_while(const struct weir_edf_look *w, int64_t wait, int64_t *sum)
{
    uint32_t carried = w->system->cores - 1, longer = 0, longer_carried = 0, count = 0;
    int64_t largest[CARRIED_MAX]; /* the first `count`, in falling order */
    *sum = 0;
    for (uint32_t v = 0; v < w->system->flow->node_count; v++) {
        const struct weir_edf_window *i = &w->nodes[v];
        if (i->work == 0)
            continue;
        if (i->anew > wait) {
            longer++;
            *sum += wait;
            continue;
        }
        longer_carried += i->work > wait;
        int64_t more = lesser(i->work, wait) - i->anew;
        *sum += i->anew;
        if (more == 0)
            continue;
        uint32_t at = count;
        if (count < carried)
            count++;
        else if (at == 0 || more <= largest[--at])
            continue;
        for (; at > 0 && largest[at - 1] < more; at--)
            largest[at] = largest[at - 1];
        largest[at] = more;
    }
    for (uint32_t c = 0; c < count; c++)
        *sum += largest[c];
    return longer + (longer_carried < carried ? longer_carried : carried) <= carried;
}

/* How long an execution waits in the window. It is looked for from above. */
static int64_t wait_in(struct weir_edf_look *w, int64_t sum)
{
    int64_t wait = weir_edf_wait(w, sum), cores = w->system->cores, now;
    if (cores <= 1 || all_carried(w))
        return wait;
    work_while(w, wait, &now);
    for (int64_t less = weir_edf_quotient(now + cores - 1, cores); less < wait && work_while(w, less, &now);) {
        wait = less;
        less = weir_edf_quotient(now + cores - 1, cores);
    }
    return wait;
}

/* When an execution whose window begins within the piece ends, after its release; negative where there is too much to look at. On
 * one core that is the least length of a window in which all of its work is done: no less than that of a piece before it. On
 * several the window is as long as the bound. */
static int64_t end_in(struct weir_edf_look *w, struct piece *p)
{
    const struct weir_edf_window *own = &w->nodes[p->k];
    bool several = w->system->cores > 1;
    int64_t self = own->cost + (several ? weir_edf_work_by_deadlines(own, p->from + p->bound - own->period)
                                        : p->from / own->period * own->cost);
    p->length = several ? p->bound + p->to : self > p->length ? self : p->length;
    for (;;) {
        w->steps += w->system->flow->node_count;
        weir_wide sum = fill(w, p);
        if (w->steps > WEIR_EDF_STEPS_MAX || sum >= WEIR_EDF_TIMES_END || weir_interrupted())
            return -1;
        int64_t length = self + wait_in(w, (int64_t)sum);
        if (several || length <= p->length || length - p->from > p->bound)
            return length > p->from ? length - p->from : 0;
        p->length = length;
    }
}

/* Several pieces that follow one another, as one: if it closes, each of them does, too. How many they are. */
static int join(const struct weir_edf_look *w, struct piece *p, int most, int64_t last)
{
    int pieces = 0;
    for (p->to = p->from; pieces == 0 || (pieces < most && p->to <= last); pieces++)
        p->to = next_start(w, p, p->to);
    return pieces;
}

/* ... of all pieces, beginning with the one that was the longest the last time; `enough` where that is too much. A bound that has
 * to grow grows until the piece closes. */
static int64_t longest_end(struct weir_edf_look *w, uint32_t k, int64_t enough, int64_t last)
{
    struct weir_edf_window *own = &w->nodes[k];
    struct piece p = {.k = k, .from = own->longest <= last ? own->longest : 0, .bound = own->bound};
    int64_t end = own->cost;
    bool ahead = p.from > 0, several = w->system->cores > 1; /* ahead of those before it, which are looked at next */
    int stride = 1;
    for (int pieces = 0, joined; p.from <= last && end < enough; pieces += joined) {
        int64_t steps = w->steps;
        joined = join(w, &p, ahead ? 1 : stride, last);
        int64_t now = end_in(w, &p);
        if (joined > 1 && (now < 0 || now > p.bound)) { /* one by one */
            w->steps = steps;
            joined = 0;
            stride = 1;
            continue;
        }
        w->steps += (joined - 1) * (int64_t)w->system->flow->node_count;
        if (now < 0 || pieces + joined - 1 > PIECES_MAX)
            return now < 0 ? -1 : enough;
        end = now > end ? now : end;
        if (now > p.bound) {
            p.bound = now;
            own->longest = p.from;
        } else {
            p.from = ahead ? 0 : p.to;
            stride = ahead || !several ? 1 : 2 * joined;
            p.length = ahead ? 0 : p.length;
            ahead = false;
        }
    }
    return end;
}

int64_t weir_edf_busy(struct weir_edf_look *w, uint32_t k, int64_t enough)
{
    uint32_t n = w->system->flow->node_count;
    int64_t last = last_start(w, k), end = enough;
    bool round = w->system->cores == 1 && w->round > 0 && w->turn == 0 && (last < 0 || last >= w->round), stepping = !round;
    weir_edf_take_turn(w, k);
    if (round) { /* a round later there is nothing new, if nobody is in step */
        for (uint32_t v = 0; v < n; v++)
            w->nodes[v].step = INT64_MAX;
        end = longest_end(w, k, enough, w->round - 1);
    }
    if (end < 0 || last < 0)
        return end;
    for (uint32_t v = 0; v < n; v++) {
        w->nodes[v].step = w->related ? weir_edf_work_in_step(w, v, k) : INT64_MAX;
        stepping = stepping || (v != k && w->nodes[v].step != INT64_MAX);
    }
    int64_t other = stepping ? longest_end(w, k, end, last) : end;
    return other < 0 && round ? end : lesser(other, end);
}
