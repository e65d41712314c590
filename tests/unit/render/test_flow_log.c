/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as logs of the flow tracker: against another writer, and by hand. */
#include "support/flow_log.h"
#include "support/refuse.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static struct weir_flow_log *open_text(const char *text, size_t bytes)
{
    struct weir_flow_log *log = weir_flow_log_open_memory(text, bytes, NULL);
    assert_non_null(log);
    return log;
}

/* ---- against the writer of the tests ---- */

static void assert_same_messages(struct weir_flow_log *a, struct weir_flow_log *b, int64_t shift)
{
    struct weir_flow_message m, n;
    do {
        assert_int_equal(weir_flow_log_next(a, &m, NULL), WEIR_OK);
        assert_int_equal(weir_flow_log_next(b, &n, NULL), WEIR_OK);
        assert_int_equal(m.count, n.count);
        assert_int_equal(m.record, n.record);
        for (size_t i = 0; i < m.count; i++) {
            assert_string_equal(weir_flow_log_name(a, m.steps[i].name), weir_flow_log_name(b, n.steps[i].name));
            assert_int_equal(m.steps[i].receive, n.steps[i].receive + shift);
            assert_int_equal(m.steps[i].publish, n.steps[i].publish + shift);
        }
    } while (m.count);
    assert_int_equal(weir_flow_log_counts(a).unreadable, 0);
}

TEST(applications)
{
    for (size_t i = 0; i < weir_application_count(); i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct weir_application_options options = {.queue = (uint32_t)seed, .random_times = true, .seed = seed};
            struct weir_pipeline *p;
            char *texts[2] = {NULL, NULL};
            size_t bytes[2] = {0, 0};
            assert_int_equal(weir_generate_application(weir_application_name(i), &options, &p, NULL), WEIR_OK);
            struct weir_test_log log = {.iterations = 40, .times = WEIR_TIMES_RANDOM, .seed = seed};
            FILE *out = open_memstream(&texts[0], &bytes[0]);
            assert_true(weir_test_log_write(p, &log, out));
            fclose(out);
            struct weir_flow_writer *writer = weir_flow_writer_new(p, NULL);
            assert_non_null(writer);
            struct weir_simulation_options run = {
                .iterations = 40, .times = WEIR_TIMES_RANDOM, .seed = seed, .observe = weir_flow_writer_observe, .context = writer};
            assert_int_equal(weir_simulate(p, &run, NULL), WEIR_OK);
            out = open_memstream(&texts[1], &bytes[1]);
            assert_int_equal(weir_flow_writer_write(writer, out, NULL), WEIR_OK);
            fclose(out);
            struct weir_flow_log *mine = open_text(texts[1], bytes[1]), *other = open_text(texts[0], bytes[0]);
            assert_same_messages(mine, other, INT64_C(1700000000000000) - INT64_C(1685129021000000));
            weir_flow_log_close(mine);
            weir_flow_log_close(other);
            weir_flow_writer_free(writer);
            weir_pipeline_free(p);
            free(log.min);
            free(log.max);
            free(log.latency);
            free(texts[0]);
            free(texts[1]);
        }
}

/* ---- by hand ---- */

struct happened {
    const char *name;
    int64_t execution, start, finish;
};

/* What is written of a run, without the beginnings of stamps, which are all alike. */
static void assert_written(const char *model, const struct happened *happened, size_t count, const char *expected)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_error error = {0};
    struct weir_flow_writer *writer = weir_flow_writer_new(p, &error);
    if (!writer)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) {
        struct weir_operator op;
        assert_true(weir_pipeline_find(p, happened[i].name, &op));
        weir_flow_writer_observe(writer, op, WEIR_START, happened[i].execution, happened[i].start);
        if (happened[i].finish >= 0)
            weir_flow_writer_observe(writer, op, WEIR_FINISH, happened[i].execution, happened[i].finish);
    }
    char *text = NULL, *short_text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(weir_flow_writer_write(writer, out, &error), WEIR_OK);
    fclose(out);
    out = open_memstream(&short_text, &bytes);
    for (const char *at = text; *at; at++) {
        if (strncmp(at, "17000000000000", 14) == 0)
            at += 14;
        fputc(*at, out);
    }
    fclose(out);
    assert_string_equal(short_text, expected);
    free(text);
    free(short_text);
    weir_flow_writer_free(writer);
    weir_pipeline_free(p);
}
#define WRITTEN(model, happened, expected) assert_written(model, happened, sizeof happened / sizeof *happened, expected)

