/* SPDX-License-Identifier: Apache-2.0 */
/* What a step of a critical path waited for, in words. */
#include "answer/schedule.h"
#include "model/pipeline.h"

static const char *name_of(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    return weir_pipeline_operator(pipeline, op).name;
}

static const char *goes_on(enum weir_part part)
{
    switch (part) {
    case WEIR_PART_RECEIVE:
        return "until it calls receive()";
    case WEIR_PART_GPU:
        return "on the GPU";
    case WEIR_PART_AFTER:
        return "once the GPU is done";
    case WEIR_PART_DONE:
        return "done";
    default:
        return "goes on";
    }
}

/* Which one, where there are several between the two. */
static void put_queue(const struct weir_pipeline *pipeline, struct weir_queue queue, FILE *out)
{
    uint32_t number = weir_queue_number(pipeline, queue);
    if (!number)
        return;
    struct weir_queue_spec q = weir_pipeline_queue(pipeline, queue);
    fprintf(out, " (%s->%s#%u)", name_of(pipeline, q.from), name_of(pipeline, q.to), number);
}

static void put_data(const struct weir_pipeline *pipeline, const struct weir_step_at *now, const struct weir_step_at *before,
                     FILE *out)
{
    const char *name = name_of(pipeline, before->step->op);
    long long frame = (long long)before->iteration;
    if (before->step->part == WEIR_PART_ARRIVAL)
        fputs("data: its input has arrived", out);
    else if (now->step->part == WEIR_PART_TRANSFER)
        fprintf(out, "data: on its way from %s", name);
    else if (before->step->part == WEIR_PART_TRANSFER)
        fputs("data: it has come over", out);
    else if (now->step->part == WEIR_PART_GPU)
        fprintf(out, "data: the GPU is done with frame %lld of %s", frame, name);
    else if (before->iteration == now->iteration && before->step->firing == now->step->firing)
        fprintf(out, "data: %s has sent it", name);
    else
        fprintf(out, "data: %s has sent its frame %lld", name, frame);
    put_queue(pipeline, now->step->queue, out);
}

void weir_step_reason(const struct weir_pipeline *pipeline, const struct weir_step_at *now, const struct weir_step_at *before,
                      FILE *out)
{
    const char *name = name_of(pipeline, before->step->op);
    long long frame = (long long)before->iteration;
    switch (now->step->wait) {
    case WEIR_WAIT_NONE: /* a part of the same execution */
        fputs(goes_on(now->step->part), out);
        break;
    case WEIR_WAIT_DATA:
        put_data(pipeline, now, before, out);
        break;
    case WEIR_WAIT_BUSY:
        fprintf(out, "busy: it had frame %lld to finish", frame);
        break;
    case WEIR_WAIT_BACKPRESSURE:
        fprintf(out, "backpressure: %s takes frame %lld, so there is room", name, frame);
        put_queue(pipeline, now->step->queue, out);
        break;
    case WEIR_WAIT_PERIOD:
        if (before->step->part == WEIR_PART_TICK && now->step->part != WEIR_PART_TICK)
            fputs("period: its tick has come", out);
        else
            fprintf(out, "period: one period after frame %lld", frame);
        break;
    case WEIR_WAIT_ORDER:
        if (before->step->op.index != now->step->op.index) /* in the same stream */
            fprintf(out, "order: frame %lld of %s is first in the stream", frame, name);
        else
            fprintf(out, "order: frame %lld begins first", frame);
        break;
    }
}
