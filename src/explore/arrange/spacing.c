/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far apart a regulator should keep the inputs of a jittered source. Behind it the source is sporadic, its period the spacing
 * T: the smaller T, the more work can come together; the larger, the longer inputs are held. From the actual arrival of an input a
 * latency is at most the delay in the regulator and the latency behind it (weir_spacing_delay).
 *
 * Every tick from the least spacing that the processors can keep up with to the period is tried when that is possible. Otherwise a
 * raster of them, and then the gaps that could hide something better: a larger spacing allows less to happen, so that latencies
 * behind the regulator in a gap are hardly below those at its upper end, and the delay is that at its lower end or more. The
 * bounds of a method need not follow that, which is why only the first way is complete.
 */
#include "explore/arrange/search.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

#define RASTER 256

struct place {
    int64_t spacing;
    struct weir_score score;
    bool behind; /* the gap behind it has been looked at, as far as it is worth */
};

struct run {
    struct weir_arrange_search *search;
    struct weir_design_space space;
    struct weir_variable variable;
    struct weir_scorer scorer; /* of the source at hand */
    int64_t low, high;         /* its spacings */
    bool *begins;              /* by chain: at that source */
    struct place *places;      /* tried, in order of spacing */
    size_t place_count, place_capacity;
    /* Of all sources. */
    struct weir_score best;
    bool any, complete, interrupted;
};

static const struct weir_source_spec *source_of(const struct run *r)
{
    return &r->space.model->sources[r->variable.index];
}

/* ---- what a spacing is worth ---- */

static int64_t delay_of(const struct run *r, int64_t spacing)
{
    return weir_spacing_delay(source_of(r)->period, source_of(r)->jitter, spacing);
}

static void judge(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score)
{
    const struct run *r = context;
    struct weir_held held = {r->begins, delay_of(r, point[0])};
    weir_candidate_score(r->space.model, answer, &held, score);
    score->part[WEIR_SCORE_PARTS - 1] = -point[0]; /* of equals the calmer */
}

/* The work that each processor gets from one input: it must be done before the next. */
static int64_t least_spacing(const struct weir_pipeline *p, uint32_t source)
{
    const struct weir_taskset *set = p->taskset;
    uint32_t graph = set->tasks[p->sources[source].op.index].graph;
    int64_t least = 1;
    for (uint32_t i = 0; i < set->task_count; i++) {
        int64_t work = 0;
        if (set->tasks[i].graph != graph)
            continue;
        for (uint32_t j = 0; j < set->task_count; j++)
            if (set->tasks[j].graph == graph &&
                (i == j || (set->tasks[i].processor != WEIR_OWN_PROCESSOR && set->tasks[j].processor == set->tasks[i].processor)))
                work = work < WEIR_TIME_MAX ? work + set->tasks[j].worst : WEIR_TIME_MAX;
        least = work > least ? work : least;
    }
    return least;
}

/* ---- trying ---- */

static bool add_places(struct run *r, const int64_t *spacings, const struct weir_score *scores, size_t count)
{
    void *places = r->places;
    if (!weir_reserve(&places, &r->place_capacity, r->place_count + count, sizeof *r->places))
        return false;
    r->places = places;
    for (size_t i = 0; i < count; i++) {
        size_t at = r->place_count++;
        for (; at > 0 && r->places[at - 1].spacing > spacings[i]; at--)
            r->places[at] = r->places[at - 1];
        r->places[at] = (struct place){spacings[i], scores[i], false};
    }
    return true;
}

static void take_best(struct run *r, int64_t spacing, const struct weir_score *score)
{
    struct weir_exploration *result = r->search->result;
    if (r->any && weir_score_compare(score, &r->best) >= 0)
        return;
    r->any = true;
    r->best = *score;
    result->spacing = spacing;
    result->source = r->variable.index;
    result->delay = delay_of(r, spacing);
}

static enum weir_status try_list(struct run *r, const int64_t *spacings, size_t count, bool keep, struct weir_error *error)
{
    struct weir_score scores[WEIR_SCORER_LIST];
    size_t done;
    enum weir_status status = weir_scorer_score(&r->scorer, spacings, count, scores, &done, error);
    for (size_t i = 0; i < done && !status; i++)
        take_best(r, spacings[i], &scores[i]);
    if (!status && keep && !add_places(r, spacings, scores, done))
        status = weir_fail_memory(error);
    return status;
}

/* Every `stride`-th spacing from the largest down, and the least. */
static enum weir_status scan(struct run *r, int64_t stride, bool keep, struct weir_error *error)
{
    int64_t list[WEIR_SCORER_LIST] = {0}, at = r->high;
    enum weir_status status = WEIR_OK;
    for (bool more = true; more && !status && !r->scorer.ended;) {
        size_t count = 0;
        for (; more && count < WEIR_SCORER_LIST; at -= stride) {
            list[count++] = at;
            more = at - r->low >= stride;
        }
        status = try_list(r, list, count, keep, error);
    }
    if (!status && stride > 1)
        status = try_list(r, &r->low, 1, keep, error);
    return status;
}

/* ---- gaps ---- */

/* The best that the gap behind place i may hide: the score of its upper end with the delay of its lower one. The relative sums
 * differ by the delay alone, which is the same for all chains that begin at the source. */
static struct weir_score hope(const struct run *r, size_t i)
{
    const struct weir_pipeline *model = r->space.model;
    struct weir_score score = r->places[i + 1].score;
    int64_t less = delay_of(r, r->places[i + 1].spacing) - delay_of(r, r->places[i].spacing + 1);
    score.part[1] = 0;
    if (score.part[0] != WEIR_CANDIDATE_BOUNDS)
        return score;
    for (uint32_t k = 0; k < model->chain_count; k++)
        if (r->begins[k])
            score.part[2] -= weir_latency_relative(model, k, less) + 1;
    return score;
}

