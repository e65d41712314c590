/* SPDX-License-Identifier: Apache-2.0 */
/* The same for what is not computed in the browser: shared processors, GPUs, measured runs. */
#include "measure/timeline.h"
#include "render/timeline/timeline.h"

enum weir_status weir_priority_write_svg(const struct weir_priority_analysis *analysis, FILE *out, struct weir_error *error)
{
    struct weir_timeline t;
    return weir_timeline_finish(weir_timeline_of_intervals(analysis, &t, error), &t, weir_timeline_write_svg, out, error);
}

enum weir_status weir_gpu_write_svg(const struct weir_gpu_plan *plan, FILE *out, struct weir_error *error)
{
    struct weir_timeline t;
    return weir_timeline_finish(weir_timeline_of_plan(plan, &t, error), &t, weir_timeline_write_svg, out, error);
}

enum weir_status weir_gpu_write_trace(const struct weir_gpu_plan *plan, FILE *out, struct weir_error *error)
{
    struct weir_timeline t;
    return weir_timeline_finish(weir_timeline_of_plan(plan, &t, error), &t, weir_timeline_write_trace, out, error);
}

enum weir_status weir_run_write_trace(const struct weir_run *run, FILE *out, struct weir_error *error)
{
    struct weir_timeline t;
    return weir_timeline_finish(weir_timeline_of_run(run, &t, error), &t, weir_timeline_write_trace, out, error);
}
