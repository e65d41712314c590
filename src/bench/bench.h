/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weir bench: an experiment fills a table and a plot; bench.c shows the one and writes both. The files: measure.c runs the
 * methods, table.c and plot.c hold what they gave, holoscan.c, priority.c, batching.c and gpu.c
 * are the kinds of experiments, the others the experiments.
 */
#ifndef WEIR_BENCH_BENCH_H
#define WEIR_BENCH_BENCH_H

#include "cli/cli.h"

/* ---------------------------------------------------------------- tables (table.c) */

enum weir_cell_kind {
    WEIR_CELL_SKIPPED, /* not tried, since a smaller one took too long */
    WEIR_CELL_MISSING, /* the method cannot */
    WEIR_CELL_TEXT,
    WEIR_CELL_COUNT,
    WEIR_CELL_SECONDS,
    WEIR_CELL_PERCENT,
    WEIR_CELL_RATIO, /* of about 1 */
    WEIR_CELL_TIME,  /* of the model, in its unit */
    WEIR_CELL_BOOL,
    WEIR_CELL_OVER, /* a limit was reached: the text says which; `number` is where it stopped */
};

#define WEIR_CELL_LENGTH 48
struct weir_bench_cell {
    enum weir_cell_kind kind;
    double number;
    char text[WEIR_CELL_LENGTH];
};
struct weir_bench_cell weir_cell_text(const char *text);
struct weir_bench_cell weir_cell_number(enum weir_cell_kind kind, double number);
/* Lower quartile, median and upper quartile of values, which are sorted; those that a limit cut off are infinite, and `over` says
 * which limit. */
void weir_cells_spread(double *values, size_t count, enum weir_cell_kind kind, const struct weir_bench_cell *over,
                       struct weir_bench_cell cells[3]);

enum { WEIR_TABLE_COLUMNS = 40, WEIR_TABLE_ROWS = 40, WEIR_TABLE_NOTES = 8, WEIR_TABLE_NOTE = 240 };

/* Zero-initialise, set id and title. What does not fit is a mistake in the program. */
struct weir_bench_table {
    const char *id, *title;
    struct weir_table_column {
        char name[WEIR_CELL_LENGTH];
        bool detail;      /* in files only, not on the screen */
        bool screen_only; /* for the eye: files have the same in other columns */
    } columns[WEIR_TABLE_COLUMNS];
    struct weir_bench_cell cells[WEIR_TABLE_ROWS][WEIR_TABLE_COLUMNS];
    char notes[WEIR_TABLE_NOTES][WEIR_TABLE_NOTE];
    size_t column_count, row_count, note_count;
};
/* Returns its index. */
size_t weir_table_add_column(struct weir_bench_table *table, bool detail, const char *format, ...) WEIR_CLI_PRINTF(3, 4);
/* Begins a row whose cells are all skipped so far. */
struct weir_bench_cell *weir_table_add_row(struct weir_bench_table *table);
/* A footnote; the same one only once. */
void weir_table_add_note(struct weir_bench_table *table, const char *format, ...) WEIR_CLI_PRINTF(2, 3);

void weir_table_print(const struct weir_bench_table *table, FILE *out);
void weir_table_words(FILE *out, const char *words, unsigned indent); /* in as many lines as they take on a terminal */
void weir_table_write_csv(const struct weir_bench_table *table, FILE *out);
void weir_table_write_json(const struct weir_bench_table *table, FILE *out);

/* Three digits and a unit: "1.39 us". */
#define WEIR_SECONDS_TEXT 32
const char *weir_seconds_format(double seconds, char text[WEIR_SECONDS_TEXT]);

/* ---------------------------------------------------------------- plots (plot.c) */

enum { WEIR_SKETCH_SERIES = 12, WEIR_SKETCH_POINTS = 32 };

