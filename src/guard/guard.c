/* SPDX-License-Identifier: Apache-2.0 */
/* A baseline, and models that are held against it one after the other. */
#include "guard/guard.h"

#include "base/error.h"
#include "base/word.h"
#include "model/pipeline.h"

#include <string.h>

const char *weir_guard_change_name(enum weir_guard_change change)
{
    static const char *const names[] = {"same", "better", "within", "new", "gone", "open", "worse"};
    return WEIR_WORD(names, change);
}

const char *weir_guard_role_name(enum weir_guard_role role)
{
    static const char *const names[] = {"alone", "needed", "part"};
    return WEIR_WORD(names, role);
}

/* ---- the guard ---- */

enum weir_status weir_guard_tolerance_check(const char *tolerance, struct weir_error *error)
{
    struct weir_tolerance parsed;
    return weir_tolerance_parse(tolerance, &parsed, error);
}

enum weir_status weir_guard_open(const char *baseline, const struct weir_guard_options *options, struct weir_guard **guard,
                                 struct weir_errors *errors)
{
    struct weir_error error = {0};
    struct weir_guard *g = *guard = weir_array_zeroed(1, sizeof *g);
    enum weir_status status = g ? WEIR_OK : weir_fail_memory(&error);
    if (!status) {
        g->options = *options;
        g->options.tolerance = options->tolerance ? weir_arena_text(&g->arena, options->tolerance) : NULL;
        status = options->tolerance && !g->options.tolerance ? weir_fail_memory(&error)
                                                             : weir_tolerance_parse(options->tolerance, &g->tolerance, &error);
    }
    if (status)
        weir_errors_add_error(errors, NULL, (struct weir_place){0, 0}, &error);
    else if (baseline)
        status = weir_baseline_read(g, baseline, errors);
    if (status) {
        weir_guard_free(g);
        *guard = NULL;
    }
    return status;
}

void weir_guard_free(struct weir_guard *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->entry_count; i++) {
        weir_answer_free(g->entries[i].answer);
        weir_answer_free(g->entries[i].today);
        weir_pipeline_free(g->entries[i].pipeline);
        weir_errors_free(g->entries[i].errors);
    }
    for (size_t i = 0; i < g->record_count; i++)
        weir_pipeline_free(g->records[i].pipeline);
    weir_free(g->entries);
    weir_free(g->records);
    weir_arena_free(&g->arena);
    weir_free(g);
}

size_t weir_guard_count(const struct weir_guard *guard)
{
    return guard->entry_count;
}

const struct weir_guard_model *weir_guard_at(const struct weir_guard *guard, size_t index)
{
    return index < guard->entry_count ? &guard->entries[index].model : NULL;
}

/* ---- one model ---- */

static struct weir_guard_entry *add_entry(struct weir_guard *g, const char *file)
{
    const char *kept = weir_arena_text(&g->arena, file);
    if (!kept || !weir_reserve(&g->entries, &g->entry_capacity, g->entry_count + 1, sizeof *g->entries))
        return NULL;
    struct weir_guard_entry *entry = &g->entries[g->entry_count++];
    *entry = (struct weir_guard_entry){.model = {.file = kept, .name = kept}};
    for (size_t i = 0; i < g->record_count && !entry->record; i++)
        entry->record = strcmp(g->records[i].file, kept) == 0 ? &g->records[i] : NULL;
    if (entry->record)
        entry->record->held = true;
    return entry;
}

/* The bounds of the record in the ticks of the pipeline; false where these have nothing in common. */
static bool scale_bounds(const struct weir_guard_record *record, const struct weir_pipeline *to, struct weir_answer *answer,
                         struct weir_bound **bounds)
{
    *bounds = weir_answer_take(answer, record->bound_count + 1, sizeof **bounds);
    for (size_t i = 0; i < record->bound_count && *bounds; i++) {
        (*bounds)[i] = record->bounds[i];
        if (!weir_guard_scale_bound(record->pipeline, to, &(*bounds)[i]))
            return false;
    }
    return true;
}

static struct weir_place place_of(const struct weir_pipeline *p, const struct weir_bound *bound)
{
    if (bound->whole)
        return p->gpu.place;
    if (bound->chain.place.line)
        return bound->chain.place;
    for (size_t i = 0; i < p->chain_count; i++)
        if (p->chains[i].from.index == bound->chain.from.index && p->chains[i].to.index == bound->chain.to.index &&
            p->chains[i].place.line)
            return p->chains[i].place;
    return p->operators[bound->chain.to.index].place;
}

/* What an answer comes to beyond its latencies: messages that can be lost, processors that are overloaded. */
static enum weir_verdict beyond_bounds(const struct weir_answer *today)
{
    enum weir_verdict all = weir_answer_verdict(today), bounds = WEIR_VERDICT_GOOD;
    for (size_t i = 0; i < today->bound_count; i++) {
        enum weir_verdict one = weir_bound_verdict(&today->bounds[i]);
        bounds = one > bounds ? one : bounds;
    }
    return all > bounds ? all : WEIR_VERDICT_GOOD;
}

