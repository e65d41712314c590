/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random applications of Holoscan, with everything that the SDK has: ports that are fanned out, the greedy scheduler and those with
 * worker threads, periodic conditions that begin at any time, sources that stop for a while, connections without conditions and
 * with policies for a full queue, asynchronous buffers. Each is written as a model file, answered as `weir analyze` does, and
 * played by the rules of the SDK (support/oracle/sdk.h), which knows nothing of weir, and some by weir's simulator, too. No run is
 * later than the worst or earlier than the best case.
 *
 *     holoscan COUNT [SEED]      what was seen, by kind; exit status 1 on a contradiction
 *     holoscan show SEED         one model
 */
#include "holoscan_model.h"
#include "support/campaign.h"

#include "answer/answer.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 8, EXECUTIONS = 24, TEXT = 4096 };

enum kind {
    THREADS,
    GREEDY,
    GREEDY_PERIODS,
    EVENT_BASED,
    MULTI_THREAD,
    LANES,
    FANNED_OUT,
    LATEST,
    MISSING,
    OPTIONAL,
    FULL,
    BATCHES,
    SHARED,
    SKIP,
    PHASES,
    STALLS,
    ALL,
    KINDS
};
static const char *const kind_names[KINDS] = {
    "a thread for each", "greedy", "... with periods", "event-based", "multi-thread", "lanes",  "fan-out", "latest", "missing",
    "optional",          "full",   "batches",          "one input",   "skip",         "phases", "stalls",  "all"};

struct accuracy {
    uint64_t models, refused;
    uint64_t exact, safe, endless, unknown; /* latencies */
    uint64_t seen, permille;                /* bounds of which something was seen, and how much of them, in all */
    uint64_t asked, verified;               /* bounds whose check was asked for, and holds */
};

struct tally {
    uint64_t models, runs, faults, standstills;
    uint64_t simulated;          /* models, by weir's own simulator */
    uint64_t starts[3], late;    /* starts: never later than they may be, not decided, can be; of these, seen */
    uint64_t missing[3], missed; /* starts before there is a message to read again: never, not decided, can be; of these, seen */
    uint64_t ages[3];            /* of messages that are read again: never older than they may be, not decided, can be */
    struct accuracy kinds[KINDS];
};

struct trial {
    struct weir_random random;
    struct sdk_app app;
    int begins; /* operators that begin by themselves */
    bool kinds[KINDS];
    bool verify; /* one in four is asked to be checked */
    char text[TEXT];
    struct weir_answer *answer;
    struct sdk_seen seen;
};

/* Whether sources may start later than they could: one that all begins with, unless the answer says that it holds if none stops. */
static bool stalls(const struct trial *t)
{
    return t->kinds[STALLS] && !strstr(t->answer->assumes, "no source stops");
}

/* Whether the answer is about workers that take what is ready in order. */
static bool in_order(const struct trial *t)
{
    return strstr(t->answer->assumes, "in the order in which they became ready");
}

static int64_t pick(struct trial *t, int64_t low, int64_t high)
{
    return weir_random_between(&t->random, low, high);
}

static bool chance(struct trial *t, int percent)
{
    return pick(t, 1, 100) <= percent;
}

/* ---- drawing ---- */

static void draw_conditions(struct trial *t, struct sdk_port *port)
{
    port->capacity = (int)pick(t, 1, 3);
    port->batch = 1;
    if (port->targets > 1 || !chance(t, 45))
        return;
    switch (pick(t, 0, 4)) {
    case 0:
    case 1:
        port->async = true;
        port->within = chance(t, 10) ? 0 : pick(t, 1, 60);
        break;
    case 2:
        port->input_none = true;
        break;
    case 3:
        port->input_none = true; /* fall through */
    default:
        port->output_none = true;
        port->policy = (enum sdk_policy)pick(t, SDK_POP, SDK_FAULT);
        break;
    }
}

/* Inputs that wait for several messages at once. */
static void draw_batches(struct trial *t)
{
    for (int i = 0; i < t->app.port_count; i++) {
        struct sdk_port *port = &t->app.ports[i];
        if (port->targets > 1 || port->async || port->input_none || port->output_none || port->shared || !chance(t, 50))
            continue;
        port->batch = (int)pick(t, 2, 3);
        port->capacity = port->batch + (chance(t, 50) ? 0 : (int)pick(t, 0, 2));
    }
}

