/* SPDX-License-Identifier: Apache-2.0 */
/* How fast one operator has to be for every deadline of the model to be kept. */
#ifndef WEIR_EXPLORE_MARGINS_ENOUGH_H
#define WEIR_EXPLORE_MARGINS_ENOUGH_H

#include "explore/margins/margin.h"

struct weir_enough {
    bool found;          /* false: no time of this operator alone is enough, or a limit was reached */
    int64_t best, worst; /* its times then; worst is the largest that is enough */
};
/* The evaluator has the numbers of the pipeline, and has them again afterwards. With the best case as it is, and where that is not
 * enough with a best case of 0: executions with a smaller worst case are some of those with a larger one, so it is found by
 * halving. */
enum weir_status weir_enough_find(struct weir_evaluator *evaluator, struct weir_operator op, struct weir_enough *enough,
                                  struct weir_error *error);

#endif
