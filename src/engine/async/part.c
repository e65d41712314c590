/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One part as a pipeline of its own: its operators, the queues between them, and an operator more for each thing that the rest does
 * to it (docs/concepts/async.md, section 3).
 *
 *   server      behind a producer that waits for room: takes [0, G] for each message, one after the other, and then makes room
 *   arrivals    in front of a consumer of a queue that loses messages: the next comes within [0, g] of its last start
 *   ticks       in front of an operator that skips ticks: the same with its period, and never two within one
 *   sender      behind a producer that sends before it has finished, or out of order, or whose messages are under way for a
 *               time: ends when they are there, in order
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/async/async.h"
#include "engine/exact/solver.h"

#include <string.h>

struct maker {
    struct weir_sampler *sampler;
    struct weir_async_part *part;
    uint32_t index;
    bool free; /* as if there always were messages in the ports of its operators, and with all best cases 0 */
    enum weir_status status;
};

/* Unless something failed already. WEIR_INVALID and WEIR_OVERFLOW end up as the reason why the part is unknown. */
static bool good(const struct maker *m)
{
    return !m->status;
}

static void add_operator(struct maker *m, const struct weir_operator_spec *spec, struct weir_operator *op)
{
    if (good(m))
        m->status = weir_pipeline_add_operator(m->part->pipeline, spec, op, m->sampler->error);
}

static void add_queue(struct maker *m, const struct weir_queue_spec *spec)
{
    if (good(m))
        m->status = weir_pipeline_add_queue(m->part->pipeline, spec, NULL, m->sampler->error);
}

/* The consumer of the queue that was added last reacts as to that queue of the whole, unless it may find no room then in a port
 * that others send to as well. */
static void set_reaction(struct maker *m, uint32_t queue)
{
    const struct weir_sampler *s = m->sampler;
    int64_t most = weir_pipeline_reaction(s->pipeline, queue);
    for (uint32_t i = 0; i < s->cut_count; i++)
        if (s->cuts[i].shared && s->cuts[i].from == s->pipeline->queues[queue].to.index &&
            !s->pipeline->queues[s->cuts[i].queue].nonblocking)
            return;
    struct weir_pipeline *p = m->part->pipeline;
    if (good(m) && most != WEIR_AS_ANY && !weir_pipeline_set_reaction(p, (uint32_t)p->queue_count - 1, most))
        m->status = weir_fail_memory(m->sampler->error);
}

/* An operator that nobody wrote. Its name is new; it may be read in a reason. */
static void add_helper(struct maker *m, const char *what, int64_t best, int64_t worst, struct weir_operator *op)
{
    char name[WEIR_SEGMENT_TEXT];
    struct weir_operator other;
    snprintf(name, sizeof name, "%s", what);
    for (unsigned number = 2; weir_pipeline_find(m->part->pipeline, name, &other); number++)
        snprintf(name, sizeof name, "%s (%u)", what, number);
    struct weir_operator_spec spec = {.name = name, .best = best, .worst = worst};
    add_operator(m, &spec, op);
    m->part->pure = false;
}

/* The name of what a cut does to a part. */
static void name_cut(const struct maker *m, const struct weir_cut *cut, const char *what, char name[WEIR_SEGMENT_TEXT - 20])
{
    const struct weir_operator_spec *operators = m->sampler->pipeline->operators;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    snprintf(name, WEIR_SEGMENT_TEXT - 20, "%s from %s to %s", what, weir_quote(operators[cut->from].name, from),
             weir_quote(operators[cut->to].name, to));
}

/* What `op` waits for comes within `limit` after its last start; and for the first time after the beginning, or, with `there`, at
 * once. */
struct arrivals {
    const char *what;
    uint32_t op;
    int64_t limit;
    bool there;
};

static void add_arrivals(struct maker *m, const struct arrivals *arrivals, struct weir_operator *helper)
{
    add_helper(m, arrivals->what, 0, arrivals->limit, helper);
    struct weir_queue_spec queue = {.from = *helper, .to = {arrivals->op}, .capacity = 1, .initial = arrivals->there};
    add_queue(m, &queue);
}

