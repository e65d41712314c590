/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements of an SDF3 file. Expat tells where an element begins; where an attribute stands is looked up in its tag. Elements
 * that say nothing about time or tokens are passed over with all that is in them.
 */
#include "read/sdf3/sdf3.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

#define CHUNK (1 << 20) /* bytes handed to expat at a time, whose lengths are int */

enum { DEPTH_MAX = 8 }; /* of those that are read */

struct parsing {
    struct weir_sdf3 *sdf3;
    struct weir_draft *draft;
    const struct weir_file_text *text;
    XML_Parser parser;
    const char **attributes;     /* of the element that begins: names and values take turns */
    const char *open[DEPTH_MAX]; /* their names */
    size_t depth;
    size_t passed_over; /* open elements that are not read, the outermost of them included */
    bool stopped;
    bool seen_graph;
    uint32_t subject; /* of the properties: an actor or a channel, or WEIR_SDF3_NONE */
    bool is_default;  /* the processor */
};

/* ---- places ---- */

static struct weir_place element_place(const struct parsing *p)
{
    return (struct weir_place){(uint32_t)XML_GetCurrentLineNumber(p->parser), (uint32_t)XML_GetCurrentColumnNumber(p->parser) + 1};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where the value of the attribute begins; where the element does when it has none. The tag is well-formed: expat has read it. */
static struct weir_place attribute_place(const struct parsing *p, const char *name)
{
    struct weir_place place = element_place(p);
    XML_Index offset = XML_GetCurrentByteIndex(p->parser);
    if (offset < 0 || (size_t)offset >= p->text->size)
        return place;
    struct weir_cursor cursor = {.text = p->text, .offset = (size_t)offset, .line = place.line, .column = place.column};
    const char *at = p->text->bytes + offset, *end = p->text->bytes + p->text->size;
    size_t bytes = strlen(name);
    while (at < end && !is_space(*at) && *at != '>')
        at++;
    while (at < end && *at != '>') {
        const char *begin = at;
        if (is_space(*at) || *at == '/') {
            at++;
            continue;
        }
        while (at < end && !is_space(*at) && *at != '=')
            at++;
        bool found = (size_t)(at - begin) == bytes && memcmp(begin, name, bytes) == 0;
        while (at < end && *at != '"' && *at != '\'')
            at++;
        if (at == end)
            break;
        char quote = *at++;
        if (found)
            return weir_cursor_place(&cursor, (size_t)(at - p->text->bytes));
        while (at < end && *at++ != quote)
            ;
    }
    return place;
}

/* ---- attributes ---- */

static const char *raw_attribute(const struct parsing *p, const char *name)
{
    for (const char **a = p->attributes; *a; a += 2)
        if (strcmp(*a, name) == 0)
            return a[1];
    return NULL;
}

static struct weir_sdf3_text attribute(struct parsing *p, const char *name)
{
    const char *value = raw_attribute(p, name);
    struct weir_sdf3_text text = {NULL, attribute_place(p, name)};
    if (!value)
        return text;
    text.text = weir_arena_text(&p->draft->arena, value);
    p->draft->out_of_memory |= !text.text;
    return text;
}

/* One that has to be there; reported when it is not. */
static struct weir_sdf3_text needed(struct parsing *p, const char *element, const char *name)
{
    struct weir_sdf3_text text = attribute(p, name);
    if (!text.text && !p->draft->out_of_memory)
        weir_draft_mistake(p->draft, text.place, "<%s> has no \"%s\"", element, name);
    return text;
}

/* A whole number; `fallback` when the attribute is not there, and when it is wrong, which is reported. */
static uint32_t number(struct parsing *p, const char *name, uint32_t low, uint32_t fallback)
{
    const char *text = raw_attribute(p, name);
    char quoted[WEIR_QUOTED];
    if (!text)
        return fallback;
    uint64_t value = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9' && value <= WEIR_SDF3_NUMBER_MAX; c++)
        value = value * 10 + (uint64_t)(*c - '0');
    if (c > text && !*c && value >= low && value <= WEIR_SDF3_NUMBER_MAX)
        return (uint32_t)value;
    struct weir_place place = attribute_place(p, name);
    weir_quote(text, quoted);
    if (strchr(text, ','))
        weir_draft_mistake(p->draft, place, "\"%s\" is \"%s\", a list: cyclo-static graphs are not read", name, quoted);
    else
        weir_draft_mistake(p->draft, place, "\"%s\" must be a whole number from %u to %u, not \"%s\"", name, low,
                           WEIR_SDF3_NUMBER_MAX, quoted);
    return fallback;
}

/* ---- elements ---- */

static void stop(struct parsing *p)
{
    p->stopped = true;
    XML_StopParser(p->parser, XML_FALSE);
}

static void begin_file(struct parsing *p)
{
    char quoted[WEIR_QUOTED];
    const char *type = raw_attribute(p, "type");
    if (!type || strcmp(type, "sdf") == 0)
        return;
    weir_draft_mistake(p->draft, attribute_place(p, "type"), "graphs of type \"%s\" are not read, only those of type \"sdf\"",
                       weir_quote(type, quoted));
    stop(p);
}

static void begin_graph(struct parsing *p)
{
    if (p->seen_graph) {
        weir_draft_mistake(p->draft, element_place(p), "a second <sdf>: a model is one graph");
        stop(p);
        return;
    }
    p->seen_graph = true;
    p->sdf3->graph_place = element_place(p);
    struct weir_sdf3_text name = attribute(p, "name");
    for (const char *c = name.text ? name.text : ""; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            weir_draft_mistake(p->draft, name.place, "the name of a graph cannot hold control characters");
            return;
        }
    p->draft->name = name.text;
}

static void begin_actor(struct parsing *p)
{
    struct weir_sdf3 *s = p->sdf3;
    char quoted[WEIR_QUOTED];
    struct weir_sdf3_text name = needed(p, "actor", "name");
    p->subject = WEIR_SDF3_NONE;
    if (!name.text || !weir_draft_check_name(p->draft, name.text, strlen(name.text), name.place))
        return;
    uint32_t other = weir_sdf3_find(s, WEIR_SDF3_ACTORS, name.text);
    if (other != WEIR_SDF3_NONE) {
        weir_draft_mistake(p->draft, name.place, "actor \"%s\" is defined twice; the first is in line %u",
                           weir_quote(name.text, quoted), s->actors[other].place.line);
        return;
    }
    if (!weir_draft_room(p->draft, &s->actors, &s->actor_capacity, s->actor_count, sizeof *s->actors))
        return;
    p->subject = (uint32_t)s->actor_count;
    weir_sdf3_name(s, WEIR_SDF3_ACTORS, name.text, p->subject);
    s->actors[s->actor_count++] = (struct weir_sdf3_actor){.name = name.text, .place = element_place(p)};
}

static void begin_port(struct parsing *p)
{
    struct weir_sdf3 *s = p->sdf3;
    char quoted[WEIR_QUOTED];
    struct weir_sdf3_text name = needed(p, "port", "name"), type = needed(p, "port", "type");
    bool out = type.text && strcmp(type.text, "out") == 0;
    if (type.text && !out && strcmp(type.text, "in") != 0)
        weir_draft_mistake(p->draft, type.place, "\"type\" of a port must be \"in\" or \"out\", not \"%s\"",
                           weir_quote(type.text, quoted));
    if (!raw_attribute(p, "rate"))
        needed(p, "port", "rate");
    uint32_t rate = number(p, "rate", 1, 1);
    if (!name.text || p->subject == WEIR_SDF3_NONE)
        return;
    if (weir_sdf3_find(s, p->subject, name.text) != WEIR_SDF3_NONE) {
        weir_draft_mistake(p->draft, name.place, "port \"%s\" is defined twice in this actor", weir_quote(name.text, quoted));
        return;
    }
    if (!weir_draft_room(p->draft, &s->ports, &s->port_capacity, s->port_count, sizeof *s->ports))
        return;
    weir_sdf3_name(s, p->subject, name.text, (uint32_t)s->port_count);
    s->ports[s->port_count++] =
        (struct weir_sdf3_port){.name = name.text, .actor = p->subject, .rate = rate, .out = out, .place = element_place(p)};
}

static void begin_channel(struct parsing *p)
{
    struct weir_sdf3 *s = p->sdf3;
    char quoted[WEIR_QUOTED];
    struct weir_sdf3_channel channel = {.place = element_place(p)};
    struct weir_sdf3_text name = needed(p, "channel", "name");
    channel.source = needed(p, "channel", "srcActor");
    channel.source_port = needed(p, "channel", "srcPort");
    channel.target = needed(p, "channel", "dstActor");
    channel.target_port = needed(p, "channel", "dstPort");
    channel.initial = number(p, "initialTokens", 0, 0);
    if (!name.text)
        return;
    channel.name = name.text;
    uint32_t other = weir_sdf3_find(s, WEIR_SDF3_CHANNELS, name.text);
    if (other != WEIR_SDF3_NONE) {
        weir_draft_mistake(p->draft, name.place, "channel \"%s\" is defined twice; the first is in line %u",
                           weir_quote(name.text, quoted), s->channels[other].place.line);
        return;
    }
    if (!weir_draft_room(p->draft, &s->channels, &s->channel_capacity, s->channel_count, sizeof *s->channels))
        return;
    weir_sdf3_name(s, WEIR_SDF3_CHANNELS, name.text, (uint32_t)s->channel_count);
    s->channels[s->channel_count++] = channel;
}

/* ---- properties ---- */

/* Properties stand behind the graph, so what they are of is known. */
static void begin_properties(struct parsing *p, const char *element, const char *kind, uint32_t scope)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT] = "";
    struct weir_sdf3_text name = needed(p, element, kind);
    p->subject = name.text ? weir_sdf3_find(p->sdf3, scope, name.text) : WEIR_SDF3_NONE;
    if (!name.text || p->subject != WEIR_SDF3_NONE)
        return;
    if (scope == WEIR_SDF3_ACTORS)
        weir_sdf3_hint(p->sdf3, name.text, near);
    weir_draft_mistake(p->draft, name.place, "there is no %s \"%s\" before this%s", kind, weir_quote(name.text, quoted), near);
}

