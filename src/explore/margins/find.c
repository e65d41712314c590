/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One number at a time. Times: a latency can only rise with a worst case and only fall with a best case, so how far a deadline lets
 * it go is found by halving. The function itself is straight between some of its values (proof.h): from the left, the next
 * known value is taken as an end if the piece up to it is proved, and otherwise halved.
 *
 * Capacities have no such order; every one is asked. They end where the queue is never full: with the queue unbounded, the
 * consumer's start never comes after the start of the producer that the capacity would make wait. Then the arc of the capacity
 * changes nothing, and neither does that of a larger one. (Where messages are received late, its finish stands for that.)
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "base/task_pool.h"
#include "explore/margins/proof.h"

#include <string.h>

enum { PERMILLE = 100, STEPS = 16, STACK_MAX = 80 };

struct study {
    const struct weir_pipeline *pipeline;
    const struct weir_margins_options *options;
    uint32_t chain;
    struct weir_margins *answer;
    struct weir_margin *items; /* of it, as they were listed; tasks only read them */
};

/* What a task gives back. */
struct result {
    struct weir_task_pool_tail vertices;
    struct weir_margin margin; /* but for them */
};

/* Of one thread. */
struct tools {
    struct weir_evaluator *evaluator;
    int64_t *rise;
};

/* One number at work. */
struct firing {
    const struct study *study;
    struct weir_prober prober;
    struct weir_margin *margin;
    struct weir_vertex *vertices;
    size_t count, capacity;
    struct weir_error *error;
};

/* ---- vertices ---- */

static enum weir_status add_vertex(struct firing *t, int64_t at, const struct weir_separation *latency, enum weir_proof proof)
{
    void *list = t->vertices;
    if (!weir_reserve(&list, &t->capacity, t->count + 1, sizeof *t->vertices))
        return weir_fail_memory(t->error);
    t->vertices = list;
    t->vertices[t->count++] = (struct weir_vertex){at, *latency, proof};
    return WEIR_OK;
}

static bool known(const struct weir_separation *s)
{
    return s->outcome != WEIR_BRACKET;
}

static bool same_latency(const struct weir_separation *a, const struct weir_separation *b)
{
    return a->outcome == b->outcome && known(a) && (a->outcome != WEIR_EXACT || a->value == b->value);
}

/* What lies on one line of two pieces is one piece. */
static void merge_pieces(struct firing *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct weir_vertex *next = &t->vertices[i];
        while (kept >= 2) {
            struct weir_vertex *a = &t->vertices[kept - 2], *b = &t->vertices[kept - 1];
            bool exact =
                a->latency.outcome == WEIR_EXACT && b->latency.outcome == WEIR_EXACT && next->latency.outcome == WEIR_EXACT;
            bool line = exact && (weir_wide)(b->latency.value - a->latency.value) * (next->at - b->at) ==
                                     (weir_wide)(next->latency.value - b->latency.value) * (b->at - a->at);
            if (a->proof == WEIR_PROOF_NONE || b->proof == WEIR_PROOF_NONE ||
                !(line || (same_latency(&a->latency, &b->latency) && same_latency(&b->latency, &next->latency))))
                break;
            a->proof = a->proof == b->proof && a->proof != WEIR_PROOF_NEXT ? a->proof : WEIR_PROOF_PIECES;
            kept--;
        }
        t->vertices[kept++] = *next;
    }
    t->count = kept;
}

static void finish_margin(struct firing *t)
{
    struct weir_margin *m = t->margin;
    if (m->parameter != WEIR_PARAMETER_CAPACITY)
        merge_pieces(t);
    m->vertex_count = t->count;
    m->flat = m->proved = true;
    for (size_t i = 0; i < t->count; i++) {
        m->flat &= same_latency(&t->vertices[0].latency, &t->vertices[i].latency);
        m->proved &= known(&t->vertices[i].latency) && t->vertices[i].proof != WEIR_PROOF_NONE;
    }
}

/* ---- times ---- */

static enum weir_status ask(struct firing *t, int64_t at, struct weir_separation *latency)
{
    return weir_prober_ask(&t->prober, at, latency, t->error);
}