static void add_source(struct maker *m, const struct weir_source_spec *source)
{
    if (good(m))
        m->status = weir_pipeline_add_source(m->part->pipeline, source, m->sampler->error);
}

/* Covers the ticks of WEIR_ARRIVALS_SKIP: the next is within a period of the last start, and the one after it no less than a period
 * later; less, where the scheduler reads the clock `early`. The second is left out where a late receive lets the helper begin later
 * than the start. */
static void add_ticks(struct maker *m, const struct weir_source_spec *source, uint32_t op, int64_t early)
{
    struct weir_operator helper = {0};
    add_arrivals(m, &(struct arrivals){"ticks", op, source->period, .there = true}, &helper);
    struct weir_source_spec apart = {.op = helper, .period = source->period - early, .arrivals = WEIR_ARRIVALS_AT_MOST};
    if (apart.period > 0)
        add_source(m, &apart);
}

static enum weir_status set_why(struct maker *m, const char *text)
{
    m->part->made = true;
    m->part->why = weir_arena_text(&m->sampler->arena, text);
    return m->part->why ? WEIR_OK : weir_fail_memory(m->sampler->error);
}

/* Makes of the longest time between two events of the operator also the time to its first one; false: it is not known. */
static bool with_beginning(struct maker *m, uint32_t op, struct weir_event event, struct weir_known *spacing)
{
    struct weir_known first = {0};
    if (good(m) && spacing->known)
        m->status = weir_async_beginning(m->sampler, &m->sampler->parts[m->sampler->part_of[op]], event, 0, &first);
    if (!good(m))
        return false;
    weir_known_raise(spacing, &first);
    if (!spacing->known)
        m->status = set_why(m, m->sampler->why);
    return spacing->known;
}

/* Messages are taken no closer to each other than the consumer starts: behind the server there is a gate, which takes no time, and
 * which what it lets through keeps shut for so long. */
static void add_gate(struct maker *m, const struct weir_cut *cut, struct weir_operator *taken)
{
    struct weir_sampler *s = m->sampler;
    struct weir_event start = weir_async_taken(s, cut);
    struct weir_span span = {.from = start, .to = start, .via = WEIR_NO_INDEX, .later = 1, .least = true};
    struct weir_known apart = {0};
    struct weir_operator server = *taken, shut = {0};
    char name[WEIR_SEGMENT_TEXT - 20];
    if (good(m) && !s->pipeline->operators[cut->to].reentrant)
        m->status = weir_async_span(s, &s->parts[s->part_of[cut->to]], &span, &apart);
    if (!good(m) || !apart.known || apart.value <= 0)
        return;
    name_cut(m, cut, "messages", name);
    add_helper(m, name, 0, 0, taken);
    name_cut(m, cut, "taking more", name);
    add_helper(m, name, apart.value, apart.value, &shut);
    add_queue(m, &(struct weir_queue_spec){.from = server, .to = *taken, .capacity = WEIR_UNBOUNDED});
    add_queue(m, &(struct weir_queue_spec){.from = *taken, .to = shut, .capacity = WEIR_UNBOUNDED});
    add_queue(m, &(struct weir_queue_spec){.from = shut, .to = *taken, .capacity = WEIR_UNBOUNDED, .initial = 1});
}

