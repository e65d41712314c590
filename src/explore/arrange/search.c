/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Priorities and mappings. All arrangements when there are few; otherwise hill climbing from several starts.
 *
 * Audsley's algorithm, which gives out the lowest priority first, would need the response of an operator to depend on which
 * operators stand above it, and not on their order among themselves. Here it depends on their finishes, and these on their order.
 */
#include "explore/arrange/search.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "explore/arrange/arrange.h"
#include "model/pipeline.h"

#include <string.h>

#define ALL_MAX 5000 /* arrangements that are all tried */
#define STARTS_DEFAULT 8
#define EVALUATIONS_DEFAULT 10000

/* Demand of windows that an analysis of the search may look at: hundreds of times what is usual. Searches like to end up where
 * bounds creep up tick by tick, and there is no hurry to know what they come to. */
#define WORK_LEAST 10000000
#define WORK_PER_OPERATOR 1000000
#define WORK_STOPPED 50000000 /* some tenths of a second */

/* ---- what all searches share ---- */

void weir_best_offer(struct weir_best *best, const int64_t *point, size_t width, const struct weir_score *score)
{
    if (best->any && weir_score_compare(score, &best->score) >= 0)
        return;
    memcpy(best->point, point, width * sizeof *point);
    best->score = *score;
    best->any = true;
}

struct weir_scorer weir_search_scorer(const struct weir_arrange_search *search, const struct weir_design_space *space,
                                      struct weir_judge judge)
{
    return (struct weir_scorer){.space = space,
                                .analysis = &search->analysis,
                                .options = search->options,
                                .judge = judge,
                                .limit = search->options->evaluations - search->result->evaluations};
}

void weir_search_end(struct weir_arrange_search *search, const struct weir_scorer *scorer, bool complete)
{
    search->result->evaluations += scorer->evaluations;
    search->result->complete = complete;
    search->result->interrupted = scorer->ended && !complete;
}

/* ---- priorities and mappings ---- */

static void judge(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score)
{
    const struct weir_arrangement *a = context;
    weir_candidate_score(a->model, answer, NULL, score);
    score->part[WEIR_SCORE_PARTS - 1] = weir_arrangement_distance(a, point);
}

struct run {
    struct weir_arrange_search *search;
    struct weir_arrangement *arrangement;
    struct weir_scorer scorer;
    struct weir_best best;
    int64_t *point, *list; /* lists of them: scratch */
    uint32_t *digits;      /* by seat */
    struct weir_arena arena;
};

/* A wave of starts, whose points lie in run.point. */
struct starts {
    uint32_t first, count; /* their numbers */
    struct weir_random random;
    struct weir_score scores[WEIR_SCORER_LIST];
    uint32_t order[WEIR_SCORER_LIST];
};

static enum weir_status try_all(struct run *r, uint64_t count, struct weir_error *error)
{
    struct weir_arrangement *a = r->arrangement;
    size_t width = a->space.count;
    struct weir_score scores[WEIR_SCORER_LIST];
    memset(r->digits, 0, a->seat_count * sizeof *r->digits);
    for (bool more = true; more && !r->scorer.ended;) {
        size_t filled = 0, done;
        for (; more && filled < WEIR_SCORER_LIST; filled++) {
            weir_arrangement_build(a, r->digits, r->point + filled * width);
            more = weir_arrangement_next(a, r->digits);
        }
        enum weir_status status = weir_scorer_score(&r->scorer, r->point, filled, scores, &done, error);
        if (status)
            return status;
        for (size_t i = 0; i < done; i++)
            weir_best_offer(&r->best, r->point + i * width, width, &scores[i]);
        weir_scorer_reached(&r->scorer, (unsigned)(r->scorer.evaluations * 1000 / count));
    }
    return WEIR_OK;
}

/* Scores the starts of a wave, and gives the order in which to climb from them: the best first, of equals the one that was made
 * first. */
static enum weir_status score_starts(struct run *r, struct starts *s, struct weir_error *error)
{
    size_t width = r->arrangement->space.count, done;
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->count && !status; i++)
        status = weir_arrangement_start(r->arrangement, s->first + i, &s->random, r->point + i * width, error);
    if (!status)
        status = weir_scorer_score(&r->scorer, r->point, s->count, s->scores, &done, error);
    if (status)
        return status;
    s->count = (uint32_t)done;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = i;
        weir_best_offer(&r->best, r->point + i * width, width, &s->scores[i]);
        for (; at > 0 && weir_score_compare(&s->scores[i], &s->scores[s->order[at - 1]]) < 0; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
    return WEIR_OK;
}

