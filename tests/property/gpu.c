/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs of kernels: no execution of a safe plan ends later than its bound, whatever the dispatch, the order and the times;
 * in a plan with tokens no launch ever waits for SMs or a place; certificates pass the checker; lower bounds are below. The
 * published method is exceeded, which shows that the executions find such things.
 *
 *     gpu COUNT [SEED]      how tight the methods are, how often one is exceeded; exit status 1 on a contradiction
 *     gpu show SEED         one graph as YAML, and what the methods say about it
 *
 * Work is shared among as many processes as there are cores. A contradiction prints the seed of its graph, and the graph.
 */
#include "simulate/gpu.h"
#include "base/number.h"
#include "support/campaign.h"
#include "support/random/kernels.h"

#include <inttypes.h>

enum { RUNS = 3, CLIMB = 120, PARTS = 20 /* of a kernel, on average: more are of no use to anybody */ };

struct way {
    const char *name;
    enum weir_gpu_method method;
    bool no_split;
};
enum { BEST, BEST_WHOLE, SAFE, SAFE_WHOLE, GRAHAM, GREEDY, UNAWARE, PAPER, WAYS };
static const struct way ways[WAYS] = {
    {"best", WEIR_GPU_BEST, false},
    {"best, no split", WEIR_GPU_BEST, true},
    {"safe", WEIR_GPU_SAFE, false},
    {"safe, no split", WEIR_GPU_SAFE, true},
    {"graham", WEIR_GPU_GRAHAM, false},
    {"greedy", WEIR_GPU_GREEDY, false},
    {"greedy-unaware", WEIR_GPU_GREEDY_UNAWARE, false},
    {"paper", WEIR_GPU_PAPER, false},
};

struct tally {
    uint64_t graphs, runs;
    uint64_t plans[WAYS], safe[WAYS], split[WAYS], tight[WAYS];      /* tight: the bound is the lower bound */
    uint64_t reached[WAYS];                                          /* plans whose bound was seen */
    uint64_t exceeded[WAYS], exceeded_by[WAYS][WEIR_GPU_DISPATCHES]; /* plans */
    uint64_t below[WAYS];                                            /* bounds that are below a lower bound: impossible ones */
    double excess[WAYS];                                             /* the largest, as a ratio */
    uint64_t disturbed[WAYS];                                        /* plans of kernels that slow each other down */
    double near[WAYS];                                               /* of these: the sum of seen / bound */
    double gap[WAYS];                                                /* sum of bound / lower */
    uint64_t best_above_graham[2];                                   /* [1]: as published: one least time, all may be split */
};

struct trial {
    uint64_t seed;
    struct weir_pipeline *pipeline;
    struct weir_gpu_spec gpu;
    struct weir_gpu_plan *plans[WAYS]; /* NULL: the method does not cover the graph */
    int way;
    bool disturbed; /* kernels slow each other down */
    struct weir_error error;
    struct tally *tally;
};

