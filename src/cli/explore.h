/* SPDX-License-Identifier: Apache-2.0 */
/* What the modes of the verb `explore` share, and what lies between each and what it prints. */
#ifndef WEIR_CLI_EXPLORE_H
#define WEIR_CLI_EXPLORE_H

#include "cli.h"

/* ---- modes (explore.c) ---- */

/* A kind of change that is looked for. Its options are its own, but for those that ask for it: no two modes share them. */
struct weir_explore_mode {
    const char *const *names; /* of the options that ask for it, without dashes; NULL behind the last */
    const char *help;         /* its part of `weir explore --help`, ends in a newline; NULL: the verb's own text has it */
    enum weir_exit (*run)(struct weir_arguments *arguments); /* parses all options; arguments->verb is the verb */
};
extern const struct weir_explore_mode weir_mode_search, weir_mode_what_if, weir_mode_sweep, weir_mode_partition;
extern const struct weir_explore_mode weir_mode_sensitivity, weir_mode_scale, weir_mode_period, weir_mode_size;

/* ---- what modes share (explore_common.c) ---- */

/* Options of the same meaning everywhere. Zero-initialise; put the macros of those that make sense into the list of options. */
struct weir_explore_common {
    const char *path;              /* of the model, once checked */
    const char *out, *csv, *svg;   /* files; NULL: not wanted */
    enum weir_model_format format; /* of out, once checked */
    uint64_t threads, seed;        /* 0: one per core */
    bool json;
};
#define WEIR_EXPLORE_OUTPUT(c)                                                                                                     \
    {                                                                                                                              \
        .name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &(c).out                                               \
    }
#define WEIR_EXPLORE_CSV(c)                                                                                                        \
    {                                                                                                                              \
        .name = "csv", .kind = WEIR_OPTION_TEXT, .value = &(c).csv                                                                 \
    }
#define WEIR_EXPLORE_SVG(c)                                                                                                        \
    {                                                                                                                              \
        .name = "svg", .kind = WEIR_OPTION_TEXT, .value = &(c).svg                                                                 \
    }
#define WEIR_EXPLORE_THREADS(c)                                                                                                    \
    {                                                                                                                              \
        .name = "threads", .kind = WEIR_OPTION_NUMBER, .value = &(c).threads, .low = 1, .high = 256                                \
    }
#define WEIR_EXPLORE_SEED(c)                                                                                                       \
    {                                                                                                                              \
        .name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &(c).seed, .high = UINT64_MAX - 1                                     \
    }
#define WEIR_EXPLORE_JSON(c)                                                                                                       \
    {                                                                                                                              \
        .name = "json", .kind = WEIR_OPTION_FLAG, .value = &(c).json                                                               \
    }

/* After weir_options_parse: one model is given, and the files have endings that say what they are. Prints what is wrong. */
enum weir_exit weir_explore_check(const struct weir_arguments *arguments, struct weir_explore_common *common);
/* The time that an option gives, above 0; a NULL text leaves *ticks as it is. Read the model with it in `extra_times`. */
enum weir_exit weir_explore_time(const struct weir_pipeline *model, const char *option, const char *text, int64_t *ticks);

/* A file, whole or not at all; `title` is what messages about the model call it. */
typedef enum weir_status weir_explore_writer(const void *context, FILE *out, struct weir_error *error);
enum weir_exit weir_explore_write(const char *path, const char *title, weir_explore_writer *writer, const void *context);
/* A pipeline to common->out. */
enum weir_exit weir_explore_write_model(const struct weir_explore_common *common, const struct weir_pipeline *pipeline);

/* From here on the first interrupt sets what is returned, and a second one ends the program; until the end. What is returned is
 * read with __atomic_load_n; it keeps its value after the end. */
const bool *weir_interrupts_begin(void);
void weir_interrupts_end(void);

/* ---- searches on shared processors (explore_search.c, explore_findings.c ...) ---- */

/* What was looked for and found in one model. */
struct weir_findings {
    const struct weir_pipeline *model;
    const struct weir_explore_options *options;
    const struct weir_exploration *exploration;
    const char *title;
    const char *out; /* where the changed model was written; NULL: nowhere */
    bool stopped;    /* by the user */
};

/* "priorities", "mapping", "spacing", "buffers" */
const char *weir_goal_name(enum weir_explore_goal goal);

/* The worst case of a pair before or after, as the goal counts it (from the actual arrival, regulator included); false: no bound.
 */
bool weir_findings_worst(const struct weir_findings *findings, size_t pair, bool after, int64_t *worst);
/* Whether it keeps its deadline; true without one. */
bool weir_findings_met(const struct weir_findings *findings, size_t pair, bool after);
/* What the bounds that remain, changed or not, come to. */
enum weir_exit weir_findings_exit(const struct weir_findings *findings);

/* What changed in an operator. */
struct weir_operator_change {
    struct weir_operator_spec before, after;
    bool processor, priority;
};
bool weir_findings_change(const struct weir_findings *findings, uint32_t op, struct weir_operator_change *change);
/* What a queue holds before and after; true when it was sized and differs. -1: not known. */
bool weir_findings_capacity(const struct weir_findings *findings, uint32_t queue, int64_t *before, int64_t *after);

void weir_findings_print(const struct weir_findings *findings);
void weir_findings_print_json(const struct weir_findings *findings);

/* ---- batches (explore_batch.c, explore_batch_print.c, explore_batch_plot.c) ---- */

struct weir_batch_settings {
    const char *batching, *utilization, *within, *merged_init; /* as given, or NULL */
    const char *out, *csv, *svg;
    enum weir_model_format format; /* of out */
    uint64_t cores, factor_max;
    bool merge, verify, json;
};
/* What is wrong with them, whatever the model. Prints it. */
enum weir_exit weir_batch_check(const struct weir_batch_settings *settings);
enum weir_exit weir_batch_run(const struct weir_batch_settings *settings, const struct weir_pipeline *model, const char *path);

/* What was found about one model. */
struct weir_batch_findings {
    const struct weir_batch_settings *settings;
    const struct weir_batch_options *options;
    const struct weir_batch_exploration *exploration;
    const struct weir_edf_analysis *analysis; /* of the chosen model; NULL: none */
    const struct weir_pipeline *model;
    const char *title;
    uint32_t cores;
    int64_t samples; /* at once at the first source, by batches of factor 1; 0: not known */
};
/* The point of the lowest utilisation within the limits, where a latency has one; point_count: there is none. */
size_t weir_batch_leanest(const struct weir_batch_findings *findings);
/* "the smallest that is schedulable", and so on; the n-th of all that is to be said, or NULL. */
const char *weir_batch_remark(const struct weir_batch_findings *findings, size_t point, unsigned n);
/* Whether an operator of the chosen model stands for several of the model. */
bool weir_batch_is_merged(const struct weir_batch_findings *findings, uint32_t op);
void weir_batch_print(const struct weir_batch_findings *findings);
void weir_batch_print_json(const struct weir_batch_findings *findings);
void weir_batch_print_csv(const struct weir_batch_findings *findings, FILE *out);
/* Utilisation or latency against the batch. */
enum weir_status weir_batch_plot(const struct weir_batch_findings *findings, bool latency, FILE *out, struct weir_error *error);

#endif
