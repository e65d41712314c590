/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MEASURE_TIMELINE_H
#define WEIR_MEASURE_TIMELINE_H

#include "answer/timeline.h"

/* What a run has recorded, in nanoseconds from the first start on: a lane per operator, an arrow for each message from who sent it
 * to who took it, a level for each queue. WEIR_INVALID where nothing was recorded, or too much. */
enum weir_status weir_timeline_of_run(const struct weir_run *run, struct weir_timeline *timeline, struct weir_error *error);

#endif
