/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --sensitivity, --scale and --assign-period: how latencies depend on numbers, and how far those may go. */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

static const char sensitivity_help[] =
    "Sensitivity: weir explore MODEL --sensitivity [OPTION...]\n"
    "\n"
    "How the worst latency depends on each worst case, best case and capacity, one at a time: the whole function, exact at\n"
    "every value, with a proof of each piece, rather than a measurement at two points; how far each number may go before a\n"
    "deadline breaks; and which numbers do not matter. For models whose operators have threads of their own.\n"
    "\n"
    "  --by PERCENT       show times shorter and longer by this much (default 10)\n"
    "  --steps N          capacities to look at beyond that of the model (default 16)\n"
    "  --limit N          work limit of each search, as in weir analyze\n"
    "  --csv FILE         every bend of every function\n"
    "  --svg FILE         a tornado chart: which numbers move the latency most; of several latencies the first\n"
    "  --threads N, --json\n"
    "\n"
    "  weir explore ultrasound.yaml --sensitivity --svg tornado.svg\n"
    "\n"
    "Exit status: that of weir analyze for the unchanged model.\n";

static const char scale_help[] =
    "Scaling: weir explore MODEL --scale [OPTION...]\n"
    "\n"
    "The largest factor by which all worst cases can grow together while every deadline is kept (the critical scaling\n"
    "factor), as an exact fraction; below 1 where a deadline is missed. Best cases, periods and capacities stay the same. For\n"
    "models with deadlines whose operators have threads of their own.\n"
    "\n"
    "  --limit N          work limit of each search, as in weir analyze\n"
    "  --json             JSON output\n"
    "\n"
    "  weir explore ultrasound.yaml --scale\n"
    "\n"
    "Exit status: 0 the factor is at least 1; 1 it is below, or there is none; 4 it is not known which.\n";

static const char period_help[] =
    "Periods: weir explore MODEL --assign-period [OPTION...]\n"
    "\n"
    "The shortest period of a source that keeps every deadline, to the tick. A shorter period need not be worse, so none is\n"
    "ruled out without proof. An operator without inputs and without a period counts as a source that may be given one.\n"
    "\n"
    "  --source NAME      of this operator; default: of each source in turn, the others as they are\n"
    "  --limit N          work limit of each search, as in weir analyze\n"
    "  -o, --output OUT   the model with that period; needs --source where there are several; --json for JSON output\n"
    "\n"
    "  weir explore ultrasound.yaml --assign-period -o paced.yaml\n"
    "\n"
    "Exit status: 0 there is such a period; 1 there is none; 4 it is a bracket.\n";

struct settings {
    struct weir_explore_common common;
    const char *source;
    uint64_t percent, steps, limit;
};

/* What a mode does with a model that is read. */
typedef enum weir_exit study(const struct settings *settings, const struct weir_pipeline *model,
                             struct weir_margins_options *options);

static enum weir_exit tell(const struct settings *s, const struct weir_pipeline *model, enum weir_status status,
                           struct weir_answer *answer, const struct weir_error *error)
{
    return weir_explore_tell(&s->common, status, error,
                             (struct weir_explored){answer, weir_model_title(model, s->common.path), NULL});
}

/* ---- sensitivity ---- */

static enum weir_status write_tornado(const void *context, FILE *out, struct weir_error *error)
{
    return weir_margins_write_svg(context, out, error);
}

/* Latencies with a deadline, or all where there is none. */
static bool wanted(const struct weir_pipeline *model, uint32_t chain)
{
    bool any = false;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(model); i++)
        any |= weir_pipeline_chain(model, i).has_deadline;
    return !any || weir_pipeline_chain(model, chain).has_deadline;
}

