/* SPDX-License-Identifier: Apache-2.0 */
/* What weir says about a flow on a pool of cores: one step after the other, into one block of memory. */
#include "base/error.h"
#include "check/edf/flow.h"
#include "engine/edf/system.h"

#include <string.h>

#define RELATED_MAX 1000 /* operators whose relations are looked at, pair by pair */

struct answer {
    struct weir_edf_analysis analysis; /* first, so that it can be freed by its address */
    char why[WEIR_EDF_WORDS];
};

/* Hands out pieces of one block. The first walk over them, without a block, measures it. */
struct pieces {
    unsigned char *block;
    size_t used;
    bool overflow;
};

static void *piece(struct pieces *p, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 64)
        p->overflow = true;
    if (p->overflow)
        return NULL;
    void *start = p->block ? p->block + p->used : NULL;
    p->used += (bytes + 15) & ~(size_t)15;
    p->overflow = p->used > PTRDIFF_MAX;
    return start;
}

static struct answer *lay_out_answer(struct pieces *p, struct weir_edf_system *s)
{
    struct answer *answer = piece(p, 1, sizeof *answer);
    s->operators = piece(p, s->flow->node_count, sizeof *s->operators);
    s->latencies = piece(p, s->pipeline->chain_count, sizeof *s->latencies);
    s->buffers = piece(p, s->flow->edge_count, sizeof *s->buffers);
    return answer;
}

static void lay_out_scratch(struct pieces *p, struct weir_edf_system *s)
{
    size_t n = s->flow->node_count, loose = s->loose ? n : 0;
    s->reached = piece(p, n, sizeof *s->reached);
    s->form = piece(p, n, sizeof *s->form);
    s->feed = piece(p, n, sizeof *s->feed);
    s->load = piece(p, n, sizeof *s->load);
    s->value = piece(p, n, sizeof *s->value);
    s->chosen = piece(p, n, sizeof *s->chosen);
    s->early = piece(p, n, sizeof *s->early);
    s->tight = piece(p, n, sizeof *s->tight);
    s->slip = piece(p, n, sizeof *s->slip);
    s->ahead = piece(p, loose, sizeof *s->ahead);
    s->behind = piece(p, loose, sizeof *s->behind);
    s->held = piece(p, loose, sizeof *s->held);
    s->longest = piece(p, loose, sizeof *s->longest);
    s->idle = piece(p, loose, sizeof *s->idle);
    s->need = piece(p, loose, sizeof *s->need);
    s->late = piece(p, loose, sizeof *s->late);
    s->windows = piece(p, s->narrow ? n : 0, sizeof *s->windows);
    s->gaps = s->narrow && n <= RELATED_MAX ? piece(p, n * n, sizeof *s->gaps) : NULL;
    s->edges = piece(p, s->flow->edge_count, sizeof *s->edges);
    s->origin = piece(p, s->flow->part_count, sizeof *s->origin);
}

static bool make_room(struct weir_edf_system *s, struct answer **answer, void **scratch)
{
    struct pieces measure = {0}, give = {0};
    lay_out_answer(&measure, s);
    give.block = measure.overflow ? NULL : weir_array_zeroed(measure.used, 1);
    if (!give.block)
        return false;
    *answer = lay_out_answer(&give, s);
    measure = give = (struct pieces){0};
    lay_out_scratch(&measure, s);
    give.block = *scratch = measure.overflow ? NULL : weir_array(measure.used, 1);
    if (!give.block)
        return false;
    lay_out_scratch(&give, s);
    memset(s->windows, 0, s->narrow ? s->flow->node_count * sizeof *s->windows : 0);
    memset(s->reached, 0, s->flow->node_count * sizeof *s->reached);
    memset(s->form, WEIR_EDF_EVEN, s->flow->node_count * sizeof *s->form);
    memset(s->feed, 0, s->flow->node_count * sizeof *s->feed);
    return true;
}

/* ---- the steps ---- */

static enum weir_status run(struct weir_edf_system *s, struct weir_edf_analysis *analysis)
{
    if (!weir_edf_load(s, &analysis->utilization, &analysis->schedulable))
        return WEIR_OVERFLOW;
    if (!analysis->schedulable)
        return WEIR_OK;
    if (!weir_edf_respond(s))
        return WEIR_OVERFLOW;
    weir_edf_feed(s);
    if (!weir_edf_offsets(s))
        return WEIR_OVERFLOW;
    enum weir_status status = s->loose ? weir_edf_follow(s) : WEIR_OK;
    if (status)
        return status;
    if (s->narrow) {
        weir_edf_narrow(s);
        if (!weir_edf_offsets(s) || (s->loose && weir_edf_follow_again(s)))
            return WEIR_OVERFLOW;
    }
    return weir_edf_buffers(s, &analysis->schedulable) && (!analysis->schedulable || weir_edf_latencies(s)) ? WEIR_OK
                                                                                                            : WEIR_OVERFLOW;
}

