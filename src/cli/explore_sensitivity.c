/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --sensitivity: how each latency depends on each number of the model. */
#include "explore_sensitivity.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Sensitivity: weir explore MODEL --sensitivity [OPTION...]\n"
    "\n"
    "How the worst latency depends on each worst case, best case and capacity, one at a time: not measured at two points,\n"
    "but the whole function, exact at every number, with what proves each piece; how far each number may go before a\n"
    "deadline breaks; and which do not matter. Models whose operators have threads of their own.\n"
    "\n"
    "  --by PERCENT       times that are so much shorter and longer are shown; 10 unless given\n"
    "  --steps N          capacities to look at beyond that of the model; 16 unless given\n"
    "  --limit N          work of each search, as of weir analyze\n"
    "  --csv FILE         every bend of every function\n"
    "  --svg FILE         a tornado chart: which numbers move the latency most; of several latencies the first\n"
    "  --threads N, --json\n"
    "\n"
    "  weir explore ultrasound.yaml --sensitivity --svg tornado.svg\n"
    "\n"
    "Exit status: as of the model as it is.\n";

struct settings {
    struct weir_explore_common common;
    uint64_t percent, steps, limit;
};

static enum weir_status write_chart(const void *context, FILE *out, struct weir_error *error)
{
    const struct weir_sensitivities *found = context;
    return weir_margins_write_svg(found->margins[0], out, error);
}

static enum weir_exit exit_of(const struct weir_sensitivities *found)
{
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < found->count; i++) {
        const struct weir_separation *now = &found->margins[i]->now;
        struct weir_pair_spec pair = weir_pipeline_pair(found->model, found->margins[i]->pair);
        bool undecided =
            now->outcome == WEIR_BRACKET && (!pair.has_deadline || (now->lower <= pair.deadline && now->upper > pair.deadline));
        bool missed = now->outcome == WEIR_NO_BOUND || now->outcome == WEIR_NO_EVENTS ||
                      (pair.has_deadline && now->outcome == WEIR_EXACT && now->value > pair.deadline) ||
                      (pair.has_deadline && now->outcome == WEIR_BRACKET && now->lower > pair.deadline);
        result = weir_exit_worse(result, missed ? WEIR_EXIT_MISSED : undecided ? WEIR_EXIT_BRACKET : WEIR_EXIT_OK);
    }
    return result;
}

static enum weir_exit show(const struct settings *s, const struct weir_sensitivities *found)
{
    enum weir_exit result = WEIR_EXIT_OK;
    if (s->common.csv)
        result = weir_explore_write(s->common.csv, s->common.path, weir_sensitivities_write_csv, found);
    if (s->common.svg && result == WEIR_EXIT_OK && found->count)
        result = weir_explore_write(s->common.svg, s->common.path, write_chart, found);
    if (result != WEIR_EXIT_OK)
        return result;
    (s->common.json ? weir_sensitivities_print_json : weir_sensitivities_print)(found);
    return exit_of(found);
}

/* Latencies with a deadline, or all where there is none. */
static bool wanted(const struct weir_pipeline *model, uint32_t pair)
{
    bool any = false;
    for (uint32_t i = 0; i < weir_pipeline_pair_count(model); i++)
        any |= weir_pipeline_pair(model, i).has_deadline;
    return !any || weir_pipeline_pair(model, pair).has_deadline;
}

static enum weir_exit look(const struct settings *s, const struct weir_pipeline *model)
{
    struct weir_progress progress = {.what = weir_model_title(model, s->common.path)};
    struct weir_margins_options options = {.permille = (uint32_t)s->percent * 10,
                                           .steps = (uint32_t)s->steps,
                                           .threads = (unsigned)s->common.threads,
                                           .work_limit = s->limit,
                                           .progress = weir_progress_show,
                                           .context = &progress};
    struct weir_sensitivities found = {.model = model, .title = progress.what, .percent = s->percent ? s->percent : 10};
    struct weir_error error = {0};
    uint32_t pairs = weir_pipeline_pair_count(model);
    found.margins = calloc(pairs ? pairs : 1, sizeof *found.margins);
    if (!found.margins) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    enum weir_status status = WEIR_OK;
    options.stop = weir_interrupts_begin();
    for (uint32_t i = 0; i < pairs && !status && !__atomic_load_n(options.stop, __ATOMIC_RELAXED); i++)
        if (wanted(model, i)) {
            status = weir_margins_find(model, i, &options, &found.margins[found.count], &error);
            found.count += status == WEIR_OK;
        }
    weir_interrupts_end();
    weir_progress_end(&progress);
    found.stopped = __atomic_load_n(options.stop, __ATOMIC_RELAXED);
    enum weir_exit result = status == WEIR_OK ? show(s, &found) : weir_complain_error(s->common.path, &error);
    for (size_t i = 0; i < found.count; i++)
        weir_margins_free(found.margins[i]);
    free(found.margins);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.limit = 0};
    bool asked;
    const struct weir_option options[] = {
        WEIR_EXPLORE_JSON(s.common),
        WEIR_EXPLORE_CSV(s.common),
        WEIR_EXPLORE_SVG(s.common),
        WEIR_EXPLORE_THREADS(s.common),
        {.name = "sensitivity", .kind = WEIR_OPTION_FLAG, .value = &asked},
        {.name = "by", .kind = WEIR_OPTION_NUMBER, .value = &s.percent, .low = 1, .high = 100},
        {.name = "steps", .kind = WEIR_OPTION_NUMBER, .value = &s.steps, .low = 1, .high = 1000},
        {.name = "limit", .kind = WEIR_OPTION_NUMBER, .value = &s.limit, .low = 1, .high = UINT64_MAX - 1},
    };
    struct weir_pipeline *model = NULL;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s.common.path, NULL, &model);
    if (result == WEIR_EXIT_OK)
        result = look(&s, model);
    weir_pipeline_free(model);
    return result;
}

static const char *const names[] = {"sensitivity", NULL};
const struct weir_explore_mode weir_mode_sensitivity = {names, help, run};
