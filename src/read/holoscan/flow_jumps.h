/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks that were set forward while a log was written. Whatever was under way then seems to have taken longer, by the same time,
 * and no stamp lies between. One operator that is slow looks like that, too, and so do two that wait for the same thing: a jump is
 * only what at least two operators agree on, if they were never so slow before.
 */
#ifndef WEIR_READ_HOLOSCAN_FLOW_JUMPS_H
#define WEIR_READ_HOLOSCAN_FLOW_JUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_FLOW_JUMPS 4 /* where there are more, it is something else */

/* No stamp lies between the two, microseconds. */
struct weir_flow_jump {
    int64_t from, to;
    uint64_t line; /* of an execution that was under way */
};

struct weir_flow_jumps {
    struct weir_flow_jump at[WEIR_FLOW_JUMPS];
    size_t count;
};

/* Whether the clock jumped between the two stamps. */
bool weir_flow_jumped(const struct weir_flow_jumps *jumps, int64_t from, int64_t to);

/* What is remembered of a log to find them: of each name the longest, of the whole the longest times without a stamp. */
struct weir_flow_sightings;
struct weir_flow_watch {
    struct weir_flow_sightings *names;
    size_t name_count, name_capacity;
    struct weir_flow_jump gaps[64]; /* in the order of time */
    uint32_t gap_count;
    int64_t newest; /* stamp */
    bool begun;
};

bool weir_flow_watch_name(struct weir_flow_watch *watch); /* the next one; false: out of memory */
void weir_flow_watch_step(struct weir_flow_watch *watch, uint32_t name, int64_t receive, int64_t publish, uint64_t line);
void weir_flow_watch_find(const struct weir_flow_watch *watch, struct weir_flow_jumps *jumps);
void weir_flow_watch_free(struct weir_flow_watch *watch);

struct weir_flow_log;
/* Of what was read so far. */
void weir_flow_log_find_jumps(const struct weir_flow_log *log, struct weir_flow_jumps *jumps);

#endif
