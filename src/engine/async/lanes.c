/* SPDX-License-Identifier: Apache-2.0 */
/* How long operators wait for others that share threads with them: how often these can execute meanwhile. */
#include "engine/async/lanes.h"

#include "base/error.h"
#include "base/number.h"
#include "check/workers/lane_waits.h"
#include "engine/async/async.h"

#include <stdlib.h>

enum {
    COMPARED_MAX = 24, /* operators of a group of which separations are asked for; of more, arcs and periods alone */
    STEPS_MAX = 16,    /* of the number of an execution, and of a wait */
    STARTS_MAX = 64,   /* of an operator, while another waits */
};
#define WORK UINT64_C(20000000) /* of a separation */

/* What is known of the starts of an operator: the least time from one to the n-th after it, for n from 1 on. */
struct starts {
    int64_t least[STARTS_MAX + 1];
    uint32_t known;                       /* of these */
    const struct weir_source_spec *clock; /* NULL: it has none that says how often it starts, whatever it missed */
    uint32_t leader;                      /* with a clock: it starts as often, but for as many; WEIR_NO_INDEX: none is known */
    int64_t ahead, behind;
    uint32_t feed; /* a queue with `full` that it takes messages from; WEIR_NO_INDEX: none */
};

struct waiting {
    struct weir_sampler *s;
    const struct weir_thread_groups *groups;
    uint32_t count;
    struct starts *starts;          /* by operator */
    int64_t *most;                  /* by operator: executions while the one that is looked at waits */
    struct weir_lane_rival *rivals; /* ... and why these are all */
    uint32_t *sizes;                /* by group */
    int64_t *times;                 /* scratch, by operator */
};

/* Whether it shares threads with more operators than there are. */
static bool shares(const struct waiting *w, uint32_t op)
{
    return w->groups->threads[w->groups->of[op]] > 0;
}

static bool share(const struct waiting *w, uint32_t u, uint32_t v)
{
    return u != v && w->groups->of[u] == w->groups->of[v];
}

int64_t weir_operator_busy(const struct weir_pipeline *p, uint32_t op)
{
    const struct weir_operator_spec *spec = &p->operators[op];
    int64_t busy = spec->worst > spec->receive_max ? spec->worst : spec->receive_max;
    return spec->launch && spec->launch->waits ? busy + spec->launch->worst + spec->launch->after_worst : busy;
}

static struct weir_async_part *part_of(const struct waiting *w, uint32_t op)
{
    return &w->s->parts[w->s->part_of[op]];
}

static bool can_compare(const struct waiting *w, uint32_t op)
{
    return w->sizes[w->groups->of[op]] <= COMPARED_MAX && weir_async_is_whole(part_of(w, op));
}

static struct weir_event event_of(const struct waiting *w, uint32_t op, enum weir_moment moment)
{
    return (struct weir_event){.op = {w->s->local_of[op]}, .moment = moment};
}

/* ---- numbers of executions ---- */

/* Whether all that begins the part does so by a clock: what waits for nothing in its iteration. All else may begin an execution
 * later than it could. */
static bool is_on_time(const struct weir_async_part *part)
{
    const struct weir_graph *g = part->pipeline->graph;
    bool on_time = true;
    for (uint32_t v = 0; v < g->actor_count && on_time; v++) {
        bool waits = g->in_first[v] < g->in_first[v + 1] && g->in_runs[g->in_first[v]].tokens == 0;
        on_time = waits || g->actors[v].part == WEIR_PART_ARRIVAL || g->actors[v].part == WEIR_PART_TICK;
    }
    return on_time;
}

/* The smallest number of executions with which `span`, shifted back by as many, is always below `limit`; from a number for which
 * that is known on, or WEIR_FAR. Below 0, the end of the span may wait for what begins after its beginning: that must be on time.
 */
static enum weir_status fewest(struct waiting *w, struct weir_async_part *part, struct weir_span span, int64_t limit,
                               struct weir_lane_step *fact)
{
    enum weir_status status = WEIR_OK;
    int64_t next = fact->executions == WEIR_FAR ? 0 : fact->executions - 1;
    bool up = fact->executions == WEIR_FAR, good = !up;
    int64_t least = is_on_time(part) ? -STEPS_MAX : 0;
    for (int step = 0; step < STEPS_MAX && good != up && next >= least && !status; step++, next += up ? 1 : -1) {
        struct weir_known known;
        span.later = -next;
        status = weir_async_span(w->s, part, &span, &known);
        good = !status && known.known && known.value < limit;
        if (good)
            *fact = (struct weir_lane_step){.executions = next, .value = known.value};
        if (!known.known)
            break;
    }
    return status;
}

