/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that share processors.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_PRIORITY_H
#define WEIR_PRIORITY_H

#include <stdio.h>

#include "weir/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Operators on processors with fixed priorities, TDM or round robin; execution intervals, after Wilmanns, Kurtin, Bekooij and Smit
 * and beyond. Iteration n of an operator is enabled when each of its input queues holds its message and each of its output queues
 * that block has room; message and room are taken at its start and given back at its finish. Times of iteration n are relative to
 * the nominal arrival of input n of its source. docs/concepts/shared-processors.md has the theorems.
 */

enum weir_priority_method {
    WEIR_PRIORITY_BEST,   /* the portfolio of the safe methods, narrowed */
    WEIR_PRIORITY_PJ0,    /* period and jitter */
    WEIR_PRIORITY_PJ,     /* ... with cyclic dependencies, as published: can be exceeded */
    WEIR_PRIORITY_PJ_IBS, /* ... and iterative buffer sizing, as published: can be exceeded */
    WEIR_PRIORITY_EI,     /* execution intervals */
    WEIR_PRIORITY_EI_IBS, /* ... and iterative buffer sizing */
    WEIR_PRIORITY_EIC,    /* execution intervals, clipped */
    WEIR_PRIORITY_CIX,    /* critical instants */
    WEIR_PRIORITY_METHODS,
};
WEIR_API const char *weir_priority_method_name(enum weir_priority_method method); /* "best", "PJ0", "PJ+iBS", ... */
/* WEIR_PRIORITY_METHODS if there is no such method; case does not matter. */
WEIR_API enum weir_priority_method weir_priority_method_named(const char *name);
WEIR_API bool weir_priority_method_safe(enum weir_priority_method method);

enum weir_priority_outcome {
    WEIR_PRIORITY_CONVERGED, /* everything below holds */
    /* Proved: a processor is overloaded, a cycle of operators is slower than its source, an execution repeats itself with more and
     * more that waits, or one loses a message, whatever the capacities that are left to the analysis. Not every latency has to be
     * one without a bound. */
    WEIR_PRIORITY_UNBOUNDED,
    WEIR_PRIORITY_VIOLATED, /* the method ends in a constraint that cannot be met; that proves nothing about the system */
    WEIR_PRIORITY_LIMIT,    /* a latency or the work went beyond the limit: no bound found within it */
};

/* How often executions of `op` can delay one busy period of the operator that has this in its list. */
struct weir_interference {
    struct weir_operator op;
    int64_t times;
};

struct weir_execution_bounds {
    int64_t enable_min, enable_max; /* iteration n is enabled in [enable_min, enable_max] */
    int64_t finish_max;             /* ... and ends by finish_max; its execution interval is [enable_min, finish_max] */
    /* The busy period that takes longest: of `iterations` executions in a row, `window` long from the enable_max of the first. */
    int64_t iterations, window;
    const struct weir_interference *interference; /* ordered by operator */
    size_t interference_count;
};

/* How many messages a queue has to hold. A source's own queue, in front of an operator that it feeds, is one too. */
struct weir_buffer {
    bool input; /* in front of source `index` of the pipeline, not queue `index` */
    uint32_t index;
    uint32_t capacity; /* initial messages included */
    bool chosen;       /* by the analysis; false: the model's own number */
};

struct weir_priority_latency {
    struct weir_chain_spec chain;
    bool bounded;
    bool unbounded;        /* proved to have no bound, or to lose a message on its way */
    int64_t worst;         /* bounded: never exceeded */
    int64_t worst_arrival; /* ... from the actual arrival of the input where `worst` counts from the nominal one; else the same */
    int64_t best;          /* no execution is faster. INT64_MIN: what a given shift < 0 ends with may be earlier by any time */
};

struct weir_priority_analysis {
    const struct weir_pipeline *pipeline;
    enum weir_priority_method method;
    bool safe;           /* by the method's theorem */
    const char *variant; /* WEIR_PRIORITY_BEST: what the portfolio chose, "CIX+iBS" for one; otherwise the method's name */
    enum weir_priority_outcome outcome;
    const char *why;                               /* NULL when converged; else which cycle, processor or limit */
    const struct weir_priority_latency *latencies; /* one per chain */
    size_t latency_count;
    const struct weir_execution_bounds *operators; /* one per operator; enable_min alone unless converged */
    const struct weir_buffer *buffers;             /* queues, then sources; none unless converged */
    size_t buffer_count;
    int64_t buffer_total;
    uint64_t rounds, windows;        /* what it took */
    bool verified;                   /* asked for, and the certificate was checked; false also where that takes too long */
    struct weir_bounds_proof *proof; /* the certificate; NULL for methods that are not safe */
    /* WEIR_PRIORITY_UNBOUNDED, where it took executions to show that: their plans, the certificate. Otherwise none. */
    const uint64_t *plans;
    size_t plan_count;
};

struct weir_priority_options {
    enum weir_priority_method method;
    int64_t latency_limit; /* 0: the model's; without one, 60 of its longest periods and 4 of its longest jitters */
    uint64_t work_limit;   /* demand of windows to look at; 0: the default, some 10^9 */
    bool verify;           /* check the certificate; a failure is WEIR_INTERNAL */
    bool quick;            /* look for no execution that shows that there is no bound; only WEIR_PRIORITY_BEST does */
    /* Called now and then with the share of the limit of work that is used up, 0..1000; may be NULL. */
    void (*progress)(void *context, unsigned permille);
    void *context;
};