TEST(batches_and_initial_messages)
{
    static const struct happened batch[] = {{"a", 0, 0, 5}, {"a", 1, 5, 10}, {"a", 2, 10, 15}, {"b", 0, 10, 12}};
    WRITTEN("weir: 1\nunit: us\noperators: {a: {time: 5}, b: {time: 2}}\nqueues: [{from: a, to: b, consume: 2}]\n", batch,
            "1:\n(a,00,05) -> (b,10,12) \n(a,05,10) -> (b,10,12) \n\n");
    /* The first execution takes what was there at the beginning: no path leads to it. */
    static const struct happened initial[] = {{"b", 0, 0, 2}, {"a", 0, 0, 5}, {"b", 1, 5, 7}};
    WRITTEN("weir: 1\nunit: us\noperators: {a: {time: 5}, b: {time: 2}}\nqueues: [{from: a, to: b, initial: 1}]\n", initial,
            "1:\n\n2:\n(a,00,05) -> (b,05,07) \n\n");
}

TEST(what_is_read_once_more)
{
    static const struct happened latest[] = {{"b", 0, 3, 6},   {"a", 0, 0, 10},  {"b", 1, 10, 13}, {"b", 2, 13, 16},
                                             {"a", 1, 10, 20}, {"b", 3, 21, 24}, {"a", 2, 20, -1}};
    WRITTEN("weir: 1\nunit: us\noperators: {a: {time: 10}, b: {time: 3}}\nqueues: [{from: a, to: b, latest: true}]\n", latest,
            "1:\n\n2:\n(a,00,10) -> (b,10,13) \n\n3:\n(a_old,00,10) -> (b,13,16) \n\n4:\n(a,10,20) -> (b,21,24) \n\n");
}

TEST(broadcasts_are_not_seen)
{
    static const struct happened fan[] = {
        {"a", 0, 0, 1000}, {"a.broadcast", 0, 1000, 1000}, {"b", 0, 1000, 3500}, {"c", 0, 1000, 2000}};
    WRITTEN("weir: 1\nunit: ms\noperators: {a: {time: 1}, b: {time: 2.5}, c: {time: 1ns}}\nqueues:\n  - a -> [b, c]\n", fan,
            "1:\n(a,00,01) -> (c,01,02) \n\n2:\n(a,00,01) -> (b,01,03) \n\n"); /* ticks are nanoseconds: rounded down */
}

TEST(what_cannot_be_logged)
{
    static const struct {
        const char *queue, *why;
    } models[] = {
        {"{from: a, to: b, optional: true}", "which messages to \"b\" are taken"},
        {"{from: a, to: b, blocking: false, full: pop}", "which messages to \"b\" are lost"},
        {"a -> b, {from: b, to: a, initial: 1}", "a loop leads through \"a\""},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char text[256];
        struct weir_error error = {0};
        snprintf(text, sizeof text, "weir: 1\noperators: {a: {time: 5}, b: {time: 2}}\nqueues: [%s]\n", models[i].queue);
        struct weir_pipeline *p = stage_read(text);
        assert_null(weir_flow_writer_new(p, &error));
        assert_int_equal(error.status, WEIR_INVALID);
        if (!strstr(error.message, models[i].why))
            fail_msg("%s", error.message);
        weir_pipeline_free(p);
    }
    struct weir_error error = {0};
    struct weir_pipeline *p = stage_read("weir: 1\noperators: {a: {time: 5, gpu: {time: 2}}}\n");
    assert_null(weir_flow_writer_new(p, &error));
    assert_non_null(strstr(error.message, "does not wait for its work on the GPU"));
    weir_pipeline_free(p);
}

/* ---- memory ---- */

TEST(each_allocation_may_fail)
{
    struct weir_pipeline *p = stage_read("weir: 1\noperators: {a: {time: 5}, b: {time: 2}}\nqueues: [a -> b]\n");
    struct refuse memory = {0};
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    while (refuse_next(&memory)) {
        struct weir_error error = {0};
        struct weir_flow_writer *writer = weir_flow_writer_new(p, &error);
        enum weir_status status = writer ? WEIR_OK : error.status;
        for (int64_t i = 0; writer && i < 40; i++)
            for (uint32_t op = 0; op < 2; op++) {
                weir_flow_writer_observe(writer, (struct weir_operator){op}, WEIR_START, i, 5 * i + 5 * op);
                weir_flow_writer_observe(writer, (struct weir_operator){op}, WEIR_FINISH, i, 5 * i + 5 * op + 2);
            }
        if (writer)
            status = weir_flow_writer_write(writer, out, &error);
        weir_flow_writer_free(writer);
        refuse_end();
        assert_int_equal(status, memory.refused ? WEIR_MEMORY : WEIR_OK);
        assert_int_equal(memory.live, 0);
    }
    fclose(out);
    weir_pipeline_free(p);
}
