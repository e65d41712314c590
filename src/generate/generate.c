/* SPDX-License-Identifier: Apache-2.0 */
#include "generate/generate.h"

#include "model/pipeline.h"

#include <string.h>

enum weir_status weir_generate_begin(const struct weir_generate_head *head, struct weir_pipeline **pipeline,
                                     struct weir_error *error)
{
    struct weir_pipeline *made = weir_pipeline_new(error);
    enum weir_status status = made ? weir_pipeline_set_name(made, head->name, error) : WEIR_MEMORY;
    if (!status)
        status = weir_pipeline_set_unit(made, head->unit, head->digits, error);
    if (!status && head->platform != WEIR_PLATFORM_THREADS)
        status = weir_pipeline_set_platform(made, head->platform, error);
    if (!status && head->platform == WEIR_PLATFORM_CORES)
        status = weir_pipeline_set_cores(made, head->cores, error);
    if (status)
        weir_pipeline_free(made);
    *pipeline = status ? NULL : made;
    return status;
}

enum weir_status weir_generate_end(struct weir_pipeline *made, enum weir_status status, struct weir_pipeline **pipeline,
                                   struct weir_error *error)
{
    if (!status && made)
        status = weir_pipeline_seal_alone(made, error);
    if (status)
        weir_pipeline_free(made);
    *pipeline = status ? NULL : made;
    return status;
}

size_t weir_generate_find(const char *what, const char *name, const char *(*name_of)(size_t index), size_t count,
                          struct weir_error *error)
{
    enum { NAMES_MAX = 16 };
    const char *names[NAMES_MAX];
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < count; i++) {
        names[i] = name_of(i);
        if (strcmp(names[i], name) == 0)
            return i;
    }
    const char *nearest = weir_suggest(name, names, count);
    weir_fail(error, WEIR_INVALID, "unknown %s \"%s\"%s%s%s", what, weir_quote(name, quoted), nearest ? "; did you mean \"" : "",
              nearest ? nearest : "", nearest ? "\"?" : "");
    return count;
}

const char *weir_generate_letters(uint32_t index, char text[8])
{
    size_t at = 7;
    text[at] = 0;
    for (uint64_t rest = (uint64_t)index + 1; rest; rest = (rest - 1) / 26)
        text[--at] = (char)('A' + (rest - 1) % 26);
    return text + at;
}
