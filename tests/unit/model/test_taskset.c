/* SPDX-License-Identifier: Apache-2.0 */
/* Shared processors: what a pipeline may say of them, and the task set that it becomes when it is sealed. */
#include "model/pipeline.h"
#include "support/stage.h"

#include <string.h>

#define TIME_LIMIT (INT64_C(1) << 60)

static const struct weir_operator a = {0}, b = {1}, c = {2}, d = {3};

/* Processors cpu, late, frames and turns, one of each kind, in lines 51 to 54. */
static struct weir_pipeline *empty(void)
{
    static const struct weir_processor_spec specs[] = {{"cpu", WEIR_PREEMPTIVE, 0, {51, 1}},
                                                       {"late", WEIR_NONPREEMPTIVE, 0, {52, 1}},
                                                       {"frames", WEIR_TDM, 10, {53, 1}},
                                                       {"turns", WEIR_ROUND_ROBIN, 0, {54, 1}}};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL), WEIR_OK);
    for (uint32_t i = 0; i < 4; i++) {
        struct weir_processor processor = {UINT32_MAX};
        assert_int_equal(weir_pipeline_add_processor(p, &specs[i], &processor, NULL), WEIR_OK);
        assert_int_equal(processor.index, i);
    }
    return p;
}

/* The next operator: a, b, c ... in lines 1, 2, 3 ... */
static void add(struct weir_pipeline *p, struct weir_operator_spec spec)
{
    char name[2] = {(char)('a' + weir_pipeline_operator_count(p)), 0};
    spec.name = name;
    spec.place = (struct weir_place){weir_pipeline_operator_count(p) + 1, 1};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
}

static void add_plain(struct weir_pipeline *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add(p, (struct weir_operator_spec){.best = 1, .worst = 2});
}

/* In line 101, 102 ... */
static void feed(struct weir_pipeline *p, struct weir_operator op, const char *name, int64_t period)
{
    struct weir_source_spec spec = {
        .op = op, .period = period, .name = name, .place = {101 + weir_pipeline_source_count(p), 1}, .jitter = 3};
    assert_int_equal(weir_pipeline_add_source(p, &spec, NULL), WEIR_OK);
}

/* Seals, compares the mistakes, "line: words" each in a line of its own, and frees the pipeline. */
static void assert_mistakes(struct weir_pipeline *p, const char *expected)
{
    struct weir_errors *errors = weir_errors_new();
    char text[4096] = "";
    assert_int_equal(weir_pipeline_seal(p, "model", errors), WEIR_INVALID);
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        size_t used = strlen(text);
        assert_string_equal(e->file, "model");
        snprintf(text + used, sizeof text - used, "%u: %s\n", e->line, e->message);
    }
    assert_string_equal(text, expected);
    assert_false(weir_pipeline_sealed(p));
    assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_INVALID); /* without a list, and once more */
    weir_errors_free(errors);
    weir_pipeline_free(p);
}

/* ---- steps ---- */

static void assert_refused(enum weir_status status, enum weir_status wanted, const struct weir_error *error, const char *words)
{
    assert_int_equal(status, wanted);
    assert_int_equal(error->status, wanted);
    assert_string_equal(error->message, words);
}

TEST(test_processors)
{
    struct weir_error e;
    struct weir_pipeline *p = empty();
    struct weir_processor_spec spec = {.name = NULL};
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e, "a processor needs a name");
    spec.name = "";
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e, "a processor needs a name");
    spec.name = "cpu";
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e, "there are two processors named \"cpu\"");
    spec = (struct weir_processor_spec){.name = "x", .sharing = WEIR_TDM};
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e, "processor \"x\" has an invalid frame");
    spec.frame = TIME_LIMIT;
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e, "processor \"x\" has an invalid frame");
    spec = (struct weir_processor_spec){.name = "x", .sharing = WEIR_ROUND_ROBIN, .frame = 5};
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e, "processor \"x\" has an invalid frame");
    spec = (struct weir_processor_spec){.name = "x", .sharing = (enum weir_sharing)4};
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e,
                   "processor \"x\" has an unknown scheduler: 4");
    assert_int_equal(weir_pipeline_processor_count(p), 4);
    struct weir_processor_spec frames = weir_pipeline_processor(p, (struct weir_processor){2});
    assert_string_equal(frames.name, "frames");
    assert_int_equal(frames.sharing, WEIR_TDM);
    assert_int_equal(frames.frame, 10);
    for (uint32_t i = 4; i < WEIR_PROCESSORS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        spec = (struct weir_processor_spec){.name = name};
        assert_int_equal(weir_pipeline_add_processor(p, &spec, NULL, NULL), WEIR_OK);
    }
    spec.name = "one more";
    assert_refused(weir_pipeline_add_processor(p, &spec, NULL, &e), WEIR_INVALID, &e,
                   "a pipeline can have at most 4096 processors");
    weir_pipeline_free(p);
}

