/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering, arc by arc against the rules at the top of lower.c; and that the arrays keep the promises of graph.h. */
#include "model/pipeline.h"
#include "support/random/pipeline.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

enum { ARCS_MAX = 64, ARC_TEXT = 160 };

struct arcs {
    char text[ARCS_MAX][ARC_TEXT];
    size_t count;
};

static void name_actor(const struct weir_pipeline *p, uint32_t actor, char name[32])
{
    static const char *const parts[] = {"", ".receive", ".arrival", ".done", ".gpu", ".after", ".transfer", ".tick"};
    struct weir_actor a = p->graph->actors[actor];
    uint32_t of = a.part == WEIR_PART_TRANSFER ? p->queues[a.queue].from.index : a.op;
    char firing[16] = "";
    if (weir_pipeline_firings(p, (struct weir_operator){of}) > 1)
        snprintf(firing, sizeof firing, "%u", a.firing);
    snprintf(name, 32, "%s%s%s%s", p->operators[a.op].name, firing, parts[a.part],
             a.part == WEIR_PART_TICK && p->graph->hi[actor] == 0 ? "s" : ""); /* "ticks" is the clock */
}

static void add_arc(struct arcs *arcs, const struct weir_pipeline *p, uint32_t tail, uint32_t head, const struct weir_arc_run *run)
{
    static const char *const waits[] = {"together", "data", "busy", "room", "period", "order"};
    char from[32], to[32], offset[32] = "";
    assert_true(arcs->count < ARCS_MAX);
    name_actor(p, tail, from);
    name_actor(p, head, to);
    if (run->offset)
        snprintf(offset, sizeof offset, " + %lld", (long long)run->offset);
    snprintf(arcs->text[arcs->count++], ARC_TEXT, "%s(%s) -> %s by %u%s, %s", run->finish ? "finish" : "start", from, to,
             run->tokens, offset, waits[run->wait]);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The arcs of the graph, sorted; from the outgoing side, and as a check from the incoming one. */
static void collect(const struct weir_pipeline *p, struct arcs *arcs)
{
    const struct weir_graph *g = p->graph;
    struct arcs in = {.count = 0};
    arcs->count = 0;
    for (uint32_t v = 0; v < g->actor_count; v++) {
        for (uint32_t r = g->out_first[v]; r < g->out_first[v + 1]; r++)
            for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end; i++)
                add_arc(arcs, p, v, g->heads[i], &g->out_runs[r]);
        for (uint32_t r = g->in_first[v]; r < g->in_first[v + 1]; r++)
            for (uint32_t i = g->in_runs[r].first; i < g->in_runs[r].end; i++)
                add_arc(&in, p, g->tails[i], v, &g->in_runs[r]);
    }
    assert_int_equal(arcs->count, g->arc_count);
    assert_int_equal(in.count, g->arc_count);
    qsort(arcs->text, arcs->count, ARC_TEXT, by_text);
    qsort(in.text, in.count, ARC_TEXT, by_text);
    for (size_t i = 0; i < in.count; i++)
        assert_string_equal(arcs->text[i], in.text[i]);
}

/* Seals and frees. `expected`: an arc to each string, in any order. */
static void compare(struct weir_pipeline *p, const char *const *expected, size_t count)
{
    struct arcs found, wanted = {.count = count};
    stage_seal(p);
    collect(p, &found);
    for (size_t i = 0; i < count; i++)
        snprintf(wanted.text[i], ARC_TEXT, "%s", expected[i]);
    qsort(wanted.text, count, ARC_TEXT, by_text);
    for (size_t i = 0; i < count && i < found.count; i++)
        assert_string_equal(found.text[i], wanted.text[i]);
    assert_int_equal(found.count, count);
    weir_pipeline_free(p);
}

#define COMPARE(p, ...) compare(p, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static struct weir_pipeline *two(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "a", 1, 4);
    stage_operator(p, "b", 2, 3);
    return p;
}

static void add_queue(struct weir_pipeline *p, struct weir_queue_spec spec)
{
    assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
}

TEST(test_queues)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 3});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data", "start(b) -> a by 3, room");
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 3, .initial = 2});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 2, data", "start(b) -> a by 1, room");
    p = two(); /* full at the beginning: the consumer comes first */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 3, .initial = 3});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 3, data", "start(b) -> a by 0, room");
}