static enum weir_status refine(struct run *r, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    while (!status && !weir_scorer_stopped(&r->scorer)) {
        int64_t list[WEIR_SCORER_LIST] = {0};
        struct weir_score hopes[WEIR_SCORER_LIST] = {0};
        size_t count = 0;
        /* The most hopeful gaps, by insertion. */
        for (size_t i = 0; i + 1 < r->place_count; i++) {
            int64_t from = r->places[i].spacing, to = r->places[i + 1].spacing;
            if (to - from < 2 || r->places[i].behind)
                continue;
            struct weir_score score = hope(r, i);
            if (r->any && weir_score_compare(&score, &r->best) >= 0) {
                r->places[i].behind = true;
                continue;
            }
            size_t at = count < WEIR_SCORER_LIST ? count++ : WEIR_SCORER_LIST;
            for (; at > 0 && weir_score_compare(&score, &hopes[at - 1]) < 0; at--)
                if (at < WEIR_SCORER_LIST) {
                    hopes[at] = hopes[at - 1];
                    list[at] = list[at - 1];
                }
            if (at < WEIR_SCORER_LIST) {
                hopes[at] = score;
                list[at] = from + (to - from) / 2;
            }
        }
        if (count == 0)
            return WEIR_OK;
        status = try_list(r, list, count, true, error);
    }
    return status;
}

/* ---- sources ---- */

static enum weir_status search_source(struct run *r, struct weir_error *error)
{
    struct weir_arrange_search *search = r->search;
    r->scorer = weir_search_scorer(search, &r->space, (struct weir_judge){judge, r});
    for (uint32_t i = 0; i < search->model->chain_count; i++)
        r->begins[i] = weir_source_begins(search->model, r->variable.index, i);
    r->place_count = 0;
    r->high = source_of(r)->period;
    r->low = least_spacing(r->space.model, r->variable.index);
    enum weir_status status = WEIR_OK;
    uint64_t spacings = r->low <= r->high ? (uint64_t)(r->high - r->low) + 1 : 0;
    bool all = spacings <= r->scorer.limit;
    if (all && spacings) {
        status = scan(r, 1, false, error);
    } else if (spacings) {
        status = scan(r, (int64_t)(spacings / RASTER) + 1, true, error);
        if (!status)
            status = refine(r, error);
    }
    r->complete &= all && !r->scorer.ended;
    r->interrupted |= r->scorer.ended;
    search->result->evaluations += r->scorer.evaluations;
    weir_scorer_free(&r->scorer);
    return status;
}

/* Whether a source is one to regulate, and the first of its name. */
static bool wanted(const struct run *r, uint32_t source)
{
    const struct weir_pipeline *p = r->space.model;
    const struct weir_operator *only = r->search->options->source;
    if (p->sources[source].jitter == 0)
        return false;
    for (uint32_t i = 0; i < source; i++)
        if (weir_source_same(p, i, source))
            return false;
    for (uint32_t i = source; only && i < p->source_count; i++)
        if (p->sources[i].op.index == only->index && weir_source_same(p, i, source))
            return true;
    return !only;
}

static enum weir_status finish(struct run *r, uint32_t jittered, struct weir_error *error)
{
    struct weir_arrange_search *search = r->search;
    struct weir_exploration *result = search->result;
    struct weir_score before;
    weir_candidate_score(search->model, search->before, &(struct weir_held){NULL, 0}, &before);
    before.part[WEIR_SCORE_PARTS - 1] = INT64_MIN;
    result->complete = r->complete;
    result->interrupted = r->interrupted && !r->complete;
    snprintf(search->note, WEIR_NOTE_TEXT, "%s",
             jittered
                 ? "Latencies and deadlines that begin at a source with jitter count from the actual arrival of an input here, "
                   "without a regulator and, before it, with one."
                 : "No source has jitter: there is nothing to regulate.");
    r->variable.index = result->source;
    bool better = r->any && weir_score_compare(&r->best, &before) < 0;
    bool idle = better && result->spacing <= source_of(r)->period - source_of(r)->jitter;
    if (idle) {
        size_t used = strlen(search->note);
        snprintf(search->note + used, WEIR_NOTE_TEXT - used, "%s",
                 " Inputs are never so close that a regulator with the best spacing would hold one of them.");
    }
    if (!better || idle) {
        result->spacing = result->delay = 0;
        return WEIR_OK;
    }
    return weir_design_space_apply(&r->space, &result->spacing, &result->pipeline, error);
}

enum weir_status weir_search_spacing(struct weir_arrange_search *search, struct weir_error *error)
{
    struct run r = {.search = search, .variable = {WEIR_VARIABLE_SPACING, 0}, .complete = true};
    enum weir_status status = WEIR_OK;
    uint32_t jittered = 0;
    r.space = (struct weir_design_space){search->model, &r.variable, 1};
    r.begins = weir_array(search->model->chain_count, sizeof *r.begins);
    if (!r.begins)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < search->model->source_count && !status; i++) {
        r.variable.index = i;
        if (!wanted(&r, i))
            continue;
        jittered++;
        status = search_source(&r, error);
    }
    if (!status && search->options->source && !jittered)
        status = weir_fail(error, WEIR_INVALID, "the operator to regulate is not fed by a source with jitter");
    if (!status)
        status = finish(&r, jittered, error);
    weir_free(r.places);
    weir_free(r.begins);
    return status;
}