/* A plot with room for what it shows. Set plot.kind, title and axes. */
struct weir_sketch {
    struct weir_plot plot;
    struct weir_plot_series series[WEIR_SKETCH_SERIES];
    struct weir_plot_point points[WEIR_SKETCH_SERIES][WEIR_SKETCH_POINTS];
    char names[WEIR_SKETCH_SERIES][WEIR_CELL_LENGTH];
    char subtitle[160];
};
/* Begins a series; the points that follow are its. */
void weir_sketch_add_series(struct weir_sketch *sketch, unsigned look, bool dashed, const char *format, ...) WEIR_CLI_PRINTF(4, 5);
/* A point with the value of a cell; none for a cell without a number. */
void weir_sketch_add_cell(struct weir_sketch *sketch, double x, const struct weir_bench_cell *cell);
/* The same with its quartiles. */
void weir_sketch_add_spread(struct weir_sketch *sketch, double x, const struct weir_bench_cell cells[3]);

/* The axes; bars stand in groups of these names instead of along an axis. */
void weir_sketch_axes(struct weir_sketch *sketch, const char *x, bool x_logarithmic, struct weir_plot_axis y);
void weir_sketch_bars(struct weir_sketch *sketch, const char *const *groups, size_t count, struct weir_plot_axis y);

/* ---------------------------------------------------------------- the run */

enum { WEIR_BENCH_APPLICATIONS = 8, WEIR_BENCH_QUEUES = 3 };

struct weir_bench {
    uint64_t seed;
    struct weir_progress progress;
    char doing[80];
    const bool *stop; /* set by an interrupt: then measuring ends with WEIR_EXIT_BRACKET, and what is there is shown */

    uint64_t graphs;                                     /* holoscan, gpu: random graphs per point */
    double cell;                                         /* holoscan: seconds */
    struct weir_pipeline *apps[WEIR_BENCH_APPLICATIONS]; /* ... with queues of 1 */
    const char *titles[WEIR_BENCH_APPLICATIONS];

    uint64_t systems; /* priority: random systems per point */

    uint32_t edge_permille; /* gpu: of random graphs; 0: those that the figures are shown for */
    uint64_t threads;       /* ... 0: one per core */

    /* For the last words; 0: not measured. */
    struct {
        double exact, tgdfs; /* Multi AI Ultrasound at queues of 10 */
        bool tgdfs_over;
        /* Random graphs, by queue: the most operators, how long exact takes for them, and at how many tgdfs gives up. */
        uint32_t largest[WEIR_BENCH_QUEUES + 1], gives_up[WEIR_BENCH_QUEUES + 1];
        double largest_seconds[WEIR_BENCH_QUEUES + 1];
        /* priority, one graph and two: systems of the campaign, and how far `best` is below EI on those that EI accepts, in
         * percent; systems simulated, and how many broke a bound of a method that is not safe. */
        uint64_t compared[2], simulated, exceeded;
        double below[2];
        /* batching: uniform batches' latency over that of batches by rates at the same load, where it is largest. */
        double gain;
        uint64_t gain_batch;
        /* gpu: whether Figure 4 was made; in it, by how many percent `best` is above the lower bound at most, and below the paper's
         * at least, at 64 and at 128 SMs; graphs simulated, and those that broke the paper's bound. */
        bool figure4;
        double gpu_gap, below_paper[2];
        uint64_t graphs_simulated, paper_exceeded;
    } summary;
};

typedef enum weir_exit weir_bench_run(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch);
struct weir_experiment {
    const char *id, *title;
    weir_bench_run *run;
};

