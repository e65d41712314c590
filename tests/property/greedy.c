/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random pipelines under Holoscan's greedy scheduler, played by the rules of the SDK: rounds through the entities in the order of
 * their creation, each executed once if all its conditions hold; messages with their policies, batches, inputs without conditions.
 * No run is later than the worst or earlier than the best case, runs at worst and at best times reach them, and the check of each
 * answer holds.
 *
 *     greedy COUNT [SEED]      what was seen; exit status 1 on a contradiction
 *     greedy show SEED         one pipeline as YAML
 *
 * The player shares nothing with weir but what a pipeline is.
 */
#include "support/campaign.h"
#include "support/random/semantics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OPERATORS = 8, QUEUES = 32, HELD = 16, ROUNDS = 400, RUNS = 12, MESSAGES = 512 };

struct tally {
    uint64_t pipelines, flows, latencies, exact, unknown, reached, reached_best, faults, verified;
};

/* When the executions of `from` began that data are of. */
struct span {
    int64_t turn, oldest, newest; /* turn: which execution at the end of the connection that cut it off last; all -1: nothing */
};

/* Of a message: by the connection that cut its data off last; [0]: none did. */
struct data {
    struct span of[HELD];
};

/* A ring. */
struct buffer {
    struct data held[MESSAGES];
    int first, count;
};

struct player {
    struct weir_pipeline *pipeline;
    struct weir_operator_spec ops[OPERATORS];
    struct weir_queue_spec queues[QUEUES];
    uint32_t count, queue_count, order[OPERATORS];
    uint32_t at[QUEUES]; /* its buffer: several queues to one port have that of the first */
    int part[QUEUES];    /* of a connection that cuts data off: its number, from 1 on */
    int parts;
    struct buffer *buffers; /* by queue */
    int64_t turns[OPERATORS];
    int64_t now, seen[2]; /* latest, earliest */
    bool any, fault, piled;
    struct weir_chain_spec chain;
    struct weir_random random;
    int mode; /* 0: best times, 1: worst times, 2: any */
};

static bool drops(const struct weir_queue_spec *q)
{
    return q->port || (q->nonblocking && q->full != WEIR_FULL_NEVER);
}

/* ---- the order of creation: an operator, then the broadcasts of its ports ---- */

static void create(struct player *p)
{
    uint32_t made = 0, inputs[OPERATORS] = {0}, first[OPERATORS] = {0};
    for (uint32_t i = 0; i < p->queue_count; i++) {
        first[p->queues[i].to.index] = p->queues[i].from.index;
        inputs[p->queues[i].to.index]++;
    }
    bool inserted[OPERATORS];
    for (uint32_t i = 0; i < p->count; i++)
        inserted[i] = p->ops[i].broadcast && inputs[i] == 1;
    for (uint32_t i = 0; i < p->count; i++) {
        if (inserted[i] && !inserted[first[i]])
            continue;
        p->order[made++] = i;
        for (uint32_t k = 0; k < p->queue_count && !inserted[i]; k++)
            if (p->queues[k].from.index == i && inserted[p->queues[k].to.index])
                p->order[made++] = p->queues[k].to.index;
    }
}

/* ---- a tick ---- */

static const struct span nothing = {-1, -1, -1};

static void empty(const struct player *p, struct data *data)
{
    for (int k = 0; k <= p->parts; k++)
        data->of[k] = nothing;
}

static void mix(struct span *into, const struct span *other)
{
    if (other->turn > into->turn)
        into->turn = other->turn;
    if (other->oldest >= 0 && (into->oldest < 0 || other->oldest < into->oldest))
        into->oldest = other->oldest;
    if (other->newest > into->newest)
        into->newest = other->newest;
}

/* The message after so many others. */
static struct data *at(struct buffer *b, int place)
{
    return &b->held[(unsigned)(b->first + place) % MESSAGES];
}

/* What is there until the next is given. */
static const struct data *remove_first(struct buffer *b)
{
    const struct data *data = at(b, 0);
    b->first = (b->first + 1) % MESSAGES;
    b->count--;
    return data;
}

static bool ready(const struct player *p, uint32_t op)
{
    for (uint32_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        int least = q->consume > 1 ? (int)q->consume : 1;
        if (q->to.index == op && !q->latest && !q->optional && p->buffers[p->at[i]].count < least)
            return false;
        if (q->from.index == op && !q->latest && !q->nonblocking && q->capacity != WEIR_UNBOUNDED &&
            p->buffers[p->at[i]].count >= (int)q->capacity)
            return false;
    }
    return true;
}

