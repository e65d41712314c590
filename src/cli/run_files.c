/* SPDX-License-Identifier: Apache-2.0 */
/* The run as files: a trace, and a Data Flow Tracking log. */
#include "render/timeline/timeline.h"
#include "run.h"

enum weir_exit weir_live_probe(const struct weir_live_settings *settings)
{
    const char *const paths[] = {settings->trace, settings->log};
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < 2 && result == WEIR_EXIT_OK; i++) {
        struct weir_output output;
        if (!paths[i])
            continue;
        result = weir_output_open(&output, paths[i]);
        if (result == WEIR_EXIT_OK)
            result = weir_output_close(&output, false);
    }
    return result;
}

/* ---- the log ---- */

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

static enum weir_status write_log(const struct weir_live *live, FILE *out, struct weir_error *error)
{
    struct logging logging = {.writer = weir_flow_writer_new(live->pipeline, error), .run = live->run};
    if (!logging.writer)
        return error->status;
    enum weir_status status = weir_run_observe(live->run, log_execution, &logging, error);
    if (!status)
        status = weir_flow_writer_write(logging.writer, out, error);
    weir_flow_writer_free(logging.writer);
    return status;
}

static enum weir_status write_trace(const struct weir_live *live, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_run(live->run, &t, error), &t, weir_timeline_write_trace, out, error);
}

static enum weir_exit write_file(const struct weir_live *live, const char *path,
                                 enum weir_status (*write)(const struct weir_live *, FILE *, struct weir_error *))
{
    struct weir_output output;
    struct weir_error error = {0};
    if (!path)
        return WEIR_EXIT_OK;
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = write(live, output.file, &error);
    if (status && status != WEIR_IO) /* closing reports what the file did not take */
        result = weir_complain_error(path, &error);
    return weir_exit_worse(result, weir_output_close(&output, result == WEIR_EXIT_OK));
}

enum weir_exit weir_live_write(const struct weir_live *live)
{
    enum weir_exit result = write_file(live, live->settings->trace, write_trace);
    return weir_exit_worse(result, write_file(live, live->settings->log, write_log));
}
