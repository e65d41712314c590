/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random pipelines with what Holoscan has beyond plain queues, against a simulator that knows only messages, slots and streams.
 *
 * Exact: batches, work on a GPU, transfers and periods. No run leaves [best, worst], the witness of the worst case replays to it,
 * and where every combination of extreme times can be tried, one of them reaches it.
 * Cut: connections that do not wait, and skipped ticks. No run exceeds a bound of the sampling analysis, whatever comes first of
 * what happens at the same time; what it says cannot happen does not. Composed: an operator whose time is a plan for a GPU runs
 * with the kernels of the plan simulated. Shared: the same pipelines under a scheduler with few workers, or with lanes.
 *
 *     semantics COUNT [SEED]        exit status 1 on the first contradiction of each process
 *     semantics show SEED           the pipeline of a seed as YAML
 *     WEIR_TELL=1 semantics ...     also which latencies have no bound, and why
 *
 * Work is shared among as many processes as there are cores. A contradiction prints the seed of its pipeline, and the pipeline.
 */
#include "support/random/semantics.h"
#include "model/pipeline.h"
#include "semantics_plan.h"
#include "semantics_watch.h"
#include "support/campaign.h"
#include "support/random/kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 10, ROUNDS = 24, BRUTE_BITS = 11, LATENCIES = 64 };

/* Latencies of pipelines with connections of a kind; overlays are drawn as such, and may well stand still. */
enum kind { KIND_LATEST, KIND_OPTIONAL, KIND_PICK, KIND_FULL, KIND_PORT, KIND_SKIP, KIND_ALL, KIND_OVERLAY, KINDS };
static const char *const kind_names[KINDS] = {"latest", "optional", "optional, not blocking",   "full", "one input",
                                              "skip",   "all",      "overlays, in no other row"};

struct accuracy {
    uint64_t bounds, endless, unknown; /* endless: there is no bound, and that is the answer */
    uint64_t seen, permille;           /* bounds of which something was seen, and how much of them, in all */
};

struct tally {
    uint64_t pipelines, refused, exact, unbounded, reached, exhaustive; /* reached: by a run that was drawn */
    uint64_t batches, launches, transfers, clocks;                      /* exact latencies of pipelines with these */
    uint64_t safe, unknown, touched, losses, faults, quiet;             /* quiet: queues proved to lose nothing */
    uint64_t composed, runs, standstills;                               /* an optional queue that stays full */
    uint64_t shared, not_shared;                                        /* pipelines with a scheduler: answered, not */
    uint64_t growing, grown;                                            /* backlogs that are said to grow, and seen to */
    struct accuracy kinds[KINDS];
};

struct trial {
    uint64_t seed;
    struct weir_pipeline *pipeline;
    struct weir_error error;
    struct tally *tally;
    int64_t latest[LATENCIES]; /* the longest that was seen of each latency across connections that do not wait */
};

static struct watch watch;

static bool complain(const struct trial *t, const char *what, int64_t a, int64_t b)
{
    printf("pipeline of seed %" PRIu64 ": %s (%" PRId64 ", %" PRId64 ") %s\n", t->seed, what, a, b, t->error.message);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    return false;
}

static bool complain_chain(const struct trial *t, const char *what, const struct weir_chain_spec *chain, const int64_t values[2])
{
    printf("%s -> %s: ", weir_pipeline_operator(t->pipeline, chain->from).name,
           weir_pipeline_operator(t->pipeline, chain->to).name);
    return complain(t, what, values[0], values[1]);
}

static struct watch_run run_of(const struct trial *t, uint64_t run)
{
    static const enum weir_times modes[] = {WEIR_TIMES_BANG_BANG, WEIR_TIMES_RANDOM, WEIR_TIMES_GIVEN,
                                            WEIR_TIMES_BANG_BANG, WEIR_TIMES_WORST,  WEIR_TIMES_BEST};
    return (struct watch_run){.iterations = ROUNDS,
                              .times = modes[run % 6],
                              .ties = run < 2   ? WEIR_TIES_FIXED
                                      : run % 2 ? WEIR_TIES_RANDOM
                                                : WEIR_TIES_RANKED,
                              .seed = t->seed * RUNS + run};
}

