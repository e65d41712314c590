/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an answer is made. An engine's adapter (one file here for each engine) runs the engine and fills the answer with the calls
 * below; judge.c then decides its deadlines. Everything lives in the answer's arena. A call that runs out of memory leaves a mark
 * that weir_answer_find looks at, so that adapters need not check each.
 */
#ifndef WEIR_ANSWER_ANSWER_H
#define WEIR_ANSWER_ANSWER_H

#include "base/alloc.h"
#include "weir.h"

#include <stdarg.h>

/* A growing list in the arena's company; freed with the answer. */
struct weir_answer_list {
    void *items;
    size_t count, capacity;
};

struct weir_answer {
    const struct weir_pipeline *pipeline;
    const struct weir_engine *engine;
    const char *title; /* what to call the model; NULL: its name */
    struct weir_arena arena;
    bool out_of_memory;
    struct weir_bound *bounds;
    size_t bound_count;
    const char *scope;   /* for people: "9 operators, 11 queues, exact" */
    const char *trouble; /* for people: what is wrong with the whole, headed by a word in capitals; NULL: nothing */
    enum weir_verdict trouble_verdict;
    const char *assumes; /* for people: "a thread per operator ...; see docs/..." */
    bool in_order; /* ... which take operators in the order in which they became ready, as far as it is about workers or lanes */
    const char *platform;                   /* for people: what operators run on */
    struct weir_answer_list assumptions;    /* const char *: in full, a sentence each */
    struct weir_answer_list facts;          /* struct weir_field: keys of JSON */
    struct weir_answer_list lines;          /* const char *: facts for people, a line each */
    struct weir_answer_list tables;         /* struct weir_table */
    struct weir_answer_list remedies;       /* const char *: what can help, a line each */
    struct weir_answer_list notes;          /* const char *: what is to be said at the end, a paragraph each */
    struct weir_answer_list charts;         /* struct weir_chart */
    size_t csv;                             /* which table the CSV file has, counted from 1; 0: the bounds */
    const struct weir_operator *bottleneck; /* that hold the throughput back, in order */
    size_t bottleneck_count;
    bool paced;   /* it is the period of that one, and not how long it takes */
    void *detail; /* the engine's own result, for pictures; freed by the engine's `release` */
};

/* ---- the table of engines (find.c) ---- */

struct weir_simulation;

struct weir_engine {
    const char *name;
    bool (*applies)(const struct weir_pipeline *pipeline);
    enum weir_status (*analyze)(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error);
    void (*release)(void *detail); /* NULL: nothing to release */
    /* What can be shown of the bound, from the engine's own result; NULL: nothing. */
    enum weir_status (*timeline)(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                                 struct weir_error *error);
    enum weir_status (*simulate)(struct weir_simulation *simulation, struct weir_error *error); /* answer/simulate */
};
extern const struct weir_engine weir_engine_exact, weir_engine_workers, weir_engine_async, weir_engine_priority, weir_engine_edf,
    weir_engine_gpu;
enum { WEIR_ENGINES = 6 };
extern const struct weir_engine *const weir_engines[];
/* The first engine of the table that applies. There always is one. */
const struct weir_engine *weir_engine_for(const struct weir_pipeline *pipeline);

/* What comes of a search (explore) has no bounds of its own: `bounds` stays NULL, `scope` is its headline, `trouble_verdict` what
 * it comes to. */

/* An answer with nothing in it yet (find.c); NULL on failure. What becomes of it: with WEIR_OK the caller's, its deadlines decided;
 * else it is freed. */
struct weir_answer *weir_answer_new(const struct weir_pipeline *pipeline, struct weir_error *error);
enum weir_status weir_answer_keep(struct weir_answer *answer, enum weir_status status, struct weir_answer **kept,
                                  struct weir_error *error);

/* Where the pipeline leaves open which ports there are: makes the answer one that holds for all readings (readings.c). */
enum weir_status weir_answer_join_readings(struct weir_answer *answer, const struct weir_answer_options *options,
                                           struct weir_error *error);

/* ---- filling an answer (build.c) ---- */

#if defined(__GNUC__)
#define WEIR_ANSWER_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WEIR_ANSWER_PRINTF(text, first)
#endif

/* NULL when out of memory; the mark is then set. */
char *weir_answer_format(struct weir_answer *answer, const char *format, ...) WEIR_ANSWER_PRINTF(2, 3);
void *weir_answer_take(struct weir_answer *answer, size_t count, size_t size); /* zeroed */
const char *weir_answer_name(const struct weir_answer *answer, struct weir_operator op);

/* Makes one bound per chain of the pipeline, with its deadline and nothing known yet. False when out of memory. */
bool weir_answer_chains(struct weir_answer *answer);
/* To one of its lists of texts: one that lives as long as the answer; one that is formatted. */
void weir_answer_add_text(struct weir_answer *answer, struct weir_answer_list *list, const char *text);
void weir_answer_add_line(struct weir_answer *answer, struct weir_answer_list *list, const char *format, ...)
    WEIR_ANSWER_PRINTF(3, 4);
