/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weir as the executor of a program: a camera, two filters that work on each frame at the same time, and a display. Each operator
 * is a function that is called when its messages are there; weir makes the threads and the queues, and measures what it promised.
 *
 *     cc -std=c17 executor.c $(pkg-config --cflags --libs weir) -o executor
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

#define FRAMES 200
#define PIXELS 4096

struct frame {
    int number;
    unsigned char pixels[PIXELS];
    unsigned brightest, sum; /* what the filters find */
};

/* Where a frame is made and where it ends; in between it is only handed on. */
struct program {
    int made, shown;
};

static int take_picture(void *context, const struct weir_run_call *call)
{
    struct program *program = context;
    struct frame *frame = malloc(sizeof *frame);
    if (!frame)
        return 1; /* ends the run: weir_run_wait says who and why */
    frame->number = program->made++;
    for (int i = 0; i < PIXELS; i++)
        frame->pixels[i] = (unsigned char)(i * 7 + frame->number);
    for (size_t i = 0; i < call->output_count; i++)
        call->outputs[i].messages[0] = frame;
    return program->made == FRAMES ? WEIR_RUN_LAST : 0;
}

static int find_brightest(void *context, const struct weir_run_call *call)
{
    struct frame *frame = call->inputs[0].messages[0];
    (void)context;
    frame->brightest = 0;
    for (int i = 0; i < PIXELS; i++)
        if (frame->pixels[i] > frame->brightest)
            frame->brightest = frame->pixels[i];
    call->outputs[0].messages[0] = frame;
    return 0;
}

static int add_up(void *context, const struct weir_run_call *call)
{
    struct frame *frame = call->inputs[0].messages[0];
    (void)context;
    frame->sum = 0;
    for (int i = 0; i < PIXELS; i++)
        frame->sum += frame->pixels[i];
    call->outputs[0].messages[0] = frame;
    return 0;
}

/* Both inputs bring the same frame, since nothing is lost or reordered. */
static int show(void *context, const struct weir_run_call *call)
{
    struct program *program = context;
    struct frame *frame = call->inputs[0].messages[0];
    if (frame != call->inputs[1].messages[0] || frame->number != program->shown++)
        return 2;
    free(frame);
    return 0;
}

/* Worst cases are what we promise ourselves, in microseconds; the bound holds as long as they do. */
static const char model[] = "weir: 1\n"
                            "unit: us\n"
                            "operators:\n"
                            "  camera: {time: [0, 500]}\n"
                            "  brightest: {time: [0, 300]}\n"
                            "  sum: {time: [0, 300]}\n"
                            "  display: {time: [0, 200]}\n"
                            "source: {operator: camera, period: 1000}\n"
                            "queues:\n"
                            "  - camera -> brightest\n"
                            "  - camera -> sum\n"
                            "  - brightest -> display\n"
                            "  - sum -> display\n";

static struct weir_run *running;

static void interrupt(int signal)
{
    (void)signal;
    weir_run_stop(running);
}

static enum weir_status attach(struct weir_run *run, const struct weir_pipeline *pipeline, struct program *program,
                               struct weir_error *error)
{
    static const struct {
        const char *name;
        weir_run_function *function;
    } functions[] = {{"camera", take_picture}, {"brightest", find_brightest}, {"sum", add_up}, {"display", show}};
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && !status; i++) {
        struct weir_operator op;
        if (weir_pipeline_find(pipeline, functions[i].name, &op))
            status = weir_run_bind(run, op, functions[i].function, program, error);
    }
    return status;
}

static void tell(const struct weir_run *run, const struct weir_pipeline *pipeline, int64_t bound)
{
    struct weir_run_chain_stats latency = weir_run_chain(run, 0);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_run_operator_stats seen = weir_run_operator(run, (struct weir_operator){i});
        printf("%-10s %4" PRIu64 " executions, %.1f to %.1f us, %" PRIu64 " above the worst case\n",
               weir_pipeline_operator(pipeline, (struct weir_operator){i}).name, seen.executions, (double)seen.min / 1e3,
               (double)seen.max / 1e3, seen.over_worst);
    }
    printf("latency    %4" PRIu64 " frames, %.1f to %.1f us; the bound is %.1f us\n", latency.count, (double)latency.min / 1e3,
           (double)latency.max / 1e3, (double)weir_run_ns(run, bound) / 1e3);
}

int main(void)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_answer *answer = NULL;
    struct weir_error error = {.status = WEIR_OK};
    struct program program = {0};
    const struct weir_run_options options = {.measure = true};
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = weir_read_memory(model, sizeof model - 1, "executor.c", NULL, &pipeline, errors);
    if (status && errors && weir_errors_count(errors) > 0)
        error = *weir_errors_at(errors, 0);
    if (!status)
        status = weir_answer_find(pipeline, NULL, &answer, &error);
    if (!status)
        status = weir_run_new(pipeline, &options, &running, &error);
    if (!status)
        status = attach(running, pipeline, &program, &error);
    if (!status) {
        signal(SIGINT, interrupt); /* Ctrl-C ends it, with results */
        status = weir_run_start(running, &error);
    }
    if (!status)
        status = weir_run_wait(running, -1, NULL, &error);
    if (status)
        fprintf(stderr, "executor: %s\n", error.message);
    else
        tell(running, pipeline, weir_answer_bound(answer, 0)->worst.high.numerator); /* exact: a whole number of ticks */
    weir_run_free(running);
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    return status != WEIR_OK;
}
