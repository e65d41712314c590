/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --what-if, --add, --remove: a model before and after changes; --sweep: bounds over ranges of numbers. */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

static const char what_if_help[] =
    "What if: weir explore MODEL [--what-if CHANGE]... [--add PART]... [--remove PART]... [OPTION...]\n"
    "\n"
    "The model before and after, side by side: bounds, deadlines, throughput, critical paths. On every platform. What is\n"
    "removed goes first, then comes what is added, then what is set.\n"
    "\n"
    "  --what-if CHANGE   TARGET.KEY=VALUE, in the words of the model file; A.KEY,B.KEY=VALUE sets both. A TARGET is an\n"
    "                     operator, A->B (the queues from A to B), A->B#2 (the second of them), queue (all of them), the\n"
    "                     name of a source, a processor or platform. Further keys: best, worst; A->B.within, a deadline\n"
    "  --add PART         an operator ('filter: {time: [1ms, 2ms]}'), a queue ('a -> b'), a source, a deadline\n"
    "  --remove PART      an operator with everything connected to it, or A->B, or A->B#2\n"
    "  --verify           check the certificates of the bounds before and after\n"
    "  -o, --output OUT   the changed model; --json for JSON output\n"
    "\n"
    "  weir explore ultrasound.yaml --what-if 'holoviz.time=[2ms,9ms]' --what-if 'infer->scale.capacity=3'\n"
    "  weir explore ultrasound.yaml --add 'denoise: {time: [1ms, 2ms]}' --add 'replayer -> denoise -> infer'\n"
    "\n"
    "Exit status: that of weir analyze for the changed model.\n";

static const char sweep_help[] =
    "Sweep: weir explore MODEL --sweep 'TARGET.KEY=VALUES' [--sweep ...] [OPTION...]\n"
    "\n"
    "The bounds for all values, of several sweeps for all of their combinations; and where something that should help makes\n"
    "a bound worse. Targets and keys are those of --what-if; A.KEY,B.KEY=VALUES gives both the same value.\n"
    "\n"
    "  --sweep VALUES     LOW:HIGH:STEP, of counts also LOW:HIGH, or values with commas between them\n"
    "  --what-if, --add, --remove  made first, as above\n"
    "  --points N         refuse more points than this (default 1,000,000)\n"
    "  --csv FILE, --svg FILE  all points; a plot: a line for each latency, or for each value of the second sweep\n"
    "  --full             print every point, however many\n"
    "  --threads N        default one per core; the answer is the same for any number\n"
    "  --json             JSON output\n"
    "\n"
    "  weir explore ultrasound.yaml --sweep 'holoviz.time=1ms:20ms:1ms' --sweep 'queue.capacity=1:8' --svg sweep.svg\n"
    "\n"
    "Exit status: 0 at some point every deadline is met, or none is given; 1 at none; 4 interrupted before one was found.\n";

struct settings {
    struct weir_explore_common common;
    struct weir_option_list lists[3]; /* by enum weir_change_kind */
    struct weir_option_list sweeps;
    uint64_t points;
    bool verify;
};

struct change_list {
    struct weir_change *changes;
    size_t count;
};

/* ---- the changes of the command line ---- */

static void free_changes(struct change_list *list)
{
    for (size_t i = 0; list->changes && i < list->count; i++)
        free((void *)list->changes[i].name);
    free(list->changes);
    *list = (struct change_list){0};
}

/* "--what-if 'camera.time=5ms'" */
static char *name_change(const char *option, const char *text)
{
    size_t size = strlen(option) + strlen(text) + sizeof "-- ''";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "--%s '%s'", option, text);
    return name;
}

static bool add_changes(struct change_list *list, enum weir_change_kind kind, const char *option,
                        const struct weir_option_list *texts)
{
    struct weir_change *grown = realloc(list->changes, (list->count + texts->count + 1) * sizeof *grown);
    bool good = grown;
    list->changes = grown ? grown : list->changes;
    for (size_t i = 0; i < texts->count && good; i++) {
        char *name = name_change(option, texts->items[i]);
        list->changes[list->count++] = (struct weir_change){.kind = kind, .text = texts->items[i], .name = name};
        good = name;
    }
    if (!good)
        weir_complain("out of memory");
    return good;
}

static bool make_changes(const struct weir_option_list lists[3], struct change_list *list)
{
    return add_changes(list, WEIR_CHANGE_REMOVE, "remove", &lists[WEIR_CHANGE_REMOVE]) &&
           add_changes(list, WEIR_CHANGE_ADD, "add", &lists[WEIR_CHANGE_ADD]) &&
           add_changes(list, WEIR_CHANGE_SET, "what-if", &lists[WEIR_CHANGE_SET]);
}

static void complain_changes(const struct weir_pipeline *model, const char *path, const struct weir_errors *errors)
{
    const struct weir_style *style = weir_style_of(stderr);
    size_t count = weir_errors_count(errors);
    for (size_t i = 0; i < count; i++) {
        const struct weir_error *error = weir_errors_at(errors, i);
        fprintf(stderr, "%sweir explore:%s ", style->bad, style->plain);
        if (!error->file[0])
            fprintf(stderr, "%s, changed: ", weir_model_title(model, path));
        else if (error->line > 1)
            fprintf(stderr, "%s: line %u, column %u: ", error->file, error->line, error->column);
        else if (error->column)
            fprintf(stderr, "%s: column %u: ", error->file, error->column);
        else
            fprintf(stderr, "%s: ", error->file);
        fprintf(stderr, "%s\n", error->message);
    }
}

static enum weir_exit exit_of(enum weir_status status)
{
    return status == WEIR_MEMORY || status == WEIR_INTERNAL ? WEIR_EXIT_INTERNAL : WEIR_EXIT_USAGE;
}

