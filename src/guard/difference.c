/* SPDX-License-Identifier: Apache-2.0 */
/* In what two model files differ, part by part: an operator, a queue, a latency, a key of the platform. */
#include "guard/guard.h"

#include "base/error.h"
#include "base/json.h"
#include "base/map.h"
#include "model/pipeline.h"

#include <string.h>

struct finding {
    struct weir_guard_difference *difference;
    struct weir_names names; /* "section/name" to parts */
    int side;
    size_t seen; /* parts of this side, so far */
};

static const char *format(struct finding *f, const char *a, const char *b, const char *c)
{
    size_t bytes = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = weir_arena_take(&f->difference->arena, bytes);
    if (text)
        snprintf(text, bytes, "%s%s%s", a, b, c);
    f->difference->out_of_memory |= !text;
    return text;
}

static void write_line(struct weir_json *json, const void *node)
{
    weir_node_write(json, node, 0);
}

/* ---- parts ---- */

static bool has_order(struct weir_guard_difference *d, size_t count)
{
    size_t capacity = d->part_capacity;
    if (!weir_reserve(&d->parts, &d->part_capacity, count + 1, sizeof *d->parts))
        return false;
    for (int side = 0; side < WEIR_SIDES && d->part_capacity != capacity; side++) {
        size_t old = capacity;
        if (!weir_reserve(&d->order[side], &old, d->part_capacity, sizeof **d->order))
            return false;
    }
    return true;
}

static void add_part(struct finding *f, const struct weir_guard_part *part, const struct weir_yaml_node *node)
{
    struct weir_guard_difference *d = f->difference;
    const char *key = format(f, part->section, "/", part->name);
    const char *text = weir_text_make(&d->arena, write_line, node);
    d->out_of_memory |= !text;
    if (d->out_of_memory)
        return;
    uint32_t at = weir_names_find(&f->names, key, strlen(key));
    if (at == WEIR_MAP_NONE) {
        at = (uint32_t)d->part_count;
        if (!has_order(d, d->part_count) || !weir_names_add(&f->names, key, at)) {
            d->out_of_memory = true;
            return;
        }
        d->parts[d->part_count++] = *part;
    }
    d->parts[at].nodes[f->side] = node;
    d->parts[at].texts[f->side] = text;
    d->order[f->side][f->seen++] = at;
}

static const char *text_of(const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *node = weir_yaml_find(map, key);
    return node && node->kind == WEIR_YAML_SCALAR ? node->text : NULL;
}

/* Of several of the same name, the second is "a -> b#2". */
static const char *number_name(struct finding *f, const char *section, const char *name)
{
    char suffix[24] = "";
    for (unsigned n = 2; name; n++) {
        const char *numbered = format(f, name, suffix, ""), *key = numbered ? format(f, section, "/", numbered) : NULL;
        uint32_t at = key ? weir_names_find(&f->names, key, strlen(key)) : WEIR_MAP_NONE;
        if (at == WEIR_MAP_NONE || !f->difference->parts[at].nodes[f->side])
            return numbered;
        snprintf(suffix, sizeof suffix, "#%u", n);
    }
    return NULL;
}

static void add_items(struct finding *f, const char *section, const struct weir_yaml_node *list)
{
    for (const struct weir_yaml_node *item = list->first; item && !f->difference->out_of_memory; item = item->next) {
        const char *from = text_of(item, "from"), *to = text_of(item, "to"), *op = text_of(item, "operator");
        const char *name = from && to ? format(f, from, " -> ", to) : op ? op : "";
        const char *numbered = number_name(f, section, name);
        struct weir_guard_part part = {.section = section, .name = numbered, .ends = {from ? from : op, to}};
        if (numbered)
            add_part(f, &part, item);
    }
}

static void add_map(struct finding *f, const char *section, const struct weir_yaml_node *map)
{
    for (const struct weir_yaml_node *key = map->first; key && !f->difference->out_of_memory; key = key->next->next) {
        struct weir_guard_part part = {.section = section, .name = key->text};
        if (strcmp(section, "operators") == 0 || strcmp(section, "kernels") == 0)
            part.ends[0] = key->text;
        if (strcmp(section, "platform") == 0 && key->next->kind == WEIR_YAML_MAP)
            add_map(f, "platform.gpu", key->next);
        else
            add_part(f, &part, key->next);
    }
}

static void add_all(struct finding *f, const struct weir_yaml_node *root)
{
    for (const struct weir_yaml_node *key = root->first; key && !f->difference->out_of_memory; key = key->next->next) {
        struct weir_guard_part part = {.section = "", .name = key->text};
        if (strcmp(key->text, "name") == 0)
            ; /* a name changes no latency */
        else if (key->next->kind == WEIR_YAML_MAP)
            add_map(f, key->text, key->next);
        else if (key->next->kind == WEIR_YAML_LIST)
            add_items(f, key->text, key->next);
        else
            add_part(f, &part, key->next);
    }
}

