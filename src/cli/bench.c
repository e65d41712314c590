/* SPDX-License-Identifier: Apache-2.0 */
/* weir bench: the papers' tables and figures, side by side with weir's own analysis. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "Usage: weir bench holoscan [OPTION...]\n"
    "\n"
    "Runs the experiments of the Holoscan papers with every method that weir has: Tables I and II, Figures 8, 9, 10 and 12 of\n"
    "RTSS 2025. Prints each as a table, and writes it as NAME.csv and NAME.svg. Takes a few minutes.\n"
    "\n"
    "  table1     the methods on Multi AI Ultrasound: runtime, pessimism, what they promise\n"
    "  table2     pessimism of the bound of RTSS 2024 on eight HoloHub applications, over 100 draws of the times\n"
    "  figure8    runtime of every method on the applications\n"
    "  figure9    expressions of tgdfs on random graphs\n"
    "  figure10   runtime of exact and tgdfs on random graphs\n"
    "  figure12   runtime of exact and tgdfs against the capacity of the queues\n"
    "\n"
    "  --only LIST      some of them: table2,figure8\n"
    "  --out DIR        the folder for the files, made if need be; bench-holoscan unless given\n"
    "  --seed S         of the random graphs and times; 1 unless given\n"
    "  --graphs N       random graphs per point, 1 to 1000; 20 unless given\n"
    "  --cell SECONDS   time for one run of a method, 0.001 to 3600; 2 unless given. What takes longer is shown as '>2 s',\n"
    "                   and the same method on anything larger as '-'\n"
    "  --json           the tables for programs instead of for people; the files are written all the same\n"
    "  --help           this text\n"
    "\n"
    "The numbers other than runtimes are the same for the same seed on every machine.\n"
    "\n"
    "Examples:\n"
    "  weir bench holoscan\n"
    "  weir bench holoscan --only table2,figure9 --graphs 5 --out results\n"
    "  weir bench holoscan --graphs 100 --cell 60 --json >results.json\n";

static const struct weir_experiment experiments[] = {
    {"table1", "Table I: the methods on Multi AI Ultrasound, queues of 1", weir_bench_table1},
    {"table2", "Table II: how far the bound of RTSS 2024 is above the truth", weir_bench_table2},
    {"figure8", "Figure 8: runtime on the HoloHub applications", weir_bench_figure8},
    {"figure9", "Figure 9: expressions of tgdfs on random graphs", weir_bench_figure9},
    {"figure10", "Figure 10: runtime on random graphs", weir_bench_figure10},
    {"figure12", "Figure 12: runtime against the capacity of the queues", weir_bench_figure12},
};
enum { EXPERIMENT_COUNT = sizeof experiments / sizeof *experiments };

void weir_bench_show(struct weir_bench *bench, size_t done, size_t all, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bench->doing, sizeof bench->doing, format, arguments);
    va_end(arguments);
    bench->progress.what = bench->doing;
    weir_progress_show(&bench->progress, (unsigned)(done * 1000 / all));
}

/* ---- the command line ---- */

struct request {
    struct weir_bench bench;
    const char *folder;
    bool wanted[EXPERIMENT_COUNT];
    bool json;
};

/* "0.25": a number of seconds with at most three digits behind the point. */
static bool parse_seconds(const char *text, double *seconds)
{
    size_t whole = strspn(text, "0123456789");
    const char *fraction = text + whole + (text[whole] == '.');
    size_t digits = strspn(fraction, "0123456789");
    if (whole + digits == 0 || fraction[digits] || whole > 4 || digits > 3)
        return false;
    unsigned thousandths = 0, weight = 100;
    for (size_t i = 0; i < whole; i++)
        thousandths = thousandths * 10 + (unsigned)(text[i] - '0') * 1000;
    for (size_t i = 0; i < digits; i++, weight /= 10)
        thousandths += weight * (unsigned)(fraction[i] - '0');
    *seconds = thousandths / 1000.0;
    return thousandths >= 1 && thousandths <= 3600000;
}

