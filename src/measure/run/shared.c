/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/shared.h"

#include "base/alloc.h"
#include "measure/run/wait.h"
#include "weir.h"

#include <sys/mman.h>

/* A mapping begins with its length, in a line of the caches of its own. */
void *weir_shared_array(bool shared, size_t count, size_t size)
{
    size_t bytes;
    if (!shared)
        return weir_array_zeroed(count, size);
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - WEIR_RUN_LINE)
        return NULL;
    bytes += WEIR_RUN_LINE;
    unsigned char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    *(size_t *)(void *)base = bytes;
    return base + WEIR_RUN_LINE;
}

void weir_shared_free(bool shared, void *array)
{
    if (!shared) {
        weir_free(array);
    } else if (array) {
        unsigned char *base = (unsigned char *)array - WEIR_RUN_LINE;
        munmap(base, *(size_t *)(void *)base);
    }
}
