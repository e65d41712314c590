/* SPDX-License-Identifier: Apache-2.0 */
/* Written models: their text, and that they read back as the same pipeline. */
#include "base/random.h"
#include "support/again.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Something of everything. */
static struct weir_pipeline *rich(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_name(p, "a rich one: #1", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_MS, 3, NULL), WEIR_OK);
    struct weir_operator camera = stage_operator(p, "camera", 4250, 33300), on = stage_operator(p, "on", 7000, 7000), sink;
    struct weir_operator_spec spec = {.name = "sink \"1\"", .worst = 9000, .receive_min = 0, .receive_max = 500};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &sink, NULL), WEIR_OK);
    stage_queue(p, camera, on, 2, 0);
    stage_queue(p, on, sink, WEIR_UNBOUNDED, 0);
    struct weir_queue_spec back = {.from = sink, .to = camera, .capacity = 4, .initial = 3, .nonblocking = true};
    assert_int_equal(weir_pipeline_add_queue(p, &back, NULL, NULL), WEIR_OK);
    stage_period(p, camera, 40000, WEIR_ARRIVALS_EXACT);
    stage_deadline(p, camera.index, sink.index, 99500);
    struct weir_chain_spec chain = {.from = on, .to = camera, .has_shift = true, .shift = 5};
    assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

TEST(yaml_text)
{
    expect_text(rich(), WEIR_MODEL_YAML,
                "weir: 1\n"
                "name: \"a rich one: #1\"\n"
                "unit: ms\n"
                "operators:\n"
                "  camera: {time: [4.25, 33.3]}\n"
                "  \"on\": {time: 7}\n"
                "  \"sink \\\"1\\\"\": {time: [0, 9], receive: [0, 0.5]}\n"
                "queues:\n"
                "  - {from: camera, to: \"on\", capacity: 2}\n"
                "  - {from: \"on\", to: \"sink \\\"1\\\"\", capacity: unbounded}\n"
                "  - {from: \"sink \\\"1\\\"\", to: camera, capacity: 4, initial: 3, blocking: false}\n"
                "sources:\n"
                "  - {operator: camera, period: 40, arrivals: exact}\n"
                "measure:\n"
                "  - {from: \"on\", to: camera, offset: 5}\n"
                "deadlines:\n"
                "  - {from: camera, to: \"sink \\\"1\\\"\", within: 99.5}\n");
}

TEST(dot_text)
{
    expect_text(rich(), WEIR_MODEL_DOT,
                "digraph \"a rich one: #1\" {\n"
                "    unit=ms;\n    ports=separate;\n"
                "    // not in this file: when operators call receive()\n"
                "    // not in this file: the latencies to measure and their deadlines\n"
                "    \"camera\" [BCET=4.25, WCET=33.3, period=40, arrivals=exact];\n"
                "    \"on\" [BCET=7, WCET=7];\n"
                "    \"sink \\\"1\\\"\" [BCET=0, WCET=9];\n"
                "    \"camera\" -> \"on\" [queue=2];\n"
                "    \"on\" -> \"sink \\\"1\\\"\" [queue=unbounded];\n"
                "    \"sink \\\"1\\\"\" -> \"camera\" [queue=4, initial=3, blocking=false];\n"
                "}\n");
}

/* ---- names ---- */

TEST(names)
{
    static const char *const list[] = {"plain",
                                       "true",
                                       "No",
                                       "NULL",
                                       "~",
                                       "1",
                                       "-",
                                       "->",
                                       "a -> b",
                                       " led and trailed ",
                                       "1e3",
                                       "0x10",
                                       "5ms",
                                       "[x]",
                                       "{y}",
                                       "a: b",
                                       "a #b",
                                       "#",
                                       "!",
                                       "&a",
                                       "*a",
                                       "?",
                                       "? a",
                                       "'",
                                       "\"",
                                       "\\",
                                       "a\\b",
                                       "a,b",
                                       "%",
                                       "@",
                                       "`",
                                       "|",
                                       ">",
                                       "---",
                                       "...",
                                       "<<",
                                       "caf\xc3\xa9",
                                       "\xe2\x80\xa8line separator",
                                       "\xc2\x85next line",
                                       "\xef\xbb\xbfmark",
                                       "\xf0\x9f\x8e\x9e",
                                       "digraph",
                                       "node",
                                       "\\n"};
    char longest[2001];
    memset(longest, 'x', sizeof longest - 1); /* longer than a simple key of YAML may be */
    longest[sizeof longest - 1] = 0;
    for (int dot = 0; dot < 2; dot++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator previous = stage_operator(p, longest, 1, 2);
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
            if (dot && strcmp(list[i], "\\") == 0) /* the one that DOT has no way to write */
                continue;
            struct weir_operator op = stage_operator(p, list[i], 1, 2);
            stage_queue(p, previous, op, 1, 0);
            previous = op;
        }
        stage_seal(p);
        expect_returns(p, dot ? WEIR_MODEL_DOT : WEIR_MODEL_YAML);
        weir_pipeline_free(p);
    }
}

