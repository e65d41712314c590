/* SPDX-License-Identifier: Apache-2.0 */
/* The one dispatch: which engine answers, and what becomes of its answer. */
#include "answer/answer.h"
#include "base/error.h"
#include "model/pipeline.h"

/* In this order: an engine stands before those that would answer for less than the model says. Few workers come before
 * connections that do not wait, since the engine of those needs a worker for each operator; the exact engine takes the rest. */
const struct weir_engine *const weir_engines[WEIR_ENGINES] = {&weir_engine_gpu,     &weir_engine_edf,   &weir_engine_priority,
                                                              &weir_engine_workers, &weir_engine_async, &weir_engine_exact};

const struct weir_engine *weir_engine_for(const struct weir_pipeline *pipeline)
{
    size_t i = 0;
    while (!weir_engines[i]->applies(pipeline))
        i++;
    return weir_engines[i];
}

const char *weir_engine_of(const struct weir_pipeline *pipeline)
{
    return weir_engine_for(pipeline)->name;
}

void weir_answer_free(struct weir_answer *answer)
{
    if (!answer)
        return;
    if (answer->detail && answer->engine->release)
        answer->engine->release(answer->detail);
    weir_free(answer->facts.items);
    weir_free(answer->lines.items);
    weir_free(answer->tables.items);
    weir_free(answer->assumptions.items);
    weir_free(answer->remedies.items);
    weir_free(answer->notes.items);
    weir_free(answer->charts.items);
    weir_arena_free(&answer->arena);
    weir_free(answer);
}

struct weir_answer *weir_answer_new(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (weir_pipeline_require_sealed(pipeline, error))
        return NULL;
    struct weir_answer *answer = weir_array_zeroed(1, sizeof *answer);
    if (!answer) {
        weir_fail_memory(error);
        return NULL;
    }
    answer->pipeline = pipeline;
    answer->engine = weir_engine_for(pipeline);
    return answer;
}

enum weir_status weir_answer_keep(struct weir_answer *answer, enum weir_status status, struct weir_answer **kept,
                                  struct weir_error *error)
{
    *kept = NULL;
    if (!status && answer->out_of_memory)
        status = weir_fail_memory(error);
    if (status) {
        weir_answer_free(answer);
        return status;
    }
    weir_answer_judge(answer);
    *kept = answer;
    return WEIR_OK;
}

enum weir_status weir_answer_find(const struct weir_pipeline *pipeline, const struct weir_answer_options *options,
                                  struct weir_answer **answer, struct weir_error *error)
{
    static const struct weir_answer_options defaults;
    *answer = NULL;
    struct weir_answer *a = weir_answer_new(pipeline, error);
    if (!a)
        return weir_pipeline_sealed(pipeline) ? WEIR_MEMORY : WEIR_INVALID;
    enum weir_status status = a->engine->analyze(a, options ? options : &defaults, error);
    if (!status)
        status = weir_answer_starts(a, options ? options : &defaults, error);
    if (!status)
        status = weir_answer_join_readings(a, options ? options : &defaults, error);
    if (!status && !(options && options->brief))
        weir_answer_complete(a);
    return weir_answer_keep(a, status, answer, error);
}