static double value(struct weir_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

static bool complain(const struct trial *t, const char *what, struct weir_ratio a, struct weir_ratio b)
{
    printf("graph of seed %" PRIu64 ", %s: %s (%" PRId64 "/%" PRId64 ", %" PRId64 "/%" PRId64 ") %s\n", t->seed, ways[t->way].name,
           what, a.numerator, a.denominator, b.numerator, b.denominator, t->error.message);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    return false;
}

static const struct weir_ratio none = {0, 1};

/* ---- what the methods say ---- */

/* Those that cut kernels into blocks of the least time need one, and no table. */
static bool covers(const struct trial *t, int way)
{
    if (t->gpu.sm_step > 1 && way > SAFE_WHOLE)
        return false;
    if (way != GRAHAM && way != UNAWARE)
        return true;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(t->pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(t->pipeline, (struct weir_operator){i});
        if (spec.time_count || (!spec.min_time && !t->gpu.min_time))
            return false;
    }
    return true;
}

/* That no launch of a safe plan does its load faster than its SMs can, and all of each kernel is done. */
static bool check_loads(struct trial *t, const struct weir_gpu_plan *plan)
{
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *l = &plan->launches[i];
        struct weir_operator_spec kernel = weir_pipeline_operator(t->pipeline, l->kernel);
        int64_t least = kernel.time_count ? 0 : kernel.min_time ? kernel.min_time : t->gpu.min_time;
        for (size_t k = 0; k < kernel.time_count; k++)
            least = kernel.times[k].sms == l->sms ? kernel.times[k].time : least;
        if (weir_ratio_compare(l->time, (struct weir_ratio){least, 1}) < 0)
            return complain(t, "a launch takes less than the least", l->time, (struct weir_ratio){least, 1});
        if (!kernel.time_count &&
            (weir_wide)l->time.numerator * l->sms * l->load.denominator < (weir_wide)l->load.numerator * l->time.denominator)
            return complain(t, "a launch is faster than its SMs", l->time, l->load);
        double sum = 0;
        for (size_t k = 0; k < plan->launch_count; k++)
            sum += plan->launches[k].kernel.index == l->kernel.index ? value(plan->launches[k].load) : 0;
        if (!kernel.time_count && sum * 1000000 < (double)kernel.worst * 999999)
            return complain(t, "a kernel is not done whole", l->load, (struct weir_ratio){kernel.worst, 1});
    }
    return true;
}

static bool check_plan(struct trial *t, const struct weir_gpu_plan *plan)
{
    if (t->way <= SAFE_WHOLE && !plan->safe)
        return complain(t, "not safe", none, none);
    if (plan->safe != !plan->why || (plan->safe && !plan->verified))
        return complain(t, "safe without being verified, or not and without a reason", none, none);
    if (plan->sms != t->gpu.sms - t->gpu.sms % (t->gpu.sm_step ? t->gpu.sm_step : 1) ||
        (ways[t->way].no_split && plan->split_count > 0))
        return complain(t, "another number of SMs, or a kernel in parts", none, none);
    if (plan->launch_count > (size_t)PARTS * weir_pipeline_operator_count(t->pipeline))
        return complain(t, "kernels in very many parts", (struct weir_ratio){(int64_t)plan->launch_count, 1}, none);
    if (t->way <= SAFE_WHOLE && !check_loads(t, plan))
        return false;
    if (plan->safe && weir_ratio_compare(plan->lower, plan->bound) > 0)
        return complain(t, "a safe bound below the lower bound", plan->bound, plan->lower);
    t->tally->plans[t->way]++;
    t->tally->safe[t->way] += plan->safe;
    t->tally->split[t->way] += plan->split_count > 0;
    t->tally->tight[t->way] += weir_ratio_compare(plan->lower, plan->bound) == 0;
    t->tally->below[t->way] += weir_ratio_compare(plan->lower, plan->bound) > 0;
    t->tally->gap[t->way] += value(plan->bound) / value(plan->lower);
    return true;
}

static bool analyze(struct trial *t, int way)
{
    struct weir_gpu_options options = {.method = ways[way].method, .no_split = ways[way].no_split, .verify = true};
    t->way = way;
    enum weir_status status = weir_gpu_analyze(t->pipeline, &options, &t->plans[way], &t->error);
    if (status != WEIR_OK && (status != WEIR_INVALID || covers(t, way)))
        return complain(t, "no answer", none, none);
    if (status == WEIR_OK && !covers(t, way))
        return complain(t, "an answer for a graph that the method does not cover", none, none);
    t->error = (struct weir_error){0};
    return status != WEIR_OK || check_plan(t, t->plans[way]);
}

static bool is_plain(uint64_t seed)
{
    return seed % 3 == 0;
}

