/* SPDX-License-Identifier: Apache-2.0 */
/* Many runs of a pipeline, by the simulator of its engine, and the bounds that no run may break. */
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/word.h"
#include "model/pipeline.h"

#include <string.h>

/* Latencies kept for percentiles and histograms, of all chains together and of each at least. */
enum { KEPT_MAX = 10000000, KEPT_MIN = 100000, RUNS = 100, ITERATIONS = 1000 };

uint64_t weir_simulation_seed(const struct weir_simulation *s, uint64_t run)
{
    uint64_t z = (s->options->seed + UINT64_C(0x632be59bd9b4e019)) ^ (run * UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- the bounds ---- */

/* Bounds alone: a simulation has facts and tables of its own. */
static void forget_analysis(struct weir_answer *answer)
{
    answer->facts.count = answer->lines.count = answer->tables.count = answer->remedies.count = 0;
    answer->scope = answer->trouble = answer->assumes = NULL;
    answer->trouble_verdict = WEIR_VERDICT_GOOD;
    for (size_t i = 0; i < answer->bound_count; i++) {
        struct weir_bound *bound = &answer->bounds[i];
        bound->terms = NULL;
        bound->path = NULL;
        bound->witness = NULL;
        bound->details = NULL;
        bound->term_count = bound->detail_count = 0;
        bound->verified = false;
    }
}

enum weir_status weir_simulation_make_chains(struct weir_simulation *s, struct weir_error *error)
{
    size_t count = s->answer->bound_count;
    s->chains = weir_answer_take(s->answer, count, sizeof *s->chains);
    if (!s->chains)
        return weir_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct weir_chain *chain = &s->chains[i];
        chain->shift = s->answer->bounds[i].chain.shift;
        chain->samples.kept_max = KEPT_MAX / count > KEPT_MIN ? KEPT_MAX / count : KEPT_MIN;
        chain->samples.random = weir_simulation_seed(s, UINT64_MAX - i);
    }
    return WEIR_OK;
}

enum weir_status weir_simulation_bounds(struct weir_simulation *s, struct weir_error *error)
{
    const struct weir_simulate_options *o = s->options;
    struct weir_answer_options options = {
        .method = o->method, .cores = o->cores, .sms = o->sms, .progress = o->progress, .context = o->context};
    enum weir_status status = s->answer->engine->analyze(s->answer, &options, error);
    if (status)
        return status;
    forget_analysis(s->answer);
    return weir_simulation_make_chains(s, error);
}

/* ---- the runs ---- */

/* What was seen up to here counts, where anything was. The run that was under way is one of them. */
static enum weir_status end_early(struct weir_simulation *s, int64_t runs, struct weir_error *error)
{
    int64_t seen = 0;
    for (size_t i = 0; i < s->answer->bound_count; i++)
        seen += s->chains[i].samples.count;
    if (!seen)
        return weir_fail(error, WEIR_INVALID, "interrupted");
    s->wanted = s->runs;
    s->runs = runs;
    return WEIR_OK;
}

enum weir_status weir_simulation_run(struct weir_simulation *s,
                                     enum weir_status (*run_once)(struct weir_simulation *s, struct weir_error *error),
                                     struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (s->run = 0; s->run < s->runs && !status; s->run++) {
        if (s->options->progress)
            s->options->progress(s->options->context, (unsigned)((weir_wide)s->run * 1000 / s->runs));
        if (weir_interrupted())
            return end_early(s, s->run, error);
        for (size_t i = 0; i < s->answer->bound_count; i++)
            weir_chain_begin_run(&s->chains[i]);
        status = run_once(s, error);
        if (weir_interrupted() && (!status || status == WEIR_INVALID))
            return end_early(s, s->run + 1, error);
        for (size_t i = 0; i < s->answer->bound_count && !status; i++)
            if (s->chains[i].samples.failed)
                status = weir_fail_memory(error);
    }
    return status;
}

/* ---- what was seen, against the bounds ---- */

/* A bound from above, and from below, that no run may break. */
static bool is_safe(const struct weir_quantity *quantity, struct weir_ratio end)
{
    return end.denominator &&
           (quantity->claim == WEIR_CLAIM_EXACT || quantity->claim == WEIR_CLAIM_SAFE || quantity->claim == WEIR_CLAIM_BRACKET);
}

static enum weir_status check(const struct weir_simulation *s, size_t index, struct weir_error *error)
{
    const struct weir_bound *bound = &s->answer->bounds[index];
    const struct weir_samples *samples = &s->chains[index].samples;
    bool never = bound->worst.claim == WEIR_CLAIM_NONE;
    bool late = is_safe(&bound->worst, bound->worst.high) && weir_samples_compare_max(samples, bound->worst.high) > 0;
    bool early = is_safe(&bound->best, bound->best.low) && weir_samples_compare_min(samples, bound->best.low) < 0;
    const struct weir_quantity *broken = late ? &bound->worst : &bound->best;
    char seen[WEIR_NUMBER_TEXT], limit[WEIR_NUMBER_TEXT];
    if (!late && !early && !never)
        return WEIR_OK;
    weir_quantity_amount(s->pipeline, weir_samples_value(samples, early && !late ? samples->min : samples->max), seen);
    return weir_fail(error, WEIR_INTERNAL, "the simulation of %.100s -> %.100s shows %s, and %s %s case is %s",
                     weir_answer_name(s->answer, bound->chain.from), weir_answer_name(s->answer, bound->chain.to), seen,
                     broken->claim == WEIR_CLAIM_EXACT ? "the exact" : "the bound of the", early && !late ? "best" : "worst",
                     never ? "never" : weir_quantity_amount(s->pipeline, late ? broken->high : broken->low, limit));
}

enum weir_status weir_simulation_describe(struct weir_simulation *s, struct weir_error *error)
{
    static const struct weir_ratio not_known;
    for (size_t i = 0; i < s->answer->bound_count; i++) {
        struct weir_bound *bound = &s->answer->bounds[i];
        struct weir_samples *samples = &s->chains[i].samples;
        struct weir_distribution *observed = weir_answer_take(s->answer, 1, sizeof *observed);
        enum weir_status status = samples->count ? check(s, i, error) : WEIR_OK;
        if (status)
            return status;
        bool bracket = bound->worst.claim == WEIR_CLAIM_BRACKET, unsafe = bound->worst.claim == WEIR_CLAIM_UNSAFE;
        if (!observed ||
            !weir_samples_describe(samples, bound->best.low, bracket ? not_known : bound->worst.high, &s->answer->arena, observed))
            return weir_fail_memory(error);
        observed->beyond = unsafe ? (int64_t)weir_samples_above(samples, bound->worst.high) : 0;
        observed->note = s->chains[i].note;
        bound->observed = observed;
    }
    return WEIR_OK;
}

/* ---- words and keys that all have ---- */

void weir_simulation_scope(struct weir_simulation *s, const char *of, const char *on, const char *how)
{
    const struct weir_simulate_options *o = s->options;
    const char *times = s->mixed ? "mixed" : weir_times_names[s->times], *iterations = "", *given = "";
    char runs[WEIR_COUNT_TEXT], wanted[WEIR_COUNT_TEXT], number[WEIR_COUNT_TEXT];
    weir_answer_add_fact(s->answer, "seed", weir_datum_count((int64_t)o->seed));
    weir_answer_add_fact(s->answer, "runs", weir_datum_count(s->runs));
    if (s->wanted)
        weir_answer_add_fact(s->answer, "interrupted", weir_datum_flag(true));
    if (of) {
        const char *key = weir_answer_format(s->answer, "%ss", of);
        iterations = weir_answer_format(s->answer, " of %s %s%s", weir_count_format(s->iterations, number), of,
                                        s->iterations == 1 ? "" : "s");
        weir_answer_add_fact(s->answer, key ? key : "", weir_datum_count(s->iterations));
    }
    weir_answer_add_fact(s->answer, "times", weir_datum_text(times));
    if (o->given_by) {
        given = weir_answer_format(s->answer, "times from %s, others ", o->given_by);
        const char *name = weir_answer_format(s->answer, "%s", o->given_by);
        weir_answer_add_fact(s->answer, "times_file", weir_datum_text(name ? name : ""));
    }
    const char *count = s->wanted
                            ? weir_answer_format(s->answer, "interrupted in run %s of %s", weir_count_format(s->runs, runs),
                                                 weir_count_format(s->wanted, wanted))
                            : weir_answer_format(s->answer, "%s run%s", weir_count_format(s->runs, runs), s->runs == 1 ? "" : "s");
    s->answer->scope =
        weir_answer_format(s->answer, "%s%s%s, %s%s%s%s, seed %llu", count ? count : "", iterations ? iterations : "", on,
                           given ? given : "", times, o->given_by ? "" : " times", how, (unsigned long long)o->seed);
}

struct weir_ratio weir_simulation_share(struct weir_ratio a, struct weir_ratio b)
{
    weir_wide part = (weir_wide)a.numerator * b.denominator, whole = (weir_wide)b.numerator * a.denominator;
    for (; part > INT64_MAX || whole > INT64_MAX; whole /= 2)
        part /= 2;
    return (struct weir_ratio){(int64_t)part, (int64_t)whole};
}

void weir_bound_add_detail(struct weir_answer *answer, struct weir_bound *bound, const char *key, struct weir_datum value)
{
    struct weir_field *fields = weir_answer_take(answer, bound->detail_count + 1, sizeof *fields);
    if (!fields)
        return;
    if (bound->detail_count)
        memcpy(fields, bound->details, bound->detail_count * sizeof *fields);
    fields[bound->detail_count++] = (struct weir_field){key, value};
    bound->details = fields;
}

/* ---- all of it ---- */

static enum weir_status simulate(struct weir_simulation *s, struct weir_error *error)
{
    const struct weir_simulate_options *o = s->options;
    enum weir_status status = weir_simulate_check(s->pipeline, o, error);
    if (status)
        return status;
    s->mixed = !o->times && !o->given;
    s->times = s->mixed ? WEIR_TIMES_RANDOM : (enum weir_times)weir_word_find(weir_times_names, 4, o->times ? o->times : "worst");
    s->runs = o->given ? 1 : o->runs ? o->runs : RUNS;
    s->iterations = o->iterations ? o->iterations : ITERATIONS;
    if (o->title && !(s->answer->title = weir_answer_format(s->answer, "%s", o->title)))
        return weir_fail_memory(error);
    status = s->answer->engine->simulate(s, error);
    for (size_t i = 0; s->chains && i < s->answer->bound_count; i++)
        weir_chain_free(&s->chains[i]);
    return status;
}

enum weir_status weir_answer_simulate(const struct weir_pipeline *pipeline, const struct weir_simulate_options *options,
                                      struct weir_answer **answer, struct weir_error *error)
{
    static const struct weir_simulate_options defaults;
    *answer = NULL;
    struct weir_answer *a = weir_answer_new(pipeline, error);
    if (!a)
        return weir_pipeline_sealed(pipeline) ? WEIR_MEMORY : WEIR_INVALID;
    struct weir_simulation simulation = {.answer = a, .pipeline = pipeline, .options = options ? options : &defaults};
    return weir_answer_keep(a, simulate(&simulation, error), answer, error);
}
