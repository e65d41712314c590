/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large a batch should be. Utilisation falls as batches grow (init costs are shared by more samples), so that the smallest
 * schedulable batch is found by bisection. Latency has no such order: from there on every size is looked at (after many, every
 * thousandth more), until what no larger batch can avoid takes longer than the lowest latency found, or than a limit allows. Where
 * there is such a limit, the largest batch that keeps it, which has the lowest utilisation, gets a place in the table.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "explore/result.h"
#include "model/pipeline.h"

#include <stdlib.h>

#define FACTOR_MAX 1000000
#define EVERY_SIZE 10000 /* how many sizes are looked at one by one */

struct search {
    const struct weir_pipeline *pipeline;
    const struct weir_batch_options *options;
    int64_t factor_max;
    struct weir_batch_point *points; /* all that are to be in the table */
    size_t count, capacity;
    struct weir_batch_point smallest, lowest, largest; /* factor 0: none */
    struct weir_batch_point chosen;
    struct weir_pipeline *best;
    size_t merges;
    bool limited; /* some latency has a limit */
    bool interrupted;
    struct weir_error *error;
};

/* What holds for this batch and every larger one. */
struct batch_floor {
    struct weir_ratio latency; /* the longest of all chains is at least this: samples gather, and their last execution takes time */
    bool hopeless;             /* some limit on a latency cannot be kept */
};

/* ---- one batched model ---- */

static bool keeps_utilization(const struct weir_batch_options *options, struct weir_ratio utilization)
{
    return options->utilization.denominator == 0 || weir_ratio_compare(utilization, options->utilization) <= 0;
}

static bool exceeds(struct weir_ratio value, int64_t limit)
{
    return weir_ratio_compare(value, (struct weir_ratio){limit, 1}) > 0;
}

/* Gathering, and the cost of the last execution, only grow with the batch. They are compared one by one: their sum need not fit. */
static void raise_floor(const struct weir_edf_analysis *a, const struct weir_edf_latency *l,
                        const struct weir_batch_options *options, struct batch_floor *floor)
{
    struct weir_ratio parts[2] = {l->gathering, {a->operators[l->chain.to.index].cost, 1}};
    for (int i = 0; i < 2; i++) {
        if (weir_ratio_compare(parts[i], floor->latency) > 0)
            floor->latency = parts[i];
        floor->hopeless |= l->chain.has_deadline && exceeds(parts[i], l->chain.deadline);
        floor->hopeless |= options->within && exceeds(parts[i], options->within);
    }
}

/* What a batched model comes to. `floor` may be NULL. */
static enum weir_status judge(const struct weir_pipeline *batched, const struct weir_batch_options *options,
                              struct weir_batch_point *point, struct batch_floor *floor, struct weir_error *error)
{
    struct weir_edf_options how = {.cores = options->cores};
    struct weir_edf_analysis *a = NULL;
    enum weir_status status = weir_edf_analyze(batched, &how, &a, error);
    if (status)
        return status;
    point->schedulable = a->schedulable;
    point->utilization = a->utilization;
    point->latency = (struct weir_ratio){0, a->schedulable ? 1 : 0};
    point->within = a->schedulable && keeps_utilization(options, a->utilization);
    if (floor)
        *floor = (struct batch_floor){{0, 1}, false};
    for (size_t i = 0; i < a->latency_count && a->schedulable; i++) {
        const struct weir_edf_latency *l = &a->latencies[i];
        if (!l->bounded)
            point->latency.denominator = 0;
        else if (point->latency.denominator && weir_ratio_compare(l->worst, point->latency) > 0)
            point->latency = l->worst;
        if (floor)
            raise_floor(a, l, options, floor);
        point->within &= l->bounded && !(l->chain.has_deadline && exceeds(l->worst, l->chain.deadline)) &&
                         !(options->within && exceeds(l->worst, options->within));
    }
    weir_edf_analysis_free(a);
    return WEIR_OK;
}

