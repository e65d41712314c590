/* SPDX-License-Identifier: Apache-2.0 */
/* The whole answer: latencies against their deadlines, reasons, throughput, verification, progress. */
#include "answer/answer.h"
#include "unit/engine/exact/asking.h"

#include "base/number.h"
#include "model/pipeline.h"
#include "support/random/pipeline.h"
#include "support/random/semantics.h"
#include "support/runner.h"

#include <string.h>

static struct weir_analysis *analyze(const struct weir_pipeline *p, const struct weir_analyze_options *options)
{
    struct weir_error error = {.message = ""};
    struct weir_analysis *analysis;
    if (weir_analyze(p, options, &analysis, &error))
        fail_msg("%s", error.message);
    assert_ptr_equal(analysis->pipeline, p);
    assert_int_equal(analysis->latency_count, weir_pipeline_chain_count(p));
    return analysis;
}

static void release(struct weir_analysis *analysis, struct weir_pipeline *p)
{
    weir_analysis_free(analysis);
    weir_pipeline_free(p);
}

static const struct weir_analyze_options verify = {.verify = true};

/* ---- deadlines ---- */

static bool is_met(const struct weir_latency *l)
{
    struct weir_bound bound = {
        .worst = weir_quantity_of(&l->worst, false), .has_deadline = l->chain.has_deadline, .deadline = l->chain.deadline};
    enum weir_deadline_state state = weir_judge(&bound);
    return state == WEIR_DEADLINE_MET || state == WEIR_DEADLINE_NONE;
}

static void assert_deadline(const char *model, bool met)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_analysis *a = analyze(p, &verify);
    assert_int_equal(is_met(&a->latencies[0]), met);
    release(a, p);
}

/* a [1, 4] -> b [2, 3]: at most 7. */
TEST(test_deadline_at_the_boundary)
{
    static const char model[] = "unit: ms\noperators: {a: [1, 4], b: [2, 3]}\nqueues: [a -> b]\n"
                                "deadlines: [{from: a, to: b, within: %s}]";
    static const struct {
        const char *within;
        bool met;
    } cases[] = {{"7", true}, {"6.999", false}, {"7.001", true}, {"0", false}, {"6", false}, {"1000s", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, model, cases[i].within);
        assert_deadline(text, cases[i].met);
    }
}

TEST(test_deadline_without_bound)
{
    assert_deadline("operators: {a: [1, 4], b: [2, 3]}\nqueues: [{from: a, to: b, blocking: false}]\n"
                    "deadlines: [{from: a, to: b, within: 1e15}]",
                    false);
}

/* Within a bracket only what the upper end says is sure. */
TEST(test_deadline_in_a_bracket)
{
    static const char model[] = "operators: {A: 960, B: 277, C: [294, 327], D: [218, 728]}\nqueue: 2\n"
                                "queues: [A -> B, A -> C, B -> C, C -> D]\ndeadlines: [{from: A, to: D, within: %d}]";
    static const struct weir_analyze_options hurried = {.work_limit = 1};
    for (int within = 3639; within <= 3640; within++) {
        char text[300];
        snprintf(text, sizeof text, model, within);
        struct weir_pipeline *p = stage_read(text);
        struct weir_analysis *a = analyze(p, &hurried);
        const struct weir_latency *l = &a->latencies[0];
        assert_int_equal(l->worst.outcome, WEIR_BRACKET);
        assert_int_equal(l->worst.upper, 3640);
        assert_int_equal(is_met(l), within == 3640);
        assert_null(l->witness);
        assert_non_null(strstr(l->why, "the search ended at its limit of work (--limit raises it), after "));
        release(a, p);
    }
}

/* ---- several latencies ---- */

static const struct weir_latency *latency_of(const struct weir_analysis *a, const char *from, const char *to)
{
    for (size_t i = 0; i < a->latency_count; i++) {
        const struct weir_chain_spec *chain = &a->latencies[i].chain;
        if (strcmp(weir_pipeline_operator(a->pipeline, chain->from).name, from) == 0 &&
            strcmp(weir_pipeline_operator(a->pipeline, chain->to).name, to) == 0)
            return &a->latencies[i];
    }
    fail_msg("no latency from %s to %s", from, to);
    return NULL;
}

