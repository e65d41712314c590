/* SPDX-License-Identifier: Apache-2.0 */
/* The printed summary of the flow tracker for those who compare it with a model: the store of evidence, handed out. */
#include "read/draft.h"
#include "read/holoscan/evidence.h"

#include <string.h>

struct kept {
    struct weir_flow_summary summary; /* first, so that the caller's pointer is that to the whole */
    struct weir_evidence evidence;
    struct weir_flow_path *paths;
    const char **names; /* of all paths, one after the other */
};

static const struct weir_place nowhere = {0, 0};

static bool hand_out(struct kept *k)
{
    const struct weir_evidence *e = &k->evidence;
    size_t steps = 0, used = 0;
    for (size_t i = 0; i < e->path_count; i++)
        steps += e->paths[i].count;
    k->paths = weir_array(e->path_count, sizeof *k->paths);
    k->names = weir_array(steps, sizeof *k->names);
    if (!k->paths || !k->names)
        return false;
    for (size_t i = 0; i < e->path_count; i++) {
        const struct weir_evidence_path *p = &e->paths[i];
        k->paths[i] = (struct weir_flow_path){.names = k->names + used,
                                              .count = p->count,
                                              .messages = p->messages,
                                              .min = p->min,
                                              .mean = p->mean,
                                              .max = p->max,
                                              .max_message = p->max_message,
                                              .line = p->at.line};
        for (size_t s = 0; s < p->count; s++)
            k->names[used++] = e->operators[p->operators[s]].name;
    }
    k->summary = (struct weir_flow_summary){.paths = k->paths, .count = e->path_count};
    return true;
}

static enum weir_status read_summary(const char *path, const char *bytes, size_t size, struct weir_flow_summary **summary,
                                     struct weir_errors *errors)
{
    struct kept *k = weir_array_zeroed(1, sizeof *k);
    if (!k)
        return weir_errors_add(errors, WEIR_MEMORY, path, nowhere, "out of memory");
    uint32_t file = weir_evidence_add_file(&k->evidence, path, false);
    bool fine = !k->evidence.out_of_memory;
    enum weir_status status = fine ? weir_evidence_read_summary(&k->evidence, file, bytes, size, errors) : WEIR_MEMORY;
    if (!fine || (!status && !hand_out(k)))
        status = weir_errors_add(errors, WEIR_MEMORY, path, nowhere, "out of memory");
    if (status)
        weir_flow_summary_free(&k->summary);
    else
        *summary = &k->summary;
    return status;
}

enum weir_status weir_flow_summary_read(const char *path, struct weir_flow_summary **summary, struct weir_errors *errors)
{
    char *bytes;
    size_t size;
    *summary = NULL;
    enum weir_evidence_format format;
    enum weir_status status = weir_evidence_format_file(path, &format, errors);
    if (status || format != WEIR_EVIDENCE_SUMMARY)
        return status;
    status = weir_read_bytes(path, errors, &bytes, &size);
    if (status)
        return status;
    status = read_summary(path, bytes, size, summary, errors);
    weir_free(bytes);
    return status;
}

void weir_flow_summary_free(struct weir_flow_summary *summary)
{
    struct kept *k = (struct kept *)summary;
    if (!k)
        return;
    weir_evidence_free(&k->evidence);
    weir_free(k->paths);
    weir_free(k->names);
    weir_free(k);
}
