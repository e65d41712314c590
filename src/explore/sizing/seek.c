/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of capacities: splitting them, and going through all that come of that, depth first, up to a cost; what cannot hold
 * anything cheaper than the best so far is left out. */
#include "answer/answer.h"
#include "base/error.h"
#include "explore/sizing/sizing.h"

#include <string.h>

int weir_capacities_compare(const struct weir_sizing_study *s, const uint32_t *a, const uint32_t *b)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int weir_sized_compare(const struct weir_sizing_study *s, const struct weir_sized *a, const struct weir_sized *b)
{
    if (!a->found || !b->found)
        return b->found - a->found;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return weir_capacities_compare(s, (const uint32_t *)(a + 1), (const uint32_t *)(b + 1));
}

/* ---- a seeker ---- */

void weir_sizing_seeker_free(void *seeker)
{
    struct weir_sizing_seeker *k = seeker;
    weir_box_bound_free(k->bound);
    weir_evaluator_free(k->evaluator);
    weir_cuts_free(&k->cuts);
    weir_free(k->stack.items);
    weir_arena_free(&k->arena);
    weir_free(k);
}

enum weir_status weir_sizing_seeker_new(const void *study, void **seeker, struct weir_error *error)
{
    const struct weir_sizing_study *s = study;
    struct weir_sizing_seeker *k = weir_array_zeroed(1, sizeof *k);
    *seeker = NULL;
    if (!k)
        return weir_fail_memory(error);
    k->study = s;
    struct weir_error inner = {.status = WEIR_MEMORY};
    uint32_t chains = weir_pipeline_chain_count(s->pipeline);
    k->best = weir_arena_array(&k->arena, 1, weir_sized_size(s));
    k->limit = weir_arena_array(&k->arena, chains, sizeof *k->limit);
    if (k->limit)
        memcpy(k->limit, s->limit, chains * sizeof *k->limit);
    if (!k->arena.failed && weir_cuts_copy(&s->cuts, &k->cuts))
        k->evaluator = weir_evaluator_new(s->pipeline, &inner);
    enum weir_status status = k->evaluator ? weir_box_bound_new(s, k->evaluator, &k->bound, error) : inner.status;
    if (!k->evaluator && inner.status == WEIR_MEMORY)
        status = weir_fail_memory(error);
    else if (!k->evaluator && error)
        *error = inner;
    if (status) {
        weir_sizing_seeker_free(k);
        return status;
    }
    *seeker = k;
    return WEIR_OK;
}

/* ---- one vector ---- */

/* How latencies stand to their limits. `doubtful`: it depends on what is not known. */
struct standing {
    bool keeps, doubtful;
    int64_t excess; /* of all that do; INT64_MAX: there is one without bound */
};

static void add_excess(struct standing *standing, int64_t latency, int64_t limit)
{
    if (latency == INT64_MAX || !weir_add(standing->excess, latency - limit, &standing->excess))
        standing->excess = INT64_MAX;
}

static enum weir_status ask_latencies(struct weir_sizing_seeker *k, struct standing *standing, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->study;
    uint32_t chains = weir_pipeline_chain_count(s->pipeline);
    *standing = (struct standing){.keeps = true};
    for (uint32_t i = 0; i < chains; i++) {
        struct weir_separation worst;
        if (k->limit[i] == INT64_MAX)
            continue;
        enum weir_status status = weir_evaluator_latency(k->evaluator, i, &worst, error);
        if (status)
            return status;
        enum weir_deadline_state state = weir_judge_latency(&worst, k->limit[i], 1);
        if (state == WEIR_DEADLINE_MET)
            continue;
        standing->doubtful = state == WEIR_DEADLINE_NOT_DECIDED && (standing->keeps || standing->doubtful);
        standing->keeps = false;
        add_excess(standing, worst.outcome == WEIR_EXACT ? worst.value : INT64_MAX, k->limit[i]);
    }
    return WEIR_OK;
}

static void take(struct weir_sizing_seeker *k, const uint32_t *low)
{
    struct weir_sized *best = k->best;
    int64_t cost = weir_study_cost(k->study, low);
    if (best->found &&
        (cost > best->cost || (cost == best->cost && weir_capacities_compare(k->study, low, weir_sized_capacities(best)) >= 0)))
        return;
    best->found = true;
    best->cost = cost;
    memcpy(weir_sized_capacities(best), low, k->study->count * sizeof *low);
}

