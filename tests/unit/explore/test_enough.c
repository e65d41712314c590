/* SPDX-License-Identifier: Apache-2.0 */
/* How fast an operator has to be for every deadline: held against asking all times, one after another. */
#include "explore/margins/enough.h"
#include "support/stage.h"

#include <stdio.h>

static const char model[] =
    "operators: {s: [1, 2], a: [%d, %d], b: [2, %d], c: [0, 4]}\nqueue: %d\nqueues: [s -> a -> c, s -> b -> c]\n"
    "deadlines: [{from: s, to: c, within: %d}, {from: s, to: a, within: %d}]\n";

struct numbers {
    int best, worst, other, queue, first, second;
};

static struct weir_pipeline *make(const struct numbers *n)
{
    char text[400];
    snprintf(text, sizeof text, model, n->best, n->worst, n->other, n->queue, n->first, n->second);
    return stage_read(text);
}

static bool meets_all(const struct numbers *n, int best, int worst)
{
    struct numbers tried = *n;
    tried.best = best;
    tried.worst = worst;
    struct weir_pipeline *p = make(&tried);
    struct weir_answer *answer;
    assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
    bool met = weir_answer_verdict(answer) == WEIR_VERDICT_GOOD;
    weir_answer_free(answer);
    weir_pipeline_free(p);
    return met;
}

/* The largest worst case below that of the model; 0: none. */
static int largest(const struct numbers *n, int best, int from, int to)
{
    int found = 0;
    for (int worst = from; worst < to; worst++)
        if (meets_all(n, best, worst))
            found = worst;
    return found;
}

TEST(every_time_is_tried)
{
    int both = 0, none = 0, less = 0;
    for (int first = 12; first < 40; first += 3)
        for (int second = 6; second < 30; second += 5)
            for (int best = 0; best <= 8; best += 4) {
                struct numbers n = {best, 11, 5 + first % 4, 1 + second % 2, first, second};
                struct weir_pipeline *p = make(&n);
                struct weir_evaluator *e = weir_evaluator_new(p, NULL);
                struct weir_enough enough;
                assert_int_equal(weir_enough_find(e, (struct weir_operator){1}, &enough, NULL), WEIR_OK);
                int kept = largest(&n, best, best, 11), any = kept ? 0 : largest(&n, 0, 0, best);
                assert_int_equal(enough.found, kept || any);
                if (enough.found) {
                    assert_int_equal(enough.worst, kept ? kept : any);
                    assert_int_equal(enough.best, kept ? best : 0);
                }
                assert_int_equal(weir_evaluator_worst(e, (struct weir_operator){1}), 11);
                both += kept != 0;
                less += any != 0;
                none += !enough.found;
                weir_evaluator_free(e);
                weir_pipeline_free(p);
            }
    assert_true(both > 5 && less > 5 && none > 5);
}
