/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can still be said when a limit was reached.
 *
 * From below: executions that are played, with a time of its own for each actor that stays the same. First a few in which all are
 * at their worst, at their best, or at their worst on one side of the reference alone; then the best of these with one actor
 * changed after the other, as far as a budget goes. What such a run separates the events by is reached.
 *
 * From above, the least of what applies: the one-pass case, since best cases of 0 only add executions; the time that a path can
 * take in the iterations before it meets an ancestor of the reference; and, where the target comes before the reference, the
 * longest path between them at best times, which always lies between them.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "engine/exact/solver.h"

#include <string.h>

enum {
    ENTRIES_MAX = 10000000, /* of a table of starts */
    VISITS_MAX = 100000000, /* of arcs, in all runs together; no more than the search itself was allowed */
    VISITS_MIN = 500000,    /* ... but these at any rate */
    RUNS = 8,               /* at least, in that budget */
};

struct trial_arc {
    uint32_t tail; /* its place in a row */
    uint32_t fifo;
    int64_t offset;
};

struct trial {
    const struct weir_problem *problem;
    int64_t rows, ring;     /* iterations that are played; that are kept: a power of two, since a row is looked up for each arc */
    int64_t *moments;       /* by row that is kept: when each actor starts, when each ends; then a row of what has not begun */
    int64_t *times;         /* by actor: of the first half of the iterations, then of the second */
    struct trial_arc *arcs; /* of one actor after the other */
    uint32_t *first;        /* by actor, and one more */
    const int64_t **row_of; /* by distinct token count: the row that many rows back */
    int64_t budget;         /* runs that are left */
    int64_t memory;         /* rows that a later one, or a separation, looks back to, and itself */
    int64_t enough;         /* no run separates by more */
};

static bool trial_new(struct trial *t)
{
    const struct weir_graph *g = t->problem->graph;
    uint32_t n = g->actor_count, at = 0;
    t->moments = weir_array((size_t)(t->ring + 1) * n, 2 * sizeof *t->moments);
    t->times = weir_array(2 * (size_t)n, sizeof *t->times);
    t->arcs = weir_array(g->arc_count, sizeof *t->arcs);
    t->first = weir_array((size_t)n + 1, sizeof *t->first);
    t->row_of = weir_array(g->token_count_count, sizeof *t->row_of);
    if (!t->moments || !t->times || !t->arcs || !t->first || !t->row_of)
        return false;
    for (int64_t i = 0; i < 2 * (int64_t)n; i++)
        t->moments[t->ring * 2 * n + i] = WEIR_DEAD;
    for (uint32_t o = 0; o < n; o++) {
        t->first[o] = at;
        for (const struct weir_arc_run *r = &g->in_runs[g->in_first[o]]; r < &g->in_runs[g->in_first[o + 1]]; r++)
            for (uint32_t i = r->first; i < r->end; i++)
                t->arcs[at++] = (struct trial_arc){g->tails[i] + (r->finish ? n : 0), r->fifo, r->offset};
    }
    t->first[n] = at;
    return true;
}

static void trial_free(struct trial *t)
{
    weir_free(t->row_of);
    weir_free(t->first);
    weir_free(t->arcs);
    weir_free(t->times);
    weir_free(t->moments);
}

static int64_t *row_at(const struct trial *t, int64_t row)
{
    return t->moments + (row & (t->ring - 1)) * 2 * t->problem->graph->actor_count;
}

static void run_row(const struct trial *t, int64_t row)
{
    const struct weir_graph *g = t->problem->graph;
    uint32_t n = g->actor_count;
    int64_t *now = row_at(t, row);
    const int64_t *times = t->times + (row < t->rows / 2 ? 0 : n);
    for (uint32_t f = 0; f < g->token_count_count; f++)
        t->row_of[f] = g->token_counts[f] > row ? t->moments + t->ring * 2 * n : row_at(t, row - g->token_counts[f]);
    memset(now, 0, n * sizeof *now);
    for (uint32_t r = 0; r < weir_graph_roots(g) && row == 0; r++) /* what begins at any time does so at 0 */
        now[g->roots[r].actor] = g->roots[r].unknown ? 0 : g->roots[r].least;
    const struct trial_arc *arc = t->arcs;
    for (uint32_t o = 0; o < n; o++) {
        int64_t start = now[o];
        for (const struct trial_arc *end = t->arcs + t->first[o + 1]; arc < end; arc++) {
            int64_t at = t->row_of[arc->fifo][arc->tail] + arc->offset;
            start = at > start ? at : start;
        }
        now[o] = start;
        now[n + o] = start + times[o];
    }
}

