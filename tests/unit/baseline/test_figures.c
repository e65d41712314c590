/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the published tools, to the last digit, and what weir's own analysis says beside them. */
#include "weir.h"

#include "support/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct weir_pipeline *load(const char *model, unsigned queue)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", WEIR_SOURCE_DIR, model);
    struct weir_read_options options = {.queue = queue, .force_queue = true};
    struct weir_pipeline *p;
    assert_int_equal(weir_read_file(path, &options, &p, NULL), WEIR_OK);
    return p;
}

static int64_t exact_of(const struct weir_pipeline *p, int64_t shift)
{
    struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
    struct weir_query query = {
        .from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = shift};
    struct weir_separation worst;
    struct weir_solver *solver = weir_solver_new(p, NULL);
    assert_non_null(solver);
    assert_int_equal(weir_separation_worst(solver, &query, &worst, NULL), WEIR_OK);
    assert_int_equal(worst.outcome, WEIR_EXACT);
    weir_solver_free(solver);
    return worst.value;
}

static void check_tgdfs(const char *model, unsigned queue, int64_t value, uint64_t expressions)
{
    struct weir_pipeline *p = load(model, queue);
    struct weir_method_options options = {.limit = expressions};
    struct weir_method_result result;
    assert_int_equal(weir_method_run(p, WEIR_METHOD_TGDFS, 0, &options, &result, NULL), WEIR_OK);
    if (!result.applicable || result.outcome != WEIR_EXACT || result.value != value || result.count != expressions)
        fail_msg("%s, queue %u: expected %lld from %llu expressions, got %lld from %llu", model, queue, (long long)value,
                 (unsigned long long)expressions, (long long)result.value, (unsigned long long)result.count);
    assert_true(result.safe && result.exact);
    assert_int_equal(exact_of(p, 0), value);
    weir_pipeline_free(p);
}

static void check_rtss24(const char *model, int64_t value)
{
    struct weir_pipeline *p = load(model, 1);
    struct weir_method_result result;
    assert_int_equal(weir_method_run(p, WEIR_METHOD_RTSS24, 0, NULL, &result, NULL), WEIR_OK);
    if (!result.applicable || result.outcome != WEIR_EXACT || result.value != value)
        fail_msg("%s: expected %lld, got %lld", model, (long long)value, (long long)result.value);
    int64_t truth = exact_of(p, 1);
    assert_int_equal(result.safe, value >= truth);
    assert_int_equal(result.exact, value == truth);
    assert_int_equal(strstr(result.note, "Warning") != NULL, value < truth);
    weir_pipeline_free(p);
}

static void test_figures(void **state)
{
    (void)state;
    bool large = runner_argument(0) != NULL;
    FILE *table = fopen(large ? WEIR_TEST_DIR "/holohub-large.txt" : WEIR_TEST_DIR "/holohub.txt", "r");
    assert_non_null(table);
    char line[512], model[256];
    int lines = 0;
    while (fgets(line, sizeof line, table)) {
        unsigned queue;
        long long value;
        unsigned long long expressions;
        if (sscanf(line, "tgdfs %255s %u %lld %llu", model, &queue, &value, &expressions) == 4) {
            check_tgdfs(model, queue, value, expressions);
            lines++;
        } else if (sscanf(line, "rtss24 %255s %lld", model, &value) == 2) {
            check_rtss24(model, value);
            lines++;
        } else {
            assert_true(line[0] == '#' || line[0] == '\n');
        }
    }
    fclose(table);
    assert_int_equal(lines, large ? 11 : 121);
}

int figures_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
