/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that nobody names: which readings there are, and answers that hold for all of them. */
#include "base/number.h"
#include "model/ports.h"
#include "support/refuse.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static struct weir_pipeline *read_model(const char *model, const char *file, enum weir_ports ports)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    struct weir_read_options options = {.ports = ports};
    if (weir_read_memory(model, strlen(model), file, &options, &pipeline, errors))
        fail_msg("%s", weir_errors_at(errors, 0)->message);
    weir_errors_free(errors);
    return pipeline;
}

static int64_t worst_of(const struct weir_pipeline *pipeline)
{
    struct weir_answer *answer;
    struct weir_error error = {0};
    if (weir_answer_find(pipeline, NULL, &answer, &error))
        fail_msg("%s", error.message);
    const struct weir_bound *bound = weir_answer_bound(answer, 0);
    assert_int_equal(bound->worst.claim, WEIR_CLAIM_EXACT);
    int64_t worst = bound->worst.high.numerator;
    weir_answer_free(answer);
    return worst;
}

static int64_t ask(const char *model, const char *file, enum weir_ports ports)
{
    struct weir_pipeline *pipeline = read_model(model, file, ports);
    int64_t worst = worst_of(pipeline);
    weir_pipeline_free(pipeline);
    return worst;
}

/* The separate reading is the larger: with the broadcast, b goes on while d waits for c. */
static const char larger_apart[] = "operators: {a: {time: [0, 2]}, b: {time: [0, 10]}, c: {time: [0, 16]}, d: {time: [0, 2]}}\n"
                                   "queues: [a -> b, {from: b, to: [c, d], broadcast: {time: 0, assumed: true}}, c -> d]\n";
/* ... the shared one is. */
static const char larger_together[] =
    "operators: {a: {time: [0, 2]}, b: {time: [0, 1]}, c: {time: [0, 30]}, d: {time: [0, 5]}}\n"
    "queues:\n  - {from: a, to: [b, c, d], broadcast: {time: 0, assumed: true}}\n  - b -> d\n  - c -> d\n";
/* ... some of it is. */
static const char larger_between[] = "operators: {a: {time: [0, 13]}, b: {time: [0, 16]}, c: {time: [0, 16]}, d: {time: [0, 30]}, "
                                     "e: {time: [0, 30]}, f: {time: [0, 7]}}\n"
                                     "queues:\n  - {from: a, to: [b, c, d], broadcast: {time: 0, assumed: true}}\n"
                                     "  - {from: b, to: [d, e], broadcast: {time: 0, assumed: true}}\n"
                                     "  - {from: c, to: [e, f], broadcast: {time: 0, assumed: true}}\n  - d -> e\n  - e -> f\n";

TEST(the_answer_holds_for_all_readings)
{
    assert_true(ask(larger_apart, "m.yaml", WEIR_PORTS_SEPARATE) > ask(larger_apart, "m.yaml", WEIR_PORTS_SHARED));
    assert_int_equal(ask(larger_apart, "m.yaml", WEIR_PORTS_DEFAULT), ask(larger_apart, "m.yaml", WEIR_PORTS_SEPARATE));
    assert_true(ask(larger_together, "m.yaml", WEIR_PORTS_SEPARATE) < ask(larger_together, "m.yaml", WEIR_PORTS_SHARED));
    assert_int_equal(ask(larger_together, "m.yaml", WEIR_PORTS_DEFAULT), ask(larger_together, "m.yaml", WEIR_PORTS_SHARED));
    assert_int_equal(ask(larger_between, "m.yaml", WEIR_PORTS_SHARED), 127);
    assert_int_equal(ask(larger_between, "m.yaml", WEIR_PORTS_SEPARATE), 113);
    assert_int_equal(ask(larger_between, "m.yaml", WEIR_PORTS_DEFAULT), 159);
}

