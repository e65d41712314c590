/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_line(const char *folder, const char *name, char *text, int size)
{
    char path[WEIR_QUOTA_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool good = fgets(text, size, file) != NULL;
    fclose(file);
    return good;
}

/* "max 100000" or "50000 100000"; in the older version two files. */
static bool read_quota(const char *folder, bool old, int64_t *runtime, int64_t *period)
{
    char text[64], *end;
    if (!read_line(folder, old ? "cpu.cfs_quota_us" : "cpu.max", text, sizeof text))
        return false;
    *runtime = strtoll(text, &end, 10);
    if (end == text || *runtime <= 0) /* "max", -1 */
        return false;
    if (!old)
        *period = strtoll(end, NULL, 10);
    else
        *period = read_line(folder, "cpu.cfs_period_us", text, sizeof text) ? strtoll(text, NULL, 10) : 0;
    return *period > 0;
}

/* A group and all around it, up to the root of the hierarchy. */
static void take_tightest(const char *root, const char *group, bool old, struct weir_quota *quota)
{
    char folder[WEIR_QUOTA_PATH];
    size_t least = strlen(root);
    if ((size_t)snprintf(folder, sizeof folder, "%s%s", root, group) >= sizeof folder - sizeof "/cpu.stat")
        return;
    for (;;) {
        int64_t runtime, period;
        /* runtime / period < quota->runtime / quota->period; both are below 2^40 */
        if (read_quota(folder, old, &runtime, &period) &&
            (quota->period == 0 || (double)runtime / (double)period < (double)quota->runtime / (double)quota->period)) {
            quota->runtime = runtime;
            quota->period = period;
            snprintf(quota->stat, sizeof quota->stat, "%.480s/cpu.stat", folder);
        }
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < least)
            return;
        *slash = 0;
    }
}

static bool has_word(const char *list, size_t length, const char *word)
{
    for (const char *at = list, *end = list + length; at < end; at++) {
        size_t size = strcspn(at, ",:");
        if (size == strlen(word) && strncmp(at, word, size) == 0)
            return true;
        at += size;
    }
    return false;
}

/* Lines of "number:controllers:path"; version 2 has number 0 and no controllers. */
struct weir_quota weir_quota_find(const char *process, const char *root)
{
    struct weir_quota quota = {0};
    char line[WEIR_QUOTA_PATH], path[WEIR_QUOTA_PATH];
    snprintf(path, sizeof path, "%.400s/cgroup", process);
    FILE *file = fopen(path, "re");
    if (!file)
        return quota;
    while (fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        group[strcspn(group, "\n")] = 0;
        size_t length = (size_t)(group - controllers - 1);
        if (length == 0) {
            take_tightest(root, group + 1, false, &quota);
        } else if (has_word(controllers + 1, length, "cpu")) {
            snprintf(path, sizeof path, "%.200s/%.*s", root, (int)(length < 200 ? length : 200), controllers + 1);
            take_tightest(path, group + 1, true, &quota);
            snprintf(path, sizeof path, "%.200s/cpu", root);
            take_tightest(path, group + 1, true, &quota);
        }
    }
    fclose(file);
    return quota;
}

int64_t weir_quota_throttled(const struct weir_quota *quota)
{
    static const char new_word[] = "throttled_usec ", old_word[] = "throttled_time ";
    char line[128];
    int64_t ns = -1;
    FILE *file = quota->period > 0 ? fopen(quota->stat, "re") : NULL;
    if (!file)
        return -1;
    while (ns < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, new_word, sizeof new_word - 1) == 0)
            ns = strtoll(line + sizeof new_word - 1, NULL, 10) * 1000;
        else if (strncmp(line, old_word, sizeof old_word - 1) == 0)
            ns = strtoll(line + sizeof old_word - 1, NULL, 10);
    fclose(file);
    return ns;
}
