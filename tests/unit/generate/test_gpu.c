/* SPDX-License-Identifier: Apache-2.0 */
#include "support/stage.h"

#include <stdlib.h>

static struct weir_pipeline *make(struct weir_generate_gpu_options options)
{
    struct weir_pipeline *p = NULL;
    struct weir_error error = {0};
    if (weir_generate_gpu(&options, &p, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    assert_true(weir_pipeline_sealed(p));
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_GPU);
    assert_int_equal(weir_pipeline_gpu(p).sms, options.sms ? options.sms : 32);
    assert_int_equal(weir_pipeline_gpu(p).min_time, 1);
    return p;
}

static int64_t load_of(const struct weir_pipeline *p, uint32_t kernel)
{
    return weir_pipeline_operator(p, (struct weir_operator){kernel}).worst;
}

static double mean_load(const struct weir_pipeline *p)
{
    uint32_t n = weir_pipeline_operator_count(p);
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += load_of(p, i);
    return (double)sum / n;
}

/* What can be told of a graph: every dependency leads forwards and is said once. */
struct shape {
    uint32_t kernels, edges, sources, sinks, depth;
};

static struct shape measure(const struct weir_pipeline *p)
{
    struct shape s = {.kernels = weir_pipeline_operator_count(p), .edges = weir_pipeline_queue_count(p)};
    uint32_t *before = calloc(s.kernels, sizeof *before), *behind = calloc(s.kernels, sizeof *behind);
    uint32_t *depth = calloc(s.kernels, sizeof *depth);
    bool *seen = calloc((size_t)s.kernels * s.kernels, sizeof *seen), again = true;
    assert_true(before && behind && depth && seen);
    for (uint32_t i = 0; i < s.edges; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        size_t chain = (size_t)q.from.index * s.kernels + q.to.index;
        assert_true(q.from.index < q.to.index && !seen[chain]);
        seen[chain] = true;
        before[q.to.index]++;
        behind[q.from.index]++;
    }
    while (again) { /* longest path, in kernels: settled when a round changes nothing */
        again = false;
        for (uint32_t i = 0; i < s.edges; i++) {
            struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
            if (depth[q.to.index] <= depth[q.from.index]) {
                depth[q.to.index] = depth[q.from.index] + 1;
                again = true;
            }
        }
    }
    for (uint32_t i = 0; i < s.kernels; i++) {
        assert_true(load_of(p, i) >= 1 && weir_pipeline_operator(p, (struct weir_operator){i}).splittable);
        s.sources += before[i] == 0;
        s.sinks += behind[i] == 0;
        s.depth = depth[i] + 1 > s.depth ? depth[i] + 1 : s.depth;
    }
    free(before);
    free(behind);
    free(depth);
    free(seen);
    return s;
}

/* ---- algorithms: counted by hand for all sizes ---- */

static void check_shape(enum weir_gpu_shape shape, uint32_t n, struct shape expected)
{
    for (int random = 0; random < 2; random++) {
        struct weir_pipeline *p = make((struct weir_generate_gpu_options){.shape = shape, .size = n, .random_loads = random == 1});
        struct shape s = measure(p);
        assert_int_equal(s.kernels, expected.kernels);
        assert_int_equal(s.edges, expected.edges);
        assert_int_equal(s.depth, expected.depth);
        assert_int_equal(s.sources, 1);
        assert_int_equal(s.sinks, 1);
        weir_pipeline_free(p);
    }
}

static void algorithms(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 24; n++) {
        check_shape(WEIR_GPU_GAUSSIAN, n, (struct shape){(n * n + n - 2) / 2, n * n - n - 1, 1, 1, 2 * (n - 1)});
        check_shape(WEIR_GPU_LAPLACE, n, (struct shape){n * n, 2 * n * n - 2 * n, 1, 1, 2 * n - 1});
        check_shape(WEIR_GPU_STENCIL, n, (struct shape){n * n + 2, (n - 1) * (3 * n - 2) + 2 * n, 1, 1, n + 2});
    }
}

static void check_edge(const struct weir_pipeline *p, const char *from, const char *to, bool expected)
{
    struct weir_operator a = {0}, b = {0};
    bool found = false;
    assert_true(weir_pipeline_find(p, from, &a) && weir_pipeline_find(p, to, &b));
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        found = found || (q.from.index == a.index && q.to.index == b.index);
    }
    if (found != expected)
        fail_msg("%s -> %s", from, to);
}

