/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of a whole use of the library fails once: the use then ends in WEIR_MEMORY, and nothing is left behind. */
#include "support/refuse.h"
#include "support/runner.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

static const char yaml_model[] = "weir: 1\n"
                                 "name: everything\n"
                                 "unit: ms\n"
                                 "operators:\n"
                                 "  camera: {time: [1.5, 2]}\n"
                                 "  left: {time: [1, 4], receive: [0, 1]}\n"
                                 "  right: {time: 3}\n"
                                 "  merge: {time: [0, 2]}\n"
                                 "queues:\n"
                                 "  - camera -> left\n"
                                 "  - {from: camera, to: right, capacity: 2}\n"
                                 "  - {from: left, to: merge, capacity: 3}\n"
                                 "  - right -> merge\n"
                                 "  - {from: merge, to: camera, capacity: 4, initial: 2}\n"
                                 "source: {operator: camera, period: 20}\n"
                                 "deadlines:\n"
                                 "  - {from: camera, to: merge, within: 100}\n";

static const char dot_model[] =
    "digraph g { A [BCET=100, WCET=200]; B [WCET=\"300\"]; A -> B [queue=2]; A -> C; B -> C; C [WCET=5] }";

static const char shared_model[] = "platform: {scheduler: fixed-priority}\n"
                                   "operators:\n"
                                   "  a: {time: [1, 2], on: p, priority: 1}\n"
                                   "  b: {time: 3, on: p, priority: 2}\n"
                                   "  c: {time: 3}\n"
                                   "queue: auto\n"
                                   "queues: [a -> b -> c]\n"
                                   "sources: [{name: in, operator: a, period: 10, jitter: 15}]\n"
                                   "deadlines: [{from: a, to: c, within: 40}]\n";

static const char cores_model[] = "platform: {cores: 2}\n"
                                  "operators: {a: 2, b: 3, c: 4}\n"
                                  "queues: [{from: a, to: b, produce: 2, consume: 3}, {from: a, to: c, produce: 2}]\n"
                                  "source: {operator: a, period: 10, batch: 2}\n"
                                  "deadlines: [{from: a, to: b, within: 90}]\n";

static const char bad_model[] = "weir: 1\nunit: hours\noperators:\n  a: {time: -1}\n  b: {tme: 2}\nqueues:\n  - a -> c\n";

static enum weir_status write_out(const struct weir_pipeline *pipeline, const struct weir_answer *answer)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum weir_status status = weir_answer_write_json(answer, out, NULL);
    if (status == WEIR_OK)
        status = weir_answer_write_text(answer, NULL, out, NULL);
    if (status == WEIR_OK)
        status = weir_pipeline_write_yaml(pipeline, out, NULL);
    if (status == WEIR_OK && strcmp(weir_answer_engine(answer), "exact") == 0)
        status = weir_pipeline_write_dot(pipeline, out, NULL);
    fclose(out);
    free(text);
    return status;
}

static enum weir_status use_pipeline(const struct weir_pipeline *pipeline)
{
    static const struct weir_answer_options options = {.verify = true, .explain = true};
    struct weir_answer *answer = NULL;
    enum weir_status status = weir_answer_find(pipeline, &options, &answer, NULL);
    assert_true((status == WEIR_OK) == (answer != NULL));
    if (status == WEIR_OK)
        status = write_out(pipeline, answer);
    weir_answer_free(answer);
    if (status == WEIR_OK && strcmp(weir_engine_of(pipeline), "exact") == 0)
        status = weir_simulate(pipeline, &(struct weir_simulation_options){.iterations = 5, .times = WEIR_TIMES_RANDOM}, NULL);
    return status;
}

