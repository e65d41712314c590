/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a run needs once it is known which operators have functions. All of it is taken, and touched, before the start.
 */
#include "base/error.h"
#include "measure/run/run.h"
#include "measure/run/shared.h"

#include <string.h>

static bool allocate_calls(struct weir_run *run, struct weir_operator_thread *s)
{
    s->sent_count = 0;
    for (uint32_t i = 0; i < s->input_count; i++) {
        struct weir_channel *c = s->inputs[i];
        s->takings[i] = (struct weir_taking){.count = (uint32_t)c->threshold, .origins = s->origins, .sender = -1};
        s->call_inputs[i].queue = (struct weir_queue){c->index};
        if (!run->bound)
            continue;
        s->takings[i].messages = weir_run_lines(run, c->threshold, sizeof(void *));
        s->call_inputs[i].messages = s->takings[i].messages;
        if (!s->takings[i].messages)
            return false;
    }
    for (uint32_t i = 0; i < s->output_count; i++)
        s->sent_count += run->bound ? s->outputs[i]->produce : 0;
    s->sent_messages = weir_run_lines(run, s->sent_count, sizeof *s->sent_messages);
    if (!s->sent_messages)
        return false;
    size_t at = 0;
    for (uint32_t i = 0; i < s->output_count; i++) {
        s->call_outputs[i] = (struct weir_run_output){.queue = {s->outputs[i]->index},
                                                      .messages = run->bound ? &s->sent_messages[at] : NULL,
                                                      .count = (uint32_t)s->outputs[i]->produce};
        at += s->outputs[i]->produce;
    }
    s->call = (struct weir_run_call){.op = {s->index},
                                     .inputs = s->call_inputs,
                                     .input_count = s->input_count,
                                     .outputs = s->call_outputs,
                                     .output_count = s->output_count,
                                     .run = run};
    return true;
}

static bool has_irregular_input(const struct weir_operator_thread *s)
{
    for (uint32_t i = 0; i < s->input_count; i++)
        if (s->inputs[i]->irregular)
            return true;
    return false;
}

static bool allocate_thread(struct weir_run *run, struct weir_operator_thread *s)
{
    const struct weir_run_options *options = &run->options;
    s->origins = weir_run_lines(run, (size_t)run->origin_count * run->segments, sizeof *s->origins);
    if (!s->origins || !allocate_calls(run, s))
        return false;
    if (options->measure && options->records > 0) {
        s->records = weir_shared_array(run->shared, options->records, sizeof *s->records);
        if (!s->records)
            return false;
        if (has_irregular_input(s)) {
            s->senders = weir_shared_array(run->shared, options->records, s->input_count * sizeof *s->senders);
            if (!s->senders)
                return false;
        }
        for (size_t i = 0; i < s->gauge_count; i++)
            if (s->gauges[i].carried && !(s->gauges[i].kept = weir_shared_array(run->shared, options->records, sizeof(int64_t))))
                return false;
    }
    if (options->work == WEIR_RUN_MEMORY && (!s->function || s->index == 0)) {
        s->memory = weir_array_zeroed(options->memory_bytes, 1);
        return s->memory != NULL;
    }
    return true;
}

enum weir_status weir_run_allocate(struct weir_run *run, struct weir_error *error)
{
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (!allocate_thread(run, &run->threads[i]))
            return weir_fail_memory(error);
    enum weir_status status = weir_messages_prepare(run, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < run->channel_count; i++)
        if (!weir_channel_open(&run->channels[i], run->bound))
            return weir_fail_memory(error);
    return WEIR_OK;
}