static void judge_all(struct weir_guard_work *work)
{
    struct weir_guard_entry *entry = work->entry;
    struct weir_guard_model *model = &entry->model;
    model->verdict = entry->today ? beyond_bounds(entry->today) : WEIR_VERDICT_GOOD;
    for (size_t i = 0; i < work->count; i++) {
        const struct weir_bound *b = work->chains[i].before, *a = work->chains[i].after;
        struct weir_guard_judgement j = weir_guard_judge(work->guard, entry->answer, &work->chains[i]);
        struct weir_guard_finding *f = &work->findings[i];
        f->change = j.change;
        f->verdict = j.verdict;
        f->message = j.message;
        f->latency = weir_result_chain(entry->answer, a ? entry->pipeline : entry->record->pipeline, a ? a : b);
        f->before = b ? weir_guard_words(entry->answer, b) : NULL;
        f->after = a ? weir_guard_words(entry->answer, a) : NULL;
        if (a)
            f->place = place_of(entry->pipeline, a);
        model->verdict = f->verdict > model->verdict ? f->verdict : model->verdict;
        model->change = f->change > model->change ? f->change : model->change;
    }
    if (!entry->record || !entry->pipeline) {
        model->change = entry->record ? WEIR_GUARD_GONE : WEIR_GUARD_NEW;
        model->verdict = work->guard->options.strict ? WEIR_VERDICT_BAD : model->verdict;
    }
    model->findings = work->findings;
    model->finding_count = work->count;
}

/* Of a model and its record, either of which may be missing. */
static enum weir_status compare(struct weir_guard *g, struct weir_guard_entry *entry, struct weir_error *error)
{
    const struct weir_pipeline *about = entry->pipeline || !entry->record ? entry->pipeline : entry->record->pipeline;
    struct weir_answer none = {.pipeline = about}, before = none;
    struct weir_guard_work work = {.guard = g, .entry = entry};
    if (!about)
        return weir_fail(error, WEIR_INVALID, "there is neither a model nor a record of it");
    entry->answer = weir_answer_new(about, error);
    if (!entry->answer)
        return WEIR_MEMORY;
    const char *name = weir_pipeline_name(about);
    entry->model.name = name && name[0] ? name : entry->model.file;
    weir_answer_set_title(entry->answer, entry->model.name);
    bool comparable = true;
    if (entry->record) {
        before = (struct weir_answer){.pipeline = entry->record->pipeline, .bound_count = entry->record->bound_count};
        comparable = scale_bounds(entry->record, about, entry->answer, &before.bounds);
    }
    if (!comparable) {
        weir_answer_note(entry->answer, "The unit of the model was %s and is %s: nothing can be compared.",
                         weir_unit_name(entry->record->pipeline->unit), weir_unit_name(about->unit));
        before.bound_count = 0;
    }
    if (!entry->answer->out_of_memory)
        work.chains = weir_result_chains(entry->answer, &before, entry->today ? entry->today : &none, &work.count);
    work.findings = weir_answer_take(entry->answer, work.count + 1, sizeof *work.findings);
    enum weir_status status = work.chains && work.findings ? WEIR_OK : weir_fail_memory(error);
    if (!status) {
        judge_all(&work);
        if (!comparable && entry->model.verdict == WEIR_VERDICT_GOOD)
            entry->model.verdict = WEIR_VERDICT_OPEN;
        status = entry->pipeline && entry->record ? weir_guard_find_causes(&work, error) : WEIR_OK;
    }
    if (!status)
        weir_guard_tell(&work);
    if (!status && entry->answer->out_of_memory)
        status = weir_fail_memory(error);
    entry->model.answer = entry->answer;
    return status;
}

enum weir_status weir_guard_check(struct weir_guard *g, const char *file, struct weir_pipeline *pipeline, struct weir_error *error)
{
    struct weir_guard_entry *entry = add_entry(g, file);
    if (!entry) {
        weir_pipeline_free(pipeline);
        return weir_fail_memory(error);
    }
    entry->pipeline = pipeline;
    struct weir_answer_options options = g->options.answers;
    options.brief = false;
    enum weir_status status = weir_answer_find(pipeline, &options, &entry->today, error);
    if (!status)
        status = compare(g, entry, error);
    if (status) { /* the caller says why */
        entry->model.verdict = WEIR_VERDICT_BAD;
        entry->errors = weir_errors_new();
        if (error)
            weir_errors_add_error(entry->errors, file, (struct weir_place){error->line, error->column}, error);
        entry->model.errors = entry->errors;
        entry->model.answer = NULL;
    }
    return status;
}

enum weir_status weir_guard_refuse(struct weir_guard *g, const char *file, struct weir_errors *errors)
{
    struct weir_guard_entry *entry = add_entry(g, file);
    if (!entry) {
        weir_errors_free(errors);
        return WEIR_MEMORY;
    }
    entry->errors = errors;
    entry->model.errors = errors;
    entry->model.verdict = WEIR_VERDICT_BAD;
    return WEIR_OK;
}

enum weir_status weir_guard_finish(struct weir_guard *g, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < g->record_count && !status; i++) {
        if (g->records[i].held)
            continue;
        struct weir_guard_entry *entry = add_entry(g, g->records[i].file);
        status = entry ? compare(g, entry, error) : weir_fail_memory(error);
    }
    return status;
}
