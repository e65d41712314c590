/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The robust line. A measurement is off by a share of its value, and now and then by much more: something else ran. So the fit
 * minimises relative errors (y - f) / f, f being the line itself, and lets observations count the less the further off they are.
 *
 * It starts from the median slope among the medians of up to GROUPS sizes (Theil and Sen), which a third of bad sizes, or half of
 * bad observations at each, do not move far; goes on with least squares under Huber's weights, which has no other minima to get
 * stuck in; and ends with Tukey's, which take no notice at all of what is far off. Confidence is that of the weighted least squares
 * at the end, with a covariance that supposes no size of the errors (HC3) and Student's quantile.
 */
#include "measure/fit/fit.h"

#include <float.h>
#include <math.h> /* INFINITY */
#include <stdlib.h>

enum { GROUPS = 64, HUBER_STEPS = 30, TUKEY_STEPS = 30 };

/* By then runs differ by more than executions do. */
#define WEIGHT_MAX 100.0

struct line {
    double init, slope;
};

struct fitting {
    const struct weir_fit_sample *samples;
    size_t count;
    double *weights; /* of this step */
    double *scratch;
    double least; /* the smallest value that errors are relative to */
    struct line line;
};

static double base_weight(const struct weir_fit_sample *s)
{
    return weir_smaller(s->weight, WEIGHT_MAX);
}

static double value_at(const struct fitting *f, size_t i)
{
    return weir_larger(f->line.init + f->line.slope * (double)f->samples[i].samples, f->least);
}

