/* SPDX-License-Identifier: Apache-2.0 */
/* What a YAML model says of shared processors. What it must not say is in tests/bad. */
#include "reading.h"
#include "support/runner.h"

#include <stdlib.h>

static struct weir_processor_spec processor(const struct weir_pipeline *p, uint32_t number, const char *name)
{
    assert_true(number < weir_pipeline_processor_count(p));
    struct weir_processor_spec spec = weir_pipeline_processor(p, (struct weir_processor){number});
    assert_string_equal(spec.name, name);
    return spec;
}

TEST(a_whole_model)
{
    struct weir_pipeline *p = reading("platform: {scheduler: fixed-priority, preemptive: true, latency-limit: 500}\n"
                                      "processors:\n"
                                      "  dsp0: {preemptive: false}\n"
                                      "  dsp1: {scheduler: tdm, frame: 10, slot: 1.5}\n"
                                      "  dsp2: {scheduler: round-robin, slot: 2}\n"
                                      "  dsp3:\n"
                                      "operators:\n"
                                      "  fft: {time: [6, 8], on: dsp0, priority: 2}\n"
                                      "  eq:  {time: 3, on: dsp1, slot: 4}\n"
                                      "  x:   {time: 3}\n"
                                      "  y:   {time: 3, on: dsp2}\n"
                                      "  z:   {time: 3, on: dsp1}\n"
                                      "  q:   {time: 3, on: dsp3, priority: -2147483648}\n"
                                      "queue: auto\n"
                                      "queues:\n"
                                      "  - fft -> [eq, x]\n"
                                      "  - {from: x, to: fft, capacity: 3, initial: 1}\n"
                                      "  - {from: eq, to: fft, capacity: auto, initial: 5, blocking: false}\n"
                                      "source: {operator: fft, period: 12.5, jitter: 25, arrivals: exact}\n"
                                      "sources:\n"
                                      "  - {name: control, operators: [y, z], period: 10, jitter: 3, phase: unknown}\n"
                                      "  - {operators: [q], period: 7, phase: 0, sporadic: true}\n",
                                      NULL);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_PROCESSORS);
    assert_int_equal(weir_pipeline_digits(p), 1);
    assert_int_equal(weir_pipeline_latency_limit(p), 5000);
    assert_int_equal(weir_pipeline_processor_count(p), 4);
    assert_int_equal(processor(p, 0, "dsp0").sharing, WEIR_NONPREEMPTIVE);
    assert_int_equal(processor(p, 1, "dsp1").sharing, WEIR_TDM);
    assert_int_equal(processor(p, 1, "dsp1").frame, 100);
    assert_int_equal(processor(p, 2, "dsp2").sharing, WEIR_ROUND_ROBIN);
    assert_int_equal(processor(p, 3, "dsp3").sharing, WEIR_PREEMPTIVE);
    assert_int_equal(processor(p, 3, "dsp3").place.line, 6);

    struct weir_operator_spec o = operator_named(p, "fft");
    assert_true(o.mapped && o.has_priority && o.on.index == 0 && o.priority == 2 && o.slot == 0);
    o = operator_named(p, "eq");
    assert_true(o.mapped && !o.has_priority && o.on.index == 1 && o.slot == 40);
    o = operator_named(p, "x");
    assert_true(!o.mapped && !o.has_priority && o.slot == 0);
    assert_int_equal(operator_named(p, "y").slot, 20); /* the processor's */
    assert_int_equal(operator_named(p, "z").slot, 15);
    assert_int_equal(operator_named(p, "q").priority, INT32_MIN);

    assert_int_equal(weir_pipeline_operator_count(p), 6); /* nothing is inserted for [eq, x] */
    assert_int_equal(assert_queue(p, 0, "fft", "eq").capacity, WEIR_AUTO);
    assert_int_equal(assert_queue(p, 1, "fft", "x").capacity, WEIR_AUTO);
    assert_int_equal(assert_queue(p, 2, "x", "fft").capacity, 3);
    assert_int_equal(assert_queue(p, 3, "eq", "fft").capacity, WEIR_AUTO);
    assert_true(assert_queue(p, 3, "eq", "fft").nonblocking);

    assert_int_equal(weir_pipeline_source_count(p), 4);
    struct weir_source_spec s = weir_pipeline_source(p, 0);
    assert_null(s.name);
    assert_true(s.period == 125 && s.jitter == 250 && !s.sporadic && !s.has_phase);
    assert_int_equal(s.arrivals, WEIR_ARRIVALS_EXACT);
    for (uint32_t i = 1; i < 3; i++) {
        s = weir_pipeline_source(p, i);
        assert_string_equal(s.name, "control");
        assert_true(s.period == 100 && s.jitter == 30 && !s.sporadic && !s.has_phase);
    }
    assert_int_equal(s.op.index, 4);
    assert_int_equal(s.place.line, 21);
    assert_int_equal(s.place.column, 36);
    s = weir_pipeline_source(p, 3);
    assert_true(!s.name && s.sporadic && s.has_phase && s.phase == 0);
    weir_pipeline_free(p);
}

