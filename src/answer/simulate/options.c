/* SPDX-License-Identifier: Apache-2.0 */
/* Which options of a simulation go with which engine, and what their words are. */
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "base/word.h"
#include "model/pipeline.h"

#include <string.h>

const char *const weir_times_names[4] = {"random", "best", "worst", "bang-bang"};
const char *const weir_releases_names[6] = {"nominal", "late", "random", "extreme", "burst", "quiet"};
const char *const weir_gpu_dispatch_names[WEIR_GPU_DISPATCHES] = {"gang", "fifo", "interleaved"};

enum { GPU_RUNS_MAX = 10000000 };

static enum weir_status check_name(const char *option, const char *name, const char *const *names, size_t count,
                                   struct weir_error *error)
{
    char list[160] = "";
    size_t used = 0;
    if (!name || weir_word_find(names, count, name) < count)
        return WEIR_OK;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
    const char *nearest = weir_suggest(name, names, count);
    return weir_fail(error, WEIR_INVALID, "%s: expected %s, not '%.60s'%s%s%s", option, list, name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static enum weir_status check_names(const struct weir_simulate_options *o, struct weir_error *error)
{
    const char *methods[WEIR_GPU_METHODS];
    for (int i = 0; i < WEIR_GPU_METHODS; i++)
        methods[i] = weir_gpu_method_name((enum weir_gpu_method)i);
    enum weir_status status = check_name("times", o->times, weir_times_names, 4, error);
    if (!status)
        status = check_name("releases", o->releases, weir_releases_names, 6, error);
    if (!status)
        status = check_name("method", o->method, methods, WEIR_GPU_METHODS, error);
    return status ? status : check_name("dispatch", o->dispatch, weir_gpu_dispatch_names, WEIR_GPU_DISPATCHES, error);
}

static enum weir_status check_values(const char *engine, const struct weir_simulate_options *o, struct weir_error *error)
{
    bool best = o->times && strcmp(o->times, "best") == 0, worst = !o->times || strcmp(o->times, "worst") == 0;
    if (o->runs < 0 || o->iterations < 0)
        return weir_fail(error, WEIR_INVALID, "%s: not negative", o->runs < 0 ? "runs" : "iterations");
    if (o->given && !best && !worst)
        return weir_fail(error, WEIR_INVALID, "times: with given times, best or worst, for the times that are not given");
    if (o->given && o->runs > 1)
        return weir_fail(error, WEIR_INVALID, "runs: with given times there is one run: all would be the same");
    if (strcmp(engine, "gpu") == 0 && best)
        return weir_fail(error, WEIR_INVALID, "times: kernels may end at once; there are random, worst and bang-bang");
    if (strcmp(engine, "gpu") == 0 && o->runs > GPU_RUNS_MAX)
        return weir_fail(error, WEIR_INVALID, "runs: of kernels on a GPU at most %d", GPU_RUNS_MAX);
    size_t releases = o->releases ? weir_word_find(weir_releases_names, 6, o->releases) : WEIR_RELEASES_NOMINAL;
    if (strcmp(engine, "global-edf") == 0 && releases != WEIR_RELEASES_NOMINAL && releases != WEIR_RELEASES_RANDOM &&
        releases != WEIR_RELEASES_EXTREME)
        return weir_fail(error, WEIR_INVALID, "releases: for a pool of cores there are nominal, random and extreme");
    return WEIR_OK;
}

enum weir_status weir_simulate_check(const struct weir_pipeline *pipeline, const struct weir_simulate_options *options,
                                     struct weir_error *error)
{
    const struct weir_simulate_options *o = options;
    const struct {
        const char *option;
        bool given;
        const char *engines, *meant;
    } rules[] = {
        {"releases", o->releases, "fixed-priority global-edf", "shared processors and a pool of cores"},
        {"search", o->search || o->no_search, "fixed-priority", "shared processors"},
        {"cores", o->cores, "global-edf", "a pool of cores"},
        {"method", o->method, "gpu", "graphs of kernels on a GPU"},
        {"dispatch", o->dispatch, "gpu", "graphs of kernels on a GPU"},
        {"sms", o->sms, "gpu", "graphs of kernels on a GPU"},
        {"iterations", o->iterations, "exact sampling workers fixed-priority global-edf",
         "pipelines, since a graph of kernels runs once"},
        {"times-file", o->given, "exact sampling workers fixed-priority", "operators with threads or shared processors"},
        {"trace", o->first, "exact sampling", "a thread per operator"},
        {"log", o->observe, "exact sampling workers", "operators with threads"},
    };
    const char *engine = weir_engine_of(pipeline);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !strstr(rules[i].engines, engine))
            return weir_fail(error, WEIR_INVALID, "%s: the option is for %s; the engine of this model is %s", rules[i].option,
                             rules[i].meant, engine);
    enum weir_status status = check_names(o, error);
    return status ? status : check_values(engine, o, error);
}
