/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/schedstat.h"

#include <fcntl.h>
#include <stdlib.h>
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
