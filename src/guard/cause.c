/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which change of the model made a latency worse. Each group of differences is tried twice: alone, in the model as it was, and left
 * out, of the model as it is. What makes the latency worse alone is a cause; what it is not worse without is needed for it; and
 * where there is neither, only the differences together cause it, and that is said.
 */
#include "guard/guard.h"

#include "base/error.h"
#include "model/pipeline.h"

enum { TRIES_MAX = 64, CAUSES_MAX = 8 };

struct trial {
    bool made; /* it is a model with an answer that has the latency */
    enum weir_guard_change change;
    struct weir_bound bound; /* in the ticks of today */
};

struct search {
    const struct weir_guard_work *work;
    struct weir_answer *answer; /* that is told */
    struct weir_guard_difference difference;
    struct trial *trials[WEIR_SIDES]; /* alone, left out: by group and finding */
    struct trial *base;               /* the model as it was, by finding */
};

static bool is_sought(const struct weir_guard_work *work, size_t i)
{
    enum weir_guard_change change = work->findings[i].change;
    return work->chains[i].before && work->chains[i].after && (change == WEIR_GUARD_WORSE || change == WEIR_GUARD_OPEN);
}

static bool is_bad(enum weir_guard_change change)
{
    return change == WEIR_GUARD_WORSE || change == WEIR_GUARD_OPEN;
}

/* ---- trying ---- */

static enum weir_status try_pipeline(const struct search *s, const struct weir_pipeline *pipeline, struct trial *trials)
{
    const struct weir_guard_work *w = s->work;
    struct weir_answer_options options = w->guard->options.answers;
    struct weir_answer *found = NULL;
    struct weir_error error = {0};
    options.brief = true;
    options.verify = false;
    options.progress = NULL;
    enum weir_status status = weir_answer_find(pipeline, &options, &found, &error);
    for (size_t i = 0; i < w->count && !status; i++) {
        const struct weir_bound *bound = is_sought(w, i) ? weir_result_find(found, w->entry->pipeline, w->chains[i].after) : NULL;
        if (!bound)
            continue;
        struct trial *t = &trials[i];
        t->bound = *bound;
        t->bound.terms = NULL;
        t->made = weir_guard_scale_bound(pipeline, w->entry->pipeline, &t->bound);
        struct weir_result_chain chain = {w->chains[i].before, &t->bound};
        t->change = t->made ? weir_guard_judge(w->guard, s->answer, &chain).change : WEIR_GUARD_SAME;
    }
    weir_answer_free(found);
    return status == WEIR_MEMORY || status == WEIR_INTERNAL ? status : WEIR_OK;
}

static enum weir_status try_groups(struct search *s)
{
    const struct weir_guard_work *w = s->work;
    const struct weir_answer_options *options = &w->guard->options.answers;
    enum weir_status status = WEIR_OK;
    for (uint32_t group = 0; group < s->difference.group_count && !status; group++)
        for (int side = 0; side < WEIR_SIDES && !status; side++) {
            struct weir_pipeline *variant = NULL;
            status = weir_variant_read(&s->difference, side, group, &variant);
            if (variant)
                status = try_pipeline(s, variant, s->trials[side] + group * w->count);
            weir_pipeline_free(variant);
            if (options->progress)
                options->progress(options->context,
                                  (unsigned)((2 * group + (unsigned)side) * 1000 / (2 * s->difference.group_count)));
        }
    return status;
}

/* ---- telling ---- */

static bool is_above(const struct weir_bound *a, const struct weir_bound *b)
{
    bool known = weir_bound_holds(a) && weir_bound_holds(b);
    return known ? weir_ratio_compare(a->worst.high, b->worst.high) > 0 : weir_bound_holds(b) && !weir_bound_holds(a);
}

/* What the group has to do with the finding; false: nothing. */
static bool find_cause(const struct search *s, size_t i, uint32_t group, struct weir_guard_cause *cause)
{
    const struct weir_guard_work *w = s->work;
    const struct trial *alone = &s->trials[WEIR_BEFORE][group * w->count + i];
    const struct trial *without = &s->trials[WEIR_AFTER][group * w->count + i];
    bool does = alone->made && is_bad(alone->change), needed = without->made && !is_bad(without->change);
    bool part = alone->made && is_above(&alone->bound, w->chains[i].before);
    if (!does && !needed && !part)
        return false;
    cause->role = does ? WEIR_GUARD_ALONE : needed ? WEIR_GUARD_NEEDED : WEIR_GUARD_PART;
    const struct trial *told = cause->role == WEIR_GUARD_NEEDED ? without : alone;
    cause->effect =
        weir_answer_format(s->answer, "%s %s", told == alone ? "alone" : "without it", weir_guard_words(s->answer, &told->bound));
    cause->what = weir_difference_words(&s->difference, group, s->answer);
    cause->place = weir_difference_place(&s->difference, group, w->entry->pipeline);
    return true;
}

