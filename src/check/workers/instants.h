/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of moments, given by how much later than one another they can be at most. */
#ifndef WEIR_CHECK_WORKERS_INSTANTS_H
#define WEIR_CHECK_WORKERS_INSTANTS_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_INSTANTS_MAX = 12 };
#define WEIR_ANY_TIME INT64_MAX /* no limit */

struct weir_instants {
    int count;
    int64_t later[WEIR_INSTANTS_MAX][WEIR_INSTANTS_MAX]; /* moment i is at most so much later than j; WEIR_ANY_TIME */
};

/* So many moments, of which nothing is known. */
void weir_instants_begin(struct weir_instants *set, int count);
/* Moment i is at most so much later than j. False: no moments are left. Limits that are too long to be represented are none. */
bool weir_instants_limit(struct weir_instants *set, int i, int j, int64_t most);
/* Moment i becomes one that is so much later than j, which may be the same. */
void weir_instants_set(struct weir_instants *set, int i, int j, int64_t later);
/* Moment i becomes one that is between `least` and `most` later than j. */
void weir_instants_move(struct weir_instants *set, int i, int j, int64_t least, int64_t most);

#endif
