/* SPDX-License-Identifier: Apache-2.0 */
/* Sealing: mistakes of the whole pipeline in words, and the latencies that are chosen when none are asked for. */
#include "model/pipeline.h"
#include "support/stage.h"

#include <string.h>

struct link {
    uint32_t from, to, capacity, initial;
};

/* Operators a, b, c ... of time 1, each in its own line of an imagined file; queue i in line 101 + i. */
static struct weir_pipeline *join(uint32_t count, const struct link *links, size_t link_count)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    for (uint32_t i = 0; i < count; i++) {
        char name[2] = {(char)('a' + i), 0};
        struct weir_operator_spec spec = {.name = name, .worst = 1, .place = {i + 1, 3}};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i < link_count; i++) {
        struct weir_queue_spec spec = {.from = {links[i].from},
                                       .to = {links[i].to},
                                       .capacity = links[i].capacity,
                                       .initial = links[i].initial,
                                       .place = {101 + i, 5}};
        assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
    }
    return p;
}

#define JOIN(count, ...)                                                                                                           \
    join(count, (const struct link[]){__VA_ARGS__}, sizeof((const struct link[]){__VA_ARGS__}) / sizeof(struct link))

/* Seals, and compares the mistakes, "line:column: words" each in a line of its own. Frees the pipeline. */
static void assert_mistakes(struct weir_pipeline *p, enum weir_status wanted, const char *expected)
{
    struct weir_errors *errors = weir_errors_new();
    char text[8192] = "";
    assert_int_equal(weir_pipeline_seal(p, "model.yaml", errors), wanted);
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        size_t used = strlen(text);
        assert_string_equal(e->file, "model.yaml");
        assert_int_equal(e->status, wanted);
        snprintf(text + used, sizeof text - used, "%u:%u: %s\n", e->line, e->column, e->message);
    }
    assert_string_equal(text, expected);
    assert_false(weir_pipeline_sealed(p));
    assert_int_equal(weir_pipeline_seal(p, NULL, NULL), wanted); /* without a list, and once more */
    weir_errors_free(errors);
    weir_pipeline_free(p);
}

/* ---- deadlocks ---- */

TEST(test_cycle_without_message)
{
    assert_mistakes(JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 1, 4, 0}), WEIR_INVALID,
                    "102:5: deadlock: nothing in this cycle of 2 can ever start: b -> c -> b; "
                    "give one of its queues an initial message\n");
    assert_mistakes(JOIN(2, {0, 1, 1, 0}, {1, 1, 4, 0}), WEIR_INVALID,
                    "102:5: deadlock: nothing in this cycle of 1 can ever start: b -> b; "
                    "give one of its queues an initial message\n");
}

TEST(test_full_queue)
{
    /* a waits for room in the full queue to c, which only c makes, which waits for what a sends through b. */
    assert_mistakes(JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 0}, {0, 2, 2, 2}), WEIR_INVALID,
                    "101:5: deadlock: nothing in this cycle of 3 can ever start: a -> b -> c (full) -> a; "
                    "a queue in it begins full, so its producer waits for its consumer\n");
    /* Full from the other side: a queue to oneself that begins full. */
    assert_mistakes(JOIN(2, {0, 1, 1, 0}, {1, 1, 3, 3}), WEIR_INVALID,
                    "102:5: deadlock: nothing in this cycle of 1 can ever start: b (full) -> b; "
                    "a queue in it begins full, so its producer waits for its consumer\n");
}

TEST(test_full_queue_alone_is_fine)
{
    struct weir_pipeline *p = JOIN(2, {0, 1, 2, 2});
    stage_seal(p);
    assert_int_equal(weir_pipeline_chain(p, 0).shift, 2);
    weir_pipeline_free(p);
    /* Without backpressure a full queue holds nobody back. */
    p = join(2, (const struct link[]){{0, 1, 1, 0}}, 1);
    assert_int_equal(
        weir_pipeline_add_queue(
            p, &(struct weir_queue_spec){.from = {0}, .to = {1}, .capacity = 2, .initial = 2, .nonblocking = true}, NULL, NULL),
        WEIR_OK);
    stage_seal(p);
    weir_pipeline_free(p);
}

