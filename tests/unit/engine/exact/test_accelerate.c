/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps and repetitions against the same table written out row by row: every row that the search keeps is the row it stands for,
 * the threshold is reached in the row where it is reached, and no slack that was cut on the path is larger than the search says. */
#include "asking.h"

#include "engine/exact/search.h"
#include "engine/exact/solver.h"
#include "support/random/pipeline.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 6000, ROWS_MORE = 200, DUELS = 400 };

/* The definitions at the top of search.h, and nothing else. */
struct plain {
    const struct weir_problem *problem;
    int64_t threshold, n, rows;
    int64_t *C, *D, *F, *O;
    int64_t best_cut;
    int64_t found; /* the first row in which the threshold is reached; -1: none */
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void pull(const struct plain *t, const int64_t *table, uint32_t o, int64_t row, int64_t by_kind[2])
{
    const struct weir_graph *g = t->problem->graph;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++)
        for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end && g->out_runs[r].tokens <= row; i++) {
            int64_t beyond = table[(row - g->out_runs[r].tokens) * t->n + g->heads[i]];
            if (WEIR_ALIVE(beyond))
                by_kind[g->out_runs[r].finish] = larger(by_kind[g->out_runs[r].finish], beyond + g->out_runs[r].offset);
        }
}

static bool is_cut(const struct plain *t, int64_t way, int64_t best)
{
    return WEIR_ALIVE(way) && WEIR_ALIVE(best) && way - best < t->threshold;
}

/* The longer of two paths that are not cut. Of one that is cut the slack counts, unless a longer one is left: then a smaller
 * threshold would change nothing. */
static int64_t choose(struct plain *t, const int64_t way[2], const int64_t best[2])
{
    int64_t label = WEIR_DEAD;
    for (int i = 0; i < 2; i++)
        if (!is_cut(t, way[i], best[i]))
            label = larger(label, way[i]);
    for (int i = 0; i < 2; i++)
        if (is_cut(t, way[i], best[i]) && way[i] > label)
            t->best_cut = larger(t->best_cut, way[i] - best[i]);
    return label;
}

static void fill_best(struct plain *t, int64_t row)
{
    const struct weir_problem *p = t->problem;
    t->O[row] = row > 0 ? t->O[row - 1] : 0;
    for (uint32_t o = (uint32_t)t->n; o-- > 0;) {
        int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
        if (o == p->reference && row == p->reference_row)
            by_kind[p->reference_finish] = 0;
        pull(t, t->D, o, row, by_kind);
        t->F[row * t->n + o] = by_kind[1];
        t->D[row * t->n + o] = larger(by_kind[0], WEIR_ALIVE(by_kind[1]) ? by_kind[1] + p->lo[o] : WEIR_DEAD);
        if (!p->graph->roots)
            t->O[row] = larger(t->O[row], t->D[row * t->n + o]);
    }
    for (uint32_t r = 0; r < p->graph->root_count && row >= p->reference_row; r++) {
        const struct weir_root *root = &p->graph->roots[r];
        if (!root->unknown && WEIR_ALIVE(t->D[row * t->n + root->actor]))
            t->O[row] = larger(t->O[row], t->D[row * t->n + root->actor] + root->least);
    }
}

static void reach(struct plain *t, int64_t row, int64_t slack)
{
    if (slack < t->threshold)
        t->best_cut = larger(t->best_cut, slack);
    else if (t->found < 0)
        t->found = row;
}

