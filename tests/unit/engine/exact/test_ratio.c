/* SPDX-License-Identifier: Apache-2.0 */
/* Throughput: the largest cycle ratio, against every simple cycle of small graphs. */
#include "asking.h"

#include "base/number.h"
#include "model/pipeline.h"
#include "support/random/pipeline.h"
#include "support/runner.h"

#include <string.h>

enum { ACTORS_MAX = 32 };

/* All simple cycles through `first` and larger actors, depth first. Recursion is as deep as the graph has actors. */
struct cycles {
    const struct weir_graph *graph;
    const int64_t *times;
    const bool *counts; /* by actor: whether it can hold the operator back */
    bool on_path[ACTORS_MAX];
    uint32_t path[ACTORS_MAX], length;
    uint32_t first;
    struct weir_ratio largest; /* denominator 0: no cycle yet */
    const struct weir_operator *claimed;
    size_t claimed_count;
    bool claim_found; /* a cycle of the largest ratio has the operators that are claimed */
    uint64_t steps;
};

static bool matches_claim(const struct cycles *c)
{
    bool seen[ACTORS_MAX] = {false};
    size_t operators = 0;
    for (uint32_t i = 0; i < c->length; i++) {
        uint32_t op = c->graph->actors[c->path[i]].op;
        operators += !seen[op];
        seen[op] = true;
    }
    for (size_t i = 0; i < c->claimed_count; i++)
        if (!seen[c->claimed[i].index])
            return false;
    return operators == c->claimed_count;
}

static void close_cycle(struct cycles *c, int64_t weight, int64_t tokens)
{
    struct weir_ratio ratio = {weight, tokens};
    int order = c->largest.denominator ? weir_ratio_compare(ratio, c->largest) : 1;
    if (order > 0)
        c->claim_found = false;
    if (order >= 0) {
        c->largest = weir_ratio_reduce(ratio);
        c->claim_found |= c->claimed && matches_claim(c);
    }
}

static void extend(struct cycles *c, uint32_t at, int64_t weight, int64_t tokens)
{
    const struct weir_graph *g = c->graph;
    c->on_path[at] = true;
    c->path[c->length++] = at;
    for (uint32_t r = g->out_first[at]; r < g->out_first[at + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t longer = weight + run->offset + (run->finish ? c->times[at] : 0), more = tokens + run->tokens;
        for (uint32_t i = run->first; i < run->end; i++) {
            uint32_t head = g->heads[i];
            if (head == c->first)
                close_cycle(c, longer, more);
            else if (head > c->first && !c->on_path[head] && c->counts[head] && c->steps++ < 2000000)
                extend(c, head, longer, more);
        }
    }
    c->length--;
    c->on_path[at] = false;
}

/* Whether `actor` leads to `target`. */
static void mark_leading(const struct weir_graph *g, uint32_t target, bool *leads)
{
    memset(leads, 0, ACTORS_MAX * sizeof *leads);
    leads[target] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < g->actor_count; v++)
            for (uint32_t r = g->out_first[v]; r < g->out_first[v + 1]; r++)
                for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end && !leads[v]; i++)
                    changed |= leads[v] = leads[g->heads[i]];
    }
}

static struct weir_ratio compare(const struct weir_pipeline *p, uint32_t op, bool worst)
{
    const struct weir_graph *g = p->graph;
    bool counts[ACTORS_MAX];
    struct weir_ratio period;
    struct weir_operator *cycle;
    size_t cycle_count;
    assert_int_equal(weir_throughput(p, (struct weir_operator){op}, worst, &period, &cycle, &cycle_count, NULL), WEIR_OK);
    struct cycles c = {.graph = g, .times = worst ? g->hi : g->lo, .counts = counts};
    c.claimed = cycle;
    c.claimed_count = cycle_count;
    mark_leading(g, g->start_of[op], counts);
    for (c.first = 0; c.first < g->actor_count; c.first++)
        if (counts[c.first])
            extend(&c, c.first, 0, 0);
    assert_true(c.steps < 2000000);
    if (c.largest.denominator) {
        assert_int_equal(period.numerator, c.largest.numerator);
        assert_int_equal(period.denominator, c.largest.denominator);
        assert_true(c.claim_found);
        struct weir_ratio alone;
        assert_int_equal(weir_throughput(p, (struct weir_operator){op}, worst, &alone, NULL, NULL, NULL), WEIR_OK);
        assert_int_equal(weir_ratio_compare(alone, period), 0);
    }
    weir_free(cycle);
    return period;
}

