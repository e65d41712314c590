/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on a GPU, where operators share threads (docs/concepts/workers.md, section 10): an operator that waits for its work keeps
 * its thread meanwhile. Where all that launch wait, and none waits for the work of others, the work is a part of the execution.
 */
#include "base/error.h"
#include "engine/workers/workers.h"

#include <string.h>

/* All operators have one thread. */
static bool is_one_after_the_other(const struct weir_pipeline *p)
{
    return !p->lanes && (p->workers.dispatch == WEIR_DISPATCH_GREEDY || p->workers.workers == 1);
}

static bool shares_stream(const struct weir_pipeline *p, size_t op)
{
    const char *stream = p->operators[op].launch->stream;
    for (size_t i = 0; i < p->operator_count && stream; i++) {
        const struct weir_launch *other = p->operators[i].launch;
        if (i != op && other && other->stream && strcmp(other->stream, stream) == 0)
            return true;
    }
    return false;
}

/* What stands in the way; NULL: nothing. */
static const char *look(const struct weir_pipeline *p, bool *launches)
{
    const char *what = NULL;
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *op = &p->operators[i];
        if (!op->launch)
            continue;
        *launches = true;
        if (!op->launch->waits)
            what = "operators that launch work on a GPU and do not wait for it";
        else if (op->receive_max > op->best)
            what = "operators that launch work on a GPU and may receive their messages after that";
        else if (!is_one_after_the_other(p) && shares_stream(p, i))
            what = "operators that launch work into one stream of a GPU";
    }
    for (size_t i = 0; i < p->queue_count; i++)
        what = p->queues[i].transfer_max ? "transfers that take time" : what;
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].has_phase && p->sources[i].phase_max > p->sources[i].period)
            what = "phases that are longer than a period";
    return what;
}

enum weir_status weir_workers_plain(const struct weir_pipeline *pipeline, struct weir_pipeline **plain, struct weir_error *error)
{
    bool launches = false;
    *plain = NULL;
    const char *what = look(pipeline, &launches);
    if (what)
        return weir_fail(error, WEIR_INVALID, "no bound is known for workers and %s; give each operator a worker of its own", what);
    if (!launches)
        return WEIR_OK;
    *plain = weir_pipeline_copy(pipeline, error);
    enum weir_status status = *plain ? WEIR_OK : WEIR_MEMORY;
    for (uint32_t i = 0; i < pipeline->operator_count && !status; i++) {
        struct weir_operator_spec spec = pipeline->operators[i];
        if (!spec.launch)
            continue;
        spec.best += spec.launch->best + spec.launch->after_best;
        spec.worst += spec.launch->worst + spec.launch->after_worst;
        spec.launch = NULL;
        status = weir_pipeline_change_operator(*plain, (struct weir_operator){i}, &spec, error);
    }
    if (!status)
        status = weir_pipeline_seal_alone(*plain, error);
    if (!status)
        return WEIR_OK;
    weir_pipeline_free(*plain);
    *plain = NULL;
    return status;
}
