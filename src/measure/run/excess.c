/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a latency is above the bound. From the end of the late execution the path leads back: what was last to let it start, what was
 * last to let that start, and so on. On this way all time is either that of executions, or passes between the moment an execution
 * could start and the moment it did. What the analysis does not know of is counted.
 *
 * Where does the way end? What delayed the end of a message and its beginning alike did not make it late. So the path from its
 * beginning is followed back as well, and the way ends where the two meet, or where an execution waited for its period alone. It
 * does not end where the latency begins: what a backlog is due to lies before the messages that meet it.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/word.h"
#include "measure/run/trial.h"

#include <stdlib.h>

#define STEPS_MAX 4000000   /* of all ways together */
#define EXCESSES_MAX 100000 /* of one chain that are looked at */

const char *weir_excess_cause_name(enum weir_excess_cause cause)
{
    static const char *const names[] = {"operator", "blocked", "no-cpu", "quota", "stopped", "wake-up", "machine", "unknown"};
    return WEIR_WORD(names, cause);
}

/* ---- what is found on the way ---- */

static void add_share(struct weir_excess_shares *shares, const struct weir_incident *incident)
{
    if (incident->length <= 0)
        return;
    shares->time[incident->cause] += incident->length;
    if (incident->length > shares->most[incident->cause].length)
        shares->most[incident->cause] = *incident;
}

/* Time of an operator that it spent without a CPU, in [from, to]. */
struct missing {
    uint32_t op;
    int64_t execution, from, to, time;
    int64_t starved;             /* that it could have run; -1: not known */
    enum weir_excess_cause rest; /* what it is otherwise */
};

/* A standstill of all, then a CPU that was not free, then what is left. */
static void add_missing(struct weir_trial *trial, struct missing m, struct weir_excess_shares *shares)
{
    struct weir_incident incident = {.op = m.op, .execution = m.execution, .at = m.from, .length = m.time};
    int64_t starved = m.starved > m.time ? m.time : m.starved > 0 ? m.starved : 0;
    const struct weir_standstill *s = weir_standstill_find(trial, m.op, m.from, m.to, m.time - starved);
    if (s) {
        int64_t left = m.time - (s->to - s->from);
        struct weir_incident stop = {.cause = WEIR_EXCESS_STOPPED,
                                     .execution = s - trial->standstills,
                                     .at = s->from,
                                     .length = m.time - (left > 0 ? left : 0)};
        add_share(shares, &stop);
        incident.length = left > 0 ? left : 0;
        starved = starved > incident.length ? incident.length : starved;
    }
    int64_t left = incident.length - starved, held = weir_trial_throttled(trial, m.from, m.to, starved);
    incident.cause = WEIR_EXCESS_QUOTA;
    incident.length = held;
    add_share(shares, &incident);
    incident.cause = WEIR_EXCESS_NO_CPU;
    incident.length = starved - held;
    add_share(shares, &incident);
    incident.cause = m.rest;
    incident.length = left;
    add_share(shares, &incident);
}

static bool has_function(const struct weir_trial *trial, struct weir_operator op)
{
    struct weir_operator bound;
    for (size_t i = 0; i < trial->options.function_count; i++)
        if (weir_pipeline_find(trial->pipeline, trial->options.functions[i].name, &bound) && bound.index == op.index)
            return true;
    return false;
}

static void add_execution(struct weir_trial *trial, struct weir_operator op, const struct weir_run_record *r,
                          struct weir_excess_shares *shares)
{
    enum weir_run_work work = trial->options.run.work;
    int64_t worst = weir_run_ns(trial->run, weir_pipeline_operator(trial->pipeline, op).worst);
    int64_t beyond = r->finish - r->start - worst;
    if (beyond <= 0)
        return;
    bool function = has_function(trial, op);
    struct missing m = {op.index, r->execution, r->start, r->finish, beyond, r->starved, WEIR_EXCESS_MACHINE};
    int64_t own = r->cpu < 0 ? beyond : r->cpu - worst;
    if (function && r->starved >= 0 && r->sleeps > 0)
        m.rest = WEIR_EXCESS_BLOCKED;
    if (!function && work == WEIR_RUN_SLEEP) /* it had nothing to do but to wake up */
        m.rest = WEIR_EXCESS_WAKE_UP;
    if (!function && (work == WEIR_RUN_SLEEP || work == WEIR_RUN_NOTHING))
        own = 0;
    own = own < 0 ? 0 : own > beyond ? beyond : own;
    m.time = beyond - own;
    add_missing(trial, m, shares);
    /* The clock of a CPU may go on while a virtual machine stands still. */
    m.time = own;
    m.starved = 0;
    m.rest = WEIR_EXCESS_OPERATOR;
    add_missing(trial, m, shares);
}

