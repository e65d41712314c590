/* SPDX-License-Identifier: Apache-2.0 */
/* A worst case as a sum: right for pipelines worked by hand, and the same in words and in the picture for random ones. */
#include "answer/answer.h"
#include "answer/timeline.h"
#include "render/text/text.h"
#include "support/random/pipeline.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

/* What the picture of a latency says; "" where it says nothing. */
static void drawn(const struct weir_answer *answer, size_t index, char text[400])
{
    struct weir_timeline *timeline;
    assert_int_equal(weir_timeline_of_answer(answer, index, &timeline, NULL), WEIR_OK);
    snprintf(text, 400, "%s", timeline->account ? timeline->account : "");
    weir_timeline_free(timeline);
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

static void expect(const char *model, const char *expected)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_answer *answer;
    char picture[400], words[400];
    assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
    drawn(answer, 0, picture);
    told(answer, 0, words);
    assert_string_equal(picture, expected);
    assert_string_equal(words, expected);
    weir_answer_free(answer);
    weir_pipeline_free(p);
}

TEST(by_hand)
{
    expect("unit: ms\noperators: {a: [0, 2], b: [0, 9]}\nqueues: [a -> b]\n", "18 ms = 9 running + 9 waiting behind frame 0 in b");
    expect("operators: {a: [0, 2], b: [0, 9]}\nqueue: 3\nqueues: [a -> b]\n",
           "36 = 9 running + 27 waiting behind frames 0 to 2 in b");
    expect("operators: {a: [0, 2], b: 3}\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n", "");
    expect("operators: {a: 1, b: 1}\nqueues: [{from: a, to: b, consume: 2, capacity: 2}]\n", "");
}

TEST(random_pipelines)
{
    size_t asked = 0, sums = 0;
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
            sums += *words != 0;
            if (strcmp(picture, words) != 0) {
                weir_pipeline_write_yaml(p, stderr, NULL);
                fail_msg("seed %u: \"%s\" and \"%s\"", (unsigned)seed, picture, words);
            }
        }
        weir_answer_free(answer);
        weir_pipeline_free(p);
    }
    assert_true(asked > 500 && sums > asked / 3);
}
