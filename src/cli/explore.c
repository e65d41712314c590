/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weir explore: what to change in a model. This file finds out which mode is asked for; each has a file of its own and parses the
 * options itself. To add one: its `const struct weir_explore_mode` in explore.h and in the list here.
 */
#include "explore.h"
#include "ranks.h"

#include <string.h>

static const char help[] =
    "Usage: weir explore MODEL --priorities | --mapping | --spacing | --buffers [OPTION...]\n"
    "       weir explore MODEL --batch uniform | rate | edge [OPTION...]\n"
    "       weir explore MODEL MODE [OPTION...], for the modes described below\n"
    "\n"
    "What would make a model better? On shared processors, searches for changes of one kind and shows the latencies before\n"
    "and after; on a pool of cores, compares batches of many sizes and finds the best. A MODEL is a YAML or JSON file;\n"
    "- is standard input.\n"
    "\n"
    "  --priorities       the priorities of the operators on each processor\n"
    "  --mapping          which operator runs on which processor, and with which priority\n"
    "    --processors A,B   move operators only to these; default: all with priorities\n"
    "    --pin A,B          operators that stay where they are\n"
    "  --spacing          a regulator after a source with jitter: how far apart it should keep inputs\n"
    "    --source NAME      the source, or an operator that it feeds; default: the one where it helps most\n"
    "  --buffers          the smallest total capacity of the queues marked auto that keeps every deadline\n"
    "    --within T         a limit on every latency, besides its deadline\n"
    "    --resize           also queues whose capacity the model gives\n"
    "  --batch KIND       how many executions an operator does at once: uniform (the same for all), rate (all get the same\n"
    "                     period) or edge (every queue carries whole batches); each multiplied by a factor\n"
    "    --cores N          the number of cores, whatever the model says\n"
    "    --utilization U    cores that may be used at most, such as 1.5\n"
    "    --within T         a limit on every latency, besides its deadline\n"
    "    --merge            merge operators while that helps\n"
    "    --merged-init F    a merged operator's init: the larger of two, and F times the other (default 1)\n"
    "    --factor-max N     largest such factor (default 1,000,000)\n"
    "    --csv FILE, --svg FILE  the table; a plot, with FILE-utilization.svg beside it\n"
    "\n"
    "  -o, --output OUT   the changed model, if something better is found; its extension selects the format\n"
    "  --method NAME      of the analysis: best (default), PJ0, EI, EI+iBS, EIC or CIX\n"
    "  --latency-limit T  give up on latencies beyond this\n"
    "  --evaluations N    at most this many analyses (default 10,000)\n"
    "  --starts N         starting points of the hill climbing (default 8)\n"
    "  --seed S           seed of the random numbers (default 1)\n"
    "  --threads N        default one per core; the answer is the same for any number\n"
    "  --verify           check the certificates of the bounds before and after\n"
    "  --json             JSON output; see docs/reference/explore.md\n"
    "  --help             this text\n"
    "\n"
    "An interrupt (Ctrl-C) ends the search, and the best so far is the answer.\n"
    "\n"
    "Examples:\n"
    "  weir explore radio.yaml --priorities\n"
    "  weir explore radio.yaml --mapping --pin camera,display -o better.yaml\n"
    "  weir explore radio.yaml --spacing --json\n"
    "  weir explore radio.yaml --buffers --within 30us\n"
    "  weir explore receiver.yaml --batch rate --within 1ms --merge -o batched.yaml\n"
    "\n"
    "Exit status, for the best model found: 0 every deadline is met, or none is given; 1 one is missed, or a latency has\n"
    "no bound; 2 wrong usage; 3 the model cannot be read or cannot be explored; 4 a deadline is not proved, or no bound was\n"
    "found.\n";

static const struct weir_explore_mode *const modes[] = {
    &weir_mode_search, /* also where no mode is asked for */
    &weir_mode_what_if, &weir_mode_sweep,  &weir_mode_partition, &weir_mode_sensitivity,
    &weir_mode_scale,   &weir_mode_period, &weir_mode_size,
};
#define MODE_COUNT (sizeof modes / sizeof *modes)

void weir_explore_help(FILE *out)
{
    for (size_t i = 0; i < MODE_COUNT; i++)
        if (modes[i]->help)
            fprintf(out, "\n%s", modes[i]->help);
    fputs(
        "\nSeveral processes: mpirun -n N weir explore MODEL MODE [OPTION...]\n"
        "\n"
        "Sweeps, sensitivities, divisions of a GPU and sizes of queues are found by N processes together, on one machine or on\n"
        "several, with the same answer; the first prints it. One thread each unless --threads says more. For the best so far,\n"
        "send SIGUSR1 to mpirun. Needs Open MPI.\n"
        "\n"
        "  --resume FILE      these searches keep what they find in FILE and go on from there, when they were ended for whatever\n"
        "                     reason; alone or by several processes, with the same answer\n",
        out);
}

