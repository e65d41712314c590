/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verbs of the command line share. A verb is one file with one `const struct weir_verb`; main.c lists it.
 *
 * Answers go to stdout, everything else to stderr. A verb returns an exit status and never calls exit(): main.c then checks
 * that stdout took everything.
 */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H

#include "render/text/text.h"
#include "weir.h"

#include <stdarg.h>

#if defined(__GNUC__)
#define WEIR_CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WEIR_CLI_PRINTF(text, first)
#endif

/* ---------------------------------------------------------------- exit statuses */

enum weir_exit {
    WEIR_EXIT_OK = 0,        /* every deadline met, or none given */
    WEIR_EXIT_MISSED = 1,    /* a deadline is missed, or a latency is unbounded */
    WEIR_EXIT_USAGE = 2,     /* the command line is wrong */
    WEIR_EXIT_INPUT = 3,     /* a model is wrong, or cannot be read */
    WEIR_EXIT_BRACKET = 4,   /* a limit was reached: the answer is a bracket */
    WEIR_EXIT_INTERNAL = 70, /* a self-check failed, or memory ran out */
    WEIR_EXIT_OUTPUT = 74,   /* the answer could not be written */
};

/* The one to end with when parts of the work ended with a and b. */
enum weir_exit weir_exit_worse(enum weir_exit a, enum weir_exit b);
/* What an answer comes to. */
enum weir_exit weir_exit_of_verdict(enum weir_verdict verdict);
/* What a library call that reads or analyses a model comes to. */
enum weir_exit weir_exit_of(enum weir_status status);

/* ---------------------------------------------------------------- verbs and options */

struct weir_arguments;

struct weir_verb {
    const char *name;
    const char *summary; /* one line of `weir --help` */
    const char *help;    /* all of `weir VERB --help`: usage, options, examples; ends in a newline */
    enum weir_exit (*run)(struct weir_arguments *arguments);
    const char *more; /* the rest of the help, where it is longer than a literal may be; NULL: none */
};

extern const struct weir_verb weir_verb_analyze, weir_verb_convert, weir_verb_simulate, weir_verb_generate, weir_verb_bench;
extern const struct weir_verb weir_verb_explore, weir_verb_fit, weir_verb_report, weir_verb_serve, weir_verb_compare, weir_verb_run;
extern const struct weir_verb weir_verb_check, weir_verb_gpu;
/* The parts of explore's help that its modes have. */
void weir_explore_help(FILE *out);

/* What follows the verb. After weir_options_parse, `items` are the operands alone, in their order. */
struct weir_arguments {
    const struct weir_verb *verb;
    char **items;
    size_t count;
};

enum weir_option_kind {
    WEIR_OPTION_FLAG,   /* value is a bool *, set to true */
    WEIR_OPTION_TEXT,   /* value is a const char ** */
    WEIR_OPTION_NUMBER, /* value is a uint64_t *; the number lies in [low, high] */
    WEIR_OPTION_LIST,   /* value is a struct weir_option_list *; every one counts */
};

/* The values of an option that may be given several times, in their order. Zero-initialise; free(items) at the end. */
struct weir_option_list {
    const char **items;
    size_t count;
};

/* Written --name VALUE or --name=VALUE, and -l VALUE or -lVALUE where there is a letter. The last one counts. */
struct weir_option {
    const char *name;
    char letter; /* 0: none */
    enum weir_option_kind kind;
    void *value;
    uint64_t low, high; /* WEIR_OPTION_NUMBER */
};

/* Options may stand after operands; "--" ends them; "-" is an operand. False, with the message printed, when the command line
 * is wrong: return WEIR_EXIT_USAGE. `weir VERB --help` never gets this far. */
bool weir_options_parse(struct weir_arguments *arguments, const struct weir_option *options, size_t count);
/* Of all arguments, and of the files that they name, but for those that only say how it is found and where it is written. */
uint64_t weir_arguments_digest(const struct weir_arguments *arguments);
/* The value of an option as real time: "1.5ms" as nanoseconds, at least `least`. False, with the message printed, when it is none.
 */
