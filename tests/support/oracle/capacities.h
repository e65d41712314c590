/* SPDX-License-Identifier: Apache-2.0 */
/* All capacities of a few queues, each vector from a pipeline that is sealed with it: evaluators and searches have no part in this.
 * And whether what a search says is what there is. */
#ifndef WEIR_TESTS_CAPACITIES_H
#define WEIR_TESTS_CAPACITIES_H

#include "base/random.h"
#include "weir.h"

enum { CAPACITIES_QUEUES = 6, CAPACITIES_VECTORS = 729, CAPACITIES_CHAINS = 16, CAPACITIES_WIDE = 64 };

/* What one vector comes to. */
struct capacities_outcome {
    uint32_t capacity[CAPACITIES_QUEUES];
    int64_t cost, latency, latencies[CAPACITIES_CHAINS]; /* INT64_MAX: no bound */
    struct weir_ratio period;
    bool stuck;
};

struct capacities {
    const struct weir_pipeline *pipeline;
    uint32_t queue[CAPACITIES_QUEUES], count;
    uint32_t most; /* places, unless there are more messages at the beginning */
    int64_t weight[CAPACITIES_QUEUES];
    bool sized[CAPACITIES_WIDE];
    int64_t weights[CAPACITIES_WIDE];
    struct capacities_outcome all[CAPACITIES_VECTORS]; /* in the order of numbers: the first of equal ones is the one to take */
    size_t vectors;
    bool doubtful; /* a latency is not known */
};

/* Draws which queues are sized, at most `queues` of them, and what they cost. NULL: there are none, or a search refuses the
 * pipeline. Freed with free. */
struct capacities *capacities_new(const struct weir_pipeline *pipeline, struct weir_random *random, uint32_t queues, uint32_t most);
/* False: a pipeline could not be asked. */
bool capacities_measure(struct capacities *all);

/* Limits that some vectors keep and others do not, where there are such. */
int64_t capacities_some_latency(const struct capacities *all, struct weir_random *random);
int64_t capacities_some_period(const struct capacities *all, struct weir_random *random);

/* What is wrong with the answer of a search; NULL: nothing. *possible: there are such capacities; *points: on the front. */
const char *capacities_check_cheapest(const struct capacities *all, const struct weir_sizing_options *options, bool *possible);
const char *capacities_check_front(const struct capacities *all, const struct weir_sizing_options *options, size_t *points);

#endif
