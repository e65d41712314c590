/* SPDX-License-Identifier: Apache-2.0 */
/* Batches, work on a GPU, transfers, ticks and queues that are not waited for: written, read back, drawn and refused. */
#include "answer/schedule.h"
#include "base/alloc.h"
#include "base/random.h"
#include "support/again.h"
#include "support/runner.h"
#include "support/timeline.h"

#include <stdlib.h>
#include <string.h>

static const char everything[] = "unit: ms\n"
                                 "operators:\n"
                                 "  cam: [1, 2]\n"
                                 "  infer: {time: [1, 2], gpu: {time: [5, 9.5], waits: true, after: [0, 1], stream: \"one: #1\"}}\n"
                                 "  post: {time: 1, gpu: {time: 4}}\n"
                                 "  view: {time: [1, 3], observed: {count: 7, max: 3, from: flow.log}}\n"
                                 "  log: 2\n"
                                 "queues:\n"
                                 "  - {from: cam, to: infer, consume: 8}\n"
                                 "  - {from: infer, to: post, transfer: [1, 3.25]}\n"
                                 "  - {from: post, to: view, latest: true}\n"
                                 "  - {from: cam, to: log, blocking: false, full: pop, capacity: 2}\n"
                                 "  - {from: cam, to: view, optional: true, blocking: false, full: reject}\n"
                                 "  - {from: infer, to: log, blocking: false, full: fault, capacity: 3, optional: true}\n"
                                 "  - {from: post, to: [view, log], optional: true}\n"
                                 "sources:\n"
                                 "  - {operator: cam, period: 33.3, arrivals: catch-up}\n";

static bool writes(const struct weir_pipeline *p, enum weir_model_format format, struct weir_error *error)
{
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    enum weir_status status = weir_pipeline_write(p, format, 0, out, error);
    fclose(out);
    return status == WEIR_OK;
}

/* ---- written and read ---- */

static void expect_same(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    assert_int_equal(weir_pipeline_operator_count(a), weir_pipeline_operator_count(b));
    assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
    assert_int_equal(weir_pipeline_chain_count(a), weir_pipeline_chain_count(b));
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        const struct weir_launch *one = weir_pipeline_operator(a, (struct weir_operator){i}).launch;
        const struct weir_launch *two = weir_pipeline_operator(b, (struct weir_operator){i}).launch;
        assert_int_equal(!one, !two);
        if (!one)
            continue;
        expect_time(a, one->best, b, two->best);
        expect_time(a, one->worst, b, two->worst);
        expect_time(a, one->after_best, b, two->after_best);
        expect_time(a, one->after_worst, b, two->after_worst);
        assert_int_equal(one->waits, two->waits);
        assert_int_equal(!one->stream, !two->stream);
        if (one->stream)
            assert_string_equal(one->stream, two->stream);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec one = weir_pipeline_queue(a, (struct weir_queue){i});
        struct weir_queue_spec two = weir_pipeline_queue(b, (struct weir_queue){i});
        assert_int_equal(one.consume, two.consume);
        assert_int_equal(one.capacity, two.capacity);
        assert_int_equal(one.nonblocking, two.nonblocking);
        assert_int_equal(one.full, two.full);
        assert_int_equal(one.optional, two.optional);
        assert_int_equal(one.latest, two.latest);
        expect_time(a, one.transfer_min, b, two.transfer_min);
        expect_time(a, one.transfer_max, b, two.transfer_max);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(a); i++)
        assert_int_equal(weir_pipeline_source(a, i).arrivals, weir_pipeline_source(b, i).arrivals);
}

static void check_again(const char *model, enum weir_model_format format)
{
    struct weir_pipeline *p = read_back(model);
    char *once = write_as(p, format);
    struct weir_pipeline *q = read_back(once);
    char *twice = write_as(q, format);
    assert_string_equal(once, twice);
    expect_same(p, q);
    free(once);
    free(twice);
    weir_pipeline_free(p);
    weir_pipeline_free(q);
}

