/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/margins/margin.h"

#include "base/error.h"
#include "base/number.h"
#include "base/word.h"

const char *weir_proof_name(enum weir_proof proof)
{
    static const char *const names[] = {"next", "flat", "convex", "labels", "pieces", "none"};
    return WEIR_WORD(names, proof);
}

bool weir_deadlines_given(const struct weir_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->chain_count; i++)
        if (pipeline->chains[i].has_deadline)
            return true;
    return false;
}

enum weir_deadline_state weir_evaluator_judge(const struct weir_evaluator *e, const struct weir_separation *latency,
                                              int64_t deadline, int64_t scale)
{
    return e->deadlocked ? WEIR_DEADLINE_MISSED : weir_judge_latency(latency, deadline, scale);
}

enum weir_status weir_deadlines_check(struct weir_evaluator *e, int64_t scale, enum weir_deadline_state *state,
                                      struct weir_breach *breach, uint64_t *searches, struct weir_error *error)
{
    *state = WEIR_DEADLINE_MET;
    for (uint32_t i = 0; i < e->pipeline->chain_count; i++) {
        const struct weir_chain_spec *chain = &e->pipeline->chains[i];
        struct weir_separation latency;
        if (!chain->has_deadline)
            continue;
        enum weir_status status = weir_evaluator_latency(e, i, &latency, error);
        if (status)
            return status;
        ++*searches;
        enum weir_deadline_state now = weir_evaluator_judge(e, &latency, chain->deadline, scale);
        if (now <= *state)
            continue;
        *state = now;
        *breach = (struct weir_breach){i, latency};
        if (now == WEIR_DEADLINE_MISSED)
            break;
    }
    return WEIR_OK;
}

enum weir_status weir_evaluator_problem(struct weir_evaluator *e, uint32_t chain, struct weir_problem *problem,
                                        struct weir_error *error)
{
    *problem = e->problem;
    if (e->in_place)
        return WEIR_OK;
    struct weir_query query = weir_chain_query(e->pipeline, chain, e->work_limit);
    return weir_problem_pose(e->solver, &query, problem, error);
}

enum weir_status weir_evaluator_lines(struct weir_evaluator *e, uint32_t chain, int64_t value,
                                      const struct weir_slack_lines_step *step, struct weir_slack_lines *lines,
                                      struct weir_error *error)
{
    struct weir_problem problem;
    enum weir_status status = weir_evaluator_problem(e, chain, &problem, error);
    if (status)
        return status;
    status = weir_slack_lines_find(e->solver, &problem, value, step, lines);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    return status ? weir_fail(error, status, "a latency rises more steeply than can be represented") : WEIR_OK;
}
