/* SPDX-License-Identifier: Apache-2.0 */
/* Two operators beside each other on one clock, one execution after the other: what the checker counts is what there is, and
 * without jitter no more. Behind arrivals that are not even: by hand. */
#include "base/random.h"
#include "check/edf/flow_pair.h"
#include "support/runner.h"

enum { PAIRS = 20000, FAR = 840 }; /* FAR: a multiple of all periods, so that all executions that matter have been before */

struct pair {
    struct weir_flow_task i, k;
    int64_t release; /* of the execution of k that is looked at, numbered `turn` */
    int64_t turn;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct weir_flow_task draw(struct weir_random *random, bool jitter)
{
    static const int64_t periods[] = {2, 3, 4, 5, 6, 7, 8, 10, 12};
    struct weir_flow_task t = {.period = periods[weir_random_between(random, 0, 8)], .even = true, .part = 1};
    t.cost = weir_random_between(random, 1, t.period);
    t.response = t.claimed = t.cost + weir_random_between(random, 0, 2 * t.period);
    t.offset = weir_random_between(random, 0, 3 * t.period);
    t.early = t.period - t.offset + (jitter ? weir_random_between(random, 0, 2 * t.period) : 0);
    t.ancestor = t.descendant = WEIR_FLOW_APART;
    return t;
}

static struct pair draw_pair(struct weir_random *random, bool jitter)
{
    struct pair p = {draw(random, jitter), draw(random, jitter), 0, 0};
    int64_t kind = weir_random_between(random, 0, 3), gap = weir_random_between(random, -20, 20);
    if (kind == 1)
        p.i.ancestor = gap;
    if (kind == 2)
        p.i.descendant = gap;
    p.turn = weir_random_between(random, 1, FAR / p.k.period);
    p.release = FAR + weir_random_between(random, p.turn * p.k.period - p.k.early, p.k.offset + (p.turn - 1) * p.k.period);
    return p;
}

/* Executions x of i from when they can be ready until they are over, in the window of that release. `sooner`: it begins so long
 * before; then what k needs of i may be in it, and with nothing left from before, only what is released since. */
static int64_t count(const struct pair *p, int64_t sooner, bool left)
{
    const struct weir_flow_task *i = &p->i, *k = &p->k;
    int64_t sum = 0, begin = p->release - sooner, end = p->release + k->claimed, at = FAR + p->turn * k->period;
    for (int64_t x = -FAR / i->period; x < 4 * FAR / i->period; x++) {
        int64_t ready = x * i->period - i->early, line = i->offset + (x - 1) * i->period;
        int64_t time = least(left ? line + i->response - begin : line >= begin ? i->cost : 0, end - ready);
        bool counts = ready <= p->release + k->period - i->period;
        if (i->ancestor != WEIR_FLOW_APART && sooner == 0)
            counts = counts && x * i->period >= at - i->ancestor + i->period;
        if (i->descendant != WEIR_FLOW_APART)
            counts = counts && x * i->period <= at - k->period + i->descendant;
        sum += counts && time > 0 ? least(time, i->cost) : 0;
    }
    return sum;
}

static bool meet(const struct pair *p)
{
    const struct weir_flow_task *i = &p->i, *k = &p->k;
    int64_t at = FAR + p->turn * k->period, ready = at - k->early, over = at - k->period + k->offset + k->response;
    for (int64_t x = -FAR / i->period; x < 4 * FAR / i->period; x++)
        if (x * i->period - i->early < over && (x - 1) * i->period + i->offset + i->response > ready &&
            (i->ancestor == WEIR_FLOW_APART || x * i->period >= at - i->ancestor + i->period) &&
            (i->descendant == WEIR_FLOW_APART || x * i->period <= at - k->period + i->descendant))
            return true;
    return false;
}

static void look_at(const struct pair *p, bool jitter, uint64_t *apart)
{
    int64_t turn = weir_flow_pair_step(&p->i, &p->k, p->turn), any = weir_flow_pair_step(&p->i, &p->k, 0), here = count(p, 0, true);
    if (jitter ? turn < here : turn != here)
        fail_msg("execution %lld: %lld is said, it is %lld", (long long)p->turn, (long long)turn, (long long)here);
    assert_true(any >= turn);
    for (int64_t sooner = 1; sooner < 30; sooner += 7)
        for (int left = 0; left < 2; left++) {
            int64_t said = weir_flow_pair_since(&p->i, &p->k, p->turn, sooner, left), there = count(p, sooner - 1, left);
            if (said < there)
                fail_msg("%lld before execution %lld: %lld is said, it is %lld", (long long)sooner, (long long)p->turn,
                         (long long)said, (long long)there);
        }
    bool together = meet(p), said_apart = weir_flow_pair_apart(&p->i, &p->k);
    assert_false(together && said_apart);
    *apart += said_apart;
}

TEST(test_on_one_clock)
{
    uint64_t apart = 0;
    for (uint64_t seed = 1; seed <= PAIRS; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        bool jitter = seed % 2 == 0;
        struct pair p = draw_pair(&random, jitter);
        look_at(&p, jitter, &apart);
    }
    assert_true(apart > PAIRS / 50);
}

/* Of all executions at once the worst is one that there is. */
TEST(test_worst_of_all)
{
    for (uint64_t seed = 1; seed <= PAIRS / 20; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct pair p = draw_pair(&random, false);
        int64_t most = 0, any = weir_flow_pair_step(&p.i, &p.k, 0);
        for (int64_t turn = 1; turn <= p.i.period; turn++) {
            int64_t one = weir_flow_pair_step(&p.i, &p.k, turn);
            most = one > most ? one : most;
        }
        assert_int_equal(any, most);
    }
}

TEST(test_other_parts)
{
    struct weir_random random;
    weir_random_seed(&random, 1);
    struct pair p = draw_pair(&random, false);
    p.i.ancestor = p.i.descendant = WEIR_FLOW_APART;
    p.i.part = 2;
    assert_int_equal(weir_flow_pair_step(&p.i, &p.k, 0), INT64_MAX);
    assert_int_equal(weir_flow_pair_since(&p.i, &p.k, 1, 1, true), INT64_MAX);
    assert_false(weir_flow_pair_apart(&p.i, &p.k));
}

/* Behind one source that is not even: k, every 20, needs i, every 10, without a gap; phi is 0 for i, and -5 to 0 for k. */
TEST(test_not_even)
{
    struct weir_flow_task i = {.cost = 2, .period = 10, .response = 3, .claimed = 3, .held = 4, .source = 10};
    struct weir_flow_task k = {
        .cost = 5, .period = 20, .response = 9, .claimed = 9, .offset = 3, .low = 5, .held = 4, .source = 10};
    i.ancestor = 0;
    i.descendant = WEIR_FLOW_APART;
    /* (4 + 3 + min(20 - 10, 9)) + 0 + 5 = 21, two executions */
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 4);
    i.ancestor = -2; /* 19: one */
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 2);
    i.ancestor = -1; /* 20: the second begins just in time */
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 4);
    i.high = 1; /* so it does with a later arrival */
    i.ancestor = -2;
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 4);
    i.high = 0;
    /* never at once: 3 + 9 + gap + 4 + 0 + 5 <= 10 */
    i.ancestor = -11;
    assert_true(weir_flow_pair_apart(&i, &k));
    i.ancestor = -10;
    assert_false(weir_flow_pair_apart(&i, &k));
}

/* i, every 20, needs k, every 10. */
TEST(test_not_even_behind)
{
    struct weir_flow_task k = {.cost = 2, .period = 10, .response = 3, .claimed = 3, .held = 4, .source = 10};
    struct weir_flow_task i = {
        .cost = 5, .period = 20, .response = 9, .claimed = 9, .offset = 3, .low = 5, .held = 4, .source = 10};
    i.ancestor = WEIR_FLOW_APART;
    i.descendant = 0; /* 3 + 9 + 0 - 10 + 4 + 0 + 5 = 11: all of one */
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 5);
    i.descendant = -9; /* 2 of one */
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 2);
    i.descendant = -11;
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 0);
    i.descendant = 15; /* 15 - 10 + 5 is a period of the source: it may need a later arrival than k */
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), INT64_MAX);
    i.descendant = 14;
    assert_int_equal(weir_flow_pair_step(&i, &k, 0), 10);
}
