/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/wait.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_PAUSES 16     /* instructions between two looks, in the end */
#define YIELDS 4           /* before a thread sleeps */
#define YIELD_NS 50000     /* someone else needs the CPU for longer than a message takes */
#define YIELD_EACH_NS 5000 /* ... or than it takes all the others, where they are many */
#define BACKOFF_MAX 255    /* waits without lingering, after it was in vain again and again */
#define BARRIERS_FEW 16    /* of a thread */
#define BARRIERS_APART 256 /* messages */

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

/* `kind`: FUTEX_PRIVATE_FLAG, or 0 for words that other processes may see. Both sides say the same. */
static void futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t until, int kind)
{
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};
    int kept = errno;
    syscall(SYS_futex, word, kind | FUTEX_WAIT_BITSET, value, until == INT64_MAX ? NULL : &t, NULL, FUTEX_BITSET_MATCH_ANY);
    errno = kept;
}

static void futex_wake(_Atomic uint32_t *word, int count, int kind)
{
    int kept = errno; /* of the code that a signal interrupts */
    syscall(SYS_futex, word, kind | FUTEX_WAKE, count, NULL, NULL, 0);
    errno = kept;
}

void weir_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t until)
{
    futex_wait(word, value, until, 0);
}

void weir_futex_wake(_Atomic uint32_t *word, int count)
{
    futex_wake(word, count, 0);
}

static int kind_of(const struct weir_thread_group *group)
{
    return group->shared ? 0 : FUTEX_PRIVATE_FLAG;
}

/* ---- fences ---- */

static bool membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

void weir_thread_group_prepare(struct weir_thread_group *group)
{
    /* A membarrier for threads of other processes would take a hundred times as long. */
    bool fences = group->spin_ns == 0 || group->shared || !membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    atomic_store(&group->fences, fences);
    atomic_store(&group->settled, fences);
}

/* S2 and S3. Sleeps are rare as long as this thread's are few, or few beside the messages that came the same way. */
static void fence_everyone(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint64_t messages)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&group->settled, memory_order_acquire))
        return;
    if (++sleeper->barriers > BARRIERS_FEW && sleeper->barriers > messages / BARRIERS_APART)
        atomic_store(&group->fences, true);
    bool settles = atomic_load(&group->fences);
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    if (settles)
        atomic_store_explicit(&group->settled, true, memory_order_release);
}

/* ---- waking ---- */

/* Counted before it is woken, and counted off again where someone else was faster: `busy` may be too large for a moment, while this
 * thread is busy itself, but never too small. */
void weir_sleeper_wake_slowly(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code)
{
    bool counts = code >= WEIR_WAITS_QUEUE;
    if (counts)
        atomic_fetch_add(&group->busy, 1);
    if (atomic_compare_exchange_strong(&sleeper->waits, &code, WEIR_WAITS_NOT))
        futex_wake(&sleeper->waits, 1, kind_of(group));
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

/* ---- lingering ---- */

static bool reached(const struct weir_awaited *wait)
{
    return (int64_t)(atomic_load_explicit(wait->index, memory_order_acquire) - wait->need) >= 0;
}

/* Looks are further and further apart: each takes a line of the cache away from the one who is to write it, and who would soon be
 * held up by messages asked for one by one. */
static bool spin(const struct weir_thread_group *group, const struct weir_awaited *wait)
{
    int64_t until = 0;
    for (unsigned pauses = wait->pauses; !weir_thread_group_stopping(group);
         pauses = pauses < SPIN_PAUSES ? 2 * pauses : SPIN_PAUSES) {
        if (reached(wait))
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

/*
 * Threads that share CPUs and have little to do between messages get on fastest by letting each other run: that takes neither a
 * system call to wake nor an interrupt, and no CPU goes idle meanwhile. But a thread that yields is behind all others that can run,
 * and a message does not get it ahead of them as it would if it slept. So a yield that took long was a mistake.
 */
static bool yield(const struct weir_thread_group *group, const struct weir_awaited *wait, bool *paid)
{
    int64_t limit = YIELD_EACH_NS * (int64_t)group->threads;
    if (limit < YIELD_NS)
        limit = YIELD_NS;
    int64_t began = weir_clock_now();
    for (int i = 0; i < YIELDS; i++) {
        sched_yield();
        *paid = weir_clock_now() - began < limit;
        if (reached(wait))
            return true;
        if (!*paid)
            break;
    }
    *paid = false;
    return false;
}

/* Where it was in vain, the next waits do without: periodic pipelines pay nothing for it. */
static bool linger(const struct weir_thread_group *group, struct weir_sleeper *sleeper, const struct weir_awaited *wait)
{
    if (sleeper->skips > 0) {
        sleeper->skips--;
        return false;
    }
    bool paid = false, done = false;
    if (group->spin_ns == 0 && (sleeper->backoff > 0 || !sleeper->yields)) /* or it would lose its budget of the period */
        sleeper->yields = sched_getscheduler(0) != SCHED_DEADLINE;
    if (group->spin_ns > 0)
        done = paid = spin(group, wait);
    else if (sleeper->yields)
        done = yield(group, wait, &paid);
    sleeper->backoff = paid ? 0 : 2 * sleeper->backoff + 1;
    if (sleeper->backoff > BACKOFF_MAX)
        sleeper->backoff = BACKOFF_MAX;
    sleeper->skips = sleeper->backoff;
    return done;
}

/* ---- sleeping ---- */

/* Takes the word back. Where someone was faster, he has counted a sleeper that there never was. */
static void withdraw(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code)
{
    if (!atomic_compare_exchange_strong(&sleeper->waits, &code, WEIR_WAITS_NOT))
        atomic_fetch_sub(&group->busy, 1);
}

bool weir_sleeper_wait(struct weir_thread_group *group, struct weir_sleeper *sleeper, const struct weir_awaited *wait)
{
    if (group->lingers && linger(group, sleeper, wait))
        return true;
    while (!weir_thread_group_stopping(group)) {
        if (reached(wait))
            return true;
        atomic_store_explicit(&sleeper->waits, wait->code, memory_order_relaxed);
        fence_everyone(group, sleeper, wait->need);
        if (reached(wait) || atomic_load(&group->stopping)) {
            withdraw(group, sleeper, wait->code);
            continue;
        }
        if (atomic_fetch_sub(&group->busy, 1) == 1) {
            atomic_store(&sleeper->waits, WEIR_WAITS_NOT);
            return false;
        }
        sleeper->sleeps++;
        while (atomic_load(&sleeper->waits) == wait->code)
            futex_wait(&sleeper->waits, wait->code, INT64_MAX, kind_of(group));
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
        futex_wait(&sleeper->waits, code, moment, kind_of(group));
    atomic_store(&sleeper->waits, WEIR_WAITS_NOT);
    return !weir_thread_group_stopping(group);
}
