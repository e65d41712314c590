/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 400, ITERATIONS = 40 };

/* The answers of every method, and the latest that was seen. */
struct answers {
    const struct weir_pipeline *pipeline;
    struct weir_priority_analysis *by_method[WEIR_PRIORITY_METHODS];
    struct weir_processors_observed *seen;
    bool *spoken_of; /* by latency, of the best method */
};

/* Word `index` as "METHOD:". */
static const struct weir_priority_analysis *method_at(const struct line *line, const struct answers *a, int index)
{
    char name[32];
    snprintf(name, sizeof name, "%s", line_word(line, index));
    size_t length = strlen(name);
    if (length == 0 || name[length - 1] != ':')
        COMPLAIN(line, "expected METHOD:");
    name[length - 1] = 0;
    enum weir_priority_method method = weir_priority_method_named(name);
    if (method == WEIR_PRIORITY_METHODS)
        COMPLAIN(line, "there is no method \"%s\"", name);
    return a->by_method[method];
}

static void need_converged(const struct line *line, const struct weir_priority_analysis *a)
{
    if (a->outcome != WEIR_PRIORITY_CONVERGED)
        COMPLAIN(line, "%s does not converge: %s", weir_priority_method_name(a->method), a->why);
}

/* FROM -> TO [offset N] {worst|best T}, from word `first` on. */
static uint32_t check_latency(const struct line *line, const struct weir_priority_analysis *a, int first)
{
    int i;
    uint32_t chain = line_chain(line, a->pipeline, first, &i);
    need_converged(line, a);
    for (; i < line->count; i += 2)
        if (line_says(line, i, "worst"))
            line_compare_time(line, a->pipeline, i + 1, a->latencies[chain].worst);
        else if (line_says(line, i, "best"))
            line_compare_time(line, a->pipeline, i + 1, a->latencies[chain].best);
        else
            COMPLAIN(line, "what is \"%s\"?", line->word[i]);
    return chain;
}

/* OP {earliest|enabled|finish T} */
static void check_operator(const struct line *line, const struct weir_priority_analysis *a)
{
    const struct weir_execution_bounds *bounds = &a->operators[line_operator(line, a->pipeline, 1).index];
    need_converged(line, a);
    for (int i = 2; i < line->count; i += 2)
        if (line_says(line, i, "earliest"))
            line_compare_time(line, a->pipeline, i + 1, bounds->enable_min);
        else if (line_says(line, i, "enabled"))
            line_compare_time(line, a->pipeline, i + 1, bounds->enable_max);
        else if (line_says(line, i, "finish"))
            line_compare_time(line, a->pipeline, i + 1, bounds->finish_max);
        else
            COMPLAIN(line, "what is \"%s\"?", line->word[i]);
}

static void compare_count(const struct line *line, int index, int64_t found)
{
    if (strtoll(line_word(line, index), NULL, 10) != found)
        COMPLAIN(line, "it is %lld", (long long)found);
}

/* FROM -> TO N: of the first queue between them; input OP N: of the source's. */
static void check_capacity(const struct line *line, const struct weir_priority_analysis *a)
{
    bool input = line_says(line, 0, "input");
    struct weir_operator from = line_operator(line, a->pipeline, 1), to = line_operator(line, a->pipeline, input ? 1 : 3);
    need_converged(line, a);
    for (size_t i = 0; i < a->buffer_count; i++) {
        const struct weir_buffer *b = &a->buffers[i];
        if (b->input != input)
            continue;
        struct weir_queue_spec queue = {0};
        if (!input)
            queue = weir_pipeline_queue(a->pipeline, (struct weir_queue){b->index});
        if (input ? weir_pipeline_source(a->pipeline, b->index).op.index == to.index
                  : queue.from.index == from.index && queue.to.index == to.index) {
            compare_count(line, input ? 2 : 4, b->capacity);
            return;
        }
    }
    COMPLAIN(line, "there is no such queue");
}

/* METHOD: converged|unbounded|violated|limit [why WORDS] */
static void check_outcome(const struct line *line, const struct answers *answers)
{
    static const char *const words[] = {"converged", "unbounded", "violated", "limit"};
    const struct weir_priority_analysis *a = method_at(line, answers, 1);
    if (strcmp(line_word(line, 2), words[a->outcome]) != 0)
        COMPLAIN(line, "it is %s: %s", words[a->outcome], a->why ? a->why : "");
    if (line_says(line, 3, "why") && (!a->why || !strstr(a->why, line_word(line, 4))))
        COMPLAIN(line, "why: %s", a->why ? a->why : "");
}

