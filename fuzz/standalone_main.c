/* SPDX-License-Identifier: Apache-2.0 */
/* Replays files, or all files of a folder, in a fuzz target that is built without a fuzzing engine. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int replay(FILE *file)
{
    uint8_t *bytes = NULL;
    size_t size = 0, room = 0;
    for (;;) {
        if (size == room) {
            uint8_t *grown = realloc(bytes, room = 2 * room + 4096);
            if (!grown) {
                free(bytes);
                return 0;
            }
            bytes = grown;
        }
        size_t got = fread(bytes + size, 1, room - size, file);
        if (got == 0)
            break;
        size += got;
    }
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 1;
}

static int replay_path(const char *path)
{
    FILE *file = fopen(path, "rb");
    int done = file && replay(file);
    if (file)
        fclose(file);
    if (!done)
        perror(path);
    return done;
}

/* The number of files, or -1 when one could not be read. */
static int replay_folder(const char *path, DIR *folder)
{
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (!replay_path(name))
            return -1;
        count++;
    }
    return count;
}

int main(int count, char **arguments)
{
    int replayed = 0;
    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(arguments[i]);
        int more = folder ? replay_folder(arguments[i], folder) : replay_path(arguments[i]) ? 1 : -1;
        if (folder)
            closedir(folder);
        if (more < 0)
            return 1;
        replayed += more;
    }
    printf("%d files\n", replayed);
    return replayed == 0;
}
