/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of an operator. What an execution waits for stays true once it is true, because only this thread takes from its inputs
 * and fills its outputs; so it can wait for one thing after the other. Room that was there at the start is there at the end.
 */
#include "measure/run/run.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- before an execution ---- */

/* The thread that would be the last to wait ends the run instead. */
static bool wait_for(struct weir_operator_thread *s, const struct weir_channel *c, bool room, uint64_t need)
{
    struct weir_run *run = s->run;
    const struct weir_awaited wait = {
        .code = weir_channel_code(c, room), .index = room ? &c->head : &c->tail, .need = need, .pauses = c->pauses};
    if (weir_sleeper_wait(&run->group, &s->sleeper, &wait))
        return true;
    if (!weir_thread_group_stopping(&run->group))
        weir_run_settle(run, s->index);
    return false;
}

static bool wait_for_messages(struct weir_operator_thread *s, struct weir_channel *c)
{
    uint64_t need = atomic_load_explicit(&c->head, memory_order_relaxed) + c->threshold;
    if ((int64_t)(c->seen_tail - need) < 0) {
        c->seen_tail = atomic_load_explicit(&c->tail, memory_order_acquire);
        if ((int64_t)(c->seen_tail - need) < 0) {
            if (!wait_for(s, c, false, need))
                return false;
            c->seen_tail = atomic_load_explicit(&c->tail, memory_order_acquire);
        }
    }
    if (c->due_tag < 0)
        return true;
    int64_t due = weir_channel_due(c);
    return due == INT64_MIN || weir_sleeper_wait_until(&s->run->group, &s->sleeper, due);
}

static bool wait_for_room(struct weir_operator_thread *s, struct weir_channel *c)
{
    uint64_t end = atomic_load_explicit(&c->tail, memory_order_relaxed) + c->produce;
    if (end <= c->capacity)
        return true;
    uint64_t need = end - c->capacity;
    if ((int64_t)(c->seen_head - need) >= 0)
        return true;
    c->seen_head = atomic_load_explicit(&c->head, memory_order_acquire);
    if ((int64_t)(c->seen_head - need) >= 0)
        return true;
    if (!wait_for(s, c, true, need))
        return false;
    c->seen_head = atomic_load_explicit(&c->head, memory_order_acquire);
    return true;
}

static bool wait_for_release(struct weir_operator_thread *s, int64_t execution)
{
    const struct weir_release *release = &s->release;
    int64_t began = s->run->result.began, due = began;
    switch (release->kind) {
    case WEIR_RELEASE_NONE:
        return true;
    case WEIR_RELEASE_AT_MOST:
        if (execution > 0)
            due = s->last_start + (int64_t)(release->period / release->divisor);
        break;
    case WEIR_RELEASE_SKIP: {
        int64_t period = (int64_t)(release->period / release->divisor);
        if (execution > 0)
            due = began + ((s->last_start - began) / period + 1) * period;
        break;
    }
    case WEIR_RELEASE_FIXED:
        due = weir_release_of(s, execution);
        if (release->arrivals)
            s->now.arrival = due - release->gathering;
        if (release->jitter > 0)
            due += weir_random_between(&s->times.random, 0, release->jitter);
        if (due < s->last_due)
            due = s->last_due;
        s->last_due = due;
        break;
    }
    return weir_sleeper_wait_until(&s->run->group, &s->sleeper, due);
}

static bool wait_for_all(struct weir_operator_thread *s, int64_t execution)
{
    for (uint32_t i = 0; i < s->input_count; i++)
        if (s->inputs[i]->required && !wait_for_messages(s, s->inputs[i]))
            return false;
    for (uint32_t i = 0; i < s->output_count; i++)
        if (s->outputs[i]->waits && !wait_for_room(s, s->outputs[i]))
            return false;
    return wait_for_release(s, execution) && !weir_thread_group_stopping(&s->run->group);
}

/* ---- an execution ---- */

static void take(struct weir_operator_thread *s)
{
    for (uint32_t k = 0; k < s->run->origin_count * s->run->segments; k++)
        s->origins[k] = (struct weir_origin){-1, INT64_MAX};
    for (uint32_t i = 0; i < s->input_count; i++)
        if (s->inputs[i]->plain) {
            weir_channel_take_plain(s->inputs[i], &s->takings[i]);
        } else {
            s->takings[i].execution = s->now.execution;
            weir_channel_take(s->inputs[i], &s->takings[i]);
        }
}

