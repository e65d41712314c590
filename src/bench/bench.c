/* SPDX-License-Identifier: Apache-2.0 */
/* weir bench: the papers' tables and figures, side by side with weir's own analysis. */
#include "bench/bench.h"
#include "base/json.h"
#include "cli/generate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "Usage: weir bench holoscan [OPTION...]\n"
    "       weir bench priority [OPTION...]\n"
    "       weir bench batching [OPTION...]\n"
    "       weir bench gpu [OPTION...]\n"
    "\n"
    "Repeats the experiments of the papers with every method in weir. Prints each as a table, and writes it to NAME.csv and\n"
    "NAME.svg.\n"
    "\n"
    "  --only LIST      only these, such as table2,figure8\n"
    "  --out DIR        the folder for the files, created if needed (default: bench-holoscan and so on)\n"
    "  --seed S         seed of the random numbers (default 1)\n"
    "  --json           the tables as JSON; the files are written as well\n"
    "  --help           this text\n"
    "\n"
    "holoscan: Tables I and II, Figures 8, 9, 10 and 12 of RTSS 2025. Takes a few minutes.\n"
    "\n"
    "  table1     the methods on Multi AI Ultrasound: running time, pessimism, kind of guarantee\n"
    "  table2     pessimism of the RTSS 2024 bound on eight HoloHub applications, over 100 draws of execution times\n"
    "  figure8    running time of every method on the applications\n"
    "  figure9    expressions of tgdfs on random graphs\n"
    "  figure10   running time of exact and tgdfs on random graphs\n"
    "  figure12   running time of exact and tgdfs against queue capacity\n"
    "\n"
    "  --graphs N       random graphs per point, 1 to 1000 (default 20)\n"
    "  --cell SECONDS   time limit for one run of a method, 0.001 to 3600 (default 2). A run that exceeds it is shown as\n"
    "                   '>2 s', and the method on anything larger as '-'\n"
    "\n"
    "priority: Figure 1 and Tables I and II of the execution-interval paper, and random systems on shared processors. Takes\n"
    "a minute or two.\n"
    "\n"
    "  figure1    latency against jitter, for both priority orders\n"
    "  table1     a WLAN decoder at three rates, with and without jitter: latency and total capacity\n"
    "  table2     two WLAN decoders that share processors\n"
    "  runtimes   running time of every method against the number of tasks\n"
    "  campaign   random systems: how many each method accepts against utilisation, and how far best is below EI\n"
    "  tightness  random systems: bounds against the largest simulated latency, and bounds that were exceeded\n"
    "\n"
    "  --systems N      random systems per point, 1 to 10000 (default 1000)\n"
    "\n"
    "batching: Figures 6, 7 and 8 of the batching paper: utilisation and latency of flowgraphs on a pool of cores against\n"
    "batch size, uniform and by rate. Takes seconds.\n"
    "\n"
    "  figure6    light random graphs\n"
    "  figure7    heavy random graphs\n"
    "  figure8    a narrowband FM receiver\n"
    "\n"
    "  --systems N      random graphs per point, 1 to 10000 (default 1000)\n"
    "\n"
    "gpu: Figures 4, 5 and 6 of the paper on kernel graphs: the bounds of all methods, how far they are above the lower\n"
    "bound, and whether simulations exceed them. Takes ten minutes or more.\n"
    "\n"
    "  figure4       against the number of SMs\n"
    "  figure5       against the number of kernels in a layer\n"
    "  figure6       against the number of layers\n"
    "  figure6-wide  the same with up to 32 kernels in a layer and at most 100 graphs per point\n"
    "  algorithms    Gaussian elimination, Laplace and stencil graphs with 8, 30 and 132 SMs\n"
    "  drawn         the same with random loads, at most 100 graphs for each\n"
    "\n"
    "  --graphs N       random graphs per point, 1 to 10000 (default 1000)\n"
    "  --edge-probability P\n"
    "                   edge probability of random graphs, such as 0.2 (default: 0.5, then 0.2)\n"
    "  --threads N      number of threads (default: one per core); results do not depend on it\n"
    "\n"
    "Apart from running times, the same seed gives the same numbers on every machine.\n"
    "\n"
    "Examples:\n"
    "  weir bench holoscan\n"
    "  weir bench holoscan --only table2,figure9 --graphs 5 --out results\n"
    "  weir bench holoscan --graphs 100 --cell 60 --json >results.json\n"
    "  weir bench priority --only table1,campaign --systems 5000\n"
    "  weir bench batching --only figure8\n"
    "  weir bench gpu --only figure4 --graphs 100\n"
    "\n"
    "Ctrl-C shows what was measured so far; files are written only for completed experiments.\n"
    "\n"
    "Exit status: 0 all tables were produced; 2 wrong usage; 4 interrupted; 70 a bound was exceeded, which is a bug in weir;\n"
    "74 a file cannot be written.\n";

