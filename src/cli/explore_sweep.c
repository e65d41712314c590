/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --sweep: bounds over ranges of numbers. */
#include "explore_sweep.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Sweep: weir explore MODEL --sweep 'TARGET.KEY=VALUES' [--sweep ...] [OPTION...]\n"
    "\n"
    "The bounds for all values, of several sweeps for all of their combinations; and where something that should help makes\n"
    "a bound worse. Targets and keys are those of --what-if; A.KEY,B.KEY=VALUES gives both the same value.\n"
    "\n"
    "  --sweep VALUES     LOW:HIGH:STEP, of counts also LOW:HIGH, or values with commas between them\n"
    "  --what-if, --add, --remove  made first, as above\n"
    "  --points N         refuse more points than this; 1,000,000 unless given\n"
    "  --csv FILE, --svg FILE  all points; a plot: a line for each latency, or for each value of the second sweep\n"
    "  --full             print every point, however many\n"
    "  --threads N        one per core unless given; the answer is the same for any number\n"
    "  --json             for programs\n"
    "\n"
    "  weir explore ultrasound.yaml --sweep 'holoviz.time=1ms:20ms:1ms' --sweep 'queue.capacity=1:8' --svg sweep.svg\n"
    "\n"
    "Exit status: 0 at some point every deadline is met, or none is given; 1 at none; 4 interrupted before one was found.\n";

struct settings {
    struct weir_explore_common common;
    struct weir_option_list lists[3]; /* by enum weir_change_kind */
    struct weir_option_list sweeps;
    uint64_t points;
    bool full;
};

static enum weir_exit exit_of(const struct weir_sweep *sweep)
{
    for (size_t i = 0; i < sweep->point_count; i++) {
        bool bounded = sweep->points[i].state == WEIR_SWEEP_DONE && sweep->points[i].met;
        for (size_t j = 0; j < sweep->latency_count && bounded; j++) {
            enum weir_certainty c = sweep->cells[i * sweep->latency_count + j].certainty;
            bounded = c != WEIR_CERTAIN_UNBOUNDED && c != WEIR_CERTAIN_UNKNOWN;
        }
        if (bounded)
            return WEIR_EXIT_OK;
    }
    return sweep->done < sweep->point_count ? WEIR_EXIT_BRACKET : WEIR_EXIT_MISSED;
}

static enum weir_exit tell(const struct weir_sweep_view *view)
{
    const struct weir_explore_common *c = view->common;
    enum weir_exit result = WEIR_EXIT_OK;
    if (c->csv)
        result = weir_exit_worse(result, weir_explore_write(c->csv, c->path, weir_sweep_write_csv, view));
    if (c->svg)
        result = weir_exit_worse(result, weir_explore_write(c->svg, c->path, weir_sweep_write_svg, view));
    if (result != WEIR_EXIT_OK)
        return result;
    (c->json ? weir_sweep_print_json : weir_sweep_print)(view);
    return exit_of(view->sweep);
}

static enum weir_exit sweep_over(const struct settings *s, const struct weir_pipeline *model,
                                 const struct weir_change_list *changes, const struct weir_change_list *axes)
{
    struct weir_errors *errors = weir_errors_new();
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
    enum weir_status status = errors ? weir_sweep_run(model, &options, &sweep, errors) : WEIR_MEMORY;
    weir_interrupts_end();
    weir_progress_end(&progress);
    if (!errors)
        weir_complain("out of memory");
    else
        weir_changes_complain(model, s->common.path, errors);
    enum weir_exit result = status == WEIR_MEMORY || status == WEIR_INTERNAL ? WEIR_EXIT_INTERNAL : WEIR_EXIT_USAGE;
    if (status == WEIR_OK) {
        struct weir_sweep_view view = {sweep, &s->common, changes, title, s->full};
        result = tell(&view);
    }
    weir_sweep_free(sweep);
    weir_errors_free(errors);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.points = 0};
    const struct weir_option options[] = {
        WEIR_EXPLORE_CSV(s.common),
        WEIR_EXPLORE_SVG(s.common),
        WEIR_EXPLORE_THREADS(s.common),
        WEIR_EXPLORE_JSON(s.common),
        {.name = "sweep", .kind = WEIR_OPTION_LIST, .value = &s.sweeps},
        {.name = "what-if", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_SET]},
        {.name = "add", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_ADD]},
        {.name = "remove", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_REMOVE]},
        {.name = "points", .kind = WEIR_OPTION_NUMBER, .value = &s.points, .low = 1, .high = 1000000000},
        {.name = "full", .kind = WEIR_OPTION_FLAG, .value = &s.full},
    };
    struct weir_pipeline *model = NULL;
    struct weir_change_list changes = {0}, axes = {0};
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s.common.path, NULL, &model);
    if (result == WEIR_EXIT_OK) {
        bool made = weir_changes_make(s.lists, &changes) && weir_changes_add(&axes, WEIR_CHANGE_SET, "sweep", &s.sweeps);
        result = made ? sweep_over(&s, model, &changes, &axes) : WEIR_EXIT_INTERNAL;
    }
    weir_changes_free(&changes);
    weir_changes_free(&axes);
    weir_pipeline_free(model);
    for (int i = 0; i < 3; i++)
        free((void *)s.lists[i].items);
    free((void *)s.sweeps.items);
    return result;
}

static const char *const names[] = {"sweep", NULL};
const struct weir_explore_mode weir_mode_sweep = {names, help, run};
