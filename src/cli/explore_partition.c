/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --partition-sms: how to divide the SMs of a GPU among operators. */
#include "explore_what_if.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "  --partition-sms N  divide the N SMs of a GPU among operators: the least worst case, and a proof that there is none\n"
    "                     better (a model on threads of its own)\n"
    "    --profile FILE     what each of them takes on how many SMs: CSV with columns operator, sms, time and, if known, best\n"
    "    --share            operators may share a partition, and wait for each other there\n"
    "    -o OUT, --csv FILE, --threads N, --json\n";

struct settings {
    struct weir_explore_common common;
    uint64_t sms;
    const char *profile;
    bool share;
};

struct finding {
    const struct settings *settings;
    const struct weir_pipeline *model;
    const struct weir_profiles *profiles;
    const struct weir_partition *partition;
    const struct weir_verdicts *before, *after;
    const char *title;
};

static const char *name_of(const struct finding *f, size_t profile)
{
    return weir_pipeline_operator(f->model, f->profiles->items[profile].op).name;
}

/* ---- for people ---- */

static void print_shares(const struct finding *f)
{
    char best[WEIR_TIME_TEXT], amount[WEIR_AMOUNT_TEXT];
    printf("\n  ");
    weir_print_padded("operator", 30);
    printf("  partition   SMs  time\n");
    for (size_t i = 0; i < f->profiles->count; i++) {
        const struct weir_partition_share *s = &f->partition->shares[i];
        fputs("  ", stdout);
        weir_print_padded(name_of(f, i), 30);
        printf("  %9u  %4u  ", s->part + 1, s->sms);
        if (s->best == s->worst)
            printf("%s\n", weir_signed_amount(f->model, (struct weir_ratio){s->worst, 1}, amount));
        else
            printf("%s to %s\n", weir_time_format(f->model, s->best, best),
                   weir_signed_amount(f->model, (struct weir_ratio){s->worst, 1}, amount));
    }
}

static void print_latencies(const struct finding *f)
{
    printf("\n  ");
    weir_print_padded("latency, at most", 30);
    printf("  %-14s  %s\n", "as modelled", "divided so");
    for (size_t i = 0; i < f->after->latency_count; i++) {
        const struct weir_verdict_latency *l = &f->after->latencies[i];
        const struct weir_verdict_latency *b = weir_verdict_same(f->before, f->after->pipeline, l);
        char title[256], before[WEIR_AMOUNT_TEXT], after[WEIR_AMOUNT_TEXT], deadline[WEIR_AMOUNT_TEXT];
        fputs("  ", stdout);
        weir_print_padded(weir_verdict_title(f->after->pipeline, l, title, sizeof title), 30);
        printf("  %-14s  %s", b ? weir_verdict_format(f->model, b, before) : "", weir_verdict_format(f->model, l, after));
        if (l->has_deadline)
            printf("  %s %s", l->met ? "within" : "beyond",
                   weir_signed_amount(f->model, (struct weir_ratio){l->deadline, 1}, deadline));
        fputc('\n', stdout);
    }
}

static void print_proof(const struct finding *f)
{
    const struct weir_partition *p = f->partition;
    char gap[WEIR_AMOUNT_TEXT], lower[WEIR_AMOUNT_TEXT];
    if (p->complete)
        printf("\nNo division is better.\n");
    else if (p->lower.unbounded < p->score.unbounded || p->lower.missed < p->score.missed)
        printf("\nInterrupted: the best so far; one that misses fewer deadlines is not ruled out.\n");
    else
        printf("\nInterrupted: the best so far. None has less than %s in all, %s below it.\n",
               weir_signed_amount(f->model, (struct weir_ratio){p->lower.total, 1}, lower),
               weir_signed_amount(f->model, (struct weir_ratio){p->score.total - p->lower.total, 1}, gap));
}

static void print(const struct finding *f)
{
    const struct weir_style *style = weir_style_of(stdout);
    printf("%s%s%s: %u of %u SMs in %u partition%s\n", style->bold, f->title, style->plain, f->partition->sms,
           (unsigned)f->settings->sms, f->partition->part_count, f->partition->part_count == 1 ? "" : "s");
    print_shares(f);
    print_latencies(f);
    print_proof(f);
}

/* ---- for programs ---- */

