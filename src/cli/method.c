/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze --method: which one, and the options that go with it. */
#include "method.h"

#include <string.h>

#define THREAD_METHODS "exact, tgdfs, rtss24, statespace and smt"
#define PRIORITY_METHODS "best, PJ0, PJ, PJ+iBS, EI, EI+iBS, EIC and CIX"
#define GPU_METHODS "best, safe, paper, greedy, greedy-unaware, graham and all"

static enum weir_exit complain_unknown(const struct weir_verb *verb, const char *name)
{
    const char *names[(size_t)WEIR_METHODS + (size_t)WEIR_PRIORITY_METHODS + (size_t)WEIR_GPU_METHODS + 1];
    size_t count = 0;
    for (int i = 0; i < WEIR_METHODS; i++)
        names[count++] = weir_method_name((enum weir_method)i);
    for (int i = 0; i < WEIR_PRIORITY_METHODS; i++)
        names[count++] = weir_priority_method_name((enum weir_priority_method)i);
    for (int i = 0; i < WEIR_GPU_METHODS; i++)
        names[count++] = weir_gpu_method_name((enum weir_gpu_method)i);
    names[count++] = "all";
    const char *nearest = weir_nearest(name, names, count);
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
    if (s->megabytes && !searches && s->method != WEIR_METHOD_EXACT)
        return weir_complain_usage(verb, "--memory goes with --method exact, tgdfs or statespace");
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
