/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/answer.h"
#include "answers.h"

#include "base/number.h"
#include "simulate/gpu.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 400 };

struct answers {
    const char *file;
    const struct weir_pipeline *pipeline;
    struct weir_gpu_plan *plans[WEIR_GPU_METHODS]; /* NULL: the method does not cover the model */
    struct weir_error errors[WEIR_GPU_METHODS];
    struct weir_ratio latest[WEIR_GPU_METHODS]; /* seen, whatever the dispatch */
    bool spoken_of[WEIR_GPU_METHODS];
};

/* ---- what the model says ---- */

static enum weir_gpu_method method_at(const struct line *line, int index)
{
    enum weir_gpu_method method = weir_gpu_method_named(line_word(line, index));
    if (method == WEIR_GPU_METHODS)
        COMPLAIN(line, "what is \"%s\"?", line->word[index]);
    return method;
}

static const struct weir_gpu_plan *plan_at(const struct line *line, struct answers *answers, int index)
{
    enum weir_gpu_method method = method_at(line, index);
    if (!answers->plans[method])
        COMPLAIN(line, "not covered: %s", answers->errors[method].message);
    answers->spoken_of[method] = true;
    return answers->plans[method];
}

static void compare_count(const struct line *line, uint64_t found)
{
    if (strtoull(line_word(line, 2), NULL, 10) != found)
        COMPLAIN(line, "it is %llu", (unsigned long long)found);
}

/* uncovered METHOD [why "WORDS"] */
static void check_uncovered(const struct line *line, struct answers *answers)
{
    enum weir_gpu_method method = method_at(line, 1);
    if (answers->plans[method])
        COMPLAIN(line, "it is covered");
    if (line_says(line, 2, "why") && !strstr(answers->errors[method].message, line_word(line, 3)))
        COMPLAIN(line, "why: %s", answers->errors[method].message);
    answers->spoken_of[method] = true;
}

static void check_line(const struct line *line, void *context)
{
    struct answers *answers = context;
    if (line_says(line, 0, "bound"))
        line_compare_ratio(line, line_ratio(line, answers->pipeline, 2), plan_at(line, answers, 1)->bound);
    else if (line_says(line, 0, "seen")) {
        plan_at(line, answers, 1);
        line_compare_ratio(line, line_ratio(line, answers->pipeline, 2), answers->latest[method_at(line, 1)]);
    } else if (line_says(line, 0, "lower"))
        line_compare_ratio(line, line_ratio(line, answers->pipeline, 1), answers->plans[WEIR_GPU_BEST]->lower);
    else if (line_says(line, 0, "launches"))
        compare_count(line, plan_at(line, answers, 1)->launch_count);
    else if (line_says(line, 0, "split"))
        compare_count(line, plan_at(line, answers, 1)->split_count);
    else if (line_says(line, 0, "deadline")) {
        const struct weir_gpu_plan *plan = plan_at(line, answers, 1);
        struct weir_bound bound = {.worst = {plan->safe ? WEIR_CLAIM_SAFE : WEIR_CLAIM_UNSAFE, plan->lower, plan->bound},
                                   .has_deadline = true,
                                   .deadline = weir_pipeline_gpu(answers->pipeline).deadline};
        const char *state = weir_deadline_state_name(weir_judge(&bound));
        char said[64];
        snprintf(said, sizeof said, "%s%s%s", line_word(line, 2), line->count > 3 ? " " : "", line->count > 3 ? line->word[3] : "");
        if (strcmp(said, state) != 0)
            COMPLAIN(line, "the deadline is %s", state);
    } else if (line_says(line, 0, "uncovered"))
        check_uncovered(line, answers);
    else
        COMPLAIN(line, "what is \"%s\"?", line_word(line, 0));
}

/* ---- what happens ---- */

static void look_for_late_ones(struct answers *answers, enum weir_gpu_method method)
{
    const struct weir_gpu_plan *plan = answers->plans[method];
    struct weir_gpu_stage stage;
    struct weir_error error;
    int64_t end;
    if (weir_gpu_stage_open(&stage, plan, &error))
        fail_msg("%s: %s", answers->file, error.message);
    answers->latest[method] = (struct weir_ratio){0, 1};
    for (int i = 0; i < 2 * WEIR_GPU_DISPATCHES; i++) {
        struct weir_gpu_climb climb = {
            .dispatch = (enum weir_gpu_dispatch)(i / 2), .seed = 1, .runs = RUNS, .worst_only = i % 2 == 1};
        if (weir_gpu_climb_late(&stage, &climb, &end, &error))
            fail_msg("%s: %s", answers->file, error.message);
        struct weir_ratio seen = weir_ratio_reduce((struct weir_ratio){end, stage.scale});
        if (weir_ratio_compare(seen, answers->latest[method]) > 0)
            answers->latest[method] = seen;
        if (plan->safe && weir_ratio_compare(seen, plan->bound) > 0)
            fail_msg("%s: an execution of %s was seen to end later than its bound", answers->file, weir_gpu_method_name(method));
    }
    weir_gpu_stage_close(&stage);
}

void check_kernels(const char *name, const char *path, const struct weir_pipeline *pipeline)
{
    struct answers answers = {.file = name, .pipeline = pipeline};
    for (int m = 0; m < WEIR_GPU_METHODS; m++) {
        struct weir_gpu_options options = {.method = (enum weir_gpu_method)m, .verify = true};
        enum weir_status status = weir_gpu_analyze(pipeline, &options, &answers.plans[m], &answers.errors[m]);
        if (status != WEIR_OK && (status != WEIR_INVALID || m == WEIR_GPU_BEST || m == WEIR_GPU_SAFE))
            fail_msg("%s: %s: %s", name, weir_gpu_method_name((enum weir_gpu_method)m), answers.errors[m].message);
        if (answers.plans[m])
            look_for_late_ones(&answers, (enum weir_gpu_method)m);
    }
    lines_check(name, path, check_line, &answers);
    if (!answers.spoken_of[WEIR_GPU_BEST])
        fail_msg("%s: nothing is said of the best plan", name);
    for (int m = 0; m < WEIR_GPU_METHODS; m++)
        weir_gpu_plan_free(answers.plans[m]);
}