static enum weir_status use_model(const char *text)
{
    struct weir_errors *errors = weir_errors_new();
    if (!errors)
        return WEIR_MEMORY;
    struct weir_pipeline *pipeline = NULL;
    enum weir_status status = weir_read_memory(text, strlen(text), "model", NULL, &pipeline, errors);
    assert_true((status == WEIR_OK) == (pipeline != NULL));
    if (status == WEIR_OK)
        status = use_pipeline(pipeline);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    return status;
}

/* What the other engines answer for. */
static const char kernels_model[] = "platform: {gpu: {sms: 6, min-time: 1, deadline: 9}}\n"
                                    "defaults: {splittable: true}\n"
                                    "kernels: {a: 1, b: 4, c: 2, d: 7}\n"
                                    "dependencies: [a -> b, a -> c, b -> d, c -> d]\n";

static const char workers_model[] = "unit: ms\n"
                                    "platform: {scheduler: event-based, workers: 2}\n"
                                    "operators: {a: [1, 2], b: [1, 4], c: [1, 4]}\n"
                                    "queues: [a -> b -> c]\n"
                                    "deadlines: [{from: a, to: c, within: 9}]\n";

static const char lossy_model[] = "operators: {a: 10, b: 25, c: 5}\n"
                                  "queues: [{from: a, to: b, blocking: false, full: fault}, {from: b, to: c, latest: true}]\n";

static enum weir_status use_kernels(void)
{
    return use_model(kernels_model);
}

static enum weir_status use_workers(void)
{
    return use_model(workers_model);
}

static enum weir_status use_lossy(void)
{
    return use_model(lossy_model);
}

static enum weir_status use_yaml(void)
{
    return use_model(yaml_model);
}

static enum weir_status use_dot(void)
{
    return use_model(dot_model);
}

static enum weir_status use_bad(void)
{
    return use_model(bad_model);
}

/* Everything that can be asked of an engine, and everything that is written about it. */
static enum weir_status use_answer(const char *text)
{
    struct weir_answer_options options = {.verify = true, .explain = true};
    struct weir_pipeline *pipeline = NULL;
    struct weir_answer *answer = NULL;
    struct weir_errors *errors = weir_errors_new();
    char *written = NULL;
    size_t bytes = 0;
    if (!errors)
        return WEIR_MEMORY;
    FILE *out = open_memstream(&written, &bytes);
    enum weir_status status = weir_read_memory(text, strlen(text), "model", NULL, &pipeline, errors);
    if (status == WEIR_OK)
        status = weir_answer_find(pipeline, &options, &answer, NULL);
    assert_true((status == WEIR_OK) == (answer != NULL));
    if (status == WEIR_OK)
        status = weir_answer_write_text(answer, NULL, out, NULL);
    if (status == WEIR_OK)
        status = weir_answer_write_json(answer, out, NULL);
    fclose(out);
    free(written);
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    return status;
}

static enum weir_status use_shared(void)
{
    return use_answer(shared_model);
}

static enum weir_status use_cores(void)
{
    return use_answer(cores_model);
}

/* A few short runs on any platform, and what is written about them. */
static enum weir_status simulate(const char *text)
{
    struct weir_simulate_options options = {.runs = 3, .seed = 1};
    struct weir_pipeline *pipeline = NULL;
    struct weir_answer *answer = NULL;
    enum weir_status status = weir_read_memory(text, strlen(text), "model", NULL, &pipeline, NULL);
    if (status == WEIR_OK && strcmp(weir_engine_of(pipeline), "gpu") != 0)
        options.iterations = 20;
    if (status == WEIR_OK && strcmp(weir_engine_of(pipeline), "fixed-priority") == 0)
        options.search = 2;
    if (status == WEIR_OK)
        status = weir_answer_simulate(pipeline, &options, &answer, NULL);
    assert_true((status == WEIR_OK) == (answer != NULL));
    if (status == WEIR_OK)
        status = write_out(pipeline, answer);
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
    return status;
}

static enum weir_status simulate_threads(void)
{
    return simulate(yaml_model);
}

static enum weir_status simulate_workers(void)
{
    return simulate(workers_model);
}