static void assert_latency(const struct weir_analysis *a, const char *from, const char *to, const int64_t expected[3])
{
    const struct weir_latency *l = latency_of(a, from, to);
    assert_int_equal(l->worst.outcome, WEIR_EXACT);
    assert_int_equal(l->worst.value, expected[0]);
    assert_int_equal(-l->best.value, expected[1]);
    assert_int_equal(l->gap.value, expected[2]);
    assert_non_null(l->witness);
    assert_int_equal(l->witness->separation, expected[0]);
    assert_null(l->why);
    assert_true(l->verified);
}

/*
 * Frames arrive every 50 at "in"; "aside" runs as it likes, one ahead. join(i) begins at 50 i + 1..2, but join(0) when the first
 * aside is done, at 4..6. aside(i) begins with join(i - 1).
 */
TEST(test_several_chains)
{
    struct weir_pipeline *p = stage_read("operators: {in: [1, 2], aside: [4, 6], join: [0, 3], out: 5, log: 1}\n"
                                         "queues: [in -> join, aside -> join, join -> out, in -> log]\n"
                                         "source: {operator: in, period: 50, phase: 0, arrivals: exact}\n"
                                         "deadlines: [{from: aside, to: out, within: 59}, {from: in, to: out, within: 13}]\n"
                                         "measure: [{from: in, to: log}]");
    struct weir_analysis *a = analyze(p, &verify);
    assert_int_equal(a->latency_count, 3);
    /* From arrival: worst for the first frame, which waits for aside, best for any other. Gaps: 50, and all but in's 1 varies. */
    assert_latency(a, "in", "out", (const int64_t[]){6 + 3 + 5, 1 + 0 + 5, 50 + (2 + 3) - (1 + 0)});
    assert_latency(a, "in", "log", (const int64_t[]){2 + 1, 1 + 1, 50 + 2 - 1});
    assert_latency(a, "aside", "out", (const int64_t[]){50 + (2 - 1) + 3 + 5, 4 + 0 + 5, 54});
    assert_true(is_met(latency_of(a, "aside", "out")));
    assert_false(is_met(latency_of(a, "in", "out")));
    assert_true(is_met(latency_of(a, "in", "log"))); /* there is none */
    assert_int_equal(a->throughput.period.numerator, 50);
    assert_int_equal(a->throughput.best_period.numerator, 50);
    assert_int_equal(a->throughput.bottleneck_count, 1);
    assert_string_equal(weir_pipeline_operator(p, a->throughput.bottleneck[0]).name, "in");
    release(a, p);
}

/* What becomes of a message that is there at the beginning is no beginning: no witness may begin there, where sources begin at any
 * time. */
TEST(initial_messages_and_unknown_phases)
{
    struct weir_pipeline *p =
        stage_read("operators: {a: 0, b: [3, 5], c: {time: [3, 8], gpu: {time: 2}},\n"
                   "  d: {time: [1, 3], gpu: {time: 6, waits: true, after: [3, 7]}}}\n"
                   "queues: [{from: a, to: b, capacity: 2}, {from: b, to: d, capacity: 3, transfer: [2, 3]},\n"
                   "  {from: c, to: b, capacity: 3, initial: 3, blocking: false}]\n"
                   "sources: [{operator: a, period: 6}, {operator: c, period: 5}]");
    struct weir_analysis *a = analyze(p, &verify);
    assert_latency(a, "a", "d", (const int64_t[]){6 * (3 + 6 + 7), 0 + 3 + 2 + 1 + 6 + 3, 37});
    release(a, p);
    p = stage_read("operators: {a: 3, b: 0, c: {time: [0, 1], gpu: {time: [0, 2], waits: true}}, d: {time: 2, gpu: {time: 3}}}\n"
                   "queues: [{from: a, to: b, capacity: 1, blocking: false}, {from: b, to: c, capacity: 3},\n"
                   "  {from: d, to: b, capacity: 1, initial: 1}]\n"
                   "source: {operator: a, period: 4, arrivals: catch-up}");
    a = analyze(p, &verify);
    assert_latency(a, "d", "c", (const int64_t[]){2 + 3 + 2, 2 + 3, 7}); /* from when b makes room for it */
    release(a, p);
}

