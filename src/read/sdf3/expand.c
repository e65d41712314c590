/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph with rates as one without: an actor that runs q times in an iteration becomes q operators, and a channel becomes, for
 * each run of its consumer, a queue from every run of the producer whose tokens it reads.
 *
 * Number the tokens of a channel in order: the d initial ones are -d .. -1, and run f of the producer writes p*f .. p*f + p-1. Run
 * j of the consumer reads c*j - d .. c*j - d + c-1, and so from runs floor((c*j - d) / p) to floor((c*j - d + c-1) / p). Run f is
 * copy f mod q of the producer, floor(f / q) iterations later; as many iterations before as there are messages in the queue at
 * the beginning. Reading from a copy in two iterations is waiting for the later one.
 *
 * An actor may run several times at once, so operators are reentrant; a channel to itself with a single token says otherwise. A
 * buffer of limited size is a channel back, with a token for each free slot: SDF3 frees a place when the consumer ends.
 */
#include "read/sdf3/sdf3.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- operators ---- */

/* A time as it stands in the file, in ticks of the file. */
static uint32_t read_time(struct weir_sdf3 *s, const struct weir_sdf3_text *time, const char *what)
{
    if (!s->digits)
        return weir_draft_time(s->draft, time->text, time->place, what);
    size_t bytes = strlen(time->text) + 8;
    char *text = weir_arena_take(&s->draft->arena, bytes);
    if (!text) {
        s->draft->out_of_memory = true;
        return WEIR_NO_TIME;
    }
    snprintf(text, bytes, "%se-%u", time->text, (unsigned)s->digits);
    return weir_draft_time(s->draft, text, time->place, what);
}

static void add_copy(struct weir_sdf3 *s, const struct weir_sdf3_actor *a, const char *name, const uint32_t times[2])
{
    struct weir_draft *d = s->draft;
    char quoted[WEIR_QUOTED];
    size_t bytes = strlen(name);
    if (weir_draft_find(d, name, bytes) != WEIR_NO_OPERATOR) {
        weir_draft_mistake(d, a->place, "two actors would have the name \"%s\", since copies of an actor are numbered",
                           weir_quote(name, quoted));
        return;
    }
    uint32_t op = weir_draft_add_operator(d, name, bytes, a->place);
    if (op == WEIR_NO_OPERATOR)
        return;
    d->operators[op].best = times[0];
    d->operators[op].worst = times[1];
    d->operators[op].reentrant = true;
}

static void add_actor(struct weir_sdf3 *s, struct weir_sdf3_actor *a)
{
    struct weir_draft *d = s->draft;
    uint32_t times[2];
    a->first = (uint32_t)d->operator_count;
    times[0] = times[1] = a->worst.text ? read_time(s, &a->worst, "worst") : read_time(s, &a->time, "time");
    if (a->best.text)
        times[0] = read_time(s, &a->best, "best");
    if (a->repetitions == 1) {
        add_copy(s, a, a->name, times);
        return;
    }
    size_t bytes = strlen(a->name) + 16;
    char *name = weir_resize(NULL, bytes);
    d->out_of_memory |= !name;
    for (uint32_t i = 0; i < a->repetitions && !d->out_of_memory; i++) {
        snprintf(name, bytes, "%s#%" PRIu32, a->name, i + 1);
        add_copy(s, a, name, times);
    }
    weir_free(name);
}

/* ---- queues ---- */

/* From run `producer`, counted from the first of the iteration, to copy `copy` of the consumer. */
static void add_queue(struct weir_sdf3 *s, const struct weir_sdf3_channel *c, int64_t producer, uint32_t copy)
{
    struct weir_draft *d = s->draft;
    const struct weir_sdf3_actor *from = &s->actors[c->from], *to = &s->actors[c->to];
    int64_t later = weir_floor_divide(producer, from->repetitions);
    uint32_t from_copy = (uint32_t)(producer - later * from->repetitions);
    if (from == to && from_copy == copy && later == -1) {
        d->operators[to->first + copy].reentrant = false; /* one after the other */
        return;
    }
    struct weir_draft_kind kind = {.spec = {.capacity = WEIR_UNBOUNDED, .initial = (uint32_t)-later}, .initial_place = c->place};
    struct weir_draft_queue queue = {
        .from = from->first + from_copy, .to = to->first + copy, .kind = weir_draft_kind(d, &kind), .place = c->place};
    weir_draft_add_queue(d, &queue);
}

