/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GRAPHS_MAX = 4 };

struct builder {
    struct weir_pipeline *pipeline;
    long long period[GRAPHS_MAX], jitter[GRAPHS_MAX];
    bool sporadic[GRAPHS_MAX];
    int graphs, processors, tasks;
};

/* The numbers from `at` on, up to the first thing that is none; what is missing of `most` is 0. Returns how many there are. */
static int numbers(const char *at, long long *values, int most)
{
    int count = 0;
    memset(values, 0, (size_t)most * sizeof *values);
    while (count < most && *at == ' ') {
        char *end;
        long long value = strtoll(at, &end, 10);
        if (end == at)
            break;
        values[count++] = value;
        at = end;
    }
    return count;
}

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
    long long frame;
    int k = 0;
    while (strncmp(line + 2, kinds[k], strlen(kinds[k])) != 0)
        assert_true(++k < 4);
    numbers(line + 2 + strlen(kinds[k]), &frame, 1);
    add_processor(b, (enum weir_sharing)k, frame);
}

static void add_task(struct builder *b, const char *line)
{
    enum { GRAPH, PROCESSOR, PRIORITY, BEST, WORST, SLOT, VALUES };
    long long v[VALUES];
    char name[16];
    assert_true(numbers(line + 1, v, VALUES) >= SLOT);
    while (v[PROCESSOR] >= b->processors)
        add_processor(b, WEIR_PREEMPTIVE, 0);
    snprintf(name, sizeof name, "t%d", b->tasks++);
    struct weir_operator_spec spec = {.name = name,
                                      .best = v[BEST],
                                      .worst = v[WORST],
                                      .mapped = v[PROCESSOR] >= 0,
                                      .on = {v[PROCESSOR] >= 0 ? (uint32_t)v[PROCESSOR] : 0},
                                      .has_priority = v[PROCESSOR] >= 0 && v[SLOT] == 0,
                                      .priority = v[SLOT] ? 0 : (int32_t)v[PRIORITY],
                                      .slot = v[SLOT]};
    assert_int_equal(weir_pipeline_add_operator(b->pipeline, &spec, NULL, NULL), WEIR_OK);
}

static void add_source(struct builder *b, int graph, uint32_t to)
{
    char name[16];
    snprintf(name, sizeof name, "s%d", graph);
    struct weir_source_spec spec = {.op = {to},
                                    .period = b->period[graph],
                                    .arrivals = WEIR_ARRIVALS_EXACT,
                                    .name = name,
                                    .jitter = b->jitter[graph],
                                    .sporadic = b->sporadic[graph]};
    assert_int_equal(weir_pipeline_add_source(b->pipeline, &spec, NULL), WEIR_OK);
}

static void add_edge(struct builder *b, const char *line)
{
    enum { FROM, TO, INITIAL, ROOM, BLOCKS, VALUES };
    long long v[VALUES];
    assert_int_equal(numbers(line + 1, v, VALUES), VALUES);
    if (v[FROM] < 0) {
        assert_true(v[FROM] >= -b->graphs);
        add_source(b, (int)(-1 - v[FROM]), (uint32_t)v[TO]);
        return;
    }
    uint32_t capacity = (uint32_t)(v[ROOM] + v[INITIAL]);
    if (v[ROOM] < 0)
        capacity = v[ROOM] == -1 ? WEIR_AUTO : WEIR_UNBOUNDED;
    struct weir_queue_spec spec = {.from = {(uint32_t)v[FROM]},
                                   .to = {(uint32_t)v[TO]},
                                   .capacity = capacity,
                                   .initial = (uint32_t)v[INITIAL],
                                   .nonblocking = !v[BLOCKS]};
    assert_int_equal(weir_pipeline_add_queue(b->pipeline, &spec, NULL, NULL), WEIR_OK);
}

static void add_chain(struct builder *b, const char *line)
{
    long long v[3];
    int read = numbers(line + 1, v, 3);
    assert_true(read >= 2);
    struct weir_chain_spec spec = {.from = {(uint32_t)v[0]}, .to = {(uint32_t)v[1]}, .has_deadline = read == 3, .deadline = v[2]};
    assert_int_equal(weir_pipeline_add_chain(b->pipeline, &spec, NULL), WEIR_OK);
}

static void add_graph(struct builder *b, const char *line)
{
    long long v[2];
    assert_true(b->graphs < GRAPHS_MAX);
    assert_int_equal(numbers(line + 1, v, 2), 2);
    b->period[b->graphs] = v[0];
    b->jitter[b->graphs] = v[1];
    b->sporadic[b->graphs++] = *strpbrk(line, "s\n") == 's';
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
            add_chain(&b, lines);
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
    assert_int_equal(analysis->verified, options.verify && (analysis->proof || analysis->plans));
    assert_int_equal(analysis->proof || (analysis->outcome == WEIR_PRIORITY_CONVERGED && !options.verify),
                     analysis->outcome == WEIR_PRIORITY_CONVERGED);
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

enum weir_status plan_analyze_again(void *pipeline)
{
    struct weir_priority_analysis *analysis = NULL;
    enum weir_status status = weir_priority_analyze(pipeline, &(struct weir_priority_options){.verify = true}, &analysis, NULL);
    assert_int_equal(status == WEIR_OK, analysis != NULL);
    weir_priority_analysis_free(analysis);
    return status;
}
