/* SPDX-License-Identifier: Apache-2.0 */
#include "windows.h"

#include "base/number.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t sum_by_deadlines(const struct windows_node *i, int64_t left)
{
    int64_t sum = 0;
    for (; left > 0; left -= i->p)
        sum += least(i->e, left);
    return sum;
}

/* Executions that are at most cut at both ends of a span. */
static int64_t sum_by_time(const struct windows_node *i, int64_t span)
{
    int64_t rest = span - i->e, whole = 0;
    for (; rest >= i->p; rest -= i->p)
        whole++;
    return whole * i->e + least(i->e, rest);
}

/* The gap from `up` to `down`, if a path leads from one to the other. */
static bool find_gap(const struct windows *o, uint32_t up, uint32_t down, int64_t *gap)
{
    *gap = 0;
    int at = (int)down;
    for (; at >= 0 && at != (int)up && !o->n[at].cut && !o->n[at].idle; at = o->n[at].parent)
        *gap += o->n[at].gap;
    return at == (int)up;
}

static bool on_one_clock(const struct windows *o, uint32_t i, uint32_t k)
{
    return o->n[i].even && o->n[k].even && o->n[i].part == o->n[k].part;
}

enum look { STEP, ANEW, LEFT, TOGETHER };

/* What i runs beside execution `turn` of k, by their distances D on the grid; TOGETHER: whether there is one at all. A window that
 * begins less than `sooner` before the release. */
static int64_t on_grid(const struct windows *o, uint32_t vi, uint32_t vk, int64_t turn, int64_t sooner, enum look look)
{
    const struct windows_node *i = &o->n[vi], *k = &o->n[vk];
    int64_t sum = 0, c, low = i->p - k->early - i->o - i->r, high = k->o - k->p + (look == TOGETHER ? k->r : k->claim) + i->early;
    for (int64_t x = (turn * k->p + low - sooner) / i->p - 1; x * i->p - turn * k->p < high; x++) {
        int64_t d = x * i->p - turn * k->p;
        if (look != TOGETHER && d > k->o - i->p + i->early)
            continue;
        if (find_gap(o, vk, vi, &c) && d > c - k->p)
            continue;
        if ((look == STEP || look == TOGETHER) && find_gap(o, vi, vk, &c) && d < i->p - c)
            continue;
        if (look == TOGETHER)
            sum += d > low;
        else if (look == ANEW)
            sum += d > low + i->r - sooner ? least(i->e, high - d) : 0;
        else if (d > low - sooner)
            sum += least(i->e, least(high - d, d - low + sooner));
    }
    return sum;
}

static int64_t in_step(const struct windows *o, uint32_t vi, uint32_t vk, int64_t turn)
{
    const struct windows_node *i = &o->n[vi], *k = &o->n[vk];
    int64_t c, most = 0;
    if (on_one_clock(o, vi, vk)) {
        if (turn > 0)
            return on_grid(o, vi, vk, turn, 0, STEP);
        for (int64_t j = 1; j <= i->p; j++) { /* all there are */
            int64_t one = on_grid(o, vi, vk, j, 0, STEP);
            most = one > most ? one : most;
            if (j * k->p % i->p == 0)
                break;
        }
        return most;
    }
    if (i->even || k->even)
        return INT64_MAX;
    if (find_gap(o, vi, vk, &c)) {
        int64_t reach = i->held + k->o + least(k->p - i->p, k->claim);
        reach = (reach > 0 ? reach : 0) + i->high - k->low + c;
        return reach > 0 ? reach / i->p * i->e : 0;
    }
    if (!find_gap(o, vk, vi, &c) || c - k->p + k->high - i->low >= i->source)
        return INT64_MAX;
    return sum_by_deadlines(i, i->o + i->r + i->held + c - k->p + k->high - i->low);
}

static int64_t in_turn(const struct windows *o, uint32_t i, uint32_t k, int64_t turn, int64_t sooner, enum look look)
{
    return turn > 0 && on_one_clock(o, i, k) ? on_grid(o, i, k, turn, sooner, look) : INT64_MAX;
}

