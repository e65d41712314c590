/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes by MPI: a module of its own, so that the program needs no MPI. Messages are waited for by looking and sleeping,
 * longer and longer, because MPI itself waits by spinning, which would take a core from the search. All calls come from one thread.
 */
#include "ranks.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum tag {
    TAG_MESSAGE = 1,
    TAG_SHARE, /* rank 0 is about to broadcast */
    TAG_END,   /* rank 0 wants nothing any more */
    TAG_GONE   /* of another: it will send nothing any more */
};

enum { PAUSE_FIRST = 20000, PAUSE_MAX = 1000000, WAIT_MAX = 5000000 }; /* nanoseconds */

struct world {
    int rank, count;
    unsigned gone; /* how many of the others */
    long pause;
    bool lost;
};

static struct world world;

static int lose(struct world *w)
{
    w->lost = true;
    return 1;
}

/* Until something has come, at most so long; *there tells. */
static int await(struct world *w, long limit, MPI_Status *status, int *there)
{
    for (long waited = 0;;) {
        if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, there, status) != MPI_SUCCESS)
            return lose(w);
        if (*there || waited >= limit)
            break;
        nanosleep(&(struct timespec){0, w->pause}, NULL);
        waited += w->pause;
        w->pause = 2 * w->pause > PAUSE_MAX ? PAUSE_MAX : 2 * w->pause;
    }
    if (*there)
        w->pause = PAUSE_FIRST;
    return 0;
}

static int take(struct world *w, const MPI_Status *status, void *bytes, int size)
{
    int got = MPI_Recv(bytes, size, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got == MPI_SUCCESS ? 0 : lose(w);
}

static int tell(struct world *w, int rank, enum tag tag)
{
    return MPI_Send(NULL, 0, MPI_BYTE, rank, (int)tag, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : lose(w);
}

/* Rank 0 has finished, and this process has not: what it still looks for is not needed. */
static _Noreturn void leave(struct world *w)
{
    MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tell(w, 0, TAG_GONE);
    MPI_Finalize();
    _exit(0);
}

/* ---- struct weir_ranks ---- */

static int send_bytes(void *context, unsigned to, const void *bytes, size_t size)
{
    if (size > INT_MAX || MPI_Send(bytes, (int)size, MPI_BYTE, (int)to, TAG_MESSAGE, MPI_COMM_WORLD) != MPI_SUCCESS)
        return lose(context);
    return 0;
}

static int receive_bytes(void *context, unsigned *from, void *bytes, size_t room, size_t *size)
{
    struct world *w = context;
    MPI_Status status;
    int there, count;
    *size = 0;
    if (await(w, WAIT_MAX, &status, &there))
        return 1;
    if (!there)
        return 0;
    if (w->rank > 0 && status.MPI_TAG == TAG_END)
        leave(w);
    if (status.MPI_TAG == TAG_GONE) { /* in the middle of a search */
        w->gone++;
        take(w, &status, NULL, 0);
        return lose(w);
    }
    if (status.MPI_TAG != TAG_MESSAGE || MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || (size_t)count > room)
        return lose(w);
    *from = (unsigned)status.MPI_SOURCE;
    *size = (size_t)count;
    return take(w, &status, bytes, count);
}

/* A process that waits in MPI_Bcast spins, so none begins it before rank 0 does. */
static int broadcast_bytes(void *context, void *bytes, size_t size)
{
    struct world *w = context;
    if (size > INT_MAX)
        return lose(w);
    for (int rank = 1; rank < w->count && w->rank == 0; rank++)
        if (tell(w, rank, TAG_SHARE))
            return 1;
    if (w->rank > 0) {
        MPI_Status status;
        int there = 0;
        while (!there)
            if (await(w, WAIT_MAX, &status, &there))
                return 1;
        if (status.MPI_TAG == TAG_END)
            leave(w);
        if (status.MPI_TAG != TAG_SHARE || take(w, &status, NULL, 0))
            return lose(w);
    }
    return MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : lose(w);
}

/* ---- the end ---- */

/* What another process has sent meanwhile is of no use any more, but it cannot go on before it is taken. */
static int discard(struct world *w, const MPI_Status *status)
{
    static char nothing[1 << 16];
    int size;
    if (MPI_Get_count(status, MPI_BYTE, &size) != MPI_SUCCESS)
        return lose(w);
    if ((size_t)size <= sizeof nothing)
        return take(w, status, nothing, size);
    void *room = malloc((size_t)size);
    int lost = room ? take(w, status, room, size) : lose(w);
    free(room);
    return lost;
}

static int end_first(struct world *w)
{
    for (int rank = 1; rank < w->count; rank++)
        if (tell(w, rank, TAG_END))
            return 1;
    while (w->gone < (unsigned)w->count - 1) {
        MPI_Status message;
        int there;
        if (await(w, WAIT_MAX, &message, &there))
            return 1;
        w->gone += there && message.MPI_TAG == TAG_GONE;
        if (there && discard(w, &message))
            return 1;
    }
    return 0;
}

static int end_other(struct world *w)
{
    MPI_Status message = {.MPI_TAG = TAG_GONE};
    if (tell(w, 0, TAG_GONE))
        return 1;
    while (message.MPI_TAG != TAG_END) {
        int there;
        if (await(w, WAIT_MAX, &message, &there) || (there && discard(w, &message)))
            return 1;
        if (!there)
            message.MPI_TAG = TAG_GONE;
    }
    return 0;
}

static int end(void *context)
{
    struct world *w = context;
    if (w->rank == 0 ? end_first(w) : end_other(w))
        return 1;
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

static void abandon(void *context, int status)
{
    (void)context;
    MPI_Abort(MPI_COMM_WORLD, status);
}

static bool is_lost(void *context)
{
    return ((const struct world *)context)->lost;
}

__attribute__((visibility("default"))) const char *weir_mpi_begin(const char *version, struct weir_ranks_link *link);

const char *weir_mpi_begin(const char *version, struct weir_ranks_link *link)
{
    int provided;
    if (strcmp(version, WEIR_VERSION) != 0)
        return "it has another version of weir";
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED ||
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &world.rank) != MPI_SUCCESS || MPI_Comm_size(MPI_COMM_WORLD, &world.count) != MPI_SUCCESS)
        return "MPI cannot be started";
    world.pause = PAUSE_FIRST;
    *link = (struct weir_ranks_link){
        .ranks = {(unsigned)world.rank, (unsigned)world.count, send_bytes, receive_bytes, broadcast_bytes, &world},
        .end = end,
        .abandon = abandon,
        .is_lost = is_lost};
    return NULL;
}
