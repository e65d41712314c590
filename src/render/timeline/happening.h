/* SPDX-License-Identifier: Apache-2.0 */
/* What happens in a witness, ready to be shown: the executions of a stretch of time, and the critical path with its times. */
#ifndef WEIR_RENDER_TIMELINE_HAPPENING_H
#define WEIR_RENDER_TIMELINE_HAPPENING_H

#include "weir.h"

#define WEIR_NOT_YET INT64_MAX /* the finish of an execution that goes on when the picture ends */

struct weir_execution {
    uint32_t op;
    bool worst;                       /* it is at its worst time, because the critical path needs it to be */
    bool late;                        /* its receive() is */
    bool gpu;                         /* its work on the GPU is */
    bool after;                       /* what it does after that is */
    uint32_t row;                     /* from 0: executions of an operator that overlap have different ones */
    int64_t iteration, start, finish; /* iteration: which execution of its operator */
    int64_t received;                 /* when its messages leave their queues */
    int64_t sent;     /* when those that it sends are there: at its finish, unless it does not wait for its work on a GPU */
    int64_t launched; /* when its work on a GPU is; WEIR_NOT_YET where it has none */
    int64_t landed;   /* when that is over */
    int64_t messages; /* on each queue, with those of later iterations that are left out here and wait for it: 1 as a rule */
};

struct weir_happening_step {
    const struct weir_step *step;
    int64_t iteration, start, end; /* iteration: which execution of its operator */
};

/* Times count from the beginning of the simulation. */
struct weir_happening {
    const struct weir_pipeline *pipeline;
    const struct weir_witness *witness;
    int64_t from, to;                  /* the events that are measured */
    int64_t begin, end;                /* what is shown */
    bool cut;                          /* the critical path begins before that */
    struct weir_execution *executions; /* by operator, then by iteration; of each all from the first that is not over at `begin` */
    size_t count;
    uint32_t *first;                   /* by operator: its first among them; one more at the end */
    struct weir_happening_step *steps; /* of the critical path, in order of time; those that end at `begin` or later */
    size_t step_count;
    int64_t *finished; /* by operator: executions before those shown */
};

/* WEIR_OVERFLOW where the witness is too long to be played. Zero-initialise; free it in any case. */
enum weir_status weir_happening_find(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                     struct weir_happening *happening, struct weir_error *error);
void weir_happening_free(struct weir_happening *happening);
/* NULL: it is not among those shown. */
const struct weir_execution *weir_happening_execution(const struct weir_happening *happening, struct weir_operator op,
                                                      int64_t iteration);
/* Finds the rows of the executions. */
enum weir_status weir_happening_rows(struct weir_happening *happening, struct weir_error *error);

/* Messages in a queue over the time that is shown: one entry for each change, the first at `begin`. A message is there from when
 * its producer sends it (the finish of that iteration and of those before it) to when its consumer receives it. *levels is the
 * caller's to free. */
struct weir_level {
    int64_t time, messages;
};
enum weir_status weir_happening_levels(const struct weir_happening *happening, struct weir_queue queue, struct weir_level **levels,
                                       size_t *count, struct weir_error *error);

#endif
