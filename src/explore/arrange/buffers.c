/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest total capacity with which every latency keeps its limit. From above, a descent that takes places away finds
 * something to begin with; from below, all capacities of each total are tried until one will do or the total of the descent is
 * reached: then nothing smaller exists.
 *
 * Least capacities of single queues come from the relaxation, with all other queues as large as they like.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "explore/arrange/search.h"
#include "explore/margins/relax.h"
#include "model/pipeline.h"

#include <string.h>

#define GENEROUS 32 /* places more than the least, to begin with */
#define NODES_MAX UINT64_C(20000000)
#define KEPT 0 /* first part of a score: every latency keeps its limit; second: the total */

struct buffers {
    struct weir_arrange_search *search;
    struct weir_design_space space; /* a capacity for each queue that is sized and blocks */
    int64_t *least;                 /* by variable: fewer are never enough */
    int64_t *limits;                /* by chain: what its latency must keep; INT64_MAX: nothing */
    bool *counted;                  /* by queue: sized, but never blocks: the analysis says what it holds */
    int64_t total_least;            /* of all queues that are sized */
    struct weir_relaxation *relaxation;
    struct weir_scorer scorer;
    struct weir_best best;
    int64_t *list;      /* points */
    uint32_t *capacity; /* by queue: scratch for the relaxation */
    int64_t *extra;     /* by variable: scratch of the enumeration */
    uint64_t nodes;     /* of it, so far */
    bool exhausted;     /* it was given up */
    struct weir_arena arena;
};

/* ---- what a point is worth ---- */

static bool keeps_limits(const struct buffers *b, const struct weir_candidate *answer)
{
    for (size_t i = 0; i < answer->chain_count; i++)
        if (b->limits[i] != INT64_MAX && answer->worst[i] > b->limits[i])
            return false;
    return answer->kind == WEIR_CANDIDATE_BOUNDS;
}

static void judge(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score)
{
    const struct buffers *b = context;
    weir_candidate_score(b->search->model, answer, NULL, score);
    score->part[1] = 0;
    score->part[0] = keeps_limits(b, answer) ? KEPT : 1 + (int64_t)answer->kind;
    if (score->part[0] != KEPT)
        return;
    for (size_t i = 0; i < b->space.count; i++)
        score->part[1] += point[i];
    for (size_t i = 0; i < answer->queue_count; i++)
        score->part[1] += b->counted[i] ? answer->capacity[i] : 0;
}

/* ---- queues and limits ---- */

static void choose_queues(struct buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    for (uint32_t i = 0; i < model->queue_count; i++) {
        const struct weir_queue_spec *q = &model->queues[i];
        bool given = q->capacity != WEIR_AUTO && q->capacity != WEIR_UNBOUNDED;
        if (q->nonblocking)
            b->counted[i] = q->capacity == WEIR_AUTO;
        else if (q->capacity == WEIR_AUTO || (given && b->search->options->resize))
            b->space.variables[b->space.count++] = (struct weir_variable){WEIR_VARIABLE_CAPACITY, i};
        if (b->counted[i])
            b->total_least += q->initial > 1 ? q->initial : 1;
    }
}

static void find_limits(struct buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    for (size_t i = 0; i < model->chain_count; i++) {
        b->limits[i] = b->search->options->within ? b->search->options->within : INT64_MAX;
        if (model->chains[i].has_deadline && model->chains[i].deadline < b->limits[i])
            b->limits[i] = model->chains[i].deadline;
    }
}

static void loosen(struct buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    for (size_t i = 0; i < model->queue_count; i++)
        b->capacity[i] = model->queues[i].capacity == WEIR_AUTO ? WEIR_UNBOUNDED : model->queues[i].capacity;
    for (size_t i = 0; i < b->space.count; i++)
        b->capacity[b->space.variables[i].index] = WEIR_UNBOUNDED;
}

/* False when not even queues without end will do. */
static bool find_least(struct buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    loosen(b);
    if (!weir_relaxation_possible(b->relaxation, b->capacity))
        return false;
    for (size_t i = 0; i < b->space.count; i++) {
        uint32_t queue = b->space.variables[i].index, initial = model->queues[queue].initial;
        uint32_t low = initial > 1 ? initial : 1, high = WEIR_QUEUE_MAX;
        while (low < high) {
            b->capacity[queue] = low + (high - low) / 2;
            if (weir_relaxation_possible(b->relaxation, b->capacity))
                high = b->capacity[queue];
            else
                low = b->capacity[queue] + 1;
        }
        b->capacity[queue] = WEIR_UNBOUNDED;
        b->least[i] = low;
        b->total_least += low;
    }
    return true;
}

/* ---- from above ---- */

