/* SPDX-License-Identifier: Apache-2.0 */
/* Which operators to merge: of all legal merges the one that helps most, again and again. */
#include "explore/batch/batch.h"

#include "base/error.h"

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
        status = weir_batch_judge(merged, options, &point, NULL, error);
    if (!status && weir_batch_better(&point, &best->point)) {
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
    for (uint32_t i = 0; i < queues && !status && !weir_batch_stopped(options); i++) {
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

enum weir_status weir_batch_merge(struct weir_pipeline **batched, const struct weir_batch_options *options,
                                  struct weir_batch_point *point, size_t *merges, struct weir_error *error)
{
    *merges = 0;
    while (!weir_batch_stopped(options)) {
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
