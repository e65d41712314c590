/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under a plan, held against their bounds. Nothing here expects anything of how fast the machine is. */
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char chain[] = "{unit: us, operators: {a: [0, 2000], b: [0, 2000]}, queues: [a -> b], "
                            "source: {operator: a, period: 5000, arrivals: exact}}";

static void nap(int64_t ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static int send_number(void *context, const struct weir_run_call *call)
{
    int64_t *number = weir_run_message(call);
    (void)context;
    *number = call->execution;
    return weir_run_send(call, number);
}

static int count(void *counter, const struct weir_run_call *call)
{
    const int64_t *number = weir_run_message_from(call, "a");
    *(int64_t *)counter += *number == call->execution;
    return 0;
}

/* Asleep in one execution, for much longer than its worst case. */
static int sleep_once(void *counter, const struct weir_run_call *call)
{
    if (call->execution == 5)
        nap(400);
    return count(counter, call);
}

static char *text_of(enum weir_status (*write)(const struct weir_trial *, FILE *), const struct weir_trial *trial)
{
    char *text;
    STAGE_WRITTEN(text, write(trial, out));
    return text;
}

static enum weir_status write_json(const struct weir_trial *trial, FILE *out)
{
    return weir_answer_write_json(weir_trial_answer(trial), out, NULL);
}

static enum weir_status write_report(const struct weir_trial *trial, FILE *out)
{
    const struct weir_report_model model = {.pipeline = weir_trial_pipeline(trial), .run = weir_trial_answer(trial)};
    return weir_report_write(&model, 1, &(struct weir_report_options){.runs = 1, .no_live = true}, out, NULL, NULL);
}

static enum weir_status write_files(const struct weir_trial *trial, FILE *out)
{
    enum weir_status status = weir_run_write_log(weir_trial_run_of(trial), out, NULL);
    return status ? status : weir_run_write_trace(weir_trial_run_of(trial), out, NULL);
}

static void expect_in(enum weir_status (*write)(const struct weir_trial *, FILE *), const struct weir_trial *trial,
                      const char *words)
{
    char *text = text_of(write, trial);
    if (!strstr(text, words))
        fail_msg("'%s' is not in: %s", words, text);
    free(text);
}

struct program {
    int64_t counter;
    struct weir_trial_function functions[2];
    struct weir_trial_options options;
};

static void prepare(struct program *p, weir_run_function *last)
{
    *p =
        (struct program){.functions = {{"a", send_number, NULL}, {"b", last, NULL}},
                         .options = {.function_count = 2, .policy = WEIR_RUN_FIFO, .run = {.iterations = 120, .message_bytes = 8}}};
    p->functions[1].context = &p->counter;
    p->options.functions = p->functions;
}

/* Measured, modelled, bounded, run, written. */
TEST(a_program_knows_its_bound)
{
    struct weir_pipeline *pipeline = stage_read(chain), *model = NULL;
    struct program p;
    struct weir_trial *trial = NULL;
    struct weir_error error = {.status = WEIR_OK};
    const struct weir_trial_times times = {.iterations = 100, .tail = 1000000, .margin_permille = 500, .wake_ups = true};
    prepare(&p, count);
    if (weir_trial_rehearse(pipeline, &p.options, &times, &trial, &error) || weir_trial_run(trial, &error))
        fail_msg("%s", error.message);
    assert_int_equal(p.counter, 220);
    assert_int_equal(weir_run_chain(weir_trial_run_of(trial), 0).count, 120);
    for (uint32_t i = 0; i < 2; i++) { /* the model of the rehearsal */
        struct weir_operator_spec op = weir_pipeline_operator(weir_trial_pipeline(trial), (struct weir_operator){i});
        assert_non_null(op.observed);
        assert_int_equal(op.observed->count, 100);
        assert_int_equal(op.observed->tail, 1000000);
        assert_true(op.worst * 2 >= op.observed->max * 3);
    }
    assert_int_equal(weir_trial_model(trial, NULL, &model, NULL), WEIR_OK);
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_run_operator_stats seen = weir_run_operator(weir_trial_run_of(trial), (struct weir_operator){i});
        assert_int_equal(weir_pipeline_operator(model, (struct weir_operator){i}).worst, (seen.max + 999) / 1000);
        assert_int_equal(weir_pipeline_operator(model, (struct weir_operator){i}).best, seen.min / 1000);
    }
    weir_pipeline_free(model);
    assert_int_equal(weir_trial_model(trial, &(struct weir_trial_times){.margin_permille = 20000}, &model, NULL), WEIR_INVALID);
    assert_null(model);
    expect_in(write_json, trial, "\"causes\"");
    expect_in(write_report, trial, "What was measured");
    expect_in(write_files, trial, "(a,");
    weir_trial_free(trial);
    weir_pipeline_free(pipeline);
}

