/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

void *weir_library_open(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool weir_library_find(void *library, const char *name, void *function, size_t size)
{
    /* By copying: C has no cast from a pointer to data to one to a function. */
    void *address = dlsym(library, name);
    memcpy(function, &address, size);
    return address != NULL;
}
