/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/priority/system.h"

#include "model/pipeline.h"

static bool is_fed(const struct weir_pipeline *p, uint32_t op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op)
            return true;
    return false;
}

/* A shift that weir chose is that of a message, which does not end before it begins. One that was given may be any. */
static bool is_message(const struct weir_pipeline *p, const struct weir_chain_spec *chain)
{
    return !p->shift_given || !p->shift_given[chain - p->chains];
}

/* From the nominal arrival where `from` is fed by the source, and from its enabling where it is not. What ends with a later input
 * waits for that; a sporadic source may never send it. */
bool weir_priority_latency_of(const struct weir_priority_system *s, const struct weir_pipeline *pipeline,
                              const struct weir_chain_spec *chain, struct weir_priority_latency *latency)
{
    uint32_t from = chain->from.index, to = chain->to.index;
    bool fed = is_fed(pipeline, from);
    weir_wide later = (weir_wide)chain->shift * s->period[to];
    weir_wide worst = later + s->finish[to] - (fed ? 0 : s->enable_min[from]);
    weir_wide best = later + s->enable_min[to] + s->set->tasks[to].best - (fed ? 0 : s->enable[from]);
    *latency = (struct weir_priority_latency){.chain = *chain};
    if (worst >= WEIR_TIME_MAX || worst <= -WEIR_TIME_MAX || best >= WEIR_TIME_MAX)
        return false;
    bool sporadic = s->set->graphs[s->set->tasks[to].graph].sporadic;
    if (is_message(pipeline, chain) && best < 0)
        best = 0;
    latency->best = (sporadic && chain->shift < 0) || best <= INT64_MIN ? INT64_MIN : (int64_t)best;
    latency->bounded = chain->shift <= 0 || !sporadic;
    if (latency->bounded)
        latency->worst = (int64_t)worst;
    return true;
}
