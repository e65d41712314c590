/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worst case within the first iterations, by satisfiability modulo theories: it stands for the CP-SAT baseline of the papers.
 *
 * For every execution there are two unknowns, its start and its finish. The rules (one iteration at a time, data, backpressure, and
 * whatever else the event graph has) make every start the largest of some other unknowns: it is at least each of them, and at most
 * one of them. Everything is a bound on a difference of two unknowns, which is what Z3 is good at.
 *
 * The largest response time of an iteration is then found by asking for more and more, in steps that double while the answer is
 * yes and halve while it is no. That is several times faster than Z3's own optimisation, and leaves a lower bound whenever it is
 * stopped. One iteration after the other is asked for more than the best so far, since a question about one of them is much easier
 * than one about any of them.
 */
#include "baseline/classic.h"
#include "baseline/smt_z3.h"
#include "model/pipeline.h"

enum { HORIZON_DEFAULT = 8 };

struct smt {
    struct weir_arena arena;
    const struct weir_z3 *z3;
    const struct weir_graph *graph;
    uint32_t horizon;
    Z3_context context;
    Z3_solver solver;
    Z3_sort integer;
    Z3_ast *start, *finish; /* of actor a in iteration i: [i * actor_count + a] */
    Z3_ast *choices;        /* room for the arcs into one actor */
    struct weir_clock clock;
};

static void ignore(Z3_context context, Z3_error_code code)
{
    (void)context, (void)code; /* the default would end the process; errors are looked for where they matter */
}

/* ---- terms ---- */

static Z3_ast number(const struct smt *s, int64_t value)
{
    return s->z3->mk_int64(s->context, value, s->integer);
}

static Z3_ast later(const struct smt *s, Z3_ast time, int64_t offset)
{
    Z3_ast terms[] = {time, number(s, offset)};
    return offset ? s->z3->mk_add(s->context, 2, terms) : time;
}

static Z3_ast difference(const struct smt *s, Z3_ast a, Z3_ast b)
{
    Z3_ast terms[] = {a, b};
    return s->z3->mk_sub(s->context, 2, terms);
}

static void require(const struct smt *s, Z3_ast fact)
{
    s->z3->solver_assert(s->context, s->solver, fact);
}

/* ---- the rules ---- */

static void add_execution(const struct smt *s, uint32_t actor, uint32_t iteration)
{
    const struct weir_z3 *z3 = s->z3;
    size_t at = (size_t)iteration * s->graph->actor_count + actor;
    int64_t lo = s->graph->lo[actor], hi = s->graph->hi[actor];
    s->start[at] = z3->mk_fresh_const(s->context, "start", s->integer);
    if (lo == hi) {
        s->finish[at] = later(s, s->start[at], hi);
        return;
    }
    s->finish[at] = z3->mk_fresh_const(s->context, "finish", s->integer);
    Z3_ast time = difference(s, s->finish[at], s->start[at]);
    require(s, z3->mk_ge(s->context, time, number(s, lo)));
    require(s, z3->mk_le(s->context, time, number(s, hi)));
}

/* The start is the largest of what the arcs allow; 0 where there is none. */
static void add_start(const struct smt *s, uint32_t actor, uint32_t iteration)
{
    const struct weir_z3 *z3 = s->z3;
    const struct weir_graph *g = s->graph;
    Z3_ast start = s->start[(size_t)iteration * g->actor_count + actor];
    unsigned count = 0;
    for (uint32_t r = g->in_first[actor]; r < g->in_first[actor + 1]; r++) {
        const struct weir_arc_run *run = &g->in_runs[r];
        if (run->tokens > iteration)
            continue;
        const Z3_ast *times = (run->finish ? s->finish : s->start) + (size_t)(iteration - run->tokens) * g->actor_count;
        for (uint32_t i = run->first; i < run->end; i++) {
            Z3_ast wait = difference(s, start, later(s, times[g->tails[i]], run->offset));
            require(s, z3->mk_ge(s->context, wait, number(s, 0)));
            s->choices[count++] = z3->mk_le(s->context, wait, number(s, 0));
        }
    }
    if (count == 0)
        require(s, z3->mk_eq(s->context, start, number(s, 0)));
    else
        require(s, z3->mk_or(s->context, count, s->choices));
}

