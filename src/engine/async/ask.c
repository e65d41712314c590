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

/* ---- parts with cuts inside ---- */

static uint32_t actor_of(const struct weir_graph *g, struct weir_event event)
{
    return event.moment == WEIR_FINISH                                                      ? g->finish_of[event.op.index]
           : event.moment == WEIR_ARRIVAL && g->arrival_of[event.op.index] != WEIR_NO_ACTOR ? g->arrival_of[event.op.index]
                                                                                            : g->start_of[event.op.index];
}

static enum weir_status tell(struct weir_sampler *s, enum weir_status status, const struct weir_inside_answer *answer,
                             struct weir_known *known)
{
    if (status)
        return weir_fail_memory(s->error);
    if (answer->wrong)
        return weir_fail(s->error, WEIR_INTERNAL, "verification failed: the table of a bound of %lld ticks does not hold",
                         (long long)answer->value);
    *known = (struct weir_known){.known = answer->known, .value = answer->value};
    if (!answer->known)
        snprintf(s->why, sizeof s->why, "nothing limits how far apart two operators can get behind connections that do not wait");
    return WEIR_OK;
}

static enum weir_status ask_inside(struct weir_sampler *s, const struct weir_async_part *part, const struct weir_query *query,
                                   struct weir_known *known)
{
    const struct weir_graph *g = part->pipeline->graph;
    struct weir_between_query between = {.from = actor_of(g, query->from),
                                         .to = actor_of(g, query->to),
                                         .from_finish = query->from.moment == WEIR_FINISH,
                                         .to_finish = query->to.moment == WEIR_FINISH,
                                         .shift = query->shift};
    struct weir_inside_answer answer;
    enum weir_status status = weir_inside_worst(g, part->inside, &between, s->options->verify, &answer);
    return tell(s, status, &answer, known);
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
    if (part->inside)
        return ask_inside(s, part, query, known);
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
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
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
    if (part->inside) {
        struct weir_between_query to = {.to = actor, .to_finish = moment == WEIR_FINISH, .shift = iteration};
        struct weir_inside_answer answer;
        enum weir_status status = weir_inside_beginning(g, part->inside, &to, s->options->verify, &answer);
        return tell(s, status, &answer, known);
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

/* From each actor of the part to the start of one of its operators; over arcs of data, or of all kinds. Caller frees. */
static enum weir_status measure(struct weir_sampler *s, struct weir_async_part *part, uint32_t local, bool data, int64_t **tokens)
{
    const struct weir_graph *g = part->pipeline->graph;
    *tokens = weir_array(g->actor_count, sizeof **tokens);
    if (!*tokens)
        return weir_fail_memory(s->error);
    weir_tokens_to(g, part->distances, g->start_of[local], data, *tokens);
    return WEIR_OK;
}

/* The same from each of the user's operators. */
static enum weir_status measure_data(struct weir_sampler *s, struct weir_async_part *part, uint32_t local, int64_t **tokens)
{
    const struct weir_graph *g = part->pipeline->graph;
    int64_t *all = NULL;
    enum weir_status status = measure(s, part, local, true, &all);
    *tokens = status ? NULL : weir_array(part->count, sizeof **tokens);
    for (uint32_t o = 0; *tokens && o < part->count; o++)
        (*tokens)[o] = all[g->start_of[o]];
    weir_free(all);
    return *tokens ? WEIR_OK : weir_fail_memory(s->error);
}

enum weir_status weir_async_tokens(struct weir_sampler *s, uint32_t op, struct weir_cut *cut, int64_t *tokens)
{
    *tokens = WEIR_FAR;
    if (s->part_of[op] != s->part_of[cut->from])
        return WEIR_OK;
    if (!cut->tokens) {
        bool server = cut->kind == WEIR_CUT_ROOM && !cut->room && !cut->inside;
        enum weir_status status = measure_data(s, part_of(s, op), server ? cut->helper : s->local_of[cut->from], &cut->tokens);
        if (status)
            return status;
    }
    *tokens = cut->tokens[s->local_of[op]];
    return WEIR_OK;
}

enum weir_status weir_async_tokens_to(struct weir_sampler *s, uint32_t to, int64_t **tokens)
{
    return measure_data(s, part_of(s, to), s->local_of[to], tokens);
}

/* Arcs that leave an actor at its finish wait for that; from other actors than the first of an operator any arc does, as far as its
 * start is concerned. */
enum weir_status weir_async_holds(struct weir_sampler *s, struct weir_event by, uint32_t op, int64_t *executions)
{
    struct weir_async_part *part = part_of(s, op);
    int64_t *tokens = NULL;
    *executions = WEIR_FAR;
    if (part->why || s->part_of[by.op.index] != s->part_of[op])
        return WEIR_OK;
    enum weir_status status = measure(s, part, s->local_of[op], false, &tokens);
    if (status)
        return status;
    const struct weir_graph *g = part->pipeline->graph;
    uint32_t local = s->local_of[by.op.index], last = g->finish_of[local];
    if (by.moment == WEIR_START)
        *executions = tokens[g->start_of[local]];
    for (uint32_t r = g->out_first[last]; by.moment == WEIR_FINISH && r < g->out_first[last + 1]; r++)
        for (uint32_t h = g->out_runs[r].first; g->out_runs[r].finish && h < g->out_runs[r].end; h++) {
            int64_t rest = tokens[g->heads[h]];
            if (rest != WEIR_FAR && rest + g->out_runs[r].tokens < *executions)
                *executions = rest + g->out_runs[r].tokens;
        }
    weir_free(tokens);
    if (*executions == WEIR_FAR || !s->options->verify)
        return WEIR_OK;
    bool finish = by.moment == WEIR_FINISH, holds = false;
    struct weir_hold claim = {g, finish ? last : g->start_of[local], g->start_of[s->local_of[op]], finish, *executions};
    if (weir_hold_check(&claim, &holds))
        return weir_fail_memory(s->error);
    return holds ? WEIR_OK : weir_fail(s->error, WEIR_INTERNAL, "verification failed: an operator need not wait as was said");
}
