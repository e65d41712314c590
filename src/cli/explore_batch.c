/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --batch: how many executions an operator should do at once. */
#include "analyze.h"
#include "explore.h"

#include <stdlib.h>
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

static enum weir_exit check_file(const char *option, const char *path, const char *ending)
{
    size_t length = path ? strlen(path) : 0, end = strlen(ending);
    if (path && strcmp(path, "-") == 0)
        return weir_complain_usage(&weir_verb_explore, "--%s needs a file: standard output has the answer", option);
    if (path && *ending && (length <= end || strcmp(path + length - end, ending) != 0))
        return weir_complain_usage(&weir_verb_explore, "--%s: let '%s' end in %s", option, path, ending);
    return WEIR_EXIT_OK;
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
        return weir_complain_usage(&weir_verb_explore, "--utilization takes a number of cores above 0, 1.5 say, not '%s'",
                                   s->utilization);
    if (s->merged_init && (!parse_decimal(s->merged_init, &value) || value.numerator > 100 * value.denominator))
        return weir_complain_usage(&weir_verb_explore, "--merged-init takes a number from 0 to 100, 0.25 say, not '%s'",
                                   s->merged_init);
    if (s->merged_init && !s->merge)
        return weir_complain_usage(&weir_verb_explore, "--merged-init goes with --merge only");
    enum weir_exit result = check_file("csv", s->csv, "");
    return result == WEIR_EXIT_OK ? check_file("svg", s->svg, ".svg") : result;
}

/* ---- what was found ---- */

size_t weir_batch_leanest(const struct weir_batch_findings *f)
{
    const struct weir_batch_exploration *e = f->exploration;
    bool limited = f->options->within > 0;
    for (uint32_t i = 0; i < weir_pipeline_pair_count(f->model); i++)
        limited |= weir_pipeline_pair(f->model, i).has_deadline;
    size_t best = e->point_count;
    for (size_t i = 0; i < e->point_count && limited; i++)
        if (e->points[i].within &&
            (best == e->point_count || weir_ratio_order(e->points[i].utilization, e->points[best].utilization) < 0))
            best = i;
    return best;
}

const char *weir_batch_remark(const struct weir_batch_findings *f, size_t point, unsigned n)
{
    const struct weir_batch_exploration *e = f->exploration;
    const struct weir_batch_point *p = &e->points[point];
    const char *all[4] = {NULL};
    unsigned count = 0;
    if (point == e->smallest)
        all[count++] =
            f->options->utilization.denominator ? "the smallest within the utilization" : "the smallest that is schedulable";
    if (point == e->lowest)
        all[count++] = "the lowest latency";
    if (point == weir_batch_leanest(f))
        all[count++] = "the lowest utilization within the limits";
    if (!p->schedulable)
        all[count++] = "not schedulable";
    else if (p->latency.denominator == 0)
        all[count++] = "no bound";
    else if (!p->within)
        all[count++] = "beyond a limit";
    return n < count ? all[n] : NULL;
}

bool weir_batch_is_merged(const struct weir_batch_findings *f, uint32_t op)
{
    return !weir_pipeline_find(f->model, weir_pipeline_operator(f->exploration->pipeline, (struct weir_operator){op}).name, NULL);
}

/* ---- files ---- */

static enum weir_exit write_model(const struct weir_batch_findings *f)
{
    struct weir_output output;
    struct weir_error error = {0};
    if (!f->exploration->pipeline) {
        weir_complain("%s: no batch keeps every limit, so %s is not written", f->title, f->settings->out);
        return WEIR_EXIT_OK;
    }
    enum weir_exit result = weir_output_open(&output, f->settings->out);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = weir_pipeline_write(f->exploration->pipeline, f->settings->format, 0, output.file, &error);
    bool unwritable = status != WEIR_OK && status != WEIR_IO; /* closing reports what the file did not take */
    if (unwritable)
        result = weir_complain_error(f->title, &error);
    return weir_exit_worse(result, weir_output_close(&output, !unwritable));
}

static enum weir_exit write_csv(const struct weir_batch_findings *f)
{
    struct weir_output output;
    enum weir_exit result = weir_output_open(&output, f->settings->csv);
    if (result != WEIR_EXIT_OK)
        return result;
    weir_batch_print_csv(f, output.file);
    return weir_output_close(&output, true);
}

static enum weir_exit write_plot(const struct weir_batch_findings *f, bool latency, const char *path)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = weir_batch_plot(f, latency, output.file, &error);
    bool unwritable = status != WEIR_OK && status != WEIR_IO;
    if (unwritable)
        result = weir_complain_error(f->title, &error);
    return weir_exit_worse(result, weir_output_close(&output, !unwritable));
}