TEST(test_queues_that_never_block)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 3, .nonblocking = true});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data");
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = WEIR_UNBOUNDED, .initial = 5});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 5, data");
}

/* Parallel queues and a queue to oneself: each has its arcs. */
TEST(test_parallel_and_self)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {1}, .capacity = 4, .initial = 1});
    /* Of arcs of a kind between the same two, only the one with the fewest tokens is kept. */
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data", "start(b) -> a by 1, room",
            "start(b) -> b by 3, room");
}

TEST(test_feedback)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {0}, .capacity = 2, .initial = 2});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data", "start(b) -> a by 1, room",
            "finish(b) -> a by 2, data", "start(a) -> b by 0, room");
}

TEST(test_periods)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    stage_period(p, (struct weir_operator){0}, 33, WEIR_ARRIVALS_AT_MOST);
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data", "start(b) -> a by 1, room",
            "start(a) -> a by 1 + 33, period");
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    stage_period(p, (struct weir_operator){0}, 33, WEIR_ARRIVALS_EXACT);
    stage_period(p, (struct weir_operator){1}, 44, WEIR_ARRIVALS_AT_MOST);
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data", "start(b) -> a by 1, room",
            "start(a.arrival) -> a.arrival by 1 + 33, period", "finish(a.arrival) -> a by 0, data",
            "start(b) -> b by 1 + 44, period");
}

TEST(test_late_receive)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "a", 1, 4);
    struct weir_operator_spec late = {.name = "b", .best = 2, .worst = 9, .receive_min = 3, .receive_max = 5};
    assert_int_equal(weir_pipeline_add_operator(p, &late, NULL, NULL), WEIR_OK);
    stage_operator(p, "c", 0, 1);
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {2}, .capacity = 1});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b.done) -> b by 1, busy", "finish(c) -> c by 1, busy",
            "start(b) -> b.receive by 0, together", "finish(b) -> b.done by 0, together",
            "finish(b.receive) -> b.done by 0, together", "finish(a) -> b by 0, data", "finish(b.receive) -> a by 2, room",
            "finish(b.done) -> c by 0, data", "start(c) -> b by 1, room");
}

TEST(test_reentrant)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator_spec spec = {.name = "a", .best = 1, .worst = 4, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    spec = (struct weir_operator_spec){.name = "b", .best = 2, .worst = 9, .receive_max = 5, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2});
    COMPARE(p, "start(a) -> a by 1, order", "start(b) -> b by 1, order", "start(b) -> b.receive by 0, together",
            "finish(b) -> b.done by 0, together", "finish(b.receive) -> b.done by 0, together", "finish(a) -> b by 0, data",
            "finish(b.receive) -> a by 2, room");
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    stage_seal(p);
    assert_true(p->graph->in_order);
    weir_pipeline_free(p);
}

/* The actors and what is said about them. */
TEST(test_actors)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 4);
    struct weir_operator_spec late = {.name = "b", .best = 2, .worst = 9, .receive_min = 3, .receive_max = 5};
    assert_int_equal(weir_pipeline_add_operator(p, &late, NULL, NULL), WEIR_OK);
    add_queue(p, (struct weir_queue_spec){.from = a, .to = {1}, .capacity = 7, .initial = 1});
    stage_period(p, a, 20, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    const struct weir_graph *g = p->graph;
    static const int64_t times[4][2][2] = {{{1, 4}, {2, 9}}, {{0, 0}, {3, 5}}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}};
    assert_int_equal(g->actor_count, 5); /* a, its arrival, b, its receive, its done */
    for (uint32_t v = 0; v < g->actor_count; v++) {
        assert_int_equal(g->lo[v], times[g->actors[v].part][g->actors[v].op][0]);
        assert_int_equal(g->hi[v], times[g->actors[v].part][g->actors[v].op][1]);
    }
    assert_int_equal(g->start_of[0], g->finish_of[0]);
    assert_int_equal(g->actors[g->start_of[1]].part, WEIR_PART_EXECUTION);
    assert_int_equal(g->actors[g->finish_of[1]].part, WEIR_PART_DONE);
    assert_int_equal(g->actors[g->arrival_of[0]].part, WEIR_PART_ARRIVAL);
    assert_true(g->arrival_of[1] == WEIR_NO_ACTOR);
    assert_int_equal(g->row_max, 4 + 9 + 5 + 20);
    assert_int_equal(g->tokens_max, 6);
    assert_true(g->offsets);
    assert_false(g->instant_best);
    weir_pipeline_free(p);
}

