/* SPDX-License-Identifier: Apache-2.0 */
/* Locked memory belongs to the whole process: runs at the same time share it, and what the application had locked stays locked. */
#ifndef WEIR_MEASURE_RUN_MEMORY_H
#define WEIR_MEASURE_RUN_MEMORY_H

/* 0, or why not. */
int weir_memory_lock(void);
/* Once for each that succeeded. */
void weir_memory_unlock(void);

#endif
