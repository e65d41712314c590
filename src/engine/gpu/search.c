/* SPDX-License-Identifier: Apache-2.0 */

#include "engine/gpu/search.h"
#include "engine/gpu/plan.h"

#define WIDEST 32u /* choices that the pilot keeps in its last round */
#define LENGTHS 32u

struct search {
    struct weir_gpu_desk desk;
    struct weir_gpu_record best; /* with handed tokens */
    struct weir_gpu_record made; /* in groups, with barriers */
    bool limited;
};

uint64_t weir_gpu_search_limit(const struct weir_gpu_system *system)
{
    if (system->work_limit)
        return system->work_limit;
    /* Some 8 ms for two dozen kernels, 3 s for a thousand or more; and there may be two searches. */
    uint64_t count = system->kernels->count, most = UINT64_C(30000000);
    uint64_t limit = count < 1000 ? UINT64_C(4500) * count + UINT64_C(26) * count * count : most;
    return limit < most ? limit : most;
}

/* ---- in groups ---- */

/* Tries every policy from the start; the best one is the first guide of the pilot. */
static bool try_policies(struct search *search, struct weir_gpu_pilot *pilot)
{
    struct weir_gpu_desk *d = &search->desk;
    struct weir_gpu_state state;
    struct weir_gpu_mark mark = {0};
    int64_t best = WEIR_GPU_NEVER, length;
    if (!weir_gpu_state_open(d, &state))
        return false;
    bool ok = weir_gpu_mark_open(d, &mark);
    d->bar = WEIR_GPU_NEVER;
    for (int i = 0; ok && i < 3 * WEIR_GPU_RULES && !weir_gpu_over(d, search->made.length); i++) {
        struct weir_gpu_policy policy = {(enum weir_gpu_order)(i / WEIR_GPU_RULES), (enum weir_gpu_rule)(i % WEIR_GPU_RULES)};
        weir_gpu_mark_set(&mark, &state);
        ok = weir_gpu_play(d, &state, policy, &length);
        if (!ok)
            break;
        weir_gpu_mark_return(d, &mark, &d->log, &state);
        if (length < best) {
            best = length;
            pilot->guides[0] = policy;
        }
        if (length < search->made.length || (length == search->made.length && d->log.count < search->made.draft.count)) {
            ok = weir_gpu_draft_copy(&d->log, &search->made.draft);
            search->made.length = length;
        }
    }
    weir_gpu_mark_close(&mark);
    weir_gpu_state_close(&state);
    return ok;
}

static void choose_guides(struct weir_gpu_pilot *pilot)
{
    static const struct weir_gpu_policy others[] = {{WEIR_GPU_LEVEL, WEIR_GPU_SHORTEST}, {WEIR_GPU_DESCENDANTS, WEIR_GPU_TOP}};
    pilot->guide_count = 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].order != pilot->guides[0].order || others[i].rule != pilot->guides[0].rule)
            pilot->guides[pilot->guide_count++] = others[i];
}

/* Fewer guides and lengths where a round would otherwise not come to its end. Most plays are given up early: a third is left. */
static void fit_pilot(const struct search *search, struct weir_gpu_pilot *pilot)
{
    const struct weir_gpu_desk *d = &search->desk;
    uint64_t room = d->limit > d->system->work ? d->limit - d->system->work : 0;
    uint64_t plays = (uint64_t)search->made.draft.groups * WEIR_GPU_ORDERS * pilot->lengths * pilot->guide_count;
    uint64_t each = d->system->kernels->count / 6 + 1;
    while (plays / (room / each + 1) > 0 && (pilot->guide_count > 1 || pilot->lengths > 4)) {
        if (pilot->guide_count > 1) {
            plays /= pilot->guide_count;
            pilot->guide_count = 1;
        } else {
            plays /= 2;
            pilot->lengths /= 2;
        }
    }
}

/* Plans in groups, until system->work is `limit`; the shortest is kept if it is shorter than the best with handed tokens as well.
 */
static bool make_groups(struct search *search, uint64_t limit)
{
    struct weir_gpu_desk *d = &search->desk;
    struct weir_gpu_pilot pilot = {.desk = d, .record = &search->made, .lengths = LENGTHS};
    d->limit = limit;
    d->limited = false;
    search->made.length = WEIR_GPU_NEVER;
    bool ok = try_policies(search, &pilot);
    choose_guides(&pilot);
    fit_pilot(search, &pilot);
    for (pilot.width = 1; ok && pilot.width <= WIDEST && !weir_gpu_over(d, search->made.length); pilot.width *= 2)
        ok = weir_gpu_pilot_run(&pilot);
    search->limited |= d->limited;
    if (!ok || search->made.length == WEIR_GPU_NEVER)
        return ok;
    struct weir_gpu_flow flow;
    if (weir_gpu_flow_make(d->system, &search->made.draft, WEIR_GPU_HANDED, &flow))
        return false;
    if (flow.length < search->best.length) {
        ok = weir_gpu_draft_copy(&search->made.draft, &search->best.draft);
        search->best.length = flow.length;
    }
    weir_gpu_flow_free(&flow);
    return ok;
}

/* ---- all of it ---- */

static bool run(struct search *search)
{
    struct weir_gpu_desk *d = &search->desk;
    struct weir_gpu_system *system = d->system;
    uint64_t tuning = UINT64_C(6000) * system->kernels->count;
    /* Steps with barriers say less about a plan where each costs time of its own. */
    uint64_t most = system->overhead ? d->whole - d->whole / 3 : d->whole / 3;
    tuning = tuning < most ? tuning : most;
    bool ok = weir_gpu_over(d, search->best.length) || make_groups(search, d->first + d->whole - tuning);
    d->limit = d->first + d->whole;
    d->limited = false;
    ok = ok && weir_gpu_tune(d, &search->best, tuning);
    search->limited |= d->limited;
    return ok;
}

enum weir_status weir_gpu_search(struct weir_gpu_system *system, int64_t lower, struct weir_gpu_draft *best, bool *limited)
{
    struct search search = {.best.draft = *best};
    struct weir_gpu_flow flow;
    *limited = false;
    if (weir_gpu_flow_make(system, best, WEIR_GPU_HANDED, &flow))
        return WEIR_MEMORY;
    search.best.length = flow.length;
    weir_gpu_flow_free(&flow);
    if (!weir_gpu_desk_open(system, &search.desk))
        return WEIR_MEMORY;
    search.desk.lower = lower;
    search.desk.first = system->work;
    search.desk.whole = weir_gpu_search_limit(system);
    search.desk.limit = search.desk.first + search.desk.whole;
    bool ok = run(&search);
    *limited = search.limited && search.best.length > lower + lower / 100000;
    *best = search.best.draft;
    weir_gpu_draft_free(&search.made.draft);
    weir_gpu_desk_close(&search.desk);
    return ok ? WEIR_OK : WEIR_MEMORY;
}
