/* SPDX-License-Identifier: Apache-2.0 */
/* Fewest tokens on a path, against Bellman and Ford; with few different token counts (queues) and with many (a heap). */
#include "base/random.h"
#include "model/pipeline.h"
#include "support/stage.h"

#include <stdlib.h>

enum { FIFO_COUNTS_MAX = 16 }; /* as in distance.c */

static void by_bellman_and_ford(const struct weir_graph *g, uint32_t target, bool data_only, int64_t *tokens)
{
    for (uint32_t v = 0; v < g->actor_count; v++)
        tokens[v] = WEIR_FAR;
    tokens[target] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < g->actor_count; v++)
            for (uint32_t r = g->out_first[v]; r < g->out_first[v + 1]; r++)
                for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end; i++) {
                    const struct weir_arc_run *run = &g->out_runs[r];
                    bool data = run->wait == WEIR_WAIT_DATA || run->wait == WEIR_WAIT_NONE;
                    int64_t beyond = tokens[g->heads[i]];
                    if ((data_only && !data) || beyond == WEIR_FAR || beyond + run->tokens >= tokens[v])
                        continue;
                    tokens[v] = beyond + run->tokens;
                    changed = true;
                }
    }
}

/* n operators in a row and many queues across, mostly forward. */
static struct weir_pipeline *tangle(struct weir_random *random, uint32_t n, uint32_t capacity_max)
{
    for (;;) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        for (uint32_t i = 0; i < n; i++) {
            char name[16];
            snprintf(name, sizeof name, "o%u", i);
            struct weir_operator_spec spec = {.name = name, .worst = 5, .receive_max = weir_random_between(random, 0, 4) ? 0 : 3};
            assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
        }
        for (uint32_t i = 0; i < 2 * n; i++) {
            uint32_t from = (uint32_t)weir_random_between(random, 0, n - 1), to = (uint32_t)weir_random_between(random, 0, n - 1);
            bool back = to <= from;
            struct weir_queue_spec spec = {.from = {from}, .to = {to}};
            spec.capacity = (uint32_t)weir_random_between(random, 1, capacity_max);
            spec.initial = back || i % 5 == 0 ? (uint32_t)weir_random_between(random, back, spec.capacity) : 0;
            spec.nonblocking = i % 7 == 0;
            assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
        }
        for (uint32_t i = 1; i < n; i++)
            if (weir_random_between(random, 0, 9))
                stage_queue(p, (struct weir_operator){i - 1}, (struct weir_operator){i}, 1 + i % capacity_max, 0);
        if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
            return p;
        weir_pipeline_free(p);
    }
}

static void compare_all(const struct weir_graph *g)
{
    struct weir_distances *distances = weir_distances_new(g);
    int64_t *found = calloc(g->actor_count, sizeof *found), *wanted = calloc(g->actor_count, sizeof *wanted);
    assert_true(distances && found && wanted);
    for (uint32_t target = 0; target < g->actor_count; target++)
        for (int data_only = 0; data_only < 2; data_only++) { /* the scratch is used again and again */
            weir_tokens_to(g, distances, target, data_only, found);
            by_bellman_and_ford(g, target, data_only, wanted);
            for (uint32_t v = 0; v < g->actor_count; v++)
                assert_int_equal(found[v], wanted[v]);
        }
    free(wanted);
    free(found);
    weir_distances_free(distances);
}

TEST(test_few_token_counts)
{
    struct weir_random random;
    weir_random_seed(&random, 11);
    for (int i = 0; i < 200; i++) {
        struct weir_pipeline *p =
            tangle(&random, (uint32_t)weir_random_between(&random, 2, 30), (uint32_t)weir_random_between(&random, 1, 8));
        assert_true(p->graph->token_count_count <= FIFO_COUNTS_MAX);
        compare_all(p->graph);
        weir_pipeline_free(p);
    }
}

TEST(test_many_token_counts)
{
    struct weir_random random;
    weir_random_seed(&random, 12);
    int heaps = 0;
    for (int i = 0; i < 200; i++) {
        struct weir_pipeline *p = tangle(&random, (uint32_t)weir_random_between(&random, 12, 30), i % 2 ? 60 : UINT32_C(1) << 30);
        heaps += p->graph->token_count_count > FIFO_COUNTS_MAX;
        compare_all(p->graph);
        weir_pipeline_free(p);
    }
    assert_true(heaps > 150);
}

/* The largest distances there are: sums far beyond 32 bits. */
TEST(test_long_distances)
{
    enum { COUNT = 100 };
    const uint32_t most = UINT32_C(1) << 30;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        stage_operator(p, name, 0, 1);
        if (i > 0)
            stage_queue(p, (struct weir_operator){i - 1}, (struct weir_operator){i}, most, most);
    }
    stage_seal(p);
    assert_int_equal(weir_pipeline_chain(p, 0).shift, (int64_t)(COUNT - 1) * most);
    weir_pipeline_free(p);
}
