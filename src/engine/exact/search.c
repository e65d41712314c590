/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exact/search.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "engine/exact/accelerate.h"

#include <assert.h>
#include <string.h>

struct weir_search *weir_search_new(uint32_t actor_count, int64_t window)
{
    struct weir_search *s = weir_array_zeroed(1, sizeof *s);
    if (s) {
        s->n = actor_count;
        s->window = window;
    }
    return s;
}

void weir_search_free(struct weir_search *s)
{
    if (!s)
        return;
    weir_free(s->C);
    weir_free(s->D);
    weir_free(s->F);
    weir_free(s->O);
    weir_free(s->epochs);
    weir_free(s);
}

void weir_search_pose(struct weir_search *s, const struct weir_problem *problem)
{
    s->problem = *problem;
    s->shared = s->settled = 0;
    s->relaxations = 0;
}

int64_t weir_search_depth(const struct weir_search *s, const struct weir_epoch *epoch, int64_t row)
{
    return row + epoch->depth - s->problem.reference_row;
}

static bool grow_one(int64_t **array, size_t count)
{
    void *grown = weir_resize(*array, count * sizeof **array);
    if (grown)
        *array = grown;
    return grown != NULL;
}

/* Room for `need` rows; WEIR_UNDECIDED when the table would get too large. */
static enum weir_search_verdict reserve_rows(struct weir_search *s, int64_t need)
{
    if ((size_t)need <= s->capacity)
        return WEIR_REACHABLE;
    assert(s->n > 0);
    size_t row_bytes = 3 * sizeof(int64_t) * s->n, most = s->problem.memory_limit / row_bytes;
    s->full = (size_t)need > most;
    if (s->full)
        return WEIR_UNDECIDED;
    size_t rows = s->capacity + s->capacity / 2 + 16;
    rows = rows > most ? most : rows;
    rows = rows < (size_t)need ? (size_t)need : rows;
    if (!grow_one(&s->C, rows * s->n) || !grow_one(&s->D, rows * s->n) || !grow_one(&s->F, rows * s->n) || !grow_one(&s->O, rows))
        return WEIR_OUT_OF_MEMORY;
    s->capacity = rows;
    return WEIR_REACHABLE;
}

/* Maxima over the arcs of node (o, row) of the values at their heads plus offsets: finish arcs in [1], start arcs in [0]. */
static inline void pull(const struct weir_search *s, const int64_t *table, uint32_t o, int64_t row, int64_t by_kind[2])
{
    const struct weir_graph *g = s->problem.graph;
    for (const struct weir_arc_run *run = g->out_runs + g->out_first[o], *stop = g->out_runs + g->out_first[o + 1]; run < stop;
         run++) {
        if (run->tokens > row)
            break;
        const int64_t *values = table + (row - run->tokens) * (int64_t)s->n;
        int64_t longest = WEIR_DEAD;
        for (const uint32_t *head = g->heads + run->first, *none = g->heads + run->end; head < none; head++)
            longest = values[*head] > longest ? values[*head] : longest;
        longest += run->offset;
        by_kind[run->finish] = longest > by_kind[run->finish] ? longest : by_kind[run->finish];
    }
}

static inline int64_t tidy(int64_t x)
{
    return WEIR_ALIVE(x) ? x : WEIR_DEAD;
}

/* Row `row` of D, F and O. */
static void compute_best_row(struct weir_search *s, int64_t row, bool base)
{
    const struct weir_problem *p = &s->problem;
    int64_t *D = s->D + row * s->n, *F = s->F + row * s->n, origin = row > 0 ? s->O[row - 1] : 0;
    if (base && row < p->reference_row) { /* after the reference in time: no ancestors yet */
        for (uint32_t o = 0; o < s->n; o++)
            D[o] = F[o] = WEIR_DEAD;
        s->O[row] = 0;
        return;
    }
    for (uint32_t o = s->n; o-- > 0;) {
        int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
        if (base && o == p->reference && row == p->reference_row)
            by_kind[p->reference_finish] = 0;
        pull(s, s->D, o, row, by_kind);
        F[o] = tidy(by_kind[1]);
        int64_t longest = by_kind[1] + p->lo[o];
        longest = by_kind[0] > longest ? by_kind[0] : longest;
        D[o] = tidy(longest);
        origin = D[o] > origin && !p->graph->roots ? D[o] : origin;
    }
    for (uint32_t r = 0; r < weir_graph_roots(p->graph); r++) {
        const struct weir_root *root = &p->graph->roots[r];
        if (!root->unknown && D[root->actor] + root->least > origin)
            origin = D[root->actor] + root->least;
    }
    s->O[row] = origin;
}

static inline void note_cut(struct weir_search *s, int64_t slack)
{
    if (slack > s->best_cut)
        s->best_cut = slack;
}

