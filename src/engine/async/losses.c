/* SPDX-License-Identifier: Apache-2.0 */
/* Which queues are never full, and what can happen to messages in the others (docs/concepts/async.md, sections 2 and 6). */
#include "base/error.h"
#include "base/number.h"
#include "engine/async/async.h"

static const struct weir_queue_spec *queue_of(const struct weir_sampler *s, const struct weir_cut *cut)
{
    return &s->pipeline->queues[cut->queue];
}

/* Message i finds the queue full when the execution that takes the one `capacity` before it has not begun. */
static struct weir_span fullness(const struct weir_sampler *s, const struct weir_cut *cut)
{
    const struct weir_queue_spec *q = queue_of(s, cut);
    return (struct weir_span){.from = weir_async_sent(cut),
                              .to = weir_async_taken(s, cut),
                              .via = WEIR_NO_INDEX,
                              .later = (int64_t)q->initial - q->capacity};
}

static void answer(const struct weir_sampler *s, const struct weir_cut *cut, enum weir_async_chance chance,
                   struct weir_async_queue *queue)
{
    queue->loses = chance;
    queue->faults = queue_of(s, cut)->full == WEIR_FULL_FAULT ? chance : WEIR_CHANCE_NO;
}

/* ---- ends that keep step ---- */

#define STEPS_MAX 16 /* that separations are asked for; what is left out makes the answer larger */

/* The smallest number of executions with which `span`, shifted back by as many, is always negative, from one with which its events
 * are in order on. */
static enum weir_status fewest(struct weir_sampler *s, struct weir_async_part *part, struct weir_span span, int64_t *executions)
{
    enum weir_status status = WEIR_OK;
    bool less = true;
    for (int step = 0; step<STEPS_MAX && * executions> 0 && less && !status; step++) {
        struct weir_known known;
        span.later = 1 - *executions;
        status = weir_async_span(s, part, &span, &known);
        less = !status && known.known && known.value < 0;
        *executions -= less;
    }
    return status;
}

/* Ends of one part are in step: execution `late` before the one that sends a message has begun by then, and the one `early` after
 * it has not. Where the producer waits for room, that is when it starts, and what is taken has also been received. */
struct pace {
    int64_t late, early; /* WEIR_FAR: they are not */
};

static enum weir_status measure_pace(struct weir_sampler *s, const struct weir_cut *cut, struct pace *pace)
{
    bool room = cut->kind == WEIR_CUT_ROOM, timed = !room || (!s->pipeline->graph->unknown_roots && !s->late);
    if (room && s->pipeline->reaction_count) /* who is ready is not in one place */
        timed = false;
    struct weir_async_part *part = &s->parts[s->part_of[cut->from]];
    uint32_t from = s->local_of[cut->from];
    struct weir_event sent = weir_async_sent(cut), taken = weir_async_taken(s, cut),
                      needs = room ? (struct weir_event){.op = {from}, .moment = WEIR_READY} : sent; /* not when it starts */
    *pace = (struct pace){WEIR_FAR, WEIR_FAR};
    if (s->part_of[cut->from] != s->part_of[cut->to])
        return WEIR_OK;
    enum weir_status status = weir_async_holds(s, part, taken, from, &pace->late);
    if (!status)
        status = weir_async_holds(s, part, sent, taken.op.index, &pace->early);
    if (status || pace->late >= WEIR_QUEUE_MAX || pace->early >= WEIR_QUEUE_MAX) {
        *pace = (struct pace){WEIR_FAR, WEIR_FAR};
        return status;
    }
    if (cut->room == WEIR_ROOM_SOON && cut->soon + 1 < pace->early)
        pace->early = cut->soon + 1; /* if it is not so soon, that is given up */
    if (timed)
        status = fewest(s, part, (struct weir_span){.from = needs, .to = taken, .via = WEIR_NO_INDEX}, &pace->late);
    if (timed && !status)
        status = fewest(s, part, (struct weir_span){.from = taken, .to = sent, .via = WEIR_NO_INDEX}, &pace->early);
    if (room && cut->from == cut->to && pace->late < 1)
        pace->late = 1; /* what an execution itself takes makes no room that it waits for */
    pace->late += room && s->pipeline->operators[cut->to].receive_max > 0;
    return status;
}

