/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/answer.h"
#include "answers.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

struct answer {
    const struct weir_analysis *analysis;
    bool *spoken_of; /* by latency */
};

static const struct weir_latency *latency_of(const struct line *line, const struct weir_analysis *a, int *next)
{
    return &a->latencies[line_chain(line, a->pipeline, 1, next)];
}

static void check_latency(const struct line *line, const struct answer *answer, bool bounded)
{
    int i;
    const struct weir_analysis *a = answer->analysis;
    const struct weir_latency *l = latency_of(line, a, &i);
    if (l->worst.outcome != (bounded ? WEIR_EXACT : WEIR_NO_BOUND))
        COMPLAIN(line, bounded ? "the latency is not exact" : "the latency has a bound");
    if (l->verified != bounded)
        COMPLAIN(line, "the latency was not verified");
    for (; i < line->count; i += 2) {
        if (line_says(line, i, "worst") && bounded)
            line_compare_time(line, a->pipeline, i + 1, l->worst.value);
        else if (line_says(line, i, "best"))
            line_compare_time(line, a->pipeline, i + 1, -l->best.value);
        else if (line_says(line, i, "gap"))
            line_compare_time(line, a->pipeline, i + 1, l->gap.value);
        else
            COMPLAIN(line, "what is \"%s\"?", line->word[i]);
    }
    answer->spoken_of[l - a->latencies] = true;
}

static void check_deadline(const struct line *line, const struct weir_analysis *a)
{
    int i;
    const struct weir_latency *l = latency_of(line, a, &i);
    if (!l->chain.has_deadline)
        COMPLAIN(line, "there is no deadline");
    struct weir_bound bound = {.worst = weir_quantity_of(&l->worst, false), .has_deadline = true, .deadline = l->chain.deadline};
    const char *state = weir_deadline_state_name(weir_judge(&bound));
    if (strcmp(line_word(line, i), state) != 0)
        COMPLAIN(line, "the deadline is %s", state);
}

static void compare_ratio(const struct line *line, const struct weir_analysis *a, int index, struct weir_ratio found)
{
    char text[64];
    struct line copy = *line;
    snprintf(text, sizeof text, "%s", line_word(line, index));
    char *slash = strchr(text, '/');
    int64_t parts = 1;
    if (slash) {
        *slash = 0;
        parts = strtoll(slash + 1, NULL, 10);
    }
    copy.word[index] = text;
    struct weir_ratio expected = {line_time(&copy, a->pipeline, index), parts};
    if (weir_ratio_compare(expected, found) != 0)
        COMPLAIN(line, "%s is %lld/%lld ticks", line_word(line, index - 1), (long long)found.numerator,
                 (long long)found.denominator);
}

static void check_period(const struct line *line, const struct weir_analysis *a)
{
    const struct weir_throughput_answer *t = &a->throughput;
    compare_ratio(line, a, 1, t->period);
    int i = 2;
    if (line_says(line, i, "best")) {
        compare_ratio(line, a, i + 1, t->best_period);
        i += 2;
    }
    if (i == line->count)
        return;
    if (!line_says(line, i++, "bottleneck"))
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

static void check_line(const struct line *line, void *context)
{
    const struct answer *answer = context;
    if (line_says(line, 0, "latency") || line_says(line, 0, "unbounded"))
        check_latency(line, answer, line_says(line, 0, "latency"));
    else if (line_says(line, 0, "deadline"))
        check_deadline(line, answer->analysis);
    else if (line_says(line, 0, "period"))
        check_period(line, answer->analysis);
    else
        COMPLAIN(line, "what is \"%s\"?", line_word(line, 0));
}

void check_threads(const char *name, const char *path, const struct weir_pipeline *pipeline)
{
    struct answer answer = {0};
    struct weir_analysis *a;
    struct weir_error error;
    if (weir_analyze(pipeline, &(struct weir_analyze_options){.verify = true}, &a, &error))
        fail_msg("%s: %s", name, error.message);
    answer.analysis = a;
    lines_check_latencies(name, path, pipeline, check_line, &answer, &answer.spoken_of);
    weir_analysis_free(a);
}
