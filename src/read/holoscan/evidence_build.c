/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from what files say to a pipeline. */
#include "read/holoscan/evidence_build.h"

#include <string.h>

static const struct weir_place nowhere = {0, 0};

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
    weir_evidence_resolve(b);
    weir_evidence_make_graph(b);
    if (!d->out_of_memory && !d->operator_count && !d->mistakes)
        weir_draft_mistake(d, nowhere, "no operator is in any of the files");
    if (!d->out_of_memory && d->operator_count)
        weir_evidence_make_times(b);
    d->out_of_memory |= b->evidence->out_of_memory;
}

/* Like a file that was read: with mistakes the draft is still looked through for more. */
static enum weir_status finish(struct weir_draft *d, struct weir_pipeline **pipeline)
{
    enum weir_status status = d->mistakes ? WEIR_INVALID : WEIR_OK;
    if (!d->out_of_memory && d->operator_count)
        status = weir_draft_seal(d, pipeline);
    if (d->out_of_memory)
        status = weir_errors_add(d->errors, WEIR_MEMORY, d->file, nowhere, "out of memory");
    weir_errors_sort(d->errors);
    return status;
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
    struct weir_read_options reading = {.queue = options->queue, .notes = e->notes};
    struct weir_draft draft = {.file = first, .errors = errors, .options = &reading};
    struct weir_evidence_building b = {.evidence = e, .options = options, .draft = &draft};
    b.alias = weir_array(e->operator_count, sizeof *b.alias);
    b.made = weir_array(e->operator_count, sizeof *b.made);
    weir_draft_init(&draft);
    draft.out_of_memory |= !b.alias || !b.made;
    if (!draft.out_of_memory)
        make(&b);
    enum weir_status status = finish(&draft, pipeline);
    weir_draft_free(&draft);
    weir_free(b.alias);
    weir_free(b.made);
    return status;
}