/* ---- exact answers ---- */

struct brute {
    const struct weir_pipeline *pipeline;
    uint64_t mask;
    /* The first bit of a part, or of a queue with a transfer; UINT32_MAX: it has no choice. */
    uint32_t first[WATCH_OPERATORS][WEIR_PART_AFTER + 1], first_transfer[WATCH_QUEUES];
};

static int64_t choose(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    const struct brute *b = context;
    int64_t low, high;
    watch_range(b->pipeline, op, part, &low, &high);
    uint32_t first = b->first[op.index][part];
    return first != UINT32_MAX && b->mask >> (first + (uint32_t)execution) & 1 ? high : low;
}

static int64_t choose_transfer(void *context, struct weir_queue queue, int64_t execution)
{
    const struct brute *b = context;
    struct weir_queue_spec spec = weir_pipeline_queue(b->pipeline, queue);
    uint32_t first = b->first_transfer[queue.index];
    return first != UINT32_MAX && b->mask >> (first + (uint32_t)execution) & 1 ? spec.transfer_max : spec.transfer_min;
}

static bool has_part(const struct weir_pipeline *pipeline, struct weir_operator op, enum weir_part part)
{
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
    return part == WEIR_PART_EXECUTION || (part == WEIR_PART_RECEIVE && spec.receive_max > 0) ||
           (part == WEIR_PART_GPU && spec.launch) || (part == WEIR_PART_AFTER && spec.launch && spec.launch->waits);
}

static uint32_t take_bits(uint64_t *bits, int64_t low, int64_t high, int64_t count)
{
    uint64_t first = *bits;
    if (low == high)
        return UINT32_MAX;
    *bits += (uint64_t)count;
    return (uint32_t)first;
}

/* False when there are too many combinations. */
static bool number_choices(struct brute *b, int64_t rounds, uint64_t *bits)
{
    *bits = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(b->pipeline); i++)
        for (int part = WEIR_PART_EXECUTION; part <= WEIR_PART_AFTER; part++) {
            struct weir_operator op = {i};
            int64_t low, high;
            if (!has_part(b->pipeline, op, (enum weir_part)part))
                continue;
            watch_range(b->pipeline, op, (enum weir_part)part, &low, &high);
            b->first[i][part] = take_bits(bits, low, high, weir_pipeline_firings(b->pipeline, op) * rounds);
        }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(b->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(b->pipeline, (struct weir_queue){i});
        b->first_transfer[i] =
            take_bits(bits, queue.transfer_min, queue.transfer_max, weir_pipeline_firings(b->pipeline, queue.from) * rounds);
    }
    return *bits <= BRUTE_BITS;
}

/* Every combination of extreme times. */
static bool check_exhaustive(struct trial *t, const struct weir_latency *latency)
{
    struct brute b = {.pipeline = t->pipeline};
    if (t->pipeline->phases) /* which are drawn, not tried */
        return true;
    const struct weir_witness *w = latency->witness;
    int64_t rounds = w->iteration + (w->query.shift > 0 ? w->query.shift : 0) + 1;
    uint64_t bits;
    if (rounds > 4 || !number_choices(&b, rounds, &bits))
        return true;
    struct span all = {.any = false};
    for (; b.mask >> bits == 0; b.mask++) {
        struct watch_run run = {
            .iterations = rounds, .times = WEIR_TIMES_GIVEN, .given = choose, .transfer = choose_transfer, .context = &b};
        if (watch_simulate(&watch, t->pipeline, &run, &t->error))
            return complain(t, "the simulation fails", 0, 0);
        struct span span = watch_latency(&watch, &latency->chain);
        if (span.any && (!all.any || span.max > all.max))
            all = span;
    }
    t->tally->exhaustive++;
    if (!all.any || all.max != latency->worst.value)
        return complain_chain(t, "exhaustive search finds another worst case", &latency->chain,
                              (const int64_t[]){all.any ? all.max : -1, latency->worst.value});
    return true;
}

