/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a search for capacities: which queues, what they cost, which limits. */
#include "base/error.h"
#include "explore/sizing/sizing.h"
#include "model/pipeline.h"

#include <string.h>

int64_t weir_study_cost(const struct weir_sizing_study *s, const uint32_t *low)
{
    int64_t cost = 0;
    for (uint32_t i = 0; i < s->count; i++)
        cost += s->weight[i] * (int64_t)low[i]; /* that of `most` was seen to fit */
    return cost;
}

enum weir_status weir_study_set(const struct weir_sizing_study *s, struct weir_evaluator *evaluator, const uint32_t *low,
                                struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->count && !status; i++)
        status = weir_evaluator_set_capacity(evaluator, (struct weir_queue){s->queue[i]}, low[i], error);
    return status;
}

enum weir_status weir_study_pipeline(const struct weir_sizing_study *s, const uint32_t *low, struct weir_pipeline **pipeline,
                                     struct weir_error *error)
{
    struct weir_pipeline *p = weir_pipeline_copy(s->pipeline, error);
    enum weir_status status = p ? WEIR_OK : WEIR_MEMORY;
    for (uint32_t i = 0; i < s->count && !status; i++) {
        struct weir_queue queue = {s->queue[i]};
        struct weir_queue_spec spec = weir_pipeline_queue(s->pipeline, queue);
        spec.capacity = low[i];
        status = weir_pipeline_change_queue(p, queue, &spec, error);
    }
    if (!status)
        status = weir_pipeline_seal_alone(p, error);
    if (status)
        weir_pipeline_free(p);
    *pipeline = status ? NULL : p;
    return status;
}

static enum weir_status add_queue(struct weir_sizing_study *s, uint32_t i, struct weir_error *error)
{
    const struct weir_queue_spec *q = &s->pipeline->queues[i];
    const struct weir_sizing_options *o = s->options;
    bool waits = !q->nonblocking && !q->latest;
    bool bounded = q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
    s->number[i] = UINT32_MAX;
    if (o->sized ? !o->sized[i] : !waits || !bounded)
        return WEIR_OK;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    weir_quote(s->pipeline->operators[q->from.index].name, from);
    weir_quote(s->pipeline->operators[q->to.index].name, to);
    if (!waits)
        return weir_fail(error, WEIR_INVALID, "the producer of queue \"%s\" -> \"%s\" does not wait for room in it", from, to);
    int64_t weight = o->weights ? o->weights[i] : 1;
    if (weight < 1)
        return weir_fail(error, WEIR_INVALID, "a slot in queue \"%s\" -> \"%s\" must cost at least 1", from, to);
    if (s->count == WEIR_SIZING_QUEUES_MAX)
        return weir_fail(error, WEIR_INVALID, "at most %d queues can be sized at once", WEIR_SIZING_QUEUES_MAX);
    uint32_t least = q->initial > 1 ? q->initial : 1, most = o->most ? o->most : WEIR_SIZING_MOST;
    least = q->consume > least ? q->consume : least;
    s->number[i] = s->count;
    s->sized[i] = true;
    s->queue[s->count] = i;
    s->weight[s->count] = weight;
    s->least[s->count] = least;
    s->most[s->count++] = most > least ? most : least;
    return WEIR_OK;
}

static enum weir_status find_limits(struct weir_sizing_study *s, struct weir_error *error)
{
    int64_t cost = 0, queue;
    for (uint32_t i = 0; i < s->count; i++)
        if (!weir_multiply(s->weight[i], s->most[i], &queue) || !weir_add(cost, queue, &cost) || cost >= WEIR_TIME_MAX)
            return weir_fail(error, WEIR_OVERFLOW, "the largest queues cost more than can be represented");
    for (size_t i = 0; i < s->pipeline->chain_count; i++) {
        const struct weir_chain_spec *chain = &s->pipeline->chains[i];
        s->limit[i] = chain->has_deadline ? chain->deadline : INT64_MAX;
        if (s->options->within && s->options->within < s->limit[i])
            s->limit[i] = s->options->within;
    }
    return WEIR_OK;
}