TEST(test_several_cycles)
{
    assert_mistakes(JOIN(7, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 1, 1, 0}, {2, 3, 1, 0}, {3, 4, 1, 0}, {4, 5, 1, 0}, {5, 3, 1, 0},
                         {5, 6, 1, 0}, {6, 6, 1, 0}),
                    WEIR_INVALID,
                    "102:5: deadlock: nothing in this cycle of 2 can ever start: b -> c -> b; "
                    "give one of its queues an initial message\n"
                    "105:5: deadlock: nothing in this cycle of 3 can ever start: d -> e -> f -> d; "
                    "give one of its queues an initial message\n"
                    "109:5: deadlock: nothing in this cycle of 1 can ever start: g -> g; "
                    "give one of its queues an initial message\n");
}

/* One message in a loop is enough, wherever it is; a second loop that shares an operator needs its own. */
TEST(test_one_message_is_enough)
{
    struct weir_pipeline *p = JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 1, 4, 1});
    stage_seal(p);
    weir_pipeline_free(p);
    assert_mistakes(JOIN(4, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 1, 4, 1}, {1, 3, 1, 0}, {3, 1, 1, 0}), WEIR_INVALID,
                    "104:5: deadlock: nothing in this cycle of 2 can ever start: b -> d -> b; "
                    "give one of its queues an initial message\n");
}

/* Of a long cycle the first and the last operators are named. */
TEST(test_long_cycle)
{
    struct link links[13] = {{0, 1, 1, 0}};
    for (uint32_t i = 1; i <= 12; i++)
        links[i] = (struct link){i, i < 12 ? i + 1 : 1, 1, 0};
    assert_mistakes(join(13, links, 13), WEIR_INVALID,
                    "102:5: deadlock: nothing in this cycle of 12 can ever start: "
                    "b -> c -> d -> e -> ... -> j -> k -> l -> m -> b; give one of its queues an initial message\n");
}

/* Operators that receive late have parts of their own in the event graph; the words are about operators all the same. */
TEST(test_late_receivers_in_a_cycle)
{
    for (uint32_t count = 2; count <= 8; count++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        char words[256] = "", expected[512];
        stage_operator(p, "source", 1, 1);
        for (uint32_t i = 1; i <= count; i++) {
            char name[2] = {(char)('a' + i - 1), 0};
            struct weir_operator_spec spec = {.name = name, .worst = 5, .receive_max = 2};
            assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
            stage_queue(p, (struct weir_operator){i - 1}, (struct weir_operator){i}, 1, 0);
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s -> ", name);
        }
        stage_queue(p, (struct weir_operator){count}, (struct weir_operator){1}, 1, 0);
        snprintf(expected, sizeof expected,
                 "0:0: deadlock: nothing in this cycle of %u can ever start: %sa; give one of its queues an initial message\n",
                 count, words);
        assert_mistakes(p, WEIR_INVALID, expected);
    }
}

/* ---- what is not reached ---- */

TEST(test_no_operators)
{
    assert_mistakes(join(0, NULL, 0), WEIR_INVALID, "0:0: the pipeline has no operators\n");
}

TEST(test_one_operator_is_a_pipeline)
{
    struct weir_pipeline *p = join(1, NULL, 0);
    stage_seal(p);
    assert_int_equal(weir_pipeline_chain_count(p), 1);
    weir_pipeline_free(p);
}

TEST(test_isolated)
{
    assert_mistakes(JOIN(4, {0, 2, 1, 0}), WEIR_INVALID,
                    "2:3: operator \"b\" is unreachable: no queue leads to it or from it\n"
                    "4:3: operator \"d\" is unreachable: no queue leads to it or from it\n");
}

/* A loop that nothing leads into, but that leads to what a source leads to, is a source of its own. */
TEST(test_loop_as_source)
{
    struct weir_pipeline *p = JOIN(4, {0, 3, 1, 0}, {1, 2, 1, 0}, {2, 1, 1, 1}, {2, 3, 1, 0});
    stage_seal(p);
    assert_int_equal(weir_pipeline_chain_count(p), 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(p, i);
        assert_int_equal(chain.from.index, i);
        assert_int_equal(chain.to.index, 3);
    }
    weir_pipeline_free(p);
}