static bool above(const struct span *span, const struct weir_separation *bound)
{
    return span->any && ((bound->outcome == WEIR_EXACT && span->max > bound->value) ||
                         (bound->outcome == WEIR_BRACKET && span->max > bound->upper));
}

static bool check_run(struct trial *t, const struct weir_latency *latency)
{
    struct span span = watch_latency(&watch, &latency->chain), gap = watch_gap(&watch, latency->chain.to);
    if (above(&span, &latency->worst))
        return complain_chain(t, "a run exceeds the exact worst case", &latency->chain,
                              (const int64_t[]){span.max, latency->worst.value});
    if (span.any && latency->best.outcome == WEIR_EXACT && span.min < -latency->best.value)
        return complain_chain(t, "a run is below the exact best case", &latency->chain,
                              (const int64_t[]){span.min, -latency->best.value});
    if (above(&gap, &latency->gap))
        return complain_chain(t, "a run exceeds the exact gap", &latency->chain, (const int64_t[]){gap.max, latency->gap.value});
    t->tally->reached += span.any && latency->worst.outcome == WEIR_EXACT && span.max == latency->worst.value;
    return true;
}

static bool check_witness(struct trial *t, const struct weir_latency *latency)
{
    int64_t replayed = -1;
    if (latency->worst.outcome == WEIR_NO_BOUND)
        t->tally->unbounded++;
    if (latency->worst.outcome != WEIR_EXACT)
        return true;
    t->tally->exact++;
    if (!latency->witness || weir_witness_replay(t->pipeline, latency->witness, &replayed, &t->error) ||
        replayed != latency->worst.value)
        return complain_chain(t, "the witness does not replay to the worst case", &latency->chain,
                              (const int64_t[]){replayed, latency->worst.value});
    return check_exhaustive(t, latency);
}

static void count_features(struct trial *t)
{
    bool batches = false, launches = false, transfers = false, clocks = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(t->pipeline); i++)
        launches |= weir_pipeline_operator(t->pipeline, (struct weir_operator){i}).launch != NULL;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(t->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        batches |= queue.consume > 1;
        transfers |= queue.transfer_max > 0;
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(t->pipeline); i++)
        clocks |= weir_pipeline_source(t->pipeline, i).arrivals == WEIR_ARRIVALS_CATCH_UP;
    t->tally->batches += batches, t->tally->launches += launches;
    t->tally->transfers += transfers, t->tally->clocks += clocks;
}

static bool try_exact(struct trial *t)
{
    struct weir_analysis *analysis = NULL;
    if (weir_analyze(t->pipeline, &(struct weir_analyze_options){.verify = true}, &analysis, &t->error))
        return complain(t, "no analysis", 0, 0);
    bool good = true;
    for (uint64_t run = 0; run < RUNS && good; run++) {
        struct watch_run how = run_of(t, run);
        if (watch_simulate(&watch, t->pipeline, &how, &t->error))
            good = complain(t, "the simulation fails", 0, 0);
        t->tally->runs++;
        for (size_t i = 0; i < analysis->latency_count && good; i++)
            good = check_run(t, &analysis->latencies[i]);
    }
    for (size_t i = 0; i < analysis->latency_count && good; i++)
        good = check_witness(t, &analysis->latencies[i]);
    count_features(t);
    weir_analysis_free(analysis);
    return good;
}

/* ---- connections that do not wait ---- */

static bool check_losses(struct trial *t, const struct weir_async_analysis *analysis)
{
    for (size_t i = 0; i < analysis->queue_count; i++) {
        const struct weir_async_queue *queue = &analysis->queues[i];
        uint64_t lost = watch.lost[queue->queue.index];
        bool fault = watch.end.fault && watch.end.queue.index == queue->queue.index;
        if (lost && queue->loses == WEIR_CHANCE_NO)
            return complain(t, "a queue loses messages that loses none", queue->queue.index, (int64_t)lost);
        if (fault && queue->faults == WEIR_CHANCE_NO)
            return complain(t, "a queue fails that never does", queue->queue.index, watch.end.time);
        t->tally->losses += lost > 0;
        t->tally->faults += fault;
        t->tally->quiet += queue->loses == WEIR_CHANCE_NO;
    }
    return true;
}