/* The label of (o, row): the longer of the paths over finish and over start arcs that are not cut. */
static int64_t label_of(struct weir_search *s, uint32_t o, int64_t row, bool base)
{
    const struct weir_problem *p = &s->problem;
    int64_t D = s->D[row * s->n + o], F = s->F[row * s->n + o], hi = p->graph->hi[o], R = s->threshold;
    int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
    if (base && o == p->target && row == p->target_row)
        by_kind[p->target_finish] = 0;
    pull(s, s->C, o, row, by_kind);
    int64_t finish = by_kind[1] + hi, start = by_kind[0];
    if (WEIR_ALIVE(D)) {
        int64_t hot = F + hi, slack = finish - (hot > D ? hot : D);
        if (slack < R) {
            if (WEIR_ALIVE(finish))
                note_cut(s, slack);
            finish = WEIR_DEAD;
        }
        slack = start - D;
        if (slack < R) {
            if (WEIR_ALIVE(start))
                note_cut(s, slack);
            start = WEIR_DEAD;
        }
    }
    return tidy(finish > start ? finish : start);
}

/* Whether a path that begins in that node reaches the threshold. `slack`: what it has there. */
static bool reaches(struct weir_search *s, uint32_t o, int64_t row, int64_t slack)
{
    if (slack < s->threshold) {
        note_cut(s, slack);
        return false;
    }
    s->found_actor = o;
    s->found_row = row;
    return true;
}

/* ... in one of the roots of the row: the iteration of the reference is then as many later as the row is deep. */
static bool root_reaches(struct weir_search *s, int64_t row, bool base)
{
    const struct weir_problem *p = &s->problem;
    bool reached = false;
    for (uint32_t r = 0; r < weir_graph_roots(p->graph) && !reached && (!base || row >= p->reference_row); r++) {
        const struct weir_root *root = &p->graph->roots[r];
        int64_t C = s->C[row * s->n + root->actor];
        reached = WEIR_ALIVE(C) && reaches(s, root->actor, row, C + root->most - weir_root_against(root, s->O[row]));
    }
    return reached;
}

/* Row `row` of C; true as soon as the threshold is reached. *alive counts the labels. */
static bool compute_label_row(struct weir_search *s, int64_t row, bool base, uint32_t *alive)
{
    const struct weir_problem *p = &s->problem;
    int64_t *C = s->C + row * s->n;
    const int64_t *D = s->D + row * s->n;
    int64_t origin = s->O[base && row < p->reference_row ? p->reference_row : row];
    bool settled = base && row < s->settled, anywhere = p->graph->roots == NULL;
    *alive = 0;
    for (uint32_t o = s->n; o-- > 0;) {
        if (!settled || WEIR_ALIVE(D[o]))
            C[o] = label_of(s, o, row, base);
        if (!WEIR_ALIVE(C[o]))
            continue;
        ++*alive;
        if (anywhere && reaches(s, o, row, C[o] - origin))
            return true;
    }
    if (root_reaches(s, row, base))
        return true;
    if (base && row == s->settled)
        s->settled++;
    return false;
}

static struct weir_epoch *add_epoch(struct weir_search *s)
{
    if (!weir_reserve(&s->epochs, &s->epoch_capacity, s->epoch_count + 1, sizeof *s->epochs))
        return NULL;
    return &s->epochs[s->epoch_count++];
}

/* What table[i] comes to after `repeat` more repetitions, less `base`. Times that do not fit are noted in *fits. */
static int64_t advanced(const int64_t *x, int64_t back, const struct weir_epoch *epoch, int64_t base, bool *fits)
{
    weir_wide value = *x + (weir_wide)epoch->repeat * (*x - x[-back]) - base;
    *fits &= value < WEIR_TIME_MAX / 2 && value > -WEIR_TIME_MAX / 2;
    return *fits ? (int64_t)value : WEIR_DEAD;
}

/* Stores the last rows before `epoch` once more, advanced. Times begin anew at the origin's, so that they fit however far the jump
 * is; false when they differ too much among themselves. */
static bool copy_window(struct weir_search *s, const struct weir_epoch *before, const struct weir_epoch *epoch)
{
    int64_t *tables[] = {s->C, s->D, s->F}, n = s->n, back = before->period;
    bool fits = true;
    for (int64_t w = 0; w < s->window && fits; w++) {
        int64_t from = epoch->first - s->window + w, to = epoch->first + w;
        for (size_t t = 0; t < 3; t++)
            for (int64_t o = 0; o < n; o++) {
                const int64_t *value = &tables[t][from * n + o];
                tables[t][to * n + o] = WEIR_ALIVE(*value) ? advanced(value, back * n, before, epoch->base, &fits) : WEIR_DEAD;
            }
        s->O[to] = advanced(&s->O[from], back, before, epoch->base, &fits);
    }
    return fits;
}

/* What a jump of 2^58 ticks or more counts for, so that what builds up for ages meets its limit of work. */
enum { ANEW_WORK = 50000 };

