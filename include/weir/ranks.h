/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes that search together, as under MPI; and searches that go on where they were ended.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_RANKS_H
#define WEIR_RANKS_H

#include "weir/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every process runs the same program on the same input and comes to the same searches in the same order. Within one the process of
 * rank 0 hands out numbered tasks, and gets their results; at its end all have all results, and go on alike. What a search finds
 * does not depend on how many there are; only rank 0 should show it.
 *
 * The functions are called by the thread that called the search, and by no other. Each returns 0, or anything else when the others
 * can no longer be reached: the search then fails with WEIR_IO.
 */
struct weir_ranks {
    unsigned rank, count; /* rank < count */
    int (*send)(void *context, unsigned to, const void *bytes, size_t size);
    /* Waits until something has come, at most a few milliseconds: *size is 0 then. What does not fit is an error. */
    int (*receive)(void *context, unsigned *from, void *bytes, size_t room, size_t *size);
    /* From rank 0 to all, which all have made room for `size` bytes. */
    int (*broadcast)(void *context, void *bytes, size_t size);
    void *context;
};

/* Before the first search; it must live on. NULL: this process alone, as at the beginning. */
WEIR_API void weir_set_ranks(const struct weir_ranks *ranks);

/*
 * Searches from here on keep what they find in a file, and do not look again at what they find there. `question` stands for all
 * that they depend on: a file of another one is refused (WEIR_INVALID) and left as it is. A file that is not there is made. The
 * same searches have to come in the same order. Of several processes, rank 0 has the file. Not for several threads that search at
 * once.
 */
WEIR_API enum weir_status weir_journal_open(const char *path, uint64_t question, struct weir_error *error);
WEIR_API void weir_journal_close(void); /* the file stays */

#ifdef __cplusplus
}
#endif
#endif