/* A loop that nothing leads into starts by itself, but no source feeds it. */
TEST(test_loop_without_source)
{
    assert_mistakes(JOIN(5, {0, 1, 1, 0}, {2, 3, 1, 0}, {3, 2, 1, 1}, {3, 4, 1, 0}), WEIR_INVALID,
                    "3:3: operator \"c\" is unreachable: no source leads to it\n"
                    "4:3: operator \"d\" is unreachable: no source leads to it\n"
                    "5:3: operator \"e\" is unreachable: no source leads to it\n");
    /* A period makes an operator of it a source. */
    struct weir_pipeline *p = JOIN(5, {0, 1, 1, 0}, {2, 3, 1, 0}, {3, 2, 1, 1}, {3, 4, 1, 0});
    stage_period(p, (struct weir_operator){2}, 9, WEIR_ARRIVALS_AT_MOST);
    stage_seal(p);
    assert_int_equal(weir_pipeline_chain_count(p), 2);
    weir_pipeline_free(p);
}

/* Several kinds of mistakes are reported together. */
TEST(test_mistakes_together)
{
    assert_mistakes(JOIN(4, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 1, 1, 0}), WEIR_INVALID,
                    "4:3: operator \"d\" is unreachable: no queue leads to it or from it\n"
                    "102:5: deadlock: nothing in this cycle of 2 can ever start: b -> c -> b; "
                    "give one of its queues an initial message\n");
}

TEST(test_no_way_between_a_chain)
{
    struct weir_pipeline *p = JOIN(4, {0, 1, 1, 0}, {0, 2, 1, 0}, {1, 3, 1, 0}, {2, 3, 1, 0});
    const struct weir_chain_spec chains[] = {{.from = {0}, .to = {3}, .place = {7, 1}},
                                             {.from = {1}, .to = {2}, .place = {8, 1}},
                                             {.from = {3}, .to = {0}, .place = {9, 1}},
                                             {.from = {2}, .to = {1}, .has_shift = true, .shift = 1, .place = {10, 1}}};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(weir_pipeline_add_chain(p, &chains[i], NULL), WEIR_OK);
    assert_mistakes(p, WEIR_INVALID,
                    "8:1: no path of queues leads from \"b\" to \"c\", so there is no latency to measure\n9:1: no path of queues "
                    "leads from \"d\" to \"a\", so there is no latency to measure\n");
}

TEST(test_times_too_long_together)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < 3; i++) {
        char name[2] = {(char)('a' + i), 0};
        struct weir_operator_spec spec = {.name = name, .worst = INT64_C(1) << 59, .place = {i + 1, 1}};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
        if (i > 0)
            stage_queue(p, (struct weir_operator){i - 1}, (struct weir_operator){i}, 1, 0);
    }
    assert_mistakes(p, WEIR_OVERFLOW,
                    "2:1: the times of all operators together are longer than can be represented; use a coarser unit\n");
    p = JOIN(2, {0, 1, 1, 0});
    struct weir_source_spec source = {.op = {0}, .period = (INT64_C(1) << 60) - 1, .place = {6, 1}};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    assert_mistakes(p, WEIR_OVERFLOW, "6:1: times and periods together are longer than can be represented; use a coarser unit\n");
    p = JOIN(2, {0, 1, 1, 0});
    source.period -= 1; /* together 2^60 */
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    assert_mistakes(p, WEIR_OVERFLOW, "6:1: times and periods together are longer than can be represented; use a coarser unit\n");
    p = JOIN(2, {0, 1, 1, 0});
    source.period--;
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    weir_pipeline_free(p);
}

/* ---- latencies left to weir ---- */

static void assert_chains(struct weir_pipeline *p, const char *expected)
{
    char text[512] = "";
    stage_seal(p);
    for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++) {
        struct weir_chain_spec q = weir_pipeline_chain(p, i);
        size_t used = strlen(text);
        assert_true(q.has_shift);
        snprintf(text + used, sizeof text - used, "%s%s -> %s by %lld", i ? ", " : "", weir_pipeline_operator(p, q.from).name,
                 weir_pipeline_operator(p, q.to).name, (long long)q.shift);
    }
    assert_string_equal(text, expected);
    weir_pipeline_free(p);
}

TEST(test_roots_and_leaves)
{
    assert_chains(JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 0}), "a -> c by 0");
    /* Two roots, three leaves; b does not reach e. Sorted by from, then to. */
    assert_chains(JOIN(6, {1, 2, 1, 0}, {0, 2, 1, 0}, {2, 5, 1, 0}, {2, 3, 1, 0}, {0, 4, 1, 0}),
                  "a -> d by 0, a -> e by 0, a -> f by 0, b -> d by 0, b -> f by 0");
    /* An operator alone, with a queue to itself, is both. */
    assert_chains(JOIN(1, {0, 0, 3, 1}), "a -> a by 0");
}

