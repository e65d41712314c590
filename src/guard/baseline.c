/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a baseline: for each model its latencies, as numbers in its unit, and the model. record.c writes it. */
#include "base/error.h"
#include "base/json.h"
#include "guard/guard.h"
#include "model/pipeline.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT ((weir_wide)1 << 62)

struct reading {
    struct weir_guard *guard;
    struct weir_draft draft;
    struct weir_errors *errors;
};

static const char *text_of(struct reading *r, const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *node = weir_yaml_find(map, key);
    if (node && node->kind == WEIR_YAML_SCALAR)
        return node->text;
    weir_draft_mistake(&r->draft, (node ? node : map)->place, "this baseline is damaged: expected a text or number as \"%s\"", key);
    return NULL;
}

/* ---- numbers ---- */

static bool make_ratio(struct weir_ratio *ticks, weir_wide numerator, weir_wide denominator, int exponent)
{
    for (; exponent > 0 && numerator < LIMIT && numerator > -LIMIT; exponent--)
        numerator *= 10;
    for (; exponent < 0 && denominator < LIMIT; exponent++)
        denominator *= 10;
    return exponent == 0 && denominator > 0 && weir_ratio_make(numerator, denominator, LIMIT, ticks);
}

/* The number behind the key as ticks, where there is one: exact where it stands as "KEY_exact", too. */
static bool read_number(struct reading *r, const struct weir_pipeline *p, const struct weir_yaml_node *map, const char *key,
                        struct weir_ratio *ticks)
{
    char name[32];
    struct weir_decimal value;
    const struct weir_yaml_node *node = weir_yaml_find(map, key);
    snprintf(name, sizeof name, "%s_exact", key);
    const struct weir_yaml_node *exact = weir_yaml_find(map, name);
    bool good = true;
    if (!node || weir_yaml_is_null(node))
        return true;
    if (exact && exact->kind == WEIR_YAML_LIST && exact->first && exact->first->next && exact->first->kind == WEIR_YAML_SCALAR &&
        exact->first->next->kind == WEIR_YAML_SCALAR)
        good =
            make_ratio(ticks, strtoll(exact->first->text, NULL, 10), strtoll(exact->first->next->text, NULL, 10), (int)p->digits);
    else
        good = node->kind == WEIR_YAML_SCALAR && weir_decimal_parse(node->text, &value) == WEIR_DECIMAL_OK && !value.has_unit &&
               make_ratio(ticks, value.mantissa, 1, value.exponent + (int)p->digits);
    if (!good)
        weir_draft_mistake(&r->draft, node->place, "this baseline is damaged: \"%s\" is not a number that can be counted", key);
    return good;
}

static bool read_claim(const char *word, enum weir_claim *claim)
{
    for (int i = 0; i <= WEIR_CLAIM_UNBOUNDED; i++)
        if (strcmp(weir_claim_name((enum weir_claim)i), word) == 0) {
            *claim = (enum weir_claim)i;
            return true;
        }
    return false;
}

static bool read_state(const char *word, enum weir_deadline_state *state)
{
    for (int i = 0; i <= WEIR_DEADLINE_MISSED; i++)
        if (strcmp(weir_deadline_state_name((enum weir_deadline_state)i), word) == 0) {
            *state = (enum weir_deadline_state)i;
            return true;
        }
    return false;
}

/* ---- latencies ---- */

static bool read_ends(struct reading *r, const struct weir_pipeline *p, const struct weir_yaml_node *map, struct weir_bound *bound)
{
    bound->whole = weir_yaml_find(map, "whole") != NULL;
    if (bound->whole)
        return true;
    const char *from = text_of(r, map, "from"), *to = text_of(r, map, "to");
    const struct weir_yaml_node *shift = weir_yaml_find(map, "shift");
    if (!from || !to)
        return false;
    if (!weir_pipeline_find(p, from, &bound->chain.from) || !weir_pipeline_find(p, to, &bound->chain.to)) {
        weir_draft_mistake(&r->draft, map->place,
                           "this baseline is damaged: the latency is of operators that its model does not have");
        return false;
    }
    bound->chain.has_shift = shift && shift->kind == WEIR_YAML_SCALAR;
    bound->chain.shift = bound->chain.has_shift ? strtoll(shift->text, NULL, 10) : 0;
    return true;
}