bool weir_parse_duration(const struct weir_arguments *arguments, const char *option, const char *text, int64_t least, int64_t *ns);
/* "20%" or "2.5%", up to `most` thousandths. */
bool weir_parse_percent(const char *text, uint32_t most, uint32_t *permille);

/* ---------------------------------------------------------------- messages */

/* "weir: ...", one line on stderr. */
void weir_complain(const char *format, ...) WEIR_CLI_PRINTF(1, 2);
/* "weir VERB: ..." and where to find help; returns WEIR_EXIT_USAGE. verb may be NULL. */
enum weir_exit weir_complain_usage(const struct weir_verb *verb, const char *format, ...) WEIR_CLI_PRINTF(2, 3);
/* Files for further output, each NULL or a path: none is standard output, which is the answer's, and no two are one. Prints what is
 * wrong. */
struct weir_file_option {
    const char *name, *path; /* of the option, without its dashes */
};
bool weir_files_check(const struct weir_verb *verb, const struct weir_file_option *files, size_t count);
/* Reads the value of --ports, which may be NULL; false, with the message printed, when it is none. */
bool weir_ports_read(const struct weir_verb *verb, const char *text, enum weir_ports *ports);
/* One line per mistake, "file:line:column: message". Returns the exit status that goes with `status`. */
enum weir_exit weir_complain_errors(const struct weir_errors *errors, enum weir_status status);
/* The same for the error of one call about `file` (may be NULL). */
enum weir_exit weir_complain_error(const char *file, const struct weir_error *error);

enum weir_exit weir_complain_memory(void);
/* An answer on stdout, in colour where that is wanted; returns what it comes to. `file` is what a complaint is about, or NULL. */
enum weir_exit weir_print_answer(const struct weir_answer *answer, bool json, const struct weir_text_options *text,
                                 const char *file);
/* A model without an answer still has its place in the JSON: its mistakes, or one. */
void weir_print_json_errors(const char *path, const struct weir_errors *errors, const struct weir_error *error);

/* What a flowgraph of GNU Radio does not say. Zero-initialise. */
struct weir_flowgraph_options {
    struct weir_option_list rates, source_rates, costs;
    const char *costs_path;
};
#define WEIR_FLOWGRAPH_HELP                                                                                                        \
    "For GNU Radio flowgraphs, whose files do not contain these; all but the last can be given several times:\n"                   \
    "  --rate BLOCK=OUT/IN          samples out and in per execution\n"                                                            \
    "  --source-rate BLOCK=F        samples per second, such as 576kHz\n"                                                          \
    "  --cost BLOCK=INIT,PERSAMPLE  what an execution costs, such as 2.2us,17.3ns; BLOCK may be a type of blocks\n"                \
    "  --costs FILE                 costs of the other blocks, from weir fit -o\n"
#define WEIR_FLOWGRAPH_OPTIONS(flowgraph)                                                                                          \
    {.name = "rate", .kind = WEIR_OPTION_LIST, .value = &(flowgraph).rates},                                                       \
        {.name = "source-rate", .kind = WEIR_OPTION_LIST, .value = &(flowgraph).source_rates},                                     \
        {.name = "cost", .kind = WEIR_OPTION_LIST, .value = &(flowgraph).costs},                                                   \
    {                                                                                                                              \
        .name = "costs", .kind = WEIR_OPTION_TEXT, .value = &(flowgraph).costs_path                                                \
    }
void weir_flowgraph_fill(const struct weir_flowgraph_options *flowgraph, struct weir_read_options *options);
void weir_flowgraph_free(struct weir_flowgraph_options *flowgraph);
/* Capacities that the command line says. Zero-initialise; 0: not given. */
struct weir_queue_options {
    uint64_t unsaid, all;
};
#define WEIR_QUEUE_OPTIONS(queues)                                                                                                 \
    {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &(queues).unsaid, .low = 1, .high = 1 << 30},                           \
    {                                                                                                                              \
        .name = "force-queue", .kind = WEIR_OPTION_NUMBER, .value = &(queues).all, .low = 1, .high = 1 << 30                       \
    }
