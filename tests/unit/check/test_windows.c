/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about random trees of operators on a pool of cores, a little off: the checker accepts windows that close as windows.h says
 * it, and of offsets, latencies and capacities the least that follow (docs/concepts/pool-of-cores.md, sections 4 to 7).
 */
#include "windows.h"

#include "../engine/edf/pool.h"
#include "base/number.h"
#include "base/random.h"
#include "check/edf/flow.h"
#include "support/runner.h"

#include <string.h>

enum { FLOWS = 4000, FORGERIES = 6 };

/* ---- flows ---- */

struct draft {
    struct weir_pipeline *pipeline;
    uint32_t count, part[WINDOWS_NODES];
    int parent[WINDOWS_NODES];
    uint32_t rates[WINDOWS_NODES][4]; /* of the queue from the parent */
    bool loose, bursty;
};

/* Trees of operators, one for each source. */
static void draw(struct weir_random *random, struct draft *d)
{
    static const int64_t periods[] = {4, 6, 8, 12};
    int64_t period[WINDOWS_NODES];
    *d = (struct draft){.count = (uint32_t)weir_random_between(random, 3, WINDOWS_NODES),
                        .loose = weir_random_between(random, 0, 2) == 0};
    d->bursty = d->loose && weir_random_between(random, 0, 2) == 0;
    bool initial = weir_random_between(random, 0, 1) == 0;
    d->pipeline = pool_new((uint32_t)weir_random_between(random, 1, 3));
    for (uint32_t v = 0; v < d->count; v++) {
        bool source = v == 0 || weir_random_between(random, 0, 2) == 0;
        uint32_t up = 1, down = 1;
        d->parent[v] = source ? -1 : (int)weir_random_between(random, 0, v - 1);
        d->part[v] = source ? v : d->part[d->parent[v]];
        period[v] = source ? periods[weir_random_between(random, 0, 3)] : period[d->parent[v]];
        if (!source && weir_random_between(random, 0, 2) == 0) {
            up = period[v] > 2 && weir_random_between(random, 0, 1) ? (uint32_t)weir_random_between(random, 2, 3) : 1;
            down = up > 1 || period[v] > 12 ? 1 : 2;
        }
        period[v] = period[v] * down / up;
        uint32_t threshold =
            down + (uint32_t)(weir_random_between(random, 0, initial ? 1 : 3) == 0 ? weir_random_between(random, 1, 4) : 0);
        uint32_t first = initial ? (uint32_t)weir_random_between(random, 0, threshold + (v % 2 ? 5 : 1)) : 0;
        memcpy(d->rates[v], (uint32_t[4]){up, down, threshold, first}, sizeof d->rates[v]);
        pool_add(d->pipeline, weir_random_between(random, 1, 1 + period[v] / 3));
        struct weir_source_spec spec = {.op = {v}, .period = period[v], .sporadic = d->loose && !d->bursty, .bursty = d->bursty};
        if (d->bursty) {
            spec.period *= 2;
            spec.count = 2;
        }
        if (!d->loose)
            spec.jitter = weir_random_between(random, 0, 2);
        if (!source)
            pool_queue(d->pipeline, (uint32_t)d->parent[v], v, d->rates[v]);
        else
            assert_int_equal(weir_pipeline_add_source(d->pipeline, &spec, NULL), WEIR_OK);
    }
    stage_seal(d->pipeline);
}

/* ---- claims ---- */

struct forgery {
    struct weir_edf_analysis analysis;
    struct weir_edf_operator operators[WINDOWS_NODES];
    uint32_t groups[WINDOWS_NODES];
    struct weir_flow_proof proof;
};

/* Windows, and what needs no parameters; false where there is more, or no window. */
static bool open_forgery(struct forgery *f, const struct weir_edf_analysis *a, uint32_t count)
{
    bool any = false;
    *f = (struct forgery){.analysis = *a};
    memcpy(f->operators, a->operators, count * sizeof *a->operators);
    for (uint32_t v = 0; v < count; v++) {
        struct weir_edf_operator *o = &f->operators[v];
        f->groups[v] = v;
        o->applies[WEIR_EDF_DEVI_ANDERSON] = o->applies[WEIR_EDF_COMPLIANT] = false;
        any = any || o->applies[WEIR_EDF_WINDOW];
        if (!o->applies[o->by])
            return false;
    }
    f->analysis.operators = f->operators;
    f->proof = (struct weir_flow_proof){&f->analysis, {-1, 1}, {-1, 1}, f->groups};
    return any;
}

