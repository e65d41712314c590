/* SPDX-License-Identifier: Apache-2.0 */
/* weir fit: what an execution costs, from measurements. */
#include "fit.h"

#include <string.h>

static const char help[] =
    "Usage: weir fit SAMPLES [OPTION...]\n"
    "\n"
    "What does an execution of a block cost? Fits init + per-sample * samples to measurements, so that what is now and then\n"
    "far off does not matter, and finds the line of this kind that no measurement exceeds. SAMPLES is a file of lines\n"
    "block,samples,ns[,weight], or the JSON that tools/gnuradio/profile.py writes; - is standard input.\n"
    "\n"
    "  -o, --output OUT   lines of block,init_ns,per_sample_ns for 'weir analyze FLOW.grc --costs OUT'\n"
    "    --typical          the fit, not the line above all measurements\n"
    "  --svg FILE         a plot; with several blocks one file for each, FILE-BLOCK.svg\n"
    "  --csv FILE         the table\n"
    "  --json             for programs; see docs/reference/fit.md\n"
    "  --help             this text\n"
    "\n"
    "Examples:\n"
    "  weir fit samples.csv\n"
    "  weir fit profile.json -o costs.csv --svg costs.svg\n"
    "\n"
    "Exit status: 0 fitted, with a warning for each fit that is not to be trusted; 3 the file cannot be read.\n";

struct settings {
    const char *costs, *svg, *csv;
    bool typical, json;
};

enum form { COSTS, TABLE };

static enum weir_exit write_file(const struct weir_fits *fits, const struct settings *s, enum form form)
{
    struct weir_output output;
    enum weir_exit result = weir_output_open(&output, form == COSTS ? s->costs : s->csv);
    if (result != WEIR_EXIT_OK)
        return result;
    if (form == COSTS)
        weir_fits_write_costs(fits, s->typical, output.file);
    else
        weir_fits_write_csv(fits, output.file);
    return weir_output_close(&output, true);
}

static enum weir_exit show(const struct weir_fits *fits, const struct settings *s)
{
    enum weir_exit result = WEIR_EXIT_OK;
    if (s->json)
        weir_fits_write_json(fits, stdout);
    else
        weir_fits_print(fits);
    for (size_t i = 0; i < fits->count; i++)
        if (fits->fits[i].warning && s->json)
            weir_complain("%s: %s", fits->fits[i].block, fits->fits[i].warning);
    if (s->costs)
        result = weir_exit_worse(result, write_file(fits, s, COSTS));
    if (s->csv)
        result = weir_exit_worse(result, write_file(fits, s, TABLE));
    if (s->svg)
        result = weir_exit_worse(result, weir_fits_plot(fits, s->svg));
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
        return weir_complain_usage(arguments->verb, "exactly one file is fitted, not %zu", arguments->count);
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

const struct weir_verb weir_verb_fit = {"fit", "what an execution costs, from measurements", help, run, NULL};
