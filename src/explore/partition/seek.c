/* SPDX-License-Identifier: Apache-2.0 */
/* Going through the divisions of a task, depth first; whatever cannot be better than the best so far is left out. */
#include "base/error.h"
#include "base/number.h"
#include "explore/partition/partition.h"

#include <string.h>

struct weir_partition_seeker {
    const struct weir_partition_study *study;
    struct weir_evaluator *evaluator;
    int64_t *times;       /* by operator: worst cases, for longest ways */
    int64_t *ways;        /* by operator: the longest way to it */
    uint32_t arrangement; /* whose choices these are; UINT32_MAX: none */
    struct weir_part_choices choices[PARTS_MAX];
    uint32_t least_gpu_dependency[PARTS_MAX + 1]; /* the fewest SMs of the partitions from this one on */
    uint32_t chosen[PARTS_MAX];                   /* of each, which choice */
    struct weir_division best;                    /* of this task, or what the hint has */
    struct weir_arena arena;
};

void weir_seeker_free(void *seeker)
{
    struct weir_partition_seeker *s = seeker;
    weir_choices_free(s->choices);
    weir_evaluator_free(s->evaluator);
    weir_arena_free(&s->arena);
    weir_free(s);
}

enum weir_status weir_seeker_new(const void *study, void **seeker, struct weir_error *error)
{
    const struct weir_partition_study *st = study;
    uint32_t n = weir_pipeline_operator_count(st->pipeline);
    struct weir_partition_seeker *s = weir_array_zeroed(1, sizeof *s);
    *seeker = NULL;
    if (!s)
        return weir_fail_memory(error);
    s->study = st;
    s->arrangement = UINT32_MAX;
    s->times = weir_arena_array(&s->arena, n, sizeof *s->times);
    s->ways = weir_arena_array(&s->arena, n, sizeof *s->ways);
    struct weir_error inner = {.status = WEIR_MEMORY};
    if (!s->arena.failed)
        s->evaluator = weir_evaluator_new(st->pipeline, &inner);
    if (!s->evaluator) {
        weir_seeker_free(s);
        if (inner.status == WEIR_MEMORY)
            return weir_fail_memory(error);
        if (error)
            *error = inner;
        return inner.status;
    }
    *seeker = s;
    return WEIR_OK;
}

/* ---- scores ---- */

/* The sum of worst cases on the longest way of queues without initial messages from one operator to another: no latency between
 * them can be kept below it. -1: there is no such way. */
static int64_t longest_way(struct weir_partition_seeker *s, const struct weir_chain_spec *chain)
{
    const struct weir_partition_study *st = s->study;
    uint32_t n = weir_pipeline_operator_count(st->pipeline);
    for (uint32_t i = 0; i < n; i++)
        s->ways[i] = -1;
    s->ways[chain->from.index] = s->times[chain->from.index];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t o = st->order[i];
        if (o == UINT32_MAX)
            break;
        for (uint32_t k = st->order_first[o]; s->ways[o] >= 0 && k < st->order_first[o + 1]; k++) {
            uint32_t to = weir_pipeline_queue(st->pipeline, (struct weir_queue){st->order_queues[k]}).to.index;
            int64_t way = s->ways[o] + s->times[to];
            s->ways[to] = way > s->ways[to] ? way : s->ways[to];
        }
    }
    return s->ways[chain->to.index];
}

static void count_latency(struct weir_partition_score *score, const struct weir_chain_spec *chain, int64_t latency)
{
    score->missed += chain->has_deadline && latency > chain->deadline;
    if (!weir_add(score->total, latency, &score->total))
        score->total = INT64_MAX;
}

/* `lower`: what is known to be no more than the truth, else no less. */
static enum weir_status score_now(struct weir_partition_seeker *s, bool searched, bool lower, struct weir_partition_score *score,
                                  struct weir_error *error)
{
    const struct weir_pipeline *p = s->study->pipeline;
    *score = (struct weir_partition_score){0};
    for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(p, i);
        struct weir_separation worst = {.outcome = WEIR_BRACKET, .lower = 0, .upper = INT64_MAX};
        int64_t way = chain.shift == 0 ? longest_way(s, &chain) : -1;
        if (searched) {
            enum weir_status status = weir_evaluator_latency(s->evaluator, i, &worst, error);
            if (status)
                return status;
        }
        if (worst.outcome == WEIR_NO_EVENTS)
            continue;
        if (worst.outcome == WEIR_NO_BOUND || (worst.outcome == WEIR_BRACKET && !lower && worst.upper == INT64_MAX)) {
            score->unbounded++;
            score->missed += chain.has_deadline;
            continue;
        }
        int64_t latency = worst.outcome == WEIR_EXACT ? worst.value : lower ? worst.lower : worst.upper;
        count_latency(score, &chain, lower && way > latency ? way : latency);
    }
    return WEIR_OK;
}

