/* SPDX-License-Identifier: Apache-2.0 */
/* Translates a pipeline: what each operator waits for, what each finish advances, where each runs. */
#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "simulate/processors_inside.h"

#include <string.h>

bool weir_processors_allocate(struct weir_processors *p)
{
    size_t ops = weir_pipeline_operator_count(p->pipeline), queues = weir_pipeline_queue_count(p->pipeline);
    size_t sources = weir_pipeline_source_count(p->pipeline);
    size_t most = 2 * queues + sources; /* conditions; lanes are at most as many as operators */
    p->worker_count = (uint32_t)ops;
    p->source_count = (uint32_t)sources;
    p->conditions = weir_arena_array(&p->arena, most, sizeof *p->conditions);
    p->effects = weir_arena_array(&p->arena, most, sizeof *p->effects);
    p->workers = weir_arena_array(&p->arena, ops, sizeof *p->workers);
    p->lanes = weir_arena_array(&p->arena, ops, sizeof *p->lanes);
    p->origins = weir_arena_array(&p->arena, ops, sizeof *p->origins);
    p->origin_of = weir_arena_array(&p->arena, sources, sizeof *p->origin_of);
    p->order = weir_arena_array(&p->arena, ops, sizeof *p->order);
    p->canonical = weir_arena_array(&p->arena, ops, sizeof *p->canonical);
    p->ready = weir_arena_array(&p->arena, ops, sizeof *p->ready);
    p->fed = weir_arena_array(&p->arena, sources, sizeof *p->fed);
    p->fed_first = weir_arena_array(&p->arena, ops + 2, sizeof *p->fed_first);
    p->starting = weir_arena_array(&p->arena, ops, sizeof *p->starting);
    p->dirty = weir_arena_array(&p->arena, ops, sizeof *p->dirty);
    p->heap = weir_arena_array(&p->arena, 2 * ops, sizeof *p->heap);
    p->place = weir_arena_array(&p->arena, 2 * ops, sizeof *p->place);
    p->when = weir_arena_array(&p->arena, 2 * ops, sizeof *p->when);
    return !p->arena.failed;
}

/* ---- task graphs: what queues and sources join ---- */

static uint32_t root_of(struct weir_worker *workers, uint32_t op)
{
    while (workers[op].source != op) {
        workers[op].source = workers[workers[op].source].source;
        op = workers[op].source;
    }
    return op;
}

static void join(struct weir_processors *p, uint32_t a, uint32_t b)
{
    p->workers[root_of(p->workers, a)].source = root_of(p->workers, b);
}

/* Sources of one name are one. */
static bool join_sources(struct weir_processors *p)
{
    struct weir_names names = {0};
    bool room = true;
    for (uint32_t i = 0; room && i < p->source_count; i++) {
        struct weir_source_spec s = weir_pipeline_source(p->pipeline, i);
        uint32_t first = s.name ? weir_names_find(&names, s.name, strlen(s.name)) : WEIR_MAP_NONE;
        if (first != WEIR_MAP_NONE)
            join(p, s.op.index, weir_pipeline_source(p->pipeline, first).op.index);
        else if (s.name)
            room = weir_names_add(&names, s.name, i);
    }
    weir_names_free(&names);
    return room;
}

static bool find_origins(struct weir_processors *p)
{
    const struct weir_pipeline *pipeline = p->pipeline;
    uint32_t *number = p->starting; /* by root; nothing starts yet */
    for (uint32_t i = 0; i < p->worker_count; i++) {
        p->workers[i].source = i;
        number[i] = WEIR_NO_OPERATOR;
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        join(p, q.from.index, q.to.index);
    }
    if (!join_sources(p))
        return false;
    for (uint32_t i = 0; i < p->source_count; i++) {
        struct weir_source_spec s = weir_pipeline_source(pipeline, i);
        uint32_t root = root_of(p->workers, s.op.index);
        if (number[root] == WEIR_NO_OPERATOR) {
            number[root] = p->origin_count;
            p->origins[p->origin_count++] =
                (struct weir_processors_source){.period = s.period, .jitter = s.jitter, .source = i, .sporadic = s.sporadic};
        }
        p->origin_of[i] = number[root];
        p->fed_first[number[root] + 2]++;
    }
    uint32_t *roots = p->dirty; /* no lane is dirty yet; the trees must stand until the last root is known */
    for (uint32_t i = 0; i < p->worker_count; i++)
        roots[i] = root_of(p->workers, i);
    for (uint32_t i = 0; i < p->worker_count; i++)
        p->workers[i].source = number[roots[i]];
    for (uint32_t i = 2; i < p->origin_count + 2; i++)
        p->fed_first[i] += p->fed_first[i - 1];
    for (uint32_t i = 0; i < p->source_count; i++)
        p->fed[p->fed_first[p->origin_of[i] + 1]++] = weir_pipeline_source(pipeline, i).op.index;
    return true;
}

