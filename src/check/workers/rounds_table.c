/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds with periods that may have passed or not, one from each entry of a list. */
#include "check/workers/rounds_table.h"

#include "base/map.h"
#include "base/number.h"
#include "model/dispatch.h"

#include <string.h>

struct check {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    const struct weir_chain_spec *chain;
    const struct weir_rounds_table *table;
    struct weir_links in, out;
    uint32_t *order;
    uint32_t *clock; /* by operator: which bit says that it is due; 0: always */
    uint32_t clocks;
    int8_t *ahead; /* by queue: 1: on the path, whose messages say how far `from` is ahead of `to` */
    uint32_t *now; /* messages, by queue */
    struct weir_map index;
    int64_t worst;
    bool good;
};

void weir_rounds_table_free(struct weir_rounds_table *t)
{
    weir_free(t->messages);
    weir_free(t->longest);
    weir_free(t->needed);
    *t = (struct weir_rounds_table){0};
}

/* ---- entries ---- */

static uint32_t find(const struct check *c, const uint32_t *messages)
{
    size_t bytes = c->pipeline->queue_count * sizeof *messages;
    struct weir_map_cursor probe = weir_map_begin(&c->index, weir_hash_bytes(messages, bytes));
    while (weir_map_next(&c->index, &probe) &&
           memcmp(c->table->messages + probe.value * c->pipeline->queue_count, messages, bytes) != 0)
        ;
    return probe.value;
}

static bool index_entries(struct check *c)
{
    size_t width = c->pipeline->queue_count;
    for (uint32_t i = 0; i < c->table->count; i++)
        if (!weir_map_add(&c->index, weir_hash_bytes(c->table->messages + i * width, width * sizeof *c->now), i))
            return false;
    return true;
}

/* ---- a round ---- */

static bool is_ready(const struct check *c, uint32_t op, uint32_t due)
{
    const struct weir_queue_spec *queues = c->pipeline->queues;
    bool ready = (c->clock[op] & ~due) == 0;
    for (uint32_t i = c->in.first[op]; ready && i < c->in.first[op + 1]; i++)
        ready = c->now[c->in.queue[i]] > 0;
    for (uint32_t i = c->out.first[op]; ready && i < c->out.first[op + 1]; i++) {
        const struct weir_queue_spec *q = &queues[c->out.queue[i]];
        bool waits = !q->nonblocking && q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
        ready = !waits || c->now[c->out.queue[i]] < q->capacity;
    }
    return ready;
}

/* How many executions `from` is ahead of `to`. */
static int64_t lead(const struct check *c)
{
    int64_t messages = 0;
    for (size_t i = 0; i < c->pipeline->queue_count; i++)
        messages += c->ahead[i] ? (int64_t)c->now[i] - (int64_t)c->pipeline->queues[i].initial : 0;
    return messages;
}

/* What an iteration comes to in a round: `ends` 0 before it: it begins in the round, if it does. */
struct passage {
    int64_t ends, time;
    bool under_way, executed;
};

static void execute(struct check *c, uint32_t op, struct passage *it)
{
    if (op == c->chain->from.index && !it->under_way) {
        it->under_way = true;
        it->ends = lead(c) + c->chain->shift + 1;
        c->good &= it->ends > 0;
    }
    for (uint32_t i = c->in.first[op]; i < c->in.first[op + 1]; i++)
        c->now[c->in.queue[i]]--;
    for (uint32_t i = c->out.first[op]; i < c->out.first[op + 1]; i++)
        c->now[c->out.queue[i]]++;
    it->executed = true;
    if (!it->under_way || it->ends == 0)
        return;
    it->time += c->pipeline->operators[op].worst;
    it->ends -= op == c->chain->to.index;
}

static void play(struct check *c, uint32_t entry, uint32_t due, size_t ends)
{
    const struct weir_rounds_table *t = c->table;
    struct passage it = {.ends = (int64_t)ends, .under_way = ends > 0};
    int64_t limit = ends ? t->longest[entry * t->ends + ends] : c->worst;
    memcpy(c->now, t->messages + entry * c->pipeline->queue_count, c->pipeline->queue_count * sizeof *c->now);
    for (uint32_t i = 0; i < c->pipeline->operator_count; i++)
        if (is_ready(c, c->order[i], due))
            execute(c, c->order[i], &it);
    uint32_t next = find(c, c->now);
    c->good &= next != WEIR_MAP_NONE && (it.executed || !ends) && it.ends < (int64_t)t->ends;
    if (!c->good || !it.under_way)
        return;
    size_t node = next * t->ends + (size_t)it.ends;
    c->good &= it.ends == 0 || (t->needed[node] && t->longest[node] >= 0 && t->longest[node] < WEIR_TIME_MAX);
    c->good = c->good && it.time + (it.ends ? t->longest[node] : 0) <= limit;
}