static void print_json(const struct finding *f)
{
    const struct weir_partition *p = f->partition;
    char best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, f->title);
    printf(",\n  \"unit\": \"%s\",\n  \"goal\": \"partition-sms\",\n  \"sms\": %u,\n  \"complete\": %s,\n",
           weir_unit_name(weir_pipeline_unit(f->model)), (unsigned)f->settings->sms, p->complete ? "true" : "false");
    if (!p->pipeline) {
        puts("  \"partition\": null\n}");
        return;
    }
    printf("  \"used\": %u,\n  \"partitions\": %u,\n  \"total\": %s,\n  \"total_least\": %s,\n  \"partition\": [", p->sms,
           p->part_count, weir_time_format(f->model, p->score.total, worst), weir_time_format(f->model, p->lower.total, best));
    for (size_t i = 0; i < f->profiles->count; i++) {
        const struct weir_partition_share *s = &p->shares[i];
        printf("%s\n    {\"operator\": ", i ? "," : "");
        weir_print_json_text(stdout, name_of(f, i));
        printf(", \"partition\": %u, \"sms\": %u, \"best\": %s, \"worst\": %s}", s->part + 1, s->sms,
               weir_time_format(f->model, s->best, best), weir_time_format(f->model, s->worst, worst));
    }
    fputs("\n  ],\n", stdout);
    weir_verdicts_print_json(f->before, "before");
    fputs(",\n", stdout);
    weir_verdicts_print_json(f->after, "after");
    fputs("\n}\n", stdout);
}

static enum weir_status write_csv(const void *context, FILE *out, struct weir_error *error)
{
    (void)error;
    const struct finding *f = context;
    char best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
    fprintf(out, "operator,partition,sms,best,time\n");
    for (size_t i = 0; i < f->profiles->count; i++) {
        const struct weir_partition_share *s = &f->partition->shares[i];
        weir_print_csv_text(out, name_of(f, i));
        fprintf(out, ",%u,%u,%s,%s\n", s->part + 1, s->sms, weir_time_format(f->model, s->best, best),
                weir_time_format(f->model, s->worst, worst));
    }
    return WEIR_OK;
}

/* ---- */

static enum weir_exit show(struct finding *f)
{
    struct weir_verdict_options brief = {.brief = true};
    struct weir_verdicts *before = NULL, *after = NULL;
    struct weir_error error = {0};
    const struct weir_explore_common *common = &f->settings->common;
    enum weir_exit result = WEIR_EXIT_OK;
    if (weir_verdict_find(f->model, &brief, &before, &error) || weir_verdict_find(f->partition->pipeline, &brief, &after, &error))
        result = weir_complain_error(common->path, &error);
    f->before = before;
    f->after = after;
    if (result == WEIR_EXIT_OK && common->out)
        result = weir_explore_write_model(common, f->partition->pipeline);
    if (result == WEIR_EXIT_OK && common->csv)
        result = weir_explore_write(common->csv, f->title, write_csv, f);
    if (result == WEIR_EXIT_OK && before && after) {
        (common->json ? print_json : print)(f);
        result = weir_verdicts_exit(after);
    }
    weir_verdicts_free(before);
    weir_verdicts_free(after);
    return result;
}

static enum weir_exit divide(const struct settings *s, const struct weir_pipeline *model, const struct weir_profiles *profiles)
{
    struct weir_progress progress = {.what = weir_model_title(model, s->common.path)};
    struct weir_partition_options options = {.sms = (uint32_t)s->sms,
                                             .profiles = profiles->items,
                                             .profile_count = profiles->count,
                                             .share = s->share,
                                             .threads = (unsigned)s->common.threads,
                                             .stop = weir_interrupts_begin(),
                                             .progress = weir_progress_show,
                                             .context = &progress};
    struct weir_partition *partition = NULL;
    struct weir_error error = {0};
    enum weir_status status = weir_partition_find(model, &options, &partition, &error);
    weir_interrupts_end();
    weir_progress_end(&progress);
    if (status)
        return weir_complain_error(s->common.path, &error);
    struct finding finding = {.settings = s, .model = model, .profiles = profiles, .partition = partition, .title = progress.what};
    enum weir_exit result = WEIR_EXIT_MISSED;
    if (partition->pipeline)
        result = show(&finding);
    else if (s->common.json)
        print_json(&finding);
    else
        printf("%s: %s\n", finding.title,
               partition->complete ? "the SMs are too few for any division" : "interrupted before a division was found");
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
        {.name = "profile", .kind = WEIR_OPTION_TEXT, .value = &s.profile},
        {.name = "share", .kind = WEIR_OPTION_FLAG, .value = &s.share},
    };
    struct weir_pipeline *model = NULL;
    struct weir_profiles *profiles = NULL;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK && !s.profile)
        result = weir_complain_usage(arguments->verb, "--partition-sms needs --profile FILE: what operators take on how many SMs");
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s.common.path, NULL, &model);
    if (result == WEIR_EXIT_OK) {
        struct weir_errors *errors = weir_errors_new();
        enum weir_status status = errors ? weir_profiles_read(s.profile, model, &profiles, errors) : WEIR_MEMORY;
        if (status)
            result = weir_complain_errors(errors, status);
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
