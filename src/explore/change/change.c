/* SPDX-License-Identifier: Apache-2.0 */
/* What if: reads changes, makes them, and says what is wrong with them. */
#include "explore/change/change.h"

#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

/* ---- before reading ---- */

/* Each text has its lines; a limit on their number keeps places within what can be counted. */
#define LINES_MAX (UINT32_C(1) << 20)

static bool number_lines(struct weir_revision *r)
{
    uint64_t line = 1;
    r->lines = weir_array(r->count + 1, sizeof *r->lines);
    if (!r->lines)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        r->lines[i] = line < LINES_MAX ? (uint32_t)line : LINES_MAX;
        line++;
        for (const char *c = r->changes[i].text; *c; c++)
            line += *c == '\n';
    }
    r->lines[r->count] = line < LINES_MAX ? (uint32_t)line : LINES_MAX;
    return true;
}

static bool begin(struct weir_revision *r)
{
    const struct weir_pipeline *p = r->pipeline;
    struct weir_draft *d = &r->draft;
    r->found = weir_errors_new();
    r->gone_operators = weir_array_zeroed(p->operator_count, 1);
    r->gone_queues = weir_array_zeroed(p->queue_count, 1);
    r->renumbered = weir_array_zeroed(p->operator_count, sizeof *r->renumbered);
    d->options = &r->reading;
    d->errors = r->found;
    d->has_unit = true;
    d->unit = p->unit;
    d->gpu = p->platform == WEIR_PLATFORM_GPU;
    d->shared = p->platform == WEIR_PLATFORM_PROCESSORS;
    d->pool = p->platform == WEIR_PLATFORM_CORES;
    d->processors_listed = true;
    return weir_draft_init(d) && r->found && r->gone_operators && r->gone_queues && r->renumbered && number_lines(r);
}

/* What is left of the pipeline, by name; from here on its operators have the numbers of the new one. */
static void name_kept(struct weir_revision *r)
{
    const struct weir_pipeline *p = r->pipeline;
    struct weir_draft *d = &r->draft;
    const struct weir_place nowhere = {0, 0};
    for (size_t i = 0; i < p->processor_count && !d->out_of_memory; i++) {
        uint32_t number = weir_draft_add_processor(d, p->processors[i].name, nowhere);
        if (number != WEIR_NO_PROCESSOR)
            d->processors[number].spec.sharing = p->processors[i].sharing;
    }
    for (size_t i = 0; i < p->operator_count && !d->out_of_memory; i++) {
        const char *name = p->operators[i].name;
        r->renumbered[i] = WEIR_NO_OPERATOR;
        if (!r->gone_operators[i])
            r->renumbered[i] = weir_draft_add_operator(d, name, strlen(name), nowhere);
    }
    r->kept_operators = d->operator_count;
}

/* ---- ticks ---- */

/* A tick that holds the times of the pipeline as well as those of the changes. */
static void choose_tick(struct weir_revision *r)
{
    struct weir_draft *d = &r->draft;
    struct weir_decimal tick = {
        .mantissa = 1, .exponent = -(int)r->pipeline->digits, .has_unit = d->unit != WEIR_UNIT_TICK, .unit = d->unit};
    weir_draft_decimal(d, &tick, (struct weir_place){0, 0});
    r->digits = weir_draft_choose_tick(d);
    weir_draft_check_added(d, r->digits);
    r->scale = 1;
    for (unsigned i = r->pipeline->digits; i < r->digits; i++)
        r->scale *= 10;
}

static void take_ticks(const struct weir_draft *d, const struct weir_key *key, struct weir_value *value)
{
    if (key->type != WEIR_VALUE_TIME && key->type != WEIR_VALUE_INTERVAL)
        return;
    for (int i = 0; i < 2; i++)
        value->numbers[i] = d->times[value->times[i]].ticks;
}

static void count_ticks(struct weir_revision *r)
{
    for (size_t i = 0; i < r->assignment_count; i++) {
        struct weir_assignment *a = &r->assignments[i];
        for (size_t j = 0; j < a->item_count && a->count; j++) {
            const struct weir_key *key = r->settings[a->first].key;
            take_ticks(&r->draft, key, &a->items[j].first);
            if (!a->items[j].range)
                continue;
            take_ticks(&r->draft, key, &a->items[j].last);
            take_ticks(&r->draft, key, &a->items[j].step);
        }
    }
}

/* ---- reading ---- */

static void read_kind(struct weir_revision *r, enum weir_change_kind kind)
{
    static void (*const readers[])(struct weir_revision *, size_t) = {[WEIR_CHANGE_SET] = weir_revision_assign,
                                                                      [WEIR_CHANGE_ADD] = weir_revision_add,
                                                                      [WEIR_CHANGE_REMOVE] = weir_revision_remove};
    for (size_t i = 0; i < r->count && !r->draft.out_of_memory; i++)
        if (r->changes[i].kind == kind)
            readers[kind](r, i);
}

