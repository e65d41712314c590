/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a message costs: two operators of no work, measured as the run measures itself; beside it, in the same process and with the
 * same capacity, a bare ring between two threads that spin, and a queue of a mutex and two condition variables. Each is repeated,
 * in turn, and the medians are compared. A queue of one is what Holoscan has unless told otherwise.
 */
#include "weir.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CAPACITY_MAX 1024
#define ROUNDS 9

static uint64_t capacity; /* of all queues */
static int64_t messages;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void give_up(const char *message)
{
    fprintf(stderr, "bench_run: %s\n", message);
    exit(1);
}

/* ---- a bare ring ---- */

struct ring {
    _Alignas(128) _Atomic uint64_t tail;
    uint64_t seen_head;
    _Alignas(128) _Atomic uint64_t head;
    uint64_t seen_tail;
    _Alignas(128) void *slots[CAPACITY_MAX];
};

static struct ring ring;

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void *push_all(void *context)
{
    uint64_t tail = 0;
    (void)context;
    for (uintptr_t i = 1; i <= (uintptr_t)messages; i++) {
        while (tail - ring.seen_head == capacity) {
            ring.seen_head = atomic_load_explicit(&ring.head, memory_order_acquire);
            if (tail - ring.seen_head == capacity)
                relax();
        }
        ring.slots[tail % capacity] = (void *)i;
        atomic_store_explicit(&ring.tail, ++tail, memory_order_release);
    }
    return NULL;
}

static double bare_ring(void)
{
    pthread_t thread;
    memset(&ring, 0, sizeof ring);
    double began = now_ns();
    if (pthread_create(&thread, NULL, push_all, NULL))
        give_up("no thread");
    uint64_t head = 0;
    for (uintptr_t i = 1; i <= (uintptr_t)messages; i++) {
        while (ring.seen_tail == head) {
            ring.seen_tail = atomic_load_explicit(&ring.tail, memory_order_acquire);
            if (ring.seen_tail == head)
                relax();
        }
        if (ring.slots[head % capacity] != (void *)i)
            give_up("the ring lost a message");
        atomic_store_explicit(&ring.head, ++head, memory_order_release);
    }
    pthread_join(thread, NULL);
    return (now_ns() - began) / (double)messages;
}

/* ---- a mutex and condition variables ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    uint64_t head, tail;
    void *slots[CAPACITY_MAX];
} locked = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER};

static void *push_locked(void *context)
{
    (void)context;
    for (uintptr_t i = 1; i <= (uintptr_t)messages / 10; i++) {
        pthread_mutex_lock(&locked.lock);
        while (locked.tail - locked.head == capacity)
            pthread_cond_wait(&locked.emptied, &locked.lock);
        locked.slots[locked.tail++ % capacity] = (void *)i;
        pthread_cond_signal(&locked.filled);
        pthread_mutex_unlock(&locked.lock);
    }
    return NULL;
}

static double mutex_queue(void)
{
    pthread_t thread;
    locked.head = locked.tail = 0;
    double began = now_ns();
    if (pthread_create(&thread, NULL, push_locked, NULL))
        give_up("no thread");
    for (uintptr_t i = 1; i <= (uintptr_t)messages / 10; i++) {
        pthread_mutex_lock(&locked.lock);
        while (locked.tail == locked.head)
            pthread_cond_wait(&locked.filled, &locked.lock);
        if (locked.slots[locked.head++ % capacity] != (void *)i)
            give_up("the mutex queue lost a message");
        pthread_cond_signal(&locked.emptied);
        pthread_mutex_unlock(&locked.lock);
    }
    pthread_join(thread, NULL);
    return (now_ns() - began) * 10 / (double)messages;
}

/* ---- a pipeline ---- */