/* ---- the way back ---- */

struct place {
    struct weir_operator op;
    int64_t execution;
    bool whole; /* the end of the execution counts, and not only its start */
    bool over;
};

/* To what let its execution start. */
static void go_back(struct place *at, const struct weir_run_cause *cause)
{
    at->over = cause->moment == INT64_MIN || cause->execution < 0;
    at->whole = cause->wait == WEIR_WAIT_DATA || cause->wait == WEIR_WAIT_BUSY;
    at->op = cause->op;
    at->execution = cause->execution;
}

/* Whether the way from the beginning of the message leads through the start of that execution as well. */
static bool meets(const struct weir_trial *trial, struct place *begin, const struct place *at, int64_t start, int64_t *steps)
{
    while (!begin->over && ++*steps < STEPS_MAX) {
        struct weir_run_record r = weir_run_record_at(trial->run, begin->op, (size_t)begin->execution);
        if (r.execution < 0)
            return false;
        if (r.start <= start)
            return begin->op.index == at->op.index && begin->execution == at->execution;
        struct weir_run_cause cause = weir_run_cause_of(trial->run, begin->op, begin->execution);
        go_back(begin, &cause);
    }
    return false;
}

static void walk(struct weir_trial *trial, struct place at, struct place begin, int64_t *steps, struct weir_excess_shares *shares)
{
    at.whole = true;
    while (!at.over && ++*steps < STEPS_MAX) {
        struct weir_run_record r = weir_run_record_at(trial->run, at.op, (size_t)at.execution);
        if (r.execution < 0)
            break;
        if (at.whole)
            add_execution(trial, at.op, &r, shares);
        if (meets(trial, &begin, &at, r.start, steps))
            return;
        struct weir_run_cause cause = weir_run_cause_of(trial->run, at.op, at.execution);
        if (cause.moment == INT64_MIN)
            break;
        struct missing m = {at.op.index,      at.execution,       cause.moment, r.start, r.start - cause.moment,
                            r.starved_before, WEIR_EXCESS_WAKE_UP};
        add_missing(trial, m, shares);
        go_back(&at, &cause);
        if (at.over)
            return;
    }
    shares->time[WEIR_EXCESS_UNKNOWN] = 1;
}

/* ---- all of them ---- */

static enum weir_excess_cause largest(const struct weir_excess_shares *shares)
{
    enum weir_excess_cause cause = WEIR_EXCESS_UNKNOWN;
    int64_t most = 0;
    for (int i = WEIR_EXCESS_OPERATOR; i < WEIR_EXCESS_UNKNOWN; i++)
        if (shares->time[i] > most) {
            most = shares->time[i];
            cause = (enum weir_excess_cause)i;
        }
    return cause;
}

/* Where the message began; over where it came from outside, at a moment that nothing here can move. */
static struct place begin_of(const struct weir_trial *trial, uint32_t chain, int64_t begin)
{
    struct place at = {.op = weir_pipeline_chain(trial->pipeline, chain).from};
    size_t low = 0, high = weir_run_record_count(trial->run, at.op);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (weir_run_record_at(trial->run, at.op, middle).arrival >= begin)
            high = middle;
        else
            low = middle + 1;
    }
    struct weir_run_record r = weir_run_record_at(trial->run, at.op, low);
    at.execution = r.execution;
    at.over = r.execution < 0 || r.arrival != r.start;
    return at;
}