static void add_channel(struct weir_sdf3 *s, const struct weir_sdf3_channel *c)
{
    const struct weir_sdf3_actor *from = &s->actors[c->from], *to = &s->actors[c->to];
    for (uint32_t copy = 0; copy < to->repetitions && !s->draft->out_of_memory; copy++) {
        int64_t token = (int64_t)copy * c->consume - c->initial;
        int64_t run = weir_floor_divide(token, c->produce), last = weir_floor_divide(token + c->consume - 1, c->produce);
        if (run <= last - from->repetitions)
            run = last - from->repetitions + 1;
        for (; run <= last; run++)
            add_queue(s, c, run, copy);
    }
}

static void add_channels(struct weir_sdf3 *s)
{
    uint64_t queues = 0;
    for (size_t i = 0; i < s->channel_count; i++) {
        const struct weir_sdf3_channel *c = &s->channels[i];
        uint64_t most = (uint64_t)s->actors[c->to].repetitions + s->actors[c->from].repetitions; /* of overlapping runs */
        queues += c->bounded ? 2 * most : most;
    }
    if (queues > WEIR_SDF3_QUEUES_MAX) {
        weir_draft_mistake(s->draft, (struct weir_place){1, 1},
                           "the channels of this graph become too many queues: up to %" PRIu64 "; the most is %" PRIu64, queues,
                           (uint64_t)WEIR_SDF3_QUEUES_MAX);
        return;
    }
    for (size_t i = 0; i < s->channel_count && !s->draft->out_of_memory; i++) {
        const struct weir_sdf3_channel *c = &s->channels[i];
        add_channel(s, c);
        if (!c->bounded)
            continue;
        struct weir_sdf3_channel back = {.name = c->name,
                                         .place = c->place,
                                         .from = c->to,
                                         .to = c->from,
                                         .produce = c->consume,
                                         .consume = c->produce,
                                         .initial = c->size - c->initial};
        add_channel(s, &back);
    }
}

/* ---- latencies ---- */

/* A whole number of this range, as it stands in the file. */
static bool read_whole(struct weir_sdf3 *s, const struct weir_sdf3_text *text, const char *what, int64_t least, int64_t *value)
{
    char quoted[WEIR_QUOTED], *end;
    long long number = strtoll(text->text, &end, 10);
    *value = number;
    if (end != text->text && !*end && number >= least && number <= WEIR_SDF3_NUMBER_MAX)
        return true;
    weir_draft_mistake(s->draft, text->place, "\"%s\" must be a whole number%s, not \"%s\"", what, least > 0 ? " from 1 on" : "",
                       weir_quote(text->text, quoted));
    return false;
}

static bool find_end(struct weir_sdf3 *s, const struct weir_sdf3_text *name, const struct weir_sdf3_text *run, const char *what,
                     uint32_t *op)
{
    char quoted[WEIR_QUOTED];
    uint32_t actor = weir_sdf3_actor(s, name);
    int64_t number = 1;
    if (actor == WEIR_SDF3_NONE || (run->text && !read_whole(s, run, what, 1, &number)))
        return false;
    if (number > s->actors[actor].repetitions) {
        weir_draft_mistake(s->draft, run->place, "\"%s\" runs %" PRIu32 " times in an iteration: there is no run %" PRId64,
                           weir_quote(name->text, quoted), s->actors[actor].repetitions, number);
        return false;
    }
    *op = s->actors[actor].first + (uint32_t)number - 1;
    return true;
}

static void add_latency(struct weir_sdf3 *s, const struct weir_sdf3_latency *l)
{
    struct weir_chain_spec chain = {.place = l->place};
    if (!find_end(s, &l->from, &l->from_run, "fromRun", &chain.from.index) ||
        !find_end(s, &l->to, &l->to_run, "toRun", &chain.to.index))
        return;
    chain.has_deadline = l->within.text != NULL;
    if (chain.has_deadline)
        chain.deadline = read_time(s, &l->within, "within");
    chain.has_shift = l->offset.text != NULL;
    if (chain.has_shift)
        read_whole(s, &l->offset, "offset", -(int64_t)WEIR_SDF3_NUMBER_MAX, &chain.shift);
    weir_draft_add_chain(s->draft, &chain);
}

enum { INNER_BEGIN = 1, INNER_END = 2 };

/* Marks the actors that are no beginning, and no end, of the graph. Channels to oneself do not count; where all actors are in
 * loops, nor do those with enough tokens for the first run: the rest has no loop, or nothing would ever start. */
