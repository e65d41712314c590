/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of each operator, to walk along them. */
#ifndef WEIR_MODEL_LINKS_H
#define WEIR_MODEL_LINKS_H

#include "model/pipeline.h"

/* Those of operator o: queue[first[o]] .. queue[first[o + 1] - 1]. Zero-initialise. */
struct weir_links {
    uint32_t *first, *queue;
};

enum { WEIR_LINKS_OUT = 1, WEIR_LINKS_IN = 2 }; /* both: a queue is listed at each of its ends */

/* False when out of memory; to be freed all the same. */
bool weir_links_make(struct weir_links *links, const struct weir_pipeline *pipeline, unsigned sides);
void weir_links_free(struct weir_links *links);

#endif
