/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the data flow tracker prints when an application ends: for each path from a root to a leaf how many messages it saw, and
 * how long they took. Lines that are none of these are ignored, since the program prints to the same place; and what is said
 * of a path comes in no fixed order.
 */
#include "base/utf8.h"
#include "read/holoscan/evidence.h"

#include <ctype.h>
#include <string.h>

struct line {
    const char *text; /* not terminated */
    size_t bytes;
    uint32_t number;
};

struct summary {
    struct weir_evidence_reader *t;
    uint32_t *operators; /* of the path that is being read */
    const char **names;
    size_t capacity, name_capacity;
    struct weir_flow_path path; /* count 0: none */
    struct weir_place place;    /* of the path */
    bool bad;                   /* something in the path was reported */
    size_t paths, announced;    /* announced 0: not given */
    struct weir_place announced_at;
    bool begun;
};

/* Behind `word` at the beginning of the line and space after it; NULL when it begins otherwise. */
static const char *behind(const struct line *l, const char *word)
{
    size_t bytes = strlen(word);
    if (l->bytes < bytes || memcmp(l->text, word, bytes) != 0)
        return NULL;
    const char *at = l->text + bytes;
    while (at < l->text + l->bytes && *at == ' ')
        at++;
    return at;
}

/* The column of something in the line. */
static struct weir_place place_of(const struct line *l, const char *at)
{
    uint32_t column = 1;
    for (const char *c = l->text; c < at; c++)
        column += weir_utf8_begins(*c);
    return (struct weir_place){l->number, column};
}

/* The rest of the line, without the space at its end, terminated and cut where it is too long to be a number. */
static void rest_of(const struct line *l, const char *at, char text[64])
{
    size_t bytes = (size_t)(l->text + l->bytes - at);
    while (bytes && at[bytes - 1] == ' ')
        bytes--;
    snprintf(text, 64, "%.*s", bytes < 63 ? (int)bytes : 63, at);
}

static uint64_t read_count(struct summary *s, const struct line *l, const char *at, const char *what)
{
    char text[64], quoted[WEIR_QUOTED];
    uint64_t count = 0;
    rest_of(l, at, text);
    const char *c = text;
    for (; isdigit((unsigned char)*c) && count < UINT64_C(1) << 59; c++)
        count = count * 10 + (uint64_t)(*c - '0');
    if (*text && !*c)
        return count;
    weir_draft_mistake(&s->t->draft, place_of(l, at), "%s must be a whole number from 0 on, not \"%s\"", what,
                       weir_quote(text, quoted));
    s->bad = true;
    return 0;
}

static void read_latency(struct summary *s, const struct line *l, const char *at, int64_t *into)
{
    char text[64];
    struct weir_decimal value;
    bool up = into == &s->path.max;
    rest_of(l, at, text);
    if (!weir_evidence_reader_time(s->t, text, place_of(l, at), "this latency", &value)) {
        s->bad = true;
    } else if (!weir_evidence_reader_round(&value, WEIR_UNIT_MS, up, into)) {
        weir_draft_mistake(&s->t->draft, place_of(l, at), "this latency is %s", value.mantissa < 0 ? "negative" : "out of range");
        s->bad = true;
    }
}

static void push_operator(struct summary *s, const char *name, size_t bytes, struct weir_place place)
{
    if (s->path.count == WEIR_EVIDENCE_MAX)
        weir_evidence_reader_add(s->t, false, place);
    uint32_t op = weir_evidence_reader_operator(s->t, name, bytes, place);
    s->bad |= op == WEIR_NO_OPERATOR;
    if (op == WEIR_NO_OPERATOR ||
        !weir_draft_room(&s->t->draft, &s->operators, &s->capacity, s->path.count, sizeof *s->operators) ||
        !weir_draft_room(&s->t->draft, &s->names, &s->name_capacity, s->path.count, sizeof *s->names))
        return;
    s->names[s->path.count] = s->t->evidence->operators[op].name;
    s->operators[s->path.count++] = op;
}

/* "1: replayer,format_converter,holoviz", behind the word. */
static void begin_path(struct summary *s, const struct line *l, const char *at)
{
    const char *end = l->text + l->bytes, *name = memchr(at, ':', (size_t)(end - at));
    s->place = place_of(l, l->text);
    s->path = (struct weir_flow_path){
        .min = WEIR_TIME_UNKNOWN, .mean = WEIR_TIME_UNKNOWN, .max = WEIR_TIME_UNKNOWN, .line = s->place.line};
    s->bad = false;
    s->paths++;
    for (name++; name < end && *name == ' '; name++)
        ;
    while (end > name && end[-1] == ' ')
        end--;
    struct weir_place place = place_of(l, name);
    for (const char *stop; weir_evidence_reader_goes_on(s->t); name = stop + 1) {
        stop = memchr(name, ',', (size_t)(end - name));
        stop = stop ? stop : end;
        push_operator(s, name, (size_t)(stop - name), place);
        if (stop == end)
            break;
        for (const char *c = name; c <= stop; c++)
            place.column += weir_utf8_begins(*c);
    }
}

