/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of operators that share processors, with the capacities of the analysis, and a search for late ones. */
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "base/word.h"
#include "model/pipeline.h"

enum { SEARCH_RUNS = 200, SEARCH_ITERATIONS = 200 };

struct shared {
    const struct weir_priority_analysis *analysis;
    uint32_t *capacities; /* by queue; NULL: those of the model */
    struct weir_processors_observed *seen;
    int64_t *finished;    /* by operator, in this run */
    int64_t *enabled;     /* by operator, in this run; counted for those that a latency begins at */
    uint8_t *fed, *asked; /* by operator: by a source; by a latency that begins when it is enabled */
    uint8_t *near;        /* by operator: its ends can enable one that is asked for */
};

/* ---- before the runs ---- */

static bool find_roles(struct weir_simulation *s, struct shared *shared)
{
    const struct weir_pipeline *p = s->pipeline;
    shared->finished = weir_answer_take(s->answer, p->operator_count, sizeof *shared->finished);
    shared->enabled = weir_answer_take(s->answer, p->operator_count, sizeof *shared->enabled);
    shared->fed = weir_answer_take(s->answer, p->operator_count, 1);
    shared->asked = weir_answer_take(s->answer, p->operator_count, 1);
    shared->near = weir_answer_take(s->answer, p->operator_count, 1);
    if (s->answer->out_of_memory)
        return false;
    for (size_t i = 0; i < p->source_count; i++)
        shared->fed[p->sources[i].op.index] = 1;
    for (size_t i = 0; i < p->chain_count; i++)
        shared->asked[p->chains[i].from.index] = !shared->fed[p->chains[i].from.index];
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *queue = &p->queues[i];
        shared->near[queue->from.index] |= shared->asked[queue->to.index];
        shared->near[queue->to.index] |= shared->asked[queue->from.index];
    }
    return true;
}

static bool take_capacities(struct weir_simulation *s, struct shared *shared)
{
    if (shared->analysis->outcome != WEIR_PRIORITY_CONVERGED)
        return true;
    shared->capacities = weir_answer_take(s->answer, s->pipeline->queue_count, sizeof *shared->capacities);
    if (!shared->capacities)
        return false;
    for (size_t i = 0; i < shared->analysis->buffer_count; i++) {
        const struct weir_buffer *buffer = &shared->analysis->buffers[i];
        if (buffer->input)
            continue;
        /* A queue without a limit stays so: what it can hold at most is for the runs to contradict. */
        bool unlimited = s->pipeline->queues[buffer->index].capacity == WEIR_UNBOUNDED;
        shared->capacities[buffer->index] = unlimited ? WEIR_UNBOUNDED : buffer->capacity;
    }
    return true;
}

/* ---- a run ---- */

/* Iterations that have all their messages and all their room. */
static int64_t enabled_count(const struct weir_simulation *s, uint32_t op)
{
    const struct shared *shared = s->engine;
    int64_t count = INT64_MAX;
    for (size_t i = 0; i < s->pipeline->queue_count; i++) {
        const struct weir_queue_spec *queue = &s->pipeline->queues[i];
        uint32_t capacity = shared->capacities ? shared->capacities[i] : queue->capacity;
        bool waits = !queue->nonblocking && capacity != WEIR_UNBOUNDED && capacity != WEIR_AUTO;
        if (queue->to.index == op && shared->finished[queue->from.index] + queue->initial < count)
            count = shared->finished[queue->from.index] + queue->initial;
        if (queue->from.index == op && waits && shared->finished[queue->to.index] + capacity - queue->initial < count)
            count = shared->finished[queue->to.index] + capacity - queue->initial;
    }
    return count == INT64_MAX ? 0 : count;
}

/* The simulator tells of ends; an operator that no source feeds is enabled by the last of them that it needs. */
static void note_enabled(struct weir_simulation *s, int64_t time)
{
    struct shared *shared = s->engine;
    for (uint32_t op = 0; op < s->pipeline->operator_count; op++) {
        if (!shared->asked[op])
            continue;
        int64_t enabled = enabled_count(s, op);
        for (; shared->enabled[op] < enabled; shared->enabled[op]++)
            weir_simulation_note_from(s, (struct weir_operator){op}, shared->enabled[op], time);
    }
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal)
{
    struct weir_simulation *s = context;
    struct shared *shared = s->engine;
    if (moment == WEIR_ARRIVAL) {
        weir_simulation_note_from(s, op, iteration, nominal);
    } else if (moment == WEIR_FINISH) {
        weir_simulation_note_to(s, op, iteration, time);
        shared->finished[op.index] = iteration + 1;
        if (shared->near[op.index])
            note_enabled(s, time);
    }
}