TEST(all_that_is_said_comes_back)
{
    struct weir_pipeline *p = read_back(everything);
    const struct weir_launch *launch = weir_pipeline_operator(p, (struct weir_operator){1}).launch;
    assert_non_null(launch);
    assert_string_equal(launch->stream, "one: #1");
    assert_true(launch->waits);
    assert_int_equal(launch->worst, 950);
    struct weir_queue_spec batch = weir_pipeline_queue(p, (struct weir_queue){0});
    assert_int_equal(batch.consume, 8);
    assert_int_equal(batch.capacity, 8); /* unless given */
    assert_int_equal(weir_pipeline_queue(p, (struct weir_queue){1}).transfer_max, 325);
    assert_int_equal(weir_pipeline_queue(p, (struct weir_queue){5}).full, WEIR_FULL_FAULT);
    struct weir_queue_spec port = weir_pipeline_queue(p, (struct weir_queue){6}); /* to the broadcast, which waits */
    assert_false(port.optional);
    assert_true(weir_pipeline_queue(p, (struct weir_queue){7}).optional);
    assert_int_equal(weir_pipeline_source(p, 0).arrivals, WEIR_ARRIVALS_CATCH_UP);
    weir_pipeline_free(p);
    check_again(everything, WEIR_MODEL_YAML);
    check_again(everything, WEIR_MODEL_JSON);
}

static const char drawable[] = "operators: {a: 1, b: 2, c: 3, d: 1}\n"
                               "queues:\n"
                               "  - {from: a, to: b, consume: 2}\n"
                               "  - {from: b, to: c, latest: true}\n"
                               "  - {from: b, to: d, optional: true}\n"
                               "  - {from: c, to: d, blocking: false, full: reject, capacity: 3}\n"
                               "source: {operator: a, period: 5, arrivals: skip}\n";

TEST(dot_holds_queues)
{
    check_again(drawable, WEIR_MODEL_DOT);
    struct weir_pipeline *p = read_back(drawable);
    char *text = write_as(p, WEIR_MODEL_DOT);
    assert_non_null(strstr(text, "consume=2, label=\"2 at once\""));
    assert_non_null(strstr(text, "[latest=true, style=dashed]"));
    assert_non_null(strstr(text, "full=reject, style=dashed"));
    free(text);
    weir_pipeline_free(p);
}

/* Latencies that were given are written, without an offset where iterations are rounds. */
TEST(latencies_over_rounds)
{
    char model[1024];
    snprintf(model, sizeof model, "%smeasure: [{from: a, to: b}]\n", drawable);
    struct weir_pipeline *p = read_back(model);
    char *text = write_as(p, WEIR_MODEL_YAML);
    assert_non_null(strstr(text, "measure:\n  - {from: a, to: b}\n"));
    free(text);
    weir_pipeline_free(p);
    check_again(model, WEIR_MODEL_YAML);
}

/* ---- refused ---- */

static void expect_model_refused(const char *model, enum weir_model_format format, const char *word)
{
    struct weir_error error = {0};
    struct weir_pipeline *p = read_back(model);
    assert_false(writes(p, format, &error));
    if (!strstr(error.message, word))
        fail_msg("%s", error.message);
    weir_pipeline_free(p);
}

