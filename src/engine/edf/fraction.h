/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ratios that are exact as long as they can be, and otherwise rounded up. Numerators and denominators stay below 2^62, values below
 * WEIR_TIME_MAX; a function returns false where a value does not.
 */
#ifndef WEIR_ENGINE_EDF_FRACTION_H
#define WEIR_ENGINE_EDF_FRACTION_H

#include "base/number.h"

#define WEIR_FRACTION_MAX (INT64_C(1) << 62)

/* numerator / denominator, the latter positive; both below 2^124. */
bool weir_fraction_make(weir_wide numerator, weir_wide denominator, struct weir_ratio *result);
bool weir_fraction_add(struct weir_ratio a, struct weir_ratio b, struct weir_ratio *sum);
/* a * up / down; down positive, both below 2^62. */
bool weir_fraction_scale(struct weir_ratio a, int64_t up, int64_t down, struct weir_ratio *result);

static inline struct weir_ratio weir_fraction_of(int64_t whole)
{
    return (struct weir_ratio){whole, 1};
}

#endif