static int64_t given_time(void *context, struct weir_operator op, int64_t iteration)
{
    const struct weir_simulation *s = context;
    const struct weir_operator_spec *spec = &s->pipeline->operators[op.index];
    int64_t time = s->options->given(s->options->context, op, iteration);
    return time >= 0 ? time : s->times == WEIR_TIMES_WORST ? spec->worst : spec->best;
}

static enum weir_status run_once(struct weir_simulation *s, struct weir_error *error)
{
    enum { KINDS = WEIR_RELEASES_QUIET + 1 };
    struct shared *shared = s->engine;
    const char *releases = s->options->releases;
    struct weir_processors_options run = {
        .iterations = s->iterations,
        .times = weir_simulation_times(s),
        /* Times change from run to run, so arrivals change every other run. */
        .releases = (enum weir_releases)(releases ? weir_word_find(weir_releases_names, 6, releases) : (size_t)s->run / 2 % KINDS),
        .seed = weir_simulation_seed(s, (uint64_t)s->run),
        .capacities = shared->capacities,
        .given_time = given_time,
        .observe = observe,
        .context = s};
    for (size_t i = 0; i < s->pipeline->operator_count; i++)
        shared->finished[i] = shared->enabled[i] = 0;
    return weir_processors_simulate(s->pipeline, &run, error);
}

/* ---- the search ---- */

static uint32_t search_runs(const struct weir_simulation *s)
{
    return s->options->no_search ? 0 : s->options->search ? s->options->search : SEARCH_RUNS;
}

static enum weir_status search(struct weir_simulation *s, struct weir_error *error)
{
    struct shared *shared = s->engine;
    struct weir_processors_search_options options = {.seed = s->options->seed,
                                                     .runs = search_runs(s),
                                                     .iterations = s->options->iterations ? s->iterations : SEARCH_ITERATIONS,
                                                     .capacities = shared->capacities,
                                                     .chain = (uint32_t)s->pipeline->chain_count,
                                                     .progress = s->options->progress,
                                                     .context = s->options->context};
    return options.runs ? weir_processors_search(s->pipeline, &options, &shared->seen, error) : WEIR_OK;
}

static enum weir_status report(const struct weir_simulation *s, const char *what, const int64_t values[2], struct weir_error *error)
{
    char seen[WEIR_AMOUNT_TEXT], bound[WEIR_AMOUNT_TEXT];
    return weir_fail(error, WEIR_INTERNAL, "the search shows %.250s of %s, and the bound is %s", what,
                     weir_amount_format(s->pipeline, values[0], seen), weir_amount_format(s->pipeline, values[1], bound));
}

/* What the search found against the bounds: beyond them is a bug. */
static enum weir_status check(const struct weir_simulation *s, struct weir_error *error)
{
    const struct shared *shared = s->engine;
    const struct weir_processors_observed *seen = shared->seen;
    char what[200];
    for (uint32_t i = 0; i < s->pipeline->operator_count; i++) {
        const struct weir_execution_bounds *b = &shared->analysis->operators[i];
        const char *name = weir_answer_name(s->answer, (struct weir_operator){i});
        snprintf(what, sizeof what, "an end of %.150s", name);
        if (seen->finish_max[i] > b->finish_max)
            return report(s, what, (int64_t[]){seen->finish_max[i], b->finish_max}, error);
        snprintf(what, sizeof what, "an enabling of %.150s", name);
        if (seen->enable_max[i] > b->enable_max)
            return report(s, what, (int64_t[]){seen->enable_max[i], b->enable_max}, error);
        if (seen->enable_min[i] < b->enable_min)
            return report(s, what, (int64_t[]){seen->enable_min[i], b->enable_min}, error);
    }
    for (size_t i = 0; i < s->answer->bound_count; i++) {
        const struct weir_priority_latency *latency = &shared->analysis->latencies[i];
        snprintf(what, sizeof what, "a latency %.80s -> %.80s", weir_answer_name(s->answer, latency->chain.from),
                 weir_answer_name(s->answer, latency->chain.to));
        if (latency->bounded && seen->latency_max[i] > latency->worst)
            return report(s, what, (int64_t[]){seen->latency_max[i], latency->worst}, error);
        if (latency->bounded && seen->latency_min[i] < latency->best)
            return report(s, what, (int64_t[]){seen->latency_min[i], latency->best}, error);
    }
    return WEIR_OK;
}

/* ---- what it comes to ---- */