/* False, with the message printed, when both are given. */
bool weir_queue_fill(const struct weir_verb *verb, const struct weir_queue_options *queues, struct weir_read_options *options);
/* False, with the message in `error`, when one is given and the model has dependencies, which have no capacity. */
bool weir_queue_applies(const struct weir_queue_options *queues, const struct weir_pipeline *pipeline, const char *path,
                        struct weir_error *error);
/* What the command line says of graphs of kernels, in place of what a model says. Zero-initialise. */
struct weir_kernel_options {
    const char *times, *min_time, *launch_overhead; /* NULL: not given */
    uint64_t sms, max_concurrent;                   /* 0: not given */
};
#define WEIR_KERNEL_HELP                                                                                                           \
    "  --sms N, --min-time T, --launch-overhead T, --max-concurrent N, --kernel-times FILE\n"                                      \
    "                   override the model; graphs written by CUDA do not contain these\n"
#define WEIR_KERNEL_OPTIONS(kernels)                                                                                               \
    {.name = "sms", .kind = WEIR_OPTION_NUMBER, .value = &(kernels).sms, .low = 1, .high = 65536},                                 \
        {.name = "min-time", .kind = WEIR_OPTION_TEXT, .value = &(kernels).min_time},                                              \
        {.name = "launch-overhead", .kind = WEIR_OPTION_TEXT, .value = &(kernels).launch_overhead},                                \
        {.name = "max-concurrent", .kind = WEIR_OPTION_NUMBER, .value = &(kernels).max_concurrent, .low = 1, .high = UINT32_MAX},  \
    {                                                                                                                              \
        .name = "kernel-times", .kind = WEIR_OPTION_TEXT, .value = &(kernels).times                                                \
    }
void weir_kernel_fill(const struct weir_kernel_options *kernels, struct weir_read_options *options);
/* The name of one that is given, or NULL. */
const char *weir_kernel_option(const struct weir_kernel_options *kernels);

/* A file that says how kernels are launched; prints what is wrong with it. */
enum weir_exit weir_sheet_load(const char *path, struct weir_gpu_sheet **sheet);

/* What a Holoscan application leaves behind, to make a model of (holoscan.c). Zero-initialise. */
struct weir_holoscan_arguments {
    struct weir_option_list from, times;
    const char *margin;             /* "20%"; NULL: none */
    uint64_t tail;                  /* 0: none */
    uint64_t skip_first, skip_last; /* executions of each operator in a log */
};
/* What is wrong with them beside `operands` models, or NULL. */
const char *weir_holoscan_usage(const struct weir_holoscan_arguments *arguments, size_t operands);
/* Makes the model, and prints what is wrong and what there is to note. Of the options, capacities and ports count. */
enum weir_exit weir_holoscan_load(const struct weir_holoscan_arguments *arguments, const struct weir_read_options *reading,
                                  struct weir_pipeline **pipeline);
void weir_holoscan_free(struct weir_holoscan_arguments *arguments);

/* As weir_read_file; prints notes about the model on stderr. */
enum weir_status weir_model_load(const char *path, const struct weir_read_options *options, struct weir_pipeline **pipeline,
                                 struct weir_errors *errors);

/* Reads one model; prints what is wrong with it. On success *pipeline is the caller's and the result WEIR_EXIT_OK. */
enum weir_exit weir_model_read(const char *path, const struct weir_read_options *options, struct weir_pipeline **pipeline);
/* What to call a model: its name, or else its file. */
const char *weir_model_title(const struct weir_pipeline *pipeline, const char *path);

/* ---------------------------------------------------------------- what is installed with the program */

#define WEIR_DOCUMENT_PATH 4096
/* The folder of the program's own file. */
bool weir_program_folder(char *folder, size_t bytes);
/* Where "examples/camera.yaml" or "docs/start.md" lies: installed, or in the tree that the program was built in. NULL: nowhere. */
const char *weir_document_find(const char *name, char path[WEIR_DOCUMENT_PATH]);
/* The path itself, or that of the installed example where it begins with "examples/" and there is no such file. */
const char *weir_model_find(const char *path, char buffer[WEIR_DOCUMENT_PATH]);
/* Prints a page, as answers name it or shorter: docs/concepts/assumptions.md, assumptions; or "examples", a list. False: no such
 * page. */
