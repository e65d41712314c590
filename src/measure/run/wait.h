/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting and waking. A thread that must wait looks again for a while (it lingers), and then writes what it waits for into its own
 * word, looks once more, and sleeps on that word; whoever brings it about (the publisher) changes an index first and reads the word
 * then. One of the two sees the other, provided that neither reads ahead of its own write:
 *
 *     publisher   P1 index = ...   P2 fences?    P3 fence, if so   P4 read the word: wake, if it says so
 *     sleeper     S1 word = code   S2 fence      S3 membarrier, unless settled     S4 read the index: sleep, if not enough
 *
 * With both fences this is the store buffering test, which forbids that P4 misses S1 and S4 misses P1. The publisher's fence costs
 * some 10 ns for each message, though, and where threads have CPUs of their own they hardly ever sleep; so there the publisher
 * begins without it, and membarrier() puts a fence into every thread at some point of its execution. If that point is after P2,
 * then P1 came before it, and S4 sees it; if it is before P2, and P1 perhaps too, then P4 comes after it, and sees S1.
 *
 * A membarrier costs some 10 us and disturbs all other threads, which is too much for sleeps that are not rare. Then, and once and
 * for all, a sleeper sets `fences`, makes a membarrier more, and sets `settled` after it: a publisher whose P2 still read "no" had
 * its P1 before that membarrier, so that whoever sees `settled` in S3 sees this index in S4; all others make the fence. Who reads
 * `settled` needs no membarrier any more. tests/unit/measure/test_wake_model.c tries all executions of this.
 *
 * `busy` counts the threads that are neither asleep for another one nor over. It is counted up by who wakes, before the one that is
 * woken runs; so when it gets to 0, everyone waits for someone who waits, and nothing is under way.
 */
#ifndef WEIR_MEASURE_RUN_WAIT_H
#define WEIR_MEASURE_RUN_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WEIR_RUN_LINE 128 /* bytes that caches move at once: lines come in pairs */

/* What a thread waits for. */
enum { WEIR_WAITS_NOT, WEIR_WAITS_TIME, WEIR_WAITS_QUEUE }; /* + 2 * channel, + 1 for room in it */

struct weir_sleeper {
    _Alignas(WEIR_RUN_LINE) _Atomic uint32_t waits; /* publishers read it all the time: nothing else is in its line */
    /* The thread's own. */
    _Alignas(WEIR_RUN_LINE) uint64_t sleeps;
    uint64_t barriers;
    uint32_t backoff, skips; /* waits without lingering, next time; from now on */
    bool yields;             /* its policy lets it */
};

/* What all threads of a run share. */
struct weir_thread_group {
    _Alignas(WEIR_RUN_LINE) _Atomic bool stopping;
    _Atomic bool fences;  /* publishers make the fence themselves */
    _Atomic bool settled; /* ... and all of them know */
    int64_t spin_ns;      /* each thread has a CPU: it spins so long before it sleeps; 0: it yields a few times */
    bool lingers;         /* it does either */
    bool shared;          /* by several processes, and so is the memory that this is in */
    uint32_t threads;
    _Alignas(WEIR_RUN_LINE) _Atomic int64_t busy;
};

/* What is waited for: *index >= need. */
struct weir_awaited {
    uint32_t code; /* what the sleeper's word says meanwhile */
    const _Atomic uint64_t *index;
    uint64_t need;
    unsigned pauses; /* instructions between two looks, at first: a longer queue may be looked at less often */
};

int64_t weir_clock_now(void); /* CLOCK_MONOTONIC, ns */
int64_t weir_clock_cpu(void); /* of this thread, ns */

/* While *word is `value`, until `until` (a moment; INT64_MAX: for ever) or a wake-up, which need not have a reason. */
void weir_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t until);
void weir_futex_wake(_Atomic uint32_t *word, int count);

/* Before the threads start, with the numbers set. */
void weir_thread_group_prepare(struct weir_thread_group *group);

static inline bool weir_thread_group_stopping(const struct weir_thread_group *group)
{
    return atomic_load_explicit(&group->stopping, memory_order_relaxed);
}

/* P1 to P3: moves an index on, so that a sleeper's word may be read next. */
static inline void weir_index_publish(const struct weir_thread_group *group, _Atomic uint64_t *index, uint64_t value)
{
    atomic_store_explicit(index, value, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&group->fences, memory_order_relaxed))
        atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
}

void weir_sleeper_wake_slowly(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code);

/* P4: if it waits for this. */
static inline void weir_sleeper_wake(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code)
{
    if (__builtin_expect(atomic_load_explicit(&sleeper->waits, memory_order_relaxed) == code, 0))
        weir_sleeper_wake_slowly(group, sleeper, code);
}

/* Whatever it waits for. Safe in a signal handler. */
void weir_sleeper_rouse(struct weir_thread_group *group, struct weir_sleeper *sleeper);

/* False when the run is stopping; and, with the run not stopping, where with this thread everybody waits: then it did not sleep,
 * and has to end the run. */
bool weir_sleeper_wait(struct weir_thread_group *group, struct weir_sleeper *sleeper, const struct weir_awaited *wait);
/* Until that moment; false when the run is stopping. */
bool weir_sleeper_wait_until(struct weir_thread_group *group, struct weir_sleeper *sleeper, int64_t moment);

#endif
