/* SPDX-License-Identifier: Apache-2.0 */
#include "priority_reach.h"

#include "check/priority/bounds.h"
#include "engine/priority/system.h"
#include "model/pipeline.h"

#include <stdlib.h>

enum { RUNS = 120, ITERATIONS = 30 };

struct trial {
    const struct weir_pipeline *pipeline;
    struct weir_priority_system system;
    struct weir_method_run run;
    struct reached *reached;
};

static bool complain(struct trial *t, const char *what, uint32_t op, int64_t claim, int64_t seen)
{
    *t->reached = (struct reached){t->reached->bounded, what, op, claim, seen};
    return false;
}

static bool find(struct trial *t)
{
    struct weir_priority_system *s = &t->system;
    const struct weir_taskset *set = t->pipeline->taskset;
    for (uint32_t g = 0; g < set->graph_count; g++)
        s->latency_limit += 60 * set->graphs[g].period + 4 * set->graphs[g].jitter;
    s->work_limit = UINT64_C(100000000);
    s->report_at = UINT64_MAX;
    t->run = (struct weir_method_run){.system = s, .pipeline = t->pipeline, .outcome = WEIR_PRIORITY_LIMIT};
    if (weir_priority_system_open(s, set, NULL) || weir_method_reach(&t->run))
        return complain(t, "no answer by situations", 0, 0, 0);
    t->reached->bounded = t->run.outcome == WEIR_PRIORITY_CONVERGED;
    return true;
}

static bool is_taken(struct trial *t, bool *too_long)
{
    bool holds = false;
    *too_long = weir_bounds_check(t->pipeline->taskset, t->run.proof, &holds, NULL) != WEIR_OK;
    return holds;
}

static bool is_refused(struct trial *t, uint32_t op, int64_t seen)
{
    bool too_long;
    int64_t *claim = &t->run.proof->stages[0].finish_max[op], honest = *claim;
    *claim = seen - 1;
    bool taken = is_taken(t, &too_long);
    *claim = honest;
    return !taken;
}

static bool compare(struct trial *t, const struct weir_processors_observed *seen, uint64_t seed)
{
    const struct weir_priority_system *s = &t->system;
    uint32_t count = t->pipeline->taskset->task_count, forged = (uint32_t)(seed % count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t first = t->run.proof->stages[0].finish_max[i];
        if (seen->finish_max[i] > s->finish[i] || seen->finish_max[i] > first)
            return complain(t, "by situations it should have been over, the end of", i, s->finish[i], seen->finish_max[i]);
        if (seen->enable_max[i] > s->enable[i])
            return complain(t, "by situations it should have been ready,", i, s->enable[i], seen->enable_max[i]);
    }
    return is_refused(t, forged, seen->finish_max[forged]) ||
           complain(t, "by situations it is claimed too early, the end of", forged, seen->finish_max[forged] - 1,
                    seen->finish_max[forged]);
}

static bool simulate(struct trial *t, uint64_t seed)
{
    const struct weir_pipeline *p = t->pipeline;
    uint32_t *capacities = malloc((p->queue_count + 1) * sizeof *capacities);
    struct weir_processors_observed *seen;
    struct weir_processors_search_options options = {
        .seed = seed, .runs = RUNS, .iterations = ITERATIONS, .capacities = capacities, .chain = (uint32_t)p->chain_count};
    for (uint32_t i = 0; capacities && i < p->queue_count; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        capacities[i] = q.capacity == WEIR_AUTO ? (uint32_t)weir_priority_capacity(&t->system, i) : q.capacity;
    }
    bool good = capacities && weir_processors_search(p, &options, &seen, NULL) == WEIR_OK;
    free(capacities);
    if (!good)
        return complain(t, "the search fails", 0, 0, 0);
    good = compare(t, seen, seed);
    weir_free(seen);
    return good;
}

bool reached_bounds_hold(const struct weir_pipeline *pipeline, uint64_t seed, struct reached *reached)
{
    struct trial t = {.pipeline = pipeline, .reached = reached};
    bool too_long = false;
    *reached = (struct reached){0};
    bool good = find(&t);
    if (good && reached->bounded)
        good = (is_taken(&t, &too_long) || too_long || complain(&t, "the checker refuses the situations", 0, 0, 0)) &&
               simulate(&t, seed);
    weir_bounds_proof_free(t.run.proof);
    weir_priority_system_close(&t.system);
    return good;
}
