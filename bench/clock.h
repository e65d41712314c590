/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds by a clock, and as text; the parts of a benchmark. */
#ifndef WEIR_BENCH_CLOCK_H
#define WEIR_BENCH_CLOCK_H

#include <stdio.h>
#include <string.h>
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

struct bench_part {
    const char *name;
    void (*run)(void);
};

/* Those that the command line names, in its order; all of them without a name, or for "all". */
static inline int bench_main(const struct bench_part *parts, size_t part_count, int count, char **words)
{
    for (int i = 1; i < count || i == 1; i++) {
        const char *what = count > 1 ? words[i] : "all";
        for (size_t p = 0; p < part_count; p++)
            if (strcmp(what, "all") == 0 || strcmp(what, parts[p].name) == 0)
                parts[p].run();
    }
    return 0;
}

#endif
