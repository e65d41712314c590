/* SPDX-License-Identifier: Apache-2.0 */
/* weir generate priority: random systems on shared processors, and those of the execution-interval paper. */
#include "generate.h"

/* ---- systems of the paper ---- */

static bool parse_time(const struct weir_generate_request *request, const struct weir_pipeline *pipeline, const char *name,
                       int64_t *ticks)
{
    struct weir_error error = {0};
    bool period = *name == 'p';
    const char *text = period ? request->period : request->jitter;
    if (!text)
        return true;
    bool good = weir_time_parse(pipeline, text, ticks, &error) == WEIR_OK;
    if (!good)
        weir_complain_usage(request->verb, "--%s: %s", name, error.message);
    else if (*ticks < 0 || (period && *ticks == 0))
        weir_complain_usage(request->verb, "--%s: expected a time that is %s, not '%s'", name,
                            period ? "longer than 0" : "not negative", text);
    return good && *ticks >= (period ? 1 : 0);
}

/* The same system with another source. */
static enum weir_exit change_sources(const struct weir_pipeline *system, int64_t period, int64_t jitter,
                                     struct weir_pipeline **pipeline)
{
    struct weir_error error = {0};
    struct weir_pipeline *copy = weir_pipeline_copy(system, &error);
    enum weir_status status = copy ? WEIR_OK : error.status;
    for (uint32_t i = 0; i < weir_pipeline_source_count(system) && !status; i++) {
        struct weir_source_spec source = weir_pipeline_source(system, i);
        source.period = period;
        source.jitter = jitter;
        status = weir_pipeline_change_source(copy, i, &source, &error);
    }
    if (status) {
        weir_pipeline_free(copy);
        return weir_complain_error(NULL, &error);
    }
    struct weir_errors *errors = weir_errors_new();
    status = weir_pipeline_seal(copy, NULL, errors);
    enum weir_exit result = status ? weir_complain_errors(errors, status) : WEIR_EXIT_OK;
    weir_errors_free(errors);
    if (status)
        weir_pipeline_free(copy);
    else
        *pipeline = copy;
    return result;
}

static enum weir_exit make_system(const struct weir_generate_request *r, struct weir_pipeline **pipeline)
{
    struct weir_pipeline *system = NULL;
    struct weir_error error = {0};
    if (r->graphs || r->tasks || r->processors || r->load || r->best || r->cyclic || r->sporadic || r->mixed || r->sized)
        return weir_complain_usage(r->verb, "--system goes with --period and --jitter alone: nothing else is random about it");
    enum weir_status status = weir_generate_priority_system(r->system, 0, 0, &system, &error);
    if (status == WEIR_INVALID)
        return weir_complain_usage(r->verb, "--system: %s", error.message);
    if (status)
        return weir_complain_error(NULL, &error);
    struct weir_source_spec source = weir_pipeline_source(system, 0);
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (parse_time(r, system, "period", &source.period) && parse_time(r, system, "jitter", &source.jitter))
        result = change_sources(system, source.period, source.jitter, pipeline);
    weir_pipeline_free(system);
    return result;
}

/* ---- random ones ---- */

static enum weir_exit make_random(const struct weir_generate_request *r, struct weir_pipeline **pipeline)
{
    struct weir_generate_priority_options options = {.seed = r->seed,
                                                     .graphs = r->graphs ? (uint32_t)r->graphs : 1,
                                                     .tasks = r->tasks ? (uint32_t)r->tasks : 8,
                                                     .processors = r->processors ? (uint32_t)r->processors : 3,
                                                     .load_permille = 600,
                                                     .best_permille = 500,
                                                     .cyclic = r->cyclic,
                                                     .sporadic = r->sporadic,
                                                     .mixed = r->mixed,
                                                     .sized = r->sized};
    struct weir_error error = {0};
    if (r->period)
        return weir_complain_usage(r->verb, "--period goes with --system; the periods of random systems are random");
    if (r->load && (!weir_permille_parse(r->load, 999, &options.load_permille) || options.load_permille == 0))
        return weir_complain_usage(r->verb, "--load: expected a number from 0.001 to 0.999 such as 0.6, not '%s'", r->load);
    if (r->best && !weir_permille_parse(r->best, 1000, &options.best_permille))
        return weir_complain_usage(r->verb, "--best: expected a number from 0 to 1 such as 0.5, not '%s'", r->best);
    if (r->jitter && !weir_permille_parse(r->jitter, 1000000, &options.jitter_permille))
        return weir_complain_usage(r->verb, "--jitter: expected a number of periods from 0 to 1000 such as 1.5, not '%s'",
                                   r->jitter);
    if (weir_generate_priority(&options, pipeline, &error) == WEIR_OK)
        return WEIR_EXIT_OK;
    return error.status == WEIR_INVALID ? weir_complain_usage(r->verb, "%s", error.message) : weir_complain_error(NULL, &error);
}

enum weir_exit weir_generate_priority_model(const struct weir_generate_request *request, struct weir_pipeline **pipeline)
{
    return request->system ? make_system(request, pipeline) : make_random(request, pipeline);
}