static enum weir_exit study_sensitivity(const struct settings *s, const struct weir_pipeline *model,
                                        struct weir_margins_options *options)
{
    uint32_t chains = weir_pipeline_chain_count(model);
    struct weir_margins **margins = calloc((size_t)chains + 1, sizeof *margins);
    struct weir_answer *answer = NULL;
    struct weir_error error = {.status = WEIR_MEMORY, .message = "out of memory"};
    enum weir_status status = margins ? WEIR_OK : WEIR_MEMORY;
    size_t count = 0;
    for (uint32_t i = 0; i < chains && !status && !__atomic_load_n(options->stop, __ATOMIC_RELAXED); i++)
        if (wanted(model, i)) {
            status = weir_margins_find(model, i, options, &margins[count], &error);
            count += status == WEIR_OK;
        }
    weir_interrupts_end();
    weir_progress_end(options->context);
    if (!status)
        status = weir_margins_answer(model, options, (const struct weir_margins *const *)margins, count, &answer, &error);
    enum weir_exit result = WEIR_EXIT_OK;
    if (!status && s->common.svg && count)
        result = weir_explore_write(s->common.svg, s->common.path, write_tornado, margins[0]);
    if (result == WEIR_EXIT_OK)
        result = tell(s, model, status, answer, &error);
    else
        weir_answer_free(answer);
    for (size_t i = 0; i < count; i++)
        weir_margins_free(margins[i]);
    free(margins);
    return result;
}

/* ---- scaling ---- */

static enum weir_exit study_scale(const struct settings *s, const struct weir_pipeline *model, struct weir_margins_options *options)
{
    struct weir_scaling scaling;
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    options->progress = NULL;
    enum weir_status status = weir_scaling_find(model, options, &scaling, &error);
    weir_interrupts_end();
    if (!status)
        status = weir_scaling_answer(model, &scaling, &answer, &error);
    return tell(s, model, status, answer, &error);
}

/* ---- periods ---- */

static bool chosen(const struct settings *s, const struct weir_pipeline *paced, uint32_t source)
{
    return !s->source || strcmp(weir_pipeline_operator(paced, weir_pipeline_source(paced, source).op).name, s->source) == 0;
}

static enum weir_exit pace(const struct settings *s, const struct weir_pipeline *model, const struct weir_pipeline *paced,
                           struct weir_margins_options *options)
{
    uint32_t sources = weir_pipeline_source_count(paced);
    bool several = !s->source && sources > 1;
    if (several && weir_pipeline_source_count(model) < sources)
        return weir_complain_usage(&weir_verb_explore, "several operators begin the model; say which one with --source");
    if (several && s->common.out)
        return weir_complain_usage(&weir_verb_explore, "-o needs --source where there are several sources");
    struct weir_source_pacing *list = calloc((size_t)sources + 1, sizeof *list);
    struct weir_answer *answer = NULL;
    struct weir_error error = {.status = WEIR_MEMORY, .message = "out of memory"};
    enum weir_status status = list ? WEIR_OK : WEIR_MEMORY;
    size_t count = 0;
    for (uint32_t i = 0; i < sources && !status; i++)
        if (chosen(s, paced, i)) {
            list[count].source = i;
            status = weir_pacing_find(paced, i, options, &list[count++].pacing, &error);
        }
    weir_progress_end(options->context);
    if (!status)
        status = weir_pacing_answer(paced, list, count, &answer, &error);
    struct weir_pipeline *made = NULL;
    if (!status && s->common.out && count && list[0].pacing.outcome == WEIR_MARGIN_EXACT)
        status = weir_pacing_apply(paced, &list[0], &made, &error);
    enum weir_exit result = weir_explore_tell(&s->common, status, &error,
                                              (struct weir_explored){answer, weir_model_title(model, s->common.path), made});
    weir_pipeline_free(made);
    free(list);
    return result;
}

