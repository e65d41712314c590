/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random models of every platform and with every key, written in every format. What is read back (YAML, JSON, DOT, SDF3) has the
 * same answers: worst, best, gap and period, run by run where queues are read several messages at once; the automata of TChecker
 * and UPPAAL, visited state by state by interpreters that know the languages and not weir, reach the worst case and do not exceed
 * it. What a format cannot hold it refuses, and says why.
 *
 *     exports COUNT [SEED]       exit status 1 on the first contradiction of each process
 *     exports show SEED          the model of a seed as YAML
 */
#include "support/campaign.h"
#include "support/oracle/tck.h"
#include "support/oracle/xta.h"
#include "support/random/flow.h"
#include "support/random/kernels.h"
#include "support/random/pipeline.h"
#include "support/random/processors.h"
#include "support/random/semantics.h"
#include "support/same.h"

#include "model/firings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 20000, WORK = 3000000 };

struct tally {
    uint64_t models, written[WEIR_MODEL_FORMATS], refused[WEIR_MODEL_FORMATS];
    uint64_t batches, launches, transfers, ticks, overlaps; /* SDF3 files of models with these */
    uint64_t visited, visited_batches, visited_launches, visited_transfers, visited_ticks, visited_overlaps;
    uint64_t uppaal, uppaal_batches, uppaal_overlaps;
};

struct trial {
    uint64_t seed;
    struct weir_pipeline *pipeline;
    struct weir_solver *solver; /* NULL: not of the exact engine */
    struct weir_routes *routes;
    const char *text; /* what was written */
    struct tally *tally;
};

static bool complain(const struct trial *t, const char *what, const char *why)
{
    printf("model of seed %" PRIu64 ": %s: %s\n", t->seed, what, why);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    printf("%s", t->text ? t->text : "");
    return false;
}

/* ---- questions ---- */

static bool arrives(const struct weir_pipeline *p, struct weir_operator op)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++)
        if (weir_pipeline_source(p, i).op.index == op.index && weir_pipeline_source(p, i).arrivals == WEIR_ARRIVALS_EXACT)
            return true;
    return false;
}

static struct weir_query turned(const struct weir_query *query)
{
    struct weir_query back = *query;
    back.from = query->to;
    back.to = query->from;
    back.shift = -query->shift;
    return back;
}

/* The latency of what run k of chain->from sends. */
static struct weir_query query_of(const struct trial *t, const struct weir_chain_spec *chain, uint32_t k)
{
    const struct weir_pipeline *p = t->pipeline;
    struct weir_query query = {
        .from = {.op = chain->from, .moment = arrives(p, chain->from) ? WEIR_ARRIVAL : WEIR_START, .firing = k},
        .to = {.op = chain->to, .moment = WEIR_FINISH},
        .shift = chain->shift,
        .work_limit = WORK};
    if (t->routes) {
        int64_t execution = weir_routes_from(t->routes, chain->from, k)[chain->to.index];
        query.to.firing = (uint32_t)(execution % weir_pipeline_firings(p, chain->to));
        query.shift = execution / weir_pipeline_firings(p, chain->to);
    }
    return query;
}

/* The same question of two pipelines. Where a limit was reached in either, there is nothing to compare. */
static bool same(const struct trial *t, struct weir_solver *other, const struct weir_query *here, const struct weir_query *there,
                 const char *what)
{
    struct weir_separation a, b;
    struct weir_error error = {0};
    if (weir_separation_worst(t->solver, here, &a, &error) || weir_separation_worst(other, there, &b, &error))
        return complain(t, what, error.message);
    if (a.outcome == WEIR_BRACKET || b.outcome == WEIR_BRACKET || (a.outcome == b.outcome && (a.outcome || a.value == b.value)))
        return true;
    char why[128];
    snprintf(why, sizeof why, "outcome %d, %" PRId64 "; written outcome %d, %" PRId64, (int)a.outcome, a.value, (int)b.outcome,
             b.value);
    return complain(t, what, why);
}

static bool same_period(const struct trial *t, const struct weir_pipeline *again, struct weir_operator here,
                        struct weir_operator there)
{
    for (int worst = 0; worst < 2; worst++) {
        struct weir_ratio a, b;
        struct weir_error error = {0};
        int64_t runs = weir_pipeline_firings(t->pipeline, here), copies = weir_pipeline_firings(again, there);
        if (weir_throughput(t->pipeline, here, worst, &a, NULL, NULL, &error) ||
            weir_throughput(again, there, worst, &b, NULL, NULL, &error))
            return complain(t, "a period", error.message);
        if (a.numerator * runs * b.denominator != b.numerator * copies * a.denominator)
            return complain(t, "a period", "another");
    }
    return true;
}

