/* SPDX-License-Identifier: Apache-2.0 */
/* The best division of SMs by looking at all there are: each is a pipeline that is sealed and analysed on its own. */
#ifndef WEIR_TESTS_DIVISIONS_H
#define WEIR_TESTS_DIVISIONS_H

#include "weir.h"

enum { DIVIDED_OPERATORS = 5 };

struct divided {
    bool any;                          /* the SMs are enough for some division */
    struct weir_partition_score score; /* of the best */
    uint32_t sms;                      /* of equally good ones, the fewest */
};

/* With up to DIVIDED_OPERATORS profiles. A latency counts where it is exact. False: something failed. */
bool divide_all(const struct weir_pipeline *pipeline, const struct weir_partition_options *options, struct divided *best);

#endif
