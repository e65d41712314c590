/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of DOT, without recursion: a subgraph that opens in the middle of an edge is pushed, and the edge goes on where the
 * subgraph closes. After a mistake of syntax the rest of the statement is skipped: up to a semicolon, the end of the line, or
 * the brace that closes what is open.
 */
#include "read/dot/dot.h"

#include <string.h>

static struct weir_dot_token *token(struct weir_dot_parser *p)
{
    return &p->lexer.token;
}

static void next(struct weir_dot_parser *p)
{
    weir_dot_next(&p->lexer);
}

/* ---- mistakes ---- */

static const char *describe(const struct weir_dot_token *t, char text[WEIR_QUOTED + 2])
{
    char copy[WEIR_QUOTED + 4], quoted[WEIR_QUOTED];
    if (t->kind == WEIR_DOT_END)
        return "the end of the file";
    if (t->kind == WEIR_DOT_ARROW || t->kind == WEIR_DOT_LINE)
        return t->kind == WEIR_DOT_ARROW ? "\"->\"" : "\"--\"";
    if (weir_dot_is_text(t))
        snprintf(copy, sizeof copy, "%.*s", t->bytes < sizeof copy ? (int)t->bytes : (int)sizeof copy - 1, t->text);
    else
        snprintf(copy, sizeof copy, "%c", t->kind);
    snprintf(text, WEIR_QUOTED + 2, "\"%s\"", weir_quote(copy, quoted));
    return text;
}

/* Reports what stands here instead of what was expected, and gives the statement up. */
static void give_up(struct weir_dot_parser *p, const char *expected)
{
    char found[WEIR_QUOTED + 2];
    struct weir_dot_token *t = token(p);
    if (t->kind != WEIR_DOT_BAD && !(t->kind == WEIR_DOT_END && p->lexer.cut))
        weir_draft_mistake(p->draft, t->place, "expected %s, found %s", expected, describe(t, found));
    p->draft->incomplete = true;
    p->lexer.cut |= t->kind == WEIR_DOT_END; /* that the graph is not closed is the same mistake */
    p->end_count = p->scopes[p->depth - 1].ends;
    if (p->depth == 1)
        p->id_count = 0;
}

/* ... and skips to the next statement. */
static void recover(struct weir_dot_parser *p, const char *expected)
{
    struct weir_dot_token *t = token(p);
    size_t inner = 0;
    give_up(p, expected);
    for (bool first = true;; first = false, next(p)) {
        if (t->kind == WEIR_DOT_END || (inner == 0 && (t->kind == ';' || t->kind == '}' || (t->fresh && !first))))
            return;
        inner += t->kind == '{';
        inner -= t->kind == '}';
    }
}

/* ... and skips to the end of the list of attributes, unless a line or a brace comes first. */
static void recover_list(struct weir_dot_parser *p, const char *expected)
{
    struct weir_dot_token *t = token(p);
    give_up(p, expected);
    for (bool first = true; t->kind != ']'; first = false, next(p))
        if (t->kind == WEIR_DOT_END || t->kind == '{' || t->kind == '}' || (t->fresh && !first))
            return;
    next(p);
}

/* ---- attributes ---- */

/* A line that begins with something else than an attribute: the list was meant to end before. */
static void report_open_list(struct weir_dot_parser *p, const struct weir_dot_token *name, uint32_t line)
{
    weir_draft_mistake(p->draft, name->place, "\"]\" is missing: the list of attributes that begins in line %u is not closed",
                       line);
    token(p)->kind = token(p)->kind == WEIR_DOT_END ? WEIR_DOT_END : WEIR_DOT_BAD;
    p->lexer.cut |= token(p)->kind == WEIR_DOT_END;
}

/* Lists in brackets, as many as there are; false after a mistake, which is recovered from. */
static bool read_lists(struct weir_dot_parser *p, enum weir_dot_target target, struct weir_dot_attributes *attributes)
{
    while (token(p)->kind == '[') {
        uint32_t line = token(p)->place.line;
        next(p);
        while (token(p)->kind != ']') {
            if (!weir_dot_is_text(token(p))) {
                recover_list(p, "an attribute or \"]\"");
                return false;
            }
            struct weir_dot_token name = *token(p);
            next(p);
            if (token(p)->kind != '=') {
                if (name.fresh && token(p)->kind != WEIR_DOT_BAD)
                    report_open_list(p, &name, line);
                recover_list(p, "\"=\" behind an attribute");
                return false;
            }
            next(p);
            if (!weir_dot_is_text(token(p))) {
                recover_list(p, "the value of an attribute");
                return false;
            }
            weir_dot_attribute(p, target, attributes, &name, token(p));
            next(p);
            if (token(p)->kind == ',' || token(p)->kind == ';')
                next(p);
        }
        next(p);
    }
    return true;
}

static void read_defaults(struct weir_dot_parser *p, enum weir_dot_target target)
{
    struct weir_dot_attributes attributes = {0};
    next(p);
    if (token(p)->kind != '[') {
        recover(p, "a list of attributes in brackets");
        return;
    }
    struct weir_dot_scope *scope = &p->scopes[p->depth - 1];
    if (read_lists(p, target, &attributes) && target != WEIR_DOT_GRAPH)
        weir_dot_merge(target == WEIR_DOT_NODE ? &scope->node : &scope->edge, &attributes);
}

