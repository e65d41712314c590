/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/smt_z3.h"

#include "baseline/smt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct weir_z3 functions;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Converting the address by copying: C has no cast from a pointer to data to one to a function. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, size);
    return address != NULL;
}

static void load(void)
{
    static const char *const names[] = {"libz3.so.4", "libz3.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "Z3 is not installed: there is no libz3.so.4 (Debian: libz3-4)";
        return;
    }
    bool all = true;
#define FIND(name) all = find(library, "Z3_" #name, &functions.name, sizeof functions.name) && all;
    WEIR_Z3_FUNCTIONS(FIND)
    if (!all)
        missing = "the Z3 that is installed is not one that this method can use";
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
