/* SPDX-License-Identifier: Apache-2.0 */
/* How many flows of ten operators are analysed per second on one core. */
#include "base/random.h"
#include "weir.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FLOWS 200
#define NODES 10
#define SECONDS 2.0
#define GOAL 100000.0

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(enum weir_status status)
{
    if (status) {
        fprintf(stderr, "bench_edf: a flow cannot be built\n");
        exit(1);
    }
}

/* Ten operators behind a source of 576 kHz, in ticks of a tenth of a nanosecond: one to one and decimating, with a join now and
 * then; each takes up to two fifths of a core. */
static struct weir_pipeline *make_flow(struct weir_random *random, uint32_t cores, bool sporadic)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    int64_t rate[NODES] = {1}; /* samples of the source that one execution stands for */
    if (!p)
        exit(1);
    must(weir_pipeline_set_unit(p, WEIR_UNIT_NS, 1, NULL));
    must(weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL));
    must(weir_pipeline_set_cores(p, cores, NULL));
    for (uint32_t v = 0; v < NODES; v++) {
        char name[16];
        uint32_t from = v ? (uint32_t)weir_random_between(random, v > 3 ? v - 3 : 0, v - 1) : 0;
        int64_t down = v && rate[from] < 500 ? weir_random_between(random, 1, 4) : 1;
        rate[v] = v ? rate[from] * down : 1;
        snprintf(name, sizeof name, "op%u", v);
        struct weir_operator_spec op = {.name = name, .worst = weir_random_between(random, 100, 6900) * rate[v]};
        must(weir_pipeline_add_operator(p, &op, NULL, NULL));
        if (v == 0)
            continue;
        struct weir_queue_spec queue = {.from = {from}, .to = {v}, .capacity = WEIR_AUTO, .produce = 1, .consume = (uint32_t)down};
        must(weir_pipeline_add_queue(p, &queue, NULL, NULL));
        uint32_t other = (uint32_t)weir_random_between(random, 0, v - 1);
        queue.from.index = other;
        if (other != from && rate[v] % rate[other] == 0 && weir_random_between(random, 0, 2) == 0) {
            queue.consume = (uint32_t)(rate[v] / rate[other]);
            must(weir_pipeline_add_queue(p, &queue, NULL, NULL));
        }
    }
    struct weir_source_spec source = {.op = {0}, .period = 10000000000, .count = 576000, .sporadic = sporadic};
    must(weir_pipeline_add_source(p, &source, NULL));
    must(weir_pipeline_seal(p, NULL, NULL));
    return p;
}

static double measure(struct weir_pipeline *const *flows, const struct weir_edf_options *options, uint32_t *schedulable)
{
    double start = now(), end;
    uint64_t count = 0;
    *schedulable = 0;
    do {
        for (uint32_t i = 0; i < FLOWS; i++) {
            struct weir_edf_analysis *analysis;
            must(weir_edf_analyze(flows[i], options, &analysis, NULL));
            *schedulable += count < FLOWS && analysis->schedulable;
            weir_edf_analysis_free(analysis);
            count++;
        }
        end = now();
    } while (end - start < SECONDS);
    return (double)count / (end - start);
}

static void report(const char *what, uint32_t cores, bool sporadic, bool verify)
{
    struct weir_pipeline *flows[FLOWS];
    struct weir_random random;
    uint32_t schedulable;
    weir_random_seed(&random, 1);
    for (uint32_t i = 0; i < FLOWS; i++)
        flows[i] = make_flow(&random, cores, sporadic);
    double rate = measure(flows, &(struct weir_edf_options){.verify = verify}, &schedulable);
    printf("%-24s %u cores  %3u of %u schedulable  %9.0f analyses per second", what, cores, schedulable, FLOWS, rate);
    if (!sporadic && !verify)
        printf("  (goal %.0f: %s)", GOAL, rate >= GOAL ? "met" : "not met");
    printf("\n");
    for (uint32_t i = 0; i < FLOWS; i++)
        weir_pipeline_free(flows[i]);
}

int main(void)
{
    printf("flows of %d operators, one thread\n", NODES);
    report("even arrivals", 3, false, false);
    report("even arrivals", 4, false, false);
    report("sporadic arrivals", 4, true, false);
    report("even arrivals, verified", 4, false, true);
    return 0;
}