TEST(formats_say_what_they_cannot_hold)
{
    static const char ends[] =
        "operators: {a: 1, b: {time: 2%s}}\nqueues: [{from: a, to: b%s}]\nsource: {operator: a, period: 9%s}\n";
    static const struct {
        const char *op, *queue, *source, *word;
        bool dot, sdf3, automata; /* held */
    } cases[] = {
        {", gpu: {time: 3, waits: true}", "", "", "GPU", false, true, true},
        {"", ", transfer: 2", "", "messages take time", false, true, true},
        {"", ", consume: 2", "", "several messages at once", true, true, true},
        {"", ", latest: true", "", "not waited for", true, false, false},
        {"", ", optional: true", "", "not waited for", true, false, false},
        {"", ", blocking: false, full: pop", "", "not waited for", true, false, false},
        {"", "", ", arrivals: skip", "ticks", true, false, false},
        {"", "", ", arrivals: catch-up", "ticks", true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[512];
        snprintf(model, sizeof model, ends, cases[i].op, cases[i].queue, cases[i].source);
        struct weir_pipeline *p = read_back(model);
        for (int format = WEIR_MODEL_YAML; format < WEIR_MODEL_FORMATS; format++) {
            bool held = format <= WEIR_MODEL_JSON || (format == WEIR_MODEL_DOT    ? cases[i].dot
                                                      : format == WEIR_MODEL_SDF3 ? cases[i].sdf3
                                                                                  : cases[i].automata);
            if (held)
                assert_true(writes(p, (enum weir_model_format)format, NULL));
            else
                expect_model_refused(model, (enum weir_model_format)format, cases[i].word);
        }
        weir_pipeline_free(p);
    }
}

static const char launches[] = "operators:\n"
                               "  a: [1, 2]\n"
                               "  b: {time: [1, 2], gpu: {time: [5, 9], waits: true, after: [0, 1]}}\n"
                               "  c: {time: 1, gpu: {time: [2, 4]}}\n"
                               "  d: [1, 3]\n"
                               "queues: [a -> b -> c -> d]\n"
                               "measure: [{from: a, to: c}, {from: a, to: d}]\n";

/* What no published method knows is refused by all of them, and so is what only looks like our own. */
TEST(others_refuse)
{
    struct weir_pipeline *p = read_back(launches);
    struct weir_method_result result;
    struct weir_error error;
    for (int method = WEIR_METHOD_EXACT; method < WEIR_METHODS; method++) {
        enum weir_status status = weir_method_run(p, (enum weir_method)method, 0, NULL, &result, &error);
        assert_int_equal(status, method == WEIR_METHOD_EXACT ? WEIR_OK : WEIR_INVALID);
    }
    struct weir_sensitivity *sensitivity;
    assert_int_equal(weir_sensitivity_find(p, 0, NULL, &sensitivity, &error), WEIR_INVALID);
    weir_pipeline_free(p);
    static const char *const shared[] = {
        "platform: {scheduler: greedy}\noperators: {a: 1, b: 2}\nqueues: [{from: a, to: b, transfer: 2}]\n",
        "platform: {scheduler: event-based, workers: 1}\noperators: {a: 1, b: {time: 2, gpu: {time: 2}}}\nqueues: [a -> b]\n",
        "platform: {scheduler: greedy}\noperators: {a: 1, b: {time: 2, gpu: {time: 2}}}\nqueues: [a -> b]\n",
    };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        struct weir_workers_analysis *analysis;
        p = read_back(shared[i]);
        assert_int_equal(weir_workers_analyze(p, NULL, &analysis, &error), WEIR_INVALID);
        assert_null(analysis);
        weir_pipeline_free(p);
    }
}

/* What is not waited for on few workers is answered: with one worker each wait is for one execution of the other. */
TEST(others_answer)
{
    static const char *const shared[] = {
        "platform: {scheduler: event-based, workers: 1}\noperators: {a: 1, b: 2}\nqueues: [{from: a, to: b, latest: true}]\n",
        "platform: {scheduler: greedy}\noperators: {a: 1}\nsource: {operator: a, period: 4, arrivals: skip}\n",
    };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        struct weir_workers_analysis *analysis;
        struct weir_error error;
        struct weir_pipeline *p = read_back(shared[i]);
        assert_int_equal(weir_workers_analyze(p, NULL, &analysis, &error), WEIR_OK);
        assert_int_equal(analysis->latencies[0].outcome, WEIR_WORKERS_SAFE);
        assert_true(analysis->latencies[0].worst >= 1 && analysis->latencies[0].best <= analysis->latencies[0].worst);
        weir_workers_analysis_free(analysis);
        weir_pipeline_free(p);
    }
}

/* As a graph of actors, the launches have the same worst case. */
TEST(launches_as_actors)
{
    struct weir_pipeline *p = read_back(launches);
    char *text = write_as(p, WEIR_MODEL_SDF3);
    struct weir_pipeline *q = read_back(text);
    struct weir_analyze_options options = {.verify = true};
    struct weir_analysis *one, *two;
    assert_int_equal(weir_analyze(p, &options, &one, NULL), WEIR_OK);
    assert_int_equal(weir_analyze(q, &options, &two, NULL), WEIR_OK);
    assert_int_equal(one->latency_count, two->latency_count);
    for (size_t i = 0; i < one->latency_count; i++)
        assert_int_equal(one->latencies[i].worst.value, two->latencies[i].worst.value);
    weir_analysis_free(one);
    weir_analysis_free(two);
    weir_pipeline_free(p);
    weir_pipeline_free(q);
    free(text);
}

/* ---- shown ---- */

