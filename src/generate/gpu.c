/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of kernels. The random ones are those of the evaluation of the paper: one source; behind it layers of 2 to P kernels; an
 * edge between two kernels of neighbouring layers with a given probability; what then has nothing before it comes behind the
 * source; one sink behind all that has nothing behind it. Loads are uniform, scaled to their average.
 *
 * The others are algorithms that schedulers are measured by: Gaussian elimination, whose kernels have loads in proportion to their
 * operations, and the Laplace and stencil graphs, whose kernels are all alike.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "base/word.h"
#include "generate/generate.h"
#include "model/kernels.h"

#include <stdarg.h>

#define SIZE_MAX_GRID 300             /* 90,000 kernels of a grid */
#define LAYERS_MAX 100000             /* ... and their kernels together, at most */
#define CHAINS_MAX INT64_C(10000000)  /* of kernels in neighbouring layers, at most */
#define DRAW_MAX ((INT64_C(1) << 32)) /* loads are drawn from 1 to this, then scaled */

struct draft {
    struct weir_generate_gpu_options options; /* with the defaults filled in */
    struct weir_pipeline *pipeline;
    struct weir_random random;
    uint32_t count, next; /* kernels; those added so far */
    int64_t *weight;      /* by kernel: in proportion to its load */
    bool *leads;          /* by kernel: something is behind it */
    uint32_t *widths;     /* WEIR_GPU_RANDOM: of the inner layers */
    uint32_t inner;       /* ... how many there are */
    int64_t sum;          /* of all weights */
    enum weir_status status;
    struct weir_error *error;
};

const char *weir_gpu_shape_name(enum weir_gpu_shape shape)
{
    static const char *const names[WEIR_GPU_SHAPES] = {"random", "gaussian", "laplace", "stencil"};
    return WEIR_WORD(names, shape);
}

/* ---- adding; nothing is done after a failure ---- */

/* The next kernel. Rounded to the nearest tick, and at least one: what a kernel takes however small it is. */
WEIR_PRINTF(2, 3) static void add_kernel(struct draft *d, const char *format, ...)
{
    char name[32];
    va_list arguments;
    if (d->status)
        return;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    weir_wide total = (weir_wide)d->options.average * d->count;
    int64_t load = (int64_t)((2 * total * d->weight[d->next] + d->sum) / (2 * (weir_wide)d->sum));
    struct weir_operator_spec spec = {.name = name, .worst = load < 1 ? 1 : load, .splittable = true};
    d->status = weir_pipeline_add_operator(d->pipeline, &spec, NULL, d->error);
    d->next++;
}

static void add_edge(struct draft *d, uint32_t from, uint32_t to)
{
    struct weir_queue_spec spec = {.from = {from}, .to = {to}, .capacity = 1};
    if (d->status)
        return;
    d->status = weir_pipeline_add_queue(d->pipeline, &spec, NULL, d->error);
    d->leads[from] = true;
}

/* ---- random layers ---- */

static void draw_widths(struct draft *d)
{
    d->count = 2;
    for (uint32_t i = 0; i < d->inner; i++) {
        d->widths[i] = (uint32_t)weir_random_between(&d->random, 2, d->options.parallelism);
        d->count += d->widths[i];
    }
}

static void add_random_kernels(struct draft *d)
{
    add_kernel(d, "source");
    for (uint32_t layer = 0; layer < d->inner; layer++)
        for (uint32_t i = 0; i < d->widths[layer]; i++)
            add_kernel(d, "k%u_%u", layer + 1, i + 1);
    add_kernel(d, "sink");
}

static void add_random_edges(struct draft *d)
{
    uint32_t before = 0, width = 1; /* the layer before: its first kernel, and how many */
    for (uint32_t layer = 0; layer < d->inner; layer++) {
        uint32_t first = before + width;
        for (uint32_t v = first; v < first + d->widths[layer]; v++) {
            bool follows = false;
            for (uint32_t u = before; u < first; u++)
                if (weir_random_between(&d->random, 1, 1000) <= d->options.edge_permille) {
                    add_edge(d, u, v);
                    follows = true;
                }
            if (!follows)
                add_edge(d, 0, v);
        }
        before = first;
        width = d->widths[layer];
    }
    for (uint32_t u = 0; u + 1 < d->count; u++)
        if (!d->leads[u])
            add_edge(d, u, d->count - 1);
}

