/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a baseline: models by the names of their files, so that the order of the command line does not matter, with a line for
 * each latency, operator and queue, so that a change of it can be read as a difference of lines. */
#include "base/error.h"
#include "base/json.h"
#include "guard/guard.h"
#include "model/pipeline.h"

#include <stdlib.h>
#include <string.h>

static void write_number(struct weir_json *json, const struct weir_pipeline *p, const char *key, struct weir_ratio ticks)
{
    char name[32];
    struct weir_ratio exact;
    weir_wide scale = 1;
    if (ticks.denominator == 0)
        return;
    weir_json_key(json, key);
    weir_json_ratio(json, ticks, p->digits);
    for (unsigned i = 0; i < p->digits; i++)
        scale *= 10;
    if (ticks.denominator == 1 || !weir_ratio_make(ticks.numerator, ticks.denominator * scale, (weir_wide)1 << 62, &exact))
        return;
    snprintf(name, sizeof name, "%s_exact", key);
    weir_json_key(json, name);
    weir_json_array(json, WEIR_JSON_LINE);
    weir_json_integer(json, exact.numerator);
    weir_json_integer(json, exact.denominator);
    weir_json_end(json);
}

static void write_text(struct weir_json *json, const char *key, const char *text)
{
    weir_json_key(json, key);
    weir_json_text(json, text);
}

static void write_bound(struct weir_json *json, const struct weir_pipeline *p, const struct weir_bound *bound)
{
    weir_json_object(json, WEIR_JSON_LINE);
    if (bound->whole) {
        weir_json_key(json, "whole");
        weir_json_bool(json, true);
    } else {
        write_text(json, "from", p->operators[bound->chain.from.index].name);
        write_text(json, "to", p->operators[bound->chain.to.index].name);
    }
    if (!bound->whole && bound->chain.has_shift) {
        weir_json_key(json, "shift");
        weir_json_integer(json, bound->chain.shift);
    }
    write_number(json, p, "worst", bound->worst.high);
    if (bound->worst.claim != WEIR_CLAIM_EXACT)
        write_number(json, p, "worst_lower", bound->worst.low);
    write_text(json, "claim", weir_claim_name(bound->worst.claim));
    if (bound->has_deadline)
        write_number(json, p, "deadline", (struct weir_ratio){bound->deadline, 1});
    write_text(json, "state", weir_deadline_state_name(bound->state));
    weir_json_end(json);
}

static enum weir_status write_entry(struct weir_json *json, const struct weir_guard_entry *entry, struct weir_error *error)
{
    struct weir_arena arena = {0};
    struct weir_error unasked = {0};
    error = error ? error : &unasked;
    const struct weir_yaml_node *tree = weir_model_tree(entry->pipeline, &arena, error);
    if (tree) {
        weir_json_object(json, WEIR_JSON_BLOCK);
        write_text(json, "file", entry->model.file);
        write_text(json, "engine", weir_answer_engine(entry->today));
        weir_json_key(json, "latency");
        weir_json_array(json, WEIR_JSON_BLOCK);
        for (size_t i = 0; i < entry->today->bound_count; i++)
            write_bound(json, entry->pipeline, &entry->today->bounds[i]);
        weir_json_end(json);
        weir_json_key(json, "model");
        weir_node_write(json, tree, 2);
        weir_json_end(json);
    }
    weir_arena_free(&arena);
    return tree ? WEIR_OK : error->status;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp((*(const struct weir_guard_entry *const *)a)->model.file,
                  (*(const struct weir_guard_entry *const *)b)->model.file);
}

enum weir_status weir_guard_write(const struct weir_guard *guard, FILE *out, struct weir_error *error)
{
    const struct weir_guard_entry **sorted = weir_array(guard->entry_count + 1, sizeof *sorted);
    struct weir_json json = {.out = out};
    enum weir_status status = WEIR_OK;
    size_t count = 0;
    if (!sorted)
        return weir_fail_memory(error);
    for (size_t i = 0; i < guard->entry_count; i++)
        if (guard->entries[i].today)
            sorted[count++] = &guard->entries[i];
    qsort(sorted, count, sizeof *sorted, compare_files);
    weir_json_object(&json, WEIR_JSON_BLOCK);
    weir_json_key(&json, "weir-baseline");
    weir_json_integer(&json, 1);
    write_text(&json, "version", weir_version());
    weir_json_key(&json, "models");
    weir_json_array(&json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < count && !status; i++)
        status = write_entry(&json, sorted[i], error);
    weir_json_end(&json);
    weir_json_end(&json);
    fputc('\n', out);
    weir_free(sorted);
    return status ? status : weir_written(out, "the baseline", error);
}
