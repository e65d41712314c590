/* SPDX-License-Identifier: Apache-2.0 */
/* When blocks of GNU Radio write and take items, and what CPU time their threads have used by then. Built by probe.py where it is
 * needed.
 *
 * GNU Radio's runtime moves the pointers of its buffers by two functions of its own. A library that is loaded before it and has
 * functions of the same names is called in their place, and calls them: so every execution of every block is noted in its own
 * thread, and nothing is put between the blocks. Here are also threads that see when a core stands still: of the highest priority,
 * one on every core, they look at the clock again and again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum kind { WEIR_READ, WEIR_WRITE, WEIR_LATE };

/* Times in ns. Of a core that stood still: the last look before in place of the CPU time, the core in place of the thread. */
struct record {
    int64_t time, cpu;
    uint64_t buffer;
    int32_t items;
    int32_t thread;
    int32_t kind;
    int32_t unused;
};

static struct record *records;
static size_t capacity;
static atomic_size_t count;
static atomic_bool on;

static void (*write_next)(void *buffer, int items);
static void (*read_next)(void *reader, int items);

static int64_t now(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

static void note(enum kind kind, const void *buffer, int items, int64_t time)
{
    static _Thread_local int32_t thread;
    static _Thread_local bool writes; /* then what is read beside it says nothing more */
    if (!atomic_load_explicit(&on, memory_order_acquire) || items <= 0 || (kind == WEIR_READ && writes))
        return;
    writes = kind == WEIR_WRITE;
    if (!thread)
        thread = (int32_t)syscall(SYS_gettid);
    size_t at = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    if (at < capacity)
        records[at] = (struct record){time, now(CLOCK_THREAD_CPUTIME_ID), (uintptr_t)buffer, items, thread, (int32_t)kind, 0};
}

/* gr::buffer::update_write_pointer(int): from here on others may take the items. */
void weir_probe_write(void *buffer, int items) __asm__("_ZN2gr6buffer20update_write_pointerEi");
void weir_probe_write(void *buffer, int items)
{
    int64_t time = now(CLOCK_MONOTONIC);
    write_next(buffer, items);
    note(WEIR_WRITE, buffer, items, time);
}

/* gr::buffer_reader::update_read_pointer(int): they are taken. */
void weir_probe_read(void *reader, int items) __asm__("_ZN2gr13buffer_reader19update_read_pointerEi");
void weir_probe_read(void *reader, int items)
{
    read_next(reader, items);
    note(WEIR_READ, reader, items, now(CLOCK_MONOTONIC));
}

/* ---- cores that stand still ---- */

static atomic_bool looking;
static int64_t pause_ns, allowed_ns;

static void *look(void *argument)
{
    int cpu = (int)(intptr_t)argument;
    int64_t last = now(CLOCK_MONOTONIC);
    while (atomic_load(&looking)) {
        struct timespec pause = {.tv_nsec = (long)pause_ns};
        nanosleep(&pause, NULL);
        int64_t time = now(CLOCK_MONOTONIC);
        if (time - last > allowed_ns) {
            size_t at = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
            if (at < capacity)
                records[at] = (struct record){time, last, 0, 0, cpu, WEIR_LATE, 0};
        }
        last = time;
    }
    return NULL;
}

static pthread_t lookers[CPU_SETSIZE];
static size_t looker_count;

/* Whether they have the priority that they need. */
static bool start_looker(int cpu)
{
    pthread_attr_t attributes;
    cpu_set_t one;
    struct sched_param priority = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &priority);
    void *argument = (void *)(intptr_t)cpu;
    bool sure = pthread_create(&lookers[looker_count], &attributes, look, argument) == 0;
    pthread_attr_destroy(&attributes);
    if (sure || pthread_create(&lookers[looker_count], NULL, look, argument) == 0)
        looker_count++;
    return sure;
}

/* ---- for probe.py ---- */

/* The functions in whose place the ones above are called. */
void weir_probe_set(void *write, void *read)
{
    *(void **)&write_next = write;
    *(void **)&read_next = read;
}

/* Room for so many records; 0, or -1 where there is none. */
int weir_probe_begin(size_t wanted)
{
    if (records) {
        size_t used = atomic_load(&count);
        memset(records, 0, (used < capacity ? used : capacity) * sizeof *records);
    } else {
        void *room =
            mmap(NULL, wanted * sizeof *records, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (room == MAP_FAILED)
            return -1;
        records = room;
        capacity = wanted;
    }
    atomic_store(&count, 0);
    atomic_store_explicit(&on, true, memory_order_release);
    return 0;
}

/* Looks at the cores that this process may use; whether that is sure, by priority. */
int weir_probe_look(int64_t every_ns, int64_t late_ns)
{
    cpu_set_t cores;
    bool sure = sched_getaffinity(0, sizeof cores, &cores) == 0;
    pause_ns = every_ns;
    allowed_ns = every_ns + late_ns;
    atomic_store(&looking, true);
    bool known = sure;
    for (int cpu = 0; known && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, &cores))
            sure = start_looker(cpu) && sure;
    return sure;
}

/* How many records there are, in *found; more than fit are counted, but not kept. */
size_t weir_probe_end(const struct record **found)
{
    atomic_store(&on, false);
    atomic_store(&looking, false);
    for (size_t i = 0; i < looker_count; i++)
        pthread_join(lookers[i], NULL);
    looker_count = 0;
    *found = records;
    return atomic_load(&count);
}
