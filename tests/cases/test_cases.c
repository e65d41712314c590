/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses every model of this folder, with verification, and compares the answer with what the model itself expects, in comments
 * ("# expect: ..." or "// expect: ..."):
 *
 *     latency FROM -> TO [offset N] [worst T] [best T] [gap T]
 *     unbounded FROM -> TO [best T] [gap T]
 *     deadline FROM -> TO met|missed
 *     period T [best T] [bottleneck NAME...]
 *
 * Times are in the model's unit; a period may be a fraction, 10/3. Names with spaces stand in double quotes. A model says
 * something of each of its latencies.
 */
#include "base/number.h"
#include "weir.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER WEIR_SOURCE_DIR "/tests/cases"
#define FILES_MIN 30 /* there are more; fewer means that the folder was not found as it is */

enum { LINE_MAX_BYTES = 512, WORDS_MAX = 32 };

/* One expectation, cut into words. */
struct line {
    const char *file;
    int number;
    char text[LINE_MAX_BYTES];
    char *word[WORDS_MAX];
    int count;
};

#define COMPLAIN(line, ...)                                                                                                        \
    do {                                                                                                                           \
        print_error("%s:%d: ", (line)->file, (line)->number);                                                                      \
        print_error(__VA_ARGS__);                                                                                                  \
        print_error("\n");                                                                                                         \
        fail();                                                                                                                    \
    } while (0)

static void cut(struct line *line)
{
    char *at = line->text;
    line->count = 0;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            return;
        assert_true(line->count < WORDS_MAX);
        bool quoted = *at == '"';
        at += quoted;
        line->word[line->count++] = at;
        at += strcspn(at, quoted ? "\"" : " \t\r\n");
        if (*at)
            *at++ = 0;
    }
}

static const char *word(const struct line *line, int index)
{
    if (index >= line->count)
        COMPLAIN(line, "something is missing at the end");
    return line->word[index];
}

static int64_t time_at(const struct line *line, const struct weir_analysis *a, int index)
{
    int64_t ticks = 0;
    struct weir_error error;
    if (weir_time_parse(a->pipeline, word(line, index), &ticks, &error))
        COMPLAIN(line, "%s", error.message);
    return ticks;
}

static void compare_time(const struct line *line, const struct weir_analysis *a, int index, int64_t found)
{
    char expected[WEIR_TIME_TEXT], was[WEIR_TIME_TEXT];
    int64_t ticks = time_at(line, a, index);
    if (ticks != found)
        COMPLAIN(line, "%s is %s, not %s", word(line, index - 1), weir_time_format(a->pipeline, found, was),
                 weir_time_format(a->pipeline, ticks, expected));
}

/* The latency FROM -> TO that begins at word 1; *next is the word behind it. */
static const struct weir_latency *latency_of(const struct line *line, const struct weir_analysis *a, int *next)
{
    struct weir_operator from, to;
    if (strcmp(word(line, 2), "->") != 0)
        COMPLAIN(line, "expected FROM -> TO");
    if (!weir_pipeline_find(a->pipeline, word(line, 1), &from) || !weir_pipeline_find(a->pipeline, word(line, 3), &to))
        COMPLAIN(line, "no such operator");
    *next = 4;
    bool offset = line->count > 4 && strcmp(line->word[4], "offset") == 0;
    if (offset)
        *next = 6;
    for (size_t i = 0; i < a->latency_count; i++) {
        const struct weir_pair_spec *pair = &a->latencies[i].pair;
        if (pair->from.index == from.index && pair->to.index == to.index &&
            (!offset || pair->shift == strtoll(word(line, 5), NULL, 10)))
            return &a->latencies[i];
    }
    COMPLAIN(line, "there is no such latency");
    return NULL;
}

/* Returns which latency was spoken of. */
static size_t check_latency(const struct line *line, const struct weir_analysis *a, bool bounded)
{
    int i;
    const struct weir_latency *l = latency_of(line, a, &i);
    if (l->worst.outcome != (bounded ? WEIR_EXACT : WEIR_NO_BOUND))
        COMPLAIN(line, bounded ? "the latency is not exact" : "the latency has a bound");
    if (l->verified != bounded)
        COMPLAIN(line, "the latency was not verified");
    for (; i < line->count; i += 2) {
        if (strcmp(line->word[i], "worst") == 0 && bounded)
            compare_time(line, a, i + 1, l->worst.value);
        else if (strcmp(line->word[i], "best") == 0)
            compare_time(line, a, i + 1, -l->best.value);
        else if (strcmp(line->word[i], "gap") == 0)
            compare_time(line, a, i + 1, l->gap.value);
        else
            COMPLAIN(line, "what is \"%s\"?", line->word[i]);
    }
    return (size_t)(l - a->latencies);
}

static void check_deadline(const struct line *line, const struct weir_analysis *a)
{
    int i;
    const struct weir_latency *l = latency_of(line, a, &i);
    const char *verdict = word(line, i);
    if (!l->pair.has_deadline)
        COMPLAIN(line, "there is no deadline");
    if (strcmp(verdict, l->deadline_met ? "met" : "missed") != 0)
        COMPLAIN(line, "the deadline is %s", l->deadline_met ? "met" : "missed");
}

