/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one file of a Holoscan application in a test, and looking at what it says. */
#ifndef WEIR_TEST_HEARING_H
#define WEIR_TEST_HEARING_H

#include "read/holoscan/evidence.h"
#include "support/refuse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct heard {
    struct weir_evidence evidence;
    struct weir_errors *errors;
    enum weir_status status;
};

static inline enum weir_status read_as(enum weir_evidence_format format, struct heard *h, const char *text)
{
    h->evidence.files[0].format = format;
    return weir_evidence_read(&h->evidence, 0, text, strlen(text), h->errors);
}

/* Reads text whose format is told by its content, which must be the expected one. */
static inline struct heard hear(enum weir_evidence_format format, const char *text)
{
    struct heard h = {.errors = weir_errors_new()};
    assert_non_null(h.errors);
    h.evidence.notes = weir_errors_new();
    assert_int_equal(weir_evidence_format_of(text, strlen(text)), format);
    assert_int_equal(weir_evidence_add_file(&h.evidence, "file", false), 0);
    h.status = read_as(format, &h, text);
    return h;
}

static inline void forget(struct heard *h)
{
    weir_errors_free(h->evidence.notes);
    weir_errors_free(h->errors);
    weir_evidence_free(&h->evidence);
}

static inline struct heard hear_well(enum weir_evidence_format format, const char *text)
{
    struct heard h = hear(format, text);
    if (h.status)
        fail_msg("%u:%u: %s", weir_errors_at(h.errors, 0)->line, weir_errors_at(h.errors, 0)->column,
                 weir_errors_at(h.errors, 0)->message);
    assert_int_equal(weir_errors_count(h.errors), 0);
    return h;
}

/* The only mistakes, "line:column: message" each in a line. */
static inline void assert_refused(enum weir_evidence_format format, const char *text, const char *expected)
{
    struct heard h = hear(format, text);
    char found[4096] = "";
    for (size_t i = 0; i < weir_errors_count(h.errors); i++) {
        const struct weir_error *e = weir_errors_at(h.errors, i);
        assert_string_equal(e->file, "file");
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%u:%u: %s", i ? "\n" : "", e->line, e->column, e->message);
    }
    assert_string_equal(found, expected);
    assert_int_equal(h.status, WEIR_INVALID);
    forget(&h);
}

static inline const char *name_of(const struct heard *h, uint32_t op)
{
    return h->evidence.operators[op].name;
}

static inline void assert_time(const struct heard *h, size_t i, const char *name, int64_t min, int64_t max)
{
    assert_true(i < h->evidence.time_count);
    assert_string_equal(name_of(h, h->evidence.times[i].op), name);
    assert_int_equal(h->evidence.times[i].min, min);
    assert_int_equal(h->evidence.times[i].max, max);
}

/* "from.port -> to.port", or without ports where there are none. */
static inline void assert_connections(const struct heard *h, const char *expected)
{
    char found[2048] = "";
    for (size_t i = 0; i < h->evidence.connection_count; i++) {
        const struct weir_evidence_connection *c = &h->evidence.connections[i];
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%s%s%s -> %s%s%s", i ? "; " : "", name_of(h, c->from),
                 c->from_port ? "." : "", c->from_port ? c->from_port : "", name_of(h, c->to), c->to_port ? "." : "",
                 c->to_port ? c->to_port : "");
    }
    assert_string_equal(found, expected);
}

static inline void assert_note(const struct heard *h, size_t i, const char *part)
{
    assert_true(i < weir_errors_count(h->evidence.notes));
    const char *message = weir_errors_at(h->evidence.notes, i)->message;
    if (!strstr(message, part))
        fail_msg("\"%s\" is not in \"%s\"", part, message);
}

/* Each allocation is refused once: what is read is then out of memory, or as good as ever, and nothing is left behind. */
static inline void refuse_each(enum weir_evidence_format format, const char *text)
{
    struct refuse memory = {0};
    while (refuse_next(&memory)) {
        struct heard h = {.status = WEIR_MEMORY};
        weir_evidence_add_file(&h.evidence, "file", false);
        if (!h.evidence.out_of_memory)
            h.status = read_as(format, &h, text);
        bool refused = h.evidence.out_of_memory;
        weir_evidence_free(&h.evidence);
        refuse_end();
        assert_int_equal(h.status == WEIR_MEMORY, refused);
        assert_int_equal(memory.live, 0);
    }
}

#endif
