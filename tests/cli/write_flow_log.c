/* SPDX-License-Identifier: Apache-2.0 */
/* write_flow_log NUMBER SEED ITERATIONS: the log of a simulated run of an application of the papers, on stdout. A tick is a
 * microsecond. Fails beyond the last application. */
#include "support/flow_log.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    const char *name = count == 4 ? weir_application_name(strtoull(arguments[1], NULL, 10)) : NULL;
    uint64_t seed = name ? strtoull(arguments[2], NULL, 10) : 0;
    struct weir_application_options options = {.random_times = true, .seed = seed, .best_permille = 400};
    struct weir_pipeline *pipeline;
    if (!name || weir_generate_application(name, &options, &pipeline, NULL))
        return 1;
    struct weir_test_log log = {.iterations = strtoll(arguments[3], NULL, 10), .times = WEIR_TIMES_RANDOM, .seed = seed};
    bool written = weir_test_log_write(pipeline, &log, stdout);
    free(log.min);
    free(log.max);
    free(log.latency);
    weir_pipeline_free(pipeline);
    return written ? 0 : 1;
}
