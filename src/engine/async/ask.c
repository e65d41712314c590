/* SPDX-License-Identifier: Apache-2.0 */
/* The questions that bounds are made of, asked of the parts. */
#include "base/error.h"
#include "base/number.h"
#include "check/async.h"
#include "engine/async/async.h"
#include "engine/exact/explain.h"

#include <string.h>

static enum weir_status certify(struct weir_sampler *s, struct weir_async_part *part, const struct weir_query *query, int64_t bound)
{
    bool holds = false;
    enum weir_status status = weir_separation_certify(part->solver, query, bound, &holds, s->error);
    if (status == WEIR_OVERFLOW) { /* too large to be made: that says nothing against the bound */
        s->certified = false;
        return WEIR_OK;
    }
    if (!status && !holds)
        return weir_fail(s->error, WEIR_INTERNAL, "verification failed: the certificate of a bound of %lld ticks does not hold",
                         (long long)bound);
    return status;
}

/* The operators of a query, in the words of the user where they are the user's. */
static enum weir_status explain(struct weir_sampler *s, struct weir_async_part *part, const struct weir_query *query,
                                const struct weir_separation *found)
{
    if (found->outcome == WEIR_NO_EVENTS) {
        snprintf(s->why, sizeof s->why, "there are no such events");
        return WEIR_OK;
    }
    if (found->outcome == WEIR_BRACKET) {
        snprintf(s->why, sizeof s->why, "a limit was reached before a bound was found");
        return WEIR_OK;
    }
    char words[WEIR_ASYNC_WHY - 40] = "";
    if (weir_unbounded_explain(part->solver, query, words, sizeof words))
        return weir_fail_memory(s->error);
    snprintf(s->why, sizeof s->why, "%s", *words ? words : "it grows without bound");
    return WEIR_OK;
}

enum weir_status weir_async_separation(struct weir_sampler *s, struct weir_async_part *part, const struct weir_query *query,
                                       struct weir_known *known)
{
    *known = (struct weir_known){0};
    if (part->why) {
        snprintf(s->why, sizeof s->why, "%s", part->why);
        return WEIR_OK;
    }
    if (query->shift > WEIR_QUEUE_MAX || query->shift < -(int64_t)WEIR_QUEUE_MAX) {
        snprintf(s->why, sizeof s->why, "a queue is too large");
        return WEIR_OK;
    }
    struct weir_query limited = *query;
    struct weir_separation found;
    limited.work_limit = s->options->work_limit;
    enum weir_status status = weir_separation_worst(part->solver, &limited, &found, s->error);
    if (status == WEIR_OVERFLOW) {
        snprintf(s->why, sizeof s->why, "times get too long to be represented");
        return WEIR_OK;
    }
    if (status)
        return status;
    bool exact = found.outcome == WEIR_EXACT;
    if (!exact && (found.outcome != WEIR_BRACKET || found.upper >= WEIR_TIME_MAX))
        return explain(s, part, &limited, &found);
    *known = (struct weir_known){.known = true, .reached = exact && part->pure, .value = exact ? found.value : found.upper};
    return s->options->verify ? certify(s, part, &limited, known->value) : WEIR_OK;
}

static struct weir_async_part *part_of(const struct weir_sampler *s, uint32_t op)
{
    return &s->parts[s->part_of[op]];
}

enum weir_status weir_async_starts(struct weir_sampler *s, uint32_t op, int64_t executions, struct weir_known *known)
{
    struct weir_event start = {.op = {s->local_of[op]}, .moment = WEIR_START};
    struct weir_query query = {.from = start, .to = start, .shift = executions};
    return weir_async_separation(s, part_of(s, op), &query, known);
}

/* ---- from time 0 on ---- */

#define ROWS_BYTES_MAX ((size_t)1 << 28)
#define ROWS_WORK_MAX UINT64_C(1000000000)

/* All start as late as they can when everything takes its worst time. Rows are iterations, kept as long as arcs reach back. */
static int64_t latest_start(const struct weir_graph *g, int64_t *rows, int64_t kept, uint32_t actor, int64_t iteration)
{
    for (uint32_t r = 0; r < g->root_count; r++)
        rows[g->roots[r].actor] = g->roots[r].most;
    for (int64_t row = 0; row <= iteration; row++)
        for (uint32_t o = 0; o < g->actor_count; o++) {
            int64_t start = row == 0 ? rows[o] : 0; /* where it begins later than at 0 */
            for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1]; r++) {
                const struct weir_run *run = &g->in_runs[r];
                if (run->tokens > row)
                    continue;
                const int64_t *past = rows + (row - run->tokens) % kept * g->actor_count;
                for (uint32_t t = run->first; t < run->end; t++) {
                    uint32_t tail = g->tails[t];
                    int64_t from = past[tail] + run->offset + (run->finish ? g->hi[tail] : 0);
                    start = from > start ? from : start;
                }
            }
            rows[row % kept * g->actor_count + o] = start;
        }
    return rows[iteration % kept * g->actor_count + actor];
}

