/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep over the starts. Free SMs are a list of ranges; launches under way wait in a heap for their ends. A launch takes the
 * smallest range that holds it, or else the largest ones, which is the fewest pieces. In a safe plan there always are enough.
 * Within a range it lies at the side of that neighbour which ends at about the same time, so that what gets free together lies
 * together.
 */
#include "answer/sms.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/number.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SMS_MAX (1 << 20)

struct sweep {
    const struct weir_gpu_plan *plan;
    struct weir_sms *sms;
    uint32_t *heap; /* launches under way; the one that ends first on top */
    size_t heap_count;
    struct weir_sm_range *pool; /* free, by SM, none next to another */
    size_t pool_count, pool_capacity;
    int64_t *until; /* by SM: when it gets free; kept at the ends of ranges, which is where it is asked for */
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

static bool ends_before(const struct sweep *s, const uint32_t *a, const uint32_t *b)
{
    int order = weir_ratio_compare(s->sms->end[*a], s->sms->end[*b]);
    return order != 0 ? order < 0 : *a < *b;
}

WEIR_HEAP(running, uint32_t, const struct sweep *, ends_before, WEIR_HEAP_STAYS);

/* ---- free SMs ---- */

static bool give(struct sweep *s, struct weir_sm_range run)
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

/* In thousandths of a tick, as far as that goes: to compare, not to compute with. */
static int64_t thousandths(struct weir_ratio ratio)
{
    weir_wide value = (weir_wide)ratio.numerator * 1000 / ratio.denominator;
    return value < WEIR_TIME_MAX ? (int64_t)value : WEIR_TIME_MAX;
}

/* The border of all SMs is as good a neighbour as can be. */
static int64_t misfit(const struct sweep *s, uint32_t sm, bool border, int64_t end)
{
    int64_t apart = border ? 0 : s->until[sm] - end;
    return apart < 0 ? -apart : apart;
}

static bool lies_right(const struct sweep *s, const struct weir_sm_range *range, int64_t end)
{
    uint32_t behind = range->sm + range->count;
    return misfit(s, behind, behind >= s->sms->count, end) < misfit(s, range->sm - 1, range->sm == 0, end);
}

static int by_sm(const void *left, const void *right)
{
    const struct weir_sm_range *a = left, *b = right;
    return a->sm < b->sm ? -1 : a->sm > b->sm;
}

/* Takes up to so many from one range of the pool; how many. */
static uint32_t take_piece(struct sweep *s, uint32_t wanted, int64_t end)
{
    struct weir_sms *l = s->sms;
    size_t at = choose(s, wanted);
    struct weir_sm_range *from = &s->pool[at];
    uint32_t count = from->count < wanted ? from->count : wanted;
    bool right = lies_right(s, from, end);
    struct weir_sm_range range = {right ? from->sm + from->count - count : from->sm, count};
    l->ranges[l->range_count++] = range;
    s->until[range.sm] = s->until[range.sm + count - 1] = end;
    from->sm += right ? 0 : count;
    from->count -= count;
    if (from->count == 0) {
        memmove(from, from + 1, (s->pool_count - at - 1) * sizeof *from);
        s->pool_count--;
    }
    return count;
}

/* Fewer are free than it needs only in a plan that is not safe: the rest are SMs that do not exist. */
static enum weir_status take(struct sweep *s, uint32_t wanted, int64_t end, struct weir_error *error)
{
    struct weir_sms *l = s->sms;
    size_t first = l->range_count;
    uint64_t available = 0;
    for (size_t i = 0; i < s->pool_count; i++)
        available += s->pool[i].count;
    if (available < wanted) {
        uint32_t missing = wanted - (uint32_t)available;
        if (missing > SMS_MAX - l->count)
            return weir_fail(error, WEIR_INVALID, "too much runs at once for a picture");
        if (!give(s, (struct weir_sm_range){l->count, missing}))
            return weir_fail_memory(error);
        l->count += missing;
    }
    if (!weir_reserve((void **)&s->until, &s->until_capacity, l->count, sizeof *s->until))
        return weir_fail_memory(error);
    while (wanted > 0) {
        if (!weir_reserve((void **)&l->ranges, &l->range_capacity, l->range_count + 1, sizeof *l->ranges))
            return weir_fail_memory(error);
        wanted -= take_piece(s, wanted, end);
    }
    qsort(&l->ranges[first], l->range_count - first, sizeof *l->ranges, by_sm);
    return WEIR_OK;
}

/* ---- the sweep ---- */

struct start {
    struct weir_ratio at;
    uint32_t sms, launch;
};

static int by_start(const void *left, const void *right)
{
    const struct start *a = left, *b = right;
    int order = weir_ratio_compare(a->at, b->at);
    if (order != 0)
        return order;
    if (a->sms != b->sms) /* the wide ones first, so that they lie side by side */
        return a->sms > b->sms ? -1 : 1;
    return a->launch < b->launch ? -1 : a->launch > b->launch;
}

static bool sort(const struct weir_gpu_plan *plan, uint32_t *order)
{
    struct start *starts = weir_array(plan->launch_count, sizeof *starts);
    if (!starts)
        return false;
    for (uint32_t i = 0; i < plan->launch_count; i++)
        starts[i] = (struct start){plan->launches[i].start, plan->launches[i].sms, i};
    qsort(starts, plan->launch_count, sizeof *starts, by_start);
    for (size_t i = 0; i < plan->launch_count; i++)
        order[i] = starts[i].launch;
    weir_free(starts);
    return true;
}

/* Ranges in the order of the sweep; first_range[i] tells, for now, where those of launch i begin. */
static enum weir_status walk(struct sweep *s, size_t *counts, struct weir_error *error)
{
    const struct weir_gpu_plan *plan = s->plan;
    struct weir_sms *l = s->sms;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < plan->launch_count && status == WEIR_OK; i++) {
        uint32_t launch = l->order[i], wanted = plan->launches[launch].sms;
        while (s->heap_count > 0 && weir_ratio_compare(l->end[s->heap[0]], plan->launches[launch].start) <= 0) {
            uint32_t over = running_pop(s, s->heap, &s->heap_count);
            for (size_t k = 0; k < counts[over]; k++)
                if (!give(s, l->ranges[l->first_range[over] + k]))
                    return weir_fail_memory(error);
        }
        l->first_range[launch] = l->range_count;
        status = take(s, wanted < plan->sms ? wanted : plan->sms, thousandths(l->end[launch]), error);
        counts[launch] = l->range_count - l->first_range[launch];
        running_push(s, s->heap, &s->heap_count, launch);
    }
    return status;
}

