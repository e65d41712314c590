/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyaml's events as a tree. Aliases, tags and, in a model, further documents are refused: no model needs them, and without
 * aliases what a text says is no longer than the text. libyaml stops at the first mistake of syntax, so that one is all that is
 * reported of such a file.
 */
#include "read/yaml/tree.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>
#include <yaml.h>

struct builder {
    struct weir_draft *draft;
    const struct weir_file_text *text;
    struct weir_arena *arena;
    struct weir_yaml_node *root;
    struct weir_yaml_node **end[WEIR_YAML_DEPTH_MAX + 1]; /* where the next child of each collection around goes; first the root */
    size_t depth;
    bool several; /* documents are fine */
    bool stop;    /* nothing can be made of the rest */
};

static struct weir_place place_of(yaml_mark_t mark)
{
    return (struct weir_place){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

static void stop(struct builder *b, yaml_mark_t mark, const char *message)
{
    weir_draft_mistake(b->draft, place_of(mark), "%s", message);
    b->stop = true;
}

static struct weir_yaml_node *add(struct builder *b, enum weir_yaml_kind kind, yaml_mark_t mark)
{
    struct weir_yaml_node *node = weir_arena_take(b->arena, sizeof *node);
    if (!node) {
        b->draft->out_of_memory = true;
        return NULL;
    }
    *node = (struct weir_yaml_node){.place = place_of(mark), .kind = (uint8_t)kind};
    assert(b->end[b->depth]);
    *b->end[b->depth] = node;
    b->end[b->depth] = &node->next;
    return node;
}

static void add_collection(struct builder *b, enum weir_yaml_kind kind, const yaml_event_t *event)
{
    if (b->depth == WEIR_YAML_DEPTH_MAX) {
        stop(b, event->start_mark, "this is nested deeper than any model");
        return;
    }
    struct weir_yaml_node *node = add(b, kind, event->start_mark);
    if (node)
        b->end[++b->depth] = &node->first;
}

static size_t characters(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += weir_utf8_begins(text[i]);
    return count;
}

static void add_scalar(struct builder *b, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t bytes = event->data.scalar.length;
    struct weir_yaml_node *node = add(b, WEIR_YAML_SCALAR, event->start_mark);
    char *copy = node ? weir_arena_take(b->arena, bytes + 1) : NULL;
    if (!copy) {
        b->draft->out_of_memory = true;
        return;
    }
    memcpy(copy, value, bytes);
    copy[bytes] = 0;
    node->text = copy;
    node->bytes = (uint32_t)bytes;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    yaml_mark_t start = event->start_mark, end = event->end_mark;
    node->literal = start.line == end.line && end.column - start.column == characters(value, bytes) + (node->quoted ? 2 : 0);
    if (memchr(value, 0, bytes))
        stop(b, event->start_mark, "text cannot hold a NUL");
}

static bool tagged(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.tag != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.tag != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.tag != NULL;
    default:
        return false;
    }
}

/* False after the last event. */
static bool take(struct builder *b, const yaml_event_t *event)
{
    if (tagged(event))
        weir_draft_mistake(b->draft, place_of(event->start_mark), "tags (words that begin with \"!\") are not supported");
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->root && !b->several)
            stop(b, event->start_mark, "a second document begins here; a file holds one model");
        break;
    case YAML_ALIAS_EVENT:
        weir_draft_mistake(b->draft, place_of(event->start_mark),
                           "aliases (words that begin with \"*\") are not supported; write the value again");
        add(b, WEIR_YAML_BAD, event->start_mark);
        break;
    case YAML_SCALAR_EVENT:
        add_scalar(b, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        add_collection(b, WEIR_YAML_LIST, event);
        break;
    case YAML_MAPPING_START_EVENT:
        add_collection(b, WEIR_YAML_MAP, event);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        break;
    default:
        break;
    }
    return event->type != YAML_STREAM_END_EVENT && !b->stop && !b->draft->out_of_memory;
}

/* The byte at a mark, whose index counts characters; 0 at the end. */
static char byte_at(const struct weir_file_text *text, yaml_mark_t mark)
{
    size_t i = 0;
    for (size_t left = mark.index; i < text->size; i++)
        if (weir_utf8_begins(text->bytes[i]) && left-- == 0)
            return text->bytes[i];
    return 0;
}

static void report_syntax(struct builder *b, const yaml_parser_t *parser)
{
    struct weir_draft *d = b->draft;
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    if (parser->error == YAML_MEMORY_ERROR) {
        d->out_of_memory = true;
    } else if (parser->error == YAML_READER_ERROR) {
        struct weir_cursor cursor = {.text = b->text, .line = 1, .column = 1};
        size_t offset = parser->problem_offset < b->text->size ? parser->problem_offset : b->text->size;
        weir_draft_mistake(d, weir_cursor_place(&cursor, offset), "this is not YAML: %s", problem);
    } else if (byte_at(b->text, parser->problem_mark) == '\t') {
        weir_draft_mistake(d, place_of(parser->problem_mark), "a tab cannot stand here; YAML is indented with spaces");
    } else if (parser->context && strncmp(parser->context, "while parsing a", 15) == 0) {
        weir_draft_mistake(d, place_of(parser->problem_mark), "this is not YAML: %s %s that begins in line %zu", problem,
                           parser->context, parser->context_mark.line + 1);
    } else {
        weir_draft_mistake(d, place_of(parser->problem_mark), "this is not YAML: %s", problem);
    }
    b->stop = true;
}

struct weir_yaml_node *weir_yaml_parse(struct weir_draft *draft, const struct weir_file_text *text, struct weir_arena *arena,
                                       bool several)
{
    struct builder b = {.draft = draft, .text = text, .arena = arena, .several = several};
    struct weir_file_text rewritten;
    if (weir_yaml_from_json(text, arena, &rewritten, &draft->out_of_memory))
        b.text = text = &rewritten;
    b.end[0] = &b.root;
    yaml_parser_t parser;
    if (draft->out_of_memory || !yaml_parser_initialize(&parser)) {
        draft->out_of_memory = true;
        return NULL;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text->bytes, text->size);
    bool more = true;
    while (more) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            report_syntax(&b, &parser);
            break;
        }
        more = take(&b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return b.stop || draft->out_of_memory ? NULL : b.root;
}
