/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How to ask about a pipeline: weir_answer_find picks its engine and returns the answer in a form that all engines share. Deadlines
 * are decided in one place, and every part of the program prints this value. Stable: docs/reference/abi.md. The library creates
 * answers, bounds and tables; they are read through pointers, and their structs may grow at the end.
 */
#ifndef WEIR_ANSWER_H
#define WEIR_ANSWER_H

#include <stdio.h>

#include "weir/pipeline.h"
#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- values */

/* What a number claims to be. */
enum weir_claim {
    WEIR_CLAIM_NONE,      /* there is no value: no such events, or the engine does not compute it */
    WEIR_CLAIM_EXACT,     /* reached, and never exceeded: low == high */
    WEIR_CLAIM_SAFE,      /* never exceeded; it may or may not be reached */
    WEIR_CLAIM_BRACKET,   /* a limit was reached: the value lies between low and high */
    WEIR_CLAIM_UNSAFE,    /* a published number that legal executions can exceed */
    WEIR_CLAIM_UNKNOWN,   /* no bound was found */
    WEIR_CLAIM_UNBOUNDED, /* it grows for ever: proved */
};
WEIR_API const char *weir_claim_name(enum weir_claim claim); /* "none", "exact", "safe", "bracket", "unsafe", "unknown", ... */

/* A time in ticks. An unknown end of the interval has the denominator 0. */
struct weir_quantity {
    enum weir_claim claim;
    struct weir_ratio low, high;
};

/* Decided once, by the same rules for every engine. */
enum weir_deadline_state {
    WEIR_DEADLINE_NONE,        /* there is no deadline */
    WEIR_DEADLINE_MET,         /* proved: no execution is later */
    WEIR_DEADLINE_NOT_PROVED,  /* a safe bound lies above the deadline; that does not prove that an execution does */
    WEIR_DEADLINE_NOT_DECIDED, /* no bound was found, or a limit was reached with the deadline inside the bracket */
    WEIR_DEADLINE_MISSED,      /* proved: an exact value or a lower end above it, or a latency that grows for ever */
};
WEIR_API const char *weir_deadline_state_name(enum weir_deadline_state state); /* "none", "met", "not proved", "not decided", ... */

/* The overall verdict; the program's exit status is 0, 4 or 1. */
enum weir_verdict {
    WEIR_VERDICT_GOOD, /* every deadline is met, and every latency has a bound */
    WEIR_VERDICT_OPEN, /* a deadline is not proved or not decided; a bracket; no bound found */
    WEIR_VERDICT_BAD,  /* a deadline is missed, a latency has no bound, or the application can fail */
};

enum weir_datum_kind {
    WEIR_DATUM_ABSENT, /* not present here */
    WEIR_DATUM_NULL,   /* not known; is.text may have a text for people */
    WEIR_DATUM_FLAG,
    WEIR_DATUM_COUNT,
    WEIR_DATUM_TIME,  /* ratio, in ticks */
    WEIR_DATUM_SHARE, /* ratio, dimensionless */
    WEIR_DATUM_TEXT,
    WEIR_DATUM_LIST,     /* fields without keys */
    WEIR_DATUM_RECORD,   /* fields with keys */
    WEIR_DATUM_DURATION, /* count: measured nanoseconds; shown to people in a suitable unit */
};

struct weir_field;

struct weir_datum {
    enum weir_datum_kind kind;
    bool rounds_down; /* TIME, SHARE: a lower bound; all others are rounded up */
    bool with_exact;  /* TIME: JSON also has the exact ratio if it is not a whole number of ticks */
    union {
        bool flag;
        int64_t count;
        struct weir_ratio ratio;
        const char *text;
        const struct weir_field *fields;
    } is;
    size_t field_count; /* LIST, RECORD */
};

struct weir_field {
    const char *key; /* of JSON; NULL in lists */
    struct weir_datum value;
};

