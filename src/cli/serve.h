/* SPDX-License-Identifier: Apache-2.0 */
/* weir serve: a folder of models and an editor, for a browser on this machine. */
#ifndef WEIR_CLI_SERVE_H
#define WEIR_CLI_SERVE_H

#include "cli.h"

#define WEIR_SERVE_BYTES_MAX (1 << 20) /* of a model */

/* ---- the folder (serve_files.c) ---- */

struct weir_folder {
    int descriptor;
    bool writable; /* by request */
};

/* Whether the name is one of a model in the folder itself: letters, digits, '.', '_', '-', not beginning with '.', and the ending
 * of a format. No path gets through. */
bool weir_folder_names(const char *name);
/* The file, with a 0 behind it; NULL: there is none, or it is no regular file of that name, or too large. Caller frees. */
char *weir_folder_read(const struct weir_folder *folder, const char *name, size_t *bytes);
/* Appears whole or not at all. */
bool weir_folder_write(const struct weir_folder *folder, const char *name, const char *text, size_t bytes);
/* A JSON array of names, sorted; NULL: out of memory. Caller frees. */
char *weir_folder_list(const struct weir_folder *folder);

/* ---- answers (serve_answer.c) ---- */

struct weir_request {
    const char *method, *path;
    const char *name; /* of the model, from the query; NULL: none */
    const char *body;
    size_t body_bytes;
};

struct weir_answer {
    unsigned status;
    const char *type;
    char *text; /* malloc'ed */
    size_t bytes;
};

/* Knows nothing of connections. text is NULL when memory ran out. */
struct weir_answer weir_serve_answer(const struct weir_folder *folder, const struct weir_request *request);

/* ---- the server (serve_http.c) ---- */

struct weir_server;
/* NULL, with the reason printed. Listens on 127.0.0.1 alone; port 0 takes a free one. */
struct weir_server *weir_server_start(const struct weir_folder *folder, unsigned port, unsigned *taken);
void weir_server_stop(struct weir_server *server);

#endif