/* No message finds as many others in the queue as this; 0: that is not known. Notes which execution takes a message at the latest.
 */
static enum weir_status keep_step(struct weir_sampler *s, struct weir_cut *cut, int64_t *enough)
{
    struct pace pace;
    int64_t initial = queue_of(s, cut)->initial;
    enum weir_status status = measure_pace(s, cut, &pace);
    bool known = !status && pace.late != WEIR_FAR;
    cut->step = !known ? WEIR_FAR : pace.early > initial ? pace.early : initial;
    *enough = !known ? 0 : pace.late + cut->step > 1 ? pace.late + cut->step : 1;
    return status;
}

struct round {
    bool *full;       /* by cut: not excluded, or not known */
    uint32_t *counts; /* by part: how many of these */
    uint32_t found;
};

/* Not where the producer waits for that execution, in whatever moment; nor where it always begins earlier. */
static enum weir_status can_be_full(struct weir_sampler *s, const struct weir_cut *cut, bool *full)
{
    struct weir_span span = fullness(s, cut);
    struct weir_known known;
    int64_t held;
    struct weir_async_part *part = &s->parts[s->part_of[cut->from]];
    enum weir_status status = weir_async_holds(s, part, weir_async_taken(s, cut), s->local_of[cut->from], &held);
    *full = status || held > -span.later;
    if (status || !*full)
        return status;
    status = weir_async_span(s, part, &span, &known);
    *full = !known.known || known.value >= 0;
    return status;
}

/* Whether what is taken to be so of room may not be: that every execution of the consumer finds a message, that a producer which is
 * ready for all the rest finds room, or that a message is taken soon. */
static enum weir_status can_be_blocked(struct weir_sampler *s, struct weir_cut *cut, bool *blocked)
{
    enum weir_status status = keep_step(s, cut, &cut->limit);
    const struct weir_queue_spec *q = queue_of(s, cut);
    *blocked = status || cut->limit == 0 ||
               (cut->room == WEIR_ROOM_EVERY  ? cut->step > q->initial
                : cut->room == WEIR_ROOM_SOON ? cut->step > cut->soon
                                              : cut->limit > (int64_t)q->capacity);
    cut->limit = cut->limit < q->capacity ? cut->limit : q->capacity;
    return status;
}

static enum weir_status test(struct weir_sampler *s, struct round *round)
{
    enum weir_status status = WEIR_OK;
    round->found = 0;
    for (uint32_t i = 0; i < s->part_count; i++)
        round->counts[i] = 0;
    for (uint32_t i = 0; i < s->cut_count && !status; i++) {
        struct weir_cut *cut = &s->cuts[i];
        round->full[i] = false;
        if (!cut->joined && !cut->room)
            continue;
        status = cut->room ? can_be_blocked(s, cut, &round->full[i]) : can_be_full(s, cut, &round->full[i]);
        round->found += round->full[i];
        round->counts[s->part_of[cut->from]] += round->full[i];
    }
    return status;
}

/* In the first round, where everything is as in the model as long as nothing is lost: the only queue of its part that can be full
 * is full in the execution that shows it. */
static enum weir_status show_firing(struct weir_sampler *s, const struct weir_cut *cut, uint32_t firing,
                                    struct weir_async_queue *queue)
{
    struct weir_async_part *part = &s->parts[s->part_of[cut->from]];
    struct weir_span span = fullness(s, cut);
    struct weir_query query;
    struct weir_separation found;
    struct weir_witness *witness = NULL;
    enum weir_status status = weir_async_query(s, part, &span, firing, &query);
    query.work_limit = s->options->work_limit;
    if (!status)
        status = weir_separation_worst(part->solver, &query, &found, s->error);
    if (status)
        return status;
    bool exact = found.outcome == WEIR_EXACT && found.value >= 0;
    if (!exact && found.outcome != WEIR_NO_BOUND)
        return WEIR_OK;
    answer(s, cut, WEIR_CHANCE_YES, queue);
    if (exact)
        status = weir_separation_witness(part->solver, &query, &witness, s->error);
    if (witness)
        queue->iteration = witness->iteration * weir_async_firings(part, s->local_of[cut->from]) + firing;
    weir_witness_free(witness);
    return status;
}

