/* SPDX-License-Identifier: Apache-2.0 */
/* Flowgraphs with rates on a pool of cores under global EDF; batching.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_EDF_H
#define WEIR_EDF_H

#include <stdio.h>

#include "weir/priority.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An operator v of period p is served as a sporadic task: execution j (from 1) is released at r_1 = ready_1,
 * r_j = max(r_{j-1} + p, ready_j), where ready_j is the moment its samples are there (a source: have arrived), with the deadline
 * r_j + p; it may run before r_j. Preemptive global EDF on the cores of the platform. docs/concepts/pool-of-cores.md has the
 * theorems.
 *
 * Ratios are in ticks and exact; one whose exact value does not fit is rounded up, never down.
 */

/* Where a bound on the response comes from. */
enum weir_edf_bound {
    WEIR_EDF_ALONE,   /* no more operators than cores: all can run at once */
    WEIR_EDF_NO_MISS, /* no deadline is missed: one core, or the utilisation test of Goossens, Funk and Baruah */
    WEIR_EDF_DEVI_ANDERSON,
    WEIR_EDF_COMPLIANT, /* compliant vectors: Erickson, Devi, Baruah, Anderson */
    WEIR_EDF_WINDOW,    /* what can run in the window of an execution, after Bertogna and Cirinei */
    WEIR_EDF_BOUNDS,
};
WEIR_API const char *
weir_edf_bound_name(enum weir_edf_bound bound); /* "alone", "no-miss", "devi-anderson", "compliant", "window" */

struct weir_edf_operator {
    struct weir_ratio period;
    int64_t repetitions; /* executions in one round of its part of the graph */
    int64_t cost;        /* of an execution, at most */
    struct weir_ratio utilization;
    struct weir_ratio response; /* execution j ends by r_j + response, the smallest that applies */
    enum weir_edf_bound by;
    bool applies[WEIR_EDF_BOUNDS];
    struct weir_ratio responses[WEIR_EDF_BOUNDS]; /* of those that apply */
    /* Even arrivals: r_j <= offset + (j - 1) period from the first nominal arrival on. Sporadic and bursty ones: at most `offset`
     * after the release of the last arrival that execution j needs. */
    struct weir_ratio offset;
};

struct weir_edf_latency {
    struct weir_chain_spec chain;
    bool bounded;
    /* From the arrival of a sample at `from` to the end of the last execution of `to` that takes anything made of it; where
     * arrivals are sporadic, from the last arrival that this execution needs. */
    struct weir_ratio worst;
    struct weir_ratio gathering; /* the part of it in which a sample waits for the rest of its source's batch */
    bool needed;                 /* worst counts from the last arrival that is needed */
    bool unbounded;              /* proved: it grows for ever. If neither bounded nor unbounded, nothing is known */
};

struct weir_edf_analysis {
    const struct weir_pipeline *pipeline;
    uint32_t cores;
    struct weir_ratio utilization;
    bool schedulable; /* false: utilisation above the cores, an operator above one core, or a queue too small */
    bool overloaded;  /* proved: the cores or an operator fall behind for ever. A queue too small proves nothing */
    bool sporadic;    /* some source is sporadic or bursty: operators downstream have offsets and latencies of that form */
    const char *why;  /* NULL when schedulable; else which operator, or how much over */
    const struct weir_edf_operator *operators;
    const struct weir_edf_latency *latencies; /* one per chain */
    size_t latency_count;
    const struct weir_buffer *buffers; /* one per queue: with these no producer ever waits; none unless schedulable */
    size_t buffer_count;
    int64_t buffer_total;
    bool verified;
};

struct weir_edf_options {
    uint32_t cores; /* instead of the model's; 0: the model's */
    bool verify;    /* check the certificate by code that shares nothing with the engine; a failure is WEIR_INTERNAL */
    bool tardiness; /* only the published bounds on tardiness: no windows */
};

/* options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_edf_analyze(const struct weir_pipeline *pipeline, const struct weir_edf_options *options,
                                           struct weir_edf_analysis **analysis, struct weir_error *error);
WEIR_API void weir_edf_analysis_free(struct weir_edf_analysis *analysis);

/* ---------------------------------------------------------------- simulating */

