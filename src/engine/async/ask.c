/* SPDX-License-Identifier: Apache-2.0 */
/* The questions that bounds are made of, asked of the parts. */
#include "base/error.h"
#include "base/number.h"
#include "check/async/async.h"
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
    bool drifts = false;
    enum weir_status status = part->pure ? WEIR_OK : weir_async_drifts(s, part, query, &drifts);
    if (status || drifts)
        return status;
    char words[WEIR_ASYNC_WHY - 40] = "";
    if (weir_unbounded_explain(part->solver, query, words, sizeof words))
        return weir_fail_memory(s->error);
    snprintf(s->why, sizeof s->why, "%s%s", part->pure ? "" : "perhaps ", *words ? words : "it grows without bound");
    return WEIR_OK;
}

/* ---- parts with cuts inside ---- */

uint32_t weir_async_actor(const struct weir_graph *g, struct weir_event event)
{
    uint32_t at = g->firing_first[event.op.index] + event.firing;
    return event.moment == WEIR_FINISH                                          ? g->finish_of[at]
           : event.moment == WEIR_READY                                         ? g->ready_of[at]
           : event.moment == WEIR_ARRIVAL && g->arrival_of[at] != WEIR_NO_ACTOR ? g->arrival_of[at]
                                                                                : g->start_of[at];
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
    struct weir_between_query between = {.from = weir_async_actor(g, query->from),
                                         .to = weir_async_actor(g, query->to),
                                         .from_finish = query->from.moment == WEIR_FINISH,
                                         .to_finish = query->to.moment == WEIR_FINISH,
                                         .shift = query->shift};
    struct weir_inside_answer answer;
    enum weir_status status = weir_inside_worst(g, part->inside, &between, s->options->verify, &answer);
    return tell(s, status, &answer, known);
}

