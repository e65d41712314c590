/* SPDX-License-Identifier: Apache-2.0 */
/* Capacities of queues, against all there are. */
#include "base/number.h"
#include "support/random_pipeline.h"
#include "support/stage.h"
#include "unit/explore/exploring.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODELS = 800, QUEUES = 4, MOST = 3, VECTORS = 81, CHAINS = 16 };

/* ---- by hand ---- */

TEST(chain_by_hand)
{
    /* a -> b -> c with times 4, 4, 4: with one place in each queue, a starts when b has taken what came before, every 4. */
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){4, 4, 4}, 5);
    struct weir_sizing_options options = {.period = 4};
    struct weir_sizing *found;
    struct weir_error error;
    assert_int_equal(weir_size_queues(p, &options, &found, &error), WEIR_OK);
    assert_true(found->complete && found->pipeline);
    assert_int_equal(found->cost, 2);
    assert_int_equal(found->lower, 2);
    assert_true(found->capacities[0] == 1 && found->capacities[1] == 1 && found->sized[0]);
    assert_int_equal(weir_pipeline_queue(found->pipeline, (struct weir_queue){1}).capacity, 1);
    assert_int_equal(found->period.numerator, 4);
    weir_sizing_free(found);
    options.period = 3; /* nothing is faster than an operator */
    assert_int_equal(weir_size_queues(p, &options, &found, &error), WEIR_OK);
    assert_true(found->complete && !found->pipeline && found->lower == INT64_MAX);
    assert_int_equal(found->period_least.numerator, 4);
    weir_sizing_free(found);
    options = (struct weir_sizing_options){.within = 11}; /* three operators take 12 */
    assert_int_equal(weir_size_queues(p, &options, &found, &error), WEIR_OK);
    assert_true(found->complete && !found->pipeline);
    weir_sizing_free(found);
    weir_pipeline_free(p);
}

/* s -> a -> b -> t, and s -> t: while a and b work on one message each, the short way has to hold those messages. */
static struct weir_pipeline *diamond(uint32_t capacity)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator s = stage_operator(p, "s", 0, 10), a = stage_operator(p, "a", 0, 10), b = stage_operator(p, "b", 0, 10);
    struct weir_operator t = stage_operator(p, "t", 0, 10);
    stage_queue(p, s, a, capacity, 0);
    stage_queue(p, a, b, capacity, 0);
    stage_queue(p, b, t, capacity, 0);
    stage_queue(p, s, t, capacity, 0);
    stage_seal(p);
    return p;
}

TEST(the_short_way_has_to_wait)
{
    struct weir_pipeline *p = diamond(1);
    struct weir_sizing_options options = {.period = 10};
    struct weir_sizing *found;
    /* s, a, b, and back from the start of t over the queue s -> t: 30 for its places. */
    assert_int_equal(weir_size_queues(p, &options, &found, NULL), WEIR_OK);
    assert_true(found->complete);
    assert_int_equal(found->cost, 6);
    assert_int_equal(found->capacities[3], 3);
    weir_sizing_free(found);
    options.most = 2;
    assert_int_equal(weir_size_queues(p, &options, &found, NULL), WEIR_OK);
    assert_true(found->complete && !found->pipeline);
    assert_int_equal(found->period_least.numerator, 15);
    weir_sizing_free(found);
    options = (struct weir_sizing_options){.period = 10, .weights = (const int64_t[]){1, 1, 1, 100}};
    assert_int_equal(weir_size_queues(p, &options, &found, NULL), WEIR_OK);
    assert_int_equal(found->cost, 303);
    weir_sizing_free(found);
    options = (struct weir_sizing_options){.period = 10, .sized = (const bool[]){false, true, true, false}};
    assert_int_equal(weir_size_queues(p, &options, &found, NULL), WEIR_OK);
    assert_true(found->complete && !found->pipeline && !found->sized[0] && found->capacities[3] == 1);
    weir_sizing_free(found);
    weir_pipeline_free(p);
}