static void add_port(struct trial *t, int from, int to)
{
    struct sdk_app *app = &t->app;
    struct sdk_port *port = &app->ports[app->port_count++];
    *port = (struct sdk_port){.from = from, .to = {to}, .targets = 1};
    while (chance(t, 25) && port->targets < SDK_TARGETS) {
        int other = (int)pick(t, from + 1, app->operator_count - 1);
        bool known = false;
        for (int k = 0; k < port->targets; k++)
            known |= port->to[k] == other;
        if (!known)
            port->to[port->targets++] = other;
    }
    draw_conditions(t, port);
}

/* Outputs that lead to one input: the last port joins the one before it. */
static bool share(struct trial *t)
{
    struct sdk_port *second = &t->app.ports[t->app.port_count - 1], *first = second - 1;
    if (t->app.port_count < 2 || first->to[0] != second->to[0] || first->targets > 1 || second->targets > 1 || first->async ||
        second->async || !chance(t, 40))
        return false;
    for (const struct sdk_port *port = t->app.ports; port < second; port++)
        if (port->from == second->from && port->to[0] == second->to[0] && (port->shared || port == first))
            return false;
    if (!first->shared)
        first->policy = (enum sdk_policy)pick(t, SDK_POP, SDK_FAULT);
    first->shared = second->shared = true;
    first->input_none = second->input_none = false;
    second->shares = first->shares ? first->shares : 1 + (int)(first - t->app.ports);
    second->capacity = first->capacity;
    second->policy = first->policy;
    return true;
}

static void draw_sources(struct trial *t)
{
    struct sdk_app *app = &t->app;
    for (int o = 0; o < app->operator_count; o++) {
        struct sdk_operator *op = &app->operators[o];
        bool begins = sdk_begins(app, o);
        t->begins += begins;
        if (!chance(t, begins ? 65 : 10))
            continue;
        op->ticks = begins ? (enum sdk_ticks)pick(t, SDK_AT_LEAST, SDK_SKIP) : SDK_AT_LEAST;
        op->period = pick(t, 1, 40);
    }
}

/* What happens where a message to read again is missing; an operator that skips waits for something else. */
static void draw_missing(struct trial *t)
{
    for (int i = 0; i < t->app.port_count; i++) {
        struct sdk_port *port = &t->app.ports[i];
        bool waits = !sdk_begins(&t->app, port->to[0]) || t->app.operators[port->to[0]].ticks != SDK_NO_TICKS;
        if (port->async && chance(t, 20))
            port->missing = waits && chance(t, 70) ? SDK_SKIP_ACTIVATION : SDK_FAIL;
    }
}

static void draw_starts(struct trial *t)
{
    for (int o = 0; o < t->app.operator_count; o++)
        t->app.operators[o].start_within = chance(t, 40) ? pick(t, 0, chance(t, 50) ? 4 : 40) : -1;
}

static void draw_lanes(struct trial *t)
{
    int lanes = (int)pick(t, 1, 2), percent = (int)pick(t, 40, 100);
    for (int o = 0; o < t->app.operator_count; o++)
        t->app.operators[o].lane = chance(t, percent) ? (int)pick(t, 1, lanes) : 0;
}

static void find_kinds(struct trial *t)
{
    const struct sdk_app *app = &t->app;
    for (int o = 0; o < app->operator_count; o++)
        for (int other = 0; other < o; other++)
            t->kinds[LANES] |= app->operators[o].lane && app->operators[o].lane == app->operators[other].lane;
    t->kinds[t->kinds[LANES]                     ? LANES
             : app->scheduler == SDK_THREADS     ? THREADS
             : app->scheduler == SDK_GREEDY      ? GREEDY
             : app->scheduler == SDK_EVENT_BASED ? EVENT_BASED
                                                 : MULTI_THREAD] = true;
    for (int i = 0; i < app->port_count; i++) {
        t->kinds[FANNED_OUT] |= app->ports[i].targets > 1;
        t->kinds[LATEST] |= app->ports[i].async;
        t->kinds[MISSING] |= app->ports[i].missing != SDK_REUSE;
        t->kinds[OPTIONAL] |= app->ports[i].input_none;
        t->kinds[FULL] |= app->ports[i].output_none;
        t->kinds[BATCHES] |= app->ports[i].batch > 1;
        t->kinds[SHARED] |= app->ports[i].shared;
    }
    for (int o = 0; o < app->operator_count; o++) {
        t->kinds[SKIP] |= app->operators[o].ticks == SDK_SKIP;
        t->kinds[GREEDY_PERIODS] |= app->operators[o].ticks != SDK_NO_TICKS && t->kinds[GREEDY];
        t->kinds[PHASES] |= app->operators[o].ticks != SDK_NO_TICKS && t->begins > 1;
        t->kinds[STALLS] |= app->operators[o].ticks <= SDK_AT_LEAST && t->begins == 1 && sdk_begins(app, o);
    }
    t->kinds[ALL] = true;
}