static const struct weir_bench_kind *const kinds[] = {&weir_bench_holoscan, &weir_bench_priority, &weir_bench_batching,
                                                      &weir_bench_gpu};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

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
    const struct weir_bench_kind *kind;
    struct weir_bench bench;
    const char *folder;
    bool wanted[WEIR_BENCH_EXPERIMENTS];
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
    const char *names[WEIR_BENCH_EXPERIMENTS];
    size_t count = request->kind->experiment_count;
    for (size_t i = 0; i < count; i++)
        names[i] = request->kind->experiments[i].id;
    memset(request->wanted, 0, sizeof request->wanted);
    for (const char *item = list; item; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL) {
        char word[32];
        size_t length = strcspn(item, ","), found = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), item);
        while (found < count && strcmp(word, names[found]) != 0)
            found++;
        if (found < count) {
            request->wanted[found] = true;
            continue;
        }
        const char *nearest = weir_nearest(word, names, count);
        weir_complain_usage(arguments->verb, "--only: there is no '%s'%s%s%s", word, nearest ? "; did you mean '" : "",
                            nearest ? nearest : "", nearest ? "'?" : "");
        return false;
    }
    return true;
}

static const struct weir_bench_kind *find_kind(const struct weir_arguments *arguments)
{
    const char *names[KIND_COUNT], *word = arguments->count ? arguments->items[0] : NULL;
    if (!word) {
        weir_complain_usage(arguments->verb, "which experiments? There are: holoscan, priority, batching, gpu");
        return NULL;
    }
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i]->name;
        if (strcmp(word, names[i]) != 0)
            continue;
        if (arguments->count == 1)
            return kinds[i];
        weir_complain_usage(arguments->verb, "one kind of experiments at a time, not also '%s'", arguments->items[1]);
        return NULL;
    }
    const char *nearest = weir_nearest(word, names, KIND_COUNT);
    if (nearest)
        weir_complain_usage(arguments->verb, "unknown experiments '%s'; did you mean '%s'?", word, nearest);
    else
        weir_complain_usage(arguments->verb, "unknown experiments '%s'; there are: holoscan, priority, batching, gpu", word);
    return NULL;
}

/* An option that the kind does not have, or NULL. What is not given is 0, or NULL. */
static const char *foreign_option(const struct request *request, const char *cell, const char *edges)
{
    const struct weir_bench_kind *kind = request->kind;
    if (request->bench.graphs && !kind->graphs)
        return "graphs";
    if (request->bench.systems && kind->graphs)
        return "systems";
    if (request->bench.threads && !kind->has_threads)
        return "threads";
    if (edges && !kind->has_edges)
        return "edge-probability";
    return cell && !kind->has_cell ? "cell" : NULL;
}

static enum weir_exit parse(struct weir_arguments *arguments, struct request *request)
{
    const char *only = NULL, *cell = NULL, *edges = NULL;
    *request = (struct request){.bench = {.seed = 1}};
    const struct weir_option options[] = {
        {.name = "only", .kind = WEIR_OPTION_TEXT, .value = &only},
        {.name = "out", .kind = WEIR_OPTION_TEXT, .value = &request->folder},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &request->bench.seed, .high = UINT64_MAX},
        {.name = "graphs", .kind = WEIR_OPTION_NUMBER, .value = &request->bench.graphs, .low = 1, .high = 10000},
        {.name = "systems", .kind = WEIR_OPTION_NUMBER, .value = &request->bench.systems, .low = 1, .high = 10000},
        {.name = "cell", .kind = WEIR_OPTION_TEXT, .value = &cell},
        {.name = "edge-probability", .kind = WEIR_OPTION_TEXT, .value = &edges},
        {.name = "threads", .kind = WEIR_OPTION_NUMBER, .value = &request->bench.threads, .low = 1, .high = 256},
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &request->json},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    request->kind = find_kind(arguments);
    if (!request->kind)
        return WEIR_EXIT_USAGE;
    const char *foreign = foreign_option(request, cell, edges);
    if (foreign)
        return weir_complain_usage(arguments->verb, "--%s is not an option of '%s'", foreign, request->kind->name);
    if (!parse_seconds(cell ? cell : "2", &request->bench.cell))
        return weir_complain_usage(arguments->verb, "--cell: expected seconds from 0.001 to 3600 such as 0.5, not '%s'", cell);
    if (request->bench.graphs > request->kind->graphs_most)
        return weir_complain_usage(arguments->verb, "--graphs: expected a number from 1 to %llu",
                                   (unsigned long long)request->kind->graphs_most);
    if (edges && (!weir_permille_parse(edges, 1000, &request->bench.edge_permille) || request->bench.edge_permille == 0))
        return weir_complain_usage(arguments->verb, "--edge-probability: expected a number from 0.001 to 1 such as 0.2, not '%s'",
                                   edges);
    if (request->folder && !request->folder[0])
        return weir_complain_usage(arguments->verb, "--out needs the name of a folder");
    request->folder = request->folder ? request->folder : request->kind->folder;
    request->bench.graphs = request->bench.graphs ? request->bench.graphs : request->kind->graphs;
    request->bench.systems = request->bench.systems ? request->bench.systems : 1000;
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

