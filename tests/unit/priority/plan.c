/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { GRAPHS_MAX = 4 };

struct builder {
    struct weir_pipeline *pipeline;
    long long period[GRAPHS_MAX], jitter[GRAPHS_MAX];
    bool sporadic[GRAPHS_MAX];
    int graphs, processors, tasks;
};

static void add_processor(struct builder *b, enum weir_sharing sharing, int64_t frame)
{
    char name[16];
    snprintf(name, sizeof name, "p%d", b->processors++);
    struct weir_processor_spec spec = {.name = name, .sharing = sharing, .frame = frame};
    assert_int_equal(weir_pipeline_add_processor(b->pipeline, &spec, NULL, NULL), WEIR_OK);
}

static void add_kind(struct builder *b, const char *line)
{
    static const char *const kinds[] = {"fixed", "nonpreemptive", "tdm", "robin"};
    char kind[32];
    long long frame = 0;
    assert_true(sscanf(line, "p %31s %lld", kind, &frame) >= 1);
    int k = 0;
    while (strcmp(kinds[k], kind) != 0)
        assert_true(++k < 4);
    add_processor(b, (enum weir_sharing)k, frame);
}

static void add_task(struct builder *b, const char *line)
{
    int graph, processor, priority;
    long long best, worst, slot = 0;
    char name[16];
    assert_true(sscanf(line, "t %d %d %d %lld %lld %lld", &graph, &processor, &priority, &best, &worst, &slot) >= 5);
    while (processor >= b->processors)
        add_processor(b, WEIR_PREEMPTIVE, 0);
    snprintf(name, sizeof name, "t%d", b->tasks++);
    struct weir_operator_spec spec = {.name = name,
                                      .best = best,
                                      .worst = worst,
                                      .mapped = processor >= 0,
                                      .on = {processor >= 0 ? (uint32_t)processor : 0},
                                      .has_priority = processor >= 0 && slot == 0,
                                      .priority = slot ? 0 : priority,
                                      .slot = slot};
    assert_int_equal(weir_pipeline_add_operator(b->pipeline, &spec, NULL, NULL), WEIR_OK);
}

static void add_edge(struct builder *b, const char *line)
{
    int from, to, initial, room, blocks;
    assert_int_equal(sscanf(line, "e %d %d %d %d %d", &from, &to, &initial, &room, &blocks), 5);
    if (from < 0) {
        char name[16];
        snprintf(name, sizeof name, "s%d", -1 - from);
        struct weir_source_spec spec = {.op = {(uint32_t)to},
                                        .period = b->period[-1 - from],
                                        .arrivals = WEIR_ARRIVALS_EXACT,
                                        .name = name,
                                        .jitter = b->jitter[-1 - from],
                                        .sporadic = b->sporadic[-1 - from]};
        assert_int_equal(weir_pipeline_add_source(b->pipeline, &spec, NULL), WEIR_OK);
        return;
    }
    struct weir_queue_spec spec = {.from = {(uint32_t)from},
                                   .to = {(uint32_t)to},
                                   .capacity = room == -1   ? WEIR_AUTO
                                               : room == -2 ? WEIR_UNBOUNDED
                                                            : (uint32_t)(room + initial),
                                   .initial = (uint32_t)initial,
                                   .nonblocking = !blocks};
    assert_int_equal(weir_pipeline_add_queue(b->pipeline, &spec, NULL, NULL), WEIR_OK);
}

static void add_pair(struct builder *b, const char *line)
{
    int from, to;
    long long deadline;
    int read = sscanf(line, "m %d %d %lld", &from, &to, &deadline);
    assert_true(read >= 2);
    struct weir_pair_spec spec = {.from = {(uint32_t)from}, .to = {(uint32_t)to}, .has_deadline = read == 3};
    spec.deadline = read == 3 ? deadline : 0;
    assert_int_equal(weir_pipeline_add_pair(b->pipeline, &spec, NULL), WEIR_OK);
}

static void add_graph(struct builder *b, const char *line)
{
    char word[16] = "";
    assert_true(b->graphs < GRAPHS_MAX);
    assert_true(sscanf(line, "g %lld %lld %15[a-z]", &b->period[b->graphs], &b->jitter[b->graphs], word) >= 2);
    b->sporadic[b->graphs++] = strcmp(word, "sporadic") == 0;
}

struct weir_pipeline *plan_build(const char *lines)
{
    struct builder b = {.pipeline = weir_pipeline_new(NULL)};
    assert_non_null(b.pipeline);
    assert_int_equal(weir_pipeline_set_platform(b.pipeline, WEIR_PLATFORM_PROCESSORS, NULL), WEIR_OK);
    for (; lines; lines = strchr(lines, '\n') ? strchr(lines, '\n') + 1 : NULL) {
        if (lines[0] == 'g')
            add_graph(&b, lines);
        else if (lines[0] == 'p')
            add_kind(&b, lines);
        else if (lines[0] == 't')
            add_task(&b, lines);
        else if (lines[0] == 'e')
            add_edge(&b, lines);
        else if (lines[0] == 'm')
            add_pair(&b, lines);
        else
            break;
    }
    assert_int_equal(weir_pipeline_seal(b.pipeline, NULL, NULL), WEIR_OK);
    return b.pipeline;
}

struct weir_priority_analysis *plan_analyze(const struct weir_pipeline *pipeline, enum weir_priority_method method)
{
    struct weir_priority_options options = {.method = method, .verify = weir_priority_method_safe(method)};
    struct weir_priority_analysis *analysis;
    struct weir_error error = {0};
    if (weir_priority_analyze(pipeline, &options, &analysis, &error))
        fail_msg("%s: %s", weir_priority_method_name(method), error.message);
    assert_int_equal(analysis->verified, options.verify && analysis->outcome == WEIR_PRIORITY_CONVERGED);
    assert_int_equal(analysis->why == NULL, analysis->outcome == WEIR_PRIORITY_CONVERGED);
    return analysis;
}

int64_t plan_finish(const struct weir_pipeline *pipeline, enum weir_priority_method method, uint32_t op)
{
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, method);
    int64_t finish = analysis->outcome == WEIR_PRIORITY_CONVERGED ? analysis->operators[op].finish_max : -1;
    weir_priority_analysis_free(analysis);
    return finish;
}