/* ---- what is read back ---- */

static bool same_answers(const struct trial *t, struct weir_pipeline *again)
{
    struct weir_solver *solver = weir_solver_new(again, NULL);
    bool good = solver != NULL || complain(t, "read back", "no solver");
    for (uint32_t i = 0; i < weir_pipeline_chain_count(t->pipeline) && good; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, i);
        for (uint32_t k = 0; k < weir_pipeline_firings(t->pipeline, chain.from) && good; k++) {
            struct weir_query query = query_of(t, &chain, k), back = turned(&query);
            good = same(t, solver, &query, &query, "worst") && same(t, solver, &back, &back, "best");
        }
        for (uint32_t k = 0, runs = weir_pipeline_firings(t->pipeline, chain.to); k < runs && good; k++) {
            struct weir_query gap = {.from = {.op = chain.to, .moment = WEIR_FINISH, .firing = k},
                                     .to = {.op = chain.to, .moment = WEIR_FINISH, .firing = k + 1 < runs ? k + 1 : 0},
                                     .shift = k + 1 == runs,
                                     .work_limit = WORK};
            good = same(t, solver, &gap, &gap, "gap");
        }
        good = good && same_period(t, again, chain.to, chain.to);
    }
    weir_solver_free(solver);
    return good;
}

/* Run `k` of an operator of SDF3 that a latency names. */
static struct weir_operator copy_of(const struct weir_pipeline *again, struct weir_operator op, uint32_t k, uint32_t runs)
{
    char name[256];
    struct weir_operator found = op;
    snprintf(name, sizeof name, "%s", weir_pipeline_operator(again, op).name);
    if (runs == 1)
        return op;
    snprintf(strrchr(name, '#'), 16, "#%u", k + 1);
    weir_pipeline_find(again, name, &found);
    return found;
}

static bool same_runs(const struct trial *t, struct weir_pipeline *again)
{
    struct weir_solver *solver = weir_solver_new(again, NULL);
    uint32_t next = 0, chains = weir_pipeline_chain_count(again);
    bool good = solver != NULL || complain(t, "read back", "no solver");
    for (uint32_t i = 0; i < weir_pipeline_chain_count(t->pipeline) && good; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, i), copy = {0};
        uint32_t ends = weir_pipeline_firings(t->pipeline, chain.to);
        for (uint32_t k = 0; k < weir_pipeline_firings(t->pipeline, chain.from) && good; k++) {
            if (next == chains)
                return complain(t, "read back", "too few latencies");
            copy = weir_pipeline_chain(again, next++);
            struct weir_query here = query_of(t, &chain, k), there = {.from = {.op = copy.from, .moment = WEIR_START},
                                                                      .to = {.op = copy.to, .moment = WEIR_FINISH},
                                                                      .shift = copy.shift,
                                                                      .work_limit = WORK};
            struct weir_query back = turned(&here), there_back = turned(&there);
            good = same(t, solver, &here, &there, "worst") && same(t, solver, &back, &there_back, "best") &&
                   (copy.has_deadline == chain.has_deadline || complain(t, "read back", "another deadline"));
        }
        for (uint32_t k = 0; k < ends && good; k++) {
            uint32_t after = k + 1 < ends ? k + 1 : 0;
            struct weir_query here = {.from = {.op = chain.to, .moment = WEIR_FINISH, .firing = k},
                                      .to = {.op = chain.to, .moment = WEIR_FINISH, .firing = after},
                                      .shift = k + 1 == ends,
                                      .work_limit = WORK},
                              there = here;
            there.from = (struct weir_event){.op = copy_of(again, copy.to, k, ends), .moment = WEIR_FINISH};
            there.to = (struct weir_event){.op = copy_of(again, copy.to, after, ends), .moment = WEIR_FINISH};
            good = same(t, solver, &here, &there, "gap");
        }
        good = good && same_period(t, again, chain.to, copy.to);
    }
    weir_solver_free(solver);
    return good && (next == chains || complain(t, "read back", "too many latencies"));
}