enum weir_status weir_revision_read(struct weir_revision *r)
{
    if (!begin(r))
        return WEIR_MEMORY;
    if (r->lines[r->count] == LINES_MAX) {
        weir_errors_add(r->errors, WEIR_INVALID, NULL, (struct weir_place){0, 0}, "too many changes: %u lines are the most",
                        LINES_MAX);
        return WEIR_INVALID;
    }
    read_kind(r, WEIR_CHANGE_REMOVE);
    name_kept(r);
    read_kind(r, WEIR_CHANGE_ADD);
    if (r->draft.shared)
        weir_draft_name_sources(&r->draft);
    read_kind(r, WEIR_CHANGE_SET);
    if (!r->draft.out_of_memory)
        choose_tick(r);
    if (r->draft.out_of_memory)
        return WEIR_MEMORY;
    count_ticks(r);
    return r->draft.mistakes ? WEIR_INVALID : WEIR_OK;
}

/* In which of the texts a line stands. */
static size_t change_at(const struct weir_revision *r, uint32_t line)
{
    size_t i = r->count;
    while (i > 0 && (i == r->count || r->lines[i] > line))
        i--;
    return i;
}

void weir_revision_report(struct weir_revision *r)
{
    weir_errors_sort(r->found);
    for (size_t i = 0; i < weir_errors_count(r->found); i++) {
        const struct weir_error *e = weir_errors_at(r->found, i);
        size_t at = change_at(r, e->line);
        const char *file = e->line == 0 ? NULL : r->changes[at].name ? r->changes[at].name : r->changes[at].text;
        struct weir_place place = {e->line ? e->line - r->lines[at] + 1 : 0, e->column};
        weir_errors_add(r->errors, e->status, file, place, "%s", e->message);
    }
}

void weir_revision_free(struct weir_revision *r)
{
    for (size_t i = 0; i < r->assignment_count; i++)
        weir_free(r->assignments[i].items);
    weir_free(r->assignments);
    weir_free(r->settings);
    weir_free(r->lines);
    weir_free(r->gone_operators);
    weir_free(r->gone_queues);
    weir_free(r->renumbered);
    weir_errors_free(r->found);
    weir_arena_free(&r->arena);
    weir_draft_free(&r->draft);
}

/* ---- making the changes ---- */

enum weir_status weir_revision_fail(struct weir_revision *r, const struct weir_setting *setting, const struct weir_error *error)
{
    if (error->status != WEIR_MEMORY)
        weir_errors_add_error(r->found, NULL, setting ? setting->place : (struct weir_place){0, 0}, error);
    return error->status;
}

enum weir_status weir_revision_set(const struct weir_revision *r, struct weir_pipeline *p, weir_value_of *value_of,
                                   const void *context, struct weir_revision_wrong *wrong)
{
    for (int checking = 0; checking < 2; checking++)
        for (size_t i = 0; i < r->assignment_count; i++) {
            const struct weir_assignment *a = &r->assignments[i];
            const struct weir_value *value = value_of(context, a);
            for (size_t j = a->first; value && j < a->first + a->count; j++) {
                wrong->setting = &r->settings[j];
                enum weir_status status = checking ? weir_setting_check(wrong->setting, p, &wrong->error)
                                                   : weir_setting_apply(wrong->setting, value, p, &wrong->error);
                if (status)
                    return status;
            }
        }
    return WEIR_OK;
}

static const struct weir_value *fixed_value(const void *revision, const struct weir_assignment *a)
{
    return a->change < ((const struct weir_revision *)revision)->first_range ? &a->items[0].first : NULL;
}

enum weir_status weir_revision_make(struct weir_revision *r, bool changed, struct weir_pipeline **pipeline)
{
    struct weir_revision_wrong wrong = {0};
    struct weir_pipeline *p = *pipeline = weir_revision_build(r, changed, &wrong.error);
    if (!p)
        return weir_revision_fail(r, NULL, &wrong.error);
    return changed && weir_revision_set(r, p, fixed_value, r, &wrong) ? weir_revision_fail(r, wrong.setting, &wrong.error)
                                                                      : WEIR_OK;
}

static enum weir_status make(struct weir_revision *r, bool changed, struct weir_pipeline **pipeline)
{
    enum weir_status status = weir_revision_make(r, changed, pipeline);
    return status ? status : weir_pipeline_seal(*pipeline, NULL, r->found);
}

void weir_changed_free(struct weir_changed *changed)
{
    weir_pipeline_free(changed->before);
    weir_pipeline_free(changed->after);
    changed->before = changed->after = NULL;
}

enum weir_status weir_change_apply(const struct weir_pipeline *pipeline, const struct weir_change *changes, size_t count,
                                   struct weir_changed *changed, struct weir_errors *errors)
{
    struct weir_revision r = {
        .pipeline = pipeline, .changes = changes, .count = count, .first_range = count, .notes = changed->notes, .errors = errors};
    changed->before = changed->after = NULL;
    struct weir_error error;
    enum weir_status status = weir_pipeline_require_sealed(pipeline, &error);
    if (status) {
        weir_errors_add(errors, status, NULL, (struct weir_place){0, 0}, "%s", error.message);
        return status;
    }
    status = weir_revision_read(&r);
    if (!status)
        status = make(&r, true, &changed->after);
    if (!status)
        status = make(&r, false, &changed->before);
    if (status == WEIR_MEMORY)
        weir_errors_add(errors, WEIR_MEMORY, NULL, (struct weir_place){0, 0}, "out of memory");
    else if (status && r.found)
        weir_revision_report(&r);
    if (status)
        weir_changed_free(changed);
    weir_revision_free(&r);
    return status;
}
