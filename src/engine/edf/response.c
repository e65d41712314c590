/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long after its release an execution ends at most. With K the least whole number not below the total utilisation, k = K - 1
 * and u_i = load_i / grid (docs/concepts/pool-of-cores.md):
 *
 *     alone          as many cores as operators: e_i
 *     no miss        one core, or U <= m - (m - 1) u_max: p_i
 *     Devi-Anderson  p_i + e_i + x, x = (the k largest e, less the smallest) / (m - the k - 1 largest u)
 *     compliant      p_i - p_min + e_i + max(0, s - e_i / m), with the least s for which
 *                    m s >= (the k largest of e_i - S_i + u_i (s - e_i / m)) + (all S_i),  S_i = u_i p_min
 *
 * With p_min = a / b and sigma = m b s the last line reads, for the k chosen ones,
 *
 *     sigma = (their C_i + m a total) / (m grid - their load_i),  C_i = b e_i (m grid - load_i) - m a load_i
 *
 * and the right choice is the k largest C_i + load_i sigma. From any choice on, sigma only grows until the choice is right.
 */
#include "base/heap.h"
#include "base/word.h"
#include "engine/edf/system.h"

const char *weir_edf_bound_name(enum weir_edf_bound bound)
{
    static const char *const names[] = {"alone", "no-miss", "devi-anderson", "compliant", "window"};
    return WEIR_WORD(names, bound);
}

/* Sums of products stay below this. */
#define WIDE_MAX ((weir_wide)1 << 116)

/* ---- the largest of many ---- */

static bool is_below(const struct weir_tall *value, const uint32_t *a, const uint32_t *b)
{
    const struct weir_tall *x = &value[*a], *y = &value[*b];
    return x->high != y->high ? x->high < y->high : x->low < y->low;
}

WEIR_HEAP(least, uint32_t, const struct weir_tall *, is_below, WEIR_HEAP_STAYS);

/* The k largest of n values, in no order, to heap[0 .. k - 1]. */
static void choose(const struct weir_tall *value, uint32_t n, uint32_t k, uint32_t *heap)
{
    if (k == 0)
        return;
    for (uint32_t i = 0; i < k; i++)
        heap[i] = i;
    for (uint32_t i = k / 2; i-- > 0;)
        least_sink(value, heap, k, i, i);
    for (uint32_t i = k; i < n; i++)
        if (is_below(value, &heap[0], &i))
            least_sink(value, heap, k, 0, i);
}

static struct weir_tall tall(int64_t value)
{
    return (struct weir_tall){value < 0 ? -1 : 0, (uint64_t)value};
}

/* a * x + b * y; x and y not negative, below 2^62; a and b below WIDE_MAX. */
static struct weir_tall combine(weir_wide a, int64_t x, weir_wide b, int64_t y)
{
    __extension__ typedef unsigned __int128 natural;
    natural low_a = (natural)(uint64_t)a * (uint64_t)x, low_b = (natural)(uint64_t)b * (uint64_t)y;
    weir_wide high = (weir_wide)(int64_t)(a >> 64) * x + (weir_wide)(int64_t)(b >> 64) * y;
    natural low = (natural)(uint64_t)low_a + (uint64_t)low_b;
    high += (weir_wide)(low_a >> 64) + (weir_wide)(low_b >> 64) + (weir_wide)(low >> 64);
    return (struct weir_tall){high, (uint64_t)low};
}

/* ---- Devi and Anderson ---- */