/* From the reference in one row to the target in another. */
static int64_t separation(const struct trial *t, int64_t target_row, int64_t reference_row)
{
    const struct weir_problem *p = t->problem;
    uint32_t n = p->graph->actor_count;
    return row_at(t, target_row)[p->target + (p->target_finish ? n : 0)] -
           row_at(t, reference_row)[p->reference + (p->reference_finish ? n : 0)];
}

/* ---- a run that repeats ---- */

/* Rows that are as those of `period` rows before, only later by the same for all, since so many rows. */
struct repetition {
    int64_t period, growth, rows;
    int64_t kept; /* a row that others are compared with; later and later ones */
};

static bool is_like(const struct trial *t, int64_t row, int64_t before, int64_t *growth)
{
    int64_t n = t->problem->graph->actor_count;
    const int64_t *now = row_at(t, row), *then = row_at(t, before);
    *growth = now[0] - then[0];
    for (int64_t o = 1; o < n; o++)
        if (now[o] - then[o] != *growth)
            return false;
    return *growth >= 0;
}

/* Whether all that later rows depend on, and all separations of a period, have repeated by now: they go on to do so, as long as the
 * times stay the same. */
static bool repeats(const struct trial *t, struct repetition *r, int64_t row)
{
    int64_t growth;
    if (r->period && is_like(t, row, row - r->period, &growth) && growth == r->growth)
        return ++r->rows >= t->memory + r->period;
    r->period = r->rows = 0;
    if (row - r->kept >= t->ring || row >= 2 * r->kept)
        r->kept = row;
    else if (is_like(t, row, r->kept, &growth)) {
        r->period = row - r->kept;
        r->growth = growth;
        r->rows = 1;
    }
    return false;
}

/* Leaves out whole periods of the first half, all of the second. Returns the last row that is known then. */
static int64_t skip(const struct trial *t, const struct repetition *r, int64_t row)
{
    int64_t left = t->rows / 2 - 1 - row, n = t->problem->graph->actor_count;
    if (row >= t->rows / 2)
        return t->rows;
    left -= left % (r->period * t->ring); /* rows keep their places */
    for (int64_t i = 0; i < t->ring * 2 * n && left > 0; i++)
        t->moments[i] += left / r->period * r->growth;
    return row + left;
}

/* The largest separation in a run. */
static int64_t play(struct trial *t)
{
    const struct weir_problem *p = t->problem;
    int64_t later = p->reference_row - p->target_row, most = INT64_MIN;
    int64_t behind = later < 0 ? -later : 0, ahead = later > 0 ? later : 0;
    struct repetition repetition = {0};
    for (int64_t row = 0; row < t->rows && most < t->enough; row++) {
        run_row(t, row);
        if (row < behind + ahead)
            continue;
        int64_t value = separation(t, row - behind, row - ahead);
        most = value > most ? value : most;
        bool again = row != t->rows / 2 && repeats(t, &repetition, row); /* there the times change */
        if (again)
            row = skip(t, &repetition, row);
        if (again || row == t->rows / 2)
            repetition = (struct repetition){.kept = row};
    }
    t->budget--;
    return most;
}

enum { ALL_WORST, ALL_BEST, WORST_THEN_BEST, BEST_THEN_WORST, WORST_BEFORE, WORST_AFTER, SCENARIOS };

static void set_times(struct trial *t, const struct weir_trace_region *region, int scenario)
{
    const struct weir_graph *g = t->problem->graph;
    for (uint32_t i = 0; i < 2 * g->actor_count; i++) {
        bool second = i >= g->actor_count;
        uint32_t o = second ? i - g->actor_count : i;
        bool before = region->ancestor_row[o] <= t->problem->reference_row; /* in the same iteration */
        bool worst = scenario == ALL_WORST || (scenario == WORST_THEN_BEST && !second) || (scenario == BEST_THEN_WORST && second) ||
                     (scenario == WORST_BEFORE && before) || (scenario == WORST_AFTER && !before);
        t->times[i] = worst ? g->hi[o] : t->problem->lo[o];
    }
}