/* ---- conditions and effects ---- */

/* `waits` waits for what happens at an operator, or at an origin (behind the operators). */
struct wait {
    uint32_t waits, on;
    int64_t initially;
};

/* Queue i as two waits, source i as one; false for a queue whose producer never waits. */
static bool wait_for_message(const struct weir_processors *p, uint32_t i, struct wait *wait)
{
    struct weir_queue_spec q = weir_pipeline_queue(p->pipeline, (struct weir_queue){i});
    *wait = (struct wait){q.to.index, q.from.index, q.initial};
    return true;
}

static bool wait_for_place(const struct weir_processors *p, uint32_t i, const uint32_t *capacities, struct wait *wait)
{
    struct weir_queue_spec q = weir_pipeline_queue(p->pipeline, (struct weir_queue){i});
    uint32_t capacity = capacities ? capacities[i] : q.capacity;
    if (q.nonblocking || capacity == WEIR_UNBOUNDED || capacity == WEIR_AUTO)
        return false;
    *wait = (struct wait){q.from.index, q.to.index, (int64_t)capacity - q.initial};
    return true;
}

static bool get_wait(const struct weir_processors *p, uint32_t i, const uint32_t *capacities, struct wait *wait)
{
    uint32_t queues = weir_pipeline_queue_count(p->pipeline);
    if (i < queues)
        return wait_for_message(p, i, wait);
    if (i < 2 * queues)
        return wait_for_place(p, i - queues, capacities, wait);
    i -= 2 * queues;
    *wait = (struct wait){weir_pipeline_source(p->pipeline, i).op.index, p->worker_count + p->origin_of[i], 0};
    return true;
}

static uint32_t *effects_end(struct weir_processors *p, uint32_t who)
{
    return who < p->worker_count ? &p->workers[who].end_effect : &p->origins[who - p->worker_count].end_effect;
}

static void read_waits(struct weir_processors *p, const uint32_t *capacities)
{
    uint32_t count = 2 * weir_pipeline_queue_count(p->pipeline) + p->source_count, conditions = 0, effects = 0;
    struct wait wait;
    for (uint32_t i = 0; i < count; i++)
        if (get_wait(p, i, capacities, &wait)) {
            p->workers[wait.waits].end_condition++;
            ++*effects_end(p, wait.on);
        }
    for (uint32_t i = 0; i < p->worker_count; i++) {
        uint32_t own = p->workers[i].end_condition;
        p->workers[i].first_condition = p->workers[i].end_condition = conditions;
        conditions += own;
    }
    for (uint32_t i = 0; i < p->worker_count + p->origin_count; i++) {
        uint32_t *end = effects_end(p, i), own = *end;
        *(i < p->worker_count ? &p->workers[i].first_effect : &p->origins[i - p->worker_count].first_effect) = *end = effects;
        effects += own;
    }
    for (uint32_t i = 0; i < count; i++)
        if (get_wait(p, i, capacities, &wait)) {
            uint32_t condition = p->workers[wait.waits].end_condition++;
            p->conditions[condition] = (struct weir_condition){.initially = wait.initially, .op = wait.waits};
            p->effects[(*effects_end(p, wait.on))++] = condition;
        }
    p->condition_count = conditions;
}

static enum weir_status check_capacities(const struct weir_processors *p, const uint32_t *capacities, struct weir_error *error)
{
    for (uint32_t i = 0; capacities && i < weir_pipeline_queue_count(p->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p->pipeline, (struct weir_queue){i});
        char name[WEIR_QUOTED];
        if (!q.nonblocking && (capacities[i] == 0 || capacities[i] < q.initial))
            return weir_fail(error, WEIR_INVALID, "queue %u, from operator \"%s\", is given a capacity of %u, which is too small",
                             i, weir_quote(weir_pipeline_operator(p->pipeline, q.from).name, name), capacities[i]);
    }
    return WEIR_OK;
}

/* ---- lanes ---- */

static void read_workers(struct weir_processors *p)
{
    for (uint32_t i = 0; i < p->worker_count; i++) {
        struct weir_operator_spec o = weir_pipeline_operator(p->pipeline, (struct weir_operator){i});
        p->workers[i].slot = o.mapped ? o.slot : 0;
        p->workers[i].priority = o.has_priority ? o.priority : 0;
    }
}

