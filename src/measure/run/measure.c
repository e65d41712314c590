/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/run.h"

#include "base/sorted.h"
#include "measure/run/schedstat.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PENDING_MAX (1 << 20) /* arrivals that are counted one by one */

/* Readers take a stamp only if its iteration is the same before and after: a stamp that is being written has none. */
static void stamp(struct weir_stamp *at, int64_t iteration, int64_t time)
{
    atomic_store_explicit(&at->iteration, -1, memory_order_relaxed);
    atomic_store_explicit(&at->time, time, memory_order_release);
    atomic_store_explicit(&at->iteration, iteration, memory_order_release);
}

static bool read_stamp(const struct weir_operator_thread *s, int64_t iteration, int64_t *time)
{
    struct weir_stamp *at = &s->stamps[(uint64_t)iteration & s->stamp_mask];
    if (iteration < 0 || atomic_load_explicit(&at->iteration, memory_order_acquire) != iteration)
        return false;
    *time = atomic_load_explicit(&at->time, memory_order_acquire);
    return atomic_load_explicit(&at->iteration, memory_order_relaxed) == iteration;
}

/* ---- time without a CPU ---- */

void weir_measure_open(struct weir_operator_thread *s)
{
    const struct weir_run_options *o = &s->run->options;
    s->schedstat = o->measure && o->measure_cpu && o->records > 0 ? weir_schedstat_open() : -1;
    s->starved = weir_schedstat_starved(s->schedstat);
}

/* Since it was asked last. */
static int64_t starve(struct weir_operator_thread *s)
{
    int64_t all = weir_schedstat_starved(s->schedstat), since = all < 0 || s->starved < 0 ? -1 : all - s->starved;
    s->starved = all;
    return since;
}

/* So often it gave its CPU away so far. */
static int64_t count_sleeps(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : (int64_t)usage.ru_nvcsw;
}

/* ---- what measuring adds ---- */

#define CALIBRATIONS 64
#define WORK_NS 50000
#define PAUSE_NS 50000

/* How much longer than it is an execution is measured to be, right after a sleep: the one in the middle of some tries. */
static int64_t measure_off(struct weir_operator_thread *s, int64_t work)
{
    bool cpu = s->run->options.measure_cpu;
    int64_t off[CALIBRATIONS];
    for (int i = 0; i < CALIBRATIONS; i++) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
        int64_t before = weir_clock_cpu(), start = weir_clock_now();
        if (work)
            weir_work_do(s, work);
        int64_t finish = weir_clock_now(), took = cpu ? weir_clock_cpu() - before : finish - start;
        off[i] = took > work ? took - work : 0;
    }
    qsort(off, CALIBRATIONS, sizeof *off, weir_ascending_i64);
    return off[CALIBRATIONS / 2];
}

/* What reading the clocks takes, what synthetic work is off besides, and what the clock cannot tell apart; eight times as much,
 * because a CPU may be slower at other times. */
void weir_measure_calibrate(struct weir_run *run)
{
    struct weir_operator_thread *s = &run->threads[0];
    const struct weir_run_options *o = &run->options;
    struct timespec step = {0};
    run->tolerance = o->tolerance_ns > 0 ? o->tolerance_ns : 0;
    if (!o->measure || o->tolerance_ns != 0)
        return;
    clock_getres(o->measure_cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &step);
    run->tolerance = 8 * (measure_off(s, 0) + (run->loops_per_ms ? measure_off(s, WORK_NS) : 0)) + step.tv_nsec;
}

/* ---- executions ---- */

void weir_measure_start(struct weir_operator_thread *s)
{
    bool measure = s->run->options.measure;
    s->now.starved_before = s->schedstat >= 0 ? starve(s) : -1;
    s->now.sleeps = s->schedstat >= 0 ? count_sleeps() : -1;
    if (measure && s->run->options.measure_cpu)
        s->now.cpu = weir_clock_cpu();
    s->now.start = s->now.received = s->last_start = weir_clock_now();
    if (!s->release.arrivals)
        s->now.arrival = s->now.start;
    if (measure && s->stamps)
        stamp(&s->stamps[(uint64_t)s->now.execution & s->stamp_mask], s->now.execution, s->now.arrival);
}

