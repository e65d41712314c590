/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a run: of this process alone, or shared with those that are forked later, which see it at the same addresses. */
#ifndef WEIR_MEASURE_RUN_SHARED_H
#define WEIR_MEASURE_RUN_SHARED_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed; NULL: out of memory. */
void *weir_shared_array(bool shared, size_t count, size_t size);
/* What the former returned, or NULL. */
void weir_shared_free(bool shared, void *array);

#endif