/* ---- groups ---- */

static bool differs(const struct weir_guard_part *part)
{
    return !part->texts[0] || !part->texts[1] || strcmp(part->texts[0], part->texts[1]) != 0;
}

static bool is_definition(const struct weir_guard_part *part)
{
    return strcmp(part->section, "operators") == 0 || strcmp(part->section, "kernels") == 0;
}

/* The part that defines the operator, where it is only on one side; or NULL. */
static struct weir_guard_part *find_half(const struct finding *f, const char *section, const char *name)
{
    char key[1024];
    if (!name || snprintf(key, sizeof key, "%s/%s", section, name) >= (int)sizeof key)
        return NULL;
    uint32_t at = weir_names_find(&f->names, key, strlen(key));
    struct weir_guard_part *part = at == WEIR_MAP_NONE ? NULL : &f->difference->parts[at];
    return part && !(part->nodes[0] && part->nodes[1]) ? part : NULL;
}

static void rename_group(struct weir_guard_difference *d, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < d->part_count && from != to; i++)
        if (d->parts[i].group == from)
            d->parts[i].group = to;
}

/* Numbers from 0, in the order of the parts. */
static void number_groups(struct weir_guard_difference *d)
{
    for (size_t i = 0; i < d->part_count; i++) {
        uint32_t group = d->parts[i].group;
        if (group == UINT32_MAX || group < d->group_count)
            continue;
        rename_group(d, group, (uint32_t)d->group_count++);
    }
}

/* A queue cannot be where an operator is not: what is only on one side and about an operator that is so too belongs to it. */
static void make_groups(const struct finding *f)
{
    struct weir_guard_difference *d = f->difference;
    const uint32_t above = (uint32_t)d->part_count; /* numbers that are no final ones */
    for (size_t i = 0; i < d->part_count; i++)
        d->parts[i].group = differs(&d->parts[i]) ? above + (uint32_t)i : UINT32_MAX;
    for (size_t i = 0; i < d->part_count; i++) {
        struct weir_guard_part *part = &d->parts[i];
        if (part->group == UINT32_MAX || is_definition(part) || (part->nodes[0] && part->nodes[1]))
            continue;
        for (int end = 0; end < 2; end++) {
            struct weir_guard_part *half = find_half(f, "operators", part->ends[end]);
            half = half ? half : find_half(f, "kernels", part->ends[end]);
            if (half)
                rename_group(d, part->group, half->group);
        }
    }
    number_groups(d);
}

/* ---- all ---- */

/* Behind what a side has comes what it has not. */
static void complete_order(struct weir_guard_difference *d, int side, size_t seen)
{
    for (size_t i = 0; i < d->part_count; i++)
        if (!d->parts[i].nodes[side])
            d->order[side][seen++] = (uint32_t)i;
}

enum weir_status weir_difference_find(struct weir_guard_difference *d, const struct weir_pipeline *before,
                                      const struct weir_pipeline *after, struct weir_error *error)
{
    const struct weir_pipeline *pipelines[] = {before, after};
    struct finding f = {.difference = d};
    size_t seen[WEIR_SIDES] = {0};
    *d = (struct weir_guard_difference){.same = true};
    enum weir_status status = WEIR_OK;
    for (f.side = 0; f.side < WEIR_SIDES && !status; f.side++) {
        struct weir_error wrong = {.status = WEIR_MEMORY};
        const struct weir_yaml_node *root = weir_model_tree(pipelines[f.side], &d->arena, &wrong);
        f.seen = 0;
        if (root)
            add_all(&f, root);
        else
            status = weir_fail(error, wrong.status, "%s", wrong.message);
        seen[f.side] = f.seen;
    }
    if (d->out_of_memory)
        status = weir_fail_memory(error);
    if (!status) {
        make_groups(&f);
        for (int side = 0; side < WEIR_SIDES; side++)
            complete_order(d, side, seen[side]);
        d->same =
            d->group_count == 0 && (!d->part_count || memcmp(d->order[0], d->order[1], d->part_count * sizeof **d->order) == 0);
    }
    weir_names_free(&f.names);
    return status;
}

void weir_difference_free(struct weir_guard_difference *d)
{
    weir_arena_free(&d->arena);
    weir_free(d->parts);
    weir_free(d->order[0]);
    weir_free(d->order[1]);
}

/* ---- words and places ---- */

/* "operator detect", "the platform" */
static const char *part_name(struct weir_answer *answer, const struct weir_guard_part *part)
{
    static const struct {
        const char *section, *word;
    } words[] = {{"operators", "operator"}, {"kernels", "kernel"},          {"processors", "processor"},
                 {"queues", "queue"},       {"dependencies", "dependency"}, {"sources", "source of"},
                 {"measure", "latency"},    {"deadlines", "deadline of"},   {"platform", "platform"},
                 {"platform.gpu", "gpu"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].section, part->section) == 0)
            return weir_answer_format(answer, "%s %s", words[i].word, part->name);
    return part->name;
}

