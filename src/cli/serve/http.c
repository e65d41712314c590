/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server, by libmicrohttpd. The library is loaded when it is needed: it brings others with it that would slow down every verb.
 *
 * One thread waits for everything: connections, the processes that make answers, signals. A guest is a connection; while its answer
 * is being made it is suspended. Each request has to be asked and answered within a time, so that no one keeps the others out.
 *
 * A request that another site makes through the user's browser is refused: it has another Host (its name was made to point here),
 * another Origin, or the browser says so itself.
 */
#include "base/library.h"
#include "cli/serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define GUESTS_MAX 64
#define SPARE 16    /* connections beyond that which get an answer */
#define WORKS_MAX 4 /* at once; others wait for their turn */
#define REQUEST_MS 30000
#define MEMORY_MAX 32768                                 /* of a connection: the headers of its request */
#define DISCARDED_MAX (8 * (size_t)WEIR_SERVE_BYTES_MAX) /* of a body that is too large: then the connection is closed */

/* What is used of the library, without its prefix. */
static struct {
    __typeof__(&MHD_start_daemon) start_daemon;
    __typeof__(&MHD_stop_daemon) stop_daemon;
    __typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
    __typeof__(&MHD_add_response_header) add_response_header;
    __typeof__(&MHD_queue_response) queue_response;
    __typeof__(&MHD_destroy_response) destroy_response;
    __typeof__(&MHD_lookup_connection_value) lookup_connection_value;
    __typeof__(&MHD_lookup_connection_value_n) lookup_connection_value_n;
    __typeof__(&MHD_get_connection_info) get_connection_info;
    __typeof__(&MHD_get_fdset2) get_fdset2;
    __typeof__(&MHD_get_timeout) get_timeout;
    __typeof__(&MHD_run_from_select) run_from_select;
    __typeof__(&MHD_suspend_connection) suspend_connection;
    __typeof__(&MHD_resume_connection) resume_connection;
} mhd;

struct guest {
    struct MHD_Connection *connection; /* NULL: no one */
    int socket;
    int64_t since_ms; /* it came, or its last request was done */
    /* of the request on its way */
    char *body;
    size_t bytes, discarded;
    bool out_of_memory;
    struct weir_request request;
    uint64_t firing; /* > 0: suspended, its answer is to be made */
    struct weir_work *work;
    bool done; /* the answer is there */
    struct weir_reply answer;
};

struct weir_server {
    const struct weir_folder *folder;
    struct MHD_Daemon *daemon;
    unsigned port;
    uint64_t firings;
    bool resumed; /* a connection was: the library has something to do, whatever descriptors say */
    struct guest guests[GUESTS_MAX + SPARE];
};

static bool load(void)
{
    static const char *const names[] = {"libmicrohttpd.so.12", "libmicrohttpd.so", NULL};
    void *library = weir_library_open(names);
    if (!library) {
        weir_complain("libmicrohttpd is not installed: there is no libmicrohttpd.so.12 (Debian: libmicrohttpd12)");
        return false;
    }
    bool all = true;
#define FIND(name) all &= weir_library_find(library, "MHD_" #name, &mhd.name, sizeof mhd.name)
    FIND(start_daemon);
    FIND(stop_daemon);
    FIND(create_response_from_buffer);
    FIND(add_response_header);
    FIND(queue_response);
    FIND(destroy_response);
    FIND(lookup_connection_value);
    FIND(lookup_connection_value_n);
    FIND(get_connection_info);
    FIND(get_fdset2);
    FIND(get_timeout);
    FIND(run_from_select);
    FIND(suspend_connection);
    FIND(resume_connection);
#undef FIND
    if (!all)
        weir_complain("the installed libmicrohttpd cannot be used");
    return all;
}

/* ---- the client ---- */

static bool is_here(const struct weir_server *server, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char wanted[32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s:%u", names[i], server->port);
        if (strcasecmp(host, wanted) == 0 || (server->port == 80 && strcasecmp(host, names[i]) == 0))
            return true;
    }
    return false;
}

static bool is_ours(const struct weir_server *server, struct MHD_Connection *connection, const char *path)
{
    const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *site = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    if (!host || !is_here(server, host))
        return false;
    if (origin && (strncmp(origin, "http://", 7) != 0 || !is_here(server, origin + 7)))
        return false;
    /* The page itself may be come to from anywhere: by a link. */
    return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0 || strcmp(path, "/") == 0;
}

/* ---- answering ---- */