static bool check_age(struct trial *t, const struct weir_async_latency *latency, int64_t *latest)
{
    struct span span =
        latency->outcome == WEIR_ASYNC_EXACT ? watch_latency(&watch, &latency->chain) : watch_age(&watch, &latency->chain);
    if (!span.any || latency->outcome == WEIR_ASYNC_UNKNOWN)
        return true;
    if (span.max > latency->worst)
        return complain_chain(t, "a run exceeds the bound", &latency->chain, (const int64_t[]){span.max, latency->worst});
    if (latency->has_best && span.min < latency->best)
        return complain_chain(t, "a run is below the best case", &latency->chain, (const int64_t[]){span.min, latency->best});
    t->tally->touched += span.max == latency->worst && latency->outcome == WEIR_ASYNC_SAFE;
    *latest = span.max > *latest ? span.max : *latest;
    return true;
}

/* Who has a bound does not stand still. */
static bool check_standstill(struct trial *t, const struct weir_async_analysis *analysis, int64_t iterations)
{
    int64_t last = (iterations < WATCH_EXECUTIONS ? iterations : WATCH_EXECUTIONS) - 1;
    for (size_t i = 0; i < analysis->latency_count; i++) {
        const struct weir_async_latency *latency = &analysis->latencies[i];
        bool both = watch.finish[latency->chain.from.index][last] >= 0 && watch.finish[latency->chain.to.index][last] >= 0;
        if (latency->outcome != WEIR_ASYNC_UNKNOWN && !both)
            return complain_chain(t, "an operator stands still, but there is a bound", &latency->chain,
                                  (const int64_t[]){last, latency->worst});
    }
    return true;
}

/* A queue of which it was found that it is never full is a plain one: then the path with the fewest initial messages counts. Runs
 * of the pipeline as it is tell whether that is so; latencies are measured with such queues without a limit. */
static struct weir_pipeline *join_plain(const struct trial *t, const struct weir_async_analysis *analysis)
{
    struct weir_pipeline *joined = weir_pipeline_copy(t->pipeline, NULL);
    for (size_t i = 0; joined && i < analysis->queue_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(t->pipeline, analysis->queues[i].queue);
        if (!analysis->queues[i].plain || spec.latest || spec.optional)
            continue;
        spec.full = WEIR_FULL_NEVER;
        weir_pipeline_change_queue(joined, analysis->queues[i].queue, &spec, NULL);
    }
    if (joined && weir_pipeline_seal(joined, NULL, NULL)) {
        weir_pipeline_free(joined);
        return NULL;
    }
    return joined;
}

static bool run_cut(struct trial *t, const struct weir_async_analysis *analysis, const struct weir_pipeline *joined, uint64_t run)
{
    struct watch_run how = run_of(t, run);
    how.iterations = run % 4 == 3 ? 4 * ROUNDS : ROUNDS;
    enum weir_status status = watch_simulate(&watch, t->pipeline, &how, &t->error);
    if (status && status != WEIR_INVALID)
        return complain(t, "the simulation fails", 0, 0);
    t->tally->runs++;
    t->tally->standstills += status == WEIR_INVALID;
    if (!check_losses(t, analysis) || (status && !check_standstill(t, analysis, how.iterations)))
        return false;
    status = watch_simulate(&watch, joined, &how, &t->error);
    if (status && status != WEIR_INVALID)
        return complain(t, "the simulation fails without limits", 0, 0);
    for (size_t i = 0; i < analysis->latency_count; i++)
        if (!check_age(t, &analysis->latencies[i], &t->latest[i % LATENCIES]))
            return false;
    return true;
}

