/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/error.h"
#include "explore/arrange/search.h"
#include "model/pipeline.h"

#include <string.h>

#define STARTS_DEFAULT 8
#define EVALUATIONS_DEFAULT 10000

/* Demand of windows that an analysis of the search may look at: hundreds of times what is usual. Searches like to end up where
 * bounds creep up tick by tick, and there is no hurry to know what they come to. */
#define WORK_LEAST 10000000
#define WORK_PER_OPERATOR 1000000

/* What the caller gets, and what it owns besides. */
struct exploration {
    struct weir_exploration result;
    char note[WEIR_NOTE_TEXT];
};

void weir_best_offer(struct weir_best *best, const int64_t *point, size_t width, const struct weir_score *score)
{
    if (best->any && weir_score_compare(score, &best->score) >= 0)
        return;
    memcpy(best->point, point, width * sizeof *point);
    best->score = *score;
    best->any = true;
}

struct weir_scorer weir_search_scorer(const struct weir_search *search, const struct weir_design_space *space,
                                      struct weir_judge judge)
{
    return (struct weir_scorer){.space = space,
                                .analysis = &search->analysis,
                                .options = search->options,
                                .judge = judge,
                                .limit = search->options->evaluations - search->result->evaluations};
}

void weir_search_end(struct weir_search *search, const struct weir_scorer *scorer, bool complete)
{
    search->result->evaluations += scorer->evaluations;
    search->result->complete = complete;
    search->result->interrupted = scorer->ended && !complete;
}

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
        return weir_fail(error, WEIR_INVALID, "a latency to keep is not negative");
    return WEIR_OK;
}

static enum weir_status search_goal(struct weir_search *search, struct weir_error *error)
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

static enum weir_status explore(struct weir_search *search, struct weir_error *error)
{
    struct weir_exploration *result = search->result;
    struct weir_priority_options thorough = search->analysis;
    thorough.work_limit = 0;
    thorough.verify = search->options->verify;
    enum weir_status status = weir_priority_analyze(search->model, &thorough, &result->before, error);
    if (status)
        return status;
    search->before = weir_candidate_of(search->model, result->before);
    status = search->before ? search_goal(search, error) : weir_fail_memory(error);
    weir_free(search->before);
    if (!status && result->pipeline)
        status = weir_priority_analyze(result->pipeline, &thorough, &result->after, error);
    return status;
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
    struct weir_search search = {
        .model = pipeline,
        .options = &complete,
        .analysis = {.method = options->method,
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