TEST(test_one_pass_is_recognised)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){5, 6, 7}, 9);
    assert_true(p->graph->instant_best);
    assert_false(p->graph->offsets);
    weir_pipeline_free(p);
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = WEIR_UNBOUNDED});
    stage_seal(p);
    assert_false(p->graph->instant_best);
    weir_pipeline_free(p);
}

/* ---- what graph.h promises of any graph ---- */

static void check_side(const struct weir_graph *g, const uint32_t *first, const struct weir_arc_run *runs, const uint32_t *ends,
                       bool out)
{
    uint32_t next = 0;
    assert_int_equal(first[0], 0);
    for (uint32_t v = 0; v < g->actor_count; v++)
        for (uint32_t r = first[v]; r < first[v + 1]; r++) {
            assert_int_equal(runs[r].first, next); /* one after the other, none empty */
            assert_true(runs[r].end > runs[r].first);
            next = runs[r].end;
            assert_true(r == first[v] || runs[r - 1].tokens <= runs[r].tokens);
            assert_int_equal(g->token_counts[runs[r].fifo], runs[r].tokens);
            for (uint32_t i = runs[r].first; i < runs[r].end; i++)
                assert_true(runs[r].tokens > 0 || (out ? ends[i] > v : ends[i] < v));
        }
    assert_int_equal(next, g->arc_count);
}

static void check_graph(const struct weir_pipeline *p)
{
    const struct weir_graph *g = p->graph;
    struct arcs arcs;
    check_side(g, g->out_first, g->out_runs, g->heads, true);
    check_side(g, g->in_first, g->in_runs, g->tails, false);
    if (g->arc_count <= ARCS_MAX)
        collect(p, &arcs);
    for (uint32_t i = 1; i < g->token_count_count; i++)
        assert_true(g->token_counts[i - 1] < g->token_counts[i]);
    assert_int_equal(g->tokens_max, g->token_counts[g->token_count_count - 1]);
    assert_int_equal(g->hi[g->actor_count], 0);
}

TEST(test_any_graph)
{
    struct weir_random random;
    for (uint64_t seed = 0; seed < 400; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        check_graph(p);
        weir_pipeline_free(p);
    }
}

/* ---- large numbers ---- */

TEST(test_huge_capacities)
{
    struct weir_pipeline *p = two();
    const uint32_t most = UINT32_C(1) << 30;
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = most, .initial = most - 1});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {0}, .capacity = most, .initial = 1});
    stage_seal(p);
    check_graph(p);
    assert_int_equal(p->graph->tokens_max, most - 1);
    weir_pipeline_free(p);
}

/* More than an index of two bytes could tell apart. */
TEST(test_many_different_capacities)
{
    const uint32_t count = 70000;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i <= count; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        assert_int_equal(weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = name, .worst = 1}, NULL, NULL),
                         WEIR_OK);
    }
    for (uint32_t i = 0; i < count; i++)
        add_queue(p, (struct weir_queue_spec){.from = {i}, .to = {i + 1}, .capacity = i + 1});
    stage_seal(p);
    assert_int_equal(p->graph->token_count_count, count + 1); /* and the 0 of the data */
    check_graph(p);
    weir_pipeline_free(p);
}

/* Of parallel queues the shallowest counts, and costs as if it were alone. */
TEST(test_parallel_queues)
{
    struct weir_pipeline *p = two();
    for (uint32_t i = 2; i <= 70000; i++)
        add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = i});
    stage_seal(p);
    assert_int_equal(p->graph->arc_count, 4);
    assert_int_equal(p->graph->tokens_max, 2);
    assert_int_equal(p->graph->token_count_count, 3);
    check_graph(p);
    weir_pipeline_free(p);
}

