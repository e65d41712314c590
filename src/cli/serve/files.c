/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that is served. Everything is opened relative to it, by a name without a slash, and never through a link. */
#include "base/json.h"
#include "base/map.h"
#include "cli/serve/serve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MAX 10000

bool weir_folder_names(const char *name)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".dot", ".gv", ".xml", ".grc"};
    size_t length = strlen(name);
    if (length == 0 || length > 200 || name[0] == '.')
        return false;
    for (const char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("._-", *c)))
            return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

/* ---- reading ---- */

static char *read_all(int descriptor, size_t *bytes)
{
    char *text = malloc(WEIR_SERVE_BYTES_MAX + 2);
    size_t used = 0;
    while (text && used <= WEIR_SERVE_BYTES_MAX) {
        ssize_t got = read(descriptor, text + used, WEIR_SERVE_BYTES_MAX + 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got < 0)
                break;
            text[used] = 0;
            *bytes = used;
            return text;
        }
        used += (size_t)got;
    }
    free(text);
    return NULL;
}

char *weir_folder_read(const struct weir_folder *folder, const char *name, size_t *bytes)
{
    struct stat found;
    if (!weir_folder_names(name))
        return NULL;
    int descriptor = openat(folder->descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    char *text = fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) ? read_all(descriptor, bytes) : NULL;
    close(descriptor);
    return text;
}

void weir_folder_tag(const char *text, size_t bytes, char tag[WEIR_FOLDER_TAG])
{
    snprintf(tag, WEIR_FOLDER_TAG, "\"%016llx\"", (unsigned long long)weir_digest(WEIR_DIGEST, text, bytes));
}

/* ---- writing ---- */

static bool write_all(int descriptor, const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t put = write(descriptor, text, bytes);
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0) {
            text += put;
            bytes -= (size_t)put;
        }
    }
    return fsync(descriptor) == 0;
}

/* Opens a new file beside `name` that no one else has. */
static int open_beside(const struct weir_folder *folder, const char *name, mode_t mode, char beside[256])
{
    static unsigned long number;
    for (int i = 0; i < 100; i++) { /* a crash may have left some */
        snprintf(beside, 256, ".%s.%ld-%lu.tmp", name, (long)getpid(), number++);
        int descriptor = openat(folder->descriptor, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

enum weir_folder_result weir_folder_write(const struct weir_folder *folder, const char *name, const char *text, size_t bytes)
{
    char beside[256];
    struct stat old;
    if (!folder->writable)
        return WEIR_FOLDER_PROTECTED;
    if (!weir_folder_names(name))
        return WEIR_FOLDER_NO_NAME;
    /* What is there may be replaced if it is a file that may be written, and only then: renaming would not ask. */
    bool exists = fstatat(folder->descriptor, name, &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists && (!S_ISREG(old.st_mode) || !(old.st_mode & 0222) || faccessat(folder->descriptor, name, W_OK, 0)))
        return WEIR_FOLDER_PROTECTED;
    int descriptor = open_beside(folder, name, exists ? 0600 : 0666, beside);
    if (descriptor < 0)
        return errno == EACCES || errno == EROFS || errno == EPERM ? WEIR_FOLDER_PROTECTED : WEIR_FOLDER_FAILED;
    bool written = write_all(descriptor, text, bytes);
    written = written && (!exists || fchmod(descriptor, old.st_mode & 0777) == 0);
    written = close(descriptor) == 0 && written;
    written = written && renameat(folder->descriptor, beside, folder->descriptor, name) == 0;
    if (!written)
        unlinkat(folder->descriptor, beside, 0);
    return written ? WEIR_FOLDER_SAVED : WEIR_FOLDER_FAILED;
}

/* ---- listing ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t collect(int descriptor, char **names)
{
    size_t count = 0;
    int copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    if (!folder) {
        if (copy >= 0)
            close(copy);
        return 0;
    }
    for (struct dirent *entry; count < NAMES_MAX && (entry = readdir(folder));) {
        struct stat found;
        if (!weir_folder_names(entry->d_name) || fstatat(descriptor, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(found.st_mode))
            continue;
        names[count] = strdup(entry->d_name);
        count += names[count] != NULL;
    }
    closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    return count;
}

char *weir_folder_list(const struct weir_folder *folder)
{
    char *text = NULL, **names = calloc(NAMES_MAX, sizeof *names);
    size_t bytes, count = names ? collect(folder->descriptor, names) : 0;
    FILE *out = names ? open_memstream(&text, &bytes) : NULL;
    if (out) {
        fputc('[', out);
        for (size_t i = 0; i < count; i++) {
            fputs(i ? ", " : "", out);
            weir_json_quote(out, names[i]);
        }
        fputs("]\n", out);
        if (fclose(out)) {
            free(text);
            text = NULL;
        }
    }
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return text;
}