static struct weir_pipeline *chain(uint32_t operators)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator last = {0}, op;
    for (uint32_t i = 0; p && i < operators; i++) {
        char name[16];
        snprintf(name, sizeof name, "op%u", (unsigned)i);
        const struct weir_operator_spec spec = {.name = name};
        if (weir_pipeline_add_operator(p, &spec, &op, NULL))
            give_up("no operator");
        const struct weir_queue_spec queue = {.from = last, .to = op, .capacity = (uint32_t)capacity};
        if (i > 0 && weir_pipeline_add_queue(p, &queue, NULL, NULL))
            give_up("no queue");
        last = op;
    }
    if (!p || weir_pipeline_seal(p, NULL, NULL))
        give_up("no pipeline");
    return p;
}

/* Each in lines of the caches of its own. */
struct ends {
    _Alignas(128) intptr_t sent;
    intptr_t seen;
};

static int count_up(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    call->outputs[0].messages[0] = (void *)++e->sent;
    return 0;
}

static int check(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    return (intptr_t)call->inputs[0].messages[0] == ++e->seen ? 0 : 1;
}

/* ns per message and hop. */
static double pipeline_run(uint32_t operators, bool bound, bool measure)
{
    struct weir_pipeline *p = chain(operators);
    const struct weir_run_options options = {.iterations = messages, .work = WEIR_RUN_NOTHING, .measure = measure};
    struct ends source = {0}, sink = {0};
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    if (weir_run_new(p, &options, &run, &error))
        give_up(error.message);
    if (bound && (weir_run_bind(run, (struct weir_operator){0}, count_up, &source, &error) ||
                  weir_run_bind(run, (struct weir_operator){operators - 1}, check, &sink, &error)))
        give_up(error.message);
    if (weir_run_start(run, &error) || weir_run_wait(run, -1, NULL, &error))
        give_up(error.message);
    struct weir_run_outcome result = weir_run_result(run);
    weir_run_free(run);
    weir_pipeline_free(p);
    return (double)(result.ended - result.began) / (double)messages / (operators - 1);
}

static double functions(void)
{
    return pipeline_run(2, true, false);
}

static double counts(void)
{
    return pipeline_run(2, false, false);
}

static double measured(void)
{
    return pipeline_run(2, true, true);
}

static double four(void)
{
    return pipeline_run(4, true, false);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static const struct {
    const char *name;
    double (*measure)(void);
} all[] = {{"bare ring, both ends spin", bare_ring}, {"weir, two operators with functions", functions},
           {"... without functions", counts},        {"... with functions, measured", measured},
           {"weir, four operators", four},           {"mutex and condition variables", mutex_queue}};
#define KINDS (sizeof all / sizeof *all)

/* Whether what is asked for holds with queues of this capacity: within 3 times the ring, and 2 million messages per second. */
static bool compare_all(void)
{
    double ns[KINDS][ROUNDS], median[KINDS];
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < KINDS; i++)
            ns[i][round] = all[i].measure();
    printf("queues of %-4u %35s %12s %8s\n", (unsigned)capacity, "ns/message", "M messages/s", "of ring");
    for (size_t i = 0; i < KINDS; i++) {
        qsort(ns[i], ROUNDS, sizeof **ns, compare);
        median[i] = ns[i][ROUNDS / 2];
        printf("  %-36s %9.1f %12.2f %8.2f   (%.1f to %.1f)\n", all[i].name, median[i], 1e3 / median[i], median[i] / median[0],
               ns[i][0], ns[i][ROUNDS - 1]);
    }
    bool near = median[1] <= 3 * median[0], fast = median[1] <= 500;
    printf("  within 3 times the bare ring: %s; 2 million messages per second: %s\n", near ? "yes" : "no", fast ? "yes" : "no");
    return near && fast;
}

int main(void)
{
    static const uint64_t capacities[] = {1, 16, CAPACITY_MAX};
    bool met = true;
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        capacity = capacities[i];
        messages = capacity == 1 ? 50000 : 1000000; /* one at a time, threads that have to share a CPU sleep for each */
        met = compare_all() && met;
    }
    printf("both with every capacity: %s\n", met ? "yes" : "no");
    return !met;
}