static struct weir_pipeline *named(const char *name)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, name, 1, 2);
    stage_seal(p);
    return p;
}

/* A file that would read back as something else is worse than none. */
TEST(names_that_cannot_be_written)
{
    expect_refusal(named("caf\xe9"), WEIR_MODEL_YAML, "not UTF-8");
    expect_refusal(named("a\nb"), WEIR_MODEL_YAML, "not UTF-8 text");
    expect_refusal(named("caf\xe9"), WEIR_MODEL_DOT, "not UTF-8");
    expect_refusal(named("end\\"), WEIR_MODEL_DOT, "backslash");
    expect_refusal(named("a\\\"b"), WEIR_MODEL_DOT, "backslash");
}

/* ---- many ---- */

static int64_t some(struct weir_random *random, int64_t most)
{
    return weir_random_between(random, 0, most);
}

static struct weir_pipeline *any_pipeline(struct weir_random *random)
{
    static const enum weir_unit units[] = {WEIR_UNIT_TICK, WEIR_UNIT_NS, WEIR_UNIT_US, WEIR_UNIT_MS, WEIR_UNIT_S};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_unit(p, units[some(random, 4)], (unsigned)some(random, 5), NULL);
    uint32_t count = (uint32_t)weir_random_between(random, 1, 6);
    struct weir_operator ops[6];
    for (uint32_t i = 0; i < count; i++) {
        char name[8] = {(char)('a' + i), 0};
        struct weir_operator_spec spec = {.name = name, .best = some(random, 1000)};
        spec.worst = spec.best + some(random, 1) * some(random, 1000);
        if (some(random, 3) == 0 && spec.worst > 0) {
            spec.receive_max = weir_random_between(random, 1, spec.worst);
            spec.receive_min = some(random, spec.receive_max);
            spec.reentrant = spec.receive_min % 2;
        }
        assert_int_equal(weir_pipeline_add_operator(p, &spec, &ops[i], NULL), WEIR_OK);
    }
    for (uint32_t to = 1; to < count; to++)
        for (uint32_t from = 0; from < to; from++) {
            bool last = from + 1 == to && some(random, 5);
            struct weir_queue_spec spec = {.from = ops[from], .to = ops[to], .capacity = (uint32_t)some(random, 3) + 1};
            spec.initial = some(random, 3) == 0 ? (uint32_t)some(random, spec.capacity) : 0;
            spec.nonblocking = some(random, 3) == 0;
            if (some(random, 5) == 0)
                spec.capacity = WEIR_UNBOUNDED;
            if (last || some(random, 2) == 0)
                assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
        }
    for (uint32_t i = 0; i < count; i++)
        if (some(random, 4) == 0)
            stage_period(p, ops[i], 1 + some(random, 5000), some(random, 1) ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST);
    add_any_chains(p, random, count, 3);
    return p;
}

TEST(any)
{
    expect_any_return(any_pipeline, 7, 3000, WEIR_MODEL_YAML, WEIR_MODEL_DOT);
}

/* The pairs that weir chooses are not written, so that a file stays as short as its model. */
TEST(usual_chains)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator ops[4];
    for (int i = 0; i < 4; i++)
        ops[i] = stage_operator(p, (const char[]){(char)('a' + i), 0}, 1, 2);
    stage_queue(p, ops[0], ops[2], 2, 1);
    stage_queue(p, ops[0], ops[3], 1, 0);
    stage_queue(p, ops[1], ops[3], 1, 0);
    stage_seal(p);
    assert_int_equal(weir_pipeline_chain_count(p), 3);
    char *text = write_as(p, WEIR_MODEL_YAML);
    assert_null(strstr(text, "measure"));
    free(text);
    text = write_as(p, WEIR_MODEL_DOT);
    assert_null(strstr(text, "not in this file"));
    free(text);
    weir_pipeline_free(p);
}

TEST(out_of_memory)
{
    expect_memory_refused(rich(), WEIR_MODEL_YAML);
    expect_memory_refused(rich(), WEIR_MODEL_DOT);
}