/* Newton's iteration from above, which falls until it is there. */
static double square_root(double value)
{
    double root = value > 1 ? value : 1, next = root;
    if (!(value > 0) || value > DBL_MAX)
        return value > 0 ? DBL_MAX : 0;
    do {
        root = next;
        next = (root + value / root) / 2;
    } while (next < root);
    return root;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- the start ---- */

/* Cuts the observations into groups of one size, or, where there are too many sizes, of neighbouring ones. */
static size_t group_medians(struct fitting *f, double c[GROUPS], double y[GROUPS])
{
    size_t sizes = 1, groups = 0;
    for (size_t i = 1; i < f->count; i++)
        sizes += f->samples[i].samples != f->samples[i - 1].samples;
    for (size_t begin = 0; begin < f->count && groups < GROUPS; groups++) {
        size_t end = begin + 1;
        if (sizes <= GROUPS) {
            while (end < f->count && f->samples[end].samples == f->samples[begin].samples)
                end++;
        } else {
            end = begin + (f->count - begin) / (GROUPS - groups);
        }
        for (size_t i = begin; i < end; i++)
            f->scratch[i - begin] = (double)f->samples[i].samples;
        c[groups] = median(f->scratch, end - begin);
        for (size_t i = begin; i < end; i++)
            f->scratch[i - begin] = f->samples[i].ns;
        y[groups] = median(f->scratch, end - begin);
        begin = end;
    }
    return groups;
}

static void start(struct fitting *f)
{
    double c[GROUPS], y[GROUPS], slopes[GROUPS * (GROUPS - 1) / 2 + 1], inits[GROUPS];
    size_t groups = group_medians(f, c, y), chains = 0;
    for (size_t i = 0; i < groups; i++)
        for (size_t j = 0; j < i; j++)
            if (c[i] > c[j])
                slopes[chains++] = (y[i] - y[j]) / (c[i] - c[j]);
    if (chains == 0) { /* one size: what cannot be told apart counts as per sample */
        f->line = (struct line){0, groups ? y[0] / c[0] : 0};
        return;
    }
    f->line.slope = weir_larger(median(slopes, chains), 0);
    for (size_t i = 0; i < groups; i++)
        inits[i] = y[i] - f->line.slope * c[i];
    f->line.init = weir_larger(median(inits, groups), 0);
}

/* ---- steps ---- */

/* Sums of the weighted problem in x = c / largest c, around the mean of x. */
struct sums {
    double weight, x, y, xx, xy, largest;
};

static bool gather(const struct fitting *f, struct sums *s)
{
    *s = (struct sums){.largest = (double)f->samples[f->count - 1].samples};
    for (size_t i = 0; i < f->count; i++) {
        s->weight += f->weights[i];
        s->x += f->weights[i] * (double)f->samples[i].samples / s->largest;
        s->y += f->weights[i] * f->samples[i].ns;
    }
    if (!(s->weight > 0))
        return false;
    s->x /= s->weight;
    s->y /= s->weight;
    for (size_t i = 0; i < f->count; i++) {
        double x = (double)f->samples[i].samples / s->largest - s->x;
        s->xx += f->weights[i] * x * x;
        s->xy += f->weights[i] * x * (f->samples[i].ns - s->y);
    }
    return s->xx > 1e-12 * s->weight * s->x * s->x;
}

/* Least squares with both parts at least 0: only one can be below, since no observation is; it is then 0. */
static bool solve(const struct fitting *f, struct line *line)
{
    struct sums s;
    if (!gather(f, &s))
        return false;
    double slope = s.xy / s.xx, init = s.y - slope * s.x;
    if (slope < 0) {
        slope = 0;
        init = s.y;
    } else if (init < 0) {
        init = 0;
        slope = (s.xy + s.weight * s.x * s.y) / (s.xx + s.weight * s.x * s.x);
    }
    *line = (struct line){init, slope / s.largest};
    return true;
}

/* How much an error of so many scales counts. */
static double huber(double error)
{
    return error <= 1.345 ? 1 : 1.345 / error;
}

static double tukey(double error)
{
    double rest = 1 - error * error / (4.685 * 4.685);
    return rest > 0 ? rest * rest : 0;
}

static void weigh(struct fitting *f, double (*counts)(double))
{
    for (size_t i = 0; i < f->count; i++)
        f->scratch[i] = weir_magnitude(f->samples[i].ns - value_at(f, i)) / value_at(f, i);
    double scale = weir_larger(1.4826 * median(f->scratch, f->count), 1e-9);
    for (size_t i = 0; i < f->count; i++) {
        double value = value_at(f, i), error = weir_magnitude(f->samples[i].ns - value) / value;
        f->weights[i] = base_weight(&f->samples[i]) * counts(error / scale) / (value * value);
    }
}

static void iterate(struct fitting *f, double (*counts)(double), int steps)
{
    while (steps-- > 0) {
        struct line line;
        weigh(f, counts);
        if (!solve(f, &line))
            return;
        double low = value_at(f, 0), high = value_at(f, f->count - 1);
        f->line = line;
        if (weir_magnitude(value_at(f, 0) - low) <= 1e-12 * low && weir_magnitude(value_at(f, f->count - 1) - high) <= 1e-12 * high)
            return;
    }
}

/* ---- how sure it is ---- */

/* The 97.5 % quantile of Student's distribution. */
static double student(double freedom)
{
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
    if (freedom < 1.5)
        return 12.7062;
    if (freedom < 2.5)
        return 4.3027;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

static void set_interval(double value, double spread, double *low, double *high)
{
    *low = weir_larger(value - spread, 0);
    *high = value + spread;
}

/* How much an observation counted in the last step, its being a share of its value aside. */
static double counted(const struct fitting *f, size_t i)
{
    return f->weights[i] * value_at(f, i) * value_at(f, i);
}

static void judge(const struct fitting *f, struct weir_fit *fit)
{
    struct sums s;
    double init_variance = 0, slope_variance = 0, counting = 0;
    set_interval(f->line.init, INFINITY, &fit->init_low, &fit->init_high);
    set_interval(f->line.slope, INFINITY, &fit->per_sample_low, &fit->per_sample_high);
    if (!gather(f, &s))
        return;
    for (size_t i = 0; i < f->count; i++) {
        double weight = f->weights[i], x = (double)f->samples[i].samples / s.largest - s.x;
        double leverage = weir_smaller(weight * (1 / s.weight + x * x / s.xx), 0.9999);
        double error = weight * (f->samples[i].ns - f->line.init - f->line.slope * (double)f->samples[i].samples) / (1 - leverage);
        double on_slope = x / s.xx, on_init = 1 / s.weight - s.x * on_slope;
        slope_variance += error * error * on_slope * on_slope;
        init_variance += error * error * on_init * on_init;
        counting += counted(f, i) / base_weight(&f->samples[i]);
    }
    if (counting <= 2)
        return;
    double quantile = student(weir_larger(counting - 2, 1));
    set_interval(f->line.init, quantile * square_root(init_variance), &fit->init_low, &fit->init_high);
    set_interval(f->line.slope, quantile * square_root(slope_variance) / s.largest, &fit->per_sample_low, &fit->per_sample_high);
}

/* The share of the variation that the line explains, among the observations that count. */
static double explained(const struct fitting *f)
{
    double weight = 0, mean = 0, all = 0, left = 0;
    for (size_t i = 0; i < f->count; i++) {
        weight += counted(f, i);
        mean += counted(f, i) * f->samples[i].ns;
    }
    if (!(weight > 0))
        return 0;
    mean /= weight;
    for (size_t i = 0; i < f->count; i++) {
        double y = f->samples[i].ns, error = y - f->line.init - f->line.slope * (double)f->samples[i].samples;
        all += counted(f, i) * (y - mean) * (y - mean);
        left += counted(f, i) * error * error;
    }
    return left <= 1e-18 * weight * mean * mean ? 1 : all > left ? 1 - left / all : 0;
}

bool weir_fit_line(const struct weir_fit_sample *sorted, size_t count, struct weir_fit *fit)
{
    struct fitting f = {.samples = sorted, .count = count};
    f.weights = weir_array_zeroed(count, sizeof *f.weights);
    f.scratch = weir_array(count, sizeof *f.scratch);
    bool good = f.weights && f.scratch;
    if (good) {
        double most = 0;
        for (size_t i = 0; i < count; i++)
            most = weir_larger(most, sorted[i].ns);
        f.least = most > 0 ? most * 1e-9 : 1;
        start(&f);
        iterate(&f, huber, HUBER_STEPS);
        iterate(&f, tukey, TUKEY_STEPS);
        fit->init = f.line.init;
        fit->per_sample = f.line.slope;
        judge(&f, fit);
        fit->r2 = explained(&f);
    }
    weir_resize(f.weights, 0);
    weir_resize(f.scratch, 0);
    return good;
}
