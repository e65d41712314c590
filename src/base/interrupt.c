/* SPDX-License-Identifier: Apache-2.0 */
#include "base/interrupt.h"

#include <stddef.h>

static _Thread_local const bool *watched;

const bool *weir_interrupt_watch(const bool *stop)
{
    const bool *before = watched;
    watched = stop;
    return before;
}

const bool *weir_interrupt_watched(void)
{
    return watched;
}

bool weir_interrupted(void)
{
    return watched && __atomic_load_n(watched, __ATOMIC_RELAXED);
}
