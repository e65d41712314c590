/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bounds as numbers, rounded down, and how far bounds lie above them. */
#include "analyze.h"
#include "gpu.h"

#include <string.h>

/* As many decimals behind whole ticks as make six digits. */
const char *weir_gpu_floor(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_AMOUNT_TEXT])
{
    enum { DIGITS = 6, LARGE = 100000 };
    int64_t whole = ticks.numerator / ticks.denominator, rest = ticks.numerator % ticks.denominator, scale = 1;
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    unsigned more = 0;
    for (; rest && more < DIGITS && whole * scale < LARGE; more++)
        scale *= 10;
    while (rest > INT64_MAX / scale) {
        rest /= 2;
        ticks.denominator -= ticks.denominator / 2; /* the value gets no larger */
    }
    int64_t parts = whole * scale + rest * scale / ticks.denominator;
    weir_ratio_format((struct weir_ratio){parts, 1}, weir_pipeline_digits(pipeline) + more, DIGITS, text);
    size_t used = strlen(text);
    if (unit != WEIR_UNIT_TICK)
        snprintf(text + used, WEIR_AMOUNT_TEXT - used, " %s", weir_unit_name(unit));
    return text;
}

const char *weir_gpu_gap(const struct weir_gpu_plan *plan, char text[WEIR_AMOUNT_TEXT])
{
    double bound = (double)plan->bound.numerator / (double)plan->bound.denominator;
    double lower = (double)plan->lower.numerator / (double)plan->lower.denominator;
    if (weir_ratio_order(plan->bound, plan->lower) == 0) {
        snprintf(text, WEIR_AMOUNT_TEXT, "0 %%");
    } else if (plan->lower.numerator <= 0 || bound / lower > 1e12) {
        snprintf(text, WEIR_AMOUNT_TEXT, "-");
    } else { /* rounded up */
        double hundredths = 10000 * (bound / lower - 1);
        long long whole = (long long)hundredths;
        whole += (double)whole < hundredths;
        snprintf(text, WEIR_AMOUNT_TEXT, "%.2f %%", (double)whole / 100);
    }
    return text;
}
