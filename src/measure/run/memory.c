/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What undoes the lock of the first run when the last one is over. */
enum undo {
    UNDO_NOTHING, /* the application locks all memory itself */
    UNDO_FUTURE,  /* it had locked some: what is locked stays so, but nothing is added */
    UNDO_ALL,
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static enum undo undo;

/* Of this process, in KiB; 0 where Linux does not say. */
static unsigned long locked_memory(void)
{
    static const char word[] = "VmLck:";
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    unsigned long size = 0;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, word, sizeof word - 1) == 0)
            size = strtoul(line + sizeof word - 1, NULL, 10);
    fclose(file);
    return size;
}

/* Linux does not tell whether the application called mlockall(MCL_FUTURE): new memory does, by being locked. */
static bool locks_new_memory(unsigned long before)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return errno == EAGAIN; /* more than may be locked */
    bool locks = locked_memory() > before;
    munmap(page, bytes);
    return locks;
}

static int lock_first(void)
{
    unsigned long before = locked_memory();
    undo = before == 0 ? UNDO_ALL : locks_new_memory(before) ? UNDO_NOTHING : UNDO_FUTURE;
    return undo != UNDO_NOTHING && mlockall(MCL_CURRENT | MCL_FUTURE) ? errno : 0;
}

int weir_memory_lock(void)
{
    pthread_mutex_lock(&mutex);
    int code = users == 0 ? lock_first() : 0;
    if (!code)
        users++;
    pthread_mutex_unlock(&mutex);
    return code;
}

void weir_memory_unlock(void)
{
    pthread_mutex_lock(&mutex);
    if (--users == 0 && undo == UNDO_ALL)
        munlockall();
    else if (users == 0 && undo == UNDO_FUTURE)
        mlockall(MCL_CURRENT);
    pthread_mutex_unlock(&mutex);
}