static void take(struct player *p, uint32_t queue, struct data *mine)
{
    const struct weir_queue_spec *q = &p->queues[queue];
    struct buffer *b = &p->buffers[queue];
    if (!p->part[queue]) {
        struct data all;
        empty(p, &all);
        for (uint32_t n = 0; n < (q->consume > 1 ? q->consume : 1); n++) {
            const struct data *one = remove_first(b);
            for (int k = 0; k <= p->parts; k++)
                mix(&all.of[k], &one->of[k]);
        }
        for (int k = 0; k <= p->parts; k++) { /* of two paths for the same data the one that brings the newer counts */
            if (all.of[k].turn > mine->of[k].turn)
                mine->of[k] = all.of[k];
            else if (all.of[k].turn == mine->of[k].turn)
                mix(&mine->of[k], &all.of[k]);
        }
        return;
    }
    struct span all = nothing;
    if (b->count) {
        const struct data *one = q->latest ? at(b, 0) : remove_first(b);
        for (int k = 0; k <= p->parts; k++)
            mix(&all, &one->of[k]);
    }
    all.turn = p->turns[q->to.index];
    mine->of[p->part[queue]] = all;
}

static void give(struct player *p, uint32_t queue, const struct data *mine)
{
    const struct weir_queue_spec *q = &p->queues[queue];
    struct buffer *b = &p->buffers[p->at[queue]];
    if (q->latest)
        b->count = 0;
    else if (drops(q) && b->count >= (int)q->capacity) {
        p->fault |= q->full == WEIR_FULL_FAULT || q->full == WEIR_FULL_NEVER; /* the latter: of a port */
        if (q->full == WEIR_FULL_REJECT)
            return;
        remove_first(b);
    }
    if (b->count == MESSAGES)
        p->piled = true;
    else
        memcpy(at(b, b->count++), mine, (size_t)(p->parts + 1) * sizeof *mine->of);
}

static void tick(struct player *p, uint32_t op)
{
    const struct weir_operator_spec *o = &p->ops[op];
    int64_t least = o->best > o->receive_min ? o->best : o->receive_min;
    int64_t length = p->mode == 0 ? least : p->mode == 1 ? o->worst : weir_random_between(&p->random, least, o->worst);
    struct data mine;
    empty(p, &mine);
    for (uint32_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].to.index == op && p->at[i] == i)
            take(p, i, &mine);
    if (op == p->chain.from.index) {
        empty(p, &mine);
        mine.of[0] = (struct span){p->turns[op], p->now, p->now};
    }
    p->turns[op]++;
    p->now += length;
    for (int k = 0; k <= p->parts && op == p->chain.to.index; k++) {
        if (mine.of[k].oldest < 0)
            continue;
        int64_t late = p->now - mine.of[k].oldest, early = p->now;
        for (int j = 0; j <= p->parts; j++)
            early = mine.of[j].newest >= 0 && p->now - mine.of[j].newest < early ? p->now - mine.of[j].newest : early;
        p->seen[0] = p->any && p->seen[0] > late ? p->seen[0] : late;
        p->seen[1] = p->any && p->seen[1] < early ? p->seen[1] : early;
        p->any = true;
    }
    for (uint32_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].from.index == op)
            give(p, i, &mine);
}

static void play(struct player *p, int mode)
{
    p->mode = mode;
    p->now = 0;
    p->any = p->piled = false;
    memset(p->turns, 0, sizeof p->turns);
    for (uint32_t i = 0; i < p->queue_count; i++) {
        p->buffers[i].count = p->queues[i].latest ? 0 : (int)p->queues[i].initial;
        for (int k = 0; k < p->buffers[i].count; k++)
            empty(p, at(&p->buffers[i], k));
    }
    bool went = true;
    for (int round = 0; round < ROUNDS && went && !p->fault && !p->piled; round++) {
        went = false;
        for (uint32_t i = 0; i < p->count && !p->fault && !p->piled; i++)
            if (ready(p, p->order[i])) {
                tick(p, p->order[i]);
                went = true;
            }
    }
}

/* ---- a pipeline ---- */

/* What was drawn, with one thread and without what it does not have: periods, launches, transfers. */
static struct weir_pipeline *draw(uint64_t seed)
{
    struct weir_random random;
    struct weir_error why;
    weir_random_seed(&random, seed);
    struct weir_pipeline *drawn = weir_random_semantics(&random, weir_random_between(&random, 0, 3) > 0, &why);
    if (!drawn)
        return NULL;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    uint32_t inputs[OPERATORS] = {0};
    for (uint32_t i = 0; i < weir_pipeline_queue_count(drawn); i++)
        inputs[weir_pipeline_queue(drawn, (struct weir_queue){i}).to.index]++;
    weir_pipeline_set_workers(p, &(struct weir_workers_spec){.dispatch = WEIR_DISPATCH_GREEDY, .workers = 1}, NULL);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(drawn); i++) {
        struct weir_operator_spec o = weir_pipeline_operator(drawn, (struct weir_operator){i});
        o.launch = NULL;
        o.reentrant = false;
        o.broadcast = inputs[i] == 1 && weir_random_between(&random, 0, 2) == 0;
        weir_pipeline_add_operator(p, &o, NULL, NULL);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(drawn); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(drawn, (struct weir_queue){i});
        q.transfer_min = q.transfer_max = 0;
        weir_pipeline_add_queue(p, &q, NULL, NULL);
    }
    weir_pipeline_free(drawn);
    if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
        return p;
    weir_pipeline_free(p);
    return NULL;
}

