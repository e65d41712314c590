/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes that explore together (ranks.c), and what lies between the program and the module that talks MPI (mpi.c). */
#ifndef WEIR_CLI_RANKS_H
#define WEIR_CLI_RANKS_H

#include "cli.h"

/*
 * Runs `run`; where the program was started several times over by mpirun, all of them run it together if the search can be shared,
 * and otherwise one of them, while the others wait. Only one of them prints and writes, and the
 * status of all is its own: the others end with 0.
 */
enum weir_exit weir_ranks_run(struct weir_arguments *arguments, bool shared, enum weir_exit (*run)(struct weir_arguments *));
/* Whether there are several processes; whether this is the one of them that prints. */
bool weir_ranks_several(void);
bool weir_ranks_first_of_several(void);

/* ---- the module: weir-mpi.so, loaded only then, because of what MPI takes to be loaded ---- */

struct weir_ranks_link {
    struct weir_ranks ranks;
    /* After the last search; 0, or the others cannot be reached. When rank 0 ends while another process still searches, that one
     * ends within `receive` or `broadcast` of the ranks. */
    int (*end)(void *context);
    void (*abandon)(void *context, int status); /* ends all processes */
    bool (*is_lost)(void *context);             /* something failed, so that `end` would wait for ever */
};

/* NULL, or what is wrong. `version` is that of the program, which must be the module's. */
typedef const char *weir_ranks_begin(const char *version, struct weir_ranks_link *link);
#define WEIR_RANKS_BEGIN "weir_mpi_begin"

#endif