/* The last number from `good` towards `bad` with the deadline kept; `good` keeps it, `bad` does not. */
static enum weir_status halve(struct firing *t, int64_t deadline, int64_t good, int64_t bad)
{
    t->margin->has_limit = true;
    while (good - bad > 1 || bad - good > 1) {
        int64_t half = good + (bad - good) / 2;
        struct weir_separation latency;
        enum weir_status status = ask(t, half, &latency);
        if (status)
            return status;
        enum weir_deadline_state state = weir_evaluator_judge(t->prober.evaluator, &latency, deadline, 1);
        if (state == WEIR_DEADLINE_NOT_DECIDED) {
            t->margin->has_limit = false;
            return WEIR_OK;
        }
        *(state == WEIR_DEADLINE_MET ? &good : &bad) = half;
    }
    t->margin->limit = good;
    return WEIR_OK;
}

/* `easy` is the end of the range at which the latency is least. */
static enum weir_status find_limit(struct firing *t, int64_t easy, int64_t hard)
{
    const struct weir_chain_spec *chain = &t->study->pipeline->chains[t->study->chain];
    struct weir_separation at_easy, at_hard;
    if (!chain->has_deadline)
        return WEIR_OK;
    enum weir_status status = ask(t, easy, &at_easy);
    if (!status)
        status = ask(t, hard, &at_hard);
    if (status)
        return status;
    const struct weir_evaluator *e = t->prober.evaluator;
    enum weir_deadline_state first = weir_evaluator_judge(e, &at_easy, chain->deadline, 1),
                             last = weir_evaluator_judge(e, &at_hard, chain->deadline, 1);
    if (first == WEIR_DEADLINE_MET && last == WEIR_DEADLINE_MISSED)
        return halve(t, chain->deadline, easy, hard);
    t->margin->has_limit = first == WEIR_DEADLINE_MISSED || last == WEIR_DEADLINE_MET;
    t->margin->limit = first == WEIR_DEADLINE_MISSED ? -1 : hard;
    return WEIR_OK;
}

/* From left to right; the stack holds values further right that are known. */
struct sweep {
    struct weir_probe *left, *stack[STACK_MAX];
    size_t depth;
};

static void free_sweep(struct sweep *s)
{
    weir_probe_free(s->left);
    while (s->depth > 0)
        weir_probe_free(s->stack[--s->depth]);
}

static uint64_t tries_of(const struct study *s)
{
    return s->options->tries ? s->options->tries : WEIR_MARGIN_TRIES;
}

/* Where the lines at both ends meet, if they do in between: the bend, where the function is convex. */
static int64_t split_at(const struct weir_probe *a, const struct weir_probe *b)
{
    int64_t half = a->at + (b->at - a->at) / 2;
    if (!a->one_pass || !b->one_pass || a->lines.count != 1 || b->lines.count != 1)
        return half;
    int64_t rise = b->lines.items[0].slope - a->lines.items[0].slope;
    if (rise <= 0)
        return half;
    weir_wide over = (weir_wide)b->lines.items[0].slope * (b->at - a->at) - (b->latency.value - a->latency.value);
    int64_t at = a->at + (int64_t)(over / rise);
    return at <= a->at ? a->at + 1 : at >= b->at ? b->at - 1 : at;
}

/* One step: the piece up to the next known value is proved, or given up, or a value in it becomes known. */
static enum weir_status step(struct firing *t, struct sweep *s)
{
    struct weir_probe *right = s->stack[s->depth - 1], *middle = NULL;
    enum weir_proof proof = weir_probes_prove(&t->prober, s->left, right, NULL);
    enum weir_status status = WEIR_OK;
    bool more = t->prober.searches < tries_of(t->study) && s->depth < STACK_MAX && !weir_margins_stopped(t->study->options);
    if (proof == WEIR_PROOF_NONE && more) {
        status = weir_probe_make(&t->prober, split_at(s->left, right), &middle, t->error);
        if (!status)
            proof = weir_probes_prove(&t->prober, s->left, right, middle);
    }
    if (status)
        return status;
    if (proof == WEIR_PROOF_NONE && middle) {
        s->stack[s->depth++] = middle;
        return WEIR_OK;
    }
    weir_probe_free(middle);
    status = add_vertex(t, s->left->at, &s->left->latency, proof);
    weir_probe_free(s->left);
    s->left = right;
    s->depth--;
    return status;
}