static void edges_by_name(void **state)
{
    (void)state;
    struct weir_pipeline *p = make((struct weir_generate_gpu_options){.shape = WEIR_GPU_GAUSSIAN, .size = 5});
    check_edge(p, "pivot1", "update1_5", true);
    check_edge(p, "update1_2", "pivot2", true);
    check_edge(p, "update1_3", "update2_3", true);
    check_edge(p, "update3_5", "update4_5", true);
    check_edge(p, "update3_4", "pivot4", true);
    check_edge(p, "update1_3", "pivot2", false);
    check_edge(p, "update1_2", "update2_3", false);
    weir_pipeline_free(p);
    p = make((struct weir_generate_gpu_options){.shape = WEIR_GPU_LAPLACE, .size = 4});
    check_edge(p, "t1_1", "t1_2", true);
    check_edge(p, "t2_3", "t3_3", true);
    check_edge(p, "t1_4", "t2_1", false);
    weir_pipeline_free(p);
    p = make((struct weir_generate_gpu_options){.shape = WEIR_GPU_STENCIL, .size = 4});
    check_edge(p, "source", "t1_4", true);
    check_edge(p, "t1_1", "t2_2", true);
    check_edge(p, "t1_3", "t2_2", true);
    check_edge(p, "t1_1", "t2_3", false);
    check_edge(p, "t1_4", "t3_1", false);
    check_edge(p, "t4_1", "sink", true);
    weir_pipeline_free(p);
}

/* Elimination of 6 columns: 15 + 2 * 55 operations in 20 kernels; with 20 on average, 3.2 for each of them. */
static void structural_loads(void **state)
{
    (void)state;
    struct weir_pipeline *p = make((struct weir_generate_gpu_options){.shape = WEIR_GPU_GAUSSIAN, .size = 6, .average = 20});
    struct weir_operator op = {0};
    assert_true(weir_pipeline_find(p, "pivot1", &op)); /* 5 */
    assert_int_equal(load_of(p, op.index), 16);
    assert_true(weir_pipeline_find(p, "update1_6", &op)); /* 10 */
    assert_int_equal(load_of(p, op.index), 32);
    assert_true(weir_pipeline_find(p, "update3_5", &op)); /* 6: 19.2 */
    assert_int_equal(load_of(p, op.index), 19);
    assert_true(weir_pipeline_find(p, "pivot5", &op)); /* 1 */
    assert_int_equal(load_of(p, op.index), 3);
    weir_pipeline_free(p);
    for (int shape = WEIR_GPU_LAPLACE; shape <= WEIR_GPU_STENCIL; shape++) {
        p = make((struct weir_generate_gpu_options){.shape = (enum weir_gpu_shape)shape, .size = 7, .average = 13});
        for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++)
            assert_int_equal(load_of(p, i), 13);
        weir_pipeline_free(p);
    }
}

/* ---- random layers ---- */

/* Depth as asked; and on average the numbers of kernels, edges and loads that the way of drawing has. */
static void random_layers(void **state)
{
    enum { GRAPHS = 2000, P = 8 };
    double kernels = 0, loads = 0;
    uint32_t shallow = 0, deep = 0;
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct weir_pipeline *p = make((struct weir_generate_gpu_options){.seed = seed, .edge_permille = seed % 2 ? 200 : 0});
        struct shape s = measure(p);
        assert_int_equal(s.sources, 1);
        assert_int_equal(s.sinks, 1);
        assert_in_range(s.kernels, 2 + 3 * 2, 2 + 6 * P);
        assert_in_range(s.depth, 3, 8);
        shallow += s.depth <= 5;
        deep += s.depth == 8;
        kernels += s.kernels;
        loads += mean_load(p);
        assert_true(mean_load(p) > 19.4 && mean_load(p) < 20.6);
        weir_pipeline_free(p);
    }
    kernels /= (double)GRAPHS;
    loads /= (double)GRAPHS;
    assert_true(kernels > 24 && kernels < 25); /* 2 + 4.5 layers of 5 */
    assert_true(loads > 19.95 && loads < 20.1);
    assert_true(shallow > GRAPHS / 5 && deep > GRAPHS / 7);
}

/* With every edge there is, layers are complete; with one layer, its kernels are between source and sink. */
static void certain_edges(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct weir_pipeline *p = make((struct weir_generate_gpu_options){
            .seed = seed, .layers_min = 4, .layers_max = 4, .parallelism = 5, .edge_permille = 1000});
        struct shape s = measure(p);
        uint32_t inner = s.kernels - 2, found = 0;
        assert_int_equal(s.depth, 4);
        for (uint32_t a = 2; a <= 5; a++) /* a + b kernels and a + ab + b edges */
            found += a < inner && inner - a >= 2 && inner - a <= 5 && s.edges == inner + a * (inner - a);
        assert_true(found > 0);
        weir_pipeline_free(p);
        p = make((struct weir_generate_gpu_options){.seed = seed, .layers_min = 3, .layers_max = 3, .edge_permille = 1});
        s = measure(p);
        assert_int_equal(s.edges, 2 * (s.kernels - 2));
        assert_int_equal(s.depth, 3);
        weir_pipeline_free(p);
    }
    struct weir_pipeline *p = make((struct weir_generate_gpu_options){.layers_min = 2, .layers_max = 2});
    assert_int_equal(measure(p).kernels, 2);
    assert_int_equal(measure(p).edges, 1);
    weir_pipeline_free(p);
}

