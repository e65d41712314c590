/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/arrange/score.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

/* Beyond this a sum of many still fits. */
#define RELATIVE_MAX (INT64_MAX >> 20)
#define MILLION 1000000

int weir_score_compare(const struct weir_score *a, const struct weir_score *b)
{
    for (int i = 0; i < WEIR_SCORE_PARTS; i++)
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i] ? -1 : 1;
    return 0;
}

/* ---- asking ---- */

/* Loads, in parts of a million of a processor, as far as they lie above 1. Where slots are given out, an operator's own share is
 * what counts. */
static int64_t overload(const struct weir_pipeline *p)
{
    const struct weir_taskset *set = p->taskset;
    weir_wide total = 0;
    for (uint32_t where = 0; where <= set->processor_count; where++) {
        weir_wide load = 0;
        for (uint32_t i = 0; i < set->task_count; i++) {
            const struct weir_task *task = &set->tasks[i];
            bool own = task->processor == WEIR_OWN_PROCESSOR;
            if (own ? where != set->processor_count : task->processor != where)
                continue;
            weir_wide share =
                ((weir_wide)task->worst * MILLION + set->graphs[task->graph].period - 1) / set->graphs[task->graph].period;
            bool slots = !own && set->processors[where].sharing == WEIR_TDM;
            if (slots)
                share = share * set->processors[where].frame / task->slot;
            if (own || slots)
                total += share > MILLION ? share - MILLION : 0;
            else
                load += share;
        }
        total += load > MILLION ? load - MILLION : 0;
    }
    return total > INT64_MAX ? INT64_MAX : (int64_t)total;
}

static enum weir_candidate_kind kind_of(const struct weir_priority_analysis *analysis)
{
    if (!analysis)
        return WEIR_CANDIDATE_IMPOSSIBLE;
    if (analysis->outcome == WEIR_PRIORITY_CONVERGED)
        return WEIR_CANDIDATE_BOUNDS;
    return analysis->outcome == WEIR_PRIORITY_UNBOUNDED ? WEIR_CANDIDATE_UNBOUNDED : WEIR_CANDIDATE_UNKNOWN;
}

struct weir_candidate *weir_candidate_of(const struct weir_pipeline *p, const struct weir_priority_analysis *analysis)
{
    size_t numbers = 2 * p->chain_count + p->queue_count;
    struct weir_candidate *answer = weir_array(1, sizeof *answer + numbers * sizeof(int64_t));
    if (!answer)
        return NULL;
    int64_t *list = (int64_t *)(void *)(answer + 1);
    *answer = (struct weir_candidate){.kind = kind_of(analysis),
                                      .chain_count = p->chain_count,
                                      .queue_count = p->queue_count,
                                      .worst = list,
                                      .arrived = list + p->chain_count,
                                      .capacity = list + 2 * p->chain_count};
    for (size_t i = 0; i < p->chain_count; i++) {
        bool bounded = analysis && i < analysis->latency_count && analysis->latencies[i].bounded;
        answer->worst[i] = bounded ? analysis->latencies[i].worst : INT64_MAX;
        answer->arrived[i] = bounded ? analysis->latencies[i].worst_arrival : INT64_MAX;
    }
    for (size_t i = 0; i < p->queue_count; i++)
        answer->capacity[i] = -1;
    for (size_t i = 0; analysis && i < analysis->buffer_count; i++)
        if (!analysis->buffers[i].input)
            answer->capacity[analysis->buffers[i].index] = analysis->buffers[i].capacity;
    if (answer->kind == WEIR_CANDIDATE_UNBOUNDED)
        answer->overload = overload(p);
    return answer;
}

enum weir_status weir_candidate_ask(const struct weir_priority_options *options, const struct weir_pipeline *p,
                                    struct weir_candidate **answer, struct weir_error *error)
{
    struct weir_priority_analysis *analysis = NULL;
    enum weir_status status = weir_priority_analyze(p, options, &analysis, error);
    *answer = NULL;
    if (status && status != WEIR_OVERFLOW) /* times beyond counting: no model to recommend */
        return status;
    *answer = weir_candidate_of(p, status ? NULL : analysis);
    weir_priority_analysis_free(status ? NULL : analysis);
    return *answer ? WEIR_OK : weir_fail_memory(error);
}

/* ---- judging ---- */

int64_t weir_latency_relative(const struct weir_pipeline *p, uint32_t chain, int64_t worst)
{
    const struct weir_chain_spec *spec = &p->chains[chain];
    int64_t scale = spec->has_deadline ? spec->deadline : p->taskset->graphs[p->taskset->tasks[spec->from.index].graph].period;
    weir_wide relative = (weir_wide)worst * (INT64_C(1) << 30) / (scale > 0 ? scale : 1);
    return relative > RELATIVE_MAX ? RELATIVE_MAX : (int64_t)relative;
}

void weir_candidate_score(const struct weir_pipeline *model, const struct weir_candidate *answer, const struct weir_held *held,
                          struct weir_score *score)
{
    *score = (struct weir_score){{answer->kind, answer->overload, 0, 0}};
    if (answer->kind != WEIR_CANDIDATE_BOUNDS)
        return;
    for (uint32_t i = 0; i < answer->chain_count; i++) {
        int64_t worst = answer->worst[i], relative = RELATIVE_MAX;
        if (worst < WEIR_TIME_MAX) {
            if (held)
                worst = held->chains && held->chains[i] ? worst + held->delay : answer->arrived[i];
            relative = weir_latency_relative(model, i, worst);
        }
        score->part[1] += model->chains[i].has_deadline && worst > model->chains[i].deadline;
        score->part[2] = score->part[2] > INT64_MAX - relative ? INT64_MAX : score->part[2] + relative;
    }
}
