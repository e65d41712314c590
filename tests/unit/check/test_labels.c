/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of certificates: real ones hold, and none holds that claims more than is true. */
#include "forge.h"

#include "base/random.h"
#include "support/runner.h"
#include "unit/engine/exact/asking.h"

#include <string.h>

/* What kinds of certificate a model gives. */
enum { DEAD_END = 1, FOR_EVER = 2, JUMPS = 4 };

static const struct sample {
    const char *model, *from, *to;
    int kind;
    int64_t shift;
} samples[] = {
    {"operators: {a: [1, 4], b: [2, 3]}\nqueues: [a -> b]", "a.start", "b.finish", DEAD_END, 0},
    {"operators: {A: 960, B: 277, C: [294, 327], D: [218, 728]}\nqueue: 2\nqueues: [A -> B, A -> C, B -> C, C -> D]", "A.start",
     "D.finish", DEAD_END, 0},
    {"operators: {a: [2, 3], b: {time: [3, 5], receive: [0, 2]}, c: [1, 4]}\n"
     "queues: [a -> b -> c, {from: c, to: b, capacity: 2, initial: 2}]\nsource: {operator: a, period: 11, arrivals: exact}",
     "a.arrival", "c.finish", 0, 0},
    /* Nothing blocks, so labels live for ever beside the ancestors. */
    {"operators: {a: [3, 4], b: [0, 3], c: [0, 2]}\nqueue: unbounded\nqueues: [a -> b -> c]", "a.start", "c.finish", FOR_EVER, 0},
    {"operators: {a: [3, 4], b: 3}\nqueues: [{from: a, to: b, blocking: false}]", "a.finish", "b.start", FOR_EVER, 0},
    /* A full queue would be late, but it takes long to see that it never gets full: it would have to lose a tick per iteration. */
    {"operators: {camera: 0, infer: [20, 39]}\nqueues: [{from: camera, to: infer, capacity: 2}]\n"
     "source: {operator: camera, period: 40}",
     "camera.start", "infer.finish", JUMPS, 0},
    {"operators: {camera: [4, 8], infer: [20, 39], show: [13, 38]}\nqueue: 3\nqueues: [camera -> infer -> show]\n"
     "source: {operator: camera, period: 40}",
     "camera.start", "show.finish", JUMPS, 0},
    {"operators: {camera: 0, infer: [20, 39], h: 1, o: 0}\nqueues: [{from: camera, to: infer, capacity: 2}, "
     "{from: o, to: h, capacity: unbounded, initial: 3}, {from: h, to: infer, capacity: unbounded}]\n"
     "source: {operator: camera, period: 40, phase: 0}",
     "camera.start", "infer.finish", JUMPS, 0},
    /* Sources that begin at times of their own, or at any. */
    {"operators: {left: 13, lf: [3, 9], right: 13, rf: [5, 8], join: [4, 7]}\n"
     "queues: [left -> lf -> join, right -> rf -> join]\n"
     "sources: [{operator: left, period: 33}, {operator: right, period: 33, phase: [3, 50]}]",
     "left.start", "join.finish", 0, 0},
    {"operators: {left: 13, right: 13, join: [4, 7]}\nqueues: [left -> join, right -> join]\n"
     "sources: [{operator: left, period: 33, arrivals: catch-up}, {operator: right, period: 33, arrivals: catch-up}]",
     "right.start", "join.finish", 0, 0},
    /* A build-up that is reached after all: one tick more is cut at once. */
    {"operators: {camera: 0, infer: [20, 41]}\nqueues: [{from: camera, to: infer, capacity: 2}]\n"
     "source: {operator: camera, period: 40}",
     "camera.start", "infer.finish", DEAD_END, 0},
    /* Against the data; from an end, which holds the path that comes through it; from an arrival that nothing holds back, so that
     * only the beginning of time does. */
    {"operators: {a: [5, 9], b: [7, 8]}\nqueue: 3\nqueues: [a -> b]", "b.finish", "a.start", 0, 0},
    {"operators: {a: 4, b: [0, 3]}\nqueues: [a -> b]", "a.finish", "b.finish", 0, 0},
    {"operators: {in: [1, 2], aside: [4, 6], join: [0, 3], out: 5}\nqueues: [in -> join, aside -> join, join -> out]\n"
     "source: {operator: in, period: 50, phase: 0, arrivals: exact}",
     "in.arrival", "out.finish", 0, 0},
    /* Later and earlier iterations: the first rows hold only one of the two events. */
    {"operators: {a: [1, 4], b: [2, 3]}\nqueues: [a -> b]", "b.finish", "b.finish", DEAD_END, 1},
    {"operators: {a: [1, 4], b: [2, 3]}\nqueues: [a -> b]", "a.start", "b.finish", DEAD_END, 4},
    {"operators: {a: [1, 4], b: [2, 3]}\nqueues: [a -> b]", "a.start", "b.finish", DEAD_END, -4},
    {"operators: {a: [3, 4], b: [0, 3]}\nqueues: [{from: a, to: b, blocking: false}]", "a.start", "b.finish", FOR_EVER, 2},
    {"operators: {a: [3, 4], b: [0, 3]}\nqueues: [{from: a, to: b, blocking: false}]", "a.start", "b.finish", FOR_EVER, -3},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static int kind_of(const struct forge *f)
{
    const struct weir_certificate *c = &f->honest_certificate;
    return (c->stretches[c->stretch_count - 1].repeat == INT64_MAX ? FOR_EVER : DEAD_END) | (c->stretch_count > 1 ? JUMPS : 0);
}

static void for_each_sample(void (*check)(struct forge *f))
{
    for (int i = 0; i < SAMPLES; i++) {
        struct forge f;
        forge_make(&f, samples[i].model, samples[i].from, samples[i].to, samples[i].shift);
        check(&f);
        forge_free(&f);
    }
}

static bool accepted(const struct forge *f)
{
    return weir_certificate_check(&f->certificate);
}

TEST(test_honest_certificates_hold)
{
    int kinds = 0;
    for (int i = 0; i < SAMPLES; i++) {
        struct forge f;
        forge_make(&f, samples[i].model, samples[i].from, samples[i].to, samples[i].shift);
        assert_true(weir_certificate_check(&f.honest_certificate));
        assert_true(accepted(&f));
        forge_assert_true(&f, 300);
        assert_int_equal(kind_of(&f) & samples[i].kind, samples[i].kind);
        kinds |= kind_of(&f);
        forge_free(&f);
    }
    assert_int_equal(kinds, DEAD_END | FOR_EVER | JUMPS);
}

/* Accepted only if it says no more than is true. */
static void assert_sound(const struct forge *f)
{
    if (accepted(f))
        forge_assert_true(f, 500);
}

/* Whether the row is one of those that a repetition continues. */
static bool is_repeated(const struct forge *f, int64_t row)
{
    for (size_t i = 0; i < f->certificate.stretch_count; i++) {
        const struct weir_stretch *s = &f->stretches[i];
        if (s->repeat && row < s->end && row >= s->end - 2 * s->period - f->certificate.window)
            return true;
    }
    return false;
}

/* ---- one entry ---- */

static int raised; /* labels that could be raised alone */

static void spoil_one_entry(struct forge *f)
{
    for (int t = 0; t < FORGE_TABLES; t++)
        for (size_t i = 0; i < forge_entries(f, (enum forge_table)t); i++) {
            int64_t *entry = &f->table[t][i], old = *entry;
            bool alive = forge_alive(old);
            if (t == FORGE_LABEL && alive) {
                *entry = old - 1; /* the path that it stands for is longer */
                assert_false(accepted(f));
                *entry = WEIR_NOTHING;
                assert_false(accepted(f));
                *entry = old + 1; /* true, but those that build on it may have to follow */
                raised += accepted(f);
                *entry = f->worst + 1 + f->honest[FORGE_ORIGIN][i / (size_t)f->n]; /* true or not, the threshold is reached */
                assert_false(accepted(f));
            } else if (t != FORGE_LABEL) {
                *entry = alive ? old + 1 : 0; /* nothing supports it */
                assert_false(accepted(f));
                *entry = alive ? old - 1 : -1000;
                assert_sound(f);
                *entry = WEIR_NOTHING; /* nothing is claimed, but a line that is repeated may not be broken */
                if (t == FORGE_BEST && alive && is_repeated(f, (int64_t)i / f->n))
                    assert_false(accepted(f));
                if (t == FORGE_BEST)
                    assert_sound(f);
            }
            *entry = old;
        }
    assert_true(accepted(f)); /* everything is as it was */
}

TEST(test_one_entry)
{
    raised = 0;
    for_each_sample(spoil_one_entry);
    assert_true(raised > 20);
}

/* Other labels than bests, or times that begin elsewhere than said, are refused; all that begin elsewhere together are not. */
static void move_base(struct forge *f)
{
    const struct weir_certificate *c = &f->certificate;
    for (size_t i = 0; i < c->stretch_count; i++) {
        struct weir_stretch *s = &f->stretches[i];
        s->base = 5;
        assert_false(accepted(f));
        for (int64_t k = s->first * f->n; k < s->end * f->n; k++)
            f->table[FORGE_BEST][k] -= forge_alive(f->table[FORGE_BEST][k]) ? 5 : 0;
        for (int64_t row = s->first; row < s->end; row++)
            f->table[FORGE_ORIGIN][row] -= 5;
        assert_false(accepted(f));
        for (int64_t k = s->first * f->n; k < s->end * f->n; k++)
            f->table[FORGE_LABEL][k] -= forge_alive(f->table[FORGE_LABEL][k]) ? 5 : 0;
        assert_int_equal(accepted(f), i > 0 && i + 1 == c->stretch_count);
        forge_restore(f);
    }
}

TEST(test_base)
{
    for_each_sample(move_base);
}

/* ---- the question ---- */

static void spoil_threshold(struct forge *f)
{
    for (int64_t less = 1; less < 60; less++) {
        f->certificate.about.threshold = f->worst + 1 - less; /* reached */
        assert_false(accepted(f));
    }
    f->certificate.about.threshold = f->worst + 2; /* follows from what is proved */
    assert_true(accepted(f));
}

TEST(test_threshold)
{
    for_each_sample(spoil_threshold);
}

/* Whether the certificate, as it is posed now, could be true: its question asked of the engine. */
static bool could_be_true(const struct forge *f)
{
    const struct weir_certificate *c = &f->certificate;
    const struct weir_actor *from = &c->about.graph->actors[c->about.reference], *to = &c->about.graph->actors[c->about.target];
    struct weir_query query = {.from = {{from->op}, c->about.reference_finish ? WEIR_FINISH : WEIR_START, 0},
                               .to = {{to->op}, c->about.target_finish ? WEIR_FINISH : WEIR_START, 0},
                               .shift = c->about.reference_row - c->about.target_row};
    struct weir_separation result = ask(f->pipeline, &query);
    return result.outcome == WEIR_EXACT && result.value < c->about.threshold;
}

/* The same tables as an answer to another question. */
static void spoil_question(struct forge *f)
{
    struct weir_certificate *c = &f->certificate;
    for (uint32_t o = 0; o < c->about.graph->actor_count; o++) {
        if (c->about.graph->actors[o].part != WEIR_PART_EXECUTION ||
            weir_pipeline_operator(f->pipeline, (struct weir_operator){c->about.graph->actors[o].op}).receive_max)
            continue;
        for (int variant = 0; variant < 4; variant++) {
            *(variant & 1 ? &c->about.target : &c->about.reference) = o;
            *(variant & 1 ? &c->about.target_finish : &c->about.reference_finish) = variant & 2;
            if (c->about.graph->actors[c->about.reference].part == WEIR_PART_EXECUTION && !could_be_true(f))
                assert_false(accepted(f));
            forge_restore(f);
        }
    }
    for (int64_t by = 1; by <= 2; by++) {
        c->about.target_row += by;
        if (!could_be_true(f))
            assert_false(accepted(f));
        forge_restore(f);
        c->about.reference_row += by;
        if (!could_be_true(f))
            assert_false(accepted(f));
        forge_restore(f);
    }
}

TEST(test_question)
{
    for_each_sample(spoil_question);
}

/* ---- stretches ---- */

static bool window_is_dead(const struct forge *f, const struct weir_stretch *s)
{
    if (s->end - s->first < f->certificate.window)
        return false;
    for (int64_t i = (s->end - f->certificate.window) * f->n; i < s->end * f->n; i++)
        if (forge_alive(f->table[FORGE_LABEL][i]))
            return false;
    return true;
}

static void spoil_stretches(struct forge *f)
{
    struct weir_certificate *c = &f->certificate;
    for (size_t i = 0; i < c->stretch_count; i++) {
        bool last = i + 1 == c->stretch_count, endless = f->stretches[i].repeat == INT64_MAX;
        static const int64_t repeats[] = {-1, 0, 1, 2, 1000, INT64_MAX - 1, INT64_MAX};
        for (size_t k = 0; k < sizeof repeats / sizeof *repeats; k++) {
            if (repeats[k] == f->honest_stretches[i].repeat)
                continue;
            f->stretches[i].repeat = repeats[k];
            bool ends = last && repeats[k] == 0 && window_is_dead(f, &f->stretches[i]);
            if (!ends && (last ? repeats[k] != INT64_MAX : true))
                assert_false(accepted(f));
            assert_sound(f);
            forge_restore(f);
        }
        for (int64_t by = -1; by <= 1 && !endless && !last; by += 2) {
            f->stretches[i].repeat += by;
            assert_false(accepted(f));
            forge_restore(f);
        }
        for (int64_t period = -1; period < 12; period++) {
            f->stretches[i].period = period;
            if (f->stretches[i].repeat != 0 && period < 1)
                assert_false(accepted(f));
            assert_sound(f);
            forge_restore(f);
        }
        f->stretches[i].first++;
        assert_false(accepted(f));
        forge_restore(f);
    }
}

TEST(test_stretches)
{
    for_each_sample(spoil_stretches);
}

/* The end of the table, cut off. */
static void cut_rows(struct forge *f)
{
    struct weir_certificate *c = &f->certificate;
    struct weir_stretch *last = &f->stretches[c->stretch_count - 1];
    bool endless = last->repeat == INT64_MAX;
    int cut = 0;
    for (; last->end > last->first; last->end--, cut++) {
        if (!endless && !window_is_dead(f, last))
            assert_false(accepted(f));
        if (c->stretch_count == 1 && (last->end <= c->about.reference_row || last->end <= c->about.target_row))
            assert_false(accepted(f)); /* dead, but one of the events is not even there */
        if (endless && last->end - last->first < 2 * last->period + c->window)
            assert_false(accepted(f));
        assert_sound(f);
    }
    assert_true(cut > 2);
    assert_false(accepted(f)); /* no rows at all */
    forge_restore(f);
    while (c->stretch_count > 1) { /* stretches cut off: the one before does not end */
        c->stretch_count--;
        assert_false(accepted(f));
    }
    c->stretch_count = 0;
    assert_false(accepted(f));
}

TEST(test_rows_cut_off)
{
    for_each_sample(cut_rows);
}

TEST(test_window)
{
    struct forge f;
    forge_make(&f, samples[0].model, samples[0].from, samples[0].to, samples[0].shift);
    f.certificate.window = 0; /* less than what arcs look back to */
    assert_false(accepted(&f));
    forge_free(&f);
}

/* ---- a forger who knows the checker ---- */

/*
 * In the last row before a repetition, o builds on h three rows before, the furthest that anything looks back. Its label is given
 * a little less growth than h has, and to make that seem right the label of h is raised once, four rows before, where only the
 * growth is read off it. Every stored row stays true; what the repetition claims of o does not.
 */
TEST(test_growth_read_off_a_raised_label)
{
    struct forge f;
    struct weir_operator h, o;
    forge_make(&f,
               "operators: {a: [30, 40], x: 30, h: 1, o: 0}\nqueue: unbounded\n"
               "queues: [a -> x, {from: o, to: h, initial: 3}, h -> x]",
               "a.start", "x.finish", 0);
    assert_true(weir_pipeline_find(f.pipeline, "h", &h) && weir_pipeline_find(f.pipeline, "o", &o));
    struct weir_stretch *last = &f.stretches[f.certificate.stretch_count - 1];
    assert_true(last->repeat == INT64_MAX && last->period == 1 && f.certificate.window == 3);
    const uint32_t *start_of = f.certificate.about.graph->start_of;
    int64_t *labels = f.table[FORGE_LABEL], end = last->end - 1;
    int64_t *further = &labels[(end - 4) * f.n + start_of[h.index]];
    assert_int_equal(labels[end * f.n + start_of[o.index]], labels[(end - 3) * f.n + start_of[h.index]]);
    for (int64_t row = end - 3; row <= end; row++)
        labels[row * f.n + start_of[o.index]] += end - row;
    *further += 1;
    assert_false(accepted(&f));
    forge_free(&f);
}

/* ---- many entries at random ---- */

static void spoil_at_random(struct forge *f)
{
    struct weir_random random;
    weir_random_seed(&random, 5);
    int holds = 0;
    for (int round = 0; round < 3000; round++) {
        bool beyond = round % 3 == 0; /* a bound that is not true: whatever is done to the tables, it must not pass */
        for (int64_t i = weir_random_between(&random, 1, 6); i > 0; i--) {
            enum forge_table t = (enum forge_table)weir_random_between(&random, 0, FORGE_TABLES - 1);
            int64_t *entry = &f->table[t][weir_random_between(&random, 0, (int64_t)forge_entries(f, t) - 1)];
            int64_t by = weir_random_between(&random, -2, 2);
            *entry = !forge_alive(*entry)                      ? weir_random_between(&random, -5, 100)
                     : weir_random_between(&random, 0, 9) == 0 ? WEIR_NOTHING
                                                               : *entry + by;
        }
        if (beyond) {
            f->certificate.about.threshold -= weir_random_between(&random, 1, 10);
            assert_false(accepted(f));
        } else {
            holds += accepted(f);
            assert_sound(f);
        }
        forge_restore(f);
    }
    assert_true(holds < 2000); /* not everything passes */
}

TEST(test_at_random)
{
    for_each_sample(spoil_at_random);
}
