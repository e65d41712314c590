/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/margins/enough.h"

static enum weir_status try_times(struct weir_evaluator *e, struct weir_operator op, int64_t best, int64_t worst,
                                  enum weir_deadline_state *state, struct weir_error *error)
{
    struct weir_breach breach;
    uint64_t searches = 0;
    enum weir_status status = weir_evaluator_set_times(e, op, best, worst, error);
    return status ? status : weir_deadlines_check(e, 1, state, &breach, &searches, error);
}

/* The largest worst case from `good` on, below `bad`; whether `good` is one is looked at first. */
static enum weir_status halve(struct weir_evaluator *e, struct weir_operator op, int64_t best, int64_t good, int64_t bad,
                              struct weir_enough *enough, struct weir_error *error)
{
    enum weir_deadline_state state;
    enum weir_status status = try_times(e, op, best, good, &state, error);
    if (status || state != WEIR_DEADLINE_MET)
        return status;
    while (!status && bad - good > 1) {
        int64_t half = good + (bad - good) / 2;
        status = try_times(e, op, best, half, &state, error);
        *(state == WEIR_DEADLINE_MET ? &good : &bad) = half; /* what is not known is not said to be enough */
    }
    *enough = (struct weir_enough){good > 0, best, good}; /* nothing takes no time */
    return status;
}

enum weir_status weir_enough_find(struct weir_evaluator *e, struct weir_operator op, struct weir_enough *enough,
                                  struct weir_error *error)
{
    int64_t best = weir_evaluator_best(e, op), worst = weir_evaluator_worst(e, op);
    int64_t receive = weir_pipeline_operator(e->pipeline, op).receive_max; /* which stays, and is part of the time */
    int64_t least = best > receive ? best : receive;
    *enough = (struct weir_enough){false, 0, 0};
    enum weir_status status = least < worst ? halve(e, op, best, least, worst, enough, error) : WEIR_OK;
    if (!status && !enough->found && best > 0 && receive <= best)
        status = halve(e, op, 0, receive, least < worst ? least : worst, enough, error);
    enum weir_status back = weir_evaluator_set_times(e, op, best, worst, error);
    return status ? status : back;
}