bool weir_document_print(const char *page, FILE *out);

/* Two times of the command line, either of which may be NULL, as weir_read_options.extra_times has them: "" for none. NULL when out
 * of memory; the caller frees it. */
char *weir_times_join(const char *time, const char *other);

/* The nearest of the words to a misspelt one, or NULL. */
const char *weir_nearest(const char *word, const char *const *words, size_t count);

/* ---------------------------------------------------------------- the terminal */

/* For stdout or stderr: no colours where there is no terminal, or NO_COLOR is set. */
const struct weir_style *weir_style_of(FILE *stream);
/* Columns of the terminal; 0 where there is none, or one that does not say. */
unsigned weir_terminal_columns(void);

/* From here on the first interrupt sets what is returned, and a second one ends the program; until the end. What is returned is
 * read with __atomic_load_n; it keeps its value after the end. */
const bool *weir_interrupts_begin(void);
void weir_interrupts_end(void);
/* ... and what is asked from here on gives up when it is set, with what it knows by then. */
void weir_interrupts_watch(void);
/* Whether there was one, when it is over. */
bool weir_interrupts_unwatch(void);

/* ---------------------------------------------------------------- several pieces of work (several.c) */

/* Pieces that do not depend on each other, numbered from 0. `work` prints to stdout and stderr, and may be called in another
 * process: what it changes in memory is lost. NULL: out of memory. */
struct weir_several;
struct weir_several *weir_several_new(size_t count, enum weir_exit (*work)(void *context, size_t piece), void *context);
/* Waits for the next piece in order, and prints what it printed. To be called for each. */
enum weir_exit weir_several_next(struct weir_several *several);
void weir_several_free(struct weir_several *several);
unsigned weir_cores(void);

/* A line on stderr that says how far the work is: only on a terminal, only after a second. Zero-initialise, set `what`.
 * weir_progress_show has the type of a progress callback; its context is the struct. */
struct weir_progress {
    const char *what;
    int64_t begun_ms, shown_ms;
    bool decided, terminal, visible;
};
void weir_progress_show(void *progress, unsigned permille);
/* Wipes the line. Call it before anything else is printed. */
void weir_progress_end(struct weir_progress *progress);

/* ---------------------------------------------------------------- output */

/* A file that appears whole or not at all: written under another name beside it, then renamed. NULL or "-" is stdout. */
struct weir_output {
    FILE *file;
    char *path, *temporary; /* NULL: written in place (stdout, a pipe, a device) */
};
/* Opens it; on failure prints why. One output may be open at a time. */
enum weir_exit weir_output_open(struct weir_output *output, const char *path);
/* keep: puts the file in its place; otherwise removes what was written. Prints what went wrong. */
enum weir_exit weir_output_close(struct weir_output *output, bool keep);
/* Closes it after something was written into it, and keeps it unless that failed: then the error is about `title`. */
enum weir_exit weir_output_finish(struct weir_output *output, enum weir_status status, const struct weir_error *error,
                                  const char *title);
/* A model in a file of its own (convert.c); `chain`: as of weir_pipeline_write. */
enum weir_exit weir_output_model(const char *path, const struct weir_pipeline *pipeline, enum weir_model_format format,
                                 uint32_t chain, const char *title);
/* From here on files are neither made nor changed: another process of the same search writes them. */
void weir_output_silence(void);

/* ---------------------------------------------------------------- pictures (pictures.c) */

/* Paths; NULL: not wanted. */
struct weir_pictures {
    const char *gantt, *trace, *graph;
};
/* Where nothing can be drawn, what is wrong is printed. */
enum weir_exit weir_pictures_save(const struct weir_pictures *pictures, const struct weir_answer *answer, const char *title);
/* The model alone; nothing where path is NULL. */
enum weir_exit weir_drawing_save(const char *path, const struct weir_pipeline *pipeline, const char *title);

#endif