static void play_all(struct check *c)
{
    const struct weir_rounds_table *t = c->table;
    for (uint32_t entry = 0; entry < t->count; entry++)
        for (size_t ends = 0; ends < t->ends && c->good; ends++)
            for (uint32_t due = 0; due < 1u << c->clocks && (ends == 0 || t->needed[entry * t->ends + ends]) && c->good; due++)
                play(c, entry, due, ends);
}

/* ---- */

/* A path from `from` to `to`, found from its end; without one nothing says which iteration is which. */
static bool find_path(struct check *c)
{
    const struct weir_pipeline *p = c->pipeline;
    uint32_t from = c->chain->from.index, to = c->chain->to.index;
    uint32_t *queue = weir_arena_array(&c->arena, p->operator_count, sizeof *queue); /* towards `to`, plus one */
    bool changed = queue != NULL;
    while (changed && from != to && !queue[from]) {
        changed = false;
        for (uint32_t i = 0; i < p->queue_count; i++) {
            uint32_t tail = p->queues[i].from.index, head = p->queues[i].to.index;
            if (tail == to || queue[tail] || (head != to && !queue[head]))
                continue;
            queue[tail] = i + 1;
            changed = true;
        }
    }
    if (!changed && from != to)
        return false;
    for (uint32_t op = from; op != to; op = p->queues[queue[op] - 1].to.index)
        c->ahead[queue[op] - 1] = 1;
    return true;
}

static bool begin(struct check *c)
{
    const struct weir_pipeline *p = c->pipeline;
    c->order = weir_arena_array(&c->arena, p->operator_count, sizeof *c->order);
    c->clock = weir_arena_array(&c->arena, p->operator_count, sizeof *c->clock);
    c->ahead = weir_arena_array(&c->arena, p->queue_count, sizeof *c->ahead);
    c->now = weir_arena_array(&c->arena, p->queue_count, sizeof *c->now);
    if (c->arena.failed || !weir_dispatch_order(p, c->order) || !weir_links_make(&c->in, p, WEIR_LINKS_IN, &c->arena) ||
        !weir_links_make(&c->out, p, WEIR_LINKS_OUT, &c->arena))
        return false;
    for (size_t i = 0; i < p->queue_count; i++)
        c->now[i] = p->queues[i].initial;
    for (size_t i = 0; i < p->source_count && c->clocks < 16; i++)
        c->clock[p->sources[i].op.index] |= 1u << c->clocks++;
    return index_entries(c);
}

/* Whether it is a pipeline of plain queues, whose latency begins with the start of an operator, and few periods. */
static bool applies(const struct weir_pipeline *p, uint32_t chain)
{
    bool good = p->workers.dispatch == WEIR_DISPATCH_GREEDY && p->source_count <= 16 && !p->firings && p->lane_count == 0;
    for (size_t i = 0; i < p->operator_count; i++)
        good &= !p->operators[i].launch && !p->operators[i].reentrant;
    for (size_t i = 0; i < p->queue_count; i++)
        good &= !weir_queue_is_cut(&p->queues[i]) && p->queues[i].consume <= 1 && !p->queues[i].transfer_max;
    for (size_t i = 0; i < p->source_count; i++)
        good &= p->sources[i].arrivals != WEIR_ARRIVALS_EXACT || p->sources[i].op.index != p->chains[chain].from.index;
    return good;
}

enum weir_status weir_rounds_table_check(const struct weir_pipeline *p, uint32_t chain, const struct weir_rounds_table *table,
                                         int64_t worst, enum weir_checked *checked)
{
    struct check c = {.pipeline = p, .chain = &p->chains[chain], .table = table, .worst = worst, .good = true};
    *checked = WEIR_CHECKED_OPEN;
    if (!applies(p, chain) || !table->count)
        return WEIR_OK;
    bool made = begin(&c);
    c.good = made && find_path(&c) && find(&c, c.now) != WEIR_MAP_NONE;
    if (c.good)
        play_all(&c);
    *checked = c.good ? WEIR_CHECKED_HOLDS : WEIR_CHECKED_FAILS;
    made &= !c.arena.failed;
    weir_map_free(&c.index);
    weir_arena_free(&c.arena);
    return made ? WEIR_OK : WEIR_MEMORY;
}
