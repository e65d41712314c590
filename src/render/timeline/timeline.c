/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines made, written and freed in one call. */
#include "render/timeline/timeline.h"

enum weir_status weir_timeline_finish(enum weir_status status, struct weir_timeline *timeline, weir_timeline_writer *write,
                                      FILE *out, struct weir_error *error)
{
    if (!status)
        status = write(timeline, out, error);
    weir_timeline_free(timeline);
    return status;
}

enum weir_status weir_analysis_write_gantt(const struct weir_analysis *analysis, size_t latency, FILE *out,
                                           struct weir_error *error)
{
    struct weir_timeline t;
    return weir_timeline_finish(weir_timeline_of_witness(analysis, latency, &t, error), &t, weir_timeline_write_svg, out, error);
}

enum weir_status weir_analysis_write_trace(const struct weir_analysis *analysis, size_t latency, FILE *out,
                                           struct weir_error *error)
{
    struct weir_timeline t;
    return weir_timeline_finish(weir_timeline_of_witness(analysis, latency, &t, error), &t, weir_timeline_write_trace, out, error);
}

enum weir_status weir_simulation_write_trace(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                             FILE *out, struct weir_error *error)
{
    struct weir_timeline t;
    return weir_timeline_finish(weir_timeline_of_simulation(pipeline, options, &t, error), &t, weir_timeline_write_trace, out,
                                error);
}