/* Of several defaults SDF3 takes the last. */
static void begin_processor(struct parsing *p)
{
    p->is_default = raw_attribute(p, "default") != NULL && strcmp(raw_attribute(p, "default"), "false") != 0;
    if (p->subject == WEIR_SDF3_NONE)
        return;
    struct weir_sdf3_actor *actor = &p->sdf3->actors[p->subject];
    actor->processors++;
    if (p->is_default) {
        actor->chosen = true;
        actor->time.text = NULL;
    }
}

static void begin_execution_time(struct parsing *p)
{
    struct weir_sdf3_text time = needed(p, "executionTime", "time");
    if (p->subject == WEIR_SDF3_NONE)
        return;
    struct weir_sdf3_actor *actor = &p->sdf3->actors[p->subject];
    actor->told |= !time.text;
    if (p->is_default || !actor->chosen)
        actor->time = time;
}

static void begin_buffer_size(struct parsing *p)
{
    const char *size = raw_attribute(p, "sz");
    if (!size || strcmp(size, "-1") == 0) /* as SDF3 writes "without limit" */
        return;
    uint32_t value = number(p, "sz", 0, WEIR_SDF3_NUMBER_MAX);
    if (p->subject == WEIR_SDF3_NONE)
        return;
    struct weir_sdf3_channel *channel = &p->sdf3->channels[p->subject];
    channel->bounded = true;
    channel->size = value;
    channel->size_place = attribute_place(p, "sz");
}

