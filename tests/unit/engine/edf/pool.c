/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <stdio.h>

struct weir_pipeline *pool_new(uint32_t cores)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_cores(p, cores, NULL), WEIR_OK);
    return p;
}

struct weir_operator pool_add(struct weir_pipeline *p, int64_t cost)
{
    struct weir_operator op;
    uint32_t index = weir_pipeline_operator_count(p);
    char name[24];
    snprintf(name, sizeof name, index < 26 ? "%c" : "%c%u", (int)('a' + index % 26), index / 26);
    struct weir_operator_spec spec = {.name = name, .best = 0, .worst = cost};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &op, NULL), WEIR_OK);
    return op;
}

void pool_queue(struct weir_pipeline *p, uint32_t from, uint32_t to, const uint32_t rates[4])
{
    struct weir_queue_spec spec = {.from = {from},
                                   .to = {to},
                                   .capacity = WEIR_AUTO,
                                   .initial = rates[3],
                                   .produce = rates[0],
                                   .consume = rates[1],
                                   .threshold = rates[2]};
    assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
}

void pool_feed(struct weir_pipeline *p, uint32_t op, int64_t period)
{
    struct weir_source_spec spec = {.op = {op}, .period = period, .arrivals = WEIR_ARRIVALS_EXACT};
    assert_int_equal(weir_pipeline_add_source(p, &spec, NULL), WEIR_OK);
}

static struct weir_edf_analysis *verified(const struct weir_pipeline *p, struct weir_edf_options options)
{
    struct weir_edf_analysis *analysis;
    struct weir_error error = {0};
    options.verify = true;
    if (weir_edf_analyze(p, &options, &analysis, &error))
        fail_msg("%s", error.message);
    return analysis;
}

struct weir_edf_analysis *pool_analyze(const struct weir_pipeline *p, uint32_t cores)
{
    return verified(p, (struct weir_edf_options){.cores = cores});
}

struct weir_edf_analysis *pool_published(const struct weir_pipeline *p, uint32_t cores)
{
    return verified(p, (struct weir_edf_options){.cores = cores, .tardiness = true});
}
