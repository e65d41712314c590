/* SPDX-License-Identifier: Apache-2.0 */
/* The best division of SMs: a good one to begin with, then tasks for all threads, then what is known at the end. */
#include "explore/partition/tree.h"

#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

static void free_study(struct weir_partition_study *s)
{
    for (size_t i = 0; i < s->task_count; i++)
        weir_free(s->tasks[i].node);
    weir_free(s->arrangements);
    weir_free(s->tasks);
    weir_rows_free(s->rows);
}

/* Work waits for that of one execution of each other operator only if none of them can have more under way. NULL: it can. */
static const char *cannot_share(const struct weir_operator_spec *spec)
{
    if (spec->reentrant)
        return "is reentrant, and several of its executions may have work there at once";
    if (spec->launch && !spec->launch->waits)
        return "does not wait for its work on the GPU, and several of its executions may have work there at once";
    if (spec->receive_max > 0 && !spec->launch)
        return "receives late, perhaps behind work that waits for others";
    return NULL;
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
            return weir_fail(error, WEIR_INVALID, "a profile must be that of an operator, and have points");
        const struct weir_operator_spec *spec = &p->operators[profile->op.index];
        if (o->share && cannot_share(spec))
            return weir_fail(error, WEIR_INVALID, "operator \"%s\" %s: it cannot share a partition", spec->name,
                             cannot_share(spec));
        for (size_t k = 0; k < i; k++)
            if (o->profiles[k].op.index == profile->op.index)
                return weir_fail(error, WEIR_INVALID, "operator \"%s\" has two profiles", spec->name);
        for (size_t k = 0; k < profile->point_count; k++) {
            const struct weir_profile_point *point = &profile->points[k];
            if (point->sms < 1 || (k && point->sms <= profile->points[k - 1].sms))
                return weir_fail(error, WEIR_INVALID, "SMs of a profile ascend from 1");
            if (point->best < 0 || point->worst < point->best || (!spec->launch && point->worst < spec->receive_max))
                return weir_fail(error, WEIR_INVALID, "operator \"%s\" cannot take these times on %u SMs", spec->name,
                                 (unsigned)point->sms);
        }
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

static void learn(const void *context, const void *result, void *hint)
{
    (void)context;
    struct weir_division found, best;
    memcpy(&found, result, sizeof found);
    memcpy(&best, hint, sizeof best);
    found.stopped = false;
    memset(&found.lower, 0, sizeof found.lower);
    if (weir_division_compare(&found, &best) < 0)
        memcpy(hint, &found, sizeof found);
}

/* What the tasks that were not done could have held. */
static enum weir_status find_lower(const struct weir_partition_study *s, const struct weir_division *results, const uint8_t *done,
                                   struct weir_partition *found, struct weir_error *error)
{
    void *seeker = NULL;
    enum weir_status status = WEIR_OK;
    found->lower = found->score;
    found->complete = true;
    for (uint64_t task = 0; task < s->task_count && !status; task++) {
        if (done[task] && !results[task].stopped)
            continue;
        struct weir_partition_score lower = results[task].lower;
        if (!done[task] && !seeker)
            status = weir_seeker_new(s, &seeker, error);
        if (!done[task] && !status)
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
    const struct weir_partition_arrangement *a = &s->arrangements[d->arrangement];
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
        struct weir_launch launch;
        if (spec.launch) {
            launch = *spec.launch;
            launch.best = choice->best[i];
            launch.worst = choice->worst[i];
            spec.launch = &launch;
        } else {
            spec.best = choice->best[i];
            spec.worst = choice->worst[i];
        }
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
    enum weir_status status = weir_partition_start(s, &best, error);
    struct weir_division *results = weir_array_zeroed(s->task_count + 1, sizeof *results);
    uint8_t *done = weir_array_zeroed(s->task_count + 1, 1);
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
    if (!status && done && results)
        status = find_lower(s, results, done, found, error);
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
    struct weir_partition_study study = {.pipeline = pipeline, .options = options, .instant = true};
    for (size_t i = 0; i < options->profile_count; i++)
        for (size_t k = 0; k < options->profiles[i].point_count; k++)
            study.instant &= options->profiles[i].points[k].best == 0;
    struct weir_partition *found = weir_array_zeroed(1, sizeof *found);
    void *shares = weir_array_zeroed(options->profile_count, sizeof *found->shares);
    if (found)
        found->shares = shares;
    if (!found || !shares || !weir_arrangements_list(&study))
        status = weir_fail_memory(error);
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