/* Within the limits before not; then the lower latency; then the lower utilisation. */
static bool is_better(const struct weir_batch_point *a, const struct weir_batch_point *b)
{
    if (a->within != b->within)
        return a->within;
    if (a->schedulable != b->schedulable)
        return a->schedulable;
    if ((a->latency.denominator == 0) != (b->latency.denominator == 0))
        return a->latency.denominator != 0;
    int order = a->latency.denominator ? weir_ratio_compare(a->latency, b->latency) : 0;
    return order < 0 || (order == 0 && weir_ratio_compare(a->utilization, b->utilization) < 0);
}

static bool stopped(struct search *s)
{
    s->interrupted |= weir_result_stopped(s->options->stop);
    return s->interrupted;
}

/* *known is false where batches of this size cannot be counted, or the analysis was broken off. */
static enum weir_status look(struct search *s, int64_t factor, struct weir_batch_point *point, struct batch_floor *floor,
                             bool *known)
{
    struct weir_pipeline *batched = NULL;
    enum weir_status status = weir_pipeline_batch(s->pipeline, s->options->batching, factor, &batched, s->error);
    *point = (struct weir_batch_point){.factor = factor};
    *known = status == WEIR_OK;
    if (!status)
        status = judge(batched, s->options, point, floor, s->error);
    weir_pipeline_free(batched);
    *known = *known && status != WEIR_OVERFLOW && !stopped(s);
    return status == WEIR_OVERFLOW ? WEIR_OK : status;
}

/* ---- the smallest, and the one of the lowest latency ---- */

static bool fits(const struct search *s, const struct weir_batch_point *point)
{
    return point->schedulable && keeps_utilization(s->options, point->utilization);
}

/* Too large a batch cannot be counted; whether one that can is large enough is for the bisection to find. */
static enum weir_status find_smallest(struct search *s)
{
    struct weir_batch_point point, found = {0};
    int64_t low = 0, high = 0; /* low does not fit; high does, or cannot be counted */
    bool known;
    enum weir_status status = WEIR_OK;
    for (int64_t factor = 1; !status && !high && low < s->factor_max && !stopped(s);
         factor = factor > s->factor_max / 2 ? s->factor_max : 2 * factor) {
        status = look(s, factor, &point, NULL, &known);
        if (!status && known && !fits(s, &point))
            low = factor;
        else
            high = factor;
        if (!status && high && known)
            found = point;
    }
    while (!status && high - low > 1 && !stopped(s)) {
        int64_t middle = low + (high - low) / 2;
        status = look(s, middle, &point, NULL, &known);
        if (!status && known && !fits(s, &point))
            low = middle;
        else
            high = middle;
        if (!status && high == middle && known)
            found = point;
    }
    if (!s->interrupted)
        s->smallest = found;
    return status;
}

/* Whether larger batches are of interest: for a lower latency, or for a lower utilisation within a limit. */
static bool is_done(const struct search *s, const struct batch_floor *floor)
{
    bool lower = !s->lowest.factor || weir_ratio_compare(floor->latency, s->lowest.latency) < 0;
    return floor->hopeless || (!lower && !s->limited);
}

static enum weir_status find_lowest(struct search *s)
{
    enum weir_status status = WEIR_OK;
    bool known = true;
    int64_t first = s->smallest.factor, factor = first;
    for (int64_t looked = 1; first && factor <= s->factor_max && !status && !stopped(s); looked++) {
        struct weir_batch_point point;
        struct batch_floor floor;
        status = look(s, factor, &point, &floor, &known);
        if (status || !known)
            break;
        if (point.within && (!s->lowest.factor || is_better(&point, &s->lowest)))
            s->lowest = point;
        if (point.within && s->limited)
            s->largest = point;
        if (is_done(s, &floor))
            break;
        if (s->options->progress && looked % 64 == 0) /* its progress is not known */
            s->options->progress(s->options->context, (unsigned)(looked * 900 / (looked + 2000)));
        factor += looked < EVERY_SIZE ? 1 : 1 + factor / 1000;
    }
    return status;
}

/* ---- the table ---- */

static enum weir_status keep(struct search *s, struct weir_batch_point point)
{
    void *list = s->points;
    if (!weir_reserve(&list, &s->capacity, s->count + 1, sizeof *s->points))
        return weir_fail_memory(s->error);
    s->points = list;
    s->points[s->count++] = point;
    return WEIR_OK;
}