static enum weir_status trace(struct firing *t)
{
    struct sweep s = {0};
    enum weir_status status = weir_probe_make(&t->prober, t->margin->low, &s.left, t->error);
    if (!status && t->margin->high > t->margin->low) {
        status = weir_probe_make(&t->prober, t->margin->high, &s.stack[0], t->error);
        s.depth = !status;
    }
    while (!status && s.depth > 0)
        status = step(t, &s);
    if (!status)
        status = add_vertex(t, s.left->at, &s.left->latency, WEIR_PROOF_NEXT);
    free_sweep(&s);
    return status;
}

static int64_t share(int64_t now, uint32_t permille)
{
    int64_t part = (int64_t)((weir_wide)now * permille / 1000);
    return part > 0 ? part : 1;
}

static enum weir_status study_time(struct firing *t)
{
    struct weir_margin *m = t->margin;
    const struct weir_evaluator *e = t->prober.evaluator;
    const struct weir_operator_spec *spec = &e->pipeline->operators[m->index];
    uint32_t permille = t->study->options->permille ? t->study->options->permille : PERMILLE;
    int64_t inside = spec->best > spec->receive_max ? spec->best : spec->receive_max, room = WEIR_TIME_MAX - 1 - e->total;
    bool worst = m->parameter == WEIR_PARAMETER_WORST;
    int64_t reach = e->total < room / 2 ? spec->worst + e->total : spec->worst + room / 2; /* as far as is looked at all */
    m->now = worst ? spec->worst : spec->best;
    m->low = worst ? inside : 0;
    m->high = worst ? reach : spec->worst;
    enum weir_status status = worst ? find_limit(t, m->low, m->high) : find_limit(t, m->high, m->low);
    if (status)
        return status;
    if (worst && (!m->has_limit || m->limit < reach)) { /* twice as long, and past the limit */
        int64_t high = 2 * m->now < reach && m->now > 0 ? 2 * m->now : reach;
        m->high = m->has_limit && m->limit >= high ? m->limit + 1 : high;
    }
    int64_t part = share(m->now, permille);
    m->less = m->now - part < m->low ? m->low : m->now - part;
    m->more = m->now + part > m->high ? m->high : m->now + part;
    status = ask(t, m->less, &m->at_less);
    if (!status)
        status = ask(t, m->more, &m->at_more);
    return status ? status : trace(t);
}

/* ---- capacities ---- */

static enum weir_status ask_capacity(struct firing *t, uint32_t capacity, struct weir_separation *latency)
{
    struct weir_prober *r = &t->prober;
    enum weir_status status = weir_evaluator_set_capacity(r->evaluator, (struct weir_queue){t->margin->index}, capacity, t->error);
    return status ? status : weir_evaluator_latency(r->evaluator, r->chain, latency, t->error);
}

/* Whether so many places are never all in use, even without a limit. */
static enum weir_status never_full(struct firing *t, uint32_t capacity, bool *never)
{
    struct weir_evaluator *e = t->prober.evaluator;
    const struct weir_queue_spec *queue = &e->pipeline->queues[t->margin->index];
    bool late = e->pipeline->operators[queue->to.index].receive_max > 0;
    struct weir_query query = {.from = {.op = queue->from, .moment = WEIR_START},
                               .to = {.op = queue->to, .moment = late ? WEIR_FINISH : WEIR_START},
                               .shift = -((int64_t)capacity - queue->initial),
                               .work_limit = e->work_limit};
    struct weir_separation s;
    enum weir_status status = weir_evaluator_set_capacity(e, (struct weir_queue){t->margin->index}, WEIR_UNBOUNDED, t->error);
    if (!status)
        status = weir_evaluator_settle(e, t->error);
    *never = false;
    if (status || e->deadlocked || !e->in_place) /* what else frees a place is not looked at */
        return status;
    e->posed = WEIR_NO_INDEX;
    status = weir_separation_worst(e->solver, &query, &s, t->error);
    *never = !status && s.outcome == WEIR_EXACT && s.value <= 0;
    return status;
}

