/* SPDX-License-Identifier: Apache-2.0 */
/* bench_flow_log [MEGABYTES [FOLDER [ROUNDS]]]: writes a log of that size and makes a model of it; how long that takes, against
 * `wc -l` on the same file in the same run, by turns: the least of all rounds, of a core and of the clock. 2000 MB in /tmp, 5
 * rounds unless given. */
#include "weir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* What was used of a core, which other programs on the machine do not change much. */
static double used(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Two paths for each message, as of a camera with an inference beside the path to the display. */
static uint64_t write_log(FILE *out, uint64_t bytes)
{
    uint64_t written = 0, random = 88172645463325252U;
    int64_t t = INT64_C(1685129021000000);
    for (uint64_t record = 1; written < bytes; record++, t += 33000) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        int64_t a = t + 1500 + (int64_t)(random % 900), b = a + 4000 + (int64_t)(random % 777),
                c = b + 9000 + (int64_t)(random % 4001);
        int n = fprintf(out,
                        "%" PRIu64 ":\n(Endoscopy.camera,%" PRId64 ",%" PRId64 ") -> (Endoscopy.format_converter,%" PRId64
                        ",%" PRId64 ") -> (Endoscopy.inference,%" PRId64 ",%" PRId64 ") -> (Endoscopy.holoviz,%" PRId64 ",%" PRId64
                        ") \n(Endoscopy.camera,%" PRId64 ",%" PRId64 ") -> (Endoscopy.holoviz,%" PRId64 ",%" PRId64 ") \n\n",
                        record, t, a, a + 12, b, b + 9, c, c + 20, c + 5000, t, a, c + 21, c + 5000);
        written += n > 0 ? (uint64_t)n : bytes;
    }
    return written;
}

static bool read_log(const char *path)
{
    struct weir_holoscan_file file = {.path = path};
    struct weir_holoscan_options options = {.files = &file, .file_count = 1};
    struct weir_pipeline *pipeline;
    bool read = weir_holoscan_read(&options, &pipeline, NULL) == WEIR_OK && weir_pipeline_operator_count(pipeline) == 4 &&
                weir_pipeline_queue_count(pipeline) == 4;
    weir_pipeline_free(pipeline);
    return read;
}

static bool count_lines(const char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "wc -l '%s' >/dev/null", path);
    return system(command) == 0; /* NOLINT: the path is our own */
}

static bool measure(const char *path, double megabytes, unsigned rounds)
{
    double best[2] = {1e9, 1e9}, clock[2] = {1e9, 1e9};
    for (unsigned round = 0; round < 2 * rounds; round++) {
        int who = round % 2 ? RUSAGE_CHILDREN : RUSAGE_SELF;
        double begun = used(who), since = now();
        if (!(round % 2 ? count_lines(path) : read_log(path)))
            return false;
        double took = used(who) - begun, passed = now() - since;
        best[round % 2] = took < best[round % 2] ? took : best[round % 2];
        clock[round % 2] = passed < clock[round % 2] ? passed : clock[round % 2];
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double load[1] = {0};
    getloadavg(load, 1);
    printf("weir    %7.3f s  %7.0f MB/s  (by the clock %7.3f s)  at most %ld KiB of memory\n", best[0], megabytes / best[0],
           clock[0], usage.ru_maxrss);
    printf("wc -l   %7.3f s  %7.0f MB/s  (by the clock %7.3f s)\n", best[1], megabytes / best[1], clock[1]);
    printf("ratio   %7.2f  (load of the machine %.1f)\n", best[0] / best[1], load[0]);
    return true;
}

int main(int count, char **arguments)
{
    uint64_t megabytes = count > 1 ? strtoull(arguments[1], NULL, 10) : 2000;
    unsigned rounds = count > 3 ? (unsigned)strtoul(arguments[3], NULL, 10) : 5;
    char path[4096];
    snprintf(path, sizeof path, "%s/weir-log-XXXXXX", count > 2 ? arguments[2] : "/tmp");
    int descriptor = mkstemp(path);
    FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!out) {
        fputs("cannot write there\n", stderr);
        return 1;
    }
    uint64_t bytes = write_log(out, megabytes * 1000000);
    bool measured = fclose(out) == 0 && measure(path, (double)bytes * 1e-6, rounds ? rounds : 1);
    unlink(path);
    if (!measured)
        fputs("the log could not be written or read\n", stderr);
    return measured ? 0 : 1;
}
