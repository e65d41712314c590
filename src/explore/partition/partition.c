/* SPDX-License-Identifier: Apache-2.0 */
/* The best division of SMs: a good one to begin with, then tasks for all threads, then what is known at the end. */
#include "explore/partition/partition.h"

#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

static void free_study(struct weir_partition_study *s)
{
    weir_free(s->arrangements);
    weir_free(s->tasks);
    weir_arena_free(&s->arena);
}

static enum weir_status check(const struct weir_pipeline *p, const struct weir_partition_options *o, struct weir_error *error)
{
    size_t most = o->share ? WEIR_PARTITION_SHARED_MAX : WEIR_PARTITION_OPERATORS_MAX;
    if (o->profile_count < 1 || o->profile_count > most)
        return weir_fail(error, WEIR_INVALID, "SMs are divided among 1 to %zu operators%s, not %zu", most,
                         o->share ? " that may share" : "", o->profile_count);
    if (o->sms < 1)
        return weir_fail(error, WEIR_INVALID, "there are no SMs to divide");
    for (size_t i = 0; i < o->profile_count; i++) {
        const struct weir_profile *profile = &o->profiles[i];
        if (profile->op.index >= p->operator_count || profile->point_count < 1)
            return weir_fail(error, WEIR_INVALID, "a profile is that of an operator, and has points");
        const struct weir_operator_spec *spec = &p->operators[profile->op.index];
        if (o->share && spec->receive_max > 0)
            return weir_fail(
                error, WEIR_INVALID,
                "operator \"%s\" receives late, perhaps behind work that waits for others: it cannot share a partition",
                spec->name);
        for (size_t k = 0; k < i; k++)
            if (o->profiles[k].op.index == profile->op.index)
                return weir_fail(error, WEIR_INVALID, "operator \"%s\" has two profiles", spec->name);
        for (size_t k = 0; k < profile->point_count; k++) {
            const struct weir_profile_point *point = &profile->points[k];
            if (point->sms < 1 || (k && point->sms <= profile->points[k - 1].sms))
                return weir_fail(error, WEIR_INVALID, "SMs of a profile ascend from 1");
            if (point->best < 0 || point->worst < point->best || point->worst < spec->receive_max)
                return weir_fail(error, WEIR_INVALID, "operator \"%s\" cannot take these times on %u SMs", spec->name,
                                 (unsigned)point->sms);
        }
    }
    return WEIR_OK;
}

/* Operators in the order of queues without initial messages, and those queues by the operator that they leave. Operators on a cycle
 * of such queues do not occur in a sealed pipeline, but for connections that nobody waits for; they are left out. */
static bool put_in_order(struct weir_partition_study *s)
{
    const struct weir_pipeline *p = s->pipeline;
    size_t n = p->operator_count, count = 0;
    uint32_t *waiting = weir_arena_array(&s->arena, n, sizeof *waiting);
    s->order = weir_arena_array(&s->arena, n, sizeof *s->order);
    s->order_first = weir_arena_array(&s->arena, n + 2, sizeof *s->order_first);
    s->order_queues = weir_arena_array(&s->arena, p->queue_count, sizeof *s->order_queues);
    if (s->arena.failed)
        return false;
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].initial == 0) {
            s->order_first[p->queues[i].from.index + 2]++;
            waiting[p->queues[i].to.index]++;
        }
    for (size_t o = 2; o < n + 2; o++)
        s->order_first[o] += s->order_first[o - 1];
    for (uint32_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].initial == 0)
            s->order_queues[s->order_first[p->queues[i].from.index + 1]++] = i;
    for (uint32_t o = 0; o < n; o++)
        if (!waiting[o])
            s->order[count++] = o;
    for (size_t at = 0; at < count; at++)
        for (uint32_t k = s->order_first[s->order[at]]; k < s->order_first[s->order[at] + 1]; k++) {
            uint32_t to = p->queues[s->order_queues[k]].to.index;
            if (--waiting[to] == 0)
                s->order[count++] = to;
        }
    if (count < n)
        s->order[count] = UINT32_MAX;
    return true;
}

static bool add_task(struct weir_partition_study *s, struct weir_partition_task task)
{
    void *list = s->tasks;
    if (!weir_reserve(&list, &s->task_capacity, s->task_count + 1, sizeof task))
        return false;
    s->tasks = list;
    s->tasks[s->task_count++] = task;
    return true;
}