static enum weir_exit write_file(const struct request *request, const struct weir_bench_table *table,
                                 const struct weir_sketch *sketch)
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
        enum weir_status status = WEIR_OK;
        if (sketch)
            status = weir_plot_write_svg(&sketch->plot, output.file, &error);
        else
            weir_table_write_csv(table, output.file);
        result = weir_output_finish(&output, status, &error, path);
    }
    free(path);
    return result;
}

/* ---- one experiment ---- */

static void finish_sketch(const struct request *request, const struct weir_bench_table *table, struct weir_sketch *sketch)
{
    int used = snprintf(sketch->subtitle, sizeof sketch->subtitle, "weir %s, seed %llu", weir_version(),
                        (unsigned long long)request->bench.seed);
    if (sketch->plot.y.values == WEIR_PLOT_SECONDS && request->kind->has_cell)
        snprintf(sketch->subtitle + used, sizeof sketch->subtitle - (size_t)used,
                 ", at most %.4g s and 1 GiB per run; an arrow: more than that", request->bench.cell);
    sketch->plot.title = table->title;
    sketch->plot.subtitle = sketch->subtitle;
    sketch->plot.note = table->note_count ? table->notes[0] : NULL;
}

static enum weir_exit run_one(struct request *request, const struct weir_experiment *experiment, bool first)
{
    struct weir_bench_table *table = calloc(1, sizeof *table);
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
    bool interrupted = result == WEIR_EXIT_BRACKET;
    if (interrupted)
        weir_table_add_note(table, "Interrupted: the rest was not measured.");
    if (result == WEIR_EXIT_OK || interrupted) {
        if (!interrupted)
            finish_sketch(request, table, sketch);
        if (request->json) {
            fputs(first ? "\n    " : ",\n    ", stdout);
            weir_table_write_json(table, stdout);
        } else {
            weir_table_print(table, stdout);
        }
        result = fflush(stdout) == 0 ? WEIR_EXIT_OK : WEIR_EXIT_OUTPUT; /* main says why */
        if (!interrupted)
            result = weir_exit_worse(result, write_file(request, table, NULL));
        if (!interrupted)
            result = weir_exit_worse(result, write_file(request, table, sketch));
        result = interrupted ? weir_exit_worse(result, WEIR_EXIT_BRACKET) : result;
    }
    free(sketch);
    free(table);
    return result;
}

/* ---- all of it ---- */

static void print_head(const struct request *request)
{
    const struct weir_bench *bench = &request->bench;
    const struct weir_bench_kind *kind = request->kind;
    unsigned long long drawn = kind->graphs ? bench->graphs : bench->systems;
    if (!request->json) {
        printf("weir %s, seed %llu, %llu random %s%s per point", weir_version(), (unsigned long long)bench->seed, drawn,
               kind->drawn, drawn == 1 ? "" : "s");
        if (kind->has_cell)
            printf(", at most %.4g s and 1 GiB per run", bench->cell);
        fputs("\n\n", stdout);
        return;
    }
    printf("{\"weir\": 1, \"bench\": \"%s\", \"version\": \"%s\", \"seed\": %llu, \"%s\": %llu,", kind->name, weir_version(),
           (unsigned long long)bench->seed, kind->graphs ? "graphs" : "systems", drawn);
    if (kind->has_cell)
        printf(" \"cell\": %.3f,", bench->cell);
    fputs("\n  \"folder\": ", stdout);
    weir_json_quote(stdout, request->folder);
    fputs(",\n  \"experiments\": [", stdout);
}

/* finished: experiments whose files are there. */
static void print_tail(const struct request *request, size_t finished, bool interrupted)
{
    if (!request->json) {
        request->kind->print_summary(&request->bench, stdout);
        if (finished)
            printf("Tables and plots%s are in %s.\n", interrupted ? " that were finished" : "", request->folder);
        else
            puts("No table was finished, so no file was written.");
        return;
    }
    fputs("],\n  \"summary\": ", stdout);
    request->kind->write_summary_json(&request->bench, stdout);
    fputs("}\n", stdout);
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct request request;
    enum weir_exit result = parse(arguments, &request);
    if (result == WEIR_EXIT_OK)
        result = make_folder(request.folder);
    if (result != WEIR_EXIT_OK)
        return result;
    const struct weir_bench_kind *kind = request.kind;
    if (kind->begin)
        result = kind->begin(&request.bench);
    size_t begun = 0;
    request.bench.stop = weir_interrupts_begin();
    weir_interrupt_watch(request.bench.stop);
    if (result == WEIR_EXIT_OK)
        print_head(&request);
    for (size_t i = 0; i < kind->experiment_count && result == WEIR_EXIT_OK; i++)
        if (request.wanted[i]) {
            result = run_one(&request, &kind->experiments[i], begun == 0);
            begun++;
        }
    weir_interrupts_unwatch();
    bool interrupted = result == WEIR_EXIT_BRACKET;
    if (result == WEIR_EXIT_OK || interrupted)
        print_tail(&request, begun - interrupted, interrupted);
    if (kind->end)
        kind->end(&request.bench);
    return result;
}

const struct weir_verb weir_verb_bench = {"bench", "reproduce the papers' tables and figures", help, run, NULL};
