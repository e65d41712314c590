/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --batch: how many executions an operator should do at once. */
#include "explore.h"

#include <string.h>

/* ---- options ---- */

/* A decimal number, "1.25", as a ratio; at most 9 digits before and behind the point. */
static bool parse_decimal(const char *text, struct weir_ratio *value)
{
    int64_t number = 0, parts = 1;
    int before = 0, behind = 0;
    for (; *text >= '0' && *text <= '9' && before < 10; text++, before++)
        number = 10 * number + (*text - '0');
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9' && behind < 10; text++, behind++) {
            number = 10 * number + (*text - '0');
            parts *= 10;
        }
    *value = (struct weir_ratio){number, parts};
    return !*text && before + behind > 0 && before < 10 && behind < 10;
}

static const char *const kinds[] = {"uniform", "rate", "edge"};

static bool parse_kind(const char *text, enum weir_batching *batching)
{
    for (unsigned i = 0; i <= WEIR_BATCH_EDGE; i++)
        if (strcmp(text, kinds[i]) == 0) {
            *batching = (enum weir_batching)i;
            return true;
        }
    return false;
}

enum weir_exit weir_batch_check(const struct weir_batch_settings *s)
{
    enum weir_batching batching;
    struct weir_ratio value;
    if (!parse_kind(s->batching, &batching)) {
        const char *nearest = weir_nearest(s->batching, kinds, 3);
        return weir_complain_usage(&weir_verb_explore, "--batch: expected uniform, rate or edge, not '%s'%s%s%s", s->batching,
                                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    if (s->utilization && (!parse_decimal(s->utilization, &value) || value.numerator == 0))
        return weir_complain_usage(&weir_verb_explore, "--utilization takes a number of cores above 0 such as 1.5, not '%s'",
                                   s->utilization);
    if (s->merged_init && (!parse_decimal(s->merged_init, &value) || value.numerator > 100 * value.denominator))
        return weir_complain_usage(&weir_verb_explore, "--merged-init takes a number from 0 to 100 such as 0.25, not '%s'",
                                   s->merged_init);
    if (s->merged_init && !s->merge)
        return weir_complain_usage(&weir_verb_explore, "--merged-init goes with --merge only");
    return WEIR_EXIT_OK;
}

/* ---- one model ---- */

static enum weir_exit make_options(const struct weir_batch_settings *s, const struct weir_pipeline *model,
                                   struct weir_batch_options *options)
{
    struct weir_ratio factor = {1, 1};
    *options = (struct weir_batch_options){.cores = (uint32_t)s->cores, .factor_max = (int64_t)s->factor_max, .merge = s->merge};
    parse_kind(s->batching, &options->batching);
    if (s->utilization)
        parse_decimal(s->utilization, &options->utilization);
    if (s->merged_init)
        parse_decimal(s->merged_init, &factor);
    options->merged_init_permille = (uint32_t)((factor.numerator * 1000 + factor.denominator - 1) / factor.denominator);
    return weir_explore_time(model, "within", s->within, &options->within);
}

enum weir_exit weir_batch_run(const struct weir_explore_common *common, const struct weir_batch_settings *s,
                              const struct weir_pipeline *model)
{
    struct weir_progress progress = {.what = weir_model_title(model, common->path)};
    struct weir_batch_options options;
    struct weir_batch_exploration *exploration = NULL;
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    if (weir_pipeline_platform(model) != WEIR_PLATFORM_CORES)
        return weir_complain_usage(&weir_verb_explore, "--batch: %s has no pool of cores; batches are for flows on one",
                                   common->path);
    enum weir_exit result = make_options(s, model, &options);
    if (result != WEIR_EXIT_OK)
        return result;
    options.progress = weir_progress_show;
    options.context = &progress;
    options.stop = weir_interrupts_begin();
    enum weir_status status = weir_batch_explore(model, &options, &exploration, &error);
    weir_interrupts_end();
    weir_progress_end(&progress);
    if (!status)
        status = weir_batch_answer(model, &options, exploration, s->verify, &answer, &error);
    result = weir_explore_tell(common, status, &error,
                               (struct weir_explored){answer, progress.what, exploration ? exploration->pipeline : NULL});
    weir_batch_exploration_free(exploration);
    return result;
}
