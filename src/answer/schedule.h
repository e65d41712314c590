/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule of a witness or a simulation: the executions of a stretch of time, and the critical path with its times. */
#ifndef WEIR_ANSWER_SCHEDULE_H
#define WEIR_ANSWER_SCHEDULE_H

#include "weir.h"

#include <stdio.h>

#define WEIR_NOT_YET INT64_MAX /* the finish of an execution that goes on when the picture ends */

struct weir_execution {
    uint32_t op;
    bool worst;                       /* it is at its worst time, because the critical path needs it to be */
    bool late;                        /* its receive() is */
    bool gpu;                         /* its work on the GPU is */
    bool after;                       /* what it does after that is */
    int64_t iteration, start, finish; /* iteration: which execution of its operator */
    int64_t received;                 /* when its messages leave their queues */
    int64_t sent;     /* when those that it sends are there: at its finish, unless it does not wait for its work on a GPU */
    int64_t launched; /* when its work on a GPU is; WEIR_NOT_YET where it has none */
    int64_t landed;   /* when that is over */
    int64_t carries;  /* where data is followed: the oldest execution of that operator whose data it carries; -1: none ... */
    int64_t since;    /* ... and from when its age counts */
    int64_t messages; /* on each queue, with those of later iterations that are left out here and wait for it: 1 as a rule */
};

struct weir_schedule_step {
    const struct weir_step *step;
    int64_t iteration, start, end; /* iteration: which execution of its operator */
};

/* Times count from the beginning of the simulation. */
struct weir_schedule {
    const struct weir_pipeline *pipeline;
    const struct weir_witness *witness;
    int64_t from, to;                  /* the events that are measured */
    int64_t begin, end;                /* what is shown */
    bool cut;                          /* the critical path begins before that */
    struct weir_execution *executions; /* by operator, then by iteration; of each all from the first that is not over at `begin` */
    size_t count;
    uint32_t *first;                  /* by operator: its first among them; one more at the end */
    struct weir_schedule_step *steps; /* of the critical path, in order of time; those that end at `begin` or later */
    size_t step_count;
    int64_t *finished; /* by operator: executions before those shown */
};

/* WEIR_OVERFLOW where the witness is too long to be played. Zero-initialise; free it in any case. */
enum weir_status weir_schedule_of_witness(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                          struct weir_schedule *schedule, struct weir_error *error);
void weir_schedule_free(struct weir_schedule *schedule);
/* NULL: it is not among those shown. */
struct weir_execution *weir_schedule_execution(const struct weir_schedule *schedule, struct weir_operator op, int64_t iteration);
/* Messages in a queue over the time that is shown: one entry for each change, the first at `begin`. A message is there from when
 * its producer sends it (the finish of that iteration and of those before it) to when its consumer receives it. *levels is the
 * caller's to free. */
struct weir_schedule_level {
    int64_t time, messages;
};
enum weir_status weir_schedule_levels(const struct weir_schedule *schedule, struct weir_queue queue,
                                      struct weir_schedule_level **levels, size_t *count, struct weir_error *error);

/* From the end of the step before, or its start where that one does not count, to the start of this one: the period that it waits
 * for, or 0. */
int64_t weir_step_delay(const struct weir_pipeline *pipeline, const struct weir_step *step);

/* A step of a critical path, in which execution of its operator. */
struct weir_step_at {
    const struct weir_step *step;
    int64_t iteration;
};
/* "busy: it had frame 3 to finish": what it waited for, which ended with the step before it (step_text.c). */
void weir_step_reason(const struct weir_pipeline *pipeline, const struct weir_step_at *now, const struct weir_step_at *before,
                      FILE *out);

struct weir_timeline;
/* Adds a lane per operator with its executions, an arrow for each message, a level for each queue (timeline/schedule.c). lanes[op]
 * (one per operator, the caller's) tells which lane an operator got. */
enum weir_status weir_timeline_add_schedule(struct weir_timeline *timeline, const struct weir_schedule *schedule, uint32_t *lanes,
                                            struct weir_error *error);

/* Adds a lane for each thread that operators share, below those of such a schedule (timeline/threads.c). */
void weir_timeline_add_threads(struct weir_timeline *timeline, const struct weir_pipeline *pipeline, const uint32_t *lanes);

/* Adds the legs of the journey of the measured message (timeline/journey.c). */
void weir_timeline_add_journey(struct weir_timeline *timeline, const struct weir_schedule *schedule, const uint32_t *lanes);

/* Adds the journey of the oldest data that an execution of the operator `to` ends with in a schedule in which the data of `from`
 * was followed: where it is computed with, and where it grows old. */
void weir_timeline_add_ageing(struct weir_timeline *timeline, struct weir_schedule *schedule, const uint32_t *lanes,
                              const struct weir_chain_spec *chain);

#endif
