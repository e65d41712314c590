/* SPDX-License-Identifier: Apache-2.0 */
/* A search that is interrupted does not wait for an analysis that it has begun: where an analysis looks at its limit of work, it
 * also looks here, and gives up as it would at the limit. What it then says counts for nothing but that it is not known. */
#ifndef WEIR_BASE_INTERRUPT_H
#define WEIR_BASE_INTERRUPT_H

#include "weir.h" /* weir_interrupt_watch */

const bool *weir_interrupt_watched(void); /* what this thread looks at; NULL: nothing */
bool weir_interrupted(void);

#endif
