/* SPDX-License-Identifier: Apache-2.0 */
/* TG-DFS: the paper's own expressions, the exact engine's values, and brackets where there are too many. */
#include "baseline/tgdfs.h"
#include "mixed.h"

#include <stdlib.h>
#include <string.h>

static struct weir_method_result run(const struct weir_pipeline *p, const struct weir_method_options *options)
{
    struct weir_method_result result;
    struct weir_error error;
    if (weir_method_run(p, WEIR_METHOD_TGDFS, 0, options, &result, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    assert_true(result.applicable);
    return result;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The expressions, sorted, one per line. Caller frees. */
static char *expressions_of(const struct weir_pipeline *p)
{
    char *text = NULL, *lines[1000];
    size_t bytes = 0, count = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    struct weir_method_options options = {.expressions = out};
    struct weir_method_result result = run(p, &options);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        lines[count++] = line;
    assert_int_equal(count, result.count);
    qsort(lines, count, sizeof *lines, by_text);
    char *sorted = NULL;
    out = open_memstream(&sorted, &bytes);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\n", lines[i]);
    fclose(out);
    free(text);
    return sorted;
}

/* The radar chain: Equation (8), with the iteration that Figure 5 of the paper gives the last term of its second line. */
static void test_equation_8(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator source = stage_operator(p, "source", 0, 5), filter = stage_operator(p, "filter", 0, 7),
                         sink = stage_operator(p, "sink", 0, 6);
    stage_queue(p, source, filter, 1, 0);
    stage_queue(p, filter, sink, 1, 0);
    stage_seal(p);
    char *sorted = expressions_of(p);
    assert_string_equal(sorted, "sink[i] + filter[i] + filter[i-1]\n"
                                "sink[i] + filter[i] + sink[i-2]\n"
                                "sink[i] + filter[i] + source[i]\n"
                                "sink[i] + sink[i-1] + filter[i-1]\n"
                                "sink[i] + sink[i-1] + sink[i-2]\n");
    free(sorted);
    struct weir_method_result result = run(p, NULL);
    assert_int_equal(result.count, 5);
    assert_int_equal(result.value, 6 + 7 + 7);
    assert_true(result.safe && result.exact);
    weir_pipeline_free(p);
}

/* What an ancestor adds is cancelled where a path from it to the source begins with a weighted arc. */
static void test_cancelled(void **state)
{
    (void)state;
    static const int64_t worst[] = {5, 7};
    struct weir_pipeline *p = stage_chain(2, worst, 2);
    char *sorted = expressions_of(p);
    /* B lags by 2; A in iteration i-1 is an ancestor of A in iteration i by its own sequential arc. */
    assert_string_equal(sorted, "B[i] + A[i]\n"
                                "B[i] + B[i-1]\n"
                                "B[i] + B[i-1] + B[i-2]\n");
    free(sorted);
    weir_pipeline_free(p);
}

static void test_one_operator(void **state)
{
    (void)state;
    static const int64_t worst[] = {5};
    struct weir_pipeline *p = stage_chain(1, worst, 1);
    char *sorted = expressions_of(p);
    assert_string_equal(sorted, "A[i]\n");
    free(sorted);
    assert_int_equal(run(p, NULL).value, 5);
    weir_pipeline_free(p);
}

/* Capacities of all sizes, in one pipeline: the value is the exact one, with and without best cases. */
static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint32_t nodes = 2 + (uint32_t)(seed % 9);
        struct weir_pipeline *p = mixed_pipeline(seed, nodes, 1 + (uint32_t)(seed % 4), seed % 3 ? 0 : 400);
        struct weir_method_result result = run(p, NULL);
        assert_int_equal(result.outcome, WEIR_EXACT);
        if (result.value != mixed_exact(p, true, 0))
            fail_msg("seed %llu: %lld, not %lld", (unsigned long long)seed, (long long)result.value,
                     (long long)mixed_exact(p, true, 0));
        assert_true(result.safe);
        assert_int_equal(result.exact, seed % 3 != 0);
        assert_int_equal(strstr(result.note, "Best cases are read as 0") != NULL, seed % 3 == 0);
        assert_true(result.value >= mixed_exact(p, false, 0));
        weir_pipeline_free(p);
    }
}

/* Graphs where the published code misses ancestors, and so exceeds the exact value. */
static void test_ancestors(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        int64_t value;
    } cases[] = {{"ce_n6_q1.dot", 2710}, {"ce_n7_q2.dot", 4540}};
    for (size_t i = 0; i < 2; i++) {
        char path[1024];
        struct weir_pipeline *p;
        snprintf(path, sizeof path, "%s/tests/figures/counterexamples/%s", WEIR_SOURCE_DIR, cases[i].model);
        assert_int_equal(weir_read_file(path, NULL, &p, NULL), WEIR_OK);
        assert_int_equal(run(p, NULL).value, cases[i].value);
        weir_pipeline_free(p);
    }
}