#define weir_answer_line(answer, ...) weir_answer_add_line(answer, &(answer)->lines, __VA_ARGS__)
#define weir_answer_remedy(answer, ...) weir_answer_add_line(answer, &(answer)->remedies, __VA_ARGS__)
#define weir_answer_note(answer, ...) weir_answer_add_line(answer, &(answer)->notes, __VA_ARGS__)
void weir_answer_add_fact(struct weir_answer *answer, const char *key, struct weir_datum value);
/* The scheduler of operators that share workers, as facts and in the scope (workers.c). */
void weir_answer_scheduler(struct weir_answer *answer);
/* "workers", or what else they share. */
const char *weir_answer_threads(const struct weir_answer *answer);
/* Takes what follows from looking at all rounds of the greedy scheduler, where that is less. */
enum weir_status weir_answer_rounds(struct weir_answer *answer, bool verify, struct weir_error *error);
/* ", and that no source stops: ...": why a bound may not hold while a source stops; NULL: it does. `lossy`: some may be lost. */
const char *weir_answer_stops(const struct weir_pipeline *pipeline, bool lossy);
/* "N operators, M queues" and what follows. */
void weir_answer_scope(struct weir_answer *answer, const char *format, ...) WEIR_ANSWER_PRINTF(2, 3);

/* The details of a bound, and other records: fields that are added one by one. */
struct weir_record {
    struct weir_answer *answer;
    struct weir_field *fields;
    size_t count, capacity;
};
void weir_record_add(struct weir_record *record, const char *key, struct weir_datum value);
struct weir_datum weir_record_datum(const struct weir_record *record); /* with keys: a record; without: a list */

/* A table: columns first, then cells row by row. weir_answer_add_table puts it into the answer. */
struct weir_table_builder {
    struct weir_answer *answer;
    struct weir_table table;
    struct weir_datum *cells;
    size_t count, capacity;
};
/* `columns` must outlive the answer: a static array. */
void weir_table_begin(struct weir_table_builder *builder, struct weir_answer *answer, const char *key,
                      const struct weir_column *columns, size_t column_count);
/* weir_table_cell takes one cell or more of the same row. */
void weir_table_cells(struct weir_table_builder *builder, const struct weir_datum *values, size_t count);
#define weir_table_cell(builder, ...)                                                                                              \
    weir_table_cells(builder, (const struct weir_datum[]){__VA_ARGS__},                                                            \
                     sizeof(const struct weir_datum[]){__VA_ARGS__} / sizeof(struct weir_datum))
/* title and note may be NULL; both are copied. */
void weir_answer_add_table(struct weir_table_builder *builder, const char *title, const char *note);

/* The table "ages", where the model says how old what is read may be (ages.c). analysis NULL: nothing is known of them. */
enum weir_status weir_answer_starts(struct weir_answer *answer, const struct weir_answer_options *options,
                                    struct weir_error *error);
void weir_answer_ages(struct weir_answer *answer, const struct weir_async_analysis *analysis);

/* The table "buffers" and the fact "buffer_total" (buffers.c). */
struct weir_buffers {
    const struct weir_buffer *items;
    size_t count;
    int64_t total;
    const char *what; /* they hold: "message", "sample" */
    bool known;       /* false: there is no total */
};
void weir_answer_buffers(struct weir_answer *answer, const struct weir_buffers *buffers, const char *note);

/* ---- charts: lines through points, whose values are counts, times or shares ---- */

struct weir_chart_series {
    const char *name;
    bool dashed;
    struct weir_datum *points; /* x, y, x, y ... */
    size_t count, capacity;    /* of values: two a point */
};
struct weir_chart {
    const char *title, *subtitle, *note; /* NULL: none */
    const char *x_label, *y_label;
    bool x_times, y_times, logarithmic;
    struct weir_chart_series *series;
    size_t count, capacity;
};
/* The chart, whose texts must live as long as the answer, without series. NULL when out of memory. */
struct weir_chart *weir_answer_add_chart(struct weir_answer *answer, const struct weir_chart *chart);
/* Further points belong to the series that was begun last. */
void weir_chart_begin_series(struct weir_answer *answer, struct weir_chart *chart, const char *name, bool dashed);
void weir_chart_point(struct weir_answer *answer, struct weir_chart *chart, struct weir_datum x, struct weir_datum y);

/* ---- values ---- */