static enum MHD_Result reply(struct MHD_Connection *connection, const struct weir_reply *answer)
{
    static const char *const headers[][2] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"X-Frame-Options", "DENY"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        /* The report in its frame inherits this, and has a stricter one of its own. */
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
         "connect-src 'self'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors "
         "'none'"},
    };
    static const char *const types[] = {"text/plain; charset=utf-8", "application/json", "text/html; charset=utf-8"};
    static char nothing[] = "out of memory\n";
    struct MHD_Response *response = answer->text
                                        ? mhd.create_response_from_buffer(answer->bytes, answer->text, MHD_RESPMEM_MUST_FREE)
                                        : mhd.create_response_from_buffer(sizeof nothing - 1, nothing, MHD_RESPMEM_PERSISTENT);
    if (!response) {
        free(answer->text);
        return MHD_NO;
    }
    mhd.add_response_header(response, "Content-Type", types[answer->text ? answer->type : WEIR_ANSWER_TEXT]);
    if (answer->allow)
        mhd.add_response_header(response, "Allow", answer->allow);
    if (answer->tag[0])
        mhd.add_response_header(response, "ETag", answer->tag);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        mhd.add_response_header(response, headers[i][0], headers[i][1]);
    enum MHD_Result result = mhd.queue_response(connection, answer->text ? answer->status : 500, response);
    mhd.destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *words)
{
    struct weir_reply answer = weir_reply_text(status, words);
    return reply(connection, &answer);
}

/* ---- guests ---- */

static struct guest *guest_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void come_or_go(void *context, struct MHD_Connection *connection, void **socket_context,
                       enum MHD_ConnectionNotificationCode code)
{
    struct weir_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*socket_context)
            ((struct guest *)*socket_context)->connection = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *socket_context = NULL;
    for (size_t i = 0; i < GUESTS_MAX + SPARE && info && !*socket_context; i++)
        if (!server->guests[i].connection) {
            server->guests[i] =
                (struct guest){.connection = connection, .socket = info->connect_fd, .since_ms = weir_serve_now_ms()};
            *socket_context = &server->guests[i];
        }
}

/* The request is done, or will never be. */
static void forget(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code)
{
    struct guest *g = *state;
    (void)context;
    (void)code;
    if (!g)
        return;
    weir_work_free(g->work);
    free(g->body);
    if (g->done)
        free(g->answer.text);
    *g = (struct guest){.connection = connection, .socket = g->socket, .since_ms = weir_serve_now_ms()};
    *state = NULL;
}

static void take(struct guest *g, const char *data, size_t bytes)
{
    if (g->discarded || g->out_of_memory || bytes > WEIR_SERVE_BYTES_MAX - g->bytes) {
        g->discarded += bytes;
        return;
    }
    char *grown = realloc(g->body, g->bytes + bytes + 1);
    if (!grown) {
        g->out_of_memory = true;
        return;
    }
    g->body = grown;
    memcpy(g->body + g->bytes, data, bytes);
    g->bytes += bytes;
    g->body[g->bytes] = 0;
}

/* The headers alone: what can be refused now is. */
static enum MHD_Result greet(const struct weir_server *server, struct MHD_Connection *connection, const char *path)
{
    const char *length = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    if (!is_ours(server, connection, path))
        return refuse(connection, 403, "this server answers requests from this machine only\n");
    if (length && (strlen(length) > 9 || strtoul(length, NULL, 10) > WEIR_SERVE_BYTES_MAX))
        return refuse(connection, 413, "a model here can be at most 1 MiB\n");
    return MHD_YES;
}

static struct weir_request request_of(const struct guest *g, const char *method, const char *path)
{
    struct weir_request request = {.method = method, .path = path, .body = g->body ? g->body : "", .body_bytes = g->bytes};
    const char *name = NULL, *none = mhd.lookup_connection_value(g->connection, MHD_HEADER_KIND, "If-None-Match");
    size_t length = 0;
    if (mhd.lookup_connection_value_n(g->connection, MHD_GET_ARGUMENT_KIND, "name", 4, &name, &length) == MHD_YES && name &&
        strlen(name) == length)
        request.name = name;
    request.match = none && strcmp(none, "*") == 0 ? "" : mhd.lookup_connection_value(g->connection, MHD_HEADER_KIND, "If-Match");
    return request;
}

static const char crowded[] = "too many connections: this server keeps 64 open; close some pages, or try again in a moment\n";
static const char late_words[] = "no answer within 30 s: too many requests are in progress; try again in a moment\n";

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *bytes, void **state)
{
    struct weir_server *server = context;
    struct guest *g = guest_of(connection);
    (void)version;
    if (!g)
        return MHD_NO;
    if (!*state) {
        *state = g;
        return g < server->guests + GUESTS_MAX ? greet(server, connection, url) : refuse(connection, 503, crowded);
    }
    if (*bytes) {
        take(g, data, *bytes);
        *bytes = 0;
        return g->discarded <= DISCARDED_MAX ? MHD_YES : MHD_NO;
    }
    if (g->done) {
        g->done = false; /* the text is the response's from here */
        return reply(connection, &g->answer);
    }
    if (g->discarded)
        return refuse(connection, 413, "a model here can be at most 1 MiB\n");
    if (g->out_of_memory)
        return refuse(connection, 500, "out of memory\n");
    g->request = request_of(g, method, url);
    if (weir_serve_takes_work(&g->request)) {
        g->firing = ++server->firings;
        mhd.suspend_connection(connection);
        return MHD_YES;
    }
    struct weir_reply answer = weir_serve_answer(server->folder, &g->request);
    return reply(connection, &answer);
}

