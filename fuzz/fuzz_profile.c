/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of operators as CSV. Start it in a copy of corpus/profile, with profile.dict. */
#include "read_once.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char model[] = "unit: ms\n"
                            "operators: {a: {time: 3, receive: 1}, b: [1, 2.5], \"c, d\": 1}\n"
                            "queues: [a -> b, {from: b, to: \"c, d\"}]\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct weir_pipeline *pipeline;
    char path[32];
    if (!pipeline && weir_read_memory(model, strlen(model), "model.yaml", NULL, &pipeline, NULL))
        abort();
    weir_fuzz_put_file(0, bytes, size, path);
    struct weir_errors *errors = weir_errors_new();
    struct weir_profiles *profiles;
    enum weir_status status = weir_profiles_read(path, pipeline, &profiles, errors);
    if ((status == WEIR_OK) != (profiles != NULL) || (status == WEIR_OK) != (weir_errors_count(errors) == 0))
        abort();
    for (size_t i = 0; profiles && i < profiles->count; i++)
        for (size_t k = 0; k < profiles->items[i].point_count; k++) {
            const struct weir_profile_point *point = &profiles->items[i].points[k];
            if (point->sms < 1 || point->best < 0 || point->best > point->worst || (k && point->sms <= point[-1].sms))
                abort();
        }
    weir_profiles_free(profiles);
    weir_errors_free(errors);
    return 0;
}
