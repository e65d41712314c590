/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a flow on a pool of cores: latencies, responses and samples in queues, beside their bounds. */
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "base/number.h"
#include "base/word.h"
#include "model/flow.h"
#include "model/pipeline.h"

enum { EXECUTIONS = 20000, EXECUTIONS_MAX = 1000000000 };

/* Times seen are in 1 / scale of a tick. */
struct path_state {
    struct weir_edf_paths paths;
    bool even; /* every sample has a latency; otherwise every execution of `to` has one */
    int64_t next, next_last;
};

struct batches {
    int64_t *arrivals;
    size_t count, capacity;
};

struct pool {
    const struct weir_edf_analysis *analysis;
    int64_t scale;
    struct path_state *chains;
    struct batches *arrived;         /* by operator, in this run */
    int64_t *executions, *responses; /* by operator: how many, the longest */
    int64_t *peaks, *peak;           /* by queue: of all runs, of this one */
    bool failed;                     /* out of memory */
};

/* ---- before the runs ---- */

static bool prepare(struct weir_simulation *s, struct pool *pool)
{
    const struct weir_pipeline *p = s->pipeline;
    struct weir_answer *answer = s->answer;
    pool->chains = weir_answer_take(answer, answer->bound_count, sizeof *pool->chains);
    pool->arrived = weir_answer_take(answer, p->operator_count, sizeof *pool->arrived);
    pool->executions = weir_answer_take(answer, p->operator_count, sizeof *pool->executions);
    pool->responses = weir_answer_take(answer, p->operator_count, sizeof *pool->responses);
    pool->peaks = weir_answer_take(answer, p->queue_count, sizeof *pool->peaks);
    pool->peak = weir_answer_take(answer, p->queue_count, sizeof *pool->peak);
    int64_t *marks = weir_answer_take(answer, p->operator_count, sizeof *marks);
    if (answer->out_of_memory)
        return false;
    for (size_t i = 0; i < answer->bound_count; i++) {
        struct path_state *chain = &pool->chains[i];
        const struct weir_chain_spec *spec = &answer->bounds[i].chain;
        s->chains[i].shift = 0;
        s->chains[i].samples.random = s->options->seed + i;
        s->chains[i].samples.offset = pool->analysis->latencies[i].gathering;
        chain->even = !pool->analysis->latencies[i].needed;
        chain->paths.marks = marks;
        if (!weir_edf_paths_find(s, spec, &chain->paths))
            return false;
    }
    return true;
}

/* As many rounds of the slowest part of the graph as make a fair number of executions. */
static enum weir_status choose_rounds(struct weir_simulation *s, struct weir_error *error)
{
    const weir_wide one = (weir_wide)1 << WEIR_ROUND_BITS;
    weir_wide each = 0;
    bool fits = weir_flow_round(s->pipeline->flow, &each);
    if (fits && !s->options->iterations && each * s->iterations > EXECUTIONS * one)
        s->iterations = each < EXECUTIONS * one / 2 ? (int64_t)(EXECUTIONS * one / each) : 2;
    if (fits && each <= EXECUTIONS_MAX * one / s->iterations)
        return WEIR_OK;
    return weir_fail(
        error, WEIR_INVALID, "one round of the graph has %s%lld executions, which are too many to simulate %lld rounds",
        fits ? "" : "more than ", fits ? (long long)(each / one) : (long long)EXECUTIONS_MAX, (long long)s->iterations);
}

/* ---- a run ---- */

static void note_end(struct weir_simulation *s, size_t index, int64_t execution, int64_t end)
{
    const struct pool *pool = s->engine;
    struct path_state *chain = &pool->chains[index];
    const struct batches *from = &pool->arrived[chain->paths.from];
    int64_t arrived = (int64_t)from->count;
    if (!chain->even) {
        int64_t needed = weir_edf_paths_needed(&chain->paths, execution);
        if (needed > 0 && needed <= arrived)
            weir_samples_add(&s->chains[index].samples, end - from->arrivals[needed - 1]);
        return;
    }
    while (chain->next_last <= execution && chain->next <= arrived) {
        if (chain->next_last == execution)
            weir_samples_add(&s->chains[index].samples, end - from->arrivals[chain->next - 1]);
        chain->next_last = weir_edf_paths_last(&chain->paths, ++chain->next);
    }
}