static void note_capacity(struct firing *t, uint32_t capacity, const struct weir_separation *latency, bool *all_met)
{
    struct weir_margin *m = t->margin;
    const struct weir_chain_spec *chain = &t->study->pipeline->chains[t->study->chain];
    if (capacity == m->less)
        m->at_less = *latency;
    if (capacity == m->more)
        m->at_more = *latency;
    if (!chain->has_deadline || capacity < m->now)
        return;
    bool met = weir_evaluator_judge(t->prober.evaluator, latency, chain->deadline, 1) == WEIR_DEADLINE_MET;
    if (capacity == m->now)
        m->has_limit = *all_met = met;
    *all_met &= met;
    if (*all_met)
        m->limit = capacity;
}

static enum weir_status study_capacity(struct firing *t)
{
    struct weir_margin *m = t->margin;
    const struct weir_queue_spec *queue = &t->study->pipeline->queues[m->index];
    uint32_t steps = t->study->options->steps ? t->study->options->steps : STEPS, low = queue->initial ? queue->initial : 1;
    bool bounded = queue->capacity != WEIR_UNBOUNDED, all_met = false;
    uint32_t from = bounded && queue->capacity > low ? queue->capacity : low;
    uint32_t last = from > WEIR_QUEUE_MAX - steps ? WEIR_QUEUE_MAX : from + steps;
    /* Of deep queues the capacities far below the model's are left out. */
    low = from - low > 64 + steps ? from - 64 - steps : low;
    m->now = bounded ? (int64_t)queue->capacity : -1;
    m->low = low;
    m->less = !bounded ? m->now : m->now > low ? m->now - 1 : m->now;
    m->more = !bounded || m->now == last ? m->now : m->now + 1;
    for (uint32_t capacity = low; capacity <= last && !weir_margins_stopped(t->study->options); capacity++) {
        struct weir_separation latency;
        enum weir_status status = ask_capacity(t, capacity, &latency);
        if (!status)
            status = add_vertex(t, capacity, &latency, WEIR_PROOF_NEXT);
        if (status)
            return status;
        note_capacity(t, capacity, &latency, &all_met);
        m->high = capacity;
        bool never = false;
        /* One step beyond the model is always shown. Where nothing moves, that places are free proves nothing. */
        if ((capacity > m->now || !bounded) && latency.outcome != WEIR_NO_EVENTS)
            status = never_full(t, capacity, &never);
        if (status)
            return status;
        m->settled = never;
        if (never)
            break;
    }
    if (!bounded)
        m->at_less = m->at_more = t->study->answer->now;
    else if (m->less == m->now)
        m->at_less = t->study->answer->now;
    return WEIR_OK;
}

/* ---- all of them ---- */

static void leave(void *scratch)
{
    struct tools *tools = scratch;
    weir_evaluator_free(tools->evaluator);
    weir_free(tools->rise);
    weir_free(tools);
}

static enum weir_status enter(const void *context, void **scratch, struct weir_error *error)
{
    const struct study *s = context;
    struct tools *tools = weir_array_zeroed(1, sizeof *tools);
    if (!tools)
        return weir_fail_memory(error);
    tools->evaluator = weir_evaluator_new(s->pipeline, error);
    tools->rise = tools->evaluator ? weir_array(s->pipeline->graph->actor_count, sizeof *tools->rise) : NULL;
    if (!tools->evaluator || !tools->rise) {
        enum weir_status status = tools->evaluator ? weir_fail_memory(error) : error->status;
        leave(tools);
        return status;
    }
    weir_evaluator_limit(tools->evaluator, s->options->work_limit ? s->options->work_limit : WEIR_MARGIN_WORK);
    *scratch = tools;
    return WEIR_OK;
}

static enum weir_status perform(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                struct weir_error *error)
{
    (void)hint;
    const struct study *s = context;
    const struct tools *tools = scratch;
    struct result *r = result;
    struct weir_margin *m = &r->margin;
    *m = s->items[task];
    struct firing t = {.study = s, .margin = m, .error = error};
    t.prober = (struct weir_prober){.evaluator = tools->evaluator,
                                    .chain = s->chain,
                                    .op = {m->index},
                                    .best = m->parameter == WEIR_PARAMETER_BEST,
                                    .rise = tools->rise};
    weir_evaluator_reset(tools->evaluator);
    enum weir_status status = m->parameter == WEIR_PARAMETER_CAPACITY ? study_capacity(&t) : study_time(&t);
    if (status) {
        weir_free(t.vertices);
        return status;
    }
    finish_margin(&t);
    r->vertices = (struct weir_task_pool_tail){t.vertices, t.count * sizeof *t.vertices};
    return WEIR_OK;
}

