/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedulers as waits (docs/concepts/workers.md, section 7): the pipeline with a thread for each operator, in which an operator
 * that is ready waits for its start for as long as the scheduler may let it. Whatever holds for all of its executions holds for
 * those of the scheduler, messages that are lost included.
 */
#include "base/error.h"
#include "base/number.h"
#include "check/workers/waits.h"
#include "engine/async/lanes.h"
#include "engine/workers/workers.h"
#include "model/dispatch.h"

#define RELATED_MAX 256 /* operators among which it is determined which waits for which */
#define ROUNDS_MAX 24   /* in which waits are made longer, until they are long enough */
#define TIMED_MAX 64    /* operators of workers for which times are looked at */

struct spreading {
    const struct weir_pipeline *pipeline;
    struct weir_arena arena;
    uint32_t count;
    uint8_t *apart; /* by v * count + u: u never executes while v is ready; NULL: not known */
    int64_t *times; /* scratch, by operator */
    struct weir_lateness *waits;
    int64_t *rounds; /* by operator: waits of the greedy scheduler that hold whatever the times; NULL: it is another */
    struct weir_crews crews;
    bool *in_order;     /* by crew: its threads take operators in the order in which they got ready; at first, workers may */
    int64_t *reactions; /* by queue; NULL: as to anything else */
};

bool weir_workers_spreads(const struct weir_pipeline *p)
{
    bool follows = p->workers.dispatch == WEIR_DISPATCH_GREEDY && p->source_count == 0, spreads = false;
    for (size_t i = 0; i < p->queue_count; i++) {
        spreads |= weir_queue_is_cut(&p->queues[i]) || p->queues[i].consume > 1;
        follows &= p->queues[i].missing == WEIR_MISSING_REUSE; /* which depends on times */
    }
    for (size_t i = 0; i < p->source_count; i++)
        spreads |= p->sources[i].arrivals == WEIR_ARRIVALS_SKIP;
    return spreads && !follows;
}

/* ---- who executes while another is ready ---- */

/* Fewest tokens from the finish of an operator to where `tokens` counts to. */
static int64_t from_finish(const struct weir_graph *g, uint32_t op, const int64_t *tokens)
{
    uint32_t actor = g->finish_of[op];
    int64_t fewest = WEIR_FAR;
    for (uint32_t r = g->out_first[actor]; r < g->out_first[actor + 1]; r++)
        for (uint32_t h = g->out_runs[r].first; g->out_runs[r].finish && h < g->out_runs[r].end; h++) {
            int64_t rest = tokens[g->heads[h]];
            fewest = rest != WEIR_FAR && rest + g->out_runs[r].tokens < fewest ? rest + g->out_runs[r].tokens : fewest;
        }
    return fewest;
}

/* When v is ready for iteration k, iterations of u up to k - a are over, and those from k + p on wait for its start: none is left
 * where a + p is 1 or less. */
static enum weir_status relate(struct spreading *s, struct weir_error *error)
{
    const struct weir_graph *g = s->pipeline->graph;
    if (s->count > RELATED_MAX || s->pipeline->firings)
        return WEIR_OK;
    size_t pairs = (size_t)s->count * s->count;
    int64_t *past = weir_arena_array(&s->arena, pairs, sizeof *past), *over = weir_arena_array(&s->arena, pairs, sizeof *over);
    int64_t *tokens = weir_arena_array(&s->arena, g->actor_count, sizeof *tokens);
    struct weir_distances *distances = weir_distances_new(g);
    s->apart = weir_arena_array(&s->arena, pairs, sizeof *s->apart);
    if (s->arena.failed || !distances) {
        weir_distances_free(distances);
        return weir_fail_memory(error);
    }
    for (uint32_t v = 0; v < s->count; v++) {
        weir_tokens_to(g, distances, g->start_of[v], false, tokens);
        for (uint32_t u = 0; u < s->count; u++) {
            past[u * (size_t)s->count + v] = tokens[g->start_of[u]];
            over[u * (size_t)s->count + v] = from_finish(g, u, tokens);
        }
    }
    for (uint32_t v = 0; v < s->count; v++)
        for (uint32_t u = 0; u < s->count; u++) {
            int64_t a = over[u * (size_t)s->count + v], p = past[v * (size_t)s->count + u];
            s->apart[v * (size_t)s->count + u] = a != WEIR_FAR && p != WEIR_FAR && a + p <= 1;
        }
    weir_distances_free(distances);
    return WEIR_OK;
}

