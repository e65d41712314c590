/* SPDX-License-Identifier: Apache-2.0 */
/* What Linux says of how long a thread has waited for a CPU, and how long the host of a virtual machine kept its CPUs. */
#ifndef WEIR_MEASURE_RUN_SCHEDSTAT_H
#define WEIR_MEASURE_RUN_SCHEDSTAT_H

#include <stdint.h>

int weir_schedstat_open(void); /* of the calling thread; -1: there is none. Caller closes */
/* ns since it was made; -1: not known. */
int64_t weir_schedstat_starved(int file);
/* ns since it booted that its CPUs were ready to compute and the host used them otherwise, all together; -1: not known. `path` is
   /proc/stat, but for tests. */
int64_t weir_schedstat_stolen(const char *path);

#endif
