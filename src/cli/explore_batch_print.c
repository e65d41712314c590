/* SPDX-License-Identifier: Apache-2.0 */
/* What `weir explore --batch` says: the best batch, a table of many, what was merged. */
#include "analyze.h"
#include "explore.h"

#include <string.h>

enum { SHOWN_DIGITS = 4, WHOLE_DIGITS = 12 };

static const char *name_of(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    return weir_pipeline_operator(pipeline, op).name;
}

/* ---- the verdict ---- */

static void print_limits(const struct weir_batch_findings *f)
{
    char number[WEIR_NUMBER_TEXT];
    uint32_t deadlines = 0;
    const char *between = "  limits: ";
    for (uint32_t i = 0; i < weir_pipeline_pair_count(f->model); i++)
        deadlines += weir_pipeline_pair(f->model, i).has_deadline;
    if (f->options->utilization.denominator) {
        printf("%sutilization %s", between, weir_ratio_format(f->options->utilization, 0, SHOWN_DIGITS, number));
        between = ", ";
    }
    if (f->options->within) {
        printf("%slatency %s", between, weir_amount_format(f->model, f->options->within, number));
        between = ", ";
    }
    if (deadlines) {
        printf("%s%u deadline%s", between, deadlines, deadlines == 1 ? "" : "s");
        between = ", ";
    }
    if (strcmp(between, ", ") == 0)
        fputc('\n', stdout);
}

static void print_samples(const struct weir_batch_findings *f, int64_t factor)
{
    char count[WEIR_COUNT_TEXT];
    if (f->samples)
        printf(", %s sample%s at a time", weir_count_format(f->samples * factor, count), f->samples * factor == 1 ? "" : "s");
}

static void print_first_line(const struct weir_batch_findings *f)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_batch_exploration *e = f->exploration;
    char latency[WEIR_NUMBER_TEXT], load[WEIR_NUMBER_TEXT], count[WEIR_COUNT_TEXT];
    printf("%s%s%s: ", style->bold, f->title, style->plain);
    if (e->pipeline) {
        printf("%s%s batches, factor %s%s", style->good, weir_batching_name(f->options->batching),
               weir_count_format(e->chosen.factor, count), style->plain);
        print_samples(f, e->chosen.factor);
        printf(":\n  at most %s, utilization %s of %u core%s", weir_ratio_amount(f->model, e->chosen.latency, latency),
               weir_ratio_format(e->chosen.utilization, 0, SHOWN_DIGITS, load), f->cores, f->cores == 1 ? "" : "s");
    } else if (e->interrupted) {
        printf("%sstopped%s before a batch within the limits was found", style->bad, style->plain);
    } else {
        printf("%sNO BATCH%s %s", style->bad, style->plain,
               e->smallest == e->point_count ? f->options->utilization.denominator ? "keeps the utilization" : "is schedulable"
                                             : "keeps every limit");
    }
    if (e->pipeline && e->interrupted)
        fputs("; stopped: the best so far", stdout);
    fputc('\n', stdout);
    print_limits(f);
    if (f->analysis && f->analysis->verified)
        fputs("  verified: the certificate was checked\n", stdout);
}

/* ---- the table ---- */

static void print_row(const struct weir_batch_findings *f, size_t index)
{
    const struct weir_batch_point *p = &f->exploration->points[index];
    char factor[WEIR_COUNT_TEXT], samples[WEIR_COUNT_TEXT] = "-", load[WEIR_NUMBER_TEXT], latency[WEIR_NUMBER_TEXT];
    if (f->samples)
        weir_count_format(f->samples * p->factor, samples);
    printf("  %9s  %11s  %11s  %16s", weir_count_format(p->factor, factor), samples,
           weir_ratio_format(p->utilization, 0, SHOWN_DIGITS, load), weir_ratio_amount(f->model, p->latency, latency));
    const char *remark;
    for (unsigned n = 0; (remark = weir_batch_remark(f, index, n)); n++)
        printf("%s%s", n ? ", " : "  ", remark);
    fputc('\n', stdout);
}

static void print_table(const struct weir_batch_findings *f)
{
    const struct weir_style *style = weir_style_of(stdout);
    printf("\n  %s%9s  %11s  %11s  %16s%s\n", style->dim, "factor", "samples", "utilization", "latency", style->plain);
    for (size_t i = 0; i < f->exploration->point_count; i++)
        print_row(f, i);
}

/* ---- the chosen one ---- */

static void print_latencies(const struct weir_batch_findings *f)
{
    enum { PAIRS_MAX = 12 };
    const struct weir_edf_analysis *a = f->analysis;
    char worst[WEIR_NUMBER_TEXT], deadline[WEIR_AMOUNT_TEXT];
    if (a->latency_count < 2 && !a->latencies[0].pair.has_deadline)
        return;
    puts("\nLatencies with it");
    for (size_t i = 0; i < a->latency_count && i < PAIRS_MAX; i++) {
        const struct weir_edf_latency *l = &a->latencies[i];
        printf("  %s -> %s: at most %s", name_of(a->pipeline, l->pair.from), name_of(a->pipeline, l->pair.to),
               weir_ratio_amount(a->pipeline, l->worst, worst));
        if (l->pair.has_deadline)
            printf(", deadline %s: met", weir_amount_format(a->pipeline, l->pair.deadline, deadline));
        fputc('\n', stdout);
    }
    if (a->latency_count > PAIRS_MAX)
        printf("  ... and %zu more\n", a->latency_count - PAIRS_MAX);
}

