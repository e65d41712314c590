/* SPDX-License-Identifier: Apache-2.0 */
/* What a request is answered with. The models come from strangers as far as this code knows: they may name no files, and the work
 * for each is limited. */
#include "base/json.h"
#include "cli/serve/serve.h"

#include <stdlib.h>
#include <string.h>

#define WORK_LIMIT UINT64_C(200000000) /* of all searches for latencies together: some half a second */
#define WORK_LIMIT_LEAST UINT64_C(20000)
#define GPU_WORK_LIMIT 2000000
#define MISTAKES_MAX 100 /* that a person wants to see */
#define RUNS 60
#define ITERATIONS 50
#define EXECUTIONS INT64_C(1000000) /* simulated for each picture of them */

struct weir_reply weir_reply_text(unsigned status, const char *text)
{
    char *copy = strdup(text);
    return (struct weir_reply){.status = status, .type = WEIR_ANSWER_TEXT, .text = copy, .bytes = copy ? strlen(copy) : 0};
}

static struct weir_reply json_answer(unsigned status, char *text)
{
    return (struct weir_reply){.status = status, .type = WEIR_ANSWER_JSON, .text = text, .bytes = text ? strlen(text) : 0};
}

static struct weir_reply refusal(const char *allow)
{
    struct weir_reply answer = weir_reply_text(405, "this method is not allowed here\n");
    answer.allow = allow;
    return answer;
}

/* ---- models ---- */

static void print_mistake(FILE *out, const struct weir_error *e, bool first)
{
    fprintf(out, "%s\n  {\"line\": %u, \"column\": %u, \"message\": ", first ? "" : ",", e->line, e->column);
    weir_json_quote(out, e->message);
    fputc('}', out);
}

/* Either several mistakes, or one. */
static struct weir_reply mistakes_answer(const struct weir_errors *errors, const struct weir_error *one)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return json_answer(500, NULL);
    fputs("{\"errors\": [", out);
    for (size_t i = 0; errors && i < weir_errors_count(errors) && i < MISTAKES_MAX; i++)
        print_mistake(out, weir_errors_at(errors, i), i == 0);
    if (one)
        print_mistake(out, one, true);
    fputs("]}\n", out);
    if (fclose(out)) {
        free(text);
        text = NULL;
    }
    return json_answer(422, text);
}

static struct weir_reply mistake_answer(const struct weir_error *error)
{
    return mistakes_answer(NULL, error);
}

/* What to call the model: only the name of a file tells of its format. */
static const char *name_of(const struct weir_request *request, const char *otherwise)
{
    return request->name && weir_folder_names(request->name) ? request->name : otherwise;
}

/* Reads what is in the editor; NULL, with the answer made, when it is no model. */
static struct weir_pipeline *read_model(const struct weir_request *request, struct weir_reply *answer)
{
    struct weir_read_options options = {.no_files = true};
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    if (!errors || weir_read_memory(request->body, request->body_bytes, name_of(request, "model"), &options, &pipeline, errors))
        *answer = errors ? mistakes_answer(errors, NULL) : json_answer(500, NULL);
    weir_errors_free(errors);
    return pipeline;
}

/* Of one search with threads: worst case, best case and gap of each latency; elsewhere of all of them. */
static uint64_t work_limit(const struct weir_pipeline *pipeline)
{
    uint64_t searches = 3 * (uint64_t)weir_pipeline_chain_count(pipeline) + 1, each = WORK_LIMIT / searches;
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_GPU)
        return GPU_WORK_LIMIT;
    if (weir_pipeline_platform(pipeline) != WEIR_PLATFORM_THREADS)
        return WORK_LIMIT;
    return each > WORK_LIMIT_LEAST ? each : WORK_LIMIT_LEAST;
}

static enum weir_status write_analysis(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error)
{
    struct weir_answer_options options = {.work_limit = work_limit(pipeline)};
    struct weir_answer *answer;
    enum weir_status status = weir_answer_find(pipeline, &options, &answer, error);
    if (!status)
        status = weir_answer_write_json(answer, out, error);
    weir_answer_free(answer);
    return status;
}

static enum weir_status write_report(const struct weir_pipeline *pipeline, const char *name, FILE *out, struct weir_error *error)
{
    struct weir_report_model model = {.pipeline = pipeline, .path = name};
    struct weir_report_options options = {.runs = RUNS, .iterations = ITERATIONS, .seed = 1, .work_limit = work_limit(pipeline)};
    int64_t runs = EXECUTIONS / ITERATIONS / (weir_pipeline_operator_count(pipeline) + INT64_C(1));
    if (runs < RUNS)
        options.runs = runs > 3 ? (uint32_t)runs : 3;
    return weir_report_write(&model, 1, &options, out, NULL, error);
}

