/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/serve/serve.h"

struct weir_server *weir_server_start(const struct weir_folder *folder, unsigned port, unsigned *taken)
{
    (void)folder;
    (void)port;
    *taken = 0;
    weir_complain("this weir was built without a server, since libmicrohttpd was missing (Debian: libmicrohttpd-dev)");
    return NULL;
}

void weir_server_run(struct weir_server *server, const volatile sig_atomic_t *ended, const sigset_t *mask)
{
    (void)server;
    (void)ended;
    (void)mask;
}

void weir_server_stop(struct weir_server *server)
{
    (void)server;
}