static enum weir_status ask(struct weir_sampler *s, struct weir_async_part *part, const struct weir_query *query,
                            struct weir_known *known)
{
    *known = (struct weir_known){0};
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

/* ---- executions ---- */

#define FIRINGS_MAX 1024 /* of an operator in a round, each of which is a question of its own */

uint32_t weir_async_firings(const struct weir_async_part *part, uint32_t op)
{
    return weir_pipeline_firings(part->pipeline, (struct weir_operator){op});
}

/* The first execution of `to` that depends on that firing of `from`; WEIR_NO_ROUTE: none does. */
static enum weir_status route(struct weir_sampler *s, struct weir_async_part *part, struct weir_event from, uint32_t to,
                              int64_t *execution)
{
    if (!part->routes && !(part->routes = weir_routes_new(part->pipeline)))
        return weir_fail_memory(s->error);
    if (!part->executions || part->routed.index != from.op.index || part->firing != from.firing)
        part->executions = weir_routes_from(part->routes, from.op, from.firing);
    part->routed = from.op;
    part->firing = from.firing;
    *execution = part->executions[to];
    return WEIR_OK;
}

enum weir_status weir_async_reaches(struct weir_sampler *s, uint32_t from, uint32_t to, bool *reaches)
{
    struct weir_event first = {.op = {s->local_of[from]}};
    int64_t execution = WEIR_NO_ROUTE;
    bool together = s->part_of[from] == s->part_of[to];
    enum weir_status status = together ? route(s, &s->parts[s->part_of[from]], first, s->local_of[to], &execution) : WEIR_OK;
    *reaches = execution != WEIR_NO_ROUTE;
    return status;
}

/* Which firing of which round an execution is. */
static int64_t round_of(const struct weir_async_part *part, uint32_t op, int64_t execution, uint32_t *firing)
{
    int64_t firings = weir_async_firings(part, op), round = execution / firings - (execution % firings < 0);
    *firing = (uint32_t)(execution - round * firings);
    return round;
}

enum weir_status weir_async_query(struct weir_sampler *s, struct weir_async_part *part, const struct weir_span *span,
                                  uint32_t firing, struct weir_query *query)
{
    int64_t execution = firing;
    *query = (struct weir_query){.from = span->from, .to = span->to};
    query->from.firing = firing;
    enum weir_status status = span->via == WEIR_NO_INDEX ? WEIR_OK : route(s, part, query->from, span->via, &execution);
    if (status)
        return status;
    query->shift = round_of(part, span->to.op.index, execution + span->later, &query->to.firing);
    if (span->least) {
        struct weir_event from = query->from;
        query->from = query->to;
        query->to = from;
        query->shift = -query->shift;
    }
    return WEIR_OK;
}

enum weir_status weir_async_span(struct weir_sampler *s, struct weir_async_part *part, const struct weir_span *span,
                                 struct weir_known *known)
{
    *known = (struct weir_known){0};
    if (part->why) {
        snprintf(s->why, sizeof s->why, "%s", part->why);
        return WEIR_OK;
    }
    uint32_t firings = weir_async_firings(part, span->from.op.index);
    if (firings > FIRINGS_MAX) {
        snprintf(s->why, sizeof s->why, "too many executions pass until the queues are back in their initial state");
        return WEIR_OK;
    }
    for (uint32_t k = 0; k < firings; k++) {
        struct weir_query query;
        struct weir_known one = {0};
        enum weir_status status = weir_async_query(s, part, span, k, &query);
        if (!status)
            status = ask(s, part, &query, &one);
        if (status || !one.known) {
            *known = one;
            return status;
        }
        *known = k == 0 || one.value > known->value ? one : *known;
    }
    known->value = span->least ? -known->value : known->value;
    return WEIR_OK;
}

static struct weir_async_part *part_of(const struct weir_sampler *s, uint32_t op)
{
    return &s->parts[s->part_of[op]];
}

struct weir_event weir_async_sent(const struct weir_cut *cut)
{
    return (struct weir_event){.op = {cut->sender}, .moment = WEIR_FINISH};
}

struct weir_event weir_async_taken(const struct weir_sampler *s, const struct weir_cut *cut)
{
    return (struct weir_event){.op = {s->local_of[cut->to]}, .moment = WEIR_START};
}

enum weir_status weir_async_starts(struct weir_sampler *s, uint32_t op, int64_t executions, struct weir_known *known)
{
    struct weir_event start = {.op = {s->local_of[op]}, .moment = WEIR_START};
    struct weir_span span = {.from = start, .to = start, .via = WEIR_NO_INDEX, .later = executions};
    return weir_async_span(s, part_of(s, op), &span, known);
}

/* ---- from time 0 on ---- */

#define ROWS_BYTES_MAX ((size_t)1 << 28)
#define ROWS_WORK_MAX UINT64_C(1000000000)

/* All start as late as they can when everything takes its worst time, and as early as they can at best times. Rows are iterations,
 * kept as long as arcs reach back. */
struct rows {
    int64_t *start;
    int64_t kept;
    bool best;
};

static int64_t first_start(const struct weir_graph *g, const struct rows *table, uint32_t actor, int64_t iteration)
{
    int64_t *rows = table->start, kept = table->kept;
    const int64_t *times = table->best ? g->lo : g->hi;
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        rows[g->roots[r].actor] = table->best ? g->roots[r].least : g->roots[r].most;
    for (int64_t row = 0; row <= iteration; row++)
        for (uint32_t o = 0; o < g->actor_count; o++) {
            int64_t start = row == 0 ? rows[o] : 0; /* where it begins later than at 0 */
            for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1]; r++) {
                const struct weir_arc_run *run = &g->in_runs[r];
                if (run->tokens > row)
                    continue;
                const int64_t *past = rows + (row - run->tokens) % kept * g->actor_count;
                for (uint32_t t = run->first; t < run->end; t++) {
                    uint32_t tail = g->tails[t];
                    int64_t from = past[tail] + run->offset + (run->finish ? times[tail] : 0);
                    start = from > start ? from : start;
                }
            }
            rows[row % kept * g->actor_count + o] = start;
        }
    return rows[iteration % kept * g->actor_count + actor];
}

