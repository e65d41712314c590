/* SPDX-License-Identifier: Apache-2.0 */
/* weir generate: random models of the papers, from a seed. */
#include "cli.h"

#include <string.h>

static const char help[] =
    "Usage: weir generate holoscan --nodes N [OPTION...]\n"
    "\n"
    "Writes a random model. The same options and seed give the same bytes on every machine.\n"
    "\n"
    "holoscan: the random applications of the Holoscan papers. One source, one sink, no loops; worst-case times are whole\n"
    "numbers from 100 to 1000, all as likely.\n"
    "\n"
    "  --nodes N        operators, 2 to 100000\n"
    "  --seed S         which of the many; 1 unless given\n"
    "  --density P      probability of a queue between two operators, beside those that connect all; 0.2 unless given\n"
    "  --best-ratio R   best-case time as a share of the worst, rounded down; 0 unless given\n"
    "  --queue Q        capacity of every queue; 1 unless given\n"
    "  --format F       yaml or dot; unless given, dot for a file that ends in .dot or .gv, else yaml\n"
    "  -o, --output F   the file to write; standard output unless given\n"
    "  --help           this text\n"
    "\n"
    "P and R are numbers from 0 to 1 with at most three digits after the point.\n"
    "\n"
    "Examples:\n"
    "  weir generate holoscan --nodes 10 --seed 7 | weir analyze -\n"
    "  weir generate holoscan --nodes 25 --density 0.1 --best-ratio 0.5 --queue 3 -o app.yaml\n"
    "  weir generate holoscan --nodes 8 --format dot | dot -Tsvg -o app.svg\n";

/* "0.2" as 200: a number from 0 to 1, with nothing but zeros after the third digit behind the point. */
static bool parse_permille(const char *text, uint32_t *permille)
{
    size_t whole = strspn(text, "0123456789"), leading = strspn(text, "0");
    const char *fraction = text + whole + (text[whole] == '.');
    size_t digits = strspn(fraction, "0123456789");
    if (whole + digits == 0 || fraction[digits] || whole > leading + 1 || (whole > leading && text[leading] != '1'))
        return false;
    uint32_t value = whole > leading ? 1000 : 0, weight = 100;
    for (size_t i = 0; i < digits; i++, weight /= 10) {
        if (weight == 0 && fraction[i] != '0')
            return false;
        value += weight * (uint32_t)(fraction[i] - '0');
    }
    *permille = value;
    return value <= 1000;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static enum weir_exit write_model(const struct weir_generate_options *options, bool dot, const char *path)
{
    struct weir_error error = {0};
    struct weir_pipeline *pipeline = NULL;
    if (weir_generate_holoscan(options, &pipeline, &error) != WEIR_OK)
        return weir_complain_error(NULL, &error);
    struct weir_output output;
    enum weir_exit result = weir_output_open(&output, path);
    if (result == WEIR_EXIT_OK) {
        enum weir_status status =
            dot ? weir_pipeline_write_dot(pipeline, output.file, &error) : weir_pipeline_write_yaml(pipeline, output.file, &error);
        if (status != WEIR_OK && status != WEIR_IO) /* closing it tells what the file did not take */
            result = weir_complain_error(NULL, &error);
        result = weir_exit_worse(result, weir_output_close(&output, result == WEIR_EXIT_OK));
    }
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    static const char *const kinds[] = {"holoscan"};
    const char *density = "0.2", *best_ratio = "0", *format = NULL, *path = NULL;
    uint64_t nodes = 0, seed = 1, queue = 1;
    const struct weir_option options[] = {
        {.name = "nodes", .kind = WEIR_OPTION_NUMBER, .value = &nodes, .low = 2, .high = 100000},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &seed, .high = UINT64_MAX},
        {.name = "density", .kind = WEIR_OPTION_TEXT, .value = &density},
        {.name = "best-ratio", .kind = WEIR_OPTION_TEXT, .value = &best_ratio},
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &queue, .low = 1, .high = 1 << 30},
        {.name = "format", .kind = WEIR_OPTION_TEXT, .value = &format},
        {.name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &path},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "what kind of model? There is: holoscan");
    if (strcmp(arguments->items[0], kinds[0]) != 0) {
        const char *nearest = weir_nearest(arguments->items[0], kinds, 1);
        return weir_complain_usage(arguments->verb, "unknown kind of model '%s'; %s '%s'%s", arguments->items[0],
                                   nearest ? "did you mean" : "there is", kinds[0], nearest ? "?" : "");
    }
    if (arguments->count > 1)
        return weir_complain_usage(arguments->verb, "one kind of model at a time, not also '%s'", arguments->items[1]);
    if (nodes == 0)
        return weir_complain_usage(arguments->verb, "how many operators? --nodes N");
    struct weir_generate_options generate = {.nodes = (uint32_t)nodes, .seed = seed, .queue = (uint32_t)queue};
    if (!parse_permille(density, &generate.density_permille))
        return weir_complain_usage(arguments->verb, "--density: expected a number from 0 to 1 such as 0.2, not '%s'", density);
    if (!parse_permille(best_ratio, &generate.best_permille))
        return weir_complain_usage(arguments->verb, "--best-ratio: expected a number from 0 to 1 such as 0.5, not '%s'",
                                   best_ratio);
    if (!format)
        format = path && (ends_in(path, ".dot") || ends_in(path, ".gv")) ? "dot" : "yaml";
    bool dot = strcmp(format, "dot") == 0;
    if (!dot && strcmp(format, "yaml") != 0)
        return weir_complain_usage(arguments->verb, "--format: expected yaml or dot, not '%s'", format);
    return write_model(&generate, dot, path);
}

const struct weir_verb weir_verb_generate = {"generate", "random models of the papers, from a seed", help, run};