enum weir_status weir_sizing_seeker_try(struct weir_sizing_seeker *k, const uint32_t *low, bool *keeps, int64_t *excess,
                                        struct weir_error *error)
{
    bool fine = false, added;
    struct standing standing;
    *keeps = false;
    *excess = INT64_MAX;
    enum weir_status status = weir_study_set(k->study, k->evaluator, low, error);
    if (!status)
        status = weir_cuts_test(k->study, k->evaluator, &k->cuts, &fine, &added, error);
    if (status || !fine)
        return status;
    status = ask_latencies(k, &standing, error);
    if (status)
        return status;
    *keeps = standing.keeps;
    *excess = standing.excess;
    if (*keeps)
        take(k, low);
    return WEIR_OK;
}

/* ---- boxes ---- */

/* A new one at the end, to be filled in; NULL when out of memory. */
static struct weir_box *add_box(const struct weir_sizing_study *s, struct weir_boxes *boxes)
{
    void *items = boxes->items;
    size_t size = weir_box_size(s);
    if (!weir_reserve(&items, &boxes->capacity, boxes->count + 1, size))
        return NULL;
    boxes->items = items;
    return weir_box_at(s, boxes, boxes->count++);
}

void weir_box_whole(const struct weir_sizing_study *s, struct weir_box *box)
{
    *box = (struct weir_box){.least = 0};
    for (uint32_t i = 0; i < s->count; i++) {
        weir_box_low(box)[i] = s->least[i];
        weir_box_open(s, box)[i] = s->least[i] < s->most[i];
    }
    box->least = weir_study_cost(s, weir_box_low(box));
}

/* UINT32_MAX: none. */
static uint32_t first_open(const struct weir_sizing_study *s, struct weir_box *box)
{
    uint32_t q = 0;
    while (q < s->count && !weir_box_open(s, box)[q])
        q++;
    return q < s->count ? q : UINT32_MAX;
}

/* Halves box `at` at queue q: it keeps what has `low` there, a new one at the end has more; both are to be looked at. */
static enum weir_status split(const struct weir_sizing_study *s, struct weir_boxes *boxes, size_t at, uint32_t q,
                              struct weir_error *error)
{
    struct weir_box *other = add_box(s, boxes);
    if (!other)
        return weir_fail_memory(error);
    struct weir_box *box = weir_box_at(s, boxes, at);
    memcpy(other, box, weir_box_size(s));
    weir_box_open(s, box)[q] = 0;
    uint32_t low = ++weir_box_low(other)[q];
    weir_box_open(s, other)[q] = low < s->most[q];
    other->known = false;
    int64_t cost = weir_study_cost(s, weir_box_low(other));
    other->least = cost > other->least ? cost : other->least;
    return WEIR_OK;
}

struct causes {
    uint32_t which[WEIR_SIZING_QUEUES_MAX], count;
};

/* Whether something in the box may be the one to take. All of it comes later in the order of numbers than `low`. */
static bool may_be_better(const struct weir_sizing_seeker *k, struct weir_box *box)
{
    struct weir_sized *best = k->best;
    if (!best->found || box->least != best->cost)
        return !best->found || box->least < best->cost;
    return weir_capacities_compare(k->study, weir_box_low(box), weir_sized_capacities(best)) < 0;
}

/* Which open queues make a latency too long by being as shallow as `low`: fewest at a time, in `which`. As long as all of those
 * stay so, the limit is broken whatever the others are. False: it is not known why. */
static bool find_causes(struct weir_sizing_seeker *k, struct weir_box *box, uint32_t chain, struct causes *causes)
{
    const struct weir_sizing_study *s = k->study;
    uint8_t was[WEIR_SIZING_QUEUES_MAX], *open = weir_box_open(s, box);
    memcpy(was, open, s->count);
    memset(open, 0, s->count);
    bool broken = weir_box_bound_reaches(k->bound, box, chain, k->limit[chain] + 1);
    causes->count = 0;
    for (uint32_t q = 0; q < s->count && broken; q++) {
        if (!was[q])
            continue;
        open[q] = 1;
        if (weir_box_bound_reaches(k->bound, box, chain, k->limit[chain] + 1))
            continue;
        open[q] = 0;
        causes->which[causes->count++] = q;
    }
    memcpy(open, was, s->count);
    return broken;
}

