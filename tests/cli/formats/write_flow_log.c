/* SPDX-License-Identifier: Apache-2.0 */
/* write_flow_log NUMBER SEED ITERATIONS: the log of a simulated run of an application of the papers, on stdout. A tick is a
 * microsecond. Fails beyond the last application.
 * write_flow_log FILE SEED ITERATIONS: ... of the model in a file, by the library's own writer. */
#include "support/flow_log.h"

#include <stdlib.h>
#include <string.h>

static bool write_application(size_t number, uint64_t seed, int64_t iterations)
{
    const char *name = weir_application_name(number);
    struct weir_application_options options = {.random_times = true, .seed = seed, .best_permille = 400};
    struct weir_pipeline *pipeline;
    if (!name || weir_generate_application(name, &options, &pipeline, NULL))
        return false;
    struct weir_test_log log = {.iterations = iterations, .times = WEIR_TIMES_RANDOM, .seed = seed};
    bool written = weir_test_log_write(pipeline, &log, stdout);
    free(log.min);
    free(log.max);
    free(log.latency);
    weir_pipeline_free(pipeline);
    return written;
}

static bool write_model(const char *path, uint64_t seed, int64_t iterations)
{
    struct weir_pipeline *pipeline;
    struct weir_error error = {0};
    if (weir_read_file(path, NULL, &pipeline, NULL))
        return false;
    struct weir_flow_writer *writer = weir_flow_writer_new(pipeline, &error);
    struct weir_simulation_options run = {.iterations = iterations,
                                          .times = seed % 2 ? WEIR_TIMES_RANDOM : WEIR_TIMES_BANG_BANG,
                                          .seed = seed,
                                          .observe = weir_flow_writer_observe,
                                          .context = writer};
    bool written = writer && !weir_simulate(pipeline, &run, &error) && !weir_flow_writer_write(writer, stdout, &error);
    if (!written)
        fprintf(stderr, "%s\n", error.message);
    weir_flow_writer_free(writer);
    weir_pipeline_free(pipeline);
    return written;
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 1;
    uint64_t seed = strtoull(arguments[2], NULL, 10);
    int64_t iterations = strtoll(arguments[3], NULL, 10);
    bool number = strspn(arguments[1], "0123456789") == strlen(arguments[1]);
    bool written = number ? write_application(strtoull(arguments[1], NULL, 10), seed, iterations)
                          : write_model(arguments[1], seed, iterations);
    return written ? 0 : 1;
}
