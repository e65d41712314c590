/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: weir serve [DIR] [OPTION...]\n"
    "\n"
    "Serves a web page to browsers on this machine only: the models in the folder DIR (default: the current one), an editor,\n"
    "and a report on the model in the editor. Stop it with Ctrl-C.\n"
    "\n"
    "  --port N    the port on 127.0.0.1 (default 8080); 0 picks a free port and prints it\n"
    "  --write     allow saving models; otherwise nothing is ever written\n"
    "  --help      this text\n"
    "\n"
    "Here a model can be at most 1 MiB and cannot refer to other files. An analysis that takes longer than a few seconds is\n"
    "refused; use weir report instead.\n"
    "\n"
    "Examples:\n"
    "  weir serve examples\n"
    "  weir serve models --port 9000 --write\n"
    "\n"
    "Exit status: 0 stopped with Ctrl-C; 2 wrong usage; 3 the folder cannot be opened; 74 the port is taken, or the server's\n"
    "library is missing.\n";

static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

/* The server runs with these signals blocked but while it waits, so that none is missed. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDING (sizeof ending / sizeof *ending)

static enum weir_exit serve(const struct weir_folder *folder, const char *path, unsigned port)
{
    unsigned taken;
    struct weir_server *server = weir_server_start(folder, port, &taken);
    if (!server)
        return WEIR_EXIT_OUTPUT;
    sigset_t signals, before;
    struct sigaction action = {.sa_handler = end}, old[ENDING], child = {.sa_handler = SIG_DFL}, old_child;
    sigemptyset(&signals);
    sigemptyset(&action.sa_mask);
    sigemptyset(&child.sa_mask);
    for (size_t i = 0; i < ENDING; i++)
        sigaddset(&signals, ending[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    sigaction(SIGCHLD, &child, &old_child); /* the parent process may have had SIGCHLD ignored */
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &action, &old[i]);
    printf("weir serves %s at http://127.0.0.1:%u/%s\n", path, taken, folder->writable ? ", models can be saved" : "");
    if (fflush(stdout) == 0) { /* otherwise the port is not known to anyone; the end of main reports it */
        sigset_t open = before;
        for (size_t i = 0; i < ENDING; i++)
            sigdelset(&open, ending[i]);
        weir_server_run(server, &ended, &open);
    }
    weir_server_stop(server);
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &old[i], NULL);
    sigaction(SIGCHLD, &old_child, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return WEIR_EXIT_OK;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    uint64_t port = 8080;
    struct weir_folder folder = {.descriptor = -1};
    const struct weir_option options[] = {
        {"port", 0, WEIR_OPTION_NUMBER, &port, 0, 65535},
        {"write", 0, WEIR_OPTION_FLAG, &folder.writable, 0, 0},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count > 1)
        return weir_complain_usage(arguments->verb, "weir serve takes one folder, not %zu", arguments->count);
    const char *path = arguments->count ? arguments->items[0] : ".";
    folder.descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder.descriptor < 0) {
        weir_complain("cannot open the folder %s: %s", path, strerror(errno));
        return WEIR_EXIT_INPUT;
    }
    enum weir_exit exit = serve(&folder, path, (unsigned)port);
    close(folder.descriptor);
    return exit;
}

const struct weir_verb weir_verb_serve = {"serve", "edit and analyze the models of a folder in a browser", help, run, NULL};