static void fill_labels(struct plain *t, int64_t row)
{
    const struct weir_problem *p = t->problem;
    for (uint32_t o = (uint32_t)t->n; o-- > 0;) {
        int64_t at = row * t->n + o, hi = p->graph->hi[o], by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
        if (o == p->target && row == p->target_row)
            by_kind[p->target_finish] = 0;
        pull(t, t->C, o, row, by_kind);
        int64_t hot = WEIR_ALIVE(t->F[at]) ? larger(t->D[at], t->F[at] + hi) : t->D[at];
        const int64_t way[2] = {by_kind[0], WEIR_ALIVE(by_kind[1]) ? by_kind[1] + hi : WEIR_DEAD}, best[2] = {t->D[at], hot};
        t->C[at] = choose(t, way, best);
        if (WEIR_ALIVE(t->C[at]) && !p->graph->roots)
            reach(t, row, t->C[at] - t->O[larger(row, p->reference_row)]);
    }
    for (uint32_t r = 0; r < p->graph->root_count && row >= p->reference_row; r++) {
        const struct weir_root *root = &p->graph->roots[r];
        int64_t label = t->C[row * t->n + root->actor];
        if (WEIR_ALIVE(label))
            reach(t, row, label + root->most - (root->unknown ? 0 : t->O[row]));
    }
}

static void write_out(struct plain *t, const struct weir_problem *problem, int64_t threshold, int64_t rows)
{
    *t = (struct plain){.problem = problem, .threshold = threshold, .n = problem->graph->actor_count, .found = -1};
    t->rows = larger(rows, problem->reference_row + 1);
    t->best_cut = WEIR_DEAD;
    size_t entries = (size_t)(t->rows * t->n);
    t->C = malloc(entries * sizeof *t->C);
    t->D = malloc(entries * sizeof *t->D);
    t->F = malloc(entries * sizeof *t->F);
    t->O = malloc((size_t)t->rows * sizeof *t->O);
    assert_true(t->C && t->D && t->F && t->O);
    for (int64_t row = 0; row < t->rows; row++)
        fill_best(t, row);
    for (int64_t row = 0; row < t->rows && t->found < 0; row++)
        fill_labels(t, row);
}

static void throw_away(struct plain *t)
{
    free(t->C);
    free(t->D);
    free(t->F);
    free(t->O);
}

static void same(int64_t a, int64_t b)
{
    assert_int_equal(WEIR_ALIVE(a), WEIR_ALIVE(b));
    if (WEIR_ALIVE(a))
        assert_int_equal(a, b);
}

static int64_t epoch_end(const struct weir_search *s, size_t epoch)
{
    return epoch + 1 < s->epoch_count ? s->epochs[epoch + 1].first : s->row_count;
}

/* Every row that is kept. */
static void compare_rows(const struct weir_search *s, const struct plain *t)
{
    for (size_t e = 0; e < s->epoch_count; e++)
        for (int64_t row = s->epochs[e].first; row < epoch_end(s, e); row++) {
            int64_t meant = row + s->epochs[e].depth;
            if (meant >= t->rows || (t->found >= 0 && meant >= t->found))
                return; /* in the row where the threshold is reached the search stops halfway */
            same(s->O[row], t->O[meant]);
            for (int64_t o = 0; o < t->n; o++) {
                same(s->D[row * t->n + o], t->D[meant * t->n + o]);
                same(s->F[row * t->n + o], t->F[meant * t->n + o]);
                same(s->C[row * t->n + o], t->C[meant * t->n + o]);
            }
        }
}

static struct {
    int jumps, endless, reached, dead_ends;
} seen;

static enum weir_search_verdict compare(struct weir_search *s, int64_t threshold)
{
    enum weir_search_verdict verdict = weir_search_decide(s, threshold);
    assert_true(verdict == WEIR_REACHABLE || verdict == WEIR_UNREACHABLE);
    const struct weir_epoch *last = &s->epochs[s->epoch_count - 1];
    int64_t depth = s->row_count + last->depth; /* rows, written out */
    if (depth + ROWS_MORE > ROWS_MAX)
        return verdict;
    struct plain t;
    write_out(&t, &s->problem, threshold, depth + ROWS_MORE);
    compare_rows(s, &t);
    if (verdict == WEIR_REACHABLE) {
        assert_int_equal(t.found, s->found_row + last->depth);
    } else {
        assert_int_equal(t.found, -1);
        assert_true(s->cut_unbounded || s->best_cut >= t.best_cut);
        if (threshold != WEIR_NO_THRESHOLD)
            assert_false(s->cut_unbounded);
    }
    seen.jumps += s->epoch_count > 1;
    seen.endless += verdict == WEIR_UNREACHABLE && last->repeat == INT64_MAX;
    seen.dead_ends += verdict == WEIR_UNREACHABLE && last->repeat != INT64_MAX;
    seen.reached += verdict == WEIR_REACHABLE;
    throw_away(&t);
    return verdict;
}

