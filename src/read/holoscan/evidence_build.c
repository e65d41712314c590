/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from what files say to a pipeline. */
#include "read/holoscan/evidence_build.h"

#include "model/pipeline.h"

#include <string.h>

static const struct weir_place nowhere = {0, 0};

/* ---- names between files ---- */

/*
 * A tracker may put the application's name before that of an operator, "Endoscopy.camera", where the port map has "camera". Two
 * names of different files are one operator's when one is the other behind a dot, and no third one is, too. GXF knows the operator
 * of a fragment as "left__camera", where the tracker and weir have "left.camera".
 */

/* An operator of that name that another file named first. */
static uint32_t named_elsewhere(const struct weir_evidence *e, uint32_t op, const char *name)
{
    uint32_t other = weir_evidence_find(e, name, strlen(name));
    return other != WEIR_NO_OPERATOR && e->operators[other].at.file != e->operators[op].at.file ? other : WEIR_NO_OPERATOR;
}

/* The operator that is called as `op` is behind its fragment, or behind one of its dots. */
static uint32_t shorter_name(const struct weir_evidence *e, uint32_t op)
{
    const char *name = e->operators[op].name, *bar = strstr(name, "__");
    char dotted[WEIR_EVIDENCE_NAME_MAX + 1];
    uint32_t other = WEIR_NO_OPERATOR;
    if (bar && bar > name) {
        snprintf(dotted, sizeof dotted, "%.*s.%s", (int)(bar - name), name, bar + 2);
        other = named_elsewhere(e, op, dotted);
        other = other == WEIR_NO_OPERATOR ? named_elsewhere(e, op, bar + 2) : other;
    }
    for (const char *dot = strchr(name, '.'); dot && other == WEIR_NO_OPERATOR; dot = strchr(dot + 1, '.'))
        other = named_elsewhere(e, op, dot + 1);
    return other;
}

static void resolve(struct weir_evidence_building *b)
{
    struct weir_evidence *e = b->evidence;
    uint32_t *longer = b->made; /* not needed yet: by operator, how many longer names it has */
    for (uint32_t i = 0; i < e->operator_count; i++)
        b->alias[i] = i, longer[i] = 0;
    for (uint32_t i = 0; i < e->operator_count; i++) {
        uint32_t other = shorter_name(e, i);
        if (other != WEIR_NO_OPERATOR)
            longer[other]++;
    }
    for (uint32_t i = 0; i < e->operator_count; i++) {
        char quoted[2][WEIR_QUOTED];
        uint32_t other = shorter_name(e, i);
        if (other == WEIR_NO_OPERATOR || b->alias[other] != other || b->alias[i] != i)
            continue;
        if (longer[other] > 1) {
            weir_evidence_note(e, e->operators[i].at, "\"%s\" is not taken for \"%s\": other names end in the same way",
                               weir_quote(e->operators[i].name, quoted[0]), weir_quote(e->operators[other].name, quoted[1]));
            continue;
        }
        bool keep_longer = e->operators[i].by_graph && !e->operators[other].by_graph;
        uint32_t stays = keep_longer ? i : other, goes = keep_longer ? other : i;
        b->alias[goes] = stays;
        e->operators[stays].broadcast |= e->operators[goes].broadcast;
        e->operators[stays].by_graph |= e->operators[goes].by_graph;
        weir_evidence_note(e, e->operators[goes].at, "\"%s\" is taken for \"%s\" of %s",
                           weir_quote(e->operators[goes].name, quoted[0]), weir_quote(e->operators[stays].name, quoted[1]),
                           e->files[e->operators[stays].at.file].path);
    }
    for (uint32_t i = 0; i < e->operator_count; i++) /* an alias of an alias */
        b->alias[i] = b->alias[b->alias[i]];
}

/* ---- all of it ---- */

static bool has_graph(const struct weir_evidence *e)
{
    for (size_t i = 0; i < e->file_count; i++)
        if (e->files[i].connects && !e->files[i].times_only)
            return true;
    return false;
}

static void make(struct weir_evidence_building *b)
{
    struct weir_draft *d = b->draft;
    weir_draft_set_unit(d, "ms", nowhere);
    resolve(b);
    weir_evidence_make_graph(b);
    if (!d->out_of_memory && !d->operator_count && !d->mistakes)
        weir_draft_mistake(d, nowhere, "no operator is in any of the files");
    if (!d->out_of_memory && d->operator_count)
        weir_evidence_make_times(b);
    d->out_of_memory |= b->evidence->out_of_memory;
}

/* Operators of the draft are the first of the pipeline. */
static bool mark_untimed(struct weir_pipeline *pipeline, const bool *untimed, size_t count)
{
    bool *marks = weir_arena_array(&pipeline->arena, pipeline->operator_count, sizeof *marks);
    for (size_t i = 0; marks && i < pipeline->operator_count; i++)
        marks[i] = i < count && untimed[i];
    pipeline->untimed = marks;
    return marks;
}

enum weir_status weir_evidence_build(struct weir_evidence *e, const struct weir_holoscan_options *options,
                                     struct weir_pipeline **pipeline, struct weir_errors *errors)
{
    *pipeline = NULL;
    const char *first = e->file_count ? e->files[0].path : NULL;
    if (!has_graph(e))
        return weir_errors_add(
            errors, WEIR_INVALID, first, nowhere,
            "no file says how operators are connected: give a log, a port map or a performance graph with --from");
    struct weir_read_options reading = {.queue = options->queue, .notes = e->notes, .ports = options->ports};
    struct weir_draft draft = {.file = first, .errors = errors, .options = &reading};
    struct weir_evidence_building b = {.evidence = e, .options = options, .draft = &draft};
    b.alias = weir_array(e->operator_count, sizeof *b.alias);
    b.made = weir_array(e->operator_count, sizeof *b.made);
    weir_draft_init(&draft);
    draft.out_of_memory |= !b.alias || !b.made;
    if (!draft.out_of_memory)
        make(&b);
    enum weir_status status = draft.mistakes ? WEIR_INVALID : WEIR_OK;
    if (!draft.out_of_memory && draft.operator_count) /* with mistakes the draft is still looked through for more */
        status = weir_draft_seal(&draft, pipeline);
    if (!status && *pipeline && b.untimed && !mark_untimed(*pipeline, b.untimed, draft.operator_count)) {
        draft.out_of_memory = true;
        weir_pipeline_free(*pipeline);
        *pipeline = NULL;
    }
    weir_free(b.untimed);
    weir_free(b.alias);
    weir_free(b.made);
    return weir_draft_finish(&draft, status);
}