static int64_t scaled(struct weir_ratio r, int64_t scale)
{
    return (int64_t)(((weir_wide)r.numerator * scale + r.denominator - 1) / r.denominator);
}

/* The batch of the source that execution j of v needs; not positive: none. */
static int64_t need_of(const struct draft *d, uint32_t v, int64_t j)
{
    for (; d->parent[v] >= 0 && j > 0; v = (uint32_t)d->parent[v]) {
        int64_t samples = (j - 1) * d->rates[v][1] + d->rates[v][2] - d->rates[v][3];
        j = samples > 0 ? (samples + d->rates[v][0] - 1) / d->rates[v][0] : 0;
    }
    return j;
}

/* Lines and phi (sections 4, 6 and 7). */
static void follow(struct windows *o, const struct draft *d, uint32_t v)
{
    struct windows_node *n = &o->n[v];
    if (d->parent[v] < 0) {
        n->source = n->p;
        n->held = d->bursty ? n->p : 0; /* 2 p (2 - 1) / 2 */
        n->early = n->p + n->held;
    } else {
        const struct windows_node *u = &o->n[d->parent[v]];
        int64_t up = d->rates[v][0], down = d->rates[v][1], want = (int64_t)d->rates[v][2] - d->rates[v][3];
        assert_int_equal(u->p % up, 0); /* and no two rates have a divisor */
        n->source = u->source;
        n->held = u->held;
        n->cut = want <= 0;
        n->idle = d->loose && (n->cut || u->idle);
        n->gap = u->p / up * (down - want);
        n->early = (n->cut && u->early < 0 ? 0 : u->early) + n->gap;
        n->line = u->idle ? u->line + u->r + u->p / up * (want - 1) : 0;
        n->line = n->line > 0 ? n->line : 0;
    }
    if (n->idle) { /* by way of the one queue */
        const struct windows_node *u = &o->n[d->parent[v]];
        n->high = u->high + n->gap;
        n->low = u->low + n->gap - u->p / d->rates[v][0] * ((int64_t)d->rates[v][0] - 1);
    }
    for (int64_t j = 1; !n->even && !n->idle && j <= 2 * o->turns[v]; j++) {
        int64_t phi = j * n->p - need_of(d, v, j) * n->source;
        n->high = j == 1 || phi > n->high ? phi : n->high;
        n->low = j == 1 || phi < n->low ? phi : n->low;
    }
    n->ahead = n->even ? n->o + n->early - n->p : n->o + n->held;
    if (n->idle && n->line + n->early - n->p > n->ahead)
        n->ahead = n->line + n->early - n->p;
    n->ahead = n->ahead > 0 ? n->ahead : 0;
}

static void open_oracle(struct windows *o, const struct draft *d, const struct forgery *f)
{
    int64_t scale = 1;
    for (uint32_t v = 0; v < d->count; v++)
        scale *= f->operators[v].period.denominator / weir_greatest_divisor(scale, f->operators[v].period.denominator);
    scale *= f->analysis.cores > 1 ? 12 : 1;
    *o = (struct windows){.count = d->count, .cores = f->analysis.cores};
    for (uint32_t v = 0; v < d->count; v++)
        if (f->operators[v].applies[WEIR_EDF_WINDOW]) {
            int64_t down = f->operators[v].responses[WEIR_EDF_WINDOW].denominator;
            scale *= down / weir_greatest_divisor(scale, down);
        }
    for (uint32_t v = 0; v < d->count; v++) {
        const struct weir_edf_operator *op = &f->operators[v];
        o->n[v] = (struct windows_node){.e = op->cost * scale,
                                        .p = scaled(op->period, scale),
                                        .r = scaled(op->response, scale),
                                        .claim = op->applies[WEIR_EDF_WINDOW] ? scaled(op->responses[WEIR_EDF_WINDOW], scale) : 0,
                                        .o = scaled(op->offset, scale),
                                        .part = d->part[v],
                                        .group = f->groups[v],
                                        .parent = d->parent[v],
                                        .even = !d->loose};
        o->turns[v] = op->repetitions;
        follow(o, d, v);
    }
}

struct seen {
    long asked, accepted, moved;
    long apart;              /* with some that are taken together */
    long edges;              /* where it depends on a window that need not be looked at */
    long sporadic, kinds[4]; /* even: by cores */
};