/* Whatever the limit, the truth is in the bracket; a limit that is not reached changes nothing. */
static void test_limits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct weir_pipeline *p = mixed_pipeline(seed, 10, 3, 0);
        int64_t exact = mixed_exact(p, true, 0);
        uint64_t count = run(p, NULL).count;
        for (uint64_t limit = 1; limit < count; limit += 1 + count / 7) {
            struct weir_method_options options = {.limit = limit};
            struct weir_method_result result = run(p, &options);
            assert_int_equal(result.outcome, WEIR_BRACKET);
            assert_true(result.lower <= exact);
            assert_int_equal(result.upper, exact);
            assert_true(result.count <= limit);
            assert_true(result.safe && !result.exact);
            assert_non_null(strstr(result.note, "the limit of expressions"));
        }
        struct weir_method_options options = {.limit = count};
        assert_int_equal(run(p, &options).outcome, WEIR_EXACT);
        weir_pipeline_free(p);
    }
}

static void test_memory_limits(void **state)
{
    (void)state;
    struct weir_pipeline *p = mixed_pipeline(7, 12, 3, 0);
    int64_t exact = mixed_exact(p, true, 0);
    int brackets = 0;
    for (uint64_t bytes = 64; bytes < 1 << 24; bytes *= 2) {
        struct weir_method_options options = {.bytes = bytes};
        struct weir_method_result result = run(p, &options);
        brackets += result.outcome == WEIR_BRACKET;
        if (result.outcome == WEIR_EXACT)
            assert_int_equal(result.value, exact);
        else
            assert_true(result.lower <= exact && exact <= result.upper && strstr(result.note, "memory"));
    }
    assert_true(brackets > 5 && brackets < 18);
    weir_pipeline_free(p);
}

/* With best cases above 0 an expression need not be reached, so the lower end is what the first message takes. */
static void test_lower_end(void **state)
{
    (void)state;
    struct weir_pipeline *p = mixed_pipeline(11, 10, 3, 900);
    struct weir_method_options options = {.limit = 50};
    struct weir_method_result result = run(p, &options);
    assert_int_equal(result.outcome, WEIR_BRACKET);
    assert_true(result.lower <= mixed_exact(p, false, 0));
    weir_pipeline_free(p);
}

/* Queues so deep that not even the places can be listed. */
static void test_deep(void **state)
{
    (void)state;
    static const int64_t worst[] = {5, 7, 9};
    struct weir_pipeline *p = stage_chain(3, worst, 1 << 30);
    struct weir_method_result result = run(p, NULL);
    assert_int_equal(result.outcome, WEIR_BRACKET);
    assert_int_equal(result.lower, 21);
    assert_int_equal(result.upper, INT64_MAX);
    assert_int_equal(result.count, 0);
    weir_pipeline_free(p);
    p = stage_chain(3, worst, 1000000);
    struct weir_method_options options = {.bytes = 1 << 26};
    result = run(p, &options);
    assert_int_equal(result.outcome, WEIR_BRACKET);
    assert_int_equal(result.upper, mixed_exact(p, true, 0));
    weir_pipeline_free(p);
}

static void test_overflow(void **state)
{
    (void)state;
    static const int64_t worst[] = {1, INT64_C(1) << 58};
    struct weir_pipeline *p = stage_chain(2, worst, 64);
    struct weir_method_result result;
    assert_int_equal(weir_method_run(p, WEIR_METHOD_TGDFS, 0, NULL, &result, NULL), WEIR_OVERFLOW);
    weir_pipeline_free(p);
}

static void test_full_device(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    static const int64_t worst[] = {5, 7, 9};
    struct weir_pipeline *p = stage_chain(3, worst, 2);
    struct weir_method_options options = {.expressions = full};
    struct weir_method_result result;
    assert_int_equal(weir_method_run(p, WEIR_METHOD_TGDFS, 0, &options, &result, NULL), WEIR_IO);
    fclose(full);
    weir_pipeline_free(p);
}

static enum weir_status act(void *pipeline)
{
    struct weir_method_options options = {.limit = 300};
    struct weir_method_result result;
    return weir_method_run(pipeline, WEIR_METHOD_TGDFS, 0, &options, &result, NULL);
}

static void test_memory(void **state)
{
    (void)state;
    struct weir_pipeline *p = mixed_pipeline(3, 10, 2, 0);
    assert_true(stage_fail_each_allocation(act, p) > 10);
    weir_pipeline_free(p);
}

int tgdfs_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equation_8), cmocka_unit_test(test_cancelled),     cmocka_unit_test(test_one_operator),
        cmocka_unit_test(test_random),     cmocka_unit_test(test_ancestors),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_lower_end),  cmocka_unit_test(test_memory_limits), cmocka_unit_test(test_deep),
        cmocka_unit_test(test_overflow),   cmocka_unit_test(test_full_device),   cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