static void compare_query(const struct weir_pipeline *p, const struct weir_query *query)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_problem problem;
    struct weir_separation result;
    assert_int_equal(weir_separation_worst(solver, query, &result, NULL), WEIR_OK);
    assert_int_equal(weir_problem_pose(solver, query, &problem, NULL), WEIR_OK);
    struct weir_search *search = weir_search_new(problem.graph->actor_count, problem.graph->tokens_max);
    weir_search_pose(search, &problem);
    /* Down from above, as the answer is looked for; then around the answer, and further off. */
    enum weir_search_verdict verdict = compare(search, WEIR_NO_THRESHOLD);
    for (int i = 0; i < 4 && verdict == WEIR_UNREACHABLE && !search->cut_unbounded && WEIR_ALIVE(search->best_cut); i++)
        verdict = compare(search, search->best_cut);
    bool exact = result.outcome == WEIR_EXACT;
    int64_t value = exact ? result.value : problem.graph->row_max;
    const int64_t around[] = {1, 0, -1, 2, -problem.graph->row_max / 3, problem.graph->row_max / 2, 0};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        verdict = compare(search, value + around[i]); /* one search after the other: rows that they have in common are kept */
        assert_int_equal(verdict, !exact || around[i] <= 0 ? WEIR_REACHABLE : WEIR_UNREACHABLE);
    }
    weir_search_free(search);
    weir_solver_free(solver);
}

TEST(test_random_pipelines)
{
    memset(&seen, 0, sizeof seen);
    for (uint64_t seed = 0; seed < 300; seed++) {
        static const enum weir_flavour flavours[] = {WEIR_FLAVOUR_EVERYTHING, WEIR_FLAVOUR_SLOW, WEIR_FLAVOUR_PHASES};
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, flavours[seed % 3]);
        struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
        struct weir_query query = {
            .from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = chain.shift};
        struct weir_query gap = {.from = query.to, .to = query.to, .shift = (int64_t)(seed % 5) - 2};
        compare_query(p, &query);
        compare_query(p, &gap);
        weir_pipeline_free(p);
    }
    assert_true(seen.jumps > 20 && seen.endless > 20 && seen.reached > 300 && seen.dead_ends > 300);
}

/* Times that differ by a tick or two, so that ways overtake one another late, and several at once; half of the queues never block.
 */
static struct weir_pipeline *duel(struct weir_random *random)
{
    for (;;) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        uint32_t n = (uint32_t)weir_random_between(random, 3, 6);
        for (uint32_t i = 0; i < n; i++) {
            char name[2] = {(char)('a' + i), 0};
            struct weir_operator_spec spec = {.name = name, .worst = 30 + weir_random_between(random, -2, 2)};
            spec.best = weir_random_between(random, 0, 3) ? spec.worst - weir_random_between(random, 0, 2) : 0;
            if (weir_random_between(random, 0, 5) == 0) {
                spec.worst = weir_random_between(random, 100, 400);
                spec.reentrant = true;
            }
            assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
        }
        for (uint32_t i = 1; i < 2 * n; i++) {
            uint32_t to = i < n ? i : (uint32_t)weir_random_between(random, 1, n - 1);
            uint32_t from = (uint32_t)weir_random_between(random, 0, i < n ? to - 1 : n - 1);
            struct weir_queue_spec spec = {.from = {from}, .to = {to}, .capacity = (uint32_t)weir_random_between(random, 1, 4)};
            spec.initial = from < to ? 0 : (uint32_t)weir_random_between(random, 1, spec.capacity);
            spec.nonblocking = weir_random_between(random, 0, 1);
            assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
        }
        if (weir_random_between(random, 0, 1))
            stage_period(p, (struct weir_operator){0}, 30 + weir_random_between(random, -1, 1),
                         weir_random_between(random, 0, 1) ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST);
        if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
            return p;
        weir_pipeline_free(p);
    }
}

