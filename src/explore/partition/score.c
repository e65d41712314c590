/* SPDX-License-Identifier: Apache-2.0 */
/* What a pipeline comes to with other times of its operators, or of their work on the GPU where they say what that is. */
#include "base/error.h"
#include "base/number.h"
#include "explore/evaluate.h"
#include "explore/partition/rows.h"

#include <string.h>

void weir_scorer_end(struct weir_partition_scorer *s)
{
    weir_evaluator_free(s->evaluator);
    weir_rows_free(s->rows);
    weir_arena_free(&s->arena);
}

enum weir_status weir_scorer_make(struct weir_partition_scorer *s, const struct weir_partition_study *study,
                                  struct weir_error *error)
{
    const struct weir_graph *g = study->pipeline->graph;
    *s = (struct weir_partition_scorer){.study = study};
    s->rows = weir_array_zeroed(1, sizeof *s->rows);
    s->times = weir_arena_array(&s->arena, g->actor_count, sizeof *s->times);
    s->paths = weir_arena_array(&s->arena, g->actor_count, sizeof *s->paths);
    s->from = weir_arena_array(&s->arena, g->actor_count, sizeof *s->from);
    s->counts = weir_arena_array(&s->arena, 2 * study->pipeline->operator_count, sizeof *s->counts);
    s->endless = weir_arena_array(&s->arena, weir_pipeline_chain_count(study->pipeline), sizeof *s->endless);
    if (!s->rows || s->arena.failed)
        return weir_fail_memory(error);
    memcpy(s->times, g->hi, g->actor_count * sizeof *s->times);
    if (study->rows) {
        *s->rows = *study->rows;
        s->rows->borrowed = s->rows->count;
    }
    struct weir_error inner = {.status = WEIR_MEMORY};
    s->evaluator = weir_evaluator_new(study->pipeline, &inner);
    if (s->evaluator)
        return WEIR_OK;
    if (inner.status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (error)
        *error = inner;
    return inner.status;
}

uint32_t weir_scorer_actor(const struct weir_partition_scorer *s, uint32_t profile)
{
    uint32_t op = s->study->options->profiles[profile].op.index;
    const struct weir_evaluator *e = s->evaluator;
    return s->study->pipeline->operators[op].launch ? e->work_of[op] : e->actor_of[op];
}

enum weir_status weir_scorer_set(struct weir_partition_scorer *s, uint32_t profile, int64_t best, int64_t worst,
                                 struct weir_error *error)
{
    struct weir_operator op = s->study->options->profiles[profile].op;
    s->times[weir_scorer_actor(s, profile)] = worst;
    return s->study->pipeline->operators[op.index].launch ? weir_evaluator_set_work(s->evaluator, op, best, worst, error)
                                                          : weir_evaluator_set_times(s->evaluator, op, best, worst, error);
}

/* ---- rows ---- */

/* The longest path within an iteration from the start of one operator to the finish of another: no latency between them can be kept
 * below it. -1: there is no such path. */
static int64_t longest_path(struct weir_partition_scorer *s, const struct weir_chain_spec *chain)
{
    const struct weir_graph *g = s->study->pipeline->graph;
    uint32_t begin = g->start_of[chain->from.index], end = g->finish_of[chain->to.index];
    for (uint32_t a = begin; a < g->actor_count; a++)
        s->paths[a] = -1;
    if (end < begin)
        return -1;
    s->paths[begin] = 0;
    s->from[begin] = UINT32_MAX;
    for (uint32_t a = begin; a < end; a++) {
        for (uint32_t r = g->out_first[a]; s->paths[a] >= 0 && r < g->out_first[a + 1]; r++) {
            if (g->out_runs[r].tokens)
                continue;
            int64_t path = s->paths[a] + (g->out_runs[r].finish ? s->times[a] : 0);
            for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end; i++)
                if (path > s->paths[g->heads[i]]) {
                    s->paths[g->heads[i]] = path;
                    s->from[g->heads[i]] = a;
                }
        }
    }
    return s->paths[end] < 0 ? -1 : s->paths[end] + s->times[end];
}

/* A row of one form, that is so long with the times that are set and has so many executions of each profile. */
static enum weir_status add_row(struct weir_partition_scorer *s, uint32_t chain, int64_t length, const int64_t *counts,
                                struct weir_error *error)
{
    struct weir_partition_row row;
    if (!weir_row_make(s->study, 1, &row))
        return weir_fail_memory(error);
    row.chain = chain;
    row.base[0] = length;
    for (uint32_t i = 0; i < s->study->options->profile_count; i++) {
        row.pieces[i].worst = counts[i];
        row.base[0] -= counts[i] * s->times[weir_scorer_actor(s, i)];
    }
    if (!weir_rows_add(s->study, s->rows, &row))
        weir_row_free(&row);
    return WEIR_OK;
}