/* ---- beyond plain pipelines ---- */

static void launch(struct weir_pipeline *p, uint32_t op, struct weir_launch launch)
{
    struct weir_operator_spec spec = p->operators[op];
    spec.launch = &launch;
    assert_int_equal(weir_pipeline_change_operator(p, (struct weir_operator){op}, &spec, NULL), WEIR_OK);
}

/* b executes once for three of a, which have turns 0, 1 and 2. Messages 0, 1, 2 are a's 0, 1, 2; all places are free again when b
 * begins. */
TEST(test_batches)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 3, .consume = 3});
    COMPARE(p, "finish(a0) -> a1 by 0, busy", "finish(a1) -> a2 by 0, busy", "finish(a2) -> a0 by 1, busy",
            "finish(b) -> b by 1, busy", "finish(a0) -> b by 0, data", "finish(a1) -> b by 0, data", "finish(a2) -> b by 0, data",
            "start(b) -> a0 by 1, room", "start(b) -> a1 by 1, room", "start(b) -> a2 by 1, room");
    /* A place more: message 3, by a0 of the next round, has room from the beginning; a1's needs message 0, taken in round 0. */
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 4, .consume = 3});
    COMPARE(p, "finish(a0) -> a1 by 0, busy", "finish(a1) -> a2 by 0, busy", "finish(a2) -> a0 by 1, busy",
            "finish(b) -> b by 1, busy", "finish(a0) -> b by 0, data", "finish(a1) -> b by 0, data", "finish(a2) -> b by 0, data",
            "start(b) -> a0 by 2, room", "start(b) -> a1 by 1, room", "start(b) -> a2 by 1, room");
    /* One message is there already: b takes it with a's 0 and 1; a's 2 goes to the next. Of 4 places 3 are free. */
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 4, .initial = 1, .consume = 3});
    COMPARE(p, "finish(a0) -> a1 by 0, busy", "finish(a1) -> a2 by 0, busy", "finish(a2) -> a0 by 1, busy",
            "finish(b) -> b by 1, busy", "finish(a0) -> b by 0, data", "finish(a1) -> b by 0, data", "finish(a2) -> b by 1, data",
            "start(b) -> a0 by 1, room", "start(b) -> a1 by 1, room", "start(b) -> a2 by 1, room");
}

TEST(test_batches_of_sources)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = WEIR_UNBOUNDED, .consume = 2});
    stage_period(p, (struct weir_operator){0}, 7, WEIR_ARRIVALS_EXACT);
    COMPARE(p, "finish(a0) -> a1 by 0, busy", "finish(a1) -> a0 by 1, busy", "finish(b) -> b by 1, busy",
            "finish(a0) -> b by 0, data", "finish(a1) -> b by 0, data", "start(a0.arrival) -> a1.arrival by 0 + 7, period",
            "start(a1.arrival) -> a0.arrival by 1 + 7, period", "finish(a0.arrival) -> a0 by 0, data",
            "finish(a1.arrival) -> a1 by 0, data");
}

TEST(test_launches)
{
    struct weir_pipeline *p = two(); /* a goes on, b waits; b's work also waits for that behind a's message */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    launch(p, 0, (struct weir_launch){.best = 2, .worst = 5});
    launch(p, 1, (struct weir_launch){.worst = 3, .waits = true, .after_worst = 1});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b.after) -> b by 1, busy", "finish(a) -> a.gpu by 0, together",
            "finish(a.gpu) -> a.gpu by 1, busy", "finish(b) -> b.gpu by 0, together", "finish(b.gpu) -> b.after by 0, together",
            "finish(a) -> b by 0, data", "finish(a.gpu) -> b.gpu by 0, data", "start(b) -> a by 1, room");
    p = two(); /* a waits: b's work has nothing to wait for */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    launch(p, 0, (struct weir_launch){.worst = 3, .waits = true});
    launch(p, 1, (struct weir_launch){.best = 2, .worst = 5});
    COMPARE(p, "finish(a.gpu) -> a by 1, busy", "finish(a) -> a.gpu by 0, together", "finish(b) -> b by 1, busy",
            "finish(b) -> b.gpu by 0, together", "finish(b.gpu) -> b.gpu by 1, busy", "finish(a.gpu) -> b by 0, data",
            "start(b) -> a by 1, room");
}

