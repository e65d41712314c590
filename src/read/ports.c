/* SPDX-License-Identifier: Apache-2.0 */
/* Receivers of an operator in files that name no ports. */
#include "model/ports.h"
#include "read/draft.h"

/* Behind one operator, whose queues are numbers[0 .. count). A buffer that keeps the latest message has a port to itself. */
static void share_port(struct weir_draft *d, const uint32_t *numbers, size_t count)
{
    size_t receivers = 0;
    struct weir_draft_queue queue = {.kind = 0};
    for (size_t i = 0; i < count; i++) {
        const struct weir_draft_queue *q = weir_draft_queue(d, numbers[i]);
        if (!d->kinds[q->kind].spec.latest && receivers++ == 0)
            queue = *q;
    }
    if (receivers < 2)
        return;
    uint32_t broadcast = weir_draft_add_broadcast(d, queue.from, queue.place);
    if (broadcast == WEIR_NO_OPERATOR)
        return;
    d->operators[broadcast].assumed = d->options->ports != WEIR_PORTS_SHARED;
    for (size_t i = 0; i < count; i++) {
        struct weir_draft_queue *q = weir_draft_queue(d, numbers[i]);
        if (!d->kinds[q->kind].spec.latest)
            q->from = broadcast;
    }
    queue.to = broadcast;
    queue.kind = weir_draft_kind(d, &(struct weir_draft_kind){0});
    weir_draft_add_queue(d, &queue);
}

void weir_draft_fan_out(struct weir_draft *d)
{
    struct weir_groups groups = {0};
    size_t operators = d->operator_count;
    if (d->options->ports == WEIR_PORTS_SEPARATE || d->incomplete || !d->queue_count)
        return;
    d->out_of_memory |= !weir_draft_group_queues(d, &groups);
    for (size_t op = 0; op < operators && !d->out_of_memory; op++)
        share_port(d, groups.item + groups.first[op], groups.first[op + 1] - groups.first[op]);
    weir_groups_free(&groups);
}

void weir_draft_settle_ports(struct weir_draft *d)
{
    for (size_t i = 0; i < d->operator_count && d->options->ports == WEIR_PORTS_SHARED; i++)
        d->operators[i].assumed = false;
}

enum weir_status weir_draft_separate_ports(const struct weir_draft *d, struct weir_pipeline **pipeline)
{
    struct weir_readings readings;
    struct weir_error error = {0};
    if (d->options->ports != WEIR_PORTS_SEPARATE || !weir_pipeline_assumes(*pipeline))
        return WEIR_OK;
    struct weir_pipeline *separate = NULL;
    if (weir_readings_begin(&readings, *pipeline)) {
        weir_readings_separate(&readings);
        separate = weir_readings_make(&readings, &error);
    }
    weir_readings_free(&readings);
    weir_pipeline_free(*pipeline);
    *pipeline = separate;
    if (separate || !error.status || error.status == WEIR_MEMORY)
        return separate ? WEIR_OK : WEIR_MEMORY;
    return weir_errors_add(d->errors, error.status, d->file, (struct weir_place){0, 0}, "%s", error.message);
}