/* Offers the point, and takes places away from it as long as the limits are kept. */
static enum weir_status descend(struct buffers *b, const int64_t *start, struct weir_error *error)
{
    size_t width = b->space.count, done, count = 1;
    struct weir_score scores[WEIR_SCORER_LIST];
    memcpy(b->list, start, width * sizeof *start);
    for (bool better = true; better;) {
        better = false;
        /* Lists of neighbours with fewer places in one queue: half of what it has above the least, one less. */
        for (size_t next = 0; count && !weir_scorer_stopped(&b->scorer);) {
            enum weir_status status = weir_scorer_score(&b->scorer, b->list, count, scores, &done, error);
            if (status)
                return status;
            for (size_t i = 0; i < done; i++)
                if (scores[i].part[0] == KEPT && (!b->best.any || weir_score_compare(&scores[i], &b->best.score) < 0)) {
                    weir_best_offer(&b->best, b->list + i * width, width, &scores[i]);
                    better = true;
                }
            for (count = 0; b->best.any && next < 2 * width && count < WEIR_SCORER_LIST; next++) {
                int64_t *point = b->list + count * width, above = b->best.point[next / 2] - b->least[next / 2];
                if (above < 1 || (next % 2 && above < 3))
                    continue;
                memcpy(point, b->best.point, width * sizeof *point);
                point[next / 2] -= next % 2 ? above / 2 : 1;
                count++;
            }
        }
        count = better && b->best.any ? 1 : 0;
        if (count)
            memcpy(b->list, b->best.point, width * sizeof *b->list);
    }
    return WEIR_OK;
}

static enum weir_status begin(struct buffers *b, int64_t *start, struct weir_error *error)
{
    const struct weir_candidate *before = b->search->before;
    enum weir_status status = WEIR_OK;
    bool known = true;
    for (size_t i = 0; i < b->space.count; i++) {
        start[i] = before->capacity[b->space.variables[i].index];
        known &= start[i] >= b->least[i];
    }
    if (known)
        status = descend(b, start, error);
    for (size_t i = 0; i < b->space.count; i++)
        start[i] = b->least[i] + GENEROUS;
    return status || b->best.any ? status : descend(b, start, error);
}

/* ---- from below ---- */

static void set_capacity(struct buffers *b, size_t variable, int64_t extra)
{
    b->capacity[b->space.variables[variable].index] = (uint32_t)(b->least[variable] + extra);
}

/* Whether the shares of the first `fixed` queues may stand, with `rest` places for the others. */
static bool possible(struct buffers *b, size_t fixed, int64_t rest)
{
    for (size_t i = 0; i < b->space.count; i++)
        set_capacity(b, i, i < fixed ? b->extra[i] : rest);
    b->nodes++;
    return weir_relaxation_possible(b->relaxation, b->capacity);
}

static enum weir_status offer(struct buffers *b, size_t count, struct weir_error *error)
{
    struct weir_score scores[WEIR_SCORER_LIST];
    size_t done, width = b->space.count;
    enum weir_status status = weir_scorer_score(&b->scorer, b->list, count, scores, &done, error);
    for (size_t i = 0; i < done && !status; i++)
        if (scores[i].part[0] == KEPT)
            weir_best_offer(&b->best, b->list + i * width, width, &scores[i]);
    return status;
}

/*
 * All ways to share out `more` places among the queues. A queue gets its share after the ones before it; where the rest, given to
 * every queue behind it at once, leaves no latency possible even without any waiting for processors, no way that begins so is worth
 * an analysis. Nothing else is left out: a latency may well rise with a capacity.
 */
static enum weir_status try_level(struct buffers *b, int64_t more, struct weir_error *error)
{
    size_t count = 0, depth = 0, width = b->space.count;
    int64_t rest = more; /* what the queues before `depth` have left */
    enum weir_status status = WEIR_OK;
    b->extra[0] = -1;
    for (;;) {
        bool last = depth + 1 == width;
        int64_t share = last ? (b->extra[depth] < 0 ? rest : rest + 1) : b->extra[depth] + 1;
        if (share > rest) { /* all shares of this queue are through */
            if (depth == 0)
                break;
            rest += b->extra[--depth];
            continue;
        }
        b->extra[depth] = share;
        if (b->nodes >= NODES_MAX || ((b->nodes & 1023) == 0 && weir_scorer_stopped(&b->scorer))) {
            b->exhausted = true;
            return WEIR_OK;
        }
        if (!possible(b, depth + 1, rest - share))
            continue;
        if (!last) {
            rest -= share;
            b->extra[++depth] = -1;
            continue;
        }
        for (size_t i = 0; i < width; i++)
            b->list[count * width + i] = b->least[i] + b->extra[i];
        if (++count == WEIR_SCORER_LIST) {
            status = offer(b, count, error);
            count = 0;
            if (status || b->scorer.ended)
                return status;
        }
    }
    return count ? offer(b, count, error) : status;
}

