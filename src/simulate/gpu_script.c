/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts for the launches of a plan: drawn, and changed step by step towards executions that end late. */
#include "simulate/gpu.h"

#include "base/alloc.h"
#include "base/error.h"

/* Runs of a climb before it begins anew. */
#define CLIMB_RUNS 60

/* ---- drawing ---- */

/* What waits for a launch that ends a little early can overtake others. */
int64_t weir_gpu_extreme(struct weir_random *random, int64_t most)
{
    uint64_t draw = weir_random_next(random) >> 62;
    int64_t near = most > 0 && draw % 2;
    return draw / 2 ? most - near : near;
}

static int64_t draw_length(struct weir_random *random, enum weir_times times, int64_t most)
{
    if (times == WEIR_TIMES_WORST)
        return most;
    bool each = weir_random_next(random) >> 63;
    if (times == WEIR_TIMES_RANDOM)
        return each ? WEIR_GPU_EACH_RANDOM : weir_random_between(random, 0, most);
    return each ? WEIR_GPU_EACH_EXTREME : weir_gpu_extreme(random, most);
}

static int64_t draw_delay(struct weir_random *random, enum weir_times times, int64_t most)
{
    if (times == WEIR_TIMES_WORST || most == 0)
        return most;
    return times == WEIR_TIMES_RANDOM ? weir_random_between(random, 0, most) : weir_gpu_extreme(random, most);
}

static void draw(struct weir_gpu_stage *s, enum weir_times times, struct weir_random *random)
{
    struct weir_gpu_script *script = &s->script;
    /* Most launches at their worst, or few: what is late in a plan is often one that is early among many that are not. */
    int64_t late = times == WEIR_TIMES_WORST ? 0 : weir_random_between(random, 0, 9);
    script->order = (enum weir_gpu_turns)weir_random_between(random, 0, WEIR_GPU_TURNS - 1);
    script->seed = weir_random_next(random);
    for (uint32_t v = 0; v < s->count; v++) {
        bool worst = late > 0 && weir_random_between(random, 1, 10) <= late;
        script->rank[v] = weir_random_next(random);
        script->length[v] = draw_length(random, worst ? WEIR_TIMES_WORST : times, s->time[v]);
        script->delay[v] = draw_delay(random, times, s->overhead);
    }
}

void weir_gpu_script_draw(struct weir_gpu_stage *s, enum weir_gpu_dispatch dispatch, enum weir_times times, uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    s->script.dispatch = dispatch;
    draw(s, times, &random);
}

/* ---- climbing ---- */

/* What a step changed, to take it back. */
struct step {
    enum weir_gpu_turns order;
    uint64_t seed, rank;
    uint32_t launch;
    int64_t length, delay;
};

static struct step change(struct weir_gpu_stage *s, const struct weir_gpu_climb *climb, struct weir_random *random)
{
    struct weir_gpu_script *script = &s->script;
    uint32_t v = (uint32_t)weir_random_between(random, 0, (int64_t)s->count - 1);
    struct step step = {script->order, script->seed, script->rank[v], v, script->length[v], script->delay[v]};
    int64_t what = weir_random_between(random, 0, 9);
    enum weir_times times = what % 2 ? WEIR_TIMES_BANG_BANG : WEIR_TIMES_RANDOM;
    if (what == 0)
        script->seed = weir_random_next(random);
    else if (what == 1)
        script->order = (enum weir_gpu_turns)weir_random_between(random, 0, WEIR_GPU_TURNS - 1);
    else if (what < 5 || climb->worst_only) /* first of all, last of all, anywhere */
        script->rank[v] = what == 2 ? 0 : what == 3 ? UINT64_MAX : weir_random_next(random);
    else if (what == 5 && s->overhead > 0)
        script->delay[v] = draw_delay(random, times, s->overhead);
    else
        script->length[v] = what < 8 ? draw_length(random, times, s->time[v]) : s->time[v];
    return step;
}

static void take_back(struct weir_gpu_script *script, const struct step *step)
{
    script->order = step->order;
    script->seed = step->seed;
    script->rank[step->launch] = step->rank;
    script->length[step->launch] = step->length;
    script->delay[step->launch] = step->delay;
}

enum weir_status weir_gpu_climb_late(struct weir_gpu_stage *s, const struct weir_gpu_climb *climb, int64_t *makespan,
                                     struct weir_error *error)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_BANG_BANG, WEIR_TIMES_RANDOM};
    struct weir_random random;
    int64_t reached = -1, seen;
    weir_random_seed(&random, climb->seed);
    s->script.dispatch = climb->dispatch;
    *makespan = -1;
    for (uint32_t run = 0; run < climb->runs; run++) {
        struct step step = {0};
        bool anew = run % CLIMB_RUNS == 0 || s->count == 0;
        if (anew)
            draw(s, climb->worst_only ? WEIR_TIMES_WORST : times[run / CLIMB_RUNS % 3], &random);
        else
            step = change(s, climb, &random);
        enum weir_status status = weir_gpu_stage_run(s, &s->script, &seen, error);
        if (status)
            return status;
        if (anew || seen >= reached)
            reached = seen;
        else
            take_back(&s->script, &step);
        *makespan = seen > *makespan ? seen : *makespan;
    }
    return WEIR_OK;
}