/* 1, 2, 5, 15, 52, 203, 877 ways to divide receivers; each once. */
TEST(every_division_comes_once)
{
    static const uint32_t counts[] = {2, 5, 15, 52, 203, 877};
    for (uint32_t n = 2; n <= 7; n++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator_spec source = {.name = "source", .worst = 1},
                                  copy = {.name = "copy", .broadcast = true, .assumed = true};
        weir_pipeline_add_operator(p, &source, NULL, NULL);
        weir_pipeline_add_operator(p, &copy, NULL, NULL);
        weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = {0}, .to = {1}, .capacity = 1}, NULL, NULL);
        for (uint32_t i = 0; i < n; i++) {
            char name[16];
            struct weir_operator_spec sink = {.name = name, .worst = 1};
            snprintf(name, sizeof name, "s%u", i);
            weir_pipeline_add_operator(p, &sink, NULL, NULL);
            weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = {1}, .to = {i + 2}, .capacity = 1}, NULL, NULL);
        }
        assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_OK);
        struct weir_readings r;
        assert_true(weir_readings_begin(&r, p));
        assert_int_equal(weir_readings_count(&r), counts[n - 2]);
        uint32_t seen = 1, ports = 1;
        while (weir_readings_next(&r)) {
            seen++;
            ports = 0;
            for (uint32_t i = 1; i <= n; i++)
                ports = r.port[i] >= ports ? r.port[i] + 1 : ports;
        }
        assert_int_equal(seen, counts[n - 2]);
        assert_int_equal(ports, n); /* a port each comes last */
        weir_readings_free(&r);
        weir_pipeline_free(p);
    }
}

TEST(a_reading_has_the_broadcasts_of_its_ports)
{
    struct weir_pipeline *p = read_model(larger_between, "m.yaml", WEIR_PORTS_DEFAULT);
    struct weir_readings r;
    assert_true(weir_readings_begin(&r, p));
    weir_readings_next(&r); /* the last receiver of a apart */
    struct weir_pipeline *apart = weir_readings_make(&r, NULL);
    assert_int_equal(weir_pipeline_operator_count(apart), 9);
    assert_int_equal(weir_pipeline_queue_count(apart), 12);
    weir_pipeline_free(apart);
    weir_readings_separate(&r);
    struct weir_pipeline *separate = weir_readings_make(&r, NULL);
    assert_int_equal(weir_pipeline_operator_count(separate), 6);
    assert_int_equal(weir_pipeline_queue_count(separate), 9);
    assert_false(weir_pipeline_assumes(separate));
    weir_pipeline_free(separate);
    weir_readings_free(&r);
    weir_pipeline_free(p);
}

/* Two ports with two receivers each are two broadcasts. */
TEST(a_second_broadcast_has_another_name)
{
    static const char model[] = "operators: {a: 1, b: 1, c: 1, d: 1, e: 1, a.broadcast.2: 1}\n"
                                "queues: [{from: a, to: [b, c, d, e], broadcast: {time: 0, assumed: true}}, b -> a.broadcast.2]\n";
    struct weir_pipeline *p = read_model(model, "m.yaml", WEIR_PORTS_DEFAULT);
    struct weir_readings r;
    struct weir_operator op;
    assert_true(weir_readings_begin(&r, p));
    r.port[r.out.queue[r.out.first[6] + 2]] = 1;
    r.port[r.out.queue[r.out.first[6] + 3]] = 1;
    struct weir_pipeline *two = weir_readings_make(&r, NULL);
    assert_int_equal(weir_pipeline_operator_count(two), 8);
    assert_int_equal(weir_pipeline_queue_count(two), 7);
    assert_true(weir_pipeline_find(two, "a.broadcast", &op) && weir_pipeline_find(two, "a.broadcast.3", &op));
    weir_pipeline_free(two);
    weir_readings_free(&r);
    weir_pipeline_free(p);
}

