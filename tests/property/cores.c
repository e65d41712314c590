/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random flows on a pool of cores, as they are, batched and merged: what the analysis proves holds in every simulation, and its
 * certificate passes the checker. Who needs what of whom is worked out here, from the words of the pipeline alone.
 *
 *     cores COUNT [SEED]      what was seen, and how tight the bounds were; exit status 1 on a contradiction
 *     cores show SEED         one flow as YAML, and what is said about it
 *
 * Work is shared among as many processes as there are cores. A contradiction prints the seed of its flow, and the flow.
 */
#include "base/number.h"
#include "support/random_flow.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = WEIR_RANDOM_FLOW_OPERATORS, QUEUES = 3 * NODES, RUNS = 4, EXECUTIONS = 1000, ROUNDS = 6 };

enum measure { RESPONSE, RELEASE, LATENCY, BUFFER, FOLLOWING, MEASURES };
static const char *const measure_names[] = {"response", "release", "latency", "buffer", "after the last arrival"};

struct tally {
    uint64_t flows, schedulable, full, overloaded, short_queues; /* full: not a bit of the cores is left */
    uint64_t loose, joined, batched[3], merged, executions;
    uint64_t count[MEASURES], reached[MEASURES]; /* bounds looked at; seen to be reached */
    double ratio[MEASURES];                      /* sum of the largest value seen / bound */
};

struct list {
    int64_t *at;
    size_t count, capacity;
};

/* What is known about an operator without any analysis, and what one simulation did with it. */
struct node {
    uint32_t feeds; /* sources it depends on, a bit each by operator */
    bool even;      /* they all are */
    bool source;
    struct weir_source_spec spec;
    struct list arrival, release, end;
    struct list need[NODES]; /* by source: the last of its executions that each execution needs; 0: none */
};

struct trial {
    uint64_t seed;
    struct weir_pipeline *pipeline;
    struct weir_edf_analysis *analysis;
    uint32_t operators, queues;
    uint32_t order[NODES];
    struct weir_queue_spec queue[QUEUES];
    struct node node[NODES];
    int64_t origin[NODES]; /* by operator: the first phase of an even source of its part */
    int64_t scale;
    int64_t peak[QUEUES], most[QUEUES];
    double largest[MEASURES][NODES * NODES]; /* value / bound */
    bool looked[MEASURES][NODES * NODES];
    bool memory;
    struct weir_error error;
    struct tally *tally;
};

static bool complain(const struct trial *t, const char *what, uint32_t op, int64_t execution, int64_t value)
{
    printf("flow of seed %" PRIu64 ": %s, %s, execution %" PRId64 " (%" PRId64 " / %" PRId64 ") %s\n", t->seed, what,
           op < t->operators ? weir_pipeline_operator(t->pipeline, (struct weir_operator){op}).name : "-", execution, value,
           t->scale, t->error.message);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    return false;
}

static void put(struct trial *t, struct list *list, int64_t value)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        int64_t *at = realloc(list->at, capacity * sizeof *at);
        if (!at) {
            t->memory = true;
            return;
        }
        list->at = at;
        list->capacity = capacity;
    }
    list->at[list->count++] = value;
}

/* ---- the flow ---- */

static void read_flow(struct trial *t)
{
    uint32_t waiting[NODES] = {0}, count = 0;
    for (uint32_t i = 0; i < weir_pipeline_source_count(t->pipeline); i++) {
        struct weir_source_spec s = weir_pipeline_source(t->pipeline, i);
        struct node *n = &t->node[s.op.index];
        n->spec = s;
        n->source = true;
        n->feeds = 1U << s.op.index;
        n->even = !s.sporadic && !s.bursty;
    }
    for (uint32_t i = 0; i < t->queues; i++) {
        struct weir_queue_spec *q = &t->queue[i];
        *q = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        q->produce = q->produce ? q->produce : 1;
        q->consume = q->consume ? q->consume : 1;
        q->threshold = q->threshold ? q->threshold : q->consume;
        waiting[q->to.index]++;
    }
    for (uint32_t v = 0; v < t->operators; v++) {
        if (!t->node[v].source)
            t->node[v].even = true;
        if (!waiting[v])
            t->order[count++] = v;
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < t->queues; i++) {
            struct node *to = &t->node[t->queue[i].to.index], *from = &t->node[t->order[k]];
            if (t->queue[i].from.index != t->order[k])
                continue;
            to->feeds |= from->feeds;
            to->even &= from->even;
            if (--waiting[t->queue[i].to.index] == 0)
                t->order[count++] = t->queue[i].to.index;
        }
}