/* The same ranges in the order of the launches. */
static enum weir_status gather(struct weir_sms *l, const size_t *counts, size_t launches, struct weir_error *error)
{
    struct weir_sm_range *sorted = weir_array(l->range_count, sizeof *sorted);
    size_t used = 0;
    assert(counts && l->first_range);
    if (!sorted)
        return weir_fail_memory(error);
    for (size_t i = 0; i < launches; i++) {
        size_t begin = l->first_range[i];
        l->first_range[i] = used;
        for (size_t k = 0; k < counts[i]; k++)
            sorted[used++] = l->ranges[begin + k];
    }
    l->first_range[launches] = used;
    weir_free(l->ranges);
    l->ranges = sorted;
    l->range_capacity = l->range_count;
    return WEIR_OK;
}

enum weir_status weir_sms_assign(const struct weir_gpu_plan *plan, struct weir_sms *sms, struct weir_error *error)
{
    size_t count = plan->launch_count;
    *sms = (struct weir_sms){.count = plan->sms};
    struct sweep s = {.plan = plan, .sms = sms};
    size_t *counts = weir_array_zeroed(count, sizeof *counts);
    s.heap = weir_array(count, sizeof *s.heap);
    sms->order = weir_array(count, sizeof *sms->order);
    sms->first_range = weir_array_zeroed(count + 1, sizeof *sms->first_range);
    sms->end = weir_array(count, sizeof *sms->end);
    bool room = counts && s.heap && sms->order && sms->first_range && sms->end && sort(plan, sms->order) &&
                give(&s, (struct weir_sm_range){0, plan->sms});
    for (size_t i = 0; room && i < count; i++)
        sms->end[i] = end_of(plan, &plan->launches[i]);
    enum weir_status status = room ? walk(&s, counts, error) : weir_fail_memory(error);
    if (status == WEIR_OK)
        status = gather(sms, counts, count, error);
    weir_free(counts);
    weir_free(s.heap);
    weir_free(s.pool);
    weir_free(s.until);
    if (status != WEIR_OK)
        weir_sms_free(sms);
    return status;
}

void weir_sms_free(struct weir_sms *sms)
{
    weir_free(sms->first_range);
    weir_free(sms->ranges);
    weir_free(sms->order);
    weir_free(sms->end);
    *sms = (struct weir_sms){0};
}