static void find_kinds(const struct weir_pipeline *pipeline, bool kinds[KINDS])
{
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        kinds[KIND_LATEST] |= queue.latest;
        kinds[KIND_OPTIONAL] |= queue.optional && !queue.nonblocking;
        kinds[KIND_PICK] |= queue.optional && queue.nonblocking;
        kinds[KIND_FULL] |= !queue.optional && !queue.port && queue.full != WEIR_FULL_NEVER;
        kinds[KIND_PORT] |= queue.port != NULL;
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++)
        kinds[KIND_SKIP] |= weir_pipeline_source(pipeline, i).arrivals == WEIR_ARRIVALS_SKIP;
    kinds[KIND_ALL] = true;
}

/* That a backlog grows, or data goes round for ever, is an answer. */
static bool is_endless(const struct weir_async_latency *latency)
{
    return latency->why && (strncmp(latency->why, "the backlog", 11) == 0 || strstr(latency->why, "age has no bound"));
}

static void count_kinds(struct trial *t, const struct weir_async_analysis *analysis)
{
    bool kinds[KINDS] = {false};
    kinds[KIND_OVERLAY] = weir_random_is_overlay(t->seed);
    if (!kinds[KIND_OVERLAY])
        find_kinds(t->pipeline, kinds);
    for (size_t i = 0; i < analysis->latency_count; i++)
        for (int k = 0; k < KINDS; k++) {
            const struct weir_async_latency *latency = &analysis->latencies[i];
            struct accuracy *a = &t->tally->kinds[k];
            bool known = latency->outcome != WEIR_ASYNC_UNKNOWN, seen = known && t->latest[i % LATENCIES] > 0;
            if (!kinds[k])
                continue;
            a->bounds += known;
            a->endless += !known && is_endless(latency);
            a->unknown += !known && !is_endless(latency);
            a->seen += seen;
            a->permille += seen ? (uint64_t)(t->latest[i % LATENCIES] * 1000 / latency->worst) : 0;
        }
}

/* ---- backlogs that grow ---- */

/* With WEIR_TELL in the environment: what there is no bound for, and why. */
static void tell(const struct trial *t, const struct weir_async_latency *latency, const char *what)
{
    if (getenv("WEIR_TELL"))
        printf("pipeline of seed %" PRIu64 ": %s -> %s %s: %s\n", t->seed,
               weir_pipeline_operator(t->pipeline, latency->chain.from).name,
               weir_pipeline_operator(t->pipeline, latency->chain.to).name, what, latency->why);
}

/* By operator, bit by bit: its times are the longest, or else the shortest. */
static int64_t choose_extreme(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    const struct brute *b = context;
    int64_t low, high;
    (void)execution;
    watch_range(b->pipeline, op, part, &low, &high);
    return b->mask >> op.index & 1 ? high : low;
}

static int64_t choose_way(void *context, struct weir_queue queue, int64_t execution)
{
    const struct brute *b = context;
    struct weir_queue_spec spec = weir_pipeline_queue(b->pipeline, queue);
    (void)execution;
    return b->mask >> spec.to.index & 1 ? spec.transfer_max : spec.transfer_min;
}

/* Whether data gets older by as much in twice as many executions. */
static bool grows(struct trial *t, const struct weir_chain_spec *chain, const struct brute *b)
{
    int64_t ages[3];
    for (int i = 0; i < 3; i++) {
        struct watch_run how = {.iterations = 96 << i,
                                .times = WEIR_TIMES_GIVEN,
                                .ties = WEIR_TIES_FIXED,
                                .seed = t->seed,
                                .given = choose_extreme,
                                .transfer = choose_way,
                                .context = (void *)(uintptr_t)b};
        enum weir_status status = watch_simulate(&watch, t->pipeline, &how, &t->error);
        struct span span = watch_age(&watch, chain);
        if (status || !span.any)
            return false;
        ages[i] = span.max;
    }
    return ages[1] > ages[0] && 2 * (ages[2] - ages[1]) >= 3 * (ages[1] - ages[0]);
}

