/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --partition-sms: how to divide the SMs of a GPU among operators. */
#include "explore.h"

static const char help[] =
    "  --partition-sms N  divide the N SMs of a GPU among operators: the least worst case, and a proof that there is none\n"
    "                     better (a model on threads of its own)\n"
    "    --profile FILE     how long each takes on how many SMs: CSV with columns operator, sms, time and, if known, best\n"
    "    --sm-step N        SMs in multiples of N, as green contexts need: 8, or 2 before compute capability 9.0\n"
    "    --share            operators may share a partition, and wait for each other there\n"
    "    -o OUT, --csv FILE, --threads N, --json\n";

struct settings {
    struct weir_explore_common common;
    uint64_t sms, step;
    const char *profile;
    bool share;
};

static enum weir_exit divide(const struct settings *s, const struct weir_pipeline *model, const struct weir_profiles *profiles)
{
    struct weir_progress progress = {.what = weir_model_title(model, s->common.path)};
    struct weir_partition_options options = {.sms = (uint32_t)s->sms,
                                             .step = (uint32_t)s->step,
                                             .profiles = profiles->items,
                                             .profile_count = profiles->count,
                                             .share = s->share,
                                             .threads = (unsigned)s->common.threads,
                                             .stop = weir_interrupts_begin(),
                                             .progress = weir_progress_show,
                                             .context = &progress};
    struct weir_partition *partition = NULL;
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    enum weir_status status = weir_partition_find(model, &options, &partition, &error);
    weir_interrupts_end();
    weir_progress_end(&progress);
    if (!status)
        status = weir_partition_answer(model, &options, partition, &answer, &error);
    enum weir_exit result = weir_explore_tell(
        &s->common, status, &error, (struct weir_explored){answer, progress.what, partition ? partition->pipeline : NULL});
    weir_partition_free(partition);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.sms = 0};
    const struct weir_option options[] = {
        WEIR_EXPLORE_OUTPUT(s.common),
        WEIR_EXPLORE_CSV(s.common),
        WEIR_EXPLORE_JSON(s.common),
        WEIR_EXPLORE_THREADS(s.common),
        {.name = "partition-sms", .kind = WEIR_OPTION_NUMBER, .value = &s.sms, .low = 1, .high = 1000000},
        {.name = "sm-step", .kind = WEIR_OPTION_NUMBER, .value = &s.step, .low = 1, .high = 1000000},
        {.name = "profile", .kind = WEIR_OPTION_TEXT, .value = &s.profile},
        {.name = "share", .kind = WEIR_OPTION_FLAG, .value = &s.share},
    };
    struct weir_pipeline *model = NULL;
    struct weir_profiles *profiles = NULL;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK && !s.profile)
        result =
            weir_complain_usage(arguments->verb, "--partition-sms needs --profile FILE: how long operators take on how many SMs");
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s.common.path, NULL, &model);
    if (result == WEIR_EXIT_OK) {
        struct weir_errors *errors = weir_errors_new();
        enum weir_status status = errors ? weir_profiles_read(s.profile, model, &profiles, errors) : WEIR_MEMORY;
        result = status ? weir_complain_errors(errors, status) : WEIR_EXIT_OK;
        weir_errors_free(errors);
    }
    if (result == WEIR_EXIT_OK && profiles)
        result = divide(&s, model, profiles);
    weir_profiles_free(profiles);
    weir_pipeline_free(model);
    return result;
}

static const char *const names[] = {"partition-sms", NULL};
const struct weir_explore_mode weir_mode_partition = {names, help, run};