static int64_t plus(int64_t a, int64_t b)
{
    return a == INT64_MAX ? a : a + b;
}

/* What i runs in a window of that length with work left from before, in which deadlines count up to k's. */
static int64_t with_rest(const struct windows *o, uint32_t vi, uint32_t vk, int64_t length, int64_t sooner, int64_t step)
{
    const struct windows_node *i = &o->n[vi], *k = &o->n[vk];
    int64_t time = sum_by_time(i, length + i->r + i->ahead);
    return least(plus(step, sooner), least(time, sum_by_deadlines(i, sooner + k->p - i->p + i->r)));
}

/* Whether others keep all cores busy for y: all of them with w, and cores - 1 of them with what they carry besides. */
static bool is_kept_busy(const struct windows *o, uint32_t k, int64_t y)
{
    int64_t work[WINDOWS_NODES] = {0}, more[WINDOWS_NODES] = {0}, over = 0, over_more = 0, sum = 0;
    for (uint32_t g = 0; g < o->count; g++) {
        int64_t left[WINDOWS_NODES];
        uint32_t size = 0;
        for (uint32_t v = 0; v < o->count; v++) {
            left[v] = o->n[v].group == g && v != k ? o->n[v].carried : 0;
            work[g] += o->n[v].group == g && v != k ? o->n[v].anew : 0;
        }
        for (size = 0; size + 1 < o->cores; size++) { /* no more of them have work left */
            uint32_t top = 0;
            for (uint32_t v = 1; v < o->count; v++)
                top = left[v] > left[top] ? v : top;
            more[g] += left[top];
            left[top] = 0;
        }
    }
    for (uint32_t g = 0; g < o->count; g++) {
        over += work[g] > y;
        over_more += work[g] <= y && work[g] + more[g] > y;
        more[g] = least(y, work[g] + more[g]) - least(y, work[g]);
        sum += least(y, work[g]);
    }
    for (int64_t c = 0; c + 1 < o->cores; c++) {
        uint32_t top = 0;
        for (uint32_t g = 1; g < o->count; g++)
            top = more[g] > more[top] ? g : top;
        sum += more[top];
        more[top] = 0;
    }
    return y < 0 || sum > o->cores * y || over + least(over_more, o->cores - 1) >= o->cores;
}

static bool window_closes(struct windows *o, uint32_t k, int64_t turn)
{
    struct windows_node *own = &o->n[k];
    for (uint32_t v = 0; v < o->count; v++) {
        o->n[v].anew = v == k ? 0 : with_rest(o, v, k, own->claim, 0, in_step(o, v, k, turn));
        o->n[v].carried = 0;
    }
    return !is_kept_busy(o, k, own->claim - own->e - sum_by_deadlines(own, own->r - own->p));
}

/* What of i was released in the window alone: from a before the release on, of that length. */
static int64_t released(const struct windows *o, uint32_t i, uint32_t k, int64_t a, int64_t length, int64_t turn)
{
    const struct windows_node *n = &o->n[i];
    int64_t counted = (a + o->n[k].p) / n->p * n->e;
    return least(counted, least(sum_by_deadlines(n, length + n->ahead), in_turn(o, i, k, turn, a + 1, ANEW)));
}

