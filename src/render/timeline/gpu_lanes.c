/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep over the starts. Free SMs are a list of runs; launches under way wait in a heap for their ends. A launch takes the
 * smallest run that holds it, or else the largest ones, which is the fewest pieces. In a safe plan there always are enough. Within
 * a run it lies at the side of that neighbour which ends at about the same time, so that what gets free together lies together.
 */
#include "render/timeline/gpu_lanes.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define LANES_MAX (1 << 20)

struct turn {
    struct weir_ratio start;
    uint32_t sms, launch;
};

struct sweep {
    const struct weir_gpu_plan *plan;
    struct weir_gpu_lanes *lanes;
    bool narrow;
    struct turn *order; /* launches by start */
    uint32_t *heap;     /* those under way; the one that ends first on top */
    size_t heap_count;
    struct weir_gpu_run *pool; /* free, by SM, none next to another */
    size_t pool_count, pool_capacity;
    double *until; /* by lane: when it gets free; kept at the ends of runs, which is where it is asked for */
    size_t until_capacity;
};

uint32_t weir_gpu_waves(const struct weir_gpu_plan *plan, const struct weir_gpu_launch *launch)
{
    return launch->sms <= plan->sms || plan->sms == 0 ? 1 : (launch->sms - 1) / plan->sms + 1;
}

/* Rounded down where it does not fit: starts are rounded up then, so that nothing seems to overlap that does not. */
static struct weir_ratio end_of(const struct weir_gpu_plan *plan, const struct weir_gpu_launch *launch)
{
    struct weir_ratio start = weir_ratio_reduce(launch->start), time = launch->time;
    weir_wide numerator = (weir_wide)time.numerator * weir_gpu_waves(plan, launch), denominator = time.denominator;
    int64_t divisor = weir_greatest_divisor((int64_t)(numerator % denominator), time.denominator);
    numerator /= divisor;
    denominator /= divisor;
    /* Whole parts apart, so that the products below stay small. */
    weir_wide whole = start.numerator / start.denominator + numerator / denominator;
    weir_wide left = start.numerator % start.denominator, right = numerator % denominator;
    divisor = weir_greatest_divisor(start.denominator, (int64_t)denominator);
    weir_wide common = denominator / divisor * start.denominator;
    weir_wide rest = left * (denominator / divisor) + right * (start.denominator / divisor);
    while (common > INT64_MAX || whole > INT64_MAX / common - 1) {
        if (common < 2)
            return (struct weir_ratio){INT64_MAX, 1};
        common /= 2;
        rest = rest / 2 > 1 ? rest / 2 - 1 : 0;
    }
    return weir_ratio_reduce((struct weir_ratio){(int64_t)(whole * common + rest), (int64_t)common});
}

/* ---- launches under way ---- */

static bool ends_before(const struct sweep *s, uint32_t a, uint32_t b)
{
    int order = weir_ratio_compare(s->lanes->end[a], s->lanes->end[b]);
    return order != 0 ? order < 0 : a < b;
}