static bool find_x(struct weir_edf_system *s)
{
    uint32_t n = s->flow->node_count, k = s->carry_in;
    s->x = weir_fraction_of(0);
    if (s->cores == 1 || k == 0)
        return true;
    int64_t least = s->operators[0].cost;
    weir_wide work = 0, room = (weir_wide)s->cores * s->grid;
    for (uint32_t v = 0; v < n; v++) {
        s->value[v] = tall(s->operators[v].cost);
        if (s->operators[v].cost < least)
            least = s->operators[v].cost;
    }
    choose(s->value, n, k, s->chosen);
    for (uint32_t i = 0; i < k; i++)
        work += s->operators[s->chosen[i]].cost;
    for (uint32_t v = 0; v < n; v++)
        s->value[v] = tall(s->load[v]);
    choose(s->value, n, k - 1, s->chosen);
    for (uint32_t i = 0; i + 1 < k; i++)
        room -= s->load[s->chosen[i]];
    /* Costs are below 2^60, and the grid times their number below 2^61. */
    return room > 0 && weir_fraction_make((work - least) * s->grid, room, &s->x);
}

/* ---- compliant vectors ---- */

struct compliant {
    struct weir_edf_system *system;
    struct weir_ratio shortest; /* period, or a little more */
    int64_t grid, room;         /* room: cores * grid */
    int shift;                  /* the grid is coarser by this many bits than that of the system */
    weir_wide all;              /* m a total */
    weir_wide limit;            /* of what is multiplied with a load */
};

static int64_t coarse(const struct compliant *c, int64_t load)
{
    if (c->shift == 0)
        return load;
    int64_t up = (load + (INT64_C(1) << c->shift) - 1) >> c->shift;
    return up < c->grid ? up : c->grid;
}

/* C_i; false when it does not fit. */
static bool constant(const struct compliant *c, uint32_t v, weir_wide *result)
{
    int64_t load = coarse(c, c->system->load[v]), cost = c->system->operators[v].cost;
    weir_wide up = (weir_wide)cost * c->shortest.denominator, down = (weir_wide)c->system->cores * c->shortest.numerator;
    if (up >= c->limit)
        return false;
    *result = up * (c->room - load) - down * load;
    return true;
}

/* The right choice for sigma = up / down; its own sigma back. *same when it is the one that sigma came from. */
static bool step(const struct compliant *c, weir_wide *up, int64_t *down, bool *same)
{
    struct weir_edf_system *s = c->system;
    uint32_t n = s->flow->node_count, k = s->carry_in;
    weir_wide sum = c->all, one;
    int64_t room = c->room;
    for (uint32_t v = 0; v < n; v++) {
        if (!constant(c, v, &one))
            return false;
        s->value[v] = combine(one, *down, *up, coarse(c, s->load[v]));
    }
    choose(s->value, n, k, s->chosen);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t v = s->chosen[i];
        if (s->value[v].high < 0) /* only where loads were rounded up */
            continue;
        if (!constant(c, v, &one))
            return false;
        sum += one;
        room -= coarse(c, s->load[v]);
        if (sum >= WIDE_MAX || sum <= -WIDE_MAX)
            return false;
    }
    *same = sum == *up && room == *down;
    *up = sum;
    *down = room;
    return room > 0;
}

static bool climb(struct compliant *c, weir_wide *up, int64_t *down)
{
    struct weir_edf_system *s = c->system;
    bool same = false;
    c->grid = s->grid >> c->shift;
    c->room = s->cores * c->grid;
    c->limit = WIDE_MAX / c->room;
    weir_wide total = 0;
    for (uint32_t v = 0; v < s->flow->node_count; v++)
        total += coarse(c, s->load[v]);
    weir_wide factor = (weir_wide)s->cores * c->shortest.numerator;
    if (factor >= c->limit) /* the total is no more than the room, up to one unit for each operator */
        return false;
    c->all = factor * total;
    *up = c->all;
    *down = c->room;
    while (!same)
        if (!step(c, up, down, &same))
            return false;
    return true;
}

