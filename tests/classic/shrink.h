/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a graph as small as it gets while it keeps a property. */
#ifndef WEIR_TESTS_SHRINK_H
#define WEIR_TESTS_SHRINK_H

#include "sketch.h"

/* Takes out operators and queues, lowers capacities and times, as long as `keeps` says yes of the result. In the end no single one
 * of these steps is left. `keeps` must hold for the sketch given. */
void shrink(struct sketch *sketch, bool (*keeps)(void *context, const struct sketch *sketch), void *context);

#endif