struct weir_column {
    const char *key;   /* of JSON; NULL: for people only */
    const char *title; /* for people; NULL: for programs only; "": the rows are a list, in running lines */
};

struct weir_table {
    const char *key;   /* of JSON; NULL: for people only */
    const char *title; /* for people; NULL: for programs only */
    const char *note;  /* a line below it; NULL: none */
    const struct weir_column *columns;
    size_t column_count;
    const struct weir_datum *cells; /* row by row */
    size_t row_count;
};

/* ---------------------------------------------------------------- bounds */

/* A part of a bound; the times of all terms add up to the bound. */
struct weir_bound_term {
    const char *text;
    struct weir_ratio time;
};

/* What was observed of a latency, simulated or measured. */
struct weir_bin {
    struct weir_ratio from, to; /* ticks: from <= value < to; in the last bin value <= to */
    int64_t count;
};

struct weir_distribution {
    int64_t count;                           /* values */
    struct weir_ratio min, median, p99, max; /* ticks; denominator 0 if there is no value */
    int64_t kept;                            /* median, p99 and bins are those of a random sample of this many */
    int64_t beyond;                          /* how many of these are above the bound; 0 unless it can be exceeded */
    int64_t bin_width;                       /* ticks; the last bin ends at the bound, or at the largest value beyond it */
    const struct weir_bin *bins;
    size_t bin_count;
    const char *note; /* another line for people; NULL: none */
};

struct weir_bound {
    bool whole;                            /* on a GPU: from the first launch to the end of the last; chain has no ends */
    struct weir_chain_spec chain;          /* from where to where; its deadline is below */
    struct weir_quantity worst, best, gap; /* gap: between two successive ends of chain.to */
    bool has_deadline;
    int64_t deadline; /* ticks */
    enum weir_deadline_state state;
    const char *why;                     /* without a bound, or for a bracket: the reason; else NULL */
    const struct weir_bound_term *terms; /* what the worst case consists of, if the engine knows */
    size_t term_count;
    const char *path;                   /* how the worst case happens, in words; NULL: not known, or not wanted */
    const struct weir_witness *witness; /* an execution that reaches it; NULL: none */
    const struct weir_field *details;   /* further keys of JSON */
    size_t detail_count;
    bool verified;     /* the witness replayed, or the certificate checked */
    const char *since; /* what it counts from, if that is neither the start nor the arrival of chain.from; else NULL */
    const struct weir_distribution *observed; /* NULL: nothing was simulated or measured */
};

/* ---------------------------------------------------------------- asking */

struct weir_answer;

struct weir_answer_options {
    const char *method;    /* of the engine, by name; NULL: its best */
    bool verify;           /* replay witnesses, check certificates; a failure is WEIR_INTERNAL */
    bool brief;            /* only bounds: no best cases, paths or tables; for frequent questions */
    bool explain;          /* add tables that explain the numbers */
    bool no_split;         /* GPU: do not split kernels */
    uint64_t work_limit;   /* work before the answer is a bracket; 0: the engine's default */
    uint64_t memory_limit; /* bytes of the exact engine's tables, likewise */
    int64_t latency_limit; /* shared processors: give up beyond it; 0: the model's */
    uint32_t cores, sms;   /* instead of the model's; 0: the model's */
    unsigned threads;      /* exact engine; 0: one per core where that pays; 1: only the calling thread */
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
};

/* For a sealed pipeline on any platform, which must outlive the answer. options may be NULL. Caller frees. WEIR_INVALID if no
 * engine covers the pipeline; the message says why. */
WEIR_API enum weir_status weir_answer_find(const struct weir_pipeline *pipeline, const struct weir_answer_options *options,
                                           struct weir_answer **answer, struct weir_error *error);
WEIR_API void weir_answer_free(struct weir_answer *answer); /* NULL is fine */

/* The engine that answers for this pipeline: "exact", "workers", "sampling", "fixed-priority", "global-edf" or "gpu". */
WEIR_API const char *weir_engine_of(const struct weir_pipeline *pipeline);