/* a is never above b. */
static bool not_above(struct trial *t, int a, int b)
{
    t->way = a;
    return weir_ratio_compare(t->plans[a]->bound, t->plans[b]->bound) <= 0 ||
           complain(t, "above another method", t->plans[a]->bound, t->plans[b]->bound);
}

static bool compare(struct trial *t)
{
    if (!not_above(t, BEST, SAFE) || !not_above(t, BEST_WHOLE, SAFE_WHOLE) || !not_above(t, BEST, BEST_WHOLE))
        return false;
    if (t->plans[GRAHAM])
        t->tally->best_above_graham[is_plain(t->seed)] += weir_ratio_compare(t->plans[BEST]->bound, t->plans[GRAHAM]->bound) > 0;
    return true;
}

/* ---- what executions say ---- */

/* Whether a bound is claimed for this dispatch. Greedy's holds where one launch's blocks come before the next one's, and Graham's
 * where no SM is idle while a block is ready. */
static bool claimed(const struct trial *t, enum weir_gpu_dispatch dispatch)
{
    bool simple = t->gpu.launch_overhead == 0 && t->gpu.max_concurrent == 0 && !t->disturbed;
    if (t->way == GREEDY)
        return simple && dispatch != WEIR_GPU_INTERLEAVED;
    if (t->way == GRAHAM)
        return t->gpu.max_concurrent == 0 && !t->disturbed && dispatch != WEIR_GPU_GANG;
    return t->way <= SAFE_WHOLE;
}

struct seen {
    int64_t latest[WEIR_GPU_DISPATCHES];
    struct weir_gpu_stage stage;
};

static bool note(struct trial *t, struct seen *seen, enum weir_gpu_dispatch dispatch, int64_t end)
{
    const struct weir_gpu_plan *plan = t->plans[t->way];
    seen->latest[dispatch] = end > seen->latest[dispatch] ? end : seen->latest[dispatch];
    if (plan->token_count > 0 && seen->stage.waits > 0)
        return complain(t, "a launch waits for SMs or a place", (struct weir_ratio){end, seen->stage.scale}, plan->bound);
    return true;
}

static bool run_all(struct trial *t, struct seen *seen, enum weir_gpu_dispatch dispatch)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG};
    const struct weir_gpu_plan *plan = t->plans[t->way];
    struct weir_gpu_climb climb = {.dispatch = dispatch, .seed = t->seed, .runs = CLIMB};
    int64_t end, worst = -1;
    for (uint64_t run = 0; run < 3 * RUNS; run++) {
        weir_gpu_script_draw(&seen->stage, dispatch, times[run % 3], t->seed * RUNS + run);
        if (weir_gpu_stage_run(&seen->stage, &seen->stage.script, &end, &t->error))
            return complain(t, "the simulation fails", none, none);
        if (!note(t, seen, dispatch, end))
            return false;
        worst = run % 3 == 0 && end > worst ? end : worst;
    }
    /* All work is done, and on no more SMs than there are. */
    if (t->way <= SAFE_WHOLE && seen->stage.exact && !t->disturbed &&
        weir_ratio_compare((struct weir_ratio){worst, seen->stage.scale}, plan->lower) < 0)
        return complain(t, "an execution at worst times is shorter than the lower bound",
                        (struct weir_ratio){worst, seen->stage.scale}, plan->lower);
    if (weir_gpu_climb_late(&seen->stage, &climb, &end, &t->error))
        return complain(t, "the climb fails", none, none);
    t->tally->runs += 3 * RUNS + CLIMB;
    return note(t, seen, dispatch, end);
}

