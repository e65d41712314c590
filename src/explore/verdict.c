/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the engine that goes with the platform, and says its answer in the words that all of them have in common. */
#include "explore/verdict.h"

#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

struct finding {
    struct weir_verdicts verdicts; /* first, so that it can be freed by its address */
    struct weir_arena arena;
    struct weir_verdict_latency *latencies;
};

struct asking {
    const struct weir_pipeline *pipeline;
    const struct weir_verdict_options *options;
    struct finding *finding;
    struct weir_error *error;
};

void weir_verdicts_free(struct weir_verdicts *verdicts)
{
    struct finding *f = (struct finding *)verdicts;
    if (!f)
        return;
    weir_arena_free(&f->arena);
    weir_free(f->latencies);
    weir_free(f);
}

bool weir_verdict_bounded(const struct weir_verdict_latency *latency)
{
    return latency->certainty == WEIR_CERTAIN_EXACT || latency->certainty == WEIR_CERTAIN_SAFE;
}

const char *weir_certainty_name(enum weir_certainty certainty)
{
    static const char *const names[] = {"exact", "safe", "unknown", "unbounded", "none"};
    return (unsigned)certainty < sizeof names / sizeof *names ? names[certainty] : "unknown";
}

/* ---- what all of them need ---- */

static enum weir_status keep_text(const struct asking *a, const char *text, const char **kept)
{
    *kept = text ? weir_arena_text(&a->finding->arena, text) : NULL;
    return text && !*kept ? weir_fail_memory(a->error) : WEIR_OK;
}

static enum weir_status keep_bottleneck(const struct asking *a, const struct weir_operator *cycle, size_t count)
{
    struct weir_operator *copy = weir_arena_take(&a->finding->arena, (count ? count : 1) * sizeof *copy);
    if (!copy)
        return weir_fail_memory(a->error);
    if (count)
        memcpy(copy, cycle, count * sizeof *copy);
    a->finding->verdicts.bottleneck = copy;
    a->finding->verdicts.bottleneck_count = count;
    return WEIR_OK;
}

/* Decides about the deadline, once all else is there. */
static void judge(struct weir_verdict_latency *l)
{
    struct weir_ratio deadline = {l->deadline, 1};
    l->met = !l->has_deadline || l->certainty == WEIR_CERTAIN_NONE ||
             (weir_verdict_bounded(l) && weir_ratio_compare(l->worst, deadline) <= 0);
}

/* ---- threads ---- */

/* A bracket that has an upper end is a safe bound: a limit was reached before it was proved to be exact. */
static void take_separation(struct weir_verdict_latency *l, const struct weir_separation *s)
{
    static const enum weir_certainty certainties[] = {[WEIR_EXACT] = WEIR_CERTAIN_EXACT,
                                                      [WEIR_NO_BOUND] = WEIR_CERTAIN_UNBOUNDED,
                                                      [WEIR_BRACKET] = WEIR_CERTAIN_UNKNOWN,
                                                      [WEIR_NO_EVENTS] = WEIR_CERTAIN_NONE};
    l->certainty = certainties[s->outcome];
    l->worst = (struct weir_ratio){s->value, 1};
    if (s->outcome == WEIR_BRACKET && s->upper < INT64_MAX) {
        l->certainty = WEIR_CERTAIN_SAFE;
        l->worst.numerator = s->upper;
    }
}

void weir_verdict_separation(struct weir_verdict_latency *latency, const struct weir_separation *separation)
{
    take_separation(latency, separation);
    judge(latency);
}

static enum weir_status ask_exact(const struct asking *a)
{
    struct weir_analyze_options options = {.verify = a->options->verify,
                                           .work_limit = a->options->work_limit,
                                           .progress = a->options->progress,
                                           .context = a->options->context};
    struct weir_verdicts *v = &a->finding->verdicts;
    struct weir_analysis *analysis = NULL;
    enum weir_status status = weir_analyze(a->pipeline, &options, &analysis, a->error);
    for (size_t i = 0; !status && i < v->latency_count; i++) {
        const struct weir_latency *from = &analysis->latencies[i];
        struct weir_verdict_latency *l = &a->finding->latencies[i];
        take_separation(l, &from->worst);
        l->has_best = from->best.outcome == WEIR_EXACT;
        l->best = l->has_best ? -from->best.value : 0;
        status = keep_text(a, from->why, &l->why);
        if (!status && from->witness && !weir_witness_words(a->pipeline, from->witness, &a->finding->arena, &l->path))
            status = weir_fail_memory(a->error);
    }
    if (!status && analysis->throughput.period.denominator) {
        v->has_period = true;
        v->period = analysis->throughput.period;
        status = keep_bottleneck(a, analysis->throughput.bottleneck, analysis->throughput.bottleneck_count);
    }
    weir_analysis_free(analysis);
    return status;
}