static char *as_json(const struct weir_answer *answer)
{
    char *text;
    STAGE_WRITTEN(text, weir_answer_write_json(answer, out, NULL));
    return text;
}

TEST(answers_name_turns_and_parts)
{
    static const char model[] = "operators:\n"
                                "  a: {time: [1, 2], observed: {count: 40, min: 1, max: 2, from: flow.log}}\n"
                                "  b: {time: 2, gpu: {time: 9, waits: true, after: 1}, observed: {max: 2, from: jobs.json}}\n"
                                "  c: 1\n"
                                "queues: [{from: a, to: b, consume: 3}, {from: b, to: c, transfer: 4}]\n";
    static const char *const words[] = {
        "\"observed\": [",
        "{\"operator\": \"a\", \"count\": 40, \"min\": 1, \"max\": 2, \"from\": \"flow.log\"}",
        "{\"operator\": \"b\", \"count\": null, \"min\": null, \"max\": 2, \"from\": \"jobs.json\"}",
        "\"turn\": 0,\n",
        "{\"operator\": \"a\", \"iteration\": 0, \"turn\": 2, \"time\": 2,",
        "\"part\": \"gpu\"}",
        "\"part\": \"after\"}",
        "\"from\": \"b\", \"time\": 4, \"wait\": \"data\", \"counts\": true, \"part\": \"transfer\"}",
    };
    struct weir_pipeline *p = read_back(model);
    struct weir_answer *answer;
    struct weir_answer_options options = {.verify = true};
    assert_int_equal(weir_answer_find(p, &options, &answer, NULL), WEIR_OK);
    char *text = as_json(answer);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i]))
            fail_msg("no %s in\n%s", words[i], text);
    free(text);
    weir_answer_free(answer);
    weir_pipeline_free(p);
}

/* The picture of a batch: three messages come in one by one, and leave at once. */
TEST(levels_of_a_batch)
{
    struct weir_pipeline *p = read_back("operators: {a: 2, b: 5}\nqueues: [{from: a, to: b, consume: 3, capacity: 6}]\n");
    struct weir_analysis *analysis;
    struct weir_schedule h;
    struct weir_schedule_level *levels;
    size_t count;
    int64_t most = 0;
    assert_int_equal(weir_analyze(p, NULL, &analysis, NULL), WEIR_OK);
    assert_int_equal(weir_schedule_of_witness(p, analysis->latencies[0].witness, &h, NULL), WEIR_OK);
    assert_int_equal(weir_schedule_levels(&h, (struct weir_queue){0}, &levels, &count, NULL), WEIR_OK);
    for (size_t i = 0; i < count; i++) {
        assert_in_range(levels[i].messages, 0, 6);
        most = levels[i].messages > most ? levels[i].messages : most;
        if (i && levels[i].messages < levels[i - 1].messages)
            assert_in_range(levels[i - 1].messages - levels[i].messages, 2, 3); /* one may come as they leave */
    }
    assert_true(most >= 2);
    weir_free(levels);
    weir_schedule_free(&h);
    weir_analysis_free(analysis);
    weir_pipeline_free(p);
}

/* From 0 on, below `end`. */
static int64_t draw(struct weir_random *r, int64_t end)
{
    return weir_random_between(r, 0, end - 1);
}

/* A chain of operators with a bit of everything that is exact. */
static struct weir_pipeline *random_chain(struct weir_random *r)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator before = {0};
    uint32_t count = 2 + (uint32_t)draw(r, 4);
    assert_non_null(p);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_launch launch = {.best = draw(r, 5), .waits = draw(r, 2)};
        launch.worst = launch.best + draw(r, 5);
        launch.after_worst = launch.waits ? draw(r, 3) : 0;
        struct weir_operator_spec spec = {.name = names[i], .best = draw(r, 5)};
        spec.worst = spec.best + draw(r, 6);
        spec.receive_max = draw(r, 4) ? 0 : spec.worst;
        spec.launch = draw(r, 3) ? NULL : &launch;
        struct weir_operator op;
        assert_int_equal(weir_pipeline_add_operator(p, &spec, &op, NULL), WEIR_OK);
        struct weir_queue_spec q = {.from = before, .to = op, .consume = draw(r, 3) ? 0 : 2};
        q.capacity = (q.consume ? 2 : 1) + (uint32_t)draw(r, 3);
        q.transfer_min = draw(r, 3) ? 0 : draw(r, 3);
        q.transfer_max = q.transfer_min ? q.transfer_min + draw(r, 3) : 0;
        if (i)
            assert_int_equal(weir_pipeline_add_queue(p, &q, NULL, NULL), WEIR_OK);
        before = op;
    }
    static const enum weir_arrivals kinds[] = {WEIR_ARRIVALS_AT_MOST, WEIR_ARRIVALS_CATCH_UP, WEIR_ARRIVALS_EXACT};
    struct weir_source_spec source = {.period = 20 + draw(r, 20), .arrivals = kinds[draw(r, 3)]};
    if (draw(r, 2))
        assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