static enum weir_status by_arcs(struct waiting *w, struct weir_async_part *part, struct weir_event by, uint32_t op,
                                struct weir_lane_step *fact)
{
    enum weir_status status = weir_async_holds(w->s, part, by, op, &fact->executions);
    fact->arcs = true;
    if (fact->executions >= WEIR_QUEUE_MAX)
        fact->executions = WEIR_FAR;
    return status;
}

/* How many executions of u can be at work while v waits. */
static enum weir_status find_most(struct waiting *w, uint32_t v, uint32_t u)
{
    struct weir_async_part *part = part_of(w, v);
    struct weir_lane_rival *rival = &w->rivals[u];
    *rival = (struct weir_lane_rival){{.executions = WEIR_FAR}, {.executions = WEIR_FAR}};
    w->most[u] = WEIR_FAR;
    if (part != part_of(w, u) || part->why || part->pipeline->firings)
        return WEIR_OK;
    struct weir_event finish = event_of(w, u, WEIR_FINISH), start = event_of(w, v, WEIR_START), own = event_of(w, u, WEIR_START);
    enum weir_status status = by_arcs(w, part, finish, start.op.index, &rival->over);
    if (!status)
        status = by_arcs(w, part, start, finish.op.index, &rival->ahead);
    if (!status && can_compare(w, v))
        status = fewest(w, part, (struct weir_span){.from = start, .to = finish, .via = WEIR_NO_INDEX}, 1, &rival->over);
    if (!status && can_compare(w, v))
        status = fewest(w, part, (struct weir_span){.from = own, .to = start, .via = WEIR_NO_INDEX}, 0, &rival->ahead);
    int64_t over = rival->over.executions, ahead = rival->ahead.executions;
    if (over != WEIR_FAR && ahead != WEIR_FAR)
        w->most[u] = over + ahead > 1 ? over + ahead - 1 : 0;
    return status;
}

/* ---- starts in a time ---- */

static int64_t by_clock(const struct weir_source_spec *clock, int64_t time)
{
    return time / clock->period + (clock->arrivals == WEIR_ARRIVALS_SKIP ? 2 : 1);
}