/* Of a path that longest_path has found. */
static enum weir_status add_path(struct weir_partition_scorer *s, uint32_t index, const struct weir_chain_spec *chain, int64_t path,
                                 struct weir_error *error)
{
    const struct weir_graph *g = s->study->pipeline->graph;
    int64_t counts[PARTS_MAX] = {0}, later = path;
    for (uint32_t a = g->finish_of[chain->to.index]; a != UINT32_MAX; later = s->paths[a], a = s->from[a])
        for (uint32_t i = 0; i < s->study->options->profile_count; i++)
            counts[i] += weir_scorer_actor(s, i) == a && later > s->paths[a]; /* over a finish */
    return add_row(s, index, path, counts, error);
}

/* What makes the latency of a chain as long as it is. A division with a best case above 0 may have a shorter one. */
static enum weir_status add_gradient(struct weir_partition_scorer *s, uint32_t chain, int64_t latency, struct weir_error *error)
{
    const struct weir_pipeline *p = s->study->pipeline;
    int64_t *work = s->counts + p->operator_count, counts[PARTS_MAX];
    bool exact;
    if (!s->study->instant)
        return WEIR_OK;
    enum weir_status status = weir_evaluator_gradients(s->evaluator, chain, s->counts, work, &exact, error);
    if (status || !exact)
        return status;
    for (uint32_t i = 0; i < s->study->options->profile_count; i++) {
        uint32_t op = s->study->options->profiles[i].op.index;
        counts[i] = p->operators[op].launch ? work[op] : s->counts[op];
    }
    return add_row(s, chain, latency, counts, error);
}

/* ---- scores ---- */

static void count_latency(struct weir_partition_score *score, const struct weir_chain_spec *chain, int64_t latency)
{
    score->missed += chain->has_deadline && latency > chain->deadline;
    if (!weir_add(score->total, latency, &score->total))
        score->total = INT64_MAX;
}

/* Rows that are as long as a latency is with the times that are set. */
static enum weir_status add_rows(struct weir_partition_scorer *s, uint32_t chain, const struct weir_separation *worst, int64_t path,
                                 struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    bool bounded = worst->outcome == WEIR_EXACT || (worst->outcome == WEIR_BRACKET && worst->upper < INT64_MAX);
    if (path >= 0 && bounded) /* what has no bound is no part of the sum */
        status = add_path(s, chain, &s->study->pipeline->chains[chain], path, error);
    if (!status && worst->outcome == WEIR_EXACT)
        status = add_gradient(s, chain, worst->value, error);
    return status;
}

enum weir_status weir_scorer_ask(struct weir_partition_scorer *s, enum weir_partition_asked asked,
                                 struct weir_partition_score *score, struct weir_error *error)
{
    const struct weir_pipeline *p = s->study->pipeline;
    bool lower = asked == WEIR_ASKED_LOWER || asked == WEIR_ASKED_PATHS;
    *score = (struct weir_partition_score){0};
    for (uint32_t i = 0; i < p->chain_count; i++) {
        struct weir_chain_spec chain = p->chains[i];
        struct weir_separation worst = {.outcome = WEIR_BRACKET, .lower = 0, .upper = INT64_MAX};
        int64_t path = chain.shift == 0 ? longest_path(s, &chain) : -1;
        enum weir_status status = WEIR_OK;
        if (asked != WEIR_ASKED_PATHS)
            status = weir_evaluator_latency(s->evaluator, i, &worst, error);
        if (!status && asked == WEIR_ASKED_ROWS)
            status = add_rows(s, i, &worst, path, error);
        if (status)
            return status;
        s->endless[i] = worst.outcome == WEIR_NO_BOUND || (worst.outcome == WEIR_BRACKET && !lower && worst.upper == INT64_MAX);
        if (worst.outcome == WEIR_NO_EVENTS)
            continue;
        if (s->endless[i]) {
            score->unbounded++;
            score->missed += chain.has_deadline;
            continue;
        }
        int64_t latency = worst.outcome == WEIR_EXACT ? worst.value : lower ? worst.lower : worst.upper;
        count_latency(score, &chain, lower && path > latency ? path : latency);
    }
    return WEIR_OK;
}
