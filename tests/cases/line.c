/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static void cut(struct line *line)
{
    char *at = line->text;
    line->count = 0;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            return;
        assert_true(line->count < LINE_WORDS_MAX);
        bool quoted = *at == '"';
        at += quoted;
        line->word[line->count++] = at;
        at += strcspn(at, quoted ? "\"" : " \t\r\n");
        if (*at)
            *at++ = 0;
    }
}

void lines_check(const char *name, const char *path, void (*check)(const struct line *line, void *context), void *context)
{
    static const char *const marks[] = {"# expect: ", "// expect: "};
    struct line line = {.file = name, .number = 0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char text[LINE_MAX_BYTES];
    while (fgets(text, sizeof text, file)) {
        line.number++;
        for (size_t i = 0; i < 2; i++) {
            char *at = strstr(text, marks[i]);
            if (!at)
                continue;
            snprintf(line.text, sizeof line.text, "%s", at + strlen(marks[i]));
            cut(&line);
            check(&line, context);
            break;
        }
    }
    fclose(file);
}

const char *line_word(const struct line *line, int index)
{
    if (index >= line->count)
        COMPLAIN(line, "something is missing at the end");
    return line->word[index];
}

bool line_says(const struct line *line, int index, const char *word)
{
    return index < line->count && strcmp(line->word[index], word) == 0;
}

int64_t line_time(const struct line *line, const struct weir_pipeline *pipeline, int index)
{
    int64_t ticks = 0;
    struct weir_error error;
    if (weir_time_parse(pipeline, line_word(line, index), &ticks, &error))
        COMPLAIN(line, "%s", error.message);
    return ticks;
}

void line_compare_time(const struct line *line, const struct weir_pipeline *pipeline, int index, int64_t found)
{
    char expected[WEIR_TIME_TEXT], was[WEIR_TIME_TEXT];
    int64_t ticks = line_time(line, pipeline, index);
    if (ticks != found)
        COMPLAIN(line, "%s is %s, not %s", line_word(line, index - 1), weir_time_format(pipeline, found, was),
                 weir_time_format(pipeline, ticks, expected));
}

struct weir_operator line_operator(const struct line *line, const struct weir_pipeline *pipeline, int index)
{
    struct weir_operator op = {0};
    if (!weir_pipeline_find(pipeline, line_word(line, index), &op))
        COMPLAIN(line, "there is no operator \"%s\"", line_word(line, index));
    return op;
}

uint32_t line_chain(const struct line *line, const struct weir_pipeline *pipeline, int first, int *next)
{
    struct weir_operator from = line_operator(line, pipeline, first), to = line_operator(line, pipeline, first + 2);
    if (!line_says(line, first + 1, "->"))
        COMPLAIN(line, "expected FROM -> TO");
    bool offset = line_says(line, first + 3, "offset");
    *next = first + (offset ? 5 : 3);
    for (uint32_t i = 0; i < weir_pipeline_chain_count(pipeline); i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(pipeline, i);
        if (chain.from.index == from.index && chain.to.index == to.index &&
            (!offset || chain.shift == strtoll(line_word(line, first + 4), NULL, 10)))
            return i;
    }
    COMPLAIN(line, "there is no such latency");
    return 0;
}

struct weir_ratio line_ratio(const struct line *line, const struct weir_pipeline *pipeline, int index)
{
    char *slash = strchr(line_word(line, index), '/');
    if (!slash)
        return (struct weir_ratio){line_time(line, pipeline, index), 1};
    struct weir_ratio ratio = {strtoll(line->word[index], NULL, 10), strtoll(slash + 1, NULL, 10)};
    if (ratio.denominator <= 0)
        COMPLAIN(line, "what is \"%s\"?", line->word[index]);
    for (unsigned digits = weir_pipeline_digits(pipeline); digits > 0; digits--)
        if (!weir_multiply(ratio.numerator, 10, &ratio.numerator))
            COMPLAIN(line, "\"%s\" is too large", line->word[index]);
    return ratio;
}

void line_compare_ratio(const struct line *line, struct weir_ratio expected, struct weir_ratio found)
{
    if (weir_ratio_compare(expected, found) != 0)
        COMPLAIN(line, "it is %lld/%lld ticks", (long long)found.numerator, (long long)found.denominator);
}

void line_deadline(const struct line *line, const struct weir_pipeline *pipeline)
{
    struct weir_answer *answer = NULL;
    int i;
    uint32_t chain = line_chain(line, pipeline, 1, &i);
    assert_int_equal(weir_answer_find(pipeline, NULL, &answer, NULL), WEIR_OK);
    const char *state = weir_deadline_state_name(weir_answer_bound(answer, chain)->state);
    weir_answer_free(answer);
    if (strcmp(line_word(line, i), state) != 0)
        COMPLAIN(line, "the deadline is %s", state);
}

void lines_expect_all(const char *name, const struct weir_pipeline *pipeline, const bool *spoken_of, size_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(pipeline, i);
        if (!spoken_of[i])
            fail_msg("%s: nothing is said of the latency from %s to %s", name, weir_pipeline_operator(pipeline, chain.from).name,
                     weir_pipeline_operator(pipeline, chain.to).name);
    }
}

void lines_check_latencies(const char *name, const char *path, const struct weir_pipeline *pipeline,
                           void (*check)(const struct line *line, void *context), void *context, bool **spoken_of)
{
    size_t count = weir_pipeline_chain_count(pipeline);
    *spoken_of = calloc(count, sizeof **spoken_of);
    assert_non_null(*spoken_of);
    lines_check(name, path, check, context);
    lines_expect_all(name, pipeline, *spoken_of, count);
    free(*spoken_of);
}