TEST(a_deadlock_needs_a_place)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 0, 5), b = stage_operator(p, "b", 0, 7);
    stage_queue(p, a, b, 4, 1);
    stage_queue(p, b, a, 4, 1);
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = a, .to = b}, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_sizing_options options = {.within = 1000};
    struct weir_sizing *found;
    assert_int_equal(weir_size_queues(p, &options, &found, NULL), WEIR_OK);
    assert_true(found->complete);
    assert_int_equal(found->cost, 3);
    weir_sizing_free(found);
    weir_pipeline_free(p);
}

TEST(wrong_questions)
{
    struct weir_pipeline *p = diamond(1), *open;
    struct weir_sizing *found;
    struct weir_front *front;
    struct weir_error error;
    const int64_t weights[] = {1, 0, 1, 1}, huge[] = {1, 1, 1, INT64_MAX / 2};
    const bool none[4] = {false}, first[1] = {true};
    struct weir_sizing_options wrong[] = {{.within = -1}, {.period = -1}, {.weights = weights}, {.sized = none}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(weir_size_queues(p, &wrong[i], &found, &error), WEIR_INVALID);
        assert_null(found);
        assert_int_equal(weir_front_find(p, &wrong[i], &front, &error), WEIR_INVALID);
        assert_null(front);
    }
    assert_int_equal(weir_size_queues(p, &(struct weir_sizing_options){.weights = huge}, &found, &error), WEIR_OVERFLOW);
    weir_pipeline_free(p);
    p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 0, 5), b = stage_operator(p, "b", 0, 7);
    struct weir_queue_spec queue = {.from = a, .to = b, .capacity = 1, .nonblocking = true};
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, &error), WEIR_OK);
    stage_seal(p);
    assert_int_equal(weir_size_queues(p, &(struct weir_sizing_options){.within = 9}, &found, &error), WEIR_INVALID);
    assert_int_equal(weir_size_queues(p, &(struct weir_sizing_options){.sized = first}, &found, &error), WEIR_INVALID);
    open = weir_pipeline_copy(p, &error);
    assert_int_equal(weir_size_queues(open, &(struct weir_sizing_options){.within = 9}, &found, &error), WEIR_INVALID);
    weir_pipeline_free(open);
    weir_pipeline_free(p);
}

/* ---- against all capacities of random models ---- */

/* What one vector comes to, from a pipeline that is sealed with it: evaluators have no part in this. */
struct outcome {
    uint32_t capacity[QUEUES];
    int64_t cost, latency, latencies[CHAINS]; /* INT64_MAX: no bound */
    struct weir_ratio period;
    bool stuck;
};

struct trial {
    const struct weir_pipeline *pipeline;
    uint32_t queue[QUEUES], count;
    int64_t weight[QUEUES];
    bool sized[64];
    int64_t weights[64];
    struct outcome all[VECTORS];
    size_t vectors;
    bool doubtful;
};

static void measure(struct trial *t, struct outcome *o)
{
    struct weir_error error;
    struct weir_pipeline *p = weir_pipeline_copy(t->pipeline, &error);
    assert_non_null(p);
    for (uint32_t i = 0; i < t->count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(t->pipeline, (struct weir_queue){t->queue[i]});
        spec.capacity = o->capacity[i];
        o->cost += t->weight[i] * o->capacity[i];
        assert_int_equal(weir_pipeline_change_queue(p, (struct weir_queue){t->queue[i]}, &spec, &error), WEIR_OK);
    }
    o->stuck = weir_pipeline_seal(p, NULL, NULL) != WEIR_OK;
    struct weir_solver *solver = o->stuck ? NULL : weir_solver_new(p, &error);
    o->period = (struct weir_ratio){0, 1};
    for (uint32_t i = 0; i < weir_pipeline_chain_count(t->pipeline) && !o->stuck; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, i);
        struct weir_query query = {.from = {.op = chain.from},
                                   .to = {.op = chain.to, .moment = WEIR_FINISH},
                                   .shift = chain.shift,
                                   .work_limit = 20000000};
        for (uint32_t k = 0; k < weir_pipeline_source_count(p); k++) {
            struct weir_source_spec source = weir_pipeline_source(p, k);
            if (source.op.index == chain.from.index && source.arrivals == WEIR_ARRIVALS_EXACT)
                query.from.moment = WEIR_ARRIVAL;
        }
        struct weir_separation worst;
        assert_int_equal(weir_separation_worst(solver, &query, &worst, &error), WEIR_OK);
        t->doubtful |= worst.outcome == WEIR_BRACKET;
        o->latencies[i] = worst.outcome == WEIR_EXACT ? worst.value : worst.outcome == WEIR_NO_EVENTS ? 0 : INT64_MAX;
        o->latency = o->latencies[i] > o->latency ? o->latencies[i] : o->latency;
        struct weir_ratio period;
        assert_int_equal(weir_throughput(p, chain.to, true, &period, NULL, NULL, &error), WEIR_OK);
        o->period = weir_ratio_compare(period, o->period) > 0 ? period : o->period;
    }
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

