/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting and waking. A thread that must wait writes what it waits for into its own word, looks once more, and sleeps on that word;
 * whoever brings it about changes an index first and reads the word then. One of the two sees the other, provided that neither
 * reading is made ahead of the writing before it. Sleepers are rare and messages are not, so the sleeper pays for both where Linux
 * lets it: membarrier() stands for the fence that the other side leaves out.
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
    _Alignas(WEIR_RUN_LINE) _Atomic uint32_t waits;
    unsigned pauses; /* instructions between two looks, at first */
    uint64_t sleeps;
};

/* What all threads of a run share. */
struct weir_thread_group {
    _Alignas(WEIR_RUN_LINE) _Atomic bool stopping;
    bool fences;     /* there is no membarrier */
    int64_t spin_ns; /* before a thread sleeps; 0: none */
    _Alignas(WEIR_RUN_LINE) _Atomic int64_t busy;
};

int64_t weir_clock_now(void); /* CLOCK_MONOTONIC, ns */
int64_t weir_clock_cpu(void); /* of this thread, ns */

/* While *word is `value`, until `until` (a moment; INT64_MAX: for ever) or a wake-up, which need not have a reason. */
void weir_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t until);
void weir_futex_wake(_Atomic uint32_t *word, int count);

/* Sets `fences`, where it is not set yet. */
void weir_thread_group_prepare(struct weir_thread_group *group);

static inline bool weir_thread_group_stopping(const struct weir_thread_group *group)
{
    return atomic_load_explicit(&group->stopping, memory_order_relaxed);
}

/* Moves an index on, so that a sleeper's word may be read next. */
static inline void weir_index_publish(const struct weir_thread_group *group, _Atomic uint64_t *index, uint64_t value)
{
    if (group->fences) {
        atomic_store(index, value);
    } else {
        atomic_store_explicit(index, value, memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
    }
}

void weir_sleeper_wake_slowly(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code);

/* If it waits for this. */
static inline void weir_sleeper_wake(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code)
{
    if (__builtin_expect(atomic_load(&sleeper->waits) == code, 0))
        weir_sleeper_wake_slowly(group, sleeper, code);
}

/* Whatever it waits for. Safe in a signal handler. */
void weir_sleeper_rouse(struct weir_thread_group *group, struct weir_sleeper *sleeper);

/* Until *index >= need. False when the run is stopping; and, with the run not stopping, where with this thread everybody waits:
 * then it did not sleep, and has to end the run. */
bool weir_sleeper_wait(struct weir_thread_group *group, struct weir_sleeper *sleeper, uint32_t code, const _Atomic uint64_t *index,
                       uint64_t need);
/* Until that moment; false when the run is stopping. */
bool weir_sleeper_wait_until(struct weir_thread_group *group, struct weir_sleeper *sleeper, int64_t moment);

#endif