static void tell(const struct draft *d, const struct windows *o, const char *why)
{
    weir_pipeline_write_yaml(d->pipeline, stdout, NULL);
    for (uint32_t v = 0; v < o->count; v++)
        printf("%u: claim %ld, response %ld, o %ld, early %ld, period %ld, group %u\n", v, (long)o->n[v].claim, (long)o->n[v].r,
               (long)o->n[v].o, (long)o->n[v].early, (long)o->n[v].p, o->n[v].group);
    fail_msg("the checker disagrees: '%s'", why);
}

static void compare(const struct draft *d, struct forgery *f, struct seen *seen)
{
    struct windows o;
    char why[160] = "";
    bool holds = false, groups_hold = true;
    long pairs = 0;
    open_oracle(&o, d, f);
    for (uint32_t k = 0; k < o.count; k++)
        for (uint32_t v = 0; v < o.count; v++)
            if (v != k && o.n[v].group == o.n[k].group) {
                pairs++;
                groups_hold = groups_hold && windows_are_apart(&o, v, k);
            }
    assert_int_equal(weir_flow_check(&f->proof, &holds, why), WEIR_OK);
    if (groups_hold != (holds || !strstr(why, "at the same time")))
        tell(d, &o, why);
    if (!groups_hold)
        return;
    seen->asked++;
    seen->apart += pairs > 0;
    seen->kinds[o.cores] += o.n[0].even;
    seen->sporadic += !o.n[0].even;
    seen->accepted += holds;
    bool good = windows_close(&o, false), surely = good && windows_close(&o, true);
    seen->edges += good != surely;
    if (holds ? !good : surely)
        tell(d, &o, why);
}

static void forge(struct weir_random *random, const struct draft *d, const struct weir_edf_analysis *a, struct seen *seen)
{
    struct forgery f;
    for (int round = 0; round < FORGERIES; round++) {
        if (!open_forgery(&f, a, d->count))
            return;
        for (uint32_t v = 0; v < d->count; v++) {
            struct weir_edf_operator *o = &f.operators[v];
            if (round > 0 && weir_random_between(random, 0, 1) && v > 0) /* with an earlier one of its part */
                for (uint32_t k = 0; k < v; k++)
                    if (d->part[k] == d->part[v] && weir_random_between(random, 0, 1))
                        f.groups[v] = f.groups[k];
            if (round < 2 || o->by != WEIR_EDF_WINDOW || weir_random_between(random, 0, 2) > 0)
                continue;
            int64_t less = weir_random_between(random, 1, round < 4 ? 1 : 2 * o->response.denominator);
            if (o->response.numerator - less >= o->cost * o->response.denominator)
                o->response.numerator -= less;
            o->responses[WEIR_EDF_WINDOW] = o->response;
        }
        compare(d, &f, seen);
    }
}

/* ---- offsets, latencies, capacities ---- */

/* The least that follows from the claims before it (sections 4 to 7). */
static int64_t least_offset(const struct windows *o, const struct draft *d, uint32_t v)
{
    const struct windows_node *n = &o->n[v], *u = &o->n[d->parent[v]];
    int64_t want = (int64_t)d->rates[v][2] - d->rates[v][3];
    if (n->even) {
        int64_t line = u->o + u->r + u->p / d->rates[v][0] * (want - 1);
        return line > 0 ? line : 0;
    }
    int64_t after = u->o + u->r + n->high - n->low, begun = n->line + n->high - n->p + n->source;
    return after > begun ? after : begun;
}

static int64_t least_latency(const struct windows *o, const struct draft *d, uint32_t to)
{
    int64_t time = o->n[to].o + o->n[to].r + (o->n[to].even ? 0 : o->n[to].held);
    for (uint32_t v = to; o->n[to].even && d->parent[v] >= 0; v = (uint32_t)d->parent[v])
        time += o->n[d->parent[v]].p / d->rates[v][0] * ((int64_t)d->rates[v][0] - 1 + d->rates[v][3]);
    return time;
}

/* Fewer samples than the initial ones and what is made in a time. */
static int64_t least_capacity(const struct windows *o, const struct draft *d, uint32_t v)
{
    const struct windows_node *n = &o->n[v], *u = &o->n[d->parent[v]];
    int64_t time = n->o + n->r + u->early, up = d->rates[v][0];
    if (!n->even) {
        time = u->held + n->o + n->r + u->high - n->low + n->p;
        if ((n->idle || u->idle) && n->line + n->r + u->early > time)
            time = n->line + n->r + u->early;
    }
    int64_t more = time > 0 ? (time * up + u->p - 1) / u->p - 1 : -1;
    return d->rates[v][3] + (more > 0 ? more : 0);
}

