/* SPDX-License-Identifier: Apache-2.0 */
/* Has what was found checked by code that shares nothing with what found it. */
#include "base/error.h"
#include "check/workers/sharing.h"
#include "engine/workers/workers.h"

#define WORK UINT64_C(1000000000) /* of a check */

static enum weir_status settle(struct weir_workers_latency *latency, enum weir_status status, enum weir_checked checked,
                               struct weir_error *error)
{
    latency->verified = !status && checked == WEIR_CHECKED_HOLDS;
    if (status)
        return weir_fail_memory(error);
    return checked == WEIR_CHECKED_FAILS
               ? weir_fail(error, WEIR_INTERNAL, "verification failed: the bound of %lld ticks does not follow from the model",
                           (long long)latency->worst)
               : WEIR_OK;
}

enum weir_status weir_greedy_verify(const struct weir_pipeline *pipeline, uint32_t chain, struct weir_workers_latency *latency,
                                    struct weir_error *error)
{
    struct weir_rounds_claim claim = {pipeline, chain, latency->worst, latency->best, WORK};
    enum weir_checked checked;
    enum weir_status status = weir_rounds_check(&claim, &checked);
    return settle(latency, status, checked, error);
}

enum weir_status weir_best_verify(const struct weir_pipeline *pipeline, uint32_t chain, struct weir_workers_latency *latency,
                                  struct weir_error *error)
{
    enum weir_checked checked = WEIR_CHECKED_HOLDS;
    enum weir_status status = latency->has_best ? weir_sharing_check_best(pipeline, chain, latency->best, WORK, &checked) : WEIR_OK;
    return settle(latency, status, checked, error);
}

enum weir_status weir_share_verify(const struct weir_workers_question *q, uint32_t chain, struct weir_workers_latency *latency,
                                   struct weir_error *error)
{
    struct weir_sharing_claim claim = {q->pipeline, chain, latency->bound, q->apart, q->shares, WORK};
    enum weir_checked checked;
    enum weir_status status = weir_sharing_check(&claim, &checked);
    status = settle(latency, status, checked, error);
    return status || !latency->verified ? status : weir_best_verify(q->pipeline, chain, latency, error);
}

enum weir_status weir_periods_verify(const struct weir_pipeline *pipeline, uint32_t chain, const struct weir_rounds_table *table,
                                     struct weir_workers_latency *latency, struct weir_error *error)
{
    enum weir_checked checked;
    enum weir_status status = weir_rounds_table_check(pipeline, chain, table, latency->worst, &checked);
    status = settle(latency, status, checked, error);
    return status || !latency->verified ? status : weir_best_verify(pipeline, chain, latency, error);
}

/* WEIR_OVERFLOW: a certificate that is too large to be made says nothing against the bound. */
static enum weir_status certify(struct weir_solver *solver, const struct weir_query *query, int64_t bound,
                                struct weir_workers_latency *latency, struct weir_error *error)
{
    bool holds = false;
    enum weir_status status = weir_separation_certify(solver, query, bound, &holds, error);
    if (status && status != WEIR_OVERFLOW)
        return status;
    enum weir_checked checked = status ? WEIR_CHECKED_OPEN : holds ? WEIR_CHECKED_HOLDS : WEIR_CHECKED_FAILS;
    return settle(latency, WEIR_OK, checked, error);
}

enum weir_status weir_solved_verify(struct weir_solver *solver, const struct weir_query *query,
                                    struct weir_workers_latency *latency, struct weir_error *error)
{
    struct weir_query turned = *query;
    turned.from = query->to;
    turned.to = query->from;
    turned.shift = -query->shift;
    enum weir_status status = certify(solver, query, latency->worst, latency, error);
    if (status || !latency->verified || latency->outcome != WEIR_WORKERS_EXACT)
        return status;
    return certify(solver, &turned, -latency->best, latency, error);
}