/* Of what it is itself, nothing else counts. */
static void set_origin(struct weir_operator_thread *s)
{
    struct weir_origin *own = &s->origins[(uint32_t)s->origin * s->run->segments];
    own[0] = (struct weir_origin){s->now.execution, s->now.arrival};
    for (uint32_t k = 1; k < s->run->segments; k++)
        own[k] = (struct weir_origin){-1, INT64_MAX};
}

static void free_inputs(struct weir_operator_thread *s)
{
    struct weir_run *run = s->run;
    if (s->freed)
        return;
    s->freed = true;
    if (s->late && run->options.measure)
        s->now.received = weir_clock_now(); /* before anyone can notice */
    for (uint32_t i = 0; i < s->input_count; i++) {
        struct weir_channel *c = s->inputs[i];
        uint64_t taken = c->plain ? 1 : weir_channel_taken(c, &s->takings[i]);
        if (taken == 0)
            continue;
        weir_index_publish(&run->group, &c->head, atomic_load_explicit(&c->head, memory_order_relaxed) + taken);
        if (c->waits)
            weir_sleeper_wake(&run->group, &run->threads[c->from].sleeper, weir_channel_code(c, true));
    }
}

void weir_run_receive(const struct weir_run_call *call)
{
    free_inputs(&call->run->threads[call->op.index]);
}

/* What the model says an execution takes. */
static void work(struct weir_operator_thread *s, int64_t execution)
{
    struct weir_run *run = s->run;
    int64_t receive = s->late ? weir_run_ns(run, weir_times_draw(s, WEIR_PART_RECEIVE, execution)) : 0;
    int64_t length = weir_run_ns(run, weir_times_draw(s, WEIR_PART_EXECUTION, execution));
    if (receive > 0)
        weir_work_do(s, receive);
    free_inputs(s);
    if (length > receive)
        weir_work_do(s, length - receive);
}

/* Without a function: what came first goes everywhere. */
static void pass_on(struct weir_operator_thread *s)
{
    void *message = NULL;
    for (uint32_t i = 0; i < s->input_count && s->run->bound; i++)
        if (s->takings[i].count > 0) {
            message = s->takings[i].messages[0];
            break;
        }
    for (size_t i = 0; i < s->sent_count; i++)
        s->sent_messages[i] = message;
}

static int call_function(struct weir_operator_thread *s, int64_t execution)
{
    for (uint32_t i = 0; i < s->input_count; i++) {
        s->call_inputs[i].count = s->takings[i].count;
        s->call_inputs[i].again = s->takings[i].again;
    }
    for (size_t i = 0; i < s->sent_count; i++)
        s->sent_messages[i] = NULL;
    s->call.execution = execution;
    s->call.start = s->now.start;
    pthread_testcancel();
    int code = s->function(s->context, &s->call);
    free_inputs(s);
    return code;
}

/* When a message that is sent now gets there: not before those sent earlier. */
static int64_t arrival_at(struct weir_operator_thread *s, struct weir_channel *c)
{
    int64_t due = weir_clock_now() + weir_random_between(&s->times.random, c->transfer_min, c->transfer_max);
    if (due < c->last_due)
        due = c->last_due;
    c->last_due = due;
    return due;
}

/* With what is about to be sent. */
static void note_occupancy(struct weir_channel *c)
{
    uint64_t held = atomic_load_explicit(&c->tail, memory_order_relaxed) + c->produce - atomic_load(&c->head);
    if (held > c->capacity)
        held = c->capacity;
    if (held > c->peak)
        c->peak = held;
}

static bool send_one(struct weir_operator_thread *s, uint32_t output, int64_t execution)
{
    struct weir_run *run = s->run;
    struct weir_channel *c = s->outputs[output];
    struct weir_sending sending = {.messages = s->call_outputs[output].messages, .origins = s->origins, .sender = execution};
    bool sent;
    if (c->due_tag >= 0)
        sending.due = arrival_at(s, c);
    enum weir_status status = weir_channel_send(&run->group, c, &sending, &sent);
    if (status) {
        weir_run_finish(run, status == WEIR_MEMORY ? WEIR_RUN_EXHAUSTED : WEIR_RUN_FAULT, s->index, c->index, 0);
        return false;
    }
    if (sent && c->required)
        weir_sleeper_wake(&run->group, &run->threads[c->to].sleeper, weir_channel_code(c, false));
    return true;
}