static void observe(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale)
{
    struct weir_simulation *s = context;
    struct pool *pool = s->engine;
    pool->scale = scale;
    pool->executions[op.index]++;
    if (moments[2] - moments[1] > pool->responses[op.index])
        pool->responses[op.index] = moments[2] - moments[1];
    for (size_t i = 0; i < s->answer->bound_count; i++)
        if (pool->chains[i].paths.to == op.index)
            note_end(s, i, execution, moments[2]);
}

static void arrive(void *context, struct weir_operator op, int64_t execution, int64_t time, int64_t scale)
{
    struct pool *pool = ((struct weir_simulation *)context)->engine;
    struct batches *at = &pool->arrived[op.index];
    void *arrivals = at->arrivals;
    (void)execution;
    pool->scale = scale;
    pool->failed |= !weir_reserve(&arrivals, &at->capacity, at->count + 1, sizeof *at->arrivals);
    at->arrivals = arrivals;
    if (!pool->failed)
        at->arrivals[at->count++] = time;
}

/* Every kind of arrivals and costs, and whether executions wait for their release, by turns. */
static enum weir_status run_once(struct weir_simulation *s, struct weir_error *error)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG};
    struct pool *pool = s->engine;
    const char *releases = s->options->releases;
    size_t kind = releases ? weir_word_find(weir_releases_names, 6, releases) : 0;
    struct weir_edf_simulation_options run = {.cores = pool->analysis->cores,
                                              .rounds = s->iterations,
                                              .late = s->run % 2 == 1,
                                              .times = !s->mixed     ? s->times
                                                       : s->run == 1 ? WEIR_TIMES_BEST
                                                                     : times[s->run / 2 % 3],
                                              .arrivals = !releases                       ? (enum weir_edf_arrivals)(s->run / 6 % 3)
                                                          : kind == WEIR_RELEASES_RANDOM  ? WEIR_EDF_ARRIVALS_RANDOM
                                                          : kind == WEIR_RELEASES_EXTREME ? WEIR_EDF_ARRIVALS_EXTREME
                                                                                          : WEIR_EDF_ARRIVALS_EVEN,
                                              .seed = s->options->seed * 1000003 + (uint64_t)s->run,
                                              .observe = observe,
                                              .arrived = arrive,
                                              .context = s};
    for (size_t i = 0; i < s->pipeline->operator_count; i++)
        pool->arrived[i].count = 0;
    for (size_t i = 0; i < s->answer->bound_count; i++) {
        pool->chains[i].next = 1;
        pool->chains[i].next_last = weir_edf_paths_last(&pool->chains[i].paths, 1);
    }
    enum weir_status status = weir_edf_simulate(s->pipeline, &run, pool->peak, error);
    if (!status && pool->failed)
        status = weir_fail_memory(error);
    for (size_t i = 0; i < s->answer->bound_count; i++)
        s->chains[i].samples.scale = pool->scale;
    for (size_t i = 0; !status && i < s->pipeline->queue_count; i++)
        pool->peaks[i] = pool->peak[i] > pool->peaks[i] ? pool->peak[i] : pool->peaks[i];
    return status;
}

/* ---- what it comes to ---- */

static enum weir_status check(const struct weir_simulation *s, struct weir_error *error)
{
    const struct pool *pool = s->engine;
    char seen_text[WEIR_NUMBER_TEXT], bound_text[WEIR_NUMBER_TEXT];
    for (uint32_t i = 0; i < s->pipeline->operator_count && pool->analysis->schedulable; i++) {
        struct weir_ratio seen = {pool->responses[i], pool->scale}, bound = pool->analysis->operators[i].response;
        if (pool->executions[i] && weir_ratio_compare(seen, bound) > 0)
            return weir_fail(error, WEIR_INTERNAL, "the simulation shows a response of %.150s of %s, and the bound is %s",
                             weir_answer_name(s->answer, (struct weir_operator){i}),
                             weir_ratio_amount(s->pipeline, seen, seen_text), weir_ratio_amount(s->pipeline, bound, bound_text));
    }
    for (size_t i = 0; i < pool->analysis->buffer_count; i++) {
        const struct weir_buffer *buffer = &pool->analysis->buffers[i];
        const struct weir_queue_spec *queue = &s->pipeline->queues[buffer->index];
        if (buffer->capacity != WEIR_UNBOUNDED && pool->peaks[buffer->index] > buffer->capacity)
            return weir_fail(error, WEIR_INTERNAL, "the simulation shows %lld samples from %.100s to %.100s, and the bound is %u",
                             (long long)pool->peaks[buffer->index], weir_answer_name(s->answer, queue->from),
                             weir_answer_name(s->answer, queue->to), buffer->capacity);
    }
    return WEIR_OK;
}