TEST(test_platform_and_limit)
{
    struct weir_error e;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_THREADS);
    assert_refused(weir_pipeline_set_platform(p, (enum weir_platform)99, &e), WEIR_INVALID, &e, "unknown platform: 99");
    assert_refused(weir_pipeline_set_unit(p, (enum weir_unit)99, 0, &e), WEIR_INVALID, &e, "unknown unit: 99");
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_PROCESSORS);
    assert_int_equal(weir_pipeline_set_latency_limit(p, 77, NULL), WEIR_OK);
    const char *words = "a latency limit must be longer than 0, and no longer than can be represented";
    assert_refused(weir_pipeline_set_latency_limit(p, -1, &e), WEIR_INVALID, &e, words);
    assert_refused(weir_pipeline_set_latency_limit(p, TIME_LIMIT, &e), WEIR_INVALID, &e, words);
    assert_int_equal(weir_pipeline_latency_limit(p), 77);
    add_plain(p, 1);
    feed(p, a, NULL, 5);
    stage_seal(p);
    words = "the pipeline is sealed: nothing can be added to it";
    assert_refused(weir_pipeline_set_latency_limit(p, 1, &e), WEIR_INVALID, &e, words);
    assert_refused(weir_pipeline_set_platform(p, WEIR_PLATFORM_THREADS, &e), WEIR_INVALID, &e, words);
    assert_refused(weir_pipeline_add_processor(p, &(struct weir_processor_spec){.name = "x"}, NULL, &e), WEIR_INVALID, &e, words);
    assert_int_equal(weir_pipeline_require(p, WEIR_PLATFORM_PROCESSORS, NULL), WEIR_OK);
    assert_refused(weir_pipeline_require(p, WEIR_PLATFORM_THREADS, &e), WEIR_INVALID, &e,
                   "this model's operators share processors; this needs a thread for each");
    weir_pipeline_free(p);
    p = stage_chain(2, (const int64_t[]){1, 2}, 1);
    assert_refused(weir_pipeline_require(p, WEIR_PLATFORM_PROCESSORS, &e), WEIR_INVALID, &e,
                   "this model's operators have threads of their own; this needs processors");
    weir_pipeline_free(p);
    p = weir_pipeline_new(NULL);
    assert_refused(weir_pipeline_require(p, WEIR_PLATFORM_THREADS, &e), WEIR_INVALID, &e, "the pipeline is not sealed");
    weir_pipeline_free(p);
}

TEST(test_what_an_operator_says)
{
    struct weir_error e;
    struct weir_pipeline *p = empty();
    struct weir_operator_spec spec = {.name = "x", .worst = 1, .mapped = true, .on = {4}};
    assert_refused(weir_pipeline_add_operator(p, &spec, NULL, &e), WEIR_INVALID, &e,
                   "operator \"x\" runs on no processor of the pipeline");
    spec = (struct weir_operator_spec){.name = "x", .worst = 1, .slot = -1};
    assert_refused(weir_pipeline_add_operator(p, &spec, NULL, &e), WEIR_INVALID, &e, "operator \"x\" has an invalid slot");
    spec.slot = TIME_LIMIT;
    assert_refused(weir_pipeline_add_operator(p, &spec, NULL, &e), WEIR_INVALID, &e, "operator \"x\" has an invalid slot");
    add_plain(p, 1);
    struct weir_source_spec source = {.period = 5, .jitter = -1};
    assert_refused(weir_pipeline_add_source(p, &source, &e), WEIR_INVALID, &e, "a jitter must not be negative");
    source = (struct weir_source_spec){.period = 5, .phase = -1};
    assert_refused(weir_pipeline_add_source(p, &source, &e), WEIR_INVALID, &e, "a phase must not be negative");
    source.phase = TIME_LIMIT;
    assert_refused(weir_pipeline_add_source(p, &source, &e), WEIR_OVERFLOW, &e,
                   "a jitter or phase is longer than can be represented");
    assert_int_equal(weir_pipeline_source_count(p), 0);
    weir_pipeline_free(p);
}