/* Many paths have a connection in common; the draft's names tell which were there before. */
static void connect(struct summary *s, uint32_t from, uint32_t to)
{
    char key[32];
    struct weir_evidence_reader *t = s->t;
    size_t bytes = (size_t)snprintf(key, sizeof key, "%u,%u", from, to);
    if (weir_draft_find(&t->draft, key, bytes) != WEIR_NO_OPERATOR)
        return;
    weir_draft_add_operator(&t->draft, key, bytes, s->place);
    struct weir_evidence_connection c = {.from = from, .to = to, .at = weir_evidence_reader_at(t, s->place)};
    weir_evidence_reader_add(t, weir_evidence_connect(t->evidence, &c), s->place);
}

/* Consecutive operators of a path are connected. */
static void end_path(struct summary *s)
{
    struct weir_evidence_reader *t = s->t;
    if (s->path.count == 0)
        return;
    if (s->path.min != WEIR_TIME_UNKNOWN && s->path.max != WEIR_TIME_UNKNOWN && s->path.min > s->path.max && !s->bad) {
        weir_draft_mistake(&t->draft, s->place, "the least latency of this path is above its greatest");
        s->bad = true;
    }
    for (size_t i = 0; i + 1 < s->path.count && !s->bad && weir_evidence_reader_goes_on(t); i++)
        connect(s, s->operators[i], s->operators[i + 1]);
    s->path.names = s->names;
    if (!s->bad && weir_evidence_reader_goes_on(t))
        weir_evidence_reader_add(t, weir_evidence_add_path(t->evidence, &s->path), s->place);
    s->path.count = 0;
}

/* Whether "Path 12: ..." begins here. */
static bool is_path(const struct line *l, const char *at)
{
    const char *end = l->text + l->bytes, *digits = at;
    while (at < end && isdigit((unsigned char)*at))
        at++;
    return at > digits && at < end && *at == ':';
}

/* The number of paths that were announced, against those that came. */
static void end_summary(struct summary *s)
{
    end_path(s);
    if (s->begun && s->announced && s->paths != s->announced)
        weir_evidence_note(s->t->evidence, weir_evidence_reader_at(s->t, s->announced_at),
                           "the summary announces %zu paths, but has %zu: it may be cut off", s->announced, s->paths);
    s->paths = s->announced = 0;
}

/* A line about the path that is open. */
static void read_figure(struct summary *s, const struct line *l)
{
    const char *at;
    if ((at = behind(l, "Number of messages:")))
        s->path.messages = read_count(s, l, at, "the number of messages");
    else if ((at = behind(l, "Max end-to-end Latency (ms):")))
        read_latency(s, l, at, &s->path.max);
    else if ((at = behind(l, "Min end-to-end Latency (ms):")))
        read_latency(s, l, at, &s->path.min);
    else if ((at = behind(l, "Avg end-to-end Latency (ms):")))
        read_latency(s, l, at, &s->path.mean);
    else if ((at = behind(l, "Max Latency Message No:")))
        s->path.max_message = read_count(s, l, at, "the number of a message");
}

static void read_line(struct summary *s, const struct line *l)
{
    const char *at;
    if (behind(l, "Data Flow Tracking Results:")) {
        end_summary(s);
        s->begun = true;
    }
    if (!s->begun)
        return;
    if ((at = behind(l, "Total paths:"))) {
        s->announced = (size_t)read_count(s, l, at, "the number of paths");
        s->announced_at = place_of(l, l->text);
    } else if ((at = behind(l, "Path ")) && is_path(l, at)) {
        end_path(s);
        begin_path(s, l, at);
    } else if (behind(l, "Number of source messages")) {
        end_path(s);
    } else if (s->path.count) {
        read_figure(s, l);
    }
}

static void read_lines(struct summary *s)
{
    const struct weir_file_text *text = &s->t->text;
    struct line l = {.number = 1};
    for (size_t begin = 0; begin < text->size && weir_evidence_reader_goes_on(s->t); l.number++) {
        size_t end = begin;
        while (end < text->size && text->bytes[end] != '\n' && text->bytes[end] != '\r')
            end++;
        l.text = text->bytes + begin;
        l.bytes = end - begin;
        read_line(s, &l);
        begin = end + 1 + (end + 1 < text->size && text->bytes[end] == '\r' && text->bytes[end + 1] == '\n');
    }
    end_summary(s);
}

void weir_evidence_read_summary(struct weir_evidence_reader *t)
{
    struct summary s = {.t = t};
    read_lines(&s);
    if (!s.begun)
        weir_draft_mistake(&t->draft, (struct weir_place){1, 1}, "expected a line \"Data Flow Tracking Results:\"");
    weir_free(s.operators);
    weir_free(s.names);
}