/* How long the consumer lets a message at the head of the queue wait; its place is free when it is received. */
static void add_server(struct maker *m, struct weir_cut *cut)
{
    struct weir_sampler *s = m->sampler;
    const struct weir_queue_spec *q = &s->pipeline->queues[cut->queue];
    const struct weir_operator_spec *to = &s->pipeline->operators[cut->to];
    struct weir_known spacing;
    struct weir_operator helper = {0}, received = {0};
    m->status = weir_async_starts(s, cut->to, 1, &spacing);
    if (!with_beginning(m, cut->to, weir_async_taken(s, cut), &spacing))
        return;
    char name[WEIR_SEGMENT_TEXT - 20];
    name_cut(m, cut, "taking messages", name);
    add_helper(m, name, 0, spacing.value, &helper);
    cut->helper = helper.index;
    struct weir_operator from = {s->local_of[cut->from]};
    add_queue(m, &(struct weir_queue_spec){.from = from, .to = helper, .capacity = WEIR_UNBOUNDED, .initial = q->initial});
    add_gate(m, cut, &helper);
    if (to->receive_max > 0) {
        name_cut(m, cut, "receiving messages", name);
        add_helper(m, name, s->levels[cut->to] ? 0 : to->receive_min, to->receive_max, &received);
        add_queue(m, &(struct weir_queue_spec){.from = helper, .to = received, .capacity = WEIR_UNBOUNDED});
        helper = received;
    }
    add_queue(
        m, &(struct weir_queue_spec){.from = helper, .to = from, .capacity = WEIR_UNBOUNDED, .initial = q->capacity - q->initial});
}

/* How far its messages are apart at most, and the first from the beginning; false: it is not known. */
static bool find_spacing(struct maker *m, const struct weir_cut *cut, struct weir_known *spacing)
{
    struct weir_sampler *s = m->sampler;
    struct weir_span gap = {.from = weir_async_sent(cut), .to = weir_async_sent(cut), .via = WEIR_NO_INDEX, .later = 1};
    m->status = weir_async_span(s, &s->parts[s->part_of[cut->from]], &gap, spacing);
    return with_beginning(m, cut->from, weir_async_sent(cut), spacing);
}

/* How long a consumer that is ready can be without a message. Of several that send to its port each is enough; but one that begins
 * at any time may not have begun. */
static void add_messages(struct maker *m, struct weir_cut *cut)
{
    struct weir_sampler *s = m->sampler;
    struct weir_operator helper = {0};
    bool all = s->pipeline->graph->unknown_roots;
    struct weir_known spacing, other;
    if (!find_spacing(m, cut, &spacing))
        return;
    for (uint32_t i = 0; i < s->cut_count && cut->shared; i++) {
        if (s->cuts[i].port != cut->port)
            continue;
        if (!find_spacing(m, &s->cuts[i], &other))
            return;
        spacing.value = (other.value > spacing.value) == all ? other.value : spacing.value;
    }
    bool there = s->pipeline->queues[cut->queue].initial > 0;
    char name[WEIR_SEGMENT_TEXT - 20];
    name_cut(m, cut, "messages", name);
    add_arrivals(m, &(struct arrivals){name, s->local_of[cut->to], spacing.value, there}, &helper);
    if (!cut->shared) /* whose message it is is not known */
        set_reaction(m, cut->queue);
    cut->helper = helper.index;
}

/* Who finishes when the messages of the cut are sent. One that launches work on a GPU and does not wait for it sends before it has
 * finished; of one that is reentrant messages wait for those before them. */
static void set_sender(struct maker *m, struct weir_cut *cut)
{
    const struct weir_sampler *s = m->sampler;
    const struct weir_operator_spec *from = &s->pipeline->operators[cut->from];
    const struct weir_queue_spec *q = &s->pipeline->queues[cut->queue];
    bool pure = m->part->pure;
    cut->sender = s->local_of[cut->from];
    if (!from->reentrant && (!from->launch || from->launch->waits) && !q->transfer_max)
        return;
    char name[WEIR_SEGMENT_TEXT - 20];
    struct weir_operator helper = {0};
    name_cut(m, cut, "sending", name);
    add_helper(m, name, 0, 0, &helper);
    struct weir_queue_spec queue = {.from = {cut->sender},
                                    .to = helper,
                                    .capacity = WEIR_UNBOUNDED,
                                    .transfer_min = s->levels[cut->from] ? 0 : q->transfer_min,
                                    .transfer_max = q->transfer_max};
    add_queue(m, &queue);
    cut->sender = helper.index;
    struct weir_queue_spec rest = {.from = helper, .to = {s->local_of[cut->to]}, .capacity = WEIR_UNBOUNDED, .initial = q->initial};
    if (q->transfer_max && cut->joined)
        add_queue(m, &rest);
    m->part->pure = pure; /* it takes no time of its own */
}