/* By separations of its starts; more than STARTS_MAX: WEIR_FAR. */
static enum weir_status by_separations(struct waiting *w, uint32_t op, int64_t time, int64_t *starts)
{
    struct starts *it = &w->starts[op];
    enum weir_status status = WEIR_OK;
    *starts = WEIR_FAR;
    if (!can_compare(w, op))
        return WEIR_OK;
    for (uint32_t n = 1; n <= STARTS_MAX && !status; n++) {
        if (n > it->known) {
            struct weir_event start = event_of(w, op, WEIR_START);
            struct weir_span span = {.from = start, .to = start, .via = WEIR_NO_INDEX, .later = n, .least = true};
            struct weir_known known;
            status = weir_async_span(w->s, part_of(w, op), &span, &known);
            it->least[n] = !status && known.known ? known.value : 0;
            it->known = n;
        }
        if (!status && it->least[n] > time) {
            *starts = n;
            return WEIR_OK;
        }
    }
    return status;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static enum weir_status plain_starts(struct waiting *w, uint32_t op, int64_t time, int64_t *starts)
{
    const struct starts *it = &w->starts[op];
    enum weir_status status = shares(w, op) ? by_separations(w, op, time, starts) : WEIR_OK;
    *starts = shares(w, op) ? *starts : WEIR_FAR;
    if (it->clock)
        *starts = smaller(*starts, by_clock(it->clock, time));
    if (it->leader != WEIR_NO_INDEX)
        *starts = smaller(*starts, by_clock(w->starts[it->leader].clock, time) + it->ahead + it->behind);
    return status;
}

/* At most so many starts of the operator are in a closed interval of that length. */
static enum weir_status starts_within(struct waiting *w, uint32_t op, int64_t time, int64_t *starts)
{
    enum weir_status status = plain_starts(w, op, time, starts);
    uint32_t feed = w->starts[op].feed;
    if (status || feed == WEIR_NO_INDEX)
        return status;
    const struct weir_queue_spec *q = &w->s->pipeline->queues[feed];
    int64_t sent;
    status = plain_starts(w, q->from.index, time + weir_operator_busy(w->s->pipeline, q->from.index) + q->transfer_max, &sent);
    if (!status && sent != WEIR_FAR)
        *starts = smaller(*starts, sent + q->capacity);
    return status;
}

/* Of operators with a clock, that which this one keeps step with. */
static enum weir_status find_leader(struct waiting *w, uint32_t op)
{
    struct starts *it = &w->starts[op];
    struct weir_async_part *part = part_of(w, op);
    for (uint32_t z = 0; z < w->count && !part->why; z++) {
        int64_t ahead, behind;
        if (!w->starts[z].clock || z == op || part_of(w, z) != part)
            continue;
        enum weir_status status = weir_async_holds(w->s, part, event_of(w, z, WEIR_START), w->s->local_of[op], &ahead);
        if (!status)
            status = weir_async_holds(w->s, part, event_of(w, op, WEIR_START), w->s->local_of[z], &behind);
        if (status)
            return status;
        bool known = ahead < WEIR_QUEUE_MAX && behind < WEIR_QUEUE_MAX;
        if (!known || (it->leader != WEIR_NO_INDEX && ahead + behind >= it->ahead + it->behind))
            continue;
        it->leader = z;
        it->ahead = ahead;
        it->behind = behind;
    }
    return WEIR_OK;
}

static enum weir_status find_starts(struct waiting *w)
{
    const struct weir_pipeline *p = w->s->pipeline;
    enum weir_status status = WEIR_OK;
    for (uint32_t o = 0; o < w->count; o++)
        w->starts[o].leader = w->starts[o].feed = WEIR_NO_INDEX;
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].arrivals == WEIR_ARRIVALS_AT_MOST || p->sources[i].arrivals == WEIR_ARRIVALS_SKIP)
            w->starts[p->sources[i].op.index].clock = &p->sources[i];
    for (uint32_t i = 0; i < p->queue_count; i++)
        if (weir_queue_waits(&p->queues[i]) && p->queues[i].full != WEIR_FULL_NEVER)
            w->starts[p->queues[i].to.index].feed = i;
    for (uint32_t o = 0; o < w->count && !status; o++)
        if (shares(w, o))
            status = find_leader(w, o);
    return status;
}

/* ---- waits ---- */

/* For how long executions of u are at work while v waits for so long: those that start meanwhile, or from the start of the one on
 * that is under way when v is seen. Where there are several threads, that may be as long before for each. WEIR_FAR: not known. */
static enum weir_status work_within(struct waiting *w, uint32_t v, uint32_t u, int64_t wait, int64_t *work)
{
    uint32_t group = w->groups->of[v];
    int64_t busy = weir_operator_busy(w->s->pipeline, u), times = 0;
    *work = 0;
    if (busy == 0 || w->most[u] == 0)
        return WEIR_OK;
    enum weir_status status = starts_within(w, u, wait + (w->groups->threads[group] > 1 ? busy : 0), &times);
    times = smaller(times, w->most[u]);
    if (w->groups->in_order && w->groups->in_order[group])
        times = smaller(times, 1);
    if (status || times == WEIR_FAR || !weir_multiply(times, busy, work) || *work >= WEIR_TIME_MAX / 16)
        *work = WEIR_FAR;
    return status;
}

static int longer_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

int64_t weir_least_wait(int64_t *times, uint32_t count, uint32_t threads)
{
    int64_t rest = 0, least = WEIR_FAR;
    qsort(times, count, sizeof *times, longer_first);
    for (uint32_t i = 0; i < count; i++)
        rest += times[i] == WEIR_FAR ? 0 : times[i];
    for (uint32_t j = 0; j < threads && j <= count && rest < WEIR_TIME_MAX / 16; j++) {
        if (j == count || times[j] != WEIR_FAR)
            least = smaller(least, weir_ceil_divide(rest, threads - j));
        rest -= j == count || times[j] == WEIR_FAR ? 0 : times[j];
    }
    return least;
}