/* A box whose low end breaks limits: *done when all of it does; else *queue is one that must be split. Something in it has one more
 * place in one of the causes. */
static void explain(struct weir_sizing_seeker *k, struct weir_box *box, bool *done, uint32_t *queue)
{
    const struct weir_sizing_study *s = k->study;
    uint32_t chains = weir_pipeline_chain_count(s->pipeline), fewest = UINT32_MAX;
    int64_t cost = weir_study_cost(s, weir_box_low(box));
    *queue = first_open(s, box);
    for (uint32_t i = 0; i < chains && fewest > 0; i++) {
        struct causes causes;
        if (k->limit[i] == INT64_MAX || !find_causes(k, box, i, &causes) || causes.count >= fewest)
            continue;
        fewest = causes.count;
        uint32_t cheapest = UINT32_MAX;
        for (uint32_t c = 0; c < causes.count; c++)
            if (cheapest == UINT32_MAX || s->weight[causes.which[c]] < s->weight[cheapest])
                cheapest = causes.which[c];
        *queue = cheapest;
        if (cheapest != UINT32_MAX && cost + s->weight[cheapest] > box->least)
            box->least = cost + s->weight[cheapest];
    }
    *done = fewest == 0;
}

/* Without cuts: as deep as possible, is it fast enough? */
static enum weir_status test_deepest(struct weir_sizing_seeker *k, struct weir_box *box, bool *fine, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->study;
    bool added;
    uint32_t high[WEIR_SIZING_QUEUES_MAX];
    for (uint32_t i = 0; i < s->count; i++)
        high[i] = weir_box_open(s, box)[i] ? s->most[i] : weir_box_low(box)[i];
    enum weir_status status = weir_study_set(s, k->evaluator, high, error);
    return status ? status : weir_cuts_test(s, k->evaluator, &k->cuts, fine, &added, error);
}

static enum weir_status look_at_low(struct weir_sizing_seeker *k, struct weir_box *box, bool *done, bool *again,
                                    struct weir_error *error)
{
    const struct weir_sizing_study *s = k->study;
    struct standing standing;
    bool fine = false;
    enum weir_status status = weir_study_set(s, k->evaluator, weir_box_low(box), error);
    if (!status)
        status = weir_cuts_test(s, k->evaluator, &k->cuts, &fine, again, error);
    if (status || *again)
        return status;
    if (!fine) {
        status = test_deepest(k, box, &fine, error);
        *done = !fine;
        return status;
    }
    status = ask_latencies(k, &standing, error);
    if (status)
        return status;
    if (standing.keeps)
        take(k, weir_box_low(box));
    *done = standing.keeps;
    int64_t cost = weir_study_cost(s, weir_box_low(box));
    if (standing.doubtful && cost < k->best->doubtful)
        k->best->doubtful = cost;
    box->known = true;
    return WEIR_OK;
}

/* Looks at a box; *queue: where to split it, or UINT32_MAX when it is done with. */
static enum weir_status look(struct weir_sizing_seeker *k, struct weir_box *box, uint32_t *queue, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->study;
    uint32_t violated;
    for (bool again = true; again;) {
        *queue = UINT32_MAX;
        if (!weir_cuts_apply(s, &k->cuts, box, &violated) || !may_be_better(k, box))
            return WEIR_OK;
        if (box->least > k->best->limit) {
            k->best->above = box->least < k->best->above ? box->least : k->best->above;
            return WEIR_OK;
        }
        *queue = violated;
        if (violated != UINT32_MAX)
            return WEIR_OK;
        bool done = false;
        again = false;
        if (!box->known) {
            enum weir_status status = look_at_low(k, box, &done, &again, error);
            if (status)
                return status;
        }
        *queue = first_open(s, box);
        if (box->known && !done && *queue != UINT32_MAX)
            explain(k, box, &done, queue);
        *queue = done ? UINT32_MAX : *queue;
    }
    return WEIR_OK;
}

