/* SPDX-License-Identifier: Apache-2.0 */
/* weir gpu profile: what kernels take on a device. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: weir gpu profile LAUNCHES [-o OUT] [OPTION...]\n"
    "\n"
    "Measures kernels on the GPU of this machine and writes a model with what they take: each on several numbers of SMs\n"
    "(green contexts), alone and with neighbours on all other SMs that stay within the L2 cache, read from memory, or copy;\n"
    "and what it does to others. LAUNCHES is YAML: which object the kernels are in, how they are launched, what depends on\n"
    "what. NVIDIA's driver is needed, 12.5 or newer, and nothing else.\n"
    "\n"
    "  -o, --output OUT  where to write; without it standard output. A file appears only when it is complete\n"
    "  --widths LIST     numbers of SMs, such as 8,16,32 (default: the step, twice, four times ... and all)\n"
    "  --step N          of the numbers of SMs (default: that of the device)\n"
    "  --runs N          of each kernel on each number of SMs beside each neighbour (default 1000)\n"
    "  --margin P%       add P percent to the longest time measured (default 2%)\n"
    "  --device N        which GPU (default 0)\n"
    "  --check           only read LAUNCHES and say what is wrong with it\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  weir gpu profile launches.yaml -o app.yaml\n"
    "  weir analyze app.yaml --explain\n"
    "  weir convert app.yaml --launches launches.yaml -o plan.cu\n"
    "\n"
    "Exit status: 0 the model was written; 2 wrong usage; 3 LAUNCHES is wrong, or there is no device to measure it on;\n"
    "74 the model cannot be written.\n";

enum { WIDTHS = 512 };

struct settings {
    const char *out, *widths, *margin;
    uint64_t step, runs, device;
    bool check;
};

static bool read_widths(const char *text, uint32_t widths[WIDTHS], size_t *count)
{
    char *end = NULL;
    for (*count = 0; text && *count < WIDTHS; text = *end ? end + 1 : NULL) {
        unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
        if (value == 0 || value > 65536 || (*end && *end != ',') || (*count && value <= widths[*count - 1]))
            return false;
        widths[(*count)++] = (uint32_t)value;
    }
    return !text;
}

static void show(void *context, const char *what)
{
    (void)context;
    weir_complain("measuring %s", what);
}

enum weir_exit weir_sheet_load(const char *path, struct weir_gpu_sheet **sheet)
{
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = errors ? weir_gpu_sheet_read(path, sheet, errors) : WEIR_MEMORY;
    enum weir_exit result = status ? weir_complain_errors(errors, status) : WEIR_EXIT_OK;
    weir_errors_free(errors);
    return result;
}

static enum weir_exit profile(const struct settings *s, const char *path, const struct weir_gpu_profile_options *options)
{
    struct weir_gpu_sheet *sheet = NULL;
    struct weir_error error = {0};
    struct weir_output output;
    enum weir_status status = WEIR_OK;
    enum weir_exit result = weir_sheet_load(path, &sheet);
    if (result == WEIR_EXIT_OK && !s->check)
        result = weir_output_open(&output, s->out ? s->out : "-");
    if (result == WEIR_EXIT_OK && !s->check) {
        status = weir_gpu_profile(sheet, options, output.file, &error);
        if (status)
            result = weir_complain_error(path, &error);
        result = weir_exit_worse(result, weir_output_close(&output, !status));
    }
    weir_gpu_sheet_free(sheet);
    return result == WEIR_EXIT_OUTPUT && status == WEIR_IO ? WEIR_EXIT_INPUT : result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.runs = 1000, .margin = "2%"};
    uint32_t widths[WIDTHS];
    size_t count = 0;
    const struct weir_option options[] = {
        {.name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &s.out},
        {.name = "widths", .kind = WEIR_OPTION_TEXT, .value = &s.widths},
        {.name = "step", .kind = WEIR_OPTION_NUMBER, .value = &s.step, .low = 1, .high = 65536},
        {.name = "runs", .kind = WEIR_OPTION_NUMBER, .value = &s.runs, .low = 1, .high = 10000000},
        {.name = "margin", .kind = WEIR_OPTION_TEXT, .value = &s.margin},
        {.name = "device", .kind = WEIR_OPTION_NUMBER, .value = &s.device, .low = 0, .high = 1024},
        {.name = "check", .kind = WEIR_OPTION_FLAG, .value = &s.check},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count != 2 || strcmp(arguments->items[0], "profile") != 0)
        return weir_complain_usage(arguments->verb, "expected weir gpu profile and one file with launches");
    if (s.widths && !read_widths(s.widths, widths, &count))
        return weir_complain_usage(arguments->verb, "--widths is a list of ascending numbers such as 8,16,32, not '%s'", s.widths);
    uint32_t permille;
    if (!weir_parse_percent(s.margin, 10000, &permille) || permille % 10)
        return weir_complain_usage(arguments->verb, "--margin is a percentage from 0%% to 1000%%, not '%s'", s.margin);
    struct weir_gpu_profile_options measuring = {.device = (int)s.device,
                                                 .step = (uint32_t)s.step,
                                                 .runs = (uint32_t)s.runs,
                                                 .margin = permille / 10,
                                                 .widths = count ? widths : NULL,
                                                 .width_count = count,
                                                 .progress = isatty(STDERR_FILENO) ? show : NULL};
    return profile(&s, arguments->items[1], &measuring);
}

const struct weir_verb weir_verb_gpu = {"gpu", "measure kernels on a GPU and write a model to plan them with", help, run, NULL};
