/* SPDX-License-Identifier: Apache-2.0 */
#include "priority_regions.h"

#include "base/random.h"
#include "check/priority/bounds.h"
#include "engine/priority/level.h"
#include "model/pipeline.h"

#include <string.h>

enum { DRAWN = 4, JOINED = 3 };

struct trial {
    const struct weir_taskset *set;
    struct weir_bounds_proof *proof;
    struct weir_priority_system system;
    struct weir_bounds_stage stage; /* what a region says of one task, with what is known of the others */
    struct drawn *drawn;
};

/* The system that the proof is about, with the bounds that were found. */
static bool begin(struct trial *t, const struct weir_priority_analysis *analysis)
{
    struct weir_priority_system *s = &t->system;
    s->latency_limit = 1000;
    for (uint32_t i = 0; i < t->set->task_count; i++)
        s->latency_limit += 60 * t->set->graphs[t->set->tasks[i].graph].period + analysis->operators[i].finish_max;
    s->work_limit = UINT64_C(100000000);
    s->report_at = UINT64_MAX;
    if (weir_priority_system_open(s, t->set, NULL))
        return false;
    memcpy(s->fixed, t->proof->room, t->set->edge_count * sizeof *s->fixed);
    memcpy(s->room, t->proof->room, t->set->edge_count * sizeof *s->room);
    s->timed = true;
    for (uint32_t i = 0; i < t->set->task_count; i++) {
        s->enable[i] = analysis->operators[i].enable_max;
        s->finish[i] = analysis->operators[i].finish_max;
        s->level[i] = WEIR_NO_LEVEL;
    }
    weir_priority_distances(s, false);
    t->stage = (struct weir_bounds_stage){
        .rule = WEIR_RULE_LEVEL, .enable_max = s->enable, .finish_max = s->finish, .level = s->level, .region = s->region};
    return true;
}

static void draw(struct trial *t, struct weir_random *random, uint32_t *task, struct weir_region *region)
{
    int64_t last = t->set->task_count - 1;
    *task = (uint32_t)weir_random_between(random, 0, last);
    region->count = (uint32_t)weir_random_between(random, 1, JOINED);
    for (uint32_t k = 0; k < region->count; k++)
        region->task[k] = (uint32_t)weir_random_between(random, 0, last);
}

/* Whether the checker takes that the task ends by this, in a stage behind the others. */
static bool is_taken(struct trial *t, uint32_t task, const struct weir_region *region, int64_t finish, bool *too_long)
{
    bool holds = false;
    int64_t known = t->system.finish[task];
    t->system.finish[task] = finish;
    t->system.level[task] = t->set->tasks[task].priority;
    t->system.region[task] = *region;
    if (!weir_proof_add(t->proof, &t->stage))
        return false;
    *too_long = weir_bounds_check(t->set, t->proof, &holds, NULL) != WEIR_OK;
    struct weir_bounds_stage *added = &t->proof->stages[--t->proof->stage_count];
    weir_free(added->enable_max);
    weir_free(added->finish_max);
    weir_free(added->level);
    weir_free(added->region);
    t->system.finish[task] = known;
    t->system.level[task] = WEIR_NO_LEVEL;
    t->system.region[task].count = 0;
    return holds;
}

static bool complain(struct trial *t, const char *what, uint32_t op, int64_t claim, int64_t seen)
{
    t->drawn->what = what;
    t->drawn->op = op;
    t->drawn->claim = claim;
    t->drawn->seen = seen;
    return false;
}

static bool joins(const struct trial *t, uint32_t task, const struct weir_region *region)
{
    bool all = t->system.sharing[task] != WEIR_TDM;
    for (uint32_t k = 0; k < region->count; k++)
        all = all && t->system.sharing[region->task[k]] != WEIR_TDM;
    weir_wide whole = (weir_wide)1 << 60, load = 0;
    for (uint32_t k = 0; k < t->system.entered_count; k++)
        load += whole * t->set->tasks[t->system.entered[k]].worst / t->system.period[t->system.entered[k]] + 1;
    return all && load < whole;
}

static bool holds(struct trial *t, uint32_t task, const struct weir_region *region, int64_t seen)
{
    struct weir_priority_system *s = &t->system;
    struct weir_level level = {.s = s, .task = task, .priority = t->set->tasks[task].priority, .region = region};
    struct weir_window window;
    bool too_long = false;
    t->drawn->regions++;
    if (is_taken(t, task, region, seen - 1, &too_long) && !too_long)
        return complain(t, "by a region it is claimed too early, the end of", task, seen - 1, seen);
    weir_priority_distances_from(s, task);
    weir_level_enter(s, task, level.priority, region);
    if (!joins(t, task, region) || weir_level_close(&level, s->latency_limit, &window) != WEIR_WINDOW_FOUND)
        return true;
    int64_t bound = s->enable[task] + window.duration;
    t->drawn->bounds++;
    if (bound < seen)
        return complain(t, "by a region it should have been over, the end of", task, bound, seen);
    return bound >= s->finish[task] || is_taken(t, task, region, bound, &too_long) || too_long ||
           complain(t, "the checker refuses a region, for", task, bound, seen);
}

bool drawn_regions_hold(const struct weir_pipeline *pipeline, const struct weir_priority_analysis *analysis,
                        const struct weir_processors_observed *seen, uint64_t seed, struct drawn *drawn)
{
    struct trial t = {.set = pipeline->taskset, .proof = analysis->proof, .drawn = drawn};
    struct weir_random random;
    bool good = begin(&t, analysis);
    weir_random_seed(&random, seed);
    for (int k = 0; k < DRAWN && good; k++) {
        struct weir_region region = {0};
        uint32_t task;
        draw(&t, &random, &task, &region);
        good = holds(&t, task, &region, seen->finish_max[task]);
    }
    weir_priority_system_close(&t.system);
    return good;
}