/* Latencies to FILE.svg, utilisations to FILE-utilization.svg. */
static enum weir_exit write_plots(const struct weir_batch_findings *f)
{
    static const char end[] = "-utilization.svg";
    const char *path = f->settings->svg;
    size_t stem = strlen(path) - strlen(".svg");
    char *other = malloc(stem + sizeof end);
    if (!other) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    snprintf(other, stem + sizeof end, "%.*s%s", (int)stem, path, end);
    enum weir_exit result = write_plot(f, true, path);
    if (result == WEIR_EXIT_OK)
        result = write_plot(f, false, other);
    free(other);
    return result;
}

/* ---- one model ---- */

static enum weir_exit make_options(const struct weir_batch_settings *s, const struct weir_pipeline *model,
                                   struct weir_batch_options *options)
{
    struct weir_error error = {0};
    struct weir_ratio factor = {1, 1};
    *options = (struct weir_batch_options){.cores = (uint32_t)s->cores, .factor_max = (int64_t)s->factor_max, .merge = s->merge};
    parse_kind(s->batching, &options->batching);
    if (s->utilization)
        parse_decimal(s->utilization, &options->utilization);
    if (s->merged_init)
        parse_decimal(s->merged_init, &factor);
    options->merged_init_permille = (uint32_t)((factor.numerator * 1000 + factor.denominator - 1) / factor.denominator);
    if (!s->within)
        return WEIR_EXIT_OK;
    if (weir_time_parse(model, s->within, &options->within, &error) != WEIR_OK)
        return weir_complain_usage(&weir_verb_explore, "--within: %s", error.message);
    return options->within > 0 ? WEIR_EXIT_OK
                               : weir_complain_usage(&weir_verb_explore, "--within must be longer than 0, not %s", s->within);
}

/* How many samples the first source takes at once by batches of factor 1; 0: not to be counted. */
static int64_t samples_at_once(const struct weir_pipeline *model, enum weir_batching batching)
{
    struct weir_pipeline *batched = NULL;
    int64_t samples = 0;
    if (weir_pipeline_batch(model, batching, 1, &batched, NULL) == WEIR_OK)
        samples = weir_pipeline_source(batched, 0).batch;
    weir_pipeline_free(batched);
    return samples;
}

static enum weir_exit tell(struct weir_batch_findings *f)
{
    const struct weir_batch_settings *s = f->settings;
    enum weir_exit result = WEIR_EXIT_OK;
    if (s->csv)
        result = weir_exit_worse(result, write_csv(f));
    if (s->svg)
        result = weir_exit_worse(result, write_plots(f));
    if (s->out)
        result = weir_exit_worse(result, write_model(f));
    if (result != WEIR_EXIT_OK)
        return result;
    (s->json ? weir_batch_print_json : weir_batch_print)(f);
    if (f->exploration->pipeline)
        return WEIR_EXIT_OK;
    return f->exploration->interrupted ? WEIR_EXIT_BRACKET : WEIR_EXIT_MISSED;
}

static enum weir_status search(const struct weir_pipeline *model, struct weir_batch_options *options, const char *title,
                               struct weir_batch_exploration **exploration, struct weir_error *error)
{
    struct weir_progress progress = {.what = title};
    options->progress = weir_progress_show;
    options->context = &progress;
    options->stop = weir_interrupts_begin();
    enum weir_status status = weir_batch_explore(model, options, exploration, error);
    weir_interrupts_end();
    weir_progress_end(&progress);
    options->progress = NULL;
    return status;
}

enum weir_exit weir_batch_run(const struct weir_batch_settings *s, const struct weir_pipeline *model, const char *path)
{
    struct weir_batch_options options;
    struct weir_batch_exploration *exploration = NULL;
    struct weir_edf_analysis *analysis = NULL;
    struct weir_error error = {0};
    const char *title = weir_model_title(model, path);
    if (weir_pipeline_platform(model) != WEIR_PLATFORM_CORES)
        return weir_complain_usage(&weir_verb_explore, "--batch: %s has no pool of cores; batches are for flows on one", path);
    enum weir_exit result = make_options(s, model, &options);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = search(model, &options, title, &exploration, &error);
    if (status == WEIR_OK && exploration->pipeline) {
        struct weir_edf_options how = {.cores = options.cores, .verify = s->verify};
        status = weir_edf_analyze(exploration->pipeline, &how, &analysis, &error);
    }
    if (status == WEIR_OK) {
        struct weir_batch_findings findings = {s,
                                               &options,
                                               exploration,
                                               analysis,
                                               model,
                                               title,
                                               options.cores ? options.cores : weir_pipeline_cores(model),
                                               samples_at_once(model, options.batching)};
        result = tell(&findings);
    } else {
        result = weir_complain_error(path, &error);
    }
    weir_edf_analysis_free(analysis);
    weir_batch_exploration_free(exploration);
    return result;
}
