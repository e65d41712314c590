/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline on shared processors as a task set: which operators form a task graph, which source drives it, who runs where. Every
 * operator must follow its source on a path of queues that begin empty, so that iteration n belongs to input n.
 */
#include "model/taskset.h"

#include "base/error.h"
#include "base/number.h"
#include "model/links.h"
#include "model/pipeline.h"

#include <string.h>

#define NONE UINT32_MAX

struct build {
    struct weir_sealing *sealing;
    const struct weir_pipeline *pipeline;
    struct weir_taskset *set;
    uint32_t *graph;           /* by operator: root of its component, later the number of its graph */
    uint32_t *number;          /* by root: of its graph */
    uint8_t *begun;            /* by operator: reached over empty queues */
    struct weir_names sources; /* the first of each name */
    struct weir_links empty;   /* queues that begin empty */
};

static void mistake(struct build *b, struct weir_place place, const char *format, const char *name)
{
    weir_sealing_mistake(b->sealing, place, format, name);
}

/* ---- what an operator and a queue may say ---- */

static void check_operator(struct build *b, const struct weir_operator_spec *o)
{
    if (o->worst == 0)
        mistake(b, o->place, "operator \"%s\" takes no time; on shared processors a worst case must be longer than 0", o->name);
}

static bool has_slots(enum weir_sharing sharing)
{
    return sharing == WEIR_TDM || sharing == WEIR_ROUND_ROBIN;
}

static void check_mapped(struct build *b, const struct weir_operator_spec *o, uint32_t sharers)
{
    bool slots = has_slots(b->pipeline->processors[o->on.index].sharing);
    if (slots && o->slot <= 0)
        mistake(b, o->place, "operator \"%s\" needs a \"slot\": its processor gives each operator a share of the time", o->name);
    else if (!slots && o->slot)
        mistake(b, o->place, "operator \"%s\" has a \"slot\", but its processor uses priorities", o->name);
    else if (!slots && !o->has_priority && sharers > 1)
        mistake(b, o->place, "operator \"%s\" needs a \"priority\": it shares its processor", o->name);
}

/* Slots of tdm stand one behind the other in the frame. */
static void check_frame(struct build *b, uint32_t processor)
{
    const struct weir_processor_spec *spec = &b->pipeline->processors[processor];
    char quoted[WEIR_QUOTED], frame[WEIR_TIME_TEXT];
    if (spec->sharing != WEIR_TDM || b->set->processors[processor].free >= 0)
        return;
    b->sealing->status = weir_errors_add(b->sealing->errors, WEIR_INVALID, b->sealing->file, spec->place,
                                         "the slots of processor \"%s\" do not fit into its frame of %s",
                                         weir_quote(spec->name, quoted), weir_time_format(b->pipeline, spec->frame, frame));
}

static void check_mapping(struct build *b, uint32_t sharers[WEIR_PROCESSORS_MAX])
{
    const struct weir_pipeline *p = b->pipeline;
    memset(sharers, 0, p->processor_count * sizeof *sharers);
    for (size_t k = 0; k < p->operator_count; k++)
        if (p->operators[k].mapped)
            sharers[p->operators[k].on.index]++;
    for (size_t k = 0; k < p->operator_count; k++) {
        const struct weir_operator_spec *o = &p->operators[k];
        if (o->mapped) {
            struct weir_task_processor *on = &b->set->processors[o->on.index];
            check_mapped(b, o, sharers[o->on.index]);
            if (on->sharing == WEIR_TDM)
                on->free = o->slot > on->free ? -1 : on->free - o->slot;
        } else if (o->slot) {
            mistake(b, o->place, "operator \"%s\" has a \"slot\", but no processor it could be on", o->name);
        }
    }
    for (uint32_t i = 0; i < p->processor_count; i++)
        check_frame(b, i);
}

/* ---- task graphs ---- */

static uint32_t root_of(uint32_t *parent, uint32_t o)
{
    while (parent[o] != o) {
        parent[o] = parent[parent[o]];
        o = parent[o];
    }
    return o;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t x = root_of(parent, a), y = root_of(parent, b);
    parent[x > y ? x : y] = x > y ? y : x;
}

static bool same_name(const struct weir_source_spec *a, const struct weir_source_spec *b)
{
    return a->name && b->name && strcmp(a->name, b->name) == 0;
}

static bool same_arrivals(const struct weir_source_spec *a, const struct weir_source_spec *b)
{
    return a->period == b->period && a->jitter == b->jitter && a->sporadic == b->sporadic && a->has_phase == b->has_phase &&
           (!a->has_phase || a->phase == b->phase);
}

/* False: out of memory. */
static bool name_sources(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    for (uint32_t i = 0; i < p->source_count; i++) {
        const char *name = p->sources[i].name;
        if (name && weir_names_find(&b->sources, name, strlen(name)) == WEIR_MAP_NONE && !weir_names_add(&b->sources, name, i))
            return false;
    }
    return true;
}

/* What one source feeds belongs together, joined by queues or not. */
static void join_sources(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    for (uint32_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        const struct weir_source_spec *first = s->name ? &p->sources[weir_names_find(&b->sources, s->name, strlen(s->name))] : s;
        if (!same_arrivals(first, s))
            mistake(b, s->place, "source \"%s\" feeds several operators, but does not say the same for each of them", s->name);
        join(b->graph, first->op.index, s->op.index);
    }
}

