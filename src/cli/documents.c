/* SPDX-License-Identifier: Apache-2.0 */
/* The documents and examples that are installed with the program: found from where it lies, so that an installed tree can be moved.
 */
#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool weir_program_folder(char *folder, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", folder, bytes - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *name = strrchr(folder, '/');
    if (name)
        *name = '\0';
    return name != NULL;
}

const char *weir_document_find(const char *name, char path[WEIR_DOCUMENT_PATH])
{
    static const char *const folders[] = {WEIR_DOCUMENTS, "../.."}; /* installed; built in build/PRESET */
    char program[WEIR_DOCUMENT_PATH], resolved[WEIR_DOCUMENT_PATH];
    if (!weir_program_folder(program, sizeof program))
        return NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int written = snprintf(path, WEIR_DOCUMENT_PATH, "%s/%s/%s", program, folders[i], name);
        if (written > 0 && written < WEIR_DOCUMENT_PATH && realpath(path, resolved)) {
            snprintf(path, WEIR_DOCUMENT_PATH, "%s", resolved);
            return path;
        }
    }
    return NULL;
}

const char *weir_model_find(const char *path, char buffer[WEIR_DOCUMENT_PATH])
{
    static const char folder[] = "examples/";
    if (strncmp(path, folder, sizeof folder - 1) != 0 || access(path, F_OK) == 0)
        return path;
    const char *found = weir_document_find(path, buffer);
    return found ? found : path;
}

/* ---- weir help PAGE ---- */

static bool copy_file(const char *path, FILE *out)
{
    char buffer[4096];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    for (size_t bytes; (bytes = fread(buffer, 1, sizeof buffer, file)) > 0;)
        fwrite(buffer, 1, bytes, out);
    fclose(file);
    return true;
}

static int is_model(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".xml") == 0);
}

static bool list_examples(FILE *out)
{
    static const char *const folders[] = {"examples", "examples/gpu", "examples/published", "examples/sdf3"};
    char path[WEIR_DOCUMENT_PATH];
    struct dirent **entries;
    if (!weir_document_find(folders[0], path))
        return false;
    fprintf(out, "The examples are in %s.\nFrom any folder:\n\n", path);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int count = weir_document_find(folders[i], path) ? scandir(path, &entries, is_model, alphasort) : -1;
        for (int k = 0; k < count; k++) {
            fprintf(out, "  weir analyze %s/%s\n", folders[i], entries[k]->d_name);
            free(entries[k]);
        }
        if (count >= 0)
            free(entries);
    }
    return true;
}

bool weir_document_print(const char *page, FILE *out)
{
    static const char *const patterns[] = {"docs/%.*s.md", "docs/concepts/%.*s.md", "docs/guide/%.*s.md", "docs/reference/%.*s.md"};
    char name[256], path[WEIR_DOCUMENT_PATH];
    if (strcmp(page, "examples") == 0)
        return list_examples(out);
    if (strcmp(page, "docs") == 0)
        page = "docs/README.md";
    if (strncmp(page, "docs/", 5) == 0)
        page += 5;
    size_t length = strlen(page);
    if (length > 3 && strcmp(page + length - 3, ".md") == 0)
        length -= 3;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && length < sizeof name - 32; i++) {
        snprintf(name, sizeof name, patterns[i], (int)length, page);
        if (weir_document_find(name, path))
            return copy_file(path, out);
    }
    return false;
}