static void heap_push(struct sweep *s, uint32_t launch)
{
    size_t at = s->heap_count++;
    for (; at > 0 && ends_before(s, launch, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = launch;
}

static void heap_pop(struct sweep *s)
{
    uint32_t last = s->heap[--s->heap_count];
    size_t at = 0;
    for (size_t child = 1; child < s->heap_count; child = 2 * at + 1) {
        child += child + 1 < s->heap_count && ends_before(s, s->heap[child + 1], s->heap[child]);
        if (!ends_before(s, s->heap[child], last))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
}

/* ---- free SMs ---- */

static bool give(struct sweep *s, struct weir_gpu_run run)
{
    if (!weir_reserve((void **)&s->pool, &s->pool_capacity, s->pool_count + 1, sizeof *s->pool))
        return false;
    size_t at = 0;
    while (at < s->pool_count && s->pool[at].sm < run.sm)
        at++;
    bool joins_left = at > 0 && s->pool[at - 1].sm + s->pool[at - 1].count == run.sm;
    bool joins_right = at < s->pool_count && run.sm + run.count == s->pool[at].sm;
    if (joins_left && joins_right) {
        s->pool[at - 1].count += run.count + s->pool[at].count;
        memmove(&s->pool[at], &s->pool[at + 1], (s->pool_count - at - 1) * sizeof *s->pool);
        s->pool_count--;
    } else if (joins_left) {
        s->pool[at - 1].count += run.count;
    } else if (joins_right) {
        s->pool[at].sm = run.sm;
        s->pool[at].count += run.count;
    } else {
        memmove(&s->pool[at + 1], &s->pool[at], (s->pool_count - at) * sizeof *s->pool);
        s->pool[at] = run;
        s->pool_count++;
    }
    return true;
}

/* The smallest run that holds so many, or else the largest; there is one. */
static size_t choose(const struct sweep *s, uint32_t sms)
{
    size_t best = 0;
    for (size_t i = 1; i < s->pool_count; i++) {
        uint32_t here = s->pool[i].count, there = s->pool[best].count;
        if (there >= sms ? here >= sms && here < there : here > there)
            best = i;
    }
    return best;
}

static double value_of(struct weir_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

/* The border of all lanes is as good a neighbour as can be. */
static double misfit(const struct sweep *s, uint32_t lane, bool border, double end)
{
    double apart = border ? 0 : s->until[lane] - end;
    return apart < 0 ? -apart : apart;
}

static bool lies_right(const struct sweep *s, const struct weir_gpu_run *run, double end)
{
    uint32_t behind = run->sm + run->count;
    return misfit(s, behind, behind >= s->lanes->lane_count, end) < misfit(s, run->sm - 1, run->sm == 0, end);
}

static int by_sm(const void *left, const void *right)
{
    const struct weir_gpu_run *a = left, *b = right;
    return a->sm < b->sm ? -1 : a->sm > b->sm;
}

/* Fewer are free than it needs only in a plan that is not safe: the rest are SMs that do not exist. */
static enum weir_status take(struct sweep *s, uint32_t sms, struct weir_ratio end, struct weir_error *error)
{
    struct weir_gpu_lanes *l = s->lanes;
    size_t first = l->run_count;
    uint64_t available = 0;
    for (size_t i = 0; i < s->pool_count; i++)
        available += s->pool[i].count;
    if (available < sms) {
        uint32_t missing = sms - (uint32_t)available;
        if (missing > LANES_MAX - l->lane_count)
            return weir_fail(error, WEIR_INVALID, "too much runs at once for a picture");
        if (!give(s, (struct weir_gpu_run){l->lane_count, missing}))
            return weir_fail_memory(error);
        l->lane_count += missing;
    }
    if (!weir_reserve((void **)&s->until, &s->until_capacity, l->lane_count, sizeof *s->until))
        return weir_fail_memory(error);
    while (sms > 0) {
        size_t at = choose(s, sms);
        struct weir_gpu_run *from = &s->pool[at];
        uint32_t count = from->count < sms ? from->count : sms;
        if (!weir_reserve((void **)&l->runs, &l->run_capacity, l->run_count + 1, sizeof *l->runs))
            return weir_fail_memory(error);
        bool right = lies_right(s, from, value_of(end));
        struct weir_gpu_run run = {right ? from->sm + from->count - count : from->sm, count};
        l->runs[l->run_count++] = run;
        s->until[run.sm] = s->until[run.sm + count - 1] = value_of(end);
        from->sm += right ? 0 : count;
        from->count -= count;
        sms -= count;
        if (from->count == 0) {
            memmove(from, from + 1, (s->pool_count - at - 1) * sizeof *from);
            s->pool_count--;
        }
    }
    qsort(&l->runs[first], l->run_count - first, sizeof *l->runs, by_sm);
    return WEIR_OK;
}

/* ---- the sweep ---- */

static int by_start(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    int order = weir_ratio_compare(a->start, b->start);
    if (order != 0)
        return order;
    if (a->sms != b->sms) /* the wide ones first, so that they lie side by side */
        return a->sms > b->sms ? -1 : 1;
    return a->launch < b->launch ? -1 : a->launch > b->launch;
}

static void sort(struct sweep *s)
{
    size_t count = s->plan->launch_count;
    for (size_t i = 0; i < count; i++) {
        const struct weir_gpu_launch *launch = &s->plan->launches[i];
        s->order[i] = (struct turn){launch->start, launch->sms, (uint32_t)i};
    }
    qsort(s->order, count, sizeof *s->order, by_start);
}

/* Runs in the order of the sweep; first_run[i] tells, for now, where those of launch i begin. */
static enum weir_status walk(struct sweep *s, size_t *counts, struct weir_error *error)
{
    const struct weir_gpu_plan *plan = s->plan;
    struct weir_gpu_lanes *l = s->lanes;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < plan->launch_count && status == WEIR_OK; i++) {
        uint32_t launch = s->order[i].launch;
        while (s->heap_count > 0 && weir_ratio_compare(l->end[s->heap[0]], plan->launches[launch].start) <= 0) {
            uint32_t over = s->heap[0];
            heap_pop(s);
            for (size_t k = 0; k < counts[over]; k++)
                if (!give(s, l->runs[l->first_run[over] + k]))
                    return weir_fail_memory(error);
        }
        uint32_t sms = s->narrow ? 1 : plan->launches[launch].sms;
        l->first_run[launch] = l->run_count;
        status = take(s, s->narrow || sms < plan->sms ? sms : plan->sms, l->end[launch], error);
        counts[launch] = l->run_count - l->first_run[launch];
        heap_push(s, launch);
    }
    return status;
}

/* The same runs in the order of the launches. */
static enum weir_status gather(struct weir_gpu_lanes *l, const size_t *counts, size_t launches, struct weir_error *error)
{
    struct weir_gpu_run *sorted = weir_array(l->run_count, sizeof *sorted);
    size_t used = 0;
    if (!sorted)
        return weir_fail_memory(error);
    for (size_t i = 0; i < launches; i++) {
        size_t begin = l->first_run[i];
        l->first_run[i] = used;
        for (size_t k = 0; k < counts[i]; k++)
            sorted[used++] = l->runs[begin + k];
    }
    l->first_run[launches] = used;
    weir_free(l->runs);
    l->runs = sorted;
    l->run_capacity = l->run_count;
    return WEIR_OK;
}

static void find_ends(const struct weir_gpu_plan *plan, struct weir_gpu_lanes *l)
{
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *launch = &plan->launches[i];
        l->end[i] = end_of(plan, launch);
        double start = value_of(launch->start), end = value_of(l->end[i]);
        l->from = i == 0 || start < l->from ? start : l->from;
        l->to = end > l->to ? end : l->to;
    }
}

static enum weir_status lay_out(struct sweep *s, size_t *counts, struct weir_error *error)
{
    find_ends(s->plan, s->lanes);
    sort(s);
    if (!s->narrow) {
        s->lanes->lane_count = s->plan->sms;
        if (!give(s, (struct weir_gpu_run){0, s->plan->sms}))
            return weir_fail_memory(error);
    }
    enum weir_status status = walk(s, counts, error);
    return status == WEIR_OK ? gather(s->lanes, counts, s->plan->launch_count, error) : status;
}

enum weir_status weir_gpu_lanes_make(const struct weir_gpu_plan *plan, bool narrow, struct weir_gpu_lanes *lanes,
                                     struct weir_error *error)
{
    size_t count = plan->launch_count;
    *lanes = (struct weir_gpu_lanes){.sms = plan->sms};
    struct sweep s = {.plan = plan, .lanes = lanes, .narrow = narrow};
    size_t *counts = weir_array_zeroed(count, sizeof *counts);
    s.order = weir_array(count, sizeof *s.order);
    s.heap = weir_array(count, sizeof *s.heap);
    lanes->first_run = weir_array_zeroed(count + 1, sizeof *lanes->first_run);
    lanes->end = weir_array(count, sizeof *lanes->end);
    enum weir_status status =
        counts && s.order && s.heap && lanes->first_run && lanes->end ? lay_out(&s, counts, error) : weir_fail_memory(error);
    weir_free(counts);
    weir_free(s.order);
    weir_free(s.heap);
    weir_free(s.pool);
    weir_free(s.until);
    if (status != WEIR_OK)
        weir_gpu_lanes_free(lanes);
    return status;
}

void weir_gpu_lanes_free(struct weir_gpu_lanes *lanes)
{
    weir_free(lanes->first_run);
    weir_free(lanes->runs);
    weir_free(lanes->end);
    *lanes = (struct weir_gpu_lanes){0};
}