static bool arrives(const struct weir_pipeline *p, struct weir_operator op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op.index && p->sources[i].arrivals == WEIR_ARRIVALS_EXACT)
            return true;
    return false;
}

/* The period of the slowest operator that a pair ends at. */
static enum weir_status ask_period(const struct asking *a)
{
    const struct weir_pipeline *p = a->pipeline;
    struct weir_verdicts *v = &a->finding->verdicts;
    uint8_t *seen = weir_array_zeroed(p->operator_count, 1);
    enum weir_status status = WEIR_OK;
    if (!seen)
        return weir_fail_memory(a->error);
    for (size_t i = 0; !status && i < p->pair_count; i++) {
        struct weir_operator to = p->pairs[i].to;
        struct weir_ratio period;
        if (seen[to.index]++)
            continue;
        status = weir_throughput(p, to, true, &period, NULL, NULL, a->error);
        if (!status && (!v->has_period || weir_ratio_compare(period, v->period) > 0)) {
            v->has_period = true;
            v->period = period;
        }
    }
    weir_free(seen);
    return status;
}

static enum weir_status ask_exact_briefly(const struct asking *a)
{
    const struct weir_pipeline *p = a->pipeline;
    struct weir_solver *solver = weir_solver_new(p, a->error);
    if (!solver)
        return weir_pipeline_require_threads(p, NULL) ? WEIR_INVALID : WEIR_MEMORY;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; !status && i < p->pair_count; i++) {
        const struct weir_pair_spec *pair = &p->pairs[i];
        struct weir_query query = {.from = {.op = pair->from, .moment = arrives(p, pair->from) ? WEIR_ARRIVAL : WEIR_START},
                                   .to = {.op = pair->to, .moment = WEIR_FINISH},
                                   .shift = pair->shift,
                                   .work_limit = a->options->work_limit};
        struct weir_separation worst;
        status = weir_separation_worst(solver, &query, &worst, a->error);
        if (!status)
            take_separation(&a->finding->latencies[i], &worst);
    }
    weir_solver_free(solver);
    return status ? status : ask_period(a);
}

static enum weir_status ask_workers(const struct asking *a)
{
    static const enum weir_certainty certainties[] = {[WEIR_WORKERS_EXACT] = WEIR_CERTAIN_EXACT,
                                                      [WEIR_WORKERS_SAFE] = WEIR_CERTAIN_SAFE,
                                                      [WEIR_WORKERS_UNKNOWN] = WEIR_CERTAIN_UNKNOWN};
    struct weir_workers_options options = {.work_limit = a->options->work_limit};
    struct weir_workers_analysis *analysis = NULL;
    enum weir_status status = weir_workers_analyze(a->pipeline, &options, &analysis, a->error);
    for (size_t i = 0; !status && i < a->finding->verdicts.latency_count; i++) {
        const struct weir_workers_latency *from = &analysis->latencies[i];
        struct weir_verdict_latency *l = &a->finding->latencies[i];
        l->certainty = certainties[from->outcome];
        l->worst = (struct weir_ratio){from->worst, 1};
        l->has_best = from->has_best && !a->options->brief;
        l->best = from->best;
        status = keep_text(a, from->why, &l->why);
    }
    weir_workers_analysis_free(analysis);
    return status;
}

/* The legs of the worst way, one behind the other. */
static enum weir_status keep_legs(const struct asking *a, const struct weir_sample_latency *from, const char **path)
{
    enum { LEGS_MAX = 12, ROOM = LEGS_MAX * (WEIR_LEG_TEXT + 8) };
    char words[WEIR_LEG_TEXT];
    size_t used = 0;
    char *text = from->leg_count ? weir_arena_take(&a->finding->arena, ROOM) : NULL;
    *path = text;
    if (!text)
        return from->leg_count ? weir_fail_memory(a->error) : WEIR_OK;
    for (size_t i = 0; i < from->leg_count && i <= LEGS_MAX; i++)
        used += (size_t)snprintf(text + used, ROOM - used, "%s%s", i ? "; " : "",
                                 i == LEGS_MAX ? "..." : weir_sample_leg_words(a->pipeline, &from->legs[i], words));
    return WEIR_OK;
}

