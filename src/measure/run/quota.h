/* SPDX-License-Identifier: Apache-2.0 */
/* The share of the CPUs that a control group of Linux may use (containers, services): either version of them. */
#ifndef WEIR_MEASURE_RUN_QUOTA_H
#define WEIR_MEASURE_RUN_QUOTA_H

#include <stdint.h>

#define WEIR_QUOTA_PATH 512

struct weir_quota {
    int64_t runtime, period;    /* us of all CPUs together, in each period; period 0: there is none */
    char stat[WEIR_QUOTA_PATH]; /* file that counts how long the group was held back */
};

/* The tightest of the group's and of those around it. `process` is /proc/self, `root` is /sys/fs/cgroup, but for tests. */
struct weir_quota weir_quota_find(const char *process, const char *root);
/* How long it was held back so far, ns; -1: not known. */
int64_t weir_quota_throttled(const struct weir_quota *quota);

#endif