static void check_schedule(const struct weir_pipeline *p, const struct weir_latency *latency)
{
    struct weir_schedule h;
    assert_int_equal(weir_schedule_of_witness(p, latency->witness, &h, NULL), WEIR_OK);
    assert_int_equal(h.to - h.from, latency->worst.value);
    assert_true(h.step_count > 0);
    assert_int_equal(h.steps[h.step_count - 1].end, h.to);
    for (size_t i = 1; i < h.step_count; i++)
        assert_true(h.steps[i].start >= h.steps[i - 1].end);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_schedule_level *levels;
        size_t count;
        uint32_t capacity = weir_pipeline_queue(p, (struct weir_queue){i}).capacity;
        assert_int_equal(weir_schedule_levels(&h, (struct weir_queue){i}, &levels, &count, NULL), WEIR_OK);
        for (size_t k = 0; k < count; k++)
            if (levels[k].time < h.end && (levels[k].messages < 0 || levels[k].messages > capacity))
                fail_msg("%lld messages in a queue of %u", (long long)levels[k].messages, capacity);
        weir_free(levels);
    }
    weir_schedule_free(&h);
}

TEST(pictures_of_many)
{
    struct weir_random r;
    weir_random_seed(&r, 20);
    size_t shown = 0;
    for (int i = 0; i < 400; i++) {
        struct weir_pipeline *p = random_chain(&r);
        struct weir_analysis *analysis;
        struct weir_analyze_options options = {.verify = true};
        assert_int_equal(weir_analyze(p, &options, &analysis, NULL), WEIR_OK);
        FILE *out = fopen("/dev/null", "w");
        for (size_t k = 0; k < analysis->latency_count; k++) {
            if (!analysis->latencies[k].witness)
                continue;
            check_schedule(p, &analysis->latencies[k]);
            assert_int_equal(draw_latency(analysis, k, out, NULL), WEIR_OK);
            assert_int_equal(trace_latency(analysis, k, out, NULL), WEIR_OK);
            shown++;
        }
        fclose(out);
        weir_analysis_free(analysis);
        weir_pipeline_free(p);
    }
    assert_true(shown > 200);
}

/* What a simulation is traced as: every execution of each round; where a connection is cut, those that were asked for. */
TEST(traces_of_rounds)
{
    static const struct {
        const char *model;
        size_t slices, flows;
    } cases[] = {
        {"operators: {a: 2, b: 5}\nqueues: [{from: a, to: b, consume: 3, capacity: 6}]\n", 40, 30},
        {"operators: {a: 2, b: 5}\nqueues: [{from: a, to: b, transfer: 4}]\n", 20, 10},
        {"operators: {a: 2, b: 5}\nqueues: [{from: a, to: b, latest: true}]\n", 20, 0},
        {"operators: {a: {time: 1, gpu: {time: 3}}, b: 1}\nqueues: [a -> b]\n", 20, 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_pipeline *p = read_back(cases[i].model);
        struct weir_simulation_options options = {.iterations = 10, .times = WEIR_TIMES_WORST};
        char *text = NULL;
        size_t bytes, slices = 0, flows = 0;
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(trace_simulation(p, &options, out, NULL), WEIR_OK);
        fclose(out);
        for (const char *at = text; (at = strstr(at, "\"ph\": \"X\"")); at++)
            slices++;
        for (const char *at = text; (at = strstr(at, "\"cat\": \"data\"")); at++)
            flows++;
        assert_int_equal(slices, cases[i].slices);
        assert_int_equal(flows, 2 * cases[i].flows); /* both ends */
        free(text);
        weir_pipeline_free(p);
    }
}