static void add_own(struct maker *m)
{
    struct weir_sampler *s = m->sampler;
    const struct weir_pipeline *p = s->pipeline;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        struct weir_operator_spec spec = p->operators[o];
        if (s->part_of[o] != m->index)
            continue;
        if (m->free || s->levels[o]) /* what is skipped takes no time */
            spec.best = spec.receive_min = 0;
        m->part->pure &= !s->levels[o];
        add_operator(m, &spec, NULL);
    }
    for (uint32_t i = 0; i < p->queue_count; i++) {
        struct weir_queue_spec queue = p->queues[i];
        uint32_t cut = s->cut_of[i];
        bool is_cut = cut != WEIR_NO_INDEX;
        if (s->part_of[queue.from.index] != m->index || (is_cut && !s->cuts[cut].joined && s->cuts[cut].room != WEIR_ROOM_EVERY))
            continue; /* of an optional queue only the room is waited for */
        if (is_cut && queue.transfer_max)
            continue; /* goes on from its sender */
        queue.from.index = s->local_of[queue.from.index];
        queue.to.index = s->local_of[queue.to.index];
        queue.full = WEIR_FULL_NEVER;
        queue.transfer_min = m->free || s->levels[p->queues[i].from.index] ? 0 : queue.transfer_min;
        add_queue(m, &queue);
        set_reaction(m, i);
    }
}

static void add_sources(struct maker *m)
{
    struct weir_sampler *s = m->sampler;
    for (uint32_t i = 0; i < s->pipeline->source_count && good(m) && !m->part->why; i++) {
        struct weir_source_spec source = s->pipeline->sources[i];
        uint32_t op = source.op.index;
        if (s->part_of[op] != m->index)
            continue;
        source.op.index = s->local_of[op];
        if (m->free) { /* the next start is no later than a period after the last */
            struct weir_operator helper;
            add_arrivals(m, &(struct arrivals){"period", source.op.index, source.period, .there = true}, &helper);
            continue;
        }
        if (s->kept[i] || (source.arrivals == WEIR_ARRIVALS_CATCH_UP && s->pipeline->operators[op].has_start_within))
            source.arrivals = WEIR_ARRIVALS_EXACT; /* the same, and starts can be counted from ticks */
        if (source.arrivals != WEIR_ARRIVALS_SKIP)
            add_source(m, &source);
        else if (s->pipeline->operators[op].reentrant && s->pipeline->operators[op].receive_max > 0)
            m->status = set_why(m, "no bound is known for a reentrant operator that skips ticks and receives late");
        else
            add_ticks(m, &source, source.op.index,
                      s->pipeline->operators[op].receive_max > 0 ? source.period : weir_pipeline_lateness(s->pipeline, op).early);
    }
}

/* When its operators begin is what the whole says of them. What the rest does to the part begins when that does: at any time, where
 * something there does. */
static void set_phases(struct maker *m)
{
    struct weir_sampler *s = m->sampler;
    const struct weir_phase *phases = s->pipeline->phases;
    bool unknown = s->pipeline->graph->unknown_roots, kept = weir_pipeline_set_phase(m->part->pipeline, 0, (struct weir_phase){0});
    for (uint32_t o = 0; o < s->pipeline->operator_count && phases && kept; o++)
        if (s->part_of[o] == m->index)
            kept = weir_pipeline_set_phase(m->part->pipeline, s->local_of[o], phases[o]);
    for (uint32_t i = 0; i < s->cut_count && unknown && kept; i++) {
        const struct weir_cut *cut = &s->cuts[i];
        bool ours = cut->kind == WEIR_CUT_ROOM    ? !weir_cut_is_plain(cut) && s->part_of[cut->from] == m->index
                    : cut->kind == WEIR_CUT_LOSSY ? !cut->joined && s->part_of[cut->to] == m->index
                                                  : false;
        if (ours && !cut->inside && !m->free && (!cut->shared || cut->port == i))
            kept = weir_pipeline_set_phase(m->part->pipeline, cut->helper, (struct weir_phase){.unknown = true});
    }
    if (!kept)
        m->status = weir_fail_memory(s->error);
}