/* ---- Gaussian elimination ----
 * Step k has a pivot, and behind it an update of each column from k + 1 on. The update of column k + 1 leads to the next pivot,
 * that of every other to its own next update. Kernels are in the order of steps: pivot, then updates.
 */

/* The pivot of step k, which counts from 1. The steps before have n, n - 1, ... kernels. */
static uint32_t pivot_of(uint32_t n, uint32_t k)
{
    return (k - 1) * n - (k - 1) * (k - 2) / 2;
}

/* A pivot divides a column of n - k; an update multiplies and subtracts one. */
static void weigh_gaussian(struct draft *d)
{
    uint32_t n = d->options.size, next = 0;
    for (uint32_t k = 1; k < n; k++)
        for (uint32_t j = k; j <= n; j++)
            d->weight[next++] = j == k ? n - k : 2 * (n - k);
}

static void add_gaussian_kernels(struct draft *d)
{
    uint32_t n = d->options.size;
    for (uint32_t k = 1; k < n; k++) {
        add_kernel(d, "pivot%u", k);
        for (uint32_t j = k + 1; j <= n; j++)
            add_kernel(d, "update%u_%u", k, j);
    }
}

static void add_gaussian_edges(struct draft *d)
{
    uint32_t n = d->options.size;
    for (uint32_t k = 1; k < n; k++) {
        uint32_t here = pivot_of(n, k), next = pivot_of(n, k + 1);
        for (uint32_t j = k + 1; j <= n; j++)
            add_edge(d, here, here + j - k);
        for (uint32_t j = k + 1; j <= n && k + 1 < n; j++)
            add_edge(d, here + j - k, next + j - k - 1);
    }
}

/* ---- grids ---- */

static void add_grid_kernels(struct draft *d)
{
    bool ends = d->options.shape == WEIR_GPU_STENCIL;
    if (ends)
        add_kernel(d, "source");
    for (uint32_t i = 1; i <= d->options.size; i++)
        for (uint32_t j = 1; j <= d->options.size; j++)
            add_kernel(d, "t%u_%u", i, j);
    if (ends)
        add_kernel(d, "sink");
}

static void add_laplace_edges(struct draft *d)
{
    uint32_t n = d->options.size;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (i + 1 < n)
                add_edge(d, i * n + j, (i + 1) * n + j);
            if (j + 1 < n)
                add_edge(d, i * n + j, i * n + j + 1);
        }
}

static void add_stencil_edges(struct draft *d)
{
    uint32_t n = d->options.size, last = 1 + (n - 1) * n;
    for (uint32_t j = 0; j < n; j++)
        add_edge(d, 0, 1 + j);
    for (uint32_t level = 0; level + 1 < n; level++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i ? i - 1 : 0; j <= i + 1 && j < n; j++)
                add_edge(d, 1 + level * n + i, 1 + (level + 1) * n + j);
    for (uint32_t j = 0; j < n; j++)
        add_edge(d, last + j, d->count - 1);
}

/* ---- all of it ---- */

static void weigh(struct draft *d)
{
    bool draws = d->options.shape == WEIR_GPU_RANDOM || d->options.random_loads;
    for (uint32_t i = 0; i < d->count; i++)
        d->weight[i] = draws ? weir_random_between(&d->random, 1, DRAW_MAX) : 1;
    if (!draws && d->options.shape == WEIR_GPU_GAUSSIAN)
        weigh_gaussian(d);
    for (uint32_t i = 0; i < d->count; i++)
        d->sum += d->weight[i];
}

static void name_it(const struct weir_generate_gpu_options *o, char name[64])
{
    const char *shape = weir_gpu_shape_name(o->shape);
    if (o->shape == WEIR_GPU_RANDOM)
        snprintf(name, 64, "gpu-%s-seed-%llu", shape, (unsigned long long)o->seed);
    else if (o->random_loads)
        snprintf(name, 64, "gpu-%s-%u-seed-%llu", shape, o->size, (unsigned long long)o->seed);
    else
        snprintf(name, 64, "gpu-%s-%u", shape, o->size);
}

static void fill(struct draft *d)
{
    static const struct {
        void (*kernels)(struct draft *d);
        void (*edges)(struct draft *d);
    } shapes[WEIR_GPU_SHAPES] = {{add_random_kernels, add_random_edges},
                                 {add_gaussian_kernels, add_gaussian_edges},
                                 {add_grid_kernels, add_laplace_edges},
                                 {add_grid_kernels, add_stencil_edges}};
    d->status = weir_pipeline_set_gpu(d->pipeline, &(struct weir_gpu_spec){.sms = d->options.sms, .min_time = 1}, d->error);
    weigh(d);
    shapes[d->options.shape].kernels(d);
    shapes[d->options.shape].edges(d);
}

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
    return value ? value : otherwise;
}