static void draw(struct trial *t)
{
    struct sdk_app *app = &t->app;
    app->operator_count = (int)pick(t, 2, SDK_OPERATORS);
    for (int o = 0; o < app->operator_count; o++) {
        struct sdk_operator *op = &app->operators[o];
        op->worst = pick(t, 1, 20);
        op->best = chance(t, 30) ? op->worst : pick(t, 0, op->worst);
        if (o > 0) /* what nothing joins has nothing to do with the rest */
            add_port(t, (int)pick(t, 0, o - 1), o);
        if (o > 1 && chance(t, 30))
            add_port(t, (int)pick(t, 0, o - 2), o);
        while (app->port_count + 2 * (app->operator_count - o) < SDK_PORTS && share(t) && chance(t, 30))
            add_port(t, (int)pick(t, 0, o - 1), o);
    }
    if (chance(t, 12))
        draw_batches(t);
    draw_sources(t);
    draw_missing(t);
    app->scheduler = chance(t, 40) ? SDK_THREADS : (enum sdk_scheduler)pick(t, SDK_GREEDY, SDK_MULTI_THREAD);
    app->workers = (int)pick(t, 1, app->operator_count + 2);
    app->polling = pick(t, 0, 5);
    if (app->scheduler != SDK_GREEDY && chance(t, 40))
        draw_lanes(t);
    draw_starts(t);
    find_kinds(t);
}

/* ---- the model ---- */

static struct weir_pipeline *read_model(const struct trial *t, bool show)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    if (weir_read_memory(t->text, strlen(t->text), "application", NULL, &pipeline, errors) && show)
        printf("%s\n", weir_errors_at(errors, 0)->message);
    weir_errors_free(errors);
    return pipeline;
}

/* ---- answers against runs ---- */

static bool holds(const struct weir_quantity *quantity)
{
    return quantity->claim == WEIR_CLAIM_EXACT || quantity->claim == WEIR_CLAIM_SAFE;
}

static bool complain(const struct trial *t, uint64_t seed, const char *what, const struct weir_bound *bound)
{
    int from = (int)bound->chain.from.index, to = (int)bound->chain.to.index;
    printf("application of seed %" PRIu64 ", o%d -> o%d: %s: seen %" PRId64 " to %" PRId64 ", said %" PRId64 " to %" PRId64 "\n%s",
           seed, from, to, what, t->seen.shortest[from][to], t->seen.longest[from][to], bound->best.low.numerator,
           bound->worst.high.numerator, t->text);
    return false;
}

/* Operators come first in a pipeline, and broadcasts after them. */
static bool is_known(const struct trial *t, const struct weir_bound *bound)
{
    return (int)bound->chain.from.index < t->app.operator_count && (int)bound->chain.to.index < t->app.operator_count;
}

static bool check_bound(struct trial *t, uint64_t seed, const struct weir_bound *bound)
{
    uint32_t from = bound->chain.from.index, to = bound->chain.to.index;
    if (!is_known(t, bound) || !holds(&bound->worst))
        return true;
    if (t->seen.still)
        return complain(t, seed, "all stands still, but there is a bound", bound);
    if (!t->seen.any[from][to])
        return true;
    if (t->seen.longest[from][to] * bound->worst.high.denominator > bound->worst.high.numerator)
        return complain(t, seed, "a run exceeds the bound", bound);
    if (holds(&bound->best) && t->seen.shortest[from][to] * bound->best.low.denominator < bound->best.low.numerator)
        return complain(t, seed, "a run is below the best case", bound);
    return true;
}