static enum weir_status ask_sample(const struct asking *a)
{
    static const enum weir_certainty certainties[] = {[WEIR_SAMPLE_EXACT] = WEIR_CERTAIN_EXACT,
                                                      [WEIR_SAMPLE_SAFE] = WEIR_CERTAIN_SAFE,
                                                      [WEIR_SAMPLE_UNKNOWN] = WEIR_CERTAIN_UNKNOWN};
    struct weir_sample_options options = {.verify = a->options->verify,
                                          .work_limit = a->options->work_limit,
                                          .progress = a->options->progress,
                                          .context = a->options->context};
    struct weir_sample_analysis *analysis = NULL;
    enum weir_status status = weir_sample_analyze(a->pipeline, &options, &analysis, a->error);
    for (size_t i = 0; !status && i < a->finding->verdicts.latency_count; i++) {
        const struct weir_sample_latency *from = &analysis->latencies[i];
        struct weir_verdict_latency *l = &a->finding->latencies[i];
        l->certainty = certainties[from->outcome];
        l->worst = (struct weir_ratio){from->worst, 1};
        l->has_best = from->has_best && !a->options->brief;
        l->best = from->best;
        status = keep_text(a, from->why, &l->why);
        if (!status && !a->options->brief)
            status = keep_legs(a, from, &l->path);
    }
    weir_sample_analysis_free(analysis);
    return status;
}

/* ---- processors, cores, a GPU ---- */

static enum weir_status ask_priority(const struct asking *a)
{
    static const enum weir_certainty certainties[] = {[WEIR_PRIORITY_CONVERGED] = WEIR_CERTAIN_SAFE,
                                                      [WEIR_PRIORITY_UNBOUNDED] = WEIR_CERTAIN_UNBOUNDED,
                                                      [WEIR_PRIORITY_VIOLATED] = WEIR_CERTAIN_UNKNOWN,
                                                      [WEIR_PRIORITY_LIMIT] = WEIR_CERTAIN_UNKNOWN};
    struct weir_priority_options options = {.work_limit = a->options->work_limit,
                                            .verify = a->options->verify,
                                            .progress = a->options->progress,
                                            .context = a->options->context};
    struct weir_verdicts *v = &a->finding->verdicts;
    struct weir_priority_analysis *analysis = NULL;
    enum weir_status status = weir_priority_analyze(a->pipeline, &options, &analysis, a->error);
    for (size_t i = 0; !status && i < v->latency_count; i++) {
        const struct weir_priority_latency *from = &analysis->latencies[i];
        struct weir_verdict_latency *l = &a->finding->latencies[i];
        l->certainty = certainties[analysis->outcome];
        if (l->certainty == WEIR_CERTAIN_SAFE && !from->bounded)
            l->certainty = WEIR_CERTAIN_UNKNOWN;
        l->worst = (struct weir_ratio){from->worst, 1};
        l->has_best = from->bounded && from->best != INT64_MIN && !a->options->brief;
        l->best = from->best;
        status = keep_text(a, weir_verdict_bounded(l) ? NULL : analysis->why, &l->why);
    }
    if (!status && analysis->outcome == WEIR_PRIORITY_CONVERGED)
        v->places = analysis->buffer_total;
    weir_priority_analysis_free(analysis);
    return status;
}

static enum weir_status ask_edf(const struct asking *a)
{
    struct weir_edf_options options = {.verify = a->options->verify};
    struct weir_verdicts *v = &a->finding->verdicts;
    struct weir_edf_analysis *analysis = NULL;
    enum weir_status status = weir_edf_analyze(a->pipeline, &options, &analysis, a->error);
    for (size_t i = 0; !status && i < v->latency_count; i++) {
        const struct weir_edf_latency *from = &analysis->latencies[i];
        struct weir_verdict_latency *l = &a->finding->latencies[i];
        l->certainty = from->bounded ? WEIR_CERTAIN_SAFE : WEIR_CERTAIN_UNKNOWN;
        l->worst = from->worst;
        status = keep_text(a, from->bounded ? NULL : analysis->why, &l->why);
    }
    if (!status) {
        v->utilization = analysis->utilization;
        v->places = analysis->schedulable ? analysis->buffer_total : -1;
    }
    weir_edf_analysis_free(analysis);
    return status;
}