/* What u may execute for while v is ready. */
static int64_t in_between(const struct spreading *s, uint32_t v, uint32_t u)
{
    bool apart = u == v || (s->apart && s->apart[v * (size_t)s->count + u]);
    return apart ? 0 : weir_operator_busy(s->pipeline, u);
}

/* ---- workers and lanes ---- */

/* In the order in which operators got ready, whatever the times: each of the others executes once at most. */
static int64_t wait_in_order(const struct spreading *s, uint32_t v)
{
    uint32_t crew = s->crews.of[v], others = 0;
    for (uint32_t u = 0; u < s->count; u++)
        if (u != v && s->crews.of[u] == crew)
            s->times[others++] = in_between(s, v, u);
    return weir_least_wait(s->times, others, s->crews.threads[crew]);
}

/* As soon as they are seen. */
static void find_first(struct spreading *s)
{
    for (uint32_t v = 0; v < s->count; v++)
        s->waits[v].most = s->pipeline->workers.polling;
}

static enum weir_status copy(const struct spreading *s, struct weir_pipeline **spread, struct weir_error *error);

/* How long operators wait for their threads once they are seen, if they do not wait for longer than it is tried. */
static enum weir_status find_again(const struct spreading *s, const bool *in_order, int64_t *found, struct weir_error *error)
{
    struct weir_thread_groups groups = {s->crews.of, s->crews.threads, in_order};
    struct weir_pipeline *tried = NULL;
    enum weir_status status = copy(s, &tried, error);
    if (!status)
        status = weir_async_waits(tried, &groups, false, found, error);
    weir_pipeline_free(tried);
    return status;
}

/* One round: waits that are not long enough get longer; crews in which one is not found are taken to have an order. */
static enum weir_status look_again(struct spreading *s, int64_t *found, bool *enough, struct weir_error *error)
{
    bool lost = false;
    enum weir_status status = find_again(s, s->in_order, found, error);
    *enough = true;
    for (uint32_t v = 0; v < s->count && !status; v++) {
        uint32_t crew = s->crews.of[v];
        int64_t limit = s->rounds ? s->rounds[v] : s->in_order[crew] ? wait_in_order(s, v) : WEIR_FAR;
        found[v] = limit < found[v] ? limit : found[v];
        if (s->crews.threads[crew] == 0 || found[v] == WEIR_FAR) {
            lost |= s->in_order[crew] = s->crews.threads[crew] > 0;
            continue;
        }
        int64_t wait = s->pipeline->workers.polling + found[v];
        *enough &= wait <= s->waits[v].most;
        s->waits[v].most = wait > s->waits[v].most ? wait : s->waits[v].most;
    }
    if (lost) { /* what was found beside them may be too long */
        find_first(s);
        *enough = false;
    }
    return status;
}

/* Crews that need no order: in any, nobody waits longer. */
static enum weir_status drop_order(struct spreading *s, int64_t *found, struct weir_error *error)
{
    enum weir_status status = find_again(s, NULL, found, error);
    for (uint32_t c = 0; c < s->crews.count && !status; c++)
        s->in_order[c] = false;
    for (uint32_t v = 0; v < s->count && !status; v++)
        if (s->crews.threads[s->crews.of[v]])
            s->in_order[s->crews.of[v]] |= found[v] == WEIR_FAR || s->pipeline->workers.polling + found[v] > s->waits[v].most;
    return status;
}