enum weir_status weir_async_beginning(struct weir_sampler *s, uint32_t op, enum weir_moment moment, int64_t iteration,
                                      struct weir_known *known)
{
    struct weir_async_part *part = part_of(s, op);
    *known = (struct weir_known){0};
    if (part->why) {
        snprintf(s->why, sizeof s->why, "%s", part->why);
        return WEIR_OK;
    }
    const struct weir_graph *g = part->pipeline->graph;
    uint32_t local = s->local_of[op], actor = moment == WEIR_FINISH ? g->finish_of[local] : g->start_of[local];
    int64_t kept = (g->tokens_max < iteration ? g->tokens_max : iteration) + 1, longest;
    if ((uint64_t)iteration + 1 > ROWS_WORK_MAX / (g->arc_count + g->actor_count) ||
        (uint64_t)kept > ROWS_BYTES_MAX / sizeof(int64_t) / g->actor_count || !weir_multiply(g->row_max, iteration + 2, &longest) ||
        longest >= WEIR_TIME_MAX) {
        snprintf(s->why, sizeof s->why, "a queue is too large for its beginning to be looked at");
        return WEIR_OK;
    }
    int64_t *rows = weir_array_zeroed((size_t)kept * g->actor_count, sizeof *rows);
    if (!rows)
        return weir_fail_memory(s->error);
    int64_t end = moment == WEIR_FINISH ? g->hi[actor] : 0;
    *known =
        (struct weir_known){.known = true, .reached = part->pure, .value = latest_start(g, rows, kept, actor, iteration) + end};
    weir_free(rows);
    if (!s->options->verify)
        return WEIR_OK;
    bool holds = false;
    struct weir_beginning claim = {g, actor, iteration, known->value - end};
    enum weir_status status = weir_beginning_check(&claim, &holds);
    if (status)
        return weir_fail_memory(s->error);
    return holds ? WEIR_OK : weir_fail(s->error, WEIR_INTERNAL, "verification failed: a start can be later than was said");
}

/* ---- queues with a limit ---- */

enum weir_status weir_async_wait(struct weir_sampler *s, const struct weir_cut *cut, struct weir_known *known, bool *first)
{
    struct weir_known beginning;
    *known = (struct weir_known){0};
    *first = false;
    if (cut->limit == 0) {
        char from[WEIR_QUOTED], to[WEIR_QUOTED];
        snprintf(s->why, sizeof s->why,
                 "messages from \"%s\" to \"%s\" can pile up: nothing ensures that \"%s\" takes them as fast as they come",
                 weir_quote(s->pipeline->operators[cut->from].name, from), weir_quote(s->pipeline->operators[cut->to].name, to),
                 to);
        return WEIR_OK;
    }
    enum weir_status status = weir_async_starts(s, cut->to, cut->limit, known);
    if (status || !known->known)
        return status;
    status = weir_async_beginning(s, cut->to, WEIR_START, cut->limit - 1, &beginning);
    if (status)
        return status;
    known->known &= beginning.known;
    known->reached = false;
    *first = beginning.value > known->value;
    known->value = *first ? beginning.value : known->value;
    return WEIR_OK;
}

/* ---- initial messages on the path ---- */

/* From each of the user's operators in the part to one of it; over arcs of data, or of all kinds. Caller frees. */
static enum weir_status measure(struct weir_sampler *s, struct weir_async_part *part, uint32_t local, bool data, int64_t **tokens)
{
    const struct weir_graph *g = part->pipeline->graph;
    int64_t *all = weir_array(g->actor_count, sizeof *all);
    *tokens = weir_array(part->count, sizeof **tokens);
    if (!all || !*tokens) {
        weir_free(all);
        weir_free(*tokens);
        *tokens = NULL;
        return weir_fail_memory(s->error);
    }
    weir_tokens_to(g, part->distances, g->start_of[local], data, all);
    for (uint32_t o = 0; o < part->count; o++)
        (*tokens)[o] = all[g->start_of[o]];
    weir_free(all);
    return WEIR_OK;
}

enum weir_status weir_async_tokens(struct weir_sampler *s, uint32_t op, struct weir_cut *cut, int64_t *tokens)
{
    *tokens = WEIR_FAR;
    if (s->part_of[op] != s->part_of[cut->from])
        return WEIR_OK;
    struct weir_async_part *part = part_of(s, op);
    if (!cut->tokens) {
        enum weir_status status =
            measure(s, part, cut->kind == WEIR_CUT_ROOM ? cut->helper : s->local_of[cut->from], true, &cut->tokens);
        if (status)
            return status;
    }
    *tokens = cut->tokens[s->local_of[op]];
    return WEIR_OK;
}

enum weir_status weir_async_tokens_to(struct weir_sampler *s, uint32_t to, int64_t **tokens)
{
    return measure(s, part_of(s, to), s->local_of[to], true, tokens);
}

enum weir_status weir_async_holds(struct weir_sampler *s, uint32_t by, uint32_t op, int64_t *executions)
{
    struct weir_async_part *part = part_of(s, op);
    int64_t *tokens = NULL;
    *executions = WEIR_FAR;
    if (part->why || s->part_of[by] != s->part_of[op])
        return WEIR_OK;
    enum weir_status status = measure(s, part, s->local_of[op], false, &tokens);
    if (!status)
        *executions = tokens[s->local_of[by]];
    weir_free(tokens);
    return status;
}
