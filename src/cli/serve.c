/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "Usage: weir serve [DIR] [OPTION...]\n"
                           "\n"
                           "Serves a page to browsers on this machine, and to no other: the models of a folder (this one unless "
                           "given), an editor, and the\n"
                           "report about what is in the editor. Ends with Ctrl-C.\n"
                           "\n"
                           "  --port N    where to listen, on 127.0.0.1; 8080 unless given; 0 takes a free one and says which\n"
                           "  --write     models can be saved; otherwise nothing is ever written\n"
                           "  --help      this text\n"
                           "\n"
                           "Examples:\n"
                           "  weir serve examples\n"
                           "  weir serve models --port 9000 --write\n";

/* Waits for a signal that ends it. They are blocked in every thread, so that this one gets them. */
static void wait_for_end(const sigset_t *signals)
{
    int number;
    while (sigwait(signals, &number) == EINTR)
        continue;
}

static enum weir_exit serve(const struct weir_folder *folder, const char *path, unsigned port)
{
    sigset_t signals, before;
    unsigned taken;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    struct weir_server *server = weir_server_start(folder, port, &taken);
    if (server) {
        printf("weir serves %s at http://127.0.0.1:%u/%s\n", path, taken, folder->writable ? ", models can be saved" : "");
        fflush(stdout);
        wait_for_end(&signals);
        weir_server_stop(server);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return server ? WEIR_EXIT_OK : WEIR_EXIT_INTERNAL;
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
        return weir_complain_usage(arguments->verb, "one folder is served, not %zu", arguments->count);
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

const struct weir_verb weir_verb_serve = {"serve", "models in a folder, with an editor, for the browser", help, run, NULL};