TEST(test_duels)
{
    memset(&seen, 0, sizeof seen);
    for (uint64_t seed = 0; seed < DUELS; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = duel(&random);
        uint32_t last = weir_pipeline_operator_count(p) - 1;
        struct weir_query query = {.from = {{(uint32_t)weir_random_between(&random, 0, last)}, WEIR_START, 0},
                                   .to = {{(uint32_t)weir_random_between(&random, 0, last)}, WEIR_FINISH, 0},
                                   .shift = weir_random_between(&random, -1, 1)};
        compare_query(p, &query);
        weir_pipeline_free(p);
    }
    assert_true(seen.jumps > DUELS / 5 && seen.endless > DUELS / 5);
}

/* Slow build-ups and decays of every length: a tick, two, three per iteration. */
TEST(test_slow_pipelines)
{
    memset(&seen, 0, sizeof seen);
    for (int64_t difference = -3; difference <= 3; difference++)
        for (int64_t capacity = 1; capacity <= 3; capacity++)
            for (int best = 0; best <= 1; best++) {
                char model[400];
                snprintf(model, sizeof model,
                         "operators: {camera: [4, 30], infer: [%lld, %lld], show: [13, %lld]}\nqueue: %lld\n"
                         "queues: [camera -> infer -> show, {from: show, to: infer, capacity: 5, initial: 4}]\n"
                         "source: {operator: camera, period: 100}",
                         best ? 100 + (long long)difference : 50LL, 100 + (long long)difference, 101 - (long long)difference,
                         (long long)capacity);
                struct weir_pipeline *p = stage_read(model);
                struct weir_query query = ask_query(p, "camera.start", "show.finish", 0);
                compare_query(p, &query);
                query = ask_query(p, "show.finish", "show.finish", 3);
                compare_query(p, &query);
                weir_pipeline_free(p);
            }
    assert_true(seen.jumps > 100);
}

/* A slack that rises against one bound of the reference and falls against the other: it is largest in between. */
TEST(test_peak_within_a_stretch)
{
    for (int time = 100; time <= 600; time += 50) {
        char model[400];
        snprintf(
            model, sizeof model,
            "operators: {p: 1, a: {time: [0, %d], reentrant: true}, w: {time: 1000, reentrant: true}, y: 3, t: 2, r: 0}\n"
            "queue: unbounded\n"
            "queues: [{from: p, to: a, capacity: 1}, p -> w -> r, a -> y -> r, a -> t]\nmeasure: [{from: r, to: t, offset: 0}]",
            time);
        struct weir_pipeline *p = stage_read(model);
        struct weir_query query = ask_query(p, "r.start", "t.finish", 0);
        compare_query(p, &query);
        weir_pipeline_free(p);
    }
}

/* Where two arcs carry a label and one of them is cut later on, the witness must take the other. Message i is sent on at
 * 969 + 1500 (i + 1) at the earliest, since `slow` falls behind the camera by a tick each time; `show`, which has four messages to
 * begin with, gains one each time, and is done with it at 1498 (i + 5) at the earliest. Counted from 1499 i, show ends at
 * 3967 + i or 7490 - i, whichever is later: the least of that is 5729. An execution of the camera may take as long as its period,
 * so that both hold up the next; but one that does is no best case. */
TEST(test_witness_of_a_long_approach)
{
    struct weir_pipeline *p = stage_read("operators: {camera: [0, 1499], first: [969, 1500], slow: [1500, 1502], show: 1498}\n"
                                         "queues: [{from: camera, to: first, capacity: 2}, {from: first, to: slow, capacity: 5},\n"
                                         "  {from: slow, to: show, capacity: 5, initial: 4}]\n"
                                         "sources: [{operator: camera, period: 1499}]\n");
    assert_int_equal(ask_best(p, "camera.start", "show.finish", 4), 5729);
    weir_pipeline_free(p);
}