static enum weir_status ask_gpu(const struct asking *a)
{
    struct weir_gpu_options options = {.verify = a->options->verify,
                                       .work_limit = a->options->work_limit,
                                       .progress = a->options->progress,
                                       .context = a->options->context};
    struct weir_gpu_plan *plan = NULL;
    struct weir_verdict_latency *l = a->finding->latencies;
    enum weir_status status = weir_gpu_analyze(a->pipeline, &options, &plan, a->error);
    if (!status) {
        l->whole = true;
        l->certainty = plan->safe ? WEIR_CERTAIN_SAFE : WEIR_CERTAIN_UNKNOWN;
        l->worst = plan->bound;
        l->has_deadline = a->pipeline->gpu.deadline > 0;
        l->deadline = a->pipeline->gpu.deadline;
        status = keep_text(a, plan->why, &l->why);
    }
    weir_gpu_plan_free(plan);
    return status;
}

/* ---- */

enum engine { EXACT, SAMPLING, WORKERS, PRIORITY, EDF, GPU };

static enum engine engine_of(const struct weir_pipeline *p)
{
    switch (p->platform) {
    case WEIR_PLATFORM_PROCESSORS:
        return PRIORITY;
    case WEIR_PLATFORM_CORES:
        return EDF;
    case WEIR_PLATFORM_GPU:
        return GPU;
    case WEIR_PLATFORM_THREADS:
        break;
    }
    return !weir_pipeline_has_enough_workers(p) ? WORKERS : weir_pipeline_is_plain(p) ? EXACT : SAMPLING;
}

const char *weir_verdict_engine(const struct weir_pipeline *pipeline)
{
    static const char *const names[] = {
        [EXACT] = "exact", [SAMPLING] = "sampling", [WORKERS] = "workers", [PRIORITY] = "fixed-priority", [EDF] = "global-edf",
        [GPU] = "gpu"};
    return names[engine_of(pipeline)];
}

static enum weir_status ask(const struct asking *a)
{
    switch (engine_of(a->pipeline)) {
    case PRIORITY:
        return ask_priority(a);
    case EDF:
        return ask_edf(a);
    case GPU:
        return ask_gpu(a);
    case WORKERS:
        return ask_workers(a);
    case SAMPLING:
        return ask_sample(a);
    case EXACT:
        break;
    }
    return a->options->brief ? ask_exact_briefly(a) : ask_exact(a);
}

enum weir_status weir_verdict_find(const struct weir_pipeline *pipeline, const struct weir_verdict_options *options,
                                   struct weir_verdicts **verdicts, struct weir_error *error)
{
    static const struct weir_verdict_options defaults;
    *verdicts = NULL;
    if (!pipeline->sealed)
        return weir_fail(error, WEIR_INVALID, "the pipeline is not sealed");
    struct finding *f = weir_array_zeroed(1, sizeof *f);
    size_t count = pipeline->platform == WEIR_PLATFORM_GPU ? 1 : pipeline->pair_count;
    struct weir_verdict_latency *latencies = weir_array_zeroed(count, sizeof *latencies);
    if (!f || !latencies) {
        weir_free(f);
        weir_free(latencies);
        return weir_fail_memory(error);
    }
    f->latencies = latencies;
    f->verdicts = (struct weir_verdicts){.pipeline = pipeline,
                                         .engine = weir_verdict_engine(pipeline),
                                         .latencies = latencies,
                                         .latency_count = count,
                                         .places = -1};
    for (size_t i = 0; i < count && pipeline->platform != WEIR_PLATFORM_GPU; i++) {
        latencies[i].pair = pipeline->pairs[i];
        latencies[i].has_deadline = pipeline->pairs[i].has_deadline;
        latencies[i].deadline = pipeline->pairs[i].deadline;
    }
    struct asking a = {pipeline, options ? options : &defaults, f, error};
    enum weir_status status = ask(&a);
    if (status) {
        weir_verdicts_free(&f->verdicts);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        judge(&latencies[i]);
    *verdicts = &f->verdicts;
    return WEIR_OK;
}