/* ---- the whole ---- */

TEST(test_operators_that_do_not_fit)
{
    struct weir_pipeline *p = empty();
    add(p, (struct weir_operator_spec){.worst = 0});
    add(p, (struct weir_operator_spec){.worst = 4, .receive_max = 1});
    add(p, (struct weir_operator_spec){.worst = 4, .reentrant = true});
    add(p, (struct weir_operator_spec){.worst = 4, .slot = 1});
    for (uint32_t i = 0; i < 4; i++)
        feed(p, (struct weir_operator){i}, NULL, 9);
    assert_mistakes(p, "1: operator \"a\" takes no time; on shared processors a worst case must be longer than 0\n"
                       "2: \"receive\" of operator \"b\" has no meaning on shared processors: input is held to the end\n"
                       "3: \"reentrant\" of operator \"c\" has no meaning on shared processors: one execution runs at a time\n"
                       "4: operator \"d\" has a \"slot\", but no processor it could be on\n");
}

TEST(test_mappings_that_do_not_fit)
{
    struct weir_pipeline *p = empty();
    add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {0}});
    add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {0}, .has_priority = true, .slot = 1});
    add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {1}}); /* alone: no priority needed */
    add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {2}, .slot = 7});
    add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {2}, .slot = 4});
    add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {3}});
    for (uint32_t i = 0; i < 6; i++)
        feed(p, (struct weir_operator){i}, NULL, 9);
    assert_mistakes(p, "1: operator \"a\" needs a \"priority\": it shares its processor\n"
                       "2: operator \"b\" has a \"slot\", but its processor uses priorities\n"
                       "6: operator \"f\" needs a \"slot\": its processor gives each operator a share of the time\n"
                       "53: the slots of processor \"frames\" do not fit into its frame of 10\n");
}

TEST(test_slots_that_overflow)
{
    struct weir_pipeline *p = empty();
    for (int i = 0; i < 12; i++)
        add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {2}, .slot = TIME_LIMIT - 1});
    for (uint32_t i = 0; i < 12; i++)
        feed(p, (struct weir_operator){i}, NULL, 9);
    assert_mistakes(p, "53: the slots of processor \"frames\" do not fit into its frame of 10\n");
}

TEST(test_graphs_and_sources)
{
    struct weir_pipeline *p = empty();
    add_plain(p, 3);
    stage_queue(p, a, c, 1, 0);
    feed(p, b, NULL, 5);
    assert_mistakes(p, "1: no source drives the task graph of operator \"a\"; it needs one with a period\n");

    p = empty();
    add_plain(p, 2);
    stage_queue(p, a, b, 1, 0);
    feed(p, a, "one", 5);
    feed(p, b, "two", 5);
    assert_mistakes(
        p, "102: operator \"b\" has a different source from the operators it is connected to; a task graph has one source\n");

    p = empty(); /* without names they are two */
    add_plain(p, 2);
    stage_queue(p, a, b, 1, 0);
    feed(p, a, NULL, 5);
    feed(p, b, NULL, 5);
    assert_mistakes(
        p, "102: operator \"b\" has a different source from the operators it is connected to; a task graph has one source\n");

    p = empty();
    add_plain(p, 4);
    feed(p, a, "s", 5);
    feed(p, b, "t", 5);
    feed(p, c, "s", 6);
    feed(p, d, "s", 5);
    assert_mistakes(p, "103: source \"s\" feeds several operators, but does not say the same for each of them\n");

    p = empty(); /* a message on the only way: iteration n would not belong to input n */
    add_plain(p, 3);
    stage_queue(p, a, b, 2, 1);
    stage_queue(p, b, c, 1, 0);
    feed(p, a, NULL, 5);
    assert_mistakes(p, "2: operator \"b\" does not follow its source: every path to it has initial messages\n"
                       "3: operator \"c\" does not follow its source: every path to it has initial messages\n");

    p = empty(); /* a loop that nothing leads to is told once */
    add_plain(p, 3);
    stage_queue(p, b, c, 2, 1);
    stage_queue(p, c, b, 2, 1);
    feed(p, a, NULL, 5);
    assert_mistakes(p, "2: no source drives the task graph of operator \"b\"; it needs one with a period\n");
}

