/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipelines in which iterations do not tell which execution handles what: queues that consume several messages at once, connections
 * that do not wait. The data of messages is followed. Where every message arrives, each start of `from` has a latency, to the first
 * execution of `to` that carries its data; where not, each finish of `to` has one: the age of the oldest data that it carries.
 * Where the model gives an offset, executions are counted.
 */
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "model/pipeline.h"

struct followed {
    const struct weir_async_analysis *sample; /* NULL: of another engine */
    bool ages;                                /* not every message arrives */
    struct weir_pipeline *joined;             /* what is simulated; NULL: the model itself */
    struct weir_operator *from;               /* by chain; several may be the same */
    int64_t *next;                            /* by chain: the first execution of `from` that has not arrived */
    bool *counted;                            /* by chain: it has an offset */
    uint64_t *lost;                           /* messages, by queue */
    int64_t faults, fault_time;               /* runs, and the earliest */
    uint32_t fault_queue;
};

bool weir_followed_needed(const struct weir_pipeline *pipeline)
{
    return pipeline->firings || !weir_pipeline_is_plain(pipeline);
}

/* A queue that never gets full is a plain one: what comes over it counts as what comes over any other. */
static enum weir_status join_plain(struct followed *f, struct weir_error *error)
{
    for (size_t i = 0; i < f->sample->queue_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(f->sample->pipeline, f->sample->queues[i].queue);
        if (!f->sample->queues[i].plain || spec.latest || spec.optional)
            continue;
        struct weir_error own = {.status = WEIR_OK};
        if (!f->joined && !(f->joined = weir_pipeline_copy(f->sample->pipeline, error ? error : &own)))
            return error ? error->status : own.status;
        spec.full = WEIR_FULL_NEVER;
        enum weir_status status = weir_pipeline_change_queue(f->joined, f->sample->queues[i].queue, &spec, error);
        if (status)
            return status;
    }
    return f->joined ? weir_pipeline_seal(f->joined, NULL, NULL) : WEIR_OK;
}

static bool has_offset(const struct weir_pipeline *p, const struct weir_chain_spec *chain)
{
    for (size_t i = 0; p->shift_given && i < p->chain_count; i++)
        if (p->shift_given[i] && p->chains[i].from.index == chain->from.index && p->chains[i].to.index == chain->to.index &&
            p->chains[i].shift == chain->shift)
            return true;
    return false;
}

enum weir_status weir_followed_begin(struct weir_simulation *s, struct weir_error *error)
{
    struct weir_answer *answer = s->answer;
    struct followed *f = s->engine = weir_answer_take(answer, 1, sizeof *f);
    if (!f)
        return weir_fail_memory(error);
    f->from = weir_answer_take(answer, answer->bound_count, sizeof *f->from);
    f->next = weir_answer_take(answer, answer->bound_count, sizeof *f->next);
    f->counted = weir_answer_take(answer, answer->bound_count, sizeof *f->counted);
    f->lost = weir_answer_take(answer, s->pipeline->queue_count, sizeof *f->lost);
    if (!f->from || !f->next || !f->counted || !f->lost)
        return weir_fail_memory(error);
    for (size_t i = 0; i < answer->bound_count; i++) {
        f->from[i] = answer->bounds[i].chain.from;
        f->counted[i] = has_offset(s->pipeline, &answer->bounds[i].chain);
        if (!f->counted[i])
            s->chains[i].shift = 0; /* executions are matched by what they carry */
    }
    f->ages = !weir_pipeline_is_plain(s->pipeline);
    if (answer->engine != &weir_engine_async)
        return WEIR_OK;
    f->sample = answer->detail;
    return join_plain(f, error);
}

void weir_followed_end(struct weir_simulation *s)
{
    struct followed *f = s->engine;
    if (f)
        weir_pipeline_free(f->joined);
}

/* ---- one run ---- */

/* Each operator is followed once; chains look for theirs. */
static const struct weir_age *age_of(const struct weir_finish *finish, struct weir_operator from)
{
    for (size_t i = 0; i < finish->age_count; i++)
        if (finish->ages[i].from.index == from.index)
            return &finish->ages[i];
    return NULL;
}

/* Whether some data may never arrive, or arrive again. */
static bool by_age(const struct weir_simulation *s, size_t chain)
{
    const struct followed *f = s->engine;
    return f->ages && !f->counted[chain] && (!f->sample || s->answer->bounds[chain].worst.claim != WEIR_CLAIM_EXACT);
}

static void carried(void *context, const struct weir_finish *finish)
{
    struct weir_simulation *s = context;
    struct followed *f = s->engine;
    for (size_t i = 0; i < s->answer->bound_count; i++) {
        const struct weir_chain_spec *chain = &s->answer->bounds[i].chain;
        if (chain->to.index == finish->op.index && f->counted[i])
            weir_chain_note_to(&s->chains[i], finish->execution, finish->time);
        const struct weir_age *age = chain->to.index == finish->op.index && !f->counted[i] ? age_of(finish, chain->from) : NULL;
        if (!age)
            continue;
        if (by_age(s, i))
            weir_samples_add(&s->chains[i].samples, finish->time - age->oldest_time);
        for (; !by_age(s, i) && f->next[i] <= age->newest; f->next[i]++)
            weir_chain_note_to(&s->chains[i], f->next[i], finish->time);
    }
}

