/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a latency is above the bound. From the end of the late execution the way leads back: what was last to let it start, what was
 * last to let that start, until the latency begins. On this way all time is either that of executions, or passes between the moment
 * an execution could start and the moment it did. What the analysis does not know of is counted: CPU time above the worst case,
 * time that passed in an execution beyond both, and late starts.
 */
#include "run.h"

#define STEPS_MAX 1000000
#define EXCESSES_MAX 100000 /* of one pair that are looked at */

const char *weir_live_reason_name(enum weir_live_reason reason)
{
    static const char *const names[] = {"operator", "machine", "wake-up", "unknown"};
    return names[reason];
}

static void add_share(struct weir_live_shares *shares, enum weir_live_reason reason, uint32_t op, int64_t time)
{
    if (time <= 0)
        return;
    shares->time[reason] += time;
    if (time > shares->most[reason]) {
        shares->most[reason] = time;
        shares->op[reason] = op;
    }
}

/* An execution on the way, as far as it lies behind `begin`. */
static void add_execution(const struct weir_live *live, struct weir_operator op, const struct weir_run_record *r, int64_t begin,
                          struct weir_live_shares *shares)
{
    int64_t worst = weir_run_ns(live->run, weir_pipeline_operator(live->pipeline, op).worst);
    int64_t wall = r->finish - r->start, beyond = wall - worst, behind = r->finish - begin;
    beyond = beyond > behind ? behind : beyond;
    if (beyond <= 0)
        return;
    if (live->settings->work == WEIR_RUN_SLEEP) { /* it had nothing to do but to wake up */
        add_share(shares, WEIR_LIVE_WAKE_UP, op.index, beyond);
        return;
    }
    int64_t own = live->settings->work == WEIR_RUN_NOTHING ? 0 : r->cpu < 0 ? beyond : r->cpu - worst;
    own = own < 0 ? 0 : own > beyond ? beyond : own;
    add_share(shares, WEIR_LIVE_OPERATOR, op.index, own);
    add_share(shares, WEIR_LIVE_MACHINE, op.index, beyond - own);
}

/* The way back from the end of that execution. */
static void walk(const struct weir_live *live, struct weir_operator op, int64_t execution, int64_t begin,
                 struct weir_live_shares *shares)
{
    bool whole = true; /* the end of the execution counts, and not only its start */
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        struct weir_run_record r = weir_run_record_at(live->run, op, (size_t)execution);
        if (r.execution < 0)
            return;
        if (whole)
            add_execution(live, op, &r, begin, shares);
        if (r.start <= begin)
            return;
        struct weir_run_cause cause = weir_run_cause_of(live->run, op, execution);
        if (cause.moment == INT64_MIN) {
            shares->time[WEIR_LIVE_UNKNOWN] = 1;
            return;
        }
        add_share(shares, WEIR_LIVE_WAKE_UP, op.index, r.start - (cause.moment > begin ? cause.moment : begin));
        if (cause.moment <= begin || cause.execution < 0)
            return;
        whole = cause.wait == WEIR_WAIT_DATA || cause.wait == WEIR_WAIT_BUSY;
        op = cause.op;
        execution = cause.execution;
    }
}

static enum weir_live_reason largest(const struct weir_live_shares *shares)
{
    enum weir_live_reason reason = WEIR_LIVE_UNKNOWN;
    int64_t most = 0;
    for (int i = WEIR_LIVE_OPERATOR; i < WEIR_LIVE_UNKNOWN; i++)
        if (shares->time[i] > most) {
            most = shares->time[i];
            reason = (enum weir_live_reason)i;
        }
    return reason;
}

static void explain_pair(struct weir_live *live, uint32_t index)
{
    struct weir_live_pair *pair = &live->pairs[index];
    struct weir_operator to = weir_pipeline_pair(live->pipeline, index).to;
    size_t kept = weir_run_record_count(live->run, to);
    pair->over = weir_run_pair(live->run, index).over;
    for (size_t i = 0; i < kept && pair->looked_at < pair->over && pair->looked_at < EXCESSES_MAX; i++) {
        int64_t latency = weir_run_latency(live->run, index, (int64_t)i);
        if (latency == INT64_MIN || latency <= pair->bound)
            continue;
        struct weir_live_shares shares = {0};
        walk(live, to, (int64_t)i, weir_run_record_at(live->run, to, i).finish - latency, &shares);
        pair->looked_at++;
        pair->classified[largest(&shares)]++;
        if (latency > pair->worst) {
            pair->worst = latency;
            pair->worst_execution = (int64_t)i;
            pair->shares = shares;
        }
    }
}

void weir_live_explain(struct weir_live *live)
{
    for (uint32_t i = 0; i < live->pair_count; i++)
        if (live->pairs[i].bounded)
            explain_pair(live, i);
}

bool weir_live_late(const struct weir_live *live, const struct weir_run_pair_stats *seen)
{
    int64_t most = seen->count && seen->max > seen->pending_max ? seen->max : seen->pending_max;
    return seen->pair.has_deadline && live->comparable && most > weir_run_ns(live->run, seen->pair.deadline);
}
