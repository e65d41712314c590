/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An answer made by a process of its own, which has only so much time and memory: whatever a model does to an engine or to the
 * program that lays out drawings, the server goes on. The answer comes through a pipe.
 */
#include "cli/serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What comes before the text. */
struct head {
    unsigned status;
    enum weir_answer_type type;
    size_t bytes;
};

struct weir_work {
    pid_t process;
    int pipe;
    int64_t begun_ms;
    struct head head;
    size_t got;  /* of head and text together */
    char *text;  /* once the head is there */
    bool failed; /* it makes no sense, or there is no memory for it */
};

int64_t weir_serve_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the process ---- */

static void limit(int resource, uint64_t value)
{
    struct rlimit now;
    if (getrlimit(resource, &now) == 0 && (now.rlim_max == RLIM_INFINITY || value <= now.rlim_max)) {
        now.rlim_cur = now.rlim_max = (rlim_t)value;
        setrlimit(resource, &now);
    }
}

static void restrict_itself(int kept)
{
    sigset_t none;
    for (int descriptor = 3; descriptor < FD_SETSIZE; descriptor++) /* others' connections: select sees none beyond */
        if (descriptor != kept)
            close(descriptor);
    limit(RLIMIT_CPU, WEIR_WORK_CPU_SECONDS);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);                                         /* it writes no files */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* these take terabytes of addresses */
#if !defined(__has_feature)
    limit(RLIMIT_AS, WEIR_WORK_MEMORY);
#elif !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    limit(RLIMIT_AS, WEIR_WORK_MEMORY);
#endif
#endif
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool write_all(int descriptor, const void *bytes, size_t count)
{
    for (const char *at = bytes; count;) {
        ssize_t put = write(descriptor, at, count);
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0) {
            at += put;
            count -= (size_t)put;
        }
    }
    return true;
}

static _Noreturn void work(const struct weir_request *request, int descriptor)
{
    static const struct weir_folder none = {.descriptor = -1};
    restrict_itself(descriptor);
    struct weir_reply answer = weir_serve_answer(&none, request);
    struct head head = {answer.status, answer.type, answer.bytes};
    bool sent = answer.text && write_all(descriptor, &head, sizeof head) && write_all(descriptor, answer.text, answer.bytes);
    free(answer.text);
    _exit(sent ? 0 : 1);
}

/* ---- the server's side ---- */

struct weir_work *weir_work_start(const struct weir_folder *folder, const struct weir_request *request)
{
    int ends[2];
    struct weir_work *w = calloc(1, sizeof *w);
    (void)folder; /* models name no files: the process sees none */
    if (!w || pipe(ends)) {
        free(w);
        return NULL;
    }
    bool good = ends[0] < FD_SETSIZE && ends[1] < FD_SETSIZE && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
    w->begun_ms = weir_serve_now_ms();
    w->process = good ? fork() : -1;
    if (w->process == 0)
        work(request, ends[1]);
    close(ends[1]);
    w->pipe = ends[0];
    if (w->process > 0)
        return w;
    close(ends[0]);
    free(w);
    return NULL;
}

int weir_work_descriptor(const struct weir_work *work)
{
    return work->pipe;
}

/* Where the next bytes go, and how many are still to come; a byte more is asked for at the end, and must not come. */
static size_t next_place(struct weir_work *w, char **place)
{
    static char beyond[1];
    size_t text = w->got - sizeof w->head;
    if (w->got < sizeof w->head) {
        *place = (char *)&w->head + w->got;
        return sizeof w->head - w->got;
    }
    *place = text < w->head.bytes ? w->text + text : beyond;
    return text < w->head.bytes ? w->head.bytes - text : sizeof beyond;
}

static bool begin_text(struct weir_work *w)
{
    if (w->head.type > WEIR_ANSWER_HTML || w->head.bytes > WEIR_WORK_ANSWER_MAX)
        return false;
    w->text = malloc(w->head.bytes + 1);
    return w->text != NULL;
}

static struct weir_reply result(struct weir_work *w)
{
    if (w->failed || w->got < sizeof w->head || w->got - sizeof w->head != w->head.bytes)
        return weir_reply_text(
            503, "too much for this server, which gives a model a few seconds and 2 GiB; weir report has no such limits\n");
    struct weir_reply answer = {.status = w->head.status, .type = w->head.type, .text = w->text, .bytes = w->head.bytes};
    w->text = NULL;
    return answer;
}

bool weir_work_go_on(struct weir_work *w, struct weir_reply *answer)
{
    while (!w->failed) {
        char *place;
        size_t room = next_place(w, &place);
        ssize_t got = read(w->pipe, place, room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (weir_serve_now_ms() - w->begun_ms < WEIR_WORK_SECONDS * INT64_C(1000))
                return false;
            w->failed = true;
        } else if (got <= 0) {
            break;
        } else {
            w->got += (size_t)got;
            w->failed =
                w->got > sizeof w->head ? w->got - sizeof w->head > w->head.bytes : w->got == sizeof w->head && !begin_text(w);
        }
    }
    *answer = result(w);
    return true;
}

void weir_work_free(struct weir_work *w)
{
    if (!w)
        return;
    kill(w->process, SIGKILL);
    while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(w->pipe);
    free(w->text);
    free(w);
}