/* In the order of numbers, so that the first of equal ones is the one to take. */
static void measure_all(struct trial *t)
{
    uint32_t least[QUEUES], most[QUEUES];
    size_t vectors = 1;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t initial = weir_pipeline_queue(t->pipeline, (struct weir_queue){t->queue[i]}).initial;
        least[i] = initial > 1 ? initial : 1;
        most[i] = least[i] > MOST ? least[i] : MOST;
        vectors *= most[i] - least[i] + 1;
    }
    t->vectors = vectors;
    for (size_t v = 0; v < vectors; v++) {
        size_t rest = v;
        for (uint32_t i = t->count; i-- > 0;) {
            t->all[v].capacity[i] = least[i] + (uint32_t)(rest % (most[i] - least[i] + 1));
            rest /= most[i] - least[i] + 1;
        }
        measure(t, &t->all[v]);
    }
}

static bool prepare(struct trial *t, struct weir_random *random, const struct weir_pipeline *p)
{
    uint32_t queues = weir_pipeline_queue_count(p);
    t->pipeline = p;
    if (queues > 64 || weir_pipeline_chain_count(p) > CHAINS)
        return false;
    for (uint32_t o = 0; o < weir_pipeline_operator_count(p); o++)
        if (weir_pipeline_firings(p, (struct weir_operator){o}) > 1)
            return false;
    bool weighted = weir_random_between(random, 0, 2) == 0;
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){i});
        t->weights[i] = weighted ? weir_random_between(random, 1, 9) : 1;
        if (queue.nonblocking || queue.latest || t->count == QUEUES || weir_random_between(random, 0, 4) == 0)
            continue;
        t->sized[i] = true;
        t->weight[t->count] = t->weights[i];
        t->queue[t->count++] = i;
    }
    return t->count > 0;
}

static bool keeps(const struct trial *t, const struct outcome *o, const struct weir_sizing_options *options)
{
    bool all = !o->stuck;
    if (options->period)
        all = all && weir_ratio_compare(o->period, (struct weir_ratio){options->period, 1}) <= 0;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(t->pipeline) && all; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, i);
        all =
            (!options->within || o->latencies[i] <= options->within) && (!chain.has_deadline || o->latencies[i] <= chain.deadline);
    }
    return all;
}

static bool check_cheapest(const struct trial *t, const struct weir_sizing_options *options)
{
    const struct outcome *best = NULL;
    struct weir_sizing *found;
    struct weir_error error;
    for (size_t v = 0; v < t->vectors; v++)
        if (keeps(t, &t->all[v], options) && (!best || t->all[v].cost < best->cost))
            best = &t->all[v];
    assert_int_equal(weir_size_queues(t->pipeline, options, &found, &error), WEIR_OK);
    assert_true(found->complete);
    assert_int_equal(found->pipeline != NULL, best != NULL);
    if (best) {
        assert_int_equal(found->cost, best->cost);
        assert_int_equal(found->lower, best->cost);
        assert_int_equal(weir_ratio_compare(found->period, best->period), 0);
        for (uint32_t i = 0; i < t->count; i++) {
            assert_int_equal(found->capacities[t->queue[i]], best->capacity[i]);
            assert_int_equal(weir_pipeline_queue(found->pipeline, (struct weir_queue){t->queue[i]}).capacity, best->capacity[i]);
        }
    }
    weir_sizing_free(found);
    return best != NULL;
}