void weir_followed_note_from(struct weir_simulation *s, struct weir_operator op, int64_t execution, int64_t time)
{
    const struct followed *f = s->engine;
    for (size_t i = 0; i < s->answer->bound_count; i++)
        if (f->from[i].index == op.index && !by_age(s, i))
            weir_chain_note_from(&s->chains[i], execution, time);
}

static void lost(void *context, struct weir_queue queue, int64_t time)
{
    (void)time;
    struct followed *f = ((struct weir_simulation *)context)->engine;
    f->lost[queue.index]++;
}

/* What given times do not tell. */
static int64_t transfer(void *context, struct weir_queue queue, int64_t execution)
{
    const struct weir_simulation *s = context;
    const struct weir_queue_spec *spec = &s->pipeline->queues[queue.index];
    (void)execution;
    return s->times == WEIR_TIMES_WORST ? spec->transfer_max : spec->transfer_min;
}

static enum weir_status play(const struct weir_pipeline *pipeline, const struct weir_age_options *ages,
                             enum weir_workers_order order, struct weir_age_end *end, struct weir_error *error)
{
    const struct weir_simulation_options *run = &ages->run;
    struct weir_workers_simulation shared = {.iterations = run->iterations,
                                             .times = run->times,
                                             .order = order,
                                             .seed = run->seed,
                                             .given = run->given,
                                             .observe = run->observe,
                                             .context = run->context,
                                             .ages = ages->from_count ? ages : NULL,
                                             .end = end};
    return weir_pipeline_has_enough_workers(pipeline) ? weir_simulate_ages(pipeline, ages, end, error)
                                                      : weir_workers_simulate(pipeline, &shared, error);
}

enum weir_status weir_followed_run(struct weir_simulation *s, const struct weir_simulation_options *run,
                                   enum weir_workers_order order, struct weir_error *error)
{
    struct followed *f = s->engine;
    struct weir_age_options more = {.run = *run, .transfer = transfer};
    struct weir_age_end end = {.fault = false};
    if (f) {
        more.ties = s->run % 2 ? WEIR_TIES_RANDOM : WEIR_TIES_RANKED;
        more.from = f->from;
        more.from_count = s->answer->bound_count;
        more.carried = carried;
        more.lost = lost;
    }
    for (size_t i = 0; f && i < s->answer->bound_count; i++)
        f->next[i] = 0;
    enum weir_status status = play(f && f->joined ? f->joined : s->pipeline, &more, order, &end, error);
    if (end.fault && f && (!f->faults++ || end.time < f->fault_time)) {
        f->fault_time = end.time;
        f->fault_queue = end.queue.index;
    }
    return status;
}

/* ---- what it comes to ---- */

static const char *end_of(const struct weir_simulation *s, uint32_t queue, bool to)
{
    const struct weir_queue_spec *spec = &s->pipeline->queues[queue];
    return weir_answer_name(s->answer, to ? spec->to : spec->from);
}

static enum weir_status check(const struct weir_simulation *s, struct weir_error *error)
{
    const struct followed *f = s->engine;
    for (size_t i = 0; f->sample && i < f->sample->queue_count; i++) {
        const struct weir_async_queue *queue = &f->sample->queues[i];
        bool fault = f->faults && f->fault_queue == queue->queue.index && queue->faults == WEIR_CHANCE_NO;
        if (fault || (f->lost[queue->queue.index] && queue->loses == WEIR_CHANCE_NO))
            return weir_fail(error, WEIR_INTERNAL, "the simulation of %.100s -> %.100s %s, which was excluded",
                             end_of(s, queue->queue.index, false), end_of(s, queue->queue.index, true),
                             fault ? "fails" : "loses messages");
    }
    return WEIR_OK;
}

enum weir_status weir_followed_tell(struct weir_simulation *s, struct weir_error *error)
{
    static const struct weir_column columns[] = {{"from", "from"}, {"to", "to"}, {"messages", "messages"}};
    const struct followed *f = s->engine;
    struct weir_answer *answer = s->answer;
    struct weir_table_builder table;
    char count[WEIR_COUNT_TEXT], amount[WEIR_AMOUNT_TEXT];
    if (f->ages)
        weir_answer_line(answer, "latencies are ages: at each end, how old the oldest data is that it carries");
    weir_answer_add_fact(answer, "ages", weir_datum_flag(f->ages));
    weir_answer_add_fact(answer, "faults", weir_datum_count(f->faults));
    weir_table_begin(&table, answer, "lost", columns, 3);
    for (uint32_t i = 0; i < s->pipeline->queue_count; i++) {
        if (!f->lost[i])
            continue;
        weir_table_cell(&table, weir_datum_text(end_of(s, i, false)), weir_datum_text(end_of(s, i, true)),
                        weir_datum_count((int64_t)f->lost[i]));
    }
    weir_answer_add_table(&table, "Messages lost, or replaced before they were read", NULL);
    if (f->faults)
        weir_answer_line(answer, "the application failed in %s run%s, first at %s: %s -> %s was full",
                         weir_count_format(f->faults, count), f->faults == 1 ? "" : "s",
                         weir_amount_format(s->pipeline, f->fault_time, amount), end_of(s, f->fault_queue, false),
                         end_of(s, f->fault_queue, true));
    return check(s, error);
}
