/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of GNU Radio's flowgraphs. Start it in a copy of corpus/grc, with grc.dict. */
#include "read_once.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool holds(const uint8_t *bytes, size_t size, const char *word, size_t length)
{
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, word, length) == 0)
            return true;
    return false;
}

/* Costs for the types of the corpus: a type that is not there is a mistake of the options, so each is given only where it is. */
static size_t find_costs(const uint8_t *bytes, size_t size, const char *costs[])
{
    static const char *const all[] = {"blocks_null_source=2us,1ns", "blocks_null_sink=1us,2ns",  "blocks_throttle=3,4",
                                      "fir_filter_xxx=700,19.9",    "analog_nbfm_rx=2.2us,40ns", "pad_source=1,1"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (holds(bytes, size, all[i], strcspn(all[i], "=")))
            costs[count++] = all[i];
    return count;
}

static void demand(bool what)
{
    if (!what)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *costs[8];
    struct weir_read_options options = {.cores = 4, .costs = costs, .cost_count = find_costs(bytes, size, costs)};
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    options.notes = weir_errors_new();
    demand(errors && options.notes);
    enum weir_status status = weir_read_memory((const char *)bytes, size, "fuzz", &options, &pipeline, errors);
    demand((status == WEIR_OK) == (pipeline != NULL));
    demand((status == WEIR_OK) == (weir_errors_count(errors) == 0));
    for (size_t i = 0; i < weir_errors_count(errors); i++)
        demand(weir_errors_at(errors, i)->status != WEIR_OK && weir_errors_at(errors, i)->message[0]);
    for (size_t i = 0; i < weir_errors_count(options.notes); i++)
        demand(weir_errors_at(options.notes, i)->status == WEIR_OK && weir_errors_at(options.notes, i)->line > 0);
    demand(!pipeline || (weir_pipeline_sealed(pipeline) && weir_pipeline_source_count(pipeline) > 0));
    weir_pipeline_free(pipeline);
    weir_errors_free(options.notes);
    weir_errors_free(errors);
    return 0;
}