static enum weir_status check(const struct weir_generate_gpu_options *o, struct weir_error *error)
{
    int64_t layers = o->layers_max, wide = o->parallelism;
    if ((unsigned)o->shape >= WEIR_GPU_SHAPES)
        return weir_fail(error, WEIR_INVALID, "there is no graph of shape %d", (int)o->shape);
    if (o->sms > WEIR_SMS_MAX)
        return weir_fail(error, WEIR_INVALID, "a GPU has 1 to %d SMs", WEIR_SMS_MAX);
    if (o->average > 1000000000)
        return weir_fail(error, WEIR_INVALID, "the average load must be at most 1000000000");
    if (o->shape != WEIR_GPU_RANDOM) {
        if (o->size < 2 || o->size > SIZE_MAX_GRID)
            return weir_fail(error, WEIR_INVALID, "a %s graph has a size from 2 to %d", weir_gpu_shape_name(o->shape),
                             SIZE_MAX_GRID);
        return WEIR_OK;
    }
    if (o->layers_min < 2 || o->layers_min > layers)
        return weir_fail(error, WEIR_INVALID,
                         "a graph must have at least 2 layers, its source and its sink, and no more than the maximum");
    if (o->parallelism < 2)
        return weir_fail(error, WEIR_INVALID, "a layer has at least 2 kernels, so the parallelism must be at least 2");
    if (layers > LAYERS_MAX || layers * wide > LAYERS_MAX || layers * wide * wide > CHAINS_MAX)
        return weir_fail(
            error, WEIR_INVALID,
            "at most %d kernels, and %lld pairs of them in neighbouring layers; so many layers and kernels could be more",
            LAYERS_MAX, (long long)CHAINS_MAX);
    if (o->edge_permille > 1000)
        return weir_fail(error, WEIR_INVALID, "an edge must have a probability of at most 1000 permille");
    return WEIR_OK;
}

static uint32_t count_of(const struct weir_generate_gpu_options *o)
{
    uint32_t n = o->size;
    return o->shape == WEIR_GPU_GAUSSIAN ? (n * n + n - 2) / 2 : o->shape == WEIR_GPU_LAPLACE ? n * n : n * n + 2;
}

enum weir_status weir_generate_gpu(const struct weir_generate_gpu_options *options, struct weir_pipeline **pipeline,
                                   struct weir_error *error)
{
    struct draft d = {.options = *options, .error = error};
    struct weir_generate_gpu_options *o = &d.options;
    *pipeline = NULL;
    o->sms = or_default(o->sms, 32);
    o->size = or_default(o->size, 6);
    o->layers_min = or_default(o->layers_min, o->layers_max && o->layers_max < 5 ? o->layers_max : 5);
    o->layers_max = or_default(o->layers_max, o->layers_min > 8 ? o->layers_min : 8);
    o->parallelism = or_default(o->parallelism, 8);
    o->edge_permille = or_default(o->edge_permille, 500);
    o->average = or_default(o->average, 20);
    enum weir_status status = check(o, error);
    if (status)
        return status;
    weir_random_seed(&d.random, o->seed);
    bool layered = o->shape == WEIR_GPU_RANDOM;
    d.inner = layered ? (uint32_t)weir_random_between(&d.random, o->layers_min, o->layers_max) - 2 : 0;
    d.widths = weir_array(d.inner, sizeof *d.widths);
    if (d.widths && layered)
        draw_widths(&d);
    else
        d.count = count_of(o);
    d.weight = weir_array(d.count, sizeof *d.weight);
    d.leads = weir_array_zeroed(d.count, sizeof *d.leads);
    d.status = d.widths && d.weight && d.leads ? WEIR_OK : weir_fail_memory(error);
    if (!d.status) {
        char name[64];
        name_it(o, name);
        d.status = weir_generate_begin(
            &(struct weir_generate_head){.name = name, .unit = WEIR_UNIT_TICK, .platform = WEIR_PLATFORM_GPU}, &d.pipeline, error);
    }
    if (!d.status)
        fill(&d);
    weir_free(d.widths);
    weir_free(d.weight);
    weir_free(d.leads);
    return weir_generate_end(d.pipeline, d.status, pipeline, error);
}