static struct weir_reply analyze(const struct weir_request *request, bool report)
{
    struct weir_reply answer = {0};
    struct weir_pipeline *pipeline = read_model(request, &answer);
    if (!pipeline)
        return answer;
    char *text = NULL;
    size_t bytes = 0;
    struct weir_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    enum weir_status status = !out     ? WEIR_MEMORY
                              : report ? write_report(pipeline, name_of(request, NULL), out, &error)
                                       : write_analysis(pipeline, out, &error);
    weir_pipeline_free(pipeline);
    if (out && fclose(out))
        status = WEIR_MEMORY;
    if (status) {
        free(text);
        return status == WEIR_MEMORY ? weir_reply_text(500, "out of memory\n") : mistake_answer(&error);
    }
    return (struct weir_reply){.status = 200, .type = report ? WEIR_ANSWER_HTML : WEIR_ANSWER_JSON, .text = text, .bytes = bytes};
}

/* ---- the folder ---- */

static struct weir_reply read_file(const struct weir_folder *folder, const struct weir_request *request)
{
    size_t bytes = 0;
    char *text = request->name ? weir_folder_read(folder, request->name, &bytes) : NULL;
    if (!text)
        return weir_reply_text(404, "there is no such model, or it is too large\n");
    struct weir_reply answer = {.status = 200, .type = WEIR_ANSWER_TEXT, .text = text, .bytes = bytes};
    weir_folder_tag(text, bytes, answer.tag);
    return answer;
}

/* Whether what is there is what the writer thinks is there. */
static bool matches(const struct weir_folder *folder, const struct weir_request *request)
{
    char tag[WEIR_FOLDER_TAG] = "";
    size_t bytes;
    char *text = weir_folder_read(folder, request->name, &bytes);
    if (text)
        weir_folder_tag(text, bytes, tag);
    free(text);
    return strcmp(tag, request->match) == 0;
}

static struct weir_reply write_file(const struct weir_folder *folder, const struct weir_request *request)
{
    if (!folder->writable)
        return weir_reply_text(403, "nothing is written: weir serve was started without --write\n");
    if (!request->name || !weir_folder_names(request->name))
        return weir_reply_text(400,
                               "that is not a name for a model: letters, digits, '.', '_' and '-', and an ending such as .yaml\n");
    if (request->match && !matches(folder, request))
        return weir_reply_text(412, "the file is not the one that was read\n");
    switch (weir_folder_write(folder, request->name, request->body, request->body_bytes)) {
    case WEIR_FOLDER_SAVED: {
        struct weir_reply answer = weir_reply_text(200, "saved\n");
        weir_folder_tag(request->body, request->body_bytes, answer.tag);
        return answer;
    }
    case WEIR_FOLDER_NO_NAME:
    case WEIR_FOLDER_PROTECTED:
        return weir_reply_text(403, "the file, or the folder, cannot be written\n");
    default:
        return weir_reply_text(500, "the model could not be written\n");
    }
}

static struct weir_reply editor(const struct weir_folder *folder)
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
        return weir_reply_text(500, "out of memory\n");
    }
    return (struct weir_reply){.status = 200, .type = WEIR_ANSWER_HTML, .text = text, .bytes = bytes};
}

/* ---- all of it ---- */

bool weir_serve_takes_work(const struct weir_request *request)
{
    return strcmp(request->method, "POST") == 0 &&
           (strcmp(request->path, "/api/analyze") == 0 || strcmp(request->path, "/api/report") == 0);
}

struct weir_reply weir_serve_answer(const struct weir_folder *folder, const struct weir_request *request)
{
    const char *method = request->method, *path = request->path;
    bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0, put = strcmp(method, "PUT") == 0;
    if (strcmp(path, "/") == 0)
        return get ? editor(folder) : refusal("GET, HEAD");
    if (strcmp(path, "/api/models") == 0)
        return get ? json_answer(200, weir_folder_list(folder)) : refusal("GET, HEAD");
    if (strcmp(path, "/api/model") == 0)
        return get ? read_file(folder, request) : put ? write_file(folder, request) : refusal("GET, HEAD, PUT");
    bool report = strcmp(path, "/api/report") == 0;
    if (report || strcmp(path, "/api/analyze") == 0)
        return weir_serve_takes_work(request) ? analyze(request, report) : refusal("POST");
    return weir_reply_text(404, "there is nothing here\n");
}
