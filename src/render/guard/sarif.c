/* SPDX-License-Identifier: Apache-2.0 */
/* Results of SARIF 2.1.0, at the line of what makes a latency worse: code scanning shows them in the model. */
#include "base/error.h"
#include "base/json.h"
#include "render/guard/guard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void write_text(struct weir_json *json, const char *key, const char *text)
{
    weir_json_key(json, key);
    weir_json_text(json, text);
}

static void write_message(struct weir_json *json, const char *key, const char *text)
{
    weir_json_key(json, key);
    weir_json_object(json, WEIR_JSON_LINE);
    write_text(json, "text", text);
    weir_json_end(json);
}

/* A path as a reference of a URI. */
static void write_uri(struct weir_json *json, const char *path)
{
    char *uri = malloc(3 * strlen(path) + 3), *at = uri;
    if (!uri) {
        weir_json_text(json, path);
        return;
    }
    for (const char *c = path; *c; c++)
        if (isalnum((unsigned char)*c) || strchr("/-._~", *c))
            *at++ = *c;
        else
            at += snprintf(at, 4, "%%%02X", (unsigned)(unsigned char)*c);
    *at = 0;
    weir_json_text(json, uri);
    free(uri);
}

static void write_location(struct weir_json *json, const char *file, size_t line, size_t column, const char *words)
{
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "physicalLocation");
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "artifactLocation");
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "uri");
    write_uri(json, file);
    weir_json_end(json);
    weir_json_key(json, "region");
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "startLine");
    weir_json_integer(json, line ? (int64_t)line : 1);
    if (line && column) {
        weir_json_key(json, "startColumn");
        weir_json_integer(json, (int64_t)column);
    }
    weir_json_end(json);
    weir_json_end(json);
    if (words)
        write_message(json, "message", words);
    weir_json_end(json);
}

static void begin_result(struct weir_json *json, enum weir_guard_rule rule, const char *level)
{
    weir_json_object(json, WEIR_JSON_BLOCK);
    write_text(json, "ruleId", weir_guard_rule_name(rule));
    weir_json_key(json, "ruleIndex");
    weir_json_integer(json, (int64_t)rule);
    write_text(json, "level", level);
}

static void write_piece(FILE *out, const char *text)
{
    fputs(text, out);
}

static char *sentence_of(const struct weir_guard_finding *f)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "%s: ", f->latency);
    weir_guard_sentence(out, f, write_piece);
    return fclose(out) == 0 ? text : NULL;
}

static bool write_finding(struct weir_json *json, const struct weir_guard_model *model, const struct weir_guard_finding *f)
{
    static const char *const levels[] = {
        [WEIR_VERDICT_GOOD] = "note", [WEIR_VERDICT_OPEN] = "warning", [WEIR_VERDICT_BAD] = "error"};
    char *sentence = sentence_of(f);
    if (!sentence)
        return false;
    begin_result(json, weir_guard_rule_of(f), levels[f->verdict]);
    write_message(json, "message", sentence);
    free(sentence);
    weir_json_key(json, "locations");
    weir_json_array(json, WEIR_JSON_BLOCK);
    write_location(json, model->file, f->place.line, f->place.column, NULL);
    weir_json_end(json);
    weir_json_key(json, "relatedLocations");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < f->cause_count; i++)
        if (f->causes[i].place.line)
            write_location(json, model->file, f->causes[i].place.line, f->causes[i].place.column, f->causes[i].what);
    weir_json_end(json);
    weir_json_key(json, "partialFingerprints"); /* the same finding of another run, wherever the model has it then */
    weir_json_object(json, WEIR_JSON_LINE);
    write_text(json, "latency/v1", f->latency);
    weir_json_end(json);
    weir_json_end(json);
    return true;
}

static void write_whole(struct weir_json *json, const struct weir_guard_model *model)
{
    size_t line, column;
    const char *words = weir_guard_model_words(model, &line, &column);
    begin_result(json, WEIR_RULE_MODEL, model->verdict == WEIR_VERDICT_OPEN ? "warning" : "error");
    write_message(json, "message", words);
    weir_json_key(json, "locations");
    weir_json_array(json, WEIR_JSON_BLOCK);
    write_location(json, model->file, line, column, NULL);
    weir_json_end(json);
    weir_json_end(json);
}

static void write_tool(struct weir_json *json)
{
    weir_json_key(json, "tool");
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "driver");
    weir_json_object(json, WEIR_JSON_BLOCK);
    write_text(json, "name", "weir");
    write_text(json, "semanticVersion", weir_version());
    weir_json_key(json, "rules");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (int i = 0; i < WEIR_RULES; i++) {
        weir_json_object(json, WEIR_JSON_BLOCK);
        write_text(json, "id", weir_guard_rule_name((enum weir_guard_rule)i));
        write_message(json, "shortDescription", weir_guard_rule_words((enum weir_guard_rule)i));
        weir_json_end(json);
    }
    weir_json_end(json);
    weir_json_end(json);
    weir_json_end(json);
}

enum weir_status weir_guard_write_sarif(const struct weir_guard *guard, FILE *out, struct weir_error *error)
{
    struct weir_json json = {.out = out};
    bool good = true;
    weir_json_object(&json, WEIR_JSON_BLOCK);
    write_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    write_text(&json, "version", "2.1.0");
    weir_json_key(&json, "runs");
    weir_json_array(&json, WEIR_JSON_BLOCK);
    weir_json_object(&json, WEIR_JSON_BLOCK);
    write_tool(&json);
    write_text(&json, "columnKind", "unicodeCodePoints");
    weir_json_key(&json, "results");
    weir_json_array(&json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < weir_guard_count(guard); i++) {
        const struct weir_guard_model *model = weir_guard_at(guard, i);
        if (weir_guard_model_fails(model))
            write_whole(&json, model);
        for (size_t k = 0; k < model->finding_count && good; k++)
            if (weir_guard_rule_of(&model->findings[k]) != WEIR_RULE_NONE)
                good = write_finding(&json, model, &model->findings[k]);
    }
    weir_json_end(&json);
    weir_json_end(&json);
    weir_json_end(&json);
    weir_json_end(&json);
    fputc('\n', out);
    return good ? weir_written(out, "the results", error) : weir_fail_memory(error);
}