static void mark_inner(const struct weir_sdf3 *s, uint8_t *inner)
{
    for (unsigned mark = INNER_BEGIN; mark <= INNER_END; mark++) {
        bool found = false;
        for (int relaxed = 0; relaxed < 2 && !found; relaxed++) {
            for (size_t i = 0; i < s->actor_count; i++)
                inner[i] &= (uint8_t)~mark;
            for (size_t i = 0; i < s->channel_count; i++) {
                const struct weir_sdf3_channel *c = &s->channels[i];
                if (c->from != c->to && !(relaxed && c->initial >= c->consume))
                    inner[mark == INNER_BEGIN ? c->to : c->from] |= (uint8_t)mark;
            }
            for (size_t i = 0; i < s->actor_count; i++)
                found |= !(inner[i] & mark);
        }
    }
}

struct reach {
    uint8_t *inner, *seen;
    struct weir_groups queues; /* by the operator they come from */
    uint32_t *stack;
};

static void flood(const struct weir_draft *d, struct reach *r, uint32_t from)
{
    size_t depth = 0;
    memset(r->seen, 0, d->operator_count);
    r->seen[from] = 1;
    r->stack[depth++] = from;
    while (depth) {
        uint32_t op = r->stack[--depth];
        for (uint32_t i = r->queues.first[op]; i < r->queues.first[op + 1]; i++) {
            uint32_t next = weir_draft_queue(d, r->queues.item[i])->to;
            if (!r->seen[next])
                r->stack[depth++] = next;
            r->seen[next] = 1;
        }
    }
}

/* From the first run of an actor that begins the graph to the last run, of those it leads to, of one that ends it. */
static void add_chains_from(struct weir_sdf3 *s, struct reach *r, const struct weir_sdf3_actor *from)
{
    flood(s->draft, r, from->first);
    for (size_t i = 0; i < s->actor_count; i++) {
        const struct weir_sdf3_actor *to = &s->actors[i];
        uint32_t last = to->repetitions;
        if (r->inner[i] & INNER_END)
            continue;
        while (last && !r->seen[to->first + last - 1])
            last--;
        if (last)
            weir_draft_add_chain(
                s->draft, &(struct weir_chain_spec){.from = {from->first}, .to = {to->first + last - 1}, .place = from->place});
    }
}

static void choose_chains(struct weir_sdf3 *s)
{
    struct weir_draft *d = s->draft;
    struct reach r = {0};
    r.inner = weir_array_zeroed(s->actor_count, sizeof *r.inner);
    r.seen = weir_array(d->operator_count, sizeof *r.seen);
    r.stack = weir_array(d->operator_count, sizeof *r.stack);
    if (weir_draft_group_queues(d, &r.queues) && r.inner && r.seen && r.stack) {
        mark_inner(s, r.inner);
        for (size_t i = 0; i < s->actor_count && !d->too_many_chains; i++)
            if (!(r.inner[i] & INNER_BEGIN))
                add_chains_from(s, &r, &s->actors[i]);
    } else {
        d->out_of_memory = true;
    }
    weir_free(r.stack);
    weir_groups_free(&r.queues);
    weir_free(r.seen);
    weir_free(r.inner);
}

/* ---- all of it ---- */

void weir_sdf3_expand(struct weir_sdf3 *s)
{
    struct weir_draft *d = s->draft;
    if (s->unit.text)
        weir_draft_set_unit(d, s->unit.text, s->unit.place);
    for (size_t i = 0; i < s->actor_count && !d->out_of_memory; i++)
        add_actor(s, &s->actors[i]);
    if (!d->out_of_memory && !d->mistakes)
        add_channels(s);
    for (size_t i = 0; i < s->latency_count && !d->mistakes; i++)
        add_latency(s, &s->latencies[i]);
    if (!s->latency_count && !s->homogeneous && !d->mistakes && !d->out_of_memory)
        choose_chains(s);
    d->incomplete = d->mistakes > 0;
}

void weir_read_sdf3(struct weir_draft *d, const struct weir_file_text *text)
{
    struct weir_sdf3 s = {.draft = d};
    d->queues_kept = true;
    if (d->options->force_queue)
        weir_draft_mistake(d, (struct weir_place){1, 1}, "channels of an SDF3 graph have no capacity that could be forced");
    else if (weir_sdf3_parse(&s, text) && !d->out_of_memory)
        weir_sdf3_resolve(&s);
    if (!d->out_of_memory && !d->mistakes && !s.actor_count)
        weir_draft_mistake(d, s.graph_place, "this graph has no actors: a pipeline has at least one operator");
    if (!d->out_of_memory && !d->mistakes)
        weir_sdf3_balance(&s);
    if (!d->out_of_memory && !d->mistakes)
        weir_sdf3_expand(&s);
    weir_free(s.latencies);
    weir_free(s.channels);
    weir_free(s.ports);
    weir_free(s.actors);
    weir_free(s.names.entries);
    weir_map_free(&s.names.index);
}
