/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What searches have found so far, in a file, so that a program that was ended can go on where it was.
 *
 *   head       {magic, question}
 *   record     {search, count, task, size, tail, check} and `size` bytes of the result, then `tail` bytes of its tail
 *
 * Searches come in the same order each time, and so do their records: those of the first, then those of the second. A record that
 * was being written when the program ended is cut off, and so is all behind the first one that is not used.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/number.h"
#include "base/task_pool_inside.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct head {
    char magic[24];
    uint64_t question;
};

struct record {
    uint64_t search, count, task, size, tail;
    uint64_t check; /* of all before it, and of the bytes */
};

static struct {
    FILE *file; /* NULL: nothing is kept */
    char path[256];
    uint64_t question, search;
    long used;    /* bytes whose records have been taken */
    bool writing; /* behind the last of them */
} journal;

static const char magic[24] = "weir journal 1\n";

/* ---- opening ---- */

static enum weir_status cannot(const char *what, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    return weir_fail(error, WEIR_IO, "%s: cannot %s this file: %s", weir_quote(journal.path, quoted), what, strerror(errno));
}

/* An empty file is one that was never begun. */
static enum weir_status check_head(struct weir_error *error)
{
    struct head head = {.question = journal.question};
    char quoted[WEIR_QUOTED];
    memcpy(head.magic, magic, sizeof magic);
    struct head found;
    size_t got = fread(&found, 1, sizeof found, journal.file);
    if (ferror(journal.file))
        return cannot("read", error);
    bool begun = got <= sizeof found && memcmp(&found, &head, got) == 0; /* the program ended while it wrote the head */
    if (got < sizeof found && begun) {
        rewind(journal.file);
        return fwrite(&head, sizeof head, 1, journal.file) == 1 && fflush(journal.file) == 0 ? WEIR_OK : cannot("write", error);
    }
    if (got < sizeof magic || memcmp(found.magic, magic, sizeof magic) != 0)
        return weir_fail(error, WEIR_INVALID, "%s: this is not a file of a search that can be resumed",
                         weir_quote(journal.path, quoted));
    if (found.question != journal.question)
        return weir_fail(error, WEIR_INVALID,
                         "%s: this file is of another search: its model, its options or the version of weir differs",
                         weir_quote(journal.path, quoted));
    return WEIR_OK;
}

enum weir_status weir_journal_open(const char *path, uint64_t question, struct weir_error *error)
{
    weir_journal_close();
    journal.question = weir_digest(question, weir_version(), strlen(weir_version()));
    snprintf(journal.path, sizeof journal.path, "%s", path);
    journal.file = fopen(path, "r+b");
    if (!journal.file && errno == ENOENT)
        journal.file = fopen(path, "w+b");
    if (!journal.file)
        return cannot("open", error);
    enum weir_status status = check_head(error);
    journal.used = sizeof(struct head);
    if (status)
        weir_journal_close();
    return status;
}

void weir_journal_close(void)
{
    if (journal.file)
        fclose(journal.file);
    memset(&journal, 0, sizeof journal);
}

/* ---- records ---- */

/* What of a result is kept: all but where its tail lies, which means nothing to who reads it. */
struct kept {
    char *bytes;
    size_t size;
};

static struct kept kept_of(const struct weir_task_pool *c, uint64_t task)
{
    size_t head = c->work->tails ? sizeof(struct weir_task_pool_tail) : 0;
    return (struct kept){c->results + task * c->work->result_size + head, c->work->result_size - head};
}

static uint64_t check_of(const struct record *r, const void *result, const void *tail)
{
    unsigned char head[offsetof(struct record, check)];
    memcpy(head, r, sizeof head);
    uint64_t digest = weir_digest(WEIR_DIGEST, head, sizeof head);
    digest = weir_digest(digest, result, r->size);
    return weir_digest(digest, tail, r->tail);
}

/* Bytes of the file that are still to be read; -1: who knows. */
static long bytes_left(void)
{
    long here = ftell(journal.file);
    if (here < 0 || fseek(journal.file, 0, SEEK_END))
        return -1;
    long end = ftell(journal.file);
    return fseek(journal.file, here, SEEK_SET) ? -1 : end - here;
}

/* The next record, if it belongs to this search and is whole: puts back its result. */
static bool read_record(struct weir_task_pool *c, struct record *r)
{
    const struct weir_task_pool_work *w = c->work;
    if (fread(r, sizeof *r, 1, journal.file) != 1 || r->search != journal.search || r->count != w->count || r->task >= w->count ||
        c->done[r->task] || (r->tail && !w->tails))
        return false;
    struct kept kept = kept_of(c, r->task);
    long left = bytes_left();
    if (r->size != kept.size || left < 0 || (uint64_t)left < kept.size || (uint64_t)left - kept.size < r->tail)
        return false;
    struct weir_task_pool_tail tail = {r->tail ? weir_array(r->tail, 1) : NULL, r->tail};
    bool whole = fread(kept.bytes, 1, kept.size, journal.file) == kept.size && (!r->tail || tail.bytes) &&
                 fread(tail.bytes, 1, r->tail, journal.file) == r->tail && check_of(r, kept.bytes, tail.bytes) == r->check;
    if (whole && w->tails)
        *weir_task_pool_tail(c, r->task) = tail;
    else if (!whole) {
        memset(kept.bytes, 0, kept.size);
        weir_free(tail.bytes);
    }
    return whole;
}

bool weir_task_pool_journaled(const struct weir_task_pool *c)
{
    return journal.file && !c->options->here;
}

enum weir_status weir_task_pool_recall(struct weir_task_pool *c, void (*take)(struct weir_task_pool *pool, uint64_t task),
                                       struct weir_error *error)
{
    struct record r;
    journal.search++;
    journal.writing = false;
    if (fseek(journal.file, journal.used, SEEK_SET))
        return cannot("read", error);
    while (read_record(c, &r)) {
        take(c, r.task);
        journal.used = ftell(journal.file);
    }
    clearerr(journal.file);
    return WEIR_OK;
}

/* From here on new records come; what is behind those that were taken is not used any more. */
static bool begin_writing(void)
{
    journal.writing = fseek(journal.file, journal.used, SEEK_SET) == 0 && ftruncate(fileno(journal.file), journal.used) == 0;
    return journal.writing;
}

bool weir_task_pool_note(const struct weir_task_pool *c, uint64_t task)
{
    static const struct weir_task_pool_tail none;
    const struct weir_task_pool_tail *tail = c->work->tails ? weir_task_pool_tail(c, task) : &none;
    struct kept kept = kept_of(c, task);
    struct record r = {journal.search, c->work->count, task, kept.size, tail->size, 0};
    r.check = check_of(&r, kept.bytes, tail->bytes);
    return (journal.writing || begin_writing()) && fwrite(&r, sizeof r, 1, journal.file) == 1 &&
           fwrite(kept.bytes, 1, kept.size, journal.file) == kept.size &&
           fwrite(tail->bytes, 1, tail->size, journal.file) == tail->size;
}

bool weir_task_pool_note_end(void)
{
    bool good = fflush(journal.file) == 0;
    journal.used = good ? ftell(journal.file) : journal.used;
    return good;
}

enum weir_status weir_task_pool_note_failed(struct weir_error *error)
{
    return cannot("write", error);
}