/* A window that begins a before the release. On one core `apart`: nobody is in step. */
static bool closes_from(struct windows *o, uint32_t k, int64_t a, int64_t turn, bool apart, const int64_t steps[WINDOWS_NODES])
{
    struct windows_node *own = &o->n[k];
    if (o->cores == 1) {
        int64_t self = own->e * (1 + a / own->p);
        for (int64_t length = self; length <= a + own->claim; length++) {
            int64_t sum = self;
            for (uint32_t v = 0; v < o->count; v++)
                if (v != k)
                    sum += least(apart ? INT64_MAX : plus(steps[v], a + 1), released(o, v, k, a, length, apart ? 0 : turn));
            if (sum <= length)
                return true;
        }
        return false;
    }
    for (uint32_t v = 0; v < o->count; v++) {
        struct windows_node *n = &o->n[v];
        n->anew = n->carried = 0;
        if (v == k)
            continue;
        n->anew = least(plus(steps[v], a + 1), released(o, v, k, a, own->claim + a + 1, turn));
        int64_t all = least(with_rest(o, v, k, own->claim + a + 1, a + 1, steps[v]), in_turn(o, v, k, turn, a + 1, LEFT));
        n->carried = all > n->anew ? all - n->anew : 0;
    }
    return !is_kept_busy(o, k, a + own->claim - own->e - sum_by_deadlines(own, a + own->r - own->p));
}

/* The first a that does not close; INT64_MAX: all do. */
static int64_t first_open(struct windows *o, uint32_t k, int64_t turn, bool apart, int64_t last)
{
    int64_t steps[WINDOWS_NODES];
    for (uint32_t v = 0; v < o->count; v++)
        steps[v] = v == k ? 0 : in_step(o, v, k, turn);
    for (int64_t a = 0; a <= last; a++)
        if (!closes_from(o, k, a, turn, apart, steps))
            return a;
    return INT64_MAX;
}

static int64_t common_period(const struct windows *o)
{
    int64_t all = 1;
    for (uint32_t v = 0; v < o->count; v++)
        all *= o->n[v].p / weir_greatest_divisor(all, o->n[v].p);
    return all;
}

/* The largest a with cores a <= U (a + p) + (the cores - 1 largest u R, rounded up); -1: there is none. */
static int64_t last_start(const struct windows *o, uint32_t k, int64_t all)
{
    int64_t load = 0, left[WINDOWS_NODES], carried = 0;
    for (uint32_t v = 0; v < o->count; v++) {
        load += all / o->n[v].p * o->n[v].e;
        left[v] = (o->n[v].e * o->n[v].r + o->n[v].p - 1) / o->n[v].p;
    }
    for (int64_t c = 0; c + 1 < o->cores; c++) {
        uint32_t top = 0;
        for (uint32_t v = 1; v < o->count; v++)
            top = left[v] > left[top] ? v : top;
        carried += left[top];
        left[top] = 0;
    }
    int64_t spare = o->cores * all - load;
    return spare > 0 ? (load * o->n[k].p + carried * all) / spare : -1;
}

/* `more`: with somewhat more windows than need be. */
static bool closes(struct windows *o, uint32_t k, int64_t turn, bool more)
{
    int64_t all = common_period(o), last = last_start(o, k, all);
    if (window_closes(o, k, turn))
        return true;
    if (o->cores == 1 && (last < 0 || last >= all) && first_open(o, k, turn, true, all - 1) == INT64_MAX)
        return true;
    return last >= 0 && first_open(o, k, turn, false, last + more) == INT64_MAX;
}

bool windows_close(struct windows *o, bool more)
{
    for (uint32_t k = 0; k < o->count; k++) {
        bool good = o->n[k].claim == 0 || closes(o, k, 0, more);
        if (!good && o->n[k].even && o->turns[k] <= 64) {
            good = true;
            for (int64_t turn = 1; turn <= o->turns[k] && good; turn++)
                good = closes(o, k, turn, more);
        }
        if (!good)
            return false;
    }
    return true;
}

bool windows_are_apart(const struct windows *o, uint32_t i, uint32_t k)
{
    int64_t c;
    if (on_one_clock(o, i, k)) {
        for (int64_t j = 1; j <= o->n[i].p; j++)
            if (on_grid(o, i, k, j, 0, TOGETHER))
                return false;
        return true;
    }
    uint32_t up = find_gap(o, i, k, &c) ? i : k, down = up == i ? k : i;
    const struct windows_node *a = &o->n[up], *b = &o->n[down];
    return !a->even && !b->even && find_gap(o, up, down, &c) && b->o + b->r + a->held + c + a->high - b->low <= a->p;
}
