/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures, traces and pages. Stable: docs/reference/abi.md. */
#ifndef WEIR_SEE_H
#define WEIR_SEE_H

#include <stdio.h>

#include "weir/answer.h"
#include "weir/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every picture is one SVG for light and dark backgrounds and for paper, with a text alternative; the same input gives the same
 * bytes. */

/* ---------------------------------------------------------------- what happens when */

/* Lanes, and what happens in them over time. The pipeline, and the object it was made from, must outlive it. */
struct weir_timeline;

/* How the worst case of that bound happens, with the critical path, the reason for each wait and how full the queues are; if it is
 * long, only its last iterations, with a note. On shared processors: when each operator can be running. On a GPU: the launches over
 * the SMs. WEIR_INVALID if there is only a bound. Caller frees. */
WEIR_API enum weir_status weir_timeline_of_answer(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                                                  struct weir_error *error);
/* The timeline of a simulation; `observe` of the options is called as well. */
WEIR_API enum weir_status weir_timeline_of_simulation(const struct weir_pipeline *pipeline,
                                                      const struct weir_simulation_options *options,
                                                      struct weir_timeline **timeline, struct weir_error *error);
/* The timeline of what a run has recorded. */
WEIR_API enum weir_status weir_timeline_of_run(const struct weir_run *run, struct weir_timeline **timeline,
                                               struct weir_error *error);
WEIR_API void weir_timeline_free(struct weir_timeline *timeline); /* NULL is fine */

/* A lane per operator, processor or SM; colours per iteration, rulers for the latency and its deadline. */
WEIR_API enum weir_status weir_timeline_write_svg(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);
/* A trace for Perfetto and chrome://tracing: a track per operator or SM, arrows from producer to consumer, counters for queues. */
WEIR_API enum weir_status weir_timeline_write_trace(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);
/* The same for what a run has recorded. */
WEIR_API enum weir_status weir_run_write_trace(const struct weir_run *run, FILE *out, struct weir_error *error);

/* ---------------------------------------------------------------- the pipeline as a drawing */

/* Drawings are laid out by Graphviz, which is loaded when it is needed. *why (may be NULL) says what is missing. */
WEIR_API bool weir_drawing_available(const char **why);
/* Operators with their times, queues with their capacities; with an answer (may be NULL; about the same pipeline) the bottleneck
 * and the critical path of that bound. Models of every platform. */
WEIR_API enum weir_status weir_pipeline_write_drawing(const struct weir_pipeline *pipeline, const struct weir_answer *answer,
                                                      size_t bound, FILE *out, struct weir_error *error);

/* ---------------------------------------------------------------- one page about it */

struct weir_report_model {
    const struct weir_pipeline *pipeline; /* sealed, of any platform */
    const char *path;                     /* the name of its file; NULL: none */
    const struct weir_answer *run;        /* weir_trial_answer, to be shown beside it; NULL: none */
};

struct weir_report_options {
    const char *title;   /* NULL: the name of the first model */
    uint32_t runs;       /* simulated, for the distribution of response times; 0: 200 */
    int64_t iterations;  /* of each run; 0: 50 */
    uint64_t seed;       /* of the simulation */
    uint64_t work_limit; /* as in struct weir_analyze_options */
    bool no_live;        /* leave out the sliders that recompute in the browser */
    void (*progress)(void *context, unsigned permille);
    void *context;
    /* Receives the verdict on each model as a sentence, once the page is written; may be NULL. */
    void (*tell)(void *context, size_t model, enum weir_verdict verdict, const char *words);
};

/* One self-contained HTML page: verdict, drawing, timeline, chains, distribution, throughput, what to change,
 * assumptions, the model; and, for pipelines with threads of their own, sliders that recompute it with the engine of this library.
 * options may be NULL. *verdict (may be NULL): of all models together. */
WEIR_API enum weir_status weir_report_write(const struct weir_report_model *models, size_t count,
                                            const struct weir_report_options *options, FILE *out, enum weir_verdict *verdict,
                                            struct weir_error *error);
/* Whether pages of this build can recompute; *why (may be NULL) says what was missing when it was built. */
WEIR_API bool weir_report_live(const char **why);

/* The page of weir serve: an editor that sends its text to the server. */
WEIR_API enum weir_status weir_editor_write(bool writable, FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
