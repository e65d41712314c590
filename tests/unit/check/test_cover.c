/* SPDX-License-Identifier: Apache-2.0 */
/* The check of greedy rounds with all their times: what the engine says holds, and no list whatever proves less. */
#include "check/workers/instants.h"
#include "check/workers/rounds_cover.h"
#include "engine/workers/workers.h"
#include "model/graph.h"
#include "model/pipeline.h"
#include "support/stage.h"

#include <string.h>

#define GREEDY "platform: {scheduler: greedy}\n"

/* From operator 0 to the last. */
static const char *const models[] = {
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\nqueues: [{from: a, to: b, latest: true}, b -> c]\n"
           "sources: [{operator: a, period: 30}, {operator: b, period: 20}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\n"
           "queues: [{from: a, to: b, capacity: 2, blocking: false, full: pop}, b -> c]\n"
           "sources: [{operator: a, period: 10, arrivals: catch-up}, {operator: b, period: 13}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\n"
           "queues: [{from: a, to: b, capacity: 1, blocking: false, full: reject}, {from: b, to: c, optional: true}]\n"
           "sources: [{operator: a, period: 10, arrivals: skip, phase: 0}, {operator: c, period: 20, arrivals: skip, phase: 0}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\nqueues: [{from: a, to: b, capacity: 2, consume: 2}, b -> c]\n"
           "sources: [{operator: a, period: 9}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6], d: 1}\n"
           "queues: [{from: a, to: c, port: in, capacity: 3}, {from: b, to: c, port: in, capacity: 3}, c -> d]\n"
           "sources: [{operator: a, period: 20, phase: [0, 3]}, {operator: b, period: 20, phase: 7}]",
    GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\nqueues: [a -> c, {from: b, to: c, latest: true}]\n"
           "sources: [{operator: a, period: 20, phase: unknown}, {operator: b, period: 15, phase: unknown}]",
};

struct claim {
    struct weir_pipeline *pipeline;
    struct weir_greedy_ages ages[8];
    struct weir_rounds_cover covers[2];
};

static void make(struct claim *c, const char *model)
{
    bool known;
    *c = (struct claim){.pipeline = stage_read(model)};
    assert_int_equal(weir_greedy_follow(c->pipeline, 0, c->ages, c->covers, &known, NULL), WEIR_OK);
    if (!known || !c->ages[c->pipeline->operator_count - 1].any)
        fail_msg("nothing is said of %s", model);
}

static void end(struct claim *c)
{
    weir_rounds_cover_free(&c->covers[0]);
    weir_rounds_cover_free(&c->covers[1]);
    weir_pipeline_free(c->pipeline);
}

static enum weir_checked check_of(const struct claim *c, const struct weir_pipeline *p, uint64_t work)
{
    enum weir_checked checked;
    struct weir_rounds_cover_claim claim = {p, 0, c->ages, &c->covers[0], &c->covers[1], work};
    assert_int_equal(weir_rounds_cover_check(&claim, &checked), WEIR_OK);
    return checked;
}

static enum weir_checked check(const struct claim *c)
{
    return check_of(c, c->pipeline, 1000000);
}

TEST(test_covers)
{
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct claim c;
        make(&c, models[m]);
        assert_int_equal(check(&c), WEIR_CHECKED_HOLDS);
        for (uint32_t o = 0; o < c.pipeline->operator_count; o++) {
            struct weir_greedy_ages *age = &c.ages[o], kept = *age;
            if (!age->any)
                continue;
            age->worst--;
            if (check(&c) != WEIR_CHECKED_FAILS)
                fail_msg("less than %lld of operator %u: %s", (long long)kept.worst, o, models[m]);
            *age = kept;
            age->best++;
            assert_int_equal(check(&c), WEIR_CHECKED_FAILS);
            *age = kept;
            age->any = false;
            assert_int_equal(check(&c), WEIR_CHECKED_FAILS);
            *age = kept;
        }
        assert_int_equal(check_of(&c, c.pipeline, 3), WEIR_CHECKED_OPEN); /* too much to look at is no reason to say yes */
        end(&c);
    }
}

/* Whatever is changed in the list: it does not prove a tick less. *refused counts what it does not prove either. */
static void proves_no_less(struct claim *c, size_t *tried, size_t *refused)
{
    struct weir_greedy_ages *age = &c->ages[c->pipeline->operator_count - 1];
    ++*tried;
    *refused += check(c) != WEIR_CHECKED_HOLDS;
    age->worst--;
    assert_int_not_equal(check(c), WEIR_CHECKED_HOLDS);
    age->worst++;
    age->best++;
    assert_int_not_equal(check(c), WEIR_CHECKED_HOLDS);
    age->best--;
}