/* A task for each choice of the first partition, and of the second where there are more. */
static enum weir_status list_tasks(struct weir_partition_study *s, struct weir_error *error)
{
    bool room = true;
    for (uint32_t a = 0; a < s->arrangement_count && room; a++) {
        struct weir_part_choices choices[PARTS_MAX];
        enum weir_status status = weir_choices_list(s, &s->arrangements[a], choices, error);
        bool possible = !status;
        for (uint32_t i = 0; i < s->arrangements[a].parts && possible; i++)
            possible = choices[i].count > 0;
        bool two = s->arrangements[a].parts > 2;
        for (uint32_t i = 0; possible && room && i < choices[0].count; i++)
            for (uint32_t k = 0; room && k < (two ? choices[1].count : 1); k++)
                if (!two || (uint64_t)choices[0].items[i].sms + choices[1].items[k].sms <= s->options->sms)
                    room = add_task(s, (struct weir_partition_task){a, i, two ? k : UINT32_MAX});
        weir_choices_free(choices);
        if (status)
            return status;
    }
    return room ? WEIR_OK : weir_fail_memory(error);
}

/* ---- a good one to begin with: each alone, the SM that helps most first ---- */

struct start {
    struct weir_part_choices choices[PARTS_MAX];
    uint32_t chosen[PARTS_MAX];
    uint32_t left;
    struct weir_partition_score score;
};

static enum weir_status score_start(struct weir_partition_seeker *seeker, const struct start *start, size_t count,
                                    struct weir_partition_score *score, struct weir_error *error)
{
    int64_t best[PARTS_MAX], worst[PARTS_MAX];
    for (size_t i = 0; i < count; i++) {
        best[i] = start->choices[i].items[start->chosen[i]].best[i];
        worst[i] = start->choices[i].items[start->chosen[i]].worst[i];
    }
    return weir_seeker_score(seeker, best, worst, score, error);
}

/* Takes the best step up of one partition that fits and makes it better; *any: there was one. */
static enum weir_status step_up(struct weir_partition_seeker *seeker, struct start *start, size_t count, bool *any,
                                struct weir_error *error)
{
    struct start best = *start;
    *any = false;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = start->chosen[i] + 1; k < start->choices[i].count; k++) {
            uint32_t more = start->choices[i].items[k].sms - start->choices[i].items[start->chosen[i]].sms;
            if (more > start->left)
                break;
            struct start trial = *start;
            trial.chosen[i] = k;
            trial.left -= more;
            enum weir_status status = score_start(seeker, &trial, count, &trial.score, error);
            if (status)
                return status;
            if (weir_division_score_compare(&trial.score, &best.score) < 0) {
                best = trial;
                *any = true;
            }
        }
    *start = best;
    return WEIR_OK;
}

static enum weir_status begin_somewhere(const struct weir_partition_study *s, struct weir_division *division,
                                        struct weir_error *error)
{
    struct start start = {.left = s->options->sms};
    size_t count = s->options->profile_count;
    void *seeker = NULL;
    *division = (struct weir_division){0};
    enum weir_status status = weir_choices_list(s, &s->arrangements[0], start.choices, error);
    bool possible = !status;
    for (size_t i = 0; i < count && possible; i++) {
        possible = start.choices[i].count && start.choices[i].items[0].sms <= start.left;
        start.left -= possible ? start.choices[i].items[0].sms : 0;
    }
    if (!status && possible)
        status = weir_seeker_new(s, &seeker, error);
    if (!status && possible)
        status = score_start(seeker, &start, count, &start.score, error);
    for (bool any = !status && possible; any && !status;)
        status = step_up(seeker, &start, count, &any, error);
    if (!status && possible) {
        *division = (struct weir_division){.found = true, .score = start.score, .sms = s->options->sms - start.left};
        for (size_t i = 0; i < count; i++)
            division->part_sms[i] = start.choices[i].items[start.chosen[i]].sms;
    }
    if (seeker)
        weir_seeker_free(seeker);
    weir_choices_free(start.choices);
    return status;
}

/* ---- the whole ---- */

static void learn(const void *context, const void *result, void *hint)
{
    (void)context;
    struct weir_division found, best;
    memcpy(&found, result, sizeof found);
    memcpy(&best, hint, sizeof best);
    if (weir_division_compare(&found, &best, PARTS_MAX) < 0)
        memcpy(hint, &found, sizeof found);
}