enum weir_edf_arrivals {
    WEIR_EDF_ARRIVALS_EVEN,   /* as in the model, without jitter or gaps */
    WEIR_EDF_ARRIVALS_RANDOM, /* within what the source allows */
    WEIR_EDF_ARRIVALS_EXTREME /* bursts as tight, gaps and jitter as large as possible */
};

struct weir_edf_simulation_options {
    uint32_t cores;        /* 0: the model's */
    int64_t rounds;        /* of the slowest part of the graph; >= 1 */
    bool late;             /* executions wait for their release; otherwise they may run as soon as their samples are there */
    enum weir_times times; /* RANDOM, BEST, WORST, BANG_BANG: costs */
    enum weir_edf_arrivals arrivals;
    uint64_t seed;
    /* Called in order of time; times are in ticks divided by `scale` (the same for the whole run): periods are ratios. For each
     * execution, from 1: when its samples were there, its release, its end. May be NULL. */
    void (*observe)(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale);
    /* For each sample batch that arrives at a source. May be NULL. */
    void (*arrived)(void *context, struct weir_operator op, int64_t execution, int64_t time, int64_t scale);
    void *context;
};
/* Exact; WEIR_OVERFLOW if periods have no common scale. peak (may be NULL) receives the most samples in each queue. Independent
 * of the analysis. */
WEIR_API enum weir_status weir_edf_simulate(const struct weir_pipeline *pipeline, const struct weir_edf_simulation_options *options,
                                            int64_t *peak, struct weir_error *error);

/* ---------------------------------------------------------------- batching and merging */

enum weir_batching {
    WEIR_BATCH_UNIFORM, /* every operator does `factor` of its executions at once */
    WEIR_BATCH_RATE,    /* each does factor * its repetitions: one period for all, no sample waits for a partner */
    WEIR_BATCH_EDGE,    /* each does the least number for which every queue at it carries whole multiples of what both its ends move
                         * at once, times factor */
};
WEIR_API const char *weir_batching_name(enum weir_batching batching); /* "uniform", "rate", "edge" */
/* The same work in batches: leaves the pipeline unchanged and returns a new, sealed one. */
WEIR_API enum weir_status weir_pipeline_batch(const struct weir_pipeline *pipeline, enum weir_batching batching, int64_t factor,
                                              struct weir_pipeline **batched, struct weir_error *error);

/* Replaces two operators by one: `first` and the only one that follows it at the same rate (serial), or of two that read from
 * the same operator at the same rate (parallel). Its cost: the larger init and init_permille / 1000 of the other; per sample, both.
 * WEIR_INVALID if that is not legal; the message says why. */
WEIR_API enum weir_status weir_pipeline_merge(const struct weir_pipeline *pipeline, struct weir_operator first,
                                              struct weir_operator second, uint32_t init_permille, struct weir_pipeline **merged,
                                              struct weir_error *error);

struct weir_batch_point {
    int64_t factor;
    bool schedulable;
    bool within; /* every limit that was asked for, and the deadlines of the model */
    struct weir_ratio utilization;
    struct weir_ratio latency; /* the largest of all chains; denominator 0: not schedulable, or not bounded */
};

struct weir_batch_options {
    enum weir_batching batching;
    uint32_t cores;                /* 0: the model's */
    struct weir_ratio utilization; /* at most this; denominator 0: whatever is schedulable */
    int64_t within;                /* latency at most this; 0: only the deadlines of the model */
    int64_t factor_max;            /* 0: 1,000,000 */
    bool merge;                    /* merge operators of the batched model as long as that helps */
    uint32_t merged_init_permille; /* as in weir_pipeline_merge; 1000 is safe without a measurement */
    const bool *stop;              /* as in struct weir_explore_options */
    void (*progress)(void *context, unsigned permille);
    void *context;
};