/* Any of the three makes it a model of shared processors. */
TEST(the_platform_is_implied)
{
    static const char *const models[] = {
        "platform: {scheduler: fixed-priority}\noperators: {a: 1}\nsource: {operator: a, period: 2}\n",
        "processors: [cpu]\noperators: {a: 1}\nsource: {operator: a, period: 2}\n",
        "processors: {}\noperators: {a: 1}\nsource: {operator: a, period: 2}\n",
        "operators: {b: 1, a: {time: 1, on: cpu}}\nsources: [{operator: a, period: 2}, {operator: b, period: 2}]\n",
        "platform: {preemptive: false}\noperators: {a: {time: 1, on: cpu}}\nsource: {operator: a, period: 2}\n",
        "platform:\noperators: {a: {time: 1, on: cpu}}\nsource: {operator: a, period: 2}\n",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct weir_pipeline *p = reading(models[i], NULL);
        assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_PROCESSORS);
        weir_pipeline_free(p);
    }
    struct weir_pipeline *p = reading("platform:\nprocessors:\noperators: {a: 1, on: 2}\nqueues: [a -> on]\n", NULL);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_THREADS); /* an operator may be named so */
    weir_pipeline_free(p);
}

/* What the platform says counts where a processor says nothing. */
TEST(schedulers_are_inherited)
{
    struct weir_pipeline *p =
        reading("platform: {scheduler: Fixed-Priority, preemptive: no}\n"
                "processors: {a: , b: {preemptive: true}, c: {scheduler: fixed-priority}, d: {scheduler: TDM, frame: 5}}\n"
                "operators: {o: 1}\n"
                "source: {operator: o, period: 5}\n",
                NULL);
    static const enum weir_sharing first[] = {WEIR_NONPREEMPTIVE, WEIR_PREEMPTIVE, WEIR_NONPREEMPTIVE, WEIR_TDM};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(weir_pipeline_processor(p, (struct weir_processor){i}).sharing, first[i]);
    weir_pipeline_free(p);

    p = reading("platform: {scheduler: round-robin}\n"
                "processors: {a: {}, b: {scheduler: fixed-priority}, c: {scheduler: fixed-priority, preemptive: false}}\n"
                "operators: {o: 1}\n"
                "source: {operator: o, period: 5}\n",
                NULL);
    static const enum weir_sharing second[] = {WEIR_ROUND_ROBIN, WEIR_PREEMPTIVE, WEIR_NONPREEMPTIVE};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(weir_pipeline_processor(p, (struct weir_processor){i}).sharing, second[i]);
    weir_pipeline_free(p);

    p = reading("platform: {scheduler: round-robin}\n"
                "operators: {o: {time: 1, on: b, slot: 3}, q: {time: 1, on: a, slot: 2}, r: {time: 1, on: b, slot: 1}}\n"
                "queues: [o -> q -> r]\n"
                "source: {operator: o, period: 5}\n",
                NULL);
    assert_int_equal(processor(p, 0, "b").sharing, WEIR_ROUND_ROBIN); /* in the order of their first use */
    assert_int_equal(processor(p, 1, "a").sharing, WEIR_ROUND_ROBIN);
    assert_int_equal(operator_named(p, "r").on.index, 0);
    assert_int_equal(processor(p, 0, "b").place.line, 2);
    assert_int_equal(processor(p, 0, "b").place.column, 30);
    weir_pipeline_free(p);
}