/* The role first, then how much worse it is alone. */
static void sort_causes(const struct search *s, size_t finding, struct weir_guard_cause *causes, uint32_t *groups, size_t count)
{
    const size_t n = s->work->count;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            const struct trial *a = &s->trials[WEIR_BEFORE][groups[j - 1] * n + finding];
            const struct trial *b = &s->trials[WEIR_BEFORE][groups[j] * n + finding];
            bool later = causes[j].role == causes[j - 1].role && a->made && b->made && is_above(&b->bound, &a->bound);
            if (causes[j].role >= causes[j - 1].role && !later)
                break;
            struct weir_guard_cause cause = causes[j];
            uint32_t group = groups[j];
            causes[j] = causes[j - 1], groups[j] = groups[j - 1];
            causes[j - 1] = cause, groups[j - 1] = group;
        }
}

static const char *summarize(const struct search *s, const struct weir_guard_finding *f)
{
    size_t roles[WEIR_GUARD_ROLES] = {0}, all = s->difference.group_count;
    for (size_t i = 0; i < f->cause_count; i++)
        roles[f->causes[i].role]++;
    if (roles[WEIR_GUARD_ALONE] == 1)
        return all == 1 ? "the only change to the model causes it"
                        : weir_answer_format(s->answer, "one of %zu changes to the model causes it alone", all);
    if (roles[WEIR_GUARD_ALONE] > 1)
        return weir_answer_format(s->answer, "each of %zu changes to the model causes it alone", roles[WEIR_GUARD_ALONE]);
    if (roles[WEIR_GUARD_NEEDED])
        return "no single change to the model causes it, but it does not occur without";
    return weir_answer_format(
        s->answer, "no single change to the model causes it, and none is necessary: several of the %zu together cause it", all);
}

static void tell_finding(const struct search *s, size_t i)
{
    struct weir_guard_finding *f = &s->work->findings[i];
    size_t groups_max = s->difference.group_count, count = 0;
    struct weir_guard_cause *causes = weir_answer_take(s->answer, groups_max + 1, sizeof *causes);
    uint32_t *groups = weir_answer_take(s->answer, groups_max + 1, sizeof *groups);
    for (uint32_t group = 0; group < groups_max && causes && groups; group++)
        if (find_cause(s, i, group, &causes[count]))
            groups[count++] = group;
    if (!causes || !groups)
        return;
    sort_causes(s, i, causes, groups, count);
    f->causes = causes;
    f->cause_count = count;
    f->because = summarize(s, f);
    f->cause_count = count > CAUSES_MAX ? CAUSES_MAX : count;
    for (size_t k = f->cause_count; k > 0; k--)
        f->place = causes[k - 1].place.line ? causes[k - 1].place : f->place;
}

/* What needs no trial; NULL: it does. */
static const char *find_excuse(const struct search *s, size_t i)
{
    const struct weir_guard_work *w = s->work;
    const struct weir_guard_difference *d = &s->difference;
    if (s->base[i].made && is_bad(s->base[i].change))
        return weir_answer_format(
            s->answer,
            "the model in the baseline itself now gives %s: the baseline is of weir %s, this is %s, or it was "
            "made with other options",
            weir_guard_words(s->answer, &s->base[i].bound), w->guard->version ? w->guard->version : "?", weir_version());
    if (!d->group_count)
        return d->same ? "the model has not changed" : "only the order of operators, queues or sources has changed";
    if (d->group_count > TRIES_MAX)
        return weir_answer_format(s->answer, "%zu changes to the model are too many to try one by one", d->group_count);
    return NULL;
}

/* ---- all ---- */

static bool take_room(struct search *s)
{
    size_t count = s->work->count, groups = s->difference.group_count <= TRIES_MAX ? s->difference.group_count : 0;
    s->base = weir_answer_take(s->answer, count + 1, sizeof *s->base);
    for (int side = 0; side < WEIR_SIDES; side++)
        s->trials[side] = weir_answer_take(s->answer, groups * count + 1, sizeof **s->trials);
    return s->base && s->trials[0] && s->trials[1];
}

static enum weir_status search(struct search *s, struct weir_error *error)
{
    const struct weir_guard_work *w = s->work;
    if (w->entry->pipeline->unit != w->entry->record->pipeline->unit) {
        for (size_t i = 0; i < w->count; i++)
            if (is_sought(w, i))
                w->findings[i].because = "the unit of the model has changed, so that its times cannot be tried one by one";
        return WEIR_OK;
    }
    enum weir_status status = weir_difference_find(&s->difference, w->entry->record->pipeline, w->entry->pipeline, error);
    if (!status && !take_room(s))
        status = weir_fail_memory(error);
    if (!status)
        status = try_pipeline(s, w->entry->record->pipeline, s->base);
    bool wanted = false;
    for (size_t i = 0; i < w->count && !status; i++)
        if (is_sought(w, i)) {
            w->findings[i].because = find_excuse(s, i);
            wanted |= !w->findings[i].because;
        }
    if (!status && wanted)
        status = try_groups(s);
    for (size_t i = 0; i < w->count && !status; i++)
        if (is_sought(w, i) && !w->findings[i].because)
            tell_finding(s, i);
    return status;
}

enum weir_status weir_guard_find_causes(const struct weir_guard_work *work, struct weir_error *error)
{
    struct search s = {.work = work, .answer = work->entry->answer};
    bool any = false;
    for (size_t i = 0; i < work->count; i++)
        any |= is_sought(work, i);
    enum weir_status status = any ? search(&s, error) : WEIR_OK;
    weir_difference_free(&s.difference);
    return status;
}