static bool send(struct weir_operator_thread *s, int64_t execution)
{
    struct weir_run *run = s->run;
    for (uint32_t i = 0; i < s->output_count; i++) {
        struct weir_channel *c = s->outputs[i];
        if (run->options.measure)
            note_occupancy(c);
        if (c->plain) {
            weir_channel_send_plain(&run->group, c, s->call_outputs[i].messages);
            weir_sleeper_wake(&run->group, &run->threads[c->to].sleeper, weir_channel_code(c, false));
        } else if (!send_one(s, i, execution)) {
            return false;
        }
    }
    return true;
}

/* False when it was the last, for whatever reason. */
static bool execute(struct weir_operator_thread *s, int64_t execution)
{
    struct weir_run *run = s->run;
    s->freed = false;
    int code = 0;
    if (run->options.measure || s->release.kind != WEIR_RELEASE_NONE)
        weir_measure_start(s);
    take(s);
    if (!s->late)
        free_inputs(s);
    if (s->origin >= 0)
        set_origin(s);
    if (s->function) {
        code = call_function(s, execution);
    } else {
        if (run->options.work != WEIR_RUN_NOTHING) {
            work(s, execution);
            if (weir_thread_group_stopping(&run->group))
                return false; /* cut short, perhaps: no time of the operator */
        }
        free_inputs(s);
        pass_on(s);
    }
    if (code != 0 && code != WEIR_RUN_LAST) {
        weir_run_finish(run, WEIR_RUN_FAILED, s->index, 0, code);
        return false;
    }
    bool counted = run->options.message_bytes && run->bound;
    if (counted && !weir_messages_count_sent(s)) {
        weir_run_finish(run, WEIR_RUN_MISUSED, s->index, 0, WEIR_MISUSED_MESSAGE);
        return false;
    }
    if (run->options.measure)
        weir_measure_finish(s);
    if (!send(s, execution))
        return false;
    if (run->options.measure)
        weir_measure_keep(s);
    if (counted)
        weir_messages_let_go(s);
    atomic_store_explicit(&s->executions, execution + 1, memory_order_relaxed);
    if (code == WEIR_RUN_LAST)
        atomic_store(&run->cut_short, true);
    return code == 0;
}

/* ---- the thread ---- */

static void leave(struct weir_operator_thread *s)
{
    struct weir_run *run = s->run;
    weir_measure_thread(s);
    /* Those that are left wait for those that are gone. */
    if (atomic_fetch_sub(&run->group.busy, 1) == 1)
        weir_run_settle(run, s->index);
    if (s->process == 0 && atomic_fetch_sub(&run->alive, 1) == 1)
        weir_futex_wake(&run->alive, 1);
}

/* A function has called pthread_exit, or the thread was cancelled in it. */
static void vanish(void *thread)
{
    struct weir_operator_thread *s = thread;
    weir_run_finish(s->run, WEIR_RUN_MISUSED, s->index, 0, WEIR_MISUSED_THREAD);
    leave(s);
}

static void execute_all(struct weir_operator_thread *s)
{
    for (int64_t n = 0; n < s->target; n++) {
        s->now.execution = n;
        if (!wait_for_all(s, n) || !execute(s, n))
            break;
    }
}

void *weir_operator_thread_main(void *thread)
{
    struct weir_operator_thread *s = thread;
    struct weir_run *run = s->run;
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    s->tid = (pid_t)syscall(SYS_gettid);
    weir_measure_open(s);
    if (atomic_fetch_add(&run->arrived, 1) + 1 == run->thread_count)
        weir_futex_wake(&run->arrived, 1);
    while (atomic_load(&run->gate) == WEIR_GATE_CLOSED)
        weir_futex_wait(&run->gate, WEIR_GATE_CLOSED, INT64_MAX);
    if (atomic_load(&run->gate) == WEIR_GATE_HOME) {
        weir_measure_thread(s);
        return NULL;
    }
    pthread_cleanup_push(vanish, s);
    execute_all(s);
    pthread_cleanup_pop(0);
    leave(s);
    return NULL;
}