/* ---------------------------------------------------------------- looking at an answer */

WEIR_API const struct weir_pipeline *weir_answer_pipeline(const struct weir_answer *answer);
/* NULL if no engine was asked, as for a run of a model without a bound. */
WEIR_API const char *weir_answer_engine(const struct weir_answer *answer);
WEIR_API enum weir_verdict weir_answer_verdict(const struct weir_answer *answer);
WEIR_API size_t weir_answer_bound_count(const struct weir_answer *answer);
/* NULL beyond the last. One per latency of the pipeline, in their order; on a GPU one for the whole. */
WEIR_API const struct weir_bound *weir_answer_bound(const struct weir_answer *answer, size_t index);
/* The most urgent bound: of those with the worst state, the latest. NULL if there is none. */
WEIR_API const struct weir_bound *weir_answer_worst(const struct weir_answer *answer);
WEIR_API size_t weir_answer_table_count(const struct weir_answer *answer);
WEIR_API const struct weir_table *weir_answer_table(const struct weir_answer *answer, size_t index); /* NULL beyond the last */
/* A fact about the whole, by its JSON key: "throughput", "utilization" ... WEIR_DATUM_ABSENT if there is none. */
WEIR_API struct weir_datum weir_answer_fact(const struct weir_answer *answer, const char *key);
/* The operators that hold the throughput back, in order; *count is 0 if they are not known. */
WEIR_API const struct weir_operator *weir_answer_bottleneck(const struct weir_answer *answer, size_t *count);
/* At worst times one result at least this often: the period of the fact "throughput". Denominator 0: not known. */
WEIR_API struct weir_ratio weir_answer_period(const struct weir_answer *answer);
/* Whether the bound is a number that is never exceeded: exact, safe, or the upper end of a bracket. */
WEIR_API bool weir_bound_holds(const struct weir_bound *bound);

/* ---------------------------------------------------------------- writing it */

struct weir_text_options {
    const char *title; /* NULL: the name of the model */
    bool full;         /* print everything, however long */
    bool color;        /* escape sequences of a terminal */
    unsigned columns;  /* of the terminal, for tables, sentences and histograms; 0: no limit (80 for histograms) */
};
WEIR_API enum weir_status weir_answer_write_text(const struct weir_answer *answer, const struct weir_text_options *options,
                                                 FILE *out, struct weir_error *error);
/* docs/reference/json.md; ends in a newline. */
WEIR_API enum weir_status weir_answer_write_json(const struct weir_answer *answer, FILE *out, struct weir_error *error);
/* A name for the model in text and JSON, instead of its own; copied. */
WEIR_API void weir_answer_set_title(struct weir_answer *answer, const char *title);
/* Charts in the answers of searches (weir/sweep.h, weir/sizing.h, ...), counted from 0; written as SVG. */
WEIR_API size_t weir_answer_chart_count(const struct weir_answer *answer);
WEIR_API enum weir_status weir_answer_write_chart(const struct weir_answer *answer, size_t chart, FILE *out,
                                                  struct weir_error *error);
/* The table with that key as comma-separated values with a heading; NULL: the table of the search, or else the bounds. */
WEIR_API enum weir_status weir_answer_write_csv(const struct weir_answer *answer, const char *table, FILE *out,
                                                struct weir_error *error);

/* Whether there is a picture: a worst case, execution intervals, launches over SMs, or, where no worst case is known, a run. */
WEIR_API bool weir_answer_has_picture(const struct weir_answer *answer);
/* The picture of a bound, as SVG or as a trace for Perfetto and chrome://tracing. WEIR_INVALID if there is none. */
WEIR_API enum weir_status weir_answer_write_svg(const struct weir_answer *answer, size_t bound, FILE *out,
                                                struct weir_error *error);
WEIR_API enum weir_status weir_answer_write_trace(const struct weir_answer *answer, size_t bound, FILE *out,
                                                  struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
