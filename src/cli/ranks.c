/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weir explore by several processes. mpirun starts the same command several times and says so in the environment; without what MPI
 * needs this must be an error, or each of them would print the answer. All read the same files, which is checked, and standard
 * input as rank 0 has it.
 */
#include "ranks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct weir_ranks_link link_to_all;
static int own_stderr = STDERR_FILENO; /* of a process that prints nothing else */

static bool are_several(void)
{
    return link_to_all.ranks.count > 1;
}

bool weir_ranks_several(void)
{
    return are_several();
}

bool weir_ranks_first_of_several(void)
{
    return are_several() && link_to_all.ranks.rank == 0;
}

/* ---- what the environment says ---- */

/* How many processes there are; 0: not known. */
static long started_count(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text)
            return strtol(text, NULL, 10);
    }
    return getenv("PMIX_RANK") ? 0 : 1;
}

/* What is wrong with all of them one says. */
static bool is_speaker(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text)
            return strtol(text, NULL, 10) == 0;
    }
    return true;
}

/* ---- the module ---- */

/* Beside the program where it was built, and where it is installed relative to the program. */
static void *load_module(void)
{
    static const char *const folders[] = {"", "/" WEIR_MODULES};
    char program[4096], path[sizeof program + sizeof "/" WEIR_MODULES "/weir-mpi.so"];
    if (!weir_program_folder(program, sizeof program))
        return NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s/weir-mpi.so", program, folders[i]);
        if (access(path, R_OK) == 0)
            return dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI loads parts of its own, which look for it */
    }
    return NULL;
}

static enum weir_exit begin(long expected)
{
    weir_ranks_begin *function = NULL;
    void *module = load_module();
    const char *problem = NULL;
    if (module) {
        void *symbol = dlsym(module, WEIR_RANKS_BEGIN);
        memcpy(&function, &symbol, sizeof function);
    }
    if (!function) {
        const char *reason = dlerror();
        if (is_speaker())
            weir_complain("several processes cannot explore together: weir-mpi.so %s%s%s",
                          reason ? "cannot be loaded: "
                                 : "is missing; it is built with weir where Open MPI is installed (Debian: libopenmpi-dev)",
                          reason ? reason : "", "; without mpirun, --threads uses all cores of one machine");
        else
            sleep(1); /* mpirun ends all as soon as one has failed: the speaker goes first */
        return WEIR_EXIT_USAGE;
    }
    problem = function(weir_version(), &link_to_all);
    if (!problem && expected && link_to_all.ranks.count != (unsigned long)expected)
        problem = "they were not started by the MPI that weir was built with";
    if (problem && is_speaker())
        weir_complain("several processes cannot explore together: %s", problem);
    return problem ? WEIR_EXIT_USAGE : WEIR_EXIT_OK;
}

/* ---- the same input ---- */

/* Ends all, with a message from this one. */
static _Noreturn void give_up(enum weir_exit status, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    dprintf(own_stderr, "weir: process %u of %u: %s\n", link_to_all.ranks.rank, link_to_all.ranks.count, message);
    link_to_all.abandon(link_to_all.ranks.context, (int)status);
    _exit((int)status);
}

static void share(void *bytes, size_t size)
{
    if (link_to_all.ranks.broadcast(link_to_all.ranks.context, bytes, size))
        give_up(WEIR_EXIT_INTERNAL, "the others cannot be reached");
}

static void check_input(const struct weir_arguments *arguments)
{
    uint64_t own = weir_arguments_digest(arguments), first = own;
    share(&first, sizeof first);
    if (first != own)
        give_up(WEIR_EXIT_INPUT, "it has other files or arguments than the first");
}

/* All of standard input, which only rank 0 has; *size: of it. */
static char *read_all(uint64_t *size)
{
    size_t room = 1 << 16, length = 0;
    char *text = malloc(room);
    for (ssize_t got = 1; text && got > 0;) {
        got = read(STDIN_FILENO, text + length, room - length);
        if (got < 0 && errno == EINTR)
            got = 1; /* again */
        else
            length += got > 0 ? (size_t)got : 0;
        if (length == room) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            text = more;
        }
    }
    *size = length;
    return text;
}

static void share_input(void)
{
    uint64_t size = 0;
    char *text = link_to_all.ranks.rank == 0 ? read_all(&size) : NULL;
    share(&size, sizeof size);
    if (link_to_all.ranks.rank > 0)
        text = malloc(size + 1);
    if (!text)
        give_up(WEIR_EXIT_INTERNAL, "out of memory");
    if (size)
        share(text, size);
    FILE *file = tmpfile();
    if (!file || fwrite(text, 1, size, file) != size || fflush(file) != 0 || lseek(fileno(file), 0, SEEK_SET) != 0 ||
        dup2(fileno(file), STDIN_FILENO) < 0)
        give_up(WEIR_EXIT_INTERNAL, "standard input cannot be stored");
    fclose(file);
    free(text);
}

static bool reads_input(const struct weir_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (strcmp(arguments->items[i], "-") == 0)
            return true;
    return false;
}

/* ---- */

/* Nothing is printed or written by this process, and only rank 0 is interrupted. */
static void fall_silent(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    own_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nowhere < 0 || own_stderr < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        give_up(WEIR_EXIT_INTERNAL, "its output cannot be closed");
    close(nowhere);
    weir_output_silence();
    signal(SIGINT, SIG_IGN);
}

static enum weir_exit finish(enum weir_exit result)
{
    void *context = link_to_all.ranks.context;
    bool first = link_to_all.ranks.rank == 0;
    fflush(stdout);
    if (first && link_to_all.is_lost(context))
        link_to_all.abandon(context, (int)(result ? result : WEIR_EXIT_INTERNAL));
    if (link_to_all.is_lost(context) || (!first && result == WEIR_EXIT_INTERNAL))
        give_up(WEIR_EXIT_INTERNAL, "it cannot go on");
    if (link_to_all.end(context))
        give_up(WEIR_EXIT_INTERNAL, "the others cannot be reached");
    return first ? result : WEIR_EXIT_OK; /* mpirun ends all when one fails: that one has printed everything by then */
}

enum weir_exit weir_ranks_run(struct weir_arguments *arguments, bool shared, enum weir_exit (*run)(struct weir_arguments *))
{
    long count = started_count();
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        setenv("NO_COLOR", "1", 1); /* what mpirun gives to print on looks like a terminal, wherever that goes */
    if (count == 1)
        return run(arguments);
    enum weir_exit result = begin(count);
    if (result != WEIR_EXIT_OK)
        return result;
    bool first = link_to_all.ranks.rank == 0;
    signal(SIGUSR1, SIG_IGN); /* mpirun hands it on to all */
    if (!first)
        fall_silent();
    if (shared && are_several()) {
        check_input(arguments);
        if (reads_input(arguments))
            share_input();
        weir_set_ranks(&link_to_all.ranks);
    }
    if (first && !shared && are_several())
        weir_complain("note: this kind of search is done by one process; the others wait");
    if (first || shared)
        result = run(arguments);
    return finish(result);
}
