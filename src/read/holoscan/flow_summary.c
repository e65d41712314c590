/* SPDX-License-Identifier: Apache-2.0 */
/* The printed summary of the flow tracker for comparing it with a model: the store of evidence itself. */
#include "read/holoscan/evidence.h"

struct kept {
    struct weir_flow_summary summary; /* first, so that the caller's pointer is that to the whole */
    struct weir_evidence evidence;
};

static enum weir_status read_summary(const char *path, const char *bytes, size_t size, struct weir_flow_summary **summary,
                                     struct weir_errors *errors)
{
    struct kept *k = weir_array_zeroed(1, sizeof *k);
    uint32_t file = k ? weir_evidence_add_file(&k->evidence, path, false) : 0;
    enum weir_status status = WEIR_MEMORY;
    if (!k || k->evidence.out_of_memory) {
        weir_errors_add(errors, status, path, (struct weir_place){0, 0}, "out of memory");
    } else {
        k->evidence.files[file].format = WEIR_EVIDENCE_SUMMARY;
        status = weir_evidence_read(&k->evidence, file, bytes, size, errors);
    }
    if (status) {
        weir_flow_summary_free(k ? &k->summary : NULL);
        return status;
    }
    k->summary = (struct weir_flow_summary){.paths = k->evidence.paths, .count = k->evidence.path_count};
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
    weir_free(k);
}
