/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random pipelines against everything that is independent of the engine: the exact answer equals exhaustive search where that is
 * feasible, its witness replays to exactly the bound, its certificate holds and that of a smaller bound does not, and no
 * simulation leaves [best, worst].
 *
 *     campaign COUNT [SEED]      says how many pipelines of each sort it saw; exit status 1 on the first contradiction
 *     campaign show SEED         the pipeline of a seed as YAML
 *
 * Work is shared among as many processes as there are cores. A contradiction prints the seed of its pipeline, and the pipeline.
 */
#include "support/campaign.h"
#include "engine/exact/search.h"
#include "engine/exact/solver.h"
#include "engine/exact/sweep.h"
#include "model/pipeline.h"
#include "support/oracle/brute.h"
#include "support/random/pipeline.h"

#include <inttypes.h>

enum { BRUTE_BITS = 12, SIMULATIONS = 4, ITERATIONS = 40 };

struct tally {
    uint64_t pipelines, exact, unbounded, bracket, exhaustive, late; /* late: worst case after more than 20 iterations */
    uint64_t phased, reached; /* simulations of sources with phases, and latencies in them that were as long as the bound */
};

struct trial {
    uint64_t seed;
    struct weir_pipeline *pipeline;
    struct weir_solver *solver;
    struct weir_error error;
    struct tally *tally;
};

static bool complain(const struct trial *t, const char *what, int64_t a, int64_t b)
{
    printf("pipeline of seed %" PRIu64 ": %s (%" PRId64 ", %" PRId64 ") %s\n", t->seed, what, a, b, t->error.message);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    return false;
}

static bool check_exhaustive(struct trial *t, const struct weir_query *query, int64_t value, const struct weir_witness *w)
{
    struct weir_brute brute;
    if (t->pipeline->phases) /* which it does not know */
        return true;
    int64_t need = w->iteration + (query->shift > 0 ? query->shift : 0) + 1;
    uint32_t iterations = need > 12 ? 3 : need < 2 ? 2 : (uint32_t)need;
    while (iterations > 1 && weir_brute_bits(t->pipeline, query, iterations) > BRUTE_BITS)
        iterations--;
    if (weir_brute_bits(t->pipeline, query, iterations) > BRUTE_BITS ||
        !weir_brute_separation(t->pipeline, query, iterations, &brute) || !brute.any)
        return true;
    if (brute.max > value)
        return complain(t, "exhaustive search exceeds the exact bound", brute.max, value);
    if (need <= iterations) {
        t->tally->exhaustive++;
        if (brute.max != value)
            return complain(t, "exhaustive search does not reach the exact bound", brute.max, value);
    }
    return true;
}

static bool check_separation(struct trial *t, const struct weir_query *query, struct weir_separation *result)
{
    if (weir_separation_worst(t->solver, query, result, &t->error))
        return complain(t, "no answer", 0, 0);
    if (result->outcome == WEIR_NO_BOUND) {
        struct weir_problem problem;
        t->tally->unbounded++;
        weir_problem_pose(t->solver, query, &problem, NULL);
        if (!t->solver->search)
            t->solver->search = weir_search_new(t->solver->graph->actor_count, t->solver->graph->tokens_max);
        weir_search_pose(t->solver->search, &problem);
        if (weir_search_decide(t->solver->search, 100 * problem.graph->row_max) != WEIR_REACHABLE)
            return complain(t, "an unbounded separation is bounded", 0, 0);
        return true;
    }
    if (result->outcome != WEIR_EXACT) {
        return result->outcome == WEIR_BRACKET ? complain(t, "a bracket", result->lower, result->upper) : true;
    }
    t->tally->exact++;
    struct weir_witness *w;
    int64_t replayed = 0;
    bool holds, below, good = true;
    if (weir_separation_witness(t->solver, query, &w, &t->error))
        return complain(t, "no witness", result->value, 0);
    t->tally->late += w->iteration > 20;
    if (weir_witness_replay(t->pipeline, w, &replayed, &t->error) || replayed != result->value)
        good = complain(t, "the witness does not replay to the bound", replayed, result->value);
    if (good && (weir_separation_certify(t->solver, query, result->value, &holds, &t->error) || !holds))
        good = complain(t, "the certificate does not hold", result->value, 0);
    if (good && (weir_separation_certify(t->solver, query, result->value - 1, &below, &t->error) || below))
        good = complain(t, "a smaller bound has a certificate", result->value, 0);
    if (good)
        good = check_exhaustive(t, query, result->value, w);
    weir_witness_free(w);
    return good;
}

