/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20 };

struct answers {
    const struct weir_edf_analysis *analysis;  /* the one that a line is about */
    const struct weir_edf_analysis *published; /* by the bounds on tardiness alone */
    bool *spoken_of;                           /* by latency */
    bool not_schedulable;                      /* the model says so */
    const char *file;                          /* of the run: who complains */
    int64_t *peak;                             /* by queue */
};

/* ---- what the model says ---- */

static void need_schedulable(const struct line *line, const struct weir_edf_analysis *a)
{
    if (!a->schedulable)
        COMPLAIN(line, "not schedulable: %s", a->why);
}

/* response|offset|period OP T */
static void check_operator(const struct line *line, const struct weir_edf_analysis *a)
{
    const struct weir_edf_operator *o = &a->operators[line_operator(line, a->pipeline, 1).index];
    struct weir_ratio expected = line_ratio(line, a->pipeline, 2);
    if (line_says(line, 0, "period")) {
        line_compare_ratio(line, expected, o->period);
        return;
    }
    need_schedulable(line, a);
    line_compare_ratio(line, expected, line_says(line, 0, "response") ? o->response : o->offset);
}

/* FROM -> TO worst T [gathering T] */
static void check_latency(const struct line *line, struct answers *answers)
{
    const struct weir_edf_analysis *a = answers->analysis;
    int i;
    uint32_t chain = line_chain(line, a->pipeline, 1, &i);
    need_schedulable(line, a);
    if (!a->latencies[chain].bounded)
        COMPLAIN(line, "there is no bound");
    for (; i < line->count; i += 2)
        if (line_says(line, i, "worst"))
            line_compare_ratio(line, line_ratio(line, a->pipeline, i + 1), a->latencies[chain].worst);
        else if (line_says(line, i, "gathering"))
            line_compare_ratio(line, line_ratio(line, a->pipeline, i + 1), a->latencies[chain].gathering);
        else
            COMPLAIN(line, "what is \"%s\"?", line->word[i]);
    answers->spoken_of[chain] = true;
}

static void check_unbounded(const struct line *line, struct answers *answers)
{
    int i;
    uint32_t chain = line_chain(line, answers->analysis->pipeline, 1, &i);
    if (answers->analysis->latencies[chain].bounded)
        COMPLAIN(line, "there is a bound");
    answers->spoken_of[chain] = true;
}

/* FROM -> TO N: of the first queue between them. */
static void check_capacity(const struct line *line, const struct weir_edf_analysis *a)
{
    struct weir_operator from = line_operator(line, a->pipeline, 1), to = line_operator(line, a->pipeline, 3);
    need_schedulable(line, a);
    for (size_t i = 0; i < a->buffer_count; i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(a->pipeline, (struct weir_queue){a->buffers[i].index});
        if (queue.from.index != from.index || queue.to.index != to.index)
            continue;
        if (strtoll(line_word(line, 4), NULL, 10) != a->buffers[i].capacity)
            COMPLAIN(line, "it is %u", a->buffers[i].capacity);
        return;
    }
    COMPLAIN(line, "there is no such queue");
}

/* not schedulable [why "WORDS"] */
static void check_not_schedulable(const struct line *line, struct answers *answers)
{
    const struct weir_edf_analysis *a = answers->analysis;
    if (!line_says(line, 1, "schedulable"))
        COMPLAIN(line, "what is \"%s\"?", line_word(line, 1));
    if (a->schedulable)
        COMPLAIN(line, "it is schedulable");
    if (line_says(line, 2, "why") && !strstr(a->why, line_word(line, 3)))
        COMPLAIN(line, "why: %s", a->why);
    answers->not_schedulable = true;
}