/* Ends the epoch by repeating its last `period` rows. */
static enum weir_search_verdict jump(struct weir_search *s, int64_t period, int64_t repeat)
{
    int64_t last = s->row_count - 1;
    int64_t origin = s->O[last] + repeat * (s->O[last] - s->O[last - period]);
    enum weir_search_verdict room = reserve_rows(s, s->row_count + s->window + 1);
    if (room != WEIR_REACHABLE)
        return room;
    struct weir_epoch *next = add_epoch(s);
    if (!next)
        return WEIR_OUT_OF_MEMORY;
    struct weir_epoch *epoch = next - 1;
    if (s->epoch_count == 2) { /* what follows overwrites the common rows */
        s->shared = s->shared < s->row_count ? s->shared : s->row_count;
        s->settled = s->settled < s->row_count ? s->settled : s->row_count;
    }
    epoch->period = period;
    epoch->repeat = repeat;
    *next = (struct weir_epoch){.first = s->row_count, .depth = epoch->depth - s->window + period * repeat};
    /* what begins at any time is compared with the threshold itself */
    next->base = origin > WEIR_TIME_MAX / 4 && !s->problem.graph->unknown_roots ? origin : 0;
    s->relaxations += next->base ? ANEW_WORK : 0;
    s->row_count += s->window;
    return copy_window(s, epoch, next) ? WEIR_REACHABLE : WEIR_UNDECIDED;
}

/* Which periods to try: after a while of 2 * span rows the beginning is given up as too irregular, and longer periods are tried on
 * later rows. */
struct schedule {
    int64_t since, span;
};

/* Looks for a repetition that ends in the row just computed, and jumps. WEIR_UNREACHABLE: it repeats for ever. */
static enum weir_search_verdict accelerate(struct weir_search *s, struct schedule *schedule)
{
    int64_t last = s->row_count - 1, age = last - schedule->since, period = age / 2;
    if (age < 2 || age % 2 != 0)
        return WEIR_REACHABLE;
    /* Looking must not cost more than what it may save: a window of many rows takes long to compare. */
    if (s->spent <= (uint64_t)s->row_count * s->problem.graph->arc_count && weir_may_repeat(s, period)) {
        int64_t repeat = weir_repetitions(s, period);
        struct weir_epoch *epoch = &s->epochs[s->epoch_count - 1];
        if (repeat == INT64_MAX) {
            epoch->period = period;
            epoch->repeat = INT64_MAX;
            return WEIR_UNREACHABLE;
        }
        /* The last repetition is computed, not jumped over, so that its cuts are seen: between the first and the last, slacks
         * lie between theirs. */
        int64_t most = (WEIR_TIME_MAX - last - epoch->depth) / period - 1, growth = s->O[last] - s->O[last - period];
        most = growth > 0 && most > WEIR_TIME_MAX / growth ? WEIR_TIME_MAX / growth : most; /* further in the next epoch */
        repeat = (repeat > most ? most : repeat) - 1;
        if (repeat * period > s->window + 8) {
            enum weir_search_verdict verdict = jump(s, period, repeat);
            *schedule = (struct schedule){s->row_count - 1, 4};
            return verdict;
        }
    }
    if (age >= 2 * schedule->span) {
        schedule->since = last;
        schedule->span *= 2;
    }
    return WEIR_REACHABLE;
}

static enum weir_search_verdict begin(struct weir_search *s, int64_t threshold)
{
    s->threshold = threshold;
    s->best_cut = WEIR_DEAD;
    s->cut_unbounded = false;
    s->spent = 0;
    s->row_count = 0;
    s->epoch_count = 0;
    struct weir_epoch *epoch = add_epoch(s);
    if (!epoch)
        return WEIR_OUT_OF_MEMORY;
    *epoch = (struct weir_epoch){0};
    enum weir_search_verdict room = reserve_rows(s, s->problem.reference_row + 1);
    if (room != WEIR_REACHABLE)
        return room;
    for (; s->shared <= s->problem.reference_row; s->shared++)
        compute_best_row(s, s->shared, true);
    return WEIR_REACHABLE;
}

enum weir_search_verdict weir_search_decide(struct weir_search *s, int64_t threshold)
{
    const struct weir_problem *p = &s->problem;
    enum weir_search_verdict verdict = begin(s, threshold);
    int64_t base = p->reference_row > p->target_row ? p->reference_row : p->target_row, idle = 0;
    struct schedule schedule = {base + s->window, 4};
    int64_t rows_max = WEIR_TIME_MAX / 2 / (p->graph->row_max + 1); /* in an epoch, so that times fit */
    while (verdict == WEIR_REACHABLE) {
        int64_t row = s->row_count;
        bool first_epoch = s->epoch_count == 1;
        verdict = reserve_rows(s, row + 1);
        if (verdict != WEIR_REACHABLE)
            break;
        if (s->relaxations > p->work_limit || weir_interrupted() || row - s->epochs[s->epoch_count - 1].first > rows_max)
            return WEIR_UNDECIDED;
        if (!first_epoch || row >= s->shared) {
            compute_best_row(s, row, first_epoch);
            s->relaxations += p->graph->arc_count;
            s->shared += first_epoch;
        }
        uint32_t alive;
        s->relaxations += p->graph->arc_count;
        if (compute_label_row(s, row, first_epoch, &alive)) {
            s->row_count++;
            return WEIR_REACHABLE;
        }
        s->row_count++;
        idle = alive ? 0 : idle + 1;
        if (row >= base && idle > s->window)
            return WEIR_UNREACHABLE;
        verdict = accelerate(s, &schedule);
    }
    return verdict;
}
