/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of arcs without tokens can never start. This finds such cycles and puts them into words. */
#include "base/error.h"
#include "model/lower.h"

#include <string.h>

enum { UNSEEN, ON_PATH, FINISHED };

struct search {
    const struct weir_lowering *lowering;
    const struct weir_arc_table *table;
    uint8_t *state;
    uint32_t *path; /* actors from the root of the search */
    uint64_t *next; /* by path: the entry to try next */
    struct weir_sealing *sealing;
};

static const struct weir_arc_kind *kind_between(const struct search *s, uint32_t tail, uint32_t head)
{
    for (uint64_t i = s->table->first[tail]; i < s->table->first[tail + 1]; i++) {
        const struct weir_arc_kind *kind = &s->table->kinds[s->table->entries[i].kind];
        if (s->table->entries[i].head == head && kind->tokens == 0)
            return kind;
    }
    return NULL;
}

/* The queue behind an arc, for its place in the file. */
static struct weir_place place_of(const struct search *s, uint32_t tail, uint32_t head, bool full)
{
    const struct weir_pipeline *p = s->lowering->pipeline;
    uint32_t from = s->lowering->actors[full ? head : tail].op, to = s->lowering->actors[full ? tail : head].op;
    bool firings = s->lowering->firing_first != NULL;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (q->from.index == from && q->to.index == to && (firings || (full ? q->capacity == q->initial : q->initial == 0)))
            return q->place;
    }
    return (struct weir_place){0, 0};
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

/* Whether entry i of the cycle path[from..to], which comes back to path[from] at to + 1, is named; `last` is what was named before.
 * Parts that weir adds to an operator pass for the operator, and so do the firings of one. */
static bool is_named(const struct search *s, size_t from, size_t to, size_t i, uint32_t last)
{
    const struct weir_actor_spec *spec = &s->lowering->actors[s->path[i <= to ? i : from]];
    if (i == from || (i > to && s->lowering->actors[s->path[to]].op == spec->op && to == from))
        return true;
    return (i > to || spec->part == WEIR_PART_EXECUTION) && (spec->op != last || !s->lowering->firing_first);
}

static const char *advice(const struct search *s, bool full)
{
    if (!full)
        return "give one of its queues an initial message";
    return s->lowering->firing_first ? "a queue in it is too small for the messages taken at once, or begins full"
                                     : "a queue in it begins full, so its producer waits for its consumer";
}

/* path[from..to] and back to path[from] is a cycle: "a -> b -> a". */
static void report(struct search *s, size_t from, size_t to)
{
    char words[360] = "", quoted[WEIR_QUOTED];
    bool full = false;
    struct weir_place place = {0, 0};
    size_t length = 0, named = 0;
    uint32_t last = WEIR_NO_ACTOR;
    for (size_t i = from; i <= to; i++)
        if (s->lowering->actors[s->path[i]].part == WEIR_PART_EXECUTION && is_named(s, from, to, i, last)) {
            last = s->lowering->actors[s->path[i]].op;
            length++;
        }
    last = WEIR_NO_ACTOR;
    for (size_t i = from; i <= to + 1; i++) {
        uint32_t actor = s->path[i <= to ? i : from];
        const struct weir_actor_spec *spec = &s->lowering->actors[actor];
        const struct weir_arc_kind *kind = i > from ? kind_between(s, s->path[i - 1], actor) : NULL;
        if (kind && kind->wait != WEIR_WAIT_NONE && place.line == 0)
            place = place_of(s, s->path[i - 1], actor, kind->wait == WEIR_WAIT_BACKPRESSURE);
        full |= kind && kind->wait == WEIR_WAIT_BACKPRESSURE;
        if (!is_named(s, from, to, i, last))
            continue;
        last = spec->op;
        size_t nth = named++;
        if (length > 8 && nth >= 4 && nth + 4 < length) {
            append(words, sizeof words, nth == 4 ? " -> ..." : "");
            continue;
        }
        if (i > from)
            append(words, sizeof words, kind && kind->wait == WEIR_WAIT_BACKPRESSURE ? " (full) -> " : " -> ");
        append(words, sizeof words, weir_quote(s->lowering->pipeline->operators[spec->op].name, quoted));
    }
    weir_errors_add(s->sealing->errors, WEIR_INVALID, s->sealing->file, place,
                    "deadlock: nothing in this cycle of %zu can ever start: %s; %s", length, words, advice(s, full));
}

/* Depth-first from `root`; each cycle found takes its actors out of the game, so that cycles that share none are all reported. */
static void search_from(struct search *s, uint32_t root)
{
    const struct weir_arc_table *t = s->table;
    size_t depth = 0;
    s->path[0] = root;
    s->next[0] = t->first[root];
    s->state[root] = ON_PATH;
    for (;;) {
        uint32_t o = s->path[depth];
        if (s->next[depth] == t->first[o + 1]) {
            s->state[o] = FINISHED;
            if (depth-- == 0)
                return;
            continue;
        }
        const struct weir_arc_entry *arc = &t->entries[s->next[depth]++];
        if (t->kinds[arc->kind].tokens != 0 || s->state[arc->head] == FINISHED)
            continue;
        if (s->state[arc->head] == UNSEEN) {
            s->path[++depth] = arc->head;
            s->next[depth] = t->first[arc->head];
            s->state[arc->head] = ON_PATH;
            continue;
        }
        size_t from = depth;
        while (s->path[from] != arc->head)
            from--;
        report(s, from, depth);
        for (; depth > from; depth--)
            s->state[s->path[depth]] = FINISHED;
        s->next[depth] = t->first[s->path[depth] + 1];
    }
}

enum weir_status weir_deadlock_report(struct weir_sealing *sealing, const struct weir_lowering *lowering,
                                      const struct weir_arc_table *table, const uint32_t *waiting)
{
    uint32_t n = table->actor_count;
    struct weir_arena *scratch = &sealing->scratch;
    struct search s = {.lowering = lowering, .table = table, .sealing = sealing};
    s.state = weir_arena_array(scratch, n, sizeof *s.state);
    s.path = weir_arena_array(scratch, n, sizeof *s.path);
    s.next = weir_arena_array(scratch, n, sizeof *s.next);
    if (scratch->failed)
        return weir_sealing_memory(sealing);
    for (uint32_t o = 0; o < n; o++)
        if (!waiting[o])
            s.state[o] = FINISHED;
    for (uint32_t o = 0; o < n; o++)
        if (s.state[o] == UNSEEN)
            search_from(&s, o);
    return WEIR_INVALID;
}