static void count_growing(struct trial *t, const struct weir_async_analysis *analysis)
{
    for (size_t i = 0; i < analysis->latency_count; i++) {
        const struct weir_async_latency *latency = &analysis->latencies[i];
        struct brute b = {.pipeline = t->pipeline};
        bool grown = false;
        if (latency->why && !is_endless(latency))
            tell(t, latency, "is unknown");
        if (!latency->why || strncmp(latency->why, "the backlog grows", 17) != 0 || t->seed % 8 != 2) /* which takes its time */
            continue;
        for (; b.mask >> weir_pipeline_operator_count(t->pipeline) == 0 && !grown; b.mask++)
            grown = grows(t, &latency->chain, &b);
        t->tally->growing++;
        t->tally->grown += grown;
        tell(t, latency, grown ? "grows" : "is not seen to grow");
    }
}

static bool try_cut(struct trial *t)
{
    struct weir_async_analysis *analysis = NULL;
    if (weir_async_analyze(t->pipeline, &(struct weir_async_options){.verify = true}, &analysis, &t->error))
        return complain(t, "no analysis", 0, 0);
    for (size_t i = 0; i < analysis->latency_count; i++) {
        t->tally->safe += analysis->latencies[i].outcome == WEIR_ASYNC_SAFE;
        t->tally->unknown += analysis->latencies[i].outcome == WEIR_ASYNC_UNKNOWN;
    }
    struct weir_pipeline *joined = join_plain(t, analysis);
    bool good = joined || complain(t, "a pipeline cannot be sealed without limits", 0, 0);
    for (uint64_t run = 0; run < 2 * RUNS && good; run++)
        good = run_cut(t, analysis, joined, run);
    count_kinds(t, analysis);
    if (good)
        count_growing(t, analysis);
    weir_pipeline_free(joined);
    weir_async_analysis_free(analysis);
    return good;
}

/* ---- operators that share threads ---- */

/* The simulation holds what it sees against the bounds by itself. */
static bool try_shared(struct trial *t, struct weir_random *random)
{
    struct weir_pipeline *shared = weir_random_shared(t->pipeline, random), *whole = t->pipeline;
    struct weir_simulate_options options = {.seed = t->seed, .runs = 8, .iterations = ROUNDS};
    struct weir_answer *answer;
    if (!shared)
        return true;
    enum weir_status status = weir_answer_simulate(shared, &options, &answer, &t->error);
    t->tally->shared += status == WEIR_OK;
    t->tally->not_shared += status != WEIR_OK;
    t->pipeline = shared;
    bool good = status != WEIR_INTERNAL || complain(t, "threads are shared, and a run exceeds a bound", 0, 0);
    t->pipeline = whole;
    weir_answer_free(status ? NULL : answer);
    weir_pipeline_free(shared);
    return good;
}

/* ---- an operator that is a plan ---- */

static bool run_composed(struct trial *t, const struct weir_gpu_plan *plan)
{
    struct weir_analysis *analysis = NULL;
    if (weir_analyze(t->pipeline, &(struct weir_analyze_options){.verify = true}, &analysis, &t->error))
        return complain(t, "no analysis", 0, 0);
    bool good = true;
    for (uint64_t run = 0; run < 6 && good; run++) {
        static const enum weir_times modes[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG};
        struct planned c = {.pipeline = t->pipeline, .plan = plan, .seed = t->seed * 100 + run, .times = modes[run % 3]};
        struct watch_run how = {.iterations = 12, .times = WEIR_TIMES_GIVEN, .given = planned_time, .context = &c};
        if (watch_simulate(&watch, t->pipeline, &how, &t->error) || c.failed)
            good = complain(t, "the simulation fails", 0, 0);
        t->tally->runs++;
        for (size_t i = 0; i < analysis->latency_count && good; i++)
            good = check_run(t, &analysis->latencies[i]);
    }
    t->tally->composed++;
    weir_analysis_free(analysis);
    return good;
}

static bool try_composed(struct trial *t, struct weir_random *random)
{
    struct weir_pipeline *graph = weir_random_kernels(random, false);
    struct weir_gpu_plan *plan = NULL;
    bool good = graph && !weir_gpu_analyze(graph, &(struct weir_gpu_options){.verify = true}, &plan, &t->error);
    t->pipeline = good ? planned_read(graph, random, &t->error) : NULL;
    if (!t->pipeline) {
        printf("pipeline of seed %" PRIu64 ": no plan, or it cannot be read: %s\n", t->seed, t->error.message);
        good = false;
    }
    good = good && run_composed(t, plan);
    weir_gpu_plan_free(plan);
    weir_pipeline_free(graph);
    return good;
}

