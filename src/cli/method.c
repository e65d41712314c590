/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze --method: asks a published analysis, and the exact engine the same question. */
#include "method.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- options ---- */

#define THREAD_METHODS "exact, tgdfs, rtss24, statespace and smt"
#define PRIORITY_METHODS "best, PJ0, PJ, PJ+iBS, EI, EI+iBS, EIC and CIX"
#define GPU_METHODS "best, safe, paper, greedy, greedy-unaware, graham and all"

static enum weir_exit complain_unknown(const struct weir_verb *verb, const char *name)
{
    const char *names[WEIR_METHODS + WEIR_PRIORITY_METHODS + WEIR_GPU_METHODS + 1];
    for (int i = 0; i < WEIR_METHODS; i++)
        names[i] = weir_method_name((enum weir_method)i);
    for (int i = 0; i < WEIR_PRIORITY_METHODS; i++)
        names[WEIR_METHODS + i] = weir_priority_method_name((enum weir_priority_method)i);
    for (int i = 0; i < WEIR_GPU_METHODS; i++)
        names[WEIR_METHODS + WEIR_PRIORITY_METHODS + i] = weir_gpu_method_name((enum weir_gpu_method)i);
    names[WEIR_METHODS + WEIR_PRIORITY_METHODS + WEIR_GPU_METHODS] = "all";
    const char *nearest = weir_nearest(name, names, sizeof names / sizeof *names);
    if (nearest)
        return weir_complain_usage(verb, "--method: unknown method '%s'; did you mean '%s'?", name, nearest);
    return weir_complain_usage(verb,
                               "--method: unknown method '%s'; there are " THREAD_METHODS
                               ", for shared processors " PRIORITY_METHODS ", and for a GPU " GPU_METHODS,
                               name);
}

static enum weir_exit check_options(const struct weir_method_settings *s, const struct weir_verb *verb)
{
    bool searches = s->method == WEIR_METHOD_TGDFS || s->method == WEIR_METHOD_STATESPACE;
    if (s->expressions && s->method != WEIR_METHOD_TGDFS)
        return weir_complain_usage(verb, "--expressions goes with --method tgdfs");
    if (s->expressions && strcmp(s->expressions, "-") == 0)
        return weir_complain_usage(verb, "--expressions: give a file; standard output is for the answer");
    if (s->horizon && s->method != WEIR_METHOD_SMT)
        return weir_complain_usage(verb, "--horizon goes with --method smt");
    if (s->megabytes && !searches)
        return weir_complain_usage(verb, "--memory goes with --method tgdfs or statespace");
    if (s->seconds && !searches && s->method != WEIR_METHOD_SMT)
        return weir_complain_usage(verb, "--seconds goes with --method tgdfs, statespace or smt");
    if (s->limit && (s->method == WEIR_METHOD_RTSS24 || s->method == WEIR_METHOD_SMT))
        return weir_complain_usage(
            verb, "--limit goes with --method exact, tgdfs or statespace, those for shared processors, and best for a GPU");
    return WEIR_EXIT_OK;
}

enum weir_exit weir_method_check(struct weir_method_settings *settings, const struct weir_verb *verb)
{
    const char *why;
    settings->method = settings->name ? WEIR_METHODS : WEIR_METHOD_EXACT;
    settings->priority = settings->name ? weir_priority_method_named(settings->name) : WEIR_PRIORITY_BEST;
    for (int i = 0; i < WEIR_METHODS; i++)
        if (settings->name && strcmp(settings->name, weir_method_name((enum weir_method)i)) == 0)
            settings->method = (enum weir_method)i;
    settings->all = settings->name && strcmp(settings->name, "all") == 0;
    settings->gpu = settings->name && !settings->all ? weir_gpu_method_named(settings->name) : WEIR_GPU_BEST;
    if (settings->method == WEIR_METHODS && settings->priority == WEIR_PRIORITY_METHODS && settings->gpu == WEIR_GPU_METHODS)
        return complain_unknown(verb, settings->name);
    enum weir_exit result = check_options(settings, verb);
    if (result == WEIR_EXIT_OK && settings->method != WEIR_METHODS && !weir_method_available(settings->method, &why)) {
        weir_complain("the method %s is not available: %s", settings->name, why);
        return WEIR_EXIT_INPUT;
    }
    return result;
}

bool weir_method_applies(const struct weir_method_settings *settings, enum weir_platform platform, struct weir_error *error)
{
    static const char *const runs[] = {"the operators of this model have a thread each",
                                       "the operators of this model share processors", "those of this model run on a pool of cores",
                                       "this model is a graph of kernels on a GPU"};
    static const char *const there[] = {"; for them there are " THREAD_METHODS, "; for them there are " PRIORITY_METHODS,
                                        ", which has one analysis: leave --method out", "; for it there are " GPU_METHODS};
    const bool applies[] = {settings->method != WEIR_METHODS, settings->priority != WEIR_PRIORITY_METHODS, !settings->name,
                            settings->gpu != WEIR_GPU_METHODS};
    if (applies[platform])
        return true;
    *error = (struct weir_error){.status = WEIR_INVALID};
    snprintf(error->message, sizeof error->message, "the method %s is for %s, and %s%s", settings->name,
             settings->method != WEIR_METHODS              ? "operators with a thread each"
             : settings->priority == WEIR_PRIORITY_METHODS ? "kernels on a GPU"
             : settings->gpu != WEIR_GPU_METHODS           ? "operators that share processors or kernels on a GPU"
                                                           : "operators that share processors",
             runs[platform], there[platform]);
    return false;
}

