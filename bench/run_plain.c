/* SPDX-License-Identifier: Apache-2.0 */
/* What a program would write by hand: a bare ring, and a queue of a mutex and two condition variables. */
#include "run_peers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ring {
    _Alignas(128) _Atomic uint64_t tail;
    uint64_t seen_head;
    _Alignas(128) _Atomic uint64_t head;
    uint64_t seen_tail;
    _Alignas(128) void *slots[RUN_CAPACITY_MAX];
};

struct locked {
    _Alignas(128) pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    uint64_t head, tail;
    void *slots[RUN_CAPACITY_MAX];
};

static struct ring rings[RUN_OPERATORS_MAX];
static struct locked queues[RUN_OPERATORS_MAX];

/* An operator: takes from the queue before it, if there is one, and puts into the queue behind it, if there is one. */
struct operator
{
    const struct flow *flow;
    uint32_t index;
    bool lost;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* ---- the ring ---- */

static bool ring_yields; /* there are fewer CPUs than operators */

static void wait_a_little(unsigned *looks)
{
    if (ring_yields && ++*looks % 64 == 0)
        sched_yield();
    else
        relax();
}

static void ring_push(struct ring *r, uint32_t capacity, void *message)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    unsigned looks = 0;
    while (tail - r->seen_head == capacity) {
        r->seen_head = atomic_load_explicit(&r->head, memory_order_acquire);
        if (tail - r->seen_head == capacity)
            wait_a_little(&looks);
    }
    r->slots[tail % RUN_CAPACITY_MAX] = message;
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
}

static void *ring_pop(struct ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    unsigned looks = 0;
    while (r->seen_tail == head) {
        r->seen_tail = atomic_load_explicit(&r->tail, memory_order_acquire);
        if (r->seen_tail == head)
            wait_a_little(&looks);
    }
    void *message = r->slots[head % RUN_CAPACITY_MAX];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return message;
}

static void *ring_operator(void *context)
{
    struct operator* op = context;
    for (intptr_t i = 1; i <= op->flow->messages; i++) {
        void *message = op->index > 0 ? ring_pop(&rings[op->index - 1]) : (void *)i;
        if (op->index + 1 < op->flow->operators)
            ring_push(&rings[op->index], op->flow->capacity, message);
        else
            op->lost = op->lost || message != (void *)i;
    }
    return NULL;
}

/* ---- the mutex ---- */

static void locked_push(struct locked *q, uint32_t capacity, void *message)
{
    pthread_mutex_lock(&q->lock);
    while (q->tail - q->head == capacity)
        pthread_cond_wait(&q->emptied, &q->lock);
    q->slots[q->tail++ % RUN_CAPACITY_MAX] = message;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static void *locked_pop(struct locked *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->tail == q->head)
        pthread_cond_wait(&q->filled, &q->lock);
    void *message = q->slots[q->head++ % RUN_CAPACITY_MAX];
    pthread_cond_signal(&q->emptied);
    pthread_mutex_unlock(&q->lock);
    return message;
}

static void *locked_operator(void *context)
{
    struct operator* op = context;
    for (intptr_t i = 1; i <= op->flow->messages; i++) {
        void *message = op->index > 0 ? locked_pop(&queues[op->index - 1]) : (void *)i;
        if (op->index + 1 < op->flow->operators)
            locked_push(&queues[op->index], op->flow->capacity, message);
        else
            op->lost = op->lost || message != (void *)i;
    }
    return NULL;
}

/* ---- both ---- */

static double run_threads(const struct flow *flow, void *(*body)(void *))
{
    struct operator operators[RUN_OPERATORS_MAX];
    pthread_t threads[RUN_OPERATORS_MAX];
    double began = run_clock_ns();
    for (uint32_t i = 0; i < flow->operators; i++) {
        operators[i] = (struct operator){.flow = flow, .index = i};
        if (pthread_create(&threads[i], NULL, body, &operators[i]))
            abort(); /* the others wait for it */
    }
    for (uint32_t i = 0; i < flow->operators; i++)
        pthread_join(threads[i], NULL);
    return operators[flow->operators - 1].lost ? -1 : run_clock_ns() - began;
}

double run_ring(const struct flow *flow)
{
    cpu_set_t set;
    ring_yields = sched_getaffinity(0, sizeof set, &set) || (uint32_t)CPU_COUNT(&set) < flow->operators;
    memset(rings, 0, sizeof rings);
    return run_threads(flow, ring_operator);
}

double run_mutex(const struct flow *flow)
{
    for (uint32_t i = 0; i + 1 < flow->operators; i++) {
        queues[i].head = queues[i].tail = 0;
        pthread_mutex_init(&queues[i].lock, NULL);
        pthread_cond_init(&queues[i].filled, NULL);
        pthread_cond_init(&queues[i].emptied, NULL);
    }
    return run_threads(flow, locked_operator);
}
