/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/divisions.h"

#include <string.h>

/* The pipeline with these times by profile, sealed. NULL: it failed. */
static struct weir_pipeline *pipeline_with(const struct weir_pipeline *pipeline, const struct weir_partition_options *o,
                                           const struct weir_profile_point *times)
{
    struct weir_pipeline *p = weir_pipeline_copy(pipeline, NULL);
    bool fine = p != NULL;
    for (size_t i = 0; fine && i < o->profile_count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, o->profiles[i].op);
        struct weir_launch launch;
        if (spec.launch) {
            launch = *spec.launch;
            launch.best = times[i].best;
            launch.worst = times[i].worst;
            spec.launch = &launch;
        } else {
            spec.best = times[i].best;
            spec.worst = times[i].worst;
        }
        fine = weir_pipeline_change_operator(p, o->profiles[i].op, &spec, NULL) == WEIR_OK;
    }
    if (fine && weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
        return p;
    weir_pipeline_free(p);
    return NULL;
}

static bool score_of(const struct weir_pipeline *p, struct weir_partition_score *score)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    bool fine = solver != NULL;
    *score = (struct weir_partition_score){0};
    for (uint32_t i = 0; fine && i < weir_pipeline_chain_count(p); i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(p, i);
        bool arrives = weir_pipeline_source_count(p) > 0 && weir_pipeline_source(p, 0).op.index == chain.from.index;
        struct weir_query query = {.from = {.op = chain.from, .moment = arrives ? WEIR_ARRIVAL : WEIR_START},
                                   .to = {.op = chain.to, .moment = WEIR_FINISH},
                                   .shift = chain.shift};
        struct weir_separation worst;
        fine = weir_separation_worst(solver, &query, &worst, NULL) == WEIR_OK;
        bool bounded = fine && worst.outcome == WEIR_EXACT;
        score->unbounded += !bounded;
        score->missed += chain.has_deadline && (!bounded || worst.value > chain.deadline);
        score->total += bounded ? worst.value : 0;
    }
    weir_solver_free(solver);
    return fine;
}

static bool better(const struct weir_partition_score *a, uint32_t a_sms, const struct divided *b)
{
    if (a->unbounded != b->score.unbounded)
        return a->unbounded < b->score.unbounded;
    if (a->missed != b->score.missed)
        return a->missed < b->score.missed;
    return a->total != b->score.total ? a->total < b->score.total : a_sms < b->sms;
}

/* What the operators take in these partitions with so many SMs each, 0 for one that nobody is in. False: it is no division. */
static bool times_of(const struct weir_partition_options *o, const uint32_t *part, const uint32_t *sms,
                     struct weir_profile_point *times)
{
    uint32_t step = o->step ? o->step : 1;
    memset(times, 0, DIVIDED_OPERATORS * sizeof *times);
    for (uint32_t k = 0; k < o->profile_count; k++) {
        bool used = false;
        for (size_t i = 0; i < o->profile_count; i++)
            used |= part[i] == k;
        if (used != (sms[k] > 0) || sms[k] % step)
            return false;
    }
    for (size_t i = 0; i < o->profile_count; i++)
        for (size_t m = 0; m < o->profile_count; m++) {
            const struct weir_profile_point *found = NULL;
            for (size_t k = 0; part[m] == part[i] && k < o->profiles[m].point_count; k++)
                if (o->profiles[m].points[k].sms <= sms[part[m]])
                    found = &o->profiles[m].points[k];
            if (part[m] == part[i] && !found)
                return false;
            times[i].worst += found ? found->worst : 0;
            times[i].best = m == i ? found->best : times[i].best;
        }
    return true;
}

static bool try_widths(const struct weir_pipeline *pipeline, const struct weir_partition_options *o, const uint32_t *part,
                       struct divided *best)
{
    uint32_t sms[DIVIDED_OPERATORS] = {0};
    for (size_t at = 0; at < o->profile_count;) {
        struct weir_profile_point times[DIVIDED_OPERATORS];
        uint32_t sum = 0;
        for (size_t i = 0; i < o->profile_count; i++)
            sum += sms[i];
        if (sum <= o->sms && times_of(o, part, sms, times)) {
            struct weir_partition_score score;
            struct weir_pipeline *p = pipeline_with(pipeline, o, times);
            bool fine = p && score_of(p, &score);
            weir_pipeline_free(p);
            if (!fine)
                return false;
            if (!best->any || better(&score, sum, best))
                *best = (struct divided){true, score, sum};
        }
        for (at = 0; at < o->profile_count && sms[at] == o->sms; at++)
            sms[at] = 0;
        if (at < o->profile_count)
            sms[at]++;
    }
    return true;
}

bool divide_all(const struct weir_pipeline *pipeline, const struct weir_partition_options *o, struct divided *best)
{
    size_t codes = 1;
    *best = (struct divided){0};
    for (size_t i = 0; i < o->profile_count; i++)
        codes *= o->share ? o->profile_count : 1;
    for (size_t code = 0; code < codes; code++) {
        uint32_t part[DIVIDED_OPERATORS];
        size_t rest = code;
        for (size_t i = 0; i < o->profile_count; i++, rest /= o->profile_count)
            part[i] = o->share ? (uint32_t)(rest % o->profile_count) : (uint32_t)i;
        if (!try_widths(pipeline, o, part, best))
            return false;
    }
    return true;
}