/* *proved becomes the largest total below which nothing will do. */
static enum weir_status climb(struct buffers *b, int64_t *proved, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    *proved = b->total_least;
    while (!status && !weir_scorer_stopped(&b->scorer) && !(b->best.any && *proved >= b->best.score.part[1])) {
        status = try_level(b, *proved - b->total_least, error);
        if (b->scorer.ended || b->exhausted)
            break;
        if (!(b->best.any && *proved >= b->best.score.part[1]))
            ++*proved;
    }
    return status;
}

/* ---- all of it ---- */

static void tell(struct buffers *b, bool possible)
{
    const struct weir_exploration *result = b->search->result;
    char *note = b->search->note;
    if (!possible)
        snprintf(note, WEIR_NOTE_TEXT,
                 "No capacities will do: the latency is longer even without any waiting for processors or for room.");
    else if (b->space.count == 0)
        snprintf(note, WEIR_NOTE_TEXT, "There is no blocking queue left to size (%s).",
                 b->search->options->resize ? "all are unbounded or do not block" : "capacities that the model gives are kept");
    else if (!b->best.any && result->total_before < 0)
        snprintf(note, WEIR_NOTE_TEXT,
                 "No capacities with which every latency keeps its limit were found; fewer than %lld slots in all are not enough.",
                 (long long)result->total_least);
    else if (!result->complete)
        snprintf(
            note, WEIR_NOTE_TEXT,
            "Not proved to be the smallest: fewer than %lld slots in all are not enough, and totals in between were not tried.",
            (long long)result->total_least);
}

static enum weir_status run(struct buffers *b, struct weir_error *error)
{
    struct weir_exploration *result = b->search->result;
    bool possible = find_least(b), kept = keeps_limits(b, b->search->before);
    enum weir_status status = WEIR_OK;
    result->total_before = kept ? 0 : -1;
    for (size_t i = 0; kept && i < b->space.count; i++)
        result->total_before += b->search->before->capacity[b->space.variables[i].index];
    for (size_t i = 0; kept && i < b->search->before->queue_count; i++)
        result->total_before += b->counted[i] ? b->search->before->capacity[i] : 0;
    result->total = result->total_before;
    result->total_least = kept && !b->space.count ? result->total_before : b->total_least;
    result->complete = true;
    if (possible && b->space.count) {
        int64_t *start = weir_array(b->space.count, sizeof *start);
        status = start ? begin(b, start, error) : weir_fail_memory(error);
        weir_free(start);
        if (!status)
            status = climb(b, &result->total_least, error);
        bool proved = b->best.any && result->total_least >= b->best.score.part[1];
        weir_search_end(b->search, &b->scorer, proved);
        result->interrupted |= b->exhausted && !proved;
    }
    bool better = b->best.any && (!kept || b->best.score.part[1] < result->total_before);
    if (!status && better) {
        result->total = b->best.score.part[1];
        status = weir_design_space_apply(&b->space, b->best.point, &result->pipeline, error);
    }
    tell(b, possible);
    return status;
}

static enum weir_status prepare(struct buffers *b, struct weir_error *error)
{
    const struct weir_pipeline *model = b->search->model;
    struct weir_arena *arena = &b->arena;
    size_t queues = model->queue_count;
    b->space.model = model;
    b->space.variables = weir_arena_array(arena, queues, sizeof *b->space.variables);
    b->least = weir_arena_array(arena, queues, sizeof *b->least);
    b->extra = weir_arena_array(arena, queues, sizeof *b->extra);
    b->counted = weir_arena_array(arena, queues, sizeof *b->counted);
    b->capacity = weir_arena_array(arena, queues, sizeof *b->capacity);
    b->limits = weir_arena_array(arena, model->chain_count, sizeof *b->limits);
    b->best.point = weir_arena_array(arena, queues, sizeof *b->best.point);
    b->list = weir_arena_array(arena, queues * WEIR_SCORER_LIST, sizeof *b->list);
    if (arena->failed)
        return weir_fail_memory(error);
    choose_queues(b);
    find_limits(b);
    b->relaxation = weir_relaxation_new(model, b->limits, error);
    b->scorer = weir_search_scorer(b->search, &b->space, (struct weir_judge){judge, b});
    return b->relaxation ? WEIR_OK : WEIR_MEMORY;
}

enum weir_status weir_search_buffers(struct weir_arrange_search *search, struct weir_error *error)
{
    struct buffers b = {.search = search};
    enum weir_status status = prepare(&b, error);
    if (!status)
        status = run(&b, error);
    weir_scorer_free(&b.scorer);
    weir_relaxation_free(b.relaxation);
    weir_arena_free(&b.arena);
    return status;
}
