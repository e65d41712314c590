/* SPDX-License-Identifier: Apache-2.0 */
/* Ten megabytes of this and that: each is answered soon, and with memory in proportion. */
#include "support/runner.h"

#include "base/random.h"
#include "weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <yaml.h>

#define BYTES ((size_t)10 << 20)
#define MEMORY_MAX ((size_t)100 * BYTES) /* of the library; libyaml's own is not counted */

/* Processor seconds; a second is what it should take, the rest is for slow machines. */
#define SECONDS_MAX (4 * WEIR_SLOWDOWN)

/* Where a machine needs longer, reading may take so many times what libyaml alone takes for a plain list of the same size. */
#define LIST_TIMES_MAX 8

/* ---- text of a given size ---- */

struct text {
    char *bytes;
    size_t size, room;
};

static void put(struct text *t, const char *piece)
{
    size_t length = strlen(piece);
    assert_true(t->size + length <= t->room);
    memcpy(t->bytes + t->size, piece, length);
    t->size += length;
}

/* Pieces until the text is as large as it shall be. */
static void fill(struct text *t, const char *piece)
{
    while (t->size < BYTES)
        put(t, piece);
}

static struct text begin(const char *head)
{
    struct text t = {malloc(BYTES + 4096), 0, BYTES + 4096};
    assert_non_null(t.bytes);
    put(&t, head);
    return t;
}

/* ---- reading it ---- */

struct meter {
    size_t now, most;
};

static void *meter_resize(void *context, void *old, size_t bytes)
{
    struct meter *meter = context;
    size_t *block = old ? (size_t *)old - 2 : NULL; /* two words, to keep the alignment */
    if (block)
        meter->now -= *block;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, bytes + 2 * sizeof *block);
    if (!block)
        return NULL;
    *block = bytes;
    meter->now += bytes;
    meter->most = meter->now > meter->most ? meter->now : meter->most;
    return block + 2;
}