/* options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_priority_analyze(const struct weir_pipeline *pipeline, const struct weir_priority_options *options,
                                                struct weir_priority_analysis **analysis, struct weir_error *error);
WEIR_API void weir_priority_analysis_free(struct weir_priority_analysis *analysis);

/* How inputs arrive in a simulation, within what their source allows. */
enum weir_releases {
    WEIR_RELEASES_NOMINAL, /* at their nominal moments */
    WEIR_RELEASES_LATE,    /* all as late as can be */
    WEIR_RELEASES_RANDOM,
    WEIR_RELEASES_EXTREME, /* each at one end of its jitter */
    WEIR_RELEASES_BURST,   /* as many together as can be, again and again */
    WEIR_RELEASES_QUIET,   /* nominal for half of the time, then one burst */
    WEIR_RELEASES_GIVEN,
};

struct weir_processors_options {
    int64_t iterations; /* of every operator; >= 1 */
    enum weir_times times;
    enum weir_releases releases;
    uint64_t seed;
    /* Messages each queue holds, by queue, as in the analysis whose bounds are to be tried; NULL: the model's, and those left to
     * the analysis hold any number. Queues that do not block never make anyone wait. */
    const uint32_t *capacities;
    const int64_t *phases; /* by source; NULL: the model's, and for those it does not give one from the seed */
    /* WEIR_TIMES_GIVEN: the time of an execution, asked once for each, in order of iterations per operator. */
    int64_t (*given_time)(void *context, struct weir_operator op, int64_t iteration);
    /* WEIR_RELEASES_GIVEN: how long after its nominal moment an input arrives (0 .. jitter; made later if it would overtake), and
     * with *spread how much later than its period the nominal moment of a sporadic source is. */
    int64_t (*given_release)(void *context, uint32_t source, int64_t iteration, int64_t *spread);
    /* Called in order of time. `nominal` is the nominal arrival of that iteration's input, so that time - nominal is what the
     * bounds are about. WEIR_START is the first moment on the processor. May be NULL. */
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal);
    /* Each stretch of time an operator had its processor; may be NULL. */
    void (*ran)(void *context, struct weir_operator op, int64_t iteration, int64_t from, int64_t to);
    void *context;
};
/* Runs operators on their processors by the rules of the model. Shares no code with the analysis. */
WEIR_API enum weir_status weir_processors_simulate(const struct weir_pipeline *pipeline,
                                                   const struct weir_processors_options *options, struct weir_error *error);

/* Looks for late executions: many simulations of all kinds, and from the latest found so far, hill climbing over times, arrivals
 * and phases. */
struct weir_processors_search_options {
    uint64_t seed;
    uint32_t runs;              /* simulations, climbing included; >= 1 */
    int64_t iterations;         /* of every operator in each; >= 1 */
    const uint32_t *capacities; /* as above */
    uint32_t chain;             /* climb towards this chain's worst latency; chain_count: all of them in turn */
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
};
struct weir_processors_observed {
    int64_t *finish_max, *enable_min, *enable_max; /* by operator, relative to nominal arrivals */
    int64_t *latency_max, *latency_min;            /* by chain, as the bounds count it */
    int64_t *latency_max_arrival;                  /* by chain, from the actual arrival where `from` is fed by a source */
    uint64_t executions;
};
/* Caller frees with weir_free(): one block. */
WEIR_API enum weir_status weir_processors_search(const struct weir_pipeline *pipeline,
                                                 const struct weir_processors_search_options *options,
                                                 struct weir_processors_observed **seen, struct weir_error *error);

/* Random task graphs on shared processors. Same options, same pipeline. */
struct weir_generate_priority_options {
    uint64_t seed;
    uint32_t graphs;          /* task graphs, >= 1 */
    uint32_t tasks;           /* operators per graph, >= 1 */
    uint32_t processors;      /* >= 1 */
    uint32_t load_permille;   /* mean load of a processor; < 1000 */
    uint32_t best_permille;   /* best case = worst * best_permille / 1000, at least 0 */
    uint32_t jitter_permille; /* largest jitter, of the period; drawn uniformly */
    bool cyclic;              /* feedback queues with initial messages */
    bool sporadic;            /* sources are */
    bool mixed;               /* processors of every kind; otherwise preemptive */
    bool sized;               /* some queues have a given capacity; otherwise all are WEIR_AUTO */
};
WEIR_API enum weir_status weir_generate_priority(const struct weir_generate_priority_options *options,
                                                 struct weir_pipeline **pipeline, struct weir_error *error);

/* Systems of the execution-interval paper: "wlan" (one decoder), "wlan-two" (two), "jitter" (Figure 1), "jitter-reversed". */
WEIR_API size_t weir_priority_system_count(void);
WEIR_API const char *weir_priority_system_name(size_t index); /* NULL beyond the last */
/* period and jitter in ticks of the system (half a microsecond for wlan, a millisecond for the others); 0: those of the paper. */
WEIR_API enum weir_status weir_generate_priority_system(const char *name, int64_t period, int64_t jitter,
                                                        struct weir_pipeline **pipeline, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