static bool parse_only(const struct weir_arguments *arguments, const char *list, struct request *request)
{
    const char *names[EXPERIMENT_COUNT];
    for (size_t i = 0; i < EXPERIMENT_COUNT; i++)
        names[i] = experiments[i].id;
    memset(request->wanted, 0, sizeof request->wanted);
    for (const char *item = list; item; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL) {
        char word[32];
        size_t length = strcspn(item, ","), found = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), item);
        while (found < EXPERIMENT_COUNT && strcmp(word, names[found]) != 0)
            found++;
        if (found < EXPERIMENT_COUNT) {
            request->wanted[found] = true;
            continue;
        }
        const char *nearest = weir_nearest(word, names, EXPERIMENT_COUNT);
        weir_complain_usage(arguments->verb, "--only: there is no '%s'%s%s%s", word, nearest ? "; did you mean '" : "",
                            nearest ? nearest : "", nearest ? "'?" : "");
        return false;
    }
    return true;
}

static enum weir_exit parse(struct weir_arguments *arguments, struct request *request)
{
    static const char *const kinds[] = {"holoscan"};
    const char *only = NULL, *cell = "2";
    *request = (struct request){.bench = {.seed = 1, .graphs = 20}, .folder = "bench-holoscan"};
    const struct weir_option options[] = {
        {.name = "only", .kind = WEIR_OPTION_TEXT, .value = &only},
        {.name = "out", .kind = WEIR_OPTION_TEXT, .value = &request->folder},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &request->bench.seed, .high = UINT64_MAX},
        {.name = "graphs", .kind = WEIR_OPTION_NUMBER, .value = &request->bench.graphs, .low = 1, .high = 1000},
        {.name = "cell", .kind = WEIR_OPTION_TEXT, .value = &cell},
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &request->json},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "which experiments? There are: holoscan");
    if (strcmp(arguments->items[0], kinds[0]) != 0)
        return weir_complain_usage(arguments->verb, "unknown experiments '%s'; %s", arguments->items[0],
                                   weir_nearest(arguments->items[0], kinds, 1) ? "did you mean 'holoscan'?"
                                                                               : "there are: holoscan");
    if (arguments->count > 1)
        return weir_complain_usage(arguments->verb, "one kind of experiments at a time, not also '%s'", arguments->items[1]);
    if (!parse_seconds(cell, &request->bench.cell))
        return weir_complain_usage(arguments->verb, "--cell: expected seconds from 0.001 to 3600 such as 0.5, not '%s'", cell);
    if (!request->folder[0])
        return weir_complain_usage(arguments->verb, "--out needs the name of a folder");
    memset(request->wanted, 1, sizeof request->wanted);
    return only && !parse_only(arguments, only, request) ? WEIR_EXIT_USAGE : WEIR_EXIT_OK;
}

/* ---- files ---- */

/* Early, so that minutes of work are not lost in the end. */
static enum weir_exit make_folder(const char *folder)
{
    struct stat status;
    if (mkdir(folder, 0777) == 0)
        return WEIR_EXIT_OK;
    if (errno == EEXIST && stat(folder, &status) == 0) {
        errno = S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
        if (!errno && access(folder, W_OK | X_OK) == 0)
            return WEIR_EXIT_OK;
    }
    weir_complain("cannot write into %s: %s", folder, strerror(errno));
    return WEIR_EXIT_OUTPUT;
}

static enum weir_exit write_file(const struct request *request, const struct weir_table *table, const struct weir_sketch *sketch)
{
    size_t bytes = strlen(request->folder) + strlen(table->id) + 8;
    char *path = malloc(bytes);
    struct weir_error error = {0};
    struct weir_output output;
    if (!path) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    snprintf(path, bytes, "%s/%s.%s", request->folder, table->id, sketch ? "svg" : "csv");
    enum weir_exit result = weir_output_open(&output, path);
    if (result == WEIR_EXIT_OK) {
        if (!sketch)
            weir_table_write_csv(table, output.file);
        else if (weir_plot_write_svg(&sketch->plot, output.file, &error) != WEIR_OK && error.status != WEIR_IO)
            result = weir_complain_error(path, &error); /* closing it tells what the file did not take */
        result = weir_exit_worse(result, weir_output_close(&output, result == WEIR_EXIT_OK));
    }
    free(path);
    return result;
}

/* ---- one experiment ---- */

