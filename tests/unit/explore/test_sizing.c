/* SPDX-License-Identifier: Apache-2.0 */
/* Capacities of queues, against all there are. */
#include "support/oracle/capacities.h"
#include "support/random/pipeline.h"
#include "support/stage.h"
#include "unit/explore/exploring.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODELS = 800, QUEUES = 4, MOST = 3 };

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

TEST(all_capacities)
{
    size_t tried = 0, possible = 0, questions = 0, unlike = 0, points = 0;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        struct capacities *t = capacities_new(p, &random, QUEUES, MOST);
        if (t) {
            assert_true(capacities_measure(t));
            for (size_t v = 1; v < t->vectors; v++) /* deeper than the first, and less late */
                unlike += !t->all[v].stuck && !t->all[0].stuck && t->all[v].latency < t->all[0].latency;
            for (unsigned threads = 1; threads <= 2 && !t->doubtful; threads++) {
                struct weir_sizing_options options = {.sized = t->sized, .weights = t->weights, .most = MOST, .threads = threads};
                size_t more[2];
                bool any[3];
                assert_null(capacities_check_front(t, &options, &more[0]));
                options.within = capacities_some_latency(t, &random);
                assert_null(capacities_check_cheapest(t, &options, &any[0]));
                assert_null(capacities_check_front(t, &options, &more[1]));
                options.period = capacities_some_period(t, &random);
                assert_null(capacities_check_cheapest(t, &options, &any[1]));
                options.within = 0;
                assert_null(capacities_check_cheapest(t, &options, &any[2]));
                points += more[0] + more[1];
                possible += (size_t)any[0] + any[1] + any[2];
                questions += 3;
                tried++;
            }
        }
        free(t);
        weir_pipeline_free(p);
    }
    print_message("%zu trials, %zu of %zu questions possible, %zu points, %zu vectors deeper and less late\n", tried, possible,
                  questions, points, unlike);
    assert_true(tried > 1000 && possible > questions / 3 && possible < questions && points > 2 * tried && unlike > 20);
}

/* a0 -> a1 -> a2 -> a3 and a2 -> a4, all of which receive at their ends. The cheapest capacities with a latency of at most 30 cost
 * 7 and have a period of 10: they are quicker and earlier than the point of 6 places, but dearer. */
TEST(a_point_of_another_region_is_dearer)
{
    static const int64_t times[] = {1, 9, 7, 7, 8};
    static const int64_t wanted[][3] = {{4, 31, 16}, {5, 44, 15}, {6, 41, 14}, {7, 25, 10}, {8, 33, 9}}; /* cost, latency, period */
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator op[5];
    for (unsigned i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "a%u", i);
        struct weir_operator_spec spec = {
            .name = name, .best = times[i], .worst = times[i], .receive_min = times[i], .receive_max = times[i]};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, &op[i], NULL), WEIR_OK);
        if (i)
            stage_queue(p, op[i == 4 ? 2 : i - 1], op[i], 1, 0);
    }
    stage_seal(p);
    struct weir_front *front;
    assert_int_equal(weir_front_find(p, &(struct weir_sizing_options){.most = 3}, &front, NULL), WEIR_OK);
    assert_true(front->complete);
    assert_int_equal(front->point_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(front->points[i].cost, wanted[i][0]);
        assert_int_equal(front->points[i].latency, wanted[i][1]);
        assert_int_equal(front->points[i].period.numerator, wanted[i][2]);
    }
    weir_front_free(front);
    weir_pipeline_free(p);
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