static void check_line(const struct line *line, void *context)
{
    const struct answers *a = context;
    const struct weir_priority_analysis *best = a->by_method[WEIR_PRIORITY_BEST];
    int i;
    if (line_says(line, 0, "latency"))
        a->spoken_of[check_latency(line, best, 1)] = true;
    else if (line_says(line, 0, "method"))
        check_latency(line, method_at(line, a, 1), 2);
    else if (line_says(line, 0, "buffers"))
        compare_count(line, 2, method_at(line, a, 1)->buffer_total);
    else if (line_says(line, 0, "outcome"))
        check_outcome(line, a);
    else if (line_says(line, 0, "deadline"))
        line_deadline(line, best->pipeline);
    else if (line_says(line, 0, "operator"))
        check_operator(line, best);
    else if (line_says(line, 0, "capacity") || line_says(line, 0, "input"))
        check_capacity(line, best);
    else if (line_says(line, 0, "seen"))
        line_compare_time(line, a->pipeline, 4, a->seen->latency_max[line_chain(line, a->pipeline, 1, &i)]);
    else
        COMPLAIN(line, "what is \"%s\"?", line_word(line, 0));
}

/* Runs with the capacities of the best method, and compares with what its theorem promises. */
static void look_for_late_ones(const char *name, struct answers *a)
{
    const struct weir_priority_analysis *best = a->by_method[WEIR_PRIORITY_BEST];
    bool bounded = best->outcome == WEIR_PRIORITY_CONVERGED;
    uint32_t *capacities = calloc(weir_pipeline_queue_count(a->pipeline) + 1, sizeof *capacities);
    struct weir_error error;
    assert_non_null(capacities);
    for (size_t i = 0; i < best->buffer_count; i++) {
        const struct weir_buffer *b = &best->buffers[i];
        if (!b->input) /* one without limit stays so: what it can hold at most is an answer, not a limit */
            capacities[b->index] = weir_pipeline_queue(a->pipeline, (struct weir_queue){b->index}).capacity == WEIR_UNBOUNDED
                                       ? WEIR_UNBOUNDED
                                       : b->capacity;
    }
    struct weir_processors_search_options options = {.seed = 1,
                                                     .runs = RUNS,
                                                     .iterations = ITERATIONS,
                                                     .capacities = bounded ? capacities : NULL,
                                                     .chain = weir_pipeline_chain_count(a->pipeline)};
    if (weir_processors_search(a->pipeline, &options, &a->seen, &error))
        fail_msg("%s: %s", name, error.message);
    free(capacities);
    for (uint32_t o = 0; bounded && o < weir_pipeline_operator_count(a->pipeline); o++)
        if (a->seen->finish_max[o] > best->operators[o].finish_max || a->seen->enable_min[o] < best->operators[o].enable_min)
            fail_msg("%s: operator %u was seen outside of its interval", name, o);
    for (uint32_t i = 0; bounded && i < weir_pipeline_chain_count(a->pipeline); i++)
        if (a->seen->latency_max[i] > best->latencies[i].worst || a->seen->latency_min[i] < best->latencies[i].best)
            fail_msg("%s: latency %u was seen outside of its bounds", name, i);
}

void check_processors(const char *name, const char *path, const struct weir_pipeline *pipeline)
{
    struct answers a = {.pipeline = pipeline};
    struct weir_error error;
    for (int m = 0; m < WEIR_PRIORITY_METHODS; m++) {
        struct weir_priority_options options = {.method = (enum weir_priority_method)m, .verify = true};
        if (weir_priority_analyze(pipeline, &options, &a.by_method[m], &error))
            fail_msg("%s: %s: %s", name, weir_priority_method_name(options.method), error.message);
    }
    const struct weir_priority_analysis *best = a.by_method[WEIR_PRIORITY_BEST];
    look_for_late_ones(name, &a);
    a.spoken_of = calloc(best->latency_count, sizeof *a.spoken_of);
    assert_non_null(a.spoken_of);
    lines_check(name, path, check_line, &a);
    lines_expect_all(name, pipeline, a.spoken_of, best->outcome == WEIR_PRIORITY_CONVERGED ? best->latency_count : 0);
    free(a.spoken_of);
    weir_free(a.seen);
    for (int m = 0; m < WEIR_PRIORITY_METHODS; m++)
        weir_priority_analysis_free(a.by_method[m]);
}