/* b launches nothing, but c after it does: b hands on. To d, where nobody launches, nothing is handed on. */
TEST(test_launches_handed_on)
{
    struct weir_pipeline *p = two();
    stage_operator(p, "c", 1, 1);
    stage_operator(p, "d", 1, 1);
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = WEIR_UNBOUNDED});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {2}, .capacity = WEIR_UNBOUNDED, .initial = 1});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {3}, .capacity = WEIR_UNBOUNDED});
    launch(p, 0, (struct weir_launch){.worst = 5});
    launch(p, 2, (struct weir_launch){.worst = 6});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(c) -> c by 1, busy", "finish(d) -> d by 1, busy",
            "finish(a) -> a.gpu by 0, together", "finish(a.gpu) -> a.gpu by 1, busy", "finish(c) -> c.gpu by 0, together",
            "finish(c.gpu) -> c.gpu by 1, busy", "finish(a) -> b by 0, data", "finish(b) -> c by 1, data",
            "finish(b) -> d by 0, data", "finish(a.gpu) -> b.gpu by 0, data", "finish(b.gpu) -> c.gpu by 1, data");
}

TEST(test_transfers_and_ticks)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2, .initial = 1, .transfer_min = 1, .transfer_max = 2});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b.transfer by 0, data",
            "finish(b.transfer) -> b by 1, data", "start(b) -> a by 1, room");
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = WEIR_UNBOUNDED});
    stage_period(p, (struct weir_operator){0}, 7, WEIR_ARRIVALS_CATCH_UP);
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data",
            "start(a.ticks) -> a.ticks by 1 + 7, period", "finish(a.ticks) -> a by 0, period");
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = WEIR_UNBOUNDED});
    stage_period(p, (struct weir_operator){0}, 7, WEIR_ARRIVALS_SKIP);
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data",
            "start(a.ticks) -> a.ticks by 1 + 7, period", "finish(a.ticks) -> a by 0, period", "start(a) -> a.tick by 0, together",
            "finish(a.tick) -> a by 1, period");
}

/* Connections that are not waited for are no arcs; queues that lose messages have no limit. */
TEST(test_cuts)
{
    static const struct weir_queue_spec none[] = {
        {.to = {1}, .capacity = 2, .latest = true},
        {.to = {1}, .capacity = 2, .optional = true, .nonblocking = true, .full = WEIR_FULL_POP},
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct weir_pipeline *p = two();
        add_queue(p, none[i]);
        COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy");
    }
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2, .nonblocking = true, .full = WEIR_FULL_REJECT});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "finish(a) -> b by 0, data");
    p = two(); /* a start of b takes one message at most: room cannot come before */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2, .optional = true});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(b) -> b by 1, busy", "start(b) -> a by 2, room");
}

/* a, then y (with x), then a: see the same pipeline in the tests of the exact engine. */
TEST(test_streams)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "a", 1, 1);
    stage_operator(p, "x", 1, 1);
    stage_operator(p, "y", 1, 1);
    launch(p, 0, (struct weir_launch){.worst = 9, .stream = "s"});
    launch(p, 2, (struct weir_launch){.worst = 2, .waits = true, .stream = "s"});
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = WEIR_UNBOUNDED});
    add_queue(p, (struct weir_queue_spec){.from = {2}, .to = {1}, .capacity = 1, .initial = 1});
    add_queue(p, (struct weir_queue_spec){.from = {2}, .to = {0}, .capacity = WEIR_UNBOUNDED, .initial = 1});
    COMPARE(p, "finish(a) -> a by 1, busy", "finish(x) -> x by 1, busy", "finish(y.gpu) -> y by 1, busy",
            "finish(a) -> a.gpu by 0, together", "finish(a.gpu) -> a.gpu by 1, busy", "finish(y) -> y.gpu by 0, together",
            "finish(a) -> x by 0, data", "finish(y.gpu) -> x by 1, data", "start(x) -> y by 0, room",
            "finish(y.gpu) -> a by 1, data", "finish(a.gpu) -> y.gpu by 0, order", "finish(y.gpu) -> a.gpu by 1, order");
}