static enum weir_exit study_periods(const struct settings *s, const struct weir_pipeline *model,
                                    struct weir_margins_options *options)
{
    struct weir_pipeline *paced = NULL;
    struct weir_operator named;
    struct weir_error error = {0};
    enum weir_exit result = WEIR_EXIT_OK;
    if (s->source && !weir_pipeline_find(model, s->source, &named))
        result = weir_complain_usage(&weir_verb_explore, "--source: there is no operator '%s'", s->source);
    else if (weir_pacing_sources(model, s->source ? &named : NULL, &paced, &error))
        result = weir_complain_error(s->common.path, &error);
    else
        result = pace(s, model, paced, options);
    weir_interrupts_end();
    weir_pipeline_free(paced);
    return result;
}

/* ---- the command line ---- */

static enum weir_exit run(struct weir_arguments *arguments, struct settings *s, const struct weir_option *options, size_t count,
                          study *study_model)
{
    struct weir_pipeline *model = NULL;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, count))
        result = weir_explore_check(arguments, &s->common);
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s->common.path, NULL, &model);
    if (result == WEIR_EXIT_OK) {
        struct weir_progress progress = {.what = weir_model_title(model, s->common.path)};
        struct weir_margins_options how = {.permille = (uint32_t)s->percent * 10,
                                           .steps = (uint32_t)s->steps,
                                           .threads = (unsigned)s->common.threads,
                                           .work_limit = s->limit,
                                           .stop = weir_interrupts_begin(),
                                           .progress = weir_progress_show,
                                           .context = &progress};
        result = study_model(s, model, &how);
    }
    weir_pipeline_free(model);
    return result;
}

#define LIMIT(s)                                                                                                                   \
    {                                                                                                                              \
        .name = "limit", .kind = WEIR_OPTION_NUMBER, .value = &(s).limit, .low = 1, .high = UINT64_MAX - 1                         \
    }

static enum weir_exit run_sensitivity(struct weir_arguments *arguments)
{
    struct settings s = {.limit = 0};
    bool asked;
    const struct weir_option options[] = {
        WEIR_EXPLORE_JSON(s.common),
        WEIR_EXPLORE_CSV(s.common),
        WEIR_EXPLORE_SVG(s.common),
        WEIR_EXPLORE_THREADS(s.common),
        LIMIT(s),
        {.name = "sensitivity", .kind = WEIR_OPTION_FLAG, .value = &asked},
        {.name = "by", .kind = WEIR_OPTION_NUMBER, .value = &s.percent, .low = 1, .high = 100},
        {.name = "steps", .kind = WEIR_OPTION_NUMBER, .value = &s.steps, .low = 1, .high = 1000},
    };
    return run(arguments, &s, options, sizeof options / sizeof *options, study_sensitivity);
}

static enum weir_exit run_scale(struct weir_arguments *arguments)
{
    struct settings s = {.limit = 0};
    bool asked;
    const struct weir_option options[] = {
        WEIR_EXPLORE_JSON(s.common), LIMIT(s), {.name = "scale", .kind = WEIR_OPTION_FLAG, .value = &asked}};
    return run(arguments, &s, options, sizeof options / sizeof *options, study_scale);
}

static enum weir_exit run_period(struct weir_arguments *arguments)
{
    struct settings s = {.limit = 0};
    bool asked;
    const struct weir_option options[] = {
        WEIR_EXPLORE_OUTPUT(s.common),
        WEIR_EXPLORE_JSON(s.common),
        LIMIT(s),
        {.name = "assign-period", .kind = WEIR_OPTION_FLAG, .value = &asked},
        {.name = "source", .kind = WEIR_OPTION_TEXT, .value = &s.source},
    };
    return run(arguments, &s, options, sizeof options / sizeof *options, study_periods);
}

static const char *const sensitivity_names[] = {"sensitivity", NULL}, *const scale_names[] = {"scale", NULL},
                         *const period_names[] = {"assign-period", NULL};
const struct weir_explore_mode weir_mode_sensitivity = {sensitivity_names, sensitivity_help, run_sensitivity};
const struct weir_explore_mode weir_mode_scale = {scale_names, scale_help, run_scale};
const struct weir_explore_mode weir_mode_period = {period_names, period_help, run_period};
