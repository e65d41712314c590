/* SPDX-License-Identifier: Apache-2.0 */
#include "read/holoscan/recorded.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool weir_recorded_in_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

void weir_recorded_free(struct weir_recorded *list)
{
    weir_free(list->files);
    weir_arena_free(&list->arena);
}

static int by_path(const void *left, const void *right)
{
    const struct weir_holoscan_file *a = left, *b = right;
    return strcmp(a->path, b->path);
}

static void add(struct weir_recorded *list, const struct weir_holoscan_file *folder, const char *name)
{
    size_t before = strlen(folder->path), bytes = before + strlen(name) + 2;
    char *path = weir_arena_take(&list->arena, bytes);
    list->arena.failed |= !weir_reserve(&list->files, &list->capacity, list->count + 1, sizeof *list->files);
    if (list->arena.failed || !path)
        return;
    snprintf(path, bytes, "%s%s%s", folder->path, before && folder->path[before - 1] == '/' ? "" : "/", name);
    list->files[list->count++] =
        (struct weir_holoscan_file){.path = path, .fragment = folder->fragment, .times_only = folder->times_only};
}

/* What lies in a folder, sorted, behind what the list has. */
static enum weir_status scan(struct weir_recorded *list, const struct weir_holoscan_file *folder, struct weir_errors *errors)
{
    size_t first = list->count;
    DIR *open = opendir(folder->path);
    if (!open)
        return weir_errors_add(errors, WEIR_IO, folder->path, (struct weir_place){0, 0}, "cannot read this folder: %s",
                               strerror(errno));
    for (struct dirent *entry; (entry = readdir(open)) && !list->arena.failed;)
        if (entry->d_name[0] != '.')
            add(list, folder, entry->d_name);
    closedir(open);
    if (list->count > first)
        qsort(list->files + first, list->count - first, sizeof *list->files, by_path);
    return list->arena.failed ? weir_errors_add(errors, WEIR_MEMORY, NULL, (struct weir_place){0, 0}, "out of memory") : WEIR_OK;
}

/* Leaves the folders out that stand from there on. */
static void drop_folders(struct weir_recorded *list, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < list->count; i++)
        if (!weir_recorded_in_folder(list->files[i].path))
            list->files[kept++] = list->files[i];
    list->count = kept;
}

enum weir_status weir_recorded_list(struct weir_recorded *list, const struct weir_holoscan_file *folder, struct weir_errors *errors)
{
    enum weir_status status = scan(list, folder, errors);
    size_t top = list->count;
    for (size_t i = 0; i < top && !status; i++) {
        struct weir_holoscan_file inner = list->files[i];
        if (!weir_recorded_in_folder(inner.path))
            continue;
        inner.fragment = inner.fragment ? inner.fragment : strrchr(inner.path, '/') + 1;
        size_t first = list->count;
        status = scan(list, &inner, errors);
        drop_folders(list, first);
    }
    drop_folders(list, 0);
    return status;
}
