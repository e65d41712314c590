/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/wait.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_PAUSES 16 /* instructions between two looks, in the end */

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t weir_clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t weir_clock_cpu(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void weir_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t until)
{
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};
    int kept = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, until == INT64_MAX ? NULL : &t, NULL, FUTEX_BITSET_MATCH_ANY);
    errno = kept;
}

void weir_futex_wake(_Atomic uint32_t *word, int count)
{
    int kept = errno; /* of the one whom a signal interrupts */
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
    errno = kept;
}

void weir_thread_group_prepare(struct weir_thread_group *group)
{
    if (!group->fences)
        group->fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

/* The sleeper's half of the fence. */
static void fence_everyone(const struct weir_thread_group *group)
{
    if (group->fences)
        atomic_thread_fence(memory_order_seq_cst);
    else
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Counted before it is woken, and counted off again where someone else was faster: `busy` may be too large for a moment, while this
 * thread is busy itself, but never too small. */
void weir_sleeper_wake_slowly(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code)
{
    bool counts = code >= WEIR_WAITS_QUEUE;
    if (counts)
        atomic_fetch_add(&group->busy, 1);
    if (atomic_compare_exchange_strong(&sleeper->waits, &code, WEIR_WAITS_NOT))
        weir_futex_wake(&sleeper->waits, 1);
    else if (counts)
        atomic_fetch_sub(&group->busy, 1);
}

void weir_sleeper_rouse(struct weir_thread_group *group, struct weir_sleeper *sleeper)
{
    uint32_t code = atomic_load(&sleeper->waits);
    if (code != WEIR_WAITS_NOT)
        weir_sleeper_wake_slowly(group, sleeper, code);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool reached(const _Atomic uint64_t *index, uint64_t need)
{
    return (int64_t)(atomic_load_explicit(index, memory_order_acquire) - need) >= 0;
}

/* Looks are further and further apart: each takes a line of the cache away from the one who is to write it, and who would soon be
 * held up by messages asked for one by one. */
static bool spin(const struct weir_thread_group *group, const _Atomic uint64_t *index, uint64_t need, unsigned pauses)
{
    int64_t until = 0;
    for (; !weir_thread_group_stopping(group); pauses = pauses < SPIN_PAUSES ? 2 * pauses : SPIN_PAUSES) {
        if (reached(index, need))
            return true;
        for (unsigned i = 0; i < pauses; i++)
            relax();
        if (pauses < SPIN_PAUSES)
            continue;
        int64_t now = weir_clock_now();
        if (until == 0)
            until = now + group->spin_ns;
        if (now >= until)
            break;
    }
    return false;
}

/* Takes the word back. Where someone was faster, he has counted a sleeper that there never was. */
static void withdraw(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code)
{
    if (!atomic_compare_exchange_strong(&sleeper->waits, &code, WEIR_WAITS_NOT))
        atomic_fetch_sub(&group->busy, 1);
}

bool weir_sleeper_wait(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code, const _Atomic uint64_t *index,
                       uint64_t need)
{
    if (group->spin_ns > 0 && spin(group, index, need, sleeper->pauses))
        return true;
    while (!weir_thread_group_stopping(group)) {
        if (reached(index, need))
            return true;
        atomic_store(&sleeper->waits, code);
        fence_everyone(group);
        if (reached(index, need) || atomic_load(&group->stopping)) {
            withdraw(group, sleeper, code);
            continue;
        }
        if (atomic_fetch_sub(&group->busy, 1) == 1) {
            atomic_store(&sleeper->waits, WEIR_WAITS_NOT);
            return false;
        }
        sleeper->sleeps++;
        while (atomic_load(&sleeper->waits) == code)
            weir_futex_wait(&sleeper->waits, code, INT64_MAX);
    }
    return false;
}

bool weir_sleeper_wait_until(struct weir_thread_group *group, struct weir_sleeper *sleeper, int64_t moment)
{
    uint32_t code = WEIR_WAITS_TIME;
    if (weir_clock_now() >= moment)
        return !weir_thread_group_stopping(group);
    atomic_store(&sleeper->waits, code);
    sleeper->sleeps++;
    while (!atomic_load(&group->stopping) && weir_clock_now() < moment)
        weir_futex_wait(&sleeper->waits, code, moment);
    atomic_store(&sleeper->waits, WEIR_WAITS_NOT);
    return !weir_thread_group_stopping(group);
}
