/* SPDX-License-Identifier: Apache-2.0 */
/* What a request is answered with. The models come from strangers as far as this code knows: they may name no files, and the work
 * for each is limited. */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#define WORK_LIMIT 200000000 /* some half a second */
#define RUNS 60

static struct weir_answer text_answer(unsigned status, const char *text)
{
    char *copy = strdup(text);
    return (struct weir_answer){status, "text/plain; charset=utf-8", copy, copy ? strlen(copy) : 0};
}

static struct weir_answer json_answer(unsigned status, char *text)
{
    return (struct weir_answer){status, "application/json", text, text ? strlen(text) : 0};
}

/* ---- models ---- */

static void print_mistakes(FILE *out, const struct weir_errors *errors)
{
    fputs("{\"errors\": [", out);
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        fprintf(out, "%s\n  {\"line\": %u, \"column\": %u, \"message\": ", i ? "," : "", e->line, e->column);
        weir_print_json_text(out, e->message);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

static struct weir_answer mistakes_answer(const struct weir_errors *errors)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return json_answer(500, NULL);
    print_mistakes(out, errors);
    if (fclose(out)) {
        free(text);
        text = NULL;
    }
    return json_answer(422, text);
}

/* Reads what is in the editor; NULL, with the answer made, when it is no model. */
static struct weir_pipeline *read_model(const struct weir_request *request, struct weir_answer *answer)
{
    struct weir_read_options options = {.no_files = true};
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    if (!errors ||
        weir_read_memory(request->body, request->body_bytes, request->name ? request->name : "model", &options, &pipeline, errors))
        *answer = errors ? mistakes_answer(errors) : json_answer(500, NULL);
    weir_errors_free(errors);
    return pipeline;
}

static enum weir_status write_analysis(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error)
{
    enum weir_status status;
    switch (weir_pipeline_platform(pipeline)) {
    case WEIR_PLATFORM_PROCESSORS: {
        struct weir_priority_options options = {.method = WEIR_PRIORITY_BEST, .work_limit = WORK_LIMIT};
        struct weir_priority_analysis *a;
        status = weir_priority_analyze(pipeline, &options, &a, error);
        if (!status) {
            status = weir_priority_write_json(a, out, error);
            weir_priority_analysis_free(a);
        }
        return status;
    }
    case WEIR_PLATFORM_CORES: {
        struct weir_edf_analysis *a;
        status = weir_edf_analyze(pipeline, NULL, &a, error);
        if (!status) {
            status = weir_edf_write_json(a, out, error);
            weir_edf_analysis_free(a);
        }
        return status;
    }
    case WEIR_PLATFORM_GPU: {
        struct weir_gpu_options options = {.work_limit = 2000000};
        struct weir_gpu_plan *plan;
        status = weir_gpu_analyze(pipeline, &options, &plan, error);
        if (!status) {
            status = weir_gpu_write_json(plan, out, error);
            weir_gpu_plan_free(plan);
        }
        return status;
    }
    default: {
        struct weir_analyze_options options = {.work_limit = WORK_LIMIT};
        struct weir_analysis *a;
        status = weir_analyze(pipeline, &options, &a, error);
        if (!status) {
            status = weir_analysis_write_json(a, out, error);
            weir_analysis_free(a);
        }
        return status;
    }
    }
}

static enum weir_status write_report(const struct weir_pipeline *pipeline, const char *name, FILE *out, struct weir_error *error)
{
    struct weir_report_model model = {pipeline, name};
    struct weir_report_options options = {.runs = RUNS, .work_limit = WORK_LIMIT};
    return weir_report_write(&model, 1, &options, out, NULL, error);
}

static struct weir_answer analyze(const struct weir_request *request, bool report)
{
    struct weir_answer answer = {0};
    struct weir_pipeline *pipeline = read_model(request, &answer);
    if (!pipeline)
        return answer;
    char *text = NULL;
    size_t bytes = 0;
    struct weir_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    enum weir_status status = !out     ? WEIR_MEMORY
                              : report ? write_report(pipeline, request->name, out, &error)
                                       : write_analysis(pipeline, out, &error);
    weir_pipeline_free(pipeline);
    if (out && fclose(out))
        status = WEIR_MEMORY;
    if (status) {
        free(text);
        return text_answer(status == WEIR_MEMORY ? 500 : 422, status == WEIR_MEMORY ? "out of memory\n" : error.message);
    }
    return (struct weir_answer){200, report ? "text/html; charset=utf-8" : "application/json", text, bytes};
}

/* ---- the folder ---- */

static struct weir_answer read_file(const struct weir_folder *folder, const struct weir_request *request)
{
    size_t bytes = 0;
    char *text = request->name ? weir_folder_read(folder, request->name, &bytes) : NULL;
    if (!text)
        return text_answer(404, "there is no such model\n");
    return (struct weir_answer){200, "text/plain; charset=utf-8", text, bytes};
}

static struct weir_answer write_file(const struct weir_folder *folder, const struct weir_request *request)
{
    if (!folder->writable)
        return text_answer(403, "nothing is written: weir serve was started without --write\n");
    if (!request->name || !weir_folder_names(request->name))
        return text_answer(400, "that is no name for a model\n");
    if (!weir_folder_write(folder, request->name, request->body, request->body_bytes))
        return text_answer(500, "the model could not be written\n");
    return text_answer(200, "saved\n");
}

static struct weir_answer editor(const struct weir_folder *folder)
{
    char *text = NULL;
    size_t bytes = 0;
    struct weir_error error;
    FILE *out = open_memstream(&text, &bytes);
    enum weir_status status = out ? weir_editor_write(folder->writable, out, &error) : WEIR_MEMORY;
    if (out && fclose(out))
        status = WEIR_MEMORY;
    if (status) {
        free(text);
        return text_answer(500, "out of memory\n");
    }
    return (struct weir_answer){200, "text/html; charset=utf-8", text, bytes};
}

struct weir_answer weir_serve_answer(const struct weir_folder *folder, const struct weir_request *request)
{
    const char *method = request->method, *path = request->path;
    bool get = strcmp(method, "GET") == 0, post = strcmp(method, "POST") == 0, put = strcmp(method, "PUT") == 0;
    if (strcmp(path, "/") == 0)
        return get ? editor(folder) : text_answer(405, "only to be read\n");
    if (strcmp(path, "/api/models") == 0)
        return get ? json_answer(200, weir_folder_list(folder)) : text_answer(405, "only to be read\n");
    if (strcmp(path, "/api/model") == 0)
        return get ? read_file(folder, request) : put ? write_file(folder, request) : text_answer(405, "GET or PUT\n");
    if (strcmp(path, "/api/analyze") == 0)
        return post ? analyze(request, false) : text_answer(405, "POST a model\n");
    if (strcmp(path, "/api/report") == 0)
        return post ? analyze(request, true) : text_answer(405, "POST a model\n");
    return text_answer(404, "there is nothing here\n");
}
