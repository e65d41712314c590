/* SPDX-License-Identifier: Apache-2.0 */
#include "forge.h"

#include "unit/engine/exact/asking.h"

#include <stdlib.h>
#include <string.h>

bool forge_alive(int64_t value)
{
    return value > WEIR_NOTHING_BELOW;
}

size_t forge_entries(const struct forge *f, enum forge_table table)
{
    return (size_t)(f->rows * (table == FORGE_ORIGIN ? 1 : f->n));
}

/* As weir_separation_certify does it. */
static void take(struct forge *f, const struct weir_search *s)
{
    const int64_t *from[] = {s->C, s->D, s->O};
    f->n = s->n;
    f->rows = s->row_count;
    for (int t = 0; t < FORGE_TABLES; t++) {
        size_t bytes = forge_entries(f, (enum forge_table)t) * sizeof(int64_t);
        f->honest[t] = malloc(bytes);
        f->table[t] = malloc(bytes);
        assert_true(f->honest[t] && f->table[t]);
        memcpy(f->honest[t], from[t], bytes);
    }
    f->honest_stretches = calloc(s->epoch_count, sizeof *f->stretches);
    f->stretches = calloc(s->epoch_count, sizeof *f->stretches);
    assert_true(f->honest_stretches && f->stretches);
    for (size_t i = 0; i < s->epoch_count; i++) {
        int64_t end = i + 1 < s->epoch_count ? s->epochs[i + 1].first : s->row_count;
        f->honest_stretches[i] =
            (struct weir_stretch){s->epochs[i].first, end, s->epochs[i].period, s->epochs[i].repeat, s->epochs[i].base};
    }
    const struct weir_problem *p = &s->problem;
    f->honest_certificate = (struct weir_certificate){.about = weir_problem_certified(p, s->threshold),
                                                      .window = s->window,
                                                      .label = f->honest[FORGE_LABEL],
                                                      .best = f->honest[FORGE_BEST],
                                                      .origin = f->honest[FORGE_ORIGIN],
                                                      .stretches = f->honest_stretches,
                                                      .stretch_count = s->epoch_count};
}

void forge_restore(struct forge *f)
{
    for (int t = 0; t < FORGE_TABLES; t++)
        memcpy(f->table[t], f->honest[t], forge_entries(f, (enum forge_table)t) * sizeof(int64_t));
    f->certificate = f->honest_certificate;
    memcpy(f->stretches, f->honest_stretches, f->certificate.stretch_count * sizeof *f->stretches);
    f->certificate.label = f->table[FORGE_LABEL];
    f->certificate.best = f->table[FORGE_BEST];
    f->certificate.origin = f->table[FORGE_ORIGIN];
    f->certificate.stretches = f->stretches;
}

void forge_make(struct forge *f, const char *model, const char *from, const char *to, int64_t shift)
{
    memset(f, 0, sizeof *f);
    f->pipeline = stage_read(model);
    f->query = ask_query(f->pipeline, from, to, shift);
    f->worst = ask_exact(f->pipeline, &f->query);
    struct weir_solver *solver = weir_solver_new(f->pipeline, NULL);
    struct weir_problem problem;
    assert_int_equal(weir_problem_pose(solver, &f->query, &problem, NULL), WEIR_OK);
    struct weir_search *search = weir_search_new(problem.graph->actor_count, problem.graph->tokens_max);
    weir_search_pose(search, &problem);
    assert_int_equal(weir_search_decide(search, f->worst + 1), WEIR_UNREACHABLE);
    take(f, search);
    forge_restore(f);
    weir_search_free(search);
    weir_solver_free(solver);
}

void forge_free(struct forge *f)
{
    for (int t = 0; t < FORGE_TABLES; t++) {
        free(f->honest[t]);
        free(f->table[t]);
    }
    free(f->honest_stretches);
    free(f->stretches);
    weir_pipeline_free(f->pipeline);
}

int64_t forge_claim(const struct forge *f, bool honest, enum forge_table table, int64_t row, int64_t actor)
{
    const struct weir_certificate *c = honest ? &f->honest_certificate : &f->certificate;
    const int64_t *values = honest ? f->honest[table] : f->table[table];
    int64_t width = table == FORGE_ORIGIN ? 1 : f->n, passed = 0;
    for (size_t i = 0; i < c->stretch_count; i++) {
        const struct weir_stretch *s = &c->stretches[i];
        int64_t begin = s->first + (i ? c->window : 0), stored = s->end - begin;
        if (row < passed + stored)
            return values[(begin + row - passed) * width + actor];
        passed += stored;
        if (s->repeat == INT64_MAX || (s->repeat > 0 && row < passed + s->period * s->repeat)) {
            int64_t past = row - passed, last = s->end - s->period + past % s->period, times = past / s->period + 1;
            int64_t now = values[last * width + actor], before = values[(last - s->period) * width + actor];
            return forge_alive(now) ? now + times * (now - before) : WEIR_NOTHING;
        }
        passed += s->period * s->repeat;
    }
    return WEIR_NOTHING;
}

void forge_assert_true(const struct forge *f, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t o = 0; o < f->n; o++) {
            int64_t label = forge_claim(f, false, FORGE_LABEL, row, o), longest = forge_claim(f, true, FORGE_LABEL, row, o);
            if (forge_alive(longest))
                assert_true(label >= longest);
            int64_t best = forge_claim(f, false, FORGE_BEST, row, o), shortest = forge_claim(f, true, FORGE_BEST, row, o);
            /* Where every label is dead the table need not go on. */
            if (forge_alive(best) && shortest != WEIR_NOTHING)
                assert_true(best <= shortest);
        }
        int64_t origin = forge_claim(f, false, FORGE_ORIGIN, row, 0), truth = forge_claim(f, true, FORGE_ORIGIN, row, 0);
        if (forge_alive(origin) && forge_alive(truth))
            assert_true(origin <= truth);
    }
}
