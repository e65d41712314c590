/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has a message of the pool. A place in a queue has one owner more, and so has an execution that took it from there or made it;
 * executions let go when they end. So at a fan-out a message is free when the last branch is done with it, and functions never free
 * anything.
 */
#include "base/error.h"
#include "measure/run/run.h"

#include <string.h>

#define FIRST_BYTES ((uint64_t)256 << 20) /* that are taken before the start, at most */
#define FIRST_MORE 16                     /* for a queue without limit */

static void give_back(void *pool, void *message)
{
    weir_pool_release(pool, message);
}

/* As many as there can be at once: in each queue its capacity, what one execution holds that it took from there, and what one is
 * about to send. */
static uint64_t count_needed(const struct weir_run *run)
{
    uint64_t needed = 1;
    for (uint32_t i = 0; i < run->channel_count; i++) {
        const struct weir_channel *c = &run->channels[i];
        needed += c->capacity < UINT32_MAX ? c->capacity : FIRST_MORE;
        needed += c->consume + c->produce + (c->kind == WEIR_CHANNEL_LATEST);
    }
    return needed;
}

enum weir_status weir_messages_prepare(struct weir_run *run, struct weir_error *error)
{
    size_t bytes = run->options.message_bytes;
    if (bytes == 0)
        return WEIR_OK;
    uint64_t needed = count_needed(run), most = run->shared ? UINT32_MAX / 4 : FIRST_BYTES / bytes + 1;
    run->pool.shared = run->shared;
    if (!weir_pool_open(&run->pool, bytes, (uint32_t)(needed < most ? needed : most)))
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < run->channel_count; i++) {
        run->channels[i].discard = give_back;
        run->channels[i].discard_context = &run->pool;
    }
    return WEIR_OK;
}

bool weir_messages_count_sent(struct weir_operator_thread *s)
{
    const struct weir_pool *pool = &s->run->pool;
    for (size_t i = 0; i < s->sent_count; i++)
        if (s->sent_messages[i] && !weir_pool_has(pool, s->sent_messages[i]))
            return false;
    for (size_t i = 0; i < s->sent_count; i++)
        if (s->sent_messages[i])
            weir_pool_keep(s->sent_messages[i]);
    return true;
}

/* A latest message stays with its connection until there is a newer one. */
void weir_messages_let_go(struct weir_operator_thread *s)
{
    struct weir_pool *pool = &s->run->pool;
    for (uint32_t i = 0; i < s->input_count; i++) {
        const struct weir_channel *c = s->inputs[i];
        const struct weir_taking *taking = &s->takings[i];
        if (c->kind == WEIR_CHANNEL_LATEST || taking->count == 0)
            continue;
        for (uint64_t k = 0; k < c->consume; k++)
            if (taking->messages[k])
                weir_pool_release(pool, taking->messages[k]);
    }
    for (void *message = s->fresh, *next; message; message = next) {
        next = weir_pool_next(message);
        weir_pool_release(pool, message);
    }
    s->fresh = NULL;
}

/* ---- for functions of the user ---- */

void *weir_run_message(const struct weir_run_call *call)
{
    struct weir_run *run = call->run;
    return run->options.message_bytes ? weir_pool_take(&run->pool, &run->threads[call->op.index].fresh) : NULL;
}

bool weir_run_keep(struct weir_run *run, void *message)
{
    bool good = run->options.message_bytes && weir_pool_has(&run->pool, message);
    if (good)
        weir_pool_keep(message);
    return good;
}

bool weir_run_release(struct weir_run *run, void *message)
{
    bool good = run->options.message_bytes && weir_pool_has(&run->pool, message);
    if (good)
        weir_pool_release(&run->pool, message);
    return good;
}

int weir_run_send(const struct weir_run_call *call, void *message)
{
    for (size_t i = 0; i < call->output_count; i++)
        for (uint32_t k = 0; k < call->outputs[i].count; k++)
            call->outputs[i].messages[k] = message;
    return 0;
}

/* Who sent what comes over a queue: an operator that only hands on speaks for the one before it. */
static const char *sender_of(const struct weir_run *run, uint32_t channel)
{
    uint32_t op = run->channels[channel].from;
    for (uint32_t steps = 0; steps < run->thread_count; steps++) {
        const struct weir_operator_thread *s = &run->threads[op];
        if (!weir_pipeline_operator(run->pipeline, (struct weir_operator){op}).broadcast || s->input_count != 1)
            break;
        op = s->inputs[0]->from;
    }
    return weir_pipeline_operator(run->pipeline, (struct weir_operator){op}).name;
}

void *weir_run_message_from(const struct weir_run_call *call, const char *from)
{
    for (size_t i = 0; i < call->input_count; i++)
        if (!from || strcmp(sender_of(call->run, call->inputs[i].queue.index), from) == 0)
            return call->inputs[i].count ? call->inputs[i].messages[0] : NULL;
    return NULL;
}
