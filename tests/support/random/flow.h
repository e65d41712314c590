/* SPDX-License-Identifier: Apache-2.0 */
/* Small random flows on a pool of cores, of every kind the analysis accepts: rates up and down, thresholds, initial samples, one or
 * several sources of all kinds in one part or two, loads up to what the cores can do and a little beyond, queues with and without a
 * capacity, costs by sample or as times. */
#ifndef WEIR_TESTS_RANDOM_FLOW_H
#define WEIR_TESTS_RANDOM_FLOW_H

#include "base/random.h"
#include "weir.h"

#define WEIR_RANDOM_FLOW_OPERATORS 9

/* A sealed pipeline; never NULL unless memory runs out. */
struct weir_pipeline *weir_random_flow(struct weir_random *random);

#endif
