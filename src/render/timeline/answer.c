/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of an answer. */
#include "answer/answer.h"
#include "render/timeline/timeline.h"

/* Of a worst case; where none is known, of the whole, or of a run. */
bool weir_answer_has_picture(const struct weir_answer *answer)
{
    bool shown = false;
    for (size_t i = 0; i < answer->bound_count; i++)
        shown |= answer->bounds[i].worst.claim != WEIR_CLAIM_NONE;
    return shown && answer->engine->timeline && answer->detail;
}

enum weir_status weir_answer_write_svg(const struct weir_answer *answer, size_t bound, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_answer(answer, bound, &t, error), &t, weir_timeline_write_svg, out, error);
}

enum weir_status weir_answer_write_trace(const struct weir_answer *answer, size_t bound, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_answer(answer, bound, &t, error), &t, weir_timeline_write_trace, out, error);
}