static enum weir_status simulate_lossy(void)
{
    return simulate(lossy_model);
}

static enum weir_status simulate_shared(void)
{
    return simulate(shared_model);
}

static enum weir_status simulate_cores(void)
{
    return simulate(cores_model);
}

static enum weir_status simulate_kernels(void)
{
    return simulate(kernels_model);
}

/* A log, and what the tracker prints at the end, against a model; the second path has no bound until the first has one. */
static enum weir_status compare_file(const char *path, const char *content)
{
    static const char model[] = "unit: ms\noperators: {a: 2, b: [4, 6], c: 1, d: 1}\nqueues: [a -> b, b -> c, b -> d]\n";
    struct weir_log_comparison *comparison = NULL;
    struct weir_pipeline *pipeline = NULL;
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    enum weir_status status = weir_read_memory(model, strlen(model), "model", NULL, &pipeline, NULL);
    if (status == WEIR_OK)
        status = weir_log_comparison_read(pipeline, path, NULL, &comparison, NULL);
    assert_true((status == WEIR_OK) == (comparison != NULL));
    if (status == WEIR_OK)
        status = write_out(pipeline, weir_log_comparison_answer(comparison));
    weir_log_comparison_free(comparison);
    weir_pipeline_free(pipeline);
    remove(path);
    return status;
}

static enum weir_status compare_log(void)
{
    return compare_file("faults.log", "1:\n(a,1000,3000) -> (b,3000,48000) -> (c_old,48000,49000)\n"
                                      "(a,1000,3000) -> (b,3000,48000) -> (d,48000,49000)\n");
}

static enum weir_status compare_summary(void)
{
    return compare_file("faults.txt", "Data Flow Tracking Results:\nTotal paths: 1\n\nPath 1: a,b,c\nNumber of messages: 980\n"
                                      "Max end-to-end Latency (ms): 32.75\n");
}

static enum weir_status run_trial(void)
{
    static const char model[] = "unit: ns\noperators: {a: 20000, b: 30000}\nqueues: [a -> b]\n";
    struct weir_trial_options options = {.run = {.iterations = 2, .work = WEIR_RUN_NOTHING, .times = WEIR_TIMES_GIVEN}};
    struct weir_pipeline *pipeline = NULL;
    struct weir_trial *trial = NULL;
    enum weir_status status = weir_read_memory(model, strlen(model), "model", NULL, &pipeline, NULL);
    if (status == WEIR_OK)
        status = weir_trial_new(pipeline, &options, &trial, NULL);
    if (status == WEIR_OK)
        status = weir_trial_run(trial, NULL);
    assert_true((status == WEIR_OK) == (trial && weir_trial_answer(trial)));
    if (status == WEIR_OK)
        status = write_out(pipeline, weir_trial_answer(trial));
    weir_trial_free(trial);
    weir_pipeline_free(pipeline);
    return status;
}

static int send_message(void *context, const struct weir_run_call *call)
{
    void *message = weir_run_message(call);
    (void)context;
    return message ? weir_run_send(call, message) : 1;
}

/* Times that were measured become a model, which is run in turn. */
static enum weir_status rehearse_trial(void)
{
    static const char model[] = "unit: ns\noperators: {a: 20000, b: 30000}\nqueues: [a -> b]\n";
    static const struct weir_trial_function functions[] = {{"a", send_message, NULL}};
    struct weir_trial_options options = {
        .run = {.iterations = 2, .work = WEIR_RUN_NOTHING, .message_bytes = 8}, .functions = functions, .function_count = 1};
    struct weir_pipeline *pipeline = NULL;
    struct weir_trial *trial = NULL;
    enum weir_status status = weir_read_memory(model, strlen(model), "model", NULL, &pipeline, NULL);
    if (status == WEIR_OK)
        status = weir_trial_rehearse(pipeline, &options, NULL, &trial, NULL);
    assert_true((status == WEIR_OK) == (trial != NULL));
    if (status == WEIR_OK)
        status = weir_trial_run(trial, NULL);
    weir_trial_free(trial);
    weir_pipeline_free(pipeline);
    return status;
}