/*
 * Which latencies grow for ever. An operator that needs more than one core delays all that depends on it. Where every operator can
 * do with one core and all of them need more than there are, EDF lets all of them fall behind: those that lag have the earlier
 * deadlines, so that the others get no core until they lag as much. What waits for a source that may be silent has no bound either
 * way.
 */
static void prove_growth(struct weir_edf_system *s)
{
    const struct weir_flow *f = s->flow;
    bool some = false;
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        s->chosen[v] = s->operators[v].utilization.numerator > s->operators[v].utilization.denominator;
        some |= s->chosen[v];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++)
            s->chosen[v] |= s->chosen[f->edges[f->inputs[i]].from];
    }
    for (size_t i = 0; i < s->pipeline->chain_count; i++) {
        struct weir_edf_latency *latency = &s->latencies[i];
        uint32_t to = latency->chain.to.index;
        bool lags = s->overloaded && (!some || s->chosen[to]);
        latency->unbounded = !latency->bounded && (lags || s->form[to] == WEIR_EDF_JOINED);
    }
}

/* Without a bound nothing that rests on one is told. */
static void clear(struct weir_edf_system *s, struct weir_edf_analysis *analysis)
{
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        struct weir_edf_operator *o = &s->operators[v];
        o->response = o->offset = (struct weir_ratio){0, 1};
        o->by = WEIR_EDF_ALONE;
        for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++)
            o->applies[b] = false;
    }
    analysis->buffer_count = 0;
    analysis->buffer_total = 0;
    analysis->why = s->why;
}

static enum weir_status verify(const struct weir_edf_system *s, struct weir_edf_analysis *analysis, struct weir_error *error)
{
    char why[160] = "";
    bool holds = false;
    for (uint32_t v = 0; v < s->flow->node_count; v++)
        s->chosen[v] = s->narrow ? s->windows[v].group : v;
    enum weir_status status = weir_flow_check(&(struct weir_flow_proof){analysis, s->x, s->s, s->chosen}, &holds, why);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (!status && !holds)
        return weir_fail(error, WEIR_INTERNAL, "verification failed: %s", why);
    analysis->verified = status == WEIR_OK; /* not where numbers get too long to check */
    return WEIR_OK;
}

static void fill_in(struct weir_edf_system *s, struct weir_edf_analysis *analysis)
{
    *analysis = (struct weir_edf_analysis){.pipeline = s->pipeline,
                                           .cores = s->cores,
                                           .sporadic = s->loose,
                                           .operators = s->operators,
                                           .latencies = s->latencies,
                                           .latency_count = s->pipeline->chain_count,
                                           .buffers = s->buffers,
                                           .buffer_count = s->flow->edge_count};
    for (size_t i = 0; i < s->pipeline->chain_count; i++)
        s->latencies[i] = (struct weir_edf_latency){.chain = s->pipeline->chains[i], .worst = {0, 1}, .gathering = {0, 1}};
}

enum weir_status weir_edf_analyze(const struct weir_pipeline *pipeline, const struct weir_edf_options *options,
                                  struct weir_edf_analysis **analysis, struct weir_error *error)
{
    struct weir_edf_system s = {.pipeline = pipeline};
    struct answer *answer = NULL;
    void *scratch = NULL;
    *analysis = NULL;
    enum weir_status status = weir_pipeline_require(pipeline, WEIR_PLATFORM_CORES, error);
    if (status)
        return status;
    s.flow = pipeline->flow;
    s.narrow = !options || !options->tardiness;
    s.cores = options && options->cores ? options->cores : pipeline->cores;
    if (s.cores > WEIR_CORES_MAX)
        return weir_fail(error, WEIR_INVALID, "a platform has 1 to %d cores", WEIR_CORES_MAX);
    for (size_t i = 0; i < pipeline->source_count; i++)
        s.loose = s.loose || !weir_edf_is_even(&pipeline->sources[i]);
    if (make_room(&s, &answer, &scratch)) {
        s.why = answer->why;
        fill_in(&s, &answer->analysis);
        status = run(&s, &answer->analysis);
    } else {
        status = WEIR_MEMORY;
    }
    if (status == WEIR_MEMORY)
        weir_fail_memory(error);
    else if (status)
        weir_fail(error, status, "a time or a number of samples does not fit; a coarser unit may help");
    if (!status) {
        answer->analysis.buffer_total = s.buffer_total;
        answer->analysis.overloaded = s.overloaded;
        prove_growth(&s);
        if (!answer->analysis.schedulable)
            clear(&s, &answer->analysis);
        else if (options && options->verify)
            status = verify(&s, &answer->analysis, error);
    }
    weir_free(scratch);
    if (status) {
        weir_free(answer);
        return status;
    }
    *analysis = &answer->analysis;
    return WEIR_OK;
}

void weir_edf_analysis_free(struct weir_edf_analysis *analysis)
{
    weir_free(analysis);
}
