/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When operators begin (docs/concepts/phases.md). A source says so, or it is unknown where several operators begin what is joined
 * by queues: nothing ties their periods to one another then. Inputs that arrive exactly arrive all the time, so that the first is
 * within a period.
 */
#include "model/firings.h"
#include "model/pipeline.h"

#include <string.h>

bool weir_pipeline_set_phase(struct weir_pipeline *p, uint32_t op, struct weir_phase phase)
{
    if (!p->given_phases && !(p->given_phases = weir_array_zeroed(p->operator_count, sizeof *p->given_phases)))
        return false;
    p->given_phases[op] = phase;
    return true;
}

bool weir_pipeline_set_lateness(struct weir_pipeline *p, uint32_t op, struct weir_lateness wait)
{
    if (!p->lateness && !(p->lateness = weir_array_zeroed(p->operator_count, sizeof *p->lateness)))
        return false;
    p->lateness[op] = wait;
    return true;
}

bool weir_pipeline_set_reaction(struct weir_pipeline *p, uint32_t queue, int64_t most)
{
    if (!weir_reserve(&p->reactions, &p->reaction_capacity, (size_t)queue + 1, sizeof *p->reactions))
        return false;
    while (p->reaction_count <= queue)
        p->reactions[p->reaction_count++] = WEIR_AS_ANY;
    p->reactions[queue] = most;
    return true;
}

/* What is joined by queues, by its first operator. */
struct joints {
    uint32_t *leader; /* by operator */
    uint32_t *begins; /* by leader: operators that begin it */
    uint8_t *waits;   /* by operator */
};

/* For messages; and for one at the beginning, too. What begins with a message that is there, and has no period, is no source. */
enum { WAITS = 1, WAITS_FIRST = 2 };

static uint32_t leader_of(uint32_t *leader, uint32_t o)
{
    while (leader[o] != o) {
        leader[o] = leader[leader[o]];
        o = leader[o];
    }
    return o;
}

static void join(const struct weir_pipeline *p, struct joints *j)
{
    for (uint32_t o = 0; o < p->operator_count; o++)
        j->leader[o] = o;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        uint32_t a = leader_of(j->leader, q->from.index), b = leader_of(j->leader, q->to.index);
        j->leader[a > b ? a : b] = a > b ? b : a;
        if (weir_queue_waits(q) || q->port)
            j->waits[q->to.index] |= q->initial < weir_queue_batch(q) ? WAITS | WAITS_FIRST : WAITS;
    }
    for (size_t i = 0; i < p->source_count; i++) /* what arrives comes from elsewhere */
        if (p->sources[i].arrivals == WEIR_ARRIVALS_EXACT || !(j->waits[p->sources[i].op.index] & WAITS_FIRST))
            j->waits[p->sources[i].op.index] = 0;
    for (uint32_t o = 0; o < p->operator_count; o++)
        j->begins[leader_of(j->leader, o)] += !j->waits[o];
}

static struct weir_phase phase_of(const struct weir_source_spec *s, bool tied)
{
    if (s->has_phase)
        return (struct weir_phase){.least = s->phase, .most = s->phase_max};
    if (tied)
        return (struct weir_phase){0};
    return (struct weir_phase){.most = s->period, .unknown = s->arrivals != WEIR_ARRIVALS_EXACT};
}

enum weir_status weir_phases_find(struct weir_sealing *s)
{
    struct weir_pipeline *p = s->pipeline;
    p->phases = NULL;
    if (!p->source_count && !p->given_phases)
        return WEIR_OK;
    struct weir_phase *phases = weir_arena_array(&p->sealed_arena, p->operator_count, sizeof *phases);
    struct joints j = {.leader = weir_arena_array(&s->scratch, p->operator_count, sizeof *j.leader),
                       .begins = weir_arena_array(&s->scratch, p->operator_count, sizeof *j.begins),
                       .waits = weir_arena_array(&s->scratch, p->operator_count, sizeof *j.waits)};
    if (!phases || s->scratch.failed)
        return weir_sealing_memory(s);
    if (p->given_phases)
        memcpy(phases, p->given_phases, p->operator_count * sizeof *phases);
    else
        join(p, &j);
    for (size_t i = 0; i < p->source_count && !p->given_phases; i++) {
        uint32_t op = p->sources[i].op.index;
        phases[op] = phase_of(&p->sources[i], j.waits[op] || j.begins[leader_of(j.leader, op)] < 2);
    }
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (phases[o].unknown || phases[o].most)
            p->phases = phases;
    return WEIR_OK;
}
