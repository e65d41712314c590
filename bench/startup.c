/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the whole command costs: `weir analyze` on a small model against /bin/true and against reading the file, started
 * alternately.
 *
 *     bench_startup WEIR MODEL [ROUNDS]
 *
 * Prints the median wall-clock time of each and the ratio. Output goes to /dev/null.
 */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs the command; its time, or -1 when it cannot be run. */
static double run(char *const command[], const posix_spawn_file_actions_t *quiet)
{
    pid_t child;
    int status;
    double begin = bench_seconds(CLOCK_MONOTONIC);
    if (posix_spawn(&child, command[0], quiet, NULL, command, environ) != 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? bench_seconds(CLOCK_MONOTONIC) - begin : -1;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_value);
    return times[count / 2];
}

static double read_file(const char *path)
{
    char buffer[65536];
    double begin = bench_seconds(CLOCK_MONOTONIC);
    int file = open(path, O_RDONLY);
    while (file >= 0 && read(file, buffer, sizeof buffer) > 0)
        continue;
    close(file);
    return bench_seconds(CLOCK_MONOTONIC) - begin;
}

int main(int argc, char **argv)
{
    int rounds = argc > 3 ? atoi(argv[3]) : 300;
    if (argc < 3 || rounds < 1) {
        fprintf(stderr, "usage: bench_startup WEIR MODEL [ROUNDS]\n");
        return 2;
    }
    char truth[] = "/bin/true", analyze[] = "analyze";
    char *const nothing[] = {truth, NULL}, *const whole[] = {argv[1], analyze, argv[2], NULL};
    double *times[3];
    for (int i = 0; i < 3; i++)
        if (!(times[i] = calloc((size_t)rounds, sizeof *times[i])))
            return 1;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < rounds; i++) {
        times[0][i] = run(nothing, &quiet);
        times[1][i] = run(whole, &quiet);
        times[2][i] = read_file(argv[2]);
        if (times[0][i] < 0 || times[1][i] < 0) {
            fprintf(stderr, "bench_startup: %s cannot be run\n", times[0][i] < 0 ? truth : argv[1]);
            return 1;
        }
    }
    double least = median(times[0], rounds), weir = median(times[1], rounds), reading = median(times[2], rounds);
    printf("weir analyze %.3f ms, /bin/true %.3f ms, reading the file %.3f ms: %.2fx\n", weir * 1e3, least * 1e3, reading * 1e3,
           weir / (least + reading));
    return 0;
}