/* Only this thread writes them; others may look. */
static void add(_Atomic uint64_t *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

static void gauge_latency(struct weir_gauge *g, int64_t latency, int64_t execution, int64_t tolerance)
{
    bool first = atomic_load_explicit(&g->count, memory_order_relaxed) == 0;
    if (first || latency < atomic_load_explicit(&g->min, memory_order_relaxed))
        atomic_store_explicit(&g->min, latency, memory_order_relaxed);
    if (first || latency > atomic_load_explicit(&g->max, memory_order_relaxed)) {
        atomic_store_explicit(&g->max, latency, memory_order_relaxed);
        atomic_store_explicit(&g->worst_execution, execution, memory_order_relaxed);
    }
    atomic_store_explicit(&g->total, atomic_load_explicit(&g->total, memory_order_relaxed) + latency, memory_order_relaxed);
    if (latency - tolerance > g->limit)
        add(&g->over);
    add(&g->count);
}

/* INT64_MAX: the execution took nothing made of it. */
static int64_t oldest(const struct weir_operator_thread *s, const struct weir_gauge *g)
{
    int64_t time = INT64_MAX;
    for (uint32_t k = g->origin * s->run->segments; k < (g->origin + 1) * s->run->segments; k++)
        time = s->origins[k].time < time ? s->origins[k].time : time;
    return time;
}

static void gauge_all(struct weir_operator_thread *s)
{
    for (size_t i = 0; i < s->gauge_count; i++) {
        struct weir_gauge *g = &s->gauges[i];
        int64_t from;
        if (g->carried) {
            from = oldest(s, g);
            if (from != INT64_MAX)
                gauge_latency(g, s->now.finish - from, s->now.execution, s->run->tolerance);
        } else if (s->now.execution >= g->shift) {
            if (read_stamp(&s->run->threads[g->from], s->now.execution - g->shift, &from))
                gauge_latency(g, s->now.finish - from, s->now.execution, s->run->tolerance);
            else
                add(&g->missed);
        }
    }
}

static void widen(int64_t value, int64_t execution, int64_t *min, int64_t *max, int64_t *total)
{
    if (execution == 0 || value < *min)
        *min = value;
    if (execution == 0 || value > *max)
        *max = value;
    *total += value;
}

void weir_measure_keep(struct weir_operator_thread *s)
{
    size_t size = s->run->options.records;
    s->now.starved = s->schedstat >= 0 ? starve(s) : -1;
    s->now.sleeps = s->schedstat >= 0 ? count_sleeps() - s->now.sleeps : -1;
    if (!s->records)
        return;
    uint64_t n = (uint64_t)s->now.execution;
    if (n >= size && !s->run->options.records_newest)
        return;
    s->records[n % size] = s->now;
    for (uint32_t i = 0; s->senders && i < s->input_count; i++)
        s->senders[(n % size) * s->input_count + i] = s->takings[i].sender;
    for (size_t i = 0; i < s->gauge_count; i++) {
        const struct weir_gauge *g = &s->gauges[i];
        if (g->kept) {
            int64_t from = oldest(s, g);
            g->kept[n % size] = from == INT64_MAX ? INT64_MIN : s->now.finish - from;
        }
    }
}

void weir_measure_finish(struct weir_operator_thread *s)
{
    struct weir_run_operator_stats *r = &s->result;
    int64_t n = s->now.execution, budget = s->wanted.runtime;
    s->now.finish = weir_clock_now();
    if (s->run->options.measure_cpu) {
        s->now.cpu = weir_clock_cpu() - s->now.cpu;
        widen(s->now.cpu, n, &r->cpu_min, &r->cpu_max, &r->cpu_total);
        r->over_budget += r->policy == WEIR_RUN_DEADLINE && s->now.cpu > budget;
    } else {
        s->now.cpu = -1;
    }
    int64_t time = s->now.finish - s->now.start;
    widen(time, n, &r->min, &r->max, &r->total);
    r->over_worst += (s->now.cpu >= 0 ? s->now.cpu : time) > s->worst_ns + s->run->tolerance;
    gauge_all(s);
}

/* When execution n began, or what it is for arrived. False: it had not when the run was cut off. */
static bool begin_of(const struct weir_operator_thread *s, int64_t n, int64_t cut_off, int64_t *begin)
{
    if (!s->release.arrivals)
        return read_stamp(s, n, begin);
    *begin = weir_release_of(s, n) - s->release.gathering;
    return *begin <= cut_off;
}

void weir_measure_pending(const struct weir_run *run, const struct weir_gauge *g, struct weir_run_chain_stats *chain)
{
    const struct weir_operator_thread *from = &run->threads[g->from], *to = &run->threads[chain->chain.to.index];
    int64_t cut_off = atomic_load(&run->cut_off), begun;
    int64_t n = atomic_load_explicit(&to->executions, memory_order_relaxed) - g->shift;
    int64_t end = atomic_load_explicit(&from->executions, memory_order_relaxed) + 1; /* it may be in that one */
    int64_t kept = end - 1 - (int64_t)from->stamp_mask, forgotten = 0;
    n = n < 0 ? 0 : n;
    if (from->release.arrivals) {
        end = n + PENDING_MAX;
    } else if (n < kept) {
        forgotten = kept - n;
        n = kept;
    }
    for (end = end < from->target ? end : from->target; n < end && begin_of(from, n, cut_off, &begun); n++) {
        int64_t age = cut_off - begun;
        chain->pending++;
        chain->pending_over += age - run->tolerance > g->limit;
        chain->pending_max = age > chain->pending_max ? age : chain->pending_max;
    }
    chain->pending += (uint64_t)forgotten;
    chain->pending_over += chain->pending_over ? (uint64_t)forgotten : 0; /* which are older still */
}

void weir_measure_thread(struct weir_operator_thread *s)
{
    struct rusage usage;
    if (s->schedstat >= 0)
        close(s->schedstat);
    s->result.thread_cpu = weir_clock_cpu();
    s->result.sleeps = s->sleeper.sleeps;
    if (getrusage(RUSAGE_THREAD, &usage))
        return;
    s->result.voluntary_switches = (uint64_t)usage.ru_nvcsw;
    s->result.involuntary_switches = (uint64_t)usage.ru_nivcsw;
    s->result.minor_faults = (uint64_t)usage.ru_minflt;
    s->result.major_faults = (uint64_t)usage.ru_majflt;
}
