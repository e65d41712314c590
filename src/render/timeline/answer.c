/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of an answer. */
#include "answer/answer.h"
#include "base/error.h"

bool weir_answer_has_picture(const struct weir_answer *answer)
{
    const struct weir_priority_analysis *intervals = answer->detail;
    for (size_t i = 0; i < answer->bound_count; i++)
        if (answer->bounds[i].witness)
            return true;
    return answer->engine == &weir_engine_gpu ||
           (answer->engine == &weir_engine_priority && intervals->outcome == WEIR_PRIORITY_CONVERGED);
}

enum weir_status weir_answer_write_svg(const struct weir_answer *answer, size_t bound, FILE *out, struct weir_error *error)
{
    if (answer->engine == &weir_engine_exact)
        return weir_analysis_write_gantt(answer->detail, bound, out, error);
    if (answer->engine == &weir_engine_priority)
        return weir_priority_write_svg(answer->detail, out, error);
    if (answer->engine == &weir_engine_gpu)
        return weir_gpu_write_svg(answer->detail, out, error);
    return weir_fail(error, WEIR_INVALID, "there is no worst case to draw, only a bound");
}

enum weir_status weir_answer_write_trace(const struct weir_answer *answer, size_t bound, FILE *out, struct weir_error *error)
{
    if (answer->engine == &weir_engine_exact)
        return weir_analysis_write_trace(answer->detail, bound, out, error);
    if (answer->engine == &weir_engine_gpu)
        return weir_gpu_write_trace(answer->detail, out, error);
    return weir_fail(error, WEIR_INVALID, "there is no single run to trace");
}
