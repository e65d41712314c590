/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of building and sealing fails once: the step says so, changes nothing, and works when tried again. */
#include "model/pipeline.h"
#include "support/refuse.h"
#include "support/stage.h"

static struct refuse memory;
static long failed; /* steps, in this round */

/* Calls `step` until it works; every failure must be one of memory, and of memory that was refused. */
#define INSIST(step)                                                                                                               \
    do {                                                                                                                           \
        enum weir_status status_ = (step);                                                                                         \
        if (status_ == WEIR_OK)                                                                                                    \
            break;                                                                                                                 \
        assert_int_equal(status_, WEIR_MEMORY);                                                                                    \
        assert_true(++failed <= memory.refused);                                                                                   \
    } while (1)

static struct weir_pipeline *new_pipeline(void)
{
    struct weir_error error;
    struct weir_pipeline *p = weir_pipeline_new(&error);
    if (p)
        return p;
    assert_int_equal(error.status, WEIR_MEMORY);
    assert_string_equal(error.message, "out of memory");
    return weir_pipeline_new(NULL);
}

/* A pipeline with everything in it, built by insisting. With `given`, two pairs are asked for. */
static struct weir_pipeline *build(bool given)
{
    enum { COUNT = 70 }; /* enough for the table of names to grow */
    struct weir_pipeline *p = new_pipeline();
    INSIST(weir_pipeline_set_name(p, "everything", NULL));
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        struct weir_operator_spec spec = {.name = name, .worst = 9, .receive_max = i % 2 ? 3 : 0};
        INSIST(weir_pipeline_add_operator(p, &spec, NULL, NULL));
        assert_int_equal(weir_pipeline_operator_count(p), i + 1);
        if (i > 0) /* five chains */
            INSIST(weir_pipeline_add_queue(
                p, &(struct weir_queue_spec){.from = {i < 10 ? 0 : i - 5}, .to = {i}, .capacity = 1 + i % 30}, NULL, NULL));
    }
    for (uint32_t i = 0; i < 10; i++)
        INSIST(weir_pipeline_add_source(
            p, &(struct weir_source_spec){.op = {i}, .period = 50, .arrivals = i % 2 ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST},
            NULL));
    for (uint32_t i = 0; given && i < 10; i++)
        INSIST(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = {0}, .to = {60 + i}}, NULL));
    INSIST(weir_pipeline_seal(p, NULL, NULL));
    assert_int_equal(weir_pipeline_chain_count(p), given ? 10 : 18);
    for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++)
        assert_true(weir_pipeline_chain(p, i).has_shift);
    return p;
}

/* The same on shared processors: two task graphs, one of them fed at several places. */
static struct weir_pipeline *build_shared(bool given)
{
    enum { COUNT = 40, PROCESSORS = 5 };
    struct weir_pipeline *p = new_pipeline();
    INSIST(weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL));
    for (uint32_t i = 0; i < PROCESSORS; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        INSIST(weir_pipeline_add_processor(p, &(struct weir_processor_spec){.name = name}, NULL, NULL));
        assert_int_equal(weir_pipeline_processor_count(p), i + 1);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        struct weir_operator_spec spec = {.name = name, .worst = 9, .mapped = true, .on = {i % PROCESSORS}, .has_priority = true};
        INSIST(weir_pipeline_add_operator(p, &spec, NULL, NULL));
        if (i > 1)
            INSIST(weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = {i - 2}, .to = {i}, .capacity = WEIR_AUTO}, NULL,
                                           NULL));
    }
    for (uint32_t i = 0; i < 12; i++) {
        struct weir_source_spec spec = {.op = {i}, .period = 50 + i % 2, .jitter = 7, .name = i % 2 ? "odd" : "even"};
        INSIST(weir_pipeline_add_source(p, &spec, NULL));
        assert_int_equal(weir_pipeline_source_count(p), i + 1);
    }
    if (given)
        INSIST(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = {0}, .to = {4}}, NULL));
    INSIST(weir_pipeline_seal(p, NULL, NULL));
    assert_int_equal(p->taskset->graph_count, 2);
    assert_int_equal(weir_pipeline_chain_count(p), given ? 1 : 12);
    return p;
}

static void fail_each(struct weir_pipeline *(*build_one)(bool given), bool given)
{
    memory = (struct refuse){0};
    while (refuse_next(&memory)) {
        failed = 0;
        weir_pipeline_free(build_one(given));
        assert_int_equal(memory.live, 0);
    }
    assert_true(memory.rounds > 60);
}

TEST(test_every_allocation)
{
    for (int given = 0; given < 2; given++) {
        fail_each(build, given);
        fail_each(build_shared, given);
    }
}

static enum weir_status seal_a_deadlock(void *context)
{
    (void)context;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    enum weir_status status = WEIR_MEMORY;
    const struct weir_operator_spec a = {.name = "a", .worst = 1}, b = {.name = "b", .worst = 1};
    if (p && !weir_pipeline_add_operator(p, &a, NULL, NULL) && !weir_pipeline_add_operator(p, &b, NULL, NULL) &&
        !weir_pipeline_add_queue(p, &(struct weir_queue_spec){.to = {1}, .capacity = 1}, NULL, NULL) &&
        !weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = {1}, .to = {1}, .capacity = 1}, NULL, NULL)) {
        status = weir_pipeline_seal(p, NULL, NULL);
        assert_true(status == WEIR_INVALID || status == WEIR_MEMORY);
        assert_false(weir_pipeline_sealed(p));
        status = status == WEIR_INVALID ? WEIR_OK : status;
    }
    weir_pipeline_free(p);
    return status;
}

TEST(test_deadlock_without_memory)
{
    assert_true(stage_fail_each_allocation(seal_a_deadlock, NULL) > 10);
}