static enum weir_status show(struct weir_sampler *s, const struct round *round, struct weir_async_queue *queues)
{
    for (uint32_t i = 0; i < s->cut_count; i++) {
        const struct weir_cut *cut = &s->cuts[i];
        struct weir_async_part *part = &s->parts[s->part_of[cut->from]];
        if (!round->full[i] || round->counts[s->part_of[cut->from]] != 1 || part->why || !part->pure)
            continue;
        uint32_t firings = weir_async_firings(part, s->local_of[cut->from]);
        for (uint32_t k = 0; k < firings && queues[i].loses != WEIR_CHANCE_YES; k++) {
            enum weir_status status = show_firing(s, cut, k, &queues[i]);
            if (status && status != WEIR_OVERFLOW)
                return status;
        }
    }
    return WEIR_OK;
}

#define SOON_MAX 4 /* numbers of executions that are tried */

static void give_up(const struct weir_sampler *s, struct weir_cut *cut)
{
    int64_t initial = queue_of(s, cut)->initial;
    if (cut->room == WEIR_ROOM_EVERY) {
        cut->room = WEIR_ROOM_NOTHING;
        return;
    }
    cut->soon = cut->room == WEIR_ROOM_SOON ? cut->soon + 1 : initial + 1;
    cut->room = cut->soon - initial > SOON_MAX ? WEIR_ROOM_SERVED : WEIR_ROOM_SOON;
}

/* In a part of which nothing is known it may be because of what is taken soon: that is given up first. */
static bool keeps(const struct weir_sampler *s, const struct weir_cut *cut)
{
    uint32_t part = s->part_of[cut->from];
    bool soon = false;
    for (uint32_t i = 0; i < s->cut_count; i++)
        soon |= s->cuts[i].room == WEIR_ROOM_SOON && s->part_of[s->cuts[i].from] == part;
    return s->parts[part].why && soon && cut->room != WEIR_ROOM_SOON;
}

/* What was taken to be so of room is not; the rest is looked at again, without it. */
static bool give_up_rooms(struct weir_sampler *s, const struct round *round)
{
    bool any = false;
    for (uint32_t i = 0; i < s->cut_count; i++)
        any |= round->full[i] && s->cuts[i].room && !keeps(s, &s->cuts[i]);
    for (uint32_t i = 0; i < s->cut_count && any; i++)
        round->full[i] &= s->cuts[i].room && !keeps(s, &s->cuts[i]); /* all is tested again */
    for (uint32_t i = 0; i < s->cut_count && any; i++)
        if (round->full[i])
            give_up(s, &s->cuts[i]);
    return any;
}

/* Cuts those that can be full and that no other of them leads to: what is lost there never comes to the others. */
static enum weir_status cut_first(struct weir_sampler *s, const struct round *round)
{
    uint8_t *later = weir_array_zeroed(s->pipeline->operator_count, sizeof *later);
    if (!later)
        return weir_fail_memory(s->error);
    for (uint32_t i = 0; i < s->cut_count; i++)
        if (round->full[i])
            later[s->cuts[i].to] = 1;
    enum weir_status status = weir_async_flood(s, later, false);
    bool none = true;
    for (uint32_t i = 0; i < s->cut_count; i++)
        none &= !round->full[i] || later[s->cuts[i].from];
    for (uint32_t i = 0; i < s->cut_count && !status; i++)
        if (round->full[i] && (none || !later[s->cuts[i].from]))
            s->cuts[i].joined = false;
    weir_free(later);
    return status;
}

enum weir_status weir_async_join(struct weir_sampler *s, struct weir_async_queue *queues)
{
    struct round round = {.full = weir_array(s->cut_count, sizeof *round.full),
                          .counts = weir_array(s->pipeline->operator_count, sizeof *round.counts)};
    bool good = round.full && round.counts;
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->cut_count; i++) {
        queues[i] = (struct weir_async_queue){.queue = {s->cuts[i].queue}, .iteration = -1};
        if (s->cuts[i].kind == WEIR_CUT_LOSSY)
            answer(s, &s->cuts[i], WEIR_CHANCE_MAYBE, &queues[i]);
    }
    for (bool first = true; good && !status;) {
        bool missed = false;
        status = weir_async_divide(s);
        if (!status)
            status = weir_async_test_ticks(s, &missed);
        if (!status && missed)
            continue;
        if (!status)
            status = test(s, &round);
        if (!status && give_up_rooms(s, &round))
            continue;
        if (!status && first && !s->misses)
            status = show(s, &round, queues);
        first = false;
        if (!status && round.found == 0)
            status = weir_async_test_skips(s, queues, &missed);
        if (status || (round.found == 0 && !missed))
            break;
        if (round.found)
            status = cut_first(s, &round);
    }
    weir_free(round.counts);
    weir_free(round.full);
    if (!good)
        return weir_fail_memory(s->error);
    for (uint32_t i = 0; i < s->cut_count && !status; i++)
        if (s->cuts[i].joined && !s->parts[s->part_of[s->cuts[i].from]].why) {
            queues[i].plain = true;
            answer(s, &s->cuts[i], WEIR_CHANCE_NO, &queues[i]);
        }
    return status;
}

