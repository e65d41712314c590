/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that are the same on every machine for the same seed (xoshiro256**, seeded by splitmix64). */
#ifndef WEIR_BASE_RANDOM_H
#define WEIR_BASE_RANDOM_H

#include <stdint.h>

struct weir_random {
    uint64_t state[4];
};
void weir_random_seed(struct weir_random *random, uint64_t seed);
uint64_t weir_random_next(struct weir_random *random);
/* Uniform in [low, high], both included, without bias. */
int64_t weir_random_between(struct weir_random *random, int64_t low, int64_t high);

#endif