static void check_line(const struct line *line, void *context)
{
    struct answers *answers = context;
    const struct weir_edf_analysis *a = answers->analysis;
    if (line_says(line, 0, "tardiness")) { /* ... and the rest of a line: what the published bounds say */
        struct line rest = *line;
        struct answers of_published = *answers;
        memmove(rest.word, rest.word + 1, (size_t)--rest.count * sizeof *rest.word);
        of_published.analysis = answers->published;
        check_line(&rest, &of_published);
    } else if (line_says(line, 0, "latency"))
        check_latency(line, answers);
    else if (line_says(line, 0, "unbounded"))
        check_unbounded(line, answers);
    else if (line_says(line, 0, "deadline"))
        line_deadline(line, a->pipeline);
    else if (line_says(line, 0, "response") || line_says(line, 0, "offset") || line_says(line, 0, "period"))
        check_operator(line, a);
    else if (line_says(line, 0, "capacity"))
        check_capacity(line, a);
    else if (line_says(line, 0, "utilization")) {
        char *slash = strchr(line_word(line, 1), '/');
        int64_t denominator = slash ? strtoll(slash + 1, NULL, 10) : 1;
        line_compare_ratio(line, (struct weir_ratio){strtoll(line->word[1], NULL, 10), denominator}, a->utilization);
    } else if (line_says(line, 0, "not"))
        check_not_schedulable(line, answers);
    else
        COMPLAIN(line, "what is \"%s\"?", line_word(line, 0));
}

/* ---- what happens ---- */

static void watch(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale)
{
    const struct answers *answers = context;
    struct weir_ratio response = answers->analysis->operators[op.index].response;
    if ((weir_wide)(moments[2] - moments[1]) * response.denominator > (weir_wide)response.numerator * scale)
        fail_msg("%s: execution %lld of operator %u was seen to respond later than its bound", answers->file, (long long)execution,
                 op.index);
}

/* Runs of every kind stay within responses and buffers. */
static void look_for_late_ones(struct answers *answers)
{
    const struct weir_edf_analysis *a = answers->analysis;
    struct weir_error error;
    for (unsigned run = 0; run < 24 && a->schedulable; run++) {
        static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG, WEIR_TIMES_BEST};
        struct weir_edf_simulation_options options = {.rounds = ROUNDS,
                                                      .late = run % 2,
                                                      .times = times[run / 2 % 4],
                                                      .arrivals = (enum weir_edf_arrivals)(run / 8),
                                                      .seed = run,
                                                      .observe = watch,
                                                      .context = answers};
        if (weir_edf_simulate(a->pipeline, &options, answers->peak, &error))
            fail_msg("%s: %s", answers->file, error.message);
        for (size_t i = 0; i < a->buffer_count; i++)
            if (answers->peak[a->buffers[i].index] > a->buffers[i].capacity)
                fail_msg("%s: queue %u was seen to hold more than its bound", answers->file, a->buffers[i].index);
    }
}

void check_cores(const char *name, const char *path, const struct weir_pipeline *pipeline)
{
    struct weir_edf_analysis *analysis = NULL, *published = NULL;
    struct weir_error error;
    if (weir_edf_analyze(pipeline, &(struct weir_edf_options){.verify = true}, &analysis, &error) ||
        weir_edf_analyze(pipeline, &(struct weir_edf_options){.verify = true, .tardiness = true}, &published, &error))
        fail_msg("%s: %s", name, error.message);
    struct answers answers = {.analysis = analysis, .published = published, .file = name};
    answers.spoken_of = calloc(analysis->latency_count, sizeof *answers.spoken_of);
    answers.peak = calloc(weir_pipeline_queue_count(pipeline) + 1, sizeof *answers.peak);
    assert_true(answers.spoken_of && answers.peak);
    look_for_late_ones(&answers);
    lines_check(name, path, check_line, &answers);
    if (!analysis->schedulable && !answers.not_schedulable)
        fail_msg("%s: not schedulable: %s", name, analysis->why);
    lines_expect_all(name, pipeline, answers.spoken_of, analysis->schedulable ? analysis->latency_count : 0);
    free(answers.spoken_of);
    free(answers.peak);
    weir_edf_analysis_free(published);
    weir_edf_analysis_free(analysis);
}
