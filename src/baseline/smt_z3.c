/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/smt_z3.h"

#include "base/library.h"
#include "baseline/classic.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct weir_z3 functions;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const names[] = {"libz3.so.4", "libz3.so", NULL};
    void *library = weir_library_open(names);
    if (!library) {
        missing = "Z3 is not installed: there is no libz3.so.4 (Debian: libz3-4)";
        return;
    }
    bool all = true;
#define FIND(name) all = weir_library_find(library, "Z3_" #name, &functions.name, sizeof functions.name) && all;
    WEIR_Z3_FUNCTIONS(FIND)
    if (!all)
        missing = "the installed Z3 cannot be used by this method";
}

const struct weir_z3 *weir_z3_load(void)
{
    pthread_once(&once, load);
    return missing ? NULL : &functions;
}

const char *weir_smt_missing(void)
{
    weir_z3_load();
    return missing;
}
