/* SPDX-License-Identifier: Apache-2.0 */
/* A worst case as a sum: right for pipelines worked by hand, and the same in words and in the picture for random ones. */
#include "answer/answer.h"
#include "answer/number.h"
#include "answer/timeline/timeline.h"
#include "render/text/text.h"
#include "support/random/pipeline.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

/* What the picture of a latency says, without what it adds in brackets about waiting while the message runs; "" where it says
 * nothing. */
static void drawn(const struct weir_answer *answer, size_t index, char text[400])
{
    struct weir_timeline *timeline;
    assert_int_equal(weir_timeline_of_answer(answer, index, &timeline, NULL), WEIR_OK);
    snprintf(text, 400, "%s", timeline->account ? timeline->account : "");
    char *more = strstr(text, " (");
    if (more) {
        assert_non_null(strstr(more, " of the waiting while it runs"));
        *more = 0;
    }
    weir_timeline_free(timeline);
}

/* The journey of the message: without gaps from one end of the latency to the other, each leg in a lane of the picture, and what
 * runs is an execution that is drawn there. Returns whether there is one. */
static bool travels(const struct weir_answer *answer, size_t index)
{
    struct weir_timeline *t;
    assert_int_equal(weir_timeline_of_answer(answer, index, &t, NULL), WEIR_OK);
    int64_t now = t->origin;
    for (size_t i = 0; i < t->leg_count; i++) {
        const struct weir_timeline_leg *leg = &t->legs[i];
        bool drawn = leg->kind != WEIR_LEG_RUNNING;
        assert_int_equal(leg->from.numerator, now);
        assert_true(leg->to.numerator > now && leg->lane < t->lane_count && leg->row < t->lanes[leg->lane].rows && *leg->text);
        for (size_t k = 0; k < t->lanes[leg->lane].span_count; k++) {
            const struct weir_timeline_span *span = &t->spans[t->lanes[leg->lane].first_span + k];
            drawn |= span->iteration == leg->iteration && span->from.numerator <= now && span->to.numerator >= leg->to.numerator;
        }
        assert_true(drawn);
        now = leg->to.numerator;
    }
    bool any = t->leg_count > 0;
    assert_true(!any || now - t->origin == weir_ratio_ceiling(answer->bounds[index].worst.high));
    weir_timeline_free(t);
    return any;
}

/* What the words say: the line below the heading, where it is a sum. */
static void told(const struct weir_answer *answer, size_t index, char text[400])
{
    char *words = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&words, &bytes);
    struct weir_text to = {.pipeline = answer->pipeline, .out = out, .style = &weir_style_none};
    assert_int_equal(weir_text_path(&to, &answer->bounds[index]), WEIR_OK);
    fclose(out);
    char *line = strchr(words + 1, '\n') + 3, *end = strchr(line, '\n');
    *end = 0;
    snprintf(text, 400, "%s", strstr(line, " = ") ? line : "");
    free(words);
}

static void expect_both(const char *model, const char *in_picture, const char *in_words)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_answer *answer;
    char picture[400], words[400];
    assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
    drawn(answer, 0, picture);
    told(answer, 0, words);
    assert_string_equal(picture, in_picture);
    assert_string_equal(words, in_words);
    weir_answer_free(answer);
    weir_pipeline_free(p);
}

static void expect(const char *model, const char *expected)
{
    expect_both(model, expected, expected);
}

TEST(by_hand)
{
    expect("unit: ms\noperators: {a: [0, 2], b: [0, 9]}\nqueues: [a -> b]\n", "18 ms = 9 running + 9 waiting behind frame 0 in b");
    expect("operators: {a: [0, 2], b: [0, 9]}\nqueue: 3\nqueues: [a -> b]\n",
           "36 = 9 running + 27 waiting behind frames 0 to 2 in b");
    expect("operators: {a: [0, 2], b: 3}\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n", "");
    expect_both("operators: {a: 1, b: 1}\nqueues: [{from: a, to: b, consume: 2, capacity: 2}]\n",
                "3 = 2 running + 1 waiting in b for the last message of its batch", "");
}

TEST(journeys_by_hand)
{
    static const struct {
        enum weir_leg_kind kind;
        int64_t from, to;
        const char *text;
    } expected[] = {{WEIR_LEG_WAITING, 0, 9, "waiting behind frame 0 in b"}, {WEIR_LEG_RUNNING, 9, 18, "running in b"}};
    struct weir_pipeline *p = stage_read("operators: {a: [0, 2], b: [0, 9]}\nqueues: [a -> b]\n");
    struct weir_answer *answer;
    struct weir_timeline *t;
    assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
    assert_int_equal(weir_timeline_of_answer(answer, 0, &t, NULL), WEIR_OK);
    assert_int_equal(t->leg_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < t->leg_count; i++) {
        assert_int_equal(t->legs[i].kind, expected[i].kind);
        assert_int_equal(t->legs[i].from.numerator - t->origin, expected[i].from);
        assert_int_equal(t->legs[i].to.numerator - t->origin, expected[i].to);
        assert_string_equal(t->legs[i].text, expected[i].text);
    }
    weir_timeline_free(t);
    weir_answer_free(answer);
    weir_pipeline_free(p);
}

TEST(random_pipelines)
{
    size_t asked = 0, sums = 0, journeys = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        struct weir_answer *answer;
        assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
        for (size_t i = 0; i < answer->bound_count; i++) {
            char picture[400], words[400];
            if (!answer->bounds[i].witness)
                continue;
            drawn(answer, i, picture);
            told(answer, i, words);
            asked++;
            journeys += travels(answer, i);
            sums += *words != 0;
            if (strcmp(picture, words) != 0) {
                weir_pipeline_write_yaml(p, stderr, NULL);
                fail_msg("seed %u: \"%s\" and \"%s\"", (unsigned)seed, picture, words);
            }
        }
        weir_answer_free(answer);
        weir_pipeline_free(p);
    }
    assert_true(asked > 500 && sums > asked / 3 && journeys > asked * 9 / 10);
}

/* Where no worst case is known, a run: never longer than what is proved; without a bound, longer and longer. */
TEST(runs_instead_of_worst_cases)
{
    static const char *const models[] = {
        "operators: {a: [2, 4], b: [10, 30], c: 5}\nqueues: [a -> b -> c]\nsource: {operator: a, period: 25, arrivals: exact}\n",
        ("platform: {scheduler: multi-thread, workers: 2, polling: 1}\noperators: {a: [2, 4], b: 3, c: 5, d: 6}\n"
         "queues: [a -> b -> c, a -> d]\nsource: {operator: a, period: 20}\nmeasure: [{from: a, to: c}]\n"),
        "platform: {scheduler: greedy}\noperators: {a: [2, 4], b: 3, c: 5}\nqueues: [a -> b -> c]\n"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct weir_pipeline *p = stage_read(models[m]);
        struct weir_answer *answer;
        struct weir_timeline *t;
        assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
        assert_int_equal(weir_timeline_of_answer(answer, 0, &t, NULL), WEIR_OK);
        int64_t last = -1;
        for (size_t i = 0; i < t->ruler_count; i++) {
            int64_t length = t->rulers[i].to.numerator - t->rulers[i].from.numerator;
            assert_true(m == 0 ? length > last : i == 0 || length >= last); /* the frame, then what is proved */
            last = length;
        }
        assert_int_equal(t->ruler_count, m == 0 ? 3 : 2);
        assert_true((m == 0) == (t->account != NULL && strstr(t->account, "backlog grows") != NULL));
        weir_timeline_free(t);
        weir_answer_free(answer);
        weir_pipeline_free(p);
    }
}
