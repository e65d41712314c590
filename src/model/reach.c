/* SPDX-License-Identifier: Apache-2.0 */
/* Which operators begin and end the pipeline, and which are reached at all. */
#include "model/links.h"
#include "model/pipeline.h"

enum { ROOT = WEIR_ENDS_ROOT, LEAF = WEIR_ENDS_LEAF, REACHED = 4, JOINED = 8 };

/* A root has no input, a leaf no output. Where a pipeline is one great loop and has none, queues that begin with messages are
 * taken for the feedback and do not count: the rest has no cycle, so it has both. */
void weir_pipeline_mark_ends(const struct weir_pipeline *p, uint8_t *ends)
{
    int found = 0;
    for (int relaxed = 0; relaxed < 2 && found != (ROOT | LEAF); relaxed++) {
        uint8_t open = (uint8_t)((ROOT | LEAF) & ~found);
        for (size_t i = 0; i < p->operator_count; i++)
            ends[i] |= open;
        for (size_t i = 0; i < p->queue_count; i++) {
            const struct weir_queue_spec *q = &p->queues[i];
            if (q->from.index == q->to.index || (relaxed && q->initial))
                continue;
            ends[q->to.index] &= (uint8_t) ~(open & ROOT);
            ends[q->from.index] &= (uint8_t) ~(open & LEAF);
        }
        for (size_t i = 0; i < p->operator_count; i++)
            found |= ends[i];
    }
    for (size_t i = 0; i < p->source_count; i++)
        ends[p->sources[i].op.index] |= ROOT;
    for (size_t i = 0; i < p->loop_start_count; i++)
        ends[p->loop_starts[i]] |= ROOT;
}

/* A loop that no root leads to, but that queues join to what a root leads to, is a source of its own: it begins where no empty
 * queue leads to, as a pipeline does that is one great loop. False when out of memory. */
static bool find_loop_starts(struct weir_sealing *s, uint8_t *ends)
{
    struct weir_pipeline *p = s->pipeline;
    struct weir_links both;
    size_t count = 0;
    if (!weir_links_make(&both, p, WEIR_LINKS_OUT | WEIR_LINKS_IN, &s->scratch))
        return false;
    weir_links_flood(&both, (struct weir_flood){ends, REACHED, JOINED, 0});
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (!q->initial && q->from.index != q->to.index)
            ends[q->to.index] &= (uint8_t)~JOINED;
    }
    for (size_t i = 0; i < p->operator_count; i++)
        count += (ends[i] & JOINED) && !(ends[i] & REACHED);
    p->loop_starts = weir_arena_array(&p->sealed_arena, count, sizeof *p->loop_starts);
    if (!p->loop_starts)
        return false;
    for (uint32_t i = 0; i < p->operator_count; i++)
        if ((ends[i] & JOINED) && !(ends[i] & REACHED)) {
            p->loop_starts[p->loop_start_count++] = i;
            ends[i] |= ROOT;
        }
    return true;
}

/* Marks every operator that the roots reach. */
static bool mark_reached(struct weir_sealing *s, bool deadlocked, uint8_t *ends)
{
    struct weir_links out;
    bool all = true;
    if (!weir_links_make(&out, s->pipeline, WEIR_LINKS_OUT, &s->scratch))
        return false;
    weir_pipeline_mark_ends(s->pipeline, ends);
    weir_links_flood(&out, (struct weir_flood){ends, ROOT, REACHED, 0});
    for (size_t i = 0; i < s->pipeline->operator_count; i++)
        all &= (ends[i] & REACHED) != 0;
    if (all || deadlocked)
        return true;
    if (!find_loop_starts(s, ends))
        return false;
    weir_links_flood(&out, (struct weir_flood){ends, ROOT, REACHED, 0});
    return true;
}

enum weir_status weir_pipeline_check_reach(struct weir_sealing *s, bool deadlocked)
{
    struct weir_pipeline *p = s->pipeline;
    s->status = WEIR_OK;
    if (p->operator_count == 0)
        return weir_sealing_fail(s, WEIR_INVALID, "the pipeline has no operators");
    uint8_t *ends = weir_arena_array(&s->scratch, p->operator_count, sizeof *ends);
    uint8_t *joined = weir_arena_array(&s->scratch, p->operator_count, sizeof *joined);
    if (!ends || !joined || !mark_reached(s, deadlocked, ends))
        return weir_sealing_memory(s);
    if (p->platform == WEIR_PLATFORM_PROCESSORS)
        return WEIR_OK; /* a task graph may be one operator; what its source does not reach, the task set tells */
    for (size_t i = 0; i < p->queue_count; i++)
        joined[p->queues[i].from.index] = joined[p->queues[i].to.index] = 1;
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *o = &p->operators[i];
        if (!joined[i] && p->operator_count > 1)
            weir_sealing_mistake(s, o->place, "operator \"%s\" is unreachable: no queue leads to it or from it", o->name);
        else if (!(ends[i] & REACHED) && !deadlocked)
            weir_sealing_mistake(s, o->place, "operator \"%s\" is unreachable: no source leads to it", o->name);
    }
    return s->status;
}
