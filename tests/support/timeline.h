/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines made, written and freed in one call. */
#ifndef WEIR_TESTS_TIMELINE_H
#define WEIR_TESTS_TIMELINE_H

#include "render/timeline/timeline.h"

/* How the worst case of a latency happens; WEIR_INVALID where there is none of that number. */
static inline enum weir_status timeline_of_latency(const struct weir_analysis *a, size_t latency, struct weir_timeline **t,
                                                   struct weir_error *error)
{
    struct weir_bound bound = {0};
    if (latency < a->latency_count)
        bound = (struct weir_bound){.chain = a->latencies[latency].chain,
                                    .has_deadline = a->latencies[latency].chain.has_deadline,
                                    .deadline = a->latencies[latency].chain.deadline,
                                    .witness = a->latencies[latency].witness};
    return weir_timeline_of_witness(a->pipeline, &bound, t, error);
}

static inline enum weir_status draw_latency(const struct weir_analysis *a, size_t latency, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(timeline_of_latency(a, latency, &t, error), &t, weir_timeline_write_svg, out, error);
}

static inline enum weir_status trace_latency(const struct weir_analysis *a, size_t latency, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(timeline_of_latency(a, latency, &t, error), &t, weir_timeline_write_trace, out, error);
}

static inline enum weir_status trace_simulation(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                                FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_simulation(pipeline, options, &t, error), &t, weir_timeline_write_trace, out,
                                error);
}

/* With one latency. */
static inline enum weir_status draw_intervals(const struct weir_priority_analysis *a, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    const struct weir_chain_spec *chain = &a->latencies[0].chain;
    struct weir_bound bound = {.has_deadline = chain->has_deadline,
                               .deadline = chain->deadline,
                               .worst = weir_quantity_safe(weir_ticks(a->latencies[0].worst))};
    bound.state = weir_judge(&bound);
    return weir_timeline_finish(weir_timeline_of_intervals(a, &bound, &t, error), &t, weir_timeline_write_svg, out, error);
}

static inline enum weir_status draw_plan(const struct weir_gpu_plan *plan, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_plan(plan, &t, error), &t, weir_timeline_write_svg, out, error);
}

static inline enum weir_status trace_plan(const struct weir_gpu_plan *plan, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_plan(plan, &t, error), &t, weir_timeline_write_trace, out, error);
}

static inline enum weir_status trace_run(const struct weir_run *run, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_run(run, &t, error), &t, weir_timeline_write_trace, out, error);
}

#endif
