/* SPDX-License-Identifier: Apache-2.0 */
/* What tests share that run pipelines: short ways to build a pipeline, a recorder of what happens, a memory that fails. */
#ifndef WEIR_TESTS_STAGE_H
#define WEIR_TESTS_STAGE_H

#include "support/runner.h"
#include "weir.h"

/* ---- building; each asserts that it works ---- */

/* A sealed pipeline from the text of a model. */
struct weir_pipeline *stage_read(const char *model);
/* An answer as text or JSON; free() it. */
char *stage_answer(const struct weir_answer *answer, bool json);
/* What the expression writes to `out`, with WEIR_OK; free() it. */
#define STAGE_WRITTEN(text, expression)                                                                                            \
    do {                                                                                                                           \
        size_t written_bytes;                                                                                                      \
        FILE *out = open_memstream(&(text), &written_bytes);                                                                       \
        assert_non_null(out);                                                                                                      \
        assert_int_equal(expression, WEIR_OK);                                                                                     \
        assert_int_equal(fclose(out), 0);                                                                                          \
    } while (0)
struct weir_operator stage_operator(struct weir_pipeline *pipeline, const char *name, int64_t best, int64_t worst);
void stage_queue(struct weir_pipeline *pipeline, struct weir_operator from, struct weir_operator to, uint32_t capacity,
                 uint32_t initial);
void stage_period(struct weir_pipeline *pipeline, struct weir_operator op, int64_t period, enum weir_arrivals arrivals);
/* A deadline for the latency from one operator to the other, by their indices. */
void stage_deadline(struct weir_pipeline *pipeline, uint32_t from, uint32_t to, int64_t deadline);
void stage_seal(struct weir_pipeline *pipeline);
/* A and B, of no more than a microsecond, on a pool of two cores, with that queue from A to B and a period of A; sealed. */
struct weir_pipeline *stage_pool(struct weir_queue_spec queue, int64_t period);
/* A -> B -> C ... with the given worst times (best 0) and capacity, sealed; operators 0, 1, 2 ... */
struct weir_pipeline *stage_chain(size_t count, const int64_t *worst, uint32_t capacity);

/* ---- recording ---- */

#define STAGE_OPERATORS 8
#define STAGE_ITERATIONS 64

struct stage_trace {
    int64_t at[3][STAGE_OPERATORS][STAGE_ITERATIONS]; /* [moment][operator][iteration] */
    int64_t seen[3][STAGE_OPERATORS];                 /* how many */
    int64_t last;                                     /* time of the last event */
    uint64_t hash;                                    /* of all events, in their order */
    bool disordered;
};
/* For weir_simulation_options.observe, with a zeroed trace as context. Only the first STAGE_ITERATIONS are kept. */
void stage_observe(void *trace, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
/* Simulates at worst times and records; asserts success and order. */
void stage_run(const struct weir_pipeline *pipeline, int64_t iterations, struct stage_trace *trace);

#define assert_times(trace, moment, op, ...)                                                                                       \
    stage_check(trace, moment, op, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
void stage_check(const struct stage_trace *trace, enum weir_moment moment, struct weir_operator op, const int64_t *times,
                 size_t count);

/* ---- failing memory ---- */

/* Calls act(context) with the first, second, ... allocation failing, until it returns WEIR_OK; asserts WEIR_MEMORY before that
 * and that nothing is left allocated. Returns how many allocations there are. */
int stage_fail_each_allocation(enum weir_status (*act)(void *context), void *context);
/* For it: a pipeline whose operators share workers, analysed. */
enum weir_status stage_analyze_workers(void *pipeline);

#endif
