/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about windows on a pool of cores, at random and a little off: the checker accepts what the words of
 * docs/concepts/pool-of-cores.md, section 3, accept, said here once more in the plainest way: every moment at which a window can
 * begin, every execution, every distance on a grid, one by one.
 */
#include "../engine/edf/pool.h"
#include "base/number.h"
#include "base/random.h"
#include "check/edf/flow.h"
#include "model/flow.h"
#include "model/pipeline.h"
#include "support/runner.h"

#include <string.h>

enum { NODES = 7, FLOWS = 4000, FORGERIES = 6 };

struct node {
    int64_t e, p, r;         /* cost, period, the least response that is claimed */
    int64_t claim;           /* of its window; 0: none */
    int64_t o, early, ahead; /* behind a source that is not even, o is counted from the release there */
    uint32_t part, group;
    int parent; /* -1: a source */
    bool even;
    bool cut;          /* initial samples are enough for an execution, so that it need not wait for its parent */
    bool idle;         /* not even: there are executions that need no arrival ... */
    int64_t line;      /* ... by this line */
    int64_t high, low; /* not even: what phi is at most, and at least */
    int64_t held, source;
    int64_t gap;              /* to its parent */
    int64_t w, anew, carried; /* in the window that is looked at */
};

struct oracle {
    struct node n[NODES];
    uint32_t count;
    int64_t cores;
    int64_t turns[NODES];
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t sum_by_deadlines(const struct node *i, int64_t left)
{
    int64_t sum = 0;
    for (; left > 0; left -= i->p)
        sum += least(i->e, left);
    return sum;
}

/* Executions that are at most cut at both ends of a span. */
static int64_t sum_by_time(const struct node *i, int64_t span)
{
    int64_t rest = span - i->e, whole = 0;
    for (; rest >= i->p; rest -= i->p)
        whole++;
    return whole * i->e + least(i->e, rest);
}

/* The gap from `up` to `down`, if a path leads from one to the other. */
static bool find_gap(const struct oracle *o, uint32_t up, uint32_t down, int64_t *gap)
{
    *gap = 0;
    int at = (int)down;
    for (; at >= 0 && at != (int)up && !o->n[at].cut && !o->n[at].idle; at = o->n[at].parent)
        *gap += o->n[at].gap;
    return at == (int)up;
}

static bool on_one_clock(const struct oracle *o, uint32_t i, uint32_t k)
{
    return o->n[i].even && o->n[k].even && o->n[i].part == o->n[k].part;
}

enum look { STEP, ANEW, LEFT, TOGETHER };

/* What i runs beside execution `turn` of k, by their distances D on the grid; TOGETHER: whether there is one at all. A window that
 * begins less than `sooner` before the release. */
static int64_t on_grid(const struct oracle *o, uint32_t vi, uint32_t vk, int64_t turn, int64_t sooner, enum look look)
{
    const struct node *i = &o->n[vi], *k = &o->n[vk];
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

static int64_t in_step(const struct oracle *o, uint32_t vi, uint32_t vk, int64_t turn)
{
    const struct node *i = &o->n[vi], *k = &o->n[vk];
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

static int64_t in_turn(const struct oracle *o, uint32_t i, uint32_t k, int64_t turn, int64_t sooner, enum look look)
{
    return turn > 0 && on_one_clock(o, i, k) ? on_grid(o, i, k, turn, sooner, look) : INT64_MAX;
}

static int64_t plus(int64_t a, int64_t b)
{
    return a == INT64_MAX ? a : a + b;
}

/* What i runs in a window of that length with work left from before, in which deadlines count up to k's. */
static int64_t with_rest(const struct oracle *o, uint32_t vi, uint32_t vk, int64_t length, int64_t sooner, int64_t step)
{
    const struct node *i = &o->n[vi], *k = &o->n[vk];
    int64_t time = sum_by_time(i, length + i->r + i->ahead);
    return least(plus(step, sooner), least(time, sum_by_deadlines(i, sooner + k->p - i->p + i->r)));
}

/* Whether others keep all cores busy for y: all of them with w, and cores - 1 of them with what they carry besides. */
static bool is_kept_busy(const struct oracle *o, uint32_t k, int64_t y)
{
    int64_t work[NODES] = {0}, more[NODES] = {0}, over = 0, over_more = 0, sum = 0;
    for (uint32_t g = 0; g < o->count; g++) {
        int64_t left[NODES];
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

static bool window_closes(struct oracle *o, uint32_t k, int64_t turn)
{
    struct node *own = &o->n[k];
    for (uint32_t v = 0; v < o->count; v++) {
        o->n[v].anew = v == k ? 0 : with_rest(o, v, k, own->claim, 0, in_step(o, v, k, turn));
        o->n[v].carried = 0;
    }
    return !is_kept_busy(o, k, own->claim - own->e - sum_by_deadlines(own, own->r - own->p));
}

/* What of i was released in the window alone: from a before the release on, of that length. */
static int64_t released(const struct oracle *o, uint32_t i, uint32_t k, int64_t a, int64_t length, int64_t turn)
{
    const struct node *n = &o->n[i];
    int64_t counted = (a + o->n[k].p) / n->p * n->e;
    return least(counted, least(sum_by_deadlines(n, length + n->ahead), in_turn(o, i, k, turn, a + 1, ANEW)));
}

/* A window that begins a before the release. On one core `apart`: nobody is in step. */
static bool closes_from(struct oracle *o, uint32_t k, int64_t a, int64_t turn, bool apart, const int64_t steps[NODES])
{
    struct node *own = &o->n[k];
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
        struct node *n = &o->n[v];
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
static int64_t first_open(struct oracle *o, uint32_t k, int64_t turn, bool apart, int64_t last)
{
    int64_t steps[NODES];
    for (uint32_t v = 0; v < o->count; v++)
        steps[v] = v == k ? 0 : in_step(o, v, k, turn);
    for (int64_t a = 0; a <= last; a++)
        if (!closes_from(o, k, a, turn, apart, steps))
            return a;
    return INT64_MAX;
}

static int64_t common_period(const struct oracle *o)
{
    int64_t all = 1;
    for (uint32_t v = 0; v < o->count; v++)
        all *= o->n[v].p / weir_greatest_divisor(all, o->n[v].p);
    return all;
}

/* The largest a with cores a <= U (a + p) + (the cores - 1 largest u R, rounded up); -1: there is none. */
static int64_t last_start(const struct oracle *o, uint32_t k, int64_t all)
{
    int64_t load = 0, left[NODES], carried = 0;
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
static bool closes(struct oracle *o, uint32_t k, int64_t turn, bool more)
{
    int64_t all = common_period(o), last = last_start(o, k, all);
    if (window_closes(o, k, turn))
        return true;
    if (o->cores == 1 && (last < 0 || last >= all) && first_open(o, k, turn, true, all - 1) == INT64_MAX)
        return true;
    return last >= 0 && first_open(o, k, turn, false, last + more) == INT64_MAX;
}

static bool all_close(struct oracle *o, bool more)
{
    for (uint32_t k = 0; k < o->count; k++) {
        bool good = o->n[k].claim == 0 || closes(o, k, 0, more);
        if (!good && o->n[k].even) {
            good = true;
            for (int64_t turn = 1; turn <= o->turns[k] && good; turn++)
                good = closes(o, k, turn, more);
        }
        if (!good)
            return false;
    }
    return true;
}

static bool are_apart(const struct oracle *o, uint32_t i, uint32_t k)
{
    int64_t c;
    if (on_one_clock(o, i, k)) {
        for (int64_t j = 1; j <= o->n[i].p; j++)
            if (on_grid(o, i, k, j, 0, TOGETHER))
                return false;
        return true;
    }
    uint32_t up = find_gap(o, i, k, &c) ? i : k, down = up == i ? k : i;
    const struct node *a = &o->n[up], *b = &o->n[down];
    return !a->even && !b->even && find_gap(o, up, down, &c) && b->o + b->r + a->held + c + a->high - b->low <= a->p;
}

/* ---- flows ---- */

struct draft {
    struct weir_pipeline *pipeline;
    uint32_t count, part[NODES];
    int parent[NODES];
    uint32_t rates[NODES][4]; /* of the queue from the parent */
    bool loose, bursty;
};

/* Trees of operators, one for each source. */
static void draw(struct weir_random *random, struct draft *d)
{
    static const int64_t periods[] = {4, 6, 8, 12};
    int64_t period[NODES];
    *d = (struct draft){.count = (uint32_t)weir_random_between(random, 3, NODES), .loose = weir_random_between(random, 0, 2) == 0};
    d->bursty = d->loose && weir_random_between(random, 0, 2) == 0;
    bool initial = weir_random_between(random, 0, 2) == 0;
    d->pipeline = pool_new((uint32_t)weir_random_between(random, 1, 3));
    for (uint32_t v = 0; v < d->count; v++) {
        bool source = v == 0 || weir_random_between(random, 0, 2) == 0;
        uint32_t up = 1, down = 1;
        d->parent[v] = source ? -1 : (int)weir_random_between(random, 0, v - 1);
        d->part[v] = source ? v : d->part[d->parent[v]];
        period[v] = source ? periods[weir_random_between(random, 0, 3)] : period[d->parent[v]];
        if (!source && weir_random_between(random, 0, 2) == 0) {
            up = period[v] % 2 == 0 && period[v] > 2 && weir_random_between(random, 0, 1) ? 2 : 1;
            down = up == 2 || period[v] > 12 ? 1 : 2;
        }
        period[v] = period[v] * down / up;
        uint32_t threshold = down + (weir_random_between(random, 0, 3) == 0);
        uint32_t first = initial ? (uint32_t)weir_random_between(random, 0, threshold + 1) : 0;
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
    struct weir_edf_operator operators[NODES];
    uint32_t groups[NODES];
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
static void follow(struct oracle *o, const struct draft *d, uint32_t v)
{
    struct node *n = &o->n[v];
    if (d->parent[v] < 0) {
        n->source = n->p;
        n->held = d->bursty ? n->p : 0; /* 2 p (2 - 1) / 2 */
        n->early = n->p + n->held;
    } else {
        const struct node *u = &o->n[d->parent[v]];
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
        const struct node *u = &o->n[d->parent[v]];
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

static void open_oracle(struct oracle *o, const struct draft *d, const struct forgery *f)
{
    int64_t scale = f->analysis.cores > 1 ? 12 : 1;
    *o = (struct oracle){.count = d->count, .cores = f->analysis.cores};
    for (uint32_t v = 0; v < d->count; v++)
        if (f->operators[v].applies[WEIR_EDF_WINDOW]) {
            int64_t down = f->operators[v].responses[WEIR_EDF_WINDOW].denominator;
            scale *= down / weir_greatest_divisor(scale, down);
        }
    for (uint32_t v = 0; v < d->count; v++) {
        const struct weir_edf_operator *op = &f->operators[v];
        o->n[v] = (struct node){.e = op->cost * scale,
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

static void tell(const struct draft *d, const struct oracle *o, const char *why)
{
    weir_pipeline_write_yaml(d->pipeline, stdout, NULL);
    for (uint32_t v = 0; v < o->count; v++)
        printf("%u: claim %ld, response %ld, o %ld, early %ld, period %ld, group %u\n", v, (long)o->n[v].claim, (long)o->n[v].r,
               (long)o->n[v].o, (long)o->n[v].early, (long)o->n[v].p, o->n[v].group);
    fail_msg("the checker disagrees: '%s'", why);
}

static void compare(const struct draft *d, struct forgery *f, struct seen *seen)
{
    struct oracle o;
    char why[160] = "";
    bool holds = false, groups_hold = true;
    long pairs = 0;
    open_oracle(&o, d, f);
    for (uint32_t k = 0; k < o.count; k++)
        for (uint32_t v = 0; v < o.count; v++)
            if (v != k && o.n[v].group == o.n[k].group) {
                pairs++;
                groups_hold = groups_hold && are_apart(&o, v, k);
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
    bool good = all_close(&o, false), surely = good && all_close(&o, true);
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
static int64_t least_offset(const struct oracle *o, const struct draft *d, uint32_t v)
{
    const struct node *n = &o->n[v], *u = &o->n[d->parent[v]];
    int64_t want = (int64_t)d->rates[v][2] - d->rates[v][3];
    if (n->even) {
        int64_t line = u->o + u->r + u->p / d->rates[v][0] * (want - 1);
        return line > 0 ? line : 0;
    }
    int64_t after = u->o + u->r + n->high - n->low, begun = n->line + n->high - n->p + n->source;
    return after > begun ? after : begun;
}

static int64_t least_latency(const struct oracle *o, const struct draft *d, uint32_t to)
{
    int64_t time = o->n[to].o + o->n[to].r + (o->n[to].even ? 0 : o->n[to].held);
    for (uint32_t v = to; o->n[to].even && d->parent[v] >= 0; v = (uint32_t)d->parent[v])
        time += o->n[d->parent[v]].p / d->rates[v][0] * ((int64_t)d->rates[v][0] - 1 + d->rates[v][3]);
    return time;
}

/* Fewer samples than the initial ones and what is made in a time. */
static int64_t least_capacity(const struct oracle *o, const struct draft *d, uint32_t v)
{
    const struct node *n = &o->n[v], *u = &o->n[d->parent[v]];
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
    struct oracle o;
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
    struct oracle o;
    struct weir_edf_latency latencies[NODES * NODES];
    struct weir_buffer buffers[NODES];
    char why[160];
    bool holds = false;
    if (!open_forgery(&f, a, d->count))
        return;
    assert_int_equal(weir_flow_check(&f.proof, &holds, why), WEIR_OK);
    if (!holds) /* some have to be taken together */
        return;
    ++*moved;
    assert_true(a->latency_count <= NODES * NODES);
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
    assert_true(seen.accepted * 5 > seen.asked && seen.accepted * 5 < 4 * seen.asked && seen.apart > 1000 && seen.moved > 500);
    assert_true(seen.edges * 100 < seen.asked);
    for (int cores = 1; cores <= 3; cores++)
        assert_true(seen.kinds[cores] > 300 && seen.sporadic > 300);
}