/* What is said never to be older than allowed was not, and nothing was older than is said. */
static bool check_ages(const struct trial *t, uint64_t seed, struct tally *tally)
{
    for (size_t i = 0; i < weir_answer_table_count(t->answer); i++) {
        const struct weir_table *table = weir_answer_table(t->answer, i);
        for (size_t r = 0; strcmp(table->key, "ages") == 0 && r < table->row_count; r++) {
            const struct weir_datum *row = table->cells + r * table->column_count;
            for (int k = 0; k < t->app.port_count; k++) {
                const struct sdk_port *port = &t->app.ports[k];
                char from[8], to[8];
                snprintf(from, sizeof from, "o%d", port->from);
                snprintf(to, sizeof to, "o%d", port->to[0]);
                if (!port->async || strcmp(row[0].is.text, from) != 0 || strcmp(row[1].is.text, to) != 0 ||
                    row[2].is.ratio.numerator != port->within)
                    continue;
                bool never = strcmp(row[4].is.text, "no") == 0;
                tally->ages[never ? 0 : strcmp(row[4].is.text, "maybe") == 0 ? 1 : 2]++;
                if ((never && t->seen.read[k] > port->within) ||
                    (row[3].kind != WEIR_DATUM_ABSENT && t->seen.read[k] > row[3].is.ratio.numerator)) {
                    printf("application of seed %" PRIu64 ", o%d -> o%d: a message that is read is %" PRId64 " old\n%s", seed,
                           port->from, port->to[0], t->seen.read[k], t->text);
                    return false;
                }
            }
        }
    }
    return true;
}

/* What is said never to be missing was not. */
static bool check_missing(const struct trial *t, uint64_t seed, struct tally *tally)
{
    for (size_t i = 0; i < weir_answer_table_count(t->answer); i++) {
        const struct weir_table *table = weir_answer_table(t->answer, i);
        for (size_t r = 0; strcmp(table->key, "missing") == 0 && r < table->row_count; r++) {
            const struct weir_datum *row = table->cells + r * table->column_count;
            int from = atoi(row[0].is.text + 1), to = atoi(row[1].is.text + 1), twice = 0, which = 0;
            for (int k = 0; k < t->app.port_count; k++)
                if (t->app.ports[k].async && t->app.ports[k].from == from && t->app.ports[k].to[0] == to)
                    twice++, which = k;
            bool never = strcmp(row[4].is.text, "no") == 0, seen = t->seen.missed[which];
            if (twice != 1)
                continue;
            tally->missing[never ? 0 : strcmp(row[4].is.text, "maybe") == 0 ? 1 : 2]++;
            tally->missed += strcmp(row[4].is.text, "yes") == 0 && seen;
            if (never && seen) {
                printf("application of seed %" PRIu64 ", o%d -> o%d: a message is missing\n%s", seed, from, to, t->text);
                return false;
            }
        }
    }
    return true;
}

/* What is said never to start later than it may did not, and nothing started later than claimed. */
static bool check_starts(const struct trial *t, uint64_t seed, struct tally *tally)
{
    for (size_t i = 0; i < weir_answer_table_count(t->answer); i++) {
        const struct weir_table *table = weir_answer_table(t->answer, i);
        for (size_t r = 0; strcmp(table->key, "starts") == 0 && r < table->row_count; r++) {
            const struct weir_datum *row = table->cells + r * table->column_count;
            int op = atoi(row[0].is.text + 1);
            bool never = strcmp(row[3].is.text, "no") == 0;
            tally->starts[never ? 0 : strcmp(row[3].is.text, "maybe") == 0 ? 1 : 2]++;
            tally->late += strcmp(row[3].is.text, "yes") == 0 && t->seen.delay[op] > t->app.operators[op].start_within;
            if ((never && t->seen.delay[op] > t->app.operators[op].start_within) ||
                (row[2].kind != WEIR_DATUM_ABSENT && t->seen.delay[op] > row[2].is.ratio.numerator)) {
                printf("application of seed %" PRIu64 ", o%d starts %" PRId64 " late\n%s", seed, op, t->seen.delay[op], t->text);
                return false;
            }
        }
    }
    return true;
}