/* How late its operators may start is what the whole says of them, or, for a port that others send to, too, how long there is no
 * room; helpers start at once. */
static void set_lateness(struct maker *m)
{
    struct weir_sampler *s = m->sampler;
    for (uint32_t o = 0; o < s->pipeline->operator_count && s->pipeline->lateness && good(m); o++) {
        if (s->part_of[o] != m->index)
            continue;
        m->part->pure = false;
        if (!weir_pipeline_set_lateness(m->part->pipeline, s->local_of[o], s->pipeline->lateness[o]))
            m->status = weir_fail_memory(s->error);
    }
    for (uint32_t i = 0; i < s->cut_count && good(m) && !m->part->why; i++) {
        const struct weir_cut *cut = &s->cuts[i];
        struct weir_known wait = {0};
        if (!cut->shared || m->free || s->part_of[cut->from] != m->index || s->pipeline->queues[cut->queue].nonblocking)
            continue;
        m->status = weir_async_room_wait(s, cut, &wait);
        s->late = true;
        m->part->pure = false;
        int64_t early = weir_pipeline_lateness(s->pipeline, cut->from).early;
        if (good(m) && wait.known &&
            !weir_pipeline_set_lateness(m->part->pipeline, s->local_of[cut->from], (struct weir_lateness){wait.value, early}))
            m->status = weir_fail_memory(s->error);
        if (good(m) && !wait.known && !m->part->why)
            m->status = set_why(m, s->why);
    }
}

static void seal(struct maker *m)
{
    struct weir_sampler *s = m->sampler;
    struct weir_chain_spec chain = {.from = {0}, .to = {0}}; /* so that sealing looks for no others */
    if (good(m))
        m->status = weir_pipeline_add_chain(m->part->pipeline, &chain, s->error);
    if (good(m))
        set_phases(m);
    if (good(m))
        set_lateness(m);
    if (m->part->why)
        return;
    if (good(m))
        m->status = weir_pipeline_seal_alone(m->part->pipeline, s->error);
    if (!good(m))
        return;
    m->part->solver = weir_solver_open(m->part->pipeline, s->error);
    m->part->distances = m->part->solver ? weir_distances_new(m->part->pipeline->graph) : NULL;
    if (!m->part->distances)
        m->status = weir_fail_memory(s->error);
}

/* ---- cuts inside ---- */

static uint32_t receives(const struct weir_graph *g, uint32_t op)
{
    for (uint32_t i = 0; i < g->actor_count; i++)
        if (g->actors[i].op == op && g->actors[i].part == WEIR_PART_RECEIVE)
            return i;
    return WEIR_NO_ACTOR;
}

/* How far the iteration that is waited for can be from that of a plain queue: as many executions of the consumer as find no
 * message, or as many messages as are lost. WEIR_FAR in `step`: it is not known. */
static enum weir_status measure_inside(struct maker *m, struct weir_cut *cut, struct weir_inner_arc *arc)
{
    struct weir_sampler *s = m->sampler;
    const struct weir_graph *g = m->part->pipeline->graph;
    const struct weir_queue_spec *q = &s->pipeline->queues[cut->queue];
    bool room = cut->kind == WEIR_CUT_ROOM;
    struct weir_event by = room ? weir_async_sent(cut) : weir_async_taken(s, cut);
    uint32_t from = s->local_of[cut->from], to = s->local_of[cut->to], late = receives(g, to);
    int64_t held, initial = q->initial, capacity = q->capacity;
    enum weir_status status = weir_async_holds(s, m->part, by, room ? to : from, &held);
    if (cut->room == WEIR_ROOM_SOON && cut->soon < held)
        held = cut->soon;
    cut->step = status || held > WEIR_QUEUE_MAX ? WEIR_FAR : room && held > initial ? held : initial;
    if (room)
        *arc = (struct weir_inner_arc){.tail = late == WEIR_NO_ACTOR ? g->start_of[to] : late,
                                       .head = g->ready_of[from],
                                       .finish = late != WEIR_NO_ACTOR,
                                       .early = capacity - initial,
                                       .late = capacity - cut->step};
    else
        *arc = (struct weir_inner_arc){.tail = g->finish_of[cut->sender],
                                       .head = g->ready_of[to],
                                       .finish = true,
                                       .early = initial,
                                       .late = capacity - held < initial ? capacity - held : initial};
    if (room)
        cut->limit = capacity;
    return status;
}

