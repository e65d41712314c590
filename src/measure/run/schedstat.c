/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/schedstat.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int weir_schedstat_open(void)
{
    return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

/* "time on a CPU, time waiting for one, number of times". */
int64_t weir_schedstat_starved(int file)
{
    char text[96], *end;
    ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
    if (length <= 0)
        return -1;
    text[length] = 0;
    strtoll(text, &end, 10);
    return *end == ' ' ? strtoll(end + 1, NULL, 10) : -1;
}

/* "cpu user nice system idle iowait irq softirq steal ...", in ticks of the kernel. */
int64_t weir_schedstat_stolen(const char *path)
{
    char text[256];
    long rate = sysconf(_SC_CLK_TCK);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    bool known = fgets(text, sizeof text, file) && strncmp(text, "cpu ", 4) == 0 && rate > 0;
    fclose(file);
    char *at = text + 3;
    int64_t ticks = -1;
    for (int field = 0; known && field < 8; field++) {
        char *end;
        ticks = strtoll(at, &end, 10);
        known = end > at;
        at = end;
    }
    return known && ticks <= INT64_MAX / 1000000000 ? ticks * (1000000000 / rate) : -1;
}
