/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synthetic work. Time of a CPU is what the thread's own clock says, so that an execution that is interrupted works on afterwards.
 * Reading that clock is a system call; in between the thread goes round a loop, as often as calibrated for most of what is left,
 * so that a few readings are enough and a CPU that changes its frequency does no harm.
 */
#include "measure/run/run.h"

#define CALIBRATION_NS 500000
#define CALIBRATIONS 8
#define CHUNK_NS 1000000 /* between two looks at whether the run stops */
#define CLOSE_NS 3000    /* not worth a look at the clock any more */
#define MARGIN_NS 1500   /* what the readings at both ends cost */

static void compute(uint64_t loops)
{
    uint64_t x = loops | 1;
    for (uint64_t i = 0; i < loops; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        __asm__ volatile("" : "+r"(x)); /* or it would all be left out */
    }
}

/* A line of the caches each, from where it last stopped. */
static void traffic(struct weir_operator_thread *s, uint64_t lines)
{
    size_t bytes = s->run->options.memory_bytes, at = s->memory_at;
    for (uint64_t i = 0; i < lines; i++) {
        s->memory[at]++;
        at += WEIR_RUN_LINE;
        if (at >= bytes)
            at = 0;
    }
    s->memory_at = at;
}

static void loop(struct weir_operator_thread *s, uint64_t loops)
{
    if (s->run->options.work == WEIR_RUN_MEMORY)
        traffic(s, loops);
    else
        compute(loops);
}

void weir_work_calibrate(struct weir_run *run)
{
    struct weir_operator_thread *s = &run->threads[0];
    if (run->options.work == WEIR_RUN_NOTHING || run->options.work == WEIR_RUN_SLEEP)
        return;
    uint64_t loops = 1000, best = 1;
    loop(s, loops);
    for (int i = 0; i < CALIBRATIONS;) {
        int64_t began = weir_clock_cpu();
        loop(s, loops);
        int64_t took = weir_clock_cpu() - began;
        if (took < CALIBRATION_NS) {
            loops *= 2;
            continue;
        }
        uint64_t rate = loops * 1000000 / (uint64_t)took;
        best = rate > best ? rate : best;
        i++;
    }
    run->loops_per_ms = best;
}

static uint64_t loops_for(const struct weir_run *run, int64_t ns)
{
    return (uint64_t)ns * run->loops_per_ms / 1000000;
}

void weir_work_do(struct weir_operator_thread *s, int64_t ns)
{
    struct weir_run *run = s->run;
    if (ns <= 0 || run->options.work == WEIR_RUN_NOTHING)
        return;
    if (run->options.work == WEIR_RUN_SLEEP) {
        weir_sleeper_wait_until(&run->group, &s->sleeper, weir_clock_now() + ns);
        return;
    }
    if (ns <= CLOSE_NS) {
        loop(s, loops_for(run, ns));
        return;
    }
    int64_t end = weir_clock_cpu() + ns - MARGIN_NS;
    while (!weir_thread_group_stopping(&run->group)) {
        int64_t left = end - weir_clock_cpu();
        if (left <= 0)
            return;
        if (left <= CLOSE_NS) {
            loop(s, loops_for(run, left));
            return;
        }
        left -= left / 8;
        loop(s, loops_for(run, left < CHUNK_NS ? left : CHUNK_NS));
    }
}