static void print_merges(const struct weir_batch_findings *f)
{
    const struct weir_batch_exploration *e = f->exploration;
    char share[WEIR_NUMBER_TEXT];
    struct weir_ratio permille = {f->options->merged_init_permille, 1000};
    if (!e->merges) {
        puts("\nMerged: nothing; no legal merge lowers the latency");
        return;
    }
    puts("\nMerged, each to be done by one block");
    for (uint32_t i = 0; i < weir_pipeline_operator_count(e->pipeline); i++)
        if (weir_batch_is_merged(f, i))
            printf("  %s\n", name_of(e->pipeline, (struct weir_operator){i}));
    printf("  A merged operator is taken to cost the larger init and %s of the other; for samples, both.\n",
           weir_ratio_percent(permille, share));
    if (f->options->merged_init_permille < 1000)
        puts("  That is less than the sum: measure the merged block before you rely on it.");
}

void weir_batch_print(const struct weir_batch_findings *f)
{
    const struct weir_style *style = weir_style_of(stdout);
    print_first_line(f);
    print_table(f);
    if (f->exploration->pipeline) {
        print_latencies(f);
        if (f->options->merge)
            print_merges(f);
        if (f->settings->out)
            printf("\nThe changed model is in %s.\n", f->settings->out);
    }
    printf("\n%sAssumes global EDF, and the costs and rates in the model; see docs/concepts/pool-of-cores.md.%s\n", style->dim,
           style->plain);
}

/* ---- for programs ---- */

static void print_json_ratio(const char *key, struct weir_ratio value, unsigned places)
{
    char text[WEIR_NUMBER_TEXT];
    printf(", \"%s\": %s", key, value.denominator ? weir_ratio_format(value, places, WHOLE_DIGITS, text) : "null");
}

static void print_json_point(const struct weir_batch_findings *f, const struct weir_batch_point *p)
{
    printf("{\"factor\": %lld, \"samples\": ", (long long)p->factor);
    if (f->samples)
        printf("%lld", (long long)(f->samples * p->factor));
    else
        fputs("null", stdout);
    printf(", \"schedulable\": %s, \"within\": %s", p->schedulable ? "true" : "false", p->within ? "true" : "false");
    print_json_ratio("utilization", p->utilization, 0);
    print_json_ratio("latency", p->latency, weir_pipeline_digits(f->model));
}

static void print_json_factor(const struct weir_batch_findings *f, const char *key, size_t point)
{
    if (point < f->exploration->point_count)
        printf(",\n  \"%s\": %lld", key, (long long)f->exploration->points[point].factor);
    else
        printf(",\n  \"%s\": null", key);
}

static void print_json_chosen(const struct weir_batch_findings *f)
{
    const struct weir_batch_exploration *e = f->exploration;
    bool any = false;
    fputs(",\n  \"chosen\": ", stdout);
    if (!e->pipeline) {
        fputs("null", stdout);
        return;
    }
    print_json_point(f, &e->chosen);
    printf(", \"merges\": %zu, \"merged\": [", e->merges);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(e->pipeline); i++)
        if (weir_batch_is_merged(f, i)) {
            fputs(any ? ", " : "", stdout);
            weir_print_json_text(stdout, name_of(e->pipeline, (struct weir_operator){i}));
            any = true;
        }
    printf("], \"verified\": %s}", f->analysis && f->analysis->verified ? "true" : "false");
}

void weir_batch_print_json(const struct weir_batch_findings *f)
{
    const struct weir_batch_exploration *e = f->exploration;
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, f->title);
    printf(
        ",\n  \"unit\": \"%s\",\n  \"engine\": \"global-edf\",\n  \"goal\": \"batch\",\n  \"batching\": \"%s\",\n  \"cores\": %u,\n"
        "  \"interrupted\": %s,\n  \"points\": [",
        weir_unit_name(weir_pipeline_unit(f->model)), weir_batching_name(f->options->batching), f->cores,
        e->interrupted ? "true" : "false");
    for (size_t i = 0; i < e->point_count; i++) {
        fputs(i ? ",\n    " : "\n    ", stdout);
        print_json_point(f, &e->points[i]);
        fputc('}', stdout);
    }
    fputs(e->point_count ? "\n  ]" : "]", stdout);
    print_json_factor(f, "smallest", e->smallest);
    print_json_factor(f, "lowest_latency", e->lowest);
    print_json_factor(f, "lowest_utilization", weir_batch_leanest(f));
    if (f->options->merge)
        printf(",\n  \"merged_init\": %g", f->options->merged_init_permille / 1000.0);
    print_json_chosen(f);
    fputs("\n}\n", stdout);
}

void weir_batch_print_csv(const struct weir_batch_findings *f, FILE *out)
{
    char load[WEIR_NUMBER_TEXT], latency[WEIR_NUMBER_TEXT] = "";
    fprintf(out, "factor,samples,schedulable,within,utilization,latency_%s\n", weir_unit_name(weir_pipeline_unit(f->model)));
    for (size_t i = 0; i < f->exploration->point_count; i++) {
        const struct weir_batch_point *p = &f->exploration->points[i];
        latency[0] = 0;
        if (p->latency.denominator)
            weir_ratio_format(p->latency, weir_pipeline_digits(f->model), WHOLE_DIGITS, latency);
        fprintf(out, "%lld,", (long long)p->factor);
        if (f->samples)
            fprintf(out, "%lld", (long long)(f->samples * p->factor));
        fprintf(out, ",%d,%d,%s,%s\n", p->schedulable, p->within, weir_ratio_format(p->utilization, 0, WHOLE_DIGITS, load),
                latency);
    }
}
