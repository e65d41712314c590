/* SPDX-License-Identifier: Apache-2.0 */
/* weir fit: what an execution costs, from measurements. */
#include "cli.h"

#include <string.h>

static const char help[] =
    "Usage: weir fit SAMPLES [OPTION...]\n"
    "\n"
    "What does an execution of a block cost? Fits init + per-sample * samples to measurements, robustly against outliers,\n"
    "and finds the closest such line that no measurement exceeds. SAMPLES is a file of lines block,samples,ns[,weight], or\n"
    "the JSON that weir-gnuradio profile writes; - is standard input.\n"
    "\n"
    "  -o, --output OUT   write lines of block,init_ns,per_sample_ns for 'weir analyze FLOW.grc --costs OUT'\n"
    "    --typical          the fitted line, not the upper bound\n"
    "  --svg FILE         a plot; with several blocks, one file for each: FILE-BLOCK.svg\n"
    "  --csv FILE         the table\n"
    "  --json             JSON output; see docs/reference/fit.md\n"
    "  --help             this text\n"
    "\n"
    "Examples:\n"
    "  weir fit samples.csv\n"
    "  weir fit profile.json -o costs.csv --svg costs.svg\n"
    "\n"
    "Exit status: 0 fitted, with a warning for each fit that should not be trusted; 2 wrong usage; 3 the file cannot be\n"
    "read; 74 a file cannot be written.\n";

enum { PATH = 4096 };

struct settings {
    const char *costs, *svg, *csv;
    bool typical, json;
};

/* ---- files ---- */

/* What goes into one file: all fits in some form, or the picture of one. */
struct content {
    const struct weir_fits *fits;
    enum weir_fits_form form;
    const struct weir_fit *picture; /* NULL: all of them */
};

static enum weir_exit write_file(const struct content *content, const char *path)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = content->picture ? weir_fit_write_svg(content->picture, output.file, &error)
                                               : weir_fits_write(content->fits, content->form, output.file, &error);
    return weir_output_finish(&output, status, &error, path);
}

/* FILE.svg and a block become FILE-BLOCK.svg, what file names should not hold replaced; the number is added when others before it
 * have come to the same name. False when that is too long. */
static bool name_file(const char *path, const struct weir_fits *fits, size_t index, char name[PATH])
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash) || dot == path)
        dot = path + strlen(path);
    char block[128] = "";
    const char *from = fits->fits[index].block;
    for (size_t i = 0; i + 1 < sizeof block && from[i]; i++) {
        bool plain = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.", from[i]) != NULL;
        block[i] = plain ? from[i] : '_';
        block[i + 1] = 0;
    }
    int length = strcmp(block, from) == 0 ? snprintf(name, PATH, "%.*s-%s%s", (int)(dot - path), path, block, dot)
                                          : snprintf(name, PATH, "%.*s-%zu-%s%s", (int)(dot - path), path, index + 1, block, dot);
    return length > 0 && length < PATH;
}

/* One picture for each block: at `path`, or, where there are several, at path with -BLOCK before its ending. */
static enum weir_exit plot(const struct weir_fits *fits, const char *path)
{
    enum weir_exit result = WEIR_EXIT_OK;
    char name[PATH];
    for (size_t i = 0; i < fits->count && result == WEIR_EXIT_OK; i++) {
        struct content content = {.picture = &fits->fits[i]};
        if (fits->count > 1 && !name_file(path, fits, i, name)) {
            weir_complain("cannot write %s: the name is too long", path);
            return WEIR_EXIT_OUTPUT;
        }
        result = write_file(&content, fits->count > 1 ? name : path);
    }
    return result;
}

static enum weir_exit show(const struct weir_fits *fits, const struct settings *s)
{
    struct weir_error error = {0};
    struct content costs = {.fits = fits, .form = s->typical ? WEIR_FITS_TYPICAL_COSTS : WEIR_FITS_COSTS};
    struct content table = {.fits = fits, .form = WEIR_FITS_CSV};
    enum weir_status status = weir_fits_write(fits, s->json ? WEIR_FITS_JSON : WEIR_FITS_TEXT, stdout, &error);
    enum weir_exit result = status && status != WEIR_IO ? weir_complain_error(NULL, &error) : WEIR_EXIT_OK;
    for (size_t i = 0; i < fits->count; i++)
        if (fits->fits[i].warning && s->json)
            weir_complain("%s: %s", fits->fits[i].block, fits->fits[i].warning);
    if (s->costs)
        result = weir_exit_worse(result, write_file(&costs, s->costs));
    if (s->csv)
        result = weir_exit_worse(result, write_file(&table, s->csv));
    if (s->svg)
        result = weir_exit_worse(result, plot(fits, s->svg));
    return result;
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {0};
    const struct weir_option options[] = {
        {.name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &s.costs},
        {.name = "typical", .kind = WEIR_OPTION_FLAG, .value = &s.typical},
        {.name = "svg", .kind = WEIR_OPTION_TEXT, .value = &s.svg},
        {.name = "csv", .kind = WEIR_OPTION_TEXT, .value = &s.csv},
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &s.json},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count != 1)
        return weir_complain_usage(arguments->verb, "weir fit takes exactly one file, not %zu", arguments->count);
    if (is_stdout(s.costs) || is_stdout(s.svg) || is_stdout(s.csv))
        return weir_complain_usage(arguments->verb, "%s needs a file: standard output has the answer",
                                   is_stdout(s.costs) ? "-o"
                                   : is_stdout(s.svg) ? "--svg"
                                                      : "--csv");
    if (s.typical && !s.costs)
        return weir_complain_usage(arguments->verb, "--typical goes with -o only");
    struct weir_errors *errors = weir_errors_new();
    struct weir_fits *fits = NULL;
    enum weir_status status = errors ? weir_fit_file(arguments->items[0], &fits, errors) : WEIR_MEMORY;
    enum weir_exit result = status == WEIR_OK ? show(fits, &s) : weir_complain_errors(errors, status);
    weir_fits_free(fits);
    weir_errors_free(errors);
    return result;
}

const struct weir_verb weir_verb_fit = {"fit", "estimate the cost of an execution from measurements", help, run, NULL};