static bool is_refused(const struct forgery *f, const char *format, uint32_t which, int64_t number)
{
    char why[160] = "", words[160];
    bool holds = true;
    assert_int_equal(weir_flow_check(&f->proof, &holds, why), WEIR_OK);
    snprintf(words, sizeof words, format, which, number);
    if (!holds && strcmp(why, words) != 0)
        fail_msg("'%s', not '%s'", why, words);
    return !holds;
}

/* A claim in parts of `scale`: the least holds, and a part less does not. */
static void move(const struct draft *d, struct forgery *f, struct weir_ratio *claim, int64_t value, int64_t scale,
                 const char *words, uint32_t which)
{
    struct weir_ratio honest = *claim;
    struct windows o;
    open_oracle(&o, d, f);
    *claim = (struct weir_ratio){value, scale};
    if (is_refused(f, words, which, 0))
        tell(d, &o, words);
    claim->numerator--;
    if (value > 0 && !is_refused(f, words, which, 0))
        tell(d, &o, words);
    *claim = honest;
}

static void move_each(const struct draft *d, const struct weir_edf_analysis *a, long *moved)
{
    struct forgery f;
    struct windows o;
    struct weir_edf_latency latencies[WINDOWS_NODES * WINDOWS_NODES];
    struct weir_buffer buffers[WINDOWS_NODES];
    char why[160];
    bool holds = false;
    if (!open_forgery(&f, a, d->count))
        return;
    assert_int_equal(weir_flow_check(&f.proof, &holds, why), WEIR_OK);
    if (!holds) /* some have to be taken together */
        return;
    ++*moved;
    assert_true(a->latency_count <= WINDOWS_NODES * WINDOWS_NODES);
    memcpy(latencies, a->latencies, a->latency_count * sizeof *latencies);
    memcpy(buffers, a->buffers, a->buffer_count * sizeof *buffers);
    f.analysis.latencies = latencies;
    f.analysis.buffers = buffers;
    open_oracle(&o, d, &f);
    int64_t scale = o.n[0].e / f.operators[0].cost;
    for (uint32_t i = 0; i < a->latency_count; i++)
        move(d, &f, &latencies[i].worst, least_latency(&o, d, latencies[i].chain.to.index), scale,
             "latency %u may be longer than claimed", i);
    uint32_t queue = 0;
    for (uint32_t v = 0; v < d->count; v++) {
        if (d->parent[v] < 0)
            continue;
        move(d, &f, &f.operators[v].offset, least_offset(&o, d, v), scale, "operator %u may be released later than claimed", v);
        int64_t honest = buffers[queue].capacity, need = least_capacity(&o, d, v);
        for (int64_t capacity = need; capacity >= need - 1 && capacity >= 0; capacity--) {
            buffers[queue].capacity = (uint32_t)capacity;
            f.analysis.buffer_total = a->buffer_total + capacity - honest;
            if (is_refused(&f, "queue %u may need more than %ld slots", queue, capacity) != (capacity < need))
                tell(d, &o, "capacity");
        }
        buffers[queue].capacity = (uint32_t)honest;
        f.analysis.buffer_total = a->buffer_total;
        queue++;
    }
}

TEST(test_every_window)
{
    struct seen seen = {0};
    for (uint64_t seed = 1; seed <= FLOWS; seed++) {
        struct weir_random random;
        struct weir_edf_analysis *a;
        struct draft d;
        weir_random_seed(&random, seed);
        draw(&random, &d);
        assert_int_equal(weir_edf_analyze(d.pipeline, NULL, &a, NULL), WEIR_OK);
        if (a->schedulable) {
            forge(&random, &d, a, &seen);
            move_each(&d, a, &seen.moved);
        }
        weir_edf_analysis_free(a);
        weir_pipeline_free(d.pipeline);
    }
    assert_true(seen.accepted * 5 > seen.asked && seen.accepted * 5 < 4 * seen.asked && seen.apart > 800 && seen.moved > 500);
    assert_true(seen.edges * 100 < seen.asked);
    for (int cores = 1; cores <= 3; cores++)
        assert_true(seen.kinds[cores] > 300 && seen.sporadic > 300);
}
