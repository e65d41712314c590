/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Utilisations. All of them become multiples of 1 / grid: exactly where one grid fits them all, else rounded up, which every step
 * after this one takes as a heavier load; the answer stays safe.
 */
#include "base/error.h"
#include "engine/edf/system.h"

#include <assert.h>

/* Multiples of 1 / grid and their products with the cores stay below this. */
#define LOAD_MAX (INT64_C(1) << 61)

/* cost / period; costs and terms of periods are below WEIR_TIME_MAX. */
static bool utilize(struct weir_edf_operator *o, const struct weir_flow_node *node)
{
    o->period = node->period;
    o->repetitions = node->repetitions;
    o->cost = node->cost;
    int64_t common = weir_greatest_divisor(node->cost, node->period.numerator);
    weir_wide n = (weir_wide)(node->cost / common) * node->period.denominator;
    int64_t d = node->period.numerator / common;
    if (n < WEIR_FRACTION_MAX) {
        o->utilization = (struct weir_ratio){(int64_t)n, d};
        return n / d < WEIR_TIME_MAX;
    }
    return weir_fraction_make(n, d, &o->utilization);
}

static int64_t exact_grid(const struct weir_edf_system *s, int64_t limit)
{
    int64_t grid = 1;
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        int64_t d = s->operators[v].utilization.denominator;
        if (grid % d == 0)
            continue;
        weir_wide grown = (weir_wide)(grid / weir_greatest_divisor(grid, d)) * d;
        if (grown > limit)
            return 0;
        grid = (int64_t)grown;
    }
    return grid;
}

/* After this the load of every node, at most one core each, is there, and their sum. */
static void place_loads(struct weir_edf_system *s)
{
    int64_t most = s->cores > s->flow->node_count ? s->cores : s->flow->node_count;
    assert(most > 0);
    int64_t limit = LOAD_MAX / most;
    s->grid = exact_grid(s, limit);
    s->exact = s->grid > 0;
    for (s->grid = s->exact ? s->grid : 1; !s->exact && s->grid <= limit / 2;)
        s->grid *= 2;
    s->total = s->largest = 0;
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        const struct weir_ratio *u = &s->operators[v].utilization;
        s->load[v] = s->exact ? u->numerator * (s->grid / u->denominator)
                              : (int64_t)(((weir_wide)u->numerator * s->grid + u->denominator - 1) / u->denominator);
        s->total += s->load[v];
        if (s->load[v] > s->largest)
            s->largest = s->load[v];
    }
    s->carry_in = (uint32_t)(weir_ceil_divide(s->total, s->grid) - 1);
}

/* ---- reasons ---- */

/* In thousandths, rounded up: "1.25". */
static const char *write_cores(struct weir_ratio value, char text[WEIR_TIME_TEXT])
{
    weir_wide thousandths = ((weir_wide)value.numerator * 1000 + value.denominator - 1) / value.denominator;
    return weir_decimal_format(thousandths < WEIR_TIME_MAX ? (int64_t)thousandths : WEIR_TIME_MAX, 3, text);
}

static void tell_operators(const struct weir_edf_system *s, uint32_t worst, uint32_t count)
{
    char name[WEIR_QUOTED], needs[WEIR_TIME_TEXT], over[WEIR_TIME_TEXT];
    struct weir_ratio u = s->operators[worst].utilization;
    int used = snprintf(s->why, WEIR_EDF_WORDS,
                        "operator \"%s\" needs %s cores, %s more than the one it can have: it costs more than its period",
                        weir_quote(s->pipeline->operators[worst].name, name), write_cores(u, needs),
                        write_cores((struct weir_ratio){u.numerator - u.denominator, u.denominator}, over));
    if (count > 1 && used > 0 && used < WEIR_EDF_WORDS)
        snprintf(s->why + used, (size_t)(WEIR_EDF_WORDS - used), "; %u other%s as well", count - 1, count > 2 ? "s do" : " does");
}

static void tell_total(struct weir_edf_system *s, struct weir_ratio total)
{
    char needs[WEIR_TIME_TEXT], over[WEIR_TIME_TEXT];
    struct weir_ratio more;
    s->overloaded = s->exact || s->total - s->flow->node_count > (weir_wide)s->cores * s->grid;
    if (!s->overloaded) { /* only because each was rounded up */
        snprintf(s->why, WEIR_EDF_WORDS,
                 "whether %u core%s can do what the operators need cannot be decided: the load is so near to the limit that "
                 "numbers of this length do not show the difference",
                 s->cores, s->cores == 1 ? "" : "s");
        return;
    }
    if (!weir_fraction_add(total, weir_fraction_of(-(int64_t)s->cores), &more))
        more = total;
    snprintf(s->why, WEIR_EDF_WORDS, "the operators need %s cores in all, %s more than the %u there %s", write_cores(total, needs),
             write_cores(more, over), s->cores, s->cores == 1 ? "is" : "are");
}

