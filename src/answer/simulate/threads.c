/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of operators that have a thread each, or that share workers. */
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "model/pipeline.h"

/* ---- one run ---- */

enum weir_times weir_simulation_times(const struct weir_simulation *s)
{
    if (s->options->given)
        return WEIR_TIMES_GIVEN;
    if (!s->mixed)
        return s->times;
    if (s->run < 2)
        return s->run == 0 ? WEIR_TIMES_WORST : WEIR_TIMES_BEST;
    return s->run % 2 ? WEIR_TIMES_BANG_BANG : WEIR_TIMES_RANDOM;
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct weir_simulation *s = context;
    if (s->options->observe && s->run == 0)
        s->options->observe(s->options->context, op, moment, iteration, time);
    if (moment == WEIR_FINISH && s->engine)
        weir_simulation_count_event(s, iteration);
    else if (moment == WEIR_FINISH)
        weir_simulation_note_to(s, op, iteration, time);
    else if ((moment == WEIR_ARRIVAL) != weir_simulation_counts_arrivals(s, op))
        return;
    else if (s->engine)
        weir_followed_note_from(s, op, iteration, time);
    else
        weir_simulation_note_from(s, op, iteration, time);
}

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct weir_simulation *s = context;
    const struct weir_operator_spec *spec = &s->pipeline->operators[op.index];
    bool worst = s->times == WEIR_TIMES_WORST;
    if (part == WEIR_PART_RECEIVE)
        return worst ? spec->receive_max : spec->receive_min;
    if (part == WEIR_PART_GPU)
        return worst ? spec->launch->worst : spec->launch->best;
    if (part == WEIR_PART_AFTER)
        return worst ? spec->launch->after_worst : spec->launch->after_best;
    int64_t time = s->options->given(s->options->context, op, iteration);
    return time >= 0 ? time : worst ? spec->worst : spec->best;
}

/* The first runs, at worst and at best times, take ready operators in any order where these share threads. */
static enum weir_status run_once(struct weir_simulation *s, struct weir_error *error)
{
    static const enum weir_workers_order orders[] = {WEIR_ORDER_RANDOM, WEIR_ORDER_OLDEST, WEIR_ORDER_NEWEST, WEIR_ORDER_MODEL};
    struct weir_simulation_options run = {.iterations = s->iterations,
                                          .times = weir_simulation_times(s),
                                          .seed = weir_simulation_seed(s, (uint64_t)s->run),
                                          .given = given,
                                          .observe = observe,
                                          .context = s};
    if (s->run == 0 && s->options->first) {
        struct weir_simulation_options shown = run;
        shown.observe = NULL;
        enum weir_status status = s->options->first(s->options->context, s->pipeline, &shown, error);
        if (status)
            return status;
    }
    return weir_followed_run(s, &run, s->answer->in_order ? WEIR_ORDER_OLDEST : orders[s->run / 2 % 4], error);
}

/* ---- all of them ---- */

/* The bounds of weir_analyze, without witnesses and throughput. */
static enum weir_status find_bounds(struct weir_simulation *s, struct weir_error *error)
{
    if (!weir_answer_chains(s->answer))
        return weir_fail_memory(error);
    struct weir_solver *solver = weir_solver_new(s->pipeline, error);
    enum weir_status status = solver ? WEIR_OK : weir_pipeline_require_threads(s->pipeline, NULL) ? WEIR_INVALID : WEIR_MEMORY;
    for (size_t i = 0; i < s->answer->bound_count && !status; i++) {
        struct weir_bound *bound = &s->answer->bounds[i];
        bool arrivals = weir_simulation_counts_arrivals(s, bound->chain.from);
        struct weir_query worst = {.from = {bound->chain.from, arrivals ? WEIR_ARRIVAL : WEIR_START, 0},
                                   .to = {.op = bound->chain.to, .moment = WEIR_FINISH},
                                   .shift = bound->chain.shift};
        struct weir_query best = {.from = worst.to, .to = worst.from, .shift = -worst.shift};
        struct weir_separation separation;
        status = weir_separation_worst(solver, &worst, &separation, error);
        if (status)
            break;
        bound->worst = weir_quantity_of(&separation, false);
        status = weir_separation_worst(solver, &best, &separation, error);
        bound->best = weir_quantity_of(&separation, true);
    }
    weir_solver_free(solver);
    return status ? status : weir_simulation_make_chains(s, error);
}

static void tell_workers(struct weir_simulation *s)
{
    struct weir_workers_spec workers = weir_pipeline_workers(s->pipeline);
    char polling[WEIR_AMOUNT_TEXT], crew[64] = ", a worker for each operator", seen[WEIR_AMOUNT_TEXT + 64] = "";
    const char *next = s->answer->in_order ? "the next operator: the oldest"
                                           : "the next operator, in turn: any, the oldest, the newest, the first";
    if (workers.workers)
        snprintf(crew, sizeof crew, ", %u worker%s", workers.workers, workers.workers == 1 ? "" : "s");
    if (workers.dispatch == WEIR_DISPATCH_POLLED)
        snprintf(seen, sizeof seen, ", up to %s until an operator is seen",
                 weir_amount_format(s->pipeline, workers.polling, polling));
    uint32_t lanes = s->pipeline->lane_count;
    if (lanes && !workers.workers && !workers.polling)
        weir_answer_line(s->answer, "%u lane%s; %s", lanes, lanes == 1 ? "" : "s", next);
    else if (workers.dispatch == WEIR_DISPATCH_GREEDY)
        weir_answer_line(s->answer, "greedy scheduler: one thread, operators in their order");
    else
        weir_answer_line(s->answer, "%s scheduler%s%s%s; %s", weir_dispatch_name(workers.dispatch), crew, seen,
                         lanes ? ", and lanes" : "", next);
    weir_answer_add_fact(s->answer, "scheduler", weir_datum_text(weir_dispatch_name(workers.dispatch)));
    weir_answer_add_fact(s->answer, "workers", weir_datum_if(workers.workers > 0, weir_datum_count(workers.workers)));
    weir_answer_add_fact(s->answer, "polling", weir_datum_time(workers.polling));
    if (lanes)
        weir_answer_add_fact(s->answer, "lanes", weir_datum_count(lanes));
}

enum weir_status weir_simulate_threads(struct weir_simulation *s, struct weir_error *error)
{
    if (!weir_simulation_assign_roles(s))
        return weir_fail_memory(error);
    bool followed = weir_followed_needed(s->pipeline), shared = !weir_pipeline_has_enough_workers(s->pipeline);
    enum weir_status status = followed || shared ? weir_simulation_bounds(s, error) : find_bounds(s, error);
    if (!status && followed)
        status = weir_followed_begin(s, error);
    if (!status)
        status = weir_simulation_run(s, run_once, error);
    if (!status)
        status = weir_simulation_describe(s, error);
    if (!status)
        weir_simulation_scope(s, "iteration", "", "");
    if (!status && shared)
        tell_workers(s);
    if (!status && followed)
        status = weir_followed_tell(s, error);
    weir_followed_end(s);
    return status;
}