/* The steps of nodes that are there, those of actors, and rows. */
static bool check_sweeps(struct trial *t, const struct weir_problem *problem, const struct weir_separation *asked)
{
    for (int i = 0; i < 3; i++) {
        struct weir_separation again;
        struct weir_onepass_start start;
        t->solver->region.steps.made &= i != 1;
        t->solver->region.steps.flat_arcs = i == 1 ? 0 : WEIR_FLAT_ARCS;
        if (weir_onepass_solve(t->solver, problem, i == 2, &again, &start) || again.value != asked->value ||
            again.outcome != WEIR_EXACT)
            return complain(t, "two sweeps differ", again.value, asked->value);
    }
    return true;
}

/* Two ways to the same number: the one-pass case and the general search. */
static bool check_zero_best(struct trial *t, struct weir_query query, const struct weir_separation *exact)
{
    struct weir_separation zero, general;
    struct weir_problem problem;
    query.assume_zero_best = true;
    if (weir_separation_worst(t->solver, &query, &zero, &t->error))
        return complain(t, "no answer with best cases of 0", 0, 0);
    if (zero.outcome == WEIR_EXACT && exact->outcome == WEIR_EXACT && zero.value < exact->value)
        return complain(t, "best cases of 0 give less", zero.value, exact->value);
    if (zero.outcome == WEIR_EXACT) {
        struct weir_witness *w;
        int64_t replayed = 0;
        if (weir_separation_witness(t->solver, &query, &w, &t->error))
            return complain(t, "no witness with best cases of 0", zero.value, 0);
        bool same = !weir_witness_replay(t->pipeline, w, &replayed, &t->error) && replayed == zero.value;
        weir_witness_free(w);
        if (!same)
            return complain(t, "with best cases of 0 the witness does not replay to the bound", replayed, zero.value);
    }
    if (weir_problem_pose(t->solver, &query, &problem, NULL) || !problem.one_pass)
        return true;
    if (zero.outcome == WEIR_EXACT && !check_sweeps(t, &problem, &zero))
        return false;
    if (weir_general_solve(t->solver, &problem, &general, &t->error) || general.outcome != zero.outcome ||
        general.value != zero.value)
        return complain(t, "one pass and search differ", zero.value, general.value);
    return true;
}

/* With hardly any work allowed the answer is a bracket; it must hold the exact value. */
static bool check_bracket(struct trial *t, struct weir_query query, const struct weir_separation *exact)
{
    struct weir_separation rough;
    query.work_limit = 1 + t->seed % 200;
    if (weir_separation_worst(t->solver, &query, &rough, &t->error))
        return complain(t, "no answer within a limit", 0, 0);
    if (exact->outcome != WEIR_EXACT)
        return true;
    if (rough.outcome == WEIR_BRACKET) {
        t->tally->bracket++;
        if (rough.lower > exact->value || rough.upper < exact->value)
            return complain(t, "the bracket misses the exact value", rough.lower, rough.upper);
    } else if (rough.outcome != WEIR_EXACT || rough.value != exact->value) {
        return complain(t, "a limit changes the exact value", rough.value, exact->value);
    }
    return true;
}

/* Times of the last iterations of one pair, as the simulator reports them. */
struct watch {
    const struct weir_query *query;
    int64_t from[ITERATIONS], to[ITERATIONS];
};

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct watch *w = context;
    if (op.index == w->query->from.op.index && moment == w->query->from.moment && iteration < ITERATIONS)
        w->from[iteration] = time;
    if (op.index == w->query->to.op.index && moment == w->query->to.moment && iteration < ITERATIONS)
        w->to[iteration] = time;
}