/* The latency of a message that stands behind others: weir counts them. */
TEST(test_shifted_chain)
{
    struct weir_pipeline *p = stage_read("operators: {a: [1, 2], b: [3, 5]}\nqueues: [{from: a, to: b, capacity: 4, initial: 2}]\n"
                                         "measure: [{from: a, to: b}, {from: a, to: b, offset: 0}]");
    struct weir_analysis *a = analyze(p, &verify);
    assert_int_equal(a->latencies[0].chain.shift, 2);
    assert_int_equal(a->latencies[1].chain.shift, 0);
    /* Room for two more: a begins when the message two ahead of its own two is taken, so five of b may be left; and three at best,
     * for the first one. */
    assert_int_equal(a->latencies[0].worst.value, 5 * 5);
    assert_int_equal(-a->latencies[0].best.value, 3 * 3);
    assert_true(a->latencies[1].worst.value < a->latencies[0].worst.value);
    release(a, p);
}

/* ---- reasons ---- */

TEST(test_why)
{
    struct weir_pipeline *p = stage_read("unit: us\noperators: {a: [1, 4], b: [2.5, 3]}\n"
                                         "queues: [{from: a, to: b, capacity: unbounded}]");
    struct weir_analysis *a = analyze(p, &verify);
    const struct weir_latency *l = &a->latencies[0];
    assert_int_equal(l->worst.outcome, WEIR_NO_BOUND);
    assert_null(l->witness);
    assert_false(l->verified);
    assert_string_equal(
        l->why,
        "the backlog grows without bound: \"b\" can need 3 us per iteration, and nothing keeps \"a\" from going on every 1 us");
    assert_int_equal(-l->best.value, 35); /* in tenths: the best case is there all the same */
    assert_int_equal(l->gap.value, 40 + 30 - 25);
    release(a, p);
}

/* ---- throughput ---- */

static void assert_throughput(const char *model, struct weir_ratio worst, struct weir_ratio best, const char *bottleneck)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_analysis *a = analyze(p, NULL);
    char names[200] = "";
    for (size_t i = 0; i < a->throughput.bottleneck_count; i++) {
        strcat(names, i ? " " : "");
        strcat(names, weir_pipeline_operator(p, a->throughput.bottleneck[i]).name);
    }
    assert_int_equal(weir_ratio_compare(a->throughput.period, worst), 0);
    assert_int_equal(weir_ratio_compare(a->throughput.best_period, best), 0);
    assert_string_equal(names, bottleneck);
    release(a, p);
}

TEST(test_throughput_of_several_leaves)
{
    /* The slowest leaf counts, whichever comes first. */
    assert_throughput("operators: {a: [2, 3], b: [0, 4], c: [0, 10]}\nqueue: unbounded\nqueues: [a -> b, a -> c]",
                      (struct weir_ratio){10, 1}, (struct weir_ratio){2, 1}, "c");
    assert_throughput("operators: {a: [2, 3], c: [0, 10], b: [0, 4]}\nqueue: unbounded\nqueues: [a -> b, a -> c]",
                      (struct weir_ratio){10, 1}, (struct weir_ratio){2, 1}, "c");
    /* Whether or not a latency ends there. */
    assert_throughput("operators: {a: [2, 3], b: [0, 40], c: [0, 10]}\nqueue: unbounded\nqueues: [a -> b, a -> c]\n"
                      "measure: [{from: a, to: c}]",
                      (struct weir_ratio){40, 1}, (struct weir_ratio){2, 1}, "b");
    /* The slowest at best times need not be the slowest at worst times. */
    assert_throughput("operators: {a: 1, b: [4, 10], c: [6, 8]}\nqueue: unbounded\nqueues: [a -> b, a -> c]",
                      (struct weir_ratio){10, 1}, (struct weir_ratio){6, 1}, "b");
    /* What is launched comes out when it is over. */
    assert_throughput("operators: {a: 1, b: {time: 2, gpu: {time: [5, 20]}}}\nqueues: [a -> b]\nsource: {operator: a, period: 16}",
                      (struct weir_ratio){20, 1}, (struct weir_ratio){16, 1}, "b");
    /* A loop with two messages. */
    assert_throughput("operators: {a: [5, 6], b: [3, 5]}\nqueue: 3\nqueues: [a -> b, {from: b, to: a, initial: 1}]",
                      (struct weir_ratio){11, 1}, (struct weir_ratio){8, 1}, "a b");
    assert_throughput("operators: {a: [5, 6], b: [3, 4], c: [4, 5]}\nqueue: 3\nqueues: [a -> b -> c, {from: c, to: a, initial: 2}]",
                      (struct weir_ratio){15, 2}, (struct weir_ratio){6, 1}, "a b c");
}

