/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published methods, and the two that go beyond them, on 300 random systems against another implementation's numbers: per
 * method the capacities in all and the latest finishes, or that it does not converge. The one deviation from that implementation:
 * queues that do not block take no part in how far a task can get ahead.
 */
#include "plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void compare(const struct weir_pipeline *pipeline, const char *line, int number)
{
    char name[16], rest[256];
    assert_int_equal(sscanf(line, "r %15s %255[^\n]", name, rest), 2);
    enum weir_priority_method method = weir_priority_method_named(name);
    assert_true(method < WEIR_PRIORITY_METHODS);
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, method);
    if ((rest[0] != '-') != (analysis->outcome == WEIR_PRIORITY_CONVERGED))
        fail_msg("system %d, %s: %s", number, name, analysis->why ? analysis->why : "converges, but should not");
    char *at = rest;
    if (rest[0] != '-' && strtoll(at, &at, 10) != analysis->buffer_total)
        fail_msg("system %d, %s: capacities of %lld, not %s", number, name, (long long)analysis->buffer_total, rest);
    for (uint32_t i = 0; rest[0] != '-' && i < weir_pipeline_operator_count(pipeline); i++)
        if (strtoll(at, &at, 10) != analysis->operators[i].finish_max)
            fail_msg("system %d, %s: t%u ends by %lld", number, name, i, (long long)analysis->operators[i].finish_max);
    weir_priority_analysis_free(analysis);
}

/* best is not above any safe method that converges, where there is one latency. */
static void best_is_best(const struct weir_pipeline *pipeline, int number)
{
    struct weir_priority_analysis *best = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    for (int method = 0; method < WEIR_PRIORITY_METHODS; method++) {
        if (method != WEIR_PRIORITY_EI && method != WEIR_PRIORITY_EI_IBS)
            continue;
        struct weir_priority_analysis *other = plan_analyze(pipeline, (enum weir_priority_method)method);
        if (other->outcome == WEIR_PRIORITY_CONVERGED) {
            if (best->outcome != WEIR_PRIORITY_CONVERGED)
                fail_msg("system %d: best does not converge: %s", number, best->why);
            if (best->latency_count == 1 && best->latencies[0].worst > other->latencies[0].worst)
                fail_msg("system %d: best is above %s", number, weir_priority_method_name((enum weir_priority_method)method));
        }
        weir_priority_analysis_free(other);
    }
    weir_priority_analysis_free(best);
}

static void same_numbers(void **state)
{
    (void)state;
    static char text[200000];
    FILE *file = fopen(WEIR_TEST_DIR "/golden.txt", "r");
    assert_non_null(file);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(bytes > 0 && bytes < sizeof text - 1);
    text[bytes] = '\0';
    int systems = 0, results = 0;
    for (char *at = text; (at = strstr(at, "system\n")); systems++) {
        at += strlen("system\n");
        struct weir_pipeline *pipeline = plan_build(at);
        char *end = strstr(at, "end\n");
        for (char *line = strstr(at, "\nr "); line && line < end; line = strstr(line, "\nr ")) {
            compare(pipeline, ++line, systems);
            results++;
        }
        best_is_best(pipeline, systems);
        weir_pipeline_free(pipeline);
    }
    assert_int_equal(systems, 300);
    assert_int_equal(results, 300 * 7);
}

int golden_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