static bool one_port(const struct weir_queue_spec *a, const struct weir_queue_spec *b)
{
    return a->to.index == b->to.index && a->port && b->port && strcmp(a->port, b->port) == 0;
}

static void read_pipeline(struct player *p)
{
    p->count = weir_pipeline_operator_count(p->pipeline);
    p->queue_count = weir_pipeline_queue_count(p->pipeline);
    for (uint32_t i = 0; i < p->count; i++)
        p->ops[i] = weir_pipeline_operator(p->pipeline, (struct weir_operator){i});
    for (uint32_t i = 0; i < p->queue_count; i++) {
        p->queues[i] = weir_pipeline_queue(p->pipeline, (struct weir_queue){i});
        p->at[i] = 0;
        while (p->at[i] < i && !one_port(&p->queues[p->at[i]], &p->queues[i]))
            p->at[i]++;
        bool cut = p->queues[i].latest || p->queues[i].optional || drops(&p->queues[i]);
        p->part[i] = p->at[i] < i ? p->part[p->at[i]] : cut ? ++p->parts : 0;
    }
    create(p);
}

static bool complain(const struct player *p, uint64_t seed, const char *what, int64_t a, int64_t b)
{
    printf("seed %" PRIu64 ", %s -> %s: %s (%" PRId64 ", %" PRId64 ")\n", seed, p->ops[p->chain.from.index].name,
           p->ops[p->chain.to.index].name, what, a, b);
    weir_pipeline_write_yaml(p->pipeline, stdout, NULL);
    return false;
}

static bool check_chain(struct player *p, uint64_t seed, const struct weir_workers_latency *l, struct tally *tally)
{
    bool exact = l->outcome == WEIR_WORKERS_EXACT, reached[2] = {false, false};
    p->chain = l->chain;
    tally->latencies++;
    tally->exact += exact;
    tally->verified += exact && l->verified;
    tally->unknown += l->outcome == WEIR_WORKERS_UNKNOWN;
    for (int run = 0; run < RUNS; run++) {
        p->fault = false;
        play(p, run < 2 ? run : 2);
        tally->faults += p->fault;
        if (p->fault && exact)
            return complain(p, seed, "the application fails, but there is a bound", l->worst, run);
        if (!exact || !p->any)
            continue;
        if (p->seen[0] > l->worst)
            return complain(p, seed, "later than the worst case", p->seen[0], l->worst);
        if (p->seen[1] < l->best)
            return complain(p, seed, "earlier than the best case", p->seen[1], l->best);
        reached[0] |= p->seen[0] == l->worst;
        reached[1] |= p->seen[1] == l->best;
    }
    tally->reached += reached[0];
    tally->reached_best += reached[1];
    return true;
}

static bool try_seed(uint64_t seed, void *sum)
{
    struct tally *tally = sum;
    static struct buffer buffers[QUEUES];
    struct player player = {.buffers = buffers}, *p = &player;
    struct weir_workers_analysis *analysis = NULL;
    struct weir_error error = {0};
    bool good = true;
    p->pipeline = draw(seed);
    weir_random_seed(&p->random, seed);
    if (p->pipeline && weir_workers_analyze(p->pipeline, &(struct weir_workers_options){.work_limit = 2000000, .verify = true},
                                            &analysis, &error) == WEIR_OK) {
        read_pipeline(p);
        tally->pipelines++;
        tally->flows += p->parts > 0;
        for (size_t i = 0; i < analysis->latency_count && good && p->parts < HELD; i++)
            good = check_chain(p, seed, &analysis->latencies[i], tally);
    } else if (p->pipeline && error.status != WEIR_INVALID) {
        printf("seed %" PRIu64 ": %s\n", seed, error.message);
        weir_pipeline_write_yaml(p->pipeline, stdout, NULL);
        good = false;
    }
    weir_workers_analysis_free(analysis);
    weir_pipeline_free(p->pipeline);
    return good;
}

static void print(const void *sum)
{
    const struct tally *t = sum;
    printf("%" PRIu64 " pipelines, %" PRIu64 " with connections that cut; %" PRIu64 " latencies: %" PRIu64 " exact, %" PRIu64
           " unknown; worst reached %" PRIu64 ", best %" PRIu64 "; %" PRIu64 " runs failed; %" PRIu64 " verified\n",
           t->pipelines, t->flows, t->latencies, t->exact, t->unknown, t->reached, t->reached_best, t->faults, t->verified);
}

/* Nearly all exact ones are reached; some take longer than the rounds that are played. */
static bool saw_enough(const void *sum, uint64_t count)
{
    const struct tally *t = sum;
    return count < 500 || (t->exact > t->latencies / 2 && t->verified == t->exact && t->reached * 100 > t->exact * 98 &&
                           t->reached_best * 100 > t->exact * 98);
}

const struct campaign campaign = {try_seed, print, saw_enough, sizeof(struct tally), .print_always = true, .pipeline_of = draw};