/* ---- the order of lines ---- */

static void shuffle(struct weir_random *random, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)(weir_random_next(random) % i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}

enum { PARTS_MAX = 64 };

/* The same with operators, queues, sources and latencies in another order; chain[i] is the latency that comes i-th there. */
static struct weir_pipeline *permute(const struct weir_pipeline *p, struct weir_random *random, uint32_t chain[PARTS_MAX])
{
    struct weir_pipeline *q = weir_pipeline_new(NULL);
    struct weir_operator to[PARTS_MAX];
    uint32_t order[PARTS_MAX], count = weir_pipeline_operator_count(p);
    enum weir_status status = weir_pipeline_set_unit(q, weir_pipeline_unit(p), weir_pipeline_digits(p), NULL);
    assert_true(count <= PARTS_MAX && weir_pipeline_queue_count(p) <= PARTS_MAX && weir_pipeline_chain_count(p) <= PARTS_MAX);
    shuffle(random, order, count);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){order[i]});
        status |= weir_pipeline_add_operator(q, &spec, &to[order[i]], NULL);
    }
    shuffle(random, order, count = weir_pipeline_queue_count(p));
    for (uint32_t i = 0; i < count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){order[i]});
        spec.from = to[spec.from.index];
        spec.to = to[spec.to.index];
        status |= weir_pipeline_add_queue(q, &spec, NULL, NULL);
    }
    shuffle(random, order, count = weir_pipeline_source_count(p));
    for (uint32_t i = 0; i < count; i++) {
        struct weir_source_spec spec = weir_pipeline_source(p, order[i]);
        spec.op = to[spec.op.index];
        status |= weir_pipeline_add_source(q, &spec, NULL);
    }
    shuffle(random, chain, count = weir_pipeline_chain_count(p));
    for (uint32_t i = 0; i < count; i++) {
        struct weir_chain_spec spec = weir_pipeline_chain(p, chain[i]);
        spec.from = to[spec.from.index];
        spec.to = to[spec.to.index];
        spec.has_shift = p->shift_given && p->shift_given[chain[i]];
        status |= weir_pipeline_add_chain(q, &spec, NULL);
    }
    assert_int_equal(status | weir_pipeline_seal(q, NULL, NULL), WEIR_OK);
    return q;
}

static void assert_same_separation(const struct weir_separation *a, const struct weir_separation *b)
{
    assert_int_equal(a->outcome, b->outcome);
    if (a->outcome == WEIR_EXACT)
        assert_int_equal(a->value, b->value);
}

TEST(test_the_order_of_lines_does_not_matter)
{
    struct weir_random random;
    struct weir_error why;
    uint32_t chain[PARTS_MAX];
    for (uint64_t seed = 0; seed < 400; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = seed % 2 ? weir_random_pipeline(&random, (enum weir_flavour)(seed / 2 % WEIR_FLAVOURS))
                                           : weir_random_semantics(&random, false, &why);
        if (!p)
            continue;
        struct weir_pipeline *q = permute(p, &random, chain);
        struct weir_analysis *a = analyze(p, NULL), *b = analyze(q, NULL);
        assert_int_equal(weir_ratio_compare(a->throughput.period, b->throughput.period), 0);
        assert_int_equal(weir_ratio_compare(a->throughput.best_period, b->throughput.best_period), 0);
        assert_true(weir_ratio_compare(a->throughput.best_period, a->throughput.period) <= 0);
        for (size_t i = 0; i < b->latency_count; i++) {
            assert_same_separation(&a->latencies[chain[i]].worst, &b->latencies[i].worst);
            assert_same_separation(&a->latencies[chain[i]].best, &b->latencies[i].best);
            assert_same_separation(&a->latencies[chain[i]].gap, &b->latencies[i].gap);
        }
        release(b, q);
        release(a, p);
    }
}