/* Where waits depend on one another, the least that are long enough for all. Where times are not looked at, or are too long, or no
 * wait is found, there is an order. */
static enum weir_status find_thread_waits(struct spreading *s, struct weir_error *error)
{
    int64_t *found = weir_arena_array(&s->arena, s->count, sizeof *found);
    bool enough = !s->crews.few, ordered = false;
    enum weir_status status = found ? WEIR_OK : weir_fail_memory(error);
    s->in_order[0] = s->in_order[0] && s->crews.threads[0];
    find_first(s);
    for (int round = 0; round < ROUNDS_MAX && !enough && !status && (s->crews.lanes || s->count <= TIMED_MAX); round++)
        status = look_again(s, found, &enough, error);
    for (uint32_t c = 0; c < s->crews.count; c++)
        ordered |= s->in_order[c];
    if (!status && enough && ordered)
        status = drop_order(s, found, error);
    if (status == WEIR_INVALID || status == WEIR_OVERFLOW) {
        status = WEIR_OK; /* too long to be tried */
        enough = false;
    }
    for (uint32_t v = 0; v < s->count && !enough && !status; v++) {
        uint32_t crew = s->crews.of[v];
        s->in_order[crew] = s->crews.threads[crew] > 0;
        s->waits[v].most = s->pipeline->workers.polling + (s->in_order[crew] ? wait_in_order(s, v) : 0);
    }
    return status;
}

/* ---- greedy ---- */

static const struct weir_source_spec *source_of(const struct weir_pipeline *p, uint32_t op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op)
            return &p->sources[i];
    return NULL;
}

/* Between two visits of the thread each of the others executes once. A period that has passed since the clock was read is seen in
 * the round after, and what comes before the operator in the order executes in both. */
static void find_rounds(struct spreading *s, const uint32_t *order)
{
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t v = order[i];
        const struct weir_source_spec *source = source_of(s->pipeline, v);
        struct weir_lateness *wait = &s->waits[v];
        for (uint32_t k = 0; k < s->count; k++) {
            bool before = source && k < i;
            wait->most += in_between(s, v, order[k]) * (before ? 2 : 1);
            wait->early += before ? weir_operator_busy(s->pipeline, order[k]) : 0;
        }
        if (source && source->arrivals == WEIR_ARRIVALS_AT_MOST)
            wait->most += wait->early;
    }
}

/* A message that is sent by an operator in the order is seen when the thread has come from there. */
static void find_reactions(struct spreading *s, const uint32_t *order, uint32_t *place)
{
    const struct weir_pipeline *p = s->pipeline;
    for (uint32_t i = 0; i < s->count; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < p->queue_count; i++) {
        uint32_t from = p->queues[i].from.index, to = p->queues[i].to.index;
        for (uint32_t k = place[from] + 1 < s->count ? place[from] + 1 : 0; k != place[to]; k = k + 1 < s->count ? k + 1 : 0)
            s->reactions[i] += in_between(s, to, order[k]);
    }
}

/* ---- the pipeline ---- */

/* The one thread is idle only if nobody is ready, so that the waits of a lane hold as well, where no period counts from when the
 * clock was read. */
static enum weir_status shorten_rounds(struct spreading *s, struct weir_error *error)
{
    int64_t *found = weir_arena_array(&s->arena, s->count, sizeof *found);
    bool enough = false, on_time = s->count <= TIMED_MAX;
    s->rounds = weir_arena_array(&s->arena, s->count, sizeof *s->rounds);
    enum weir_status status = s->arena.failed ? weir_fail_memory(error) : WEIR_OK;
    for (size_t i = 0; i < s->pipeline->source_count; i++)
        on_time &=
            s->pipeline->sources[i].arrivals == WEIR_ARRIVALS_EXACT || s->pipeline->sources[i].arrivals == WEIR_ARRIVALS_CATCH_UP;
    for (uint32_t v = 0; v < s->count && !status; v++) {
        s->rounds[v] = s->waits[v].most;
        s->waits[v].most = on_time ? 0 : s->rounds[v];
    }
    for (int round = 0; round < ROUNDS_MAX && on_time && !enough && !status; round++)
        status = look_again(s, found, &enough, error);
    if (status == WEIR_INVALID || status == WEIR_OVERFLOW)
        status = WEIR_OK; /* too long to be tried */
    for (uint32_t v = 0; v < s->count && !enough && !status; v++)
        s->waits[v].most = s->rounds[v];
    return status;
}