/* ---- waiting for everything ---- */

/* Ends the wait of a guest for its answer. */
static void serve_guest(struct weir_server *server, struct guest *g, struct weir_reply answer)
{
    server->resumed = true;
    weir_work_free(g->work);
    g->work = NULL;
    g->firing = 0;
    g->answer = answer;
    g->done = true;
    mhd.resume_connection(g->connection);
}

static bool has_left(const struct guest *g)
{
    char byte;
    return recv(g->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void begin_works(struct weir_server *server)
{
    for (;;) {
        struct guest *next = NULL;
        size_t works = 0;
        for (struct guest *g = server->guests; g < server->guests + GUESTS_MAX + SPARE; g++) {
            works += g->work != NULL;
            if (g->connection && g->firing && !g->work && (!next || g->firing < next->firing))
                next = g;
        }
        if (!next || works >= WORKS_MAX)
            return;
        next->work = weir_work_start(server->folder, &next->request);
        if (!next->work)
            serve_guest(server, next, weir_reply_text(503, "no process could be started\n"));
    }
}

static void attend(struct weir_server *server)
{
    int64_t now = weir_serve_now_ms();
    for (struct guest *g = server->guests; g < server->guests + GUESTS_MAX + SPARE; g++) {
        struct weir_reply answer;
        if (!g->connection)
            continue;
        bool late = now - g->since_ms > REQUEST_MS;
        if (g->firing && (late || has_left(g))) {
            serve_guest(server, g, weir_reply_text(503, late_words));
            g->since_ms = now; /* as long again, to read that */
        } else if (late) {
            shutdown(g->socket, SHUT_RDWR); /* of a request that does not come; the library then closes it */
        } else if (g->work && weir_work_go_on(g->work, &answer))
            serve_guest(server, g, answer);
    }
    begin_works(server);
}

/* How long to wait at most: descriptors say the rest. */
static struct timespec patience(const struct weir_server *server)
{
    uint64_t ms = server->resumed ? 0 : 60000, library;
    for (const struct guest *g = server->guests; g < server->guests + GUESTS_MAX + SPARE; g++)
        if (g->connection && ms > (g->firing ? 200 : 1000))
            ms = g->firing ? 200 : 1000;
    MHD_UNSIGNED_LONG_LONG wanted;
    if (mhd.get_timeout(server->daemon, &wanted) == MHD_YES && (library = wanted) < ms)
        ms = library;
    return (struct timespec){.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
}

void weir_server_run(struct weir_server *server, const volatile sig_atomic_t *ended, const sigset_t *mask)
{
    while (!*ended) {
        fd_set in, out, other;
        int most = -1;
        FD_ZERO(&in);
        FD_ZERO(&out);
        FD_ZERO(&other);
        mhd.get_fdset2(server->daemon, &in, &out, &other, &most, FD_SETSIZE);
        for (const struct guest *g = server->guests; g < server->guests + GUESTS_MAX + SPARE; g++)
            if (g->work) {
                int descriptor = weir_work_descriptor(g->work);
                FD_SET(descriptor, &in);
                most = descriptor > most ? descriptor : most;
            }
        struct timespec wait = patience(server);
        if (pselect(most + 1, &in, &out, &other, &wait, mask) < 0) {
            FD_ZERO(&in);
            FD_ZERO(&out);
            FD_ZERO(&other);
        }
        server->resumed = false;
        mhd.run_from_select(server->daemon, &in, &out, &other);
        attend(server);
    }
}

/* ---- starting and stopping ---- */

/* A socket on the loopback interface; -1 with the reason printed. */
static int listen_on(unsigned port, unsigned *taken)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener >= 0)
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 64) ||
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
    server->folder = folder;
    server->port = *taken;
    server->daemon = mhd.start_daemon(
        MHD_ALLOW_SUSPEND_RESUME, (uint16_t)*taken, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)(GUESTS_MAX + SPARE), MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_MAX,
        MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_NOTIFY_CONNECTION, come_or_go, server, MHD_OPTION_END);
    if (!server->daemon) {
        weir_complain("the server cannot start");
        close(listener);
        free(server);
        return NULL;
    }
    return server;
}

void weir_server_stop(struct weir_server *server)
{
    for (struct guest *g = server->guests; g < server->guests + GUESTS_MAX + SPARE; g++)
        if (g->connection && g->firing) {
            shutdown(g->socket, SHUT_RDWR);
            serve_guest(server, g, weir_reply_text(503, "the server ends\n"));
        }
    mhd.stop_daemon(server->daemon);
    free(server);
}