static void compare_ratio(const struct line *line, const struct weir_analysis *a, int index, struct weir_ratio found)
{
    char text[64];
    struct line copy = *line;
    snprintf(text, sizeof text, "%s", word(line, index));
    char *slash = strchr(text, '/');
    int64_t parts = 1;
    if (slash) {
        *slash = 0;
        parts = strtoll(slash + 1, NULL, 10);
    }
    copy.word[index] = text;
    struct weir_ratio expected = {time_at(&copy, a, index), parts};
    if (weir_ratio_compare(expected, found) != 0)
        COMPLAIN(line, "%s is %lld/%lld ticks", word(line, index - 1), (long long)found.numerator, (long long)found.denominator);
}

static void check_period(const struct line *line, const struct weir_analysis *a)
{
    const struct weir_throughput_answer *t = &a->throughput;
    compare_ratio(line, a, 1, t->period);
    int i = 2;
    if (i < line->count && strcmp(line->word[i], "best") == 0) {
        compare_ratio(line, a, i + 1, t->best_period);
        i += 2;
    }
    if (i == line->count)
        return;
    if (strcmp(word(line, i++), "bottleneck") != 0)
        COMPLAIN(line, "expected \"bottleneck\"");
    bool same = (size_t)(line->count - i) == t->bottleneck_count;
    for (; i < line->count && same; i++) {
        bool found = false;
        for (size_t k = 0; k < t->bottleneck_count; k++)
            found |= strcmp(weir_pipeline_operator(a->pipeline, t->bottleneck[k]).name, line->word[i]) == 0;
        same = found;
    }
    if (!same)
        COMPLAIN(line, "the bottleneck has %zu operators, with %s", t->bottleneck_count,
                 weir_pipeline_operator(a->pipeline, t->bottleneck[0]).name);
}

static void check_line(const struct line *line, const struct weir_analysis *a, bool *spoken_of)
{
    const char *what = word(line, 0);
    if (strcmp(what, "latency") == 0 || strcmp(what, "unbounded") == 0)
        spoken_of[check_latency(line, a, *what == 'l')] = true;
    else if (strcmp(what, "deadline") == 0)
        check_deadline(line, a);
    else if (strcmp(what, "period") == 0)
        check_period(line, a);
    else
        COMPLAIN(line, "what is \"%s\"?", what);
}

static void check_file(const char *name, const char *path, const struct weir_analysis *a)
{
    struct line line = {.file = name, .number = 0};
    bool *spoken_of = calloc(a->latency_count, sizeof *spoken_of);
    FILE *file = fopen(path, "r");
    assert_true(file && spoken_of);
    char text[LINE_MAX_BYTES];
    while (fgets(text, sizeof text, file)) {
        static const char *const marks[] = {"# expect: ", "// expect: "};
        line.number++;
        for (size_t i = 0; i < 2; i++) {
            char *at = strstr(text, marks[i]);
            if (!at)
                continue;
            snprintf(line.text, sizeof line.text, "%s", at + strlen(marks[i]));
            cut(&line);
            check_line(&line, a, spoken_of);
            break;
        }
    }
    fclose(file);
    for (size_t i = 0; i < a->latency_count; i++)
        if (!spoken_of[i])
            COMPLAIN(&line, "nothing is said of the latency from %s to %s",
                     weir_pipeline_operator(a->pipeline, a->latencies[i].pair.from).name,
                     weir_pipeline_operator(a->pipeline, a->latencies[i].pair.to).name);
    free(spoken_of);
}

static void one_file(void **state)
{
    const char *name = *state;
    char path[4096];
    struct weir_pipeline *pipeline;
    struct weir_analysis *analysis;
    struct weir_error error;
    struct weir_errors *errors = weir_errors_new();
    snprintf(path, sizeof path, FOLDER "/%s", name);
    if (weir_read_file(path, NULL, &pipeline, errors))
        fail_msg("%s:%u: %s", name, weir_errors_at(errors, 0)->line, weir_errors_at(errors, 0)->message);
    if (weir_analyze(pipeline, &(struct weir_analyze_options){.verify = true}, &analysis, &error))
        fail_msg("%s: %s", name, error.message);
    check_file(name, path, analysis);
    weir_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
}

static int by_name(const void *a, const void *b)
{
    const struct CMUnitTest *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static bool is_model(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".dot") == 0);
}

int main(void)
{
    static struct CMUnitTest tests[1000];
    size_t count = 0;
    DIR *folder = opendir(FOLDER);
    if (!folder)
        return 1;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!is_model(entry->d_name))
            continue;
        char *copy = strdup(entry->d_name);
        if (!copy || count == sizeof tests / sizeof *tests)
            return 1;
        tests[count++] = (struct CMUnitTest){copy, one_file, NULL, NULL, copy};
    }
    closedir(folder);
    if (count < FILES_MIN) {
        fprintf(stderr, "only %zu files in " FOLDER "\n", count);
        return 1;
    }
    qsort(tests, count, sizeof *tests, by_name);
    int failed = _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        free(tests[i].initial_state);
    return failed != 0;
}
