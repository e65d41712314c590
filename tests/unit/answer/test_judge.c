/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines are decided in one place: every claim against a deadline below, at and above what is known. */
#include "answer/answer.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static struct weir_bound bound_of(enum weir_claim claim, int64_t low, int64_t high, int64_t deadline)
{
    return (struct weir_bound){.worst = {claim, {low, low >= 0}, {high, high >= 0}}, .has_deadline = true, .deadline = deadline};
}

static void check(struct weir_bound bound, enum weir_deadline_state state, enum weir_verdict verdict)
{
    bound.state = weir_judge(&bound);
    assert_string_equal(weir_deadline_state_name(bound.state), weir_deadline_state_name(state));
    assert_int_equal(weir_bound_verdict(&bound), verdict);
}

TEST(claims_against_deadlines)
{
    static const struct {
        enum weir_claim claim;
        int64_t low, high, deadline; /* -1: not known */
        enum weir_deadline_state state;
        enum weir_verdict verdict;
    } cases[] = {
        {WEIR_CLAIM_EXACT, 10, 10, 10, WEIR_DEADLINE_MET, WEIR_VERDICT_GOOD},
        {WEIR_CLAIM_EXACT, 10, 10, 9, WEIR_DEADLINE_MISSED, WEIR_VERDICT_BAD},
        {WEIR_CLAIM_SAFE, -1, 10, 10, WEIR_DEADLINE_MET, WEIR_VERDICT_GOOD},
        {WEIR_CLAIM_SAFE, -1, 10, 9, WEIR_DEADLINE_NOT_PROVED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_SAFE, 5, 10, 4, WEIR_DEADLINE_MISSED, WEIR_VERDICT_BAD}, /* an execution that takes 5 is known */
        {WEIR_CLAIM_SAFE, 5, 10, 5, WEIR_DEADLINE_NOT_PROVED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_BRACKET, 5, 10, 10, WEIR_DEADLINE_MET, WEIR_VERDICT_OPEN}, /* met, but not what was asked for */
        {WEIR_CLAIM_BRACKET, 5, 10, 7, WEIR_DEADLINE_NOT_DECIDED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_BRACKET, 5, 10, 4, WEIR_DEADLINE_MISSED, WEIR_VERDICT_BAD},
        {WEIR_CLAIM_BRACKET, -1, -1, 7, WEIR_DEADLINE_NOT_DECIDED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_BRACKET, 5, -1, 7, WEIR_DEADLINE_NOT_DECIDED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_UNSAFE, -1, 10, 100, WEIR_DEADLINE_NOT_DECIDED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_UNSAFE, -1, 10, 1, WEIR_DEADLINE_NOT_DECIDED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_UNKNOWN, -1, -1, 100, WEIR_DEADLINE_NOT_DECIDED, WEIR_VERDICT_OPEN},
        {WEIR_CLAIM_UNBOUNDED, -1, -1, INT64_MAX, WEIR_DEADLINE_MISSED, WEIR_VERDICT_BAD},
        {WEIR_CLAIM_NONE, -1, -1, 0, WEIR_DEADLINE_MET, WEIR_VERDICT_GOOD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(bound_of(cases[i].claim, cases[i].low, cases[i].high, cases[i].deadline), cases[i].state, cases[i].verdict);
}

TEST(without_a_deadline)
{
    static const enum weir_verdict verdicts[] = {
        [WEIR_CLAIM_NONE] = WEIR_VERDICT_GOOD,    [WEIR_CLAIM_EXACT] = WEIR_VERDICT_GOOD,  [WEIR_CLAIM_SAFE] = WEIR_VERDICT_GOOD,
        [WEIR_CLAIM_BRACKET] = WEIR_VERDICT_OPEN, [WEIR_CLAIM_UNSAFE] = WEIR_VERDICT_GOOD, [WEIR_CLAIM_UNKNOWN] = WEIR_VERDICT_OPEN,
        [WEIR_CLAIM_UNBOUNDED] = WEIR_VERDICT_BAD};
    for (int claim = WEIR_CLAIM_NONE; claim <= WEIR_CLAIM_UNBOUNDED; claim++) {
        struct weir_bound bound = bound_of((enum weir_claim)claim, 10, 10, 0);
        bound.has_deadline = false;
        check(bound, WEIR_DEADLINE_NONE, verdicts[claim]);
    }
}

/* Fractions are compared exactly. */
TEST(a_third_above)
{
    struct weir_bound bound = bound_of(WEIR_CLAIM_SAFE, -1, 0, 3);
    bound.worst.high = (struct weir_ratio){9, 3};
    check(bound, WEIR_DEADLINE_MET, WEIR_VERDICT_GOOD);
    bound.worst.high = (struct weir_ratio){10, 3};
    check(bound, WEIR_DEADLINE_NOT_PROVED, WEIR_VERDICT_OPEN);
    bound.worst.high = (struct weir_ratio){INT64_MAX, INT64_MAX - 1};
    bound.deadline = 1;
    check(bound, WEIR_DEADLINE_NOT_PROVED, WEIR_VERDICT_OPEN);
}

/* The worst state is spoken of first, and among those the one that is latest. */
TEST(what_is_most_urgent)
{
    struct weir_bound bounds[] = {
        bound_of(WEIR_CLAIM_EXACT, 10, 10, 20), bound_of(WEIR_CLAIM_SAFE, -1, 99, 20),   bound_of(WEIR_CLAIM_EXACT, 25, 25, 20),
        bound_of(WEIR_CLAIM_EXACT, 30, 30, 28), bound_of(WEIR_CLAIM_UNKNOWN, -1, -1, 1),
    };
    struct weir_answer answer = {.bounds = bounds, .bound_count = 5};
    weir_answer_judge(&answer);
    assert_ptr_equal(weir_answer_worst(&answer), &bounds[2]);
    assert_int_equal(weir_answer_verdict(&answer), WEIR_VERDICT_BAD);
    answer.bound_count = 2;
    assert_ptr_equal(weir_answer_worst(&answer), &bounds[1]);
    assert_int_equal(weir_answer_verdict(&answer), WEIR_VERDICT_OPEN);
    answer.trouble = "CAN FAIL: a queue";
    answer.trouble_verdict = WEIR_VERDICT_BAD;
    assert_int_equal(weir_answer_verdict(&answer), WEIR_VERDICT_BAD);
    answer = (struct weir_answer){0};
    assert_null(weir_answer_worst(&answer));
    assert_null(weir_answer_bound(&answer, 0));
}

TEST(comma_separated)
{
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){3, 4}, 1);
    struct weir_answer *answer;
    struct weir_error error;
    char *text = NULL;
    size_t bytes;
    assert_int_equal(weir_answer_find(p, NULL, &answer, &error), WEIR_OK);
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(weir_answer_write_csv(answer, NULL, out, &error), WEIR_OK);
    assert_int_equal(weir_answer_write_csv(answer, "nothing", out, &error), WEIR_INVALID);
    fclose(out);
    assert_non_null(strstr(text, "from,to,shift,claim,worst,best,gap,deadline,state\n"));
    assert_non_null(strstr(text, ",0,exact,"));
    assert_non_null(strstr(text, ",none\n"));
    free(text);
    weir_answer_free(answer);
    weir_pipeline_free(p);
}
