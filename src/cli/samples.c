/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate.h"

#include <stdlib.h>

/* A latency that is not complete: minus the time of its beginning, or the time of its end, whichever came first. */
struct weir_flight {
    int64_t sum;
    unsigned seen;
};

static uint64_t next_random(struct weir_samples *samples)
{
    uint64_t z = samples->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* True when there is room for one more of those that are kept. */
static bool reserve(struct weir_samples *samples)
{
    if (samples->kept_count < samples->kept_capacity)
        return true;
    size_t capacity = samples->kept_capacity ? 2 * samples->kept_capacity : 1024;
    if (capacity > samples->kept_max)
        capacity = samples->kept_max;
    int64_t *kept = realloc(samples->kept, capacity * sizeof *kept);
    if (!kept) {
        samples->failed = true;
        return false;
    }
    samples->kept = kept;
    samples->kept_capacity = capacity;
    return true;
}

void weir_samples_add(struct weir_samples *samples, int64_t latency)
{
    if (samples->count == 0 || latency < samples->min)
        samples->min = latency;
    if (samples->count == 0 || latency > samples->max)
        samples->max = latency;
    samples->count++;
    if (samples->kept_count < samples->kept_max) {
        if (reserve(samples))
            samples->kept[samples->kept_count++] = latency;
        return;
    }
    /* The n-th replaces one of the kept with probability kept / n, so that all n are as likely to be among them. */
    uint64_t place = next_random(samples) % (uint64_t)samples->count;
    if (place < samples->kept_count)
        samples->kept[place] = latency;
}

static struct weir_flight *flight_at(const struct weir_samples *samples, int64_t iteration)
{
    return &samples->flights[(uint64_t)iteration & (samples->flight_capacity - 1)];
}

static bool make_room(struct weir_samples *samples, int64_t iteration)
{
    size_t needed = (size_t)(iteration - samples->first) + 1, capacity = samples->flight_capacity ? samples->flight_capacity : 16;
    if (needed <= samples->flight_capacity)
        return true;
    while (capacity < needed)
        capacity *= 2;
    struct weir_flight *flights = calloc(capacity, sizeof *flights);
    if (!flights) {
        samples->failed = true;
        return false;
    }
    for (int64_t i = samples->first; i < samples->end; i++)
        flights[(uint64_t)i & (capacity - 1)] = *flight_at(samples, i);
    free(samples->flights);
    samples->flights = flights;
    samples->flight_capacity = capacity;
    return true;
}

static void note(struct weir_samples *samples, int64_t iteration, int64_t signed_time)
{
    if (iteration < samples->first || samples->failed || !make_room(samples, iteration))
        return;
    for (; samples->end <= iteration; samples->end++)
        *flight_at(samples, samples->end) = (struct weir_flight){0, 0};
    struct weir_flight *flight = flight_at(samples, iteration);
    flight->sum += signed_time;
    if (++flight->seen == 2)
        weir_samples_add(samples, flight->sum);
    while (samples->first < samples->end && flight_at(samples, samples->first)->seen == 2)
        samples->first++;
}

void weir_samples_begin_run(struct weir_samples *samples)
{
    samples->first = samples->end = samples->shift < 0 ? -samples->shift : 0;
}

void weir_samples_note_from(struct weir_samples *samples, int64_t iteration, int64_t time)
{
    note(samples, iteration, -time);
}

void weir_samples_note_to(struct weir_samples *samples, int64_t iteration, int64_t time)
{
    note(samples, iteration - samples->shift, time);
}

static int ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void weir_samples_sort(struct weir_samples *samples)
{
    if (samples->kept_count)
        qsort(samples->kept, samples->kept_count, sizeof *samples->kept, ascending);
}

int64_t weir_samples_quantile(const struct weir_samples *samples, unsigned permille)
{
    size_t rank = (samples->kept_count * permille + 999) / 1000;
    return samples->kept[rank ? rank - 1 : 0];
}

size_t weir_samples_below(const struct weir_samples *samples, int64_t limit)
{
    size_t low = 0, high = samples->kept_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (samples->kept[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void weir_samples_free(struct weir_samples *samples)
{
    free(samples->kept);
    free(samples->flights);
}