/* Worst cases, best cases, capacities: those that can be changed. */
static size_t list_numbers(const struct weir_pipeline *p, struct weir_margin *items)
{
    size_t count = 0;
    struct weir_margin scratch, *to;
    for (uint32_t k = WEIR_PARAMETER_WORST; k <= WEIR_PARAMETER_CAPACITY; k++)
        for (uint32_t i = 0; i < (k == WEIR_PARAMETER_CAPACITY ? p->queue_count : p->operator_count); i++) {
            bool fixed =
                k == WEIR_PARAMETER_BEST ? p->operators[i].worst == 0 : k == WEIR_PARAMETER_CAPACITY && p->queues[i].nonblocking;
            if (fixed)
                continue;
            to = items ? &items[count] : &scratch;
            *to = (struct weir_margin){.parameter = (enum weir_parameter)k, .index = i};
            count++;
        }
    return count;
}

void weir_margins_free(struct weir_margins *margins)
{
    for (size_t i = 0; margins && i < margins->count; i++)
        weir_free((void *)(uintptr_t)margins->items[i].vertices);
    if (margins)
        weir_free((void *)(uintptr_t)margins->items);
    weir_free(margins);
}

static enum weir_status look_at_all(struct study *s, struct result *results, uint8_t *done, struct weir_error *error)
{
    struct weir_margins *a = s->answer;
    struct weir_task_pool_work work = {.count = a->count,
                                       .result_size = sizeof *results,
                                       .tails = true,
                                       .whole = true,
                                       .context = s,
                                       .enter = enter,
                                       .leave = leave,
                                       .perform = perform};
    struct weir_task_pool_options how = WEIR_TASK_POOL_OPTIONS(s->options);
    enum weir_status status = weir_task_pool_run(&work, &how, results, done, error);
    a->complete = !weir_margins_stopped(s->options);
    for (size_t i = 0; i < a->count; i++) {
        if (status || !done[i]) {
            a->complete = false;
            weir_free(results[i].vertices.bytes);
            continue;
        }
        s->items[i] = results[i].margin;
        s->items[i].vertices = results[i].vertices.bytes;
    }
    return status;
}

static enum weir_status find_now(struct study *s, struct weir_error *error)
{
    void *tools = NULL;
    enum weir_status status = enter(s, &tools, error);
    if (status || !tools)
        return status;
    status = weir_evaluator_latency(((struct tools *)tools)->evaluator, s->chain, &s->answer->now, error);
    leave(tools);
    return status;
}

static enum weir_status find_all(struct study *s, struct weir_error *error)
{
    enum weir_status status = find_now(s, error);
    if (status)
        return status;
    size_t count = list_numbers(s->pipeline, NULL);
    s->answer->items = s->items = weir_array_zeroed(count, sizeof *s->items);
    struct result *results = weir_array(count, sizeof *results);
    uint8_t *done = weir_array(count, 1);
    if (s->items && results && done) {
        s->answer->count = list_numbers(s->pipeline, s->items);
        status = look_at_all(s, results, done, error);
    } else {
        status = weir_fail_memory(error);
    }
    weir_free(results);
    weir_free(done);
    return status;
}

enum weir_status weir_margins_find(const struct weir_pipeline *pipeline, uint32_t chain, const struct weir_margins_options *options,
                                   struct weir_margins **margins, struct weir_error *error)
{
    static const struct weir_margins_options defaults;
    struct weir_error own = {0};
    struct study s = {.pipeline = pipeline, .options = options ? options : &defaults, .chain = chain};
    error = error ? error : &own;
    *margins = NULL;
    s.answer = weir_array_zeroed(1, sizeof *s.answer);
    if (!s.answer)
        return weir_fail_memory(error);
    s.answer->pipeline = pipeline;
    s.answer->chain = chain;
    enum weir_status status = find_all(&s, error);
    if (status) {
        weir_margins_free(s.answer);
        return status;
    }
    *margins = s.answer;
    return WEIR_OK;
}