/* The experiments of one paper: weir bench NAME. */
struct weir_bench_kind {
    const char *name;
    const char *folder; /* for the files, unless another is given */
    const struct weir_experiment *experiments;
    size_t experiment_count;
    const char *drawn;                                 /* at random, many per point: "graph" */
    bool has_cell, has_edges, has_threads;             /* options */
    uint64_t graphs, graphs_most;                      /* unless given, and at most; 0: it has systems instead of graphs */
    enum weir_exit (*begin)(struct weir_bench *bench); /* before the first; NULL: nothing to do */
    void (*end)(struct weir_bench *bench);             /* also after a failed begin; NULL: nothing to do */
    /* The last words: a line each, or a JSON object. */
    void (*print_summary)(const struct weir_bench *bench, FILE *out);
    void (*write_summary_json)(const struct weir_bench *bench, FILE *out);
};
/* What every kind has: its file defines experiments, print_summary and write_summary_json. */
#define WEIR_BENCH_KIND(id)                                                                                                        \
    .name = (id), .folder = "bench-" id, .experiments = experiments, .experiment_count = sizeof experiments / sizeof *experiments, \
    .print_summary = print_summary, .write_summary_json = write_summary_json
extern const struct weir_bench_kind weir_bench_holoscan, weir_bench_priority, weir_bench_batching, weir_bench_gpu;
enum { WEIR_BENCH_EXPERIMENTS = 8 }; /* at most, of a kind */

weir_bench_run weir_bench_table1, weir_bench_table2, weir_bench_figure8, weir_bench_figure9, weir_bench_figure10,
    weir_bench_figure12;

/* Shows what is being done, and which share of the experiment is. */
void weir_bench_show(struct weir_bench *bench, size_t done, size_t all, const char *format, ...) WEIR_CLI_PRINTF(4, 5);

/* ---------------------------------------------------------------- measuring (measure.c) */

double weir_bench_number(struct weir_ratio ratio);
double weir_bench_unit(const struct weir_pipeline *pipeline); /* its ticks */
/* Seconds of one run, the best of several where it is short; negative when run() gave up by returning false. */
double weir_bench_time(bool (*run)(void *context), void *context);

/* Limits besides those of the method; 0: those of a cell, 1 GiB. */
struct weir_bench_limits {
    bool any_time; /* no limit of time */
    uint64_t bytes;
};

struct weir_measurement {
    struct weir_bench_cell time; /* seconds, over, or missing */
    bool good;                   /* not over, not missing: */
    int64_t value;
    uint64_t count;
};

/* weir's own analysis: one query on the sealed pipeline. `shift` is the query's. */
enum weir_exit weir_measure_exact(const struct weir_bench *bench, const struct weir_pipeline *pipeline, int64_t shift,
                                  struct weir_measurement *m);
/* Any other method, from the sealed pipeline to the answer. limits may be NULL. */
enum weir_exit weir_measure_method(const struct weir_bench *bench, const struct weir_pipeline *pipeline, enum weir_method method,
                                   const struct weir_bench_limits *limits, struct weir_measurement *m);
/* Notes in the table why it does not have a method, where that is so. */
void weir_bench_note_missing(enum weir_method method, struct weir_bench_table *table);
/* Complains where a value that has to be exact is not the other one. */
enum weir_exit weir_bench_compare(const struct weir_pipeline *pipeline, enum weir_method method, const struct weir_measurement *m,
                                  int64_t exact);
/* The methods, and what each promises in general, not only on one application. */
enum { WEIR_PROMISES = 6 };
extern const struct weir_promise {
    const char *name;
    enum weir_method method;
    uint32_t best_permille; /* of the application that it is tried on */
    bool safe, exact, times, queues;
    const char *published; /* the runtime that the paper gives for Multi AI Ultrasound; NULL: none */
} weir_promises[WEIR_PROMISES];
/* A method on an application, compared with the exact value where it has to be that. */
enum weir_exit weir_measure_promise(const struct weir_bench *bench, size_t app, const struct weir_promise *promise, int64_t shift,
                                    struct weir_measurement *m, int64_t *exact);
/* An application or a random graph; complains when there is none. */
struct weir_pipeline *weir_bench_application(size_t index, const struct weir_application_options *options);
struct weir_pipeline *weir_bench_graph(const struct weir_bench *bench, uint32_t nodes, uint32_t queue, uint64_t index);

#endif