static enum weir_status find_all(struct spreading *s, bool any_order, struct weir_error *error)
{
    int64_t sum = s->pipeline->workers.polling;
    for (uint32_t u = 0; u < s->count; u++)
        if (!weir_add(sum, weir_operator_busy(s->pipeline, u), &sum) || sum >= WEIR_TIME_MAX / 8)
            return weir_fail(error, WEIR_OVERFLOW, "the times of all operators together are too long; use a coarser unit");
    enum weir_status status = relate(s, error);
    if (!status)
        status = weir_crews_find(s->pipeline, &s->arena, &s->crews, error);
    s->in_order = weir_arena_array(&s->arena, s->crews.count, sizeof *s->in_order);
    s->waits = weir_arena_array(&s->arena, s->count, sizeof *s->waits);
    s->times = weir_arena_array(&s->arena, s->count, sizeof *s->times);
    uint32_t *order = weir_arena_array(&s->arena, s->count, sizeof *order),
             *place = weir_arena_array(&s->arena, s->count, sizeof *place);
    bool greedy = s->pipeline->workers.dispatch == WEIR_DISPATCH_GREEDY;
    s->reactions = greedy ? weir_arena_array(&s->arena, s->pipeline->queue_count, sizeof *s->reactions) : NULL;
    if (status || s->arena.failed)
        return status ? status : weir_fail_memory(error);
    if (greedy && !weir_dispatch_order(s->pipeline, order))
        return weir_fail_memory(error);
    if (greedy) {
        find_rounds(s, order);
        find_reactions(s, order, place);
        return shorten_rounds(s, error);
    }
    s->in_order[0] = !any_order;
    return find_thread_waits(s, error);
}

/* No later than after anything else. */
static int64_t reaction_to(const struct spreading *s, uint32_t queue)
{
    int64_t most = s->waits[s->pipeline->queues[queue].to.index].most;
    return s->reactions[queue] < most ? s->reactions[queue] : most;
}

static enum weir_status copy(const struct spreading *s, struct weir_pipeline **spread, struct weir_error *error)
{
    static const struct weir_workers_spec plenty;
    bool late = s->pipeline->workers.dispatch == WEIR_DISPATCH_GREEDY;
    *spread = weir_pipeline_copy(s->pipeline, error);
    enum weir_status status = *spread ? weir_pipeline_set_workers(*spread, &plenty, error) : WEIR_MEMORY;
    for (uint32_t v = 0; v < s->count && !status; v++) {
        struct weir_operator_spec spec = (*spread)->operators[v];
        spec.lane = NULL;
        status = spec.lane != (*spread)->operators[v].lane
                     ? weir_pipeline_change_operator(*spread, (struct weir_operator){v}, &spec, error)
                     : WEIR_OK;
        late |= s->waits[v].most > 0;
    }
    for (uint32_t v = 0; v < s->count && late && !status; v++)
        if (!weir_pipeline_set_lateness(*spread, v, s->waits[v]))
            status = weir_fail_memory(error);
    for (uint32_t i = 0; i < s->pipeline->queue_count && s->reactions && !status; i++)
        if (!weir_pipeline_set_reaction(*spread, i, reaction_to(s, i)))
            status = weir_fail_memory(error);
    return status ? status : weir_pipeline_seal_alone(*spread, error);
}

