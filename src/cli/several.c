/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several pieces of work at once, each in a process of its own, as many as there are cores. What each prints is kept until those
 * before it have been printed, so that the output does not depend on which was faster.
 */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AHEAD = 64 }; /* pieces whose output may be waiting */

struct piece {
    pid_t process;
    int out, error;
    bool ended;
    int status;
};

struct weir_several {
    size_t count, begun, told;
    unsigned cores, running;
    enum weir_exit (*work)(void *context, size_t piece);
    void *context;
    struct weir_progress progress;
    struct piece pieces[AHEAD];
};

unsigned weir_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (unsigned)cores;
}

struct weir_several *weir_several_new(size_t count, enum weir_exit (*work)(void *context, size_t piece), void *context)
{
    struct weir_several *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct weir_several){
        .count = count, .cores = weir_cores(), .work = work, .context = context, .progress = {.what = "analysing"}};
    weir_style_of(stdout); /* to be known where these are no terminal */
    weir_style_of(stderr);
    weir_terminal_columns();
    return s;
}

_Noreturn static void do_piece(const struct weir_several *s, const struct piece *p, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || dup2(p->out, STDOUT_FILENO) < 0 || dup2(p->error, STDERR_FILENO) < 0)
        _exit(WEIR_EXIT_INTERNAL);
    enum weir_exit result = s->work(s->context, s->begun);
    if (fflush(stdout) || ferror(stdout))
        result = WEIR_EXIT_OUTPUT;
    fflush(stderr);
    _exit((int)result);
}

/* False: it cannot be. The caller does the work itself then. */
static bool begin(struct weir_several *s)
{
    struct piece *p = &s->pieces[s->begun % AHEAD];
    pid_t parent = getpid();
    *p = (struct piece){.out = memfd_create("out", MFD_CLOEXEC), .error = memfd_create("error", MFD_CLOEXEC)};
    if (p->out >= 0 && p->error >= 0) {
        fflush(stdout);
        p->process = fork();
        if (p->process == 0)
            do_piece(s, p, parent);
    }
    if (p->process > 0) {
        s->begun++;
        s->running++;
        return true;
    }
    if (p->out >= 0)
        close(p->out);
    if (p->error >= 0)
        close(p->error);
    p->process = 0;
    return false;
}

static void await_one(struct weir_several *s)
{
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR)
        return;
    for (size_t i = s->told; i < s->begun; i++) {
        struct piece *p = &s->pieces[i % AHEAD];
        if (!p->ended && (p->process == ended || ended < 0)) { /* < 0: none is left to wait for */
            s->running--;
            p->ended = true;
            p->status = ended < 0 ? WEIR_EXIT_INTERNAL << 8 : status;
        }
    }
}

static void pass_on(int from, FILE *to)
{
    char bytes[1 << 16];
    ssize_t got;
    lseek(from, 0, SEEK_SET);
    while ((got = read(from, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)got, to);
    close(from);
}

enum weir_exit weir_several_next(struct weir_several *s)
{
    struct piece *p = &s->pieces[s->told % AHEAD];
    for (;;) {
        while (s->running < s->cores && s->begun < s->count && s->begun < s->told + AHEAD && begin(s))
            ;
        if (s->told == s->begun) { /* no process could be made */
            s->begun = ++s->told;
            return s->work(s->context, s->told - 1);
        }
        if (p->ended)
            break;
        weir_progress_show(&s->progress, (unsigned)(s->told * 1000 / s->count));
        await_one(s);
    }
    s->told++;
    weir_progress_end(&s->progress);
    pass_on(p->error, stderr);
    pass_on(p->out, stdout);
    if (WIFEXITED(p->status))
        return (enum weir_exit)WEXITSTATUS(p->status);
    weir_complain("internal error: signal %d", WTERMSIG(p->status));
    return WEIR_EXIT_INTERNAL;
}

void weir_several_free(struct weir_several *s)
{
    free(s);
}