/* Each start has an equal share of the evaluations to find a better neighbour in; one that finds some may go on. */
static enum weir_status climb_all(struct run *r, struct weir_error *error)
{
    size_t width = r->arrangement->space.count;
    uint32_t starts = r->search->options->starts;
    struct weir_hill_climb climb = {.scorer = &r->scorer, .arrangement = r->arrangement, .list = r->list};
    struct starts s = {.first = 0};
    weir_random_seed(&s.random, r->search->options->seed);
    while (s.first < starts && !weir_scorer_stopped(&r->scorer)) {
        uint32_t wave = starts - s.first < WEIR_SCORER_LIST ? starts - s.first : WEIR_SCORER_LIST;
        s.count = wave;
        enum weir_status status = score_starts(r, &s, error);
        for (uint32_t i = 0; i < s.count && !status && !weir_scorer_stopped(&r->scorer); i++) {
            weir_random_seed(&climb.random, weir_random_next(&s.random));
            climb.patience = (r->scorer.limit - r->scorer.evaluations) / (starts - s.first - i) + 1;
            status = weir_hill_climb_run(&climb, r->point + s.order[i] * width, &r->best, error);
            weir_scorer_reached(&r->scorer, (unsigned)((s.first + i + UINT64_C(1)) * 1000 / starts));
        }
        if (status)
            return status;
        s.first += wave;
    }
    return WEIR_OK;
}

static enum weir_status run(struct run *r, struct weir_error *error)
{
    struct weir_arrange_search *search = r->search;
    struct weir_arrangement *a = r->arrangement;
    struct weir_score before;
    uint64_t limit = search->options->evaluations < ALL_MAX ? search->options->evaluations : ALL_MAX;
    uint64_t count = weir_arrangement_count(a, limit);
    enum weir_status status = count <= limit ? try_all(r, count, error) : climb_all(r, error);
    if (status)
        return status;
    weir_search_end(search, &r->scorer, count <= limit && !r->scorer.ended);
    weir_candidate_score(a->model, search->before, NULL, &before);
    /* Nothing is nearer to the model than the model, so that what is only as good is never less. */
    if (!r->best.any || weir_score_compare(&r->best.score, &before) >= 0)
        return WEIR_OK;
    return weir_design_space_apply(&a->space, r->best.point, &search->result->pipeline, error);
}

static void tell(struct weir_arrange_search *search, const struct weir_arrangement *a)
{
    bool mapping = search->options->goal == WEIR_EXPLORE_MAPPING;
    if (a->seat_count == 0)
        snprintf(search->note, WEIR_NOTE_TEXT, "%s",
                 mapping ? "No operator is on a fixed-priority processor: there is nothing to move."
                         : "No two operators share a fixed-priority processor: there is nothing to order.");
    else
        snprintf(search->note, WEIR_NOTE_TEXT,
                 "Audsley's algorithm does not apply: how late an operator is depends also on the order of those above it, through "
                 "their latest finishes.%s",
                 search->result->complete ? " All assignments were tried." : " Hill climbing: a better assignment may exist.");
}

enum weir_status weir_search_arrangement(struct weir_arrange_search *search, struct weir_error *error)
{
    struct run r = {.search = search};
    enum weir_status status = weir_arrangement_new(search->model, search->options, &r.arrangement, error);
    if (status)
        return status;
    struct weir_arrangement *a = r.arrangement;
    if (a->seat_count == 0) {
        search->result->complete = true;
    } else {
        size_t width = a->space.count;
        r.scorer = weir_search_scorer(search, &a->space, (struct weir_judge){judge, a});
        r.point = weir_arena_array(&r.arena, WEIR_SCORER_LIST * width, sizeof *r.point);
        r.list = weir_arena_array(&r.arena, WEIR_SCORER_LIST * width, sizeof *r.list);
        r.best.point = weir_arena_array(&r.arena, width, sizeof *r.best.point);
        r.digits = weir_arena_array(&r.arena, a->seat_count, sizeof *r.digits);
        status = r.arena.failed ? weir_fail_memory(error) : run(&r, error);
    }
    if (!status)
        tell(search, a);
    weir_scorer_free(&r.scorer);
    weir_arena_free(&r.arena);
    weir_arrangement_free(a);
    return status;
}

/* ---- any of them ---- */

/* What the caller gets, and what it owns besides. */
struct exploration {
    struct weir_exploration result;
    char note[WEIR_NOTE_TEXT];
};

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_explore_options *options,
                              struct weir_error *error)
{
    enum weir_status status = weir_pipeline_require_sealed(pipeline, error);
    if (status)
        return status;
    enum weir_platform platform = weir_pipeline_platform(pipeline);
    if (platform != WEIR_PLATFORM_PROCESSORS)
        return weir_fail(error, WEIR_INVALID, "only models whose operators share processors can be explored so far%s",
                         platform == WEIR_PLATFORM_THREADS ? "; those of this one have threads of their own" : "");
    if (options->method >= WEIR_PRIORITY_METHODS || !weir_priority_method_safe(options->method))
        return weir_fail(error, WEIR_INVALID, "a search needs a method whose bounds are never exceeded");
    if (options->within < 0 || options->latency_limit < 0)
        return weir_fail(error, WEIR_INVALID, "a latency to keep must not be negative");
    return WEIR_OK;
}