/* Goes through all of a box; k->best->open: the least of what is left, because of a stop. */
static enum weir_status finish(struct weir_sizing_seeker *k, const struct weir_box *first, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->study;
    struct weir_boxes *stack = &k->stack;
    int64_t *open = &k->best->open;
    *open = INT64_MAX;
    stack->count = 0;
    struct weir_box *box = add_box(s, stack);
    if (!box)
        return weir_fail_memory(error);
    memcpy(box, first, weir_box_size(s));
    while (stack->count) {
        if (weir_study_stopped(s)) {
            for (size_t i = 0; i < stack->count; i++) {
                int64_t least = weir_box_at(s, stack, i)->least;
                *open = least < *open ? least : *open;
            }
            return WEIR_OK;
        }
        uint32_t q;
        enum weir_status status = look(k, weir_box_at(s, stack, stack->count - 1), &q, error);
        if (!status && q == UINT32_MAX)
            stack->count--;
        else if (!status)
            status = split(s, stack, stack->count - 1, q, error);
        if (status)
            return status;
    }
    return WEIR_OK;
}

enum weir_status weir_sizing_seeker_perform(void *seeker, const void *study, uint64_t task, const void *hint, void *result,
                                            struct weir_error *error)
{
    const struct weir_sizing_study *s = study;
    struct weir_sizing_seeker *k = seeker;
    memcpy(k->best, hint, weir_sized_size(s));
    k->best->above = k->best->doubtful = INT64_MAX;
    enum weir_status status = finish(k, weir_box_at(s, &s->boxes, task), error);
    memcpy(result, k->best, weir_sized_size(s));
    return status;
}

enum weir_status weir_sizing_seeker_split(struct weir_sizing_seeker *k, struct weir_sizing_study *s, size_t wanted,
                                          struct weir_error *error)
{
    struct weir_boxes *boxes = &s->boxes;
    size_t size = weir_box_size(s);
    struct weir_box *box = add_box(s, boxes);
    k->best->limit = k->best->above = k->best->open = k->best->doubtful = INT64_MAX;
    if (!box)
        return weir_fail_memory(error);
    weir_box_whole(s, box);
    /* In turn, so that all become about equally small. */
    for (size_t at = 0, looks = 0; boxes->count && boxes->count < wanted && looks < 4 * wanted && !weir_study_stopped(s); looks++) {
        uint32_t q;
        at = at < boxes->count ? at : 0;
        enum weir_status status = look(k, weir_box_at(s, boxes, at), &q, error);
        if (status)
            return status;
        if (q == UINT32_MAX) {
            boxes->count--;
            memmove(boxes->items + at * size, boxes->items + (at + 1) * size, (boxes->count - at) * size);
            continue;
        }
        status = split(s, boxes, at++, q, error);
        if (status)
            return status;
    }
    return WEIR_OK;
}

int64_t weir_sizing_next_limit(const struct weir_sized *best, int64_t first, int64_t left)
{
    int64_t limit = best->limit + (best->found ? (best->cost - best->limit) / 4 : (best->limit - first) / 2);
    return left > limit ? left : limit;
}

enum weir_status weir_sizing_seeker_solve(struct weir_sizing_seeker *k, int64_t least, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->study;
    struct weir_box *box = weir_array_zeroed(1, weir_box_size(s));
    if (!box)
        return weir_fail_memory(error);
    *k->best = (struct weir_sized){.doubtful = INT64_MAX};
    enum weir_status status = weir_sizing_seeker_begin(k, error);
    weir_box_whole(s, box);
    box->least = box->least < least ? least : box->least;
    int64_t first = k->best->limit = box->least;
    while (!status) {
        k->best->above = INT64_MAX;
        status = finish(k, box, error);
        bool found = k->best->found && k->best->cost <= k->best->limit;
        if (status || found || k->best->open != INT64_MAX || k->best->above == INT64_MAX)
            break;
        box->least = k->best->above;
        k->best->limit = weir_sizing_next_limit(k->best, first, k->best->above);
    }
    weir_free(box);
    return status;
}
