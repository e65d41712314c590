/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal has to remove. The handler only reads it, and only async-signal-safe calls follow. */
static const char *volatile unfinished;

static void interrupted(int number)
{
    const char *path = unfinished;
    if (path)
        unlink(path);
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, action = {.sa_handler = interrupted};
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) /* nohup stays nohup */
            sigaction(numbers[i], &action, NULL);
    }
}

static bool silent;

void weir_output_silence(void)
{
    silent = true;
}

static enum weir_exit fail(struct weir_output *output, const char *verb, const char *path)
{
    int cause = errno;
    if (output->file && output->file != stdout)
        fclose(output->file);
    if (output->temporary) {
        unlink(output->temporary);
        unfinished = NULL;
    }
    weir_complain("cannot %s %s: %s", verb, path, strerror(cause));
    free(output->path);
    free(output->temporary);
    *output = (struct weir_output){0};
    return WEIR_EXIT_OUTPUT;
}

/* A new file beside `path`, with the permissions of the file it will replace. */
static int open_beside(struct weir_output *output, const char *path, const struct stat *old)
{
    size_t bytes = strlen(path) + 32;
    output->temporary = malloc(bytes);
    if (!output->temporary)
        return -1;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        snprintf(output->temporary, bytes, "%s.%ld.%u.tmp", path, (long)getpid(), attempt);
        int descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? old->st_mode & 0777 : 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            if (descriptor < 0) {
                free(output->temporary);
                output->temporary = NULL;
            } else if (old && fchmod(descriptor, old->st_mode & 0777) != 0) {
                /* Not our file's owner: the permissions of a new file will have to do. */
                errno = 0;
            }
            return descriptor;
        }
    }
    free(output->temporary);
    output->temporary = NULL;
    return -1;
}

enum weir_exit weir_output_open(struct weir_output *output, const char *path)
{
    struct stat old;
    *output = (struct weir_output){0};
    if (!path || strcmp(path, "-") == 0) {
        output->file = stdout;
        return WEIR_EXIT_OK;
    }
    int descriptor;
    path = silent ? "/dev/null" : path;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return fail(output, "write", path);
    }
    if (exists && !S_ISREG(old.st_mode)) {
        descriptor = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        /* A symbolic link stays one: what it points to is replaced. */
        output->path = exists ? realpath(path, NULL) : strdup(path);
        descriptor = output->path ? open_beside(output, output->path, exists ? &old : NULL) : -1;
    }
    if (descriptor < 0)
        return fail(output, "write", path);
    if (output->temporary) {
        unfinished = output->temporary;
        watch_signals();
    }
    output->file = fdopen(descriptor, "w");
    if (!output->file) {
        close(descriptor);
        return fail(output, "write", path);
    }
    return WEIR_EXIT_OK;
}

enum weir_exit weir_output_close(struct weir_output *output, bool keep)
{
    if (output->file == stdout) {
        *output = (struct weir_output){0};
        return WEIR_EXIT_OK; /* main checks stdout */
    }
    errno = 0;
    bool good = fflush(output->file) == 0 && !ferror(output->file);
    int cause = errno;
    good &= fclose(output->file) == 0;
    errno = cause ? cause : errno ? errno : EIO;
    output->file = NULL;
    if (keep && good && output->temporary)
        good = rename(output->temporary, output->path) == 0;
    if (keep && !good)
        return fail(output, "write", output->path ? output->path : "the output");
    if (!keep && output->temporary)
        unlink(output->temporary);
    unfinished = NULL;
    free(output->path);
    free(output->temporary);
    *output = (struct weir_output){0};
    return WEIR_EXIT_OK;
}

enum weir_exit weir_output_finish(struct weir_output *output, enum weir_status status, const struct weir_error *error,
                                  const char *title)
{
    bool unwritable = status != WEIR_OK && status != WEIR_IO; /* closing reports what the file did not take */
    enum weir_exit result = unwritable ? weir_complain_error(title, error) : WEIR_EXIT_OK;
    return weir_exit_worse(result, weir_output_close(output, !unwritable));
}
