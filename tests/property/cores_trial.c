/* SPDX-License-Identifier: Apache-2.0 */
#include "cores_trial.h"

#include <inttypes.h>

bool trial_complain(const struct trial *t, const char *what, uint32_t op, int64_t execution, int64_t value)
{
    printf("flow of seed %" PRIu64 ": %s, %s, execution %" PRId64 " (%" PRId64 " / %" PRId64 ") %s\n", t->seed, what,
           op < t->flow->operators ? weir_pipeline_operator(t->pipeline, (struct weir_operator){op}).name : "-", execution, value,
           t->flow->scale, t->error.message);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    if (t->playing && t->original) {
        printf("with the samples of\n");
        weir_pipeline_write_yaml(t->original, stdout, NULL);
    }
    return false;
}

/* value / scale <= bound, which is always the same for one measure of one thing; remembers how near it came. */
static bool within(struct trial *t, enum measure what, uint32_t which, weir_wide value, struct weir_ratio bound)
{
    struct top *top = &t->top[what][which];
    if (top->scale == t->flow->scale && value <= top->value) /* more than this was within */
        return true;
    *top = (struct top){value, t->flow->scale};
    double *largest = &t->largest[what][which];
    double ratio =
        bound.numerator > 0 ? (double)value * (double)bound.denominator / ((double)bound.numerator * (double)t->flow->scale) : 0;
    t->looked[what][which] |= bound.numerator > 0;
    *largest = ratio > *largest ? ratio : *largest;
    return value * bound.denominator <= (weir_wide)bound.numerator * t->flow->scale;
}

/* Scaled; periods times scale are whole. */
static int64_t periods(const struct trial *t, uint32_t v, int64_t count)
{
    struct weir_ratio p = t->analysis->operators[v].period;
    return (int64_t)((weir_wide)count * p.numerator * t->flow->scale / p.denominator);
}

/* The largest of some values, and where it was. */
struct most {
    int64_t value;
    size_t at;
};

static inline void take(struct most *most, int64_t value, size_t at)
{
    if (value > most->value)
        *most = (struct most){value, at};
}

/* Within the bound, or there was none. */
static bool hold(struct trial *t, enum measure what, uint32_t which, const struct most *most, struct weir_ratio bound)
{
    return most->value == INT64_MIN || within(t, what, which, most->value, bound);
}

static bool check_executions(struct trial *t, uint32_t v)
{
    const int64_t period = periods(t, v, 1);
    const struct node *n = &t->flow->node[v];
    const struct weir_edf_operator *o = &t->analysis->operators[v];
    const int64_t *there = flow_find_there(t->flow, v);
    struct most response = {INT64_MIN, 0}, late = {INT64_MIN, 0};
    int64_t line = t->flow->origin[v] * t->flow->scale;
    t->tally->executions += n->end.count;
    for (size_t j = 0; there && j < n->end.count; j++) {
        int64_t release = n->release.at[j];
        take(&response, n->end.at[j] - release, j);
        int64_t ready = there[j];
        if (ready != n->ready.at[j] || release < ready)
            return trial_complain(t, "the simulation is ready at another time", v, (int64_t)j + 1, n->ready.at[j]);
        if (release > ready && (j == 0 || release - n->release.at[j - 1] > period))
            return trial_complain(t, "the simulation releases late", v, (int64_t)j + 1, release);
        if (j > 0 && release - n->release.at[j - 1] < period)
            return trial_complain(t, "releases are closer than a period", v, (int64_t)j + 1, release);
        if (n->even && !t->playing)
            take(&late, release - line - (int64_t)j * period, j);
    }
    if (!hold(t, RESPONSE, v, &response, o->response))
        return trial_complain(t, "a response is longer than its bound", v, (int64_t)response.at + 1, response.value);
    if (!hold(t, RELEASE, v, &late, o->offset))
        return trial_complain(t, "a release is later than its line", v, (int64_t)late.at + 1, n->release.at[late.at]);
    return true;
}

/* Executions that depend on arrivals that are not even, against the last release that they need. */
static bool check_following(struct trial *t, uint32_t v)
{
    const struct node *n = &t->flow->node[v];
    struct most most = {INT64_MIN, 0};
    for (size_t j = 0; j < n->end.count && !n->even; j++) {
        int64_t last = -1;
        for (uint32_t s = 0; s < t->flow->operators; s++)
            if ((n->feeds >> s & 1) && n->need[s].at[j] > 0) {
                int64_t release = t->flow->node[s].release.at[n->need[s].at[j] - 1];
                last = release > last ? release : last;
            }
        if (last >= 0)
            take(&most, n->release.at[j] - last, j);
    }
    return hold(t, FOLLOWING, v, &most, t->analysis->operators[v].offset) ||
           trial_complain(t, "a release follows too late", v, (int64_t)most.at + 1, most.value);
}