bool weir_edf_load(struct weir_edf_system *s, struct weir_ratio *utilization, bool *schedulable)
{
    uint32_t worst = 0, over = 0;
    *schedulable = false;
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        struct weir_edf_operator *o = &s->operators[v];
        if (!utilize(o, &s->flow->nodes[v]))
            return false;
        if (o->utilization.numerator > o->utilization.denominator) {
            worst = over++ == 0 || weir_ratio_compare(o->utilization, s->operators[worst].utilization) > 0 ? v : worst;
        }
    }
    if (over) {
        *utilization = weir_fraction_of(0);
        for (uint32_t v = 0; v < s->flow->node_count; v++)
            if (!weir_fraction_add(*utilization, s->operators[v].utilization, utilization))
                return false;
        tell_operators(s, worst, over);
        s->overloaded = true;
        return true;
    }
    place_loads(s);
    if (!weir_fraction_make(s->total, s->grid, utilization))
        return false;
    *schedulable = s->total <= (weir_wide)s->cores * s->grid;
    if (!*schedulable)
        tell_total(s, *utilization);
    return true;
}

/* ---- ratios ---- */

static bool fits(weir_wide n)
{
    return n < WEIR_FRACTION_MAX && n > -WEIR_FRACTION_MAX;
}

/* A ratio with a power of two below the line, next above n / d. */
static bool round_up(weir_wide n, weir_wide d, struct weir_ratio *result)
{
    assert(d > 0);
    weir_wide whole = n / d, rest = n % d;
    if (rest < 0) {
        rest += d;
        whole--;
    }
    if (whole >= WEIR_TIME_MAX - 1 || whole <= -WEIR_TIME_MAX)
        return false;
    while (d >= WEIR_FRACTION_MAX) {
        rest = (rest + 1) >> 1;
        d >>= 1;
    }
    int bits = 0; /* (|whole| + 2) * 2^bits < 2^62 */
    for (weir_wide size = (whole < 0 ? -whole : whole) + 2; size < WEIR_FRACTION_MAX / 2; size <<= 1)
        bits++;
    weir_wide up = whole * ((weir_wide)1 << bits) + ((rest << bits) + d - 1) / d;
    while (bits > 0 && (up & 1) == 0) {
        up >>= 1;
        bits--;
    }
    *result = (struct weir_ratio){(int64_t)up, INT64_C(1) << bits};
    return true;
}

static bool settle(weir_wide n, weir_wide d, struct weir_ratio *result)
{
    if (!fits(n) || !fits(d))
        return round_up(n, d, result);
    *result = (struct weir_ratio){(int64_t)n, (int64_t)d};
    return (n < WEIR_TIME_MAX && n > -WEIR_TIME_MAX) ||
           (result->numerator / result->denominator < WEIR_TIME_MAX && result->numerator / result->denominator > -WEIR_TIME_MAX);
}

bool weir_fraction_make(weir_wide n, weir_wide d, struct weir_ratio *result)
{
    assert(d > 0);
    weir_wide divisor = weir_wide_divisor(n, d);
    assert(divisor > 0);
    return settle(n / divisor, d / divisor, result);
}

bool weir_fraction_add(struct weir_ratio a, struct weir_ratio b, struct weir_ratio *sum)
{
    int64_t common = weir_greatest_divisor(a.denominator, b.denominator);
    assert(common > 0);
    weir_wide n = (weir_wide)a.numerator * (b.denominator / common) + (weir_wide)b.numerator * (a.denominator / common);
    weir_wide d = (weir_wide)(a.denominator / common) * b.denominator;
    if (common > 1) { /* the sum of two in lowest terms can only be shortened by what both have below the line */
        int64_t shorter = weir_greatest_divisor(fits(n) ? (int64_t)n : (int64_t)(n % common), common);
        n /= shorter;
        d /= shorter;
    }
    return settle(n, d, sum);
}

bool weir_fraction_scale(struct weir_ratio a, int64_t up, int64_t down, struct weir_ratio *result)
{
    int64_t common = weir_greatest_divisor(up, down);
    assert(common > 0);
    up /= common;
    down /= common;
    int64_t first = weir_greatest_divisor(a.numerator, down), second = weir_greatest_divisor(up, a.denominator);
    assert(first > 0 && second > 0);
    return settle((weir_wide)(a.numerator / first) * (up / second), (weir_wide)(a.denominator / second) * (down / first), result);
}