static bool keep_victim(struct weir_trial *trial, const struct weir_incident *incident)
{
    if (trial->incident_count == trial->incident_room) {
        size_t room = trial->incident_room ? 2 * trial->incident_room : 64;
        struct weir_incident *grown = weir_resize(trial->incidents, room * sizeof *grown);
        if (!grown)
            return false;
        trial->incidents = grown;
        trial->incident_room = room;
    }
    trial->incidents[trial->incident_count++] = *incident;
    return true;
}

static bool explain_one(struct weir_trial *trial, uint32_t index, int64_t execution, int64_t latency, int64_t *steps)
{
    struct weir_trial_latency *chain = &trial->latencies[index];
    struct weir_operator to = weir_pipeline_chain(trial->pipeline, index).to;
    struct weir_excess_shares shares = {0};
    struct weir_run_record last = weir_run_record_at(trial->run, to, (size_t)execution);
    walk(trial, (struct place){.op = to, .execution = execution}, begin_of(trial, index, last.finish - latency), steps, &shares);
    enum weir_excess_cause cause = largest(&shares);
    struct weir_incident incident = shares.most[cause];
    chain->looked_at++;
    chain->classified[cause]++;
    trial->blind = trial->blind || last.starved < 0;
    if (latency > chain->worst) {
        chain->worst = latency;
        chain->worst_execution = execution;
        chain->shares = shares;
    }
    incident.chain = index;
    incident.victims = 1;
    return cause == WEIR_EXCESS_UNKNOWN || keep_victim(trial, &incident);
}

static enum weir_status explain_chain(struct weir_trial *trial, uint32_t index, int64_t *steps, struct weir_error *error)
{
    struct weir_trial_latency *chain = &trial->latencies[index];
    struct weir_operator to = weir_pipeline_chain(trial->pipeline, index).to;
    size_t kept = weir_run_record_count(trial->run, to);
    int64_t limit = chain->bound + weir_run_result(trial->run).tolerance_ns;
    chain->over = weir_run_chain(trial->run, index).over;
    for (size_t i = 0; i < kept && chain->looked_at < chain->over && chain->looked_at < EXCESSES_MAX && *steps < STEPS_MAX; i++) {
        int64_t latency = weir_run_latency(trial->run, index, (int64_t)i);
        if (latency != INT64_MIN && latency > limit && !explain_one(trial, index, (int64_t)i, latency, steps))
            return weir_fail_memory(error);
    }
    return WEIR_OK;
}

static int by_identity(const void *left, const void *right)
{
    const struct weir_incident *a = left, *b = right;
    if (a->chain != b->chain)
        return a->chain < b->chain ? -1 : 1;
    if (a->cause != b->cause)
        return a->cause < b->cause ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return (a->execution > b->execution) - (a->execution < b->execution);
}

static int by_victims(const void *left, const void *right)
{
    const struct weir_incident *a = left, *b = right;
    if (a->victims != b->victims)
        return a->victims > b->victims ? -1 : 1;
    return a->at != b->at ? (a->at < b->at ? -1 : 1) : by_identity(left, right);
}

/* One row for each, with all its victims. */
static void merge_incidents(struct weir_trial *trial)
{
    size_t count = 0;
    if (trial->incident_count == 0)
        return;
    qsort(trial->incidents, trial->incident_count, sizeof *trial->incidents, by_identity);
    for (size_t i = 0; i < trial->incident_count; i++) {
        struct weir_incident *one = &trial->incidents[i], *last = count ? &trial->incidents[count - 1] : NULL;
        if (last && by_identity(last, one) == 0) {
            last->victims += one->victims;
            last->length = one->length > last->length ? one->length : last->length;
        } else {
            trial->incidents[count++] = *one;
        }
    }
    trial->incident_count = count;
    qsort(trial->incidents, count, sizeof *trial->incidents, by_victims);
}

enum weir_status weir_trial_explain(struct weir_trial *trial, struct weir_error *error)
{
    int64_t steps = 0;
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < trial->latency_count && !status; i++)
        if (trial->latencies[i].bounded)
            status = explain_chain(trial, i, &steps, error);
    merge_incidents(trial);
    return status || !trial->out_of_memory ? status : weir_fail_memory(error);
}