/* ---- before and after ---- */

static enum weir_exit compare(const struct settings *s, const struct change_list *list, const struct weir_changed *changed)
{
    const char *title = weir_model_title(changed->before, s->common.path);
    char changed_title[256];
    struct weir_progress progress = {.what = title};
    struct weir_answer_options options = {.verify = s->verify, .progress = weir_progress_show, .context = &progress};
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    enum weir_status status = weir_what_if(changed, list->changes, list->count, &options, &answer, &error);
    weir_progress_end(&progress);
    snprintf(changed_title, sizeof changed_title, "%.240s%s", title, s->common.json ? "" : ", changed");
    return weir_explore_tell(&s->common, status, &error, (struct weir_explored){answer, changed_title, changed->after});
}

static enum weir_exit change(const struct settings *s, const struct weir_pipeline *model, const struct change_list *list,
                             struct weir_errors *errors)
{
    struct weir_changed changed = {.notes = weir_errors_new()};
    enum weir_status status = weir_change_apply(model, list->changes, list->count, &changed, errors);
    complain_changes(model, s->common.path, errors);
    for (size_t i = 0; changed.notes && i < weir_errors_count(changed.notes); i++)
        fprintf(stderr, "note: %s\n", weir_errors_at(changed.notes, i)->message);
    enum weir_exit result = status ? exit_of(status) : compare(s, list, &changed);
    weir_errors_free(changed.notes);
    weir_changed_free(&changed);
    return result;
}

/* ---- sweeps ---- */

static enum weir_exit sweep_over(const struct settings *s, const struct weir_pipeline *model, const struct change_list *changes,
                                 const struct change_list *axes, struct weir_errors *errors)
{
    const char *title = weir_model_title(model, s->common.path);
    struct weir_progress progress = {.what = title};
    struct weir_sweep_options options = {.changes = changes->changes,
                                         .change_count = changes->count,
                                         .axes = axes->changes,
                                         .axis_count = axes->count,
                                         .points_max = s->points,
                                         .threads = (unsigned)s->common.threads,
                                         .stop = weir_interrupts_begin(),
                                         .progress = weir_progress_show,
                                         .context = &progress};
    struct weir_sweep *sweep = NULL;
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    enum weir_status status = weir_sweep_run(model, &options, &sweep, errors);
    weir_interrupts_end();
    weir_progress_end(&progress);
    complain_changes(model, s->common.path, errors);
    enum weir_exit result = exit_of(status);
    if (status == WEIR_OK) {
        status = weir_sweep_answer(sweep, s->common.full, &answer, &error);
        result = weir_explore_tell(&s->common, status, &error, (struct weir_explored){answer, title, NULL});
    }
    weir_sweep_free(sweep);
    return result;
}

/* ---- the command line ---- */

static enum weir_exit ask(struct settings *s)
{
    struct weir_pipeline *model = NULL;
    struct change_list changes = {0}, axes = {0};
    struct weir_errors *errors = weir_errors_new();
    enum weir_exit result = weir_model_read(s->common.path, NULL, &model);
    if (result == WEIR_EXIT_OK) {
        bool made = errors && make_changes(s->lists, &changes) && add_changes(&axes, WEIR_CHANGE_SET, "sweep", &s->sweeps);
        result = !made             ? WEIR_EXIT_INTERNAL
                 : s->sweeps.count ? sweep_over(s, model, &changes, &axes, errors)
                                   : change(s, model, &changes, errors);
    }
    free_changes(&changes);
    free_changes(&axes);
    weir_errors_free(errors);
    weir_pipeline_free(model);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments, bool sweep)
{
    struct settings s = {.points = 0};
    const struct weir_option options[] = {
        WEIR_EXPLORE_JSON(s.common),
        {.name = "what-if", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_SET]},
        {.name = "add", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_ADD]},
        {.name = "remove", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_REMOVE]},
        WEIR_EXPLORE_OUTPUT(s.common),
        {.name = "verify", .kind = WEIR_OPTION_FLAG, .value = &s.verify},
        {.name = "sweep", .kind = WEIR_OPTION_LIST, .value = &s.sweeps},
        {.name = "points", .kind = WEIR_OPTION_NUMBER, .value = &s.points, .low = 1, .high = 1000000000},
        WEIR_EXPLORE_CSV(s.common),
        WEIR_EXPLORE_SVG(s.common),
        WEIR_EXPLORE_THREADS(s.common),
    };
    size_t count = sizeof options / sizeof *options;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, count))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK && sweep && (s.common.out || s.verify))
        result = weir_complain_usage(arguments->verb, "--%s does not go with --sweep", s.verify ? "verify" : "output");
    if (result == WEIR_EXIT_OK && !sweep && (s.points || s.common.csv || s.common.svg || s.common.threads))
        result = weir_complain_usage(arguments->verb, "--%s goes with --sweep only",
                                     s.points       ? "points"
                                     : s.common.csv ? "csv"
                                     : s.common.svg ? "svg"
                                                    : "threads");
    if (result == WEIR_EXIT_OK)
        result = ask(&s);
    for (int i = 0; i < 3; i++)
        free((void *)s.lists[i].items);
    free((void *)s.sweeps.items);
    return result;
}

static enum weir_exit run_what_if(struct weir_arguments *arguments)
{
    return run(arguments, false);
}

static enum weir_exit run_sweep(struct weir_arguments *arguments)
{
    return run(arguments, true);
}

static const char *const what_if_names[] = {"what-if", "add", "remove", NULL}, *const sweep_names[] = {"sweep", NULL};
const struct weir_explore_mode weir_mode_what_if = {what_if_names, what_if_help, run_what_if};
const struct weir_explore_mode weir_mode_sweep = {sweep_names, sweep_help, run_sweep};
