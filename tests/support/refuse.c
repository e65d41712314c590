/* SPDX-License-Identifier: Apache-2.0 */
#include "support/refuse.h"

#include "weir.h"

#include <stdlib.h>

static void *resize(void *context, void *old, size_t bytes)
{
    struct refuse *memory = context;
    if (bytes == 0) {
        memory->live -= old != NULL;
        free(old);
        return NULL;
    }
    if (!memory->paused) {
        long number = memory->asked++;
        if (number == memory->number || (memory->onwards && number > memory->number)) {
            memory->refused++;
            return NULL;
        }
    }
    void *block = realloc(old, bytes);
    memory->live += block && !old;
    return block;
}

bool refuse_next(struct refuse *memory)
{
    if (memory->rounds > 0 && memory->refused == 0) {
        refuse_end();
        return false;
    }
    memory->number = memory->rounds++;
    memory->asked = memory->refused = memory->live = 0;
    memory->paused = false;
    weir_set_allocator(&(struct weir_allocator){resize, memory});
    return true;
}

void refuse_end(void)
{
    weir_set_allocator(NULL);
}
