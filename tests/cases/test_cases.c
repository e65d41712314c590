/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses every model of this folder, with verification, and compares the answer with what the model itself expects, in comments
 * ("# expect: ..." or "// expect: ..."):
 *
 *     latency FROM -> TO [offset N] [worst T] [best T] [gap T]
 *     unbounded FROM -> TO [best T] [gap T]
 *     deadline FROM -> TO met|missed
 *     period T [best T] [bottleneck NAME...]
 *
 * and where operators share workers or are polled:
 *
 *     exactly|at-most|unknown FROM -> TO [worst T] [best T] [chain T]
 *     deadline FROM -> TO met|missed
 *
 * and on shared processors, where all methods are run and no execution may be seen outside of the bounds of the best:
 *
 *     latency FROM -> TO [offset N] [worst T] [best T]
 *     deadline FROM -> TO met|missed
 *     operator NAME [earliest T] [enabled T] [finish T]
 *     capacity FROM -> TO N
 *     input NAME N                              what waits in front of an operator that a source feeds
 *     seen FROM -> TO T                         the longest in a search of fixed length
 *     method METHOD: FROM -> TO [worst T] [best T]
 *     buffers METHOD: N                         all of them together
 *     outcome METHOD: converged|unbounded|violated|limit [why "WORDS"]
 *
 * and on a pool of cores, where no execution may be seen to respond later than its bound, and no queue to hold more:
 *
 *     latency FROM -> TO [worst T] [gathering T]
 *     unbounded FROM -> TO
 *     deadline FROM -> TO met|missed
 *     response OP T
 *     offset OP T
 *     period OP T
 *     utilization N/D
 *     capacity FROM -> TO N
 *     not schedulable [why "WORDS"]
 *
 * and on a GPU, where all methods are run, and no execution of a safe plan may be seen to end later than its bound:
 *
 *     bound METHOD T
 *     lower T
 *     seen METHOD T                             the latest end in a search of fixed length, over all dispatches
 *     launches METHOD N
 *     split METHOD N                            kernels that are launched in parts
 *     deadline METHOD met|missed
 *     uncovered METHOD [why "WORDS"]
 *
 * Times are in the model's unit; a period, and any time on a pool of cores or on a GPU, may be a fraction, 10/3. Names with spaces
 * stand in double quotes. A model says something of each of its latencies.
 */
#include "answers.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER WEIR_SOURCE_DIR "/tests/cases"
#define FILES_MIN 30 /* there are more; fewer means that the folder was not found as it is */

static void one_file(void **state)
{
    const char *name = *state;
    char path[4096];
    struct weir_pipeline *pipeline;
    struct weir_errors *errors = weir_errors_new();
    snprintf(path, sizeof path, FOLDER "/%s", name);
    if (weir_read_file(path, NULL, &pipeline, errors))
        fail_msg("%s:%u: %s", name, weir_errors_at(errors, 0)->line, weir_errors_at(errors, 0)->message);
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_PROCESSORS)
        check_processors(name, path, pipeline);
    else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_CORES)
        check_cores(name, path, pipeline);
    else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_GPU)
        check_kernels(name, path, pipeline);
    else if (!weir_pipeline_has_enough_workers(pipeline))
        check_workers(name, path, pipeline);
    else
        check_threads(name, path, pipeline);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
}

static bool is_model(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".dot") == 0);
}

int cases_group(void)
{
    return runner_folder(FOLDER, FILES_MIN, is_model, one_file);
}