static void add_rules(const struct smt *s)
{
    for (uint32_t i = 0; i < s->horizon; i++)
        for (uint32_t actor = 0; actor < s->graph->actor_count; actor++)
            add_execution(s, actor, i);
    for (uint32_t i = 0; i < s->horizon; i++)
        for (uint32_t actor = 0; actor < s->graph->actor_count; actor++)
            add_start(s, actor, i);
}

/* ---- asking ---- */

enum answer { YES, NO, STOPPED, FAILED };

static void limit_time(const struct smt *s)
{
    int64_t left = weir_clock_left(&s->clock);
    Z3_params params = s->z3->mk_params(s->context);
    s->z3->params_inc_ref(s->context, params);
    s->z3->params_set_uint(s->context, params, s->z3->mk_string_symbol(s->context, "timeout"),
                           left > INT32_MAX ? INT32_MAX
                           : left < 1       ? 1
                                            : (unsigned)left);
    s->z3->solver_set_params(s->context, s->solver, params);
    s->z3->params_dec_ref(s->context, params);
}

/* The clock counts CPU time and Z3 real time, so that on a busy machine Z3 may stop too early, and is asked again. */
static Z3_lbool check(const struct smt *s)
{
    Z3_lbool possible;
    do {
        if (s->clock.end_ms != INT64_MAX)
            limit_time(s);
        possible = s->z3->solver_check(s->context, s->solver);
    } while (possible == Z3_L_UNDEF && s->clock.end_ms != INT64_MAX && s->z3->get_error_code(s->context) == Z3_OK &&
             !weir_clock_over(&s->clock));
    return possible;
}

/* Is a response time of at least *time possible? If so, *time becomes the one that was found. */
static enum answer ask(const struct smt *s, Z3_ast response, int64_t *time)
{
    const struct weir_z3 *z3 = s->z3;
    if (weir_clock_over(&s->clock))
        return STOPPED;
    z3->solver_push(s->context, s->solver);
    require(s, z3->mk_ge(s->context, response, number(s, *time)));
    Z3_lbool possible = check(s);
    enum answer answer = possible == Z3_L_FALSE ? NO : possible == Z3_L_TRUE ? FAILED : STOPPED;
    Z3_model model = possible == Z3_L_TRUE ? z3->solver_get_model(s->context, s->solver) : NULL;
    if (model) {
        Z3_ast value;
        z3->model_inc_ref(s->context, model);
        if (z3->model_eval(s->context, model, response, true, &value) && z3->get_numeral_int64(s->context, value, time))
            answer = YES;
        z3->model_dec_ref(s->context, model);
    }
    z3->solver_pop(s->context, s->solver, 1);
    return z3->get_error_code(s->context) == Z3_OK ? answer : FAILED;
}

/* Raises *best to the largest that this response can be, if that is more. NO at the end of the search. */
static enum answer raise_best(const struct smt *s, Z3_ast response, int64_t *best)
{
    enum answer answer = YES;
    int64_t step = 1, refused = INT64_MAX; /* the smallest that is known to be impossible */
    while (step > 0 && answer < STOPPED) {
        int64_t time = *best + step;
        if (time >= refused) {
            step /= 2;
            continue;
        }
        answer = ask(s, response, &time);
        if (answer == YES) {
            *best = time;
            step *= 2;
        } else if (answer == NO) {
            refused = time;
            step /= 2;
        }
    }
    return answer;
}

