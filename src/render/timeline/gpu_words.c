/* SPDX-License-Identifier: Apache-2.0 */
/* What the pictures of a plan call launches and times. */
#include "base/number.h"
#include "render/timeline/gpu_lanes.h"

const char *weir_gpu_label(const struct weir_gpu_plan *plan, const struct weir_gpu_launch *launch, char text[WEIR_GPU_LABEL])
{
    const char *name = weir_pipeline_operator(plan->pipeline, launch->kernel).name;
    if (launch->parts > 1)
        snprintf(text, WEIR_GPU_LABEL, "%.120s %u/%u", name, launch->part, launch->parts);
    else
        snprintf(text, WEIR_GPU_LABEL, "%.120s", name);
    return text;
}

const char *weir_gpu_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, bool up, char text[WEIR_GPU_AMOUNT])
{
    char number[WEIR_TIME_TEXT];
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    unsigned digits = weir_pipeline_digits(pipeline);
    weir_wide divisor = ticks.denominator, dividend = (weir_wide)ticks.numerator * 1000000;
    for (unsigned i = 0; i < digits; i++)
        divisor *= 10;
    weir_wide millionths = dividend / divisor + (up && dividend % divisor != 0);
    if (ticks.denominator == 1)
        weir_decimal_format(ticks.numerator, digits, number);
    else if (millionths <= INT64_MAX)
        weir_decimal_format((int64_t)millionths, 6, number);
    else
        weir_decimal_format((int64_t)(millionths / 1000000) + up, 0, number);
    snprintf(text, WEIR_GPU_AMOUNT, "%s%s%s", number, unit == WEIR_UNIT_TICK ? "" : " ",
             unit == WEIR_UNIT_TICK ? "" : weir_unit_name(unit));
    return text;
}
