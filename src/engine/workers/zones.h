/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of times on a few clocks: all that differences between clocks, and from 0, say with whole numbers. */
#ifndef WEIR_ENGINE_WORKERS_ZONES_H
#define WEIR_ENGINE_WORKERS_ZONES_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_ZONE_CLOCKS = 9 }; /* clock 0 is always 0 */
#define WEIR_ZONE_FAR (INT64_MAX / 8)

struct weir_zone {
    int count;                                        /* of clocks, the first included */
    int64_t most[WEIR_ZONE_CLOCKS][WEIR_ZONE_CLOCKS]; /* of clock i minus clock j; WEIR_ZONE_FAR: no limit */
};

/* So many clocks, all at 0. */
void weir_zone_clear(struct weir_zone *zone, int count);
/* Clock i minus clock j is at most this; false: nothing is left. */
bool weir_zone_limit(struct weir_zone *zone, int i, int j, int64_t most);
/* Time passes: between these; or for as long as one likes. */
void weir_zone_pass(struct weir_zone *zone, int64_t least, int64_t most);
void weir_zone_wait(struct weir_zone *zone);
/* Sets a clock to what another says. */
void weir_zone_copy(struct weir_zone *zone, int clock, int other);
void weir_zone_turn_back(struct weir_zone *zone, int clock, int64_t by);
/* Forgets all about a clock but that it is up to `most` ahead of another. */
void weir_zone_forget(struct weir_zone *zone, int clock, int other, int64_t most);
/* Forgets how far beyond this the clock is: a larger set. */
void weir_zone_blur(struct weir_zone *zone, int clock, int64_t beyond);
bool weir_zone_holds(const struct weir_zone *zone, const struct weir_zone *other);

#endif