static void tell_operators(struct weir_simulation *s)
{
    static const struct weir_column columns[] = {
        {"name", "operator"}, {"response_max", "longest"}, {"response", "bound"}, {NULL, "of it"}, {"executions", "executions"}};
    const struct pool *pool = s->engine;
    struct weir_table_builder table;
    weir_table_begin(&table, s->answer, "operators", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < s->pipeline->operator_count; i++) {
        struct weir_ratio seen = weir_ratio_reduce((struct weir_ratio){pool->responses[i], pool->scale});
        struct weir_ratio bound = pool->analysis->operators[i].response;
        bool bounded = pool->analysis->schedulable, some = pool->executions[i] > 0;
        weir_table_cell(&table, weir_datum_text(weir_answer_name(s->answer, (struct weir_operator){i})),
                        weir_datum_if(some, weir_datum_ratio(seen)), weir_datum_if(bounded, weir_datum_ratio(bound)),
                        some && bounded ? weir_datum_share(weir_simulation_share(seen, bound))
                                        : (struct weir_datum){.kind = WEIR_DATUM_ABSENT},
                        weir_datum_count(pool->executions[i]));
    }
    weir_answer_add_table(&table, "Longest responses, from the release to the end", NULL);
}

static void tell_queues(struct weir_simulation *s)
{
    static const struct weir_column columns[] = {{"from", "from"}, {"to", "to"}, {"peak", "samples"}, {"capacity", "capacity"}};
    const struct pool *pool = s->engine;
    struct weir_table_builder table;
    weir_table_begin(&table, s->answer, "buffers", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->pipeline->queue_count; i++) {
        const struct weir_queue_spec *queue = &s->pipeline->queues[i];
        bool known = i < pool->analysis->buffer_count && pool->analysis->buffers[i].capacity != WEIR_UNBOUNDED;
        weir_table_cell(&table, weir_datum_text(weir_answer_name(s->answer, queue->from)),
                        weir_datum_text(weir_answer_name(s->answer, queue->to)), weir_datum_count(pool->peaks[i]),
                        weir_datum_if(known, weir_datum_count(known ? pool->analysis->buffers[i].capacity : 0)));
    }
    weir_answer_add_table(&table, "Most samples in a queue", NULL);
}

static void tell(struct weir_simulation *s)
{
    const struct weir_edf_analysis *analysis = s->answer->detail;
    struct weir_answer *answer = s->answer;
    const char *releases = weir_answer_format(answer, "%s", s->options->releases ? s->options->releases : "mixed");
    const char *on = weir_answer_format(answer, " on %u core%s", analysis->cores, analysis->cores == 1 ? "" : "s");
    const char *how = weir_answer_format(answer, ", %s arrivals", releases ? releases : "");
    weir_simulation_scope(s, "round", on ? on : "", how ? how : "");
    weir_answer_add_fact(answer, "cores", weir_datum_count(analysis->cores));
    weir_answer_add_fact(answer, "releases", weir_datum_text(releases ? releases : ""));
    weir_answer_add_fact(answer, "schedulable", weir_datum_flag(analysis->schedulable));
    if (analysis->why)
        weir_answer_add_fact(answer, "why", weir_datum_text(analysis->why));
    tell_operators(s);
    tell_queues(s);
}

enum weir_status weir_simulate_edf(struct weir_simulation *s, struct weir_error *error)
{
    struct pool *pool = s->engine = weir_answer_take(s->answer, 1, sizeof *pool);
    if (!pool)
        return weir_fail_memory(error);
    enum weir_status status = weir_simulation_bounds(s, error);
    if (status)
        return status;
    pool->analysis = s->answer->detail;
    pool->scale = 1;
    status = prepare(s, pool) ? choose_rounds(s, error) : weir_fail_memory(error);
    if (!status)
        status = weir_simulation_run(s, run_once, error);
    if (!status)
        status = weir_simulation_describe(s, error);
    if (!status)
        status = check(s, error);
    if (!status)
        tell(s);
    for (size_t i = 0; pool->arrived && i < s->pipeline->operator_count; i++)
        weir_free(pool->arrived[i].arrivals);
    return status;
}