static bool read_back(const struct trial *t, enum weir_model_format format)
{
    struct weir_pipeline *again = NULL;
    struct weir_errors *errors = weir_errors_new();
    bool good = weir_read_memory(t->text, strlen(t->text), "written", NULL, &again, errors) == WEIR_OK;
    if (!good)
        complain(t, weir_model_format_name(format), weir_errors_at(errors, 0)->message);
    const char *difference = NULL;
    if (good && (format == WEIR_MODEL_YAML || format == WEIR_MODEL_JSON))
        difference = find_difference(t->pipeline, again, format);
    good = good && (!difference || complain(t, weir_model_format_name(format), difference));
    if (good && t->solver)
        good = format == WEIR_MODEL_SDF3 ? same_runs(t, again) : same_answers(t, again);
    weir_pipeline_free(again);
    weir_errors_free(errors);
    return good;
}

/* ---- automata ---- */

static bool explore(struct trial *t, bool *finished)
{
    struct tck_answer answer;
    char why[320];
    tck_explore(t->text, STATES, &answer);
    *finished = answer.finished;
    if (!answer.complaint[0] && !answer.late && !answer.overflow && !answer.stuck &&
        (!answer.finished || answer.reached || !strstr(t->text, "Latency:reached")))
        return true;
    snprintf(why, sizeof why, "%s late %d reached %d overflow %d stuck %d, %zu states", answer.complaint, answer.late,
             answer.reached, answer.overflow, answer.stuck, answer.states);
    return complain(t, "TChecker", why);
}

/* The longest latency that UPPAAL's automata show is the worst case, which the file does not say. */
static bool explore_uppaal(struct trial *t, bool *finished)
{
    struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, 0);
    int64_t longest = -1;
    char why[320];
    for (uint32_t k = 0; k < weir_pipeline_firings(t->pipeline, chain.from); k++) {
        struct weir_query query = query_of(t, &chain, k);
        struct weir_separation worst;
        if (weir_separation_worst(t->solver, &query, &worst, NULL) || worst.outcome != WEIR_EXACT || worst.value > 60)
            return true;
        longest = worst.value > longest ? worst.value : longest;
    }
    struct xta_answer answer;
    xta_explore(t->text, (int)longest + 2, STATES / 3, &answer);
    *finished = answer.finished;
    if (!answer.complaint[0] && !answer.overflow && !answer.stuck &&
        (answer.finished ? answer.longest == longest : answer.longest <= longest))
        return true;
    snprintf(why, sizeof why, "%s longest %d, not %" PRId64 "; overflow %d stuck %d, %zu states", answer.complaint, answer.longest,
             longest, answer.overflow, answer.stuck, answer.states);
    return complain(t, "UPPAAL", why);
}

/* ---- one model ---- */

struct has {
    bool batches, launches, transfers, ticks, overlaps, late;
};

static struct has look(const struct weir_pipeline *p)
{
    struct has has = {0};
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        has.launches |= spec.launch != NULL;
        has.overlaps |= spec.reentrant;
        has.late |= spec.receive_max > 0;
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){i});
        has.batches |= spec.consume > 1;
        has.transfers |= spec.transfer_max > 0;
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++)
        has.ticks |= weir_pipeline_source(p, i).arrivals == WEIR_ARRIVALS_CATCH_UP;
    return has;
}

static bool check_written(struct trial *t, enum weir_model_format format, const struct has *has)
{
    struct tally *sum = t->tally;
    bool finished = false;
    if (format == WEIR_MODEL_DOT && has->late) /* which it leaves out, as a comment in it says */
        return strstr(t->text, "not in this file: when operators call receive()") != NULL || complain(t, "DOT", "says nothing");
    if (format <= WEIR_MODEL_SDF3 && !read_back(t, format))
        return false;
    if (format == WEIR_MODEL_SDF3) {
        sum->batches += has->batches, sum->launches += has->launches, sum->transfers += has->transfers;
        sum->ticks += has->ticks, sum->overlaps += has->overlaps;
    }
    if (format == WEIR_MODEL_XTA) {
        bool good = explore_uppaal(t, &finished);
        sum->uppaal += finished, sum->uppaal_batches += finished && has->batches;
        sum->uppaal_overlaps += finished && (has->overlaps || has->transfers);
        return good;
    }
    if (format != WEIR_MODEL_TCHECKER)
        return true;
    if (!explore(t, &finished))
        return false;
    sum->visited += finished;
    sum->visited_batches += finished && has->batches, sum->visited_launches += finished && has->launches;
    sum->visited_transfers += finished && has->transfers, sum->visited_ticks += finished && has->ticks;
    sum->visited_overlaps += finished && has->overlaps;
    return true;
}