/* ---- what weir adds to the files it writes ---- */

static void begin_model(struct parsing *p)
{
    p->sdf3->unit = attribute(p, "unit");
    p->sdf3->digits = number(p, "digits", 0, 0);
    if (p->sdf3->digits > WEIR_SDF3_DIGITS_MAX) {
        weir_draft_mistake(p->draft, attribute_place(p, "digits"), "\"digits\" is at most %d", WEIR_SDF3_DIGITS_MAX);
        p->sdf3->digits = 0;
    }
}

static void begin_interval(struct parsing *p)
{
    begin_properties(p, "interval", "actor", WEIR_SDF3_ACTORS);
    struct weir_sdf3_text best = needed(p, "interval", "best"), worst = needed(p, "interval", "worst");
    if (p->subject == WEIR_SDF3_NONE)
        return;
    struct weir_sdf3_actor *actor = &p->sdf3->actors[p->subject];
    actor->best = best;
    actor->worst = worst;
}

static void begin_latency(struct parsing *p)
{
    struct weir_sdf3 *s = p->sdf3;
    struct weir_sdf3_latency latency = {.place = element_place(p)};
    latency.from = needed(p, "latency", "from");
    latency.from_run = attribute(p, "fromRun");
    latency.to = needed(p, "latency", "to");
    latency.to_run = attribute(p, "toRun");
    latency.offset = attribute(p, "offset");
    latency.within = attribute(p, "within");
    if (weir_draft_room(p->draft, &s->latencies, &s->latency_capacity, s->latency_count, sizeof *s->latencies))
        s->latencies[s->latency_count++] = latency;
}

/* ---- from one element to the next ---- */

static void begin_actor_properties(struct parsing *p)
{
    begin_properties(p, "actorProperties", "actor", WEIR_SDF3_ACTORS);
}

static void begin_channel_properties(struct parsing *p)
{
    begin_properties(p, "channelProperties", "channel", WEIR_SDF3_CHANNELS);
}