static void finish_sketch(const struct request *request, const struct weir_table *table, struct weir_sketch *sketch)
{
    int used = snprintf(sketch->subtitle, sizeof sketch->subtitle, "weir %s, seed %llu", weir_version(),
                        (unsigned long long)request->bench.seed);
    if (sketch->plot.y.values == WEIR_PLOT_SECONDS)
        snprintf(sketch->subtitle + used, sizeof sketch->subtitle - (size_t)used,
                 ", at most %.4g s and 1 GiB per run; an arrow: more than that", request->bench.cell);
    sketch->plot.title = table->title;
    sketch->plot.subtitle = sketch->subtitle;
    sketch->plot.note = table->note_count ? table->notes[0] : NULL;
}

static enum weir_exit run_one(struct request *request, const struct weir_experiment *experiment, bool first)
{
    struct weir_table *table = calloc(1, sizeof *table);
    struct weir_sketch *sketch = calloc(1, sizeof *sketch);
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    if (table && sketch) {
        table->id = experiment->id;
        table->title = experiment->title;
        result = experiment->run(&request->bench, table, sketch);
        weir_progress_end(&request->bench.progress);
    } else {
        weir_complain("out of memory");
    }
    if (result == WEIR_EXIT_OK) {
        finish_sketch(request, table, sketch);
        if (request->json) {
            fputs(first ? "\n    " : ",\n    ", stdout);
            weir_table_write_json(table, stdout);
        } else {
            weir_table_print(table, stdout);
        }
        result = fflush(stdout) == 0 ? WEIR_EXIT_OK : WEIR_EXIT_OUTPUT; /* main says why */
        result = weir_exit_worse(result, write_file(request, table, NULL));
        result = weir_exit_worse(result, write_file(request, table, sketch));
    }
    free(sketch);
    free(table);
    return result;
}

/* ---- all of it ---- */

static void print_head(const struct request *request)
{
    const struct weir_bench *bench = &request->bench;
    if (!request->json) {
        printf("weir %s, seed %llu, %llu random graph%s per point, at most %.4g s and 1 GiB per run\n\n", weir_version(),
               (unsigned long long)bench->seed, (unsigned long long)bench->graphs, bench->graphs == 1 ? "" : "s", bench->cell);
        return;
    }
    printf("{\"weir\": 1, \"bench\": \"holoscan\", \"version\": \"%s\", \"seed\": %llu, \"graphs\": %llu, \"cell\": %.3f,\n  "
           "\"folder\": ",
           weir_version(), (unsigned long long)bench->seed, (unsigned long long)bench->graphs, bench->cell);
    weir_print_json_text(stdout, request->folder);
    fputs(",\n  \"experiments\": [", stdout);
}

static void print_tail(const struct request *request)
{
    if (!request->json) {
        weir_summary_print(&request->bench, stdout);
        printf("Tables and plots are in %s.\n", request->folder);
        return;
    }
    fputs("],\n  \"summary\": ", stdout);
    weir_summary_write_json(&request->bench, stdout);
    fputs("}\n", stdout);
}

static enum weir_exit load_applications(struct weir_bench *bench)
{
    for (size_t i = 0; i < WEIR_BENCH_APPLICATIONS; i++) {
        bench->apps[i] = weir_bench_application(i, NULL);
        if (!bench->apps[i])
            return WEIR_EXIT_INTERNAL;
        bench->titles[i] = weir_pipeline_name(bench->apps[i]);
    }
    return WEIR_EXIT_OK;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct request request;
    enum weir_exit result = parse(arguments, &request);
    if (result == WEIR_EXIT_OK)
        result = make_folder(request.folder);
    if (result != WEIR_EXIT_OK)
        return result;
    result = load_applications(&request.bench);
    bool first = true;
    if (result == WEIR_EXIT_OK)
        print_head(&request);
    for (size_t i = 0; i < EXPERIMENT_COUNT && result == WEIR_EXIT_OK; i++)
        if (request.wanted[i]) {
            result = run_one(&request, &experiments[i], first);
            first = false;
        }
    if (result == WEIR_EXIT_OK)
        print_tail(&request);
    for (size_t i = 0; i < WEIR_BENCH_APPLICATIONS; i++)
        weir_pipeline_free(request.bench.apps[i]);
    return result;
}

const struct weir_verb weir_verb_bench = {"bench", "the papers' tables and figures, side by side", help, run};