enum weir_status weir_async_beginning(struct weir_sampler *s, struct weir_async_part *part, struct weir_event event,
                                      int64_t execution, struct weir_known *known)
{
    *known = (struct weir_known){0};
    if (part->why) {
        snprintf(s->why, sizeof s->why, "%s", part->why);
        return WEIR_OK;
    }
    const struct weir_graph *g = part->pipeline->graph;
    bool finish = event.moment == WEIR_FINISH;
    int64_t iteration = round_of(part, event.op.index, execution, &event.firing);
    uint32_t actor = weir_async_actor(g, event);
    int64_t kept = (g->tokens_max < iteration ? g->tokens_max : iteration) + 1, longest;
    if ((uint64_t)iteration + 1 > ROWS_WORK_MAX / (g->arc_count + g->actor_count) ||
        (uint64_t)kept > ROWS_BYTES_MAX / sizeof(int64_t) / g->actor_count || !weir_multiply(g->row_max, iteration + 2, &longest) ||
        longest >= WEIR_TIME_MAX) {
        snprintf(s->why, sizeof s->why, "a queue is too large for its beginning to be looked at");
        return WEIR_OK;
    }
    if (part->inside) {
        struct weir_between_query to = {.to = actor, .to_finish = finish, .shift = iteration};
        struct weir_inside_answer answer;
        enum weir_status status = weir_inside_beginning(g, part->inside, &to, s->options->verify, &answer);
        return tell(s, status, &answer, known);
    }
    int64_t *rows = weir_array_zeroed((size_t)kept * g->actor_count, sizeof *rows);
    if (!rows)
        return weir_fail_memory(s->error);
    int64_t end = finish ? g->hi[actor] : 0;
    *known = (struct weir_known){
        .known = true, .reached = part->pure, .value = first_start(g, &(struct rows){rows, kept, false}, actor, iteration) + end};
    weir_free(rows);
    if (!s->options->verify)
        return WEIR_OK;
    bool holds = false;
    struct weir_beginning claim = {g, actor, iteration, known->value - end};
    enum weir_status status = weir_beginning_check(&claim, &holds);
    if (status)
        return weir_fail_memory(s->error);
    return holds ? WEIR_OK : weir_fail(s->error, WEIR_INTERNAL, "verification failed: a start can be later than claimed");
}

enum weir_status weir_async_earliest(struct weir_sampler *s, struct weir_async_part *part, struct weir_event event,
                                     struct weir_known *known)
{
    *known = (struct weir_known){0};
    if (part->why)
        return WEIR_OK;
    const struct weir_graph *g = part->pipeline->graph;
    int64_t *rows = weir_array_zeroed(g->actor_count, sizeof *rows);
    if (!rows)
        return weir_fail_memory(s->error);
    *known =
        (struct weir_known){.known = true, .value = first_start(g, &(struct rows){rows, 1, true}, weir_async_actor(g, event), 0)};
    weir_free(rows);
    return WEIR_OK;
}

/* ---- queues with a limit ---- */

enum weir_status weir_async_wait(struct weir_sampler *s, struct weir_cut *cut, struct weir_known *known, bool *first)
{
    struct weir_known beginning;
    *known = (struct weir_known){0};
    *first = false;
    if (cut->limit == 0) {
        char from[WEIR_QUOTED], to[WEIR_QUOTED];
        snprintf(
            s->why, sizeof s->why,
            cut->grows
                ? "the backlog grows without bound: messages from \"%s\" to \"%s\" can come faster, or earlier, than \"%s\" takes "
                  "them"
                : "messages from \"%s\" to \"%s\" can pile up: nothing ensures that \"%s\" takes them as fast as they "
                  "come",
            weir_quote(s->pipeline->operators[cut->from].name, from), weir_quote(s->pipeline->operators[cut->to].name, to), to);
        return WEIR_OK;
    }
    enum weir_status status = weir_async_starts(s, cut->to, cut->limit, known);
    if (status || (!known->known && !cut->shared))
        return status;
    status = weir_async_beginning(s, part_of(s, cut->to), weir_async_taken(s, cut), cut->limit - 1, &beginning);
    if (status)
        return status;
    known->known &= beginning.known;
    known->reached = false;
    *first = beginning.value > known->value;
    known->value = *first ? beginning.value : known->value;
    struct weir_known own;
    status = weir_async_port_wait(s, cut, &own);
    if (!status && own.known && (!known->known || own.value < known->value)) {
        *known = (struct weir_known){.known = true, .value = own.value};
        *first = false;
    }
    return status;
}

