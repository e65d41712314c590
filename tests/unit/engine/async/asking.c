/* SPDX-License-Identifier: Apache-2.0 */
#include "asking.h"

#include "support/stage.h"

#include <string.h>

struct weir_async_analysis *async_ask(const struct weir_pipeline *pipeline)
{
    struct weir_async_options options = {.verify = true};
    struct weir_async_analysis *analysis = NULL;
    struct weir_error error = {0};
    if (weir_async_analyze(pipeline, &options, &analysis, &error))
        fail_msg("%s", error.message);
    assert_int_equal(error.message[0], 0); /* a latency that is not known is no failure */
    assert_true(analysis->certified);
    return analysis;
}

void async_expect_unknown(const char *text, const char *why)
{
    struct weir_pipeline *pipeline = stage_read(text);
    struct weir_async_analysis *analysis = async_ask(pipeline);
    assert_int_equal(analysis->latencies[0].outcome, WEIR_ASYNC_UNKNOWN);
    assert_non_null(strstr(analysis->latencies[0].why, why));
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

void async_expect_worst(const char *model, int64_t worst)
{
    struct weir_pipeline *pipeline = stage_read(model);
    struct weir_async_analysis *analysis = async_ask(pipeline);
    if (analysis->latencies[0].why)
        fail_msg("%s", analysis->latencies[0].why);
    assert_int_equal(analysis->latencies[0].worst, worst);
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}