/* From the moments at which the batches of the source were due: to the ends of the last executions of the sink that use them. */
static bool check_even_latency(struct trial *t, uint32_t chain)
{
    const struct weir_edf_latency *l = &t->analysis->latencies[chain];
    uint32_t from = l->chain.from.index, to = l->chain.to.index;
    const struct node *source = &t->flow->node[from], *sink = &t->flow->node[to];
    int64_t phase = source->spec.has_phase ? source->spec.phase : 0, period = periods(t, from, 1);
    weir_wide batch = source->spec.batch ? source->spec.batch : 1, count = source->spec.count ? source->spec.count : 1;
    struct most most = {INT64_MIN, 0};
    for (size_t n = 0; n < sink->use.count && sink->use.at[n] <= (int64_t)sink->end.count; n++)
        take(&most, sink->end.at[sink->use.at[n] - 1] - phase * t->flow->scale - (int64_t)n * period, n);
    if (most.value == INT64_MIN)
        return true;
    /* The first sample of the batch was due batch - 1 samples before the last. */
    weir_wide latency = most.value * count + (batch - 1) * source->spec.period * t->flow->scale;
    struct weir_ratio bound = l->worst;
    if (latency * bound.denominator > (weir_wide)bound.numerator * t->flow->scale * count)
        return trial_complain(t, "a latency is longer than its bound", to, sink->use.at[most.at], (int64_t)(latency / count));
    within(t, LATENCY, chain, latency / count, bound);
    return true;
}

/* From the moment at which the first sample of a batch arrived: the others came later, and are taken no later. */
static bool check_samples(struct trial *t, uint32_t chain)
{
    const struct weir_edf_latency *l = &t->analysis->latencies[chain];
    uint32_t to = l->chain.to.index;
    const struct node *source = &t->flow->node[l->chain.from.index], *sink = &t->flow->node[to];
    struct most most = {INT64_MIN, 0};
    for (size_t n = 0; n < sink->use.count && sink->use.at[n] <= (int64_t)sink->end.count; n++)
        take(&most, sink->end.at[sink->use.at[n] - 1] - source->first.at[n], n);
    return hold(t, SAMPLE, chain, &most, l->worst) ||
           trial_complain(t, "the latency of a sample in a batch is longer than its bound", to, sink->use.at[most.at], most.value);
}

static bool check_loose_latency(struct trial *t, uint32_t chain)
{
    const struct weir_edf_latency *l = &t->analysis->latencies[chain];
    uint32_t from = l->chain.from.index, to = l->chain.to.index;
    const struct node *sink = &t->flow->node[to];
    struct most most = {INT64_MIN, 0};
    for (size_t j = 0; j < sink->end.count; j++)
        if (sink->need[from].at[j] > 0)
            take(&most, sink->end.at[j] - t->flow->node[from].arrival.at[sink->need[from].at[j] - 1], j);
    return hold(t, LATENCY, chain, &most, l->worst) || trial_complain(t, "a latency from the last arrival is longer than its bound",
                                                                      to, (int64_t)most.at + 1, sink->end.at[most.at]);
}

static bool check_queues(struct trial *t)
{
    for (uint32_t i = 0; i < t->flow->queues; i++) {
        uint32_t capacity = t->analysis->buffers[i].capacity;
        t->most[i] = t->peak[i] > t->most[i] ? t->peak[i] : t->most[i];
        if (capacity == WEIR_UNBOUNDED)
            continue;
        if (!within(t, BUFFER, i, (weir_wide)t->peak[i] * t->flow->scale, (struct weir_ratio){capacity, 1}))
            return trial_complain(t, "a queue holds more than its capacity, that into", t->flow->queue[i].to.index, capacity,
                                  t->peak[i]);
    }
    return true;
}

static bool check_latency(struct trial *t, uint32_t chain)
{
    const struct weir_edf_latency *l = &t->analysis->latencies[chain];
    const struct node *to = &t->flow->node[l->chain.to.index];
    if (!l->bounded)
        return trial_is_joined(to) || trial_complain(t, "no bound on a latency", l->chain.to.index, 0, 0);
    return !to->even ? check_loose_latency(t, chain) : t->playing ? check_samples(t, chain) : check_even_latency(t, chain);
}

bool trial_check(struct trial *t)
{
    bool good = !t->flow->broken || trial_complain(t, "memory, or executions out of order", NODES, 0, 0);
    uint32_t used = NODES; /* the source of which it is known who uses what */
    for (uint32_t s = 0; s < t->flow->operators && good; s++)
        if (t->flow->node[s].source)
            flow_find_needs(t->flow, s);
    for (uint32_t v = 0; v < t->flow->operators && good; v++)
        good = check_executions(t, v) && check_following(t, v);
    for (uint32_t i = 0; i < t->analysis->latency_count && good; i++) {
        uint32_t from = t->analysis->latencies[i].chain.from.index;
        if (t->flow->node[from].even && from != used)
            flow_find_uses(t->flow, used = from);
        good = check_latency(t, i);
    }
    return good && check_queues(t) && !t->flow->broken;
}