/* A function that sleeps is told from one that computes, and from a machine that has no time for it. */
TEST(a_function_that_sleeps_is_named)
{
    struct weir_pipeline *pipeline = stage_read(chain);
    struct program p;
    struct weir_trial *trial = NULL;
    prepare(&p, sleep_once);
    assert_int_equal(weir_trial_execute(pipeline, &p.options, &trial, NULL), WEIR_OK);
    assert_int_equal(weir_answer_verdict(weir_trial_answer(trial)), WEIR_VERDICT_BAD);
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    expect_in(write_json, trial,
              file ? "\"cause\": \"blocked\", \"operator\": \"b\", \"execution\": 5" : "\"operator\": \"b\", \"execution\": 5");
    if (file)
        fclose(file);
    weir_trial_free(trial);
    weir_pipeline_free(pipeline);
}

TEST(the_plan_can_be_seen_and_given)
{
    struct weir_pipeline *pipeline = stage_read(chain), *none;
    struct program p;
    struct weir_trial *trial = NULL;
    const struct weir_run_thread threads[] = {{.policy = WEIR_RUN_FIFO, .priority = 7}, {.policy = WEIR_RUN_OTHER}};
    prepare(&p, count);
    p.options.policy = WEIR_RUN_DEADLINE;
    p.options.margin_ns = 250000;
    p.options.margin_permille = 100;
    assert_int_equal(weir_trial_new(pipeline, &p.options, &trial, NULL), WEIR_OK);
    struct weir_run_thread planned = weir_trial_thread(trial, (struct weir_operator){1});
    assert_int_equal(planned.policy, WEIR_RUN_DEADLINE);
    assert_int_equal(planned.runtime, 2000000 + 250000 + 200000);
    assert_int_equal(planned.period, 5000000);
    assert_int_equal(weir_trial_thread(trial, (struct weir_operator){2}).runtime, 0);
    assert_null(weir_trial_answer(trial));
    assert_null(weir_trial_run_of(trial));
    assert_int_equal(weir_trial_model(trial, NULL, &none, NULL), WEIR_INVALID);
    assert_null(none);
    weir_trial_free(trial);

    p.options.run.threads = threads;
    p.options.run.iterations = 10;
    assert_int_equal(weir_trial_execute(pipeline, &p.options, &trial, NULL), WEIR_OK);
    struct weir_run_operator_stats first = weir_run_operator(weir_trial_run_of(trial), (struct weir_operator){0});
    assert_true(first.policy == WEIR_RUN_FIFO || first.policy_errno != 0);
    assert_int_equal(weir_run_operator(weir_trial_run_of(trial), (struct weir_operator){1}).policy, WEIR_RUN_OTHER);
    assert_int_equal(weir_trial_thread(trial, (struct weir_operator){0}).priority, 7);
    weir_trial_free(trial);
    weir_pipeline_free(pipeline);
    assert_null(weir_trial_answer(NULL));
}

TEST(mistakes_of_a_program_are_told)
{
    struct weir_pipeline *pipeline = stage_read(chain);
    struct program p;
    struct weir_trial *trial = NULL;
    struct weir_error error = {.status = WEIR_OK};
    prepare(&p, count);
    p.functions[1].name = "bb";
    assert_int_equal(weir_trial_new(pipeline, &p.options, &trial, &error), WEIR_INVALID);
    assert_string_equal(error.message, "unknown operator \"bb\"; did you mean \"b\"?");
    assert_null(trial);
    prepare(&p, count);
    p.options.run.iterations = 10;
    assert_int_equal(weir_trial_rehearse(pipeline, &p.options, &(struct weir_trial_times){.tail = 1000}, &trial, &error),
                     WEIR_INVALID);
    assert_non_null(strstr(error.message, "10 recorded executions are too few to estimate the tail"));
    assert_null(trial);
    p.options.run.iterations = 0;
    assert_int_equal(weir_trial_rehearse(pipeline, &p.options, NULL, &trial, &error), WEIR_INVALID);
    weir_pipeline_free(pipeline);
}
