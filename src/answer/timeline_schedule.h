/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule as lanes: what the timelines of a witness and of a simulation share. */
#ifndef WEIR_ANSWER_TIMELINE_SCHEDULE_H
#define WEIR_ANSWER_TIMELINE_SCHEDULE_H

#include "answer/schedule.h"
#include "answer/timeline.h"

/* Adds a lane per operator with its executions, an arrow for each message, a level for each queue. lanes[op] (one per operator, the
 * caller's) tells which lane an operator got. */
enum weir_status weir_timeline_add_schedule(struct weir_timeline *timeline, const struct weir_schedule *schedule, uint32_t *lanes,
                                            struct weir_error *error);

#endif