static enum weir_status set_times(struct weir_partition_seeker *s, uint32_t profile, int64_t best, int64_t worst,
                                  struct weir_error *error)
{
    struct weir_operator op = s->study->options->profiles[profile].op;
    s->times[op.index] = worst;
    return weir_evaluator_set_times(s->evaluator, op, best, worst, error);
}

/* The operators without a profile, for longest ways. */
static void set_others(struct weir_partition_seeker *s)
{
    const struct weir_pipeline *p = s->study->pipeline;
    for (uint32_t o = 0; o < weir_pipeline_operator_count(p); o++)
        s->times[o] = weir_pipeline_operator(p, (struct weir_operator){o}).worst;
}

enum weir_status weir_seeker_score(struct weir_partition_seeker *s, const int64_t *best, const int64_t *worst,
                                   struct weir_partition_score *score, struct weir_error *error)
{
    set_others(s);
    for (uint32_t i = 0; i < s->study->options->profile_count; i++) {
        enum weir_status status = set_times(s, i, best[i], worst[i], error);
        if (status)
            return status;
    }
    return score_now(s, true, false, score, error);
}

/* ---- going down ---- */

static const struct weir_arrangement *arrangement_of(const struct weir_partition_seeker *s)
{
    return &s->study->arrangements[s->arrangement];
}

/* With the first `decided` partitions as chosen: what all others can be has intervals in common, or not. */
struct relaxed {
    bool possible, searched;
};

static enum weir_status relax(struct weir_partition_seeker *s, uint32_t decided, uint32_t left, struct relaxed *relaxed,
                              struct weir_error *error)
{
    const struct weir_arrangement *a = arrangement_of(s);
    *relaxed = (struct relaxed){true, true};
    for (uint32_t i = 0; i < s->study->options->profile_count; i++) {
        uint32_t part = a->part[i];
        const struct weir_part_choices *list = &s->choices[part];
        uint32_t first = part < decided ? s->chosen[part] : 0, end = part < decided ? first + 1 : (uint32_t)list->count;
        uint32_t others = part < decided ? 0 : s->least_gpu_dependency[decided] - list->items[0].sms;
        int64_t best = -1, worst = INT64_MAX;
        for (uint32_t k = first; k < end && (part < decided || list->items[k].sms + others <= left); k++) {
            best = list->items[k].best[i] > best ? list->items[k].best[i] : best;
            worst = list->items[k].worst[i] < worst ? list->items[k].worst[i] : worst;
        }
        if (best < 0) {
            relaxed->possible = false;
            return WEIR_OK;
        }
        if (best > worst) {
            relaxed->searched = false;
            best = worst;
        }
        enum weir_status status = set_times(s, i, best, worst, error);
        if (status)
            return status;
    }
    return WEIR_OK;
}

/* Whether something with this lower bound, and so many SMs at least, may still be the one to take. */
static bool may_be_better(const struct weir_partition_seeker *s, const struct weir_partition_score *lower, uint32_t sms)
{
    if (!s->best.found)
        return true;
    int order = weir_division_score_compare(lower, &s->best.score);
    return order < 0 || (order == 0 && sms <= s->best.sms);
}

static void take_division(struct weir_partition_seeker *s, const struct weir_partition_score *score)
{
    struct weir_division d = {.found = true, .score = *score, .arrangement = s->arrangement};
    uint32_t parts = arrangement_of(s)->parts;
    for (uint32_t i = 0; i < parts; i++) {
        d.part_sms[i] = s->choices[i].items[s->chosen[i]].sms;
        d.sms += d.part_sms[i];
    }
    if (weir_division_compare(&d, &s->best, PARTS_MAX) < 0)
        s->best = d;
}

