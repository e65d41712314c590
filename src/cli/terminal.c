/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "ranks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static bool colourful(int descriptor)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_color && no_color[0])
        return false;
    return term && strcmp(term, "dumb") != 0 && isatty(descriptor);
}

const struct weir_style *weir_style_of(FILE *stream)
{
    static const struct weir_style *known[2]; /* stdout, stderr */
    const struct weir_style **style = &known[stream == stderr];
    if (!*style)
        *style = colourful(stream == stderr ? STDERR_FILENO : STDOUT_FILENO) ? &weir_style_color : &weir_style_none;
    return *style;
}

unsigned weir_terminal_columns(void)
{
    static bool asked;
    static unsigned known;
    struct winsize size;
    static const int descriptors[] = {STDOUT_FILENO, STDERR_FILENO};
    for (size_t i = 0; i < 2 && !known && !asked; i++)
        if (ioctl(descriptors[i], TIOCGWINSZ, &size) == 0)
            known = size.ws_col;
    asked = true;
    return known;
}

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* "4 s", "12 min", "3 h": no more digits than that. */
static void describe_left(int64_t ms, char text[32])
{
    int64_t seconds = (ms + 999) / 1000;
    if (seconds < 100)
        snprintf(text, 32, "%lld s", (long long)seconds);
    else if (seconds < 6000)
        snprintf(text, 32, "%lld min", (long long)((seconds + 59) / 60));
    else
        snprintf(text, 32, "%lld h", (long long)((seconds + 3599) / 3600));
}

/* camera [########------------] 40 %, 3 s left */
static void draw_progress(struct weir_progress *progress, unsigned permille, int64_t now)
{
    enum { BAR = 20, OTHER = 34 };
    static const char full[] = "####################", empty[] = "--------------------";
    char left[32] = "";
    int64_t passed = now - progress->begun_ms;
    permille = permille < 1000 ? permille : 1000;
    int filled = (int)(permille * BAR / 1000), columns = weir_terminal_columns() ? (int)weir_terminal_columns() : 80,
        room = columns - BAR - OTHER;
    if (permille >= 10)
        describe_left(passed * (1000 - permille) / permille, left);
    fprintf(stderr, "\r\033[K%.*s [%.*s%.*s] %u %%, %s%s",
            room < 8    ? 8
            : room > 60 ? 60
                        : room,
            progress->what, filled, full, BAR - filled, empty, permille / 10, left[0] ? left : "a while", " left");
    fflush(stderr);
}

void weir_progress_show(void *context, unsigned permille)
{
    enum { PATIENCE_MS = 1000, REFRESH_MS = 100 };
    struct weir_progress *progress = context;
    int64_t now = now_ms();
    if (!progress->decided) {
        progress->decided = true;
        progress->terminal = isatty(STDERR_FILENO);
        progress->begun_ms = now;
    }
    if (!progress->terminal || now - progress->begun_ms < PATIENCE_MS || now - progress->shown_ms < REFRESH_MS)
        return;
    progress->shown_ms = now;
    progress->visible = true;
    draw_progress(progress, permille, now);
}

void weir_progress_end(struct weir_progress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    *progress = (struct weir_progress){.what = progress->what};
}

/* ---- interrupts ---- */

static bool stop;

static void interrupted(int number)
{
    (void)number;
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
}

static const int watched[] = {SIGINT, SIGTERM};
static struct sigaction before_watching[2];

/* The first one ends the search, a second one the program. mpirun keeps interrupts to itself, but hands SIGUSR1 on; with SIGTERM it
 * ends what is left when a process has failed, so that there is no answer. */
const bool *weir_interrupts_begin(void)
{
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    __atomic_store_n(&stop, false, __ATOMIC_RELAXED);
    for (size_t i = 0; i < 2; i++)
        if (sigaction(watched[i], NULL, &before_watching[i]) == 0 && before_watching[i].sa_handler == SIG_DFL &&
            !(watched[i] == SIGTERM && weir_ranks_several()))
            sigaction(watched[i], &action, NULL);
    if (weir_ranks_first_of_several())
        sigaction(SIGUSR1, &action, NULL);
    return &stop;
}

void weir_interrupts_end(void)
{
    for (size_t i = 0; i < 2; i++)
        sigaction(watched[i], &before_watching[i], NULL);
    if (weir_ranks_first_of_several())
        signal(SIGUSR1, SIG_IGN);
}

void weir_interrupts_watch(void)
{
    weir_interrupt_watch(weir_interrupts_begin());
}

bool weir_interrupts_unwatch(void)
{
    weir_interrupt_watch(NULL);
    weir_interrupts_end();
    return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}
