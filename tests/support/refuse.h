/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory that refuses each allocation of some work once. The work is done in rounds: the first refuses the first allocation, the
 * second the second, until a round has nothing left to refuse.
 *
 *     struct refuse memory = {0};
 *     while (refuse_next(&memory)) {
 *         enum weir_status status = work();
 *         refuse_end();
 *         assert_int_equal(status, memory.refused ? WEIR_MEMORY : WEIR_OK);
 *         assert_int_equal(memory.live, 0);
 *     }
 *     assert_true(memory.number > 5);  ... the work has more than five allocations
 */
#ifndef WEIR_TESTS_REFUSE_H
#define WEIR_TESTS_REFUSE_H

#include <stdbool.h>

/* Zero-initialise. A test sets the first two, and reads the others. */
struct refuse {
    bool onwards; /* a round also refuses every allocation after its own */
    bool paused;  /* allocations are granted, and not counted in `asked`; each round begins with false */
    long rounds;  /* begun so far */
    long number;  /* of the allocation that this round refuses, from 0; after the last round, how many there are */
    long asked;   /* allocations in this round, refused ones too; a block that grows or shrinks asks as well */
    long refused; /* in this round */
    long live;    /* blocks allocated in this round less those freed in it */
};

/* Begins the next round: the library allocates through *memory, which must outlive the round. False, with the library's usual
 * memory restored and all fields as they were, when the round before refused nothing. What a round allocates is freed before the
 * next. */
bool refuse_next(struct refuse *memory);

/* Restores the library's usual memory. Call it in a round before asserting, so that a failed test does not refuse memory to the
 * next one, and when leaving the loop early. Blocks of the round may still be freed, but are then not counted. */
void refuse_end(void);

#endif