static enum weir_status spread_out(const struct weir_pipeline *pipeline, bool any_order, struct weir_pipeline **spread,
                                   bool *ordered, struct weir_error *error)
{
    struct weir_pipeline *plain = NULL;
    struct spreading s = {.pipeline = pipeline, .count = (uint32_t)pipeline->operator_count};
    *spread = NULL;
    enum weir_status status = weir_workers_plain(pipeline, &plain, error);
    s.pipeline = plain ? plain : pipeline;
    if (!status)
        status = find_all(&s, any_order, error);
    *ordered = false;
    for (uint32_t c = 0; c < s.crews.count && !status && pipeline->workers.dispatch != WEIR_DISPATCH_GREEDY; c++)
        *ordered |= s.in_order[c];
    if (!status && !(any_order && *ordered))
        status = copy(&s, spread, error);
    weir_arena_free(&s.arena);
    weir_pipeline_free(plain);
    if (status) {
        weir_pipeline_free(*spread);
        *spread = NULL;
    }
    return status;
}

enum weir_status weir_workers_spread(const struct weir_pipeline *pipeline, struct weir_pipeline **spread, bool *ordered,
                                     struct weir_error *error)
{
    return spread_out(pipeline, false, spread, ordered, error);
}

enum weir_status weir_workers_spread_any(const struct weir_pipeline *pipeline, struct weir_pipeline **spread,
                                         struct weir_error *error)
{
    bool ordered;
    return spread_out(pipeline, true, spread, &ordered, error);
}

/* Waits that hold in any order, or else, if there is one, in that, each of which is checked. */
static enum weir_status find_checked(const struct weir_pipeline *spread, const struct weir_crews *crews, bool ordered,
                                     int64_t *waits, struct weir_error *error)
{
    struct weir_thread_groups groups = {crews->of, crews->threads, NULL};
    enum weir_status status = weir_async_waits(spread, &groups, true, waits, error);
    bool *all = ordered ? weir_array_zeroed(crews->count, sizeof *all) : NULL;
    int64_t *others = ordered ? weir_array(spread->operator_count, sizeof *others) : NULL;
    if (!status && ordered && (!all || !others))
        status = weir_fail_memory(error);
    for (uint32_t c = 0; c < crews->count && all; c++)
        all[c] = true;
    groups.in_order = all;
    if (!status && ordered)
        status = weir_async_waits(spread, &groups, true, others, error);
    for (size_t v = 0; v < spread->operator_count && ordered && !status; v++)
        waits[v] = others[v] < waits[v] ? others[v] : waits[v];
    weir_free(others);
    weir_free(all);
    return status;
}

enum weir_status weir_workers_spread_verify(const struct weir_pipeline *pipeline, const struct weir_pipeline *spread, bool ordered,
                                            bool *covers, struct weir_error *error)
{
    enum weir_checked checked = WEIR_CHECKED_OPEN;
    struct weir_arena arena = {0};
    struct weir_crews crews;
    int64_t *waits = weir_arena_array(&arena, pipeline->operator_count, sizeof *waits);
    enum weir_status status = waits ? weir_crews_find(pipeline, &arena, &crews, error) : weir_fail_memory(error);
    bool known = !status && crews.few && (crews.lanes || pipeline->operator_count <= TIMED_MAX);
    if (known)
        status = find_checked(spread, &crews, ordered, waits, error);
    if (status == WEIR_INVALID || status == WEIR_OVERFLOW) {
        status = WEIR_OK; /* too long to be tried: then there is an order */
        known = false;
    }
    if (!status && weir_spread_check(pipeline, spread, ordered, known ? waits : NULL, &checked))
        status = weir_fail_memory(error);
    weir_arena_free(&arena);
    *covers = checked == WEIR_CHECKED_HOLDS;
    if (!status && checked == WEIR_CHECKED_FAILS)
        status = weir_fail(error, WEIR_INTERNAL, "verification failed: operators can wait longer than claimed");
    return status;
}
