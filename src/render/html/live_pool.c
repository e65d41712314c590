/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks in a page, which has one thread: one after the other. */
#include "base/task_pool.h"

enum weir_status weir_task_pool_run(const struct weir_task_pool_work *work, const struct weir_task_pool_options *options,
                                    void *results, uint8_t *done, struct weir_error *error)
{
    void *scratch = NULL;
    enum weir_status status = work->enter ? work->enter(work->context, &scratch, error) : WEIR_OK;
    (void)options;
    for (uint64_t i = 0; i < work->count && !status; i++) {
        void *result = (char *)results + i * work->result_size;
        status = work->perform(scratch, work->context, i, work->hint, result, error);
        done[i] = !status;
        if (!status && work->learn && work->hint_size)
            work->learn(work->context, result, work->hint);
    }
    if (work->leave && scratch)
        work->leave(scratch);
    return status;
}