TEST(test_sources_are_roots)
{
    struct weir_pipeline *p = JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 0});
    stage_period(p, (struct weir_operator){1}, 10, WEIR_ARRIVALS_EXACT);
    assert_chains(p, "a -> c by 0, b -> c by 0");
}

TEST(test_loops_without_ends)
{
    /* One great loop: the queue that begins with a message is the feedback. */
    assert_chains(JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 0, 2, 2}), "a -> c by 0");
    assert_chains(JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 1}, {2, 0, 2, 0}), "c -> b by 0");
    /* Feedback in the middle changes nothing. */
    assert_chains(JOIN(4, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 1, 1, 1}, {2, 3, 1, 0}), "a -> d by 0");
    /* A root but no leaf: the leaves are found without the feedback. */
    assert_chains(JOIN(3, {0, 1, 1, 0}, {1, 2, 1, 0}, {2, 1, 1, 1}), "a -> c by 0");
    /* A leaf but no root. */
    assert_chains(JOIN(3, {0, 1, 1, 0}, {1, 0, 1, 1}, {1, 2, 1, 0}), "a -> c by 0");
    /* Two loops joined: two queues begin with messages, so two operators begin. */
    assert_chains(JOIN(4, {0, 1, 1, 0}, {1, 0, 1, 1}, {1, 2, 1, 1}, {2, 3, 1, 0}, {3, 2, 1, 2 - 1}),
                  "a -> b by 0, a -> d by 1, c -> d by 0");
}

/* ---- whose message arrives when ---- */

static void assert_shift(struct weir_pipeline *p, struct weir_chain_spec chain, int64_t expected)
{
    assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK);
    stage_seal(p);
    assert_int_equal(weir_pipeline_chain_count(p), 1);
    assert_true(weir_pipeline_chain(p, 0).has_shift);
    assert_int_equal(weir_pipeline_chain(p, 0).shift, expected);
    weir_pipeline_free(p);
}

TEST(test_shift_follows_the_message)
{
    const struct weir_chain_spec a_to_c = {.from = {0}, .to = {2}}, c_to_a = {.from = {2}, .to = {0}};
    /* What a sends in iteration i stands behind three messages, then behind two: c takes it in iteration i + 5. */
    assert_shift(JOIN(3, {0, 1, 4, 3}, {1, 2, 4, 2}), a_to_c, 5);
    /* The path with the fewest messages counts, also when it is the longer one. */
    assert_shift(JOIN(4, {0, 2, 4, 3}, {0, 1, 4, 1}, {1, 3, 4, 1}, {3, 2, 4, 0}), a_to_c, 2);
    /* Against the data there is no way: backpressure carries no messages. */
    assert_shift(JOIN(3, {0, 1, 4, 0}, {1, 2, 4, 0}, {2, 0, 9, 7}), c_to_a, 7);
    /* From an operator to itself nothing passes. */
    assert_shift(JOIN(3, {0, 1, 4, 0}, {1, 2, 4, 0}, {2, 0, 9, 7}), (struct weir_chain_spec){.from = {1}, .to = {1}}, 0);
    /* The user's word counts more, even where no way leads. */
    assert_shift(JOIN(3, {0, 1, 4, 3}, {1, 2, 4, 2}), (struct weir_chain_spec){.to = {2}, .has_shift = true, .shift = -4}, -4);
    assert_shift(JOIN(3, {0, 1, 4, 3}, {1, 2, 4, 2}), (struct weir_chain_spec){.from = {2}, .has_shift = true, .shift = 1}, 1);
}

/* Late receivers and exact arrivals add parts, none of which changes who handles what. */
TEST(test_shift_through_parts)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a, b, c = {2};
    struct weir_operator_spec late = {.name = "a", .worst = 5, .receive_max = 5};
    assert_int_equal(weir_pipeline_add_operator(p, &late, &a, NULL), WEIR_OK);
    late.name = "b";
    assert_int_equal(weir_pipeline_add_operator(p, &late, &b, NULL), WEIR_OK);
    late.name = "c";
    assert_int_equal(weir_pipeline_add_operator(p, &late, &c, NULL), WEIR_OK);
    stage_queue(p, a, b, 3, 2);
    stage_queue(p, b, c, 1, 1);
    stage_period(p, a, 100, WEIR_ARRIVALS_EXACT);
    assert_shift(p, (struct weir_chain_spec){.from = a, .to = c}, 3);
}
