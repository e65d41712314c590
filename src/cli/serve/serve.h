/* SPDX-License-Identifier: Apache-2.0 */
/* weir serve: a folder of models and an editor, for a browser on this machine. */
#ifndef WEIR_CLI_SERVE_SERVE_H
#define WEIR_CLI_SERVE_SERVE_H

#include "cli/cli.h"

#include <signal.h>

#define WEIR_SERVE_BYTES_MAX (1 << 20) /* of a model */

/* ---- the folder (files.c) ---- */

struct weir_folder {
    int descriptor;
    bool writable; /* by request */
};

/* Whether the name is one of a model in the folder itself: letters, digits, '.', '_', '-', not beginning with '.', and the ending
 * of a format. No path gets through. */
bool weir_folder_names(const char *name);
/* The file, with a 0 behind it; NULL: there is none, or it is no regular file of that name, or too large. Caller frees. */
char *weir_folder_read(const struct weir_folder *folder, const char *name, size_t *bytes);
/* What tells this text from others: a hash of it, in quotes, as HTTP has it. */
#define WEIR_FOLDER_TAG 24
void weir_folder_tag(const char *text, size_t bytes, char tag[WEIR_FOLDER_TAG]);

enum weir_folder_result {
    WEIR_FOLDER_SAVED,
    WEIR_FOLDER_NO_NAME,
    WEIR_FOLDER_PROTECTED, /* the folder, or what is there: a file that is not to be written, a link, a folder */
    WEIR_FOLDER_FAILED,
};
/* Appears whole or not at all. */
enum weir_folder_result weir_folder_write(const struct weir_folder *folder, const char *name, const char *text, size_t bytes);
/* A JSON array of names, sorted; NULL: out of memory. Caller frees. */
char *weir_folder_list(const struct weir_folder *folder);

/* ---- answers (answer.c) ---- */

struct weir_request {
    const char *method, *path;
    const char *name;  /* of the model, from the query; NULL: none */
    const char *match; /* the tag of the text that may be replaced, "" where there must be none; NULL: whatever is there */
    const char *body;
    size_t body_bytes;
};

enum weir_answer_type { WEIR_ANSWER_TEXT, WEIR_ANSWER_JSON, WEIR_ANSWER_HTML };

struct weir_reply {
    unsigned status;
    enum weir_answer_type type;
    char *text; /* malloc'ed; NULL: memory ran out */
    size_t bytes;
    const char *allow;         /* the methods there are, for status 405; NULL otherwise */
    char tag[WEIR_FOLDER_TAG]; /* of a file; "": none */
};

struct weir_reply weir_reply_text(unsigned status, const char *text);
/* Whether the answer takes more work than looking at the folder. */
bool weir_serve_takes_work(const struct weir_request *request);
/* Knows nothing of connections. */
struct weir_reply weir_serve_answer(const struct weir_folder *folder, const struct weir_request *request);

/* ---- answers made by a process of their own (work.c) ---- */

/* Limits of such a process. Each model also gets so little work that it hardly ever comes to that. */
#define WEIR_WORK_CPU_SECONDS 5
#define WEIR_WORK_SECONDS 15
#define WEIR_WORK_MEMORY (UINT64_C(2) << 30)
#define WEIR_WORK_ANSWER_MAX (UINT64_C(64) << 20)

struct weir_work;
/* NULL: there is no process to be had. Only from a process with one thread. */
struct weir_work *weir_work_start(const struct weir_folder *folder, const struct weir_request *request);
/* Readable when there is something to go on with. */
int weir_work_descriptor(const struct weir_work *work);
/* Never waits. True at the end, with the answer, which may be that a limit was reached. */
bool weir_work_go_on(struct weir_work *work, struct weir_reply *answer);
/* Ends the process if it is still at work. */
void weir_work_free(struct weir_work *work);
/* Of a clock that never goes back. */
int64_t weir_serve_now_ms(void);

/* ---- the server (http.c) ---- */

struct weir_server;
/* NULL, with the reason printed. Listens on 127.0.0.1 alone; port 0 takes a free one. */
struct weir_server *weir_server_start(const struct weir_folder *folder, unsigned port, unsigned *taken);
/* Until *ended, which a signal sets that is blocked but for `mask`. */
void weir_server_run(struct weir_server *server, const volatile sig_atomic_t *ended, const sigset_t *mask);
void weir_server_stop(struct weir_server *server);

#endif