static int by_factor(const void *left, const void *right)
{
    const struct weir_batch_point *a = left, *b = right;
    return (a->factor > b->factor) - (a->factor < b->factor);
}

static bool is_found(const struct search *s, int64_t factor)
{
    return factor == s->smallest.factor || factor == s->lowest.factor || factor == s->largest.factor;
}

/* What was found, each size once. */
static enum weir_status keep_found(struct search *s)
{
    enum weir_status status = s->smallest.factor ? keep(s, s->smallest) : WEIR_OK;
    if (!status && s->lowest.factor && s->lowest.factor != s->smallest.factor)
        status = keep(s, s->lowest);
    if (!status && s->largest.factor && s->largest.factor != s->smallest.factor && s->largest.factor != s->lowest.factor)
        status = keep(s, s->largest);
    return status;
}

/* 1, 2, 3, 4, 6, 8, 12, 16 ... beyond what was found, so that the table shows both sides of it. */
static enum weir_status fill_table(struct search *s)
{
    int64_t middle = s->largest.factor    ? s->largest.factor / 2 + 1
                     : s->lowest.factor   ? s->lowest.factor
                     : s->smallest.factor ? s->smallest.factor
                                          : 16;
    int64_t last = middle < 4 ? 16 : middle < s->factor_max / 4 ? 4 * middle : s->factor_max;
    last = last < s->factor_max ? last : s->factor_max;
    enum weir_status status = keep_found(s);
    bool known = true;
    for (int64_t power = 1; power <= last && !status && known && !stopped(s); power *= 2)
        for (int half = 0; half < 2 && !status && known; half++) {
            int64_t factor = power + half * (power / 2);
            struct weir_batch_point point;
            if (factor > last || (half && power == 1) || is_found(s, factor))
                continue;
            status = look(s, factor, &point, NULL, &known);
            if (!status && known)
                status = keep(s, point);
        }
    if (!status && s->count)
        qsort(s->points, s->count, sizeof *s->points, by_factor);
    return status;
}

/* ---- merging: of all legal merges the one that helps most, again and again ---- */

struct choice {
    struct weir_pipeline *pipeline; /* NULL: none yet */
    struct weir_batch_point point;
};

static enum weir_status try_merge(const struct weir_pipeline *p, const struct weir_batch_options *options, uint32_t chain[2],
                                  struct choice *best, struct weir_error *error)
{
    struct weir_pipeline *merged = NULL;
    struct weir_batch_point point = best->point;
    enum weir_status status = weir_pipeline_merge(p, (struct weir_operator){chain[0]}, (struct weir_operator){chain[1]},
                                                  options->merged_init_permille, &merged, error);
    if (status == WEIR_INVALID || status == WEIR_OVERFLOW)
        return WEIR_OK; /* not legal, or not to be counted: not a merge to make */
    if (!status)
        status = judge(merged, options, &point, NULL, error);
    if (!status && is_better(&point, &best->point)) {
        weir_pipeline_free(best->pipeline);
        *best = (struct choice){merged, point};
        return WEIR_OK;
    }
    weir_pipeline_free(merged);
    return status;
}

/* Legal merges join the ends of a queue, or two ends of queues of one operator. */
static enum weir_status best_merge(const struct weir_pipeline *p, const struct weir_batch_options *options, struct choice *best,
                                   struct weir_error *error)
{
    uint32_t queues = weir_pipeline_queue_count(p);
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < queues && !status && !weir_result_stopped(options->stop); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        status = try_merge(p, options, (uint32_t[2]){q.from.index, q.to.index}, best, error);
        for (uint32_t k = 0; k < i && !status; k++) {
            struct weir_queue_spec other = weir_pipeline_queue(p, (struct weir_queue){k});
            if (other.from.index == q.from.index && other.to.index != q.to.index)
                status = try_merge(p, options, (uint32_t[2]){other.to.index, q.to.index}, best, error);
        }
    }
    return status;
}

/* Merges operators of *batched as long as that makes it better, or until it is to stop; *batched and *point become what was found.
 */