/* ---- verification ---- */

TEST(test_random_pipelines_verify)
{
    struct weir_random random;
    int exact = 0, unbounded = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        struct weir_analysis *checked = analyze(p, &verify), *plain = analyze(p, NULL);
        for (size_t i = 0; i < checked->latency_count; i++) {
            const struct weir_latency *l = &checked->latencies[i], *m = &plain->latencies[i];
            bool is_exact = l->worst.outcome == WEIR_EXACT;
            assert_int_equal(l->worst.outcome, m->worst.outcome);
            assert_true(!is_exact || l->worst.value == m->worst.value);
            assert_int_equal(l->best.outcome, WEIR_EXACT); /* no latency is without a best case */
            assert_true(!is_exact || -l->best.value <= l->worst.value);
            assert_int_equal(l->verified, is_exact);
            assert_false(m->verified);
            assert_int_equal(l->witness != NULL, is_exact);
            assert_int_equal(l->why != NULL, !is_exact);
            exact += is_exact;
            unbounded += l->worst.outcome == WEIR_NO_BOUND;
        }
        weir_analysis_free(plain);
        release(checked, p);
    }
    assert_true(exact > 150 && unbounded > 5);
}

/* ---- progress ---- */

struct course {
    unsigned reported[16];
    int count;
};

static void note(void *context, unsigned permille)
{
    struct course *course = context;
    assert_true(course->count < 16);
    course->reported[course->count++] = permille;
}

TEST(test_progress)
{
    struct weir_pipeline *p = stage_read("operators: {a: 1, b: 2, c: 3, d: 4}\nqueues: [a -> b, a -> c, a -> d]");
    struct course course = {.count = 0};
    struct weir_analyze_options options = {.progress = note, .context = &course};
    release(analyze(p, &options), p);
    assert_int_equal(course.count, 10); /* after worst case, best case and gap of each latency, and at the end */
    for (int i = 1; i < course.count; i++)
        assert_true(course.reported[i - 1] < course.reported[i]);
    assert_true(course.reported[0] > 0);
    assert_int_equal(course.reported[9], 1000);
}

/* ---- mistakes and memory ---- */

TEST(test_unsealed)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_analysis *analysis = (struct weir_analysis *)p;
    struct weir_error error;
    stage_operator(p, "a", 1, 2);
    assert_int_equal(weir_analyze(p, NULL, &analysis, &error), WEIR_INVALID);
    assert_string_equal(error.message, "the pipeline is not sealed");
    assert_null(analysis);
    weir_analysis_free(NULL);
    weir_pipeline_free(p);
}

static enum weir_status analyze_once(void *context)
{
    struct weir_analysis *analysis;
    enum weir_status status = weir_analyze(context, &verify, &analysis, NULL);
    assert_int_equal(analysis == NULL, status != WEIR_OK);
    weir_analysis_free(analysis);
    return status;
}

TEST(test_every_allocation)
{
    static const char *const models[] = {
        "operators: {in: [1, 2], aside: [4, 6], join: [0, 3], out: 5, log: 1}\nqueues: [in -> join, aside -> join, join -> out, in "
        "-> log]\n"
        "source: {operator: in, period: 50, arrivals: exact}",
        "operators: {a: [1, 4], b: [2, 3], c: [0, 3]}\nqueues: [{from: a, to: b, blocking: false}, a -> c]",
        "operators: {a: [0, 4], b: [0, 3]}\nqueues: [{from: a, to: b, capacity: 5}]",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct weir_pipeline *p = stage_read(models[i]);
        assert_true(stage_fail_each_allocation(analyze_once, p) > 20);
        weir_pipeline_free(p);
    }
}
