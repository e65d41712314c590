/* SPDX-License-Identifier: Apache-2.0 */
/* Small random systems on shared processors, of every kind the analysis accepts: one task graph or several, with cycles, jitter up
 * to three periods, sporadic sources that feed one operator or more, processors of all kinds, equal priorities, operators of
 * their own, best cases from 0 on, queues with and without a capacity, that block or do not. */
#ifndef WEIR_TESTS_RANDOM_PROCESSORS_H
#define WEIR_TESTS_RANDOM_PROCESSORS_H

#include "base/random.h"
#include "weir.h"

/* A sealed pipeline with that many task graphs, 1 to 4; never NULL unless memory runs out. */
struct weir_pipeline *weir_random_processors(struct weir_random *random, uint32_t graphs);

#endif