static const struct known {
    const char *name, *parent;
    void (*begin)(struct parsing *parsing); /* NULL: nothing to do */
} known[] = {
    {"sdf3", "", begin_file},
    {"applicationGraph", "sdf3", NULL},
    {"sdf", "applicationGraph", begin_graph},
    {"actor", "sdf", begin_actor},
    {"port", "actor", begin_port},
    {"channel", "sdf", begin_channel},
    {"sdfProperties", "applicationGraph", NULL},
    {"actorProperties", "sdfProperties", begin_actor_properties},
    {"processor", "actorProperties", begin_processor},
    {"executionTime", "processor", begin_execution_time},
    {"channelProperties", "sdfProperties", begin_channel_properties},
    {"bufferSize", "channelProperties", begin_buffer_size},
    {"settings", "sdf3", NULL},
    {"model", "settings", begin_model},
    {"interval", "settings", begin_interval},
    {"latency", "settings", begin_latency},
};

static const char *parent(const struct parsing *p)
{
    return p->depth ? p->open[p->depth - 1] : "";
}

static const struct known *look_up(const struct parsing *p, const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].parent, parent(p)) == 0 && strcmp(known[i].name, name) == 0) {
            const char *type = strcmp(name, "settings") == 0 ? raw_attribute(p, "type") : "weir";
            return type && strcmp(type, "weir") == 0 ? &known[i] : NULL;
        }
    return NULL;
}

/* A graph holds nothing but actors and channels, an actor nothing but ports: anything else there is a slip of the pen. */
static void begin_unknown(struct parsing *p, const char *name)
{
    char quoted[WEIR_QUOTED];
    weir_quote(name, quoted);
    if (p->depth == 0) {
        weir_draft_mistake(p->draft, element_place(p), "this is XML, but not an SDF3 graph: it is a <%s>, not an <sdf3>", quoted);
        stop(p);
    } else if (strcmp(parent(p), "sdf") == 0) {
        weir_draft_mistake(p->draft, element_place(p), "unknown element <%s>; expected <actor> or <channel>", quoted);
    } else if (strcmp(parent(p), "actor") == 0) {
        weir_draft_mistake(p->draft, element_place(p), "unknown element <%s>; expected <port>", quoted);
    }
}

static void XMLCALL start_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct parsing *p = context;
    if (p->stopped)
        return;
    if (p->passed_over) {
        p->passed_over++;
        return;
    }
    p->attributes = attributes;
    const struct known *k = look_up(p, name);
    if (!k) {
        p->passed_over = 1;
        begin_unknown(p, name);
    } else {
        p->open[p->depth++] = k->name;
        if (k->begin)
            k->begin(p);
    }
    if (p->draft->out_of_memory)
        stop(p);
}

static void XMLCALL end_element(void *context, const XML_Char *name)
{
    struct parsing *p = context;
    (void)name;
    if (p->passed_over)
        p->passed_over--;
    else if (p->depth)
        p->depth--;
}

/* Declarations could define entities that stand for more than a computer holds. */
static void XMLCALL start_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                  int has_declarations)
{
    struct parsing *p = context;
    (void)name;
    (void)system;
    (void)public;
    if (!has_declarations || p->stopped)
        return;
    weir_draft_mistake(p->draft, element_place(p), "a DOCTYPE with declarations in it is not read");
    stop(p);
}

/* ---- the parser ---- */

static void *take(size_t bytes)
{
    return weir_resize(NULL, bytes ? bytes : 1);
}

static void *resize(void *old, size_t bytes)
{
    return weir_resize(old, bytes ? bytes : 1);
}

static void fail(struct parsing *p)
{
    enum XML_Error code = XML_GetErrorCode(p->parser);
    if (code == XML_ERROR_NO_MEMORY)
        p->draft->out_of_memory = true;
    bool told = p->stopped || p->draft->out_of_memory;
    p->stopped = true;
    if (!told)
        weir_draft_mistake(p->draft, element_place(p), "this is not XML: %s", XML_ErrorString(code));
}

bool weir_sdf3_parse(struct weir_sdf3 *s, const struct weir_file_text *text)
{
    const XML_Memory_Handling_Suite memory = {take, resize, weir_free};
    struct parsing p = {.sdf3 = s, .draft = s->draft, .text = text, .subject = WEIR_SDF3_NONE};
    p.parser = XML_ParserCreate_MM("UTF-8", &memory, NULL);
    if (!p.parser) {
        s->draft->out_of_memory = true;
        return false;
    }
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(p.parser, start_doctype);
    for (size_t at = 0; !p.stopped;) {
        size_t left = text->size - at, bytes = left < CHUNK ? left : CHUNK;
        if (XML_Parse(p.parser, text->bytes + at, (int)bytes, bytes == left) != XML_STATUS_OK)
            fail(&p);
        if (bytes == left)
            break;
        at += bytes;
    }
    if (!p.stopped && !p.seen_graph && !s->draft->out_of_memory)
        weir_draft_mistake(s->draft, (struct weir_place){1, 1},
                           "there is no graph in this file: no <sdf> in an <applicationGraph>");
    XML_ParserFree(p.parser);
    return !p.stopped;
}
