/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread does with the tasks it is given. */
#include "base/error.h"
#include "explore/partition/tree.h"

#include <string.h>

struct weir_partition_seeker {
    const struct weir_partition_study *study;
    struct weir_partition_scorer scorer;
    struct weir_tree tree; /* of the arrangement of the last task; zeroed: none */
};

void weir_seeker_free(void *seeker)
{
    struct weir_partition_seeker *s = seeker;
    weir_tree_end(&s->tree);
    weir_scorer_end(&s->scorer);
    weir_free(s);
}

enum weir_status weir_seeker_new(const void *study, void **seeker, struct weir_error *error)
{
    struct weir_partition_seeker *s = weir_array_zeroed(1, sizeof *s);
    *seeker = NULL;
    if (!s)
        return weir_fail_memory(error);
    s->study = study;
    enum weir_status status = weir_scorer_make(&s->scorer, study, error);
    if (status)
        weir_seeker_free(s);
    else
        *seeker = s;
    return status;
}

enum weir_status weir_seeker_bound(struct weir_partition_seeker *s, uint64_t number, struct weir_partition_score *lower,
                                   struct weir_error *error)
{
    const struct weir_partition_task *task = &s->study->tasks[number];
    if (!task->node)
        return weir_tree_least(s->study, &s->scorer, task->arrangement, lower, error);
    *lower = task->node->lower;
    return WEIR_OK;
}

/* Opens what the task is about. */
static enum weir_status enter(struct weir_partition_seeker *s, const struct weir_partition_task *task, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    if (!s->tree.study || s->tree.arrangement != task->arrangement) {
        struct weir_division best = s->tree.best;
        weir_tree_end(&s->tree);
        status = weir_tree_begin(&s->tree, s->study, &s->scorer, task->arrangement, error);
        s->tree.best = best;
    }
    if (!status && !weir_floor_renew(&s->tree.floor))
        status = weir_fail_memory(error);
    if (!status)
        status = task->node ? weir_tree_open(&s->tree, task->node, error) : weir_tree_open_all(&s->tree, error);
    return status;
}

enum weir_status weir_seeker_perform(void *seeker, const void *study, uint64_t number, const void *hint, void *result,
                                     struct weir_error *error)
{
    (void)study;
    struct weir_partition_seeker *s = seeker;
    struct weir_partition_score lower;
    memcpy(&s->tree.best, hint, sizeof s->tree.best);
    enum weir_status status = weir_seeker_bound(s, number, &lower, error);
    if (!status && (!s->tree.best.found || weir_division_score_compare(&lower, &s->tree.best.score) <= 0))
        status = enter(s, &s->study->tasks[number], error);
    if (!status)
        status = weir_tree_grow(&s->tree, SIZE_MAX, error);
    struct weir_division *best = &s->tree.best;
    best->stopped = weir_partition_stopped(s->study);
    if (best->stopped) {
        struct weir_partition_score open = weir_tree_lower(&s->tree);
        best->lower = weir_division_score_compare(&open, &lower) > 0 ? open : lower;
    }
    memcpy(result, best, sizeof *best);
    if (status || best->stopped)
        weir_tree_end(&s->tree);
    return status;
}