/* The graph of HoloHub's Multi AI Endoscopy, where one port feeds several receivers: 122.55 ms, and not 81.7. */
static const char graph[] =
    "digraph G {\nreplayer [label=\"replayer\\navg: 1.00\\nmax: 16.15\"];\n"
    "detection_pre [label=\"detection_pre\\navg: 1.00\\nmax: 20.00\"];\nsegmentation_pre [label=\"segmentation_pre\\nmax: "
    "10.00\"];\n"
    "inference [label=\"inference\\nmax: 17.00\"];\ndetection_post [label=\"detection_post\\nmax: 20.00\"];\n"
    "segmentation_post [label=\"segmentation_post\\nmax: 5.00\"];\nholoviz [label=\"holoviz\\nmax: 8.55\"];\n"
    "replayer -> detection_pre; replayer -> segmentation_pre; replayer -> holoviz; detection_pre -> inference;\n"
    "segmentation_pre -> inference; inference -> detection_post; inference -> segmentation_post;\n"
    "detection_post -> holoviz; segmentation_post -> holoviz;\n}\n";

TEST(a_performance_graph_names_no_ports)
{
    assert_int_equal(ask(graph, "g.dot", WEIR_PORTS_SEPARATE), 8170);
    assert_int_equal(ask(graph, "g.dot", WEIR_PORTS_SHARED), 12255);
    assert_int_equal(ask(graph, "g.dot", WEIR_PORTS_DEFAULT), 12255);
    assert_int_equal(ask(graph, "g.dot", WEIR_PORTS_UNKNOWN), 12255);
}

/* A graph with WCET is one of the response-time tools, unless it is said otherwise. */
TEST(a_graph_with_worst_cases_has_a_port_for_each_edge)
{
    static const char wcet[] =
        "digraph { A [WCET=200]; B [WCET=300]; C [WCET=150]; D [WCET=400]; A -> B; A -> C; B -> D; C -> D; }";
    int64_t separate = ask(wcet, "w.dot", WEIR_PORTS_DEFAULT);
    assert_int_equal(separate, ask(wcet, "w.dot", WEIR_PORTS_SEPARATE));
    assert_true(ask(wcet, "w.dot", WEIR_PORTS_SHARED) > separate);
    assert_int_equal(ask(wcet, "w.dot", WEIR_PORTS_UNKNOWN), ask(wcet, "w.dot", WEIR_PORTS_SHARED));
    static const struct {
        const char *graph;
        size_t notes;
    } graphs[] = {
        {wcet, 1},
        {"digraph { A [BCET=1, WCET=2]; B [BCET=1, WCET=3]; C [BCET=0, WCET=4]; A -> B; A -> C; B -> C; }", 1},
        {"digraph { ports=separate; A [BCET=1, WCET=2]; B [BCET=1, WCET=3]; C [BCET=0, WCET=4]; A -> B; A -> C; B -> C; }", 0},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        struct weir_errors *notes = weir_errors_new();
        struct weir_read_options options = {.notes = notes};
        struct weir_pipeline *p = NULL;
        assert_int_equal(weir_read_memory(graphs[i].graph, strlen(graphs[i].graph), "w.dot", &options, &p, NULL), WEIR_OK);
        assert_int_equal(weir_errors_count(notes), graphs[i].notes);
        assert_true(!graphs[i].notes || strstr(weir_errors_at(notes, 0)->message, "--ports unknown"));
        weir_pipeline_free(p);
        weir_errors_free(notes);
    }
    assert_int_equal(ask(graphs[2].graph, "w.dot", WEIR_PORTS_SHARED), ask(graphs[2].graph, "w.dot", WEIR_PORTS_DEFAULT));
    assert_true(ask(graphs[1].graph, "w.dot", WEIR_PORTS_SHARED) > ask(graphs[1].graph, "w.dot", WEIR_PORTS_DEFAULT));
}

TEST(with_workers_too)
{
    static const char model[] =
        "operators: {a: {time: [0, 2]}, b: {time: [0, 1]}, c: {time: [0, 30]}, d: {time: [0, 5]}}\n"
        "queues:\n  - {from: a, to: [b, c, d], broadcast: {time: 0, assumed: true}}\n  - b -> d\n  - c -> d\n"
        "platform: {scheduler: event-based, workers: 2}\n";
    struct weir_pipeline *both = read_model(model, "m.yaml", WEIR_PORTS_DEFAULT);
    struct weir_answer *answer, *other;
    assert_int_equal(weir_answer_find(both, NULL, &answer, NULL), WEIR_OK);
    for (int ports = WEIR_PORTS_SHARED; ports <= WEIR_PORTS_SEPARATE; ports++) {
        struct weir_pipeline *one = read_model(model, "m.yaml", (enum weir_ports)ports);
        assert_int_equal(weir_answer_find(one, NULL, &other, NULL), WEIR_OK);
        assert_true(weir_ratio_compare(weir_answer_bound(answer, 0)->worst.high, weir_answer_bound(other, 0)->worst.high) >= 0);
        assert_true(weir_ratio_compare(weir_answer_bound(answer, 0)->best.low, weir_answer_bound(other, 0)->best.low) <= 0);
        weir_answer_free(other);
        weir_pipeline_free(one);
    }
    weir_answer_free(answer);
    weir_pipeline_free(both);
}