/* s; first exactly, then on coarser grids and with a rounded period. None of them may fit. */
static bool find_s(struct weir_edf_system *s)
{
    struct compliant c = {.system = s, .shortest = s->operators[0].period};
    weir_wide up;
    int64_t down, largest = 0;
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        if (weir_ratio_compare(s->operators[v].period, c.shortest) < 0)
            c.shortest = s->operators[v].period;
        if (s->operators[v].cost > largest)
            largest = s->operators[v].cost;
    }
    struct weir_ratio shortest = c.shortest;
    for (bool found = climb(&c, &up, &down); !found; found = climb(&c, &up, &down)) {
        if (c.shift == 0 && c.shortest.denominator > 1024)
            c.shortest = (struct weir_ratio){
                (int64_t)(((weir_wide)shortest.numerator * 1024 + shortest.denominator - 1) / shortest.denominator), 1024};
        c.shift += 6;
        if (s->grid >> c.shift < 1024)
            return false;
    }
    weir_wide below = (weir_wide)s->cores * c.shortest.denominator;
    if (below >= WIDE_MAX / down || !weir_fraction_make(up, below * down, &s->s))
        return false;
    /* The proof wants no e_i / m above s where executions can be carried in; exact loads never have one. */
    struct weir_ratio floor;
    if (s->carry_in && weir_fraction_make(largest, s->cores, &floor) && weir_ratio_compare(s->s, floor) < 0)
        s->s = floor;
    return true;
}

/* ---- the least of them ---- */

static bool add_bound(struct weir_edf_operator *o, enum weir_edf_bound bound, struct weir_ratio response)
{
    o->applies[bound] = true;
    o->responses[bound] = response;
    return true;
}

static bool add_compliant(const struct weir_edf_system *s, struct weir_edf_operator *o, struct weir_ratio shortest)
{
    struct weir_ratio share, rest, response;
    if (!weir_fraction_make(-o->cost, s->cores, &share) || !weir_fraction_add(s->s, share, &rest))
        return false;
    if (rest.numerator < 0)
        rest = weir_fraction_of(0);
    if (!weir_fraction_add(o->period, (struct weir_ratio){-shortest.numerator, shortest.denominator}, &response) ||
        !weir_fraction_add(response, weir_fraction_of(o->cost), &response) || !weir_fraction_add(response, rest, &response))
        return false;
    return add_bound(o, WEIR_EDF_COMPLIANT, response);
}

static bool take_least(struct weir_edf_operator *o)
{
    bool found = false;
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++)
        if (o->applies[b] && (!found || weir_ratio_compare(o->responses[b], o->response) < 0)) {
            o->response = o->responses[b];
            o->by = (enum weir_edf_bound)b;
            found = true;
        }
    return found;
}

bool weir_edf_respond(struct weir_edf_system *s)
{
    uint32_t n = s->flow->node_count;
    bool no_miss = s->cores == 1 || s->total <= (weir_wide)s->cores * s->grid - (weir_wide)(s->cores - 1) * s->largest;
    bool has_x = find_x(s), has_s = find_s(s);
    struct weir_ratio shortest = s->operators[0].period;
    if (!has_x)
        s->x = weir_fraction_of(-1);
    if (!has_s)
        s->s = weir_fraction_of(-1);
    for (uint32_t v = 1; v < n; v++)
        if (weir_ratio_compare(s->operators[v].period, shortest) < 0)
            shortest = s->operators[v].period;
    for (uint32_t v = 0; v < n; v++) {
        struct weir_edf_operator *o = &s->operators[v];
        struct weir_ratio response;
        if (n <= s->cores)
            add_bound(o, WEIR_EDF_ALONE, weir_fraction_of(o->cost));
        if (no_miss)
            add_bound(o, WEIR_EDF_NO_MISS, o->period);
        if (has_x && weir_fraction_add(o->period, weir_fraction_of(o->cost), &response) &&
            weir_fraction_add(response, s->x, &response))
            add_bound(o, WEIR_EDF_DEVI_ANDERSON, response);
        if (has_s)
            add_compliant(s, o, shortest);
        if (!take_least(o))
            return false;
    }
    return true;
}
