/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison from the file to its answer. */
#include "measure/compare/compare.h"

#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

static enum weir_status check(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (!pipeline->sealed)
        return weir_fail(error, WEIR_INVALID, "the pipeline is not sealed");
    if (pipeline->platform != WEIR_PLATFORM_THREADS)
        return weir_fail(error, WEIR_INVALID, "logs are compared with models whose operators have threads of their own");
    if (pipeline->unit == WEIR_UNIT_TICK)
        return weir_fail(error, WEIR_INVALID,
                         "the times of this model have no unit; give it one (\"unit: ms\") to compare it with a log");
    return WEIR_OK;
}

/* How long an execution may be seen to take: with work on a GPU that it waits for, no model says. */
static int64_t longest_seen(const struct weir_pipeline *pipeline, const struct weir_operator_spec *op)
{
    return op->launch && op->launch->waits ? INT64_MAX : weir_log_ns(pipeline, (struct weir_ratio){op->worst, 1});
}

static enum weir_status prepare(struct weir_log_comparison *c, struct weir_error *error)
{
    const struct weir_pipeline *p = c->pipeline;
    c->recent.op = WEIR_LOG_NO_OPERATOR;
    c->times = weir_array_zeroed(p->operator_count, sizeof *c->times);
    c->answer = weir_array_zeroed(1, sizeof *c->answer);
    c->scale = weir_pipeline_new(error);
    if (!c->times || !c->answer || !c->scale)
        return weir_fail_memory(error);
    for (size_t i = 0; i < p->operator_count; i++)
        c->times[i].worst = longest_seen(p, &p->operators[i]);
    c->answer->pipeline = c->scale;
    c->answer->engine = weir_engine_for(p);
    weir_pipeline_set_unit(c->scale, WEIR_UNIT_MS, 6, NULL);
    return p->name ? weir_pipeline_set_name(c->scale, p->name, error) : WEIR_OK;
}

/* A summary is known by its content; anything else is taken for a log. */
static enum weir_status read_file(struct weir_log_comparison *c, struct weir_errors *errors)
{
    struct weir_error error = {0};
    enum weir_status status = WEIR_OK;
    const char *about = c->options->model ? c->options->model : "the model";
    if (strcmp(c->log_path, "-") != 0)
        status = weir_flow_summary_read(c->log_path, &c->summary, errors);
    if (status)
        return status;
    if (!c->summary)
        c->log = weir_flow_log_open(c->log_path, &error);
    if (c->summary)
        status = weir_log_comparison_read_summary(c, &error);
    else if (c->log)
        status = weir_log_comparison_read_log(c, &error);
    else
        status = error.status;
    if (status)
        weir_errors_add_error(errors, c->asking ? about : c->log_path, (struct weir_place){0, 0}, &error);
    return status;
}

static enum weir_status read_once(struct weir_log_comparison *c, struct weir_errors *errors)
{
    struct weir_error error = {0};
    enum weir_status status = check(c->pipeline, &error);
    if (!status)
        status = prepare(c, &error);
    if (status)
        weir_errors_add_error(errors, c->options->model ? c->options->model : "the model", (struct weir_place){0, 0}, &error);
    else
        status = read_file(c, errors);
    if (!status) {
        weir_log_comparison_report(c);
        if (c->answer->out_of_memory)
            status = weir_errors_add(errors, WEIR_MEMORY, c->log_path, (struct weir_place){0, 0}, "out of memory");
    }
    return status;
}

/* Where the clock jumped, which is known at the end, the log is read once more. */
enum weir_status weir_log_comparison_read(const struct weir_pipeline *pipeline, const char *path,
                                          const struct weir_log_comparison_options *options,
                                          struct weir_log_comparison **comparison, struct weir_errors *errors)
{
    static const struct weir_log_comparison_options none;
    struct weir_flow_jumps jumps = {.count = 0};
    *comparison = NULL;
    for (bool again = false;; again = true) {
        struct weir_log_comparison *c = weir_array_zeroed(1, sizeof *c);
        if (!c)
            return weir_errors_add(errors, WEIR_MEMORY, path, (struct weir_place){0, 0}, "out of memory");
        c->pipeline = pipeline;
        c->options = options ? options : &none;
        c->skip = weir_skip_of(c->options->skip_first, c->options->skip_last);
        c->log_path = path;
        c->jumps = jumps;
        c->again = again;
        enum weir_status status = read_once(c, errors);
        bool done = status || again || !c->jumps.count || strcmp(path, "-") == 0;
        jumps = c->jumps;
        if (!status && done)
            *comparison = c;
        else
            weir_log_comparison_free(c);
        if (done)
            return status;
    }
}

void weir_log_comparison_free(struct weir_log_comparison *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->path_count; i++) {
        weir_samples_free(&c->paths[i].samples);
        weir_free(c->paths[i].names);
        weir_free(c->paths[i].late);
        weir_free(c->paths[i].late_steps);
    }
    weir_free(c->paths);
    weir_free(c->names);
    weir_free(c->reread);
    weir_free(c->texts);
    weir_free(c->times);
    weir_free(c->held);
    weir_free(c->steps);
    weir_free(c->notes.items);
    weir_flow_summary_free(c->summary);
    weir_flow_log_close(c->log);
    weir_answer_free(c->answer);
    weir_pipeline_free(c->scale);
    weir_free(c);
}

const struct weir_answer *weir_log_comparison_answer(const struct weir_log_comparison *c)
{
    return c->answer;
}

const char *weir_log_comparison_note(const struct weir_log_comparison *c, size_t index)
{
    return index < c->notes.count ? ((const char *const *)c->notes.items)[index] : NULL;
}