TEST(json)
{
    struct weir_pipeline *p =
        reading("{\"platform\": {\"scheduler\": \"fixed-priority\", \"preemptive\": false, \"latency-limit\": \"5ms\"},\n"
                " \"unit\": \"us\", \"queue\": \"auto\", \"operators\": {\"a\": {\"time\": 1, \"on\": \"cpu\", \"priority\": 1},\n"
                " \"b\": {\"time\": 1, \"on\": \"cpu\", \"priority\": 2}}, \"queues\": [\"a -> b\",\n"
                " {\"from\": \"b\", \"to\": \"a\", \"capacity\": \"auto\", \"initial\": 1}],\n"
                " \"sources\": [{\"operator\": \"a\", \"period\": 9, \"phase\": \"unknown\", \"sporadic\": true}]}",
                NULL);
    assert_int_equal(weir_pipeline_latency_limit(p), 5000);
    assert_int_equal(assert_queue(p, 0, "a", "b").capacity, WEIR_AUTO);
    assert_int_equal(assert_queue(p, 1, "b", "a").capacity, WEIR_AUTO);
    assert_true(weir_pipeline_source(p, 0).sporadic);
    weir_pipeline_free(p);
}

/* All times take part in the choice of the tick. */
TEST(ticks)
{
    static const char *const format = "unit: us\n"
                                      "platform: {scheduler: tdm, latency-limit: %s}\n"
                                      "processors: {cpu: {frame: %s, slot: %s}}\n"
                                      "operators: {a: {time: 1, on: cpu, slot: %s}, b: {time: 1, on: cpu}}\n"
                                      "queues: [a -> b]\n"
                                      "source: {operator: a, period: 5, jitter: %s, phase: %s}\n";
    for (int fine = 0; fine < 7; fine++) { /* at last none of them is */
        const char *times[] = {"2", "0.004ms", "2", "2", "2", "2", "2"};
        char text[512];
        times[fine] = fine == 1 ? "4001ns" : "1999ns";
        snprintf(text, sizeof text, format, times[0], times[1], times[2], times[3], times[4], times[5]);
        struct weir_pipeline *p = reading(text, NULL);
        assert_int_equal(weir_pipeline_digits(p), fine < 6 ? 3 : 0);
        weir_pipeline_free(p);
    }
}

/* Names that are given to sources that feed several operators and have none. */
TEST(names_of_sources)
{
    struct weir_pipeline *p = reading("platform: {scheduler: fixed-priority}\n"
                                      "operators: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1}\n"
                                      "sources:\n"
                                      "  - {operators: [a, b], period: 5}\n"
                                      "  - {operators: [c], period: 5}\n"
                                      "  - {name: source, operator: d, period: 5}\n"
                                      "  - {operators: [e, f], period: 6}\n"
                                      "  - {name: source 3, operators: [g, h], period: 6}\n",
                                      NULL);
    static const char *const names[] = {"source 2", "source 2", NULL, "source", "source 4", "source 4", "source 3", "source 3"};
    for (uint32_t i = 0; i < 8; i++) {
        const char *name = weir_pipeline_source(p, i).name;
        assert_int_equal(name != NULL, names[i] != NULL);
        if (name)
            assert_string_equal(name, names[i]);
    }
    weir_pipeline_free(p);
}

TEST(options)
{
    static const char text[] = "queue: auto\n"
                               "operators: {a: {time: 1, on: cpu}, b: 2, c: 3}\n"
                               "queues: [a -> b, {from: b, to: c, capacity: 5}]\n"
                               "source: {operator: a, period: 9}\n";
    static const struct {
        struct weir_read_options options;
        uint32_t first, second;
    } cases[] = {{{0}, WEIR_AUTO, 5},
                 {{.queue = 2}, 2, 5},
                 {{.queue = 2, .force_queue = true}, 2, 2},
                 {{.queue = WEIR_AUTO, .force_queue = true}, WEIR_AUTO, WEIR_AUTO}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_capacities(text, &cases[i].options, cases[i].first, cases[i].second);
}

/* One more processor than there can be is told once, and operators on it are no mistakes of their own. */
TEST(too_many_processors)
{
    enum { COUNT = 4200 };
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fputs("operators:\n", out);
    for (int i = 0; i < COUNT; i++)
        fprintf(out, "  o%d: {time: 1, on: p%d}\n", i, i);
    fputs("source: {operator: o0, period: 9}\n", out);
    fclose(out);
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p;
    assert_int_equal(weir_read_memory(text, bytes, "model", NULL, &p, errors), WEIR_INVALID);
    size_t told = 0;
    for (size_t i = 0; i < weir_errors_count(errors); i++)
        told += strcmp(weir_errors_at(errors, i)->message, "too many processors: 4096 is the most") == 0;
    assert_int_equal(told, 1);
    weir_errors_free(errors);
    free(text);
}