static void forge(struct claim *c, struct weir_rounds_cover *cover, size_t *tried, size_t *refused)
{
    size_t queues = c->pipeline->queue_count, moments = c->pipeline->source_count + 2, step = cover->count / 12 + 1;
    for (size_t e = 0; e < cover->count; e += step) {
        for (size_t i = 0; i < moments * moments; i++) {
            int64_t *later = &cover->later[e * moments * moments + i], kept = *later;
            if (i % (moments + 1) == 0)
                continue;
            *later = kept == WEIR_ANY_TIME ? 1000 : kept - 1;
            proves_no_less(c, tried, refused);
            *later = kept;
        }
        for (size_t i = e * queues; i < (e + 1) * queues; i++) {
            cover->held[i]++;
            proves_no_less(c, tried, refused);
            cover->held[i]--;
            cover->ours[i] ^= 1;
            proves_no_less(c, tried, refused);
            cover->ours[i] ^= 1;
        }
        cover->follows[e] ^= 1;
        proves_no_less(c, tried, refused);
        cover->follows[e] ^= 1;
    }
    cover->count--;
    proves_no_less(c, tried, refused);
    size_t kept = cover->count + 1;
    cover->count = 0;
    assert_int_equal(check(c), WEIR_CHECKED_FAILS);
    cover->count = kept;
}

TEST(test_covers_forged)
{
    size_t tried = 0, refused = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct claim c;
        make(&c, models[m]);
        forge(&c, &c.covers[0], &tried, &refused);
        forge(&c, &c.covers[1], &tried, &refused);
        end(&c);
    }
    assert_true(refused * 2 > tried); /* the rest are entries that others contain, or that may be smaller */
}

/* The same lists for another model: longer executions, other periods, less room. */
TEST(test_covers_of_another_model)
{
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct claim c;
        make(&c, models[m]);
        struct weir_pipeline *p = c.pipeline;
        for (uint32_t o = 0; o < p->operator_count; o++) {
            if (!c.ages[o].any)
                continue;
            p->operators[o].worst++;
            assert_int_equal(check(&c), WEIR_CHECKED_FAILS);
            p->operators[o].worst--;
            p->operators[o].best--;
            assert_int_equal(check(&c), WEIR_CHECKED_FAILS);
            p->operators[o].best++;
        }
        p->sources[0].period--;
        assert_int_equal(check(&c), WEIR_CHECKED_FAILS);
        p->sources[0].period++;
        p->queues[0].initial += 20;
        assert_int_equal(check(&c), WEIR_CHECKED_FAILS);
        p->queues[0].initial -= 20;
        p->workers.dispatch = WEIR_DISPATCH_EVENTS; /* it is not about that */
        assert_int_equal(check(&c), WEIR_CHECKED_OPEN);
        p->workers.dispatch = WEIR_DISPATCH_GREEDY;
        p->sources[0].arrivals = WEIR_ARRIVALS_EXACT;
        assert_int_equal(check(&c), WEIR_CHECKED_OPEN);
        end(&c);
    }
}

/* Sources that start whenever they may, and no later, reach less than those that can be late. */
TEST(test_covers_of_punctual_sources)
{
    static const char *const late[] = {
        GREEDY "operators: {a: [1, 5], b: [2, 4]}\nqueues: [a -> b]\nsources: [{operator: a, period: 20}]",
        GREEDY "operators: {a: [1, 5], b: [2, 4], c: [3, 6]}\n"
               "queues: [{from: a, to: b, capacity: 1, blocking: false, full: pop}, b -> c]\n"
               "sources: [{operator: a, period: 30}, {operator: b, period: 20}]",
        GREEDY "operators: {a: [1, 5], b: [2, 4]}\n" /* one without a period can be late, too; b, which waits for it, cannot */
               "queues: [{from: a, to: b, capacity: 2, blocking: false, full: pop}]\nsources: [{operator: b, period: 20}]",
    };
    for (size_t m = 0; m < sizeof late / sizeof *late; m++) {
        struct claim c;
        struct weir_pipeline *p = stage_read(late[m]);
        bool known;
        assert_false(p->graph->unknown_roots);
        p->graph->unknown_roots = true; /* phases that are not known say when sources begin: none is late */
        c = (struct claim){.pipeline = p};
        assert_int_equal(weir_greedy_follow(p, 0, c.ages, c.covers, &known, NULL), WEIR_OK);
        assert_true(known && c.ages[p->operator_count - 1].any);
        assert_int_equal(check(&c), WEIR_CHECKED_HOLDS);
        p->graph->unknown_roots = false;
        assert_int_equal(check(&c), WEIR_CHECKED_FAILS);
        end(&c);
    }
}