static struct weir_lane *add_lane(struct weir_processors *p, uint32_t processor, struct weir_processor_spec spec, uint32_t first)
{
    struct weir_lane *lane = &p->lanes[p->lane_count++];
    *lane = (struct weir_lane){.sharing = spec.sharing, .frame = spec.frame, .processor = processor, .first = first};
    return lane;
}

static void add_to_lane(struct weir_processors *p, struct weir_lane *lane, uint32_t op)
{
    p->workers[op].lane = p->lane_count - 1;
    p->canonical[lane->first + lane->count++] = op;
}

static bool more_urgent(const struct weir_processors *p, uint32_t a, uint32_t b)
{
    return p->workers[a].priority > p->workers[b].priority || (p->workers[a].priority == p->workers[b].priority && a < b);
}

/* Heap sort: the most urgent first, equals in the order of the model. */
static bool less_urgent(const struct weir_processors *p, const uint32_t *a, const uint32_t *b)
{
    return more_urgent(p, *b, *a);
}
WEIR_HEAP(lane, uint32_t, const struct weir_processors *, less_urgent, WEIR_HEAP_STAYS);

static void close_lane(struct weir_processors *p, struct weir_lane *lane)
{
    uint32_t *list = &p->canonical[lane->first];
    bool urgency = lane->sharing == WEIR_PREEMPTIVE || lane->sharing == WEIR_NONPREEMPTIVE;
    for (uint32_t i = lane->count / 2; urgency && i-- > 0;)
        lane_sink(p, list, lane->count, i, list[i]);
    for (uint32_t end = lane->count; urgency && end-- > 1;) {
        uint32_t moved = list[end];
        list[end] = list[0];
        lane_sink(p, list, end, 0, moved);
    }
    for (uint32_t i = 0; i < lane->count; i++) {
        bool equal = urgency && i > 0 && p->workers[list[i]].priority == p->workers[list[i - 1]].priority;
        p->workers[list[i]].tie = equal ? p->workers[list[i - 1]].tie : i;
        lane->ties |= equal;
    }
    lane->bits = (uint32_t)p->ready_words;
    p->ready_words += (lane->count + 63) / 64;
}

/* Operators by processor, in their order: a counting sort. */
static void sort_by_processor(const struct weir_processors *p, uint32_t *first, uint32_t *list)
{
    uint32_t count = weir_pipeline_processor_count(p->pipeline);
    for (uint32_t i = 0; i < p->worker_count; i++) {
        struct weir_operator_spec o = weir_pipeline_operator(p->pipeline, (struct weir_operator){i});
        first[(o.mapped ? o.on.index : count) + 2]++;
    }
    for (uint32_t i = 2; i < count + 3; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < p->worker_count; i++) {
        struct weir_operator_spec o = weir_pipeline_operator(p->pipeline, (struct weir_operator){i});
        list[first[(o.mapped ? o.on.index : count) + 1]++] = i;
    }
}

static enum weir_status read_lanes(struct weir_processors *p, struct weir_error *error)
{
    uint32_t count = weir_pipeline_processor_count(p->pipeline), *list = p->order;
    uint32_t *first = weir_array_zeroed((size_t)count + 3, sizeof *first);
    if (!first)
        return weir_fail_memory(error);
    sort_by_processor(p, first, list);
    for (uint32_t i = 0; i <= count; i++) {
        bool shared = i < count;
        struct weir_processor_spec spec = {.sharing = WEIR_PREEMPTIVE};
        struct weir_lane *lane = NULL;
        if (shared)
            spec = weir_pipeline_processor(p->pipeline, (struct weir_processor){i});
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            if (!lane || !shared || spec.sharing == WEIR_TDM)
                lane = add_lane(p, shared ? i : WEIR_NO_OPERATOR, spec, k);
            add_to_lane(p, lane, list[k]);
        }
    }
    weir_free(first);
    for (uint32_t i = 0; i < p->lane_count; i++)
        close_lane(p, &p->lanes[i]);
    return WEIR_OK;
}

enum weir_status weir_processors_read(struct weir_processors *p, const uint32_t *capacities, struct weir_error *error)
{
    enum weir_status status = check_capacities(p, capacities, error);
    if (status)
        return status;
    if (!find_origins(p))
        return weir_fail_memory(error);
    read_waits(p, capacities);
    read_workers(p);
    return read_lanes(p, error);
}