/* Processor seconds of libyaml alone for a plain list: how fast this machine is just now. */
static double time_list(void)
{
    struct text t = begin("");
    fill(&t, "- a\n");
    yaml_parser_t parser;
    yaml_event_t event;
    clock_t start = clock();
    assert_true(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)t.bytes, t.size);
    for (bool done = false; !done;) {
        assert_true(yaml_parser_parse(&parser, &event));
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    free(t.bytes);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The message of the first mistake, or "" when there is none. The text is freed. */
static char *read_text(struct text *t)
{
    struct meter meter = {0, 0};
    weir_set_allocator(&(struct weir_allocator){meter_resize, &meter});
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    clock_t start = clock();
    enum weir_status status = weir_read_memory(t->bytes, t->size, "big", NULL, &pipeline, errors);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(status == WEIR_OK, pipeline != NULL);
    assert_int_equal(status == WEIR_OK, weir_errors_count(errors) == 0);
    assert_true(weir_errors_count(errors) <= 100);
    static char first[sizeof((struct weir_error *)0)->message];
    snprintf(first, sizeof first, "%s", status ? weir_errors_at(errors, 0)->message : "");
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    weir_set_allocator(NULL);
    bool slow = seconds > SECONDS_MAX && seconds > LIST_TIMES_MAX * time_list();
    free(t->bytes);
    assert_int_equal(meter.now, 0);
    if (slow || meter.most > MEMORY_MAX)
        fail_msg("%.1f s and %zu MiB", seconds, meter.most >> 20);
    return first;
}

/* ---- garbage ---- */

static void random_bytes(void **state)
{
    (void)state;
    struct text t = begin("");
    struct weir_random random;
    weir_random_seed(&random, 1);
    while (t.size < BYTES)
        t.bytes[t.size++] = (char)weir_random_between(&random, 0, 255);
    assert_non_null(strstr(read_text(&t), "this is not"));
}

static void random_letters(void **state)
{
    (void)state;
    struct text t = begin("a");
    struct weir_random random;
    weir_random_seed(&random, 2);
    while (t.size < BYTES)
        t.bytes[t.size++] = (char)weir_random_between(&random, 0x20, 0x7e);
    assert_string_not_equal(read_text(&t), "");
}

static void random_letters_in_a_graph(void **state)
{
    (void)state;
    struct text t = begin("digraph {");
    struct weir_random random;
    weir_random_seed(&random, 3);
    while (t.size < BYTES)
        t.bytes[t.size++] = (char)weir_random_between(&random, 0x20, 0x7e);
    assert_string_not_equal(read_text(&t), "");
}

/* Pieces over and over, and a part of the first message; "" when they make a valid model. */
struct repeated {
    const char *head, *piece, *tail, *message;
};

static void repeated_pieces(void **state)
{
    const struct repeated *r = *state;
    struct text t = begin(r->head);
    fill(&t, r->piece);
    put(&t, r->tail);
    char *found = read_text(&t);
    if (*r->message ? !strstr(found, r->message) : *found)
        fail_msg("expected: %s\nfound: %s", r->message, found);
}

#define OPERATORS "operators: {a: 1, b: [2, 3], c: 4}\n"
#define NODES "digraph { a [WCET=1]; b [WCET=3]; c [WCET=4]; a -> b -> c;\n"

static const struct repeated repetitions[] = {
    /* valid */
    {OPERATORS "queues:\n", "  - a -> b\n  - {from: b, to: c, capacity: 2}\n", "", ""},
    {OPERATORS "queues: [", "a -> b, {from: b, to: c, capacity: 2}, ", "]\n", ""},
    {OPERATORS "queues: ['a -> b", " -> c', 'a -> b", " -> c']\n", ""},
    {OPERATORS "queues:\n", "  - a -> [b, c]\n", "", ""},
    {OPERATORS "queues:\n  - a -> [b", ", c", "]\n", ""},
    {"# comment\n", "# comment, comment, comment\n", OPERATORS "queues: [a -> b, b -> c]\n", ""},
    {NODES, "a -> b [queue=2]; b -> c;\n", "}", ""},
    {NODES, "a -> b [queue=2]; b -> c; ", "}", ""},
    {NODES "a -> b", "; a -> b", "; \"\xc3\xa4\" [WCET=2]; \"\xc3\xa4\" -> c }", ""},
    {NODES "a", " -> b; a", " -> c }", ""},
    {"strict " NODES, "a -> b [queue=2]; b -> c;\n", "}", ""},
    {NODES, "subgraph { a -> b } subgraph x { b -> c }\n", "}", ""},
    {NODES "a [label=\"", "x\" + \"y", "\"]; }", ""},
    {NODES "a [label=<", "<b>x</b>", ">]; }", ""},
    {NODES "/*", " comment\n", "*/ }", ""},
    {NODES "a [", "color=red, ", "]; }", ""},
    /* one line of letters */
    {"", "a", "", "this is neither a model"},
    {"digraph {", "a", "}", "has no WCET"},
    {OPERATORS "name: ", "a", "\n", "unreachable"},
    /* open for ever */
    {"", "[", "", "nested deeper"},
    {"", "{", "", "nested deeper"},
    {"", "[{", "", "nested deeper"},
    {"", "- ", "", "nested deeper"},
    {"", "? ", "", "nested deeper"},
    {"a: ", "[", "", "nested deeper"},
    {"'", "a", "", "not YAML"},
    {"\"", "a\\n", "", "not YAML"},
    {"digraph ", "{", "", "nested too deeply"},
    {"digraph {", "subgraph {", "", "nested too deeply"},
    {"digraph {", "a -> {", "", "nested too deeply"},
    {"digraph {", "a [", "", "expected"},
    {"digraph { \"", "a", "", "a string is not closed"},
    {"digraph { <", "<", "", "an HTML string is not closed"},
    {"digraph { /*", "*", "", "a comment is not closed"},
    /* a mistake in every line */
    {OPERATORS "queues:\n", "  - a -> bb\n", "", "unknown operator"},
    {OPERATORS "queues:\n", "  - {from: a, too: b}\n", "", "unknown key"},
    {OPERATORS "queues:\n", "  - *a\n", "", "aliases"},
    {OPERATORS "queues: [a -> b, b -> c]\nmeasure:\n", "  - {from: a, to: b}\n", "", "too many latencies"},
    {"", "a: b\n", "", "unknown key"},
    {"x: &a [1]\ny: [", "*a, ", "]\n", "aliases"},
    {NODES, "a -> ;\n", "}", "expected a node"},
    {NODES, "@\n", "}", "unexpected character"},
    {NODES, "a [WCET=x];\n", "}", "must be a number"},
};

/* ---- many names ---- */

static void many_operators_without_a_time(void **state)
{
    (void)state;
    struct text t = begin("digraph {\n");
    for (unsigned i = 0; t.size < BYTES; i++) {
        char line[64];
        snprintf(line, sizeof line, "node%u -> node%u;\n", i, i + 1);
        put(&t, line);
    }
    put(&t, "}\n");
    assert_string_equal(read_text(&t), "operator \"node0\" has no WCET");
}

static void many_operators_misspelt(void **state)
{
    (void)state;
    struct text t = begin("operators:\n");
    for (unsigned i = 0; t.size < BYTES / 2; i++) {
        char line[64];
        snprintf(line, sizeof line, "  node%u: %u\n", i, i % 100);
        put(&t, line);
    }
    put(&t, "queues:\n");
    for (unsigned i = 0; t.size < BYTES; i++) {
        char line[64];
        snprintf(line, sizeof line, "  - node%u -> nodee%u\n", i, i);
        put(&t, line);
    }
    assert_string_equal(read_text(&t), "a queue leads to unknown operator \"nodee0\"; did you mean \"node0\"?");
}

static void subgraphs_joined(void **state)
{
    (void)state;
    struct text t = begin("digraph { node [WCET=1] {");
    for (unsigned i = 0; t.size < BYTES; i++) {
        char name[32];
        if (t.size > BYTES / 2 && t.size < BYTES / 2 + 8)
            put(&t, "} -> {");
        snprintf(name, sizeof name, "n%u ", i);
        put(&t, name);
    }
    put(&t, "} -> {a b c} }");
    assert_non_null(strstr(read_text(&t), "make too many queues"));
}

int big_group(void)
{
    static struct CMUnitTest tests[sizeof repetitions / sizeof *repetitions + 16] = {
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(random_letters),
        cmocka_unit_test(random_letters_in_a_graph),
        cmocka_unit_test(many_operators_without_a_time),
        cmocka_unit_test(many_operators_misspelt),
        cmocka_unit_test(subgraphs_joined),
    };
    static char names[sizeof repetitions / sizeof *repetitions][64];
    size_t count = 6;
    for (size_t i = 0; i < sizeof repetitions / sizeof *repetitions; i++) {
        const struct repeated *r = &repetitions[i];
        snprintf(names[i], sizeof names[i], "repeated \"%.20s\" after %.20s", r->piece, r->head);
        for (char *c = names[i]; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        tests[count++] = (struct CMUnitTest){names[i], repeated_pieces, NULL, NULL, (void *)(uintptr_t)r};
    }
    return _cmocka_run_group_tests("big inputs", tests, count, NULL, NULL) != 0;
}