static bool check_format(struct trial *t, enum weir_model_format format, const struct has *has)
{
    char *text = NULL;
    size_t bytes = 0;
    struct weir_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return false;
    enum weir_status status = weir_pipeline_write(t->pipeline, format, 0, out, &error);
    fclose(out);
    t->text = text;
    bool good;
    if (status)
        good = ((status == WEIR_INVALID || status == WEIR_OVERFLOW) && error.message[0] && !bytes &&
                (t->solver == NULL || format > WEIR_MODEL_JSON)) ||
               complain(t, weir_model_format_name(format), error.message);
    else
        good = check_written(t, format, has);
    t->tally->written[format] += !status;
    t->tally->refused[format] += status != WEIR_OK;
    t->text = NULL;
    free(text);
    return good;
}

static struct weir_pipeline *draw(uint64_t seed)
{
    struct weir_random random;
    struct weir_error why = {0};
    weir_random_seed(&random, seed);
    switch (seed % 16) {
    case 0:
    case 1:
    case 2:
        return weir_random_pipeline(&random, (enum weir_flavour)(seed / 16 % WEIR_FLAVOURS));
    case 3:
    case 4:
        return weir_random_semantics(&random, true, &why);
    case 5:
        return weir_random_processors(&random, 2);
    case 6:
        return weir_random_flow(&random);
    case 7:
        return weir_random_kernels(&random, seed % 32 == 7);
    case 8:
    case 9:
        return weir_random_semantics(&random, false, &why);
    default:
        return weir_random_small_semantics(&random, &why);
    }
}

static bool try_seed(uint64_t seed, void *into)
{
    struct trial t = {.seed = seed, .tally = into, .pipeline = draw(seed)};
    if (!t.pipeline) /* a deadlock, a stream whose order is open */
        return true;
    struct has has = look(t.pipeline);
    bool good = true, threads = weir_pipeline_platform(t.pipeline) == WEIR_PLATFORM_THREADS;
    t.solver = threads ? weir_solver_new(t.pipeline, NULL) : NULL;
    t.routes = threads && has.batches ? weir_routes_new(t.pipeline) : NULL;
    t.tally->models++;
    for (int format = 0; format < WEIR_MODEL_FORMATS && good; format++)
        good = check_format(&t, (enum weir_model_format)format, &has);
    weir_routes_free(t.routes);
    weir_solver_free(t.solver);
    weir_pipeline_free(t.pipeline);
    return good;
}

static void print(const void *tally)
{
    const struct tally *s = tally;
    printf("%" PRIu64 " models; written and refused:", s->models);
    for (int f = 0; f < WEIR_MODEL_FORMATS; f++)
        printf(" %s %" PRIu64 " %" PRIu64, weir_model_format_name((enum weir_model_format)f), s->written[f], s->refused[f]);
    printf("\nSDF3 with batches %" PRIu64 ", launches %" PRIu64 ", transfers %" PRIu64 ", ticks %" PRIu64 ", overlaps %" PRIu64,
           s->batches, s->launches, s->transfers, s->ticks, s->overlaps);
    printf("\nTChecker: all states of %" PRIu64 ", with batches %" PRIu64 ", launches %" PRIu64 ", transfers %" PRIu64
           ", ticks %" PRIu64 ", overlaps %" PRIu64 "\n",
           s->visited, s->visited_batches, s->visited_launches, s->visited_transfers, s->visited_ticks, s->visited_overlaps);
    printf("UPPAAL: all states of %" PRIu64 ", with batches %" PRIu64 ", overlaps %" PRIu64 "\n", s->uppaal, s->uppaal_batches,
           s->uppaal_overlaps);
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *s = tally;
    return s->models * 2 >= count && s->batches && s->launches && s->transfers && s->ticks && s->overlaps && s->visited_batches &&
           s->visited_launches && s->visited_transfers && s->visited_ticks && s->visited_overlaps && s->uppaal_batches &&
           s->uppaal_overlaps;
}

const struct campaign campaign = {try_seed, print, saw_enough, sizeof(struct tally), .print_always = true, .pipeline_of = draw};