struct weir_batch_exploration {
    const struct weir_batch_point *points; /* from small to large: a selection for a table, and the two below */
    size_t point_count;
    size_t smallest; /* the smallest batch that is schedulable (and keeps to the utilisation); point_count: there is none */
    size_t lowest;   /* of those within the limits the one of the lowest latency, without merging; point_count: there is none */
    struct weir_batch_point chosen; /* the result for `pipeline` */
    struct weir_pipeline *pipeline; /* the best batched and merged model within the limits, sealed; NULL: none */
    size_t merges;                  /* operators merged away in it */
    bool interrupted;
};
WEIR_API enum weir_status weir_batch_explore(const struct weir_pipeline *pipeline, const struct weir_batch_options *options,
                                             struct weir_batch_exploration **exploration, struct weir_error *error);
WEIR_API void weir_batch_exploration_free(struct weir_batch_exploration *exploration);
struct weir_answer;
/* The result as an answer, for weir_answer_write_text and others; `options` as given. verify: check the certificate of the
 * chosen model. All must outlive it. Caller frees. */
WEIR_API enum weir_status weir_batch_answer(const struct weir_pipeline *pipeline, const struct weir_batch_options *options,
                                            const struct weir_batch_exploration *exploration, bool verify,
                                            struct weir_answer **answer, struct weir_error *error);

/* ---------------------------------------------------------------- generating */

struct weir_generate_flow_options {
    uint64_t seed;
    uint32_t nodes;  /* >= 2 */
    bool heavy;      /* the paper's heavy configuration; otherwise light */
    int64_t rate_hz; /* of the source; 0: 1 MHz */
    uint32_t cores;  /* >= 1 */
};
/* The random flowgraphs of the batching paper: one-to-one and decimating operators behind one source. */
WEIR_API enum weir_status weir_generate_flow(const struct weir_generate_flow_options *options, struct weir_pipeline **pipeline,
                                             struct weir_error *error);
/* The narrowband FM receiver at 576 kHz, with measured costs. */
WEIR_API enum weir_status weir_generate_nbfm(uint32_t cores, struct weir_pipeline **pipeline, struct weir_error *error);

/* ---------------------------------------------------------------- marginal costs from measurements */

struct weir_fit_sample {
    int64_t samples; /* taken by an execution */
    double ns;       /* its cost */
    double weight;   /* the number of executions of which this is the mean */
};

/* cost = init + per_sample * samples, in ns. */
struct weir_fit {
    const char *block;
    size_t count;               /* of observations */
    double init, per_sample;    /* robust fit */
    double init_low, init_high; /* 95 % confidence; high is infinite if it is not known */
    double per_sample_low, per_sample_high;
    double r2; /* the share of the variation that the line explains, among the observations that are not outliers */
    double safe_init, safe_per_sample; /* the closest line with no observation above it */
    bool trusted;                      /* enough observations, at enough sizes */
    const char *warning;               /* NULL: none */
    const struct weir_fit_sample *observations;
};

struct weir_fits {
    const struct weir_fit *fits; /* in the order of the file */
    size_t count;
};
/* Lines of block,samples,ns[,weight], or GNU Radio's performance counters as JSON; told apart by content. "-" reads standard input.
 * docs/reference/fit.md has both forms. Caller frees. */
WEIR_API enum weir_status weir_fit_file(const char *path, struct weir_fits **fits, struct weir_errors *errors);
WEIR_API void weir_fits_free(struct weir_fits *fits);

enum weir_fits_form {
    WEIR_FITS_TEXT,
    WEIR_FITS_JSON,          /* docs/reference/fit.md */
    WEIR_FITS_CSV,           /* the table */
    WEIR_FITS_COSTS,         /* block,init_ns,per_sample_ns, rounded up to picoseconds: the lines above all observations ... */
    WEIR_FITS_TYPICAL_COSTS, /* ... or the fits */
};
WEIR_API enum weir_status weir_fits_write(const struct weir_fits *fits, enum weir_fits_form form, FILE *out,
                                          struct weir_error *error);
/* What was measured, the fit, and the line above all measurements. */
WEIR_API enum weir_status weir_fit_write_svg(const struct weir_fit *fit, FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