/* A ring with several messages in it, and queues across: whole numbers are rare. */
static struct weir_pipeline *random_ring(struct weir_random *random)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    uint32_t n = (uint32_t)weir_random_between(random, 3, 7);
    for (uint32_t i = 0; i < n; i++) {
        char name[2] = {(char)('a' + i), 0};
        int64_t worst = weir_random_between(random, 80, 100);
        stage_operator(p, name, weir_random_between(random, 0, worst), worst);
    }
    uint32_t messages = (uint32_t)weir_random_between(random, 2, n);
    for (uint32_t i = 0; i < n; i++)
        stage_queue(p, (struct weir_operator){i}, (struct weir_operator){(i + 1) % n}, 8, i + 1 < n ? 0 : messages);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t from = (uint32_t)weir_random_between(random, 0, n - 1), to = (uint32_t)weir_random_between(random, 0, n - 1);
        stage_queue(p, (struct weir_operator){from}, (struct weir_operator){to}, 4,
                    to > from ? 0 : (uint32_t)weir_random_between(random, 1, 3));
    }
    stage_seal(p);
    return p;
}

TEST(test_every_simple_cycle)
{
    struct weir_random random;
    int fractions = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p =
            seed % 5 ? weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS)) : random_ring(&random);
        assert_true(p->graph->actor_count <= ACTORS_MAX);
        for (uint32_t op = 0; op < weir_pipeline_operator_count(p); op++) {
            struct weir_ratio worst = compare(p, op, true), best = compare(p, op, false);
            assert_true(weir_ratio_compare(best, worst) <= 0);
            fractions += worst.denominator > 1;
        }
        weir_pipeline_free(p);
    }
    assert_true(fractions > 100); /* ratios that are no whole numbers were among them */
}

static void assert_period(const char *model, const char *op, bool worst, int64_t numerator, int64_t denominator)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_operator o;
    assert_true(weir_pipeline_find(p, op, &o));
    struct weir_ratio period = compare(p, o.index, worst);
    assert_int_equal(period.numerator, numerator);
    assert_int_equal(period.denominator, denominator);
    weir_pipeline_free(p);
}

TEST(test_by_hand)
{
    /* The slowest operator. */
    assert_period("operators: {a: [1, 4], b: [5, 9], c: 2}\nqueues: [a -> b -> c]", "c", true, 9, 1);
    assert_period("operators: {a: [1, 4], b: [5, 9], c: 2}\nqueues: [a -> b -> c]", "c", false, 5, 1);
    /* One message in a loop of 4 and 9, then three in a loop of 20. */
    assert_period("operators: {a: 4, b: 9}\nqueues: [a -> b, {from: b, to: a, initial: 1}]", "a", true, 13, 1);
    assert_period("operators: {a: 5, b: 6, c: 9}\nqueue: 3\nqueues: [a -> b -> c, {from: c, to: a, initial: 2}]", "a", true, 10, 1);
    assert_period("operators: {a: 5, b: 6, c: 6}\nqueue: 3\nqueues: [a -> b -> c, {from: c, to: a, initial: 2}]", "a", true, 17, 2);
    /* Backpressure closes a loop too: a -> c has room for one, while a -> b -> c takes 5 + 6 until c takes it. */
    assert_period("operators: {a: 5, b: 6, c: 2}\nqueues: [a -> b -> c, a -> c]", "c", true, 11, 1);
    assert_period("operators: {a: 5, b: 6, c: 2}\nqueues: [a -> b -> c, {from: a, to: c, capacity: 2}]", "c", true, 6, 1);
    /* Periods; and receiving late. */
    assert_period("operators: {a: 5, b: 6}\nqueues: [a -> b]\nsource: {operator: a, period: 7}", "b", true, 7, 1);
    assert_period("operators: {a: 5, b: {time: 6, receive: 4}}\nqueues: [a -> b]", "b", true, 9, 1);
    /* What is behind a queue that never blocks holds nobody back. */
    assert_period("operators: {a: 5, b: 6}\nqueues: [{from: a, to: b, blocking: false}]", "a", true, 5, 1);
    assert_period("operators: {a: 5, b: 6}\nqueues: [{from: a, to: b, blocking: false}]", "b", true, 6, 1);
}

/* Times near the limit: the ratio is exact all the same. */
TEST(test_large_times)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    const int64_t large = (INT64_C(1) << 58) - 1;
    struct weir_operator a = stage_operator(p, "a", 0, large), b = stage_operator(p, "b", 0, large - 1), found;
    stage_queue(p, a, b, 3, 0);
    stage_queue(p, b, a, 3, 2);
    assert_true(weir_pipeline_find(p, "a", &found));
    stage_seal(p);
    struct weir_ratio period = compare(p, found.index, true);
    assert_true(period.numerator == large && period.denominator == 1); /* a alone; the loop has 2 * large - 1 over two messages */
    weir_pipeline_free(p);
}

TEST(test_mistaken)
{
    struct weir_pipeline *p = stage_read("operators: {a: [2, 7]}");
    struct weir_ratio period;
    struct weir_error error;
    assert_int_equal(weir_throughput(p, (struct weir_operator){1}, true, &period, NULL, NULL, &error), WEIR_INVALID);
    assert_string_equal(error.message, "throughput must be that of an operator of the pipeline");
    weir_pipeline_free(p);
}
