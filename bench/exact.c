/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the exact engine is, inside the library, on sealed pipelines.
 *
 *     bench_exact [apps|dense|layered|slow|all]...
 *     bench_exact goals [PART]
 *
 * Each line: the pipeline, the time of one worst-case query, the trace arcs it relaxed, the time per arc, and the ratio to a plain
 * loop that reads as many arcs of the same arrays, once each, and takes their maximum. Both are measured alternately in one run and
 * the fastest of several is taken, since machines are noisy. `goals`: what the engine is meant to do beside what it does
 * (exact_table.c); only the rows whose names contain PART.
 */
#include "clock.h"
#include "engine/exact/solver.h"
#include "exact_table.h"
#include "model/pipeline.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static volatile int64_t keep; /* so that the plain loop is not optimised away */

/* Reads `arcs` arcs, actor by actor as the engine's rows do, over and over. */
static void plain_loop(const struct weir_graph *g, const int64_t *values, uint64_t arcs)
{
    int64_t largest = INT64_MIN;
    while (arcs > 0) {
        uint64_t now = arcs < g->arc_count ? arcs : g->arc_count;
        for (uint64_t i = 0; i < now; i++)
            largest = values[g->heads[i]] > largest ? values[g->heads[i]] : largest;
        arcs -= now;
        keep = largest;
    }
}

struct figure {
    double query, loop;
    struct weir_separation result;
};

/* `anew`: what the solver made of the question before is forgotten each time. */
static struct figure measure(const struct weir_pipeline *pipeline, double budget, bool anew)
{
    struct weir_solver *solver = weir_solver_new(pipeline, NULL);
    struct weir_chain_spec chain = weir_pipeline_chain(pipeline, 0);
    struct weir_query query = {
        .from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = chain.shift};
    struct figure best = {.query = 1e9, .loop = 1e9};
    int64_t *values = calloc(pipeline->graph->actor_count, sizeof *values);
    double begin = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    unsigned repeat = 1;
    for (int round = 0; round < 200 && (round < 2 || bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin < budget); round++) {
        double t0 = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (unsigned i = 0; i < repeat; i++) {
            if (anew)
                weir_solver_forget(solver);
            weir_separation_worst(solver, &query, &best.result, NULL);
        }
        double t1 = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (unsigned i = 0; i < repeat; i++)
            plain_loop(pipeline->graph, values, best.result.relaxations);
        double t2 = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (t1 - t0 < 1e-3 && repeat < 1u << 20) { /* too short to be timed */
            repeat *= 2;
            round = 0;
            continue;
        }
        best.query = (t1 - t0) / repeat < best.query ? (t1 - t0) / repeat : best.query;
        best.loop = (t2 - t1) / repeat < best.loop ? (t2 - t1) / repeat : best.loop;
    }
    free(values);
    weir_solver_free(solver);
    return best;
}

static void print_line(const char *name, const struct weir_pipeline *pipeline, double budget)
{
    char text[32];
    struct figure f = measure(pipeline, budget, false);
    printf("%-44s %12s  %12llu arcs %3u passes  %6.2f ns/arc  %5.2fx plain loop%s\n", name, bench_duration(f.query, 3, text),
           (unsigned long long)f.result.relaxations, f.result.passes, f.query * 1e9 / (double)f.result.relaxations,
           f.query / f.loop, f.result.outcome == WEIR_EXACT ? "" : "  NOT EXACT");
    fflush(stdout);
}

/* The same pipeline with best = permille of worst. */
static struct weir_pipeline *with_best(const struct weir_pipeline *p, uint32_t permille)
{
    struct weir_pipeline *copy = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        spec.best = spec.worst * permille / 1000;
        weir_pipeline_add_operator(copy, &spec, NULL, NULL);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){i});
        weir_pipeline_add_queue(copy, &spec, NULL, NULL);
    }
    weir_pipeline_seal(copy, NULL, NULL);
    return copy;
}

static const uint32_t best_ratios[] = {0, 500, 900};
enum { BEST_RATIOS = sizeof best_ratios / sizeof *best_ratios };