/* The parts are few: labels spread until they stay. */
static void find_origins(struct trial *t)
{
    bool moved = true;
    for (uint32_t v = 0; v < t->operators; v++) {
        const struct node *n = &t->node[v];
        t->origin[v] = n->source && n->even ? (n->spec.has_phase ? n->spec.phase : 0) : INT64_MAX;
    }
    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < t->queues; i++) {
            int64_t *a = &t->origin[t->queue[i].from.index], *b = &t->origin[t->queue[i].to.index];
            moved |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

/* ---- what was simulated ---- */

static void observe(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale)
{
    struct trial *t = context;
    struct node *n = &t->node[op.index];
    t->scale = scale;
    put(t, &n->release, moments[1]);
    put(t, &n->end, moments[2]);
    if (execution != (int64_t)n->end.count || moments[0] > moments[1])
        t->memory = true;
}

static void arrived(void *context, struct weir_operator op, int64_t execution, int64_t time, int64_t scale)
{
    struct trial *t = context;
    struct node *n = &t->node[op.index];
    t->scale = scale;
    put(t, &n->arrival, time);
    if (execution != (int64_t)n->arrival.count)
        t->memory = true;
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* Sample number k of a queue, initial ones first, is appended by execution ceil((k - initial) / produce). */
static void find_needs(struct trial *t, uint32_t source)
{
    for (uint32_t k = 0; k < t->operators; k++) {
        uint32_t v = t->order[k];
        struct list *need = &t->node[v].need[source];
        need->count = 0;
        for (int64_t j = 0; j < (int64_t)t->node[v].end.count; j++) {
            int64_t last = v == source ? j + 1 : 0;
            for (uint32_t i = 0; i < t->queues; i++) {
                const struct weir_queue_spec *q = &t->queue[i];
                if (q->to.index != v)
                    continue;
                int64_t by = ceil_divide(j * q->consume + q->threshold - (int64_t)q->initial, q->produce);
                int64_t their = by > 0 ? t->node[q->from.index].need[source].at[by - 1] : 0;
                last = their > last ? their : last;
            }
            put(t, need, last);
        }
    }
}

/* last[v]: the last execution of v that removes anything made of execution n of the source; 0: none does. */
static void find_last_uses(const struct trial *t, uint32_t source, int64_t n, int64_t *last)
{
    memset(last, 0, NODES * sizeof *last);
    last[source] = n;
    for (uint32_t k = 0; k < t->operators; k++)
        for (uint32_t i = 0; i < t->queues; i++) {
            const struct weir_queue_spec *q = &t->queue[i];
            if (q->to.index != t->order[k] || last[q->from.index] == 0)
                continue;
            int64_t use = ceil_divide(last[q->from.index] * q->produce + q->initial, q->consume);
            last[q->to.index] = use > last[q->to.index] ? use : last[q->to.index];
        }
}

/* ---- bounds ---- */

/* value / scale <= bound; remembers how near it came. */
static bool within(struct trial *t, enum measure what, uint32_t which, weir_wide value, struct weir_ratio bound)
{
    double *largest = &t->largest[what][which];
    double ratio =
        bound.numerator > 0 ? (double)value * (double)bound.denominator / ((double)bound.numerator * (double)t->scale) : 0;
    t->looked[what][which] |= bound.numerator > 0;
    *largest = ratio > *largest ? ratio : *largest;
    return value * bound.denominator <= (weir_wide)bound.numerator * t->scale;
}

/* Scaled; periods times scale are whole. */
static int64_t periods(const struct trial *t, uint32_t v, int64_t count)
{
    struct weir_ratio p = t->analysis->operators[v].period;
    return (int64_t)((weir_wide)count * p.numerator * t->scale / p.denominator);
}

static bool check_executions(struct trial *t, uint32_t v)
{
    const struct node *n = &t->node[v];
    const struct weir_edf_operator *o = &t->analysis->operators[v];
    t->tally->executions += n->end.count;
    for (size_t j = 0; j < n->end.count; j++) {
        int64_t release = n->release.at[j];
        if (!within(t, RESPONSE, v, n->end.at[j] - release, o->response))
            return complain(t, "a response is longer than its bound", v, (int64_t)j + 1, n->end.at[j] - release);
        if (j > 0 && release - n->release.at[j - 1] < periods(t, v, 1))
            return complain(t, "releases are closer than a period", v, (int64_t)j + 1, release);
        if (n->even && !within(t, RELEASE, v, release - t->origin[v] * t->scale - periods(t, v, (int64_t)j), o->offset))
            return complain(t, "a release is later than its line", v, (int64_t)j + 1, release);
    }
    return true;
}

/* Executions that depend on arrivals that are not even, against the last release that they need. */
static bool check_following(struct trial *t, uint32_t v)
{
    const struct node *n = &t->node[v];
    const struct weir_edf_operator *o = &t->analysis->operators[v];
    for (size_t j = 0; j < n->end.count && !n->even; j++) {
        int64_t last = -1;
        for (uint32_t s = 0; s < t->operators; s++)
            if ((n->feeds >> s & 1) && n->need[s].at[j] > 0) {
                int64_t release = t->node[s].release.at[n->need[s].at[j] - 1];
                last = release > last ? release : last;
            }
        if (last >= 0 && !within(t, FOLLOWING, v, n->release.at[j] - last, o->offset))
            return complain(t, "a release follows too late", v, (int64_t)j + 1, n->release.at[j] - last);
    }
    return true;
}

static bool check_even_latency(struct trial *t, uint32_t pair)
{
    const struct weir_edf_latency *l = &t->analysis->latencies[pair];
    uint32_t from = l->pair.from.index, to = l->pair.to.index;
    const struct node *source = &t->node[from];
    int64_t last[NODES], phase = source->spec.has_phase ? source->spec.phase : 0;
    weir_wide batch = source->spec.batch ? source->spec.batch : 1, count = source->spec.count ? source->spec.count : 1;
    for (size_t n = 0; n < source->arrival.count; n++) {
        find_last_uses(t, from, (int64_t)n + 1, last);
        if (last[to] > (int64_t)t->node[to].end.count)
            break;
        /* The first sample of the batch was due batch - 1 samples before the last. */
        int64_t due = phase * t->scale + periods(t, from, (int64_t)n);
        weir_wide latency =
            (weir_wide)(t->node[to].end.at[last[to] - 1] - due) * count + (batch - 1) * source->spec.period * t->scale;
        struct weir_ratio bound = l->worst;
        if (latency * bound.denominator > (weir_wide)bound.numerator * t->scale * count)
            return complain(t, "a latency is longer than its bound", to, last[to], (int64_t)(latency / count));
        within(t, LATENCY, pair, latency / count, bound);
    }
    return true;
}

static bool check_loose_latency(struct trial *t, uint32_t pair)
{
    const struct weir_edf_latency *l = &t->analysis->latencies[pair];
    uint32_t from = l->pair.from.index, to = l->pair.to.index;
    const struct node *sink = &t->node[to];
    for (size_t j = 0; j < sink->end.count; j++) {
        int64_t need = sink->need[from].at[j];
        if (need > 0 && !within(t, LATENCY, pair, sink->end.at[j] - t->node[from].arrival.at[need - 1], l->worst))
            return complain(t, "a latency from the last arrival is longer than its bound", to, (int64_t)j + 1, sink->end.at[j]);
    }
    return true;
}

static bool is_joined(const struct node *n)
{
    return !n->even && (n->feeds & (n->feeds - 1)) != 0;
}

static bool check_queues(struct trial *t)
{
    for (uint32_t i = 0; i < t->queues; i++) {
        uint32_t capacity = t->analysis->buffers[i].capacity;
        t->most[i] = t->peak[i] > t->most[i] ? t->peak[i] : t->most[i];
        if (capacity == WEIR_UNBOUNDED)
            continue;
        t->scale = 1;
        if (!within(t, BUFFER, i, t->peak[i], (struct weir_ratio){capacity, 1}))
            return complain(t, "a queue holds more than its capacity, that into", t->queue[i].to.index, capacity, t->peak[i]);
    }
    return true;
}

static bool check_run(struct trial *t)
{
    bool good = !t->memory || complain(t, "memory, or executions out of order", NODES, 0, 0);
    for (uint32_t s = 0; s < t->operators && good; s++)
        if (t->node[s].source)
            find_needs(t, s);
    for (uint32_t v = 0; v < t->operators && good; v++)
        good = check_executions(t, v) && check_following(t, v);
    for (uint32_t i = 0; i < t->analysis->latency_count && good; i++) {
        const struct node *to = &t->node[t->analysis->latencies[i].pair.to.index];
        if (!t->analysis->latencies[i].bounded)
            good = is_joined(to) || complain(t, "no bound on a latency", t->analysis->latencies[i].pair.to.index, 0, 0);
        else
            good = to->even ? check_even_latency(t, i) : check_loose_latency(t, i);
    }
    return good && check_queues(t);
}

/* ---- simulations ---- */

static int64_t rounds_of(const struct trial *t)
{
    int64_t all = 0;
    for (uint32_t v = 0; v < t->operators; v++)
        all += t->analysis->operators[v].repetitions;
    return all * ROUNDS > EXECUTIONS ? ROUNDS : EXECUTIONS / all;
}

/* The first two at full cost, without and with waiting for releases; the others draw. */
static bool simulate(struct trial *t, uint64_t run)
{
    struct weir_random random;
    weir_random_seed(&random, t->seed * RUNS + run);
    for (uint32_t v = 0; v < t->operators; v++)
        t->node[v].arrival.count = t->node[v].release.count = t->node[v].end.count = 0;
    struct weir_edf_simulation_options options = {.rounds = rounds_of(t),
                                                  .late = run % 2,
                                                  .times = WEIR_TIMES_WORST,
                                                  .seed = weir_random_next(&random),
                                                  .observe = observe,
                                                  .arrived = arrived,
                                                  .context = t};
    options.arrivals = (enum weir_edf_arrivals)weir_random_between(&random, 0, 2);
    if (run >= 2)
        options.times = (enum weir_times)weir_random_between(&random, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG);
    if (weir_edf_simulate(t->pipeline, &options, t->peak, &t->error))
        return complain(t, "the simulation fails", NODES, 0, 0);
    return check_run(t);
}

static void remember(struct trial *t)
{
    for (int m = 0; m < MEASURES; m++)
        for (uint32_t i = 0; i < NODES * NODES; i++)
            if (t->looked[m][i]) {
                t->tally->count[m]++;
                t->tally->ratio[m] += t->largest[m][i];
                t->tally->reached[m] += t->largest[m][i] > 1 - 1e-9;
            }
}

/* ---- the analysis ---- */

static weir_wide divisor(weir_wide a, weir_wide b)
{
    while (b) {
        weir_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* -1, 0, 1: less than the cores can do, exactly that, more, or more than one for some operator. */
static int compare_load(const struct trial *t)
{
    weir_wide n = 0, d = 1;
    for (uint32_t v = 0; v < t->operators; v++) {
        struct weir_ratio p = t->analysis->operators[v].period;
        weir_wide cost = (weir_wide)weir_pipeline_operator(t->pipeline, (struct weir_operator){v}).worst * p.denominator;
        if (cost > p.numerator)
            return 1;
        n = n * p.numerator + cost * d;
        d *= p.numerator;
        weir_wide g = divisor(n, d);
        n /= g, d /= g;
    }
    weir_wide all = d * weir_pipeline_cores(t->pipeline);
    return n < all ? -1 : n > all;
}

static bool analyze(struct trial *t)
{
    struct weir_edf_options options = {.verify = true};
    if (weir_edf_analyze(t->pipeline, &options, &t->analysis, &t->error))
        return complain(t, "no answer", NODES, 0, 0);
    const struct weir_edf_analysis *a = t->analysis;
    int load = compare_load(t);
    bool given = false;
    for (uint32_t i = 0; i < t->queues; i++)
        given |= t->queue[i].capacity != WEIR_AUTO && t->queue[i].capacity != WEIR_UNBOUNDED;
    t->tally->overloaded += load > 0;
    t->tally->full += load == 0 && a->schedulable;
    t->tally->schedulable += a->schedulable;
    t->tally->short_queues += load <= 0 && !a->schedulable;
    if (a->schedulable ? load > 0 : (load <= 0 && !given) || !a->why)
        return complain(t, "schedulable or not", NODES, a->schedulable, load);
    if (a->schedulable && (!a->verified || a->buffer_count != t->queues))
        return complain(t, "not verified, or not all buffers", NODES, a->verified, (int64_t)a->buffer_count);
    return true;
}

static void count_kinds(struct trial *t)
{
    bool loose = false, joined = false;
    for (uint32_t v = 0; v < t->operators; v++) {
        loose |= !t->node[v].even;
        joined |= is_joined(&t->node[v]);
    }
    t->tally->loose += loose;
    t->tally->joined += joined;
}

/* ---- flows ---- */

static void batch(struct weir_pipeline **pipeline, struct weir_random *random, struct tally *tally)
{
    struct weir_pipeline *batched;
    enum weir_batching how = (enum weir_batching)weir_random_between(random, WEIR_BATCH_UNIFORM, WEIR_BATCH_EDGE);
    if (weir_pipeline_batch(*pipeline, how, weir_random_between(random, 1, 4), &batched, NULL))
        return;
    tally->batched[how]++;
    weir_pipeline_free(*pipeline);
    *pipeline = batched;
}

static void merge(struct weir_pipeline **pipeline, struct weir_random *random, struct tally *tally)
{
    for (int tries = 0; tries < 12; tries++) {
        struct weir_pipeline *merged;
        int64_t last = weir_pipeline_operator_count(*pipeline) - 1;
        struct weir_operator a = {(uint32_t)weir_random_between(random, 0, last)};
        struct weir_operator b = {(uint32_t)weir_random_between(random, 0, last)};
        if (weir_pipeline_merge(*pipeline, a, b, (uint32_t)weir_random_between(random, 0, 1000), &merged, NULL))
            continue;
        tally->merged++;
        weir_pipeline_free(*pipeline);
        *pipeline = merged;
        return;
    }
}

static struct weir_pipeline *flow_of(uint64_t seed, struct tally *tally)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    struct weir_pipeline *pipeline = weir_random_flow(&random);
    if (!pipeline)
        return NULL;
    int64_t kind = weir_random_between(&random, 0, 9);
    if (kind >= 6)
        batch(&pipeline, &random, tally);
    if (kind == 5 || kind >= 8)
        merge(&pipeline, &random, tally);
    return pipeline;
}

static void release(struct trial *t)
{
    for (uint32_t v = 0; v < t->operators; v++) {
        free(t->node[v].arrival.at);
        free(t->node[v].release.at);
        free(t->node[v].end.at);
        for (uint32_t s = 0; s < NODES; s++)
            free(t->node[v].need[s].at);
    }
    weir_edf_analysis_free(t->analysis);
    weir_pipeline_free(t->pipeline);
}

static bool try_seed(uint64_t seed, struct tally *tally)
{
    static struct trial t;
    t = (struct trial){.seed = seed, .tally = tally, .pipeline = flow_of(seed, tally), .scale = 1};
    if (!t.pipeline)
        return false;
    t.operators = weir_pipeline_operator_count(t.pipeline);
    t.queues = weir_pipeline_queue_count(t.pipeline);
    read_flow(&t);
    find_origins(&t);
    bool good = analyze(&t);
    if (good && t.analysis->schedulable) {
        count_kinds(&t);
        for (uint64_t run = 0; run < RUNS && good; run++)
            good = simulate(&t, run);
        remember(&t);
    }
    release(&t);
    tally->flows++;
    return good;
}

static int show(uint64_t seed)
{
    struct tally tally = {0};
    struct weir_pipeline *pipeline = flow_of(seed, &tally);
    struct weir_edf_analysis *analysis;
    struct weir_error error;
    if (!pipeline)
        return 1;
    weir_pipeline_write_yaml(pipeline, stdout, NULL);
    if (weir_edf_analyze(pipeline, NULL, &analysis, &error) == WEIR_OK)
        weir_edf_write_json(analysis, stdout, NULL);
    else
        printf("%s\n", error.message);
    weir_edf_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    return try_seed(seed, &tally) ? 0 : 1;
}

/* ---- the campaign ---- */

/* No flow this small takes long; one that never ends must not pass for one that does. */
enum { SECONDS = 60 };
static volatile uint64_t watched;

static void too_long(int signal_number)
{
    (void)signal_number;
    char text[64];
    int length = snprintf(text, sizeof text, "flow of seed %" PRIu64 ": takes too long\n", watched);
    _exit(write(STDOUT_FILENO, text, (size_t)length) == length ? 1 : 2);
}

/* One process of several: seeds first, first + step, ...; its tally goes into the pipe. */
static void work(uint64_t first, uint64_t step, uint64_t end, int out)
{
    struct tally tally = {0};
    signal(SIGALRM, too_long);
    for (uint64_t seed = first; seed < end; seed += step) {
        watched = seed;
        alarm(SECONDS);
        if (!try_seed(seed, &tally)) {
            fflush(stdout);
            _exit(1);
        }
    }
    _exit(write(out, &tally, sizeof tally) == (ssize_t)sizeof tally ? 0 : 1);
}

static void add(struct tally *sum, const struct tally *one)
{
    sum->flows += one->flows, sum->schedulable += one->schedulable, sum->full += one->full;
    sum->overloaded += one->overloaded, sum->short_queues += one->short_queues;
    sum->loose += one->loose, sum->joined += one->joined, sum->merged += one->merged, sum->executions += one->executions;
    for (int i = 0; i < 3; i++)
        sum->batched[i] += one->batched[i];
    for (int m = 0; m < MEASURES; m++)
        sum->count[m] += one->count[m], sum->reached[m] += one->reached[m], sum->ratio[m] += one->ratio[m];
}

/* Whether the campaign saw what it is for. */
static bool report(const struct tally *t, uint64_t count)
{
    printf("%" PRIu64 " flows: %" PRIu64 " schedulable (%" PRIu64 " with nothing left), %" PRIu64 " overloaded, %" PRIu64
           " with a queue too small; %" PRIu64 " executions\n",
           t->flows, t->schedulable, t->full, t->overloaded, t->short_queues, t->executions);
    printf("not even %" PRIu64 ", joined %" PRIu64 ", batched %" PRIu64 " + %" PRIu64 " + %" PRIu64 ", merged %" PRIu64 "\n",
           t->loose, t->joined, t->batched[0], t->batched[1], t->batched[2], t->merged);
    for (int m = 0; m < MEASURES; m++)
        printf("%-24s observed / bound %.3f, reached %.1f %% of %" PRIu64 "\n", measure_names[m],
               t->count[m] ? t->ratio[m] / (double)t->count[m] : 0,
               t->count[m] ? 100 * (double)t->reached[m] / (double)t->count[m] : 0, t->count[m]);
    bool seen = t->flows == count && t->schedulable * 2 > count && t->overloaded > 0 && t->short_queues > 0 &&
                t->full * 50 > count && t->loose * 10 > count && t->joined * 100 > count && t->merged * 100 > count;
    for (int i = 0; i < 3; i++)
        seen = seen && t->batched[i] * 50 > count;
    for (int m = 0; m < MEASURES; m++)
        seen = seen && t->reached[m] > 0;
    if (!seen)
        printf("the campaign did not see what it is for\n");
    return seen;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "show") == 0)
        return show(strtoull(argv[2], NULL, 10));
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000, seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int pipes[2], failed = 0;
    if (pipe(pipes) != 0)
        return 1;
    cores = cores < 1 ? 1 : cores > 32 ? 32 : cores; /* that many tallies fit into a pipe */
    for (long i = 0; i < cores; i++)
        if (fork() == 0)
            work(seed + (uint64_t)i, (uint64_t)cores, seed + count, pipes[1]);
    for (long i = 0; i < cores; i++) {
        int status;
        wait(&status);
        failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    close(pipes[1]);
    struct tally total = {0}, part;
    while (read(pipes[0], &part, sizeof part) == (ssize_t)sizeof part)
        add(&total, &part);
    return failed || !report(&total, count);
}
