/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a model from a string in a test. */
#ifndef WEIR_TEST_READING_H
#define WEIR_TEST_READING_H

#include "weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The pipeline; the test fails with the first mistake when there is none. */
static inline struct weir_pipeline *reading(const char *text, const struct weir_read_options *options)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    enum weir_status status = weir_read_memory(text, strlen(text), "model", options, &pipeline, errors);
    if (status) {
        const struct weir_error *e = weir_errors_at(errors, 0);
        fail_msg("%u:%u: %s", e->line, e->column, e->message);
    }
    assert_int_equal(weir_errors_count(errors), 0);
    assert_true(weir_pipeline_sealed(pipeline));
    weir_errors_free(errors);
    return pipeline;
}

static inline struct weir_operator_spec operator_named(const struct weir_pipeline *pipeline, const char *name)
{
    struct weir_operator op;
    if (!weir_pipeline_find(pipeline, name, &op))
        fail_msg("no operator %s", name);
    return weir_pipeline_operator(pipeline, op);
}

static inline void assert_times(const struct weir_pipeline *pipeline, const char *name, int64_t best, int64_t worst)
{
    struct weir_operator_spec spec = operator_named(pipeline, name);
    assert_int_equal(spec.best, best);
    assert_int_equal(spec.worst, worst);
}

/* The number-th queue: "from -> to". */
static inline struct weir_queue_spec assert_queue(const struct weir_pipeline *pipeline, uint32_t number, const char *from,
                                                  const char *to)
{
    assert_true(number < weir_pipeline_queue_count(pipeline));
    struct weir_queue_spec queue = weir_pipeline_queue(pipeline, (struct weir_queue){number});
    assert_string_equal(weir_pipeline_operator(pipeline, queue.from).name, from);
    assert_string_equal(weir_pipeline_operator(pipeline, queue.to).name, to);
    return queue;
}

/* The capacities of the first two queues. */
static inline void assert_capacities(const char *text, const struct weir_read_options *options, uint32_t first, uint32_t second)
{
    struct weir_pipeline *p = reading(text, options);
    assert_int_equal(weir_pipeline_queue(p, (struct weir_queue){0}).capacity, first);
    assert_int_equal(weir_pipeline_queue(p, (struct weir_queue){1}).capacity, second);
    weir_pipeline_free(p);
}

#endif