static int64_t search_runs(struct trial *t, const struct weir_trace_region *region)
{
    int64_t best = INT64_MIN;
    int chosen = 0;
    for (int scenario = 0; scenario < SCENARIOS; scenario++) {
        set_times(t, region, scenario);
        int64_t value = play(t);
        chosen = value > best ? scenario : chosen;
        best = value > best ? value : best;
    }
    set_times(t, region, chosen);
    const struct weir_graph *g = t->problem->graph;
    bool better = true;
    while (better && t->budget > 0 && best < t->enough) {
        better = false;
        for (uint32_t i = 2 * g->actor_count; i-- > 0 && t->budget > 0 && best < t->enough;) {
            uint32_t o = i % g->actor_count;
            int64_t kept = t->times[i];
            if (t->problem->lo[o] == g->hi[o])
                continue;
            t->times[i] = kept == g->hi[o] ? t->problem->lo[o] : g->hi[o];
            int64_t value = play(t);
            if (value > best) {
                best = value;
                better = true;
            } else {
                t->times[i] = kept;
            }
        }
    }
    return best;
}

static int64_t reached_by_running(const struct weir_solver *solver, const struct weir_problem *p, int64_t enough)
{
    const struct weir_graph *g = p->graph;
    int64_t n = g->actor_count, arcs = (int64_t)g->arc_count + n;
    int64_t shift = p->reference_row > p->target_row ? p->reference_row - p->target_row : p->target_row - p->reference_row;
    int64_t memory = (shift > (int64_t)g->tokens_max ? shift : (int64_t)g->tokens_max) + 1,
            range = WEIR_TIME_MAX / (g->row_max + 1);
    int64_t visits = p->work_limit > VISITS_MAX ? VISITS_MAX : p->work_limit < VISITS_MIN ? VISITS_MIN : (int64_t)p->work_limit;
    struct trial t = {.problem = p, .rows = visits / RUNS / arcs, .ring = 1, .memory = memory, .enough = enough};
    t.rows = t.rows > 16 * memory + 1000 ? 16 * memory + 1000 : t.rows <= shift ? shift + 1 : t.rows;
    t.rows = t.rows > range ? range : t.rows;
    while (t.ring < memory && t.ring < t.rows)
        t.ring *= 2;
    bool small = t.ring < ENTRIES_MAX / n / 8;
    t.ring *= small && t.ring < t.rows ? 8 : 1; /* so that some periods can be seen */
    t.budget = visits / arcs / (t.rows + 1);
    if (t.rows <= shift || t.ring > ENTRIES_MAX / n)
        return INT64_MIN;
    int64_t reached = trial_new(&t) ? search_runs(&t, &solver->region) : INT64_MIN;
    trial_free(&t);
    return reached;
}

/* ---- two plain executions ---- */

/* The largest separation in so many rows, or in fewer where it does not grow any more. */
static int64_t play_steady(struct trial *t, const struct weir_trace_region *region, int scenario, int64_t rows)
{
    const struct weir_problem *p = t->problem;
    const struct weir_graph *g = p->graph;
    int64_t later = p->reference_row - p->target_row, most = INT64_MIN, since = 0;
    int64_t behind = later < 0 ? -later : 0, ahead = later > 0 ? later : 0, patience = (int64_t)g->tokens_max + g->actor_count;
    set_times(t, region, scenario);
    for (int64_t row = 0; row < rows && most < t->enough && row - since <= patience + behind + ahead; row++) {
        run_row(t, row);
        if (row < behind + ahead)
            continue;
        int64_t value = separation(t, row - behind, row - ahead);
        since = value > most ? row : since;
        most = value > most ? value : most;
    }
    return most;
}

bool weir_bracket_try(const struct weir_solver *solver, const struct weir_problem *p, int64_t enough, uint64_t visits,
                      int64_t *reached)
{
    const struct weir_graph *g = p->graph;
    int64_t n = g->actor_count, range = WEIR_TIME_MAX / (g->row_max + 1);
    int64_t shift = p->reference_row > p->target_row ? p->reference_row - p->target_row : p->target_row - p->reference_row;
    int64_t memory = (shift > (int64_t)g->tokens_max ? shift : (int64_t)g->tokens_max) + 1;
    int64_t rows = (int64_t)(visits / (g->arc_count + g->actor_count));
    rows = rows > range ? range : rows;
    struct trial t = {.problem = p, .rows = rows, .ring = 1, .enough = enough};
    while (t.ring < memory && t.ring < rows)
        t.ring *= 2;
    *reached = INT64_MIN;
    if (g->roots || rows <= shift || t.ring > ENTRIES_MAX / n - 1)
        return true;
    bool room = trial_new(&t);
    if (room) {
        int64_t first = shift + n < rows ? shift + n : rows; /* the first messages: later ones the other execution has as well */
        int64_t worst = play_steady(&t, &solver->region, ALL_WORST, first);
        int64_t worst_after = play_steady(&t, &solver->region, WORST_AFTER, rows);
        *reached = worst_after > worst ? worst_after : worst;
    }
    trial_free(&t);
    return room;
}

