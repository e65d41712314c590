/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/distribution.h"

#include "answer/number.h"
#include "base/number.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

enum { BINS_MAX = 12 };

/* ---- gathering ---- */

static uint64_t next_random(struct weir_samples *samples)
{
    uint64_t z = samples->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void weir_samples_add(struct weir_samples *samples, int64_t value)
{
    if (samples->count == 0 || value < samples->min)
        samples->min = value;
    if (samples->count == 0 || value > samples->max)
        samples->max = value;
    samples->count++;
    if (samples->kept_count < samples->kept_max) {
        void *kept = samples->kept;
        samples->failed |= !weir_reserve(&kept, &samples->kept_capacity, samples->kept_count + 1, sizeof *samples->kept);
        samples->kept = kept;
        if (samples->kept_count < samples->kept_capacity)
            samples->kept[samples->kept_count++] = value;
        return;
    }
    /* The n-th replaces one of the kept with probability kept / n, so that all n are as likely to be among them. */
    uint64_t place = next_random(samples) % (uint64_t)samples->count;
    if (place < samples->kept_count)
        samples->kept[place] = value;
}

static int64_t scale_of(const struct weir_samples *samples)
{
    return samples->scale ? samples->scale : 1;
}

void weir_samples_add_ratio(struct weir_samples *samples, struct weir_ratio ticks)
{
    int64_t old = scale_of(samples), factor = ticks.denominator / weir_greatest_divisor(old, ticks.denominator), scale, value;
    if (!weir_multiply(old, factor, &scale) || !weir_multiply(ticks.numerator, scale / ticks.denominator, &value) ||
        !weir_multiply(samples->max, factor, &samples->max)) {
        samples->failed = true;
        return;
    }
    samples->scale = scale;
    samples->min *= factor;
    for (size_t i = 0; factor > 1 && i < samples->kept_count; i++)
        samples->kept[i] *= factor;
    weir_samples_add(samples, value);
}

void weir_samples_free(struct weir_samples *samples)
{
    weir_free(samples->kept);
}

/* ---- looking at them ---- */

struct weir_ratio weir_samples_value(const struct weir_samples *samples, int64_t scaled)
{
    struct weir_ratio value = {scaled, 1};
    if (scale_of(samples) > 1)
        value = weir_ratio_reduce((struct weir_ratio){scaled, samples->scale});
    return samples->offset.denominator ? weir_ratio_reduce(weir_ratio_sum(value, samples->offset)) : value;
}

static struct weir_ratio without_offset(const struct weir_samples *samples, struct weir_ratio ticks)
{
    return samples->offset.denominator ? weir_ratio_difference(ticks, samples->offset) : ticks;
}

int weir_samples_compare_max(const struct weir_samples *samples, struct weir_ratio ticks)
{
    return weir_ratio_compare((struct weir_ratio){samples->max, scale_of(samples)}, without_offset(samples, ticks));
}

int weir_samples_compare_min(const struct weir_samples *samples, struct weir_ratio ticks)
{
    return weir_ratio_compare((struct weir_ratio){samples->min, scale_of(samples)}, without_offset(samples, ticks));
}

size_t weir_samples_above(const struct weir_samples *samples, struct weir_ratio ticks)
{
    struct weir_ratio limit = without_offset(samples, ticks);
    size_t count = 0;
    for (size_t i = 0; i < samples->kept_count; i++)
        count += weir_ratio_compare((struct weir_ratio){samples->kept[i], scale_of(samples)}, limit) > 0;
    return count;
}

struct weir_ratio weir_samples_mean(const struct weir_samples *samples)
{
    weir_wide sum = 0, parts = (weir_wide)scale_of(samples) * (weir_wide)samples->kept_count;
    for (size_t i = 0; i < samples->kept_count; i++)
        sum += samples->kept[i];
    for (; sum > INT64_MAX || parts > INT64_MAX; parts /= 2)
        sum = sum / 2 + 1;
    return weir_ratio_reduce((struct weir_ratio){(int64_t)sum, (int64_t)parts});
}

/* The smallest of the sorted ones that permille / 1000 of them do not exceed. */
static struct weir_ratio quantile(const struct weir_samples *samples, unsigned permille)
{
    size_t rank = (samples->kept_count * permille + 999) / 1000;
    return weir_samples_value(samples, samples->kept[rank ? rank - 1 : 0]);
}

/* Of the sorted ones, those below a number of ticks. */
static size_t below(const struct weir_samples *samples, int64_t ticks)
{
    struct weir_ratio limit = without_offset(samples, (struct weir_ratio){ticks, 1});
    weir_wide parts = (weir_wide)limit.numerator * scale_of(samples);
    weir_wide least = parts / limit.denominator + (parts % limit.denominator > 0);
    size_t low = 0, high = samples->kept_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (samples->kept[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the histogram ---- */

static int64_t floor_to(int64_t value, int64_t width)
{
    return weir_floor_divide(value, width) * width;
}

/* The narrowest bins of 1, 2 or 5 times a power of ten ticks that are few enough to cover [low, high]. */
static void choose_bins(int64_t low, int64_t high, size_t most, int64_t *first, struct weir_distribution *distribution)
{
    static const int64_t steps[] = {1, 2, 5};
    for (int64_t ten = 1; ten < INT64_MAX / 100; ten *= 10)
        for (size_t i = 0; i < 3; i++) {
            int64_t width = ten * steps[i], from = floor_to(low, width);
            weir_wide count = ((weir_wide)floor_to(high, width) - from) / width + 1;
            if (count > (weir_wide)most)
                continue;
            *first = from;
            distribution->bin_width = width;
            distribution->bin_count = (size_t)count;
            return;
        }
    *first = low;
    distribution->bin_width = INT64_MAX / 2;
    distribution->bin_count = 1;
}

static bool fill_bins(const struct weir_samples *samples, struct weir_ratio low, struct weir_ratio high, struct weir_arena *arena,
                      struct weir_distribution *d)
{
    int64_t first;
    low = low.denominator && weir_ratio_compare(low, d->min) < 0 ? low : d->min;
    high = high.denominator && weir_ratio_compare(high, d->max) > 0 ? high : d->max;
    choose_bins(weir_floor_divide(low.numerator, low.denominator), weir_floor_divide(high.numerator, high.denominator),
                samples->bins_max ? samples->bins_max : BINS_MAX, &first, d);
    struct weir_bin *bins = weir_arena_take(arena, d->bin_count * sizeof *bins);
    if (!bins)
        return false;
    d->bins = bins;
    size_t before = below(samples, first);
    for (size_t i = 0; i < d->bin_count; i++) {
        int64_t from = first + (int64_t)i * d->bin_width;
        size_t until = i + 1 < d->bin_count ? below(samples, from + d->bin_width) : samples->kept_count;
        bins[i] = (struct weir_bin){.from = {from, 1},
                                    .to = i + 1 < d->bin_count ? (struct weir_ratio){from + d->bin_width, 1} : high,
                                    .count = (int64_t)(until - before)};
        before = until;
    }
    return true;
}

bool weir_samples_describe(struct weir_samples *samples, struct weir_ratio low, struct weir_ratio high, struct weir_arena *arena,
                           struct weir_distribution *distribution)
{
    distribution->count = samples->count;
    distribution->kept = (int64_t)samples->kept_count;
    if (!samples->kept_count)
        return true;
    qsort(samples->kept, samples->kept_count, sizeof *samples->kept, weir_ascending_i64);
    distribution->min = weir_samples_value(samples, samples->min);
    distribution->median = quantile(samples, 500);
    distribution->p99 = quantile(samples, 990);
    distribution->max = weir_samples_value(samples, samples->max);
    return fill_bins(samples, low, high, arena, distribution);
}
