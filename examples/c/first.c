/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A camera, a detector and a display: how late can a frame be, and how does that happen?
 *
 *     cc -std=c17 first.c $(pkg-config --cflags --libs weir) -o first
 */
#include <inttypes.h>
#include <stdio.h>
#include <weir.h>

/* Times are in ticks; a tick is a millisecond here. Every call may fail and says why in its last parameter. */
static enum weir_status build(struct weir_pipeline *p, struct weir_error *error)
{
    struct weir_operator from, through, to;
    const struct weir_operator_spec camera = {.name = "camera", .best = 8, .worst = 10};
    const struct weir_operator_spec detect = {.name = "detect", .best = 20, .worst = 30};
    const struct weir_operator_spec display = {.name = "display", .best = 1, .worst = 5};
    enum weir_status status = weir_pipeline_set_unit(p, WEIR_UNIT_MS, 0, error);
    if (!status)
        status = weir_pipeline_add_operator(p, &camera, &from, error);
    if (!status)
        status = weir_pipeline_add_operator(p, &detect, &through, error);
    if (!status)
        status = weir_pipeline_add_operator(p, &display, &to, error);
    if (status)
        return status;
    const struct weir_queue_spec frames = {.from = from, .to = through, .capacity = 1};
    const struct weir_queue_spec boxes = {.from = through, .to = to, .capacity = 1};
    status = weir_pipeline_add_queue(p, &frames, NULL, error);
    return status ? status : weir_pipeline_add_queue(p, &boxes, NULL, error);
}

/* A sealed pipeline cannot change any more. Sealing finds every mistake at once, so it reports a list. */
static enum weir_status seal(struct weir_pipeline *p, struct weir_error *error)
{
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = weir_pipeline_seal(p, "first.c", errors);
    if (status && errors && weir_errors_count(errors) > 0)
        *error = *weir_errors_at(errors, 0);
    weir_errors_free(errors);
    return status;
}

static const char *waits_for(enum weir_wait wait)
{
    switch (wait) {
    case WEIR_WAIT_DATA:
        return "its message";
    case WEIR_WAIT_BUSY:
        return "its own last frame";
    case WEIR_WAIT_BACKPRESSURE:
        return "room in a queue";
    case WEIR_WAIT_PERIOD:
        return "its period";
    case WEIR_WAIT_ORDER:
        return "its turn";
    case WEIR_WAIT_NONE:
        break;
    }
    return "nothing";
}

static void tell(const struct weir_pipeline *p, const struct weir_witness *w)
{
    char text[WEIR_TIME_TEXT];
    printf("worst %s ms, in frame %" PRId64 "\n", weir_time_format(p, w->separation, text), w->iteration);
    for (size_t s = 0; s < w->segment_count; s++) {
        const struct weir_segment *segment = &w->segments[s];
        for (size_t i = 0; i < segment->step_count; i++) {
            const struct weir_step *step = &segment->steps[i];
            printf("  %-8s frame %" PRId64 "  waits for %s", weir_pipeline_operator(p, step->op).name, step->iteration,
                   waits_for(step->wait));
            if (step->counts) /* otherwise only its start matters */
                printf(", takes %s ms", weir_time_format(p, step->time, text));
            puts("");
        }
        if (segment->repeat > 1)
            printf("  ... %" PRId64 " times, each %" PRId64 " frames later\n", segment->repeat, segment->iterations);
    }
}

/* One answer for every kind of pipeline. This one has one latency, and each operator a thread of its own: its worst case is exact,
 * and comes with an execution in which it happens, replayed and checked. */
static enum weir_status ask(const struct weir_pipeline *p, struct weir_error *error)
{
    const struct weir_answer_options options = {.verify = true};
    struct weir_answer *answer;
    enum weir_status status = weir_answer_find(p, &options, &answer, error);
    if (status)
        return status;
    const struct weir_bound *bound = weir_answer_worst(answer);
    if (bound && bound->witness)
        tell(p, bound->witness);
    else
        puts(bound && bound->worst.claim == WEIR_CLAIM_UNBOUNDED ? "the latency grows without bound" : "no exact answer");
    weir_answer_free(answer);
    return WEIR_OK;
}

int main(void)
{
    struct weir_error error = {.status = WEIR_OK};
    struct weir_pipeline *pipeline = weir_pipeline_new(&error);
    enum weir_status status = pipeline ? build(pipeline, &error) : WEIR_MEMORY;
    if (!status)
        status = seal(pipeline, &error);
    if (!status)
        status = ask(pipeline, &error);
    if (status)
        fprintf(stderr, "first: %s\n", error.message);
    weir_pipeline_free(pipeline);
    return status != WEIR_OK;
}