/* Looks at what begins with the first `decided` partitions as chosen; *deeper: it is worth going on. */
static enum weir_status look(struct weir_partition_seeker *s, uint32_t decided, uint32_t left, bool *deeper,
                             struct weir_error *error)
{
    struct weir_partition_score score;
    struct relaxed relaxed;
    bool whole = decided == arrangement_of(s)->parts;
    *deeper = false;
    enum weir_status status = relax(s, decided, left, &relaxed, error);
    if (status || !relaxed.possible)
        return status;
    status = score_now(s, relaxed.searched, !whole, &score, error);
    if (status)
        return status;
    if (whole)
        take_division(s, &score);
    else
        *deeper = may_be_better(s, &score, s->study->options->sms - left + s->least_gpu_dependency[decided]);
    return WEIR_OK;
}

static enum weir_status descend(struct weir_partition_seeker *s, uint32_t from, uint32_t left, struct weir_error *error)
{
    uint32_t parts = arrangement_of(s)->parts, at = from;
    int64_t next[PARTS_MAX];
    bool deeper;
    enum weir_status status = look(s, from, left, &deeper, error);
    if (status || !deeper)
        return status;
    next[at] = (int64_t)s->choices[at].count - 1; /* the fastest first */
    for (;;) {
        if (next[at] < 0) {
            if (at == from)
                return WEIR_OK;
            at--;
            left += s->choices[at].items[s->chosen[at]].sms;
            continue;
        }
        s->chosen[at] = (uint32_t)next[at]--;
        uint32_t sms = s->choices[at].items[s->chosen[at]].sms;
        if (sms > left || left - sms < s->least_gpu_dependency[at + 1])
            continue;
        status = look(s, at + 1, left - sms, &deeper, error);
        if (status)
            return status;
        if (deeper && at + 1 < parts) {
            left -= sms;
            at++;
            next[at] = (int64_t)s->choices[at].count - 1;
        }
    }
}

/* Makes ready for a task: its arrangement's choices, the first of them chosen. *left: SMs for the others; false: there are none. */
static enum weir_status begin(struct weir_partition_seeker *s, uint64_t number, uint32_t *decided, uint32_t *left, bool *possible,
                              struct weir_error *error)
{
    const struct weir_partition_task *task = &s->study->tasks[number];
    if (s->arrangement != task->arrangement) {
        weir_choices_free(s->choices);
        s->arrangement = UINT32_MAX;
        enum weir_status status = weir_choices_list(s->study, &s->study->arrangements[task->arrangement], s->choices, error);
        if (status)
            return status;
        s->arrangement = task->arrangement;
    }
    uint32_t parts = arrangement_of(s)->parts;
    s->least_gpu_dependency[parts] = 0;
    for (uint32_t i = parts; i-- > 0;)
        s->least_gpu_dependency[i] = s->least_gpu_dependency[i + 1] + s->choices[i].items[0].sms;
    s->chosen[0] = task->first;
    *decided = 1;
    uint64_t used = s->choices[0].items[task->first].sms;
    if (task->second != UINT32_MAX) {
        s->chosen[1] = task->second;
        used += s->choices[1].items[task->second].sms;
        *decided = 2;
    }
    *possible = used + s->least_gpu_dependency[*decided] <= s->study->options->sms;
    *left = *possible ? s->study->options->sms - (uint32_t)used : 0;
    set_others(s);
    return WEIR_OK;
}

enum weir_status weir_seeker_perform(void *seeker, const void *study, uint64_t task, const void *hint, void *result,
                                     struct weir_error *error)
{
    (void)study;
    struct weir_partition_seeker *s = seeker;
    uint32_t decided, left;
    bool possible;
    memcpy(&s->best, hint, sizeof s->best);
    enum weir_status status = begin(s, task, &decided, &left, &possible, error);
    if (!status && possible)
        status = descend(s, decided, left, error);
    memcpy(result, &s->best, sizeof s->best);
    return status;
}

enum weir_status weir_seeker_bound(struct weir_partition_seeker *s, uint64_t task, struct weir_partition_score *lower,
                                   struct weir_error *error)
{
    uint32_t decided, left;
    bool possible;
    struct relaxed relaxed;
    *lower = (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
    enum weir_status status = begin(s, task, &decided, &left, &possible, error);
    if (status || !possible)
        return status;
    status = relax(s, decided, left, &relaxed, error);
    return status || !relaxed.possible ? status : score_now(s, relaxed.searched, true, lower, error);
}
