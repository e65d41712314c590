/* SPDX-License-Identifier: Apache-2.0 */
/* What is left out of a log: start-up and end, which no model describes. */
#ifndef WEIR_READ_HOLOSCAN_SKIP_H
#define WEIR_READ_HOLOSCAN_SKIP_H

#include "weir.h"

struct weir_skip {
    uint32_t first, last;
    uint32_t least; /* of fewer than this, nothing is left out */
};

/* HoloHub's tools leave out as many; a log that is hardly longer has nothing left. */
static inline struct weir_skip weir_skip_of(uint32_t first, uint32_t last)
{
    bool usual = first == WEIR_SKIP_USUAL && last == WEIR_SKIP_USUAL;
    return usual ? (struct weir_skip){10, 10, 100}
                 : (struct weir_skip){first == WEIR_SKIP_USUAL ? 0 : first, last == WEIR_SKIP_USUAL ? 0 : last, 0};
}

#define WEIR_SKIP_SAYS ", where there are at least 100: start-up and end; --skip-first 0 leaves out none"

#endif