TEST(too_many_readings_are_no_answer)
{
    static const char model[] = "operators: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1}\n"
                                "queues: [{from: a, to: [b, c, d, e, f, g, h, i], broadcast: {time: 0, assumed: true}}]\n";
    struct weir_pipeline *p = read_model(model, "m.yaml", WEIR_PORTS_DEFAULT);
    struct weir_answer *answer;
    assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
    assert_int_equal(weir_answer_bound(answer, 0)->worst.claim, WEIR_CLAIM_UNKNOWN);
    assert_non_null(strstr(weir_answer_bound(answer, 0)->why, "--ports"));
    weir_answer_free(answer);
    weir_pipeline_free(p);
}

/* What looks at one reading only says so. */
TEST(one_reading_is_not_enough)
{
    struct weir_pipeline *p = read_model(larger_apart, "m.yaml", WEIR_PORTS_DEFAULT);
    struct weir_error error = {0};
    assert_null(weir_evaluator_new(p, &error));
    assert_non_null(strstr(error.message, "\"b.broadcast\" is assumed"));
    weir_pipeline_free(p);
}

TEST(broadcasts_that_cannot_be_assumed)
{
    static const char *const models[] = {
        "operators: {a: {time: 1, assumed: true}, b: 1}\nqueues: [a -> b]\n",
        "operators: {a: 1, b: {time: 1, assumed: true}, c: 1}\nqueues: [a -> b -> c]\n",
        "operators: {a: 1, b: {time: 1, assumed: true}, c: 1, d: 1}\nqueues: [{from: a, to: b, initial: 1}, b -> c, b -> d]\n",
        ("operators: {a: 1, b: {time: 1, assumed: true}, c: 1, d: 1}\n"
         "queues: [a -> b, b -> c, b -> d]\nmeasure: [{from: a, to: b}]\n"),
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct weir_errors *errors = weir_errors_new();
        struct weir_pipeline *p = NULL;
        assert_int_equal(weir_read_memory(models[i], strlen(models[i]), "m.yaml", NULL, &p, errors), WEIR_INVALID);
        assert_non_null(strstr(weir_errors_at(errors, 0)->message, "assumed"));
        weir_errors_free(errors);
    }
}

TEST(memory_is_refused)
{
    struct weir_pipeline *p = read_model(larger_apart, "m.yaml", WEIR_PORTS_DEFAULT);
    struct refuse memory = {0};
    while (refuse_next(&memory)) {
        struct weir_answer *answer = NULL;
        enum weir_status status = weir_answer_find(p, NULL, &answer, NULL);
        weir_answer_free(answer);
        refuse_end();
        assert_int_equal(status, memory.refused ? WEIR_MEMORY : WEIR_OK);
        assert_int_equal(memory.live, 0);
    }
    assert_true(memory.number > 20);
    memory = (struct refuse){0};
    while (refuse_next(&memory)) {
        struct weir_pipeline *read = NULL;
        struct weir_read_options options = {.ports = WEIR_PORTS_SEPARATE};
        enum weir_status status = weir_read_memory(graph, sizeof graph - 1, "g.dot", &options, &read, NULL);
        weir_pipeline_free(read);
        refuse_end();
        assert_int_equal(status, memory.refused ? WEIR_MEMORY : WEIR_OK);
        assert_int_equal(memory.live, 0);
    }
    weir_pipeline_free(p);
}
