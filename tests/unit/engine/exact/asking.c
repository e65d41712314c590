/* SPDX-License-Identifier: Apache-2.0 */
#include "asking.h"

#include "engine/exact/explain.h"

#include <string.h>

static struct weir_event event_of(const struct weir_pipeline *p, const char *text)
{
    static const char *const moments[] = {"start", "finish", "arrival"};
    struct weir_event event = {0};
    char name[64];
    const char *dot = strrchr(text, '.');
    assert_non_null(dot);
    snprintf(name, sizeof name, "%.*s", (int)(dot - text), text);
    assert_true(weir_pipeline_find(p, name, &event.op));
    for (int i = 0; i < 3; i++)
        if (strcmp(dot + 1, moments[i]) == 0) {
            event.moment = (enum weir_moment)i;
            return event;
        }
    fail_msg("no event: %s", text);
    return event;
}

struct weir_query ask_query(const struct weir_pipeline *p, const char *from, const char *to, int64_t shift)
{
    return (struct weir_query){.from = event_of(p, from), .to = event_of(p, to), .shift = shift};
}

struct weir_separation ask(const struct weir_pipeline *p, const struct weir_query *query)
{
    struct weir_error error = {.message = ""};
    struct weir_separation result;
    struct weir_solver *solver = weir_solver_new(p, &error);
    assert_non_null(solver);
    if (weir_separation_worst(solver, query, &result, &error))
        fail_msg("%s", error.message);
    weir_solver_free(solver);
    return result;
}

int64_t ask_exact(const struct weir_pipeline *p, const struct weir_query *query)
{
    struct weir_error error = {.message = ""};
    struct weir_separation result = ask(p, query);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_witness *witness;
    int64_t replayed = 0;
    bool holds = false;
    assert_int_equal(result.outcome, WEIR_EXACT);
    if (weir_separation_witness(solver, query, &witness, &error) || weir_witness_replay(p, witness, &replayed, &error))
        fail_msg("%s", error.message);
    assert_int_equal(witness->separation, result.value);
    assert_int_equal(replayed, result.value);
    assert_int_equal(weir_separation_certify(solver, query, result.value, &holds, NULL), WEIR_OK);
    assert_true(holds);
    assert_int_equal(weir_separation_certify(solver, query, result.value - 1, &holds, NULL), WEIR_OK);
    assert_false(holds);
    weir_witness_free(witness);
    weir_solver_free(solver);
    return result.value;
}

int64_t ask_worst(const struct weir_pipeline *p, const char *from, const char *to, int64_t shift)
{
    struct weir_query query = ask_query(p, from, to, shift);
    return ask_exact(p, &query);
}

int64_t ask_best(const struct weir_pipeline *p, const char *from, const char *to, int64_t shift)
{
    struct weir_query query = ask_query(p, to, from, -shift);
    return -ask_exact(p, &query);
}

void ask_unbounded(const struct weir_pipeline *p, const char *from, const char *to, int64_t shift, char words[400])
{
    struct weir_query query = ask_query(p, from, to, shift);
    struct weir_separation result = ask(p, &query);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_witness *witness;
    struct weir_error error;
    assert_int_equal(result.outcome, WEIR_NO_BOUND);
    assert_int_equal(weir_unbounded_explain(solver, &query, words, 400), WEIR_OK);
    assert_int_equal(weir_separation_witness(solver, &query, &witness, &error), WEIR_INVALID);
    assert_null(witness);
    assert_string_equal(error.message, "only an exact separation has a witness");
    weir_solver_free(solver);
}
