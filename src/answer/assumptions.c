/* SPDX-License-Identifier: Apache-2.0 */
/* What each engine takes for granted, a sentence each. */
#include "answer/answer.h"
#include "model/pipeline.h"

#include <string.h>

static const char measured[] =
    "An execution takes no less than the best and no more than the worst time in the model. Where those were "
    "measured, what was not observed is not in them.";
static const char *const threads[] = {
    "Each operator has its own thread, and starts as soon as its messages and the room for its results are available.", measured,
    "Queues are first in, first out, and hold what the model says; a producer waits for room unless the model says otherwise.",
    "Nothing else takes time: neither the scheduler nor copying, unless it is part of an operator's time.", NULL};
static const char *const async[] = {
    "Each operator has its own thread, and starts as soon as its messages and the room for its results are available.",
    "An execution takes no less than the best and no more than the worst time in the model.",
    "Where the latest message is read, a latency is the age of the data; messages that are lost have none.", NULL};
static const char *const spread[] = {
    "Executions take no less than the best and no more than the worst time in the model.",
    "Where the latest message is read, a latency is the age of the data; messages that are lost have none.", NULL};
static const char *const workers[] = {"Executions take no less than the best and no more than the worst time in the model.", NULL};
static const char *const priority[] = {"Operators share the processors as the model says; nothing else runs on them.",
                                       "Inputs arrive as their sources say, and wait; latencies count from the nominal arrival.",
                                       "The bounds are safe for every phase; they need not be reached.", NULL};
static const char *const edf[] = {"The cores are shared by preemptive global EDF, and nothing else runs on them.",
                                  "Costs are at most those of the model.", "The bounds are safe; they need not be reached.", NULL};
static const char *const gpu[] = {"One block per SM at a time; a launch that is ready begins within the launch overhead.",
                                  "Kernels that run side by side do not slow each other down by more than their loads allow for.",
                                  "The order in which the device takes blocks does not matter: the bound holds for all of them.",
                                  NULL};

static const struct {
    const char *engine, *platform;
    const char *const *sentences;
} table[] = {{"exact", "threads of their own", threads},
             {"sampling", "threads of their own", async},
             {"workers", "shared workers", workers},
             {"spread", "shared workers", spread},
             {"fixed-priority", "shared processors", priority},
             {"global-edf", "a pool of cores", edf},
             {"gpu", "a GPU", gpu}};

static void assume(struct weir_answer *answer, const char *sentence)
{
    weir_answer_add_text(answer, &answer->assumptions, sentence);
}

static void assume_phases(struct weir_answer *answer)
{
    const struct weir_pipeline *p = answer->pipeline;
    if (p->graph && p->graph->unknown_roots)
        assume(answer, "Sources whose phase is unknown begin at any time. A latency counts unless one of them begins more than its "
                       "period later: time spent waiting for a source that has not begun yet is not part of the bounds.");
    else if (p->phases)
        assume(answer, "Sources begin at any time within the phases of the model.");
}

/* What only some models with threads of their own have. */
static void assume_more(struct weir_answer *answer)
{
    const struct weir_pipeline *p = answer->pipeline;
    bool launches = false, batches = false, transfers = false;
    for (size_t i = 0; i < p->operator_count; i++)
        launches |= p->operators[i].launch != NULL;
    for (size_t i = 0; i < p->queue_count; i++) {
        batches |= p->queues[i].consume > 1;
        transfers |= p->queues[i].transfer_max > 0;
    }
    if (launches)
        assume(answer, "Work on a GPU is done in the order of its stream, once the work behind its messages is over; different "
                       "streams do not slow each other down. A latency ends when the work of its last "
                       "operator has.");
    if (batches)
        assume(answer, "Where several messages are taken at once, a latency ends with the execution that takes the message.");
    if (transfers)
        assume(answer,
               "Messages between fragments are in transit no longer than the model says, and arrive in order. Their sender waits "
               "for room unless the model says otherwise; over UCX it does not.");
}

static void assume_workers(struct weir_answer *answer, bool in_order)
{
    const struct weir_workers_spec *w = &answer->pipeline->workers;
    size_t crew = w->workers ? w->workers : answer->pipeline->operator_count;
    char polling[WEIR_TIME_TEXT];
    bool exact = true;
    for (size_t i = 0; i < answer->bound_count; i++)
        exact &= answer->bounds[i].worst.claim == WEIR_CLAIM_EXACT;
    if (answer->pipeline->lanes)
        weir_answer_add_line(
            answer, &answer->assumptions,
            "The operators of a lane have one thread, which executes one after the other, each to its end, and is not "
            "idle while one of them is ready. %s",
            in_order ? "It takes them in the order in which they became ready." : "It takes them in any order.");
    if (answer->pipeline->lanes && !w->workers)
        assume(answer, "All other operators have a thread each.");
    else if (w->dispatch == WEIR_DISPATCH_GREEDY)
        assume(answer, "One thread goes through the operators in their order, again and again, and executes those that "
                       "are ready.");
    else
        weir_answer_add_line(answer, &answer->assumptions,
                             "%zu worker thread%s the operators, each to its end; none is idle while an operator is ready. %s",
                             crew, crew == 1 ? " executes" : "s execute",
                             in_order ? "They take operators in the order in which they became ready."
                                      : "The order among ready operators is unspecified.");
    if (w->dispatch == WEIR_DISPATCH_POLLED)
        weir_answer_add_line(answer, &answer->assumptions, "A ready operator is noticed at most %s %s later.",
                             weir_time_format(answer->pipeline, w->polling, polling), weir_unit_name(answer->pipeline->unit));
    assume(answer, exact ? "The worst cases are exact: each is reached." : "The bounds are safe; they need not be reached.");
}

void weir_answer_complete(struct weir_answer *answer)
{
    bool spreads = strcmp(answer->engine->name, "sampling") == 0 && !weir_pipeline_has_enough_workers(answer->pipeline);
    const char *name = spreads ? "spread" : answer->engine->name;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].engine, name) != 0)
            continue;
        answer->platform = table[i].platform;
        for (size_t k = 0; table[i].sentences[k]; k++)
            assume(answer, table[i].sentences[k]);
    }
    if (answer->pipeline->platform == WEIR_PLATFORM_THREADS)
        assume_phases(answer);
    if (strcmp(answer->engine->name, "exact") == 0)
        assume_more(answer);
    if (spreads || strcmp(name, "workers") == 0)
        assume_workers(answer, spreads && answer->in_order);
}