TEST(test_threads_know_none_of_it)
{
    struct weir_pipeline *p = empty();
    weir_pipeline_set_platform(p, WEIR_PLATFORM_THREADS, NULL);
    weir_pipeline_set_latency_limit(p, 5, NULL);
    add(p, (struct weir_operator_spec){.worst = 1, .mapped = true, .on = {1}});
    add(p, (struct weir_operator_spec){.worst = 1, .has_priority = true});
    add(p, (struct weir_operator_spec){.worst = 1, .slot = 4});
    struct weir_queue_spec automatic = {.from = a, .to = b, .capacity = WEIR_AUTO, .place = {31, 1}};
    assert_int_equal(weir_pipeline_add_queue(p, &automatic, NULL, NULL), WEIR_OK);
    stage_queue(p, b, c, 1, 0);
    feed(p, a, NULL, 9);
    assert_mistakes(
        p, "0: a latency limit is for shared processors only\n"
           "1: \"on\" of operator \"a\" needs shared processors: give the model \"platform: {scheduler: fixed-priority}\"\n"
           "2: \"priority\" of operator \"b\" needs shared processors: give the model \"platform: {scheduler: fixed-priority}\"\n"
           "3: \"slot\" of operator \"c\" needs shared processors: give the model \"platform: {scheduler: fixed-priority}\"\n"
           "31: \"auto\" is a capacity where operators share processors or cores; give the queue from \"a\" a number, or "
           "\"unbounded\"\n"
           "51: processor \"cpu\" has no use: the operators have threads of their own\n"
           "52: processor \"late\" has no use: the operators have threads of their own\n"
           "53: processor \"frames\" has no use: the operators have threads of their own\n"
           "54: processor \"turns\" has no use: the operators have threads of their own\n"
           "101: \"jitter\" in the source of operator \"a\" needs shared processors: give the model \"platform: {scheduler: "
           "fixed-priority}\"\n");
}

/* Neither threads nor processors know what a pool of cores does. */
TEST(test_words_of_cores)
{
    for (int shared = 0; shared < 2; shared++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        weir_pipeline_set_platform(p, shared ? WEIR_PLATFORM_PROCESSORS : WEIR_PLATFORM_THREADS, NULL);
        weir_pipeline_set_cores(p, 2, NULL);
        add(p, (struct weir_operator_spec){.worst = 1, .has_cost = true, .cost_init = 1});
        add_plain(p, 2);
        struct weir_queue_spec queue = {.from = a, .to = b, .capacity = 1, .produce = 1, .consume = 1, .threshold = 1};
        assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK); /* as good as nothing said */
        queue = (struct weir_queue_spec){.from = b, .to = c, .capacity = 1, .produce = 2, .place = {31, 1}};
        assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
        struct weir_source_spec source = {.op = a, .period = 9, .count = 2, .place = {41, 1}};
        assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
        assert_mistakes(
            p, "0: the pipeline has cores, but does not run on a pool of them\n"
               "1: \"cost\" of operator \"a\" needs a pool of cores: give the model \"platform: {cores: 4}\"\n"
               "31: \"produce\" in the queue from \"b\" needs a pool of cores: give the model \"platform: {cores: 4}\"\n"
               "41: \"burst\" in the source of operator \"a\" needs a pool of cores: give the model \"platform: {cores: 4}\"\n");
    }
}

/* ---- the arrays ---- */