static enum weir_status merge(struct weir_pipeline **batched, const struct weir_batch_options *options,
                              struct weir_batch_point *point, size_t *merges, struct weir_error *error)
{
    *merges = 0;
    while (!weir_result_stopped(options->stop)) {
        struct choice best = {NULL, *point};
        enum weir_status status = best_merge(*batched, options, &best, error);
        if (status || !best.pipeline) {
            weir_pipeline_free(best.pipeline);
            return status;
        }
        weir_pipeline_free(*batched);
        *batched = best.pipeline;
        *point = best.point;
        ++*merges;
    }
    return WEIR_OK;
}

/* Of one that was looked at. */
static enum weir_status choose(struct search *s, struct weir_batch_point point)
{
    struct weir_pipeline *batched = NULL;
    size_t merges = 0;
    enum weir_status status = weir_pipeline_batch(s->pipeline, s->options->batching, point.factor, &batched, s->error);
    if (!status && s->options->merge)
        status = merge(&batched, s->options, &point, &merges, s->error);
    if (!status && point.within && (!s->best || is_better(&point, &s->chosen))) {
        weir_pipeline_free(s->best);
        s->best = batched;
        s->chosen = point;
        s->merges = merges;
        return WEIR_OK;
    }
    weir_pipeline_free(batched);
    return status == WEIR_OVERFLOW ? WEIR_OK : status;
}

/* With merging every size of the table is tried: fewer operators may do with smaller batches. */
static enum weir_status choose_all(struct search *s)
{
    enum weir_status status = s->lowest.factor ? choose(s, s->lowest) : WEIR_OK;
    for (size_t i = 0; i < s->count && s->options->merge && !status && !stopped(s); i++) {
        if (s->points[i].factor != s->lowest.factor)
            status = choose(s, s->points[i]);
        if (s->options->progress)
            s->options->progress(s->options->context, (unsigned)(900 + 100 * i / s->count));
    }
    return status;
}

static size_t index_of(const struct search *s, int64_t factor)
{
    size_t i = 0;
    while (i < s->count && s->points[i].factor != factor)
        i++;
    return i;
}

static enum weir_status run(struct search *s)
{
    const bool *before = weir_interrupt_watch(s->options->stop);
    enum weir_status status = find_smallest(s);
    if (!status)
        status = find_lowest(s);
    if (!status)
        status = fill_table(s);
    if (!status)
        status = choose_all(s);
    weir_interrupt_watch(before);
    return status;
}

enum weir_status weir_batch_explore(const struct weir_pipeline *pipeline, const struct weir_batch_options *options,
                                    struct weir_batch_exploration **exploration, struct weir_error *error)
{
    struct search s = {.pipeline = pipeline,
                       .options = options,
                       .factor_max = options->factor_max > 0 ? options->factor_max : FACTOR_MAX,
                       .error = error};
    *exploration = NULL;
    enum weir_status status = weir_pipeline_require(pipeline, WEIR_PLATFORM_CORES, error);
    if (status)
        return status;
    s.limited = options->within > 0;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(pipeline); i++)
        s.limited |= weir_pipeline_chain(pipeline, i).has_deadline;
    status = run(&s);
    struct weir_batch_exploration *result = status ? NULL : weir_array_zeroed(1, sizeof *result);
    if (!result) {
        weir_free(s.points);
        weir_pipeline_free(s.best);
        return status ? status : weir_fail_memory(error);
    }
    *result = (struct weir_batch_exploration){.points = s.points,
                                              .point_count = s.count,
                                              .smallest = index_of(&s, s.smallest.factor),
                                              .lowest = index_of(&s, s.lowest.factor),
                                              .chosen = s.chosen,
                                              .pipeline = s.best,
                                              .merges = s.merges,
                                              .interrupted = s.interrupted};
    *exploration = result;
    return WEIR_OK;
}

void weir_batch_exploration_free(struct weir_batch_exploration *exploration)
{
    if (!exploration)
        return;
    weir_free((void *)exploration->points);
    weir_pipeline_free(exploration->pipeline);
    weir_free(exploration);
}
