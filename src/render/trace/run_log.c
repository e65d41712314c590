/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has recorded as a Data Flow Tracking log. */
#include "weir.h"

struct logging {
    struct weir_flow_writer *writer;
    const struct weir_run *run;
    int64_t origin; /* the first start */
    bool begun;
};

/* In times of the model: at another speed, what the log says can still be held against it. */
static bool log_execution(void *context, struct weir_operator op, const struct weir_run_record *record)
{
    struct logging *l = context;
    if (!l->begun) {
        l->origin = record->start;
        l->begun = true;
    }
    weir_flow_writer_observe(l->writer, op, WEIR_START, record->execution,
                             weir_run_ticks(l->run, record->start - l->origin, false));
    weir_flow_writer_observe(l->writer, op, WEIR_FINISH, record->execution,
                             weir_run_ticks(l->run, record->finish - l->origin, false));
    return true;
}

enum weir_status weir_run_write_log(const struct weir_run *run, FILE *out, struct weir_error *error)
{
    struct weir_error own = {0};
    struct logging logging = {.writer = weir_flow_writer_new(weir_run_pipeline(run), &own), .run = run};
    if (error)
        *error = own;
    if (!logging.writer)
        return own.status;
    enum weir_status status = weir_run_observe(run, log_execution, &logging, error);
    if (!status)
        status = weir_flow_writer_write(logging.writer, out, error);
    weir_flow_writer_free(logging.writer);
    return status;
}