static bool read_bound(struct reading *r, const struct weir_pipeline *p, const struct weir_yaml_node *map, struct weir_bound *bound)
{
    struct weir_ratio deadline = {0, 0};
    const char *claim = text_of(r, map, "claim"), *state = text_of(r, map, "state");
    if (!claim || !state || !read_ends(r, p, map, bound) || !read_number(r, p, map, "worst", &bound->worst.high) ||
        !read_number(r, p, map, "worst_lower", &bound->worst.low) || !read_number(r, p, map, "deadline", &deadline))
        return false;
    bool holds = false;
    if (read_claim(claim, &bound->worst.claim) && read_state(state, &bound->state)) {
        holds = bound->worst.claim != WEIR_CLAIM_EXACT && bound->worst.claim != WEIR_CLAIM_SAFE;
        holds |= bound->worst.high.denominator > 0;
    }
    if (!holds)
        weir_draft_mistake(&r->draft, map->place, "this baseline is damaged: the latency is \"%s\" and \"%s\"", claim, state);
    if (bound->worst.claim == WEIR_CLAIM_EXACT)
        bound->worst.low = bound->worst.high;
    bound->has_deadline = deadline.denominator == 1;
    bound->deadline = bound->has_deadline ? deadline.numerator : 0;
    return holds;
}

static void read_bounds(struct reading *r, struct weir_guard_record *record, const struct weir_yaml_node *list)
{
    size_t count = 0;
    for (const struct weir_yaml_node *item = list->first; item; item = item->next)
        count++;
    record->bounds = weir_arena_array(&r->guard->arena, count ? count : 1, sizeof *record->bounds);
    r->draft.out_of_memory |= !record->bounds;
    for (const struct weir_yaml_node *item = list->first; item && record->bounds; item = item->next) {
        struct weir_bound *bound = &record->bounds[record->bound_count];
        memset(bound, 0, sizeof *bound);
        if (item->kind == WEIR_YAML_MAP && read_bound(r, record->pipeline, item, bound))
            record->bound_count++;
    }
}

/* ---- models ---- */

static void read_model(struct reading *r, const struct weir_yaml_node *item)
{
    struct weir_guard *guard = r->guard;
    const struct weir_yaml_node *model = weir_yaml_find(item, "model"), *latency = weir_yaml_find(item, "latency");
    const char *file = item->kind == WEIR_YAML_MAP ? text_of(r, item, "file") : NULL;
    if (!file || !model || model->kind != WEIR_YAML_MAP || !latency || latency->kind != WEIR_YAML_LIST) {
        weir_draft_mistake(&r->draft, item->place,
                           "this baseline is damaged: expected a model with \"file\", \"latency\" and \"model\"");
        return;
    }
    if (!weir_reserve(&guard->records, &guard->record_capacity, guard->record_count + 1, sizeof *guard->records)) {
        r->draft.out_of_memory = true;
        return;
    }
    struct weir_guard_record *record = &guard->records[guard->record_count++];
    *record = (struct weir_guard_record){.file = file};
    const struct weir_read_options options = {.no_files = true};
    enum weir_status status = weir_read_node(model, r->draft.file, &options, &record->pipeline, r->errors);
    r->draft.out_of_memory |= status == WEIR_MEMORY;
    if (status)
        weir_draft_mistake(&r->draft, model->place,
                           "the baseline's copy of %s cannot be read by this version of weir; "
                           "rewrite the baseline: weir check --update",
                           file);
    else
        read_bounds(r, record, latency);
}

static void read_root(struct reading *r, const struct weir_yaml_node *root)
{
    const struct weir_yaml_node *models = weir_yaml_find(root, "models"), *kind = weir_yaml_find(root, "weir-baseline");
    if (!kind || kind->kind != WEIR_YAML_SCALAR || strcmp(kind->text, "1") != 0 || !models || models->kind != WEIR_YAML_LIST) {
        weir_draft_mistake(&r->draft, root ? root->place : (struct weir_place){1, 1},
                           kind ? "this baseline is of a version that this weir does not know"
                                : "this is no baseline; make one: weir check MODEL... --update");
        return;
    }
    r->guard->version = text_of(r, root, "version");
    for (const struct weir_yaml_node *item = models->first; item && !r->draft.out_of_memory; item = item->next)
        read_model(r, item);
}

enum weir_status weir_baseline_read(struct weir_guard *guard, const char *path, struct weir_errors *errors)
{
    static const struct weir_read_options none = {0};
    struct reading r = {.guard = guard, .draft = {.file = path, .errors = errors, .options = &none}, .errors = errors};
    struct weir_file_text text = {0};
    enum weir_status status = weir_draft_init(&r.draft) ? WEIR_OK : WEIR_MEMORY;
    if (!status)
        status = weir_draft_read_text(&r.draft, path, WEIR_READ_YAML_BYTES_MAX, "baselines", &text);
    if (!status) {
        size_t before = r.draft.mistakes;
        const struct weir_yaml_node *root = weir_yaml_parse(&r.draft, &text, &guard->arena, false);
        if (r.draft.mistakes == before && !r.draft.out_of_memory)
            read_root(&r, root);
        status = r.draft.out_of_memory ? WEIR_MEMORY : r.draft.mistakes ? WEIR_INVALID : WEIR_OK;
    }
    weir_free(text.owned);
    weir_draft_free(&r.draft);
    return status;
}
