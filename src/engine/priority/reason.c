/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/priority/system.h"

#include "base/error.h"
#include "model/pipeline.h"

#include <stdarg.h>
#include <stdio.h>

struct writer {
    const struct weir_priority_system *s;
    const struct weir_pipeline *pipeline;
    char *words;
    size_t used;
};

WEIR_PRINTF(2, 3) static void say(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(w->words + w->used, WEIR_PRIORITY_WORDS - w->used, format, arguments);
    va_end(arguments);
    w->used += wrote > 0 ? (size_t)wrote : 0;
    if (w->used >= WEIR_PRIORITY_WORDS)
        w->used = WEIR_PRIORITY_WORDS - 1;
}

static void say_name(struct writer *w, const char *name)
{
    char quoted[WEIR_QUOTED];
    say(w, "\"%s\"", weir_quote(name, quoted));
}

static void say_operator(struct writer *w, uint32_t task)
{
    say_name(w, w->pipeline->operators[task].name);
}

static void say_time(struct writer *w, int64_t ticks)
{
    char text[WEIR_TIME_TEXT];
    enum weir_unit unit = w->pipeline->unit;
    say(w, "%s", weir_time_format(w->pipeline, ticks, text));
    if (unit != WEIR_UNIT_TICK)
        say(w, " %s", weir_unit_name(unit));
}

static void say_queue(struct writer *w, size_t edge)
{
    const struct weir_task_edge *e = &w->s->set->edges[edge];
    if (e->from == WEIR_FROM_SOURCE) {
        say(w, "the queue of the source of ");
    } else {
        say(w, "the queue from ");
        say_operator(w, e->from);
        say(w, " to ");
    }
    say_operator(w, e->to);
}

#define CYCLE_SHOWN 8

static void say_cycle(struct writer *w)
{
    const struct weir_priority_reason *r = &w->s->reason;
    say(w, r->outcome == WEIR_PRIORITY_UNBOUNDED ? "the cycle " : "by these bounds the cycle ");
    for (uint32_t i = 0; i < r->cycle_count && i < CYCLE_SHOWN; i++) {
        say_operator(w, r->cycle[i]);
        say(w, " -> ");
    }
    if (r->cycle_count > CYCLE_SHOWN)
        say(w, "(%u more) -> ", r->cycle_count - CYCLE_SHOWN);
    if (r->cycle_count > 0)
        say_operator(w, r->cycle[0]);
    say(w, " takes ");
    say_time(w, r->cycle_time);
    say(w, " a round; with %lld message%s or free slot%s on it, that is slower than the period of ", (long long)r->cycle_places,
        r->cycle_places == 1 ? "" : "s", r->cycle_places == 1 ? "" : "s");
    say_time(w, r->cycle_count > 0 ? w->s->period[r->cycle[0]] : 0);
}

static void say_slow(struct writer *w)
{
    const struct weir_task *task = &w->s->set->tasks[w->s->reason.task];
    say(w, "operator ");
    say_operator(w, w->s->reason.task);
    say(w, " takes ");
    say_time(w, task->worst);
    if (task->worst > w->s->period[w->s->reason.task]) {
        say(w, ", longer than the period of ");
    } else {
        say(w, ", more than its slots of ");
        say_time(w, task->slot);
        say(w, " in every frame of ");
        say_time(w, w->s->set->processors[task->processor].frame);
        say(w, " give it in a period of ");
    }
    say_time(w, w->s->period[w->s->reason.task]);
}

static void say_load(struct writer *w)
{
    const struct weir_priority_reason *r = &w->s->reason;
    say(w, "processor ");
    say_name(w, w->pipeline->processors[w->s->set->tasks[r->task].processor].name);
    if (r->outcome == WEIR_PRIORITY_UNBOUNDED)
        say(w, " is overloaded: its operators need %s%lld.%lld %% of its time", r->need == 1000 ? "a little more than " : "",
            (long long)(r->need / 10), (long long)(r->need % 10));
    else
        say(w, " is so near to a load of 100 %% that it is not known whether it exceeds it");
}

static void say_loss(struct writer *w)
{
    const struct weir_task_edge *e = &w->s->set->edges[w->s->reason.edge];
    say_queue(w, w->s->reason.edge);
    say(w, " does not block and holds %u message%s, but may have to hold %lld: messages would be lost", e->room + e->initial,
        e->room + e->initial == 1 ? "" : "s", (long long)w->s->reason.need);
}

static void say_lost(struct writer *w)
{
    const struct weir_task_edge *e = &w->s->set->edges[w->s->reason.edge];
    say_queue(w, w->s->reason.edge);
    say(w, " does not block and holds %u message%s", e->room + e->initial, e->room + e->initial == 1 ? "" : "s");
    if (w->s->reason.need > 0)
        say(w, ", but may have to hold %lld: there is an execution in which one is lost", (long long)w->s->reason.need);
    else
        say(w, ", and there is an execution in which one is lost");
}

static void say_behind(struct writer *w)
{
    const struct weir_priority_reason *r = &w->s->reason;
    say(w, "there is an execution that repeats itself, in which operator ");
    say_operator(w, r->task);
    say(w, " gets %lld iteration%s further behind in every ", (long long)r->need, r->need == 1 ? "" : "s");
    say_time(w, r->cycle_time);
}

static void say_limit(struct writer *w)
{
    const struct weir_priority_reason *r = &w->s->reason;
    say(w, "operator ");
    say_operator(w, r->task);
    if (r->fault == WEIR_PRIORITY_FAULT_WINDOW)
        say(w, " may be delayed beyond the latency limit of ");
    else
        say(w, " may end beyond the latency limit of ");
    say_time(w, w->s->latency_limit);
    if (w->s->set->tasks[r->task].processor != WEIR_OWN_PROCESSOR) {
        say(w, " (processor ");
        say_name(w, w->pipeline->processors[w->s->set->tasks[r->task].processor].name);
        say(w, ")");
    }
}

void weir_priority_reason_write(const struct weir_priority_system *s, const struct weir_pipeline *pipeline,
                                char words[WEIR_PRIORITY_WORDS])
{
    struct writer w = {s, pipeline, words, 0};
    const struct weir_priority_reason *r = &s->reason;
    words[0] = '\0';
    switch (r->fault) {
    case WEIR_PRIORITY_FAULT_NONE:
        break;
    case WEIR_PRIORITY_FAULT_SLOW:
        say_slow(&w);
        break;
    case WEIR_PRIORITY_FAULT_LOAD:
        say_load(&w);
        break;
    case WEIR_PRIORITY_FAULT_CYCLE:
        say_cycle(&w);
        break;
    case WEIR_PRIORITY_FAULT_LOSS:
        say_loss(&w);
        break;
    case WEIR_PRIORITY_FAULT_ROOM:
        say_queue(&w, r->edge);
        say(&w, " would have to hold %lld messages, more than a queue can", (long long)r->need);
        break;
    case WEIR_PRIORITY_FAULT_WINDOW:
    case WEIR_PRIORITY_FAULT_LATE:
        say_limit(&w);
        break;
    case WEIR_PRIORITY_FAULT_BEHIND:
        say_behind(&w);
        break;
    case WEIR_PRIORITY_FAULT_LOST:
        say_lost(&w);
        break;
    case WEIR_PRIORITY_FAULT_WORK:
        say(&w, "the work limit was reached after %llu busy periods", (unsigned long long)s->windows);
        break;
    }
}