/* What the tasks that were not done could have held. */
static enum weir_status find_lower(const struct weir_partition_study *s, const uint8_t *done, struct weir_partition *found,
                                   struct weir_error *error)
{
    void *seeker = NULL;
    enum weir_status status = WEIR_OK;
    found->lower = found->score;
    found->complete = true;
    for (uint64_t task = 0; task < s->task_count && !status; task++) {
        if (done[task])
            continue;
        struct weir_partition_score lower;
        status = seeker ? WEIR_OK : weir_seeker_new(s, &seeker, error);
        if (!status)
            status = weir_seeker_bound(seeker, task, &lower, error);
        if (!status && weir_division_score_compare(&lower, &found->lower) < 0) {
            found->lower = lower;
            found->complete = false;
        }
    }
    if (seeker)
        weir_seeker_free(seeker);
    return status;
}

static enum weir_status fill_in(const struct weir_partition_study *s, const struct weir_division *d, struct weir_partition *found,
                                struct weir_error *error)
{
    const struct weir_arrangement *a = &s->arrangements[d->arrangement];
    struct weir_partition_share *shares = (struct weir_partition_share *)found->shares;
    struct weir_part_choices choices[PARTS_MAX];
    enum weir_status status = weir_choices_list(s, a, choices, error);
    if (!status && !(found->pipeline = weir_pipeline_copy(s->pipeline, error)))
        status = WEIR_MEMORY;
    for (size_t i = 0; i < s->options->profile_count && !status; i++) {
        uint32_t part = a->part[i];
        size_t k = 0;
        while (choices[part].items[k].sms != d->part_sms[part])
            k++;
        const struct weir_part_choice *choice = &choices[part].items[k];
        shares[i] = (struct weir_partition_share){part, choice->sms, choice->best[i], choice->worst[i]};
        struct weir_operator op = s->options->profiles[i].op;
        struct weir_operator_spec spec = weir_pipeline_operator(s->pipeline, op);
        spec.best = choice->best[i];
        spec.worst = choice->worst[i];
        status = weir_pipeline_change_operator(found->pipeline, op, &spec, error);
    }
    weir_choices_free(choices);
    found->part_count = a->parts;
    found->sms = d->sms;
    found->score = d->score;
    return status ? status : weir_pipeline_seal_alone(found->pipeline, error);
}

static enum weir_status search(struct weir_partition_study *s, struct weir_partition *found, struct weir_error *error)
{
    struct weir_division best;
    enum weir_status status = begin_somewhere(s, &best, error);
    struct weir_division *results = weir_array(s->task_count, sizeof *results);
    uint8_t *done = weir_array(s->task_count, 1);
    if (!status && (!results || !done))
        status = weir_fail_memory(error);
    struct weir_task_pool_work work = {.count = s->task_count,
                                       .result_size = sizeof *results,
                                       .hint_size = sizeof best,
                                       .hint = &best,
                                       .context = s,
                                       .enter = weir_seeker_new,
                                       .leave = weir_seeker_free,
                                       .perform = weir_seeker_perform,
                                       .learn = learn};
    struct weir_task_pool_options pool = WEIR_TASK_POOL_OPTIONS(s->options);
    if (!status)
        status = weir_task_pool_run(&work, &pool, results, done, error);
    if (!status && best.found)
        status = fill_in(s, &best, found, error);
    else if (!status)
        found->score = (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
    if (!status && done)
        status = find_lower(s, done, found, error);
    weir_free(results);
    weir_free(done);
    return status;
}

enum weir_status weir_partition_find(const struct weir_pipeline *pipeline, const struct weir_partition_options *options,
                                     struct weir_partition **partition, struct weir_error *error)
{
    *partition = NULL;
    enum weir_status status = weir_pipeline_require_threads(pipeline, error);
    status = status ? status : weir_pipeline_require_ports(pipeline, error);
    if (!status)
        status = check(pipeline, options, error);
    if (status)
        return status;
    struct weir_partition_study study = {.pipeline = pipeline, .options = options};
    struct weir_partition *found = weir_array_zeroed(1, sizeof *found);
    void *shares = weir_array_zeroed(options->profile_count, sizeof *found->shares);
    if (found)
        found->shares = shares;
    if (!found || !shares || !put_in_order(&study) || !weir_arrangements_list(&study))
        status = weir_fail_memory(error);
    if (!status)
        status = list_tasks(&study, error);
    if (!status && found)
        status = search(&study, found, error);
    free_study(&study);
    if (!status) {
        *partition = found;
        return WEIR_OK;
    }
    if (found)
        weir_partition_free(found);
    else
        weir_free(shares);
    return status;
}

void weir_partition_free(struct weir_partition *partition)
{
    if (!partition)
        return;
    weir_pipeline_free(partition->pipeline);
    weir_free((void *)partition->shares);
    weir_free(partition);
}
