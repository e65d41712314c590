/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a latency is above the bound. From the end of the late execution the path leads back: what was last to let it start, what was
 * last to let that start, until the latency begins. On this way all time is either that of executions, or passes between the moment
 * an execution could start and the moment it did. What the analysis does not know of is counted: CPU time above the worst case,
 * time that passed in an execution beyond both, and late starts.
 */
#include "measure/run/trial.h"

#define STEPS_MAX 1000000
#define EXCESSES_MAX 100000 /* of one chain that are looked at */

const char *weir_excess_cause_name(enum weir_excess_cause cause)
{
    static const char *const names[] = {"operator", "machine", "wake-up", "unknown"};
    return names[cause];
}

static void add_share(struct weir_excess_shares *shares, enum weir_excess_cause cause, uint32_t op, int64_t time)
{
    if (time <= 0)
        return;
    shares->time[cause] += time;
    if (time > shares->most[cause]) {
        shares->most[cause] = time;
        shares->op[cause] = op;
    }
}

/* An execution on the way, as far as it lies behind `begin`. */
static void add_execution(const struct weir_trial *trial, struct weir_operator op, const struct weir_run_record *r, int64_t begin,
                          struct weir_excess_shares *shares)
{
    int64_t worst = weir_run_ns(trial->run, weir_pipeline_operator(trial->pipeline, op).worst);
    int64_t wall = r->finish - r->start, beyond = wall - worst, behind = r->finish - begin;
    beyond = beyond > behind ? behind : beyond;
    if (beyond <= 0)
        return;
    if (trial->options.run.work == WEIR_RUN_SLEEP) { /* it had nothing to do but to wake up */
        add_share(shares, WEIR_EXCESS_WAKE_UP, op.index, beyond);
        return;
    }
    int64_t own = trial->options.run.work == WEIR_RUN_NOTHING ? 0 : r->cpu < 0 ? beyond : r->cpu - worst;
    own = own < 0 ? 0 : own > beyond ? beyond : own;
    add_share(shares, WEIR_EXCESS_OPERATOR, op.index, own);
    add_share(shares, WEIR_EXCESS_MACHINE, op.index, beyond - own);
}

/* The path back from the end of that execution. */
static void walk(const struct weir_trial *trial, struct weir_operator op, int64_t execution, int64_t begin,
                 struct weir_excess_shares *shares)
{
    bool whole = true; /* the end of the execution counts, and not only its start */
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        struct weir_run_record r = weir_run_record_at(trial->run, op, (size_t)execution);
        if (r.execution < 0)
            return;
        if (whole)
            add_execution(trial, op, &r, begin, shares);
        if (r.start <= begin)
            return;
        struct weir_run_cause cause = weir_run_cause_of(trial->run, op, execution);
        if (cause.moment == INT64_MIN) {
            shares->time[WEIR_EXCESS_UNKNOWN] = 1;
            return;
        }
        add_share(shares, WEIR_EXCESS_WAKE_UP, op.index, r.start - (cause.moment > begin ? cause.moment : begin));
        if (cause.moment <= begin || cause.execution < 0)
            return;
        whole = cause.wait == WEIR_WAIT_DATA || cause.wait == WEIR_WAIT_BUSY;
        op = cause.op;
        execution = cause.execution;
    }
}

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

static void explain_chain(struct weir_trial *trial, uint32_t index)
{
    struct weir_trial_latency *chain = &trial->latencies[index];
    struct weir_operator to = weir_pipeline_chain(trial->pipeline, index).to;
    size_t kept = weir_run_record_count(trial->run, to);
    chain->over = weir_run_chain(trial->run, index).over;
    for (size_t i = 0; i < kept && chain->looked_at < chain->over && chain->looked_at < EXCESSES_MAX; i++) {
        int64_t latency = weir_run_latency(trial->run, index, (int64_t)i);
        if (latency == INT64_MIN || latency <= chain->bound)
            continue;
        struct weir_excess_shares shares = {0};
        walk(trial, to, (int64_t)i, weir_run_record_at(trial->run, to, i).finish - latency, &shares);
        chain->looked_at++;
        chain->classified[largest(&shares)]++;
        if (latency > chain->worst) {
            chain->worst = latency;
            chain->worst_execution = (int64_t)i;
            chain->shares = shares;
        }
    }
}

void weir_trial_explain(struct weir_trial *trial)
{
    for (uint32_t i = 0; i < trial->latency_count; i++)
        if (trial->latencies[i].bounded)
            explain_chain(trial, i);
}