/* ---- consumers that do not wait ---- */

struct rates {
    bool known;
    int64_t gap;     /* two messages are sent at least so far apart */
    int64_t spacing; /* two starts (or reads) of the consumer at most so far */
    int64_t first;   /* it starts (or reads) so late for the first time, at most */
};

enum weir_status weir_async_waits_for_any_time(struct weir_sampler *s, const struct weir_cut *cut, bool own, bool *any)
{
    const struct weir_async_part *part = &s->parts[s->part_of[cut->to]];
    *any = false;
    if (part->why)
        return WEIR_OK;
    const struct weir_graph *g = part->pipeline->graph;
    int64_t *tokens = weir_array(g->actor_count, sizeof *tokens);
    if (!tokens)
        return weir_fail_memory(s->error);
    weir_tokens_to(g, part->distances, g->start_of[g->firing_first[s->local_of[cut->to]]], false, tokens);
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        *any |=
            g->roots[r].unknown && tokens[g->roots[r].actor] != WEIR_FAR && (!own || g->actors[g->roots[r].actor].op < part->count);
    weir_free(tokens);
    return WEIR_OK;
}

static enum weir_status compare(struct weir_sampler *s, const struct weir_cut *cut, struct rates *rates)
{
    struct weir_event sent = weir_async_sent(cut);
    struct weir_span before = {.from = sent, .to = sent, .via = WEIR_NO_INDEX, .later = 1, .least = true};
    struct weir_known gap, spacing = {0}, first = {0};
    int64_t late = cut->kind == WEIR_CUT_LATEST ? s->pipeline->operators[cut->to].receive_max : 0;
    bool any;
    *rates = (struct rates){0};
    enum weir_status status = weir_async_waits_for_any_time(s, cut, false, &any);
    if (status || any) /* any number of messages may come before the consumer begins */
        return status;
    status = weir_async_span(s, &s->parts[s->part_of[cut->from]], &before, &gap);
    if (!status && gap.known)
        status = weir_async_starts(s, cut->to, 1, &spacing);
    if (!status && spacing.known)
        status = weir_async_beginning(s, &s->parts[s->part_of[cut->to]], weir_async_taken(s, cut), 0, &first);
    *rates = (struct rates){first.known, gap.value, spacing.value + late, first.value + late};
    return status;
}

/* No message finds as many others in the queue as this; 0: that is not known. */
static int64_t occupancy_limit(const struct rates *rates, int64_t initial)
{
    if (!rates->known || rates->gap <= 0 || rates->spacing > rates->gap)
        return 0;
    int64_t limit = initial + rates->first / rates->gap + 1;
    return limit == 1 && rates->spacing == rates->gap ? 2 : limit;
}

/* ---- ports that several send to ---- */

enum { SENDERS_MAX = 16, MOMENTS_MAX = 4096 };

/* The least times between the messages of each that sends to the port; false: one is 0 or not known, or there are too many. */
static enum weir_status find_gaps(struct weir_sampler *s, const struct weir_cut *port, int64_t gaps[SENDERS_MAX], uint32_t *count,
                                  bool *known)
{
    enum weir_status status = WEIR_OK;
    *count = 0;
    *known = true;
    for (uint32_t i = 0; i < s->cut_count && *known && !status; i++) {
        struct weir_event sent = weir_async_sent(&s->cuts[i]);
        struct weir_span span = {.from = sent, .to = sent, .via = WEIR_NO_INDEX, .later = 1, .least = true};
        struct weir_known gap;
        if (!s->cuts[i].shared || s->cuts[i].port != port->port)
            continue;
        status = weir_async_span(s, &s->parts[s->part_of[s->cuts[i].from]], &span, &gap);
        *known = !status && gap.known && gap.value > 0 && *count < SENDERS_MAX;
        if (*known)
            gaps[(*count)++] = gap.value;
    }
    return status;
}