/* Calls `each` for every application, size of its queues and best times. */
static void for_apps(void (*each)(const char *name, uint32_t permille, const struct weir_pipeline *pipeline, void *into),
                     void *into)
{
    static const char *const apps[] = {"published/body-pose-estimation",       "endoscopy-out-of-body",
                                       "published/endoscopy-depth-estimation", "published/colonoscopy-segmentation",
                                       "published/multi-ai-endoscopy",         "published/endoscopy-depth-clahe",
                                       "published/multi-ai-surgical-ar",       "published/multi-ai-ultrasound"};
    static const uint32_t queues[] = {1, 2, 3, 5, 10, 20, 40};
    for (size_t a = 0; a < sizeof apps / sizeof *apps; a++)
        for (size_t q = 0; q < sizeof queues / sizeof *queues; q++) {
            char path[512], name[64];
            snprintf(path, sizeof path, "%s/examples/%s.yaml", WEIR_SOURCE_DIR, apps[a]);
            struct weir_read_options options = {.queue = queues[q], .force_queue = true};
            struct weir_pipeline *p;
            if (weir_read_file(path, &options, &p, NULL)) {
                printf("cannot read %s\n", path);
                return;
            }
            for (int b = 0; b < BEST_RATIOS; b++) {
                struct weir_pipeline *copy = with_best(p, best_ratios[b]);
                snprintf(name, sizeof name, "%s queue %u [%.1fw, w]", apps[a], queues[q], best_ratios[b] / 1000.0);
                each(name, best_ratios[b], copy, into);
                weir_pipeline_free(copy);
            }
            weir_pipeline_free(p);
        }
}

static void print_app(const char *name, uint32_t permille, const struct weir_pipeline *pipeline, void *into)
{
    (void)permille, (void)into;
    print_line(name, pipeline, 0.02);
}

static void bench_apps(void)
{
    for_apps(print_app, NULL);
}

static double peak_gigabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1048576;
}

static void bench_dense(void)
{
    static const uint32_t sizes[] = {10, 30, 100, 300, 1000, 3000, 10000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int b = 0; b < BEST_RATIOS; b++) {
            if (sizes[i] > 1000 && best_ratios[b])
                continue;
            struct weir_generate_options options = {
                .nodes = sizes[i], .seed = 1, .density_permille = 200, .best_permille = best_ratios[b], .queue = 1};
            struct weir_pipeline *p;
            if (weir_generate_holoscan(&options, &p, NULL))
                return;
            char name[64];
            snprintf(name, sizeof name, "dense %u operators, %u queues [%.1fw, w]", sizes[i], weir_pipeline_queue_count(p),
                     best_ratios[b] / 1000.0);
            print_line(name, p, 1);
            weir_pipeline_free(p);
        }
    printf("peak memory %.2f GB\n", peak_gigabytes());
}

static void bench_layered(void)
{
    static const uint32_t sizes[][2] = {{100, 5}, {1000, 10}, {10000, 100}, {100000, 1000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int b = 0; b < BEST_RATIOS; b++) {
            if (sizes[i][0] > 10000 && best_ratios[b])
                continue;
            struct weir_pipeline *p = bench_layered_pipeline(&(struct bench_layers){sizes[i][0], sizes[i][1], 1, best_ratios[b]});
            char name[64];
            snprintf(name, sizeof name, "layered %u operators, %u wide [%.1fw, w]", sizes[i][0], sizes[i][1],
                     best_ratios[b] / 1000.0);
            print_line(name, p, 1);
            weir_pipeline_free(p);
        }
}

/* A backlog that grows by a nanosecond per iteration until the queue is full. */
static void bench_slow(void)
{
    static const int64_t periods[] = {1000, 1000000, 10000000};
    for (size_t i = 0; i < 3; i++) {
        int64_t T = periods[i];
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = "camera", .best = T / 10, .worst = T / 5}, NULL, NULL);
        weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = "infer", .best = T / 2, .worst = T + 1}, NULL, NULL);
        weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = "show", .best = T / 3, .worst = T - 2}, NULL, NULL);
        weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = {0}, .to = {1}, .capacity = 2}, NULL, NULL);
        weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = {1}, .to = {2}, .capacity = 2}, NULL, NULL);
        weir_pipeline_add_source(p, &(struct weir_source_spec){.op = {0}, .period = T}, NULL);
        weir_pipeline_seal(p, NULL, NULL);
        char name[64];
        snprintf(name, sizeof name, "slow build-up over about %lld iterations", (long long)T);
        print_line(name, p, 0.1);
        weir_pipeline_free(p);
    }
}