/* Numbers the components in the order of their first operators. */
static void find_graphs(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    struct weir_taskset *set = b->set;
    for (uint32_t o = 0; o < p->operator_count; o++)
        b->graph[o] = o;
    for (size_t i = 0; i < p->queue_count; i++)
        join(b->graph, p->queues[i].from.index, p->queues[i].to.index);
    join_sources(b);
    uint32_t *number = b->number;
    for (uint32_t o = 0; o < p->operator_count; o++)
        number[o] = NONE;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        uint32_t root = root_of(b->graph, o);
        if (number[root] == NONE) {
            number[root] = set->graph_count;
            set->graphs[set->graph_count++] = (struct weir_task_graph){.source = NONE};
        }
        set->tasks[o].graph = number[root];
    }
}

/* Gives each graph its source. */
static void find_sources(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    struct weir_taskset *set = b->set;
    for (uint32_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        struct weir_task_graph *g = &set->graphs[set->tasks[s->op.index].graph];
        if (g->source == NONE)
            *g = (struct weir_task_graph){s->period, s->jitter, s->sporadic, s->has_phase, s->has_phase ? s->phase : 0, i};
        else if (!same_name(&p->sources[g->source], s))
            mistake(b, s->place,
                    "operator \"%s\" has a different source from the operators it is connected to; a task graph has one source",
                    p->operators[s->op.index].name);
    }
    uint32_t next = 0; /* graphs are numbered by their first operators, so that each is met once at its beginning */
    for (uint32_t o = 0; o < p->operator_count; o++) {
        if (set->tasks[o].graph < next)
            continue;
        next = set->tasks[o].graph + 1;
        if (set->graphs[next - 1].source == NONE)
            mistake(b, p->operators[o].place, "no source drives the task graph of operator \"%s\"; it needs one with a period",
                    p->operators[o].name);
    }
}

/* ---- from the source on, over empty queues ---- */

/* With an offset of its own a latency needs no path of queues, but still one clock: that of a common source. */
static void check_chains(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    for (size_t i = 0; i < p->chain_count; i++)
        if (b->set->tasks[p->chains[i].from.index].graph != b->set->tasks[p->chains[i].to.index].graph && p->chains[i].has_shift)
            mistake(b, p->chains[i].place, "a latency to \"%s\" begins in another task graph, which has a source of its own",
                    p->operators[p->chains[i].to.index].name);
}

enum { BEGUN = 1 };

static void check_reached(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    for (size_t i = 0; i < p->source_count; i++)
        b->begun[p->sources[i].op.index] = BEGUN;
    weir_links_flood(&b->empty, (struct weir_flood){b->begun, BEGUN, BEGUN, 0});
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (!b->begun[o] && b->set->graphs[b->set->tasks[o].graph].source != NONE)
            mistake(b, p->operators[o].place, "operator \"%s\" does not follow its source: every path to it has initial messages",
                    p->operators[o].name);
}

/* ---- the arrays ---- */

static void fill(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    struct weir_taskset *set = b->set;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        const struct weir_operator_spec *spec = &p->operators[o];
        struct weir_task *task = &set->tasks[o];
        task->processor = spec->mapped ? spec->on.index : WEIR_OWN_PROCESSOR;
        bool slots = spec->mapped && has_slots(p->processors[spec->on.index].sharing);
        task->priority = spec->mapped && spec->has_priority && !slots ? spec->priority : 0;
        task->best = spec->best;
        task->worst = spec->worst;
        task->slot = spec->mapped ? spec->slot : 0;
        check_operator(b, spec);
    }
    for (uint32_t i = 0; i < p->processor_count; i++)
        set->processors[set->processor_count++] =
            (struct weir_task_processor){p->processors[i].sharing, p->processors[i].frame, p->processors[i].frame};
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        bool counted = q->capacity != WEIR_AUTO && q->capacity != WEIR_UNBOUNDED;
        set->edges[set->edge_count++] = (struct weir_task_edge){q->from.index, q->to.index, q->initial,
                                                                counted ? q->capacity - q->initial : q->capacity, !q->nonblocking};
    }
    for (size_t i = 0; i < p->source_count; i++)
        set->edges[set->edge_count++] = (struct weir_task_edge){WEIR_FROM_SOURCE, p->sources[i].op.index, 0, WEIR_AUTO, false};
}

static bool make_room(struct build *b)
{
    struct weir_pipeline *p = b->sealing->pipeline;
    struct weir_arena *scratch = &b->sealing->scratch, *kept = &p->sealed_arena;
    struct weir_taskset *set = p->taskset = b->set = weir_arena_array(kept, 1, sizeof *set);
    b->graph = weir_arena_array(scratch, p->operator_count, sizeof *b->graph);
    b->number = weir_arena_array(scratch, p->operator_count, sizeof *b->number);
    b->begun = weir_arena_array(scratch, p->operator_count, sizeof *b->begun);
    if (!set || !weir_links_make(&b->empty, p, WEIR_LINKS_OUT | WEIR_LINKS_EMPTY, scratch))
        return false;
    set->task_count = (uint32_t)p->operator_count;
    set->tasks = weir_arena_array(kept, p->operator_count, sizeof *set->tasks);
    set->graphs = weir_arena_array(kept, p->operator_count, sizeof *set->graphs);
    set->edges = weir_arena_array(kept, p->queue_count + p->source_count, sizeof *set->edges);
    set->processors = weir_arena_array(kept, p->processor_count, sizeof *set->processors);
    return !kept->failed && name_sources(b);
}

enum weir_status weir_taskset_build(struct weir_sealing *s)
{
    struct build b = {.sealing = s, .pipeline = s->pipeline};
    uint32_t sharers[WEIR_PROCESSORS_MAX];
    s->status = WEIR_OK;
    if (make_room(&b)) {
        find_graphs(&b);
        find_sources(&b);
        check_reached(&b);
        check_chains(&b);
        fill(&b);
        check_mapping(&b, sharers);
    } else {
        weir_sealing_memory(s);
    }
    weir_names_free(&b.sources);
    return s->status;
}