static bool is_point(const struct outcome *o, const struct weir_sizing_options *options)
{
    return !o->stuck && o->latency != INT64_MAX && (!options->within || o->latency <= options->within) &&
           (!options->period || weir_ratio_compare(o->period, (struct weir_ratio){options->period, 1}) <= 0);
}

/* Not beaten by any other; of equal ones the first. */
static bool on_front(const struct trial *t, size_t v, const struct weir_sizing_options *options)
{
    const struct outcome *a = &t->all[v];
    for (size_t i = 0; i < t->vectors; i++) {
        const struct outcome *b = &t->all[i];
        int order = i == v || !is_point(b, options) ? 1 : weir_ratio_compare(b->period, a->period);
        if (i == v || order > 0 || b->cost > a->cost || b->latency > a->latency)
            continue;
        if (order < 0 || b->cost < a->cost || b->latency < a->latency || i < v)
            return false;
    }
    return is_point(a, options);
}

static size_t check_front(const struct trial *t, const struct weir_sizing_options *options)
{
    struct weir_front *front;
    struct weir_error error;
    size_t count = 0;
    assert_int_equal(weir_front_find(t->pipeline, options, &front, &error), WEIR_OK);
    assert_true(front->complete);
    for (size_t v = 0; v < t->vectors; v++) {
        if (!on_front(t, v, options))
            continue;
        const struct outcome *o = &t->all[v];
        const struct weir_front_point *point = NULL;
        for (size_t i = 0; i < front->point_count; i++)
            if (front->points[i].cost == o->cost && front->points[i].latency == o->latency)
                point = &front->points[i];
        assert_non_null(point);
        assert_int_equal(weir_ratio_compare(point->period, o->period), 0);
        for (uint32_t i = 0; i < t->count; i++)
            assert_int_equal(point->capacities[t->queue[i]], o->capacity[i]);
        assert_int_equal(point->met, keeps(t, o, &(struct weir_sizing_options){0}));
        count++;
    }
    assert_int_equal(front->point_count, count);
    for (size_t i = 1; i < front->point_count; i++)
        assert_true(front->points[i].cost >= front->points[i - 1].cost);
    weir_front_free(front);
    return count;
}

/* Limits that some vectors keep and others do not, where there are such. */
static int64_t some_latency(const struct trial *t, struct weir_random *random)
{
    const struct outcome *o = &t->all[weir_random_between(random, 0, (int64_t)t->vectors - 1)];
    int64_t less = weir_random_between(random, 0, 2) ? 0 : weir_random_between(random, 1, 9);
    return o->stuck || o->latency == INT64_MAX || o->latency <= less ? 50 : o->latency - less;
}

static int64_t some_period(const struct trial *t, struct weir_random *random)
{
    const struct outcome *o = &t->all[weir_random_between(random, 0, (int64_t)t->vectors - 1)];
    int64_t period = (o->period.numerator + o->period.denominator - 1) / o->period.denominator;
    return period < 1 ? 1 : period;
}

TEST(all_capacities)
{
    unsigned tried = 0, possible = 0, questions = 0, unlike = 0;
    size_t points = 0;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        struct trial *t = calloc(1, sizeof *t);
        if (prepare(t, &random, p)) {
            measure_all(t);
            for (size_t v = 1; v < t->vectors; v++) /* deeper than the first, and less late */
                unlike += !t->all[v].stuck && !t->all[0].stuck && t->all[v].latency < t->all[0].latency;
            for (unsigned threads = 1; threads <= 2 && !t->doubtful; threads++) {
                struct weir_sizing_options options = {.sized = t->sized, .weights = t->weights, .most = MOST, .threads = threads};
                points += check_front(t, &options);
                options.within = some_latency(t, &random);
                possible += check_cheapest(t, &options);
                points += check_front(t, &options);
                options.period = some_period(t, &random);
                possible += check_cheapest(t, &options);
                options.within = 0;
                possible += check_cheapest(t, &options);
                questions += 3;
                tried++;
            }
        }
        free(t);
        weir_pipeline_free(p);
    }
    print_message("%u trials, %u of %u questions possible, %zu points, %u vectors deeper and less late\n", tried, possible,
                  questions, points, unlike);
    assert_true(tried > 1000 && possible > questions / 3 && possible < questions && points > 2 * tried && unlike > 20);
}