/* ---- which mode ---- */

static bool asks_for(const char *text, const char *name)
{
    size_t length = strlen(name);
    return strncmp(text, "--", 2) == 0 && strncmp(text + 2, name, length) == 0 && (!text[2 + length] || text[2 + length] == '=');
}

/* The option by which an argument asks for a mode, or NULL. */
static const char *name_in(const struct weir_explore_mode *mode, const char *text)
{
    for (const char *const *name = mode->names; *name; name++)
        if (asks_for(text, *name))
            return *name;
    return NULL;
}

/* Whether several processes can search together. */
static bool is_shared(const struct weir_explore_mode *mode)
{
    return mode == &weir_mode_sweep || mode == &weir_mode_partition || mode == &weir_mode_sensitivity || mode == &weir_mode_size;
}

enum weir_exit weir_explore_without_mode(const struct weir_arguments *arguments)
{
    char names[512] = "";
    size_t length = 0;
    for (size_t m = 0; m < MODE_COUNT; m++)
        for (const char *const *name = modes[m]->names; *name && length < sizeof names; name++)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s--%s", length ? ", " : "", *name);
    return weir_complain_usage(arguments->verb, "nothing to change was given; give one of %s", names);
}

/* ---- going on where a search was ended ---- */

static struct {
    const char *path; /* NULL: not asked for */
    const struct weir_explore_mode *mode;
} resumed;

/* Takes --resume FILE out of the arguments: it belongs to no mode. The last one counts. */
static enum weir_exit take_resume(struct weir_arguments *arguments)
{
    size_t kept = 0, i = 0;
    for (; i < arguments->count && strcmp(arguments->items[i], "--") != 0; i++) {
        char *text = arguments->items[i];
        if (strcmp(text, "--resume") == 0 && i + 1 == arguments->count)
            return weir_complain_usage(arguments->verb, "--resume: which file?");
        if (strcmp(text, "--resume") == 0)
            resumed.path = arguments->items[++i];
        else if (strncmp(text, "--resume=", 9) == 0)
            resumed.path = text + 9;
        else
            arguments->items[kept++] = text;
    }
    for (; i < arguments->count; i++)
        arguments->items[kept++] = arguments->items[i];
    arguments->count = kept;
    return WEIR_EXIT_OK;
}

static enum weir_exit check_resume(const struct weir_arguments *arguments, bool shared)
{
    if (resumed.path && !shared)
        return weir_complain_usage(arguments->verb,
                                   "--resume goes with sweeps, sensitivities, GPU partitions and queue sizes only");
    for (size_t i = 0; i < arguments->count && resumed.path; i++)
        if (strcmp(arguments->items[i], "-") == 0)
            return weir_complain_usage(arguments->verb, "--resume: a model on standard input cannot be read again");
    return WEIR_EXIT_OK;
}

static enum weir_exit run_resumed(struct weir_arguments *arguments)
{
    struct weir_error error = {0};
    bool keeps = resumed.path && (!weir_ranks_several() || weir_ranks_first_of_several());
    if (keeps && weir_journal_open(resumed.path, weir_arguments_digest(arguments), &error))
        return weir_complain_error(NULL, &error);
    enum weir_exit result = resumed.mode->run(arguments);
    weir_journal_close();
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    if (take_resume(arguments) != WEIR_EXIT_OK)
        return WEIR_EXIT_USAGE;
    const struct weir_explore_mode *mode = NULL;
    const char *by = NULL;
    for (size_t i = 0; i < arguments->count && strcmp(arguments->items[i], "--") != 0; i++)
        for (size_t m = 0; m < MODE_COUNT; m++) {
            const char *name = name_in(modes[m], arguments->items[i]);
            if (name && mode && modes[m] == &weir_mode_what_if)
                continue; /* changes may be made before something else is looked for */
            if (name && mode && mode != modes[m] && mode != &weir_mode_what_if)
                return weir_complain_usage(arguments->verb, "one kind of change at a time: --%s or --%s", by, name);
            if (name) {
                mode = modes[m];
                by = name;
            }
        }
    resumed.mode = mode ? mode : modes[0];
    if (check_resume(arguments, is_shared(resumed.mode)) != WEIR_EXIT_OK)
        return WEIR_EXIT_USAGE;
    return weir_ranks_run(arguments, is_shared(resumed.mode), run_resumed);
}

const struct weir_verb weir_verb_explore = {"explore", "find out what to change: priorities, mapping, spacing, queues, batches",
                                            help, run, NULL};