/* The least time from the target to the reference, whatever the execution times: INT64_MIN where the target does not come first. */
static int64_t always_between(const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    int64_t n = g->actor_count, rows = p->target_row - p->reference_row + 1;
    if (rows < 1 || rows > ENTRIES_MAX / n || (rows == 1 && p->target == p->reference && p->target_finish))
        return INT64_MIN;
    int64_t *path = weir_array((size_t)(rows * n), sizeof *path);
    if (!path)
        return INT64_MIN;
    for (int64_t row = 0; row < rows; row++)
        for (uint32_t o = 0; o < g->actor_count; o++) {
            int64_t most = INT64_MIN;
            for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1] && g->in_runs[r].tokens <= row; r++) {
                const struct weir_arc_run *run = &g->in_runs[r];
                for (uint32_t i = run->first; i < run->end; i++) {
                    uint32_t tail = g->tails[i];
                    int64_t from = path[(row - run->tokens) * n + tail], least = run->finish ? p->lo[tail] : 0;
                    if (row == run->tokens && tail == p->target && p->target_finish)
                        least = run->finish ? 0 : -g->hi[tail]; /* the path begins at its end */
                    if (from != INT64_MIN && from + least + run->offset > most)
                        most = from + least + run->offset;
                }
            }
            path[row * n + o] = row == 0 && o == p->target ? 0 : most;
        }
    int64_t found = path[(rows - 1) * n + p->reference];
    weir_free(path);
    return found == INT64_MIN ? found : found + (p->reference_finish ? p->lo[p->reference] : 0);
}

/* A path that ends at the target takes no longer than this until it meets an ancestor of the reference. INT64_MAX: it need not. */
static int64_t trivial_bound(const struct weir_solver *solver, const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    int64_t deepest = p->target_row > p->reference_row ? p->target_row : p->reference_row;
    int64_t *tokens = weir_array(g->actor_count, sizeof *tokens);
    if (!tokens)
        return INT64_MAX;
    weir_tokens_to(g, solver->distances, p->target, false, tokens);
    for (uint32_t o = 0; o < g->actor_count; o++)
        if (tokens[o] != WEIR_FAR && solver->region.ancestor_row[o] > deepest)
            deepest = solver->region.ancestor_row[o];
    weir_free(tokens);
    if (deepest >= WEIR_TIME_MAX) /* that of some is WEIR_FAR */
        return INT64_MAX;
    weir_wide bound = (weir_wide)(deepest + 2) * g->row_max;
    int64_t latest = 0;
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        latest = g->roots[r].most > latest ? g->roots[r].most : latest;
    bound += latest;
    return bound < WEIR_TIME_MAX ? (int64_t)bound : INT64_MAX;
}

static void take_upper(struct weir_separation *result, int64_t upper)
{
    result->upper = upper < result->upper ? upper : result->upper;
}

void weir_bracket_narrow(struct weir_solver *solver, const struct weir_problem *problem, struct weir_separation *result)
{
    int64_t between = always_between(problem);
    result->outcome = WEIR_BRACKET;
    take_upper(result, trivial_bound(solver, problem));
    take_upper(result, between == INT64_MIN ? INT64_MAX : -between);
    if (!problem->one_pass && problem->zero_best_is_one_pass) {
        struct weir_problem relaxed = *problem;
        struct weir_separation zero;
        relaxed.lo = solver->zeros;
        relaxed.work_limit = WEIR_WORK_DEFAULT;
        if (weir_onepass_solve(solver, &relaxed, false, &zero, NULL) == WEIR_OK)
            take_upper(result, zero.upper);
    }
    int64_t reached = reached_by_running(solver, problem, result->upper);
    result->lower = reached > result->lower ? reached : result->lower;
    if (result->lower == result->upper) { /* reached, and never exceeded */
        result->outcome = WEIR_EXACT;
        result->limit = WEIR_LIMIT_NONE;
        result->value = result->lower;
    }
}
