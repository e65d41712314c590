/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the exact engine in one line, with everything that an answer has to come with. All assert what they say. */
#ifndef WEIR_TESTS_ASKING_H
#define WEIR_TESTS_ASKING_H

#include "support/stage.h"
#include "weir.h"

/* Events are written "camera.start", "camera.finish", "camera.arrival". */
struct weir_query ask_query(const struct weir_pipeline *pipeline, const char *from, const char *to, int64_t shift);

/* The separation by a fresh solver. */
struct weir_separation ask(const struct weir_pipeline *pipeline, const struct weir_query *query);

/* The exact worst separation: its witness replays to it, its certificate holds, and that of one tick less does not. */
int64_t ask_exact(const struct weir_pipeline *pipeline, const struct weir_query *query);
int64_t ask_worst(const struct weir_pipeline *pipeline, const char *from, const char *to, int64_t shift);
/* The least that the separation can be. */
int64_t ask_best(const struct weir_pipeline *pipeline, const char *from, const char *to, int64_t shift);
/* That there is no bound; the reason is in words[400]. */
void ask_unbounded(const struct weir_pipeline *pipeline, const char *from, const char *to, int64_t shift, char words[400]);

#endif