/* "the search found 12 us, which is the bound; 13 us from the actual arrival" */
static const char *describe_search(const struct weir_simulation *s, size_t i)
{
    const struct shared *shared = s->engine;
    const struct weir_processors_observed *seen = shared->seen;
    const struct weir_quantity *worst = &s->answer->bounds[i].worst;
    int64_t found = seen->latency_max[i], arrival = seen->latency_max_arrival[i], bound = worst->high.numerator;
    char amount[WEIR_AMOUNT_TEXT], share[WEIR_NUMBER_TEXT + 32] = "", late[WEIR_AMOUNT_TEXT + 32] = "", text[WEIR_NUMBER_TEXT];
    if (worst->claim == WEIR_CLAIM_SAFE && found == bound)
        snprintf(share, sizeof share, ", which is the bound");
    else if (worst->claim == WEIR_CLAIM_SAFE && bound > 0 && found >= 0)
        snprintf(share, sizeof share, ", %s of the bound", weir_ratio_percent((struct weir_ratio){found, bound}, text));
    if (arrival != found)
        snprintf(late, sizeof late, "; %s from the actual arrival", weir_amount_format(s->pipeline, arrival, amount));
    return weir_answer_format(s->answer, "the search found %s%s%s", weir_amount_format(s->pipeline, found, amount), share, late);
}

static void tell_operators(struct weir_simulation *s)
{
    static const struct weir_column columns[] = {{"name", "operator"},      {"enable_min_seen", NULL},
                                                 {"enable_max_seen", NULL}, {"finish_max_seen", "latest end"},
                                                 {"finish_max", "bound"},   {NULL, "of it"}};
    const struct shared *shared = s->engine;
    const struct weir_processors_observed *seen = shared->seen;
    bool bounded = shared->analysis->outcome == WEIR_PRIORITY_CONVERGED;
    struct weir_table_builder table;
    char count[WEIR_COUNT_TEXT], title[WEIR_COUNT_TEXT + 64];
    weir_table_begin(&table, s->answer, "operators", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < s->pipeline->operator_count; i++) {
        int64_t latest = seen->finish_max[i], bound = bounded ? shared->analysis->operators[i].finish_max : 0;
        weir_table_cell(&table, weir_datum_text(weir_answer_name(s->answer, (struct weir_operator){i})),
                        weir_datum_time(seen->enable_min[i]), weir_datum_time(seen->enable_max[i]), weir_datum_time(latest),
                        weir_datum_if(bounded, weir_datum_time(bound)),
                        bound > 0 && latest >= 0 ? weir_datum_share((struct weir_ratio){latest, bound})
                                                 : (struct weir_datum){.kind = WEIR_DATUM_ABSENT});
    }
    snprintf(title, sizeof title, "Latest ends that the search found in %s executions",
             weir_count_format((int64_t)seen->executions, count));
    weir_answer_add_table(&table, title, NULL);
}

static void tell(struct weir_simulation *s)
{
    const struct shared *shared = s->engine;
    struct weir_answer *answer = s->answer;
    const char *releases = s->options->releases ? s->options->releases : "mixed";
    const char *how = weir_answer_format(answer, ", %s arrivals", releases), *variant = shared->analysis->variant;
    weir_simulation_scope(s, "iteration", "", how ? how : "");
    weir_answer_add_fact(answer, "releases", weir_datum_text(how ? weir_answer_format(answer, "%s", releases) : ""));
    weir_answer_add_fact(answer, "variant", weir_datum_text(variant));
    weir_answer_add_fact(answer, "converged", weir_datum_flag(shared->analysis->outcome == WEIR_PRIORITY_CONVERGED));
    if (!shared->seen)
        return;
    weir_answer_add_fact(answer, "search", weir_datum_count(search_runs(s)));
    weir_answer_add_fact(answer, "executions", weir_datum_count((int64_t)shared->seen->executions));
    for (size_t i = 0; i < answer->bound_count; i++) {
        struct weir_bound *bound = &answer->bounds[i];
        weir_bound_add_detail(answer, bound, "search_max", weir_datum_time(shared->seen->latency_max[i]));
        weir_bound_add_detail(answer, bound, "search_max_arrival", weir_datum_time(shared->seen->latency_max_arrival[i]));
        weir_bound_add_detail(answer, bound, "search_min", weir_datum_time(shared->seen->latency_min[i]));
    }
    tell_operators(s);
}

enum weir_status weir_simulate_priority(struct weir_simulation *s, struct weir_error *error)
{
    struct shared *shared = s->engine = weir_answer_take(s->answer, 1, sizeof *shared);
    if (!shared || !weir_simulation_assign_roles(s) || !find_roles(s, shared))
        return weir_fail_memory(error);
    enum weir_status status = weir_simulation_bounds(s, error);
    if (status)
        return status;
    shared->analysis = s->answer->detail;
    status = take_capacities(s, shared) ? weir_simulation_run(s, run_once, error) : weir_fail_memory(error);
    if (!status)
        status = search(s, error);
    for (size_t i = 0; shared->seen && i < s->answer->bound_count; i++)
        s->chains[i].note = describe_search(s, i);
    if (!status)
        status = weir_simulation_describe(s, error);
    if (!status && shared->seen && shared->analysis->outcome == WEIR_PRIORITY_CONVERGED)
        status = check(s, error);
    if (!status)
        tell(s);
    weir_free(shared->seen);
    return status;
}