/* Where a full queue ends a run, the answer does not say of all of them that they never are. */
static bool check_fault(const struct trial *t, uint64_t seed)
{
    bool never = false;
    for (size_t i = 0; i < weir_answer_table_count(t->answer); i++) {
        const struct weir_table *table = weir_answer_table(t->answer, i);
        bool connections = strcmp(table->key, "connections") == 0;
        never |= connections;
        for (size_t r = 0; connections && r < table->row_count; r++)
            never &= strcmp(table->cells[r * table->column_count + 3].is.text, "no") == 0;
    }
    if (never)
        printf("application of seed %" PRIu64 ": a queue that is never full is full\n%s", seed, t->text);
    return !never;
}

static void count_bound(const struct trial *t, const struct weir_bound *bound, struct accuracy *a)
{
    uint32_t from = bound->chain.from.index, to = bound->chain.to.index;
    bool endless = bound->worst.claim == WEIR_CLAIM_UNBOUNDED ||
                   (bound->why && (strncmp(bound->why, "the backlog", 11) == 0 || strstr(bound->why, "age has no bound")));
    a->exact += bound->worst.claim == WEIR_CLAIM_EXACT;
    a->safe += bound->worst.claim == WEIR_CLAIM_SAFE;
    a->endless += !holds(&bound->worst) && endless;
    a->unknown += !holds(&bound->worst) && !endless;
    a->asked += t->verify && holds(&bound->worst);
    a->verified += t->verify && holds(&bound->worst) && bound->verified;
    if (!holds(&bound->worst) || !is_known(t, bound) || !t->seen.any[from][to] || bound->worst.high.numerator <= 0)
        return;
    a->seen++;
    a->permille += (uint64_t)(t->seen.longest[from][to] * bound->worst.high.denominator * 1000 / bound->worst.high.numerator);
}

static bool play(struct trial *t, uint64_t seed, struct tally *tally)
{
    bool good = true;
    for (int run = 0; run < RUNS && good; run++) {
        struct sdk_run how = {.seed = seed * RUNS + (uint64_t)run,
                              .mode = run % 4,
                              .phases = t->kinds[PHASES],
                              .stalls = stalls(t) && run % 2,
                              .in_order = in_order(t),
                              .favours = run % 3 == 1,
                              .rounds = run / 2 % 2,
                              .executions = run % 4 == 2 ? 3 * EXECUTIONS : EXECUTIONS};
        bool fault = t->seen.fault;
        sdk_play(&t->app, &how, &t->seen);
        tally->runs++;
        tally->faults += t->seen.fault && !fault;
        good = !t->seen.fault || check_fault(t, seed);
        t->seen.fault = false;
        for (size_t i = 0; i < weir_answer_bound_count(t->answer) && good; i++)
            good = check_bound(t, seed, weir_answer_bound(t->answer, i));
        tally->standstills += t->seen.still;
        t->seen.still = false;
    }
    return good;
}

/* weir's own simulator, which holds what it sees against the answer by itself. */
static bool simulate(const struct trial *t, const struct weir_pipeline *pipeline, uint64_t seed, struct tally *tally)
{
    struct weir_simulate_options options = {.seed = seed, .runs = 4, .iterations = EXECUTIONS};
    struct weir_answer *answer;
    struct weir_error error = {.status = WEIR_OK};
    enum weir_status status = weir_answer_simulate(pipeline, &options, &answer, &error);
    if (status == WEIR_INTERNAL) {
        printf("application of seed %" PRIu64 ", simulated: %s\n%s", seed, error.message, t->text);
        return false;
    }
    tally->simulated += status == WEIR_OK;
    weir_answer_free(status ? NULL : answer);
    return true;
}

static void count_model(const struct trial *t, struct tally *tally, bool refused)
{
    for (int k = 0; k < KINDS; k++) {
        tally->kinds[k].models += t->kinds[k];
        tally->kinds[k].refused += t->kinds[k] && refused;
    }
}

