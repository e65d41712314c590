/* SPDX-License-Identifier: Apache-2.0 */
/* What the modes of the verb `explore` share. */
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

/* Complains that no mode is asked for, and names them all. */
enum weir_exit weir_explore_without_mode(const struct weir_arguments *arguments);

/* ---- what modes share (explore_common.c) ---- */

/* Options of the same meaning everywhere. Zero-initialise; put the macros of those that make sense into the list of options. */
struct weir_explore_common {
    const char *path;              /* of the model, once checked */
    const char *out, *csv, *svg;   /* files; NULL: not wanted */
    enum weir_model_format format; /* of out, once checked */
    const char *svg_suffix;        /* of the second chart's file */
    uint64_t threads;              /* 0: one per core */
    bool json, full;
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
#define WEIR_EXPLORE_JSON(c)                                                                                                       \
    {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &(c).json},                                                                \
    {                                                                                                                              \
        .name = "full", .kind = WEIR_OPTION_FLAG, .value = &(c).full                                                               \
    }

/* After weir_options_parse: one model is given, and the files have endings that say what they are. Prints what is wrong. */
enum weir_exit weir_explore_check(const struct weir_arguments *arguments, struct weir_explore_common *common);
/* Reads the model on a tick that is as fine as the times of two options need; either may be NULL. */
enum weir_exit weir_explore_read(const struct weir_explore_common *common, const char *time, const char *other,
                                 struct weir_pipeline **model);
/* The time that an option gives, above 0; a NULL text leaves *ticks as it is. */
enum weir_exit weir_explore_time(const struct weir_pipeline *model, const char *option, const char *text, int64_t *ticks);

/* A file, whole or not at all; `title` is what messages about the model call it. */
typedef enum weir_status weir_explore_writer(const void *context, FILE *out, struct weir_error *error);
enum weir_exit weir_explore_write(const char *path, const char *title, weir_explore_writer *writer, const void *context);
/* What was found. */
struct weir_explored {
    struct weir_answer *answer;
    const char *title;                   /* what the answer calls the model */
    const struct weir_pipeline *changed; /* for common->out; NULL: none was found */
};
/* Where it failed, complains; else writes the files that are asked for and prints the answer. Frees it. Returns what it comes to.
 */
enum weir_exit weir_explore_tell(const struct weir_explore_common *common, enum weir_status status, const struct weir_error *error,
                                 struct weir_explored explored);

/* ---- batches (explore_batch.c), an option of searches ---- */

struct weir_batch_settings {
    const char *batching, *utilization, *within, *merged_init; /* as given, or NULL */
    uint64_t cores, factor_max;
    bool merge, verify;
};
/* What is wrong with them, whatever the model. Prints it. */
enum weir_exit weir_batch_check(const struct weir_batch_settings *settings);
enum weir_exit weir_batch_run(const struct weir_explore_common *common, const struct weir_batch_settings *settings,
                              const struct weir_pipeline *model);

#endif
