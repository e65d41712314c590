/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "edf_simulate.h"

#include <stdlib.h>

/* Marks what `from` leads to (down) or what leads to it. Without cycles, as many sweeps as the longest way has queues. */
static void flood(const struct weir_pipeline *pipeline, uint32_t from, bool down, unsigned char *reached)
{
    reached[from] = 1;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
            struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
            uint32_t here = down ? q.from.index : q.to.index, there = down ? q.to.index : q.from.index;
            if (reached[here] && !reached[there])
                reached[there] = 1, more = true;
        }
    }
}

bool weir_edf_is_even(const struct weir_pipeline *pipeline, uint32_t op)
{
    unsigned char *ahead = calloc(weir_pipeline_operator_count(pipeline), 1);
    bool even = true;
    if (ahead)
        flood(pipeline, op, false, ahead);
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        even &= (ahead && !ahead[source.op.index]) || (!source.sporadic && !source.bursty);
    }
    free(ahead);
    return even;
}

/* Takes the queues out of an operator once all that lead to it are taken. */
static void sort(struct weir_edf_ways *ways, struct weir_queue_spec *found)
{
    size_t sorted = 0;
    for (size_t i = 0; i < ways->count; i++)
        ways->marks[found[i].from.index] = ways->marks[found[i].to.index] = 0;
    for (size_t i = 0; i < ways->count; i++)
        ways->marks[found[i].to.index]++;
    while (sorted < ways->count) {
        size_t before = sorted;
        for (size_t i = 0; i < ways->count; i++) {
            uint32_t from = found[i].from.index;
            if (!found[i].capacity || ways->marks[from] > 0)
                continue;
            found[i].capacity = 0; /* taken */
            ways->queues[sorted++] = found[i];
        }
        for (size_t i = before; i < sorted; i++)
            ways->marks[ways->queues[i].to.index]--;
        if (sorted == before)
            return;
    }
}

bool weir_edf_ways_find(const struct weir_pipeline *pipeline, const struct weir_pair_spec *pair, struct weir_edf_ways *ways)
{
    uint32_t operators = weir_pipeline_operator_count(pipeline), queues = weir_pipeline_queue_count(pipeline);
    unsigned char *behind = calloc(operators, 1), *ahead = calloc(operators, 1);
    struct weir_queue_spec *found = calloc(queues ? queues : 1, sizeof *found);
    *ways = (struct weir_edf_ways){.from = pair->from.index, .to = pair->to.index, .marks = ways->marks};
    ways->queues = calloc(queues ? queues : 1, sizeof *ways->queues);
    bool good = behind && ahead && found && ways->queues;
    if (good) {
        flood(pipeline, pair->from.index, true, behind);
        flood(pipeline, pair->to.index, false, ahead);
        for (uint32_t i = 0; i < queues; i++) {
            struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
            if (!behind[q.from.index] || !ahead[q.to.index])
                continue;
            q.produce = q.produce ? q.produce : 1;
            q.consume = q.consume ? q.consume : 1;
            q.threshold = q.threshold ? q.threshold : q.consume;
            q.capacity = 1;
            found[ways->count++] = q;
        }
        sort(ways, found);
    }
    free(behind);
    free(ahead);
    free(found);
    return good;
}

void weir_edf_ways_free(struct weir_edf_ways *ways)
{
    free(ways->queues);
}

int64_t weir_edf_ways_last(const struct weir_edf_ways *ways, int64_t n)
{
    for (size_t i = 0; i < ways->count; i++)
        ways->marks[ways->queues[i].to.index] = 0;
    ways->marks[ways->from] = n;
    for (size_t i = 0; i < ways->count; i++) {
        const struct weir_queue_spec *q = &ways->queues[i];
        int64_t last = weir_ceil_divide(ways->marks[q->from.index] * q->produce + q->initial, q->consume),
                *mark = &ways->marks[q->to.index];
        *mark = last > *mark ? last : *mark;
    }
    return ways->marks[ways->to];
}

int64_t weir_edf_ways_needed(const struct weir_edf_ways *ways, int64_t k)
{
    for (size_t i = 0; i < ways->count; i++)
        ways->marks[ways->queues[i].from.index] = 0;
    ways->marks[ways->to] = k;
    for (size_t i = ways->count; i-- > 0;) {
        const struct weir_queue_spec *q = &ways->queues[i];
        int64_t reader = ways->marks[q->to.index], *mark = &ways->marks[q->from.index];
        if (reader <= 0)
            continue;
        int64_t needed = weir_ceil_divide((reader - 1) * q->consume + q->threshold - q->initial, q->produce);
        *mark = needed > *mark ? needed : *mark;
    }
    return ways->marks[ways->from];
}