TEST(test_tasks_and_edges)
{
    struct weir_pipeline *p = empty();
    add(p, (struct weir_operator_spec){.best = 1, .worst = 2, .mapped = true, .on = {0}, .has_priority = true, .priority = -7});
    add(p, (struct weir_operator_spec){.best = 0, .worst = 5, .has_priority = true, .priority = 3});
    add(p, (struct weir_operator_spec){
               .best = 4, .worst = 4, .mapped = true, .on = {2}, .slot = 3, .has_priority = true, .priority = 3});
    add(p, (struct weir_operator_spec){.best = 4, .worst = 4, .mapped = true, .on = {3}, .slot = 2});
    struct weir_queue_spec loose = {.from = a, .to = b, .capacity = WEIR_AUTO, .nonblocking = true};
    stage_queue(p, b, a, 5, 2);
    assert_int_equal(weir_pipeline_add_queue(p, &loose, NULL, NULL), WEIR_OK);
    stage_queue(p, a, b, WEIR_UNBOUNDED, 0);
    feed(p, d, "other", 8);
    feed(p, a, NULL, 5);
    feed(p, c, "other", 8);
    stage_seal(p);
    const struct weir_taskset *set = p->taskset;
    assert_int_equal(set->task_count, 4);
    assert_int_equal(set->processor_count, 4);
    assert_int_equal(set->graph_count, 2); /* c and d have one source, so they are one graph without a queue */
    static const struct weir_task tasks[] = {
        {0, 0, -7, 1, 2, 0}, {0, WEIR_OWN_PROCESSOR, 0, 0, 5, 0}, {1, 2, 0, 4, 4, 3}, {1, 3, 0, 4, 4, 2}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(set->tasks[i].graph, tasks[i].graph);
        assert_int_equal(set->tasks[i].processor, tasks[i].processor);
        assert_int_equal(set->tasks[i].priority, tasks[i].priority);
        assert_int_equal(set->tasks[i].best, tasks[i].best);
        assert_int_equal(set->tasks[i].worst, tasks[i].worst);
        assert_int_equal(set->tasks[i].slot, tasks[i].slot);
    }
    assert_int_equal(set->graphs[0].period, 5);
    assert_int_equal(set->graphs[0].jitter, 3);
    assert_int_equal(set->graphs[0].source, 1);
    assert_int_equal(set->graphs[1].period, 8);
    assert_int_equal(set->graphs[1].source, 0);
    static const struct weir_task_edge edges[] = {{1, 0, 2, 3, true},
                                                  {0, 1, 0, WEIR_AUTO, false},
                                                  {0, 1, 0, WEIR_UNBOUNDED, true},
                                                  {WEIR_FROM_SOURCE, 3, 0, WEIR_AUTO, false},
                                                  {WEIR_FROM_SOURCE, 0, 0, WEIR_AUTO, false},
                                                  {WEIR_FROM_SOURCE, 2, 0, WEIR_AUTO, false}};
    assert_int_equal(set->edge_count, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(set->edges[i].from, edges[i].from);
        assert_int_equal(set->edges[i].to, edges[i].to);
        assert_int_equal(set->edges[i].initial, edges[i].initial);
        assert_int_equal(set->edges[i].room, edges[i].room);
        assert_int_equal(set->edges[i].blocking, edges[i].blocking);
    }
    static const int64_t frames[] = {0, 0, 10, 0}, free_time[] = {0, 0, 7, 0};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(set->processors[i].sharing, (enum weir_sharing)i);
        assert_int_equal(set->processors[i].frame, frames[i]);
        assert_int_equal(set->processors[i].free, free_time[i]);
    }
    weir_pipeline_free(p);
}

/* A long chain whose queues are listed from its end: joining and numbering must not take quadratic time. */
TEST(test_many)
{
    enum { COUNT = 300000 };
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        stage_operator(p, name, 1, 1);
    }
    for (uint32_t i = COUNT / 2 - 1; i > 0; i--)
        stage_queue(p, (struct weir_operator){i - 1}, (struct weir_operator){i}, 1, 0);
    feed(p, a, NULL, 5);
    for (uint32_t i = COUNT / 2; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i % 1000);
        feed(p, (struct weir_operator){i}, name, 5);
    }
    struct weir_chain_spec chain = {.from = a, .to = b};
    assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK);
    stage_seal(p);
    assert_int_equal(p->taskset->graph_count, 1001);
    weir_pipeline_free(p);
}
