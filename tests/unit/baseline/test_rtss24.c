/* SPDX-License-Identifier: Apache-2.0 */
/* The closed form of RTSS 2024: the published example, the graph on which it is too small, and paths one by one as an oracle. */
#include "mixed.h"

#include <string.h>

static struct weir_method_result run(const struct weir_pipeline *p)
{
    struct weir_method_result result;
    struct weir_error error;
    if (weir_method_run(p, WEIR_METHOD_RTSS24, 0, NULL, &result, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    return result;
}

/* Operators A, B, ... with the given times and queues of 1 such as "AB AC BD CD". */
static struct weir_pipeline *graph(const int64_t *worst, bool fixed, const char *queues)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    for (uint32_t i = 0; worst[i]; i++)
        stage_operator(p, (char[]){(char)('A' + i), 0}, fixed ? worst[i] : 0, worst[i]);
    for (const char *c = queues; *c; c += c[2] ? 3 : 2)
        stage_queue(p, (struct weir_operator){(uint32_t)(c[0] - 'A')}, (struct weir_operator){(uint32_t)(c[1] - 'A')}, 1, 0);
    stage_seal(p);
    return p;
}

static void test_published_example(void **state)
{
    (void)state;
    struct weir_pipeline *p = graph((const int64_t[]){200, 300, 150, 400, 0}, true, "AB AC BD CD");
    struct weir_method_result result = run(p);
    assert_true(result.applicable);
    assert_int_equal(result.outcome, WEIR_EXACT);
    assert_int_equal(result.value, 1600);
    assert_int_equal(mixed_exact(p, false, 1), 1600); /* as in the published simulation, from the fourth message on */
    assert_true(result.safe && result.exact);
    weir_pipeline_free(p);
}

static void test_too_small(void **state)
{
    (void)state;
    static const int64_t worst[] = {145, 205, 599, 588, 939, 0};
    for (int fixed = 0; fixed < 2; fixed++) {
        struct weir_pipeline *p = graph(worst, fixed, "AB BE AC CD DE");
        struct weir_method_result result = run(p);
        assert_int_equal(result.value, 3756);
        assert_int_equal(mixed_exact(p, false, 1), 4004);
        assert_false(result.safe);
        assert_false(result.exact);
        assert_non_null(strstr(result.note, "Warning: below the exact value measured the same way, 4004"));
        weir_pipeline_free(p);
    }
}

static void test_one_operator(void **state)
{
    (void)state;
    struct weir_pipeline *p = graph((const int64_t[]){5, 0}, true, "");
    struct weir_method_result result = run(p);
    assert_int_equal(result.value, 10);
    assert_true(result.safe && result.exact);
    weir_pipeline_free(p);
}

static void test_deeper_queue(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 0, 1), b = stage_operator(p, "b", 0, 1), c = stage_operator(p, "c", 0, 1);
    stage_queue(p, a, b, 1, 0);
    stage_queue(p, b, c, 2, 0);
    stage_seal(p);
    struct weir_method_result result = run(p);
    assert_false(result.applicable);
    assert_non_null(strstr(result.note, "that from \"b\" to \"c\" has 2"));
    weir_pipeline_free(p);
}

/* ---- the definitions, word by word: all paths, one after the other ---- */

#define NODES 8

struct oracle {
    uint32_t count;
    int64_t worst[NODES];
    bool edge[NODES][NODES];
};

/* Calls for each path from `from` to `to`, which is a set of nodes since edges lead to larger numbers. */
static void each_path(const struct oracle *o, uint32_t from, uint32_t to, void (*call)(void *context, unsigned path), void *context)
{
    for (unsigned path = 0; path < 1u << o->count; path++) {
        if (!(path >> from & 1) || !(path >> to & 1) || (path & ((1u << from) - 1)) || path >> to != 1)
            continue;
        bool good = true;
        uint32_t before = from;
        for (uint32_t v = from + 1; v <= to; v++)
            if (path >> v & 1) {
                good &= o->edge[before][v];
                before = v;
            }
        if (good)
            call(context, path);
    }
}