static enum weir_status begin(struct weir_sizing_study *s, struct weir_error *error)
{
    const struct weir_pipeline *p = s->pipeline;
    const struct weir_sizing_options *o = s->options;
    enum weir_status status = weir_pipeline_require_threads(p, error);
    status = status ? status : weir_pipeline_require_ports(p, error);
    if (!status && (o->within < 0 || o->period < 0 || o->most > WEIR_QUEUE_MAX))
        status = weir_fail(error, WEIR_INVALID, "limits must be above 0, and a queue can have at most %u slots", WEIR_QUEUE_MAX);
    if (status)
        return status;
    size_t queues = p->queue_count;
    struct weir_arena *arena = &s->arena;
    s->sized = weir_arena_array(arena, queues, sizeof *s->sized);
    s->number = weir_arena_array(arena, queues, sizeof *s->number);
    s->queue = weir_arena_array(arena, queues, sizeof *s->queue);
    s->weight = weir_arena_array(arena, queues, sizeof *s->weight);
    s->least = weir_arena_array(arena, queues, sizeof *s->least);
    s->most = weir_arena_array(arena, queues, sizeof *s->most);
    s->limit = weir_arena_array(arena, p->chain_count, sizeof *s->limit);
    if (arena->failed)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < queues && !status; i++)
        status = add_queue(s, i, error);
    if (!status && s->count == 0)
        status = weir_fail(error, WEIR_INVALID, "there is no queue to be sized: none makes its producer wait");
    return status ? status : find_limits(s, error);
}

enum weir_status weir_study_run(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                weir_study_search *search, void *found, struct weir_error *error)
{
    struct weir_sizing_study s = {.pipeline = pipeline, .options = options};
    void *seeker = NULL;
    enum weir_status status = found ? begin(&s, error) : weir_fail_memory(error);
    if (!status)
        status = weir_sizing_seeker_new(&s, &seeker, error);
    if (!status)
        status = search(&s, seeker, found, error);
    if (seeker)
        weir_sizing_seeker_free(seeker);
    weir_free(s.boxes.items);
    weir_cuts_free(&s.cuts);
    weir_arena_free(&s.arena);
    return status;
}

const bool *weir_study_sized(const struct weir_sizing_study *s)
{
    bool *sized = weir_array(s->pipeline->queue_count, sizeof *sized);
    if (sized)
        memcpy(sized, s->sized, s->pipeline->queue_count * sizeof *sized);
    return sized;
}

const uint32_t *weir_study_capacities(const struct weir_sizing_study *s, const uint32_t *low)
{
    uint32_t *list = weir_array(s->pipeline->queue_count, sizeof *list);
    for (size_t i = 0; list && i < s->pipeline->queue_count; i++)
        list[i] = s->number[i] == UINT32_MAX || !low ? s->pipeline->queues[i].capacity : low[s->number[i]];
    return list;
}

/* ---- queues by the names of their ends ---- */

/* A name without the spaces around it. */
static bool same_name(const char *name, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == ' ')
        length--;
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* Whether the text, "from -> to" or "from -> to#2", is the queue: the `nth` from there to there. */
static bool is_queue(const struct weir_pipeline *model, uint32_t index, unsigned nth, const char *text, size_t length)
{
    struct weir_queue_spec queue = weir_pipeline_queue(model, (struct weir_queue){index});
    const char *from = weir_pipeline_operator(model, queue.from).name, *to = weir_pipeline_operator(model, queue.to).name;
    char number[16];
    size_t tail = (size_t)snprintf(number, sizeof number, "#%u", nth);
    for (size_t i = 0; i + 1 < length; i++) {
        if (strncmp(text + i, "->", 2) != 0 || !same_name(from, text, i))
            continue;
        const char *rest = text + i + 2;
        size_t left = length - i - 2;
        if (same_name(to, rest, left))
            return true;
        while (left && rest[left - 1] == ' ')
            left--;
        if (left > tail && strncmp(rest + left - tail, number, tail) == 0 && same_name(to, rest, left - tail))
            return true;
    }
    return false;
}

bool weir_queues_named(const struct weir_pipeline *model, const char *text, size_t length, bool *marked)
{
    bool any = false;
    uint32_t count = weir_pipeline_queue_count(model);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(model, (struct weir_queue){i});
        unsigned nth = 1;
        for (uint32_t k = 0; k < i; k++) {
            struct weir_queue_spec other = weir_pipeline_queue(model, (struct weir_queue){k});
            nth += other.from.index == queue.from.index && other.to.index == queue.to.index;
        }
        marked[i] = is_queue(model, i, nth, text, length);
        any |= marked[i];
    }
    return any;
}