static bool check_simulations(struct trial *t, const struct weir_query *query, const struct weir_separation *worst,
                              const struct weir_separation *best)
{
    static const enum weir_times modes[] = {WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG, WEIR_TIMES_WORST, WEIR_TIMES_BEST};
    for (uint64_t run = 0; run < SIMULATIONS; run++) {
        struct watch watch = {.query = query};
        int64_t phases[WEIR_RANDOM_OPERATORS], floor;
        struct weir_simulation_options options = {
            .iterations = ITERATIONS, .times = modes[run % 4], .seed = t->seed + run, .observe = observe, .context = &watch};
        options.phases = weir_random_phases(t->pipeline, t->seed * 8 + run, phases, &floor);
        t->tally->phased += options.phases != NULL;
        for (int i = 0; i < ITERATIONS; i++)
            watch.from[i] = watch.to[i] = -1;
        if (weir_simulate(t->pipeline, &options, &t->error))
            return complain(t, "the simulation fails", 0, 0);
        for (int64_t i = 0; i < ITERATIONS; i++) {
            int64_t j = i + query->shift;
            if (j < 0 || j >= ITERATIONS || watch.from[i] < 0 || watch.to[j] < 0)
                continue;
            int64_t latency = watch.to[j] - watch.from[i];
            t->tally->reached += options.phases && worst->outcome == WEIR_EXACT && latency == worst->value;
            if (worst->outcome == WEIR_EXACT && latency > worst->value && watch.from[i] >= floor)
                return complain(t, "a simulation exceeds the bound", latency, worst->value);
            if (best->outcome == WEIR_EXACT && latency < -best->value && watch.to[j] >= floor)
                return complain(t, "a simulation is below the best case", latency, -best->value);
        }
    }
    return true;
}

static bool check_chain(struct trial *t, const struct weir_chain_spec *chain)
{
    struct weir_query query = {
        .from = {.op = chain->from, .moment = WEIR_START}, .to = {.op = chain->to, .moment = WEIR_FINISH}, .shift = chain->shift};
    for (uint32_t i = 0; i < weir_pipeline_source_count(t->pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(t->pipeline, i);
        if (source.op.index == chain->from.index && source.arrivals == WEIR_ARRIVALS_EXACT)
            query.from.moment = WEIR_ARRIVAL;
    }
    struct weir_query back = {.from = query.to, .to = query.from, .shift = -query.shift};
    struct weir_query gap = {.from = query.to, .to = query.to, .shift = 1 + (int64_t)(t->seed % 2)};
    struct weir_separation worst, best, widest;
    return check_separation(t, &query, &worst) && check_separation(t, &back, &best) && check_separation(t, &gap, &widest) &&
           check_zero_best(t, query, &worst) && check_bracket(t, query, &worst) && check_bracket(t, back, &best) &&
           check_simulations(t, &query, &worst, &best);
}

static struct weir_pipeline *pipeline_of(uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    return weir_random_pipeline(&random, (enum weir_flavour)(seed % (WEIR_FLAVOURS + 1)));
}

static bool try_seed(uint64_t seed, void *into)
{
    struct tally *tally = into;
    struct trial t = {.seed = seed, .tally = tally};
    t.pipeline = pipeline_of(seed);
    t.solver = t.pipeline ? weir_solver_new(t.pipeline, &t.error) : NULL;
    bool good = t.solver != NULL;
    if (good && seed / WEIR_FLAVOURS / 2 % 2)
        t.solver->lines_from = 0;
    tally->pipelines++;
    uint32_t chains = good ? weir_pipeline_chain_count(t.pipeline) : 0;
    for (uint32_t i = 0; i < chains && i < 3 && good; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t.pipeline, i);
        good = check_chain(&t, &chain);
    }
    weir_solver_free(t.solver);
    weir_pipeline_free(t.pipeline);
    return good;
}

static void print(const void *tally)
{
    const struct tally *sum = tally;
    printf("%" PRIu64 " pipelines: %" PRIu64 " exact separations (%" PRIu64 " equal to exhaustive search, %" PRIu64
           " after iteration 20), %" PRIu64 " unbounded, %" PRIu64 " brackets; %" PRIu64 " simulations with phases, %" PRIu64
           " latencies as long as the bound\n",
           sum->pipelines, sum->exact, sum->exhaustive, sum->late, sum->unbounded, sum->bracket, sum->phased, sum->reached);
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *sum = tally;
    return sum->pipelines == count && sum->exhaustive * 20 >= sum->exact && sum->unbounded && sum->late && sum->bracket &&
           sum->reached;
}

const struct campaign campaign = {
    try_seed, print, saw_enough, sizeof(struct tally), .print_always = true, .pipeline_of = pipeline_of};
