/* SPDX-License-Identifier: Apache-2.0 */
/* A folder in place of a file: all files in it, by name, and those of its folders, each about the fragment of that name. */
#ifndef WEIR_READ_HOLOSCAN_RECORDED_H
#define WEIR_READ_HOLOSCAN_RECORDED_H

#include "base/alloc.h"
#include "base/error.h"
#include "weir.h"

/* Zero-initialise. */
struct weir_recorded {
    struct weir_holoscan_file *files; /* paths and fragments are the arena's */
    size_t count, capacity;
    struct weir_arena arena;
};

bool weir_recorded_in_folder(const char *path);
/* Files whose names begin with a dot are left out, and so are folders in folders. */
enum weir_status weir_recorded_list(struct weir_recorded *list, const struct weir_holoscan_file *folder,
                                    struct weir_errors *errors);
void weir_recorded_free(struct weir_recorded *list);

#endif