/* From when the port was last empty on, at each moment a message can come: as many as can have come, less those that are taken
 * before for certain. No more than fit: none finds it full. */
static bool always_fits(const int64_t *gaps, uint32_t count, const struct weir_known takes[2], int64_t capacity)
{
    int64_t next[SENDERS_MAX], came = count, late = takes[1].value > takes[0].value ? takes[1].value : takes[0].value;
    if (takes[0].value <= 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        next[i] = gaps[i];
    for (int moment = 0; moment < MOMENTS_MAX; moment++) {
        int64_t now = moment ? INT64_MAX : 0;
        for (uint32_t i = 0; i < count && moment; i++)
            now = next[i] < now ? next[i] : now;
        for (uint32_t i = 0; i < count && moment; i++)
            if (next[i] == now) {
                next[i] += gaps[i];
                came++;
            }
        int64_t taken = now > late ? (now - late - 1) / takes[0].value + 1 : 0;
        if (came - taken > capacity || now > WEIR_TIME_MAX / 2)
            return false;
        int64_t before = came;
        for (uint32_t i = 0; i < count && moment; i++)
            before -= next[i] - gaps[i] == now;
        if (taken >= before && moment) /* it was empty */
            return true;
    }
    return false;
}

/* Whether the port can be full, for all that send to it. */
static enum weir_status test_port(struct weir_sampler *s, const struct weir_cut *port, struct weir_async_queue *queues)
{
    int64_t gaps[SENDERS_MAX];
    uint32_t count;
    bool known;
    struct weir_known takes[2] = {{0}};
    enum weir_status status = find_gaps(s, port, gaps, &count, &known);
    if (!status && known)
        status = weir_async_port_takes(s, port, &takes[0], &takes[1]);
    if (status || !known || !takes[0].known || !takes[1].known || !always_fits(gaps, count, takes, queue_of(s, port)->capacity))
        return status;
    for (uint32_t i = 0; i < s->cut_count; i++)
        if (s->cuts[i].shared && s->cuts[i].port == port->port)
            answer(s, &s->cuts[i], WEIR_CHANCE_NO, &queues[i]);
    return WEIR_OK;
}

enum weir_status weir_async_losses(struct weir_sampler *s, struct weir_async_queue *queues)
{
    for (uint32_t i = 0; i < s->cut_count; i++) {
        struct weir_cut *cut = &s->cuts[i];
        const struct weir_queue_spec *q = queue_of(s, cut);
        struct rates rates = {0};
        if (cut->shared && cut->port == i) {
            enum weir_status tested = test_port(s, cut, queues);
            if (tested)
                return tested;
        }
        if (cut->kind != WEIR_CUT_LATEST && cut->kind != WEIR_CUT_PICK && !cut->room)
            continue;
        enum weir_status status = cut->strange ? WEIR_OK : compare(s, cut, &rates);
        if (status)
            return status;
        int64_t enough = occupancy_limit(&rates, q->initial), in_step = 0;
        if (cut->kind != WEIR_CUT_LATEST && !cut->strange && !s->levels[cut->from])
            status = keep_step(s, cut, &in_step);
        if (status)
            return status;
        enough = in_step && (!enough || in_step < enough) ? in_step : enough;
        if (cut->kind == WEIR_CUT_LATEST) {
            answer(s, cut, enough == 1 && !s->levels[cut->to] ? WEIR_CHANCE_NO : WEIR_CHANCE_MAYBE, &queues[i]);
            continue;
        }
        bool never = cut->room || q->full == WEIR_FULL_NEVER || (enough && enough <= cut->limit);
        answer(s, cut, never ? WEIR_CHANCE_NO : WEIR_CHANCE_MAYBE, &queues[i]);
        if (enough && (!cut->limit || enough < cut->limit))
            cut->limit = enough;
        status = cut->limit ? WEIR_OK : weir_async_find_growth(s, cut);
        if (status)
            return status;
    }
    return WEIR_OK;
}