static bool hold_against(struct trial *t, const struct seen *seen)
{
    const struct weir_gpu_plan *plan = t->plans[t->way];
    bool exceeded = false, reached = false;
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        struct weir_ratio latest = {seen->latest[i], seen->stage.scale};
        int order = weir_ratio_compare(latest, plan->bound);
        if (order > 0 && claimed(t, (enum weir_gpu_dispatch)i))
            return complain(t, "an execution is later than the bound", latest, plan->bound);
        exceeded |= order > 0;
        reached |= order == 0;
        t->tally->exceeded_by[t->way][i] += order > 0;
        if (value(latest) / value(plan->bound) > t->tally->excess[t->way])
            t->tally->excess[t->way] = value(latest) / value(plan->bound);
    }
    t->tally->exceeded[t->way] += exceeded;
    t->tally->reached[t->way] += reached;
    if (t->disturbed) {
        double latest = 0;
        for (int i = 0; i < WEIR_GPU_DISPATCHES; i++)
            latest = (double)seen->latest[i] > latest ? (double)seen->latest[i] : latest;
        t->tally->disturbed[t->way]++;
        t->tally->near[t->way] += latest / (double)seen->stage.scale / value(plan->bound);
    }
    return true;
}

static bool simulate(struct trial *t, int way)
{
    struct seen seen = {.latest = {0}};
    t->way = way;
    bool good = weir_gpu_stage_open(&seen.stage, t->plans[way], &t->error) == WEIR_OK;
    if (!good)
        complain(t, "the plan cannot be simulated", none, none);
    for (int i = 0; i < WEIR_GPU_DISPATCHES && good; i++)
        good = run_all(t, &seen, (enum weir_gpu_dispatch)i);
    good = good && hold_against(t, &seen);
    weir_gpu_stage_close(&seen.stage);
    return good;
}

/* ---- graphs ---- */

static struct weir_pipeline *graph_of(uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    return weir_random_kernels(&random, is_plain(seed));
}

static bool try_seed(uint64_t seed, void *into)
{
    struct tally *tally = into;
    struct trial t = {.seed = seed, .tally = tally, .pipeline = graph_of(seed)};
    if (!t.pipeline)
        return false;
    t.gpu = weir_pipeline_gpu(t.pipeline);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(t.pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(t.pipeline, (struct weir_operator){i});
        t.disturbed |= spec.suffers_read || spec.suffers_copy;
    }
    bool good = true;
    for (int way = 0; way < WAYS && good; way++)
        good = analyze(&t, way);
    good = good && compare(&t);
    for (int way = 0; way < WAYS && good; way++)
        good = !t.plans[way] || simulate(&t, way);
    for (int way = 0; way < WAYS; way++)
        weir_gpu_plan_free(t.plans[way]);
    weir_pipeline_free(t.pipeline);
    tally->graphs++;
    return good;
}

static void show_plan(const struct weir_pipeline *pipeline, const struct weir_gpu_plan *plan)
{
    printf(": bound %.4f, lower %.4f%s%s\n", value(plan->bound), value(plan->lower),
           plan->safe ? "" : ", not safe: ", plan->why ? plan->why : "");
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *l = &plan->launches[i];
        printf("#   %zu: %s %u/%u, group %u, %u SMs, load %.4f, time %.4f, start %.4f, after", i,
               weir_pipeline_operator(pipeline, l->kernel).name, l->part, l->parts, l->group, l->sms, value(l->load),
               value(l->time), value(l->start));
        for (size_t k = 0; k < l->after_count; k++)
            printf(" %u", l->after[k]);
        printf("\n");
    }
}

static int show(uint64_t seed)
{
    struct weir_pipeline *pipeline = graph_of(seed);
    struct tally tally = {0};
    if (!pipeline)
        return 1;
    weir_pipeline_write_yaml(pipeline, stdout, NULL);
    for (int way = 0; way < WAYS; way++) {
        struct weir_gpu_options options = {.method = ways[way].method, .no_split = ways[way].no_split};
        struct weir_gpu_plan *plan;
        struct weir_error error;
        printf("# %s", ways[way].name);
        if (weir_gpu_analyze(pipeline, &options, &plan, &error)) {
            printf(": %s\n", error.message);
            continue;
        }
        show_plan(pipeline, plan);
        weir_gpu_plan_free(plan);
    }
    weir_pipeline_free(pipeline);
    return try_seed(seed, &tally) ? 0 : 1;
}