/* Between two inner layers an edge has its probability; what it leaves without is tied to the source or the sink. */
static void edge_probability(void **state)
{
    static const uint32_t permille[] = {200, 500};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double inner = 0, chains = 0;
        for (uint64_t seed = 0; seed < 3000; seed++) {
            struct weir_pipeline *p = make((struct weir_generate_gpu_options){
                .seed = seed, .layers_min = 4, .layers_max = 4, .parallelism = 2, .edge_permille = permille[k]});
            assert_int_equal(weir_pipeline_operator_count(p), 6); /* source, 1 2, 3 4, sink */
            for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
                struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
                inner += (q.from.index == 1 || q.from.index == 2) && (q.to.index == 3 || q.to.index == 4);
            }
            chains += 4;
            weir_pipeline_free(p);
        }
        double share = inner / chains - permille[k] / 1000.0; /* a deviation is about 0.0045 */
        assert_true(share > -0.02 && share < 0.02);
    }
}

/* Loads do not depend on the edges, so that probabilities can be compared. */
static void same_for_the_same_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct weir_pipeline *a = make((struct weir_generate_gpu_options){.seed = seed});
        struct weir_pipeline *b = make((struct weir_generate_gpu_options){.seed = seed, .sms = 7, .edge_permille = 500});
        struct weir_pipeline *c = make((struct weir_generate_gpu_options){.seed = seed, .edge_permille = 200});
        uint32_t n = weir_pipeline_operator_count(a);
        assert_int_equal(n, weir_pipeline_operator_count(b));
        assert_int_equal(n, weir_pipeline_operator_count(c));
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(load_of(a, i), load_of(b, i));
            assert_int_equal(load_of(a, i), load_of(c, i));
        }
        assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
        for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
            struct weir_queue_spec q = weir_pipeline_queue(a, (struct weir_queue){i});
            struct weir_queue_spec r = weir_pipeline_queue(b, (struct weir_queue){i});
            assert_true(q.from.index == r.from.index && q.to.index == r.to.index);
        }
        weir_pipeline_free(a);
        weir_pipeline_free(b);
        weir_pipeline_free(c);
    }
}

/* ---- refusals ---- */

static void refused(void **state)
{
    static const struct weir_generate_gpu_options wrong[] = {
        {.shape = WEIR_GPU_SHAPES},
        {.sms = 65537},
        {.average = 1000000001},
        {.layers_min = 1, .layers_max = 3},
        {.layers_min = 9, .layers_max = 8},
        {.parallelism = 1},
        {.parallelism = 2000},
        {.parallelism = 100000},
        {.layers_min = 2, .layers_max = 100000},
        {.parallelism = UINT32_MAX, .layers_max = UINT32_MAX},
        {.edge_permille = 1001},
        {.shape = WEIR_GPU_LAPLACE, .size = 1},
        {.shape = WEIR_GPU_STENCIL, .size = 301},
        {.shape = WEIR_GPU_GAUSSIAN, .size = UINT32_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct weir_pipeline *p = (struct weir_pipeline *)&i;
        struct weir_error error = {0};
        assert_int_equal(weir_generate_gpu(&wrong[i], &p, &error), WEIR_INVALID);
        assert_null(p);
        assert_true(error.message[0]);
    }
    assert_null(weir_gpu_shape_name(WEIR_GPU_SHAPES));
    assert_string_equal(weir_gpu_shape_name(WEIR_GPU_STENCIL), "stencil");
}

static enum weir_status generate(void *context)
{
    struct weir_pipeline *p = NULL;
    enum weir_status status = weir_generate_gpu(context, &p, NULL);
    weir_pipeline_free(p);
    return status;
}

static void without_memory(void **state)
{
    (void)state;
    for (int shape = 0; shape < WEIR_GPU_SHAPES; shape++) {
        struct weir_generate_gpu_options options = {.shape = (enum weir_gpu_shape)shape, .size = 4, .random_loads = shape == 1};
        assert_true(stage_fail_each_allocation(generate, &options) > 5);
    }
}

int gpu_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms),    cmocka_unit_test(edges_by_name),          cmocka_unit_test(structural_loads),
        cmocka_unit_test(random_layers), cmocka_unit_test(certain_edges),          cmocka_unit_test(edge_probability),
        cmocka_unit_test(refused),       cmocka_unit_test(same_for_the_same_seed), cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