struct collected {
    const struct oracle *oracle;
    uint32_t to;
    int64_t longest;  /* cost of the costliest path, without its last node */
    int64_t shortest; /* of those with the fewest nodes, the cheapest */
    unsigned longest_path, common, nodes;
    bool tie;
};

static void collect(void *context, unsigned path)
{
    struct collected *c = context;
    int64_t cost = 0;
    unsigned nodes = 0;
    for (uint32_t v = 0; v < c->oracle->count; v++)
        if (path >> v & 1) {
            cost += v == c->to ? 0 : c->oracle->worst[v];
            nodes++;
        }
    if (cost >= c->longest) {
        c->tie = cost == c->longest;
        c->longest = cost;
        c->longest_path = path;
    }
    if (!c->nodes || nodes < c->nodes || (nodes == c->nodes && cost < c->shortest)) {
        c->nodes = nodes;
        c->shortest = cost;
    }
    c->common &= path;
}

static struct collected paths(const struct oracle *o, uint32_t from, uint32_t to)
{
    struct collected c = {.oracle = o, .to = to, .longest = -1, .common = ~0u};
    each_path(o, from, to, collect, &c);
    return c;
}

static bool oracle_bound(const struct oracle *o, int64_t *bound)
{
    uint32_t sink = o->count - 1;
    struct collected whole = paths(o, 0, sink);
    int64_t whole_cost = whole.longest + o->worst[sink];
    *bound = 0;
    for (uint32_t v = 0; v < o->count; v++) {
        struct collected ahead = paths(o, 0, v), behind = paths(o, v, sink);
        unsigned outputs = 0;
        for (uint32_t u = 0; u < o->count; u++)
            outputs += o->edge[v][u];
        int64_t delay = o->worst[v];
        if (outputs > 1) {
            uint32_t meet = v + 1;
            while (!(behind.common >> meet & 1))
                meet++;
            delay = paths(o, v, meet).longest;
        }
        int64_t candidate = ahead.nodes * delay + behind.longest + o->worst[sink];
        if (!(whole.longest_path >> v & 1))
            candidate += whole_cost - ahead.shortest;
        *bound = candidate > *bound ? candidate : *bound;
    }
    return !whole.tie;
}

static void test_definitions(void **state)
{
    (void)state;
    int compared = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct weir_pipeline *p = mixed_pipeline(seed, 2 + (uint32_t)(seed % (NODES - 1)), 1, 500);
        struct oracle o = {.count = weir_pipeline_operator_count(p)};
        for (uint32_t v = 0; v < o.count; v++)
            o.worst[v] = weir_pipeline_operator(p, (struct weir_operator){v}).worst;
        for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
            struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
            assert_true(q.from.index < q.to.index);
            o.edge[q.from.index][q.to.index] = true;
        }
        int64_t bound, truth = mixed_exact(p, false, 1);
        if (oracle_bound(&o, &bound)) {
            struct weir_method_result result = run(p);
            if (result.value != bound)
                fail_msg("seed %llu: %lld, not %lld", (unsigned long long)seed, (long long)result.value, (long long)bound);
            assert_int_equal(result.safe, bound >= truth);
            compared++;
        }
        weir_pipeline_free(p);
    }
    assert_true(compared > 150);
}

static enum weir_status act(void *pipeline)
{
    struct weir_method_result result;
    return weir_method_run(pipeline, WEIR_METHOD_RTSS24, 0, NULL, &result, NULL);
}

static void test_memory(void **state)
{
    (void)state;
    struct weir_pipeline *p = mixed_pipeline(3, 10, 1, 0);
    assert_true(stage_fail_each_allocation(act, p) > 10);
    weir_pipeline_free(p);
}

int rtss24_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_example), cmocka_unit_test(test_too_small),
                                       cmocka_unit_test(test_one_operator),      cmocka_unit_test(test_deeper_queue),
                                       cmocka_unit_test(test_definitions),       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