/* ---- which waits for which ---- */

static enum weir_status check_hold(struct weir_sampler *s, const struct weir_hold *claim)
{
    bool holds = false;
    if (!s->options->verify)
        return WEIR_OK;
    if (weir_hold_check(claim, &holds))
        return weir_fail_memory(s->error);
    return holds ? WEIR_OK : weir_fail(s->error, WEIR_INTERNAL, "verification failed: an operator need not wait as claimed");
}

/* Of all paths of arcs from an event of one actor, the fewest tokens to where `tokens` counts to. Arcs that leave an actor at its
 * finish wait for that; from other actors than the first of an operator any arc does, as far as its start is concerned. */
static int64_t fewest_tokens(const struct weir_graph *g, uint32_t actor, bool finish, const int64_t *tokens)
{
    int64_t fewest = finish ? WEIR_FAR : tokens[actor];
    for (uint32_t r = g->out_first[actor]; finish && r < g->out_first[actor + 1]; r++)
        for (uint32_t h = g->out_runs[r].first; g->out_runs[r].finish && h < g->out_runs[r].end; h++) {
            int64_t rest = tokens[g->heads[h]];
            if (rest != WEIR_FAR && rest + g->out_runs[r].tokens < fewest)
                fewest = rest + g->out_runs[r].tokens;
        }
    return fewest;
}

/* The actor whose end it is when an operator sends. Nothing waits for a helper that sends: what it waits for itself counts. */
static uint32_t sends(const struct weir_async_part *part, uint32_t op, uint32_t at)
{
    const struct weir_graph *g = part->pipeline->graph;
    uint32_t start = g->start_of[at];
    for (uint32_t r = g->in_first[start]; op >= part->count && r < g->in_first[start + 1]; r++)
        if (g->in_runs[r].wait == WEIR_WAIT_DATA && g->in_runs[r].finish)
            return g->tails[g->in_runs[r].first];
    return g->finish_of[at];
}

/* How many executions before it a firing of `op` waits for; of those of a round the latest counts. */
static enum weir_status hold_firing(struct weir_sampler *s, struct weir_async_part *part, struct weir_event by,
                                    struct weir_event op, int64_t *executions)
{
    const struct weir_graph *g = part->pipeline->graph;
    uint32_t target = g->start_of[g->firing_first[op.op.index] + op.firing];
    int64_t firings = weir_async_firings(part, op.op.index), *tokens = weir_array(g->actor_count, sizeof *tokens);
    enum weir_status status = tokens ? WEIR_OK : weir_fail_memory(s->error);
    *executions = WEIR_FAR;
    if (!status)
        weir_tokens_to(g, part->distances, target, false, tokens);
    for (uint32_t k = 0; k < firings && !status; k++) {
        uint32_t at = g->firing_first[by.op.index] + k;
        bool finish = by.moment == WEIR_FINISH;
        uint32_t actor = finish ? sends(part, by.op.index, at) : g->start_of[at];
        int64_t rounds = fewest_tokens(g, actor, finish, tokens);
        if (rounds >= WEIR_QUEUE_MAX)
            continue;
        int64_t ago = rounds * firings + op.firing - k;
        *executions = ago < *executions ? ago : *executions;
        status = check_hold(s, &(struct weir_hold){g, actor, target, finish, rounds});
    }
    weir_free(tokens);
    return status;
}

enum weir_status weir_async_holds(struct weir_sampler *s, struct weir_async_part *part, struct weir_event by, uint32_t op,
                                  int64_t *executions)
{
    *executions = WEIR_FAR;
    if (part->why)
        return WEIR_OK;
    uint32_t firings = weir_async_firings(part, op);
    if (firings != weir_async_firings(part, by.op.index) || firings > FIRINGS_MAX)
        return WEIR_OK;
    int64_t most = 0;
    for (uint32_t k = 0; k < firings; k++) {
        int64_t ago;
        enum weir_status status = hold_firing(s, part, by, (struct weir_event){.op = {op}, .firing = k}, &ago);
        if (status)
            return status;
        most = ago > most ? ago : most;
    }
    *executions = most;
    return WEIR_OK;
}