static enum weir_status use_generated(void)
{
    struct weir_generate_options options = {.nodes = 8, .seed = 1, .density_permille = 300, .best_permille = 700, .queue = 2};
    struct weir_pipeline *pipeline = NULL;
    enum weir_status status = weir_generate_holoscan(&options, &pipeline, NULL);
    if (status == WEIR_OK)
        status = use_pipeline(pipeline);
    weir_pipeline_free(pipeline);
    return status;
}

/* Runs `use` with each of its allocations refused in turn, alone or with all after it, until one run has none to refuse. */
static void refuse_each(enum weir_status (*use)(void), enum weir_status otherwise, bool onwards)
{
    struct refuse memory = {.onwards = onwards};
    while (refuse_next(&memory)) {
        enum weir_status status = use();
        refuse_end();
        if (memory.live)
            fail_msg("%ld blocks are left behind when allocation %ld fails", memory.live, memory.number);
        bool failed = memory.refused > 0;
        /* A bad model may also stay a bad model, with a mistake less in the list. */
        bool right =
            failed && otherwise != WEIR_INVALID ? status == WEIR_MEMORY : status == otherwise || (failed && status == WEIR_MEMORY);
        if (!right)
            fail_msg("status %d when allocation %ld fails", (int)status, memory.number);
    }
    assert_in_range(memory.rounds, 2, 1000000); /* there was something to refuse */
}

TEST(each_allocation_of_a_yaml_model)
{
    refuse_each(use_yaml, WEIR_OK, false);
    refuse_each(use_yaml, WEIR_OK, true);
}

TEST(each_allocation_of_a_dot_model)
{
    refuse_each(use_dot, WEIR_OK, false);
    refuse_each(use_dot, WEIR_OK, true);
}

TEST(each_allocation_of_a_bad_model)
{
    refuse_each(use_bad, WEIR_INVALID, false);
    refuse_each(use_bad, WEIR_INVALID, true);
}

TEST(each_allocation_of_a_generated_pipeline)
{
    refuse_each(use_generated, WEIR_OK, false);
    refuse_each(use_generated, WEIR_OK, true);
}

TEST(each_allocation_of_an_answer)
{
    refuse_each(use_shared, WEIR_OK, false);
    refuse_each(use_shared, WEIR_OK, true);
    refuse_each(use_cores, WEIR_OK, false);
    refuse_each(use_cores, WEIR_OK, true);
    refuse_each(use_kernels, WEIR_OK, false);
    refuse_each(use_kernels, WEIR_OK, true);
    refuse_each(use_workers, WEIR_OK, false);
    refuse_each(use_workers, WEIR_OK, true);
    refuse_each(use_lossy, WEIR_OK, false);
    refuse_each(use_lossy, WEIR_OK, true);
}

TEST(each_allocation_of_a_simulation)
{
    enum weir_status (*const uses[])(void) = {simulate_threads, simulate_workers, simulate_lossy,
                                              simulate_shared,  simulate_cores,   simulate_kernels};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        refuse_each(uses[i], WEIR_OK, false);
        refuse_each(uses[i], WEIR_OK, true);
    }
}

TEST(each_allocation_of_a_measurement)
{
    refuse_each(compare_log, WEIR_OK, false);
    refuse_each(compare_log, WEIR_OK, true);
    refuse_each(compare_summary, WEIR_OK, true); /* one alone may be made up for: a file is then read in smaller parts */
    refuse_each(run_trial, WEIR_OK, false);
    refuse_each(run_trial, WEIR_OK, true);
    refuse_each(rehearse_trial, WEIR_OK, false);
    refuse_each(rehearse_trial, WEIR_OK, true);
}
