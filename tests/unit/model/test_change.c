/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a pipeline, and changes to one that is not sealed. */
#include "model/pipeline.h"
#include "support/stage.h"

#include <string.h>

/* Everything that can be said, of a pipeline on shared processors. */
static enum weir_status build(struct weir_pipeline *p, bool chains)
{
    const struct weir_processor_spec cpu = {.name = "cpu"}, frames = {.name = "frames", .sharing = WEIR_TDM, .frame = 9};
    const struct weir_operator_spec a = {.name = "a", .best = 1, .worst = 2, .mapped = true, .has_priority = true, .priority = 4};
    const struct weir_operator_spec b = {.name = "b", .worst = 3, .mapped = true, .on = {1}, .slot = 5};
    const struct weir_queue_spec there = {.from = {0}, .to = {1}, .capacity = WEIR_AUTO, .nonblocking = true};
    const struct weir_queue_spec back = {.from = {1}, .to = {0}, .capacity = 4, .initial = 2};
    const struct weir_source_spec source = {
        .period = 10, .name = "clock", .jitter = 30, .sporadic = true, .has_phase = true, .phase = 1};
    const struct weir_chain_spec first = {.from = {0}, .to = {1}, .has_deadline = true, .deadline = 50};
    const struct weir_chain_spec second = {.from = {1}, .to = {0}, .has_shift = true, .shift = -1};
    enum weir_status status = weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL);
    status = status ? status : weir_pipeline_set_name(p, "all", NULL);
    status = status ? status : weir_pipeline_set_unit(p, WEIR_UNIT_US, 1, NULL);
    status = status ? status : weir_pipeline_set_latency_limit(p, 500, NULL);
    status = status ? status : weir_pipeline_add_processor(p, &cpu, NULL, NULL);
    status = status ? status : weir_pipeline_add_processor(p, &frames, NULL, NULL);
    status = status ? status : weir_pipeline_add_operator(p, &a, NULL, NULL);
    status = status ? status : weir_pipeline_add_operator(p, &b, NULL, NULL);
    status = status ? status : weir_pipeline_add_queue(p, &there, NULL, NULL);
    status = status ? status : weir_pipeline_add_queue(p, &back, NULL, NULL);
    status = status ? status : weir_pipeline_add_source(p, &source, NULL);
    if (chains) {
        status = status ? status : weir_pipeline_add_chain(p, &first, NULL);
        status = status ? status : weir_pipeline_add_chain(p, &second, NULL);
    }
    return status;
}

static struct weir_pipeline *built(bool chains)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(build(p, chains), WEIR_OK);
    return p;
}

static void assert_same(const struct weir_pipeline *p, const struct weir_pipeline *q)
{
    assert_string_equal(weir_pipeline_name(p), weir_pipeline_name(q));
    assert_int_equal(weir_pipeline_unit(p), weir_pipeline_unit(q));
    assert_int_equal(weir_pipeline_digits(p), weir_pipeline_digits(q));
    assert_int_equal(weir_pipeline_platform(p), weir_pipeline_platform(q));
    assert_int_equal(weir_pipeline_latency_limit(p), weir_pipeline_latency_limit(q));
    assert_int_equal(p->processor_count, q->processor_count);
    for (size_t i = 0; i < p->processor_count; i++) {
        assert_string_equal(p->processors[i].name, q->processors[i].name);
        assert_int_equal(p->processors[i].sharing, q->processors[i].sharing);
        assert_int_equal(p->processors[i].frame, q->processors[i].frame);
    }
    assert_int_equal(p->operator_count, q->operator_count);
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *a = &p->operators[i], *b = &q->operators[i];
        assert_string_equal(a->name, b->name);
        assert_ptr_not_equal(a->name, b->name);
        assert_true(a->best == b->best && a->worst == b->worst && a->mapped == b->mapped && a->on.index == b->on.index);
        assert_true(a->has_priority == b->has_priority && a->priority == b->priority && a->slot == b->slot);
    }
    assert_int_equal(p->queue_count, q->queue_count);
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *a = &p->queues[i], *b = &q->queues[i];
        assert_true(a->from.index == b->from.index && a->to.index == b->to.index && a->capacity == b->capacity);
        assert_true(a->initial == b->initial && a->nonblocking == b->nonblocking);
    }
    assert_int_equal(p->source_count, q->source_count);
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *a = &p->sources[i], *b = &q->sources[i];
        assert_string_equal(a->name, b->name);
        assert_true(a->op.index == b->op.index && a->period == b->period && a->jitter == b->jitter);
        assert_true(a->sporadic == b->sporadic && a->has_phase == b->has_phase && a->phase == b->phase);
    }
}

TEST(test_copy)
{
    struct weir_pipeline *p = built(true), *q = weir_pipeline_copy(p, NULL);
    assert_same(p, q);
    assert_int_equal(weir_pipeline_chain_count(q), 2);
    stage_seal(p);
    stage_seal(q);
    struct weir_pipeline *r = weir_pipeline_copy(q, NULL); /* of a sealed one */
    assert_false(weir_pipeline_sealed(r));
    assert_same(q, r);
    assert_int_equal(weir_pipeline_chain_count(r), 2);
    assert_false(weir_pipeline_chain(r, 0).has_shift); /* left to weir again */
    assert_int_equal(weir_pipeline_chain(r, 0).deadline, 50);
    assert_true(weir_pipeline_chain(r, 1).has_shift);
    assert_int_equal(weir_pipeline_chain(r, 1).shift, -1);
    stage_seal(r);
    assert_int_equal(weir_pipeline_chain(r, 0).shift, weir_pipeline_chain(q, 0).shift);
    weir_pipeline_free(p);
    weir_pipeline_free(q);
    weir_pipeline_free(r);
}