static enum weir_status search_goal(struct weir_arrange_search *search, struct weir_error *error)
{
    switch (search->options->goal) {
    case WEIR_EXPLORE_PRIORITIES:
    case WEIR_EXPLORE_MAPPING:
        return weir_search_arrangement(search, error);
    case WEIR_EXPLORE_SPACING:
        return weir_search_spacing(search, error);
    case WEIR_EXPLORE_BUFFERS:
        return weir_search_buffers(search, error);
    }
    return weir_fail(error, WEIR_INVALID, "there is no such goal");
}

/* Thoroughly, until somebody asks to stop; *stopped: somebody has. */
static enum weir_status analyze(const struct weir_arrange_search *search, const struct weir_pipeline *model,
                                struct weir_priority_analysis **analysis, bool *stopped, struct weir_error *error)
{
    const bool *stop = search->options->stop;
    struct weir_priority_options thorough = search->analysis;
    thorough.work_limit = 0;
    thorough.verify = search->options->verify;
    const bool *before = weir_interrupt_watch(stop ? stop : weir_interrupt_watched());
    enum weir_status status = weir_priority_analyze(model, &thorough, analysis, error);
    weir_interrupt_watch(before);
    *stopped = stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
    return status;
}

/* Of what was found; where somebody asked to stop, in a part of a second, which may be too short to find a bound. */
static enum weir_status analyze_found(const struct weir_arrange_search *search, struct weir_error *error)
{
    struct weir_exploration *result = search->result;
    struct weir_priority_options short_of_time = search->analysis;
    bool stopped;
    enum weir_status status = analyze(search, result->pipeline, &result->after, &stopped, error);
    if (status || !stopped)
        return status;
    weir_priority_analysis_free(result->after);
    result->after = NULL;
    short_of_time.verify = search->options->verify;
    if (short_of_time.work_limit > WORK_STOPPED)
        short_of_time.work_limit = WORK_STOPPED;
    return weir_priority_analyze(result->pipeline, &short_of_time, &result->after, error);
}

static enum weir_status explore(struct weir_arrange_search *search, struct weir_error *error)
{
    struct weir_exploration *result = search->result;
    bool stopped;
    enum weir_status status = analyze(search, search->model, &result->before, &stopped, error);
    if (status)
        return status;
    if (stopped) { /* before anything was tried; what is known of the model may not be all */
        result->interrupted = true;
        result->total_before = result->total = -1;
        return WEIR_OK;
    }
    search->before = weir_candidate_of(search->model, result->before);
    status = search->before ? search_goal(search, error) : weir_fail_memory(error);
    weir_free(search->before);
    return !status && result->pipeline ? analyze_found(search, error) : status;
}

enum weir_status weir_explore(const struct weir_pipeline *pipeline, const struct weir_explore_options *options,
                              struct weir_exploration **exploration, struct weir_error *error)
{
    *exploration = NULL;
    enum weir_status status = check(pipeline, options, error);
    if (status)
        return status;
    struct exploration *made = weir_array_zeroed(1, sizeof *made);
    if (!made)
        return weir_fail_memory(error);
    struct weir_explore_options complete = *options;
    complete.starts = options->starts ? options->starts : STARTS_DEFAULT;
    complete.evaluations = options->evaluations ? options->evaluations : EVALUATIONS_DEFAULT;
    uint64_t work = (uint64_t)pipeline->operator_count * WORK_PER_OPERATOR;
    struct weir_arrange_search search = {
        .model = pipeline,
        .options = &complete,
        .analysis = {.method = options->method,
                     .quick = true,
                     .latency_limit = options->latency_limit,
                     .work_limit = work > WORK_LEAST ? work : WORK_LEAST},
        .result = &made->result,
        .note = made->note,
    };
    status = explore(&search, error);
    if (status) {
        weir_exploration_free(&made->result);
        return status;
    }
    made->result.note = made->note[0] ? made->note : NULL;
    *exploration = &made->result;
    return WEIR_OK;
}

void weir_exploration_free(struct weir_exploration *exploration)
{
    if (!exploration)
        return;
    weir_priority_analysis_free(exploration->before);
    weir_priority_analysis_free(exploration->after);
    weir_pipeline_free(exploration->pipeline);
    weir_free(exploration);
}
