/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of shared processors have in common: short ways to build a pipeline, and schedules written as text. */
#ifndef WEIR_TESTS_CREW_H
#define WEIR_TESTS_CREW_H

#include "support/stage.h"

/* A pipeline on shared processors. Each function asserts that it works. */
struct weir_pipeline *crew_new(void);
struct weir_processor crew_processor(struct weir_pipeline *p, enum weir_sharing sharing, int64_t frame);

struct crew_task {
    const char *name; /* a letter or so */
    struct weir_processor on;
    int64_t best, worst, slot;
    int32_t priority;
    bool alone; /* not mapped */
};
struct weir_operator crew_add(struct weir_pipeline *p, struct crew_task task);
void crew_queue(struct weir_pipeline *p, struct weir_operator from, struct weir_operator to, uint32_t capacity, uint32_t initial);
void crew_feed(struct weir_pipeline *p, struct weir_operator op, struct weir_source_spec source);

/* "a0 0-2, b0 2-4": operator and iteration, from when to when it ran. Stretches of no time are not among them. */
struct crew_log {
    const struct weir_pipeline *pipeline;
    char text[1024];
    size_t used;
    struct stage_trace trace;
    int64_t late[STAGE_OPERATORS];                      /* largest finish, from the nominal arrival */
    int64_t nominal[STAGE_OPERATORS][STAGE_ITERATIONS]; /* as it was told with each finish */
};
void crew_ran(void *log, struct weir_operator op, int64_t iteration, int64_t from, int64_t to);
void crew_observe(void *log, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time, int64_t nominal);
/* Simulates with these options, the log as context; asserts success and order. */
void crew_run(const struct weir_pipeline *p, struct weir_processors_options options, struct crew_log *log);

#endif
