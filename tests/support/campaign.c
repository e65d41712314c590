/* SPDX-License-Identifier: Apache-2.0 */
#include "support/campaign.h"
#include "weir.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 64, SEEDS = 1000 }; /* SEEDS: where the command line does not say how many */

uint64_t campaign_effort = 1;

/* Written before the clock runs: a signal handler may not print. */
static char late[128];

static void too_long(int signal_number)
{
    (void)signal_number;
    _exit(write(STDOUT_FILENO, late, strlen(late)) > 0 ? 1 : 2);
}

/* SIGPROF after so many seconds of CPU time, the system's included: a busy machine does not make a seed late. 0: never. */
static void set_limit(unsigned seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = (time_t)seconds}}, NULL);
}

static bool try_in_time(uint64_t seed, void *tally)
{
    if (campaign.seconds)
        snprintf(late, sizeof late, "%s%020" PRIu64 "%s\n", campaign.late[0], seed, campaign.late[1]);
    set_limit(campaign.seconds * (unsigned)campaign_effort);
    bool good = campaign.try_seed(seed, tally);
    set_limit(0);
    return good;
}

void campaign_add(void *sum, const void *one)
{
    size_t counts = campaign.doubles ? campaign.doubles : campaign.tally_size, sums = campaign.tally_size - counts;
    uint64_t *to = sum;
    const uint64_t *from = one;
    for (size_t i = 0; i < counts / sizeof *to; i++)
        to[i] += from[i];
    double *to_sums = (double *)((char *)sum + counts);
    const double *from_sums = (const double *)((const char *)one + counts);
    for (size_t i = 0; i < sums / sizeof *to_sums; i++)
        to_sums[i] += from_sums[i];
}

/* The seeds of one process. */
struct share {
    uint64_t first, step, end;
};

/* Its tally goes into the pipe. */
static void work(const struct share *share, void *tally, int out)
{
    signal(SIGPROF, too_long);
    for (uint64_t seed = share->first; seed < share->end; seed += share->step)
        if (!try_in_time(seed, tally)) {
            fflush(stdout);
            _exit(1);
        }
    _exit(write(out, tally, campaign.tally_size) == (ssize_t)campaign.tally_size ? 0 : 1);
}

/* Adds to sum; one is room for another tally, and zero. False when not every process came to its end. */
static bool work_together(uint64_t seed, uint64_t count, char *sum, char *one)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), begun = 0;
    int pipes[2];
    if (pipe(pipes) != 0)
        return false;
    cores = cores < 1 ? 1 : cores > PROCESSES_MAX ? PROCESSES_MAX : cores;
    for (long i = 0; i < cores; i++) {
        pid_t child = fork();
        if (child == 0)
            work(&(struct share){seed + (uint64_t)i, (uint64_t)cores, seed + count}, one, pipes[1]);
        begun += child > 0;
    }
    close(pipes[1]);
    while (read(pipes[0], one, campaign.tally_size) == (ssize_t)campaign.tally_size)
        (campaign.add ? campaign.add : campaign_add)(sum, one);
    close(pipes[0]);
    bool good = begun == cores;
    for (long i = 0; i < begun; i++) {
        int status = 0;
        good &= wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return good;
}

static int show(uint64_t seed)
{
    struct weir_pipeline *pipeline = campaign.pipeline_of ? campaign.pipeline_of(seed) : NULL;
    bool shown = pipeline && weir_pipeline_write_yaml(pipeline, stdout, NULL) == WEIR_OK;
    weir_pipeline_free(pipeline);
    return !shown;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "show") == 0)
        return (campaign.show ? campaign.show : show)(strtoull(argv[2], NULL, 10));
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : SEEDS, seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    campaign_effort = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (campaign_effort < 1 || campaign_effort > 1000)
        return 2;
    char *tallies = campaign.tally_size <= PIPE_BUF ? calloc(2, campaign.tally_size) : NULL; /* longer ones could mix in the pipe */
    if (!tallies)
        return 1;
    bool good = work_together(seed, count, tallies, tallies + campaign.tally_size);
    if (good || campaign.print_always)
        campaign.print(tallies);
    if (good && !campaign.saw_enough(tallies, count)) {
        printf("the campaign did not see what it is for\n");
        good = false;
    }
    free(tallies);
    return good ? 0 : 1;
}
