/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

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
    static unsigned known;
    struct winsize size;
    if (!known)
        known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return known;
}

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
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
    fprintf(stderr, "\r\033[K%.60s: %u.%u %%, %lld s", progress->what, permille / 10, permille % 10,
            (long long)((now - progress->begun_ms) / 1000));
    fflush(stderr);
}

void weir_progress_end(struct weir_progress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    *progress = (struct weir_progress){.what = progress->what};
}
