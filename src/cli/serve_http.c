/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server, by libmicrohttpd. The library is loaded when it is needed: it brings others with it that would slow down every verb.
 *
 * One thread answers one request at a time. A request that another site makes through the user's browser is refused: it has another
 * Host (its name was made to point here) or another Origin.
 */
#include "serve.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECTIONS_MAX 32
#define SECONDS_MAX 15
#define MEMORY_MAX 65536 /* of a connection: the headers of its request */

#define FUNCTIONS(with)                                                                                                            \
    with(start_daemon) with(stop_daemon) with(create_response_from_buffer) with(add_response_header) with(queue_response)          \
        with(destroy_response) with(lookup_connection_value)

static struct {
#define FIELD(name) __typeof__(&MHD_##name) name;
    FUNCTIONS(FIELD)
#undef FIELD
} mhd;

struct weir_server {
    const struct weir_folder *folder;
    struct MHD_Daemon *daemon;
    unsigned port;
};

/* A request on its way. */
struct incoming {
    char *body;
    size_t bytes;
    bool too_large, out_of_memory;
};

/* Converting the address by copying: C has no cast from a pointer to data to one to a function. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, size);
    return address != NULL;
}

static bool load(void)
{
    static const char *const names[] = {"libmicrohttpd.so.12", "libmicrohttpd.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        weir_complain("libmicrohttpd is not installed: there is no libmicrohttpd.so.12 (Debian: libmicrohttpd12)");
        return false;
    }
    bool all = true;
#define FIND(name) all = find(library, "MHD_" #name, &mhd.name, sizeof mhd.name) && all;
    FUNCTIONS(FIND)
#undef FIND
    if (!all)
        weir_complain("the libmicrohttpd that is installed is not one that can be used");
    return all;
}

/* ---- who asks ---- */

static bool is_here(const struct weir_server *server, const char *host)
{
    char here[32], local[32];
    snprintf(here, sizeof here, "127.0.0.1:%u", server->port);
    snprintf(local, sizeof local, "localhost:%u", server->port);
    return strcmp(host, here) == 0 || strcmp(host, local) == 0;
}

static bool is_ours(const struct weir_server *server, struct MHD_Connection *connection)
{
    const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    if (!host || !is_here(server, host))
        return false;
    return !origin || (strncmp(origin, "http://", 7) == 0 && is_here(server, origin + 7));
}

/* ---- answering ---- */

static enum MHD_Result reply(struct MHD_Connection *connection, const struct weir_answer *answer)
{
    static const char *const headers[][2] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"X-Frame-Options", "DENY"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
                                    "connect-src 'self'; img-src "
                                    "data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    };
    static char nothing[] = "out of memory\n";
    struct MHD_Response *response = answer->text
                                        ? mhd.create_response_from_buffer(answer->bytes, answer->text, MHD_RESPMEM_MUST_FREE)
                                        : mhd.create_response_from_buffer(sizeof nothing - 1, nothing, MHD_RESPMEM_PERSISTENT);
    if (!response) {
        free(answer->text);
        return MHD_NO;
    }
    mhd.add_response_header(response, "Content-Type", answer->text ? answer->type : "text/plain");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        mhd.add_response_header(response, headers[i][0], headers[i][1]);
    enum MHD_Result result = mhd.queue_response(connection, answer->text ? answer->status : 500, response);
    mhd.destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *words)
{
    char *text = strdup(words);
    struct weir_answer answer = {status, "text/plain; charset=utf-8", text, text ? strlen(text) : 0};
    return reply(connection, &answer);
}

static void take(struct incoming *in, const char *data, size_t bytes)
{
    if (in->too_large || in->out_of_memory)
        return;
    if (bytes > WEIR_SERVE_BYTES_MAX - in->bytes) {
        in->too_large = true;
        return;
    }
    char *grown = realloc(in->body, in->bytes + bytes + 1);
    if (!grown) {
        in->out_of_memory = true;
        return;
    }
    in->body = grown;
    memcpy(in->body + in->bytes, data, bytes);
    in->bytes += bytes;
    in->body[in->bytes] = 0;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *bytes, void **state)
{
    const struct weir_server *server = context;
    struct incoming *in = *state;
    (void)version;
    if (!in) { /* the headers */
        *state = in = calloc(1, sizeof *in);
        return in ? MHD_YES : MHD_NO;
    }
    if (*bytes) {
        take(in, data, *bytes);
        *bytes = 0;
        return MHD_YES;
    }
    if (!is_ours(server, connection))
        return refuse(connection, 403, "this server answers to this machine alone\n");
    if (in->too_large)
        return refuse(connection, 413, "a model here has at most 1 MiB\n");
    if (in->out_of_memory)
        return refuse(connection, 500, "out of memory\n");
    struct weir_request request = {.method = method,
                                   .path = url,
                                   .name = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "name"),
                                   .body = in->body ? in->body : "",
                                   .body_bytes = in->bytes};
    struct weir_answer answer = weir_serve_answer(server->folder, &request);
    return reply(connection, &answer);
}

static void forget(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code)
{
    struct incoming *in = *state;
    (void)context;
    (void)connection;
    (void)code;
    if (in)
        free(in->body);
    free(in);
    *state = NULL;
}

/* ---- starting and stopping ---- */

/* A socket on the loopback interface; -1 with the reason printed. */
static int listen_on(unsigned port, unsigned *taken)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener >= 0)
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 16) ||
        getsockname(listener, (struct sockaddr *)&address, &size)) {
        weir_complain("cannot listen on port %u: %s", port, strerror(errno));
        if (listener >= 0)
            close(listener);
        return -1;
    }
    *taken = ntohs(address.sin_port);
    return listener;
}

struct weir_server *weir_server_start(const struct weir_folder *folder, unsigned port, unsigned *taken)
{
    struct weir_server *server = load() ? calloc(1, sizeof *server) : NULL;
    int listener = server ? listen_on(port, taken) : -1;
    if (listener < 0) {
        free(server);
        return NULL;
    }
    *server = (struct weir_server){.folder = folder, .port = *taken};
    server->daemon = mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)*taken, NULL, NULL, handle, server,
                                      MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                                      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                      (size_t)MEMORY_MAX, MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    if (!server->daemon) {
        weir_complain("the server does not start");
        close(listener);
        free(server);
        return NULL;
    }
    return server;
}

void weir_server_stop(struct weir_server *server)
{
    mhd.stop_daemon(server->daemon);
    free(server);
}
