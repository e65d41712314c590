/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of separations in parts with arcs of two kinds: one that holds, and forged ones. */
#include "support/stage.h"

#include "check/async/async_between.h"
#include "model/pipeline.h"

enum { A, B, ACTORS };

/* a -> b, with room for one message. Columns: a and b of the iteration of the reference, then of the one before. */
struct sheet {
    int64_t least[2 * ACTORS], after[2 * ACTORS], latest[2 * ACTORS];
    struct weir_inner_arc inner;
    struct weir_between_query query;
    int64_t bound;
    bool beginning;
};

static bool holds(const struct sheet *sheet)
{
    struct weir_pipeline *pipeline = stage_read("operators: {a: [1, 2], b: [3, 5]}\nqueues: [a -> b]\n");
    assert_int_equal(pipeline->graph->actor_count, ACTORS);
    struct weir_between table = {.graph = pipeline->graph,
                                 .inner = &sheet->inner,
                                 .inner_count = sheet->inner.late || sheet->inner.early,
                                 .query = sheet->query,
                                 .depth_count = 2,
                                 .least = sheet->least,
                                 .after = sheet->after,
                                 .latest = sheet->latest,
                                 .beginning = sheet->beginning,
                                 .bound = sheet->bound};
    bool good = false;
    assert_int_equal(weir_between_check(&table, &good), WEIR_OK);
    weir_pipeline_free(pipeline);
    return good;
}

/* From the start of a to the finish of its b. The b before has begun when a begins, and takes 5; then b takes 5. */
static const struct sheet right = {.least = {0, WEIR_NO_WAY, 1, 0},
                                   .after = {WEIR_NO_WAY, WEIR_NO_WAY, 0, WEIR_NO_WAY},
                                   .latest = {0, 5, -1, 0},
                                   .query = {.from = A, .to = B, .to_finish = true},
                                   .bound = 10};

TEST(test_between)
{
    assert_true(holds(&right));
    struct sheet wider = right;
    wider.bound = 11;
    wider.latest[B] = 6;
    assert_true(holds(&wider));
}

TEST(test_forged_starts)
{
    struct sheet forged = right;
    forged.bound = 9;
    assert_false(holds(&forged));
    forged.latest[B] = 4; /* not before the b before has finished */
    assert_false(holds(&forged));
    forged.latest[ACTORS + B] = -1;
    assert_false(holds(&forged));
    forged = right;
    forged.latest[ACTORS + A] = -2; /* it waits for nothing that is known */
    assert_false(holds(&forged));
    forged = right;
    forged.latest[ACTORS + B] = WEIR_FAR; /* then b is not known, either */
    assert_false(holds(&forged));
}

TEST(test_forged_ways)
{
    struct sheet forged = right;
    forged.least[ACTORS + B] = 1; /* a waits for the start of the b before alone */
    assert_false(holds(&forged));
    forged = right;
    forged.after[ACTORS + A] = 1;
    assert_false(holds(&forged));
    forged = right;
    forged.least[B] = 0; /* b comes after a */
    forged.latest[B] = 0;
    forged.bound = 5;
    assert_false(holds(&forged));
}

/* What may be later by an arc is not shown by the rest; nor is anything where nobody can begin. */
TEST(test_arcs_of_two_kinds)
{
    struct sheet more = right;
    more.inner = (struct weir_inner_arc){.tail = B, .head = B, .finish = true, .early = 2, .late = 1};
    assert_true(holds(&more));
    more.inner.early = 0;
    assert_false(holds(&more)); /* late is more than early */
    more.inner = (struct weir_inner_arc){.tail = B, .head = A, .early = 1, .late = 0};
    assert_false(holds(&more));
    for (size_t i = 0; i < 2 * (size_t)ACTORS; i++)
        more.latest[i] = 1000;
    more.bound = 1005;
    assert_false(holds(&more));
}

/* a begins at 0 and, when b has begun, at 2; b at 2 and, when it has finished, at 7. */
TEST(test_beginning)
{
    struct sheet first = {.least = {WEIR_NO_WAY, WEIR_NO_WAY, WEIR_NO_WAY, WEIR_NO_WAY},
                          .after = {WEIR_NO_WAY, WEIR_NO_WAY, WEIR_NO_WAY, WEIR_NO_WAY},
                          .latest = {2, 7, 0, 2},
                          .query = {.from = WEIR_NO_ACTOR, .to = B, .to_finish = true},
                          .bound = 12,
                          .beginning = true};
    assert_true(holds(&first));
    first.beginning = false; /* what was before is not known */
    assert_false(holds(&first));
    first.beginning = true;
    first.bound = 11;
    assert_false(holds(&first));
    first.latest[B] = 6;
    assert_false(holds(&first));
}