/* ---- nodes, edges, subgraphs ---- */

static void push_end(struct weir_dot_parser *p, struct weir_dot_end end)
{
    if (weir_draft_room(p->draft, &p->ends, &p->end_capacity, p->end_count, sizeof *p->ends))
        p->ends[p->end_count++] = end;
}

static void open_scope(struct weir_dot_parser *p)
{
    struct weir_draft *d = p->draft;
    struct weir_dot_scope scope = {.place = token(p)->place};
    if (p->depth == WEIR_DOT_DEPTH_MAX) {
        weir_draft_mistake(d, scope.place, "this is nested too deeply: %d subgraphs within each other are the most",
                           WEIR_DOT_DEPTH_MAX);
        d->incomplete = true;
        p->done = true;
        return;
    }
    if (!weir_draft_room(d, &p->scopes, &p->scope_capacity, p->depth, sizeof *p->scopes))
        return;
    if (p->depth) {
        scope.node = p->scopes[p->depth - 1].node;
        scope.edge = p->scopes[p->depth - 1].edge;
    }
    scope.ids = p->id_count;
    scope.ends = p->end_count;
    p->scopes[p->depth++] = scope;
    next(p);
}

/* "subgraph", a name, a brace; or the brace alone. */
static void read_subgraph(struct weir_dot_parser *p)
{
    if (token(p)->kind != '{') {
        next(p);
        if (weir_dot_is_text(token(p)))
            next(p);
    }
    if (token(p)->kind == '{')
        open_scope(p);
    else
        recover(p, "\"{\" behind \"subgraph\"");
}

static void add_node(struct weir_dot_parser *p, const struct weir_dot_token *name)
{
    struct weir_dot_end end = {.first = p->id_count, .place = name->place};
    uint32_t node = weir_dot_node(p, name);
    if (node != WEIR_NO_OPERATOR && weir_draft_room(p->draft, &p->ids, &p->id_capacity, p->id_count, sizeof *p->ids)) {
        p->ids[p->id_count++] = node;
        end.count = 1;
    }
    push_end(p, end);
}

/* Ports say where an edge touches the drawing of a node. */
static void skip_port(struct weir_dot_parser *p)
{
    for (int i = 0; i < 2 && token(p)->kind == ':'; i++) {
        next(p);
        if (weir_dot_is_text(token(p)))
            next(p);
    }
}

/* All ends of a statement are there, and its attributes. */
static void finish_statement(struct weir_dot_parser *p, const struct weir_dot_attributes *attributes)
{
    struct weir_dot_scope *scope = &p->scopes[p->depth - 1];
    size_t base = scope->ends;
    if (p->end_count == base + 1 && p->ends[base].count == 1 && !p->ends[base].subgraph)
        weir_dot_describe(p, p->ids[p->ends[base].first], attributes);
    for (size_t i = base; i + 1 < p->end_count; i++)
        weir_dot_join(p, &p->ends[i], &p->ends[i + 1], attributes);
    p->end_count = base;
    if (p->depth == 1)
        p->id_count = 0; /* the nodes of the whole graph are never one end of an edge */
}

static bool is_subgraph(const struct weir_dot_token *t)
{
    return t->kind == '{' || weir_dot_is_keyword(t, "subgraph");
}

/* Behind one end of an edge, or behind a node. */
static void continue_statement(struct weir_dot_parser *p)
{
    struct weir_dot_attributes attributes = {0};
    while (token(p)->kind == WEIR_DOT_ARROW || token(p)->kind == WEIR_DOT_LINE) {
        if (token(p)->kind == WEIR_DOT_LINE && !p->undirected)
            weir_draft_mistake(p->draft, token(p)->place, "queues are written \"->\", not \"--\"");
        next(p);
        if (is_subgraph(token(p))) {
            read_subgraph(p);
            return; /* close_scope goes on from here */
        }
        if (!weir_dot_is_text(token(p))) {
            recover(p, "a node or a subgraph behind \"->\"");
            return;
        }
        add_node(p, token(p));
        next(p);
        skip_port(p);
    }
    struct weir_dot_scope *scope = &p->scopes[p->depth - 1];
    bool edge = p->end_count > scope->ends + 1;
    if (!edge && p->end_count && p->ends[p->end_count - 1].subgraph && token(p)->kind == '[') {
        recover(p, "\"->\" or the end of the statement behind a subgraph");
        return;
    }
    if (read_lists(p, edge ? WEIR_DOT_EDGE : WEIR_DOT_NODE, &attributes))
        finish_statement(p, &attributes);
}

static void close_scope(struct weir_dot_parser *p)
{
    struct weir_dot_scope inner = p->scopes[--p->depth];
    next(p);
    if (p->depth == 0) {
        p->done = true;
        return;
    }
    push_end(p, (struct weir_dot_end){inner.ids, p->id_count - inner.ids, true, inner.place});
    continue_statement(p);
}