/* What weir asks by itself it asks anew: with another initial message in the copy, the shift is another. */
TEST(test_copy_without_chains)
{
    struct weir_pipeline *p = built(false);
    stage_seal(p);
    assert_true(weir_pipeline_chain_count(p) > 0);
    struct weir_pipeline *q = weir_pipeline_copy(p, NULL);
    assert_int_equal(weir_pipeline_chain_count(q), 0);
    stage_seal(q);
    assert_int_equal(weir_pipeline_chain_count(p), weir_pipeline_chain_count(q));
    weir_pipeline_free(p);
    weir_pipeline_free(q);
}

static void assert_refused(enum weir_status status, const struct weir_error *error, const char *words)
{
    assert_int_equal(status, WEIR_INVALID);
    assert_string_equal(error->message, words);
}

TEST(test_changes)
{
    struct weir_pipeline *p = built(true);
    struct weir_operator_spec o = weir_pipeline_operator(p, (struct weir_operator){0});
    const char *name = o.name;
    char own[] = "a";
    o.name = own;
    o.priority = 9;
    o.worst = 7;
    assert_int_equal(weir_pipeline_change_operator(p, (struct weir_operator){0}, &o, NULL), WEIR_OK);
    own[0] = 'x';
    o = weir_pipeline_operator(p, (struct weir_operator){0});
    assert_ptr_equal(o.name, name); /* the pipeline's own text */
    assert_int_equal(o.priority, 9);
    assert_int_equal(o.worst, 7);
    struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){1});
    q.capacity = WEIR_UNBOUNDED;
    assert_int_equal(weir_pipeline_change_queue(p, (struct weir_queue){1}, &q, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_queue(p, (struct weir_queue){1}).capacity, WEIR_UNBOUNDED);
    struct weir_source_spec s = weir_pipeline_source(p, 0);
    s.jitter = 0;
    s.name = NULL;
    assert_int_equal(weir_pipeline_change_source(p, 0, &s, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_source(p, 0).jitter, 0);
    assert_string_equal(weir_pipeline_source(p, 0).name, "clock");
    stage_seal(p);
    struct weir_error e;
    const char *sealed = "the pipeline is sealed: nothing can be added to it";
    assert_refused(weir_pipeline_change_operator(p, (struct weir_operator){0}, &o, &e), &e, sealed);
    assert_refused(weir_pipeline_change_queue(p, (struct weir_queue){1}, &q, &e), &e, sealed);
    assert_refused(weir_pipeline_change_source(p, 0, &s, &e), &e, sealed);
    weir_pipeline_free(p);
}

TEST(test_changes_that_are_refused)
{
    struct weir_error e;
    struct weir_pipeline *p = built(true), *before = built(true);
    struct weir_operator_spec o = weir_pipeline_operator(p, (struct weir_operator){0});
    const char *words = "the name of an operator cannot be changed";
    assert_refused(weir_pipeline_change_operator(p, (struct weir_operator){1}, &o, &e), &e, words);
    assert_refused(weir_pipeline_change_operator(p, (struct weir_operator){2}, &o, &e), &e, words);
    o.name = NULL;
    assert_refused(weir_pipeline_change_operator(p, (struct weir_operator){0}, &o, &e), &e, words);
    o.name = "a";
    o.best = 5;
    assert_refused(weir_pipeline_change_operator(p, (struct weir_operator){0}, &o, &e), &e,
                   "operator \"a\" has a best case above its worst case");
    struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){1});
    words = "the ends of a queue cannot be changed";
    assert_refused(weir_pipeline_change_queue(p, (struct weir_queue){0}, &q, &e), &e, words);
    assert_refused(weir_pipeline_change_queue(p, (struct weir_queue){2}, &q, &e), &e, words);
    q.capacity = 1;
    assert_refused(weir_pipeline_change_queue(p, (struct weir_queue){1}, &q, &e), &e, "a queue of 1 cannot begin with 2 messages");
    struct weir_source_spec s = weir_pipeline_source(p, 0);
    words = "the operator of a source cannot be changed";
    assert_refused(weir_pipeline_change_source(p, 1, &s, &e), &e, words);
    s.op.index = 1;
    assert_refused(weir_pipeline_change_source(p, 0, &s, &e), &e, words);
    s.op.index = 0;
    s.period = 0;
    assert_refused(weir_pipeline_change_source(p, 0, &s, &e), &e, "a period must be longer than 0");
    assert_same(p, before);
    weir_pipeline_free(p);
    weir_pipeline_free(before);
}

/* ---- memory ---- */

static enum weir_status build_copy_and_seal(void *context)
{
    const bool *chains = context;
    struct weir_error error = {0};
    struct weir_pipeline *p = weir_pipeline_new(NULL), *q = NULL;
    enum weir_status status = p ? build(p, *chains) : WEIR_MEMORY;
    status = status ? status : weir_pipeline_seal(p, NULL, NULL);
    if (!status && !(q = weir_pipeline_copy(p, &error)))
        status = error.status;
    status = status ? status : weir_pipeline_seal(q, NULL, NULL);
    weir_pipeline_free(p);
    weir_pipeline_free(q);
    return status;
}

TEST(test_every_allocation)
{
    for (int chains = 0; chains < 2; chains++)
        assert_true(stage_fail_each_allocation(build_copy_and_seal, &(bool){chains}) > 60);
}
