/* SPDX-License-Identifier: Apache-2.0 */
/* Whole numbers of up to WEIR_BIG_LIMBS * 64 bits, with sign. One that would be longer is lost, and so is what is made of it.
 * On purpose no tool of base: the engine rounds its ratios up, the checker computes without rounding and shares none of that. */
#ifndef WEIR_CHECK_BIG_H
#define WEIR_CHECK_BIG_H

#include <stdbool.h>
#include <stdint.h>

#define WEIR_BIG_LIMBS 24

struct weir_big {
    uint16_t count; /* of limbs; the last is not 0 */
    bool negative;  /* never of 0 */
    bool lost;
    uint64_t limb[WEIR_BIG_LIMBS]; /* the lowest first; those from count on mean nothing */
};

void weir_big_set(struct weir_big *a, int64_t value);
void weir_big_copy(struct weir_big *a, const struct weir_big *b);
void weir_big_add(struct weir_big *a, const struct weir_big *b);      /* a += b */
void weir_big_subtract(struct weir_big *a, const struct weir_big *b); /* a -= b */
void weir_big_multiply(struct weir_big *a, int64_t factor);
/* a = the quotient, towards 0, of the size of a; returns the rest. a not negative, divisor positive. */
int64_t weir_big_divide(struct weir_big *a, int64_t divisor);
/* Neither of them lost. */
int weir_big_compare(const struct weir_big *a, const struct weir_big *b);

#endif