/* ---- asking ---- */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static enum weir_status ask_method(const struct weir_comparison *c, uint32_t pair, FILE *expressions, struct weir_error *error)
{
    const struct weir_method_settings *s = c->settings;
    struct weir_comparison_row *row = &c->rows[pair];
    struct weir_progress progress = {.what = c->title};
    struct weir_method_options options = {.limit = s->limit,
                                          .bytes = s->megabytes << 20,
                                          .horizon = (uint32_t)s->horizon,
                                          .seconds = (uint32_t)s->seconds,
                                          .expressions = expressions,
                                          .progress = weir_progress_show,
                                          .context = &progress};
    int64_t begun = now_ns();
    enum weir_status status = weir_method_run(c->pipeline, s->method, pair, &options, &row->result, error);
    row->method_ns = now_ns() - begun;
    weir_progress_end(&progress);
    return status;
}

enum weir_since weir_comparison_since(const struct weir_comparison *c, uint32_t pair)
{
    uint32_t from = weir_pipeline_pair(c->pipeline, pair).from.index;
    if (c->settings->method == WEIR_METHOD_RTSS24 && c->rows[pair].result.applicable)
        return WEIR_SINCE_QUEUE;
    for (uint32_t i = 0; i < weir_pipeline_source_count(c->pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(c->pipeline, i);
        if (source.op.index == from && source.arrivals == WEIR_ARRIVALS_EXACT)
            return WEIR_SINCE_ARRIVAL;
    }
    return WEIR_SINCE_START;
}

/* The source's queue, of 1, is entered when the source starts one iteration earlier. */
static enum weir_status ask_exact(const struct weir_comparison *c, uint32_t index, struct weir_error *error)
{
    struct weir_comparison_row *row = &c->rows[index];
    struct weir_pair_spec pair = weir_pipeline_pair(c->pipeline, index);
    enum weir_since since = weir_comparison_since(c, index);
    struct weir_query query = {.from = {pair.from, since == WEIR_SINCE_ARRIVAL ? WEIR_ARRIVAL : WEIR_START, 0},
                               .to = {.op = pair.to, .moment = WEIR_FINISH},
                               .shift = pair.shift + (since == WEIR_SINCE_QUEUE)};
    int64_t begun = now_ns();
    struct weir_solver *solver = weir_solver_new(c->pipeline, error);
    enum weir_status status = solver ? weir_separation_worst(solver, &query, &row->exact, error) : WEIR_MEMORY;
    weir_solver_free(solver);
    row->exact_ns = now_ns() - begun;
    return status;
}

/* What a method promises must be so; a finite horizon cannot exceed what no execution does. */
static bool agrees(const struct weir_comparison *c, const struct weir_comparison_row *row)
{
    const struct weir_method_result *r = &row->result;
    if (!r->applicable || row->exact.outcome != WEIR_EXACT)
        return true;
    int64_t truth = row->exact.value;
    if (r->outcome == WEIR_BRACKET)
        return r->lower <= truth && (!r->safe || truth <= r->upper);
    if (r->outcome != WEIR_EXACT)
        return c->settings->method == WEIR_METHOD_SMT;
    return (!r->safe || r->value >= truth) && (!r->exact || r->value == truth) &&
           (c->settings->method != WEIR_METHOD_SMT || r->value <= truth);
}

static enum weir_exit exit_of(const struct weir_method_result *result)
{
    if (!result->applicable)
        return WEIR_EXIT_INPUT;
    return result->outcome == WEIR_BRACKET ? WEIR_EXIT_BRACKET : result->outcome == WEIR_NO_BOUND ? WEIR_EXIT_MISSED : WEIR_EXIT_OK;
}

static enum weir_status ask_all(struct weir_comparison *c, FILE *expressions, enum weir_exit *result, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; !status && i < c->count; i++) {
        status = ask_method(c, i, expressions, error);
        if (!status)
            status = ask_exact(c, i, error);
        if (!status && !agrees(c, &c->rows[i])) {
            struct weir_pair_spec pair = weir_pipeline_pair(c->pipeline, i);
            error->status = status = WEIR_INTERNAL;
            snprintf(error->message, sizeof error->message, "%.100s -> %.100s: the method %s contradicts the exact analysis",
                     weir_pipeline_operator(c->pipeline, pair.from).name, weir_pipeline_operator(c->pipeline, pair.to).name,
                     c->settings->name);
        }
        *result = weir_exit_worse(*result, exit_of(&c->rows[i].result));
    }
    return status;
}

enum weir_status weir_comparison_run(struct weir_comparison *c, enum weir_exit *result, struct weir_error *error)
{
    const char *path = c->settings->expressions;
    struct weir_output output = {0};
    *result = WEIR_EXIT_OK;
    c->count = weir_pipeline_pair_count(c->pipeline);
    c->rows = calloc(c->count ? c->count : 1, sizeof *c->rows);
    if (!c->rows) {
        error->status = WEIR_MEMORY;
        snprintf(error->message, sizeof error->message, "out of memory");
        return WEIR_MEMORY;
    }
    if (path && (*result = weir_output_open(&output, path)) != WEIR_EXIT_OK)
        return WEIR_OK;
    enum weir_status status = ask_all(c, output.file, result, error);
    c->answered = status == WEIR_OK;
    if (!path)
        return status;
    bool whole = c->answered && *result == WEIR_EXIT_OK;
    if (c->answered && !whole)
        weir_complain("%s is not written: not all expressions were made", path);
    *result = weir_exit_worse(*result, weir_output_close(&output, whole || status == WEIR_IO));
    return status == WEIR_IO ? WEIR_OK : status; /* closing the file tells what it did not take */
}

void weir_comparison_free(struct weir_comparison *comparison)
{
    free(comparison->rows);
}