static void read_statement(struct weir_dot_parser *p)
{
    struct weir_dot_token *t = token(p);
    if (is_subgraph(t)) {
        read_subgraph(p);
    } else if (weir_dot_is_keyword(t, "node")) {
        read_defaults(p, WEIR_DOT_NODE);
    } else if (weir_dot_is_keyword(t, "edge")) {
        read_defaults(p, WEIR_DOT_EDGE);
    } else if (weir_dot_is_keyword(t, "graph")) {
        read_defaults(p, WEIR_DOT_GRAPH);
    } else if (weir_dot_is_text(t)) {
        struct weir_dot_token name = *t;
        next(p);
        if (t->kind != '=') {
            add_node(p, &name);
            skip_port(p);
            continue_statement(p);
            return;
        }
        next(p);
        if (!weir_dot_is_text(t)) {
            recover(p, "the value of an attribute");
            return;
        }
        weir_dot_attribute(p, WEIR_DOT_GRAPH, NULL, &name, t);
        next(p);
    } else {
        recover(p, "a node, an edge or an attribute");
    }
}

/* ---- the graph ---- */

static void read_keyword(struct weir_dot_parser *p)
{
    static const char *const keywords[] = {"digraph", "strict"};
    char found[WEIR_QUOTED + 2], word[32], near[WEIR_HINT];
    struct weir_dot_token *t = token(p);
    p->strict = weir_dot_is_keyword(t, "strict");
    if (p->strict)
        next(p);
    p->undirected = weir_dot_is_keyword(t, "graph");
    if (p->undirected) {
        weir_draft_mistake(p->draft, t->place, "a pipeline is directed: expected \"digraph\", found \"graph\"");
    } else if (!weir_dot_is_keyword(t, "digraph")) {
        snprintf(word, sizeof word, "%.*s", t->bytes < sizeof word ? (int)t->bytes : (int)sizeof word - 1, t->text ? t->text : "");
        weir_draft_mistake(p->draft, t->place, "expected \"digraph\", found %s%s", describe(t, found),
                           weir_hint_word(word, keywords, 2, near));
    }
    if (weir_dot_is_text(t))
        next(p);
}

static bool has_control(const struct weir_dot_token *t)
{
    for (size_t i = 0; i < t->bytes; i++)
        if ((unsigned char)t->text[i] < 0x20)
            return true;
    return false;
}

/* Up to the opening brace; false when there is none. */
static bool read_header(struct weir_dot_parser *p)
{
    char found[WEIR_QUOTED + 2];
    struct weir_dot_token *t = token(p);
    struct weir_draft *d = p->draft;
    read_keyword(p);
    if (weir_dot_is_text(t) && !has_control(t)) {
        char *name = weir_arena_take(&d->arena, t->bytes + 1);
        if (!name) {
            d->out_of_memory = true;
            return false;
        }
        memcpy(name, t->text, t->bytes);
        name[t->bytes] = 0;
        d->name = name;
    }
    if (weir_dot_is_text(t))
        next(p);
    if (t->kind == '{') {
        open_scope(p);
        return true;
    }
    if (t->kind != WEIR_DOT_BAD && !p->lexer.cut)
        weir_draft_mistake(d, t->place, "expected \"{\", found %s", describe(t, found));
    d->incomplete = true;
    return false;
}

static void read_graph(struct weir_dot_parser *p)
{
    struct weir_draft *d = p->draft;
    struct weir_dot_token *t = token(p);
    while (!p->done && !d->out_of_memory) {
        if (t->kind == ';') {
            next(p);
        } else if (t->kind == '}') {
            close_scope(p);
        } else if (t->kind != WEIR_DOT_END) {
            read_statement(p);
        } else {
            if (!p->lexer.cut)
                weir_draft_mistake(d, t->place, "\"}\" is missing: what begins with \"{\" in line %u is not closed",
                                   p->scopes[p->depth - 1].place.line);
            d->incomplete = true;
            return;
        }
    }
    if (p->depth == 0 && t->kind != WEIR_DOT_END && t->kind != WEIR_DOT_BAD)
        weir_draft_mistake(d, t->place, "the graph has ended; a file holds one graph");
}

void weir_dot_parse(struct weir_dot_parser *p)
{
    weir_dot_begin(&p->lexer);
    if (read_header(p) && !p->draft->out_of_memory)
        read_graph(p);
}

void weir_dot_free(struct weir_dot_parser *p)
{
    weir_free(p->nodes);
    weir_free(p->scopes);
    weir_free(p->ids);
    weir_free(p->ends);
    weir_map_free(&p->edges);
    weir_dot_end(&p->lexer);
}

void weir_read_dot(struct weir_draft *draft, const struct weir_file_text *text)
{
    struct weir_dot_parser p = {.lexer = {.draft = draft, .text = text}, .draft = draft, .measured = weir_text_is_measured(text)};
    weir_dot_parse(&p);
    if (!draft->out_of_memory)
        weir_dot_finish(&p);
    weir_dot_free(&p);
}
