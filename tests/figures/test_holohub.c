/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of holohub.txt, to the last digit; each with a witness that replays to it and a certificate that nothing exceeds it.
 */
#include "weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void check_line(const char *model, unsigned queue, int64_t expected)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", WEIR_SOURCE_DIR, model);
    struct weir_read_options options = {.queue = queue, .force_queue = queue > 0};
    struct weir_pipeline *p;
    assert_int_equal(weir_read_file(path, &options, &p, NULL), WEIR_OK);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    assert_non_null(solver);
    struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
    struct weir_query query = {.from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}};
    struct weir_separation result;
    assert_int_equal(weir_separation_worst(solver, &query, &result, NULL), WEIR_OK);
    if (result.outcome != WEIR_EXACT || result.value != expected)
        fail_msg("%s, queue %u: expected %lld, got %lld", model, queue, (long long)expected, (long long)result.value);
    struct weir_witness *witness;
    int64_t replayed;
    bool holds;
    assert_int_equal(weir_separation_witness(solver, &query, &witness, NULL), WEIR_OK);
    assert_int_equal(weir_witness_replay(p, witness, &replayed, NULL), WEIR_OK);
    assert_int_equal(replayed, expected);
    assert_int_equal(weir_separation_certify(solver, &query, expected, &holds, NULL), WEIR_OK);
    assert_true(holds);
    weir_witness_free(witness);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

static void test_figures(void **state)
{
    (void)state;
    FILE *table = fopen(WEIR_SOURCE_DIR "/tests/figures/holohub.txt", "r");
    assert_non_null(table);
    char line[512], model[256];
    int lines = 0;
    while (fgets(line, sizeof line, table)) {
        unsigned queue;
        long long value;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        assert_int_equal(sscanf(line, "%255s %u %lld", model, &queue, &value), 3);
        check_line(model, queue, value);
        lines++;
    }
    fclose(table);
    assert_true(lines > 200);
}

int holohub_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