/* Arcs for the cuts inside of the part. */
static void close_part(struct maker *m)
{
    struct weir_sampler *s = m->sampler;
    uint32_t last = WEIR_NO_INDEX;
    size_t count = 0;
    struct weir_inner_arc *arcs = weir_array(s->cut_count, sizeof *arcs);
    if (!arcs) {
        m->status = weir_fail_memory(s->error);
        return;
    }
    for (uint32_t i = 0; i < s->cut_count && good(m) && !m->part->why; i++) {
        if (!s->cuts[i].inside || s->part_of[s->cuts[i].from] != m->index)
            continue;
        last = i;
        m->status = measure_inside(m, &s->cuts[i], &arcs[count++]);
        if (good(m) && s->cuts[i].step == WEIR_FAR)
            m->status = weir_async_refuse(s, &s->cuts[i], m->index);
    }
    if (count > 0 && good(m) && m->part->pipeline->firings)
        m->status = weir_fail(s->error, WEIR_INVALID,
                              "no bound is known where operators wait for each other across a connection that does not wait, and "
                              "others between them take several messages at once");
    if (count > 0 && good(m) && !m->part->why) {
        m->part->pure = false;
        if (weir_inside_new(m->part->pipeline->graph, arcs, count, &m->part->inside))
            m->status = weir_fail_memory(s->error);
        else if (!m->part->inside)
            m->status = weir_async_refuse(s, &s->cuts[last], m->index);
    }
    weir_free(arcs);
}

static void make(struct maker *m)
{
    struct weir_sampler *s = m->sampler;
    m->part->pure = true;
    m->part->pipeline = weir_pipeline_new(s->error);
    m->status = m->part->pipeline ? WEIR_OK : WEIR_MEMORY;
    if (good(m))
        m->status = weir_pipeline_set_unit(m->part->pipeline, s->pipeline->unit, s->pipeline->digits, s->error);
    add_own(m);
    for (uint32_t i = 0; i < s->cut_count && good(m); i++)
        if (s->part_of[s->cuts[i].from] == m->index)
            set_sender(m, &s->cuts[i]);
    for (uint32_t i = 0; i < s->cut_count && good(m) && !m->part->why && !m->free; i++) {
        struct weir_cut *cut = &s->cuts[i];
        if (cut->inside || (cut->shared && cut->port != i))
            continue;
        if (cut->kind == WEIR_CUT_ROOM && !weir_cut_is_plain(cut) && s->part_of[cut->from] == m->index)
            add_server(m, cut);
        else if (cut->kind == WEIR_CUT_LOSSY && !cut->joined && s->part_of[cut->to] == m->index)
            add_messages(m, cut);
    }
    add_sources(m);
    if (!m->part->why)
        seal(m);
    if (good(m) && !m->part->why)
        close_part(m);
    if (m->status == WEIR_INVALID || m->status == WEIR_OVERFLOW)
        m->status = set_why(m, s->error->message);
    m->part->made = true;
}

enum weir_status weir_async_make_part(struct weir_sampler *s, uint32_t index)
{
    struct maker m = {.sampler = s, .part = &s->parts[index], .index = index};
    make(&m);
    return m.status;
}

enum weir_status weir_async_make_free(struct weir_sampler *s, uint32_t index, struct weir_async_part *part)
{
    struct maker m = {.sampler = s, .part = part, .index = index, .free = true};
    make(&m);
    return m.status;
}