static enum weir_status find_wait(struct waiting *w, uint32_t v, int64_t *wait)
{
    uint32_t threads = w->groups->threads[w->groups->of[v]];
    enum weir_status status = WEIR_OK;
    for (uint32_t u = 0; u < w->count && !status; u++)
        if (share(w, u, v))
            status = find_most(w, v, u);
    *wait = 0;
    for (int step = 0; step < STARTS_MAX && !status; step++) {
        uint32_t others = 0;
        for (uint32_t u = 0; u < w->count && !status; u++)
            if (share(w, u, v))
                status = work_within(w, v, u, *wait, &w->times[others++]);
        int64_t longer = status ? 0 : weir_least_wait(w->times, others, threads);
        if (longer <= *wait)
            return status;
        *wait = longer;
        if (longer == WEIR_FAR)
            return WEIR_OK;
    }
    *wait = WEIR_FAR;
    return status;
}

/* Has a wait checked by code that shares nothing with this. */
static enum weir_status verify(struct waiting *w, uint32_t v, int64_t wait)
{
    struct weir_sampler *s = w->s;
    struct weir_lane_starts *facts = weir_array(w->count, sizeof *facts);
    bool holds = false;
    if (!facts)
        return weir_fail_memory(s->error);
    for (uint32_t o = 0; o < w->count; o++) {
        const struct starts *it = &w->starts[o];
        const struct weir_async_part *part = part_of(w, o);
        facts[o] = (struct weir_lane_starts){.graph = part->why ? NULL : part->pipeline->graph,
                                             .least = it->least,
                                             .known = it->known,
                                             .leader = it->leader,
                                             .ahead = it->ahead,
                                             .behind = it->behind,
                                             .feed = it->feed};
    }
    struct weir_lane_claim claim = {s->pipeline, w->groups, v, wait, w->rivals, facts};
    enum weir_status status = weir_lane_check(&claim, &holds);
    weir_free(facts);
    if (status)
        return weir_fail_memory(s->error);
    return holds ? WEIR_OK
                 : weir_fail(s->error, WEIR_INTERNAL, "verification failed: an operator can wait longer for a thread than claimed");
}

static enum weir_status find_all(struct waiting *w, int64_t *waits)
{
    struct weir_sampler *s = w->s;
    struct weir_async_queue *queues = NULL;
    w->starts = weir_arena_array(&s->scratch, w->count, sizeof *w->starts);
    w->most = weir_arena_array(&s->scratch, w->count, sizeof *w->most);
    w->rivals = weir_arena_array(&s->scratch, w->count, sizeof *w->rivals);
    w->times = weir_arena_array(&s->scratch, w->count, sizeof *w->times);
    uint32_t groups = 0;
    for (uint32_t o = 0; o < w->count; o++)
        groups = w->groups->of[o] >= groups ? w->groups->of[o] + 1 : groups;
    w->sizes = weir_arena_array(&s->scratch, groups, sizeof *w->sizes);
    enum weir_status status = s->scratch.failed ? weir_fail_memory(s->error) : weir_async_open(s, &queues);
    for (uint32_t o = 0; o < w->count && !status; o++)
        w->sizes[w->groups->of[o]]++;
    if (!status)
        status = find_starts(w);
    for (uint32_t v = 0; v < w->count && !status; v++) {
        waits[v] = 0;
        if (!shares(w, v))
            continue;
        status = find_wait(w, v, &waits[v]);
        if (!status && s->options->verify && waits[v] != WEIR_FAR)
            status = verify(w, v, waits[v]);
    }
    for (uint32_t v = 0; v < w->count && !status && !s->certified && s->options->verify; v++)
        waits[v] = WEIR_FAR;
    return status;
}

enum weir_status weir_async_waits(const struct weir_pipeline *pipeline, const struct weir_thread_groups *groups, bool verified,
                                  int64_t *waits, struct weir_error *error)
{
    struct weir_async_options options = {.work_limit = WORK, .verify = verified};
    struct weir_error own = {.status = WEIR_OK};
    struct weir_sampler s = {.pipeline = pipeline, .options = &options, .error = &own, .certified = true};
    struct waiting w = {.s = &s, .groups = groups, .count = (uint32_t)pipeline->operator_count};
    enum weir_status status = find_all(&w, waits);
    weir_async_close(&s);
    weir_arena_free(&s.arena);
    if (status && error)
        *error = own;
    return status;
}