static const char *value_text(struct weir_answer *answer, const struct weir_yaml_node *node)
{
    return node ? weir_text_make(&answer->arena, write_line, node) : "default";
}

/* ": time [20, 30] -> [20, 40], priority 1 -> 2" */
static const char *keys_words(struct weir_answer *answer, const struct weir_yaml_node *before, const struct weir_yaml_node *after)
{
    const struct weir_yaml_node *maps[] = {after, before};
    const char *words = "";
    for (int i = 0; i < 2 && words; i++)
        for (const struct weir_yaml_node *key = maps[i]->first; key && words; key = key->next->next) {
            const struct weir_yaml_node *other = weir_yaml_find(maps[!i], key->text);
            if (i == 1 && other)
                continue; /* told already */
            const char *was = value_text(answer, i ? key->next : other), *is = value_text(answer, i ? other : key->next);
            if (was && is && strcmp(was, is) != 0)
                words = weir_answer_format(answer, "%s%s %s %s -> %s", words, *words ? "," : ":", key->text, was, is);
        }
    return words;
}

static const char *part_words(struct weir_answer *answer, const struct weir_guard_part *part)
{
    const struct weir_yaml_node *b = part->nodes[WEIR_BEFORE], *a = part->nodes[WEIR_AFTER];
    const char *name = part_name(answer, part), *words = NULL;
    if (!name)
        return NULL;
    if (!a || !b)
        return a && a->kind == WEIR_YAML_SCALAR ? weir_answer_format(answer, "%s: %s, was not given", name, part->texts[WEIR_AFTER])
               : b && b->kind == WEIR_YAML_SCALAR
                   ? weir_answer_format(answer, "%s: not given, was %s", name, part->texts[WEIR_BEFORE])
                   : weir_answer_format(answer, "%s: %s", name, a ? "new" : "gone");
    if (a->kind == WEIR_YAML_MAP && b->kind == WEIR_YAML_MAP && (words = keys_words(answer, b, a)))
        return weir_answer_format(answer, "%s%s", name, words);
    return weir_answer_format(answer, "%s: %s -> %s", name, part->texts[WEIR_BEFORE], part->texts[WEIR_AFTER]);
}

const char *weir_difference_words(const struct weir_guard_difference *d, uint32_t group, struct weir_answer *answer)
{
    enum { TOLD = 4 };
    const char *words = NULL;
    size_t count = 0;
    for (size_t i = 0; i < d->part_count; i++) {
        if (d->parts[i].group != group || count++ >= TOLD)
            continue;
        const char *one = part_words(answer, &d->parts[i]);
        words = words && one ? weir_answer_format(answer, "%s; %s", words, one) : one;
    }
    return words && count > TOLD ? weir_answer_format(answer, "%s; and %zu more", words, count - TOLD) : words;
}

static struct weir_place place_of(const struct weir_guard_part *part, const struct weir_pipeline *p)
{
    struct weir_operator from = {0}, to = {0};
    bool has_from = part->ends[0] && weir_pipeline_find(p, part->ends[0], &from);
    bool has_to = part->ends[1] && weir_pipeline_find(p, part->ends[1], &to);
    if (strcmp(part->section, "queues") == 0 || strcmp(part->section, "dependencies") == 0)
        for (size_t i = 0; i < p->queue_count && has_from && has_to; i++)
            if (p->queues[i].from.index == from.index && p->queues[i].to.index == to.index && p->queues[i].place.line)
                return p->queues[i].place;
    if (strcmp(part->section, "sources") == 0)
        for (size_t i = 0; i < p->source_count && has_from; i++)
            if (p->sources[i].op.index == from.index && p->sources[i].place.line)
                return p->sources[i].place;
    if (strcmp(part->section, "deadlines") == 0 || strcmp(part->section, "measure") == 0)
        for (size_t i = 0; i < p->chain_count && has_from && has_to; i++)
            if (p->chains[i].from.index == from.index && p->chains[i].to.index == to.index && p->chains[i].place.line)
                return p->chains[i].place;
    for (size_t i = 0; i < p->processor_count && strcmp(part->section, "processors") == 0; i++)
        if (strcmp(p->processors[i].name, part->name) == 0)
            return p->processors[i].place;
    if (strcmp(part->section, "platform.gpu") == 0)
        return p->gpu.place;
    if (strcmp(part->section, "platform") == 0)
        return p->workers.place;
    return has_from ? p->operators[from.index].place : (struct weir_place){0, 0};
}

struct weir_place weir_difference_place(const struct weir_guard_difference *d, uint32_t group, const struct weir_pipeline *today)
{
    struct weir_place place = {0, 0};
    for (size_t i = 0; i < d->part_count && !place.line; i++)
        if (d->parts[i].group == group)
            place = place_of(&d->parts[i], today);
    return place;
}
