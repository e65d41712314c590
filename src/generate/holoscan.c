/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The random applications of the Holoscan papers, on operators 0 .. n-1:
 *
 *     a worst case in [100, 1000] for each operator;
 *     from each but the last, a queue to one behind it, so that the last is the only leaf;
 *     to each that nothing leads to yet, but the first, a queue from one ahead of it, so that the first is the only source;
 *     and between every two, in order, a queue with a given probability, if there is none yet.
 */
#include "base/alloc.h"
#include "generate/generate.h"

#define WORST_MIN 100
#define WORST_MAX 1000

struct draft {
    const struct weir_generate_options *options;
    struct weir_pipeline *pipeline;
    struct weir_random random;
    uint64_t bits; /* random bits not used yet */
    unsigned bits_left;
    /* By operator: */
    uint32_t *next;            /* the one behind it that it must lead to */
    uint32_t *reached;         /* whether it is the next of another */
    uint32_t *child, *sibling; /* a list of those not reached that it must lead to as well */
    uint32_t *wanted;          /* i + 1 where i is the last operator looked at that must lead to it */
};

#define NONE UINT32_MAX

/* True with probability permille / 1000, exactly: ten random bits make a number below 1000, or are thrown away. */
static bool toss(struct draft *d, uint32_t permille)
{
    uint32_t number;
    do {
        if (d->bits_left < 10) {
            d->bits = weir_random_next(&d->random);
            d->bits_left = 64;
        }
        number = d->bits & 1023;
        d->bits >>= 10;
        d->bits_left -= 10;
    } while (number >= 1000);
    return number < permille;
}

static uint32_t pick(struct draft *d, uint32_t low, uint32_t high)
{
    return (uint32_t)weir_random_between(&d->random, low, high);
}

static enum weir_status add_operators(struct draft *d, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < d->options->nodes && !status; i++) {
        char label[8];
        int64_t worst = weir_random_between(&d->random, WORST_MIN, WORST_MAX);
        struct weir_operator_spec spec = {
            .name = weir_generate_letters(i, label), .best = worst * d->options->best_permille / 1000, .worst = worst};
        status = weir_pipeline_add_operator(d->pipeline, &spec, NULL, error);
    }
    return status;
}

/* The queues without which there would be a second leaf or a second source. */
static void choose_needed(struct draft *d)
{
    uint32_t n = d->options->nodes;
    for (uint32_t i = 0; i < n; i++)
        d->child[i] = NONE;
    for (uint32_t i = 0; i + 1 < n; i++) {
        d->next[i] = pick(d, i + 1, n - 1);
        d->reached[d->next[i]] = 1;
    }
    for (uint32_t j = 1; j < n; j++) {
        if (d->reached[j])
            continue;
        uint32_t i = pick(d, 0, j - 1);
        d->sibling[j] = d->child[i];
        d->child[i] = j;
    }
}

static enum weir_status add_queues(struct draft *d, struct weir_error *error)
{
    uint32_t n = d->options->nodes;
    struct weir_queue_spec spec = {.capacity = d->options->queue ? d->options->queue : 1};
    choose_needed(d);
    for (uint32_t i = 0; i + 1 < n; i++) {
        d->wanted[d->next[i]] = i + 1;
        for (uint32_t j = d->child[i]; j != NONE; j = d->sibling[j])
            d->wanted[j] = i + 1;
        spec.from.index = i;
        for (uint32_t j = i + 1; j < n; j++) {
            bool extra = toss(d, d->options->density_permille);
            if (!extra && d->wanted[j] != i + 1)
                continue;
            spec.to.index = j;
            enum weir_status status = weir_pipeline_add_queue(d->pipeline, &spec, NULL, error);
            if (status)
                return status;
        }
    }
    return WEIR_OK;
}

enum weir_status weir_generate_holoscan(const struct weir_generate_options *options, struct weir_pipeline **pipeline,
                                        struct weir_error *error)
{
    *pipeline = NULL;
    if (options->nodes < 2)
        return weir_fail(error, WEIR_INVALID, "an application must have at least 2 operators, not %lu",
                         (unsigned long)options->nodes);
    if (options->density_permille > 1000 || options->best_permille > 1000)
        return weir_fail(error, WEIR_INVALID, "density and best-case ratio must be at most 1000 permille");
    size_t n = options->nodes;
    uint32_t *lists = weir_array_zeroed(n, 5 * sizeof *lists);
    if (!lists)
        return weir_fail_memory(error);
    struct draft draft = {.options = options,
                          .next = lists,
                          .reached = lists + n,
                          .child = lists + 2 * n,
                          .sibling = lists + 3 * n,
                          .wanted = lists + 4 * n};
    weir_random_seed(&draft.random, options->seed);
    char name[64];
    snprintf(name, sizeof name, "holoscan-%lu-seed-%llu", (unsigned long)options->nodes, (unsigned long long)options->seed);
    struct weir_generate_head head = {.name = name, .unit = WEIR_UNIT_TICK};
    enum weir_status status = weir_generate_begin(&head, &draft.pipeline, error);
    if (!status)
        status = add_operators(&draft, error);
    if (!status)
        status = add_queues(&draft, error);
    weir_free(lists);
    return weir_generate_end(draft.pipeline, status, pipeline, error);
}