/* ---- all of it ---- */

static struct weir_pipeline *draw(struct weir_random *random, uint64_t seed, struct weir_error *why)
{
    return weir_random_is_overlay(seed) ? weir_random_overlay(random, why) : weir_random_semantics(random, seed / 2 % 2, why);
}

static bool try_seed(uint64_t seed, void *into)
{
    struct tally *tally = into;
    struct weir_random random;
    weir_random_seed(&random, seed);
    struct trial t = {.seed = seed, .tally = tally};
    bool good;
    tally->pipelines++;
    if (seed % 16 == 15) {
        good = try_composed(&t, &random);
    } else {
        t.pipeline = draw(&random, seed, &t.error);
        tally->refused += !t.pipeline;
        t.error.message[0] = 0;
        good = !t.pipeline || ((seed / 2 % 2 ? try_cut(&t) : try_exact(&t)) && try_shared(&t, &random));
    }
    weir_pipeline_free(t.pipeline);
    return good;
}

static struct weir_pipeline *pipeline_of(uint64_t seed)
{
    struct weir_random random;
    struct weir_error error;
    weir_random_seed(&random, seed);
    struct weir_pipeline *pipeline = draw(&random, seed, &error);
    if (!pipeline)
        printf("%s\n", error.message);
    return pipeline;
}

static void print(const void *tally)
{
    const struct tally *sum = tally;
    printf("%" PRIu64 " pipelines (%" PRIu64 " without a meaning), %" PRIu64 " runs (%" PRIu64 " stand still)\n", sum->pipelines,
           sum->refused, sum->runs, sum->standstills);
    printf("exact: %" PRIu64 " latencies, %" PRIu64 " times seen in a run, %" PRIu64 " equal to exhaustive search, %" PRIu64
           " unbounded; with batches %" PRIu64 ", launches %" PRIu64 ", transfers %" PRIu64 ", catching up %" PRIu64 "\n",
           sum->exact, sum->reached, sum->exhaustive, sum->unbounded, sum->batches, sum->launches, sum->transfers, sum->clocks);
    printf("cut: %" PRIu64 " bounds (%" PRIu64 " times seen in a run), %" PRIu64 " unknown; runs with losses %" PRIu64
           ", with faults %" PRIu64 ", of queues that lose nothing %" PRIu64 "\n",
           sum->safe, sum->touched, sum->unknown, sum->losses, sum->faults, sum->quiet);
    printf("composed with a plan for a GPU: %" PRIu64 "; on shared threads: %" PRIu64 ", not answered %" PRIu64
           "; backlogs that grow: %" PRIu64 ", of which %" PRIu64 " were seen to\n",
           sum->composed, sum->shared, sum->not_shared, sum->growing, sum->grown);
    for (int k = 0; k < KINDS; k++) {
        const struct accuracy *a = &sum->kinds[k];
        uint64_t all = a->bounds + a->unknown;
        printf("%s: %" PRIu64 " latencies, %.1f %% unknown, %" PRIu64 " more without a bound; seen / bound %.2f on average\n",
               kind_names[k], all, all ? 100.0 * (double)a->unknown / (double)all : 0.0, a->endless,
               a->seen ? (double)a->permille / 1000.0 / (double)a->seen : 0.0);
    }
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *s = tally;
    return s->pipelines == count && s->refused * 3 < s->pipelines && s->exhaustive * 20 > s->exact && s->reached && s->unbounded &&
           s->batches && s->launches && s->transfers && s->clocks && s->safe * 2 > s->unknown && s->touched && s->losses &&
           s->faults && s->quiet && s->composed && s->shared * 5 > s->pipelines && s->grown * 2 > s->growing;
}

const struct campaign campaign = {
    try_seed, print, saw_enough, sizeof(struct tally), .print_always = true, .pipeline_of = pipeline_of};
