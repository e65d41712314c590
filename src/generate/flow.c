/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The random flowgraphs of the batching paper: behind one source, operators that pass samples on one to one (a multiplication, a
 * shift) or decimate them (a filter). The paper gives no numbers for its light and heavy graphs. Here one in three decimates, by at
 * most 240 in all; an execution costs 4 to 12 times as much to begin as a sample costs, which makes batches of four cut utilisation
 * by about two thirds as in its Figure 6; heavy operators cost four times as much as light ones.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "generate/generate.h"

#define RATE_HZ 1000000
#define DECIMATION_MAX 240

struct draft {
    const struct weir_generate_flow_options *options;
    struct weir_pipeline *pipeline;
    struct weir_random random;
    int64_t *decimation; /* by operator: samples of the source for one of its executions */
};

static enum weir_status add_operators(struct draft *d, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < d->options->nodes && !status; i++) {
        char name[32];
        int64_t sample = weir_random_between(&d->random, 5, 60) * (d->options->heavy ? 4 : 1); /* ns */
        snprintf(name, sizeof name, i ? "block%u" : "source", i);
        struct weir_operator_spec spec = {
            .name = name, .has_cost = true, .cost_sample = sample, .cost_init = sample * weir_random_between(&d->random, 4, 12)};
        status = weir_pipeline_add_operator(d->pipeline, &spec, NULL, error);
    }
    return status;
}

/* A queue that makes `to` execute as often as its decimation says. */
static enum weir_status add_queue(struct draft *d, uint32_t from, uint32_t to, struct weir_error *error)
{
    int64_t divisor = weir_greatest_divisor(d->decimation[from], d->decimation[to]);
    struct weir_queue_spec spec = {.from = {from},
                                   .to = {to},
                                   .capacity = WEIR_AUTO,
                                   .produce = (uint32_t)(d->decimation[from] / divisor),
                                   .consume = (uint32_t)(d->decimation[to] / divisor)};
    return weir_pipeline_add_queue(d->pipeline, &spec, NULL, error);
}

/* Every block reads from one before it; one in five from a second one, too. */
static enum weir_status add_queues(struct draft *d, struct weir_error *error)
{
    static const int64_t factors[] = {2, 3, 4, 5, 8, 10, 12};
    enum weir_status status = WEIR_OK;
    d->decimation[0] = 1;
    for (uint32_t i = 1; i < d->options->nodes && !status; i++) {
        uint32_t from = (uint32_t)weir_random_between(&d->random, i > 3 ? i - 3 : 0, i - 1);
        uint32_t other = (uint32_t)weir_random_between(&d->random, 0, i - 1);
        int64_t factor = factors[weir_random_between(&d->random, 0, sizeof factors / sizeof *factors - 1)];
        bool decimates = weir_random_between(&d->random, 0, 2) == 0, joins = weir_random_between(&d->random, 0, 4) == 0;
        if (!decimates || d->decimation[from] * factor > DECIMATION_MAX)
            factor = 1;
        d->decimation[i] = d->decimation[from] * factor;
        status = add_queue(d, from, i, error);
        if (!status && joins && other != from)
            status = add_queue(d, other, i, error);
    }
    return status;
}

static enum weir_status fill(struct draft *d, struct weir_error *error)
{
    enum weir_status status = add_operators(d, error);
    if (!status)
        status = add_queues(d, error);
    int64_t second = 1000000000, rate = d->options->rate_hz ? d->options->rate_hz : RATE_HZ; /* in ticks; in samples */
    int64_t divisor = weir_greatest_divisor(second, rate);
    struct weir_source_spec source = {.op = {0}, .period = second / divisor, .count = rate / divisor};
    return status ? status : weir_pipeline_add_source(d->pipeline, &source, error);
}

enum weir_status weir_generate_flow(const struct weir_generate_flow_options *options, struct weir_pipeline **pipeline,
                                    struct weir_error *error)
{
    struct draft d = {.options = options};
    *pipeline = NULL;
    if (options->nodes < 2 || options->nodes > 100000)
        return weir_fail(error, WEIR_INVALID, "a flowgraph must have 2 to 100000 operators, not %u", options->nodes);
    if (options->rate_hz < 0 || options->rate_hz > 1000000000)
        return weir_fail(error, WEIR_INVALID, "a source has a rate of up to 1 GHz");
    weir_random_seed(&d.random, options->seed);
    d.decimation = weir_array(options->nodes, sizeof *d.decimation);
    if (!d.decimation)
        return weir_fail_memory(error);
    char name[64];
    snprintf(name, sizeof name, "flow-%u-%s-seed-%llu", options->nodes, options->heavy ? "heavy" : "light",
             (unsigned long long)options->seed);
    struct weir_generate_head head = {name, WEIR_UNIT_US, 3, WEIR_PLATFORM_CORES, options->cores};
    enum weir_status status = weir_generate_begin(&head, &d.pipeline, error);
    if (!status)
        status = fill(&d, error);
    weir_free(d.decimation);
    return weir_generate_end(d.pipeline, status, pipeline, error);
}

/* ---- narrowband FM ---- */

/* Costs of a block's thread as measured on one machine, in picoseconds: at the beginning of an execution, and per sample consumed.
 */
static const struct {
    const char *name;
    int64_t init, sample;
    uint32_t consume; /* samples of the block before it per execution */
} nbfm[] = {
    {"source", 1778000, 760, 1},          {"demodulator", 2176000, 17336, 1}, {"deemphasis", 1808000, 5902, 1},
    {"audio_filter", 2321000, 20225, 12}, {"sink", 1883000, 466, 1},
};
enum { NBFM_BLOCKS = sizeof nbfm / sizeof *nbfm };

static enum weir_status fill_nbfm(struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < NBFM_BLOCKS && !status; i++) {
        struct weir_operator_spec spec = {
            .name = nbfm[i].name, .has_cost = true, .cost_init = nbfm[i].init, .cost_sample = nbfm[i].sample};
        status = weir_pipeline_add_operator(p, &spec, NULL, error);
    }
    for (uint32_t i = 1; i < NBFM_BLOCKS && !status; i++) {
        struct weir_queue_spec spec = {.from = {i - 1}, .to = {i}, .capacity = WEIR_AUTO, .consume = nbfm[i].consume};
        status = weir_pipeline_add_queue(p, &spec, NULL, error);
    }
    struct weir_source_spec source = {.op = {0}, .period = 15625000, .count = 9}; /* 576 kHz */
    return status ? status : weir_pipeline_add_source(p, &source, error);
}

enum weir_status weir_generate_nbfm(uint32_t cores, struct weir_pipeline **pipeline, struct weir_error *error)
{
    struct weir_generate_head head = {"narrowband FM receiver", WEIR_UNIT_US, 6, WEIR_PLATFORM_CORES, cores};
    struct weir_pipeline *p;
    enum weir_status status = weir_generate_begin(&head, &p, error);
    return weir_generate_end(p, status ? status : fill_nbfm(p, error), pipeline, error);
}