static bool try_seed(uint64_t seed, void *into)
{
    static struct trial trial, *const t = &trial;
    struct tally *tally = into;
    struct weir_error error = {.status = WEIR_OK};
    *t = (struct trial){.verify = seed % 4 == 0};
    weir_random_seed(&t->random, seed);
    draw(t);
    holoscan_write(&t->app, t->text, sizeof t->text);
    tally->models++;
    struct weir_pipeline *pipeline = read_model(t, false);
    if (!pipeline && t->kinds[BATCHES]) /* of rates that do not fit each other */
        return true;
    struct weir_answer_options options = {.verify = t->verify, .work_limit = 2000000};
    if (!pipeline || weir_answer_find(pipeline, &options, &t->answer, &error)) {
        count_model(t, tally, true);
        weir_pipeline_free(pipeline);
        if (pipeline && error.status == WEIR_INVALID)
            return true;
        printf("application of seed %" PRIu64 ": %s\n%s", seed, error.message, t->text);
        return false;
    }
    bool good = play(t, seed, tally) && check_ages(t, seed, tally) && check_missing(t, seed, tally) &&
                check_starts(t, seed, tally) && (seed % 4 != 1 || simulate(t, pipeline, seed, tally));
    t->kinds[STALLS] = stalls(t);
    count_model(t, tally, false);
    for (size_t i = 0; i < weir_answer_bound_count(t->answer); i++)
        for (int k = 0; k < KINDS; k++)
            if (t->kinds[k])
                count_bound(t, weir_answer_bound(t->answer, i), &tally->kinds[k]);
    weir_answer_free(t->answer);
    weir_pipeline_free(pipeline);
    return good;
}

static int show(uint64_t seed)
{
    struct trial t = {.begins = 0};
    weir_random_seed(&t.random, seed);
    draw(&t);
    holoscan_write(&t.app, t.text, sizeof t.text);
    printf("%s", t.text);
    struct weir_pipeline *pipeline = read_model(&t, true);
    weir_pipeline_free(pipeline);
    return pipeline ? 0 : 1;
}

static void print(const void *sum)
{
    const struct tally *t = sum;
    printf("%" PRIu64 " models, %" PRIu64 " runs (%" PRIu64 " end with a fault, %" PRIu64 " stand still), %" PRIu64
           " models simulated; in per cent:\n",
           t->models, t->runs, t->faults, t->standstills, t->simulated);
    printf("ages of what is read again: %" PRIu64 " never too old, %" PRIu64 " not decided, %" PRIu64 " can be\n", t->ages[0],
           t->ages[1], t->ages[2]);
    printf("what is read again is missing in the beginning: %" PRIu64 " never, %" PRIu64 " not decided, %" PRIu64
           " can be, of which %" PRIu64 " were seen\n",
           t->missing[0], t->missing[1], t->missing[2], t->missed);
    printf("starts: %" PRIu64 " never too late, %" PRIu64 " not decided, %" PRIu64 " can be, of which %" PRIu64 " were seen\n",
           t->starts[0], t->starts[1], t->starts[2], t->late);
    printf("%-20s %8s %8s %10s %6s %6s %8s  %s %9s\n", "", "models", "refused", "latencies", "exact", "safe", "unknown",
           "seen / bound", "verified");
    for (int k = 0; k < KINDS; k++) {
        const struct accuracy *a = &t->kinds[k];
        uint64_t all = a->exact + a->safe + a->endless + a->unknown;
        double latencies = all ? (double)all / 100 : 1, models = a->models ? (double)a->models / 100 : 1;
        printf("%-20s %8" PRIu64 " %8.1f %10" PRIu64 " %6.1f %6.1f %8.1f  %-12.2f %9.1f\n", kind_names[k], a->models,
               (double)a->refused / models, all, (double)a->exact / latencies, (double)a->safe / latencies,
               (double)a->unknown / latencies, a->seen ? (double)a->permille / 1000.0 / (double)a->seen : 0.0,
               a->asked ? 100.0 * (double)a->verified / (double)a->asked : 0.0);
    }
}

static bool saw_enough(const void *sum, uint64_t count)
{
    const struct tally *t = sum;
    bool all = t->models == count && t->simulated * 5 > count;
    for (int k = 0; k < KINDS && count >= 1000; k++)
        all &= t->kinds[k].seen > 0 && t->kinds[k].verified * 100 >= t->kinds[k].asked * 95;
    return all;
}

const struct campaign campaign = {try_seed, print, saw_enough, sizeof(struct tally), .print_always = true, .show = show};