/* ---- the campaign ---- */

/* No graph this small takes long; one that never ends must not pass for one that does. */
enum { SECONDS = 120 };

static void add(void *into, const void *from)
{
    struct tally *sum = into;
    const struct tally *one = from;
    sum->graphs += one->graphs, sum->runs += one->runs;
    sum->best_above_graham[0] += one->best_above_graham[0], sum->best_above_graham[1] += one->best_above_graham[1];
    for (int w = 0; w < WAYS; w++) {
        sum->plans[w] += one->plans[w], sum->safe[w] += one->safe[w], sum->split[w] += one->split[w];
        sum->tight[w] += one->tight[w], sum->reached[w] += one->reached[w], sum->exceeded[w] += one->exceeded[w];
        sum->below[w] += one->below[w], sum->gap[w] += one->gap[w];
        sum->disturbed[w] += one->disturbed[w], sum->near[w] += one->near[w];
        sum->excess[w] = one->excess[w] > sum->excess[w] ? one->excess[w] : sum->excess[w];
        for (int i = 0; i < WEIR_GPU_DISPATCHES; i++)
            sum->exceeded_by[w][i] += one->exceeded_by[w][i];
    }
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print(const void *tally)
{
    const struct tally *t = tally;
    printf("%" PRIu64 " graphs, %" PRIu64 " executions\n", t->graphs, t->runs);
    for (int w = 0; w < WAYS; w++)
        printf("%-15s %7" PRIu64 " plans, %5.1f %% safe, %4.1f %% with parts; bound / lower %.4f, equal %4.1f %%, below %.1f %%; "
               "reached %5.1f %%, exceeded %4.1f %% (gang %.1f, FIFO %.1f, interleaved %.1f), at most %.3f of the bound seen\n",
               ways[w].name, t->plans[w], percent(t->safe[w], t->plans[w]), percent(t->split[w], t->plans[w]),
               t->plans[w] ? t->gap[w] / (double)t->plans[w] : 0, percent(t->tight[w], t->plans[w]),
               percent(t->below[w], t->plans[w]), percent(t->reached[w], t->plans[w]), percent(t->exceeded[w], t->plans[w]),
               percent(t->exceeded_by[w][WEIR_GPU_GANG], t->plans[w]), percent(t->exceeded_by[w][WEIR_GPU_FIFO], t->plans[w]),
               percent(t->exceeded_by[w][WEIR_GPU_INTERLEAVED], t->plans[w]), t->excess[w]);
    for (int w = 0; w <= SAFE_WHOLE; w++)
        printf("%-15s %7" PRIu64 " plans of kernels that slow each other down: seen / bound %.3f\n", ways[w].name, t->disturbed[w],
               t->disturbed[w] ? t->near[w] / (double)t->disturbed[w] : 0);
    printf("best is above graham %" PRIu64 " times, and %" PRIu64 " times in graphs as published\n", t->best_above_graham[0],
           t->best_above_graham[1]);
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *t = tally;
    bool seen = t->graphs == count && t->split[BEST] > 0 && t->split[SAFE] > 0 && t->disturbed[BEST] > 0;
    for (int w = 0; w <= SAFE_WHOLE; w++)
        seen = seen && t->reached[w] * 2 > t->plans[w] && t->exceeded[w] == 0 && t->near[w] > 0.985 * (double)t->disturbed[w];
    seen = seen && t->exceeded[PAPER] * 20 > t->plans[PAPER] && t->exceeded_by[GREEDY][WEIR_GPU_INTERLEAVED] > 0;
    return seen;
}

const struct campaign campaign = {try_seed,   print,        saw_enough,         sizeof(struct tally),
                                  .add = add, .show = show, .seconds = SECONDS, .late = {"takes too long: graph of seed ", ""}};
