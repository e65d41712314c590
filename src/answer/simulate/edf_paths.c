/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/simulate/simulation.h"
#include "base/number.h"
#include "model/pipeline.h"

/* Marks what `from` leads to (down) or what leads to it. Without cycles, as many sweeps as the longest path has queues. */
static void flood(const struct weir_pipeline *pipeline, uint32_t from, bool down, unsigned char *reached)
{
    reached[from] = 1;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < pipeline->queue_count; i++) {
            const struct weir_queue_spec *q = &pipeline->queues[i];
            uint32_t here = down ? q->from.index : q->to.index, there = down ? q->to.index : q->from.index;
            if (reached[here] && !reached[there])
                reached[there] = 1, more = true;
        }
    }
}

/* Takes the queues out of an operator once all that lead to it are taken. */
static void sort(struct weir_edf_paths *paths, struct weir_queue_spec *found)
{
    size_t sorted = 0;
    for (size_t i = 0; i < paths->count; i++)
        paths->marks[found[i].from.index] = paths->marks[found[i].to.index] = 0;
    for (size_t i = 0; i < paths->count; i++)
        paths->marks[found[i].to.index]++;
    while (sorted < paths->count) {
        size_t before = sorted;
        for (size_t i = 0; i < paths->count; i++) {
            uint32_t from = found[i].from.index;
            if (!found[i].capacity || paths->marks[from] > 0)
                continue;
            found[i].capacity = 0; /* taken */
            paths->queues[sorted++] = found[i];
        }
        for (size_t i = before; i < sorted; i++)
            paths->marks[paths->queues[i].to.index]--;
        if (sorted == before)
            return;
    }
}

bool weir_edf_paths_find(const struct weir_simulation *s, const struct weir_chain_spec *chain, struct weir_edf_paths *paths)
{
    const struct weir_pipeline *p = s->pipeline;
    unsigned char *behind = weir_answer_take(s->answer, p->operator_count, 1),
                  *ahead = weir_answer_take(s->answer, p->operator_count, 1);
    struct weir_queue_spec *found = weir_answer_take(s->answer, p->queue_count, sizeof *found);
    *paths = (struct weir_edf_paths){.from = chain->from.index, .to = chain->to.index, .marks = paths->marks};
    paths->queues = weir_answer_take(s->answer, p->queue_count, sizeof *paths->queues);
    if (!behind || !ahead || !found || !paths->queues)
        return false;
    flood(p, chain->from.index, true, behind);
    flood(p, chain->to.index, false, ahead);
    for (size_t i = 0; i < p->queue_count; i++) {
        struct weir_queue_spec q = p->queues[i];
        if (!behind[q.from.index] || !ahead[q.to.index])
            continue;
        q.produce = q.produce ? q.produce : 1;
        q.consume = q.consume ? q.consume : 1;
        q.threshold = q.threshold ? q.threshold : q.consume;
        q.capacity = 1;
        found[paths->count++] = q;
    }
    sort(paths, found);
    return true;
}

int64_t weir_edf_paths_last(const struct weir_edf_paths *paths, int64_t n)
{
    for (size_t i = 0; i < paths->count; i++)
        paths->marks[paths->queues[i].to.index] = 0;
    paths->marks[paths->from] = n;
    for (size_t i = 0; i < paths->count; i++) {
        const struct weir_queue_spec *q = &paths->queues[i];
        int64_t last = weir_ceil_divide(paths->marks[q->from.index] * q->produce + q->initial, q->consume),
                *mark = &paths->marks[q->to.index];
        *mark = last > *mark ? last : *mark;
    }
    return paths->marks[paths->to];
}

int64_t weir_edf_paths_needed(const struct weir_edf_paths *paths, int64_t k)
{
    for (size_t i = 0; i < paths->count; i++)
        paths->marks[paths->queues[i].from.index] = 0;
    paths->marks[paths->to] = k;
    for (size_t i = paths->count; i-- > 0;) {
        const struct weir_queue_spec *q = &paths->queues[i];
        int64_t reader = paths->marks[q->to.index], *mark = &paths->marks[q->from.index];
        if (reader <= 0)
            continue;
        int64_t needed = weir_ceil_divide((reader - 1) * q->consume + q->threshold - q->initial, q->produce);
        *mark = needed > *mark ? needed : *mark;
    }
    return paths->marks[paths->from];
}
