/* SPDX-License-Identifier: Apache-2.0 */
/* Model files in pieces: a pipeline as the tree of its file, a tree as JSON, and files in which some parts are as they were. */
#include "guard/guard.h"

#include "base/error.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- trees as text ---- */

/* A level of the tree is at most one of WEIR_YAML_DEPTH_MAX. */
void weir_node_write(struct weir_json *json, const struct weir_yaml_node *node, unsigned blocks)
{
    const struct weir_yaml_node *stack[WEIR_YAML_DEPTH_MAX + 2], *at = node;
    bool in_map[WEIR_YAML_DEPTH_MAX + 2];
    size_t depth = 0;
    for (;;) {
        if (at->kind == WEIR_YAML_MAP || at->kind == WEIR_YAML_LIST) {
            enum weir_json_layout layout = depth < blocks ? WEIR_JSON_BLOCK : WEIR_JSON_LINE;
            (at->kind == WEIR_YAML_MAP ? weir_json_object : weir_json_array)(json, layout);
            in_map[depth] = at->kind == WEIR_YAML_MAP;
            stack[depth++] = at->first;
        } else if (at->quoted) {
            weir_json_text(json, at->text);
        } else {
            weir_json_raw(json, at->text);
        }
        while (depth > 0 && !stack[depth - 1]) {
            weir_json_end(json);
            depth--;
        }
        if (depth == 0)
            return;
        at = stack[depth - 1];
        if (in_map[depth - 1]) {
            weir_json_key(json, at->text);
            at = at->next;
        }
        stack[depth - 1] = at->next;
    }
}

const char *weir_text_make(struct weir_arena *arena, weir_text_writer *writer, const void *context)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    struct weir_json json = {.out = out};
    writer(&json, context);
    bool good = !ferror(out);
    good &= fclose(out) == 0;
    const char *kept = good ? weir_arena_bytes(arena, text, bytes) : NULL;
    free(text);
    return kept;
}

/* ---- pipelines as trees ---- */

struct written {
    const struct weir_pipeline *pipeline;
    struct weir_error *error;
    enum weir_status *status;
};

static void write_model(struct weir_json *json, const void *context)
{
    const struct written *w = context;
    *w->status = weir_pipeline_write(w->pipeline, WEIR_MODEL_JSON, 0, json->out, w->error);
}

const struct weir_yaml_node *weir_model_tree(const struct weir_pipeline *pipeline, struct weir_arena *arena,
                                             struct weir_error *error)
{
    static const struct weir_read_options none = {0};
    enum weir_status status = WEIR_OK;
    const struct written written = {pipeline, error, &status};
    const char *model = weir_text_make(arena, write_model, &written);
    if (status)
        return NULL;
    struct weir_draft draft = {.options = &none};
    struct weir_file_text text = {.bytes = model, .size = model ? strlen(model) : 0};
    const struct weir_yaml_node *root = NULL;
    if (model && weir_draft_init(&draft) && weir_text_check(&draft, &text))
        root = weir_yaml_parse(&draft, &text, arena, false);
    if (!root)
        weir_fail_memory(error); /* what the writer writes can be read */
    weir_draft_free(&draft);
    return root;
}

/* ---- variants ---- */

struct variant {
    const struct weir_guard_difference *difference;
    int side;
    uint32_t group;
};

static const struct weir_yaml_node *pick(const struct variant *v, const struct weir_guard_part *part)
{
    return part->nodes[part->group == v->group ? !v->side : v->side];
}

static bool has_parts(const struct variant *v, const char *section)
{
    for (size_t i = 0; i < v->difference->part_count; i++)
        if (strcmp(v->difference->parts[i].section, section) == 0 && pick(v, &v->difference->parts[i]))
            return true;
    return false;
}

static void write_parts(struct weir_json *json, const struct variant *v, const char *section, bool list)
{
    for (size_t i = 0; i < v->difference->part_count; i++) {
        const struct weir_guard_part *part = &v->difference->parts[v->difference->order[v->side][i]];
        const struct weir_yaml_node *node = strcmp(part->section, section) == 0 ? pick(v, part) : NULL;
        if (!node)
            continue;
        if (!list)
            weir_json_key(json, part->name);
        weir_node_write(json, node, 0);
    }
}

static void write_section(struct weir_json *json, const struct variant *v, const char *section, const char *key, bool list)
{
    if (!has_parts(v, section))
        return;
    weir_json_key(json, key);
    (list ? weir_json_array : weir_json_object)(json, WEIR_JSON_BLOCK);
    write_parts(json, v, section, list);
    weir_json_end(json);
}

static void write_variant(struct weir_json *json, const void *context)
{
    static const struct {
        const char *key;
        bool list;
    } sections[] = {{"processors", false},  {"operators", false}, {"kernels", false}, {"queues", true},
                    {"dependencies", true}, {"sources", true},    {"measure", true},  {"deadlines", true}};
    const struct variant *v = context;
    weir_json_object(json, WEIR_JSON_BLOCK);
    write_parts(json, v, "", false); /* keys at the top */
    if (has_parts(v, "platform") || has_parts(v, "platform.gpu")) {
        weir_json_key(json, "platform");
        weir_json_object(json, WEIR_JSON_BLOCK);
        write_parts(json, v, "platform", false);
        write_section(json, v, "platform.gpu", "gpu", false);
        weir_json_end(json);
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        write_section(json, v, sections[i].key, sections[i].key, sections[i].list);
    weir_json_end(json);
}

enum weir_status weir_variant_read(const struct weir_guard_difference *difference, int side, uint32_t group,
                                   struct weir_pipeline **pipeline)
{
    const struct variant variant = {difference, side, group};
    struct weir_arena arena = {0};
    const char *text = weir_text_make(&arena, write_variant, &variant);
    *pipeline = NULL;
    enum weir_status status = text ? weir_read_memory(text, strlen(text), "variant", NULL, pipeline, NULL) : WEIR_MEMORY;
    weir_arena_free(&arena);
    return status == WEIR_MEMORY ? status : WEIR_OK;
}