/* ---- against their goals ---- */

struct cells {
    unsigned count, missed;
    double least, most;
};

static void note_cell(struct cells *c, double value, double goal)
{
    c->least = c->count && c->least < value ? c->least : value;
    c->most = c->count && c->most > value ? c->most : value;
    c->count++;
    c->missed += value > goal;
}

static void print_cells(const char *name, const struct cells *c, const char *unit, double goal)
{
    char range[32], wanted[32];
    snprintf(range, sizeof range, "%.1f..%.1f%s", c->least, c->most, unit);
    snprintf(wanted, sizeof wanted, "%.0f%s", goal, unit);
    printf("%-50s %12s %12s %9s  %s", name, range, wanted, "", c->missed ? "missed" : "reached");
    if (c->count > 1)
        printf(" in %u of %u", c->missed ? c->missed : c->count, c->count);
    printf("\n");
    fflush(stdout);
}

#define LOOP_GOAL 2.0      /* times the plain loop */
#define INTERVAL_GOAL 50.0 /* microseconds */

struct app_cells {
    struct cells again, anew, intervals;
};

static void note_app(const char *name, uint32_t permille, const struct weir_pipeline *pipeline, void *into)
{
    (void)name;
    struct app_cells *c = into;
    struct figure again = measure(pipeline, 0.02, false);
    if (permille) {
        note_cell(&c->intervals, again.query * 1e6, INTERVAL_GOAL);
        return;
    }
    struct figure anew = measure(pipeline, 0.02, true);
    note_cell(&c->again, again.query / again.loop, LOOP_GOAL);
    note_cell(&c->anew, anew.query / anew.loop, LOOP_GOAL);
}

static void goals_of_one_pass(void)
{
    static const uint32_t sizes[][2] = {{100, 5}, {1000, 10}, {10000, 100}, {100000, 1000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct weir_pipeline *p = bench_layered_pipeline(&(struct bench_layers){sizes[i][0], sizes[i][1], 1, 0});
        for (int anew = 0; anew < 2; anew++) {
            struct figure f = measure(p, 0.5, anew);
            struct cells c = {0};
            char name[64];
            note_cell(&c, f.query / f.loop, LOOP_GOAL);
            snprintf(name, sizeof name, "one pass, %u operators in layers, %s", sizes[i][0], anew ? "anew" : "again");
            print_cells(name, &c, "x", LOOP_GOAL);
        }
        weir_pipeline_free(p);
    }
}

static void bench_goals(const char *part)
{
    bench_table(part);
    bench_cores(part);
    if (!part || strstr("one pass", part))
        goals_of_one_pass();
    if (!part || strstr("apps", part)) {
        struct app_cells c = {0};
        for_apps(note_app, &c);
        print_cells("apps, one pass, asked again", &c.again, "x", LOOP_GOAL);
        print_cells("apps, one pass, asked anew", &c.anew, "x", LOOP_GOAL);
        print_cells("apps with intervals, queue up to 40", &c.intervals, " us", INTERVAL_GOAL);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"apps", bench_apps}, {"dense", bench_dense}, {"layered", bench_layered}, {"slow", bench_slow}};
    int ran = 0;
    if (argc > 1 && strcmp(argv[1], "goals") == 0) {
        bench_goals(argc > 2 ? argv[2] : NULL);
        return 0;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool wanted = argc < 2;
        for (int a = 1; a < argc; a++)
            wanted |= strcmp(argv[a], parts[i].name) == 0 || strcmp(argv[a], "all") == 0;
        if (wanted) {
            parts[i].run();
            ran++;
        }
    }
    if (argc < 2)
        bench_goals(NULL);
    if (!ran)
        fprintf(stderr, "bench_exact: expected apps, dense, layered, slow, all, or goals [PART]\n");
    return ran ? 0 : 2;
}