static inline struct weir_datum weir_datum_flag(bool flag)
{
    return (struct weir_datum){.kind = WEIR_DATUM_FLAG, .is.flag = flag};
}
static inline struct weir_datum weir_datum_count(int64_t count)
{
    return (struct weir_datum){.kind = WEIR_DATUM_COUNT, .is.count = count};
}
static inline struct weir_datum weir_datum_time(int64_t ticks)
{
    return (struct weir_datum){.kind = WEIR_DATUM_TIME, .is.ratio = {ticks, 1}};
}
static inline struct weir_datum weir_datum_ratio(struct weir_ratio ticks)
{
    return (struct weir_datum){.kind = WEIR_DATUM_TIME, .is.ratio = ticks};
}
static inline struct weir_datum weir_datum_duration(int64_t ns)
{
    return (struct weir_datum){.kind = WEIR_DATUM_DURATION, .is.count = ns};
}
static inline struct weir_datum weir_datum_share(struct weir_ratio share)
{
    return (struct weir_datum){.kind = WEIR_DATUM_SHARE, .is.ratio = share};
}
static inline struct weir_datum weir_datum_null(void)
{
    return (struct weir_datum){.kind = WEIR_DATUM_NULL};
}
/* Not known; people read the words instead. */
static inline struct weir_datum weir_datum_unknown(const char *words)
{
    return (struct weir_datum){.kind = WEIR_DATUM_NULL, .is.text = words};
}
static inline struct weir_datum weir_datum_absent(void)
{
    return (struct weir_datum){.kind = WEIR_DATUM_ABSENT};
}
/* NULL is WEIR_DATUM_NULL. The text is not copied. */
static inline struct weir_datum weir_datum_text(const char *text)
{
    return (struct weir_datum){.kind = text ? WEIR_DATUM_TEXT : WEIR_DATUM_NULL, .is.text = text};
}
static inline struct weir_datum weir_datum_if(bool known, struct weir_datum value)
{
    return known ? value : weir_datum_null();
}

/* ---- quantities ---- */

static inline struct weir_quantity weir_quantity_exact(struct weir_ratio value)
{
    return (struct weir_quantity){WEIR_CLAIM_EXACT, value, value};
}
/* As the upper end of a worst case; weir_quantity_least as the lower end of a best case. */
static inline struct weir_quantity weir_quantity_safe(struct weir_ratio value)
{
    return (struct weir_quantity){WEIR_CLAIM_SAFE, {0, 0}, value};
}
static inline struct weir_quantity weir_quantity_least(struct weir_ratio value)
{
    return (struct weir_quantity){WEIR_CLAIM_SAFE, value, {0, 0}};
}
static inline enum weir_claim weir_claim_of(bool exact, bool safe)
{
    return exact ? WEIR_CLAIM_EXACT : safe ? WEIR_CLAIM_SAFE : WEIR_CLAIM_UNKNOWN;
}
/* Of a bound that is exact, safe or, with WEIR_CLAIM_UNKNOWN, none; best: NULL where nothing is known of it. */
void weir_bound_set(struct weir_bound *bound, enum weir_claim claim, int64_t worst, const int64_t *best);
/* negated: the separation is that of the negated time, as that of a best case is. */
struct weir_quantity weir_quantity_of(const struct weir_separation *separation, bool negated);
/* The worst case of a plan for a GPU. */
static inline struct weir_quantity weir_quantity_of_plan(const struct weir_gpu_plan *plan)
{
    return (struct weir_quantity){plan->safe ? WEIR_CLAIM_SAFE : WEIR_CLAIM_UNSAFE, plan->lower, plan->bound};
}

/* ---- shared processors (priority.c) ---- */

/* The operators in the order of their processors, those with processors of their own last, and there the more urgent first. */
struct weir_priority_rank {
    uint32_t op, processor; /* WEIR_OWN_PROCESSOR: it has its own */
    int64_t urgency;        /* the smaller the more urgent */
};
void weir_priority_ranks(const struct weir_pipeline *pipeline, struct weir_priority_rank *ranks);

/* ---- critical paths (path_text.c) ---- */

/* The critical path in words, in the arena; false when out of memory. A long one is shortened. */
bool weir_witness_words(const struct weir_pipeline *pipeline, const struct weir_witness *witness, struct weir_arena *arena,
                        const char **words);

/* ---- deadlines (judge.c) ---- */

/* Decides the deadline of a bound. */
enum weir_deadline_state weir_judge(const struct weir_bound *bound);
/* The same for a latency that is counted in ticks divided by `scale`, at least 1; the deadline is in ticks. */
enum weir_deadline_state weir_judge_latency(const struct weir_separation *worst, int64_t deadline, int64_t scale);
/* What a bound alone comes to. */
enum weir_verdict weir_bound_verdict(const struct weir_bound *bound);
/* Negative when a is to be told of before b: the more urgent first, then the later. */
int weir_bound_compare(const struct weir_bound *a, const struct weir_bound *b);
/* What the engine takes for granted, and what operators run on (assumptions.c). */
void weir_answer_complete(struct weir_answer *answer);
/* Decides every bound of the answer. */
void weir_answer_judge(struct weir_answer *answer);

#endif
