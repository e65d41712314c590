/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth first through all snapshots. Only those at which the execution pauses are kept, because from one pause to the next there
 * is one way to go on.
 *
 * Why it ends: there are finitely many snapshots, and no history can raise the age of a message for ever. To come back to the same
 * snapshot with the same messages in flight, no operator may have begun an iteration in between, since queues are bounded and
 * everything hangs together; but time passes only while one runs to its end.
 */
#include "baseline/statespace.h"

enum { STATES_DEFAULT = 50000000, STATES_PER_LOOK = 4096 };

struct search {
    const struct weir_classic_chart *chart;
    int64_t more; /* how long an operator runs on before it is asked again; 0: its whole rest */
    struct weir_store store;
    struct weir_snapshot snapshot;
    int64_t longest;
    const char *stopped; /* the limit that was reached, or NULL */
};

/* From wherever the snapshot is to the next pause, and into the store. */
static enum weir_status go_on(struct search *s, struct weir_error *error)
{
    switch (weir_snapshot_run(s->chart, &s->snapshot)) {
    case WEIR_PAUSE_CHOICE:
    case WEIR_PAUSE_SOURCE:
        break;
    case WEIR_PAUSE_MEMORY:
        return weir_fail_memory(error);
    case WEIR_PAUSE_OVERFLOW:
        return weir_fail(error, WEIR_OVERFLOW, "an age in the state space does not fit");
    case WEIR_PAUSE_DEADLOCK:
        return weir_fail(error, WEIR_INTERNAL, "the state space has a deadlock that sealing the pipeline did not see");
    }
    if (s->snapshot.longest > s->longest)
        s->longest = s->snapshot.longest;
    switch (weir_store_put(&s->store, &s->snapshot)) {
    case WEIR_STORED_FULL:
        s->stopped = s->store.record_count >= s->store.record_max ? "states" : "memory";
        break;
    case WEIR_STORED_MEMORY:
        return weir_fail_memory(error);
    case WEIR_STORED_OVERFLOW:
        return weir_fail(error, WEIR_OVERFLOW, "an age in the state space does not fit");
    case WEIR_STORED:
        break;
    }
    return WEIR_OK;
}

/* All ways to go on from the snapshot that has waited longest. Which pause it is at, running it on tells: that changes nothing. */
static enum weir_status expand(struct search *s, struct weir_error *error)
{
    uint32_t record = weir_store_take(&s->store);
    if (!weir_store_load(&s->store, record, &s->snapshot))
        return weir_fail_memory(error);
    if (weir_snapshot_run(s->chart, &s->snapshot) == WEIR_PAUSE_SOURCE) {
        if (!weir_snapshot_release(s->chart, &s->snapshot))
            return weir_fail_memory(error);
        return go_on(s, error);
    }
    weir_snapshot_end(s->chart, &s->snapshot);
    enum weir_status status = go_on(s, error);
    if (status || s->stopped)
        return status;
    if (!weir_store_load(&s->store, record, &s->snapshot))
        return weir_fail_memory(error);
    weir_snapshot_run_on(s->chart, &s->snapshot, s->more);
    return go_on(s, error);
}

static enum weir_status explore(struct search *s, const struct weir_method_options *options, struct weir_error *error)
{
    struct weir_clock clock;
    weir_clock_start(&clock, options);
    enum weir_status status = go_on(s, error);
    for (uint64_t steps = 1; !status && !s->stopped && s->store.first != WEIR_NO_RECORD; steps++) {
        status = expand(s, error);
        if (steps % STATES_PER_LOOK)
            continue;
        weir_method_progress(options, s->store.record_count - s->store.waiting, s->store.record_count);
        if (weir_clock_over(&clock))
            s->stopped = "time";
    }
    return status;
}

static void conclude(const struct search *s, struct weir_method_result *result)
{
    result->count = s->store.record_count;
    result->safe = result->exact = !s->stopped; /* stopped, it has a lower bound only */
    if (s->stopped) {
        result->outcome = WEIR_BRACKET;
        result->lower = s->longest > s->store.oldest ? s->longest : s->store.oldest;
        result->upper = INT64_MAX;
        weir_note_add(result, "The limit of %s was reached after %llu states.", s->stopped, (unsigned long long)result->count);
    } else {
        result->outcome = WEIR_EXACT;
        result->value = s->longest;
    }
    weir_note_add(result, s->more ? "Every whole number of ticks between best and worst was tried for each execution."
                                  : "Each execution takes its best or its worst time, which is enough for the worst case.");
}

enum weir_status weir_statespace_search(const struct weir_classic_chart *chart, enum weir_statespace_times times,
                                        const struct weir_method_options *options, struct weir_method_result *result,
                                        struct weir_error *error)
{
    struct search s = {.chart = chart, .more = times == WEIR_STATESPACE_EVERY_TICK, .longest = -1};
    enum weir_status status = WEIR_OK;
    if (!weir_store_new(chart, options->limit ? options->limit : STATES_DEFAULT,
                        options->bytes ? options->bytes : WEIR_METHOD_BYTES, &s.store) ||
        !weir_snapshot_new(chart, &s.snapshot))
        status = weir_fail_memory(error);
    if (!status)
        status = explore(&s, options, error);
    if (!status)
        conclude(&s, result);
    weir_snapshot_free(&s.snapshot);
    weir_store_free(&s.store);
    return status;
}

enum weir_status weir_statespace_run(const struct weir_classic_chart *chart, const struct weir_method_options *options,
                                     struct weir_method_result *result, struct weir_error *error)
{
    return weir_statespace_search(chart, WEIR_STATESPACE_ENDS, options, result, error);
}
