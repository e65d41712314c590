/* SPDX-License-Identifier: Apache-2.0 */
/* Models in a page: text that weir wrote, and no files. */
#include "read/draft.h"
#include "read/text.h"

enum weir_status weir_read_memory(const char *bytes, size_t size, const char *file, const struct weir_read_options *options,
                                  struct weir_pipeline **pipeline, struct weir_errors *errors)
{
    static const struct weir_read_options none;
    struct weir_draft d = {.file = file, .errors = errors, .options = options ? options : &none};
    struct weir_file_text text = {.bytes = bytes, .size = size};
    *pipeline = NULL;
    if (weir_draft_init(&d))
        weir_read_yaml(&d, &text);
    enum weir_status status = d.mistakes ? WEIR_INVALID : WEIR_OK;
    if (!d.out_of_memory && !d.mistakes)
        status = weir_draft_seal(&d, pipeline);
    return weir_draft_finish(&d, status);
}

/* The time of a plan is in the model already. */
uint32_t weir_draft_plan_time(struct weir_draft *d, const char *path, enum weir_gpu_method method, struct weir_place place)
{
    (void)method;
    weir_draft_mistake(d, place, "%s cannot be read here", path);
    return weir_draft_bad_time(d, place);
}

void weir_draft_claim_device(struct weir_draft *d, const char *name, struct weir_place place)
{
    (void)d;
    (void)name;
    (void)place;
}