/* ---- twenty queues; interrupted; without memory ---- */

/* Four stages of four operators side by side, joined at the end: 20 queues. */
static struct weir_pipeline *twenty(int64_t best_permille)
{
    static const int64_t worst[] = {13, 7, 19, 11, 17, 23, 5, 29, 31, 9, 27, 15};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator from = stage_operator(p, "from", 0, 10), to, last[4];
    to = stage_operator(p, "to", 10 * best_permille / 1000, 10);
    for (unsigned lane = 0; lane < 4; lane++) {
        last[lane] = from;
        for (unsigned i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "o%u%u", lane, i);
            int64_t time = worst[lane * 3 + i];
            struct weir_operator op = stage_operator(p, name, time * best_permille / 1000, time);
            stage_queue(p, last[lane], op, 1, 0);
            last[lane] = op;
        }
        stage_queue(p, last[lane], to, 1, 0);
        if (lane)
            stage_queue(p, last[lane - 1], last[lane], 1, 0);
    }
    stage_queue(p, from, last[3], 1, 0);
    stage_seal(p);
    assert_int_equal(weir_pipeline_queue_count(p), 20);
    return p;
}

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) / 1e9;
}

TEST(twenty_queues)
{
    struct weir_error error;
    for (int64_t best = 0; best <= 500; best += 500) {
        struct weir_pipeline *p = twenty(best);
        struct weir_sizing *found;
        struct weir_sizing_options options = {.period = 31, .threads = 1};
        struct timespec begun;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
        assert_int_equal(weir_size_queues(p, &options, &found, &error), WEIR_OK);
        assert_true(found->complete && found->pipeline);
        int64_t cost = found->cost;
        weir_sizing_free(found);
        double took = seconds_since(&begun);
        options.within = 400;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
        assert_int_equal(weir_size_queues(p, &options, &found, &error), WEIR_OK);
        assert_true(found->complete);
        print_message("20 queues: %lld places in %.2f s; within 400 %lld in %.2f s\n", (long long)cost, took,
                      (long long)(found->pipeline ? found->cost : -1), seconds_since(&begun));
        assert_true(took < 10 && seconds_since(&begun) < 10);
        weir_sizing_free(found);
        bool stop = true;
        options = (struct weir_sizing_options){.period = 31, .stop = &stop, .threads = 2};
        assert_int_equal(weir_size_queues(p, &options, &found, &error), WEIR_OK);
        assert_true(found->lower <= cost && (!found->pipeline || found->cost >= cost) && found->lower >= 20);
        weir_sizing_free(found);
        struct weir_front *front;
        options.period = 0;
        assert_int_equal(weir_front_find(p, &options, &front, &error), WEIR_OK);
        assert_false(front->complete);
        assert_true(front->cost_below >= 20);
        weir_front_free(front);
        weir_pipeline_free(p);
    }
}

static enum weir_status size_diamond(void *context)
{
    struct weir_sizing *found;
    struct weir_front *front;
    struct weir_sizing_options options = {.period = 10, .within = 200, .threads = 1, .most = 4};
    struct weir_answer *answer = NULL;
    enum weir_status status = weir_size_queues(context, &options, &found, NULL);
    status = status ? status : weir_sizing_answer(context, &options, found, &answer, NULL);
    status = status ? status : exploring_write(answer);
    weir_sizing_free(found);
    if (status)
        return status;
    status = weir_front_find(context, &options, &front, NULL);
    status = status ? status : weir_front_answer(context, &options, front, &answer, NULL);
    status = status ? status : exploring_write(answer);
    weir_front_free(front);
    return status;
}

TEST(without_memory)
{
    struct weir_pipeline *p = diamond(1);
    assert_true(stage_fail_each_allocation(size_diamond, p) > 20);
    weir_pipeline_free(p);
}
