/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds by a clock, and as text. */
#ifndef WEIR_BENCH_CLOCK_H
#define WEIR_BENCH_CLOCK_H

#include <stdio.h>
#include <time.h>

static inline double bench_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline const char *bench_duration(double s, int digits, char text[32])
{
    double unit = s < 1e-3 ? 1e6 : s < 1 ? 1e3 : 1;
    snprintf(text, 32, "%.*f %s", digits, s * unit, s < 1e-3 ? "us" : s < 1 ? "ms" : "s");
    return text;
}

#endif