static enum weir_status maximise(const struct smt *s, const struct weir_query *query, const struct weir_method_options *options,
                                 struct weir_method_result *result, struct weir_error *error)
{
    const struct weir_graph *g = s->graph;
    uint32_t from = query->from.moment == WEIR_ARRIVAL ? g->arrival_of[query->from.op.index] : g->start_of[query->from.op.index];
    uint32_t to = g->finish_of[query->to.op.index];
    int64_t first = query->shift < 0 ? -query->shift : 0, end = s->horizon - (query->shift > 0 ? query->shift : 0);
    int64_t best = -WEIR_TIME_MAX; /* so low that the first question is whether there is an execution at all */
    enum answer answer = NO;
    for (int64_t i = first; i < end && answer < STOPPED; i++) {
        weir_method_progress(options, (uint64_t)(i - first), (uint64_t)(end - first));
        Z3_ast finish = s->finish[(size_t)(i + query->shift) * g->actor_count + to];
        answer = raise_best(s, difference(s, finish, s->start[(size_t)i * g->actor_count + from]), &best);
    }
    if (answer == FAILED && s->z3->get_error_code(s->context) == Z3_MEMOUT_FAIL)
        return weir_fail_memory(error);
    if (answer == FAILED)
        return weir_fail(error, WEIR_INTERNAL, "Z3: %s", s->z3->get_error_msg(s->context, s->z3->get_error_code(s->context)));
    if (answer == NO && best == -WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INTERNAL, "Z3 says that the pipeline has no execution");
    weir_note_add(result, "Finite horizon of %u iteration%s: not a guarantee.", (unsigned)s->horizon, s->horizon == 1 ? "" : "s");
    result->value = best;
    if (answer == STOPPED) {
        result->outcome = WEIR_BRACKET;
        result->lower = best == -WEIR_TIME_MAX ? INT64_MIN : best;
        result->upper = INT64_MAX;
        weir_note_add(result, "Z3 stopped before it was through with them.");
    }
    return WEIR_OK;
}

/* ---- the method ---- */

static enum weir_status begin(struct smt *s, struct weir_error *error)
{
    const struct weir_z3 *z3 = s->z3;
    size_t executions = (size_t)s->horizon * s->graph->actor_count;
    s->start = weir_arena_array(&s->arena, executions, sizeof *s->start);
    s->finish = weir_arena_array(&s->arena, executions, sizeof *s->finish);
    s->choices = weir_arena_array(&s->arena, s->graph->arc_count, sizeof *s->choices);
    if (s->arena.failed)
        return weir_fail_memory(error);
    Z3_config config = z3->mk_config();
    s->context = config ? z3->mk_context(config) : NULL;
    if (config)
        z3->del_config(config);
    if (!s->context)
        return weir_fail_memory(error);
    z3->set_error_handler(s->context, ignore);
    s->integer = z3->mk_int_sort(s->context);
    s->solver = z3->mk_simple_solver(s->context);
    if (!s->solver)
        return weir_fail_memory(error);
    z3->solver_inc_ref(s->context, s->solver);
    return WEIR_OK;
}

static void finish_up(struct smt *s)
{
    if (s->solver)
        s->z3->solver_dec_ref(s->context, s->solver);
    if (s->context)
        s->z3->del_context(s->context);
    weir_arena_free(&s->arena);
}

enum weir_status weir_smt_run(const struct weir_pipeline *pipeline, uint32_t chain, const struct weir_method_options *options,
                              struct weir_method_result *result, struct weir_error *error)
{
    struct weir_query query = weir_method_query(pipeline, chain);
    struct smt s = {.z3 = weir_z3_load(), .graph = pipeline->graph};
    if (!s.z3)
        return weir_fail(error, WEIR_INVALID, "%s", weir_smt_missing());
    s.horizon = options->horizon ? options->horizon : HORIZON_DEFAULT;
    int64_t distance = query.shift < 0 ? -query.shift : query.shift;
    if (distance >= s.horizon) {
        result->applicable = false;
        weir_note_add(result, "The latency spans %lld iterations; the horizon ends before, at %u.", (long long)distance + 1,
                      (unsigned)s.horizon);
        return WEIR_OK;
    }
    weir_clock_start(&s.clock, options);
    enum weir_status status = begin(&s, error);
    if (!status) {
        add_rules(&s);
        status = maximise(&s, &query, options, result, error);
    }
    finish_up(&s);
    return status;
}
